/* No malloc anywhere, as on a microcontroller: model, plan and session live in one static buffer. The program says
 * how much of it they took, so that the next build can make it that small.
 *
 *     cc -O2 -I.. static_arena.c -lm -o static_arena && ./static_arena model.tflite
 */
#include <stdio.h>
#include <string.h>

#define NPU_RT_NO_MALLOC
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

static uint8_t g_model[8u << 20];   /* on a device: a const array in flash */
static uint8_t g_memory[32u << 20]; /* everything npu_rt holds */

static size_t read_model(const char *path) {
    FILE  *f = fopen(path, "rb");
    size_t n = f ? fread(g_model, 1, sizeof g_model, f) : 0;
    if (f) fclose(f);
    return n < sizeof g_model ? n : 0; /* a full buffer means that the model is larger */
}

static void print_output(int i, const npu_tensor *t) {
    size_t   k;
    unsigned sum = 0;
    for (k = 0; k < t->bytes; k++) sum = sum * 31u + ((const uint8_t *)t->data)[k];
    printf("output %d %s, %lu bytes, hash %08x\n", i, npu_type_name(t->type), (unsigned long)t->bytes, sum);
}

int main(int argc, char **argv) {
    npu_fixed_buffer buffer;
    npu_allocator    allocator = npu_fixed_allocator(&buffer, g_memory, sizeof g_memory);
    npu_model_desc   model_desc;
    npu_plan_desc    plan_desc;
    npu_session_desc session_desc;
    npu_model       *model = NULL;
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_memory       memory;
    npu_diag         diag;
    npu_tensor       t;
    size_t           n = argc == 2 ? read_model(argv[1]) : 0;
    int              i, ok;
    if (n == 0) {
        if (argc == 2) fprintf(stderr, "%s: unreadable, empty or too large\n", argv[1]);
        else fprintf(stderr, "usage: static_arena MODEL.tflite\n");
        return 2;
    }
    memset(&model_desc, 0, sizeof model_desc); /* zero means default; only the allocator has none here */
    memset(&plan_desc, 0, sizeof plan_desc);
    memset(&session_desc, 0, sizeof session_desc);
    model_desc.allocator = plan_desc.allocator = session_desc.allocator = allocator;
    ok = npu_model_open(&model, g_model, n, &model_desc, &diag) == NPU_OK &&
         npu_plan_create(&plan, model, &plan_desc, &diag) == NPU_OK &&
         npu_session_create(&session, plan, &session_desc, &diag) == NPU_OK;
    if (ok) {
        npu_plan_memory(plan, &memory);
        printf("session %lu bytes, of which arena %lu; all together %lu of %lu bytes\n",
               (unsigned long)memory.session_bytes, (unsigned long)memory.arena_bytes, (unsigned long)buffer.peak,
               (unsigned long)buffer.bytes);
        for (i = 0; npu_session_input(session, i, &t) == NPU_OK; i++)
            if (t.bytes > 0) memset(t.data, 0, t.bytes);
        ok = npu_session_invoke(session, &diag) == NPU_OK; /* takes no memory at all */
    }
    if (ok)
        for (i = 0; npu_session_output(session, i, &t) == NPU_OK; i++) print_output(i, &t);
    else
        fprintf(stderr, "%s: %s [%s]\n", argv[1], diag.text, diag.rule);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return ok ? 0 : npu_status_exit_code(diag.status);
}
