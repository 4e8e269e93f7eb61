/* Walks the outputs of any convolution in memory order; the sums come from the op's own functions. */
#include "ref_conv.h"

#define NPU__REF_CONV_LOOP(g, b, y, x, oc)              \
    for (int32_t b = 0; b < (g)->batches; b++)          \
        for (int32_t y = 0; y < (g)->out_h; y++)        \
            for (int32_t x = 0; x < (g)->out_w; x++)    \
                for (int32_t oc = 0; oc < (g)->out_c; oc++)

NPU__FN void npu__ref_conv_f32(const npu__conv_geom *g, npu__acc_f32 acc, const float *in, const float *w,
                               const float *bias, float lo, float hi, float *out) {
    NPU__REF_CONV_LOOP(g, b, y, x, oc) {
        float v = acc(g, in, w, b, y, x, oc) + (bias ? bias[oc] : 0.0f);
        *out++ = npu__ref_clampf(v, lo, hi);
    }
}

NPU__FN void npu__ref_conv_i8(const npu__conv_geom *g, npu__acc_i8 acc, const npu__ref_out *q, const int8_t *in,
                              int32_t in_zp, const int8_t *w, const int32_t *bias, int8_t *out) {
    NPU__REF_CONV_LOOP(g, b, y, x, oc) {
        int32_t v = npu__wrap_add32(acc(g, in, w, b, y, x, oc, in_zp), bias ? bias[oc] : 0);
        *out++ = (int8_t)npu__ref_out32(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_u8(const npu__conv_geom *g, npu__acc_u8 acc, const npu__ref_out *q, const uint8_t *in,
                              int32_t in_zp, const uint8_t *w, int32_t w_zp, const int32_t *bias, uint8_t *out) {
    NPU__REF_CONV_LOOP(g, b, y, x, oc) {
        int32_t v = npu__wrap_add32(acc(g, in, w, b, y, x, oc, in_zp, w_zp), bias ? bias[oc] : 0);
        *out++ = (uint8_t)npu__ref_out32(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_i16(const npu__conv_geom *g, npu__acc_i16 acc, const npu__ref_out *q, const int16_t *in,
                               const int8_t *w, const int64_t *bias, int16_t *out) {
    NPU__REF_CONV_LOOP(g, b, y, x, oc) {
        int64_t v = npu__wrap_add64(acc(g, in, w, b, y, x, oc), bias ? bias[oc] : 0);
        *out++ = (int16_t)npu__ref_out64(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_i16_b32(const npu__conv_geom *g, npu__acc_i16 acc, const npu__ref_out *q,
                                   const int16_t *in, const int8_t *w, const int32_t *bias, int16_t *out) {
    NPU__REF_CONV_LOOP(g, b, y, x, oc) {
        int32_t v = npu__wrap_add32((int32_t)acc(g, in, w, b, y, x, oc), bias ? bias[oc] : 0);
        *out++ = (int16_t)npu__ref_out32(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_hybrid(const npu__conv_geom *g, npu__acc_i8 acc, const npu__conv_hybrid *h,
                                  const int8_t *in, const int8_t *w, const float *bias, float *out) {
    NPU__REF_CONV_LOOP(g, b, y, x, oc) {
        float v = (float)acc(g, in, w, b, y, x, oc, h->batch_zp[b]);
        v = v * h->w_scale[(size_t)oc * (size_t)h->w_step] * h->batch_scale[b] + (bias ? bias[oc] : 0.0f);
        *out++ = npu__ref_clampf(v, h->lo, h->hi);
    }
}

#undef NPU__REF_CONV_LOOP
