/* The loops of reduce.h for each instruction set that they are compiled for, and their table. */
#include "../base/fixed32.h"
#include "reduce.h"
NPU__SPEED_BEGIN

#define NPU__STEP_ADD(t, a, x) ((a) + (x))
#define NPU__STEP_ADD32(t, a, x) ((t)((uint32_t)(a) + (uint32_t)(x)))
#define NPU__STEP_ADD64(t, a, x) ((t)((uint64_t)(a) + (uint64_t)(x)))
#define NPU__STEP_MAX(t, a, x) ((t)((x) > (a) ? (x) : (a)))
#define NPU__STEP_MIN(t, a, x) ((t)((x) < (a) ? (x) : (a)))
#define NPU__AS_IT_IS(x) (x)
#define NPU__FLIPPED(x) ((int8_t)(uint8_t)((x) ^ flip))
#define NPU__FLIPPED_BACK(x) ((uint8_t)((uint8_t)(x) ^ flip))
#define NPU__FLIPPED_WIDE(x) ((x) ^ flip)
#define NPU__ARG_GT(x, best) ((x) > (best))
#define NPU__ARG_LT(x, best) ((x) < (best))

/* With places below bytes, one maximum finds both. */
NPU__FN int32_t npu__arg_bytes__any(const uint8_t *p, int32_t n, uint32_t flip) {
    int32_t best = -129, where = 0;
    for (int32_t from = 0; from < n; from += 256) {
        const int32_t m = NPU__MIN(n - from, 256);
        int16_t       lanes[16], found;
        for (int32_t k = 0; k < 16; k++) lanes[k] = INT16_MIN;
        for (int32_t i = 0; m >= 16 && i < m; i += 16) {
            const int32_t  at = NPU__MIN(i, m - 16);
            const uint8_t *q = p + from + at;
            const uint16_t low = (uint16_t)(255 - at);
            NPU__VEC_CALLS_FOR(k, 16) {
                const int16_t key = (int16_t)(uint16_t)(((q[k] ^ flip) << 8) + low - (uint32_t)k);
                lanes[k] = key > lanes[k] ? key : lanes[k];
            }
        }
        for (int32_t i = 0; m < 16 && i < m; i++) {
            const int16_t key = (int16_t)(uint16_t)(((p[from + i] ^ flip) << 8) + 255u - (uint32_t)i);
            lanes[0] = key > lanes[0] ? key : lanes[0];
        }
        NPU__VEC_CALLS_FOR(k, 8) lanes[k] = lanes[k + 8] > lanes[k] ? lanes[k + 8] : lanes[k];
        NPU__VEC_CALLS_FOR(k, 4) lanes[k] = lanes[k + 4] > lanes[k] ? lanes[k + 4] : lanes[k];
        found = lanes[0];
        for (int32_t k = 1; k < 4; k++) found = lanes[k] > found ? lanes[k] : found;
        if (found >> 8 > best) {
            best = found >> 8;
            where = from + 255 - (found & 255);
        }
    }
    return where;
}
#if NPU__HAS_X86
/* The least byte of all, where the largest signed one was; then where it first stands: 32 at a time, the last ones perhaps again. */
NPU__AVX2_ONLY NPU__INLINE __m128i npu__arg_load__avx2(const uint8_t *p, int32_t i, int32_t n, __m128i flip) {
    return _mm_xor_si128(NPU__LOAD16(p + NPU__MIN(i, n - 16)), flip);
}
NPU__AVX2_ONLY NPU__FN int32_t npu__arg_bytes__avx2(const uint8_t *p, int32_t n, uint32_t flip) {
    const __m128i to_least = _mm_set1_epi8((char)(uint8_t)(flip ^ 0x7Fu));
    __m128i       least = _mm_set1_epi8(-1);
    if (n < 16) return npu__arg_bytes__any(p, n, flip);
    for (int32_t i = 0; i < n; i += 16) least = _mm_min_epu8(least, npu__arg_load__avx2(p, i, n, to_least));
    least = _mm_min_epu8(least, _mm_srli_epi16(least, 8));
    least = _mm_set1_epi8((char)_mm_cvtsi128_si32(_mm_minpos_epu16(least)));
    for (int32_t i = 0;; i += 32) {
        const int32_t  second = NPU__MIN(i + 16, n - 16);
        const uint32_t a = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(least, npu__arg_load__avx2(p, i, n, to_least)));
        const uint32_t b = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(least, npu__arg_load__avx2(p, i + 16, n, to_least)));
        if (a | b) {
            const int32_t first = NPU__MIN(i, n - 16);
            return a ? first + 31 - npu__clz32(a & (0u - a)) : second + 31 - npu__clz32(b & (0u - b));
        }
    }
}
#endif

#if NPU__HAS_X86
#  define NPU__V(name) name##__avx2
#  define NPU__VFN NPU__AVX2_ONLY
#  include "reduce_v.h"
#  undef NPU__V
#  undef NPU__VFN
#endif
#define NPU__V(name) name##__any
#define NPU__VFN
#include "reduce_v.h"
#undef NPU__V
#undef NPU__VFN

#undef NPU__STEP_ADD
#undef NPU__STEP_ADD32
#undef NPU__STEP_ADD64
#undef NPU__STEP_MAX
#undef NPU__STEP_MIN
#undef NPU__AS_IT_IS
#undef NPU__FLIPPED
#undef NPU__FLIPPED_BACK
#undef NPU__FLIPPED_WIDE
#undef NPU__ARG_GT
#undef NPU__ARG_LT

#define NPU__REDUCE_FN_any(name, ...) npu__reduce_##name##__any,
#define NPU__REDUCE_FN_avx2(name, ...) npu__reduce_##name##__avx2,
#define NPU__ARG_FN_any(name, type, least, BETTER) npu__arg_##name##__any,
#define NPU__ARG_FN_avx2(name, type, least, BETTER) npu__arg_##name##__avx2,
#define NPU_X(s, name, isa) {name, isa, {NPU__REDUCE_KINDS(NPU__REDUCE_FN_##s) NPU__REDUCE_SHORT_KINDS(NPU__REDUCE_FN_##s)}, {NPU__ARG_KINDS(NPU__ARG_FN_##s)}, npu__arg_bytes__##s},
static const npu__reduce_loops npu__reduce_loops_rows[] = {NPU__LOOPS_ROWS(NPU_X)};
#undef NPU_X
#undef NPU__REDUCE_FN_any
#undef NPU__REDUCE_FN_avx2
#undef NPU__ARG_FN_any
#undef NPU__ARG_FN_avx2

NPU__FN const npu__reduce_loops *npu__reduce_select(npu_isa isa) {
    const npu__reduce_loops *r = npu__reduce_loops_rows;
    while (!npu__isa_includes(isa, r->isa)) r++; /* the last one is for all */
    return r;
}

NPU__SPEED_END
