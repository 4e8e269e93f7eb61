/* Blocks of an Ethos-U85, for windows over each channel and for element by element operations; products and convolutions
 * are searched like those of its predecessors (cost_block.c). */
#include "cost_block.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum { NPU__COST_U85_AREA = 128, NPU__COST_U85_DEPTH = 1024, NPU__COST_U85_GRAIN = 16 };

/* May an operation be computed in such smallest blocks? Those of 16 channels suit what works on each channel alone. */
NPU__FN int npu__cost_shape_suits(const npu__cost_machine *m, const npu__cost_op *op, const int32_t *shape) {
    int each = npu__cost_equal_depth(op), deep = shape[2] == 16;
    if (op->kind == NPU__COST_ELEMENTWISE) return 1;
    if (m->macs > 512) return each || op->kind == NPU__COST_REDUCE ? deep : !(op->product > 1 && deep);
    if (m->macs == 512) return 1;
    if (each) return deep == (op->in[0].bits == 8);
    return !deep || (op->in[0].bits == 16 && op->kind == NPU__COST_CONV && op->kernel_h * op->kernel_w == 1);
}

/* The smallest block: what rounds the output up least. */
NPU__FN void npu__cost_fit(npu__cost_machine *m, const npu__cost_op *op) {
    double least = HUGE_VAL;
    for (int32_t i = 0; i < m->n_shapes; i++) {
        const int32_t *s = m->shapes[i];
        double volume = (double)npu__cost_round(op->out.h, s[0]) * npu__cost_round(op->out.w, s[1]) *
                        npu__cost_round(op->out.c, s[2]);
        if (volume >= least || !npu__cost_shape_suits(m, op, s)) continue;
        least = volume;
        m->block_h = s[0];
        m->block_w = s[1];
        m->block_d = s[2];
    }
}

/* Inputs are held in units of so many rows and columns; deep ones in smaller units. */
NPU__FN void npu__cost_in_unit(const npu__cost_machine *m, int32_t depth, int32_t bits, int32_t *unit) {
    int32_t wide = depth * bits > 256 ? 2 : depth * bits > 128 ? 1 : 0;
    int     flat = m->block_h == 1 && m->block_w == 4;
    switch (m->macs) {
    case 128: unit[0] = 1; unit[1] = wide ? 1 : 2; break;
    case 256: case 512:
        unit[0] = wide || flat ? 1 : 2;
        unit[1] = wide == 2 ? 1 : wide == 1 ? 2 : flat ? 4 : 2;
        break;
    case 1024:
        unit[0] = wide == 2 || (wide == 1 && flat) ? 1 : 2;
        unit[1] = wide == 2 ? 2 : wide == 1 && !flat ? 2 : 4;
        break;
    default:
        unit[0] = wide == 0 ? 4 : wide == 1 ? 2 : flat ? 1 : 2;
        unit[1] = wide == 2 && !flat ? 2 : 4;
    }
    unit[2] = (128 / bits) << (m->macs == 128 ? NPU__MIN(wide, 1) : wide);
}

NPU__FN void npu__cost_in_block(const npu__cost_machine *m, const npu__cost_op *op, npu__cost_try *t) {
    int32_t unit[3], fixed = op->kind == NPU__COST_REDUCE ? npu__cost_in_depth(m, op, 0) : 0;
    npu__cost_in_unit(m, fixed ? fixed : t->d, op->in[0].bits, unit);
    t->in_h = npu__cost_reach(t->h, op->stride_h, op->kernel_h, op->dilation_h, op->upscale, unit[0]);
    t->in_w = npu__cost_reach(t->w, op->stride_w, op->kernel_w, op->dilation_w, op->upscale, unit[1]);
    t->in_d = npu__cost_round(fixed ? fixed : t->d, unit[2]);
}

/* A tile of at most `tile` that leaves the largest rest of `range`. */
NPU__FN int32_t npu__cost_even_tile(int32_t range, int32_t grain, int32_t tile) {
    int32_t even, best = tile, rest = range % tile;
    if (rest == 0) return tile;
    even = NPU__MAX(npu__cost_round(range / (range / tile + 1), grain), grain);
    even = NPU__MAX(NPU__MAX(even - 2 * grain, (even + 1) / 2), grain);
    for (int32_t t = tile; t >= even; t -= grain) {
        int32_t left = range % t ? range % t : t;
        if (left <= rest) continue;
        best = t;
        rest = left;
    }
    return best;
}

typedef struct npu__cost_area {
    int32_t out[3], most[3]; /* the output in whole smallest blocks; the largest block */
    double  accumulators, inputs, held; /* elements there is room for; of the whole input */
} npu__cost_area;

/* The area of a block of t->d channels, shaped like the output, that both memories hold. 0: none. */
NPU__FN int npu__cost_fit_area(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost_area *a,
                               npu__cost_try *t) {
    int32_t grain = m->block_h * m->block_w * NPU__COST_U85_GRAIN, same = 0;
    double  budget = a->accumulators, last = -1, aspect = (double)a->out[0] / a->out[1];
    for (int32_t tries = 0; tries < 64; tries++) {
        double w = sqrt(floor(budget / t->d) / aspect), h = w * aspect, of_acc, of_in, needs, smaller;
        int32_t area;
        if (h < 1) {
            w *= h;
            h = 1;
        } else if (w < 1) {
            h *= w;
            w = 1;
        }
        t->w = NPU__MIN(NPU__MAX((int32_t)w, m->block_w) / m->block_w * m->block_w, a->most[1]);
        t->h = NPU__MIN(NPU__MAX((int32_t)h, m->block_h) / m->block_h * m->block_h, a->most[0]);
        area = t->w * t->h;
        if (t->w < a->out[1]) t->w = npu__cost_even_tile(a->out[1], m->block_w, t->w);
        t->h = NPU__MAX(area / t->w / m->block_h * m->block_h, m->block_h);
        npu__cost_in_block(m, op, t);
        needs = (double)t->w * t->h * t->d;
        of_acc = a->accumulators / needs;
        of_in = a->inputs / NPU__MIN((double)t->in_h * t->in_w * t->in_d, a->held);
        if (of_acc >= 1 && of_in >= 1) return 1;
        same += needs == last;
        if (same >= 25) of_in = 0.9;
        last = needs;
        if (of_in < 1 && of_acc > 1) budget = NPU__MIN(budget, needs);
        smaller = floor(floor(budget / grain) * NPU__MIN(of_acc, of_in)) * grain;
        if (smaller == budget) smaller -= grain;
        if (smaller < grain) return 0;
        budget = smaller;
    }
    return 0;
}

/* How far a block is from covering the output: area first, or width and channels where the window is one pixel. */
NPU__FN double npu__cost_area_waste(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost_area *a,
                                    const npu__cost_try *t) {
    int     pixel = op->kernel_h == 1 && op->kernel_w == 1;
    int32_t unit[3], used;
    double  whole = (double)a->out[1] * (pixel ? a->out[2] : a->out[0]), covered = (double)t->w * (pixel ? t->d : t->h);
    npu__cost_in_unit(m, op->kind == NPU__COST_REDUCE ? npu__cost_in_depth(m, op, 0) : t->d, op->in[0].bits, unit);
    used = t->d % unit[2] ? t->d % unit[2] : unit[2];
    return (1 + fabs(1 - whole / covered)) * (1 + fabs(1 - (double)a->most[2] / t->d) / 10) *
           (1 + (double)(unit[2] - used) / unit[2] / 10);
}

/* Makes room for another row of inputs to be read ahead. */
NPU__FN void npu__cost_read_ahead(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost_area *a,
                                  npu__cost_try *t) {
    for (int32_t tries = 0, force = 0; tries < 128; tries++) {
        npu__cost_try row = *t;
        int32_t       unit[3];
        npu__cost_in_block(m, op, t);
        if (t->w >= a->out[1] && t->h >= a->out[0] && t->d >= a->out[2]) return;
        row.h = m->block_h;
        npu__cost_in_block(m, op, &row);
        if (a->inputs - (double)t->in_h * t->in_w * t->in_d >= (double)row.in_h * row.in_w * row.in_d) return;
        npu__cost_in_unit(m, op->kind == NPU__COST_REDUCE ? npu__cost_in_depth(m, op, 0) : t->d, op->in[0].bits, unit);
        if ((t->h != a->out[0] || force > 1) && t->h > m->block_h) t->h -= m->block_h;
        else if ((t->d > t->w || force > 0) && t->d > unit[2]) t->d -= unit[2];
        else if ((t->w != a->out[1] || force > 2) && t->w > m->block_w) t->w -= m->block_w;
        else if (force < 3) force++;
        else if (t->d > NPU__COST_U85_GRAIN) t->d = NPU__MAX(t->d / 2, NPU__COST_U85_GRAIN);
        else return;
    }
}

NPU__FN void npu__cost_area_limits(const npu__cost_machine *m, const npu__cost_op *op, npu__cost_area *a) {
    a->out[0] = npu__cost_round(op->out.h, m->block_h);
    a->out[1] = npu__cost_round(op->out.w, m->block_w);
    a->out[2] = npu__cost_round(op->out.c, NPU__COST_U85_GRAIN);
    a->most[0] = NPU__MIN(a->out[0], NPU__COST_U85_AREA);
    a->most[1] = NPU__MIN(a->out[1], NPU__COST_U85_AREA);
    a->most[2] = NPU__MIN(a->out[2], NPU__COST_U85_DEPTH);
}

NPU__FN npu__cost_try npu__cost_area_block(const npu__cost_machine *m, const npu__cost_op *op) {
    npu__cost_area a;
    npu__cost_try  t, best;
    double         least = HUGE_VAL;
    int32_t        deepest;
    npu__cost_area_limits(m, op, &a);
    a.accumulators = (double)m->accumulator_bytes / (op->kind == NPU__COST_DEPTHWISE && npu__cost_wide(op) ? 8 : 4);
    a.inputs = (double)m->in_bytes * 8 / op->in[0].bits;
    deepest = NPU__MAX(m->macs, (int32_t)a.accumulators / (m->block_h * m->block_w * NPU__COST_U85_GRAIN));
    deepest = NPU__MIN(deepest, a.most[2]);
    memset(&best, 0, sizeof best);
    best.h = m->block_h;
    best.w = m->block_w;
    best.d = NPU__COST_U85_GRAIN;
    for (t.d = NPU__COST_U85_GRAIN; t.d <= deepest; t.d += NPU__COST_U85_GRAIN) {
        int32_t unit[3];
        double  waste;
        npu__cost_in_unit(m, op->kind == NPU__COST_REDUCE ? npu__cost_in_depth(m, op, 0) : t.d, op->in[0].bits, unit);
        a.held = (double)npu__cost_round(op->in[0].h, unit[0]) * npu__cost_round(op->in[0].w, unit[1]) *
                 npu__cost_round(op->in[0].c, unit[2]);
        if (!npu__cost_fit_area(m, op, &a, &t)) break;
        waste = npu__cost_area_waste(m, op, &a, &t);
        if (waste >= least) continue;
        least = waste;
        best = t;
        if (t.d < a.out[2] || t.w < a.out[1] || t.h < a.out[0]) continue;
        best.h = a.out[0];
        best.w = a.out[1];
        best.d = a.out[2];
        break;
    }
    npu__cost_read_ahead(m, op, &a, &best);
    return best;
}

/* An even part of `range` of at most `tile`. */
NPU__FN int32_t npu__cost_part(int32_t range, int32_t grain, int32_t tile) {
    tile = NPU__MAX(tile / grain * grain, grain);
    return range % tile == 0 ? tile : NPU__MAX(npu__cost_round(range / (range / tile + 1), grain), grain);
}

/* Takes what `from` has too much of, in multiples, for `value`. */
NPU__FN int32_t npu__cost_spread(int32_t value, int32_t most, int32_t *from, int32_t needed) {
    int32_t times = NPU__MIN(*from / needed, most / value);
    if (times < 2) return value;
    *from /= times;
    return value * times;
}

/* Element by element: the output buffer, or the buffer between chained operations, holds a block. */
NPU__FN npu__cost_try npu__cost_element_block(const npu__cost_machine *m, const npu__cost_op *op) {
    const npu__cost_map *a = &op->in[0], *b = &op->in[1];
    npu__cost_area l;
    npu__cost_try  t;
    int32_t        bricks = m->between_bytes / 6 / (16 * op->in[0].bits / 8) / m->block_h, width, needed;
    int            two = b->h > 0 && !b->constant;
    npu__cost_area_limits(m, op, &l);
    width = m->out_bytes * 8 / op->in[0].bits / NPU__COST_U85_GRAIN;
    t.h = npu__cost_part(l.out[0], m->block_h, l.most[0]);
    needed = NPU__MAX(npu__cost_part(l.out[1], m->block_w, NPU__MIN(width, l.most[1])), m->block_w);
    t.d = npu__cost_spread(NPU__COST_U85_GRAIN, l.most[2], &width, needed);
    if (two && (a->c < op->out.c || b->c < op->out.c)) {
        t.d = npu__cost_part(l.out[2], NPU__COST_U85_GRAIN, l.most[2]);
        width = bricks;
        if (a->h == b->h && a->w == b->w) t.h = npu__cost_spread(m->block_h, l.most[0], &width, needed);
    } else if (two && (a->h < op->out.h || b->h < op->out.h)) {
        width = bricks;
        t.d = npu__cost_spread(NPU__COST_U85_GRAIN, l.most[2], &width, needed);
    }
    if (op->resize) { /* a row of as many pixels as fit */
        width = (int32_t)NPU__MIN(((int64_t)(m->between_bytes / 96 - 2) * op->out.w + op->in[0].w) / op->in[0].w,
                                  (int64_t)NPU__COST_U85_AREA);
        t.h = 1;
        t.d = NPU__COST_U85_GRAIN;
        width = NPU__MAX(width / m->block_w * m->block_w, 1);
        t.in_h = 2;
    }
    t.w = op->resize ? width : npu__cost_round(NPU__MAX(width, 1), m->block_w);
    t.in_h = op->resize ? 2 : t.h;
    t.in_w = t.w;
    t.in_d = t.d;
    return t;
}

/* ---- of all ---- */

NPU__FN int32_t npu__cost_rows_in(const npu__cost_op *op, int32_t rows) {
    int64_t n = (int64_t)(rows - 1) * op->stride_h + (int64_t)(op->kernel_h - 1) * op->dilation_h + 1;
    return (int32_t)NPU__MIN(npu__cost_ceil(n, op->upscale), (int64_t)op->in[0].h);
}

/* Plain copies are searched. */
NPU__FN int npu__cost_uses_area(const npu__cost_op *op) {
    if (op->kind == NPU__COST_POOL) return !op->copies;
    return op->kind == NPU__COST_DEPTHWISE || op->kind == NPU__COST_REDUCE;
}

NPU__FN void npu__cost_choose_block(npu__cost *out, const npu__cost_machine *m, const npu__cost_op *op,
                                    int32_t rows) {
    npu__cost_machine fitted = *m;
    npu__cost_op      striped = *op;
    npu__cost_try     t;
    if (rows < op->out.h) {
        striped.out.h = rows;
        for (int32_t i = 0; i < 2; i++) striped.in[i].h = NPU__MIN(striped.in[i].h, npu__cost_rows_in(op, rows));
    }
    npu__cost_fit(&fitted, &striped);
    out->part_kernel = npu__cost_part_kernel(m, op);
    if (m->n_shapes > 0 && op->kind == NPU__COST_ELEMENTWISE) t = npu__cost_element_block(&fitted, &striped);
    else if (m->n_shapes > 0 && npu__cost_uses_area(op)) t = npu__cost_area_block(&fitted, &striped);
    else t = npu__cost_search(&fitted, &striped, out->part_kernel);
    out->smallest[0] = fitted.block_h;
    out->smallest[1] = fitted.block_w;
    out->smallest[2] = fitted.block_d;
    out->block[0] = t.h;
    out->block[1] = t.w;
    out->block[2] = t.d;
    out->in_block[0] = t.in_h;
    out->in_block[1] = t.in_w;
    out->in_block[2] = t.in_d;
}

#endif
