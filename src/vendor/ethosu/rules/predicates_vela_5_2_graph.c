/* Ethos-U predicates of Vela 5.2 about neighbours: operators that disappear in others, and tensors nobody writes. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

typedef struct npu__v52_search {
    const npu__subgraph *g;
    const npu__links    *links;
} npu__v52_search;

NPU__FN npu__v52_search npu__v52_search_in(const npu__ctx *c, const npu__scene *scene) {
    npu__v52_search s;
    s.g = c->node->graph;
    s.links = &scene->links[c->node->subgraph];
    return s;
}

/* Who writes it, NULL for nobody. */
NPU__FN const npu__node *npu__v52_writer(const npu__v52_search *s, int32_t tensor) {
    int32_t i = tensor < 0 ? NPU__NOBODY : s->links->writer[tensor];
    return i >= 0 ? &s->g->nodes[i] : NULL;
}

/* The only one who reads it, NULL when there are none or several. */
NPU__FN const npu__node *npu__v52_reader(const npu__v52_search *s, int32_t tensor) {
    const size_t *first;
    if (tensor < 0) return NULL;
    first = &s->links->first[tensor];
    return first[1] - first[0] == 1 ? &s->g->nodes[s->links->reader[first[0]]] : NULL;
}

/* ---- variables ---- */

/* What a use of the variable can be refused for, in short: the rows of READ_VARIABLE and ASSIGN_VARIABLE. */
NPU__FN const char *npu__v52_use_refused(const npu__rule *r, const npu__subgraph *g, const npu__node *user) {
    int             reads = user->code == NPU__BUILTIN_READ_VARIABLE;
    int32_t         at = reads ? (user->n_out > 0 ? user->out[0] : -1) : user->n_in > 1 ? user->in[1] : -1;
    npu__v52_tensor v;
    if (!reads && user->code != NPU__BUILTIN_ASSIGN_VARIABLE) return "not a read or an assignment";
    if (at < 0) return "without data";
    memset(&v, 0, sizeof v);
    v.t = &g->tensors[at];
    v.role = reads ? NPU__V52_OFM : NPU__V52_IFM;
    if (!npu__v52_type_fits(r, v.t->type)) return npu_type_name((npu_type)v.t->type);
    if (v.t->quant.count > 1) return "per axis";
    if (v.t->quant.count == 1 && !npu__v52_zero_point_fits(r, &v, v.t->quant.zero_point[0])) return "zero point";
    for (int32_t k = 1; k < v.t->signature.rank; k++) {
        if (v.t->signature.dims[k] < 0) return "resizable";
    }
    return NULL;
}

NPU__FN int npu__ethosu_v52_handle_users(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_search s = npu__v52_search_in(c, got->scene);
    size_t          at, end;
    int32_t         last = -1;
    int             bad = 0;
    if (c->node->n_out < 1) return npu__got_f(got, "no output");
    end = s.links->first[c->node->out[0] + 1];
    for (at = s.links->first[c->node->out[0]]; at < end; at++) {
        const char *why;
        if (s.links->reader[at] == last) continue;
        last = s.links->reader[at];
        why = npu__v52_use_refused(r, s.g, &s.g->nodes[last]);
        if (!why) continue;
        npu__got_add(got, "operator %d: %s", last, why);
        bad = 1;
    }
    return bad;
}

/* ---- SPACE_TO_BATCH_ND, a convolution, BATCH_TO_SPACE_ND: a dilated convolution ---- */

typedef struct npu__v52_dilated {
    const npu__node *first, *conv, *last;
} npu__v52_dilated;

/* Do shapes differ by dimensions of 1 only? */
NPU__FN int npu__v52_same_but_ones(const npu__shape *a, const npu__shape *b) {
    int32_t i = 0, k = 0;
    for (;;) {
        while (i < a->rank && a->dims[i] == 1) i++;
        while (k < b->rank && b->dims[k] == 1) k++;
        if (i >= a->rank || k >= b->rank) return i >= a->rank && k >= b->rank;
        if (a->dims[i++] != b->dims[k++]) return 0;
    }
}

/* May the operator stand between? It only moves dimensions of 1, and nobody else sees its tensors. */
NPU__FN int npu__v52_is_bridge(const npu__v52_search *s, const npu__node *n) {
    npu__shape in, out;
    int        moves = n->code == NPU__BUILTIN_RESHAPE || n->code == NPU__BUILTIN_SQUEEZE ||
                n->code == NPU__BUILTIN_EXPAND_DIMS;
    if (!moves || n->n_in < 1 || n->n_out < 1 || n->in[0] < 0) return 0;
    in = npu__v52_shape_of(&s->g->tensors[n->in[0]], &s->g->tensors[n->in[0]].shape);
    out = npu__v52_shape_of(&s->g->tensors[n->out[0]], &s->g->tensors[n->out[0]].shape);
    return npu__v52_same_but_ones(&in, &out) && npu__v52_reader(s, n->in[0]) && npu__v52_writer(s, n->in[0]) &&
           npu__v52_reader(s, n->out[0]);
}

/* The neighbour before (after) a node, over a bridge. */
NPU__FN const npu__node *npu__v52_next(const npu__v52_search *s, const npu__node *n, int back) {
    for (int32_t i = 0; n && i < 2; i++) {
        if (back ? n->n_in < 1 || n->in[0] < 0 : n->n_out < 1) return NULL;
        n = back ? npu__v52_writer(s, n->in[0]) : npu__v52_reader(s, n->out[0]);
        if (!n || !npu__v52_is_bridge(s, n)) return n;
    }
    return NULL;
}

NPU__FN int npu__v52_is_conv(const npu__node *n) {
    return n && (n->code == NPU__BUILTIN_CONV_2D || n->code == NPU__BUILTIN_DEPTHWISE_CONV_2D);
}

/* Fills in what `node`, one of the three or none, belongs to. */
NPU__FN int npu__v52_dilated_of(const npu__v52_search *s, const npu__node *node, npu__v52_dilated *d) {
    int before = node->code == NPU__BUILTIN_SPACE_TO_BATCH_ND;
    memset(d, 0, sizeof *d);
    d->conv = npu__v52_is_conv(node) ? node : npu__v52_next(s, node, !before);
    if (!npu__v52_is_conv(d->conv) || d->conv->n_in < 2 || d->conv->n_in > 3 || d->conv->n_out < 1) return 0;
    if (!npu__v52_reader(s, d->conv->in[0]) || !npu__v52_reader(s, d->conv->out[0])) return 0;
    d->first = npu__v52_next(s, d->conv, 1);
    d->last = npu__v52_next(s, d->conv, 0);
    return d->first && d->last && d->first->code == NPU__BUILTIN_SPACE_TO_BATCH_ND &&
           d->last->code == NPU__BUILTIN_BATCH_TO_SPACE_ND && d->first->n_in > 1 && d->first->in[0] >= 0 &&
           d->last->n_out > 0 && (d->conv == node || (before ? d->first : d->last) == node);
}

/* The verdict on the convolution from the first one's input to the last one's output, by the rules of the profile that
 * has one of these bits. Its quantization stays its own. */
NPU__FN int npu__v52_dilated_refused(uint32_t profiles, npu__scene *scene, const npu__subgraph *g,
                                     const npu__v52_dilated *d) {
    const npu__ruleset *set = npu__backend_ethosu();
    npu__backend        b;
    npu__profile        alone; /* the convolution by itself, however it is merged */
    npu__ctx            c;
    npu__val            vals[4], *refs[4];
    npu__tensor         ends[2];
    memset(&b, 0, sizeof b);
    memset(&c, 0, sizeof c);
    memset(vals, 0, sizeof vals);
    b.set = set;
    for (int32_t i = 0; i < set->n_profiles && !b.profile; i++) {
        if (!(set->profiles[i].bit & profiles)) continue;
        alone = set->profiles[i];
        alone.merged = NULL;
        b.profile = &alone;
    }
    if (!b.profile) return 1;
    c.node = d->conv;
    c.n_in = d->conv->n_in;
    c.n_out = 1;
    for (int32_t i = 0; i <= c.n_in; i++) {
        int32_t t = i == 0 ? d->first->in[0] : i < c.n_in ? d->conv->in[i] : d->last->out[0];
        refs[i] = t < 0 ? NULL : &vals[i];
        if (t < 0) continue;
        vals[i].t = &g->tensors[t];
        vals[i].type = vals[i].t->type;
        vals[i].shape = vals[i].t->shape;
        vals[i].data = (void *)(uintptr_t)vals[i].t->data;
        vals[i].known = 1;
        if (i > 0 && i < c.n_in) continue;
        ends[i > 0] = *vals[i].t;
        ends[i > 0].quant = g->tensors[i == 0 ? d->conv->in[0] : d->conv->out[0]].quant;
        vals[i].t = &ends[i > 0];
    }
    c.in = refs;
    c.out = refs + c.n_in;
    return npu__backend_verdict(&b, scene, &c, NULL) > 0;
}

NPU__FN int npu__v52_conv_has_activation(const npu__v52_dilated *d) {
    npu__ctx conv;
    memset(&conv, 0, sizeof conv);
    conv.node = d->conv;
    return npu__v52_fused_code(&conv) != NPU__ACT_NONE;
}

NPU__FN int npu__v52_merged(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx) {
    npu__v52_search  s = npu__v52_search_in(ctx, scene);
    npu__v52_dilated d;
    return npu__v52_is_conv(ctx->node) && !s.links->dead[ctx->node->index] && npu__v52_dilated_of(&s, ctx->node, &d) &&
           !npu__v52_conv_has_activation(&d) && !npu__v52_dilated_refused(b->profile->bit, scene, s.g, &d);
}

/* Steps above 3 cannot be dilated on U55 and U65, but nobody dilates those. */
NPU__FN int npu__ethosu_v52_dilates(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_search  s = npu__v52_search_in(c, got->scene);
    npu__v52_dilated d;
    if (!npu__v52_dilated_of(&s, c->node, &d)) return npu__got_f(got, "none, or others see what is between");
    if (npu__v52_conv_has_activation(&d)) return npu__got_f(got, "operator %d has an activation", d.conv->index);
    return npu__v52_dilated_refused(r->profiles, got->scene, s.g, &d) &&
           npu__got_f(got, "operator %d is refused", d.conv->index);
}

/* ---- stored tensors without contents ---- */

NPU__FN int npu__ethosu_v52_contents(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t  *writer = got->scene->links[c->node->subgraph].writer;
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        if (!npu__v52_at(c, i, &v) || v.t->data || v.t->buffer == 0 || v.t->is_variable) continue;
        if (npu__v52_elems(&v.t->shape) != 0) continue; /* somebody writes it, or the network would not run */
        if (writer[c->node->in[i]] != NPU__NOBODY) continue;
        npu__v52_add(got, &v, "empty");
        bad = 1;
    }
    return bad;
}

#endif
