// What a visitor does: opens the page, chooses files, draws. Everything that could go wrong is recorded.
import {Checks, launch, servePage} from './browser.mjs';

const {url, close: closeServer} = await servePage(),
    browser = await launch();
export {browser, url};
export const checks = new Checks();
export async function close() {
    await browser.close();
    await closeServer();
}

/** A fresh page with everything that could go wrong recorded. Without `serviceWorkers: 'allow'` it comes from the server. */
export async function open(options = {}, path = '') {
    const context = await browser.newContext({viewport: {width: 1280, height: 900}, serviceWorkers: 'block', ...options}),
        page = await context.newPage();
    const log = {errors: [], foreign: []};
    page.on('console', (m) => {
        const blocked = m.text() === 'Service Worker registration blocked by Playwright';
        if (['error', 'warning'].includes(m.type()) && !blocked) log.errors.push(m.text());
    });
    page.on('pageerror', (e) => log.errors.push(e.message));
    context.on('request', (r) => {
        if (!r.url().startsWith(url) && !r.url().startsWith('blob:')) log.foreign.push(r.url());
    });
    await page.goto(url + path);
    await page.waitForFunction(() => document.querySelectorAll('#samples button:enabled').length === 10);
    return {page, log, context};
}

export const text = (page, selector) => page.locator(selector).innerText();
export const status = (page, pattern) =>
    page.waitForFunction((p) => new RegExp(p).test(document.getElementById('status').textContent), pattern);
export const ran = (page) =>
    page.waitForFunction(() => /Done|failed/.test(document.getElementById('run-status').textContent));
export const recognised = (page, digit) =>
    page.waitForFunction((d) => document.getElementById('digit').textContent.startsWith(`This is a ${d} `), digit, {
        timeout: 5000,
    });

/** Chooses a file with these bytes. */
export async function choose(page, name, buffer) {
    await page.setInputFiles('#file', {name, mimeType: 'application/octet-stream', buffer});
    await page.waitForFunction(
        (n) =>
            !document.getElementById('status').textContent.includes('Opening') &&
            (document.getElementById('h-model').textContent === n || !document.getElementById('alert').hidden),
        name,
    );
}

/** Strokes in a unit square, as people draw. */
const arc = (cx, cy, rx, ry, from, to, n = 24) =>
    Array.from({length: n + 1}, (_, i) => {
        const a = ((from + ((to - from) * i) / n) * Math.PI) / 180;
        return [cx + rx * Math.cos(a), cy + ry * Math.sin(a)];
    });
/** A drawing for each digit. */
export const DRAWINGS = {
    0: [arc(0.5, 0.5, 0.2, 0.32, -90, 270)],
    1: [
        [
            [0.38, 0.3],
            [0.52, 0.18],
            [0.52, 0.82],
        ],
    ],
    2: [[...arc(0.5, 0.34, 0.19, 0.16, -170, 40), [0.3, 0.8], [0.72, 0.8]]],
    3: [[...arc(0.47, 0.33, 0.18, 0.15, -150, 80), ...arc(0.47, 0.65, 0.21, 0.17, -80, 150)]],
    4: [
        [
            [0.5, 0.18],
            [0.28, 0.58],
            [0.74, 0.58],
        ],
        [
            [0.58, 0.4],
            [0.58, 0.84],
        ],
    ],
    5: [[[0.7, 0.2], [0.38, 0.2], [0.36, 0.46], ...arc(0.48, 0.62, 0.2, 0.19, -110, 140)]],
    6: [[[0.6, 0.17], [0.42, 0.36], ...arc(0.5, 0.64, 0.17, 0.17, 200, -160)]],
    7: [
        [
            [0.3, 0.2],
            [0.7, 0.2],
            [0.45, 0.82],
        ],
        [
            [0.42, 0.52],
            [0.68, 0.52],
        ],
    ],
    8: [[...arc(0.5, 0.34, 0.15, 0.15, 90, -270), ...arc(0.5, 0.66, 0.18, 0.17, -90, 270)]],
    9: [[...arc(0.5, 0.36, 0.17, 0.17, 20, -340), [0.66, 0.4], [0.58, 0.82]]],
};

export async function draw(page, strokes) {
    await page.click('#clear');
    await page.locator('#draw').scrollIntoViewIfNeeded();
    const box = await page.locator('#draw').boundingBox(),
        at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
    for (const [first, ...rest] of strokes) {
        await page.mouse.move(...at(first));
        await page.mouse.down();
        for (const point of rest) await page.mouse.move(...at(point));
        await page.mouse.up();
    }
}
