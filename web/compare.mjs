// The first panel: the model on every NPU side by side. A row opens the verdict for its NPU.
import {$, announce, bytes, h, ms, percent, plural, put, save, say} from './dom.mjs';

/** How it can be saved: format of the report, ending, type, words. */
const FILES = [
    ['html', 'html', 'text/html;charset=utf-8', 'HTML'],
    ['json', 'json', 'application/json', 'JSON'],
    ['markdown', 'md', 'text/markdown;charset=utf-8', 'Markdown'],
];
const HEADS = [
    // title, class
    ['NPU', ''],
    ['Operators', '.n'],
    ['MACs', '.n'],
    ['Partitions', '.n'],
    ['Switches', '.n'],
    ['Estimated time', ''],
    ['Memory', ''],
    ['Refused most by', '.why'],
];
const KIB = 1024,
    MOST_KIB = 2 ** 43, // 2^53 bytes
    MOST_MHZ = 1e5;

/** What stands where there is no estimate: not made yet, not known, or nothing to estimate. */
const without = (npu) =>
    h('span.quiet', null, npu.estimate === undefined ? 'estimating …' : npu.ops_placed ? 'unknown' : '–');

function memory(npu) {
    if (npu.estimate === null && npu.lower_bound)
        return [`at least ${bytes(npu.lower_bound.external_bytes)} moved`, h('div.quiet', null, 'size unknown')];
    if (!npu.estimate) return without(npu);
    const {sram_bytes: fast, store_bytes: slow, store} = npu.estimate,
        words = {true: '✓ fits', false: '✕ too much'}[String(npu.fits)];
    return [
        `${bytes(fast)} fast`,
        words ? [' ', h(`span.chip${npu.fits ? '.good' : ''}`, null, words)] : null,
        h('div.quiet', null, npu.sram_limit ? `of ${bytes(npu.sram_limit)}` : 'limit unknown'),
        h('div', null, `${bytes(slow)} ${store}`),
    ];
}
function time(npu) {
    const bound = npu.estimate === null && npu.lower_bound;
    if (npu.estimate)
        return [ms(1e3 * npu.estimate.seconds), h('div.quiet', null, `${npu.estimate.memory_mode}; ${npu.estimate.accuracy}`)];
    if (!bound?.cycles) return without(npu);
    return [
        bound.seconds === null ? `at least ${bound.cycles.toLocaleString('en')} cycles` : `at least ${ms(1e3 * bound.seconds)}`,
        h('div.quiet', null, bound.accuracy),
    ];
}
const operators = (npu) => [
    `${npu.ops_placed} of ${npu.ops}`,
    npu.with_relax_fp32 ? h('div.quiet', null, `with FP32 as FP16: ${npu.with_relax_fp32.ops_placed}`) : null,
];
function reasons(npu) {
    if (!npu.reasons) return npu.ops_placed + npu.ops_dropped === npu.ops ? 'nothing is refused' : '–';
    const more = npu.reasons - npu.first_reasons.length;
    return [
        h(
            'ul',
            null,
            npu.first_reasons.map(({ops, text, rule, hint}) =>
                h('li', {title: hint}, `${ops} × ${text} `, h('code.quiet', null, rule)),
            ),
        ),
        more > 0 ? h('div.quiet', null, `and ${plural(more, 'more rule')}`) : null,
    ];
}

export class Compare {
    #client;
    #file;
    #pick;
    #chosen = '';
    #npus = [];
    #before = null; // rows of the open model, while another one is being opened
    #model = null;
    #turn = 0;
    /** @param {import('./client.mjs').Client} client @param {() => string} file the model's name
     *  @param {(backend: string, profile: string) => void} pick opens the verdict for an NPU
     *  @param {() => void} [clocked] told when the clock changes */
    constructor(client, file, pick, clocked = () => {}) {
        this.#client = client;
        this.#file = file;
        this.#pick = pick;
        put($('compare').tHead, h('tr', null, HEADS.map(([title, cls]) => h(`th${cls}`, {scope: 'col'}, title))));
        $('device-sram').onchange = $('relax-fp32').onchange = () => this.#ask();
        $('npu-clock').onchange = () => {
            clocked();
            this.#ask();
        };
        put(
            $('compare-saves'),
            FILES.map(([format, ending, type, words]) => {
                const button = h('button.button', {type: 'button', 'aria-label': `Save the comparison as ${words}`}, words);
                button.onclick = () => this.#save(format, ending, type, words);
                return button;
            }),
        );
    }

    /** Fast memory of the device as the visitor says, in bytes; none: that of each estimate. */
    get #sramBytes() {
        const kib = $('device-sram').valueAsNumber;
        return kib > 0 && kib < MOST_KIB ? Math.max(1, Math.round(kib * KIB)) : undefined;
    }

    /** Of NPUs that state none, as the visitor says, in Hz. */
    get clockHz() {
        const mhz = $('npu-clock').valueAsNumber;
        return mhz > 0 && mhz < MOST_MHZ ? mhz * 1e6 : undefined;
    }
    get relaxFp32() {
        return $('relax-fp32').checked;
    }
    get #choice() {
        return {sramBytes: this.#sramBytes, clockHz: this.clockHz, relaxFp32: this.relaxFp32};
    }

    /** What is known of a model before it is open: its verdicts come first. */
    first(name, compared) {
        if (compared.error) return;
        this.#before ??= this.#npus;
        this.#draw(compared.npus, `${name}: `);
    }
    /** The model of before is still the open one. */
    again() {
        if (this.#before) this.#draw(this.#before);
        this.#before = null;
    }
    /** Shows a model that has just been opened.
     *  @param {{compared: any}} model `compared`: the report, or what is known of it before anything is estimated
     *  @param {boolean} hidden there is nothing to compare */
    use(model, hidden) {
        this.#model = model;
        this.#before = null;
        $('compare-card').hidden = hidden;
        this.#turn++;
        this.#draw([]);
        if (hidden) return undefined;
        if (model.compared.error) return this.#lost(model.compared.error);
        this.#draw(model.compared.npus);
        if (this.#sramBytes || this.clockHz || !model.compared.estimated) this.#ask();
        return undefined;
    }
    /** The NPU whose verdict stands below. @param {string} backend */
    mark(backend) {
        this.#chosen = backend;
        for (const button of $('compare').querySelectorAll('button')) {
            const mine = button.textContent === backend;
            button.setAttribute('aria-pressed', String(mine));
            button.closest('tr').classList.toggle('chosen', mine);
        }
    }

    /** Answers that come after another model or another memory are dropped. */
    async #ask() {
        const mine = ++this.#turn;
        if (!this.#model) return;
        $('compare-card').setAttribute('aria-busy', 'true');
        try {
            const report = await this.#client.call('compare', this.#choice);
            if (mine !== this.#turn) return;
            this.#before &&= report.npus;
            if (!this.#before) this.#draw(report.npus);
        } catch (e) {
            if (mine === this.#turn) this.#lost(e);
        }
    }
    /** No estimates: what was known before stays. */
    #lost(e) {
        if (this.#before) return;
        this.#draw(this.#npus.map((npu) => (npu.estimate === undefined ? {...npu, estimate: null} : npu)));
        const cancelled = e.code === 'CANCELLED';
        say($('compare-text'), cancelled ? 'The estimates were cancelled.' : `No comparison: ${e.message}`);
    }

    #draw(npus, of = '') {
        const focused = $('compare').contains(document.activeElement) ? document.activeElement.textContent : null;
        this.#npus = npus;
        put(
            $('compare').tBodies[0],
            npus.map((npu) => this.#row(npu)),
        );
        this.mark(this.#chosen);
        if (focused) [...$('compare').querySelectorAll('button')].find((b) => b.textContent === focused)?.focus();
        const whole = npus.filter((npu) => npu.ops_placed + npu.ops_dropped === npu.ops).length,
            pending = npus.some((npu) => npu.estimate === undefined);
        $('compare-card').setAttribute('aria-busy', String(pending));
        const words = `${of}${plural(npus.length, 'NPU')} compared: every operator is taken by ${whole || 'none'} of them.`;
        say($('compare-text'), npus.length ? words : '');
    }
    #row(npu) {
        const button = h('button.button', {type: 'button', 'aria-controls': 'npu-card'}, npu.backend);
        const cells = [
            operators(npu),
            npu.macs ? percent(npu.macs_placed / npu.macs) : '–',
            npu.partitions,
            npu.switches,
            time(npu),
            memory(npu),
            reasons(npu),
        ];
        const row = h(
            'tr',
            null,
            h('th', {scope: 'row'}, button, h('div.quiet', null, npu.profile)),
            cells.map((cell, i) => h(`td${HEADS[i + 1][1]}`, null, cell)),
        );
        button.onclick = () => this.#pick(npu.backend, npu.profile);
        row.onclick = (e) => {
            const copying = String(getSelection()) !== ''; // a text that is being selected is no choice
            if (!copying && !button.contains(/** @type {Node} */ (e.target))) this.#pick(npu.backend, npu.profile);
        };
        return row;
    }

    async #save(format, ending, type, words) {
        const title = this.#file();
        try {
            const made = await this.#client.call('compare', {format, title, ...this.#choice}),
                text = format === 'json' ? `${JSON.stringify(made, null, 1)}\n` : made;
            save(`${title.replace(/\.tflite$/, '')}-npus.${ending}`, type, text);
            announce(`Saved the comparison as ${words}.`);
        } catch (e) {
            say($('compare-text'), e.message);
        }
    }
}
