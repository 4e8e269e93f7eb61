// Times models under node, after half a second in which the engine compiles what is hot:
//     node tests/web/bench.mjs MODEL... [--json] [--runs N] [--isa NAME] [--profile]. Inputs come from seed 0.
import {readFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {load, Model} from '../../build/web/npu_rt.mjs';
import {Job, measure} from '../../build/web/engine.mjs';

const {values: options, positionals: models} = parseArgs({
    allowPositionals: true,
    options: {
        json: {type: 'boolean'},
        runs: {type: 'string', default: '0'},
        isa: {type: 'string', default: 'auto'},
        profile: {type: 'boolean'},
    },
});
const runtime = await load({isa: options.isa}),
    results = [];

async function bench(path) {
    const file = await readFile(path);
    let start = performance.now();
    const model = Model.open(file, runtime),
        load_ms = performance.now() - start;
    try {
        start = performance.now();
        const job = new Job(model, [], {profile: options.profile}),
            prepare_ms = performance.now() - start;
        const {first, min, median, p95, runs} = measure(job, {runs: Number(options.runs), warmupMs: 500});
        const ops = options.profile
            ? job.session
                  .profile()
                  .map((p) => ({op: p.name, index: p.op, kernel: p.kernel, ms: p.ns / p.runs / 1e6, macs: p.macs}))
            : undefined;
        return {
            model: path,
            load_ms,
            prepare_ms,
            first_ms: first,
            invoke_ms: {min, median, p95},
            runs,
            isa: job.plan.isa,
            arena_bytes: job.plan.memory.arena_bytes,
            packed_bytes: job.plan.memory.packed_bytes,
            ops,
        };
    } finally {
        model.close();
    }
}

for (const path of models) {
    let row;
    try {
        row = await bench(path);
    } catch (e) {
        row = {model: path, error: `${e.exitCode ?? 1} ${e.rule ?? ''} ${e.text ?? e.message}`};
    }
    results.push(row);
    if (!options.json) {
        console.log(
            row.error
                ? `${path}: ${row.error}`
                : `${path}: median ${row.invoke_ms.median.toFixed(3)} ms, min ${row.invoke_ms.min.toFixed(3)} ms, ` +
                      `p95 ${row.invoke_ms.p95.toFixed(3)} ms, first ${row.first_ms.toFixed(3)} ms, ` +
                      `prepare ${row.prepare_ms.toFixed(3)} ms, ${row.isa}`,
        );
        for (const op of row.ops ?? [])
            console.log(`  ${String(op.index).padStart(4)} ${op.op.padEnd(28)} ${op.ms.toFixed(4)} ms  ${op.kernel}`);
    }
}
if (options.json) console.log(JSON.stringify(results, null, 1));
const failed = results.filter((r) => r.error).length;
console[options.json ? 'error' : 'log'](`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed || !results.length ? 1 : 0;
