/* Verdicts from rule tables. */
#include "vendor.h"

#if NPU__HAS_PLACEMENT

NPU__FN int npu__got_too_much(npu__got *got, int64_t values) {
    if (values <= got->scene->left) {
        got->scene->left -= values;
        return 0;
    }
    return npu__got_f(got, "too many values to look through: operators share them");
}

#if NPU__HAS_REPORTS
NPU__FN int npu__got_f(npu__got *got, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    npu__vformat(got->text, sizeof got->text, fmt, args);
    va_end(args);
    return 1;
}

NPU__FN void npu__got_add(npu__got *got, const char *fmt, ...) {
    char    item[64];
    size_t  used = strlen(got->text), n;
    va_list args;
    va_start(args, fmt);
    n = npu__vformat(item, sizeof item, fmt, args);
    va_end(args);
    if (n >= sizeof item || used + n + 3 > sizeof got->text) return;
    npu__format(got->text + used, sizeof got->text - used, "%s%s", used ? ", " : "", item);
}
#else
NPU__FN int npu__got_nothing(npu__got *got, const char *fmt, ...) {
    (void)got;
    (void)fmt;
    return 1;
}
#endif

/* The row of a node's operator, in force or not. */
NPU__FN const npu__backend_op *npu__backend_find_op(const npu__backend *b, const npu__node *node) {
    for (int32_t i = 0; i < b->set->n_ops; i++) {
        const npu__backend_op *op = &b->set->ops[i];
        if (op->code != node->code) continue;
        if (op->code != NPU__BUILTIN_CUSTOM || npu__str_is(node->custom_name, op->name)) return op;
    }
    return NULL;
}

NPU__FN int npu__backend_has_rule(const npu__backend *b, const npu__rule *rule, const npu__backend_op *op) {
    uint32_t groups = op ? op->groups : 0;
    int      listed = op && (op->profiles & b->profile->bit);
    if (!(rule->profiles & b->profile->bit) || (rule->none_of & groups)) return 0;
    if (rule->code == NPU__ANY_OP) return 1;
    if (!listed || (rule->any_of && !(rule->any_of & groups))) return 0;
    return rule->code == NPU__EVERY_OP || rule->code == op->code;
}

/* How many of these rows the node breaks. */
NPU__FN int32_t npu__backend_ask(const npu__backend *b, const npu__rule *rules, int32_t n, const npu__backend_op *op,
                                 const npu__ctx *ctx, npu__got *got, const npu__why *why) {
    int32_t broken = 0;
    for (int32_t i = 0; i < n; i++) {
        const npu__rule *rule = &rules[i];
        if (!npu__backend_has_rule(b, rule, op)) continue;
        NPU__GOT_CLEAR(got);
        if (!rule->broken(rule, ctx, got)) continue;
        if (why && why->add) why->add(why->user, rule, NPU__GOT_TEXT(got));
        broken++;
    }
    return broken;
}

NPU__FN int32_t npu__backend_verdict(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx,
                                     const npu__why *why) {
    const npu__backend_op *op = npu__backend_find_op(b, ctx->node);
    const npu__vendor     *made = npu__vendor_of(ctx->node); /* whose compiler made it */
    npu__got               got;
    int32_t                broken = 0;
    got.scene = scene;
    got.target = b->target;
    if (b->set->compiled && made && made == b->vendor) {
        NPU__GOT_CLEAR(&got);
        broken = b->set->compiled->broken(b->set->compiled, ctx, &got) != 0;
        if (broken && why && why->add) why->add(why->user, b->set->compiled, NPU__GOT_TEXT(&got));
        return broken;
    }
    if (b->profile->merged && b->profile->merged(b, scene, ctx)) return 0;
    if (!op || !(op->profiles & b->profile->bit)) {
        npu__str name = npu__node_name(ctx->node);
        (void)npu__got_f(&got, "%S", &name);
        if (why && why->add) why->add(why->user, b->set->not_listed, NPU__GOT_TEXT(&got));
        broken++;
    }
    return broken + npu__backend_ask(b, b->set->rules, b->set->n_rules, op, ctx, &got, why);
}

#if NPU__HAS_REPORTS
NPU__FN int32_t npu__backend_warnings(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx, const npu__why *why) {
    npu__got got;
    if (b->set->n_warnings == 0) return 0;
    got.scene = scene;
    got.target = b->target;
    return npu__backend_ask(b, b->set->warnings, b->set->n_warnings, npu__backend_find_op(b, ctx->node), ctx, &got, why);
}

NPU__FN void npu__backend_source(const npu__backend *b, const npu__rule *rule, char *out, size_t cap) {
    const npu__profile *p = b->profile;
    if (rule == b->set->compiled) npu__format(out, cap, "%s", rule->constraint);
    else if (!p->by_line) npu__format(out, cap, "%s, %s", p->document, rule->constraint);
    else if (rule->bullet) npu__format(out, cap, "%s, %s, line %d", p->document, rule->section, rule->bullet);
    else npu__format(out, cap, "%s, %s", p->document, rule->section);
}
#endif

#endif
