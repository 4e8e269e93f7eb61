/* The loops of reduce.h for each instruction set that they are compiled for, and their table. */
#include "../base/fixed32.h"
#include "reduce.h"
#include "v128.h"
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

/* Fewer than a vector has. */
NPU__FN int32_t npu__arg_bytes_few(const uint8_t *p, int32_t n, uint32_t flip) {
    int32_t best = -1, where = 0;
    flip ^= 0x80u;
    for (int32_t i = 0; i < n; i++) {
        const int32_t x = (int32_t)(p[i] ^ flip);
        if (x > best) {
            best = x;
            where = i;
        }
    }
    return where;
}

#if NPU__HAS_V128
/* The least byte of all, where the largest signed one was; then where it first stands: 32 at a time, the last ones perhaps again. */
#  if NPU__HAS_X86
#    define NPU__LEAST16(v) _mm_cvtsi128_si32(_mm_minpos_epu16(v)) /* of the words of a vector, more on top */
#  else
NPU__INLINE int32_t npu__least16(npu__v128 v) {
    v = NPU__V_MINU8(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = NPU__V_MINU8(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return NPU__V_LANE32(NPU__V_MINU8(v, wasm_u32x4_shr(v, 16)), 0);
}
#    define NPU__LEAST16(v) npu__least16(v)
#  endif
#  define NPU__ARG_LOAD(i) NPU__V_XOR(NPU__V_LOAD(p + NPU__MIN(i, n - 16)), to_least)
#  define NPU__ARG_FOUND(i) (uint32_t)NPU__V_SIGNS8(NPU__V_EQ8(least, NPU__ARG_LOAD(i)))
#  define NPU__ARG_BYTES(name, target)                                                                          \
    target NPU__FN int32_t name(const uint8_t *p, int32_t n, uint32_t flip) {                                   \
        const npu__v128 to_least = NPU__V_SET8((int8_t)(uint8_t)(flip ^ 0x7Fu));                                \
        npu__v128       least = NPU__V_SET8(-1);                                                                \
        if (n < 16) return npu__arg_bytes_few(p, n, flip);                                                      \
        for (int32_t i = 0; i < n; i += 16) least = NPU__V_MINU8(least, NPU__ARG_LOAD(i));                      \
        least = NPU__V_MINU8(least, NPU__V_SHR16(least, 8)); /* words of a byte */                              \
        least = NPU__V_SET8((int8_t)(uint8_t)NPU__LEAST16(least));                                              \
        for (int32_t i = 0;; i += 32) {                                                                         \
            const int32_t  second = NPU__MIN(i + 16, n - 16);                                                   \
            const uint32_t a = NPU__ARG_FOUND(i), b = NPU__ARG_FOUND(i + 16);                                   \
            if (a | b) {                                                                                        \
                const int32_t first = NPU__MIN(i, n - 16);                                                      \
                return a ? first + 31 - npu__clz32(a & (0u - a)) : second + 31 - npu__clz32(b & (0u - b));      \
            }                                                                                                   \
        }                                                                                                       \
    }
#  if NPU__HAS_X86
NPU__ARG_BYTES(npu__arg_bytes__avx2, NPU__AVX2_ONLY)
#  else
NPU__ARG_BYTES(npu__arg_bytes__any, )
#  endif
#  undef NPU__ARG_BYTES
#  undef NPU__ARG_LOAD
#  undef NPU__ARG_FOUND
#  undef NPU__LEAST16
#endif
#if !NPU__HAS_WASM_SIMD
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
            NPU__VEC_FOR(k, 16) {
                const int16_t key = (int16_t)(uint16_t)(((q[k] ^ flip) << 8) + low - (uint32_t)k);
                lanes[k] = key > lanes[k] ? key : lanes[k];
            }
        }
        for (int32_t i = 0; m < 16 && i < m; i++) {
            const int16_t key = (int16_t)(uint16_t)(((p[from + i] ^ flip) << 8) + 255u - (uint32_t)i);
            lanes[0] = key > lanes[0] ? key : lanes[0];
        }
        NPU__VEC_FOR(k, 8) lanes[k] = lanes[k + 8] > lanes[k] ? lanes[k + 8] : lanes[k];
        NPU__VEC_FOR(k, 4) lanes[k] = lanes[k + 4] > lanes[k] ? lanes[k + 4] : lanes[k];
        found = lanes[0];
        for (int32_t k = 1; k < 4; k++) found = lanes[k] > found ? lanes[k] : found;
        if (found >> 8 > best) {
            best = found >> 8;
            where = from + 255 - (found & 255);
        }
    }
    return where;
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
