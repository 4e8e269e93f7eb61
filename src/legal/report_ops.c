/* The supported-ops report of a backend, from the rows that decide. */
#include "report.h"

#if NPU__HAS_REPORTS

NPU__FN int npu__ops_in_force(const npu__backend *b, const npu__backend_op *op) {
    return (op->profiles & b->profile) != 0;
}

/* Rules of `code` alone, or (NPU__EVERY_OP) of all ops. */
NPU__FN int32_t npu__ops_count_rules(const npu__backend *b, int32_t code) {
    int32_t n = 0;
    for (int32_t i = 0; i < b->n_rules; i++) {
        n += b->rules[i].code == code && npu__backend_has_rule(b, &b->rules[i], code);
    }
    return n;
}

/* ---- JSON ---- */

NPU__FN void npu__ops_rule_json(npu__text *t, const npu__rule *r) {
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "rule", r->id);
    npu__json_z(t, "text", r->text);
    npu__json_z(t, "limit", r->limit);
    npu__json_z(t, "section", r->source);
    npu__json_int(t, "bullet", r->bullet);
    npu__json_close(t, '}');
}

NPU__FN void npu__ops_json(npu__text *t, const npu__backend *b) {
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "backend", b->name);
    npu__json_z(t, "title", b->title);
    npu__json_open(t, "operators", '[');
    for (int32_t i = 0; i < b->n_ops; i++) {
        if (!npu__ops_in_force(b, &b->ops[i])) continue;
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "op", b->ops[i].name);
        npu__json_int(t, "code", b->ops[i].code);
        npu__json_open(t, "rules", '[');
        for (int32_t k = 0; k < b->n_rules; k++) {
            if (npu__backend_has_rule(b, &b->rules[k], b->ops[i].code)) npu__json_z(t, NULL, b->rules[k].id);
        }
        npu__json_close(t, ']');
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
    npu__json_open(t, "rules", '[');
    for (int32_t k = 0; k < b->n_rules; k++) {
        if (b->rules[k].profiles & b->profile) npu__ops_rule_json(t, &b->rules[k]);
    }
    npu__ops_rule_json(t, b->not_listed);
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

/* ---- text and Markdown ---- */

NPU__FN void npu__ops_rules_text(npu__text *t, const npu__backend *b, int32_t code, int markdown) {
    for (int32_t k = 0; k < b->n_rules; k++) {
        const npu__rule *r = &b->rules[k];
        if (r->code != code || !npu__backend_has_rule(b, r, code)) continue;
        if (markdown) npu__text_f(t, "- %s (`%s`)\n", r->text, r->id);
        else npu__text_f(t, "    %s  [%s]\n", r->text, r->id);
    }
}

NPU__FN void npu__ops_text(npu__text *t, const npu__backend *b) {
    npu__text_f(t, "%s\n", b->title);
    if (b->n_rules > 0) {
        npu__text_f(t, "Any other operator is refused  [%s]\n\nevery operator\n", b->not_listed->id);
        npu__ops_rules_text(t, b, NPU__EVERY_OP, 0);
    }
    npu__text_f(t, "\n");
    for (int32_t i = 0; i < b->n_ops; i++) {
        if (!npu__ops_in_force(b, &b->ops[i])) continue;
        npu__text_f(t, "%s%s\n", b->ops[i].name, b->ops[i].code == NPU__BUILTIN_CUSTOM ? " (custom)" : "");
        npu__ops_rules_text(t, b, b->ops[i].code, 0);
    }
}

NPU__FN void npu__ops_markdown(npu__text *t, const npu__backend *b) {
    npu__text_f(t, "# Operators of backend %s\n\n%s\n\n", b->name, b->title);
    npu__text_f(t, "| Operator | %s |\n| --- | --- |\n", b->n_rules > 0 ? "Own rules" : "Code");
    for (int32_t i = 0; i < b->n_ops; i++) {
        if (!npu__ops_in_force(b, &b->ops[i])) continue;
        if (b->n_rules > 0) npu__text_f(t, "| %s | %d |\n", b->ops[i].name, npu__ops_count_rules(b, b->ops[i].code));
        else if (b->ops[i].code == NPU__BUILTIN_CUSTOM) npu__text_f(t, "| %s | custom |\n", b->ops[i].name);
        else npu__text_f(t, "| %s | %d |\n", b->ops[i].name, b->ops[i].code);
    }
    if (b->n_rules == 0) return;
    npu__text_f(t, "\nAny other operator is refused (`%s`).\n\n## Every operator\n\n", b->not_listed->id);
    npu__ops_rules_text(t, b, NPU__EVERY_OP, 1);
    for (int32_t i = 0; i < b->n_ops; i++) {
        if (!npu__ops_in_force(b, &b->ops[i]) || npu__ops_count_rules(b, b->ops[i].code) == 0) continue;
        npu__text_f(t, "\n## %s\n\n", b->ops[i].name);
        npu__ops_rules_text(t, b, b->ops[i].code, 1);
    }
}

NPU__FN npu_status npu__report_ops(const npu__backend *b, npu_format format, const npu_writer *writer,
                                   npu_diag *diag) {
    npu__text t;
    npu__text_init(&t, writer);
    if (format == NPU_FORMAT_JSON) npu__ops_json(&t, b);
    else if (format == NPU_FORMAT_MARKDOWN) npu__ops_markdown(&t, b);
    else npu__ops_text(&t, b);
    return npu__text_end(&t, diag);
}

#endif
