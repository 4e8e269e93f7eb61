// The NPU's part of the page: verdicts, cost and compiled models, held against the reports of the same module.
import {access, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {MODELS, ROOT} from './browser.mjs';
import {checks, choose, DRAWINGS, draw, open, ran, recognised, text} from './visitor.mjs';
import {load} from '../../build/web/npu_rt.mjs';

const COMPILED = 'digits_int8_ethos_u55_128.tflite';
const runtime = await load();
const digits = async (name) => readFile(join(ROOT, 'examples/digits', name));
const shown = (page, id) => page.locator(`#${id}`).textContent();
const says = (page, id, part) =>
    page.waitForFunction(([i, p]) => document.getElementById(i).textContent.includes(p), [id, part], {timeout: 5000});
const rows = (page, table) =>
    page.$$eval(`#${table} tbody tr`, (all) => all.map((tr) => [...tr.cells].map((td) => td.textContent)));
const tile = (page, list, name) =>
    page.$$eval(
        `#${list} > div`,
        (all, n) => all.find((d) => d.children[0].textContent === n)?.children[1].textContent,
        name,
    );

async function pick(page, backend, profile) {
    await page.selectOption('#backend', backend);
    if (profile) await page.selectOption('#profile', profile);
    const who =
        backend === 'none' ? 'npu_rt, on the CPU:' : `${backend} by ${profile ?? runtime.profiles(backend)[0]}:`;
    await says(page, 'npu-text', who);
}

/** Everything the verdict card says about a report. */
async function sameVerdicts(page, report, what) {
    const s = report.summary,
        table = await rows(page, 'npu');
    const npu = report.backend !== 'none',
        where = npu ? 'on the NPU' : 'with a kernel',
        who = npu ? `${report.backend} by ${report.profile}` : 'npu_rt, on the CPU';
    checks.equal(
        await shown(page, 'npu-text'),
        `${who}: ${s.ops_placed} of ${s.ops} operators ${where}`,
        `${what}: summary`,
    );
    checks.equal(await tile(page, 'npu-tiles', `Operators ${where}`), `${s.ops_placed} of ${s.ops}`, `${what}: ops`);
    checks.ok(
        (await tile(page, 'npu-tiles', `MACs ${where}`)).startsWith(`${((100 * s.macs_placed) / s.macs).toFixed(1)} %`),
        `${what}: MACs`,
    );
    checks.equal(
        await tile(page, 'npu-tiles', 'Partitions'),
        npu ? String(s.partitions) : undefined,
        `${what}: partitions`,
    );
    checks.equal(
        await tile(page, 'npu-tiles', 'Switches NPU ↔ CPU'),
        npu ? String(s.switches) : undefined,
        `${what}: switches`,
    );
    checks.ok(npu || !/NPU/.test(await page.locator('#npu-card').innerText()), `${what}: no NPU where there is none`);
    checks.equal(table.length, report.ops.length, `${what}: rows`);
    const rules = await shown(page, 'rules');
    report.ops.forEach((op, i) => {
        const words = npu ? ['✓ NPU', '✕ CPU'] : ['✓ kernel', '✕ no kernel'];
        checks.equal(table[i][2], words[op.placed ? 0 : 1], `${what}: verdict of operator ${i}`);
        for (const r of op.reasons) {
            for (const part of [r.text, r.got, r.limit, r.rule])
                checks.ok(part && table[i][3].includes(part), `${what}: operator ${i} shows "${part}"`);
            for (const part of [r.text, r.hint, r.rule, r.source])
                checks.ok(part && rules.includes(part), `${what}: the rules show "${part}"`);
        }
    });
    const warnings = await shown(page, 'warnings');
    report.ops.forEach((op, i) => {
        for (const w of op.warnings) {
            for (const part of [w.text, w.got, w.hint, w.rule])
                checks.ok(part && table[i][3].includes(part), `${what}: operator ${i} warns "${part}"`);
            for (const part of [w.text, w.hint, w.rule, w.source])
                checks.ok(part && warnings.includes(part), `${what}: the warnings show "${part}"`);
        }
    });
    checks.equal(
        await page.locator('#warnings-box').isVisible(),
        report.ops.some((op) => op.warnings.length),
        `${what}: warnings where there are some`,
    );
    const said = report.ops.reduce((n, op) => n + op.reasons.length + op.warnings.length, 0);
    checks.equal(await page.locator('#npu .why li').count(), said, `${what}: number of reasons and warnings`);
}

/** Everything the cost card says about a report. */
async function sameCost(page, report, what) {
    const table = await rows(page, 'cost'),
        s = report.summary,
        total = await page.locator('#cost tfoot').innerText(),
        most = Math.max(...report.ops.map((op) => op.cycles ?? 0));
    checks.equal(table.length, report.ops.length, `${what}: rows`);
    checks.ok(total.includes(s.cycles.toLocaleString('en')) && /estimate/.test(total), `${what}: total ${total}`);
    const bars = await page.$$eval('#cost tbody tr', (all) =>
        all.map((tr) => {
            const fill = tr.querySelector('.fill');
            return fill ? fill.getBoundingClientRect().width / fill.parentNode.getBoundingClientRect().width : null;
        }),
    );
    report.ops.forEach((op, i) => {
        if (op.cycles === undefined) return checks.equal(bars[i], null, `${what}: no bar for operator ${i}`);
        const want = [op.cycles.toLocaleString('en'), op.macs ? `${(100 * op.utilisation).toFixed(1)} %` : '–'];
        checks.equal(table[i][2], want[0], `${what}: cycles of operator ${i}`);
        checks.equal(table[i][5], want[1], `${what}: MAC units used by operator ${i}`);
        return checks.ok(Math.abs(bars[i] - op.cycles / most) < 0.03, `${what}: bar of operator ${i}: ${bars[i]}`);
    });
    checks.ok(/estimate/i.test(await shown(page, 'cost-text')), `${what}: says that it is an estimate`);
    checks.ok(/estimate/i.test(await page.locator('#h-cost').innerText()), `${what}: so does the title`);
}

/** FULLY_CONNECTED and GELU, of which an NPU makes an approximation: it is warned of. */
const GELU = Buffer.from(
    'HAAAAFRGTDMUABwAGAAUABAADAAIAAAAAAAEABQAAAAYAAAAGAAAAHgAAACAAAAAKAIAAAMAAAAAAAAAAgAAAFwAAAAMAAAAAAAG' +
        'AAgABAAGAAAABAAAAEAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAA' +
        'AAAAAIA/SP///wQAAAB0ZXN0AAAAAAEAAAAUAAAAAAAOABgAFAAQAAwACAAEAA4AAAAUAAAAHAAAAKAAAACkAAAAqAAAAAQAAABt' +
        'YWluAAAAAAIAAABUAAAAFAAAAAAADgAYABQAEAAMAAsABAAOAAAAFAAAAAAAAHQQAAAAFAAAAAEAAADI////AQAAAAMAAAABAAAA' +
        'AgAAAAAADgAUAAAAEAAMAAsABAAOAAAAFAAAAAAAAAgQAAAAFAAAAAQABAAEAAAAAQAAAAIAAAACAAAAAAAAAAEAAAABAAAAAwAA' +
        'AAEAAAAAAAAABAAAALAAAABsAAAALAAAAAQAAAB2////AAAAAQgAAAAMAAAAAQAAAHkAAAACAAAAAQAAAAQAAACa////AAAAAQgA' +
        'AAAMAAAAAQAAAGgAAAACAAAAAQAAAAQAAAAAABYAFAAQAAAADAAIAAAAAAAAAAAABwAWAAAAAAAAAQwAAAABAAAADAAAAAEAAAB3' +
        'AAAAAgAAAAQAAAAEAAAAAAAWABAADAAAAAAACAAAAAAAAAAAAAcAFgAAAAAAAAEIAAAADAAAAAEAAAB4AAAAAgAAAAEAAAAEAAAA' +
        'AgAAACAAAAAEAAAA9P///5YAAAAAAAB/DAAMAAsAAAAAAAQADAAAAAkAAAAAAAAJ',
    'base64',
);

async function verdicts(page) {
    checks.equal(await page.inputValue('#backend'), 'ethos-u55-128', 'default accelerator');
    checks.equal(await page.inputValue('#profile'), runtime.profiles('ethos-u55-128')[0], 'default profile');
    const names = (id) => page.$$eval(`#${id} option`, (all) => all.map((o) => o.value).join());
    checks.equal(await names('backend'), runtime.backends().join(), 'every accelerator of the build');
    for (const [file, bytes] of [
        ['digits_int8.tflite', await digits('digits_int8.tflite')],
        ['digits_float32.tflite', await digits('digits_float32.tflite')],
        ['gelu.tflite', GELU],
    ]) {
        const model = runtime.open(bytes);
        await choose(page, file, bytes);
        for (const backend of ['ethos-u55-128', 'ethos-u65-256', 'ethos-u85-256', 'ethos-u', 'neuron', 'none']) {
            await page.selectOption('#backend', backend);
            checks.equal(await names('profile'), runtime.profiles(backend).join(), `${backend}: profiles`);
            for (const profile of runtime.profiles(backend)) {
                await pick(page, backend, profile);
                await sameVerdicts(page, model.check({backend, profile}), `${file}, ${backend}, ${profile}`);
            }
        }
        model.close();
    }
    await choose(page, 'digits_int8.tflite', await digits('digits_int8.tflite'));
    await pick(page, 'ethos-u55-128', 'vela-3.2');
    const refused = runtime.open(await digits('digits_int8.tflite')),
        {summary} = refused.check({backend: 'ethos-u55-128', profile: 'vela-3.2'});
    refused.close();
    await page.check('#refused');
    checks.equal(
        await page.locator('#npu tbody tr:visible').count(),
        summary.ops - summary.ops_placed,
        'refused operators alone',
    );
    await page.uncheck('#refused');
    checks.equal(await page.locator('#npu tbody tr:visible').count(), summary.ops, 'all operators again');
    await page.selectOption('#backend', 'ethos-u65-256');
    await says(page, 'npu-text', 'ethos-u65-256 by vela-3.2');
    await page.selectOption('#backend', 'ethos-u85-256'); // has no such profile: its own default
    await says(page, 'npu-text', `ethos-u85-256 by ${runtime.profiles('ethos-u85-256')[0]}`);
    await page.selectOption('#backend', 'ethos-u55-128');
    await says(page, 'npu-text', 'ethos-u55-128 by vela-3.2');
    checks.ok(true, 'the chosen profile comes back where there is one');
    for (const id of ['npu-text', 'cost-text', 'stream-status'])
        checks.equal(await page.getAttribute(`#${id}`, 'role'), 'status', `${id} is announced`);
}

/** What Neuron is given: on the page as in the module, saved in three forms, and run. */
async function lowered(page) {
    const bytes = await digits('digits_int8.tflite'),
        model = runtime.open(bytes),
        choice = {backend: 'neuron', profile: 'litert-2.3'};
    await choose(page, 'digits_int8.tflite', bytes);
    await pick(page, 'ethos-u55-128', 'vela-5.2');
    checks.ok(await page.locator('#lowered').isHidden(), 'no program for one that only judges');
    await pick(page, 'neuron');
    checks.equal(await shown(page, 'h-npu'), 'What MediaTek Neuron would take', 'whose verdicts');
    await page.focus('#lowered summary');
    await page.keyboard.press('Enter');
    await says(page, 'lowered-status', 'line');
    const text = model.lower({...choice, format: 'text'});
    checks.equal(await page.locator('#lowered pre').textContent(), text, 'the program');
    checks.equal(await page.getAttribute('#lowered-status', 'role'), 'status', 'lowered-status is announced');
    for (const [words, ending, want] of [
        ['Text', 'txt', text],
        ['JSON', 'json', `${JSON.stringify(model.lower(choice), null, 1)}\n`],
        ['Graph (DOT)', 'dot', model.lower({...choice, format: 'dot'})],
    ]) {
        const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.click(`#lowered-saves button[aria-label="Save the program as ${words}"]`),
        ]);
        checks.equal(download.suggestedFilename(), `digits_int8-neuron-program.${ending}`, `${words}: name`);
        checks.equal(await readFile(await download.path(), 'utf8'), want, `${words}: content`);
    }
    const values = () => page.locator('#outputs').innerText();
    await page.fill('#runs', '2');
    await page.click('#run');
    await ran(page);
    const cpu = await values();
    await page.selectOption('#run-on', 'neuron');
    checks.ok(!(await values()).includes('['), 'another runner takes the results away');
    await page.click('#run');
    await ran(page);
    checks.equal(await values(), cpu, 'the same integers');
    const {ops_placed: placed, ops} = model.check(choice).summary;
    checks.ok(
        (await shown(page, 'run-status')).includes(`neuron ran ${placed} of ${ops} operators`),
        `who ran: ${await shown(page, 'run-status')}`,
    );
    const kernels = (await rows(page, 'ops')).map((row) => row.at(-1));
    checks.equal(kernels.filter((kernel) => kernel === 'neuron').length, placed, `kernels ${kernels}`);
    await page.selectOption('#run-on', '');
    model.close();
}

async function cost(page) {
    const bytes = await digits('digits_int8.tflite'),
        model = runtime.open(bytes);
    await choose(page, 'digits_int8.tflite', bytes);
    for (const [backend, profile] of [
        ['ethos-u55-128', 'vela-3.2'],
        ['ethos-u55-256', 'published'],
        ['ethos-u65-512', 'vela-3.2'],
    ]) {
        await pick(page, backend, profile);
        await says(page, 'cost-text', backend);
        const report = model.cost({backend, profile});
        checks.ok(report.summary.cycles > 0, `${backend}: something is estimated`);
        await sameCost(page, report, `${backend}, ${profile}`);
        const store = report.store === 'dram' ? 'DRAM' : 'Flash';
        checks.equal(store, backend.startsWith('ethos-u55') ? 'Flash' : 'DRAM', `${backend}: its slow memory`);
        checks.equal(
            await page.locator('#cost thead th').last().innerText(),
            store,
            `${backend}: name of the slow memory`,
        );
        checks.ok(await tile(page, 'cost-tiles', store), `${backend}: its tile`);
    }
    await pick(page, 'ethos-u55-128', 'vela-3.2');
    await says(page, 'cost-text', 'ethos-u55-128 at 500 MHz');
    const cycles = await tile(page, 'cost-tiles', 'Estimated cycles'),
        time = async () => parseFloat(await tile(page, 'cost-tiles', 'Estimated time')),
        before = await time();
    await page.fill('#clock', '250');
    await page.keyboard.press('Tab');
    await says(page, 'cost-text', 'at 250 MHz');
    checks.equal(await tile(page, 'cost-tiles', 'Estimated cycles'), cycles, 'cycles at half the clock');
    checks.ok(Math.abs((await time()) / before - 2) < 0.01, 'time at half the clock');
    await page.fill('#clock', '');
    await page.keyboard.press('Tab');
    await says(page, 'cost-text', 'at 500 MHz');
    for (const memoryMode of runtime.memoryModes()) {
        const report = model.cost({backend: 'ethos-u55-128', profile: 'vela-3.2', memoryMode});
        await page.selectOption('#memory-mode', memoryMode);
        await says(page, 'cost-text', ` MHz, ${memoryMode}: `);
        await sameCost(page, report, memoryMode);
    }
    await page.selectOption('#memory-mode', '');
    await page.selectOption('#backend', 'ethos-u'); // a family has no figures
    await says(page, 'cost-text', 'No estimate: ');
    checks.ok(await page.locator('#cost').isHidden(), 'no table without an estimate');
    await page.selectOption('#backend', 'ethos-u55-128');
    await says(page, 'cost-text', 'Estimate for ethos-u55-128');
    // the last of many quick changes is what stays
    for (const backend of ['ethos-u65-256', 'none', 'ethos-u55-32', 'ethos-u55-64'])
        await page.selectOption('#backend', backend, {noWaitAfter: true});
    await says(page, 'cost-text', 'ethos-u55-64');
    await page.waitForTimeout(200);
    checks.ok((await shown(page, 'npu-text')).startsWith('ethos-u55-64 by'), 'the last choice stays');
    model.close();
}

async function keyboard() {
    const {page, log, context} = await open(),
        order = [],
        focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    await page.focus('#samples button:last-child');
    for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab');
        order.push(await focused());
        const before = await page.inputValue('#backend');
        if (order.at(-1) === 'backend') {
            await page.keyboard.press('ArrowDown');
            await page.waitForFunction(
                (b) => !document.getElementById('npu-text').textContent.startsWith(`${b} `),
                before,
            );
            checks.equal(await page.inputValue('#backend'), 'ethos-u55-256', 'next accelerator by keyboard');
            await says(page, 'npu-text', 'ethos-u55-256 by');
        }
        if (order.at(-1) === 'profile') {
            await page.keyboard.press('End');
            await says(page, 'npu-text', ` by ${runtime.profiles('ethos-u55-256').at(-1)}`);
        }
        if (order.at(-1) === 'clock') {
            await page.keyboard.type('125');
            await page.keyboard.press('Enter');
            await says(page, 'cost-text', 'at 125 MHz');
        }
        if (order.at(-1) === 'memory-mode') break;
    }
    checks.ok(
        ['backend', 'profile', 'refused', 'clock', 'memory-mode'].every((id) => order.includes(id)),
        `Tab order ${order}`,
    );
    await page.focus(`[data-model="${COMPILED}"]`);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.getElementById('compiled').hidden);
    await page.focus('#stream summary');
    await page.keyboard.press('Enter');
    await says(page, 'stream', 'NPU_OP_STOP');
    await page.keyboard.press('Tab');
    checks.equal(
        await page.evaluate(() => document.activeElement.getAttribute('aria-label')),
        'Command stream',
        'the listing can be scrolled by keyboard',
    );
    checks.equal(log.errors.join(' | '), '', 'errors on the console');
    await context.close();
}

async function compiled(page) {
    const model = runtime.open(await digits(COMPILED)),
        [stream] = model.stream().streams;
    await page.click(`[data-model="${COMPILED}"]`);
    await page.waitForFunction((n) => document.getElementById('h-model').textContent === n, COMPILED);
    checks.equal(await shown(page, 'h-compiled'), 'Compiled for ethos-u55-128', 'for which accelerator');
    checks.ok(/software device/.test(await text(page, '#compiled')), 'what runs it');
    checks.equal(await tile(page, 'compiled-tiles', 'Commands'), String(stream.commands.length), 'commands');
    checks.ok(await page.locator('#npu-card').isHidden(), 'nothing left to judge');
    checks.equal(
        await page.locator('#stream pre').textContent(),
        '',
        'the listing is not loaded before it is asked for',
    );
    await page.click('#stream summary');
    await says(page, 'stream-status', 'lines');
    checks.equal(await page.locator('#stream pre').textContent(), model.stream({format: 'text'}), 'command stream');
    for (const digit of [0, 4, 9]) {
        await page.click(`#samples button[aria-label="Sample of a ${digit}"]`);
        await recognised(page, digit);
        await draw(page, DRAWINGS[digit]);
        await recognised(page, digit);
        checks.ok(true, 'drawn, and named by the software NPU');
    }
    checks.ok(await page.locator('#digits-by').isVisible(), 'the pad says who answers');
    await page.click('#run');
    await ran(page);
    checks.ok(/^\[9\]/.test(await page.locator('#outputs .out li').first().innerText()), 'a timed run');
    checks.ok(/software device/.test((await rows(page, 'ops'))[0].at(-1)), 'kernel in the table of operators');
    model.close();

    const damaged = Buffer.from(await digits(COMPILED));
    damaged.writeUInt16LE(0x03ff, damaged.indexOf('COP1') + 4 * stream.commands[20].word); // no such command
    await choose(page, 'damaged.tflite', damaged);
    checks.ok(/damaged/.test(await shown(page, 'compiled-text')), 'a damaged stream is told');
    const alert = await text(page, '#alert');
    checks.ok(alert.includes(`word ${stream.commands[20].word}`) && /exit code 3/.test(alert), `damaged: ${alert}`);
    await page.click('#stream summary');
    await says(page, 'stream-status', 'lines');
    checks.ok(
        (await page.locator('#stream pre').textContent()).includes(stream.commands[19].name),
        'what could be read of it is listed',
    );
    await page.click('[data-model="digits_int8.tflite"]');
    await page.waitForFunction(() => document.getElementById('h-model').textContent === 'digits_int8.tflite');
    checks.ok(
        (await page.locator('#compiled').isHidden()) && (await page.locator('#npu-card').isVisible()),
        'a plain model is judged again',
    );
}

async function narrow(shots) {
    const {page, log, context} = await open({viewport: {width: 360, height: 740}, hasTouch: true}),
        fits = () => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    await choose(page, 'digits_float32.tflite', await digits('digits_float32.tflite'));
    await pick(page, 'ethos-u55-128', 'published');
    checks.ok(await fits(), 'verdicts: no sideways scrolling');
    const inside = await page.$$eval('#npu .why', (all) => all.every((e) => e.scrollWidth <= e.clientWidth));
    checks.ok(inside, 'reasons are wrapped, not cut');
    const semantics = await page.locator('#npu').getByRole('row').count();
    checks.equal(semantics, 1 + (await page.locator('#npu tbody tr').count()), 'stacked rows are still rows');
    for (const id of ['backend', 'profile', 'clock', 'memory-mode']) {
        const box = await page.locator(`#${id}`).boundingBox();
        checks.ok(
            box.x >= 0 && box.x + box.width <= 360 && box.height >= 24,
            `${id} is in reach: ${JSON.stringify(box)}`,
        );
    }
    await choose(page, 'digits_int8.tflite', await digits('digits_int8.tflite'));
    await pick(page, 'ethos-u55-128', 'vela-3.2');
    const spill = await page.$$eval('.tiles > div', (all) =>
        all.filter((e) => e.offsetParent && e.scrollWidth > e.clientWidth).map((e) => e.textContent),
    );
    checks.equal(spill.join(), '', 'tiles hold their text');
    if (shots) await page.locator('#npu-card').screenshot({path: join(shots, 'narrow_verdicts.png')});
    if (shots) await page.locator('#cost-card').screenshot({path: join(shots, 'narrow_cost.png')});
    await page.click(`[data-model="${COMPILED}"]`);
    await page.waitForFunction(() => !document.getElementById('compiled').hidden);
    await page.click('#stream summary');
    await says(page, 'stream-status', 'lines');
    checks.ok(await fits(), 'command stream: no sideways scrolling');
    checks.equal(log.errors.join(' | '), '', 'errors on the console');
    await context.close();
}

async function publicNetwork(page) {
    const path = `${MODELS}person_detect_vela.tflite`;
    await page.setInputFiles('#file', path);
    await page.waitForFunction(() => document.getElementById('h-model').textContent === 'person_detect_vela.tflite');
    checks.ok(await page.locator('#alert').isHidden(), 'person_detect_vela opens');
    await page.fill('#runs', '2');
    await page.click('#run');
    await page.waitForFunction(() => /Done|failed/.test(document.getElementById('run-status').textContent), null, {
        timeout: 60000,
    });
    checks.ok(await page.locator('#alert').isHidden(), 'person_detect_vela runs');
    checks.equal(await page.locator('#outputs .out').count(), 1, 'person_detect_vela: outputs');
}

export async function testNpu(shots) {
    const {page, log, context} = await open();
    await checks.test('verdicts', () => verdicts(page));
    await checks.test('lowered', () => lowered(page));
    await checks.test('cost', () => cost(page));
    await checks.test('compiled model', () => compiled(page));
    const exists = await access(`${MODELS}person_detect_vela.tflite`).then(
        () => true,
        () => false,
    );
    if (exists) await checks.test('compiled public network', () => publicNetwork(page));
    else console.log('note: no ../shared/models/person_detect_vela.tflite: not run');
    checks.equal(log.errors.join(' | '), '', 'NPU cards: errors on the console');
    checks.equal(log.foreign.join(' | '), '', 'NPU cards: requests to other hosts');
    await context.close();
    await checks.test('NPU cards by keyboard', keyboard);
    await checks.test('NPU cards on a phone', () => narrow(shots));
}
