// The npm package as users have it: packed, installed without a registry, and used by node, TypeScript, esbuild, vite and a
// page. `make npm` comes before. Integers have to be those of the command line.
import {execFileSync, spawnSync} from 'node:child_process';
import {copyFile, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {build as esbuild} from 'esbuild';
import {build as vite, createServer} from 'vite';
import {serve} from '../../web/serve.mjs';
import {readNpy} from '../../build/web/npy.mjs';
import {Checks, launch, ROOT} from './browser.mjs';

const WORK = join(ROOT, 'build/test/npm'),
    PACKAGE = join(WORK, 'node_modules/npu_rt'),
    HERE = join(ROOT, 'tests/web/npm'),
    MODEL = 'digits_int8.tflite',
    checks = new Checks();

/** Seed 7, as the command line computes it. */
async function expected() {
    execFileSync(join(ROOT, 'build/npu_rt'), ['run', MODEL, '--seed', '7', '--output-dir', 'expected'], {
        cwd: WORK,
        stdio: 'pipe',
    });
    return [...new Int8Array(readNpy(await readFile(join(WORK, 'expected/0.npy'))).bytes.buffer)].join();
}

function compare(answer, want, who) {
    if (!checks.ok(answer && !answer.failed, `${who}: ${answer?.failed ?? 'no answer'}`)) return;
    checks.equal(answer.here.values.join(), want, `${who}: integers`);
    checks.equal(
        answer.here.real.join(),
        want
            .split(',')
            .map((q) => (Number(q) + 128) / 256)
            .join(),
        `${who}: real numbers`,
    );
    checks.equal(answer.here.stored, 0, `${who}: setReal(0.5) by scale 1/16 and zero point -8`);
    checks.ok(answer.steps > 0, `${who}: progress`);
    checks.equal(answer.worker.first.join(), want, `${who}: integers of the worker`);
    checks.equal(answer.worker.stopped, 'AbortError CANCELLED', `${who}: an aborted run`);
    checks.equal(answer.worker.behind.join(), want, `${who}: the run after it`);
    checks.equal(answer.worker.misuse, 'TypeError INVALID_ARGUMENT', `${who}: the class of an error`);
    checks.equal(answer.worker.report, 8, `${who}: a report`);
    checks.equal(answer.worker.closed, 'NpuError INVALID_ARGUMENT', `${who}: closed`);
    const {same, one, two, because, isolated} = answer.threads;
    checks.equal(same, 1, `${who}: two threads compute what one does`);
    checks.equal(one, '1 1', `${who}: one thread`);
    checks.equal(two, isolated ? '2 2' : '1 1', `${who}: two threads (${because})`);
    checks.ok(isolated ? because === 'null' : /isolated/.test(because), `${who}: why not: ${because}`);
    checks.equal(answer.npy, '5,0,0,0,6,0,0,0', `${who}: .npy`);
}

/** What a bundle without its own way for them needs beside it. */
const BESIDE = [...['npu_rt', 'npu_rt_relaxed', 'npu_rt_threads', 'npu_rt_threads_relaxed'].map((name) => `${name}.wasm`), 'thread_worker.mjs'];

let want = '';

await checks.test('installs without a registry', async () => {
    await rm(WORK, {recursive: true, force: true});
    await mkdir(WORK, {recursive: true});
    const {version} = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')),
        tarball = join(ROOT, `build/npu_rt-${version}.tgz`);
    await writeFile(join(WORK, 'package.json'), '{"private": true, "type": "module"}\n');
    const offline = {...process.env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_offline: 'true'};
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', tarball], {
        cwd: WORK,
        env: offline,
        stdio: 'pipe',
    });
    const about = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')),
        files = (await readdir(PACKAGE)).sort();
    checks.equal(
        (await readdir(join(WORK, 'node_modules'))).filter((f) => f[0] !== '.').join(),
        'npu_rt',
        'no dependencies',
    );
    checks.equal(about.scripts, undefined, 'no scripts that run on installing');
    for (const file of ['README.md', 'LICENSE']) checks.ok(files.includes(file), file);
    const named = JSON.stringify(about.exports)
        .match(/\.\/[\w.]+\.\w+/g)
        .map((path) => path.slice(2));
    for (const file of named) checks.ok(files.includes(file), `${file} is exported and there`);
    checks.equal(
        about.version,
        /NPU_RT_VERSION "(.*)"/.exec(await readFile(join(ROOT, 'src/npu.h'), 'utf8'))[1],
        'version',
    );
    const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
    for (const name of [
        'openModel',
        'WorkerModel',
        'setReal',
        'AbortSignal',
        'optimizeDeps',
        'remote_worker.mjs',
        'thread_worker.mjs',
        'oneThreadBecause',
        'npu_rt/worker',
        'npu_rt/npy',
        'npu_rt/min',
    ])
        checks.ok(readme.includes(name), `the README speaks of ${name}`);
    const unpacked = (await Promise.all(files.map((f) => stat(join(PACKAGE, f))))).reduce((n, s) => n + s.size, 0);
    console.log(`npm package: ${(await stat(tarball)).size} bytes packed, ${unpacked} unpacked, ${files.length} files`);
    await copyFile(join(ROOT, 'examples/digits', MODEL), join(WORK, MODEL));
    await copyFile(join(HERE, 'app.mjs'), join(WORK, 'app.mjs'));
    await copyFile(join(HERE, 'typed.ts'), join(WORK, 'typed.mts'));
    want = await expected();
});

await checks.test('node', async () => {
    const run = (file) => {
        const p = spawnSync(process.execPath, [file], {cwd: WORK, encoding: 'utf8', timeout: 60000});
        checks.equal(p.status, 0, `${file} ends by itself: ${p.stderr.slice(0, 300)}`);
        return JSON.parse(p.stdout.trim().split('\n').at(-1) || 'null');
    };
    compare(run('app.mjs'), want, 'node');
    await esbuild({
        entryPoints: [
            {in: join(WORK, 'app.mjs'), out: 'app'},
            {in: join(PACKAGE, 'remote_worker.mjs'), out: 'remote_worker'},
        ],
        outdir: join(WORK, 'node_bundle'),
        outExtension: {'.js': '.mjs'},
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        logLevel: 'warning',
    });
    for (const file of BESIDE) await copyFile(join(PACKAGE, file), join(WORK, 'node_bundle', file));
    compare(run('node_bundle/app.mjs'), want, 'node, bundled by esbuild');
});

await checks.test('TypeScript', async () => {
    for (const [module, resolution] of [
        ['node16', 'node16'],
        ['nodenext', 'nodenext'],
        ['esnext', 'bundler'],
    ]) {
        const flags = [
                '--strict',
                '--noEmit',
                '--exactOptionalPropertyTypes',
                '--noUncheckedIndexedAccess',
                '--target',
                'es2022',
            ],
            p = spawnSync(
                process.execPath,
                [
                    join(ROOT, 'node_modules/typescript/bin/tsc'),
                    ...flags,
                    '--module',
                    module,
                    '--moduleResolution',
                    resolution,
                    'typed.mts',
                ],
                {cwd: WORK, encoding: 'utf8'},
            );
        checks.equal(p.stdout + p.stderr, '', `strict, ${resolution}`);
    }
});

const html = (script) =>
    `<!doctype html><meta charset="utf-8"><title>npu_rt</title><script type="module" src="${script}"></script>\n`;

await checks.test('pages', async () => {
    const browser = await launch();
    const visit = async (url, who) => {
        const page = await browser.newPage(),
            problems = [];
        page.on('pageerror', (e) => problems.push(e.message));
        page.on('console', (m) => m.type() === 'error' && !/favicon|404/.test(m.text()) && problems.push(m.text()));
        await page.goto(url);
        const answer = await page
            .waitForFunction(() => globalThis.answer, null, {timeout: 30000})
            .then(
                (a) => a.jsonValue(),
                (e) => ({failed: `${e.message} ${problems.join(' | ')}`}),
            );
        compare(answer, want, who);
        checks.equal(problems.join(' | '), '', `${who}: errors on the console`);
        await page.close();
        return answer;
    };
    /** With serve.mjs's Content-Security-Policy. */
    const served = async (folder, who) => {
        await copyFile(join(WORK, MODEL), join(folder, MODEL));
        const {url, close} = await serve(folder);
        await checks.test(who, () => visit(url, who));
        await close();
    };

    const plain = join(WORK, 'plain'),
        app = await readFile(join(WORK, 'app.mjs'), 'utf8'),
        paths = {
            "'npu_rt/worker'": "'./npu_rt/remote.mjs'",
            "'npu_rt/npy'": "'./npu_rt/npy.mjs'",
        };
    await mkdir(join(plain, 'npu_rt'), {recursive: true});
    for (const file of await readdir(PACKAGE)) await copyFile(join(PACKAGE, file), join(plain, 'npu_rt', file));
    await writeFile(join(plain, 'index.html'), html('app.mjs'));
    for (const main of ['npu_rt.mjs', 'npu_rt.min.mjs']) {
        paths["'npu_rt'"] = `'./npu_rt/${main}'`;
        await writeFile(
            join(plain, 'app.mjs'),
            app.replace(/from ('npu_rt.*')/g, (_, name) => `from ${paths[name]}`),
        );
        await served(plain, `page without a bundler, ${main}`);
    }

    const es = join(WORK, 'esbuild');
    await esbuild({
        entryPoints: [
            {in: join(WORK, 'app.mjs'), out: 'app'},
            {in: join(PACKAGE, 'remote_worker.mjs'), out: 'remote_worker'},
        ],
        outdir: es,
        outExtension: {'.js': '.mjs'},
        bundle: true,
        minify: true,
        format: 'esm',
        target: 'es2022',
        logLevel: 'warning',
    });
    for (const file of BESIDE) await copyFile(join(PACKAGE, file), join(es, file));
    await writeFile(join(es, 'index.html'), html('app.mjs'));
    await served(es, 'page bundled by esbuild');

    await writeFile(join(WORK, 'index.html'), html('/app.mjs'));
    await rm(join(WORK, 'public'), {recursive: true, force: true});
    const common = {root: WORK, configFile: false, logLevel: 'error'};
    await vite({...common, build: {outDir: 'vite', target: 'es2022'}});
    const assets = await readdir(join(WORK, 'vite/assets'));
    checks.equal(assets.filter((f) => f.endsWith('.wasm')).length, 4, `vite found the modules: ${assets}`);
    await served(join(WORK, 'vite'), 'page bundled by vite');

    const dev = await createServer({
        ...common,
        cacheDir: join(WORK, '.vite'),
        server: {port: 0, host: '127.0.0.1'},
        optimizeDeps: {exclude: ['npu_rt']},
    });
    await dev.listen();
    await checks.test('vite, developing', () =>
        visit(`http://127.0.0.1:${dev.httpServer.address().port}/`, 'vite, developing'),
    );
    await dev.close();
    await browser.close();
});

checks.end();
