/* How the compiler would execute a placed graph, as far as the guide tells: made by plan/make.c, told by plan/report_*.c.
 *
 * Cycles are lower bounds: rates leave bandwidth out, fused operations are taken to overlap, and what no rate is stated
 * for counts nothing. Bytes are those that move: read and written. */
#ifndef NPU__VENDOR_MDLA_PLAN_PLAN_H
#define NPU__VENDOR_MDLA_PLAN_PLAN_H

#include "../mdla.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

/* Who runs an operator. NOTHING: computed when the network is compiled, or dropped. RUNTIME: control flow. */
enum { NPU__MDLA_ON_NOTHING, NPU__MDLA_ON_MDLA, NPU__MDLA_ON_MVPU, NPU__MDLA_ON_CPU, NPU__MDLA_ON_RUNTIME,
      NPU__MDLA_N_DEVICES };

/* How well cycles are known: not; no less than; by a rate. */
enum { NPU__MDLA_C_UNKNOWN, NPU__MDLA_C_LOWER, NPU__MDLA_C_RATE };

enum { NPU__MDLA_RELAYOUT_NONE, NPU__MDLA_RELAYOUT_RUN, NPU__MDLA_RELAYOUT_COMPILE };

typedef struct npu__mdla_tensor {
    const npu__val *v;       /* NULL: no operator has it */
    int32_t  root;           /* of those that share a layout */
    int32_t  users;          /* readers, and the caller for each output of the network */
    int32_t  seen;           /* 1 + the last phase that it was counted for */
    int32_t  writer, reader; /* node that writes it (-1: none); the last that reads it */
    uint8_t  type, bits;     /* NPU__MDLA_T_*; 8 or 16 on the device */
    uint8_t  layout;         /* NPU__MDLA_DENSE, 4C, 16C */
    uint8_t  constant, input, output, data; /* data: the MDLA reads or writes it as such */
    uint8_t  not_4c;         /* of a root: one of them cannot be 4C */
    uint8_t  read_by, made_by; /* bits 1 << NPU__MDLA_ON_*; that device or NOTHING (the caller, a constant) */
    uint8_t  relayout, converted, relaid; /* relaid: a phase has counted it */
    int64_t  elements, bytes, laid; /* bytes: dense, as the device has them; laid: in its layout */
} npu__mdla_tensor;

typedef struct npu__mdla_step {
    uint8_t     type; /* of its data */
    uint8_t     device, known, hybrid, broadcast, requant_in, requant_out, eliminated, pad_fused;
    int32_t     group, phase;
    int64_t     macs, cycles, activation; /* activation: cycles of the fused one */
    int64_t     enlarged, dma, dummy;     /* bytes: of an enlarged constant; moved by extra DMA; read without need */
    const char *mapped;                   /* see NPU__MDLA_MAPPING; NULL: no such operator */
} npu__mdla_step;

/* Operators that run as one. */
typedef struct npu__mdla_group {
    int32_t  rule;           /* NPU__MDLA_F_*; NONE: alone, and no rule starts with it */
    int32_t  first, last, n; /* nodes: step.group says which stand between */
    int32_t  head;           /* first convolution; -1: none */
    int32_t  chain;          /* deep layer fusion; -1: none */
    uint8_t  supplied;       /* rests on an order that the user gave */
    uint8_t  known, resize, ends_convs; /* resize: has one; ends_convs: no convolution may follow in a chain */
    int32_t  second;         /* rule C: its second convolution; -1: none */
    int32_t  into;           /* rule C: 1 + the group that it became a part of; 0: none */
    int32_t  waits;          /* the last operator of others that a member behind the first reads; -1: none */
    int64_t  cycles, read, weights, written;
} npu__mdla_group;

typedef struct npu__mdla_chain {
    int32_t first, last, n;  /* groups */
    int64_t without, with, weights;
    uint8_t supplied;
} npu__mdla_chain;

/* Neighbours in execution order on one device. */
typedef struct npu__mdla_phase {
    int32_t device, first, last, n;
    uint8_t known;
    int64_t macs, cycles;
    int64_t in, out, copied; /* bytes that cross from and to other devices and the caller; of them, between memories */
    int64_t relayout;        /* bytes moved */
} npu__mdla_phase;

typedef struct npu__mdla_graph {
    const npu__subgraph *g;
    npu__mdla_tensor    *tensors;
    npu__mdla_step      *steps;
    npu__mdla_group     *groups;
    npu__mdla_chain     *chains;
    npu__mdla_phase     *phases;
    int32_t              n_groups, n_chains, n_phases;
} npu__mdla_graph;

/* Orders of the fusion rules. A stage is a set of groups (bits 1 << NPU__MDLA_G_*); stages may be skipped but for the
 * convolution. */
enum { NPU__MDLA_MAX_STAGES = 12 };
typedef struct npu__mdla_order {
    int32_t  n;
    uint16_t stage[NPU__MDLA_MAX_STAGES];
    uint8_t  supplied, exact; /* exact: none may be skipped */
} npu__mdla_order;

/* What following a hint would gain: bytes and cycles; 0: not known. */
typedef struct npu__mdla_gain {
    int64_t bytes, cycles;
} npu__mdla_gain;

/* What a hint says of all operators together. */
typedef struct npu__mdla_hint_sum {
    int64_t          count, bytes, cycles;
    npu__mdla_gain   best; /* of the operator that has most to gain, bytes before cycles; the first of equal ones */
    const npu__node *node;
    char             got[160];
} npu__mdla_hint_sum;

typedef struct npu__mdla_plan {
    const npu_plan_report_desc *desc;
    const npu__placement       *p;
    const npu__nodes           *nodes;
    npu__pool                  *pool;
    npu__scene                  scene;
    int32_t                     version;
    npu__mdla_order             orders[NPU__MDLA_N_FUSION];
    npu__mdla_graph            *graphs;
    npu__mdla_hint_sum         *sums; /* a row for each warning, for the text */
    npu_plan_report_summary     total;
} npu__mdla_plan;

enum { NPU__MDLA_MOST_INPUTS = 8 };
/* Does a node read the tensor as its data? */
NPU__FN int npu__mdla_takes(const npu__node *node, int32_t tensor);
/* orders.c. False: the text is wrong, and diag says where. */
NPU__FN int npu__mdla_orders(npu__mdla_plan *plan, npu_diag *diag);
/* May an operator of group `next` (and then one of `then`, or 0) follow at stage `*at` of the order? Moves *at. */
NPU__FN int npu__mdla_fits(const npu__mdla_order *o, int32_t *at, int32_t next, int32_t then);

NPU__FN const npu__ctx *npu__mdla_ctx(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t node);
/* Tensors and devices; layouts; borders. */
NPU__FN int npu__mdla_tensors_make(npu__mdla_plan *plan, npu__mdla_graph *g, int32_t s);
NPU__FN void npu__mdla_layouts_make(npu__mdla_plan *plan, npu__mdla_graph *g);
/* What a conversion of types reads and writes: the tensor as the file has it, and as the device has it. */
NPU__FN int64_t npu__mdla_converted_bytes(const npu__mdla_tensor *t);
NPU__FN void npu__mdla_borders_make(npu__mdla_plan *plan, npu__mdla_graph *g);
NPU__FN void npu__mdla_cycles_make(npu__mdla_plan *plan, npu__mdla_graph *g);
NPU__FN int npu__mdla_groups_make(npu__mdla_plan *plan, npu__mdla_graph *g);
NPU__FN int npu__mdla_chains_make(npu__mdla_plan *plan, npu__mdla_graph *g);
NPU__FN int npu__mdla_phases_make(npu__mdla_plan *plan, npu__mdla_graph *g);

/* Cycles at a throughput; 0: not stated. */
NPU__FN int64_t npu__mdla_by_rate(int64_t elements, int32_t rate, int32_t type, int32_t version);
NPU__FN npu__mdla_gain npu__mdla_gains(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t node,
                                       const npu__rule *hint);

/* What the MDLA runs of one type of data: a network may mix them. */
typedef struct npu__mdla_part {
    int64_t ops, macs, cycles;
} npu__mdla_part;
NPU__FN npu__mdla_part npu__mdla_part_of(const npu__mdla_plan *plan, int32_t type);
/* Of the network as a whole: hints that belong to no operator. */
enum {
    NPU__MDLA_NET_SUPPRESS_INPUT, NPU__MDLA_NET_SUPPRESS_OUTPUT, NPU__MDLA_NET_DMA_BUF, NPU__MDLA_NET_DEVICES,
    NPU__MDLA_NET_CONTROL_FLOW, NPU__MDLA_NET_RELAX_FP32, NPU__MDLA_N_NETWORK
};
NPU__FN const char *npu__mdla_network_name(int32_t k);
NPU__FN const char *npu__mdla_network_unit(int32_t k);
NPU__FN const char *npu__mdla_network_text(int32_t k);
NPU__FN int64_t npu__mdla_network_value(const npu__mdla_plan *plan, int32_t k);
/* Which memory a device works in, and is it the APU's? The caller (NOTHING) is the CPU. Are caches synchronised before a
 * phase? */
NPU__FN const char *npu__mdla_domain(int32_t device);
NPU__FN int npu__mdla_in_apu(int32_t device);
NPU__FN int npu__mdla_syncs(const npu__mdla_graph *g, int32_t phase);
/* MACs as a share of what the units could do in these cycles; 0: no cycles, or no MACs. */
NPU__FN double npu__mdla_utilisation(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t node);
NPU__FN const char *npu__mdla_device_name(int32_t device);
NPU__FN const char *npu__mdla_rule_name(int32_t rule);
NPU__FN const char *npu__mdla_known_name(int32_t known);
NPU__FN const char *npu__mdla_layout_name(int32_t layout);
NPU__FN void npu__mdla_plan_json(npu__text *t, const npu__mdla_plan *plan);
NPU__FN void npu__mdla_plan_text(npu__text *t, const npu__mdla_plan *plan);
NPU__FN void npu__mdla_hints_text(npu__text *t, const npu__mdla_plan *plan);

/* make.c: all of the above. raw.c: of npu__planner. */
NPU__FN npu_status npu__mdla_plan_make(npu__mdla_plan *plan, npu_diag *diag);
NPU__FN npu_status npu__mdla_raw(const npu_plan_report_desc *desc, const npu__placement *p, const npu__nodes *nodes, npu__pool *pool,
                                 int32_t subgraph, int output, int32_t i, npu_raw *out, npu_diag *diag);

#endif
#endif
