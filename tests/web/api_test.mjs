// The JavaScript API under node: results, errors, memory, the module's heap, .npy files, seeds.
import {execFileSync, spawnSync} from 'node:child_process';
import {access, mkdtemp, readdir, readFile, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Checks, failure, MODELS, PAGE, ROOT, slowModel} from './browser.mjs';
import {testBorder} from './api_border.mjs';
import {testCompare} from './api_compare.mjs';
import {testInside} from './api_inside.mjs';
import {testStrings} from './api_strings.mjs';
import {testPlan} from './api_plan.mjs';
import {testMisuse} from './api_misuse.mjs';
import {testTensors} from './api_tensor.mjs';
import {testThreads} from './api_threads.mjs';
import {testWorker} from './api_worker.mjs';
import {testOperators} from './user_ops_test.mjs';

const {elements, halfToNumber, load, Model, NpuError, numberToHalf, pack, typeInfo, unpack} = await import(
    `${PAGE}npu_rt.mjs`
);
const {Job, measure, outputNpy} = await import(`${PAGE}engine.mjs`);
const {readNpy, writeNpy} = await import(`${PAGE}npy.mjs`);
const {instantiate} = await import(`${PAGE}loader.mjs`);

const MAX_MODULE_BYTES = 1200e3; // 2 % more than the larger one has; web/README.md says what is in it
const POOL_BYTES = 3e3; // those for threads have more
const checks = new Checks(),
    exists = (path) =>
        access(path).then(
            () => true,
            () => false,
        );
const int8 = await readFile(join(ROOT, 'examples/digits/digits_int8.tflite')),
    compiled = await readFile(join(ROOT, 'examples/digits/digits_int8_ethos_u55_128.tflite')),
    runtime = await load();
await checks.test('modules', async () => {
    const files = (await readdir(PAGE)).filter((file) => file.endsWith('.wasm'));
    checks.ok(files.includes('npu_rt.wasm') && (files.length === 4 || process.env.NPU_RT_WEB), `modules: ${files}`);
    for (const file of files) {
        const module = await WebAssembly.compile(await readFile(PAGE + file)).catch(() => null);
        checks.ok(
            (await stat(PAGE + file)).size <= MAX_MODULE_BYTES + (file.includes('threads') ? POOL_BYTES : 0),
            `${file} has ${(await stat(PAGE + file)).size} bytes`,
        );
        if (module)
            checks.equal(
                WebAssembly.Module.imports(module)
                    .map((i) => `${i.module}.${i.name}`)
                    .sort()
                    .join(),
                `${file.includes('threads') ? 'env.memory,' : ''}env.now_ms,env.user_op`,
                `imports of ${file}`,
            );
    }
    checks.ok(['wasm-simd128', 'wasm-relaxed'].includes(runtime.isa), `module chosen: ${runtime.isa}`);
    const e = await load({isa: 'wasm-none'}).catch((error) => error);
    checks.ok(/cannot run/.test(e.message), 'an instruction set that does not exist');
});

await checks.test('the types name every key of the reports', async () => {
    const types = (await readFile(join(ROOT, 'web/reports.mjs'), 'utf8')).replace(/\n \*\s+/g, ' '),
        float = await readFile(join(ROOT, 'examples/digits/digits_float32.tflite')),
        choice = {backend: 'ethos-u55-128'};
    const keys = (value) =>
        Array.isArray(value)
            ? value.flatMap(keys)
            : value && typeof value === 'object'
              ? Object.entries(value).flatMap(([key, inner]) => [key, ...keys(inner)])
              : [];
    for (const bytes of [int8, float, compiled]) {
        const model = Model.open(bytes);
        for (const [type, report] of [
            ['CheckReport', model.check(choice)],
            ['CostReport', model.cost(choice)],
            ['CompareReport', model.compare({title: 'a model'})],
            ['PlanReport', model.planReport({backend: 'mdla1.5', relaxFp32: true, clockHz: 1e9, mvpu: ['SOFTMAX']})],
        ])
            for (const key of new Set(keys(report)))
                checks.ok(new RegExp(`[ {[]${key}\\??[:\\] ]`).test(types), `${type} names ${key}`);
        model.close();
    }
});

await checks.test('run', async () => {
    const model = Model.open(int8),
        session = model.plan().session({profile: true}),
        [input] = session.inputs;
    checks.equal(input.type, 'INT8', 'type');
    checks.equal(String(input.shape), '1,8,8,1', 'shape');
    checks.equal(String(input.declaredShape), '-1,8,8,1', 'declared shape');
    checks.equal(input.quantization.scale[0], 1 / 16, 'scale');
    input.data.fill(-8);
    session.run();
    const [output] = session.outputs;
    checks.equal(output.data.length, 10, 'output');
    checks.equal(session.profile().length, 8, 'profile rows');
    checks.ok(session.profile()[0].runs === 1 && session.profile()[0].macs === 4608, 'profile');
    checks.equal(model.info().ops, 8, 'info');
    checks.ok(model.dump({format: 'text'}).includes('CONV_2D'), 'dump');
    const wide = model.plan({inputShapes: [{input: 0, shape: [3, 8, 8, 1]}]}).session();
    wide.inputs[0].data.fill(-8);
    wide.run();
    checks.equal(String(wide.outputs[0].shape), '3,10', 'resized');
    const odd = {inputShapes: [{input: 0, shape: [1, 9, 8, 1]}]},
        refused = failure(() => model.plan(odd));
    checks.ok(
        refused?.status === 'BAD_INPUT' && refused.rule === 'plan.input_fixed' && refused.exitCode === 5,
        `a dimension that the model declares fixed: ${refused}`,
    );
    checks.equal(String(model.plan({...odd, resizeFixed: true}).session().inputs[0].shape), '1,9,8,1', 'resizeFixed');
    const scalar = model.plan({isa: 'scalar'});
    checks.equal(scalar.isa, 'scalar', 'forced instruction set');
    const answers = new Map();
    for (const isa of ['scalar', 'wasm-simd128', 'wasm-relaxed', 'wasm-sdot', 'wasm-usdot']) {
        const refusal = failure(() => {
            const one = model.plan({isa}).session();
            one.inputs[0].data.forEach((_, i, data) => (data[i] = (i * 37) % 256 - 128));
            one.run();
            answers.set(isa, String(one.outputs[0].data));
        });
        checks.ok(!refusal || refusal.rule === 'plan.isa', `${isa}: ${refusal}`);
    }
    checks.ok(answers.has(model.plan().isa) && new Set(answers.values()).size === 1, `alike: ${JSON.stringify([...answers])}`);
    model.close();
    checks.equal(failure(() => model.info())?.rule, 'web.closed', 'use after close');
    checks.equal(failure(() => session.outputs)?.rule, 'web.closed', 'session of a closed model');
});

await checks.test('recognises the held-out digits, compiled for an NPU too', async () => {
    const pgm = await readFile(join(ROOT, 'examples/digits/held_out.pgm')),
        labels = /# labels ([\d ]+)\n/.exec(pgm.toString('latin1'))[1].trim().split(' ');
    const models = [runtime.open(int8), runtime.open(compiled)],
        sessions = models.map((model) => model.plan().session()),
        images = pgm.subarray(pgm.length - labels.length * 64);
    let right = 0,
        near = 0; // softmax is tflite-micro's on the device and LiteRT's reference here: they may round differently
    labels.forEach((label, i) => {
        const [out, device] = sessions.map((session) => {
            session.inputs[0].data.set(images.subarray(i * 64, i * 64 + 64).map((p) => p - 8));
            session.run();
            return [...session.outputs[0].data];
        });
        right += out.indexOf(Math.max(...out)) === Number(label) ? 1 : 0;
        near += out.every((v, k) => Math.abs(v - device[k]) <= 1) ? 1 : 0;
    });
    checks.ok(right / labels.length > 0.95, `${right} of ${labels.length} right`);
    checks.equal(near, labels.length, 'outputs of the software device within a unit');
    for (const model of models) model.close();
});

await checks.test('errors', async () => {
    const e = failure(() => Model.open(int8.subarray(0, 500)));
    checks.ok(
        e instanceof NpuError &&
            e.status === 'INVALID_MODEL' &&
            e.exitCode === 3 &&
            e.rule.includes('.') &&
            e.text.length > 10,
        `cut file: ${e}`,
    );
    if (await exists(join(ROOT, 'build/npu_rt'))) {
        const cli = spawnSync(join(ROOT, 'build/npu_rt'), ['info', '-'], {
            input: int8.subarray(0, 500),
            encoding: 'utf8',
            env: {NO_COLOR: '1'},
        });
        checks.equal(cli.stderr.trim(), `npu_rt: error: -: ${e.message}`, 'the same words as the command line');
    }
    const model = Model.open(int8);
    checks.equal(
        failure(() => model.plan({inputShapes: [{input: 0, shape: [0x7fffffff, 8, 8, 1]}]}))?.name,
        'NpuError',
        'a shape too large',
    );
    checks.equal(
        failure(() => model.plan({inputShapes: [{input: 9, shape: [1]}]}))?.status,
        'INVALID_ARGUMENT',
        'an input that does not exist',
    );
    checks.equal(failure(() => model.plan({isa: 'avx2'}))?.rule, 'web.isa', 'another machine');
    checks.equal(failure(() => model.check({backend: 'nothing'}))?.rule, 'backend.name', 'unknown backend');
    checks.equal(
        failure(() => new Job(model, [{npy: writeNpy('<f4', [1, 8, 8, 1], new Float32Array(64))}]))?.rule,
        'input.dtype',
        'wrong dtype',
    );
    checks.equal(failure(() => new Job(model, [{npy: new Uint8Array(40)}]))?.exitCode, 5, 'no .npy file');
    checks.equal(failure(() => new Job(model, [{data: new Int8Array(3)}]))?.rule, 'input.size', 'wrong size');
    checks.equal(
        failure(() => model.plan().session({subgraph: 7}).run())?.status,
        'INVALID_ARGUMENT',
        'no such subgraph',
    );
    model.close();
    for (let n = 0; n < int8.length; n += 97)
        checks.ok(failure(() => Model.open(int8.subarray(0, n))) instanceof NpuError, `cut to ${n} bytes`);
});

/** What the command line prints as JSON; undefined where it has not been built. */
async function cli(...args) {
    const path = join(ROOT, 'build/npu_rt');
    if (!(await exists(path))) return undefined;
    return JSON.parse(execFileSync(path, [...args, '--json'], {encoding: 'utf8', maxBuffer: 1 << 28}));
}
const same = (got, want, what) =>
    want === undefined
        ? console.log(`note: no build/npu_rt: ${what} not compared`)
        : checks.equal(JSON.stringify(got), JSON.stringify(want), `${what}, as on the command line`);

await checks.test('backends, profiles, verdicts', async () => {
    const model = runtime.open(int8),
        file = join(ROOT, 'examples/digits/digits_int8.tflite');
    checks.ok(runtime.backends().includes('ethos-u55-128') && runtime.backends().at(-1) === 'none', 'backends');
    checks.equal(runtime.profiles('nothing').length, 0, 'profiles of what is no backend');
    checks.equal([...runtime.profiles('ethos-u55-128')].sort().join(), 'published,vela-3.2,vela-5.2', 'U55');
    checks.equal([...runtime.profiles('ethos-u85-256')].sort().join(), 'published,vela-5.2', 'U85');
    for (const backend of runtime.backends()) {
        const [first] = runtime.profiles(backend);
        checks.equal(model.check({backend}).profile, first, `${backend}: default profile`);
        for (const profile of runtime.profiles(backend))
            same(
                model.check({backend, profile}),
                await cli('check', file, '--backend', backend, '--rules', profile),
                `check of ${backend} by ${profile}`,
            );
    }
    const float = runtime.open(await readFile(join(ROOT, 'examples/digits/digits_float32.tflite'))),
        refused = float.check({backend: 'ethos-u55-128', profile: 'published'});
    checks.equal(refused.summary.ops_placed, 0, 'float32 stays on the CPU');
    for (const op of refused.ops)
        for (const r of op.reasons)
            for (const key of ['rule', 'text', 'got', 'limit', 'hint', 'source'])
                checks.ok(typeof r[key] === 'string' && r[key].length > 0, `${op.op}: ${key} of ${r.rule}`);
    checks.ok(
        refused.ops.every((op) => op.reasons.length > 0),
        'every refusal has a reason',
    );
    checks.ok(
        float
            .check({backend: 'ethos-u55-128', profile: 'published', format: 'text'})
            .includes(refused.ops[0].reasons[0].hint),
        'as text',
    );
    checks.equal(failure(() => model.check({backend: 'ethos-u', profile: 'x'}))?.rule, 'backend.profile', 'profile');
    checks.equal(failure(() => model.check({}))?.rule, 'backend.name', 'no backend');
    checks.equal(failure(() => model.check({backend: 'ethos-u', format: 'xml'}))?.rule, 'web.format', 'format');
    const ops = (format) => runtime.backendOps({backend: 'ethos-u', profile: 'published', format});
    checks.ok(ops('markdown').includes('CONV_2D') && ops().operators.length > 0, 'supported-ops report');
    float.close();
    model.close();
});

await checks.test('cost', async () => {
    const model = runtime.open(int8),
        file = join(ROOT, 'examples/digits/digits_int8.tflite'),
        choice = {backend: 'ethos-u55-128', profile: 'vela-3.2'},
        report = model.cost(choice);
    checks.ok(report.estimate === true && report.summary.estimate === true, 'says that it is an estimate');
    checks.ok(model.cost({...choice, format: 'text'}).startsWith('ESTIMATE'), 'in text too');
    checks.equal(
        report.ops.reduce((n, op) => n + (op.cycles ?? 0), 0),
        report.summary.cycles,
        'cycles of the operators add up',
    );
    checks.equal(report.summary.seconds, report.summary.cycles / report.clock_hz, 'time');
    const slow = model.cost({...choice, clockHz: report.clock_hz / 4});
    checks.equal(slow.summary.cycles, report.summary.cycles, 'cycles at another clock');
    checks.equal(slow.summary.seconds, 4 * report.summary.seconds, 'time at another clock');
    for (const backend of runtime.backends()) {
        const e = failure(() => model.cost({backend}));
        if (e) checks.equal(e.rule, 'cost.accelerator', `${backend}: no figures`);
        else same(model.cost({backend}), await cli('cost', file, '--backend', backend), `cost on ${backend}`);
    }
    for (const memoryMode of runtime.memoryModes()) {
        const args = ['--backend', 'ethos-u65-256', '--memory-mode', memoryMode, '--clock', '200'],
            got = model.cost({backend: 'ethos-u65-256', memoryMode, clockHz: 200e6});
        checks.equal(got.memory_mode, memoryMode, 'memory mode');
        same(got, await cli('cost', file, ...args), `memory mode ${memoryMode}`);
    }
    checks.equal(failure(() => model.cost({backend: 'ethos-u'}))?.rule, 'cost.accelerator', 'a family');
    checks.equal(failure(() => model.cost({...choice, memoryMode: 'x'}))?.rule, 'cost.memory_mode', 'memory mode');
    for (const clockHz of [0, -1, NaN, Infinity, 'fast'])
        checks.equal(failure(() => model.cost({...choice, clockHz}))?.rule, 'web.clock', `clock ${clockHz}`);
    model.close();
});

await checks.test('lowering', async () => {
    const model = runtime.open(int8),
        file = join(ROOT, 'examples/digits/digits_int8.tflite');
    for (const runtime of [undefined, '8.1.0'])
        same(
            model.lower({backend: 'neuron', runtime}),
            await cli('lower', file, '--backend', 'neuron', ...(runtime ? ['--runtime', runtime] : [])),
            `lowered for ${runtime}`,
        );
    const {segments} = model.lower({backend: 'neuron'});
    checks.ok(segments[0].operands.some((o) => /^[0-9a-f]{16}$/.test(o.fnv1a)), 'hashes of constants');
    checks.ok(model.lower({backend: 'neuron', format: 'dot'}).startsWith('digraph lowered {'), 'as a graph');
    checks.ok(model.lower({backend: 'neuron', format: 'text'}).startsWith('segment 0: '), 'as text');
    checks.equal(failure(() => model.lower({backend: 'neuron', runtime: '8'}))?.rule, 'lower.runtime', 'no version');
    checks.equal(failure(() => model.lower({backend: 'none'}))?.rule, 'lower.analysis_only', 'nothing to compile for');
    checks.equal(failure(() => model.check({backend: 'neuron', format: 'dot'}))?.rule, 'api.report', 'no such graph');
    model.close();
});

await checks.test('an NPU in a plan', async () => {
    const model = runtime.open(int8),
        out = (choice, version) => {
            const session = model.plan(choice).session({runtime: version});
            session.inputs[0].fill(5, 0);
            session.run();
            return {values: session.outputs[0].data.join(), ran: session.profile()};
        },
        cpu = out({});
    checks.equal(
        runtime.backends().filter((name) => runtime.compiles(name)).join(),
        'neuron,mdla1.5,mdla2.0,mdla3.0',
        'who compiles'
    );
    checks.ok(!runtime.compiles('nobody'), 'nobody compiles nothing');
    checks.equal(failure(() => runtime.compiles(1))?.rule, 'backend.name', 'compiles takes a name');
    checks.ok(cpu.ran.every((op) => op.vendor === null && op.segment === -1), 'the CPU alone');
    for (const [profile, version, fallback] of [[], ['published'], ['litert-2.3', '8.1.0', true]]) {
        const {values, ran} = out({backend: 'neuron', profile, fallback}, version),
            taken = model.check({backend: 'neuron', profile}).summary.ops_placed;
        checks.equal(values, cpu.values, `neuron ${profile} ${version}: the same integers`);
        checks.equal(ran.filter((op) => op.vendor === 'neuron').length, taken, `neuron ${profile}: what it takes`);
        checks.ok(ran.every((op) => (op.vendor ? op.kernel === 'neuron' && op.segment >= 0 : op.segment === -1)), 'segments');
    }
    const floats = runtime.open(await readFile(join(ROOT, 'examples/digits/digits_float32.tflite'))),
        values = (choice, exactFloat32) => {
            const session = floats.plan(choice).session({exactFloat32});
            session.inputs[0].fill(5, 0);
            session.run();
            return Array.from(session.outputs[0].data);
        },
        want = values({}),
        off = (got) => Math.max(...got.map((v, i) => Math.abs(v - want[i])));
    checks.ok(off(values({backend: 'neuron'}, true)) < 1e-6, 'float32 as it is');
    checks.ok(off(values({backend: 'neuron'})) > 0, 'float32 as float16');
    floats.close();
    const rule = (choice) => failure(() => model.plan(choice))?.rule;
    checks.equal(rule({backend: 'ethos-u55-128'}), 'plan.analysis_only', 'a backend that only judges');
    checks.equal(rule({backend: 'neuron', profile: 'vela-5.2'}), 'backend.profile', "another one's rules");
    checks.equal(rule({backend: 'nobody'}), 'backend.name', 'no backend');
    checks.equal(rule({backend: 3}), 'web.name', 'a backend that is no name');
    checks.equal(rule({profile: 'published'}), 'backend.name', 'rules of nobody');
    checks.equal(rule({fallback: true}), 'backend.name', 'a fallback from nobody');
    const plan = model.plan({backend: 'neuron'});
    checks.equal(failure(() => plan.session({runtime: '8'}))?.rule, 'neuron.runtime', 'no version');
    checks.equal(failure(() => plan.session({runtime: 8}))?.rule, 'web.name', 'a version that is no text');
    model.close();
});

await checks.test('command streams', async () => {
    const model = runtime.open(compiled),
        file = join(ROOT, 'examples/digits/digits_int8_ethos_u55_128.tflite'),
        report = model.stream(),
        {config, commands} = report.streams[0],
        text = model.stream({format: 'text'});
    same(report, await cli('stream', file), 'stream');
    checks.equal(`${config.processor} ${config.macs_per_cycle}`, 'ethos-u55-128 128', 'processor');
    checks.equal(text.split('\n').filter((line) => / NPU_/.test(line)).length, commands.length, 'a line a command');
    checks.equal(commands.at(-1).name, 'NPU_OP_STOP', 'the end');
    const plain = runtime.open(int8);
    checks.equal(failure(() => plain.stream())?.rule, 'ethos_u.no_stream', 'a model that is not compiled');
    plain.close();
    checks.ok(
        failure(() => model.plan({inputShapes: [{input: 0, shape: [3, 8, 8, 1]}]})) instanceof NpuError,
        'a compiled network has one shape',
    );
    model.close();

    const damaged = Buffer.from(compiled),
        {word} = commands[20];
    damaged.writeUInt16LE(0x03ff, damaged.indexOf('COP1') + 4 * word); // no such command
    const broken = runtime.open(damaged),
        e = failure(() => broken.stream());
    checks.ok(e?.status === 'INVALID_MODEL' && e.text.includes(`word ${word}`), `damaged: ${e}`);
    checks.equal(e?.report?.streams[0].error.word, word, 'where');
    checks.equal(e?.report?.streams[0].commands.length, 20, 'what could be read');
    checks.ok(failure(() => broken.plan())?.text.includes(`word ${word}`), 'and it cannot be planned');
    broken.close();

    let seed = 1,
        ran = 0,
        refused = 0;
    const random = (n) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % n;
    for (let i = 0; i < 500; i++) {
        const mutant = Buffer.from(compiled);
        for (let k = 0; k <= random(3); k++) mutant[random(mutant.length)] = random(256);
        try {
            const m = runtime.open(mutant),
                session = m.plan({maxMemoryBytes: 1 << 26}).session();
            m.stream();
            session.run();
            ran++;
        } catch (error) {
            refused++;
            if (!(error instanceof NpuError) || error.rule === 'wasm.trap') checks.ok(false, `mutant ${i}: ${error}`);
        }
    }
    checks.ok(ran > 0 && refused > 0, `mutants: ${ran} ran, ${refused} were refused`);
});

await checks.test('limits of a run', async () => {
    const model = runtime.open(slowModel()),
        session = model.plan().session(),
        start = performance.now(),
        e = failure(() => session.run({timeLimitMs: 300})),
        took = performance.now() - start;
    checks.ok(e instanceof NpuError && e.code === 'CANCELLED' && e.status === 'CANCELLED', `time limit: ${e}`);
    checks.ok(e?.rule === 'session.cancelled' && e.opName === 'AVERAGE_POOL_2D' && e.op === 0, `where: ${e?.opName}`);
    checks.ok(took >= 300 && took < 400, `stopped after ${took} ms`);
    checks.equal(failure(() => session.run({timeLimitMs: 50}))?.code, 'CANCELLED', 'a second time');
    const limited = failure(() => model.plan().session({maxWork: 1e6}).run());
    checks.ok(limited?.code === 'LIMIT' && limited.rule === 'session.work', `maxWork: ${limited}`);
    checks.equal(failure(() => model.plan({maxMemoryBytes: 1 << 20}))?.code, 'LIMIT', 'maxMemoryBytes');
    for (const timeLimitMs of [0, -1, NaN, 'x'])
        checks.equal(failure(() => session.run({timeLimitMs}))?.rule, 'web.time_limit', `timeLimitMs ${timeLimitMs}`);
    for (const maxWork of [-1, NaN, Infinity, 'x'])
        checks.equal(failure(() => model.plan().session({maxWork}))?.rule, 'web.max_work', `maxWork ${maxWork}`);
    model.close();
    const quick = runtime.open(int8),
        again = quick.plan().session({maxWork: 1e6});
    again.inputs[0].data.fill(-8);
    again.run({timeLimitMs: 60000});
    checks.equal(again.outputs[0].data.length, 10, 'limits that are not reached');
    checks.ok(again.plan.memory.model_bytes > 0 && again.plan.memory.limit_bytes === 2 ** 30, 'memory of the parts');
    checks.equal(JSON.stringify(again.memory), '{"dynamic_bytes":0,"peak_dynamic_bytes":0}', 'nothing depends on data');
    quick.close();
});

await checks.test('nothing leaks', async () => {
    const model = Model.open(int8);
    const use = () => {
        const job = new Job(model, [{seed: 1}], {profile: true});
        measure(job, {runs: 2, warmup: 0});
        model.info({plan: job.plan});
        model.dump();
        model.check({backend: 'ethos-u65-256', profile: 'published'});
        model.cost({backend: 'ethos-u55-64', memoryMode: 'sram-only', format: 'text'});
        failure(() => model.check({backend: 'nothing'}));
        failure(() => model.stream());
        runtime.profiles('ethos-u');
        failure(() => model.plan({inputShapes: [{input: 0, shape: [1, 1, 1, 1]}]}));
        job.close();
    };
    for (let i = 0; i < 20; i++) use();
    const bytes = model.memoryBytes;
    for (let i = 0; i < 300; i++) use();
    checks.equal(model.memoryBytes, bytes, 'linear memory after 300 more sessions');
    model.close();
});

await checks.test('heap', async () => {
    const wasm = instantiate(runtime.module),
        live = new Map();
    let seed = 1;
    const random = (n) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % n;
    const fill = (p, n, v) => new Uint8Array(wasm.memory.buffer, p, n).fill(v);
    let good = true;
    for (let i = 0; i < 20000; i++) {
        if (live.size > 60 || (live.size && random(3) === 0)) {
            const p = [...live.keys()][random(live.size)],
                [n, v] = live.get(p);
            good &&= new Uint8Array(wasm.memory.buffer, p, n).every((b) => b === v);
            live.delete(p);
            wasm.npuw_free(p);
        } else {
            const n = random(random(8) ? 3000 : 200000),
                p = wasm.npuw_alloc(n) >>> 0;
            good &&= p !== 0 && p % 16 === 0 && !live.has(p);
            fill(p, n, i & 255);
            live.set(p, [n, i & 255]);
        }
    }
    checks.ok(good, 'blocks keep their bytes');
    for (const p of live.keys()) wasm.npuw_free(p);
    const before = wasm.memory.buffer.byteLength,
        all = wasm.npuw_alloc(before - 2 ** 21) >>> 0;
    checks.ok(all !== 0 && wasm.memory.buffer.byteLength === before, 'freed blocks join again');
    checks.equal(wasm.npuw_alloc(0xfffffff0), 0, 'more than there is');
});

await checks.test('numbers and files', async () => {
    for (let h = 0; h < 65536; h++) {
        const v = halfToNumber(h);
        if (!Number.isNaN(v) && numberToHalf(v) !== h) {
            checks.ok(false, `float16 ${h}`);
            break;
        }
    }
    checks.equal(numberToHalf(65519.9), 0x7bff, 'largest float16');
    checks.equal(numberToHalf(1 + 2 ** -11), 0x3c00, 'half a unit goes to even');
    checks.equal(numberToHalf(2047.99), 0x6800, 'up to the next power of two');
    checks.equal(String(unpack(pack([-8, 7, -1], 'INT4'), 'INT4', 3)), '-8,7,-1', 'int4');
    checks.equal(String(unpack(pack([-2, 1, 0, -1, 1], 'INT2'), 'INT2', 5)), '-2,1,0,-1,1', 'int2');
    checks.equal(pack([16], 'UINT4'), null, 'out of range');
    const array = readNpy(writeNpy('<i4', [2, 3], Int32Array.of(1, 2, 3, 4, 5, 6)));
    checks.equal(
        `${array.dtype} ${array.shape} ${new Int32Array(array.bytes.buffer)}`,
        '<i4 2,3 1,2,3,4,5,6',
        '.npy',
    );
    const fortran = Buffer.from(writeNpy('>i2', [2, 3], Uint8Array.of(0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6)));
    fortran.write(fortran.toString('latin1').replace("'fortran_order': False,", "'fortran_order': True, "), 'latin1');
    checks.equal(String(new Int16Array(readNpy(fortran).bytes.buffer)), '1,2,3,4,5,6', 'Fortran order, big-endian');
    checks.equal(readNpy(writeNpy('<f4', [], Float32Array.of(3))).shape.length, 0, 'a scalar');
});

await checks.test('seeds and results as on the command line', async () => {
    const program = join(ROOT, 'build/npu_rt');
    if (!(await exists(program))) return console.log('note: no build/npu_rt: not compared');
    const dir = await mkdtemp(join(tmpdir(), 'npu_rt_web_')),
        paths = ['digits_int8', 'digits_int8_ethos_u55_128'].map((n) => join(ROOT, `examples/digits/${n}.tflite`));
    for (const name of [
        'trained_lstm_int8',
        'micro_speech_quantized',
        'movie_review',
        'person_detect',
        'person_detect_vela',
        'hello_world_int8',
    ]) {
        if (await exists(`${MODELS}${name}.tflite`)) paths.push(`${MODELS}${name}.tflite`);
    }
    for (const path of paths) {
        execFileSync(program, ['run', path, '--seed', '12345678901', '--output-dir', dir], {stdio: 'pipe'});
        const model = Model.open(await readFile(path)),
            job = new Job(
                model,
                model.inputs().map(() => ({seed: 12345678901})),
            );
        job.time();
        for (const [i, output] of job.outputs().entries()) {
            const want = readNpy(await readFile(join(dir, `${i}.npy`))),
                got = readNpy(outputNpy(output));
            checks.equal(String(got.shape), String(want.shape), `${path} output ${i}: shape`);
            if (want.dtype !== '<f4')
                checks.ok(Buffer.compare(got.bytes, want.bytes) === 0, `${path} output ${i}: equal`);
            else {
                const a = new Float32Array(got.bytes.buffer),
                    b = new Float32Array(want.bytes.buffer),
                    most = Math.max(...b.map(Math.abs));
                checks.ok(
                    a.every((v, k) => Math.abs(v - b[k]) <= 1e-4 * most),
                    `${path} output ${i}: close`,
                );
            }
        }
        model.close();
    }
    await rm(dir, {recursive: true});
});

await testBorder(checks, runtime, int8);
await testCompare(checks);
await testPlan(checks);
await testInside(checks);
await testMisuse(checks, runtime);
await testTensors(checks, runtime);
await testStrings(checks, runtime);
await testWorker(checks);
await testThreads(checks);
await testOperators(checks);
checks.ok(elements([2, 3]) === 6 && typeInfo('STRING').dtype === '', 'helpers');
checks.end();
