// The border between the module and JavaScript: what both sides make of web/border.h.
import {readdir, readFile} from 'node:fs/promises';
import {failure, PAGE} from './browser.mjs';

const {EXIT_CODES, FORMATS, ISAS, MAX_RANK, RECORDS, REPORTS} = await import(`${PAGE}border.mjs`);
const {readRecord, recordBytes, writeRecord} = await import(`${PAGE}records.mjs`);
const {Model, NpuError} = await import(`${PAGE}npu_rt.mjs`);

/** A different number for each place of a record. */
function numbered(name) {
    let next = 0;
    const number = (type) => ((next += 1), type === 'real' ? next * 2 ** 40 + 0.5 : type === 'word' ? 2 ** 31 + next : next);
    return Object.fromEntries(
        RECORDS[name].map(([field, type]) => [
            field,
            type === 'dims' ? Array.from({length: MAX_RANK}, () => -number('whole')) : number(type),
        ]),
    );
}

function records(checks) {
    for (const name of Object.keys(RECORDS)) {
        const bytes = recordBytes(name),
            buffer = new ArrayBuffer(bytes + 16),
            values = numbered(name);
        new Uint8Array(buffer).fill(0xee);
        writeRecord(buffer, 8, name, values);
        checks.equal(JSON.stringify(readRecord(buffer, 8, name)), JSON.stringify(values), `${name} there and back`);
        const around = new Uint8Array(buffer);
        checks.ok(around[7] === 0xee && around[bytes + 8] === 0xee, `${name}: nothing is written beside its ${bytes} bytes`);
        checks.equal(new Set(RECORDS[name].map(([field]) => field)).size, RECORDS[name].length, `${name}: names`);
    }
    const at = (name) => RECORDS.diag.findIndex(([field]) => field === name);
    checks.ok(at('file_offset') % 2 === 1, 'diag has a double that has to be moved to its alignment'); // else the rule is untested
    checks.equal(recordBytes('shape'), 4 * (3 + MAX_RANK), 'npu_input_shape');
}

/** Exports that the scripts call are there, and there are no others. */
async function calls(checks) {
    const scripts = (await readdir(PAGE)).filter((file) => file.endsWith('.mjs')),
        text = (await Promise.all(scripts.map((file) => readFile(PAGE + file, 'utf8')))).join('\n'),
        called = new Set(text.match(/\bnpuw_\w+/g));
    for (const file of (await readdir(PAGE)).filter((name) => name.endsWith('.wasm'))) {
        const module = await WebAssembly.compile(await readFile(PAGE + file)).catch(() => null);
        if (!module) continue;
        const exported = WebAssembly.Module.exports(module)
            .map((e) => e.name)
            .filter((name) => name.startsWith('npuw_'));
        // The probe is for relaxed instructions only, the crew for threads.
        const elsewhere = ['npuw_probe', ...(file.includes('threads') ? [] : ['npuw_crew', 'npuw_join', 'npuw_work', 'npuw_lost'])];
        for (const name of called) checks.ok(exported.includes(name) || elsewhere.includes(name), `${file} exports ${name}`);
        for (const name of exported) checks.ok(called.has(name), `${name} of ${file} is called`);
    }
    for (const old of ['words(', 'doubles(', 'setUint32(4'])
        checks.ok(!text.includes(`.${old}`), `no place in a record is counted by hand: ${old}`);
}

export async function testBorder(checks, runtime, bytes) {
    await checks.test('records', () => records(checks));
    await checks.test('exports', () => calls(checks));
    await checks.test('names and numbers', () => {
        checks.equal(FORMATS.join(), 'text,json,markdown,dot,html', 'formats');
        const model = runtime.open(bytes),
            judge = {backend: 'ethos-u55-128'};
        for (const report of REPORTS) {
            const choice = {lower: {backend: 'neuron'}, planReport: {backend: 'mdla3.0'}}[report] ?? judge,
                ask = () => (report === 'ops' ? runtime.backendOps(choice) : model[report](choice)),
                plain = () => model[report](),
                got = failure(['info', 'dump', 'stream', 'compare'].includes(report) ? plain : ask);
            checks.ok(!got || (report === 'stream' && got.rule === 'ethos_u.no_stream'), `report ${report}: ${got}`);
        }
        for (const isa of ['scalar', runtime.isa])
            checks.equal(model.plan({isa}).isa, isa, `${isa} is instruction set ${ISAS[isa]} on both sides`);
        const deep = failure(() => model.plan({inputShapes: [{input: 0, shape: Array(MAX_RANK).fill(2)}]}));
        checks.ok(deep instanceof NpuError && deep.rule !== 'web.rank', `a shape of ${MAX_RANK} dimensions arrives: ${deep}`);
        const error = failure(() => Model.open(bytes.subarray(0, 500)));
        checks.equal(error.exitCode, EXIT_CODES[error.status], `exit code of ${error.status}`);
        checks.equal(new NpuError({status: 'LIMIT', rule: 'x.y', text: 'z'}).exitCode, EXIT_CODES.LIMIT, 'of our own errors');
        model.close();
    });
}
