/* Depthwise convolutions: each channel has a kernel of its own. Kernel elements are taken two at a time. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

typedef struct npu__eu_dw {
    npu__eu_op      op;
    npu__eu_kernel  kernel;
    npu__eu_rows    rows;
    int32_t         taps, wide;
    size_t          depth; /* channels, filled up to a multiple of 8 */
    int16_t        *weights;
    const int16_t **at;    /* where each kernel element is for output column 0; an even number of them */
    int32_t        *acc, *out;
    int64_t        *acc64;
} npu__eu_dw;

NPU__FN void npu__eu_dw_pixel(npu__eu_dw *v, size_t dx) {
    for (size_t c = 0; c < v->depth; c += 8) {
        npu__eu_i32x4  acc[2];
        const int16_t *w = v->weights + 2 * c;
        acc[0] = acc[1] = npu__eu_i32x4_zero();
        for (int32_t t = 0; t < v->taps; t += 2, w += 2 * v->depth) {
            npu__eu_madd_pair(acc, npu__eu_load8(v->at[t] + dx + c), npu__eu_load8(v->at[t + 1] + dx + c), w);
        }
        npu__eu_i32x4_store(acc[0], v->acc + c);
        npu__eu_i32x4_store(acc[1], v->acc + c + 4);
    }
}

/* Sums of 16-bit products that might not fit int32. */
NPU__FN void npu__eu_dw_pixel_wide(npu__eu_dw *v, size_t dx) {
    size_t n = (size_t)v->op.ofm.c;
    memset(v->acc64, 0, n * sizeof *v->acc64);
    for (int32_t t = 0; t < v->taps; t++) {
        const int16_t *x = v->at[t] + dx, *w = v->weights + (size_t)(t / 2) * 2 * v->depth + t % 2;
        for (size_t c = 0; c < n; c++) v->acc64[c] += (int32_t)x[c] * w[2 * c];
    }
}

NPU__FN void npu__eu_dw_row(npu__eu_dw *v, int32_t y) {
    const npu__eu_op *op = &v->op;
    size_t            step = (size_t)op->stride_x * (size_t)op->ifm.c;
    for (int32_t ky = 0; ky < op->kh; ky++) {
        const int16_t *row = npu__eu_row(&v->rows, y * op->stride_y - op->pad_top + ky * op->dilation_y);
        for (int32_t kx = 0; kx < op->kw; kx++) {
            v->at[ky * op->kw + kx] = row + (size_t)kx * (size_t)op->dilation_x * (size_t)op->ifm.c;
        }
    }
    if (v->taps % 2) v->at[v->taps] = v->at[0]; /* its weights are zero */
    for (int32_t x = 0; x < op->ofm.w; x++) {
        if (v->wide) {
            npu__eu_dw_pixel_wide(v, (size_t)x * step);
            npu__eu_out_channels64(&op->out, 0, op->ofm.c, v->acc64, v->out);
        } else {
            npu__eu_dw_pixel(v, (size_t)x * step);
            npu__eu_out_channels(&op->out, 0, op->ofm.c, v->acc, v->out);
        }
        npu__eu_fm_store(&op->ofm, y, x, 1, 0, op->ofm.c, v->out);
    }
}

NPU__FN npu_status npu__eu_dw_open(npu__eu_dev *d, npu__eu_dw *v) {
    npu__eu_op *op = &v->op;
    uint64_t    depth, taps;
    NPU__EU_TRY(npu__eu_op_ofm(d, op));
    NPU__EU_TRY(npu__eu_op_window(d, op));
    if (op->ifm.c != op->ofm.c) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.depth",
                            "a depthwise convolution of %d channels cannot have %d outputs", op->ifm.c, op->ofm.c);
    }
    NPU__EU_TRY(npu__eu_kernel_open(d, &v->kernel, op, 1));
    NPU__EU_TRY(npu__eu_rows_open(d, &v->rows, op));
    depth = ((uint64_t)op->ofm.c + 7) / 8 * 8;
    taps = (uint64_t)op->kh * (uint64_t)op->kw;
    v->taps = (int32_t)taps;
    v->wide = op->ifm.bytes == 2 && taps > 256;
    v->depth = (size_t)depth;
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)op->ofm.h * (uint64_t)op->ofm.w, depth, taps));
    v->weights = (int16_t *)npu__eu_take(d, depth * (taps + 1), sizeof *v->weights);
    v->at = (const int16_t **)npu__eu_take(d, taps + 1, sizeof *v->at);
    v->acc = (int32_t *)npu__eu_take(d, v->wide ? 0 : depth, sizeof *v->acc);
    v->acc64 = (int64_t *)npu__eu_take(d, v->wide ? depth : 0, sizeof *v->acc64);
    v->out = (int32_t *)npu__eu_take(d, depth, sizeof *v->out);
    return npu__eu_taken(d);
}

NPU__FN npu_status npu__eu_do_depthwise(npu__eu_dev *d) {
    npu__eu_dw v;
    NPU__EU_TRY(npu__eu_dw_open(d, &v));
    if (!d->run) return NPU_OK;
    memset(v.weights, 0, v.depth * (size_t)(v.taps + 1) * sizeof *v.weights);
    NPU__EU_TRY(npu__eu_kernel_decode(d, &v.kernel, 0, v.op.ofm.c, v.weights, v.depth, 0, 0));
    for (int32_t y = 0; y < v.op.ofm.h; y++) npu__eu_dw_row(&v, y);
    return NPU_OK;
}

#endif
