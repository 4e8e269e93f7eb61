// What holds bytes, and what callers pass instead of it.
import {kind, NpuError, wrongType} from './errors.mjs';

/** @typedef {Uint8Array | ArrayBufferLike | ArrayBufferView} Bytes of a file */

/** Refuses views whose memory has gone; their length is 0, which would be misread. */
export function assertAttached(values, what) {
    try {
        new Uint8Array(ArrayBuffer.isView(values) ? values.buffer : values);
    } catch {
        throw wrongType(
            'web.detached',
            `the memory of ${what} has gone: it was transferred, or it was a view (tensor.data) taken before the module's ` +
                'memory grew. Copy it with slice() while it is valid, or take tensor.data anew',
        );
    }
}

export const MOST = 0x7fffffff; // bytes; a module has 4 GiB in all, and needs room beside the file
export const is = (value, name) => Object.prototype.toString.call(value) === `[object ${name}]`; // of another frame too
export const limit = (n) =>
    new NpuError({
        status: 'LIMIT',
        rule: 'web.size',
        text: `the model has ${n} bytes: WebAssembly's memory of 4 GiB has room for files of up to ${MOST}`,
    });

/** What to do with something that is no bytes. */
function advice(value, call) {
    const whole = call === 'Model.open' || call === 'openModel' ? 'await openModel(...) does both, or ' : '';
    if (typeof value === 'string')
        return `a path or address has to be read first: ${whole}${call}(await readFile(path))`;
    if (typeof value?.then === 'function') return `wait for it: ${call}(await ...)`;
    if (['Blob', 'File', 'Response', 'ReadableStream', 'URL'].some((name) => is(value, name)))
        return `it has to be read first, which takes time: ${whole}${call}(await value.arrayBuffer())`;
    if (Array.isArray(value)) return 'make bytes of it: Uint8Array.from(...)';
    return 'pass a Uint8Array or an ArrayBuffer';
}

/** What holds bytes as a Uint8Array, without copying. Throws TypeError for anything else.
 *  @param {any} value @param {string} call @param {string} [what] @returns {Uint8Array} */
export function bytesOf(value, call, what = 'a model') {
    const view = ArrayBuffer.isView(value);
    if (!view && !is(value, 'ArrayBuffer') && !is(value, 'SharedArrayBuffer'))
        throw wrongType('web.bytes', `${call} takes the bytes of ${what}, not ${kind(value)}: ${advice(value, call)}`);
    assertAttached(value, what);
    if (value.byteLength > MOST) throw limit(value.byteLength);
    return view ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);
}
