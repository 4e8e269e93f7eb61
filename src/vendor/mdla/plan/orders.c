/* Orders of the fusion rules: what the text proves, and what the user gives for those whose images are lost. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN int32_t npu__mdla_group_named(npu__str word) {
#define NPU__X(name, ops) if (npu__str_is(word, #name)) return NPU__MDLA_G_##name;
    NPU__MDLA_GROUPS(NPU__X)
#undef NPU__X
    return NPU__MDLA_G_NONE;
}

/* One stage: groups with bars between them. 0: a word that is none. */
NPU__FN uint16_t npu__mdla_stage(npu__str word) {
    uint32_t mask = 0;
    size_t   from = 0;
    for (size_t i = 0; i <= word.n; i++) {
        npu__str part;
        int32_t  group;
        if (i < word.n && word.p[i] != '|') continue;
        part.p = word.p + from;
        part.n = i - from;
        group = npu__mdla_group_named(part);
        if (group == NPU__MDLA_G_NONE) return 0;
        mask |= (uint32_t)1 << group; /* bounded: ten groups */
        from = i + 1;
    }
    return (uint16_t)mask;
}

NPU__FN int npu__mdla_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

/* The next word of a line; n is 0 at its end. */
NPU__FN npu__str npu__mdla_word(const char **at, const char *end) {
    npu__str word;
    while (*at < end && npu__mdla_space(**at)) (*at)++;
    word.p = *at;
    while (*at < end && !npu__mdla_space(**at)) (*at)++;
    word.n = (size_t)(*at - word.p);
    return word;
}

/* Stages of a line behind its name. NULL: they are an order; otherwise what is wrong. */
NPU__FN const char *npu__mdla_order_read(npu__mdla_order *o, const char *at, const char *end, int starts_with_conv) {
    const uint16_t conv = 1 << NPU__MDLA_G_CONV;
    memset(o, 0, sizeof *o);
    for (;;) {
        const npu__str word = npu__mdla_word(&at, end);
        const uint16_t mask = word.n ? npu__mdla_stage(word) : 0;
        if (!word.n) break;
        if (!mask) return "a stage is one or more groups of the guide with | between them";
        if (o->n == NPU__MDLA_MAX_STAGES) return "an order has 12 stages at most";
        if (starts_with_conv && o->n == 0 ? mask != conv : (mask & conv) != 0) {
            return starts_with_conv ? "its first stage, and no other, must be CONV" : "it must not have CONV";
        }
        o->stage[o->n++] = mask;
    }
    return o->n ? NULL : "an order has one stage at least";
}

NPU__FN int32_t npu__mdla_rule_named(npu__str word) {
    if (word.n != 2 || word.p[1] != ':') return NPU__MDLA_F_NONE;
    switch (word.p[0]) {
    case 'A': return NPU__MDLA_F_A;
    case 'B': return NPU__MDLA_F_B;
    case 'D': return NPU__MDLA_F_D;
    case 'E': return NPU__MDLA_F_E;
    default: return NPU__MDLA_F_NONE;
    }
}

/* Orders that the text proves. C has none of its own. */
NPU__FN void npu__mdla_orders_proven(npu__mdla_plan *plan) {
#define NPU__X(rule, from, text, order) \
    if (from <= plan->version) { \
        (void)npu__mdla_order_read(&plan->orders[NPU__MDLA_F_##rule], order, (order) + strlen(order), 1); \
        plan->orders[NPU__MDLA_F_##rule].exact = NPU__MDLA_F_##rule == NPU__MDLA_F_F; \
    }
    NPU__MDLA_FUSION(NPU__X)
#undef NPU__X
}

NPU__FN int npu__mdla_orders(npu__mdla_plan *plan, npu_diag *diag) {
    const char *at = plan->desc->fusion_rules;
    npu__mdla_orders_proven(plan);
    for (int32_t line = 1; at && *at; line++) {
        const char *end = at, *hash;
        const char *wrong = "a line begins with A:, B:, D: or E:, the rules whose order is not known";
        npu__str    name;
        int32_t     rule;
        while (*end && *end != '\n') end++;
        hash = (const char *)memchr(at, '#', (size_t)(end - at));
        name = npu__mdla_word(&at, hash ? hash : end);
        rule = npu__mdla_rule_named(name);
        if (rule != NPU__MDLA_F_NONE) wrong = npu__mdla_order_read(&plan->orders[rule], at, hash ? hash : end,
                                                                   rule != NPU__MDLA_F_B);
        if (name.n && wrong) {
            (void)npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "plan.fusion_rules", "fusion rules, line %d: %s", line, wrong);
            return 0;
        }
        if (name.n) plan->orders[rule].supplied = 1;
        if (name.n && rule >= NPU__MDLA_F_D && plan->version < 20) plan->orders[rule].n = 0; /* they are MDLA 2.0's */
        at = *end ? end + 1 : end;
    }
    return 1;
}

NPU__FN int npu__mdla_fits(const npu__mdla_order *o, int32_t *at, int32_t next, int32_t then) {
    const int32_t wanted[2] = {next, then};
    int32_t       s = *at;
    for (int32_t k = 0; k < 2 && wanted[k]; k++) {
        const uint32_t bit = (uint32_t)1 << wanted[k]; /* bounded: ten groups */
        while (s < o->n && !(o->stage[s] & bit)) {
            if (o->exact || s == 0) return 0; /* the first stage is where a sequence starts */
            s++;
        }
        if (s == o->n) return 0;
        s++;
    }
    *at = s;
    return 1;
}

#endif
