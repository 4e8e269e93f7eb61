// Threads under node: the same results on any number of them, several models, stopping, closing, and doing without.
import {spawnSync} from 'node:child_process';
import {access, copyFile, mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {failure, MODELS, PAGE, ROOT, slowModel} from './browser.mjs';

const {load, NpuError, openModel} = await import(`${PAGE}npu_rt.mjs`);
const {WorkerModel} = await import(`${PAGE}remote.mjs`);
const PATH = join(ROOT, 'examples/digits/digits_int8.tflite');
const there = (path) =>
    access(path).then(
        () => true,
        () => false,
    );
const rejection = (promise) =>
    promise.then(
        () => null,
        (e) => e,
    );
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Outputs of two runs, as text. */
function ran(model, plan = {}, runs = 2) {
    const one = model.plan(plan),
        session = one.session(),
        all = [];
    for (let i = 0; i < runs; i++) {
        session.inputs.forEach((input, k) => input.fill(3 + i, k));
        session.run();
        all.push(...session.outputs.map((t) => t.data.join()));
    }
    one.close();
    return all.join(' ');
}

async function sameIntegers(checks) {
    const digits = ['digits_int8.tflite', 'digits_float32.tflite'].map((name) => join(ROOT, 'examples/digits', name)),
        others = ['person_detect', 'mobilenet_v2_1.0_224_quant', 'trained_lstm_int8', 'face_detection_front'],
        paths = [...digits, ...others.map((name) => `${MODELS}${name}.tflite`)];
    for (const path of paths) {
        if (!(await there(path))) {
            console.log(`left out: threads of ${path}`);
            continue;
        }
        const plan = digits.includes(path) ? {inputShapes: [{input: 0, shape: [512, 8, 8, 1]}]} : {};
        let want;
        for (const threads of [1, 2, 3]) {
            const model = await openModel(path, {threads}),
                got = ran(model, plan);
            checks.equal(model.threads, threads, `${path}: threads`);
            want ??= got;
            checks.ok(got === want, `${path}: ${threads} threads compute what one does`);
            if (threads === 3) {
                checks.ok(ran(model, {...plan, threads: 2}) === want, `${path}: a plan for two of three threads`);
                checks.ok(ran(model, {...plan, threads: 1}) === want, `${path}: a plan for one of three threads`);
            }
            model.close();
        }
    }
}

async function memoryGrows(checks) {
    const runtime = await load({threads: 2}),
        model = runtime.open(await readFile(PATH)),
        small = model.plan().session(),
        before = model.memoryBytes;
    await model.ready;
    small.inputs[0].fill(5, 0);
    const first = small.inputs[0].data.slice();
    const large = model.plan({inputShapes: [{input: 0, shape: [20000, 8, 8, 1]}]}).session();
    checks.ok(model.memoryBytes > before, 'it grew');
    checks.equal(small.inputs[0].data.join(), first.join(), 'a tensor from before finds its memory');
    for (let i = 0; i < 20000; i++) large.inputs[0].data.set(first, 64 * i);
    large.run();
    small.inputs[0].set(first);
    small.run();
    const want = small.outputs[0].data.join(),
        got = large.outputs[0].data;
    for (const i of [0, 1, 9999, 10000, 10001, 19999])
        checks.equal(got.slice(10 * i, 10 * i + 10).join(), want, `picture ${i}`);
    checks.ok(model.info({format: 'text'}).includes('CONV_2D'), 'text from shared memory');
    model.close();
}

async function misuse(checks) {
    for (const [threads, type, rule] of [
        [0, NpuError, 'web.threads'],
        [1.5, NpuError, 'web.threads'],
        [65, NpuError, 'web.threads'],
        ['two', TypeError, 'web.threads'],
    ])
        for (const open of [openModel, WorkerModel.open]) {
            const e = await rejection(open(PATH, {threads}));
            checks.ok(e instanceof type && e.rule === rule, `threads: ${threads}: ${e}`);
        }
    const model = await openModel(PATH);
    checks.equal(model.threads, 1, 'one by default');
    checks.equal(model.oneThreadBecause, null, 'which needs no reason');
    checks.equal(failure(() => model.plan({threads: 2}))?.rule, 'web.threads', 'a plan for more than the runtime has');
    model.close();
    const auto = await openModel(PATH, {threads: 'auto'});
    checks.ok(auto.threads >= 1 && auto.threads <= 4, `auto: ${auto.threads}`);
    auto.close();
}

async function severalModels(checks) {
    const [a, b] = await Promise.all([openModel(PATH, {threads: 2}), openModel(PATH, {threads: 3})]),
        alone = await openModel(PATH),
        plan = {inputShapes: [{input: 0, shape: [256, 8, 8, 1]}]},
        want = ran(alone, plan);
    for (let i = 0; i < 10; i++) {
        checks.ok(ran(a, plan) === want, 'the first of two');
        checks.ok(ran(b, plan) === want, 'the second of two');
    }
    a.close();
    checks.ok(ran(b, plan) === want, 'when the first is closed');
    b.close();
    alone.close();
    const two = await Promise.all([1, 2].map(() => WorkerModel.open(PATH, {threads: 2}))),
        shape = {inputShapes: plan.inputShapes},
        results = await Promise.all([0, 1, 0, 1].map((i) => two[i].run([{seed: 4}], shape)));
    checks.equal(new Set(results.map((r) => r.outputs[0].data.join())).size, 1, 'at the same time');
    for (const one of two) one.close();
}

const threadCount = async () => (await readdir('/proc/self/task')).length;
/** Whether this process is down to `n` threads, now or soon. */
async function downTo(n) {
    for (let i = 0; i < 100; i++) {
        if ((await threadCount()) <= n) return true;
        await pause(50);
    }
    return false;
}

async function closing(checks) {
    if (!(await there('/proc/self/task'))) return console.log('left out: counting threads (no /proc)');
    await pause(200); // what was closed before
    const before = await threadCount(),
        model = await openModel(PATH, {threads: 4});
    ran(model);
    checks.ok((await threadCount()) >= before + 3, 'three more threads');
    model.close();
    checks.ok(await downTo(before), `close() ends them: ${await threadCount()}, ${before} before`);
    const remote = await WorkerModel.open(PATH, {threads: 3});
    await remote.run([{seed: 1}]);
    checks.equal(remote.threads, 3, 'in a worker');
    remote.close();
    checks.ok(await downTo(before), `closing the worker ends its threads: ${await threadCount()}, ${before} before`);
    const early = (await load({threads: 3})).open(await readFile(PATH)),
        {ready} = early;
    early.close();
    checks.ok(await Promise.race([ready.then(() => true), pause(5000)]), 'closed before they have started');
    checks.ok(await downTo(before), 'which ends them too');
}

async function stopping(checks) {
    const model = await WorkerModel.open(slowModel(), {threads: 3}),
        abort = new AbortController(),
        running = rejection(model.run([{seed: 1}], {signal: abort.signal}));
    await pause(300);
    const start = performance.now();
    abort.abort();
    const e = await running;
    checks.ok(performance.now() - start < 100, `answered after ${performance.now() - start} ms`);
    checks.equal(e?.name, 'AbortError', 'aborted');
    const limited = await rejection(model.run([{seed: 1}], {timeLimitMs: 100}));
    checks.equal(limited?.code, 'CANCELLED', `timeLimitMs: ${limited}`);
    checks.equal(model.threads, 3, 'the worker after it has as many');
    model.close();
    const here = await openModel(slowModel(), {threads: 2}),
        session = here.plan().session();
    for (let i = 0; i < 3; i++) {
        session.inputs[0].fill(1, 0);
        checks.equal(failure(() => session.run({timeLimitMs: 50}))?.code, 'CANCELLED', 'a time limit here');
    }
    here.close();
}

/** A worker that traps must not leave its caller waiting. */
async function trapped(checks) {
    const model = await openModel(PATH, {threads: 2}),
        session = model.plan({inputShapes: [{input: 0, shape: [512, 8, 8, 1]}]}).session();
    model.wasm.call('npuw_lost');
    const e = failure(() => {
        for (let i = 0; i < 100; i++) session.run();
    });
    checks.equal(e?.rule, 'wasm.trap', `after a trap in a worker: ${e}`);
    model.close();
}

async function without(checks) {
    const folder = await mkdtemp(join(tmpdir(), 'npu_rt-threads-'));
    for (const file of ['npu_rt.wasm', 'npu_rt_relaxed.wasm']) if (await there(PAGE + file)) await copyFile(PAGE + file, join(folder, file));
    const model = await openModel(PATH, {threads: 2, base: new URL(`file://${folder}/`)});
    checks.equal(model.threads, 1, 'no module for threads: one');
    checks.ok(/npu_rt_threads/.test(model.oneThreadBecause), `and why: ${model.oneThreadBecause}`);
    model.close();
    await rm(folder, {recursive: true});
    const given = await openModel(PATH, {threads: 2, wasm: await readFile(`${PAGE}npu_rt.wasm`)});
    checks.ok(given.threads === 1 && /without threads/.test(given.oneThreadBecause), `a module given: ${given.oneThreadBecause}`);
    given.close();
    const shared = await openModel(PATH, {threads: 2, wasm: new URL(`file://${PAGE}npu_rt_threads.wasm`)});
    checks.equal(shared.threads, 2, 'the one for threads given');
    shared.close();
    const code = `delete globalThis.SharedArrayBuffer;
        const {openModel} = await import(${JSON.stringify(`${PAGE}npu_rt.mjs`)}),
            m = await openModel(${JSON.stringify(PATH)}, {threads: 2}), s = m.plan().session();
        s.run();
        console.log(m.threads, m.oneThreadBecause);`;
    const p = spawnSync(process.execPath, ['--input-type=module', '-e', code], {encoding: 'utf8', timeout: 30000});
    checks.ok(/^1 .*SharedArrayBuffer/.test(p.stdout), `no shared memory: ${p.stdout}${p.stderr}`);
}

export async function testThreads(checks) {
    if (!(await there(`${PAGE}npu_rt_threads.wasm`))) return console.log('left out: threads (this build has no module for them)');
    await checks.test('threads: same integers', () => sameIntegers(checks));
    await checks.test('threads: memory grows', () => memoryGrows(checks));
    await checks.test('threads: misuse', () => misuse(checks));
    await checks.test('threads: several models', () => severalModels(checks));
    await checks.test('threads: closing', () => closing(checks));
    await checks.test('threads: stopping', () => stopping(checks));
    await checks.test('threads: a trap', () => trapped(checks));
    await checks.test('threads: without', () => without(checks));
    await checks.test('threads: the process ends without close()', () => {
        const code = `import {openModel} from ${JSON.stringify(`${PAGE}npu_rt.mjs`)};
            const m = await openModel(${JSON.stringify(PATH)}, {threads: 3}), s = m.plan().session(); s.run(); console.log(m.threads);`;
        const p = spawnSync(process.execPath, ['--input-type=module', '-e', code], {encoding: 'utf8', timeout: 30000});
        checks.equal(`${p.status} ${p.stdout.trim()}`, '0 3', p.stderr);
    });
}
