/* Integer GEMM and matrix times vector for AVX-VNNI: the dot product of four bytes without AVX-512, on 256 bits and 16 registers. */
#include "avx2.h"
#if NPU__HAS_AVXVNNI

/* ---- GEMM ---- */

#define NPU__V(name) name##__avxvnni
#define NPU__T_FN NPU__AVXVNNI
#define NPU__T_K 4
#define NPU__T_MOST 6
#define NPU__T_DOT(sum, a, w) _mm256_dpbusd_avx_epi32(sum, a, w)
#define NPU__T_W(w, n) NPU__LOAD32(w + 32 * (n))
#include "i8_tile_256.h"

NPU__AVXVNNI NPU__FN void npu__i8_gemm_6x16__avxvnni(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    const npu__fin__avx2   fin = npu__fin_of__avx2(&job->out);
    const int              folded = npu__is_folded__avx2(panel);
    npu__near__avx2        memory;
    const npu__near__avx2 *near = npu__near_panel__avx2(&memory, job, panel);
    if (cols > 8) npu__i8_panel_2__avxvnni(job, &fin, folded, near, panel, cols, out);
    else npu__i8_panel_1__avxvnni(job, &fin, folded, near, panel, cols, out);
}

/* ---- GEMV: bytes as they lie ---- */

#define NPU__V(name) name##__avxvnni
#define NPU__G_FN NPU__AVXVNNI
#define NPU__G_DOT_S(sum, a, w) _mm256_dpbusd_avx_epi32(sum, a, w)
#define NPU__G_DOT_U(sum, a, w) _mm256_dpbusd_avx_epi32(sum, w, a)
#define NPU__G_PRODUCT(a, w) (job->w_signed ? (a) * (int32_t)(int8_t)(w) : (int32_t)(int8_t)(a) * (w))
#include "gemv_256_v.h"
#endif
