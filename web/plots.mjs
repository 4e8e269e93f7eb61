// Drawings of numbers: a picture or a heatmap on a canvas, lines and a histogram as SVG. No drawing is larger than the
// screen needs: what has more elements is pooled first.
import {h, number, percent} from './dom.mjs';

const MOST = 1024; // pixels of a canvas, either way
const WIDE = 640,
    HIGH = 180; // units of an SVG
const BINS = 40;
const MOST_NAMED = 8; // classes in the legend
/** Dark blue to yellow, even in lightness. */
const STOPS = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
];

function colour(f) {
    const at = Math.max(0, Math.min(1, f)) * (STOPS.length - 1),
        i = Math.min(STOPS.length - 2, Math.floor(at));
    return STOPS[i].map((v, k) => v + (at - i) * (STOPS[i + 1][k] - v));
}
/** Colours for numbers that are names: those of the PASCAL VOC data set, which spread the bits of a number over the three
 *  channels, so that neighbours differ. */
function named(i) {
    const rgb = [0, 0, 0];
    for (let bit = 7; i > 0; bit--, i >>= 3) for (let c = 0; c < 3; c++) rgb[c] |= ((i >> c) & 1) << bit;
    return rgb;
}

/** Finite extremes and mean. @param {ArrayLike<number>} values */
export function range(values) {
    let low = Infinity,
        high = -Infinity,
        sum = 0,
        n = 0;
    for (let i = 0; i < values.length; i++) {
        const v = values[i];
        if (!Number.isFinite(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
        sum += v;
        n++;
    }
    return n ? {low, high, mean: sum / n, odd: values.length - n} : {low: 0, high: 0, mean: 0, odd: values.length};
}

/** Means over boxes, so that no element is left out. @returns {{data: Float64Array, rows: number, columns: number}} */
function pooled({data, rows, columns}, mostRows, mostColumns) {
    const down = Math.ceil(rows / mostRows),
        across = Math.ceil(columns / mostColumns);
    if (down === 1 && across === 1) return {data, rows, columns};
    const high = Math.ceil(rows / down),
        wide = Math.ceil(columns / across),
        sum = new Float64Array(high * wide),
        n = new Float64Array(high * wide);
    for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) {
            const k = Math.floor(r / down) * wide + Math.floor(c / across),
                v = data[r * columns + c];
            if (Number.isNaN(v)) continue;
            sum[k] += v;
            n[k]++;
        }
    return {data: sum.map((v, k) => v / n[k]), rows: high, columns: wide};
}

function canvas({rows, columns}, label, paint) {
    const node = h('canvas', {width: columns, height: rows, role: 'img', 'aria-label': label}),
        image = new ImageData(columns, rows);
    for (let k = 0; k < rows * columns; k++) {
        const [r, g, b] = paint(k);
        image.data[4 * k] = r;
        image.data[4 * k + 1] = g;
        image.data[4 * k + 2] = b;
        image.data[4 * k + 3] = 255;
    }
    node.getContext('2d').putImageData(image, 0, 0);
    return node;
}

/** One plane as colours. The shape on the screen is that of the plane, within limits: nothing becomes a line.
 *  @param {{data: Float64Array, rows: number, columns: number}} plane @param {boolean} byRow each row by its own range */
export function heatmap(plane, byRow, label) {
    const small = pooled(plane, MOST, MOST),
        whole = range(plane.data);
    const ranges = byRow
        ? Array.from({length: small.rows}, (_, r) =>
              range(small.data.subarray(r * small.columns, (r + 1) * small.columns)),
          )
        : null;
    const node = canvas(small, label, (k) => {
        const {low, high} = ranges ? ranges[Math.floor(k / small.columns)] : whole;
        return Number.isNaN(small.data[k])
            ? [128, 128, 128]
            : colour(high > low ? (small.data[k] - low) / (high - low) : 0.5);
    });
    fit(node, plane.rows / plane.columns);
    return node;
}

/** Numbers that are names, such as classes of pixels, and how much of the plane each of the most frequent has. */
export function classes(plane, label) {
    const counts = new Map();
    for (const v of plane.data) counts.set(v, (counts.get(v) ?? 0) + 1);
    const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_NAMED);
    const down = Math.ceil(Math.max(plane.rows, plane.columns) / MOST), // names have no mean: every n-th
        rows = Math.ceil(plane.rows / down),
        columns = Math.ceil(plane.columns / down);
    const node = canvas({rows, columns}, label, (k) =>
        named(plane.data[Math.floor(k / columns) * down * plane.columns + (k % columns) * down]),
    );
    fit(node, plane.rows / plane.columns);
    const share = ([name, n]) => {
        const dot = h('span.dot', {'aria-hidden': 'true'});
        dot.style.background = `rgb(${named(name)})`;
        return h('li', null, dot, `${name}: ${percent(n / plane.data.length)}`);
    };
    return [
        node,
        h(
            'ul.names',
            null,
            most.map(share),
            counts.size > most.length ? h('li', null, `${counts.size - most.length} more`) : null,
        ),
    ];
}

/** Three planes as red, green and blue. */
export function photo(planes, label) {
    const small = planes.map((p) => pooled(p, MOST, MOST)),
        {low, high} = planes
            .map((p) => range(p.data))
            .reduce((a, b) => ({low: Math.min(a.low, b.low), high: Math.max(a.high, b.high)}));
    const node = canvas(small[0], label, (k) =>
        small.map((p) => (high > low ? (255 * (p.data[k] - low)) / (high - low) : 0)),
    );
    fit(node, planes[0].rows / planes[0].columns);
    return node;
}

/** A picture keeps its proportions; a very long or tall plane is stretched to a band one can look at. */
function fit(node, ratio) {
    if (ratio > 0.2 && ratio < 3) {
        node.className = 'natural';
        node.style.aspectRatio = String(1 / ratio);
        node.style.maxWidth = `${Math.round(Math.min(420, 420 / ratio))}px`;
    } else {
        node.className = 'band';
        node.style.height = `${Math.round(Math.max(96, Math.min(320, 640 * ratio)))}px`;
    }
}

const SVG = 'http://www.w3.org/2000/svg';
function svg(tag, props, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(props)) node.setAttribute(key, value);
    node.append(...children);
    return node;
}
const frame = (label, ...children) =>
    svg(
        'svg',
        {viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label, class: 'plot'},
        ...children,
    );
const axis = (left, right) => h('div.axis', {'aria-hidden': 'true'}, h('span', null, left), h('span', null, right));

/** A line over the index. Many elements: the highest and lowest of each stretch. */
export function line(values, label) {
    const {low, high} = range(values),
        n = values.length,
        y = (v) => (HIGH - 4 - ((HIGH - 8) * (v - low)) / (high - low || 1)).toFixed(1),
        points = [];
    const stretch = Math.max(1, Math.ceil(n / WIDE));
    for (let i = 0; i < n; i += stretch) {
        const part = range(values.subarray(i, i + stretch));
        const x = ((i / Math.max(1, n - 1)) * WIDE).toFixed(1);
        points.push(`${x},${y(part.low)}`);
        if (part.high > part.low) points.push(`${x},${y(part.high)}`);
    }
    const drawn = svg('polyline', {points: points.join(' '), fill: 'none', 'vector-effect': 'non-scaling-stroke'});
    const zero =
        low < 0 && high > 0
            ? [svg('line', {x1: 0, x2: WIDE, y1: y(0), y2: y(0), class: 'zero', 'vector-effect': 'non-scaling-stroke'})]
            : [];
    return [
        h('div.axis', {'aria-hidden': 'true'}, h('span', null, `${number(high)} ┐`)),
        frame(label, ...zero, drawn),
        h('div.axis', {'aria-hidden': 'true'}, h('span', null, `${number(low)} ┘`)),
        axis('[0]', `[${n - 1}]`),
    ];
}

/** How often which values occur. */
export function histogram(values, label) {
    const {low, high} = range(values),
        bins = new Float64Array(BINS);
    for (const v of values)
        if (Number.isFinite(v)) bins[Math.min(BINS - 1, Math.floor((BINS * (v - low)) / (high - low || 1)))]++;
    const most = Math.max(...bins),
        step = WIDE / BINS;
    const bars = [...bins].map((n, i) => {
        const high_ = most ? (n ? Math.max(2, ((HIGH - 4) * n) / most) : 0) : 0;
        return svg('rect', {
            x: (i * step + 0.5).toFixed(1),
            y: (HIGH - high_).toFixed(1),
            width: (step - 1).toFixed(1),
            height: high_.toFixed(1),
        });
    });
    return [
        h('div.axis', {'aria-hidden': 'true'}, h('span', null, `${most.toLocaleString('en')} elements ┐`)),
        frame(label, ...bars),
        axis(number(low), number(high)),
    ];
}

/** How many elements a pixel of the heatmap stands for. */
export function pooling({rows, columns}) {
    const box = [Math.ceil(rows / MOST), Math.ceil(columns / MOST)],
        size = `${rows.toLocaleString('en')} rows, ${columns.toLocaleString('en')} columns`;
    return box[0] * box[1] === 1 ? size : `${size}; each pixel is the mean of ${box[0]} × ${box[1]}`;
}

/** What the colours mean. */
export function legend(low, high) {
    return h(
        'div.axis',
        null,
        h('span', null, number(low)),
        h('span.ramp', {'aria-hidden': 'true'}),
        h('span', null, number(high)),
    );
}
