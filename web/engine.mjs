// What the worker, the tests and the benchmark do with a model: prepare it, feed it, run it, time it.
import {elements, load, Model, NpuError, pack, stored, typeInfo, unpack} from './npu_rt.mjs';
import {readNpy, writeNpy} from './npy.mjs';

const BAD_INPUT = (rule, text) => new NpuError({status: 'BAD_INPUT', rule, text});
const same = (a, b) => a.length === b.length && a.every((v, i) => v === b[i]);

/** @typedef {{seed?: number, shape?: number[], npy?: Uint8Array, data?: ArrayBufferView, strings?: string[]}} Feed
 *  Where an input comes from: a seed, a .npy file, elements in the type's own form, or strings; those of a seed are empty. */

/** A .npy file as bytes in the form the tensor stores. */
function fromNpy(file, tensor, index) {
    let array;
    try {
        array = readNpy(file);
    } catch (e) {
        throw BAD_INPUT('input.npy', `input ${index}: ${e.message}`);
    }
    const want = typeInfo(tensor.type).file,
        {bits} = typeInfo(tensor.type);
    if (!want)
        throw BAD_INPUT('input.dtype', `input ${index} is of type ${tensor.type}, which no .npy file can hold`);
    if (array.dtype.replace('|V', '<V') !== want.replace('|V', '<V')) {
        throw BAD_INPUT(
            'input.dtype',
            `input ${index} needs dtype ${want}, not ${array.dtype}: convert it with array.astype('${want}')`,
        );
    }
    if (tensor.type === 'BOOL')
        array.bytes.forEach((b, i, all) => {
            all[i] = b ? 1 : 0;
        });
    if (bits < 8) {
        const packed = pack(tensor.type === 'UINT4' ? array.bytes : new Int8Array(array.bytes.buffer), tensor.type);
        if (!packed) throw BAD_INPUT('input.range', `input ${index}: a value is outside the range of ${tensor.type}`);
        return {shape: array.shape, bytes: packed};
    }
    return {shape: array.shape, bytes: array.bytes};
}

/** Settles bytes and shape of every input. @param {Feed[]} feeds */
function settle(declared, feeds) {
    return declared.map((tensor, i) => {
        const feed = feeds[i] ?? {seed: 0};
        if (tensor.type === 'STRING') return {shape: feed.shape ?? tensor.shape, strings: feed.strings};
        if (feed.npy) return fromNpy(feed.npy, tensor, i);
        if (feed.data) {
            const {buffer, byteOffset, byteLength} = feed.data;
            return {shape: feed.shape ?? tensor.shape, bytes: new Uint8Array(buffer, byteOffset, byteLength)};
        }
        return {shape: feed.shape ?? tensor.shape, seed: feed.seed ?? 0};
    });
}

/** A model with its inputs settled: a plan, a session, and the bytes to write before each run. */
export class Job {
    /** @param {Feed[]} feeds `npu`: who runs what it takes, as PlanOptions */
    constructor(model, feeds, {subgraph = 0, profile = false, isa = 'auto', npu = {}} = {}) {
        const declared = model.inputs(subgraph),
            settled = settle(declared, feeds);
        const inputShapes = settled.flatMap(({shape}, input) =>
            same(shape, declared[input].shape) ? [] : [{subgraph, input, shape}],
        );
        this.plan = model.plan({inputShapes, isa, ...npu});
        this.session = this.plan.session({profile, subgraph});
        this.values = this.session.inputs.map((tensor, i) => this.#value(tensor, settled[i], i));
    }
    #value(tensor, {seed, bytes, strings}, i) {
        if (tensor.type === 'STRING') return strings ?? Array(tensor.elements).fill('');
        if (seed !== undefined) {
            tensor.fill(seed, i);
            const d = tensor.data;
            return new Uint8Array(d.buffer, d.byteOffset, d.byteLength).slice();
        }
        if (bytes.length !== tensor.bytes) {
            throw BAD_INPUT(
                'input.size',
                `input ${i} takes ${tensor.bytes} bytes ([${tensor.shape}] of ${tensor.type}): got ${bytes.length}`,
            );
        }
        return bytes;
    }
    write() {
        this.session.inputs.forEach((tensor, i) => {
            if (tensor.type === 'STRING') return tensor.set(this.values[i]);
            const d = tensor.data;
            new Uint8Array(d.buffer, d.byteOffset, d.byteLength).set(this.values[i]);
        });
    }
    /** Milliseconds of one run, writing the inputs not counted. */
    time() {
        this.write();
        const start = performance.now();
        this.session.run();
        return performance.now() - start;
    }
    /** Outputs with their data copied out. */
    outputs() {
        return this.session.outputs.map((t) => ({
            name: t.name,
            type: t.type,
            shape: t.shape,
            quantization: t.quantization,
            data: t.data.slice(),
        }));
    }
    close() {
        this.plan.close();
    }
}

/** First and steady times. Clocks in browsers are coarse: runs too short for them are timed in batches. */
export function measure(job, {warmup = 3, warmupMs = 0, runs = 0, minRuns = 10, budgetMs = 1000} = {}) {
    const first = job.time(),
        outputs = job.outputs(); // of the first run: models with state change with every run
    let last = first;
    const warm = performance.now();
    for (let i = 0; i < warmup || performance.now() - warm < warmupMs; i++) last = job.time();
    job.session.clearProfile();
    const batch = last < 0.05 ? Math.ceil(0.2 / Math.max(last, 0.002)) : 1,
        times = [],
        start = performance.now();
    while (
        runs
            ? times.length < runs
            : times.length < 1000 && (times.length < minRuns || performance.now() - start < budgetMs)
    ) {
        if (batch === 1) times.push(job.time());
        else {
            const begin = performance.now();
            for (let k = 0; k < batch; k++) {
                job.write();
                job.session.run();
            }
            times.push((performance.now() - begin) / batch);
        }
    }
    times.sort((a, b) => a - b);
    const n = times.length,
        median = n % 2 ? times[n >> 1] : (times[n / 2 - 1] + times[n / 2]) / 2;
    return {first, min: times[0], median, p95: times[Math.ceil(n * 0.95) - 1], runs: n * batch, outputs};
}

const MOST = 2 ** 20, // values that are sent on for a histogram
    MOST_STRINGS = 100;

/** What a tensor holds, in reals: range, mean, and the values themselves, up to a number. @param {import('./npu_rt.mjs').Tensor} tensor */
export function look(tensor) {
    const {name, type, shape} = tensor;
    if (type === 'STRING') {
        const {strings} = tensor;
        return {name, type, shape, elements: strings.length, strings: strings.slice(0, MOST_STRINGS)};
    }
    const values = tensor.real;
    let [min, max, sum, notFinite] = [Infinity, -Infinity, 0, 0];
    for (let i = 0; i < values.length; i++) {
        const v = Number(values[i]);
        if (!Number.isFinite(v)) notFinite++;
        else {
            min = v < min ? v : min;
            max = v > max ? v : max;
            sum += v;
        }
    }
    const n = values.length - notFinite;
    return {
        name,
        type,
        shape,
        elements: values.length,
        min: n ? min : null,
        max: n ? max : null,
        mean: n ? sum / n : null,
        notFinite,
        sample: Float64Array.from(values.slice(0, MOST), Number),
    };
}

/** An output as a .npy file with the dtypes the command line uses: sub-byte types as bytes, bfloat16 widened. */
export function outputNpy({type, shape, data}) {
    const {dtype, bits} = typeInfo(type);
    if (!dtype)
        throw new NpuError({
            status: 'UNSUPPORTED',
            rule: 'output.dtype',
            text: `an output of type ${type} fits in no .npy file`,
        });
    const widened =
        bits < 8 ? unpack(data, type, elements(shape)) : type === 'BFLOAT16' ? stored({type, shape, data}) : data;
    return writeNpy(dtype, shape, widened);
}

const runtimes = new Map();

/** One run from files to files. `isa`: a module's (then that one runs) or scalar.
 *  @returns {Promise<Uint8Array[]>} the outputs */
export async function conform(modelBytes, npyFiles, subgraph = 0, isa = 'auto') {
    if (!runtimes.has(isa)) runtimes.set(isa, load({isa: isa === 'scalar' ? 'auto' : isa}));
    const model = Model.open(modelBytes, await runtimes.get(isa));
    try {
        const job = new Job(
            model,
            npyFiles.map((npy) => ({npy})),
            {subgraph, isa},
        );
        job.time();
        return job.outputs().map(outputNpy);
    } finally {
        model.close();
    }
}
