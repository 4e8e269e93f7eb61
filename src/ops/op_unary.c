/* ABS, NEG, SQRT, RSQRT, SIN, COS, LOG, EXP, SQUARE, FLOOR, CEIL and ROUND. Quantized forms exist where TFLite has
 * them: tables for 8 bits and for int16 functions, direct rows otherwise. */
#include "../base/fixed32.h"
#include "lut.h"

typedef struct npu__unary_q {
    npu__qmul mul;
    int32_t   in_zp, out_zp, rescale;
    float     in_scale, out_scale;
} npu__unary_q;

typedef struct npu__unary {
    npu__lut_op  lut; /* starts with the npu__ew */
    npu__unary_q q;
} npu__unary;

/* Half to even, as TFLite's ROUND. */
NPU__INLINE float npu__round_even(float x) {
    float r = floorf(x), d = x - r;
    /* Otherwise half or more: half goes to the even one, NaN stays what it is. */
    if (d < 0.5f) return r;
    return d > 0.5f || d != d || r - 2.0f * floorf(r * 0.5f) > 0.5f ? r + 1.0f : r;
}
NPU__INLINE int32_t npu__wabs32(int32_t x) { return x < 0 ? npu__wsub32(0, x) : x; }

#define NPU__UNARY_F32(name, EXPR) NPU__EW_ROW1(name, NPU__EW_NO_LOCALS, float, float, EXPR)
#define NPU__UNARY_F16(name, EXPR) \
    NPU__EW_ROW1(name, NPU__EW_NO_LOCALS, uint16_t, uint16_t, npu__f16_from_f32(EXPR(npu__f16_to_f32(x))))
#define NPU__UNARY_BF16(name, EXPR) \
    NPU__EW_ROW1(name, NPU__EW_NO_LOCALS, uint16_t, uint16_t, npu__bf16_from_f32(EXPR(npu__bf16_to_f32(x))))
/* Of the bits: fabsf is a call where builtin functions are off. */
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW1, npu__abs_f32, NPU__EW_NO_LOCALS, uint32_t, uint32_t, x & 0x7FFFFFFFu)
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW1, npu__neg_f32, NPU__EW_NO_LOCALS, float, float, -x)
NPU__UNARY_F32(npu__sqrt_f32, sqrtf(x))
NPU__UNARY_F32(npu__rsqrt_f32, 1.0f / sqrtf(x))
NPU__UNARY_F32(npu__sin_f32, sinf(x))
NPU__UNARY_F32(npu__cos_f32, cosf(x))
NPU__UNARY_F32(npu__log_f32, logf(x))
NPU__UNARY_F32(npu__exp_f32, expf(x))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW1, npu__square_f32, NPU__EW_NO_LOCALS, float, float, x * x)
NPU__UNARY_F32(npu__floor_f32, floorf(x))
NPU__UNARY_F32(npu__ceil_f32, ceilf(x))
NPU__UNARY_F32(npu__round_f32, npu__round_even(x))
NPU__UNARY_F16(npu__sin_f16, sinf)
NPU__UNARY_F16(npu__cos_f16, cosf)
NPU__UNARY_F16(npu__floor_f16, floorf)
NPU__UNARY_F16(npu__round_f16, npu__round_even)
NPU__UNARY_BF16(npu__floor_bf16, floorf)
NPU__UNARY_BF16(npu__round_bf16, npu__round_even)
#undef NPU__UNARY_F32
#undef NPU__UNARY_F16
#undef NPU__UNARY_BF16
/* Half floats of both kinds: the sign is the highest bit. */
NPU__EW_VEC_ROW1(npu__neg_half, NPU__EW_NO_LOCALS, uint16_t, uint16_t, x ^ 0x8000u)
NPU__EW_VEC_ROW1(npu__neg_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, -x)
NPU__EW_VEC_ROW1(npu__neg_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, -x)
NPU__EW_VEC_ROW1(npu__neg_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, npu__wsub32(0, x))
NPU__EW_VEC_ROW1(npu__neg_i64, NPU__EW_NO_LOCALS, int64_t, int64_t, 0u - (uint64_t)x)
NPU__EW_VEC_ROW1(npu__abs_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, x < 0 ? -x : x)
NPU__EW_VEC_ROW1(npu__abs_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, npu__wabs32(x))

NPU__INLINE int32_t npu__abs_one(const npu__unary_q *q, int32_t x, int32_t lo, int32_t hi) {
    int32_t v = npu__wabs32(x - q->in_zp);
    if (q->rescale) v = npu__qmul_apply(v, q->mul);
    return npu__clamp32(npu__wadd32(v, q->out_zp), lo, hi);
}

/* The input is not negative: eval has looked. */
NPU__INLINE int32_t npu__sqrt_one(const npu__unary_q *q, int32_t x, int32_t lo, int32_t hi) {
    float root = sqrtf(q->in_scale * (float)(x - q->in_zp));
    /* Cut before the zero point is added, so that the sum stays in int32. */
    int32_t v = npu__clamp32(npu__f32_to_i32(root / q->out_scale), 0, 1 << 30);
    return npu__clamp32(v + q->out_zp, lo, hi);
}

NPU__FN int32_t npu__rsqrt_one(const npu__unary_q *q, int32_t x) {
    npu__qmul root, out = q->mul;
    int32_t   v = x - q->in_zp;
    if (v <= 0) return 127; /* close to zero: the largest there is */
    root = npu__fx_inv_sqrt(v);
    root.shift += 20; /* keeps the value an integer; taken back below */
    out.shift = NPU__MAX(out.shift - 20, -31);
    return npu__clamp32(npu__wadd32(npu__qmul_apply(npu__qmul_apply(1, root), out), q->out_zp), -128, 127);
}

#define NPU__UNARY_Q const npu__unary_q q = ((const npu__unary *)op)->q
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW1, npu__abs_q16, NPU__UNARY_Q, int16_t, int16_t, npu__abs_one(&q, x, -32768, 32767))
NPU__EW_ROW1(npu__sqrt_q16, NPU__UNARY_Q, int16_t, int16_t, npu__sqrt_one(&q, x, -32768, 32767))
#undef NPU__UNARY_Q

NPU__FN float npu__exp_real(float x, const void *arg) { (void)arg; return expf(x); }
/* arg: the smallest real output, for inputs where there is no logarithm. */
NPU__FN float npu__log_real(float x, const void *arg) { return x <= 0.0f ? *(const float *)arg : logf(x); }
/* arg: the largest real output. */
NPU__FN float npu__rsqrt_real(float x, const void *arg) { return x <= 0.0f ? *(const float *)arg : 1.0f / sqrtf(x); }

/* Parameters of an int8 or int16 node. */
NPU__FN npu_status npu__unary_prepare_quant(npu__ctx *c) {
    npu__unary_q *q = &((npu__unary *)c->data)->q;
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
    NPU__TRY(npu__need_symmetric_unary(c));
    q->in_zp = npu__zero_point(c->in[0]);
    q->out_zp = npu__zero_point(c->out[0]);
    q->in_scale = npu__scale(c->in[0]);
    q->out_scale = npu__scale(c->out[0]);
    /* Compared without ==, for compilers that warn of it; scales are never NaN here. */
    q->rescale = q->in_scale < q->out_scale || q->in_scale > q->out_scale;
    return NPU_OK;
}

NPU__FN npu_status npu__abs_prepare(npu__ctx *c) {
    npu__unary *d = (npu__unary *)c->data;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare_loops(c, npu__abs_f32, 1);
    case NPU_INT32: return npu__ew_prepare_loops(c, npu__abs_i32, 1);
    case NPU_INT16: if (!npu__has_quant(c->in[0])) return npu__ew_prepare_loops(c, npu__abs_i16, 1); break;
    case NPU_INT8: break;
    default: return npu__fail_types(c);
    }
    NPU__TRY(npu__unary_prepare_quant(c));
    d->q.mul = npu__qmul_of((double)(d->q.in_scale / d->q.out_scale));
    if (c->in[0]->type == NPU_INT16) return npu__ew_prepare_loops(c, npu__abs_q16, 1);
    for (int32_t i = 0; i < 256; i++) {
        d->lut.lut.map.as.table[i] = (uint8_t)npu__abs_one(&d->q, npu__lut8_value(NPU_INT8, i), -128, 127);
    }
    return npu__lut8_prepare(c);
}

NPU__FN npu_status npu__sqrt_prepare(npu__ctx *c) {
    npu__unary *d = (npu__unary *)c->data;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, npu__sqrt_f32, NPU__PW_sqrt);
    if (c->in[0]->type != NPU_INT8 && c->in[0]->type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__unary_prepare_quant(c));
    if (c->in[0]->type == NPU_INT16) return npu__ew_prepare(c, npu__sqrt_q16, 1);
    for (int32_t i = 0; i < 256; i++) {
        int32_t x = NPU__MAX(npu__lut8_value(NPU_INT8, i), d->q.in_zp);
        d->lut.lut.map.as.table[i] = (uint8_t)npu__sqrt_one(&d->q, x, -128, 127);
    }
    return npu__lut8_prepare(c);
}

NPU__FN npu_status npu__rsqrt_prepare(npu__ctx *c) {
    npu__unary *d = (npu__unary *)c->data;
    float       largest;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, npu__rsqrt_f32, NPU__PW_rsqrt);
    if (c->in[0]->type != NPU_INT8 && c->in[0]->type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__unary_prepare_quant(c));
    largest = 32767.0f * d->q.out_scale;
    if (c->in[0]->type == NPU_INT16) return npu__lut_prepare(c, npu__rsqrt_real, &largest);
    d->q.mul = npu__qmul_of(1.0 / (double)(sqrtf(d->q.in_scale) * d->q.out_scale));
    for (int32_t i = 0; i < 256; i++) {
        d->lut.lut.map.as.table[i] = (uint8_t)npu__rsqrt_one(&d->q, npu__lut8_value(NPU_INT8, i));
    }
    return npu__lut8_prepare(c);
}

/* Roots: a quantized input must not be negative. */
NPU__FN npu_status npu__root_eval(npu__ctx *c) {
    const int64_t n = npu__elems(c->in[0]);
    const int32_t zp = c->in[0]->type == NPU_FLOAT32 ? 0 : npu__zero_point(c->in[0]);
    int64_t       done = 0;
    for (int64_t i = 0; i < n && c->in[0]->type != NPU_FLOAT32; i++) {
        if (npu__int_at(c->in[0], i) < zp) {
            return NPU__FAIL(c, NPU_BAD_INPUT, "sqrt.negative",
                             "root of a negative number: element %l of the input", i);
        }
        NPU__POLL_PASS(c, done, 1);
    }
    return npu__ew_eval(c);
}

NPU__FN npu_status npu__log_prepare(npu__ctx *c) {
    float smallest = 0.0f;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, npu__log_f32, NPU__PW_log);
    if (c->in[0]->type != NPU_INT8 && c->in[0]->type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__unary_prepare_quant(c));
    smallest = (float)((c->in[0]->type == NPU_INT8 ? -128 : -32768) - npu__zero_point(c->out[0]));
    smallest *= npu__scale(c->out[0]);
    return npu__lut_prepare(c, npu__log_real, &smallest);
}

NPU__FN npu_status npu__exp_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, npu__exp_f32, NPU__PW_exp);
    if (c->in[0]->type != NPU_INT8 && c->in[0]->type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__unary_prepare_quant(c));
    return npu__lut_prepare(c, npu__exp_real, NULL);
}

NPU__FN npu_status npu__neg_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare_loops(c, npu__neg_f32, 1);
    case NPU_FLOAT16:
    case NPU_BFLOAT16: return npu__ew_prepare_loops(c, npu__neg_half, 1);
    case NPU_INT8: return npu__ew_prepare_loops(c, npu__neg_i8, 1);
    case NPU_INT16: return npu__ew_prepare_loops(c, npu__neg_i16, 1);
    case NPU_INT32: return npu__ew_prepare_loops(c, npu__neg_i32, 1);
    case NPU_INT64: return npu__ew_prepare_loops(c, npu__neg_i64, 1);
    default: return npu__fail_types(c);
    }
}

/* Ops on floating point only; NULL where a width does not exist. */
NPU__FN npu_status npu__unary_prepare_float(npu__ctx *c, npu__ew_row f32, int32_t function, npu__ew_row f16, npu__ew_row bf16) {
    npu__ew_row row = NULL;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, f32, function);
    if (c->in[0]->type == NPU_FLOAT16) row = f16;
    if (c->in[0]->type == NPU_BFLOAT16) row = bf16;
    return row ? npu__ew_prepare(c, row, 1) : npu__fail_types(c);
}
NPU__FN npu_status npu__sin_prepare(npu__ctx *c) {
    return npu__unary_prepare_float(c, npu__sin_f32, NPU__PW_sin, npu__sin_f16, NULL);
}
NPU__FN npu_status npu__cos_prepare(npu__ctx *c) {
    return npu__unary_prepare_float(c, npu__cos_f32, NPU__PW_cos, npu__cos_f16, NULL);
}
NPU__FN npu_status npu__square_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 1) || c->in[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    return npu__ew_prepare_loops(c, npu__square_f32, 1);
}
NPU__FN npu_status npu__ceil_prepare(npu__ctx *c) {
    return npu__unary_prepare_float(c, npu__ceil_f32, NPU__PW_ceil, NULL, NULL);
}
NPU__FN npu_status npu__floor_prepare(npu__ctx *c) {
    return npu__unary_prepare_float(c, npu__floor_f32, NPU__PW_floor, npu__floor_f16, npu__floor_bf16);
}
NPU__FN npu_status npu__round_prepare(npu__ctx *c) {
    return npu__unary_prepare_float(c, npu__round_f32, NPU__PW_round, npu__round_f16, npu__round_bf16);
}

#define NPU__UNARY_DEF(data, prepare, eval, work) \
    {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(data), npu__infer_same_as_in0, prepare, NULL, eval, work}
NPU__OPDEF(npu__op_abs) = NPU__UNARY_DEF(npu__unary, npu__abs_prepare, npu__ew_eval, NULL);
NPU__OPDEF(npu__op_neg) = NPU__UNARY_DEF(npu__ew, npu__neg_prepare, npu__ew_eval, NULL);
NPU__OPDEF(npu__op_sqrt) = NPU__UNARY_DEF(npu__unary, npu__sqrt_prepare, npu__root_eval, npu__work_exp);
NPU__OPDEF(npu__op_rsqrt) = NPU__UNARY_DEF(npu__unary, npu__rsqrt_prepare, npu__root_eval, npu__work_exp);
NPU__OPDEF(npu__op_sin) = NPU__UNARY_DEF(npu__ew, npu__sin_prepare, npu__ew_eval, npu__work_exp);
NPU__OPDEF(npu__op_cos) = NPU__UNARY_DEF(npu__ew, npu__cos_prepare, npu__ew_eval, npu__work_exp);
NPU__OPDEF(npu__op_log) = NPU__UNARY_DEF(npu__unary, npu__log_prepare, npu__ew_eval, npu__work_exp);
NPU__OPDEF(npu__op_exp) = NPU__UNARY_DEF(npu__unary, npu__exp_prepare, npu__ew_eval, npu__work_exp);
NPU__OPDEF(npu__op_square) = NPU__UNARY_DEF(npu__ew, npu__square_prepare, npu__ew_eval, NULL);
NPU__OPDEF(npu__op_floor) = NPU__UNARY_DEF(npu__ew, npu__floor_prepare, npu__ew_eval, NULL);
NPU__OPDEF(npu__op_ceil) = NPU__UNARY_DEF(npu__ew, npu__ceil_prepare, npu__ew_eval, NULL);
NPU__OPDEF(npu__op_round) = NPU__UNARY_DEF(npu__ew, npu__round_prepare, npu__ew_eval, NULL);
#undef NPU__UNARY_DEF
