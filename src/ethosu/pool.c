/* Pooling: the largest, or the average, of a window; and the sum over channels. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_POOL_CHANNELS = 64, NPU__EU_SUM_CHANNELS = 1024 };

typedef struct npu__eu_pool {
    npu__eu_op op;
    int32_t    average, divide; /* divide: by how many elements of the window are not padding */
    int32_t   *row, *acc, *out; /* columns times channels */
    int64_t   *wide;            /* channels */
} npu__eu_pool;

/* 1 / n as scale and shift, rounded up by so little that sums of an output's elements do not notice, but ties do: they
 * round away from zero. */
NPU__INLINE uint32_t npu__eu_one_over(int32_t n, int32_t *shift) {
    int32_t bits = 32 - npu__clz32((uint32_t)n - 1u);
    *shift = 31 + bits;
    return (uint32_t)((((uint64_t)1 << *shift) + ((uint64_t)1 << bits)) / (uint64_t)n);
}

/* Adds a row of the input to the output columns whose windows it belongs to. */
NPU__FN void npu__eu_pool_add(npu__eu_pool *v, int32_t n_c) {
    const npu__eu_op *op = &v->op;
    for (int32_t x = 0; x < op->ofm.w; x++) {
        int32_t *acc = v->acc + (size_t)x * (size_t)n_c, from = x * op->stride_x - op->pad_left;
        for (int32_t k = 0; k < op->kw; k++) {
            int32_t        at = from + k * op->dilation_x;
            const int32_t *row;
            if (at < 0 || at >= op->up_w) continue;
            row = v->row + (size_t)(op->upscale ? at / 2 : at) * (size_t)n_c;
            if (v->average) for (int32_t c = 0; c < n_c; c++) acc[c] += row[c];
            else for (int32_t c = 0; c < n_c; c++) acc[c] = NPU__MAX(acc[c], row[c]);
        }
    }
}

/* How many of `n` steps from `from` stay in [0, size). */
NPU__INLINE int32_t npu__eu_pool_inside(int32_t from, int32_t n, int32_t step, int32_t size) {
    int32_t inside = 0;
    for (int32_t i = 0; i < n; i++) inside += from + i * step >= 0 && from + i * step < size;
    return inside;
}

NPU__FN void npu__eu_pool_finish(npu__eu_pool *v, int32_t y, int32_t c, int32_t n_c) {
    const npu__eu_op *op = &v->op;
    npu__eu_out       out = op->out;
    int32_t           rows = npu__eu_pool_inside(y * op->stride_y - op->pad_top, op->kh, op->dilation_y, op->up_h);
    for (int32_t x = 0; x < op->ofm.w; x++) {
        const int32_t *acc = v->acc + (size_t)x * (size_t)n_c;
        int32_t        from = x * op->stride_x - op->pad_left;
        int32_t        count = rows * npu__eu_pool_inside(from, op->kw, op->dilation_x, op->up_w);
        int64_t        zero = (int64_t)op->ifm.zero * (v->average ? count : 1);
        for (int32_t i = 0; i < n_c; i++) v->wide[i] = count ? acc[i] - zero : 0;
        if (v->divide && count) {
            out.scaled = 1;
            out.scale = npu__eu_one_over(count, &out.shift);
        }
        npu__eu_out_plain(&out, n_c, v->wide, v->out);
        npu__eu_fm_store(&op->ofm, y, x, 1, c, n_c, v->out);
    }
}

NPU__FN npu_status npu__eu_pool_window(npu__eu_dev *d, npu__eu_pool *v) {
    npu__eu_op *op = &v->op;
    uint64_t    n_c = (uint64_t)NPU__MIN(op->ofm.c, NPU__EU_POOL_CHANNELS), width = (uint64_t)op->ofm.w;
    uint64_t    taps = (uint64_t)op->kh * (uint64_t)op->kw;
    if (op->ifm.bytes > 2 || op->upscale == NPU__EU_UPSCALE_ZEROS || op->ifm.c != op->ofm.c) {
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.pool",
                            "pooling of %d-bit elements from %d channels to %d, with upscaling %d", op->ifm.bytes * 8,
                            op->ifm.c, op->ofm.c, op->upscale);
    }
    NPU__EU_TRY(npu__eu_spend(d, width * (uint64_t)op->ofm.h, (uint64_t)op->ofm.c, taps));
    v->row = (int32_t *)npu__eu_take(d, (uint64_t)op->ifm.w * n_c, sizeof *v->row);
    v->acc = (int32_t *)npu__eu_take(d, width * n_c, sizeof *v->acc);
    v->out = (int32_t *)npu__eu_take(d, n_c, sizeof *v->out);
    v->wide = (int64_t *)npu__eu_take(d, n_c, sizeof *v->wide);
    NPU__EU_TRY(npu__eu_taken(d));
    if (!d->run) return NPU_OK;
    for (int32_t y = 0; y < op->ofm.h; y++) {
        for (int32_t c = 0; c < op->ofm.c; c += NPU__EU_POOL_CHANNELS) {
            int32_t n = NPU__MIN(NPU__EU_POOL_CHANNELS, op->ofm.c - c), from = y * op->stride_y - op->pad_top;
            size_t  size = (size_t)op->ofm.w * (size_t)n;
            for (size_t i = 0; i < size; i++) v->acc[i] = v->average ? 0 : INT32_MIN;
            for (int32_t k = 0; k < op->kh; k++) {
                int32_t at = from + k * op->dilation_y;
                if (at < 0 || at >= op->up_h) continue;
                npu__eu_fm_load(&op->ifm, op->upscale ? at / 2 : at, 0, op->ifm.w, c, n, v->row);
                npu__eu_pool_add(v, n);
            }
            npu__eu_pool_finish(v, y, c, n);
        }
    }
    return NPU_OK;
}

/* The sum of all channels of a pixel. */
NPU__FN npu_status npu__eu_pool_sum(npu__eu_dev *d, npu__eu_pool *v) {
    npu__eu_op *op = &v->op;
    int         narrow = npu__eu_reg(d, NPU__EU_SET_ACC_FORMAT) == NPU__EU_ACC_FORMAT_INT32;
    if (op->ofm.c != 1 || op->kh * op->kw != 1 || op->upscale || op->pad_top || op->pad_left) {
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.pool",
                            "a sum of channels with a kernel of %d x %d to %d channels", op->kh, op->kw, op->ofm.c);
    }
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)op->ofm.h, (uint64_t)op->ofm.w, (uint64_t)op->ifm.c));
    v->row = (int32_t *)npu__eu_take(d, NPU__EU_SUM_CHANNELS, sizeof *v->row);
    NPU__EU_TRY(npu__eu_taken(d));
    for (int32_t i = 0; d->run && i < op->ofm.h * op->ofm.w; i++) {
        int32_t y = i / op->ofm.w, x = i % op->ofm.w, sum;
        int64_t acc = -(int64_t)op->ifm.zero * op->ifm.c;
        for (int32_t c = 0; c < op->ifm.c; c += NPU__EU_SUM_CHANNELS) {
            int32_t n = NPU__MIN(NPU__EU_SUM_CHANNELS, op->ifm.c - c);
            npu__eu_fm_load(&op->ifm, y * op->stride_y, x * op->stride_x, 1, c, n, v->row);
            for (int32_t k = 0; k < n; k++) acc += v->row[k];
        }
        if (narrow) acc = (int32_t)(uint32_t)(uint64_t)acc;
        npu__eu_out_plain(&op->out, 1, &acc, &sum);
        npu__eu_fm_store(&op->ofm, y, x, 1, 0, 1, &sum);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__eu_do_pool(npu__eu_dev *d, uint32_t mode) {
    npu__eu_pool v;
    npu__eu_op  *op = &v.op;
    if (mode > NPU__EU_POOL_REDUCE_SUM) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.command", "there is no pooling operation %u", mode);
    }
    NPU__EU_TRY(npu__eu_op_ofm(d, op));
    NPU__EU_TRY(npu__eu_op_window(d, op));
    if (mode == NPU__EU_POOL_REDUCE_SUM) return npu__eu_pool_sum(d, &v);
    v.average = mode == NPU__EU_POOL_AVERAGE;
    v.divide = v.average && (!op->out.scaled || op->pad_top || op->pad_left || op->pad_bottom || op->pad_right);
    return npu__eu_pool_window(d, &v);
}

#endif
