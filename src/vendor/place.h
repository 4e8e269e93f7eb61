/* Which operators go where: verdicts for every node, and the runs of nodes that make a segment. */
#ifndef NPU__VENDOR_PLACE_H
#define NPU__VENDOR_PLACE_H

#include "rules.h"

#if NPU__HAS_PLACEMENT

/* How this layer looks at nodes whose shapes are inferred, wherever they are kept. */
typedef struct npu__nodes {
    const npu_model *model;
    const void      *user;
    const npu__ctx *(*at)(const void *user, int32_t subgraph, int32_t node);
    int64_t (*macs)(const void *user, int32_t subgraph, int32_t node); /* of one run */
    int (*once)(const void *user, int32_t subgraph, int32_t node); /* of constants alone: computed when a model is planned */
} npu__nodes;

/* As reports tell it; a plan that runs them makes its own of the verdicts (plan/segments.c), as it knows what it computed already.
 * Nodes [first, first + count) of a subgraph: neighbours in execution order that all go to the NPU, or are dropped, and
 * no more could be added on either side. A value that enters or leaves a segment crosses between NPU and CPU. */
typedef struct npu__segment {
    int32_t subgraph, first, count;
} npu__segment;

typedef struct npu__placement {
    npu__backend        backend;
    npu__scene          scene;    /* to copy: see npu__scene_make */
#if NPU__HAS_REPORTS
    npu_check_summary   summary;  /* partitions = n_segments */
#endif
    uint8_t           **placed;   /* [subgraph][node]; 0 for those that are dropped */
    uint8_t           **dropped;  /* likewise: refused or not, it is gone once the network is compiled (npu__unneeded) */
    npu__segment       *segments; /* in execution order, subgraph by subgraph */
    int32_t             n_segments;
} npu__placement;

/* Does node `i` of subgraph `s` stay with the CPU, in the compiled network too? */
NPU__FN int npu__refused(const npu__placement *p, int32_t s, int32_t i);

/* Memory comes from `pool`. Errors: OUT_OF_MEMORY. */
NPU__FN npu_status npu__placement_make(npu__placement *out, npu__pool *pool, const npu__backend *backend,
                                       const npu__nodes *nodes, npu_diag *diag);

#endif
#endif
