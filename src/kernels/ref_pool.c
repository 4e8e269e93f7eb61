/* Reference pooling kernels: one walk over windows, what is done with the cells differs. */
#include "ref_pool.h"

NPU__FN npu__pool_window npu__pool_window_at(const npu__pool_geom *g, int32_t oy, int32_t ox) {
    npu__pool_window w;
    int64_t          y = (int64_t)oy * g->stride_h - g->pad_h, x = (int64_t)ox * g->stride_w - g->pad_w;
    w.y0 = (int32_t)NPU__MAX(y, 0);
    w.x0 = (int32_t)NPU__MAX(x, 0);
    w.y1 = (int32_t)NPU__MIN(y + g->k_h, g->in_h);
    w.x1 = (int32_t)NPU__MIN(x + g->k_w, g->in_w);
    return w;
}

NPU__FN npu__pool_at npu__pool_at_of(const npu__pool_geom *g, int64_t i) {
    npu__pool_at at;
    at.x = (int32_t)(i % g->out_w);
    at.y = (int32_t)(i / g->out_w % g->out_h);
    at.b = (int32_t)(i / g->out_w / g->out_h);
    return at;
}

NPU__FN void npu__pool_next(const npu__pool_geom *g, npu__pool_at *at) {
    if (++at->x < g->out_w) return;
    at->x = 0;
    if (++at->y < g->out_h) return;
    at->y = 0;
    at->b++;
}

/* Rounds half away from zero; `n` cells. */
NPU__INLINE int32_t npu__pool_mean(int64_t sum, int64_t n) {
    return n == 0 ? 0 : (int32_t)(sum > 0 ? (sum + n / 2) / n : (sum - n / 2) / n);
}
NPU__INLINE float npu__pool_mean_f32(float sum, int64_t n) { return n == 0 ? 0.0f : sum / (float)n; }
NPU__INLINE float npu__pool_l2_f32(float sum, int64_t n) { return n == 0 ? 0.0f : sqrtf(sum / (float)n); }

/* Output pixels [begin, end). t: element type; acc_t: type of `acc`; EACH updates acc from cell
 * `v`; LAST turns acc (and the cell count n) into the output. */
#define NPU__REF_POOL(name, t, bound_t, acc_t, first, EACH, LAST)                                             \
    NPU__FN void name(const npu__pool_geom *g, const t *in, bound_t lo, bound_t hi, t *out, int64_t begin,    \
                      int64_t end) {                                                                          \
        npu__pool_at at = npu__pool_at_of(g, begin);                                                          \
        out += begin * g->c;                                                                                  \
        for (; begin < end; begin++, npu__pool_next(g, &at)) {                                                \
            const t *image = in + (size_t)at.b * (size_t)g->in_h * (size_t)g->in_w * (size_t)g->c;            \
            const npu__pool_window w = npu__pool_window_at(g, at.y, at.x);                                    \
            for (int32_t c = 0; c < g->c; c++) {                                                              \
                acc_t   acc = first;                                                                          \
                int64_t n = 0;                                                                                \
                for (int32_t y = w.y0; y < w.y1; y++) {                                                       \
                    for (int32_t x = w.x0; x < w.x1; x++, n++) {                                              \
                        const t v = image[((size_t)y * (size_t)g->in_w + (size_t)x) * (size_t)g->c +          \
                                          (size_t)c];                                                         \
                        acc = EACH;                                                                           \
                    }                                                                                         \
                }                                                                                             \
                (void)n;                                                                                      \
                *out++ = LAST;                                                                                \
            }                                                                                                 \
        }                                                                                                     \
    }

NPU__REF_POOL(npu__ref_average_pool_f32, float, float, float, 0, acc + v,
              npu__ref_clampf(npu__pool_mean_f32(acc, n), lo, hi))
NPU__REF_POOL(npu__ref_average_pool_i8, int8_t, int32_t, int64_t, 0, acc + v,
              (int8_t)npu__clamp32(npu__pool_mean(acc, n), lo, hi))
NPU__REF_POOL(npu__ref_average_pool_u8, uint8_t, int32_t, int64_t, 0, acc + v,
              (uint8_t)npu__clamp32(npu__pool_mean(acc, n), lo, hi))
NPU__REF_POOL(npu__ref_average_pool_i16, int16_t, int32_t, int64_t, 0, acc + v,
              (int16_t)npu__clamp32(npu__pool_mean(acc, n), lo, hi))
NPU__REF_POOL(npu__ref_max_pool_f32, float, float, float, -3.402823466e+38f, acc < v ? v : acc,
              npu__ref_clampf(acc, lo, hi))
NPU__REF_POOL(npu__ref_max_pool_i8, int8_t, int32_t, int32_t, -128, NPU__MAX(acc, v),
              (int8_t)npu__clamp32(acc, lo, hi))
NPU__REF_POOL(npu__ref_max_pool_u8, uint8_t, int32_t, int32_t, 0, NPU__MAX(acc, v),
              (uint8_t)npu__clamp32(acc, lo, hi))
NPU__REF_POOL(npu__ref_max_pool_i16, int16_t, int32_t, int32_t, -32768, NPU__MAX(acc, v),
              (int16_t)npu__clamp32(acc, lo, hi))
NPU__REF_POOL(npu__ref_l2_pool_f32, float, float, float, 0, acc + v * v,
              npu__ref_clampf(npu__pool_l2_f32(acc, n), lo, hi))

#undef NPU__REF_POOL
