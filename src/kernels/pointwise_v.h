/* Template: the loops of pointwise.h over float vectors, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VF (a vector of floats), NPU__VN (floats in
 * one), NPU__VFN (what functions need) and NPU__VF_{LOAD, STORE, SET1, ADD, SUB, MUL, DIV, MADD, NMADD, SQRT, CLAMP,
 * MAX, SELECT_GE, ALL_GE, BITS_SHL, BITS_SHR, BITS_ADD, BITS_AND, BITS_ANDNOT, BITS_OR}, and where there is more than memory for it
 * LOAD_FIRST(p, n, v) (v from lane n on), STORE_FIRST(p, n, v), LARGEST(v) and TOTAL(v), which are floats.
 * MADD(a, b, c) is a * b + c and NMADD c - a * b, in one rounding or two; SELECT_GE(x, y, a, b) is x >= y ? a : b, ALL_GE(x, y)
 * whether x >= y in all lanes; MAX(x, y) keeps y where either is NaN; CLAMP keeps NaN; BITS_ work on 32-bit lanes, ANDNOT inverts
 * its first operand. All are undefined at the end. */

/* EXPR of x and y for full vectors, the rest through padded ones. What is broadcast fills a vector, which loads stay at. */
#define NPU__BINARY_LOOP(EXPR)                                                      \
    const NPU__VF   vlo = NPU__VF_SET1(lo), vhi = NPU__VF_SET1(hi);                 \
    const ptrdiff_t go_a = step_a ? NPU__VN : 0, go_b = step_b ? NPU__VN : 0;       \
    float           pa[NPU__VN], pb[NPU__VN];                                       \
    (void)vlo;                                                                      \
    (void)vhi;                                                                      \
    if (!step_a) { NPU__VF_STORE(pa, NPU__VF_SET1(a[0])); a = pa; }                 \
    if (!step_b) { NPU__VF_STORE(pb, NPU__VF_SET1(b[0])); b = pb; }                 \
    for (; n >= NPU__VN; n -= NPU__VN, a += go_a, b += go_b, out += NPU__VN) {      \
        const NPU__VF x = NPU__VF_LOAD(a), y = NPU__VF_LOAD(b);                     \
        NPU__VF_STORE(out, EXPR);                                                   \
    }                                                                               \
    if (n > 0) {                                                                    \
        const size_t rest = (size_t)n * sizeof(float);                              \
        if (step_a) { memset(pa, 0, sizeof pa); memcpy(pa, a, rest); }              \
        if (step_b) { memset(pb, 0, sizeof pb); memcpy(pb, b, rest); }              \
        {                                                                           \
            const NPU__VF x = NPU__VF_LOAD(pa), y = NPU__VF_LOAD(pb);               \
            NPU__VF_STORE(pa, EXPR);                                                \
        }                                                                           \
        memcpy(out, pa, rest);                                                      \
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
NPU__BINARY(npu__pw_sqdiff, NPU__VF_MUL(NPU__VF_SUB(x, y), NPU__VF_SUB(x, y)))
NPU__BINARY(npu__pw_prelu, NPU__VF_SELECT_GE(x, NPU__VF_SET1(0.0f), x, NPU__VF_MUL(x, y)))
#undef NPU__BINARY
#undef NPU__BINARY_LOOP

/* EXPR of v: all full vectors, then once more for the rest, in a padded one. */
#define NPU__UNARY_LOOP(EXPR)                                             \
    const int64_t whole = n - n % NPU__VN;                                \
    const size_t  rest = (size_t)(n - whole) * sizeof *x;                 \
    const float  *from = x;                                               \
    float         p[NPU__VN], *to = out;                                  \
    for (int64_t m = whole;; m = NPU__VN) {                               \
        for (int64_t i = 0; i < m; i += NPU__VN) {                        \
            const NPU__VF v = NPU__VF_LOAD(from + i);                     \
            NPU__VF_STORE(to + i, EXPR);                                  \
        }                                                                 \
        if (to == p || !rest) break;                                      \
        memset(p, 0, sizeof p);                                           \
        memcpy(p, x + whole, rest);                                       \
        from = to = p;                                                    \
    }                                                                     \
    if (rest) memcpy(out + whole, p, rest);

NPU__VFN NPU__FN void NPU__V(npu__pw_clamp)(const float *x, float *out, int64_t n, float lo, float hi) {
    const NPU__VF vlo = NPU__VF_SET1(lo), vhi = NPU__VF_SET1(hi);
    NPU__UNARY_LOOP(NPU__VF_CLAMP(v, vlo, vhi))
}

/* The numbers of exp, which stand before a loop: V8 makes vectors of them in each pass otherwise. */
typedef struct NPU__V(npu__pw_exp_k) {
    NPU__VF log2e, magic, ln2, rest, p0, p1, p2, p3, p4;
} NPU__V(npu__pw_exp_k);
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__V(npu__pw_exp_k) NPU__V(npu__pw_exp_numbers)(void) {
    NPU__V(npu__pw_exp_k) k;
    k.log2e = NPU__VF_SET1(1.44269504f);
    k.magic = NPU__VF_SET1(12583039.0f);
    k.ln2 = NPU__VF_SET1(0.693359375f);
    k.rest = NPU__VF_SET1(2.12194440e-4f);
    k.p0 = NPU__VF_SET1(8.2902720e-3f);
    k.p1 = NPU__VF_SET1(4.1898160e-2f);
    k.p2 = NPU__VF_SET1(1.6667638e-1f);
    k.p3 = NPU__VF_SET1(4.9999148e-1f);
    k.p4 = NPU__VF_SET1(9.9999971e-1f);
    return k;
}
#define NPU__PW_EXP_K const NPU__V(npu__pw_exp_k) k = NPU__V(npu__pw_exp_numbers)();

/* exp(x) = *scale * (1 + what it returns), for 2^k * e^r with |r| <= ln(2) / 2 and x in [-87.33, 88.3]. k + 127, a float's
 * exponent, comes out of the low bits of x * log2(e) + 1.5 * 2^23 + 127. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_exp_parts)(const NPU__V(npu__pw_exp_k) *k, NPU__VF x, NPU__VF *scale) {
    const NPU__VF t = NPU__VF_MADD(x, k->log2e, k->magic), turns = NPU__VF_SUB(t, k->magic);
    NPU__VF       r = NPU__VF_NMADD(turns, k->ln2, x), p;
    r = NPU__VF_MADD(turns, k->rest, r);
    p = NPU__VF_MADD(k->p0, r, k->p1);
    p = NPU__VF_MADD(p, r, k->p2);
    p = NPU__VF_MADD(p, r, k->p3);
    p = NPU__VF_MADD(p, r, k->p4);
    *scale = NPU__VF_BITS_SHL(t, 23);
    return NPU__VF_MUL(p, r);
}

/* Below lo and beyond hi the results are those at these ends. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_exp1)(const NPU__V(npu__pw_exp_k) *k, NPU__VF x, NPU__VF lo, NPU__VF hi) {
    NPU__VF scale, p = NPU__V(npu__pw_exp_parts)(k, NPU__VF_CLAMP(x, lo, hi), &scale);
    return NPU__VF_MADD(p, scale, scale);
}

/* Both ends within those that give subnormal results, which processors are slow to compute. */
NPU__VFN NPU__FN void NPU__V(npu__pw_logistic)(const float *x, float *out, int64_t n) {
    const NPU__VF one = NPU__VF_SET1(1.0f), zero = NPU__VF_SET1(0.0f), lo = NPU__VF_SET1(-87.33f), hi = NPU__VF_SET1(87.33f);
    NPU__PW_EXP_K
    NPU__UNARY_LOOP(NPU__VF_DIV(one, NPU__VF_ADD(one, NPU__V(npu__pw_exp1)(&k, NPU__VF_SUB(zero, v), lo, hi))))
}

/* An odd polynomial of ninth degree over an even one of eighth, which is 1 and a little more at the end of its range. k: its ends, those of
 * results, and the polynomials' numbers, which stand before a loop as well. */
#define NPU__PW_TANH_K                                                                                                         \
    const NPU__VF k[] = {NPU__VF_SET1(-9.012f), NPU__VF_SET1(9.012f), NPU__VF_SET1(-1.0f), NPU__VF_SET1(1.0f),                 \
                         NPU__VF_SET1(1.408251388e-8f), NPU__VF_SET1(2.112240974e-5f), NPU__VF_SET1(3.526403175e-3f),          \
                         NPU__VF_SET1(1.340687660e-1f), NPU__VF_SET1(8.070653580e-7f), NPU__VF_SET1(3.336272946e-4f),          \
                         NPU__VF_SET1(2.599390587e-2f), NPU__VF_SET1(4.674019814e-1f)};
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_tanh1)(NPU__VF x, const NPU__VF *k) {
    const NPU__VF a = NPU__VF_CLAMP(x, k[0], k[1]), z = NPU__VF_MUL(a, a);
    NPU__VF       p = NPU__VF_MADD(k[4], z, k[5]), q = NPU__VF_MADD(k[8], z, k[9]);
    p = NPU__VF_MADD(p, z, k[6]);
    q = NPU__VF_MADD(q, z, k[10]);
    p = NPU__VF_MADD(p, z, k[7]);
    q = NPU__VF_MADD(q, z, k[11]);
    p = NPU__VF_MADD(NPU__VF_MUL(p, z), a, a);
    q = NPU__VF_MADD(q, z, k[3]);
    p = NPU__VF_DIV(p, q);
    return NPU__VF_CLAMP(p, k[2], k[3]);
}

NPU__VFN NPU__FN void NPU__V(npu__pw_tanh)(const float *x, float *out, int64_t n) {
    NPU__PW_TANH_K
    NPU__UNARY_LOOP(NPU__V(npu__pw_tanh1)(v, k))
}
#undef NPU__PW_TANH_K

/* The first n < VN elements of x, and `other` behind them; they alone are stored. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_first)(const float *x, int32_t n, float other) {
#ifdef NPU__VF_LOAD_FIRST
    return NPU__VF_LOAD_FIRST(x, n, NPU__VF_SET1(other));
#else
    float p[NPU__VN];
    for (int32_t i = 0; i < NPU__VN; i++) p[i] = i < n ? x[i] : other;
    return NPU__VF_LOAD(p);
#endif
}
NPU__VFN NPU__INLINE void NPU__V(npu__pw_store_first)(float *out, int32_t n, NPU__VF v) {
#ifdef NPU__VF_STORE_FIRST
    NPU__VF_STORE_FIRST(out, n, v);
#else
    float p[NPU__VN];
    NPU__VF_STORE(p, v);
    for (int32_t i = 0; i < n; i++) out[i] = p[i];
#endif
}

/* The largest of a row. */
NPU__VFN NPU__INLINE float NPU__V(npu__pw_largest)(const float *x, int32_t n) {
    float   lanes[NPU__VN];
    int32_t i = 0;
    /* The last ones, which are looked at twice where they fill no vector. */
    NPU__VF vmax = n < NPU__VN ? NPU__V(npu__pw_first)(x, n, -3.402823466e+38f) : NPU__VF_LOAD(x + n - NPU__VN);
    NPU__VF other = vmax = NPU__VF_MAX(vmax, NPU__VF_SET1(-3.402823466e+38f)); /* not NaN */
    for (; i + 2 * NPU__VN <= n; i += 2 * NPU__VN) { /* two chains */
        vmax = NPU__VF_MAX(NPU__VF_LOAD(x + i), vmax);
        other = NPU__VF_MAX(NPU__VF_LOAD(x + i + NPU__VN), other);
    }
    if (i + NPU__VN <= n) vmax = NPU__VF_MAX(NPU__VF_LOAD(x + i), vmax);
    vmax = NPU__VF_MAX(other, vmax);
#ifdef NPU__VF_LARGEST
    (void)lanes;
    return NPU__VF_LARGEST(vmax);
#else
    NPU__VF_STORE(lanes, vmax);
    for (int half = NPU__VN / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] = NPU__MAX(lanes[k], lanes[k + half]);
    return lanes[0];
#endif
}

/* exp for x <= 0. What would be subnormal is 0: masked elements are there, and processors are slow with those. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_exp_below)(const NPU__V(npu__pw_exp_k) *k, NPU__VF x, NPU__VF lo, NPU__VF zero) {
    NPU__VF scale, p = NPU__V(npu__pw_exp_parts)(k, x, &scale);
    return NPU__VF_SELECT_GE(lo, x, zero, NPU__VF_MADD(p, scale, scale));
}

/* The sum of exp(beta * (x - max)); the terms of whole vectors to `out`, which may be NULL, the others returned. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_sum_exp)(const float *x, float *out, int32_t n, float beta, float max, float *sum) {
    static const float keep[32] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    const NPU__VF      vbeta = NPU__VF_SET1(beta), vmax = NPU__VF_SET1(max);
    const int32_t      rest = n % NPU__VN;
    const NPU__VF      lo = NPU__VF_SET1(-87.33f), zero = NPU__VF_SET1(0.0f);
    NPU__VF            total = zero, v = zero;
    float              lanes[NPU__VN];
    NPU__PW_EXP_K
    for (int32_t i = 0; i + NPU__VN <= n; i += NPU__VN) {
        const NPU__VF e = NPU__V(npu__pw_exp_below)(&k, NPU__VF_MUL(NPU__VF_SUB(NPU__VF_LOAD(x + i), vmax), vbeta), lo, zero);
        if (out) NPU__VF_STORE(out + i, e);
        total = NPU__VF_ADD(total, e);
    }
    if (rest) {
        v = NPU__V(npu__pw_first)(x + n - rest, rest, max);
        v = NPU__V(npu__pw_exp_below)(&k, NPU__VF_MUL(NPU__VF_SUB(v, vmax), vbeta), lo, zero);
        total = NPU__VF_MADD(v, NPU__VF_LOAD(keep + 16 - rest), total);
    }
#ifdef NPU__VF_TOTAL
    (void)lanes;
    *sum = NPU__VF_TOTAL(total);
#else
    NPU__VF_STORE(lanes, total);
    for (int half = NPU__VN / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) lanes[lane] += lanes[lane + half];
    *sum = lanes[0];
#endif
    return v;
}

/* exp(beta * (x - max)), divided by their sum; all alike where all are -infinity. beta >= 0. */
NPU__VFN NPU__FN void NPU__V(npu__pw_softmax)(const float *x, float *out, int32_t n, float beta) {
    float         sum;
    const NPU__VF last = NPU__V(npu__pw_sum_exp)(x, out, n, beta, NPU__V(npu__pw_largest)(x, n), &sum);
    const NPU__VF v = NPU__VF_SET1(1.0f / sum);
    const int32_t rest = n % NPU__VN;
    if (sum <= 0.0f) {
        for (int32_t i = 0; i < n; i++) out[i] = 1.0f / (float)n;
        return;
    }
    for (int32_t i = 0; i + NPU__VN <= n; i += NPU__VN) NPU__VF_STORE(out + i, NPU__VF_MUL(NPU__VF_LOAD(out + i), v));
    if (rest) NPU__V(npu__pw_store_first)(out + n - rest, rest, NPU__VF_MUL(last, v));
}

/* x - max - log of the sum, which is at least 1. */
NPU__VFN NPU__FN void NPU__V(npu__pw_log_softmax)(const float *x, float *out, int32_t n) {
    const float   max = NPU__V(npu__pw_largest)(x, n);
    const NPU__VF vmax = NPU__VF_SET1(max);
    int32_t       i = 0;
    float         sum;
    NPU__VF       vsum;
    (void)NPU__V(npu__pw_sum_exp)(x, NULL, n, 1.0f, max, &sum);
    sum = logf(sum);
    vsum = NPU__VF_SET1(sum);
    for (; i + NPU__VN <= n; i += NPU__VN) {
        NPU__VF_STORE(out + i, NPU__VF_SUB(NPU__VF_SUB(NPU__VF_LOAD(x + i), vmax), vsum));
    }
    for (; i < n; i++) out[i] = x[i] - max - sum;
}

#include "pointwise_math_v.h"

#undef NPU__PW_EXP_K
#undef NPU__UNARY_LOOP
#undef NPU__VF_LOAD_FIRST
#undef NPU__VF_STORE_FIRST
#undef NPU__VF_LARGEST
#undef NPU__VF_TOTAL
#undef NPU__V
#undef NPU__VF
#undef NPU__VN
#undef NPU__VFN
#undef NPU__VF_LOAD
#undef NPU__VF_STORE
#undef NPU__VF_SET1
#undef NPU__VF_ADD
#undef NPU__VF_SUB
#undef NPU__VF_MUL
#undef NPU__VF_DIV
#undef NPU__VF_MADD
#undef NPU__VF_NMADD
#undef NPU__VF_CLAMP
#undef NPU__VF_MAX
#undef NPU__VF_SELECT_GE
#undef NPU__VF_ALL_GE
#undef NPU__VF_SQRT
#undef NPU__VF_BITS_SHL
#undef NPU__VF_BITS_SHR
#undef NPU__VF_BITS_ADD
#undef NPU__VF_BITS_AND
#undef NPU__VF_BITS_ANDNOT
#undef NPU__VF_BITS_OR
