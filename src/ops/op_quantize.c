/* QUANTIZE: float to 4, 8 and 16 bits (per tensor or per channel), and integers from one quantization to another. */
#include "quantize.h"

/* Rounds half away from zero. Far beyond every output type the value is cut first, so the conversion is defined; NaN
 * becomes the smallest value. */
NPU__INLINE NPU__LOOP_BODY int32_t npu__quantize_one(float x, float scale, float most, float half, int32_t zp, int32_t lo, int32_t hi) {
    float   v = x / scale, rest;
    int32_t whole;
    v = v > -most ? v : -most;
    v = v < most ? v : most;
    /* Truncated, then moved by what is left: round() without its call, and the same on every libm. */
    whole = (int32_t)v;
    rest = v - (float)whole;
    whole += (int32_t)(rest >= half) - (int32_t)(rest <= -half);
    return npu__clamp32(npu__wadd32(whole, zp), lo, hi);
}

#define NPU__QUANTIZE_LOCALS                            \
    const npu__quantize *d = (const npu__quantize *)op; \
    const float          scale = d->scale;              \
    const float          most = d->most;                \
    const float          half = npu__kept_f32(0.5f);    \
    const int32_t        out_zp = d->q.out_zp;            \
    const int32_t        lo = d->q.lo;                    \
    const int32_t        hi = d->q.hi;                    \
    (void)scale; (void)most; (void)half
#define NPU__QUANTIZE_F32(name, TO)                                                                              \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        const float *a = (const float *)in[0];                                                                   \
        TO          *o = (TO *)out;                                                                              \
        NPU__QUANTIZE_LOCALS;                                                                                    \
        (void)step;                                                                                              \
        for (; n >= 16; n -= 16, a += 16, o += 16) {                                                             \
            int32_t whole[16];                                                                                   \
            NPU__VEC_FOR(i, 16) whole[i] = npu__quantize_one(a[i], scale, most, half, out_zp, lo, hi);                 \
            NPU__VEC_FOR(i, 16) o[i] = (TO)whole[i];                                                             \
        }                                                                                                        \
        for (int64_t i = 0; i < n; i++) o[i] = (TO)npu__quantize_one(a[i], scale, most, half, out_zp, lo, hi);         \
    }
NPU__QUANTIZE_F32(npu__quantize_f32_i8, int8_t)
NPU__QUANTIZE_F32(npu__quantize_f32_u8, uint8_t)
NPU__QUANTIZE_F32(npu__quantize_f32_i16, int16_t)
NPU__FN void npu__quantize_integers(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__quantize *d = (const npu__quantize *)op;
    (void)step;
    npu__q1_row(&d->ew, &d->q, in[0], out, n);
}
NPU__FN void npu__quantize_8_8_table(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__quantize *d = (const npu__quantize *)op;
    (void)step;
    npu__bytes_map_run(d->ew.bytes, &d->map, (const uint8_t *)in[0], (uint8_t *)out, n);
}
NPU__FN void npu__quantize_f32_fast(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__quantize *d = (const npu__quantize *)op;
    npu__i8_out          stage = npu__i8_out_of(d->q.lo < 0, d->q.out_zp, d->q.lo, d->q.hi);
    stage.raw = d->ew.out_bytes == 2;
    /* Other scales, and an int16 zero point, are for the loops. */
    if (!(d->scale >= 1e-20f && d->scale <= 1e20f) || (stage.raw && d->q.out_zp)) d->plain(op, in, out, n, step);
    else d->ew.fast->quantize8((const float *)in[0], (uint8_t *)out, n, d->scale, &stage);
}
#undef NPU__QUANTIZE_LOCALS
#undef NPU__QUANTIZE_F32

/* The row for a pair of types; NULL: none. */
NPU__FN npu__ew_row npu__quantize_find_row(int32_t in, int32_t out) {
    const int bytes = in == NPU_INT8 || in == NPU_UINT8, to_signed = out == NPU_INT8 || out == NPU_INT16;
    if (in == NPU_FLOAT32) {
        return out == NPU_INT8 ? npu__quantize_f32_i8 : out == NPU_UINT8 ? npu__quantize_f32_u8 : out == NPU_INT16 ? npu__quantize_f32_i16 : NULL;
    }
    if (to_signed ? bytes || in == NPU_INT16 || in == NPU_INT32 : (bytes && out == NPU_UINT8) || (in == NPU_INT16 && out == NPU_INT32))
        return npu__quantize_integers;
    return NULL;
}

/* All that a row of bytes to bytes can give. */
NPU__FN void npu__quantize_prepare_table(npu__ctx *c, npu__ew_row row) {
    npu__quantize *d = (npu__quantize *)c->data;
    const int32_t  step = 1;
    uint8_t        bytes[256];
    const void    *in = bytes;
    if (d->ew.in_bytes[0] != 1 || d->ew.out_bytes != 1) return;
    for (int32_t i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
    row(d, &in, d->map.as.table, 256, &step);
    npu__bytes_map_make(d->ew.bytes, c->in[0]->type == NPU_INT8, c->out[0]->type == NPU_INT8, d->q.in_zp, &d->map);
    d->ew.row = npu__quantize_8_8_table;
    d->ew.kernel = d->ew.bytes->name;
}

NPU__FN void npu__quantize_prepare_fast(npu__quantize *d, npu__ew_row row) {
    if (!d->ew.fast || !d->ew.fast->quantize8) return;
    d->plain = row;
    d->ew.row = npu__quantize_f32_fast;
    d->ew.kernel = d->ew.fast->name;
}

NPU__FN npu_status npu__quantize_prepare_row(npu__ctx *c, npu__ew_row row) {
    npu__quantize  *d = (npu__quantize *)c->data;
    const npu__val *in = c->in[0], *out = c->out[0];
    const int       four_bits = in->type == NPU_FLOAT32 && (out->type == NPU_INT4 || out->type == NPU_UINT4);
    d->ew.kernel = "reference";
    if (!row && !four_bits) return npu__fail_types(c);
    npu__type_range(out->type, &d->q.lo, &d->q.hi);
    d->most = 1.0e6f;
    if (in->type == NPU_FLOAT32 && out->t->quant.count > 1 && !four_bits) {
        NPU__TRY(npu__quant_axis_prepare(c, out, &d->axis));
        NPU__TRY(npu__ew_prepare_loops(c, row, 1));
        npu__quantize_prepare_fast(d, row);
        return NPU_OK;
    }
    NPU__TRY(npu__need_quant(c, out, "the output"));
    d->scale = npu__scale(out);
    d->q.out_zp = npu__zero_point(out);
    if (four_bits) return NPU_OK;
    if (in->type != NPU_FLOAT32) {
        NPU__TRY(npu__need_quant(c, in, "the input"));
        d->q.in_zp = npu__zero_point(in);
        /* TFLite's Requantize: one fixed-point factor between the two scales. */
        d->q.mul = npu__qmul_of((double)npu__scale(in) / (double)d->scale);
        d->q.in_type = in->type;
        d->q.out_type = out->type;
        if (in->type == NPU_INT16 && out->type == NPU_INT16) NPU__TRY(npu__need_symmetric_unary(c));
    }
    NPU__TRY(npu__ew_prepare_loops(c, row, 1));
    if (in->type != NPU_FLOAT32) npu__quantize_prepare_table(c, row);
    else npu__quantize_prepare_fast(d, row);
    return NPU_OK;
}

NPU__FN npu_status npu__quantize_prepare(npu__ctx *c) {
    return npu__quantize_prepare_row(c, npu__quantize_find_row(c->in[0]->type, c->out[0]->type));
}

NPU__FN npu_status npu__quantize_channels(npu__ctx *c) {
    npu__quantize    d = *(const npu__quantize *)c->data;
    const npu_quant *q = &c->out[0]->t->quant;
    const int32_t    in_bytes = 4, out_bytes = d.ew.out_bytes, step = 1;
    int64_t          done = 0;
    if (d.ew.total == 0) return NPU_OK;
    for (int64_t i = 0, at = 0; i < d.axis.outer * d.axis.channels; i++, at += d.axis.inner) {
        d.scale = q->scale[i % d.axis.channels];
        d.q.out_zp = q->zero_point[i % d.axis.channels];
        for (int64_t k = 0; k < d.axis.inner; k += NPU__POLL_STEPS) {
            const int64_t n = NPU__MIN(d.axis.inner - k, (int64_t)NPU__POLL_STEPS);
            const void   *in = (const uint8_t *)c->in[0]->data + (at + k) * in_bytes;
            d.ew.row(&d, &in, (uint8_t *)c->out[0]->data + (at + k) * out_bytes, n, &step);
            NPU__POLL_PASS(c, done, n);
        }
    }
    return NPU_OK;
}

/* Two elements share a byte, the first one in its low half. */
NPU__FN npu_status npu__quantize_four_bits(npu__ctx *c) {
    const npu__quantize *d = (const npu__quantize *)c->data;
    const float         *in = (const float *)c->in[0]->data;
    uint8_t             *out = (uint8_t *)c->out[0]->data;
    const int64_t        n = npu__elems(c->in[0]);
    int64_t              done = 0;
    for (int64_t i = 0; i < n; i++) {
        unsigned v = (unsigned)npu__quantize_one(in[i], d->scale, d->most, 0.5f, d->q.out_zp, d->q.lo, d->q.hi) & 15u;
        out[i >> 1] = (uint8_t)(i & 1 ? out[i >> 1] | v << 4 : v);
        NPU__POLL_PASS(c, done, 1);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__quantize_eval(npu__ctx *c) {
    const npu__quantize *d = (const npu__quantize *)c->data;
    if (c->out[0]->type == NPU_INT4 || c->out[0]->type == NPU_UINT4) return npu__quantize_four_bits(c);
    return d->axis.channels ? npu__quantize_channels(c) : npu__ew_eval(c);
}

NPU__OPDEF(npu__op_quantize) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL,
                                            NPU__DATA(npu__quantize),
                                            npu__infer_same_as_in0, npu__quantize_prepare, NULL,
                                            npu__quantize_eval, NULL};
