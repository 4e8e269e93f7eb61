// The page without its server: kept by the service worker, renewed as a whole, gone with its host; and opened as a file.
import {createHash} from 'node:crypto';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {PAGE} from './browser.mjs';
import {browser, checks, choose, ran, status, text} from './visitor.mjs';
import {serve} from '../../web/serve.mjs';

const claims = (page) =>
    page.waitForFunction(() => /offline from now on/.test(document.getElementById('offline').textContent));
const version = (page) => page.textContent('#offline').then((words) => /version ([0-9a-f]+)/.exec(words)?.[1]);

/** Another build: the page's own name changed. */
async function rebuild(folder) {
    const html = (await readFile(join(folder, 'index.html'), 'utf8')).replace(
            '<h1>npu_rt</h1>',
            '<h1>npu_rt, renewed</h1>',
        ),
        worker = await readFile(join(folder, 'sw.js'), 'utf8');
    const hash = createHash('sha256').update(html).digest('hex');
    await writeFile(join(folder, 'index.html'), html);
    await writeFile(join(folder, 'sw.js'), worker.replace(/"index.html": "[0-9a-f]+"/, `"index.html": "${hash}"`));
}

async function withoutServer(page, context, site) {
    await site.close();
    await context.setOffline(true);
    const fresh = await context.newPage(),
        errors = [];
    fresh.on('pageerror', (e) => errors.push(e.message));
    await fresh.goto(site.url);
    await status(fresh, '^Ready');
    await fresh.click('#run');
    await ran(fresh);
    checks.equal(await fresh.locator('#outputs .out').count(), 1, 'opens and runs without a server');
    await fresh.click('[data-model="digits_float32.tflite"]');
    await fresh.waitForFunction(() => document.getElementById('h-model').textContent === 'digits_float32.tflite');
    await fresh.waitForFunction(() => document.querySelectorAll('#samples button:enabled').length === 10);
    await choose(fresh, 'own.tflite', await readFile(join(PAGE, 'digits_int8.tflite')));
    checks.equal(await text(fresh, '#h-model'), 'own.tflite', 'a file of the visitor');
    checks.equal(errors.join(), '', 'errors');
    await fresh.close();
    await context.setOffline(false);
}

/** A newer build is offered, and comes as a whole when the visitor says so. */
async function update(page, folder, site) {
    const before = await version(page);
    await rebuild(folder);
    await page.reload();
    await status(page, '^Ready');
    checks.equal(await text(page, 'h1'), 'npu_rt', 'the version before stays while its page is open');
    await page.waitForSelector('#update:not([hidden])');
    checks.ok(/new version/.test(await text(page, '#update')), 'it says so');
    checks.equal(await page.getAttribute('#update', 'role'), 'status', 'and it is read out');
    await page.click('#update button');
    await page.waitForFunction(() => document.querySelector('h1').textContent === 'npu_rt, renewed');
    await status(page, '^Ready');
    await claims(page);
    checks.ok((await version(page)) !== before, 'another version');
    const kept = await page.evaluate(async () => (await caches.keys()).length);
    checks.equal(kept, 1, 'the version before is gone');
    checks.equal(site.url, page.url(), 'the same address');
}

/** A file of another build is not mixed in: that version is not kept. */
async function halfBuilt(page, folder) {
    const path = join(folder, 'sw.js'),
        worker = await readFile(path, 'utf8');
    await writeFile(path, worker.replace(/"page.mjs": "[0-9a-f]+"/, `"page.mjs": "${'0'.repeat(64)}"`));
    const refused = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready,
            failed = new Promise((resolve) => {
                registration.addEventListener('updatefound', () => {
                    const next = registration.installing;
                    next.addEventListener('statechange', () => next.state !== 'installing' && resolve(next.state));
                });
            });
        await registration.update();
        return failed;
    });
    checks.equal(refused, 'redundant', 'a mixture is refused');
    await writeFile(path, worker);
}

/** Another project on the same port: nothing of this page is left in its way. */
async function portTaken(page, context, port) {
    const folder = await mkdtemp(join(tmpdir(), 'npu_rt-other-'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>other</title><h1>another project</h1>');
    const other = await serve(folder, {port});
    const visit = await context.newPage();
    await visit.goto(other.url);
    checks.equal(await text(visit, 'h1'), 'another project', 'the other project is what one sees, at once');
    await visit.reload();
    const left = await visit.evaluate(
        async () => (await caches.keys()).length + (await navigator.serviceWorker.getRegistrations()).length,
    );
    checks.equal(left, 0, 'no cache and no service worker is left');
    await other.close();
    await rm(folder, {recursive: true});
}

/** Opened from a folder: nothing can start, and the page says what to do. */
async function asFile() {
    const context = await browser.newContext(),
        page = await context.newPage();
    await page.goto(`file://${PAGE}index.html`);
    await page.locator('#unstarted').waitFor({state: 'visible', timeout: 10000});
    const words = await text(page, '#unstarted');
    for (const part of ['file://', 'make serve', 'python3 -m http.server', 'http://localhost:8080'])
        checks.ok(words.includes(part), `it names ${part}`);
    await context.close();
}

export async function testOffline() {
    await checks.test('opened as a file', asFile);
    const folder = await mkdtemp(join(tmpdir(), 'npu_rt-page-'));
    await cp(PAGE, folder, {recursive: true});
    let site = await serve(folder);
    const {port} = site.server.address(),
        context = await browser.newContext(),
        page = await context.newPage();
    await checks.test('kept', async () => {
        await page.goto(site.url);
        checks.ok(!/offline/.test(await text(page, 'body')), 'nothing is claimed before it is so');
        await claims(page);
        checks.equal(await page.locator('#unstarted').count(), 0, 'no hint where the page has started');
    });
    await checks.test('without the server', () => withoutServer(page, context, site));
    site = await serve(folder, {port});
    await checks.test('a newer version', () => update(page, folder, site));
    await checks.test('half a build', () => halfBuilt(page, folder));
    await page.close();
    await site.close();
    await checks.test('the port goes to another project', () => portTaken(page, context, port));
    await context.close();
    await rm(folder, {recursive: true});
}
