/* One model on several NPUs, as a page of its own: no script, no other file, so that it can be sent to somebody. */
#include "compare.h"

#if NPU__HAS_REPORTS

/* Text between tags. Names come from files: what a browser could read as more than text is written as references. */
NPU__FN void npu__html_name(npu__text *t, npu__str name) {
    int            cut;
    const npu__str s = npu__text_short(name, &cut);
    size_t         from = 0;
    for (size_t i = 0; i <= s.n; i++) {
        const char  c = i < s.n ? s.p[i] : '&';
        npu__str    part;
        if (c != '&' && c != '<' && c != '>' && c != '"' && c != '\'') continue;
        part.p = s.p + from;
        part.n = i - from;
        npu__text_name(t, part);
        from = i + 1;
        if (i == s.n) break;
        npu__text_f(t, "&#%d;", (int)c);
    }
    if (cut) npu__text_f(t, "...");
}
NPU__FN void npu__html_z(npu__text *t, const char *z) { npu__html_name(t, npu__str_of(z)); }

static const char npu__html_head[] =
    "<style>\n"
    ":root{color-scheme:light dark;--yes:#0a7d33;--no:#b3261e;--line:#8884}\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}\n"
    "table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);"
    "text-align:left;vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".yes{color:var(--yes)}.no{color:var(--no)}summary{cursor:pointer}code{overflow-wrap:anywhere}small{opacity:.8}\n"
    "@media (prefers-color-scheme:dark){:root{--yes:#6dd58c;--no:#f2b8b5}}\n"
    "</style>\n";

NPU__FN void npu__html_cell(npu__text *t, const char *kind, const char *text) {
    npu__text_f(t, "<td%s>", kind);
    npu__html_z(t, text);
    npu__text_f(t, "</td>");
}

/* ---- a row for each NPU ---- */

NPU__FN void npu__html_memory(npu__text *t, const npu_fit *f) {
    char text[48];
    if (f->estimated) npu__text_f(t, "<td class=\"n\">%b", f->cost.sram_bytes);
    else npu__text_f(t, "<td>%s", npu__compared_unknown(f));
    if (f->estimated && f->sram_limit > 0) {
        npu__text_f(t, "<br><span class=\"%s\">%s %b</span>", f->fits ? "yes" : "no", f->fits ? "fits into" : "more than", f->sram_limit);
    }
    npu__compared_slow(text, sizeof text, f);
    npu__text_f(t, "</td>");
    npu__html_cell(t, f->estimated || f->bounded ? " class=\"n\"" : "", text);
}

NPU__FN void npu__html_fit(npu__text *t, const npu_fit *f) {
    char text[48];
    npu__text_f(t, "<tr><th scope=\"row\">%s<br><small>rules %s</small></th>", f->backend, f->profile);
    npu__text_f(t, "<td class=\"n\">%d of %d", f->check.ops_placed, f->check.ops);
    if (f->relaxed_profile) npu__text_f(t, "<br><small>with --relax-fp32: %d</small>", f->relaxed.ops_placed);
    npu__text_f(t, "</td>");
    npu__compared_macs(text, sizeof text, f);
    npu__html_cell(t, " class=\"n\"", text);
    npu__text_f(t, "<td class=\"n\">%d</td><td class=\"n\">%d</td>", f->check.partitions, f->check.switches);
    npu__compared_time(text, sizeof text, f);
    npu__html_cell(t, f->estimated || f->bounded ? " class=\"n\"" : "", text);
    npu__html_memory(t, f);
    npu__text_f(t, "<td>");
    for (int32_t i = 0; i < NPU__MIN(f->n_reasons, NPU_FIT_REASONS); i++) {
        npu__text_f(t, "%s%l &times; <code>%s</code>: ", i ? "<br>" : "", f->reasons[i].ops, f->reasons[i].rule);
        npu__html_z(t, f->reasons[i].text);
    }
    npu__text_f(t, "</td></tr>\n");
}

NPU__FN void npu__html_note(npu__text *t, const char *text) {
    npu__text_f(t, "<li>");
    npu__html_z(t, text);
    npu__text_f(t, "</li>\n");
}

NPU__FN void npu__html_notes(npu__text *t, const npu__compared *list, int32_t n) {
    int any = 0;
    for (int32_t i = 0; i < n; i++) any |= list[i].fit.estimated | list[i].fit.bounded;
    if (!any) return;
    npu__text_f(t, "<ul>\n");
    npu__compared_notes(t, list, n, npu__html_note);
    npu__text_f(t, "</ul>\n");
}

/* ---- a row for each op ---- */

NPU__FN void npu__html_reason(void *user, const npu__rule *rule, const char *got) {
    npu__text *t = (npu__text *)user;
    npu__text_f(t, "<li><code>%s</code>: ", rule->id);
    npu__html_z(t, rule->text);
    npu__text_f(t, "; got ");
    npu__html_z(t, got);
    npu__text_f(t, ", allowed ");
    npu__html_z(t, rule->limit);
    npu__text_f(t, ". ");
    npu__html_z(t, rule->hint);
    npu__text_f(t, "</li>");
}

NPU__FN void npu__html_warning(void *user, const npu__rule *rule, const char *got) {
    npu__text *t = (npu__text *)user;
    npu__text_f(t, "<li><code>%s</code>: ", rule->id);
    npu__html_z(t, got);
    npu__text_f(t, ": ");
    npu__html_z(t, rule->text);
    npu__text_f(t, ". ");
    npu__html_z(t, rule->hint);
    npu__text_f(t, "</li>");
}

NPU__FN void npu__html_op_on(npu__text *t, npu__compared *c, int32_t s, int32_t i) {
    npu__scene     *scene = &c->scene;
    const npu__ctx *node = c->nodes.at(c->nodes.user, s, i);
    npu__why        why;
    why.user = t;
    why.add = npu__html_reason;
    if (c->placement.dropped[s][i]) {
        npu__backend_verdict(&c->placement.backend, scene, node, NULL); /* later verdicts follow from earlier ones */
        npu__text_f(t, "<td><small>dropped</small></td>");
        return;
    }
    if (!c->placement.placed[s][i]) {
        npu__text_f(t, "<td><details><summary class=\"no\">CPU</summary><ul>");
        npu__backend_verdict(&c->placement.backend, scene, node, &why);
        npu__text_f(t, "</ul></details></td>");
        return;
    }
    npu__backend_verdict(&c->placement.backend, scene, node, NULL);
    why.add = NULL;
    {
        npu__scene again = *scene;
        if (npu__backend_warnings(&c->placement.backend, &again, node, &why) == 0) {
            npu__text_f(t, "<td><span class=\"yes\">NPU</span></td>");
            return;
        }
    }
    why.add = npu__html_warning;
    npu__text_f(t, "<td><details><summary class=\"yes\">NPU, with a warning</summary><ul>");
    npu__backend_warnings(&c->placement.backend, scene, node, &why);
    npu__text_f(t, "</ul></details></td>");
}

/* One NPU after the other would be simpler, but people look at one op on all of them. */
NPU__FN void npu__html_ops(npu__text *t, npu__compared *list, int32_t n) {
    const npu_model *m = list[0].nodes.model;
    npu__text_f(t, "<h2>Operators</h2>\n<table><thead><tr><th scope=\"col\">subgraph</th><th scope=\"col\">op</th>"
                "<th scope=\"col\">operator</th><th scope=\"col\">output</th>");
    for (int32_t k = 0; k < n; k++) npu__text_f(t, "<th scope=\"col\">%s</th>", list[k].fit.backend);
    npu__text_f(t, "</tr></thead><tbody>\n");
    for (int32_t s = 0; s < m->n_subgraphs; s++) {
        for (int32_t i = 0; i < m->subgraphs[s].n_nodes; i++) {
            const npu__node *node = &m->subgraphs[s].nodes[i];
            npu__text_f(t, "<tr><td class=\"n\">%d</td><td class=\"n\">%d</td><td>", s, i);
            npu__html_name(t, npu__node_name(node));
            npu__text_f(t, "</td><td>");
            if (node->n_out > 0 && node->out[0] >= 0) npu__html_name(t, m->subgraphs[s].tensors[node->out[0]].name);
            npu__text_f(t, "</td>");
            for (int32_t k = 0; k < n; k++) npu__html_op_on(t, &list[k], s, i);
            npu__text_f(t, "</tr>\n");
        }
    }
    npu__text_f(t, "</tbody></table>\n");
}

NPU__FN void npu__compared_html(npu__text *t, npu__compared *list, int32_t n, const char *title) {
    const char *const name = title ? title : "model";
    npu__text_f(t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    npu__html_z(t, name);
    npu__text_f(t, " on every NPU</title>\n%s</head><body>\n<h1>", npu__html_head);
    npu__html_z(t, name);
    npu__text_f(t, "</h1>\n<p>What each NPU would take of this model, by npu_rt.</p>\n"
                "<table><thead><tr><th scope=\"col\">NPU</th><th scope=\"col\">ops</th><th scope=\"col\">MACs</th>"
                "<th scope=\"col\">partitions</th><th scope=\"col\">switches to or from the CPU</th>"
                "<th scope=\"col\">time, estimated</th><th scope=\"col\">fast memory</th><th scope=\"col\">slow memory</th>"
                "<th scope=\"col\">refused most by</th></tr></thead><tbody>\n");
    for (int32_t i = 0; i < n; i++) npu__html_fit(t, &list[i].fit);
    npu__text_f(t, "</tbody></table>\n");
    npu__html_notes(t, list, n);
    npu__html_ops(t, list, n);
    npu__text_f(t, "</body></html>\n");
}

#endif
