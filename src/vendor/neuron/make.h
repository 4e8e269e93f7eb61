/* Making a Neuron model: what the families of operators call to add operands and operations.
 *
 * All of it happens twice: first only to count, so that the tables are as long as they need to be; then to fill them. A
 * failure is kept, later calls do nothing. */
#ifndef NPU__VENDOR_NEURON_MAKE_H
#define NPU__VENDOR_NEURON_MAKE_H

#include "../../graph/ask.h"
#include "../../ops/util.h"
#include "neuron.h"
#include "rules/operators.h"
#include "sizes.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

/* A tensor of the segment, and its operand. */
typedef struct npu__neuron_seen {
    int32_t  tensor; /* of the subgraph */
    uint32_t operand; /* NPU__NEURON_NOT_YET */
} npu__neuron_seen;
#define NPU__NEURON_NOT_YET UINT32_MAX

typedef struct npu__neuron_make {
    npu__seg          *seg;
    npu__neuron_model *model;
    int32_t            version;     /* NPU__NEURON_BEFORE_8_2_24 ... */
    uint32_t           profile;     /* NPU__NEURON_P_... */
    npu_status         status;      /* the first failure */
    int                filling;     /* 0: counting */
    npu__neuron_index *refs;        /* operands of all operations, one after the other */
    uint32_t           n_refs, first, n_in; /* those of the operation at hand: from `first` on, its inputs */
    npu__neuron_seen  *seen;        /* by tensor, sorted */
    size_t             n_seen;
    const struct npu__neuron_make *twin; /* another version of the same segment: contents are shared; NULL: none */
    uint8_t           *zeros;       /* shared by all vectors of zeros; NULL: not allocated yet */
    size_t             most_zeros;  /* bytes of the longest one */
    int                differs[NPU__NEURON_VERSIONS]; /* [v]: something would be otherwise before version v */
} npu__neuron_make;

/* The operand of a value, which is added where it is new. */
NPU__FN uint32_t npu__neuron_tensor(npu__neuron_make *m, const npu__val *v);
/* Adds an operand that stands for no tensor of the model: of `rank` dimensions with contents that live as long as the
 * plan (bytes 0: an activation). */
NPU__FN uint32_t npu__neuron_extra(npu__neuron_make *m, int32_t type, uint32_t rank, const uint32_t *dims, const void *data,
                                   size_t bytes);
/* Adds one like that of a value, which is no constant, with other dimensions. */
NPU__FN uint32_t npu__neuron_like(npu__neuron_make *m, const npu__val *v, uint32_t rank, const uint32_t *dims);
/* The dimensions of a value's operand, NPU__NEURON_OPEN for open ones; how many: 1 for a number, as no tensor is without. */
NPU__FN uint32_t npu__neuron_dims(const npu__val *v, uint32_t *dims);
/* Element i of a constant of up to 32 bits. */
NPU__FN int32_t npu__neuron_int_at(const npu__val *v, int64_t i);
/* Memory for contents, for the plan's life, zeroed; NULL while counting, and after a failure. */
NPU__FN void *npu__neuron_memory(npu__neuron_make *m, size_t bytes);
/* A vector of n zeros of 4 bytes each; `scale` of an int32. */
NPU__FN uint32_t npu__neuron_zeros(npu__neuron_make *m, int32_t type, int32_t n, float scale);
/* A vector of one element. */
NPU__FN uint32_t npu__neuron_one(npu__neuron_make *m, int32_t type, const void *value);

/* An operation: inputs one by one, then npu__neuron_end, which adds the outputs of the node, or _end_in, which has one
 * output. */
NPU__FN void npu__neuron_begin(npu__neuron_make *m);
NPU__FN void npu__neuron_push(npu__neuron_make *m, uint32_t operand);
NPU__FN void npu__neuron_push_value(npu__neuron_make *m, const npu__val *v);
NPU__FN void npu__neuron_push_inputs(npu__neuron_make *m, const npu__ctx *c); /* all there are */
NPU__FN void npu__neuron_push_i32(npu__neuron_make *m, int32_t v);
NPU__FN void npu__neuron_push_u32(npu__neuron_make *m, uint32_t v);
NPU__FN void npu__neuron_push_f32(npu__neuron_make *m, float v);
NPU__FN void npu__neuron_push_bool(npu__neuron_make *m, int v);
NPU__FN void npu__neuron_push_name(npu__neuron_make *m, const char *name); /* of an extension's operation */
NPU__FN void npu__neuron_end(npu__neuron_make *m, const npu__ctx *c, int32_t code);
NPU__FN void npu__neuron_end_named(npu__neuron_make *m, const npu__ctx *c, const char *name);
NPU__FN void npu__neuron_end_in(npu__neuron_make *m, const npu__ctx *c, int32_t code, const char *name, uint32_t output);

/* Names of extension operations, by number. */
enum {
#define NPU__X(name, text) NPU__NEURON_NAME_##name,
    NPU__NEURON_OEM_OPS(NPU__X)
#undef NPU__X
    NPU__NEURON_N_NAMES
};
NPU__FN const char *npu__neuron_oem_name(int32_t number);

/* Fails with UNSUPPORTED. */
NPU__FN void npu__neuron_refuse(npu__neuron_make *m, const npu__ctx *c, const char *rule, const char *what);

/* The families: each makes the operations of one node. */
#define NPU__NEURON_FAMILIES(X) \
    X(plain) X(fused) X(concatenation) X(softmax) X(mean) X(reduce) X(batch_matmul) X(gelu) X(leaky_relu) X(split) \
    X(strided_slice) X(unpack) X(squared_difference) X(pool) X(conv) X(transpose_conv) X(fully_connected) \
    X(resize_bilinear) X(resize_nearest) X(composite)
#define NPU__X(name) NPU__FN void npu__neuron_lower_##name(npu__neuron_make *m, const npu__ctx *c, int32_t code);
NPU__NEURON_FAMILIES(NPU__X)
#undef NPU__X

#endif
#endif
