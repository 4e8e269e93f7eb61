/* Checks and small computations that many ops share. Put a helper here when the third op needs it. */
#ifndef NPU__OPS_UTIL_H
#define NPU__OPS_UTIL_H

#include "../base/fixed.h"
#include "../base/fp16.h"
#include "../graph/ask.h"
#include "../tflite/schema.h"

#define NPU__TRY(call)                                  \
    do {                                                \
        npu_status npu__s_ = (call);                    \
        if (npu__s_ != NPU_OK) return npu__s_;          \
    } while (0)

/* Elements of a value; shapes are checked before ops see them, so this cannot overflow. */
NPU__INLINE int64_t npu__elems(const npu__val *v) {
    int64_t n = 1;
    for (int32_t i = 0; i < v->shape.rank; i++) n *= v->shape.dims[i];
    return n;
}
/* Dim i, counted from the end when negative; 1 where the rank is too small. */
NPU__INLINE int32_t npu__dim(const npu__val *v, int32_t i) {
    if (i < 0) i += v->shape.rank;
    return i >= 0 && i < v->shape.rank ? v->shape.dims[i] : 1;
}
/* Product of dims [from, to). */
NPU__INLINE int64_t npu__dims_product(const npu__shape *s, int32_t from, int32_t to) {
    int64_t n = 1;
    for (int32_t i = from; i < to; i++) n *= s->dims[i];
    return n;
}
NPU__INLINE npu__val *npu__opt_in(const npu__ctx *c, int32_t i) { return i < c->n_in ? c->in[i] : NULL; }
NPU__INLINE int npu__is_const(const npu__val *v) { return v->t->data != NULL; }

#define NPU__MATMUL_TILE 48 /* rows of a product that share a walk over its right matrix, where threads share them out */

/* For evals of many short passes: polls about every NPU__POLL_STEPS. `done` counts the steps since the last time. */
#define NPU__POLL_STEPS 65536
#define NPU__POLL_PASS(ctx, done, steps)        \
    do {                                        \
        (done) += (steps);                      \
        if ((done) >= NPU__POLL_STEPS) {        \
            NPU__POLL((ctx), (done));           \
            (done) = 0;                         \
        }                                       \
    } while (0)

/* Copies, in pieces that can be stopped where there is much: for evals that move whole tensors. */
NPU__FN void npu__copy_bytes(npu__ctx *c, void *to, const void *from, size_t bytes);
/* The same for many copies of which few are large. */
NPU__INLINE void npu__copy_some(npu__ctx *c, void *to, const void *from, size_t bytes) {
    if (bytes > 1 << 20) npu__copy_bytes(c, to, from, bytes);
    else if (bytes > 0) memcpy(to, from, bytes);
}

/* Work of functions like exp: 16 steps for each element where they are computed in float, one where a table answers. */
NPU__FN npu__work npu__work_exp(const npu__ctx *c);
/* Steps for each element of output 0. */
NPU__FN npu__work npu__work_each(const npu__ctx *c, int64_t steps);

/* "this type combination is not supported": the one message for it. Names op, types of all inputs and output 0. */
NPU__FN npu_status npu__fail_types(npu__ctx *c);
/* Input (output) `i` must have rank in [lo, hi]; rule "<op>.rank". */
NPU__FN npu_status npu__need_rank(npu__ctx *c, const npu__val *v, const char *what, int32_t lo, int32_t hi);
/* Must have the type; UNSUPPORTED otherwise. */
NPU__FN npu_status npu__need_type(npu__ctx *c, const npu__val *v, const char *what, int32_t type);
/* Per-tensor quantization with a finite positive scale and a zero point inside the type's range. */
NPU__FN npu_status npu__need_quant(npu__ctx *c, const npu__val *v, const char *what);
/* Of blockwise weights, `rows` rows of `depth`: a scale, as FLOAT16, for each `*block` of a row. They are a constant of their own that
 * no operator reads. */
NPU__FN npu_status npu__need_block_scales(npu__ctx *c, const npu__val *w, int64_t rows, int32_t depth, int32_t *block,
                                          const uint16_t **scales);
/* One scale, or one for each of `n` channels: nothing else may be indexed by channel. */
NPU__FN npu_status npu__need_channel_quant(npu__ctx *c, const npu__val *v, const char *what, int64_t n);
NPU__INLINE float   npu__scale(const npu__val *v) { return v->t->quant.scale[0]; }
NPU__INLINE int32_t npu__zero_point(const npu__val *v) { return v->t->quant.zero_point[0]; }
NPU__INLINE int npu__has_quant(const npu__val *v) { return v->t->quant.count > 0; }

/* Fused activation codes of the schema (ActivationFunctionType). */
/* Clamp bounds of a fused activation, real and quantized (CalculateActivationRangeQuantized). TANH and SIGN_BIT are
 * refused with UNSUPPORTED, as TFLite does. */
NPU__FN npu_status npu__act_range_f32(npu__ctx *c, int32_t act, float *lo, float *hi);
NPU__FN npu_status npu__act_range_q(npu__ctx *c, int32_t act, const npu__val *out, int32_t *lo, int32_t *hi);

/* numpy broadcasting of two shapes; INVALID_MODEL "<op>.broadcast" when they do not fit. */
NPU__FN npu_status npu__broadcast_shape(npu__ctx *c, const npu__shape *a, const npu__shape *b, npu__shape *out);

/* Reads element i of an INT32, INT64, INT16, INT8, UINT8 or UINT32 value with data. */
NPU__FN int64_t npu__int_at(const npu__val *v, int64_t i);
/* The first element in [i, end) that is `value`; -1: none. Of the types above. */
NPU__FN int64_t npu__find_int(const npu__val *v, int64_t value, int64_t i, int64_t end);
/* Copies int4 (packed, low nibble first) to int8. n = elements. */
NPU__FN void npu__unpack_int4(const uint8_t *in, int64_t n, int8_t *out);

/* Common infer rules. */
NPU__FN npu_status npu__infer_same_as_in0(npu__ctx *c);    /* out 0 has in 0's shape */
NPU__FN npu_status npu__infer_broadcast2(npu__ctx *c);     /* out 0 = broadcast(in 0, in 1) */
NPU__FN npu_status npu__infer_same_shapes(npu__ctx *c);    /* out 0, in 0 and in 1 have one shape */

#endif
