/* A model's whole life under hard conditions: what it must say, with and without a diagnostic, with every allocation
 * failing in turn, and in a fixed buffer that must be empty afterwards. */
#ifndef TESTS_UNIT_RUNTIME_KIT_H
#define TESTS_UNIT_RUNTIME_KIT_H

#include "../hostile/counted.h"
#include "model_maker.h"
#include "test.h"

/* How a model is to be opened, planned and run. */
typedef struct life {
    npu_model_desc   md;
    npu_plan_desc    pd;
    npu_session_desc sd;
    int              runs, subgraph;
    const void      *input[4]; /* NULL: zeros */
} life;

static uint8_t life_output[256]; /* output 0 of the last run, as far as it fits */
static size_t  life_output_bytes;

static npu_status live_session(npu_session *s, const npu_model *model, const life *l, npu_diag *diag) {
    npu_status status = NPU_OK;
    npu_tensor t;
    for (int run = 0; status == NPU_OK && run < (l->runs ? l->runs : 1); run++) {
        for (int32_t i = 0; i < npu_model_input_count(model, l->subgraph); i++) {
            if (npu_session_input_of(s, l->subgraph, i, &t) != NPU_OK || !t.bytes) continue;
            if (i < 4 && l->input[i]) memcpy(t.data, l->input[i], t.bytes);
            else memset(t.data, 0, t.bytes);
        }
        status = npu_session_invoke_subgraph(s, l->subgraph, diag);
    }
    if (status == NPU_OK && npu_session_output_of(s, l->subgraph, 0, &t) == NPU_OK) {
        life_output_bytes = t.bytes;
        if (t.bytes) memcpy(life_output, t.data, t.bytes < sizeof life_output ? t.bytes : sizeof life_output);
    }
    return status;
}

static npu_status live(const uint8_t *bytes, size_t n, const life *l, npu_diag *diag) {
    npu_model   *model = NULL;
    npu_plan    *plan = NULL;
    npu_session *session = NULL;
    npu_status   s = npu_model_open(&model, bytes, n, &l->md, diag);
    if (s == NPU_OK) s = npu_plan_create(&plan, model, &l->pd, diag);
    if (s == NPU_OK) s = npu_session_create(&session, plan, &l->sd, diag);
    if (s == NPU_OK) s = live_session(session, model, l, diag);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return s;
}

static int life_says(npu_status s, const npu_diag *d, npu_status want, const char *rule) {
    if (s != want) return 0;
    return s == NPU_OK || (d->status == s && strcmp(d->rule, rule) == 0 && d->text[0]);
}

/* Every allocation fails in turn: the model then ends for want of memory, or as it would have; nothing stays behind. */
static void starve(const char *name, const uint8_t *bytes, size_t n, const life *l, npu_status want, const char *rule) {
    for (long fail_at = 1; fail_at < 3000; fail_at++) {
        life       starved = *l;
        counter    c;
        npu_diag   d;
        npu_status s;
        for (int with_diag = 0; with_diag < 2; with_diag++) {
            starved.md.allocator = starved.pd.allocator = starved.sd.allocator = counted(&c, fail_at);
            s = live(bytes, n, &starved, with_diag ? &d : NULL);
            if (c.live != 0) printf("    %s: %zu bytes stay behind after failed allocation %ld\n", name, c.live, fail_at);
            CHECK(c.live == 0);
            if (s == want || s == NPU_OUT_OF_MEMORY) continue;
            printf("    %s: status %s after failed allocation %ld\n", name, npu_status_name(s), fail_at);
            CHECK(0);
        }
        if (!life_says(s, &d, want, rule) && !(s == NPU_OUT_OF_MEMORY && d.status == s && d.rule[0] && d.text[0])) {
            printf("    %s: after failed allocation %ld: %s, %s\n", name, fail_at, d.rule, d.text);
            CHECK(0);
        }
        if (c.calls < fail_at) return;
    }
    CHECK_STR("still allocating", name);
}

static void in_fixed_buffer(const char *name, const uint8_t *bytes, size_t n, const life *l, npu_status want) {
    static uint64_t  space[(1 << 17) + 8];
    uint8_t         *aligned = (uint8_t *)space + (64 - (uintptr_t)space % 64) % 64; /* what aligns the first block stays */
    npu_fixed_buffer f;
    life             fixed = *l;
    npu_status       s;
    fixed.md.allocator = fixed.pd.allocator = fixed.sd.allocator = npu_fixed_allocator(&f, aligned, sizeof space - 64);
    s = live(bytes, n, &fixed, NULL);
    if (s != want) printf("    %s: in a fixed buffer: %s\n", name, npu_status_name(s));
    CHECK(s == want);
    if (f.used) printf("    %s: %zu bytes of the fixed buffer stay in use\n", name, f.used);
    CHECK(f.used == 0);
}

/* The model's life must end with this status and this rule. */
static void expect_file(const char *name, const uint8_t *bytes, size_t n, const life *l, npu_status want, const char *rule) {
    npu_diag   d;
    npu_status s = live(bytes, n, l, &d);
    if (!life_says(s, &d, want, rule)) {
        printf("    %s: %s, %s: %s; want %s, %s\n", name, npu_status_name(s), s ? d.rule : "", s ? d.text : "",
               npu_status_name(want), rule);
        CHECK(0);
        return;
    }
    CHECK_INT(live(bytes, n, l, NULL), want);
    starve(name, bytes, n, l, want, rule);
    in_fixed_buffer(name, bytes, n, l, want);
}

static void expect(const char *name, const mk *m, const life *l, npu_status want, const char *rule) {
    static const life plain;
    size_t            n;
    const uint8_t    *bytes = mk_file(m, &n);
    expect_file(name, bytes, n, l ? l : &plain, want, rule);
}

/* y = x + constant, float, 2 x 3: what most tests break in one place. Tensors 0 x, 1 constant, 2 y. */
static void make_add(mk *m) {
    static const float one[6] = {1, 2, 3, 4, 5, 6};
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1));
    mk_const(m, 0, NPU_FLOAT32, 2, 3, one, sizeof one);
    mk_out(m, 0, mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1));
    mk_options(mk_node(m, 0, MK_ADD, 0, 1, -9, 2), MK_O_ADD, "1", 0, 0);
}

#endif
