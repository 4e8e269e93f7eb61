/* Operators that another one does on the way: a PAD with zeros before a convolution, which leaves out of its windows what lies outside
 * of an image as it is; LOGISTIC or TANH before MUL (swish, gates), which takes its input block by block; TRANSPOSE before another one,
 * with reshapes in between or not, which become one or none. Decided while a subgraph is walked; the one before then has nothing to do,
 * and what it would have written lies nowhere. Not where somebody wants to see all values, or a backend chooses operators. */
#include "../graph/ask.h"
#include "../graph/user_op.h"
#include "../ops/elementwise.h"
#include "../ops/pad.h"
#include "../ops/transpose.h"
#include "plan.h"

/* A user's operators may go by these names where the build lacks its own. */
NPU__FN int npu__fuse_is_pad(const npu__node *node) {
    return (node->code == NPU__BUILTIN_PAD || node->code == NPU__BUILTIN_PADV2) && !npu__node_is_user(node);
}

NPU__FN int npu__fuse_is_conv(const npu__node *node) {
    return (node->code == NPU__BUILTIN_CONV_2D || node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D) && !npu__node_is_user(node);
}

NPU__FN int npu__fuse_is_gate(const npu__node *node) {
    return (node->code == NPU__BUILTIN_LOGISTIC || node->code == NPU__BUILTIN_TANH) && !npu__node_is_user(node);
}
NPU__FN int npu__fuse_is_product(const npu__node *node) { return node->code == NPU__BUILTIN_MUL && !npu__node_is_user(node); }

NPU__FN int npu__fuse_is_turn(const npu__node *node) { return node->code == NPU__BUILTIN_TRANSPOSE && !npu__node_is_user(node); }

NPU__FN int npu__fuse_is_first(const npu__node *node) {
    return npu__fuse_is_pad(node) || npu__fuse_is_gate(node) || npu__fuse_is_turn(node);
}

NPU__FN npu_status npu__fuse_start(npu__env *env, npu__subplan *sub) {
    const npu__subgraph *g = sub->g;
    int32_t              some = 0;
    if (!env->may_fuse) return NPU_OK;
    for (int32_t n = 0; n < g->n_nodes; n++) some |= npu__fuse_is_first(&g->nodes[n]);
    if (!some) return NPU_OK;
    sub->uses = (npu__use *)npu__pool_alloc(&env->plan->pool, (size_t)g->n_tensors, sizeof *sub->uses);
    if (!sub->uses) return npu__plan_no_memory(env->plan, NULL, env->diag);
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        for (int32_t i = 0; i < node->n_out; i++) sub->uses[node->out[i]].writer = n + 1;
        for (int32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] >= 0) sub->uses[node->in[i]].readers++;
        }
    }
    for (int32_t i = 0; i < g->n_out; i++) sub->uses[g->out[i]].readers++; /* the caller */
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

/* The step that writes tensor t, and could be done where that is read; NULL: there is none. */
NPU__FN npu__step *npu__fuse_writer(const npu__subplan *sub, int32_t t) {
    const npu__val *in;
    npu__step      *step;
    if (!sub->uses || t < 0 || sub->uses[t].writer == 0) return NULL;
    step = &sub->steps[sub->uses[t].writer - 1]; /* before its readers: nothing is written once it was read (graph.written_twice) */
    if (step->kind != NPU__STEP_RUN || step->ctx.n_in < 1) return NULL;
    /* What it reads must be the same when the reader runs: variables may change. */
    in = step->ctx.in[0];
    return !in || in->data || in->t->is_variable || in->t->sparsity || in->bytes == 0 ? NULL : step;
}

/* The same where nobody else reads it. */
NPU__FN npu__step *npu__fuse_before(const npu__subplan *sub, int32_t t) {
    return sub->uses && t >= 0 && sub->uses[t].readers == 1 ? npu__fuse_writer(sub, t) : NULL;
}

NPU__FN npu__step *npu__fuse_find(npu__env *env, npu__subplan *sub, int32_t n) {
    const npu__node *node = &sub->g->nodes[n];
    npu__step       *pad = npu__fuse_is_conv(node) ? npu__fuse_before(sub, node->in[0]) : NULL;
    return pad && npu__fuse_is_pad(pad->ctx.node) && npu__fuse_border(&pad->ctx, &sub->steps[n].ctx, &env->border) ? pad : NULL;
}

NPU__FN void npu__fuse_done(npu__subplan *sub, npu__step *step) {
    step->kind = NPU__STEP_FUSED;
    step->work = 0;
    ((npu__named *)step->ctx.data)->kernel = "fused";
    sub->places[step->ctx.node->out[0]].fused = 1;
}

/* Of a product that is prepared. */
NPU__FN void npu__fuse_gates(npu__subplan *sub, int32_t n) {
    const npu__node *node = &sub->g->nodes[n];
    npu__step       *step = &sub->steps[n];
    for (int32_t k = 0; k < 2 && npu__fuse_is_product(node) && step->kind == NPU__STEP_RUN; k++) {
        npu__step *gate = npu__fuse_before(sub, node->in[k]);
        if (!gate || !npu__fuse_is_gate(gate->ctx.node) || !npu__ew_gate(&step->ctx, k, &gate->ctx)) continue;
        step->work = npu__sat_add(step->work, gate->work);
        npu__fuse_done(sub, gate);
    }
}

/* One reader of tensor t less: what nobody reads any more, nobody moves. */
NPU__FN void npu__fuse_unread(npu__subplan *sub, int32_t t) {
    while (--sub->uses[t].readers == 0) {
        npu__step *step = &sub->steps[sub->uses[t].writer - 1];
        npu__fuse_done(sub, step);
        t = (int32_t)(step->ctx.in[0] - sub->vals);
        if (npu__fuse_is_turn(step->ctx.node)) {
            sub->uses[t].readers--; /* of what is computed, and has another one */
            return;
        }
    }
}

/* Of a TRANSPOSE that is prepared: what it moves may have been moved before. */
NPU__FN void npu__fuse_turns(npu__subplan *sub, int32_t n) {
    npu__step *step = &sub->steps[n], *first;
    int32_t    t = step->ctx.node->in[0];
    if (!npu__fuse_is_turn(step->ctx.node) || step->kind != NPU__STEP_RUN) return;
    for (first = npu__fuse_writer(sub, t); first && !npu__fuse_is_turn(first->ctx.node); first = npu__fuse_writer(sub, t)) {
        const npu__node *node = first->ctx.node;
        if (npu__node_is_user(node) || !(node->def->flags & NPU__OP_ALIAS) || first->ctx.in[0]->type != step->ctx.in[0]->type) return;
        t = node->in[0];
    }
    if (!first || !npu__transpose_after(&step->ctx, &first->ctx, &step->alias)) return;
    step->ctx.in[0] = first->ctx.in[0];
    sub->uses[step->ctx.in[0] - sub->vals].readers++;
    npu__fuse_unread(sub, step->ctx.node->in[0]);
}

NPU__FN npu_status npu__plan_fused(npu__env *env, npu__subplan *sub, int32_t n) {
    npu__step *step = &sub->steps[n], *pad = npu__fuse_find(env, sub, n);
    npu_status s;
    if (!pad) {
        s = npu__plan_prepare(env, step);
        if (s == NPU_OK) npu__fuse_gates(sub, n);
        if (s == NPU_OK) npu__fuse_turns(sub, n);
        return s;
    }
    step->ctx.in[0] = pad->ctx.in[0];
    env->bordered = &step->ctx;
    s = npu__plan_prepare(env, step);
    env->bordered = NULL;
    npu__fuse_done(sub, pad);
    return s;
}

NPU__FN const npu__padding *npu__ctx_border(const npu__ctx *ctx) {
    return ctx->env->bordered == ctx ? &ctx->env->border : NULL;
}
