/* Graphs that the tests of npu_graph_* build. */
#ifndef TESTS_UNIT_GRAPH_KIT_H
#define TESTS_UNIT_GRAPH_KIT_H

#include "../hostile/counted.h"
#include "descs.h"
#include "test.h"

static npu_tensor_desc floats(const char *name, int32_t a, int32_t b) {
    const int32_t   dims[2] = {a, b};
    npu_tensor_desc d = tensor_desc(NPU_FLOAT32, 2, dims, NULL, 0);
    d.name = name;
    return d;
}

/* With and without a diagnostic: `call` says dp. */
#define REFUSED(call, want, id) do { \
    npu_diag *dp = NULL; \
    (void)dp; \
    CHECK_INT((call), (want)); \
    dp = &d; \
    REFUSED_ONCE(call, want, id); \
} while (0)
#define REFUSED_ONCE(call, want, id) do { CHECK_INT((call), (want)); CHECK_STR(d.rule, (id)); CHECK(d.text[0]); } while (0)
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
    npu_op_desc          o = op_desc("ADD", add, 2, &sum, 1);
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
    o = op_desc("DENSIFY", &sparse_in, 1, &dense, 1);
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
    npu_op_desc           o = op_desc("Mine", &one, 1, NULL, 0);
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
    o = op_desc("BUCKETIZE", &one, 1, NULL, 0);
    TRY(npu_graph_op(g, 1, &o, NULL, d));
    TRY(npu_graph_option_floats(g, 1, 1, "boundaries", lent, 6, d));
    o = op_desc("VAR_HANDLE", NULL, 0, NULL, 0);
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
#endif
