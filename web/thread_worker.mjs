// One of the threads that share a model's memory (threads.mjs): it takes parts of loops, in the module, until it is ended. Needs no
// other file, so that it can be copied beside a bundle.
const {process} = /** @type {any} */ (globalThis),
    name = 'node:worker_threads'; // apart, so that bundlers for browsers do not follow it

/** Runs an instance of its own on the shared memory; `stack` is the end of its own stack there. */
const start = (port) => (message) => {
    const {module, memory, stack} = message,
        imports = {memory, now_ms: () => performance.now(), user_op: () => 0},
        exports = /** @type {any} */ (new WebAssembly.Instance(module, {env: imports}).exports);
    exports.__stack_pointer.value = stack;
    port.postMessage('ready');
    try {
        exports.npuw_work();
    } catch {
        exports.npuw_lost();
    }
};
if (process?.versions?.node)
    import(/* @vite-ignore */ /* webpackIgnore: true */ name).then(({parentPort}) => parentPort.on('message', start(parentPort)));
else globalThis.onmessage = ({data}) => start(globalThis)(data);
