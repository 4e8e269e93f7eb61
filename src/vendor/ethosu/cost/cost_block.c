/* The output block of an operation, and the cycles its blocks take. */
#include "cost_block.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum {
    NPU__COST_WINDOW = 8, /* rows and columns of a window that are loaded at a time */
    NPU__COST_MAX_H = 32, /* largest blocks */
    NPU__COST_MAX_W = 64,
    NPU__COST_MAX_D = 128,
    NPU__COST_SPLIT_D = 16
};

/* ---- the block ---- */

/* Input rows (columns) that `n` output rows look at, within what is loaded at a time; a multiple of `to`. */
NPU__FN int32_t npu__cost_reach(int32_t n, int32_t stride, int32_t kernel, int32_t dilation, int32_t upscale,
                                int32_t to) {
    int64_t window = NPU__MIN((int64_t)(kernel - 1) * dilation + 1, (int64_t)NPU__COST_WINDOW);
    int64_t rows = npu__cost_ceil((int64_t)(n - 1) * stride + window, upscale);
    return npu__cost_round((int32_t)NPU__MIN(rows, 1 << 20), to);
}

/* Input and accumulators are double buffered in the internal memory; two banks stay for the output, and two for lookup
 * tables (the smallest machines give those up when there is no table). */
NPU__FN int npu__cost_fits_banks(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost_try *t) {
    int32_t wide_in = op->in[0].bits > 16;
    int64_t row = npu__cost_round(t->in_d * op->in[0].bits / 8, 8);
    int64_t in = npu__cost_ceil((int64_t)t->in_h * t->in_w * row, 1024) * 2, accumulators = 0;
    int32_t tables = op->activation == NPU__COST_ACT_LOOKUP || m->banks > 16 ? 2 : 0;
    in = npu__cost_round((int32_t)in, wide_in ? 2 * m->bank_step : m->bank_step);
    if (op->kind == NPU__COST_ELEMENTWISE) {
        int scalar = op->in[1].constant && op->in[0].bits <= 16;
        if (!scalar) in *= 2;
    } else {
        int     wide = npu__cost_wide(op);
        int64_t bytes = (int64_t)t->h * t->w * npu__cost_round(t->d, 8) * (wide ? 5 : 4);
        accumulators = npu__cost_ceil(bytes, 1024) * 2;
        accumulators = npu__cost_round((int32_t)accumulators, wide ? m->wide_step : 2 * m->bank_step);
    }
    return 2 + in + accumulators + tables <= m->banks;
}

/* Ethos-U85: likewise, in memories of their own. */
NPU__FN int npu__cost_fits_u85(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost_try *t) {
    int64_t elems = (int64_t)t->h * t->w * t->d, in;
    int32_t unit[3], d = npu__cost_equal_depth(op) ? t->d : NPU__MIN(t->in_d, op->in[0].c);
    npu__cost_in_unit(m, t->in_d, op->in[0].bits, unit);
    in = (int64_t)t->in_h * t->in_w * npu__cost_round(d, unit[2]) * op->in[0].bits / 8;
    return in * 2 <= m->in_bytes && elems * (npu__cost_wide(op) ? 8 : 4) * 2 <= m->accumulator_bytes;
}

NPU__FN int npu__cost_fits(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost_try *t) {
    return m->n_shapes > 0 ? npu__cost_fits_u85(m, op, t) : npu__cost_fits_banks(m, op, t);
}

/* Convolutions go through weights by input channel or by window position, whichever leaves fewer MACs idle. */
NPU__FN int npu__cost_part_kernel(const npu__cost_machine *m, const npu__cost_op *op) {
    int32_t c = op->in[0].c, wide = op->in[0].bits == 16;
    int64_t k = (int64_t)op->kernel_h * op->kernel_w, k_step = wide ? 2 : 4;
    double  by_channel, by_window;
    if (op->kind != NPU__COST_CONV || op->product > (m->n_shapes > 0)) return 0;
    if (m->n_shapes > 0) {
        int32_t step = op->sparse ? 10 : 5, least = op->sparse ? 4 : 2;
        by_channel = (double)c / npu__cost_round(c, op->sparse ? 128 : 64);
        by_window = (double)c / npu__cost_round(c, 16) *
                    ((double)k / (double)(k / step * step + NPU__MAX(k % step, least)));
        return by_window >= by_channel;
    }
    if (c <= 8) return 1;
    by_channel = (double)c / npu__cost_round(c, wide ? 16 : 32);
    by_window = (double)c / npu__cost_round(c, 8) * ((double)k / (double)(npu__cost_ceil(k, k_step) * k_step));
    return by_window >= by_channel;
}

NPU__FN int32_t npu__cost_in_depth(const npu__cost_machine *m, const npu__cost_op *op, int part_kernel) {
    if (m->n_shapes > 0) {
        if (part_kernel) return 16;
        if (op->sparse) return op->in[0].bits == 8 ? 128 : 64;
        return op->in[0].bits == 32 || (m->macs <= 256 && m->block_d == 16) ? 32 : 64;
    }
    if (op->in[0].bits == 16) return npu__cost_round(NPU__MIN(op->in[0].c, 16), 4);
    return npu__cost_round(NPU__MIN(op->in[0].c, part_kernel ? 16 : 32), 8);
}

/* Data read for an output element: what a block is chosen to make small. */
NPU__FN double npu__cost_traffic(const npu__cost_op *op, const npu__cost_try *t, int u85) {
    double  blocks_h = (double)op->out.h / t->h, blocks_w = (double)op->out.w / t->w;
    double  whole = (double)(npu__cost_ceil(op->out.h, t->h) * npu__cost_ceil(op->out.w, t->w));
    int64_t passes = npu__cost_ceil((int64_t)(op->kernel_h - 1) * op->dilation_h + 1, NPU__COST_WINDOW) *
                     npu__cost_ceil((int64_t)(op->kernel_w - 1) * op->dilation_w + 1, NPU__COST_WINDOW);
    double  in, weights = 0, out = (double)op->out.h * op->out.w * op->out.c;
    if (!npu__cost_uses_window(op)) return out / ((double)t->h * t->w * t->d);
    if (op->product > 1 && u85) return out / ((double)t->h * t->w * t->d);
    in = (double)t->in_h * t->in_w * op->in[0].c * (double)passes * blocks_h * blocks_w;
    if (!npu__cost_equal_depth(op)) in *= (double)npu__cost_ceil(op->out.c, t->d);
    if (op->kind == NPU__COST_CONV || op->kind == NPU__COST_DEPTHWISE) {
        weights = (double)op->kernel_h * op->kernel_w * op->in[0].c * whole;
        if (op->kind == NPU__COST_CONV) weights *= op->out.c;
    }
    return (float)((in + weights) / out);
}

/* Keeps the better of `best` and `t`. Equal traffic: the larger input area, for small blocks only. */
NPU__FN void npu__cost_prefer(const npu__cost_op *op, const npu__cost_map *in, npu__cost_try *best, double *traffic,
                              double *coverage, const npu__cost_try *t, int u85) {
    double cost = npu__cost_traffic(op, t, u85), covered;
    if ((double)in->h * in->w * in->c < 2.0 * t->in_h * t->in_w * t->in_d) cost /= 2; /* all of it fits twice */
    if (cost > *traffic) return;
    covered = (double)in->h * in->w / ((double)NPU__MIN(in->h, t->in_h) * NPU__MIN(in->w, t->in_w));
    if (cost < *traffic) covered = HUGE_VAL;
    else if (covered > *coverage || ((t->h > 4 || t->w > 4) && !(u85 && op->product > 1))) return;
    *traffic = cost;
    *coverage = covered;
    *best = *t;
}

NPU__FN int32_t npu__cost_next_depth(int32_t d, int32_t step, int32_t channels) {
    d += step;
    return d < channels ? npu__cost_round(d, NPU__COST_SPLIT_D) : d;
}

NPU__FN npu__cost_try npu__cost_search(const npu__cost_machine *m, const npu__cost_op *op, int part_kernel) {
    const npu__cost_map *in = &op->in[0];
    int32_t       more = m->n_shapes > 0; /* larger blocks */
    int32_t       top_h = npu__cost_round(NPU__MIN(op->out.h, more ? 128 : NPU__COST_MAX_H), m->block_h);
    int32_t       top_w = npu__cost_round(NPU__MIN(op->out.w, more ? 128 : NPU__COST_MAX_W), m->block_w);
    int32_t       top_d = npu__cost_round(NPU__MIN(op->out.c, more ? 1024 : NPU__COST_MAX_D), m->block_d);
    int32_t       first_d = NPU__MAX(m->block_d, NPU__MIN(top_d, NPU__COST_SPLIT_D));
    double        traffic = HUGE_VAL, coverage = HUGE_VAL;
    npu__cost_try t, best;
    int32_t       unit[3];
    unit[0] = m->block_h;
    unit[1] = m->block_w;
    if ((int64_t)op->in[1].h * op->in[1].w * op->in[1].c > (int64_t)in->h * in->w * in->c) in = &op->in[1];
    if (first_d < op->out.c) first_d = npu__cost_round(first_d, NPU__COST_SPLIT_D);
    best.h = m->block_h;
    best.w = m->block_w;
    best.d = best.in_d = m->block_d;
    best.in_h = npu__cost_reach(best.h, op->stride_h, op->kernel_h, op->dilation_h, op->upscale, m->block_h);
    best.in_w = npu__cost_reach(best.w, op->stride_w, op->kernel_w, op->dilation_w, op->upscale, m->block_w);
    for (t.d = first_d; t.d <= top_d; t.d = npu__cost_next_depth(t.d, m->block_d, op->out.c)) {
        t.in_d = npu__cost_equal_depth(op) ? t.d : npu__cost_in_depth(m, op, part_kernel);
        if (more) npu__cost_in_unit(m, t.in_d, op->in[0].bits, unit);
        for (t.h = m->block_h; t.h <= top_h; t.h += m->block_h) {
            t.in_h = npu__cost_reach(t.h, op->stride_h, op->kernel_h, op->dilation_h, op->upscale, unit[0]);
            for (t.w = m->block_w; t.w <= top_w; t.w += m->block_w) {
                t.in_w = npu__cost_reach(t.w, op->stride_w, op->kernel_w, op->dilation_w, op->upscale, unit[1]);
                if (!npu__cost_fits(m, op, &t)) break; /* nor will anything wider */
                npu__cost_prefer(op, in, &best, &traffic, &coverage, &t, more);
            }
        }
    }
    return best;
}

#endif
