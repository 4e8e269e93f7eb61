/* npu_graph_*: models built by calls. Every argument, every rule at the call that breaks it, memory that runs out at every place,
 * limits, and what reports say of a model without a file. Public functions only. That results are those of files:
 * tests/conformance/built.py. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include <float.h>

#include "../hostile/counted.h"
#include "test.h"

static npu_tensor_desc floats(const char *name, int32_t a, int32_t b) {
    npu_tensor_desc d;
    memset(&d, 0, sizeof d);
    d.name = name;
    d.rank = 2;
    d.dims[0] = a;
    d.dims[1] = b;
    return d;
}

static npu_op_desc node(const char *name, const int32_t *in, int32_t n_in, const int32_t *out, int32_t n_out) {
    npu_op_desc d;
    memset(&d, 0, sizeof d);
    d.name = name;
    d.inputs = in;
    d.n_inputs = n_in;
    d.outputs = out;
    d.n_outputs = n_out;
    return d;
}

#define TRY(call) do { if (s == NPU_OK) s = (call); } while (0)
#define REFUSED(call, want, id) do { CHECK_INT((call), (want)); CHECK_STR(d.rule, (id)); CHECK(d.text[0]); } while (0)
#define MISUSED(call) REFUSED(call, NPU_INVALID_ARGUMENT, "api.graph")

static const float lent[6] = {1, 2, 3, 4, 5, 6};

/* The first names of a graph may be long, so that every later piece in turn opens a new block of memory: most pieces are small and
 * never ask the allocator. */
static int padding;
static const char *padded(const char *name, int which) {
    static char  room[13][1009];
    const size_t n = padding <= which * 1008 ? 0 : padding >= (which + 1) * 1008 ? 1008 : (size_t)(padding - which * 1008);
    if (n == 0) return name;
    memset(room[which], 'n', n);
    room[which][n] = 0;
    return room[which];
}

/* y = relu(x + w), and the DENSIFY of a sparse constant as a second output. */
static npu_status make_main(npu_graph *g, npu_diag *d) {
    static const int32_t order[2] = {0, 1}, segments[3] = {0, 1, 2};
    static const uint8_t indices[2] = {1, 0};
    static const float   few[2] = {7, 8};
    const int32_t        add[2] = {0, 1}, two[2] = {2, 4}, one = 0, sum = 2, sparse_in = 3, dense = 4, open_shape[2] = {-1, 3};
    npu_sparse_level     levels[2];
    npu_sparsity         sparsity;
    npu_tensor_desc      t = floats(padded("x", 2), 2, 3);
    npu_op_desc          o = node("ADD", add, 2, &sum, 1);
    npu_status           s = NPU_OK;
    int32_t              sub, i;
    memset(levels, 0, sizeof levels);
    memset(&sparsity, 0, sizeof sparsity);
    levels[0].dense_size = 2;
    levels[1].csr = 1;
    levels[1].segments = segments;
    levels[1].n_segments = 3;
    levels[1].segment_bytes = 4;
    levels[1].indices = indices;
    levels[1].n_indices = 2;
    levels[1].index_bytes = 1;
    sparsity.traversal_order = order;
    sparsity.n_traversal_order = 2;
    sparsity.levels = levels;
    sparsity.n_levels = 2;
    for (int k = 4; k * 1008 < padding; k++) TRY(npu_graph_description(g, padded("", k), d));
    TRY(npu_graph_description(g, padded("made by hand", 0), d));
    TRY(npu_graph_subgraph(g, padded("main", 1), &sub, d));
    t.dims_signature = open_shape;
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    t = floats(padded("w", 3), 2, 3);
    t.data = lent;
    t.bytes = sizeof lent;
    t.lend = 1;
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    t = floats("y", 2, 3);
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    t = floats("sparse", 2, 3);
    t.data = few;
    t.bytes = sizeof few;
    t.sparsity = &sparsity;
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    t = floats("dense", 2, 3);
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    TRY(npu_graph_op(g, 0, &o, &i, d));
    TRY(npu_graph_option_str(g, 0, 0, "fused_activation_function", "RELU", d));
    o = node("DENSIFY", &sparse_in, 1, &dense, 1);
    TRY(npu_graph_op(g, 0, &o, NULL, d));
    TRY(npu_graph_inputs(g, 0, &one, 1, d));
    TRY(npu_graph_outputs(g, 0, two, 2, d));
    return s;
}

/* Beside it a subgraph that cannot run, with a custom operator and options of all kinds; a signature and metadata. */
static npu_status make(npu_graph *g, npu_diag *d) {
    static const uint8_t  flex[3] = {1, 2, 3};
    const npu_graph_entry in = {"in", 0}, out[2] = {{"out", 2}, {"dense", 4}};
    const int32_t         one = 0, left_out = -1, zeros[3] = {0, 0, 0};
    const float           scales[3] = {0.5f, 0.25f, 0.125f};
    npu_blockwise         blocks = {0, -1, 16};
    npu_tensor_desc       t = floats(NULL, 3, 16);
    npu_op_desc           o = node("Mine", &one, 1, NULL, 0);
    npu_status            s = make_main(g, d);
    TRY(npu_graph_subgraph(g, NULL, NULL, d));
    t.type = NPU_INT8;
    t.quant.count = 3;
    t.quant.scale = scales;
    t.quant.zero_point = zeros;
    t.blockwise = &blocks;
    TRY(npu_graph_tensor(g, 1, &t, NULL, d));
    t = floats("odd", 1, 1);
    t.data = (const char *)lent + 1; /* misaligned: copied although it is lent */
    t.bytes = 4;
    t.lend = 1;
    TRY(npu_graph_tensor(g, 1, &t, NULL, d));
    o.intermediates = &left_out;
    o.n_intermediates = 1;
    o.custom_options = flex;
    o.custom_options_bytes = 3;
    TRY(npu_graph_op(g, 1, &o, NULL, d));
    o = node("BUCKETIZE", &one, 1, NULL, 0);
    TRY(npu_graph_op(g, 1, &o, NULL, d));
    TRY(npu_graph_option_floats(g, 1, 1, "boundaries", lent, 6, d));
    o = node("VAR_HANDLE", NULL, 0, NULL, 0);
    TRY(npu_graph_op(g, 1, &o, NULL, d));
    TRY(npu_graph_option_str(g, 1, 2, "shared_name", "state", d));
    TRY(npu_graph_inputs(g, 1, &one, 1, d));
    TRY(npu_graph_signature(g, "serve", 0, &in, 1, out, 2, d));
    TRY(npu_graph_metadata(g, "author", "nobody", 6, d));
    TRY(npu_graph_metadata(g, NULL, NULL, 0, d));
    return s;
}

static npu_status build_by(npu_status (*how)(npu_graph *, npu_diag *), npu_model **model, const npu_model_desc *md, npu_diag *d) {
    npu_graph *g = NULL;
    npu_status s = npu_graph_create(&g, md, d);
    *model = NULL;
    if (s == NPU_OK) s = how(g, d);
    if (s == NPU_OK) s = npu_graph_finish(g, model, d);
    npu_graph_destroy(g);
    return s;
}

static npu_status build(npu_model **model, const npu_model_desc *md, npu_diag *d) { return build_by(make, model, md, d); }
static npu_status build_main(npu_model **model, const npu_model_desc *md, npu_diag *d) { return build_by(make_main, model, md, d); }

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
    CHECK_INT(build(&model, NULL, &d), NPU_OK);
    CHECK_INT(npu_model_missing(model, missing, 4), 2);
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
    const int32_t   zero = 0, none[1] = {5};
    const npu_graph_entry entry = {NULL, 0};
    npu_graph      *g = NULL;
    npu_model      *model = NULL;
    npu_tensor_desc t = floats("t", 2, 3);
    npu_op_desc     o = node("RELU", &zero, 1, &zero, 1);
    npu_sparsity    sparse;
    npu_sparse_level level;
    npu_diag        d;
    int64_t         ints = 0;
    MISUSED(npu_graph_create(NULL, NULL, &d));
    MISUSED(npu_graph_subgraph(NULL, "", NULL, &d));
    CHECK_INT(npu_graph_finish(NULL, &model, NULL), NPU_INVALID_ARGUMENT);
    npu_graph_destroy(NULL);
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
    CHECK_HAS(d.text, "npu_graph_tensor");
    CHECK_INT(npu_graph_subgraph(g, "", NULL, &d), NPU_OK);
    MISUSED(npu_graph_tensor(g, -1, &t, NULL, &d));
    MISUSED(npu_graph_tensor(g, 1, &t, NULL, &d));
    MISUSED(npu_graph_tensor(g, 0, NULL, NULL, &d));
    t.rank = -1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
    t.rank = 2;
    t.quant.count = -1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
    t.quant.count = 1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
    t.quant.count = 0;
    t.bytes = 1;
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
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
            REFUSED(npu_graph_tensor(g, 0, &t, NULL, &d), NPU_INVALID_MODEL, "graph.sparse");
        } else {
            MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
        }
    }
    t.sparsity = NULL;
    CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, NULL), NPU_OK);
    MISUSED(npu_graph_op(g, 0, NULL, NULL, &d));
    for (int i = 0; i < 6; i++) {
        npu_op_desc bad = o;
        if (i == 0) bad.name = NULL;
        if (i == 1) bad.inputs = NULL;
        if (i == 2) bad.n_outputs = -1;
        if (i == 3) bad.n_intermediates = 1;
        if (i == 4) bad.custom_options_bytes = 1;
        MISUSED(npu_graph_op(g, i == 5 ? 1 : 0, &bad, NULL, &d));
    }
    MISUSED(npu_graph_inputs(g, 0, NULL, 1, &d));
    MISUSED(npu_graph_outputs(g, 0, &zero, -1, &d));
    MISUSED(npu_graph_outputs(g, 7, &zero, 1, &d));
    MISUSED(npu_graph_signature(g, "", 0, NULL, 1, NULL, 0, &d));
    MISUSED(npu_graph_signature(g, "", 0, &entry, 1, NULL, -1, &d));
    MISUSED(npu_graph_metadata(g, "", NULL, 1, &d));
    MISUSED(npu_graph_option_int(g, 0, 0, "stride_w", 1, &d));
    CHECK_INT(npu_graph_op(g, 0, &o, NULL, &d), NPU_OK);
    MISUSED(npu_graph_option_int(g, 0, 0, NULL, 1, &d));
    MISUSED(npu_graph_option_int(g, 0, -1, "axis", 1, &d));
    MISUSED(npu_graph_option_str(g, 1, 0, "axis", "1", &d));
    MISUSED(npu_graph_finish(g, NULL, &d));
    REFUSED(npu_graph_finish(g, &model, &d), NPU_INVALID_MODEL, "graph.undefined_input");
    CHECK(!model);
    MISUSED(npu_graph_finish(g, &model, &d));
    CHECK_HAS(d.text, "finished");
    MISUSED(npu_graph_subgraph(g, "", NULL, &d));
    MISUSED(npu_graph_tensor(g, 0, &t, NULL, &d));
    MISUSED(npu_graph_op(g, 0, &o, NULL, &d));
    MISUSED(npu_graph_option_float(g, 0, 0, "beta", 1, &d));
    MISUSED(npu_graph_option_ints(g, 0, 0, "new_shape", &ints, 1, &d));
    MISUSED(npu_graph_option_floats(g, 0, 0, "boundaries", NULL, 0, &d));
    MISUSED(npu_graph_inputs(g, 0, &zero, 1, &d));
    MISUSED(npu_graph_signature(g, "", 0, NULL, 0, NULL, 0, &d));
    MISUSED(npu_graph_metadata(g, "", NULL, 0, &d));
    MISUSED(npu_graph_description(g, "", &d));
    npu_graph_destroy(g);
}

static int32_t add_op(npu_graph *g, const char *name, int custom) {
    npu_op_desc o = node(name, NULL, 0, NULL, 0);
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
    REFUSED(npu_graph_option_int(g, 0, conv, "stride_w", (int64_t)1 << 31, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_STR(d.op_name, "CONV_2D");
    CHECK_INT(d.op, conv);
    REFUSED(npu_graph_option_int(g, 0, conv, "padding", -129, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, conv, "stride", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_name");
    CHECK_HAS(d.text, "padding, stride_w, stride_h");
    REFUSED(npu_graph_option_float(g, 0, conv, "stride_w", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_str(g, 0, conv, "stride_w", "1", &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_str(g, 0, conv, "padding", "NONE", &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_HAS(d.text, "NONE");
    MISUSED(npu_graph_option_str(g, 0, conv, "padding", NULL, &d));
    REFUSED(npu_graph_option_ints(g, 0, conv, "padding", two, 2, &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_floats(g, 0, conv, "padding", lent, 2, &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_INT(npu_graph_option_ints(g, 0, reshape, "new_shape", two, 2, &d), NPU_OK);
    CHECK_INT(npu_graph_option_ints(g, 0, reshape, "new_shape", NULL, 0, &d), NPU_OK);
    REFUSED(npu_graph_option_ints(g, 0, reshape, "new_shape", large, 1, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, reshape, "new_shape", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    REFUSED(npu_graph_option_str(g, 0, reshape, "new_shape", "1", &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    MISUSED(npu_graph_option_ints(g, 0, reshape, "new_shape", NULL, 1, &d));
    MISUSED(npu_graph_option_ints(g, 0, reshape, "new_shape", two, -1, &d));
    CHECK_INT(npu_graph_option_floats(g, 0, bucketize, "boundaries", lent, 6, &d), NPU_OK);
    CHECK_INT(npu_graph_option_floats(g, 0, bucketize, "boundaries", NULL, 0, &d), NPU_OK);
    MISUSED(npu_graph_option_floats(g, 0, bucketize, "boundaries", NULL, 2, &d));
    REFUSED(npu_graph_option_ints(g, 0, bucketize, "boundaries", two, 2, &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_INT(npu_graph_option_float(g, 0, softmax, "beta", 0.5, &d), NPU_OK);
    CHECK_INT(npu_graph_option_float(g, 0, softmax, "beta", HUGE_VAL, &d), NPU_OK);
    CHECK_INT(npu_graph_option_float(g, 0, softmax, "beta", -(double)FLT_MAX, &d), NPU_OK);
    REFUSED(npu_graph_option_float(g, 0, softmax, "beta", 1e39, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_float(g, 0, softmax, "beta", -1e39, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, softmax, "beta", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_kind");
    CHECK_INT(npu_graph_option_int(g, 0, call, "subgraph", UINT32_MAX, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, call, "subgraph", -1, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_INT(npu_graph_option_int(g, 0, fc, "keep_num_dims", 1, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, fc, "keep_num_dims", 2, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_INT(npu_graph_option_ints(g, 0, fc, "quant_spec", two, 2, &d), NPU_OK);
    REFUSED(npu_graph_option_ints(g, 0, fc, "quant_spec", negative, 1, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    CHECK_INT(npu_graph_option_int(g, 0, iota, "iota_dimension", INT64_MIN, &d), NPU_OK);
    REFUSED(npu_graph_option_int(g, 0, pad, "padding", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_name");
    CHECK_HAS(d.text, "none");
    CHECK_INT(npu_graph_option_ints(g, 0, odd, "window_strides", large, 1, &d), NPU_OK);
    REFUSED(npu_graph_option_ints(g, 0, odd, "window_reversal", two, 2, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_ints(g, 0, odd, "precision_config", negative, 1, &d), NPU_INVALID_ARGUMENT, "graph.option_range");
    REFUSED(npu_graph_option_int(g, 0, own, "stride_w", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_name");
    CHECK_HAS(d.text, "custom_options");
    REFUSED(npu_graph_option_int(g, 0, odd, "?", 1, &d), NPU_INVALID_ARGUMENT, "graph.option_name"); /* more than fit the text */
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
    npu_op_desc     o = node("RELU", &zero, 1, &one, 1);
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
    REFUSED(npu_graph_subgraph(g, "", NULL, &d), NPU_LIMIT, "model.limit");
    u = t;
    u.rank = 9;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, &d), NPU_UNSUPPORTED, "tflite.rank");
    CHECK_INT(npu_graph_tensor(g, 0, &u, NULL, NULL), NPU_UNSUPPORTED);
    u = t;
    u.dims[1] = -2;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, &d), NPU_INVALID_MODEL, "tflite.dimension");
    u = t;
    u.dims[1] = 300;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, &d), NPU_LIMIT, "tflite.tensor_size");
    u = t;
    u.type = (npu_type)77;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, &d), NPU_UNSUPPORTED, "tflite.type");
    u = t;
    u.data = lent;
    u.bytes = 20;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, &d), NPU_INVALID_MODEL, "tflite.buffer_size");
    CHECK_HAS(d.text, "24 bytes");
    u.bytes = 24;
    u.is_variable = 1;
    REFUSED(npu_graph_tensor(g, 0, &u, NULL, &d), NPU_INVALID_MODEL, "graph.variable_data");
    u = t;
    u.dims_signature = bad_signature;
    u.quant.count = 1;
    u.quant.scale = &scale; /* zero_point NULL */
    CHECK_INT(npu_graph_tensor(g, 0, &u, &index, &d), NPU_OK); /* what failed before does not count */
    CHECK_INT(index, 0);
    CHECK_INT(npu_graph_tensor(g, 0, &t, &index, &d), NPU_OK);
    CHECK_INT(index, 1);
    REFUSED(npu_graph_tensor(g, 0, &t, &index, &d), NPU_LIMIT, "model.limit");
    o.outputs = minus;
    REFUSED(npu_graph_op(g, 0, &o, NULL, &d), NPU_INVALID_MODEL, "tflite.tensor_index");
    o.outputs = &one;
    CHECK_INT(npu_graph_op(g, 0, &o, &index, &d), NPU_OK);
    CHECK_INT(index, 0);
    REFUSED(npu_graph_op(g, 0, &o, &index, &d), NPU_LIMIT, "model.limit");
    REFUSED(npu_graph_inputs(g, 0, minus, 2, &d), NPU_INVALID_MODEL, "tflite.tensor_index");
    CHECK_INT(npu_graph_inputs(g, 0, &zero, 1, &d), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, &one, 1, &d), NPU_OK);
    CHECK_INT(npu_graph_description(g, NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &model, &d), NPU_OK);
    npu_graph_destroy(g);
    CHECK_INT(npu_model_input_count(model, 0), 1);
    npu_model_close(model);
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    REFUSED(npu_graph_finish(g, &model, &d), NPU_INVALID_MODEL, "tflite.no_subgraph");
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
        REFUSED(npu_graph_finish(g, &model, &d), NPU_INVALID_MODEL, "tflite.signature");
        CHECK(!model);
        npu_graph_destroy(g);
    }
}

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

/* Everything so large that each piece is a block of its own. */
static char long_name[3001];
static npu_status make_large(npu_graph *g, npu_diag *d) {
    static int32_t  many[1000];
    static int64_t  ints[1000];
    static float    reals[1000];
    npu_graph_entry entries[100];
    npu_tensor_desc t = floats(long_name, 1, 1);
    npu_op_desc     o = node("RESHAPE", many, 1000, many, 0);
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
    o = node("BUCKETIZE", many, 0, NULL, 0);
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
    for (int i = 0; i < 3; i++) REFUSED(npu_graph_tensor(g, 0, &t, NULL, &d), NPU_INVALID_MODEL, "tflite.buffer_size");
    npu_graph_destroy(g);
    md.max_memory_bytes = 1;
    REFUSED(npu_graph_create(&g, &md, &d), NPU_LIMIT, "model.memory_limit");
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
        npu_op_desc   o = node("RELU", &from, 1, &to, 1);
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

int main(void) {
    RUN(what_models_tell);
    RUN(results);
    RUN(misuse);
    RUN(options);
    RUN(rules_at_the_call);
    RUN(rules_at_the_end);
    RUN(memory_runs_out_anywhere);
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
