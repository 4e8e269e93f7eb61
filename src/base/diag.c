/* Status names, type names, ISA names and the diagnostic record: everything that comes straight from npu.h's lists. */
#include "base.h"

NPU_API const char *npu_status_name(npu_status status) {
    switch (status) {
#define NPU_X(name, value, exit_code, text) case NPU_##name: return #name;
        NPU_STATUS_LIST(NPU_X)
#undef NPU_X
    default: return "UNKNOWN";
    }
}

NPU_API const char *npu_status_text(npu_status status) {
    switch (status) {
#define NPU_X(name, value, exit_code, text) case NPU_##name: return text;
        NPU_STATUS_LIST(NPU_X)
#undef NPU_X
    default: return "unknown status";
    }
}

NPU_API int npu_status_exit_code(npu_status status) {
    switch (status) {
#define NPU_X(name, value, exit_code, text) case NPU_##name: return exit_code;
        NPU_STATUS_LIST(NPU_X)
#undef NPU_X
    default: return 1;
    }
}

NPU_API const char *npu_type_name(npu_type type) {
    switch (type) {
#define NPU_X(name, value, bits, dtype) case NPU_##name: return #name;
        NPU_TYPE_LIST(NPU_X)
#undef NPU_X
    default: return "UNKNOWN";
    }
}

NPU_API int npu_type_bits(npu_type type) {
    switch (type) {
#define NPU_X(name, value, bits, dtype) case NPU_##name: return bits;
        NPU_TYPE_LIST(NPU_X)
#undef NPU_X
    default: return 0;
    }
}

NPU_API const char *npu_type_dtype(npu_type type) {
    switch (type) {
#define NPU_X(name, value, bits, dtype) case NPU_##name: return dtype;
        NPU_TYPE_LIST(NPU_X)
#undef NPU_X
    default: return "";
    }
}

NPU__FN void npu__diag_clear(npu_diag *diag) {
    if (!diag) return;
    memset(diag, 0, sizeof *diag);
    diag->rule = "";
    diag->file_offset = -1;
    diag->subgraph = diag->op = -1;
}

NPU__FN npu_status npu__diag_vfail(npu_diag *diag, npu_status status, const char *rule, const char *fmt,
                                   va_list args) {
    if (!diag || diag->status != NPU_OK) return status;
    diag->status = status;
    diag->rule = rule;
#if NPU__HAS_STRINGS
    npu__vformat(diag->text, sizeof diag->text, fmt, args);
#else
    (void)fmt;
    (void)args;
#endif
    return status;
}

NPU__FN npu_status npu__diag_fail(npu_diag *diag, npu_status status, const char *rule, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    status = npu__diag_vfail(diag, status, rule, fmt, args);
    va_end(args);
    return status;
}
