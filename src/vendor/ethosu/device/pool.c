/* Pooling: the largest, or the average, of a window; and the sum over channels. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_POOL_CHANNELS = 64, NPU__EU_POOL_COLUMNS = 1024, NPU__EU_SUM_CHANNELS = 1024 };

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
    *shift = 31 + bits; /* bounded: a window has 65536 elements, so bits <= 16 */
    /* bounded: 47 */
    return (uint32_t)((((uint64_t)1 << *shift) + ((uint64_t)1 << bits)) / (uint64_t)n);
}

/* A sum in 32 bits, as accumulators have them. */
NPU__INLINE int32_t npu__eu_wrapped(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/* Adds a row of the input to the output columns whose windows it belongs to. */
NPU__FN npu_status npu__eu_pool_add(npu__eu_dev *d, npu__eu_pool *v, int32_t n_c) {
    const npu__eu_op *op = &v->op;
    for (int32_t x = 0; x < op->ofm.w; x++) {
        /* bounded, here and below: columns of a row that was taken, below 2^21 */
        int32_t *acc = v->acc + (size_t)x * (size_t)n_c, from = x * op->stride_x - op->pad_left;
        for (int32_t k = 0; k < op->kw; k++) {
            int32_t        at = from + k * op->dilation_x; /* bounded: likewise */
            const int32_t *row;
            if (at < 0 || at >= op->up_w) continue;
            row = v->row + (size_t)(op->upscale ? at / 2 : at) * (size_t)n_c; /* bounded: likewise */
            if (v->average) for (int32_t c = 0; c < n_c; c++) acc[c] = npu__eu_wrapped(acc[c], row[c]);
            else for (int32_t c = 0; c < n_c; c++) acc[c] = NPU__MAX(acc[c], row[c]);
        }
        NPU__EU_POLL(d, op->kw * n_c); /* bounded: 2^16 * 64 */
    }
    return NPU_OK;
}

/* Row `y` of the input, channels [c, c + n_c), into v->row. */
NPU__FN npu_status npu__eu_pool_load(npu__eu_dev *d, npu__eu_pool *v, int32_t y, int32_t c, int32_t n_c) {
    const npu__eu_fm *f = &v->op.ifm;
    for (int32_t x = 0; x < f->w; x += NPU__EU_POOL_COLUMNS) {
        int32_t n = NPU__MIN(NPU__EU_POOL_COLUMNS, f->w - x);
        npu__eu_fm_load(f, y, x, n, c, n_c, v->row + (size_t)x * (size_t)n_c); /* bounded: was taken */
        NPU__EU_POLL(d, n * n_c); /* bounded: 1024 * 64 */
    }
    return NPU_OK;
}

/* How many of `n` steps from `from` stay in [0, size). */
NPU__INLINE int32_t npu__eu_pool_inside(int32_t from, int32_t n, int32_t step, int32_t size) {
    int32_t inside = 0;
    /* bounded: within the input and its padding, below 2^21 */
    for (int32_t i = 0; i < n; i++) inside += from + i * step >= 0 && from + i * step < size;
    return inside;
}

NPU__FN npu_status npu__eu_pool_finish(npu__eu_dev *d, npu__eu_pool *v, int32_t y, int32_t c, int32_t n_c) {
    const npu__eu_op *op = &v->op;
    npu__eu_out       out = op->out;
    /* bounded, here and below: below 2^21, and 65536 elements of a window */
    int32_t           rows = npu__eu_pool_inside(y * op->stride_y - op->pad_top, op->kh, op->dilation_y, op->up_h);
    for (int32_t x = 0; x < op->ofm.w; x++) {
        const int32_t *acc = v->acc + (size_t)x * (size_t)n_c; /* bounded: was taken */
        int32_t        from = x * op->stride_x - op->pad_left; /* bounded: likewise */
        int32_t        count = rows * npu__eu_pool_inside(from, op->kw, op->dilation_x, op->up_w);
        int64_t        zero = (int64_t)op->ifm.zero * (v->average ? count : 1); /* bounded: 2^16 * 2^16 */
        for (int32_t i = 0; i < n_c; i++) v->wide[i] = count ? acc[i] - zero : 0;
        if (v->divide && count) {
            out.scaled = 1;
            out.scale = npu__eu_one_over(count, &out.shift);
        }
        npu__eu_out_plain(&out, n_c, v->wide, v->out);
        npu__eu_fm_store(&op->ofm, y, x, 1, c, n_c, v->out);
        NPU__EU_POLL(d, op->kw + 4 * n_c); /* bounded: 2^16 + 256 */
    }
    return NPU_OK;
}

/* Row `y` of the output, channels [c, c + n). */
NPU__FN npu_status npu__eu_pool_rows(npu__eu_dev *d, npu__eu_pool *v, int32_t y, int32_t c, int32_t n) {
    const npu__eu_op *op = &v->op;
    int32_t           from = y * op->stride_y - op->pad_top;   /* bounded: below 2^21 */
    size_t            size = (size_t)op->ofm.w * (size_t)n;    /* bounded: 2^16 * 64 */
    for (size_t i = 0; i < size; i++) v->acc[i] = v->average ? 0 : INT32_MIN;
    NPU__EU_POLL(d, size / 4);
    for (int32_t k = 0; k < op->kh; k++) {
        int32_t at = from + k * op->dilation_y; /* bounded: below 2^21 */
        if (at < 0 || at >= op->up_h) continue;
        NPU__EU_TRY(npu__eu_pool_load(d, v, op->upscale ? at / 2 : at, c, n));
        NPU__EU_TRY(npu__eu_pool_add(d, v, n));
    }
    return npu__eu_pool_finish(d, v, y, c, n);
}

NPU__FN npu_status npu__eu_pool_window(npu__eu_dev *d, npu__eu_pool *v) {
    npu__eu_op *op = &v->op;
    uint64_t    n_c = (uint64_t)NPU__MIN(op->ofm.c, NPU__EU_POOL_CHANNELS), width = (uint64_t)op->ofm.w;
    uint64_t    taps = (uint64_t)op->kh * (uint64_t)op->kw; /* bounded: 65536 */
    if (op->ifm.bytes > 2 || op->upscale == NPU__EU_UPSCALE_ZEROS || op->ifm.c != op->ofm.c) {
        /* bounded: 4 bytes */
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.pool",
                            "pooling of %d-bit elements from %d channels to %d, with upscaling %d", op->ifm.bytes * 8,
                            op->ifm.c, op->ofm.c, op->upscale);
    }
    /* bounded: 2^16 * 2^16 each, and rows of 2^21 columns */
    NPU__EU_TRY(npu__eu_spend(d, width * (uint64_t)op->ofm.h, (uint64_t)op->ofm.c, taps + (uint64_t)op->kw + 1));
    /* bounded: likewise; the rows that are read */
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)op->ofm.h * (uint64_t)op->kh, (uint64_t)op->ifm.w, (uint64_t)op->ofm.c));
    v->row = (int32_t *)npu__eu_take(d, (uint64_t)op->ifm.w * n_c, sizeof *v->row); /* bounded: 2^21 * 2^6 */
    v->acc = (int32_t *)npu__eu_take(d, width * n_c, sizeof *v->acc); /* bounded: 2^16 * 2^6 */
    v->out = (int32_t *)npu__eu_take(d, n_c, sizeof *v->out);
    v->wide = (int64_t *)npu__eu_take(d, n_c, sizeof *v->wide);
    NPU__EU_TRY(npu__eu_taken(d));
    for (int32_t y = 0; d->run && y < op->ofm.h; y++) {
        for (int32_t c = 0; c < op->ofm.c; c += NPU__EU_POOL_CHANNELS) {
            NPU__EU_TRY(npu__eu_pool_rows(d, v, y, c, NPU__MIN(NPU__EU_POOL_CHANNELS, op->ofm.c - c)));
        }
    }
    return NPU_OK;
}

/* The sum of all channels of pixel (y, x). */
NPU__FN void npu__eu_pool_sum_one(npu__eu_pool *v, int32_t y, int32_t x, int narrow) {
    const npu__eu_op *op = &v->op;
    int64_t           acc = -(int64_t)op->ifm.zero * op->ifm.c; /* bounded: 2^16 * 2^16 */
    int32_t           sum;
    for (int32_t c = 0; c < op->ifm.c; c += NPU__EU_SUM_CHANNELS) {
        int32_t n = NPU__MIN(NPU__EU_SUM_CHANNELS, op->ifm.c - c);
        npu__eu_fm_load(&op->ifm, y * op->stride_y, x * op->stride_x, 1, c, n, v->row); /* bounded: 2^16 * 2^4 */
        for (int32_t k = 0; k < n; k++) acc += v->row[k];
    }
    if (narrow) acc = (int32_t)(uint32_t)(uint64_t)acc;
    npu__eu_out_plain(&op->out, 1, &acc, &sum);
    npu__eu_fm_store(&op->ofm, y, x, 1, 0, 1, &sum);
}

NPU__FN npu_status npu__eu_pool_sum(npu__eu_dev *d, npu__eu_pool *v) {
    npu__eu_op *op = &v->op;
    int         narrow = npu__eu_reg(d, NPU__EU_SET_ACC_FORMAT) == NPU__EU_ACC_FORMAT_INT32;
    /* padding of any side: pixels beyond the input would be read */
    if (op->ofm.c != 1 || op->kh > 1 || op->kw > 1 || op->upscale || op->pad_top || op->pad_left || op->pad_bottom ||
        op->pad_right) {
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.pool",
                            "a sum of channels with a kernel of %d x %d, or with padding, to %d channels", op->kh,
                            op->kw, op->ofm.c);
    }
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)op->ofm.h, (uint64_t)op->ofm.w, (uint64_t)op->ifm.c));
    v->row = (int32_t *)npu__eu_take(d, NPU__EU_SUM_CHANNELS, sizeof *v->row);
    NPU__EU_TRY(npu__eu_taken(d));
    for (int32_t y = 0; d->run && y < op->ofm.h; y++) {
        for (int32_t x = 0; x < op->ofm.w; x++) {
            npu__eu_pool_sum_one(v, y, x, narrow);
            NPU__EU_POLL(d, op->ifm.c + 4);
        }
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
