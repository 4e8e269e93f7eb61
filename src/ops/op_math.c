/* POW, ATAN2 and SIGN. */
#include "elementwise.h"

/* ---- POW ---- */

/* Elements as LiteRT on x86 has them: computed in double, and what is outside of int32 becomes its least number. */
NPU__INLINE int32_t npu__pow_i32(int32_t x, int32_t y) {
    int64_t r = 1;
    if (x == 0 || x == 1) return y == 0 ? 1 : x;
    if (x == -1) return y & 1 ? -1 : 1;
    for (; y > 0; y--) { /* |x| is at least 2: 32 rounds at most */
        r *= x;
        if (r > INT32_MAX || r < INT32_MIN) return INT32_MIN;
    }
    return (int32_t)r;
}
/* One exponent for all: LiteRT multiplies in int32, which wraps. */
NPU__INLINE int32_t npu__pow_wrapping(int32_t x, int32_t y) {
    uint32_t r = 1, square = (uint32_t)x;
    for (; y > 0; y >>= 1) {
        if (y & 1) r *= square;
        square *= square;
    }
    return (int32_t)r;
}

NPU__EW_ROW2(npu__pow_any_f32, NPU__EW_NO_LOCALS, float, float, float, powf(x, y))
NPU__EW_VEC_ROW1(npu__pow_2_f32, NPU__EW_NO_LOCALS, float, float, x * x)
NPU__EW_VEC_ROW1(npu__pow_3_f32, NPU__EW_NO_LOCALS, float, float, x * x * x)
/* The exponents that networks have, where one is for all, are products. */
NPU__FN void npu__pow_f32(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const float y = step[1] ? 0.0f : *(const float *)in[1];
    if (y >= 2.0f && y <= 2.0f) npu__pow_2_f32(op, in, out, n, step);
    else if (y >= 3.0f && y <= 3.0f) npu__pow_3_f32(op, in, out, n, step);
    else npu__pow_any_f32(op, in, out, n, step);
}
NPU__EW_ROW2(npu__pow_i32_row, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, npu__pow_i32(x, y))
NPU__EW_ROW2(npu__pow_i32_one, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, npu__pow_wrapping(x, y))

NPU__FN npu_status npu__pow_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare(c, npu__pow_f32, 2);
    if (c->in[0]->type != NPU_INT32) return npu__fail_types(c);
    return npu__ew_prepare(c, npu__elems(c->in[1]) == 1 && !npu__shape_eq(&c->in[0]->shape, &c->in[1]->shape)
                                  ? npu__pow_i32_one : npu__pow_i32_row, 2);
}

NPU__FN npu_status npu__pow_eval(npu__ctx *c) {
    const int64_t n = c->in[1]->type == NPU_INT32 ? npu__elems(c->in[1]) : 0;
    int64_t       done = 0;
    for (int64_t i = 0; i < n; i++) {
        if (((const int32_t *)c->in[1]->data)[i] < 0) {
            return NPU__FAIL(c, NPU_BAD_INPUT, "pow.negative", "exponents of integers must not be negative: element %l of input 1",
                             i);
        }
        NPU__POLL_PASS(c, done, 1);
    }
    return npu__ew_eval(c);
}

NPU__OPDEF(npu__op_pow) = {2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_INPLACE1, NPU__DATA(npu__ew), npu__infer_broadcast2,
                           npu__pow_prepare, NULL, npu__pow_eval, npu__work_exp};

/* ---- ATAN2 ---- */

NPU__EW_ROW2(npu__atan2_f32, NPU__EW_NO_LOCALS, float, float, float, atan2f(x, y))
NPU__EW_ROW2(npu__atan2_f64, NPU__EW_NO_LOCALS, double, double, double, atan2(x, y))

/* Shapes must be equal: LiteRT does not broadcast here, and of other shapes reads past the smaller input. */
NPU__FN npu_status npu__atan2_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare(c, npu__atan2_f32, 2);
    return c->in[0]->type == NPU_FLOAT64 ? npu__ew_prepare(c, npu__atan2_f64, 2) : npu__fail_types(c);
}

NPU__OPDEF(npu__op_atan2) = {2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_INPLACE1, NPU__DATA(npu__ew), npu__infer_same_shapes,
                             npu__atan2_prepare, NULL, npu__ew_eval, npu__work_exp};

/* ---- SIGN ---- */

/* NaN stays; both zeros give +0. */
NPU__EW_VEC_ROW1(npu__sign_f32, NPU__EW_NO_LOCALS, float, float, x != x ? x : (float)((x > 0.0f) - (x < 0.0f)))
NPU__EW_ROW1(npu__sign_f64, NPU__EW_NO_LOCALS, double, double, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x <= 0.0 ? 0.0 : x)
NPU__EW_VEC_ROW1(npu__sign_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, (x > 0) - (x < 0))

NPU__FN npu_status npu__sign_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare_loops(c, npu__sign_f32, 1);
    case NPU_FLOAT64: return npu__ew_prepare(c, npu__sign_f64, 1);
    case NPU_INT32: return npu__ew_prepare_loops(c, npu__sign_i32, 1);
    default: return npu__fail_types(c);
    }
}

NPU__OPDEF(npu__op_sign) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                            npu__sign_prepare, NULL, npu__ew_eval, NULL};
