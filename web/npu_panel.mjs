// The NPU's part of the page: who judges the model, the verdicts, the estimated cost, and what a compiled model is.
import {$, bytes, count, h, ms, percent, put, rows, tiles, width} from './dom.mjs';

const DEFAULT_BACKEND = 'ethos-u55-128';
const COMPILED = 'ethos-u'; // the operator that Vela leaves in the place of those it compiled
const LIMITS = [
    // what an operator waits for: field of the report, words, colour of its bar
    ['npu_cycles', 'computing', 'c1'],
    ['sram_cycles', 'SRAM', 'c2'],
    ['store_cycles', null, 'c3'], // flash or DRAM: the report says which
];
const plural = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;
const options = (names) => names.map((name) => h('option', {value: name}, name));
const say = (node, text) => {
    if (node.textContent !== text) node.textContent = text; // announced once, and only where it changes
};
const cell = (spec, ...children) => h(spec, {role: 'cell'}, ...children);

function reason(r) {
    return h(
        'li',
        null,
        `${r.text}: got ${r.got}, allowed ${r.limit}`,
        r.hint ? h('div.hint', null, `→ ${r.hint}`) : null,
        h('div.quiet', null, h('code', null, r.rule), r.source ? ` · ${r.source}` : null),
    );
}

/** Long names may break after an underscore. */
const opName = (op) => [
    ...op.op.split(/(?<=_)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part])),
    h('div.quiet.clamp', {title: op.output}, op.output),
];
const opIndex = (op, several) => (several ? `${op.subgraph}:${op.index}` : String(op.index));

function verdict(op) {
    if (op.op === COMPILED) return h('span.chip.good', null, '✓ compiled');
    return op.placed ? h('span.chip.good', null, '✓ NPU') : h('span.chip', null, '✕ CPU');
}

/** Summary, tiles and bar. Operators that are compiled already are left out of the counts. */
function showSummary({choice, check}) {
    const s = check.summary,
        compiled = check.ops.filter((op) => op.op === COMPILED).length,
        ops = s.ops - compiled,
        share = s.macs ? s.macs_placed / s.macs : s.ops_placed / (ops || 1);
    say(
        $('npu-text'),
        `${choice.backend} by ${check.profile}: ${s.ops_placed} of ${plural(ops, 'operator')} on the NPU` +
            (compiled ? `, ${compiled} more compiled already` : ''),
    );
    put(
        $('npu-tiles'),
        tiles([
            ['Operators on the NPU', `${s.ops_placed} of ${ops}`],
            ['MACs on the NPU', s.macs ? percent(s.macs_placed / s.macs) : '–', s.macs ? `of ${count(s.macs)}` : ''],
            ['Partitions', compiled ? '–' : s.partitions],
            ['Switches NPU ↔ CPU', compiled ? '–' : s.switches],
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
    say(
        $('npu-note'),
        s.ops_placed < ops
            ? 'Every rule that refuses an operator is listed, with what was found, what is allowed and what to change. ' +
                  'Refused operators stay on the CPU.'
            : 'Nothing is refused.',
    );
}

function showVerdicts(judged, several) {
    const {check} = judged,
        body = $('npu').tBodies[0];
    if (check.error) {
        say($('npu-text'), `No verdict: ${check.error.message}`);
        for (const node of [body, $('npu-bar'), $('npu-tiles'), $('npu-note')]) put(node);
        return;
    }
    showSummary(judged);
    put(
        body,
        rows(check.ops, (op) =>
            h(
                `tr${op.placed || op.op === COMPILED ? '.taken' : ''}`,
                {role: 'row'},
                cell('td.op', opIndex(op, several)),
                cell('td', opName(op)),
                cell('td', verdict(op)),
                cell('td.why', op.reasons.length && op.op !== COMPILED ? h('ul', null, op.reasons.map(reason)) : ''),
            ),
        ),
    );
}

/** What sets the pace of an operator: the largest of its three counts. */
const limit = (op) => LIMITS.reduce((best, next) => (op[next[0]] > op[best[0]] ? next : best));

function costRow(op, report, most, several) {
    const name = [h('td.op', null, opIndex(op, several)), h('td', null, opName(op))];
    if (op.cycles === undefined) {
        const why = {'NPU, fused': 'part of its neighbour', CPU: 'on the CPU: not estimated', none: 'nothing to do'},
            text = op.op === COMPILED ? 'compiled: not estimated' : why[op.runs_on];
        return h('tr', null, name, h('td.quiet', {colSpan: 6}, text ?? op.runs_on));
    }
    const [, words, colour] = limit(op);
    return h(
        'tr',
        null,
        name,
        h(
            'td.nowrap',
            null,
            h('span.track', {'aria-hidden': 'true'}, width(h(`span.fill.${colour}`), op.cycles / most)),
            op.cycles.toLocaleString('en'),
        ),
        h('td.n', null, ms((1e3 * op.cycles) / report.clock_hz)),
        h('td', null, words ?? storeName(report)),
        h('td.n', null, op.macs ? percent(op.utilisation) : '–'),
        h('td.n', null, bytes(op.sram_bytes)),
        h('td.n', null, op.store_bytes ? bytes(op.store_bytes) : '–'),
    );
}

const storeName = ({summary}) => (summary.store === 'dram' ? 'DRAM' : 'flash');

function showCost({cost}, several) {
    $('cost-body').hidden = Boolean(cost.error);
    if (cost.error) {
        for (const node of [$('cost').tBodies[0], $('cost').tFoot, $('cost-tiles')]) put(node);
        $('clock').placeholder = '';
        say($('cost-text'), `No estimate: ${cost.error.message}`);
        return;
    }
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
            [store === 'DRAM' ? store : 'Flash', bytes(s.store_bytes)],
        ]),
    );
    $('cost-store').textContent = store === 'DRAM' ? store : 'Flash';
    const most = cost.ops.reduce((n, op) => Math.max(n, op.cycles ?? 0), 1);
    put(
        $('cost').tBodies[0],
        rows(cost.ops, (op) => costRow(op, cost, most, several)),
    );
    put(
        $('cost').tFoot,
        h(
            'tr',
            null,
            h('th.op', {scope: 'row', colSpan: 2}, 'In all (estimate)'),
            h('td', null, s.cycles.toLocaleString('en')),
            h('td.n', null, time),
            h('td', null),
            h('td.n', null, percent(s.utilisation)),
            h('td.n', null, bytes(s.sram_bytes)),
            h('td.n', null, bytes(s.store_bytes)),
        ),
    );
}

function showCompiled(compiled) {
    $('compiled').hidden = !compiled;
    $('stream').open = false;
    put($('stream').querySelector('pre'));
    say($('stream-status'), '');
    if (!compiled) return;
    const known = compiled.streams.filter((s) => s.config),
        [first] = known,
        sum = (f) => known.reduce((n, s) => n + f(s), 0);
    $('h-compiled').textContent = first ? `Compiled for ${first.config.processor}` : 'Compiled for an Ethos-U';
    $('compiled-text').textContent = compiled.error
        ? `Its command stream is damaged: ${compiled.error.message}`
        : `${plural(known.length, 'operator')} of this model ${known.length === 1 ? 'is' : 'are'} compiled: ` +
          `${first.config.macs_per_cycle} MACs per cycle, ${plural(first.config.cores, 'core')}, ` +
          `${bytes(first.config.shram_bytes)} of internal memory${first.config.cores > 1 ? ' each' : ''}.`;
    put(
        $('compiled-tiles'),
        tiles([
            ['Command stream', first ? bytes(4 * sum((s) => s.config.words)) : '–'],
            ['Commands', first ? sum((s) => s.commands) : '–'],
            ...(known.length === 1 ? first.regions : []).map((r) => [`Region ${r.region}`, bytes(r.bytes), r.use]),
        ]),
    );
}

/** The three cards. Whoever opens a model gives `choice` along, and what came back to `use`. */
export class NpuPanel {
    #client;
    #profiles = new Map();
    #profile = null; // what the visitor wants; null: the accelerator's own
    #model = null;
    #turn = 0;
    constructor(client) {
        this.#client = client;
        $('backend').onchange = () => {
            this.#fillProfiles();
            this.#judge();
        };
        $('profile').onchange = () => {
            this.#profile = $('profile').value;
            this.#judge();
        };
        $('clock').onchange = $('memory-mode').onchange = () => this.#judge();
        $('refused').onchange = () => $('npu').classList.toggle('refused', $('refused').checked);
        $('stream').addEventListener('toggle', () => this.#list());
    }

    /** What the build knows. @param {{name: string, profiles: string[]}[]} backends @param {string[]} modes */
    start(backends, modes) {
        for (const {name, profiles} of backends) this.#profiles.set(name, profiles);
        put($('backend'), options([...this.#profiles.keys()]));
        $('backend').value = this.#profiles.has(DEFAULT_BACKEND) ? DEFAULT_BACKEND : backends[0].name;
        put($('memory-mode'), h('option', {value: ''}, 'usual'), options(modes));
        this.#fillProfiles();
    }
    #fillProfiles() {
        const names = this.#profiles.get($('backend').value);
        put(
            $('profile'),
            names.map((name, i) => h('option', {value: name}, i ? name : `${name} (usual)`)),
        );
        $('profile').value = names.includes(this.#profile) ? this.#profile : names[0];
    }

    get choice() {
        const mhz = $('clock').valueAsNumber;
        return {
            backend: $('backend').value,
            profile: $('profile').value,
            memoryMode: $('memory-mode').value || undefined,
            clockHz: mhz > 0 ? mhz * 1e6 : undefined,
        };
    }

    /** Shows a model that has just been opened. */
    use(model) {
        this.#model = model;
        showCompiled(model.compiled);
        const all = model.dump.subgraphs.every((g) => g.operators.every((op) => op.op === COMPILED));
        $('npu-card').hidden = $('cost-card').hidden = all && Boolean(model.compiled); // nothing left to judge
        this.#show(model.judged);
    }
    #show(judged) {
        const several = this.#model.dump.subgraphs.length > 1;
        showVerdicts(judged, several);
        showCost(judged, several);
    }

    /** The choice changed. Answers that come after another change are dropped. */
    async #judge() {
        const mine = ++this.#turn,
            model = this.#model;
        if (!model) return;
        try {
            const judged = await this.#client.call('judge', this.choice);
            if (mine === this.#turn && judged) this.#show(judged);
        } catch (e) {
            if (mine === this.#turn) say($('npu-text'), `No verdict: ${e.message}`);
        }
    }

    /** Fetches the listing when it is first looked at. */
    async #list() {
        const pre = $('stream').querySelector('pre'),
            model = this.#model;
        if (!$('stream').open || pre.textContent || !model?.compiled) return;
        say($('stream-status'), 'Reading the stream …');
        try {
            const text = await this.#client.call('stream');
            if (model !== this.#model) return;
            pre.textContent = text;
            say($('stream-status'), plural(text.trimEnd().split('\n').length, 'line'));
        } catch (e) {
            if (model === this.#model) say($('stream-status'), e.message);
        }
    }
}
