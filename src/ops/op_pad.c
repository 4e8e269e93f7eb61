/* PAD, PADV2, MIRROR_PAD: a border around a tensor, of one value or of its own mirror image. */
#include "pad.h"

/* Cells before and after, per dimension. Dimensions behind `last` have no border: runs of `unit` elements. */
typedef struct npu__pad_border {
    int32_t last;
    int64_t unit;
    int64_t before[NPU_MAX_RANK], after[NPU_MAX_RANK];
} npu__pad_border;

NPU__FN npu_status npu__pad_read(npu__ctx *c, npu__pad_border *b) {
    const npu__shape *in = &c->in[0]->shape;
    b->last = -1;
    for (int32_t d = 0; d < in->rank; d++) {
        b->before[d] = npu__int_at(c->in[1], 2 * d);
        b->after[d] = npu__int_at(c->in[1], 2 * d + 1);
        if (b->before[d] < 0 || b->after[d] < 0 || b->before[d] > INT32_MAX || b->after[d] > INT32_MAX) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "pad.paddings",
                             "paddings must be in [0, 2147483647]: dimension %d has %l and %l", d, b->before[d],
                             b->after[d]);
        }
        if (b->before[d] || b->after[d]) b->last = d;
    }
    b->unit = b->last < 0 ? 0 : npu__dims_product(in, b->last + 1, in->rank);
    return NPU_OK;
}

NPU__FN npu_status npu__pad_check_matrix(npu__ctx *c) {
    const npu__val *p = c->in[1];
    if (p->type != NPU_INT32 && p->type != NPU_INT64 && p->type != NPU_INT16 && p->type != NPU_INT8) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "op.type", "paddings must be INT8, INT16, INT32 or INT64: got %s",
                         npu_type_name((npu_type)p->type));
    }
    NPU__TRY(npu__need_rank(c, p, "the paddings", 2, 2));
    if (p->shape.dims[0] != c->in[0]->shape.rank || p->shape.dims[1] != 2) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "pad.matrix", "paddings must have the shape [%d, 2]: got [%d, %d]",
                         c->in[0]->shape.rank, p->shape.dims[0], p->shape.dims[1]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__pad_infer(npu__ctx *c) {
    npu__pad_border b;
    npu__shape      s = c->in[0]->shape;
    NPU__TRY(npu__pad_check_matrix(c));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__pad_read(c, &b));
    for (int32_t d = 0; d < s.rank; d++) {
        NPU__TRY(npu__dim_value(c, c->in[1], s.dims[d] + b.before[d] + b.after[d], &s.dims[d]));
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN int npu__pad_is_quantized(const npu__val *in) {
    return in->type == NPU_UINT8 || ((in->type == NPU_INT8 || in->type == NPU_INT16) && npu__has_quant(in));
}

NPU__FN npu_status npu__pad_check(npu__ctx *c) {
    const npu__val *value = npu__opt_in(c, 2), *out = c->out[0];
    int32_t         lo, hi;
    NPU__TRY(npu__need_moved_type(c, c->in[0], out));
    if (npu__elem_bytes(out->type) == 0) return npu__fail_types(c);
    if (value) {
        if (value->type != out->type) return npu__fail_types(c);
        if (npu__elems(value) != 1) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "pad.value", "the value must be one number: got %l",
                             npu__elems(value));
        }
        /* The value is copied as it is stored: in another scale it would be another number. */
        return npu__pad_is_quantized(c->in[0]) ? npu__need_same_quant(c, value, out) : NPU_OK;
    }
    if (npu__pad_is_quantized(c->in[0]) && npu__type_range(out->type, &lo, &hi) &&
        (npu__params_zero(out) < lo || npu__params_zero(out) > hi)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.quant_zero_point",
                         "zero point of the output must be in [%d, %d]: got %d", lo, hi, npu__params_zero(out));
    }
    return NPU_OK;
}

/* The input's rows as they lie in the output: what is between two of them is filled in one go, over the ends of dimensions. */
typedef struct npu__pad_data {
    npu__move move;
    uint8_t   fill[16];
} npu__pad_data;

typedef struct npu__pad_job {
    const npu__move *m;
    const uint8_t   *src, *fill;
    uint8_t         *dst;
    int64_t          rows, bytes, elem; /* of the output */
    uint8_t          some[64];          /* elements to fill with: what most gaps need */
} npu__pad_job;

NPU__FN npu_status npu__pad_layout(npu__ctx *c, npu__pad_data *d) {
    const npu__val *in = c->in[0], *out = c->out[0];
    npu__move      *m = &d->move;
    int64_t         from[NPU_MAX_RANK], to[NPU_MAX_RANK];
    int32_t         zero;
    npu__pad_border b;
    memset(d, 0, sizeof *d);
    NPU__TRY(npu__pad_read(c, &b));
    npu__dense_strides(&in->shape, from);
    npu__dense_strides(&out->shape, to);
    for (int32_t i = 0; i < in->shape.rank; i++) {
        m->box.to += b.before[i] * to[i];
        npu__box_add(&m->box, m->dim, in->shape.dims[i], from[i], to[i]);
    }
    npu__box_done(&m->box, m->dim, in->type);
    m->box.kernel = "pad";
    m->box.ready = 1;
    zero = npu__pad_is_quantized(in) ? npu__params_zero(out) : 0; /* little-endian: low bytes first */
    memcpy(d->fill, &zero, NPU__MIN(npu__elem_bytes(out->type), sizeof zero));
    return NPU_OK;
}

NPU__FN int npu__pad_border_of(const npu__ctx *c, npu__padding *p) {
    static const uint8_t none[16] = {0};
    const npu__pad_data *d = (const npu__pad_data *)c->data;
    const npu__val      *value = npu__opt_in(c, 2), *in = c->in[0];
    npu__pad_border      b;
    if (!d->move.box.ready || in->shape.rank != 4 || npu__pad_read((npu__ctx *)(uintptr_t)c, &b) != NPU_OK) return 0;
    if (b.before[0] || b.after[0] || b.before[3] || b.after[3]) return 0;
    if (value && (!value->data || memcmp(value->data, npu__pad_is_quantized(in) ? d->fill : none, npu__elem_bytes(in->type)) != 0)) {
        return 0;
    }
    p->top = (int32_t)b.before[1]; /* bounded: by npu__pad_read */
    p->bottom = (int32_t)b.after[1];
    p->left = (int32_t)b.before[2];
    p->right = (int32_t)b.after[2];
    return 1;
}

NPU__FN npu_status npu__pad_prepare(npu__ctx *c) {
    npu__pad_data *d = (npu__pad_data *)c->data;
    NPU__TRY(npu__pad_check(c));
    if (npu__values_known(c->in[1])) return npu__pad_layout(c, d);
    d->move.box.kernel = "pad";
    return NPU_OK;
}

/* Where row `row` lies, in the input and in the output. */
NPU__FN void npu__pad_seek(const npu__move *m, int64_t row, int64_t *at, int64_t *from, int64_t *to) {
    *from = m->box.from;
    *to = m->box.to;
    for (int32_t d = m->box.rank - 1; d >= 0; d--) {
        at[d] = row % m->dim[d].n;
        row /= m->dim[d].n;
        *from += at[d] * m->dim[d].from;
        *to += at[d] * m->dim[d].to;
    }
}

/* Rows [begin, end), each with what is before it; the last with what is behind it. */
NPU__FN void npu__pad_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__pad_job *job = (const npu__pad_job *)arg;
    const npu__move    *m = job->m;
    int64_t             at[NPU_MAX_RANK], from, to, filled = 0;
    (void)thread;
    if (begin > 0) {
        npu__pad_seek(m, begin - 1, at, &from, &to);
        filled = to + m->box.unit;
    }
    npu__pad_seek(m, begin, at, &from, &to);
    for (int64_t row = begin; row < end; row++) {
        const size_t gap = (size_t)(to - filled);
        if (gap <= sizeof job->some) npu__copy_run(job->dst + filled, job->some, gap);
        else npu__fill_run(job->dst + filled, job->fill, (to - filled) / job->elem, (size_t)job->elem);
        npu__copy_run(job->dst + to, job->src + from, (size_t)m->box.unit);
        filled = to + m->box.unit;
        for (int32_t d = m->box.rank - 1; d >= 0; d--) {
            from += m->dim[d].from;
            to += m->dim[d].to;
            if (++at[d] < m->dim[d].n) break;
            from -= m->dim[d].from * m->dim[d].n;
            to -= m->dim[d].to * m->dim[d].n;
            at[d] = 0;
        }
    }
    if (end == job->rows) npu__fill_run(job->dst + filled, job->fill, (job->bytes - filled) / job->elem, (size_t)job->elem);
}

NPU__FN npu_status npu__pad_eval(npu__ctx *c) {
    const npu__val      *in = c->in[0], *out = c->out[0], *value = npu__opt_in(c, 2);
    const npu__pad_data *d = (const npu__pad_data *)c->data;
    npu__pad_data        now;
    npu__pad_job         job;
    if (out->bytes == 0) return NPU_OK;
    if (!d->move.box.ready) {
        NPU__TRY(npu__pad_layout(c, &now));
        d = &now;
    }
    job.m = &d->move;
    job.fill = value ? (const uint8_t *)value->data : d->fill;
    job.elem = (int64_t)npu__elem_bytes(out->type);
    /* Little input for much border, or in few rows: first the border, under the rest too. */
    if (job.m->box.unit > 1 << 18 || out->bytes / 2 > in->bytes + 4096) {
        npu__fill_all(c, out->data, job.fill, npu__elems(out), (size_t)job.elem);
        npu__box_run(c, &job.m->box, job.m->dim, in, out);
        return NPU_OK;
    }
    job.src = (const uint8_t *)in->data;
    job.dst = (uint8_t *)out->data;
    job.bytes = (int64_t)out->bytes;
    job.rows = 1;
    for (int32_t i = 0; i < job.m->box.rank; i++) job.rows *= job.m->dim[i].n;
    npu__fill_run(job.some, job.fill, (int64_t)sizeof job.some / job.elem, (size_t)job.elem);
    if (job.m->box.unit == 0) npu__fill_run(job.dst, job.fill, npu__elems(out), (size_t)job.elem);
    else npu__parallel(c, job.rows, 16384 / (job.bytes / job.rows + 1) + 1, npu__pad_rows, &job);
    return NPU_OK;
}

NPU__OPDEF(npu__op_pad) = {2, 3, 1, 1, 4, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pad_data), npu__pad_infer, npu__pad_prepare, NULL,
                           npu__pad_eval, NULL};
NPU__OPDEF(npu__op_padv2) = {2, 3, 1, 1, 4, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pad_data), npu__pad_infer, npu__pad_prepare, NULL,
                             npu__pad_eval, NULL};

/* ---- MIRROR_PAD ---- */

/* 1: REFLECT leaves the edge itself out of the image; 0: SYMMETRIC repeats it. */
NPU__FN npu_status npu__mirror_pad_mode(npu__ctx *c, int64_t *skip) {
    int32_t mode = NPU__OPTIONS(c->node, MirrorPadOptions)->mode;
    *skip = mode == 0;
    if (mode != 0 && mode != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "mirror_pad.mode", "mode must be REFLECT or SYMMETRIC: got %d", mode);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__mirror_pad_infer(npu__ctx *c) {
    npu__pad_border b;
    npu__shape      s = c->in[0]->shape;
    int64_t         skip;
    NPU__TRY(npu__mirror_pad_mode(c, &skip));
    NPU__TRY(npu__need_index_type(c, c->in[1], "the paddings"));
    NPU__TRY(npu__pad_check_matrix(c));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__pad_read(c, &b));
    for (int32_t d = 0; d < s.rank; d++) {
        if (b.before[d] > s.dims[d] - skip || b.after[d] > s.dims[d] - skip) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "mirror_pad.too_wide",
                             "a border must not be wider than %l in dimension %d: got %l and %l", s.dims[d] - skip, d,
                             b.before[d], b.after[d]);
        }
        NPU__TRY(npu__dim_value(c, c->in[1], s.dims[d] + b.before[d] + b.after[d], &s.dims[d]));
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__mirror_pad_prepare(npu__ctx *c) {
    int32_t t = c->in[0]->type;
    ((npu__named *)c->data)->kernel = "mirror_pad";
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(t) == 0) return npu__fail_types(c);
    return t == NPU_INT8 || t == NPU_UINT8 || t == NPU_INT16 ? npu__need_same_quant(c, c->in[0], c->out[0]) : NPU_OK;
}

/* Moves `at` to the next place among dims [0, last) of `s`. */
NPU__FN void npu__pad_next_row(const npu__shape *s, int32_t last, int32_t *at) {
    for (int32_t d = last - 1; d >= 0; d--) {
        if (++at[d] < s->dims[d]) return;
        at[d] = 0;
    }
}

/* Where output cell i of a dimension comes from. */
NPU__FN int64_t npu__mirror_pad_source(int64_t i, int64_t before, int64_t dim, int64_t skip) {
    i -= before;
    if (i < 0) return -i - 1 + skip;
    return i < dim ? i : 2 * dim - 1 - skip - i;
}

/* n units of a row, backwards from unit `first` on. */
NPU__FN void npu__mirror_pad_back(npu__ctx *c, uint8_t *to, const uint8_t *row, int64_t first, int64_t n, size_t unit) {
    const uint8_t *from;
    npu__plane     p;
    if (n <= 0) return;
    from = row + (size_t)first * unit;
    memset(&p, 0, sizeof p);
    p.unit = p.to[1] = (int64_t)unit;
    p.from[1] = -p.unit;
    if (unit <= 1 << 16) npu__plane_pick(p.unit, 0)(&p, to, from, 1, n);
    else for (int64_t i = 0; i < n; i++) npu__copy_some(c, to + (size_t)i * unit, from - (size_t)i * unit, unit);
}

NPU__FN npu_status npu__mirror_pad_eval(npu__ctx *c) {
    const npu__val *in = c->in[0], *out = c->out[0];
    uint8_t        *to = (uint8_t *)out->data;
    size_t          elem = npu__elem_bytes(out->type), unit;
    int32_t         at[NPU_MAX_RANK];
    int64_t         skip, rows, stride[NPU_MAX_RANK], done = 0;
    npu__pad_border b;
    NPU__TRY(npu__mirror_pad_mode(c, &skip));
    NPU__TRY(npu__pad_read(c, &b));
    if (out->bytes == 0) return NPU_OK;
    if (b.last < 0) {
        npu__copy_bytes(c, to, in->data, out->bytes);
        return NPU_OK;
    }
    memset(at, 0, sizeof at);
    npu__dense_strides(&in->shape, stride);
    rows = npu__dims_product(&out->shape, 0, b.last);
    unit = (size_t)b.unit * elem;
    for (int64_t r = 0; r < rows; r++, npu__pad_next_row(&out->shape, b.last, at)) {
        int64_t        from = 0, dim = in->shape.dims[b.last];
        const uint8_t *row;
        for (int32_t d = 0; d < b.last; d++) {
            from += npu__mirror_pad_source(at[d], b.before[d], in->shape.dims[d], skip) * stride[d];
        }
        row = (const uint8_t *)in->data + (size_t)from * elem;
        /* Before, and behind, backwards; between them as it is. */
        NPU__POLL_PASS(c, done, out->shape.dims[b.last] * b.unit);
        npu__mirror_pad_back(c, to, row, skip + b.before[b.last] - 1, b.before[b.last], unit);
        to += (size_t)b.before[b.last] * unit;
        npu__copy_some(c, to, row, (size_t)dim * unit);
        to += (size_t)dim * unit;
        npu__mirror_pad_back(c, to, row, dim - 1 - skip, b.after[b.last], unit);
        to += (size_t)b.after[b.last] * unit;
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_mirror_pad) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named), npu__mirror_pad_infer,
                                  npu__mirror_pad_prepare, NULL, npu__mirror_pad_eval, NULL};
