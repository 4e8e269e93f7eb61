/* Weights into panels, once per session, and input rows into the staged form where no SIMD is needed for that. */
#include "kernels.h"
#include "move.h"
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

NPU__FN int npu__gemm_f32_packed_bytes(const npu__gemm_f32_kernel *kern, int32_t n, int32_t k, size_t *bytes) {
    return npu__panels_bytes(n, kern->nr, (size_t)kern->nr * 4u, (size_t)k, 4, bytes);
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

/* Column `at` of a header of nr columns. */
NPU__INLINE void npu__pack_qmul(int32_t *head, int32_t nr, int32_t at, int32_t bias, npu__qmul q, int32_t shifts) {
    const int32_t left = q.shift > 0 ? q.shift : 0, right = q.shift > 0 ? 0 : -q.shift;
    head[at] = bias;
    head[nr + at] = q.multiplier;
    /* Powers of two for machines that cannot shift each lane by its own amount (kernels/i8_wasm.c). */
    head[2 * nr + at] = shifts & NPU__SHIFT_POWERS ? npu__shl32(1, left) : left;
    head[3 * nr + at] = shifts & NPU__SHIFT_POWERS ? npu__shl32(1, 31 - right) : right;
}

/* A matrix as it lies: its columns are pieces of their own. */
NPU__FN const uint8_t *npu__gemm_i8_at(const void *arg, int32_t column, int32_t segment, int32_t number) {
    const npu__gemm_i8_weights *w = (const npu__gemm_i8_weights *)arg;
    (void)number; /* a run is one piece */
    return w->w + (size_t)column * w->stride_n + (size_t)segment * (size_t)w->run * w->stride_k;
}

/* One column's weights into its place; returns their sum modulo 2^32. */
NPU__FN uint32_t npu__gemm_i8_pack_column(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_weights *w,
                                          const npu__pack_by *by, int32_t column, uint8_t *dst) {
    const int32_t flip = w->w_signed ? 0 : 0x80, kr = kern->kr;
    const uint8_t zero = (uint8_t)w->w_zero_point;
    const size_t  step = (size_t)kern->nr * (size_t)kr;
    uint32_t      sum = 0;
    for (int32_t s = 0; s < w->segments; s++) {
        int32_t r = 0;
        for (int32_t from = 0; from < w->run; from += by->piece) {
            const uint8_t *src = by->at(by->arg, column, s, from / by->piece);
            for (int32_t i = 0; i < by->piece; i++) {
                const int32_t v = (int8_t)((src ? *src : zero) ^ flip);
                if (src) src += w->stride_k;
                dst[r] = (uint8_t)v;
                sum += (uint32_t)v;
                if (++r < kr) continue;
                r = 0;
                dst += step;
            }
        }
        if (r) dst += step;
    }
    return sum;
}

static const npu__qmul npu__no_column = {0, -1};

NPU__FN void npu__gemm_i8_pack(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                               uint8_t *packed) {
    npu__pack_by by;
    by.at = npu__gemm_i8_at;
    by.arg = w;
    by.piece = w->run;
    by.channels = n;
    npu__gemm_i8_pack_by(kern, n, w, &by, packed);
}

NPU__FN void npu__gemm_i8_pack_by(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                                  const npu__pack_by *by, uint8_t *packed) {
    const int32_t  nr = kern->nr;
    const size_t   kp = (size_t)npu__gemm_i8_run_of(kern, w->run) * (size_t)w->segments;
    const size_t   panel_bytes = (size_t)nr * (16u + kp);
    const uint32_t zero = (uint32_t)npu__gemm_i8_staged_zero(kern, w->a_signed, w->a_zero_point);
    /* With staged a and packed w: sum((a - za) * (w + d)) = sum(a * w) + d * sum(a) - za * sum(w) - za * d * k. The last
     * two depend on the column alone: they go into its bias. Everything modulo 2^32. */
    const uint32_t fixed = zero * (uint32_t)npu__gemm_i8_delta(w->w_signed, w->w_zero_point) * (uint32_t)w->run *
                           (uint32_t)w->segments;
    for (int32_t j0 = 0; j0 < n; j0 += nr, packed += panel_bytes) {
        int32_t *head = (int32_t *)(void *)packed;
        memset(packed, 0, panel_bytes);
        for (int32_t p = 0; p < nr; p++) {
            int32_t  q = p & 15, j = j0 + p;
            uint32_t sum;
            /* AVX2 packs within 128-bit halves: columns 4 to 7 and 8 to 11 change places here, and again when results are
             * narrowed. */
            if (kern->swap_quads && n - j0 > 8 && q >= 4 && q < 12) j += q < 8 ? 4 : -4;
            if (j >= n) { /* no column: only its shifts matter, they must not spoil those of the others */
                npu__pack_qmul(head, nr, p, 0, npu__no_column, kern->shifts);
                continue;
            }
            sum = npu__gemm_i8_pack_column(kern, w, by, j, packed + (size_t)nr * 16u + (size_t)p * (size_t)kern->kr);
            j %= by->channels;
            sum = (w->bias ? (uint32_t)w->bias[j] : 0u) - zero * sum - fixed;
            npu__pack_qmul(head, nr, p, (int32_t)sum, w->qmul[w->qmul_step * j], kern->shifts);
        }
    }
}

NPU__FN void npu__gemm_i8_run(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_job *job, const uint8_t *packed,
                              int32_t n, uint8_t *out) {
    const size_t panel_bytes = (size_t)kern->nr * (16u + (size_t)job->a.run * (size_t)job->a.segments);
    for (int32_t j = 0; j < n; j += kern->nr, packed += panel_bytes)
        kern->run(job, packed, NPU__MIN(n - j, kern->nr), out + j);
}

/* ---- f32 GEMM ----
 * Panel: float bias[nr], w[k][nr]. */

NPU__FN void npu__gemm_f32_pack(const npu__gemm_f32_kernel *kern, int32_t n, int32_t k, const float *w,
                                size_t stride_n, size_t stride_k, const float *bias, float *packed) {
    const int32_t nr = kern->nr;
    npu__plane    plane;
    memset(&plane, 0, sizeof plane);
    for (int32_t j0 = 0; j0 < n; j0 += nr) {
        int32_t cols = NPU__MIN(n - j0, nr);
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

NPU__FN void npu__gemm_f32_run(const npu__gemm_f32_kernel *kern, const npu__gemm_f32_job *job, const float *packed,
                               int32_t n, float *out) {
    size_t panel = (size_t)kern->nr * ((size_t)job->a.run * (size_t)job->a.segments + 1u);
    npu__gemm_f32_panel p;
    p.step = (size_t)kern->nr;
    for (int32_t j = 0; j < n; j += kern->nr, packed += panel) {
        p.first = packed;
        p.w = packed + kern->nr;
        kern->run(job, &p, NPU__MIN(n - j, kern->nr), out + j);
    }
}

static const float npu__gemm_f32_zeros[32] = {0}; /* as many as any panel has columns */

NPU__FN void npu__gemm_f32_run_flat(const npu__gemm_f32_kernel *kern, const npu__gemm_f32_job *job, const float *w, size_t step,
                                    const float *packed, int32_t n, float *out) {
    const int32_t       rest = n % kern->nr;
    npu__gemm_f32_panel p;
    p.first = npu__gemm_f32_zeros;
    p.step = step;
    for (int32_t j = 0; j < n - rest; j += kern->nr) {
        p.w = w + j;
        kern->run(job, &p, kern->nr, out + j);
    }
    npu__gemm_f32_run(kern, job, packed, rest, out + (n - rest));
}

/* ---- depthwise ----
 * i8 unit: int32 bias[8], multiplier[8], left shift[8], right shift[8], int16 w[taps / pair][8][pair] (taps even). Pairs of nine
 * taps are those that a 3 x 3 window can share with its neighbours: 0 and 3, 1 and 4, 2 and 5, 6 and 7, nothing and 8.
 * f32 unit: float bias[8], w[taps][8]. */

NPU__INLINE size_t npu__dw_units(int32_t channels) {
    return ((size_t)channels + NPU__DW_UNIT - 1) / NPU__DW_UNIT;
}
NPU__FN int npu__dw_i8_packed_bytes(int32_t channels, int32_t taps, size_t *bytes) {
    if (taps > INT32_MAX / 64) return 0;
    return npu__mul_size(npu__dw_units(channels), npu__dw_i8_unit_bytes(taps), bytes);
}
NPU__FN int npu__dw_f32_packed_bytes(int32_t channels, int32_t taps, size_t *bytes) {
    if (taps > INT32_MAX / 64) return 0;
    return npu__mul_size(npu__dw_units(channels), npu__dw_f32_unit_bytes(taps), bytes);
}

/* The smallest and largest right shift of a unit; 0 where a channel is not plain. */
typedef struct npu__dw_shifts {
    int32_t least, most;
} npu__dw_shifts;

NPU__FN npu__dw_shifts npu__dw_i8_shifts(const npu__dw_i8_weights *w, int32_t first) {
    npu__dw_shifts s = {31, 1};
    for (int32_t c = first; c < first + NPU__DW_UNIT; c++) {
        const npu__qmul q = w->qmul[w->qmul_step * c];
        if (!q.multiplier) continue; /* any shift will do */
        s.least = NPU__MIN(s.least, q.shift < 0 ? -q.shift : 0);
        s.most = NPU__MAX(s.most, -q.shift);
    }
    return s;
}

/* Folded units begin with bias + 2^31, twice the multiplier and minus the multiplier. Some third line is so negative, which it
 * never is else. */
NPU__FN int npu__dw_i8_foldable(const npu__dw_kernel *kern, int32_t channels, const npu__dw_i8_weights *w) {
    int32_t some = 0;
    if (!(kern->shifts & NPU__SHIFT_FOLD_COUNTS)) return 0;
    for (int32_t u = 0; u < (int32_t)npu__dw_units(channels); u++) {
        const npu__dw_shifts s = npu__dw_i8_shifts(w, npu__dw_unit_start(u, channels));
        if (s.least < 1 || (kern->shifts & NPU__SHIFT_POWERS && s.least <= s.most - 7)) return 0;
    }
    for (int32_t c = 0; c < (w->qmul_step ? channels : 1); c++) some |= w->qmul[c].multiplier;
    return some != 0;
}

/* The fourth line. Counts: right - 1; this line and the one before it in the order 0, 2, 1, 3. Powers: int16 of
 * 1 << (15 - (right - common)), then at [4] a shift `common` that leaves 1 to 7. */
NPU__FN void npu__dw_i8_fold(const npu__dw_kernel *kern, const npu__dw_shifts *s, int32_t *head) {
    const int32_t common = NPU__MAX(s->most - 7, 0);
    int32_t      *fourth = head + 3 * NPU__DW_UNIT;
    int16_t       powers[NPU__DW_UNIT];
    for (int32_t p = 0; p < NPU__DW_UNIT; p++) {
        const int32_t mult = head[NPU__DW_UNIT + p];
        head[p] ^= INT32_MIN;
        head[2 * NPU__DW_UNIT + p] = -mult;
        head[NPU__DW_UNIT + p] = npu__shl32(mult, 1);
        /* 1 << (31 - right) over 1 << (16 - common) */
        powers[p] = mult ? (int16_t)(((uint32_t)fourth[p] << common) >> 16) : 0;
        if (!(kern->shifts & NPU__SHIFT_POWERS)) fourth[p]--;
    }
    if (kern->shifts & NPU__SHIFT_POWERS) {
        memset(fourth, 0, NPU__DW_UNIT * sizeof *fourth);
        memcpy(fourth, powers, sizeof powers);
        fourth[4] = common;
        return;
    }
    for (int32_t p = 2 * NPU__DW_UNIT + 1; p < 4 * NPU__DW_UNIT; p += 4) {
        const int32_t second = head[p];
        head[p] = head[p + 1];
        head[p + 1] = second;
    }
}

/* The place of tap t. */
NPU__INLINE int32_t npu__dw_i8_place(const npu__dw_kernel *kern, int32_t taps, int32_t t) {
    static const uint8_t nine[9] = {0, 2, 4, 1, 3, 5, 6, 7, 9};
    return taps == 9 && kern->pair == 2 ? nine[t] : t;
}

NPU__FN void npu__dw_i8_pack(const npu__dw_kernel *kern, int32_t channels, int32_t taps, const npu__dw_i8_weights *w,
                             uint8_t *packed) {
    size_t  unit_bytes = npu__dw_i8_unit_bytes(taps);
    int32_t units = (int32_t)npu__dw_units(channels);
    const int fold = npu__dw_i8_foldable(kern, channels, w);
    for (int32_t u = 0; u < units; u++, packed += unit_bytes) {
        int32_t *head = (int32_t *)(void *)packed;
        int16_t *dst = (int16_t *)(void *)(packed + NPU__DW_UNIT * 16);
        memset(packed, 0, unit_bytes);
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) {
            int32_t  c = npu__dw_unit_start(u, channels) + p;
            uint32_t sum = 0;
            /* Two whole units side by side are sixteen channels: as in the panels above. */
            if (kern->swap_quads && (u | 1) * NPU__DW_UNIT + NPU__DW_UNIT <= channels) {
                if (!(u & 1) && p >= 4) c += 4;
                if ((u & 1) && p < 4) c -= 4;
            }
            for (int32_t t = 0; t < taps; t++) {
                const uint8_t raw = w->w[(size_t)t * (size_t)channels + (size_t)c];
                const int32_t to = npu__dw_i8_place(kern, taps, t);
                int32_t v = (w->w_signed ? (int32_t)(int8_t)raw : (int32_t)raw) - w->w_zero_point;
                dst[to / kern->pair * NPU__DW_UNIT * kern->pair + p * kern->pair + to % kern->pair] = (int16_t)v;
                sum += (uint32_t)v;
            }
            sum = (w->bias ? (uint32_t)w->bias[c] : 0u) - (uint32_t)w->a_zero_point * sum;
            npu__pack_qmul(head, NPU__DW_UNIT, p, (int32_t)sum, w->qmul[w->qmul_step * c], kern->shifts);
        }
        if (fold) {
            const npu__dw_shifts s = npu__dw_i8_shifts(w, npu__dw_unit_start(u, channels));
            npu__dw_i8_fold(kern, &s, head);
        }
    }
}

NPU__FN int npu__dw_i8_plain(int32_t channels, int32_t taps, const uint8_t *packed) {
    for (size_t u = 0; u < npu__dw_units(channels); u++, packed += npu__dw_i8_unit_bytes(taps)) {
        const int32_t *third = (const int32_t *)(const void *)packed + 2 * NPU__DW_UNIT;
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) if (third[p]) return third[p] < 0;
    }
    return 0;
}

NPU__FN void npu__dw_f32_pack(int32_t channels, int32_t taps, const float *w, const float *bias, uint8_t *packed) {
    float  *dst = (float *)(void *)packed;
    int32_t units = (int32_t)npu__dw_units(channels);
    for (int32_t u = 0; u < units; u++) {
        int32_t c0 = npu__dw_unit_start(u, channels);
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) *dst++ = bias ? bias[c0 + p] : 0.0f;
        for (int32_t t = 0; t < taps; t++, dst += NPU__DW_UNIT)
            memcpy(dst, w + (size_t)t * (size_t)channels + (size_t)c0, NPU__DW_UNIT * sizeof *w);
    }
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

/* Adds eight bytes at a time in four 16-bit lanes, emptied before they can overflow. */
NPU__FN uint32_t npu__sum_bytes(const uint8_t *p, int32_t n) {
    const uint64_t even = UINT64_C(0x00FF00FF00FF00FF);
    uint64_t       lanes = 0;
    uint32_t       sum = 0;
    int32_t        i = 0, full = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t v;
        memcpy(&v, p + i, 8);
        lanes += (v & even) + ((v >> 8) & even);
        /* A lane gets two bytes a step: 128 * 2 * 255 is just below 2^16. */
        if (++full == 128) {
            sum += (uint32_t)((lanes & 0xFFFFu) + (lanes >> 16 & 0xFFFFu) + (lanes >> 32 & 0xFFFFu) + (lanes >> 48));
            lanes = 0;
            full = 0;
        }
    }
    sum += (uint32_t)((lanes & 0xFFFFu) + (lanes >> 16 & 0xFFFFu) + (lanes >> 32 & 0xFFFFu) + (lanes >> 48));
    for (; i < n; i++) sum += p[i];
    return sum;
}

NPU__FN void npu__stage_u8(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    (void)subtract;
    npu__stage_bytes(src, (uint8_t *)dst, n, is_signed != 0);
}
NPU__FN void npu__stage_s8(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    (void)subtract;
    npu__stage_bytes(src, (uint8_t *)dst, n, is_signed == 0);
}
NPU__FN int32_t npu__sum_u8(const void *staged, int32_t n) {
    return (int32_t)npu__sum_bytes((const uint8_t *)staged, n);
}
NPU__FN int32_t npu__sum_s8(const void *staged, int32_t n) {
    const int8_t *p = (const int8_t *)staged;
    int32_t       sum = 0, i = 0;
    for (; i + 4 <= n; i += 4) sum += p[i] + p[i + 1] + p[i + 2] + p[i + 3];
    for (; i < n; i++) sum += p[i];
    return sum;
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

/* Loops of a constant length, over memory that nothing else names: compilers make vectors of them without being asked twice. */
NPU__FN void npu__finish_hybrid(const npu__hybrid_cols *k, int32_t cols, int32_t rows, const uint8_t *sums, size_t sums_stride,
                                uint8_t *out, size_t out_stride) {
    const float  in_scale = k->in_scale, lo = k->lo, hi = k->hi;
    const size_t bytes = (size_t)cols * 4;
    for (int32_t r = 0; r < rows; r++, sums += sums_stride, out += out_stride) {
        uint32_t s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        float    v[8];
        if (cols == 8) memcpy(s, sums, 32);
        else memcpy(s, sums, bytes);
        for (int i = 0; i < 8; i++) {
            const float x = (float)(int32_t)(s[i] - k->less[i]) * k->scale[i] * in_scale + k->bias[i];
            v[i] = x < lo ? lo : x > hi ? hi : x;
        }
        if (cols == 8) memcpy(out, v, 32);
        else memcpy(out, v, bytes);
    }
}
NPU__SPEED_END
