// numpy's .npy files: reading (versions 1 to 3, C or Fortran order, either byte order) and writing (version 1).
import {bytesOf} from './bytes.mjs';
import {wrongType} from './errors.mjs';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** @param {ArrayLike<number>} bytes @returns {boolean} */
export const isNpy = (bytes) => MAGIC.every((b, i) => bytes[i] === b);

const field = (header, name, value) => new RegExp(`['"]${name}['"]\\s*:\\s*${value}`).exec(header)?.[1];

function parseHeader(bytes) {
    if (!isNpy(bytes) || bytes.length < 12)
        throw new Error('unreadable .npy file: it does not start with the magic bytes');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
        wide = bytes[6] > 1;
    const length = wide ? view.getUint32(8, true) : view.getUint16(8, true),
        start = wide ? 12 : 10;
    if (start + length > bytes.length) throw new Error('unreadable .npy file: the header is cut off');
    const header = new TextDecoder().decode(bytes.subarray(start, start + length));
    const dtype = field(header, 'descr', `['"]([^'"]+)['"]`),
        order = field(header, 'fortran_order', '(True|False)');
    const dims = field(header, 'shape', '\\(([\\d,\\s]*)\\)');
    if (dtype === undefined || order === undefined || dims === undefined) {
        throw new Error('unreadable .npy file: the header does not describe a plain array');
    }
    const shape = dims
        .split(',')
        .map((s) => s.trim())
        .filter(Boolean)
        .map(Number);
    return {dtype, fortran: order === 'True', shape, start: start + length};
}

/** Copies elements from Fortran order into C order. */
function toRowMajor(bytes, shape, size) {
    const out = new Uint8Array(bytes.length),
        index = shape.map(() => 0),
        n = bytes.length / size;
    for (let i = 0; i < n; i++) {
        let at = 0;
        for (let d = 0; d < shape.length; d++) at = at * shape[d] + index[d];
        out.set(bytes.subarray(i * size, (i + 1) * size), at * size);
        for (let d = 0; d < shape.length && ++index[d] === shape[d]; d++) index[d] = 0;
    }
    return out;
}

/** @param {import('./bytes.mjs').Bytes} given a file
 *  @returns {{dtype: string, shape: number[], bytes: Uint8Array}} a copy, little-endian and in C order, with a buffer of its
 *  own; throws Error */
export function readNpy(given) {
    const file = bytesOf(given, 'readNpy', 'a .npy file');
    const {dtype, fortran, shape, start} = parseHeader(file),
        kind = dtype.slice(1),
        size = Number(kind.slice(1));
    const n = shape.reduce((a, b) => a * b, 1) * size;
    if (!(size > 0) || !'biufcV'.includes(kind[0]))
        throw new Error(`unreadable .npy file: dtype ${dtype} is no plain number`);
    if (!(start + n <= file.length)) throw new Error('unreadable .npy file: the data is cut off');
    let bytes = new Uint8Array(n); // not slice(): node's Buffer gives a view
    bytes.set(file.subarray(start, start + n));
    if (dtype[0] === '>') {
        const part = kind[0] === 'c' ? size / 2 : size;
        for (let i = 0; i < n; i += part) bytes.subarray(i, i + part).reverse();
    }
    if (fortran) bytes = toRowMajor(bytes, shape, size);
    return {dtype: (size === 1 ? '|' : '<') + kind, shape, bytes};
}

/** @param {string} dtype such as '<f4' @param {number[]} shape @param {ArrayBufferView} data elements in C order
 *  @returns {Uint8Array} the file */
export function writeNpy(dtype, shape, data) {
    const size = Number(dtype?.slice?.(2)) * shape.reduce((a, b) => a * b, 1);
    if (!ArrayBuffer.isView(data) || data.byteLength !== size)
        throw wrongType(
            'npy.data',
            `[${shape}] of ${dtype} takes a typed array of ${size} bytes: got ${data?.byteLength ?? typeof data}`,
        );
    const dims = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
    let header = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${dims}), }`;
    header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
    const file = new Uint8Array(10 + header.length + data.byteLength);
    file.set([...MAGIC, 1, 0, header.length & 255, header.length >> 8]);
    file.set(new TextEncoder().encode(header), 10);
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 10 + header.length);
    return file;
}
