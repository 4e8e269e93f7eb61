/* What Ethos-U predicates look at, and how they say what they saw. */
#ifndef NPU__VENDOR_ETHOSU_LOOK_H
#define NPU__VENDOR_ETHOSU_LOOK_H

#include "../../../ops/util.h"
#include "../ethosu.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* Leading inputs that are feature maps or weights, as the published document counts them. */
NPU__FN int32_t npu__ethosu_n_data(const npu__ctx *c);
/* The i-th of them, outputs last; NULL for an input left out. */
NPU__FN const npu__val *npu__ethosu_data(const npu__ctx *c, int32_t i, int32_t *is_out);
/* Input i, NULL when it is left out or there are fewer. */
NPU__FN const npu__val *npu__ethosu_in(const npu__ctx *c, int32_t i);

/* What the converter takes an operator's tensors for, listed in the profile or not. The order is that of its checks. */
enum {
    NPU__ETHOSU_IFM, NPU__ETHOSU_IFM2, NPU__ETHOSU_WEIGHTS, NPU__ETHOSU_OFM, /* what generic checks look at */
    NPU__ETHOSU_BIAS,
    NPU__ETHOSU_N_CHECKED = NPU__ETHOSU_BIAS
};
/* NULL where the operator has no such tensor. *input: its position among the inputs, -1 for the output. May be NULL. */
NPU__FN const npu__val *npu__ethosu_role(const npu__ctx *c, int32_t role, int32_t *input);
/* Adds "input 1: <what>" or "output 0: <what>" to the measured values. */
NPU__FN void npu__ethosu_add_role(npu__got *got, int32_t input, const char *what);

/* How many integers a value has stored (sparse tensors store fewer than their shape says; 0 when it has none), and the
 * i-th of them, 0 past the end. */
NPU__FN int64_t npu__ethosu_stored(const npu__val *v);
NPU__FN int64_t npu__ethosu_int(const npu__val *v, int64_t i);
/* Elements by the shape; saturates, for shapes of types without a size are not checked. */
NPU__FN int64_t npu__ethosu_elems(const npu__val *v);

typedef struct npu__ethosu_window {
    int32_t stride_w, stride_h, dilation_w, dilation_h, filter_w, filter_h;
    int32_t valid; /* padding */
} npu__ethosu_window;

NPU__FN npu__ethosu_window npu__ethosu_window_of(const npu__ctx *c);
/* Code of the fused activation, 0 for none and for ops that have no such option. */
NPU__FN int32_t npu__ethosu_fused_code(const npu__ctx *c);

NPU__FN int npu__ethosu_is_signed(int32_t type);   /* integers only */
NPU__FN int npu__ethosu_is_unsigned(int32_t type); /* integers only */
/* Do both have quantization parameters, and equal ones? Of any type: the converter does not ask for integers. */
NPU__FN int npu__ethosu_same_quant(const npu__val *a, const npu__val *b);

/* Products of hostile numbers saturate. */
NPU__FN int64_t npu__ethosu_product(int64_t a, int64_t b);
NPU__FN int npu__ethosu_outside(const npu__rule *r, int64_t v);
/* Broken, and stated, when outside of the rule's limits. */
NPU__FN int npu__ethosu_number(const npu__rule *r, int64_t v, npu__got *got);
NPU__FN int npu__ethosu_pair(const npu__rule *r, int32_t w, int32_t h, npu__got *got);

/* "int8" for INT8. */
NPU__FN void npu__ethosu_type_name(int32_t type, char out[24]);
/* "[1, 2]" */
NPU__FN void npu__ethosu_shape_text(const npu__val *v, char *out, size_t cap);
/* States the shapes of an input and an output: "[1, 2] to [1, 3]". */
NPU__FN int npu__ethosu_got_shapes(npu__got *got, const npu__val *a, const npu__val *b);
/* States types in the same way. */
NPU__FN int npu__ethosu_got_types(npu__got *got, const npu__val *a, const npu__val *b);

#endif
#endif
