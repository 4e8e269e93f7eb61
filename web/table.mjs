// A table of operators: sorted by its column heads, searched, summed up by operator, saved as CSV or JSON.
import {$, announce, h, plural, put, save} from './dom.mjs';

const PAGE = 1000; // rows shown at a time: a table of a million would stop the page
const by = (value, down) => (a, b) => {
    const [x, y] = [value(a), value(b)],
        [noX, noY] = [x === undefined || x === null, y === undefined || y === null];
    if (noX || noY) return noX - noY; // what has no value comes last, whichever way
    const order = typeof x === 'number' ? x - y : String(x).localeCompare(String(y), 'en', {numeric: true});
    return down ? -order : order;
};

/** One value of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvField(value) {
    if (value === undefined || value === null) return '';
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /["',;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
/** RFC 4180. @param {string[]} names @param {any[][]} rows */
export const csv = (names, rows) => [names, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');

/** Sums of rows with the same operator, in the order of their first one.
 *  @param {{op: string}[]} rows @param {string[]} keys what to add up, where it is a number */
export function totals(rows, keys) {
    const groups = new Map();
    for (const row of rows) {
        const sum = groups.get(row.op) ?? {op: row.op, count: 0};
        groups.set(row.op, sum);
        sum.count++;
        for (const key of keys) if (typeof row[key] === 'number') sum[key] = (sum[key] ?? 0) + row[key];
    }
    return [...groups.values()];
}

/** @typedef {object} Column
 *  @property {string} key its name in a CSV file, and in `foot`
 *  @property {string} title
 *  @property {(row: any) => string | number | undefined} value to sort, search and save
 *  @property {(row: any) => any} [cell] what is shown, if not the value
 *  @property {string} [cls] class of its cells
 *  @property {boolean} [n] a number: aligned right, largest first
 *  @property {boolean} [hidden] searched and saved, not shown */

export class DataTable {
    #table;
    #name;
    #views;
    #file;
    #json = null;
    #view = 'each';
    #sort = null; // {key, down}
    #rows = {each: [], totals: []};
    #titles = {};
    #foot = {};
    #only = null;
    #most = PAGE;
    #search;
    #count;

    /** @param {{id: string, name: string, views: {each: Column[], totals: Column[]}, file: () => string,
     *           tools?: Node[]}} spec `id`: of the table, whose toolbar is `id`-tools; `file`: the model's name */
    constructor({id, name, views, file, tools = []}) {
        this.#table = $(id);
        this.#name = name;
        this.#views = views;
        this.#file = () => `${file().replace(/\.tflite$/, '')}-${name}`;
        this.#count = h('p.quiet.grow', {id: `${id}-count`});
        this.#search = h('input', {type: 'search', id: `${id}-search`, 'aria-controls': id, spellcheck: false});
        this.#search.oninput = () => this.#changed();
        const modes = Object.entries({each: 'Each operator', totals: 'Totals by operator'}).map(([view, text]) =>
            h('button.button', {type: 'button', 'aria-pressed': String(view === 'each'), 'data-view': view}, text),
        );
        for (const button of modes)
            button.onclick = () => {
                this.#view = button.dataset.view;
                this.#sort = null;
                for (const other of modes) other.setAttribute('aria-pressed', String(other === button));
                this.#changed();
            };
        const saves = Object.entries({CSV: () => this.#saveCsv(), JSON: () => this.#saveJson()}).map(([text, act]) => {
            const button = h('button.button', {type: 'button', 'aria-label': `Save the ${name} as ${text}`}, text);
            button.onclick = act;
            return button;
        });
        put(
            $(`${id}-tools`),
            h('div.field', null, h('label', {for: `${id}-search`}, 'Search'), this.#search),
            h('div.joined', {role: 'group', 'aria-label': `Rows of the ${name}`}, modes),
            tools,
            this.#count,
            h('div.joined', {role: 'group', 'aria-label': `Save the ${name}`}, saves),
        );
        this.#draw();
    }

    /** New rows. `titles`: of columns whose title depends on the report; `foot`: texts below columns, by key.
     *  @param {any[]} each @param {any[]} sums @param {{json?: any, titles?: object, foot?: object}} [more] */
    show(each, sums, {json = each, titles = {}, foot = {}} = {}) {
        this.#rows = {each, totals: sums};
        [this.#json, this.#titles, this.#foot, this.#most] = [json, titles, foot, PAGE];
        this.#draw();
    }
    clear() {
        this.show([], []);
    }
    /** A filter beside the search; null for none. It is about single operators. @param {((row) => boolean) | null} test */
    only(test) {
        this.#only = test;
        this.#changed();
    }
    search(text) {
        this.#search.value = text;
        this.#changed();
    }

    get #columns() {
        return this.#views[this.#view];
    }
    get #seen() {
        return this.#columns.filter((c) => !c.hidden);
    }
    /** The rows to show: those that match, in order. */
    #matching() {
        const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean),
            columns = this.#columns;
        const rows = this.#rows[this.#view].filter((row) => {
            if (this.#only && this.#view === 'each' && !this.#only(row)) return false;
            if (!words.length) return true;
            const text = columns
                .map((c) => c.value(row) ?? '')
                .join('\n')
                .toLowerCase();
            return words.every((word) => text.includes(word));
        });
        if (!this.#sort) return rows;
        const column = columns.find((c) => c.key === this.#sort.key);
        return rows.sort(by(column.value, this.#sort.down));
    }

    #changed() {
        this.#most = PAGE;
        announce(`${this.#draw()}.`);
    }

    /** Returns the words that tell what is shown. */
    #draw() {
        const rows = this.#matching(),
            all = this.#rows[this.#view].length,
            columns = this.#columns,
            body = this.#table.tBodies[0];
        this.#head();
        put(
            body,
            rows.slice(0, this.#most).map((row) => this.#row(row)),
        );
        if (rows.length > this.#most) body.append(this.#rest(rows.length));
        else if (!rows.length && all)
            body.append(
                h('tr', {role: 'row'}, h('td.quiet', {role: 'cell', colSpan: this.#seen.length}, 'Nothing matches.')),
            );
        this.#footer();
        const kinds = (n) =>
                this.#view === 'each' ? plural(n, 'operator') : plural(n, 'kind of operator', 'kinds of operators'),
            sorted = this.#sort && columns.find((c) => c.key === this.#sort.key);
        const words =
            (rows.length === all ? kinds(all) : `${rows.length.toLocaleString('en')} of ${kinds(all)}`) +
            (sorted ? `, sorted by ${this.#title(sorted)}, ${this.#sort.down ? 'descending' : 'ascending'}` : '');
        this.#count.textContent = words;
        return words;
    }
    #title = (column) => this.#titles[column.key] ?? column.title;

    #head() {
        const focused = this.#table.tHead.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        const heads = this.#seen.map((column) => {
            const mine = this.#sort?.key === column.key,
                order = mine ? (this.#sort.down ? 'descending' : 'ascending') : 'none';
            const button = h(
                'button.sort',
                {type: 'button', 'data-key': column.key},
                this.#title(column),
                h('span.arrow', {'aria-hidden': 'true'}, mine ? (this.#sort.down ? '▼' : '▲') : ''),
            );
            button.onclick = () => this.#order(column);
            const cls = column.cls ? `.${column.cls}` : '';
            return h(
                `th${column.n ? '.n' : ''}${cls}`,
                {scope: 'col', role: 'columnheader', 'aria-sort': order},
                button,
            );
        });
        put(this.#table.tHead, h('tr', {role: 'row'}, heads));
        if (focused) [...this.#table.tHead.querySelectorAll('button')].find((b) => b.dataset.key === focused)?.focus();
    }
    /** A column's first direction, then the other, then the order of the model again. */
    #order(column) {
        const first = Boolean(column.n);
        if (this.#sort?.key !== column.key) this.#sort = {key: column.key, down: first};
        else this.#sort = this.#sort.down === first ? {key: column.key, down: !first} : null;
        this.#changed();
    }

    #row(row) {
        return h(
            'tr',
            {role: 'row'},
            this.#seen.map((c) => {
                const cls = c.cls ? `.${c.cls}` : '';
                return h(`td${c.n ? '.n' : ''}${cls}`, {role: 'cell'}, c.cell ? c.cell(row) : (c.value(row) ?? '–'));
            }),
        );
    }
    #rest(all) {
        const left = all - this.#most,
            more = h('button.button', {type: 'button'}, `Show ${Math.min(PAGE, left).toLocaleString('en')} more`);
        more.onclick = () => {
            const first = this.#most;
            this.#most += PAGE;
            this.#draw();
            this.#table.tBodies[0].rows[first]?.scrollIntoView({block: 'nearest'});
            (this.#table.tBodies[0].querySelector('tr.rest button') ?? this.#search).focus({preventScroll: true});
        };
        const text = ` ${left.toLocaleString('en')} more match; sorting, searching and saving know all of them.`;
        return h('tr.rest', {role: 'row'}, h('td.quiet', {role: 'cell', colSpan: this.#seen.length}, more, text));
    }
    #footer() {
        const columns = this.#seen,
            first = columns.findIndex((c) => c.key in this.#foot),
            foot = this.#table.tFoot;
        if (!foot) return;
        if (first < 1) return void put(foot);
        put(
            foot,
            h(
                'tr',
                {role: 'row'},
                h('th', {scope: 'row', role: 'rowheader', colSpan: first}, this.#foot.label ?? 'In all'),
                columns.slice(first).map((c) => h(`td${c.n ? '.n' : ''}`, {role: 'cell'}, this.#foot[c.key] ?? '')),
            ),
        );
    }

    #saveCsv() {
        const columns = this.#columns,
            rows = this.#matching();
        const text = csv(
            columns.map((c) => c.key),
            rows.map((row) => columns.map((c) => c.value(row))),
        );
        save(`${this.#file()}.csv`, 'text/csv;charset=utf-8', text);
        announce(`Saved ${plural(rows.length, 'row')} as CSV.`);
    }
    #saveJson() {
        save(`${this.#file()}.json`, 'application/json', `${JSON.stringify(this.#json, null, 1)}\n`);
        announce('Saved the whole report as JSON.');
    }
}
