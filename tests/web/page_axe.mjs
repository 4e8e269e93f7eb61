// Accessibility rules of axe-core on the page as it is used: light and dark, wide and narrow, in every state.
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pageModel, ROOT, slowModel} from './browser.mjs';
import {browser, checks, choose, open, ran, url} from './visitor.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const int8 = await readFile(join(ROOT, 'examples/digits/digits_int8.tflite'));

async function rules(page, what) {
    await page.evaluate(AXE); // not through the page's policy, which refuses foreign scripts
    const {violations, passes} = await page.evaluate(() => globalThis.axe.run(document));
    checks.ok(passes.length > 20, `${what}: ${passes.length} rules apply`);
    const found = violations.map(
        (v) =>
            `${v.id} (${v.impact}): ${v.nodes
                .slice(0, 3)
                .map((n) => `${n.target} ${n.failureSummary}`)
                .join('; ')}`,
    );
    checks.equal(found.join('\n'), '', `${what}: violations`);
}

/** The page before its worker has answered. */
async function empty(options, what) {
    const context = await browser.newContext({...options, serviceWorkers: 'block'}),
        page = await context.newPage();
    await context.route('**/worker.mjs', () => {}); // never answered
    await page.goto(url);
    await page.waitForFunction(() => !document.getElementById('unstarted'));
    await rules(page, `${what}, empty`);
    await context.close();
}

async function states(page, what) {
    await rules(page, `${what}, with a model`);
    await page.selectOption('#backend', 'mdla1.5');
    await page.waitForFunction(() => document.querySelectorAll('#plan-body table').length > 1);
    await page.evaluate(() => {
        for (const details of document.querySelectorAll('#plan-card details')) details.open = true;
    });
    await rules(page, `${what}, a plan`);
    await page.selectOption('#backend', 'ethos-u55-128');
    await page.waitForFunction(() => document.getElementById('plan-card').hidden);
    await page.click('#samples button[aria-label="Sample of a 3"]');
    await page.fill('#runs', '2');
    await page.click('#run');
    await ran(page);
    await rules(page, `${what}, after a run`);
    await choose(page, 'cut.tflite', int8.subarray(0, 900));
    await rules(page, `${what}, with an error`);
    await choose(page, 'refused.tflite', pageModel('mixed', 40));
    await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await page.waitForFunction(() => document.querySelector('#dump pre').textContent);
    await page.waitForFunction(() => document.getElementById('graph-status').textContent.includes('drawn in'));
    await page.locator('#graph-box .op').first().click();
    checks.ok(await page.locator('#graph-op').isVisible(), `${what}: an operator of the drawing is chosen`);
    checks.ok((await page.locator('#npu tbody li').count()) > 40, `${what}: operators are refused`);
    await rules(page, `${what}, refused operators`);
    for (const button of await page.getByRole('button', {name: 'Totals by operator'}).all()) await button.click();
    await rules(page, `${what}, totals`);
    await choose(page, 'missing.tflite', pageModel('missing'));
    checks.ok(await page.locator('#missing').isVisible(), `${what}: operators are missing`);
    await rules(page, `${what}, missing operators`);
    await choose(page, 'strings.tflite', pageModel('strings', 3));
    await page.fill('#input-0-text', 'a string\n\nanother one');
    await page.click('#run');
    await ran(page);
    await rules(page, `${what}, strings`);
    await page.click('[data-model="digits_int8_ethos_u55_128.tflite"]');
    await page.waitForFunction(() => !document.getElementById('compiled').hidden);
    await page.click('#stream summary');
    await page.waitForFunction(() => document.getElementById('stream-status').textContent.includes('lines'));
    await rules(page, `${what}, a compiled model`);
    await choose(page, 'slow.tflite', slowModel());
    await page.click('#run');
    await page.waitForSelector('#busy:not([hidden])');
    await rules(page, `${what}, while a run is under way`);
    await page.keyboard.press('Escape');
    await choose(page, 'map.tflite', pageModel('shaped', 1, 84, 300));
    await page.click('#run');
    await ran(page);
    for (const view of await page.$$eval('#view-0 option', (all) => all.map((o) => o.value))) {
        await page.selectOption('#view-0', view);
        await rules(page, `${what}, output as ${view}`);
    }
}

export async function testAxe() {
    for (const colorScheme of ['light', 'dark'])
        for (const viewport of [
            {width: 1280, height: 900},
            {width: 360, height: 740},
        ]) {
            const what = `${colorScheme}, ${viewport.width} px`;
            await checks.test(what, async () => {
                await empty({colorScheme, viewport}, what);
                const {page, log, context} = await open({colorScheme, viewport});
                await states(page, what);
                checks.equal(log.errors.join(' | '), '', `${what}: errors on the console`);
                checks.ok(
                    await page.evaluate(
                        () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
                    ),
                    `${what}: no sideways scrolling`,
                );
                await context.close();
            });
        }
}
