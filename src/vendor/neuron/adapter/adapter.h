/* The software adapter: every function of the Neuron adapter (npu.h, NPU_NEURON_FUNCTIONS) as software, so that what
 * is made for MediaTek's NPUs compiles and runs where there is none. It stands on the public functions alone: a Neuron
 * model becomes an npu_graph, a compilation its plan, an execution its session. No globals, nothing but libc.
 *
 *   model.c       NeuronModel_*: operands and operations as they are added, with everything that can be wrong about each
 *   operations.c  the table of operations: operands of each, and the operator that it becomes
 *   graph.c       the model as an npu_graph; norm.c: operations of which it makes several operators
 *   supported.c   which operations are said to be supported
 *   network.c     compiled networks as bytes: every compilation goes through them, so those from outside take the same way
 *   compile.c     NeuronCompilation_*
 *   execute.c     NeuronMemory_*, NeuronExecution_*
 *
 * Arithmetic is that of the CPU's kernels: integers to the bit. Of a model that relaxes float32 to float16, each
 * float32 tensor (inputs, constants, results of operations) is rounded to the nearest half float, and computed with in
 * float32.
 *
 * Threads: one at a time for each object, and for a compilation with its executions. */
#ifndef NPU__VENDOR_NEURON_ADAPTER_H
#define NPU__VENDOR_NEURON_ADAPTER_H

#include "../../../graph/ir.h"
#include "../api.h"

#if NPU__HAS_NEURON && NPU__HAS_SOFTWARE_DEVICE
#  define NPU__HAS_NEURON_SOFTWARE 1
#else
#  define NPU__HAS_NEURON_SOFTWARE 0
#endif

#if NPU__HAS_NEURON_SOFTWARE

#define NPU__NSW_TRY(call)                              \
    do {                                                \
        const int npu__r_ = (call);                     \
        if (npu__r_ != NPU__NEURON_NO_ERROR) return npu__r_; \
    } while (0)

/* A row of NPU__NEURON_TYPES. */
typedef struct npu__nsw_type {
    const char *name;
    int32_t     code, scalar, element, bits, quant, zp_min, zp_max;
} npu__nsw_type;

/* What an operand's value is. */
enum { NPU__NSW_UNSET, NPU__NSW_VALUE, NPU__NSW_OMITTED };
/* Who gives it one when the model runs: nobody, the caller, an operation. */
enum { NPU__NSW_NOBODY, NPU__NSW_CALLER, NPU__NSW_OPERATION };

typedef struct npu__nsw_operand {
    const npu__nsw_type *type;    /* NULL: bytes of an extension */
    int32_t              code;
    uint32_t             n_dims;
    const uint32_t      *dims;
    float                scale;
    int32_t              zero_point;
    uint32_t             axis, n_channels; /* 0: no scales by channel */
    const float         *scales;
    const int32_t       *zero_points;      /* NULL: all 0 */
    const void          *value;
    size_t               bytes;            /* of the value */
    uint8_t              has, writer, is_output;
    uint8_t              exact;            /* floats beside integers, which no relaxation rounds */
} npu__nsw_operand;

typedef struct npu__nsw_op {
    int32_t                  code;
    uint32_t                 n_in, n_out;
    const uint32_t          *in, *out;
    const struct npu__nsw_row *row; /* operations.h; NULL: the adapter does not know it */
} npu__nsw_op;

typedef struct npu__nsw_model {
    npu__pool         pool;
    npu_allocator     allocator;
    npu__nsw_operand *operands;
    npu__nsw_op      *ops;
    int32_t           n_operands, n_ops; /* lists grow: npu__graph_grow */
    uint32_t          n_in, n_out;
    const uint32_t   *in, *out;
    uint64_t          given;             /* bytes that callers gave: limits follow it */
    uint8_t           identified, finished, relaxed, restored, keeps_values; /* keeps_values: no value need be copied */
    char              name[64];
} npu__nsw_model;

/* Adds a model in memory of `allocator` (NULL: the default one). What NeuronModel_create does with the default one. */
NPU__FN int npu__nsw_model_new(npu__nsw_model **out, const npu_allocator *allocator);
NPU__FN const npu__nsw_type *npu__nsw_type_find(int32_t code);
/* Is a dimension known? Elements of an operand, 1 of a scalar; false where a dimension is not known, or they are too
 * many. */
NPU__FN int npu__nsw_dim_open(uint32_t dim);
NPU__FN int npu__nsw_bytes(const npu__nsw_operand *o, size_t *bytes);
/* A constant of no elements: the plugin of LiteRT sets no value then, and a dimension of 0 that nobody fills is no
 * open one. */
NPU__FN int npu__nsw_is_empty(const npu__nsw_operand *o);
/* Name of an operation of the extension whose argument string is operand `o`; {NULL, 0}: it has none that can be read. */
NPU__FN npu__str npu__nsw_oem_name(const npu__nsw_operand *o);

/* A compiled network: its bytes, the Neuron model they tell of (which points into them), what it became. */
typedef struct npu__nsw_network {
    npu_allocator   allocator;
    uint8_t        *bytes;
    size_t          n_bytes;
    npu__nsw_model *model;
    npu_model      *graph;
    npu_plan       *plan;
} npu__nsw_network;

NPU__INLINE uint32_t npu__nsw_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The bytes of a finished model, 64-aligned, in memory of its allocator. */
NPU__FN int npu__nsw_network_write(const npu__nsw_model *model, uint8_t **bytes, size_t *n_bytes);
/* A copy of `bytes`, from anywhere, ready to run. BAD_DATA: not a network of this version, damaged, or one that no
 * model can be. */
NPU__FN int npu__nsw_network_open(npu__nsw_network **out, const npu_allocator *allocator, const void *bytes, size_t n_bytes,
                                  npu_diag *diag);
/* Likewise of bytes that npu__nsw_network_write gave: they are the network's, or gone if it fails. */
NPU__FN int npu__nsw_network_adopt(npu__nsw_network **out, const npu_allocator *allocator, uint8_t *bytes, size_t n_bytes,
                                   npu_diag *diag);
NPU__FN void npu__nsw_network_close(npu__nsw_network *network);
/* Do they begin as a network of this adapter does? */
NPU__FN int npu__nsw_network_is(const void *bytes, size_t n_bytes);

/* What a status of npu_rt is to the adapter's callers. */
NPU__FN int npu__nsw_result(npu_status s);
/* The model as a graph. Constants are lent. OP_FAILED: an operation that the adapter cannot run, with what and why in
 * diag. */
NPU__FN int npu__nsw_graph(npu_model **out, const npu__nsw_model *model, npu_diag *diag);
/* Which operations of a finished model can be compiled, as 0 and 1. */
NPU__FN int npu__nsw_supported(const npu__nsw_model *model, uint8_t *supported);

typedef struct npu__nsw_compilation {
    npu_allocator     allocator;
    npu__nsw_model   *model;
    npu__nsw_network *network; /* NULL before NeuronCompilation_finish */
    int32_t           preference, priority;
    uint32_t          hint, l1_kb;
    uint8_t           restored;
    uint8_t           has_executions;
    npu_diag          diag;    /* what kept it from being compiled */
} npu__nsw_compilation;

/* Input or output `index` of a finished compilation; UNEXPECTED_NULL without it or `needed`. */
NPU__FN int npu__nsw_border(const npu__nsw_compilation *c, int32_t index, int output, const void *needed,
                            const npu__nsw_operand **out);
/* NeuronModel_restoreFromCompiledNetwork, in memory of `allocator`. */
NPU__FN int npu__nsw_restore(void **model, void **compilation, const void *buffer, size_t size,
                             const npu_allocator *allocator);

/* What keeps an execution within bounds: those of the session that it runs for. Zeros: the defaults of npu_session_desc. */
typedef struct npu__nsw_bounds {
    int64_t max_work;
    int   (*cancel)(void *user);
    void   *cancel_user;
} npu__nsw_bounds;

/* NeuronExecution_create, within bounds. */
NPU__FN int npu__nsw_execution_new(npu__nsw_compilation *c, const npu__nsw_bounds *bounds, void **execution);

/* Memory that executions may name: `base` stays the caller's. What cannot be written takes no outputs. */
NPU__FN int npu__nsw_memory_of(void *base, size_t bytes, int writable, void **memory);

#define NPU__X(type, name, parameters, arguments) NPU__FN type npu__nsw_##name parameters;
NPU_NEURON_FUNCTIONS(NPU__X)
#undef NPU__X

/* All of them, and no options. */
NPU__FN const npu_neuron_driver *npu__nsw_driver(void);

#endif
#endif
