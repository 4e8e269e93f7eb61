/* SLICE: a box cut out of a tensor. */
#include "move_util.h"
#include "string_util.h"

/* Box along dimension d; size -1 means "to the end". */
NPU__FN npu_status npu__slice_box(npu__ctx *c, int32_t d, int64_t *begin, int64_t *size) {
    const npu__val *at = c->in[1], *n = c->in[2];
    int64_t         dim = c->in[0]->shape.dims[d];
    npu_status      fault = npu__is_const(at) && npu__is_const(n) ? NPU_INVALID_MODEL : NPU_BAD_INPUT;
    *begin = npu__int_at(at, d);
    *size = npu__int_at(n, d);
    if (*begin < 0 || *begin > dim || *size < -1 || *size > dim - *begin) {
        return NPU__FAIL(c, fault, "slice.range", "begin %l and size %l do not fit into dimension %d, which is %l",
                         *begin, *size, d, dim);
    }
    if (*size == -1) *size = dim - *begin;
    return NPU_OK;
}

NPU__FN int npu__slice_sizes_are_plain(const npu__val *size) {
    for (int64_t i = 0; i < npu__elems(size); i++) if (npu__int_at(size, i) < 0) return 0;
    return 1;
}

/* The declared shape holds when the model fixes it and nothing was resized; eval checks that the data agree. */
NPU__FN int npu__slice_trusts_declaration(const npu__ctx *c) {
    const npu__tensor *in = c->in[0]->t, *out = c->out[0]->t;
    if (!npu__shape_eq(&c->in[0]->shape, &in->shape)) return 0;
    if (out->shape.rank != in->shape.rank || out->shape.rank == 0) return 0;
    for (int32_t i = 0; i < out->signature.rank; i++) if (out->signature.dims[i] < 0) return 0;
    return 1;
}

NPU__FN npu_status npu__slice_infer(npu__ctx *c) {
    const npu__val *begin = c->in[1], *size = c->in[2];
    int32_t         rank = c->in[0]->shape.rank;
    int64_t         at, n;
    npu__shape      s;
    NPU__TRY(npu__need_index_type(c, begin, "begin"));
    NPU__TRY(npu__need_index_type(c, size, "size"));
    NPU__TRY(npu__need_rank(c, begin, "begin", 1, 1));
    NPU__TRY(npu__need_rank(c, size, "size", 1, 1));
    if (begin->shape.dims[0] != rank || size->shape.dims[0] != rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "slice.count",
                         "begin and size need one number for each of %d dimensions: got %d and %d", rank,
                         begin->shape.dims[0], size->shape.dims[0]);
    }
    memset(&s, 0, sizeof s);
    s.rank = rank;
    /* Known sizes are enough, wherever the box begins; sizes of -1 need the beginning too. Otherwise the shape depends on
     * data. */
    if (npu__values_known(begin) && npu__values_known(size)) {
        for (int32_t d = 0; d < rank; d++) {
            NPU__TRY(npu__slice_box(c, d, &at, &n));
            s.dims[d] = (int32_t)n;
        }
    } else if (npu__values_known(size) && npu__slice_sizes_are_plain(size)) {
        for (int32_t d = 0; d < rank; d++) NPU__TRY(npu__dim_value(c, size, npu__int_at(size, d), &s.dims[d]));
    } else if (npu__slice_trusts_declaration(c)) {
        s = c->out[0]->t->shape;
    } else {
        return NPU__DYNAMIC;
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__slice_layout(npu__ctx *c, npu__move *m) {
    const npu__val *in = c->in[0], *out = c->out[0];
    int64_t         stride[NPU_MAX_RANK], at, n;
    npu__dense_strides(&in->shape, stride);
    for (int32_t d = 0; d < in->shape.rank; d++) {
        NPU__TRY(npu__slice_box(c, d, &at, &n));
        /* Planned from the declaration, or for other values: what was laid out must not be overrun. */
        if (n != out->shape.dims[d]) {
            return NPU__FAIL(c, NPU_BAD_INPUT, "slice.size", "size %l along dimension %d differs from the planned %d",
                             n, d, out->shape.dims[d]);
        }
        m->box.from += at * stride[d];
        npu__box_add(&m->box, m->dim, n, stride[d], 0);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__slice_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    return npu__move_prepare(c, npu__slice_layout, npu__values_known(c->in[1]) && npu__values_known(c->in[2]));
}

NPU__FN npu_status npu__slice_eval(npu__ctx *c) { return npu__move_eval(c, npu__slice_layout); }

NPU__FN npu_status npu__slice_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__slice_prepare) : npu__slice_prepare(c);
}

NPU__FN npu_status npu__slice_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__slice_eval) : npu__slice_eval(c);
}

NPU__OPDEF(npu__op_slice) = {3, 3, 1, 1, 0, NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__slice_infer,
                             npu__slice_prepare_any, NULL, npu__slice_eval_any, NULL};
