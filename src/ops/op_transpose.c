/* TRANSPOSE: dimensions in another order. */
#include "move_util.h"

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

NPU__OPDEF(npu__op_transpose) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__transpose_infer,
                                 npu__transpose_prepare, NULL, npu__transpose_eval, NULL};
