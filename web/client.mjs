// Talks to the worker: every call is a promise.

/** An error the worker reported, with the fields of NpuError. */
export class WorkerError extends Error {
    constructor(e) {
        super(e.message);
        Object.assign(this, e);
    }
}

export class Client {
    #worker;
    #waiting = new Map();
    #next = 1;
    constructor() {
        this.#worker = new Worker(new URL('./worker.mjs', import.meta.url), {type: 'module', name: 'npu_rt'});
        this.#worker.onmessage = ({data: {id, result, error}}) => {
            const {resolve, reject} = this.#waiting.get(id) ?? {};
            this.#waiting.delete(id);
            if (error) reject?.(new WorkerError(error));
            else resolve?.(result);
        };
        this.#worker.onerror = (e) => {
            e.preventDefault();
            for (const {reject} of this.#waiting.values())
                reject(new Error(e.message || 'the worker could not start'));
            this.#waiting.clear();
        };
    }
    call(method, ...args) {
        return new Promise((resolve, reject) => {
            this.#waiting.set(this.#next, {resolve, reject});
            this.#worker.postMessage({id: this.#next++, method, args});
        });
    }
}
