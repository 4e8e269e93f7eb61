/* Integer GEMM for AVX-512 without VNNI: as on AVX2, bytes widened to int16, pairs multiplied and added by vpmaddwd, but twice as many. */
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

NPU__AVX512 NPU__INLINE __m512i npu__folded__avx512(__m512i x, const uint8_t *head) {
    return npu__requant_folded__vnni(x, NPU__LOAD64(head), NPU__LOAD64(head + 4), NPU__LOAD64(head + 128), NPU__LOAD64(head + 256));
}
NPU__AVX512 NPU__INLINE __mmask32 npu__cols_mask__avx512(int32_t cols) { return (__mmask32)(~UINT32_C(0) >> (32 - cols)); }

/* As npu__near__avx2. */
typedef struct npu__near2__avx512 {
    __m512i         bias[2];
    npu__near__vnni of[2];
    int             both, adds;
} npu__near2__avx512;

NPU__AVX512 NPU__INLINE __m512i npu__near_scaled__avx512(const npu__near__vnni *n, int both, __m512i x, __m512i *doubt) {
    return _mm512_srai_epi32(npu__near_scaled__vnni(x, n->scale, both ? npu__near_add__vnni(x, n->plus, n->minus) : n->plus, doubt), 16);
}

#define NPU__V(name) name##__avx512
#define NPU__T __m512i
#define NPU__T_FN NPU__AVX512
#define NPU__T_FIN npu__fin__vnni
#define NPU__T_NEAR npu__near2__avx512
#define NPU__T_LANES 16
#define NPU__T_K 2
#define NPU__T_MOST 8
#define NPU__T_LOAD(p) NPU__LOAD64(p)
#define NPU__T_SET1(x) _mm512_set1_epi32(x)
#define NPU__T_ADD(a, b) _mm512_add_epi32(a, b)
#define NPU__T_XOR(a, b) _mm512_xor_si512(a, b)
#define NPU__T_DOT(sum, a, w) _mm512_add_epi32(sum, _mm512_madd_epi16(a, w))
#define NPU__T_W(w, n) _mm512_cvtepi8_epi16(NPU__LOAD32(w + 32 * (n)))
#define NPU__T_FOLDED(x, head) npu__folded__avx512(x, head)
#define NPU__T_ANY(x, head) npu__requant__vnni(x, NPU__LOAD64(head), NPU__LOAD64(head + 128), NPU__LOAD64(head + 256))
#define NPU__T_STORE1(out, x) npu__store16__vnni(out, x, folded, fin, npu__cols_mask__avx512(cols))
#define NPU__T_STORE2(out, x, y) npu__store32__vnni(out, x, y, folded, fin, npu__cols_mask__avx512(cols))
#define NPU__T_RAW1(out, x) npu__raw16__vnni(out, x, offset)
#define NPU__T_RAW2(out, x, y) npu__raw32__vnni(out, x, y, offset)
#define NPU__T_SCALED(n, i, both, x, doubt) npu__near_scaled__avx512(&(n)->of[i], both, x, doubt)
#define NPU__T_DOUBT(doubt) npu__near_doubt__vnni(doubt)
#define NPU__T_WORDS1(out, x) npu__store16_words__vnni(out, _mm512_packs_epi32(x, x), fin, npu__cols_mask__avx512(cols))
#define NPU__T_WORDS2(out, x, y) npu__store32_words__vnni(out, _mm512_packs_epi32(x, y), fin, npu__cols_mask__avx512(cols))
#include "i8_tile_v.h"

NPU__AVX512 NPU__INLINE const npu__near2__avx512 *npu__near_panel__avx512(npu__near2__avx512 *n, const npu__gemm_i8_job *job,
                                                                          const uint8_t *panel) {
    int32_t some = 0;
    if (job->out.raw) return NULL;
    for (int32_t r = 0; r < job->m; r++) some |= job->row_add[r];
    n->both = npu__near_both(&job->out);
    n->adds = some != 0;
    for (int i = 0; i < 2; i++) {
        n->bias[i] = _mm512_xor_si512(NPU__LOAD64(panel + 64 * i), _mm512_set1_epi32(INT32_MIN));
        if (!npu__near_of__vnni(&n->of[i], panel + 64 * i, 128, job->out.zero_point)) return NULL;
    }
    return n;
}

NPU__AVX512 NPU__FN void npu__i8_gemm_8x32__avx512(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    const npu__fin__vnni fin = npu__fin_of__vnni(&job->out);
    /* Folded headers have a third line of negative numbers and zeros, others one of zeros and left shifts. */
    const int folded = _mm512_movepi32_mask(_mm512_or_si512(NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 320))) != 0;
    npu__near2__avx512        memory;
    const npu__near2__avx512 *near = folded ? npu__near_panel__avx512(&memory, job, panel) : NULL;
    if (cols > 16) npu__i8_panel_2__avx512(job, &fin, folded, near, panel, cols, out);
    else npu__i8_panel_1__avx512(job, &fin, folded, near, panel, cols, out);
}

NPU__AVX512_END
#endif
