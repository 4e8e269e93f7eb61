/* Walks output pixels of any convolution in memory order; the sums come from the op's own functions. */
#include "ref_conv.h"

/* An output pixel, and where it is. */
typedef struct npu__ref_pixel {
    int64_t i;
    int32_t b, y, x;
} npu__ref_pixel;

NPU__INLINE npu__ref_pixel npu__ref_pixel_at(const npu__conv_geom *g, int64_t i) {
    npu__ref_pixel p;
    p.i = i;
    p.x = (int32_t)(i % g->out_w);
    p.y = (int32_t)(i / g->out_w % g->out_h);
    p.b = (int32_t)(i / g->out_w / g->out_h);
    return p;
}
NPU__INLINE void npu__ref_pixel_next(const npu__conv_geom *g, npu__ref_pixel *p) {
    p->i++;
    if (++p->x < g->out_w) return;
    p->x = 0;
    if (++p->y < g->out_h) return;
    p->y = 0;
    p->b++;
}

#define NPU__REF_CONV_LOOP(g, p, oc)                                                                         \
    out += begin * (g)->out_c;                                                                               \
    for (npu__ref_pixel p = npu__ref_pixel_at((g), begin); p.i < end; npu__ref_pixel_next((g), &p))          \
        for (int32_t oc = 0; oc < (g)->out_c; oc++)

NPU__FN void npu__ref_conv_f32(const npu__conv_geom *g, npu__acc_f32 acc, const float *in, const float *w,
                               const float *bias, float lo, float hi, float *out, int64_t begin, int64_t end) {
    NPU__REF_CONV_LOOP(g, p, oc) {
        float v = acc(g, in, w, p.b, p.y, p.x, oc) + (bias ? bias[oc] : 0.0f);
        *out++ = npu__ref_clampf(v, lo, hi);
    }
}

NPU__FN void npu__ref_conv_i8(const npu__conv_geom *g, npu__acc_i8 acc, const npu__ref_out *q, const int8_t *in,
                              int32_t in_zp, const int8_t *w, const int32_t *bias, int8_t *out,
                              int64_t begin, int64_t end) {
    NPU__REF_CONV_LOOP(g, p, oc) {
        int32_t v = npu__wrap_add32(acc(g, in, w, p.b, p.y, p.x, oc, in_zp), bias ? bias[oc] : 0);
        *out++ = (int8_t)npu__ref_out32(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_u8(const npu__conv_geom *g, npu__acc_u8 acc, const npu__ref_out *q, const uint8_t *in,
                              int32_t in_zp, const uint8_t *w, int32_t w_zp, const int32_t *bias, uint8_t *out,
                              int64_t begin, int64_t end) {
    NPU__REF_CONV_LOOP(g, p, oc) {
        int32_t v = npu__wrap_add32(acc(g, in, w, p.b, p.y, p.x, oc, in_zp, w_zp), bias ? bias[oc] : 0);
        *out++ = (uint8_t)npu__ref_out32(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_i16(const npu__conv_geom *g, npu__acc_i16 acc, const npu__ref_out *q, const int16_t *in,
                               const int8_t *w, const int64_t *bias, int16_t *out, int64_t begin, int64_t end) {
    NPU__REF_CONV_LOOP(g, p, oc) {
        int64_t v = npu__wrap_add64(acc(g, in, w, p.b, p.y, p.x, oc), bias ? bias[oc] : 0);
        *out++ = (int16_t)npu__ref_out64(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_i16_b32(const npu__conv_geom *g, npu__acc_i16 acc, const npu__ref_out *q,
                                   const int16_t *in, const int8_t *w, const int32_t *bias, int16_t *out,
                                   int64_t begin, int64_t end) {
    /* The 64-bit sum cut to 32 is the sum modulo 2^32, which is what a 32-bit accumulator holds. */
    NPU__REF_CONV_LOOP(g, p, oc) {
        int32_t v = npu__wrap_add32((int32_t)acc(g, in, w, p.b, p.y, p.x, oc), bias ? bias[oc] : 0);
        *out++ = (int16_t)npu__ref_out32(q, oc, v);
    }
}

NPU__FN void npu__ref_conv_hybrid(const npu__conv_geom *g, npu__acc_i8 acc, const npu__conv_hybrid *h,
                                  const int8_t *in, const int8_t *w, const float *bias, float *out,
                                  int64_t begin, int64_t end) {
    NPU__REF_CONV_LOOP(g, p, oc) {
        float v = (float)acc(g, in, w, p.b, p.y, p.x, oc, h->batch_zp[p.b]);
        v = v * h->w_scale[(size_t)oc * (size_t)h->w_step] * h->batch_scale[p.b] + (bias ? bias[oc] : 0.0f);
        *out++ = npu__ref_clampf(v, h->lo, h->hi);
    }
}

#undef NPU__REF_CONV_LOOP
