// The verdict: what takes each operator, which rules refuse the others, and what to change.
import {$, bytes, count, h, percent, plural, put, say, tiles, width} from './dom.mjs';
import {opIndex} from './ops.mjs';
import {DataTable, totals} from './table.mjs';

export const COMPILED = 'ethos-u'; // the operator that Vela leaves in the place of those it compiled
const FEW_RULES = 4; // as many stand open

/** Backend "none" is this runtime itself: no NPU, no partitions. */
const NPU = {
    title: 'What an Ethos-U would take', // of another vendor: by TITLES
    who: ({check}) => `${check.backend} by ${check.profile}`,
    where: 'on the NPU',
    yes: '✓ NPU',
    no: '✕ CPU',
    tile: 'Operators on the NPU',
    macs: 'MACs on the NPU',
    count: 'On the NPU',
    all: 'Nothing is refused.',
    some: 'Refused operators stay on the CPU. Every rule that refuses one is listed, with what was found and what is allowed.',
};
const RUNTIME = {
    title: 'What this runtime runs',
    who: () => 'npu_rt, on the CPU',
    where: 'with a kernel',
    yes: '✓ kernel',
    no: '✕ no kernel',
    tile: 'Operators with a kernel',
    macs: 'MACs with a kernel',
    count: 'With a kernel',
    all: 'There is a kernel for every operator.',
    some: 'A model with an operator that has no kernel can be looked at and judged, but not run.',
};
const TITLES = [
    // the beginning of a backend's name, its vendor
    ['neuron', 'MediaTek Neuron'],
    ['mdla', 'a MediaTek MDLA'],
];
const titleOf = (backend, words) => {
    const known = TITLES.find(([start]) => backend.startsWith(start));
    return known ? `What ${known[1]} would take` : words.title;
};
const wordsFor = (backend) => (backend === 'none' ? RUNTIME : NPU);

/** Long names may break after an underscore. */
export const opName = (op) => [
    ...op.op.split(/(?<=_)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part])),
    op.output ? h('div.quiet.clamp', {title: op.output}, op.output) : null,
];

const reason = (r) => h('li', null, `${r.text}: got ${r.got}, allowed ${r.limit} `, h('code.quiet', null, r.rule));
/** One reason stands open; of several the first, and the others on request, so that many rows are in view. */
function reasons({reasons: [first, ...rest]}) {
    if (!first) return '';
    if (!rest.length) return h('ul', null, reason(first));
    return [
        h('ul', null, reason(first)),
        h('details', null, h('summary', null, plural(rest.length, 'more reason')), h('ul', null, rest.map(reason))),
    ];
}
/** What becomes of an operator that is taken, and what follows. */
const warning = (r) =>
    h('li', null, h('strong', null, 'Warning: '), `${r.text} (${r.got}). ${r.hint} `, h('code.quiet', null, r.rule));
const why = (row) => [reasons(row), row.warnings.length ? h('ul.warnings', null, row.warnings.map(warning)) : ''];
const warned = (r) => `Warning: ${r.text} (${r.got}). ${r.hint} [${r.rule}; ${r.source}]`;
const spoken = (r) => `${r.text}: got ${r.got}, allowed ${r.limit}. ${r.hint} [${r.rule}; ${r.source}]`;

/** Compiled for the accelerator that judges, or for none that is known: taken as it is. */
const isCompiled = (op) =>
    op.op === COMPILED && (op.placed || op.reasons.every((r) => r.rule.endsWith('operator_not_listed')));
const verdict = (row) => [
    h(`span.chip${row.refused ? '' : '.good'}`, null, row.verdict),
    row.once && row.refused ? h('div.quiet', null, 'once, when loading') : null,
];

const COLUMNS = {
    each: [
        {key: 'index', title: 'Op', cls: 'op', value: (r) => r.index},
        {key: 'op', title: 'Operator', cls: 'kind', value: (r) => r.op, cell: opName},
        {key: 'verdict', title: 'Verdict', cls: 'chips', value: (r) => r.verdict, cell: verdict},
        {
            key: 'reasons',
            title: 'Reasons and warnings',
            cls: 'why',
            value: (r) => [...r.reasons.map(spoken), ...r.warnings.map(warned)].join('\n'),
            cell: why,
        },
        {key: 'output', title: 'Output', hidden: true, value: (r) => r.output},
    ],
    totals: [
        {key: 'op', title: 'Operator', cls: 'kind', value: (r) => r.op},
        {key: 'count', title: 'Count', n: true, value: (r) => r.count},
        {key: 'placed', title: 'On the NPU', n: true, value: (r) => r.taken},
        {key: 'refused', title: 'Refused', n: true, value: (r) => r.refused, cell: (r) => r.refused || '–'},
    ],
};

/** The rules that refuse something, or warn of it (`which`): each once, those that do so most first. */
function byRule(ops, which) {
    const rules = new Map();
    for (const op of ops)
        for (const r of isCompiled(op) ? [] : op[which]) {
            const known = rules.get(r.rule + r.text) ?? {...r, kinds: new Set(), ops: new Set(), limits: new Set()};
            rules.set(r.rule + r.text, known);
            known.ops.add(op);
            known.kinds.add(op.op);
            known.limits.add(r.limit);
        }
    return [...rules.values()].sort((a, b) => b.ops.size - a.ops.size);
}

/** The verdict in one line, below the model's name. @param {boolean} [good] neither way: there is none */
export function verdictLine(text, good) {
    say($('verdict'), text);
    $('verdict').className = good === undefined ? 'quiet' : good ? 'yes' : 'no';
}

/** The verdict's part of the page. @param {() => string} file the model's name */
export class Verdicts {
    #table;
    constructor(file) {
        const refused = h('input', {type: 'checkbox', id: 'refused', 'aria-controls': 'npu'});
        refused.onchange = () => this.#table.only(refused.checked ? (row) => row.refused : null);
        const tools = [h('label.check', null, refused, ' Only refused')];
        this.#table = new DataTable({id: 'npu', name: 'verdicts', views: COLUMNS, file, tools});
    }

    /** What to say where there is no verdict, or none yet. */
    clear(text) {
        say($('npu-text'), text);
        verdictLine(text);
        for (const id of ['npu-bar', 'npu-tiles', 'rules', 'warnings']) put($(id));
        $('rules-box').hidden = $('warnings-box').hidden = true;
        say($('npu-note'), '');
        this.#table.clear();
    }

    show(judged, several) {
        const {check, choice} = judged,
            words = wordsFor(choice.backend);
        $('h-npu').textContent = titleOf(choice.backend, words);
        if (check.error) return this.clear(`No verdict: ${check.error.message}`);
        this.#summary(judged, words);
        this.#rules(check.ops.filter((op) => !op.dropped));
        const rows = check.ops.map((op) => ({
            ...op,
            index: opIndex(op.subgraph, op.index, several),
            verdict: isCompiled(op) ? '✓ compiled' : op.dropped ? '– dropped' : op.placed ? words.yes : words.no,
            reasons: isCompiled(op) || op.dropped ? [] : op.reasons,
            taken: Number(op.placed || isCompiled(op)),
            refused: Number(!op.placed && !op.dropped && !isCompiled(op)),
        }));
        return this.#table.show(rows, totals(rows, ['taken', 'refused']), {json: check, titles: {placed: words.count}});
    }

    /** Summary, tiles and bar. Operators that are compiled already, and those that the compiled
     *  network does not need, are left out of the counts. */
    #summary(judged, words) {
        const {check, choice} = judged,
            s = check.summary,
            own = check.ops.filter((op) => !isCompiled(op) && !op.dropped),
            ops = own.length,
            dropped = s.ops_dropped,
            placed = own.filter((op) => op.placed).length,
            compiled = check.ops.length - ops - dropped,
            share = s.macs ? s.macs_placed / s.macs : placed / (ops || 1);
        const text =
            `${words.who(judged)}: ${placed} of ${plural(ops, 'operator')} ${words.where}` +
            (compiled ? `, ${compiled} more compiled already` : '') +
            (dropped ? `, ${dropped} more dropped: nothing in the compiled network needs them` : '');
        say($('npu-text'), text);
        verdictLine(`${placed === ops ? '✓ ' : placed ? '' : '✕ '}${text}`, placed === ops);
        const cuts =
            choice.backend === 'none'
                ? []
                : [
                      ['Partitions', s.partitions],
                      ['Switches NPU ↔ CPU', s.switches],
                  ];
        put(
            $('npu-tiles'),
            tiles([
                [words.tile, `${placed} of ${ops}`],
                [words.macs, s.macs ? percent(s.macs_placed / s.macs) : '–', s.macs ? `of ${count(s.macs)}` : ''],
                ...cuts.map(([name, value]) => [name, compiled ? '–' : value]),
            ]),
        );
        const parts = [
            [share, 'cgood'],
            [1 - share, 'cbad'],
        ];
        put(
            $('npu-bar'),
            parts.filter(([v]) => v > 0).map(([v, c]) => width(h(`i.${c}`), v)),
        );
        const once = own.filter((op) => op.once && !op.placed).length,
            made = check.compiled.filter((part) => part.bytecode);
        say(
            $('npu-note'),
            (placed < ops ? words.some : words.all) +
                (once
                    ? ` ${plural(once, 'of them computes', 'of them compute')} from constants alone (weights stored as ` +
                      'float16, for example): the CPU does that once, when the model is loaded, and no run pays for it.'
                    : '') +
                made
                    .map(
                        (p) =>
                            ` ${p.name} was compiled before: ${bytes(p.bytes)} for ${p.bytecode}` +
                            `${p.software ? ', which runs here' : ', which only a phone with its library runs'}.`,
                    )
                    .join(''),
        );
    }

    #rules(ops) {
        const kinds = {
            rules: ['reasons', (rules, n) => `${plural(rules, 'rule')} refuse${rules === 1 ? 's' : ''} ${n}`, 'Allowed'],
            warnings: ['warnings', (rules, n) => `${plural(rules, 'warning')} about ${n} taken`, 'Nothing to warn of'],
        };
        for (const [id, [which, words, allowed]] of Object.entries(kinds)) {
            const rules = byRule(ops, which),
                box = $(`${id}-box`),
                about = new Set(rules.flatMap((r) => [...r.ops])).size;
            box.hidden = !rules.length;
            box.open = rules.length <= FEW_RULES;
            $(`${id}-sum`).textContent = words(rules.length, plural(about, 'operator'));
            put(
                $(id),
                rules.map((r) => this.#rule(r, allowed)),
            );
        }
    }
    #rule(r, allowed) {
        const find = h(
            'button.button',
            {type: 'button', 'aria-controls': 'npu'},
            'Show them',
            h('span.unseen', null, `: ${r.rule}`),
        );
        find.onclick = () => {
            this.#table.search(r.rule);
            $('npu').scrollIntoView({block: 'nearest'});
        };
        const limits = r.limits.size === 1 ? [...r.limits][0] : 'see the operators';
        return h(
            'li',
            null,
            h(
                'div',
                null,
                h('strong', null, plural(r.ops.size, 'operator')),
                ` (${[...r.kinds].join(', ')}): `,
                r.text,
                `. ${allowed}: ${limits}.`,
            ),
            r.hint ? h('div.hint', null, `→ ${r.hint}`) : null,
            h('div.row.quiet', null, h('code', null, r.rule), r.source, find),
        );
    }
}
