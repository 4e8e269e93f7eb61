/* Template: the loops of gates.h over vectors of int16, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VI (a vector), NPU__VN (int16 in one), NPU__VFN (what functions need)
 * and NPU__VI_{LOAD, STORE, SET1, ADD, SUB, ADDS, AND, SHL, SRA, MULHR, GT, EQ, SELECT}: ADD and SUB wrap, ADDS saturates, SHL and
 * SRA shift by a number that is not constant, MULHR is (a * b + 2^14) >> 15, GT and EQ give masks, SELECT(mask, a, b) is
 * mask ? a : b. NPU__D8, a vector of 8 int16, with NPU__D8_{LOAD, WIDEN, SET1, SUB, AND, DOT}, and NPU__D4, of 4 int32, with
 * NPU__D4_{ZERO, SUM}: WIDEN loads int8, DOT(sums, a, b) adds products in any order, SUM adds up the lanes. All are undefined at
 * the end. Functions with the suffix that stand before: npu__gate_mul_of makes of a multiplier the form npu__gate_mul that
 * npu__gate_scale wants, which is npu__gates.add of one vector.
 *
 * MULHR is npu__mul16 where not both factors are -32768, which never happens here: one factor is a positive constant, or
 * both are small. */

/* npu__exp16_quarter */
NPU__VFN NPU__INLINE NPU__VI NPU__V(npu__gate_exp_quarter)(NPU__VI a) {
    const NPU__VI eighth = NPU__VI_SET1(28918); /* exp(-1/8) */
    const NPU__VI x = NPU__VI_ADD(a, NPU__VI_SET1(1 << 12)), x2 = NPU__VI_MULHR(x, x), x3 = NPU__VI_MULHR(x2, x);
    NPU__VI       tail = NPU__VI_SRA(NPU__VI_ADD(NPU__VI_MULHR(x2, x2), NPU__VI_SET1(2)), 2);
    tail = NPU__VI_ADD(NPU__VI_MULHR(NPU__VI_ADD(tail, x3), NPU__VI_SET1(10923)), x2);
    /* Halves away from zero. */
    tail = NPU__VI_SRA(NPU__VI_ADD(NPU__VI_ADD(tail, NPU__VI_SET1(1)), NPU__VI_SRA(tail, 15)), 1);
    return NPU__VI_ADDS(eighth, NPU__VI_MULHR(eighth, NPU__VI_ADD(x, tail)));
}

/* npu__two_over_one_plus16 of npu__exp16_negative of -|x|; x == 0 is the caller's. */
NPU__VFN NPU__INLINE NPU__VI NPU__V(npu__gate_core)(NPU__VI x, int bits) {
    static const int16_t factor[7] = {25520, 19875, 12055, 4435, 600, 11, 0}; /* exp(-2^k), k = -2 .. 4 */
    const int     fraction = 15 - bits;
    const NPU__VI zero = NPU__VI_SET1(0), a = NPU__VI_SELECT(NPU__VI_GT(x, zero), NPU__VI_SUB(zero, x), x);
    const NPU__VI quarter = NPU__VI_SET1((int16_t)(1 << (fraction - 2)));
    const NPU__VI low = NPU__VI_SUB(NPU__VI_AND(a, NPU__VI_SET1((int16_t)((1 << (fraction - 2)) - 1))), quarter);
    const NPU__VI rest = NPU__VI_SUB(low, a);
    NPU__VI       e = NPU__V(npu__gate_exp_quarter)(NPU__VI_SHL(low, bits)), half, y;
    for (int k = -2; k <= 4 && k < bits; k++) {
        const NPU__VI bit = NPU__VI_SET1((int16_t)(1 << (fraction + k)));
        e = NPU__VI_SELECT(NPU__VI_EQ(NPU__VI_AND(rest, bit), bit), NPU__VI_MULHR(e, NPU__VI_SET1(factor[k + 2])), e);
    }
    if (bits > 5) e = NPU__VI_SELECT(NPU__VI_GT(NPU__VI_SET1((int16_t)-(1 << (20 - bits))), a), zero, e); /* below -32 */
    half = NPU__VI_ADD(NPU__VI_SRA(e, 1), NPU__VI_SET1(1 << 14));
    y = NPU__VI_ADD(NPU__VI_SET1(23130), NPU__VI_MULHR(half, NPU__VI_SET1(-15420)));
    for (int i = 0; i < 3; i++) {
        const NPU__VI error = NPU__VI_SUB(NPU__VI_SET1(1 << 13), NPU__VI_MULHR(half, y));
        NPU__VI       step = NPU__VI_MULHR(y, error);
        step = NPU__VI_ADDS(step, step);
        y = NPU__VI_ADD(y, NPU__VI_ADDS(step, step));
    }
    return y;
}

NPU__VFN NPU__INLINE NPU__VI NPU__V(npu__gate_logistic1)(NPU__VI x) {
    const NPU__VI zero = NPU__VI_SET1(0);
    NPU__VI       y = NPU__V(npu__gate_core)(x, 3);
    y = NPU__VI_ADDS(y, y);
    y = NPU__VI_SELECT(NPU__VI_GT(x, zero), y, NPU__VI_SUB(NPU__VI_SET1(INT16_MAX), y));
    return NPU__VI_SELECT(NPU__VI_EQ(x, zero), NPU__VI_SET1(16384), y);
}

NPU__VFN NPU__INLINE NPU__VI NPU__V(npu__gate_tanh1)(NPU__VI x, int bits) {
    const NPU__VI zero = NPU__VI_SET1(0);
    NPU__VI       y = NPU__VI_SUB(NPU__V(npu__gate_core)(x, bits + 1), NPU__VI_SET1(1 << 13));
    y = NPU__VI_ADDS(y, y);
    y = NPU__VI_ADDS(y, y);
    y = NPU__VI_SELECT(NPU__VI_GT(zero, x), NPU__VI_SUB(zero, y), y);
    return NPU__VI_SELECT(NPU__VI_EQ(x, zero), zero, y);
}

/* EXPR of v for full vectors, the rest through a padded one. */
#define NPU__GATE_LOOP(EXPR)                                    \
    int64_t i = 0;                                              \
    int16_t p[NPU__VN];                                         \
    NPU__VI v;                                                  \
    for (; i + NPU__VN <= n; i += NPU__VN) {                    \
        v = NPU__VI_LOAD(x + i);                                \
        NPU__VI_STORE(out + i, EXPR);                           \
    }                                                           \
    if (i < n) {                                                \
        memset(p, 0, sizeof p);                                 \
        memcpy(p, x + i, (size_t)(n - i) * sizeof *x);          \
        v = NPU__VI_LOAD(p);                                    \
        NPU__VI_STORE(p, EXPR);                                 \
        memcpy(out + i, p, (size_t)(n - i) * sizeof *x);        \
    }

NPU__VFN NPU__FN void NPU__V(npu__gates_logistic)(const int16_t *x, int16_t *out, int64_t n) {
    NPU__GATE_LOOP(NPU__V(npu__gate_logistic1)(v))
}
NPU__VFN NPU__FN void NPU__V(npu__gates_tanh)(const int16_t *x, int16_t *out, int64_t n, int bits) {
    NPU__GATE_LOOP(NPU__V(npu__gate_tanh1)(v, bits))
}
#undef NPU__GATE_LOOP

NPU__VFN NPU__FN void NPU__V(npu__gates_add)(const int32_t *sums, npu__qmul mul, int twice, int16_t *gate, int32_t n) {
    const NPU__V(npu__gate_mul) q = NPU__V(npu__gate_mul_of)(mul);
    int32_t i = 0;
    for (; i + NPU__VN <= n; i += NPU__VN)
        NPU__VI_STORE(gate + i, NPU__V(npu__gate_scale)(sums + i, &q, twice, NPU__VI_LOAD(gate + i)));
    npu__gates_add__c(sums + i, mul, twice, gate + i, n - i);
}

/* The last n % 8 of a row are read with what follows them, and masked; where nothing follows, from a copy. */
NPU__VFN NPU__FN void NPU__V(npu__gates_dots)(const void *a, const void *b, int wide, int32_t a_zp, int32_t n, int32_t rows,
                                              int32_t *out) {
    static const int16_t kept[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    const int32_t        rest = n & 7, whole = n - rest;
    const size_t         elem = wide ? 2 : 1, row = (size_t)n * elem, most = 8 * elem;
    const NPU__D8        mask = NPU__D8_LOAD(kept + 8 - rest), zp = NPU__D8_SET1((int16_t)a_zp);
    const uint8_t       *pa = (const uint8_t *)a, *pb = (const uint8_t *)b, *end = pa + row * (size_t)rows;
    uint8_t              last[2][16];
    memset(last, 0, sizeof last);
    for (int32_t r = 0; r < rows; r++) {
        const uint8_t *qa = pa, *qb = pb;
        NPU__D4        sum = NPU__D4_ZERO;
        for (int32_t i = 0; i < whole; i += 8, qa += most, qb += most) {
            if (wide) sum = NPU__D8_DOT(sum, NPU__D8_LOAD(qa), NPU__D8_LOAD(qb));
            else sum = NPU__D8_DOT(sum, NPU__D8_SUB(NPU__D8_WIDEN(qa), zp), NPU__D8_WIDEN(qb));
        }
        if (rest) {
            if ((size_t)(end - qa) < most) {
                memcpy(last[0], qa, (size_t)rest * elem);
                memcpy(last[1], qb, (size_t)rest * elem);
                qa = last[0];
                qb = last[1];
            }
            if (wide) sum = NPU__D8_DOT(sum, NPU__D8_AND(NPU__D8_LOAD(qa), mask), NPU__D8_LOAD(qb));
            else sum = NPU__D8_DOT(sum, NPU__D8_AND(NPU__D8_SUB(NPU__D8_WIDEN(qa), zp), mask), NPU__D8_WIDEN(qb));
        }
        out[r] = NPU__D4_SUM(sum);
        pa += row;
        pb += row;
    }
}

#undef NPU__D8
#undef NPU__D4
#undef NPU__D8_LOAD
#undef NPU__D8_WIDEN
#undef NPU__D8_SET1
#undef NPU__D8_SUB
#undef NPU__D8_AND
#undef NPU__D8_DOT
#undef NPU__D4_ZERO
#undef NPU__D4_SUM
#undef NPU__V
#undef NPU__VI
#undef NPU__VN
#undef NPU__VFN
#undef NPU__VI_LOAD
#undef NPU__VI_STORE
#undef NPU__VI_SET1
#undef NPU__VI_ADD
#undef NPU__VI_SUB
#undef NPU__VI_ADDS
#undef NPU__VI_AND
#undef NPU__VI_SHL
#undef NPU__VI_SRA
#undef NPU__VI_MULHR
#undef NPU__VI_GT
#undef NPU__VI_EQ
#undef NPU__VI_SELECT
