/* Float matrix products: threads share the batch, or the rows where there is one product only or each is large. */
#include "bmm_fast.h"
#include "../kernels/move.h"
NPU__SPEED_BEGIN

#define NPU__BMM_GRAIN_MACS 40000
#define NPU__BMM_FLAT_ROWS 12     /* up to so many, packing the right matrix costs more than it saves */
#define NPU__BMM_MOST_MACS ((int64_t)1 << 24) /* of one product; rows share out larger ones */

NPU__FN npu_status npu__bmm_fast_prepare(npu__ctx *c, const npu__matmul_geom *g, npu__bmm_fast *f) {
    size_t bytes, turned = 0, all;
    f->gemm = npu__gemm_f32_select(npu__ctx_isa(c));
    f->slot = -1;
    if (!f->gemm || g->m < 1 || g->n < 1 || g->k < 1) f->gemm = NULL;
    if (!f->gemm) return NPU_OK;
    /* Rows of the left matrix must be contiguous for the kernel: a transposed one is turned in the scratch. */
    if (g->a_k != 1 && !npu__mul_size((size_t)g->m * sizeof(float), (size_t)g->k, &turned)) turned = SIZE_MAX;
    f->flat = g->b_n == 1 && (g->m <= NPU__BMM_FLAT_ROWS || (g->n <= f->gemm->nr && g->n % f->gemm->unit == 0));
    if (!npu__gemm_f32_packed_bytes(f->gemm, f->flat ? g->n % f->gemm->unit : g->n, g->k, &bytes) || bytes > SIZE_MAX / 4 || turned > SIZE_MAX / 4) {
        f->gemm = NULL;
        return NPU_OK;
    }
    f->packed_bytes = npu__align_up(bytes, 64);
    f->scratch_each = npu__align_up(f->packed_bytes + turned, 64);
    if (!npu__mul_size(f->scratch_each, (size_t)npu__ctx_threads(c), &all)) all = SIZE_MAX;
    f->slot = npu__want_scratch(c, all);
    return f->slot < 0 ? NPU_LIMIT : NPU_OK;
}

typedef struct npu__bmm_work {
    npu__ctx               *c;
    const npu__matmul_geom *g;
    const npu__bmm_fast    *f;
    npu__bmm_at_fn          at;
} npu__bmm_work;

/* A product that is ready: what its rows share. */
typedef struct npu__bmm_share {
    const npu__bmm_work *work;
    npu__gemm_f32_job    job;
    const float         *b, *packed;
    float               *out;
} npu__bmm_share;

/* Packs the right matrix of product `i`, or what of it must be; finds the rows of the left one, turning it if its columns are
 * contiguous. */
NPU__FN void npu__bmm_ready(const npu__bmm_work *work, int64_t i, uint8_t *scratch, npu__bmm_share *share) {
    const npu__matmul_geom *g = work->g;
    const int32_t           flat = work->f->flat ? g->n - g->n % work->f->gemm->unit : 0; /* columns */
    npu__gemm_f32_job      *job = &share->job;
    int64_t                 a_at, b_at;
    const float            *a;
    work->at(work->c, i, &a_at, &b_at);
    a = (const float *)work->c->in[0]->data + a_at;
    share->work = work;
    share->b = (const float *)work->c->in[1]->data + b_at;
    share->packed = (const float *)(const void *)scratch;
    share->out = (float *)work->c->out[0]->data + i * g->m * g->n;
    npu__gemm_f32_pack(work->f->gemm, g->n - flat, g->k, share->b + flat, (size_t)g->b_n, (size_t)g->b_k, NULL,
                       (float *)(void *)scratch);
    job->a = npu__gemm_rows_of(a, (size_t)g->a_m * sizeof(float), g->k);
    if (g->a_k != 1) {
        uint8_t   *turned = scratch + work->f->packed_bytes;
        npu__plane p;
        p.unit = p.from[0] = p.to[1] = sizeof(float);
        p.from[1] = g->a_k * (int64_t)sizeof(float);
        p.to[0] = g->k * (int64_t)sizeof(float);
        job->a = npu__gemm_rows_of(turned, (size_t)g->k * sizeof(float), g->k);
        npu__plane_for(npu__ctx_isa(work->c), npu__plane_pick(p.unit, 1), p.unit)(&p, turned, (const uint8_t *)a, g->m, g->k);
    }
    job->out_stride = (size_t)g->n;
    /* BATCH_MATMUL fuses no activation. */
    job->lo = -INFINITY;
    job->hi = INFINITY;
}

NPU__FN void npu__bmm_range_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__bmm_share *share = (const npu__bmm_share *)arg;
    const npu__bmm_work  *work = share->work;
    npu__gemm_f32_job     job = share->job;
    float                *out = share->out + (size_t)begin * job.out_stride;
    (void)thread;
    job.a.a += (size_t)begin * job.a.stride;
    job.m = (int32_t)(end - begin);
    if (work->f->flat) {
        npu__gemm_f32_run_flat(work->f->gemm, &job, share->b, (size_t)work->g->b_k, share->packed, work->g->n, out);
    } else {
        npu__gemm_f32_run(work->f->gemm, &job, share->packed, work->g->n, out);
    }
}

NPU__FN void npu__bmm_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__bmm_work *work = (const npu__bmm_work *)arg;
    uint8_t             *all = (uint8_t *)npu__slot(work->c, work->f->slot);
    npu__bmm_share       share;
    for (int64_t i = begin; i < end; i++) {
        npu__bmm_ready(work, i, all + (size_t)thread * work->f->scratch_each, &share);
        npu__bmm_range_rows(&share, 0, work->g->m, thread);
    }
}

NPU__FN void npu__bmm_fast_eval(npu__ctx *c, const npu__matmul_geom *g, const npu__bmm_fast *f, int64_t batches,
                                npu__bmm_at_fn at) {
    const int64_t row_macs = (int64_t)g->n * g->k;
    npu__bmm_work work;
    work.c = c;
    work.g = g;
    work.f = f;
    work.at = at;
    if (batches == 1 || npu__sat_mul(row_macs, g->m) > NPU__BMM_MOST_MACS) {
        uint8_t *scratch = (uint8_t *)npu__slot(c, f->slot);
        for (int64_t i = 0; i < batches; i++) {
            npu__bmm_share rows;
            /* Packing the right matrix is work too, before the rows that are polled by themselves. */
            if (npu__poll(c, row_macs)) return;
            npu__bmm_ready(&work, i, scratch, &rows);
            npu__parallel_tiles(c, g->m, NPU__BMM_GRAIN_MACS / row_macs + 1, NPU__MATMUL_TILE, npu__bmm_range_rows, &rows);
        }
    } else {
        npu__parallel(c, batches, NPU__BMM_GRAIN_MACS / (row_macs * g->m) + 1, npu__bmm_range, &work);
    }
}
NPU__SPEED_END
