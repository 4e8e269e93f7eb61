/* Float kernels for AVX2 with FMA. */
#include "avx2.h"
#if NPU__HAS_X86

/* ---- GEMM: a tile is R rows of 24 columns; of 16 or 8 in the last panels, by npu__gemm_f32_width ---- */

/* A panel: as many biases, from which the sums start, then as many weights for each of k. 4 rows of 3 vectors are what 16 registers
 * hold, with weights and one broadcast: 19 instructions for 12 products, where 6 rows of 2 take 20 and more loads. That shows where two
 * threads share a core: 12 to 24 %, against 2 to 5 where one has it alone. */
#ifdef __clang__ /* it would load the next row's value before, into a register that is not there: half as fast for a sum in memory */
#  define NPU__TILE_NEXT(at, sum) __asm__("" : "+r"(at), "+x"(sum));
#else
#  define NPU__TILE_NEXT(at, sum)
#endif
#define NPU__TILE_INIT8(r)                                                            \
    const float *a##r = (const float *)(const void *)npu__gemm_row(&job->a, row + r); \
    __m256       x##r = _mm256_loadu_ps(panel->first);
#define NPU__TILE_INIT16(r) NPU__TILE_INIT8(r) __m256 y##r = _mm256_loadu_ps(panel->first + 8);
#define NPU__TILE_INIT24(r) NPU__TILE_INIT16(r) __m256 z##r = _mm256_loadu_ps(panel->first + 16);
#define NPU__TILE_END(r) const uint8_t *end##r = (const uint8_t *)(a##r + end);
#define NPU__TILE_STEP8(r)                                                 \
    v = _mm256_broadcast_ss((const float *)(const void *)(end##r + at)); \
    x##r = _mm256_fmadd_ps(v, b0, x##r);
#define NPU__TILE_STEP16(r) NPU__TILE_STEP8(r) y##r = _mm256_fmadd_ps(v, b1, y##r);
#define NPU__TILE_STEP24(r) NPU__TILE_STEP16(r) z##r = _mm256_fmadd_ps(v, b2, z##r); NPU__TILE_NEXT(at, z##r)
#define NPU__TILE_B8 const __m256 b0 = _mm256_loadu_ps(w); __m256 v;
#define NPU__TILE_B16 NPU__TILE_B8 const __m256 b1 = _mm256_loadu_ps(w + 8);
#define NPU__TILE_B24 NPU__TILE_B16 const __m256 b2 = _mm256_loadu_ps(w + 16);
/* The last vector's columns may be fewer. */
#define NPU__TILE_FULL(v, r, at) \
    _mm256_storeu_ps(out + (size_t)r * job->out_stride + at, _mm256_min_ps(hi, _mm256_max_ps(lo, v)));
#define NPU__TILE_LAST(v, r, at) \
    npu__store8_f32__avx2(out + (size_t)r * job->out_stride + at, _mm256_min_ps(hi, _mm256_max_ps(lo, v)), cols - at);
#define NPU__TILE_DONE8(r) NPU__TILE_LAST(x##r, r, 0)
#define NPU__TILE_DONE16(r) NPU__TILE_FULL(x##r, r, 0) NPU__TILE_LAST(y##r, r, 8)
#define NPU__TILE_DONE24(r) NPU__TILE_FULL(x##r, r, 0) NPU__TILE_FULL(y##r, r, 8) NPU__TILE_LAST(z##r, r, 16)

#define NPU__TILE(R, N)                                                                                                      \
    NPU__AVX2 NPU__INLINE void npu__f32_tile_##R##x##N##__avx2(const npu__gemm_f32_job *job, int32_t row,                    \
                                                               const npu__gemm_f32_panel *panel, int32_t cols, float *out) { \
        const size_t step = panel->step;                                                                                     \
        const float *w = panel->w;                                                                                           \
        __m256       lo, hi;                                                                                                 \
        NPU__ROWS_##R(NPU__TILE_INIT##N)                                                                                     \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                      \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                       \
            NPU__ROWS_##R(NPU__TILE_END)                                                                                     \
            for (ptrdiff_t at = -(ptrdiff_t)sizeof(float) * job->a.run; at != 0; at += (ptrdiff_t)sizeof(float), w += step) { \
                NPU__TILE_B##N                                                                                               \
                NPU__ROWS_##R(NPU__TILE_STEP##N)                                                                             \
            }                                                                                                                \
        }                                                                                                                    \
        lo = _mm256_set1_ps(job->lo);                                                                                        \
        hi = _mm256_set1_ps(job->hi);                                                                                        \
        NPU__ROWS_##R(NPU__TILE_DONE##N)                                                                                     \
    }

/* All rows against one panel. */
#define NPU__TILE_CALL8(R) npu__f32_tile_##R##x8__avx2(job, row, panel, cols, out)
#define NPU__TILE_CALL16(R) npu__f32_tile_##R##x16__avx2(job, row, panel, cols, out)
#define NPU__TILE_CALL24(R) npu__f32_tile_##R##x24__avx2(job, row, panel, cols, out)
#define NPU__PANEL(N, MOST)                                                                                           \
    NPU__AVX2 NPU__FN void npu__f32_panel_##N##__avx2(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, \
                                                      int32_t cols, float *out) {                                     \
        NPU__TILES(MOST, NPU__TILE_CALL##N);                                                                          \
    }
#define NPU__TILES_OF(N) NPU__TILE(1, N) NPU__TILE(2, N) NPU__TILE(4, N)
NPU__TILES_OF(8)
NPU__TILE(6, 8)
NPU__PANEL(8, 6)
NPU__TILES_OF(16)
NPU__TILE(6, 16)
NPU__PANEL(16, 6)
NPU__TILES_OF(24)
NPU__PANEL(24, 4)
#undef NPU__PANEL
#undef NPU__TILE
#undef NPU__TILES_OF
#undef NPU__TILE_B16
#undef NPU__TILE_B24
#undef NPU__TILE_B8
#undef NPU__TILE_CALL16
#undef NPU__TILE_CALL24
#undef NPU__TILE_CALL8
#undef NPU__TILE_DONE16
#undef NPU__TILE_DONE24
#undef NPU__TILE_DONE8
#undef NPU__TILE_END
#undef NPU__TILE_FULL
#undef NPU__TILE_INIT16
#undef NPU__TILE_INIT24
#undef NPU__TILE_INIT8
#undef NPU__TILE_LAST
#undef NPU__TILE_NEXT
#undef NPU__TILE_STEP16
#undef NPU__TILE_STEP24
#undef NPU__TILE_STEP8

NPU__AVX2 NPU__FN void npu__f32_gemm_4x24__avx2(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, int32_t cols,
                                                float *out) {
    if (cols > 16) npu__f32_panel_24__avx2(job, panel, cols, out);
    else if (cols > 8) npu__f32_panel_16__avx2(job, panel, cols, out);
    else npu__f32_panel_8__avx2(job, panel, cols, out);
}

NPU__AVX2 NPU__INLINE __m128 npu__hsum4_f32__avx2(__m256 s0, __m256 s1, __m256 s2, __m256 s3) {
    __m256 v = _mm256_hadd_ps(_mm256_hadd_ps(s0, s1), _mm256_hadd_ps(s2, s3));
    return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}

/* ---- GEMM of few columns: a tile is R rows of C columns, each sum in 8 lanes ---- */

/* Sums have the same order in every tile. 3 rows of 4 columns are what 16 registers hold. */
#define NPU__DOTS_INIT(r)                                                             \
    const float *a##r = (const float *)(const void *)npu__gemm_row(&job->a, row + r); \
    __m256       x##r, s##r##0 = _mm256_setzero_ps(), s##r##1 = s##r##0, s##r##2 = s##r##0, s##r##3 = s##r##0;
#define NPU__DOTS_LOAD(r) x##r = _mm256_loadu_ps(a##r + i);
#define NPU__DOTS_LOAD_REST(r) x##r = _mm256_maskload_ps(a##r + i, mask);
#define NPU__DOTS_STEP0(r) s##r##0 = _mm256_fmadd_ps(x##r, v, s##r##0);
#define NPU__DOTS_STEP1(r) s##r##1 = _mm256_fmadd_ps(x##r, v, s##r##1);
#define NPU__DOTS_STEP2(r) s##r##2 = _mm256_fmadd_ps(x##r, v, s##r##2);
#define NPU__DOTS_STEP3(r) s##r##3 = _mm256_fmadd_ps(x##r, v, s##r##3);
#define NPU__DOTS_STEPS_2(R, W)                          \
    { const __m256 v = W(w); NPU__ROWS_##R(NPU__DOTS_STEP0) } \
    { const __m256 v = W(w + k); NPU__ROWS_##R(NPU__DOTS_STEP1) }
#define NPU__DOTS_STEPS_4(R, W)                                   \
    NPU__DOTS_STEPS_2(R, W)                                       \
    { const __m256 v = W(w + 2 * k); NPU__ROWS_##R(NPU__DOTS_STEP2) } \
    { const __m256 v = W(w + 3 * k); NPU__ROWS_##R(NPU__DOTS_STEP3) }
#define NPU__DOTS_W_REST(p) _mm256_maskload_ps(p, mask)
#define NPU__DOTS_DONE(r)                                                                                             \
    sum = _mm_add_ps(npu__hsum4_f32__avx2(s##r##0, s##r##1, s##r##2, s##r##3), _mm_loadu_ps(panel->first));           \
    _mm_storeu_ps(tmp, _mm_min_ps(_mm_set1_ps(job->hi), _mm_max_ps(_mm_set1_ps(job->lo), sum)));                      \
    memcpy(out + (size_t)r * job->out_stride, tmp, (size_t)cols * sizeof *out);
#define NPU__DOTS(R, C)                                                                                                  \
    NPU__AVX2 NPU__INLINE void npu__f32_dots_##R##x##C##_tile__avx2(const npu__gemm_f32_job *job, int32_t row,           \
                                                                    const npu__gemm_f32_panel *panel, int32_t cols,      \
                                                                    float *out) {                                        \
        const size_t  k = (size_t)job->a.run * (size_t)job->a.segments;                                                  \
        const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(job->a.run % 8), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); \
        const float  *w = panel->w;                                                                                      \
        __m128        sum;                                                                                               \
        float         tmp[4];                                                                                            \
        NPU__ROWS_##R(NPU__DOTS_INIT)                                                                                    \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                  \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                   \
            size_t       i = job->a.offsets[s];                                                                          \
            for (; i + 8 <= end; i += 8, w += 8) {                                                                       \
                NPU__ROWS_##R(NPU__DOTS_LOAD)                                                                            \
                NPU__DOTS_STEPS_##C(R, _mm256_loadu_ps)                                                                  \
            }                                                                                                            \
            if (i < end) {                                                                                               \
                NPU__ROWS_##R(NPU__DOTS_LOAD_REST)                                                                       \
                NPU__DOTS_STEPS_##C(R, NPU__DOTS_W_REST)                                                                 \
                w += end - i;                                                                                            \
            }                                                                                                            \
        }                                                                                                                \
        NPU__ROWS_##R(NPU__DOTS_DONE)                                                                                    \
    }
NPU__DOTS(1, 2)
NPU__DOTS(3, 2)
NPU__DOTS(1, 4)
NPU__DOTS(3, 4)

NPU__AVX2 NPU__FN void npu__f32_dots_3x4__avx2(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, int32_t cols,
                                               float *out) {
    int32_t row = 0;
    for (; row + 3 <= job->m; row += 3, out += 3 * job->out_stride) {
        if (cols > 2) npu__f32_dots_3x4_tile__avx2(job, row, panel, cols, out);
        else npu__f32_dots_3x2_tile__avx2(job, row, panel, cols, out);
    }
    for (; row < job->m; row++, out += job->out_stride) {
        if (cols > 2) npu__f32_dots_1x4_tile__avx2(job, row, panel, cols, out);
        else npu__f32_dots_1x2_tile__avx2(job, row, panel, cols, out);
    }
}
#undef NPU__DOTS
#undef NPU__DOTS_DONE
#undef NPU__DOTS_W_REST
#undef NPU__DOTS_STEPS_4
#undef NPU__DOTS_STEPS_2
#undef NPU__DOTS_STEP3
#undef NPU__DOTS_STEP2
#undef NPU__DOTS_STEP1
#undef NPU__DOTS_STEP0
#undef NPU__DOTS_LOAD_REST
#undef NPU__DOTS_LOAD
#undef NPU__DOTS_INIT

/* ---- GEMV: each row is summed in 16 lanes, the same way whether alone or with three others ---- */

#define NPU__DOT_INIT(r)                                                 \
    __m256       s##r = _mm256_setzero_ps(), t##r = _mm256_setzero_ps(); \
    const float *w##r = w + (size_t)r * (size_t)job->k;
#define NPU__DOT_STEP(r)                                         \
    s##r = _mm256_fmadd_ps(v0, _mm256_loadu_ps(w##r + i), s##r); \
    t##r = _mm256_fmadd_ps(v1, _mm256_loadu_ps(w##r + i + 8), t##r);
#define NPU__DOT_STEP8(r) s##r = _mm256_fmadd_ps(v0, _mm256_loadu_ps(w##r + i), s##r);
#define NPU__DOT_REST(r) t##r = _mm256_fmadd_ps(v0, _mm256_maskload_ps(w##r + i, mask), t##r);
#define NPU__DOT_DONE(r) s##r = _mm256_add_ps(s##r, t##r);

#define NPU__DOT(R, RESULT)                                                                                        \
    NPU__AVX2 NPU__FN NPU__NOINLINE __m128 npu__f32_dot##R##__avx2(const npu__gemv_f32_job *job, const float *w) { \
        int32_t       i = 0;                                                                                       \
        const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);                                           \
        __m256        v0, v1;                                                                                      \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                               \
        for (; i + 16 <= job->k; i += 16) {                                                                        \
            v0 = _mm256_loadu_ps(job->a + i);                                                                      \
            v1 = _mm256_loadu_ps(job->a + i + 8);                                                                  \
            NPU__ROWS_##R(NPU__DOT_STEP)                                                                           \
        }                                                                                                          \
        if (i + 8 <= job->k) {                                                                                     \
            v0 = _mm256_loadu_ps(job->a + i);                                                                      \
            NPU__ROWS_##R(NPU__DOT_STEP8)                                                                          \
            i += 8;                                                                                                \
        }                                                                                                          \
        if (i < job->k) {                                                                                          \
            const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(job->k - i), lanes);                         \
            v0 = _mm256_maskload_ps(job->a + i, mask);                                                             \
            NPU__ROWS_##R(NPU__DOT_REST)                                                                           \
        }                                                                                                          \
        NPU__ROWS_##R(NPU__DOT_DONE)                                                                               \
        return RESULT;                                                                                             \
    }
NPU__DOT(1, npu__hsum4_f32__avx2(s0, s0, s0, s0))
NPU__DOT(4, npu__hsum4_f32__avx2(s0, s1, s2, s3))
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP
#undef NPU__DOT_STEP8
#undef NPU__DOT_REST
#undef NPU__DOT_DONE

NPU__AVX2 NPU__INLINE __m128 npu__gemv_done__avx2(const npu__gemv_f32_job *job, __m128 sum, __m128 bias) {
    sum = _mm_add_ps(sum, bias);
    return _mm_min_ps(_mm_set1_ps(job->hi), _mm_max_ps(_mm_set1_ps(job->lo), sum));
}

NPU__AVX2 NPU__FN void npu__f32_gemv__avx2(const npu__gemv_f32_job *job, int32_t n0, int32_t n1, float *out) {
    const float *w = job->w + (size_t)n0 * (size_t)job->k;
    for (; job->k < NPU__GEMV_LONG_ROW && n0 + 4 <= n1; n0 += 4, w += 4 * (size_t)job->k) {
        __m128 bias = job->bias ? _mm_loadu_ps(job->bias + n0) : _mm_setzero_ps();
        _mm_storeu_ps(out + n0, npu__gemv_done__avx2(job, npu__f32_dot4__avx2(job, w), bias));
    }
    for (; n0 < n1; n0++, w += job->k) {
        __m128 bias = job->bias ? _mm_load_ss(job->bias + n0) : _mm_setzero_ps();
        _mm_store_ss(out + n0, npu__gemv_done__avx2(job, npu__f32_dot1__avx2(job, w), bias));
    }
}

/* ---- quantization on the fly: bit for bit what ref_quant.c does ---- */

/* Lanes are all NaN or none is, so that their order does not matter. */
NPU__AVX2 NPU__FN npu__minmax npu__minmax_lanes__avx2(__m256 lo, __m256 hi) {
    __m128      a = _mm_min_ps(_mm256_castps256_ps128(lo), _mm256_extractf128_ps(lo, 1));
    __m128      b = _mm_max_ps(_mm256_castps256_ps128(hi), _mm256_extractf128_ps(hi, 1));
    npu__minmax m;
    a = _mm_min_ps(a, _mm_movehl_ps(a, a));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    m.lo = _mm_cvtss_f32(_mm_min_ss(a, _mm_shuffle_ps(a, a, 1)));
    m.hi = _mm_cvtss_f32(_mm_max_ss(b, _mm_shuffle_ps(b, b, 1)));
    return m;
}

NPU__AVX2 NPU__FN npu__minmax npu__minmax_f32__avx2(const float *x, int64_t n) {
    npu__minmax m;
    int64_t     i = 0;
    __m256      vlo, vhi;
    /* Lanes start from x[0]: as the loop in C, which a NaN in front decides. */
    if (n < 8) return npu__minmax_f32(x, n);
    vlo = vhi = _mm256_set1_ps(x[0]);
    for (; i + 8 <= n; i += 8) { /* the second operand stays where the first is NaN, as in x < lo ? x : lo */
        vlo = _mm256_min_ps(_mm256_loadu_ps(x + i), vlo);
        vhi = _mm256_max_ps(_mm256_loadu_ps(x + i), vhi);
    }
    m = npu__minmax_lanes__avx2(vlo, vhi);
    for (; i < n; i++) {
        if (x[i] < m.lo) m.lo = x[i];
        if (x[i] > m.hi) m.hi = x[i];
    }
    return m;
}

/* Multiplied by the inverse, zero point added in float, then half away from zero: ref_quant.c, step by step. What is added before the
 * cut is the float below a half: with a half, the float below a half would become 1. */
NPU__AVX2_ONLY NPU__INLINE __m256i npu__quantize8_f32__avx2(const float *x, __m256 scale, __m256 zp) {
    const __m256 sign = _mm256_set1_ps(-0.0f), limit = _mm256_set1_ps(1e6f);
    __m256       v = _mm256_add_ps(zp, _mm256_mul_ps(_mm256_loadu_ps(x), scale));
    v = _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q)); /* NaN to 0 */
    v = _mm256_min_ps(_mm256_max_ps(v, _mm256_xor_ps(limit, sign)), limit);
    return _mm256_cvttps_epi32(_mm256_add_ps(v, _mm256_or_ps(_mm256_and_ps(v, sign), _mm256_set1_ps(0.49999997f))));
}

NPU__AVX2_ONLY NPU__FN void npu__quantize_f32__avx2(const float *x, int64_t n, float inverse, float zp, int32_t lo,
                                                    int8_t *q) {
    const __m256  vzp = _mm256_set1_ps(zp), scale = _mm256_set1_ps(inverse);
    const __m256i vlo = _mm256_set1_epi8((char)lo), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    int64_t       i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m256i a = npu__quantize8_f32__avx2(x + i, scale, vzp), b = npu__quantize8_f32__avx2(x + i + 8, scale, vzp);
        const __m256i c = npu__quantize8_f32__avx2(x + i + 16, scale, vzp), d = npu__quantize8_f32__avx2(x + i + 24, scale, vzp);
        const __m256i w = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        _mm256_storeu_si256((__m256i *)(void *)(q + i), _mm256_permutevar8x32_epi32(_mm256_max_epi8(w, vlo), order));
    }
    for (; i + 8 <= n; i += 8) {
        const __m256i w = npu__quantize8_f32__avx2(x + i, scale, vzp);
        __m128i       b = _mm_packs_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
        b = _mm_max_epi8(_mm_packs_epi16(b, b), _mm256_castsi256_si128(vlo));
        _mm_storel_epi64((__m128i *)(void *)(q + i), b);
    }
    if (i < n) npu__quantize_f32(x + i, n - i, inverse, zp, lo, q + i);
}

NPU__AVX2 NPU__FN void npu__finish_float__avx2(const int32_t *sums, int32_t n, float row_scale, const float *scale,
                                               int32_t step, const float *bias, float *out) {
    const __m256 row = _mm256_set1_ps(row_scale);
    __m256       s = _mm256_mul_ps(row, _mm256_set1_ps(*scale));
    int32_t      i = 0;
    for (; i + 8 <= n; i += 8, scale += 8 * step) {
        __m256 v = _mm256_cvtepi32_ps(NPU__LOAD32(sums + i));
        if (step) s = _mm256_mul_ps(row, _mm256_loadu_ps(scale));
        v = _mm256_mul_ps(v, s);
        _mm256_storeu_ps(out + i, _mm256_add_ps(bias ? _mm256_loadu_ps(bias + i) : _mm256_setzero_ps(), v));
    }
    if (i < n) npu__finish_float(sums + i, n - i, row_scale, scale, step, bias ? bias + i : NULL, out + i);
}

/* Without multiply-add, as npu__finish_hybrid; what it bounds keeps NaN. */
NPU__AVX2_ONLY NPU__FN void npu__finish_hybrid__avx2(const npu__hybrid_cols *k, const npu__i8_floats *f, int32_t cols, int32_t row,
                                                     int32_t rows, const uint8_t *sums, size_t sums_stride, uint8_t *out,
                                                     size_t out_stride) {
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(cols), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i w_sum = NPU__LOAD32(k->w_sum);
    const __m256  w_scale = _mm256_loadu_ps(k->scale), bias = _mm256_loadu_ps(k->bias);
    const __m256  lo = _mm256_set1_ps(f->lo), hi = _mm256_set1_ps(f->hi);
    const npu__i8_floats in = *f;
    for (int32_t r = row; r < row + rows; r++, sums += sums_stride, out += out_stride) {
        const size_t  at = (size_t)r * (size_t)in.step;
        const float   first = in.last ? 1.0f : in.scale[at], last = in.last ? in.scale[at] : 1.0f;
        const __m256i less = _mm256_mullo_epi32(_mm256_set1_epi32(in.zero_point[at]), w_sum);
        const __m256i s = cols == 8 ? NPU__LOAD32(sums) : _mm256_maskload_epi32((const int *)(const void *)sums, mask);
        __m256        x = _mm256_cvtepi32_ps(_mm256_sub_epi32(s, less));
        x = _mm256_mul_ps(_mm256_mul_ps(x, _mm256_mul_ps(_mm256_set1_ps(first), w_scale)), _mm256_set1_ps(last));
        x = _mm256_min_ps(hi, _mm256_max_ps(lo, _mm256_add_ps(x, bias)));
        if (cols == 8) _mm256_storeu_ps((float *)(void *)out, x);
        else _mm256_maskstore_ps((float *)(void *)out, mask, x);
    }
}
#endif
