/* Placement as text and JSON. */
#include "compiled.h"
#include "reasons.h"
#include "report.h"

#if NPU__HAS_REPORTS

/* Refused ops that no run pays for. */
NPU__FN int64_t npu__report_once(const npu__placement *p, const npu__nodes *nodes) {
    int64_t n = 0;
    for (int32_t s = 0; s < nodes->model->n_subgraphs; s++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[s].n_nodes; i++) {
            n += npu__refused(p, s, i) && nodes->once(nodes->user, s, i);
        }
    }
    return n;
}

/* ---- JSON ---- */

NPU__FN void npu__report_accelerator(npu__text *t, const npu__backend *b) {
    npu__json_key(t, "accelerator");
    if (b->target->accelerator) npu__json_quoted(t, npu__str_of(b->target->accelerator));
    else npu__text_f(t, "null");
}

typedef struct npu__report_to {
    npu__text          *t;
    const npu__backend *b;
} npu__report_to;

NPU__FN void npu__report_reason_json(void *user, const npu__rule *rule, const char *got) {
    const npu__report_to *to = (const npu__report_to *)user;
    npu__text            *t = to->t;
    char                  source[96];
    npu__backend_source(to->b, rule, source, sizeof source);
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "rule", rule->id);
    npu__json_z(t, "text", rule->text);
    npu__json_z(t, "got", got);
    npu__json_z(t, "limit", rule->limit);
    npu__json_z(t, "hint", rule->hint);
    npu__json_z(t, "source", source);
    npu__json_close(t, '}');
}

NPU__FN void npu__report_node_json(npu__text *t, const npu__placement *p, npu__scene *scene, const npu__ctx *c, int once) {
    static const npu__str none = {"", 0};
    npu__report_to        to;
    npu__why              why;
    to.t = t;
    to.b = &p->backend;
    why.user = &to;
    why.add = npu__report_reason_json;
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "subgraph", c->node->subgraph);
    npu__json_int(t, "index", c->node->index);
    npu__json_str(t, "op", npu__node_name(c->node));
    npu__json_str(t, "output", c->n_out > 0 ? c->out[0]->t->name : none);
    npu__json_bool(t, "placed", p->placed[c->node->subgraph][c->node->index]);
    npu__json_bool(t, "once", once);
    npu__json_bool(t, "dropped", p->dropped[c->node->subgraph][c->node->index]);
    npu__json_open(t, "reasons", '[');
    npu__backend_verdict(&p->backend, scene, c, &why);
    npu__json_close(t, ']');
    npu__json_open(t, "warnings", '[');
    if (p->placed[c->node->subgraph][c->node->index]) npu__backend_warnings(&p->backend, scene, c, &why);
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

/* Verdicts of listed nodes, and no others: a report of a part says what one of the whole says. */
NPU__FN int npu__report_lists(const npu__placement *p, int32_t s, int32_t i, int only_refused) {
    return !only_refused || npu__refused(p, s, i);
}

NPU__FN void npu__report_json(npu__text *t, const npu__placement *p, const npu__nodes *nodes, const npu__reasons why[2],
                              int only_refused) {
    npu__scene scene = p->scene;
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "backend", p->backend.target->name);
    npu__report_accelerator(t, &p->backend);
    npu__json_z(t, "profile", p->backend.profile->name);
    npu__json_open(t, "summary", '{');
    npu__json_int(t, "ops", p->summary.ops);
    npu__json_int(t, "ops_placed", p->summary.ops_placed);
    npu__json_int(t, "ops_dropped", p->summary.ops_dropped);
    npu__json_int(t, "macs", p->summary.macs);
    npu__json_int(t, "macs_placed", p->summary.macs_placed);
    npu__json_int(t, "partitions", p->summary.partitions);
    npu__json_int(t, "switches", p->summary.switches);
    npu__json_int(t, "refused_once", npu__report_once(p, nodes));
    npu__json_close(t, '}');
    npu__report_compiled(t, 1, nodes->model);
    npu__reasons_json(t, &why[0]);
    npu__reasons_json(t, &why[1]);
    npu__json_bool(t, "only_refused", only_refused);
    npu__json_open(t, "ops", '[');
    for (int32_t s = 0; s < nodes->model->n_subgraphs; s++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[s].n_nodes; i++) {
            if (!npu__report_lists(p, s, i, only_refused)) continue;
            npu__report_node_json(t, p, &scene, nodes->at(nodes->user, s, i), nodes->once(nodes->user, s, i));
        }
    }
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

/* ---- text ---- */

NPU__FN void npu__report_reason_text(void *user, const npu__rule *rule, const char *got) {
    npu__text *t = (npu__text *)user;
    npu__str   value = npu__str_of(got);
    npu__text_f(t, "            %s: got %S, allowed %s\n", rule->id, &value, rule->limit);
}

NPU__FN void npu__report_warning_text(void *user, const npu__rule *rule, const char *got) {
    npu__text *t = (npu__text *)user;
    npu__str   value = npu__str_of(got);
    npu__text_f(t, "            warning %s: %S: %s\n", rule->id, &value, rule->text);
}

/* A number in a column of `width`, right-aligned. */
NPU__FN void npu__report_column(npu__text *t, int32_t v, size_t width) {
    char   digits[16];
    size_t n = npu__format(digits, sizeof digits, "%d", v);
    while (n++ < width) npu__text_put(t, " ", 1);
    npu__text_f(t, "%s", digits);
}

NPU__FN void npu__report_node_text(npu__text *t, const npu__placement *p, npu__scene *scene, const npu__ctx *c, int once) {
    npu__str name = npu__node_name(c->node);
    int      dropped = p->dropped[c->node->subgraph][c->node->index];
    npu__why why;
    why.user = t;
    why.add = npu__report_reason_text;
    npu__report_column(t, c->node->subgraph, 3);
    npu__report_column(t, c->node->index, 7);
    npu__text_f(t, "  %s  %S", dropped ? "-  " : p->placed[c->node->subgraph][c->node->index] ? "yes" : "no ", &name);
    npu__text_pad(t, name.n, 26);
    if (c->n_out > 0) npu__text_f(t, "%S", &c->out[0]->t->name);
    npu__text_f(t, "\n");
    if (dropped) npu__text_f(t, "            dropped: nothing in the compiled network needs it\n");
    npu__backend_verdict(&p->backend, scene, c, dropped ? NULL : &why);
    why.add = npu__report_warning_text;
    if (p->placed[c->node->subgraph][c->node->index]) npu__backend_warnings(&p->backend, scene, c, &why);
    if (!once || dropped) return;
    npu__text_f(t, "            of constants alone: computed once, when the model is loaded; a run does not pay for it\n");
}

NPU__FN void npu__report_summary_text(npu__text *t, const npu__placement *p, int64_t once) {
    const npu_check_summary *s = &p->summary;
    npu__text_f(t, "%s (profile %s) takes %d of %d ops", p->backend.target->name, p->backend.profile->name, s->ops_placed,
                s->ops);
    if (s->ops_dropped > 0) npu__text_f(t, " (%d are dropped)", s->ops_dropped);
    if (s->macs > 0) {
        npu__text_f(t, " and %l of %l MACs (%g %%)", s->macs_placed, s->macs,
                    100.0 * (double)s->macs_placed / (double)s->macs);
    }
    npu__text_f(t, ", in %d %s; execution switches %d %s between it and the CPU\n", s->partitions,
                s->partitions == 1 ? "partition" : "partitions", s->switches, s->switches == 1 ? "time" : "times");
    if (once == 0) return;
    npu__text_f(t, "%l of the refused ops compute from constants alone (weights stored as float16, for example): the CPU does "
                "that once, when the model is loaded, and no run pays for it\n", once);
}

NPU__FN void npu__report_text(npu__text *t, const npu__placement *p, const npu__nodes *nodes, const npu__reasons why[2],
                              int only_refused) {
    npu__scene scene = p->scene;
    int        any = 0;
    npu__report_compiled(t, 0, nodes->model);
    npu__report_summary_text(t, p, npu__report_once(p, nodes));
    npu__reasons_text(t, &why[0]);
    npu__reasons_text(t, &why[1]);
    for (int32_t g = 0; g < nodes->model->n_subgraphs; g++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[g].n_nodes; i++) {
            if (!npu__report_lists(p, g, i, only_refused)) continue;
            if (!any++) npu__text_f(t, "\nsub     op  %s  operator                  output\n", "on?");
            npu__report_node_text(t, p, &scene, nodes->at(nodes->user, g, i), nodes->once(nodes->user, g, i));
        }
    }
    if (only_refused && !any) npu__text_f(t, "no op is refused\n");
}

NPU__FN npu_status npu__report_placement(const npu__placement *p, const npu__nodes *nodes, npu__pool *pool, int only_refused,
                                         npu_format format, const npu_writer *writer, npu_diag *diag) {
    npu__reasons why[2];
    npu__text    t;
    npu_status   s = npu__reasons_make(&why[0], 0, pool, p, nodes, diag);
    if (s == NPU_OK) s = npu__reasons_make(&why[1], 1, pool, p, nodes, diag);
    if (s != NPU_OK) return s;
    npu__text_init(&t, writer);
    if (format == NPU_FORMAT_JSON) npu__report_json(&t, p, nodes, why, only_refused);
    else npu__report_text(&t, p, nodes, why, only_refused);
    return npu__text_end(&t, diag);
}

#endif
