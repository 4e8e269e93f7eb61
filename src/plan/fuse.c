/* Operators that another one does on the way: a PAD with zeros before a convolution, which leaves out of its windows what lies outside
 * of an image as it is. Decided while a subgraph is walked, before the convolution is prepared; the PAD then has nothing to do, and
 * what it would have written lies nowhere. Not where somebody wants to see all values, or a backend chooses operators. */
#include "../graph/ask.h"
#include "../graph/user_op.h"
#include "../ops/pad.h"
#include "plan.h"

/* A user's operators may go by these names where the build lacks its own. */
NPU__FN int npu__fuse_is_pad(const npu__node *node) {
    return (node->code == NPU__BUILTIN_PAD || node->code == NPU__BUILTIN_PADV2) && !npu__node_is_user(node);
}

NPU__FN int npu__fuse_is_conv(const npu__node *node) {
    return (node->code == NPU__BUILTIN_CONV_2D || node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D) && !npu__node_is_user(node);
}

NPU__FN npu_status npu__fuse_start(npu__env *env, npu__subplan *sub) {
    const npu__subgraph *g = sub->g;
    int32_t              pads = 0;
    if (!env->may_fuse) return NPU_OK;
    for (int32_t n = 0; n < g->n_nodes; n++) pads += npu__fuse_is_pad(&g->nodes[n]);
    if (!pads) return NPU_OK;
    sub->alone = (int32_t *)npu__pool_alloc(&env->plan->pool, (size_t)g->n_tensors, sizeof *sub->alone);
    if (!sub->alone) return npu__plan_no_memory(env->plan, NULL, env->diag);
    /* 1 more than the node that writes it; 0 where nobody does, or more than one reader would miss it. */
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        for (int32_t i = 0; i < node->n_out; i++) sub->alone[node->out[i]] = npu__fuse_is_pad(node) ? n + 1 : 0;
        for (int32_t i = 0; i < node->n_in; i++) {
            /* From its first reader on the number is negative, from the second on 0. */
            if (node->in[i] >= 0) sub->alone[node->in[i]] = NPU__MIN(-sub->alone[node->in[i]], 0);
        }
    }
    for (int32_t i = 0; i < g->n_out; i++) sub->alone[g->out[i]] = 0;
    return NPU_OK;
}

/* Does each window begin and end in the image, or beside it, as SAME's do? */
NPU__FN int npu__fuse_reaches(int32_t before, int32_t after, int32_t k, int32_t dilation) {
    return NPU__MAX(before, after) <= (int64_t)(k - 1) * dilation;
}

/* May the border around the PAD's input be left to the windows of this convolution, whose shapes are inferred? */
NPU__FN int npu__fuse_border(const npu__ctx *pad, const npu__ctx *conv, npu__padding *b) {
    const npu__window w = npu__window_of(conv);
    if (!npu__pad_border_of(pad, b) || w.padding != NPU__PAD_VALID) return 0;
    if (!npu__fuse_reaches(b->top, b->bottom, w.k_h, w.dil_h) || !npu__fuse_reaches(b->left, b->right, w.k_w, w.dil_w)) return 0;
    /* Floats times bytes are quantized with their border: left to the operators themselves. */
    if (conv->in[0]->type == NPU_FLOAT32) return conv->in[1]->type == NPU_FLOAT32;
    return npu__quant_same(&pad->in[0]->t->quant, &conv->in[0]->t->quant);
}

NPU__FN npu__step *npu__fuse_find(npu__env *env, npu__subplan *sub, int32_t n) {
    const npu__node *node = &sub->g->nodes[n];
    npu__step       *step = &sub->steps[n], *pad;
    const npu__val  *in;
    int32_t          at;
    if (!sub->alone || !npu__fuse_is_conv(node) || sub->alone[node->in[0]] >= 0) return NULL;
    at = -1 - sub->alone[node->in[0]]; /* before n: nothing is written once it was read (graph.written_twice) */
    pad = &sub->steps[at];
    if (pad->kind != NPU__STEP_RUN) return NULL;
    /* What the PAD reads must be the same when the convolution runs: variables may change. */
    in = pad->ctx.in[0];
    if (in->data || in->t->is_variable || in->t->sparsity || in->bytes == 0) return NULL;
    return npu__fuse_border(&pad->ctx, &step->ctx, &env->border) ? pad : NULL;
}

NPU__FN npu_status npu__plan_fused(npu__env *env, npu__subplan *sub, int32_t n) {
    npu__step *step = &sub->steps[n], *pad = npu__fuse_find(env, sub, n);
    npu_status s;
    if (!pad) return npu__plan_prepare(env, step);
    step->ctx.in[0] = pad->ctx.in[0];
    env->bordered = &step->ctx;
    s = npu__plan_prepare(env, step);
    env->bordered = NULL;
    pad->kind = NPU__STEP_FUSED;
    pad->work = 0;
    ((npu__named *)pad->ctx.data)->kernel = "fused";
    sub->places[pad->ctx.node->out[0]].fused = 1;
    return s;
}

NPU__FN const npu__padding *npu__ctx_border(const npu__ctx *ctx) {
    return ctx->env->bordered == ctx ? &ctx->env->border : NULL;
}
