/* ADD_N: the sum of two or more tensors of one shape. */
#include "combine.h"

NPU__FN npu_status npu__add_n_infer(npu__ctx *c) { return npu__set_shape_type(c, 0, &c->in[0]->shape, c->in[0]->type); }

NPU__FN npu_status npu__add_n_prepare(npu__ctx *c) {
    if (c->in[0]->type != NPU_FLOAT32 && c->in[0]->type != NPU_INT32) return npu__fail_types(c);
    for (int32_t i = 0; i < c->n_in; i++) {
        if (c->in[i]->type != c->out[0]->type) return npu__fail_types(c);
        if (npu__shape_eq(&c->in[i]->shape, &c->in[0]->shape)) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "add_n.shape", "all inputs must have one shape: number %d has another", i);
    }
    return NPU_OK;
}

NPU__FN void npu__add_n_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__ctx       *c = (const npu__ctx *)arg;
    const npu__combine_fn add = npu__combine_pick(NPU__COMBINE_ADD, c->in[0]->type);
    uint8_t              *to = (uint8_t *)c->out[0]->data + begin * 4;
    (void)thread;
    memcpy(to, (const uint8_t *)c->in[0]->data + begin * 4, (size_t)(end - begin) * 4);
    for (int32_t i = 1; i < c->n_in; i++) add(to, (const uint8_t *)c->in[i]->data + begin * 4, end - begin, 1, 1);
}

NPU__FN npu_status npu__add_n_eval(npu__ctx *c) {
    if (c->out[0]->bytes > 0) npu__parallel(c, npu__elems(c->out[0]), 16384, npu__add_n_part, c);
    return NPU_OK;
}

NPU__OPDEF(npu__op_add_n) = {2, -1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__add_n_infer,
                             npu__add_n_prepare, NULL, npu__add_n_eval, NULL};
