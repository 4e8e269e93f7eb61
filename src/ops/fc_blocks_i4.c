/* Fully connected layers with blockwise int4 weights, from panels of them: half the memory of unpacked ones, which is what their time is. */
#include "fc_fast.h"
#include "fully_connected.h"

NPU__FN int npu__fc_blocks_i4_fits(npu__ctx *c) {
    const npu__val *w = c->in[1];
    const int32_t   block = w->t->blockwise->block_size;
    /* `depth % block` is for prepare_blocks to refuse. */
    return npu__blocks_i4_select(npu__ctx_isa(c)) && npu__can_pack(c, 1) && w->type == NPU_INT4 && block >= 8 && block % 8 == 0 &&
           block <= NPU__BLOCKS_I4_MOST && w->shape.dims[0] >= 1 && w->shape.dims[1] >= block;
}

NPU__FN npu_status npu__fc_blocks_i4_prepare(npu__ctx *c, npu__fc_data *d) {
    npu__fc_fast *f = &d->fast;
    size_t        bytes = 0, sums = 0;
    f->blocks_i4 = npu__blocks_i4_select(npu__ctx_isa(c));
    f->kind = NPU__FC_FAST_BLOCKS_I4;
    d->kernel = f->blocks_i4->name;
    /* What overflows is refused by the limit, with its own text. */
    if (!npu__blocks_i4_bytes(d->g.units, d->g.depth, d->block, &bytes)) bytes = SIZE_MAX / 2;
    f->packed_slot = npu__want_packed(c, bytes);
    if ((uint64_t)d->g.rows > SIZE_MAX / 2 || !npu__mul_size((size_t)d->g.rows, (size_t)(d->g.depth / d->block) * sizeof(int32_t), &sums)) {
        sums = SIZE_MAX / 2;
    }
    f->scratch_slot = npu__want_scratch(c, sums);
    return f->packed_slot < 0 || f->scratch_slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* Of a row's blocks (npu__blocks_i4_sums). */
NPU__FN int32_t *npu__fc_blocks_i4_sums(const npu__fc_work *work, int64_t row) {
    const npu__fc_data *d = work->d;
    return (int32_t *)npu__slot(work->c, d->fast.scratch_slot) + (size_t)row * (size_t)(d->g.depth / d->block);
}

NPU__FN void npu__fc_blocks_i4_pack(npu__ctx *c, const npu__fc_data *d) {
    npu__blocks_i4_pack((const uint8_t *)c->in[1]->data, d->block_scales, d->g.units, d->g.depth, d->block,
                        (uint8_t *)npu__slot(c, d->fast.packed_slot));
}

/* One row's units of a panel. */
NPU__FN void npu__fc_blocks_i4_row(const npu__fc_work *work, npu__blocks_i4_job *job, int64_t row, int32_t panel, int32_t n, float *out) {
    const npu__fc_data *d = work->d;
    const float        *bias = (const float *)work->bias;
    const float         scale = ((const float *)npu__slot(work->c, d->scale_slot))[row];
    float               sums[NPU__BLOCKS_I4_UNITS];
    job->a_sums = npu__fc_blocks_i4_sums(work, row);
    job->a_zero = npu__fc_zero_point(work, row);
    d->fast.blocks_i4->run(job, panel, sums);
    for (int32_t u = 0; u < n; u++) out[u] = sums[u] * scale + (bias ? bias[panel * NPU__BLOCKS_I4_UNITS + u] : 0.0f);
}

/* Threads share the panels, of each a few rows at a time. */
NPU__FN void npu__fc_blocks_i4_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_work *work = (const npu__fc_work *)arg;
    const npu__fc_data *d = work->d;
    const int64_t       groups = ((int64_t)d->g.rows + NPU__BLOCKS_I4_ROWS - 1) / NPU__BLOCKS_I4_ROWS;
    npu__blocks_i4_job  job;
    npu__blocks_i4_group rows;
    (void)thread;
    job.depth = d->g.depth;
    job.block = d->block;
    job.packed = (const uint8_t *)npu__slot(work->c, d->fast.packed_slot);
    rows.out_stride = (size_t)d->g.units;
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = i % groups * NPU__BLOCKS_I4_ROWS, some = NPU__MIN(d->g.rows - row, (int64_t)NPU__BLOCKS_I4_ROWS);
        const int32_t panel = (int32_t)(i / groups), first = panel * NPU__BLOCKS_I4_UNITS;
        const int32_t n = NPU__MIN(d->g.units - first, NPU__BLOCKS_I4_UNITS);
        float        *out = (float *)work->c->out[0]->data + (size_t)row * rows.out_stride + (size_t)first;
        job.a = work->in + (size_t)row * (size_t)d->g.depth;
        for (int64_t r = 0; r < some; r++) {
            rows.zero[r] = npu__fc_zero_point(work, row + r);
            rows.scale[r] = ((const float *)npu__slot(work->c, d->scale_slot))[row + r];
        }
        if (some == NPU__BLOCKS_I4_ROWS) {
            rows.bias = work->bias ? (const float *)work->bias + first : NULL;
            d->fast.blocks_i4->run_rows(&job, &rows, panel, n, out);
            continue;
        }
        for (int64_t r = 0; r < some; r++, job.a += d->g.depth, out += rows.out_stride) npu__fc_blocks_i4_row(work, &job, row + r, panel, n, out);
    }
}

/* 128 is added to the quantized row, where it lies, and the blocks of one that is computed alone are summed up. */
NPU__FN void npu__fc_blocks_i4_unsigned(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_work *work = (const npu__fc_work *)arg;
    const int32_t       depth = work->d->g.depth;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        uint8_t *a = (uint8_t *)npu__slot(work->c, work->d->in_slot) + (size_t)row * (size_t)depth;
        npu__stage_bytes(a, a, depth, 1);
        if (row < work->d->g.rows / NPU__BLOCKS_I4_ROWS * NPU__BLOCKS_I4_ROWS) continue; /* several of them need no sums */
        npu__blocks_i4_sums(a, depth, work->d->block, npu__fc_blocks_i4_sums(work, row));
    }
}

NPU__FN void npu__fc_blocks_i4_eval(const npu__fc_work *work) {
    const npu__fc_data *d = work->d;
    const int64_t       panels = ((int64_t)d->g.units - 1) / NPU__BLOCKS_I4_UNITS + 1;
    const int64_t       groups = ((int64_t)d->g.rows + NPU__BLOCKS_I4_ROWS - 1) / NPU__BLOCKS_I4_ROWS;
    npu__fc_work        mine = *work;
    npu__parallel(work->c, d->g.rows, 65536 / d->g.depth + 1, npu__fc_blocks_i4_unsigned, &mine);
    npu__parallel(work->c, panels * groups, 100000 / ((int64_t)d->g.depth * NPU__BLOCKS_I4_UNITS * NPU__BLOCKS_I4_ROWS) + 1,
                  npu__fc_blocks_i4_range, &mine);
}
