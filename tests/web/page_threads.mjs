// Threads in Chromium: on the page's own thread, in workers, chosen on the page; and the same where the page is not isolated.
import {access, readFile} from 'node:fs/promises';
import {extname, join} from 'node:path';
import {PAGE, servePage, slowModel} from './browser.mjs';
import {browser, checks, choose, open, ran, text} from './visitor.mjs';

/** On an empty page of the served folder: digits, many at a time, by one thread and by more, here and in a worker. */
const digits = (page) =>
    page.evaluate(async () => {
        const path = './npu_rt.mjs',
            {openModel} = await import(path),
            remote = './remote.mjs',
            {WorkerModel} = await import(remote),
            inputShapes = [{input: 0, shape: [512, 8, 8, 1]}],
            file = new URL('digits_int8.tflite', location.href);
        const here = async (threads) => {
            const model = await openModel(file, {threads}),
                session = model.plan({inputShapes}).session(),
                all = [];
            for (let i = 0; i < 20; i++) {
                session.inputs[0].fill(3, 0);
                session.run();
                all.push(session.outputs[0].data.join());
            }
            const name = model.info({format: 'text'}).length > 100; // text from shared memory
            const {threads: got, oneThreadBecause} = model;
            model.close();
            return {same: all.every((one) => one === all[0]), values: all[0], got, oneThreadBecause, name};
        };
        const away = async (threads) => {
            const model = await WorkerModel.open(file, {threads}),
                {outputs} = await model.run([{seed: 3}], {inputShapes}),
                {threads: got, oneThreadBecause} = model;
            const abort = new AbortController(),
                endless = model.run([{seed: 3}], {inputShapes, runs: 1e9, signal: abort.signal, onprogress: () => abort.abort()});
            const stopped = await endless.then(() => 'done', (e) => e.code);
            const again = (await model.run([{seed: 3}], {inputShapes})).outputs[0].data.join();
            model.close();
            return {same: again === outputs[0].data.join(), values: again, got, oneThreadBecause, stopped, name: true};
        };
        return {
            isolated: globalThis.crossOriginIsolated,
            one: await here(1),
            more: [await here(2), await here(3), await away(1), await away(2), await away(3), ...(await Promise.all([away(2), here(2)]))],
        };
    });
const WANT = [2, 3, 1, 2, 3, 2, 2];

async function blank(url) {
    const context = await browser.newContext({serviceWorkers: 'block'}),
        page = await context.newPage(),
        errors = [];
    page.on('pageerror', (e) => errors.push(e.message));
    await page.goto(`${url}icon.svg`); // of the origin, without the page's scripts
    return {page, context, errors};
}

async function isolated(url) {
    const {page, context, errors} = await blank(url),
        {isolated: yes, one, more} = await digits(page);
    checks.ok(yes, 'the page is isolated');
    checks.equal(one.got, 1, 'one thread');
    for (const [i, r] of more.entries()) {
        checks.equal(`${r.got} ${r.oneThreadBecause}`, `${WANT[i]} null`, `case ${i}: threads`);
        checks.ok(r.same && r.values === one.values && r.name, `case ${i}: what one thread computes`);
        checks.equal(r.stopped ?? 'CANCELLED', 'CANCELLED', `case ${i}: aborted`);
    }
    checks.equal(errors.join(' | '), '', 'errors');
    await context.close();
}

async function chosen() {
    const {page, log, context} = await open();
    if (await page.locator('#threads-row').isHidden()) console.log('left out: choosing threads (one processor)');
    else {
        await page.fill('#runs', '3');
        await page.click('#run');
        await ran(page);
        const before = await text(page, '#outputs');
        await page.selectOption('#threads', '2');
        checks.ok(/has changed/.test(await text(page, '#outputs')), 'another choice takes results away');
        await page.click('#run');
        await ran(page);
        checks.ok(/Done/.test(await text(page, '#run-status')), await text(page, '#run-status'));
        checks.ok(/2 threads/.test(await text(page, '#times')), 'the times say so');
        checks.equal(await text(page, '#outputs'), before, 'the same outputs');
        await choose(page, 'slow.tflite', slowModel());
        await page.click('#run');
        await page.waitForSelector('#busy:not([hidden])');
        await page.waitForTimeout(300);
        await page.click('#cancel');
        await page.waitForFunction(() => /cancelled/.test(document.getElementById('run-status').textContent));
        await choose(page, 'again.tflite', await readFile(join(PAGE, 'digits_int8.tflite')));
        await page.click('#run');
        await ran(page);
        checks.ok(/2 threads/.test(await text(page, '#times')), 'and again after a run that was cancelled');
    }
    checks.equal(log.errors.join(' | '), '', 'errors on the console');
    await context.close();
}

/** A server without the two headers. */
async function notIsolated() {
    const types = {'.html': 'text/html', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.css': 'text/css'},
        plain = async (request, response) => {
            const path = new URL(request.url, 'http://localhost').pathname,
                file = join(PAGE, path === '/' ? 'index.html' : path);
            if (!(await access(file).then(() => true, () => false))) return false;
            response.writeHead(200, {'Content-Type': types[extname(file)] ?? 'application/octet-stream'});
            response.end(await readFile(file));
            return true;
        };
    const {url, close} = await servePage(plain),
        {page, context, errors} = await blank(url),
        {isolated: yes, one, more} = await digits(page);
    checks.ok(!yes, 'the page is not isolated');
    for (const [i, r] of more.entries()) {
        checks.equal(r.got, 1, `case ${i}: one thread`);
        checks.ok(WANT[i] === 1 || /isolated.*Cross-Origin-Opener-Policy/.test(r.oneThreadBecause), `case ${i}: ${r.oneThreadBecause}`);
        checks.ok(r.same && r.values === one.values, `case ${i}: and the same results`);
    }
    await page.goto(url);
    await page.waitForFunction(() => document.querySelectorAll('#samples button:enabled').length === 10);
    checks.ok(await page.locator('#threads-row').isHidden(), 'no threads to choose');
    await page.click('#run');
    await ran(page);
    checks.ok(/Done/.test(await text(page, '#run-status')), 'it runs');
    checks.equal(errors.join(' | '), '', 'errors');
    await context.close();
    await close();
}

export async function testThreads() {
    const built = await access(`${PAGE}npu_rt_threads.wasm`).then(() => true, () => false);
    if (!built) return console.log('left out: threads (this build has no module for them)');
    const {url, close} = await servePage();
    await checks.test('threads on an isolated page', () => isolated(url));
    await close();
    await checks.test('threads chosen on the page', chosen);
    await checks.test('threads on a page that is not isolated', notIsolated);
}
