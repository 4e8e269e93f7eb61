// The page in real Chromium: what a visitor sees and does. node tests/web/page_test.mjs [--shots DIR]
import {access, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {MODELS, PAGE, ROOT} from './browser.mjs';
import {testAxe} from './page_axe.mjs';
import {testCancel} from './page_cancel.mjs';
import {testCompare} from './page_compare.mjs';
import {testFiles} from './page_files.mjs';
import {testNpu} from './page_npu.mjs';
import {testOffline} from './page_offline.mjs';
import {testPlan} from './page_plan.mjs';
import {testResults} from './page_results.mjs';
import {testTables} from './page_tables.mjs';
import {testThreads} from './page_threads.mjs';
import {
    browser,
    checks,
    choose,
    close,
    DRAWINGS,
    draw,
    open,
    ran,
    recognised,
    status,
    text,
    url,
} from './visitor.mjs';

const shots = process.argv[2] === '--shots' ? process.argv[3] : null;
const exists = (path) =>
    access(path).then(
        () => true,
        () => false,
    );

const int8 = await readFile(join(ROOT, 'examples/digits/digits_int8.tflite'));
const {page, log} = await open();

await checks.test('first view', async () => {
    await status(page, '^Ready');
    checks.equal(await text(page, '#h-model'), 'digits_int8.tflite', 'the bundled model is open');
    checks.ok(/wasm-(relaxed|simd128)/.test(await text(page, '#engine')), 'the header names the module');
    checks.equal(await page.locator('#ops tbody tr').count(), 8, 'rows of the operator table');
    checks.equal(await page.locator('#npu tbody tr').count(), 8, 'rows of the verdict table');
    checks.ok(/ of 8 operators/.test(await text(page, '#npu-text')), 'summary of the verdicts');
    checks.ok((await page.locator('#memory > div').count()) === 4, 'memory is shown');
    checks.equal(await page.locator('#samples button').count(), 10, 'sample buttons');
    const shift = await page.evaluate(
        () =>
            new Promise((resolve) => {
                let sum = 0;
                new PerformanceObserver((list) => {
                    for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value;
                }).observe({type: 'layout-shift', buffered: true});
                setTimeout(() => resolve(sum), 300);
            }),
    );
    checks.ok(shift < 0.05, `the layout holds still while loading: ${shift}`);
});

await checks.test('policy', async () => {
    const answer = await page.evaluate(async () => {
        const blocked = async (f) => {
            try {
                await f();
                return 'ran';
            } catch {
                return 'refused';
            }
        };
        globalThis.evalRan = false;
        setTimeout('globalThis.evalRan = true'); // the test's own code is exempt from the policy, a timer's is not
        await new Promise((resolve) => setTimeout(resolve, 50));
        const inline = document.createElement('script');
        globalThis.inlineRan = false;
        inline.textContent = 'globalThis.inlineRan = true';
        document.head.append(inline);
        return {
            evaluated: globalThis.evalRan,
            inline: globalThis.inlineRan,
            foreign: await blocked(() => fetch('https://example.com/')),
        };
    });
    checks.equal(answer.evaluated, false, 'eval');
    checks.equal(answer.inline, false, 'inline script');
    checks.equal(answer.foreign, 'refused', 'request to another host');
    const header = (await page.request.get(url)).headers()['content-security-policy'];
    checks.ok(
        header.includes("default-src 'self'") &&
            header.includes("'wasm-unsafe-eval'") &&
            !/[^-]unsafe-eval|unsafe-inline/.test(header),
        `header ${header}`,
    );
    log.errors.length = 0; // the three refusals above
    log.foreign.length = 0;
});

await checks.test('samples and drawing', async () => {
    for (const digit of [3, 7, 0]) {
        await page.click(`#samples button[aria-label="Sample of a ${digit}"]`);
        await recognised(page, digit);
        checks.ok(true, 'sample');
    }
    for (const [digit, strokes] of Object.entries(DRAWINGS)) {
        await draw(page, strokes);
        const seen = await recognised(page, digit).then(
            () => true,
            () => false,
        );
        checks.ok(seen, `drawn ${digit}: ${await text(page, '#digit')}`);
        if (shots) await page.locator('#digits').screenshot({path: join(shots, `drawn_${digit}.png`)});
    }
    checks.equal(await page.locator('#bars li.best').count(), 1, 'one bar leads');
});

await checks.test('run', async () => {
    await page.click('#run');
    await ran(page);
    checks.equal(await page.locator('#outputs .out').count(), 1, 'outputs');
    checks.equal(await page.locator('#outputs .out li').count(), 5, 'top values');
    checks.ok(/^\[9\]/.test(await page.locator('#outputs .out li').first().innerText()), 'the run used the drawing');
    checks.ok(/Median/.test(await text(page, '#times')), 'times');
    checks.ok(/µs|ms/.test(await page.locator('#ops tbody tr').first().innerText()), 'times of the operators');
    await page.fill('#runs', '7');
    await page.click('#run');
    await page.waitForFunction(() => /Done: \d+ timed/.test(document.getElementById('run-status').textContent));
    await page.fill('#runs', '');
});

await checks.test('broken files', async () => {
    for (const [name, bytes] of [
        ['cut.tflite', int8.subarray(0, 1000)],
        ['empty.tflite', Buffer.alloc(0)],
        ['text.tflite', Buffer.from('not a model at all, only text')],
    ]) {
        await choose(page, name, bytes);
        const alert = await text(page, '#alert');
        checks.ok(
            alert.startsWith(`${name}: `) && /\[[a-z0-9_.]+\]/.test(alert) && /exit code 3/.test(alert),
            `${name}: ${alert}`,
        );
        checks.ok(/digits_int8.tflite is still open/.test(alert), `${name}: the open model stays`);
        checks.equal(await page.locator('#ops tbody tr').count(), 8, `${name}: the page is not blank`);
    }
    checks.equal(await page.getAttribute('#alert', 'role'), 'alert', 'role of the message');
    await page.click('[data-model="digits_float32.tflite"]');
    await page.waitForFunction(() => document.getElementById('h-model').textContent === 'digits_float32.tflite');
    checks.ok(await page.locator('#alert').isHidden(), 'a good model clears the message');
    checks.equal(
        await page.getAttribute('[data-model="digits_float32.tflite"]', 'aria-pressed'),
        'true',
        'pressed button',
    );
    await recognised(page, 9); // the drawing is still there, now seen by the other model
});

await checks.test('replacing a model gives its memory back', async () => {
    for (let i = 0; i < 30; i++) await choose(page, i % 2 ? 'digits_int8.tflite' : 'other.tflite', int8);
    const memory = () =>
        page.evaluate(async () => (await performance.measureUserAgentSpecificMemory?.())?.bytes ?? 0).catch(() => 0);
    const bytes = await memory();
    checks.ok(bytes < 200e6, `memory after 30 replacements: ${bytes}`);
});

await checks.test('dropped file', async () => {
    const data = await page.evaluateHandle(
        (bytes) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([Uint8Array.from(bytes)], 'dropped.tflite'));
            return transfer;
        },
        [...int8],
    );
    await page.dispatchEvent('body', 'dragenter', {dataTransfer: data});
    await page.dispatchEvent('body', 'drop', {dataTransfer: data});
    await page.waitForFunction(() => document.getElementById('h-model').textContent === 'dropped.tflite');
    checks.ok(true, 'dropped');
});

await checks.test('graph as text', async () => {
    await page.click('#dump summary');
    await page.waitForFunction(() => document.querySelector('#dump pre').textContent.includes('CONV_2D'));
    checks.ok(true, 'dump');
});

await checks.test('an image as input', async () => {
    const png = await page.locator('#draw').screenshot();
    await page.setInputFiles('#input-0-file', {name: 'digit.png', mimeType: 'image/png', buffer: png});
    await page.click('#run');
    await ran(page);
    checks.ok((await page.locator('#alert').isHidden()) && /digit.png/.test(await text(page, '#inputs')), 'image');
    await page.setInputFiles('#input-0-file', {
        name: 'bad.png',
        mimeType: 'image/png',
        buffer: Buffer.from('no image'),
    });
    await page.click('#run');
    await page.waitForFunction(() => !document.getElementById('alert').hidden);
    checks.ok(/bad.png is neither.*BAD_INPUT.*exit code 5/s.test(await text(page, '#alert')), 'broken image');
});

for (const [name, path] of [
    ['mobilenet', 'mobilenet_v2_1.0_224_quant.tflite'],
    ['deeplab', 'deeplabv3_mnv2_dm05_pascal_quant.tflite'],
    ['lstm', 'trained_lstm_int8.tflite'],
]) {
    if (!(await exists(MODELS + path))) {
        console.log(`note: no ../shared/models/${path}: not run`);
        continue;
    }
    await checks.test(`public network ${name}`, async () => {
        await page.fill('#runs', '2');
        await page.setInputFiles('#file', MODELS + path);
        await page.waitForFunction((n) => document.getElementById('h-model').textContent === n, path);
        checks.ok(await page.locator('#digits').isHidden(), 'the drawing pad is gone');
        await page.click('#run');
        await page.waitForFunction(
            () => /Done|failed/.test(document.getElementById('run-status').textContent),
            null,
            {timeout: 120000},
        );
        checks.ok(await page.locator('#alert').isHidden(), `${name} runs`);
        checks.ok((await page.locator('#outputs .out').count()) > 0, `${name}: outputs`);
        if (shots) await page.screenshot({path: join(shots, `${name}.png`), fullPage: true});
    });
}
await checks.test('unsupported model', async () => {
    const name = Buffer.from('ethos-u'),
        compiled = Buffer.from(await readFile(join(ROOT, 'examples/digits/digits_int8_ethos_u55_128.tflite')));
    compiled.write('ethos-v', compiled.indexOf(name)); // a custom operator that nobody knows
    await choose(page, 'custom.tflite', compiled);
    const alert = await text(page, '#alert');
    checks.ok(/exit code 4/.test(alert) && /ethos-v/.test(alert), `no kernel: ${alert}`);
    checks.ok(
        (await page.locator('#run').isDisabled()) && (await page.locator('#ops tbody tr').count()) > 0,
        'shown but not run',
    );
});
checks.equal(log.errors.join(' | '), '', 'errors on the console');
checks.equal(log.foreign.join(' | '), '', 'requests to other hosts');

await checks.test('keyboard only', async () => {
    const {page: keys, log: keyLog, context} = await open();
    const focused = () =>
        keys.evaluate(
            () =>
                document.activeElement?.id ||
                document.activeElement?.getAttribute('aria-label') ||
                document.activeElement?.textContent.trim(),
        );
    const order = [];
    await keys.keyboard.press('Tab');
    order.push(await focused());
    checks.equal(order[0], 'Skip to the model', 'first stop');
    for (let i = 0; i < 120 && order.at(-1) !== 'run'; i++) {
        await keys.keyboard.press('Tab');
        order.push(await focused());
        if (order.at(-1) === 'draw') {
            const press = async (key, n) => {
                for (let k = 0; k < n; k++) await keys.keyboard.press(key);
            };
            await press('ArrowUp', 8);
            await press(' ', 1);
            await press('ArrowDown', 16);
            await press(' ', 1);
            await recognised(keys, 1);
            checks.ok(true, 'a 1 drawn with the arrow keys');
            await press('Delete', 1);
        }
        if (order.at(-1) === 'Sample of a 4') {
            await keys.keyboard.press('Enter');
            await recognised(keys, 4);
            checks.ok(true, 'a sample by keyboard');
        }
    }
    for (const stop of [
        'file',
        'digits, int8, compiled for Ethos-U55',
        'draw',
        'clear',
        'Sample of a 0',
        'input-0-file',
        'seed',
        'run',
    ])
        checks.ok(order.includes(stop), `Tab reaches ${stop}: ${order}`);
    const outline = await keys.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    checks.equal(outline, 'solid', 'focus is visible');
    await keys.keyboard.press('Enter');
    await ran(keys);
    checks.equal(await keys.locator('#outputs .out').count(), 1, 'run by keyboard');
    checks.equal(keyLog.errors.join(' | '), '', 'errors on the console');
    await context.close();
});

await checks.test('names for screen readers', async () => {
    const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('input, select, button, canvas, [tabindex="0"]')]
            .filter((e) => {
                const label =
                    e.getAttribute('aria-label') ||
                    e.labels?.length ||
                    e.textContent.trim() ||
                    e.getAttribute('aria-hidden');
                return !label && e.offsetParent;
            })
            .map((e) => e.outerHTML.slice(0, 80)),
    );
    checks.equal(nameless.join(' | '), '', 'controls without a name');
});

await checks.test('both modules, both colour schemes, narrow', async () => {
    for (const [name, options, path] of [
        ['dark', {colorScheme: 'dark'}, '?isa=wasm-simd128'],
        ['narrow', {viewport: {width: 360, height: 740}, hasTouch: true}, ''],
    ]) {
        const {page: other, log: otherLog, context} = await open(options, path);
        if (path) checks.ok((await text(other, '#engine')).includes('wasm-simd128'), 'the plain SIMD module');
        await other.click('#samples button[aria-label="Sample of a 3"]');
        await recognised(other, 3);
        checks.ok(
            await other.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
            `${name}: no sideways scrolling`,
        );
        checks.equal(otherLog.errors.join(' | '), '', `${name}: errors on the console`);
        if (shots) await other.screenshot({path: join(shots, `${name}.png`), fullPage: true});
        await context.close();
    }
});

await checks.test('no SIMD', async () => {
    const context = await browser.newContext(),
        other = await context.newPage();
    await context.route('**/loader.mjs', async (route) => {
        // as if no module validated
        const body = (await readFile(join(PAGE, 'loader.mjs'), 'utf8')).replaceAll(
            'WebAssembly.validate(',
            '((_) => false)(',
        );
        await route.fulfill({body, contentType: 'text/javascript'});
    });
    await other.goto(url);
    await other.waitForFunction(() => !document.getElementById('alert').hidden);
    checks.ok(/no WebAssembly SIMD/.test(await text(other, '#alert')), 'a clear message');
    await context.close();
});

await checks.section('npu', () => testNpu(shots));
await checks.section('compare', () => testCompare(shots));
await checks.section('plan', () => testPlan(shots));
await checks.section('results', testResults);
await checks.section('tables', testTables);
await checks.section('files', testFiles);
await checks.section('offline', testOffline);
await checks.section('axe', testAxe);
await checks.section('cancel', testCancel);
await checks.section('threads', testThreads);
await close();
checks.end();
