/* Template: the loops of pointwise.h over float vectors, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VF and NPU__VB (vectors of floats and of bytes), NPU__VN
 * (floats in one), NPU__VFN (what functions need) and NPU__VF_{LOAD, STORE, SET1, ADD, SUB, MUL, DIV, SQRT, CLAMP,
 * MAX, SELECT_GE, BITS_SHL, BITS_SHR, BITS_ADD, BITS_AND, BITS_ANDNOT, BITS_OR}, NPU__VB_{LOAD, STORE, MAX_S8, MAX_U8}.
 * SELECT_GE(x, y, a, b) is x >= y ? a : b; MAX(x, y) keeps y where x is NaN; BITS_ work on 32-bit lanes, ANDNOT
 * inverts its first operand. All are undefined at the end. */

/* EXPR of x and y for full vectors, the rest through one padded vector. */
#define NPU__BINARY_LOOP(EXPR)                                         \
    NPU__VF       x = NPU__VF_SET1(a[0]), y = NPU__VF_SET1(b[0]);      \
    const NPU__VF vlo = NPU__VF_SET1(lo), vhi = NPU__VF_SET1(hi);      \
    int64_t       i = 0;                                               \
    float         pa[NPU__VN], pb[NPU__VN];                            \
    (void)vlo;                                                         \
    (void)vhi;                                                         \
    for (; i + NPU__VN <= n; i += NPU__VN) {                           \
        if (step_a) x = NPU__VF_LOAD(a + i);                           \
        if (step_b) y = NPU__VF_LOAD(b + i);                           \
        NPU__VF_STORE(out + i, EXPR);                                  \
    }                                                                  \
    if (i < n) {                                                       \
        const size_t rest = (size_t)(n - i) * sizeof(float);           \
        memset(pa, 0, sizeof pa);                                      \
        memset(pb, 0, sizeof pb);                                      \
        if (step_a) { memcpy(pa, a + i, rest); x = NPU__VF_LOAD(pa); } \
        if (step_b) { memcpy(pb, b + i, rest); y = NPU__VF_LOAD(pb); } \
        NPU__VF_STORE(pa, EXPR);                                       \
        memcpy(out + i, pa, rest);                                     \
    }
#define NPU__BINARY(name, EXPR)                                                                               \
    NPU__VFN NPU__FN void NPU__V(name)(const float *a, const float *b, float *out, int64_t n, int32_t step_a, \
                                       int32_t step_b, float lo, float hi) {                                  \
        NPU__BINARY_LOOP(EXPR)                                                                                \
    }
NPU__BINARY(npu__pw_add, NPU__VF_CLAMP(NPU__VF_ADD(x, y), vlo, vhi))
NPU__BINARY(npu__pw_sub, NPU__VF_CLAMP(NPU__VF_SUB(x, y), vlo, vhi))
NPU__BINARY(npu__pw_mul, NPU__VF_CLAMP(NPU__VF_MUL(x, y), vlo, vhi))
NPU__BINARY(npu__pw_div, NPU__VF_CLAMP(NPU__VF_DIV(x, y), vlo, vhi))
NPU__BINARY(npu__pw_prelu, NPU__VF_SELECT_GE(x, NPU__VF_SET1(0.0f), x, NPU__VF_MUL(x, y)))
#undef NPU__BINARY
#undef NPU__BINARY_LOOP

#define NPU__UNARY_LOOP(EXPR)                            \
    int64_t i = 0;                                       \
    float   p[NPU__VN];                                  \
    NPU__VF v;                                           \
    for (; i + NPU__VN <= n; i += NPU__VN) {             \
        v = NPU__VF_LOAD(x + i);                         \
        NPU__VF_STORE(out + i, EXPR);                    \
    }                                                    \
    if (i < n) {                                         \
        memset(p, 0, sizeof p);                          \
        memcpy(p, x + i, (size_t)(n - i) * sizeof *x);   \
        v = NPU__VF_LOAD(p);                             \
        NPU__VF_STORE(p, EXPR);                          \
        memcpy(out + i, p, (size_t)(n - i) * sizeof *x); \
    }

NPU__VFN NPU__FN void NPU__V(npu__pw_clamp)(const float *x, float *out, int64_t n, float lo, float hi) {
    const NPU__VF vlo = NPU__VF_SET1(lo), vhi = NPU__VF_SET1(hi);
    NPU__UNARY_LOOP(NPU__VF_CLAMP(v, vlo, vhi))
}

/* exp(x) = *scale * (1 + what it returns), for 2^k * e^r with |r| <= ln(2) / 2. k comes out of the low bits of x * log2(e) +
 * 1.5 * 2^23. Beyond [-87.33, 88.3] the results are those at the ends (1e-38 and 2e38). */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_exp_parts)(NPU__VF x, NPU__VF *scale) {
    const NPU__VF magic = NPU__VF_SET1(12582912.0f);
    NPU__VF       t, k, r, p;
    x = NPU__VF_CLAMP(x, NPU__VF_SET1(-87.33f), NPU__VF_SET1(88.3f));
    t = NPU__VF_ADD(NPU__VF_MUL(x, NPU__VF_SET1(1.44269504f)), magic);
    k = NPU__VF_SUB(t, magic);
    r = NPU__VF_SUB(x, NPU__VF_MUL(k, NPU__VF_SET1(0.693359375f)));
    r = NPU__VF_ADD(r, NPU__VF_MUL(k, NPU__VF_SET1(2.12194440e-4f)));
    p = NPU__VF_SET1(1.9875691500e-4f);
    p = NPU__VF_ADD(NPU__VF_MUL(p, r), NPU__VF_SET1(1.3981999507e-3f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, r), NPU__VF_SET1(8.3334519073e-3f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, r), NPU__VF_SET1(4.1665795894e-2f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, r), NPU__VF_SET1(1.6666665459e-1f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, r), NPU__VF_SET1(0.5f));
    *scale = NPU__VF_BITS_ADD(NPU__VF_BITS_SHL(t, 23), NPU__VF_SET1(1.0f));
    return NPU__VF_ADD(NPU__VF_MUL(p, NPU__VF_MUL(r, r)), r);
}

NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_exp1)(NPU__VF x) {
    NPU__VF scale, p = NPU__V(npu__pw_exp_parts)(x, &scale);
    return NPU__VF_MUL(NPU__VF_ADD(p, NPU__VF_SET1(1.0f)), scale);
}

NPU__VFN NPU__FN void NPU__V(npu__pw_logistic)(const float *x, float *out, int64_t n) {
    const NPU__VF one = NPU__VF_SET1(1.0f), zero = NPU__VF_SET1(0.0f);
    NPU__UNARY_LOOP(NPU__VF_DIV(one, NPU__VF_ADD(one, NPU__V(npu__pw_exp1)(NPU__VF_SUB(zero, v)))))
}

/* 1 - 2 / (exp(2 |x|) + 1) with x's sign; an odd polynomial near zero, where that would cancel. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_tanh1)(NPU__VF x) {
    const NPU__VF sign = NPU__VF_SET1(-0.0f), one = NPU__VF_SET1(1.0f), two = NPU__VF_SET1(2.0f);
    const NPU__VF minus = NPU__VF_BITS_AND(x, sign), size = NPU__VF_BITS_ANDNOT(sign, x);
    const NPU__VF a = NPU__VF_CLAMP(size, NPU__VF_SET1(0.0f), NPU__VF_SET1(20.0f)), z = NPU__VF_MUL(a, a);
    NPU__VF       p = NPU__VF_SET1(-5.70498872745e-3f), big;
    p = NPU__VF_ADD(NPU__VF_MUL(p, z), NPU__VF_SET1(2.06390887954e-2f));
    p = NPU__VF_SUB(NPU__VF_MUL(p, z), NPU__VF_SET1(5.37397155531e-2f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, z), NPU__VF_SET1(1.33314422036e-1f));
    p = NPU__VF_SUB(NPU__VF_MUL(p, z), NPU__VF_SET1(3.33332819422e-1f));
    p = NPU__VF_ADD(NPU__VF_MUL(NPU__VF_MUL(p, z), a), a);
    big = NPU__VF_SUB(one, NPU__VF_DIV(two, NPU__VF_ADD(NPU__V(npu__pw_exp1)(NPU__VF_MUL(a, two)), one)));
    return NPU__VF_BITS_OR(NPU__VF_SELECT_GE(a, NPU__VF_SET1(0.625f), big, p), minus);
}

NPU__VFN NPU__FN void NPU__V(npu__pw_tanh)(const float *x, float *out, int64_t n) {
    NPU__UNARY_LOOP(NPU__V(npu__pw_tanh1)(v))
}

NPU__VFN NPU__FN void NPU__V(npu__pw_max)(const float *x, float *out, int64_t n) {
    int64_t i = 0;
    for (; i + NPU__VN <= n; i += NPU__VN)
        NPU__VF_STORE(out + i, NPU__VF_MAX(NPU__VF_LOAD(x + i), NPU__VF_LOAD(out + i)));
    for (; i < n; i++) out[i] = out[i] < x[i] ? x[i] : out[i];
}

NPU__VFN NPU__FN void NPU__V(npu__pw_max_i8)(const uint8_t *x, uint8_t *out, int64_t n, int32_t is_signed) {
    const int64_t bytes = (int64_t)sizeof(NPU__VB);
    int64_t       i = 0;
    for (; is_signed && i + bytes <= n; i += bytes)
        NPU__VB_STORE(out + i, NPU__VB_MAX_S8(NPU__VB_LOAD(x + i), NPU__VB_LOAD(out + i)));
    for (; i + bytes <= n; i += bytes)
        NPU__VB_STORE(out + i, NPU__VB_MAX_U8(NPU__VB_LOAD(x + i), NPU__VB_LOAD(out + i)));
    for (; i < n; i++) {
        int greater = is_signed ? (int8_t)x[i] > (int8_t)out[i] : x[i] > out[i];
        if (greater) out[i] = x[i];
    }
}

/* The largest of a row. */
NPU__VFN NPU__INLINE float NPU__V(npu__pw_largest)(const float *x, int32_t n) {
    float   lanes[NPU__VN], max = -3.402823466e+38f;
    NPU__VF vmax = NPU__VF_SET1(max);
    int32_t i = 0;
    for (; i + NPU__VN <= n; i += NPU__VN) vmax = NPU__VF_MAX(NPU__VF_LOAD(x + i), vmax);
    NPU__VF_STORE(lanes, vmax);
    for (int k = 0; k < NPU__VN; k++) max = lanes[k] > max ? lanes[k] : max;
    for (; i < n; i++) max = x[i] > max ? x[i] : max;
    return max;
}

/* The sum of exp(beta * (x - max)); `out` for the terms may be NULL. */
NPU__VFN NPU__INLINE float NPU__V(npu__pw_sum_exp)(const float *x, float *out, int32_t n, float beta, float max) {
    const NPU__VF vbeta = NPU__VF_SET1(beta), vmax = NPU__VF_SET1(max);
    NPU__VF       total = NPU__VF_SET1(0.0f), v;
    float         lanes[NPU__VN], sum = 0.0f;
    int32_t       i = 0;
    for (; i + NPU__VN <= n; i += NPU__VN) {
        v = NPU__V(npu__pw_exp1)(NPU__VF_MUL(NPU__VF_SUB(NPU__VF_LOAD(x + i), vmax), vbeta));
        if (out) NPU__VF_STORE(out + i, v);
        total = NPU__VF_ADD(total, v);
    }
    NPU__VF_STORE(lanes, total);
    for (int k = 0; k < NPU__VN; k++) sum += lanes[k];
    if (i < n) {
        const size_t rest = (size_t)(n - i);
        memset(lanes, 0, sizeof lanes);
        memcpy(lanes, x + i, rest * sizeof *x);
        NPU__VF_STORE(lanes, NPU__V(npu__pw_exp1)(NPU__VF_MUL(NPU__VF_SUB(NPU__VF_LOAD(lanes), vmax), vbeta)));
        for (size_t k = 0; k < rest; k++) sum += lanes[k];
        if (out) memcpy(out + i, lanes, rest * sizeof *x);
    }
    return sum;
}

/* exp(beta * (x - max)), divided by their sum. */
NPU__VFN NPU__FN void NPU__V(npu__pw_softmax)(const float *x, float *out, int32_t n, float beta) {
    const float   sum = NPU__V(npu__pw_sum_exp)(x, out, n, beta, NPU__V(npu__pw_largest)(x, n));
    const NPU__VF v = NPU__VF_SET1(1.0f / sum);
    int32_t       i = 0;
    for (; i + NPU__VN <= n; i += NPU__VN) NPU__VF_STORE(out + i, NPU__VF_MUL(NPU__VF_LOAD(out + i), v));
    for (; i < n; i++) out[i] = out[i] * (1.0f / sum);
}

/* x - max - log of the sum, which is at least 1. */
NPU__VFN NPU__FN void NPU__V(npu__pw_log_softmax)(const float *x, float *out, int32_t n) {
    const float   max = NPU__V(npu__pw_largest)(x, n), sum = logf(NPU__V(npu__pw_sum_exp)(x, NULL, n, 1.0f, max));
    const NPU__VF vmax = NPU__VF_SET1(max), vsum = NPU__VF_SET1(sum);
    int32_t       i = 0;
    for (; i + NPU__VN <= n; i += NPU__VN) {
        NPU__VF_STORE(out + i, NPU__VF_SUB(NPU__VF_SUB(NPU__VF_LOAD(x + i), vmax), vsum));
    }
    for (; i < n; i++) out[i] = x[i] - max - sum;
}

#include "pointwise_math_v.h"

#undef NPU__UNARY_LOOP
#undef NPU__V
#undef NPU__VF
#undef NPU__VB
#undef NPU__VN
#undef NPU__VFN
#undef NPU__VF_LOAD
#undef NPU__VF_STORE
#undef NPU__VF_SET1
#undef NPU__VF_ADD
#undef NPU__VF_SUB
#undef NPU__VF_MUL
#undef NPU__VF_DIV
#undef NPU__VF_CLAMP
#undef NPU__VF_MAX
#undef NPU__VF_SELECT_GE
#undef NPU__VF_SQRT
#undef NPU__VF_BITS_SHL
#undef NPU__VF_BITS_SHR
#undef NPU__VF_BITS_ADD
#undef NPU__VF_BITS_AND
#undef NPU__VF_BITS_ANDNOT
#undef NPU__VF_BITS_OR
#undef NPU__VB_LOAD
#undef NPU__VB_STORE
#undef NPU__VB_MAX_S8
#undef NPU__VB_MAX_U8
