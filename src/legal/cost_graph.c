/* What runs inside of what, where feature maps lie, how long they live. */
#include "../ops/util.h"
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

/* An activation behind an operator that has none yet and feeds nobody else. */
NPU__FN int npu__cost_fuses_back(npu__cost_graph *w, int32_t i) {
    const npu__node        *n = &w->g->nodes[i];
    const npu__cost_tensor *t = &w->tensors[n->in[0]];
    int32_t                 activation = npu__cost_as_activation(n->code), before = t->producer;
    if (activation == NPU__COST_ACT_NONE || before < 0 || before >= i || t->n_users != 1) return 0;
    if (!npu__cost_on_npu(w, before) || w->rows[before].activation != NPU__COST_ACT_NONE) return 0;
    if (!npu__cost_takes_activation(w->g->nodes[before].code)) return 0;
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
    }
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const npu__node *n = &w->g->nodes[i];
        if (!npu__cost_on_npu(w, i) || n->n_in < 1 || n->in[0] < 0 || n->n_out < 1) continue;
        if (npu__cost_fuses_back(w, i) || npu__cost_fuses_ahead(w, i)) w->rows[i].how = NPU__COST_FUSED;
    }
}

/* ---- where tensors lie ---- */

/* Does this user look at the tensor in another shape than it has? */
NPU__FN int npu__cost_reshapes(const npu__cost_graph *w, int32_t node, int32_t tensor) {
    const npu__node *n = &w->g->nodes[node];
    const npu__ctx  *c = npu__cost_ctx(w, node);
    if (npu__cost_is_view(n->code) || n->code == NPU__BUILTIN_SOFTMAX || n->code == NPU__BUILTIN_ARG_MAX) return 1;
    if (n->code == NPU__BUILTIN_FULLY_CONNECTED && n->n_in > 1 && c->in[0] && c->in[1] && n->in[0] == tensor) {
        return npu__dim(c->in[0], -1) != npu__dim(c->in[1], -1);
    }
    if (npu__cost_is_join(n->code) && c->in[0] && c->n_out > 0) { /* along the channels: parts must be whole bricks */
        return npu__dim(c->in[0], -1) != npu__dim(c->out[0], -1) && npu__dim(c->in[0], -1) % 16 != 0;
    }
    return npu__cost_is_split(n->code);
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
            if (t && !direct) npu__cost_mark(w, n->in[k], NPU__COST_T_COPY);
        }
    } else if (npu__cost_is_split(n->code)) {
        for (int32_t k = 0; k < n->n_out; k++) {
            const npu__cost_tensor *t = &w->tensors[n->out[k]];
            if (t->n_users != 1 || !npu__cost_on_npu(w, t->user) || npu__cost_moves_only(w->g->nodes[t->user].code)) {
                npu__cost_mark(w, n->out[k], NPU__COST_T_COPY);
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

NPU__FN void npu__cost_mark_tensors(npu__cost_graph *w) {
    const npu__subgraph *g = w->g;
    for (int32_t k = 0; k < g->n_in; k++) npu__cost_mark(w, g->in[k], NPU__COST_T_LINEAR);
    for (int32_t k = 0; k < g->n_out; k++) npu__cost_mark(w, g->out[k], NPU__COST_T_LINEAR);
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const npu__node *n = &g->nodes[i];
        int              cpu = w->rows[i].how == NPU__COST_ON_CPU;
        for (int32_t k = 0; k < n->n_in; k++) {
            if (n->in[k] < 0 || !(cpu || npu__cost_reshapes(w, i, n->in[k]))) continue;
            npu__cost_mark(w, n->in[k], NPU__COST_T_LINEAR);
        }
        for (int32_t k = 0; k < n->n_out; k++) {
            if (cpu || npu__cost_is_view(n->code)) npu__cost_mark(w, n->out[k], NPU__COST_T_LINEAR);
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
}

/* ---- lifetimes ---- */

NPU__FN int32_t npu__cost_root(const npu__cost_graph *w, int32_t t) {
    for (int32_t hops = 0; w->tensors[t].root != t && hops < 64; hops++) t = w->tensors[t].root;
    return t;
}

NPU__FN void npu__cost_live(npu__cost_graph *w, int32_t tensor, const npu__val *v, int32_t node) {
    npu__cost_tensor *t;
    int64_t           bytes = (int64_t)v->bytes;
    int32_t           root;
    if (tensor < 0 || npu__is_const(v) || v->data) return;
    root = npu__cost_root(w, tensor);
    t = &w->tensors[root];
    if (!(w->traits[tensor] & NPU__COST_T_LINEAR) && npu__dim(v, -1) >= NPU__COST_BRICKS_FROM) {
        int64_t c = npu__dim(v, -1);
        bytes = bytes / c * ((c + 15) / 16 * 16); /* bounded: at most 16 times the bytes of a tensor */
    }
    t->bytes = NPU__MAX(t->bytes, bytes);
    if (t->first > t->last) t->first = t->last = node;
    t->first = NPU__MIN(t->first, node);
    t->last = NPU__MAX(t->last, node);
}

/* An element by element operator may write over an input of the same size that nobody needs any more. */
NPU__FN void npu__cost_overwrite(npu__cost_graph *w, int32_t i) {
    const npu__node *n = &w->g->nodes[i];
    const npu__ctx  *c = npu__cost_ctx(w, i);
    if (!npu__cost_on_npu(w, i) || !n->def || n->n_out != 1) return;
    if (!(n->def->flags & (NPU__OP_INPLACE0 | NPU__OP_INPLACE1))) return;
    for (int32_t k = 0; k < 2 && k < n->n_in; k++) {
        int32_t in = n->in[k], a, b;
        if (in < 0 || !c->in[k] || npu__is_const(c->in[k]) || c->in[k]->bytes != c->out[0]->bytes) continue;
        a = npu__cost_root(w, in);
        b = npu__cost_root(w, n->out[0]);
        if (a == b || w->tensors[a].last != i || w->tensors[b].first != i || w->tensors[in].n_users != 1) continue;
        if ((w->traits[in] ^ w->traits[n->out[0]]) & NPU__COST_T_LINEAR) continue;
        w->tensors[a].last = w->tensors[b].last;
        w->tensors[b].first = 0;
        w->tensors[b].last = -1;
        w->tensors[b].root = a;
        return;
    }
}

NPU__FN void npu__cost_lifetimes(npu__cost_graph *w) {
    const npu__subgraph *g = w->g;
    for (int32_t t = 0; t < g->n_tensors; t++) {
        w->tensors[t].first = 0;
        w->tensors[t].last = -1;
    }
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const npu__ctx *c = npu__cost_ctx(w, i);
        if (!npu__cost_on_npu(w, i)) continue;
        for (int32_t k = 0; k < c->n_in; k++) {
            if (c->in[k]) npu__cost_live(w, c->node->in[k], c->in[k], i);
        }
        for (int32_t k = 0; k < c->n_out; k++) npu__cost_live(w, c->node->out[k], c->out[k], i);
    }
    for (int32_t k = 0; k < g->n_in; k++) w->tensors[npu__cost_root(w, g->in[k])].first = 0;
    for (int32_t k = 0; k < g->n_out; k++) {
        npu__cost_tensor *t = &w->tensors[npu__cost_root(w, g->out[k])];
        if (t->bytes > 0) t->last = g->n_nodes - 1;
    }
    for (int32_t i = 0; i < g->n_nodes; i++) npu__cost_overwrite(w, i);
}

/* Notes where the use of memory grows and shrinks: npu__cost_settle adds it up. */
NPU__FN void npu__cost_use(int64_t *use, const npu__cost_tensor *t, int32_t n_nodes) {
    use[t->first] += t->bytes;
    if (t->last + 1 < n_nodes) use[t->last + 1] -= t->bytes;
}

/* Room in the cache for the whole life of `t`, then taken. Long lives are left to the slow memory. */
NPU__FN int npu__cost_cache(npu__cost_graph *w, const npu__cost_tensor *t, int64_t cache_bytes) {
    if (t->last - t->first > 4096) return 0;
    for (int32_t i = t->first; i <= t->last; i++) {
        if (npu__cost_add(w->fast[i], t->bytes) > cache_bytes) return 0;
    }
    for (int32_t i = t->first; i <= t->last; i++) w->fast[i] += t->bytes;
    return 1;
}

/* Gives every feature map its memory. Where the arena is slow, those only the NPU sees go into the cache while there is
 * room, in the order of the tensors. */
NPU__FN void npu__cost_settle(npu__cost_graph *w) {
    const npu__cost_system *s = &w->plan->system;
    int64_t                *arena = s->arena_in_store ? w->slow : w->fast;
    int32_t                 n = w->g->n_nodes;
    for (int32_t t = 0; t < w->g->n_tensors; t++) {
        const npu__cost_tensor *x = &w->tensors[t];
        if (x->first > x->last || x->bytes <= 0) continue;
        if (s->arena_in_store) {
            if (!(w->traits[t] & NPU__COST_T_LINEAR) && npu__cost_cache(w, x, s->cache_bytes)) continue;
            npu__cost_mark(w, t, NPU__COST_T_SLOW);
        }
        npu__cost_use(arena, x, n);
    }
    for (int32_t i = 1; i < n; i++) arena[i] += arena[i - 1];
    for (int32_t t = 0; t < w->g->n_tensors; t++) {
        if (w->traits[npu__cost_root(w, t)] & NPU__COST_T_SLOW) npu__cost_mark(w, t, NPU__COST_T_SLOW);
    }
}

NPU__FN void npu__cost_graph_facts(npu__cost_graph *w) {
    npu__cost_connect(w);
    npu__cost_roles(w);
    npu__cost_mark_tensors(w);
    npu__cost_lifetimes(w);
    npu__cost_settle(w);
}

#endif
