// Real numbers and stored ones: set, setReal, real, against the QUANTIZE and DEQUANTIZE operators, by type and by channel.
import {execFileSync} from 'node:child_process';
import {PAGE, ROOT} from './browser.mjs';

const {halfToNumber, NpuError, unpack} = await import(`${PAGE}npu_rt.mjs`);
const {fromReal, toReal} = await import(`${PAGE}quantize.mjs`);

/** One-operator models by name, as tests/cli/tiny_model.py writes them. */
const MAKE = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
import tiny_model as t
QUANTIZE, DEQUANTIZE, N = 114, 6, 4096
FLOATS = {"FLOAT16": 1, "FLOAT64": 10, "BFLOAT16": 18}
INTS = {"INT8": 9, "UINT8": 3, "INT16": 7, "INT32": 2, "INT64": 4, "BOOL": 6, "INT4": 17, "UINT32": 15, "UINT16": 16}
made = {}
for name, scale, zero in (("INT8", 0.0625, -8), ("INT8", 0.1, 3), ("UINT8", 1 / 3, 200), ("INT16", 0.001, 0)):
    q = lambda: t.tensor(b"q", INTS[name], [N], quant=(scale, zero))
    f = lambda: t.tensor(b"f", t.FLOAT32, [N])
    made["quantize %s %r" % (name, scale)] = t.model([f(), q()], [0], [1], QUANTIZE, 94)
    made["dequantize %s %r" % (name, scale)] = t.model([q(), f()], [0], [1], DEQUANTIZE, 6)
for name, code in {**INTS, **FLOATS}.items():
    made["copy " + name] = t.copy_model(code, [1, 6])
made["copy INT4 quantized"] = t.copy_model(INTS["INT4"], [1, 6], quant=(0.5, 0))
made["copy COMPLEX64"] = t.copy_model(t.COMPLEX64, [1, 6])
channels = t.tensor(b"in", t.INT8, [2, 3, 2])
channels.fields[4] = t.Table({2: t.Vector("<f", [1.0, 0.5, 0.25]), 3: t.Vector("<q", [0, 0, 0]), 6: t.i32(1)})
out = t.tensor(b"out", t.INT8, [12])
out.fields[4] = channels.fields[4]
made["channels"] = t.model([channels, out], [0], [1], t.RESHAPE, 17, t.Table({0: t.Vector("<i", [12])}))
print(json.dumps({k: base64.b64encode(v).decode() for k, v in made.items()}))
`;

function models() {
    const made = JSON.parse(
        execFileSync('python3', ['-c', MAKE, `${ROOT}tests/cli`], {maxBuffer: 1 << 26, encoding: 'utf8'}),
    );
    return new Map(Object.entries(made).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
}

/** Numbers with many halves between two quantized values, beyond both ends of the range, and of every size. */
function values(n) {
    let seed = 1;
    const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    return Float32Array.from({length: n}, (_, i) => {
        if (i < 8) return [0, -0, Infinity, -Infinity, 1e30, -1e30, 1e-30, 0.03125][i];
        const v = (random() - 0.5) * [1, 20, 200, 1e5][i & 3];
        return i & 4 ? Math.round(v * 32) / 32 : v;
    });
}

export async function testTensors(checks, runtime) {
    const all = models(),
        failure = (f) => {
            try {
                f();
                return null;
            } catch (e) {
                return e;
            }
        };
    const use = async (name, body) =>
        checks.test(name, () => {
            const model = runtime.open(all.get(name)),
                session = model.plan().session();
            body({session, input: session.inputs[0], output: () => session.outputs[0], model});
            model.close();
        });

    for (const name of [...all.keys()].filter((key) => key.startsWith('quantize')))
        await use(name, ({session, input, output}) => {
            const finite = (v) => (Math.abs(v) > 1e20 ? Math.sign(v) * 1e8 : v), // the operator is for finite numbers
                given = values(input.elements).map(finite);
            input.setReal(given);
            session.run();
            const want = output().data.slice(),
                second = runtime.open(all.get(name.replace('quantize', 'dequantize'))),
                back = second.plan().session(),
                [q] = back.inputs;
            q.setReal(given);
            const got = q.data.slice(),
                wrong = got.findIndex((v, i) => v !== want[i]);
            checks.equal(wrong, -1, `${name}: ${given[wrong]} becomes ${got[wrong]}, the operator says ${want[wrong]}`);
            back.run();
            checks.equal(q.real.join(), back.outputs[0].data.join(), `${name}: real`);
            checks.equal(output().real.join(), q.real.join(), `${name}: real of an output`);
            q.setReal(values(input.elements));
            const range = {INT8: [-128, 127], UINT8: [0, 255], INT16: [-32768, 32767]}[q.type];
            checks.equal([q.data[3], q.data[2]].join(), range.join(), `${name}: saturates`);
            second.close();
        });

    await use('channels', ({input}) => {
        input.setReal([1, 1, 1, 1, 1, 1, -3, -3, -3, -3, -3.3, 100]);
        checks.equal(input.data.join(), '1,1,2,2,4,4,-3,-3,-6,-6,-13,127', 'by channel');
        checks.equal(input.real.join(), '1,1,1,1,1,1,-3,-3,-3,-3,-3.25,31.75', 'and back');
        checks.equal(input.quantization.axis, 1, 'axis');
    });

    for (const [type, given, stored] of [
        ['INT32', [1, -2, 3, 2147483647, -2147483648, 0], null],
        ['INT64', [1, -2, 3, 2 ** 53 - 1, -5, 0], '1,-2,3,9007199254740991,-5,0'],
        ['UINT32', [1, 2, 3, 4294967295, 5, 0], null],
        ['UINT16', [1, 2, 3, 65535, 5, 0], null],
        ['BOOL', [1, 0, 1, 1, 0, 0], null],
        ['FLOAT16', [0.5, -2, 65504, 1 / 1024, 0, 1], null],
        ['BFLOAT16', [0.5, -2, 128, 1 / 1024, 0, 1], null],
        ['FLOAT64', [Math.PI, -2, 1e300, NaN, 0, 1], null],
    ])
        await use(`copy ${type}`, ({session, input, output}) => {
            input.setReal(given);
            session.run();
            checks.equal(output().real.join(), given.join(), `${type}: there and back`);
            if (stored) checks.equal(output().data.join(), stored, `${type}: stored`);
            if (type.includes('FLOAT')) return;
            const most = failure(() => input.setReal([...given.slice(1), 2 ** 60]));
            checks.ok(
                most instanceof NpuError && most.rule === 'real.range' && /not quantized/.test(most.text),
                `${type}: ${most}`,
            );
            checks.equal(
                failure(() => input.setReal([...given.slice(1), 0.5]))?.rule,
                'real.range',
                `${type}: a fraction`,
            );
            checks.equal(failure(() => input.setReal([...given.slice(1), NaN]))?.rule, 'real.nan', `${type}: NaN`);
            checks.equal(session.outputs[0].real.join(), given.join(), `${type}: nothing was written`);
            input.set(type.endsWith('64') ? given.map(BigInt) : given);
            checks.equal(input.real.join(), given.join(), `${type}: set`);
        });

    await use('copy FLOAT16', ({input}) => {
        input.setReal(Float32Array.of(0.1, 70000, -70000, NaN, 1e-8, 6e-8));
        checks.equal(
            [...input.data].map(halfToNumber).join(),
            '0.0999755859375,Infinity,-Infinity,NaN,0,5.960464477539063e-8',
            'rounded',
        );
        input.set(Uint16Array.of(0x3c00, 1, 2, 3, 4, 5));
        checks.equal(input.data[0], 0x3c00, 'bits');
    });
    for (const [type, quarter, largest, beyond, above] of [
        ['FLOAT8_E4M3FN', 0x28, 448, 0x7f, 464],
        ['FLOAT8_E5M2', 0x34, 57344, 0x7c, 61440],
    ]) {
        const t = {type, shape: [256], quantization: null},
            codes = Uint8Array.from({length: 256}, (_, i) => i),
            reals = toReal(codes, t),
            back = fromReal(reals, t, type),
            small = 1 / 2 ** (type.endsWith('FN') ? 9 : 16); // the smallest number above 0
        checks.ok(
            codes.every((c) => back[c] === c || Number.isNaN(reals[c])),
            `${type}: every code there and back`,
        );
        checks.equal(reals[quarter], 0.25, `${type}: a quarter`);
        checks.equal(Math.max(...reals.filter(Number.isFinite)), largest, `${type}: the largest`);
        const got = fromReal(
            [above, above - 0.1, -Infinity, NaN, small / 2, small / 2 + 1e-9, small * 1.5, -0],
            t,
            type,
        );
        checks.equal(
            got.join(),
            [beyond, beyond - 1, beyond | 128, 127, 0, 1, 2, 128].join(),
            `${type}: rounded to even`,
        );
    }
    const wide = {type: 'INT64', shape: [4], quantization: {scale: [0.5], zeroPoint: [0], axis: 0}};
    checks.equal(
        fromReal([Infinity, -Infinity, 3, 2 ** 54], wide, '').join(),
        `${2n ** 63n - 1n},${-(2n ** 63n)},6,${2n ** 55n}`,
        'INT64',
    );
    const zero = {type: 'INT8', shape: [1], quantization: {scale: [0], zeroPoint: [0], axis: 0}};
    checks.equal(failure(() => fromReal([1], zero, ''))?.rule, 'real.scale', 'a scale of 0');

    await use('copy INT4 quantized', ({session, input, output}) => {
        input.setReal([0.5, -4, 100, -100, 1, 0]);
        session.run();
        checks.equal(unpack(output().data, 'INT4', 6).join(), '1,-8,7,-8,2,0', 'packed');
        checks.equal(output().real.join(), '0.5,-4,3.5,-4,1,0', 'and back');
        const packed = output().data.slice();
        input.set([1, -8, 7, 0, 0, 1]);
        checks.equal(input.real.join(), '0.5,-4,3.5,0,0,0.5', 'set, one value for each element');
        input.set(packed);
        checks.equal(input.real.join(), '0.5,-4,3.5,-4,1,0', 'set, packed as data is');
        checks.equal(failure(() => input.set([1, 2, 3, 4, 5, 8]))?.rule, 'tensor.range', 'out of range');
    });
    await use('copy COMPLEX64', ({input}) => {
        checks.equal(failure(() => input.real)?.rule, 'real.type', 'complex numbers are not real');
        checks.equal(failure(() => input.setReal([1, 2, 3, 4, 5, 6]))?.code, 'UNSUPPORTED', 'nor set so');
        input.set(Float32Array.from({length: 12}, (_, i) => i));
        checks.equal(input.data[11], 11, 'but set as pairs');
    });

    await use('dequantize INT8 0.0625', ({input}) => {
        const n = input.elements,
            refused = (given, rule, words, what, type = TypeError) => {
                const e = failure(() => input.set(given));
                checks.ok(e instanceof type && e.rule === rule && e.message.includes(words), `${what}: ${e}`);
            };
        refused(new Float32Array(n), 'tensor.array', 'setReal', 'floats');
        refused(new Float64Array(n), 'tensor.array', 'setReal', 'doubles');
        refused(new Uint8Array(n), 'tensor.array', 'Int8Array', 'bytes');
        refused(new BigInt64Array(n), 'tensor.array', 'Int8Array', 'bigints');
        refused(new DataView(new ArrayBuffer(n)), 'tensor.array', 'Int8Array', 'a DataView');
        refused(new ArrayBuffer(n), 'tensor.values', 'ArrayBuffer', 'an ArrayBuffer');
        refused('1', 'tensor.values', 'a string', 'a string');
        refused(null, 'tensor.values', 'null', 'null');
        refused(5, 'tensor.values', 'a number (5)', 'a number');
        refused(Promise.resolve([]), 'tensor.values', 'a Promise', 'a promise');
        refused(Array(n).fill('1'), 'tensor.value', 'values[0] is a string', 'strings');
        refused(Array(n).fill(undefined), 'tensor.value', 'undefined', 'holes');
        refused(new Int8Array(3), 'tensor.length', `takes ${n} elements`, 'too short', NpuError);
        refused(new Int8Array(n + 1), 'tensor.length', `got ${n + 1}`, 'too long', NpuError);
        refused(Array(n).fill(0.5), 'tensor.range', 'setReal', 'a fraction', NpuError);
        refused(Array(n).fill(128), 'tensor.range', 'values[0] is 128', 'too large', NpuError);
        refused(Array(n).fill(NaN), 'tensor.range', 'NaN', 'NaN', NpuError);
        checks.equal(
            failure(() => input.setReal([NaN, ...Array(n - 1).fill(0)]))?.rule,
            'real.nan',
            'NaN as a real number',
        );
        checks.ok(failure(() => input.setReal(Array(n).fill('0'))) instanceof TypeError, 'strings as real numbers');
        checks.ok(failure(() => input.setReal(new BigInt64Array(n))) instanceof TypeError, 'bigints as real numbers');
        checks.ok(failure(() => input.setReal(0.5)) instanceof TypeError, 'one number');
        checks.equal(failure(() => input.setReal([0.5]))?.rule, 'real.count', 'real numbers: too few');
        const gone = new Int8Array(n);
        structuredClone(gone.buffer, {transfer: [gone.buffer]});
        refused(gone, 'web.detached', 'transferred', 'a buffer that was transferred');
        input.set(new Int8Array(new SharedArrayBuffer(n)).fill(7));
        checks.equal(input.data[n - 1], 7, 'shared memory');
        input.set(Int8Array.from({length: n}, (_, i) => i));
        checks.equal(input.data[5], 5, 'its own type');
    });
}
