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
typedef struct npu__tile__vnni {
    const npu__gemm_i8_job *job;
    const uint8_t          *panel;
    const npu__near__vnni  *near; /* of both sixteens; NULL: not for this panel */
    npu__fin__vnni          fin;
    int                     folded, adds; /* adds: some row's is not 0 */
    __mmask32               mask;
} npu__tile__vnni;

#define NPU__TILE_INIT16(r)                                \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r); \
    __m512i        lo##r = first;
#define NPU__TILE_INIT32(r) \
    NPU__TILE_INIT16(r)     \
    __m512i hi##r = second;
#define NPU__TILE_ADD16(r) lo##r = _mm512_add_epi32(lo##r, _mm512_set1_epi32(job->row_add[row + r]));
#define NPU__TILE_ADD32(r) \
    NPU__TILE_ADD16(r)     \
    hi##r = _mm512_add_epi32(hi##r, _mm512_set1_epi32(job->row_add[row + r]));
#define NPU__TILE_STEP16(r)                         \
    v = _mm512_set1_epi32(npu__load_i32(a##r + i)); \
    lo##r = npu__dot8__vnni(lo##r, v, b0);
#define NPU__TILE_STEP32(r) \
    NPU__TILE_STEP16(r)     \
    hi##r = npu__dot8__vnni(hi##r, v, b1);
#define NPU__TILE_B16 const __m512i b0 = NPU__LOAD64(w);
#define NPU__TILE_B32 const __m512i b0 = NPU__LOAD64(w), b1 = NPU__LOAD64(w + 64);
/* The multipliers of odd lanes are one lane on. */
#define NPU__FOLDED(x, at) \
    x = npu__requant_folded__vnni(x, NPU__LOAD64(panel + 128 + at), NPU__LOAD64(panel + 132 + at), NPU__LOAD64(panel + 256 + at), \
                                  NPU__LOAD64(panel + 384 + at));
#define NPU__ANY(x, at) \
    x = npu__requant__vnni(x, NPU__LOAD64(panel + 128 + at), NPU__LOAD64(panel + 256 + at), NPU__LOAD64(panel + 384 + at));
#define NPU__TILE_FOLDED16(r) NPU__FOLDED(lo##r, 0)
#define NPU__TILE_FOLDED32(r) NPU__FOLDED(lo##r, 0) NPU__FOLDED(hi##r, 64)
#define NPU__TILE_ANY16(r) NPU__ANY(lo##r, 0)
#define NPU__TILE_ANY32(r) NPU__ANY(lo##r, 0) NPU__ANY(hi##r, 64)
#define NPU__TILE_DONE16(r) npu__store16__vnni(out + (size_t)r * stride, lo##r, t->folded, &t->fin, t->mask);
#define NPU__TILE_DONE32(r) npu__store32__vnni(out + (size_t)r * stride, lo##r, hi##r, t->folded, &t->fin, t->mask);
#define NPU__TILE_RAW16(r) npu__raw16__vnni(out + (size_t)r * stride, lo##r, offset);
#define NPU__TILE_RAW32(r) npu__raw32__vnni(out + (size_t)r * stride, lo##r, hi##r, offset);

/* Rows near the reference's (avx512.h), two at a time. */
#define NPU__NEAR(x, half) npu__near_scaled__vnni(x, scale##half, plus##half, &doubt)
#define NPU__NEAR_BOTH(x, half) npu__near_scaled__vnni(x, scale##half, npu__near_add__vnni(x, plus##half, minus##half), &doubt)
#define NPU__NEAR16(X, r, q)                                                                                      \
    npu__store_near16__vnni(out + (size_t)r * stride, out + (size_t)q * stride, X(lo##r, 0), X(lo##q, 0), odd, &fin, mask); \
    NPU__HERE(doubt);
#define NPU__NEAR32(X, r, q)                                                                                      \
    npu__store_near32__vnni(out + (size_t)r * stride, out + (size_t)q * stride, _mm512_permutex2var_epi16(X(lo##r, 0), odd, X(lo##q, 0)), \
                            _mm512_permutex2var_epi16(X(hi##r, 1), odd, X(hi##q, 1)), &fin, mask);       \
    NPU__HERE(doubt);
/* A row without another is its own second. */
#define NPU__NEAR_ROWS_1(N, X) NPU__NEAR##N(X, 0, 0)
#define NPU__NEAR_ROWS_2(N, X) NPU__NEAR##N(X, 0, 1)
#define NPU__NEAR_ROWS_4(N, X) NPU__NEAR_ROWS_2(N, X) NPU__NEAR##N(X, 2, 3)
#define NPU__NEAR_ROWS_5(N, X) NPU__NEAR_ROWS_4(N, X) NPU__NEAR##N(X, 4, 4)
#define NPU__NEAR_ROWS_8(N, X) NPU__NEAR_ROWS_4(N, X) NPU__NEAR##N(X, 4, 5) NPU__NEAR##N(X, 6, 7)

NPU__VNNI NPU__INLINE __m512i npu__bounded__vnni(__m512i v, const npu__fin__vnni *f) {
    return _mm512_xor_si512(_mm512_min_epi8(_mm512_max_epi8(v, f->lo), f->hi), f->flip);
}
/* Eights 0 and 2 of two rows, and 1 and 3 (NPU__COLS_EIGHTS), as words: saturating puts them between each other. */
NPU__VNNI NPU__INLINE void npu__store_near32__vnni(uint8_t *out, uint8_t *second, __m512i even, __m512i odd, const npu__fin__vnni *f,
                                                   __mmask32 mask) {
    const __m512i v = npu__bounded__vnni(_mm512_packs_epi16(even, odd), f);
    if (mask == ~UINT32_C(0)) {
        _mm256_storeu_si256((__m256i *)(void *)out, _mm512_castsi512_si256(v));
        _mm256_storeu_si256((__m256i *)(void *)second, _mm512_extracti64x4_epi64(v, 1));
    } else {
        _mm256_mask_storeu_epi8(out, mask, _mm512_castsi512_si256(v));
        _mm256_mask_storeu_epi8(second, mask, _mm512_extracti64x4_epi64(v, 1));
    }
}
NPU__VNNI NPU__INLINE void npu__store_near16__vnni(uint8_t *out, uint8_t *second, __m512i x, __m512i y, __m512i odd,
                                                   const npu__fin__vnni *f, __mmask32 mask) {
    const __m256i v = npu__bytes32__vnni(_mm512_permutex2var_epi16(x, odd, y), f);
    if ((mask & 0xFFFF) == 0xFFFF) {
        _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(v));
        _mm_storeu_si128((__m128i *)(void *)second, _mm256_extracti128_si256(v, 1));
    } else {
        _mm_mask_storeu_epi8(out, (__mmask16)mask, _mm256_castsi256_si128(v));
        _mm_mask_storeu_epi8(second, (__mmask16)mask, _mm256_extracti128_si256(v, 1));
    }
}

/* Whether the results of a folded panel may be made by floats: of all its columns. */
NPU__VNNI NPU__FN int npu__near_panel__vnni(npu__near__vnni *near, const npu__gemm_i8_job *job, const uint8_t *panel) {
    return npu__near_of__vnni(near, panel, 128, job->out.zero_point) && npu__near_of__vnni(near + 1, panel + 64, 128, job->out.zero_point);
}
#define NPU__TILE_FLOATS16(r) \
    npu__floats16__vnni(out + (size_t)r * stride, lo##r, panel + 128, job->out.floats, row + r, (__mmask16)t->mask);
#define NPU__TILE_FLOATS32(r) \
    NPU__TILE_FLOATS16(r)     \
    npu__floats16__vnni(out + 64 + (size_t)r * stride, hi##r, panel + 192, job->out.floats, row + r, (__mmask16)(t->mask >> 16));

#define NPU__TILE(R, N)                                                                                                  \
    NPU__VNNI NPU__INLINE void npu__i8_tile_##R##x##N##__vnni(const npu__tile__vnni *t, int32_t row, uint8_t *out) {     \
        const npu__gemm_i8_job *job = t->job;                                                                            \
        const uint8_t          *panel = t->panel, *w = panel + 512;                                                      \
        const size_t            stride = job->out_stride;                                                                \
        const __m512i           first = NPU__LOAD64(panel), second = NPU__LOAD64(panel + 64);                            \
        __m512i                 v;                                                                                       \
        (void)second;                                                                                                    \
        NPU__ROWS_##R(NPU__TILE_INIT##N)                                                                                 \
        if (t->adds) { NPU__ROWS_##R(NPU__TILE_ADD##N) }                                                                 \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                  \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                   \
            for (size_t i = job->a.offsets[s]; i < end; i += 4, w += 128) {                                              \
                NPU__TILE_B##N                                                                                           \
                NPU__ROWS_##R(NPU__TILE_STEP##N)                                                                         \
            }                                                                                                            \
        }                                                                                                                \
        if (job->out.floats) {                                                                                           \
            NPU__ROWS_##R(NPU__TILE_FLOATS##N)                                                                           \
            return;                                                                                                      \
        }                                                                                                                \
        if (job->out.raw) {                                                                                              \
            const __m512i offset = _mm512_set1_epi32(t->folded ? INT32_MIN : 0);                                         \
            NPU__ROWS_##R(NPU__TILE_RAW##N)                                                                              \
            return;                                                                                                      \
        }                                                                                                                \
        if (t->folded) {                                                                                                 \
            NPU__ROWS_##R(NPU__TILE_FOLDED##N)                                                                           \
        } else {                                                                                                         \
            NPU__ROWS_##R(NPU__TILE_ANY##N)                                                                              \
        }                                                                                                                \
        NPU__ROWS_##R(NPU__TILE_DONE##N)                                                                                 \
    }

/* Where floats leave doubt: the tile's sums, folded, in order of the lanes. */
NPU__VNNI NPU__FN NPU__NOINLINE void npu__i8_exact__vnni(const npu__tile__vnni *t, const __m512i *sums, int32_t rows, int halves, uint8_t *out) {
    const __m512i  top = _mm512_set1_epi32(INT32_MIN);
    const uint8_t *panel = t->panel;
    for (int32_t r = 0; r < rows; r++, sums += halves, out += t->job->out_stride) {
        __m512i lo = _mm512_xor_si512(sums[0], top), hi = _mm512_xor_si512(sums[halves - 1], top);
        NPU__FOLDED(lo, 0)
        if (halves == 1) {
            npu__store16__vnni(out, lo, 1, &t->fin, t->mask);
            continue;
        }
        NPU__FOLDED(hi, 64)
        npu__store32__vnni(out, lo, hi, 1, &t->fin, t->mask);
    }
}

/* Rows up to `end`, as many tiles as they are, by floats. */
#define NPU__NEAR_KEEP16(r) sums[r] = lo##r;
#define NPU__NEAR_KEEP32(r) sums[2 * r] = lo##r, sums[2 * r + 1] = hi##r;
#define NPU__NEAR_TILES(R, N)                                                                                                 \
    NPU__VNNI NPU__FN void npu__i8_near_##R##x##N##__vnni(const npu__tile__vnni *t, int32_t row, int32_t end, uint8_t *out) { \
        const npu__gemm_i8_job *job = t->job;                                                                                 \
        const npu__near__vnni  *near = t->near;                                                                               \
        const npu__fin__vnni    fin = t->fin;                                                                                 \
        const size_t            stride = job->out_stride;                                                                     \
        const __mmask32         mask = t->mask;                                                                               \
        const int               both = npu__near_both(&job->out), adds = t->adds;                                       \
        const __m512i           top = _mm512_set1_epi32(INT32_MIN), odd = npu__near_odd__vnni();                              \
        const __m512i           first = _mm512_xor_si512(NPU__LOAD64(t->panel), top);                                         \
        const __m512i           second = _mm512_xor_si512(NPU__LOAD64(t->panel + 64), top);                                   \
        const __m512            scale0 = near->scale, plus0 = near->plus, minus0 = near->minus;                               \
        const __m512            scale1 = near[1].scale, plus1 = near[1].plus, minus1 = near[1].minus;                         \
        (void)second;                                                                                                         \
        (void)scale1;                                                                                                         \
        (void)plus1;                                                                                                          \
        (void)minus1;                                                                                                         \
        for (; row + R <= end; row += R, out += R * stride) {                                                                 \
            const uint8_t *w = t->panel + 512;                                                                                \
            __m512i        v, doubt = _mm512_set1_epi32(-1);                                                                  \
            NPU__ROWS_##R(NPU__TILE_INIT##N)                                                                                  \
            if (adds) { NPU__ROWS_##R(NPU__TILE_ADD##N) }                                                                     \
            for (int32_t s = 0; s < job->a.segments; s++) {                                                                   \
                const size_t last = job->a.offsets[s] + (size_t)job->a.run;                                                   \
                for (size_t i = job->a.offsets[s]; i < last; i += 4, w += 128) {                                              \
                    NPU__TILE_B##N                                                                                            \
                    NPU__ROWS_##R(NPU__TILE_STEP##N)                                                                          \
                }                                                                                                             \
            }                                                                                                                 \
            if (both) {                                                                                                       \
                NPU__NEAR_ROWS_##R(N, NPU__NEAR_BOTH)                                                                         \
            } else {                                                                                                          \
                NPU__NEAR_ROWS_##R(N, NPU__NEAR)                                                                              \
            }                                                                                                                 \
            if (npu__near_doubt__vnni(doubt)) {                                                                               \
                __m512i sums[R * N / 16];                                                                                     \
                NPU__ROWS_##R(NPU__NEAR_KEEP##N)                                                                              \
                npu__i8_exact__vnni(t, sums, R, N / 16, out);                                                                 \
            }                                                                                                                 \
        }                                                                                                                     \
    }

/* All rows against one panel. One row alone waits for its own sums: an odd number begins with five. Where depth is small, tiles of four
 * let the next sums begin before the last results are done. */
#define NPU__TILE_CALL16(R) npu__i8_tile_##R##x16__vnni(t, row, out)
#define NPU__TILE_CALL32(R) npu__i8_tile_##R##x32__vnni(t, row, out)
#define NPU__NEAR_CALL(R, N, rows)                                      \
    if (rows >= R) {                                                    \
        npu__i8_near_##R##x##N##__vnni(t, row, row + (rows), out);      \
        out += (size_t)((rows) / R * R) * job->out_stride;              \
        row += (rows) / R * R;                                          \
    }
#define NPU__PANEL(N)                                                                            \
    NPU__TILE(1, N)                                                                              \
    NPU__TILE(2, N)                                                                              \
    NPU__TILE(4, N)                                                                              \
    NPU__TILE(5, N)                                                                              \
    NPU__TILE(8, N)                                                                              \
    NPU__NEAR_TILES(1, N)                                                                        \
    NPU__NEAR_TILES(2, N)                                                                        \
    NPU__NEAR_TILES(4, N)                                                                        \
    NPU__NEAR_TILES(5, N)                                                                        \
    NPU__NEAR_TILES(8, N)                                                                        \
    NPU__VNNI NPU__FN void npu__i8_panel_##N##__vnni(const npu__tile__vnni *t, uint8_t *out) {   \
        const npu__gemm_i8_job *job = t->job;                                                    \
        const int               deep = job->a.segments > 1 || job->a.run > 64;                   \
        int32_t                 row = 0;                                                         \
        if (t->near) {                                                                           \
            if (job->m & 1) { NPU__NEAR_CALL(5, N, NPU__MIN(job->m, 5)) }                        \
            if (deep) { NPU__NEAR_CALL(8, N, job->m - row) }                                     \
            NPU__NEAR_CALL(4, N, job->m - row)                                                   \
            NPU__NEAR_CALL(2, N, job->m - row)                                                   \
            NPU__NEAR_CALL(1, N, job->m - row)                                                   \
            return;                                                                              \
        }                                                                                        \
        if (job->m & 1) { NPU__TILE_DOWN(5, NPU__TILE_CALL##N) }                                 \
        for (; deep && row + 8 <= job->m; row += 8, out += 8 * job->out_stride) NPU__TILE_CALL##N(8); \
        for (; row + 4 <= job->m; row += 4, out += 4 * job->out_stride) NPU__TILE_CALL##N(4);    \
        NPU__TILES_BELOW_4(NPU__TILE_CALL##N)                                                    \
        if (row < job->m) NPU__TILE_CALL##N(1);                                                  \
    }
NPU__PANEL(16)
NPU__PANEL(32)
#undef NPU__PANEL
#undef NPU__TILE_CALL16
#undef NPU__TILE_CALL32
#undef NPU__TILE
#undef NPU__TILE_INIT16
#undef NPU__TILE_INIT32
#undef NPU__TILE_ADD16
#undef NPU__TILE_ADD32
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
#undef NPU__TILE_FLOATS16
#undef NPU__TILE_FLOATS32
#undef NPU__TILE_RAW16
#undef NPU__TILE_RAW32
#undef NPU__NEAR_KEEP16
#undef NPU__NEAR_KEEP32
#undef NPU__NEAR_TILES
#undef NPU__NEAR_CALL
#undef NPU__NEAR
#undef NPU__NEAR_BOTH
#undef NPU__NEAR16
#undef NPU__NEAR32
#undef NPU__NEAR_ROWS_1
#undef NPU__NEAR_ROWS_2
#undef NPU__NEAR_ROWS_4
#undef NPU__NEAR_ROWS_5
#undef NPU__NEAR_ROWS_8

NPU__VNNI NPU__FN void npu__i8_gemm_8x32__vnni(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                               uint8_t *out) {
    npu__tile__vnni t;
    npu__near__vnni near[2];
    t.job = job;
    t.panel = panel;
    t.fin = npu__fin_of__vnni(&job->out);
    t.adds = npu__any_add__vnni(job->row_add, job->m);
    t.mask = (__mmask32)(~UINT32_C(0) >> (32 - cols));
    /* Folded headers have a third line of negative numbers and zeros, others one of zeros and left shifts. */
    t.folded = _mm512_movepi32_mask(_mm512_or_si512(NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 320))) != 0;
    t.near = t.folded && !job->out.raw && !job->out.floats && npu__near_panel__vnni(near, job, panel) ? near : NULL;
    if (cols > 16) npu__i8_panel_32__vnni(&t, out);
    else npu__i8_panel_16__vnni(&t, out);
}

NPU__AVX512_END
#endif
