/* Convolutions over all input channels: a dot product per output element, of rows of the input laid out so that the
 * elements under a row of the kernel lie together. */
#include "exec.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

enum {
    NPU__EU_CONV_COLUMNS = 32,            /* output pixels whose accumulators are kept */
    NPU__EU_CONV_GROUP_BYTES = 1 << 19,   /* decoded weights that are kept, unless one block has more */
    NPU__EU_CONV_NARROW = 1 << 15,        /* products of 8 bits whose sum surely fits int32 */
    NPU__EU_CONV_PIECE = 256              /* products of 16 bits, likewise */
};

typedef struct npu__eu_conv {
    npu__eu_dev    *d;
    npu__eu_op      op;
    npu__eu_kernel  kernel;
    npu__eu_rows    rows;
    int32_t         group;               /* output channels whose weights are decoded at a time */
    int32_t         runs_y, runs_x, run; /* runs of the input per output element; elements of one, filled up */
    int32_t         wide;                /* accumulators are int64 */
    size_t          pitch;               /* elements of a channel's weights */
    int16_t        *weights;
    const int16_t **at;                  /* where each run starts for output column 0 */
    int32_t        *acc, *out;
    int64_t        *acc64;
} npu__eu_conv;

/* ---- dot products ---- */

/* Two output pixels times four channels: x[run] + dx0 and + dx1 against weights `pitch` apart. */
NPU__FN void npu__eu_dot_2x4(const npu__eu_conv *v, size_t dx0, size_t dx1, const int16_t *w, int32_t *out0,
                             int32_t *out1) {
    int32_t     runs = v->runs_y * v->runs_x, n = v->run; /* bounded: 4096 */
    size_t      pitch = v->pitch;
    npu__eu_acc a0 = npu__eu_acc_zero(), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int32_t r = 0; r < runs; r++, w += n) {
        /* bounded, here and below: elements of rows and weights that were taken */
        const int16_t *x0 = v->at[r] + dx0, *x1 = v->at[r] + dx1;
        for (int32_t i = 0; i < n; i += 8) {
            npu__eu_i16x8 p = npu__eu_load8(x0 + i), q = npu__eu_load8(x1 + i), k;
            k = npu__eu_load8(w + i);
            a0 = npu__eu_madd(a0, p, k);
            b0 = npu__eu_madd(b0, q, k);
            k = npu__eu_load8(w + pitch + i);
            a1 = npu__eu_madd(a1, p, k);
            b1 = npu__eu_madd(b1, q, k);
            k = npu__eu_load8(w + 2 * pitch + i);
            a2 = npu__eu_madd(a2, p, k);
            b2 = npu__eu_madd(b2, q, k);
            k = npu__eu_load8(w + 3 * pitch + i);
            a3 = npu__eu_madd(a3, p, k);
            b3 = npu__eu_madd(b3, q, k);
        }
    }
    npu__eu_sum4(a0, a1, a2, a3, out0);
    npu__eu_sum4(b0, b1, b2, b3, out1);
}

/* One pixel times four channels in int64: a piece of a run at a time. Ends early when the run is to stop. */
NPU__FN void npu__eu_dot_1x4_wide(const npu__eu_conv *v, size_t dx, const int16_t *w, int64_t *out) {
    int32_t runs = v->runs_y * v->runs_x, n = v->run, sums[4]; /* bounded: 4096 */
    size_t  pitch = v->pitch;
    out[0] = out[1] = out[2] = out[3] = 0;
    for (int32_t r = 0; r < runs; r++, w += n) {
        /* bounded, here and below: elements of rows and weights that were taken */
        const int16_t *x = v->at[r] + dx;
        for (int32_t from = 0; from < n; from += NPU__EU_CONV_PIECE) {
            int32_t     to = NPU__MIN(n, from + NPU__EU_CONV_PIECE);
            npu__eu_acc a0 = npu__eu_acc_zero(), a1 = a0, a2 = a0, a3 = a0;
            for (int32_t i = from; i < to; i += 8) {
                npu__eu_i16x8 p = npu__eu_load8(x + i);
                a0 = npu__eu_madd(a0, p, npu__eu_load8(w + i));
                a1 = npu__eu_madd(a1, p, npu__eu_load8(w + pitch + i));
                a2 = npu__eu_madd(a2, p, npu__eu_load8(w + 2 * pitch + i));
                a3 = npu__eu_madd(a3, p, npu__eu_load8(w + 3 * pitch + i));
            }
            npu__eu_sum4(a0, a1, a2, a3, sums);
            for (int i = 0; i < 4; i++) out[i] += sums[i];
            if (npu__eu_polled(&v->d->poll, 4 * (to - from))) return; /* bounded: 4 * NPU__EU_CONV_PIECE */
        }
    }
}

/* ---- a row ---- */

/* Output columns [x, x + n) of row y, channels [c, c + channels). */
NPU__FN npu_status npu__eu_conv_columns(npu__eu_conv *v, int32_t y, int32_t x, int32_t n, int32_t c, int32_t channels) {
    /* bounded, here and below: elements of rows, of weights and of accumulators that were taken */
    size_t  step = (size_t)v->op.stride_x * (size_t)v->op.ifm.c, dx = (size_t)x * step;
    int32_t acc_pitch = (channels + 3) & ~3;
    for (int32_t k = 0; k < channels; k += 4) {
        const int16_t *w = v->weights + (size_t)k * v->pitch;
        if (v->wide) {
            for (int32_t i = 0; i < n; i++) {
                npu__eu_dot_1x4_wide(v, dx + (size_t)i * step, w, v->acc64 + (size_t)i * (size_t)acc_pitch + k);
            }
            NPU__EU_POLL(v->d, 0);
            continue;
        }
        for (int32_t i = 0; i < n; i += 2) {
            int32_t  next = i + 1 < n ? i + 1 : i; /* the last one twice where they are odd */
            int32_t *out = v->acc + (size_t)i * (size_t)acc_pitch + k, *out1 = out + (next - i) * acc_pitch;
            npu__eu_dot_2x4(v, dx + (size_t)i * step, dx + (size_t)next * step, w, out, out1);
        }
        NPU__EU_POLL(v->d, (int64_t)v->pitch * n * 4); /* bounded: 2^15 * 32 * 4 */
    }
    for (int32_t i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)acc_pitch;
        if (v->wide) npu__eu_out_channels64(&v->op.out, c, channels, v->acc64 + at, v->out);
        else npu__eu_out_channels(&v->op.out, c, channels, v->acc + at, v->out);
        npu__eu_fm_store(&v->op.ofm, y, x + i, 1, c, channels, v->out);
        NPU__EU_POLL(v->d, channels * 4);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__eu_conv_row(npu__eu_conv *v, int32_t y, int32_t c, int32_t channels) {
    const npu__eu_op *op = &v->op;
    for (int32_t ky = 0; ky < op->kh; ky++) {
        /* bounded: a row of the input or its padding, below 2^21 */
        const int16_t *row = npu__eu_row(&v->rows, y * op->stride_y - op->pad_top + ky * op->dilation_y);
        if (!row) return NPU_CANCELLED;
        for (int32_t i = 0; i < v->runs_x; i++) {
            /* bounded: less than the row's pitch; one of runs_y * runs_x places */
            v->at[ky * v->runs_x + i] = row + (size_t)i * (size_t)op->dilation_x * (size_t)op->ifm.c;
        }
    }
    for (int32_t x = 0; x < op->ofm.w; x += NPU__EU_CONV_COLUMNS) {
        NPU__EU_TRY(npu__eu_conv_columns(v, y, x, NPU__MIN(NPU__EU_CONV_COLUMNS, op->ofm.w - x), c, channels));
    }
    return NPU_OK;
}

/* ---- the operation ---- */

NPU__FN npu_status npu__eu_conv_open(npu__eu_dev *d, npu__eu_conv *v) {
    npu__eu_op *op = &v->op;
    uint64_t    pitch, run, channels, all, pixels;
    NPU__EU_TRY(npu__eu_op_ofm(d, op));
    NPU__EU_TRY(npu__eu_op_window(d, op));
    NPU__EU_TRY(npu__eu_kernel_open(d, &v->kernel, op, 0));
    v->d = d;
    v->runs_y = op->kh;
    v->runs_x = op->dilation_x > 1 ? op->kw : 1;
    /* bounded: 65536 channels, kernels of 4096 elements, 65536 * 65536 pixels */
    run = ((uint64_t)op->ifm.c * (uint64_t)(op->dilation_x > 1 ? 1 : op->kw) + 7) / 8 * 8;
    pitch = run * (uint64_t)v->runs_y * (uint64_t)v->runs_x; /* bounded: likewise */
    all = ((uint64_t)op->ofm.c + 3) / 4 * 4;
    pixels = (uint64_t)op->ofm.h * (uint64_t)op->ofm.w; /* bounded: likewise */
    /* bounded: not more than the quotient */
    channels = (uint64_t)NPU__EU_CONV_GROUP_BYTES / 2 / pitch / (uint64_t)v->kernel.block * (uint64_t)v->kernel.block;
    if (channels < (uint64_t)v->kernel.block) channels = (uint64_t)v->kernel.block;
    if (channels > (uint64_t)op->ofm.c) channels = (uint64_t)op->ofm.c;
    v->group = (int32_t)channels;
    NPU__EU_TRY(npu__eu_rows_open(d, &v->rows, op, (all + channels - 1) / channels));
    v->wide = op->ifm.bytes == 2 || pitch > NPU__EU_CONV_NARROW;
    channels = (channels + 3) / 4 * 4;
    NPU__EU_TRY(npu__eu_spend(d, pixels + 1, all, pitch)); /* 1: blank weights */
    d->macs += pixels * (uint64_t)op->ofm.c * pitch; /* bounded: less than the steps */
    v->weights = (int16_t *)npu__eu_take(d, channels * pitch, sizeof *v->weights); /* bounded: 2^17 * 2^29 */
    /* bounded: 4096, and 2^17 channels */
    v->at = (const int16_t **)npu__eu_take(d, (uint64_t)v->runs_y * (uint64_t)v->runs_x, d->pointer_bytes);
    /* bounded: 2^17 * 2^5 */
    v->acc = (int32_t *)npu__eu_take(d, v->wide ? 0 : channels * NPU__EU_CONV_COLUMNS, sizeof *v->acc);
    /* bounded: likewise */
    v->acc64 = (int64_t *)npu__eu_take(d, v->wide ? channels * NPU__EU_CONV_COLUMNS : 0, sizeof *v->acc64);
    v->out = (int32_t *)npu__eu_take(d, channels, sizeof *v->out);
    v->pitch = (size_t)pitch;
    v->run = (int32_t)run; /* less than 2^31: the rows that hold it were taken */
    return npu__eu_taken(d);
}

NPU__FN npu_status npu__eu_do_conv(npu__eu_dev *d) {
    npu__eu_conv v;
    size_t       step_y, step_x;
    NPU__EU_TRY(npu__eu_conv_open(d, &v));
    if (!d->run) return NPU_OK;
    step_y = (size_t)v.run * (size_t)v.runs_x; /* bounded: the pitch */
    step_x = v.runs_x > 1 ? (size_t)v.run : (size_t)v.op.ifm.c;
    for (int32_t c = 0; c < v.op.ofm.c; c += v.group) {
        int32_t n = NPU__MIN(v.group, v.op.ofm.c - c);
        NPU__EU_TRY(npu__eu_blank(d, v.weights, (size_t)((n + 3) & ~3) * v.pitch)); /* bounded: was taken */
        NPU__EU_TRY(npu__eu_kernel_decode(d, &v.kernel, c, n, v.weights, v.pitch, step_y, step_x));
        for (int32_t y = 0; y < v.op.ofm.h; y++) NPU__EU_TRY(npu__eu_conv_row(&v, y, c, n));
    }
    return NPU_OK;
}

#endif
NPU__SPEED_END
