/* Pooling kernels: one walk over windows, cell by cell for some channels at once; what is done with the cells differs. */
#include "ref_pool.h"
#include "vec_loop.h"

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

NPU__SPEED_BEGIN

/* The mean of n cells, rounded half away from zero: `half` is n / 2, `inverse` 1 / n. A half more than the whole numbers is far
 * from the next one, compared with what the product is off by: cutting it off divides exactly. */
NPU__INLINE int32_t npu__pool_mean(double sum, double half, double inverse) {
    return (int32_t)((sum > 0.0 ? sum + half + 0.5 : sum - half - 0.5) * inverse);
}

#define NPU__POOL_AT_ONCE 16
#define NPU__POOL_RUN 65536 /* cells whose sum fits into 32 bits: then SPILL */

/* `m` channels from c on, of one window: a constant and a multiple of a vector's elements, or fewer at the end. FOR is the loop. */
#define NPU__POOL_CHANNELS(FOR, m, t, acc_t, first, EACH, SPILL, LAST)                                         \
    do {                                                                                                       \
        acc_t   acc[NPU__POOL_AT_ONCE];                                                                          \
        double  wide[NPU__POOL_AT_ONCE];                                                                         \
        int32_t since = 0, end;                                                                                \
        (void)wide;                                                                                            \
        for (int32_t k = 0; k < NPU__POOL_AT_ONCE; k++) { acc[k] = first; wide[k] = 0.0; }                       \
        for (int32_t y = w.y0; y < w.y1; y++) {                                                                \
            const t *v = image + ((size_t)y * (size_t)g->in_w + (size_t)w.x0) * (size_t)g->c + (size_t)c;      \
            for (int32_t x = w.x0; x < w.x1; x = end) {                                                        \
                end = NPU__MIN(w.x1 - x, NPU__POOL_RUN - since) + x;                                           \
                since += end - x;                                                                              \
                for (int32_t i = x; i < end; i++, v += g->c) FOR(k, m) { EACH; }                               \
                if (since == NPU__POOL_RUN) { SPILL; since = 0; }                                              \
            }                                                                                                  \
        }                                                                                                      \
        SPILL;                                                                                                 \
        FOR(k, m) to[k] = (t)(LAST);                                                                           \
    } while (0)
#define NPU__POOL_FOR(i, n) for (int32_t i = 0; i < (n); i++)

/* Output pixels [begin, end). t: element type; acc_t: type of acc[k]; EACH updates it from cell v[k]; SPILL moves sums on to wide[];
 * LAST is the output, of these and the cell count n. */
#define NPU__REF_POOL(name, t, bound_t, acc_t, first, EACH, SPILL, LAST)                                       \
    NPU__FN void name(const npu__pool_geom *g, const t *in, bound_t lo, bound_t hi, t *out, int64_t begin,     \
                      int64_t stop) {                                                                          \
        npu__pool_at at = npu__pool_at_of(g, begin);                                                           \
        for (; begin < stop; begin++, npu__pool_next(g, &at)) {                                                \
            const t *image = in + (size_t)at.b * (size_t)g->in_h * (size_t)g->in_w * (size_t)g->c;             \
            const npu__pool_window w = npu__pool_window_at(g, at.y, at.x);                                     \
            const int64_t cells = (int64_t)(w.y1 - w.y0) * (w.x1 - w.x0);                                      \
            const double  n = w.y1 > w.y0 && w.x1 > w.x0 ? (double)cells : 1.0;                                \
            const double  half = floor(n / 2), inverse = 1 / n;                                                \
            (void)half;                                                                                        \
            (void)inverse;                                                                                     \
            for (int32_t c0 = 0; c0 < g->c; c0 += NPU__POOL_AT_ONCE) {                                           \
                /* The last channels again where they fill no vector. */                                       \
                const int32_t c = g->c >= NPU__POOL_AT_ONCE ? NPU__MIN(c0, g->c - NPU__POOL_AT_ONCE) : 0;          \
                t            *to = out + (size_t)begin * (size_t)g->c + c;                                     \
                if (g->c >= NPU__POOL_AT_ONCE) {                                                                 \
                    NPU__POOL_CHANNELS(NPU__VEC_FOR, NPU__POOL_AT_ONCE, t, acc_t, first, EACH, SPILL, LAST);     \
                } else {                                                                                       \
                    NPU__POOL_CHANNELS(NPU__POOL_FOR, g->c, t, acc_t, first, EACH, SPILL, LAST);               \
                }                                                                                              \
            }                                                                                                  \
        }                                                                                                      \
    }

#define NPU__POOL_NO_SPILL (void)0
#define NPU__POOL_SPILL NPU__POOL_FOR(k, NPU__POOL_AT_ONCE) { wide[k] += acc[k]; acc[k] = 0; }
#define NPU__POOL_MEAN npu__clamp32(npu__pool_mean(wide[k], half, inverse), lo, hi)
NPU__REF_POOL(npu__ref_average_pool_i16, int16_t, int32_t, int32_t, 0, acc[k] += v[k], NPU__POOL_SPILL, NPU__POOL_MEAN)
#define NPU__POOL_MAX acc[k] = acc[k] < v[k] ? v[k] : acc[k]
NPU__REF_POOL(npu__ref_max_pool_i16, int16_t, int32_t, int16_t, -32768, NPU__POOL_MAX, NPU__POOL_NO_SPILL, npu__clamp32(acc[k], lo, hi))
NPU__REF_POOL(npu__mean_squares_f32, float, float, float, 0, acc[k] += v[k] * v[k], NPU__POOL_NO_SPILL,
              npu__ref_clampf(acc[k] / (float)n, lo, hi))
NPU__FN void npu__ref_l2_pool_f32(const npu__pool_geom *g, const float *in, float lo, float hi, float *out, int64_t begin,
                                  int64_t end) {
    npu__mean_squares_f32(g, in, 0.0f, (float)HUGE_VAL, out, begin, end);
    for (int64_t i = begin * g->c; i < end * g->c; i++) out[i] = npu__ref_clampf(sqrtf(out[i]), lo, hi);
}

#define NPU__POOL_CLAMPED npu__ref_clampf(out[i] * inverse, lo, hi)
NPU__FN void npu__pool_finish_f32(float *out, int32_t n, float inverse, float lo, float hi) {
    for (; n >= NPU__POOL_AT_ONCE; n -= NPU__POOL_AT_ONCE, out += NPU__POOL_AT_ONCE) {
        NPU__VEC_FOR(i, NPU__POOL_AT_ONCE) out[i] = NPU__POOL_CLAMPED;
    }
    NPU__POOL_FOR(i, n) out[i] = NPU__POOL_CLAMPED;
}

#define NPU__POOL_MEAN_OF (uint8_t)(uint32_t)npu__clamp32(npu__pool_mean((double)(sums[i] + more), half, inverse), lo, hi)
NPU__FN void npu__pool_finish_q8(const int32_t *sums, int32_t n, int64_t cells, int32_t more, int32_t lo, int32_t hi,
                                 uint8_t *out) {
    const double half = (double)(cells / 2), inverse = 1 / (double)cells;
    for (; n >= NPU__POOL_AT_ONCE; n -= NPU__POOL_AT_ONCE, sums += NPU__POOL_AT_ONCE, out += NPU__POOL_AT_ONCE) {
        NPU__VEC_FOR(i, NPU__POOL_AT_ONCE) out[i] = NPU__POOL_MEAN_OF;
    }
    NPU__POOL_FOR(i, n) out[i] = NPU__POOL_MEAN_OF;
}

NPU__SPEED_END

#undef NPU__POOL_CLAMPED
#undef NPU__POOL_MEAN_OF
#undef NPU__POOL_AT_ONCE
#undef NPU__POOL_RUN
#undef NPU__POOL_CHANNELS
#undef NPU__POOL_FOR
#undef NPU__REF_POOL
#undef NPU__POOL_NO_SPILL
#undef NPU__POOL_SPILL
#undef NPU__POOL_MEAN
#undef NPU__POOL_MAX
