/* Tensors of an operator as Vela 5.2 reads them from a file.
 *
 * Which part a tensor plays decides what is checked. Shapes are the declared ones; "any size" is 1 in the first
 * dimension and stays -1 elsewhere. Without dimensions a stored tensor still has one, an activation has no shape. */
#ifndef NPU__VENDOR_ETHOSU_LOOK_VELA_5_2_H
#define NPU__VENDOR_ETHOSU_LOOK_VELA_5_2_H

#include "look.h"
#include "profiles.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum {
    NPU__V52_IFM = 'i', NPU__V52_WEIGHTS = 'w', NPU__V52_BIAS = 'b', NPU__V52_PARAMS = 'p', NPU__V52_STATE = 's',
    NPU__V52_SCRATCH = 'x', NPU__V52_OFM = 'o'
};

typedef struct npu__v52_tensor {
    const npu__tensor *t;
    npu__shape         shape;
    int32_t            role, at; /* at: position among inputs (intermediates, outputs) */
} npu__v52_tensor;

NPU__FN int32_t npu__v52_role(int32_t code, int32_t input);
/* For npu__profile.unread: parameters are part of what is compiled. A variable's handle is
 * none, and the output's shape of TRANSPOSE_CONV stays an input. */
NPU__FN int npu__v52_unread(const npu__node *node, int32_t input);
/* For npu__profile.complete: elementwise operators and QUANTIZE give an output without a shape that of their inputs. */
NPU__FN void npu__v52_complete(npu__shape *shapes, const npu__node *node);
/* For npu__profile.merged: a convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND is judged as the dilated one that
 * all three become, where that one is taken. */
NPU__FN int npu__v52_merged(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx);
/* All tensors: inputs, intermediates, outputs; false for one that is left out. */
NPU__FN int32_t npu__v52_count(const npu__ctx *c);
NPU__FN int     npu__v52_at(const npu__ctx *c, int32_t i, npu__v52_tensor *out);
/* The n-th of a role, from 0; false when there is none. An input left out counts. */
NPU__FN int npu__v52_find(const npu__ctx *c, int32_t role, int32_t n, npu__v52_tensor *out);
/* The first input and the output; false when one is missing. */
NPU__FN int npu__v52_in_out(const npu__ctx *c, npu__v52_tensor *in, npu__v52_tensor *out);

/* `given`: what npu__v52_complete made of a tensor without a shape. */
NPU__FN npu__shape npu__v52_shape_of(const npu__tensor *t, const npu__shape *given);
/* Larger dimensions of both, lined up at the end. */
NPU__FN npu__shape npu__v52_union(const npu__shape *a, const npu__shape *b);

NPU__FN int     npu__v52_stored(const npu__tensor *t);
NPU__FN int64_t npu__v52_int(const npu__tensor *t, int64_t i); /* element i of stored integers, 0 past the end */
NPU__FN int64_t npu__v52_stored_elems(const npu__tensor *t);   /* how many of them there are */
NPU__FN int     npu__v52_bits(int32_t type);                   /* of an element, 0 for types without a size */

/* Axis i counted from the end (1: depth, 2: width, 3: height, 4: batch), 1 where there is none. */
NPU__FN int64_t npu__v52_axis(const npu__shape *s, int32_t i);
NPU__FN int64_t npu__v52_elems(const npu__shape *s); /* saturates */

/* Adds "input 1: <what>" to the measured values. */
NPU__FN void npu__v52_add(npu__got *got, const npu__v52_tensor *v, const char *what);
NPU__FN void npu__v52_add_type(npu__got *got, const npu__v52_tensor *v);
NPU__FN void npu__v52_add_shape(npu__got *got, const npu__v52_tensor *v);
NPU__FN void npu__v52_shape_text(const npu__shape *s, char *out, size_t cap);

typedef struct npu__v52_kernel {
    int64_t w, h, stride_w, stride_h, dilation_w, dilation_h;
    int32_t valid;  /* padding VALID */
    int32_t padded; /* there are cells to pad with */
} npu__v52_kernel;

NPU__FN npu__v52_kernel npu__v52_kernel_of(const npu__ctx *c);
NPU__FN int32_t         npu__v52_fused_code(const npu__ctx *c);

/* predicates_vela_5_2_generic.c: can this tensor's type, and its zero point, be used at all? */
NPU__FN int npu__v52_type_fits(const npu__rule *r, int32_t type);
NPU__FN int npu__v52_zero_point_fits(const npu__rule *r, const npu__v52_tensor *v, int32_t zero);
/* predicates_vela_5_2_model.c: first and second input and output with their shapes as stored. False: one is missing. */
NPU__FN npu__shape npu__v52_file_shape(const npu__tensor *t);
NPU__FN int npu__v52_stored_pair(const npu__ctx *c, npu__v52_tensor *in, npu__v52_tensor *out);
NPU__FN int npu__v52_stored_second(const npu__ctx *c, npu__v52_tensor *b);
NPU__FN int npu__v52_got_shapes(npu__got *got, const npu__v52_tensor *a, const npu__v52_tensor *b);
NPU__FN int npu__v52_resizable(const npu__tensor *t);

#endif
#endif
