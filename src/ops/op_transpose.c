/* TRANSPOSE: dimensions in another order. */
#include "transpose.h"

/* The permutation, negative entries resolved; every dimension must appear once. */
NPU__FN npu_status npu__transpose_perm(npu__ctx *c, int32_t *perm) {
    int32_t  rank = c->in[0]->shape.rank;
    uint32_t seen = 0;
    for (int32_t i = 0; i < rank; i++) {
        NPU__TRY(npu__resolve_axis(c, npu__value_fault(c->in[1]), npu__int_at(c->in[1], i), rank, &perm[i]));
        if (seen >> perm[i] & 1u) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "transpose.perm",
                             "dimension %d appears twice in the permutation", perm[i]);
        }
        seen |= 1u << perm[i];
    }
    return NPU_OK;
}

NPU__FN npu_status npu__transpose_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    int32_t           perm[NPU_MAX_RANK];
    npu__shape        s;
    NPU__TRY(npu__need_type(c, c->in[1], "the permutation", NPU_INT32));
    NPU__TRY(npu__need_rank(c, c->in[1], "the permutation", 1, 1));
    if (c->in[1]->shape.dims[0] != in->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "transpose.perm_size",
                         "the permutation has %d entries for %d dimensions", c->in[1]->shape.dims[0], in->rank);
    }
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__transpose_perm(c, perm));
    memset(&s, 0, sizeof s);
    s.rank = in->rank;
    for (int32_t i = 0; i < s.rank; i++) s.dims[i] = in->dims[perm[i]];
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__transpose_layout(npu__ctx *c, npu__move *m) {
    int32_t perm[NPU_MAX_RANK];
    int64_t stride[NPU_MAX_RANK];
    NPU__TRY(npu__transpose_perm(c, perm));
    npu__dense_strides(&c->in[0]->shape, stride);
    for (int32_t i = 0; i < c->in[0]->shape.rank; i++) {
        /* The output in order, the input by its own strides; dimensions that stay neighbours merge. */
        npu__box_add(&m->box, m->dim, c->in[0]->shape.dims[perm[i]], stride[perm[i]], 0);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__transpose_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    return npu__move_prepare(c, npu__transpose_layout, npu__values_known(c->in[1]));
}

NPU__FN npu_status npu__transpose_eval(npu__ctx *c) { return npu__move_eval(c, npu__transpose_layout); }

/* ---- two of them ---- */

enum { NPU__TURN_DIMS = NPU_MAX_RANK + 1 }; /* of a box, and what its units hold */

/* Dimensions of a box that is done, innermost first by where they lie in its source (`by_from`) or destination, in elements. */
NPU__FN int32_t npu__turn_dims(const npu__move *m, int64_t elem, int by_from, npu__box_dim *dim) {
    int32_t n = 1;
    dim[0].n = m->box.unit / elem;
    dim[0].from = dim[0].to = 1;
    for (int32_t i = 0; i < m->box.rank; i++) {
        npu__box_dim d = m->dim[i];
        int32_t      at = n++;
        d.from /= elem;
        d.to /= elem;
        for (; at > 1 && (by_from ? dim[at - 1].from > d.from : dim[at - 1].to > d.to); at--) dim[at] = dim[at - 1];
        dim[at] = d;
    }
    return n;
}

/* Both number the same elements, one by what `first` writes and one by what `second` reads: dimensions that are as long in either go
 * from first's source to second's destination. How many; 0: there are none such. */
NPU__FN int32_t npu__turn_join(npu__box_dim *first, int32_t n_first, npu__box_dim *second, int32_t n_second, npu__box_dim *dim) {
    int32_t n = 0;
    for (int32_t i = 0, k = 0; i < n_first && k < n_second;) {
        npu__box_dim *a = &first[i], *b = &second[k];
        const int64_t both = NPU__MIN(a->n, b->n);
        if (a->n % both || b->n % both) return 0;
        dim[n].n = both;
        dim[n].from = a->from;
        dim[n].to = b->to;
        n += both > 1;
        a->n /= both;
        a->from *= both;
        b->n /= both;
        b->to *= both;
        i += a->n == 1;
        k += b->n == 1;
    }
    return n;
}

NPU__FN int npu__transpose_after(npu__ctx *second, const npu__ctx *first, int32_t *same) {
    const npu__move *before = (const npu__move *)first->data;
    npu__move       *m = (npu__move *)second->data;
    npu__box_dim     a[NPU__TURN_DIMS], b[NPU__TURN_DIMS], dim[2 * NPU__TURN_DIMS];
    const int64_t    elem = (int64_t)npu__elem_bytes(second->in[0]->type);
    npu__box         box;
    int32_t          n;
    if (elem == 0 || !m->box.ready || !before->box.ready || m->box.unit == 0 || before->box.unit == 0) return 0;
    n = npu__turn_join(a, npu__turn_dims(before, elem, 0, a), b, npu__turn_dims(m, elem, 1, b), dim);
    memset(&box, 0, sizeof box);
    box.ready = 1;
    for (int32_t i = 1; i < n; i++) { /* outermost first, by the destination */
        const npu__box_dim d = dim[i];
        int32_t            at = i;
        for (; at > 0 && dim[at - 1].to < d.to; at--) dim[at] = dim[at - 1];
        dim[at] = d;
    }
    for (int32_t i = 0; i < n; i++) npu__box_add(&box, dim, dim[i].n, dim[i].from, dim[i].to);
    npu__box_done(&box, dim, second->in[0]->type);
    if (n == 0 || box.rank > NPU_MAX_RANK) return 0;
    box.run = npu__plane_for(npu__ctx_isa(second), box.run, box.unit);
    m->box = box;
    memcpy(m->dim, dim, (size_t)box.rank * sizeof *dim);
    *same = box.rank == 0;
    return 1;
}

NPU__OPDEF(npu__op_transpose) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__transpose_infer,
                                 npu__transpose_prepare, NULL, npu__transpose_eval, NULL};
