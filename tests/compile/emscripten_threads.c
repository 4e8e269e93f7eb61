/* The thread pool under Emscripten's pthreads: the digit network on many images at once, on one thread and on four.
 * emscripten.py makes digits_model.h (digits_model[], digits_model_size), builds this file and runs it under node. */
#define NPU_RT_THREADS
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"
#include <stdio.h>

#include "digits_model.h"

#define IMAGES 256 /* so many that the operators have work for all threads */
#define RUNS 20

static int8_t one[IMAGES * 10], four[IMAGES * 10];

static int fail(const npu_diag *diag) {
    printf("%s [%s]\n", diag->text, diag->rule);
    return 0;
}

/* Also says, by *loops, how often work was handed to the pool. */
static int run(int32_t threads, int8_t *result, uint64_t *loops) {
    npu_input_shape shape = {0, 0, 4, {IMAGES, 8, 8, 1}};
    npu_plan_desc   desc;
    npu_model      *model = NULL;
    npu_plan       *plan = NULL;
    npu_session    *s = NULL;
    npu_diag        diag;
    npu_tensor      t;
    int             ok;
    memset(&desc, 0, sizeof desc);
    desc.input_shapes = &shape;
    desc.n_input_shapes = 1;
    desc.threads = threads;
    ok = npu_model_open(&model, digits_model, digits_model_size, NULL, &diag) == NPU_OK &&
         npu_plan_create(&plan, model, &desc, &diag) == NPU_OK &&
         npu_session_create(&s, plan, NULL, &diag) == NPU_OK;
    if (!ok) return fail(&diag);
    for (int i = 0; i < RUNS && ok; i++) {
        uint32_t seed = 1;
        npu_session_input(s, 0, &t);
        for (size_t k = 0; k < t.bytes; k++) {
            seed = seed * 1664525u + 1013904223u;
            ((int8_t *)t.data)[k] = (int8_t)((int32_t)((seed >> 24) & 15) - 8);
        }
        ok = npu_session_invoke(s, &diag) == NPU_OK;
    }
    if (!ok) return fail(&diag);
    npu_session_output(s, 0, &t);
    if (t.bytes != sizeof one) return 0;
    memcpy(result, t.data, t.bytes);
    *loops = threads > 1 && s->threads.n == threads ? s->threads.ticket.word : 0;
    printf("%d thread(s): %d running, kernels for %s\n", (int)threads, (int)s->threads.n,
           npu_isa_name(npu_plan_isa(plan)));
    npu_session_destroy(s);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return 1;
}

static int check(const char *what, int ok) {
    printf("%s %s\n", ok ? "ok  " : "FAIL", what);
    return ok ? 0 : 1;
}

int main(void) {
    uint64_t loops = 0;
    int      failed = check("one thread runs", run(1, one, &loops));
    failed += check("four threads run", run(4, four, &loops));
    failed += check("the pool of four was used", loops > 0);
    failed += check("four threads compute what one does", memcmp(one, four, sizeof one) == 0);
    printf("%d passed, %d failed\n", 4 - failed, failed);
    return failed != 0;
}
