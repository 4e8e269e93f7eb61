/* Fully connected layers on fast kernels. Weights are used as they lie in the file: only layers of several rows pack them, into
 * panels. */
#include "fc_fast.h"
#include "fully_connected.h"

#define NPU__FC_BLOCK_ROWS 8         /* integer rows that share one walk over the weights */
#define NPU__FC_UNITS 256            /* whose sums lie on the stack */
#define NPU__FC_LOCAL_DEPTH 1536     /* of a row that is staged there as well */
#define NPU__FC_CHUNK_BYTES 65536    /* of weights that stay cached between rows */
#define NPU__FC_GRAIN_MACS 50000

/* ---- prepare and pack ---- */

/* Several rows are staged together where there is room; a single one on the stack, unless its blocks are read from one piece. */
NPU__FN npu_status npu__fc_fast_int(npu__ctx *c, npu__fc_data *d, int32_t kind, size_t packed_bytes) {
    npu__fc_fast *f = &d->fast;
    const size_t  rows = (size_t)NPU__MIN(d->g.rows, (int64_t)NPU__FC_BLOCK_ROWS), threads = (size_t)npu__ctx_threads(c);
    const int     whole = kind == NPU__FC_FAST_BLOCKS && d->g.depth > NPU__FC_LOCAL_DEPTH;
    size_t        least, most;
    if (!f->gemv_i8) return NPU_OK;
    f->kind = kind;
    d->kernel = f->gemv_i8->name;
    f->row_bytes = npu__align_up((size_t)d->g.depth * sizeof(int16_t), 64);
    /* For each thread; what is too large is refused by the limit, with its text. */
    if (!npu__mul_size(f->row_bytes, threads, &least)) least = SIZE_MAX;
    if (!npu__mul_size(least, rows, &most)) most = SIZE_MAX;
    if (whole || (rows > 1 && kind != NPU__FC_FAST_BLOCKS)) {
        f->scratch_slot = npu__want_scratch_upto(c, whole ? least : 0, whole ? least : most);
        if (f->scratch_slot < 0) return NPU_LIMIT;
    }
    if (packed_bytes) f->packed_slot = npu__want_packed(c, packed_bytes);
    return packed_bytes && f->packed_slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* Scales, and sums of weights where the kernel takes bytes. */
NPU__FN npu_status npu__fc_fast_8bit(npu__ctx *c, npu__fc_data *d, int32_t kind) {
    npu__fc_fast *f = &d->fast;
    size_t        sums = 0, all = 0, panels;
    if (kind == NPU__FC_FAST_REAL && !npu__mul_size(d->q.w_step ? (size_t)d->g.units : 1u, sizeof(double), &all)) all = SIZE_MAX / 2;
    f->at_sums = all;
    f->w_sums = d->g.rows == 1 && npu__gemv_i8_by_bytes(c, f->gemv_i8, d->kind != NPU__FC_U8);
    if (f->w_sums && (!npu__mul_size((size_t)d->g.units, sizeof(int32_t), &sums) || !npu__add_size(all, sums, &all))) all = SIZE_MAX / 2;
    if (f->w_sums && d->g.depth <= NPU__GEMV_DEPTH && npu__gemv_panels_bytes(d->g.units, d->g.depth, 0, &panels) && panels <= NPU__FC_PANEL_BYTES) {
        f->panels_i8 = npu__gemv_panels_i8_select(npu__ctx_isa(c));
        f->at_panels = npu__align_up(all, 64);
        if (f->panels_i8) all = f->at_panels + panels;
    }
    return npu__fc_fast_int(c, d, kind, all);
}

NPU__FN npu_status npu__fc_fast_f32(npu__ctx *c, npu__fc_data *d) {
    npu__fc_fast *f = &d->fast;
    size_t        bytes = SIZE_MAX;
    if (!f->gemv_f32 || !f->gemm_f32) return NPU_OK;
    f->kind = NPU__FC_FAST_GEMV_F32;
    d->kernel = f->gemv_f32->name;
    if (d->g.rows < NPU__FC_GEMM_ROWS && npu__can_pack(c, 1) && npu__gemv_panels_bytes(d->g.units, d->g.depth, 1, &bytes) &&
        bytes <= NPU__FC_PANEL_BYTES && (f->panels_f32 = npu__gemv_panels_f32_select(npu__ctx_isa(c))) != NULL) {
        d->kernel = f->panels_f32->name;
        f->packed_slot = npu__want_packed(c, bytes);
        return f->packed_slot < 0 ? NPU_LIMIT : NPU_OK;
    }
    /* Packing needs constants: panels hold the bias as well. */
    if (d->g.rows < NPU__FC_GEMM_ROWS || !npu__can_pack(c, 1)) return NPU_OK;
    if (npu__opt_in(c, 2) && !npu__can_pack(c, 2)) return NPU_OK;
    f->kind = NPU__FC_FAST_GEMM_F32;
    NPU__TRY(npu__sparse_choose(c, d->g.rows, d->g.units, d->g.depth, &f->sparse));
    if (f->sparse.kern) {
        size_t work;
        d->kernel = f->sparse.kern->name;
        if (!npu__mul_size(f->sparse.work, (size_t)npu__ctx_threads(c), &work)) work = SIZE_MAX / 2; /* the limit refuses it */
        f->scratch_slot = npu__want_scratch(c, work);
        f->packed_slot = npu__want_packed(c, f->sparse.packed);
        return f->packed_slot < 0 || f->scratch_slot < 0 ? NPU_LIMIT : NPU_OK;
    }
    if (npu__gemm_f32_narrow(npu__ctx_isa(c), d->g.units, d->g.depth)) {
        f->gemm_f32 = npu__gemm_f32_narrow(npu__ctx_isa(c), d->g.units, d->g.depth);
    }
    d->kernel = f->gemm_f32->name;
    if (!npu__gemm_f32_packed_bytes(f->gemm_f32, d->g.units, d->g.depth, &bytes)) bytes = SIZE_MAX;
    f->packed_slot = npu__want_packed(c, bytes);
    return f->packed_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__fc_fast_prepare(npu__ctx *c, npu__fc_data *d) {
    const npu_isa isa = npu__ctx_isa(c);
    const int     packable = npu__can_pack(c, 1);
    d->kernel = "reference";
    d->fast.packed_slot = d->fast.scratch_slot = -1;
    d->fast.w_sums = 0;
    d->fast.sparse.kern = NULL;
    d->fast.panels_f32 = NULL;
    d->fast.panels_i8 = NULL;
    d->fast.gemv_f32 = npu__gemv_f32_select(isa);
    d->fast.gemm_f32 = npu__gemm_f32_select(isa);
    d->fast.gemv_i8 = npu__gemv_i8_select(isa);
    d->fast.gemm_i8 = npu__gemm_i8_select(isa);
    if (d->shuffled || d->g.units < 1 || d->g.depth < 1 || d->g.rows < 1) return NPU_OK;
    switch (d->kind) {
    case NPU__FC_F32: return npu__fc_fast_f32(c, d);
    case NPU__FC_HYBRID: return npu__fc_gemm_fits(c, d) ? npu__fc_gemm_prepare(c, d) : npu__fc_fast_8bit(c, d, NPU__FC_FAST_HYBRID);
    case NPU__FC_I16:
        if (!d->fast.gemv_i8) return NPU_OK;
        d->fast.kind = NPU__FC_FAST_I16;
        d->kernel = d->fast.gemv_i8->name;
        return NPU_OK;
    case NPU__FC_BLOCKWISE:
        if (npu__fc_blocks_i4_fits(c)) return npu__fc_blocks_i4_prepare(c, d);
        if (!packable) return NPU_OK;
        return npu__fc_fast_int(c, d, NPU__FC_FAST_BLOCKS,
                                (size_t)d->g.units * (size_t)(d->g.depth / d->block) * sizeof(float));
    case NPU__FC_I8:
    case NPU__FC_U8:
        if (!packable) return NPU_OK;
        if (npu__fc_gemm_fits(c, d)) return npu__fc_gemm_prepare(c, d);
        return npu__fc_fast_8bit(c, d, NPU__FC_FAST_REAL);
    default: return NPU_OK;
    }
}

NPU__FN void npu__fc_real_scales(const npu__fc_data *d, double *scale) {
    for (int32_t u = 0; u < (d->q.w_step ? d->g.units : 1); u++)
        /* In double, in this order: the requantization of TFLite's fully connected layers is by one real factor. */
        scale[u] = (double)d->q.in_scale * (double)d->q.w_scale[u] / (double)d->q.out_scale;
}

NPU__FN int32_t *npu__fc_w_sums(const npu__ctx *c, const npu__fc_data *d) {
    return (int32_t *)(void *)((uint8_t *)npu__slot(c, d->fast.packed_slot) + d->fast.at_sums);
}

NPU__FN void npu__fc_fast_pack(npu__ctx *c, const npu__fc_data *d) {
    const npu__val *bias = npu__opt_in(c, 2);
    void           *to = d->fast.packed_slot < 0 ? NULL : npu__slot(c, d->fast.packed_slot);
    if (d->fast.w_sums) {
        npu__gemv_i8_sum_rows(d->fast.gemv_i8, (const uint8_t *)npu__weights_data(c, 1, &d->w), d->kind != NPU__FC_U8, d->g.units,
                              d->g.depth, npu__fc_w_sums(c, d));
    }
    if (d->fast.panels_i8) npu__gemv_panels_pack(npu__weights_data(c, 1, &d->w), d->g.units, d->g.depth, 0, (uint8_t *)to + d->fast.at_panels);
    if (d->fast.panels_f32) {
        npu__gemv_panels_pack(npu__weights_data(c, 1, &d->w), d->g.units, d->g.depth, 1, to);
    } else if (d->fast.sparse.kern) {
        npu__sparse_f32_pack(d->g.units, d->g.depth, (const float *)npu__weights_data(c, 1, &d->w), bias ? (const float *)bias->data : NULL,
                             (uint8_t *)to);
    } else if (d->fast.kind == NPU__FC_FAST_GEMM_F32) {
        npu__gemm_f32_pack(d->fast.gemm_f32, d->g.units, d->g.depth, (const float *)npu__weights_data(c, 1, &d->w),
                           (size_t)d->g.depth, 1, bias ? (const float *)bias->data : NULL, (float *)to);
    } else if (d->fast.kind == NPU__FC_FAST_GEMM_I8) {
        npu__fc_gemm_pack(c, d);
    } else if (d->fast.kind == NPU__FC_FAST_BLOCKS_I4) {
        npu__fc_blocks_i4_pack(c, d);
    } else if (d->fast.kind == NPU__FC_FAST_REAL) {
        npu__fc_real_scales(d, (double *)to);
    } else if (d->fast.kind == NPU__FC_FAST_BLOCKS) {
        const int32_t blocks = d->g.depth / d->block;
        float        *scale = (float *)to;
        for (int32_t b = 0; b < blocks; b++) {
            for (int32_t u = 0; u < d->g.units; u++)
                /* Transposed: block after block, for all units, as the sums come. */
                *scale++ = npu__ref_fc_block_scale(d->block_scales[(size_t)u * (size_t)blocks + (size_t)b]);
        }
    }
}

/* ---- eval ---- */

NPU__FN void npu__fc_range_f32(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_work *work = (const npu__fc_work *)arg;
    const npu__fc_data *d = work->d;
    npu__gemm_f32_job   job;
    const void         *packed = npu__slot(work->c, d->fast.packed_slot);
    int64_t             block = NPU__MAX((int64_t)16384 / d->g.depth / 12 * 12, (int64_t)12);
    float              *turned = NULL, *to;
    if (d->fast.sparse.kern) {
        block = NPU__SPARSE_ROWS;
        turned = (float *)(void *)((uint8_t *)npu__slot(work->c, d->fast.scratch_slot) + (size_t)thread * d->fast.sparse.work);
    }
    job.out_stride = (size_t)d->g.units;
    job.lo = d->lo;
    job.hi = d->hi;
    for (int64_t r = begin; r < end; r += block) {
        job.a = npu__gemm_rows_of((const float *)work->c->in[0]->data + (size_t)r * (size_t)d->g.depth,
                                  (size_t)d->g.depth * sizeof(float), d->g.depth);
        job.m = (int32_t)NPU__MIN(end - r, block);
        to = (float *)work->c->out[0]->data + (size_t)r * job.out_stride;
        if (d->fast.sparse.kern) d->fast.sparse.kern->run(&job, (const uint8_t *)packed, d->g.units, turned, to);
        else npu__gemm_f32_run(d->fast.gemm_f32, &job, (const float *)packed, d->g.units, to);
    }
}

NPU__FN void npu__fc_finish(const npu__fc_work *work, int64_t row, int32_t u0, int32_t u1, const int32_t *sums) {
    const npu__fc_data *d = work->d;
    const size_t        at = (size_t)row * (size_t)d->g.units + (size_t)u0;
    if (d->kind != NPU__FC_HYBRID) {
        const npu__i8_out out = npu__i8_out_of(d->kind == NPU__FC_I8, d->q.out_zp, d->q.lo, d->q.hi);
        const double     *scale = (const double *)npu__slot(work->c, d->fast.packed_slot);
        d->fast.gemv_i8->finish_real(sums, u1 - u0, scale + (d->q.w_step ? u0 : 0), d->q.w_step, &out,
                                     (uint8_t *)work->c->out[0]->data + at);
    } else {
        const npu_quant *q = &work->c->in[1]->t->quant;
        const float     *bias = (const float *)work->bias;
        const float      row_scale = ((const float *)npu__slot(work->c, d->scale_slot))[row];
        const int32_t    step = q->count > 1;
        d->fast.gemv_i8->finish_float(sums, u1 - u0, row_scale, q->scale + (step ? u0 : 0), step,
                                      bias ? bias + u0 : NULL, (float *)work->c->out[0]->data + at);
    }
}

NPU__FN int32_t npu__fc_zero_point(const npu__fc_work *work, int64_t row) {
    const npu__fc_data *d = work->d;
    return d->kind == NPU__FC_I8 || d->kind == NPU__FC_U8 ? d->q.in_zp : ((const int32_t *)npu__slot(work->c, d->zp_slot))[row];
}

NPU__FN void npu__fc_job(const npu__fc_work *work, npu__gemv_i8_job *job) {
    const npu__fc_data *d = work->d;
    job->w = (const uint8_t *)work->w;
    job->w_stride = (size_t)d->g.depth;
    job->k = d->g.depth;
    job->w_signed = d->kind != NPU__FC_U8;
    job->bias = d->fast.kind == NPU__FC_FAST_REAL ? (const int32_t *)work->bias : NULL;
    job->add = 0;
}

/* ---- blockwise scales: each block of the depth is a product of its own ---- */

/* Units [u0, u0 + units) of a row. */
NPU__FN void npu__fc_row_blocks(const npu__fc_work *work, npu__gemv_i8_job *job, int64_t row, int32_t u0, int32_t units) {
    const npu__fc_data *d = work->d;
    const float        *scale = (const float *)npu__slot(work->c, d->fast.packed_slot) + u0;
    const float        *bias = work->bias ? (const float *)work->bias + u0 : NULL;
    const float         row_scale = ((const float *)npu__slot(work->c, d->scale_slot))[row];
    float              *out = (float *)work->c->out[0]->data + (size_t)row * (size_t)d->g.units + (size_t)u0;
    int32_t             sums[NPU__FC_UNITS];
    job->w += (size_t)u0 * job->w_stride;
    if (d->fast.gemv_i8->blocks) d->fast.gemv_i8->blocks(job, d->block, scale, d->g.units, units, out);
    for (int32_t u = 0, n; u < units && !d->fast.gemv_i8->blocks; u += n) {
        const float     *at = scale + u;
        npu__gemv_i8_job one = *job;
        n = NPU__MIN(units - u, NPU__FC_UNITS);
        one.k = d->block;
        one.w += (size_t)u * job->w_stride;
        for (int32_t i = 0; i < n; i++) out[u + i] = 0.0f;
        for (int32_t b = 0; b < job->k; b += d->block, at += d->g.units, one.a += d->block, one.w += d->block) {
            d->fast.gemv_i8->run(&one, 0, n, sums);
            for (int32_t i = 0; i < n; i++) out[u + i] += (float)sums[i] * at[i];
        }
    }
    for (int32_t u = 0; u < units; u++) out[u] = out[u] * row_scale + (bias ? bias[u] : 0.0f);
}

/* Threads share out groups of units, of all rows. Kernels take eight at a time, in an order of their own. */
#define NPU__FC_BLOCK_GROUP 32
NPU__INLINE int64_t npu__fc_block_groups(const npu__fc_data *d) {
    return ((int64_t)d->g.units + NPU__FC_BLOCK_GROUP - 1) / NPU__FC_BLOCK_GROUP;
}

NPU__FN void npu__fc_range_blocks(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_work *work = (const npu__fc_work *)arg;
    const npu__fc_data *d = work->d;
    const npu__fc_fast *f = &d->fast;
    const int64_t       groups = npu__fc_block_groups(d);
    int16_t             local[NPU__FC_LOCAL_DEPTH], *staged = local;
    if (d->g.depth > NPU__FC_LOCAL_DEPTH) {
        staged = (int16_t *)(void *)((uint8_t *)npu__slot(work->c, f->scratch_slot) + (size_t)thread * f->row_bytes);
    }
    for (int64_t i = begin, n; i < end; i += n) {
        const int64_t    row = i / groups, u0 = i % groups * NPU__FC_BLOCK_GROUP;
        npu__gemv_i8_job job;
        n = NPU__MIN(end - i, groups - i % groups);
        f->gemv_i8->stage(work->in + (size_t)row * (size_t)d->g.depth, staged, d->g.depth, 1, npu__fc_zero_point(work, row));
        npu__fc_job(work, &job);
        job.a = staged;
        npu__fc_row_blocks(work, &job, row, (int32_t)u0, (int32_t)NPU__MIN(n * NPU__FC_BLOCK_GROUP, d->g.units - u0));
    }
}

/* ---- several rows ---- */

NPU__FN void npu__fc_stage(const npu__fc_work *work, int64_t row, int32_t rows, uint8_t *staged, int32_t *adds) {
    const npu__fc_data        *d = work->d;
    const npu__gemv_i8_kernel *kern = d->fast.gemv_i8;
    for (int32_t r = 0; r < rows; r++, staged += d->fast.row_bytes) {
        kern->stage(work->in + (size_t)(row + r) * (size_t)d->g.depth, staged, d->g.depth, d->kind != NPU__FC_U8,
                    npu__fc_zero_point(work, row + r));
        adds[r] = 0;
        /* The weights' zero point meets the sum of the row: sum(a * (w - zp)) = sum(a * w) - zp * sum(a). Modulo 2^32, as
         * the sums. */
        if (d->fast.kind == NPU__FC_FAST_REAL && d->q.w_zp) {
            adds[r] = (int32_t)((uint32_t)kern->sum(staged, d->g.depth) * (uint32_t)-d->q.w_zp);
        }
    }
}

/* `rows` rows from `row` on, which share the walk over the weights. */
NPU__FN void npu__fc_block(const npu__fc_work *work, int64_t row, int32_t rows, uint8_t *staged) {
    const npu__fc_data *d = work->d;
    const int32_t       some = NPU__MIN(NPU__MAX(NPU__FC_CHUNK_BYTES / d->g.depth / 8 * 8, 8), NPU__FC_UNITS);
    int32_t             adds[NPU__FC_BLOCK_ROWS], sums[NPU__FC_UNITS];
    npu__fc_stage(work, row, rows, staged, adds);
    for (int32_t u = 0; u < d->g.units; u += some) {
        const int32_t n = NPU__MIN(d->g.units - u, some);
        for (int32_t r = 0; r < rows; r++) {
            npu__gemv_i8_job job;
            npu__fc_job(work, &job);
            job.a = (const int16_t *)(const void *)(staged + (size_t)r * d->fast.row_bytes);
            job.add = adds[r];
            job.w += (size_t)u * job.w_stride;
            if (job.bias) job.bias += u;
            d->fast.gemv_i8->run(&job, 0, n, sums);
            npu__fc_finish(work, row + r, u, u + n, sums);
        }
    }
}

/* ---- a single row: threads share the units ---- */

typedef struct npu__fc_row {
    const npu__fc_work *work;
    int64_t             row;
    npu__gemv_i8        g;
} npu__fc_row;

NPU__FN void npu__fc_row_done(const void *arg, int32_t first, int32_t n, const int32_t *sums) {
    const npu__fc_row *r = (const npu__fc_row *)arg;
    npu__fc_finish(r->work, r->row, first, first + n, sums);
}

NPU__FN void npu__fc_row_of(const npu__fc_work *work, int64_t row, npu__fc_row *r) {
    const npu__fc_data *d = work->d;
    r->work = work;
    r->row = row;
    npu__fc_job(work, &r->g.job);
    r->g.kern = d->fast.gemv_i8;
    r->g.in = work->in + (size_t)row * (size_t)d->g.depth;
    r->g.is_signed = d->kind != NPU__FC_U8;
    r->g.in_zp = npu__fc_zero_point(work, row);
    r->g.w_zp = d->fast.kind == NPU__FC_FAST_REAL ? d->q.w_zp : 0;
    r->g.w_sums = d->fast.w_sums ? npu__fc_w_sums(work->c, d) : NULL;
    r->g.panels = d->fast.panels_i8;
    if (r->g.panels) {
        r->g.job.w = (const uint8_t *)npu__slot(work->c, d->fast.packed_slot) + d->fast.at_panels;
        r->g.job.w_stride = npu__gemv_panels_stride(d->g.depth, 0);
    }
}

NPU__FN void npu__fc_range_i8(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_work *work = (const npu__fc_work *)arg;
    const npu__fc_fast *f = &work->d->fast;
    uint8_t            *scratch = (uint8_t *)npu__slot(work->c, f->scratch_slot);
    for (int64_t row = begin; row < end;) {
        const int32_t rows = (int32_t)NPU__MIN(end - row, (int64_t)work->rows);
        if (rows > 1) {
            npu__fc_block(work, row, rows, scratch + (size_t)thread * (size_t)work->rows * f->row_bytes);
        } else {
            npu__fc_row r;
            npu__fc_row_of(work, row, &r);
            npu__gemv_i8_units(&r.g, 0, work->d->g.units, npu__fc_row_done, &r);
        }
        row += NPU__MAX(rows, 1);
    }
}

NPU__FN void npu__fc_all_i8(npu__fc_work *work) {
    const npu__fc_data *d = work->d;
    const npu__fc_fast *f = &d->fast;
    const int64_t       row_macs = (int64_t)d->g.units * d->g.depth;
    if (f->kind == NPU__FC_FAST_GEMM_I8) {
        const size_t bytes = npu__slot_bytes(work->c, f->scratch_slot) / (size_t)npu__ctx_threads(work->c);
        work->rows = (int32_t)NPU__MIN(bytes / f->row_bytes, (size_t)NPU__FC_SUM_ROWS);
        npu__parallel_tiles(work->c, d->g.rows, NPU__FC_GRAIN_MACS / row_macs + 1, NPU__FC_SUM_ROWS, npu__fc_gemm_range, work);
    } else if (f->kind == NPU__FC_FAST_BLOCKS) {
        npu__parallel(work->c, d->g.rows * npu__fc_block_groups(d), NPU__FC_GRAIN_MACS / ((int64_t)d->g.depth * NPU__FC_BLOCK_GROUP) + 1,
                      npu__fc_range_blocks, work);
    } else if (d->g.rows == 1) {
        npu__fc_row r;
        npu__fc_row_of(work, 0, &r);
        npu__gemv_i8_all(work->c, &r.g, d->g.units, npu__fc_row_done, &r);
    } else {
        const size_t bytes = npu__slot_bytes(work->c, f->scratch_slot) / (size_t)npu__ctx_threads(work->c);
        work->rows = (int32_t)NPU__MIN(bytes / f->row_bytes, (size_t)NPU__FC_BLOCK_ROWS);
        npu__parallel_tiles(work->c, d->g.rows, NPU__FC_GRAIN_MACS / row_macs + 1, NPU__FC_BLOCK_ROWS, npu__fc_range_i8, work);
    }
}

NPU__FN npu_status npu__fc_fast_quantize(npu__ctx *c, const npu__fc_data *d) {
    return npu__quantize_input(c, d->fast.gemv_i8->minmax, d->fast.gemv_i8->quantize, (const float *)c->in[0]->data,
                               d->g.rows, d->g.depth, d->asymmetric, (int8_t *)npu__slot(c, d->in_slot),
                               (float *)npu__slot(c, d->scale_slot), (int32_t *)npu__slot(c, d->zp_slot));
}

NPU__FN npu_status npu__fc_fast_eval(npu__ctx *c, const npu__fc_data *d, const void *w, const void *bias) {
    const int64_t row_macs = (int64_t)d->g.units * d->g.depth;
    npu__fc_work  work;
    work.c = c;
    work.d = d;
    work.in = (const uint8_t *)c->in[0]->data;
    work.w = w;
    work.bias = bias;
    if (d->fast.kind == NPU__FC_FAST_I16) {
        npu__fc_i16_eval(c, d, w, bias);
        return NPU_OK;
    }
    if (d->kind == NPU__FC_HYBRID || d->kind == NPU__FC_BLOCKWISE) {
        NPU__TRY(npu__fc_fast_quantize(c, d));
        work.in = (const uint8_t *)npu__slot(c, d->in_slot);
    }
    if (d->fast.kind == NPU__FC_FAST_BLOCKS_I4) {
        npu__fc_blocks_i4_eval(&work);
    } else if (d->fast.kind == NPU__FC_FAST_GEMV_F32) {
        const npu__gemv_panels_f32_kernel *panels = d->fast.panels_f32;
        const npu__gemv_f32_fn             run = panels ? panels->run : d->fast.gemv_f32->run;
        const float                       *from = panels ? (const float *)npu__slot(c, d->fast.packed_slot) : (const float *)w;
        for (int64_t r = 0; r < d->g.rows; r++) {
            npu__gemv_f32_by(c, run, panels ? NPU__PANELS_UNITS : 1, (const float *)c->in[0]->data + r * d->g.depth, from,
                             (const float *)bias, d->g.units, d->g.depth, d->lo, d->hi, (float *)c->out[0]->data + r * d->g.units);
            NPU__POLL(c, row_macs);
        }
    } else if (d->fast.kind == NPU__FC_FAST_GEMM_F32) {
        npu__parallel_tiles(c, d->g.rows, NPU__FC_GRAIN_MACS / row_macs + 1, d->fast.sparse.kern ? NPU__SPARSE_ROWS : NPU__MATMUL_TILE,
                            npu__fc_range_f32, &work);
    } else {
        npu__fc_all_i8(&work);
    }
    return NPU_OK;
}
