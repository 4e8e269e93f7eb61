/* What an operator becomes on an Ethos-U: the operations of the cost estimate. */
#ifndef NPU__VENDOR_ETHOSU_COST_LOWER_H
#define NPU__VENDOR_ETHOSU_COST_LOWER_H

#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum { NPU__COST_BRICKS_FROM = 8 }; /* fewer channels are never stored in bricks of 16 */

/* What is known of a tensor from the graph around it. */
enum {
    NPU__COST_T_LINEAR = 1, /* stored with the channels of a pixel together: the CPU, or another shape, sees it too */
    NPU__COST_T_KEPT = 2,   /* the CPU or the caller sees it */
    NPU__COST_T_COPY = 4,   /* cannot be read in place, as a part of what it was split from: it is copied */
    NPU__COST_T_JOIN = 8    /* cannot be written in place, as a part of what joins it: it is copied */
};

typedef struct npu__cost_node {
    const npu__ctx         *ctx;
    const npu__cost_system *system;
    const uint8_t          *tensors;    /* NPU__COST_T_... of every tensor of the subgraph */
    int32_t                 activation; /* NPU__COST_ACT_... of the operator behind, computed on the way out */
    void                   *user;
    void (*emit)(void *user, const npu__cost_op *op); /* takes the operations, in order */
    int64_t                *left;       /* values of stored weights that may still be counted: see npu__scene */
    int32_t                 n_tensors, between; /* ranges of the subgraph's tensors, of maps between */
    int64_t                 zeros;      /* out: bytes of a stored map of zeros; one size is stored once */
    int64_t                 stored;     /* out: bytes of coded weights, scales and tables */
} npu__cost_node;

/* Calls emit for every operation, and fills in node->stored. Shapes and constants may be hostile: the
 * operator was accepted by the rules of some profile, which need not have looked at what is read here. */
NPU__FN void npu__cost_lower(npu__cost_node *node);

/* ---- pieces for the files that do it ---- */

/* Input i (output i: npu__cost_out) as a map; h = 0 where there is none. Leading dimensions count as height. */
NPU__FN npu__cost_map npu__cost_in_map(const npu__cost_node *n, int32_t i);
NPU__FN npu__cost_map npu__cost_out_map(const npu__cost_node *n, int32_t i);
/* A map between two operations of this operator, shaped as `like`, that only they see. */
NPU__FN npu__cost_map npu__cost_between(npu__cost_node *n, npu__cost_map like, int32_t bits);
/* An operation with a 1x1 window from `in` to `out`. */
NPU__FN npu__cost_op npu__cost_op_make(int32_t kind, npu__cost_map in, npu__cost_map out);
/* Clamps the numbers to what npu__cost_estimate takes, and emits. Nothing for empty maps. */
NPU__FN void npu__cost_emit(npu__cost_node *n, npu__cost_op *op);
/* Brings all that a file can say into the ranges that cost_block.c and what stands on it count with. 0: nothing to compute. */
NPU__FN int npu__cost_bound(npu__cost_op *op);
/* Bytes of input `i` as coded weights of `op`; `depthwise`: 1HWC. */
NPU__FN void npu__cost_add_weights(npu__cost_node *n, npu__cost_op *op, const npu__val *weights, int depthwise);

/* cost_lower_window.c: the activation on the way out. */
NPU__FN int32_t npu__cost_activation(const npu__cost_node *n);
/* A convolution of several images that runs as one of a single higher image. */
NPU__FN int npu__cost_merges_images(const npu__ctx *c);
/* cost_lower_window.c, cost_lower_other.c: 0 when the operator is of another file. */
NPU__FN int npu__cost_lower_window(npu__cost_node *n);
NPU__FN int npu__cost_lower_elementwise(npu__cost_node *n);
NPU__FN int npu__cost_lower_composite(npu__cost_node *n);

#endif
#endif
