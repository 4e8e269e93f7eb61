/* npu_session_compare: two runs of a model, value by value. */
#include "../base/fp16.h"
#include "../run/session.h"
#include "../vendor/vendor.h"

#if NPU__HAS_REPORTS

/* How far two tensors are apart. */
typedef struct npu__apart {
    double  most, mean, largest; /* of the reference: its largest finite magnitude */
    double  relative;            /* most / largest; infinite where only one of the two is a number */
    int32_t comparable;          /* 0: there are no numbers, or not as many */
} npu__apart;

typedef struct npu__apart_row {
    const npu__ctx *c;
    int32_t         out;
    npu__apart      is;
    double          inputs, growth;
} npu__apart_row;

enum { NPU__APART_SHOWN = 20 };

/* ---- two tensors ---- */

NPU__FN double npu__apart_endless(void) { return (double)npu__f32_from_bits(0x7F800000u); }

NPU__FN int npu__apart_has(int32_t type) {
    switch (type) {
    case NPU_FLOAT32: case NPU_FLOAT16: case NPU_BFLOAT16: case NPU_BOOL: case NPU_INT8: case NPU_UINT8: case NPU_INT16:
    case NPU_UINT16: case NPU_INT32: case NPU_UINT32: case NPU_INT64: return 1;
    default: return 0;
    }
}

NPU__FN double npu__apart_at(const npu__val *v, int64_t i) {
    double x;
    switch (v->type) {
    case NPU_FLOAT32: return (double)((const float *)v->data)[i];
    case NPU_FLOAT16: return (double)npu__f16_to_f32(((const uint16_t *)v->data)[i]);
    case NPU_BFLOAT16: return (double)npu__bf16_to_f32(((const uint16_t *)v->data)[i]);
    case NPU_BOOL: return ((const uint8_t *)v->data)[i] ? 1.0 : 0.0;
    default: break;
    }
    x = (double)npu__int_at(v, i);
    if (v->t->quant.count != 1) return x;
    return (x - (double)v->t->quant.zero_point[0]) * (double)v->t->quant.scale[0];
}

NPU__FN npu__apart npu__apart_of(const npu__val *a, const npu__val *b) {
    const double endless = npu__apart_endless();
    const int64_t n = npu__elems(b);
    npu__apart    r;
    memset(&r, 0, sizeof r);
    if (a->type != b->type || !npu__apart_has(a->type) || !npu__shape_eq(&a->shape, &b->shape)) return r;
    if (n > 0 && (!a->data || !b->data)) return r;
    r.comparable = 1;
    for (int64_t i = 0; i < n; i++) {
        const double x = npu__apart_at(a, i), y = npu__apart_at(b, i), size = y < 0 ? -y : y;
        double       off = x < y ? y - x : x > y ? x - y : 0.0;
        if ((x - x == 0.0) != (y - y == 0.0) || (x != x) != (y != y)) off = endless;
        if (size <= 1.7e308) r.largest = NPU__MAX(r.largest, size);
        r.most = NPU__MAX(r.most, off);
        r.mean += off / (double)n;
    }
    r.relative = r.largest > 0.0 ? r.most / r.largest : r.most;
    return r;
}

/* ---- all of a subgraph ---- */

typedef struct npu__apart_all {
    const npu_session *a, *b;
    int32_t            subgraph, n_rows;
    const npu__subgraph *g;
    double             *relative; /* by tensor: how far it is off */
    npu__apart_row     *rows;
    npu__apart_row    **sorted; /* by growth */
} npu__apart_all;

NPU__FN npu__apart npu__apart_tensor(const npu__apart_all *all, int32_t t) {
    return npu__apart_of(&all->a->subs[all->subgraph].vals[t], &all->b->subs[all->subgraph].vals[t]);
}

/* An error that is endless at both ends has not grown. */
NPU__FN double npu__apart_growth(double out, double in) { return in <= 1.7e308 ? out - in : 0.0; }

NPU__FN void npu__apart_operator(npu__apart_all *all, const npu__ctx *c) {
    const npu__node *node = c->node;
    double           in = 0.0;
    for (int32_t i = 0; i < node->n_in; i++) if (node->in[i] >= 0) in = NPU__MAX(in, all->relative[node->in[i]]);
    for (int32_t i = 0; i < node->n_out; i++) {
        npu__apart_row *r = &all->rows[all->n_rows++];
        r->c = c;
        r->out = i;
        r->is = npu__apart_tensor(all, node->out[i]);
        r->inputs = in;
        r->growth = npu__apart_growth(r->is.relative, in);
        all->relative[node->out[i]] = r->is.relative;
    }
}

NPU__FN int npu__apart_before(const void *a, const void *b) {
    const npu__apart_row *x = *(const npu__apart_row *const *)a, *y = *(const npu__apart_row *const *)b;
    if (x->growth > y->growth || x->growth < y->growth) return x->growth > y->growth;
    return x->c->node->index < y->c->node->index || (x->c->node->index == y->c->node->index && x->out < y->out);
}

NPU__FN int npu__apart_make(npu__apart_all *all, npu__pool *temp) {
    const npu__subplan *sub = &all->a->plan->subs[all->subgraph];
    size_t              n = 0;
    for (int32_t i = 0; i < all->g->n_nodes; i++) n += (size_t)all->g->nodes[i].n_out; /* bounded: lists that memory holds */
    all->relative = (double *)npu__pool_alloc(temp, (size_t)all->g->n_tensors, sizeof(double));
    all->rows = (npu__apart_row *)npu__pool_alloc(temp, n, sizeof *all->rows);
    all->sorted = (npu__apart_row **)npu__pool_alloc(temp, n, sizeof *all->sorted);
    if (!all->relative || !all->rows || !all->sorted) return 0;
    for (int32_t i = 0; i < all->g->n_in; i++) all->relative[all->g->in[i]] = npu__apart_tensor(all, all->g->in[i]).relative;
    for (int32_t i = 0; i < sub->n_ran; i++) npu__apart_operator(all, &all->a->subs[all->subgraph].ctxs[sub->ran[i]]);
    for (int32_t i = 0; i < all->n_rows; i++) all->sorted[i] = &all->rows[i];
    npu__sort(all->sorted, (size_t)all->n_rows, sizeof *all->sorted, npu__apart_before);
    return 1;
}

/* ---- the report ---- */

/* Who ran it. */
NPU__FN const char *npu__apart_by(const npu__apart_all *all, const npu__node *node) {
    const npu__subplan *sub = &all->a->plan->subs[all->subgraph];
    const int32_t       seg = sub->steps[node->index].seg;
    return seg && !all->a->subs[all->subgraph].segs[seg - 1].why ? sub->segs[seg - 1].target->name : "cpu";
}

NPU__FN void npu__apart_json(npu__text *t, const npu__apart *r) {
    const double nan = npu__apart_endless() - npu__apart_endless();
    npu__json_num(t, "max_error", r->comparable ? r->most : nan);
    npu__json_num(t, "mean_error", r->comparable ? r->mean : nan);
    npu__json_num(t, "largest", r->comparable ? r->largest : nan);
    npu__json_num(t, "relative", r->comparable ? r->relative : nan);
}

NPU__FN void npu__apart_json_all(npu__text *t, const npu__apart_all *all) {
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "subgraph", all->subgraph);
    npu__json_open(t, "outputs", '[');
    for (int32_t i = 0; i < all->g->n_out; i++) {
        const npu__apart r = npu__apart_tensor(all, all->g->out[i]);
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "index", i);
        npu__json_str(t, "name", all->g->tensors[all->g->out[i]].name);
        npu__apart_json(t, &r);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
    npu__json_open(t, "operators", '[');
    for (int32_t i = 0; i < all->n_rows; i++) {
        const npu__apart_row *r = all->sorted[i];
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "op", r->c->node->index);
        npu__json_str(t, "name", npu__node_name(r->c->node));
        npu__json_int(t, "tensor", r->c->node->out[r->out]);
        npu__json_str(t, "tensor_name", r->c->out[r->out]->t->name);
        npu__json_z(t, "by", npu__apart_by(all, r->c->node));
        npu__apart_json(t, &r->is);
        npu__json_num(t, "inputs", r->inputs);
        npu__json_num(t, "growth", r->growth);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

/* A name in a column. */
NPU__FN void npu__apart_name(npu__text *t, npu__str s, size_t width) {
    s.n = NPU__MIN(s.n, width - 1);
    npu__text_name(t, s);
    npu__text_pad(t, s.n, width);
}

NPU__FN void npu__apart_number(npu__text *t, double v) {
    char         text[40];
    const size_t n = npu__format(text, sizeof text, v <= 1.7e308 ? "%g" : "endless", v);
    npu__text_put(t, text, NPU__MIN(n, sizeof text - 1));
    npu__text_pad(t, n, 15);
}

NPU__FN void npu__apart_text_row(npu__text *t, const npu__apart_all *all, const npu__apart_row *r) {
    const npu__str name = npu__node_name(r->c->node);
    char           index[16];
    const size_t   n = npu__format(index, sizeof index, "%d", r->c->node->index);
    npu__text_put(t, index, n);
    npu__text_pad(t, n, 6);
    npu__apart_name(t, name, 24);
    npu__apart_name(t, npu__str_of(npu__apart_by(all, r->c->node)), 9);
    npu__apart_number(t, r->growth);
    npu__apart_number(t, r->is.relative);
    npu__apart_number(t, r->inputs);
    npu__apart_number(t, r->is.most);
    npu__text_name(t, r->c->out[r->out]->t->name);
    npu__text_f(t, "\n");
}

NPU__FN void npu__apart_text_all(npu__text *t, const npu__apart_all *all) {
    int32_t shown = 0;
    npu__text_f(t, "output                          max error      mean error     of the largest\n");
    for (int32_t i = 0; i < all->g->n_out; i++) {
        const npu__apart r = npu__apart_tensor(all, all->g->out[i]);
        npu__apart_name(t, all->g->tensors[all->g->out[i]].name, 32);
        if (r.comparable) {
            npu__apart_number(t, r.most);
            npu__apart_number(t, r.mean);
            npu__apart_number(t, r.relative);
        } else {
            npu__text_f(t, "these cannot be compared");
        }
        npu__text_f(t, "\n");
    }
    npu__text_f(t, "Errors by operator, as parts of the largest magnitude; growth: beyond that of the worst input.\n"
                   "op    operator                by       growth         error          of inputs      max error      tensor\n");
    while (shown < all->n_rows && shown < NPU__APART_SHOWN && all->sorted[shown]->growth > 0.0) {
        npu__apart_text_row(t, all, all->sorted[shown++]);
    }
    if (shown < all->n_rows) npu__text_f(t, "%d more, with less growth or none\n", all->n_rows - shown);
}

NPU__FN int npu__apart_same_model(const npu_session *a, const npu_session *b, int32_t subgraph) {
    const npu__subgraph *g, *h;
    if (subgraph < 0 || subgraph >= a->plan->model->n_subgraphs || subgraph >= b->plan->model->n_subgraphs) return 0;
    g = &a->plan->model->subgraphs[subgraph];
    h = &b->plan->model->subgraphs[subgraph];
    if (g->n_tensors != h->n_tensors || g->n_nodes != h->n_nodes || g->n_out != h->n_out) return 0;
    for (int32_t i = 0; i < g->n_out; i++) if (g->out[i] != h->out[i]) return 0;
    for (int32_t i = 0; i < g->n_nodes; i++) if (g->nodes[i].code != h->nodes[i].code) return 0;
    return 1;
}

NPU_API npu_status npu_session_compare(const npu_session *session, const npu_session *reference, int32_t subgraph,
                                       npu_format format, const npu_writer *writer, npu_diag *diag) {
    npu__apart_all all;
    npu__pool      temp;
    npu__text      t;
    npu_status     s;
    npu__diag_clear(diag);
    if (!session || !reference || !writer || !writer->write || (format != NPU_FORMAT_TEXT && format != NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_session_compare: needs two sessions, a writer and the "
                              "format TEXT or JSON");
    }
    if (!session->plan->keep_values || !reference->plan->keep_values || !npu__apart_same_model(session, reference, subgraph)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.compare", "npu_session_compare: needs two plans of one model with "
                              "npu_plan_desc.keep_values, and one of its subgraphs");
    }
    memset(&all, 0, sizeof all);
    all.a = session;
    all.b = reference;
    all.subgraph = subgraph;
    all.g = &session->plan->model->subgraphs[subgraph];
    npu__pool_init(&temp, &session->plan->pool.allocator, UINT64_MAX);
    s = npu__apart_make(&all, &temp) ? NPU_OK : npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "api.memory", "no memory to compare");
    npu__text_init(&t, writer);
    if (s == NPU_OK && format == NPU_FORMAT_JSON) npu__apart_json_all(&t, &all);
    else if (s == NPU_OK) npu__apart_text_all(&t, &all);
    if (s == NPU_OK) s = npu__text_end(&t, diag);
    npu__pool_free(&temp);
    return s;
}

#endif
