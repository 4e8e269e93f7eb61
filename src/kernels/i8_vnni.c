/* Integer GEMM for AVX-512 with VNNI: four unsigned activations times four signed weights a lane, exact in int32. */
#include "kernels.h"
#include "simd.h"
#if NPU__HAS_X86

/* GCC's own intrinsics start from a register they call undefined, and GCC then warns of it. */
#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#  pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define NPU__LOAD64(p) _mm512_loadu_si512((const void *)(p))

/* As npu__requant_any__avx2, on sixteen lanes. */
NPU__VNNI NPU__INLINE __m512i npu__requant__vnni(__m512i x, __m512i mult, __m512i left, __m512i right) {
    const __m512i nudge = _mm512_set1_epi64((int64_t)1 << 30), one = _mm512_set1_epi32(1);
    __m512i       even, odd, mask;
    __mmask16     over;
    x = _mm512_sllv_epi32(x, left);
    even = _mm512_add_epi64(_mm512_mul_epi32(x, mult), nudge);
    odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(mult, 32)), nudge);
    x = _mm512_mask_blend_epi32((__mmask16)0xAAAA, _mm512_srli_epi64(even, 31), _mm512_add_epi64(odd, odd));
    mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, right), one);
    over = _mm512_cmpgt_epi32_mask(_mm512_and_si512(x, mask),
                                   _mm512_sub_epi32(_mm512_srli_epi32(mask, 1), _mm512_srai_epi32(x, 31)));
    x = _mm512_srav_epi32(x, right);
    return _mm512_mask_add_epi32(x, over, x, one);
}

/* Clamped before the zero point is added, so that nothing overflows. */
NPU__VNNI NPU__INLINE __m128i npu__finish16__vnni(__m512i x, const npu__i8_out *o) {
    x = _mm512_max_epi32(x, _mm512_set1_epi32(o->lo - o->zero_point));
    x = _mm512_min_epi32(x, _mm512_set1_epi32(o->hi - o->zero_point));
    x = _mm512_add_epi32(x, _mm512_set1_epi32(o->zero_point));
    return _mm_xor_si128(_mm512_cvtsepi32_epi8(x), _mm_set1_epi8((char)o->flip));
}

NPU__VNNI NPU__INLINE void npu__store32__vnni(uint8_t *out, __m128i lo, __m128i hi, int32_t cols) {
    uint8_t tmp[32], *to = cols == 32 ? out : tmp;
    _mm_storeu_si128((__m128i *)(void *)to, lo);
    _mm_storeu_si128((__m128i *)(void *)(to + 16), hi);
    if (cols != 32) memcpy(out, tmp, (size_t)cols);
}

/* ---- a tile is R rows of 32 columns ---- */

/* As in kernels/i8_avx2.c, with 32 columns: a header of 512 bytes, then four of k for every column at a time. dpbusd takes
 * activations unsigned: they are staged with 128 added, which the bias takes back (kernels/pack.c). */
#define NPU__TILE_INIT(r)                                                                                  \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r);                                                 \
    __m512i        lo##r = _mm512_add_epi32(NPU__LOAD64(panel), _mm512_set1_epi32(job->row_add[row + r])), \
                   hi##r = _mm512_add_epi32(NPU__LOAD64(panel + 64), _mm512_set1_epi32(job->row_add[row + r]));
#define NPU__TILE_STEP(r)                           \
    v = _mm512_set1_epi32(npu__load_i32(a##r + i)); \
    lo##r = _mm512_dpbusd_epi32(lo##r, v, b0);      \
    hi##r = _mm512_dpbusd_epi32(hi##r, v, b1);
#define NPU__TILE_DONE(r)                                                                                            \
    lo##r = npu__requant__vnni(lo##r, NPU__LOAD64(panel + 128), NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 384)); \
    hi##r = npu__requant__vnni(hi##r, NPU__LOAD64(panel + 192), NPU__LOAD64(panel + 320), NPU__LOAD64(panel + 448)); \
    npu__store32__vnni(out + (size_t)r * job->out_stride, npu__finish16__vnni(lo##r, &job->out),                     \
                       npu__finish16__vnni(hi##r, &job->out), cols);

#define NPU__TILE_RAW(r)                                                            \
    _mm512_storeu_si512((void *)(out + (size_t)r * job->out_stride), lo##r);      \
    _mm512_storeu_si512((void *)(out + (size_t)r * job->out_stride + 64), hi##r);

#define NPU__TILE(R)                                                                                           \
    NPU__VNNI NPU__INLINE void npu__i8_tile_##R##x32__vnni(const npu__gemm_i8_job *job, int32_t row,           \
                                                           const uint8_t *panel, int32_t cols, uint8_t *out) { \
        const uint8_t *w = panel + 512;                                                                        \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                          \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                        \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                         \
            for (size_t i = job->a.offsets[s]; i < end; i += 4, w += 128) {                                    \
                const __m512i b0 = NPU__LOAD64(w), b1 = NPU__LOAD64(w + 64);                                   \
                __m512i       v;                                                                               \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                  \
            }                                                                                                  \
        }                                                                                                      \
        if (job->out.raw) {                                                                                    \
            NPU__ROWS_##R(NPU__TILE_RAW)                                                                       \
        } else {                                                                                               \
            NPU__ROWS_##R(NPU__TILE_DONE)                                                                      \
        }                                                                                                      \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(8)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_DONE
#undef NPU__TILE_RAW

#define NPU__TILE_CALL(R) npu__i8_tile_##R##x32__vnni(job, row, panel, cols, out)
NPU__VNNI NPU__FN void npu__i8_gemm_8x32__vnni(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                               uint8_t *out) {
    NPU__TILES(8, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

#undef NPU__LOAD64

#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic pop
#endif
#endif
