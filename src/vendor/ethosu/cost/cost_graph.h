/* Facts of a placed graph that its cost depends on: what runs inside of what, where feature maps lie and how long. */
#ifndef NPU__VENDOR_ETHOSU_COST_GRAPH_H
#define NPU__VENDOR_ETHOSU_COST_GRAPH_H

#include "cost_lower.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

typedef struct npu__cost_tensor {
    int32_t producer, user, n_users; /* nodes; -1: none. `user`: the last one */
    int32_t root;                    /* tensor whose bytes these are */
} npu__cost_tensor;

enum { NPU__COST_CHUNK = 8 };

/* Operations as they are lowered, so many at a time: how many there will be is known at the end. */
typedef struct npu__cost_chunk {
    struct npu__cost_chunk *next;
    int32_t                 n;
    struct {
        npu__cost_op op;
        int32_t      row; /* node that it is of */
    } taken[NPU__COST_CHUNK];
} npu__cost_chunk;

typedef struct npu__cost_graph {
    const npu__nodes    *nodes;
    const npu__subgraph *g;
    const uint8_t       *placed, *dropped;
    npu__cost_row       *rows;
    npu__cost_tensor    *tensors;
    uint8_t             *traits; /* NPU__COST_T_... */
    npu__cost_plan      *plan;
    const npu__cost_system *system;
    npu__pool           *pool;
    npu__cost_chunk     *chunks, *filling; /* all; the last of them */
    npu__cost_step      *steps;  /* the same operations, when all are known */
    int32_t              n_steps, at; /* node that is being lowered */
    int                  full;   /* no memory for more */
    npu__cost_node      *lowered; /* that node */
    int64_t              zeros;  /* bytes of the last map of zeros */
    int64_t             *left;   /* see npu__cost_node */
    int32_t             *order;  /* nodes as they run */
} npu__cost_graph;

/* Fills in tensors, traits and, of every row, macs, how and activation. All of them start as zeros. */
NPU__FN void npu__cost_graph_facts(npu__cost_graph *w);
/* cost_order.c: fills in `order`; 0: no memory for it. */
NPU__FN int npu__cost_put_in_order(npu__cost_graph *w);
NPU__FN int npu__cost_on_npu(const npu__cost_graph *w, int32_t node);
/* Tensor whose bytes these are. */
NPU__FN int32_t npu__cost_root(const npu__cost_graph *w, int32_t tensor);
/* Sizes and traits of the ranges of a node's tensors. */
NPU__FN void npu__cost_graph_bytes(const npu__cost_graph *w, npu__cost_range *ranges, int32_t node);
NPU__FN const npu__ctx *npu__cost_ctx(const npu__cost_graph *w, int32_t node);
NPU__FN int64_t npu__cost_add(int64_t a, int64_t b); /* saturates */

#endif
#endif
