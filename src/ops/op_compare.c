/* EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER and GREATER_EQUAL, with broadcasting. Quantized inputs are rescaled
 * first, to fixed point with 8 extra bits, so tensors of different scales compare by value. */
#include "q2_rows.h"
#include "string_util.h"

typedef struct npu__compare {
    npu__ew     ew;
    npu__q2     q;
    npu__ew_row scaled; /* of int32 */
} npu__compare;

typedef struct npu__compare_rows {
    npu__ew_row f32, f16, bf16, i8, u8, i16, i32, i64, boolean; /* boolean: NULL for orderings */
} npu__compare_rows;

#define NPU__COMPARE_PLAIN(name, T, OP) NPU__EW_VEC_ROW2(name, NPU__EW_NO_LOCALS, T, T, uint8_t, x OP y)
#define NPU__COMPARE_HALF(name, to_f32, OP) \
    NPU__EW_VEC_ROW2(name, NPU__EW_NO_LOCALS, uint16_t, uint16_t, uint8_t, to_f32(x) OP to_f32(y))

NPU__FN npu_status npu__compare_scales(npu__ctx *c) {
    npu__compare *d = (npu__compare *)c->data;
    for (int32_t k = 0; k < 2; k++) {
        NPU__TRY(npu__need_quant(c, c->in[k], k ? "input 1" : "input 0"));
        d->q.mul[k] = npu__qmul_of((double)npu__scale(c->in[k]));
        d->q.offset[k] = -npu__zero_point(c->in[k]);
        d->q.type[k] = c->in[k]->type;
    }
    d->q.left_shift = 8;
    return NPU_OK;
}

NPU__FN void npu__compare_quant(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__compare *d = (const npu__compare *)op;
    npu__q2_compare_row(&d->ew, &d->q, d->scaled, in, out, n, step);
}

/* `plain`: inputs without quantization parameters compare as they are; `scaled`: others as int32. */
NPU__FN npu_status npu__compare_prepare_quant(npu__ctx *c, npu__ew_row plain, npu__ew_row scaled) {
    if (!npu__has_quant(c->in[0]) && !npu__has_quant(c->in[1])) return npu__ew_prepare_loops(c, plain, 2);
    NPU__TRY(npu__compare_scales(c));
    ((npu__compare *)c->data)->scaled = scaled;
    NPU__TRY(npu__ew_prepare_loops(c, npu__compare_quant, 2));
    ((npu__ew *)c->data)->by_table = c->in[0]->type != NPU_INT16;
    return NPU_OK;
}

NPU__FN npu_status npu__compare_prepare(npu__ctx *c, const npu__compare_rows *rows) {
    const int equality = rows->boolean != NULL;
    if (c->in[0]->type != c->in[1]->type || c->out[0]->type != NPU_BOOL) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_STRING: return NPU_OK; /* npu__strings_compare; only equality gets them (NPU__OP_STRINGS) */
    case NPU_BOOL: return equality ? npu__ew_prepare_loops(c, rows->boolean, 2) : npu__fail_types(c);
    case NPU_FLOAT32: return npu__ew_prepare_loops(c, rows->f32, 2);
    case NPU_FLOAT16: return npu__ew_prepare_loops(c, rows->f16, 2);
    case NPU_BFLOAT16: return npu__ew_prepare_loops(c, rows->bf16, 2);
    case NPU_INT32: return npu__ew_prepare_loops(c, rows->i32, 2);
    case NPU_INT64: return npu__ew_prepare_loops(c, rows->i64, 2);
    case NPU_INT8: return npu__compare_prepare_quant(c, rows->i8, rows->i32);
    case NPU_UINT8: return npu__compare_prepare_quant(c, rows->u8, rows->i32);
    /* The ordering of int16 is TFLite's of the raw values, whatever the scales. */
    case NPU_INT16:
        return equality ? npu__compare_prepare_quant(c, rows->i16, rows->i32) : npu__ew_prepare_loops(c, rows->i16, 2);
    default: return npu__fail_types(c);
    }
}

#define NPU__COMPARE_OP(name, OP, BOOLEAN)                                                                          \
    NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__##name##_f32, NPU__EW_NO_LOCALS, float, float, uint8_t, x OP y)          \
    NPU__COMPARE_HALF(npu__##name##_f16, npu__f16_to_f32, OP)                                                       \
    NPU__COMPARE_HALF(npu__##name##_bf16, npu__bf16_to_f32, OP)                                                     \
    NPU__COMPARE_PLAIN(npu__##name##_i8, int8_t, OP)                                                                \
    NPU__COMPARE_PLAIN(npu__##name##_u8, uint8_t, OP)                                                               \
    NPU__COMPARE_PLAIN(npu__##name##_i16, int16_t, OP)                                                              \
    NPU__COMPARE_PLAIN(npu__##name##_i32, int32_t, OP)                                                              \
    NPU__COMPARE_PLAIN(npu__##name##_i64, int64_t, OP)                                                              \
    NPU__FN npu_status npu__##name##_prepare(npu__ctx *c) {                                                         \
        static const npu__compare_rows rows = {                                                                     \
            npu__##name##_f32, npu__##name##_f16, npu__##name##_bf16, npu__##name##_i8, npu__##name##_u8,           \
            npu__##name##_i16, npu__##name##_i32, npu__##name##_i64, BOOLEAN};                                      \
        return npu__compare_prepare(c, &rows);                                                                      \
    }

NPU__EW_VEC_ROW2(npu__equal_bool, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x != 0) == (y != 0))
NPU__EW_VEC_ROW2(npu__not_equal_bool, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x != 0) != (y != 0))
NPU__COMPARE_OP(equal, ==, npu__equal_bool)
NPU__COMPARE_OP(not_equal, !=, npu__not_equal_bool)
NPU__COMPARE_OP(less, <, NULL)
NPU__COMPARE_OP(less_equal, <=, NULL)
NPU__COMPARE_OP(greater, >, NULL)
NPU__COMPARE_OP(greater_equal, >=, NULL)
#undef NPU__COMPARE_OP
#undef NPU__COMPARE_PLAIN
#undef NPU__COMPARE_HALF

/* ---- strings ---- */

/* By bytes. What is compared is charged: a few long strings may meet each other many times. */
NPU__FN npu_status npu__strings_compare(npu__ctx *c, int equal) {
    const npu__shape *shape = &c->out[0]->shape;
    const int64_t     n = npu__elems(c->out[0]);
    int64_t           stride[2][NPU_MAX_RANK], index[2] = {0, 0}, done = 0;
    int32_t           at[NPU_MAX_RANK] = {0};
    uint8_t          *out = (uint8_t *)c->out[0]->data;
    for (int32_t k = 0; k < 2; k++) {
        int64_t step = 1;
        for (int32_t d = shape->rank - 1; d >= 0; d--) {
            const int32_t dim = npu__dim(c->in[k], d - shape->rank); /* 1 where it has none */
            stride[k][d] = dim == 1 ? 0 : step;
            step *= dim; /* bounded: elements of a tensor */
        }
    }
    for (int64_t i = 0; i < n; i++) {
        const npu__span x = npu__strings_at(c->in[0]->data, index[0]), y = npu__strings_at(c->in[1]->data, index[1]);
        const int       same = x.n == y.n && (x.n == 0 || memcmp(x.p, y.p, x.n) == 0);
        out[i] = (uint8_t)(same == equal);
        done += 1 + (x.n == y.n ? (int64_t)(x.n >> 3) : 0); /* bounded: charged below */
        if (done >= NPU__POLL_STEPS) {
            NPU__TRY(npu__charge(c, done));
            done = 0;
        }
        for (int32_t d = shape->rank - 1; d >= 0; d--) {
            index[0] += stride[0][d];
            index[1] += stride[1][d];
            if (++at[d] < shape->dims[d]) break;
            index[0] -= stride[0][d] * shape->dims[d];
            index[1] -= stride[1][d] * shape->dims[d];
            at[d] = 0;
        }
    }
    return npu__charge(c, done);
}

NPU__FN npu_status npu__equal_eval(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_compare(c, 1) : npu__ew_eval(c);
}
NPU__FN npu_status npu__not_equal_eval(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_compare(c, 0) : npu__ew_eval(c);
}

/* Never in place: with elements of different sizes, equal bytes do not mean that nothing is broadcast. */
#define NPU__COMPARE_REST NPU__DATA(npu__compare), npu__infer_broadcast2
#define NPU__COMPARE_FLAGS NPU__OP_NAMES_KERNEL, NPU__COMPARE_REST
NPU__OPDEF(npu__op_equal) = {2, 2, 1, 1, 0, NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__COMPARE_REST, npu__equal_prepare, NULL,
                                         npu__equal_eval, NULL};
NPU__OPDEF(npu__op_not_equal) = {2, 2, 1, 1, 0, NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__COMPARE_REST, npu__not_equal_prepare,
                                             NULL, npu__not_equal_eval, NULL};
NPU__OPDEF(npu__op_less) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__less_prepare, NULL,
                                        npu__ew_eval, NULL};
NPU__OPDEF(npu__op_less_equal) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__less_equal_prepare, NULL,
                                              npu__ew_eval, NULL};
NPU__OPDEF(npu__op_greater) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__greater_prepare, NULL,
                                           npu__ew_eval, NULL};
NPU__OPDEF(npu__op_greater_equal) = {2, 2, 1, 1, 0, NPU__COMPARE_FLAGS, npu__greater_equal_prepare, NULL,
                                                 npu__ew_eval, NULL};
#undef NPU__COMPARE_FLAGS
#undef NPU__COMPARE_REST
