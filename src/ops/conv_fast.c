/* Convolutions as matrix products on fast kernels; conv_rows.c finds the rows. */
#include "conv_fast.h"
#include "conv_util.h"

#define NPU__FAST_NEAR_BYTES (256 * 1024) /* of weights, that a core keeps in a cache of its own */
/* Less than this is not worth a thread: integers take half as long. */
#define NPU__FAST_GRAIN_F32 40000
#define NPU__FAST_GRAIN_I8 100000 /* an output counts for NPU__FAST_OUTPUT_I8 more: it is rescaled */
#define NPU__FAST_OUTPUT_I8 40

/* Kinds whose output stage is not the kernels'. */
NPU__FN int npu__conv_is_raw(const npu__conv_data *d) { return d->kind == NPU__CONV_HYBRID || d->kind == NPU__CONV_I16; }

/* ---- prepare ---- */

NPU__FN npu_status npu__conv_fast_slots(npu__ctx *c, npu__conv_fast *f, size_t packed_bytes, size_t least_bytes,
                                        size_t scratch_bytes) {
    const size_t threads = (size_t)npu__ctx_threads(c);
    size_t       packed, least, scratch;
    f->packed_slot = f->scratch_slot = -1;
    f->packed_each = npu__align_up(packed_bytes, 64);
    f->scratch_each = npu__align_up(scratch_bytes, 64);
    if (!npu__mul_size(f->packed_each, (size_t)f->groups, &packed) ||
        !npu__mul_size(npu__align_up(least_bytes, 64), threads, &least) || !npu__mul_size(f->scratch_each, threads, &scratch)) {
        return NPU__FAIL(c, NPU_LIMIT, "conv.memory", "the filter is too large");
    }
    /* A size of SIZE_MAX / 2 stands for one that does not fit: the limit refuses it with its own text. */
    if (packed && (f->packed_slot = npu__want_packed(c, packed)) < 0) return NPU_LIMIT;
    if (scratch && (f->scratch_slot = npu__want_scratch_upto(c, least, scratch)) < 0) return NPU_LIMIT;
    return NPU_OK;
}

NPU__FN npu_status npu__conv_fast_gemm(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    const int       f32 = d->kind == NPU__CONV_F32;
    const int64_t   pixels = (int64_t)d->g.batches * d->g.out_h * d->g.out_w;
    size_t          packed = 0;
    if (f32 && f->groups == 1 && !f->depthwise) {
        NPU__TRY(npu__sparse_choose(c, pixels, f->n, f->k, &f->sparse));
        if (!f->sparse.kern) NPU__TRY(npu__conv_wino_prepare(c, d));
        if (f->kind == NPU__FAST_WINO_F32) return NPU_OK;
    }
    if (!npu__conv_rows_plan(d, f, npu__ctx_word(c))) return NPU_OK;
    if (f32 && !f->sparse.kern) {
        const npu__gemm_f32_kernel *narrow = npu__gemm_f32_narrow(npu__ctx_isa(c), f->n, f->run);
        if (narrow) f->gemm_f32 = narrow;
    }
    f->kind = f32 ? NPU__FAST_GEMM_F32 : NPU__FAST_GEMM_I8;
    d->kernel = f->sparse.kern ? f->sparse.kern->name : f32 ? f->gemm_f32->name : f->gemm_i8->name;
    if (f->sparse.kern) packed = f->sparse.packed;
    else if (!(f32 ? npu__gemm_f32_packed_bytes(f->gemm_f32, f->n, f->k, &packed)
              : npu__gemm_i8_packed_bytes(f->gemm_i8, f->n, f->segments, f->run, &packed))) packed = SIZE_MAX / 2;
    return npu__conv_fast_slots(c, f, packed, f->scratch_least, f->scratch_each);
}

/* One row: weights are used where they lie. */
NPU__FN npu_status npu__conv_fast_gemv(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    const int       f32 = d->kind == NPU__CONV_F32;
    f->kind = f32 ? NPU__FAST_GEMV_F32 : NPU__FAST_GEMV_I8;
    d->kernel = f32 ? f->gemv_f32->name : f->gemv_i8->name;
    f->packed_slot = -1;
    if (f32 || !npu__gemv_i8_by_bytes(c, f->gemv_i8, d->kind != NPU__CONV_U8)) return NPU_OK;
    return npu__conv_fast_slots(c, f, (size_t)f->n * sizeof(int32_t), 0, 0); /* sums of rows */
}

NPU__FN npu_status npu__conv_fast_choose(npu__ctx *c, npu__conv_data *d, int depthwise) {
    npu__conv_fast       *f = &d->fast;
    const npu__conv_geom *g = &d->g;
    const npu_isa         isa = npu__ctx_isa(c);
    const int64_t         k = (int64_t)g->k_h * g->k_w * (depthwise ? 1 : g->k_c);
    d->kernel = "reference";
    /* Fast kernels read packed constants; weights from another operator stay with the reference. */
    if (!npu__can_pack(c, 1) || k > 1 << 24) return NPU_OK;
    if (c->in[0]->bytes == 0 || c->out[0]->bytes == 0) return NPU_OK;
    if (npu__opt_in(c, 2) && !npu__can_pack(c, 2)) return NPU_OK;
    f->gemm_f32 = npu__gemm_f32_select(isa);
    f->gemm_i8 = npu__gemm_i8_select(isa);
    f->gemv_f32 = npu__gemv_f32_select(isa);
    f->gemv_i8 = npu__gemv_i8_select(isa);
    f->dw = d->kind == NPU__CONV_F32 ? npu__dw_f32_select(isa)
                                     : npu__dw_i8_select(isa, g->out_c, d->kind == NPU__CONV_U8 ? d->w_zp > 0 && d->w_zp < 256 : d->w_zp == 0);
    f->sparse.kern = NULL;
    f->depthwise = depthwise;
    /* A depthwise convolution of one channel is an ordinary one: every output sees the whole input. */
    f->groups = depthwise ? 1 : g->in_c / g->k_c;
    f->n = g->out_c / f->groups;
    f->k = (int32_t)k;
    if (d->kind == NPU__CONV_I16 && !npu__conv_i16_fits(d)) return NPU_OK;
    if (g->k_c == 1 && g->in_c != 1) { /* each channel for itself, whatever the operator is called */
        f->groups = 1;
        if (f->dw && f->gemv_i8) NPU__TRY(npu__dw_fast_prepare(c, d));
        if (depthwise || f->kind != NPU__FAST_NONE) return NPU_OK;
        f->groups = g->in_c;
    }
    if (d->kind == NPU__CONV_F32 ? !f->gemm_f32 || !f->gemv_f32 : !f->gemm_i8 || !f->gemv_i8) return NPU_OK;
    if (npu__conv_is_direct(g) && !depthwise && d->kind != NPU__CONV_I16 && g->batches == 1 && g->out_h == 1 && g->out_w == 1) {
        return npu__conv_fast_gemv(c, d);
    }
    return npu__conv_fast_gemm(c, d);
}

NPU__FN npu_status npu__conv_fast_prepare(npu__ctx *c, npu__conv_data *d, int depthwise) {
    NPU__TRY(npu__conv_fast_choose(c, d, depthwise));
    if (d->fast.kind == NPU__FAST_NONE) return NPU_OK;
    if (d->kind == NPU__CONV_I16) return npu__conv_i16_prepare(c, d);
    return d->kind == NPU__CONV_HYBRID ? npu__conv_hybrid_prepare(c, d) : NPU_OK;
}

/* ---- pack ---- */

NPU__FN const npu__qmul *npu__conv_qmuls(const npu__ctx *c, const npu__conv_data *d) {
    return d->mul_slot < 0 ? &d->mul : (const npu__qmul *)npu__slot(c, d->mul_slot);
}
NPU__FN npu__i8_out npu__conv_i8_out(const npu__conv_data *d) {
    return npu__i8_out_of(d->kind == NPU__CONV_I8, d->out_zp, d->q_lo, d->q_hi);
}

NPU__FN void npu__conv_fast_pack_i8(npu__ctx *c, const npu__conv_data *d, const uint8_t *w, const int32_t *bias) {
    const npu__conv_fast *f = &d->fast;
    npu__gemm_i8_weights  p;
    npu__pack_floats      floats;
    /* Depthwise filters lie [k_h, k_w, channel]: neighbours are outputs, not taps. */
    p.stride_n = f->depthwise ? 1 : (size_t)f->k;
    p.stride_k = f->depthwise ? (size_t)f->n : 1;
    p.segments = f->segments;
    p.run = f->run;
    p.w_signed = p.a_signed = d->kind != NPU__CONV_U8;
    p.w_zero_point = d->w_zp;
    p.a_zero_point = d->in_zp;
    p.qmul_step = d->mul_slot >= 0;
    for (int32_t i = 0; i < f->groups; i++) {
        p.w = w + (size_t)i * (size_t)f->n * (size_t)f->k;
        p.bias = bias ? bias + (size_t)i * (size_t)f->n : NULL;
        p.qmul = npu__conv_qmuls(c, d) + (p.qmul_step ? i * f->n : 0);
        floats = npu__conv_hybrid_columns(c, 1, 2, i * f->n);
        npu__gemm_i8_pack_floats(f->gemm_i8, f->n, &p, d->kind == NPU__CONV_HYBRID ? &floats : NULL,
                                 (uint8_t *)npu__slot(c, f->packed_slot) + (size_t)i * f->packed_each);
    }
}

NPU__FN void npu__conv_fast_pack_f32(npu__ctx *c, const npu__conv_data *d, const float *w, const float *bias) {
    const npu__conv_fast *f = &d->fast;
    if (f->sparse.kern) {
        npu__sparse_f32_pack(f->n, f->k, w, bias, (uint8_t *)npu__slot(c, f->packed_slot));
        return;
    }
    for (int32_t i = 0; i < f->groups; i++) {
        uint8_t *to = (uint8_t *)npu__slot(c, f->packed_slot) + (size_t)i * f->packed_each;
        npu__gemm_f32_pack(f->gemm_f32, f->n, f->k, w + (size_t)i * (size_t)f->n * (size_t)f->k,
                           f->depthwise ? 1 : (size_t)f->k, f->depthwise ? (size_t)f->n : 1,
                           bias ? bias + (size_t)i * (size_t)f->n : NULL, (float *)(void *)to);
    }
}

NPU__FN void npu__conv_fast_pack(npu__ctx *c, const npu__conv_data *d) {
    const npu__val *bias = npu__opt_in(c, 2);
    const void     *b = bias ? bias->data : NULL, *w;
    if (d->fast.kind == NPU__FAST_NONE) return;
    w = npu__weights_data(c, 1, &d->w);
    if (npu__conv_is_raw(d)) { /* the bias is added afterwards */
        if (d->kind == NPU__CONV_I16) npu__conv_i16_pack(c, d, (const int8_t *)w, b);
        else npu__conv_hybrid_pack(c, d, (const int8_t *)w);
        b = NULL;
    }
    switch (d->fast.kind) {
    case NPU__FAST_GEMM_F32: npu__conv_fast_pack_f32(c, d, (const float *)w, (const float *)b); break;
    case NPU__FAST_WINO_F32: npu__conv_wino_pack(c, d, (const float *)w, (const float *)b); break;
    case NPU__FAST_GEMM_I8: npu__conv_fast_pack_i8(c, d, (const uint8_t *)w, (const int32_t *)b); break;
    case NPU__FAST_DW_F32:
    case NPU__FAST_DW_I8: npu__dw_fast_pack(c, d, w, b); break;
    case NPU__FAST_GEMV_I8:
        if (d->fast.packed_slot < 0) break;
        npu__gemv_i8_sum_rows(d->fast.gemv_i8, (const uint8_t *)w, d->kind != NPU__CONV_U8, d->fast.n, d->fast.k,
                              (int32_t *)npu__slot(c, d->fast.packed_slot));
        break;
    default: break;
    }
}

/* ---- eval ---- */

typedef struct npu__conv_work {
    npu__ctx             *c;
    const npu__conv_data *d;
    int                   local; /* threads work on their stacks */
} npu__conv_work;

NPU__FN void npu__conv_block_f32(const npu__conv_work *work, const npu__conv_rows *rows, int32_t group,
                                 size_t pixel) {
    const npu__conv_data *d = work->d;
    const npu__conv_fast *f = &d->fast;
    const uint8_t        *all = (const uint8_t *)npu__slot(work->c, f->packed_slot);
    const uint8_t        *packed = all + (size_t)group * f->packed_each;
    float                *out = (float *)work->c->out[0]->data + pixel * (size_t)d->g.out_c + (size_t)group * (size_t)f->n;
    npu__gemm_f32_job     job;
    job.a = rows->a;
    job.m = rows->m;
    job.out_stride = (size_t)d->g.out_c;
    job.lo = d->lo;
    job.hi = d->hi;
    if (f->sparse.kern) f->sparse.kern->run(&job, packed, f->n, (float *)(void *)(rows->scratch + f->at_turned), out);
    else npu__gemm_f32_run(f->gemm_f32, &job, (const float *)(const void *)packed, f->n, out);
}

NPU__FN void npu__conv_block_i8(const npu__conv_work *work, const npu__conv_rows *rows, int32_t group, int32_t image, size_t pixel) {
    const npu__conv_data *d = work->d;
    const npu__conv_fast *f = &d->fast;
    const uint8_t        *all = (const uint8_t *)npu__slot(work->c, f->packed_slot);
    const uint8_t        *packed = all + (size_t)group * f->packed_each;
    int32_t              *adds = (int32_t *)(void *)(rows->scratch + f->at_adds);
    const size_t          out_elem = d->kind == NPU__CONV_HYBRID ? sizeof(float) : 1u;
    npu__i8_floats        floats;
    npu__gemm_i8_job      job;
    job.a = rows->a;
    job.m = rows->m;
    job.row_add = adds;
    job.out_stride = (size_t)d->g.out_c * out_elem;
    job.out = npu__conv_i8_out(d);
    if (d->kind == NPU__CONV_HYBRID) {
        floats = npu__conv_hybrid_floats(work->c, d, image);
        job.out.floats = &floats;
    }
    npu__gemm_i8_row_adds(f->gemm_i8, &rows->a, rows->m, f->run,
                          npu__gemm_i8_delta(d->kind != NPU__CONV_U8, d->w_zp), adds);
    npu__gemm_i8_run(f->gemm_i8, &job, packed, f->n,
                     (uint8_t *)work->c->out[0]->data + pixel * job.out_stride + (size_t)group * (size_t)f->n * out_elem);
}

NPU__FN void npu__conv_rows_init(npu__conv_rows *rows, const npu__conv_work *work, int32_t plane, uint8_t *scratch) {
    const npu__ctx       *c = work->c;
    const npu__conv_data *d = work->d;
    rows->d = d;
    rows->in = (const uint8_t *)c->in[0]->data;
    if (npu__conv_is_raw(d)) rows->in = (const uint8_t *)npu__slot(c, d->in_slot) + (plane ? c->in[0]->bytes / 2 : 0);
    rows->in_zp = plane ? (int8_t)NPU__I16_LOW_ZERO : d->in_zp;
    rows->scratch = scratch + (plane ? d->fast.plane_each : 0);
    npu__conv_rows_start(rows);
}

NPU__FN void npu__conv_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_work *work = (const npu__conv_work *)arg;
    const npu__conv_data *d = work->d;
    const npu__conv_fast *f = &d->fast;
    const size_t          unit = f->width ? (size_t)d->g.out_w : 1; /* pixels */
    const int64_t         units = f->width ? d->g.out_h : (int64_t)d->g.out_h * d->g.out_w; /* of an image */
    const int32_t         planes = d->kind == NPU__CONV_I16 ? 2 : 1;
    const uint8_t        *packed = (const uint8_t *)npu__slot(work->c, f->packed_slot);
    npu__local            local;
    uint8_t              *scratch = (uint8_t *)(void *)local.memory;
    npu__conv_rows        rows[2];
    if (!work->local) scratch = (uint8_t *)npu__slot(work->c, f->scratch_slot) + (size_t)thread * f->scratch_each;
    for (int32_t p = 0; p < planes; p++) npu__conv_rows_init(&rows[p], work, p, scratch);
    while (begin < end) {
        const int32_t image = (int32_t)(begin / units);
        const size_t  pixel = (size_t)begin * unit;
        int64_t       some = NPU__MIN(end - begin, (int64_t)f->block);
        int32_t       took = 1;
        if (d->kind == NPU__CONV_HYBRID) { /* every image has a zero point of its own */
            some = NPU__MIN(some, (image + 1) * units - begin);
            rows[0].in_zp = npu__conv_hybrid_zp(work->c, d, image);
        }
        for (int32_t i = 0; i < f->groups; i++) {
            /* Every group, and plane, takes as many: how many depends on the geometry alone. */
            for (int32_t p = 0; p < planes; p++) took = npu__conv_rows_at(&rows[p], begin, (int32_t)some, i);
            if (f->kind == NPU__FAST_GEMM_F32) npu__conv_block_f32(work, rows, i, pixel);
            else if (d->kind == NPU__CONV_I16) npu__conv_i16_block(work->c, d, rows, packed + (size_t)i * f->packed_each, i, pixel);
            else npu__conv_block_i8(work, rows, i, image, pixel);
        }
        begin += took;
    }
}

NPU__FN void npu__conv_gemv_done(const void *arg, int32_t first, int32_t n, const int32_t *sums) {
    const npu__conv_work *work = (const npu__conv_work *)arg;
    const npu__conv_data *d = work->d;
    const npu__i8_out     out = npu__conv_i8_out(d);
    const int32_t         step = d->mul_slot >= 0;
    d->fast.gemv_i8->finish_fixed(sums, n, npu__conv_qmuls(work->c, d) + (step ? first : 0), step, &out,
                                  (uint8_t *)work->c->out[0]->data + first);
}

NPU__FN void npu__conv_gemv_i8(const npu__conv_work *work, const uint8_t *w, const int32_t *bias) {
    const npu__conv_data *d = work->d;
    npu__gemv_i8          job;
    job.kern = d->fast.gemv_i8;
    job.in = (const uint8_t *)work->c->in[0]->data;
    job.is_signed = d->kind == NPU__CONV_I8;
    job.in_zp = d->in_zp;
    job.w_zp = d->w_zp;
    job.w_sums = d->fast.packed_slot < 0 ? NULL : (const int32_t *)npu__slot(work->c, d->fast.packed_slot);
    job.panels = NULL;
    job.job.w = w;
    job.job.w_stride = (size_t)d->fast.k;
    job.job.k = d->fast.k;
    job.job.bias = bias;
    npu__gemv_i8_all(work->c, &job, d->fast.n, npu__conv_gemv_done, work);
}

/* Each piece of a loop walks over all weights, so rows that share a walk stay together where those come from afar; bands share rows of
 * the input, too. */
NPU__FN int64_t npu__conv_tile(const npu__conv_data *d) {
    const npu__conv_fast *f = &d->fast;
    if (f->sparse.kern && !f->width) return NPU__SPARSE_ROWS; /* each so many are a walk of their own */
    if (f->width || f->packed_each * (size_t)f->groups > NPU__FAST_NEAR_BYTES) return f->block;
    return 4 * (int64_t)npu__conv_mr(f, f->kind == NPU__FAST_GEMM_F32);
}

/* Rows worked on at a time are as many as the arena, or the stack, has room for. */
NPU__FN void npu__conv_gemm(npu__conv_work *work) {
    const npu__conv_fast *f = &work->d->fast;
    const int64_t         pixel_macs = (int64_t)f->n * f->groups * (f->k + (f->kind == NPU__FAST_GEMM_F32 ? 0 : NPU__FAST_OUTPUT_I8));
    const size_t          each = npu__slot_bytes(work->c, f->scratch_slot) / (size_t)npu__ctx_threads(work->c) & ~(size_t)63;
    npu__conv_data        fitted;
    if (each < f->scratch_each) {
        work->local = f->scratch_least == 0 && each < NPU__LOCAL_BYTES;
        fitted = *work->d;
        npu__conv_rows_fit(work->d, &fitted.fast, work->local ? (size_t)NPU__LOCAL_BYTES : each);
        work->d = &fitted;
    }
    npu__parallel_tiles(work->c, npu__conv_rows_count(work->d),
                        (f->kind == NPU__FAST_GEMM_F32 ? NPU__FAST_GRAIN_F32 : NPU__FAST_GRAIN_I8) / NPU__MAX(pixel_macs * (f->width ? work->d->g.out_w : 1), (int64_t)1) + 1,
                        npu__conv_tile(work->d), npu__conv_range, work);
}

NPU__FN npu_status npu__conv_fast_eval(npu__ctx *c, const npu__conv_data *d) {
    const npu__conv_fast *f = &d->fast;
    const npu__val       *bias = npu__opt_in(c, 2);
    const void           *b = bias ? bias->data : NULL;
    npu__conv_work        work;
    work.c = c;
    work.d = d;
    work.local = 0;
    if (d->kind == NPU__CONV_HYBRID) NPU__TRY(npu__conv_hybrid_start(c, d));
    if (d->kind == NPU__CONV_I16) npu__conv_i16_start(c, d);
    switch (f->kind) {
    case NPU__FAST_GEMV_F32:
        npu__gemv_f32_all(c, f->gemv_f32, (const float *)c->in[0]->data,
                          (const float *)npu__weights_data(c, 1, &d->w), (const float *)b, f->n, f->k, d->lo, d->hi,
                          (float *)c->out[0]->data);
        break;
    case NPU__FAST_GEMV_I8:
        if (d->kind == NPU__CONV_HYBRID) npu__conv_hybrid_gemv(c, d);
        else npu__conv_gemv_i8(&work, (const uint8_t *)npu__weights_data(c, 1, &d->w), (const int32_t *)b);
        break;
    case NPU__FAST_DW_F32:
    case NPU__FAST_DW_I8: npu__dw_fast_eval(c, d); break;
    case NPU__FAST_WINO_F32: npu__conv_wino_eval(c, d); break;
    default: npu__conv_gemm(&work); break;
    }
    return NPU_OK;
}
