/* Weights into panels, once per session, and input rows into the staged form where no SIMD is needed for that. */
#include "move.h"
#include "pack.h"
#include "simd.h"
NPU__SPEED_BEGIN

/* ---- sizes ---- */

NPU__FN int npu__panels_bytes(int32_t n, int32_t nr, size_t header_bytes, size_t k, size_t elem_bytes,
                              size_t *bytes) {
    size_t panels = ((size_t)n + (size_t)nr - 1) / (size_t)nr, one, weights;
    return npu__mul_size(k, (size_t)nr * elem_bytes, &weights) && npu__add_size(weights, header_bytes, &one) &&
           npu__mul_size(one, panels, bytes);
}

NPU__FN int npu__gemm_i8_packed_bytes(const npu__gemm_i8_kernel *kern, int32_t n, int32_t segments, int32_t run,
                                      size_t *bytes) {
    size_t kp;
    return run <= INT32_MAX - kern->kr &&
           npu__mul_size((size_t)npu__gemm_i8_run_of(kern, run), (size_t)segments, &kp) &&
           npu__panels_bytes(n, kern->nr, (size_t)kern->nr * 16u, kp, 1, bytes);
}

NPU__FN int32_t npu__gemm_f32_width(const npu__gemm_f32_kernel *kern, int32_t left) {
    const int32_t half = left > kern->nr && left / 2 < kern->nr ? left - left / 2 : left;
    return half >= kern->nr ? kern->nr : (half + kern->unit - 1) / kern->unit * kern->unit;
}

NPU__FN int npu__gemm_f32_packed_bytes(const npu__gemm_f32_kernel *kern, int32_t n, int32_t k, size_t *bytes) {
    return npu__panels_bytes(n, kern->unit, (size_t)kern->unit * 4u, (size_t)k, 4, bytes); /* by whole units, as widths are */
}

/* ---- int8 GEMM ----
 * Panel: int32 bias[nr], multiplier[nr], left shift[nr], right shift[nr], int8 w[k / kr][nr][kr]. */

NPU__FN int32_t npu__gemm_i8_delta(int32_t w_signed, int32_t w_zero_point) {
    return (w_signed ? 0 : 128) - w_zero_point;
}

NPU__FN int32_t npu__gemm_i8_staged_zero(const npu__gemm_i8_kernel *kern, int32_t a_signed, int32_t a_zero_point) {
    /* Kernels want one signedness: the other's bytes are flipped (v ^ 0x80), which shifts all by 128. */
    if (kern->a_kind == NPU__A_U8 && a_signed) return a_zero_point + 128;
    if (kern->a_kind == NPU__A_S8 && !a_signed) return a_zero_point - 128;
    return a_zero_point;
}

/* A matrix as it lies: its columns are pieces of their own. */
NPU__FN const uint8_t *npu__gemm_i8_at(const void *arg, int32_t column, int32_t segment, int32_t number) {
    const npu__gemm_i8_weights *w = (const npu__gemm_i8_weights *)arg;
    (void)number; /* a run is one piece */
    return w->w + (size_t)column * w->stride_n + (size_t)segment * (size_t)w->run * w->stride_k;
}

/* Whole vectors of bytes, each as v ^ flip; *n: how many that were. */
#if defined(__SSE2__) && NPU__HAS_X86
NPU__FN uint32_t npu__sum_vectors(const uint8_t *p, int32_t *n, uint8_t flip) {
    const __m128i zero = _mm_setzero_si128(), flips = _mm_set1_epi8((char)flip);
    __m128i       sum0 = zero, sum1 = zero;
    int32_t       i = 0;
    for (; i + 32 <= *n; i += 32) {
        sum0 = _mm_add_epi64(sum0, _mm_sad_epu8(_mm_xor_si128(NPU__LOAD16(p + i), flips), zero));
        sum1 = _mm_add_epi64(sum1, _mm_sad_epu8(_mm_xor_si128(NPU__LOAD16(p + i + 16), flips), zero));
    }
    *n = i;
    sum0 = _mm_add_epi64(sum0, sum1);
    return (uint32_t)_mm_cvtsi128_si32(sum0) + (uint32_t)_mm_cvtsi128_si32(_mm_srli_si128(sum0, 8));
}
#else
NPU__INLINE uint32_t npu__sum_vectors(const uint8_t *p, int32_t *n, uint8_t flip) {
    (void)p;
    (void)flip;
    *n = 0;
    return 0;
}
#endif

/* Adds eight bytes at a time, each as v ^ flip, in four 16-bit lanes, emptied before they can overflow. */
NPU__FN uint32_t npu__sum_bytes(const uint8_t *p, int32_t n, uint8_t flip) {
    const uint64_t even = UINT64_C(0x00FF00FF00FF00FF), flip8 = flip * UINT64_C(0x0101010101010101);
    uint64_t       lanes = 0;
    int32_t        i = n, full = 0;
    uint32_t       sum = npu__sum_vectors(p, &i, flip);
    for (; i + 8 <= n; i += 8) {
        uint64_t v;
        memcpy(&v, p + i, 8);
        v ^= flip8;
        lanes += (v & even) + ((v >> 8) & even);
        /* A lane gets two bytes a step: 128 * 2 * 255 is just below 2^16. */
        if (++full == 128) {
            sum += (uint32_t)((lanes & 0xFFFFu) + (lanes >> 16 & 0xFFFFu) + (lanes >> 32 & 0xFFFFu) + (lanes >> 48));
            lanes = 0;
            full = 0;
        }
    }
    sum += (uint32_t)((lanes & 0xFFFFu) + (lanes >> 16 & 0xFFFFu) + (lanes >> 32 & 0xFFFFu) + (lanes >> 48));
    for (; i < n; i++) sum += (uint32_t)(p[i] ^ flip);
    return sum;
}

NPU__FN uint32_t npu__sum_signed(const uint8_t *p, int32_t n, uint8_t flip) {
    return npu__sum_bytes(p, n, (uint8_t)(flip ^ 0x80)) - 128u * (uint32_t)n;
}

/* Where a column's next bytes go: groups of `kr` neighbours, one group in each `step`. */
typedef struct npu__pack_to {
    uint8_t *dst;
    size_t   step;
    int32_t  kr, r; /* r: bytes of the group that are there */
    uint8_t  flip;
} npu__pack_to;

/* Whole groups; returns how many bytes they took. */
#define NPU__PACK_GROUPS(TYPE)                                                       \
    for (; i + (int32_t)sizeof(TYPE) <= n; i += (int32_t)sizeof(TYPE), dst += step) { \
        TYPE v;                                                                      \
        memcpy(&v, src + i, sizeof v);                                               \
        v = (TYPE)(v ^ (TYPE)flip8);                                                 \
        memcpy(dst, &v, sizeof v);                                                   \
    }
NPU__INLINE int32_t npu__pack_groups(npu__pack_to *to, const uint8_t *src, int32_t n) {
    const uint64_t flip8 = to->flip * UINT64_C(0x0101010101010101);
    const size_t   step = to->step;
    uint8_t       *dst = to->dst;
    int32_t        i = 0;
    if (to->kr == 2) NPU__PACK_GROUPS(uint16_t)
    else if (to->kr == 4) NPU__PACK_GROUPS(uint32_t)
    else if (to->kr == 8) NPU__PACK_GROUPS(uint64_t)
    to->dst = dst;
    return i;
}
#undef NPU__PACK_GROUPS

NPU__FN void npu__pack_bytes(npu__pack_to *to, const uint8_t *src, int32_t n) {
    for (int32_t i = 0; i < n;) {
        if (to->r == 0) i += npu__pack_groups(to, src + i, n - i);
        if (i == n) return;
        to->dst[to->r] = (uint8_t)(src[i++] ^ to->flip);
        if (++to->r < to->kr) continue;
        to->r = 0;
        to->dst += to->step;
    }
}

/* One column's weights into its place, `kr` of each `step` bytes; returns their sum modulo 2^32. */
NPU__FN uint32_t npu__gemm_i8_pack_column(const npu__gemm_i8_weights *w, const npu__pack_by *by, int32_t column, int32_t kr, size_t step,
                                          uint8_t *dst) {
    uint8_t      together[64]; /* bytes that lie apart, or nowhere */
    npu__pack_to to;
    uint32_t     sum = 0;
    to.dst = dst;
    to.kr = kr;
    to.step = step;
    to.flip = w->w_signed ? 0 : 0x80;
    for (int32_t s = 0; s < w->segments; s++) {
        to.r = 0;
        for (int32_t from = 0; from < w->run; from += by->piece) {
            const uint8_t *src = by->at(by->arg, column, s, from / by->piece);
            const int      apart = !src || w->stride_k != 1;
            if (!src) memset(together, w->w_zero_point, sizeof together);
            for (int32_t i = 0, n; i < by->piece; i += n) {
                n = apart ? NPU__MIN(by->piece - i, (int32_t)sizeof together) : by->piece;
                if (src && apart) {
                    for (int32_t k = 0; k < n; k++, src += w->stride_k) together[k] = *src;
                }
                npu__pack_bytes(&to, apart ? together : src, n);
                sum += npu__sum_signed(apart ? together : src, n, to.flip);
            }
        }
        if (to.r) to.dst += to.step;
    }
    return sum;
}

static const npu__qmul npu__no_column = {0, -1};

NPU__FN void npu__gemm_i8_pack_floats(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                                      const npu__pack_floats *floats, uint8_t *packed) {
    npu__pack_by by;
    by.at = npu__gemm_i8_at;
    by.arg = w;
    by.piece = w->run;
    by.channels = n;
    npu__gemm_i8_pack_by(kern, n, w, &by, floats, packed);
}

NPU__FN void npu__gemm_i8_pack(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w, uint8_t *packed) {
    npu__gemm_i8_pack_floats(kern, n, w, NULL, packed);
}

NPU__FN void npu__gemm_i8_pack_by(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                                  const npu__pack_by *by, const npu__pack_floats *floats, uint8_t *packed) {
    const int32_t  nr = kern->nr, order = floats && !kern->floats ? NPU__COLS_IN_ORDER : kern->order;
    const size_t   kp = (size_t)npu__gemm_i8_run_of(kern, w->run) * (size_t)w->segments;
    const size_t   panel_bytes = (size_t)nr * (16u + kp);
    const uint32_t zero = (uint32_t)npu__gemm_i8_staged_zero(kern, w->a_signed, w->a_zero_point);
    /* With staged a and packed w: sum((a - za) * (w + d)) = sum(a * w) + d * sum(a) - za * sum(w) - za * d * k. The last
     * two depend on the column alone: they go into its bias. Everything modulo 2^32. */
    const uint32_t fixed = zero * (uint32_t)npu__gemm_i8_delta(w->w_signed, w->w_zero_point) * (uint32_t)w->run *
                           (uint32_t)w->segments;
    for (int32_t j0 = 0; j0 < n; j0 += nr, packed += panel_bytes) {
        int32_t         *head = (int32_t *)(void *)packed;
        npu__shift_range shifts = npu__no_shifts;
        const int        few = kern->order == NPU__COLS_EIGHTS_FEW && n - j0 <= NPU__COLS_FEW;
        const int32_t    kr = few ? 8 : kern->kr, columns = few ? NPU__COLS_FEW : nr;
        /* What no weight is written to: columns that are not there, and the ends of runs. */
        memset(packed, 0, n - j0 < nr || kp != (size_t)w->run * (size_t)w->segments ? panel_bytes : (size_t)nr * 16u);
        for (int32_t p = 0; p < nr; p++) {
            int32_t  j = j0 + npu__pack_order(order, n - j0, p);
            uint32_t sum;
            if (j >= n) { /* no column: only its shifts matter, they must not spoil those of the others */
                if (!floats) npu__pack_qmul(head, nr, p, 0, npu__no_column, kern->shifts);
                continue;
            }
            sum = npu__gemm_i8_pack_column(w, by, j, kr, (size_t)columns * (size_t)kr, packed + (size_t)nr * 16u + (size_t)p * (size_t)kr);
            if (floats) { /* these lines are in the order of the columns */
                float        *line = (float *)(void *)(head + nr) + (j - j0);
                const int32_t channel = j % by->channels;
                line[0] = floats->bias ? floats->bias[channel] : 0.0f;
                line[nr] = floats->scale[floats->step * channel] + 0.0f; /* -0 would look folded */
                head[3 * nr + j - j0] = (int32_t)sum;
                head[p] = (int32_t)(0u - zero * sum - fixed);
                continue;
            }
            j %= by->channels;
            sum = (w->bias ? (uint32_t)w->bias[j] : 0u) - zero * sum - fixed;
            npu__pack_qmul(head, nr, p, (int32_t)sum, w->qmul[w->qmul_step * j], kern->shifts);
            npu__add_shift(&shifts, w->qmul[w->qmul_step * j], (size_t)w->segments * (size_t)w->run, w->bias ? w->bias[j] : 0);
        }
        if (shifts.some && npu__foldable(kern->shifts, &shifts)) npu__fold_head(kern->shifts, nr, head);
    }
}

NPU__FN void npu__gemm_i8_run(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_job *job, const uint8_t *packed,
                              int32_t n, uint8_t *out) {
    const size_t panel_bytes = (size_t)kern->nr * (16u + (size_t)job->a.run * (size_t)job->a.segments);
    for (int32_t j = 0; j < n; j += kern->nr, packed += panel_bytes) {
        const int32_t cols = NPU__MIN(n - j, kern->nr);
        uint8_t      *to = out + (size_t)j * (job->out.floats ? sizeof(float) : 1u);
        if (job->out.floats && kern->floats) npu__gemm_i8_floats_by(kern, job, packed, cols, to);
        else kern->run(job, packed, cols, to);
    }
}

/* ---- f32 GEMM ----
 * Panel: float bias[nr], w[k][nr]. */

NPU__FN void npu__gemm_f32_pack(const npu__gemm_f32_kernel *kern, int32_t n, int32_t k, const float *w,
                                size_t stride_n, size_t stride_k, const float *bias, float *packed) {
    int32_t    nr;
    npu__plane plane;
    memset(&plane, 0, sizeof plane);
    for (int32_t j0 = 0; j0 < n; j0 += nr) {
        int32_t cols;
        nr = npu__gemm_f32_width(kern, n - j0);
        cols = NPU__MIN(n - j0, nr);
        for (int32_t p = 0; p < nr; p++) packed[p] = bias && p < cols ? bias[j0 + p] : 0.0f;
        packed += nr;
        /* Columns that are not there are computed as zeros and never stored. */
        if (cols < nr) memset(packed, 0, (size_t)k * (size_t)nr * sizeof *packed);
        if (kern->by_column) {
            plane.unit = plane.to[1] = sizeof *w;
            plane.from[0] = (int64_t)(stride_n * sizeof *w);
            plane.from[1] = (int64_t)(stride_k * sizeof *w);
            plane.to[0] = (int64_t)((size_t)k * sizeof *w);
            npu__plane_pick(plane.unit, 0)(&plane, (uint8_t *)packed, (const uint8_t *)(w + (size_t)j0 * stride_n), cols, k);
        } else if (stride_n == 1) { /* runs of neighbouring columns, one for each k */
            plane.unit = (int64_t)((size_t)cols * sizeof *w);
            plane.from[1] = (int64_t)(stride_k * sizeof *w);
            plane.to[1] = (int64_t)((size_t)nr * sizeof *w);
            npu__plane_pick(plane.unit, 0)(&plane, (uint8_t *)packed, (const uint8_t *)(w + j0), 1, k);
        } else {
            plane.unit = plane.to[1] = sizeof *w;
            plane.from[0] = (int64_t)(stride_k * sizeof *w);
            plane.from[1] = (int64_t)(stride_n * sizeof *w);
            plane.to[0] = (int64_t)((size_t)nr * sizeof *w);
            npu__plane_pick(plane.unit, stride_k == 1)(&plane, (uint8_t *)packed, (const uint8_t *)(w + (size_t)j0 * stride_n), k, cols);
        }
        packed += (size_t)k * (size_t)nr;
    }
}

#define NPU__PANELS_NEAR ((size_t)512 << 10) /* bytes of weights that stay in the cache from rows to rows */

NPU__FN void npu__gemm_f32_run(const npu__gemm_f32_kernel *kern, const npu__gemm_f32_job *job, const float *packed,
                               int32_t n, float *out) {
    const size_t        k = (size_t)job->a.run * (size_t)job->a.segments;
    const int           far = k > NPU__PANELS_NEAR / sizeof *packed / (size_t)NPU__MAX(n, 1);
    const float *const  start = packed;
    npu__gemm_f32_panel p;
    for (int32_t j = 0, nr; j < n; j += nr, packed += p.step * (k + 1u)) {
        nr = npu__gemm_f32_width(kern, n - j);
        p.first = packed;
        p.w = packed + nr;
        p.step = (size_t)nr;
        p.next = !far ? NULL : j + nr < n ? packed + p.step * (k + 1u) : start;
        kern->run(job, &p, NPU__MIN(n - j, nr), out + j);
    }
}

static const float npu__gemm_f32_zeros[32] = {0}; /* as many as any panel has columns */

NPU__FN void npu__gemm_f32_run_flat(const npu__gemm_f32_kernel *kern, const npu__gemm_f32_job *job, const float *w, size_t step,
                                    const float *packed, int32_t n, float *out) {
    const int32_t       rest = n % kern->unit;
    npu__gemm_f32_panel p;
    p.first = npu__gemm_f32_zeros;
    p.step = step;
    p.next = NULL;
    for (int32_t j = 0, nr; j < n - rest; j += nr) {
        nr = npu__gemm_f32_width(kern, n - rest - j);
        p.w = w + j;
        kern->run(job, &p, nr, out + j);
    }
    npu__gemm_f32_run(kern, job, packed, rest, out + (n - rest));
}

/* ---- rows ---- */

static const size_t npu__no_offset = 0;

NPU__FN npu__gemm_rows npu__gemm_rows_of(const void *a, size_t stride_bytes, int32_t k) {
    npu__gemm_rows r;
    r.a = (const uint8_t *)a;
    r.stride = stride_bytes;
    r.rows = NULL;
    r.offsets = &npu__no_offset;
    r.segments = 1;
    r.run = k;
    return r;
}

NPU__FN void npu__gemm_i8_row_adds(const npu__gemm_i8_kernel *kern, const npu__gemm_rows *a, int32_t m, int32_t run,
                                   int32_t delta, int32_t *row_add) {
    const size_t elem = npu__gemm_i8_elem_bytes(kern);
    if (!delta) {
        memset(row_add, 0, (size_t)m * sizeof *row_add);
        return;
    }
    if (kern->row_sums) {
        kern->row_sums(a, m, run, row_add);
        for (int32_t r = 0; r < m; r++) row_add[r] = (int32_t)((uint32_t)row_add[r] * (uint32_t)delta);
        return;
    }
    for (int32_t r = 0; r < m; r++) {
        const uint8_t *row = npu__gemm_row(a, r);
        uint32_t       sum = 0;
        for (int32_t s = 0; s < a->segments; s++) sum += (uint32_t)kern->sum(row + a->offsets[s] * elem, run);
        row_add[r] = (int32_t)(sum * (uint32_t)delta);
    }
}

/* Rows without padding are one long row. */
NPU__FN void npu__gemm_i8_stage(const npu__gemm_i8_kernel *kern, const uint8_t *src, int32_t rows, int32_t k,
                                int32_t run, int32_t is_signed, void *dst) {
    const size_t elem = npu__gemm_i8_elem_bytes(kern);
    uint8_t     *to = (uint8_t *)dst;
    if (run == k && (rows == 0 || k <= INT32_MAX / rows)) {
        kern->stage(src, dst, rows * k, is_signed, 0);
        return;
    }
    for (int32_t r = 0; r < rows; r++, src += k, to += (size_t)run * elem) {
        kern->stage(src, to, k, is_signed, 0);
        memset(to + (size_t)k * elem, 0, (size_t)(run - k) * elem);
    }
}

NPU__FN void npu__stage_bytes(const uint8_t *src, uint8_t *dst, int32_t n, int flip) {
    const uint64_t flip8 = flip ? UINT64_C(0x8080808080808080) : 0u;
    int32_t        i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t v;
        memcpy(&v, src + i, 8);
        v ^= flip8;
        memcpy(dst + i, &v, 8);
    }
    for (; i < n; i++) dst[i] = (uint8_t)(src[i] ^ (uint8_t)flip8);
}

NPU__FN void npu__stage_u8(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    (void)subtract;
    npu__stage_bytes(src, (uint8_t *)dst, n, is_signed != 0);
}
NPU__FN void npu__stage_s8(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    (void)subtract;
    npu__stage_bytes(src, (uint8_t *)dst, n, is_signed == 0);
}
NPU__FN int32_t npu__sum_s8(const void *staged, int32_t n) {
    return (int32_t)npu__sum_signed((const uint8_t *)staged, n, 0);
}

/* ---- output stages without SIMD ---- */

NPU__FN void npu__finish_fixed(const int32_t *sums, int32_t n, const npu__qmul *q, int32_t step,
                               const npu__i8_out *out_stage, uint8_t *out) {
    const npu__i8_out o = *out_stage;
    for (int32_t i = 0; i < n; i++, q += step) out[i] = npu__i8_finish((uint32_t)sums[i], *q, &o);
}

NPU__FN void npu__finish_real(const int32_t *sums, int32_t n, const double *scale, int32_t step,
                              const npu__i8_out *out_stage, uint8_t *out) {
    const npu__i8_out o = *out_stage;
    for (int32_t i = 0; i < n; i++, scale += step) out[i] = npu__i8_finish_real(sums[i], *scale, &o);
}

NPU__FN void npu__finish_float(const int32_t *sums, int32_t n, float row_scale, const float *scale, int32_t step,
                               const float *bias, float *out) {
    for (int32_t i = 0; i < n; i++, scale += step)
        /* This order of operations, which SIMD forms repeat: scales first, then the sum, the bias last. */
        out[i] = (bias ? bias[i] : 0.0f) + (float)sums[i] * (row_scale * *scale);
}
NPU__SPEED_END
