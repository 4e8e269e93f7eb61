// Seeing inside a run: values of any tensor, ranges of floats, traces, and what the page shows of a tensor.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {failure, PAGE, ROOT} from './browser.mjs';

const {load, Model} = await import(`${PAGE}npu_rt.mjs`),
    {Job, look} = await import(`${PAGE}engine.mjs`),
    DIGITS = (kind) => join(ROOT, `examples/digits/digits_${kind}.tflite`);

function testValues(checks, model) {
    const {tensors, operators} = model.dump().subgraphs[0],
        kept = model.plan({keepValues: true}).session(),
        [input] = kept.inputs;
    input.fill(3, 0);
    const before = input.data.slice();
    kept.run();
    checks.equal(String(kept.tensor(model.dump().subgraphs[0].inputs[0]).data), String(before), 'the input is still there');
    const last = operators.at(-1).outputs[0];
    checks.equal(String(kept.tensor(last).data), String(kept.outputs[0].data), 'the output as a tensor');
    for (const op of operators) {
        const t = kept.tensor(op.outputs[0]);
        checks.ok(t.data.length > 0 && t.name === tensors[op.outputs[0]].name, `output of ${op.op}`);
        checks.equal(kept.tensor(t.name, 0).shape.length, t.shape.length, `${t.name} by name`);
    }
    checks.equal(failure(() => kept.tensor('no such tensor'))?.rule, 'api.tensor', 'no such name');
    checks.equal(failure(() => kept.tensor(tensors.length))?.rule, 'api.tensor', 'no such index');
    checks.equal(failure(() => kept.tensor(0, 9))?.rule, 'api.tensor', 'no such subgraph');
    checks.ok(failure(() => kept.tensor(-1)) && failure(() => kept.tensor(1.5)), 'no index');
    const plain = model.plan().session();
    plain.run();
    const inner = operators[0].outputs[0];
    checks.equal(failure(() => plain.tensor(inner))?.rule, 'session.not_kept', 'not kept');
    checks.equal(failure(() => plain.tensor(inner))?.status, 'INVALID_ARGUMENT', 'not kept: status');
    checks.equal(String(plain.tensor(last).shape), String(plain.outputs[0].shape), 'an output is there');
}

function testRanges(checks, model) {
    const session = model.plan({keepValues: true}).session();
    session.inputs[0].setReal(new Float32Array(session.inputs[0].elements).map((_, i) => (i === 5 ? NaN : i / 8 - 2)));
    session.run();
    const rows = session.minmax(),
        first = rows.find((row) => row.index === model.dump().subgraphs[0].inputs[0]);
    checks.ok(first.min === -2 && first.max === 63 / 8 - 2 && first.notFinite === 1 && first.values === 64, 'range of the input');
    checks.ok(rows.length > 5 && rows.every((row) => row.min === null || row.min <= row.max), 'ranges');
    const {min, max, mean, elements, notFinite, sample} = look(session.tensor(first.index));
    checks.ok(min === first.min && max === first.max && elements === 64 && notFinite === 1, 'a look at it');
    checks.ok(mean > min && mean < max && sample.length === 64 && sample[0] === -2, 'a look at its values');
}

function testTrace(checks, model) {
    const session = model.plan().session({trace: true}),
        other = model.plan().session({trace: true});
    checks.equal(session.trace().length, 0, 'no run, no trace');
    session.run();
    const events = session.trace(),
        names = model.dump().subgraphs[0].operators.map((op) => op.op);
    checks.equal(String(events.filter((e) => e.cat === 'operator').map((e) => e.name)), String(names), 'operators in order');
    checks.ok(events[0].cat === 'subgraph' && events[0].ts === 0, 'the subgraph is around them');
    const end = events[0].dur;
    checks.ok(events.every((e) => e.ph === 'X' && e.ts >= 0 && e.ts + e.dur <= end + 1e-3), 'nested');
    checks.ok(events[1].args.macs > 0 && events[1].args.kernel.length > 0, 'MACs and kernel');
    other.run();
    checks.equal(session.trace().length, 0, 'another session ran since');
    checks.equal(other.trace().length, events.length, 'its trace');
    other.close();
    session.run();
    checks.equal(session.trace().length, events.length, 'the last run only');
    const plain = model.plan().session();
    plain.run();
    checks.equal(plain.trace().length, 0, 'nobody asked for one');
}

/** @param {any} checks */
export async function testInside(checks) {
    const runtime = await load();
    for (const kind of ['int8', 'float32']) {
        const model = Model.open(await readFile(DIGITS(kind)), runtime);
        testValues(checks, model);
        if (kind === 'float32') testRanges(checks, model);
        testTrace(checks, model);
        const job = new Job(model, [{seed: 1}], {npu: {keepValues: true}});
        job.time();
        checks.ok(look(job.session.tensor(model.dump().subgraphs[0].operators[0].outputs[0])).elements > 0, `${kind}: as the page does it`);
        model.close();
    }
}
