/* ONE_HOT: each index becomes a row that is "on" in one place. */
#include "move_util.h"

NPU__FN npu_status npu__one_hot_axis(npu__ctx *c, int32_t *axis) {
    int32_t rank = c->in[0]->shape.rank;
    *axis = NPU__OPTIONS(c->node, OneHotOptions)->axis;
    if (*axis == -1) *axis = rank;
    if (*axis < 0 || *axis > rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.axis", "axis must be in [-1, %d]: got %d", rank, *axis);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__one_hot_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    int32_t           axis, depth;
    npu__shape        s;
    NPU__TRY(npu__need_index_type(c, c->in[0], "the indices"));
    NPU__TRY(npu__need_type(c, c->in[1], "the depth", NPU_INT32));
    NPU__TRY(npu__one_hot_axis(c, &axis));
    for (int32_t i = 1; i < 4; i++) {
        if (npu__elems(c->in[i]) != 1) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "one_hot.scalar",
                             "depth, on and off values must be one number each");
        }
    }
    NPU__TRY(npu__need_max_rank(c, in->rank + 1));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__dim_value(c, c->in[1], npu__int_at(c->in[1], 0), &depth));
    memset(&s, 0, sizeof s);
    s.rank = in->rank + 1;
    for (int32_t i = 0; i < s.rank; i++) s.dims[i] = i < axis ? in->dims[i] : i == axis ? depth : in->dims[i - 1];
    return npu__set_shape_type(c, 0, &s, c->in[2]->type);
}

NPU__FN npu_status npu__one_hot_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[2], c->out[0]));
    NPU__TRY(npu__need_moved_type(c, c->in[3], c->out[0]));
    return npu__elem_bytes(c->out[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

NPU__FN npu_status npu__one_hot_eval(npu__ctx *c) {
    const npu__val *in = c->in[0], *out = c->out[0];
    size_t          elem = npu__elem_bytes(out->type);
    uint8_t        *to = (uint8_t *)out->data;
    int32_t         axis, depth;
    int64_t         suffix, done = 0;
    NPU__TRY(npu__one_hot_axis(c, &axis));
    if (out->bytes == 0) return NPU_OK;
    depth = out->shape.dims[axis];
    suffix = npu__dims_product(&out->shape, axis + 1, out->shape.rank);
    npu__fill_all(c, to, c->in[3]->data, npu__elems(out), elem);
    for (int64_t i = 0; i < npu__elems(in); i++) {
        int32_t index;
        NPU__POLL_PASS(c, done, 1);
        index = (int32_t)(uint32_t)(uint64_t)npu__int_at(in, i); /* LiteRT narrows 64-bit indices */
        if (index < 0 || index >= depth) continue;
        /* Index i of the input, with the new dimension put in between its outer and inner part. */
        memcpy(to + (size_t)((i / suffix * depth + index) * suffix + i % suffix) * elem, c->in[2]->data, elem);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_one_hot) = {4, 4, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__one_hot_infer,
                                           npu__one_hot_prepare, NULL, npu__one_hot_eval, NULL};
