// WorkerModel under node: results, errors and their classes, cancelling, progress, state, the end.
import {spawnSync} from 'node:child_process';
import {access, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {MODELS, PAGE, ROOT, slowModel} from './browser.mjs';

const {load, NpuError} = await import(`${PAGE}npu_rt.mjs`);
const {WorkerModel} = await import(`${PAGE}remote.mjs`);
const PATH = join(ROOT, 'examples/digits/digits_int8.tflite'),
    int8 = await readFile(PATH);
const rejection = (promise) =>
    promise.then(
        () => null,
        (e) => e,
    );

async function results(checks) {
    const model = await WorkerModel.open(PATH),
        here = (await load()).open(int8),
        session = here.plan().session();
    checks.equal(JSON.stringify(model.inputs[0].shape), '[1,8,8,1]', 'inputs');
    checks.equal(model.outputs[0].type, 'INT8', 'outputs');
    checks.equal(model.isa, here.runtime.isa, 'isa');
    session.inputs[0].fill(5, 0);
    const stored = session.inputs[0].data.slice(), // before the run, which may use the memory for something else
        reading = session.inputs[0].real;
    session.run();
    const want = session.outputs[0].data.join(),
        reals = session.outputs[0].real.join();
    checks.equal((await model.run([{seed: 5}])).outputs[0].data.join(), want, 'from a seed');
    checks.equal((await model.run([stored])).outputs[0].data.join(), want, 'from what is stored');
    const real = await model.run([reading], {real: true});
    checks.equal(real.outputs[0].data.join(), reals, 'real numbers');
    checks.ok(real.outputs[0].data instanceof Float32Array, 'as floats');
    checks.equal((await model.run([[...stored]])).outputs[0].data.join(), want, 'from a list');
    const sent = reading.slice();
    checks.equal(
        (await model.run([sent], {real: true, transfer: [sent.buffer]})).outputs[0].data.join(),
        reals,
        'transferred',
    );
    checks.equal(sent.length, 0, 'the buffer has moved');
    const steps = [],
        many = await model.run([{seed: 5}], {
            runs: 3,
            profile: true,
            onprogress: (p) => steps.push(`${p.phase} ${p.done}/${p.total}`),
        });
    checks.equal(steps.join(), 'run 1/3,run 2/3,run 3/3', 'progress');
    checks.ok(many.times.length === 3 && many.ms === many.times[2] && many.profile[0].runs === 3, 'times and profile');
    checks.equal(
        (await model.run([{seed: 5}], {inputShapes: [{input: 0, shape: [2, 8, 8, 1]}]})).outputs[0].data.length,
        20,
        'another shape',
    );
    const npu = await model.run([{seed: 5}], {backend: 'neuron', rules: 'litert-2.3', runtime: '8.1.0', profile: true});
    checks.equal(npu.outputs[0].data.join(), want, 'by an NPU');
    checks.ok(npu.profile.some((op) => op.vendor === 'neuron'), 'who ran it');
    checks.equal((await model.run([{seed: 5}], {profile: true})).profile[0].vendor, null, 'by the CPU again');
    for (const [name, choice] of [
        ['info'],
        ['lower', {backend: 'neuron', runtime: '8.1.0'}],
        ['dump'],
        ['check', {backend: 'ethos-u55-128'}],
        ['cost', {backend: 'ethos-u55-128'}],
    ])
        checks.equal(JSON.stringify(await model[name](choice)), JSON.stringify(here[name](choice)), `${name}, as here`);
    checks.ok((await model.check({backend: 'ethos-u', format: 'text'})).includes('CONV_2D'), 'as text');
    checks.ok((await model.memoryBytes()) > 65536, 'memory');
    here.close();
    model.close();
}

async function errors(checks) {
    const model = await WorkerModel.open(int8),
        fails = async (promise, type, rule, words, what) => {
            const e = await rejection(promise);
            checks.ok(
                e instanceof type && e.rule === rule && e.code && e.exitCode && e.message.includes(words),
                `${what}: ${e}`,
            );
            return e;
        };
    await fails(model.check(), TypeError, 'backend.name', 'check({backend', 'check()');
    await fails(model.check({backend: 'x'}), NpuError, 'backend.name', 'x', 'a backend');
    await fails(model.run([{seed: 0}], {backend: 'ethos-u'}), NpuError, 'plan.analysis_only', 'ethos-u', 'one that only judges');
    await fails(model.run(new Int8Array(64)), TypeError, 'web.inputs', '[values]', 'values alone');
    await fails(model.run([]), NpuError, 'web.inputs', '1 inputs', 'too few');
    await fails(model.run([null]), TypeError, 'web.inputs', 'input 0 is null', 'null');
    await fails(model.run([new Float32Array(64)]), TypeError, 'tensor.array', 'option real', 'floats');
    await fails(model.run([new Int8Array(3)]), NpuError, 'tensor.length', '64', 'length');
    await fails(model.run([{seed: 1}], {run: 2}), TypeError, 'web.option', 'did you mean "runs"', 'an option');
    await fails(model.run([{seed: 1}], {runs: 0}), NpuError, 'web.runs', '1 or more', 'no runs');
    await fails(model.info({}, {sgnal: null}), TypeError, 'web.option', 'did you mean "signal"', 'how');
    await fails(
        model.info({}, {signal: new AbortController()}),
        TypeError,
        'web.signal',
        'controller.signal',
        'a controller',
    );
    await fails(model.run([{seed: 1}], {onprogress: 1}), TypeError, 'web.function', 'onprogress', 'onprogress');
    await fails(
        model.run([{seed: 1}], {transfer: new ArrayBuffer(1)}),
        TypeError,
        'web.transfer',
        'a list',
        'transfer',
    );
    await fails(WorkerModel.open(int8, {signal: 5}), TypeError, 'web.signal', 'a number (5)', 'a signal');
    checks.ok((await rejection(model.run([() => 1]))) instanceof TypeError, 'what cannot be posted');
    await fails(model.run([{seed: 1}], {subgraph: 7}), NpuError, 'web.subgraph', 'no subgraph 7', 'subgraph');
    const e = await fails(model.stream(), NpuError, 'ethos_u.no_stream', '', 'no stream');
    checks.equal(e.status, e.code, 'status and code agree');
    checks.equal((await model.run([{seed: 1}])).outputs.length, 1, 'and it goes on');
    const cut = await rejection(WorkerModel.open(int8.subarray(0, 500)));
    checks.ok(cut instanceof NpuError && cut.status === 'INVALID_MODEL' && cut.exitCode === 3, `a cut file: ${cut}`);
    await fails(WorkerModel.open('no/such.tflite'), NpuError, 'web.fetch', 'no/such', 'a path');
    await fails(
        WorkerModel.open(int8, {workers: 2}),
        TypeError,
        'web.option',
        'did you mean "worker"',
        'an option of open',
    );
    await fails(WorkerModel.open(int8, {worker: 2}), TypeError, 'web.worker', 'a number (2)', 'worker');
    const lost = await rejection(WorkerModel.open(int8, {worker: new URL('file:///no/such/worker.mjs')}));
    checks.ok(lost instanceof Error && /such\/worker/.test(lost.message), `no worker: ${lost}`);
    model.close();
    model.close();
    await fails(model.run([{seed: 1}]), NpuError, 'web.closed', 'closed', 'run() after close()');
    checks.equal(model.cancel().length, 0, 'nothing to cancel');
}

async function cancelling(checks) {
    const model = await WorkerModel.open(slowModel()),
        abort = new AbortController();
    const running = rejection(model.run([{seed: 1}], {signal: abort.signal})),
        behind = model.info(),
        other = new AbortController(),
        waiting = rejection(model.dump({}, {signal: other.signal}));
    await new Promise((done) => setTimeout(done, 300));
    other.abort();
    checks.equal((await waiting)?.name, 'AbortError', 'a call that waits');
    const start = performance.now();
    abort.abort(new Error('enough'));
    const e = await running;
    checks.ok(performance.now() - start < 100, `answered after ${performance.now() - start} ms`);
    checks.ok(
        e instanceof NpuError && e.code === 'CANCELLED' && e.name === 'AbortError' && e.cause.message === 'enough',
        `aborted: ${e}`,
    );
    checks.equal((await behind).ops, 1, 'the call behind it');
    const both = [model.run([{seed: 1}]), model.run([{seed: 1}])].map(rejection);
    await new Promise((done) => setTimeout(done, 100));
    checks.equal(model.cancel().join(), 'run,run', 'cancel() says what');
    for (const one of await Promise.all(both)) checks.equal(one?.code, 'CANCELLED', 'cancel()');
    const limited = await rejection(model.run([{seed: 1}], {timeLimitMs: 100}));
    checks.ok(limited?.name === 'NpuError' && limited.opName === 'AVERAGE_POOL_2D', `timeLimitMs: ${limited}`);
    checks.equal((await rejection(model.run([{seed: 1}], {maxWork: 1e6})))?.code, 'LIMIT', 'maxWork');
    const last = rejection(model.run([{seed: 1}]));
    model.close();
    checks.equal((await last)?.rule, 'web.closed', 'closed while it runs');
}

/** Variables live on from run to run, until reset() or an abort. */
async function state(checks) {
    const path = `${MODELS}trained_lstm_int8.tflite`;
    if (
        !(await access(path).then(
            () => true,
            () => false,
        ))
    )
        return console.log('left out: state of a worker (no trained_lstm_int8)');
    const model = await WorkerModel.open(path),
        feeds = model.inputs.map(() => ({seed: 3})),
        run = async () => (await model.run(feeds)).outputs[0].data.join();
    const first = await run(),
        second = await run();
    await model.reset();
    checks.equal(await run(), first, 'reset()');
    checks.equal(await run(), second, 'the second run after it');
    model.close();
}

export async function testWorker(checks) {
    await checks.test('worker: results', () => results(checks));
    await checks.test('worker: errors', () => errors(checks));
    await checks.test('worker: cancelling', () => cancelling(checks));
    await checks.test('worker: state', () => state(checks));
    await checks.test('worker: the process ends without close()', () => {
        const code = `import {WorkerModel} from ${JSON.stringify(`${PAGE}remote.mjs`)};
            const m = await WorkerModel.open(${JSON.stringify(PATH)}); console.log((await m.run([{seed: 5}])).outputs.length);`;
        const p = spawnSync(process.execPath, ['--input-type=module', '-e', code], {encoding: 'utf8', timeout: 30000});
        checks.equal(`${p.status} ${p.stdout.trim()}`, '0 1', p.stderr);
    });
}
