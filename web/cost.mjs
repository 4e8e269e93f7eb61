// What a model would cost on the NPU: the estimate as a whole and by operator.
import {$, bytes, count, h, ms, percent, put, say, tiles, width} from './dom.mjs';
import {opIndex} from './ops.mjs';
import {DataTable, totals} from './table.mjs';
import {COMPILED, opName} from './verdicts.mjs';

const LIMITS = [
    // what an operator waits for: field of the report, words (null: the name of the slow memory), colour of its bar
    ['npu_cycles', 'computing', 'c1'],
    ['sram_cycles', 'SRAM', 'c2'],
    ['store_cycles', null, 'c3'],
];
const WHY = {'NPU, fused': 'part of its neighbour', CPU: 'on the CPU: not estimated', none: 'nothing to do'};
const storeName = ({store}) => (store === 'dram' ? 'DRAM' : 'Flash');

/** Only operators with operations of their own have figures; the others say why. */
const known = (column) => ({...column, cell: (r) => (r.cycles === undefined ? '' : (column.cell ?? column.value)(r))});
const bar = (r) => [
    h('span.track', {'aria-hidden': 'true'}, width(h(`span.fill.${r.colour ?? 'c1'}`), r.part)),
    r.cycles.toLocaleString('en'),
];
const CYCLES = {key: 'cycles', title: 'Estimated cycles', n: true, cls: 'nowrap', value: (r) => r.cycles};
const TIME = known({key: 'seconds', title: 'Time', n: true, value: (r) => r.seconds, cell: (r) => ms(1e3 * r.seconds)});
const STORE = known({
    key: 'store_bytes',
    title: 'Flash',
    n: true,
    value: (r) => r.store_bytes,
    cell: (r) => (r.store_bytes ? bytes(r.store_bytes) : '–'),
});
const COLUMNS = {
    each: [
        {key: 'index', title: 'Op', cls: 'op', value: (r) => r.index},
        {key: 'op', title: 'Operator', cls: 'kind', value: (r) => r.op, cell: opName},
        {...CYCLES, cell: (r) => (r.cycles === undefined ? h('span.quiet', null, r.why) : bar(r))},
        TIME,
        {key: 'limit', title: 'Limited by', value: (r) => r.limit ?? r.why, cell: (r) => r.limit ?? ''},
        known({
            key: 'utilisation',
            title: 'MAC units used',
            n: true,
            value: (r) => (r.macs ? r.utilisation : undefined),
            cell: (r) => (r.macs ? percent(r.utilisation) : '–'),
        }),
        known({
            key: 'sram_bytes',
            title: 'SRAM in use',
            n: true,
            value: (r) => r.sram_bytes,
            cell: (r) => bytes(r.sram_bytes),
        }),
        STORE,
        {key: 'output', title: 'Output', hidden: true, value: (r) => r.output},
    ],
    totals: [
        {key: 'op', title: 'Operator', cls: 'kind', value: (r) => r.op},
        {key: 'count', title: 'Count', n: true, value: (r) => r.count},
        {...CYCLES, cell: (r) => (r.cycles === undefined ? '–' : bar(r))},
        known({key: 'share', title: 'Share', n: true, value: (r) => r.share, cell: (r) => percent(r.share)}),
        TIME,
        {key: 'macs', title: 'MACs', n: true, value: (r) => r.macs, cell: (r) => (r.macs ? count(r.macs) : '–')},
        STORE,
    ],
};

/** What sets the pace of an operator: the largest of its three counts. */
const limit = (op) => LIMITS.reduce((best, next) => (op[next[0]] > op[best[0]] ? next : best));

function costRows(cost, several) {
    const most = cost.ops.reduce((n, op) => Math.max(n, op.cycles ?? 0), 1);
    return cost.ops.map((op) => {
        const row = {...op, index: opIndex(op.subgraph, op.index, several)};
        if (op.cycles === undefined)
            return {...row, why: op.op === COMPILED ? 'compiled: not estimated' : (WHY[op.runs_on] ?? op.runs_on)};
        const [, words, colour] = limit(op);
        return {
            ...row,
            seconds: op.cycles / cost.clock_hz,
            part: op.cycles / most,
            limit: words ?? storeName(cost),
            colour,
        };
    });
}

export class Cost {
    #table;
    /** @param {() => string} file the model's name */
    constructor(file) {
        this.#table = new DataTable({id: 'cost', name: 'costs', views: COLUMNS, file});
    }

    /** What to say where there is no estimate, or none yet. */
    clear(text) {
        $('cost-body').hidden = true;
        $('clock').placeholder = '';
        put($('cost-tiles'));
        say($('cost-text'), text);
        this.#table.clear();
    }

    show({cost}, several) {
        if (cost.error) return this.clear(`No estimate: ${cost.error.message}`);
        if (!cost.ops.some((op) => op.cycles !== undefined))
            return this.clear('Nothing of this model would run there.');
        $('cost-body').hidden = false;
        const s = cost.summary,
            store = storeName(cost),
            time = ms(1e3 * s.seconds),
            mhz = cost.clock_hz / 1e6;
        $('clock').placeholder = String(mhz);
        $('memory-mode').options[0].textContent = $('memory-mode').value ? 'usual' : `usual (${cost.memory_mode})`;
        say(
            $('cost-text'),
            `Estimate for ${cost.accelerator} at ${mhz} MHz, ${cost.memory_mode}: ${count(s.cycles)} cycles, ${time}`,
        );
        put(
            $('cost-tiles'),
            tiles([
                ['Estimated cycles', count(s.cycles)],
                ['Estimated time', time, `at ${mhz} MHz`],
                ['MAC units used', percent(s.utilisation)],
                ['SRAM at the peak', bytes(s.sram_bytes)],
                [store, bytes(s.store_bytes)],
            ]),
        );
        const rows = costRows(cost, several),
            sums = totals(rows, ['cycles', 'seconds', 'macs', 'store_bytes']),
            most = sums.reduce((n, r) => Math.max(n, r.cycles ?? 0), 1);
        for (const r of sums)
            if (r.cycles !== undefined) [r.part, r.share] = [r.cycles / most, r.cycles / (s.cycles || 1)];
        return this.#table.show(rows, sums, {
            json: cost,
            titles: {store_bytes: store},
            foot: {
                label: 'In all (estimate)',
                cycles: s.cycles.toLocaleString('en'),
                seconds: time,
                utilisation: percent(s.utilisation),
                sram_bytes: bytes(s.sram_bytes),
                store_bytes: bytes(s.store_bytes),
            },
        });
    }
}
