// What becomes of the operators that an NPU takes: its program, listed and saved.
import {$, announce, h, plural, put, save, say} from './dom.mjs';

/** How it can be saved: format of the report, ending, type, words. */
const FILES = [
    ['text', 'txt', 'text/plain;charset=utf-8', 'Text'],
    ['json', 'json', 'application/json', 'JSON'],
    ['dot', 'dot', 'text/vnd.graphviz;charset=utf-8', 'Graph (DOT)'],
];

export class Lowered {
    #client;
    #file;
    #choice = null;
    /** @param {import('./client.mjs').Client} client @param {() => string} file name of what is saved */
    constructor(client, file) {
        this.#client = client;
        this.#file = file;
        $('lowered').addEventListener('toggle', () => this.#list());
        const buttons = FILES.map(([format, ending, type, words]) => {
            const button = h('button.button', {type: 'button', 'aria-label': `Save the program as ${words}`}, words);
            button.onclick = () => this.#save(format, ending, type, words);
            return button;
        });
        put($('lowered-saves'), buttons);
    }

    /** @param {{backend: string, profile: string} | null} choice whose program; null: there is none */
    show(choice) {
        const same = choice && this.#choice && choice.backend === this.#choice.backend && choice.profile === this.#choice.profile;
        this.#choice = choice;
        $('lowered').hidden = !choice;
        put($('lowered').querySelector('pre'));
        say($('lowered-status'), '');
        $('lowered-sum').textContent = choice ? `The program that ${choice.backend} is given` : '';
        if (!same) $('lowered').open = false;
        else this.#list();
    }

    #ask(format) {
        const {backend, profile} = this.#choice;
        return this.#client.call('lower', {backend, profile, format});
    }
    /** Fetches the listing when it is first looked at. */
    async #list() {
        const pre = $('lowered').querySelector('pre'),
            choice = this.#choice;
        if (!$('lowered').open || pre.textContent || !choice) return;
        say($('lowered-status'), 'Making the program …');
        try {
            const text = await this.#ask('text');
            if (choice !== this.#choice) return;
            pre.textContent = text;
            say($('lowered-status'), plural(text.trimEnd().split('\n').length, 'line'));
        } catch (e) {
            if (choice === this.#choice) say($('lowered-status'), e.message);
        }
    }
    async #save(format, ending, type, words) {
        const name = `${this.#file()}-program.${ending}`;
        try {
            const made = await this.#ask(format);
            save(name, type, format === 'json' ? `${JSON.stringify(made, null, 1)}\n` : made);
            announce(`Saved the program as ${words}.`);
        } catch (e) {
            say($('lowered-status'), e.message);
        }
    }
}
