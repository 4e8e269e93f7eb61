/* Integer GEMM for AVX-512 with VNNI, panels of up to eight columns: those of grouped convolutions, heads, last layers. */
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* Eight of k for every column at a time: a lane has four of them, two lanes a column, so that a vector holds no empty columns. Afterwards two
 * rows share one, and their output stage. The header is that of i8_vnni.c. */
typedef struct npu__few__vnni {
    const npu__gemm_i8_job *job;
    const uint8_t          *panel;
    npu__fin__vnni          fin;
    npu__near__vnni         near; /* of both rows */
    __m512i                 first; /* what sums start from; with `by_near` as they are, else as in the header */
    int                     by_near, folded, adds;
    __mmask16               mask;
} npu__few__vnni;

/* The first eight lanes twice. */
NPU__AVX512 NPU__INLINE __m512i npu__twice__vnni(__m512i x) { return _mm512_shuffle_i32x4(x, x, 0x44); }
NPU__AVX512 NPU__INLINE __m512 npu__twice_f32__vnni(__m512 x) {
    return _mm512_castsi512_ps(npu__twice__vnni(_mm512_castps_si512(x)));
}

NPU__INLINE int64_t npu__load_i64(const void *p) { int64_t v; memcpy(&v, p, 8); return v; }

/* One row of the two in x, by the steps of the reference. */
NPU__VNNI NPU__FN NPU__NOINLINE void npu__few_exact__vnni(const npu__few__vnni *t, __m512i x, int upper, int32_t row, uint8_t *out) {
    const npu__gemm_i8_job *job = t->job;
    const uint8_t          *panel = t->panel;
    __m512i                 v = _mm512_maskz_mov_epi32(0xFF, upper ? _mm512_shuffle_i32x4(x, x, 0x4E) : x);
    if (t->by_near) v = _mm512_xor_si512(v, _mm512_set1_epi32(INT32_MIN));
    if (job->out.floats) {
        npu__floats16__vnni(out, v, panel + 128, job->out.floats, row, t->mask);
    } else if (job->out.raw) {
        _mm512_mask_storeu_epi32((void *)out, t->mask, _mm512_xor_si512(v, _mm512_set1_epi32(t->folded ? INT32_MIN : 0)));
    } else if (t->folded) {
        v = npu__requant_folded__vnni(v, NPU__LOAD64(panel + 128), NPU__LOAD64(panel + 132), NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 384));
        npu__store16__vnni(out, v, 1, &t->fin, t->mask);
    } else {
        v = npu__requant__vnni(v, NPU__LOAD64(panel + 128), NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 384));
        npu__store16__vnni(out, v, 0, &t->fin, t->mask);
    }
}

/* Two pairs of rows, scaled, to bytes of four; `rows` of them are stored. */
NPU__VNNI NPU__INLINE void npu__few_store__vnni(const npu__few__vnni *t, __m512i x, __m512i y, int32_t rows, uint8_t *out) {
    const size_t  stride = t->job->out_stride;
    const __m256i v = npu__bytes32__vnni(_mm512_permutex2var_epi16(x, npu__near_odd__vnni(), y), &t->fin);
    const __m128i lo = _mm256_castsi256_si128(v), hi = _mm256_extracti128_si256(v, 1);
    _mm_mask_storeu_epi8(out, t->mask, lo);
    if (rows > 1) _mm_mask_storeu_epi8(out + stride, t->mask, _mm_unpackhi_epi64(lo, lo));
    if (rows > 2) _mm_mask_storeu_epi8(out + 2 * stride, t->mask, hi);
    if (rows > 3) _mm_mask_storeu_epi8(out + 3 * stride, t->mask, _mm_unpackhi_epi64(hi, hi));
}

NPU__VNNI NPU__INLINE __m512i npu__few_scaled__vnni(const npu__few__vnni *t, __m512i x, int both, __m512i *doubt) {
    return npu__near_scaled__vnni(x, t->near.scale, both ? npu__near_add__vnni(x, t->near.plus, t->near.minus) : t->near.plus, doubt);
}

/* Rows [row, row + rows), two in each of x. */
NPU__VNNI NPU__INLINE void npu__few_done__vnni(const npu__few__vnni *t, const __m512i *x, int32_t row, int32_t rows, uint8_t *out) {
    const int both = npu__near_both(&t->job->out);
    __m512i   doubt = _mm512_set1_epi32(-1);
    for (int32_t r = 0; t->by_near && r < rows; r += 4) {
        const __m512i a = npu__few_scaled__vnni(t, x[r / 2], both, &doubt);
        npu__few_store__vnni(t, a, rows - r > 2 ? npu__few_scaled__vnni(t, x[r / 2 + 1], both, &doubt) : a, rows - r, out + (size_t)r * t->job->out_stride);
    }
    if (t->by_near && !npu__near_doubt__vnni(doubt)) return;
    for (int32_t r = 0; r < rows; r++) npu__few_exact__vnni(t, x[r / 2], r & 1, row + r, out + (size_t)r * t->job->out_stride);
}

#define NPU__FEW_INIT(r)                                   \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r); \
    __m512i        s##r = _mm512_setzero_si512();
#define NPU__FEW_STEP(r) s##r = npu__dot8__vnni(s##r, _mm512_set1_epi64(npu__load_i64(a##r + i)), w8);
#define NPU__FEW_LAST(r) s##r = npu__dot8__vnni(s##r, _mm512_set1_epi64((int64_t)(uint32_t)npu__load_i32(a##r + i)), w8);
/* Rows r and q to sums of eight columns each. */
#define NPU__FEW_PAIR(r, q)                                                                                                            \
    x[r / 2] = _mm512_add_epi32(t->first, _mm512_add_epi32(_mm512_permutex2var_epi32(s##r, even, s##q), _mm512_permutex2var_epi32(s##r, odd, s##q))); \
    if (t->adds) {                                                                                                                     \
        x[r / 2] = _mm512_add_epi32(x[r / 2], _mm512_mask_set1_epi32(_mm512_set1_epi32(job->row_add[row + r]), 0xFF00, job->row_add[row + q])); \
    }
#define NPU__FEW_PAIRS_1 NPU__FEW_PAIR(0, 0)
#define NPU__FEW_PAIRS_2 NPU__FEW_PAIR(0, 1)
#define NPU__FEW_PAIRS_4 NPU__FEW_PAIRS_2 NPU__FEW_PAIR(2, 3)
#define NPU__FEW_PAIRS_8 NPU__FEW_PAIRS_4 NPU__FEW_PAIR(4, 5) NPU__FEW_PAIR(6, 7)

#define NPU__FEW_TILE(R)                                                                                             \
    NPU__VNNI NPU__FN void npu__few_##R##__vnni(const npu__few__vnni *t, int32_t row, uint8_t *out) {                 \
        const npu__gemm_i8_job *job = t->job;                                                                        \
        const uint8_t          *w = t->panel + 512;                                                                  \
        const __m512i           even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30); \
        const __m512i           odd = _mm512_or_si512(even, _mm512_set1_epi32(1));                                   \
        __m512i                 x[(R + 1) / 2];                                                                      \
        NPU__ROWS_##R(NPU__FEW_INIT)                                                                                 \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                              \
            size_t       i = job->a.offsets[s];                                                                      \
            const size_t end = i + (size_t)job->a.run;                                                               \
            for (; i + 8 <= end; i += 8, w += 64) {                                                                  \
                const __m512i w8 = NPU__LOAD64(w);                                                                   \
                NPU__ROWS_##R(NPU__FEW_STEP)                                                                         \
            }                                                                                                        \
            if (i < end) { /* runs are a multiple of four */                                                         \
                const __m512i w8 = NPU__LOAD64(w);                                                                   \
                NPU__ROWS_##R(NPU__FEW_LAST)                                                                         \
                w += 64;                                                                                             \
            }                                                                                                        \
        }                                                                                                            \
        NPU__FEW_PAIRS_##R                                                                                           \
        npu__few_done__vnni(t, x, row, R, out);                                                                      \
    }
NPU__FEW_TILE(1)
NPU__FEW_TILE(2)
NPU__FEW_TILE(4)
NPU__FEW_TILE(8)

#define NPU__FEW_CALL(R) npu__few_##R##__vnni(&t, row, out)
NPU__VNNI NPU__FN void npu__i8_gemm_few__vnni(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    npu__few__vnni t;
    if (cols > 8) {
        npu__i8_gemm_8x32__vnni(job, panel, cols, out);
        return;
    }
    t.job = job;
    t.panel = panel;
    t.fin = npu__fin_of__vnni(&job->out);
    t.adds = npu__any_add__vnni(job->row_add, job->m);
    t.mask = (__mmask16)(0xFF >> (8 - cols));
    t.folded = _mm512_movepi32_mask(_mm512_or_si512(NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 320))) != 0; /* as in i8_vnni.c */
    t.by_near = t.folded && !job->out.raw && !job->out.floats && npu__near_of__vnni(&t.near, panel, 128, job->out.zero_point);
    t.first = npu__twice__vnni(NPU__LOAD64(panel));
    if (t.by_near) {
        t.first = _mm512_xor_si512(t.first, _mm512_set1_epi32(INT32_MIN));
        t.near.scale = npu__twice_f32__vnni(t.near.scale);
        t.near.plus = npu__twice_f32__vnni(t.near.plus);
        t.near.minus = npu__twice_f32__vnni(t.near.minus);
    }
    NPU__TILES(8, NPU__FEW_CALL);
}
#undef NPU__FEW_INIT
#undef NPU__FEW_STEP
#undef NPU__FEW_LAST
#undef NPU__FEW_PAIR
#undef NPU__FEW_PAIRS_1
#undef NPU__FEW_PAIRS_2
#undef NPU__FEW_PAIRS_4
#undef NPU__FEW_PAIRS_8
#undef NPU__FEW_TILE
#undef NPU__FEW_CALL

NPU__AVX512_END
#endif
