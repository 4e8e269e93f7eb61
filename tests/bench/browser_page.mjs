// What tests/bench/browser.mjs runs inside a page: one engine, one model, from nothing to the first result and then a round.
// Every engine is an object with open(file), which settles on a model, write(inputs), run() and outputs(); what is not
// allowed throws.

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const view = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

class NpuRt {
    forgets = true; // inputs share the arena with what comes after them; the peers' stay
    constructor(options) {
        this.options = options;
    }
    async open(url) {
        const {openModel} = await import('/npu_rt/npu_rt.min.mjs');
        const {isa, threads} = this.options,
            model = await openModel(url, {isa, threads});
        if (model.threads !== threads) throw new Error(`${model.threads} threads: ${model.oneThreadBecause}`);
        this.plan = model.plan();
        this.session = this.plan.session();
        this.isa = this.plan.isa;
    }
    write(inputs) {
        if (!this.to?.every((to) => to.byteLength)) this.to = this.session.inputs.map((t) => view(t.data)); // memory that grew moves
        this.to.forEach((to, i) => to.set(view(inputs[i].data)));
    }
    run() {
        this.session.run();
    }
    outputs() {
        return this.session.outputs.map((t) => t.data.slice());
    }
}

class TfjsTflite {
    constructor(options) {
        this.options = options;
    }
    async open(url) {
        await new Promise((resolve, reject) => {
            const script = document.createElement('script');
            Object.assign(script, {src: '/tfjs-tflite/tflite_web_api_client.js', onload: resolve, onerror: reject});
            document.head.append(script);
        });
        globalThis.tfweb.tflite_web_api.setWasmPath('/tfjs-tflite/');
        const {threads} = this.options;
        this.runner = await globalThis.tfweb.TFLiteWebModelRunner.create(url, {numThreads: threads});
    }
    write(inputs) {
        this.runner.getInputs().forEach((t, i) => {
            const to = view(t.data()),
                from = view(inputs[i].data);
            if (to.length !== from.length) throw new Error(`input ${i} has ${to.length} bytes here`);
            to.set(from);
        });
    }
    run() {
        if (this.runner.infer() === false) throw new Error('infer() failed');
    }
    outputs() {
        return this.runner.getOutputs().map((t) => t.data().slice());
    }
}

class LiteRtJs {
    constructor(options) {
        this.options = options;
    }
    async open(url) {
        const [{loadLiteRt, loadAndCompile, Tensor}, file] = await Promise.all([import('/litert/index.mjs'), bytes(url)]);
        const {threads} = this.options;
        await loadLiteRt('/litert/wasm/', {threads: threads > 1});
        this.Tensor = Tensor;
        this.model = await loadAndCompile(file, {accelerator: 'wasm', cpuOptions: {numThreads: threads}});
        this.kept = [];
        this.given = [];
    }
    write(inputs) {
        for (const t of this.given) t.delete();
        this.given = inputs.map(({data, shape}) => new this.Tensor(data, shape));
    }
    async run() {
        for (const t of this.kept) t.delete();
        this.kept = [];
        this.kept = await this.model.run(this.given);
    }
    outputs() {
        return this.kept.map((t) => t.toTypedArray().slice());
    }
}

const ENGINES = {npu_rt: NpuRt, 'tfjs-tflite': TfjsTflite, 'LiteRT.js': LiteRtJs};
const ARRAYS = {
    FLOAT32: Float32Array,
    INT8: Int8Array,
    UINT8: Uint8Array,
    BOOL: Uint8Array,
    INT16: Int16Array,
    INT32: Int32Array,
    INT64: BigInt64Array,
};

export const median = (values) => {
    const sorted = values.toSorted((a, b) => a - b),
        n = sorted.length;
    return n % 2 ? sorted[n >> 1] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
};

/** Runs in batches of at least a millisecond, as clocks in browsers are coarse; there writing inputs counts for who must repeat it. */
async function round(engine, inputs, {warmupMs, budgetMs}) {
    const one = async () => {
        engine.write(inputs);
        const start = performance.now();
        await engine.run();
        return performance.now() - start;
    };
    const warm = performance.now();
    let last = 0;
    do last = await one();
    while (performance.now() - warm < warmupMs);
    const begin = performance.now(),
        times = [];
    const batch = last < 0.5 ? Math.ceil(1 / Math.max(last, 0.002)) : 1;
    while (times.length < 10 || (times.length < 500 && performance.now() - begin < budgetMs)) {
        if (batch === 1) times.push(await one());
        else {
            engine.write(inputs);
            const start = performance.now();
            for (let k = 0; k < batch; k++) {
                if (engine.forgets) engine.write(inputs);
                await engine.run();
            }
            times.push((performance.now() - start) / batch);
        }
    }
    return {ms: median(times), runs: times.length * batch};
}

/** @returns {Promise<object>} figures, or {refused}: why the engine does not run the model */
export async function measure({name, model, inputs, options}) {
    const given = [];
    for (const [i, {type, shape}] of inputs.entries()) {
        given.push({data: new ARRAYS[type]((await bytes(`/inputs/${i}`)).buffer), shape});
    }
    try {
        const engine = new ENGINES[name](options),
            start = performance.now();
        await engine.open(model);
        engine.write(given);
        await engine.run();
        const first_result_ms = performance.now() - start,
            outputs = engine.outputs().map((data) => Array.from(data.slice(0, 4096), Number));
        return {first_result_ms, outputs, isa: engine.isa, ...(await round(engine, given, options))};
    } catch (e) {
        return {refused: String(e?.text ?? e?.message ?? e).split('\n')[0].slice(0, 200)};
    }
}
