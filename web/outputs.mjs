// The outputs of a run: each in the form that suits its shape, in any other on request, and as a .npy file.
import {$, announce, h, number, plural, put, save, shape, width} from './dom.mjs';
import {outputNpy} from './engine.mjs';
import {classes, heatmap, histogram, legend, line, photo, pooling, range} from './plots.mjs';
import {textOf, unpackStrings} from './strings.mjs';
import {elements, stored, typeInfo} from './types.mjs';

const TOP = 5,
    FEW = 64, // elements that a list of all shows at once
    PAGE = 500; // entries of a list of values, or columns of a table
const MOST_CLASSES = 256;
const VIEWS = {
    top: 'Largest values',
    picture: 'Picture',
    classes: 'Strongest channel',
    labels: 'Classes',
    map: 'Heatmap',
    line: 'Line',
    bins: 'Histogram',
    list: 'Values',
};

/** Quantization of each element as a function from what is stored to the real number. */
function realOf({quantization: q, shape: dims}) {
    if (!q) return (v) => v;
    if (q.scale.length === 1) return (v) => q.scale[0] * (v - q.zeroPoint[0]);
    const inner = dims.slice(q.axis + 1).reduce((a, b) => a * b, 1); // per channel
    return (v, i) => {
        const c = Math.floor(i / inner) % q.scale.length;
        return q.scale[c] * (v - (q.zeroPoint[c] ?? q.zeroPoint[0]));
    };
}

/** The real numbers of an output; magnitudes of complex ones. @returns {Float64Array} */
export function reals(t) {
    const values = stored(t),
        real = realOf(t);
    if (t.type.startsWith('COMPLEX'))
        return Float64Array.from({length: values.length / 2}, (_, i) => Math.hypot(values[2 * i], values[2 * i + 1]));
    return Float64Array.from(values, (v, i) => real(Number(v), i));
}

export const describe = (t) => {
    const q = t.quantization;
    if (!q) return `${t.type.toLowerCase()} ${shape(t.shape)}`;
    const how =
        q.scale.length === 1 ? `scale ${number(q.scale[0])}, zero point ${q.zeroPoint[0]}` : 'quantized per channel';
    return `${t.type.toLowerCase()} ${shape(t.shape)}, ${how}`;
};

/** How elements lie in planes: an output of any rank is a stack of planes of rows and columns, or of one row.
 *  @returns {{planes: number, rows: number, columns: number, at: (plane: number) => [number, number, number]}}
 *  `at`: offset of a plane, steps between its rows and between its columns */
export function layout(dims) {
    const d = dims.filter((n) => n !== 1),
        n = d.length;
    if (n < 2) return {planes: 1, rows: 1, columns: d[0] ?? 1, at: () => [0, d[0] ?? 1, 1]};
    const [a, b, c] = d;
    if (n === 3 && a >= 8 && a < 4 * b && b < 4 * a && c <= MOST_CLASSES)
        // channels last, as pictures have them
        return {planes: c, rows: a, columns: b, at: (p) => [p, b * c, c], last: true};
    const [rows, columns] = d.slice(-2);
    return {
        planes: d.slice(0, -2).reduce((x, y) => x * y, 1),
        rows,
        columns,
        at: (p) => [p * rows * columns, columns, 1],
    };
}

function plane({planes, rows, columns, at}, values, index) {
    const [start, down, across] = at(Math.min(index, planes - 1)),
        data = new Float64Array(rows * columns);
    for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) data[r * columns + c] = values[start + r * down + c * across];
    return {data, rows, columns};
}
function strongest(how, values) {
    const best = plane(how, values, 0),
        which = {...best, data: new Float64Array(best.data.length)};
    for (let p = 1; p < how.planes; p++)
        plane(how, values, p).data.forEach((v, k) => {
            if (v > best.data[k]) [best.data[k], which.data[k]] = [v, p];
        });
    return which;
}
/** Rows of such different ranges that one scale would show a single one of them. */
function uneven({data, rows, columns}) {
    if (rows < 2 || columns < 8) return false;
    const spans = Array.from({length: rows}, (_, r) => range(data.subarray(r * columns, (r + 1) * columns))).map(
            (x) => x.high - x.low,
        ),
        whole = range(data);
    spans.sort((a, b) => a - b);
    return whole.high - whole.low > 16 * spans[rows >> 1];
}

/** Integers that can be names of classes. */
function isLabels({t, values}) {
    const {low, high} = range(values);
    return /INT/.test(t.type) && !t.quantization && low >= 0 && high < MOST_CLASSES;
}

/** The views that make sense for a shape, the best first. */
function viewsFor(about) {
    const {how, values} = about,
        n = values.length;
    if (how.rows === 1 && how.planes === 1) return n <= TOP * 2 ? ['top', 'list'] : ['top', 'line', 'bins', 'list'];
    if (n <= FEW) return ['list', 'map'];
    const first = [];
    if (how.last && how.planes === 3) first.push('picture');
    if (how.last && how.planes > 4) first.push('classes');
    if (how.planes === 1 && isLabels(about)) first.push('labels');
    return [...first, 'map', 'bins', 'list'];
}

/** The TOP largest elements, the first of equal ones leading. */
function top(values) {
    const best = [];
    for (let i = 0; i < values.length; i++) {
        let k = best.length;
        while (k > 0 && values[i] > values[best[k - 1]]) k--;
        if (k < TOP) best.splice(k, 0, i);
        if (best.length > TOP) best.pop();
    }
    return best;
}
/** An element as text: the real number and, where it is quantized, what is stored. */
const exact = (t, raw, v, i) =>
    `${typeof raw[i] === 'bigint' && !t.quantization ? raw[i] : number(v)}${t.quantization ? ` (${raw[i]})` : ''}`;

function largest(t, raw, values, i) {
    const best = top(values),
        scale = Math.max(...best.map((k) => Math.abs(values[k]))) || 1;
    const item = (k) =>
        h(
            'li',
            null,
            h('span.mono', null, `[${k}]`),
            h('span.track', {'aria-hidden': 'true'}, width(h('span.fill'), Math.abs(values[k]) / scale)),
            h('span', null, exact(t, raw, values[k], k)),
        );
    return h('ol', {'aria-label': `Largest values of output ${i}`}, best.map(item));
}

/** Index of an element as in the shape. */
function place(k, dims) {
    const at = [];
    for (let d = dims.length - 1; d >= 0; d--) {
        at.unshift(k % dims[d]);
        k = Math.floor(k / dims[d]);
    }
    return `[${at.join(', ')}]`;
}
function list(t, raw, values, i) {
    const body = h('tbody'),
        more = h('button.button', {type: 'button'}, '');
    let shown = 0;
    const grow = () => {
        const end = Math.min(values.length, shown + PAGE);
        for (; shown < end; shown++)
            body.append(
                h(
                    'tr',
                    null,
                    h('td.mono', null, place(shown, t.shape)),
                    h('td.n', null, exact(t, raw, values[shown], shown)),
                ),
            );
        more.hidden = shown >= values.length;
        more.textContent = `Show ${Math.min(PAGE, values.length - shown)} more of ${values.length.toLocaleString('en')}`;
    };
    more.onclick = grow;
    grow();
    const head = h(
        'tr',
        null,
        h('th', {scope: 'col'}, 'Index'),
        h('th.n', {scope: 'col'}, t.quantization ? 'Value (stored)' : 'Value'),
    );
    const table = h('table', null, h('thead', null, head), body);
    return h('div.scroll.values', {role: 'region', tabindex: '0', 'aria-label': `Values of output ${i}`}, table, more);
}

function drawn(view, {t, raw, values, how, i}, index, byRow) {
    const dims = `${how.rows} rows by ${how.columns} columns`,
        about = `output ${i}`;
    if (view === 'top') return largest(t, raw, values, i);
    if (view === 'line') return line(values, `Line of ${about}, ${values.length} elements`);
    if (view === 'bins') return histogram(values, `Histogram of ${about}`);
    if (view === 'list') return list(t, raw, values, i);
    if (view === 'classes') return classes(strongest(how, values), `Strongest channel of ${about}, ${dims}`);
    if (view === 'labels') return classes(plane(how, values, 0), `Classes of ${about}, ${dims}`);
    if (view === 'picture')
        return photo(
            [0, 1, 2].map((p) => plane(how, values, p)),
            `Picture of ${about}, ${dims}`,
        );
    const one = plane(how, values, index),
        {low, high} = range(one.data);
    return [
        heatmap(one, byRow, `Heatmap of ${about}, ${dims}${how.planes > 1 ? `, plane ${index} of ${how.planes}` : ''}`),
        byRow ? null : low === high ? h('p.quiet', null, `All elements are ${number(low)}.`) : legend(low, high),
        h('p.quiet', null, pooling(one), byRow ? '. Each row goes from its own lowest to its own highest value.' : ''),
    ];
}

/** Controls and drawing of one output with numbers. */
function viewer(about) {
    const {values, how, i} = about,
        views = viewsFor(about),
        box = h('div.view'),
        choose = h(
            'select',
            {id: `view-${i}`},
            views.map((v) => h('option', {value: v}, VIEWS[v])),
        );
    const index = h('input', {type: 'number', id: `plane-${i}`, min: '0', max: String(how.planes - 1), value: '0'});
    const scale = h(
        'select',
        {id: `scale-${i}`},
        h('option', {value: ''}, 'the plane'),
        h('option', {value: 'row'}, 'each row'),
    );
    const fields = [
        h('div.field', null, h('label', {for: `plane-${i}`}, `Plane, 0 to ${how.planes - 1}`), index),
        h('div.field', null, h('label', {for: `scale-${i}`}, 'Colours over'), scale),
    ];
    if (how.rows > 1 && uneven(plane(how, values, 0))) scale.value = 'row';
    const draw = () => {
        const map = choose.value === 'map',
            p = Math.max(0, Math.min(how.planes - 1, Math.floor(index.valueAsNumber || 0)));
        fields[0].hidden = !map || how.planes === 1;
        fields[1].hidden = !map;
        put(box, drawn(choose.value, about, p, scale.value === 'row'));
    };
    choose.onchange = index.onchange = scale.onchange = draw;
    draw();
    const show = h('div.field', null, h('label', {for: `view-${i}`}, 'Show'), choose);
    return [h('div.row.end.views', null, show, fields), box];
}

/** The first strings of an output, as text. Other types without numbers (resources, variants) show nothing. */
function strings(t, i) {
    const all = t.type === 'STRING' ? unpackStrings(t.data, elements(t.shape)) : [],
        list = h('ol.strings', null, all.slice(0, PAGE).map((s) => h('li', null, textOf(s) || '(empty)')));
    return [
        h('div.quiet', null, t.type === 'STRING' ? `${plural(all.length, 'string')}${all.length > PAGE ? `, the first ${PAGE}` : ''}` : ''),
        h('div.scroll.values', {role: 'region', tabindex: '0', 'aria-label': `Strings of output ${i}`}, list),
    ];
}

function output(t, i, file) {
    const head = [h('div.name', null, `${i}: ${t.name}`), h('div.quiet', null, describe(t))];
    if (!typeInfo(t.type).bits) return h('div.out', null, head, strings(t, i));
    const values = reals(t);
    if (!values.length) return h('div.out', null, head, h('p.quiet', null, 'It has no elements.'));
    const npy = h('button.button', {type: 'button'}, 'Save .npy', h('span.unseen', null, ` of output ${i}`));
    npy.onclick = () => {
        save(`${file.replace(/\.tflite$/, '')}-output${i}.npy`, 'application/octet-stream', outputNpy(t));
        announce(`Saved output ${i}.`);
    };
    const {low, high, mean, odd} = range(values),
        how = layout(t.shape);
    const stats =
        values.length === 1
            ? null
            : h(
                  'div.quiet',
                  null,
                  `${plural(values.length, t.type.startsWith('COMPLEX') ? 'magnitude' : 'element')}: min ${number(low)}, ` +
                      `max ${number(high)}, mean ${number(mean)}${odd ? `, ${odd.toLocaleString('en')} not finite` : ''}`,
              );
    const body =
        values.length === 1
            ? h('p.scalar', null, exact(t, stored(t), values[0], 0))
            : viewer({t, raw: stored(t), values, how, i});
    return h(
        `div.out${how.rows > 1 || values.length > FEW ? '.wide' : ''}`,
        null,
        h('div.out-head', null, h('div', null, head, stats), npy),
        body,
    );
}

/** @param {object[]} outputs @param {string} file the model's name */
export const showOutputs = (outputs, file) =>
    put(
        $('outputs'),
        outputs.map((t, i) => output(t, i, file)),
    );
export const noOutputs = (why) => put($('outputs'), h('p.quiet', null, why));
