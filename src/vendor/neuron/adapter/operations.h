/* Operations that the software adapter runs: one row each, with its operands, and the operator that it becomes. */
#ifndef NPU__VENDOR_NEURON_OPERATIONS_H
#define NPU__VENDOR_NEURON_OPERATIONS_H

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

/* `operands`, a word each:
 *   3                tensor, input 3 of the operator. A scalar will do: it becomes a tensor. 0+: any number of them
 *   name:k           scalar, option `name` (none: looked at only). k: i integer, b bool, f float, p padding code,
 *                    a activation, n a bool that must be false, l an axis that must be the last one, x any
 *   [                the rest may be left out
 *   $                bytes that name an extension's operation
 * `types`: of input 0: f float32, h float16, 8 (u)int8, 6 (u)int16, i (u)int32, b bool. */
typedef struct npu__nsw_row {
    int32_t     code;
    const char *oem;  /* name of the extension's operation; NULL: a code of its own */
    const char *name; /* the operator */
    const char *operands, *types;
    int32_t     special, flags;
} npu__nsw_row;

/* One operand of an operation, as its row has it. */
typedef struct npu__nsw_slot {
    char     kind;     /* t: a tensor */
    int32_t  input;    /* of a tensor */
    npu__str option;
} npu__nsw_slot;

/* Goes through the words of a row as it goes through the operands. */
typedef struct npu__nsw_cursor {
    const char *at;
    int32_t     repeated; /* tensors that 0+ gave so far */
    int32_t     optional;
} npu__nsw_cursor;

NPU__FN npu__nsw_cursor npu__nsw_cursor_of(const npu__nsw_row *row);
/* The slot of the next operand when `left` operands are there with it. False: the row has no more. */
NPU__FN int npu__nsw_next(npu__nsw_cursor *c, uint32_t left, npu__nsw_slot *slot);

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
/* All operations, or one (`only` >= 0), as a model. */
NPU__FN npu_status npu__nsw_make(npu__nsw_maker *k, int32_t only, npu_model **out);

/* May the operation be added: a code of the adapter, with the operands it takes? Codes without a row take any. */
NPU__FN int npu__nsw_row_of(const npu__nsw_model *m, const npu__nsw_op *op);
/* Its row; NULL: the adapter cannot run it. */
NPU__FN const npu__nsw_row *npu__nsw_row_named(const npu__nsw_model *m, const npu__nsw_op *op);
NPU__FN const char *npu__nsw_op_name(int32_t code);
/* Is it one of the extension, which has a name instead of a code? */
NPU__FN int npu__nsw_is_general(const npu__nsw_op *op);
/* The value of a scalar that the model has: false if it has none, or is no integer (a float). */
NPU__FN int npu__nsw_int(const npu__nsw_operand *o, int64_t *out);
NPU__FN int npu__nsw_float(const npu__nsw_operand *o, double *out);

#endif
#endif
