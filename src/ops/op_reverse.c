/* REVERSE_V2: some dimensions read backwards. */
#include "move_util.h"

NPU__FN npu_status npu__reverse_layout(npu__ctx *c, npu__move *m) {
    const npu__shape *in = &c->in[0]->shape;
    int64_t           stride[NPU_MAX_RANK];
    uint32_t          mask = 0;
    for (int32_t i = 0; i < c->in[1]->shape.dims[0]; i++) {
        int32_t d;
        NPU__TRY(npu__resolve_axis(c, npu__value_fault(c->in[1]), npu__int_at(c->in[1], i), in->rank, &d));
        if (mask >> d & 1u) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "reverse_v2.twice", "axis %d is given twice", d);
        }
        mask |= 1u << d;
    }
    npu__dense_strides(in, stride);
    for (int32_t d = 0; d < in->rank; d++) {
        if (mask >> d & 1u) m->box.from += (in->dims[d] - 1) * stride[d];
        npu__box_add(&m->box, m->dim, in->dims[d], mask >> d & 1u ? -stride[d] : stride[d], 0);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__reverse_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_type(c, c->in[1], "the axes", NPU_INT32));
    NPU__TRY(npu__need_rank(c, c->in[1], "the axes", 1, 1));
    if (c->in[1]->shape.dims[0] > c->in[0]->shape.rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "reverse_v2.axes", "there are %d axes for %d dimensions",
                         c->in[1]->shape.dims[0], c->in[0]->shape.rank);
    }
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    return npu__move_prepare(c, npu__reverse_layout, npu__values_known(c->in[1]));
}

NPU__FN npu_status npu__reverse_eval(npu__ctx *c) { return npu__move_eval(c, npu__reverse_layout); }

NPU__OPDEF(npu__op_reverse_v2) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__infer_same_as_in0,
                                  npu__reverse_prepare, NULL, npu__reverse_eval, NULL};
