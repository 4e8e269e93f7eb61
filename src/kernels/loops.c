/* The loops of loops.h for each instruction set that they are compiled for, and their table. */
#include "loops.h"
NPU__SPEED_BEGIN

#if NPU__HAS_X86
#  define NPU__V(name) name##__avx2
#  define NPU__VFN NPU__AVX2_ONLY
#  include "loops_resize_v.h"
#  undef NPU__V
#  undef NPU__VFN
#endif
#define NPU__V(name) name##__any
#define NPU__VFN
#include "loops_resize_v.h"
#undef NPU__V
#undef NPU__VFN

#define NPU__LOOPS_BY_TYPE(f, s) {f##_f32__##s, f##_u8__##s, f##_i8__##s, f##_i16__##s}
#define NPU_X(s, name, isa) \
    {name, isa, NPU__LOOPS_BY_TYPE(npu__resize_blend, s), NPU__LOOPS_BY_TYPE(npu__resize_columns, s)},
static const npu__loops npu__loops_rows[] = {NPU__LOOPS_ROWS(NPU_X)};
#undef NPU_X
#undef NPU__LOOPS_BY_TYPE

NPU__FN const npu__loops *npu__loops_select(npu_isa isa) {
    const npu__loops *r = npu__loops_rows;
    while (!npu__isa_includes(isa, r->isa)) r++; /* the last one is for all */
    return r;
}

NPU__SPEED_END
