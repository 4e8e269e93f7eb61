/* Float kernels for WebAssembly: SIMD128, and the GEMM and depthwise ones again with relaxed multiply-add. */
#include "simd.h"
#include "sparse_f32.h"
NPU__SPEED_BEGIN

#if NPU__HAS_WASM_SIMD

NPU__INLINE v128_t npu__sum4__wasm(v128_t a, v128_t b, v128_t c, v128_t d) {
    v128_t ab = wasm_f32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
    v128_t cd = wasm_f32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
    return wasm_f32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
}

/* pmin and pmax give their first operand where a comparison with NaN fails, and are single instructions. */
#define NPU__V(name) name##__wasm
#define NPU__V4 v128_t
#define NPU__V4_FN
#define NPU__V4_LOAD(p) wasm_v128_load(p)
#define NPU__V4_STORE(p, v) wasm_v128_store(p, v)
#define NPU__V4_SET1(x) wasm_f32x4_splat(x)
#define NPU__V4_SPLAT(p) wasm_v128_load32_splat(p)
#define NPU__V4_LANES (NPU__WASM_LANES ? 4 : 1)
#define NPU__V4_MOST 5
#define NPU__V4_MADD(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#define NPU__V4_LANE(a, i, b, c) NPU__V4_MADD(wasm_i32x4_shuffle(a, a, i, i, i, i), b, c)
#define NPU__V4_ADD(a, b) wasm_f32x4_add(a, b)
#define NPU__V4_CLAMP(v, lo, hi) wasm_f32x4_pmin(wasm_f32x4_pmax(v, lo), hi)
#define NPU__V4_SUM4(a, b, c, d) npu__sum4__wasm(a, b, c, d)
#define NPU__V4_LO32(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define NPU__V4_HI32(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define NPU__V4_LO64(a, b) wasm_i32x4_shuffle(a, b, 0, 1, 4, 5)
#define NPU__V4_HI64(a, b) wasm_i32x4_shuffle(a, b, 2, 3, 6, 7)
#define NPU__V4_SHARE 0
#include "f32_v128.h"

#if NPU__HAS_WASM_RELAXED
#define NPU__V(name) name##__relaxed
#define NPU__V4 v128_t
#define NPU__V4_FN
#define NPU__V4_LOAD(p) wasm_v128_load(p)
#define NPU__V4_STORE(p, v) wasm_v128_store(p, v)
#define NPU__V4_SET1(x) wasm_f32x4_splat(x)
#define NPU__V4_SPLAT(p) wasm_v128_load32_splat(p)
#define NPU__V4_LANES (NPU__WASM_LANES ? 2 : 1)
#define NPU__V4_LOAD2(p) wasm_v128_load64_zero(p)
#define NPU__V4_MOST NPU__WASM_F32_ROWS
#define NPU__V4_MADD(a, b, c) wasm_f32x4_relaxed_madd(a, b, c)
#define NPU__V4_LANE(a, i, b, c) NPU__V4_MADD(wasm_i32x4_shuffle(a, a, i, i, i, i), b, c)
#define NPU__V4_ADD(a, b) wasm_f32x4_add(a, b)
#define NPU__V4_CLAMP(v, lo, hi) wasm_f32x4_pmin(wasm_f32x4_pmax(v, lo), hi)
#define NPU__V4_SUM4(a, b, c, d) npu__sum4__wasm(a, b, c, d)
#define NPU__V4_LO32(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define NPU__V4_HI32(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define NPU__V4_LO64(a, b) wasm_i32x4_shuffle(a, b, 0, 1, 4, 5)
#define NPU__V4_HI64(a, b) wasm_i32x4_shuffle(a, b, 2, 3, 6, 7)
#define NPU__V4_SHARE 0
#include "f32_v128.h"
#endif
#endif
NPU__SPEED_END
