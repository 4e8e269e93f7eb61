/* LOGISTIC and TANH: floats, 8 bits by table, int16 by interpolating one sigmoid table. */
#include "lut.h"
#include "../base/sigmoid_table.h"

typedef struct npu__logistic {
    npu__lut_op lut; /* starts with the npu__ew */
    int32_t     multiplier, shift; /* int16: brings the input to 1 / (3 * 4096) */
} npu__logistic;

/* Below -9 the denominator is all exp(-x): TFLite leaves the 1 out there. */
NPU__INLINE float npu__logistic_float(float x) {
    /* TFLite's cutoff_upper: from there on the float is 1 anyway. */
    if (x > 16.619047164916992188f) return 1.0f;
    return x < -9.0f ? expf(x) : 1.0f / (1.0f + expf(-x));
}
NPU__FN float npu__logistic_real(float x, const void *arg) { (void)arg; return 1.0f / (1.0f + expf(-x)); }
NPU__FN float npu__tanh_real(float x, const void *arg) { (void)arg; return tanhf(x); }

#define NPU__LOGISTIC_Q                                        \
    const int32_t m = ((const npu__logistic *)op)->multiplier; \
    const int32_t s = ((const npu__logistic *)op)->shift
NPU__EW_ROW1(npu__logistic_f32, NPU__EW_NO_LOCALS, float, float, npu__logistic_float(x))
NPU__EW_ROW1(npu__logistic_f16, NPU__EW_NO_LOCALS, uint16_t, uint16_t,
             npu__f16_from_f32(npu__logistic_float(npu__f16_to_f32(x))))
NPU__EW_ROW1(npu__logistic_bf16, NPU__EW_NO_LOCALS, uint16_t, uint16_t,
             npu__bf16_from_f32(npu__logistic_float(npu__bf16_to_f32(x))))
NPU__EW_ROW1(npu__logistic_q16, NPU__LOGISTIC_Q, int16_t, int16_t, npu__logistic_one16(x, m, s))
NPU__EW_ROW1(npu__tanh_f32, NPU__EW_NO_LOCALS, float, float, tanhf(x))
NPU__EW_ROW1(npu__tanh_f16, NPU__EW_NO_LOCALS, uint16_t, uint16_t, npu__f16_from_f32(tanhf(npu__f16_to_f32(x))))
NPU__EW_ROW1(npu__tanh_bf16, NPU__EW_NO_LOCALS, uint16_t, uint16_t, npu__bf16_from_f32(tanhf(npu__bf16_to_f32(x))))
NPU__EW_ROW1(npu__tanh_q16, NPU__LOGISTIC_Q, int16_t, int16_t, npu__tanh_one16(x, m, s))
#undef NPU__LOGISTIC_Q
/* Scale 2^-12 (for TANH also 2^-11) is a plain factor 3; every other scale gets a multiplier of at most 15 bits. */
NPU__FN npu_status npu__logistic_prepare16(npu__ctx *c, int32_t largest_shift, npu__ew_row row) {
    npu__logistic *d = (npu__logistic *)c->data;
    int32_t        in_log2, out_log2, pot;
    double         m;
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
    NPU__TRY(npu__need_symmetric_unary(c));
    if (!npu__checked_log2(npu__scale(c->out[0]), &out_log2) || out_log2 != -15) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "logistic.output_scale",
                         "an int16 output must have scale 1/32768: got %g", (double)npu__scale(c->out[0]));
    }
    pot = npu__checked_log2(npu__scale(c->in[0]), &in_log2);
    d->shift = 12 + in_log2;
    if (pot && d->shift >= 0 && d->shift <= largest_shift) {
        d->multiplier = 3 << d->shift;
        d->shift = 0;
        return npu__ew_prepare(c, row, 1);
    }
    m = (double)npu__scale(c->in[0]) * 4096.0 * 3.0;
    /* As large as 15 bits allow, for the finest rounding: TFLite's SigmoidPrepare. */
    for (d->shift = 0; m <= 32767.0 / 2.0 && d->shift <= 30; d->shift++) m *= 2.0;
    if (m < 1.0 || m > 2147483647.0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "logistic.input_scale", "the input's scale is out of range: got %g",
                         (double)npu__scale(c->in[0]));
    }
    d->multiplier = (int32_t)m;
    return npu__ew_prepare(c, row, 1);
}

NPU__FN npu_status npu__logistic_prepare(npu__ctx *c) {
    const float scale = npu__has_quant(c->out[0]) ? npu__scale(c->out[0]) : 0.0f;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare_unary(c, npu__logistic_f32, NPU__PW_logistic);
    case NPU_FLOAT16: return npu__ew_prepare(c, npu__logistic_f16, 1);
    case NPU_BFLOAT16: return npu__ew_prepare(c, npu__logistic_bf16, 1);
    case NPU_INT8:
    case NPU_UINT8:
        /* Compared without ==, for compilers that warn of it. */
        if (scale < 1.0f / 256.0f || scale > 1.0f / 256.0f) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "logistic.output_scale",
                             "an 8-bit output must have scale 1/256: got %g", (double)scale);
        }
        return npu__lut_prepare(c, npu__logistic_real, NULL);
    case NPU_INT16:
        if (scale < 1.0f / 32768.0f || scale > 1.0f / 32768.0f) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "logistic.output_scale",
                             "an int16 output must have scale 1/32768: got %g", (double)scale);
        }
        return npu__logistic_prepare16(c, 0, npu__logistic_q16);
    default: return npu__fail_types(c);
    }
}

NPU__FN npu_status npu__tanh_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    switch (c->in[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare_unary(c, npu__tanh_f32, NPU__PW_tanh);
    case NPU_FLOAT16: return npu__ew_prepare(c, npu__tanh_f16, 1);
    case NPU_BFLOAT16: return npu__ew_prepare(c, npu__tanh_bf16, 1);
    case NPU_INT16: return npu__logistic_prepare16(c, 1, npu__tanh_q16);
    default: return npu__lut_prepare(c, npu__tanh_real, NULL);
    }
}

NPU__OPDEF(npu__op_logistic) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL,
                                            NPU__DATA(npu__logistic),
                                            npu__infer_same_as_in0, npu__logistic_prepare, NULL, npu__ew_eval,
                                            npu__work_exp};
NPU__OPDEF(npu__op_tanh) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL,
                                        NPU__DATA(npu__logistic),
                                        npu__infer_same_as_in0, npu__tanh_prepare, NULL, npu__ew_eval, npu__work_exp};
