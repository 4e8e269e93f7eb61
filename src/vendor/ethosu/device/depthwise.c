/* Depthwise convolutions: each channel has a kernel of its own. Kernel elements are taken two at a time. */
#include "exec.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_DW_PIECE = 1 << 18 }; /* multiplications between two polls, but 8 channels at least */

typedef struct npu__eu_dw {
    npu__eu_op      op;
    npu__eu_kernel  kernel;
    npu__eu_rows    rows;
    int32_t         taps, wide, piece; /* channels that are done at a time, a multiple of 8 */
    size_t          depth; /* channels, filled up to a multiple of 8 */
    int16_t        *weights;
    const int16_t **at;    /* where each kernel element is for output column 0; an even number of them */
    int32_t        *acc, *out;
    int64_t        *acc64;
} npu__eu_dw;

/* Channels [from, end), which are filled up to a multiple of 8. */
NPU__FN void npu__eu_dw_pixel(npu__eu_dw *v, size_t dx, size_t from, size_t end) {
    for (size_t c = from; c < end; c += 8) {
        npu__eu_i32x4  acc[2];
        const int16_t *w = v->weights + 2 * c; /* bounded: was taken */
        acc[0] = acc[1] = npu__eu_i32x4_zero();
        for (int32_t t = 0; t < v->taps; t += 2, w += 2 * v->depth) { /* bounded: was taken */
            npu__eu_madd_pair(acc, npu__eu_load8(v->at[t] + dx + c), npu__eu_load8(v->at[t + 1] + dx + c), w);
        }
        npu__eu_i32x4_store(acc[0], v->acc + c);
        npu__eu_i32x4_store(acc[1], v->acc + c + 4);
    }
}

/* Sums of 16-bit products that might not fit int32. */
NPU__FN void npu__eu_dw_pixel_wide(npu__eu_dw *v, size_t dx, size_t from, size_t end) {
    memset(v->acc64 + from, 0, (end - from) * sizeof *v->acc64); /* bounded: was taken */
    for (int32_t t = 0; t < v->taps; t++) {
        /* bounded: elements that were taken */
        const int16_t *x = v->at[t] + dx, *w = v->weights + (size_t)(t / 2) * 2 * v->depth + t % 2;
        for (size_t c = from; c < end; c++) v->acc64[c] += (int32_t)x[c] * w[2 * c]; /* bounded: 15 and 9 bits */
    }
}

NPU__FN npu_status npu__eu_dw_row(npu__eu_dev *d, npu__eu_dw *v, int32_t y) {
    const npu__eu_op *op = &v->op;
    size_t            step = (size_t)op->stride_x * (size_t)op->ifm.c; /* bounded: 16 * 65536 */
    for (int32_t ky = 0; ky < op->kh; ky++) {
        /* bounded: a row of the input or its padding, below 2^21 */
        const int16_t *row = npu__eu_row(&v->rows, y * op->stride_y - op->pad_top + ky * op->dilation_y);
        if (!row) return NPU_CANCELLED;
        for (int32_t kx = 0; kx < op->kw; kx++) {
            /* bounded: less than the row's pitch; one of kh * kw places */
            v->at[ky * op->kw + kx] = row + (size_t)kx * (size_t)op->dilation_x * (size_t)op->ifm.c;
        }
    }
    if (v->taps % 2) v->at[v->taps] = v->at[0]; /* its weights are zero */
    for (int32_t x = 0; x < op->ofm.w; x++) {
        for (int32_t c = 0, n; c < op->ofm.c; c += n) {
            size_t from = (size_t)c, dx = (size_t)x * step; /* bounded: less than the row's pitch */
            n = NPU__MIN(v->piece, op->ofm.c - c);
            if (v->wide) {
                npu__eu_dw_pixel_wide(v, dx, from, from + (size_t)n);
                npu__eu_out_channels64(&op->out, c, n, v->acc64 + c, v->out);
            } else {
                npu__eu_dw_pixel(v, dx, from, from + (size_t)n);
                npu__eu_out_channels(&op->out, c, n, v->acc + c, v->out);
            }
            npu__eu_fm_store(&op->ofm, y, x, 1, c, n, v->out);
            NPU__EU_POLL(d, n * (v->taps + 4)); /* bounded: 2^18 and some, or 8 * 4100 */
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__eu_dw_open(npu__eu_dev *d, npu__eu_dw *v) {
    npu__eu_op *op = &v->op;
    uint64_t    depth, taps, pixels;
    NPU__EU_TRY(npu__eu_op_ofm(d, op));
    NPU__EU_TRY(npu__eu_op_window(d, op));
    if (op->ifm.c != op->ofm.c) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.depth",
                            "a depthwise convolution of %d channels cannot have %d outputs", op->ifm.c, op->ofm.c);
    }
    NPU__EU_TRY(npu__eu_kernel_open(d, &v->kernel, op, 1));
    NPU__EU_TRY(npu__eu_rows_open(d, &v->rows, op, 1));
    depth = ((uint64_t)op->ofm.c + 7) / 8 * 8;
    taps = (uint64_t)op->kh * (uint64_t)op->kw; /* bounded: 4096 */
    pixels = (uint64_t)op->ofm.h * (uint64_t)op->ofm.w; /* bounded: 2^16 * 2^16 */
    v->taps = (int32_t)taps;
    v->piece = NPU__MAX(1, NPU__EU_DW_PIECE / 8 / v->taps) * 8; /* bounded: 2^18 */
    v->wide = op->ifm.bytes == 2 && taps > 256;
    v->depth = (size_t)depth;
    NPU__EU_TRY(npu__eu_spend(d, pixels + 1, depth, taps + 1)); /* 1: blank weights */
    d->macs += pixels * (uint64_t)op->ofm.c * taps; /* bounded: less than the steps */
    v->weights = (int16_t *)npu__eu_take(d, depth * (taps + 1), sizeof *v->weights); /* bounded: 65536 * 4097 */
    v->at = (const int16_t **)npu__eu_take(d, taps + 1, d->pointer_bytes);
    v->acc = (int32_t *)npu__eu_take(d, v->wide ? 0 : depth, sizeof *v->acc);
    v->acc64 = (int64_t *)npu__eu_take(d, v->wide ? depth : 0, sizeof *v->acc64);
    v->out = (int32_t *)npu__eu_take(d, depth, sizeof *v->out);
    return npu__eu_taken(d);
}

NPU__FN npu_status npu__eu_do_depthwise(npu__eu_dev *d) {
    npu__eu_dw v;
    NPU__EU_TRY(npu__eu_dw_open(d, &v));
    if (!d->run) return NPU_OK;
    NPU__EU_TRY(npu__eu_blank(d, v.weights, v.depth * (size_t)(v.taps + 1))); /* bounded: was taken */
    NPU__EU_TRY(npu__eu_kernel_decode(d, &v.kernel, 0, v.op.ofm.c, v.weights, v.depth, 0, 0));
    for (int32_t y = 0; y < v.op.ofm.h; y++) NPU__EU_TRY(npu__eu_dw_row(d, &v, y));
    return NPU_OK;
}

#endif
NPU__SPEED_END
