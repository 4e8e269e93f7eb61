/* Reference kernels of FULLY_CONNECTED. */
#include "ref_fully_connected.h"

NPU__FN void npu__ref_fc_f32(const npu__fc_geom *g, const float *in, const float *w, const float *bias, float lo,
                             float hi, float *out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        const int64_t r = i / g->units, u = i % g->units;
        float         v = npu__ref_dot_f32(in + r * g->depth, w + u * g->depth, g->depth) + (bias ? bias[u] : 0.0f);
        out[i] = npu__ref_clampf(v, lo, hi);
    }
}

NPU__FN int64_t npu__ref_fc_dot_i16_i16(const int16_t *a, const int16_t *w, int32_t n, int32_t w_zp) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (uint64_t)((int64_t)a[i] * (w[i] - w_zp));
    return (int64_t)sum;
}

NPU__FN int64_t npu__ref_fc_acc(const npu__fc_geom *g, const npu__fc_q *q, const void *in, const void *w, int64_t r,
                                int32_t u) {
    const size_t  a = (size_t)r * (size_t)g->depth, b = (size_t)u * (size_t)g->depth;
    const int32_t n = g->depth;
    switch (q->kind) {
    case NPU__FC_I8: return npu__ref_dot_i8_zp((const int8_t *)in + a, (const int8_t *)w + b, n, q->in_zp, q->w_zp);
    case NPU__FC_U8:
    case NPU__FC_U8_I16:
        return npu__ref_dot_u8((const uint8_t *)in + a, (const uint8_t *)w + b, n, q->in_zp, q->w_zp);
    case NPU__FC_I16: {
        int64_t sum = npu__ref_dot_i16((const int16_t *)in + a, (const int8_t *)w + b, n);
        if (q->w_zp != 0) { /* only per-tensor weights may have one */
            for (int32_t i = 0; i < n; i++) sum -= (int64_t)((const int16_t *)in)[a + (size_t)i] * q->w_zp;
        }
        return sum;
    }
    default: return npu__ref_fc_dot_i16_i16((const int16_t *)in + a, (const int16_t *)w + b, n, q->w_zp);
    }
}

NPU__FN int32_t npu__ref_fc_scaled(const npu__fc_q *q, int32_t u, int64_t acc) {
    const size_t channel = (size_t)u * (size_t)q->w_step;
    double       scale = (double)q->in_scale * (double)q->w_scale[channel] / (double)q->out_scale, v;
    if (q->kind == NPU__FC_I16_I16) {
        /* One scale: TFLite multiplies in float there, several: in double. */
        if (q->w_step == 0) scale = (double)(q->in_scale * q->w_scale[0]) / (double)q->out_scale;
        return npu__clamp32(npu__qmul_apply64(acc, npu__qmul_of(scale)), q->lo, q->hi);
    }
    if (q->fixed) return npu__clamp32(npu__qmul_apply((int32_t)acc, npu__qmul_of(scale)), q->lo, q->hi);
    /* Cut far outside of every type before it is converted, so that the conversion is defined. */
    v = round((double)acc * scale);
    return npu__clamp32((int32_t)(v < -1e9 ? -1e9 : v > 1e9 ? 1e9 : v) + q->out_zp, q->lo, q->hi);
}

NPU__FN void npu__ref_fc_int(const npu__fc_geom *g, const npu__fc_q *q, const void *in, const void *w,
                             const void *bias, void *out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        const int32_t u = (int32_t)(i % g->units);
        int64_t       acc = npu__ref_fc_acc(g, q, in, w, i / g->units, u);
        int64_t       b = !bias ? 0 : q->bias64 ? ((const int64_t *)bias)[u] : ((const int32_t *)bias)[u];
        int32_t       y;
        acc = q->acc64 ? npu__wrap_add64(acc, b) : npu__wrap_add32((int32_t)acc, (int32_t)b);
        y = npu__ref_fc_scaled(q, u, acc);
        switch (q->kind) {
        case NPU__FC_I8: ((int8_t *)out)[i] = (int8_t)y; break;
        case NPU__FC_U8: ((uint8_t *)out)[i] = (uint8_t)y; break;
        default: ((int16_t *)out)[i] = (int16_t)y; break;
        }
    }
}

NPU__FN void npu__ref_fc_hybrid(const npu__fc_geom *g, const int8_t *in, const float *row_scale,
                                const int32_t *row_zp, const int8_t *w, const float *w_scale, int32_t w_step,
                                const float *bias, float *out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        const int64_t r = i / g->units, u = i % g->units;
        float         scale = row_scale[r] * w_scale[u * w_step];
        float         dot = (float)npu__ref_dot_i8(in + r * g->depth, w + u * g->depth, g->depth, row_zp[r]);
        out[i] = (bias ? bias[u] : 0.0f) + dot * scale;
    }
}

NPU__FN void npu__ref_fc_blockwise(const npu__fc_geom *g, const int8_t *in, const float *row_scale,
                                   const int32_t *row_zp, const int8_t *w, const uint16_t *scales, int32_t block,
                                   const float *bias, float *out, int64_t begin, int64_t end) {
    const int32_t blocks = g->depth / block;
    for (int64_t i = begin; i < end; i++) {
        const int64_t   r = i / g->units, u = i % g->units;
        const int8_t   *a = in + r * g->depth, *wp = w + u * g->depth;
        const uint16_t *sp = scales + u * blocks;
        float           sum = 0;
        for (int32_t b = 0; b < blocks; b++) {
            int32_t first = b * block, dot = npu__ref_dot_i8(a + first, wp + first, block, row_zp[r]);
            sum += (float)dot * npu__ref_fc_block_scale(sp[b]);
        }
        out[i] = sum * row_scale[r] + (bias ? bias[u] : 0.0f);
    }
}
