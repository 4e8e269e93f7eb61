/* What runs inside of what, where feature maps lie, how long they live. */
#include "../../../ops/util.h"
#include "../rules/look.h"
#include "cost_graph.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN const npu__ctx *npu__cost_ctx(const npu__cost_graph *w, int32_t i) {
    return w->nodes->at(w->nodes->user, w->g->nodes[i].subgraph, i);
}

NPU__FN int64_t npu__cost_add(int64_t a, int64_t b) { return b > INT64_MAX - a ? INT64_MAX : a + b; }

/* ---- who makes and who uses ---- */

NPU__FN void npu__cost_connect(npu__cost_graph *w) {
    const npu__subgraph *g = w->g;
    for (int32_t t = 0; t < g->n_tensors; t++) {
        w->tensors[t].producer = w->tensors[t].user = -1;
        w->tensors[t].root = t;
    }
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const npu__node *n = &g->nodes[i];
        for (int32_t k = 0; k < n->n_in; k++) {
            if (n->in[k] < 0) continue;
            w->tensors[n->in[k]].user = i;
            w->tensors[n->in[k]].n_users++;
        }
        for (int32_t k = 0; k < n->n_out; k++) w->tensors[n->out[k]].producer = i;
    }
    for (int32_t k = 0; k < g->n_out; k++) w->tensors[g->out[k]].n_users += 2; /* the caller's: never only passing */
}

NPU__FN int npu__cost_is_view(int32_t code) {
    return code == NPU__BUILTIN_RESHAPE || code == NPU__BUILTIN_SQUEEZE || code == NPU__BUILTIN_EXPAND_DIMS;
}
NPU__FN int npu__cost_is_join(int32_t code) { return code == NPU__BUILTIN_CONCATENATION || code == NPU__BUILTIN_PACK; }
NPU__FN int npu__cost_is_split(int32_t code) {
    return code == NPU__BUILTIN_SPLIT || code == NPU__BUILTIN_SPLIT_V || code == NPU__BUILTIN_UNPACK ||
           code == NPU__BUILTIN_SLICE || code == NPU__BUILTIN_STRIDED_SLICE;
}
/* Operators that only say where bytes are. */
NPU__FN int npu__cost_moves_only(int32_t code) {
    return npu__cost_is_view(code) || npu__cost_is_join(code) || npu__cost_is_split(code);
}

/* The activation that an operator is, when it can be computed on another's way out. */
NPU__FN int32_t npu__cost_as_activation(int32_t code) {
    switch (code) {
    case NPU__BUILTIN_RELU: case NPU__BUILTIN_RELU6: case NPU__BUILTIN_RELU_N1_TO_1: case NPU__BUILTIN_RELU_0_TO_1:
        return NPU__COST_ACT_CLAMP;
    case NPU__BUILTIN_LOGISTIC: case NPU__BUILTIN_TANH: case NPU__BUILTIN_HARD_SWISH: case NPU__BUILTIN_LEAKY_RELU:
    case NPU__BUILTIN_ELU: case NPU__BUILTIN_EXP: case NPU__BUILTIN_LOG: case NPU__BUILTIN_GELU:
    case NPU__BUILTIN_RSQRT:
        return NPU__COST_ACT_LOOKUP;
    default: return NPU__COST_ACT_NONE;
    }
}

NPU__FN int npu__cost_takes_activation(int32_t code) {
    switch (code) {
    case NPU__BUILTIN_CONV_2D: case NPU__BUILTIN_DEPTHWISE_CONV_2D: case NPU__BUILTIN_FULLY_CONNECTED:
    case NPU__BUILTIN_TRANSPOSE_CONV: case NPU__BUILTIN_AVERAGE_POOL_2D: case NPU__BUILTIN_MAX_POOL_2D:
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_SUB: case NPU__BUILTIN_MUL: case NPU__BUILTIN_MINIMUM:
    case NPU__BUILTIN_MAXIMUM: case NPU__BUILTIN_MEAN: return 1;
    default: return 0;
    }
}

NPU__FN int npu__cost_on_npu(const npu__cost_graph *w, int32_t node) {
    return node >= 0 && w->rows[node].how == NPU__COST_ON_NPU;
}

/* ---- what runs inside of what ---- */

NPU__FN int npu__cost_known(const npu__ctx *c) {
    for (int32_t k = 0; k < c->n_out; k++) {
        if (!c->out[k]->data) return 0;
    }
    return c->n_out > 0;
}

/* An Ethos-U85 looks 16-bit values up on the way out of element by element operations only. */
NPU__FN int npu__cost_alone(const npu__cost_graph *w, const npu__node *before, int32_t i, int32_t activation) {
    const npu__ctx *c = npu__cost_ctx(w, i);
    if (w->system->machine.n_shapes < 1 || activation != NPU__COST_ACT_LOOKUP || !c->in[0]) return 0;
    return c->in[0]->type == NPU_INT16 && before->code != NPU__BUILTIN_ADD && before->code != NPU__BUILTIN_SUB &&
           before->code != NPU__BUILTIN_MUL;
}

/* An activation behind an operator that has none yet and feeds nobody else. */
NPU__FN int npu__cost_fuses_back(npu__cost_graph *w, int32_t i) {
    const npu__node        *n = &w->g->nodes[i];
    const npu__cost_tensor *t = &w->tensors[n->in[0]];
    int32_t                 activation = npu__cost_as_activation(n->code), before = t->producer;
    if (activation == NPU__COST_ACT_NONE || before < 0 || before >= i || t->n_users != 1) return 0;
    if (!npu__cost_on_npu(w, before) || w->rows[before].activation != NPU__COST_ACT_NONE) return 0;
    if (!npu__cost_takes_activation(w->g->nodes[before].code)) return 0;
    if (npu__cost_alone(w, &w->g->nodes[before], i, activation)) return 0;
    w->rows[before].activation = activation;
    return 1;
}

/* Padding in front of a convolution, which can pad by itself. */
NPU__FN int npu__cost_fuses_ahead(const npu__cost_graph *w, int32_t i) {
    const npu__node        *n = &w->g->nodes[i];
    const npu__cost_tensor *t;
    int32_t                 code;
    if (n->code != NPU__BUILTIN_PAD || n->n_out != 1) return 0;
    t = &w->tensors[n->out[0]];
    if (t->n_users != 1 || !npu__cost_on_npu(w, t->user)) return 0;
    code = w->g->nodes[t->user].code;
    return code == NPU__BUILTIN_CONV_2D || code == NPU__BUILTIN_DEPTHWISE_CONV_2D;
}

NPU__FN void npu__cost_roles(npu__cost_graph *w) {
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const npu__ctx *c = npu__cost_ctx(w, i);
        w->rows[i].macs = w->nodes->macs(w->nodes->user, c->node->subgraph, i);
        w->rows[i].how = npu__cost_known(c) || w->dropped[i] ? NPU__COST_NOTHING
                       : w->placed[i] ? NPU__COST_ON_NPU : NPU__COST_ON_CPU;
        if (npu__node_compiled(c->node) && w->placed[i]) w->rows[i].how = NPU__COST_NOTHING; /* its stream is made already */
    }
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const npu__node *n = &w->g->nodes[i];
        if (!npu__cost_on_npu(w, i) || n->n_in < 1 || n->in[0] < 0 || n->n_out < 1) continue;
        if (npu__cost_fuses_back(w, i) || npu__cost_fuses_ahead(w, i)) w->rows[i].how = NPU__COST_FUSED;
    }
}

/* ---- where tensors lie ---- */

/* Channels of a group of a convolution's input (output); 0: one group. */
NPU__FN int32_t npu__cost_group_parts(const npu__node *n, const npu__ctx *c, int input) {
    int32_t all, part;
    if (n->code != NPU__BUILTIN_CONV_2D || c->n_in < 2 || !c->in[0] || !c->in[1] || c->n_out < 1) return 0;
    all = npu__dim(c->in[0], -1);
    part = npu__dim(c->in[1], -1);
    if (part < 1 || all <= part) return 0;
    return input ? part : npu__dim(c->out[0], -1) / (all / part);
}

/* Parts that start within a brick of 16 channels, or have another shape. */
NPU__FN int npu__cost_splits_bricks(const npu__node *n, const npu__ctx *c) {
    const npu__val *in = npu__opt_in(c, n->code == NPU__BUILTIN_SPLIT), *strides = npu__opt_in(c, 3);
    if (!npu__cost_is_split(n->code)) return 0;
    if (n->code == NPU__BUILTIN_UNPACK || !in) return 1;
    if (n->code != NPU__BUILTIN_STRIDED_SLICE || !strides || !npu__is_const(strides) || !strides->data) strides = NULL;
    for (int64_t k = 0; strides && k < npu__elems(strides) && k < 8; k++) {
        if (npu__int_at(strides, k) != 1) return 1;
    }
    for (int32_t k = 0; k < c->n_out; k++) {
        int32_t d = c->out[k] ? npu__dim(c->out[k], -1) : 0;
        if (!c->out[k] || c->out[k]->shape.rank != in->shape.rank) return 1;
        if (d != npu__dim(in, -1) && (d % 16 != 0 || c->n_out == 1)) return 1;
    }
    return 0;
}

/* An Ethos-U85 makes every second pixel at a time of what is upscaled by weights: never in bricks. */
NPU__FN int npu__cost_interleaves(const npu__cost_graph *w, const npu__node *n) {
    return n->code == NPU__BUILTIN_TRANSPOSE_CONV && w->system->machine.n_shapes > 0 &&
           NPU__OPTIONS(n, TransposeConvOptions)->stride_h > 1;
}

/* What is joined at other places than whole bricks. */
NPU__FN int npu__cost_joins_bricks(const npu__node *n, const npu__ctx *c) {
    int64_t at = 0;
    if (!npu__cost_is_join(n->code) || c->n_out < 1) return 0;
    for (int32_t k = 0; k < c->n_in; k++) {
        if (!c->in[k] || at % 16 != 0) return 1;
        if (c->in[k]->shape.rank != c->out[0]->shape.rank) return 1;
        if (npu__dim(c->in[k], -1) != npu__dim(c->out[0], -1)) at += npu__dim(c->in[k], -1);
    }
    return 0;
}

/* Does this user look at the tensor in another shape than it has? */
NPU__FN int npu__cost_reshapes(const npu__cost_graph *w, int32_t node, int32_t tensor) {
    const npu__node *n = &w->g->nodes[node];
    const npu__ctx  *c = npu__cost_ctx(w, node);
    if (npu__cost_is_view(n->code) || n->code == NPU__BUILTIN_SOFTMAX || n->code == NPU__BUILTIN_ARG_MAX) return 1;
    if (n->code == NPU__BUILTIN_FULLY_CONNECTED && n->n_in > 1 && c->in[0] && c->in[1] && n->in[0] == tensor) {
        return npu__dim(c->in[0], -1) != npu__dim(c->in[1], -1);
    }
    if (n->in[0] == tensor && npu__cost_merges_images(c)) return 1;
    return n->code == NPU__BUILTIN_PACK || npu__cost_splits_bricks(n, c) || npu__cost_group_parts(n, c, 1) % 16 != 0;
}

/* What a convolution of images as one leaves is another shape; its activation takes it as the images again. */
NPU__FN int npu__cost_reshapes_out(const npu__cost_graph *w, int32_t i) {
    const npu__ctx *c = npu__cost_ctx(w, i);
    if (!npu__cost_merges_images(c) || w->rows[i].activation != NPU__COST_ACT_NONE) return 0;
    return npu__ethosu_fused_code(c) == NPU__ACT_NONE;
}

NPU__FN void npu__cost_mark(npu__cost_graph *w, int32_t tensor, int32_t trait) {
    if (tensor >= 0) w->traits[tensor] = (uint8_t)(w->traits[tensor] | trait);
}

/* Parts that another operator wrote somewhere else, or that somebody else wants, must be copied. */
NPU__FN void npu__cost_mark_copies(npu__cost_graph *w, int32_t i) {
    const npu__node *n = &w->g->nodes[i];
    if (npu__cost_is_join(n->code)) {
        for (int32_t k = 0; k < n->n_in; k++) {
            const npu__cost_tensor *t = n->in[k] >= 0 ? &w->tensors[n->in[k]] : NULL;
            int direct = t && t->producer >= 0 && w->rows[t->producer].how != NPU__COST_ON_CPU && t->n_users == 1 &&
                         !npu__cost_moves_only(w->g->nodes[t->producer].code);
            if (t && !direct) npu__cost_mark(w, n->in[k], NPU__COST_T_JOIN);
            else if (t && n->n_out == 1) w->tensors[n->in[k]].root = n->out[0];
        }
    } else if (npu__cost_is_split(n->code)) {
        int32_t from = n->n_in > (n->code == NPU__BUILTIN_SPLIT) ? n->in[n->code == NPU__BUILTIN_SPLIT] : -1;
        for (int32_t k = 0; k < n->n_out; k++) {
            const npu__cost_tensor *t = &w->tensors[n->out[k]];
            if (t->n_users != 1 || !npu__cost_on_npu(w, t->user) || npu__cost_moves_only(w->g->nodes[t->user].code)) {
                npu__cost_mark(w, n->out[k], NPU__COST_T_COPY);
            } else if (from >= 0) {
                w->tensors[n->out[k]].root = from;
            }
        }
    } else if (npu__cost_is_view(n->code) && n->n_out == 1 && n->n_in > 0 && n->in[0] >= 0) {
        const npu__cost_tensor *from = &w->tensors[n->in[0]], *to = &w->tensors[n->out[0]];
        int outside_from = from->producer < 0 || w->rows[from->producer].how == NPU__COST_ON_CPU || from->n_users > 1;
        int outside_to = to->n_users != 1 || !npu__cost_on_npu(w, to->user);
        if (outside_from && outside_to) npu__cost_mark(w, n->out[0], NPU__COST_T_COPY);
        else w->tensors[n->out[0]].root = w->tensors[n->in[0]].root;
    }
}

NPU__FN int32_t npu__cost_root(const npu__cost_graph *w, int32_t t) {
    for (int32_t hops = 0; t >= 0 && w->tensors[t].root != t && hops < 64; hops++) t = w->tensors[t].root;
    return t;
}

/* The same bytes lie one way: what one tensor of them says goes `down` to the others, or up to the one that counts. */
NPU__FN void npu__cost_agree(npu__cost_graph *w, int down) {
    for (int32_t t = 0; t < w->g->n_tensors; t++) {
        int32_t root = npu__cost_root(w, t);
        if (root < 0 || root == t) continue;
        if (down) npu__cost_mark(w, t, w->traits[root] & NPU__COST_T_LINEAR);
        else npu__cost_mark(w, root, w->traits[t] & NPU__COST_T_LINEAR);
    }
}

NPU__FN void npu__cost_mark_tensors(npu__cost_graph *w) {
    const npu__subgraph *g = w->g;
    int32_t              outside = NPU__COST_T_LINEAR | NPU__COST_T_KEPT;
    for (int32_t k = 0; k < g->n_in; k++) npu__cost_mark(w, g->in[k], outside);
    for (int32_t k = 0; k < g->n_out; k++) npu__cost_mark(w, g->out[k], outside);
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const npu__node *n = &g->nodes[i];
        int              cpu = w->rows[i].how == NPU__COST_ON_CPU;
        for (int32_t k = 0; k < n->n_in; k++) {
            if (n->in[k] < 0 || !(cpu || npu__cost_reshapes(w, i, n->in[k]))) continue;
            npu__cost_mark(w, n->in[k], cpu ? outside : NPU__COST_T_LINEAR);
        }
        for (int32_t k = 0; k < n->n_out; k++) {
            const npu__ctx *c = npu__cost_ctx(w, i);
            int bricks = !npu__cost_is_view(n->code) && !npu__cost_interleaves(w, n) &&
                         !npu__cost_joins_bricks(n, c) && npu__cost_group_parts(n, c, 0) % 16 == 0 &&
                         !npu__cost_reshapes_out(w, i);
            if (cpu || !bricks) npu__cost_mark(w, n->out[k], cpu ? outside : NPU__COST_T_LINEAR);
        }
        if (npu__cost_on_npu(w, i)) npu__cost_mark_copies(w, i);
    }
    for (int32_t i = g->n_nodes; i-- > 0;) { /* what passes through a fused operator is its output */
        const npu__node *n = &g->nodes[i];
        if (w->rows[i].how != NPU__COST_FUSED || n->n_out < 1 || n->in[0] < 0) continue;
        if (n->code == NPU__BUILTIN_PAD) w->tensors[n->out[0]].root = n->in[0];
        else w->tensors[n->in[0]].root = n->out[0];
        if (n->code != NPU__BUILTIN_PAD) w->traits[n->in[0]] = w->traits[n->out[0]];
    }
    npu__cost_agree(w, 0);
    npu__cost_agree(w, 1);
}

/* ---- memory ---- */

NPU__FN int64_t npu__cost_stored_bytes(const npu__cost_graph *w, int32_t tensor, const npu__val *v) {
    int64_t bytes = (int64_t)v->bytes, c = npu__dim(v, -1);
    if (!(w->traits[tensor] & NPU__COST_T_LINEAR) && c >= NPU__COST_BRICKS_FROM) {
        bytes = bytes / c * ((c + 15) / 16 * 16); /* bounded: at most 16 times the bytes of a tensor */
    }
    return bytes / 16 * 16 + (bytes % 16 ? 16 : 0);
}

NPU__FN void npu__cost_graph_bytes(const npu__cost_graph *w, npu__cost_range *ranges, int32_t node) {
    const npu__ctx *c = npu__cost_ctx(w, node);
    for (int32_t k = 0; k < c->n_in + c->n_out; k++) {
        int32_t         tensor = k < c->n_in ? c->node->in[k] : c->node->out[k - c->n_in], root;
        const npu__val *v = k < c->n_in ? c->in[k] : c->out[k - c->n_in];
        if (tensor < 0 || !v || npu__is_const(v) || v->data) continue;
        root = npu__cost_root(w, tensor);
        ranges[root].bytes = NPU__MAX(ranges[root].bytes, npu__cost_stored_bytes(w, tensor, v));
        if (w->traits[tensor] & NPU__COST_T_KEPT) ranges[root].kept = 1;
        if (w->traits[tensor] & NPU__COST_T_LINEAR) ranges[root].linear = 1;
    }
}

NPU__FN void npu__cost_graph_facts(npu__cost_graph *w) {
    npu__cost_connect(w);
    npu__cost_roles(w);
    npu__cost_mark_tensors(w);
}

#endif
