/* Template, a part of pointwise_v.h: roots, logarithm, sine, activations and rounding (no include guard). */

NPU__VFN NPU__FN void NPU__V(npu__pw_sqrt)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__VF_SQRT(v)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_rsqrt)(const float *x, float *out, int64_t n) {
    NPU__UNARY_LOOP(NPU__VF_DIV(NPU__VF_SET1(1.0f), NPU__VF_SQRT(v)))
}

/* The square of exp(x / 2), which overflows and vanishes where exp(x) does. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_exp_any)(NPU__VF x) {
    const NPU__VF root = NPU__V(npu__pw_exp1)(NPU__VF_MUL(x, NPU__VF_SET1(0.5f)));
    return NPU__VF_MUL(root, root);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_exp)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_exp_any)(v)) }

/* x = 2^e * m with m in [sqrt(1/2), sqrt(2)): e * ln(2) + log(m) by a polynomial. Subnormal numbers are brought up first. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_log1)(NPU__VF x) {
    const NPU__VF least = NPU__VF_SET1(1.17549435e-38f), one = NPU__VF_SET1(1.0f), half = NPU__VF_SET1(0.5f);
    const NPU__VF inf = NPU__VF_SET1((float)HUGE_VAL), zero = NPU__VF_SET1(0.0f), magic = NPU__VF_SET1(8388608.0f);
    const NPU__VF up = NPU__VF_SELECT_GE(x, least, x, NPU__VF_MUL(x, magic));
    NPU__VF       e, m, z, p;
    /* The exponent's bits, as the last ones of 2^23. */
    e = NPU__VF_SUB(NPU__VF_BITS_OR(NPU__VF_BITS_SHR(up, 23), magic), magic);
    e = NPU__VF_SUB(e, NPU__VF_SELECT_GE(x, least, NPU__VF_SET1(126.0f), NPU__VF_SET1(149.0f)));
    m = NPU__VF_BITS_OR(NPU__VF_BITS_SHR(NPU__VF_BITS_SHL(up, 9), 9), half);
    p = NPU__VF_SELECT_GE(m, NPU__VF_SET1(0.707106781f), zero, one);
    e = NPU__VF_SUB(e, p);
    m = NPU__VF_ADD(NPU__VF_SUB(m, one), NPU__VF_MUL(p, m));
    z = NPU__VF_MUL(m, m);
    p = NPU__VF_SET1(7.0376836292e-2f);
    p = NPU__VF_SUB(NPU__VF_MUL(p, m), NPU__VF_SET1(1.1514610310e-1f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, m), NPU__VF_SET1(1.1676998740e-1f));
    p = NPU__VF_SUB(NPU__VF_MUL(p, m), NPU__VF_SET1(1.2420140846e-1f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, m), NPU__VF_SET1(1.4249322787e-1f));
    p = NPU__VF_SUB(NPU__VF_MUL(p, m), NPU__VF_SET1(1.6668057665e-1f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, m), NPU__VF_SET1(2.0000714765e-1f));
    p = NPU__VF_SUB(NPU__VF_MUL(p, m), NPU__VF_SET1(2.4999993993e-1f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, m), NPU__VF_SET1(3.3333331174e-1f));
    p = NPU__VF_MUL(NPU__VF_MUL(p, m), z);
    p = NPU__VF_SUB(p, NPU__VF_MUL(e, NPU__VF_SET1(2.12194440e-4f)));
    p = NPU__VF_SUB(p, NPU__VF_MUL(z, half));
    p = NPU__VF_ADD(NPU__VF_ADD(m, p), NPU__VF_MUL(e, NPU__VF_SET1(0.693359375f)));
    p = NPU__VF_SELECT_GE(x, inf, x, p);
    /* Of 0 minus infinity; of negative numbers and NaN there is none. */
    m = NPU__VF_SELECT_GE(x, zero, NPU__VF_SUB(zero, inf), NPU__VF_SUB(inf, inf));
    return NPU__VF_SELECT_GE(x, NPU__VF_SET1(1.40129846e-45f), p, m);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_log)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_log1)(v)) }

/* Sine of x + quarter * pi / 2, for |x| <= 8192: x is brought to [-pi/4, pi/4], by three parts of pi / 2 whose products are exact,
 * and the last bits of t say which of the curves it is on, and its sign. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_sin1)(NPU__VF x, NPU__VF quarter) {
    const NPU__VF magic = NPU__VF_SET1(12582912.0f), one = NPU__VF_SET1(1.0f), zero = NPU__VF_SET1(0.0f);
    const NPU__VF t = NPU__VF_ADD(NPU__VF_MUL(x, NPU__VF_SET1(0.636619772f)), magic), k = NPU__VF_SUB(t, magic);
    const NPU__VF bits = NPU__VF_BITS_ADD(t, quarter);
    NPU__VF       r = NPU__VF_SUB(x, NPU__VF_MUL(k, NPU__VF_SET1(1.5703125f))), z, s, c;
    r = NPU__VF_SUB(r, NPU__VF_MUL(k, NPU__VF_SET1(4.837512969970703125e-4f)));
    r = NPU__VF_SUB(r, NPU__VF_MUL(k, NPU__VF_SET1(7.549789948768648e-8f)));
    z = NPU__VF_MUL(r, r);
    s = NPU__VF_ADD(NPU__VF_MUL(NPU__VF_SET1(-1.9515295891e-4f), z), NPU__VF_SET1(8.3321608736e-3f));
    s = NPU__VF_SUB(NPU__VF_MUL(s, z), NPU__VF_SET1(1.6666654611e-1f));
    s = NPU__VF_ADD(NPU__VF_MUL(NPU__VF_MUL(s, z), r), r);
    c = NPU__VF_SUB(NPU__VF_MUL(NPU__VF_SET1(2.443315711809948e-5f), z), NPU__VF_SET1(1.388731625493765e-3f));
    c = NPU__VF_ADD(NPU__VF_MUL(c, z), NPU__VF_SET1(4.166664568298827e-2f));
    c = NPU__VF_ADD(NPU__VF_SUB(NPU__VF_MUL(NPU__VF_MUL(c, z), z), NPU__VF_MUL(z, NPU__VF_SET1(0.5f))), one);
    s = NPU__VF_SELECT_GE(NPU__VF_BITS_OR(NPU__VF_BITS_SHL(bits, 31), one), zero, s, c);
    return NPU__VF_BITS_ADD(s, NPU__VF_BITS_SHL(NPU__VF_BITS_SHR(bits, 1), 31));
}
/* Larger numbers go by the library, with the others of their block. */
#define NPU__PW_TRIGONOMETRIC(name, quarter)                                                                             \
    NPU__VFN NPU__INLINE void NPU__V(name##_some)(const float *x, float *out, int64_t n) {                               \
        NPU__UNARY_LOOP(NPU__V(npu__pw_sin1)(v, NPU__VF_SET1(quarter)))                                                  \
    }                                                                                                                    \
    NPU__VFN NPU__FN void NPU__V(name)(const float *x, float *out, int64_t n) {                                          \
        for (int64_t at = 0, some; at < n; at += some, x += some, out += some) {                                         \
            int far = 0;                                                                                                 \
            some = NPU__MIN(n - at, (int64_t)64);                                                                        \
            for (int64_t i = 0; i < some; i++) far |= !(x[i] >= -8192.0f && x[i] <= 8192.0f);                            \
            if (!far) NPU__V(name##_some)(x, out, some);                                                                 \
            for (int64_t i = 0; far && i < some; i++) out[i] = (quarter) > 0.0f ? cosf(x[i]) : sinf(x[i]);               \
        }                                                                                                                \
    }
NPU__PW_TRIGONOMETRIC(npu__pw_sin, 0.0f)
NPU__PW_TRIGONOMETRIC(npu__pw_cos, 1.40129846e-45f) /* the bits of 1 */
#undef NPU__PW_TRIGONOMETRIC

/* exp(x) - 1 left of 0, without the difference: the part that is not the 1. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_elu1)(NPU__VF x) {
    NPU__VF scale, p = NPU__V(npu__pw_exp_parts)(x, &scale);
    p = NPU__VF_ADD(NPU__VF_MUL(p, scale), NPU__VF_SUB(scale, NPU__VF_SET1(1.0f)));
    return NPU__VF_SELECT_GE(x, NPU__VF_SET1(0.0f), x, p);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_elu)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_elu1)(v)) }

/* x / (1 + exp(-2 u)), which is x / 2 * (1 + tanh(u)). Far left, where exp stays at its end, 0 (and NaN of -infinity). */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_gelu_tanh1)(NPU__VF x) {
    const NPU__VF one = NPU__VF_SET1(1.0f);
    NPU__VF       u = NPU__VF_MUL(NPU__VF_MUL(NPU__VF_MUL(x, x), x), NPU__VF_SET1(0.044715f));
    u = NPU__VF_MUL(NPU__VF_ADD(x, u), NPU__VF_SET1(-1.59576917f));
    u = NPU__VF_DIV(x, NPU__VF_ADD(one, NPU__V(npu__pw_exp1)(u)));
    return NPU__VF_SELECT_GE(x, NPU__VF_SET1(-40.0f), u, NPU__VF_MUL(x, NPU__VF_SET1(0.0f)));
}
NPU__VFN NPU__FN void NPU__V(npu__pw_gelu_tanh)(const float *x, float *out, int64_t n) {
    NPU__UNARY_LOOP(NPU__V(npu__pw_gelu_tanh1)(v))
}

/* x times the normal distribution: erfc(z) = exp(-z^2) * t * polynomial(t), t = 1 / (1 + 0.3275911 z), z = |x| / sqrt(2) (Abramowitz
 * and Stegun 7.1.26), within 1.5e-7. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_gelu1)(NPU__VF x) {
    const NPU__VF one = NPU__VF_SET1(1.0f), zero = NPU__VF_SET1(0.0f);
    const NPU__VF z = NPU__VF_MUL(NPU__VF_BITS_ANDNOT(NPU__VF_SET1(-0.0f), x), NPU__VF_SET1(0.707106781f));
    const NPU__VF t = NPU__VF_DIV(one, NPU__VF_ADD(one, NPU__VF_MUL(z, NPU__VF_SET1(0.3275911f))));
    NPU__VF       p = NPU__VF_SET1(1.061405429f);
    p = NPU__VF_SUB(NPU__VF_MUL(p, t), NPU__VF_SET1(1.453152027f));
    p = NPU__VF_ADD(NPU__VF_MUL(p, t), NPU__VF_SET1(1.421413741f));
    p = NPU__VF_SUB(NPU__VF_MUL(p, t), NPU__VF_SET1(0.284496736f));
    p = NPU__VF_MUL(NPU__VF_ADD(NPU__VF_MUL(p, t), NPU__VF_SET1(0.254829592f)), t);
    p = NPU__VF_MUL(p, NPU__V(npu__pw_exp_any)(NPU__VF_SUB(zero, NPU__VF_MUL(z, z))));
    p = NPU__VF_MUL(p, NPU__VF_SET1(0.5f));
    return NPU__VF_MUL(x, NPU__VF_SELECT_GE(x, zero, NPU__VF_SUB(one, p), p));
}
NPU__VFN NPU__FN void NPU__V(npu__pw_gelu)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_gelu1)(v)) }

NPU__VFN NPU__FN void NPU__V(npu__pw_hard_swish)(const float *x, float *out, int64_t n) {
    const NPU__VF zero = NPU__VF_SET1(0.0f), three = NPU__VF_SET1(3.0f), six = NPU__VF_SET1(6.0f);
    NPU__UNARY_LOOP(NPU__VF_DIV(NPU__VF_MUL(v, NPU__VF_CLAMP(NPU__VF_ADD(v, three), zero, six)), six))
}

/* Half to even: 2^23 more has no room for a fraction, and larger numbers have none. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_round1)(NPU__VF x) {
    const NPU__VF sign = NPU__VF_SET1(-0.0f), magic = NPU__VF_SET1(8388608.0f), size = NPU__VF_BITS_ANDNOT(sign, x);
    const NPU__VF r = NPU__VF_SUB(NPU__VF_ADD(size, magic), magic);
    return NPU__VF_SELECT_GE(size, magic, x, NPU__VF_BITS_OR(r, NPU__VF_BITS_AND(x, sign)));
}
/* One less, or more, where that went past x. The sign of 0 is x's. */
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_floor1)(NPU__VF x) {
    const NPU__VF r = NPU__V(npu__pw_round1)(x);
    return NPU__VF_SELECT_GE(x, r, r, NPU__VF_SUB(r, NPU__VF_SET1(1.0f)));
}
NPU__VFN NPU__INLINE NPU__VF NPU__V(npu__pw_ceil1)(NPU__VF x) {
    const NPU__VF r = NPU__V(npu__pw_round1)(x), sign = NPU__VF_BITS_AND(x, NPU__VF_SET1(-0.0f));
    return NPU__VF_BITS_OR(NPU__VF_SELECT_GE(r, x, r, NPU__VF_ADD(r, NPU__VF_SET1(1.0f))), sign);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_round)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_round1)(v)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_floor)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_floor1)(v)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_ceil)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_ceil1)(v)) }
