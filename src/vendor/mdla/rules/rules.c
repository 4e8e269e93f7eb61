/* The tables of the accelerator: targets, profiles, operators, rules and warnings, pasted together from their lists. */
#include "../mdla.h"
#include "rules.h"
#include "warnings.h"

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

static const npu__target npu__mdla_targets[] = {
#define NPU__X(row, target, title) {target, NULL, NPU__MDLA_V##row, 1}, /* no certain one: cores and clocks are not stated */
    NPU__MDLA_VERSIONS(NPU__X)
#undef NPU__X
};

static const npu__profile npu__mdla_profiles[] = {
#define NPU__X(row, version, name, document, title) {name, NPU__PROSE(document), NPU__PROSE(title), NPU__MDLA_P_##row, NPU__MDLA_V##version, 1, 0, \
      NULL, NULL, NULL},
    NPU__MDLA_PROFILES(NPU__X)
#undef NPU__X
};

/* What an operator's row says in reports. */
#define NPU__MDLA_SINCE_FROM15 "MDLA 1.5 and later"
#define NPU__MDLA_SINCE_FROM20 "MDLA 2.0 and later"
#define NPU__MDLA_SINCE_FROM30 "MDLA 3.0"
#define NPU__MDLA_SINCE_NOTES30 "MDLA 3.0"
#define NPU__MDLA_LISTED_0 "no version is listed"
#define NPU__MDLA_LISTED_2 "version 1"
#define NPU__MDLA_LISTED_4 "version 2"
#define NPU__MDLA_LISTED_6 "versions 1, 2"
#define NPU__MDLA_LISTED_14 "versions 1, 2, 3"
#define NPU__MDLA_LAYOUT_16C "16C alone"
#define NPU__MDLA_LAYOUT_BOTH "4C and 16C"
#define NPU__MDLA_LAYOUT_UNSAID "layouts not stated"
#define NPU__MDLA_GROUP_NONE "in no fusion group"
#define NPU__MDLA_GROUP_CONV "fusion group CONV"
#define NPU__MDLA_GROUP_MATH1 "fusion group MATH1"
#define NPU__MDLA_GROUP_MATH2 "fusion group MATH2"
#define NPU__MDLA_GROUP_ACT1 "fusion group ACT1"
#define NPU__MDLA_GROUP_ACT2 "fusion group ACT2"
#define NPU__MDLA_GROUP_POOL "fusion group POOL"
#define NPU__MDLA_GROUP_RESIZE "fusion group RESIZE"
#define NPU__MDLA_GROUP_DEQUANTIZE "fusion group DEQUANTIZE"
#define NPU__MDLA_GROUP_REQUANT "fusion group REQUANT"
static const npu__backend_op npu__mdla_ops[] = {
#define NPU__X(code, name, guide, versions, from, layouts, group, work, rate, kinds, remark) \
    {name, NPU__BUILTIN_##code, (uint32_t)(kinds), NPU__MDLA_P_##from, \
     NPU__PROSE("Row " guide ": " NPU__MDLA_LISTED_##versions "; " NPU__MDLA_SINCE_##from "; " layouts "; " group remark)},
    NPU__MDLA_OPS_TFLITE(NPU__X, NPU__MDLA_LAYOUT_, NPU__MDLA_GROUP_, , , NPU__MDLA_K_)
    NPU__MDLA_OPS_CUSTOM(NPU__X, NPU__MDLA_LAYOUT_, NPU__MDLA_GROUP_, , , NPU__MDLA_K_)
#undef NPU__X
};

/* The rows' predicates: they stand in the other sources of this folder. */
#define NPU__X(id, code, any, none, section, predicate, lo, hi, limit, text, hint, profiles) \
    NPU__FN int npu__mdla_##predicate(const npu__rule *r, const npu__ctx *c, npu__got *got);
NPU__MDLA_RULES(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
#undef NPU__X
#if NPU__HAS_REPORTS
#define NPU__X(id, code, any, section, predicate, gain, limit, text, hint, profiles) \
    NPU__FN int npu__mdla_##predicate(const npu__rule *r, const npu__ctx *c, npu__got *got);
NPU__MDLA_WARNINGS_TENSORS(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
NPU__MDLA_WARNINGS_OPS(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
#undef NPU__X
#endif

static const npu__rule npu__mdla_rows[] = {
#define NPU__X(id, code, any, none, section, predicate, lo, hi, limit, text, hint, profiles) \
    {NPU__PROSE(id), NPU__PROSE(text), NPU__PROSE(limit), NPU__PROSE(hint), NPU__PROSE(section), NPU__PROSE(section), 0, code, \
     any, none, profiles, lo, hi, npu__mdla_##predicate},
    NPU__MDLA_RULES(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
#undef NPU__X
};

#if NPU__HAS_REPORTS
static const npu__rule npu__mdla_warnings[] = {
#define NPU__X(id, code, any, section, predicate, gain, limit, text, hint, profiles) \
    {id, text, limit, hint, section, section, 0, code, any, 0u, profiles, 1, 0, npu__mdla_##predicate},
    NPU__MDLA_WARNINGS_TENSORS(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
    NPU__MDLA_WARNINGS_OPS(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
#undef NPU__X
};

NPU__FN int32_t npu__mdla_gain_of(const npu__rule *warning) {
    static const uint8_t gains[] = {
#define NPU__X(id, code, any, section, predicate, gain, limit, text, hint, profiles) NPU__MDLA_GAIN_##gain,
        NPU__MDLA_WARNINGS_TENSORS(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
        NPU__MDLA_WARNINGS_OPS(NPU__X, NPU__MDLA_K_, NPU__MDLA_P_)
#undef NPU__X
    };
    return gains[warning - npu__mdla_warnings];
}
#endif

static const npu__rule npu__mdla_not_listed = {
    NPU__PROSE("mdla.operator_not_listed"), NPU__PROSE("the operator must stand in the tables, for this version"),
    NPU__PROSE("an operator of this report"), NPU__PROSE("Rewrite it with listed operators, or leave it to the CPU."),
    NPU__PROSE(NPU__MDLA_S_OPS), NPU__PROSE(NPU__MDLA_S_OPS), 0, NPU__ANY_OP, 0u, 0u, NPU__MDLA_P_ALL, 1, 0, NULL};

NPU__FN const npu__ruleset *npu__mdla_rules(void) {
    static const npu__ruleset set = {
        NPU__COUNT(npu__mdla_targets), NPU__COUNT(npu__mdla_profiles), NPU__COUNT(npu__mdla_ops), NPU__COUNT(npu__mdla_rows),
        npu__mdla_targets, npu__mdla_profiles, npu__mdla_ops, npu__mdla_rows, &npu__mdla_not_listed, NULL,
#if NPU__HAS_REPORTS
        NPU__COUNT(npu__mdla_warnings), npu__mdla_warnings};
#else
        0, NULL};
#endif
    return &set;
}

#endif
