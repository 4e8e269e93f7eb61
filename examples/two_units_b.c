/* The second file of two_units_a.c: its own copy of npu_rt, and one with other switches (no SIMD, no reports). */
#include <stdio.h>

#define NPU_RT_STATIC
#define NPU_RT_NO_SIMD
#define NPU_RT_NO_REPORTS
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

int describe(const void *bytes, size_t n);

int describe(const void *bytes, size_t n) {
    npu_model *model;
    npu_diag   diag;
    npu_tensor t;
    int        i, d;
    if (npu_model_open(&model, bytes, n, NULL, &diag) != NPU_OK) {
        fprintf(stderr, "b: %s [%s]\n", diag.text, diag.rule);
        return npu_status_exit_code(diag.status);
    }
    for (i = 0; npu_model_input(model, 0, i, &t) == NPU_OK; i++) {
        printf("b: input %d %.*s %s [", i, (int)t.name_len, t.name, npu_type_name(t.type));
        for (d = 0; d < t.rank; d++) printf("%s%d", d ? "," : "", (int)t.dims[d]);
        printf("]\n");
    }
    npu_model_close(model);
    return 0;
}
