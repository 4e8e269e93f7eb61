/* EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER and GREATER_EQUAL, with broadcasting. Quantized inputs are rescaled
 * first, to fixed point with 8 extra bits, so tensors of different scales compare by value. */
#include "elementwise.h"

typedef struct npu__compare {
    npu__ew ew;
    npu__q2 q;
} npu__compare;

typedef struct npu__compare_rows {
    npu__ew_row f32, f16, bf16, i8, u8, i16, i32, i64, q8, qu8, q16, boolean; /* boolean: NULL for orderings */
} npu__compare_rows;

#define NPU__COMPARE_Q const npu__q2 q = ((const npu__compare *)op)->q
#define NPU__COMPARE_QUANT(name, T, OP) \
    NPU__EW_ROW2(name, NPU__COMPARE_Q, T, T, uint8_t, npu__q2_in(&q, 0, x) OP npu__q2_in(&q, 1, y))
#define NPU__COMPARE_PLAIN(name, T, OP) NPU__EW_ROW2(name, NPU__EW_NO_LOCALS, T, T, uint8_t, x OP y)
#define NPU__COMPARE_HALF(name, to_f32, OP) \
    NPU__EW_ROW2(name, NPU__EW_NO_LOCALS, uint16_t, uint16_t, uint8_t, to_f32(x) OP to_f32(y))

NPU__FN npu_status npu__compare_scales(npu__ctx *c) {
    npu__compare *d = (npu__compare *)c->data;
    for (int32_t k = 0; k < 2; k++) {
        NPU__TRY(npu__need_quant(c, c->in[k], k ? "input 1" : "input 0"));
        d->q.mul[k] = npu__qmul_of((double)npu__scale(c->in[k]));
        d->q.offset[k] = -npu__zero_point(c->in[k]);
    }
    d->q.left_shift = 8;
    return NPU_OK;
}

/* `plain`: inputs without quantization parameters compare as they are. */
NPU__FN npu_status npu__compare_prepare_quant(npu__ctx *c, npu__ew_row plain, npu__ew_row quant) {
    if (!npu__has_quant(c->in[0]) && !npu__has_quant(c->in[1])) return npu__ew_prepare(c, plain, 2);
    NPU__TRY(npu__compare_scales(c));
    return npu__ew_prepare(c, quant, 2);
}

NPU__FN npu_status npu__compare_prepare(npu__ctx *c, const npu__compare_rows *rows) {
    const int equality = rows->boolean != NULL;
    if (c->in[0]->type != c->in[1]->type || c->out[0]->type != NPU_BOOL) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_BOOL: return equality ? npu__ew_prepare(c, rows->boolean, 2) : npu__fail_types(c);
    case NPU_FLOAT32: return npu__ew_prepare(c, rows->f32, 2);
    case NPU_FLOAT16: return npu__ew_prepare(c, rows->f16, 2);
    case NPU_BFLOAT16: return npu__ew_prepare(c, rows->bf16, 2);
    case NPU_INT32: return npu__ew_prepare(c, rows->i32, 2);
    case NPU_INT64: return npu__ew_prepare(c, rows->i64, 2);
    case NPU_INT8: return npu__compare_prepare_quant(c, rows->i8, rows->q8);
    case NPU_UINT8: return npu__compare_prepare_quant(c, rows->u8, rows->qu8);
    /* The ordering of int16 is TFLite's of the raw values, whatever the scales. */
    case NPU_INT16:
        return equality ? npu__compare_prepare_quant(c, rows->i16, rows->q16) : npu__ew_prepare(c, rows->i16, 2);
    default: return npu__fail_types(c);
    }
}

#define NPU__COMPARE_OP(name, OP, BOOLEAN)                                                                          \
    NPU__COMPARE_PLAIN(npu__##name##_f32, float, OP)                                                                \
    NPU__COMPARE_HALF(npu__##name##_f16, npu__f16_to_f32, OP)                                                       \
    NPU__COMPARE_HALF(npu__##name##_bf16, npu__bf16_to_f32, OP)                                                     \
    NPU__COMPARE_PLAIN(npu__##name##_i8, int8_t, OP)                                                                \
    NPU__COMPARE_PLAIN(npu__##name##_u8, uint8_t, OP)                                                               \
    NPU__COMPARE_PLAIN(npu__##name##_i16, int16_t, OP)                                                              \
    NPU__COMPARE_PLAIN(npu__##name##_i32, int32_t, OP)                                                              \
    NPU__COMPARE_PLAIN(npu__##name##_i64, int64_t, OP)                                                              \
    NPU__COMPARE_QUANT(npu__##name##_q8, int8_t, OP)                                                                \
    NPU__COMPARE_QUANT(npu__##name##_qu8, uint8_t, OP)                                                              \
    NPU__COMPARE_QUANT(npu__##name##_q16, int16_t, OP)                                                              \
    NPU__FN npu_status npu__##name##_prepare(npu__ctx *c) {                                                         \
        static const npu__compare_rows rows = {                                                                     \
            npu__##name##_f32, npu__##name##_f16, npu__##name##_bf16, npu__##name##_i8, npu__##name##_u8,           \
            npu__##name##_i16, npu__##name##_i32, npu__##name##_i64, npu__##name##_q8,  npu__##name##_qu8,          \
            npu__##name##_q16, BOOLEAN};                                                                            \
        return npu__compare_prepare(c, &rows);                                                                      \
    }

NPU__EW_ROW2(npu__equal_bool, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x != 0) == (y != 0))
NPU__EW_ROW2(npu__not_equal_bool, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x != 0) != (y != 0))
NPU__COMPARE_OP(equal, ==, npu__equal_bool)
NPU__COMPARE_OP(not_equal, !=, npu__not_equal_bool)
NPU__COMPARE_OP(less, <, NULL)
NPU__COMPARE_OP(less_equal, <=, NULL)
NPU__COMPARE_OP(greater, >, NULL)
NPU__COMPARE_OP(greater_equal, >=, NULL)
#undef NPU__COMPARE_OP
#undef NPU__COMPARE_PLAIN
#undef NPU__COMPARE_HALF
#undef NPU__COMPARE_QUANT
#undef NPU__COMPARE_Q

/* Never in place: with elements of different sizes, equal bytes do not mean that nothing is broadcast. */
#define NPU__COMPARE_FLAGS 0, NPU__DATA(npu__compare), npu__infer_broadcast2
NPU__OPDEF(npu__op_equal) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__equal_prepare, NULL,
                                         npu__ew_eval, NULL};
NPU__OPDEF(npu__op_not_equal) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__not_equal_prepare, NULL,
                                             npu__ew_eval, NULL};
NPU__OPDEF(npu__op_less) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__less_prepare, NULL,
                                        npu__ew_eval, NULL};
NPU__OPDEF(npu__op_less_equal) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__less_equal_prepare, NULL,
                                              npu__ew_eval, NULL};
NPU__OPDEF(npu__op_greater) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__greater_prepare, NULL,
                                           npu__ew_eval, NULL};
NPU__OPDEF(npu__op_greater_equal) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__greater_equal_prepare, NULL,
                                                 npu__ew_eval, NULL};
#undef NPU__COMPARE_FLAGS
