// A strict TypeScript user of the package; never run. What must not compile says so: an error that does not come fails.
import {load, Model, NpuError, openModel, Tensor, unpackStrings, type CheckReport, type CompareReport, type Operators, type PlanReport, type Runtime} from 'npu_rt';
import {WorkerModel, type RunResult} from 'npu_rt/worker';
import {readNpy} from 'npu_rt/npy';

export async function all(file: File, bytes: Uint8Array, answer: Promise<Response>, signal: AbortSignal): Promise<number> {
    const runtime: Runtime = await load();
    const model: Model = await openModel(file, {signal, onprogress: ({done, total}) => console.log(done, total ?? 0)});
    await openModel(answer);
    await openModel(new URL('https://example.com/model.tflite'), {wasm: new URL('https://example.com/npu_rt.wasm')});
    Model.open(bytes.buffer, runtime).close();
    const session = model.plan({inputShapes: [{input: 0, shape: [1, 8, 8, 1]}], isa: 'scalar'}).session({profile: true});
    const threaded: Model = await openModel(file, {threads: 'auto'});
    const many: number = threaded.threads + threaded.runtime.threads + (await load({threads: 2})).threads;
    const because: string | null = threaded.oneThreadBecause ?? threaded.runtime.oneThreadBecause;
    await threaded.ready;
    threaded.plan({threads: 2});
    const input: Tensor = session.inputs[0]!;
    input.setReal(new Float32Array(64));
    input.set([1, 2, 3]);
    input.strings = ['text', Uint8Array.of(255)];
    input.set(['text', 'more']);
    const words: string[] = session.outputs[0]!.strings;
    const raw: Uint8Array = session.outputs[0]!.stringBytes[0] ?? unpackStrings(bytes, 1)[0]!;
    session.run({timeLimitMs: 100});
    const real: Float32Array | Float64Array = session.outputs[0]!.real;
    const ns: number = session.profile()[0]!.ns;
    const report: CheckReport = model.check({backend: 'ethos-u55-128'});
    const text: string = model.check({backend: 'ethos-u55-128', format: 'text'});
    const cycles: number = model.cost({backend: 'ethos-u55-128', clockHz: 5e8}).summary.cycles;
    const rows: CompareReport = model.compare({backends: ['neuron'], sramBytes: 2 ** 20, title: file.name});
    const page: string = model.compare({format: 'html'});
    const bound: number | undefined = model.compare({relaxFp32: true, clockHz: 1e9, verdictsOnly: false}).npus[0]!.lower_bound?.cycles;
    const plan: PlanReport = model.planReport({backend: 'mdla3.0', relaxFp32: true, mvpu: ['SOFTMAX'], transposeConv: 'software'});
    const planned: string = model.planReport({backend: 'mdla3.0', format: 'text'});
    const relaxed: string | null = runtime.plans('mdla3.0') ? runtime.relaxed('mdla3.0') : null;

    const remote: WorkerModel = await WorkerModel.open(bytes, {signal, worker: '/remote_worker.mjs'});
    const on: WorkerModel = await WorkerModel.open(bytes, {threads: 2});
    const twice: number = on.threads + (on.oneThreadBecause?.length ?? 0) + (await on.run([[1]], {threads: 1})).ms;
    const result: RunResult = await remote.run([[1, 2], {seed: 3}], {real: true, signal, runs: 2, transfer: [bytes.buffer]});
    const told: string[] | undefined = (await remote.run([['a', Uint8Array.of(255)]])).outputs[0]!.strings;
    const rules: string[] = (await remote.check({backend: 'ethos-u'}, {signal})).ops.flatMap((op) => op.reasons.map((r) => r.rule));
    const late: number | undefined = (await remote.compare({}, {signal})).npus[0]!.estimate?.seconds;
    const later: number = (await remote.planReport({backend: 'mdla3.0'}, {signal})).subgraphs[0]!.phases.length;
    const shape: number[] = readNpy(bytes).shape;
    remote.close();

    const operators: Operators = {
        Scale: {shape: ([x]) => x!.shape, eval: ([x], [y], {factor}) => y!.data.set(x!.data.map((v: number) => v * factor)), pure: true},
        Total: {inputs: [1, 2], optional: [1], state: 8, eval: (inputs, outputs, options, {state}) => outputs[0]!.data.set(state)},
    };
    await openModel(file, {operators});
    runtime.open(bytes, {operators}).close();
    await WorkerModel.open(file, {operatorsURL: new URL('./operators.mjs', import.meta.url)});

    // @ts-expect-error: a number
    await openModel(file, {threads: 'two'});
    // @ts-expect-error: what it computes
    Model.open(bytes, runtime, {operators: {Scale: {shape: () => [1]}}});
    // @ts-expect-error: functions cannot be sent
    await WorkerModel.open(file, {operators});
    // @ts-expect-error: a backend is needed
    model.check();
    // @ts-expect-error: no such option
    model.plan({shapes: []});
    // @ts-expect-error: a path has to be read
    Model.open('model.tflite');
    // @ts-expect-error: an option, not a list
    session.run([bytes]);
    // @ts-expect-error: a report, not text
    const wrong: string = model.check({backend: 'ethos-u'});
    // @ts-expect-error: a list of names
    model.compare({backends: 'neuron'});
    // @ts-expect-error: a list of operators
    model.planReport({backend: 'mdla3.0', mvpu: 'SOFTMAX'});
    // @ts-expect-error: one of two ways
    model.planReport({backend: 'mdla3.0', transposeConv: 'both'});
    // @ts-expect-error: no such format
    model.compare({format: 'dot'});
    // @ts-expect-error: made by openModel only
    new Model(bytes, runtime);
    // @ts-expect-error: not for users
    model.handle;
    // @ts-expect-error: strings are no numbers
    input.setReal(['1']);
    // @ts-expect-error: a list of strings
    input.strings = 'text';
    // @ts-expect-error: neither text nor bytes
    input.strings = [1];
    // @ts-expect-error: one string is no list of them
    input.set('text');
    return (told ?? words).length + raw.length + ns + cycles + real.length + text.length + report.ops.length + result.ms + rules.length + shape.length + wrong.length +
        rows.npus.length + page.length + (late ?? 0) + (bound ?? 0) + plan.hints.length + planned.length + (relaxed?.length ?? 0) + later + many + twice + (because?.length ?? 0);
}

export const rule = (e: unknown): string => (e instanceof NpuError ? `${e.rule} ${e.status} ${e.exitCode}` : '');
