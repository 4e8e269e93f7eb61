// What there is to draw of a graph: operators with who runs them, the segments they stand in, and edges between them.

export const AT_ONCE = 300; // operators that are laid out in less than two seconds

/** Who runs an operator: class in the style sheet, sign, words. */
export const RUNNERS = {
    npu: ['✓', 'the NPU'],
    cpu: ['✕', 'the CPU'],
    once: ['✕', 'the CPU, once, when the model is loaded'],
    dropped: ['–', 'nobody: nothing in the compiled network needs it'],
    unknown: ['?', 'not judged'],
};

/** Of backend "none", this runtime itself. */
export const KERNELS = {...RUNNERS, npu: ['✓', 'a kernel'], cpu: ['✕', 'nobody: there is no kernel']};

/** @typedef {{subgraph: number, first: number, count: number}} Part operators that are drawn together */
/** @typedef {{op: any, verdict: any, cost: any, runner: string, segment: number, before: number[], after: number[]}} Node
 *  `op` of the dump, `verdict` and `cost` of the reports; `segment` counts over the model, -1: none; `before`, `after`: indices
 *  of the operators of its subgraph that it reads from and that read from it */

function runner(verdict) {
    if (!verdict) return 'unknown';
    if (verdict.dropped) return 'dropped';
    return verdict.placed ? 'npu' : verdict.once ? 'once' : 'cpu';
}

const byPlace = (report) => new Map((report?.ops ?? []).map((op) => [`${op.subgraph}:${op.index}`, op]));

/** Operators of every subgraph. Segments are those of the reports: neighbours in execution order that all go to the NPU.
 *  @param {any} dump @param {any} check @param {any} cost reports, or what went wrong @returns {Node[][]} */
export function graphs(dump, check, cost) {
    const verdicts = byPlace(check),
        costs = byPlace(cost);
    let segment = -1;
    return dump.subgraphs.map((g) => {
        const maker = new Map();
        let open = false;
        const nodes = g.operators.map((op, i) => {
            const key = `${g.index}:${op.index}`,
                verdict = verdicts.get(key),
                who = runner(verdict);
            if (who === 'npu' && !open) segment++;
            if (who !== 'dropped') open = who === 'npu';
            for (const t of op.outputs) if (t >= 0) maker.set(t, i);
            const mine = who === 'npu' ? segment : -1;
            return {op, verdict, cost: costs.get(key), runner: who, segment: mine, before: [], after: []};
        });
        nodes.forEach((node, i) => {
            for (const from of new Set(node.op.inputs.map((t) => maker.get(t)))) {
                if (from === undefined || from === i) continue;
                node.before.push(from);
                nodes[from].after.push(i);
            }
        });
        return nodes;
    });
}

/** Parts to choose from: runs of operators that are few enough, then, where there are several, each subgraph as a whole.
 *  @param {Node[][]} all @returns {(Part & {words: string})[]} */
export function partsOf(all) {
    const several = all.length > 1;
    return all.flatMap((nodes, subgraph) => {
        const n = nodes.length,
            of = several ? `subgraph ${subgraph}: ` : '',
            parts = [];
        for (let first = 0; n > AT_ONCE && first < n; first += AT_ONCE) {
            const count = Math.min(AT_ONCE, n - first);
            parts.push({subgraph, first, count, words: `${of}${first} to ${first + count - 1}`});
        }
        const slow = n > AT_ONCE ? ', may take long' : '';
        if (n) parts.push({subgraph, first: 0, count: n, words: `${of}all ${n}${slow}`});
        return parts;
    });
}

/** What the layout is asked: positions count from the part's first operator.
 *  @param {Node[]} nodes @param {Part} part @param {{width: number, height: number}} box */
export function question(nodes, {first, count}, box) {
    const drawn = nodes.slice(first, first + count),
        groups = [...new Set(drawn.map((node) => node.segment).filter((s) => s >= 0))].map(String);
    const inside = (i) => i >= first && i < first + count;
    return {
        boxes: drawn.map((node) => ({...box, group: node.segment < 0 ? undefined : String(node.segment)})),
        edges: drawn.flatMap((node, k) => node.after.filter(inside).map((to) => [k, to - first])),
        groups,
    };
}
