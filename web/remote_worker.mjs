// The worker behind WorkerModel: one model, one session that is kept.
import {REPORTS} from './border.mjs';
import {Moved, serveCalls} from './channel.mjs';
import {badInput, index, kind, misuse, wrongType} from './errors.mjs';
import {Model, Runtime} from './npu_rt.mjs';
import {isReal} from './quantize.mjs';

let model = null,
    kept = {key: '', plan: null, session: null};

const info = (t) => ({
    name: t.name,
    type: t.type,
    shape: t.shape,
    declaredShape: t.declaredShape,
    elements: t.elements,
    quantization: t.quantization,
});

/** The session for these options: the one before, where they are the same. */
function sessionFor({subgraph = 0, profile = false, maxWork, runtime, exactFloat32, rules, ...plan}) {
    const key = JSON.stringify([subgraph, profile, maxWork, runtime, exactFloat32, rules, Object.entries(plan).sort()]);
    if (kept.key === key && kept.session) return kept.session;
    kept.plan?.close();
    kept = {key: '', plan: null, session: null};
    kept.plan = model.plan({...plan, profile: rules});
    kept.session = kept.plan.session({subgraph, profile, maxWork, runtime, exactFloat32});
    kept.key = key;
    return kept.session;
}

function write(session, inputs, real) {
    const tensors = session.inputs;
    if (inputs.length !== tensors.length)
        throw badInput('web.inputs', `the model has ${tensors.length} inputs: got ${inputs.length} values for them`);
    tensors.forEach((tensor, i) => {
        const value = inputs[i];
        if (value === null || value === undefined)
            throw wrongType('web.inputs', `input ${i} is ${kind(value)}: pass its values, or {seed: 0}`);
        if (!ArrayBuffer.isView(value) && typeof value === 'object' && 'seed' in value) tensor.fill(value.seed, i);
        else if (real && tensor.type !== 'STRING') tensor.setReal(value);
        else tensor.set(value);
    });
}

/** What a module exports as `operators`. */
async function operatorsOf(url) {
    const {operators} = await import(/* webpackIgnore: true */ /* @vite-ignore */ url).catch((e) => {
        throw wrongType('web.operators', `${url} cannot be imported: ${e.message}`);
    });
    if (operators === undefined) throw wrongType('web.operators', `${url} must export operators, {Name: {shape, eval}}`);
    return operators;
}

const methods = {
    async open(loaded, bytes, operatorsURL) {
        const runtime = new Runtime(loaded);
        model = runtime.open(bytes, {operators: operatorsURL && (await operatorsOf(operatorsURL))});
        const subgraphs = Array.from({length: model.subgraphCount}, (_, s) => ({
            inputs: model.inputs(s).map(info),
            outputs: model.outputs(s).map(info),
        }));
        await model.ready;
        const {threads, oneThreadBecause} = model;
        return {isa: runtime.isa, version: runtime.version, threads, oneThreadBecause, subgraphs};
    },
    run(inputs, {real = false, runs = 1, timeLimitMs, ...choice}) {
        if (index(runs, 'runs') === 0) throw misuse('web.runs', 'runs must be 1 or more: got 0');
        const session = sessionFor(choice),
            times = [];
        session.clearProfile();
        for (let done = 0; done < runs; done++) {
            write(session, inputs, real);
            const start = performance.now();
            session.run({timeLimitMs});
            times.push(performance.now() - start);
            this.report({phase: 'run', done: done + 1, total: runs});
        }
        const outputs = session.outputs.map((t) => ({
            name: t.name,
            type: t.type,
            shape: t.shape,
            quantization: t.quantization,
            data: real && isReal(t.type) ? t.real : t.data.slice(),
            ...(t.type === 'STRING' ? {strings: t.strings} : {}),
        }));
        return new Moved(
            {outputs, ms: times.at(-1), times, ...(choice.profile ? {profile: session.profile()} : {})},
            outputs.map((o) => o.data.buffer),
        );
    },
    reset() {
        kept.session?.reset();
    },
    memoryBytes: () => model.memoryBytes,
};
for (const name of REPORTS.filter((report) => report in Model.prototype)) methods[name] = (choice) => model[name](choice);

serveCalls(methods);
