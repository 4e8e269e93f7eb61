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
    node.append(...children.flat().filter((c) => c !== null && c !== undefined));
    return node;
}

export const put = (node, ...children) =>
    node.replaceChildren(...children.flat().filter((c) => c !== null && c !== undefined));

const MOST_ROWS = 2000; // a table of a million rows would stop the page, and nobody reads it

/** Rows of a table, one for each item, up to as many as a page can show. @param {(item: any) => Node} make */
export const rows = (items, make) =>
    items.length <= MOST_ROWS
        ? items.map(make)
        : [
              ...items.slice(0, MOST_ROWS).map(make),
              h('tr', null, h('td.quiet', {colSpan: 8}, `… and ${items.length - MOST_ROWS} more: the command line lists all`)),
          ];

/** Written through the CSSOM: the page's policy refuses style attributes. */
export function width(node, fraction) {
    node.style.width = `${Math.max(0, Math.min(1, fraction || 0)) * 100}%`;
    return node;
}

export const bytes = (n) =>
    n < 1024 ? `${n} B` : n < 1024 ** 2 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1024 ** 2).toFixed(2)} MiB`;
export const count = (n) =>
    n < 1e4
        ? String(n)
        : n < 1e6
          ? `${(n / 1e3).toFixed(1)} k`
          : n < 1e9
            ? `${(n / 1e6).toFixed(2)} M`
            : `${(n / 1e9).toFixed(2)} G`;
export const ms = (t) =>
    t === 0
        ? '0'
        : t < 1
          ? `${(t * 1000).toFixed(t < 0.01 ? 2 : 1)} µs`
          : t < 100
            ? `${t.toFixed(2)} ms`
            : `${t.toFixed(0)} ms`;
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
            h('dd', null, h('span', null, value), more ? h('small', null, ` ${more}`) : null),
        ),
    );
