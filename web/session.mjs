// One run at a time: inputs, outputs, activations, packed weights, variables.
import {closed, index, misuse, options, wrongType} from './errors.mjs';
import {withItems} from './strings.mjs';
import {Tensor} from './tensor.mjs';

/** @typedef {{name: string, subgraph: number, op: number, kernel: string, vendor: string | null, segment: number, runs: number,
 *             ns: number, macs: number}} OpProfile an operator that runs; `vendor`: the NPU's, where the plan's backend runs it;
 *  `segment`: by its first operator, whose row has the time of all, -1 for none; `runs` and `ns` need the option `profile` */

/** @param {ArrayLike<number>} values */
function range(values) {
    let min = Infinity,
        max = -Infinity,
        notFinite = 0;
    for (let i = 0; i < values.length; i++) {
        const v = values[i];
        if (!Number.isFinite(v)) notFinite++;
        else if (v < min || v > max) [min, max] = [Math.min(min, v), Math.max(max, v)];
    }
    const any = values.length > notFinite;
    return {min: any ? min : null, max: any ? max : null, values: values.length, notFinite};
}

/** Memory for one run at a time. */
export class Session {
    #handle;
    /** @type {Map<number, Uint8Array[]>} strings that inputs were given */ #strings = new Map();
    #left;
    /** @param {import('./npu_rt.mjs').Plan} plan @param {{profile: boolean, trace: boolean, subgraph: number, maxWork: number,
     *         runtime?: string, exactFloat32: boolean}} choice
     *  @param {() => void} left told when it is closed @private */
    constructor(plan, {profile, trace, subgraph, maxWork, runtime, exactFloat32}, left) {
        /** @type {import('./npu_rt.mjs').Plan} */ this.plan = plan;
        /** @type {number} */ this.subgraph = subgraph;
        this.#left = left;
        const {wasm} = plan.model;
        this.#handle = wasm.withStrings([runtime], (version) =>
            wasm.must(
                'npuw_session_create',
                plan.handle,
                profile ? 1 : 0,
                maxWork,
                version,
                exactFloat32 ? 1 : 0,
                trace ? 1 : 0,
            ),
        );
    }
    /** The module, as long as everything above this session is open. */
    get #wasm() {
        const {wasm} = this.plan.model;
        if (!this.#handle) throw closed('session');
        return wasm;
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
        const wasm = this.#wasm,
            tensors = [],
            at = (i) => this.#wasm.call('npuw_session_io', this.#handle, this.subgraph, output, i);
        while (at(tensors.length)) {
            const i = tensors.length;
            tensors.push(new Tensor(wasm, () => at(i), output ? undefined : this.#stringsOf(i)));
        }
        return tensors;
    }

    #stringsOf(i) {
        return {
            get: () => this.#strings.get(i),
            set: (items) => {
                const wasm = this.#wasm,
                    call = (...list) => wasm.must('npuw_set_strings', this.#handle, this.subgraph, i, ...list);
                withItems(wasm, items, call);
                this.#strings.set(i, items);
            },
        };
    }

    /** Runs the subgraph once. Throws NpuError: with code CANCELLED when `timeLimitMs` have passed; the session can be
     *  used again. No AbortSignal can reach a run on its own thread: run in a worker (WorkerModel) for that.
     *  @param {{timeLimitMs?: number}} [choice] */
    run(choice) {
        const wasm = this.#wasm,
            hint = '. Inputs are written before: session.inputs[0].set(values)';
        if (/** @type {any} */ (choice)?.signal)
            throw wrongType('web.signal', 'no signal reaches a run on its own thread: use WorkerModel, or timeLimitMs');
        const {timeLimitMs} = options(choice, ['timeLimitMs'], 'run', hint);
        if (timeLimitMs !== undefined && !(typeof timeLimitMs === 'number' && timeLimitMs > 0))
            throw misuse('web.time_limit', `timeLimitMs must be above 0: got ${timeLimitMs}`);
        wasm.must('npuw_invoke', this.#handle, this.subgraph, timeLimitMs ?? 0);
    }
    /** What it has allocated beside the plan's session_bytes, in bytes: tensors whose shapes depend on data, and the most
     *  of them at a time with the work memory of their operators.
     *  @returns {{dynamic_bytes: number, peak_dynamic_bytes: number}} */
    get memory() {
        const wasm = this.#wasm;
        wasm.call('npuw_session_memory', this.#handle);
        return /** @type {any} */ (wasm.result('usage'));
    }
    /** Variables and op state back to their initial values. */
    reset() {
        this.#wasm.call('npuw_session_reset', this.#handle);
    }

    /** One row for each op that runs. @param {number} [subgraph] @returns {OpProfile[]} */
    profile(subgraph = this.subgraph) {
        const rows = [],
            wasm = this.#wasm;
        index(subgraph, 'subgraph');
        while (wasm.call('npuw_op_profile', this.#handle, subgraph, rows.length)) {
            const {name, name_len, kernel, vendor, ...rest} = wasm.result('op_profile');
            rows.push({
                name: wasm.string(name, name_len),
                subgraph,
                kernel: wasm.string(kernel),
                vendor: vendor ? wasm.string(vendor) : null,
                ...rest,
            });
        }
        return rows;
    }
    /** Any tensor between operators, by its index (model.dump()) or name, with what it held last. Constants and outputs are there
     *  always, others where the plan kept them: model.plan({keepValues: true}). Throws NpuError: "session.not_kept",
     *  "session.no_value", "api.tensor".
     *  @param {number | string} which @param {number} [subgraph] @returns {Tensor} */
    tensor(which, subgraph = this.subgraph) {
        const wasm = this.#wasm,
            i = typeof which === 'string' ? this.#find(which, index(subgraph, 'subgraph')) : index(which, 'tensor');
        return new Tensor(wasm, () => {
            this.#wasm.must('npuw_session_tensor', this.#handle, index(subgraph, 'subgraph'), i);
        });
    }
    #find(name, subgraph) {
        const wasm = this.#wasm,
            {handle} = this.plan.model;
        for (let i = 0; wasm.call('npuw_model_tensor', handle, subgraph, i); i++) {
            const t = wasm.result('tensor');
            if (wasm.string(t.name, t.name_len) === name) return i;
        }
        throw misuse('api.tensor', `subgraph ${subgraph} has no tensor "${name}": model.dump() lists them`);
    }

    /** The smallest and the largest value that each float tensor of the subgraph holds now, NaN and infinities not counted. Needs
     *  model.plan({keepValues: true}). Tensors that nothing has computed are left out.
     *  @returns {{index: number, name: string, type: string, shape: number[], min: number | null, max: number | null,
     *             values: number, notFinite: number}[]} */
    minmax() {
        const wasm = this.#wasm,
            {handle} = this.plan.model,
            rows = [];
        for (let i = 0; wasm.call('npuw_model_tensor', handle, this.subgraph, i); i++) {
            const type = wasm.string(wasm.call('npuw_type_name', wasm.result('tensor').type)),
                held = /^B?FLOAT\d+$/.test(type) ? this.#held(i) : null;
            if (held) rows.push({index: i, name: held.name, type: held.type, shape: held.shape, ...range(held.real)});
        }
        return rows;
    }
    #held(i) {
        try {
            return this.tensor(i);
        } catch (e) {
            if (e.rule === 'session.no_value') return null;
            throw e;
        }
    }

    /** The last run as trace events that Perfetto and chrome://tracing open: JSON.stringify({traceEvents: session.trace()}). Needs
     *  the option `trace`; empty where another session of the model ran since.
     *  @returns {{name: string, cat: string, ph: string, pid: number, tid: number, ts: number, dur: number,
     *             args: Record<string, any>}[]} in microseconds from the run's start */
    trace() {
        const events = [],
            wasm = this.#wasm;
        for (let i = 0; wasm.call('npuw_trace_event', this.#handle, i); i++) {
            const {name, name_len, kernel, subgraph, op, depth, start_ns, ns, macs} = wasm.result('event'),
                text = wasm.string(name, name_len);
            events.push({
                name: op < 0 ? `subgraph ${subgraph}` : text,
                cat: op < 0 ? 'subgraph' : 'operator',
                ph: 'X',
                pid: 1,
                tid: 1,
                ts: start_ns / 1000,
                dur: ns / 1000,
                args: op < 0 ? {subgraph, name: text, depth} : {subgraph, op, depth, kernel: wasm.string(kernel), macs},
            });
        }
        return events.sort((a, b) => a.ts - b.ts || b.dur - a.dur || a.args.depth - b.args.depth);
    }
    clearProfile() {
        this.#wasm.call('npuw_profile_clear', this.#handle);
    }

    /** Closing it again does nothing. */
    close() {
        const {model} = this.plan;
        if (this.#handle && !model.closed && !model.wasm.broken) model.wasm.call('npuw_session_destroy', this.#handle);
        if (this.#handle) this.#left();
        this.#handle = 0;
    }
}
