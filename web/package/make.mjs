// Makes the npm package: node web/package/make.mjs BUILT_PAGE TARGET. What goes in is what its entries import; types come
// from the comments, through TypeScript.
import {execFileSync} from 'node:child_process';
import {chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url)),
    [built, target] = process.argv.slice(2);

/** What users import, and the file behind it. */
const ENTRIES = {'.': 'npu_rt.mjs', './worker': 'remote.mjs', './npy': 'npy.mjs'};
const MIN = 'npu_rt.min.mjs'; // the first of them as one file
const WORKERS = ['remote_worker.mjs', 'thread_worker.mjs']; // found by their addresses, for bundlers that need them named
const MODULES = ['npu_rt.wasm', 'npu_rt_relaxed.wasm', 'npu_rt_threads.wasm', 'npu_rt_threads_relaxed.wasm'];

/** The entries and everything they import, in a stable order. */
async function scripts() {
    const found = new Set([...Object.values(ENTRIES), ...WORKERS]);
    for (const file of found)
        for (const [, other] of (await readFile(join(built, file), 'utf8')).matchAll(
            /^(?:import|export) [^;]*?from '\.\/([^']+)';$/gm,
        ))
            found.add(other);
    return [...found].sort();
}

const types = (file) => `./${file.replace(/\.mjs$/, '.d.mts')}`;

function manifest({name, version, description, license}, files, modules) {
    const entry = (file) => ({types: types(file), default: `./${file}`});
    return {
        name,
        version,
        description,
        keywords: ['tflite', 'litert', 'tensorflow-lite', 'npu', 'ethos-u', 'vela', 'webassembly', 'inference'],
        license,
        type: 'module',
        sideEffects: WORKERS.map((file) => `./${file}`),
        engines: {node: '>=18'},
        main: `./${ENTRIES['.']}`,
        types: types(ENTRIES['.']),
        exports: {
            ...Object.fromEntries(Object.entries(ENTRIES).map(([path, file]) => [path, entry(file)])),
            './min': {types: types(ENTRIES['.']), default: `./${MIN}`},
            ...Object.fromEntries(WORKERS.map((file) => [`./${file}`, `./${file}`])),
            ...Object.fromEntries(modules.map((file) => [`./${file}`, `./${file}`])),
            './package.json': './package.json',
        },
        files,
    };
}

/** Declarations of the entries, and of what they speak of. */
function declare() {
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc', {paths: [ROOT]}),
        flags =
            '--allowJs --declaration --emitDeclarationOnly --target es2022 --module nodenext ' +
            '--lib es2022,dom --skipLibCheck';
    execFileSync(
        process.execPath,
        [tsc, ...flags.split(' '), '--outDir', target, ...Object.values(ENTRIES).map((f) => join(built, f))],
        {
            stdio: 'inherit',
        },
    );
}

const files = await scripts();
await rm(target, {recursive: true, force: true});
await mkdir(target, {recursive: true});
const modules = (await readdir(built)).filter((name) => MODULES.includes(name));
for (const file of [...files, MIN, ...modules]) {
    await copyFile(join(built, file), join(target, file));
    await chmod(join(target, file), 0o644);
}
await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
await copyFile(join(dirname(fileURLToPath(import.meta.url)), 'README.md'), join(target, 'README.md'));
declare();
for (const file of (await readdir(target)).filter((name) => name.endsWith('.d.mts'))) {
    const text = await readFile(join(target, file), 'utf8');
    // TypeScript's --stripInternal keeps them where the source is JavaScript.
    await writeFile(join(target, file), text.replace(/^ *\/\*\* @internal \*\/\n.*\n/gm, ''));
}
for (const file of Object.values(ENTRIES)) await stat(join(target, types(file)));
const about = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
await writeFile(
    join(target, 'package.json'),
    `${JSON.stringify(manifest(about, ['*.mjs', '*.d.mts', ...modules, 'README.md', 'LICENSE'], modules), null, 2)}\n`,
);
