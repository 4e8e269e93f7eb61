/* The Ethos-U tables: targets, profiles, operators and rules, pasted together from their lists. */
#include "../ethosu.h"
#include "look_vela_5_2.h"
#include "rules.h"
#include "rules_vela_3_2.h"
#include "rules_vela_5_2.h"
#include "rules_vela_5_2_model.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

static const npu__target npu__ethosu_targets[] = {
    {"ethos-u", NULL, NPU__ETHOSU_FOR_FAMILY, 0},
#define NPU__X(name, product, macs, cores, ...) {name, name, NPU__ETHOSU_FOR_##product, macs * cores == NPU__ETHOSU_USUAL_##product},
    NPU__ETHOSU_ACCELERATORS(NPU__X)
#undef NPU__X
};

#define NPU__NO_HOOKS NULL, NULL, NULL
#define NPU__V52_HOOKS npu__v52_unread, npu__v52_complete, npu__v52_merged
static const npu__profile npu__ethosu_profiles[] = {
#define NPU__X(row, name, targets, by_line, declared, hooks, document, title) \
    {name, document, title, NPU__ETHOSU_P_##row, targets, by_line, declared, hooks},
    NPU__ETHOSU_PROFILES(NPU__X, NPU__ETHOSU_FOR_FAMILY, NPU__ETHOSU_FOR_U55, NPU__ETHOSU_FOR_U65,
                         NPU__ETHOSU_FOR_U85)
#undef NPU__X
};

static const npu__backend_op npu__ethosu_ops[] = {
#define NPU__X(name, kind, profiles) {#name, NPU__BUILTIN_##name, NPU__ETHOSU_K_##kind, profiles, NULL},
    NPU__ETHOSU_OPS(NPU__X, NPU__ETHOSU_P_)
#undef NPU__X
};

/* NPU__ETHOSU_ON_x, _ANY_x, _NOT_x: what the column `on` means, for operators and sets alike. */
enum {
#define NPU__X(name, kind, profiles) \
    NPU__ETHOSU_ON_##name = NPU__BUILTIN_##name, NPU__ETHOSU_ANY_##name = 0, NPU__ETHOSU_NOT_##name = 0,
    NPU__ETHOSU_OPS(NPU__X, NPU__ETHOSU_P_)
#undef NPU__X
#define NPU__X(name, code, any, none) \
    NPU__ETHOSU_ON_##name = code, NPU__ETHOSU_ANY_##name = any, NPU__ETHOSU_NOT_##name = none,
    NPU__ETHOSU_SETS(NPU__X, NPU__ETHOSU_K_)
#undef NPU__X
    NPU__ETHOSU_ON_END
};

#define NPU__ETHOSU_ALL_RULES(RANGE, AT_MOST, ROW, RULE, P) \
    NPU__ETHOSU_RULES_SEMANTIC(RANGE, AT_MOST, ROW, RULE, P) \
    NPU__ETHOSU_RULES(RANGE, AT_MOST, ROW, RULE, P) \
    NPU__ETHOSU_RULES_VELA_3_2(RANGE, AT_MOST, ROW, RULE, P) \
    NPU__ETHOSU_RULES_VELA_5_2_MODEL(RANGE, AT_MOST, ROW, RULE, P) \
    NPU__ETHOSU_RULES_VELA_5_2(RANGE, AT_MOST, ROW, RULE, P)

/* The rows' predicates: they stand in the other sources of this folder. */
#define NPU__X_ROW(id, on, bullet, constraint, predicate, lo, hi, limit, text, hint, profiles) \
    NPU__FN int npu__ethosu_##predicate(const npu__rule *r, const npu__ctx *c, npu__got *got);
#define NPU__X_RANGE(id, on, bullet, constraint, predicate, lo, hi, what, hint, profiles) \
    NPU__X_ROW(id, on, bullet, constraint, predicate, lo, hi, "", what, hint, profiles)
#define NPU__X_AT_MOST(id, on, bullet, constraint, predicate, hi, what, hint, profiles) \
    NPU__X_ROW(id, on, bullet, constraint, predicate, 0, hi, "", what, hint, profiles)
#define NPU__X_RULE(id, on, bullet, constraint, predicate, limit, text, hint, profiles) \
    NPU__X_ROW(id, on, bullet, constraint, predicate, 0, 0, limit, text, hint, profiles)
NPU__ETHOSU_ALL_RULES(NPU__X_RANGE, NPU__X_AT_MOST, NPU__X_ROW, NPU__X_RULE, NPU__ETHOSU_P_)
#undef NPU__X_ROW
#undef NPU__X_RANGE
#undef NPU__X_AT_MOST
#undef NPU__X_RULE

static const npu__rule npu__ethosu_rules[] = {
#define NPU__X_ROW(id, on, bullet, constraint, predicate, lo, hi, limit, text, hint, profiles) \
    {id, text, limit, hint, #on, constraint, bullet, NPU__ETHOSU_ON_##on, NPU__ETHOSU_ANY_##on, NPU__ETHOSU_NOT_##on, \
     profiles, lo, hi, npu__ethosu_##predicate},
#define NPU__X_RANGE(id, on, bullet, constraint, predicate, lo, hi, what, hint, profiles) \
    NPU__X_ROW(id, on, bullet, constraint, predicate, lo, hi, "[" #lo ", " #hi "]", \
               what " must be in the range [" #lo ", " #hi "]", hint, profiles)
#define NPU__X_AT_MOST(id, on, bullet, constraint, predicate, hi, what, hint, profiles) \
    NPU__X_ROW(id, on, bullet, constraint, predicate, INT64_MIN, hi, "at most " #hi, \
               what " must be at most " #hi, hint, profiles)
#define NPU__X_RULE(id, on, bullet, constraint, predicate, limit, text, hint, profiles) \
    NPU__X_ROW(id, on, bullet, constraint, predicate, 1, 0, limit, text, hint, profiles)
    NPU__ETHOSU_ALL_RULES(NPU__X_RANGE, NPU__X_AT_MOST, NPU__X_ROW, NPU__X_RULE, NPU__ETHOSU_P_)
#undef NPU__X_ROW
#undef NPU__X_RANGE
#undef NPU__X_AT_MOST
#undef NPU__X_RULE
};

/* compiled.c */
NPU__FN int npu__ethosu_compiled_for(const npu__rule *rule, const npu__ctx *c, npu__got *got);

static const npu__rule npu__ethosu_compiled = {
    "ethosu.compiled_for", "a command stream must be for this accelerator", "the accelerator that it was compiled for",
    "Compile the original network again, with vela --accelerator-config for this one.", "", "command stream", 0,
    NPU__BUILTIN_CUSTOM, 0, 0, 0, 1, 0, npu__ethosu_compiled_for};

static const npu__rule npu__ethosu_not_listed = {
    "ethosu.operator_not_listed", "the operator must be in the list of supported ones", "an operator of this report",
    "Rewrite it with listed operators, or leave it to the CPU.", "summary table", "supported operators", 0,
    NPU__ANY_OP, 0, 0, UINT32_MAX, 1, 0, NULL};

NPU__FN const npu__ruleset *npu__backend_ethosu(void) {
    static const npu__ruleset set = {
        NPU__COUNT(npu__ethosu_targets), NPU__COUNT(npu__ethosu_profiles), NPU__COUNT(npu__ethosu_ops),
        NPU__COUNT(npu__ethosu_rules), npu__ethosu_targets, npu__ethosu_profiles, npu__ethosu_ops, npu__ethosu_rules,
        &npu__ethosu_not_listed, &npu__ethosu_compiled, 0, NULL};
    return &set;
}

#undef NPU__NO_HOOKS
#undef NPU__V52_HOOKS
#undef NPU__ETHOSU_KINDS
#undef NPU__ETHOSU_OPS
#undef NPU__ETHOSU_SETS
#undef NPU__ETHOSU_PROFILES
#undef NPU__ETHOSU_PROFILE_SETS
#undef NPU__ETHOSU_ALL_RULES
#undef NPU__ETHOSU_RULES
#undef NPU__ETHOSU_RULES_SEMANTIC
#undef NPU__ETHOSU_RULES_VELA_3_2
#undef NPU__ETHOSU_RULES_VELA_5_2
#undef NPU__ETHOSU_RULES_VELA_5_2_STEPS
#undef NPU__ETHOSU_RULES_VELA_5_2_OPS
#undef NPU__ETHOSU_RULES_VELA_5_2_DATA
#undef NPU__ETHOSU_RULES_VELA_5_2_MODEL

#endif
