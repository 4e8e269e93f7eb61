/* Inputs of called subgraphs whose shapes change from call to call, as in a loop that appends: nothing is known of them while
 * planning, so what depends on them is inferred at every run, and they lie on the heap (run/open.c). */
#include "plan.h"

#define NPU__OPEN_AGAIN 2 /* how often a subgraph may be planned again: many loops may name one */

NPU__FN void npu__plan_open_inputs(npu__subplan *sub) {
    for (int32_t i = 0; sub->open && i < sub->g->n_in; i++) {
        npu__val *v = &sub->vals[sub->g->in[i]];
        if (!sub->open[i]) continue;
        v->known = 0;
        v->bytes = 0; /* as long as nobody gave it anything */
    }
}

NPU__FN int npu__call_is_open(const npu__ctx *ctx, int32_t subgraph, int32_t i) {
    const npu_plan     *p = ctx->env->plan;
    const npu__subplan *sub;
    if (subgraph < 0 || subgraph >= p->model->n_subgraphs) return 0;
    sub = &p->subs[subgraph];
    return sub->open && i < sub->g->n_in && sub->open[i];
}

NPU__FN npu_status npu__call_open(npu__ctx *ctx, int32_t subgraph, int32_t i) {
    npu__subplan *sub;
    npu__val     *v;
    NPU__TRY(npu__call_input(ctx, subgraph, i, &v)); /* it and its input exist */
    sub = &ctx->env->plan->subs[subgraph];
    if (v->t->is_variable || npu_type_bits((npu_type)v->type) == 0) {
        return NPU__FAIL(ctx, NPU_UNSUPPORTED, "graph.open", "input %d of subgraph %d, whose shape changes from call to call, must "
                         "not be a variable or of type %s", i, subgraph, npu_type_name((npu_type)v->type));
    }
    if (!sub->open) {
        sub->open = (uint8_t *)npu__pool_alloc(&ctx->env->plan->pool, (size_t)sub->g->n_in, 1);
        if (!sub->open) return npu__plan_no_memory(ctx->env->plan, NULL, ctx->env->diag);
        memset(sub->open, 0, (size_t)sub->g->n_in);
    }
    sub->open[i] = 1;
    return NPU_OK;
}

NPU__FN npu_status npu__call_again(npu__ctx *ctx, int32_t subgraph, int32_t first_in) {
    npu__subplan *sub = &ctx->env->plan->subs[subgraph]; /* npu__call_open has seen that it exists, and is planned */
    if (sub->again >= NPU__OPEN_AGAIN) {
        return NPU__FAIL(ctx, NPU_UNSUPPORTED, "graph.open", "subgraph %d is called by several loops in which its shapes change "
                         "differently", subgraph);
    }
    sub->again++;
    sub->state = 0;
    return npu__call_declare(ctx, subgraph, first_in);
}
