// Element types of tensors: typed arrays, numpy dtypes, and plain numbers made from what is stored.

/** @typedef {Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array |
 *           BigInt64Array | BigUint64Array} StoredArray what `data` of a tensor is, by the tensor's type */

/** @typedef {{array: any, dtype: string, file: string, bits: number, signed?: boolean}} TypeInfo
 *  `dtype`: of the .npy file an output goes to; `file`: of the one an input comes from; '' where there is none. */

/** @type {Record<string, TypeInfo>} */
export const TYPES = {
    FLOAT32: {array: Float32Array, dtype: '<f4', file: '<f4', bits: 32},
    FLOAT16: {array: Uint16Array, dtype: '<f2', file: '<f2', bits: 16},
    INT32: {array: Int32Array, dtype: '<i4', file: '<i4', bits: 32},
    UINT8: {array: Uint8Array, dtype: '|u1', file: '|u1', bits: 8},
    INT64: {array: BigInt64Array, dtype: '<i8', file: '<i8', bits: 64},
    BOOL: {array: Uint8Array, dtype: '|b1', file: '|b1', bits: 8},
    INT16: {array: Int16Array, dtype: '<i2', file: '<i2', bits: 16},
    COMPLEX64: {array: Float32Array, dtype: '<c8', file: '<c8', bits: 64},
    INT8: {array: Int8Array, dtype: '|i1', file: '|i1', bits: 8},
    FLOAT64: {array: Float64Array, dtype: '<f8', file: '<f8', bits: 64},
    COMPLEX128: {array: Float64Array, dtype: '<c16', file: '<c16', bits: 128},
    UINT64: {array: BigUint64Array, dtype: '<u8', file: '<u8', bits: 64},
    UINT32: {array: Uint32Array, dtype: '<u4', file: '<u4', bits: 32},
    UINT16: {array: Uint16Array, dtype: '<u2', file: '<u2', bits: 16},
    INT4: {array: Uint8Array, dtype: '|i1', file: '|i1', bits: 4, signed: true},
    INT2: {array: Uint8Array, dtype: '|i1', file: '|i1', bits: 2, signed: true},
    UINT4: {array: Uint8Array, dtype: '|u1', file: '|u1', bits: 4, signed: false},
    BFLOAT16: {array: Uint16Array, dtype: '<f4', file: '<V2', bits: 16},
    FLOAT8_E4M3FN: {array: Uint8Array, dtype: '|u1', file: '|V1', bits: 8},
    FLOAT8_E5M2: {array: Uint8Array, dtype: '|u1', file: '|V1', bits: 8},
};
const RAW = {array: Uint8Array, dtype: '', file: '', bits: 0};

/** What is known about a type by its name; raw bytes for strings and the like.
 *  @param {string} name @returns {TypeInfo} */
export const typeInfo = (name) => (Object.hasOwn(TYPES, name) ? TYPES[name] : RAW);

/** Number of elements of a shape. @param {number[]} shape @returns {number} */
export const elements = (shape) => shape.reduce((a, b) => a * b, 1);

/** float16 bits as a number. @param {number} h @returns {number} */
export function halfToNumber(h) {
    const e = (h >> 10) & 31,
        m = h & 1023,
        s = h & 0x8000 ? -1 : 1;
    if (e === 31) return m ? NaN : s * Infinity;
    return s * (e ? (m + 1024) * 2 ** (e - 25) : m * 2 ** -24);
}

const f32 = new Float32Array(1),
    u32 = new Uint32Array(f32.buffer);

/** A number as float16 bits, rounded to nearest even. @param {number} v @returns {number} */
export function numberToHalf(v) {
    f32[0] = v;
    const bits = u32[0],
        sign = (bits >>> 16) & 0x8000,
        a = Math.abs(f32[0]);
    if (Number.isNaN(a)) return 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    const e = Math.max(Math.floor(Math.log2(a || 2 ** -14)), -14),
        unit = 2 ** (e - 10),
        q = a / unit;
    let m = Math.round(q);
    if (m - q === 0.5 && m % 2) m--;
    return sign | (m < 1024 ? m : ((e + 15) << 10) + (m - 1024));
}

/** Sub-byte elements, low bits first, one in each entry of the result.
 *  @param {ArrayLike<number>} bytes @param {string} type @param {number} count @returns {Int8Array | Uint8Array} */
export function unpack(bytes, type, count) {
    const {bits, signed} = typeInfo(type),
        perByte = 8 / bits,
        out = signed ? new Int8Array(count) : new Uint8Array(count);
    for (let i = 0; i < count; i++) {
        const v = (bytes[Math.floor(i / perByte)] >> (bits * (i % perByte))) & ((1 << bits) - 1);
        out[i] = signed && v >= 1 << (bits - 1) ? v - (1 << bits) : v;
    }
    return out;
}

/** The way back. Returns null when a value is out of range.
 *  @param {ArrayLike<number>} values @param {string} type @returns {Uint8Array | null} */
export function pack(values, type) {
    const {bits, signed} = typeInfo(type),
        perByte = 8 / bits,
        out = new Uint8Array(Math.ceil(values.length / perByte));
    const low = signed ? -(1 << (bits - 1)) : 0,
        high = low + (1 << bits) - 1;
    for (let i = 0; i < values.length; i++) {
        if (values[i] < low || values[i] > high) return null;
        out[Math.floor(i / perByte)] |= (values[i] & ((1 << bits) - 1)) << (bits * (i % perByte));
    }
    return out;
}

/** Stored elements as an array that can be indexed by element: unpacked, float16 and bfloat16 as float32.
 *  @param {{type: string, shape: number[], data: any}} tensor @returns {StoredArray} */
export function stored(tensor) {
    const n = elements(tensor.shape),
        d = tensor.data;
    if (typeInfo(tensor.type).bits < 8 && typeInfo(tensor.type).bits > 0) return unpack(d, tensor.type, n);
    if (tensor.type === 'FLOAT16') return Float32Array.from(d, halfToNumber);
    if (tensor.type === 'BFLOAT16') return new Float32Array(Uint32Array.from(d, (h) => h << 16).buffer);
    return d;
}
