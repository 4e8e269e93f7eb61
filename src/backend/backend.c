/* Verdicts from rule tables. */
#include "backend.h"

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

NPU__FN const npu__backend_op *npu__backend_find_op(const npu__backend *b, const npu__node *node) {
    for (int32_t i = 0; i < b->n_ops; i++) {
        const npu__backend_op *op = &b->ops[i];
        if (op->code != node->code || !(op->profiles & b->profile)) continue;
        if (op->code != NPU__BUILTIN_CUSTOM || npu__str_is(node->custom_name, op->name)) return op;
    }
    return NULL;
}

NPU__FN int npu__backend_has_rule(const npu__backend *b, const npu__rule *rule, int32_t code) {
    return (rule->profiles & b->profile) && (rule->code == NPU__EVERY_OP || rule->code == code);
}

NPU__FN int32_t npu__backend_verdict(const npu__backend *b, const npu__ctx *ctx, const npu__why *why) {
    npu__got got;
    int32_t  broken = 0;
    if (!npu__backend_find_op(b, ctx->node)) {
        npu__str name = npu__node_name(ctx->node);
        npu__got_f(&got, "%S", &name);
        if (why && why->add) why->add(why->user, b->not_listed, got.text);
        return 1;
    }
    for (int32_t i = 0; i < b->n_rules; i++) {
        const npu__rule *rule = &b->rules[i];
        if (!npu__backend_has_rule(b, rule, ctx->node->code)) continue;
        got.text[0] = 0;
        if (!rule->broken(rule, ctx, &got)) continue;
        if (why && why->add) why->add(why->user, rule, got.text);
        broken++;
    }
    return broken;
}

#endif
