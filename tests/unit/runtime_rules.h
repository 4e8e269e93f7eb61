/* One small change to a model that is right, and the rule that must refuse it: all that graph/build.c, flow.c and read_tflite.c say. */
#ifndef TESTS_UNIT_RUNTIME_RULES_H
#define TESTS_UNIT_RUNTIME_RULES_H

#include "runtime_kit.h"

typedef struct rule_case {
    const char *name;
    void      (*change)(mk *m, life *l);
    npu_status  status;
    const char *rule;
} rule_case;

#define CHANGE(name) static void name(mk *m, life *l)
#define UNUSED_LIFE (void)l

CHANGE(nothing) { (void)m; UNUSED_LIFE; }
CHANGE(input_past_end) { UNUSED_LIFE; m->g[0].op[0].in[0] = 3; }
CHANGE(input_below) { UNUSED_LIFE; m->g[0].op[0].in[0] = -2; }
CHANGE(output_left_out) { UNUSED_LIFE; m->g[0].op[0].out[0] = -1; }
CHANGE(mid_below) { UNUSED_LIFE; m->g[0].op[0].n_mid = 1; m->g[0].op[0].mid[0] = -2; }
CHANGE(mid_fine) { UNUSED_LIFE; m->g[0].op[0].n_mid = 2; m->g[0].op[0].mid[0] = -1; m->g[0].op[0].mid[1] = 1; }
CHANGE(graph_input_below) { UNUSED_LIFE; m->g[0].in[0] = -1; }
CHANGE(graph_output_past) { UNUSED_LIFE; m->g[0].out[0] = 9; }
CHANGE(rank_9) {
    UNUSED_LIFE;
    m->g[0].t[0].rank = 9;
    for (int i = 0; i < 9; i++) m->g[0].t[0].dims[i] = 1;
}
CHANGE(dimension_below) { UNUSED_LIFE; m->g[0].t[0].dims[1] = -2; }
CHANGE(dimension_open) {
    UNUSED_LIFE;
    m->g[0].t[0].dims[0] = -1; /* starts as 1, and broadcasts */
    m->g[0].t[0].n_sig = 2;
    m->g[0].t[0].sig[0] = -1;
    m->g[0].t[0].sig[1] = 3;
}
CHANGE(signature_open) { UNUSED_LIFE; m->g[0].t[0].n_sig = 2; m->g[0].t[0].sig[0] = -1; m->g[0].t[0].sig[1] = 3; }
CHANGE(signature_short) { UNUSED_LIFE; m->g[0].t[0].n_sig = 1; m->g[0].t[0].sig[0] = -1; }
CHANGE(zero_points_missing) { UNUSED_LIFE; m->g[0].t[0].n_scale = 2; m->g[0].t[0].n_zero = 1; }
CHANGE(zero_points_absent) { UNUSED_LIFE; m->g[0].t[0].n_scale = 1; m->g[0].t[0].scale[0] = 0.5f; }
CHANGE(zero_point_wide) { UNUSED_LIFE; mk_quant(m, 0, 0, 1, (int64_t)1 << 40); }
CHANGE(zero_point_wide_below) { UNUSED_LIFE; mk_quant(m, 0, 0, 1, -((int64_t)1 << 40)); }
CHANGE(type_unknown) { UNUSED_LIFE; m->g[0].t[0].type = NPU_TYPE_COUNT; }
CHANGE(type_below) { UNUSED_LIFE; m->g[0].t[0].type = -1; }
CHANGE(external) { UNUSED_LIFE; m->g[0].t[0].external = 1; }
CHANGE(buffer_past_end) { UNUSED_LIFE; m->g[0].t[0].buffer = 7; }
CHANGE(no_buffers) {
    UNUSED_LIFE;
    m->n_buffers = 0;
    m->g[0].t[1].buffer = 0;
    mk_in(m, 0, 1);
}
CHANGE(buffer_short) { UNUSED_LIFE; m->buffer[1].n = 20; }
CHANGE(buffer_of_void) { UNUSED_LIFE; m->g[0].t[1].type = NPU_VARIANT; }
CHANGE(strings) {
    int s = mk_const(m, 0, NPU_STRING, 1, -1, "\1\0\0\0\14\0\0\0\15\0\0\0x", 13);
    UNUSED_LIFE;
    m->g[0].t[s].name = "a string tensor that nobody reads";
}
CHANGE(tensor_large) { (void)m; l->md.max_tensor_bytes = 23; }
CHANGE(tensor_overflows) {
    UNUSED_LIFE;
    m->g[0].t[0].rank = 8;
    for (int i = 0; i < 8; i++) m->g[0].t[0].dims[i] = 0x7FFFFFFF;
}
CHANGE(tensor_near_2_63) {
    UNUSED_LIFE;
    m->g[0].t[0].dims[0] = m->g[0].t[0].dims[1] = 0x7FFFFFFF;
}
CHANGE(empty_hides_overflow) {
    UNUSED_LIFE;
    m->g[0].t[0].rank = 3;
    m->g[0].t[0].dims[0] = 0;
    m->g[0].t[0].dims[1] = m->g[0].t[0].dims[2] = 1 << 20;
}
CHANGE(opcode_past_end) { UNUSED_LIFE; m->g[0].op[0].opcode = 5; }
CHANGE(custom_unknown) { UNUSED_LIFE; m->g[0].op[0].code = MK_CUSTOM; m->g[0].op[0].custom = "Nobody"; m->g[0].op[0].options = 0; }
CHANGE(custom_scratch) {
    custom_unknown(m, l);
    m->g[0].op[0].in[1] = mk_t(m, 0, NPU_INT8, 4, -1, -1, -1); /* nobody writes it: its own business */
}
CHANGE(builtin_unknown) { UNUSED_LIFE; m->g[0].op[0].code = 250; m->g[0].op[0].options = 0; }
CHANGE(reads_undefined) { UNUSED_LIFE; m->g[0].op[0].in[1] = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1); }
CHANGE(writes_constant) { UNUSED_LIFE; m->g[0].op[0].out[0] = 1; m->g[0].op[0].in[1] = 0; m->g[0].out[0] = 1; }
CHANGE(writes_input) { UNUSED_LIFE; m->g[0].op[0].out[0] = 0; m->g[0].out[0] = 0; }
CHANGE(writes_variable) { UNUSED_LIFE; m->g[0].t[2].variable = 1; }
CHANGE(writes_twice) { UNUSED_LIFE; m->g[0].op[1] = m->g[0].op[0]; m->g[0].n_ops = 2; }
CHANGE(never_written) { UNUSED_LIFE; mk_out(m, 0, mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1)); }
CHANGE(many_tensors) { (void)m; l->md.max_tensors = 2; }
CHANGE(enough_tensors) { (void)m; l->md.max_tensors = 3; l->md.max_ops = 1; l->md.max_subgraphs = 1; }
CHANGE(many_ops) { mk_node(m, 0, MK_RELU, 2, -9, -9, mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1)); l->md.max_ops = 1; }
CHANGE(many_graphs) { m->n_graphs = 2; m->g[1] = m->g[0]; l->md.max_subgraphs = 1; }
CHANGE(no_graphs) { UNUSED_LIFE; m->n_graphs = 0; }
CHANGE(version_2) { UNUSED_LIFE; m->version = 2; }
CHANGE(second_graph_wrong) { UNUSED_LIFE; m->n_graphs = 2; m->g[1] = m->g[0]; m->g[1].op[0].in[0] = 3; }

static void add_sig(mk *m) {
    m->n_sigs = 1;
    m->sig[0].key = "serve";
    m->sig[0].n_in = m->sig[0].n_out = 1;
    m->sig[0].out[0] = 2;
}
CHANGE(signed_fine) { UNUSED_LIFE; add_sig(m); }
CHANGE(sig_graph) { UNUSED_LIFE; add_sig(m); m->sig[0].graph = 1; }
CHANGE(sig_input) { UNUSED_LIFE; add_sig(m); m->sig[0].in[0] = 2; }
CHANGE(sig_output) { UNUSED_LIFE; add_sig(m); m->sig[0].out[0] = 0; }
CHANGE(sig_tensor_past_end) { UNUSED_LIFE; add_sig(m); m->sig[0].out[0] = 77; }

/* Planning. */
CHANGE(too_few_inputs) { UNUSED_LIFE; m->g[0].op[0].n_in = 1; }
CHANGE(too_many_inputs) { UNUSED_LIFE; m->g[0].op[0].n_in = 3; m->g[0].op[0].in[2] = 1; }
CHANGE(no_output) { UNUSED_LIFE; m->g[0].op[0].n_out = 0; m->g[0].out[0] = 0; }
CHANGE(two_outputs) { UNUSED_LIFE; m->g[0].op[0].n_out = 2; m->g[0].op[0].out[1] = mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1); }
CHANGE(input_not_optional) { UNUSED_LIFE; m->g[0].op[0].in[1] = -1; }
CHANGE(output_of_another_type) {
    UNUSED_LIFE;
    m->g[0].op[0].code = MK_RELU;
    m->g[0].op[0].n_in = 1;
    m->g[0].op[0].options = 0;
    m->g[0].t[2].type = NPU_INT64;
}
CHANGE(memory_model) { (void)m; l->md.max_memory_bytes = 1; }
CHANGE(memory_plan) { (void)m; l->pd.max_memory_bytes = 1; }
CHANGE(threads_0) { (void)m; l->pd.threads = -1; }
CHANGE(threads_257) { (void)m; l->pd.threads = 257; }
CHANGE(isa_unknown) { (void)m; l->pd.isa = (npu_isa)77; }
CHANGE(isa_elsewhere) {
    (void)m;
    for (int i = 1; i < NPU_ISA_COUNT; i++) if (!npu_isa_available((npu_isa)i)) l->pd.isa = (npu_isa)i;
}
CHANGE(session_threads) { (void)m; l->pd.threads = 1; l->sd.threads = 2; }
CHANGE(session_threads_below) { (void)m; l->sd.threads = -1; }

static npu_input_shape asked[2];
static void ask_shape(life *l, int32_t subgraph, int32_t input, int32_t rank, int32_t d0, int32_t d1) {
    memset(asked, 0, sizeof asked);
    asked[0].subgraph = subgraph;
    asked[0].input = input;
    asked[0].rank = rank;
    asked[0].dims[0] = d0;
    asked[0].dims[1] = d1;
    l->pd.input_shapes = asked;
    l->pd.n_input_shapes = 1;
    l->pd.resize_fixed = 1;
}
CHANGE(shape_as_declared) { (void)m; ask_shape(l, 0, 0, 2, 2, 3); l->pd.resize_fixed = 0; }
CHANGE(shape_fixed) { (void)m; ask_shape(l, 0, 0, 2, 1, 3); l->pd.resize_fixed = 0; }
CHANGE(shape_fixed_long_name) {
    m->g[0].t[0].name = "the name of an input that is longer than what fits into a message";
    shape_fixed(m, l);
}
CHANGE(shape_fixed_rank) { (void)m; ask_shape(l, 0, 0, 1, 3, 0); l->pd.resize_fixed = 0; }
CHANGE(shape_open) { signature_open(m, l); ask_shape(l, 0, 0, 2, 1, 3); l->pd.resize_fixed = 0; }
CHANGE(shape_half_open) { signature_open(m, l); ask_shape(l, 0, 0, 2, 1, 4); l->pd.resize_fixed = 0; }
CHANGE(shape_breaks_operator) { (void)m; ask_shape(l, 0, 0, 2, 2, 4); }
CHANGE(shape_and_model_broken) { too_few_inputs(m, l); ask_shape(l, 0, 0, 2, 2, 4); }
CHANGE(shape_and_operator_unknown) { custom_unknown(m, l); ask_shape(l, 0, 0, 2, 2, 4); }
CHANGE(shape_fine) { (void)m; ask_shape(l, 0, 0, 2, 1, 3); }
CHANGE(shape_graph_past) { (void)m; ask_shape(l, 1, 0, 2, 2, 3); }
CHANGE(shape_graph_below) { (void)m; ask_shape(l, -1, 0, 2, 2, 3); }
CHANGE(shape_input_past) { (void)m; ask_shape(l, 0, 1, 2, 2, 3); }
CHANGE(shape_input_below) { (void)m; ask_shape(l, 0, -1, 2, 2, 3); }
CHANGE(shape_rank_past) { (void)m; ask_shape(l, 0, 0, 9, 2, 3); }
CHANGE(shape_rank_below) { (void)m; ask_shape(l, 0, 0, -1, 2, 3); }
CHANGE(shape_below) { (void)m; ask_shape(l, 0, 0, 2, 2, -3); }
CHANGE(shape_large) { (void)m; ask_shape(l, 0, 0, 2, 100, 3); l->md.max_tensor_bytes = 100; }
CHANGE(shape_other_graph) { UNUSED_LIFE; m->n_graphs = 2; m->g[1] = m->g[0]; ask_shape(l, 1, 0, 2, 1, 3); }

static const rule_case rule_cases[] = {
    {"as made", nothing, NPU_OK, ""},
    {"operator input past the end", input_past_end, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"operator input -2", input_below, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"operator output -1", output_left_out, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"intermediate -2", mid_below, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"intermediates", mid_fine, NPU_OK, ""},
    {"subgraph input -1", graph_input_below, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"subgraph output past the end", graph_output_past, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"rank 9", rank_9, NPU_UNSUPPORTED, "tflite.rank"},
    {"dimension -2", dimension_below, NPU_INVALID_MODEL, "tflite.dimension"},
    {"dimension -1", dimension_open, NPU_OK, ""},
    {"shape signature", signature_open, NPU_OK, ""},
    {"shape signature of another rank", signature_short, NPU_OK, ""},
    {"two scales, one zero point", zero_points_missing, NPU_INVALID_MODEL, "tflite.quantization"},
    {"scale without zero point", zero_points_absent, NPU_OK, ""},
    {"zero point 2^40", zero_point_wide, NPU_INVALID_MODEL, "tflite.zero_point"},
    {"zero point -2^40", zero_point_wide_below, NPU_INVALID_MODEL, "tflite.zero_point"},
    {"type past the end", type_unknown, NPU_UNSUPPORTED, "tflite.type"},
    {"type -1", type_below, NPU_UNSUPPORTED, "tflite.type"},
    {"external buffer", external, NPU_UNSUPPORTED, "tflite.external_buffer"},
    {"buffer past the end", buffer_past_end, NPU_INVALID_MODEL, "tflite.buffer_index"},
    {"no buffers at all", no_buffers, NPU_OK, ""},
    {"buffer too short", buffer_short, NPU_INVALID_MODEL, "tflite.buffer_size"},
    {"buffer of a type without size", buffer_of_void, NPU_INVALID_MODEL, "tflite.buffer_size"},
    {"strings", strings, NPU_OK, ""},
    {"tensor above the limit", tensor_large, NPU_LIMIT, "tflite.tensor_size"},
    {"tensor of 2^248 elements", tensor_overflows, NPU_LIMIT, "tflite.tensor_size"},
    {"tensor of 2^62 elements", tensor_near_2_63, NPU_LIMIT, "tflite.tensor_size"},
    {"empty tensor of 2^40 rows", empty_hides_overflow, NPU_LIMIT, "tflite.tensor_size"},
    {"operator code past the end", opcode_past_end, NPU_INVALID_MODEL, "tflite.opcode_index"},
    {"unknown custom operator", custom_unknown, NPU_UNSUPPORTED, "op.unknown"},
    {"unknown custom operator with scratch", custom_scratch, NPU_UNSUPPORTED, "op.unknown"},
    {"unknown builtin", builtin_unknown, NPU_UNSUPPORTED, "op.unknown"},
    {"input that nobody writes", reads_undefined, NPU_INVALID_MODEL, "graph.undefined_input"},
    {"output is constant", writes_constant, NPU_INVALID_MODEL, "graph.written_twice"},
    {"output is an input", writes_input, NPU_INVALID_MODEL, "graph.written_twice"},
    {"output is a variable", writes_variable, NPU_INVALID_MODEL, "graph.written_twice"},
    {"two operators, one output", writes_twice, NPU_INVALID_MODEL, "graph.written_twice"},
    {"output that nobody writes", never_written, NPU_INVALID_MODEL, "graph.undefined_output"},
    {"max_tensors", many_tensors, NPU_LIMIT, "model.limit"},
    {"limits just met", enough_tensors, NPU_OK, ""},
    {"max_ops", many_ops, NPU_LIMIT, "model.limit"},
    {"max_subgraphs", many_graphs, NPU_LIMIT, "model.limit"},
    {"no subgraph", no_graphs, NPU_INVALID_MODEL, "tflite.no_subgraph"},
    {"schema 2", version_2, NPU_INVALID_MODEL, "tflite.version"},
    {"wrong in the second subgraph", second_graph_wrong, NPU_INVALID_MODEL, "tflite.tensor_index"},
    {"signature", signed_fine, NPU_OK, ""},
    {"signature of no subgraph", sig_graph, NPU_INVALID_MODEL, "tflite.signature"},
    {"signature's input is none", sig_input, NPU_INVALID_MODEL, "tflite.signature"},
    {"signature's output is none", sig_output, NPU_INVALID_MODEL, "tflite.signature"},
    {"signature's tensor past the end", sig_tensor_past_end, NPU_INVALID_MODEL, "tflite.signature"},
    {"too few inputs", too_few_inputs, NPU_INVALID_MODEL, "op.input_count"},
    {"too many inputs", too_many_inputs, NPU_INVALID_MODEL, "op.input_count"},
    {"no output", no_output, NPU_INVALID_MODEL, "op.output_count"},
    {"two outputs", two_outputs, NPU_INVALID_MODEL, "op.output_count"},
    {"input left out", input_not_optional, NPU_INVALID_MODEL, "op.input_missing"},
    {"output of another type", output_of_another_type, NPU_UNSUPPORTED, "op.types"},
    {"a model of 1 byte", memory_model, NPU_LIMIT, "model.memory_limit"},
    {"a plan of 1 byte", memory_plan, NPU_LIMIT, "plan.memory_limit"},
    {"threads -1", threads_0, NPU_INVALID_ARGUMENT, "plan.threads"},
    {"threads 257", threads_257, NPU_INVALID_ARGUMENT, "plan.threads"},
    {"unknown ISA", isa_unknown, NPU_INVALID_ARGUMENT, "plan.isa"},
    {"ISA of another machine", isa_elsewhere, NPU_INVALID_ARGUMENT, "plan.isa"},
    {"more threads than planned", session_threads, NPU_INVALID_ARGUMENT, "session.threads"},
    {"session threads -1", session_threads_below, NPU_INVALID_ARGUMENT, "session.threads"},
    {"input resized", shape_fine, NPU_OK, ""},
    {"shape as declared", shape_as_declared, NPU_OK, ""},
    {"shape of a fixed input", shape_fixed, NPU_BAD_INPUT, "plan.input_fixed"},
    {"shape of a fixed input with a long name", shape_fixed_long_name, NPU_BAD_INPUT, "plan.input_fixed"},
    {"rank of a fixed input", shape_fixed_rank, NPU_BAD_INPUT, "plan.input_fixed"},
    {"shape of an open input", shape_open, NPU_OK, ""},
    {"open dimension, and a fixed one", shape_half_open, NPU_BAD_INPUT, "plan.input_fixed"},
    {"shape that an operator refuses", shape_breaks_operator, NPU_BAD_INPUT, "op.broadcast"},
    {"shape, and a model that cannot run", shape_and_model_broken, NPU_INVALID_MODEL, "op.input_count"},
    {"shape, and an unknown operator", shape_and_operator_unknown, NPU_UNSUPPORTED, "op.unknown"},
    {"shape of subgraph 1", shape_graph_past, NPU_INVALID_ARGUMENT, "plan.input_shape"},
    {"shape of subgraph -1", shape_graph_below, NPU_INVALID_ARGUMENT, "plan.input_shape"},
    {"shape of input 1", shape_input_past, NPU_INVALID_ARGUMENT, "plan.input_shape"},
    {"shape of input -1", shape_input_below, NPU_INVALID_ARGUMENT, "plan.input_shape"},
    {"shape of rank 9", shape_rank_past, NPU_INVALID_ARGUMENT, "plan.input_shape"},
    {"shape of rank -1", shape_rank_below, NPU_INVALID_ARGUMENT, "plan.input_shape"},
    {"shape below 0", shape_below, NPU_BAD_INPUT, "plan.input_shape"},
    {"shape above the limit", shape_large, NPU_BAD_INPUT, "plan.input_shape"},
    {"shape of the second subgraph", shape_other_graph, NPU_OK, ""},
};

TEST(every_rule) {
    static mk m;
    for (size_t i = 0; i < sizeof rule_cases / sizeof rule_cases[0]; i++) {
        life l;
        memset(&l, 0, sizeof l);
        make_add(&m);
        rule_cases[i].change(&m, &l);
        expect(rule_cases[i].name, &m, &l, rule_cases[i].status, rule_cases[i].rule);
    }
}

#endif
