/* Cost of a placed graph: which operators run inside others, where feature maps lie, and the estimate of each. */
#ifndef NPU__LEGAL_COST_WALK_H
#define NPU__LEGAL_COST_WALK_H

#include "cost_lower.h"
#include "../../place.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* How an operator gets done. */
enum {
    NPU__COST_ON_CPU,  /* not estimated */
    NPU__COST_ON_NPU,
    NPU__COST_FUSED,   /* computed by its neighbour on the way */
    NPU__COST_NOTHING  /* known while compiling, dropped, or a view of the same bytes */
};

typedef struct npu__cost_row {
    int32_t how;           /* NPU__COST_ON_CPU, ... */
    int32_t activation;    /* of the operator that it computes as well */
    int32_t operations;    /* of the NPU */
    int64_t macs;
    int64_t cycles, npu, sram, store;
    int64_t stored;        /* bytes of coded weights, scales, tables and constant feature maps */
    int64_t live;          /* fast memory in use while it runs */
    int32_t block[3];      /* of its longest operation */
} npu__cost_row;

typedef struct npu__cost_plan {
    npu__cost_system system;
    double           clock_hz;
    npu__cost_row  **rows;  /* [subgraph][node] */
    npu__cost_row    total; /* live, stored: of fast and slow memory at the peak; how, block: unused */
    int64_t          arena_store; /* slow memory for feature maps */
} npu__cost_plan;

/* `p` was made for these nodes. Memory comes from `pool`. Errors: OUT_OF_MEMORY. */
NPU__FN npu_status npu__cost_walk(npu__cost_plan *out, npu__pool *pool, const npu__placement *p,
                                  const npu__nodes *nodes, npu_diag *diag);

#endif
#endif
