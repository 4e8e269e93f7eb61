// Finds out what this engine can run and brings the right WebAssembly module.

const HEADER = [
    0, 97, 115, 109, 1, 0, 0, 0, /* type: () -> v128 */ 1, 5, 1, 96, 0, 1, 123, /* function */ 3, 2, 1, 0,
];
const SPLAT = [65, 0, 253, 15]; // i32.const 0, i8x16.splat
const code = (...body) => Uint8Array.from([...HEADER, 10, body.length + 4, 1, body.length + 2, 0, ...body, 11]);
const SIMD = code(...SPLAT);
const RELAXED = code(...SPLAT, ...SPLAT, 253, 0x92, 2); // i16x8.relaxed_dot_i8x16_i7x16_s

/** The instruction sets there is a module for, best first. */
export const MODULES = [
    {isa: 'wasm-relaxed', file: 'npu_rt_relaxed.wasm', feature: RELAXED},
    {isa: 'wasm-simd128', file: 'npu_rt.wasm', feature: SIMD},
];

async function read(url) {
    if (url.protocol === 'file:') return new Uint8Array(await (await import('node:fs/promises')).readFile(url));
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url.pathname}: the server answered ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
}

/** An instance of its own for every model: closing a model gives all of its memory back, which linear memory
 *  otherwise never does, and a trap cannot harm another model. */
export const instantiate = (module) =>
    new WebAssembly.Instance(module, {env: {now_ms: () => performance.now()}}).exports;

/** @returns {Promise<{module: WebAssembly.Module, isa: string, bytes: number} | null>} null: this one will not do */
async function attempt(candidate, base) {
    if (!WebAssembly.validate(candidate.feature)) return null;
    const bytes = await read(new URL(candidate.file, base));
    if (!WebAssembly.validate(bytes)) return null;
    const module = await WebAssembly.compile(bytes);
    // Engines have accepted relaxed instructions and computed something else: the module checks them itself.
    if (instantiate(module).npuw_probe?.(1) === 0) return null;
    return {module, isa: candidate.isa, bytes: bytes.length};
}

/** The best module this engine runs correctly. @param {string} isa that one or nothing
 *  @param {string | URL} base where the modules lie */
export async function loadModule(isa = 'auto', base = import.meta.url) {
    for (const candidate of MODULES) {
        if (isa !== 'auto' && isa !== candidate.isa) continue;
        const found = await attempt(candidate, base);
        if (found) return found;
    }
    throw new Error(
        isa === 'auto'
            ? 'this engine has no WebAssembly SIMD: npu_rt needs Chrome 91, Firefox 89, Safari 16.4, node 20 or newer'
            : `this engine cannot run the module for ${isa}`,
    );
}
