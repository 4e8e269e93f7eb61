// The reports of the runtime: how they are asked for, and what their JSON holds.
import {FORMATS, REPORTS} from './border.mjs';
import {readRecord, recordBytes, writeRecord} from './records.mjs';

/** @typedef {'json' | 'text'} ReportFormat 'markdown' as well for the supported-ops report, 'dot' for what is lowered */
/** @typedef {'json' | 'text' | 'markdown' | 'html'} CompareFormat 'html': a page of its own, with every operator on every NPU;
 *           it needs no script and no other file */

/** @typedef {object} BackendChoice what judges a model
 *  @property {string} backend one of Runtime.backends()
 *  @property {string} [profile] one of Runtime.profiles(backend); the first of them by default */

/** @typedef {object} Reason a rule that refuses an operator
 *  @property {string} rule stable id
 *  @property {string} text the rule in words
 *  @property {string} got measured value
 *  @property {string} limit values allowed
 *  @property {string} hint what to change
 *  @property {string} source where the rule is written down */

/** @typedef {Reason} Warning what becomes of an operator that is placed, although its model says something else: `text`; `hint` is
 *           what follows, `limit` what a model may say instead */

/** @typedef {object} RefusingRule a rule with the operators that it refuses
 *  @property {string} rule stable id
 *  @property {string} text the rule in words
 *  @property {string} limit values allowed
 *  @property {string} hint what to change
 *  @property {string} source where the rule is written down
 *  @property {number} count operators refused by it
 *  @property {{op: string, count: number}[]} ops the same, for each kind of operator */

/** @typedef {{subgraph: number, index: number, name: string, bytecode?: string, bytes?: number, software?: boolean}} CompiledPart
 *  an operator DISPATCH_OP, which LiteRT's plugin for MediaTek left: whom its bytecode is for, and whether the software adapter
 *  runs it; none where the file has no such bytecode */
/** @typedef {object} CompiledOp an operator that the vendor's compiler made, from its command stream
 *  @property {number} subgraph
 *  @property {number} index
 *  @property {string | null} accelerator that it was compiled for
 *  @property {string | null} problem why it cannot be read
 *  @property {number} words of the stream
 *  @property {{conv: number, depthwise: number, pool: number, elementwise: number, dma: number}} operations of each kind
 *  @property {number} read_only_bytes weights, scales, tables
 *  @property {number} scratch_bytes feature maps
 *  @property {number} fast_scratch_bytes */

/** @typedef {object} CheckReport
 *  @property {string} backend
 *  @property {string | null} accelerator null where the backend is a family
 *  @property {string} profile
 *  @property {{ops: number, ops_placed: number, ops_dropped: number, macs: number, macs_placed: number,
 *              partitions: number, switches: number, refused_once: number}} summary `switches`: how often execution
 *              changes between NPU and CPU; `refused_once`: of the refused, those that run once while planning
 *  @property {RefusingRule[]} rules those that refuse, the one that refuses most first
 *  @property {RefusingRule[]} warnings about operators that are placed, likewise
 *  @property {CompiledOp[] | CompiledPart[]} compiled those of Vela, or of LiteRT's plugin for MediaTek, as the backend says
 *  @property {boolean} only_refused whether `ops` leaves out what is placed
 *  @property {{subgraph: number, index: number, op: string, output: string, placed: boolean, dropped: boolean, once: boolean,
 *              reasons: Reason[], warnings: Warning[]}[]} ops `dropped`: nothing in the compiled network needs it, so it runs nowhere;
 *              `once`: it runs while planning, on constants only */

/** @typedef {object} CostOp an operator; what follows `macs` stands there for operators with operations of their own
 *  @property {number} subgraph
 *  @property {number} index
 *  @property {string} op
 *  @property {string} output
 *  @property {'NPU' | 'NPU, fused' | 'CPU' | 'none'} runs_on fused: a neighbour computes it on the way; CPU: not
 *            estimated; none: known while compiling, or another view of the same bytes
 *  @property {number} macs
 *  @property {number} [cycles] the largest of the next three
 *  @property {number} [npu_cycles] computing
 *  @property {number} [sram_cycles] moving data of the fast memory
 *  @property {number} [store_cycles] moving data of the slow memory
 *  @property {number} [utilisation] 0 to 1: MACs as a share of what the MAC units could do in that time
 *  @property {number} [sram_bytes] fast memory in use while it runs
 *  @property {number} [store_bytes] coded weights, scales and tables
 *  @property {number} [operations] of the NPU
 *  @property {number[]} [block] height, width and channels of its output blocks */

/** @typedef {object} CostReport an estimate, not a measurement
 *  @property {true} estimate
 *  @property {string} backend
 *  @property {string} accelerator
 *  @property {string} profile
 *  @property {string} memory_mode
 *  @property {string} store what the slow memory is: "flash" or "dram"
 *  @property {number} clock_hz
 *  @property {CompiledOp[]} compiled not in the estimate
 *  @property {CostOp[]} ops
 *  @property {{estimate: true, ops: number, ops_placed: number, switches: number, macs: number, macs_placed: number,
 *              cycles: number, npu_cycles: number, sram_cycles: number, store_cycles: number, seconds: number,
 *              utilisation: number, sram_bytes: number, store_bytes: number}} summary */

/** @typedef {object} Fit what one NPU would make of the model
 *  @property {string} backend
 *  @property {string} profile its rules, the default ones
 *  @property {number} ops
 *  @property {number} ops_placed
 *  @property {number} ops_dropped
 *  @property {number} macs
 *  @property {number} macs_placed
 *  @property {number} partitions
 *  @property {number} switches
 *  @property {number} warnings rules that warn about operators that are taken
 *  @property {{cycles: number, seconds: number, utilisation: number, memory_mode: string, sram_bytes: number, store: string,
 *              store_bytes: number, accuracy: string} | null} estimate of what the NPU takes, not a measurement; null: unknown.
 *              `accuracy`: how far off such estimates were, and of what, or "not validated"
 *  @property {{cycles: number, seconds: number | null, external_bytes: number, ops_unknown: number, accuracy: string} | null}
 *              lower_bound what Model.planReport says at least, where it has a planner; `seconds`: at the caller's clock, null
 *              without one; `external_bytes`: read and written in external memory; `ops_unknown`: placed operators that no rate
 *              is stated for, which count nothing
 *  @property {{profile: string, ops_placed: number, macs_placed: number, partitions: number, switches: number} | null}
 *              with_relax_fp32 what it would take if FP32 might run as FP16; null where that is no more
 *  @property {number | null} sram_limit fast memory in bytes: the caller's, or the memory mode's; null where neither says
 *  @property {boolean | null} fits whether the estimate's fast memory is within the limit; null where one of them is unknown
 *  @property {number} reasons rules that refuse operators, all of them
 *  @property {{rule: string, text: string, limit: string, hint: string, ops: number}[]} first_reasons those that refuse most */

/** @typedef {object} CompareReport
 *  @property {string} [title]
 *  @property {Fit[]} npus in the order in which they were asked for */

/** @typedef {'MDLA' | 'MVPU' | 'CPU' | 'runtime' | 'none'} PlanDevice runtime: control flow; none: computed when it is compiled */
/** @typedef {'rate' | 'lower bound' | 'unknown'} PlanKnown how well cycles are known */

/** @typedef {object} PlanPhase neighbours in execution order on one device
 *  @property {PlanDevice} device
 *  @property {string} memory that the device works in
 *  @property {number} first operator
 *  @property {number} last operator
 *  @property {number} operators
 *  @property {number} macs
 *  @property {PlanKnown} known
 *  @property {number} cycles at least
 *  @property {number} in_bytes that come from other devices and the caller
 *  @property {number} out_bytes that go to them
 *  @property {number} copied_bytes of these, between memories
 *  @property {number} relayout_bytes read and written where layouts change
 *  @property {boolean} cache_sync whether caches are synchronised before it */

/** @typedef {object} PlanOp an operator; `group` to `utilisation` stand there for those on the MDLA
 *  @property {number} index
 *  @property {string} op
 *  @property {string} output
 *  @property {PlanDevice} device
 *  @property {number} macs
 *  @property {number} [group] that it runs in
 *  @property {PlanKnown} [known]
 *  @property {number} [cycles] at least
 *  @property {number} [utilisation] 0 to 1: MACs as a share of what the units could do in these cycles
 *  @property {number} [activation_cycles] of the fused activation
 *  @property {'hardware' | 'enlarged' | 'dma'} [broadcast] who broadcasts
 *  @property {number} [enlarged_bytes] of a constant that is made as large as the other input
 *  @property {number} [extra_bytes] read and written by transfers beside the operator
 *  @property {number} [dummy_bytes] read without need
 *  @property {'input' | 'output'} [requantize_inserted] where
 *  @property {string} [mapped] the operator that stands for it on the device
 *  @property {boolean} [eliminated]
 *  @property {boolean} [pad_fused]
 *  @property {boolean} [hybrid] float data, quantized weights */

/** @typedef {object} PlanReport what is known of the compiler's plan: an estimate of lower bounds
 *  @property {true} estimate
 *  @property {string} backend
 *  @property {string} profile
 *  @property {string} document that it follows
 *  @property {{ops: number, ops_placed: number, ops_compiled: number, phases: number, switches: number, groups: number,
 *              chains: number, ops_unknown: number, hints: number, macs: number, macs_placed: number, cycles_at_least: number,
 *              seconds_at_least?: number, convert_bytes: number, relayout_bytes: number, relayout_constant_bytes: number,
 *              extra_bytes: number, dummy_bytes: number, external_bytes: number, external_bytes_chained: number}} summary
 *  @property {{type: string, ops: number, macs: number, op_cycles: number}[]} types what the MDLA runs of each type of data
 *  @property {{subgraph: number, phases: PlanPhase[], ops: PlanOp[],
 *              groups: {group: number, rule: string, supplied_order: boolean, first: number, last: number, operators: number,
 *                       chain: number, known: PlanKnown, cycles: number, read_bytes: number, weight_bytes: number,
 *                       written_bytes: number}[],
 *              chains: {first_group: number, last_group: number, groups: number, supplied_order: boolean, storage_given: boolean,
 *                       weight_bytes: number, external_bytes_without: number, external_bytes_with: number}[],
 *              tensors: {index: number, name: string, type: string, layout: string, bytes: number, laid_bytes: number,
 *                        relayout: 'none' | 'run time' | 'compile time', converted: boolean, input: boolean,
 *                        output: boolean}[]}[]} subgraphs
 *  @property {{subgraph: number, index: number, op: string, hint: string, got: string, limit: string, text: string,
 *              suggestion: string, section: string, gain_bytes: number, gain_cycles: number}[]} hints of the document that the
 *              model goes against; a gain of 0 is not known
 *  @property {({hint: string, suggestion: string} & Record<string, any>)[]} network_hints of the network as a whole, with how many
 *              bytes, switches or operators it is about
 *  @property {string[]} assumed
 *  @property {string[]} unknown */

/** @typedef {object} StreamReport
 *  @property {{subgraph: number, op: number,
 *              config: {processor: string, product: number, macs_per_cycle: number, cores: number,
 *                       shram_bytes: number, stream_version: number, payload_bytes: number, first_word: number,
 *                       words: number},
 *              regions: {region: number, use: string, bytes: number, tensor: string}[],
 *              commands: ({word: number, name: string, param: number, payload?: number} & Record<string, any>)[],
 *              error?: {rule: string, word: number, text: string}}[]} streams one for each operator "ethos-u" */

/** @typedef {object} LoweredOperand
 *  @property {string} type
 *  @property {number} code
 *  @property {number[]} dims none: a scalar; -1: open until a run starts
 *  @property {number} scale 0: none, or one a channel
 *  @property {number} scale_bits the same, to the bit
 *  @property {number} zero_point
 *  @property {{axis: number, count: number, scales_fnv1a?: string, zero_points_fnv1a?: string}} [channels]
 *  @property {number} [bytes] of a constant
 *  @property {string} [fnv1a] hash of its contents, 64 bits; left out where a file shares constants too often
 *  @property {string} [tensor] the model's, by its name */

/** @typedef {object} LowerReport
 *  @property {string} backend
 *  @property {string} profile
 *  @property {{segment: number, subgraph: number, operators: number[], inputs: number[], outputs: number[],
 *              operands: LoweredOperand[], operations: {operation: string, code?: number, extension?: string,
 *              inputs: number[], outputs: number[], operator: number}[]}[]} segments what runs as one */

export const isFormat = (format) => FORMATS.includes(format);

/** Asks the module. Names that are missing become NULL.
 *  @param {any} wasm
 *  @param {string} kind
 *  @param {string} format
 *  @param {{model?: number, plan?: number, clockHz?: number, sramBytes?: number, weightBytes?: number, backends?: string[],
 *           backend?: string, profile?: string, memoryMode?: string, runtime?: string, title?: string, fusionRules?: string,
 *           mvpu?: string, relaxFp32?: boolean, verdictsOnly?: boolean, suppressInputConversion?: boolean,
 *           suppressOutputConversion?: boolean, softwareTransposeConv?: boolean}} about handles and choices
 *  @returns {{ok: boolean, text: string}} */
export function ask(wasm, kind, format, about) {
    const {model = 0, plan = 0, clockHz = 0, sramBytes = 0, weightBytes = 0, backends, ...names} = about,
        taken = [];
    const keep = (p) => {
        taken.push(p);
        return p;
    };
    const name = (s) => (s === undefined || s === null ? 0 : keep(wasm.string0(s)));
    try {
        const question = keep(wasm.alloc(recordBytes('question'))),
            list = (backends ?? []).map(name),
            at = backends ? keep(wasm.alloc(4 * list.length)) : 0;
        const values = {
            report: REPORTS.indexOf(kind),
            format: FORMATS.indexOf(format),
            model,
            plan,
            backend: name(names.backend),
            profile: name(names.profile),
            memory_mode: name(names.memoryMode),
            runtime: name(names.runtime),
            backends: at,
            n_backends: list.length,
            title: name(names.title),
            fusion_rules: name(names.fusionRules),
            mvpu: name(names.mvpu),
            relax_fp32: Number(names.relaxFp32 ?? false),
            verdicts_only: Number(names.verdictsOnly ?? false),
            suppress_input_conversion: Number(names.suppressInputConversion ?? false),
            suppress_output_conversion: Number(names.suppressOutputConversion ?? false),
            software_transpose_conv: Number(names.softwareTransposeConv ?? false),
            clock_hz: clockHz,
            sram_bytes: sramBytes,
            weight_bytes: weightBytes,
        };
        writeRecord(wasm.buffer, question, 'question', values); // after all allocations: they may move the memory
        if (at) new Uint32Array(wasm.buffer, at, list.length).set(list);
        const ok = Boolean(wasm.call('npuw_report', question)),
            answer = readRecord(wasm.buffer, question, 'question'),
            text = wasm.string(answer.text, answer.text_bytes);
        wasm.call('npuw_free', answer.text);
        return {ok, text};
    } finally {
        if (!wasm.broken) for (const p of taken) wasm.call('npuw_free', p);
    }
}
