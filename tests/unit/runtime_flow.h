/* Control flow, variables and shapes that depend on data. */
#ifndef TESTS_UNIT_RUNTIME_FLOW_H
#define TESTS_UNIT_RUNTIME_FLOW_H

#include "runtime_rules.h"

/* ---- WHILE: counts x to 5 ---- */

static const int32_t one_i32 = 1, five_i32 = 5;

static int scalar(mk *m, int graph, int type) { return mk_t(m, graph, type, 1, -1, -1, -1); }

/* 0: y = WHILE(x); 1: x < 5; 2: x + 1. */
static void make_while(mk *m) {
    mk_init(m);
    m->n_graphs = 3;
    for (int g = 0; g < 3; g++) mk_in(m, g, scalar(m, g, NPU_INT32));
    mk_out(m, 0, scalar(m, 0, NPU_INT32));
    mk_options(mk_node(m, 0, MK_WHILE, 0, -9, -9, 1), MK_O_WHILE, "44", 1, 2);
    mk_const(m, 1, NPU_INT32, 1, -1, &five_i32, 4);
    mk_out(m, 1, scalar(m, 1, NPU_BOOL));
    mk_node(m, 1, MK_LESS, 0, 1, -9, 2);
    mk_const(m, 2, NPU_INT32, 1, -1, &one_i32, 4);
    mk_out(m, 2, scalar(m, 2, NPU_INT32));
    mk_options(mk_node(m, 2, MK_ADD, 0, 1, -9, 2), MK_O_ADD, "1", 0, 0);
}

CHANGE(loop_budget) { (void)m; l->sd.max_loop_runs = 3; }
CHANGE(loop_condition_below) { UNUSED_LIFE; m->g[0].op[0].value[0] = -1; }
CHANGE(loop_condition_past) { UNUSED_LIFE; m->g[0].op[0].value[0] = 3; }
CHANGE(loop_body_past) { UNUSED_LIFE; m->g[0].op[0].value[1] = 3; }
CHANGE(loop_calls_itself) { UNUSED_LIFE; m->g[0].op[0].value[1] = 0; }
CHANGE(loop_counts) { UNUSED_LIFE; m->g[0].op[0].n_in = 2; m->g[0].op[0].in[1] = 0; }
CHANGE(loop_body_input_missing) {
    UNUSED_LIFE;
    m->g[2].n_in = 0;
    m->g[2].op[0].in[0] = 1;
}
CHANGE(loop_body_output_missing) { UNUSED_LIFE; m->g[2].n_out = 0; }
CHANGE(loop_condition_int) { UNUSED_LIFE; m->g[1].out[0] = 0; }
CHANGE(loop_body_other_type) {
    int t = scalar(m, 2, NPU_FLOAT32);
    UNUSED_LIFE;
    m->g[2].in[0] = t;
    m->g[2].op[0].in[0] = 1;
}
CHANGE(loop_body_output_type) {
    int t = scalar(m, 2, NPU_BOOL);
    UNUSED_LIFE;
    m->g[2].op[0].code = MK_LESS;
    m->g[2].op[0].options = 0;
    m->g[2].op[0].out[0] = m->g[2].out[0] = t;
}

static const rule_case loop_cases[] = {
    {"loop", nothing, NPU_OK, ""},
    {"loop of four passes with a budget of three calls", loop_budget, NPU_RUNTIME, "graph.endless"},
    {"condition in subgraph -1", loop_condition_below, NPU_INVALID_MODEL, "graph.subgraph_index"},
    {"condition in subgraph 3 of 3", loop_condition_past, NPU_INVALID_MODEL, "graph.subgraph_index"},
    {"body in subgraph 3 of 3", loop_body_past, NPU_INVALID_MODEL, "graph.subgraph_index"},
    {"body is the caller", loop_calls_itself, NPU_INVALID_MODEL, "graph.recursion"},
    {"two inputs, one output", loop_counts, NPU_INVALID_MODEL, "while.count"},
    {"body without input", loop_body_input_missing, NPU_INVALID_MODEL, "control_flow.count"},
    {"body without output", loop_body_output_missing, NPU_INVALID_MODEL, "graph.call"},
    {"condition of type int32", loop_condition_int, NPU_INVALID_MODEL, "control_flow.condition"},
    {"body takes float", loop_body_other_type, NPU_UNSUPPORTED, "control_flow.input"},
    {"body gives bool", loop_body_output_type, NPU_UNSUPPORTED, "while.shape"},
};

static void run_cases(void (*make)(mk *m), const rule_case *cases, size_t n) {
    static mk m;
    for (size_t i = 0; i < n; i++) {
        life l;
        memset(&l, 0, sizeof l);
        make(&m);
        cases[i].change(&m, &l);
        expect(cases[i].name, &m, &l, cases[i].status, cases[i].rule);
    }
}

TEST(loops) {
    static mk m;
    int32_t   got;
    run_cases(make_while, loop_cases, sizeof loop_cases / sizeof loop_cases[0]);
    make_while(&m);
    expect("loop", &m, NULL, NPU_OK, "");
    memcpy(&got, life_output, 4);
    CHECK_INT(got, 5);
}

/* Subgraph i calls i + 1 (CALL_ONCE): 20 deep is deeper than allowed, 10 is not. */
static void make_calls(mk *m, int depth) {
    mk_init(m);
    m->n_graphs = depth;
    for (int g = 0; g + 1 < depth; g++) mk_options(mk_node(m, g, MK_CALL_ONCE, -9, -9, -9, -9), MK_O_CALL_ONCE, "4", g + 1, 0);
}

TEST(nested_calls) {
    static mk m;
    make_calls(&m, 10);
    expect("10 calls deep", &m, NULL, NPU_OK, "");
    make_calls(&m, 20);
    expect("20 calls deep", &m, NULL, NPU_INVALID_MODEL, "graph.recursion");
    make_calls(&m, 3);
    m.g[2].n_ops = 1;
    m.g[2].op[0] = m.g[0].op[0];
    m.g[2].op[0].value[0] = 1;
    expect("a circle of two", &m, NULL, NPU_INVALID_MODEL, "graph.recursion");
}

/* ---- IF: x + 1 or x repeated, so that the shape depends on the condition ---- */

static const float one_f32[2] = {1, 1};
static uint8_t     yes = 1;

/* 0: y = IF(condition, x); 1: -x; 2: |x| both, or only x[2] + 1 [1] = [2]. */
static void make_if(mk *m) {
    mk_init(m);
    m->n_graphs = 3;
    mk_in(m, 0, scalar(m, 0, NPU_BOOL));
    mk_in(m, 0, scalar(m, 0, NPU_FLOAT32));
    mk_out(m, 0, scalar(m, 0, NPU_FLOAT32));
    mk_options(mk_node(m, 0, MK_IF, 0, 1, -9, 2), MK_O_IF, "44", 1, 2);
    for (int g = 1; g < 3; g++) mk_in(m, g, scalar(m, g, NPU_FLOAT32));
    mk_out(m, 1, scalar(m, 1, NPU_FLOAT32));
    mk_node(m, 1, MK_NEG, 0, -9, -9, 1);
    mk_const(m, 2, NPU_FLOAT32, 1, -1, one_f32, 4);
    mk_out(m, 2, scalar(m, 2, NPU_FLOAT32));
    mk_options(mk_node(m, 2, MK_ADD, 0, 1, -9, 2), MK_O_ADD, "1", 0, 0);
}
CHANGE(if_yes) { (void)m; l->input[0] = &yes; }
CHANGE(if_open) { /* one branch gives two numbers: known only when it has run */
    UNUSED_LIFE;
    m->buffer[m->g[2].t[1].buffer].n = 8;
    m->g[2].t[1].dims[0] = 2;
    m->g[2].t[2].dims[0] = 2;
}
CHANGE(if_open_yes) { if_open(m, l); l->input[0] = &yes; }
CHANGE(if_open_then_more) { /* an operator behind it, also dynamic */
    if_open(m, l);
    mk_node(m, 0, MK_RELU, 2, -9, -9, scalar(m, 0, NPU_FLOAT32));
    m->g[0].out[0] = 3;
    l->runs = 3;
}
CHANGE(if_condition_float) { UNUSED_LIFE; m->g[0].op[0].in[0] = 1; }
CHANGE(if_condition_two) { UNUSED_LIFE; m->g[0].t[0].dims[0] = 2; }
CHANGE(if_then_past) { UNUSED_LIFE; m->g[0].op[0].value[0] = 9; }
CHANGE(if_else_below) { UNUSED_LIFE; m->g[0].op[0].value[1] = -9; }
CHANGE(if_branch_without_output) { UNUSED_LIFE; m->g[1].n_out = 0; }
CHANGE(if_branch_type) { UNUSED_LIFE; m->g[1].t[0].type = NPU_INT32; m->g[1].t[1].type = NPU_INT32; }
CHANGE(if_input_left_out) { UNUSED_LIFE; m->g[0].op[0].n_in = 3; m->g[0].op[0].in[2] = -1; }
CHANGE(if_budget) { (void)m; l->sd.max_loop_runs = 1; l->runs = 2; }
CHANGE(if_more_inputs) { UNUSED_LIFE; m->g[0].op[0].n_in = 3; m->g[0].op[0].in[2] = 1; }

static const rule_case if_cases[] = {
    {"if", nothing, NPU_OK, ""},
    {"if, true", if_yes, NPU_OK, ""},
    {"if with open shape", if_open, NPU_OK, ""},
    {"if with open shape, true", if_open_yes, NPU_OK, ""},
    {"if with open shape and an operator behind it", if_open_then_more, NPU_OK, ""},
    {"condition is float", if_condition_float, NPU_INVALID_MODEL, "control_flow.condition"},
    {"two conditions", if_condition_two, NPU_INVALID_MODEL, "control_flow.condition"},
    {"then in subgraph 9", if_then_past, NPU_INVALID_MODEL, "graph.subgraph_index"},
    {"else in subgraph -9", if_else_below, NPU_INVALID_MODEL, "graph.subgraph_index"},
    {"then without output", if_branch_without_output, NPU_INVALID_MODEL, "graph.call"},
    {"then takes int32", if_branch_type, NPU_UNSUPPORTED, "control_flow.input"},
    {"input left out", if_input_left_out, NPU_INVALID_MODEL, "op.input_missing"},
    {"the budget counts from each invoke", if_budget, NPU_OK, ""},
    {"more inputs than the branch has", if_more_inputs, NPU_INVALID_MODEL, "control_flow.count"},
};

TEST(branches) { run_cases(make_if, if_cases, sizeof if_cases / sizeof if_cases[0]); }

/* ---- variables ---- */

/* Reads variable "v" and then assigns x + 1 to it; subgraph 1, called once, assigns 5. */
static void make_variable(mk *m) {
    mk_init(m);
    m->n_graphs = 2;
    for (int g = 0; g < 2; g++) {
        mk_t(m, g, NPU_RESOURCE, -1, -1, -1, -1);
        mk_const(m, g, NPU_INT32, 1, -1, g ? &five_i32 : &one_i32, 4);
    }
    mk_out(m, 0, scalar(m, 0, NPU_INT32));
    scalar(m, 0, NPU_INT32);
    mk_options(mk_node(m, 0, MK_CALL_ONCE, -9, -9, -9, -9), MK_O_CALL_ONCE, "4", 1, 0);
    for (int g = 0; g < 2; g++) {
        mk_op *o = mk_options(mk_node(m, g, MK_VAR, -9, -9, -9, 0), MK_O_VAR, "ss", 0, 0);
        o->text[0] = "c";
        o->text[1] = "v";
    }
    mk_node(m, 0, MK_READ, 0, -9, -9, 2);
    mk_options(mk_node(m, 0, MK_ADD, 2, 1, -9, 3), MK_O_ADD, "1", 0, 0);
    mk_node(m, 0, MK_ASSIGN, 0, 3, -9, -9);
    mk_node(m, 1, MK_ASSIGN, 0, 1, -9, -9);
}
CHANGE(many_variables) {
    UNUSED_LIFE;
    for (int i = 0; i < 18; i++) {
        static const char *const names[18] = {"a", "b", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q",
                                              "r", "s"};
        mk_op *o = mk_options(mk_node(m, 1, MK_VAR, -9, -9, -9, mk_t(m, 1, NPU_RESOURCE, -1, -1, -1, -1)), MK_O_VAR, "ss", 0, 0);
        o->text[0] = "c";
        o->text[1] = names[i];
    }
}
CHANGE(variable_unknown) { UNUSED_LIFE; m->g[0].op[1].out[0] = 3; m->g[0].op[3].out[0] = 0; m->g[0].op[2].in[0] = 1; }
CHANGE(handle_of_five) { /* a number in the file that names no variable */
    UNUSED_LIFE;
    m->g[1].op[1].in[0] = 1;
    m->g[1].op[1].in[1] = 1;
}
CHANGE(handle_below) {
    static const int32_t minus = -1;
    int                  t = mk_const(m, 1, NPU_INT32, 1, -1, &minus, 4);
    UNUSED_LIFE;
    m->g[1].op[1].in[0] = t;
}
CHANGE(reads_another_size) {
    UNUSED_LIFE;
    m->g[1].t[1].dims[0] = 2;
    m->g[1].t[1].type = NPU_INT16;
    m->g[1].t[1].rank = 2;
    m->g[1].t[1].dims[1] = 1;
    m->g[0].op[4].in[1] = 2;
    m->g[0].t[2].rank = 1;
    m->g[0].t[2].dims[0] = 2;
    m->g[0].t[3].dims[0] = 2;
}
CHANGE(init_past) { UNUSED_LIFE; m->g[0].op[0].value[0] = 2; }

static const rule_case variable_cases[] = {
    {"variable", nothing, NPU_OK, ""},
    {"twenty variables", many_variables, NPU_OK, ""},
    {"assigns to handle 5 of 1", handle_of_five, NPU_INVALID_MODEL, "resource.id"},
    {"assigns to handle -1", handle_below, NPU_INVALID_MODEL, "resource.id"},
    {"reads more than was assigned", reads_another_size, NPU_RUNTIME, "read_variable.size"},
    {"CALL_ONCE of subgraph 2 of 2", init_past, NPU_INVALID_MODEL, "graph.subgraph_index"},
};

TEST(variables) {
    static mk m;
    life      l;
    int32_t   got;
    run_cases(make_variable, variable_cases, sizeof variable_cases / sizeof variable_cases[0]);
    memset(&l, 0, sizeof l);
    l.runs = 3;
    make_variable(&m);
    expect("three runs", &m, &l, NPU_OK, "");
    memcpy(&got, life_output, 4);
    CHECK_INT(got, 7);
    (void)variable_unknown;
}

/* ---- shapes that depend on data ---- */

static const int32_t two_three[2] = {2, 3}, many_rows[2] = {1 << 20, 1 << 10}, below[2] = {-5, 3};

/* y = relu(FILL(dims, 1.5)), dims an input. */
static const float   fill_value = 1.5f;
static void make_fill(mk *m) {
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, NPU_INT32, 2, -1, -1, -1));
    mk_const(m, 0, NPU_FLOAT32, -1, -1, &fill_value, 4);
    mk_t(m, 0, NPU_FLOAT32, 1, 1, -1, -1);
    mk_out(m, 0, mk_t(m, 0, NPU_FLOAT32, 1, 1, -1, -1));
    mk_node(m, 0, MK_FILL, 0, 1, -9, 2);
    mk_node(m, 0, MK_RELU, 2, -9, -9, 3);
}
CHANGE(fill_six) { (void)m; l->input[0] = two_three; l->runs = 2; }
CHANGE(fill_large) { (void)m; l->input[0] = many_rows; l->md.max_tensor_bytes = 1 << 20; }
CHANGE(fill_below) { (void)m; l->input[0] = below; }
CHANGE(fill_state) { /* SignalDelay keeps samples from run to run: its shape must be known */
    static const uint8_t delay[] = {0x64, 0x65, 0x6C, 0x61, 0x79, 0x5F, 0x6C, 0x65, 0x6E, 0x67, 0x74, 0x68, 0, 1, 0x0E,
                                    1, 1, 1, 3, 4, 2, 0x24, 1};
    static const int16_t zero = 0;
    m->g[0].op[1].code = MK_CUSTOM;
    m->g[0].op[1].custom = "SignalDelay";
    m->g[0].op[1].data = delay;
    m->g[0].op[1].data_bytes = sizeof delay;
    m->buffer[m->g[0].t[1].buffer].p = &zero;
    m->buffer[m->g[0].t[1].buffer].n = 2;
    for (int t = 1; t < 4; t++) m->g[0].t[t].type = NPU_INT16;
    l->input[0] = two_three;
}
CHANGE(fill_output_type) { l->input[0] = two_three; m->g[0].t[3].type = NPU_INT64; }
CHANGE(fill_feeds_if) { /* a branch called with another shape than it was planned with */
    m->n_graphs = 3;
    for (int g = 1; g < 3; g++) {
        mk_in(m, g, mk_t(m, g, NPU_FLOAT32, 1, 1, -1, -1));
        mk_out(m, g, mk_t(m, g, NPU_FLOAT32, 1, 1, -1, -1));
        mk_node(m, g, g == 1 ? MK_NEG : MK_RELU, 0, -9, -9, 1);
    }
    mk_in(m, 0, scalar(m, 0, NPU_BOOL));
    m->g[0].op[1].code = MK_IF;
    m->g[0].op[1].in[0] = 4;
    m->g[0].op[1].in[1] = 2;
    m->g[0].op[1].n_in = 2;
    mk_options(&m->g[0].op[1], MK_O_IF, "44", 1, 2);
    l->input[0] = two_three;
}
CHANGE(fill_feeds_if_past) { fill_feeds_if(m, l); m->g[0].op[1].value[0] = 77; }

static const rule_case fill_cases[] = {
    {"fill 0 x 0", nothing, NPU_OK, ""},
    {"fill 2 x 3", fill_six, NPU_OK, ""},
    {"fill beyond max_tensor_bytes", fill_large, NPU_LIMIT, "op.output_size"},
    {"fill below 0", fill_below, NPU_BAD_INPUT, "op.dim"},
    {"state behind a shape that is open", fill_state, NPU_UNSUPPORTED, "op.dynamic_state"},
    {"type found wrong while running", fill_output_type, NPU_UNSUPPORTED, "op.types"},
    {"a branch meets another shape", fill_feeds_if, NPU_UNSUPPORTED, "control_flow.input"},
    {"a branch that is not there, seen while running", fill_feeds_if_past, NPU_INVALID_MODEL, "graph.subgraph_index"},
};

TEST(data_dependent_shapes) { run_cases(make_fill, fill_cases, sizeof fill_cases / sizeof fill_cases[0]); }

/* Work memory of an operator whose shape is open: SUM over one axis of what FILL made. */
TEST(data_dependent_work_memory) {
    static mk            m;
    static const int32_t axis = 1;
    static const int8_t  q = 3;
    life                 l;
    make_fill(&m);
    m.buffer[m.g[0].t[1].buffer].p = &q;
    m.buffer[m.g[0].t[1].buffer].n = 1;
    for (int t = 1; t < 4; t++) {
        m.g[0].t[t].type = NPU_INT8;
        mk_quant(&m, 0, t, 0.5f, 0);
    }
    m.g[0].t[3].rank = 1;
    mk_const(&m, 0, NPU_INT32, 1, -1, &axis, 4);
    m.g[0].op[1].code = 74; /* SUM */
    m.g[0].op[1].n_in = 2;
    m.g[0].op[1].in[1] = 4;
    mk_options(&m.g[0].op[1], 27, "1", 0, 0); /* ReducerOptions */
    memset(&l, 0, sizeof l);
    l.input[0] = two_three;
    l.runs = 2;
    expect("sum of open shape", &m, &l, NPU_OK, "");
    CHECK_INT(life_output_bytes, 2);
    CHECK_INT((int8_t)life_output[1], 9);
}

#endif
