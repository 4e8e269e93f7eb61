/* A model without a file: one fully connected layer with RELU, built by calls and run.
 *
 *     cc -O2 -I.. build_graph.c -lm -o build_graph && ./build_graph
 */
#include <stdio.h>
#include <string.h>

#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#include "npu_rt.h"

static const float weights[3][4] = {{1, 0, -1, 0}, {0, 2, 0, 2}, {-1, -1, -1, -1}};

/* Adds a float tensor [rows,columns] to subgraph 0; `data` (NULL: none) makes it a constant that stays where it is. */
static npu_status tensor(npu_graph *g, const char *name, int rows, int columns, const void *data, int32_t *index, npu_diag *diag) {
    npu_tensor_desc t;
    memset(&t, 0, sizeof t);
    t.name = name;
    t.rank = 2;
    t.dims[0] = rows;
    t.dims[1] = columns;
    t.data = data;
    t.bytes = data ? (size_t)rows * (size_t)columns * sizeof(float) : 0;
    t.lend = 1;
    return npu_graph_tensor(g, 0, &t, index, diag);
}

static npu_status build(npu_graph *g, npu_diag *diag) {
    npu_op_desc op;
    int32_t     in[3], out;
    npu_status  s = npu_graph_subgraph(g, "main", NULL, diag);
    if (s == NPU_OK) s = tensor(g, "x", 1, 4, NULL, &in[0], diag);
    if (s == NPU_OK) s = tensor(g, "weights", 3, 4, weights, &in[1], diag);
    if (s == NPU_OK) s = tensor(g, "y", 1, 3, NULL, &out, diag);
    if (s != NPU_OK) return s;
    in[2] = -1; /* no bias */
    memset(&op, 0, sizeof op);
    op.name = "FULLY_CONNECTED";
    op.inputs = in;
    op.n_inputs = 3;
    op.outputs = &out;
    op.n_outputs = 1;
    s = npu_graph_op(g, 0, &op, NULL, diag);
    if (s == NPU_OK) s = npu_graph_option_str(g, 0, 0, "fused_activation_function", "RELU", diag);
    if (s == NPU_OK) s = npu_graph_inputs(g, 0, &in[0], 1, diag);
    return s == NPU_OK ? npu_graph_outputs(g, 0, &out, 1, diag) : s;
}

int main(void) {
    static const float x[4] = {1, 2, 3, 4};
    npu_graph   *graph = NULL;
    npu_model   *model = NULL;
    npu_plan    *plan = NULL;
    npu_session *session = NULL;
    npu_diag     diag;
    npu_tensor   t;
    float        y[3] = {0, 0, 0};
    int          ok = npu_graph_create(&graph, NULL, &diag) == NPU_OK && build(graph, &diag) == NPU_OK &&
             npu_graph_finish(graph, &model, &diag) == NPU_OK;
    npu_graph_destroy(graph);
    ok = ok && npu_plan_create(&plan, model, NULL, &diag) == NPU_OK && npu_session_create(&session, plan, NULL, &diag) == NPU_OK;
    if (ok) {
        npu_session_input(session, 0, &t);
        memcpy(t.data, x, sizeof x);
        ok = npu_session_invoke(session, &diag) == NPU_OK;
        npu_session_output(session, 0, &t);
        memcpy(y, t.data, sizeof y);
    }
    if (ok) printf("y = %g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);
    else fprintf(stderr, "%s [%s]\n", diag.text, diag.rule);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return ok ? 0 : 1;
}
