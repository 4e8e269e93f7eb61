/* npu_model_open, npu_graph_create and npu_plan_create: they stand above the layers that they bring together. A graph is made
 * with the operators of this build (ops/), a plan is measured together with its session (run/). */
#include "../graph/graph.h"
#include "../ops/ops.h"
#include "../run/session.h"
#include "create.h"

NPU_API npu_status npu_model_open(npu_model **out, const void *bytes, size_t n_bytes, const npu_model_desc *desc,
                                  npu_diag *diag) {
    return npu__model_new(out, bytes, n_bytes, desc, npu__op_find, NULL, diag);
}

#if NPU__HAS_GRAPH
NPU_API npu_status npu_graph_create(npu_graph **out, const npu_model_desc *desc, npu_diag *diag) {
    return npu__graph_new(out, desc, npu__op_find, diag);
}
#endif

NPU__FN npu_status npu__plan_measured(npu_plan **out, const npu_model *model, const npu_plan_desc *desc,
                                      npu__pool_elsewhere *elsewhere, npu_diag *diag) {
    npu_status s = npu__plan_new(out, model, desc, 0, elsewhere, diag);
    if (s != NPU_OK) return s;
    s = npu__session_measure(*out, diag);
    if (s == NPU_OK) return NPU_OK;
    npu_plan_destroy(*out);
    *out = NULL;
    return s;
}

/* Who is to blame when a plan with other input shapes fails: they are, if the model's own would do. */
NPU__FN npu_status npu__plan_blame(npu_status failed, const npu_model *model, const npu_plan_desc *desc, npu_diag *diag) {
    static const char end[] = "; with the shapes that the model declares it can be planned";
    npu_plan_desc     declared;
    npu_plan         *plan;
    npu_status        other;
    size_t            n;
    if (!desc || desc->n_input_shapes == 0) return failed;
    if (failed != NPU_INVALID_MODEL && failed != NPU_UNSUPPORTED && failed != NPU_LIMIT) return failed;
    /* The same plan without the caller's shapes: if that works, the shapes broke the rule, not the model. */
    declared = *desc;
    declared.input_shapes = NULL;
    declared.n_input_shapes = 0;
    other = npu__plan_measured(&plan, model, &declared, NULL, NULL);
    /* Nobody knows then whose fault it was. */
    if (other == NPU_OUT_OF_MEMORY) {
        npu__diag_clear(diag);
        return npu__diag_fail(diag, other, "plan.memory", "no memory for the plan");
    }
    if (other != NPU_OK) return failed;
    npu_plan_destroy(plan);
    if (diag) {
        diag->status = NPU_BAD_INPUT;
        n = strlen(diag->text);
        /* The rule and its sentence stay; a text that is full already says enough. */
        if (n > 0 && n + sizeof end <= sizeof diag->text) memcpy(diag->text + n, end, sizeof end);
    }
    return NPU_BAD_INPUT;
}

NPU_API npu_status npu_plan_create(npu_plan **out, const npu_model *model, const npu_plan_desc *desc, npu_diag *diag) {
    npu_status s = npu__plan_measured(out, model, desc, NULL, diag);
    return s == NPU_OK ? s : npu__plan_blame(s, model, desc, diag);
}
