/* Compiled models: where the compiler's metadata puts feature maps, and every way in which it may be wrong. */
#ifndef TESTS_UNIT_RUNTIME_OFFLINE_H
#define TESTS_UNIT_RUNTIME_OFFLINE_H

#include "runtime_api.h"

/* A stream for U55-128 that only stops. */
static const uint32_t stop_stream[9] = {0x31504F43u, 1, 0x1807, 0, 5, 5, 5, 2u | 1u << 16, 0xFFFFu << 16};
static int32_t offsets[3 + 12];

enum { T_STREAM, T_WEIGHTS, T_SCRATCH, T_FAST, T_IN, T_OUT, T_LAST };

/* in -> ethos-u -> out -> relu -> last: tensors 4 and 5 inside the scratch tensor 2 of 64 bytes. */
static void make_compiled(mk *m) {
    static const uint8_t weights[16] = {1};
    mk_op               *o;
    mk_init(m);
    mk_const(m, 0, NPU_UINT8, 36, -1, stop_stream, sizeof stop_stream);
    mk_const(m, 0, NPU_UINT8, 16, -1, weights, sizeof weights);
    mk_t(m, 0, NPU_UINT8, 64, -1, -1, -1);
    mk_t(m, 0, NPU_UINT8, 0, -1, -1, -1);
    for (int i = T_IN; i <= T_LAST; i++) {
        mk_t(m, 0, NPU_INT8, 1, 16, -1, -1);
        mk_quant(m, 0, i, 0.5f, 0);
    }
    mk_in(m, 0, T_IN);
    mk_out(m, 0, T_LAST);
    o = mk_node(m, 0, MK_CUSTOM, T_STREAM, T_WEIGHTS, T_SCRATCH, T_OUT);
    o->n_in = 5;
    o->in[3] = T_FAST;
    o->in[4] = T_IN;
    o->custom = "ethos-u";
    mk_node(m, 0, MK_RELU, T_OUT, -9, -9, T_LAST);
    offsets[0] = 0;
    offsets[1] = 1;
    offsets[2] = 12;
    for (int i = 3; i < 15; i++) offsets[i] = -1;
    offsets[3 + T_IN] = 0;
    offsets[3 + T_OUT] = 16;
    m->n_meta = 1;
    m->meta[0].name = "OfflineMemoryAllocation";
    m->meta[0].buffer = mk_buffer(m, offsets, sizeof offsets);
}

/* A second compiled operator, out -> last, with the same scratch. */
static mk_op *second_compiled(mk *m, int scratch) {
    mk_op *o = &m->g[0].op[1];
    *o = m->g[0].op[0];
    o->in[2] = scratch;
    o->in[4] = T_OUT;
    o->out[0] = T_LAST;
    offsets[3 + T_LAST] = 32;
    return o;
}

CHANGE(meta_none) { UNUSED_LIFE; m->n_meta = 0; }
CHANGE(meta_other_first) {
    UNUSED_LIFE;
    m->n_meta = 4;
    for (unsigned i = 1; i < 4; i++) m->meta[i] = m->meta[0];
    m->meta[0].name = "min_runtime_version";
    m->meta[1].buffer = 0;                              /* nothing in it */
    m->meta[2].buffer = mk_buffer(m, offsets, 8);       /* too short to be read */
}
CHANGE(meta_short) { UNUSED_LIFE; m->buffer[m->meta[0].buffer].n = 4 * (3 + T_OUT); }
CHANGE(meta_counts_less) { UNUSED_LIFE; (void)m; offsets[2] = T_IN; }
CHANGE(meta_counts_more) { UNUSED_LIFE; (void)m; offsets[2] = 0x7FFFFFFF; }
CHANGE(map_without_offset) { UNUSED_LIFE; (void)m; offsets[3 + T_IN] = -1; }
CHANGE(map_at_8) { UNUSED_LIFE; (void)m; offsets[3 + T_IN] = 8; }
CHANGE(map_far) { UNUSED_LIFE; (void)m; offsets[3 + T_OUT] = 1024; } /* the scratch grows */
CHANGE(map_constant) {
    static const int8_t c[16] = {0};
    UNUSED_LIFE;
    m->g[0].op[0].in[4] = mk_const(m, 0, NPU_INT8, 1, 16, c, sizeof c);
    mk_quant(m, 0, m->g[0].op[0].in[4], 0.5f, 0);
    offsets[3 + 7] = 0;
}
CHANGE(map_empty) {
    UNUSED_LIFE;
    m->g[0].op[0].n_in = 6;
    m->g[0].op[0].in[5] = mk_t(m, 0, NPU_INT8, 0, -1, -1, -1);
}
CHANGE(map_empty_output) {
    UNUSED_LIFE;
    m->g[0].op[0].n_out = 2;
    m->g[0].op[0].out[1] = mk_t(m, 0, NPU_INT8, 0, -1, -1, -1);
}
CHANGE(map_left_out) { UNUSED_LIFE; m->g[0].op[0].n_in = 6; m->g[0].op[0].in[5] = -1; }
CHANGE(map_variable) {
    UNUSED_LIFE;
    m->g[0].op[0].n_in = 6;
    m->g[0].op[0].in[5] = mk_t(m, 0, NPU_INT8, 16, -1, -1, -1);
    m->g[0].t[7].variable = 1;
    offsets[3 + 7] = 32;
}
CHANGE(map_of_open_shape) {
    int dims = mk_t(m, 0, NPU_INT32, 2, -1, -1, -1), value = mk_const(m, 0, NPU_INT8, -1, -1, "\1", 1);
    int open = mk_t(m, 0, NPU_INT8, 1, 1, -1, -1);
    UNUSED_LIFE;
    m->g[0].t[value].rank = 0;
    mk_in(m, 0, dims);
    m->g[0].op[2] = m->g[0].op[1];
    m->g[0].op[1] = m->g[0].op[0];
    m->g[0].n_ops = 0;
    mk_node(m, 0, MK_FILL, dims, value, -9, open);
    m->g[0].n_ops = 3;
    m->g[0].op[1].n_in = 6;
    m->g[0].op[1].in[5] = open;
}
CHANGE(map_of_two) { second_compiled(m, mk_t(m, 0, NPU_UINT8, 64, -1, -1, -1)); UNUSED_LIFE; }
CHANGE(two_compiled) { second_compiled(m, T_SCRATCH); UNUSED_LIFE; }
CHANGE(scratch_is_a_map) { second_compiled(m, T_OUT)->in[4] = T_IN; UNUSED_LIFE; }
CHANGE(scratch_is_input) { UNUSED_LIFE; mk_in(m, 0, T_SCRATCH); }
CHANGE(scratch_is_output) { UNUSED_LIFE; mk_out(m, 0, T_SCRATCH); }
CHANGE(scratch_is_read) { UNUSED_LIFE; m->g[0].op[0].n_in = 6; m->g[0].op[0].in[5] = T_SCRATCH; }
CHANGE(scratch_is_constant) { UNUSED_LIFE; m->g[0].t[T_SCRATCH].buffer = mk_buffer(m, NULL, 64); }
CHANGE(scratch_empty) { UNUSED_LIFE; m->g[0].t[T_SCRATCH].dims[0] = 0; }
CHANGE(scratch_left_out) { UNUSED_LIFE; m->g[0].op[0].in[2] = -1; }
CHANGE(fast_is_constant) { UNUSED_LIFE; m->g[0].t[T_FAST].dims[0] = 16; m->g[0].t[T_FAST].buffer = mk_buffer(m, NULL, 16); }
CHANGE(fast_is_read) { UNUSED_LIFE; m->g[0].t[T_FAST].dims[0] = 16; mk_in(m, 0, T_FAST); }
CHANGE(fast_fine) { UNUSED_LIFE; m->g[0].t[T_FAST].dims[0] = 16; }
CHANGE(stream_not_stored) { UNUSED_LIFE; m->g[0].t[T_STREAM].buffer = 0; mk_in(m, 0, T_STREAM); }
CHANGE(stream_damaged) { UNUSED_LIFE; m->buffer[m->g[0].t[T_STREAM].buffer].p = offsets; }
CHANGE(weights_not_stored) { UNUSED_LIFE; m->g[0].t[T_WEIGHTS].buffer = 0; mk_in(m, 0, T_WEIGHTS); }
CHANGE(few_inputs) { UNUSED_LIFE; m->g[0].op[0].n_in = 3; }
CHANGE(no_maps) { UNUSED_LIFE; m->g[0].op[0].n_in = 4; m->g[0].op[1].in[0] = T_IN; m->g[0].op[0].n_out = 0; }
CHANGE(relu_inside) { /* what the CPU computes may lie in the scratch, too, as long as it is apart */
    mk_op *o = second_compiled(m, T_SCRATCH);
    UNUSED_LIFE;
    m->g[0].op[2] = *o;
    m->g[0].n_ops = 3;
    m->g[0].op[2].in[4] = T_LAST;
    m->g[0].op[2].out[0] = mk_t(m, 0, NPU_INT8, 1, 16, -1, -1);
    offsets[3 + 7] = 48;
    m->g[0].n_ops = 1;
    mk_node(m, 0, MK_RELU, T_OUT, -9, -9, T_LAST);
    m->g[0].n_ops = 3;
}
CHANGE(relu_overlaps) { relu_inside(m, l); offsets[3 + T_LAST] = 16; }
CHANGE(relu_overlaps_behind) { relu_inside(m, l); offsets[3 + T_LAST] = 0; m->g[0].op[1].in[0] = T_IN; }
CHANGE(add_inside) { /* two inputs, the same bytes: they are only read */
    relu_inside(m, l);
    mk_options(&m->g[0].op[1], MK_O_ADD, "1", 0, 0);
    m->g[0].op[1].code = MK_ADD;
    m->g[0].op[1].n_in = 2;
    m->g[0].op[1].in[1] = T_IN;
    offsets[3 + T_IN] = 16;
}
CHANGE(second_subgraph) { /* its offsets stand behind those of the first */
    UNUSED_LIFE;
    m->n_graphs = 2;
    m->g[1] = m->g[0];
    offsets[2] = 14;
    for (int i = 0; i < 5; i++) offsets[3 + 7 + i] = offsets[3 + i];
    m->g[1].op[0].n_in = 4;
    m->g[1].op[0].n_out = 0;
    m->g[1].op[1].in[0] = T_IN;
}
CHANGE(second_subgraph_missing) { second_subgraph(m, l); m->g[1].op[0].n_in = 5; offsets[2] = 7; }
CHANGE(variable_written) {
    UNUSED_LIFE;
    m->g[0].op[0].n_out = 2;
    m->g[0].op[0].out[1] = mk_t(m, 0, NPU_INT8, 16, -1, -1, -1);
    m->g[0].t[7].variable = 1;
    mk_quant(m, 0, 7, 0.5f, 7);
    offsets[3 + 7] = 32;
}

static const rule_case offline_cases[] = {
    {"compiled", nothing, NPU_OK, ""},
    {"no metadata", meta_none, NPU_INVALID_MODEL, "ethos_u.offline_missing"},
    {"other metadata first", meta_other_first, NPU_OK, ""},
    {"metadata that ends before the output", meta_short, NPU_INVALID_MODEL, "ethos_u.offline_missing"},
    {"metadata that counts four tensors", meta_counts_less, NPU_INVALID_MODEL, "ethos_u.offline_missing"},
    {"metadata that counts 2^31 - 1 tensors", meta_counts_more, NPU_OK, ""},
    {"map without offset", map_without_offset, NPU_INVALID_MODEL, "ethos_u.offline_missing"},
    {"map at 8", map_at_8, NPU_INVALID_MODEL, "ethos_u.offline_offset"},
    {"map beyond the scratch tensor's size", map_far, NPU_OK, ""},
    {"map is constant", map_constant, NPU_UNSUPPORTED, "ethos_u.offline_constant"},
    {"empty map", map_empty, NPU_UNSUPPORTED, "ethos_u.offline_constant"},
    {"empty output", map_empty_output, NPU_OK, ""},
    {"map left out", map_left_out, NPU_INVALID_MODEL, "op.input_missing"},
    {"map is a variable", map_variable, NPU_OK, ""},
    {"map of open shape", map_of_open_shape, NPU_UNSUPPORTED, "ethos_u.offline_constant"},
    {"map of two scratch tensors", map_of_two, NPU_INVALID_MODEL, "ethos_u.offline_scratch"},
    {"two compiled operators", two_compiled, NPU_OK, ""},
    {"scratch is a map of another", scratch_is_a_map, NPU_INVALID_MODEL, "ethos_u.scratch"},
    {"scratch is an input", scratch_is_input, NPU_INVALID_MODEL, "ethos_u.scratch"},
    {"scratch is an output", scratch_is_output, NPU_INVALID_MODEL, "graph.undefined_output"},
    {"scratch is read", scratch_is_read, NPU_INVALID_MODEL, "graph.undefined_input"},
    {"scratch is constant", scratch_is_constant, NPU_INVALID_MODEL, "ethos_u.scratch"},
    {"scratch of 0 bytes", scratch_empty, NPU_INVALID_MODEL, "ethos_u.scratch"},
    {"scratch left out", scratch_left_out, NPU_INVALID_MODEL, "op.input_missing"},
    {"fast scratch is constant", fast_is_constant, NPU_INVALID_MODEL, "ethos_u.scratch"},
    {"fast scratch is an input", fast_is_read, NPU_INVALID_MODEL, "ethos_u.scratch"},
    {"fast scratch", fast_fine, NPU_OK, ""},
    {"stream is an input", stream_not_stored, NPU_INVALID_MODEL, "ethos_u.constant"},
    {"weights are an input", weights_not_stored, NPU_INVALID_MODEL, "ethos_u.constant"},
    {"three inputs", few_inputs, NPU_INVALID_MODEL, "op.input_count"},
    {"no maps", no_maps, NPU_OK, ""},
    {"the CPU computes inside the scratch", relu_inside, NPU_OK, ""},
    {"output over input", relu_overlaps, NPU_INVALID_MODEL, "ethos_u.offline_overlap"},
    {"output over input, at the front", relu_overlaps_behind, NPU_INVALID_MODEL, "ethos_u.offline_overlap"},
    {"two inputs in one place", add_inside, NPU_OK, ""},
    {"second subgraph", second_subgraph, NPU_OK, ""},
    {"second subgraph without offsets", second_subgraph_missing, NPU_INVALID_MODEL, "ethos_u.offline_missing"},
    {"variable that the NPU writes", variable_written, NPU_OK, ""},
};

TEST(offsets_of_compiled_models) {
    run_cases(make_compiled, offline_cases, sizeof offline_cases / sizeof offline_cases[0]);
    (void)stream_damaged;
}

/* ---- a driver instead of the software device ---- */

static int drive(void *user, const void *stream, size_t stream_bytes, const uint64_t *base, const size_t *bytes, int n) {
    int *answer = (int *)user;
    CHECK(stream_bytes == sizeof stop_stream && memcmp(stream, stop_stream, stream_bytes) == 0);
    CHECK(n == 3 && bytes[0] == 16 && bytes[1] == 64 && bytes[2] == 0 && base[1] != 0);
    return *answer;
}

TEST(drivers) {
    static mk         m;
    life              l;
    int               answer = 0;
    npu_ethosu_driver d;
    memset(&l, 0, sizeof l);
    d.user = &answer;
    d.invoke = drive;
    l.sd.ethosu = &d;
    make_compiled(&m);
    expect("driver", &m, &l, NPU_OK, "");
    answer = 7;
    expect("driver fails", &m, &l, NPU_RUNTIME, "ethos_u.driver");
}

static int drive_never(void *user, const void *stream, size_t stream_bytes, const uint64_t *base, const size_t *bytes, int n) {
    (void)user, (void)stream, (void)stream_bytes, (void)base, (void)bytes, (void)n;
    return 9;
}

/* The list of drivers: it goes before the member that is older; what does not fit is refused before memory is taken. */
TEST(list_of_drivers) {
    static mk         m;
    life              l;
    int               answer = 0;
    npu_ethosu_driver d, never;
    npu_driver        list[2];
    memset(&l, 0, sizeof l);
    d.user = &answer;
    d.invoke = drive;
    never = d;
    never.invoke = drive_never;
    list[0].vendor = list[1].vendor = "ethos-u";
    list[0].functions = list[1].functions = &d;
    l.sd.drivers = list;
    l.sd.n_drivers = 1;
    make_compiled(&m);
    expect("listed driver", &m, &l, NPU_OK, "");
    l.sd.ethosu = &never;
    expect("listed driver goes first", &m, &l, NPU_OK, "");
    list[0].functions = &never;
    expect("listed driver fails", &m, &l, NPU_RUNTIME, "ethos_u.driver");
    l.sd.n_drivers = 2;
    expect("two drivers for one vendor", &m, &l, NPU_INVALID_ARGUMENT, "session.driver");
    l.sd.n_drivers = 1;
    list[0].functions = NULL;
    expect("driver without functions", &m, &l, NPU_INVALID_ARGUMENT, "session.driver");
    list[0].functions = &d;
    list[0].vendor = NULL;
    expect("driver of nobody", &m, &l, NPU_INVALID_ARGUMENT, "session.driver");
    list[0].vendor = "none"; /* the CPU takes none */
    expect("driver of the CPU", &m, &l, NPU_INVALID_ARGUMENT, "session.driver");
    list[0].vendor = "ethos-u55-128"; /* a backend, not a vendor */
    expect("driver of a backend", &m, &l, NPU_INVALID_ARGUMENT, "session.driver");
}

/* Modes and clock are those of the backend that is asked. */
TEST(figures_of_a_backend) {
    int32_t n = 0;
    while (npu_backend_memory_mode("ethos-u55-128", n)) {
        CHECK(strcmp(npu_backend_memory_mode("ethos-u55-128", n), npu_cost_memory_mode(n)) == 0);
        n++;
    }
    CHECK(n > 2 && npu_cost_memory_mode(n) == NULL);
    CHECK(npu_backend_memory_mode("ethos-u55-128", -1) == NULL);
    CHECK(npu_backend_memory_mode("ethos-u", 0) == NULL && npu_backend_memory_mode("none", 0) == NULL);
    CHECK(npu_backend_memory_mode("nobody", 0) == NULL && npu_backend_memory_mode(NULL, 0) == NULL);
    CHECK(npu_backend_clock_hz("ethos-u55-128") == 500e6 && npu_backend_clock_hz("ethos-u85-256") == 1e9);
    CHECK(npu_backend_clock_hz("ethos-u") == 0 && npu_backend_clock_hz("none") == 0 && npu_backend_clock_hz(NULL) == 0);
}

#endif
