// Small helpers for building the page. Text always goes in as text, never as markup.

/** @param {string} id */
export const $ = (id) => document.getElementById(id);

/** h('p.quiet', {title: 'x'}, 'text', child, ...) */
export function h(spec, props, ...children) {
    const [tag, ...classes] = spec.split('.'),
        node = document.createElement(tag);
    if (classes.length) node.className = classes.join(' ');
    for (const [key, value] of Object.entries(props ?? {})) {
        if (key in node && typeof value !== 'string') node[key] = value;
        else node.setAttribute(key, value);
    }
    node.append(...children.flat(2).filter((c) => c !== null && c !== undefined));
    return node;
}

export const put = (node, ...children) =>
    node.replaceChildren(...children.flat().filter((c) => c !== null && c !== undefined));

/** Written through the CSSOM: the page's policy refuses style attributes. */
export function width(node, fraction) {
    node.style.width = `${Math.max(0, Math.min(1, fraction || 0)) * 100}%`;
    return node;
}

const scaled = (n, steps) => {
    for (const [size, digits, unit] of steps) if (Math.abs(n) >= size) return `${(n / size).toFixed(digits)} ${unit}`;
    return null;
};
export const bytes = (n) =>
    scaled(n, [
        [1024 ** 3, 2, 'GiB'],
        [1024 ** 2, 2, 'MiB'],
        [1024, 1, 'KiB'],
    ]) ?? `${n} B`;
export const count = (n) =>
    n < 1e4
        ? n.toLocaleString('en')
        : scaled(n, [
              [1e9, 2, 'G'],
              [1e6, 2, 'M'],
              [1e3, 1, 'k'],
          ]);
/** Milliseconds, in the unit that suits them. */
export const ms = (t) => {
    if (t === 0) return '0 ms';
    if (t < 1) return `${(t * 1000).toFixed(t < 0.01 ? 2 : 1)} µs`;
    if (t < 1e4) return `${t.toFixed(t < 100 ? 2 : 0)} ms`;
    return `${(t / 1000).toFixed(1)} s`;
};
export const number = (v) =>
    typeof v === 'bigint' ? String(v) : Number.isInteger(v) ? String(v) : String(Number(v.toPrecision(5)));
export const percent = (f) => `${(100 * (f || 0)).toFixed(1)} %`;
export const shape = (dims) => (dims.length ? dims.map((d) => (d < 0 ? '?' : d)).join('×') : 'scalar');

/** <dl> entries: name and value side by side. */
export const tiles = (pairs) =>
    pairs.map(([name, value, more]) =>
        h(
            'div',
            null,
            h('dt', null, name),
            h('dd', null, h('span', null, value), more ? [' ', h('small', null, more)] : null),
        ),
    );

export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** Sets a text that is read out, and only where it changes. */
export const say = (node, text) => {
    if (node.textContent !== text) node.textContent = text;
};
/** Read out, not shown: answers to what the visitor did, where the eye sees them anyway. */
export const announce = (text) => say($('said'), text);

/** Offers a file for saving. @param {string | Uint8Array} content */
export function save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], {type}));
    h('a', {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}
