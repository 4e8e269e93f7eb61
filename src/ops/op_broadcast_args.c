/* BROADCAST_ARGS: the shape two shapes broadcast to. */
#include "move_util.h"

NPU__FN npu_status npu__broadcast_args_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__need_rank(c, c->in[0], "a shape", 1, 1));
    NPU__TRY(npu__need_rank(c, c->in[1], "a shape", 1, 1));
    s = npu__shape_make(1, NPU__MAX(c->in[0]->shape.dims[0], c->in[1]->shape.dims[0]), 0, 0, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__broadcast_args_prepare(npu__ctx *c) {
    int32_t t = c->in[0]->type;
    if ((t != NPU_INT32 && t != NPU_INT64) || c->in[1]->type != t || c->out[0]->type != t) return npu__fail_types(c);
    return NPU_OK;
}

NPU__FN npu_status npu__broadcast_args_eval(npu__ctx *c) {
    int64_t n = npu__elems(c->out[0]), na = npu__elems(c->in[0]), nb = npu__elems(c->in[1]);
    int64_t done = 0;
    for (int64_t i = 1; i <= n; i++) { /* from the last dimension */
        int64_t a = i <= na ? npu__int_at(c->in[0], na - i) : 1, b = i <= nb ? npu__int_at(c->in[1], nb - i) : 1;
        if (a != b && a != 1 && b != 1) {
            return NPU__FAIL(c, NPU_BAD_INPUT, "broadcast_args.shapes", "dimension %l from the end is %l and %l", i,
                             a, b);
        }
        NPU__POLL_PASS(c, done, 1);
        /* A 1 gives way, also to 0. */
        if (a == 1) a = b;
        if (c->out[0]->type == NPU_INT64) ((int64_t *)c->out[0]->data)[n - i] = a;
        else ((int32_t *)c->out[0]->data)[n - i] = (int32_t)a;
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_broadcast_args) = {2, 2, 1, 1, 0, 0, NPU__NO_DATA, npu__broadcast_args_infer,
                                                  npu__broadcast_args_prepare, NULL, npu__broadcast_args_eval, NULL};
