// Between what a tensor stores and the real numbers it stands for: real = scale * (stored - zeroPoint).
import {badInput, kind, wrongType} from './errors.mjs';
import {numberToHalf, typeInfo} from './types.mjs';

/** @typedef {{type: string, shape: number[],
 *             quantization: {scale: number[], zeroPoint: number[], axis: number} | null}} Described */

/** Lowest and highest number of an integer type; null for floats and what holds no numbers. */
export function integerRange(type) {
    const {bits} = typeInfo(type);
    if (type === 'BOOL') return [0, 1];
    if (!/^U?INT\d+$/.test(type)) return null;
    return type[0] === 'U' ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
}

/** Which scale belongs to the element at a place. @param {Described} tensor @returns {(at: number) => number} */
function channels({shape, quantization}) {
    const n = quantization.scale.length;
    if (n === 1) return () => 0;
    const inner = shape.slice(quantization.axis + 1).reduce((a, b) => a * b, 1);
    return (at) => Math.floor(at / inner) % n;
}

/** @param {ArrayLike<number | bigint>} values elements as `stored` gives them, floats as numbers
 *  @param {Described} tensor @returns {Float32Array | Float64Array} */
export function toReal(values, tensor) {
    const {type, quantization} = tensor;
    if (type === 'FLOAT64' || (integerRange(type) && (!quantization || type === 'BOOL')))
        return Float64Array.from(/** @type {any} */ (values), Number);
    if (Object.hasOwn(FLOAT8, type))
        return Float32Array.from(
            /** @type {any} */ (values),
            (code) => (code & 128 ? -1 : 1) * FLOAT8[type][code & 127],
        );
    if (!integerRange(type)) return Float32Array.from(/** @type {any} */ (values));
    const {scale, zeroPoint} = quantization,
        channel = channels(tensor),
        out = new Float32Array(values.length);
    for (let i = 0; i < out.length; i++) {
        const c = channel(i);
        out[i] = scale[c] * (Number(values[i]) - (zeroPoint[c] ?? 0));
    }
    return out;
}

/** Halves go away from zero, as TFLite rounds. */
const round = (v) => (v < 0 ? -Math.round(-v) : Math.round(v));

/** A float32 as bfloat16 bits, rounded to nearest even. */
function numberToBfloat(v) {
    const bits = new Uint32Array(Float32Array.of(v).buffer)[0];
    return Number.isNaN(v) ? 0x7fc0 : (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** The numbers of a float type of 8 bits, by code, without the sign: ascending, and NaN or infinities at the end. */
const byteFloats = (bits, bias, special) =>
    Float64Array.from({length: 128}, (_, code) => {
        const e = code >> bits,
            m = code & ((1 << bits) - 1);
        return special(code) ?? (e ? (1 + m / 2 ** bits) * 2 ** (e - bias) : (m / 2 ** bits) * 2 ** (1 - bias));
    });
const FLOAT8 = {
    FLOAT8_E4M3FN: byteFloats(3, 7, (code) => (code === 127 ? NaN : undefined)),
    FLOAT8_E5M2: byteFloats(2, 15, (code) => (code > 124 ? NaN : code === 124 ? Infinity : undefined)),
};

/** A number as one of 8 bits, rounded to nearest even; what is too large becomes the first code after the numbers. */
function numberToByte(v, table) {
    const sign = v < 0 || Object.is(v, -0) ? 128 : 0,
        a = Math.abs(v),
        most = table.filter(Number.isFinite).length - 1;
    if (Number.isNaN(v)) return 127;
    let code = table.findIndex((t) => !(t < a)); // the first that is not below
    if (code > most) {
        const end = table[most] + (table[most] - table[most - 1]) / 2; // half a step beyond: even, so up
        return sign | (a >= end ? most + 1 : most);
    }
    const down = code > 0 ? a - table[code - 1] : Infinity,
        up = table[code] - a;
    if (down < up || (down === up && code & 1)) code--;
    return sign | code;
}

/** How a number is stored in a float type. */
const FLOATS = {
    FLOAT32: Math.fround,
    FLOAT64: (v) => v,
    FLOAT16: numberToHalf,
    BFLOAT16: numberToBfloat,
    FLOAT8_E4M3FN: (v) => numberToByte(v, FLOAT8.FLOAT8_E4M3FN),
    FLOAT8_E5M2: (v) => numberToByte(v, FLOAT8.FLOAT8_E5M2),
};

/** Whether elements of a type are real numbers that can be told. */
export const isReal = (type) => Boolean(integerRange(type)) || Object.hasOwn(FLOATS, type);

/** Real numbers as elements, one for each entry also of sub-byte types; throws and changes nothing where one cannot be.
 *  @param {ArrayLike<number>} values @param {Described} tensor @param {string} label @returns {any} */
export function fromReal(values, tensor, label) {
    const {array, bits} = typeInfo(tensor.type),
        range = integerRange(tensor.type),
        out = bits < 8 ? new Int16Array(values.length) : new array(values.length);
    const store = range ? integers(tensor, range, label) : FLOATS[tensor.type],
        most = array.name.startsWith('Big') ? 2n ** BigInt(range[0] ? bits - 1 : bits) - 1n : 0n;
    for (let i = 0; i < values.length; i++) {
        const v = values[i];
        if (typeof v !== 'number') throw wrongType('tensor.value', `values[${i}] is ${kind(v)}: setReal takes numbers`);
        const kept = store(v, i);
        out[i] = most ? (kept >= most ? most : BigInt(kept)) : kept; // a number cannot hold the highest of 64 bits
    }
    return out;
}

/** How a real number becomes an integer of the type. */
function integers(tensor, [low, high], label) {
    const {quantization, type} = tensor,
        noNaN = (v, i) => badInput('real.nan', `values[${i}] is NaN: ${label} has no such value`);
    if (!quantization || type === 'BOOL')
        return (v, i) => {
            if (Number.isNaN(v)) throw noNaN(v, i);
            if (!Number.isInteger(v) || v < low || v > high || Math.abs(v) > Number.MAX_SAFE_INTEGER)
                throw badInput(
                    'real.range',
                    `values[${i}] is ${v}: ${label} is not quantized and holds whole numbers of its range only`,
                );
            return v;
        };
    const {scale, zeroPoint} = quantization,
        channel = channels(tensor);
    return (v, i) => {
        if (Number.isNaN(v)) throw noNaN(v, i);
        const c = channel(i),
            zero = zeroPoint[c] ?? 0;
        if (!(scale[c] > 0 && scale[c] < Infinity))
            throw badInput(
                'real.scale',
                `${label}: the scale of channel ${c} is ${scale[c]}: it must be a positive number`,
            );
        const q = round(Math.fround(Math.fround(v) / scale[c])) + zero; // in float, as TFLite divides
        return Math.max(low, Math.min(high, q));
    };
}
