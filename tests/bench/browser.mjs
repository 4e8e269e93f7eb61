// npu_rt beside tfjs-tflite and LiteRT.js in Chromium, in turns:
//     node tests/bench/browser.mjs [MODEL...] [--only TEXT[,TEXT...]] [--rounds N] [--threads N] [--isa NAME] [--json | --markdown]
//
// Every round of every engine has a browser context of its own, cross-origin-isolated, with nothing in its cache. It fetches
// engine and model from this machine, and goes on to the first result (first ms); then it runs for a while (the median counts;
// of the rounds, the median of these). Inputs come from seed 0, and of integers wider than 8 bits their two low bits: most are
// indices. --threads is for all of them. `make bench-browser` installs the peers (npm,
// peers/package-lock.json) and builds the page. '-': the engine does not run that model; stderr says why.
import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {basename, extname, join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {load, Model} from '../../build/web/npu_rt.mjs';
import {serve} from '../../web/serve.mjs';
import {launch, MODELS, PAGE, ROOT} from '../web/browser.mjs';
import {median} from './browser_page.mjs';

const {values: options, positionals} = parseArgs({
    allowPositionals: true,
    options: {
        only: {type: 'string', default: ''},
        rounds: {type: 'string', default: '3'},
        threads: {type: 'string', default: '1'},
        isa: {type: 'string', default: 'auto'},
        json: {type: 'boolean'},
        markdown: {type: 'boolean'},
    },
});
const ENGINES = ['npu_rt', 'tfjs-tflite', 'LiteRT.js'],
    [OURS, ...PEERS] = ENGINES,
    THREADS = Number(options.threads),
    BUILT = join(ROOT, 'build/bench/'), // the peers
    TYPES = {'.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm'};
const FOLDERS = {
    npu_rt: PAGE,
    'tfjs-tflite': join(BUILT, 'node_modules/@tensorflow/tfjs-tflite/wasm/'),
    litert: join(BUILT, 'litert/'),
};
const note = (text) => process.stderr.write(`${text}\n`);

// ---- what the page is served ----

let serving = {inputs: []};

/** The page, its script, the engines, models by their place in the list, and inputs of the one that runs. */
async function answer(request, response) {
    const {pathname} = new URL(request.url, 'http://localhost'),
        [, folder, ...rest] = pathname.split('/');
    const headers = {
        'Cache-Control': 'no-store',
        // Isolated: a page that may have threads, and has a finer clock.
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
    };
    const send = (type, body) => {
        response.writeHead(200, {...headers, 'Content-Type': type});
        response.end(body);
        return true;
    };
    if (pathname === '/') return send('text/html', '<!doctype html><title>bench</title>');
    if (pathname === '/bench.mjs') {
        return send('text/javascript', await readFile(new URL('browser_page.mjs', import.meta.url)));
    }
    if (folder === 'model') return send('application/octet-stream', await readFile(serving.path));
    if (folder === 'inputs') return send('application/octet-stream', serving.inputs[Number(rest[0])].bytes);
    if (!FOLDERS[folder]) return false;
    const file = join(FOLDERS[folder], ...rest);
    return send(TYPES[extname(file)] ?? 'application/octet-stream', await readFile(file));
}

// ---- models ----

function paths() {
    const shipped = join(ROOT, 'examples/digits/');
    const given = positionals.length
        ? positionals.map((p) => resolve(p))
        : [...(existsSync(MODELS) ? readdirSync(MODELS).map((f) => join(MODELS, f)) : []),
           ...readdirSync(shipped).map((f) => join(shipped, f))];
    return given
        .filter((p) => p.endsWith('.tflite') && options.only.split(',').some((text) => basename(p).includes(text)))
        .sort();
}

/** Bytes of every input of a model: those of seed 0. */
async function inputsOf(path, runtime) {
    const model = Model.open(await readFile(path), runtime);
    try {
        return model
            .plan()
            .session()
            .inputs.map((tensor, i) => {
                tensor.fill(0, i);
                const data = tensor.data;
                if (tensor.type.includes('INT') && !tensor.type.endsWith('INT8')) {
                    const one = data[0]?.constructor ?? Number;
                    for (let k = 0; k < data.length; k++) data[k] &= one(3);
                }
                const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
                return {type: tensor.type, shape: tensor.shape, bytes};
            });
    } finally {
        model.close();
    }
}

// ---- measuring ----

async function once(browser, url, name) {
    const context = await browser.newContext(),
        page = await context.newPage();
    try {
        await page.goto(url);
        const inputs = serving.inputs.map(({type, shape}) => ({type, shape}));
        return await page.evaluate(
            async (job) => (await import('/bench.mjs')).measure(job),
            {name, model: '/model', inputs, options: {threads: THREADS, isa: options.isa, warmupMs: 700, budgetMs: 700}},
        );
    } catch (e) {
        return {refused: e.message.split('\n')[0].slice(0, 200)};
    } finally {
        await context.close();
    }
}

/** The largest difference of outputs from ours, of their largest number. */
function difference(ours, theirs) {
    if (ours.length !== theirs.length) return null;
    return Math.max(
        ...ours.map((a, i) => {
            const most = Math.max(...a.map(Math.abs), 1e-30);
            return a.length === theirs[i].length ? Math.max(...a.map((v, k) => Math.abs(v - theirs[i][k]))) / most : 1;
        }),
    );
}

/** One row: figures by engine, and why the others refused. */
async function measure(browser, url, path, runtime) {
    const found = {},
        row = {model: basename(path, '.tflite'), path, engines: {}, refused: {}};
    try {
        serving = {path, inputs: await inputsOf(path, runtime)};
    } catch (e) {
        return {...row, refused: {[OURS]: e.message}, ratio: null, ratio_first: null}; // inputs are npu_rt's
    }
    for (let i = 0; i < Number(options.rounds); i++) {
        for (const name of i % 2 ? ENGINES.toReversed() : ENGINES) {
            if (row.refused[name]) continue;
            const one = await once(browser, url, name);
            if (one.refused) row.refused[name] = one.refused;
            else (found[name] ??= []).push(one);
        }
    }
    for (const [name, rounds] of Object.entries(found)) {
        if (row.refused[name]) continue;
        row.engines[name] = {
            ms: median(rounds.map((r) => r.ms)),
            first_result_ms: median(rounds.map((r) => r.first_result_ms)),
            isa: rounds[0].isa,
            difference: name !== OURS && found[OURS] ? difference(found[OURS][0].outputs, rounds[0].outputs) : undefined,
        };
    }
    const ahead = (key) => {
        const peers = PEERS.flatMap((name) => row.engines[name]?.[key] ?? []);
        return row.engines[OURS] && peers.length ? Math.min(...peers) / row.engines[OURS][key] : null;
    };
    return {...row, ratio: ahead('ms'), ratio_first: ahead('first_result_ms')};
}

// ---- printing ----

const ms = (v) => (v === undefined ? '-' : v < 1 ? v.toFixed(4) : v < 100 ? v.toFixed(2) : v.toFixed(0)),
    times = (v) => (v === null || v === undefined || Number.isNaN(v) ? '-' : v.toFixed(2));
const geometric = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);
const TITLES = ['network', 'class', ...ENGINES.map((n) => `${n} ms`), 'peer / npu_rt', ...ENGINES.map((n) => `${n} first ms`),
    'first, peer / npu_rt'];
const cells = (row) => [
    row.model,
    row.class,
    ...ENGINES.map((n) => ms(row.engines[n]?.ms)),
    times(row.ratio),
    ...ENGINES.map((n) => ms(row.engines[n]?.first_result_ms)),
    times(row.ratio_first),
];

function classesOf(rows) {
    return [...new Set(rows.map((r) => r.class))].sort().map((name) => {
        const mine = rows.filter((r) => r.class === name && r.ratio),
            least = mine.toSorted((a, b) => a.ratio - b.ratio)[0];
        return {
            class: name,
            networks: mine.length,
            ratio: geometric(mine.map((r) => r.ratio)),
            ratio_first: geometric(mine.map((r) => r.ratio_first)),
            least: least && {model: least.model, ratio: least.ratio},
        };
    });
}

function print(rows, about) {
    const table = [TITLES, ...rows.map(cells)],
        summary = classesOf(rows).map(
            (c) =>
                `${c.class}: ${c.networks} networks, the faster peer / npu_rt ${times(c.ratio)} (geometric mean; above 1 npu_rt ` +
                `is ahead)${c.least ? `, least ${times(c.least.ratio)} (${c.least.model})` : ''}; to the first result ` +
                times(c.ratio_first),
        );
    console.log(`${about}\n`);
    if (options.markdown) {
        table.splice(1, 0, TITLES.map((_, i) => (i > 1 ? '---:' : '---')));
        console.log(table.map((line) => `| ${line.join(' | ')} |`).join('\n'));
    } else {
        const widths = TITLES.map((_, i) => Math.max(...table.map((line) => line[i].length)));
        const padded = (line) => line.map((c, i) => (i > 1 ? c.padStart(widths[i]) : c.padEnd(widths[i]))).join('  ');
        console.log(table.map(padded).join('\n'));
    }
    console.log(`\n${summary.join('\n')}`);
}

async function main() {
    const missing = [join(PAGE, 'npu_rt.mjs'), FOLDERS['tfjs-tflite'], FOLDERS.litert].filter((f) => !existsSync(f));
    if (missing.length) {
        note(`${missing[0]} is missing: make bench-browser`);
        return 2;
    }
    const models = paths();
    if (!models.length) {
        note('no such model');
        return 2;
    }
    const kinds = JSON.parse(execFileSync('python3', [join(ROOT, 'tests/bench/classes.py'), ...models])),
        runtime = await load(),
        browser = await launch(),
        server = await serve(PAGE, {extra: answer}),
        rows = [];
    for (const [i, path] of models.entries()) {
        const row = {class: kinds[path], ...(await measure(browser, server.url, path, runtime))};
        rows.push(row);
        note(`[${i + 1}/${models.length}] ${cells(row).join(' ')}`);
        for (const [name, why] of Object.entries(row.refused)) note(`        ${name}: ${why}`);
    }
    const about = `Chromium ${browser.version()}, ${THREADS} thread${THREADS > 1 ? 's each' : ''}, ${options.rounds} rounds`;
    await browser.close();
    await server.close();
    if (options.json) console.log(JSON.stringify({about, classes: classesOf(rows), networks: rows}, null, 1));
    else print(rows, about);
    return rows.every((r) => r.engines[OURS]) ? 0 : 1;
}

process.exitCode = await main();
