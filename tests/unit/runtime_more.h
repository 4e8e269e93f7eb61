/* What is folded, what is found out only while running, operators of several parts that are stopped in between. */
#ifndef TESTS_UNIT_RUNTIME_MORE_H
#define TESTS_UNIT_RUNTIME_MORE_H

#include "runtime_layout.h"

/* ---- folding ---- */

CHANGE(folds_work_memory) { /* SUM of constant int8: with work memory */
    static const int8_t  q[6] = {1, 2, 3, 4, 5, 6};
    static const int32_t axis = 1;
    int                  x = mk_const(m, 0, NPU_INT8, 2, 3, q, 6), a = mk_const(m, 0, NPU_INT32, 1, -1, &axis, 4);
    int                  y = mk_t(m, 0, NPU_INT8, 2, -1, -1, -1);
    UNUSED_LIFE;
    mk_quant(m, 0, x, 0.5f, 0);
    mk_quant(m, 0, y, 0.5f, 0);
    mk_options(mk_node(m, 0, 74, x, a, -9, y), 27, "1", 0, 0);
    m->g[0].out[0] = y;
}
CHANGE(folds_a_failure) { /* GATHER of constants, row 9 of 2 */
    static const int32_t nine = 9;
    int                  i = mk_const(m, 0, NPU_INT32, 1, -1, &nine, 4), y = mk_t(m, 0, NPU_FLOAT32, 1, 3, -1, -1);
    UNUSED_LIFE;
    mk_node(m, 0, 36, 1, i, -9, y);
    mk_out(m, 0, y);
}
CHANGE(folds_much) { /* 30000 sums: more than what is folded whatever it takes */
    static float many[30000];
    int          x = mk_const(m, 0, NPU_FLOAT32, 100, 300, many, sizeof many), y = mk_t(m, 0, NPU_FLOAT32, 100, 300, -1, -1);
    UNUSED_LIFE;
    mk_options(mk_node(m, 0, MK_ADD, x, x, -9, y), MK_O_ADD, "1", 0, 0);
    mk_out(m, 0, y);
}
CHANGE(folds_less) { folds_much(m, l); l->pd.max_memory_bytes = 200000; } /* no room: it runs instead */
CHANGE(folds_without_bias) {
    static const float w[6] = {1, 1, 1, 1, 1, 1};
    int                k = mk_const(m, 0, NPU_FLOAT32, 2, 3, w, sizeof w), y = mk_t(m, 0, NPU_FLOAT32, 2, 2, -1, -1);
    UNUSED_LIFE;
    mk_options(mk_node(m, 0, MK_FC, 1, k, -1, y), MK_O_FC, "1", 0, 0);
    mk_out(m, 0, y);
}

static const rule_case fold_cases[] = {
    {"folded with work memory", folds_work_memory, NPU_OK, ""},
    {"folded to a failure", folds_a_failure, NPU_BAD_INPUT, "gather.index"},
    {"folded, though large", folds_much, NPU_OK, ""},
    {"too large to be folded", folds_less, NPU_OK, ""},
    {"folded without its optional input", folds_without_bias, NPU_OK, ""},
};

TEST(folding) { run_cases(make_add, fold_cases, sizeof fold_cases / sizeof fold_cases[0]); }

/* ---- found out while running ---- */

static const int32_t just_one = 1, ones[2] = {1, 1};

/* y = FILL(x) of int32, x one number: [1] where it is 1. */
static void make_open(mk *m) {
    mk_init(m);
    m->n_graphs = 3;
    mk_in(m, 0, scalar(m, 0, NPU_INT32));
    mk_const(m, 0, NPU_INT32, -1, -1, &one_i32, 4);
    m->g[0].t[1].rank = 0;
    mk_out(m, 0, scalar(m, 0, NPU_INT32));
    mk_node(m, 0, MK_FILL, 0, 1, -9, 2);
    for (int g = 1; g < 3; g++) {
        mk_in(m, g, scalar(m, g, NPU_INT32));
        mk_const(m, g, NPU_INT32, 1, -1, g == 1 ? &five_i32 : &one_i32, 4);
        mk_out(m, g, scalar(m, g, g == 1 ? NPU_BOOL : NPU_INT32));
        if (g == 1) mk_node(m, g, MK_LESS, 0, 1, -9, 2);
        else mk_options(mk_node(m, g, MK_ADD, 0, 1, -9, 2), MK_O_ADD, "1", 0, 0);
    }
}
CHANGE(open_loop) {
    mk_options(mk_node(m, 0, MK_WHILE, 2, -9, -9, scalar(m, 0, NPU_INT32)), MK_O_WHILE, "44", 1, 2);
    m->g[0].out[0] = 3;
    l->input[0] = &just_one;
}
CHANGE(open_loop_two) { open_loop(m, l); l->input[0] = &five_i32; } /* five numbers, where the loop takes one */
static void open_if(mk *m, life *l, int then_graph, int else_graph) {
    int condition = mk_const(m, 0, NPU_BOOL, 1, -1, "\1", 1);
    mk_options(mk_node(m, 0, MK_IF, condition, 2, -9, scalar(m, 0, NPU_INT32)), MK_O_IF, "44", then_graph, else_graph);
    m->g[0].out[0] = 4;
    l->input[0] = &just_one;
}
CHANGE(open_branch) { open_if(m, l, 2, 2); }
CHANGE(open_branch_below) { open_if(m, l, 2, -1); }
CHANGE(open_branch_is_caller) { open_if(m, l, 0, 0); }
static void open_assign(mk *m, life *l, int declared) {
    int   handle = mk_t(m, 0, NPU_RESOURCE, -1, -1, -1, -1);
    mk_op *o = mk_options(mk_node(m, 0, MK_VAR, -9, -9, -9, handle), MK_O_VAR, "ss", 0, 0);
    o->text[0] = "c";
    o->text[1] = "v";
    if (declared) { /* twice: the larger size counts */
        int two = mk_const(m, 0, NPU_INT32, 2, -1, ones, 8);
        mk_node(m, 0, MK_ASSIGN, handle, two, -9, -9);
        mk_node(m, 0, MK_ASSIGN, handle, 1, -9, -9);
    }
    mk_node(m, 0, MK_ASSIGN, handle, 2, -9, -9);
    l->input[0] = &just_one;
}
CHANGE(open_assign_fits) { open_assign(m, l, 1); }
CHANGE(open_assign_large) { open_assign(m, l, 1); l->input[0] = &five_i32; }
CHANGE(open_assign_undeclared) { open_assign(m, l, 0); }
CHANGE(open_beyond_limit) { static const int32_t million = 1000000; (void)m; l->input[0] = &million; l->pd.max_memory_bytes = 100000; }

static const rule_case open_cases[] = {
    {"loop over an open shape", open_loop, NPU_OK, ""},
    {"loop over another shape than planned", open_loop_two, NPU_UNSUPPORTED, "control_flow.input"},
    {"branch with an open shape", open_branch, NPU_OK, ""},
    {"branch -1, seen while running", open_branch_below, NPU_INVALID_MODEL, "graph.subgraph_index"},
    {"branch that is the caller, seen while running", open_branch_is_caller, NPU_INVALID_MODEL, "graph.recursion"},
    {"assigns an open shape", open_assign_fits, NPU_OK, ""},
    {"assigns more than was declared", open_assign_large, NPU_RUNTIME, "resource.size"},
    {"assigns what nobody declared", open_assign_undeclared, NPU_RUNTIME, "resource.size"},
    {"open shape beyond the memory limit", open_beyond_limit, NPU_LIMIT, "session.memory_limit"},
};

TEST(open_shapes) { run_cases(make_open, open_cases, sizeof open_cases / sizeof open_cases[0]); }

CHANGE(branch_takes_more) { UNUSED_LIFE; mk_in(m, 1, scalar(m, 1, NPU_FLOAT32)); }
static const rule_case more_if_cases[] = {
    {"a branch with one more input", branch_takes_more, NPU_INVALID_MODEL, "control_flow.count"},
};
TEST(branches_with_more_inputs) { run_cases(make_if, more_if_cases, 1); }

/* ---- convolutions: packed weights, several parts, threads ---- */

static void make_conv(mk *m) {
    static float w[16 * 9 * 8], b[16];
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, 1, 80, 80, 8));
    mk_t(m, 0, NPU_FLOAT32, 16, 3, 3, 8);
    m->g[0].t[1].buffer = mk_buffer(m, w, sizeof w);
    mk_const(m, 0, NPU_FLOAT32, 16, -1, b, sizeof b);
    mk_out(m, 0, mk_t(m, 0, NPU_FLOAT32, 1, 80, 80, 16));
    mk_options(mk_node(m, 0, MK_CONV, 0, 1, 2, 3), MK_O_CONV, "14414", 0, 1);
    m->g[0].op[0].value[2] = m->g[0].op[0].value[4] = 1;
}

TEST(stopped_convolutions) {
    static mk      m;
    const uint8_t *bytes;
    size_t         n;
    make_conv(&m);
    bytes = mk_file(&m, &n);
    for (int threads = 1; threads <= 3; threads += 2) {
        for (int isa = NPU_ISA_AUTO; isa <= NPU_ISA_SCALAR; isa++) {
            long     times;
            life     l;
            patience p = {0, 0};
            npu_diag d;
            memset(&l, 0, sizeof l);
            l.pd.threads = threads;
            l.pd.isa = (npu_isa)isa;
            l.sd.cancel = impatient;
            l.sd.cancel_user = &p;
            CHECK_INT(live(bytes, n, &l, &d), NPU_OK);
            times = p.asked;
            CHECK(times > 0);
            for (long stop_at = 1; stop_at <= times; stop_at++) {
                p.asked = 0;
                p.stop_at = stop_at;
                CHECK_INT(live(bytes, n, &l, &d), NPU_CANCELLED);
                CHECK_INT(p.asked, stop_at);
            }
        }
    }
}

TEST(limits_of_packed_weights) {
    static mk         m;
    static const life plain;
    const uint8_t    *bytes;
    size_t            n;
    int               enough = 0;
    make_conv(&m);
    bytes = mk_file(&m, &n);
    starve("convolution", bytes, n, &plain, NPU_OK, "");
    for (uint64_t limit = 500; limit < 2000000; limit += limit / 16 + 1) {
        life       l = plain;
        npu_status s;
        npu_diag   d;
        l.pd.max_memory_bytes = limit;
        s = live(bytes, n, &l, &d);
        if (s == NPU_OK) enough++;
        else CHECK(s == NPU_LIMIT && !enough && d.text[0]);
    }
    CHECK(enough > 0);
    for (uint64_t limit = 600000; limit < 700000; limit += 500) {
        life l = plain;
        l.pd.max_memory_bytes = limit;
        CHECK(live(bytes, n, &l, NULL) == NPU_LIMIT || limit > 620000);
    }
}

/* ---- odds and ends ---- */

CHANGE(two_write_one_map) { /* each a part of it */
    UNUSED_LIFE;
    m->g[0].op[2] = m->g[0].op[1];
    m->g[0].op[1] = m->g[0].op[0];
    m->g[0].n_ops = 3;
}
CHANGE(two_scratches_meet) { /* the CPU adds maps of two scratch tensors */
    int scratch = mk_t(m, 0, NPU_UINT8, 64, -1, -1, -1), in = mk_t(m, 0, NPU_INT8, 1, 16, -1, -1);
    int out = mk_t(m, 0, NPU_INT8, 1, 16, -1, -1), sum = mk_t(m, 0, NPU_INT8, 1, 16, -1, -1);
    UNUSED_LIFE;
    for (int t = in; t <= sum; t++) mk_quant(m, 0, t, 0.5f, 0);
    mk_in(m, 0, in);
    m->g[0].op[1] = m->g[0].op[0];
    m->g[0].op[1].in[2] = scratch;
    m->g[0].op[1].in[4] = in;
    m->g[0].op[1].out[0] = out;
    offsets[3 + in] = 0;
    offsets[3 + out] = 16;
    mk_options(mk_node(m, 0, MK_ADD, T_OUT, out, -9, sum), MK_O_ADD, "1", 0, 0);
    m->g[0].out[0] = sum;
}
CHANGE(connected_without_bias) { /* what the CPU leaves out has no place */
    static const int8_t w[256] = {1};
    int                 k = mk_const(m, 0, NPU_INT8, 16, 16, w, sizeof w);
    UNUSED_LIFE;
    mk_quant(m, 0, k, 0.5f, 0);
    m->g[0].n_ops = 1;
    mk_options(mk_node(m, 0, MK_FC, T_OUT, k, -1, T_LAST), MK_O_FC, "1", 0, 0);
}
CHANGE(one_input_inside_another) { /* both are only read */
    int part = mk_t(m, 0, NPU_INT8, 1, 8, -1, -1), both = mk_t(m, 0, NPU_INT8, 1, 24, -1, -1);
    UNUSED_LIFE;
    mk_quant(m, 0, part, 0.5f, 0);
    mk_quant(m, 0, both, 0.5f, 0);
    m->g[0].op[0].n_out = 2;
    m->g[0].op[0].out[1] = part;
    offsets[3 + part] = 16;
    m->g[0].n_ops = 1;
    mk_options(mk_node(m, 0, MK_CONCAT, T_OUT, part, -9, both), MK_O_CONCAT, "41", 1, 0);
    m->g[0].out[0] = both;
}
static const rule_case more_offline_cases[] = {
    {"one input inside another", one_input_inside_another, NPU_OK, ""},
    {"an optional input left out", connected_without_bias, NPU_OK, ""},
    {"two compiled operators write one map", two_write_one_map, NPU_OK, ""},
    {"maps of two scratch tensors", two_scratches_meet, NPU_OK, ""},
};

static void read_handle(mk *m, const int32_t *handle) {
    m->g[0].op[2].in[0] = mk_const(m, 0, NPU_INT32, 1, -1, handle, 4);
}
CHANGE(reads_handle_below) { static const int32_t h = -1; UNUSED_LIFE; read_handle(m, &h); }
CHANGE(reads_handle_past) { static const int32_t h = 77; UNUSED_LIFE; read_handle(m, &h); }
static const rule_case more_variable_cases[] = {
    {"reads handle -1", reads_handle_below, NPU_OK, ""}, /* as one that was never assigned */
    {"reads handle 77", reads_handle_past, NPU_OK, ""},
};

CHANGE(arenas_together) {
    UNUSED_LIFE;
    for (int i = 0; i < 3; i += 2) m->g[0].t[i].dims[0] = 5000;
    m->g[0].t[1].dims[0] = 1;
    m->buffer[1].n = 12;
    m->n_graphs = 2;
    m->g[1] = m->g[0];
    l->pd.max_memory_bytes = 150000;
}
CHANGE(view_of_a_view) { /* x + reshape(x): one of them must not be overwritten */
    int y = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1), z = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    UNUSED_LIFE;
    mk_options(mk_node(m, 0, MK_RESHAPE, 2, -9, -9, y), MK_O_RESHAPE, "v", 2 | (int64_t)3 << 32, 0);
    mk_options(mk_node(m, 0, MK_ADD, y, 2, -9, z), MK_O_ADD, "1", 0, 0);
    m->g[0].out[0] = z;
}
CHANGE(fill_says_another_type) { /* FILL gives its value's type, whatever is declared */
    int dims = mk_const(m, 0, NPU_INT32, 1, -1, &just_one, 4), value = mk_const(m, 0, NPU_FLOAT32, -1, -1, one_f32, 4);
    int y = mk_t(m, 0, NPU_INT32, 1, -1, -1, -1);
    UNUSED_LIFE;
    m->g[0].t[value].rank = 0;
    mk_node(m, 0, MK_FILL, dims, value, -9, y);
    mk_out(m, 0, y);
}
CHANGE(many_inputs) {
    int y = mk_t(m, 0, NPU_FLOAT32, 66, 3, -1, -1);
    mk_op *o = mk_options(mk_node(m, 0, MK_CONCAT, 2, -9, -9, y), MK_O_CONCAT, "41", 0, 0);
    UNUSED_LIFE;
    for (; o->n_in < 33; o->n_in++) o->in[o->n_in] = 2;
    mk_out(m, 0, y);
}
CHANGE(many_inputs_one_missing) { many_inputs(m, l); m->g[0].op[1].in[32] = -1; }
CHANGE(zero_written) {
    int x = mk_t(m, 0, NPU_INT8, 4, -1, -1, -1), y = mk_t(m, 0, NPU_INT8, 4, -1, -1, -1);
    UNUSED_LIFE;
    mk_quant(m, 0, x, 1, 0);
    mk_quant(m, 0, y, 1, 999);
    mk_in(m, 0, x);
    mk_node(m, 0, MK_RELU, x, -9, -9, y);
}
CHANGE(zero_between) { zero_written(m, l); m->g[0].n_ops = 1; m->g[0].op[0].n_mid = 1; m->g[0].op[0].mid[0] = 4; }
static void blockwise(mk *m, int scales) {
    static const int8_t w[3] = {1, 2, 3};
    int                 k = mk_const(m, 0, NPU_INT4, 2, 3, w, sizeof w), y = mk_t(m, 0, NPU_FLOAT32, 2, 2, -1, -1);
    m->g[0].t[k].blockwise = scales;
    mk_options(mk_node(m, 0, MK_FC, 0, k, -1, y), MK_O_FC, "1", 0, 0);
    m->g[0].out[0] = y;
}
CHANGE(block_scales_past) { UNUSED_LIFE; blockwise(m, 99); }
CHANGE(block_scales_below) { UNUSED_LIFE; blockwise(m, -6); }
static const rule_case more_add_cases[] = {
    {"scales of blocks in tensor 99", block_scales_past, NPU_INVALID_MODEL, "op.block_scales"},
    {"scales of blocks in tensor -6", block_scales_below, NPU_INVALID_MODEL, "op.block_scales"},
    {"33 inputs", many_inputs, NPU_OK, ""},
    {"33 inputs, the last left out", many_inputs_one_missing, NPU_INVALID_MODEL, "op.input_missing"},
    {"zero point 999 of an INT8 output", zero_written, NPU_INVALID_MODEL, "op.zero_point"},
    {"zero point 999 of an INT8 intermediate", zero_between, NPU_INVALID_MODEL, "op.zero_point"},
    {"arenas that fit one by one only", arenas_together, NPU_LIMIT, "plan.memory"},
    {"a view of a view", view_of_a_view, NPU_OK, ""},
    {"FILL declared as int32", fill_says_another_type, NPU_OK, ""},
};

TEST(odds_and_ends) {
    run_cases(make_compiled, more_offline_cases, sizeof more_offline_cases / sizeof more_offline_cases[0]);
    run_cases(make_variable, more_variable_cases, sizeof more_variable_cases / sizeof more_variable_cases[0]);
    run_cases(make_add, more_add_cases, sizeof more_add_cases / sizeof more_add_cases[0]);
}

static void make_misaligned(mk *m) {
    static const int64_t eight[2] = {1, 2};
    make_add(m);
    m->shift = 4;
    for (int t = 0; t < 3; t++) m->g[0].t[t].type = NPU_INT64;
    for (int t = 0; t < 3; t++) m->g[0].t[t].dims[0] = 1, m->g[0].t[t].dims[1] = 2;
    m->buffer[1].p = eight;
    m->buffer[1].n = sizeof eight;
}

/* 100 variables in five subgraphs, 44 subgraphs in all. */
static void make_variables(mk *m) {
    static char names[100][4];
    make_variable(m);
    for (int i = 0; i < 100; i++) {
        const int g = 2 + i / 20;
        mk_op    *o = mk_options(mk_node(m, g, MK_VAR, -9, -9, -9, mk_t(m, g, NPU_RESOURCE, -1, -1, -1, -1)), MK_O_VAR, "ss", 0, 0);
        names[i][0] = (char)('a' + i % 26);
        names[i][1] = (char)('a' + i / 26);
        o->text[0] = "c";
        o->text[1] = names[i];
    }
    m->n_graphs = MK_GRAPHS;
}

/* Tables of a large graph have blocks of their own: without memory, and with less than they take. */
TEST(memory_of_large_graphs) {
    static mk         m;
    static const life plain;
    const uint8_t    *bytes;
    size_t            n;
    npu_diag          d;
    int               enough = 0;
    make_many(&m, 6000);
    m.n_sigs = 1;
    m.sig[0].key = "serve";
    m.sig[0].n_in = m.sig[0].n_out = 1;
    m.sig[0].out[0] = m.g[0].out[0];
    bytes = mk_file(&m, &n);
    starve("6000 outputs, signed", bytes, n, &plain, NPU_OK, "");
    for (uint64_t limit = 1000; limit < 4000000; limit += limit / 8) {
        life       l = plain;
        npu_status s;
        l.md.max_memory_bytes = limit;
        s = live(bytes, n, &l, &d);
        CHECK_INT(live(bytes, n, &l, NULL), s);
        if (s == NPU_OK) enough++;
        else CHECK(s == NPU_LIMIT && strcmp(d.rule, "model.memory_limit") == 0 && !enough);
    }
    CHECK(enough > 0);
    for (int tensors = 0; tensors < 38; tensors++) {
        make_variables(&m);
        for (int t = 0; t < tensors; t++) mk_t(&m, t % 2 ? 40 : 41, NPU_FLOAT32, 1, -1, -1, -1);
        for (int t = 0; t < tensors / 2; t++) mk_t(&m, 1, NPU_FLOAT32, 1, -1, -1, -1);
        bytes = mk_file(&m, &n);
        starve("100 variables", bytes, n, &plain, NPU_OK, "");
    }
    make_many(&m, 3000);
    bytes = mk_file(&m, &n);
    starve("3000 outputs", bytes, n, &plain, NPU_OK, "");
    for (int graphs = 0; graphs < 14; graphs++) {
        for (int tensors = 0; tensors < 24; tensors++) {
            life l = plain;
            if (tensors % 2) make_compiled(&m);
            else make_variable(&m);
            if (tensors % 2 == 0) many_variables(&m, &l);
            if (tensors % 2 == 0) m.g[1].op[5].text[1] = "alphabet", m.g[1].op[7].text[1] = "alphabets";
            m.n_graphs += graphs;
            for (int t = 0; t < tensors / 2; t++) mk_t(&m, 0, NPU_FLOAT32, 1, -1, -1, -1);
            bytes = mk_file(&m, &n);
            starve("more subgraphs", bytes, n, &plain, NPU_OK, "");
        }
    }
    for (int channels = 0; channels < 600; channels += 4) {
        make_misaligned(&m);
        widen(&m, channels, channels & 4 ? 1 : 6);
        bytes = mk_file(&m, &n);
        starve("misaligned", bytes, n, &plain, NPU_OK, "");
    }
}

/* ---- reports ---- */

TEST(reports_of_everything_else) {
    static mk   m;
    static page p;
    npu_writer  w = {&p, page_write};
    npu_diag    d;
    npu_model  *model = NULL;
    size_t      n;
    mk_op      *o;
    const uint8_t *bytes;
    make_variable(&m);
    o = mk_options(mk_node(&m, 0, 31, 1, -9, -9, mk_t(&m, 0, NPU_STRING, 3, -1, -1, -1)), 16, "4", 77, 0); /* CALL */
    o->n_in = 2;
    o->in[0] = -1;
    o->in[1] = 1;
    o->n_out = 0;
    m.g[0].t[1].buffer = m.g[1].t[1].buffer;
    m.g[0].t[mk_const(&m, 0, NPU_INT32, 1, -1, &one_i32, 4)].sparse = 1;
    mk_node(&m, 0, MK_RELU, 1, -9, -9, scalar(&m, 0, NPU_INT32)); /* no such kernel */
    mk_node(&m, 0, MK_CUSTOM, 1, -9, -9, mk_t(&m, 0, NPU_STRING, 2, -1, -1, -1))->custom = "Odd";
    bytes = mk_file(&m, &n);
    if (npu_model_open(&model, bytes, n, NULL, &d) != NPU_OK) printf("    %s: %s\n", d.rule, d.text);
    CHECK(model != NULL);
    for (int format = NPU_FORMAT_TEXT; model && format <= NPU_FORMAT_JSON; format++) {
        npu_check_summary sum;
        p.n = 0;
        p.left = -1;
        CHECK_INT(npu_model_dump(model, (npu_format)format, &w, &d), NPU_OK);
        CHECK_HAS(p.text, "77");
        CHECK_HAS(p.text, "sparse");
        CHECK_HAS(p.text, "container");
        p.n = 0;
        CHECK_INT(npu_model_info(model, NULL, (npu_format)format, &w, &d), NPU_OK);
        CHECK_INT(npu_check(model, "ethos-u55-128", NULL, (npu_format)format, &w, &sum, &d), NPU_OK);
        CHECK(sum.ops_placed < sum.ops);
    }
    npu_model_close(model);
}

#endif
