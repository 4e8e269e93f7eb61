/* Filling and reading lookup tables of quantized functions, bit for bit like TFLite's LUTPopulate. */
#include "lut.h"

/* Keeps the compiler from fusing a product into a following sum: table entries must be the same on every machine. */
NPU__INLINE float npu__rounded_f32(float x) { volatile float v = x; return v; }
NPU__INLINE double npu__rounded_f64(double x) { volatile double v = x; return v; }

NPU__FN void npu__lut8_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__lut_op *d = (const npu__lut_op *)op;
    (void)step;
    npu__bytes_map_run(d->ew.bytes, &d->lut.map, (const uint8_t *)in[0], (uint8_t *)out, n);
}

NPU__FN npu_status npu__lut8_prepare(npu__ctx *c) {
    npu__lut_op *d = (npu__lut_op *)c->data;
    NPU__TRY(npu__ew_prepare(c, npu__lut8_row, 1));
    npu__bytes_map_make(d->ew.bytes, c->in[0]->type == NPU_INT8, c->out[0]->type == NPU_INT8, npu__zero_point(c->in[0]), &d->lut.map);
    d->ew.kernel = d->ew.bytes->name;
    return NPU_OK;
}

NPU__FN void npu__lut16_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const int16_t *lut = ((const npu__lut_op *)op)->lut.q16, *a = (const int16_t *)in[0];
    int16_t       *o = (int16_t *)out;
    (void)step;
    for (int64_t i = 0; i < n; i++) o[i] = npu__lut16_at(lut, a[i]);
}

NPU__FN void npu__lut8_fill(uint8_t *lut, const npu__val *in, const npu__val *out, npu__real_fn fn, const void *arg) {
    const float inverse = 1.0f / npu__scale(out);
    int32_t     lo = 0, hi = 0;
    npu__type_range(out->type, &lo, &hi);
    for (int32_t i = 0; i < 256; i++) {
        float x = npu__scale(in) * (float)(npu__lut8_value(in->type, i) - npu__zero_point(in));
        /* By the reciprocal of the scale, not by dividing: that is how LUTPopulate rounds. */
        float y = npu__rounded_f32(npu__roundf(fn(npu__rounded_f32(x), arg) * inverse));
        lut[i] = (uint8_t)npu__clamp32(npu__f32_to_i32(y + (float)npu__zero_point(out)), lo, hi);
    }
}

/* 513 entries, one for each 128 inputs and the end; npu__lut16_at interpolates between two. Each is shifted by half of what that
 * would miss in the middle of its interval. */
#define NPU__LUT16_FILL(name, T, ROUNDED, ROUND)                                                              \
    NPU__FN void name(int16_t *lut, T in_scale, int32_t in_zp, T out_scale, int32_t out_zp,                   \
                      T (*fn)(T, const void *), const void *arg) {                                            \
        const T in_lo = in_scale * (T)(-32768 - in_zp), in_hi = in_scale * (T)(32767 - in_zp);                \
        const T out_lo = out_scale * (T)(-32768 - out_zp), out_hi = out_scale * (T)(32767 - out_zp);          \
        const T step = (in_hi - in_lo) / 512, half = step / 2, inverse = (T)65536 / (out_hi - out_lo);        \
        for (int32_t i = 0; i <= 512; i++) {                                                                  \
            T x = i == 512 ? in_hi : in_lo + ROUNDED((T)i * step);                                            \
            T y = ROUND(fn(x, arg) * inverse);                                                                \
            if (i < 512) {                                                                                    \
                T next = ROUNDED(fn(in_lo + ROUNDED((T)(i + 1) * step), arg) * inverse);                      \
                T mid = ROUND(fn(x + half, arg) * inverse);                                                   \
                y -= ROUND((ROUND((next + y) / 2) - mid) / 2);                                                \
            }                                                                                                 \
            lut[i] = (int16_t)(y != y ? 0 : y > -32768 ? y < 32767 ? (int32_t)y : 32767 : -32768);            \
        }                                                                                                     \
    }
NPU__LUT16_FILL(npu__lut16_fill, float, npu__rounded_f32, npu__roundf)
NPU__LUT16_FILL(npu__lut16_fill_double, double, npu__rounded_f64, round)
#undef NPU__LUT16_FILL

typedef struct npu__lut_f64 {
    double (*fn)(double);
} npu__lut_f64;

NPU__FN double npu__lut_call_f64(double x, const void *arg) { return ((const npu__lut_f64 *)arg)->fn(x); }

NPU__FN void npu__lut16_fill_f64(int16_t *lut, double in_scale, int32_t in_zp, double out_scale,
                                 double (*fn)(double)) {
    npu__lut_f64 call;
    call.fn = fn;
    npu__lut16_fill_double(lut, in_scale, in_zp, out_scale, 0, npu__lut_call_f64, &call);
}

NPU__FN npu_status npu__need_symmetric_unary(npu__ctx *c) {
    const int32_t in = npu__zero_point(c->in[0]), out = npu__zero_point(c->out[0]);
    if (c->in[0]->type != NPU_INT16 || (in == 0 && out == 0)) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.int16_zero_point",
                     "int16 input and output must have zero point 0: got %d and %d", in, out);
}

NPU__FN npu_status npu__lut_prepare(npu__ctx *c, npu__real_fn fn, const void *arg) {
    npu__lut_op    *d = (npu__lut_op *)c->data;
    const npu__val *in = c->in[0], *out = c->out[0];
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (in->type != NPU_INT8 && in->type != NPU_UINT8 && in->type != NPU_INT16) return npu__fail_types(c);
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    if (in->type == NPU_INT16) {
        npu__lut16_fill(d->lut.q16, npu__scale(in), npu__zero_point(in), npu__scale(out), npu__zero_point(out), fn,
                        arg);
        NPU__TRY(npu__ew_prepare(c, npu__lut16_row, 1));
        d->ew.kernel = "table";
        return NPU_OK;
    }
    npu__lut8_fill(d->lut.map.as.table, in, out, fn, arg);
    return npu__lut8_prepare(c);
}
