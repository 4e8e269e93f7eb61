// Operators of the caller's own in JavaScript: results, state, shapes that depend on data, errors, workers.
import {failure, PAGE, pageModel} from './browser.mjs';
import {operators} from './user_ops_operators.mjs';

const {load, Model, NpuError, openModel} = await import(`${PAGE}npu_rt.mjs`);
const {WorkerModel} = await import(`${PAGE}remote.mjs`);
const runtime = await load(),
    own = pageModel('own'),
    dynamic = pageModel('own_dynamic');
const rejection = (promise) =>
    promise.then(
        () => null,
        (e) => e,
    );

function run(session, values) {
    session.inputs[0].set(values);
    session.run();
    return [...session.outputs[0].data].join();
}

/** The first operator replaced. */
const scale = (more) => ({...operators, Scale: {...operators.Scale, ...more}});
const planned = (more) => Model.open(own, runtime, {operators: scale(more)}).plan();
const refusal = (more, then = () => {}) => failure(() => then(planned(more).session()));

async function results(checks) {
    const missing = failure(() => runtime.open(own).plan());
    checks.ok(missing.rule === 'op.unknown' && missing.text.includes('"Scale"') && missing.text.includes('"Total"'), `${missing}`);
    const model = await openModel(own, {operators}),
        plan = model.plan(),
        session = plan.session({profile: true});
    checks.equal(run(session, [1, 2, -3, 4]), '2.5,5,-7.5,10', 'the first run');
    checks.equal(run(session, [1, 0, 0, 0]), '5,5,-7.5,10', 'with what the first one left');
    session.reset();
    checks.equal(run(session, [1, 0, 0, 0]), '2.5,0,0,0', 'after reset');
    checks.equal(run(plan.session(), [1, 0, 0, 0]), '2.5,0,0,0', 'another session has its own');
    checks.equal(session.profile()[0].kernel, 'user', 'in profiles');
    checks.ok(plan.memory.variable_bytes === 64, 'its state is planned');
    checks.ok(model.check({backend: 'ethos-u55-128'}).ops.length === 2, 'in reports');
    model.close();
    const seen = [];
    planned({
        prepare: ([x], [y], options, call) => seen.push(x.data, x.type, y.shape.join(), options.title, options.on, call.name, call.op),
        work: ([x]) => x.shape[0] * 10,
    });
    checks.equal(JSON.stringify(seen), JSON.stringify([null, 'FLOAT32', '4', 'ab', true, 'Scale', 0]), 'what prepare sees');
    checks.equal(run(planned({shape: undefined}).session(), [1, 1, 1, 1]), '2.5,2.5,2.5,2.5', 'shapes as declared');
}

async function dynamicShapes(checks) {
    const Positives = {
        shape: ([x]) => x.data && [x.data.filter((v) => v > 0).length],
        eval: ([x], [y]) => y.data.set(x.data.filter((v) => v > 0)),
    };
    const session = runtime.open(dynamic, {operators: {Positives}}).plan().session();
    checks.equal(run(session, [1, -2, 3, 4]), '1,3,4', 'three');
    checks.equal(run(session, [-1, -2, -3, 4]), '4', 'one');
    checks.equal(run(session, [-1, -2, -3, -4]), '', 'none');
    const later = failure(() => run(runtime.open(dynamic, {operators: {Positives: {...Positives, shape: () => null}}}).plan().session(), [1, 2, 3, 4]));
    checks.equal(later?.rule, 'op.dynamic_shape', 'never');
}

async function errors(checks) {
    const boom = new RangeError('no such number');
    const thrower = () => {
        throw boom;
    };
    const go = (session) => run(session, [1, 2, 3, 4]);
    for (const [more, code, words] of [
        [{eval: thrower}, 'RUNTIME', 'no such number'],
        [{prepare: thrower}, 'UNSUPPORTED', 'no such number'],
        [{shape: thrower}, 'UNSUPPORTED', 'no such number'],
        [{shape: () => undefined}, 'UNSUPPORTED', 'a list of 1 shapes'],
        [{shape: () => [[1], [2]]}, 'UNSUPPORTED', 'a list of 1 shapes'],
        [{shape: () => [-1]}, 'INVALID_ARGUMENT', 'dimension 0 of output 0'],
        [{shape: () => ['4']}, 'UNSUPPORTED', 'a list of 1 shapes'],
        [{eval: async () => {}}, 'RUNTIME', 'cannot be async'],
        [{eval: () => { throw 'a word'; }}, 'RUNTIME', 'a word'],
        [{prepare: () => { throw new NpuError({status: 'INVALID_MODEL', rule: 'mine', text: 'not so'}); }}, 'INVALID_MODEL', 'not so'],
    ]) {
        const e = refusal(more, go);
        checks.ok(e instanceof NpuError && e.rule === 'user_op.threw' && e.code === code, `${words}: ${e?.code} ${e}`);
        checks.ok(e?.text.startsWith('Scale (subgraph 0, operator 0): ') && e.text.includes(words), `${words}: ${e}`);
        checks.equal(e?.opName, 'Scale', 'the name');
        if (words === boom.message) checks.ok(e.cause === boom, 'the cause');
    }
    checks.equal(refusal({shape: () => Array(9).fill(1)})?.rule, 'op.output_rank', 'too many dimensions');
    checks.equal(refusal({shape: () => [2 ** 30, 2 ** 30]})?.rule, 'op.output_size', 'too large');
    checks.equal(refusal({inputs: 2})?.rule, 'op.input_count', 'the number of inputs');
    checks.equal(refusal({outputs: [2, 3]})?.rule, 'op.output_count', 'the number of outputs');
    checks.equal(refusal({state: 2 ** 30 + 1})?.code, 'LIMIT', 'too much state');
    const session = planned({work: () => 1e30}).session();
    checks.equal(failure(() => go(session))?.rule, 'session.work', 'too much work');
    let model = null;
    const inner = failure(() => {
        model = Model.open(own, runtime, {operators: scale({eval: () => model.plan()})});
        go(model.plan().session());
    });
    checks.ok(inner?.rule === 'user_op.threw' && inner.cause.rule === 'web.operators', `the model inside of itself: ${inner}`);
    let asked = 0;
    const endless = planned({
        eval(inputs, outputs, options, call) {
            while (!call.stopped(1 << 20)) asked++;
        },
    }).session();
    const stopped = failure(() => {
        endless.inputs[0].set([1, 2, 3, 4]);
        endless.run({timeLimitMs: 30});
    });
    checks.ok(stopped?.code === 'CANCELLED' && asked > 0, `stopped: ${stopped}`);
    checks.ok(failure(() => Model.open(own, runtime, {operators: {ABS: operators.Scale}}))?.rule === 'api.operators', 'one that there is');
    for (const wrong of [5, [], {Scale: null}, {Scale: {shape: () => [1]}}, {Scale: {eval: 1}}, scale({work: 1}), scale({optional: 1}),
        scale({inputs: '1'}), scale({shapes: () => [1]})]) {
        const e = failure(() => Model.open(own, runtime, {operators: wrong}));
        checks.ok(e instanceof TypeError && e.rule.startsWith('web.'), `operators ${JSON.stringify(wrong)}: ${e}`);
    }
    checks.ok((await rejection(openModel(own, {operators: 5}))) instanceof TypeError, 'openModel');
}

async function workers(checks) {
    const url = new URL('./user_ops_operators.mjs', import.meta.url),
        model = await WorkerModel.open(own, {operatorsURL: url}),
        out = async (values) => [...(await model.run([values])).outputs[0].data].join();
    checks.equal(await out([1, 2, 3, 4]), '2.5,5,7.5,10', 'in a worker');
    checks.equal(await out([1, 0, 0, 0]), '5,5,7.5,10', 'with its state');
    const stopped = rejection(model.run([[1, 1, 1, 1]]));
    model.cancel();
    checks.equal((await stopped)?.code, 'CANCELLED', 'stopped');
    checks.equal(await out([1, 0, 0, 0]), '2.5,0,0,0', 'the next worker has them too');
    model.close();
    const fails = async (choice) => rejection(WorkerModel.open(own, choice));
    checks.ok((await fails({operators}))?.message.includes('operatorsURL'), 'functions cannot be sent');
    checks.ok((await fails({operatorsURL: 5})) instanceof TypeError, 'a number is no address');
    checks.ok((await fails({operatorsURL: new URL('./none.mjs', import.meta.url)}))?.message.includes('cannot be imported'), 'no such file');
    checks.ok((await fails({operatorsURL: new URL('./browser.mjs', import.meta.url)}))?.message.includes('must export'), 'no operators');
}

export async function testOperators(checks) {
    await checks.test("operators of the caller's own", () => results(checks));
    await checks.test('their shapes that depend on data', () => dynamicShapes(checks));
    await checks.test('their errors', () => errors(checks));
    await checks.test('theirs in workers', () => workers(checks));
}
