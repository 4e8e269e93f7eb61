/* npu_graph_* where memory is short: every allocation fails in turn, every limit, a fixed buffer; and how much a model takes. */
#ifndef TESTS_UNIT_GRAPH_MEMORY_H
#define TESTS_UNIT_GRAPH_MEMORY_H

#include "graph_kit.h"

TEST(memory_runs_out_anywhere) {
    for (padding = 0; padding < 12300; padding += 16) {
        long fail_at = 1;
        for (; fail_at < 1000; fail_at++) {
            npu_model_desc md;
            npu_model     *model;
            npu_diag       d;
            counter        c;
            npu_status     s;
            memset(&md, 0, sizeof md);
            md.allocator = counted(&c, fail_at);
            s = build(&model, &md, &d);
            if (s == NPU_OK) npu_model_close(model);
            else CHECK(s == NPU_OUT_OF_MEMORY && d.rule[0] && d.text[0] && !model);
            CHECK(c.live == 0);
            if (c.calls < fail_at) break;
        }
        CHECK(fail_at < 1000);
    }
    padding = 0;
}

enum { N_CALLS = 7 };
/* One call that needs memory. */
static npu_status need_memory(npu_graph *g, int which, npu_diag *d) {
    static const float    scale = 1;
    const npu_graph_entry entries[2] = {{"first", 0}, {"second", 0}};
    npu_blockwise         blocks = {0, -1, 16};
    npu_tensor_desc       t = floats("a tensor", 2, 3);
    npu_op_desc           o = op_desc("an operator", NULL, 0, NULL, 0);
    switch (which) {
    case 0: return npu_graph_signature(g, "a key", 0, entries, 2, entries, 1, d);
    case 1: return npu_graph_metadata(g, "a name", lent, sizeof lent, d);
    case 2: return npu_graph_option_str(g, 0, 0, "shared_name", "the name of a variable", d);
    case 3: return npu_graph_description(g, "a description", d);
    case 4: return npu_graph_subgraph(g, "a subgraph", NULL, d);
    case 5:
        t.type = NPU_INT8;
        t.quant.count = 1;
        t.quant.scale = &scale;
        t.blockwise = &blocks;
        return npu_graph_tensor(g, 0, &t, NULL, d);
    default:
        o.version = 2;
        o.custom_options = lent;
        o.custom_options_bytes = 3;
        return npu_graph_op(g, 0, &o, NULL, d);
    }
}

/* Texts of every length before the call: each of its pieces is once the first that the last block has no room for. */
TEST(memory_runs_out_at_each_piece) {
    static char text[1001];
    for (int which = 0; which < N_CALLS; which++) {
        int failed = 0;
        for (size_t n = 0; n < 4400; n += 8) {
            npu_op_desc    o = op_desc("VAR_HANDLE", NULL, 0, NULL, 0);
            npu_graph     *g = NULL;
            npu_model_desc md;
            npu_diag       d;
            counter        c;
            npu_status     s;
            memset(&md, 0, sizeof md);
            md.allocator = counted(&c, 0);
            CHECK_INT(npu_graph_create(&g, &md, &d), NPU_OK);
            CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
            CHECK_INT(npu_graph_op(g, 0, &o, NULL, &d), NPU_OK);
            for (size_t left = n; left > 0; left -= strlen(text)) { /* larger ones get a block of their own */
                memset(text, 't', sizeof text - 1);
                if (left < sizeof text) text[left] = 0;
                CHECK_INT(npu_graph_description(g, text, &d), NPU_OK);
            }
            c.fail_at = c.calls + 1;
            s = need_memory(g, which, &d);
            CHECK(s == NPU_OK ? c.calls < c.fail_at : s == NPU_OUT_OF_MEMORY && d.status == s && d.text[0]);
            failed += s != NPU_OK;
            npu_graph_destroy(g);
            CHECK(c.live == 0);
        }
        CHECK(failed > 0);
    }
}

/* Everything so large that each piece is a block of its own. */
static char long_name[3001];
static npu_status make_large(npu_graph *g, npu_diag *d) {
    static int32_t  many[1000];
    static int64_t  ints[1000];
    static float    reals[1000];
    npu_graph_entry entries[100];
    npu_tensor_desc t = floats(long_name, 1, 1);
    npu_op_desc     o = op_desc("RESHAPE", many, 1000, many, 0);
    npu_sparse_level levels[16];
    npu_sparsity    sparsity;
    npu_status      s = NPU_OK;
    memset(long_name, 'n', sizeof long_name - 1);
    memset(levels, 0, sizeof levels);
    memset(&sparsity, 0, sizeof sparsity);
    for (int i = 0; i < 100; i++) {
        entries[i].name = long_name;
        entries[i].tensor = 0;
    }
    for (int i = 0; i < 16; i++) {
        levels[i].csr = 1;
        levels[i].segments = levels[i].indices = many;
        levels[i].n_segments = levels[i].n_indices = i < 2 ? 1000 : 1;
        levels[i].segment_bytes = levels[i].index_bytes = 4;
    }
    TRY(npu_graph_description(g, long_name, d));
    for (int i = 0; i < 40; i++) TRY(npu_graph_subgraph(g, long_name, NULL, d));
    t.data = reals;
    t.bytes = sizeof reals;
    t.quant.count = 1000;
    t.quant.scale = reals;
    t.dims[1] = 1000;
    for (int i = 0; i < 10; i++) TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    sparsity.levels = levels;
    sparsity.n_levels = 16;
    sparsity.traversal_order = sparsity.block_map = many;
    sparsity.n_traversal_order = sparsity.n_block_map = 1000;
    t.sparsity = &sparsity;
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    for (int i = 0; i < 17; i++) TRY(npu_graph_op(g, 0, &o, NULL, d));
    TRY(npu_graph_option_ints(g, 0, 0, "new_shape", ints, 1000, d));
    o.name = long_name;
    o.intermediates = many;
    o.n_intermediates = 1000;
    o.custom_options = reals;
    o.custom_options_bytes = sizeof reals;
    TRY(npu_graph_op(g, 0, &o, NULL, d));
    o = op_desc("BUCKETIZE", many, 0, NULL, 0);
    TRY(npu_graph_op(g, 0, &o, NULL, d));
    TRY(npu_graph_option_floats(g, 0, 18, "boundaries", reals, 1000, d));
    o.name = "VAR_HANDLE";
    TRY(npu_graph_op(g, 0, &o, NULL, d));
    TRY(npu_graph_option_str(g, 0, 19, "shared_name", long_name, d));
    TRY(npu_graph_inputs(g, 0, many, 1000, d));
    TRY(npu_graph_outputs(g, 0, many, 1000, d));
    for (int i = 0; i < 40; i++) TRY(npu_graph_signature(g, long_name, 0, entries, i ? 1 : 100, entries, i ? 1 : 100, d));
    for (int i = 0; i < 40; i++) TRY(npu_graph_metadata(g, long_name, reals, sizeof reals, d));
    return s;
}

TEST(memory_for_large_pieces_runs_out) {
    npu_model_desc md;
    npu_model     *model;
    npu_diag       d;
    counter        c;
    size_t         held;
    npu_memory     there;
    npu_status     s = NPU_OUT_OF_MEMORY;
    memset(&md, 0, sizeof md);
    for (long fail_at = 1; s != NPU_OK && fail_at < 3000; fail_at++) {
        md.allocator = counted(&c, fail_at);
        s = build_by(make_large, &model, &md, &d);
        if (s == NPU_OK) npu_model_close(model);
        else CHECK(s == NPU_OUT_OF_MEMORY && d.rule[0] && d.text[0] && !model);
        CHECK(c.live == 0);
    }
    CHECK_INT(s, NPU_OK);
    md.allocator = counted(&c, 0);
    CHECK_INT(build_by(make_large, &model, &md, &d), NPU_OK);
    held = c.live;
    CHECK_INT(npu_memory_on(model, NULL, NPU_MACHINE_THIS, &there, &d), NPU_UNSUPPORTED); /* operators without kernels */
    CHECK(c.live == held);
    npu_model_close(model);
    CHECK(c.live == 0);
}

TEST(every_memory_limit) {
    int            enough = 0;
    uint64_t       limit = 1;
    npu_model_desc md;
    for (; limit < 1 << 17 && enough < 100; limit += 16) {
        npu_model *model;
        npu_diag   d;
        counter    c;
        npu_status s;
        memset(&md, 0, sizeof md);
        md.allocator = counted(&c, 0);
        md.max_memory_bytes = limit;
        s = build(&model, &md, &d);
        CHECK(c.peak <= limit);
        if (s == NPU_OK) {
            enough++;
            npu_model_close(model);
        } else {
            CHECK(s == NPU_LIMIT && enough == 0);
            CHECK_STR(d.rule, "model.memory_limit");
        }
        CHECK(c.live == 0);
    }
    CHECK_INT(enough, 100);
}

TEST(unlikely_numbers) {
    npu_graph      *g = NULL;
    npu_tensor_desc t = floats("t", 1, 1);
    npu_model_desc  md;
    npu_diag        d;
    memset(&md, 0, sizeof md);
    md.max_memory_bytes = UINT64_MAX;
    CHECK_INT(npu_graph_create(&g, &md, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    t.data = lent;
    t.bytes = SIZE_MAX;
    for (int i = 0; i < 3; i++) REFUSED(npu_graph_tensor(g, 0, &t, NULL, dp), NPU_INVALID_MODEL, "tflite.buffer_size");
    npu_graph_destroy(g);
    md.max_memory_bytes = 1;
    REFUSED(npu_graph_create(&g, &md, dp), NPU_LIMIT, "model.memory_limit");
    CHECK(!g);
}

TEST(in_a_fixed_buffer) {
    static uint64_t  space[1 << 15];
    uint8_t         *aligned = (uint8_t *)space + (64 - (uintptr_t)space % 64) % 64;
    npu_fixed_buffer f;
    npu_model_desc   md;
    npu_model       *model;
    npu_diag         d;
    memset(&md, 0, sizeof md);
    md.allocator = npu_fixed_allocator(&f, aligned, sizeof space - 64);
    CHECK_INT(build(&model, &md, &d), NPU_OK);
    npu_model_close(model);
    CHECK(f.used == 0);
}

/* The default limit grows with what is given: 80 MB of constants, copied, are more than 64 MiB. */
TEST(large_constants) {
    const size_t    n = (size_t)20 << 20;
    float          *data = (float *)calloc(n, sizeof(float));
    npu_graph      *g = NULL;
    npu_tensor_desc t = floats("large", 20 << 10, 1 << 10);
    npu_diag        d;
    CHECK(data != NULL);
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    t.data = data;
    t.bytes = n * sizeof(float);
    CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, &d), NPU_OK);
    npu_graph_destroy(g);
    free(data);
}

TEST(many_of_everything) {
    const int       n = 5000;
    npu_graph      *g = NULL;
    npu_model      *model = NULL;
    npu_tensor_desc t = floats("t", 1, 1);
    counter         c;
    npu_model_desc  md;
    npu_diag        d;
    memset(&md, 0, sizeof md);
    md.allocator = counted(&c, 0);
    md.max_subgraphs = (uint32_t)n;
    CHECK_INT(npu_graph_create(&g, &md, &d), NPU_OK);
    for (int i = 0; i < n; i++) {
        const int32_t from = i, to = i + 1;
        npu_op_desc   o = op_desc("RELU", &from, 1, &to, 1);
        CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
        if (i == 0) CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, &d), NPU_OK);
        if (i == 0) CHECK_INT(npu_graph_inputs(g, 0, &from, 1, &d), NPU_OK);
        CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, &d), NPU_OK);
        CHECK_INT(npu_graph_op(g, 0, &o, NULL, &d), NPU_OK);
        CHECK_INT(npu_graph_signature(g, "s", i, NULL, 0, NULL, 0, &d), NPU_OK);
        CHECK_INT(npu_graph_metadata(g, "m", "", 0, &d), NPU_OK);
    }
    CHECK_INT(npu_graph_finish(g, &model, &d), NPU_OK);
    npu_graph_destroy(g);
    CHECK_INT(npu_model_op_count(model, 0), n);
    CHECK_INT(npu_model_signature_count(model), n);
    CHECK(c.peak < (size_t)n * 2400); /* lists that double, a draft and a model */
    npu_model_close(model);
    CHECK(c.live == 0);
}

/* What a built model takes: as allocated, and on other machines. */
TEST(memory_elsewhere) {
    npu_model_desc md;
    npu_model     *model;
    npu_plan      *plan = NULL;
    npu_memory     here, again, there;
    npu_diag       d;
    counter        c;
    size_t         held;
    memset(&md, 0, sizeof md);
    md.allocator = counted(&c, 0);
    CHECK_INT(build_main(&model, &md, &d), NPU_OK);
    held = c.live;
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
    npu_plan_memory(plan, &here);
    CHECK_INT(here.model_bytes, held);
    CHECK_INT(npu_memory_on(model, NULL, NPU_MACHINE_THIS, &again, &d), NPU_OK);
    CHECK_INT(again.model_bytes, held);
    CHECK_INT(npu_memory_on(model, NULL, NPU_MACHINE_32BIT, &there, &d), NPU_OK);
    CHECK(there.model_bytes > 0 && there.model_bytes <= held);
    npu_plan_destroy(plan);
    npu_model_close(model);
    CHECK(c.live == 0);
    for (padding = 0; padding < 4200; padding += 16) {
        npu_status s = NPU_OUT_OF_MEMORY;
        md.allocator = counted(&c, 0);
        CHECK_INT(build_main(&model, &md, &d), NPU_OK);
        held = c.live;
        for (c.fail_at = 1; s != NPU_OK && c.fail_at < 100; c.fail_at++) {
            c.calls = 0;
            s = npu_memory_on(model, NULL, NPU_MACHINE_THIS, &again, &d);
            CHECK(s == NPU_OK ? again.model_bytes == held : s == NPU_OUT_OF_MEMORY);
            CHECK(c.live == held);
        }
        CHECK_INT(s, NPU_OK);
        npu_model_close(model);
    }
    padding = 0;
}
#endif
