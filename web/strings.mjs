// Tensors of strings: what callers give, and the packed contents (a count, offsets, bytes) as the module has them.
import {assertAttached} from './bytes.mjs';
import {kind, wrongType} from './errors.mjs';

/** @typedef {string | Uint8Array} StringItem text, which becomes UTF-8, or bytes of any kind */

const encoder = new TextEncoder(),
    decoder = new TextDecoder('utf-8', {ignoreBOM: true});

/** @param {Uint8Array} bytes @returns {string} what is no UTF-8 becomes U+FFFD */
export const textOf = (bytes) => decoder.decode(bytes);

/** A list of strings as bytes, copies all of them. @param {any} values @returns {Uint8Array[]} */
export function encodeStrings(values) {
    if (!Array.isArray(values))
        throw wrongType('tensor.values', `strings are given as a list, ['a', 'b']: got ${kind(values)}`);
    return Array.from(values, (v, i) => {
        if (typeof v === 'string') return encoder.encode(v);
        if (Object.prototype.toString.call(v) !== '[object Uint8Array]')
            throw wrongType('tensor.value', `values[${i}] is ${kind(v)}: a string or a Uint8Array is needed`);
        assertAttached(v, `values[${i}]`);
        return Uint8Array.from(v); // not slice(): node's Buffer gives a view
    });
}

/** The strings of packed contents, as `data` of a STRING output has them: each is a copy of its bytes.
 *  @param {Uint8Array} data no bytes at all stand for empty strings @param {number} count elements of the shape
 *  @returns {Uint8Array[]} throws TypeError for what is no such contents */
export function unpackStrings(data, count) {
    if (data.length === 0) return Array.from({length: count}, () => new Uint8Array());
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength),
        head = 4 * (count + 2),
        at = (k) => view.getInt32(4 + 4 * k, true);
    let good = data.length >= head && view.getInt32(0, true) === count && at(0) >= head && at(count) <= data.length;
    for (let k = 0; good && k < count; k++) good = at(k) <= at(k + 1);
    if (!good) throw wrongType('tensor.strings', `these ${data.length} bytes are not the contents of ${count} strings`);
    return Array.from({length: count}, (_, k) => Uint8Array.from(data.subarray(at(k), at(k + 1))));
}

/** Lays strings out for npuw_set_strings: addresses, lengths, then the bytes, in one block that is freed after the call.
 *  @param {import('./wasm.mjs').Wasm} wasm @param {Uint8Array[]} items
 *  @param {(addresses: number, lengths: number, count: number) => void} use */
export function withItems(wasm, items, use) {
    const n = items.length,
        block = wasm.alloc(items.reduce((sum, item) => sum + item.length, 8 * n + 1)),
        memory = wasm.buffer,
        words = new Uint32Array(memory, block, 2 * n);
    let at = block + 8 * n;
    items.forEach((item, i) => {
        words[i] = at;
        words[n + i] = item.length;
        new Uint8Array(memory, at, item.length).set(item);
        at += item.length;
    });
    try {
        use(block, block + 4 * n, n);
    } finally {
        if (!wasm.broken) wasm.call('npuw_free', block);
    }
}
