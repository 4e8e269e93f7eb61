/* FLOOR_DIV and FLOOR_MOD, with broadcasting. A zero divisor is an error, except for FLOOR_MOD of floats. */
#include "elementwise.h"

/* TFLite divides in double and takes the floor; for these widths that is the exact floor, computed directly here. */
NPU__INLINE int32_t npu__floor_div_int(int32_t x, int32_t y) {
    int32_t q;
    /* INT32_MIN / -1 would overflow. */
    if (y == -1) return npu__wsub32(0, x);
    q = x / y;
    return q - (q * y != x && (x < 0) != (y < 0) ? 1 : 0);
}
NPU__INLINE int64_t npu__floor_mod_int(int64_t x, int64_t y) {
    int64_t r = y == -1 ? 0 : x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
NPU__INLINE float npu__floor_mod_float(float x, float y) {
    float r = fmodf(x, y);
    return r != 0.0f && (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

NPU__EW_ROW2(npu__floor_div_f32, NPU__EW_NO_LOCALS, float, float, float, floor((double)x / (double)y))
NPU__EW_ROW2(npu__floor_div_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, int8_t, npu__floor_div_int(x, y))
NPU__EW_ROW2(npu__floor_div_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, int16_t, npu__floor_div_int(x, y))
NPU__EW_ROW2(npu__floor_div_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, npu__floor_div_int(x, y))
NPU__EW_ROW2(npu__floor_mod_f32, NPU__EW_NO_LOCALS, float, float, float, npu__floor_mod_float(x, y))
NPU__EW_ROW2(npu__floor_mod_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, int8_t, npu__floor_mod_int(x, y))
NPU__EW_ROW2(npu__floor_mod_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, int16_t, npu__floor_mod_int(x, y))
NPU__EW_ROW2(npu__floor_mod_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, npu__floor_mod_int(x, y))
NPU__EW_ROW2(npu__floor_mod_i64, NPU__EW_NO_LOCALS, int64_t, int64_t, int64_t, npu__floor_mod_int(x, y))

NPU__FN npu_status npu__floor_div_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare(c, npu__floor_div_f32, 2);
    case NPU_INT8: return npu__ew_prepare(c, npu__floor_div_i8, 2);
    case NPU_INT16: return npu__ew_prepare(c, npu__floor_div_i16, 2);
    case NPU_INT32: return npu__ew_prepare(c, npu__floor_div_i32, 2);
    default: return npu__fail_types(c);
    }
}

NPU__FN npu_status npu__floor_mod_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare(c, npu__floor_mod_f32, 2);
    case NPU_INT8: return npu__ew_prepare(c, npu__floor_mod_i8, 2);
    case NPU_INT16: return npu__ew_prepare(c, npu__floor_mod_i16, 2);
    case NPU_INT32: return npu__ew_prepare(c, npu__floor_mod_i32, 2);
    case NPU_INT64: return npu__ew_prepare(c, npu__floor_mod_i64, 2);
    default: return npu__fail_types(c);
    }
}

/* Refuses zeros in input 1. */
NPU__FN npu_status npu__floor_div_check(npu__ctx *c, const char *rule) {
    const int64_t n = npu__elems(c->in[1]);
    int64_t       done = 0;
    for (int64_t i = 0; i < n; i++) {
        int zero = c->in[1]->type == NPU_FLOAT32 ? fabsf(((const float *)c->in[1]->data)[i]) <= 0.0f
                                                 : npu__int_at(c->in[1], i) == 0;
        if (zero) return NPU__FAIL(c, NPU_BAD_INPUT, rule, "division by zero: element %l of input 1", i);
        NPU__POLL_PASS(c, done, 1);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__floor_div_eval(npu__ctx *c) {
    NPU__TRY(npu__floor_div_check(c, "floor_div.zero"));
    return npu__ew_eval(c);
}

NPU__FN npu_status npu__floor_mod_eval(npu__ctx *c) {
    if (c->in[1]->type != NPU_FLOAT32) NPU__TRY(npu__floor_div_check(c, "floor_mod.zero"));
    return npu__ew_eval(c);
}

NPU__OPDEF(npu__op_floor_div) = {2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_INPLACE1, NPU__DATA(npu__ew),
                                             npu__infer_broadcast2, npu__floor_div_prepare, NULL,
                                             npu__floor_div_eval, npu__work_exp};
NPU__OPDEF(npu__op_floor_mod) = {2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_INPLACE1, NPU__DATA(npu__ew),
                                             npu__infer_broadcast2, npu__floor_mod_prepare, NULL,
                                             npu__floor_mod_eval, npu__work_exp};
