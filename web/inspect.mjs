// What a tensor between operators held in the last run: shape, range, mean, histogram and first values.
import {h, number, plural, put, shape} from './dom.mjs';
import {histogram} from './plots.mjs';

const FIRST = 24; // values that are listed

/** @typedef {{name: string, type: string, shape: number[], elements: number, min: number | null, max: number | null,
 *             mean: number | null, notFinite: number, sample: ArrayLike<number>, strings?: string[]}} Look as engine.mjs makes it */

/** @param {Look} look */
function figures({type, shape: dims, elements, min, max, mean, notFinite, sample, strings}) {
    if (strings)
        return [
            h('p', null, `${type.toLowerCase()} ${shape(dims)}, ${plural(elements, 'string')}`),
            h('ol.strings', null, strings.slice(0, FIRST).map((s) => h('li', null, s || '(empty)'))),
        ];
    const list = Array.from({length: Math.min(FIRST, sample.length)}, (_, i) => number(sample[i])).join(', ');
    const range = min === null ? 'no finite numbers' : `from ${number(min)} to ${number(max)}, mean ${number(mean)}`;
    return [
        h('p', null, `${type.toLowerCase()} ${shape(dims)}, ${plural(elements, 'value')}: ${elements ? range : 'none'}`),
        notFinite ? h('p', null, `${plural(notFinite, 'value')} NaN or infinite`) : null,
        min !== null && min !== max ? histogram(sample, `How often which values occur in ${shape(dims)}`) : null,
        list ? h('p.quiet', null, `${list}${elements > FIRST ? ', …' : ''}`) : null,
    ];
}

/** An entry of a list of tensors: a click shows its values.
 *  @param {string} text @param {() => Promise<Look>} ask */
export function tensorEntry(text, ask) {
    const box = h('div.values', {role: 'status'}),
        button = h('button.link', {type: 'button', 'aria-expanded': 'false', title: 'Show its values in the last run'}, text);
    button.onclick = async () => {
        const open = button.getAttribute('aria-expanded') === 'true';
        button.setAttribute('aria-expanded', String(!open));
        put(box);
        if (open) return;
        try {
            const look = await ask();
            if (button.getAttribute('aria-expanded') === 'true') put(box, figures(look).flat());
        } catch (e) {
            put(box, h('p', null, e.code === 'CANCELLED' ? 'Cancelled.' : `No values: ${e.text ?? e.message}`));
        }
    };
    return h('li', null, button, box);
}

/** Takes values from the page whose run is gone. */
export function closeValues() {
    for (const button of document.querySelectorAll('#graph-op button.link')) {
        button.setAttribute('aria-expanded', 'false');
        put(button.nextElementSibling);
    }
}
