/* What an NPU would need for a placed graph, as every vendor states it. The estimate itself is the vendor's. */
#ifndef NPU__VENDOR_COST_H
#define NPU__VENDOR_COST_H

#include "place.h"

#if NPU__HAS_REPORTS

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
    const char     *accelerator, *memory_mode;
    const char     *store_name;     /* of the slow memory: "flash" or "dram" */
    double          clock_hz;       /* the system's, or the caller's */
    int32_t         macs_per_cycle; /* of all cores */
    int32_t         model_in_sram;  /* weights and constants too */
    int64_t         sram_limit;     /* fast memory that the mode leaves; 0: it does not say */
    const char     *accuracy;       /* see npu_fit */
    npu__cost_row **rows;           /* [subgraph][node] */
    npu__cost_row   total;          /* live, stored: of fast and slow memory at the peak; how, block: unused */
    int64_t         arena_store;    /* slow memory for feature maps */
} npu__cost_plan;

#endif
#endif
