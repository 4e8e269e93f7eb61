/* The tables for MediaTek's NPUs: targets, profiles, operators, rules and warnings, pasted together from their lists. */
#include "../neuron.h"
#include "operators.h"
#include "rules.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

static const npu__target npu__neuron_targets[] = {{"neuron", NULL, 1u, 1}};

static const npu__profile npu__neuron_profiles[] = {
#define NPU__X(row, name, by_line, document, title) \
    {name, NPU__PROSE(document), NPU__PROSE(title), NPU__NEURON_P_##row, 1u, by_line, 1, NULL, NULL, NULL},
    NPU__NEURON_PROFILES(NPU__X)
#undef NPU__X
};

static const npu__backend_op npu__neuron_ops[] = {
#define NPU__X(name, inputs, by, operation, groups, profiles, note) \
    {#name, NPU__BUILTIN_##name, groups, profiles, NPU__PROSE(note)},
    NPU__NEURON_ROWS(NPU__X, NPU__NEURON_G_, NPU__NEURON_P_)
#undef NPU__X
};

/* The rows' predicates: they stand in the other sources of this folder. */
#define NPU__X(id, code, any, section, line, constraint, predicate, limit, text, hint, profiles) \
    NPU__FN int npu__neuron_##predicate(const npu__rule *r, const npu__ctx *c, npu__got *got);
NPU__NEURON_RULES_TYPES(NPU__X, NPU__NEURON_P_)
NPU__NEURON_RULES_OPS(NPU__X, NPU__NEURON_P_)
#if NPU__HAS_REPORTS
NPU__NEURON_WARNINGS(NPU__X, NPU__NEURON_P_)
#endif
#undef NPU__X

#define NPU__X(id, code, any, section, line, constraint, predicate, limit, text, hint, profiles) \
    {NPU__PROSE(id), NPU__PROSE(text), NPU__PROSE(limit), NPU__PROSE(hint), NPU__PROSE(section), \
    NPU__PROSE(constraint), line, code, \
     any, 0u, profiles, 1, 0, npu__neuron_##predicate},
static const npu__rule npu__neuron_rows[] = {
    NPU__NEURON_RULES_TYPES(NPU__X, NPU__NEURON_P_)
    NPU__NEURON_RULES_OPS(NPU__X, NPU__NEURON_P_)
};
#if NPU__HAS_REPORTS
static const npu__rule npu__neuron_warnings[] = {NPU__NEURON_WARNINGS(NPU__X, NPU__NEURON_P_)};
#endif
#undef NPU__X

static const npu__rule npu__neuron_not_listed = {
    NPU__PROSE("neuron.operator_not_listed"), NPU__PROSE("the operator must be in the list of supported ones"),
    NPU__PROSE("an operator of this report"), NPU__PROSE("Rewrite it with listed operators, or leave it to the CPU."),
    NPU__PROSE(NPU__NEURON_SECTION_OPS), NPU__PROSE("supported operators"), 0, NPU__ANY_OP, 0u, 0u, NPU__NEURON_P_ALL, 1, 0,
        NULL};

NPU__FN int npu__neuron_holds(const npu__rule *r, const npu__ctx *c, npu__got *got); /* predicates.c */

static const npu__rule npu__neuron_compiled_rule = {
    NPU__PROSE("neuron.compiled"), NPU__PROSE("what LiteRT compiled must have its bytecode for a MediaTek NPU in the file"),
    NPU__PROSE("bytecode of this name"),
    NPU__PROSE("Use the file as LiteRT wrote it, or compile the original network again, with its plugin for MediaTek."), "",
    NPU__PROSE("bytecode"), 0, NPU__BUILTIN_CUSTOM, 0u, 0u, NPU__NEURON_P_ALL, 1, 0, npu__neuron_holds};

NPU__FN const npu__ruleset *npu__neuron_rules(void) {
    static const npu__ruleset set = {
        NPU__COUNT(npu__neuron_targets), NPU__COUNT(npu__neuron_profiles), NPU__COUNT(npu__neuron_ops),
            NPU__COUNT(npu__neuron_rows),
        npu__neuron_targets, npu__neuron_profiles, npu__neuron_ops, npu__neuron_rows, &npu__neuron_not_listed,
        &npu__neuron_compiled_rule,
#if NPU__HAS_REPORTS
        NPU__COUNT(npu__neuron_warnings), npu__neuron_warnings};
#else
        0, NULL};
#endif
    return &set;
}

#undef NPU__NEURON_PROFILES
#undef NPU__NEURON_RULES_TYPES
#undef NPU__NEURON_RULES_OPS
#undef NPU__NEURON_WARNINGS

#endif
