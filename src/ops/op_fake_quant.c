/* FAKE_QUANT: floats to the nearest of 2^num_bits levels between min and max, as floats. */
#include "elementwise.h"

typedef struct npu__fake_quant {
    npu__ew ew;
    float   lo, hi, scale, inverse;
} npu__fake_quant;

/* The rounding is of a product, with one operation a statement, so that no target fuses what decides it. */
NPU__INLINE float npu__fake_quant_one(const npu__fake_quant *q, float x) {
    float v = npu__clamp_f32(x, q->lo, q->hi) - q->lo;
    v = npu__roundf(v * q->inverse);
    return v * q->scale + q->lo;
}
NPU__EW_ROW1(npu__fake_quant_f32, const npu__fake_quant q = *(const npu__fake_quant *)op, float, float,
             npu__fake_quant_one(&q, x))

/* Bounds move so that 0 is a level. */
NPU__FN npu_status npu__fake_quant_prepare(npu__ctx *c) {
    npu__fake_quant                  *d = (npu__fake_quant *)c->data;
    const npu__opts_FakeQuantOptions *o = NPU__OPTIONS(c->node, FakeQuantOptions);
    float                             top, zero;
    if (!npu__ew_same_types(c, 1) || c->in[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    if (o->narrow_range || o->num_bits < 1 || o->num_bits > 16) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "fake_quant.range", "num_bits must be in [1, 16] and narrow_range false: got %d and %d",
                         o->num_bits, o->narrow_range);
    }
    if (!(o->min < o->max) || o->min < -1e30f || o->max > 1e30f) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "fake_quant.bounds", "min must be below max, both within 1e30: got %g and %g",
                         (double)o->min, (double)o->max);
    }
    top = (float)((1 << o->num_bits) - 1);
    d->scale = (o->max - o->min) / top;
    zero = 0.0f - o->min / d->scale;
    zero = zero < 0.0f ? 0.0f : zero > top ? top : npu__roundf(zero);
    d->lo = (0.0f - zero) * d->scale;
    d->hi = (top - zero) * d->scale;
    d->inverse = 1.0f / d->scale;
    return npu__ew_prepare(c, npu__fake_quant_f32, 1);
}

NPU__OPDEF(npu__op_fake_quant) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0, NPU__DATA(npu__fake_quant), npu__infer_same_as_in0,
                                  npu__fake_quant_prepare, NULL, npu__ew_eval, NULL};
