/* What an NPU accepts: rule rows that mirror its vendor's document, and the verdict they give on an operator.
 *
 * One row decides, explains and documents: verdicts, the supported-ops report and the tests read the same table. */
#ifndef NPU__BACKEND_BACKEND_H
#define NPU__BACKEND_BACKEND_H

#include "../graph/op.h"

#if NPU__HAS_REPORTS

typedef struct npu__rule npu__rule;

/* The measured value that goes with a broken rule. */
typedef struct npu__got {
    char text[160];
} npu__got;

enum { NPU__EVERY_OP = -1 };

struct npu__rule {
    const char *id;       /* stable: "ethosu.conv_2d.stride_1_3" */
    const char *text;     /* the rule as a sentence, in our words */
    const char *limit;    /* the values allowed: "[1, 3]", "int8" */
    const char *source;   /* section of the vendor's document */
    int32_t     bullet;   /* line of that section, from 1 */
    int32_t     code;     /* builtin operator it is about, or NPU__EVERY_OP */
    uint32_t    profiles; /* versions of the document that have it */
    int64_t     lo, hi;   /* numeric limits, where it has any */
    /* Nonzero when the node breaks the rule; then *got says what was measured. Reads types, inferred shapes, options
     * and constants of any node of this code, however malformed: nothing has been prepared. */
    int (*broken)(const npu__rule *rule, const npu__ctx *ctx, npu__got *got);
};

typedef struct npu__backend_op {
    const char *name;
    int32_t     code;     /* 32: a custom op of that name */
    uint32_t    profiles;
} npu__backend_op;

typedef struct npu__backend {
    const char            *name;
    const char            *title;   /* for reports */
    uint32_t               profile; /* the version in force: rows without this bit do not count */
    int32_t                n_ops, n_rules;
    const npu__backend_op *ops;
    const npu__rule       *rules;
    const npu__rule       *not_listed; /* what an operator outside of `ops` breaks: this one rule alone */
} npu__backend;

/* Takes the broken rules of one node, in table order. */
typedef struct npu__why {
    void *user;
    void (*add)(void *user, const npu__rule *rule, const char *got); /* NULL: only the count matters */
} npu__why;

/* How many rules refuse the node: 0 = the backend takes it. All are reported, not the first. `why` may be NULL. */
NPU__FN int32_t npu__backend_verdict(const npu__backend *b, const npu__ctx *ctx, const npu__why *why);
NPU__FN int npu__backend_has_rule(const npu__backend *b, const npu__rule *rule, int32_t code);

/* For predicates: states the measured value, and returns 1. Format as in npu__format. */
NPU__FN int npu__got_f(npu__got *got, const char *fmt, ...);
/* Appends to a list that starts empty; what does not fit is left out. */
NPU__FN void npu__got_add(npu__got *got, const char *fmt, ...);

#endif
#endif
