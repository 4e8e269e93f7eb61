/* Hostile bytes and hard times: truncated and mutated models, arenas one byte short, allocations that fail. Built with
 * ASan and UBSan by tests/run; every outcome must be a clean error or a run.
 *
 *     hostile MUTANTS MODEL...    all truncations of the first two models; MUTANTS mutants spread over all of them */
#include "npu_rt.h"
#include <stdio.h>
#include <stdlib.h>

#include "counted.h"

#define MAX_MODEL ((size_t)1 << 20)
#define MAX_MACS ((int64_t)1 << 24) /* a mutant may ask for days of work: planning it is enough then */

static long passed, failed;

static void check(int ok, const char *what, long n, const npu_diag *diag) {
    if (ok) { passed++; return; }
    failed++;
    printf("FAIL %s %ld: rule %s, %s\n", what, n, diag->rule, diag->text);
}

static uint64_t rng_state;
static uint32_t rng(uint32_t limit) {
    uint64_t z = rng_state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) % limit);
}

/* Every subgraph's inputs get bytes; small ones too, so that index tensors are not always out of range. */
static void fill_inputs(const npu_model *model, npu_session *s) {
    for (int32_t g = 0; g < npu_model_subgraph_count(model); g++) {
        for (int32_t i = 0; i < npu_model_input_count(model, g); i++) {
            npu_tensor t;
            if (npu_session_input_of(s, g, i, &t) != NPU_OK || !t.bytes) continue;
            for (size_t b = 0; b < t.bytes; b++) ((uint8_t *)t.data)[b] = (uint8_t)(rng(4) ? 0 : rng(256));
        }
    }
}

static int64_t total_macs(const npu_model *model, npu_session *s) {
    int64_t macs = 0;
    for (int32_t g = 0; g < npu_model_subgraph_count(model); g++) {
        for (int32_t i = 0; i < npu_session_op_count(s, g); i++) {
            npu_op_profile p;
            if (npu_session_op_profile(s, g, i, &p) == NPU_OK && p.macs > 0) macs += p.macs;
            if (macs > MAX_MACS) return macs;
        }
    }
    return macs;
}

/* A failure must say which rule broke, in words. */
static int is_clean(npu_status status, const npu_diag *d) {
    return status == NPU_OK || (status == d->status && d->rule && d->rule[0] && d->text[0]);
}

/* Everything a caller does, with an allocator that may fail. Returns the first failure. */
static npu_status live(const uint8_t *bytes, size_t n, const npu_allocator *a, npu_diag *diag) {
    npu_model       *model = NULL;
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_model_desc   md;
    npu_plan_desc    pd;
    npu_session_desc sd;
    npu_status       s;
    memset(&md, 0, sizeof md);
    memset(&pd, 0, sizeof pd);
    memset(&sd, 0, sizeof sd);
    sd.max_loop_runs = 1000;
    if (a) md.allocator = pd.allocator = sd.allocator = *a;
    md.max_tensor_bytes = (uint64_t)1 << 24;
    pd.max_memory_bytes = (uint64_t)1 << 26;
    s = npu_model_open(&model, bytes, n, &md, diag);
    if (s == NPU_OK) s = npu_plan_create(&plan, model, &pd, diag);
    if (s == NPU_OK) s = npu_session_create(&session, plan, &sd, diag);
    if (s == NPU_OK && total_macs(model, session) <= MAX_MACS) {
        for (int32_t g = 0; s == NPU_OK && g < npu_model_subgraph_count(model); g++) {
            fill_inputs(model, session);
            s = npu_session_invoke_subgraph(session, g, diag);
        }
    }
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return s;
}

/* The copy ends exactly at the end of its allocation: one byte too far is seen by the sanitizer. */
static npu_status live_copy(const uint8_t *bytes, size_t n, npu_diag *diag) {
    uint8_t   *copy = (uint8_t *)malloc(n ? n : 1);
    npu_status s;
    if (!copy) exit(2);
    memcpy(copy, bytes, n);
    s = live(copy, n, NULL, diag);
    free(copy);
    return s;
}

static void truncations(const uint8_t *bytes, size_t n, const char *name) {
    npu_diag diag;
    for (size_t k = 0; k < n; k++) {
        npu_status s = live_copy(bytes, k, &diag);
        check(is_clean(s, &diag), name, (long)k, &diag);
    }
}

static void mutate(uint8_t *m, size_t n) {
    static const uint32_t odd[] = {0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu, 0xFFFFu, 0x10000u, 64};
    uint32_t              count = 1 + rng(8);
    for (uint32_t i = 0; i < count; i++) {
        size_t   at = rng(3) ? rng((uint32_t)n) : rng((uint32_t)(n < 4096 ? n : 4096));
        uint32_t v = rng(2) ? odd[rng(sizeof odd / sizeof odd[0])] : rng(0xFFFFFFFFu);
        size_t   width = (size_t)1 << rng(3);
        if (rng(4) == 0) m[at] ^= (uint8_t)(1u << rng(8));
        else memcpy(m + at, &v, width < n - at ? width : n - at);
    }
}

static void mutants(const uint8_t *bytes, size_t n, long count, const char *name) {
    npu_diag diag;
    uint8_t *m = (uint8_t *)malloc(n);
    if (!m) exit(2);
    for (long i = 0; i < count; i++) {
        npu_status s;
        memcpy(m, bytes, n);
        mutate(m, n);
        s = live_copy(m, n, &diag);
        check(is_clean(s, &diag), name, i, &diag);
    }
    free(m);
}

static void failing_allocations(const uint8_t *bytes, size_t n, const char *name) {
    npu_diag diag;
    counter  c;
    for (long fail_at = 1; fail_at < 100000; fail_at++) {
        npu_allocator a = counted(&c, fail_at);
        npu_status    s = live(bytes, n, &a, &diag);
        check(c.live == 0, "leak after a failed allocation", fail_at, &diag);
        if (c.calls < fail_at) { /* it was never reached: the run is complete */
            check(s == NPU_OK, name, fail_at, &diag);
            return;
        }
        check(s == NPU_OUT_OF_MEMORY && is_clean(s, &diag), name, fail_at, &diag);
    }
}

static void short_arena(const uint8_t *bytes, size_t n, const char *name) {
    npu_model       *model = NULL;
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_session_desc sd;
    npu_memory       mem;
    npu_diag         diag;
    uint8_t         *block;
    npu_status       s;
    if (npu_model_open(&model, bytes, n, NULL, &diag) != NPU_OK || npu_plan_create(&plan, model, NULL, &diag) != NPU_OK) {
        check(0, name, 0, &diag);
        npu_model_close(model);
        return;
    }
    npu_plan_memory(plan, &mem);
    memset(&sd, 0, sizeof sd);
    {
        void *p = NULL;
        if (posix_memalign(&p, 64, mem.session_bytes) != 0) exit(2);
        block = (uint8_t *)p;
    }
    sd.memory = block;
    sd.memory_bytes = mem.session_bytes - 1;
    s = npu_session_create(&session, plan, &sd, &diag);
    check(s == NPU_OUT_OF_MEMORY && !session && is_clean(s, &diag), "one byte short", 0, &diag);
    sd.memory_bytes = mem.session_bytes;
    sd.memory = block + 1;
    s = npu_session_create(&session, plan, &sd, &diag);
    check(s == NPU_INVALID_ARGUMENT && !session && is_clean(s, &diag), "misaligned memory", 0, &diag);
    sd.memory = block; /* exactly enough: the sanitizer sees a byte too far */
    s = npu_session_create(&session, plan, &sd, &diag);
    check(s == NPU_OK, "exact memory", 0, &diag);
    if (s == NPU_OK) {
        fill_inputs(model, session);
        s = npu_session_invoke(session, &diag);
        check(s == NPU_OK || s == NPU_BAD_INPUT, "run in exact memory", 0, &diag);
        npu_session_destroy(session);
    }
    free(block);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

/* Constants at any alignment: the same file at eight addresses gives the same bytes out. */
static void misaligned(const uint8_t *bytes, size_t n, const char *name) {
    npu_diag diag;
    uint8_t *block = (uint8_t *)malloc(n + 8);
    if (!block) exit(2);
    for (size_t shift = 0; shift < 8; shift++) {
        npu_status s;
        memcpy(block + shift, bytes, n);
        s = live(block + shift, n, NULL, &diag);
        check(s == NPU_OK || s == NPU_BAD_INPUT, name, (long)shift, &diag);
    }
    free(block);
}

int main(int argc, char **argv) {
    long count = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 2; i < argc; i++) {
        uint8_t *bytes = (uint8_t *)malloc(MAX_MODEL);
        FILE    *f = fopen(argv[i], "rb");
        size_t   n = f && bytes ? fread(bytes, 1, MAX_MODEL, f) : 0;
        if (f) fclose(f);
        if (n == 0 || n == MAX_MODEL) {
            printf("FAIL cannot use %s\n", argv[i]);
            return 2;
        }
        rng_state = 0x1234u + (uint64_t)i;
        if (i < 4) truncations(bytes, n, "truncation");
        mutants(bytes, n, count / (argc - 2) + 1, argv[i]);
        failing_allocations(bytes, n, "failing allocation");
        short_arena(bytes, n, argv[i]);
        misaligned(bytes, n, "misaligned model");
        free(bytes);
        fprintf(stderr, "hostile: %s done\n", argv[i]);
    }
    printf("hostile: %ld passed, %ld failed\n", passed, failed);
    return failed || !passed;
}
