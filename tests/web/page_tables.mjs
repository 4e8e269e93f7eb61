// Tables of many operators: sorted, searched, summed up, saved; and models whose operators have no kernel.
import {readFile} from 'node:fs/promises';
import {pageModel} from './browser.mjs';
import {checks, choose, open, ran, status, text} from './visitor.mjs';
import {load} from '../../build/web/npu_rt.mjs';

const MANY = 300;
const runtime = await load();
const column = (page, table, n) =>
    page.$$eval(`#${table} tbody tr`, (all, i) => all.map((tr) => tr.cells[i]?.textContent), n);
const head = (page, table, title) => page.locator(`#${table} thead`).getByRole('button', {name: title, exact: true});
const order = (page, table, title) =>
    head(page, table, title).evaluate((b) => b.closest('th').getAttribute('aria-sort'));

/** What a press of a button saves. */
async function saved(page, label) {
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', {name: label}).click(),
    ]);
    return {name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8')};
}

/** A CSV file as RFC 4180 has it. */
function parse(csv) {
    const rows = [[]];
    for (let at = 0; at < csv.length;) {
        let field = '';
        if (csv[at] === '"') {
            for (at++; csv[at] !== '"' || csv[at + 1] === '"'; at++) {
                if (csv[at] === '"') at++;
                field += csv[at];
            }
            at++;
        } else while (at < csv.length && !',\r'.includes(csv[at])) field += csv[at++];
        rows.at(-1).push(field);
        if (csv.startsWith('\r\n', at)) {
            rows.push([]);
            at += 2;
        } else if (csv[at] === ',') at++;
        else throw new Error(`neither comma nor end of line at ${at}: ${csv.slice(at, at + 20)}`);
    }
    rows.pop();
    return rows;
}

async function sorting(page) {
    await page.fill('#runs', '2');
    await page.click('#run');
    await ran(page);
    const indexes = () => column(page, 'ops', 0).then((all) => all.map(Number));
    const model = Array.from({length: MANY}, (_, i) => i);
    checks.equal(String(await indexes()), String(model), 'the order of the model');
    checks.equal(await order(page, 'ops', 'Time'), 'none', 'not sorted');
    await head(page, 'ops', 'Time').click();
    checks.equal(await order(page, 'ops', 'Time'), 'descending', 'numbers: the largest first');
    const parts = (await column(page, 'ops', 6)).map(parseFloat);
    checks.ok(
        parts.every((p, i) => !i || p <= parts[i - 1]),
        'shares in order of the times',
    );
    checks.equal(await page.evaluate(() => document.activeElement.dataset.key), 'ns', 'the focus stays');
    await page.keyboard.press('Enter');
    checks.equal(await order(page, 'ops', 'Time'), 'ascending', 'the other way, by keyboard');
    checks.ok(/sorted by Time, ascending/.test(await page.textContent('#said')), 'read out');
    await page.keyboard.press('Enter');
    checks.equal(await order(page, 'ops', 'Time'), 'none', 'the model again');
    checks.equal(String(await indexes()), String(model), 'and its order');
    await head(page, 'ops', 'Operator').click();
    const names = await column(page, 'ops', 1);
    checks.equal(String(names), String([...names].sort()), 'words in order');
    await head(page, 'ops', 'Op').click();
    await head(page, 'ops', 'Op').click();
    checks.equal(String(await indexes()), String(model.reverse()), 'numbers as numbers');
    await head(page, 'ops', 'Op').click();
}

async function searching(page) {
    await page.fill('#npu-search', 'neg T29');
    const found = await column(page, 'npu', 1);
    checks.ok(found.length > 2 && found.length < 12 && found.every((n) => /NEG.*t29/.test(n)), `both words: ${found}`);
    checks.equal(await text(page, '#npu-count'), `${found.length} of ${MANY} operators`, 'how many');
    await page.fill('#npu-search', 'nowhere');
    checks.ok(/Nothing matches/.test(await text(page, '#npu tbody')), 'nothing found');
    await page.fill('#npu-search', '');
    checks.equal(await page.locator('#npu tbody tr').count(), MANY, 'all again');
    await page.locator('#rules button').first().click();
    const rule = await page.inputValue('#npu-search');
    checks.ok(/^ethosu\./.test(rule), `a rule: ${rule}`);
    const reasons = await column(page, 'npu', 3);
    checks.ok(reasons.length > 0 && reasons.every((r) => r.includes(rule)), 'the operators that it refuses');
    await page.fill('#npu-search', '');
}

async function sums(page) {
    const card = page.locator('#ops-tools');
    await card.getByRole('button', {name: 'Totals by operator'}).click();
    checks.equal(await card.locator('[aria-pressed=true]').innerText(), 'Totals by operator', 'pressed');
    checks.equal(String(await column(page, 'ops', 0)), 'ABS,NEG', 'each kind once');
    checks.equal(String(await column(page, 'ops', 1)), '200,100', 'how often');
    const shares = (await column(page, 'ops', 4)).map(parseFloat);
    checks.ok(Math.abs(shares[0] + shares[1] - 100) < 0.2, `shares: ${shares}`);
    await card.getByRole('button', {name: 'Each operator'}).click();
    await page.locator('#npu-tools').getByRole('button', {name: 'Totals by operator'}).click();
    checks.equal((await column(page, 'npu', 3)).join(), '200,100', 'refused of each kind');
    await page.locator('#npu-tools').getByRole('button', {name: 'Each operator'}).click();
}

async function saving(page, bytes) {
    await page.fill('#npu-search', 'neg');
    const csv = await saved(page, 'Save the verdicts as CSV'),
        [names, ...rows] = parse(csv.text);
    checks.equal(csv.name, 'many-ethos-u55-128-verdicts.csv', 'name of the file');
    checks.equal(names.join(), 'index,op,verdict,reasons,output', 'columns');
    checks.equal(rows.length, 100, 'the rows that were found');
    checks.ok(
        rows.every((r) => r.length === 5 && r[1] === 'NEG' && /\n/.test(r[3])),
        'reasons are one field',
    );
    await page.fill('#npu-search', '');
    const model = runtime.open(bytes),
        report = model.check({backend: 'ethos-u55-128'}),
        json = JSON.parse((await saved(page, 'Save the verdicts as JSON')).text);
    model.close();
    checks.equal(JSON.stringify(json), JSON.stringify(report), 'the report as the runtime gives it');
    const ops = parse((await saved(page, 'Save the operators as CSV')).text);
    checks.equal(ops.length, MANY + 1, 'operators: all rows');
    checks.ok(
        ops.slice(1).every((r) => /^\d+(\.\d+)?$/.test(r[5])),
        'times as plain numbers, in nanoseconds',
    );
    checks.equal(JSON.parse((await saved(page, 'Save the operators as JSON')).text).length, MANY, 'operators as JSON');
}

/** Rows that are wholly inside their scrolling box. */
const inView = (page, table) =>
    page.$eval(`#${table}`, (t) => {
        const box = t.closest('.scroll').getBoundingClientRect();
        return [...t.tBodies[0].rows].filter((tr) => tr.getBoundingClientRect().bottom <= box.bottom).length;
    });

async function missing(page) {
    const bytes = pageModel('missing');
    await choose(page, 'missing.tflite', bytes);
    const kinds = await page.$$eval('#missing-ops tbody tr', (all) =>
        all.map((tr) => [...tr.cells].map((c) => c.textContent)),
    );
    checks.equal(
        JSON.stringify(kinds),
        '[["NoSuchOp","3","1"],["=HYPERLINK(\\"http://x\\",\\"y\\")","1","3"]]',
        'name, count, first',
    );
    checks.ok(/2 kinds of operator, used 4 times/.test(await text(page, '#missing-text')), 'in words');
    const kernels = await column(page, 'ops', 7);
    checks.equal(
        kernels.join(),
        'not planned,no kernel,no kernel,no kernel,no kernel,not planned',
        'no operator is "folded"',
    );
    let error;
    const model = runtime.open(bytes);
    try {
        model.plan();
    } catch (e) {
        error = e;
    }
    model.close();
    const alert = await text(page, '#alert');
    for (const part of [error.message, error.status, error.rule, `exit code ${error.exitCode}`])
        checks.ok(alert.includes(part), `the alert says "${part}": ${alert}`);
    const csv = await saved(page, 'Save the operators as CSV');
    checks.ok(csv.text.includes(`"'=HYPERLINK(""http://x"",""y"")"`), 'no spreadsheet takes a name for a formula');
    await page.selectOption('#backend', 'none');
    await page.waitForFunction(() =>
        document.getElementById('npu-text').textContent.includes('2 of 6 operators with a kernel'),
    );
    checks.ok(!/NPU/.test(await text(page, '#npu-card')), 'no NPU is spoken of');
    await choose(page, 'mixed.tflite', pageModel('mixed', 3));
    checks.ok(await page.locator('#missing').isHidden(), 'gone with the model');
}

export async function testTables() {
    const {page, log, context} = await open(),
        bytes = pageModel('mixed', MANY);
    await status(page, '^Ready');
    await choose(page, 'many.tflite', bytes);
    for (const table of ['npu', 'ops'])
        checks.ok((await inView(page, table)) > 8, `rows of ${table} in view: ${await inView(page, table)}`);
    await checks.test('sort', () => sorting(page));
    await checks.test('search', () => searching(page));
    await checks.test('totals', () => sums(page));
    await checks.test('save', () => saving(page, bytes));
    await checks.test('operators without a kernel', () => missing(page));
    checks.equal(log.errors.join(' | '), '', 'tables: errors on the console');
    await context.close();
}
