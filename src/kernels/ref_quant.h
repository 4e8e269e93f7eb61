/* What the reference kernels share: dot products, integer output stages, on-the-fly quantization of float inputs. */
#ifndef NPU__KERNELS_REF_QUANT_H
#define NPU__KERNELS_REF_QUANT_H

#include "../base/fixed.h"
NPU__SPEED_BEGIN

/* Output stage of an integer kernel: accumulator -> multiplier -> + zero point -> clamp to [lo, hi]. */
typedef struct npu__ref_out {
    const npu__qmul *mul; /* one per output channel (mul_step 1) or one for all (mul_step 0) */
    int32_t          mul_step;
    int32_t          zp, lo, hi;
} npu__ref_out;

/* Sums wrap like two's complement: only absurd models get there, and the result must still be defined. */
NPU__INLINE int32_t npu__wrap_add32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
NPU__INLINE int64_t npu__wrap_add64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

NPU__INLINE int32_t npu__ref_out32(const npu__ref_out *q, int32_t channel, int32_t acc) {
    int32_t v = npu__qmul_apply(acc, q->mul[(size_t)channel * (size_t)q->mul_step]);
    return npu__clamp32(npu__wrap_add32(v, q->zp), q->lo, q->hi);
}
NPU__INLINE int32_t npu__ref_out64(const npu__ref_out *q, int32_t channel, int64_t acc) {
    int32_t v = npu__qmul_apply64(acc, q->mul[(size_t)channel * (size_t)q->mul_step]);
    return npu__clamp32(npu__wrap_add32(v, q->zp), q->lo, q->hi);
}
/* NaN stays NaN. */
NPU__INLINE float npu__ref_clampf(float x, float lo, float hi) { return x < lo ? lo : x > hi ? hi : x; }

/* ---- dot products of n neighbouring elements ---- */

NPU__INLINE float npu__ref_dot_f32(const float *a, const float *w, int32_t n) {
    float sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * w[i];
    return sum;
}
/* sum (a - a_zp) * w */
NPU__INLINE int32_t npu__ref_dot_i8(const int8_t *a, const int8_t *w, int32_t n, int32_t a_zp) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (uint32_t)((a[i] - a_zp) * w[i]);
    return (int32_t)sum;
}
/* sum (a - a_zp) * (w - w_zp), signed and unsigned */
NPU__INLINE int32_t npu__ref_dot_i8_zp(const int8_t *a, const int8_t *w, int32_t n, int32_t a_zp, int32_t w_zp) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (uint32_t)((a[i] - a_zp) * (w[i] - w_zp));
    return (int32_t)sum;
}
NPU__INLINE int32_t npu__ref_dot_u8(const uint8_t *a, const uint8_t *w, int32_t n, int32_t a_zp, int32_t w_zp) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (uint32_t)((a[i] - a_zp) * (w[i] - w_zp));
    return (int32_t)sum;
}
/* int16 activations have zero point 0; the sum cannot overflow. */
NPU__INLINE int64_t npu__ref_dot_i16(const int16_t *a, const int8_t *w, int32_t n) {
    int64_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * w[i];
    return sum;
}

/* ---- float inputs of hybrid (dynamic-range) kernels ---- */

/* The two loops over a row: smallest and largest value (0 for none), and q = clamp(round(zp + x * inverse), lo, 127). */
typedef struct npu__minmax {
    float lo, hi;
} npu__minmax;
typedef npu__minmax npu__minmax_code(const float *x, int64_t n);
typedef void npu__quantize_code(const float *x, int64_t n, float inverse, float zp, int32_t lo, int8_t *q);
typedef npu__minmax_code   *npu__minmax_fn;
typedef npu__quantize_code *npu__quantize_fn;
NPU__FN npu__minmax_code   npu__minmax_f32;
NPU__FN npu__quantize_code npu__quantize_f32;

/* Rows of n. Symmetric: q = round(x / scale) in [-127, 127], zero point 0, scale 1 for all zeros. Asymmetric: q =
 * round(zp + x / scale) in [-128, 127], scale 1 and zero point 0 for all zeros. The second form names the loops. */
NPU__FN void npu__quantize_rows(const float *x, int64_t rows, int64_t n, int asymmetric, int8_t *q, float *scale,
                                int32_t *zp);
NPU__FN void npu__quantize_rows_by(npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x, int64_t rows,
                                   int64_t n, int asymmetric, int8_t *q, float *scale, int32_t *zp);

/* Copies int2 (packed, lowest bits first) to int8. n = elements. */
NPU__FN void npu__unpack_int2(const uint8_t *in, int64_t n, int8_t *out);

NPU__SPEED_END

#endif
