// Draws what the worker reported: errors, summary, memory, times.
import {$, bytes, count, h, ms, put, tiles, width} from './dom.mjs';

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
            [
                'Operators',
                ops.toLocaleString('en'),
                dump.subgraphs.length > 1 ? `in ${dump.subgraphs.length} subgraphs` : '',
            ],
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

/** Times of a run; none without one. */
export function showTimes(r) {
    $('times').hidden = !r;
    if (!r) return put($('times'));
    return put(
        $('times'),
        tiles([
            ['First run', ms(r.first)],
            ['Median', ms(r.median), `of ${r.runs.toLocaleString('en')} runs`],
            ['Fastest', ms(r.min)],
            ['95th percentile', ms(r.p95)],
            ['Instruction set', r.isa.replace('wasm-', ''), r.threads > 1 ? `${r.threads} threads` : ''],
        ]),
    );
}
