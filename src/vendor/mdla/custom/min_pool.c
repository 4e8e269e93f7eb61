/* MTK_MIN_POOL: the smallest cell of each window. Assumed: the options are those of MAX_POOL_2D, by the names of its table's fields,
 * and cells outside of the image do not count. The guide says that the compiler requantizes an input whose parameters are not
 * those of the output: so does this, behind the minimum, which gives the same. */
#include "../../../ops/pool_2d.h"
#include "../../vendors.h"
#include "../sizes.h"

#if NPU__HAS_MDLA

typedef struct npu__mtk_min_pool {
    npu__pool_data pool;
    npu__qmul      mul;
    int32_t        requantize, in_zp, out_zp;
} npu__mtk_min_pool;

NPU__FN npu_status npu__mtk_min_pool_prepare(npu__ctx *c) {
    npu__mtk_min_pool *d = (npu__mtk_min_pool *)c->data;
    const npu_quant   *in = &c->in[0]->t->quant, *out = &c->out[0]->t->quant;
    NPU__TRY(npu__pool_2d_prepare(c));
    if (c->in[0]->type == NPU_FLOAT32 || (in->count == 0 && out->count == 0) || npu__quant_same(in, out)) return NPU_OK;
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
    d->requantize = 1;
    d->in_zp = npu__zero_point(c->in[0]);
    d->out_zp = npu__zero_point(c->out[0]);
    d->mul = npu__qmul_of((double)npu__scale(c->in[0]) / (double)npu__scale(c->out[0]));
    return NPU_OK;
}

/* One output pixel: `cell` of the image, as floats or as integers. */
#define NPU__MTK_MIN(name, T, FINISH) \
    NPU__FN void name(const npu__mtk_min_pool *d, const T *image, int32_t oy, int32_t ox, T *out) { \
        const npu__pool_geom  *g = &d->pool.g; \
        const npu__pool_window w = npu__pool_window_at(g, oy, ox); \
        for (int32_t k = 0; k < g->c; k++) { \
            T least = image[((int64_t)w.y0 * g->in_w + w.x0) * g->c + k]; \
            for (int32_t y = w.y0; y < w.y1; y++) { \
                const T *cell = image + ((int64_t)y * g->in_w + w.x0) * g->c + k; \
                for (int32_t x = w.x0; x < w.x1; x++, cell += g->c) if (*cell < least) least = *cell; \
            } \
            out[k] = (T)FINISH(d, least); \
        } \
    }

NPU__INLINE int32_t npu__mtk_min_int(const npu__mtk_min_pool *d, int32_t v) {
    if (d->requantize) v = npu__clamp32(npu__qmul_apply(v - d->in_zp, d->mul), -(1 << 30), 1 << 30) + d->out_zp;
    return npu__clamp32(v, d->pool.q_lo, d->pool.q_hi);
}
NPU__INLINE float npu__mtk_min_float(const npu__mtk_min_pool *d, float v) {
    return v < d->pool.lo ? d->pool.lo : v > d->pool.hi ? d->pool.hi : v;
}
NPU__MTK_MIN(npu__mtk_min_f32, float, npu__mtk_min_float) /* bounded: offsets of elements */
NPU__MTK_MIN(npu__mtk_min_i8, int8_t, npu__mtk_min_int) /* bounded: offsets of elements */
NPU__MTK_MIN(npu__mtk_min_u8, uint8_t, npu__mtk_min_int) /* bounded: offsets of elements */
NPU__MTK_MIN(npu__mtk_min_i16, int16_t, npu__mtk_min_int) /* bounded: offsets of elements */
#undef NPU__MTK_MIN

NPU__FN void npu__mtk_min_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx                *c = (npu__ctx *)arg;
    const npu__mtk_min_pool *d = (const npu__mtk_min_pool *)c->data;
    const npu__pool_geom    *g = &d->pool.g;
    npu__pool_at             at = npu__pool_at_of(g, begin);
    (void)thread;
    for (; begin < end; begin++, npu__pool_next(g, &at)) {
        /* bounded: offsets of elements */
        const int64_t in = (int64_t)at.b * g->in_h * g->in_w * g->c, out = begin * g->c;
        switch (c->in[0]->type) {
        case NPU_FLOAT32: npu__mtk_min_f32(d, (const float *)c->in[0]->data + in, at.y, at.x, (float *)c->out[0]->data + out); break;
        case NPU_INT8: npu__mtk_min_i8(d, (const int8_t *)c->in[0]->data + in, at.y, at.x, (int8_t *)c->out[0]->data + out); break;
        case NPU_UINT8: npu__mtk_min_u8(d, (const uint8_t *)c->in[0]->data + in, at.y, at.x, (uint8_t *)c->out[0]->data + out); break;
        default: npu__mtk_min_i16(d, (const int16_t *)c->in[0]->data + in, at.y, at.x, (int16_t *)c->out[0]->data + out); break;
        }
    }
}

NPU__FN npu_status npu__mtk_min_pool_eval(npu__ctx *c) { return npu__pool_run(c, npu__mtk_min_range); }

NPU__OPDEF(npu__op_mtk_min_pool) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__mtk_min_pool), npu__pool_2d_infer,
                                                npu__mtk_min_pool_prepare, NULL, npu__mtk_min_pool_eval, npu__pool_work};

#endif
