/* STABLEHLO_ADD, STABLEHLO_MULTIPLY, STABLEHLO_MAXIMUM and STABLEHLO_MINIMUM: no broadcasting, no activation, no scales. */
#include "elementwise.h"

/* Integers wrap. */
#define NPU__HLO_ROW(name, T, U)                                                                                            \
    NPU__EW_ROW2(npu__hlo_add_##name, NPU__EW_NO_LOCALS, T, T, T, (U)((U)x + (U)y))                                         \
    NPU__EW_ROW2(npu__hlo_multiply_##name, NPU__EW_NO_LOCALS, T, T, T, (U)((U)x * (U)y))
#define NPU__HLO_ENDS(name, T)                                                                                              \
    NPU__EW_ROW2(npu__hlo_maximum_##name, NPU__EW_NO_LOCALS, T, T, T, x < y ? y : x)                                        \
    NPU__EW_ROW2(npu__hlo_minimum_##name, NPU__EW_NO_LOCALS, T, T, T, y < x ? y : x)
#define NPU__HLO_INT(name, T, U) NPU__HLO_ROW(name, T, U) NPU__HLO_ENDS(name, T)
NPU__HLO_INT(i8, int8_t, uint32_t)
NPU__HLO_INT(u8, uint8_t, uint32_t)
NPU__HLO_INT(i16, int16_t, uint32_t)
NPU__HLO_INT(u16, uint16_t, uint32_t)
NPU__HLO_INT(i32, int32_t, uint32_t)
NPU__HLO_INT(u32, uint32_t, uint32_t)
NPU__HLO_INT(i64, int64_t, uint64_t)
NPU__HLO_INT(u64, uint64_t, uint64_t)
NPU__HLO_INT(f32, float, float)
NPU__HLO_INT(f64, double, double)
#undef NPU__HLO_INT
#undef NPU__HLO_ENDS
#undef NPU__HLO_ROW

/* Halves compute in float and round once. The first operand wins where one is NaN. */
#define NPU__HLO_HALF(name, EXPR) NPU__EW_ROW2(name, NPU__EW_NO_LOCALS, uint16_t, uint16_t, uint16_t, EXPR)
#define NPU__HLO_X npu__f16_to_f32(x)
#define NPU__HLO_Y npu__f16_to_f32(y)
NPU__HLO_HALF(npu__hlo_add_f16, npu__f16_from_f32(NPU__HLO_X + NPU__HLO_Y))
NPU__HLO_HALF(npu__hlo_multiply_f16, npu__f16_from_f32(NPU__HLO_X * NPU__HLO_Y))
NPU__HLO_HALF(npu__hlo_maximum_f16, NPU__HLO_X < NPU__HLO_Y ? y : x)
NPU__HLO_HALF(npu__hlo_minimum_f16, NPU__HLO_Y < NPU__HLO_X ? y : x)
#undef NPU__HLO_HALF
#undef NPU__HLO_X
#undef NPU__HLO_Y

#define NPU__HLO_OP(name)                                                                     \
    NPU__FN npu_status npu__hlo_##name##_prepare(npu__ctx *c) {                               \
        if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);                             \
        switch (c->out[0]->type) {                                                            \
        case NPU_FLOAT16: return npu__ew_prepare(c, npu__hlo_##name##_f16, 2);                \
        case NPU_FLOAT32: return npu__ew_prepare(c, npu__hlo_##name##_f32, 2);                \
        case NPU_FLOAT64: return npu__ew_prepare(c, npu__hlo_##name##_f64, 2);                \
        case NPU_INT8: return npu__ew_prepare(c, npu__hlo_##name##_i8, 2);                    \
        case NPU_UINT8: return npu__ew_prepare(c, npu__hlo_##name##_u8, 2);                   \
        case NPU_INT16: return npu__ew_prepare(c, npu__hlo_##name##_i16, 2);                  \
        case NPU_UINT16: return npu__ew_prepare(c, npu__hlo_##name##_u16, 2);                 \
        case NPU_INT32: return npu__ew_prepare(c, npu__hlo_##name##_i32, 2);                  \
        case NPU_UINT32: return npu__ew_prepare(c, npu__hlo_##name##_u32, 2);                 \
        case NPU_INT64: return npu__ew_prepare(c, npu__hlo_##name##_i64, 2);                  \
        case NPU_UINT64: return npu__ew_prepare(c, npu__hlo_##name##_u64, 2);                 \
        default: return npu__fail_types(c);                                                   \
        }                                                                                     \
    }                                                                                         \
    NPU__OPDEF(npu__op_stablehlo_##name) = {2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_INPLACE1, NPU__DATA(npu__ew),      \
                                            npu__infer_same_shapes, npu__hlo_##name##_prepare, NULL, npu__ew_eval, NULL};
NPU__HLO_OP(add)
NPU__HLO_OP(multiply)
NPU__HLO_OP(maximum)
NPU__HLO_OP(minimum)
#undef NPU__HLO_OP
