// Operators of the caller's own: functions that the module calls where a model has an operator that npu_rt lacks.
import {EXIT_CODES, MAX_RANK, PHASES} from './border.mjs';
import {index, kind, NpuError, options, wrongType} from './errors.mjs';
import {recordBytes, writeRecord} from './records.mjs';
import {typeInfo} from './types.mjs';

/** @typedef {{name: string, type: string, shape: number[], quantization: {scale: number[], zeroPoint: number[], axis: number} | null,
 *             data: any}} OperatorTensor `data`: what is stored, a view of the module's memory by the array of the type (StoredArray) that
 *  lasts as long as the callback; null where the contents are not known before a run. Inputs must not be written */
/** @typedef {{name: string, subgraph: number, op: number, bytes: Uint8Array, state: Uint8Array,
 *             stopped: (steps?: number) => boolean}} OperatorCall where it is; `bytes`: the file's custom options; `state`: in `eval`, what
 *  it keeps; `stopped`: for loops that take long, whether the run is to end (then return), told how many steps were taken */
/** @typedef {{shape?: (inputs: OperatorTensor[], options: any, call: OperatorCall) => number[] | number[][] | null,
 *             eval: (inputs: OperatorTensor[], outputs: OperatorTensor[], options: any, call: OperatorCall) => void,
 *             prepare?: (inputs: OperatorTensor[], outputs: OperatorTensor[], options: any, call: OperatorCall) => void,
 *             work?: (inputs: OperatorTensor[], outputs: OperatorTensor[]) => number,
 *             inputs?: number | [number, number], outputs?: number | [number, number], optional?: number[],
 *             state?: number, pure?: boolean}} Operator
 *  `shape`: one shape for each output, or the shape of the only one; null: it depends on data that is not there yet, ask again at each
 *  run; left out: as the model declares. `eval`: writes the data of the outputs. `prepare`: throws where the operator cannot run.
 *  `work`: steps of one run, about a nanosecond each; one for each element by default. `inputs`, `outputs`: how many, or at least and at
 *  most; any number by default. `optional`: inputs that may be left out, which are null then. `state`: bytes that a session keeps for it,
 *  zeros at first and after reset. `pure`: its results depend on inputs and options alone: computed once where these are constant.
 *  `options`: an object with the names of the file, of a flexbuffer's map or of a builtin's schema */
/** @typedef {Record<string, Operator>} Operators by name */

const KNOWN = ['shape', 'eval', 'prepare', 'work', 'inputs', 'outputs', 'optional', 'state', 'pure'];
const [SHAPE, PREPARE, EVAL, WORK] = ['shape', 'prepare', 'eval', 'work'].map((name) => PHASES.indexOf(name));
const STATUSES = Object.keys(EXIT_CODES), // by their number
    LATER = STATUSES.length;
const own = (what, name) => `the ${what} of operator "${name}"`;

function counts(given, what, name) {
    if (given === undefined) return [0, -1];
    const [least, most] = Array.isArray(given) ? given : [given, given];
    return [index(least, own(what, name)), index(most, own(what, name))];
}

/** Registrations that are what they should be. @param {any} given @returns {[string, any][]} */
export function checkedOperators(given) {
    if (given === undefined || given === null) return [];
    if (typeof given !== 'object' || Array.isArray(given))
        throw wrongType('web.operators', `operators is an object, {Name: {shape, eval}}: got ${kind(given)}`);
    return Object.entries(given).map(([name, one]) => {
        const {shape, eval: compute, prepare, work, inputs, outputs, optional = [], state = 0, pure = false} = options(
            one ?? null,
            KNOWN,
            `operator "${name}"`,
        );
        if (typeof compute !== 'function')
            throw wrongType('web.operators', `operator "${name}" needs a function eval: got ${kind(compute)}`);
        for (const [key, value] of Object.entries({shape, prepare, work}))
            if (value !== undefined && typeof value !== 'function')
                throw wrongType('web.operators', `${own(key, name)} must be a function: got ${kind(value)}`);
        if (!Array.isArray(optional))
            throw wrongType('web.operators', `${own('optional', name)} is a list of inputs: got ${kind(optional)}`);
        const [min_inputs, max_inputs] = counts(inputs, 'inputs', name),
            [min_outputs, max_outputs] = counts(outputs, 'outputs', name),
            bits = optional.reduce((all, i) => all | (1 << Math.min(index(i, own('optional', name)), 31)), 0) >>> 0,
            callbacks = (shape ? 1 << SHAPE : 0) | (1 << PREPARE) | (work ? 1 << WORK : 0),
            record = {min_inputs, max_inputs, min_outputs, max_outputs, optional_inputs: bits, pure: pure ? 1 : 0, callbacks};
        return [name, {shape, eval: compute, prepare, work, state: index(state, own('state', name)), record}];
    });
}

/** What the module calls: one for each model. */
export class UserOperators {
    #wasm;
    #all;
    #options = null; // of all operators, once one of ours is asked
    /** @type {any} what a callback threw, until it is told */ thrown = undefined;
    /** While a callback runs the model takes no calls. @type {boolean} */ inside = false;
    /** @type {number} the model's address */ model = 0;
    /** @param {[string, any][]} all of checkedOperators */
    constructor(all) {
        this.#all = all;
    }
    /** @param {import('./wasm.mjs').Wasm} wasm whose they are @param {(list: number, n: number) => number} use
     *  calls `use` with the registrations, laid out for npuw_model_open */
    register(wasm, use) {
        this.#wasm = wasm;
        const size = recordBytes('operator'),
            list = wasm.alloc(Math.max(1, this.#all.length) * size);
        return wasm.withStrings(
            this.#all.map(([name]) => name),
            (...names) => {
                names.forEach((name, i) =>
                    writeRecord(wasm.buffer, list + i * size, 'operator', {name, ...this.#all[i][1].record}),
                );
                try {
                    this.model = use(list, names.length);
                    return this.model;
                } finally {
                    if (!wasm.broken) wasm.call('npuw_free', list);
                }
            },
        );
    }

    #tensor(call, output, i) {
        const wasm = this.#wasm;
        if (!wasm.exports.npuw_call_tensor(call, output, i)) return null;
        const t = wasm.result('tensor'),
            type = wasm.string(wasm.exports.npuw_type_name(t.type)),
            {array} = typeInfo(type);
        return {
            name: wasm.string(t.name, t.name_len),
            type,
            shape: t.dims.slice(0, t.rank),
            quantization: t.channels
                ? {
                      scale: Array.from(new Float32Array(wasm.buffer, t.scales, t.channels)),
                      zeroPoint: Array.from(new Int32Array(wasm.buffer, t.zero_points, t.channels)),
                      axis: t.axis,
                  }
                : null,
            data: t.data ? new array(wasm.buffer, t.data, t.bytes / array.BYTES_PER_ELEMENT) : t.bytes ? null : new array(0),
        };
    }
    #tensors(call, output, n) {
        return Array.from({length: n}, (_, i) => this.#tensor(call, output, i));
    }

    /** Options by name, as `dump` has them. Before any view is made: it may move the module's memory. */
    #optionsOf(subgraph, op) {
        this.#options ??= this.#wasm
            .report('dump', {model: this.model})
            .subgraphs.map((g) => g.operators.map((o) => ({...o.options, ...Object(o.custom_options)})));
        return this.#options[subgraph][op];
    }

    #user(callback) {
        this.inside = true;
        try {
            const result = callback();
            if (typeof result?.then === 'function')
                throw wrongType('web.operators', 'callbacks of operators cannot be async: it gave a promise');
            return result;
        } finally {
            this.inside = false;
        }
    }

    #shapes(call, given, n) {
        const wasm = this.#wasm,
            list = n === 1 && Array.isArray(given) && given.every((d) => typeof d === 'number') ? [given] : given;
        if (given === null) return LATER;
        if (!Array.isArray(list) || list.length !== n || list.some((s) => !Array.isArray(s) && !ArrayBuffer.isView(s)))
            throw wrongType('web.operators', `shape must give a list of ${n} shapes, or null: got ${kind(given)}`);
        for (const [i, one] of list.entries()) {
            const dims = Array.from(one, (d, k) => index(d, `dimension ${k} of output ${i}`));
            writeRecord(wasm.buffer, wasm.record, 'call', {dims: dims.slice(0, MAX_RANK)});
            const status = wasm.exports.npuw_call_set_shape(call, i, dims.length);
            if (status) return status;
        }
        return 0;
    }

    #run(phase, which, call) {
        const wasm = this.#wasm,
            [name, one] = this.#all[which];
        wasm.exports.npuw_call(call, phase);
        const c = wasm.result('call'),
            named = phase === WORK ? null : this.#optionsOf(c.subgraph, c.op),
            inputs = this.#tensors(call, 0, c.inputs),
            outputs = phase === SHAPE ? [] : this.#tensors(call, 1, c.outputs),
            about = {
                name,
                subgraph: c.subgraph,
                op: c.op,
                bytes: new Uint8Array(wasm.buffer, c.options, c.options_bytes),
                state: new Uint8Array(wasm.buffer, c.state, c.state_bytes),
                stopped: (steps = 1 << 18) => Boolean(wasm.exports.npuw_call_poll(call, steps)),
            };
        if (phase === WORK) return Number(this.#user(() => one.work(inputs, outputs)));
        if (phase === SHAPE) return this.#shapes(call, this.#user(() => one.shape(inputs, named, about)), c.outputs);
        if (phase === EVAL) {
            this.#user(() => one.eval(inputs, outputs, named, about));
            return 0;
        }
        if (one.prepare) this.#user(() => one.prepare(inputs, outputs, named, about));
        return one.state && wasm.exports.npuw_call_state(call, one.state) < 0 ? STATUSES.indexOf('LIMIT') : 0;
    }

    /** The import env.user_op. Nothing is thrown through the module: it is told, and thrown again by who called it. */
    answer(phase, which, call) {
        try {
            return this.#run(phase, which, call);
        } catch (e) {
            if (phase === WORK) return 0;
            const wasm = this.#wasm,
                status = e instanceof NpuError ? STATUSES.indexOf(e.status) : 0,
                text = wasm.string0(e instanceof NpuError ? e.text : String(e?.message ?? e));
            this.thrown = e;
            const failed = status > 0 ? status : STATUSES.indexOf(phase === EVAL ? 'RUNTIME' : 'UNSUPPORTED'),
                told = wasm.exports.npuw_call_fail(call, failed, text);
            wasm.exports.npuw_free(text);
            return told;
        }
    }
}
