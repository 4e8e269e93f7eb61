// The operators of a model on this machine: what they are, what they took, and which ones no kernel is there for.
import {$, count, h, ms, percent, plural, put, shape, width} from './dom.mjs';
import {DataTable, totals} from './table.mjs';

const FIRST_MAP = 4; // of a compiled operator's inputs: stream, weights and scratch come before
export const opIndex = (subgraph, index, several) => (several ? `${subgraph}:${index}` : String(index));

const bar = (row) => [h('span.track', {'aria-hidden': 'true'}, width(h('span.fill'), row.part)), percent(row.share)];
const timed = (column) => ({...column, cell: (row) => (row.ns === undefined ? '–' : column.cell(row))});
const COUNTS = [
    {key: 'macs', title: 'MACs', n: true, value: (r) => r.macs, cell: (r) => (r.macs ? count(r.macs) : '–')},
    timed({key: 'ns', title: 'Time', n: true, value: (r) => r.ns, cell: (r) => ms(r.ns / 1e6)}),
    timed({key: 'share', title: 'Share', n: true, cls: 'nowrap', value: (r) => r.share, cell: bar}),
];
const COLUMNS = {
    each: [
        {key: 'index', title: 'Op', cls: 'op', value: (r) => r.index},
        {key: 'op', title: 'Operator', value: (r) => r.op},
        {key: 'input', title: 'Input', cls: 'mono', value: (r) => r.input},
        {key: 'output', title: 'Output', cls: 'mono', value: (r) => r.output},
        ...COUNTS,
        {key: 'kernel', title: 'Kernel', cls: 'mono', value: (r) => r.kernel},
    ],
    totals: [
        {key: 'op', title: 'Operator', value: (r) => r.op},
        {key: 'count', title: 'Count', n: true, value: (r) => r.count},
        ...COUNTS,
    ],
};

/** Operators of all subgraphs; `profile` rows (from a run or a plan) add MACs, times and kernels. */
function opRows({dump, planError}, profile) {
    const several = dump.subgraphs.length > 1,
        byOp = new Map(profile.map((p) => [`${p.subgraph}:${p.op}`, p]));
    const tensor = (g, i) => (g.tensors[i] ? `${g.tensors[i].type.toLowerCase()} ${shape(g.tensors[i].shape)}` : '–');
    return dump.subgraphs.flatMap((g) =>
        g.operators.map((op) => {
            const p = byOp.get(`${g.index}:${op.index}`);
            return {
                index: opIndex(g.index, op.index, several),
                op: op.op,
                input: tensor(g, op.inputs[op.op === 'ethos-u' ? FIRST_MAP : 0]),
                output: tensor(g, op.outputs[0]),
                macs: p?.macs,
                ns: p?.runs ? p.ns / p.runs : undefined,
                kernel: op.known ? (p?.kernel ?? (planError ? 'not planned' : 'folded')) : 'no kernel',
            };
        }),
    );
}

/** Shares of the whole, and of the largest for the bars. */
function shares(rows) {
    const total = rows.reduce((n, r) => n + (r.ns ?? 0), 0),
        most = rows.reduce((n, r) => Math.max(n, r.ns ?? 0), 0);
    for (const r of rows) if (r.ns !== undefined) [r.share, r.part] = [r.ns / (total || 1), r.ns / (most || 1)];
    return rows;
}

export class OpsTable {
    #table;
    /** @param {() => string} file the model's name */
    constructor(file) {
        this.#table = new DataTable({id: 'ops', name: 'operators', views: COLUMNS, file});
    }
    /** @param {object} model @param {object[]} profile @param {boolean} timed from a run */
    show(model, profile = [], timed = false) {
        const rows = shares(opRows(model, profile)),
            sums = shares(totals(rows, ['macs', 'ns'])),
            ns = rows.reduce((n, r) => n + (r.ns ?? 0), 0),
            macs = rows.reduce((n, r) => n + (r.macs ?? 0), 0);
        $('ops-text').textContent = timed
            ? 'Times are means over the timed runs.'
            : model.planError
              ? 'This model cannot run, so there are no times.'
              : 'Run the model to see where its time goes.';
        const foot = timed ? {macs: macs ? count(macs) : '–', ns: ms(ns / 1e6)} : {};
        this.#table.show(rows, sums, {foot});
    }
}

/** What no kernel is there for: every kind, how often, and where it is first. */
export function missing(dump) {
    const several = dump.subgraphs.length > 1,
        kinds = new Map();
    for (const g of dump.subgraphs)
        for (const op of g.operators) {
            if (op.known) continue;
            const kind = kinds.get(op.op) ?? {op: op.op, count: 0, first: opIndex(g.index, op.index, several)};
            kinds.set(op.op, kind);
            kind.count++;
        }
    return [...kinds.values()];
}

export function showMissing({dump}) {
    const kinds = missing(dump),
        n = kinds.reduce((sum, k) => sum + k.count, 0);
    $('missing').hidden = !kinds.length;
    if (!kinds.length) return;
    $('missing-text').textContent =
        `This build has no kernel for ${plural(kinds.length, 'kind')} of operator, used ${n === 1 ? 'once' : `${n.toLocaleString('en')} times`}. ` +
        'The model opens and can be judged, but not run.';
    const rows = kinds.map((k) =>
        h('tr', null, h('td', null, k.op), h('td.n', null, String(k.count)), h('td.n', null, k.first)),
    );
    put($('missing-ops').tBodies[0], rows);
}
