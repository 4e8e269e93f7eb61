/* The loops of pool.h for each instruction set that they are compiled for, and their table. */
#include "pool.h"
NPU__SPEED_BEGIN

/* The cells of a pass: X(t, number). */
#define NPU__POOL_few(X, t) X(t, 0) X(t, 1) X(t, 2) X(t, 3)
#define NPU__POOL_some(X, t) NPU__POOL_few(X, t) X(t, 4) X(t, 5) X(t, 6) X(t, 7) X(t, 8)
#define NPU__POOL_FROM(t, j) const t *q##j = (const t *)p->cells[j];
#define NPU__POOL_ON(t, j) q##j += p->steps[j];
#define NPU__POOL_BLOCK_float NPU__VN
#define NPU__POOL_BLOCK_uint8_t NPU__POOL_LANES
#define NPU__POOL_BOUND_float(b) p->b
#define NPU__POOL_BOUND_uint8_t(b) p->q_##b

/* What is done with cell j, in lanes of type t, and at the end with their result s. */
#define NPU__POOL_ADD(t, j) s = (t)(s + q##j[i]);
#define NPU__POOL_MAX(t, j) s = s < q##j[i] ? q##j[i] : s;
#define NPU__POOL_ADD_8(t, j) s = (t)(s + (int8_t)(uint8_t)(q##j[i] ^ flip));
#define NPU__POOL_MAX_8(t, j)                                    \
    {                                                            \
        const int8_t v = (int8_t)(uint8_t)(q##j[i] ^ flip);      \
        s = s < v ? v : s;                                       \
    }
#define NPU__POOL_CLAMP_F32 \
    s = s < lo ? lo : s;    \
    s = s > hi ? hi : s;
#define NPU__POOL_CLAMP_Q   \
    NPU__POOL_CLAMP_F32     \
    s = (int8_t)(uint8_t)((uint8_t)s ^ flip);
#define NPU__POOL_MEAN_F32 \
    s = s * inverse;       \
    NPU__POOL_CLAMP_F32
#define NPU__POOL_MEAN_Q                                                                   \
    {                                                                                      \
        const int16_t  sign = (int16_t)(s >> 15);                                          \
        const uint16_t size = (uint16_t)((s ^ sign) - sign + half);                        \
        const uint16_t mean = (uint16_t)((uint32_t)size * (uint32_t)(uint16_t)q_inverse >> 16); \
        s = (int16_t)((mean ^ sign) - sign);                                               \
    }                                                                                      \
    NPU__POOL_CLAMP_F32

#if NPU__HAS_X86
#  define NPU__V(name) name##__avx2
#  define NPU__VFN NPU__AVX2_ONLY
#  define NPU__VN 8
#  include "pool_v.h"
#  undef NPU__V
#  undef NPU__VFN
#  undef NPU__VN
#endif
#define NPU__V(name) name##__any
#define NPU__VFN
#define NPU__VN 4
#include "pool_v.h"
#undef NPU__V
#undef NPU__VFN
#undef NPU__VN

#undef NPU__POOL_few
#undef NPU__POOL_some
#undef NPU__POOL_FROM
#undef NPU__POOL_ON
#undef NPU__POOL_BLOCK_float
#undef NPU__POOL_BLOCK_uint8_t
#undef NPU__POOL_BOUND_float
#undef NPU__POOL_BOUND_uint8_t
#undef NPU__POOL_ADD
#undef NPU__POOL_MAX
#undef NPU__POOL_ADD_8
#undef NPU__POOL_MAX_8
#undef NPU__POOL_CLAMP_F32
#undef NPU__POOL_CLAMP_Q
#undef NPU__POOL_MEAN_F32
#undef NPU__POOL_MEAN_Q

#define NPU__POOL_BY(cells, s) \
    {npu__pool_average_f32_##cells##__##s, npu__pool_average_8_##cells##__##s, npu__pool_max_f32_##cells##__##s, \
     npu__pool_max_8_##cells##__##s}
#define NPU_X(s, name, isa) {name, isa, NPU__POOL_BY(few, s), NPU__POOL_BY(some, s)},
static const npu__pool_loops npu__pool_loops_rows[] = {NPU__LOOPS_ROWS(NPU_X)};
#undef NPU_X
#undef NPU__POOL_BY

NPU__FN const npu__pool_loops *npu__pool_select(npu_isa isa) {
    const npu__pool_loops *r = npu__pool_loops_rows;
    while (!npu__isa_includes(isa, r->isa)) r++; /* the last one is for all */
    return r;
}

NPU__SPEED_END
