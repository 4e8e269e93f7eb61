// Runs models on .npy inputs in the browser's worker or in node, and writes the outputs as .npy files:
//     node tests/web/conformance.mjs --where chromium|node --jobs jobs.json [--isa NAME]
// jobs.json: [{model, inputs: [.npy paths], outDir, subgraph?}]. A job that fails writes outDir/error.txt:
// "exitCode rule text". Such a job counts as failed unless it says "fails": true.
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

const {values: options} = parseArgs({
    options: {
        where: {type: 'string', default: 'node'},
        jobs: {type: 'string'},
        isa: {type: 'string', default: 'auto'},
    },
});
if (!options.jobs || !['chromium', 'node'].includes(options.where)) {
    console.error('usage: node tests/web/conformance.mjs --where chromium|node --jobs jobs.json [--isa NAME]');
    process.exit(2);
}
const jobs = JSON.parse(await readFile(options.jobs, 'utf8')),
    describe = (e) => ({exitCode: e.exitCode ?? 1, rule: e.rule ?? 'test', text: e.text ?? e.message});

async function inNode() {
    const {conform} = await import('../../build/web/engine.mjs');
    return {
        async run(job) {
            try {
                const files = await Promise.all(job.inputs.map((path) => readFile(path)));
                return {outputs: await conform(await readFile(job.model), files, job.subgraph ?? 0, options.isa)};
            } catch (e) {
                return {error: describe(e)};
            }
        },
        async close() {},
    };
}

/** Files travel over the page's own server: /job/N/model, /job/N/in/I and, back, /job/N/out/I. */
async function inChromium() {
    const {launch, servePage} = await import('./browser.mjs');
    const received = new Map();
    const extra = async (request, response) => {
        const [, job, kind, i] = /^\/job\/(\d+)\/(model|in|out)\/(\d+)$/.exec(request.url) ?? [];
        if (job === undefined) return false;
        if (kind === 'out') {
            const parts = [];
            for await (const part of request) parts.push(part);
            received.set(`${job}/${i}`, Buffer.concat(parts));
            response.writeHead(204).end();
        } else {
            const body = await readFile(kind === 'model' ? jobs[job].model : jobs[job].inputs[i]);
            response.writeHead(200, {'Content-Type': 'application/octet-stream'}).end(body);
        }
        return true;
    };
    const {url, close} = await servePage(extra),
        browser = await launch(),
        page = await browser.newPage();
    await page.goto(url);
    await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Ready'));
    await page.evaluate(async () => {
        const {Client} = await import('./client.mjs');
        globalThis.client = new Client();
    });
    return {
        async run(job, index) {
            const result = await page.evaluate(
                async ({index, inputs, subgraph, isa}) => {
                    const get = async (path) => {
                        const response = await fetch(path);
                        if (!response.ok) throw new Error(`${path}: ${response.status}`);
                        return new Uint8Array(await response.arrayBuffer());
                    };
                    try {
                        const files = [];
                        for (let i = 0; i < inputs; i++) files.push(await get(`/job/${index}/in/${i}`));
                        const outputs = await globalThis.client.call(
                            'conform',
                            await get(`/job/${index}/model/0`),
                            files,
                            subgraph,
                            isa,
                        );
                        for (const [i, body] of outputs.entries())
                            await fetch(`/job/${index}/out/${i}`, {method: 'PUT', body});
                        return {count: outputs.length};
                    } catch (e) {
                        return {
                            error: {exitCode: e.exitCode ?? 1, rule: e.rule ?? 'test', text: e.text ?? e.message},
                        };
                    }
                },
                {index, inputs: job.inputs.length, subgraph: job.subgraph ?? 0, isa: options.isa},
            );
            return result.error
                ? result
                : {outputs: Array.from({length: result.count}, (_, i) => received.get(`${index}/${i}`))};
        },
        async close() {
            await browser.close();
            await close();
        },
    };
}

const engine = await (options.where === 'node' ? inNode() : inChromium());
let passed = 0,
    failed = 0;
for (const [index, job] of jobs.entries()) {
    await rm(join(job.outDir, 'error.txt'), {force: true});
    await mkdir(job.outDir, {recursive: true});
    const {outputs, error} = await engine.run(job, index);
    if (error) {
        await writeFile(join(job.outDir, 'error.txt'), `${error.exitCode} ${error.rule} ${error.text}\n`);
        if (!job.fails) console.log(`${job.model}: ${error.exitCode} ${error.rule} ${error.text}`);
    } else for (const [i, file] of outputs.entries()) await writeFile(join(job.outDir, `${i}.npy`), file);
    if (Boolean(error) === Boolean(job.fails)) passed++;
    else failed++;
}
await engine.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed || !passed ? 1 : 0;
