/* The shortest complete program: npu_rt.h dropped into one C file. Runs a model on inputs of zeros.
 *
 *     cc -O2 -I.. drop_in.c -lm -o drop_in && ./drop_in model.tflite
 */
#include <stdio.h>
#include <stdlib.h>

#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

static void *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    void *bytes = NULL;
    long  size;
    if (!f) return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)size + 1);
        *n = (size_t)size;
        if (bytes && fread(bytes, 1, *n, f) != *n) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(f);
    return bytes;
}

static size_t elements(const npu_tensor *t) {
    size_t n = 1;
    int    d;
    for (d = 0; d < t->rank; d++) n *= (size_t)t->dims[d];
    return n;
}

/* Zeros: real ones, whatever the type's zero point. */
static npu_status fill_input(npu_tensor *t, npu_diag *diag) {
    const size_t n = elements(t);
    float       *real = (float *)calloc(n + 1, sizeof *real);
    npu_status   s = npu_tensor_quantize(t, real, n, diag);
    free(real);
    return s;
}

/* The first values as reals, whatever the type: int8, float16, ... */
static npu_status print_output(int i, const npu_tensor *t, npu_diag *diag) {
    const size_t n = elements(t);
    float       *real = (float *)calloc(n + 1, sizeof *real);
    npu_status   s = npu_tensor_dequantize(t, real, n, diag);
    int          d;
    printf("output %d %.*s %s [", i, (int)t->name_len, t->name, npu_type_name(t->type));
    for (d = 0; d < t->rank; d++) printf("%s%d", d ? "," : "", (int)t->dims[d]);
    printf("]");
    for (d = 0; s == NPU_OK && d < 8 && (size_t)d < n; d++) printf(" %g", (double)real[d]);
    printf("\n");
    free(real);
    return s;
}

int main(int argc, char **argv) {
    npu_model   *model = NULL;
    npu_plan    *plan = NULL;
    npu_session *session = NULL;
    npu_diag     diag;
    npu_tensor   t;
    size_t       n = 0;
    int          i, ok;
    void        *bytes = argc == 2 ? read_file(argv[1], &n) : NULL;
    if (!bytes) {
        if (argc == 2) fprintf(stderr, "cannot read %s\n", argv[1]);
        else fprintf(stderr, "usage: drop_in MODEL.tflite\n");
        return 2;
    }
    ok = npu_model_open(&model, bytes, n, NULL, &diag) == NPU_OK &&
         npu_plan_create(&plan, model, NULL, &diag) == NPU_OK &&
         npu_session_create(&session, plan, NULL, &diag) == NPU_OK;
    if (ok) {
        for (i = 0; ok && npu_session_input(session, i, &t) == NPU_OK; i++) ok = fill_input(&t, &diag) == NPU_OK;
        ok = ok && npu_session_invoke(session, &diag) == NPU_OK;
        for (i = 0; ok && npu_session_output(session, i, &t) == NPU_OK; i++) ok = print_output(i, &t, &diag) == NPU_OK;
    }
    if (!ok) fprintf(stderr, "%s: %s [%s]\n", argv[1], diag.text, diag.rule);
    npu_session_destroy(session); /* all three take NULL */
    npu_plan_destroy(plan);
    npu_model_close(model);
    free(bytes);
    return ok ? 0 : npu_status_exit_code(diag.status);
}
