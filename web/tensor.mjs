// Inputs and outputs: a view of what is stored, and the numbers it stands for.
import {assertAttached} from './bytes.mjs';
import {badInput, index, kind, misuse, NpuError, wrongType} from './errors.mjs';
import {fromReal, isReal, toReal} from './quantize.mjs';
import {encodeStrings, textOf, unpackStrings} from './strings.mjs';
import {elements, pack, stored, typeInfo} from './types.mjs';

const tag = (values) => (ArrayBuffer.isView(values) ? (values[Symbol.toStringTag] ?? 'DataView') : '');

/** Reads the record of a tensor that a call left. */
function read(wasm) {
    const t = wasm.result('tensor');
    return {t, shape: t.dims.slice(0, t.rank), declaredShape: t.declared_dims.slice(0, t.rank)};
}

/** An input or output. `shape` is the current one, `declaredShape` has -1 where the model leaves a dimension open. */
export class Tensor {
    #wasm;
    #locate; // asks the module where it is now; null for what a model declares
    #at;
    #bytes;
    #typeCode;
    #kept; // of an input: the strings it was given, for the module shows those of outputs only
    /** @param {import('./wasm.mjs').Wasm} wasm @param {(() => void) | null} locate leaves it in the record
     *  @param {{get: () => Uint8Array[] | undefined, set: (items: Uint8Array[]) => void}} [kept] strings of an input
     *  @private */
    constructor(wasm, locate, kept) {
        locate?.();
        const {t, shape, declaredShape} = read(wasm);
        this.#wasm = wasm;
        this.#locate = locate;
        this.#kept = kept;
        this.#typeCode = t.type;
        this.#at = t.data;
        this.#bytes = t.bytes;
        /** @type {string} */ this.name = wasm.string(t.name, t.name_len);
        /** @type {number[]} */ this.shape = shape;
        /** @type {number[]} */ this.declaredShape = declaredShape;
        /** @type {{scale: number[], zeroPoint: number[], axis: number} | null} real = scale * (stored - zeroPoint), one
         *  of each, or one for every place along `axis` */
        this.quantization =
            t.channels === 0
                ? null
                : {
                      scale: Array.from(new Float32Array(wasm.buffer, t.scales, t.channels)),
                      zeroPoint: Array.from(new Int32Array(wasm.buffer, t.zero_points, t.channels)),
                      axis: t.axis,
                  };
        /** @type {string} FLOAT32, INT8, ... */ this.type = wasm.string(wasm.call('npuw_type_name', t.type));
    }
    /** @type {number} of what is stored */
    get bytes() {
        return this.#bytes;
    }
    /** @type {number} */
    get elements() {
        return elements(this.shape);
    }

    /** The stored elements: a view of the type's typed array, packed bytes for sub-byte types, bits for float16. It looks
     *  straight into the module's memory and lasts until the next call that may allocate: take it anew, or copy it with
     *  slice(). Of STRING it is what unpackStrings reads, and an input has none: use `strings`.
     *  @returns {import('./types.mjs').StoredArray} */
    get data() {
        if (!this.#locate) throw misuse('web.no_data', 'a declared tensor has no data: ask a session');
        this.#locate();
        const {t, shape} = read(this.#wasm),
            {array} = typeInfo(this.type);
        this.#at = t.data;
        this.#bytes = t.bytes;
        this.shape = shape;
        if (!this.#at && this.#bytes) throw misuse('web.no_data', 'it has no data yet: run the session first');
        if (!this.#at) return new array(0);
        return new array(this.#wasm.buffer, this.#at, this.#bytes / array.BYTES_PER_ELEMENT);
    }

    #length(values, rule, what = '') {
        if (values.length !== this.elements)
            throw badInput(
                rule,
                `${this.#label()} takes ${this.elements} elements ([${this.shape}]): got ${values.length}${what}`,
            );
    }
    #label() {
        return `${this.type} tensor "${this.name}"`;
    }

    /** Writes elements as they are stored: the type's own typed array, or a plain array of numbers that are checked. One
     *  value for each element, also for sub-byte types; float16 and bfloat16 as bits. For real numbers use setReal. STRING
     *  takes a list, as `strings`.
     *  @param {ArrayLike<number> | ArrayLike<bigint> | ArrayLike<boolean> | readonly import('./strings.mjs').StringItem[]} values
     *  @returns {void} Throws TypeError for another array type, NpuError for a wrong length or a value out of range. */
    set(values) {
        if (this.type === 'STRING') return this.#setStrings(values);
        const view = this.data,
            {bits, array} = typeInfo(this.type);
        if (!bits) throw this.#noNumbers();
        if (ArrayBuffer.isView(values)) assertAttached(values, 'the values');
        const got = tag(values),
            wants = this.#accepts();
        if (!got && !Array.isArray(values))
            throw wrongType('tensor.values', `set takes ${wants[0]} or an array of numbers: got ${kind(values)}`);
        if (got && !wants.includes(got))
            throw wrongType('tensor.array', `${this.#label()} takes ${wants[0]}: got ${got}${this.#hint(got)}`);
        const parts = this.type.startsWith('COMPLEX') ? 2 : 1;
        if (bits < 8 && got === 'Uint8Array' && values.length === view.length && values.length !== this.elements)
            return void view.set(values); // packed, as `data` gives it
        if (parts === 2 && values.length === 2 * this.elements) return void view.set(values);
        this.#length(values, 'tensor.length', parts === 2 ? ', and each has a real and an imaginary part' : '');
        const own = got && bits >= 8 ? values : this.#checked(values);
        view.set(got === 'Float16Array' ? new array(own.buffer, own.byteOffset, own.length) : own);
    }

    #isStrings() {
        if (this.type !== 'STRING') throw badInput('tensor.strings', `${this.#label()} holds no strings: use set and data`);
    }
    #setStrings(values) {
        this.#isStrings();
        if (!this.#locate) throw misuse('web.no_data', 'a declared tensor has no data: ask a session');
        if (!this.#kept) throw misuse('tensor.strings', `${this.#label()} is no input: its strings can be read only`);
        const items = encodeStrings(values);
        this.#length(items, 'tensor.length');
        this.#kept.set(items);
    }

    /** The strings of a STRING tensor, in C order; writing takes one for each element, of an input. Text is UTF-8: what is
     *  none of it reads as U+FFFD (stringBytes has the bytes), and can be written as Uint8Arrays. An input keeps them until it is
     *  written again; before that, all are empty.
     *  @returns {string[]} Throws NpuError for another type or count, TypeError for what is no list of strings. */
    get strings() {
        return this.stringBytes.map(textOf);
    }
    /** @param {readonly import('./strings.mjs').StringItem[]} values */
    set strings(values) {
        this.#setStrings(values);
    }
    /** The strings of a STRING tensor as they are stored, copies. @type {Uint8Array[]} */
    get stringBytes() {
        this.#isStrings();
        const data = /** @type {Uint8Array} */ (this.data); // says so where there is none
        const kept = this.#kept?.get();
        return kept ? kept.map((item) => item.slice()) : unpackStrings(data, this.elements);
    }

    /** Array types whose elements are this type's, the usual one first. */
    #accepts() {
        const {array, bits, signed} = typeInfo(this.type);
        if (bits < 8) return signed ? ['Int8Array', 'Uint8Array'] : ['Uint8Array'];
        if (this.type === 'UINT8') return ['Uint8Array', 'Uint8ClampedArray'];
        return this.type === 'FLOAT16' ? ['Uint16Array', 'Float16Array'] : [array.name];
    }
    #hint(got) {
        const {array} = typeInfo(this.type);
        if (got.startsWith('Float')) {
            const does = this.quantization ? 'quantizes them' : 'converts them';
            return `: if they are real numbers, use setReal (in a worker the option real), which ${does}`;
        }
        if (array.name.startsWith('Float')) return ': setReal converts numbers';
        const make = array.name.startsWith('Big') ? `${array.name}.from(values, BigInt)` : `${array.name}.from(values)`;
        return `: convert them, ${make}; setReal takes real numbers`;
    }

    /** Plain values as a typed array, once each is known to be one that the type can hold. */
    #checked(values) {
        const {array, bits} = typeInfo(this.type),
            out = bits < 8 ? new Int16Array(values.length) : new array(values.length),
            big = array === BigInt64Array || array === BigUint64Array;
        for (let i = 0; i < values.length; i++) {
            const v = values[i];
            if (typeof v === 'boolean' && this.type === 'BOOL') out[i] = Number(v);
            else if (big && (typeof v === 'bigint' || Number.isSafeInteger(v))) out[i] = BigInt(v);
            else if (typeof v === 'number' && !big) out[i] = v;
            else {
                const wants = big ? 'bigints' : 'numbers';
                throw wrongType('tensor.value', `values[${i}] is ${kind(v)}: ${this.#label()} takes ${wants}`);
            }
            const kept = big ? out[i] === BigInt(v) : Object.is(out[i] + 0, Number(v) + 0),
                real = array === Float32Array || array === Float64Array;
            if (!kept && !real)
                throw badInput(
                    'tensor.range',
                    `values[${i}] is ${v}: ${this.#label()} holds whole numbers of ${bits} bits` +
                        (this.quantization ? '. If these are real numbers, use setReal' : ''),
                );
        }
        if (bits >= 8) return out;
        const packed = pack(/** @type {any} */ (out), this.type);
        if (!packed) throw badInput('tensor.range', `a value is outside the range of ${this.type}`);
        return packed;
    }
    #noNumbers() {
        return new NpuError({
            status: 'UNSUPPORTED',
            rule: 'real.type',
            text: `${this.#label()} holds no real numbers: use ${this.type === 'STRING' ? 'strings' : 'data, what is stored'}`,
        });
    }

    /** The elements as real numbers, a copy: quantized ones are scale * (stored - zeroPoint), by channel where they are.
     *  Float32Array, or Float64Array for FLOAT64 and for integers that are not quantized (beyond 2^53 they are rounded).
     *  @returns {Float32Array | Float64Array} */
    get real() {
        const data = this.data;
        if (!isReal(this.type)) throw this.#noNumbers();
        return toReal(stored({type: this.type, shape: this.shape, data}), this);
    }

    /** Writes real numbers: quantized, rounded to the nearest (halves away from zero) and saturated, where the tensor is
     *  quantized. Integers that are not quantized take whole numbers within their range only.
     *  @param {ArrayLike<number>} values one for each element. Throws NpuError for a wrong length, for NaN where there is
     *  none, for numbers an unquantized integer cannot hold; nothing is written then */
    setReal(values) {
        const view = this.data;
        if (!isReal(this.type)) throw this.#noNumbers();
        if (ArrayBuffer.isView(values)) assertAttached(values, 'the values');
        const got = tag(values);
        if ((!got && !Array.isArray(values)) || got.startsWith('Big') || got === 'DataView')
            throw wrongType('tensor.values', `setReal takes an array of numbers: got ${kind(values)}`);
        this.#length(values, 'real.count');
        const out = fromReal(values, this, this.#label());
        view.set(typeInfo(this.type).bits < 8 ? pack(out, this.type) : out);
    }

    /** Fills it with what `npu_rt run --seed` uses for the input at `position`.
     *  @param {number | bigint} seed @param {number} [position] */
    fill(seed, position = 0) {
        if (typeof seed !== 'bigint' && !Number.isSafeInteger(seed))
            throw wrongType('web.seed', `a seed is a whole number: got ${kind(seed)}`);
        index(position, 'position');
        void this.data; // where it is now
        const s = BigInt.asUintN(64, BigInt(seed));
        const ok = this.#wasm.call(
            'npuw_fill',
            this.#at,
            this.#bytes,
            this.#typeCode,
            Number(s & 0xffffffffn),
            Number(s >> 32n),
            position,
        );
        if (!ok)
            throw new NpuError({
                status: 'UNSUPPORTED',
                rule: 'web.seed',
                text: `no values can be made up for a tensor of type ${this.type}${this.type === 'STRING' ? ': set its strings' : ''}`,
            });
    }
}
