// The page's end of its worker (worker.mjs): one model at a time, with everything the page shows about it.
import {Channel} from './channel.mjs';

const spawn = () => new Worker(new URL('./worker.mjs', import.meta.url), {type: 'module', name: 'npu_rt'});

export class Client extends Channel {
    #runtime = null;
    #model = null; // bytes of the model that is open: a new worker is told them

    constructor() {
        super(spawn, () => this.#runtime && {method: 'restore', args: [this.#runtime, this.#model]});
    }

    call(method, ...args) {
        return this.ask(method, args);
    }

    /** As `call`, with a signal. Aborting rejects with code CANCELLED at once; other calls go on with a new worker.
     *  @param {string} method @param {any[]} args @param {{signal?: AbortSignal}} [how] */
    async ask(method, args, how) {
        const answer = await super.ask(method, args, how);
        if (method === 'start') this.#runtime = answer.runtime;
        if (method === 'open') this.#model = args[0];
        if (this.#runtime) this.prepare();
        return answer;
    }

    /** Stops everything under way but `start`. The model that was open stays open. Returns the methods stopped. */
    cancel() {
        return super.cancel((call) => call.method !== 'start');
    }
}
