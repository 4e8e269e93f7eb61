// Tensors of strings: what goes in comes out, text and bytes, by its shape; what is refused; workers; the page's side.
import {failure, PAGE, pageModel} from './browser.mjs';

const {Model, NpuError, unpackStrings} = await import(`${PAGE}npu_rt.mjs`),
    {WorkerModel} = await import(`${PAGE}remote.mjs`),
    {Job, look} = await import(`${PAGE}engine.mjs`);
const MODELS = {
    copy: pageModel('strings', 3),
    equal: pageModel('strings_equal', 3),
    words: pageModel('strings_of', 5),
    both: pageModel('strings_by_index', 3),
};
const WORDS = ['zero', '', 'zwölf ✓', '\ufffd\0a'],
    rejection = (promise) =>
        promise.then(
            () => null,
            (e) => e,
        );
const json = JSON.stringify;

function run(session, ...inputs) {
    inputs.forEach((values, i) => session.inputs[i].set(values));
    session.run();
    return session.outputs[0];
}

function copied(checks, runtime) {
    const model = Model.open(MODELS.copy, runtime),
        session = model.plan().session(),
        [input] = session.inputs;
    checks.equal(`${input.type} ${input.shape} ${input.declaredShape}`, 'STRING 3,1 -1,1', 'what it is');
    checks.equal(json(input.strings), '["","",""]', 'empty at first');
    checks.equal(json(run(session).strings), '["","",""]', 'empty strings run');
    for (const words of [['a', 'bc', ''], ['', '', ''], ['grüße', '日本語 🎉', 'a\0b\n'], ['\ufeffmark', 'x'.repeat(1e5), '"'], ['x', 'y', 'z']]) {
        session.inputs[0].strings = words;
        checks.equal(json(session.inputs[0].strings), json(words), 'an input shows what it was given');
        session.run();
        checks.equal(json(session.outputs[0].strings), json(words), `strings ${json(words).slice(0, 40)}`);
    }
    checks.equal(json(run(session).strings), '["x","y","z"]', 'they stay');
    const raw = Uint8Array.of(0xff, 0, 0xc3),
        out = run(session, [raw, Buffer.from('node'), 'text']);
    raw.fill(1);
    checks.equal(String(out.stringBytes[0]), '255,0,195', 'bytes that are no UTF-8');
    checks.equal(json(out.strings), json(['\ufffd\0\ufffd', 'node', 'text']), 'and as text');
    checks.equal(String(session.inputs[0].stringBytes[0]), '255,0,195', 'of the input too: a copy');
    session.inputs[0].stringBytes[0].fill(7);
    checks.equal(String(session.inputs[0].stringBytes[0]), '255,0,195', 'what is read is a copy');
    checks.equal(String(unpackStrings(out.data, 3)[1]), String(Buffer.from('node').toJSON().data), 'data holds the packed contents');
    const other = model.plan().session();
    checks.equal(json(other.inputs[0].strings), '["","",""]', 'another session has its own');
    const wide = model.plan({inputShapes: [{input: 0, shape: [1000, 1]}]}).session(),
        many = Array.from({length: 1000}, (_, i) => `${i}`.repeat(i % 9));
    checks.equal(json(run(wide, many).strings), json(many), 'another shape');
    const none = model.plan({inputShapes: [{input: 0, shape: [0, 1]}]}).session();
    checks.equal(json(run(none, []).strings), '[]', 'no strings at all');
    model.close();
    checks.equal(failure(() => input.strings)?.rule, 'web.closed', 'closed');
    checks.equal(failure(() => (input.strings = ['a', 'b', 'c']))?.rule, 'web.closed', 'closed, writing');
}

function computed(checks, runtime) {
    const equal = Model.open(MODELS.equal, runtime),
        session = equal.plan({keepValues: true}).session();
    checks.equal(String(run(session, ['a', 'ä', ''], ['a', 'a', '']).data), '1,0,1', 'EQUAL');
    checks.equal(String(run(session, ['b', 'a', 'ab'], ['b', 'a', 'abc']).data), '1,1,0', 'EQUAL again');
    checks.equal(json(session.tensor('b').strings), '["b","a","abc"]', 'a kept tensor');
    checks.equal(session.minmax().length, 0, 'strings have no range');
    const seen = look(session.tensor(0));
    checks.equal(json(seen.strings), '["b","a","ab"]', 'as the page looks at it');
    equal.close();
    const words = Model.open(MODELS.words, runtime),
        out = run(words.plan().session(), [3, 2, 1, 0, 3]);
    checks.equal(json(out.strings), json([3, 2, 1, 0, 3].map((i) => WORDS[i])), 'constants');
    checks.equal(String(out.stringBytes[0]), '255,0,97', 'their bytes');
    const job = new Job(words, [{data: Int32Array.of(2, 2, 2, 2, 2)}]);
    job.time();
    checks.equal(String(unpackStrings(job.outputs()[0].data, 5)[4]), String(new TextEncoder().encode(WORDS[2])), 'a copied output');
    words.close();
    const copy = Model.open(MODELS.copy, runtime);
    for (const [feed, want] of [[{strings: ['p', 'q', 'r']}, ['p', 'q', 'r']], [{strings: ['p'], shape: [1, 1]}, ['p']], [{seed: 1}, ['', '', '']]]) {
        const job = new Job(copy, [feed]);
        job.time();
        checks.equal(json(job.session.outputs[0].strings), json(want), `as the page feeds ${json(feed)}`);
    }
    copy.close();
}

function errors(checks, runtime) {
    const model = Model.open(MODELS.copy, runtime),
        session = model.plan().session(),
        words = Model.open(MODELS.words, runtime),
        numbers = words.plan().session(),
        three = ['a', 'b', 'c'];
    const refused = (what, type, rule, code, part, f) => {
        const e = failure(f);
        checks.ok(e instanceof type && e.rule === rule && e.code === code && e.text.includes(part), `${what}: ${e?.code} ${e}`);
    };
    const set = (values) => () => (session.inputs[0].strings = values);
    session.inputs[0].strings = three;
    refused('too few', NpuError, 'tensor.length', 'BAD_INPUT', 'takes 3 elements ([3,1]): got 2', set(['a', 'b']));
    refused('too many', NpuError, 'tensor.length', 'BAD_INPUT', 'got 4', set([...three, 'd']));
    refused('one string', TypeError, 'tensor.values', 'INVALID_ARGUMENT', "['a', 'b']", set('abc'));
    refused('nothing', TypeError, 'tensor.values', 'INVALID_ARGUMENT', 'undefined', set(undefined));
    refused('bytes alone', TypeError, 'tensor.values', 'INVALID_ARGUMENT', 'Uint8Array', set(new Uint8Array(3)));
    refused('a number', TypeError, 'tensor.value', 'INVALID_ARGUMENT', 'values[1] is a number (5)', set(['a', 5, 'c']));
    refused('a hole', TypeError, 'tensor.value', 'INVALID_ARGUMENT', 'values[0] is undefined', set(Array(3)));
    refused('wide bytes', TypeError, 'tensor.value', 'INVALID_ARGUMENT', 'Uint16Array', set(['a', new Uint16Array(1), 'c']));
    refused('real numbers', NpuError, 'real.type', 'UNSUPPORTED', 'use strings', () => session.inputs[0].setReal([1, 2, 3]));
    refused('made up', NpuError, 'web.seed', 'UNSUPPORTED', 'set its strings', () => session.inputs[0].fill(1));
    refused('of an output', NpuError, 'tensor.strings', 'INVALID_ARGUMENT', 'is no input', () => (session.outputs[0].strings = three));
    refused('declared', NpuError, 'web.no_data', 'INVALID_ARGUMENT', 'ask a session', () => model.inputs()[0].strings);
    refused('declared, writing', NpuError, 'web.no_data', 'INVALID_ARGUMENT', 'ask a session', () => (model.inputs()[0].strings = three));
    refused('of numbers', NpuError, 'tensor.strings', 'BAD_INPUT', 'INT32 tensor "which" holds no strings', () => numbers.inputs[0].strings);
    refused('into numbers', NpuError, 'tensor.strings', 'BAD_INPUT', 'holds no strings', () => (numbers.inputs[0].strings = three));
    refused('bytes of numbers', NpuError, 'tensor.strings', 'BAD_INPUT', 'holds no strings', () => numbers.inputs[0].stringBytes);
    const gone = new Uint8Array(4);
    structuredClone(gone.buffer, {transfer: [gone.buffer]});
    refused('gone', TypeError, 'web.detached', 'INVALID_ARGUMENT', 'values[0]', set([gone, 'b', 'c']));
    checks.equal(json(session.inputs[0].strings), json(three), 'an input keeps what it had');
    checks.equal(json(run(session).strings), json(three), 'and runs with it');
    const small = model.plan({maxMemoryBytes: 1 << 16}).session();
    refused('too long', NpuError, 'session.memory_limit', 'LIMIT', 'of strings are too many', () => (small.inputs[0].strings = ['x'.repeat(1 << 17), '', '']));
    checks.equal(json(small.inputs[0].strings), '["","",""]', 'nothing was taken');
    for (const [data, n] of [[[1, 0, 0], 1], [[2, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0], 1], [[1, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0], 1], [[1, 0, 0, 0, 4, 0, 0, 0, 12, 0, 0, 0], 1]])
        refused(`contents ${data}`, TypeError, 'tensor.strings', 'INVALID_ARGUMENT', 'not the contents', () => unpackStrings(Uint8Array.from(data), n));
    for (let i = 0; i < 20; i++) run(session, ['x'.repeat(1e5), 'y', 'z']);
    const bytes = model.memoryBytes;
    for (let i = 0; i < 300; i++) run(session, ['x'.repeat(1e5), 'y', 'z']);
    checks.equal(model.memoryBytes, bytes, 'nothing leaks');
    model.close();
    words.close();
}

async function workers(checks) {
    const model = await WorkerModel.open(MODELS.copy),
        first = await model.run([['a', 'grüße', Uint8Array.of(0xff)]]);
    checks.equal(json(first.outputs[0].strings), json(['a', 'grüße', '\ufffd']), 'in a worker');
    checks.equal(String(unpackStrings(first.outputs[0].data, 3)[2]), '255', 'their bytes');
    const one = await model.run([['one']], {inputShapes: [{input: 0, shape: [1, 1]}], runs: 2});
    checks.equal(json(one.outputs[0].strings), '["one"]', 'another shape');
    for (const [values, type, rule] of [[['a'], NpuError, 'tensor.length'], [[1, 2, 3], TypeError, 'tensor.value'], ['abc', TypeError, 'tensor.values'], [{seed: 1}, NpuError, 'web.seed']]) {
        const e = await rejection(model.run([values]));
        checks.ok(e instanceof type && e.rule === rule, `${json(values)}: ${e}`);
    }
    model.close();
    const both = await WorkerModel.open(MODELS.both),
        {outputs} = await both.run([['no', 'yes'], [1, 0, 1]], {real: true});
    checks.equal(json(outputs[0].strings), '["yes","no","yes"]', 'strings beside real numbers');
    checks.ok(!('strings' in (await (await WorkerModel.open(MODELS.equal)).run([['a', 'b', 'c'], ['a', 'b', '']])).outputs[0]), 'numbers have none');
    both.close();
}

export async function testStrings(checks, runtime) {
    await checks.test('strings: in and out', () => copied(checks, runtime));
    await checks.test('strings: computed', () => computed(checks, runtime));
    await checks.test('strings: errors', () => errors(checks, runtime));
    await checks.test('strings: workers', () => workers(checks));
}
