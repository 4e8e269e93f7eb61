/* What LiteRT's plugin for MediaTek leaves in a model: operators DISPATCH_OP, which name a part of a flatbuffer behind the model's own.
 * Its tables, as fields in order: Graphs {version, subgraphs, data, external, neuron_sdk_version}; Subgraph {entry_point, type,
 * compiled_index (a union: its type, then Index or Identifier), weight_share_index}; Buffer {identifier, data}; Index {value};
 * Identifier {value}. Any bytes may be given to these functions. */
#ifndef NPU__VENDOR_NEURON_CONTAINER_H
#define NPU__VENDOR_NEURON_CONTAINER_H

#include "../../base/text.h"
#include "../../graph/op.h"
#include "api.h"

#if NPU__HAS_NEURON

/* What a DISPATCH_OP says: options are a flexbuffer's map. */
typedef struct npu__neuron_dispatch {
    npu__str  name;      /* of its subgraph in the container */
    npu__span container; /* where the file has it; p is NULL: nowhere */
} npu__neuron_dispatch;

typedef struct npu__neuron_bytecode {
    npu__span data;
    int32_t   type;      /* 0 DLA, 1 DLB, 2 the adapter's cache */
    uint32_t  sdk[3];    /* version; zeros: it does not say */
    int64_t   looked_at; /* steps that it took, for budgets */
} npu__neuron_bytecode;

NPU__FN npu__neuron_dispatch npu__neuron_dispatch_of(const npu__node *node, const uint8_t *file, size_t n_file);
/* Finds the compiled network of a dispatch. False: it has none, or the container is damaged, or has thousands. */
NPU__FN int npu__neuron_bytecode_find(npu__neuron_bytecode *out, const npu__neuron_dispatch *d);
#if NPU__HAS_REPORTS
/* npu__vendor.compiled */
NPU__FN int npu__neuron_compiled(npu__text *t, int json, const npu_model *model);
#endif

#endif
#endif
