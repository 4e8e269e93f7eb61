// Says what is being worked on, and cancels it: by the button or by Escape.
import {$} from './dom.mjs';
import {cancelled} from './errors.mjs';

const AFTER_MS = 150; // what is done sooner shows no bar
const TITLES = {
    open: 'Opening the model',
    judge: 'Checking for the NPU',
    compare: 'Comparing the NPUs',
    planReport: 'Planning for the NPU',
    graph: 'Drawing the graph',
    stream: 'Listing the command stream',
    text: 'Listing the graph',
    run: 'Running the model',
    look: 'Running the model, keeping its values',
    classify: 'Recognising the drawing',
};

export class Busy {
    #client;
    #timer = 0;
    #since = 0;
    #calls = []; // what the worker has to do
    #steps = new Set(); // what the page does itself, before it asks the worker
    #methods = []; // both
    #focus = null; // where the keyboard was before the bar came
    /** @param {import('./client.mjs').Client} client */
    constructor(client) {
        this.#client = client;
        client.onbusy = (methods) => {
            this.#calls = methods.filter((m) => m !== 'start'); // that one is not to be cancelled
            this.#update();
        };
    }

    listen() {
        $('cancel').onclick = () => this.#cancel();
        document.addEventListener('keydown', (e) => {
            if (e.key !== 'Escape' || !this.#methods.length) return;
            e.preventDefault();
            this.#cancel();
        });
    }

    /** Work of the page's own, to be cancelled like a call of the worker. It awaits everything but such calls by `until`,
     *  which rejects with CANCELLED at once when the visitor cancels.
     *  @template T @param {string} method what it is shown as
     *  @param {(until: <V>(value: Promise<V>) => Promise<V>) => Promise<T>} work @returns {Promise<T>} */
    async during(method, work) {
        const step = {method, cancel: () => {}},
            stopped = new Promise((_, reject) => (step.cancel = () => reject(cancelled())));
        stopped.catch(() => {}); // nobody may be waiting
        this.#steps.add(step);
        this.#update();
        try {
            return await work((value) => Promise.race([stopped, value]));
        } finally {
            this.#steps.delete(step);
            this.#update();
        }
    }

    #update() {
        const methods = this.#calls.concat([...this.#steps].map((step) => step.method));
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
            steps = [...this.#steps];
        for (const step of steps) step.cancel();
        const stopped = steps.map((step) => step.method).concat(this.#client.cancel());
        if (!stopped.length) return;
        const what = [...new Set(stopped)].map((m) => TITLES[m] ?? 'Working').join(', ');
        $('said').textContent = `${what}: cancelled after ${seconds} s.`;
    }
}
