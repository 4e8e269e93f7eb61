// What a run leaves on the page, how outputs of any shape are drawn, and that nothing stale stays.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {pageModel, ROOT} from './browser.mjs';
import {checks, choose, open, ran, status, text} from './visitor.mjs';
import {writeNpy} from '../../build/web/npy.mjs';

const int8 = await readFile(join(ROOT, 'examples/digits/digits_int8.tflite'));
const DAMAGED = {name: 'bad.png', mimeType: 'image/png', buffer: Buffer.from('no picture')};

async function runs(page) {
    await page.fill('#runs', '2');
    await page.click('#run');
    await ran(page);
}
/** Outputs, times and the times of the operators: all there, or none. */
async function results(page) {
    const found = [
        (await page.locator('#outputs .out').count()) > 0,
        await page.locator('#times').isVisible(),
        (await page.locator('#ops tfoot').innerText()) !== '',
        /\d (ms|µs)/.test(await page.locator('#ops tbody').innerText()),
    ];
    return found.every(Boolean) ? 'all' : found.some(Boolean) ? `some: ${found}` : 'none';
}

async function nothingStale(page) {
    await choose(page, 'digits_int8.tflite', int8);
    const fresh = async (what) => {
        await runs(page);
        checks.equal(await results(page), 'all', `before: ${what}`);
    };
    const gone = async (what) => checks.equal(await results(page), 'none', what);

    await fresh('the seed changes');
    await page.fill('#seed', '5');
    await gone('the seed changes');
    checks.ok(/changed/.test(await text(page, '#outputs')), 'it says why they are gone');
    await fresh('a drawing');
    await page.click('#samples button[aria-label="Sample of a 3"]');
    await gone('a drawing');
    await fresh('another file');
    await page.setInputFiles('#input-0-file', DAMAGED);
    await gone('another file');
    await page.click('#run');
    await ran(page);
    await gone('a run that fails');
    checks.ok(/failed/.test(await text(page, '#run-status')), 'it says that it failed');
    checks.ok(/BAD_INPUT.*exit code 5/s.test(await text(page, '#alert')), 'the status of a bad input');
    await page.getByRole('button', {name: 'Remove the file of input 0'}).click();
    await fresh('a model that does not open');
    await choose(page, 'cut.tflite', int8.subarray(0, 900));
    await gone('a model that does not open');
    await fresh('another model');
    await choose(page, 'other.tflite', int8);
    await gone('another model');
}

/** The worker is gone: the answer about another accelerator never comes. */
async function noStaleVerdict(page) {
    await choose(page, 'digits_int8.tflite', int8);
    await page.workers()[0].evaluate(() => self.close()); // the other one waits to take over
    await page.selectOption('#backend', 'ethos-u65-256');
    await page.waitForFunction(() =>
        document.getElementById('npu-text').textContent.startsWith('Checking for ethos-u65-256'),
    );
    checks.equal(await page.locator('#npu tbody tr').count(), 0, 'the verdicts for the other accelerator are gone');
    checks.ok(await page.locator('#cost').isHidden(), 'so is its cost');
    await page.waitForSelector('#busy:not([hidden])');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('npu-text').textContent.startsWith('No verdict'));
    checks.ok(/No verdict/.test(await text(page, '#verdict')), 'also below the name of the model');
    checks.ok(/No estimate/.test(await text(page, '#cost-text')), 'no estimate either');
    await page.selectOption('#backend', 'ethos-u55-128');
    await page.waitForFunction(() => document.getElementById('npu-text').textContent.startsWith('ethos-u55-128 by'));
    checks.equal(await page.locator('#npu tbody tr').count(), 8, 'the next answer comes');
}

/** Values and units stand apart, as they are read. */
async function units(page) {
    await choose(page, 'digits_int8.tflite', int8);
    await runs(page);
    const tiles = await page.$$eval('.tiles dd', (all) =>
        all
            .filter((e) => e.offsetParent)
            .map((e) => [e.innerText.replaceAll('\n', ' '), [...e.children].map((c) => c.getBoundingClientRect())]),
    );
    checks.ok(tiles.length > 15, `tiles: ${tiles.length}`);
    const known =
        /^(–|[\d,.]+( (B|[KMG]iB|k|M|G|µs|ms|s|%))?( (of|at) [\d,.]+( (k|M|G|MHz|runs))?)?|\d+ of \d+|relaxed|simd128|usdot|sdot|1 in \d+ subgraphs)$/;
    for (const [words, boxes] of tiles) {
        checks.ok(known.test(words), `tile "${words}"`);
        const [value, more] = boxes;
        checks.ok(
            !more || more.y >= value.y + value.height - 2 || more.x >= value.x + value.width + 2,
            `gap in "${words}"`,
        );
    }
}

async function order(page) {
    const top = (selector) => page.locator(selector).evaluate((e) => e.getBoundingClientRect().top);
    await choose(page, 'digits_int8.tflite', int8);
    for (const below of ['#digits', '#h-run', '#h-memory'])
        checks.ok((await top('#verdict')) < (await top(below)), `the verdict stands above ${below}`);
    for (const below of ['#h-run', '#inputs', '#h-memory'])
        checks.ok((await top('#npu-card')) < (await top(below)), `the verdicts stand above ${below}`);
    for (const link of await page.locator('nav.parts a:not([hidden])').all()) {
        await link.click();
        const target = await link.getAttribute('href'),
            at = await top(target);
        checks.ok(at >= 40 && at < 900, `${target} is in view, not below the bar: ${at}`);
    }
}

/** Colours of a canvas: how many, and how light on average. */
const looks = (canvas) =>
    canvas.evaluate((c) => {
        const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height),
            seen = new Set();
        let light = 0;
        for (let i = 0; i < data.length; i += 4) {
            seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
            light += data[i] + data[i + 1] + data[i + 2];
        }
        return {colours: seen.size, light: light / (data.length / 4) / 3};
    });

/** Boxes up to 640, scores up to 1: one scale for all would show four rows. */
async function detections(page) {
    const values = Float32Array.from({length: 84 * 8400}, (_, i) =>
        i < 4 * 8400 ? (i * 7919) % 640 : ((i * 31) % 97) / 970,
    );
    await choose(page, 'detect.tflite', pageModel('shaped', 1, 84, 8400));
    const npy = Buffer.from(writeNpy('<f4', [1, 84, 8400], values));
    await page.setInputFiles('#input-0-file', {name: 'in.npy', mimeType: '', buffer: npy});
    await runs(page);
    const canvas = page.locator('#outputs canvas'),
        box = await canvas.boundingBox(),
        {colours, light} = await looks(canvas);
    checks.ok(box.height >= 90 && box.width > 600, `an area, not a line: ${JSON.stringify(box)}`);
    checks.ok(colours > 50 && light > 60, `colours of 84 rows: ${colours}, light ${light}`);
    checks.equal(await page.inputValue('#scale-0'), 'row', 'each row by its own range');
    await page.selectOption('#scale-0', '');
    checks.ok((await looks(canvas)).light < 70, 'one scale on request');
    checks.ok(
        /84 rows, 8,400 columns; each pixel is the mean of 1 × 9/.test(await text(page, '#outputs')),
        'what a pixel is',
    );
}

/** Every view of outputs of many shapes has a size, and its words. */
async function shapes(page) {
    const want = {
        1: null,
        '1,7': 'top',
        '1,1001': 'top',
        '3,4': 'list',
        '1,5,2000': 'map',
        '1,2000,5': 'map',
        '1,64,64,3': 'picture',
        '1,33,33,21': 'classes',
        '1,40,40,2': 'map',
        '2,3,16,16': 'map',
        '1,1,1,30000': 'top',
        '1,12,48,48': 'map',
        '1,48,6,48': 'map',
    };
    for (const [dims, first] of Object.entries(want)) {
        await choose(page, `shape-${dims}.tflite`, pageModel('shaped', ...dims.split(',')));
        await runs(page);
        checks.equal(await page.locator('#outputs .out').count(), 1, `${dims}: drawn`);
        if (!first) {
            checks.ok(/^0\.\d+$/.test(await text(page, '#outputs .scalar')), `${dims}: a number`);
            continue;
        }
        checks.equal(await page.inputValue('#view-0'), first, `${dims}: the first view`);
        for (const view of await page.$$eval('#view-0 option', (all) => all.map((o) => o.value))) {
            await page.selectOption('#view-0', view);
            const box = await page.locator('#outputs .view > :is(ol, canvas, svg, .scroll)').boundingBox();
            checks.ok(
                box.width > 30 && box.height > 30 && box.height < 1000,
                `${dims}, ${view}: ${JSON.stringify(box)}`,
            );
            const wide = await page.evaluate(
                () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
            );
            checks.ok(wide, `${dims}, ${view}: no sideways scrolling`);
        }
    }
    await page.selectOption('#view-0', 'map');
    await page.fill('#plane-0', '3');
    await page.keyboard.press('Tab');
    checks.ok(/plane 3 of/.test(await page.getAttribute('#outputs canvas', 'aria-label')), 'another plane');
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click('#outputs button:has-text("Save .npy")'),
    ]);
    const saved = await readFile(await download.path());
    checks.equal(saved.subarray(1, 6).toString(), 'NUMPY', 'an output saved');
    checks.ok(saved.includes('(1, 48, 6, 48)'), 'with its shape');
    checks.equal(saved.length % 64, 0, 'and all of its bytes');
}

/** Integers that name classes are no amounts: a segmentation shows its parts, and their shares. */
async function classes(page) {
    const values = Int32Array.from({length: 32 * 32}, (_, i) => (i % 32 < 8 ? 15 : i >= 512 ? 7 : 0));
    await choose(page, 'segments.tflite', pageModel('integers', 1, 32, 32));
    const buffer = Buffer.from(writeNpy('<i4', [1, 32, 32], values));
    await page.setInputFiles('#input-0-file', {name: 'in.npy', mimeType: '', buffer});
    await runs(page);
    checks.equal(await page.inputValue('#view-0'), 'labels', 'shown as classes');
    const shares = await page.locator('#outputs .names li').allInnerTexts();
    checks.equal(shares.map((s) => s.trim()).join(), '0: 37.5 %,7: 37.5 %,15: 25.0 %', 'their shares');
    checks.equal((await looks(page.locator('#outputs canvas'))).colours, 3, 'a colour for each');
}

/** A click on a tensor in the drawing shows what it held in the last run, which goes as outputs do. */
async function values(page) {
    await choose(page, 'digits_int8.tflite', int8);
    await page.evaluate(() => (document.getElementById('graph').open = true));
    await page.locator('#graph-box .op').first().click();
    const tensor = page.locator('#graph-op button.link').first(),
        box = page.locator('#graph-op .values').first();
    await tensor.click();
    await page.waitForFunction(() => /run the model first/.test(document.querySelector('#graph-op .values').textContent));
    await tensor.click();
    checks.equal(await box.innerText(), '', 'closed again');
    await runs(page);
    await tensor.click();
    await page.waitForFunction(() => /mean/.test(document.querySelector('#graph-op .values').textContent));
    const said = await box.innerText();
    checks.ok(/int8 1×8×8×1, 64 values: from -?[\d.]+ to [\d.]+, mean/.test(said), `figures: ${said}`);
    checks.ok((await box.locator('svg rect').count()) > 3, 'a histogram');
    checks.equal(await tensor.getAttribute('aria-expanded'), 'true', 'it is open');
    await page.fill('#seed', '9');
    checks.equal(await box.innerText(), '', 'gone with the run');
    await tensor.click();
    await page.waitForFunction(() => /run the model first/.test(document.querySelector('#graph-op .values').textContent));
}

export async function testResults() {
    const {page, log, context} = await open();
    await status(page, '^Ready');
    await checks.test('nothing stale', () => nothingStale(page));
    await checks.test('no stale verdict', () => noStaleVerdict(page));
    await checks.test('units', () => units(page));
    await checks.test('values between operators', () => values(page));
    await checks.test('order', () => order(page));
    await checks.test('84 x 8400', () => detections(page));
    await checks.test('classes', () => classes(page));
    await checks.test('outputs of many shapes', () => shapes(page));
    checks.equal(log.errors.join(' | '), '', 'results: errors on the console');
    await context.close();
}
