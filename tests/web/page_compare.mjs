// Every NPU side by side, and the drawing of the graph: what stands there, how it is chosen, saved and walked through.
import {access, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {MODELS, PAGE, pageModel, ROOT} from './browser.mjs';
import {checks, choose, open, text} from './visitor.mjs';

const {load} = await import(`${PAGE}npu_rt.mjs`),
    {AT_ONCE, graphs, partsOf} = await import(`${PAGE}graph_parts.mjs`);
const runtime = await load(),
    digits = (name) => readFile(join(ROOT, 'examples/digits', name));

const settled = (page) =>
    page.waitForFunction(() =>
        ['compare-card', 'npu-card', 'cost-card'].every((id) => document.getElementById(id).getAttribute('aria-busy') !== 'true'),
    );
const says = (page, id, words) =>
    page.waitForFunction(([i, w]) => document.getElementById(i).textContent.includes(w), [id, words]);
const rows = (page) =>
    page.$$eval('#compare tbody tr', (all) => all.map((tr) => [...tr.cells].map((cell) => cell.innerText.trim())));

/** Every row of the table says what the report says. */
async function sameTable(page, report, what) {
    const table = await rows(page);
    checks.equal(table.length, report.npus.length, `${what}: rows`);
    report.npus.forEach((npu, i) => {
        const [name, ops, macs, partitions, switches, time, memory, why] = table[i];
        checks.ok(name.startsWith(npu.backend) && name.includes(npu.profile), `${what}: ${name}`);
        const relaxed = npu.with_relax_fp32 ? `\nwith FP32 as FP16: ${npu.with_relax_fp32.ops_placed}` : '';
        checks.equal(ops, `${npu.ops_placed} of ${npu.ops}${relaxed}`, `${what}, ${npu.backend}: operators`);
        checks.equal(macs, npu.macs ? `${((100 * npu.macs_placed) / npu.macs).toFixed(1)} %` : '–', `${what}, ${npu.backend}: MACs`);
        checks.equal(`${partitions} ${switches}`, `${npu.partitions} ${npu.switches}`, `${what}, ${npu.backend}: partitions, switches`);
        if (npu.lower_bound) {
            const {cycles, seconds, accuracy} = npu.lower_bound;
            checks.ok(time.startsWith(seconds ? 'at least ' : `at least ${cycles.toLocaleString('en')} cycles`), `${what}: ${time}`);
            checks.ok(time.endsWith(accuracy) && (seconds === null || /at least [\d.]+ .?s\n/.test(time)), `${what}: ${time}`);
            checks.ok(/^at least [\d.]+ \w+ moved\nsize unknown$/.test(memory), `${what}, ${npu.backend}: ${memory}`);
        } else if (!npu.estimate) {
            const words = npu.ops_placed ? 'unknown' : '–';
            checks.equal(`${time} ${memory}`, `${words} ${words}`, `${what}, ${npu.backend}: nothing is made up`);
        } else {
            checks.ok(time.includes(npu.estimate.accuracy) && /s\b/.test(time), `${what}, ${npu.backend}: time and accuracy: ${time}`);
            const fits = npu.fits === null ? 'limit unknown' : npu.fits ? '✓ fits' : '✕ too much';
            checks.ok(memory.includes(fits), `${what}, ${npu.backend}: ${memory}, want ${fits}`);
        }
        for (const reason of npu.first_reasons)
            checks.ok(why.includes(`${reason.ops} × ${reason.text}`), `${what}, ${npu.backend}: ${reason.rule}`);
    });
}

async function table(page) {
    for (const [name, bytes] of [
        ['digits_int8.tflite', await digits('digits_int8.tflite')],
        ['mixed.tflite', pageModel('mixed', 40)],
        ['many.tflite', pageModel('branches', 700)], // estimated after it is shown
    ]) {
        const model = runtime.open(bytes);
        await choose(page, name, bytes);
        checks.equal((await rows(page)).length, runtime.comparedBackends().length, `${name}: rows at once`);
        await settled(page);
        await sameTable(page, model.compare(), name);
        model.close();
    }
    checks.equal(await page.locator('#compare thead th[scope=col]').count(), 8, 'heads of columns');
    checks.equal(
        await page.locator('#compare tbody th[scope=row]').count(),
        runtime.comparedBackends().length,
        'each row has a head',
    );
    checks.equal(await page.getAttribute('#compare-text', 'role'), 'status', 'the summary is announced');
    const first = await page.$$eval('#about > section:not([hidden])', (all) => all[0].id);
    checks.equal(first, 'compare-card', 'the first panel');
}

async function sram(page) {
    const bytes = await digits('digits_int8.tflite'),
        model = runtime.open(bytes);
    await choose(page, 'digits_int8.tflite', bytes);
    for (const [kib, words] of [
        ['1', '✕ too much'],
        ['4096', '✓ fits'],
    ]) {
        await page.fill('#device-sram', kib);
        await page.keyboard.press('Tab');
        await says(page, 'compare', `of ${kib === '1' ? '1.0 KiB' : '4.00 MiB'}`);
        await sameTable(page, model.compare({sramBytes: kib * 1024}), `${kib} KiB`);
        checks.ok((await text(page, '#compare')).includes(words), `${kib} KiB: ${words}`);
    }
    await choose(page, 'again.tflite', bytes);
    await says(page, 'compare', 'of 4.00 MiB');
    checks.ok(true, 'the next model is held against the same device');
    for (const odd of ['-5', '0', '1e300', '']) {
        await page.fill('#device-sram', odd);
        await page.keyboard.press('Tab');
        await settled(page);
        await page.waitForFunction(() => !document.getElementById('compare').textContent.includes('4.00 MiB'));
    }
    await sameTable(page, model.compare(), 'no size');
    model.close();
}

/** FP32 as FP16, and a clock for NPUs that state none. */
async function relaxed(page) {
    const bytes = await digits('digits_float32.tflite'),
        model = runtime.open(bytes);
    await choose(page, 'digits_float32.tflite', bytes);
    await settled(page);
    await sameTable(page, model.compare(), 'FP32');
    checks.ok((await text(page, '#compare')).includes('with FP32 as FP16'), 'it says what FP16 would bring');
    await page.check('#relax-fp32');
    await says(page, 'compare', 'guide-relax-fp32');
    await sameTable(page, model.compare({relaxFp32: true}), 'FP16');
    await page.fill('#npu-clock', '800');
    await page.keyboard.press('Tab');
    await page.waitForFunction(() => !document.getElementById('compare').textContent.includes('no clock stated'));
    await sameTable(page, model.compare({relaxFp32: true, clockHz: 8e8}), 'FP16 at 800 MHz');
    await page.click('#compare button:text-is("mdla2.0")');
    await says(page, 'npu-text', 'mdla2.0 by guide-relax-fp32');
    checks.equal(await page.inputValue('#profile'), 'guide-relax-fp32', 'a row opens the verdict by its rules');
    await choose(page, 'again.tflite', bytes);
    await settled(page);
    await sameTable(page, model.compare({relaxFp32: true, clockHz: 8e8}), 'the next model, too');
    await page.uncheck('#relax-fp32');
    await page.fill('#npu-clock', '');
    await page.keyboard.press('Tab');
    await page.waitForFunction(() => !document.getElementById('compare').textContent.includes('guide-relax-fp32'));
    await settled(page);
    await page.click('#compare button:text-is("ethos-u55-128")');
    await says(page, 'npu-text', 'ethos-u55-128 by');
    model.close();
}

async function choosing(page) {
    const bytes = pageModel('mixed', 40),
        model = runtime.open(bytes);
    await choose(page, 'mixed.tflite', bytes);
    for (const backend of runtime.comparedBackends().toReversed()) {
        await page.click(`#compare button:text-is("${backend}")`);
        await says(page, 'npu-text', `${backend} by`);
        await settled(page);
        const {summary} = model.check({backend});
        checks.ok((await text(page, '#npu-text')).includes(`${summary.ops_placed} of ${summary.ops} operators`), `${backend}: its verdict`);
        checks.equal(await page.inputValue('#backend'), backend, `${backend}: the same choice below`);
        checks.equal(await page.evaluate(() => document.activeElement.id), 'h-npu', `${backend}: focus is at the verdict`);
        const pressed = await page.$$eval('#compare button[aria-pressed=true]', (all) => all.map((b) => b.textContent).join());
        checks.equal(pressed, backend, `${backend}: its row is marked`);
    }
    await page.selectOption('#backend', 'ethos-u65-256');
    await says(page, 'npu-text', 'ethos-u65-256 by');
    checks.equal(
        await page.getAttribute('#compare button:text-is("ethos-u65-256")', 'aria-pressed'),
        'true',
        'a choice below marks its row',
    );
    await page.focus('#compare button:text-is("neuron")');
    await page.keyboard.press('Enter');
    await says(page, 'npu-text', 'neuron by');
    checks.ok(true, 'by keyboard');
    await page.click('#compare tbody tr:first-child td:nth-child(3)');
    await says(page, 'npu-text', `${runtime.comparedBackends()[0]} by`);
    checks.ok(true, 'by a click beside the name');
    model.close();
}

async function saving(page) {
    const bytes = await digits('digits_int8.tflite'),
        model = runtime.open(bytes),
        title = 'digits <b>&.tflite';
    await choose(page, title, bytes);
    await page.fill('#device-sram', '2');
    await page.keyboard.press('Tab');
    await settled(page);
    const asked = {title, sramBytes: 2048};
    for (const [words, ending, want] of [
        ['HTML', 'html', model.compare({...asked, format: 'html'})],
        ['JSON', 'json', `${JSON.stringify(model.compare(asked), null, 1)}\n`],
        ['Markdown', 'md', model.compare({...asked, format: 'markdown'})],
    ]) {
        const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.click(`#compare-saves button[aria-label="Save the comparison as ${words}"]`),
        ]);
        checks.ok(download.suggestedFilename().endsWith(`-npus.${ending}`), `${words}: ${download.suggestedFilename()}`);
        checks.equal(await readFile(await download.path(), 'utf8'), want, `${words}: content`);
    }
    const report = await page.context().newPage();
    await report.setContent(model.compare({...asked, format: 'html'}));
    checks.equal(await report.locator('b').count(), 0, 'the name is no markup');
    checks.ok((await report.locator('h1').innerText()).includes(title), 'the report is about the file');
    await report.close();
    await page.fill('#device-sram', '');
    model.close();
}

/** What comes early, late or never: with a worker of the test's own in the place of the page's. */
async function answers(page) {
    const told = await page.evaluate(async () => {
        const {Compare} = await import('/compare.mjs');
        const row = (backend, estimate) => ({
            ...{backend, profile: 'p', ops: 2, ops_placed: 1, ops_dropped: 0, macs: 0, macs_placed: 0, partitions: 1, switches: 1},
            ...{warnings: 0, estimate, sram_limit: null, fits: null, reasons: 0, first_reasons: []},
        });
        const cells = () => document.querySelector('#compare tbody').innerText.replace(/\s+/g, ' '),
            said = () => document.getElementById('compare-text').textContent,
            waiting = [],
            client = {call: () => new Promise((resolve, reject) => waiting.push({resolve, reject}))},
            one = new Compare(client, () => 'x.tflite', () => {}),
            tick = () => new Promise((done) => setTimeout(done)),
            got = {};
        one.use({compared: {npus: [row('a', undefined)], estimated: false}}, false);
        got.pending = cells();
        one.first('next.tflite', {npus: [row('b', undefined)]});
        got.early = `${said()} ${cells()}`;
        waiting[0].resolve({npus: [row('a', null)]}); // of the open model, while the next one is being opened
        await tick();
        got.still = cells();
        one.again();
        got.again = `${said()} ${cells()}`;
        one.use({compared: {npus: [row('c', undefined)], estimated: false}}, false);
        waiting[1].reject({code: 'CANCELLED', message: 'x'});
        await tick();
        got.cancelled = `${said()} ${cells()}`;
        one.use({compared: {npus: [row('d', undefined)], estimated: false}}, false);
        one.use({compared: {npus: [row('e', null)], estimated: true}}, false);
        waiting[2].resolve({npus: [row('d', null)]});
        await tick();
        got.late = cells();
        one.use({compared: {error: {message: 'why not'}}}, false);
        got.error = `${said()}|${cells()}`;
        return got;
    });
    checks.ok(/^a p 1 of 2 .*estimating/.test(told.pending), `pending: ${told.pending}`);
    checks.ok(/^next.tflite: 1 NPU compared.* b p/.test(told.early), `early: ${told.early}`);
    checks.ok(/^b p/.test(told.still), `another model's estimates do not take its place: ${told.still}`);
    checks.ok(/^1 NPU.* a p .*unknown/.test(told.again), `not opened: ${told.again}`);
    checks.ok(/^The estimates were cancelled. c p .*unknown/.test(told.cancelled), `cancelled: ${told.cancelled}`);
    checks.ok(/^e p/.test(told.late), `too late: ${told.late}`);
    checks.equal(told.error, 'No comparison: why not|', 'no report');
}

const drawn = (page) =>
    page.waitForFunction(() => /drawn in|No drawing|cancelled/.test(document.getElementById('graph-status').textContent), null, {
        timeout: 60000,
    });
async function unfold(page) {
    if (!(await page.evaluate(() => document.getElementById('graph').open))) await page.click('#graph summary');
    await drawn(page);
}

/** As many boxes as operators, in the colours of the verdict, as many groups as partitions, as many edges as there are. */
async function sameDrawing(page, model, backend, what) {
    const check = model.check({backend}),
        dump = model.dump(),
        boxes = await page.$$eval('#graph-box .op', (all) => all.map((g) => g.getAttribute('class').replace('op ', '')));
    const want = check.ops.map((op) => (op.dropped ? 'dropped' : op.placed ? 'npu' : op.once ? 'once' : 'cpu'));
    checks.equal(boxes.join(), want.join(), `${what}: who runs each operator`);
    checks.equal(await page.locator('#graph-box .segment').count(), check.summary.partitions, `${what}: segments`);
    const edges = dump.subgraphs[0].operators.reduce((n, op) => {
        const from = dump.subgraphs[0].operators.filter((other) => other !== op && other.outputs.some((t) => op.inputs.includes(t)));
        return n + from.length;
    }, 0);
    checks.equal(await page.locator('#graph-box .edge').count(), edges, `${what}: edges`);
}

async function drawing(page) {
    const bytes = pageModel('branches', 30),
        model = runtime.open(bytes);
    const asked = [];
    page.on('request', (r) => asked.push(new URL(r.url()).pathname));
    await choose(page, 'branches.tflite', bytes);
    checks.ok(!asked.includes('/dagre.mjs'), 'the library is not loaded before a drawing is asked for');
    await page.click('#compare button:text-is("ethos-u55-128")');
    await says(page, 'npu-text', 'ethos-u55-128 by');
    await settled(page);
    await unfold(page);
    await sameDrawing(page, model, 'ethos-u55-128', 'branches');
    await page.click('#compare button:text-is("neuron")');
    await says(page, 'npu-text', 'neuron by');
    await settled(page);
    await drawn(page);
    await sameDrawing(page, model, 'neuron', 'branches, neuron');
    await page.locator('#graph-box .op').nth(6).click();
    const said = await text(page, '#graph-op'),
        op = model.check({backend: 'neuron'}).ops[6];
    checks.ok(said.startsWith(`6 ${op.op}`) && said.includes('Inputs') && said.includes('Outputs'), `what it says: ${said}`);
    for (const reason of op.reasons) checks.ok(said.includes(reason.rule), `reason ${reason.rule}`);
    await page.click('#graph-zoom button[aria-label="Larger"]');
    const wide = await page.getAttribute('#graph-box svg', 'width');
    await page.click('#graph-zoom button[aria-label="1:1, full size"]');
    checks.ok(Number(wide) > Number(await page.getAttribute('#graph-box svg', 'width')), 'larger');
    model.close();

    const known = runtime.open(await digits('digits_int8.tflite'));
    await choose(page, 'digits_int8.tflite', await digits('digits_int8.tflite'));
    await page.click('#compare button:text-is("ethos-u55-128")');
    await says(page, 'npu-text', 'ethos-u55-128 by');
    await settled(page);
    await unfold(page);
    const cost = known.cost({backend: 'ethos-u55-128'}),
        at = cost.ops.findIndex((one) => one.macs && one.cycles);
    await page.locator('#graph-box .op').nth(at).click();
    checks.ok((await text(page, '#graph-op')).includes('cycles'), 'cost of an operator');
    known.close();
}

/** Arrow keys lead along edges; what stands beside is reached, too. */
async function keys(page) {
    const bytes = pageModel('branches', 30),
        model = runtime.open(bytes),
        [nodes] = graphs(model.dump(), null, null),
        focused = () => page.evaluate(() => Number(document.activeElement.dataset.op ?? -1)),
        press = async (key) => {
            await page.keyboard.press(key);
            return focused();
        };
    await choose(page, 'keys.tflite', bytes);
    await unfold(page);
    checks.equal(await page.locator('#graph-box [tabindex="0"]').count(), 1, 'one stop for Tab');
    await page.focus('#graph-zoom button:last-child');
    await page.keyboard.press('Tab');
    for (let i = 0; i < 3 && (await focused()) < 0; i++) await page.keyboard.press('Tab');
    checks.equal(await focused(), 0, 'Tab leads to the first operator');
    let at = 0;
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
        const next = await press(key),
            list = key === 'ArrowDown' ? nodes[at].after : nodes[at].before;
        checks.ok(list.includes(next), `${key} from ${at} leads to ${next}, one of ${list}`);
        at = next;
    }
    while (nodes[at].before.length < 2) at = await press('ArrowDown'); // where two branches meet
    const ends = [await press('ArrowUp'), await press('ArrowRight')];
    checks.equal([...ends].sort().join(), [...nodes[at].before].sort().join(), 'up, and to the other branch');
    checks.equal(await press('ArrowLeft'), ends[0], 'and back');
    checks.equal(await press('End'), nodes.length - 1, 'End');
    checks.equal(await press('ArrowDown'), nodes.length - 1, 'the last one has no reader');
    checks.equal(await press('Home'), 0, 'Home');
    checks.equal(await press('ArrowUp'), 0, 'the first one has nothing before it');
    await press('ArrowDown');
    await page.keyboard.press('Enter');
    checks.ok((await text(page, '#graph-op')).startsWith(`${await focused()} `), 'Enter tells about it');
    checks.equal(await page.getAttribute('#graph-op', 'aria-live'), 'polite', 'and it is read out');
    checks.equal(await page.locator('#graph-box [aria-pressed=true]').count(), 1, 'one is chosen');
    model.close();
}

/** 300 operators at once; of more a part is chosen. The time is printed, as machines differ. */
async function large(page) {
    await choose(page, 'large.tflite', pageModel('branches', AT_ONCE));
    await settled(page);
    await unfold(page);
    checks.equal(await page.locator('#graph-box .op').count(), AT_ONCE, 'all at once');
    checks.ok(await page.locator('#graph-part-row').isHidden(), 'nothing to choose');
    console.log(`note: a graph of ${await text(page, '#graph-status')}`);
    await choose(page, 'larger.tflite', pageModel('branches', 2 * AT_ONCE + 50));
    await settled(page);
    await unfold(page);
    const parts = await page.$$eval('#graph-part option', (all) => all.map((o) => o.textContent));
    checks.equal(parts.join('; '), '0 to 299; 300 to 599; 600 to 649; all 650, may take long', 'what to choose from');
    checks.ok(/300 operators of 650/.test(await text(page, '#graph-status')), 'says that this is a part');
    await page.selectOption('#graph-part', {label: '600 to 649'});
    await drawn(page);
    checks.equal(await page.locator('#graph-box .op').count(), 50, 'the last part');
    checks.equal(await page.getAttribute('#graph-box .op >> nth=0', 'data-op'), '600', 'its first operator');
    await page.focus('#graph-box [tabindex="0"]');
    await page.keyboard.press('ArrowUp');
    checks.equal(await page.evaluate(() => document.activeElement.dataset.op), '600', 'no step out of the part');
}

/** Names stay text, wherever they are shown. */
async function hostile(page) {
    page.on('dialog', (d) => {
        checks.ok(false, `a name ran: ${d.message()}`);
        d.dismiss();
    });
    const name = '<img src=x onerror=alert(3)>.tflite';
    await choose(page, name, pageModel('hostile'));
    await settled(page);
    await unfold(page);
    checks.equal(await page.locator('#graph-box .op').count(), 3, 'drawn');
    await page.locator('#graph-box .op').nth(1).click();
    checks.ok((await text(page, '#graph-op')).includes('<script>alert(1)</script>'), 'the name as text');
    const made = await page.evaluate(
        () => document.querySelectorAll('#about script, #about img, #graph-box image, #graph-box foreignObject').length,
    );
    checks.equal(made, 0, 'no element comes of a name');
}

/** Without its library the page says so, and everything else goes on. */
async function noLibrary() {
    const {page, log, context} = await open();
    await context.route('**/dagre.mjs', (route) => route.abort());
    await page.click('#graph summary');
    await drawn(page);
    checks.ok(/No drawing: .*dagre/.test(await text(page, '#graph-status')), await text(page, '#graph-status'));
    checks.ok(await page.locator('#alert').isHidden(), 'no alert');
    checks.ok(log.errors.every((e) => /ERR_FAILED|dagre/.test(e)), `errors on the console: ${log.errors}`);
    await context.close();
}

/** From the drop of a network to its row for every NPU, in the page: printed, as machines differ. */
async function firstVerdict(page) {
    const names = ['mobilenet_v2_1.0_224_quant', 'deeplabv3_mnv2_dm05_pascal_quant', 'person_detect', 'trained_lstm_int8'];
    for (const name of names) {
        const path = `${MODELS}${name}.tflite`;
        if (await access(path).then(() => false, () => true)) {
            console.log(`note: no ../shared/models/${name}.tflite: not run`);
            continue;
        }
        const bytes = await readFile(path),
            model = runtime.open(bytes);
        await page.evaluate(() => {
            const start = () => (globalThis.dropped = performance.now());
            document.getElementById('file').addEventListener('change', start, {once: true, capture: true});
            const seen = new MutationObserver(() => {
                globalThis.took = performance.now() - globalThis.dropped;
                seen.disconnect();
            });
            seen.observe(document.querySelector('#compare tbody'), {childList: true});
        });
        await choose(page, `${name}.tflite`, bytes);
        const took = await page.evaluate(() => globalThis.took);
        console.log(`note: ${name} (${(bytes.length / 1e6).toFixed(1)} MB): first verdict after ${took.toFixed(0)} ms`);
        await settled(page);
        await sameTable(page, model.compare(), name);
        for (const backend of runtime.comparedBackends()) {
            const check = model.check({backend}),
                all = graphs(model.dump(), check, null);
            const segments = new Set(all.flat().map((node) => node.segment).filter((s) => s >= 0));
            checks.equal(segments.size, check.summary.partitions, `${name}, ${backend}: segments are partitions`);
            checks.equal(
                partsOf(all).filter((part) => part.words.includes('all ')).reduce((n, part) => n + part.count, 0),
                check.ops.length,
                `${name}: every operator is in a part`,
            );
        }
        model.close();
    }
}

export async function testCompare(shots) {
    const {page, log, context} = await open();
    await checks.test('side by side: the table', () => table(page));
    await checks.test('side by side: memory of the device', () => sram(page));
    await checks.test('side by side: FP32 as FP16, and a clock', () => relaxed(page));
    await checks.test('side by side: choosing a row', () => choosing(page));
    await checks.test('side by side: saving', () => saving(page));
    await checks.test('the graph: drawing', () => drawing(page));
    if (shots) await page.locator('#graph').screenshot({path: join(shots, 'graph.png')});
    await checks.test('the graph: keyboard', () => keys(page));
    await checks.test('the graph: large ones', () => large(page));
    await checks.test('side by side: first verdict', () => firstVerdict(page));
    if (shots) await page.locator('#compare-card').screenshot({path: join(shots, 'compare.png')});
    await checks.test('hostile names', () => hostile(page));
    await checks.test('side by side: early and late answers', () => answers(page));
    checks.equal(log.errors.join(' | '), '', 'errors on the console');
    checks.equal(log.foreign.join(' | '), '', 'requests to other hosts');
    await context.close();
    await checks.test('the graph: no library', noLibrary);
}
