/* SHAPE, RANK: what the runtime knows about a tensor, as a tensor. */
#include "move_util.h"

/* Not the input's elements: those are not looked at. */
NPU__FN npu__work npu__shape_work(const npu__ctx *c) {
    npu__work w;
    w.macs = 0;
    w.steps = 1 + npu__elems(c->out[0]);
    return w;
}

NPU__FN npu_status npu__shape_infer(npu__ctx *c) {
    int32_t    type = NPU__OPTIONS(c->node, ShapeOptions)->out_type;
    npu__shape s = npu__shape_make(1, c->in[0]->shape.rank, 0, 0, 0);
    if (type != NPU_INT32 && type != NPU_INT64) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "shape.out_type", "out_type must be INT32 or INT64: got %s",
                         npu_type_name((npu_type)type));
    }
    return npu__set_shape_type(c, 0, &s, type);
}

NPU__FN npu_status npu__shape_prepare(npu__ctx *c) {
    (void)c;
    return NPU_OK;
}

NPU__FN npu_status npu__shape_eval(npu__ctx *c) {
    const npu__shape *s = &c->in[0]->shape;
    for (int32_t i = 0; i < s->rank; i++) {
        if (c->out[0]->type == NPU_INT64) ((int64_t *)c->out[0]->data)[i] = s->dims[i];
        else ((int32_t *)c->out[0]->data)[i] = s->dims[i];
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_shape) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_SHAPES_ONLY | NPU__OP_STRINGS, NPU__NO_DATA,
                                         npu__shape_infer, npu__shape_prepare, NULL, npu__shape_eval,
                                         npu__shape_work};

NPU__FN npu_status npu__rank_infer(npu__ctx *c) {
    npu__shape s = npu__shape_make(0, 0, 0, 0, 0);
    return npu__set_shape_type(c, 0, &s, NPU_INT32);
}

NPU__FN npu_status npu__rank_eval(npu__ctx *c) {
    *(int32_t *)c->out[0]->data = c->in[0]->shape.rank;
    return NPU_OK;
}

NPU__OPDEF(npu__op_rank) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_SHAPES_ONLY | NPU__OP_STRINGS, NPU__NO_DATA,
                                        npu__rank_infer, npu__shape_prepare, NULL, npu__rank_eval, npu__shape_work};
