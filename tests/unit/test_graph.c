/* npu_graph_*: models built by calls. Every argument, every rule at the call that breaks it, memory that runs out at every place,
 * limits, and what reports say of a model without a file. Public functions only. That results are those of files:
 * tests/conformance/built.py. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include <float.h>

#include "graph_memory.h"

TEST(results) {
    static const float want[6] = {0, 2, 3, 4, 5, 6}, dense[6] = {0, 7, 0, 8, 0, 0};
    npu_model   *model;
    npu_plan    *plan = NULL;
    npu_session *session = NULL;
    npu_tensor   t;
    npu_diag     d;
    CHECK_INT(build_main(&model, NULL, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_create(&session, plan, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_input(session, 0, &t), NPU_OK);
    CHECK_INT(t.dims_signature[0], -1);
    memset(t.data, 0, t.bytes);
    *(float *)t.data = -5;
    CHECK_INT(npu_session_invoke(session, &d), NPU_OK);
    npu_session_output(session, 0, &t);
    CHECK(t.bytes == sizeof want && memcmp(t.data, want, sizeof want) == 0);
    npu_session_output(session, 1, &t);
    CHECK(t.bytes == sizeof dense && memcmp(t.data, dense, sizeof dense) == 0);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

TEST(what_models_tell) {
    npu_model    *model;
    npu_diag      d;
    npu_signature sig;
    const char   *name;
    const void   *data;
    size_t        n, bytes;
    int32_t       at = -1;
    npu_missing_op missing[4];
    memset(&sig, 0, sizeof sig);
    CHECK_INT(build(&model, NULL, &d), NPU_OK);
    CHECK_INT(npu_model_missing(model, missing, 4), 1);
    CHECK_INT(missing[0].custom, 1);
    CHECK_INT(npu_model_signature(model, 0, &sig), NPU_OK);
    CHECK(sig.n_outputs == 2 && sig.key_len == 5);
    CHECK_INT(npu_model_signature_entry(model, 0, 1, 1, &name, &n, &at), NPU_OK);
    CHECK(n == 5 && at == 1);
    CHECK_INT(npu_model_metadata(model, 0, NULL, NULL, NULL, NULL), 2);
    CHECK_INT(npu_model_metadata(model, 0, &name, &n, &data, &bytes), 2);
    CHECK(n == 6 && bytes == 6 && memcmp(data, "nobody", 6) == 0);
    CHECK_INT(npu_model_metadata(model, 0, &name, NULL, NULL, NULL), 2);
    CHECK_INT(npu_model_metadata(model, 1, &name, &n, &data, &bytes), 2);
    CHECK(n == 0 && bytes == 0 && !data);
    CHECK_INT(npu_model_metadata(model, 2, &name, &n, &data, &bytes), -1);
    CHECK_INT(npu_model_metadata(model, -1, &name, &n, &data, &bytes), -1);
    npu_model_close(model);
}

TEST(misuse) {
    const int32_t   none[1] = {5};
    npu_graph      *g = NULL;
    npu_model      *model = NULL;
    npu_tensor_desc t = floats("t", 2, 3);
    npu_sparsity    sparse;
    npu_sparse_level level;
    npu_diag        d;
    MISUSED(npu_graph_create(NULL, NULL, dp));
    MISUSED(npu_graph_subgraph(NULL, "", NULL, dp));
    CHECK_INT(npu_graph_finish(NULL, &model, NULL), NPU_INVALID_ARGUMENT);
    npu_graph_destroy(NULL);
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
    CHECK_HAS(d.text, "npu_graph_tensor");
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    MISUSED(npu_graph_tensor(g, -1, &t, NULL, dp));
    MISUSED(npu_graph_tensor(g, 1, &t, NULL, dp));
    MISUSED(npu_graph_tensor(g, 0, NULL, NULL, dp));
    t.rank = -1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
    t.rank = 2;
    t.quant.count = -1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
    t.quant.count = 1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
    t.quant.count = 0;
    t.bytes = 1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
    t.bytes = 0;
    t.sparsity = &sparse;
    for (int i = 0; i < 12; i++) {
        memset(&sparse, 0, sizeof sparse);
        memset(&level, 0, sizeof level);
        sparse.levels = &level;
        sparse.n_levels = 1;
        if (i == 0) sparse.n_levels = -1;
        if (i == 1) sparse.levels = NULL;
        if (i == 2) sparse.n_traversal_order = 1;
        if (i == 3) sparse.n_block_map = 1;
        if (i == 4) level.n_segments = 1;
        if (i == 5) level.n_indices = 1;
        if (i >= 6) level.segments = level.indices = none;
        if (i >= 6) level.segment_bytes = level.index_bytes = 4;
        if (i == 6) level.segment_bytes = 3;
        if (i == 7) level.index_bytes = 0;
        if (i == 8) level.n_segments = -1;
        if (i == 9) level.index_bytes = 8;
        if (i >= 10) { /* nothing wrong but that there are no contents */
            level.segment_bytes = i == 10 ? 1 : 2;
            level.index_bytes = i == 10 ? 2 : 1;
            REFUSED(npu_graph_tensor(g, 0, &t, NULL, dp), NPU_INVALID_MODEL, "graph.sparse");
        } else {
            MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
        }
    }
    t.sparsity = NULL;
    CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, NULL), NPU_OK);
    npu_graph_destroy(g);
}

TEST(misuse_of_operators_and_lists) {
    const int32_t   zero = 0;
    const npu_graph_entry entry = {NULL, 0};
    npu_graph      *g = NULL;
    npu_model      *model = NULL;
    npu_tensor_desc t = floats("t", 2, 3);
    npu_op_desc     o = op_desc("RELU", &zero, 1, &zero, 1);
    npu_diag        d;
    int64_t         ints = 0;
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, &d), NPU_OK);
    MISUSED(npu_graph_op(g, 0, NULL, NULL, dp));
    for (int i = 0; i < 6; i++) {
        npu_op_desc bad = o;
        if (i == 0) bad.name = NULL;
        if (i == 1) bad.inputs = NULL;
        if (i == 2) bad.n_outputs = -1;
        if (i == 3) bad.n_intermediates = 1;
        if (i == 4) bad.custom_options_bytes = 1;
        MISUSED(npu_graph_op(g, i == 5 ? 1 : 0, &bad, NULL, dp));
    }
    MISUSED(npu_graph_inputs(g, 0, NULL, 1, dp));
    MISUSED(npu_graph_outputs(g, 0, &zero, -1, dp));
    MISUSED(npu_graph_outputs(g, 7, &zero, 1, dp));
    MISUSED(npu_graph_signature(g, "", 0, NULL, 1, NULL, 0, dp));
    MISUSED(npu_graph_signature(g, "", 0, &entry, 1, NULL, -1, dp));
    MISUSED(npu_graph_metadata(g, "", NULL, 1, dp));
    MISUSED(npu_graph_option_int(g, 0, 0, "stride_w", 1, dp));
    CHECK_INT(npu_graph_op(g, 0, &o, NULL, &d), NPU_OK);
    MISUSED(npu_graph_option_int(g, 0, 0, NULL, 1, dp));
    MISUSED(npu_graph_option_int(g, 0, -1, "axis", 1, dp));
    MISUSED(npu_graph_option_str(g, 1, 0, "axis", "1", dp));
    MISUSED(npu_graph_finish(g, NULL, dp));
    REFUSED_ONCE(npu_graph_finish(g, &model, &d), NPU_INVALID_MODEL, "graph.undefined_input");
    CHECK(!model);
    MISUSED(npu_graph_finish(g, &model, dp));
    CHECK_HAS(d.text, "finished");
    MISUSED(npu_graph_subgraph(g, "", NULL, dp));
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, dp));
    MISUSED(npu_graph_op(g, 0, &o, NULL, dp));
    MISUSED(npu_graph_option_float(g, 0, 0, "beta", 1, dp));
    MISUSED(npu_graph_option_ints(g, 0, 0, "new_shape", &ints, 1, dp));
    MISUSED(npu_graph_option_floats(g, 0, 0, "boundaries", NULL, 0, dp));
    MISUSED(npu_graph_inputs(g, 0, &zero, 1, dp));
    MISUSED(npu_graph_signature(g, "", 0, NULL, 0, NULL, 0, dp));
    MISUSED(npu_graph_metadata(g, "", NULL, 0, dp));
    MISUSED(npu_graph_description(g, "", dp));
    npu_graph_destroy(g);
}

static int32_t add_op(npu_graph *g, const char *name, int custom) {
    npu_op_desc o = op_desc(name, NULL, 0, NULL, 0);
    int32_t     i = -1;
    o.custom = custom;
    CHECK_INT(npu_graph_op(g, 0, &o, &i, NULL), NPU_OK);
    return i;
}

TEST(options) {
    const int64_t two[2] = {1, 2}, large[1] = {(int64_t)1 << 40}, negative[1] = {-1};
    npu_graph    *g = NULL;
    npu_model    *model = NULL;
    npu_diag      d;
    int32_t       conv, reshape, bucketize, softmax, fill, call, fc, iota, pad, odd, own;
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    conv = add_op(g, "CONV_2D", 0);
    reshape = add_op(g, "RESHAPE", 0);
    bucketize = add_op(g, "BUCKETIZE", 0);
    softmax = add_op(g, "SOFTMAX", 0);
    call = add_op(g, "CALL", 0);
    fc = add_op(g, "FULLY_CONNECTED", 0);
    iota = add_op(g, "STABLEHLO_IOTA", 0);
    pad = add_op(g, "PAD", 0);
    odd = add_op(g, "STABLEHLO_CONVOLUTION", 0);
    own = add_op(g, "CONV_2D", 1);
    fill = add_op(g, "STABLEHLO_CUSTOM_CALL", 0);
    CHECK_INT(npu_graph_option_int(g, 0, conv, "stride_w", INT32_MAX, &d), NPU_OK);
    CHECK_INT(npu_graph_option_str(g, 0, conv, "padding", "VALID", &d), NPU_OK);
    CHECK_INT(npu_graph_option_str(g, 0, conv, "quantized_bias_type", "INT64", &d), NPU_OK);
    CHECK_INT(npu_graph_option_int(g, 0, conv, "padding", -128, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, conv, "stride_w", (int64_t)1 << 31, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_STR(d.op_name, "CONV_2D");
    CHECK_INT(d.op, conv);
    REFUSED(npu_graph_option_int(g, 0, conv, "padding", -129, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, conv, "stride", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_name");
    CHECK_HAS(d.text, "padding, stride_w, stride_h");
    REFUSED(npu_graph_option_float(g, 0, conv, "stride_w", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_str(g, 0, conv, "stride_w", "1", dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_str(g, 0, conv, "padding", "NONE", dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_HAS(d.text, "NONE");
    MISUSED(npu_graph_option_str(g, 0, conv, "padding", NULL, dp));
    REFUSED(npu_graph_option_ints(g, 0, conv, "padding", two, 2, dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_floats(g, 0, conv, "padding", lent, 2, dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_INT(npu_graph_option_ints(g, 0, reshape, "new_shape", two, 2, &d), NPU_OK);
    CHECK_INT(npu_graph_option_ints(g, 0, reshape, "new_shape", NULL, 0, &d), NPU_OK);
    REFUSED(npu_graph_option_ints(g, 0, reshape, "new_shape", large, 1, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, reshape, "new_shape", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_str(g, 0, reshape, "new_shape", "1", dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    MISUSED(npu_graph_option_ints(g, 0, reshape, "new_shape", NULL, 1, dp));
    MISUSED(npu_graph_option_ints(g, 0, reshape, "new_shape", two, -1, dp));
    CHECK_INT(npu_graph_option_floats(g, 0, bucketize, "boundaries", lent, 6, &d), NPU_OK);
    CHECK_INT(npu_graph_option_floats(g, 0, bucketize, "boundaries", NULL, 0, &d), NPU_OK);
    MISUSED(npu_graph_option_floats(g, 0, bucketize, "boundaries", NULL, 2, dp));
    REFUSED(npu_graph_option_ints(g, 0, bucketize, "boundaries", two, 2, dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_INT(npu_graph_option_float(g, 0, softmax, "beta", 0.5, &d), NPU_OK);
    CHECK_INT(npu_graph_option_float(g, 0, softmax, "beta", HUGE_VAL, &d), NPU_OK);
    CHECK_INT(npu_graph_option_float(g, 0, softmax, "beta", -(double)FLT_MAX, &d), NPU_OK);
    REFUSED(npu_graph_option_float(g, 0, softmax, "beta", 1e39, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_float(g, 0, softmax, "beta", -1e39, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, softmax, "beta", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_INT(npu_graph_option_int(g, 0, call, "subgraph", UINT32_MAX, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, call, "subgraph", -1, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_INT(npu_graph_option_int(g, 0, fc, "keep_num_dims", 1, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, fc, "keep_num_dims", 2, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_INT(npu_graph_option_ints(g, 0, fc, "quant_spec", two, 2, &d), NPU_OK);
    REFUSED(npu_graph_option_ints(g, 0, fc, "quant_spec", negative, 1, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_INT(npu_graph_option_int(g, 0, iota, "iota_dimension", INT64_MIN, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, pad, "padding", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_name");
    CHECK_HAS(d.text, "none");
    CHECK_INT(npu_graph_option_ints(g, 0, odd, "window_strides", large, 1, &d), NPU_OK);
    REFUSED(npu_graph_option_ints(g, 0, odd, "window_reversal", two, 2, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_ints(g, 0, odd, "precision_config", negative, 1, dp), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, own, "stride_w", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_name");
    CHECK_HAS(d.text, "custom_options");
    REFUSED(npu_graph_option_int(g, 0, odd, "?", 1, dp), NPU_INVALID_ARGUMENT, "graph.option_name"); /* more than fit the text */
    CHECK_INT(npu_graph_option_str(g, 0, fill, "call_target_name", "f", &d), NPU_OK);
    CHECK_INT(npu_graph_option_int(g, 0, conv, "?", 1, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_graph_finish(g, &model, &d), NPU_OK);
    npu_graph_destroy(g);
    npu_model_close(model);
}

TEST(rules_at_the_call) {
    const int32_t   zero = 0, one = 1, minus[2] = {-1, 0}, bad_signature[2] = {-1, 3};
    const float     scale = 1;
    npu_graph      *g = NULL;
    npu_model      *model = NULL;
    npu_tensor_desc t = floats("t", 2, 3), u;
    npu_op_desc     o = op_desc("RELU", &zero, 1, &one, 1);
    npu_model_desc  md;
    npu_diag        d;
    int32_t         index = -1;
    memset(&md, 0, sizeof md);
    md.max_tensors = 2;
    md.max_ops = 1;
    md.max_subgraphs = 1;
    md.max_tensor_bytes = 1000;
    CHECK_INT(npu_graph_create(&g, &md, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    REFUSED(npu_graph_subgraph(g, "", NULL, dp), NPU_LIMIT, "model.limit");
    u = t;
    u.rank = 9;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, dp), NPU_UNSUPPORTED, "tflite.rank");
    CHECK_INT(npu_graph_tensor(g, 0, &u, NULL, NULL), NPU_UNSUPPORTED);
    u = t;
    u.dims[1] = -2;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, dp), NPU_INVALID_MODEL, "tflite.dimension");
    u = t;
    u.dims[1] = 300;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, dp), NPU_LIMIT, "tflite.tensor_size");
    u = t;
    u.type = (npu_type)77;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, dp), NPU_UNSUPPORTED, "tflite.type");
    u = t;
    u.data = lent;
    u.bytes = 20;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, dp), NPU_INVALID_MODEL, "tflite.buffer_size");
    CHECK_HAS(d.text, "24 bytes");
    u.bytes = 24;
    u.is_variable = 1;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, dp), NPU_INVALID_MODEL, "graph.variable_data");
    u = t;
    u.dims_signature = bad_signature;
    u.quant.count = 1;
    u.quant.scale = &scale; /* zero_point NULL */
    CHECK_INT(npu_graph_tensor(g, 0, &u, &index, &d), NPU_OK); /* what failed before does not count */
    CHECK_INT(index, 0);
    CHECK_INT(npu_graph_tensor(g, 0, &t, &index, &d), NPU_OK);
    CHECK_INT(index, 1);
    REFUSED(npu_graph_tensor(g, 0, &t, &index, dp), NPU_LIMIT, "model.limit");
    o.outputs = minus;
    REFUSED(npu_graph_op(g, 0, &o, NULL, dp), NPU_INVALID_MODEL, "tflite.tensor_index");
    o.outputs = &one;
    CHECK_INT(npu_graph_op(g, 0, &o, &index, &d), NPU_OK);
    CHECK_INT(index, 0);
    REFUSED(npu_graph_op(g, 0, &o, &index, dp), NPU_LIMIT, "model.limit");
    REFUSED(npu_graph_inputs(g, 0, minus, 2, dp), NPU_INVALID_MODEL, "tflite.tensor_index");
    CHECK_INT(npu_graph_inputs(g, 0, &zero, 1, &d), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, &one, 1, &d), NPU_OK);
    CHECK_INT(npu_graph_description(g, NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &model, &d), NPU_OK);
    npu_graph_destroy(g);
    CHECK_INT(npu_model_input_count(model, 0), 1);
    npu_model_close(model);
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    REFUSED_ONCE(npu_graph_finish(g, &model, &d), NPU_INVALID_MODEL, "tflite.no_subgraph");
    npu_graph_destroy(g);
}

TEST(rules_at_the_end) {
    const npu_graph_entry entry = {"x", 3};
    npu_graph *g = NULL;
    npu_model *model = NULL;
    npu_diag   d;
    for (int i = 0; i < 3; i++) {
        CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
        CHECK_INT(make(g, &d), NPU_OK);
        CHECK_INT(npu_graph_signature(g, "more", i ? 0 : 9, i == 1 ? &entry : NULL, i == 1, i == 2 ? &entry : NULL, i == 2, &d), NPU_OK);
        REFUSED_ONCE(npu_graph_finish(g, &model, &d), NPU_INVALID_MODEL, "tflite.signature");
        CHECK(!model);
        npu_graph_destroy(g);
    }
}

static char   text[1 << 16];
static size_t text_n;
static int keep(void *user, const char *p, size_t n) {
    (void)user;
    if (n > sizeof text - 1 - text_n) return 1;
    memcpy(text + text_n, p, n);
    text_n += n;
    text[text_n] = 0;
    return 0;
}

TEST(reports) {
    npu_writer w = {NULL, keep};
    npu_model *model;
    npu_diag   d;
    text_n = 0;
    CHECK_INT(build(&model, NULL, &d), NPU_OK);
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_TEXT, &w, &d), NPU_OK);
    CHECK_HAS(text, "built without a file (TFLite schema 3), \"made by hand\"");
    CHECK_HAS(text, "fused_activation_function=RELU, pot_scale_int16=true");
    CHECK_HAS(text, "boundaries=[1,2,3,4,5,6]");
    CHECK_HAS(text, "shared_name=\"state\"");
    CHECK_HAS(text, "Mine(");
    text_n = 0;
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_JSON, &w, &d), NPU_OK);
    CHECK_HAS(text, "\"fused_activation_function\":\"RELU\"");
    npu_model_close(model);
    CHECK_INT(build_main(&model, NULL, &d), NPU_OK);
    text_n = 0;
    CHECK_INT(npu_model_info(model, NULL, NPU_FORMAT_TEXT, &w, &d), NPU_OK);
    CHECK_HAS(text, "built without a file, \"made by hand\"");
    text_n = 0;
    CHECK_INT(npu_model_info(model, NULL, NPU_FORMAT_JSON, &w, &d), NPU_OK);
    CHECK_HAS(text, "\"file_bytes\":0,");
    npu_model_close(model);
}

int main(void) {
    RUN(what_models_tell);
    RUN(results);
    RUN(misuse);
    RUN(misuse_of_operators_and_lists);
    RUN(options);
    RUN(rules_at_the_call);
    RUN(rules_at_the_end);
    RUN(memory_runs_out_anywhere);
    RUN(memory_runs_out_at_each_piece);
    RUN(memory_for_large_pieces_runs_out);
    RUN(every_memory_limit);
    RUN(unlikely_numbers);
    RUN(in_a_fixed_buffer);
    RUN(large_constants);
    RUN(many_of_everything);
    RUN(reports);
    RUN(memory_elsewhere);
    return REPORT();
}
