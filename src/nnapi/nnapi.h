/* Android's Neural Networks API over the public functions: a model becomes an npu_graph, a compilation its plan, an
 * execution its session. No globals, nothing but libc (and mmap, where there is one).
 *
 *   model.c       ANeuralNetworksModel_*: operands and operations as they are added, with what can be wrong about each
 *   operations.c  the table of operations: the operands of each, and the operator that it becomes
 *   graph.c       the model as an npu_graph
 *   window.c      operations with a window: padding that is given in numbers, data that is NCHW
 *   rewrite.c     operations of which it makes several operators
 *   requantize.c  operations with scales and types that operators do not take
 *   recurrent.c   operations with states, and those that are operators of this front end
 *   kernel.c      operators of this front end: reals, options, registration; they stand in op_lstm.c, op_rnn_svdf.c, op_lrn.c,
 *                 op_pool.c, op_boxes.c, op_nms.c, op_detection.c, op_roi.c
 *   compile.c     devices, ANeuralNetworksCompilation_*
 *   memory.c      ANeuralNetworksMemory_*, ANeuralNetworksMemoryDesc_*
 *   execute.c     ANeuralNetworksExecution_*, _Event_*, _Burst_*
 *
 * Tensors of float16 are float32 inside of the graph, from where the model reads them to where it writes them. */
#ifndef NPU__NNAPI_NNAPI_H
#define NPU__NNAPI_NNAPI_H

#include "../graph/graph.h"
#include "../graph/operand_words.h"

#if NPU__HAS_NNAPI

enum { /* as the public header has them: that of the platform may stand in its place */
#define NPU__X(name, number) NPU__NN_##name = number,
    NPU_NNAPI_TYPES(NPU__X)
#undef NPU__X
    NPU__NN_COPIED_BYTES = 128,
    NPU__NN_MAX_LIST = 1 << 20,  /* operands, operations, operands of one operation */
    NPU__NN_MAX_DEPTH = 64       /* models in models */
};
enum {
#define NPU__X(name) NPU__NN_OP_##name,
    NPU_NNAPI_OPERATIONS(NPU__X)
#undef NPU__X
    NPU__NN_OP_COUNT
};
enum {
#define NPU__X(name) NPU__NN_##name,
    NPU_NNAPI_RESULTS(NPU__X)
#undef NPU__X
    NPU__NN_RESULT_COUNT
};

#define NPU__NN_TRY(call)                             \
    do {                                              \
        const int npu__r_ = (call);                   \
        if (npu__r_ != NPU__NN_NO_ERROR) return npu__r_; \
    } while (0)

/* How an operand's numbers mean reals. */
enum { NPU__NN_PLAIN, NPU__NN_ASYMM, NPU__NN_SYMM, NPU__NN_CHANNELS };

typedef struct npu__nn_type {
    int32_t code, scalar, element, quant, zp_min, zp_max; /* element: npu_type */
} npu__nn_type;

/* What an operand's value is, and who gives it one when the model runs. */
enum { NPU__NN_UNSET, NPU__NN_VALUE, NPU__NN_OMITTED };
enum { NPU__NN_NOBODY, NPU__NN_CALLER, NPU__NN_OPERATION };

typedef struct npu__nn_operand {
    const npu__nn_type         *type;
    uint32_t                    n_dims;
    const uint32_t             *dims; /* 0: not known */
    float                       scale;
    int32_t                     zero_point;
    uint32_t                    axis, n_channels; /* 0: no scales by channel */
    const float                *scales;
    const void                 *value; /* of a MODEL operand the model */
    size_t                      bytes;
    uint8_t                     has, writer, is_output;
} npu__nn_operand;

typedef struct npu__nn_op {
    int32_t                    code;
    uint32_t                   n_in, n_out;
    const uint32_t            *in, *out;
    const struct npu__nn_row  *row; /* operations.h; NULL: there is none for these operands */
} npu__nn_op;

struct ANeuralNetworksModel {
    npu_allocator    allocator;
    npu__pool        pool;
    npu__nn_operand *operands;
    npu__nn_op      *ops;    /* once finished, in an order in which they can run */
    uint32_t        *number; /* once finished: by place, the number under which an operation was added */
    int32_t          n_operands, n_ops;
    uint32_t         n_in, n_out;
    const uint32_t  *in, *out;
    int32_t          depth;  /* 1 + that of the deepest model in it */
    uint8_t          identified, finished;
};

/* Its type; NULL: no operand type. */
NPU__FN const npu__nn_type *npu__nn_type_find(int32_t code);
/* Bytes of an operand whose dimensions are all known; false where they are not. */
NPU__FN int npu__nn_bytes(const npu__nn_operand *o, size_t *bytes);
/* Is a type that is given for an operand at run time one that fits it? Then `now` has its dimensions. */
NPU__FN int npu__nn_refine(const npu__nn_operand *o, const ANeuralNetworksOperandType *type, npu__shape *now);
/* The name of an operation's code, for messages. */
NPU__FN const char *npu__nn_op_name(int32_t code);

/* The model as a graph; `only` >= 0: that operation alone. Constants are lent. UNSUPPORTED: an operation that does not run, with
 * what and why in diag. */
NPU__FN npu_status npu__nn_graph(npu_model **out, const ANeuralNetworksModel *model, int32_t only, npu_diag *diag);
/* What a status of npu_rt is to NNAPI's callers. */
NPU__FN int npu__nn_result(npu_status s);

struct ANeuralNetworksDevice {
    const char *name;
};

struct ANeuralNetworksCompilation {
    npu_allocator               allocator;
    const ANeuralNetworksModel *model;
    npu_model                  *graph;
    npu_plan                   *plan;  /* NULL where shapes of inputs are not known yet: executions have their own */
    npu_diag                    diag;
    uint8_t                     finished, one_device;
};

/* Who may read or write a memory that is NNAPI's own. */
typedef struct npu__nn_role {
    const ANeuralNetworksCompilation *compilation;
    uint32_t                          index;
    int                               output;
} npu__nn_role;

struct ANeuralNetworksMemoryDesc {
    npu_allocator  allocator;
    npu__pool      pool;
    npu__nn_role  *roles; /* grow: npu__graph_grow */
    int32_t        n_roles;
    npu__shape     shape; /* rank 0: nobody said */
    uint8_t        finished;
};

struct ANeuralNetworksMemory {
    npu_allocator   allocator;
    uint8_t        *base;
    size_t          bytes;
    void           *mapped; /* of a descriptor: what to unmap */
    size_t          mapped_bytes;
    int             readable, writable;
    int32_t         n_roles; /* 0: the caller's memory */
    npu__nn_role   *roles;
    uint8_t         written; /* with roles: something stands in it */
};

/* Operand `index` of a finished compilation's inputs or outputs. */
NPU__FN int npu__nn_operand_at(const ANeuralNetworksCompilation *c, int64_t index, int output, const npu__nn_operand **out);
/* May it be read or written as input or output `index`? *length: 0 stands for all of a memory with roles. */
NPU__FN int npu__nn_memory_part(const ANeuralNetworksMemory *memory, const ANeuralNetworksCompilation *c, int32_t index, int output,
                                size_t offset, size_t *length);

#endif
#endif
