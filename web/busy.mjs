// Says what is being worked on, and cancels it: by the button or by Escape.
import {$} from './dom.mjs';

const AFTER_MS = 150; // what is done sooner shows no bar
const TITLES = {
    open: 'Opening the model',
    judge: 'Checking for the NPU',
    stream: 'Listing the command stream',
    text: 'Listing the graph',
    run: 'Running the model',
    classify: 'Recognising the drawing',
};

export class Busy {
    #client;
    #timer = 0;
    #since = 0;
    #methods = [];
    #focus = null; // where the keyboard was before the bar came
    /** @param {import('./client.mjs').Client} client */
    constructor(client) {
        this.#client = client;
        client.onbusy = (methods) => this.#update(methods.filter((m) => m !== 'start')); // that one is not to be cancelled
    }

    listen() {
        $('cancel').onclick = () => this.#cancel();
        document.addEventListener('keydown', (e) => {
            if (e.key !== 'Escape' || !this.#methods.length) return;
            e.preventDefault();
            this.#cancel();
        });
    }

    #update(methods) {
        if (methods.length && !this.#methods.length) {
            this.#since = performance.now();
            this.#focus = document.activeElement;
            this.#timer = setTimeout(() => ($('busy').hidden = false), AFTER_MS);
        }
        this.#methods = methods;
        if (methods.length) $('busy-text').textContent = `${TITLES[methods[0]] ?? 'Working'} …`;
        else this.#hide();
    }

    #hide() {
        clearTimeout(this.#timer);
        const here = $('busy').contains(document.activeElement);
        $('busy').hidden = true;
        if (!here) return;
        const before = this.#focus;
        setTimeout(() => (before?.isConnected && !before.disabled && before !== document.body ? before : $('h-model')).focus());
    }

    #cancel() {
        const seconds = ((performance.now() - this.#since) / 1000).toFixed(1),
            stopped = this.#client.cancel();
        if (!stopped.length) return;
        const what = [...new Set(stopped)].map((m) => TITLES[m] ?? 'Working').join(', ');
        $('said').textContent = `${what}: cancelled after ${seconds} s.`;
    }
}
