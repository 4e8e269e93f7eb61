// The threads that help to run a model: workers with an instance of the module each, on one shared memory. Where the engine or the page
// does not allow that, everything runs on one thread, and `obstacle` says why.
import {kind, misuse, wrongType} from './errors.mjs';
import {builtin} from './node.mjs';

/** More would only wait for each other. */
const MOST = 64;
/** What 'auto' stops at: smaller parts than that are seldom worth it. */
const MOST_BY_ITSELF = 4;
/** Kernels keep blocks of some ten KB on their stacks. */
const STACK_BYTES = 1 << 18;
/** The module's own (Makefile), and what it may grow to: engines that cannot reserve the most are asked for less. */
const FIRST_PAGES = 32,
    MOST_PAGES = [65536, 32768, 16384, 8192];

const {navigator, process, crossOriginIsolated} = /** @type {any} */ (globalThis);
const processors = async () => {
    const os = navigator?.hardwareConcurrency ? undefined : await builtin('node:os'); // node 18 and 20 have no navigator
    return navigator?.hardwareConcurrency ?? os?.availableParallelism?.() ?? 1;
};

/** How many threads were asked for; 'auto': as many as there are processors, up to 4. @param {any} given @returns {Promise<number>} */
export async function threadsOf(given) {
    if (given === 'auto') return Math.min(await processors(), MOST_BY_ITSELF);
    if (typeof given !== 'number') throw wrongType('web.threads', `threads is a number, or 'auto': got ${kind(given)}`);
    if (!(Number.isInteger(given) && given >= 1 && given <= MOST))
        throw misuse('web.threads', `threads must be a whole number from 1 to ${MOST}: got ${given}`);
    return given;
}

/** Why there cannot be more threads than one; null where there can. @returns {string | null} */
export function obstacle() {
    if (!process?.versions?.node && !crossOriginIsolated)
        return (
            'this page is not cross-origin isolated: serve it with Cross-Origin-Opener-Policy: same-origin and ' +
            'Cross-Origin-Embedder-Policy: require-corp'
        );
    if (typeof SharedArrayBuffer !== 'function') return 'this engine has no SharedArrayBuffer';
    if (!process?.versions?.node && typeof Worker !== 'function') return 'this engine cannot start workers here';
    return null;
}

/** Whether a module runs on a memory that threads share. @param {WebAssembly.Module} module */
export const isThreaded = (module) => WebAssembly.Module.imports(module).some((one) => one.kind === 'memory');

/** Memory for such a module. */
export function sharedMemory() {
    for (const maximum of MOST_PAGES) {
        try {
            return new WebAssembly.Memory({initial: FIRST_PAGES, maximum, shared: true});
        } catch (e) {
            if (maximum === MOST_PAGES.at(-1)) throw e;
        }
    }
}

/** node's threads with the messages of browsers' workers; they keep the process alive while they start. */
function nodeThread(Thread) {
    const thread = new Thread(new URL('./thread_worker.mjs', import.meta.url), {execArgv: []}),
        port = {
            onmessage: /** @type {any} */ (null),
            onerror: /** @type {any} */ (null),
            postMessage: (message) => thread.postMessage(message),
            terminate: () => void thread.terminate(),
            started: () => thread.unref(),
        };
    thread.on('message', (data) => port.onmessage?.({data}));
    thread.on('error', (e) => port.onerror?.({message: e.message}));
    return port;
}

/** The workers of one instance of the module. They come in by and by; until then runs do with those that are there. */
export class Crew {
    #wasm;
    #workers = [];
    #closed = false;
    /** The caller's thread, and workers that came in. */ size = 1;
    /** @type {string | null} why there are fewer than were asked for */ problem = null;
    /** @type {Promise<void>} all are there, or failed to start */ ready;

    /** @param {import('./wasm.mjs').Wasm} wasm @param {WebAssembly.Module} module @param {number} threads the caller's included */
    constructor(wasm, module, threads) {
        this.#wasm = wasm;
        this.ready = this.#start(module, threads).catch((e) => void (this.problem = e.message));
    }
    async #start(module, threads) {
        const thread = typeof Worker === 'function' ? null : (await builtin('node:worker_threads')).Worker,
            // A page's own thread may not sleep: there it looks until the others are done.
            awake = typeof (/** @type {any} */ (globalThis).window) === 'object' && typeof Worker === 'function';
        const spin = threads <= (await processors());
        if (this.#closed) return;
        this.#wasm.call('npuw_crew', spin ? 1 : 0, awake ? 1 : 0);
        await Promise.all(Array.from({length: threads - 1}, () => this.#add(module, thread)));
    }
    async #add(module, thread) {
        try {
            const stack = this.#wasm.alloc(STACK_BYTES) + STACK_BYTES,
                worker = thread
                    ? nodeThread(thread)
                    : new Worker(new URL('./thread_worker.mjs', import.meta.url), {type: 'module', name: 'npu_rt thread'});
            this.#workers.push(worker);
            await new Promise((resolve, reject) => {
                worker.onmessage = resolve;
                worker.onerror = (/** @type {any} */ e) => {
                    e.preventDefault?.();
                    reject(new Error(e.message || 'a worker could not start: is thread_worker.mjs beside this script?'));
                };
                worker.postMessage({module, memory: this.#wasm.memory, stack});
            });
            if (this.#closed) return;
            this.#wasm.call('npuw_join');
            this.size++;
            /** @type {any} */ (worker).started?.();
        } catch (e) {
            this.problem = e.message;
        }
    }
    close() {
        this.#closed = true;
        for (const worker of this.#workers) {
            worker.terminate();
            worker.onerror?.({message: 'the model was closed'}); // whoever waits for it to start
        }
        this.#workers = [];
        this.size = 1;
    }
}
