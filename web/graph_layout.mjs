// A worker that lays out a graph, with dagre: operators as boxes, segments as groups around them.
import {Graph, layout} from './dagre.mjs';

/** @typedef {{width: number, height: number, group?: string}} Box */

/** @param {{boxes: Box[], edges: [number, number][], groups: string[]}} asked positions in `boxes` and names of groups
 *  @returns centres of the boxes, points of the edges, places of the groups, and the size of it all */
function laidOut({boxes, edges, groups}) {
    const g = new Graph({compound: true});
    g.setGraph({rankdir: 'TB', nodesep: 26, ranksep: 30, marginx: 16, marginy: 16});
    g.setDefaultEdgeLabel(() => ({}));
    for (const name of groups) g.setNode(`g${name}`, {});
    boxes.forEach(({width, height, group}, i) => {
        g.setNode(`n${i}`, {width, height});
        if (group !== undefined) g.setParent(`n${i}`, `g${group}`);
    });
    for (const [from, to] of edges) g.setEdge(`n${from}`, `n${to}`);
    layout(g);
    const place = (name) => {
        const {x, y, width, height} = g.node(name);
        return {x, y, width, height};
    };
    const {width, height} = g.graph();
    return {
        boxes: boxes.map((_, i) => place(`n${i}`)),
        groups: groups.map((name) => place(`g${name}`)),
        edges: edges.map(([from, to]) => g.edge(`n${from}`, `n${to}`).points),
        width,
        height,
    };
}

self.onmessage = ({data}) => self.postMessage(laidOut(data));
