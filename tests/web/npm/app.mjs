// What a user of the package writes; the same in node, bundled and on a page. Leaves its answer in globalThis.answer.
import {openModel} from 'npu_rt';
import {WorkerModel} from 'npu_rt/worker';
import {readNpy, writeNpy} from 'npu_rt/npy';

const MODEL = 'digits_int8.tflite';
const outcome = (promise) =>
    promise.then(
        () => 'done',
        (e) => `${e.name} ${e.code}`,
    );

async function here(steps) {
    const model = await openModel(MODEL, {onprogress: ({phase, done}) => steps.push(`${phase} ${done}`)}),
        session = model.plan().session();
    session.inputs[0].fill(7);
    session.run();
    const values = [...session.outputs[0].data],
        real = [...session.outputs[0].real],
        [input] = session.inputs;
    input.setReal(new Float32Array(64).fill(0.5));
    const stored = input.data[0];
    model.close();
    return {values, real, stored, isa: model.runtime.isa};
}

async function inWorker() {
    const model = await WorkerModel.open(MODEL),
        values = async () => [...(await model.run([{seed: 7}])).outputs[0].data];
    const first = await values(),
        abort = new AbortController(),
        endless = outcome(model.run([{seed: 7}], {runs: 1e9, signal: abort.signal, onprogress: () => abort.abort()})),
        behind = values(); // waits for the run before it
    const result = {first, stopped: await endless, behind: await behind};
    result.misuse = await outcome(model.check());
    result.report = (await model.check({backend: 'ethos-u55-128'})).summary.ops_placed;
    model.close();
    result.closed = await outcome(model.info());
    return result;
}

/** On two threads, where that can be: here and in a worker. */
async function threaded() {
    const inputShapes = [{input: 0, shape: [64, 8, 8, 1]}],
        all = [];
    for (const threads of [1, 2]) {
        const model = await openModel(MODEL, {threads}),
            session = model.plan({inputShapes}).session();
        session.inputs[0].fill(7);
        session.run();
        const remote = await WorkerModel.open(MODEL, {threads}),
            {outputs} = await remote.run([{seed: 7}], {inputShapes});
        all.push({
            values: session.outputs[0].data.join(),
            remote: outputs[0].data.join(),
            threads: `${model.threads} ${remote.threads}`,
            because: `${model.oneThreadBecause}`,
        });
        model.close();
        remote.close();
    }
    const [one, two] = all;
    return {
        same: new Set([one.values, one.remote, two.values, two.remote]).size,
        one: one.threads,
        two: two.threads,
        because: two.because,
        isolated: globalThis.crossOriginIsolated ?? true,
    };
}

async function answer() {
    const steps = [];
    return {
        here: await here(steps),
        steps: steps.length,
        worker: await inWorker(),
        threads: await threaded(),
        npy: [...readNpy(writeNpy('<i4', [2], Int32Array.of(5, 6))).bytes].join(),
    };
}

globalThis.answer = await answer().catch((e) => ({failed: `${e.name}: ${e.message}`}));
if (globalThis.process?.argv) console.log(JSON.stringify(globalThis.answer));
