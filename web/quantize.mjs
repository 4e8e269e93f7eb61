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

/** How a number is stored in a float type. */
const FLOATS = {FLOAT32: Math.fround, FLOAT64: (v) => v, FLOAT16: numberToHalf, BFLOAT16: numberToBfloat};

/** Whether elements of a type are real numbers that can be told. */
export const isReal = (type) => Boolean(integerRange(type)) || Object.hasOwn(FLOATS, type);

/** Real numbers as elements, one for each entry also of sub-byte types; throws and changes nothing where one cannot be.
 *  @param {ArrayLike<number>} values @param {Described} tensor @param {string} label @returns {any} */
export function fromReal(values, tensor, label) {
    const {array, bits} = typeInfo(tensor.type),
        range = integerRange(tensor.type),
        out = bits < 8 ? new Int16Array(values.length) : new array(values.length);
    const store = range ? integers(tensor, range, label) : FLOATS[tensor.type],
        big = array.name.startsWith('Big');
    for (let i = 0; i < values.length; i++) {
        const v = values[i];
        if (typeof v !== 'number') throw wrongType('tensor.value', `values[${i}] is ${kind(v)}: setReal takes numbers`);
        out[i] = big ? BigInt(store(v, i)) : store(v, i);
    }
    return out;
}

/** How a real number becomes an integer of the type. */
function integers(tensor, [low, high], label) {
    const {quantization, type} = tensor,
        noNaN = (v, i) => badInput('tensor.nan', `values[${i}] is NaN: ${label} has no such value`);
    if (!quantization || type === 'BOOL')
        return (v, i) => {
            if (Number.isNaN(v)) throw noNaN(v, i);
            if (!Number.isInteger(v) || v < low || v > high || Math.abs(v) > Number.MAX_SAFE_INTEGER)
                throw badInput(
                    'tensor.range',
                    `values[${i}] is ${v}: ${label} is not quantized and holds whole numbers of its range only`,
                );
            return v;
        };
    const {scale, zeroPoint} = quantization,
        channel = channels(tensor),
        top = type === 'INT64' ? Number.MAX_SAFE_INTEGER : high; // beyond it a number is not exact
    return (v, i) => {
        if (Number.isNaN(v)) throw noNaN(v, i);
        const c = channel(i),
            zero = zeroPoint[c] ?? 0;
        if (!(scale[c] > 0)) return zero; // every element stands for 0 then
        const q = round(Math.fround(Math.fround(v) / scale[c])) + zero; // in float, as TFLite divides
        return Math.max(Math.max(low, -top - 1), Math.min(top, q));
    };
}
