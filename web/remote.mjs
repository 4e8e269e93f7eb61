// A model in a worker of its own: nothing blocks the page, every call is a promise, and every call can be cancelled.
//
//     import {WorkerModel} from './remote.mjs';
//     const model = await WorkerModel.open('model.tflite');
//     const abort = new AbortController();
//     const {outputs} = await model.run([values], {real: true, signal: abort.signal});
//     model.close();
import {Channel, nodeWorker} from './channel.mjs';
import {cancelled, closed, kind, options, wrongType} from './errors.mjs';
import {givenModule, loadThreaded} from './loader.mjs';
import {builtin} from './node.mjs';
import {readSource} from './source.mjs';
import {threadsOf} from './threads.mjs';

export {NpuError} from './errors.mjs';

/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('./source.mjs').Progress} Progress */
/** @typedef {import('./reports.mjs').BackendChoice} BackendChoice */
/** @typedef {import('./reports.mjs').CheckReport} CheckReport */
/** @typedef {import('./reports.mjs').CompareFormat} CompareFormat */
/** @typedef {import('./reports.mjs').CompareReport} CompareReport */
/** @typedef {import('./reports.mjs').CostReport} CostReport */
/** @typedef {import('./npu_rt.mjs').CompareChoice} CompareChoice */
/** @typedef {import('./npu_rt.mjs').PlanReportOptions} PlanReportOptions */
/** @typedef {import('./reports.mjs').PlanReport} PlanReport */
/** @typedef {import('./reports.mjs').LowerReport} LowerReport */
/** @typedef {import('./reports.mjs').StreamReport} StreamReport */
/** @typedef {import('./reports.mjs').ReportFormat} ReportFormat */
/** @typedef {import('./types.mjs').StoredArray} StoredArray */
/** @typedef {{signal?: AbortSignal}} Cancellable aborting rejects at once with an NpuError: code CANCELLED, name AbortError */
/** @typedef {URL | string | (() => import('./channel.mjs').Port)} WorkerChoice the worker's script, or a function that starts
 *           one */
/** @typedef {Cancellable & {onprogress?: (p: Progress) => void, worker?: WorkerChoice, operatorsURL?: URL | string} &
 *           import('./npu_rt.mjs').LoadOptions} OpenOptions progress of phase "read" is in bytes; `operatorsURL`: a module that
 *           exports `operators`, the caller's own (openModel), for functions cannot be sent to a worker */
/** @typedef {{name: string, type: string, shape: number[], declaredShape: number[], elements: number,
 *             quantization: {scale: number[], zeroPoint: number[], axis: number} | null}} TensorInfo */
/** @typedef {ArrayLike<number> | ArrayLike<bigint> | ArrayLike<boolean> | readonly import('./strings.mjs').StringItem[] |
 *            {seed: number | bigint}} RunInput what is written to an input: elements as they are stored (real numbers with the
 *            option `real`), strings, or made up from a seed */
/** @typedef {{name: string, type: string, shape: number[], data: StoredArray, strings?: string[],
 *             quantization: TensorInfo['quantization']}} RunOutput `data`: a copy; with the option `real` real
 *             numbers, where the type has them; `strings`: of STRING, whose data unpackStrings reads as bytes */
/** @typedef {{outputs: RunOutput[], ms: number, times: number[], profile?: import('./session.mjs').OpProfile[]}} RunResult
 *  outputs of the last run, its time in milliseconds without copying, and the times of all */
/** @typedef {{real?: boolean, subgraph?: number, runs?: number, timeLimitMs?: number, maxWork?: number, profile?: boolean,
 *             inputShapes?: import('./npu_rt.mjs').InputShape[], maxMemoryBytes?: number,
 *             isa?: import('./npu_rt.mjs').PlanOptions['isa'], threads?: number, transfer?: Transferable[],
 *             backend?: string, rules?: string, fallback?: boolean, runtime?: string, exactFloat32?: boolean,
 *             onprogress?: (p: Progress) => void}} RunOptions `real`: inputs and outputs are real numbers, quantized and
 *  dequantized in the worker; `runs`: how often, with the same inputs; `transfer`: buffers of inputs that move to the worker
 *  instead of being copied; `backend`, `fallback`, `runtime`, `exactFloat32` as of Model.plan and Plan.session, `rules` its `profile`;
 *  progress of phase "run" counts runs */

const MODULES = new Map(); // of every choice: compiled once for all workers

async function moduleFor({isa, base, wasm, threads = 1}) {
    const many = await threadsOf(threads);
    if (wasm !== undefined) return givenModule(wasm, many);
    const key = `${isa} ${base} ${many > 1}`;
    if (!MODULES.has(key)) {
        const loading = loadThreaded(many, isa, base);
        MODULES.set(key, loading);
        loading.catch(() => MODULES.delete(key)); // the next one tries again
    }
    const loaded = await MODULES.get(key);
    return loaded.threads > 1 ? {...loaded, threads: many} : loaded;
}

async function spawner(worker) {
    if (typeof worker === 'function') return worker;
    if (worker !== undefined && typeof worker !== 'string' && !(worker instanceof URL))
        throw wrongType(
            'web.worker',
            `worker must be the address of remote_worker.mjs, or a function: got ${kind(worker)}`,
        );
    if (typeof Worker !== 'function') {
        const here = import.meta.url, // apart, so that bundlers for browsers do not follow it
            threads = await builtin('node:worker_threads');
        return () => nodeWorker(threads.Worker, worker === undefined ? new URL('./remote_worker.mjs', here) : worker);
    }
    return worker === undefined
        ? () => new Worker(new URL('./remote_worker.mjs', import.meta.url), {type: 'module', name: 'npu_rt'})
        : () => new Worker(worker, {type: 'module', name: 'npu_rt'});
}

const CALL = ['signal'];
const NPU = ['backend', 'rules', 'fallback', 'runtime', 'exactFloat32'];
const RUN = ['real', 'subgraph', 'runs', 'timeLimitMs', 'maxWork', 'profile', 'inputShapes', 'maxMemoryBytes', 'isa', 'threads', ...NPU];
const OPEN = ['signal', 'onprogress', 'worker', 'operatorsURL', 'isa', 'base', 'wasm', 'threads'];

/** The address of a module that exports operators, as the worker can import it. */
function operatorsAddress(given) {
    if (given === undefined || given === null) return undefined;
    if (typeof given !== 'string' && !(given instanceof URL))
        throw wrongType(
            'web.operators',
            `operatorsURL is the address of a module that exports operators, {Name: {shape, eval}}: got ${kind(given)}`,
        );
    return new URL(given, globalThis.location?.href ?? import.meta.url).href;
}

/** A verified model in a worker of its own. Calls are answered in the order in which they are made. */
export class WorkerModel {
    #channel;
    #told = null; // what `open` returned
    /** @param {Channel} channel @private */
    constructor(channel) {
        this.#channel = channel;
    }

    /** Reads a model from wherever it is and opens it in a new worker.
     *  @param {Source | Promise<Source>} source bytes are copied @param {OpenOptions} [choice]
     *  @returns {Promise<WorkerModel>} rejects with NpuError for a broken file, TypeError for what is no model */
    static async open(source, choice) {
        if (/** @type {any} */ (choice)?.operators !== undefined)
            throw wrongType('web.operators', 'functions cannot be sent to a worker: export operators from a module, operatorsURL');
        const {signal, onprogress, worker, operatorsURL, ...load} = options(choice, OPEN, 'WorkerModel.open'),
            operators = operatorsAddress(operatorsURL),
            spawn = await spawner(worker);
        const [file, loaded] = await Promise.all([readSource(source, {signal, onprogress}), moduleFor(load)]);
        if (signal?.aborted) throw cancelled(signal);
        const bytes = file.slice(), // kept for the worker after this one; the caller may change or transfer his
            restore = () => (model.#told ? {method: 'open', args: [loaded, bytes, operators]} : null),
            model = new WorkerModel(new Channel(spawn, restore));
        try {
            model.#told = await model.#channel.ask('open', [loaded, bytes, operators], {signal});
        } catch (e) {
            model.close();
            throw e;
        }
        return model;
    }

    get #open() {
        if (!this.#channel) throw closed('model');
        return this.#told;
    }
    /** Declared inputs and outputs of every subgraph, the first is the model's. @type {{inputs: TensorInfo[],
     *  outputs: TensorInfo[]}[]} */
    get subgraphs() {
        return this.#open.subgraphs;
    }
    /** @type {TensorInfo[]} */
    get inputs() {
        return this.subgraphs[0].inputs;
    }
    /** @type {TensorInfo[]} */
    get outputs() {
        return this.subgraphs[0].outputs;
    }
    /** @type {string} wasm-simd128 or wasm-relaxed */
    get isa() {
        return this.#open.isa;
    }
    /** How many threads run the model, that of its worker included. @type {number} */
    get threads() {
        return this.#open.threads;
    }
    /** Why that is one although more were asked for. @type {string | null} */
    get oneThreadBecause() {
        return this.#open.oneThreadBecause;
    }
    /** @type {string} of the runtime */
    get version() {
        return this.#open.version;
    }

    async #ask(method, args, how, more = {}) {
        if (!this.#channel) throw closed('model');
        const {signal} = options(how, CALL, method);
        return this.#channel.ask(method, args, {signal, ...more});
    }

    /** As Model.info. @param {{format?: ReportFormat}} [choice] @param {Cancellable} [how] @returns {Promise<any>} */
    info(choice, how) {
        return this.#ask('info', [choice], how);
    }
    /** As Model.dump. @param {{format?: ReportFormat}} [choice] @param {Cancellable} [how] @returns {Promise<any>} */
    dump(choice, how) {
        return this.#ask('dump', [choice], how);
    }
    /** As Model.check.
     *  @template {ReportFormat} [F='json'] @param {BackendChoice & {format?: F}} choice @param {Cancellable} [how]
     *  @returns {Promise<F extends 'text' ? string : CheckReport>} */
    check(choice, how) {
        return this.#ask('check', [choice], how);
    }
    /** As Model.cost.
     *  @template {ReportFormat} [F='json']
     *  @param {BackendChoice & {memoryMode?: string, clockHz?: number, format?: F}} choice @param {Cancellable} [how]
     *  @returns {Promise<F extends 'text' ? string : CostReport>} */
    cost(choice, how) {
        return this.#ask('cost', [choice], how);
    }
    /** As Model.lower.
     *  @template {ReportFormat | 'dot'} [F='json']
     *  @param {BackendChoice & {runtime?: string, format?: F}} choice @param {Cancellable} [how]
     *  @returns {Promise<F extends 'json' ? LowerReport : string>} */
    lower(choice, how) {
        return this.#ask('lower', [choice], how);
    }
    /** As Model.compare.
     *  @template {CompareFormat} [F='json'] @param {CompareChoice & {format?: F}} [choice] @param {Cancellable} [how]
     *  @returns {Promise<F extends 'json' ? CompareReport : string>} */
    compare(choice, how) {
        return this.#ask('compare', [choice], how);
    }
    /** As Model.planReport.
     *  @template {ReportFormat} [F='json'] @param {BackendChoice & PlanReportOptions & {format?: F}} choice
     *  @param {Cancellable} [how] @returns {Promise<F extends 'text' ? string : PlanReport>} */
    planReport(choice, how) {
        return this.#ask('planReport', [choice], how);
    }
    /** As Model.stream.
     *  @template {ReportFormat} [F='json'] @param {{format?: F}} [choice] @param {Cancellable} [how]
     *  @returns {Promise<F extends 'text' ? string : StreamReport>} */
    stream(choice, how) {
        return this.#ask('stream', [choice], how);
    }

    /** Writes the inputs, runs, and returns copies of the outputs. Runs with the same options share a session, so that
     *  variables live on from run to run; another choice, an aborted call and reset() begin anew.
     *  @param {RunInput[]} inputs one for each input @param {RunOptions & Cancellable} [choice] @returns {Promise<RunResult>} */
    async run(inputs, choice) {
        const {signal, onprogress, transfer, ...rest} = options(
            choice,
            [...RUN, 'signal', 'onprogress', 'transfer'],
            'run',
        );
        if (!Array.isArray(inputs))
            throw wrongType(
                'web.inputs',
                `run takes a list with the values of each input, [values]: got ${kind(inputs)}`,
            );
        return this.#ask('run', [inputs, rest], {signal}, {onprogress, transfer});
    }
    /** Variables back to their initial values. @param {Cancellable} [how] @returns {Promise<void>} */
    reset(how) {
        return this.#ask('reset', [], how);
    }
    /** Bytes of linear memory the model takes. @param {Cancellable} [how] @returns {Promise<number>} */
    memoryBytes(how) {
        return this.#ask('memoryBytes', [], how);
    }

    /** Stops all calls under way, which reject with code CANCELLED. The model stays open. @returns {string[]} which */
    cancel() {
        return this.#channel?.cancel() ?? [];
    }
    /** Ends the worker. Calls under way reject, with rule "web.closed". Closing it again does nothing. */
    close() {
        this.#channel?.close();
        this.#channel = null;
    }
}
