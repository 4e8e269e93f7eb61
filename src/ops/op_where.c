/* WHERE: the coordinates of all elements that are not zero. */
#include "move_util.h"

NPU__FN int npu__where_is_set(const npu__val *v, int64_t i) {
    if (v->type == NPU_FLOAT32) return ((const float *)v->data)[i] != 0.0f;
    if (v->type == NPU_BOOL) return ((const uint8_t *)v->data)[i] != 0;
    return npu__int_at(v, i) != 0;
}

NPU__FN npu_status npu__where_infer(npu__ctx *c) {
    const npu__val *in = c->in[0];
    int64_t         n = 0, elems, done = 0;
    npu__shape      s;
    switch (in->type) {
    case NPU_BOOL: case NPU_FLOAT32: case NPU_INT64: case NPU_INT32: case NPU_INT8: case NPU_UINT8: case NPU_UINT32:
        break;
    default: return npu__fail_types(c);
    }
    NPU__TRY(npu__need_rank(c, in, "the condition", 1, NPU_MAX_RANK));
    if (!npu__values_known(in)) return NPU__DYNAMIC;
    elems = npu__elems(in);
    /* The shape is the count: two passes, so that the output is allocated once. */
    for (int64_t i = 0; i < elems; i++) {
        n += npu__where_is_set(in, i);
        NPU__POLL_PASS(c, done, 1);
    }
    if (n > INT32_MAX) return NPU__FAIL(c, NPU_LIMIT, "where.count", "too many elements are set: %l", n);
    s = npu__shape_make(2, (int32_t)n, in->shape.rank, 0, 0);
    return npu__set_shape_type(c, 0, &s, NPU_INT64);
}

NPU__FN npu_status npu__where_prepare(npu__ctx *c) {
    ((npu__named *)c->data)->kernel = "where";
    return NPU_OK;
}

NPU__FN npu_status npu__where_eval(npu__ctx *c) {
    const npu__val *in = c->in[0];
    const int32_t   rank = in->shape.rank, n = in->shape.dims[rank - 1];
    const int64_t   rows = npu__dims_product(&in->shape, 0, rank - 1);
    int64_t        *to = (int64_t *)c->out[0]->data, at[NPU_MAX_RANK], done = 0;
    memset(at, 0, sizeof at);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < n; i++) {
            NPU__POLL_PASS(c, done, 1);
            if (!npu__where_is_set(in, row * n + i)) continue;
            at[rank - 1] = i;
            for (int32_t d = 0; d < rank; d++) *to++ = at[d];
        }
        for (int32_t d = rank - 2; d >= 0 && ++at[d] == in->shape.dims[d]; d--) at[d] = 0;
    }
    return NPU_OK;
}

/* The elements are counted first, for the shape. */
NPU__FN npu__work npu__where_work(const npu__ctx *c) { return npu__work_steps(c, npu__elems(c->in[0])); }

NPU__OPDEF(npu__op_where) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named),
                             npu__where_infer, npu__where_prepare, NULL, npu__where_eval, npu__where_work};
