/* CALL_ONCE: runs a subgraph (which initializes variables) once in a session, however many operators name it. */
#include "util.h"

NPU__FN npu_status npu__call_once_infer(npu__ctx *c) {
    (void)c;
    return NPU_OK;
}

NPU__FN int32_t npu__call_once_target(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, CallOnceOptions)->init_subgraph_index;
}

NPU__FN npu_status npu__call_once_prepare(npu__ctx *c) { return npu__call_declare(c, npu__call_once_target(c), 0); }

NPU__FN npu_status npu__call_once_eval(npu__ctx *c) {
    int32_t target = npu__call_once_target(c);
    return npu__first_call(c, target) ? npu__call_run(c, target) : NPU_OK;
}

NPU__OPDEF(npu__op_call_once) = {0, 0, 0, 0, 0, NPU__OP_STATEFUL, NPU__NO_DATA, npu__call_once_infer,
                                             npu__call_once_prepare, NULL, npu__call_once_eval, NULL};
