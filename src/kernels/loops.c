/* The loops of loops.h for each instruction set that they are compiled for, and their table. */
#include "loops.h"
NPU__SPEED_BEGIN

#if NPU__HAS_X86
#  define NPU__V(name) name##__avx512
#  define NPU__VFN NPU__AVX512_LOOPS
#  define NPU__VBYTES /* resize_u8.c */
#  include "loops_resize_v.h"
#  undef NPU__VBYTES
#  undef NPU__V
#  undef NPU__VFN
#  define NPU__V(name) name##__avx2
#  define NPU__VFN NPU__AVX2_ONLY
#  define NPU__VBYTES
#  include "loops_resize_v.h"
#  undef NPU__VBYTES
#  undef NPU__V
#  undef NPU__VFN
#endif
#define NPU__V(name) name##__any
#define NPU__VFN
#if NPU__HAS_WASM_SIMD
#  define NPU__VBYTES
#endif
#include "loops_resize_v.h"
#undef NPU__V
#undef NPU__VFN
#undef NPU__VBYTES

#define NPU__LOOPS_BY_TYPE(f, s) {f##_f32__##s, f##_u8__##s, f##_i8__##s, f##_i16__##s}
#define NPU_X(s, name, isa) \
    {name, isa, NPU__LOOPS_BY_TYPE(npu__resize_blend, s), NPU__LOOPS_BY_TYPE(npu__resize_columns, s)},
static const npu__loops npu__loops_rows[] = {
#if NPU__HAS_X86
    NPU_X(avx512, NPU__LOOPS_ANY ".avx512", NPU_ISA_AVX512)
#endif
    NPU__LOOPS_ROWS(NPU_X)};
#undef NPU_X
#undef NPU__LOOPS_BY_TYPE

NPU__FN const npu__loops *npu__loops_select(npu_isa isa) {
    const npu__loops *r = npu__loops_rows;
    while (!npu__isa_includes(isa, r->isa)) r++; /* the last one is for all */
    return r;
}

NPU__SPEED_END
