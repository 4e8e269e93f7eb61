// What a model is that Vela compiled: for which accelerator, how large its command streams are, and their listing.
import {$, bytes, plural, put, say, tiles} from './dom.mjs';

export class Compiled {
    #client;
    #model = null;
    /** @param {import('./client.mjs').Client} client */
    constructor(client) {
        this.#client = client;
        $('stream').addEventListener('toggle', () => this.#list());
    }

    show(model) {
        const {compiled} = (this.#model = model);
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
                ['Commands', first ? sum((s) => s.commands).toLocaleString('en') : '–'],
                ...(known.length === 1 ? first.regions : []).map((r) => [`Region ${r.region}`, bytes(r.bytes), r.use]),
            ]),
        );
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
