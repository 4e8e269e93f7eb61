/* FLOOR_DIV and FLOOR_MOD, with broadcasting. A zero divisor is an error, except for FLOOR_MOD of floats. */
#include "elementwise.h"

/* TFLite divides in double and takes the floor; for these widths that is the exact floor. In vectors, which divide no integers: the
 * quotient in double, cut, and one less where that was more. INT32_MIN / -1 wraps. */
NPU__INLINE NPU__LOOP_BODY int32_t npu__floor_div_int(int32_t x, int32_t y) {
    const double  quotient = (double)x / (double)y;
    const int32_t q = (int32_t)(quotient < 2147483648.0 ? quotient : -2147483648.0), rest = npu__wsub32(x, npu__wmul32(q, y));
    return npu__wsub32(q, (int32_t)(rest != 0) & (int32_t)((rest ^ y) < 0));
}
NPU__INLINE NPU__LOOP_BODY int32_t npu__floor_mod_i32_of(int32_t x, int32_t y) {
    return npu__wsub32(x, npu__wmul32(npu__floor_div_int(x, y), y));
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
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__floor_div_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, int8_t, npu__floor_div_int(x, y))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__floor_div_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, int16_t, npu__floor_div_int(x, y))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__floor_div_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, npu__floor_div_int(x, y))
NPU__EW_ROW2(npu__floor_mod_f32, NPU__EW_NO_LOCALS, float, float, float, npu__floor_mod_float(x, y))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__floor_mod_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, int8_t, npu__floor_mod_i32_of(x, y))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__floor_mod_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, int16_t, npu__floor_mod_i32_of(x, y))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__floor_mod_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, npu__floor_mod_i32_of(x, y))
NPU__EW_ROW2(npu__floor_mod_i64, NPU__EW_NO_LOCALS, int64_t, int64_t, int64_t, npu__floor_mod_int(x, y))

NPU__FN npu_status npu__floor_div_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare(c, npu__floor_div_f32, 2);
    case NPU_INT8: return npu__ew_prepare_loops(c, npu__floor_div_i8, 2);
    case NPU_INT16: return npu__ew_prepare_loops(c, npu__floor_div_i16, 2);
    case NPU_INT32: return npu__ew_prepare_loops(c, npu__floor_div_i32, 2);
    default: return npu__fail_types(c);
    }
}

NPU__FN npu_status npu__floor_mod_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare(c, npu__floor_mod_f32, 2);
    case NPU_INT8: return npu__ew_prepare_loops(c, npu__floor_mod_i8, 2);
    case NPU_INT16: return npu__ew_prepare_loops(c, npu__floor_mod_i16, 2);
    case NPU_INT32: return npu__ew_prepare_loops(c, npu__floor_mod_i32, 2);
    case NPU_INT64: return npu__ew_prepare(c, npu__floor_mod_i64, 2);
    default: return npu__fail_types(c);
    }
}

/* Refuses zeros in input 1. */
NPU__FN npu_status npu__floor_div_check(npu__ctx *c, const char *rule) {
    const int64_t n = npu__elems(c->in[1]);
    int64_t       done = 0;
    for (int64_t i = 0; i < n; i += NPU__POLL_STEPS) {
        const int64_t end = NPU__MIN(n, i + NPU__POLL_STEPS);
        int64_t       at = -1;
        if (c->in[1]->type != NPU_FLOAT32) at = npu__find_int(c->in[1], 0, i, end);
        for (int64_t k = i; c->in[1]->type == NPU_FLOAT32 && at < 0 && k < end; k++) {
            if (fabsf(((const float *)c->in[1]->data)[k]) <= 0.0f) at = k;
        }
        if (at >= 0) return NPU__FAIL(c, NPU_BAD_INPUT, rule, "division by zero: element %l of input 1", at);
        NPU__POLL_PASS(c, done, end - i);
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

NPU__OPDEF(npu__op_floor_div) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                             npu__infer_broadcast2, npu__floor_div_prepare, NULL,
                                             npu__floor_div_eval, npu__work_exp};
NPU__OPDEF(npu__op_floor_mod) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                             npu__infer_broadcast2, npu__floor_mod_prepare, NULL,
                                             npu__floor_mod_eval, npu__work_exp};
