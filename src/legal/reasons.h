/* Why ops are refused, rule by rule. */
#ifndef NPU__LEGAL_REASONS_H
#define NPU__LEGAL_REASONS_H

#include "../base/text.h"
#include "../vendor/place.h"

#if NPU__HAS_REPORTS

enum { NPU__REASON_OPS = 6 }; /* names of operators that are listed with a rule */

typedef struct npu__reason {
    const npu__rule *rule;
    int64_t          count; /* ops that it refuses */
    int32_t          n_ops;
    const npu__node *op[NPU__REASON_OPS]; /* the first one of each name */
    int64_t          op_count[NPU__REASON_OPS];
} npu__reason;

typedef struct npu__reasons {
    const npu__backend *backend;
    npu__reason        *rows; /* those that refuse the most come first */
    int32_t             n;
    int32_t             warn; /* 0: rules that refuse; 1: warnings about ops that are placed */
    const npu__node    *node; /* while counting */
} npu__reasons;

/* Goes through all verdicts. Errors: OUT_OF_MEMORY. */
NPU__FN npu_status npu__reasons_make(npu__reasons *out, int warn, npu__pool *pool, const npu__placement *p, const npu__nodes *nodes,
                                     npu_diag *diag);
NPU__FN void npu__reasons_text(npu__text *t, const npu__reasons *r);
/* The member "rules" of a JSON object, or "warnings". */
NPU__FN void npu__reasons_json(npu__text *t, const npu__reasons *r);

#endif
#endif
