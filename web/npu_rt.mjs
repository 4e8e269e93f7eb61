// npu_rt for JavaScript: checks, plans and runs TFLite models in browsers, workers and node, through WebAssembly.
//
//     import {load, Model} from './npu_rt.mjs';
//     await load();
//     const model = Model.open(bytes), session = model.plan().session();
//     session.inputs[0].data.set(values);
//     session.run();
//     console.log(session.outputs[0].data);
//     model.close();
//
// Views (`data`) look straight into the module's memory. They stay valid until the next call that may allocate
// (run, plan, session, info, ...): take them anew from `inputs` and `outputs`, which is cheap.
import {instantiate, loadModule} from './loader.mjs';
import {ask, isFormat} from './reports.mjs';
import {elements, typeInfo} from './types.mjs';

export * from './types.mjs';

const ISA = {auto: 0, scalar: 1, 'wasm-simd128': 6, 'wasm-relaxed': 7};
const MEMORY_KEYS = [
    'session_bytes',
    'arena_bytes',
    'packed_bytes',
    'variable_bytes',
    'plan_bytes',
    'folded_bytes',
    'model_bytes',
];
const SHAPE_WORDS = 11; // npu_input_shape
const utf8 = new TextDecoder();

/** @typedef {import('./reports.mjs').BackendChoice} BackendChoice */
/** @typedef {import('./reports.mjs').CheckReport} CheckReport */
/** @typedef {import('./reports.mjs').CostReport} CostReport */
/** @typedef {import('./reports.mjs').StreamReport} StreamReport */
/** @typedef {import('./reports.mjs').ReportFormat} ReportFormat */

/** What the runtime reports when a call fails; programs test `rule`. */
export class NpuError extends Error {
    /** @type {string} INVALID_MODEL, BAD_INPUT, CANCELLED, ... */ status;
    /** @type {string} the same as `status` */ code;
    /** @type {string} stable id of what was broken */ rule;
    /** @type {string} */ text;
    /** @type {number} the one the command line ends with */ exitCode;
    /** @type {string} */ opName = '';
    /** @type {number} -1: not about one */ subgraph = -1;
    /** @type {number} -1: not about one */ op = -1;
    /** @type {number} -1: not about one */ fileOffset = -1;
    /** @type {StreamReport | string | undefined} what could be read of a damaged command stream */ report;
    /** @param {{status: string, rule: string, text: string, exitCode: number, opName?: string, subgraph?: number,
     *           op?: number, fileOffset?: number}} d */
    constructor(d) {
        super(`${d.text}${d.fileOffset >= 0 ? ` (byte ${d.fileOffset})` : ''} [${d.rule}]`);
        this.name = 'NpuError';
        Object.assign(this, d, {code: d.status});
    }
}

const misuse = (rule, text) => new NpuError({status: 'INVALID_ARGUMENT', rule, text, exitCode: 2});
const noMemory = (text) => new NpuError({status: 'OUT_OF_MEMORY', rule: 'web.memory', text, exitCode: 1});

/** One instance of the module: calls, strings and records. Private to this file. */
class Wasm {
    constructor(module) {
        this.exports = instantiate(module);
        this.record = this.exports.npuw_record();
    }
    get buffer() {
        return this.exports.memory.buffer;
    }
    words(n) {
        return new Uint32Array(this.buffer, this.record, n);
    }
    doubles(n) {
        return new Float64Array(this.buffer, this.record, n);
    }
    string(at, length) {
        const bytes = new Uint8Array(this.buffer, at >>> 0);
        return at ? utf8.decode(bytes.subarray(0, length ?? bytes.indexOf(0))) : '';
    }

    /** Calls an export. A trap becomes an error like any other; the instance is not to be trusted afterwards. */
    call(name, ...args) {
        if (this.broken) throw this.broken;
        try {
            return this.exports[name](...args);
        } catch (e) {
            if (!(e instanceof WebAssembly.RuntimeError) && !(e instanceof RangeError)) throw e;
            this.broken = new NpuError({
                status: 'RUNTIME',
                rule: 'wasm.trap',
                text: `the module stopped: ${e.message}`,
                exitCode: 1,
            });
            throw this.broken;
        }
    }

    /** As `call`, for functions that return 0 after a failure. */
    must(name, ...args) {
        const result = this.call(name, ...args) >>> 0;
        if (!result) throw this.error();
        return result;
    }

    error() {
        const [, exitCode, rule, text, opName, status, subgraph, op] = this.words(8),
            fileOffset = this.doubles(5)[4];
        return new NpuError({
            status: this.string(status),
            rule: this.string(rule),
            text: this.string(text),
            exitCode,
            opName: this.string(opName),
            subgraph: subgraph | 0,
            op: op | 0,
            fileOffset,
        });
    }

    alloc(bytes) {
        const p = this.call('npuw_alloc', bytes) >>> 0;
        if (!p) throw noMemory(`no memory for ${bytes} bytes`);
        return p;
    }

    /** A copy of the text that ends in 0, for npuw_free. */
    string0(text) {
        const bytes = new TextEncoder().encode(`${text}\0`),
            p = this.alloc(bytes.length);
        new Uint8Array(this.buffer, p, bytes.length).set(bytes);
        return p;
    }

    /** Names that an export counts up, until it has no more. */
    names(name, ...args) {
        const all = [];
        for (let p; (p = this.call(name, ...args, all.length));) all.push(this.string(p));
        return all;
    }

    /** @param {string} kind @param {{format?: string, [about: string]: any}} question */
    report(kind, {format = 'json', ...about}) {
        if (!isFormat(format)) throw misuse('web.format', `format must be text, json or markdown: got ${format}`);
        const {ok, text} = ask(this, kind, format, about);
        if (ok) return format === 'json' ? JSON.parse(text) : text;
        const e = this.error();
        if (kind === 'stream' && text && e.status !== 'RUNTIME')
            e.report = format === 'json' ? JSON.parse(text) : text;
        throw e;
    }

    tensor() {
        const w = this.words(27).slice(),
            dims = (at) => Array.from(w.subarray(at, at + w[3]), (d) => d | 0);
        const type = this.string(this.call('npuw_type_name', w[2]));
        const quantization =
            w[4] === 0
                ? null
                : {
                      scale: Array.from(new Float32Array(this.buffer, w[6], w[4])),
                      zeroPoint: Array.from(new Int32Array(this.buffer, w[7], w[4])),
                      axis: w[5] | 0,
                  };
        return new Tensor(this, w, {
            name: this.string(w[0], w[1]),
            type,
            shape: dims(10),
            declaredShape: dims(18),
            quantization,
        });
    }
}

/** An input or output. `shape` is the current one, `declaredShape` has -1 where the model leaves a dimension open. */
export class Tensor {
    #wasm;
    #at;
    #bytes;
    #typeCode;
    constructor(wasm, words, fields) {
        this.#wasm = wasm;
        this.#typeCode = words[2];
        this.#at = words[8];
        this.#bytes = words[9];
        /** @type {string} */ this.name = fields.name;
        /** @type {string} FLOAT32, INT8, ... */ this.type = fields.type;
        /** @type {number[]} */ this.shape = fields.shape;
        /** @type {number[]} */ this.declaredShape = fields.declaredShape;
        /** @type {{scale: number[], zeroPoint: number[], axis: number} | null} */ this.quantization =
            fields.quantization;
    }
    get bytes() {
        return this.#bytes;
    }
    get elements() {
        return elements(this.shape);
    }

    /** The stored elements: a view of the type's typed array, packed bytes for sub-byte types, bits for float16. */
    get data() {
        const {array} = typeInfo(this.type);
        if (!this.#at) throw misuse('web.no_data', 'a declared tensor has no data: ask a session');
        return new array(this.#wasm.buffer, this.#at, this.#bytes / array.BYTES_PER_ELEMENT);
    }

    /** Fills it with what `npu_rt run --seed` uses for the input at `position`. */
    fill(seed, position) {
        const s = BigInt.asUintN(64, BigInt(seed));
        const ok = this.#wasm.call(
            'npuw_fill',
            this.#at,
            this.#bytes,
            this.#typeCode,
            Number(s & 0xffffffffn),
            Number(s >> 32n),
            position,
        );
        if (!ok)
            throw new NpuError({
                status: 'UNSUPPORTED',
                rule: 'web.seed',
                exitCode: 4,
                text: `no values can be made up for a tensor of type ${this.type}`,
            });
    }
}

/** A module ready to open models. */
export class Runtime {
    #wasm;
    constructor({module, isa, bytes}) {
        const wasm = (this.#wasm = new Wasm(module));
        this.module = module;
        /** @type {string} wasm-simd128 or wasm-relaxed */ this.isa = isa;
        /** @type {number} size of the module */ this.moduleBytes = bytes;
        /** @type {string} */ this.version = wasm.string(wasm.call('npuw_version'));
    }

    /** Opens a model on a module instance of its own. @param {Uint8Array | ArrayBuffer} bytes @returns {Model} */
    open(bytes) {
        return Model.open(bytes, this);
    }

    /** What can judge a model: "ethos-u" (the family), every accelerator by name, then "none" (this runtime itself).
     *  @returns {string[]} */
    backends() {
        return this.#wasm.names('npuw_backend_name');
    }
    /** Versions of a backend's rules, its default first; none for a name that is no backend's.
     *  @param {string} backend @returns {string[]} */
    profiles(backend) {
        const name = this.#wasm.string0(backend),
            all = this.#wasm.names('npuw_backend_profile', name);
        this.#wasm.call('npuw_free', name);
        return all;
    }
    /** Where the cost estimate can place weights and feature maps. @returns {string[]} */
    memoryModes() {
        return this.#wasm.names('npuw_memory_mode');
    }
    /** The supported-ops report of a backend, made from its rules.
     *  @param {BackendChoice & {format?: ReportFormat | 'markdown'}} choice */
    backendOps({backend, profile, format}) {
        return this.#wasm.report('ops', {backend, profile, format});
    }
}

let current = null;

/** Loads the module once; later calls without options return the same runtime.
 *  @param {{isa?: string, base?: string | URL}} [options] `isa` forces a module, `base`: where the .wasm files lie
 *  @returns {Promise<Runtime>} */
export async function load(options) {
    if (!options && current) return current;
    const runtime = new Runtime(await loadModule(options?.isa, options?.base));
    current ??= runtime;
    return runtime;
}

/** A verified model. Closing it closes its plans and sessions and frees all memory. */
export class Model {
    #wasm;
    #model;
    /** @param {Uint8Array | ArrayBuffer} bytes copied; throws NpuError for a broken file */
    static open(bytes, runtime = current) {
        if (!runtime) throw misuse('web.load', 'call load() first');
        return new Model(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes), runtime);
    }
    constructor(bytes, runtime) {
        const wasm = new Wasm(runtime.module),
            at = wasm.alloc(bytes.length);
        new Uint8Array(wasm.buffer, at, bytes.length).set(bytes);
        this.#model = wasm.must('npuw_model_open', at, bytes.length);
        this.#wasm = wasm;
        /** @type {Runtime} */ this.runtime = runtime;
    }
    get wasm() {
        if (!this.#wasm) throw misuse('web.closed', 'the model is closed');
        return this.#wasm;
    }
    get handle() {
        return this.wasm && this.#model;
    }
    /** Bytes of linear memory this model takes. */
    get memoryBytes() {
        return this.wasm.buffer.byteLength;
    }

    /** @returns {Tensor[]} declared inputs, without data */
    inputs(subgraph = 0) {
        return this.#io(subgraph, 0);
    }
    outputs(subgraph = 0) {
        return this.#io(subgraph, 1);
    }
    #io(subgraph, output) {
        const n = this.wasm.call('npuw_io_count', this.#model, subgraph, output);
        if (n < 0) throw misuse('web.subgraph', `the model has no subgraph ${subgraph}`);
        return Array.from({length: n}, (_, i) => {
            this.wasm.call('npuw_model_io', this.#model, subgraph, output, i);
            return this.wasm.tensor();
        });
    }

    /** Inputs, outputs, signatures, metadata, op counts, parameters, MACs; with a plan also its memory.
     *  @param {{plan?: Plan, format?: ReportFormat}} [options] */
    info({plan, format} = {}) {
        return this.wasm.report('info', {model: this.handle, plan: plan?.handle, format});
    }
    /** Every tensor and operator with its options. @param {{format?: ReportFormat}} [options] */
    dump({format} = {}) {
        return this.wasm.report('dump', {model: this.handle, format});
    }
    /** Which operators the NPU takes; for every other one, all rules that refuse it.
     *  @param {BackendChoice & {format?: ReportFormat}} choice @returns {CheckReport} a string in the format 'text' */
    check({backend, profile, format}) {
        return this.wasm.report('check', {model: this.handle, backend, profile, format});
    }
    /** What the NPU would need for the operators it takes: an estimate of cycles, time and memory.
     *  @param {BackendChoice & {memoryMode?: string, clockHz?: number, format?: ReportFormat}} choice `backend`: one
     *         accelerator, not a family; the usual memory mode and clock of the accelerator by default
     *  @returns {CostReport} a string in the format 'text' */
    cost({backend, profile, memoryMode, clockHz, format}) {
        if (clockHz !== undefined && !(clockHz > 0 && clockHz < Infinity))
            throw misuse('web.clock', `clockHz must be a frequency: got ${clockHz}`);
        return this.wasm.report('cost', {model: this.handle, backend, profile, memoryMode, clockHz, format});
    }
    /** The commands of a model compiled by Vela. Throws with rule "ethos_u.no_stream" for any other one, and for a
     *  damaged stream, with what could be read in the error's `report`.
     *  @param {{format?: ReportFormat}} [options] @returns {StreamReport} a string in the format 'text' */
    stream({format} = {}) {
        return this.wasm.report('stream', {model: this.handle, format});
    }

    /** Shapes, kernels and memory offsets.
     *  @param {{inputShapes?: {subgraph?: number, input: number, shape: number[]}[], isa?: string,
     *           maxMemoryBytes?: number}} [options] @returns {Plan} */
    plan({inputShapes = [], isa = 'auto', maxMemoryBytes = 0} = {}) {
        if (!(isa in ISA)) throw misuse('web.isa', `isa must be one of ${Object.keys(ISA).join(', ')}: got ${isa}`);
        const words = new Int32Array(inputShapes.length * SHAPE_WORDS);
        inputShapes.forEach(({subgraph = 0, input, shape}, i) => {
            if (shape.length > 8) throw misuse('web.rank', `a shape has at most 8 dimensions: got ${shape.length}`);
            words.set([subgraph, input, shape.length, ...shape], i * SHAPE_WORDS);
        });
        const at = this.wasm.alloc(words.byteLength);
        new Int32Array(this.wasm.buffer, at, words.length).set(words);
        try {
            return new Plan(
                this,
                this.wasm.must('npuw_plan_create', this.#model, at, inputShapes.length, ISA[isa], maxMemoryBytes),
            );
        } finally {
            if (!this.wasm.broken) this.wasm.call('npuw_free', at);
        }
    }

    /** Everything of this model goes with its instance. */
    close() {
        this.#wasm = null;
    }
}

/** A plan for one set of input shapes. */
export class Plan {
    constructor(model, handle) {
        /** @type {Model} */ this.model = model;
        this.handle = handle;
        /** @type {string} */ this.isa = model.wasm.string(
            model.wasm.call('npuw_isa_name', model.wasm.call('npuw_plan_isa', handle)),
        );
        model.wasm.call('npuw_plan_memory', handle);
        /** @type {Record<string, number>} exact sizes in bytes, as in npu_memory */
        this.memory = Object.fromEntries(MEMORY_KEYS.map((key, i) => [key, model.wasm.words(i + 1)[i]]));
        this.memory.limit_bytes = model.wasm.doubles(5)[4];
    }
    /** @param {{profile?: boolean, subgraph?: number, maxWork?: number}} [options] `maxWork`: steps of computing that one
     *         run may take before it fails with LIMIT; 2^40 by default @returns {Session} */
    session({profile = false, subgraph = 0, maxWork = 0} = {}) {
        if (!(maxWork >= 0 && maxWork < 2 ** 63)) throw misuse('web.max_work', `maxWork must be a number: got ${maxWork}`);
        return new Session(this, profile, subgraph, maxWork);
    }
    /** Its sessions must be closed before. */
    close() {
        this.model.wasm.call('npuw_plan_destroy', this.handle);
        this.handle = 0;
    }
}

/** Memory for one run at a time: inputs, outputs, activations, packed weights, variables. */
export class Session {
    #wasm;
    #handle;
    constructor(plan, profile, subgraph, maxWork) {
        this.#wasm = plan.model.wasm;
        /** @type {Plan} */ this.plan = plan;
        /** @type {number} */ this.subgraph = subgraph;
        this.#handle = this.#wasm.must('npuw_session_create', plan.handle, profile ? 1 : 0, maxWork);
    }
    /** @returns {Tensor[]} write all of them before each run: the arena may reuse their memory */
    get inputs() {
        return this.#io(0);
    }
    /** @returns {Tensor[]} shapes may depend on data: take them after each run */
    get outputs() {
        return this.#io(1);
    }
    #io(output) {
        const wasm = this.plan.model.wasm,
            tensors = [];
        while (wasm.call('npuw_session_io', this.#handle, this.subgraph, output, tensors.length))
            tensors.push(wasm.tensor());
        return tensors;
    }

    /** Runs the subgraph once. Throws NpuError: with code CANCELLED when `timeLimitMs` have passed; the session can be
     *  used again. No AbortSignal can reach a run on its own thread: run in a worker (client.mjs) for that.
     *  @param {{timeLimitMs?: number}} [options] */
    run({timeLimitMs} = {}) {
        if (!this.#handle) throw misuse('web.closed', 'the session is closed');
        if (timeLimitMs !== undefined && !(timeLimitMs > 0))
            throw misuse('web.time_limit', `timeLimitMs must be above 0: got ${timeLimitMs}`);
        this.#wasm.must('npuw_invoke', this.#handle, this.subgraph, timeLimitMs ?? 0);
    }
    /** What it has allocated beside the plan's session_bytes, in bytes: tensors whose shapes depend on data, and the most
     *  of them at a time with the work memory of their operators. */
    get memory() {
        this.#wasm.call('npuw_session_memory', this.#handle);
        const [dynamic_bytes, peak_dynamic_bytes] = this.#wasm.words(2);
        return {dynamic_bytes, peak_dynamic_bytes};
    }
    /** Variables and op state back to their initial values. */
    reset() {
        this.#wasm.call('npuw_session_reset', this.#handle);
    }

    /** One row for each op that runs; `runs` and `ns` need the option `profile`.
     *  @returns {{name: string, subgraph: number, op: number, kernel: string, runs: number, ns: number,
     *             macs: number}[]} */
    profile(subgraph = this.subgraph) {
        const rows = [],
            wasm = this.#wasm;
        while (wasm.call('npuw_op_profile', this.#handle, subgraph, rows.length)) {
            const [name, length, op, kernel] = wasm.words(4),
                [, , runs, ns, macs] = wasm.doubles(5);
            rows.push({name: wasm.string(name, length), subgraph, op, kernel: wasm.string(kernel), runs, ns, macs});
        }
        return rows;
    }
    clearProfile() {
        this.#wasm.call('npuw_profile_clear', this.#handle);
    }

    close() {
        if (this.#handle && !this.#wasm.broken) this.#wasm.call('npuw_session_destroy', this.#handle);
        this.#handle = 0;
    }
}
