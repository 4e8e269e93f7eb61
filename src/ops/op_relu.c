/* RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1, LEAKY_RELU and PRELU. */
#include "lut.h"
#include "q2_rows.h"

/* x below the zero point is scaled by `below`, the rest as `up` says; PRELU multiplies what is below by its alpha first. */
typedef struct npu__relu_q {
    npu__q1   up;
    npu__qmul below;
    int32_t   below_negative, alpha_zp, alpha_type;
} npu__relu_q;

typedef struct npu__relu {
    npu__lut_op lut; /* starts with the npu__ew */
    npu__relu_q q;
    float       lo, hi, alpha;
} npu__relu;

#define NPU__RELU_F const float lo = ((const npu__relu *)op)->lo, hi = ((const npu__relu *)op)->hi
#define NPU__RELU_A const float alpha = ((const npu__relu *)op)->alpha

NPU__INLINE int32_t npu__relu_one(const npu__relu_q *q, int32_t x) {
    return npu__clamp32(npu__wadd32(npu__qmul_apply(x - q->up.in_zp, q->up.mul), q->up.out_zp), q->up.lo, q->up.hi);
}
NPU__INLINE int32_t npu__leaky_relu_one(const npu__relu_q *q, int32_t x) {
    const int32_t v = x - q->up.in_zp, up = npu__qmul_apply(v, q->up.mul), down = npu__qmul_apply(v, q->below);
    const int32_t signed_down = npu__wsub32(down ^ -q->below_negative, -q->below_negative); /* negated, or not */
    return npu__clamp32(npu__wadd32(v >= 0 ? up : signed_down, q->up.out_zp), q->up.lo, q->up.hi);
}

NPU__EW_ROW1(npu__relu_f32, NPU__RELU_F, float, float, npu__clamp_f32(x, lo, hi))
NPU__EW_ROW1(npu__leaky_relu_f32, NPU__RELU_A, float, float, x > 0.0f ? x : x * alpha)
NPU__EW_ROW2(npu__prelu_f32, NPU__EW_NO_LOCALS, float, float, float, x >= 0.0f ? x : x * y)
/* A block of values, scaled as they are and, in `below`, as they are below zero: of these the ones that count. */
NPU__SPEED_BEGIN
NPU__FN void npu__relu_choose(const int32_t *v, const int32_t *above, const int32_t *below, int32_t negate, int32_t *out) {
    NPU__VEC_FOR(i, NPU__Q_BLOCK) {
        const int32_t y = (int32_t)(((uint32_t)below[i] ^ (uint32_t)negate) - (uint32_t)negate); /* negated, or not */
        out[i] = v[i] >= 0 ? above[i] : y;
    }
}
NPU__SPEED_END
/* LEAKY_RELU (alpha NULL, its slope in q) and PRELU: two scales below (the input's and alpha's), one above, as TFLite's
 * BroadcastPrelu4DSlow has them. */
NPU__FN void npu__prelu_row(const npu__relu *d, const uint8_t *in, const uint8_t *alpha, uint8_t *out, int64_t n, const int32_t *step) {
    const npu__q_loops *loops = npu__ew_q_loops(&d->lut.ew);
    const npu__relu_q   *q = &d->q;
    int32_t              v[NPU__Q_BLOCK], a[NPU__Q_BLOCK], above[NPU__Q_BLOCK], below[NPU__Q_BLOCK];
    memset(v, 0, sizeof v);
    memset(a, 0, sizeof a);
    for (; n > 0; n -= NPU__Q_BLOCK) {
        const int32_t m = (int32_t)NPU__MIN(n, (int64_t)NPU__Q_BLOCK);
        npu__q2_load(loops, q->up.in_type, in, step[0], m, -q->up.in_zp, v);
        memcpy(above, v, sizeof v);
        memcpy(below, v, sizeof v);
        if (alpha) {
            npu__q2_load(loops, q->alpha_type, alpha, step[1], m, -q->alpha_zp, a);
            loops->combine[NPU__Q_MUL](v, a, below);
            alpha += (size_t)step[1] * NPU__Q_BLOCK * (size_t)d->lut.ew.in_bytes[1];
        }
        loops->scale(q->up.mul, above);
        loops->scale(q->below, below);
        npu__relu_choose(v, above, below, -q->below_negative, above);
        npu__q2_store(loops, q->up.out_type, above, m, q->up.out_zp, q->up.lo, q->up.hi, out);
        in += (size_t)step[0] * NPU__Q_BLOCK * (size_t)d->lut.ew.in_bytes[0];
        out += (size_t)NPU__Q_BLOCK * (size_t)d->lut.ew.out_bytes;
    }
}
NPU__FN void npu__prelu_q(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    npu__prelu_row((const npu__relu *)op, (const uint8_t *)in[0], (const uint8_t *)in[1], (uint8_t *)out, n, step);
}
NPU__FN void npu__leaky_relu_q16(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    npu__prelu_row((const npu__relu *)op, (const uint8_t *)in[0], NULL, (uint8_t *)out, n, step);
}
NPU__FN void npu__relu_q16(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__relu *d = (const npu__relu *)op;
    (void)step;
    npu__q1_row(&d->lut.ew, &d->q.up, in[0], out, n);
}
NPU__FN void npu__relu_f32_fast(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__relu *d = (const npu__relu *)op;
    (void)step;
    d->lut.ew.fast->clamp((const float *)in[0], (float *)out, n, d->lo, d->hi);
}
NPU__FN void npu__leaky_relu_f32_fast(const void *op, const void *const *in, void *out, int64_t n,
                                      const int32_t *step) {
    const npu__relu *d = (const npu__relu *)op;
    (void)step;
    d->lut.ew.fast->prelu((const float *)in[0], &d->alpha, (float *)out, n, 1, 0, 0.0f, 0.0f);
}
NPU__FN void npu__prelu_f32_fast(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__relu *d = (const npu__relu *)op;
    d->lut.ew.fast->prelu((const float *)in[0], (const float *)in[1], (float *)out, n, step[0], step[1], 0.0f, 0.0f);
}
#undef NPU__RELU_F
#undef NPU__RELU_A

/* The output's quantized form of a real bound, not yet clamped to the type. */
NPU__FN int32_t npu__relu_bound(const npu__val *out, float real) {
    int32_t v = npu__f32_to_i32(npu__roundf(real / npu__scale(out)));
    return npu__clamp32(v, -(1 << 30), 1 << 30) + npu__zero_point(out);
}

NPU__FN npu_status npu__relu_prepare_quant(npu__ctx *c) {
    npu__relu      *d = (npu__relu *)c->data;
    const npu__val *in = c->in[0], *out = c->out[0];
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    d->q.up.in_type = d->q.up.out_type = in->type;
    d->q.below_negative = 0;
    d->q.up.in_zp = npu__zero_point(in);
    d->q.up.out_zp = npu__zero_point(out);
    d->q.up.mul = npu__qmul_of((double)(npu__scale(in) / npu__scale(out)));
    npu__type_range(out->type, &d->q.up.lo, &d->q.up.hi);
    return NPU_OK;
}

/* hi: INFINITY for none. int16 exists for RELU and RELU6 only. */
NPU__FN npu_status npu__relu_prepare_any(npu__ctx *c, float lo, float hi, int has_int16) {
    npu__relu      *d = (npu__relu *)c->data;
    const npu__val *in = c->in[0], *out = c->out[0];
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    d->lo = lo;
    d->hi = hi;
    if (in->type == NPU_FLOAT32) return npu__ew_prepare_fast(c, npu__relu_f32, npu__relu_f32_fast, 1);
    if (in->type != NPU_INT8 && in->type != NPU_UINT8 && (in->type != NPU_INT16 || !has_int16)) {
        return npu__fail_types(c);
    }
    NPU__TRY(npu__relu_prepare_quant(c));
    NPU__TRY(npu__need_symmetric_unary(c));
    d->q.up.lo = NPU__MAX(d->q.up.lo, npu__relu_bound(out, lo));
    if (hi < 1e30f) d->q.up.hi = NPU__MIN(d->q.up.hi, npu__relu_bound(out, hi));
    if (in->type == NPU_INT16) return npu__ew_prepare_loops(c, npu__relu_q16, 1);
    for (int32_t i = 0; i < 256; i++) d->lut.lut.map.as.table[i] = (uint8_t)npu__relu_one(&d->q, npu__lut8_value(in->type, i));
    return npu__lut8_prepare(c);
}
/* RELU has no upper bound: infinity is larger than the 1e30 that is asked above. */
NPU__FN npu_status npu__relu_prepare(npu__ctx *c) { return npu__relu_prepare_any(c, 0.0f, (float)HUGE_VAL, 1); }
NPU__FN npu_status npu__relu6_prepare(npu__ctx *c) { return npu__relu_prepare_any(c, 0.0f, 6.0f, 1); }
NPU__FN npu_status npu__relu_n1_to_1_prepare(npu__ctx *c) { return npu__relu_prepare_any(c, -1.0f, 1.0f, 0); }
NPU__FN npu_status npu__relu_0_to_1_prepare(npu__ctx *c) { return npu__relu_prepare_any(c, 0.0f, 1.0f, 0); }

NPU__FN npu_status npu__leaky_relu_prepare(npu__ctx *c) {
    npu__relu      *d = (npu__relu *)c->data;
    const npu__val *in = c->in[0];
    double          below;
    d->alpha = NPU__OPTIONS(c->node, LeakyReluOptions)->alpha;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (in->type == NPU_FLOAT32) return npu__ew_prepare_fast(c, npu__leaky_relu_f32, npu__leaky_relu_f32_fast, 1);
    if (in->type != NPU_INT8 && in->type != NPU_UINT8 && in->type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__relu_prepare_quant(c));
    NPU__TRY(npu__need_symmetric_unary(c));
    /* A multiplier is not negative: for a negative slope the product is negated afterwards. */
    below = (double)(npu__scale(in) * d->alpha / npu__scale(c->out[0]));
    d->q.below_negative = below < 0.0;
    d->q.below = npu__qmul_of(fabs(below));
    if (in->type == NPU_INT16) return npu__ew_prepare_loops(c, npu__leaky_relu_q16, 1);
    for (int32_t i = 0; i < 256; i++) {
        d->lut.lut.map.as.table[i] = (uint8_t)npu__leaky_relu_one(&d->q, npu__lut8_value(in->type, i));
    }
    return npu__lut8_prepare(c);
}

/* The output has the input's shape: alpha may only repeat along it. */
NPU__FN npu_status npu__prelu_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__broadcast_shape(c, &c->in[0]->shape, &c->in[1]->shape, &s));
    if (!npu__shape_eq(&s, &c->in[0]->shape)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "prelu.alpha_shape", "alpha must broadcast to the shape of the input");
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__prelu_prepare(npu__ctx *c) {
    npu__relu *d = (npu__relu *)c->data;
    int32_t    type = c->in[0]->type;
    if (c->out[0]->type != type || c->in[1]->type != (type == NPU_INT16 ? (int32_t)NPU_INT8 : type)) {
        return npu__fail_types(c);
    }
    if (type == NPU_FLOAT32) return npu__ew_prepare_fast(c, npu__prelu_f32, npu__prelu_f32_fast, 2);
    if (type != NPU_INT8 && type != NPU_UINT8 && type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__relu_prepare_quant(c));
    NPU__TRY(npu__need_quant(c, c->in[1], "alpha"));
    d->q.alpha_type = c->in[1]->type;
    d->q.alpha_zp = npu__zero_point(c->in[1]);
    d->q.below = npu__qmul_of((double)(npu__scale(c->in[0]) * npu__scale(c->in[1]) / npu__scale(c->out[0])));
    return npu__ew_prepare_loops(c, npu__prelu_q, 2);
}

#define NPU__RELU_DEF(prepare)                                                                                   \
    {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__relu), npu__infer_same_as_in0, prepare, \
     NULL, npu__ew_eval, NULL}
NPU__OPDEF(npu__op_relu) = NPU__RELU_DEF(npu__relu_prepare);
NPU__OPDEF(npu__op_relu6) = NPU__RELU_DEF(npu__relu6_prepare);
NPU__OPDEF(npu__op_relu_n1_to_1) = NPU__RELU_DEF(npu__relu_n1_to_1_prepare);
NPU__OPDEF(npu__op_relu_0_to_1) = NPU__RELU_DEF(npu__relu_0_to_1_prepare);
NPU__OPDEF(npu__op_leaky_relu) = NPU__RELU_DEF(npu__leaky_relu_prepare);
#undef NPU__RELU_DEF
NPU__OPDEF(npu__op_prelu) = {2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL,
                                         NPU__DATA(npu__relu), npu__prelu_infer,
                                         npu__prelu_prepare, NULL, npu__ew_eval, NULL};
