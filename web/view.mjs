// Draws what the worker reported: summary, memory, verdicts, operators, outputs.
import {$, bytes, count, h, ms, number, percent, put, rows, shape, tiles, width} from './dom.mjs';
import {stored} from './types.mjs';

const TOP = 5;
const FIRST_MAP = 4; // of a compiled operator's inputs: stream, weights and scratch come before

/** The alert: what is wrong, in the words of the command line. Empty it with nothing. */
export function showError(name, error, note) {
    const alert = $('alert');
    alert.hidden = !error;
    if (!error) return put(alert);
    return put(
        alert,
        h('strong', null, `${name}: ${error.message}`),
        error.rule
            ? h(
                  'span',
                  null,
                  `${error.status}, rule `,
                  h('code', null, error.rule),
                  `, exit code ${error.exitCode} on the command line. `,
              )
            : null,
        note ?? null,
    );
}

export function showModel(name, fileBytes, model) {
    const {info, dump, memory} = model,
        ops = dump.subgraphs.reduce((n, g) => n + g.operators.length, 0);
    const costs = !info.error && !model.compiled; // compiled operators hide their weights and MACs
    $('h-model').textContent = name;
    put(
        $('tiles'),
        tiles([
            ['File', bytes(fileBytes)],
            ['Operators', ops, dump.subgraphs.length > 1 ? `in ${dump.subgraphs.length} subgraphs` : ''],
            ['Parameters', costs ? count(info.parameters) : '–'],
            ['MACs', costs ? count(info.macs) : '–'],
            ['Memory to run', memory ? bytes(memory.session_bytes) : '–'],
            ['Load', ms(model.loadMs)],
            ['Prepare', model.prepareMs ? ms(model.prepareMs) : '–'],
        ]),
    );
}

/** A bar of parts with their legend. @param {[string, number, string][]} parts name, size, colour class */
function stack(bar, parts) {
    const total = parts.reduce((n, [, v]) => n + v, 0) || 1;
    put(
        bar,
        parts.filter(([, v]) => v > 0).map(([, v, c]) => width(h(`i.${c}`), v / total)),
    );
}

export function showMemory({memory, planError, info}) {
    if (!memory) {
        put($('memory'));
        stack($('memory-bar'), []);
        $('memory-text').textContent = `This model cannot be planned: ${planError.message}`;
        return;
    }
    const rest = memory.session_bytes - memory.arena_bytes - memory.packed_bytes - memory.variable_bytes;
    const parts = [
        ['Arena (activations)', memory.arena_bytes, 'c1'],
        ['Packed weights', memory.packed_bytes, 'c2'],
        ['Variables and state', memory.variable_bytes, 'c3'],
        ['Bookkeeping', rest, 'c4'],
    ];
    const constants = info.error ? '' : ` (${bytes(info.constant_bytes)})`;
    $('memory-text').textContent =
        `A session holds exactly ${bytes(memory.session_bytes)}, known before anything is allocated; ` +
        `the plan ${bytes(memory.plan_bytes)}, the model's graph ${bytes(memory.model_bytes)}; constants stay in the ` +
        `file${constants}.${
            memory.peak_dynamic_bytes
                ? ` Tensors whose shapes depend on data took ${bytes(memory.peak_dynamic_bytes)} more.`
                : ''
        }`;
    stack($('memory-bar'), parts);
    put(
        $('memory'),
        parts.map(([name, value, c]) =>
            h('div', null, h('dt', null, h(`span.dot.${c}`), ` ${name}`), h('dd', null, bytes(value))),
        ),
    );
}

/** Operators of all subgraphs; `profile` rows (from a run) add MACs, times and kernels. */
export function showOps({dump}, profile = [], timed = false) {
    const several = dump.subgraphs.length > 1,
        total = profile.reduce((n, p) => n + p.ns, 0),
        most = profile.reduce((n, p) => Math.max(n, p.ns), 0);
    const byOp = new Map(profile.map((p) => [`${p.subgraph}:${p.op}`, p]));
    const text = (t) => (t ? `${t.type.toLowerCase()} ${shape(t.shape)}` : '–'),
        tensor = (g, i) => text(g.tensors[i]);
    $('ops-text').textContent = timed
        ? 'Times are means over the timed runs.'
        : 'Run the model to see where its time goes.';
    put(
        $('ops').tBodies[0],
        rows(
            dump.subgraphs.flatMap((g) => g.operators.map((op) => ({g, op}))),
            ({g, op}) => {
                const p = byOp.get(`${g.index}:${op.index}`),
                    time = p?.runs ? p.ns / p.runs / 1e6 : 0;
                return h(
                    'tr',
                    null,
                    h('td.op', null, several ? `${g.index}:${op.index}` : op.index),
                    h('td', null, op.op, op.known ? null : h('span.quiet', null, ' (no kernel)')),
                    h('td.mono', null, tensor(g, op.inputs[op.op === 'ethos-u' ? FIRST_MAP : 0])),
                    h('td.mono', null, tensor(g, op.outputs[0])),
                    h('td.n', null, p?.macs ? count(p.macs) : '–'),
                    h('td.n', null, p?.runs ? ms(time) : '–'),
                    h(
                        'td',
                        null,
                        p?.runs
                            ? [
                                  h('span.track', {'aria-hidden': 'true'}, width(h('span.fill'), p.ns / most)),
                                  percent(p.ns / total),
                              ]
                            : '–',
                    ),
                    h('td.mono', null, p ? p.kernel : 'folded'),
                );
            },
        ),
    );
}

/** Element as a real number where the tensor is quantized per tensor. */
function real(t, v) {
    const q = t.quantization;
    return q && q.scale.length === 1 && typeof v === 'number' ? q.scale[0] * (v - q.zeroPoint[0]) : v;
}

export const describe = (t) =>
    `${t.type.toLowerCase()} ${shape(t.shape)}${
        t.quantization
            ? t.quantization.scale.length === 1
                ? `, scale ${number(t.quantization.scale[0])}, zero point ${t.quantization.zeroPoint[0]}`
                : ', quantized per channel'
            : ''
    }`;

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

function picture(t, values) {
    const dims = t.shape[0] === 1 ? t.shape.slice(1) : t.shape,
        [height, wide, channels = 1] = dims;
    if (dims.length < 2 || dims.length > 3 || height < 8 || wide < 8 || channels > 64) return null;
    const canvas = h('canvas', {
        width: wide,
        height,
        role: 'img',
        'aria-label': `Output as a picture, ${wide} by ${height}`,
    });
    const image = new ImageData(wide, height);
    const value = (i) => {
        // the strongest of many channels, as in segmentation; else the channel itself
        if (channels <= 3) return Number(values[i * channels]);
        let best = 0;
        for (let c = 1; c < channels; c++) if (values[i * channels + c] > values[i * channels + best]) best = c;
        return best;
    };
    const plane = Float64Array.from({length: wide * height}, (_, i) => value(i));
    let low = Infinity,
        high = -Infinity;
    for (const v of plane) {
        low = Math.min(low, v);
        high = Math.max(high, v);
    }
    plane.forEach((v, i) => {
        const g = high > low ? (255 * (v - low)) / (high - low) : 0;
        image.data.set([g, g, Math.min(255, g + 40), 255], 4 * i);
    });
    canvas.getContext('2d').putImageData(image, 0, 0);
    return canvas;
}

export function showOutputs(outputs) {
    put(
        $('outputs'),
        outputs.map((t, i) => {
            const values = stored(t),
                wide = t.shape.filter((d) => d > 1).length,
                title = [h('div.name', null, `${i}: ${t.name}`), h('div.quiet', null, describe(t))];
            if (!values.length) return h('div.out', null, title, h('p.quiet', null, 'empty'));
            if (wide <= 1) {
                const best = top(values),
                    scale = Math.max(...best.map((k) => Math.abs(Number(real(t, values[k]))))) || 1;
                return h(
                    'div.out',
                    null,
                    title,
                    h(
                        'ol',
                        {'aria-label': `Largest values of output ${i}`},
                        best.map((k) =>
                            h(
                                'li',
                                null,
                                h('span.mono', null, `[${k}]`),
                                h(
                                    'span.track',
                                    {'aria-hidden': 'true'},
                                    width(h('span.fill'), Math.abs(Number(real(t, values[k]))) / scale),
                                ),
                                h(
                                    'span',
                                    null,
                                    `${number(real(t, values[k]))}${t.quantization ? ` (${values[k]})` : ''}`,
                                ),
                            ),
                        ),
                    ),
                );
            }
            let low = Infinity,
                high = -Infinity,
                sum = 0;
            for (const v of values) {
                const r = Number(real(t, v));
                low = Math.min(low, r);
                high = Math.max(high, r);
                sum += r;
            }
            return h(
                'div.out',
                null,
                title,
                h('div.quiet', null, `min ${number(low)}, max ${number(high)}, mean ${number(sum / values.length)}`),
                picture(t, values),
            );
        }),
    );
}

export function showTimes(r) {
    put(
        $('times'),
        tiles([
            ['First run', r ? ms(r.first) : '–'],
            ['Median', r ? ms(r.median) : '–', r ? `of ${r.runs}` : ''],
            ['Fastest', r ? ms(r.min) : '–'],
            ['95th percentile', r ? ms(r.p95) : '–'],
            ['Instruction set', r ? r.isa.replace('wasm-', '') : '–'],
        ]),
    );
}
