// The graph as a drawing: operators in the colour of who runs them, segments as groups, and all about the one that is chosen.
import {$, bytes, count, h, ms, percent, plural, put, say, shape} from './dom.mjs';
import {tensorEntry} from './inspect.mjs';
import {AT_ONCE, graphs, KERNELS, partsOf, question, RUNNERS} from './graph_parts.mjs';

const SVG = 'http://www.w3.org/2000/svg';
const BOX = {width: 176, height: 42},
    LETTERS = 21, // of a name that a box has room for
    ZOOMS = [0.25, 0.35, 0.5, 0.7, 1, 1.4, 2],
    PATIENCE_MS = 30000;

function svg(tag, props, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(props)) node.setAttribute(key, value);
    node.append(...children);
    return node;
}
const cut = (text) => (text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text);

/** Asks a worker of its own, so that a graph that takes long stops nothing. The first one loads the library. */
function layout(asked) {
    const worker = new Worker(new URL('./graph_layout.mjs', import.meta.url), {type: 'module', name: 'npu_rt layout'});
    const answer = new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no layout within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
        worker.onmessage = ({data}) => {
            clearTimeout(late);
            resolve(data);
        };
        worker.onerror = (e) => {
            clearTimeout(late);
            e.preventDefault();
            reject(new Error(e.message || 'its library (dagre) could not be loaded'));
        };
    });
    worker.postMessage(asked);
    return {answer, end: () => worker.terminate()};
}

export class Graph {
    #busy;
    #model = null;
    #judged = null;
    #all = []; // nodes by subgraph
    #parts = [];
    #drawn = null; // {nodes, part, places, boxes}
    #zoom = ZOOMS.indexOf(1);
    #chosen = -1; // an operator of the part's subgraph
    #came = []; // operators beside the one in focus: those its neighbour led to
    #turn = 0;
    #ask;
    /** @param {import('./busy.mjs').Busy} busy
     *  @param {(subgraph: number, tensor: number) => Promise<any>} ask what a tensor held in the last run */
    constructor(busy, ask) {
        this.#busy = busy;
        this.#ask = ask;
        $('graph').addEventListener('toggle', () => this.#open && !this.#drawn && this.#draw());
        $('graph-part').onchange = () => this.#draw();
        const buttons = [
            ['−', 'Smaller', () => this.#resize(this.#zoom - 1)],
            ['+', 'Larger', () => this.#resize(this.#zoom + 1)],
            ['1:1', '1:1, full size', () => this.#resize(ZOOMS.indexOf(1))],
        ].map(([text, words, act]) => {
            const button = h('button.button', {type: 'button', 'aria-label': words}, text);
            button.onclick = act;
            return button;
        });
        put($('graph-zoom'), buttons);
    }
    get #runners() {
        return this.#judged.choice.backend === 'none' ? KERNELS : RUNNERS;
    }
    /** The colours that occur. */
    #legend(nodes) {
        const there = new Set(nodes.map((node) => node.runner));
        put(
            $('graph-legend'),
            Object.entries(this.#runners)
                .filter(([name]) => there.has(name))
                .map(([name, [sign, words]]) => [h(`span.dot.${name}`, {'aria-hidden': 'true'}), `${sign} ${words}`])
                .map((parts) => h('li', null, parts)),
        );
    }
    get #open() {
        return $('graph').open;
    }

    /** A model, and what an NPU makes of it. The drawing is made when it is looked at. */
    show(model, judged) {
        const {check, cost, choice} = judged,
            other = model !== this.#model,
            same = !other && this.#judged?.check === check; // only its estimate has come
        [this.#model, this.#judged] = [model, judged];
        this.#all = graphs(model.dump, check.error ? null : check, cost?.error ? null : cost);
        $('graph').querySelector('summary').textContent =
            choice.backend === 'none'
                ? 'Drawing: which operators have a kernel'
                : `Drawing: who runs each operator on ${choice.backend}`;
        if (other) {
            this.#parts = partsOf(this.#all);
            put(
                $('graph-part'),
                this.#parts.map((part, i) => h('option', {value: String(i)}, part.words)),
            );
            $('graph-part-row').hidden = this.#parts.length < 2;
            this.#chosen = -1;
            $('graph').open = false;
        }
        if (same && this.#drawn) {
            this.#drawn.nodes = this.#all[this.#drawn.part.subgraph];
            return this.#tell();
        }
        this.#clear();
        if (this.#open) this.#draw();
        return undefined;
    }
    #clear() {
        this.#turn++;
        this.#drawn = null;
        put($('graph-box'));
        put($('graph-legend'));
        say($('graph-status'), '');
        $('graph-op').hidden = true;
    }

    async #draw() {
        const part = this.#parts[Number($('graph-part').value)],
            start = performance.now();
        this.#clear();
        const mine = this.#turn;
        if (!part) return say($('graph-status'), 'There are no operators.');
        const nodes = this.#all[part.subgraph];
        if (this.#chosen < part.first || this.#chosen >= part.first + part.count) this.#chosen = -1;
        say($('graph-status'), `Drawing ${plural(part.count, 'operator')} …`);
        const {answer, end} = layout(question(nodes, part, BOX));
        try {
            const places = await this.#busy.during('graph', (until) => until(answer));
            if (mine !== this.#turn) return undefined;
            this.#paint(nodes, part, places);
            const total = nodes.length > part.count ? ` of ${nodes.length.toLocaleString('en')}; ${AT_ONCE} at once` : '',
                took = ms(Math.max(1, Math.round(performance.now() - start)));
            say($('graph-status'), `${plural(part.count, 'operator')}${total}, drawn in ${took}`);
        } catch (e) {
            if (mine === this.#turn)
                say($('graph-status'), e.code === 'CANCELLED' ? 'The drawing was cancelled.' : `No drawing: ${e.message}.`);
        } finally {
            end();
        }
        return undefined;
    }

    #paint(nodes, part, places) {
        const groups = places.groups.map(({x, y, width, height}) =>
            svg('rect', {class: 'segment', x: x - width / 2, y: y - height / 2, width, height, rx: 10}),
        );
        const edges = places.edges.map((points) =>
            svg('polyline', {
                class: 'edge',
                points: points.map(({x, y}) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' '),
            }),
        );
        const boxes = places.boxes.map((place, k) => this.#box(nodes[part.first + k], place, part.first + k));
        const size = {viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto'},
            tip = svg('marker', {id: 'tip', ...size}, svg('path', {d: 'M0 0 L8 4 L0 8 Z'}));
        const drawing = svg(
            'svg',
            {
                viewBox: `0 0 ${places.width} ${places.height}`,
                role: 'application',
                'aria-roledescription': 'graph of operators',
                'aria-label': `${plural(part.count, 'operator')}, ${plural(places.groups.length, 'segment')} on the NPU`,
                'aria-describedby': 'graph-help',
            },
            svg('defs', {}, tip),
            ...groups,
            ...edges,
            ...boxes,
        );
        this.#drawn = {nodes, part, places, boxes, drawing};
        drawing.addEventListener('keydown', (e) => this.#key(e));
        drawing.addEventListener('click', (e) => {
            const box = /** @type {Element} */ (e.target).closest('.op');
            if (box) this.#choose(Number(box.dataset.op));
        });
        put($('graph-box'), drawing);
        this.#legend(nodes.slice(part.first, part.first + part.count));
        this.#resize(this.#zoom);
        this.#mark();
        if (this.#chosen >= 0) this.#tell();
    }
    #box(node, {x, y}, i) {
        const [sign, words] = this.#runners[node.runner],
            t = this.#tensor(node, node.op.outputs[0]),
            lines = [`${sign} ${cut(node.op.op)}`, cut(t ? `${t.type.toLowerCase()} ${shape(t.shape)}` : '')];
        return svg(
            'g',
            {
                class: `op ${node.runner}`,
                role: 'button',
                tabindex: -1,
                'aria-pressed': 'false',
                'data-op': i,
                transform: `translate(${(x - BOX.width / 2).toFixed(1)} ${(y - BOX.height / 2).toFixed(1)})`,
            },
            svg('title', {}, `${node.op.index} ${node.op.op}: run by ${words}`),
            svg('rect', {width: BOX.width, height: BOX.height, rx: 7}),
            svg('text', {x: 9, y: 18}, lines[0]),
            svg('text', {class: 'small', x: 9, y: 34}, lines[1]),
        );
    }
    #tensor = (node, i) => this.#model.dump.subgraphs[this.#subgraph(node)].tensors[i];
    #subgraph = (node) => this.#all.findIndex((nodes) => nodes.includes(node));

    #resize(zoom) {
        this.#zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom));
        if (!this.#drawn) return;
        const {drawing, places} = this.#drawn;
        drawing.setAttribute('width', places.width * ZOOMS[this.#zoom]);
        drawing.setAttribute('height', places.height * ZOOMS[this.#zoom]);
    }

    /** One box can be reached by Tab: the one chosen, or the first. */
    #mark() {
        const {boxes, part} = this.#drawn,
            stop = Math.max(0, this.#chosen - part.first);
        boxes.forEach((box, k) => {
            box.setAttribute('tabindex', k === stop ? '0' : '-1');
            box.setAttribute('aria-pressed', String(k + part.first === this.#chosen));
        });
    }
    #focus(i) {
        const {boxes, part} = this.#drawn;
        for (const box of boxes) box.setAttribute('tabindex', '-1');
        const box = boxes[i - part.first];
        box.setAttribute('tabindex', '0');
        box.focus({preventScroll: true});
        box.scrollIntoView({block: 'nearest', inline: 'nearest'});
    }

    #key(e) {
        const from = Number(/** @type {Element} */ (e.target).closest('.op')?.dataset.op ?? -1);
        if (from < 0 || e.altKey || e.ctrlKey || e.metaKey) return;
        if (e.key === 'Enter' || e.key === ' ') this.#choose(from);
        else {
            const to = this.#step(e.key, from);
            if (to === undefined) return;
            if (to !== from) this.#focus(to);
        }
        e.preventDefault();
    }
    /** Where a key leads: along an edge, or to another end of the edges that led here. */
    #step(key, from) {
        const {nodes, part} = this.#drawn,
            inside = (list) => list.filter((i) => i >= part.first && i < part.first + part.count),
            {before, after} = nodes[from];
        if (key === 'Home') return part.first;
        if (key === 'End') return part.first + part.count - 1;
        if (key === 'ArrowDown' || key === 'ArrowUp') {
            this.#came = this.#across(inside(key === 'ArrowDown' ? after : before));
            return this.#came[0] ?? from;
        }
        if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
        const beside = this.#came.includes(from)
            ? this.#came
            : this.#across(inside([...before.flatMap((i) => nodes[i].after), ...after.flatMap((i) => nodes[i].before)]));
        return beside[beside.indexOf(from) + (key === 'ArrowRight' ? 1 : -1)] ?? from;
    }
    /** From left to right. */
    #across(list) {
        const {places, part} = this.#drawn,
            x = (i) => places.boxes[i - part.first].x;
        return [...new Set(list)].sort((a, b) => x(a) - x(b));
    }

    #choose(i) {
        this.#chosen = i;
        this.#came = [];
        this.#mark();
        this.#focus(i);
        this.#tell();
    }
    /** All that is known of the operator that is chosen. */
    #tell() {
        const box = $('graph-op'),
            node = this.#drawn?.nodes[this.#chosen];
        box.hidden = !node;
        if (!node) return put(box);
        const {op, verdict, cost} = node,
            tensors = (list) =>
                list
                    .map((i) => [i, this.#tensor(node, i)])
                    .filter(([, t]) => t)
                    .map(([i, t]) =>
                        tensorEntry(`${t.name || '(unnamed)'}: ${t.type.toLowerCase()} ${shape(t.shape)}`, () =>
                            this.#ask(this.#subgraph(node), i),
                        ),
                    ),
            refused = (verdict?.reasons ?? []).map((r) =>
                h('li', null, `${r.text}: got ${r.got}, allowed ${r.limit}. ${r.hint} `, h('code.quiet', null, r.rule)),
            ),
            warned = (verdict?.warnings ?? []).map((r) =>
                h('li', null, `${r.text} (${r.got}). ${r.hint} `, h('code.quiet', null, r.rule)),
            );
        const part = (title, items) => (items.length ? [h('h4', null, title), h('ul', null, items)] : []);
        return put(
            box,
            h('h3', null, `${op.index} ${op.op}`),
            h('p', null, `Run by ${this.#runners[node.runner][1]}${node.segment < 0 ? '' : `, in segment ${node.segment + 1}`}.`),
            part('Why not on the NPU', node.runner === 'npu' || node.runner === 'dropped' ? [] : refused),
            part('Warnings', warned),
            part('Estimated cost', this.#costs(cost)),
            part('Inputs', tensors(op.inputs)),
            part('Outputs', tensors(op.outputs)),
        );
    }
    #costs(cost) {
        if (!this.#judged.cost) return [h('li', null, 'estimating …')];
        if (!cost) return [];
        if (cost.cycles === undefined) return [h('li', null, cost.runs_on === 'CPU' ? 'not estimated' : 'none of its own')];
        const hz = this.#judged.cost.clock_hz;
        return [
            `${count(cost.cycles)} cycles, ${ms((1e3 * cost.cycles) / hz)} at ${hz / 1e6} MHz`,
            cost.macs ? `${count(cost.macs)} MACs, ${percent(cost.utilisation)} of the MAC units used` : null,
            `${bytes(cost.sram_bytes)} of fast memory in use`,
        ]
            .filter(Boolean)
            .map((text) => h('li', null, text));
    }
}
