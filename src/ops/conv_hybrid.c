/* Hybrid (dynamic-range) convolutions on the integer kernels: inputs are quantized image by image, sums are exact integers,
 * and become floats in the order of npu__ref_conv_hybrid, so that results are the reference's own. */
#include "conv_fast.h"
#include "conv_util.h"

NPU__FN npu_status npu__conv_hybrid_prepare(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    f->sums_slot = -1;
    /* A zero point takes itself times the sum of the weights from each sum; panels have those sums. */
    if (!d->asymmetric || f->kind != NPU__FAST_DW_I8) return NPU_OK;
    f->sums_slot = npu__want_packed(c, (size_t)d->g.out_c * sizeof(int32_t));
    return f->sums_slot < 0 ? NPU_LIMIT : NPU_OK;
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
    return npu__quantize_input(c, f->gemv_i8->minmax, f->gemv_i8->quantize, (const float *)c->in[0]->data, d->g.batches,
                               npu__elems(c->in[0]) / d->g.batches, d->asymmetric, (int8_t *)npu__slot(c, d->in_slot),
                               (float *)npu__slot(c, d->scale_slot), (int32_t *)npu__slot(c, d->zp_slot));
}

NPU__FN npu__i8_floats npu__conv_hybrid_floats(const npu__ctx *c, const npu__conv_data *d, int32_t image) {
    npu__i8_floats f;
    f.zero_point = (const int32_t *)npu__slot(c, d->zp_slot) + image;
    f.scale = (const float *)npu__slot(c, d->scale_slot) + image;
    f.step = 0;
    f.last = 1;
    f.lo = d->lo;
    f.hi = d->hi;
    return f;
}

NPU__FN npu__pack_floats npu__conv_hybrid_columns(const npu__ctx *c, int32_t w, int32_t bias, int32_t first) {
    const npu_quant *q = &c->in[w]->t->quant;
    const npu__val  *b = npu__opt_in(c, bias);
    npu__pack_floats p;
    p.step = q->count > 1;
    p.scale = q->scale + (p.step ? first : 0);
    p.bias = b ? (const float *)b->data + first : NULL;
    return p;
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
            const int32_t at = first + c + i;
            if (o->w_sums) k.w_sum[i] = o->w_sums[at];
            k.scale[i] = o->cols.scale[o->cols.step * at];
            if (o->cols.bias) k.bias[i] = o->cols.bias[at];
        }
        o->finish(&k, &o->floats, n, 0, rows, sums, sums_stride, out, out_stride);
    }
}

NPU__SPEED_END

NPU__FN npu__hybrid_out npu__conv_hybrid_out(const npu__ctx *c, const npu__conv_data *d, int32_t image) {
    npu__hybrid_out o;
    o.w_sums = d->fast.sums_slot < 0 ? NULL : (const int32_t *)npu__slot(c, d->fast.sums_slot);
    o.cols = npu__conv_hybrid_columns(c, 1, 2, 0);
    o.floats = npu__conv_hybrid_floats(c, d, image);
    o.finish = d->fast.gemv_i8->finish_hybrid;
    return o;
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
    pixel.out.w_sums = NULL;
    pixel.to = (float *)c->out[0]->data;
    job.kern = f->gemv_i8;
    job.in = (const uint8_t *)npu__slot(c, d->in_slot);
    job.is_signed = 1;
    job.in_zp = npu__conv_hybrid_zp(c, d, 0);
    job.w_zp = 0;
    job.w_sums = NULL;
    job.panels = NULL;
    job.job.w = (const uint8_t *)npu__weights_data(c, 1, &d->w);
    job.job.w_stride = (size_t)f->k;
    job.job.k = f->k;
    job.job.bias = NULL;
    npu__gemv_i8_all(c, &job, f->n, npu__hybrid_pixel_done, &pixel);
}
