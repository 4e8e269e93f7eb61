/* BATCH_MATMUL: [..., m, k] times [..., k, n]; the leading dimensions broadcast, either side may be transposed. */
#include "batch_matmul.h"

NPU__FN npu_status npu__bmm_shape(npu__ctx *c, npu__shape *out, npu__matmul_geom *g) {
    const npu__val *a = c->in[0], *b = c->in[1];
    const npu__opts_BatchMatMulOptions *o = NPU__OPTIONS(c->node, BatchMatMulOptions);
    const int       adj_x = o->adj_x;
    const int       adj_y = o->adj_y;
    npu__shape      batch_a, batch_b;
    NPU__TRY(npu__need_rank(c, a, "the left matrix", 2, NPU_MAX_RANK));
    NPU__TRY(npu__need_rank(c, b, "the right matrix", 2, NPU_MAX_RANK));
    g->m = npu__dim(a, adj_x ? -1 : -2);
    g->k = npu__dim(a, adj_x ? -2 : -1);
    g->n = npu__dim(b, adj_y ? -2 : -1);
    /* Strides instead of copies: a transposed matrix is read along its columns. */
    g->a_m = adj_x ? 1 : g->k;
    g->a_k = adj_x ? g->m : 1;
    g->b_n = adj_y ? g->k : 1;
    g->b_k = adj_y ? 1 : g->n;
    if (g->k != npu__dim(b, adj_y ? -1 : -2)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "batch_matmul.depth", "the matrices do not fit: %d columns times %d "
                         "rows", g->k, npu__dim(b, adj_y ? -1 : -2));
    }
    batch_a = a->shape;
    batch_a.rank -= 2;
    batch_b = b->shape;
    batch_b.rank -= 2;
    NPU__TRY(npu__broadcast_shape(c, &batch_a, &batch_b, out));
    out->dims[out->rank] = g->m;
    out->dims[out->rank + 1] = g->n;
    out->rank += 2;
    return NPU_OK;
}

NPU__FN npu_status npu__bmm_infer(npu__ctx *c) {
    npu__matmul_geom g;
    npu__shape       s;
    NPU__TRY(npu__bmm_shape(c, &s, &g));
    return npu__set_shape(c, 0, &s);
}

NPU__FN int32_t npu__bmm_kind(int32_t a, int32_t b, int32_t out) {
    if (a == NPU_FLOAT32 && out == NPU_FLOAT32) {
        return b == NPU_FLOAT32 ? NPU__BMM_F32 : b == NPU_INT8 ? NPU__BMM_HYBRID : -1;
    }
    if (a == NPU_INT8 && b == NPU_INT8) {
        return out == NPU_INT8 ? NPU__BMM_I8 : out == NPU_INT32 ? NPU__BMM_I8_I32 : -1;
    }
    if (a == NPU_INT16 && out == NPU_INT16) {
        return b == NPU_INT16 ? NPU__BMM_I16 : b == NPU_INT8 ? NPU__BMM_I16_I8 : -1;
    }
    return -1;
}

/* Distance of neighbouring matrices of `v` along each leading dimension of the output. */
NPU__FN void npu__bmm_steps(const npu__val *v, int32_t out_rank, int64_t *steps) {
    int64_t step = (int64_t)npu__dim(v, -1) * npu__dim(v, -2);
    for (int32_t i = 3; i <= out_rank; i++) {
        int32_t n = i <= v->shape.rank ? v->shape.dims[v->shape.rank - i] : 1;
        /* numpy's rule: what the shape lacks in front, or has once, is used again for every entry. */
        steps[out_rank - i] = n == 1 ? 0 : step;
        step *= n;
    }
}

NPU__FN npu_status npu__bmm_prepare_int(npu__ctx *c, npu__bmm_data *d) {
    const npu__val *a = c->in[0], *b = c->in[1], *out = c->out[0];
    if (d->kind == NPU__BMM_I8_I32) return NPU_OK;
    NPU__TRY(npu__need_quant(c, a, "the left matrix"));
    NPU__TRY(npu__need_quant(c, b, "the right matrix"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    d->a_zp = npu__zero_point(a);
    d->b_zp = npu__zero_point(b);
    if (d->kind != NPU__BMM_I8 && (d->a_zp != 0 || d->b_zp != 0 || npu__zero_point(out) != 0)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "batch_matmul.zero_point_int16", "zero points must be 0 beside int16");
    }
    /* TFLite takes the scale of a tensor with several of them for 0 here: the output is its zero point everywhere. */
    if (a->t->quant.count == 1 && b->t->quant.count == 1 && out->t->quant.count == 1) {
        d->mul = npu__qmul_of((double)(npu__scale(a) * npu__scale(b)) / (double)npu__scale(out));
    }
    d->q.zp = npu__zero_point(out);
    return npu__act_range_q(c, NPU__ACT_NONE, out, &d->q.lo, &d->q.hi);
}

NPU__FN npu_status npu__bmm_prepare_hybrid(npu__ctx *c, npu__bmm_data *d) {
    const npu__val *a = c->in[0];
    const size_t    rows = d->g.k ? (size_t)(npu__elems(a) / d->g.k) : 0;
    NPU__TRY(npu__need_weight_scales(c, c->in[1], d->g.n, 0));
    d->adj_x = NPU__OPTIONS(c->node, BatchMatMulOptions)->adj_x;
    d->asymmetric = NPU__OPTIONS(c->node, BatchMatMulOptions)->asymmetric_quantize_inputs;
    d->in_slot = npu__want_scratch(c, (size_t)npu__elems(a));
    d->row_slot = npu__want_scratch(c, (size_t)d->g.k * sizeof(float));
    d->scale_slot = npu__want_scratch(c, rows * sizeof(float));
    d->zp_slot = npu__want_scratch(c, rows * sizeof(int32_t));
    return d->in_slot < 0 || d->row_slot < 0 || d->scale_slot < 0 || d->zp_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__bmm_prepare(npu__ctx *c) {
    npu__bmm_data *d = (npu__bmm_data *)c->data;
    NPU__TRY(npu__bmm_shape(c, &d->batch, &d->g));
    npu__bmm_steps(c->in[0], d->batch.rank, d->a_step);
    npu__bmm_steps(c->in[1], d->batch.rank, d->b_step);
    d->batch.rank -= 2;
    d->batches = npu__dims_product(&d->batch, 0, d->batch.rank);
    d->kind = npu__bmm_kind(c->in[0]->type, c->in[1]->type, c->out[0]->type);
    if (d->kind < 0) return npu__fail_types(c);
    NPU__TRY(npu__need_dense(c, c->in[0]));
    NPU__TRY(npu__need_dense(c, c->in[1]));
    d->kernel = "reference";
    if (d->kind == NPU__BMM_HYBRID) NPU__TRY(npu__bmm_prepare_hybrid(c, d));
    else if (d->kind != NPU__BMM_F32) NPU__TRY(npu__bmm_prepare_int(c, d));
    NPU__TRY(npu__bmm_rows_prepare(c, d));
    if (d->kind == NPU__BMM_F32 && !d->rows.kern_f32) {
        NPU__TRY(npu__bmm_fast_prepare(c, &d->g, &d->fast));
        if (d->fast.gemm) d->kernel = d->fast.gemm->name;
    }
    return NPU_OK;
}

/* Quantizes the rows of the left matrices, after transposition, to [rows][k]. Each row keeps its own scale; TFLite's
 * reference kernel mixes the scales up where the left side has two leading dimensions (its delegate does not). */
NPU__FN npu_status npu__bmm_quantize(npu__ctx *c, const npu__bmm_data *d) {
    const float  *x = (const float *)c->in[0]->data;
    int8_t       *q = (int8_t *)npu__slot(c, d->in_slot);
    float        *row = (float *)npu__slot(c, d->row_slot), *scale = (float *)npu__slot(c, d->scale_slot);
    int32_t      *zp = (int32_t *)npu__slot(c, d->zp_slot);
    const int64_t k = d->g.k, rows = npu__elems(c->in[0]) / k;
    int64_t       done = 0;
    if (!d->adj_x) {
        return npu__quantize_input(c, d->rows.kern ? d->rows.kern->minmax : npu__minmax_f32,
                                   d->rows.kern ? d->rows.kern->quantize : npu__quantize_f32, x, rows, k, d->asymmetric, q, scale, zp);
    }
    for (int64_t r = 0; r < rows; r++) {
        /* Row r of the transposed matrix is a column of matrix r / m, whose rows have m elements. */
        const float *from = x + r / d->g.m * d->g.m * k + r % d->g.m;
        for (int64_t i = 0; i < k; i++) row[i] = from[i * d->g.m];
        npu__quantize_rows(row, 1, k, d->asymmetric, q + r * k, scale + r, zp + r);
        NPU__POLL_PASS(c, done, 3 * k);
    }
    return NPU_OK;
}

/* One product; a, b and out in elements from the start of their tensors. */
typedef struct npu__bmm_one {
    npu__ctx           *c;
    const npu__ref_out *q;
    int64_t             a, b, out;
} npu__bmm_one;

/* The rows were transposed while they were quantized. */
NPU__FN void npu__bmm_hybrid_part(const npu__bmm_one *p, int64_t begin, int64_t end) {
    npu__ctx           *c = p->c;
    const npu__bmm_data *d = (const npu__bmm_data *)c->data;
    const npu_quant    *wq = &c->in[1]->t->quant;
    npu__matmul_geom    g = d->g;
    const int64_t       row = p->a / g.k;
    g.a_m = g.k;
    g.a_k = 1;
    npu__ref_matmul_hybrid(&g, (const int8_t *)npu__slot(c, d->in_slot) + p->a,
                           (const float *)npu__slot(c, d->scale_slot) + row,
                           (const int32_t *)npu__slot(c, d->zp_slot) + row, (const int8_t *)c->in[1]->data + p->b,
                           wq->scale, wq->count > 1, (float *)c->out[0]->data + p->out, begin, end);
}

NPU__FN void npu__bmm_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__bmm_one  *p = (const npu__bmm_one *)arg;
    const npu__bmm_data *d = (const npu__bmm_data *)p->c->data;
    const int64_t        a = p->a, b = p->b, out = p->out;
    const void          *pa = p->c->in[0]->data, *pb = p->c->in[1]->data;
    void                *po = p->c->out[0]->data;
    (void)thread;
    switch (d->kind) {
    case NPU__BMM_F32:
        npu__ref_matmul_f32(&d->g, (const float *)pa + a, (const float *)pb + b, (float *)po + out, begin, end);
        break;
    case NPU__BMM_I8:
        npu__ref_matmul_i8(&d->g, p->q, (const int8_t *)pa + a, d->a_zp, (const int8_t *)pb + b, d->b_zp,
                           (int8_t *)po + out, begin, end);
        break;
    case NPU__BMM_I8_I32:
        npu__ref_matmul_i8_i32(&d->g, (const int8_t *)pa + a, (const int8_t *)pb + b, (int32_t *)po + out, begin, end);
        break;
    case NPU__BMM_I16:
        npu__ref_matmul_i16(&d->g, p->q, (const int16_t *)pa + a, (const int16_t *)pb + b, (int16_t *)po + out, begin,
                            end);
        break;
    case NPU__BMM_I16_I8:
        npu__ref_matmul_i16_i8(&d->g, p->q, (const int16_t *)pa + a, (const int8_t *)pb + b, (int16_t *)po + out, begin,
                               end);
        break;
    default: npu__bmm_hybrid_part(p, begin, end); break;
    }
}

/* Offsets of the matrices that product `i` multiplies. */
NPU__FN void npu__bmm_at(const npu__ctx *c, int64_t i, int64_t *a, int64_t *b) {
    const npu__bmm_data *d = (const npu__bmm_data *)c->data;
    *a = *b = 0;
    for (int32_t k = d->batch.rank - 1; k >= 0; k--) {
        *a += i % d->batch.dims[k] * d->a_step[k];
        *b += i % d->batch.dims[k] * d->b_step[k];
        i /= d->batch.dims[k];
    }
}

NPU__FN npu_status npu__bmm_eval(npu__ctx *c) {
    const npu__bmm_data *d = (const npu__bmm_data *)c->data;
    npu__ref_out         q = d->q;
    npu__bmm_one         one;
    if (c->out[0]->bytes == 0) return NPU_OK;
    if (d->g.k == 0) { /* sums of nothing */
        memset(c->out[0]->data, d->kind == NPU__BMM_I8 ? d->q.zp : 0, c->out[0]->bytes);
        return NPU_OK;
    }
    if (d->fast.gemm) {
        npu__bmm_fast_eval(c, &d->g, &d->fast, d->batches, npu__bmm_at);
        return NPU_OK;
    }
    q.mul = &d->mul;
    if (d->kind == NPU__BMM_HYBRID) NPU__TRY(npu__bmm_quantize(c, d));
    if (d->rows.kern || d->rows.kern_f32) return npu__bmm_rows_eval(c, npu__bmm_at);
    one.c = c;
    one.q = &q;
    for (int64_t i = 0; i < d->batches; i++) {
        const int64_t size = (int64_t)d->g.m * d->g.n;
        npu__bmm_at(c, i, &one.a, &one.b);
        one.out = i * size;
        npu__parallel(c, size, 100000 / d->g.k + 1, npu__bmm_part, &one);
        NPU__POLL(c, size * d->g.k);
    }
    return NPU_OK;
}

/* Where a matrix is multiplied many times, it is also packed as often: with one row, that is as much again. */
NPU__FN npu__work npu__bmm_count(const npu__ctx *c) {
    const npu__bmm_data *d = (const npu__bmm_data *)c->data;
    npu__work            w = npu__work_macs(c, npu__sat_mul(npu__elems(c->out[0]), d->g.k));
    if (d->g.m > 0) w.steps = npu__sat_add(w.steps, w.macs / d->g.m);
    return w;
}

NPU__OPDEF(npu__op_batch_matmul) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__bmm_data), npu__bmm_infer,
                                                npu__bmm_prepare, NULL, npu__bmm_eval, npu__bmm_count};
