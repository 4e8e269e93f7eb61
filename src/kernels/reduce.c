/* The loops of reduce.h for each instruction set that they are compiled for, and their table. */
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
#define NPU_X(s, name, isa) {name, isa, {NPU__REDUCE_KINDS(NPU__REDUCE_FN_##s) NPU__REDUCE_SHORT_KINDS(NPU__REDUCE_FN_##s)}, {NPU__ARG_KINDS(NPU__ARG_FN_##s)}},
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
