/* Template, a part of pointwise_v.h: roots, logarithm, sine, activations and rounding (no include guard). */

NPU__VFN NPU__FN void NPU__V(npu__pw_sqrt)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__VF_SQRT(v)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_rsqrt)(const float *x, float *out, int64_t n) {
    NPU__UNARY_LOOP(NPU__VF_DIV(NPU__VF_SET1(1.0f), NPU__VF_SQRT(v)))
}

/* The square of exp(x / 2), which overflows and vanishes where exp(x) does. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_exp_any)(const NPU__V(npu__pw_exp_k) *k, NPU__VF x, NPU__VF half, NPU__VF lo,
                                                                    NPU__VF hi) {
    const NPU__VF root = NPU__V(npu__pw_exp1)(k, NPU__VF_MUL(x, half), lo, hi);
    return NPU__VF_MUL(root, root);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_exp)(const float *x, float *out, int64_t n) {
    const NPU__VF half = NPU__VF_SET1(0.5f), lo = NPU__VF_SET1(-60.0f), hi = NPU__VF_SET1(60.0f);
    NPU__PW_EXP_K
    NPU__UNARY_LOOP(NPU__V(npu__pw_exp_any)(&k, v, half, lo, hi))
}

/* x = 2^e * m with m in [sqrt(1/2), sqrt(2)): e * ln(2) + log(m) by a polynomial. For normal numbers times 2^(bias - 127). k: 1, 2^23,
 * the bits of 1 minus those of sqrt(1/2), sqrt(1/2), ln(2), and the polynomial's numbers. */
#define NPU__PW_LOG_K                                                                                                            \
    const NPU__VF k[] = {NPU__VF_SET1(1.0f), NPU__VF_SET1(8388608.0f), NPU__VF_SET1(6.88588677e-39f), NPU__VF_SET1(0.707106769f), \
                         NPU__VF_SET1(0.693147182f), NPU__VF_SET1(8.7004345e-2f), NPU__VF_SET1(-1.4267487e-1f),                  \
                         NPU__VF_SET1(1.4914768e-1f), NPU__VF_SET1(-1.6577585e-1f), NPU__VF_SET1(1.9963064e-1f),                 \
                         NPU__VF_SET1(-2.5001337e-1f), NPU__VF_SET1(3.3333911e-1f), NPU__VF_SET1(-0.5f)};
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_log_normal)(NPU__VF x, NPU__VF bias, const NPU__VF *k) {
    /* A positive number is added as bits: now the exponent changes where m begins. */
    const NPU__VF t = NPU__VF_BITS_ADD(x, k[2]);
    /* The exponent, as the last bits of 2^23. */
    const NPU__VF e = NPU__VF_SUB(NPU__VF_BITS_OR(NPU__VF_BITS_SHR(t, 23), k[1]), NPU__VF_ADD(k[1], bias));
    const NPU__VF m = NPU__VF_BITS_ADD(NPU__VF_BITS_SHR(NPU__VF_BITS_SHL(t, 9), 9), k[3]);
    const NPU__VF f = NPU__VF_SUB(m, k[0]), z = NPU__VF_MUL(f, f);
    NPU__VF       p = NPU__VF_MADD(k[5], f, k[6]);
    p = NPU__VF_MADD(p, f, k[7]);
    p = NPU__VF_MADD(p, f, k[8]);
    p = NPU__VF_MADD(p, f, k[9]);
    p = NPU__VF_MADD(p, f, k[10]);
    p = NPU__VF_MADD(p, f, k[11]);
    p = NPU__VF_MADD(p, f, k[12]);
    return NPU__VF_MADD(e, k[4], NPU__VF_MADD(p, z, f));
}
/* Subnormal numbers are brought up first. Of 0 it is minus infinity; of negative numbers and NaN there is none. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_log1)(NPU__VF x, NPU__VF least, NPU__VF most, NPU__VF normal, const NPU__VF *k) {
    NPU__VF inf, zero, p, m;
    if (NPU__VF_ALL_GE(x, least) && NPU__VF_ALL_GE(most, x)) return NPU__V(npu__pw_log_normal)(x, normal, k);
    inf = NPU__VF_SET1((float)HUGE_VAL);
    zero = NPU__VF_SET1(0.0f);
    p = NPU__V(npu__pw_log_normal)(NPU__VF_SELECT_GE(x, least, x, NPU__VF_MUL(x, k[1])),
                                   NPU__VF_SELECT_GE(x, least, normal, NPU__VF_SET1(150.0f)), k);
    p = NPU__VF_SELECT_GE(x, inf, x, p);
    m = NPU__VF_SELECT_GE(x, zero, NPU__VF_SUB(zero, inf), NPU__VF_SUB(inf, inf));
    return NPU__VF_SELECT_GE(x, NPU__VF_SET1(1.40129846e-45f), p, m);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_log)(const float *x, float *out, int64_t n) {
    const NPU__VF least = NPU__VF_SET1(1.17549435e-38f), most = NPU__VF_SET1(3.402823466e+38f), normal = NPU__VF_SET1(127.0f);
    NPU__PW_LOG_K
    NPU__UNARY_LOOP(NPU__V(npu__pw_log1)(v, least, most, normal, k))
}
#undef NPU__PW_LOG_K

/* Sine of x, or cosine (which starts half a turn of pi earlier), for |x| <= 8192: x is brought to [-pi/2, pi/2], by three parts of
 * pi whose products are exact, and the last bit of t is the sign. Vectors with larger numbers go by the library. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_sin1)(NPU__VF x, int cosine) {
    const NPU__VF magic = NPU__VF_SET1(12582912.0f), half = NPU__VF_SET1(0.5f);
    NPU__VF       t = NPU__VF_SET1(0.318309886f), k, r, z, p;
    if (!NPU__VF_ALL_GE(NPU__VF_SET1(8192.0f), NPU__VF_BITS_ANDNOT(NPU__VF_SET1(-0.0f), x))) {
        float lanes[NPU__VN];
        NPU__VF_STORE(lanes, x);
        for (int i = 0; i < NPU__VN; i++) lanes[i] = cosine ? cosf(lanes[i]) : sinf(lanes[i]);
        return NPU__VF_LOAD(lanes);
    }
    t = cosine ? NPU__VF_ADD(NPU__VF_MADD(x, t, half), magic) : NPU__VF_MADD(x, t, magic);
    k = NPU__VF_SUB(t, magic);
    if (cosine) k = NPU__VF_SUB(k, half);
    r = NPU__VF_NMADD(k, NPU__VF_SET1(3.140625f), x);
    r = NPU__VF_NMADD(k, NPU__VF_SET1(9.67502593994140625e-4f), r);
    r = NPU__VF_NMADD(k, NPU__VF_SET1(1.5099579897537296e-7f), r);
    z = NPU__VF_MUL(r, r);
    p = NPU__VF_MADD(NPU__VF_SET1(2.6046e-6f), z, NPU__VF_SET1(-1.9809539e-4f));
    p = NPU__VF_MADD(p, z, NPU__VF_SET1(8.3330654e-3f));
    p = NPU__VF_MADD(p, z, NPU__VF_SET1(-1.6666660e-1f));
    p = NPU__VF_MADD(NPU__VF_MUL(p, z), r, r);
    return NPU__VF_BITS_ADD(p, NPU__VF_BITS_SHL(t, 31));
}
NPU__VFN NPU__FN void NPU__V(npu__pw_sin)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_sin1)(v, 0)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_cos)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_sin1)(v, 1)) }

/* exp(x) - 1 left of 0, without the difference: the part that is not the 1. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_elu1)(const NPU__V(npu__pw_exp_k) *k, NPU__VF x, NPU__VF lo) {
    NPU__VF scale, p = NPU__V(npu__pw_exp_parts)(k, NPU__VF_MAX(lo, x), &scale);
    p = NPU__VF_MADD(p, scale, NPU__VF_SUB(scale, NPU__VF_SET1(1.0f)));
    return NPU__VF_SELECT_GE(x, NPU__VF_SET1(0.0f), x, p);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_elu)(const float *x, float *out, int64_t n) {
    const NPU__VF lo = NPU__VF_SET1(-87.33f);
    NPU__PW_EXP_K
    NPU__UNARY_LOOP(NPU__V(npu__pw_elu1)(&k, v, lo))
}

/* x / (1 + exp(-2 u)), which is x / 2 * (1 + tanh(u)). Far left, where exp stays at its end, 0 (and NaN of -infinity). */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_gelu_tanh1)(const NPU__V(npu__pw_exp_k) *k, NPU__VF x, NPU__VF lo, NPU__VF hi) {
    const NPU__VF one = NPU__VF_SET1(1.0f);
    NPU__VF       u = NPU__VF_MUL(NPU__VF_MUL(NPU__VF_MUL(x, x), x), NPU__VF_SET1(0.044715f));
    u = NPU__VF_MUL(NPU__VF_ADD(x, u), NPU__VF_SET1(-1.59576917f));
    u = NPU__VF_DIV(x, NPU__VF_ADD(one, NPU__V(npu__pw_exp1)(k, u, lo, hi)));
    return NPU__VF_SELECT_GE(x, NPU__VF_SET1(-40.0f), u, NPU__VF_MUL(x, NPU__VF_SET1(0.0f)));
}
NPU__VFN NPU__FN void NPU__V(npu__pw_gelu_tanh)(const float *x, float *out, int64_t n) {
    const NPU__VF lo = NPU__VF_SET1(-87.33f), hi = NPU__VF_SET1(87.33f);
    NPU__PW_EXP_K
    NPU__UNARY_LOOP(NPU__V(npu__pw_gelu_tanh1)(&k, v, lo, hi))
}

/* x times the normal distribution, which left of 0 is 1/2 / p(|x|)^16: within 4e-8 of x times it and, up to 5, 5e-6 of itself. k: the
 * numbers of p, 1/2, 1, 0 and the sign. */
#define NPU__PW_GELU_K                                                                                                         \
    const NPU__VF k[] = {NPU__VF_SET1(1.629501266e-7f), NPU__VF_SET1(-1.244558041e-6f), NPU__VF_SET1(8.426235798e-6f),         \
                         NPU__VF_SET1(4.710592115e-5f), NPU__VF_SET1(3.518581963e-5f), NPU__VF_SET1(3.281306559e-3f),          \
                         NPU__VF_SET1(2.114003712e-2f), NPU__VF_SET1(4.986728870e-2f), NPU__VF_SET1(0.5f), NPU__VF_SET1(1.0f),  \
                         NPU__VF_SET1(0.0f), NPU__VF_SET1(-0.0f)};
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_gelu1)(NPU__VF x, const NPU__VF *k) {
    const NPU__VF a = NPU__VF_BITS_ANDNOT(k[11], x);
    NPU__VF       p = NPU__VF_MADD(k[0], a, k[1]);
    p = NPU__VF_MADD(p, a, k[2]);
    p = NPU__VF_MADD(p, a, k[3]);
    p = NPU__VF_MADD(p, a, k[4]);
    p = NPU__VF_MADD(p, a, k[5]);
    p = NPU__VF_MADD(p, a, k[6]);
    p = NPU__VF_MADD(p, a, k[7]);
    p = NPU__VF_MADD(p, a, k[9]);
    p = NPU__VF_MUL(p, p);
    p = NPU__VF_MUL(p, p);
    p = NPU__VF_MUL(p, p);
    p = NPU__VF_DIV(k[8], NPU__VF_MUL(p, p));
    return NPU__VF_MUL(x, NPU__VF_SELECT_GE(x, k[10], NPU__VF_SUB(k[9], p), p));
}
NPU__VFN NPU__FN void NPU__V(npu__pw_gelu)(const float *x, float *out, int64_t n) {
    NPU__PW_GELU_K
    NPU__UNARY_LOOP(NPU__V(npu__pw_gelu1)(v, k))
}
#undef NPU__PW_GELU_K

NPU__VFN NPU__FN void NPU__V(npu__pw_hard_swish)(const float *x, float *out, int64_t n) {
    const NPU__VF zero = NPU__VF_SET1(0.0f), three = NPU__VF_SET1(3.0f), six = NPU__VF_SET1(6.0f), sixth = NPU__VF_SET1(0.166666672f);
    NPU__UNARY_LOOP(NPU__VF_MUL(NPU__VF_MUL(v, NPU__VF_CLAMP(NPU__VF_ADD(v, three), zero, six)), sixth))
}

/* Half to even: 2^23 more has no room for a fraction, and larger numbers have none. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_round1)(NPU__VF x) {
    const NPU__VF sign = NPU__VF_SET1(-0.0f), magic = NPU__VF_SET1(8388608.0f), size = NPU__VF_BITS_ANDNOT(sign, x);
    const NPU__VF r = NPU__VF_SUB(NPU__VF_ADD(size, magic), magic);
    return NPU__VF_SELECT_GE(size, magic, x, NPU__VF_BITS_OR(r, NPU__VF_BITS_AND(x, sign)));
}
/* One less, or more, where that went past x. The sign of 0 is x's. */
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_floor1)(NPU__VF x) {
    const NPU__VF r = NPU__V(npu__pw_round1)(x);
    return NPU__VF_SELECT_GE(x, r, r, NPU__VF_SUB(r, NPU__VF_SET1(1.0f)));
}
NPU__VFN NPU__LOOP_BODY NPU__INLINE NPU__VF NPU__V(npu__pw_ceil1)(NPU__VF x) {
    const NPU__VF r = NPU__V(npu__pw_round1)(x), sign = NPU__VF_BITS_AND(x, NPU__VF_SET1(-0.0f));
    return NPU__VF_BITS_OR(NPU__VF_SELECT_GE(r, x, r, NPU__VF_ADD(r, NPU__VF_SET1(1.0f))), sign);
}
NPU__VFN NPU__FN void NPU__V(npu__pw_round)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_round1)(v)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_floor)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_floor1)(v)) }
NPU__VFN NPU__FN void NPU__V(npu__pw_ceil)(const float *x, float *out, int64_t n) { NPU__UNARY_LOOP(NPU__V(npu__pw_ceil1)(v)) }
