/* The tests of test_segments.c and test_segments_bare.c. Include segments_kit.h before. */
#ifndef TESTS_UNIT_SEGMENTS_MORE_H
#define TESTS_UNIT_SEGMENTS_MORE_H

static npu_plan_desc on_loopback(void) {
    npu_plan_desc pd;
    memset(&pd, 0, sizeof pd);
    pd.backend = "loopback";
    return pd;
}

static int      most_segments;
static uint64_t in_segments;

/* Segments are runs of neighbours; those that come first say so. */
static void check_rows(npu_session *session, int32_t n_subgraphs) {
    for (int32_t s = 0; s < n_subgraphs; s++) {
        int32_t segments = 0, open = -1;
        for (int32_t i = 0; i < npu_session_op_count(session, s); i++) {
            npu_op_profile p;
            CHECK_INT(npu_session_op_profile(session, s, i, &p), NPU_OK);
            CHECK((p.vendor != NULL) == (p.segment >= 0));
            if (p.segment < 0 && p.steps == 0) continue; /* it is empty, and may stand inside */
            if (p.vendor) CHECK_STR(p.kernel, "loopback");
            if (p.segment >= 0 && p.segment != open) CHECK_INT(p.segment, p.op);
            segments += p.segment >= 0 && p.segment != open;
            in_segments += p.segment >= 0;
            CHECK(p.segment < 0 || open < 0 || p.segment >= open);
            open = p.segment;
        }
        if (segments > most_segments) most_segments = segments;
    }
}

/* Runs both plans side by side: several times, for variables; again after a reset. */
static int compare(const npu_model *model, const npu_plan_desc *pd, uint32_t seed) {
    npu_plan    *plans[2] = {NULL, NULL};
    npu_session *sessions[2] = {NULL, NULL};
    npu_diag     d;
    int          same = 1;
    memset(&d, 0, sizeof d);
    if (!CHECK_INT(npu_plan_create(&plans[0], model, NULL, &d), NPU_OK)) printf("    %s\n", d.text);
    if (!CHECK_INT(npu_plan_create(&plans[1], model, pd, &d), NPU_OK)) printf("    %s\n", d.text);
    for (int k = 0; k < 2; k++) if (plans[k]) CHECK_INT(npu_session_create(&sessions[k], plans[k], NULL, &d), NPU_OK);
    for (int run = 0; sessions[0] && sessions[1] && run < 6; run++) {
        npu_status s[2];
        for (int k = 0; k < 2; k++) {
            if (run == 4) npu_session_reset(sessions[k]);
            kit_fill(sessions[k], seed + (uint32_t)run, run & 1);
            s[k] = npu_session_invoke(sessions[k], &d);
            if (!CHECK_INT(s[k], NPU_OK)) printf("    %s\n", d.text);
        }
        same = same && kit_same(sessions[0], sessions[1]);
    }
    if (sessions[1]) check_rows(sessions[1], npu_model_subgraph_count(model));
    for (int k = 0; k < 2; k++) {
        npu_session_destroy(sessions[k]);
        npu_plan_destroy(plans[k]);
    }
    return same;
}

static void sweep(uint32_t from, uint32_t to, int n_ops, int calls, int dynamic, const npu_plan_desc *pd) {
    for (uint32_t seed = from; seed < to; seed++) {
        npu_model *model;
        npu_diag   d;
        memset(&loop, 0, sizeof loop);
        if (!CHECK_INT(kit_model(&model, seed, n_ops, calls, dynamic, &d), NPU_OK)) {
            printf("    %s\n", d.text);
            return;
        }
        if (!CHECK(compare(model, pd, seed))) printf("    seed %u\n", (unsigned)seed);
        CHECK_INT(loop.released, loop.prepared);
        CHECK_INT(loop.prepared, loop.lowered);
        npu_model_close(model);
    }
}

TEST(generated_networks_give_the_same) {
    npu_plan_desc pd = on_loopback();
    most_segments = 0;
    in_segments = 0;
    for (int n_ops = 1; n_ops <= 24; n_ops++) sweep((uint32_t)n_ops * 100, (uint32_t)n_ops * 100 + 40, n_ops, 0, 0, &pd);
    CHECK(most_segments >= 5);
    CHECK(in_segments > 4000);
}

TEST(called_and_dynamic_give_the_same) {
    npu_plan_desc pd = on_loopback();
    most_segments = 0;
    sweep(5000, 5100, 12, 1, 0, &pd);
    sweep(5100, 5200, 12, 0, 1, &pd);
    sweep(5200, 5300, 20, 1, 1, &pd);
    CHECK(most_segments >= 4);
}

/* The older rules take two operators only: more and other borders. The CPU's own name takes nothing. */
TEST(profiles_and_borders) {
    npu_plan_desc pd = on_loopback();
    pd.profile = "old";
    sweep(6000, 6100, 16, 1, 1, &pd);
    CHECK(loop.lowered > 0);
    pd.backend = "none";
    pd.profile = NULL;
    sweep(6100, 6103, 16, 1, 1, &pd);
    CHECK_INT(loop.lowered, 0);
}

TEST(long_networks) {
    npu_plan_desc pd = on_loopback();
    sweep(7000, 7004, 140, 1, 1, &pd);
}

static npu_status plan_of(const npu_plan_desc *pd, npu_diag *d) {
    npu_model *model;
    npu_plan  *plan = NULL;
    npu_status s = kit_model(&model, 77, 10, 0, 0, d);
    if (s == NPU_OK) s = npu_plan_create(&plan, model, pd, d);
    CHECK((plan != NULL) == (s == NPU_OK));
    npu_plan_destroy(plan);
    npu_model_close(model);
    return s;
}

TEST(names) {
    npu_plan_desc pd = on_loopback();
    npu_diag      d;
    memset(&loop, 0, sizeof loop);
    CHECK_INT(plan_of(&pd, &d), NPU_OK);
    pd.profile = "older";
    CHECK_INT(plan_of(&pd, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.profile");
    pd.profile = NULL;
    pd.backend = "nobody";
    CHECK_INT(plan_of(&pd, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.name");
    pd.backend = "";
    CHECK_INT(plan_of(&pd, &d), NPU_INVALID_ARGUMENT);
#if NPU__HAS_REPORTS
    pd.backend = "ethos-u55-128";
    CHECK_INT(plan_of(&pd, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "plan.analysis_only");
    CHECK_HAS(d.text, "ethos-u55-128");
#endif
}

/* The seed of a network of 14 operators with three segments or more, one of which has three operators. */
static uint32_t busy(void) {
    static uint32_t  seed;
    const loop_state kept = loop;
    npu_plan_desc    pd = on_loopback();
    int              enough = seed > 0;
    while (!enough) {
        npu_model *model;
        npu_plan  *plan;
        npu_diag   d;
        memset(&loop, 0, sizeof loop);
        CHECK_INT(kit_model(&model, ++seed, 14, 0, 0, &d), NPU_OK);
        CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
        npu_plan_destroy(plan);
        npu_model_close(model);
        enough = loop.lowered >= 3 && loop.largest >= 3;
    }
    loop = kept;
    return seed;
}

/* Model, plan and session, and one run, with a failure somewhere. */
static npu_status all_of(const npu_plan_desc *pd, const npu_session_desc *sd, uint32_t seed, npu_diag *d) {
    npu_model   *model;
    npu_plan    *plan = NULL;
    npu_session *session = NULL;
    npu_status   s = kit_model(&model, seed, 14, 0, 0, d);
    CHECK_INT(s, NPU_OK);
    TRY(npu_plan_create(&plan, model, pd, d));
    TRY(npu_session_create(&session, plan, sd, d));
    CHECK((session != NULL) == (s == NPU_OK));
    if (s == NPU_OK) {
        kit_fill(session, 1, 1);
        s = npu_session_invoke(session, d);
        if (s != NPU_OK && loop.fail == LOOP_INVOKE) { /* the session goes on when what failed is over */
            npu_status again;
            loop.fail = LOOP_NEVER;
            again = npu_session_invoke(session, NULL);
            CHECK_INT(again, NPU_OK);
        }
    }
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return s;
}

TEST(failures) {
    static const char *const rules[] = {"", "segment.lower", "segment.prepare", "segment.invoke"};
    static const npu_status  codes[] = {NPU_UNSUPPORTED, NPU_RUNTIME, NPU_OUT_OF_MEMORY, NPU_LIMIT, NPU_BAD_INPUT};
    npu_plan_desc            pd = on_loopback();
    npu_diag                 d;
    for (int phase = LOOP_LOWER; phase <= LOOP_INVOKE; phase++) {
        for (int k = 0; k < 5 * 2 * 2; k++) {
            memset(&loop, 0, sizeof loop);
            loop.fail = (loop_phase)phase;
            loop.status = (int)codes[k % 5];
            loop.silent = k / 5 % 2;
            loop.at_segment = k / 10;
            CHECK_INT(all_of(&pd, NULL, busy(), &d), codes[k % 5]);
            CHECK_INT(d.status, codes[k % 5]);
            CHECK_STR(d.rule, loop.silent ? rules[phase] : "loopback.fails");
            CHECK(d.op_name[0] && d.subgraph == 0 && d.op >= 0);
            if (phase == LOOP_PREPARE) CHECK_INT(loop.released, loop.at_segment);
            if (phase == LOOP_INVOKE) CHECK_INT(loop.released, loop.prepared);
        }
    }
}

/* Only what cannot be compiled goes back, and only when asked. */
TEST(fallback) {
    npu_plan_desc pd = on_loopback();
    npu_diag      d;
    int           lowered;
    memset(&loop, 0, sizeof loop);
    CHECK_INT(all_of(&pd, NULL, busy(), &d), NPU_OK);
    lowered = loop.lowered;
    CHECK(lowered >= 2);
    pd.fallback = 1;
    for (int at = 0; at < lowered; at++) {
        npu_model *model;
        CHECK_INT(kit_model(&model, busy(), 14, 0, 0, &d), NPU_OK);
        for (int silent = 0; silent < 2; silent++) {
            memset(&loop, 0, sizeof loop);
            loop.fail = LOOP_LOWER;
            loop.status = (int)NPU_UNSUPPORTED;
            loop.at_segment = at;
            loop.silent = silent;
            CHECK(compare(model, &pd, 1));
            CHECK_INT(loop.lowered, lowered);
            CHECK_INT(loop.prepared, lowered - 1);
            CHECK_INT(loop.released, lowered - 1);
        }
        npu_model_close(model);
    }
    memset(&loop, 0, sizeof loop);
    loop.fail = LOOP_LOWER;
    loop.status = (int)NPU_RUNTIME;
    CHECK_INT(all_of(&pd, NULL, busy(), &d), NPU_RUNTIME);
}

/* A session's operators that the CPU runs for this reason. */
static int fell_back(const npu_session *session, const char *why) {
    npu_op_profile p;
    int            n = 0;
    for (int32_t i = 0; npu_session_op_profile(session, 0, i, &p) == NPU_OK; i++) {
        if (!p.fallback) continue;
        CHECK(p.vendor == NULL && p.segment >= 0 && p.kernel);
        CHECK_STR(p.fallback, why);
        n++;
    }
    return n;
}

/* A device that fails in a session, or in the middle of a run: the CPU takes over at once and from then on. Not where that would
 * count twice what an operator keeps. */
TEST(fallback_of_devices) {
    static const char *const rules[] = {"", "", "segment.prepare", "segment.invoke"};
    int                      over = 0, kept = 0;
    for (uint32_t seed = 8000; seed < 8060; seed++) {
        for (int k = 0; k < 2 * 2 * 2; k++) {
            npu_plan_desc pd = on_loopback();
            npu_plan     *plans[2];
            npu_session  *sessions[2];
            npu_model    *model;
            npu_diag      d;
            npu_status    s = NPU_OK;
            const int     phase = k % 2 ? LOOP_PREPARE : LOOP_INVOKE;
            memset(&loop, 0, sizeof loop);
            pd.fallback = 1;
            CHECK_INT(kit_model(&model, seed, 14, 1, 1, &d), NPU_OK);
            CHECK_INT(npu_plan_create(&plans[0], model, NULL, &d), NPU_OK);
            CHECK_INT(npu_plan_create(&plans[1], model, &pd, &d), NPU_OK);
            loop.fail = (loop_phase)phase;
            loop.silent = k / 2 % 2;
            loop.status = (int)(k / 4 ? NPU_RUNTIME : NPU_UNSUPPORTED);
            loop.at_segment = (int)seed % 3;
            for (int i = 0; i < 2; i++) CHECK_INT(npu_session_create(&sessions[i], plans[i], NULL, k & 1 ? &d : NULL), NPU_OK);
            for (uint32_t run = 0; s == NPU_OK && run < 3; run++) {
                for (int i = 0; i < 2; i++) kit_fill(sessions[i], seed + run, (int)run & 1);
                CHECK_INT(npu_session_invoke(sessions[0], &d), NPU_OK);
                s = npu_session_invoke(sessions[1], &d);
                CHECK(s != NPU_OK || kit_same(sessions[0], sessions[1]));
            }
            if (s == NPU_OK) over += fell_back(sessions[1], loop.silent ? rules[phase] : "loopback.fails");
            else kept += CHECK_INT(s, loop.status) && CHECK_INT(phase, LOOP_INVOKE);
            for (int i = 0; i < 2; i++) {
                npu_session_destroy(sessions[i]);
                npu_plan_destroy(plans[i]);
            }
            if (phase == LOOP_PREPARE && loop.prepared > loop.at_segment) CHECK_INT(loop.released, loop.prepared - 1);
            npu_model_close(model);
        }
    }
    CHECK(over > 300);
    CHECK(kept > 3);
}

/* What the caller asked for, or stopped, is an error with fallback too; who wants no diagnostic gets none. */
TEST(no_fallback) {
    static const npu_status codes[] = {NPU_INVALID_ARGUMENT, NPU_CANCELLED};
    npu_plan_desc           pd = on_loopback();
    npu_diag                d;
    pd.fallback = 1;
    for (int k = 0; k < 4; k++) {
        memset(&loop, 0, sizeof loop);
        loop.fail = k / 2 ? LOOP_PREPARE : LOOP_INVOKE;
        loop.status = (int)codes[k % 2];
        CHECK_INT(all_of(&pd, NULL, busy(), &d), codes[k % 2]);
        CHECK_STR(d.rule, "loopback.fails");
    }
    for (int phase = LOOP_LOWER; phase <= LOOP_INVOKE; phase++) {
        memset(&loop, 0, sizeof loop);
        loop.fail = (loop_phase)phase;
        loop.status = (int)NPU_UNSUPPORTED;
        CHECK_INT(all_of(&pd, NULL, busy(), NULL), NPU_OK);
    }
}

/* What a vendor does by itself takes none of the memory that the CPU's kernels would, and no value inside has any. */
TEST(kernels_not_kept) {
    npu_plan_desc pd = on_loopback();
    npu_plan     *plan = NULL;
    npu_model    *model;
    npu_memory    kept, own;
    npu_diag      d;
    memset(&loop, 0, sizeof loop);
    CHECK_INT(kit_exact(&model, &d), NPU_OK);
    CHECK(compare(model, &pd, 3));
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    npu_plan_memory(plan, &kept);
    npu_plan_destroy(plan);
    memset(&loop, 0, sizeof loop);
    loop.own_fc = 1;
    CHECK(compare(model, &pd, 4));
    CHECK_INT(loop.native, loop.operators);
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    npu_plan_memory(plan, &own);
    npu_plan_destroy(plan);
    CHECK_INT(own.packed_bytes, 2 * 64); /* two segments, each with its mark */
    CHECK(own.packed_bytes < kept.packed_bytes);
    npu_model_close(model);
}

/* Two sessions of one plan share the program and nothing else. */
TEST(sessions_side_by_side) {
    npu_plan_desc pd = on_loopback();
    npu_session  *a = NULL, *b = NULL, *c = NULL;
    npu_plan     *plan = NULL;
    npu_model    *model;
    npu_diag      d;
    memset(&loop, 0, sizeof loop);
    CHECK_INT(kit_model(&model, busy(), 14, 0, 0, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    CHECK_INT(npu_session_create(&a, plan, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_create(&b, plan, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_create(&c, plan, NULL, &d), NPU_OK);
    for (uint32_t i = 0; i < 4; i++) { /* a and b in turns, c afterwards */
        kit_fill(a, i, 1);
        CHECK_INT(npu_session_invoke(a, &d), NPU_OK);
        kit_fill(b, i + 100, 0);
        CHECK_INT(npu_session_invoke(b, &d), NPU_OK);
    }
    for (uint32_t i = 0; i < 4; i++) {
        kit_fill(c, i, 1);
        CHECK_INT(npu_session_invoke(c, &d), NPU_OK);
    }
    CHECK(kit_same(a, c));
    CHECK(!kit_same(a, b));
    npu_session_destroy(a);
    npu_session_destroy(b);
    npu_session_destroy(c);
    CHECK_INT(loop.released, loop.prepared);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

static int asked, stop_at;
static int stop(void *user) { (void)user; return ++asked >= stop_at; }

TEST(work_and_cancel) {
    npu_plan_desc    pd = on_loopback();
    npu_session_desc sd;
    npu_diag         d;
    int64_t          least = 0;
    memset(&sd, 0, sizeof sd);
    memset(&loop, 0, sizeof loop);
    for (sd.max_work = 1; sd.max_work < 1 << 20 && all_of(&pd, &sd, busy(), &d) != NPU_OK; sd.max_work += 7) {
        CHECK_STR(d.rule, "session.work");
        least = sd.max_work;
    }
    CHECK(least > 14 * 32); /* all operators were charged, and it came to an end */
    CHECK(sd.max_work < 1 << 20);
    memset(&sd, 0, sizeof sd);
    sd.cancel = stop;
    asked = 0;
    stop_at = 1 << 30;
    CHECK_INT(all_of(&pd, &sd, busy(), &d), NPU_OK);
    loop.endless = 1; /* planning ends by itself */
    CHECK_INT(all_of(&pd, &sd, busy(), &d), NPU_LIMIT);
    CHECK_STR(d.rule, "plan.work");
    loop.endless = 2; /* only the question ends it */
    asked = 0;
    stop_at = 3;
    CHECK_INT(all_of(&pd, &sd, busy(), &d), NPU_CANCELLED);
    CHECK_STR(d.rule, "session.cancelled");
    CHECK_INT(asked, 3);
    loop.endless = 0;
}

/* A plan and a session of it, in `limit` bytes or with the n-th allocation failing. */
static npu_status one_of(const npu_model *model, uint64_t limit, long fail_at) {
    npu_plan_desc    pd = on_loopback();
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_session_desc sd;
    npu_status       s;
    npu_diag         d;
    counter          c;
    memset(&sd, 0, sizeof sd);
    memset(&loop, 0, sizeof loop);
    pd.allocator = sd.allocator = counted(&c, fail_at);
    pd.max_memory_bytes = limit;
    s = npu_plan_create(&plan, model, &pd, &d);
    TRY(npu_session_create(&session, plan, &sd, &d));
    CHECK_INT(d.status, s);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    CHECK_INT(c.live, 0);
    return s;
}

/* The n-th allocation fails, until none does: of networks of all lengths, so that each of a plan's pieces is once the one that asks
 * for memory. */
TEST(memory_runs_out) {
    for (int n_ops = 1; n_ops < 140; n_ops++) {
        npu_model *model;
        npu_diag   d;
        npu_status s = NPU_OUT_OF_MEMORY;
        long       at = 0;
        CHECK_INT(kit_model(&model, 800 + (uint32_t)n_ops, n_ops, 0, 0, &d), NPU_OK);
        while (s != NPU_OK && at < 1000) {
            s = one_of(model, 0, ++at);
            if (s != NPU_OK) CHECK_INT(s, NPU_OUT_OF_MEMORY);
        }
        CHECK(s == NPU_OK && at > 3);
        npu_model_close(model);
    }
}

/* Likewise with limits; from the first that will do on, all do. */
TEST(limits_of_all_sizes) {
    for (int n_ops = 1; n_ops < 40; n_ops++) {
        npu_model *model;
        npu_diag   d;
        uint64_t   limit = 400;
        npu_status s = NPU_LIMIT;
        CHECK_INT(kit_model(&model, 900 + (uint32_t)n_ops, n_ops, 0, 0, &d), NPU_OK);
        for (; s != NPU_OK && limit < 1 << 20; limit += 101) {
            s = one_of(model, limit, 0);
            if (s != NPU_OK) CHECK_INT(s, NPU_LIMIT);
        }
        for (int i = 0; i < 20; i++) CHECK_INT(one_of(model, limit + (uint64_t)i * 997, 0), NPU_OK);
        npu_model_close(model);
    }
}

TEST(memory_limits) {
    npu_plan_desc    pd = on_loopback();
    npu_session_desc sd;
    npu_model       *model;
    npu_plan        *plan = NULL;
    npu_session     *session;
    npu_memory       m;
    npu_diag         d;
    uint64_t         needs;
    void            *block = NULL;
    memset(&loop, 0, sizeof loop);
    CHECK_INT(kit_model(&model, 8, 60, 0, 0, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    npu_plan_memory(plan, &m);
    needs = (uint64_t)m.plan_bytes + m.session_bytes;
    memset(&sd, 0, sizeof sd); /* in memory of exactly that size, under sanitizers */
    sd.memory_bytes = m.session_bytes;
    CHECK_INT(posix_memalign(&block, 64, m.session_bytes), 0);
    sd.memory = block;
    CHECK_INT(npu_session_create(&session, plan, &sd, &d), NPU_OK);
    kit_fill(session, 1, 1);
    CHECK_INT(npu_session_invoke(session, &d), NPU_OK);
    npu_session_destroy(session);
    free(block);
    npu_plan_destroy(plan);
    for (pd.max_memory_bytes = 512; pd.max_memory_bytes < needs; pd.max_memory_bytes += 509) {
        CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_LIMIT);
        CHECK(d.rule[0]);
    }
    pd.max_memory_bytes = 0;
    loop.many_slots = 1;
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_LIMIT);
    CHECK_STR(d.rule, "plan.memory");
    loop.many_slots = 0;
    loop.much_memory = 1;
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_LIMIT);
    CHECK_STR(d.rule, "plan.memory");
    npu_model_close(model);
}

static int driver_calls, driver_operators;
static int driver_run(void *user, int n) {
    driver_calls++;
    driver_operators += n;
    return user != NULL;
}

TEST(drivers) {
    npu_plan_desc    pd = on_loopback();
    npu_session_desc sd;
    loop_driver      functions = {NULL, driver_run};
    npu_driver       driver = {"loopback", &functions};
    npu_diag         d;
    memset(&sd, 0, sizeof sd);
    memset(&loop, 0, sizeof loop);
    sd.drivers = &driver;
    sd.n_drivers = 1;
    CHECK_INT(all_of(&pd, &sd, busy(), &d), NPU_OK);
    CHECK_INT(driver_calls, loop.invoked);
    CHECK_INT(driver_operators, loop.operators);
    functions.user = &functions;
    CHECK_INT(all_of(&pd, &sd, busy(), &d), NPU_RUNTIME);
    CHECK_STR(d.rule, "loopback.device");
    driver.functions = NULL;
    CHECK_INT(all_of(&pd, &sd, busy(), &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "session.driver");
}

static uint64_t ticks;
static uint64_t tick(void *user) { (void)user; return ++ticks; }

/* A row for each operator; the time of a segment is its first one's, the work everybody's own. */
TEST(profile_rows) {
    npu_plan_desc    pd = on_loopback();
    npu_session_desc sd;
    npu_model       *model;
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_diag         d;
    int              inside = 0;
    memset(&sd, 0, sizeof sd);
    memset(&loop, 0, sizeof loop);
    sd.profile = 1;
    sd.clock_ns = tick;
    CHECK_INT(kit_model(&model, busy(), 14, 0, 0, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    CHECK_INT(npu_session_create(&session, plan, &sd, &d), NPU_OK);
    kit_fill(session, 1, 1);
    for (int i = 0; i < 3; i++) CHECK_INT(npu_session_invoke(session, &d), NPU_OK);
    for (int32_t i = 0; i < npu_session_op_count(session, 0); i++) {
        npu_op_profile p;
        CHECK_INT(npu_session_op_profile(session, 0, i, &p), NPU_OK);
        CHECK_INT(p.runs, 3);
        CHECK_INT(p.total_ns, p.segment >= 0 && p.segment != p.op ? 0 : 3);
        CHECK(p.steps > 0 || p.segment < 0); /* what is empty takes none */
        inside += p.segment >= 0 && p.segment != p.op;
    }
    CHECK(inside > 0);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

/* All of the above: every build runs them. */
static void run_segments(void) {
    RUN(generated_networks_give_the_same);
    RUN(called_and_dynamic_give_the_same);
    RUN(profiles_and_borders);
    RUN(long_networks);
    RUN(names);
    RUN(failures);
    RUN(fallback);
    RUN(fallback_of_devices);
    RUN(no_fallback);
    RUN(kernels_not_kept);
    RUN(sessions_side_by_side);
    RUN(work_and_cancel);
    RUN(memory_runs_out);
    RUN(limits_of_all_sizes);
    RUN(memory_limits);
    RUN(drivers);
    RUN(profile_rows);
}

#endif
