// npu_rt for JavaScript: checks, plans and runs TFLite models in browsers, workers and node, through WebAssembly.
//
//     import {openModel} from './npu_rt.mjs';
//     const model = await openModel('model.tflite'), session = model.plan().session();
//     session.inputs[0].setReal(values); // or set(), of what is stored
//     session.run();
//     console.log(session.outputs[0].real);
//     model.close();
//
// Views (`data`) look straight into the module's memory. They stay valid until the next call that may allocate
// (run, plan, session, info, ...): take them anew from the tensor, which is cheap.
import {ISAS, MAX_RANK} from './border.mjs';
import {bytesOf} from './bytes.mjs';
import {comparing, judging, optionalClock, planning, reporting} from './choices.mjs';
import {cancelled, closed, index, kind, misuse, optionalName, options, wrongType} from './errors.mjs';
import {givenModule, loadThreaded} from './loader.mjs';
import {recordBytes, writeRecord} from './records.mjs';
import {Session} from './session.mjs';
import {checkedOperators, UserOperators} from './operators.mjs';
import {readSource} from './source.mjs';
import {Tensor} from './tensor.mjs';
import {threadsOf} from './threads.mjs';
import {Wasm} from './wasm.mjs';

export * from './types.mjs';
export {NpuError} from './errors.mjs';
export {Session} from './session.mjs';
export {unpackStrings} from './strings.mjs';
export {Tensor} from './tensor.mjs';

/** What a plan may be asked to use: of all instruction sets those of WebAssembly. The module says which of them it can. */
const ISA_CHOICES = Object.keys(ISAS).filter((isa) => isa === 'auto' || isa === 'scalar' || isa.startsWith('wasm-'));

/** @typedef {import('./reports.mjs').BackendChoice} BackendChoice */
/** @typedef {import('./reports.mjs').CheckReport} CheckReport */
/** @typedef {import('./reports.mjs').CompareFormat} CompareFormat */
/** @typedef {import('./reports.mjs').CompareReport} CompareReport */
/** @typedef {import('./reports.mjs').CostReport} CostReport */
/** @typedef {import('./reports.mjs').LowerReport} LowerReport */
/** @typedef {import('./reports.mjs').StreamReport} StreamReport */
/** @typedef {import('./reports.mjs').Reason} Reason */
/** @typedef {import('./reports.mjs').ReportFormat} ReportFormat */
/** @typedef {import('./reports.mjs').PlanReport} PlanReport */
/** @typedef {{backends?: string[], sramBytes?: number, title?: string, relaxFp32?: boolean, clockHz?: number,
 *             verdictsOnly?: boolean}} CompareChoice `backends`: some of Runtime.backends(); those of
 *           Runtime.comparedBackends() by default. `sramBytes`: fast memory of the device; that of each estimate's memory mode, where
 *           it says, by default. `title`: of the report, the name of the file for example. `relaxFp32`: FP32 may run as FP16 on those
 *           that only do so where they are told. `clockHz`: of NPUs that no clock is known of, for lower bounds of their times.
 *           `verdictsOnly`: neither estimates nor bounds, which take most of the time */
/** @typedef {{relaxFp32?: boolean, suppressInputConversion?: boolean, suppressOutputConversion?: boolean,
 *             transposeConv?: 'hardware' | 'software', fusionRules?: string, mvpu?: string[], weightBytes?: number,
 *             clockHz?: number}} PlanReportOptions what a planner may be told: `relaxFp32`: FP32 may run as FP16; the caller converts
 *  types and layouts of inputs or outputs; how TRANSPOSE_CONV runs where there is a choice; `fusionRules`: orders of fusion rules
 *  that the vendor's document leaves open, a line each; `mvpu`: operators that another accelerator takes; `weightBytes`: the
 *  accelerator's own storage for weights */
/** @typedef {import('./operators.mjs').Operator} Operator */
/** @typedef {import('./operators.mjs').Operators} Operators */
/** @typedef {import('./operators.mjs').OperatorTensor} OperatorTensor */
/** @typedef {import('./operators.mjs').OperatorCall} OperatorCall */
/** @typedef {import('./source.mjs').Bytes} Bytes */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('./source.mjs').Progress} Progress */
/** @typedef {import('./loader.mjs').WasmSource} WasmSource */
/** @typedef {{isa?: 'auto' | 'wasm-simd128' | 'wasm-relaxed', base?: string | URL, wasm?: WasmSource,
 *             threads?: number | 'auto'}} LoadOptions
 *  `isa` forces one of the two modules; `base`: where the .wasm files lie; `wasm`: the module itself, or its address; `threads`: how
 *  many each model may run on, 1 by default, 'auto' for the processors there are, up to 4. More than one needs node or a page that
 *  is cross-origin isolated: elsewhere it is one, and Runtime.oneThreadBecause says why */
/** @typedef {{subgraph?: number, input: number, shape: number[]}} InputShape of the input at a position */
/** @typedef {{inputShapes?: InputShape[], isa?: 'auto' | 'scalar' | 'wasm-simd128' | 'wasm-relaxed' | 'wasm-sdot' | 'wasm-usdot',
 *             maxMemoryBytes?: number,
 *             resizeFixed?: boolean, backend?: string, profile?: string, fallback?: boolean,
 *             keepValues?: boolean, threads?: number}} PlanOptions
 *  `maxMemoryBytes`: fail with code LIMIT above that; 2^30 by default. `resizeFixed`: inputShapes may change dimensions that the
 *  model declares fixed; without it, that is BAD_INPUT "plan.input_fixed". `backend`: one that npu_rt compiles for
 *  (Runtime.compiles) runs what it takes by the rules of `profile`, the CPU all else; `fallback`: also what it fails at. `keepValues`: all tensors
 *  keep their values until the next run, for Session.tensor and minmax; takes as much memory as all of them together. `threads`:
 *  at most so many; those of the runtime by default. Results of integers do not depend on it */

/** A module ready to open models. */
export class Runtime {
    #wasm;
    /** @param {import('./loader.mjs').LoadedModule} loaded @private */
    constructor({module, isa, bytes, threads = 1, oneThreadBecause = null}) {
        const wasm = (this.#wasm = new Wasm(module));
        /** @type {WebAssembly.Module} */ this.module = module;
        /** @type {string} wasm-simd128 or wasm-relaxed */ this.isa = isa;
        /** @type {number} how many threads a model of it may run on */ this.threads = threads;
        /** @type {string | null} why that is one although more were asked for */ this.oneThreadBecause = oneThreadBecause;
        /** @type {number} size of the module; 0 where it was given compiled */ this.moduleBytes = bytes;
        /** @type {string} */ this.version = wasm.string(wasm.call('npuw_version'));
    }

    /** Opens a model on a module instance of its own.
     *  @param {Bytes} bytes @param {{operators?: Operators}} [choice] @returns {Model} */
    open(bytes, choice) {
        return Model.open(bytes, this, choice);
    }

    /** What can judge a model: "ethos-u" (the family), every accelerator by name, then "none" (this runtime itself).
     *  @returns {string[]} */
    backends() {
        return this.#wasm.names('npuw_backend_name');
    }
    /** Those that stand for their families where NPUs are compared (Model.compare). @returns {string[]} */
    comparedBackends() {
        return this.#wasm.names('npuw_compare_backend');
    }
    /** Versions of a backend's rules, its default first; none for a name that is no backend's.
     *  @param {string} backend @returns {string[]} */
    profiles(backend) {
        if (typeof backend !== 'string')
            throw wrongType(
                'backend.name',
                `profiles takes the name of a backend, such as "${this.backends()[1]}": got ${kind(backend)}`,
            );
        return this.#wasm.withStrings([backend], (name) => this.#wasm.names('npuw_backend_profile', name));
    }
    /** Whether npu_rt compiles for a backend and runs what it takes (Model.lower, plan({backend})); others only judge.
     *  @param {string} backend @returns {boolean} */
    compiles(backend) {
        return this.#can('compiles', 'npuw_backend_compiles', backend);
    }
    /** Whether npu_rt knows how a backend's compiler would execute a model (Model.planReport).
     *  @param {string} backend @returns {boolean} */
    plans(backend) {
        return this.#can('plans', 'npuw_backend_plans', backend);
    }
    #can(what, name, backend) {
        if (typeof backend !== 'string')
            throw wrongType('backend.name', `${what} takes the name of a backend: got ${kind(backend)}`);
        return this.#wasm.withStrings([backend], (who) => Boolean(this.#wasm.call(name, who)));
    }
    /** The version of these rules under which FP32 may run as FP16; null where the backend's know no such thing.
     *  @param {string} backend @param {string} [profile] @returns {string | null} */
    relaxed(backend, profile) {
        optionalName(backend, 'backend');
        optionalName(profile, 'profile');
        return this.#wasm.withStrings(
            [backend, profile],
            (who, rules) => this.#wasm.string(this.#wasm.call('npuw_backend_relaxed', who, rules)) || null,
        );
    }
    /** Where the cost estimate can place weights and feature maps. @returns {string[]} */
    memoryModes() {
        return this.#wasm.names('npuw_memory_mode');
    }
    /** The supported-ops report of a backend, made from its rules.
     *  @param {BackendChoice & {format?: ReportFormat | 'markdown'}} choice @returns {any} a string but for JSON */
    backendOps(choice) {
        const {backend, profile, format} = judging(choice, ['backend', 'profile', 'format'], 'backendOps', this);
        return this.#wasm.report('ops', {backend, profile, format});
    }
}

/** @type {Promise<Runtime> | null} */ let loading = null;
/** @type {Runtime | null} */ let current = null;

/** Loads the module once; later calls without options return the same runtime.
 *  @param {LoadOptions} [choice] @returns {Promise<Runtime>} */
export async function load(choice) {
    const {isa, base, wasm, threads} = options(choice, ['isa', 'base', 'wasm', 'threads'], 'load'),
        many = threads === undefined ? 1 : await threadsOf(threads);
    const bring = async () => {
        const runtime = new Runtime(await (wasm === undefined ? loadThreaded(many, isa, base) : givenModule(wasm, many)));
        current ??= runtime;
        return runtime;
    };
    if (isa !== undefined || base !== undefined || wasm !== undefined || many > 1) return bring();
    if (current) return current;
    loading ??= bring().finally(() => {
        loading = null;
    });
    return loading;
}

/** Loads the module if need be, reads a model from wherever it is, and opens it.
 *  @param {Source | Promise<Source>} source
 *  @param {LoadOptions & {signal?: AbortSignal, onprogress?: (p: Progress) => void, operators?: Operators}} [choice] aborting
 *         rejects with code CANCELLED; `operators`: the caller's own, for what npu_rt lacks
 *  @returns {Promise<Model>} */
export async function openModel(source, choice) {
    const known = ['signal', 'onprogress', 'operators', 'isa', 'base', 'wasm', 'threads'],
        {signal, onprogress, operators, ...rest} = options(choice, known, 'openModel'),
        given = Object.keys(rest).length ? rest : undefined;
    checkedOperators(operators);
    const [bytes, runtime] = await Promise.all([readSource(source, {signal, onprogress}), load(given)]);
    if (signal?.aborted) throw cancelled(signal);
    const model = Model.open(bytes, runtime, {operators});
    await model.ready;
    if (!signal?.aborted) return model;
    model.close();
    throw cancelled(signal);
}

/** A verified model. Closing it closes its plans and sessions and frees all memory. */
export class Model {
    /** @type {Wasm | null} */ #wasm = null;
    #model;
    /** From bytes that are here already; openModel reads files, responses and addresses.
     *  @param {Bytes} bytes copied @param {Runtime} [runtime] that of load() by default
     *  @param {{operators?: Operators}} [choice] the caller's own operators, for what npu_rt lacks
     *  @returns {Model} throws NpuError for a broken file, TypeError for what is no bytes */
    static open(bytes, runtime = /** @type {any} */ (current), choice = undefined) {
        const file = bytesOf(bytes, 'Model.open'),
            {operators} = options(choice, ['operators'], 'Model.open');
        if (!runtime) throw misuse('web.load', 'call load() first, and wait for it: await load()');
        if (!(runtime instanceof Runtime))
            throw wrongType('web.runtime', `Model.open takes a Runtime as its second argument: got ${kind(runtime)}`);
        return new Model(file, runtime, operators);
    }
    /** @param {Uint8Array} bytes @param {Runtime} runtime @param {Operators} [operators] @private */
    constructor(bytes, runtime, operators) {
        const own = new UserOperators(checkedOperators(operators)),
            wasm = new Wasm(runtime.module, own, runtime.threads),
            at = wasm.alloc(bytes.length);
        new Uint8Array(wasm.buffer, at, bytes.length).set(bytes);
        try {
            this.#model = own.register(wasm, (list, n) => wasm.must('npuw_model_open', at, bytes.length, list, n));
        } catch (e) {
            wasm.close();
            throw e;
        }
        this.#wasm = wasm;
        /** @type {Runtime} */ this.runtime = runtime;
    }
    /** @internal */
    get wasm() {
        if (!this.#wasm) throw closed('model');
        return this.#wasm;
    }
    /** @internal */
    get handle() {
        return this.wasm && this.#model;
    }
    /** @type {boolean} */
    get closed() {
        return !this.#wasm;
    }
    /** How many threads run it now: the caller's, and those of Runtime.threads that have started. @type {number} */
    get threads() {
        return this.wasm.crew?.size ?? 1;
    }
    /** Why that is one although more were asked for. @type {string | null} */
    get oneThreadBecause() {
        const {crew} = this.wasm;
        return this.threads > 1 ? null : (this.runtime.oneThreadBecause ?? crew?.problem ?? null);
    }
    /** Settles when its threads have started. Runs before that do with those that are there. @type {Promise<void>} */
    get ready() {
        return this.wasm.crew?.ready ?? Promise.resolve();
    }
    /** Bytes of linear memory this model takes. @type {number} */
    get memoryBytes() {
        return this.wasm.buffer.byteLength;
    }

    /** @type {number} */
    get subgraphCount() {
        let n = 0;
        while (this.wasm.call('npuw_io_count', this.#model, n, 0) >= 0) n++;
        return n;
    }

    /** @param {number} [subgraph] @returns {Tensor[]} declared inputs, without data */
    inputs(subgraph = 0) {
        return this.#io(subgraph, 0);
    }
    /** @param {number} [subgraph] @returns {Tensor[]} declared outputs, without data */
    outputs(subgraph = 0) {
        return this.#io(subgraph, 1);
    }
    #io(subgraph, output) {
        const wasm = this.wasm,
            n = wasm.call('npuw_io_count', this.#model, index(subgraph, 'subgraph'), output);
        if (n < 0) throw misuse('web.subgraph', `the model has no subgraph ${subgraph}`);
        return Array.from({length: n}, (_, i) => {
            wasm.call('npuw_model_io', this.#model, subgraph, output, i);
            return new Tensor(wasm, null);
        });
    }

    /** Inputs, outputs, signatures, metadata, op counts, parameters, MACs; with a plan also its memory.
     *  @param {{plan?: Plan, format?: ReportFormat}} [choice] @returns {any} a string in the format 'text' */
    info(choice) {
        const {plan, format} = reporting(choice, ['plan', 'format'], 'info');
        if (plan !== undefined && !(plan instanceof Plan && plan.model === this))
            throw wrongType('web.plan', `info takes a plan of the same model: got ${kind(plan)}`);
        return this.wasm.report('info', {model: this.handle, plan: plan?.handle, format});
    }
    /** Every tensor and operator with its options.
     *  @param {{format?: ReportFormat}} [choice] @returns {any} a string in the format 'text' */
    dump(choice) {
        const {format} = reporting(choice, ['format'], 'dump');
        return this.wasm.report('dump', {model: this.handle, format});
    }
    /** Which operators the NPU takes; for every other one, all rules that refuse it.
     *  @template {ReportFormat} [F='json'] @param {BackendChoice & {format?: F}} choice
     *  @returns {F extends 'text' ? string : CheckReport} */
    check(choice) {
        const {backend, profile, format} = judging(choice, ['backend', 'profile', 'format'], 'check', this.runtime);
        return this.wasm.report('check', {model: this.handle, backend, profile, format});
    }
    /** What the NPU would need for the operators it takes: an estimate of cycles, time and memory.
     *  @template {ReportFormat} [F='json']
     *  @param {BackendChoice & {memoryMode?: string, clockHz?: number, format?: F}} choice `backend`: one
     *         accelerator, not a family; the usual memory mode and clock of the accelerator by default
     *  @returns {F extends 'text' ? string : CostReport} */
    cost(choice) {
        const known = ['backend', 'profile', 'memoryMode', 'clockHz', 'format'],
            {backend, profile, memoryMode, clockHz, format} = judging(choice, known, 'cost', this.runtime);
        optionalClock(clockHz);
        return this.wasm.report('cost', {model: this.handle, backend, profile, memoryMode, clockHz, format});
    }
    /** The programs that npu_rt makes of what the NPU takes, operand by operand. Throws with rule "lower.analysis_only" for a
     *  backend that npu_rt does not compile for.
     *  @template {ReportFormat | 'dot'} [F='json']
     *  @param {BackendChoice & {runtime?: string, format?: F}} choice `runtime`: version of the vendor's library that it is
     *         for, such as "8.2.24"
     *  @returns {F extends 'json' ? LowerReport : string} */
    lower(choice) {
        const known = ['backend', 'profile', 'runtime', 'format'],
            {backend, profile, runtime, format} = judging(choice, known, 'lower', this.runtime);
        return this.wasm.report('lower', {model: this.handle, backend, profile, runtime, format});
    }
    /** The model on every NPU side by side: operators and MACs taken, partitions, estimates where there are any, whether they fit the
     *  fast memory, and what refuses most.
     *  @template {CompareFormat} [F='json'] @param {CompareChoice & {format?: F}} [choice]
     *  @returns {F extends 'json' ? CompareReport : string} */
    compare(choice) {
        return this.wasm.report('compare', {model: this.handle, ...comparing(choice, this.runtime)});
    }
    /** How the vendor's compiler would execute the model, as far as its documents tell: conversions and layouts, fused operators,
     *  devices, cycles at least, bytes that move, hints. Throws with rule "plan.backend" for a backend that has no planner.
     *  @template {ReportFormat} [F='json'] @param {BackendChoice & PlanReportOptions & {format?: F}} choice
     *  @returns {F extends 'text' ? string : PlanReport} */
    planReport(choice) {
        return this.wasm.report('planReport', {model: this.handle, ...planning(choice, this.runtime)});
    }
    /** The commands of a model compiled by Vela. Throws with rule "ethos_u.no_stream" for any other one, and for a
     *  damaged stream, with what could be read in the error's `report`.
     *  @template {ReportFormat} [F='json'] @param {{format?: F}} [choice]
     *  @returns {F extends 'text' ? string : StreamReport} */
    stream(choice) {
        const {format} = reporting(choice, ['format'], 'stream');
        return this.wasm.report('stream', {model: this.handle, format});
    }

    /** Shapes, kernels and memory offsets. @param {PlanOptions} [choice] @returns {Plan} */
    plan(choice) {
        const {
            inputShapes = [],
            isa = 'auto',
            maxMemoryBytes = 0,
            resizeFixed = false,
            backend,
            profile,
            fallback = false,
            keepValues = false,
            threads = this.runtime.threads,
        } = options(choice, PLAN, 'plan');
        optionalName(backend, 'backend');
        optionalName(profile, 'profile');
        if ((profile !== undefined || fallback) && backend === undefined)
            throw misuse('backend.name', `${fallback ? 'fallback' : 'profile'} is about a backend: name it, {backend: 'neuron'}`);
        if (!ISA_CHOICES.includes(isa))
            throw misuse('web.isa', `isa must be one of ${ISA_CHOICES.join(', ')}: got ${isa}`);
        if (!(typeof maxMemoryBytes === 'number' && maxMemoryBytes >= 0 && maxMemoryBytes < 2 ** 53))
            throw misuse('web.max_memory', `maxMemoryBytes must be a number of bytes: got ${maxMemoryBytes}`);
        if (!(Number.isInteger(threads) && threads >= 1 && threads <= this.runtime.threads))
            throw misuse('web.threads', `threads must be from 1 to ${this.runtime.threads}, those of the runtime: got ${threads}`);
        const wasm = this.wasm,
            shapes = shapeRecords(inputShapes),
            at = wasm.alloc(shapes.length * recordBytes('shape'));
        shapes.forEach((one, i) => writeRecord(wasm.buffer, at + i * recordBytes('shape'), 'shape', one));
        try {
            return new Plan(
                this,
                wasm.withStrings([backend, profile], (who, rules) =>
                    wasm.must(
                        'npuw_plan_create',
                        this.#model,
                        at,
                        shapes.length,
                        ISAS[isa],
                        maxMemoryBytes,
                        resizeFixed ? 1 : 0,
                        who,
                        rules,
                        fallback ? 1 : 0,
                        keepValues ? 1 : 0,
                        threads,
                    ),
                ),
            );
        } finally {
            if (!wasm.broken) wasm.call('npuw_free', at);
        }
    }

    /** Everything of this model goes with its instance, its threads at once. Closing it again does nothing. */
    close() {
        this.#wasm?.close();
        this.#wasm = null;
    }
}

const PLAN = ['inputShapes', 'isa', 'maxMemoryBytes', 'resizeFixed', 'backend', 'profile', 'fallback', 'keepValues', 'threads'];

/** inputShapes as records of border.h. */
function shapeRecords(inputShapes) {
    const form = 'inputShapes is a list of {input: 0, shape: [1, 224, 224, 3]}';
    if (!Array.isArray(inputShapes)) throw wrongType('web.input_shapes', `${form}: got ${kind(inputShapes)}`);
    return inputShapes.map((one, i) => {
        const {
            subgraph = 0,
            input,
            shape,
        } = options(one, ['subgraph', 'input', 'shape'], `inputShapes[${i}]`, `. ${form}`);
        if (!Array.isArray(shape) && !ArrayBuffer.isView(shape))
            throw wrongType('web.input_shapes', `${form}: the shape is ${kind(shape)}`);
        const dims = Array.from(/** @type {any} */ (shape), (d, k) => index(d, `dimension ${k} of inputShapes[${i}]`));
        if (dims.length > MAX_RANK)
            throw misuse('web.rank', `a shape has at most ${MAX_RANK} dimensions: got ${dims.length}`);
        return {
            subgraph: index(subgraph, 'subgraph'),
            input: index(input, 'input, a position,'),
            rank: dims.length,
            dims,
        };
    });
}

/** A plan for one set of input shapes. */
export class Plan {
    #handle;
    /** @type {Set<Session>} */ #sessions = new Set();
    /** @param {Model} model @param {number} handle @private */
    constructor(model, handle) {
        /** @type {Model} */ this.model = model;
        this.#handle = handle;
        /** @type {string} */ this.isa = model.wasm.string(
            model.wasm.call('npuw_isa_name', model.wasm.call('npuw_plan_isa', handle)),
        );
        model.wasm.call('npuw_plan_memory', handle);
        /** @type {Record<string, number>} exact sizes in bytes, as in npu_memory */
        this.memory = model.wasm.result('memory');
    }
    /** @internal */
    get handle() {
        if (!this.#handle) throw closed('plan');
        return this.model.wasm && this.#handle;
    }
    /** @param {{profile?: boolean, trace?: boolean, subgraph?: number, maxWork?: number, runtime?: string,
     *         exactFloat32?: boolean}} [choice] `trace`: for session.trace(). `maxWork`: steps of computing that one run may take before it fails with LIMIT; 2^40 by default. `runtime`: for
     *         plans with a backend, the version of its library that is compiled for, such as "8.2.24"; `exactFloat32`: float32
     *         is not computed as float16 by it @returns {Session} */
    session(choice) {
        const {
            profile = false,
            trace = false,
            subgraph = 0,
            maxWork = 0,
            runtime,
            exactFloat32 = false,
        } = options(choice, ['profile', 'trace', 'subgraph', 'maxWork', 'runtime', 'exactFloat32'], 'session');
        optionalName(runtime, 'runtime');
        if (!(typeof maxWork === 'number' && maxWork >= 0 && maxWork < 2 ** 63))
            throw misuse('web.max_work', `maxWork must be a number: got ${maxWork}`);
        this.model.inputs(subgraph); // refuses one that does not exist
        const session = new Session(this, {profile, trace, subgraph, maxWork, runtime, exactFloat32}, () =>
            this.#sessions.delete(session),
        );
        this.#sessions.add(session);
        return session;
    }
    /** Closes its sessions too. Closing it again does nothing. */
    close() {
        for (const session of [...this.#sessions]) session.close();
        if (this.#handle && !this.model.closed && !this.model.wasm.broken)
            this.model.wasm.call('npuw_plan_destroy', this.#handle);
        this.#handle = 0;
    }
}
