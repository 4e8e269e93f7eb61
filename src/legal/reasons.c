/* Counting reasons: what is wrong with most ops of a network is often one thing. */
#include "../graph/kinds.h"
#include "reasons.h"

#if NPU__HAS_REPORTS

NPU__FN void npu__reasons_add(void *user, const npu__rule *rule, const char *got) {
    npu__reasons        *r = (npu__reasons *)user;
    const npu__ruleset  *set = r->backend->set;
    /* Rules of the table have its order; the two that stand outside of it follow. */
    int32_t      k = 0, at = rule == set->not_listed ? set->n_rules : set->n_rules + 1;
    npu__reason *row;
    (void)got;
    if (r->warn) at = (int32_t)(rule - set->warnings);
    else if (rule != set->not_listed && rule != set->compiled) at = (int32_t)(rule - set->rules);
    row = &r->rows[at];
    row->rule = rule;
    row->count++;
    while (k < row->n_ops && !npu__kind_is(row->op[k]->code, npu__node_name(row->op[k]), r->node)) k++;
    /* More kinds of operators than a row names: counted in the row, as "others". */
    if (k == NPU__REASON_OPS) return;
    if (k == row->n_ops) row->op[row->n_ops++] = r->node;
    row->op_count[k]++;
}

/* Rows with the most ops first, in the table's order where they are equal; rules that refuse nothing are dropped. */
NPU__FN void npu__reasons_sort(npu__reasons *r, int32_t n) {
    r->n = 0;
    for (int32_t i = 0; i < n; i++) {
        npu__reason row = r->rows[i];
        int32_t     at = r->n;
        if (row.count == 0) continue;
        for (; at > 0 && r->rows[at - 1].count < row.count; at--) r->rows[at] = r->rows[at - 1];
        r->rows[at] = row;
        r->n++;
    }
}

NPU__FN npu_status npu__reasons_make(npu__reasons *out, int warn, npu__pool *pool, const npu__placement *p, const npu__nodes *nodes,
                                     npu_diag *diag) {
    npu__scene scene = p->scene;
    npu__why   why;
    int32_t    n = warn ? p->backend.set->n_warnings : p->backend.set->n_rules + 2; /* bounded: a table of ours */
    out->warn = warn;
    out->n = 0;
    out->rows = NULL;
    if (n == 0) return NPU_OK;
    out->backend = &p->backend;
    out->rows = (npu__reason *)npu__pool_alloc(pool, (size_t)n, sizeof *out->rows);
    if (!out->rows) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for the report");
    why.user = out;
    why.add = npu__reasons_add;
    for (int32_t s = 0; s < nodes->model->n_subgraphs; s++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[s].n_nodes; i++) {
            const npu__ctx *c = nodes->at(nodes->user, s, i);
            out->node = c->node;
            if (warn) {
                if (p->placed[s][i]) npu__backend_warnings(&p->backend, &scene, c, &why);
                continue;
            }
            /* Dropped operators are looked at, since later verdicts follow from earlier ones, but nobody needs to change
             * them. */
            npu__backend_verdict(&p->backend, &scene, c, p->dropped[s][i] ? NULL : &why);
        }
    }
    npu__reasons_sort(out, n);
    return NPU_OK;
}

NPU__FN void npu__reasons_text(npu__text *t, const npu__reasons *r) {
    if (r->n && !r->warn) npu__text_f(t, "\nwhy ops are refused: how many, by rule\n");
    if (r->n && r->warn) npu__text_f(t, "\nwarnings: what becomes of ops that are taken, and what follows\n");
    for (int32_t i = 0; i < r->n; i++) {
        const npu__reason *row = &r->rows[i];
        int64_t            named = 0;
        npu__text_f(t, "  %l  %s: %s%s%s\n      ", row->count, row->rule->id, row->rule->text, r->warn ? "" : "; allowed: ",
                    r->warn ? "" : row->rule->limit);
        for (int32_t k = 0; k < row->n_ops; k++) {
            npu__str name = npu__node_name(row->op[k]);
            npu__text_f(t, "%s%S x%l", k ? ", " : "", &name, row->op_count[k]);
            named += row->op_count[k];
        }
        if (named < row->count) npu__text_f(t, " and %l others", row->count - named);
        npu__text_f(t, "\n      %s\n", row->rule->hint);
    }
}

NPU__FN void npu__reasons_json(npu__text *t, const npu__reasons *r) {
    char source[96];
    npu__json_open(t, r->warn ? "warnings" : "rules", '[');
    for (int32_t i = 0; i < r->n; i++) {
        const npu__reason *row = &r->rows[i];
        npu__backend_source(r->backend, row->rule, source, sizeof source);
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "rule", row->rule->id);
        npu__json_z(t, "text", row->rule->text);
        npu__json_z(t, "limit", row->rule->limit);
        npu__json_z(t, "hint", row->rule->hint);
        npu__json_z(t, "source", source);
        npu__json_int(t, "count", row->count);
        npu__json_open(t, "ops", '[');
        for (int32_t k = 0; k < row->n_ops; k++) {
            npu__json_open(t, NULL, '{');
            npu__json_str(t, "op", npu__node_name(row->op[k]));
            npu__json_int(t, "count", row->op_count[k]);
            npu__json_close(t, '}');
        }
        npu__json_close(t, ']');
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
}

#endif
