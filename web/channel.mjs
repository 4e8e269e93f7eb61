// A worker that answers calls one after the other, and can be stopped whatever it is doing.
//
// A worker deep in a kernel hears nothing, so stopping it ends it. Another one takes its place and is told what it has to
// know (`restore`). It never has more than one call: those that wait are kept here, and go on with the new worker.
import {cancelled, closed, optionalFunction, optionalSignal, pack, revive, wrongType} from './errors.mjs';
import {builtin} from './node.mjs';

/** @typedef {{method: string, args: any[], transfer: Transferable[], onprogress?: (p: any) => void,
 *             resolve: (v: any) => void, reject: (e: any) => void, quiet?: boolean, off: () => void}} Call */
/** @typedef {{postMessage: Function, terminate: Function, onmessage: any, onerror: any, onmessageerror?: any,
 *             busy?: (yes: boolean) => void}} Port a Worker, or what behaves like one */

/** node's worker threads as the Worker of browsers. They keep the process alive only while they work.
 *  @param {any} Thread class Worker of node:worker_threads @param {URL | string} url @returns {Port} */
export function nodeWorker(Thread, url) {
    const thread = new Thread(url, {execArgv: []}), // not --input-type, of the caller's command line
        port = {
            onmessage: null,
            onerror: null,
            onmessageerror: null,
            postMessage: (message, transfer) => thread.postMessage(message, transfer),
            terminate: () => void thread.terminate(),
            busy: (yes) => (yes ? thread.ref() : thread.unref()),
        };
    thread.on('message', (data) => port.onmessage?.({data}));
    thread.on('messageerror', () => port.onmessageerror?.());
    thread.on('error', (e) => port.onerror?.({message: e.message, preventDefault() {}}));
    thread.on('exit', () => port.onerror?.({message: 'the worker ended', preventDefault() {}}));
    thread.unref();
    return port;
}

export class Channel {
    /** @type {Port | null} */ #worker = null;
    /** @type {Port | null} */ #spare = null; // loaded, but idle: takes over without a request to the server
    #spawn;
    #restore;
    /** @type {Call | null} */ #current = null;
    /** @type {Call[]} */ #queue = [];
    #id = 0;
    #closed = false;
    /** Told the methods under way whenever they change. @type {(methods: string[]) => void} */ onbusy = () => {};

    /** @param {() => Port} spawn
     *  @param {() => {method: string, args: any[]} | null} [restore] the call that tells a new worker what the one before
     *         knew */
    constructor(spawn, restore = () => null) {
        this.#spawn = spawn;
        this.#restore = restore;
    }

    /** Loads a worker for later. Without the server that fails, and is tried again when a worker is needed. */
    prepare() {
        if (this.#spare || this.#closed) return;
        const worker = (this.#spare = this.#spawn());
        worker.onerror = (e) => {
            e.preventDefault();
            if (this.#spare === worker) this.#spare = null;
        };
    }

    /** @param {string} method @param {any[]} [args]
     *  @param {{signal?: AbortSignal, transfer?: Transferable[], onprogress?: (p: any) => void}} [how] aborting rejects with
     *         code CANCELLED at once; other calls are not touched by it
     *  @returns {Promise<any>} */
    async ask(method, args = [], {signal, transfer = [], onprogress} = {}) {
        optionalSignal(signal);
        optionalFunction(onprogress, 'onprogress');
        if (!Array.isArray(transfer))
            throw wrongType('web.transfer', 'transfer must be a list of buffers: [values.buffer]');
        if (this.#closed) throw closed('worker');
        if (signal?.aborted) throw cancelled(signal);
        return new Promise((resolve, reject) => {
            const abort = () =>
                    this.#stop(
                        (one) => one === call,
                        () => cancelled(signal),
                    ),
                off = () => signal?.removeEventListener('abort', abort),
                call = {method, args, transfer, onprogress, resolve, reject, off};
            signal?.addEventListener('abort', abort);
            this.#queue.push(call);
            this.#next();
            this.#changed();
        });
    }

    /** Stops every call that `which` picks; all by default. @returns {string[]} the methods stopped */
    cancel(which = (/** @type {Call} */ call) => true) {
        return this.#stop(which, () => cancelled());
    }

    /** Ends the worker. Calls under way fail, later ones too. Closing it again does nothing. */
    close() {
        if (this.#closed) return;
        this.#closed = true;
        this.#drop();
        this.#spare?.terminate();
        this.#spare = null;
        this.#fail(() => closed('worker'));
    }

    #changed() {
        const calls = this.#current && !this.#current.quiet ? [this.#current, ...this.#queue] : this.#queue;
        this.onbusy(calls.map((call) => call.method));
    }

    /** Lets go of the worker. */
    #drop() {
        if (!this.#worker) return;
        this.#worker.onmessage = this.#worker.onerror = this.#worker.onmessageerror = null;
        this.#worker.terminate();
        this.#worker = null;
    }

    /** Takes the spare worker or a new one. */
    #hire() {
        const worker = (this.#worker = this.#spare ?? this.#spawn());
        this.#spare = null;
        worker.onmessage = ({data}) => this.#answer(data);
        worker.onmessageerror = () => this.#lost('an answer of the worker could not be read');
        worker.onerror = (e) => {
            e.preventDefault?.();
            this.#lost(e.message || 'the worker could not start: is its script where it is looked for?');
        };
        const memory = this.#restore();
        if (!memory) return;
        const failed = (e) => {
            this.#drop();
            this.#fail(() => e);
        };
        this.#post({...memory, transfer: [], quiet: true, resolve: () => {}, reject: failed, off: () => {}});
    }

    #lost(message) {
        this.#drop();
        this.#fail(() => revive(pack(new Error(message))));
    }

    /** Rejects everything. */
    #fail(error) {
        const calls = [...(this.#current ? [this.#current] : []), ...this.#queue];
        this.#current = null;
        this.#queue = [];
        for (const call of calls) {
            call.off();
            if (!call.quiet) call.reject(error());
        }
        this.#changed();
    }

    #next() {
        if (this.#current || !this.#queue.length) return;
        try {
            if (!this.#worker) this.#hire();
        } catch (e) {
            return this.#fail(() => e);
        }
        const call = this.#current ? null : this.#queue.shift();
        if (call) this.#post(call);
    }

    #post(call) {
        this.#current = call;
        this.#worker?.busy?.(true);
        try {
            this.#worker?.postMessage({id: ++this.#id, method: call.method, args: call.args}, call.transfer);
        } catch (e) {
            this.#settle((one) => one.reject(new TypeError(`${call.method}: ${e.message}`, {cause: e})));
        }
    }

    #settle(how) {
        const call = this.#current;
        if (!call) return;
        this.#current = null;
        this.#worker?.busy?.(false);
        call.off();
        how(call);
        this.#next();
        this.#changed();
    }

    #answer({id, progress, result, error}) {
        if (id !== this.#id || !this.#current) return;
        if (progress) return void this.#current.onprogress?.(progress);
        this.#settle((call) => (error ? call.reject(revive(error)) : call.resolve(result)));
    }

    #stop(which, error) {
        const {quiet} = this.#current ?? {},
            stopped = this.#current && !quiet && which(this.#current) ? [this.#current] : [],
            working = stopped.length > 0;
        for (const call of this.#queue) if (which(call)) stopped.push(call);
        if (!stopped.length) return [];
        this.#queue = this.#queue.filter((call) => !stopped.includes(call));
        if (working) {
            this.#current = null;
            this.#drop();
        }
        for (const call of stopped) {
            call.off();
            call.reject(error());
        }
        this.#next();
        this.#changed();
        return stopped.map((call) => call.method);
    }
}

/** The other end: answers calls with `methods`. A method says by this.report(progress) how far it is; what it returns as
 *  Moved changes hands instead of being copied.
 *  @param {Record<string, Function>} methods */
export function serveCalls(methods) {
    const answer =
        (port) =>
        async ({id, method, args}) => {
            try {
                const result = await methods[method].apply(
                    {report: (progress) => port.postMessage({id, progress})},
                    args,
                );
                if (result instanceof Moved) port.postMessage({id, result: result.value}, result.transfer);
                else port.postMessage({id, result});
            } catch (e) {
                port.postMessage({id, error: pack(e)});
            }
        };
    const own = answer(globalThis);
    if (typeof globalThis.postMessage === 'function') globalThis.onmessage = ({data}) => own(data);
    // Messages are queued until then.
    else builtin('node:worker_threads').then(({parentPort}) => parentPort.on('message', answer(parentPort)));
}

/** A result whose memory moves to the caller. */
export class Moved {
    /** @param {any} value @param {Transferable[]} transfer */
    constructor(value, transfer) {
        this.value = value;
        this.transfer = transfer;
    }
}
