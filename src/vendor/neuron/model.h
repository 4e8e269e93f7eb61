/* A segment as the Neuron adapter takes it, as data: operands, operations over them, constants. Lowering makes it of a
 * segment (lower.c and its families), the adapter's client gives it to the adapter, operand by operand, in this order.
 *
 * It is what Google's compiler plugin makes of the same operators: same operations in the same order, same operands;
 * numbers too, as operands stand in the order in which the plugin adds them. */
#ifndef NPU__VENDOR_NEURON_MODEL_H
#define NPU__VENDOR_NEURON_MODEL_H

#include "../vendor.h"

/* Codes that the adapter gives out at run time: the argument string and the operation of the extension
 * "com.mediatek.general_operation". All other codes are those of api.h. */
enum { NPU__NEURON_EXT_STRING = -1, NPU__NEURON_EXT_OPERATION = -2 };

#define NPU__NEURON_OPEN UINT32_MAX /* a dimension that the model leaves open: known when a run starts */

typedef struct npu__neuron_operand {
    int32_t         type;     /* NPU__NEURON_TYPE_..., or NPU__NEURON_EXT_STRING */
    uint32_t        n_dims;   /* 0: a scalar, with its value */
    uint32_t        dims[NPU_MAX_RANK];
    float           scale;    /* 0 where there is none, or one a channel */
    int32_t         zero_point;
    /* Scales by channel; n_channels 0: none. zero_points NULL: all are 0, and the call for symmetric ones comes first,
     * the general one where that fails or is missing. Otherwise only the general one can say it. */
    uint32_t        channel_dim, n_channels;
    const float    *scales;
    const int32_t  *zero_points;
    /* A constant's contents; NULL: none. They live as long as the plan: in the model's file, or in the plan's memory. */
    const void     *data;
    size_t          bytes;
    uint8_t         scalar[4]; /* where the value of a scalar lies: `data` then points here */
    const npu__val *val;       /* the tensor it stands for, as planned (shape: the real one); NULL: lowering added it */
} npu__neuron_operand;

typedef struct npu__neuron_operation {
    int32_t         code;     /* NPU__NEURON_OP_..., or NPU__NEURON_EXT_OPERATION: then the last input is its name */
    uint32_t        n_in, n_out;
    const uint32_t *in, *out; /* operands */
    const npu__ctx *node;     /* the operator it comes from: some make two */
    const char     *name;     /* of the extension's operation, NULL for others */
} npu__neuron_operation;

typedef struct npu__neuron_model {
    uint32_t               n_operands, n_operations, n_in, n_out;
    npu__neuron_operand   *operands;
    npu__neuron_operation *operations; /* in the order they run */
    /* The model's inputs are those of seg->ctx, in the same order, and so are its outputs. */
    const uint32_t        *in, *out;
} npu__neuron_model;

/* Versions of the adapter that take something otherwise. From 8.2.24 on operators that it does not know may be shown to
 * it, and FULLY_CONNECTED may have outputs of more than two dimensions: before, a RESHAPE follows. From 8.2.28 on
 * scales by channel of int32 and int4 have types of their own: before, the tensor goes without scales. */
enum { NPU__NEURON_BEFORE_8_2_24, NPU__NEURON_SINCE_8_2_24, NPU__NEURON_SINCE_8_2_28, NPU__NEURON_VERSIONS };

/* seg->ctx.data after lower. Entries are the same model where versions make no difference. */
typedef struct npu__neuron_program {
    const npu__neuron_model *by_version[NPU__NEURON_VERSIONS];
    int32_t                  run; /* slot of an npu__neuron_run, client.c */
} npu__neuron_program;

#if NPU__HAS_NEURON && NPU__HAS_LOWERING
/* model.c: makes the program of a segment, in the plan's memory. UNSUPPORTED, with what and why, where a value cannot
 * be said to the adapter (an int64 constant beyond 32 bits). */
NPU__FN npu_status npu__neuron_make_program(npu__seg *seg, npu__neuron_program **out);
#endif

#endif
