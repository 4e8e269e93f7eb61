// Files of all kinds, dropped and chosen: models open, pictures and arrays become inputs, others are named.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {pageModel, ROOT} from './browser.mjs';
import {checks, choose, open, ran, status, text} from './visitor.mjs';
import {load} from '../../build/web/npu_rt.mjs';
import {writeNpy} from '../../build/web/npy.mjs';

const runtime = await load();
const int8 = await readFile(join(ROOT, 'examples/digits/digits_int8.tflite'));

/** Drops files on what `selector` names. */
async function drop(page, selector, ...files) {
    const data = await page.evaluateHandle(
        (all) => {
            const transfer = new DataTransfer();
            for (const [name, type, bytes] of all) transfer.items.add(new File([Uint8Array.from(bytes)], name, {type}));
            return transfer;
        },
        files.map(([name, type, bytes]) => [name, type, [...bytes]]),
    );
    await page.dispatchEvent(selector, 'dragenter', {dataTransfer: data});
    await page.dispatchEvent(selector, 'drop', {dataTransfer: data});
}
const png = (page) => page.locator('#engine').screenshot();

async function pictures(page) {
    const image = await png(page);
    await drop(page, 'body', ['photo', '', image]); // known by its bytes
    await status(page, 'photo is now input 0');
    checks.equal(await text(page, '#h-model'), 'digits_int8.tflite', 'the model stays open');
    checks.ok(/from photo/.test(await text(page, '#inputs')), 'the picture is its input');
    await page.click('#run');
    await ran(page);
    checks.ok(await page.locator('#alert').isHidden(), 'it runs');
    await page.setInputFiles('#file', {name: 'second.png', mimeType: 'image/png', buffer: image});
    await status(page, 'second.png is now input 0');
    checks.equal(await page.locator('#outputs .out').count(), 0, 'what the first one gave is gone');

    await choose(page, 'numbers.tflite', pageModel('shaped', 7));
    await drop(page, 'body', ['photo.png', 'image/png', image]);
    await page.waitForFunction(() => !document.getElementById('alert').hidden);
    const alert = await text(page, '#alert');
    checks.ok(/photo.png: no input of the open model takes a picture/.test(alert), `no place for it: ${alert}`);
    checks.ok(/BAD_INPUT.*exit code 5/s.test(alert), 'the status of a bad input');
}

async function arrays(page) {
    const npy = writeNpy('<f4', [7], Float32Array.from([-1, 2, -3, 4, -5, 6, -7]));
    await drop(page, '[data-input="0"]', ['in.npy', '', npy]);
    await status(page, 'in.npy is now input 0');
    await page.click('#run');
    await ran(page);
    await page.selectOption('#view-0', 'list');
    checks.ok(/\[6\]\s*7/.test(await text(page, '#outputs .values')), 'the array ran');
    await drop(page, 'body', ['model.tflite', '', pageModel('shaped', 7)], ['both.npy', '', npy]);
    await status(page, 'both.npy is now input 0');
    checks.equal(await text(page, '#h-model'), 'model.tflite', 'a model and its input at once');
    const short = writeNpy('<f8', [7], new Float64Array(7));
    await drop(page, 'body', ['wrong.npy', '', short]);
    await status(page, 'wrong.npy is now');
    await page.click('#run');
    await ran(page);
    checks.ok(/BAD_INPUT.*input.dtype.*exit code 5/s.test(await text(page, '#alert')), 'another type');
}

/** An array of another shape than the model declares is refused, as on the command line. */
async function anotherShape(page) {
    await choose(page, 'fixed.tflite', pageModel('shaped', 1, 4, 7));
    for (const shape of [[1, 4, 6], [28], [1, 4, 7, 1]]) {
        const npy = writeNpy('<f4', shape, new Float32Array(shape.reduce((a, b) => a * b)));
        await drop(page, 'body', ['other.npy', '', npy]);
        await status(page, 'other.npy is now');
        await page.click('#run');
        await ran(page);
        const alert = await text(page, '#alert');
        checks.ok(/BAD_INPUT.*plan.input_fixed.*exit code 5/s.test(alert), `shape ${shape}: ${alert}`);
        checks.equal(await page.locator('#outputs .out').count(), 0, `shape ${shape}: no outputs`);
    }
}

/** An input of strings is typed, its outputs are shown as text. */
async function strings(page) {
    const run = async () => {
        await page.click('#run');
        await ran(page);
        return page.locator('#outputs .strings li').allInnerTexts();
    };
    const same = (got, want, what) => checks.equal(JSON.stringify(got), JSON.stringify(want), what);
    await choose(page, 'strings.tflite', pageModel('strings', 3));
    checks.ok(await page.locator('#alert').isHidden(), `no alert: ${await text(page, '#alert')}`);
    same(await run(), ['(empty)', '(empty)', '(empty)'], 'nothing typed');
    await page.fill('#input-0-text', 'grüße\n\n<b>日本</b>');
    checks.equal(await page.locator('#outputs .out').count(), 0, 'typing: what the run before gave is gone');
    same(await run(), ['grüße', '(empty)', '<b>日本</b>'], 'a line for each');
    await page.fill('#input-0-text', 'one\ntwo\n');
    checks.equal(await page.inputValue('#input-0-shape'), '2,1', 'the open dimension follows');
    same(await run(), ['one', 'two'], 'two of them');
    await page.fill('#input-0-shape', '4,1');
    await run();
    checks.ok(/BAD_INPUT.*input.strings.*exit code 5/s.test(await text(page, '#alert')), 'too few lines');
    const npy = writeNpy('<f4', [1], Float32Array.of(1));
    await drop(page, 'body', ['in.npy', '', npy]);
    await page.waitForFunction(() => /takes numbers/.test(document.getElementById('alert').textContent));
    checks.ok(/no input of the open model takes numbers/.test(await text(page, '#alert')), 'an array');
    await choose(page, 'words.tflite', pageModel('strings_of', 5));
    const words = writeNpy('<i4', [5], Int32Array.of(2, 0, 1, 3, 2));
    await drop(page, 'body', ['which.npy', '', words]);
    await status(page, 'which.npy is now input 0');
    same(await run(), ['zwölf ✓', 'zero', '(empty)', '\ufffd\0a', 'zwölf ✓'], 'constants');
}

/** What is no model is called what the runtime calls it, with its status. */
async function foreign(page) {
    await choose(page, 'digits_int8.tflite', int8);
    for (const [name, bytes, words] of [
        ['cut.tflite', int8.subarray(0, int8.length - 400), /truncated: \d+ bytes, the file speaks of \d+/],
        ['short.tflite', int8.subarray(0, 12)],
        ['empty.tflite', Buffer.alloc(0), /empty/],
        ['model.onnx', Buffer.from('\x08\x07\x12\x07pytorch\x1a\x051.13:', 'latin1'), /ONNX/],
        [
            'weights.safetensors',
            Buffer.from('\x40\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}      ', 'latin1'),
            /safetensors/,
        ],
        ['archive.zip', Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'), /ZIP/i],
        ['page.html', Buffer.from('<!doctype html><p>not found'), /HTML/],
    ]) {
        let error;
        try {
            runtime.open(bytes).close();
        } catch (e) {
            error = e;
        }
        await choose(page, name, bytes);
        const alert = await text(page, '#alert');
        for (const part of [
            `${name}: ${error.message}`,
            error.status,
            error.rule,
            `exit code ${error.exitCode}`,
            'is still open',
        ])
            checks.ok(alert.includes(part), `${name} says "${part}": ${alert}`);
        checks.ok(!words || words.test(alert), `${name} is named: ${alert}`);
        await choose(page, 'digits_int8.tflite', int8);
    }
}

async function keyboard(page) {
    await status(page, '^Ready'); // the file before is open
    const asked = page.waitForEvent('filechooser'); // now: the browser must know before the key comes
    await page.focus('.skip');
    await page.keyboard.press('Tab');
    checks.equal(await page.evaluate(() => document.activeElement.id), 'file', 'the drop zone is the next stop');
    const outline = await page.$eval('label[for=file]', (e) => getComputedStyle(e).outlineStyle);
    checks.equal(outline, 'solid', 'and shows it');
    await page.keyboard.press('Space');
    await (await asked).setFiles({name: 'keyed.tflite', mimeType: '', buffer: int8});
    await page.waitForFunction(() => document.getElementById('h-model').textContent === 'keyed.tflite');
    checks.ok(true, 'opened by keyboard');
}

export async function testFiles() {
    const {page, log, context} = await open();
    await status(page, '^Ready');
    await checks.test('pictures', () => pictures(page));
    await checks.test('arrays', () => arrays(page));
    await checks.test('an array of another shape', () => anotherShape(page));
    await checks.test('strings', () => strings(page));
    await checks.test('what is no model', () => foreign(page));
    await checks.test('files by keyboard', () => keyboard(page));
    checks.equal(log.errors.join(' | '), '', 'files: errors on the console');
    await context.close();
}
