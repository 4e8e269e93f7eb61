/* Hybrid (dynamic-range) convolutions on the integer kernels (conv_i16.c: those of int16, for which the products of matrices stand
 * here too): inputs are quantized image by image, sums are exact integers,
 * and become floats in the order of npu__ref_conv_hybrid, so that results are the reference's own. */
#include "conv_fast.h"
#include "conv_util.h"

#define NPU__HYBRID_ROWS 32 /* of sums that wait for their scales, on the stack */
#define NPU__HYBRID_COLS 32 /* of the widest panel */

NPU__FN int npu__conv_hybrid_fits(const npu__gemm_i8_kernel *kern) { return kern->nr <= NPU__HYBRID_COLS; }

NPU__FN npu_status npu__conv_hybrid_prepare(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    const size_t    sums = (size_t)d->g.out_c * sizeof(int32_t);
    f->sums_slot = f->less_slot = -1;
    /* A zero point takes itself times the sum of the weights from each sum. One image's are not more than an output. */
    if (!d->asymmetric) return NPU_OK;
    f->sums_slot = npu__want_packed(c, sums);
    f->less_slot = npu__want_scratch(c, sums * (size_t)d->g.batches);
    return f->sums_slot < 0 || f->less_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN int32_t npu__conv_weight_sum(const npu__conv_data *d, const int8_t *w, size_t n) {
    const size_t k = (size_t)d->fast.k, step = d->fast.depthwise ? (size_t)d->g.out_c : 1;
    uint32_t     sum = 0;
    w += n * (d->fast.depthwise ? 1 : k);
    for (size_t i = 0; i < k; i++, w += step) {
        const int32_t v = *w;
        sum += (uint32_t)v;
    }
    return (int32_t)sum;
}

NPU__FN void npu__conv_hybrid_pack(npu__ctx *c, const npu__conv_data *d, const int8_t *w) {
    const npu__conv_fast *f = &d->fast;
    int32_t              *sums;
    if (f->sums_slot < 0) return;
    sums = (int32_t *)npu__slot(c, f->sums_slot);
    for (int32_t n = 0; n < d->g.out_c; n++) sums[n] = npu__conv_weight_sum(d, w, (size_t)n);
}

/* Quantizes the input; kernels read that. */
NPU__FN npu_status npu__conv_hybrid_start(npu__ctx *c, const npu__conv_data *d) {
    const npu__conv_fast *f = &d->fast;
    const int32_t        *zp = (const int32_t *)npu__slot(c, d->zp_slot), *sums;
    int32_t              *less;
    NPU__TRY(npu__quantize_input(c, f->gemv_i8->minmax, f->gemv_i8->quantize, (const float *)c->in[0]->data, d->g.batches,
                                 npu__elems(c->in[0]) / d->g.batches, d->asymmetric, (int8_t *)npu__slot(c, d->in_slot),
                                 (float *)npu__slot(c, d->scale_slot), (int32_t *)npu__slot(c, d->zp_slot)));
    if (f->less_slot < 0) return NPU_OK;
    sums = (const int32_t *)npu__slot(c, f->sums_slot);
    less = (int32_t *)npu__slot(c, f->less_slot);
    for (int32_t b = 0; b < d->g.batches; b++) {
        for (int32_t n = 0; n < d->g.out_c; n++) *less++ = (int32_t)((uint32_t)zp[b] * (uint32_t)sums[n]);
        NPU__POLL(c, d->g.out_c);
    }
    return NPU_OK;
}

NPU__FN npu__hybrid_out npu__conv_hybrid_out(const npu__ctx *c, const npu__conv_data *d, int32_t image) {
    const npu_quant *q = &c->in[1]->t->quant;
    const npu__val  *bias = npu__opt_in(c, 2);
    const int32_t    slot = d->fast.less_slot;
    npu__hybrid_out  o;
    o.less = slot < 0 ? NULL : (const int32_t *)npu__slot(c, slot) + (size_t)image * (size_t)d->g.out_c;
    o.w_scale = q->scale;
    o.w_step = q->count > 1;
    o.bias = bias ? (const float *)bias->data : NULL;
    o.in_scale = ((const float *)npu__slot(c, d->scale_slot))[image];
    o.finish = d->fast.gemv_i8->finish_hybrid;
    o.lo = d->lo;
    o.hi = d->hi;
    return o;
}

NPU__FN int32_t npu__conv_hybrid_zp(const npu__ctx *c, const npu__conv_data *d, int32_t image) {
    return ((const int32_t *)npu__slot(c, d->zp_slot))[image];
}

NPU__SPEED_BEGIN

NPU__FN void npu__hybrid_store(const npu__hybrid_out *o, int32_t first, int32_t cols, int32_t rows, const uint8_t *sums,
                               size_t sums_stride, uint8_t *out, size_t out_stride) {
    for (int32_t c = 0; c < cols; c += 8, sums += 32, out += 32) {
        const int32_t    n = NPU__MIN(cols - c, 8);
        npu__hybrid_cols k;
        memset(&k, 0, sizeof k);
        for (int32_t i = 0; i < n; i++) {
            const size_t at = (size_t)first + (size_t)c + (size_t)i;
            if (o->less) k.less[i] = (uint32_t)o->less[at];
            k.scale[i] = o->w_scale[o->w_step ? at : 0];
            if (o->bias) k.bias[i] = o->bias[at];
        }
        k.in_scale = o->in_scale;
        k.lo = o->lo;
        k.hi = o->hi;
        o->finish(&k, n, rows, sums, sums_stride, out, out_stride);
    }
}

NPU__SPEED_END

NPU__FN void npu__conv_raw_block(const npu__ctx *c, const npu__conv_data *d, const npu__conv_rows *rows, const uint8_t *packed,
                                 int32_t group, int32_t image, size_t pixel) {
    const npu__conv_fast      *f = &d->fast;
    const npu__gemm_i8_kernel *kern = f->gemm_i8;
    const int32_t              planes = d->kind == NPU__CONV_I16 ? 2 : 1;
    const size_t               outs = (size_t)d->g.out_c, nr = (size_t)kern->nr;
    size_t                     panel = 0;
    int32_t                    sums[2][NPU__HYBRID_ROWS * NPU__HYBRID_COLS], adds[NPU__HYBRID_ROWS];
    npu__hybrid_out            o;
    npu__gemm_i8_job           job;
    memset(&o, 0, sizeof o);
    if (planes == 1) o = npu__conv_hybrid_out(c, d, image);
    (void)npu__gemm_i8_packed_bytes(kern, 1, f->segments, f->run, &panel);
    memset(adds, 0, sizeof adds);
    job.row_add = adds;
    job.out = npu__i8_out_of(1, 0, -128, 127);
    job.out.raw = 1;
    job.out_stride = nr * sizeof(int32_t);
    for (int32_t j = 0; j < f->n; j += kern->nr, packed += panel) {
        const int32_t cols = NPU__MIN(f->n - j, kern->nr), first = group * f->n + j;
        for (int32_t r = 0; r < rows->m; r += job.m) {
            const size_t at = (pixel + (size_t)r) * outs + (size_t)first;
            job.m = NPU__MIN(rows->m - r, NPU__HYBRID_ROWS);
            for (int32_t p = 0; p < planes; p++) {
                job.a = rows[p].a;
                if (job.a.rows) job.a.rows += r;
                else job.a.a += (size_t)r * job.a.stride;
                kern->run(&job, packed, cols, (uint8_t *)(void *)sums[p]);
            }
            if (planes == 2) {
                npu__i16_store(c, d, first, cols, job.m, sums[0], sums[1], nr, (int16_t *)c->out[0]->data + at, outs);
            } else {
                npu__hybrid_store(&o, first, cols, job.m, (const uint8_t *)(const void *)sums[0], job.out_stride,
                                  (uint8_t *)(void *)((float *)c->out[0]->data + at), outs * sizeof(float));
            }
        }
    }
}

/* One pixel: its zero point is taken off where it is staged. */
typedef struct npu__hybrid_pixel {
    npu__hybrid_out out;
    float          *to;
} npu__hybrid_pixel;

NPU__FN void npu__hybrid_pixel_done(const void *arg, int32_t first, int32_t n, const int32_t *sums) {
    const npu__hybrid_pixel *p = (const npu__hybrid_pixel *)arg;
    npu__hybrid_store(&p->out, first, n, 1, (const uint8_t *)(const void *)sums, 0, (uint8_t *)(void *)(p->to + first), 0);
}

NPU__FN void npu__conv_hybrid_gemv(npu__ctx *c, const npu__conv_data *d) {
    const npu__conv_fast *f = &d->fast;
    npu__hybrid_pixel     pixel;
    npu__gemv_i8          job;
    pixel.out = npu__conv_hybrid_out(c, d, 0);
    pixel.out.less = NULL;
    pixel.to = (float *)c->out[0]->data;
    job.kern = f->gemv_i8;
    job.in = (const uint8_t *)npu__slot(c, d->in_slot);
    job.is_signed = 1;
    job.in_zp = npu__conv_hybrid_zp(c, d, 0);
    job.w_zp = 0;
    job.job.w = (const uint8_t *)npu__weights_data(c, 1, &d->w);
    job.job.w_stride = (size_t)f->k;
    job.job.k = f->k;
    job.job.bias = NULL;
    npu__gemv_i8_all(c, &job, f->n, npu__hybrid_pixel_done, &pixel);
}
