/* Plans together with what their sessions take. */
#ifndef NPU__API_CREATE_H
#define NPU__API_CREATE_H

#include "../plan/plan.h"

/* npu__plan_new for a plan to run or to measure, with the bytes of its session. */
NPU__FN npu_status npu__plan_measured(npu_plan **out, const npu_model *model, const npu_plan_desc *desc,
                                      npu__pool_elsewhere *elsewhere, npu_diag *diag);

#endif
