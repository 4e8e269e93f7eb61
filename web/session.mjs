// One run at a time: inputs, outputs, activations, packed weights, variables.
import {closed, index, misuse, options, wrongType} from './errors.mjs';
import {Tensor} from './tensor.mjs';

/** @typedef {{name: string, subgraph: number, op: number, kernel: string, vendor: string | null, segment: number, runs: number,
 *             ns: number, macs: number}} OpProfile an operator that runs; `vendor`: the NPU's, where the plan's backend runs it;
 *  `segment`: by its first operator, whose row has the time of all, -1 for none; `runs` and `ns` need the option `profile` */

/** Memory for one run at a time. */
export class Session {
    #handle;
    #left;
    /** @param {import('./npu_rt.mjs').Plan} plan @param {{profile: boolean, subgraph: number, maxWork: number, runtime?: string,
     *         exactFloat32: boolean}} choice
     *  @param {() => void} left told when it is closed @private */
    constructor(plan, {profile, subgraph, maxWork, runtime, exactFloat32}, left) {
        /** @type {import('./npu_rt.mjs').Plan} */ this.plan = plan;
        /** @type {number} */ this.subgraph = subgraph;
        this.#left = left;
        const {wasm} = plan.model;
        this.#handle = wasm.withStrings([runtime], (version) =>
            wasm.must('npuw_session_create', plan.handle, profile ? 1 : 0, maxWork, version, exactFloat32 ? 1 : 0),
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
            tensors.push(new Tensor(wasm, () => at(i)));
        }
        return tensors;
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
