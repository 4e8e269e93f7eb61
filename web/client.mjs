// Talks to the worker: every call is a promise, and every call can be cancelled, whatever the worker is doing.
//
// A worker deep in a kernel hears nothing, so cancelling ends it. Another one, already waiting, takes its place and gets
// the compiled module and the bytes of the open model, which are kept here; nothing is fetched again.

/** An error the worker reported, with the fields of NpuError. */
export class WorkerError extends Error {
    constructor(e) {
        super(e.message);
        Object.assign(this, e, {code: e.status});
    }
}

const cancelled = () => {
    const text = 'it was cancelled';
    return new WorkerError({message: text, status: 'CANCELLED', rule: 'session.cancelled', text, exitCode: 1});
};

const spawn = () => new Worker(new URL('./worker.mjs', import.meta.url), {type: 'module', name: 'npu_rt'});

export class Client {
    #worker;
    #spare = null; // loaded, but idle: takes over without a request to the server
    #waiting = new Map(); // by id, in the order of the calls
    #next = 1;
    #ready = true; // false while a new worker is given what it must know
    #lost = false; // the worker did not load: the next call tries another one
    #runtime = null;
    #model = null; // bytes of the model that is open
    /** Told the methods under way whenever they change. @type {(methods: string[]) => void} */ onbusy = () => {};

    constructor() {
        this.#use(spawn());
    }

    /** Loads a worker for later. Without the server that fails, and is tried again when a worker is needed. */
    #prepare() {
        if (this.#spare) return;
        const worker = (this.#spare = spawn());
        worker.onerror = (e) => {
            e.preventDefault();
            if (this.#spare === worker) this.#spare = null;
        };
    }

    #use(worker) {
        this.#worker = worker;
        worker.onmessage = ({data}) => this.#answer(data);
        worker.onerror = (e) => {
            e.preventDefault();
            const waiting = [...this.#waiting.values()];
            this.#waiting.clear();
            for (const {reject} of waiting) reject(new Error(e.message || 'the worker could not start'));
            this.#lost = true;
            this.#changed();
        };
    }

    #changed() {
        this.onbusy([...this.#waiting.values()].filter((w) => !w.quiet).map((w) => w.method));
    }

    #answer({id, result, error}) {
        const call = this.#waiting.get(id);
        if (!call) return;
        this.#waiting.delete(id);
        if (error) call.reject(new WorkerError(error));
        else {
            if (call.method === 'start') {
                this.#runtime = result.runtime;
                this.#prepare();
            }
            if (call.method === 'open') this.#model = call.args[0];
            call.resolve(result);
        }
        this.#changed();
    }

    #post(id) {
        const {method, args} = this.#waiting.get(id);
        this.#worker.postMessage({id, method, args});
    }

    #enqueue(method, args, quiet = false) {
        const id = this.#next++;
        return {id, answer: new Promise((resolve, reject) => this.#waiting.set(id, {method, args, quiet, resolve, reject}))};
    }

    call(method, ...args) {
        return this.ask(method, args);
    }

    /** As `call`, with a signal. Aborting rejects with code CANCELLED at once; other calls under way start anew.
     *  @param {string} method @param {any[]} args @param {{signal?: AbortSignal}} [options] */
    ask(method, args, {signal} = {}) {
        if (signal?.aborted) return Promise.reject(cancelled());
        const {id, answer} = this.#enqueue(method, args),
            abort = () => this.#stop(new Set([id])),
            done = () => signal?.removeEventListener('abort', abort);
        signal?.addEventListener('abort', abort);
        answer.then(done, done);
        if (this.#lost) this.#replace();
        else if (this.#ready) this.#post(id);
        this.#changed();
        return answer;
    }

    /** Stops everything under way but `start`. The model that was open stays open. Returns the methods stopped. */
    cancel() {
        return this.#stop(new Set([...this.#waiting].filter(([, w]) => w.method !== 'start').map(([id]) => id)));
    }

    /** Ends the worker; calls in `ids` fail, the others are made again. */
    #stop(ids) {
        const stopped = [...this.#waiting].filter(([id, w]) => ids.has(id) || w.quiet);
        if (!stopped.some(([, w]) => !w.quiet)) return [];
        for (const [id] of stopped) this.#waiting.delete(id);
        this.#replace();
        for (const [, {reject}] of stopped) reject(cancelled());
        this.#changed();
        return stopped.filter(([, w]) => !w.quiet).map(([, w]) => w.method);
    }

    /** Another worker instead of this one: it gets the module and the model, then all calls that wait. */
    #replace() {
        this.#worker.terminate();
        this.#lost = false;
        this.#use(this.#spare ?? spawn());
        this.#spare = null;
        const worker = this.#worker,
            proceed = () => {
                if (worker !== this.#worker) return; // cancelled again meanwhile
                this.#ready = true;
                if (this.#runtime && !this.#lost) this.#prepare();
                for (const [id, w] of this.#waiting) if (!w.quiet) this.#post(id);
            };
        if (!this.#runtime) return proceed();
        this.#ready = false;
        const {id, answer} = this.#enqueue('restore', [this.#runtime, this.#model], true);
        this.#post(id);
        return answer.then(proceed, proceed);
    }
}
