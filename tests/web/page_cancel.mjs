// Cancelling on the page: by mouse and keyboard, whatever runs; and the worker's client with an AbortSignal.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {chainModel, ROOT, slowModel} from './browser.mjs';
import {checks, choose, open, ran, recognised, status, text} from './visitor.mjs';

const MOST_MS = 100; // from the visitor's act to the words on the page
const int8 = await readFile(join(ROOT, 'examples/digits/digits_int8.tflite'));

/** Starts a run that takes minutes and waits until the bar is there. */
async function startRun(page) {
    await page.click('#run');
    await page.waitForSelector('#busy:not([hidden])');
    await page.waitForTimeout(300); // deep in the kernel
}

/** Milliseconds, measured in the page, from an act to the words that answer it. */
const answer = (page, act) =>
    page.evaluate(
        (name) =>
            new Promise((resolve) => {
                const said = document.getElementById('run-status'),
                    start = performance.now();
                new MutationObserver((_, self) => {
                    if (!said.textContent.includes('cancelled')) return;
                    self.disconnect();
                    resolve(performance.now() - start);
                }).observe(said, {childList: true, characterData: true, subtree: true});
                if (name === 'click') document.getElementById('cancel').click();
                else document.body.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
            }),
        act,
    );

async function cancels(page) {
    for (const act of ['click', 'Escape', 'click']) {
        await startRun(page);
        const took = await answer(page, act);
        checks.ok(took < MOST_MS, `${act}: answered after ${took} ms`);
        checks.ok(await page.locator('#busy').isHidden(), `${act}: the bar is gone`);
        checks.ok(/Running the model: cancelled after \d+\.\d s/.test(await page.textContent('#said')), `${act}: said`);
        checks.ok((await page.locator('#alert').isHidden()) && (await page.isEnabled('#run')), `${act}: ready again`);
    }
    checks.equal(await text(page, '#h-model'), 'slow.tflite', 'the model is still open');
}

async function usableAfterwards(page) {
    const backend = await page.inputValue('#backend');
    await page.selectOption('#backend', backend === 'ethos-u55-64' ? 'ethos-u55-32' : 'ethos-u55-64');
    await page.waitForFunction(() => document.getElementById('npu-text').textContent.includes('of 1 operator'));
    await page.click('#dump summary');
    await page.waitForFunction(() => document.querySelector('#dump pre').textContent.includes('AVERAGE_POOL_2D'));
    checks.ok(true, 'the new worker knows the model');
    await choose(page, 'quick.tflite', slowModel(8, 8));
    await page.click('#run');
    await ran(page);
    checks.ok(/Done/.test(await text(page, '#run-status')), 'another model runs');
    await choose(page, 'digits.tflite', int8);
    await page.click('#samples button[aria-label="Sample of a 3"]');
    await recognised(page, 3);
}

async function keyboardOnly(page) {
    await choose(page, 'slow.tflite', slowModel());
    await page.focus('#run');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#busy:not([hidden])');
    await page.focus('#cancel');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('run-status').textContent.includes('cancelled'));
    await page.waitForFunction(() => ['run', 'h-model'].includes(document.activeElement?.id));
    checks.ok(true, 'the focus goes back');
    checks.equal(await page.getAttribute('#said', 'role'), 'status', 'read out');
    await page.keyboard.press('Escape');
    checks.ok(/cancelled/.test(await text(page, '#run-status')), 'Escape with nothing to cancel changes nothing');
}

/** Cancelled before it is open: the model before stays. The worker is busy with a run, so opening waits. */
async function cancelsOpening(page) {
    await startRun(page);
    await page.setInputFiles('#file', {name: 'next.tflite', mimeType: 'application/octet-stream', buffer: int8});
    await status(page, '^Opening next');
    await page.keyboard.press('Escape');
    await status(page, 'Opening next.tflite was cancelled. slow.tflite is still open.');
    checks.equal(await text(page, '#h-model'), 'slow.tflite', 'the model before is still open');
}

/** Cancelled while the page itself still reads: a file on a slow disk, at its first look or whole; or a picture. */
async function cancelsReading(page) {
    for (const [method, bytes] of [['Blob.prototype.slice', int8], ['File.prototype.arrayBuffer', int8]]) {
        await page.evaluate((what) => {
            const [owner, , name] = what.split('.'),
                real = globalThis[owner].prototype[name];
            globalThis.mend = () => (globalThis[owner].prototype[name] = real);
            globalThis[owner].prototype[name] = () =>
                name === 'slice' ? {arrayBuffer: () => new Promise(() => {})} : new Promise(() => {});
        }, method);
        await page.setInputFiles('#file', {name: 'slow_disk.tflite', mimeType: '', buffer: bytes});
        await status(page, '^Opening slow_disk');
        await page.waitForSelector('#busy:not([hidden])');
        await page.keyboard.press('Escape');
        await status(page, 'Opening slow_disk.tflite was cancelled. slow.tflite is still open.');
        checks.ok(await page.locator('#busy').isHidden(), `${method}: the bar is gone`);
        checks.equal(await text(page, '#h-model'), 'slow.tflite', `${method}: the model before is still open`);
        await page.evaluate(() => globalThis.mend());
    }
}

/** The client alone, in a page of the same origin. */
async function signals(page) {
    const got = await page.evaluate(async ([slow, quick]) => {
        const {Client} = await import('./client.mjs'),
            client = new Client(),
            outcome = (promise) => promise.then(() => 'done', (e) => e.code);
        await client.call('start');
        const choice = {backend: 'ethos-u55-128'};
        await client.call('open', Uint8Array.from(slow), choice);
        const one = new AbortController(),
            two = AbortSignal.abort(),
            run = outcome(client.ask('run', [[], {runs: 1}], {signal: one.signal})),
            text = outcome(client.call('text')); // waits behind the run
        const early = await outcome(client.ask('text', [], {signal: two}));
        await new Promise((resolve) => setTimeout(resolve, 300));
        const start = performance.now();
        one.abort();
        const stopped = await run,
            took = performance.now() - start,
            other = await text;
        one.abort(); // settled: nothing to stop
        await client.call('open', Uint8Array.from(quick), choice);
        const again = await outcome(client.call('run', [], {runs: 1}));
        for (let i = 0; i < 3; i++) {
            const running = outcome(client.call('run', [], {runs: 1e9}));
            client.cancel();
            client.cancel();
            await running;
        }
        return {early, stopped, took, other, again, last: await outcome(client.call('run', [], {runs: 1}))};
    }, [[...slowModel()], [...int8]]);
    checks.equal(got.early, 'CANCELLED', 'a signal that was aborted before');
    checks.equal(got.stopped, 'CANCELLED', 'an aborted call');
    checks.ok(got.took < MOST_MS, `answered after ${got.took} ms`);
    checks.equal(got.other, 'done', 'a call that was not aborted is made again');
    checks.equal(got.again, 'done', 'the client goes on');
    checks.equal(got.last, 'done', 'cancelled time and again');
}

export async function testCancel() {
    const {page, log, context} = await open();
    await choose(page, 'slow.tflite', slowModel());
    await checks.test('cancel a run', () => cancels(page));
    await checks.test('cancel opening', () => cancelsOpening(page));
    await checks.test('cancel reading', () => cancelsReading(page));
    await checks.test('after cancelling', () => usableAfterwards(page));
    await checks.test('cancel by keyboard', () => keyboardOnly(page));
    await checks.test('cancel while offline', async () => {
        await context.setOffline(true);
        await startRun(page);
        checks.ok((await answer(page, 'Escape')) < MOST_MS, 'offline');
        await context.setOffline(false);
        await choose(page, 'digits.tflite', int8);
        await page.click('#run');
        await ran(page);
        checks.ok(/Done/.test(await text(page, '#run-status')), 'runs');
    });
    await checks.test('more operators than a page can show', async () => {
        await choose(page, 'chain.tflite', chainModel(3000));
        checks.equal(await text(page, '#h-model'), 'chain.tflite', 'it opens');
        for (const table of ['#ops', '#npu']) {
            const rows = page.locator(`${table} tbody tr`);
            checks.equal(await rows.count(), 1001, `rows of ${table}`);
            checks.ok(/2,000 more match/.test(await rows.last().innerText()), `${table} says that there are more`);
            await rows.last().getByRole('button').click();
            await rows.last().getByRole('button').click();
            checks.equal(await rows.count(), 3000, `all rows of ${table}`);
        }
    });
    await checks.test('signals', () => signals(page));
    checks.equal(log.errors.filter((e) => !/ERR_INTERNET_DISCONNECTED/.test(e)).join(' | '), '', 'errors on the console');
    await context.close();
}
