// The plan's card: what stands there is what the report says, whatever the planner is told; where there is no planner there is no card.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {PAGE, ROOT} from './browser.mjs';
import {checks, choose, open, text} from './visitor.mjs';

const {load} = await import(`${PAGE}npu_rt.mjs`);
const runtime = await load(),
    digits = (kind) => readFile(join(ROOT, `examples/digits/digits_${kind}.tflite`));

const planned = (page) =>
    page.waitForFunction(() => {
        const card = document.getElementById('plan-card');
        return !card.hidden && card.getAttribute('aria-busy') === 'false';
    });
const says = (page, id, words) =>
    page.waitForFunction(([i, w]) => document.getElementById(i).textContent.includes(w), [id, words]);
const cells = (page, caption) =>
    page.$$eval(
        '#plan-body table',
        (all, wanted) =>
            [...(all.find((one) => one.caption.textContent === wanted)?.tBodies[0].rows ?? [])].map((row) =>
                [...row.cells].map((cell) => cell.textContent),
            ),
        caption,
    );

/** The card says what the report says. */
async function same(page, report, what) {
    const s = report.summary,
        body = await page.locator('#plan-body').textContent(),
        [g] = report.subgraphs;
    checks.ok(
        (await text(page, '#plan-text')).includes(`${s.ops_placed} of ${s.ops} operators in ${s.phases} phase`),
        `${what}: ${await text(page, '#plan-text')}`,
    );
    checks.ok(body.includes(`≥ ${s.cycles_at_least.toLocaleString('en')}`), `${what}: cycles`);
    const phases = await cells(page, 'Who runs what, in order');
    checks.equal(phases.length, g.phases.length, `${what}: phases`);
    g.phases.forEach((phase, i) => {
        checks.ok(phases[i][1].startsWith(phase.device), `${what}: phase ${i} on ${phase.device}`);
        checks.equal(phases[i][2], `${phase.operators} (${phase.first} to ${phase.last})`, `${what}: operators of phase ${i}`);
    });
    const fused = g.groups.filter((one) => one.operators > 1);
    checks.equal((await cells(page, 'Operators that run as one')).length, fused.length, `${what}: groups`);
    checks.equal((await cells(page, 'Chains whose links stay inside the MDLA')).length, g.chains.length, `${what}: chains`);
    const changed = g.tensors.filter((t) => t.converted || t.relayout !== 'none');
    checks.equal((await cells(page, 'Conversions and layouts')).length, changed.length, `${what}: tensors that change`);
    checks.equal((await cells(page, 'Operators of subgraph 0')).length, g.ops.length, `${what}: operators`);
    for (const {hint, suggestion} of report.hints) checks.ok(body.includes(hint) && body.includes(suggestion), `${what}: hint ${hint}`);
    for (const {suggestion} of report.network_hints) checks.ok(body.includes(suggestion), `${what}: ${suggestion}`);
    for (const line of [...report.assumed, ...report.unknown]) checks.ok(body.includes(line), `${what}: ${line}`);
}

async function shown(page) {
    const bytes = await digits('int8'),
        model = runtime.open(bytes);
    await choose(page, 'digits_int8.tflite', bytes);
    for (const backend of runtime.backends()) {
        await page.selectOption('#backend', backend);
        await page.waitForFunction(() => document.getElementById('npu-card').getAttribute('aria-busy') === 'false');
        checks.equal(await page.locator('#plan-card').isVisible(), runtime.plans(backend), `${backend}: a card where there is a planner`);
        checks.equal(await page.locator('nav.parts a[href="#h-plan"]').isVisible(), runtime.plans(backend), `${backend}: and a link to it`);
        if (!runtime.plans(backend)) continue;
        await planned(page);
        await same(page, model.planReport({backend}), backend);
    }
    model.close();
}

/** Every field is asked for, and the clock of the comparison. */
async function told(page) {
    const bytes = await digits('float32'),
        model = runtime.open(bytes),
        choice = {backend: 'mdla1.5', profile: 'guide-relax-fp32'};
    await page.selectOption('#backend', 'mdla1.5');
    await choose(page, 'digits_float32.tflite', bytes);
    await page.waitForFunction(() => document.getElementById('npu-card').getAttribute('aria-busy') === 'false');
    checks.ok(await page.locator('#plan-card').isHidden(), 'nothing is placed: no plan');
    await page.selectOption('#profile', 'guide-relax-fp32');
    await planned(page);
    await same(page, model.planReport(choice), 'relaxed');
    const told = {};
    const next = async (option, value, act) => {
        await act();
        told[option] = value;
        await page.waitForFunction(() => document.getElementById('plan-card').getAttribute('aria-busy') === 'false');
        await same(page, model.planReport({...choice, ...told}), `${option}: ${value}`);
    };
    const leave = async (id, value) => {
        await page.fill(`#${id}`, value);
        await page.keyboard.press('Tab');
    };
    await next('suppressInputConversion', true, () => page.check('#plan-no-input'));
    await next('suppressOutputConversion', true, () => page.check('#plan-no-output'));
    await page.click('#plan-card details summary');
    await next('mvpu', ['SOFTMAX', 'RESHAPE'], () => leave('plan-mvpu', 'SOFTMAX, RESHAPE'));
    await next('weightBytes', 2048, () => leave('plan-weights', '2'));
    await next('transposeConv', 'software', () => page.selectOption('#plan-transposed', 'software'));
    await next('clockHz', 5e8, () => leave('npu-clock', '500'));
    checks.ok(/≥ [\d.]+ .s/.test(await text(page, '#plan-body .tiles')), 'a time at the clock');
    await next('fusionRules', 'A: CONV MATH1 ACT1|ACT2 POOL', () => leave('plan-fusion', 'A: CONV MATH1 ACT1|ACT2 POOL'));
    await leave('plan-fusion', 'A: NOTHING');
    await says(page, 'plan-text', 'No plan: ');
    checks.equal(await page.locator('#plan-body > *').count(), 0, 'no plan stays beside an error');
    await leave('plan-fusion', '');
    await planned(page);
    await saved(page, model, {...choice, ...told, fusionRules: undefined});
    for (const id of ['plan-mvpu', 'plan-weights', 'npu-clock']) await leave(id, '');
    await page.uncheck('#plan-no-input');
    await page.uncheck('#plan-no-output');
    await page.selectOption('#plan-transposed', '');
    model.close();
}

async function saved(page, model, choice) {
    for (const [words, ending, want] of [
        ['Text', 'txt', model.planReport({...choice, format: 'text'})],
        ['JSON', 'json', `${JSON.stringify(model.planReport(choice), null, 1)}\n`],
    ]) {
        const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.click(`#plan-saves button[aria-label="Save the plan as ${words}"]`),
        ]);
        checks.ok(download.suggestedFilename().endsWith(`-mdla1.5-plan.${ending}`), `${words}: ${download.suggestedFilename()}`);
        checks.equal(await readFile(await download.path(), 'utf8'), want, `${words}: content`);
    }
}

/** Answers that come late or never, with a worker of the test's own in the place of the page's. */
async function answers(page) {
    const got = await page.evaluate(async () => {
        const {PlanPanel} = await import('/plan_panel.mjs'),
            waiting = [],
            client = {call: () => new Promise((resolve, reject) => waiting.push({resolve, reject}))},
            one = new PlanPanel(client, () => 'x', () => ({})),
            tick = () => new Promise((done) => setTimeout(done)),
            said = () => document.getElementById('plan-text').textContent,
            told = {};
        one.show({backend: 'a', profile: 'p'}, {});
        one.show({backend: 'b', profile: 'p'}, {});
        waiting[0].reject({message: 'of another model'});
        await tick();
        told.late = said();
        waiting[1].reject({code: 'CANCELLED', message: 'x'});
        await tick();
        told.cancelled = said();
        one.show(null, {});
        told.hidden = document.getElementById('plan-card').hidden;
        return told;
    });
    checks.ok(!got.late.includes('another'), `too late: ${got.late}`);
    checks.equal(got.cancelled, 'The plan was cancelled.', 'cancelled');
    checks.ok(got.hidden, 'nothing to plan');
}

export async function testPlan(shots) {
    const {page, log, context} = await open();
    await checks.test('the plan: for whom', () => shown(page));
    await checks.test('the plan: what the planner is told', () => told(page));
    if (shots) await page.locator('#plan-card').screenshot({path: join(shots, 'plan.png')});
    await checks.test('the plan: late answers', () => answers(page));
    checks.equal(log.errors.join(' | '), '', 'errors on the console');
    checks.equal(log.foreign.join(' | '), '', 'requests to other hosts');
    await context.close();
}
