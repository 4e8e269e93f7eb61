// Runs everything off the page's thread. One model at a time; answers {id, result} or {id, error}.
import {serveCalls} from './channel.mjs';
import {misuse, pack} from './errors.mjs';
import {load, Model, openModel, Runtime} from './npu_rt.mjs';
import {conform, Job, look, measure} from './engine.mjs';

let runtime, model, live;
/** The open model's file, and the model again on more threads than one, of which `asked` were asked for. */
let file, shared, asked;
/** The last run, and a session that keeps its values once somebody asks for them. */
let ran, kept;

/** Small plan that tells memory and per-op MACs; models that cannot be planned can still be looked at. */
function planned(next) {
    const start = performance.now();
    let job;
    try {
        job = new Job(next, []);
        const ops = [];
        for (let s = 0; s < next.info().subgraphs.length; s++) for (const row of job.session.profile(s)) ops.push(row);
        return {memory: job.plan.memory, isa: job.plan.isa, ops, prepareMs: performance.now() - start};
    } catch (e) {
        return {planError: pack(e)};
    } finally {
        job?.close();
    }
}

/** The open model on so many threads. The one with several is kept until another number is asked for. */
async function onThreads(n) {
    if (n === 1) return model;
    if (!shared || asked !== n) {
        shared?.close();
        shared = undefined;
        shared = await openModel(file, {threads: n});
        asked = n;
    }
    return shared;
}

function forget(all = true) {
    kept?.close();
    kept = undefined;
    if (all) ran = undefined;
}

const attempt = (f) => {
    try {
        return f();
    } catch (e) {
        return {error: pack(e)};
    }
};

/** Verdicts and cost; null: the cost is still to come.
 *  @param {import('./reports.mjs').BackendChoice & {memoryMode?: string, clockHz?: number}} choice */
const judged = (m, choice, estimated = true) => ({
    choice,
    check: attempt(() => m.check({backend: choice.backend, profile: choice.profile})),
    cost: estimated ? attempt(() => m.cost(choice)) : null,
});

/** Models up to this size are estimated before they are shown; larger ones after, as weights are gone through for each NPU. */
const SMALL_BYTES = 2 ** 18,
    SMALL_OPS = 500;

/** What is known of every NPU without an estimate: rows as Model.compare gives them, whose `estimate` is still to come. */
function verdicts(m, relaxFp32) {
    const {npus} = m.compare({verdictsOnly: true, relaxFp32});
    return {npus: npus.map((npu) => ({...npu, estimate: undefined})), estimated: false};
}

/** What the operators "ethos-u" were compiled for; null for a model that has none. */
function compiled(m, dump) {
    if (!dump.subgraphs.some((g) => g.operators.some((op) => op.op === 'ethos-u'))) return null;
    const parts = (report) =>
        report.streams.map(({commands, ...rest}) => ({...rest, commands: commands?.length ?? 0}));
    try {
        return {streams: parts(m.stream())};
    } catch (e) {
        return {streams: e.report ? parts(e.report) : [], error: pack(e)};
    }
}

const methods = {
    async start(isa) {
        runtime = await load(isa ? {isa} : undefined);
        return {
            isa: runtime.isa,
            version: runtime.version,
            backends: runtime
                .backends()
                .map((name) => ({
                    name,
                    profiles: runtime.profiles(name),
                    compiles: runtime.compiles(name),
                    plans: runtime.plans(name),
                })),
            memoryModes: runtime.memoryModes(),
            moduleBytes: runtime.moduleBytes,
            runtime: {module: runtime.module, isa: runtime.isa, bytes: runtime.moduleBytes},
        };
    },

    /** What a worker that was ended knew: the module as `start` gave it, and the open model's file, if there was one. */
    restore(from, bytes) {
        runtime = new Runtime(from);
        if (bytes) model = Model.open(bytes, runtime);
        file = bytes;
    },

    /** Replaces the open model, but only by one that opens. `choice`: of the NPU that judges it. Reports what every NPU takes as
     *  soon as it is known, before planning.
     *  @param {Uint8Array} bytes @param {import('./reports.mjs').BackendChoice & {memoryMode?: string, clockHz?: number}} choice
     *  @param {boolean} relaxFp32 of the comparison */
    open(bytes, choice, relaxFp32) {
        const start = performance.now(),
            next = Model.open(bytes, runtime),
            loadMs = performance.now() - start;
        const first = attempt(() => verdicts(next, relaxFp32));
        this.report(first);
        const plan = planned(next),
            tensors = (list) =>
                list.map((t) => ({
                    name: t.name,
                    type: t.type,
                    shape: t.shape,
                    declaredShape: t.declaredShape,
                    quantization: t.quantization,
                    elements: t.elements,
                }));
        const info = attempt(() => next.info()),
            dump = next.dump(),
            entries = [];
        for (let s = 0; s < dump.subgraphs.length; s++)
            entries.push({inputs: tensors(next.inputs(s)), outputs: tensors(next.outputs(s))});
        const operators = dump.subgraphs.reduce((n, g) => n + g.operators.length, 0),
            small = bytes.length <= SMALL_BYTES && operators <= SMALL_OPS;
        methods.close();
        model = next;
        file = bytes;
        return {
            loadMs,
            info,
            dump,
            entries,
            ...plan,
            compiled: compiled(next, dump),
            judged: judged(next, choice, small),
            compared: small ? attempt(() => ({...next.compare({relaxFp32}), estimated: true})) : first,
        };
    },
    /** Every NPU. @param {import('./npu_rt.mjs').CompareChoice & {format?: any}} choice */
    compare(choice) {
        return model.compare(choice);
    },

    /** Another choice for the open model. */
    judge(choice) {
        return model ? judged(model, choice) : null;
    },
    /** The command streams as text; of damaged ones what could be read. */
    stream() {
        try {
            return model.stream({format: 'text'});
        } catch (e) {
            if (e.report) return e.report;
            throw e;
        }
    },

    /** How a compiler would execute it. @param {any} choice as Model.planReport's */
    planReport(choice) {
        return model.planReport(choice);
    },
    /** What is made of the operators that the NPU takes. @param {{backend: string, profile?: string, format: string}} choice */
    lower(choice) {
        return model.lower(choice);
    },

    /** Fresh sessions, so that the state of an earlier run has no say; the clock inside runs only for the profile.
     *  `npu`: who runs what it takes, as PlanOptions. */
    async run(feeds, {subgraph = 0, runs = 0, budgetMs = 500, threads = 1, npu} = {}) {
        forget();
        const used = await onThreads(threads);
        const use = (options, body) => {
            const job = new Job(used, feeds, {subgraph, npu, ...options});
            try {
                return body(job);
            } finally {
                job.close();
            }
        };
        const result = use({}, (job) => ({
            ...measure(job, {runs, budgetMs, warmup: 1, minRuns: 3}),
            memory: {...job.plan.memory, ...job.session.memory},
            isa: job.plan.isa,
            threads: used.threads,
            oneThreadBecause: used.oneThreadBecause,
        }));
        ran = {feeds, subgraph, npu};
        return {
            ...result,
            ...use({profile: true}, (job) => {
                measure(job, {budgetMs: budgetMs / 4, warmup: 0, minRuns: 1});
                return {ops: job.session.profile(), inputs: job.values};
            }),
        };
    },

    /** What a tensor held in the last run, which is done once more, with all values kept. */
    look(subgraph, tensor) {
        if (!ran) throw misuse('web.no_run', 'run the model first');
        if (!kept) {
            kept = new Job(model, ran.feeds, {subgraph: ran.subgraph, npu: {...ran.npu, keepValues: true}});
            try {
                kept.time();
            } catch (e) {
                forget(false);
                throw e;
            }
        }
        return look(kept.session.tensor(tensor, subgraph));
    },

    /** The last run is not what the page shows any more. */
    forget() {
        forget();
    },

    /** One quick run on a session that is kept. */
    classify(data) {
        live ??= new Job(model, [{seed: 0}]);
        live.values[0] = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        const ms = live.time();
        return {output: live.outputs()[0], ms};
    },

    conform,
    memory() {
        return {bytes: model?.memoryBytes ?? 0};
    },
    text() {
        return model.dump({format: 'text'});
    },
    close() {
        forget();
        model?.close();
        shared?.close();
        model = live = file = shared = undefined;
    },
};

serveCalls(methods);
