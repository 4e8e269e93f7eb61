/* Constants and sparse tensors, the arena, variable tensors: what plans lay out, and what they refuse. */
#ifndef TESTS_UNIT_RUNTIME_LAYOUT_H
#define TESTS_UNIT_RUNTIME_LAYOUT_H

#include "runtime_memory.h"

/* ---- scales, sparse and variable tensors ---- */

static void spare(mk *m, int type, int64_t zero) { mk_quant(m, 0, mk_t(m, 0, type, 4, -1, -1, -1), 1, zero); }
CHANGE(zero_fits) {
    static const int     types[] = {NPU_INT2, NPU_INT4, NPU_UINT4, NPU_INT8, NPU_UINT8, NPU_INT16, NPU_UINT16, NPU_INT32};
    static const int64_t most[] = {1, 7, 15, 127, 255, 32767, 65535, 0x7FFFFFFF};
    UNUSED_LIFE;
    for (int i = 0; i < 8; i++) spare(m, types[i], most[i]);
}
/* Impossible ones may be looked at; no operator computes with them. */
static void spare_read(mk *m, int type, int64_t zero) {
    int to = mk_t(m, 0, NPU_FLOAT32, 4, -1, -1, -1);
    spare(m, type, zero);
    mk_in(m, 0, to + 1);
    mk_node(m, 0, MK_DEQUANTIZE, to + 1, -9, -9, to);
}
static void scale_read(mk *m, float scale) {
    spare_read(m, NPU_INT8, 0);
    m->g[0].t[m->g[0].n_tensors - 1].scale[0] = scale;
}
CHANGE(scale_infinite) { UNUSED_LIFE; scale_read(m, 3.3e38f); }
CHANGE(scale_below) { UNUSED_LIFE; scale_read(m, -1.0f); }
CHANGE(scale_nan) {
    static const uint32_t bits = 0x7FC00000;
    float                 nan;
    UNUSED_LIFE;
    memcpy(&nan, &bits, 4);
    scale_read(m, nan);
}
CHANGE(zero_uint16) { UNUSED_LIFE; spare_read(m, NPU_UINT16, 65536); }
CHANGE(zero_int4) { UNUSED_LIFE; spare_read(m, NPU_INT4, -9); }
CHANGE(zero_unread) { UNUSED_LIFE; spare(m, NPU_INT4, -9); }
CHANGE(sparse_nothing) { UNUSED_LIFE; m->g[0].t[mk_t(m, 0, NPU_FLOAT32, 4, -1, -1, -1)].sparse = 1; }
CHANGE(sparse_variable) { UNUSED_LIFE; m->g[0].t[1].sparse = m->g[0].t[1].variable = 1; }
CHANGE(sparse_input) { UNUSED_LIFE; m->g[0].t[0].sparse = 1; m->g[0].t[0].buffer = m->g[0].t[1].buffer; }
CHANGE(sparse_read) { UNUSED_LIFE; m->g[0].t[1].sparse = 1; }
CHANGE(sparse_written) { UNUSED_LIFE; m->g[0].t[2].sparse = 1; m->g[0].t[2].buffer = m->g[0].t[1].buffer; }
CHANGE(sparse_unread) { UNUSED_LIFE; m->g[0].t[1].sparse = 1; m->g[0].op[0].in[1] = 0; }
CHANGE(variable_with_data) { UNUSED_LIFE; m->g[0].t[1].variable = 1; }
CHANGE(variable_read) { UNUSED_LIFE; m->g[0].t[1].variable = 1; m->g[0].t[1].buffer = 0; }
CHANGE(strings_read) { UNUSED_LIFE; m->g[0].t[0].type = NPU_STRING; }
CHANGE(strings_written) { UNUSED_LIFE; m->g[0].t[2].type = NPU_STRING; }
CHANGE(rank_grows) { /* 8 dimensions and one more */
    UNUSED_LIFE;
    m->g[0].t[0].rank = 8;
    for (int i = 0; i < 8; i++) m->g[0].t[0].dims[i] = 1;
    m->g[0].op[0].code = 36; /* GATHER */
    m->g[0].op[0].options = 0;
    m->g[0].op[0].in[1] = mk_const(m, 0, NPU_INT32, 1, 1, "\0\0\0", 4);
    m->g[0].t[2].rank = 1;
}
CHANGE(two_signatures) { add_sig(m); UNUSED_LIFE; m->sig[1] = m->sig[0]; m->sig[1].key = "again"; m->n_sigs = 2; }
CHANGE(arena_limit) {
    UNUSED_LIFE;
    for (int i = 0; i < 3; i += 2) m->g[0].t[i].dims[0] = 10000;
    m->g[0].t[1].dims[0] = 1;
    m->buffer[1].n = 12;
    l->pd.max_memory_bytes = 60000;
}
CHANGE(state_limit) { /* the arena fits, variables do not */
    UNUSED_LIFE;
    variable_read(m, l);
    m->g[0].t[1].dims[0] = 2;
    m->g[0].t[mk_t(m, 0, NPU_FLOAT32, 20000, -1, -1, -1)].variable = 1;
    m->g[0].op[0].in[1] = 1;
    mk_node(m, 0, MK_RELU, 3, -9, -9, mk_t(m, 0, NPU_FLOAT32, 20000, -1, -1, -1));
    l->pd.max_memory_bytes = 120000;
}
CHANGE(alias_outlived) { /* y = reshape(x); x is needed after y is gone */
    int y = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1), z = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    UNUSED_LIFE;
    mk_options(mk_node(m, 0, MK_RESHAPE, 2, -9, -9, y), MK_O_RESHAPE, "v", 2 | (int64_t)3 << 32, 0);
    mk_options(mk_node(m, 0, MK_ADD, y, 2, -9, z), MK_O_ADD, "1", 0, 0); /* both views of the same bytes */
    m->g[0].out[0] = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    mk_options(mk_node(m, 0, MK_ADD, z, 2, -9, m->g[0].out[0]), MK_O_ADD, "1", 0, 0);
}
CHANGE(alias_of_output) { /* what an output names must not be overwritten */
    int y = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    UNUSED_LIFE;
    mk_node(m, 0, MK_RELU, 2, -9, -9, y);
    mk_out(m, 0, y);
}

static const rule_case layout_cases[] = {
    {"scale beyond 3e38", scale_infinite, NPU_INVALID_MODEL, "op.scale"},
    {"scale -1", scale_below, NPU_INVALID_MODEL, "op.scale"},
    {"scale is no number", scale_nan, NPU_INVALID_MODEL, "op.scale"},
    {"largest zero point of every type", zero_fits, NPU_OK, ""},
    {"zero point 65536 of UINT16", zero_uint16, NPU_INVALID_MODEL, "op.zero_point"},
    {"zero point -9 of INT4", zero_int4, NPU_INVALID_MODEL, "op.zero_point"},
    {"zero point -9 of INT4 that nobody reads", zero_unread, NPU_OK, ""},
    {"sparse without contents", sparse_nothing, NPU_INVALID_MODEL, "graph.sparse"},
    {"sparse variable", sparse_variable, NPU_INVALID_MODEL, "graph.sparse"},
    {"sparse input", sparse_input, NPU_INVALID_MODEL, "graph.sparse"},
    {"sparse operand of ADD", sparse_read, NPU_UNSUPPORTED, "op.sparse"},
    {"sparse output", sparse_written, NPU_INVALID_MODEL, "graph.written_twice"},
    {"sparse constant that nobody reads", sparse_unread, NPU_OK, ""},
    {"variable with contents", variable_with_data, NPU_INVALID_MODEL, "graph.variable_data"},
    {"variable that is only read", variable_read, NPU_OK, ""},
    {"strings in", strings_read, NPU_UNSUPPORTED, "op.unsized"},
    {"strings out", strings_written, NPU_UNSUPPORTED, "op.unsized"},
    {"9 dimensions", rank_grows, NPU_UNSUPPORTED, "op.max_rank"},
    {"two signatures of a subgraph", two_signatures, NPU_OK, ""},
    {"arena beyond the limit", arena_limit, NPU_LIMIT, "plan.memory"},
    {"variables beyond the limit", state_limit, NPU_LIMIT, "plan.memory"},
    {"a view that is outlived", alias_outlived, NPU_OK, ""},
    {"an output that is read once more", alias_of_output, NPU_OK, ""},
};

TEST(layouts) {
    static mk   m;
    static life l;
    float       got[6];
    run_cases(make_add, layout_cases, sizeof layout_cases / sizeof layout_cases[0]);
    make_add(&m);
    alias_outlived(&m, &l);
    expect("a view that is outlived", &m, NULL, NPU_OK, "");
    memcpy(got, life_output, sizeof got);
    for (int i = 0; i < 6; i++) CHECK(got[i] == 3.0f * (float)(i + 1)); /* x + (x + x) of x = 0 + constant */
}

/* Variable tensors start at zero: the zero point where the type is int8 and says so. */
TEST(variable_tensors_start_at_zero) {
    static mk m;
    for (int type = 0; type < 3; type++) {
        int before = type == 2;
        make_add(&m);
        variable_read(&m, NULL);
        for (int t = 0; t < 3; t++) {
            m.g[0].t[t].type = type ? NPU_INT8 : NPU_FLOAT32;
            if (type) mk_quant(&m, 0, t, 1, 5);
        }
        if (before) { /* a second one, of the same kind, that nobody reads */
            int t = mk_t(&m, 0, NPU_INT8, 4, -1, -1, -1);
            m.g[0].t[t].variable = 1;
        }
        expect("variable tensor", &m, NULL, NPU_OK, "");
        if (type) CHECK_INT((int8_t)life_output[0], 0); /* the input is 0, which means -5, and -5 + 0 = -5 */
    }
}

/* ---- constants at odd places ---- */

TEST(constants_off_their_alignment) {
    static mk            m;
    static const int64_t eight[2] = {1, 2};
    for (int shift = 0; shift < 9; shift++) {
        make_add(&m);
        m.shift = shift * 4;
        for (int t = 0; t < 3; t++) m.g[0].t[t].type = NPU_INT64;
        m.g[0].t[0].dims[0] = m.g[0].t[2].dims[0] = 1;
        m.g[0].t[0].dims[1] = m.g[0].t[2].dims[1] = 2;
        m.g[0].t[1] = m.g[0].t[0];
        m.g[0].t[1].buffer = 1;
        m.buffer[1].p = eight;
        m.buffer[1].n = sizeof eight;
        m.g[0].t[mk_t(&m, 0, NPU_INT64, 1, 2, -1, -1)].buffer = 1; /* the same bytes twice */
        expect("eight bytes anywhere", &m, NULL, NPU_OK, "");
        CHECK(life_output_bytes == 16 && memcmp(life_output, eight, 16) == 0);
    }
}

/* Buffers behind the tables may overlap: copying all of them to aligned memory must not take more than the file. */
TEST(buffers_that_overlap) {
    static mk m;
    make_add(&m);
    for (int i = 0; i < 12; i++) {
        unsigned b = mk_buffer(&m, NULL, 0);
        m.buffer[b].offset = 17;
        m.buffer[b].size = 400;
        m.g[0].t[mk_t(&m, 0, NPU_INT32, 100, -1, -1, -1)].buffer = b;
    }
    expect("overlapping buffers", &m, NULL, NPU_INVALID_MODEL, "tflite.buffer_overlap");
}

/* ---- more tensors than the careful layout takes ---- */

static void make_many(mk *m, int many) {
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, many + 1, -1, -1, -1));
    mk_t(m, 0, NPU_FLOAT32, 1, -1, -1, -1);
    m->g[0].t[1].rank = 0;
    m->g[0].many = many;
    mk_out(m, 0, many / 2);
    mk_options(mk_node(m, 0, MK_UNPACK, 0, -9, -9, 1), 64, "44", many + 1, 0);
}

TEST(thousands_of_tensors) {
    static mk m;
    life      l;
    memset(&l, 0, sizeof l);
    make_many(&m, 6000);
    {
        size_t         n;
        const uint8_t *bytes = mk_file(&m, &n);
        npu_diag       d;
        if (!CHECK_INT(live(bytes, n, &l, &d), NPU_OK)) printf("    %s: %s\n", d.rule, d.text);
        starve("6000 outputs", bytes, n, &l, NPU_OK, "");
        for (uint64_t limit = 900000; limit < 3000000; limit += 50000) {
            npu_status s;
            l.pd.max_memory_bytes = limit;
            s = live(bytes, n, &l, &d);
            CHECK(s == NPU_OK || s == NPU_LIMIT);
        }
    }
}

#endif
