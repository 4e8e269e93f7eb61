/* Loops over a block of quantized integers. */
#include "avx2.h"
#include "q_blocks.h"
#include "vec_loop.h"
NPU__SPEED_BEGIN

#define NPU__Q_WIDEN(name, T)                                                                                              \
    NPU__Q_TARGET NPU__FN void name(const void *in, int32_t step, int32_t m, int32_t offset, int32_t shift, int32_t *x) {  \
        const T *v = (const T *)in;                                                                                        \
        if (m == NPU__Q_BLOCK && step) {                                                                                   \
            NPU__VEC_FOR(i, NPU__Q_BLOCK) x[i] = (int32_t)(((uint32_t)v[i] + (uint32_t)offset) << shift);                  \
        } else {                                                                                                           \
            for (int32_t i = 0; i < m; i++) x[i] = (int32_t)(((uint32_t)v[i * step] + (uint32_t)offset) << shift);         \
        }                                                                                                                  \
    }
#define NPU__Q_NARROW(name, T)                                                                                             \
    NPU__Q_TARGET NPU__FN void name(const int32_t *x, int32_t m, int32_t offset, int32_t lo, int32_t hi, void *out) {      \
        T      *o = (T *)out;                                                                                              \
        int32_t y[NPU__Q_BLOCK];                                                                                           \
        NPU__VEC_FOR(i, NPU__Q_BLOCK) {                                                                                    \
            const int32_t v = (int32_t)((uint32_t)x[i] + (uint32_t)offset);                                                \
            y[i] = v < lo ? lo : v > hi ? hi : v;                                                                          \
        }                                                                                                                  \
        if (m == NPU__Q_BLOCK) {                                                                                           \
            NPU__VEC_FOR(i, NPU__Q_BLOCK) o[i] = (T)y[i];                                                                  \
        } else {                                                                                                           \
            for (int32_t i = 0; i < m; i++) o[i] = (T)y[i];                                                                \
        }                                                                                                                  \
    }
#define NPU__Q_COMBINE(name, EXPR)                                                                                         \
    NPU__Q_TARGET NPU__FN void name(const int32_t *x, const int32_t *y, int32_t *out) {                                    \
        NPU__VEC_FOR(i, NPU__Q_BLOCK) {                                                                                    \
            const uint32_t a = (uint32_t)x[i], b = (uint32_t)y[i];                                                         \
            out[i] = (int32_t)(EXPR);                                                                                      \
        }                                                                                                                  \
    }
#define NPU__Q_TYPES(X, f, s) X(f##_i8__##s, int8_t) X(f##_u8__##s, uint8_t) X(f##_i16__##s, int16_t) X(f##_i32__##s, int32_t)
#define NPU__Q_NAMES(f, s) {f##_i8__##s, f##_u8__##s, f##_i16__##s, f##_i32__##s}
#define NPU__Q_LOOPS(s)                                                                        \
    NPU__Q_TYPES(NPU__Q_WIDEN, npu__q_widen, s)                                                \
    NPU__Q_TYPES(NPU__Q_NARROW, npu__q_narrow, s)                                              \
    NPU__Q_COMBINE(npu__q_add__##s, a + b)                                                     \
    NPU__Q_COMBINE(npu__q_sub__##s, a - b)                                                     \
    NPU__Q_COMBINE(npu__q_mul__##s, a * b)                                                     \
    NPU__Q_COMBINE(npu__q_squared_difference__##s, (a - b) * (a - b))                          \
    static const npu__q_loops npu__q_loops__##s = {                                            \
        NPU__Q_NAMES(npu__q_widen, s), NPU__Q_NAMES(npu__q_narrow, s),                         \
        {npu__q_add__##s, npu__q_sub__##s, npu__q_mul__##s, npu__q_squared_difference__##s}, npu__q_scale__##s};

NPU__FN void npu__q_scale__any(npu__qmul q, int32_t *x) {
    const int32_t left = q.shift > 0 ? q.shift : 0, right = left - q.shift, by = q.multiplier;
    const int32_t mask = (int32_t)((UINT32_C(1) << right) - 1), half = mask >> 1;
    NPU__VEC_FOR(i, NPU__Q_BLOCK) {
        const int64_t product = (int64_t)(int32_t)((uint32_t)x[i] << left) * by + ((int64_t)1 << 30);
        const int32_t y = (int32_t)(uint32_t)((uint64_t)product >> 31);
        x[i] = (y >> right) + ((y & mask) > half + (y < 0 ? 1 : 0) ? 1 : 0);
    }
}
#define NPU__Q_TARGET
NPU__Q_LOOPS(any)
#undef NPU__Q_TARGET
#if NPU__HAS_X86
NPU__AVX2 NPU__FN void npu__q_scale__avx2(npu__qmul q, int32_t *x) {
    const __m256i left = _mm256_set1_epi32(q.shift > 0 ? q.shift : 0), right = _mm256_set1_epi32(q.shift > 0 ? 0 : -q.shift);
    const __m256i by = _mm256_set1_epi32(q.multiplier);
    for (int32_t i = 0; i < NPU__Q_BLOCK; i += 8)
        _mm256_storeu_si256((__m256i *)(void *)(x + i), npu__requant_any__avx2(NPU__LOAD32(x + i), by, left, right));
}
#  define NPU__Q_TARGET NPU__AVX2_ONLY
NPU__Q_LOOPS(avx2)
#  undef NPU__Q_TARGET
#endif
#undef NPU__Q_WIDEN
#undef NPU__Q_NARROW
#undef NPU__Q_COMBINE
#undef NPU__Q_TYPES
#undef NPU__Q_NAMES
#undef NPU__Q_LOOPS

NPU__FN const npu__q_loops *npu__q_loops_select(npu_isa isa) {
#if NPU__HAS_X86
    if (npu__isa_includes(isa, NPU_ISA_AVX2)) return &npu__q_loops__avx2;
#endif
    (void)isa;
    return &npu__q_loops__any;
}
NPU__SPEED_END
