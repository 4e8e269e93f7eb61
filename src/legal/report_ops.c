/* The supported-ops report of a backend, from the rows that decide. */
#include "report.h"
#include "report_facts.h"

#if NPU__HAS_REPORTS

/* The i-th operator of the profile's list, NULL for rows that are not in it. */
NPU__FN const npu__backend_op *npu__ops_at(const npu__backend *b, int32_t i) {
    const npu__backend_op *op = &b->set->ops[i];
    return (op->profiles & b->profile->bit) ? op : NULL;
}

/* Rules for all operators, or for all but some, have a section of their own; the others stand with each operator. */
NPU__FN int npu__ops_is_general(const npu__rule *r) { return r->code < 0 && r->any_of == 0; }

/* Rows that stand with `op`, or (NULL) the general ones. */
NPU__FN int npu__ops_stands_with(const npu__backend *b, const npu__rule *r, const npu__backend_op *op) {
    if (!(r->profiles & b->profile->bit)) return 0;
    return op ? !npu__ops_is_general(r) && npu__backend_has_rule(b, r, op) : npu__ops_is_general(r);
}

NPU__FN int32_t npu__ops_count_rules(const npu__backend *b, const npu__backend_op *op) {
    int32_t n = 0;
    for (int32_t i = 0; i < b->set->n_rules; i++) n += npu__ops_stands_with(b, &b->set->rules[i], op);
    for (int32_t i = 0; i < b->set->n_warnings; i++) n += npu__ops_stands_with(b, &b->set->warnings[i], op);
    return n;
}

/* ---- JSON ---- */

NPU__FN void npu__ops_limits_json(npu__text *t, const npu__rule *r) {
    if (r->lo > r->hi) return;
    if (r->lo != INT64_MIN) npu__json_int(t, "lo", r->lo);
    npu__json_int(t, "hi", r->hi);
}

NPU__FN void npu__ops_rule_json(npu__text *t, const npu__backend *b, const char *key, const npu__rule *r) {
    char source[96];
    npu__backend_source(b, r, source, sizeof source);
    npu__json_open(t, key, '{');
    npu__json_z(t, "rule", r->id);
    npu__json_z(t, "text", r->text);
    npu__json_z(t, "limit", r->limit);
    npu__ops_limits_json(t, r);
    npu__json_z(t, "hint", r->hint);
    npu__json_z(t, "source", source);
    if (b->profile->by_line) {
        npu__json_z(t, "section", r->section);
        npu__json_int(t, "bullet", r->bullet);
    } else {
        npu__json_z(t, "constraint", r->constraint);
    }
    npu__json_close(t, '}');
}

NPU__FN void npu__ops_ids_json(npu__text *t, const npu__backend *b, const char *key, const npu__rule *rules, int32_t n,
                               const npu__backend_op *op) {
    npu__json_open(t, key, '[');
    for (int32_t k = 0; k < n; k++) {
        if (npu__backend_has_rule(b, &rules[k], op)) npu__json_z(t, NULL, rules[k].id);
    }
    npu__json_close(t, ']');
}

NPU__FN void npu__ops_op_json(npu__text *t, const npu__backend *b, const npu__backend_op *op) {
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "op", op->name);
    npu__json_int(t, "code", op->code);
    if (op->note) npu__json_z(t, "note", op->note);
    npu__ops_ids_json(t, b, "rules", b->set->rules, b->set->n_rules, op);
    npu__ops_ids_json(t, b, "warnings", b->set->warnings, b->set->n_warnings, op);
    npu__json_close(t, '}');
}

NPU__FN void npu__ops_json(npu__text *t, const npu__backend *b) {
    const npu__ruleset *set = b->set;
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "backend", b->target->name);
    npu__report_accelerator(t, b);
    npu__json_z(t, "profile", b->profile->name);
    npu__json_z(t, "document", b->profile->document);
    npu__json_z(t, "title", b->profile->title);
    npu__json_open(t, "operators", '[');
    for (int32_t i = 0; i < set->n_ops; i++) {
        if (npu__ops_at(b, i)) npu__ops_op_json(t, b, npu__ops_at(b, i));
    }
    npu__json_close(t, ']');
    npu__json_open(t, "rules", '[');
    for (int32_t k = 0; k < set->n_rules; k++) {
        if (set->rules[k].profiles & b->profile->bit) npu__ops_rule_json(t, b, NULL, &set->rules[k]);
    }
    npu__ops_rule_json(t, b, NULL, set->not_listed);
    npu__json_close(t, ']');
    npu__json_open(t, "warnings", '[');
    for (int32_t k = 0; k < set->n_warnings; k++) {
        if (set->warnings[k].profiles & b->profile->bit) npu__ops_rule_json(t, b, NULL, &set->warnings[k]);
    }
    npu__json_close(t, ']');
    if (set->compiled) npu__ops_rule_json(t, b, "compiled_networks", set->compiled); /* the only one for what the vendor made */
    npu__report_facts(t, b, NPU_FORMAT_JSON);
    npu__json_close(t, '}');
}

/* ---- text and Markdown ---- */

NPU__FN void npu__ops_rules_text(npu__text *t, const npu__backend *b, const npu__backend_op *op, int markdown) {
    for (int32_t k = 0; k < b->set->n_rules; k++) {
        const npu__rule *r = &b->set->rules[k];
        if (!npu__ops_stands_with(b, r, op)) continue;
        npu__text_f(t, markdown ? "- %s" : "    %s", r->text);
        if (r->lo > r->hi) npu__text_f(t, ": %s", r->limit); /* texts of numeric rules say their limits */
        npu__text_f(t, markdown ? " (`%s`)\n" : "  [%s]\n", r->id);
    }
    for (int32_t k = 0; k < b->set->n_warnings; k++) {
        const npu__rule *r = &b->set->warnings[k];
        if (!npu__ops_stands_with(b, r, op)) continue;
        npu__text_f(t, markdown ? "- Warning: %s (`%s`)\n" : "    warning: %s  [%s]\n", r->text, r->id);
    }
}

NPU__FN void npu__ops_text(npu__text *t, const npu__backend *b) {
    npu__text_f(t, "%s\nProfile: %s\n", b->profile->title, b->profile->name);
    if (b->set->n_rules > 0) {
        npu__text_f(t, "Any other operator is refused  [%s]\n\nevery operator\n", b->set->not_listed->id);
        npu__ops_rules_text(t, b, NULL, 0);
    }
    npu__text_f(t, "\n");
    for (int32_t i = 0; i < b->set->n_ops; i++) {
        const npu__backend_op *op = npu__ops_at(b, i);
        if (!op) continue;
        npu__text_f(t, "%s%s%s%s\n", op->name, op->code == NPU__BUILTIN_CUSTOM ? " (custom)" : "", op->note ? ": " : "",
                    op->note ? op->note : "");
        npu__ops_rules_text(t, b, op, 0);
    }
}

NPU__FN void npu__ops_markdown(npu__text *t, const npu__backend *b) {
    int has_rules = b->set->n_rules > 0;
    npu__text_f(t, "# Operators of backend %s\n\n%s Profile `%s`.\n\n", b->target->name, b->profile->title,
                b->profile->name);
    npu__text_f(t, "| Operator | %s |\n| --- | --- |\n", has_rules ? "Own rules" : "Code");
    for (int32_t i = 0; i < b->set->n_ops; i++) {
        const npu__backend_op *op = npu__ops_at(b, i);
        if (!op) continue;
        if (has_rules) npu__text_f(t, "| %s | %d |\n", op->name, npu__ops_count_rules(b, op));
        else if (op->code == NPU__BUILTIN_CUSTOM) npu__text_f(t, "| %s | custom |\n", op->name);
        else npu__text_f(t, "| %s | %d |\n", op->name, op->code);
    }
    if (!has_rules) return;
    npu__text_f(t, "\nAny other operator is refused (`%s`).\n\n## Every operator\n\n", b->set->not_listed->id);
    npu__ops_rules_text(t, b, NULL, 1);
    for (int32_t i = 0; i < b->set->n_ops; i++) {
        const npu__backend_op *op = npu__ops_at(b, i);
        if (!op || (!op->note && npu__ops_count_rules(b, op) == 0)) continue;
        npu__text_f(t, "\n## %s\n\n", op->name);
        if (op->note) npu__text_f(t, npu__ops_count_rules(b, op) ? "%s.\n\n" : "%s.\n", op->note);
        npu__ops_rules_text(t, b, op, 1);
    }
}

NPU__FN npu_status npu__report_ops(const npu__backend *b, npu_format format, const npu_writer *writer,
                                   npu_diag *diag) {
    npu__text t;
    npu__text_init(&t, writer);
    if (format == NPU_FORMAT_JSON) npu__ops_json(&t, b);
    else if (format == NPU_FORMAT_MARKDOWN) npu__ops_markdown(&t, b);
    else npu__ops_text(&t, b);
    if (format != NPU_FORMAT_JSON) npu__report_facts(&t, b, format);
    return npu__text_end(&t, diag);
}

#endif
