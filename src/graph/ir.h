/* The graph: what the file says, typed, checked and with every offset resolved. Made once and never changed: by read_tflite.c from
 * a file or by graph.c from calls, under the rules of build.c and flow.c.
 * Shapes here are the declared ones; the shapes that will run are the plan's.
 *
 * THE INVARIANT. Operators trust what follows and check none of it:
 *
 *   of every tensor (build.c, flow.c)
 *     1. type, rank and dims are valid; its bytes fit in max_tensor_bytes.
 *     2. `data`, where there is any, is aligned for the type and exactly as long as the shape says. A STRING's is as long as it
 *        likes, and valid: as many strings as the shape has elements (strings.h). No operator computes on VARIANT.
 *     3. Of integers up to 32 bits, every channel's scale is finite and not negative and every channel's zero point is one of
 *        the type's values; or `bad_channel` says that it is not so, and no operator gets the tensor.
 *     4. A variable, an input of a subgraph and a tensor that an operator writes have no `data`: what is written never lies
 *        in the model's bytes.
 *     5. Sparse constants keep their contents in `sparsity`, never in `data`: nobody can take them for dense. All of it is in
 *        the file's bytes, and none of it checked: that is DENSIFY's business.
 *   of every value that an operator gets (plan/check.c, before each prepare, while planning and at run time)
 *     6. its bytes are those of its shape and type. Only the scratch of compiled operators may be larger. STRING reaches only
 *        operators that say so (NPU__OP_STRINGS); its bytes do not follow from its shape, and what is there is valid as in 2,
 *        because the engine takes no strings but from the model's constants (checked), from npu_session_set_strings and from
 *        operators (both written by strings.c).
 *     7. sparse ones are input 0 of DENSIFY (and never an output of the graph: flow.c), and none has a bad channel.
 *   of every value at eval (asserted by builds with NPU_RT_DEBUG)
 *     8. its memory is one of: a constant, the arena, the state, an allocation of the session; and only constants lie in
 *        the file's bytes. */
#ifndef NPU__GRAPH_IR_H
#define NPU__GRAPH_IR_H

#include "options.h"

typedef struct npu__shape {
    int32_t rank; /* 0 = scalar */
    int32_t dims[NPU_MAX_RANK];
} npu__shape;

typedef struct npu__opdef npu__opdef; /* op.h */
typedef struct npu__user_def npu__user_def; /* user_op.h */
/* Finds an operator's definition by its builtin code (or, for CUSTOM, by its name). NULL: not in this build. */
typedef const npu__opdef *(*npu__op_finder)(int32_t code, npu__str custom_name);

/* Quantization by blocks: `scales` is a tensor of their own, with one for each `block_size` elements of a row. */
typedef npu__opts_BlockwiseQuantization npu__blockwise;

/* One level of a sparse tensor: every index of its dimension, or lists of those that have values (CSR). */
typedef struct npu__sparse_level {
    int32_t  dense, dense_size;
    npu__vec segments, indices;           /* entries of these bytes each; p is NULL where the file has none */
    int32_t  segment_bytes, index_bytes;  /* 4 (int32), 2 or 1 (unsigned); 0: none */
} npu__sparse_level;

#define NPU__SPARSE_LEVELS (2 * NPU_MAX_RANK) /* every dimension, and a block in each */

/* How a sparse constant is stored. */
typedef struct npu__sparsity {
    npu__span                values;           /* of any length */
    npu__vec                 order, block_map; /* int32, as in the file */
    uint32_t                 n_levels;         /* as in the file, but only the first NPU__SPARSE_LEVELS are here */
    const npu__sparse_level *levels;
} npu__sparsity;

typedef struct npu__tensor {
    npu__str       name;
    int32_t        type; /* npu_type, but any code the file may hold */
    npu__shape     shape;
    npu__shape     signature;    /* dims of -1 where the model says "resizable"; equal to shape otherwise */
    int32_t            has_rank;     /* the file's flag, or a dimension that is open in its shape: vendors' converters look at the
                                      * signature only where it is set */
    npu_quant      quant;        /* quant.axis is as in the file: it may lie outside the rank (TFLM accepts that) */
    int32_t        bad_channel;  /* 1 more than the first channel with an impossible scale or zero point; 0: none */
    const npu__blockwise *blockwise; /* or NULL: one scale a channel, in quant */
    const npu__sparsity *sparsity; /* of a sparse constant, or NULL */
    const uint8_t *data;         /* dense constant contents; NULL for activations */
    size_t         data_bytes;   /* equals the shape's bytes unless STRING */
    int32_t        is_variable;
    int32_t        buffer;       /* index in the file */
} npu__tensor;

typedef struct npu__subgraph npu__subgraph;

typedef struct npu__node {
    const npu__opdef *def;       /* NULL: this build does not know the op */
    int32_t           code;      /* BuiltinOperator; 32 = CUSTOM */
    int32_t           version;
    npu__str          custom_name;
    int32_t           subgraph, index;
    const npu__subgraph *graph;  /* the one it is in, for reports that look at neighbours */
    int32_t           n_in, n_out, n_mid;
    const int32_t    *in;        /* tensor indices, -1 = optional input left out */
    const int32_t    *out;
    const int32_t    *mid;       /* intermediates (full-integer LSTM keeps its scales there) */
    const npu__opts  *opts;      /* never NULL: read it by NPU__OPTIONS */
    const uint8_t    *custom;    /* custom options (flexbuffer), NULL when absent */
    size_t            custom_bytes;
} npu__node;

struct npu__subgraph {
    npu__str           name;
    int32_t            n_tensors, n_nodes, n_in, n_out;
    const npu__tensor *tensors;
    const npu__node   *nodes;
    const int32_t     *in;
    const int32_t     *out;
};

typedef struct npu__sig_entry {
    npu__str name;
    int32_t  position; /* among the subgraph's inputs or outputs */
} npu__sig_entry;

typedef struct npu__sig {
    npu__str              key;
    int32_t               subgraph;
    int32_t               n_in, n_out;
    const npu__sig_entry *in;
    const npu__sig_entry *out;
} npu__sig;

typedef struct npu__meta {
    npu__str name, data;
} npu__meta;

/* Of a file, or built by npu_graph_*. A built one has neither `bytes` nor `root`. */
struct npu_model {
    npu__pool            pool;
    const uint8_t       *bytes;   /* the file */
    size_t               n_bytes; /* of the file; of a built model, about what a file of it would have: budgets go by it */
    size_t               kept_bytes; /* built: of the pool, blocks that hold copied constants */
    npu_model_desc       desc; /* defaults filled in; operators: copies in the pool */
    const npu__user_def *user_defs; /* one for each of desc.operators */
    npu__op_finder       find_op;
    npu__tab             root;
    const npu__meta     *meta; /* built: metadata; a file's is read where it lies */
    int32_t              n_meta;
    npu__str             description;
    uint32_t             schema_version;
    int32_t              circle; /* a Circle file */
    int32_t              n_subgraphs, n_sigs;
    const npu__subgraph *subgraphs;
    const npu__sig      *sigs;
};

/* Product of the dims; false when negative or beyond int64/2 (never the case for a checked tensor). */
NPU__FN int npu__shape_elems(const npu__shape *s, int64_t *elems);
/* Bytes of a dense tensor, sub-byte types packed; false on overflow or for types without a size. */
NPU__FN int npu__shape_bytes(const npu__shape *s, int32_t type, size_t *bytes);
/* The same for a value before it has contents: 0 for STRING, whose bytes are known at run time only. */
NPU__FN int npu__value_bytes(const npu__shape *s, int32_t type, size_t *bytes);
/* "[1,32,32,3]" into `out`, which is returned. */
NPU__FN const char *npu__shape_text(char *out, size_t cap, const npu__shape *s);
NPU__FN int npu__shape_eq(const npu__shape *a, const npu__shape *b);
/* model.c: what callers see of a tensor. */
NPU__FN void npu__tensor_view(const npu__tensor *t, npu_tensor *out);
/* Smallest and largest value of an integer type (INT2 .. INT32, UINT4 .. UINT16). False for other types. */
NPU__FN int npu__type_range(int32_t type, int32_t *lo, int32_t *hi);
/* Alignment of an element that `data` must have: its size, of a complex number that of its parts. */
NPU__FN size_t npu__type_align(int32_t type);
NPU__FN npu__shape npu__shape_make(int32_t rank, int32_t d0, int32_t d1, int32_t d2, int32_t d3);

#endif
