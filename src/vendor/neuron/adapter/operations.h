/* Operations that the software adapter runs: one row each, with its operands, and the operator that it becomes. */
#ifndef NPU__VENDOR_NEURON_OPERATIONS_H
#define NPU__VENDOR_NEURON_OPERATIONS_H

#include "../../../graph/operand_words.h"
#include "adapter.h"

#if NPU__HAS_NEURON_SOFTWARE

/* What is special about an operation: graph.c. */
enum {
    NPU__NSW_PLAIN,
    NPU__NSW_BIAS,       /* operand 2 is a bias: its scale is that of the product */
    NPU__NSW_DENSE,      /* likewise, and an output of more than two dimensions keeps those of the input */
    NPU__NSW_RESHAPE,    /* without a shape, that of the output */
    NPU__NSW_RESIZE,     /* the size is that of the output */
    NPU__NSW_PRELU,      /* one alpha for all, a float, is LEAKY_RELU's */
    NPU__NSW_UNPACK,     /* it does not say how many outputs there are */
    NPU__NSW_RMS_NORM,   /* several operators */
    NPU__NSW_LAYER_NORM
};

/* Flags. */
enum {
    NPU__NSW_MOVES = 1, /* results are values of the inputs: nothing to round */
    NPU__NSW_HALF = 2   /* computes float16 itself; others are given float32 */
};

/* `operands`: words (../../../graph/operand_words.h). Kinds of scalars: i integer, b bool, f float, p padding code, a activation,
 * n a bool that must be false, l an axis that must be the last one, x any; `$`: bytes that name an extension's operation.
 * `types`: of input 0: f float32, h float16, 8 (u)int8, 6 (u)int16, i (u)int32, b bool. */
typedef struct npu__nsw_row {
    int32_t     code;
    const char *oem;  /* name of the extension's operation; NULL: a code of its own */
    const char *name; /* the operator */
    const char *operands, *types;
    int32_t     special, flags;
} npu__nsw_row;

/* graph.c: makes a model's operators. */
typedef struct npu__nsw_maker {
    const npu__nsw_model *m;
    npu_graph            *g;
    npu__pool             temp;
    int32_t              *tensor; /* of the graph, by operand; -1: not there yet */
    npu_diag             *diag;
    int32_t               op;     /* of the model, for messages */
    int32_t               relaxed;
} npu__nsw_maker;
/* With room for what it notes of every operand, in `pool`. False: no memory. */
NPU__FN int npu__nsw_maker_init(npu__nsw_maker *k, const npu__nsw_model *model, npu__pool *pool, npu_diag *diag);
/* A tensor like the operand that no constant is; of another type if `type` >= 0: then without scales. */
NPU__FN npu_status npu__nsw_fresh(npu__nsw_maker *k, const npu__nsw_operand *o, int32_t type, int32_t *out);
NPU__FN npu_status npu__nsw_constant(npu__nsw_maker *k, int32_t type, int32_t n, const void *data, size_t bytes,
                                     int32_t *out);
NPU__FN npu_status npu__nsw_add(npu__nsw_maker *k, const char *name, const int32_t *in, int32_t n_in, const int32_t *out,
                                int32_t n_out, int32_t *op);
/* What an operation does not take. */
NPU__FN npu_status npu__nsw_refuse(npu__nsw_maker *k, const char *what);
#define NPU__NSW_FAIL(k, what) npu__nsw_refuse((k), what)
/* norm.c: the operators of RMS_NORM and LAYER_NORM, of the operation's inputs as tensors. */
NPU__FN npu_status npu__nsw_norm(npu__nsw_maker *k, const npu__nsw_op *op, const int32_t *in, int32_t out);
/* All operations, or one (`only` >= 0), as a model. */
NPU__FN npu_status npu__nsw_make(npu__nsw_maker *k, int32_t only, npu_model **out);

/* May the operation be added: a code of the adapter, with the operands it takes? Codes without a row take any. */
NPU__FN int npu__nsw_row_of(const npu__nsw_model *m, const npu__nsw_op *op);
/* Its row; NULL: the adapter cannot run it. */
NPU__FN const npu__nsw_row *npu__nsw_row_named(const npu__nsw_model *m, const npu__nsw_op *op);
NPU__FN const char *npu__nsw_op_name(int32_t code);
/* Is it one of the extension, which has a name instead of a code? */
NPU__FN int npu__nsw_is_general(const npu__nsw_op *op);
/* The value of a scalar that the model has: false if it has none, or is no integer (a float). The float may be a tensor of one
 * element. */
NPU__FN int npu__nsw_int(const npu__nsw_operand *o, int64_t *out);
NPU__FN int npu__nsw_float(const npu__nsw_operand *o, double *out);

#endif
#endif
