// The NPU's part of the page: who judges the model, at which clock and memory, and what came of it.
import {$, h, ms, put} from './dom.mjs';
import {Compare} from './compare.mjs';
import {Compiled} from './compiled.mjs';
import {Cost} from './cost.mjs';
import {Graph} from './graph.mjs';
import {Lowered} from './lowered.mjs';
import {PlanPanel} from './plan_panel.mjs';
import {COMPILED, verdictLine, Verdicts} from './verdicts.mjs';

const DEFAULT_BACKEND = 'ethos-u55-128';
const TITLES = {none: 'none: this runtime, on the CPU', 'ethos-u': 'ethos-u: the family', neuron: 'neuron: MediaTek, by LiteRT'};
const SLOW_MS = 100; // a verdict that takes longer: the one before is not left standing

const options = (names) => names.map((name) => h('option', {value: name}, TITLES[name] ?? name));

/** The cards. Whoever opens a model gives `choice` along, and what came back to `use`. */
export class NpuPanel {
    #client;
    #verdicts;
    #cost;
    #compiled;
    #lowered;
    #plan;
    #plans = new Set();
    #compare;
    #graph;
    #compiles = new Set();
    #profiles = new Map();
    #profile = null; // what the visitor wants; null: the accelerator's own
    #model = null;
    #turn = 0;
    /** @param {import('./client.mjs').Client} client @param {() => string} file the model's name
     *  @param {import('./busy.mjs').Busy} busy */
    constructor(client, file, busy) {
        this.#client = client;
        const about = () => `${file().replace(/\.tflite$/, '')}-${$('backend').value}`;
        this.#verdicts = new Verdicts(about);
        this.#cost = new Cost(about);
        this.#compiled = new Compiled(client);
        this.#lowered = new Lowered(client, about);
        this.#compare = new Compare(
            client,
            file,
            (backend, profile) => this.#pick(backend, profile),
            () => this.#plan.again(),
        );
        this.#plan = new PlanPanel(client, about, () => ({clockHz: this.#compare.clockHz}));
        this.#graph = new Graph(busy, (subgraph, tensor) => client.call('look', subgraph, tensor));
        $('backend').onchange = () => {
            this.#fillProfiles();
            this.#judge();
        };
        $('profile').onchange = () => {
            this.#profile = $('profile').value;
            this.#judge();
        };
        $('clock').onchange = $('memory-mode').onchange = () => this.#judge();
    }

    /** What the build knows. @param {{name: string, profiles: string[], compiles: boolean, plans: boolean}[]} backends @param {string[]} modes */
    start(backends, modes) {
        for (const {name, profiles, compiles, plans} of backends) {
            if (plans) this.#plans.add(name);
            this.#profiles.set(name, profiles);
            if (compiles) this.#compiles.add(name);
        }
        put(
            $('run-on'),
            h('option', {value: ''}, 'the CPU'),
            [...this.#compiles].map((name) => h('option', {value: name}, `${name}, as software, and the CPU`)),
        );
        $('run-on-row').hidden = !this.#compiles.size;
        put($('backend'), options([...this.#profiles.keys()]));
        $('backend').value = this.#profiles.has(DEFAULT_BACKEND) ? DEFAULT_BACKEND : backends[0].name;
        put($('memory-mode'), h('option', {value: ''}, 'usual'), options(modes));
        this.#fillProfiles();
    }
    #fillProfiles() {
        const names = this.#profiles.get($('backend').value);
        put(
            $('profile'),
            names.map((name, i) => h('option', {value: name}, i || names.length === 1 ? name : `${name} (usual)`)),
        );
        $('profile').value = names.includes(this.#profile) ? this.#profile : names[0];
        this.#compare.mark($('backend').value);
    }
    /** Opens the verdict for an NPU. */
    #pick(backend, profile) {
        if ($('backend').value !== backend || $('profile').value !== profile) {
            this.#profile = profile;
            $('backend').value = backend;
            this.#fillProfiles();
            this.#judge();
        }
        $('h-npu').scrollIntoView({block: 'start'});
        $('h-npu').focus({preventScroll: true});
    }

    /** Who runs the model, as PlanOptions: by the rules that judge it, where they are that NPU's. */
    get runner() {
        const backend = $('run-on').value || undefined,
            profile = backend && backend === $('backend').value ? $('profile').value : undefined;
        return backend && {backend, profile, fallback: true};
    }
    /** What the comparison is asked. */
    get relaxFp32() {
        return this.#compare.relaxFp32;
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

    /** What every NPU takes of a model that is about to be open. */
    first(name, compared) {
        this.#compare.first(name, compared);
    }
    /** That one did not open: the model before stays. */
    again() {
        this.#compare.again();
    }
    /** Shows a model that has just been opened. */
    use(model) {
        this.#turn++; // answers about the model before come too late
        this.#model = model;
        this.#compiled.show(model);
        const all = model.dump.subgraphs.every((g) => g.operators.every((op) => op.op === COMPILED)),
            done = all && Boolean(model.compiled); // nothing left to judge
        $('npu-card').hidden = $('cost-card').hidden = done;
        this.#compare.use(model, done);
        this.#show(model.judged);
        if (!model.judged.cost) this.#estimate();
        if (!done) return;
        verdictLine(`✓ ${$('h-compiled').textContent} as a whole; the software device runs its command stream`, true);
    }
    #show(judged) {
        const {check, choice} = judged;
        this.#verdicts.show(judged, this.#several);
        this.#lowered.show(this.#compiles.has(choice.backend) && !check.error && check.summary.ops_placed ? choice : null);
        this.#showCost(judged);
        this.#plan.show(this.#plans.has(choice.backend) && !check.error && check.summary.ops_placed ? choice : null);
        this.#busy(false);
    }
    /** A large model's estimate comes after its verdict: null until then. */
    #showCost(judged) {
        const {check, cost} = judged;
        this.#graph.show(this.#model, judged);
        if (!cost) return this.#cost.clear('Estimating …');
        this.#cost.show(judged, this.#several);
        if (check.error || cost.error || !cost.summary.cycles) return undefined;
        const part = check.summary.ops_placed + check.summary.ops_dropped < check.summary.ops ? ' of these' : '';
        $('verdict').append(`. Estimated time${part}: ${ms(1e3 * cost.summary.seconds)} at ${cost.clock_hz / 1e6} MHz.`);
        return undefined;
    }
    get #several() {
        return this.#model.dump.subgraphs.length > 1;
    }
    async #estimate() {
        const mine = this.#turn;
        $('cost-card').setAttribute('aria-busy', 'true');
        try {
            const judged = await this.#client.call('judge', this.choice);
            if (mine === this.#turn) this.#showCost(judged);
        } catch (e) {
            if (mine === this.#turn) this.#cost.clear(`No estimate: ${e.message}`);
        } finally {
            if (mine === this.#turn) $('cost-card').setAttribute('aria-busy', 'false');
        }
    }
    #busy(busy) {
        for (const id of ['npu-card', 'cost-card']) $(id).setAttribute('aria-busy', String(busy));
    }
    #clear(verdict, cost) {
        this.#verdicts.clear(verdict);
        this.#lowered.show(null);
        this.#plan.show(null);
        this.#cost.clear(cost);
    }

    /** The choice changed. Answers that come after another change are dropped; what was said before never stays. */
    async #judge() {
        const mine = ++this.#turn;
        if (!this.#model) return;
        this.#busy(true);
        const slow = setTimeout(() => {
            if (mine === this.#turn) this.#clear(`Checking for ${$('backend').value} …`, 'Estimating …');
        }, SLOW_MS);
        try {
            const judged = await this.#client.call('judge', this.choice);
            if (mine === this.#turn && judged) this.#show(judged);
        } catch (e) {
            if (mine !== this.#turn) return;
            this.#busy(false);
            this.#clear(`No verdict: ${e.message}`, `No estimate: ${e.message}`);
        } finally {
            clearTimeout(slow);
        }
    }
}
