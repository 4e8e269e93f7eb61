/* MAXIMUM and MINIMUM, with broadcasting. Quantized tensors compare as they are: their scales should be equal. */
#include "elementwise.h"

#define NPU__MAX_OF(x, y) ((x) > (y) ? (x) : (y))
#define NPU__MIN_OF(x, y) ((x) < (y) ? (x) : (y))
/* Of halves: NaN compares false, so the second operand wins, as for float. */
#define NPU__MAX_OF_H(to_f32, x, y) (to_f32(x) > to_f32(y) ? (x) : (y))
#define NPU__MIN_OF_H(to_f32, x, y) (to_f32(x) < to_f32(y) ? (x) : (y))

#define NPU__MINMAX_ROW(name, T, EXPR) NPU__EW_VEC_ROW2(name, NPU__EW_NO_LOCALS, T, T, T, EXPR)
#define NPU__MINMAX_WIDE(name, T, EXPR) NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, name, NPU__EW_NO_LOCALS, T, T, T, EXPR)
#define NPU__MINMAX(suffix, T)                                                       \
    NPU__MINMAX_ROW(npu__maximum_##suffix, T, NPU__MAX_OF(x, y))                     \
    NPU__MINMAX_ROW(npu__minimum_##suffix, T, NPU__MIN_OF(x, y))
#define NPU__MINMAX_HALF(suffix, to_f32)                                             \
    NPU__MINMAX_ROW(npu__maximum_##suffix, uint16_t, NPU__MAX_OF_H(to_f32, x, y))    \
    NPU__MINMAX_ROW(npu__minimum_##suffix, uint16_t, NPU__MIN_OF_H(to_f32, x, y))

/* Floats are many bytes: x86 with AVX2 takes twice as many of them at a time. Before SSE4.1 it cannot compare int8 at all. */
NPU__MINMAX_WIDE(npu__maximum_f32, float, NPU__MAX_OF(x, y))
NPU__MINMAX_WIDE(npu__minimum_f32, float, NPU__MIN_OF(x, y))
NPU__MINMAX_WIDE(npu__maximum_i8, int8_t, NPU__MAX_OF(x, y))
NPU__MINMAX_WIDE(npu__minimum_i8, int8_t, NPU__MIN_OF(x, y))
NPU__MINMAX_WIDE(npu__maximum_u8, uint8_t, NPU__MAX_OF(x, y))
NPU__MINMAX_WIDE(npu__minimum_u8, uint8_t, NPU__MIN_OF(x, y))
NPU__MINMAX(i16, int16_t)
NPU__MINMAX(i32, int32_t)
NPU__MINMAX(i64, int64_t)
NPU__MINMAX_HALF(f16, npu__f16_to_f32)
NPU__MINMAX_HALF(bf16, npu__bf16_to_f32)
#undef NPU__MINMAX
#undef NPU__MINMAX_ROW
#undef NPU__MINMAX_WIDE
#undef NPU__MINMAX_HALF
#undef NPU__MAX_OF
#undef NPU__MIN_OF
#undef NPU__MAX_OF_H
#undef NPU__MIN_OF_H

#define NPU__MINMAX_PREPARE(name)                                                            \
    NPU__FN npu_status npu__##name##_prepare(npu__ctx *c) {                                  \
        if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);                            \
        switch (c->out[0]->type) {                                                           \
        case NPU_FLOAT32: return npu__ew_prepare_loops(c, npu__##name##_f32, 2);                   \
        case NPU_FLOAT16: return npu__ew_prepare_loops(c, npu__##name##_f16, 2);                   \
        case NPU_BFLOAT16: return npu__ew_prepare_loops(c, npu__##name##_bf16, 2);                 \
        case NPU_INT8: return npu__ew_prepare_loops(c, npu__##name##_i8, 2);                       \
        case NPU_UINT8: return npu__ew_prepare_loops(c, npu__##name##_u8, 2);                      \
        case NPU_INT16: return npu__ew_prepare_loops(c, npu__##name##_i16, 2);                     \
        case NPU_INT32: return npu__ew_prepare_loops(c, npu__##name##_i32, 2);                     \
        case NPU_INT64: return npu__ew_prepare_loops(c, npu__##name##_i64, 2);                     \
        default: return npu__fail_types(c);                                                  \
        }                                                                                    \
    }
NPU__MINMAX_PREPARE(maximum)
NPU__MINMAX_PREPARE(minimum)
#undef NPU__MINMAX_PREPARE

NPU__OPDEF(npu__op_maximum) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                           npu__infer_broadcast2, npu__maximum_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_minimum) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                           npu__infer_broadcast2, npu__minimum_prepare, NULL, npu__ew_eval, NULL};
