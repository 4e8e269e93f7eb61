/* Operations of NNAPI: a row each for every list of operands it may have, and the operator that it becomes. */
#ifndef NPU__NNAPI_OPERATIONS_H
#define NPU__NNAPI_OPERATIONS_H

#include "nnapi.h"

#if NPU__HAS_NNAPI

typedef struct npu__nn_maker npu__nn_maker;

/* `operands`: words (../graph/operand_words.h). Kinds of scalars: i integer or bool, b bool, f float, a activation, p padding
 * code, n whether data is NCHW, L R T B rows and columns of padding, l an axis (0 if there is none) that must be the last one,
 * x any, m a model. `make`: what more there is to it than the operator; NULL: nothing. */
typedef struct npu__nn_row {
    int32_t     code;
    const char *name, *operands;
    npu_status (*make)(npu__nn_maker *k, const npu__nn_op *op);
} npu__nn_row;

/* The row that takes its operands; NULL: the device does not run it. *known: does any row stand for the operation, whatever its
 * operands? */
NPU__FN const npu__nn_row *npu__nn_row_of(const ANeuralNetworksModel *m, const npu__nn_op *op, int *known);

/* A model that is a subgraph already. */
typedef struct npu__nn_made {
    const ANeuralNetworksModel *model;
    uint32_t                    outputs;
    int32_t                     subgraph;
    struct npu__nn_made        *next;
} npu__nn_made;

/* Makes a model's operators. Functions that add something say NPU_OK, or explain in diag. */
struct npu__nn_maker {
    const ANeuralNetworksModel *m;
    npu_graph                  *g;
    int32_t                     subgraph;
    npu__pool                  *temp;
    npu__nn_made              **made;   /* shared by all makers of a graph */
    int32_t                    *tensor; /* of the graph, by operand; -1: not there yet */
    npu_diag                   *diag;
    const npu__nn_op           *op;     /* for messages */
    uint32_t                    number; /* of the operation as the caller counts */
};

/* A tensor that an operator of ours writes: what it is, and if its shape is known. */
typedef struct npu__nn_shape {
    int32_t rank, dims[NPU_MAX_RANK]; /* -1: not known */
} npu__nn_shape;

NPU__FN npu_status npu__nn_refuse(npu__nn_maker *k, const char *what);
/* Operand `i` of the operation. */
NPU__FN const npu__nn_operand *npu__nn_arg(const npu__nn_maker *k, uint32_t i);
NPU__FN npu__nn_shape npu__nn_shape_of(const npu__nn_operand *o);
/* Is its rank known, and all its dimensions? */
NPU__FN int npu__nn_shape_known(const npu__nn_operand *o);
/* The value of a scalar, or of a tensor of one element; false if the model has none. */
NPU__FN int npu__nn_int(const npu__nn_operand *o, int64_t *out);
NPU__FN int npu__nn_float(const npu__nn_operand *o, double *out);
/* Likewise of operand `i`; a failure is explained. */
NPU__FN npu_status npu__nn_int_arg(npu__nn_maker *k, uint32_t i, int64_t *out);
NPU__FN npu_status npu__nn_float_arg(npu__nn_maker *k, uint32_t i, double *out);
/* Is operand `i` there, with a value or from somebody? */
NPU__FN int npu__nn_has(const npu__nn_maker *k, uint32_t i);

/* The tensor of operand `i` as it is read; -1: left out. */
NPU__FN npu_status npu__nn_read(npu__nn_maker *k, uint32_t i, int32_t *out);
/* The tensor for output `i`, which an operator is to write. */
NPU__FN npu_status npu__nn_write(npu__nn_maker *k, uint32_t i, int32_t *out);
/* A tensor with the type and scales of an operand and a shape of its own. */
NPU__FN npu_status npu__nn_like(npu__nn_maker *k, const npu__nn_operand *o, const npu__nn_shape *shape, int32_t *out);
/* A float32 tensor. */
NPU__FN npu_status npu__nn_real(npu__nn_maker *k, const npu__nn_shape *shape, int32_t *out);
/* What a tensor like an operand is, to be changed before it is added. */
NPU__FN void npu__nn_describe(npu_tensor_desc *d, const npu__nn_operand *o, const npu__nn_shape *shape);
/* Room for `n` tensors and one more, in memory of the maker's; NULL: explained. */
NPU__FN int32_t *npu__nn_list(npu__nn_maker *k, size_t n);
/* Constants, which are copied: of any type, a list of int32, one float32. */
NPU__FN npu_status npu__nn_constant(npu__nn_maker *k, npu_type type, const npu__nn_shape *shape, const void *data, size_t bytes,
                                    int32_t *out);
NPU__FN npu_status npu__nn_ints(npu__nn_maker *k, const int32_t *values, int32_t n, int32_t *out);
NPU__FN npu_status npu__nn_number(npu__nn_maker *k, float value, int32_t *out);
/* An operator. `op` may be NULL. */
NPU__FN npu_status npu__nn_add(npu__nn_maker *k, const char *name, const int32_t *in, int32_t n_in, const int32_t *out,
                               int32_t n_out, int32_t *op);
/* An operator of one (b < 0) or two inputs and one output. */
NPU__FN npu_status npu__nn_step(npu__nn_maker *k, const char *name, int32_t a, int32_t b, int32_t to, int32_t *op);
NPU__FN npu_status npu__nn_option(npu__nn_maker *k, int32_t op, const char *name, int64_t value);
/* What a row says, without its `make`. */
NPU__FN npu_status npu__nn_plain(npu__nn_maker *k, const npu__nn_op *op);
/* The options that the row's scalars become. */
NPU__FN npu_status npu__nn_options(npu__nn_maker *k, const npu__nn_op *op, int32_t to);
/* Tensors by the inputs of the operator, of the words `operands`: `in` has room for one more than there are operands. */
NPU__FN npu_status npu__nn_inputs(npu__nn_maker *k, const npu__nn_op *op, int32_t *in, int32_t *n_in);
/* The subgraph of a model, with that many outputs: those that it lacks are its inputs of the same places, as they came. */
NPU__FN npu_status npu__nn_subgraph(npu__nn_maker *k, const ANeuralNetworksModel *model, uint32_t outputs, int32_t *subgraph);
/* Do its data and weights need another sign, as no operator takes them together? What it adds to zero points; 0: no. Then: operand
 * `i` with that sign in the place of *tensor, and a tensor like an operand, with it. */
NPU__FN int npu__nn_is_shifted(const npu__nn_maker *k);
NPU__FN npu_status npu__nn_shift(npu__nn_maker *k, uint32_t i, int32_t *tensor);
NPU__FN npu_status npu__nn_other_sign(npu__nn_maker *k, const npu__nn_operand *o, int32_t rank, int32_t *out);
/* `to` = `t` with its dimensions in another order. */
NPU__FN npu_status npu__nn_transpose(npu__nn_maker *k, int32_t t, const int32_t *perm, int32_t rank, int32_t to);

/* What has more to it than an operator: X(function, file) */
#define NPU__NN_MAKES(X) \
    X(window, "window.c") X(transpose_conv, "window.c") X(resize, "window.c") \
    X(dequantize, "rewrite.c") X(block, "rewrite.c") X(squeeze, "rewrite.c") X(reverse_dims, "rewrite.c") X(index, "rewrite.c") X(along_axis, "rewrite.c") \
    X(elu, "rewrite.c") X(shuffle, "rewrite.c") X(instance_norm, "rewrite.c") X(pack, "rewrite.c") X(rnn, "rewrite.c") \
    X(if, "rewrite.c") X(while, "rewrite.c") \
    X(private, "recurrent.c") X(counted, "recurrent.c") X(lstm, "recurrent.c") X(both_lstm, "recurrent.c") X(both_rnn, "recurrent.c") \
    X(lstm_16, "recurrent.c") X(lsh, "recurrent.c") X(multinomial, "recurrent.c") \
    X(same_scale, "requantize.c") X(pad_value, "requantize.c") X(compare, "requantize.c") X(divide, "requantize.c") X(saturate, "requantize.c")
#define NPU__X(name, file) NPU__FN npu_status npu__nn_make_##name(npu__nn_maker *k, const npu__nn_op *op);
NPU__NN_MAKES(NPU__X)
#undef NPU__X

#endif
#endif
