// Model.planReport: how a vendor's compiler would execute a model; the same as the command line says, whatever the planner is told.
import {execFileSync} from 'node:child_process';
import {access, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {failure, PAGE, ROOT} from './browser.mjs';

const {load, NpuError} = await import(`${PAGE}npu_rt.mjs`),
    {WorkerModel} = await import(`${PAGE}remote.mjs`);
const DIGITS = (kind) => join(ROOT, `examples/digits/digits_${kind}.tflite`),
    runtime = await load(),
    files = {int8: await readFile(DIGITS('int8')), float32: await readFile(DIGITS('float32'))},
    FUSION = 'A: CONV MATH1 ACT1|ACT2 POOL\n',
    PLANNERS = runtime.backends().filter((name) => runtime.plans(name));

/** What a planner is told: options here, and those of the command line. */
const TOLD = [
    [{}, []],
    [{relaxFp32: true}, ['--relax-fp32']],
    [{suppressInputConversion: true}, ['--suppress-input-conversion']],
    [{suppressOutputConversion: true}, ['--suppress-output-conversion']],
    [{transposeConv: 'software'}, ['--transpose-conv', 'software']],
    [{transposeConv: 'hardware'}, ['--transpose-conv', 'hardware']],
    [{clockHz: 912.5e6}, ['--clock', '912.5']],
    [{weightBytes: 4096}, ['--weight-storage', '4096']],
    [{mvpu: ['SOFTMAX', 'RESHAPE']}, ['--mvpu', 'SOFTMAX,RESHAPE']],
    [{mvpu: []}, []],
    [{fusionRules: FUSION}, ['--fusion-rules', 'FUSION']],
    [{suppressInputConversion: true, relaxFp32: true, clockHz: 1e9}, ['--suppress-input-conversion', '--relax-fp32', '--clock', '1000']],
];

async function sameAsCommandLine(checks) {
    const command = join(ROOT, 'build/npu_rt'),
        there = await access(command).then(
            () => true,
            () => false,
        ),
        folder = await mkdtemp(join(tmpdir(), 'npu_rt_plan_')),
        rules = join(folder, 'rules.txt');
    if (!there) console.log('note: no build/npu_rt: plans are not held against the command line');
    await writeFile(rules, FUSION);
    checks.ok(PLANNERS.includes('mdla1.5') && PLANNERS.includes('mdla3.0') && !PLANNERS.includes('neuron'), `planners: ${PLANNERS}`);
    for (const kind of Object.keys(files)) {
        const model = runtime.open(files[kind]);
        for (const backend of PLANNERS)
            for (const [options, args] of TOLD) {
                const what = `${kind} on ${backend} ${JSON.stringify(options)}`,
                    text = model.planReport({backend, ...options, format: 'text'}),
                    report = model.planReport({backend, ...options});
                checks.equal(report.backend, backend, what);
                checks.equal(report.summary.seconds_at_least !== undefined, options.clockHz !== undefined, `${what}: a time with a clock`);
                if (!there) continue;
                const asked = ['plan', DIGITS(kind), '--backend', backend, ...args.map((arg) => (arg === 'FUSION' ? rules : arg))];
                checks.equal(text, execFileSync(command, asked, {encoding: 'utf8'}), `${what}, as on the command line`);
                const json = JSON.parse(execFileSync(command, [...asked, '--json'], {encoding: 'utf8'}));
                checks.equal(JSON.stringify(report), JSON.stringify(json), `${what}, as JSON`);
            }
        model.close();
    }
    await rm(folder, {recursive: true});
}

/** Options arrive: each changes what it is about. */
function told(checks) {
    const float = runtime.open(files.float32),
        int8 = runtime.open(files.int8),
        sum = (model, options) => model.planReport({backend: 'mdla3.0', ...options}).summary;
    checks.equal(sum(float, {}).ops_placed, 0, 'FP32 is nothing for the MDLA');
    const relaxed = sum(float, {relaxFp32: true});
    checks.ok(relaxed.ops_placed > 0, 'but as FP16');
    checks.equal(sum(float, {profile: 'guide-relax-fp32'}).ops_placed, relaxed.ops_placed, 'the same by the name of its rules');
    checks.ok(sum(float, {relaxFp32: true, suppressInputConversion: true}).convert_bytes < relaxed.convert_bytes, 'inputs as they are');
    checks.ok(sum(float, {relaxFp32: true, suppressOutputConversion: true}).convert_bytes < relaxed.convert_bytes, 'outputs as they are');
    const timed = sum(int8, {clockHz: 2e6});
    checks.ok(Math.abs(timed.seconds_at_least - timed.cycles_at_least / 2e6) < 1e-9, `cycles at a clock: ${JSON.stringify(timed)}`);
    const devices = (options) => int8.planReport({backend: 'mdla1.5', ...options}).subgraphs[0].ops.map((op) => op.device);
    checks.ok(devices({mvpu: ['SOFTMAX']}).includes('MVPU') && !devices({}).includes('MVPU'), 'operators for the MVPU');
    float.close();
    int8.close();
}

/** A comparison bounds what the planner bounds, at the same clock and by the same rules. */
function bounds(checks) {
    for (const kind of Object.keys(files))
        for (const choice of [{}, {relaxFp32: true}, {clockHz: 5e8}, {relaxFp32: true, clockHz: 5e8}]) {
            const model = runtime.open(files[kind]);
            for (const npu of model.compare(choice).npus) {
                const what = `${kind} on ${npu.backend} ${JSON.stringify(choice)}`;
                if (!PLANNERS.includes(npu.backend) || !npu.ops_placed) {
                    checks.equal(npu.lower_bound, null, `${what}: no bound`);
                    continue;
                }
                const {summary} = model.planReport({backend: npu.backend, profile: npu.profile, clockHz: choice.clockHz}),
                    {cycles, seconds, external_bytes, ops_unknown, accuracy} = npu.lower_bound;
                checks.equal(cycles, summary.cycles_at_least, `${what}: cycles`);
                checks.equal(seconds ?? undefined, summary.seconds_at_least, `${what}: seconds`);
                checks.equal(external_bytes, summary.external_bytes_chained, `${what}: bytes`);
                checks.equal(ops_unknown, summary.ops_unknown, `${what}: operators without a rate`);
                checks.equal(accuracy, choice.clockHz ? 'not validated' : 'not validated, no clock stated', `${what}: how sure`);
            }
            for (const npu of model.compare(choice).npus) {
                const relaxed = runtime.relaxed(npu.backend, npu.profile),
                    more = relaxed && model.check({backend: npu.backend, profile: relaxed}).summary;
                if (!more || more.ops_placed <= npu.ops_placed) checks.equal(npu.with_relax_fp32, null, `${npu.backend}: no more with FP16`);
                else checks.equal(npu.with_relax_fp32.ops_placed, more.ops_placed, `${npu.backend}: more with FP16`);
            }
            for (const npu of model.compare({...choice, verdictsOnly: true}).npus)
                checks.ok(npu.estimate === null && npu.lower_bound === null, `${npu.backend}: verdicts only`);
            model.close();
        }
}

function misuse(checks) {
    const model = runtime.open(files.int8),
        fails = (choice, type, rule, ...words) => {
            const e = failure(() => model.planReport(choice));
            checks.ok(
                e instanceof type && e.rule === rule && words.every((word) => e.message.includes(word)),
                `planReport(${JSON.stringify(choice)}): ${e}`,
            );
        },
        backend = 'mdla2.0';
    fails(undefined, TypeError, 'backend.name', 'planReport needs a backend');
    fails({backend: 'ethos-u55-128'}, NpuError, 'plan.backend', 'no planner');
    fails({backend: 'mdla9'}, NpuError, 'backend.name', 'mdla2.0');
    fails({backend, profile: 'x'}, NpuError, 'backend.profile', 'guide');
    fails({backend, clock: 1}, TypeError, 'web.option', 'clockHz');
    for (const clockHz of [0, -1, NaN, Infinity, '1']) fails({backend, clockHz}, NpuError, 'web.clock');
    for (const flag of ['relaxFp32', 'suppressInputConversion', 'suppressOutputConversion'])
        for (const value of [1, 'yes', null]) fails({backend, [flag]: value}, TypeError, 'web.flag', flag);
    fails({backend: 'ethos-u55-128', relaxFp32: true}, NpuError, 'backend.relax', 'leave it out');
    for (const transposeConv of ['both', 1, null]) fails({backend, transposeConv}, NpuError, 'web.transpose_conv', 'hardware');
    for (const mvpu of ['SOFTMAX', [1], {}]) fails({backend, mvpu}, TypeError, 'web.mvpu', 'a list');
    for (const weightBytes of [0, -1, 0.5, '1', 2 ** 53]) fails({backend, weightBytes}, NpuError, 'web.weight_bytes');
    fails({backend, fusionRules: 5}, TypeError, 'web.name', 'fusionRules');
    fails({backend, fusionRules: 'A: NOTHING'}, NpuError, 'plan.fusion_rules', 'line 1');
    fails({backend, format: 'dot'}, NpuError, 'api.report');
    for (const choice of [{relaxFp32: 1}, {verdictsOnly: 'no'}])
        checks.equal(failure(() => model.compare(choice))?.rule, 'web.flag', `compare(${JSON.stringify(choice)})`);
    checks.equal(failure(() => model.compare({clockHz: -1}))?.rule, 'web.clock', 'compare: a clock');
    for (const call of ['plans', 'compiles']) checks.equal(failure(() => runtime[call](5))?.rule, 'backend.name', `${call}(5)`);
    checks.equal(runtime.relaxed('mdla1.5'), 'guide-relax-fp32', 'relaxed rules');
    checks.equal(runtime.relaxed('mdla3.0', 'guidelines'), 'guidelines-relax-fp32', 'of these');
    checks.equal(runtime.relaxed('mdla1.5', 'guide-relax-fp32'), 'guide-relax-fp32', 'they are relaxed already');
    for (const [name, profile] of [['neuron'], ['ethos-u55-128'], ['nobody'], ['mdla1.5', 'x']])
        checks.equal(runtime.relaxed(name, profile), null, `${name} ${profile}: none`);
    model.close();
    checks.equal(failure(() => model.planReport({backend}))?.rule, 'web.closed', 'a closed model');
}

async function inWorker(checks) {
    const here = runtime.open(files.float32),
        model = await WorkerModel.open(files.float32),
        choice = {backend: 'mdla3.0', relaxFp32: true, clockHz: 1e9, mvpu: ['SOFTMAX'], fusionRules: FUSION};
    for (const format of ['json', 'text'])
        checks.equal(
            JSON.stringify(await model.planReport({...choice, format})),
            JSON.stringify(here.planReport({...choice, format})),
            `${format} in a worker`,
        );
    const e = await model.planReport({backend: 'neuron'}).catch((error) => error);
    checks.ok(e instanceof NpuError && e.rule === 'plan.backend', `a worker's error: ${e}`);
    model.close();
    here.close();
}

export async function testPlan(checks) {
    await checks.test('plans: as on the command line', () => sameAsCommandLine(checks));
    await checks.test('plans: what the planner is told', () => told(checks));
    await checks.test('plans: bounds of comparisons', () => bounds(checks));
    await checks.test('plans: wrong options', () => misuse(checks));
    await checks.test('plans: in a worker', () => inWorker(checks));
}
