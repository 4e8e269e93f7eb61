/* CONV_2D: the sum of one output, plain and grouped, any stride and dilation. Cells outside the image add nothing. */
#include "ref_conv.h"

/* Coordinates are 64-bit because dilation times filter may leave 32 bits before the comparison refuses them. */
#define NPU__REF_CONV_2D_SUM(in_t, w_t, sum, DOT)                                                               \
    const int32_t per_group = g->out_c / (g->in_c / g->k_c);                                                    \
    const in_t   *image = in + (size_t)b * (size_t)g->in_h * (size_t)g->in_w * (size_t)g->in_c +                \
                        (size_t)(oc / per_group) * (size_t)g->k_c;                                              \
    const w_t    *wp = w + (size_t)oc * (size_t)g->k_h * (size_t)g->k_w * (size_t)g->k_c;                       \
    for (int32_t ky = 0; ky < g->k_h; ky++) {                                                                   \
        int64_t y = (int64_t)oy * g->stride_h - g->pad_h + (int64_t)ky * g->dil_h;                              \
        for (int32_t kx = 0; kx < g->k_w; kx++, wp += g->k_c) {                                                 \
            int64_t x = (int64_t)ox * g->stride_w - g->pad_w + (int64_t)kx * g->dil_w;                          \
            if (y >= 0 && y < g->in_h && x >= 0 && x < g->in_w) {                                               \
                const in_t *a = image + ((size_t)y * (size_t)g->in_w + (size_t)x) * (size_t)g->in_c;            \
                sum = DOT;                                                                                      \
            }                                                                                                   \
        }                                                                                                       \
    }

NPU__FN float npu__ref_conv_2d_acc_f32(const npu__conv_geom *g, const float *in, const float *w, int32_t b,
                                       int32_t oy, int32_t ox, int32_t oc) {
    float sum = 0;
    NPU__REF_CONV_2D_SUM(float, float, sum, sum + npu__ref_dot_f32(a, wp, g->k_c))
    return sum;
}

NPU__FN int32_t npu__ref_conv_2d_acc_i8(const npu__conv_geom *g, const int8_t *in, const int8_t *w, int32_t b,
                                        int32_t oy, int32_t ox, int32_t oc, int32_t in_zp) {
    int32_t sum = 0;
    NPU__REF_CONV_2D_SUM(int8_t, int8_t, sum, npu__wrap_add32(sum, npu__ref_dot_i8(a, wp, g->k_c, in_zp)))
    return sum;
}

NPU__FN int32_t npu__ref_conv_2d_acc_u8(const npu__conv_geom *g, const uint8_t *in, const uint8_t *w, int32_t b,
                                        int32_t oy, int32_t ox, int32_t oc, int32_t in_zp, int32_t w_zp) {
    int32_t sum = 0;
    NPU__REF_CONV_2D_SUM(uint8_t, uint8_t, sum, npu__wrap_add32(sum, npu__ref_dot_u8(a, wp, g->k_c, in_zp, w_zp)))
    return sum;
}

NPU__FN int64_t npu__ref_conv_2d_acc_i16(const npu__conv_geom *g, const int16_t *in, const int8_t *w, int32_t b,
                                         int32_t oy, int32_t ox, int32_t oc) {
    int64_t sum = 0;
    NPU__REF_CONV_2D_SUM(int16_t, int8_t, sum, sum + npu__ref_dot_i16(a, wp, g->k_c))
    return sum;
}

#undef NPU__REF_CONV_2D_SUM

NPU__FN const npu__conv_accs *npu__ref_conv_2d_accs(void) {
    static const npu__conv_accs accs = {npu__ref_conv_2d_acc_f32, npu__ref_conv_2d_acc_i8, npu__ref_conv_2d_acc_u8,
                                        npu__ref_conv_2d_acc_i16};
    return &accs;
}
