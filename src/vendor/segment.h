/* A segment as the vendor that runs it sees it: neighbours in execution order whose verdicts are all "yes" (place.h), and that run as
 * one step of the plan.
 *
 *   lower    while planning: compiles the operators into the vendor's own program (npu__seg_alloc), which all sessions of the plan
 *            share, asks for memory (npu__want_* on &seg->ctx) and for operators to stay ready for the CPU (npu__seg_keep). Sees
 *            shapes, types, options and constants: `data` of what is no constant is NULL.
 *   prepare  once per session, memory bound: fills packed memory, opens the device (npu__driver on &seg->ctx).
 *   invoke   reads ctx.in, writes all of ctx.out. NPU__POLL(&seg->ctx, steps) in long loops. Allocates nothing.
 *   release  undoes prepare.
 *
 * Between its borders a segment's values have no memory, unless an operator that is kept reads or writes them: the vendor uses its
 * own. No operator of the CPU runs between two of a segment: those that the plan computed, or that compute nothing, may stand
 * there, so no value leaves a segment and comes back. */
#ifndef NPU__VENDOR_SEGMENT_H
#define NPU__VENDOR_SEGMENT_H

#include "../graph/op.h"

struct npu__vendor;

struct npu__seg { /* npu__seg: graph/services.h */
    /* The whole, as services see it: `node` is the first operator (for messages), `in` the values that come from outside and are no
     * constants, `out` those that are read outside; each once. `in` has first the subgraph's own inputs, in its order, then others
     * (variables, results of other operators) in the order of their first use; `out` is in the order they are made. `data` is the
     * program: lower sets it, nobody changes it afterwards. Slots that lower got are the segment's. */
    npu__ctx                  ctx;
    const struct npu__vendor  *vendor;
    const struct npu__profile *profile; /* the rules it was placed by */
    const struct npu__target  *target;
    npu__ctx                **nodes; /* the operators, in the order they run */
    uint8_t                  *kept;  /* npu__seg_keep: by operator of the subgraph, from the segment's first one on */
    int32_t                   n_nodes;  /* 0: it went back to the CPU */
    int32_t                   prepared; /* in this session */
    int32_t                   fallback; /* npu_plan_desc.fallback */
    int32_t                   on_cpu;   /* in this session, as the vendor failed: it sets it, and evals what it kept */
    int64_t                   work;     /* steps of one run: the sum of its operators' */
};

#endif
