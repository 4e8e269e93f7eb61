// Finds out what this engine can run and brings the right WebAssembly module.
import {is} from './bytes.mjs';
import {kind, NpuError, wrongType} from './errors.mjs';
import {builtin} from './node.mjs';
import {isThreaded, obstacle, sharedMemory} from './threads.mjs';

const HEADER = [0, 97, 115, 109, 1, 0, 0, 0, /* type: () -> v128 */ 1, 5, 1, 96, 0, 1, 123, /* function */ 3, 2, 1, 0];
const SPLAT = [65, 0, 253, 15]; // i32.const 0, i8x16.splat
const code = (...body) => Uint8Array.from([...HEADER, 10, body.length + 4, 1, body.length + 2, 0, ...body, 11]);
const SIMD = code(...SPLAT);
const RELAXED = code(...SPLAT, ...SPLAT, 253, 0x92, 2); // i16x8.relaxed_dot_i8x16_i7x16_s

/** The instruction sets there is a module for, best first. The addresses are written so that bundlers find the files. */
export const MODULES = [
    {
        isa: 'wasm-relaxed',
        file: 'npu_rt_relaxed.wasm',
        feature: RELAXED,
        url: () => new URL('./npu_rt_relaxed.wasm', import.meta.url),
    },
    {isa: 'wasm-simd128', file: 'npu_rt.wasm', feature: SIMD, url: () => new URL('./npu_rt.wasm', import.meta.url)},
];

/** The same for threads, on a memory that workers share. */
export const THREADED = [
    {
        isa: 'wasm-relaxed',
        file: 'npu_rt_threads_relaxed.wasm',
        feature: RELAXED,
        url: () => new URL('./npu_rt_threads_relaxed.wasm', import.meta.url),
    },
    {
        isa: 'wasm-simd128',
        file: 'npu_rt_threads.wasm',
        feature: SIMD,
        url: () => new URL('./npu_rt_threads.wasm', import.meta.url),
    },
];

/** @typedef {WebAssembly.Module | Response | BufferSource | URL | string} WasmSource the module itself, or where it is */
/** @typedef {{module: WebAssembly.Module, isa: string, bytes: number, threads?: number, oneThreadBecause?: string | null}} LoadedModule
 *  `threads`: how many a model may use; `oneThreadBecause`: why it is one although more were asked for */

const HELP =
    'serve npu_rt.wasm beside the script that was bundled, or say where it is, load({wasm: url}). vite before version 8 needs ' +
    "optimizeDeps: {exclude: ['npu_rt']}";
const failure = (text) => new NpuError({status: 'RUNTIME', rule: 'web.module', text});

/** What of a Response is asked below. Node takes 40 ms until it has made its first one, so files come without.
 *  @returns {Promise<any>} */
async function opened(url) {
    const files = url.protocol === 'file:' && (await builtin('node:fs'));
    if (!files) return fetch(url);
    const bytes = await files.promises.readFile(url);
    return {ok: true, headers: new Map(), arrayBuffer: async () => bytes};
}

/** A WebAssembly file, as opposed to the page that a server answers with where it has no such file. */
function assertWasm(bytes, what) {
    if (!(bytes[0] === 0 && bytes[1] === 97 && bytes[2] === 115 && bytes[3] === 109))
        throw failure(
            `${what} is no WebAssembly file (it begins with "${String.fromCharCode(...bytes.subarray(0, 12))}"): ${HELP}`,
        );
}

/** An instance of its own for every model: closing a model gives all of its memory back, which linear memory
 *  otherwise never does, and a trap cannot harm another model. */
export function instantiate(module, userOp = (phase, which, call) => 0 * (phase + which + call)) {
    const env = {now_ms: () => performance.now(), user_op: userOp},
        memory = isThreaded(module) ? {memory: sharedMemory()} : {};
    const {exports} = new WebAssembly.Instance(module, {env: {...env, ...memory}});
    /** @type {any} */ (exports)._initialize?.(); // what Emscripten builds has it
    return /** @type {any} */ (exports);
}

/** A module and its size; compiled while it arrives, where the server says that it is one.
 *  @param {URL | Response} source */
async function compiled(source, what = `${is(source, 'URL') ? source : source.url || 'the module'}`) {
    try {
        const response = is(source, 'URL') ? await opened(source) : source;
        if (!response.ok) throw failure(`${what}: the server answered ${response.status}: ${HELP}`);
        const streams = response.headers.get('Content-Type') === 'application/wasm',
            module = streams && WebAssembly.compileStreaming(response.clone());
        if (module) module.catch(() => {}); // awaited below, once the bytes are known to be a module's
        const bytes = new Uint8Array(await response.arrayBuffer());
        assertWasm(bytes, what);
        return {module: await (module || WebAssembly.compile(bytes)), bytes: bytes.length};
    } catch (e) {
        if (e instanceof NpuError || e instanceof WebAssembly.CompileError) throw e;
        throw failure(`${what}: ${e.message}: ${HELP}`);
    }
}

/** @returns {Promise<LoadedModule | null>} null: this one will not do */
async function attempt(candidate, base) {
    if (!WebAssembly.validate(candidate.feature)) return null;
    const url = base === undefined ? candidate.url() : new URL(candidate.file, base);
    let found;
    try {
        found = await compiled(url);
    } catch (e) {
        if (e instanceof WebAssembly.CompileError) return null;
        throw e;
    }
    const {module, bytes} = found;
    // Engines have accepted relaxed instructions and computed something else: the module checks them itself.
    if (instantiate(module).npuw_probe?.(1) === 0) return null;
    return {module, isa: candidate.isa, bytes};
}

/** The best module this engine runs correctly. One that is not there is done without, as long as there is another.
 *  @param {string} [isa] that one or nothing
 *  @param {string | URL} [base] where the modules lie; beside this file by default
 *  @returns {Promise<LoadedModule>} */
export async function loadModule(isa = 'auto', base = undefined, modules = MODULES) {
    let problem = null;
    for (const candidate of modules) {
        if (isa !== 'auto' && isa !== candidate.isa) continue;
        const found = await attempt(candidate, base).catch((e) => {
            problem = e;
            return null;
        });
        if (found) return found;
    }
    if (problem) throw problem;
    throw failure(
        isa === 'auto'
            ? 'this engine has no WebAssembly SIMD: npu_rt needs Chrome 93, Firefox 92, Safari 16.4, node 18 or newer'
            : `this engine cannot run the module for ${isa}`,
    );
}

/** The module for so many threads, where they are possible; else the best one for one thread.
 *  @param {number} threads @param {string} [isa] @param {string | URL} [base] @returns {Promise<LoadedModule>} */
export async function loadThreaded(threads, isa = 'auto', base = undefined) {
    if (threads === 1) return loadModule(isa, base);
    let because = obstacle();
    const found = because ? null : await loadModule(isa, base, THREADED).catch((e) => void (because = e.message));
    return found ? {...found, threads} : {...(await loadModule(isa, base)), threads: 1, oneThreadBecause: because};
}

/** A module that the caller names. @param {WasmSource} given @param {number} [threads] @returns {Promise<LoadedModule>} */
export async function givenModule(given, threads = 1) {
    const source = /** @type {any} */ (given);
    let found = {module: source, bytes: 0};
    if (typeof source === 'string' || is(source, 'URL')) {
        found = await compiled(new URL(source, globalThis.location?.href ?? import.meta.url));
    } else if (is(source, 'Response')) {
        found = await compiled(source);
    } else if (!is(source, 'WebAssembly.Module')) {
        if (!ArrayBuffer.isView(source) && !is(source, 'ArrayBuffer'))
            throw wrongType('web.wasm', `wasm must be a URL, a Response, bytes or a module: got ${kind(source)}`);
        const bytes = ArrayBuffer.isView(source)
            ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
            : new Uint8Array(source);
        assertWasm(bytes, 'wasm');
        found = {module: await WebAssembly.compile(bytes), bytes: bytes.length};
    }
    const {module, bytes} = found,
        because = obstacle() ?? (isThreaded(module) ? null : 'the module that was given is the one without threads');
    if (because && isThreaded(module)) throw failure(`this is the module for threads, but ${because}`);
    const {npuw_probe: probe} = instantiate(module);
    if (probe?.(1) === 0) throw failure('this engine runs relaxed SIMD wrongly: take npu_rt.wasm instead');
    const many = because ? {threads: 1, oneThreadBecause: threads > 1 ? because : null} : {threads, oneThreadBecause: null};
    return {module, isa: probe ? 'wasm-relaxed' : 'wasm-simd128', bytes, ...many};
}
