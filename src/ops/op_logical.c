/* LOGICAL_AND, LOGICAL_OR and LOGICAL_NOT. Any byte but 0 counts as true; results are 0 or 1. */
#include "elementwise.h"

NPU__EW_VEC_ROW2(npu__logical_and_row, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x != 0) & (y != 0))
NPU__EW_VEC_ROW2(npu__logical_or_row, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x | y) != 0)
NPU__EW_VEC_ROW1(npu__logical_not_row, NPU__EW_NO_LOCALS, uint8_t, uint8_t, x == 0)

NPU__FN npu_status npu__logical_prepare(npu__ctx *c, npu__ew_row row, int32_t n_in) {
    if (!npu__ew_same_types(c, n_in) || c->out[0]->type != NPU_BOOL) return npu__fail_types(c);
    return npu__ew_prepare_loops(c, row, n_in);
}
NPU__FN npu_status npu__logical_and_prepare(npu__ctx *c) { return npu__logical_prepare(c, npu__logical_and_row, 2); }
NPU__FN npu_status npu__logical_or_prepare(npu__ctx *c) { return npu__logical_prepare(c, npu__logical_or_row, 2); }
NPU__FN npu_status npu__logical_not_prepare(npu__ctx *c) { return npu__logical_prepare(c, npu__logical_not_row, 1); }

NPU__OPDEF(npu__op_logical_and) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                               npu__infer_broadcast2, npu__logical_and_prepare, NULL,
                                               npu__ew_eval, NULL};
NPU__OPDEF(npu__op_logical_or) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                              npu__infer_broadcast2, npu__logical_or_prepare, NULL,
                                               npu__ew_eval, NULL};
NPU__OPDEF(npu__op_logical_not) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew),
                                               npu__infer_same_as_in0, npu__logical_not_prepare, NULL,
                                               npu__ew_eval, NULL};
