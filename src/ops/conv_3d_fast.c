/* Convolutions of volumes as matrix products of copied windows. A transposed one is several convolutions: output cells whose places are
 * the same modulo the strides, a phase, meet the same cells of the filter. */
#include "../kernels/move.h"
#include "conv_3d.h"
NPU__SPEED_BEGIN

#define NPU__CONV_3D_PHASES 64
#define NPU__CONV_3D_BYTES (48 * 1024) /* of windows worked on at a time, ... */
#define NPU__CONV_3D_MOST (1024 * 1024) /* ... and of the fewest that a kernel takes */
#define NPU__CONV_3D_GRAIN 40000 /* MACs that are worth a thread */

/* One phase: where it is along each axis, how far its cells are apart, and what it multiplies. */
typedef struct npu__conv_3d_phase {
    int32_t first[3], step[3];
    int64_t cells[3];
    int64_t k;  /* depth of the product */
    size_t  at; /* of its panels */
} npu__conv_3d_phase;

NPU__INLINE int32_t npu__conv_3d_step(const npu__conv_3d *d, int32_t axis) { return d->transposed ? d->axis[axis].stride : 1; }
NPU__INLINE int64_t npu__conv_3d_size(const npu__conv_3d *d, int32_t axis) { return d->transposed ? d->axis[axis].in : d->axis[axis].out; }

/* Does cell k of the filter meet this phase at all? */
NPU__INLINE int npu__conv_3d_meets(const npu__conv_3d *d, const npu__conv_3d_phase *p, int32_t axis, int32_t k) {
    const npu__axis3 *a = &d->axis[axis];
    return !d->transposed || (p->first[axis] + (int64_t)a->pad - (int64_t)k * a->dil) % a->stride == 0;
}

NPU__FN int64_t npu__conv_3d_phases(const npu__conv_3d *d) {
    int64_t n = 1;
    for (int32_t i = 0; i < 3; i++) n = npu__sat_mul(n, NPU__MIN((int64_t)npu__conv_3d_step(d, i), npu__conv_3d_size(d, i)));
    return n;
}

/* Phase `n`, its panels behind those of the ones before it. False: too large. */
NPU__FN int npu__conv_3d_phase_at(const npu__conv_3d *d, int32_t n, npu__conv_3d_phase *p, size_t *end) {
    size_t bytes;
    p->k = d->in_c;
    for (int32_t i = 2; i >= 0; i--) {
        const int64_t size = npu__conv_3d_size(d, i);
        const int32_t phases = (int32_t)NPU__MIN((int64_t)npu__conv_3d_step(d, i), size);
        int32_t       taps = 0;
        p->step[i] = npu__conv_3d_step(d, i);
        p->first[i] = n % phases;
        n /= phases;
        p->cells[i] = (size - p->first[i] - 1) / p->step[i] + 1;
        for (int32_t k = 0; k < d->axis[i].k; k++) taps += npu__conv_3d_meets(d, p, i, k);
        p->k = npu__sat_mul(p->k, taps);
    }
    p->at = *end;
    if (p->k > 1 << 24 || !npu__gemm_f32_packed_bytes(d->gemm, (int32_t)d->out_c, (int32_t)p->k, &bytes)) return 0;
    return npu__add_size(*end, npu__align_up(bytes, 64), end);
}

/* ---- prepare and pack ---- */

NPU__FN npu_status npu__conv_3d_fast_prepare(npu__ctx *c, npu__conv_3d *d, int32_t bias) {
    const int64_t phases = npu__conv_3d_phases(d), taps = npu__dims_product(&c->in[1]->shape, 0, 3);
    const size_t  threads = (size_t)npu__ctx_threads(c);
    size_t        end = 0, row, least, most;
    int64_t       deepest = 0, rows;
    d->kernel = "reference";
    d->gemm = NULL;
    if (!npu__can_pack(c, 1) || (npu__opt_in(c, bias) && !npu__can_pack(c, bias)) || npu__elems(c->out[0]) == 0) return NPU_OK;
    if (phases > NPU__CONV_3D_PHASES || npu__sat_mul(taps, d->in_c) > 1 << 24 || d->out_c > 1 << 24) return NPU_OK;
    d->gemm = npu__gemm_f32_narrow(npu__ctx_isa(c), (int32_t)d->out_c, (int32_t)d->in_c);
    if (!d->gemm) d->gemm = npu__gemm_f32_select(npu__ctx_isa(c));
    for (int32_t n = 0; d->gemm && n < phases; n++) {
        npu__conv_3d_phase p;
        if (!npu__conv_3d_phase_at(d, n, &p, &end)) d->gemm = NULL;
        else deepest = NPU__MAX(deepest, p.k);
    }
    row = (size_t)deepest * sizeof(float);
    if (!d->gemm || row * (size_t)d->gemm->mr > NPU__CONV_3D_MOST) {
        d->gemm = NULL;
        return NPU_OK;
    }
    rows = NPU__MAX((int64_t)(NPU__CONV_3D_BYTES / NPU__MAX(row, (size_t)1)), (int64_t)1);
    rows = NPU__MAX(rows / d->gemm->mr, (int64_t)1) * d->gemm->mr;
    rows = NPU__MIN(rows, npu__dims_product(&c->out[0]->shape, 0, 4));
    d->copy_bytes = 0;
    if (d->transposed && npu__mul_size(row, (size_t)d->out_c, &d->copy_bytes)) d->copy_bytes = npu__align_up(d->copy_bytes, 64);
    if (!npu__add_size(end, d->copy_bytes, &end)) end = SIZE_MAX / 2;
    least = npu__align_up(row * (size_t)NPU__MIN(rows, (int64_t)d->gemm->mr) + 64, 64);
    most = npu__align_up(row * (size_t)rows + 64, 64);
    if ((d->packed_slot = npu__want_packed(c, end)) < 0) return NPU_LIMIT;
    if (!npu__mul_size(least, threads, &least) || !npu__mul_size(most, threads, &most)) least = most = SIZE_MAX / 2;
    if ((d->scratch_slot = npu__want_scratch_upto(c, least, most)) < 0) return NPU_LIMIT;
    d->kernel = d->gemm->name;
    return NPU_OK;
}

/* Weights of a phase that lie [cells of the filter][out_c][in_c], as [out_c][cells of the phase][in_c]. */
NPU__FN void npu__conv_3d_copy(const npu__conv_3d *d, const npu__conv_3d_phase *p, const float *w, float *to) {
    const size_t in_c = (size_t)d->in_c;
    size_t       at = 0;
    for (int32_t z = 0; z < d->axis[0].k; z++) for (int32_t y = 0; y < d->axis[1].k; y++) for (int32_t x = 0; x < d->axis[2].k; x++) {
        if (npu__conv_3d_meets(d, p, 0, z) && npu__conv_3d_meets(d, p, 1, y) && npu__conv_3d_meets(d, p, 2, x)) {
            for (int64_t o = 0; o < d->out_c; o++) memcpy(to + (size_t)o * (size_t)p->k + at, w + (size_t)o * in_c, in_c * sizeof *w);
            at += in_c;
        }
        w += (size_t)d->out_c * in_c;
    }
}

NPU__FN void npu__conv_3d_fast_pack(npu__ctx *c, const npu__conv_3d *d, int32_t bias) {
    const npu__val *b = npu__opt_in(c, bias);
    const float    *w = (const float *)c->in[1]->data, *first = b ? (const float *)b->data : NULL;
    uint8_t        *packed;
    size_t          end = d->copy_bytes;
    if (!d->gemm) return;
    packed = (uint8_t *)npu__slot(c, d->packed_slot);
    for (int32_t n = 0; n < npu__conv_3d_phases(d); n++) {
        npu__conv_3d_phase p;
        float             *to;
        (void)npu__conv_3d_phase_at(d, n, &p, &end); /* as in prepare */
        to = (float *)(void *)(packed + p.at);
        if (!d->transposed) npu__gemm_f32_pack(d->gemm, (int32_t)d->out_c, (int32_t)p.k, w, 1, (size_t)d->out_c, first, to);
        else {
            npu__conv_3d_copy(d, &p, w, (float *)(void *)packed);
            npu__gemm_f32_pack(d->gemm, (int32_t)d->out_c, (int32_t)p.k, (const float *)(const void *)packed, (size_t)p.k, 1, first, to);
        }
    }
}

/* ---- eval ---- */

typedef struct npu__conv_3d_work {
    const npu__conv_3d *d;
    npu__conv_3d_phase  p;
    const float        *in;
    float              *out;
    const uint8_t      *packed;
    uint8_t            *scratch;
    size_t              each; /* of a thread */
    int32_t             rows;
} npu__conv_3d_work;

NPU__INLINE void npu__conv_3d_put(float *to, const float *from, size_t n) {
    npu__copy_run((uint8_t *)(void *)to, (const uint8_t *)(const void *)from, n * sizeof *to);
}

/* One line of the filter on `n` cells from `x` on, into rows from `to` on. `line` is where it lies in the input, NULL: outside. Returns how
 * many elements of a row that is. */
NPU__FN size_t npu__conv_3d_line(const npu__conv_3d *d, const npu__conv_3d_phase *p, const float *line, int64_t x, int32_t n, float *to) {
    const npu__axis3 *a = &d->axis[2];
    const size_t      in_c = (size_t)d->in_c, all = (size_t)a->k * in_c, stride = (size_t)p->k;
    size_t            done = 0;
    if (!d->transposed && a->dil == 1) { /* neighbours */
        for (int32_t r = 0; r < n; r++, to += stride) {
            const int64_t from = (x + r) * a->stride - a->pad, lo = NPU__MIN(NPU__MAX(-from, (int64_t)0), (int64_t)a->k);
            const int64_t hi = line ? NPU__MAX(NPU__MIN((int64_t)a->k, a->in - from), lo) : lo;
            if (hi - lo < a->k) memset(to, 0, all * sizeof *to);
            if (hi > lo) npu__conv_3d_put(to + (size_t)lo * in_c, line + (size_t)(from + lo) * in_c, (size_t)(hi - lo) * in_c);
        }
        return all;
    }
    for (int32_t k = 0; k < a->k; k++) {
        if (!npu__conv_3d_meets(d, p, 2, k)) continue;
        for (int32_t r = 0; r < n; r++) {
            const int64_t at = line ? npu__conv_3d_at(a, d->transposed, x + (int64_t)r * p->step[2], k) : -1;
            float        *row = to + (size_t)r * stride + done;
            if (at < 0) memset(row, 0, in_c * sizeof *row);
            else npu__conv_3d_put(row, line + (size_t)at * in_c, in_c);
        }
        done += in_c;
    }
    return done;
}

/* Windows of n cells of a line, which begin at `at`. */
NPU__FN void npu__conv_3d_windows(const npu__conv_3d_work *work, int64_t batch, const int64_t *at, int32_t n, float *to) {
    const npu__conv_3d       *d = work->d;
    const npu__conv_3d_phase *p = &work->p;
    const npu__axis3         *a = d->axis;
    for (int32_t kz = 0; kz < a[0].k; kz++) {
        const int64_t z = npu__conv_3d_at(&a[0], d->transposed, at[0], kz);
        if (!npu__conv_3d_meets(d, p, 0, kz)) continue;
        for (int32_t ky = 0; ky < a[1].k; ky++) {
            const int64_t y = npu__conv_3d_at(&a[1], d->transposed, at[1], ky);
            const int64_t line = ((batch * npu__conv_3d_source(&a[0], d->transposed) + z) * npu__conv_3d_source(&a[1], d->transposed) + y) *
                                 npu__conv_3d_source(&a[2], d->transposed);
            if (!npu__conv_3d_meets(d, p, 1, ky)) continue;
            to += npu__conv_3d_line(d, p, z < 0 || y < 0 ? NULL : work->in + (size_t)line * (size_t)d->in_c, at[2], n, to);
        }
    }
}

/* Cells [begin, end) of the phase. */
NPU__FN void npu__conv_3d_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_3d_work  *work = (const npu__conv_3d_work *)arg;
    const npu__conv_3d       *d = work->d;
    const npu__conv_3d_phase *p = &work->p;
    float                    *rows = (float *)(void *)(work->scratch + (size_t)thread * work->each);
    npu__gemm_f32_job         job;
    job.a = npu__gemm_rows_of(rows, (size_t)p->k * sizeof(float), (int32_t)p->k);
    job.out_stride = (size_t)p->step[2] * (size_t)d->out_c;
    job.lo = d->lo;
    job.hi = d->hi;
    for (; begin < end; begin += job.m) {
        int64_t out = 0;
        job.m = (int32_t)NPU__MIN(end - begin, (int64_t)work->rows);
        if (d->transposed) job.m = (int32_t)NPU__MIN((int64_t)job.m, p->cells[2] - begin % p->cells[2]); /* lines lie apart */
        for (int32_t r = 0, n; r < job.m; r += n) {
            int64_t i = begin + r, at[3];
            n = (int32_t)NPU__MIN((int64_t)(job.m - r), p->cells[2] - i % p->cells[2]);
            for (int32_t k = 2; k >= 0; k--) {
                at[k] = p->first[k] + i % p->cells[k] * p->step[k];
                i /= p->cells[k];
            }
            npu__conv_3d_windows(work, i, at, n, rows + (size_t)r * (size_t)p->k);
            for (int32_t k = 0; k < 3; k++) i = i * npu__conv_3d_size(d, k) + at[k];
            if (r == 0) out = i;
        }
        npu__gemm_f32_run(d->gemm, &job, (const float *)(const void *)(work->packed + p->at), (int32_t)d->out_c,
                          work->out + (size_t)out * (size_t)d->out_c);
    }
}

NPU__FN void npu__conv_3d_fast_eval(npu__ctx *c, const npu__conv_3d *d, int32_t in) {
    const size_t      threads = (size_t)npu__ctx_threads(c);
    npu__conv_3d_work work;
    size_t            end = d->copy_bytes;
    work.d = d;
    work.in = (const float *)c->in[in]->data;
    work.out = (float *)c->out[0]->data;
    work.packed = (const uint8_t *)npu__slot(c, d->packed_slot);
    work.scratch = (uint8_t *)npu__slot(c, d->scratch_slot);
    work.each = npu__slot_bytes(c, d->scratch_slot) / threads & ~(size_t)63;
    for (int32_t n = 0; n < npu__conv_3d_phases(d); n++) {
        int64_t cells = d->batches, macs;
        (void)npu__conv_3d_phase_at(d, n, &work.p, &end); /* as in prepare */
        for (int32_t k = 0; k < 3; k++) cells *= work.p.cells[k]; /* bounded: cells of the output */
        macs = NPU__MAX(npu__sat_mul(work.p.k, d->out_c), (int64_t)1);
        work.rows = (int32_t)NPU__MIN(work.each / NPU__MAX((size_t)work.p.k * sizeof(float), (size_t)1), (size_t)1 << 20);
        npu__parallel_tiles(c, cells, NPU__CONV_3D_GRAIN / macs + 1, NPU__MIN((int64_t)work.rows, (int64_t)d->gemm->mr), npu__conv_3d_range, &work);
    }
}
NPU__SPEED_END
