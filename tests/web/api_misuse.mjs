// Misuse is answered by what to do: wrong kinds, unknown options, closed models, memory that has gone.
import {File} from 'node:buffer';
import {execFileSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {runInNewContext} from 'node:vm';
import {join} from 'node:path';
import {failure, PAGE, ROOT} from './browser.mjs';

const {load, Model, NpuError, openModel, Runtime} = await import(`${PAGE}npu_rt.mjs`);
const {readNpy, writeNpy} = await import(`${PAGE}npy.mjs`);
const PATH = join(ROOT, 'examples/digits/digits_int8.tflite'),
    int8 = await readFile(PATH);

const rejection = (promise) =>
    promise.then(
        () => null,
        (e) => e,
    );

/** Checks class, rule and words of an error. */
const said = (checks, e, type, rule, words, what) =>
    checks.ok(
        e instanceof type && e.rule === rule && words.every((w) => e.message.includes(w)) && e.code && e.exitCode,
        `${what}: ${e}`,
    );

async function bytes(checks, runtime) {
    const wrong = (value, words, what) => {
        said(
            checks,
            failure(() => Model.open(value)),
            TypeError,
            'web.bytes',
            words,
            what,
        );
        said(
            checks,
            failure(() => runtime.open(value)),
            TypeError,
            'web.bytes',
            words,
            `${what}, of a runtime`,
        );
    };
    wrong(PATH, ['a string', 'openModel', 'readFile'], 'a path');
    wrong(new URL('file:///model.tflite'), ['a URL', 'openModel'], 'a URL');
    wrong(readFile(PATH), ['a Promise', 'await'], 'a promise');
    wrong(new Blob([int8]), ['a Blob', 'openModel'], 'a Blob');
    wrong(new File([int8], 'x.tflite'), ['a File', 'openModel'], 'a File');
    wrong(new Response(int8), ['a Response', 'openModel'], 'a Response');
    wrong(new Blob([int8]).stream(), ['a ReadableStream', 'openModel'], 'a stream');
    wrong([...int8], ['an Array', 'Uint8Array.from'], 'a list of numbers');
    wrong({}, ['an Object', 'Uint8Array'], 'an object');
    for (const value of [undefined, null, 5, () => int8]) wrong(value, ['Uint8Array'], String(value));
    const shared = new Uint8Array(new SharedArrayBuffer(int8.length));
    shared.set(int8);
    const own = Uint8Array.from(int8);
    for (const [value, what] of [
        [own, 'Uint8Array'],
        [own.buffer, 'ArrayBuffer'],
        [shared, 'a view of shared memory'],
        [shared.buffer, 'SharedArrayBuffer'],
        [new DataView(own.buffer), 'DataView'],
        [int8, 'Buffer'],
        [runInNewContext('Uint8Array.from(a)', {a: [...int8]}), 'another realm'],
    ])
        checks.equal(
            failure(() => Model.open(value).close()),
            null,
            what,
        );
    structuredClone(own.buffer, {transfer: [own.buffer]});
    for (const value of [own, own.buffer])
        said(
            checks,
            failure(() => Model.open(value)),
            TypeError,
            'web.detached',
            ['transferred'],
            'detached',
        );
    for (const n of [2 ** 31, 2 ** 32])
        // not touched: takes no memory
        said(
            checks,
            failure(() => Model.open(new Uint8Array(n))),
            NpuError,
            'web.size',
            [String(n), '2147483647'],
            'too large',
        );
    checks.equal(failure(() => Model.open(new Uint8Array(2 ** 31)))?.code, 'LIMIT', 'code');
    checks.ok(failure(() => Model.open(new Uint8Array(2 ** 31 - 1))) instanceof NpuError, 'the largest file');
    said(
        checks,
        failure(() => Model.open(int8, {})),
        TypeError,
        'web.runtime',
        ['an Object'],
        'no runtime',
    );
    checks.ok(failure(() => new Runtime({})) !== null, 'a runtime of nothing');
    const alone = `import {Model} from ${JSON.stringify(`${PAGE}npu_rt.mjs`)};
        try { Model.open(new Uint8Array(9)); } catch (e) { console.log(e.message); }`;
    checks.ok(
        execFileSync(process.execPath, ['--input-type=module', '-e', alone], {encoding: 'utf8'}).includes(
            'await load()',
        ),
        'before load()',
    );
}

async function choices(checks, runtime) {
    const model = runtime.open(int8),
        type = (f, rule, words, what) => said(checks, failure(f), TypeError, rule, words, what);
    type(
        () => model.plan({inputShape: []}),
        'web.option',
        ['"inputShape"', 'did you mean "inputShapes"'],
        'an option misspelt',
    );
    type(() => model.plan({MaxMemory: 1}), 'web.option', ['did you mean "maxMemoryBytes"'], 'another one');
    type(() => model.plan({zzz: 1}), 'web.option', ['inputShapes, isa, maxMemoryBytes'], 'no option at all');
    type(() => model.plan('scalar'), 'web.options', ['a string'], 'no object');
    type(() => model.plan(null), 'web.options', ['null'], 'null');
    type(() => model.plan().session(true), 'web.options', ['profile'], 'a flag');
    type(() => model.plan().session({profil: true}), 'web.option', ['did you mean "profile"'], 'of a session');
    type(() => model.plan().session().run([int8]), 'web.options', ['inputs[0].set'], 'values for run');
    type(() => model.plan().session().run({timeLimit: 5}), 'web.option', ['did you mean "timeLimitMs"'], 'of run');
    type(
        () => model.plan().session().run({signal: AbortSignal.abort()}),
        'web.signal',
        ['WorkerModel'],
        'a signal for run',
    );
    type(() => model.info('text'), 'web.options', ['format'], 'of info');
    type(() => model.dump({fmt: 'text'}), 'web.option', ['format'], 'of dump');
    type(() => model.stream({json: true}), 'web.option', ['format'], 'of stream');
    type(() => model.check(), 'backend.name', ["check({backend: '", 'ethos-u55-128', 'none'], 'check()');
    type(() => model.check({}), 'backend.name', ['Backends: ethos-u,'], 'check({})');
    type(() => model.check('ethos-u55-128'), 'web.options', ["check({backend: 'ethos-u55-128'})"], 'check(name)');
    type(
        () => model.check({accelerator: 'ethos-u55-128'}),
        'web.option',
        ['"accelerator"', 'backend'],
        'an unknown option',
    );
    type(() => model.check({backend: 55}), 'web.name', ['a number (55)'], 'a number as backend');
    type(() => model.check({backend: 'ethos-u', profile: {}}), 'web.name', ['an Object'], 'an object as profile');
    type(() => model.cost(), 'backend.name', ['cost({'], 'cost()');
    type(() => model.cost({backend: 'ethos-u55-128', clock: 1e9}), 'web.option', ['did you mean "clockHz"'], 'cost');
    type(() => runtime.backendOps(), 'backend.name', ['backendOps({'], 'backendOps()');
    type(() => runtime.profiles(), 'backend.name', ['undefined'], 'profiles()');
    type(() => model.plan({inputShapes: {input: 0, shape: [1]}}), 'web.input_shapes', ['a list'], 'one shape');
    type(() => model.plan({inputShapes: [[1, 8, 8, 1]]}), 'web.options', ['{input: 0'], 'a shape alone');
    type(
        () => model.plan({inputShapes: [{input: 0, shape: 5}]}),
        'web.input_shapes',
        ['a number'],
        'a number as shape',
    );
    type(
        () => model.plan({inputShapes: [{input: 'x', shape: [1]}]}),
        'web.index',
        ['a position', 'a string (x)'],
        'an input by name',
    );
    type(() => model.plan({inputShapes: [{shape: [1]}]}), 'web.index', ['undefined'], 'no input');
    for (const d of [-1, 1.5, 2 ** 32 + 1, NaN])
        said(
            checks,
            failure(() => model.plan({inputShapes: [{input: 0, shape: [d, 8, 8, 1]}]})),
            NpuError,
            'web.index',
            [String(d)],
            `dimension ${d}`,
        );
    checks.equal(
        failure(() => model.plan({inputShapes: [{input: 0, shape: Array(9).fill(1)}]}))?.rule,
        'web.rank',
        'nine dimensions',
    );
    checks.equal(
        failure(() => model.plan({inputShapes: [{input: 0, shape: Int32Array.of(2, 8, 8, 1)}]})),
        null,
        'a typed array as shape',
    );
    for (const isa of ['toString', 'avx2', 5])
        checks.equal(failure(() => model.plan({isa}))?.rule, 'web.isa', `isa ${isa}`);
    for (const maxMemoryBytes of [NaN, -1, Infinity, '1'])
        checks.equal(
            failure(() => model.plan({maxMemoryBytes}))?.rule,
            'web.max_memory',
            `maxMemoryBytes ${maxMemoryBytes}`,
        );
    for (const s of [-1, 1.5, 2 ** 32])
        checks.equal(failure(() => model.inputs(s))?.rule, 'web.index', `subgraph ${s}`);
    checks.equal(failure(() => model.inputs(1))?.rule, 'web.subgraph', 'subgraph 1');
    const near = failure(() => model.check({backend: 'ethos-u55_128'}));
    said(checks, near, NpuError, 'backend.name', ['did you mean "ethos-u55-128"'], 'a backend misspelt');
    const other = runtime.open(int8);
    type(() => model.info({plan: other.plan()}), 'web.plan', ['same model'], "another model's plan");
    checks.equal(
        failure(() => model.info({plan: model.plan()})),
        null,
        'its own plan',
    );
    const [input] = model.plan().session().inputs;
    type(() => input.fill(1.5), 'web.seed', ['whole number'], 'a seed');
    type(() => input.fill('x'), 'web.seed', ['a string'], 'a seed');
    checks.equal(failure(() => model.inputs()[0].data)?.rule, 'web.no_data', 'declared tensors');
    checks.equal(failure(() => model.inputs()[0].fill(1))?.rule, 'web.no_data', 'declared tensors');
    type(() => readNpy('x.npy'), 'web.bytes', ['readNpy', 'readFile'], 'readNpy of a path');
    type(() => writeNpy('<f4', [3], new Float32Array(2)), 'npy.data', ['12 bytes'], 'writeNpy of too little');
    model.close();
    other.close();
    const packed = Buffer.from([...Buffer.alloc(13), ...writeNpy('>i2', [2], Uint8Array.of(0, 1, 0, 2))]).subarray(13),
        before = packed.toString('hex');
    checks.equal(new Int16Array(readNpy(packed).bytes.buffer).join(), '1,2', "node's Buffer: a buffer of its own");
    checks.equal(packed.toString('hex'), before, 'and the file as it was');
}

async function closing(checks, runtime) {
    const model = runtime.open(int8),
        plan = model.plan(),
        session = plan.session(),
        [input] = session.inputs,
        twin = plan.session();
    session.close();
    session.close();
    const shut = (f, what, who) => said(checks, failure(f), NpuError, 'web.closed', [who], what);
    shut(() => session.run(), 'run() after close()', 'session is closed');
    shut(() => session.inputs, 'inputs', 'session');
    shut(() => input.data, 'data', 'session');
    shut(() => input.set(new Int8Array(64)), 'set', 'session');
    shut(() => session.reset(), 'reset', 'session');
    shut(() => session.memory, 'memory', 'session');
    shut(() => session.profile(), 'profile', 'session');
    twin.run();
    plan.close();
    plan.close();
    shut(() => twin.run(), 'a session of a closed plan', 'session is closed');
    shut(() => plan.session(), 'a plan', 'plan is closed');
    shut(() => model.info({plan}), 'a report on a closed plan', 'plan is closed');
    const last = model.plan(),
        late = last.session(),
        [out] = late.outputs;
    model.close();
    model.close();
    for (const [what, f] of Object.entries({
        run: () => late.run(),
        outputs: () => late.outputs,
        data: () => out.data,
        real: () => out.real,
        plan: () => model.plan(),
        session: () => last.session(),
        info: () => model.info(),
        check: () => model.check({backend: 'ethos-u'}),
        inputs: () => model.inputs(),
        memoryBytes: () => model.memoryBytes,
    }))
        shut(f, `${what} of a closed model`, 'model is closed');
    late.close();
    last.close();
    checks.ok(model.closed, 'closed');
}

/** Memory that grows detaches views; tensors find their place again. */
async function growth(checks, runtime) {
    const model = runtime.open(int8),
        session = model.plan().session(),
        [input] = session.inputs,
        view = input.data;
    view.fill(3);
    const more = [];
    for (let i = 0; view.length && i < 10000; i++)
        more.push(model.plan({inputShapes: [{input: 0, shape: [500, 8, 8, 1]}]}).session());
    checks.equal(view.length, 0, 'the view has gone');
    said(
        checks,
        failure(() => input.set(view)),
        TypeError,
        'web.detached',
        ['tensor.data anew'],
        'a view that has gone',
    );
    said(
        checks,
        failure(() => Model.open(view)),
        TypeError,
        'web.detached',
        ['slice()'],
        'as a model',
    );
    checks.equal(input.data[63], 3, 'the tensor knows where it is');
    model.close();
}

async function sources(checks) {
    const opens = async (source, what, choice) => {
        const model = await openModel(source, choice).catch((e) => e);
        checks.ok(model instanceof Model, `${what}: ${model}`);
        model.close?.();
    };
    const answer = (request, response) => {
        if (request.url === '/model') response.writeHead(200, {'Content-Length': int8.length}).end(int8);
        else if (request.url === '/slow') response.writeHead(200).write(int8.subarray(0, 100));
        else response.writeHead(404).end();
    };
    const server = createServer(answer);
    server.keepAliveTimeout = 600e3; // else a slow machine asks on a connection that is being closed
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const at = `http://127.0.0.1:${server.address().port}`,
        steps = [];
    await opens(PATH, 'a path');
    await opens(new URL(`file://${PATH}`), 'a file URL');
    await opens(`${at}/model`, 'an address', {onprogress: (p) => steps.push(p)});
    checks.ok(
        steps.length > 0 && steps.at(-1).done === int8.length && steps.at(-1).total === int8.length,
        `progress: ${JSON.stringify(steps)}`,
    );
    await opens(new URL(`${at}/model`), 'a URL');
    await opens(fetch(`${at}/model`), 'a promise of a Response');
    await opens(new Blob([int8]), 'a Blob');
    await opens(new File([int8], 'x'), 'a File');
    await opens(new Blob([int8.subarray(0, 1000), int8.subarray(1000)]).stream(), 'a stream');
    await opens(int8, 'bytes');
    await opens(Promise.resolve(int8), 'a promise of bytes');
    const fails = async (promise, type, rule, words, what) =>
        said(checks, await rejection(promise), type, rule, words, what);
    await fails(openModel(`${at}/missing`), NpuError, 'web.fetch', ['404', '/missing'], 'an address that is not there');
    await fails(openModel('no/such.tflite'), NpuError, 'web.fetch', ['no/such.tflite'], 'a path that is not there');
    await fails(openModel('http://127.0.0.1:1/x'), NpuError, 'web.fetch', ['127.0.0.1:1'], 'no server');
    await fails(
        openModel(new Blob(['x']).stream().pipeThrough(new TextDecoderStream())),
        TypeError,
        'web.bytes',
        ['a stream of bytes'],
        'a stream of text',
    );
    await fails(openModel(5), TypeError, 'web.bytes', ['a number (5)'], 'a number');
    await fails(openModel(int8, {sginal: 1}), TypeError, 'web.option', ['did you mean "signal"'], 'an option misspelt');
    const used = new Response(int8);
    await used.arrayBuffer();
    await fails(openModel(used), NpuError, 'web.fetch', ['clone()'], 'a response that was read');
    for (const [source, what] of [
        [`${at}/slow`, 'an address'],
        [fetch(`${at}/slow`), 'a response'],
    ]) {
        const e = await rejection(openModel(source, {signal: AbortSignal.timeout(200)}));
        checks.ok(
            e instanceof NpuError &&
                e.code === 'CANCELLED' &&
                e.name === 'TimeoutError' &&
                e.cause.name === 'TimeoutError',
            `${what}: ${e}`,
        );
    }
    checks.equal(
        (await rejection(openModel(int8, {signal: AbortSignal.abort('why')})))?.cause,
        'why',
        'aborted before',
    );
    server.closeAllConnections();
    server.close();
}

async function modules(checks) {
    const file = await readFile(`${PAGE}npu_rt.wasm`),
        module = await WebAssembly.compile(file);
    for (const [wasm, what] of [
        [file, 'bytes'],
        [module, 'a module'],
        [new Response(file), 'a response'],
        [new Response(file, {headers: {'Content-Type': 'application/wasm'}}), 'a response that is compiled as it arrives'],
        [`file://${PAGE}npu_rt.wasm`, 'an address'],
        [new URL(`file://${PAGE}npu_rt.wasm`), 'a URL'],
        [Uint8Array.from(file).buffer, 'an ArrayBuffer'],
    ])
        checks.equal((await load({wasm}))?.isa, 'wasm-simd128', `load({wasm: ${what}})`);
    const fails = async (choice, type, rule, words) =>
        said(checks, await rejection(load(choice)), type, rule, words, JSON.stringify(choice));
    await fails({wasm: 5}, TypeError, 'web.wasm', ['a number (5)']);
    await fails({wasm: int8}, NpuError, 'web.module', ['no WebAssembly file']);
    const page = (type, status = 200) => new Response('<!doctype html>', {status, headers: {'Content-Type': type}});
    for (const type of ['text/html', 'application/wasm']) {
        await fails({wasm: page(type)}, NpuError, 'web.module', ['no WebAssembly file', '<!doctype']);
        await fails({wasm: page(type, 404)}, NpuError, 'web.module', ['404', 'load({wasm: url})']);
    }
    await fails({wasm: 'file:///no/such.wasm'}, NpuError, 'web.module', ['/no/such.wasm', 'load({wasm: url})']);
    await fails({base: 'file:///no/such/'}, NpuError, 'web.module', ['npu_rt.wasm', 'load({wasm: url})']);
    await fails({path: '/'}, TypeError, 'web.option', ['"path"']);
    checks.ok((await load()) === (await load()), 'one runtime');
    const [a, b] = await Promise.all([load(), load()]);
    checks.ok(a === b, 'also when asked for twice at once');
}

export async function testMisuse(checks, runtime) {
    await checks.test('bytes of a model', () => bytes(checks, runtime));
    await checks.test('options', () => choices(checks, runtime));
    await checks.test('closing', () => closing(checks, runtime));
    await checks.test('memory that grows', () => growth(checks, runtime));
    await checks.test('where models come from', () => sources(checks));
    await checks.test('where the module comes from', () => modules(checks));
}
