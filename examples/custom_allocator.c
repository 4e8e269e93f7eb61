/* A custom allocator: this one counts, sets a budget and proves that invoke takes nothing and that all comes back.
 *
 *     cc -O2 -I.. custom_allocator.c -lm -o custom_allocator && ./custom_allocator model.tflite
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

typedef struct budget {
    size_t limit, now, peak, calls;
} budget;

/* Plain C has no aligned malloc: take more, and keep malloc's own pointer in front of what is given out. */
static void *counting_alloc(void *user, size_t bytes, size_t align) {
    budget   *b = (budget *)user;
    uintptr_t p;
    void     *block;
    if (bytes > b->limit - b->now) return NULL; /* npu_rt reports that as OUT_OF_MEMORY */
    block = malloc(bytes + align + sizeof(void *));
    if (!block) return NULL;
    p = ((uintptr_t)block + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    memcpy((void *)(p - sizeof(void *)), &block, sizeof(void *));
    b->calls++;
    b->now += bytes;
    if (b->now > b->peak) b->peak = b->now;
    return (void *)p;
}

static void counting_free(void *user, void *ptr, size_t bytes) {
    void *block;
    if (!ptr) return;
    memcpy(&block, (char *)ptr - sizeof(void *), sizeof(void *));
    free(block);
    ((budget *)user)->now -= bytes;
}

static int run(const void *bytes, size_t n, budget *b) {
    npu_model_desc   model_desc;
    npu_plan_desc    plan_desc;
    npu_session_desc session_desc;
    npu_model       *model = NULL;
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_diag         diag;
    npu_tensor       t;
    size_t           before = 0;
    int              i, ok;
    memset(&model_desc, 0, sizeof model_desc);
    memset(&plan_desc, 0, sizeof plan_desc);
    memset(&session_desc, 0, sizeof session_desc);
    model_desc.allocator.user = b;
    model_desc.allocator.alloc = counting_alloc;
    model_desc.allocator.free = counting_free;
    plan_desc.allocator = session_desc.allocator = model_desc.allocator;
    ok = npu_model_open(&model, bytes, n, &model_desc, &diag) == NPU_OK &&
         npu_plan_create(&plan, model, &plan_desc, &diag) == NPU_OK &&
         npu_session_create(&session, plan, &session_desc, &diag) == NPU_OK;
    if (ok) {
        for (i = 0; npu_session_input(session, i, &t) == NPU_OK; i++)
            if (t.bytes > 0) memset(t.data, 0, t.bytes);
        before = b->calls;
        ok = npu_session_invoke(session, &diag) == NPU_OK;
    }
    if (ok) printf("invoke took memory %lu times\n", (unsigned long)(b->calls - before));
    else fprintf(stderr, "%s [%s]\n", diag.text, diag.rule);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return ok ? 0 : npu_status_exit_code(diag.status);
}

int main(int argc, char **argv) {
    static unsigned char bytes[8u << 20];
    budget               b = {64u << 20, 0, 0, 0};
    FILE                *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    int                  code;
    if (!f) {
        if (argc == 2) fprintf(stderr, "cannot read %s\n", argv[1]);
        else fprintf(stderr, "usage: custom_allocator MODEL.tflite\n");
        return 2;
    }
    code = run(bytes, fread(bytes, 1, sizeof bytes, f), &b);
    fclose(f);
    printf("%lu allocations, at most %lu bytes at once, %lu bytes not given back\n", (unsigned long)b.calls,
           (unsigned long)b.peak, (unsigned long)b.now);
    return code ? code : b.now != 0;
}
