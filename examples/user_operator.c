/* An operator that npu_rt does not have, as functions of the program's: a moving average that remembers what it has seen. The model
 * is built by calls here; a file with the custom operator "Acme_Smooth" opens with the same npu_model_desc.
 *
 *     cc -O2 -I.. user_operator.c -lm -o user_operator && ./user_operator
 */
#include <stdio.h>
#include <string.h>

#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#include "npu_rt.h"

static npu_status smooth_infer(void *user, npu_call *call) {
    npu_tensor x;
    (void)user;
    npu_call_input(call, 0, &x);
    return npu_call_set_shape(call, 0, x.rank, x.dims);
}

/* Whatever a file may hold that eval does not expect is refused here. State: memory 0. */
static npu_status smooth_prepare(void *user, npu_call *call) {
    npu_tensor x, y;
    (void)user;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    if (x.type != NPU_FLOAT32 || y.type != NPU_FLOAT32) return npu_call_fail(call, NPU_UNSUPPORTED, "smooth.type", "not FLOAT32");
    return npu_call_want_state(call, x.bytes) == 0 ? NPU_OK : NPU_LIMIT;
}

static npu_status smooth_eval(void *user, npu_call *call) {
    const float keep = *(const float *)user;
    float      *average = (float *)npu_call_memory(call, 0);
    npu_tensor  x, y;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    for (size_t i = 0; i < x.bytes / sizeof(float); i++) average[i] = keep * average[i] + (1 - keep) * ((const float *)x.data)[i];
    memcpy(y.data, average, y.bytes);
    return NPU_OK;
}

/* y = Acme_Smooth(x), two floats each. */
static npu_status build(npu_graph *g, npu_diag *diag) {
    static const int32_t x = 0, y = 1;
    npu_tensor_desc      t;
    npu_op_desc          op;
    npu_status           s = npu_graph_subgraph(g, "main", NULL, diag);
    memset(&t, 0, sizeof t);
    memset(&op, 0, sizeof op);
    t.rank = 1;
    t.dims[0] = 2;
    op.n_inputs = op.n_outputs = 1;
    op.name = "Acme_Smooth";
    op.inputs = &x;
    op.outputs = &y;
    if (s == NPU_OK) s = npu_graph_tensor(g, 0, &t, NULL, diag);
    if (s == NPU_OK) s = npu_graph_tensor(g, 0, &t, NULL, diag);
    if (s == NPU_OK) s = npu_graph_op(g, 0, &op, NULL, diag);
    if (s == NPU_OK) s = npu_graph_inputs(g, 0, &x, 1, diag);
    return s == NPU_OK ? npu_graph_outputs(g, 0, &y, 1, diag) : s;
}

int main(void) {
    static float   keep = 0.5f; /* must live as long as the model */
    npu_user_op    smooth;
    npu_model_desc desc;
    npu_graph     *graph = NULL;
    npu_model     *model = NULL;
    npu_plan      *plan = NULL;
    npu_session   *session = NULL;
    npu_diag       diag;
    npu_tensor     t;
    int            i, ok;
    memset(&smooth, 0, sizeof smooth);
    memset(&desc, 0, sizeof desc);
    smooth.name = "Acme_Smooth";
    smooth.user = &keep;
    smooth.min_inputs = smooth.max_inputs = smooth.min_outputs = smooth.max_outputs = 1;
    smooth.infer = smooth_infer;
    smooth.prepare = smooth_prepare;
    smooth.eval = smooth_eval;
    desc.operators = &smooth; /* npu_model_open takes the same desc */
    desc.n_operators = 1;
    ok = npu_graph_create(&graph, &desc, &diag) == NPU_OK && build(graph, &diag) == NPU_OK &&
         npu_graph_finish(graph, &model, &diag) == NPU_OK && npu_plan_create(&plan, model, NULL, &diag) == NPU_OK &&
         npu_session_create(&session, plan, NULL, &diag) == NPU_OK;
    for (i = 0; ok && i < 3; i++) {
        static const float input[2] = {8, -16};
        npu_session_input(session, 0, &t);
        memcpy(t.data, input, sizeof input);
        ok = npu_session_invoke(session, &diag) == NPU_OK;
        npu_session_output(session, 0, &t);
        if (ok) printf("y = %g %g\n", (double)((float *)t.data)[0], (double)((float *)t.data)[1]);
    }
    if (!ok) fprintf(stderr, "%s [%s]\n", diag.text, diag.rule);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    npu_graph_destroy(graph);
    return ok ? 0 : npu_status_exit_code(diag.status);
}
