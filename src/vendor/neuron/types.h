/* Element types and quantization as operand types: one table, for the verdict and for lowering. */
#ifndef NPU__VENDOR_NEURON_TYPES_H
#define NPU__VENDOR_NEURON_TYPES_H

#include "api.h"
#include "rules/profiles.h"

#if NPU__HAS_NEURON

/* How a tensor is quantized: no scale, one scale (T) or several (C), with zero points that are all 0 or not (Z). As bits. */
enum {
    NPU__NEURON_Q_NONE = 1, NPU__NEURON_Q_T0 = 2, NPU__NEURON_Q_TZ = 4, NPU__NEURON_Q_C0 = 8, NPU__NEURON_Q_CZ = 16,
    NPU__NEURON_Q_T = 6, NPU__NEURON_Q_C = 24, NPU__NEURON_Q_PLAIN = 7, NPU__NEURON_Q_ANY = 31
};

/* Flags of a row: constants only; scales by channel are given (of constants; other tensors go without); by the call for
 * asymmetric ones in any case. */
enum { NPU__NEURON_CONSTANT = 1, NPU__NEURON_SCALES = 2, NPU__NEURON_GENERAL = 4 };

/* X(element type, profiles, kinds, operand type, the same before 8.2.28, flags) */
#define NPU__NEURON_TYPE_ROWS(X, P) \
    X(FLOAT32, P##ALL, ANY, TENSOR_FLOAT32, TENSOR_FLOAT32, 0) \
    X(FLOAT16, P##ALL, ANY, TENSOR_FLOAT16, TENSOR_FLOAT16, 0) \
    X(BOOL, P##ALL, ANY, TENSOR_BOOL8, TENSOR_BOOL8, 0) \
    X(INT32, P##PUB, ANY, TENSOR_INT32, TENSOR_INT32, 0) \
    X(INT32, P##L23, PLAIN, TENSOR_INT32, TENSOR_INT32, 0) \
    X(INT32, P##L23, C, EXT_TENSOR_INT32_SYMM_PER_CHANNEL, TENSOR_INT32, NPU__NEURON_SCALES) \
    X(INT16, P##ALL, T0, TENSOR_QUANT16_SYMM, TENSOR_QUANT16_SYMM, 0) \
    X(INT16, P##L23, TZ, EXT_TENSOR_QUANT16_ASYMM_SIGNED, EXT_TENSOR_QUANT16_ASYMM_SIGNED, 0) \
    X(UINT16, P##L23, T, TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_ASYMM, 0) \
    X(UINT8, P##ALL, PLAIN, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM, 0) \
    X(UINT8, P##L23, C, EXT_TENSOR_QUANT8_ASYMM_PER_CHANNEL, EXT_TENSOR_QUANT8_ASYMM_PER_CHANNEL, \
      NPU__NEURON_SCALES | NPU__NEURON_GENERAL) \
    X(INT8, P##ALL, T0, TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM, 0) \
    X(INT8, P##ALL, C0, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_QUANT8_SYMM_PER_CHANNEL, NPU__NEURON_SCALES) \
    X(INT8, P##L23, TZ, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED, 0) \
    X(INT8, P##L23, CZ, EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL, EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL, \
      NPU__NEURON_SCALES) \
    X(INT4, P##ALL, T0, EXT_TENSOR_QUANT4_SYMM, EXT_TENSOR_QUANT4_SYMM, 0) \
    X(INT4, P##ALL, C0, EXT_TENSOR_QUANT4_SYMM_PER_CHANNEL, EXT_TENSOR_QUANT4_SYMM, NPU__NEURON_SCALES) \
    X(INT4, P##L23, TZ, EXT_TENSOR_QUANT4_ASYMM_SIGNED, EXT_TENSOR_QUANT4_ASYMM_SIGNED, 0) \
    X(INT4, P##L23, CZ, EXT_TENSOR_QUANT4_ASYMM_SIGNED_PER_CHANNEL, EXT_TENSOR_QUANT4_ASYMM_SIGNED, NPU__NEURON_SCALES) \
    X(INT2, P##L23, T0, EXT_TENSOR_QUANT2_SYMM, EXT_TENSOR_QUANT2_SYMM, 0) \
    X(INT2, P##L23, C0, EXT_TENSOR_QUANT2_SYMM_PER_CHANNEL, EXT_TENSOR_QUANT2_SYMM_PER_CHANNEL, 0) \
    X(INT2, P##L23, TZ, EXT_TENSOR_QUANT2_ASYMM_SIGNED, EXT_TENSOR_QUANT2_ASYMM_SIGNED, 0) \
    X(INT2, P##L23, CZ, EXT_TENSOR_QUANT2_ASYMM_SIGNED_PER_CHANNEL, EXT_TENSOR_QUANT2_ASYMM_SIGNED_PER_CHANNEL, 0) \
    X(INT64, P##PUB, ANY, TENSOR_INT32, TENSOR_INT32, NPU__NEURON_CONSTANT) \
    X(INT64, P##L23, PLAIN, TENSOR_INT32, TENSOR_INT32, NPU__NEURON_CONSTANT) \
    X(INT64, P##L23, C, EXT_TENSOR_INT32_SYMM_PER_CHANNEL, TENSOR_INT32, NPU__NEURON_CONSTANT | NPU__NEURON_SCALES)

typedef struct npu__neuron_type_row {
    int32_t  type; /* npu_type */
    uint32_t profiles, kinds;
    int32_t  code, before; /* NPU__NEURON_TYPE_... */
    uint32_t flags;
} npu__neuron_type_row;

/* Is that dimension left open? LiteRT reads the signature of tensors whose rank the file says to be known. */
NPU__FN int npu__neuron_dim_open(const npu__val *v, int32_t i);
/* One of NPU__NEURON_Q_...: goes through all zero points. Not of blockwise quantization, which has no operand type. */
NPU__FN uint32_t npu__neuron_kind(const npu__tensor *t);
/* The row of a value with that kind; NULL: it cannot be said to the adapter. */
NPU__FN const npu__neuron_type_row *npu__neuron_type_of(const npu__val *v, uint32_t kind, uint32_t profile);
/* Has the profile any row for this element type? */
NPU__FN int npu__neuron_type_known(int32_t type, uint32_t profile);

#endif
#endif
