/* Fully connected layers of several rows of integers, as matrix products: sums as they are, then the layer's own output stage. */
#include "fc_fast.h"
#include "fully_connected.h"

#define NPU__FC_SUM_COLS 32 /* of the widest panel */

NPU__FN int npu__fc_gemm_fits(npu__ctx *c, const npu__fc_data *d) {
    const npu__gemm_i8_kernel *kern = d->fast.gemm_i8;
    /* Panels hold the bias as well. */
    return kern && d->fast.gemv_i8 && kern->nr <= NPU__FC_SUM_COLS && d->g.rows >= NPU__FC_GEMM_ROWS && npu__can_pack(c, 1) &&
           (!npu__opt_in(c, 2) || npu__can_pack(c, 2));
}

NPU__FN npu_status npu__fc_gemm_prepare(npu__ctx *c, npu__fc_data *d) {
    npu__fc_fast *f = &d->fast;
    const size_t  threads = (size_t)npu__ctx_threads(c), rows = (size_t)NPU__MIN(d->g.rows, (int64_t)NPU__FC_SUM_ROWS);
    const size_t  each = d->kind == NPU__FC_HYBRID ? 0 : sizeof(double);
    size_t        panels, before, all = SIZE_MAX / 2, least = 0, most = 0; /* all: for the limit to refuse, with its own text */
    f->kind = NPU__FC_FAST_GEMM_I8;
    d->kernel = f->gemm_i8->name;
    if (npu__mul_size(each, d->q.w_step ? (size_t)d->g.units : 1u, &before) && before <= SIZE_MAX / 2 &&
        npu__gemm_i8_packed_bytes(f->gemm_i8, d->g.units, 1, d->g.depth, &panels)) {
        f->at_panels = npu__align_up(before, 64);
        if (!npu__add_size(panels, f->at_panels, &all)) all = SIZE_MAX / 2;
    }
    if ((f->packed_slot = npu__want_packed(c, all)) < 0) return NPU_LIMIT;
    if (!npu__mul_size((size_t)npu__gemm_i8_run_of(f->gemm_i8, d->g.depth), npu__gemm_i8_elem_bytes(f->gemm_i8), &f->row_bytes) ||
        !npu__mul_size(f->row_bytes, threads, &most) || !npu__mul_size(most, NPU__FC_GEMM_ROWS, &least) ||
        !npu__mul_size(most, rows, &most)) {
        least = most = SIZE_MAX;
    }
    f->scratch_slot = npu__want_scratch_upto(c, least, most);
    return f->scratch_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN void npu__fc_gemm_pack(npu__ctx *c, const npu__fc_data *d) {
    static const npu__qmul none = {0, -1};
    const npu__val        *bias = npu__opt_in(c, 2);
    uint8_t               *packed = (uint8_t *)npu__slot(c, d->fast.packed_slot);
    npu__gemm_i8_weights   p;
    npu__pack_floats       floats;
    p.w = (const uint8_t *)npu__weights_data(c, 1, &d->w);
    p.stride_n = (size_t)d->g.depth;
    p.stride_k = 1;
    p.segments = 1;
    p.run = d->g.depth;
    p.w_signed = p.a_signed = d->kind != NPU__FC_U8;
    p.w_zero_point = p.a_zero_point = 0;
    p.bias = NULL;
    p.qmul = &none;
    p.qmul_step = 0;
    if (d->kind != NPU__FC_HYBRID) {
        p.w_zero_point = d->q.w_zp;
        p.a_zero_point = d->q.in_zp;
        p.bias = bias ? (const int32_t *)bias->data : NULL;
        npu__fc_real_scales(d, (double *)(void *)packed);
    }
    floats = npu__conv_hybrid_columns(c, 1, 2, 0);
    npu__gemm_i8_pack_floats(d->fast.gemm_i8, d->g.units, &p, d->kind == NPU__FC_HYBRID ? &floats : NULL, packed + d->fast.at_panels);
}

/* Rows from `row` on to all units' floats. */
NPU__FN void npu__fc_gemm_floats(const npu__fc_work *work, int64_t row, npu__gemm_i8_job *job, const uint8_t *panels) {
    const npu__fc_data *d = work->d;
    npu__i8_floats      f;
    f.zero_point = (const int32_t *)npu__slot(work->c, d->zp_slot) + row;
    f.scale = (const float *)npu__slot(work->c, d->scale_slot) + row;
    f.step = 1;
    f.last = 0;
    f.lo = d->lo;
    f.hi = d->hi;
    job->out.floats = &f;
    job->out_stride = (size_t)d->g.units * sizeof(float);
    npu__gemm_i8_run(d->fast.gemm_i8, job, panels, d->g.units, (uint8_t *)work->c->out[0]->data + (size_t)row * job->out_stride);
}

NPU__FN void npu__fc_gemm_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_work        *work = (const npu__fc_work *)arg;
    const npu__fc_data        *d = work->d;
    const npu__fc_fast        *f = &d->fast;
    const npu__gemm_i8_kernel *kern = f->gemm_i8;
    const int32_t              run = npu__gemm_i8_run_of(kern, d->g.depth), is_signed = d->kind != NPU__FC_U8;
    const size_t               panel = (size_t)kern->nr * (16u + (size_t)run);
    const uint8_t             *packed = (const uint8_t *)npu__slot(work->c, f->packed_slot);
    const int32_t              near_rows = (int32_t)NPU__MIN(NPU__FC_STAGE_BYTES / f->row_bytes, (size_t)NPU__FC_SUM_ROWS);
    const int32_t              rows = NPU__MAX(near_rows, work->rows);
    uint8_t                    near_stage[NPU__FC_STAGE_BYTES], *staged = near_stage;
    int32_t                    sums[NPU__FC_SUM_ROWS * NPU__FC_SUM_COLS], adds[NPU__FC_SUM_ROWS];
    const npu__i8_out          out = npu__i8_out_of(is_signed, d->q.out_zp, d->q.lo, d->q.hi);
    const double              *scales = (const double *)(const void *)packed;
    npu__gemm_i8_job           job;
    if (work->rows >= near_rows) staged = (uint8_t *)npu__slot(work->c, f->scratch_slot) + (size_t)thread * (size_t)rows * f->row_bytes;
    job.out = npu__i8_out_of(1, 0, -128, 127);
    job.out.raw = 1;
    job.out_stride = (size_t)kern->nr * sizeof *sums;
    job.row_add = adds;
    for (int64_t row = begin; row < end; row += job.m) {
        const uint8_t *at = packed + f->at_panels;
        job.m = (int32_t)NPU__MIN(end - row, (int64_t)rows);
        npu__gemm_i8_stage(kern, work->in + (size_t)row * (size_t)d->g.depth, job.m, d->g.depth, run, is_signed, staged);
        job.a = npu__gemm_rows_of(staged, f->row_bytes, run);
        npu__gemm_i8_row_adds(kern, &job.a, job.m, d->g.depth,
                              npu__gemm_i8_delta(is_signed, d->kind == NPU__FC_HYBRID ? 0 : d->q.w_zp), adds);
        if (d->kind == NPU__FC_HYBRID) {
            npu__fc_gemm_floats(work, row, &job, at);
            continue;
        }
        for (int32_t u = 0; u < d->g.units; u += kern->nr, at += panel) {
            const int32_t cols = NPU__MIN(d->g.units - u, kern->nr);
            kern->run(&job, at, cols, (uint8_t *)(void *)sums);
            for (int32_t r = 0; r < job.m; r++) {
                uint8_t *to = (uint8_t *)work->c->out[0]->data + (size_t)(row + r) * (size_t)d->g.units + (size_t)u;
                d->fast.gemv_i8->finish_real(sums + (size_t)r * (size_t)kern->nr, cols, scales + (d->q.w_step ? u : 0), d->q.w_step, &out, to);
            }
        }
    }
}
