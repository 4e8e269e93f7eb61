/* npu_memory_on: what a model takes on another machine. The model is opened and planned again, with pools that also count what the
 * same pieces are there. */
#include "../graph/build.h"
#include "../graph/copy.h"
#include "create.h"

#if NPU__HAS_REPORTS

NPU_API const char *npu_machine_name(npu_machine machine) {
    switch (machine) {
#define NPU_X(name, value, text) case NPU_MACHINE_##name: return text;
        NPU_MACHINE_LIST(NPU_X)
#undef NPU_X
    default: return NULL;
    }
}

NPU__FN npu_status npu__memory_of_model(const npu_model *model, int32_t machine, size_t *bytes, npu_diag *diag) {
    npu__pool_elsewhere there;
    npu_model          *again = NULL;
    npu_status          s;
    there.machine = machine;
#if NPU__HAS_GRAPH
    /* A built model has no file to read again: it is copied, and its constants (kept_bytes) are as large everywhere. */
    if (!model->root) {
        s = npu__model_make(&again, "npu_memory_on", &model->desc, model->find_op, UINT64_MAX, &there, diag);
        if (s != NPU_OK) return s;
        if (npu__dup_model(again, model)) *bytes = there.total_bytes + model->kept_bytes; /* bounded: of memory that is there */
        else s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the graph of this model");
        npu_model_close(again);
        return s;
    }
#endif
    s = npu__model_new(&again, model->bytes, model->n_bytes, &model->desc, model->find_op, &there, diag);
    if (s != NPU_OK) return s;
    *bytes = there.total_bytes;
    npu_model_close(again);
    return NPU_OK;
}

NPU_API npu_status npu_memory_on(const npu_model *model, const npu_plan_desc *desc, npu_machine machine, npu_memory *out,
                                 npu_diag *diag) {
    npu_plan_desc       asked;
    npu__pool_elsewhere there;
    npu_plan           *plan;
    npu_status          s;
    npu__diag_clear(diag);
    memset(&asked, 0, sizeof asked);
    if (desc) asked = *desc;
    if (!model || !out || !npu_machine_name(machine) || !npu_isa_name(asked.isa)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.machine", "npu_memory_on: needs a model, a place for the result, and "
                              "a machine and an instruction set of the lists");
    }
    if (machine != NPU_MACHINE_THIS && asked.threads > 1) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.machine", "npu_memory_on: on another machine, memory is known for "
                              "one thread: %d were asked for", asked.threads);
    }
    if (machine != NPU_MACHINE_THIS && asked.isa == NPU_ISA_AUTO) asked.isa = NPU_ISA_SCALAR;
    /* The plan is made here as any other is; `there` counts what its pieces take on the other machine. */
    there.machine = (int32_t)machine;
    s = npu__plan_measured(&plan, model, &asked, &there, diag);
    if (s != NPU_OK) return s;
    npu_plan_memory(plan, out);
    npu_plan_destroy(plan);
    /* Session figures are already those of the machine: npu__session_cut measures by npu__size_on. */
    out->plan_bytes = there.total_bytes;
    return npu__memory_of_model(model, (int32_t)machine, &out->model_bytes, diag);
}

#endif
