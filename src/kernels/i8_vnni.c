/* Integer GEMM for AVX-512 with VNNI: four unsigned activations times four signed weights a lane, exact in int32. */
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* ---- staging ---- */

NPU__VNNI NPU__FN void npu__stage_u8__vnni(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    const __m512i flip = _mm512_set1_epi8((char)(is_signed ? 0x80 : 0));
    uint8_t      *to = (uint8_t *)dst;
    int32_t       i = 0;
    (void)subtract;
    for (; i + 64 <= n; i += 64) _mm512_storeu_si512((void *)(to + i), _mm512_xor_si512(NPU__LOAD64(src + i), flip));
    if (i < n) {
        const __mmask64 rest = ~UINT64_C(0) >> (64 - (n - i));
        _mm512_mask_storeu_epi8(to + i, rest, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, src + i), flip));
    }
}

/* ---- a tile is R rows of 32 columns, or of 16 (in order) for a last panel of no more ---- */

/* As in kernels/i8_avx2.c: a header of 512 bytes, then four of k for every column at a time. dpbusd takes activations unsigned: they are
 * staged with 128 added, which the bias takes back (kernels/pack.c). */
#define NPU__TILE_INIT16(r)                                     \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r);      \
    __m512i        lo##r = _mm512_add_epi32(NPU__LOAD64(panel), _mm512_set1_epi32(job->row_add[row + r]));
#define NPU__TILE_INIT32(r) \
    NPU__TILE_INIT16(r)     \
    __m512i hi##r = _mm512_add_epi32(NPU__LOAD64(panel + 64), _mm512_set1_epi32(job->row_add[row + r]));
#define NPU__TILE_STEP16(r) lo##r = _mm512_dpbusd_epi32(lo##r, _mm512_set1_epi32(npu__load_i32(a##r + i)), b0);
#define NPU__TILE_STEP32(r)                         \
    v = _mm512_set1_epi32(npu__load_i32(a##r + i)); \
    lo##r = _mm512_dpbusd_epi32(lo##r, v, b0);      \
    hi##r = _mm512_dpbusd_epi32(hi##r, v, b1);
#define NPU__TILE_B16 const __m512i b0 = NPU__LOAD64(w);
#define NPU__TILE_B32                                              \
    const __m512i b0 = NPU__LOAD64(w), b1 = NPU__LOAD64(w + 64); \
    __m512i       v;
/* The multipliers of odd lanes are one lane on. */
#define NPU__FOLDED(x, at)                                                                                                 \
    x = npu__requant_folded__vnni(x, NPU__LOAD64(panel + 128 + at), NPU__LOAD64(panel + 132 + at), NPU__LOAD64(panel + 256 + at), \
                                  NPU__LOAD64(panel + 384 + at));
#define NPU__ANY(x, at) \
    x = npu__requant__vnni(x, NPU__LOAD64(panel + 128 + at), NPU__LOAD64(panel + 256 + at), NPU__LOAD64(panel + 384 + at));
#define NPU__TILE_FOLDED16(r) NPU__FOLDED(lo##r, 0)
#define NPU__TILE_FOLDED32(r) NPU__FOLDED(lo##r, 0) NPU__FOLDED(hi##r, 64)
#define NPU__TILE_ANY16(r) NPU__ANY(lo##r, 0)
#define NPU__TILE_ANY32(r) NPU__ANY(lo##r, 0) NPU__ANY(hi##r, 64)
#define NPU__TILE_DONE16(r) npu__store16__vnni(out + (size_t)r * job->out_stride, lo##r, folded, fin, mask);
#define NPU__TILE_DONE32(r) npu__store32__vnni(out + (size_t)r * job->out_stride, lo##r, hi##r, folded, fin, mask);
#define NPU__TILE_RAW16(r) npu__raw16__vnni(out + (size_t)r * job->out_stride, lo##r, offset);
#define NPU__TILE_RAW32(r) npu__raw32__vnni(out + (size_t)r * job->out_stride, lo##r, hi##r, offset);

/* Columns stand in the order that packing gives back (NPU__COLS_QUARTERS). */
NPU__VNNI NPU__INLINE void npu__store32__vnni(uint8_t *out, __m512i lo, __m512i hi, int folded, const npu__fin__vnni *f,
                                              __mmask32 mask) {
    _mm256_mask_storeu_epi8(out, mask, npu__bytes32__vnni(npu__words__vnni(lo, hi, folded, f), f));
}
/* Sums of 32 columns, in order. */
NPU__VNNI NPU__INLINE void npu__raw32__vnni(uint8_t *out, __m512i lo, __m512i hi, __m512i offset) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const __m512i second = _mm512_or_si512(first, _mm512_set1_epi32(8));
    npu__raw16__vnni(out, _mm512_permutex2var_epi32(lo, first, hi), offset);
    npu__raw16__vnni(out + 64, _mm512_permutex2var_epi32(lo, second, hi), offset);
}

#define NPU__TILE(R, N)                                                                                                 \
    NPU__VNNI NPU__INLINE void npu__i8_tile_##R##x##N##__vnni(const npu__gemm_i8_job *job, int32_t row,                 \
                                                              const npu__fin__vnni *fin, int folded,                    \
                                                              const uint8_t *panel, __mmask32 mask, uint8_t *out) {     \
        const uint8_t *w = panel + 512;                                                                                 \
        NPU__ROWS_##R(NPU__TILE_INIT##N)                                                                                \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                 \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                  \
            for (size_t i = job->a.offsets[s]; i < end; i += 4, w += 128) {                                             \
                NPU__TILE_B##N                                                                                          \
                NPU__ROWS_##R(NPU__TILE_STEP##N)                                                                        \
            }                                                                                                           \
        }                                                                                                               \
        if (job->out.raw) {                                                                                             \
            const __m512i offset = _mm512_set1_epi32(folded ? INT32_MIN : 0);                                           \
            NPU__ROWS_##R(NPU__TILE_RAW##N)                                                                             \
            return;                                                                                                     \
        }                                                                                                               \
        if (folded) {                                                                                                   \
            NPU__ROWS_##R(NPU__TILE_FOLDED##N)                                                                          \
        } else {                                                                                                        \
            NPU__ROWS_##R(NPU__TILE_ANY##N)                                                                             \
        }                                                                                                               \
        NPU__ROWS_##R(NPU__TILE_DONE##N)                                                                                \
    }

/* All rows against one panel. */
#define NPU__TILE_CALL16(R) npu__i8_tile_##R##x16__vnni(job, row, fin, folded, panel, mask, out)
#define NPU__TILE_CALL32(R) npu__i8_tile_##R##x32__vnni(job, row, fin, folded, panel, mask, out)
#define NPU__PANEL(N)                                                                                                      \
    NPU__TILE(1, N)                                                                                                        \
    NPU__TILE(2, N)                                                                                                        \
    NPU__TILE(4, N)                                                                                                        \
    NPU__TILE(8, N)                                                                                                        \
    NPU__VNNI NPU__FN void npu__i8_panel_##N##__vnni(const npu__gemm_i8_job *job, const npu__fin__vnni *fin, int folded,   \
                                                     const uint8_t *panel, __mmask32 mask, uint8_t *out) {                 \
        NPU__TILES(8, NPU__TILE_CALL##N);                                                                                  \
    }
NPU__PANEL(16)
NPU__PANEL(32)
#undef NPU__PANEL
#undef NPU__TILE_CALL16
#undef NPU__TILE_CALL32
#undef NPU__TILE
#undef NPU__TILE_INIT16
#undef NPU__TILE_INIT32
#undef NPU__TILE_STEP16
#undef NPU__TILE_STEP32
#undef NPU__TILE_B16
#undef NPU__TILE_B32
#undef NPU__FOLDED
#undef NPU__ANY
#undef NPU__TILE_FOLDED16
#undef NPU__TILE_FOLDED32
#undef NPU__TILE_ANY16
#undef NPU__TILE_ANY32
#undef NPU__TILE_DONE16
#undef NPU__TILE_DONE32
#undef NPU__TILE_RAW16
#undef NPU__TILE_RAW32

NPU__VNNI NPU__FN void npu__i8_gemm_8x32__vnni(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                               uint8_t *out) {
    const npu__fin__vnni fin = npu__fin_of__vnni(&job->out);
    /* Folded headers have a third line of negative numbers and zeros, others one of zeros and left shifts. */
    const __mmask16 third = _mm512_movepi32_mask(_mm512_or_si512(NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 320)));
    const __mmask32 mask = (__mmask32)(~UINT32_C(0) >> (32 - cols));
    if (cols > 16) npu__i8_panel_32__vnni(job, &fin, third != 0, panel, mask, out);
    else npu__i8_panel_16__vnni(job, &fin, third != 0, panel, mask, out);
}

NPU__AVX512_END
#endif
