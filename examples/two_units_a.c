/* Two files of one program, each with its own private copy of npu_rt (NPU_RT_STATIC): nothing of it is exported, so a
 * library can carry it without its users noticing. This file runs the model; two_units_b.c describes it.
 *
 *     cc -O2 -I.. two_units_a.c two_units_b.c -lm -o two_units && ./two_units model.tflite
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPU_RT_STATIC
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

int describe(const void *bytes, size_t n); /* two_units_b.c */

static int run(const void *bytes, size_t n) {
    npu_model   *model = NULL;
    npu_plan    *plan = NULL;
    npu_session *session = NULL;
    npu_diag     diag;
    npu_tensor   t;
    int          i, ok;
    ok = npu_model_open(&model, bytes, n, NULL, &diag) == NPU_OK &&
         npu_plan_create(&plan, model, NULL, &diag) == NPU_OK &&
         npu_session_create(&session, plan, NULL, &diag) == NPU_OK;
    if (ok) {
        for (i = 0; npu_session_input(session, i, &t) == NPU_OK; i++)
            if (t.bytes > 0) memset(t.data, 0, t.bytes);
        ok = npu_session_invoke(session, &diag) == NPU_OK;
    }
    for (i = 0; ok && npu_session_output(session, i, &t) == NPU_OK; i++)
        printf("a: output %d has %lu bytes, the first is %d\n", i, (unsigned long)t.bytes,
               t.bytes ? ((const uint8_t *)t.data)[0] : 0);
    if (!ok) fprintf(stderr, "a: %s [%s]\n", diag.text, diag.rule);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return ok ? 0 : npu_status_exit_code(diag.status);
}

int main(int argc, char **argv) {
    static unsigned char bytes[8u << 20];
    FILE                *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t               n;
    int                  code;
    if (!f) {
        if (argc == 2) fprintf(stderr, "cannot read %s\n", argv[1]);
        else fprintf(stderr, "usage: two_units MODEL.tflite\n");
        return 2;
    }
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    code = describe(bytes, n);
    return code ? code : run(bytes, n);
}
