// How a vendor's compiler would execute the model, as far as its documents tell: devices, fused operators, conversions, hints.
import {$, announce, bytes, count, h, ms, percent, plural, put, save, say, tiles} from './dom.mjs';

/** How it can be saved: format of the report, ending, type, words. */
const FILES = [
    ['text', 'txt', 'text/plain;charset=utf-8', 'Text'],
    ['json', 'json', 'application/json', 'JSON'],
];
/** What a planner can be told: id, option, how the element's value is read. */
const TOLD = [
    ['plan-no-input', 'suppressInputConversion', (e) => e.checked || undefined],
    ['plan-no-output', 'suppressOutputConversion', (e) => e.checked || undefined],
    ['plan-transposed', 'transposeConv', (e) => e.value || undefined],
    ['plan-mvpu', 'mvpu', (e) => e.value.split(/[\s,]+/).filter(Boolean)],
    ['plan-weights', 'weightBytes', (e) => Math.round(1024 * e.valueAsNumber) || undefined],
    ['plan-fusion', 'fusionRules', (e) => e.value.trim() || undefined],
];
const FEW = 6; // hints that stand open

const whole = (n) => n.toLocaleString('en');
const atLeast = (cycles, known) => (known === 'unknown' && !cycles ? 'unknown' : `≥ ${whole(cycles)}`);
const moved = (n) => (n ? bytes(n) : '–');

/** Rows of a plain table. Heads that begin with "#" are those of numbers.
 *  @param {string} caption @param {string[]} heads @param {any[][]} rows */
function table(caption, heads, rows) {
    const names = heads.map((head) => head.replace('#', '')),
        cls = heads.map((head) => (head.startsWith('#') ? '.n' : ''));
    return h(
        'div.scroll',
        {role: 'region', 'aria-label': caption, tabindex: '0'},
        h(
            'table',
            null,
            h('caption', null, caption),
            h('thead', null, h('tr', null, names.map((name, i) => h(`th${cls[i]}`, {scope: 'col'}, name)))),
            h('tbody', null, rows.map((row) => h('tr', null, row.map((cell, i) => h(`td${cls[i]}`, null, cell))))),
        ),
    );
}
const folded = (title, ...content) => h('details', null, h('summary', null, title), ...content);

const phases = (g) =>
    table(
        'Who runs what, in order',
        ['#Phase', 'Device', '#Operators', '#MACs', '#Cycles', '#In', '#Out', '#Copied', '#Layouts', 'Caches'],
        g.phases.map((p, i) => [
            i,
            p.device === p.memory ? p.device : `${p.device}, in the ${p.memory}'s memory`,
            `${p.operators} (${p.first} to ${p.last})`,
            p.macs ? count(p.macs) : '–',
            p.device === 'MDLA' ? atLeast(p.cycles, p.known) : 'unknown',
            moved(p.in_bytes),
            moved(p.out_bytes),
            moved(p.copied_bytes),
            moved(p.relayout_bytes),
            p.cache_sync ? 'synchronised' : '–',
        ]),
    );

function groups(g) {
    const fused = g.groups.filter((one) => one.operators > 1),
        members = new Map(fused.map((one) => [one.group, []]));
    if (!fused.length && !g.chains.length) return [];
    for (const op of g.ops) members.get(op.group)?.push(`${op.index} ${op.op}`);
    return folded(
        `${plural(fused.length, 'group')} of fused operators, ${plural(g.chains.length, 'chain')} of deep layer fusion`,
        fused.length
            ? table(
                  'Operators that run as one',
                  ['#Group', 'Operators', 'Rule', '#Cycles', '#Read', '#Weights', '#Written'],
                  fused.map((one) => [
                      one.group,
                      members.get(one.group).join(', '),
                      `${one.rule}${one.supplied_order ? ', by your order' : ''}`,
                      atLeast(one.cycles, one.known),
                      bytes(one.read_bytes),
                      moved(one.weight_bytes),
                      bytes(one.written_bytes),
                  ]),
              )
            : null,
        g.chains.length
            ? table(
                  'Chains whose links stay inside the MDLA',
                  ['#Groups', '#External memory', '#Without', '#Weights', 'Room for them'],
                  g.chains.map((one) => [
                      `${one.first_group} to ${one.last_group}`,
                      bytes(one.external_bytes_with),
                      bytes(one.external_bytes_without),
                      bytes(one.weight_bytes),
                      one.storage_given ? 'as you said' : 'unknown',
                  ]),
              )
            : null,
    );
}

function conversions(g) {
    const changed = g.tensors.filter((t) => t.converted || t.relayout !== 'none');
    if (!changed.length) return [];
    return folded(
        `${plural(changed.length, 'tensor')} that change type or layout`,
        table(
            'Conversions and layouts',
            ['Tensor', 'Type', 'Layout', '#Bytes', '#In its layout', 'When', 'Type is converted'],
            changed.map((t) => [
                [t.name || '(unnamed)', t.input ? h('div.quiet', null, 'input') : t.output ? h('div.quiet', null, 'output') : null],
                t.type,
                t.layout,
                whole(t.bytes),
                whole(t.laid_bytes),
                t.relayout === 'none' ? '–' : t.relayout,
                t.converted ? 'yes' : '–',
            ]),
        ),
    );
}

const gains = (gained) =>
    [gained.bytes ? bytes(gained.bytes) : '', gained.cycles ? plural(gained.cycles, 'cycle') : ''].filter(Boolean).join(' and ') ||
    'not known';

/** Hints by rule, with what all of their operators would gain; those that gain most first. */
function hintsOf(report) {
    const rules = new Map();
    for (const hint of report.hints) {
        const known = rules.get(hint.hint) ?? {...hint, ops: [], bytes: 0, cycles: 0};
        rules.set(hint.hint, known);
        known.ops.push(`${hint.index} ${hint.op} (${hint.got})`);
        known.bytes += hint.gain_bytes;
        known.cycles += hint.gain_cycles;
    }
    const all = [...rules.values()].sort((a, b) => b.bytes - a.bytes || b.cycles - a.cycles);
    const network = report.network_hints.map(({hint, suggestion, ...value}) => {
        const [[unit, n]] = Object.entries(value);
        return h('li', null, `${suggestion}: ${unit === 'bytes' ? bytes(n) : `${whole(n)} ${unit}`} `, h('code.quiet', null, hint));
    });
    const rows = all.map((one) =>
        h(
            'li',
            null,
            h('strong', null, `${one.suggestion} `),
            `${plural(one.ops.length, 'operator')}: ${one.text}. To gain: ${gains(one)}. `,
            h('code.quiet', null, one.hint),
            h('div.quiet', null, `${one.ops.slice(0, 3).join('; ')}${one.ops.length > 3 ? '; …' : ''}`),
        ),
    );
    return [...rows, ...network];
}

export class PlanPanel {
    #client;
    #file;
    #options;
    #choice = null; // of the model that is open; null: nothing to plan
    #model = null;
    #turn = 0;
    /** @param {import('./client.mjs').Client} client @param {() => string} file name of what is saved
     *  @param {() => object} options what other cards say: the clock */
    constructor(client, file, options) {
        this.#client = client;
        this.#file = file;
        this.#options = options;
        for (const [id] of TOLD) $(id).onchange = () => this.again();
        const buttons = FILES.map(([format, ending, type, words]) => {
            const button = h('button.button', {type: 'button', 'aria-label': `Save the plan as ${words}`}, words);
            button.onclick = () => this.#save(format, ending, type, words);
            return button;
        });
        put($('plan-saves'), buttons);
    }

    /** @param {{backend: string, profile: string} | null} choice who would execute it; null: nobody who can be planned for
     *  @param {any} model */
    show(choice, model) {
        this.#choice = choice;
        this.#model = model;
        $('plan-card').hidden = !choice;
        document.querySelector('nav.parts a[href="#h-plan"]').hidden = !choice;
        this.again();
    }

    #asked() {
        const told = TOLD.map(([, option, read], i) => [option, read($(TOLD[i][0]))]);
        return {...this.#choice, ...this.#options(), ...Object.fromEntries(told)};
    }
    /** Answers that come after another question are dropped. */
    async again() {
        const mine = ++this.#turn;
        if (!this.#choice) return put($('plan-body'));
        $('plan-card').setAttribute('aria-busy', 'true');
        try {
            const report = await this.#client.call('planReport', this.#asked());
            if (mine === this.#turn) this.#draw(report);
        } catch (e) {
            if (mine !== this.#turn) return undefined;
            put($('plan-body'));
            say($('plan-text'), e.code === 'CANCELLED' ? 'The plan was cancelled.' : `No plan: ${e.message}`);
        } finally {
            if (mine === this.#turn) $('plan-card').setAttribute('aria-busy', 'false');
        }
        return undefined;
    }

    #draw(report) {
        const s = report.summary,
            several = report.subgraphs.length > 1,
            time = s.seconds_at_least === undefined ? 'no clock is stated' : `≥ ${ms(1e3 * s.seconds_at_least)}`;
        $('h-plan').firstChild.textContent = `How ${report.backend} would execute it `;
        say(
            $('plan-text'),
            `${report.backend}, after ${report.document}: ${s.ops_placed} of ${s.ops} operators in ${plural(s.phases, 'phase')}, ` +
                `at least ${whole(s.cycles_at_least)} cycles. Not validated.`,
        );
        const hints = hintsOf(report),
            list = (items) => h('ul.rules', null, items);
        put(
            $('plan-body'),
            h(
                'dl.tiles',
                null,
                tiles([
                    ['Cycles', `≥ ${whole(s.cycles_at_least)}`, time],
                    ['Without a stated rate', plural(s.ops_unknown, 'operator')],
                    ['Switches', whole(s.switches)],
                    ['External memory', bytes(s.external_bytes_chained), `of ${bytes(s.external_bytes)} without chains`],
                    ['Conversions', bytes(s.convert_bytes)],
                    ['Layouts', bytes(s.relayout_bytes), `and ${bytes(s.relayout_constant_bytes)} when it is compiled`],
                    ['Read without need', bytes(s.dummy_bytes + s.extra_bytes)],
                ]),
            ),
            h('h3', null, 'What could be better'),
            hints.length ? list(hints.slice(0, FEW)) : h('p', null, 'No hint of the document is violated.'),
            hints.length > FEW ? folded(plural(hints.length - FEW, 'more hint'), list(hints.slice(FEW))) : null,
            report.subgraphs.flatMap((g) => [
                several ? h('h3', null, `Subgraph ${g.subgraph}`) : null,
                phases(g),
                groups(g),
                conversions(g),
            ]),
            folded('Each operator', ...report.subgraphs.map((g) => this.#ops(g))),
            folded(
                'What this rests on, and what is not known',
                h('h4', null, 'Assumed'),
                h('ul', null, report.assumed.map((text) => h('li', null, text))),
                h('h4', null, 'Not known'),
                h('ul', null, report.unknown.map((text) => h('li', null, text))),
            ),
        );
    }
    #ops(g) {
        return table(
            `Operators of subgraph ${g.subgraph}`,
            ['#Op', 'Operator', 'Device', '#Group', '#MACs', '#Cycles', 'Known by', '#MAC units used'],
            g.ops.map((op) => [
                op.index,
                op.op,
                op.device,
                op.group ?? '',
                op.macs ? count(op.macs) : '–',
                op.known ? atLeast(op.cycles, op.known) : '',
                op.known ?? '',
                op.utilisation ? percent(op.utilisation) : '–',
            ]),
        );
    }

    async #save(format, ending, type, words) {
        try {
            const made = await this.#client.call('planReport', {...this.#asked(), format});
            save(`${this.#file()}-plan.${ending}`, type, format === 'json' ? `${JSON.stringify(made, null, 1)}\n` : made);
            announce(`Saved the plan as ${words}.`);
        } catch (e) {
            say($('plan-text'), e.message);
        }
    }
}
