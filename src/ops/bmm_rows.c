/* BATCH_MATMUL of integers, and of floats with few rows: each row of the left matrix times the right one, whose columns
 * lie as rows of bytes, as they are in the file where it is transposed. Sums are exact, what follows is the reference's. */
#include "batch_matmul.h"
NPU__SPEED_BEGIN

#define NPU__BMM_ROWS_FEW 3 /* from more rows on packing or splitting the right matrix pays */
#define NPU__BMM_ROWS_GRAIN 40000
#define NPU__BMM_ROWS_MACS ((int64_t)1 << 24)   /* of a product that one thread may do alone */
#define NPU__BMM_ROWS_TURNED ((int64_t)1 << 18) /* elements of a right matrix that each thread may turn for itself */
#define NPU__BMM_EXACT_I16 256 /* products of int16 and a byte that 32 bits hold the sum of */
#define NPU__BMM_EXACT_I8 496  /* of int16 and int8 */

NPU__FN npu_status npu__bmm_rows_prepare(npu__ctx *c, npu__bmm_data *d) {
    npu__bmm_rows          *f = &d->rows;
    const npu__matmul_geom *g = &d->g;
    const size_t            threads = (size_t)npu__ctx_threads(c), planes = d->kind == NPU__BMM_I16 ? 2 : 1;
    const int64_t           macs = npu__sat_mul((int64_t)g->n * g->k, g->m);
    size_t                  all, turned;
    if (g->m < 1 || g->n < 1 || g->k < 1 || d->batches < 1 || g->n > 1 << 28 || g->k > 1 << 28) return NPU_OK;
    f->by_product = d->batches > 1 && macs <= NPU__BMM_ROWS_MACS;
    if (d->kind == NPU__BMM_F32) {
        if (g->m <= NPU__BMM_ROWS_FEW && g->a_k == 1) f->kern_f32 = npu__gemv_f32_select(npu__ctx_isa(c));
        f->columns = g->b_k != 1;
        if (f->kern_f32) d->kernel = f->columns ? "matmul_row_f32" : f->kern_f32->name;
        return NPU_OK;
    }
    f->kern = npu__gemv_i8_select(npu__ctx_isa(c));
    if (!f->kern) return NPU_OK;
    f->columns = planes > 1 && g->m <= NPU__BMM_ROWS_FEW;
    d->kernel = f->columns ? "matmul_row_i16" : f->kern->name;
    f->turned = !f->columns && (planes > 1 || g->b_k != 1);
    if (f->turned && (int64_t)g->n * g->k > NPU__BMM_ROWS_TURNED) f->by_product = 0;
    f->at_sums = npu__align_up((size_t)g->k * sizeof(int16_t), 64);
    f->at_acc = f->at_sums + npu__align_up((size_t)g->n * planes * sizeof(int32_t), 64);
    f->each = f->at_acc;
    if (d->kind == NPU__BMM_I16 || d->kind == NPU__BMM_I16_I8) f->each += npu__align_up((size_t)g->n * sizeof(int64_t), 64);
    if (!npu__mul_size(f->each, threads, &all)) all = SIZE_MAX / 2;
    f->slot = npu__want_scratch(c, all);
    if (!npu__mul_size((size_t)g->n * planes, (size_t)g->k, &f->turned_bytes)) f->turned_bytes = SIZE_MAX / 2;
    if (!f->turned) f->turned_bytes = 0;
    f->turned_bytes = npu__align_up(f->turned_bytes, 64);
    if (!npu__mul_size(f->turned_bytes, f->by_product ? threads : 1, &turned)) turned = SIZE_MAX / 2;
    f->turned_slot = npu__want_scratch(c, turned);
    return f->slot < 0 || f->turned_slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* What the threads share, and the product that they are at. */
typedef struct npu__bmm_rows_job {
    npu__ctx            *c;
    const npu__bmm_data *d;
    npu__bmm_at_fn       at;
    npu__i8_out          out;
    int64_t              product, a, b; /* a, b: elements from the start of their tensors */
} npu__bmm_rows_job;

NPU__FN uint8_t *npu__bmm_turned(const npu__bmm_rows_job *job, int32_t thread) {
    const npu__bmm_rows *f = &job->d->rows;
    return (uint8_t *)npu__slot(job->c, f->turned_slot) + (f->by_product ? (size_t)thread * f->turned_bytes : 0);
}

/* Columns [begin, end) of the right matrix to rows of bytes; some at a time, so that both sides are read and written in runs. */
NPU__FN void npu__bmm_turn(const npu__bmm_rows_job *job, int64_t begin, int64_t end, uint8_t *to) {
    const npu__matmul_geom *g = &job->d->g;
    const int64_t           k = g->k;
    const int16_t          *words;
    if (job->d->kind != NPU__BMM_I16) {
        npu__turn_bytes((const uint8_t *)job->c->in[1]->data + job->b, g->k, g->n, (int32_t)begin, (int32_t)end, to);
        return;
    }
    words = (const int16_t *)job->c->in[1]->data + job->b;
    for (int64_t n0 = begin; n0 < end; n0 += 16) {
        for (int64_t i = 0; i < k; i++) {
            for (int64_t n = n0; n < NPU__MIN(n0 + 16, end); n++) {
                const uint32_t v = (uint32_t)words[n * g->b_n + i * g->b_k];
                to[n * k + i] = (uint8_t)(v & 0xFFu);
                to[(g->n + n) * k + i] = (uint8_t)(v >> 8 & 0xFFu);
            }
        }
    }
}

/* Row m of the left matrix, as int16 around 0. */
NPU__FN const int16_t *npu__bmm_row(const npu__bmm_rows_job *job, int64_t m, int16_t *to) {
    const npu__bmm_data    *d = job->d;
    const npu__matmul_geom *g = &d->g;
    if (d->kind == NPU__BMM_HYBRID) {
        const int8_t *q = (const int8_t *)npu__slot(job->c, d->in_slot) + job->a + m * g->k;
        d->rows.kern->stage((const uint8_t *)q, to, g->k, 1, ((const int32_t *)npu__slot(job->c, d->zp_slot))[job->a / g->k + m]);
    } else if (d->kind == NPU__BMM_I16 || d->kind == NPU__BMM_I16_I8) {
        const int16_t *a = (const int16_t *)job->c->in[0]->data + job->a + m * g->a_m;
        if (g->a_k == 1) return a;
        for (int64_t i = 0; i < g->k; i++) to[i] = a[i * g->a_k];
    } else {
        const int8_t *a = (const int8_t *)job->c->in[0]->data + job->a + m * g->a_m;
        if (g->a_k == 1) d->rows.kern->stage((const uint8_t *)a, to, g->k, 1, d->a_zp);
        for (int64_t i = 0; g->a_k != 1 && i < g->k; i++) to[i] = (int16_t)(a[i * g->a_k] - d->a_zp);
    }
    return to;
}

/* Columns [n0, n1) of a row of int16 sums: of as many products at a time as 32 bits hold. */
NPU__FN void npu__bmm_wide(const npu__bmm_rows_job *job, npu__gemv_i8_job *v, int32_t n0, int32_t n1, int32_t *sums,
                           int64_t *acc, int16_t *out) {
    const npu__bmm_data *d = job->d;
    const int            two = !d->rows.columns && d->kind == NPU__BMM_I16;
    const int16_t       *a = v->a;
    const uint8_t       *low = v->w, *high = two ? low + (size_t)d->g.n * (size_t)d->g.k : low;
    const int32_t        step = two ? NPU__BMM_EXACT_I16 : NPU__BMM_EXACT_I8;
    int32_t             *sums_high = two ? sums + d->g.n : sums;
    npu__ref_out         q = d->q;
    q.mul = &d->mul;
    if (d->rows.columns) {
        npu__matmul_row_i16(a, (const int16_t *)job->c->in[1]->data + job->b, d->g.k, d->g.b_k, d->g.b_n, n0, n1, acc);
    }
    for (int32_t i = 0; i < d->g.k && !d->rows.columns; i += step) {
        v->a = a + i;
        v->k = NPU__MIN(step, d->g.k - i);
        v->w = low + i;
        v->w_signed = !two;
        d->rows.kern->run(v, n0, n1, sums);
        if (two) {
            v->w = high + i;
            v->w_signed = 1;
            d->rows.kern->run(v, n0, n1, sums_high);
        }
        for (int32_t n = n0; n < n1; n++)
            acc[n] = (i ? acc[n] : 0) + sums[n] + (two ? (int64_t)sums_high[n] * 256 : 0);
    }
    for (int32_t n = n0; n < n1; n++) out[n] = (int16_t)npu__ref_out64(&q, 0, acc[n]);
}

/* Rows [m0, m1), columns [n0, n1) of the product that the job is at. */
NPU__FN void npu__bmm_cells(const npu__bmm_rows_job *job, int64_t m0, int64_t m1, int32_t n0, int32_t n1, int32_t thread) {
    const npu__bmm_data *d = job->d;
    const npu__bmm_rows *f = &d->rows;
    const npu_quant     *wq = &job->c->in[1]->t->quant;
    uint8_t             *scratch = (uint8_t *)npu__slot(job->c, f->slot) + (size_t)thread * f->each;
    int32_t             *sums = (int32_t *)(void *)(scratch + f->at_sums);
    npu__gemv_i8_job     v;
    memset(&v, 0, sizeof v);
    v.w = f->turned ? npu__bmm_turned(job, thread) : f->columns ? NULL : (const uint8_t *)job->c->in[1]->data + job->b;
    v.w_stride = (size_t)d->g.k;
    v.w_signed = 1;
    v.k = d->g.k;
    for (int64_t m = m0; m < m1; m++) {
        const int64_t at = (job->product * d->g.m + m) * d->g.n;
        v.k = d->g.k;
        v.a = npu__bmm_row(job, m, (int16_t *)(void *)scratch);
        /* sum(a * (b - zp)) = sum(a * b) - zp * sum(a), modulo 2^32 */
        v.add = d->b_zp ? (int32_t)((uint32_t)f->kern->sum(v.a, v.k) * (uint32_t)-d->b_zp) : 0;
        if (d->kind == NPU__BMM_I16 || d->kind == NPU__BMM_I16_I8) {
            const uint8_t *w = v.w;
            npu__bmm_wide(job, &v, n0, n1, sums, (int64_t *)(void *)(scratch + f->at_acc), (int16_t *)job->c->out[0]->data + at);
            v.w = w;
            continue;
        }
        f->kern->run(&v, n0, n1, sums);
        if (d->kind == NPU__BMM_I8) {
            f->kern->finish_fixed(sums + n0, n1 - n0, &d->mul, 0, &job->out, (uint8_t *)job->c->out[0]->data + at + n0);
        } else if (d->kind == NPU__BMM_HYBRID) {
            const float scale = ((const float *)npu__slot(job->c, d->scale_slot))[job->a / d->g.k + m];
            f->kern->finish_float(sums + n0, n1 - n0, scale, wq->scale + (wq->count > 1 ? n0 : 0), wq->count > 1, NULL,
                                  (float *)job->c->out[0]->data + at + n0);
        } else {
            memcpy((int32_t *)job->c->out[0]->data + at + n0, sums + n0, (size_t)(n1 - n0) * sizeof *sums);
        }
    }
}

NPU__FN void npu__bmm_cells_f32(const npu__bmm_rows_job *job, int64_t m0, int64_t m1, int32_t n0, int32_t n1) {
    const npu__matmul_geom *g = &job->d->g;
    npu__gemv_f32_job       v;
    float                  *out;
    memset(&v, 0, sizeof v);
    v.w = (const float *)job->c->in[1]->data + job->b;
    v.k = g->k;
    v.lo = -INFINITY;
    v.hi = INFINITY;
    for (int64_t m = m0; m < m1; m++) {
        v.a = (const float *)job->c->in[0]->data + job->a + m * g->a_m;
        out = (float *)job->c->out[0]->data + (job->product * g->m + m) * g->n;
        if (job->d->rows.columns) npu__matmul_row_f32(v.a, v.w, g->k, g->n, n0, n1, out);
        else job->d->rows.kern_f32->run(&v, n0, n1, out);
    }
}

NPU__FN void npu__bmm_rows_cells(const npu__bmm_rows_job *job, int64_t m0, int64_t m1, int64_t n0, int64_t n1, int32_t thread) {
    if (job->d->rows.kern_f32) npu__bmm_cells_f32(job, m0, m1, (int32_t)n0, (int32_t)n1);
    else npu__bmm_cells(job, m0, m1, (int32_t)n0, (int32_t)n1, thread);
}
NPU__FN void npu__bmm_range_products(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__bmm_rows_job       job = *(const npu__bmm_rows_job *)arg;
    const npu__matmul_geom *g = &job.d->g;
    for (job.product = begin; job.product < end; job.product++) {
        job.at(job.c, job.product, &job.a, &job.b);
        if (job.d->rows.turned) npu__bmm_turn(&job, 0, g->n, npu__bmm_turned(&job, thread));
        npu__bmm_rows_cells(&job, 0, g->m, 0, g->n, thread);
    }
}
NPU__FN void npu__bmm_range_turn(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__bmm_turn((const npu__bmm_rows_job *)arg, begin, end, npu__bmm_turned((const npu__bmm_rows_job *)arg, thread));
}
NPU__FN void npu__bmm_range_of_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__bmm_rows_job *job = (const npu__bmm_rows_job *)arg;
    npu__bmm_rows_cells(job, begin, end, 0, job->d->g.n, thread);
}
NPU__FN void npu__bmm_range_columns(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__bmm_rows_job *job = (const npu__bmm_rows_job *)arg;
    npu__bmm_rows_cells(job, 0, job->d->g.m, begin, end, thread);
}
NPU__SPEED_END

NPU__FN npu_status npu__bmm_rows_eval(npu__ctx *c, npu__bmm_at_fn at) {
    const npu__bmm_data    *d = (const npu__bmm_data *)c->data;
    const npu__matmul_geom *g = &d->g;
    const int64_t           row = (int64_t)g->n * g->k, column = (int64_t)g->m * g->k;
    npu__bmm_rows_job       job;
    memset(&job, 0, sizeof job);
    job.c = c;
    job.d = d;
    job.at = at;
    job.out = npu__i8_out_of(1, d->q.zp, d->q.lo, d->q.hi);
    if (d->rows.by_product) {
        npu__parallel(c, d->batches, NPU__BMM_ROWS_GRAIN / npu__sat_mul(row, g->m) + 1, npu__bmm_range_products, &job);
        return NPU_OK;
    }
    for (job.product = 0; job.product < d->batches; job.product++) {
        at(c, job.product, &job.a, &job.b);
        if (d->rows.turned) npu__parallel(c, g->n, NPU__BMM_ROWS_GRAIN / g->k + 1, npu__bmm_range_turn, &job);
        /* Few rows: threads share their columns, and each reads the rows again. */
        if (g->m < 4 * npu__ctx_threads(c)) {
            npu__parallel(c, g->n, NPU__BMM_ROWS_GRAIN / column + 16, npu__bmm_range_columns, &job);
        } else {
            npu__parallel(c, g->m, NPU__BMM_ROWS_GRAIN / row + 1, npu__bmm_range_of_rows, &job);
        }
        NPU__POLL(c, g->m);
    }
    return NPU_OK;
}
