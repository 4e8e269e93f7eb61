// Model.compare: one model on every NPU, in every format, with wrong options and hostile names.
import {execFileSync} from 'node:child_process';
import {access, mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {failure, PAGE, pageModel, ROOT} from './browser.mjs';

const {load, NpuError} = await import(`${PAGE}npu_rt.mjs`),
    {WorkerModel} = await import(`${PAGE}remote.mjs`);
const DIGITS = join(ROOT, 'examples/digits/digits_int8.tflite'),
    HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>"'&\u202e</title>`;
const bytes = await readFile(DIGITS),
    runtime = await load();

/** What the command line says, where there is one; its title is the path that it was given. */
async function commandLine(...args) {
    const path = join(ROOT, 'build/npu_rt'),
        there = await access(path).then(
            () => true,
            () => false,
        );
    if (!there) console.log('note: no build/npu_rt: comparisons are not held against the command line');
    return there ? execFileSync(path, ['check', DIGITS, ...args], {encoding: 'utf8'}) : undefined;
}

function rows(checks) {
    const model = runtime.open(bytes),
        names = runtime.comparedBackends(),
        report = model.compare();
    checks.ok(names.length >= 4 && names.every((name) => runtime.backends().includes(name)), `compared: ${names}`);
    checks.equal(report.npus.map((npu) => npu.backend).join(), names.join(), 'a row for each');
    checks.ok(!('title' in report), 'no title of its own');
    for (const npu of report.npus) {
        const {summary} = model.check({backend: npu.backend}),
            what = npu.backend;
        for (const key of ['ops', 'ops_placed', 'ops_dropped', 'macs', 'macs_placed', 'partitions', 'switches'])
            checks.equal(npu[key], summary[key], `${what}: ${key}, as in check`);
        const cost = failure(() => model.cost({backend: npu.backend})) ? null : model.cost({backend: npu.backend}),
            known = cost && cost.summary.cycles > 0;
        checks.equal(Boolean(npu.estimate), Boolean(known), `${what}: an estimate where there is one`);
        if (!npu.estimate) checks.equal(npu.fits, null, `${what}: nobody knows whether it fits`);
        else {
            for (const key of ['cycles', 'seconds', 'sram_bytes', 'store_bytes'])
                checks.equal(npu.estimate[key], cost.summary[key], `${what}: ${key}, as in cost`);
            checks.ok(npu.estimate.accuracy.length > 5, `${what}: says how far off it may be: ${npu.estimate.accuracy}`);
        }
    }
    const [{backend, estimate}] = report.npus.filter((npu) => npu.estimate);
    for (const [sramBytes, fits] of [
        [estimate.sram_bytes - 1, false],
        [estimate.sram_bytes, true],
        [estimate.sram_bytes + 1, true],
        [2 ** 53 - 1, true],
    ]) {
        const [row] = model.compare({backends: [backend], sramBytes}).npus;
        checks.equal(row.fits, fits, `${sramBytes} of ${estimate.sram_bytes} bytes`);
        checks.equal(row.sram_limit, sramBytes, 'the limit is the one that was given');
    }
    checks.equal(
        model.compare({backends: ['neuron', 'ethos-u65-512', 'neuron']}).npus.map((npu) => npu.backend).join(),
        'neuron,ethos-u65-512,neuron',
        'a choice, in its order',
    );
    model.close();
}

async function formats(checks) {
    const model = runtime.open(bytes),
        title = DIGITS;
    checks.equal(model.compare({title}).title, title, 'a title');
    for (const [format, args, start] of [
        ['json', ['--json'], '{'],
        ['text', [], 'NPU '],
        ['markdown', ['--markdown'], '## '],
    ]) {
        const got = model.compare({title, format}),
            text = format === 'json' ? JSON.stringify(got) : got,
            want = await commandLine(...args);
        checks.ok(text.startsWith(start), `${format} begins with ${start}: ${text.slice(0, 40)}`);
        for (const name of runtime.comparedBackends()) checks.ok(text.includes(name), `${format}: ${name}`);
        if (want !== undefined)
            checks.equal(text, format === 'json' ? JSON.stringify(JSON.parse(want)) : want, `${format}, as on the command line`);
    }
    const page = model.compare({title, format: 'html'}),
        folder = await mkdtemp(join(tmpdir(), 'npu_rt_compare_'));
    checks.ok(page.startsWith('<!DOCTYPE html>') && page.trimEnd().endsWith('</html>'), 'a whole page');
    checks.ok(!/<script|<link|<img|src=|url\(|http-equiv=.refresh/i.test(page), 'which needs no other file and no script');
    if ((await commandLine('--html', join(folder, 'a.html'))) !== undefined)
        checks.equal(page, await readFile(join(folder, 'a.html'), 'utf8'), 'html, as on the command line');
    await rm(folder, {recursive: true});
    model.close();
}

/** Names that want to be markup, in the title and in the file. */
function hostile(checks) {
    const plain = runtime.open(bytes),
        named = runtime.open(pageModel('hostile'));
    for (const [what, page] of [
        ['title', plain.compare({title: HOSTILE, format: 'html'})],
        ['tensor and operator', named.compare({format: 'html'})],
    ]) {
        checks.ok(!/<(script|img|svg|iframe|a)\b/i.test(page), `${what}: no element comes of it`);
        checks.ok(page.includes('&#60;script&#62;alert(1)&#60;/script&#62;'), `${what}: it is text`);
        checks.equal(page.match(/<\/title>/g).length, 1, `${what}: one title`);
    }
    checks.equal(plain.compare({title: HOSTILE}).title, HOSTILE, 'as it is in JSON');
    checks.ok(plain.compare({title: 'a\n# b', format: 'markdown'}).split('\n').every((line) => line !== '# b'), 'one line in Markdown');
    plain.close();
    named.close();
}

function misuse(checks) {
    const model = runtime.open(bytes),
        fails = (choice, type, rule, ...words) => {
            const e = failure(() => model.compare(choice));
            checks.ok(
                e instanceof type && e.rule === rule && words.every((word) => e.message.includes(word)),
                `compare(${JSON.stringify(choice)}): ${e}`,
            );
        };
    fails('neuron', TypeError, 'web.options', 'backends, sramBytes, title');
    fails(['neuron'], TypeError, 'web.options');
    fails({backend: 'neuron'}, TypeError, 'web.option', 'did you mean "backends"');
    fails({backends: 'neuron'}, TypeError, 'backend.name', 'a list');
    fails({backends: [1]}, TypeError, 'backend.name', 'a number (1)');
    fails({backends: []}, NpuError, 'backend.name', 'empty');
    fails({backends: ['nobody']}, NpuError, 'backend.name', 'no backend "nobody"', 'neuron');
    fails({backends: ['ethos-u55-129']}, NpuError, 'backend.name', 'did you mean "ethos-u55-128"');
    for (const sramBytes of ['1', null, {}]) fails({sramBytes}, TypeError, 'web.sram');
    for (const sramBytes of [0, -1, 0.5, NaN, Infinity, 2 ** 53]) fails({sramBytes}, NpuError, 'web.sram');
    fails({title: 5}, TypeError, 'web.name', 'title');
    for (const format of ['dot', 'xml', 5]) fails({format}, NpuError, 'web.format');
    checks.equal(failure(() => model.check({backend: 'neuron', format: 'html'}))?.rule, 'api.report', 'no page of check');
    const text = model.compare({format: 'text'});
    model.close();
    checks.equal(failure(() => model.compare())?.rule, 'web.closed', 'a closed model');
    checks.ok(text.length > 100, 'what it said stays');
}

async function inWorker(checks) {
    const here = runtime.open(bytes),
        model = await WorkerModel.open(bytes),
        choice = {backends: ['ethos-u85-256', 'neuron'], sramBytes: 4096, title: HOSTILE};
    for (const format of ['json', 'text', 'markdown', 'html'])
        checks.equal(
            JSON.stringify(await model.compare({...choice, format})),
            JSON.stringify(here.compare({...choice, format})),
            `${format} in a worker`,
        );
    const e = await model.compare({backends: ['nobody']}).catch((error) => error);
    checks.ok(e instanceof NpuError && e.rule === 'backend.name', `a worker's error: ${e}`);
    const late = await model.compare({}, {signal: AbortSignal.abort()}).catch((error) => error);
    checks.equal(late.code, 'CANCELLED', 'aborted');
    model.close();
    here.close();
}

export async function testCompare(checks) {
    await checks.test('every NPU: rows', () => rows(checks));
    await checks.test('every NPU: formats', () => formats(checks));
    await checks.test('every NPU: hostile names', () => hostile(checks));
    await checks.test('every NPU: wrong options', () => misuse(checks));
    await checks.test('every NPU: in a worker', () => inWorker(checks));
}
