/* npu_memory_on: counted as allocated, on other machines, with other instruction sets, and when memory runs out. The numbers
 * against those machines themselves: tests/compile/memory_on.py. */
#ifndef TESTS_UNIT_RUNTIME_ELSEWHERE_H
#define TESTS_UNIT_RUNTIME_ELSEWHERE_H

#include "runtime_more.h"

static void make_if_open(mk *m) {
    life l;
    memset(&l, 0, sizeof l);
    make_if(m);
    if_open(m, &l);
}

static void make_wide(mk *m) {
    make_add(m);
    add_sig(m);
    m->sig[0].n_in = 0;
    m->sig[0].out[0] = m->g[0].out[0];
    widen(m, 1200, 6);
    lengthen(m, 10, 10);
}

TEST(memory_counted_as_allocated) {
    static mk m;
    static void (*const make[])(mk *m) = {make_add, make_while, make_if, make_if_open, make_variable, make_compiled, make_fill,
                                          make_wide};
    for (size_t k = 0; k < sizeof make / sizeof make[0]; k++) {
        npu_plan_desc pd;
        npu_memory    here, counted_here, on[NPU_MACHINE_COUNT];
        made          x;
        memset(&pd, 0, sizeof pd);
        memset(&here, 0, sizeof here);
        memset(&counted_here, 0, sizeof counted_here);
        make[k](&m);
        for (int isa = NPU_ISA_SCALAR; isa < NPU_ISA_COUNT; isa++) {
            pd.isa = (npu_isa)isa;
            pd.threads = 1;
            for (int on_machine = 1; on_machine < NPU_MACHINE_COUNT && isa == NPU_ISA_NEON; on_machine++) {
                x = make_all(&m, NULL, NULL);
                CHECK_INT(npu_memory_on(x.model, &pd, (npu_machine)on_machine, &on[on_machine], NULL), NPU_OK);
                CHECK_INT(on[on_machine].machine, on_machine);
                CHECK_INT(on[on_machine].isa, NPU_ISA_NEON);
                drop_all(&x);
            }
            if (!npu_isa_available(pd.isa)) continue;
            pd.threads = 3;
            x = make_all(&m, &pd, NULL);
            npu_plan_memory(x.plan, &here);
            CHECK_INT(npu_memory_on(x.model, &pd, NPU_MACHINE_THIS, &counted_here, NULL), NPU_OK);
            CHECK_INT(counted_here.session_bytes, here.session_bytes);
            CHECK_INT(counted_here.plan_bytes, here.plan_bytes);
            CHECK_INT(counted_here.model_bytes, here.model_bytes);
            CHECK_INT(counted_here.arena_bytes, here.arena_bytes);
            CHECK_INT(counted_here.packed_bytes, here.packed_bytes);
            CHECK_INT(counted_here.limit_bytes, here.limit_bytes);
            CHECK_INT(counted_here.isa, isa);
            drop_all(&x);
        }
        CHECK(on[NPU_MACHINE_32BIT].session_bytes < on[NPU_MACHINE_64BIT].session_bytes);
        CHECK(on[NPU_MACHINE_32BIT].model_bytes <= on[NPU_MACHINE_64BIT].model_bytes);
        CHECK(on[NPU_MACHINE_X86_32].session_bytes <= on[NPU_MACHINE_32BIT].session_bytes);
        if (sizeof(void *) == 8) {
            CHECK_INT(on[NPU_MACHINE_64BIT].plan_bytes, here.plan_bytes);
            CHECK_INT(on[NPU_MACHINE_64BIT].model_bytes, here.model_bytes);
        }
    }
}

TEST(memory_elsewhere_refused) {
    static mk     m;
    made          x;
    npu_plan_desc pd;
    npu_memory    out;
    npu_diag      d;
    make_add(&m);
    x = make_all(&m, NULL, NULL);
    memset(&pd, 0, sizeof pd);
    CHECK_INT(npu_memory_on(NULL, NULL, NPU_MACHINE_32BIT, &out, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.machine");
    CHECK_INT(npu_memory_on(x.model, NULL, NPU_MACHINE_32BIT, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_memory_on(x.model, NULL, NPU_MACHINE_COUNT, &out, &d), NPU_INVALID_ARGUMENT);
    CHECK(npu_machine_name(NPU_MACHINE_COUNT) == NULL);
    pd.isa = NPU_ISA_COUNT;
    CHECK_INT(npu_memory_on(x.model, &pd, NPU_MACHINE_32BIT, &out, &d), NPU_INVALID_ARGUMENT);
    pd.isa = NPU_ISA_AUTO;
    pd.threads = 2;
    CHECK_INT(npu_memory_on(x.model, &pd, NPU_MACHINE_32BIT, &out, &d), NPU_INVALID_ARGUMENT);
    CHECK_HAS(d.text, "2 were asked for");
    pd.threads = 300;
    CHECK_INT(npu_memory_on(x.model, &pd, NPU_MACHINE_THIS, &out, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "plan.threads");
    pd.threads = 0;
    CHECK_INT(npu_memory_on(x.model, &pd, NPU_MACHINE_32BIT, &out, NULL), NPU_OK);
    CHECK_INT(out.isa, NPU_ISA_SCALAR);
    CHECK_INT(npu_memory_on(x.model, NULL, NPU_MACHINE_THIS, &out, NULL), NPU_OK);
    CHECK_INT(out.isa, npu_isa_best());
    pd.max_memory_bytes = 5000;
    CHECK_INT(npu_memory_on(x.model, &pd, NPU_MACHINE_32BIT, &out, &d), NPU_LIMIT);
    drop_all(&x);
}

/* Each of its allocations fails in turn: an error each time, and nothing stays. */
TEST(memory_elsewhere_runs_out) {
    static mk      m;
    counter        c, opened;
    npu_model     *model;
    npu_model_desc md;
    npu_plan_desc  pd;
    npu_memory     out;
    npu_diag       d;
    size_t         n;
    const uint8_t *bytes;
    long           calls;
    make_while(&m);
    widen(&m, 600, 4);
    bytes = mk_file(&m, &n);
    memset(&md, 0, sizeof md);
    memset(&pd, 0, sizeof pd);
    md.allocator = counted(&opened, 0);
    CHECK_INT(npu_model_open(&model, bytes, n, &md, NULL), NPU_OK);
    for (long fail = 1; fail < 99; fail++) {
        pd.allocator = counted(&c, fail);
        if (npu_memory_on(model, &pd, NPU_MACHINE_32BIT, &out, &d) == NPU_OK) break;
        CHECK_INT(d.status, NPU_OUT_OF_MEMORY);
        CHECK_INT(c.live, 0);
        CHECK(fail < 98);
    }
    CHECK(c.calls > 2);
    pd.allocator = counted(&c, 0);
    n = opened.live;
    calls = opened.calls;
    for (long fail = 1; fail < 99; fail++) {
        opened.fail_at = opened.calls + fail;
        if (npu_memory_on(model, &pd, NPU_MACHINE_32BIT, &out, &d) == NPU_OK) break;
        CHECK_INT(d.status, NPU_OUT_OF_MEMORY);
        CHECK_INT(opened.live, n);
        CHECK_INT(c.live, 0);
        CHECK(fail < 98);
    }
    opened.fail_at = 0;
    CHECK(opened.calls > calls);
    npu_model_close(model);
    CHECK_INT(opened.live, 0);
}

#endif
