/* Budgets: memory that is limited or runs out at every possible place, steps of work, cancelling, threads. */
#ifndef TESTS_UNIT_RUNTIME_MEMORY_H
#define TESTS_UNIT_RUNTIME_MEMORY_H

#include "runtime_offline.h"

/* Small pieces come from blocks of a few kilobytes, so most never ask the allocator. Tensors and channels in front move
 * each piece in turn to the start of a new block. */
static void widen(mk *m, int channels, int outputs) {
    int t = mk_t(m, 0, NPU_FLOAT32, channels > 250 ? 250 : channels + 1, -1, -1, -1);
    m->g[0].t[t].n_scale = m->g[0].t[t].n_zero = channels > 250 ? 250 : channels + 1;
    for (int i = 0; i < 4; i++) m->g[0].t[t].scale[i] = 1;
    if (channels > 250) widen(m, channels - 250, 0);
    while (m->g[0].n_out < outputs) mk_out(m, 0, m->g[0].out[0]);
}

TEST(memory_runs_out_anywhere) {
    static mk m;
    static void (*const make[])(mk *m) = {make_while, make_if, make_variable, make_compiled};
    static const life plain;
    npu_diag          d;
    for (size_t k = 0; k < sizeof make / sizeof make[0]; k++) {
        for (int channels = 0; channels < 600; channels += 4) {
            const uint8_t *bytes;
            size_t         n;
            make[k](&m);
            add_sig(&m);
            m.sig[0].n_in = 0;
            m.sig[0].out[0] = m.g[0].out[0];
            widen(&m, channels, channels & 4 ? 1 : 6);
            bytes = mk_file(&m, &n);
            if (!CHECK_INT(live(bytes, n, &plain, &d), NPU_OK)) printf("    model %d: %s: %s\n", (int)k, d.rule, d.text);
            starve("widened", bytes, n, &plain, NPU_OK, "");
        }
    }
}

/* The same for the plan, whose pieces grow with operators and tensors. */
static void lengthen(mk *m, int tensors, int ops) {
    int last = m->g[0].out[0];
    for (int i = 0; i < ops; i++) {
        int next = mk_t(m, 0, m->g[0].t[last].type, 1, -1, -1, -1);
        m->g[0].t[next] = m->g[0].t[last];
        mk_node(m, 0, MK_RESHAPE, last, -9, -9, next);
        mk_options(&m->g[0].op[m->g[0].n_ops - 1], MK_O_RESHAPE, "v", 2 | (int64_t)3 << 32, 0);
        last = next;
    }
    m->g[0].out[0] = last;
    for (int i = 0; i < tensors; i++) mk_t(m, 0, NPU_FLOAT32, 1, -1, -1, -1);
}

TEST(memory_of_plans_runs_out_anywhere) {
    static mk         m;
    static const life plain;
    for (int compiled = 0; compiled < 2; compiled++) {
        for (int tensors = 0; tensors < 12; tensors++) {
            for (int ops = 0; ops < 10; ops++) {
                const uint8_t *bytes;
                size_t         n;
                if (compiled) make_compiled(&m);
                else make_add(&m);
                if (!compiled) lengthen(&m, tensors, ops);
                else for (int i = 0; i < tensors + ops; i++) mk_t(&m, 0, NPU_FLOAT32, 1, -1, -1, -1);
                bytes = mk_file(&m, &n);
                CHECK_INT(live(bytes, n, &plain, NULL), NPU_OK);
                starve("lengthened", bytes, n, &plain, NPU_OK, "");
            }
        }
    }
}

/* Every limit from nothing to enough: LIMIT below it, then a run; and never a byte more than the limit. */
TEST(every_memory_limit) {
    static mk m;
    static void (*const make[])(mk *m) = {make_add, make_while, make_fill, make_compiled, make_variable};
    for (size_t k = 0; k < sizeof make / sizeof make[0]; k++) {
        for (int of_plan = 0; of_plan < 2; of_plan++) {
            int            enough = 0;
            const uint8_t *bytes;
            size_t         n;
            make[k](&m);
            bytes = mk_file(&m, &n);
            for (uint64_t limit = 1; limit < 60000 && enough < 3; limit += 97) {
                life       l;
                counter    c;
                npu_diag   d;
                npu_status s;
                memset(&l, 0, sizeof l);
                l.input[0] = k == 2 ? two_three : NULL;
                if (of_plan) {
                    l.pd.max_memory_bytes = limit;
                    l.pd.allocator = l.sd.allocator = counted(&c, 0);
                } else {
                    l.md.max_memory_bytes = limit;
                    l.md.allocator = counted(&c, 0);
                }
                s = live(bytes, n, &l, &d);
                CHECK(c.live == 0);
                if (!CHECK(s == NPU_OK || s == NPU_LIMIT)) printf("    limit %d: %s: %s\n", (int)limit, d.rule, d.text);
                CHECK(s == NPU_OK || (d.status == s && strcmp(d.rule, "api.null") != 0 && d.text[0]));
                CHECK(c.peak <= limit);
                CHECK(!(enough && s != NPU_OK));
                CHECK_INT(live(bytes, n, &l, NULL), s);
                enough += s == NPU_OK;
            }
            CHECK(enough == 3);
        }
    }
}

/* ---- work and cancelling ---- */

typedef struct patience {
    long asked, stop_at;
} patience;

static int impatient(void *user) {
    patience *p = (patience *)user;
    return ++p->asked >= p->stop_at && p->stop_at > 0;
}

/* y = x + constant of many elements, so that one operator is polled inside. */
static void make_large_add(mk *m) {
    static const float one = 1;
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, 1024, 1024, -1, -1));
    mk_const(m, 0, NPU_FLOAT32, 1, -1, &one, 4);
    mk_out(m, 0, mk_t(m, 0, NPU_FLOAT32, 1024, 1024, -1, -1));
    mk_options(mk_node(m, 0, MK_ADD, 0, 1, -9, 2), MK_O_ADD, "1", 0, 0);
}

TEST(cancelling) {
    static mk      m;
    const uint8_t *bytes;
    size_t         n;
    make_large_add(&m);
    bytes = mk_file(&m, &n);
    for (int threads = 1; threads <= 3; threads += 2) {
        long times;
        life     l;
        patience p = {0, 0};
        npu_diag d;
        memset(&l, 0, sizeof l);
        l.pd.threads = threads;
        l.sd.cancel = impatient;
        l.sd.cancel_user = &p;
        CHECK_INT(live(bytes, n, &l, &d), NPU_OK);
        CHECK(p.asked > 0);
        times = p.asked;
        for (long stop_at = 1; stop_at <= times; stop_at++) {
            p.asked = 0;
            p.stop_at = stop_at;
            CHECK_INT(live(bytes, n, &l, &d), NPU_CANCELLED);
            CHECK_STR(d.rule, "session.cancelled");
            CHECK_INT(p.asked, stop_at);
            p.asked = 0;
            CHECK_INT(live(bytes, n, &l, NULL), NPU_CANCELLED);
        }
    }
}

TEST(cancelling_loops) {
    static mk m;
    life      l;
    patience  p = {0, 3};
    npu_diag  d;
    size_t    n;
    make_while(&m);
    m.buffer[m.g[2].t[1].buffer].p = "\0\0\0"; /* x + 0: an endless loop */
    memset(&l, 0, sizeof l);
    l.sd.cancel = impatient;
    l.sd.cancel_user = &p;
    l.sd.max_loop_runs = (int64_t)1 << 40;
    {
        const uint8_t *bytes = mk_file(&m, &n);
        CHECK_INT(live(bytes, n, &l, &d), NPU_CANCELLED);
        CHECK_STR(d.rule, "session.cancelled");
        l.sd.cancel = NULL;
        for (int64_t work = 1; work < 2000; work += 111) {
            l.sd.max_work = work;
            CHECK_INT(live(bytes, n, &l, &d), NPU_LIMIT);
            CHECK_STR(d.rule, "session.work");
        }
    }
}

CHANGE(work_of_open_shape) { (void)m; l->input[0] = two_three; l->sd.max_work = 5; }
CHANGE(work_enough) { (void)m; l->input[0] = two_three; l->sd.max_work = 1000; }
static const rule_case work_cases[] = {
    {"work that is known only while running", work_of_open_shape, NPU_LIMIT, "session.work"},
    {"enough work", work_enough, NPU_OK, ""},
};

TEST(work_limits) { run_cases(make_fill, work_cases, sizeof work_cases / sizeof work_cases[0]); }

/* A run that ends between a new shape and its memory leaves no value: neither the old one, nor the old memory with the new shape. */
TEST(stopped_before_there_is_room) {
    static mk           m;
    static const int32_t much[2] = {200, 300};
    npu_session_desc    sd;
    npu_tensor          t;
    npu_diag            d;
    made                x;
    memset(&sd, 0, sizeof sd);
    sd.max_work = 1000;
    make_fill(&m);
    x = make_all(&m, NULL, &sd);
    CHECK_INT(npu_session_input(x.session, 0, &t), NPU_OK);
    memcpy(t.data, two_three, sizeof two_three);
    CHECK_INT(npu_session_invoke(x.session, NULL), NPU_OK);
    for (int32_t i = 2; i < 4; i++) {
        CHECK_INT(npu_session_tensor(x.session, 0, i, &t, NULL), NPU_OK);
        CHECK_INT(t.bytes, 24);
    }
    CHECK_INT(npu_session_input(x.session, 0, &t), NPU_OK);
    memcpy(t.data, much, sizeof much);
    CHECK_INT(npu_session_invoke(x.session, &d), NPU_LIMIT);
    CHECK_STR(d.rule, "session.work");
    CHECK_INT(npu_session_tensor(x.session, 0, 2, &t, &d), NPU_RUNTIME);
    CHECK_STR(d.rule, "session.no_value");
    drop_all(&x);
}

#endif
