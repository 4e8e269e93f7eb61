/* Integers' output stages on 128 bits, for WebAssembly and SSE4.1: by floats where they are sure, else step by step as the reference. */
#include "i8_stage_v128.h"
NPU__SPEED_BEGIN

#if NPU__HAS_V128

/* There is no shift by a different amount in each lane: packed weights hold powers of two instead
 * (NPU__SHIFT_POWERS), left = 1 << left shift and right = 1 << (31 - right shift), and lanes are multiplied into 64
 * bits. */

/* (a * b + 2^30) >> 31, low 32 bits. */
NPU__V128 NPU__INLINE npu__v128 npu__high_product__v128(npu__v128 lo, npu__v128 hi) {
    const npu__v128 nudge = NPU__V_SET64((int64_t)1 << 30);
    lo = NPU__V_SHR64(NPU__V_ADD64(lo, nudge), 31);
    hi = NPU__V_SHR64(NPU__V_ADD64(hi, nudge), 31);
    return NPU__V_JOIN_LOW(lo, hi);
}

NPU__V128 NPU__INLINE npu__v128 npu__requant__v128(npu__v128 x, npu__v128 m, npu__v128 left, npu__v128 power) {
    x = NPU__V_MUL32(x, left);
    x = npu__high_product__v128(NPU__V_MUL_ONE(x, m), NPU__V_MUL_TWO(x, m));
    /* Halves round up below: one less first for negative numbers, unless nothing is shifted out (power is 2^31). */
    x = NPU__V_ADD32(x, NPU__V_AND(NPU__V_SAR32(x, 31), NPU__V_GT32(power, NPU__V_SET32(0))));
    x = NPU__V_XOR(x, NPU__V_SET32(INT32_MIN)); /* + 2^31, unsigned from here */
    x = npu__high_product__v128(NPU__V_MUL_ONE_U(x, power), NPU__V_MUL_TWO_U(x, power));
    return NPU__V_SUB32(x, power);
}

/* The powers that a folded header was made of. */
NPU__V128 NPU__INLINE void npu__unfold__v128(npu__v128 *left, npu__v128 *power) {
    const npu__v128 fourth = *power, is_left = NPU__V_SAR32(fourth, 31);
    *left = NPU__V_OR(NPU__V_AND(is_left, NPU__V_OF_F32(NPU__V_MULF(fourth, NPU__V_SETF(-1.0f)))), NPU__V_ANDNOT(NPU__V_SET32(1), is_left));
    *power = NPU__V_OR(NPU__V_AND(is_left, NPU__V_SET32(INT32_MIN)),
                       NPU__V_ANDNOT(NPU__V_OF_F32(NPU__V_MULF(fourth, NPU__V_SETF(4294967296.0f))), is_left));
}

/* Eight sums, step by step as the reference. */
NPU__V128 NPU__FN NPU__NOINLINE void npu__any8__v128(const uint8_t *sums, const int32_t *head, int plain, const npu__i8_out *o,
                                                     uint8_t *out) {
    const npu__fin__v128 f = npu__fin_of__v128(o);
    npu__v128            left0 = NPU__V_LOAD(head + 16), left1 = NPU__V_LOAD(head + 20), power0 = NPU__V_LOAD(head + 24),
                         power1 = NPU__V_LOAD(head + 28), lo = NPU__V_LOAD(sums), hi = NPU__V_LOAD(sums + 16);
    if (plain) {
        npu__unfold__v128(&left0, &power0);
        npu__unfold__v128(&left1, &power1);
    }
    lo = npu__requant__v128(lo, NPU__V_LOAD(head + 8), left0, power0);
    hi = npu__requant__v128(hi, NPU__V_LOAD(head + 12), left1, power1);
    lo = NPU__V_ADDS16(NPU__V_PACK32(lo, hi), NPU__V_SET16((int16_t)o->zero_point));
    NPU__V_STORE8(out, npu__bytes8__v128(lo, &f));
}

/* Floats come to the same whole number as the reference where what they round is no half: results that are bytes are less than 2^-14 off
 * (256, of 24 bits, rounded four times), and all others on the right side. `worst` is the largest distance of any from the whole number that
 * it became. Returns `from`, the zero point and the bits of `whole`, plus the result. */
typedef struct npu__floats__v128 {
    npu__v128 from, whole, sign, sure; /* sure: the bits of 1/2 - 2^-13 */
} npu__floats__v128;
/* o->raw is 0 here. Of constants that compilers see engines make instructions, for each use. */
NPU__V128 NPU__INLINE npu__floats__v128 npu__floats_of__v128(const npu__i8_out *o) {
    npu__floats__v128 k;
    k.from = NPU__V_SET32(NPU__WHOLE_BITS + o->zero_point);
    k.whole = NPU__V_SET32(NPU__WHOLE_BITS + o->raw);
    k.sign = NPU__V_SET32(INT32_MIN + o->raw);
    k.sure = NPU__V_SET32(0x3EFFF000 + o->raw);
    return k;
}
NPU__V128 NPU__INLINE npu__v128 npu__whole4__v128(npu__v128 v, const npu__floats__v128 *k, npu__v128 *worst) {
    const npu__v128 w = NPU__V_ADDF(v, k->whole);
    v = NPU__V_SUBF(v, NPU__V_SUBF(w, k->whole));
    *worst = NPU__V_MAX32(*worst, NPU__V_ANDNOT(v, k->sign));
    return NPU__V_SUB32(k->from, w); /* factors are negative */
}
/* The first of eight bytes. */
NPU__INLINE void npu__some8__v128(uint8_t *out, const uint8_t *from, int32_t cols) {
    const int32_t two = cols & 4, one = cols & 6;
    if (cols & 4) memcpy(out, from, 4);
    if (cols & 2) memcpy(out + two, from + two, 2);
    if (cols & 1) out[one] = from[one];
}

/* Rows of eight sums to bytes, as far as floats are sure of them; returns how many rows are left. No branch comes between a value and its
 * uses: Cranelift computes it where it is used, again in each branch. No call either: constants would leave the registers. o->raw is 0 here:
 * of constants that compilers see engines make instructions, for each use. */
#define NPU__PLAIN4(n, p) npu__plain4__v128(NPU__V_LOAD(sums + 16 * (n)), &k.p, k.sign, up)
NPU__V128 NPU__INLINE int32_t npu__plain8_by__v128(const uint8_t *sums, int32_t rows, const int32_t *head, const npu__i8_out *o, int32_t cols,
                                                   uint8_t *out, size_t stride, int up) {
    const npu__plain_all__v128 k = npu__plain_all_of__v128(head, o, up);
    uint8_t                    tmp[8], *to = cols == 8 ? out : tmp;
    for (; rows > 1 && cols == 8; rows -= 2, sums += 64, to += 2 * stride) {
        const npu__v128 v0 = NPU__PLAIN4(0, p0), v1 = NPU__PLAIN4(1, p1), v2 = NPU__PLAIN4(2, p0), v3 = NPU__PLAIN4(3, p1);
        const npu__v128 doubt = NPU__V_MINU32(NPU__PLAIN_DOUBT(v0, v1, k), NPU__PLAIN_DOUBT(v2, v3, k));
        const npu__v128 both = npu__bytes16__v128(NPU__PLAIN_WORDS(v0, v1, k), NPU__PLAIN_WORDS(v2, v3, k), &k.fin);
        NPU__V_STORE8(to, both);
        NPU__V_STORE8_UP(to + stride, both);
        if (npu__plain_unsure__v128(doubt, &k)) return rows;
    }
    for (; rows > 0; rows--, sums += 32, out += stride) {
        const npu__v128 v0 = NPU__PLAIN4(0, p0), v1 = NPU__PLAIN4(1, p1);
        NPU__V_STORE8(to, npu__bytes8__v128(NPU__PLAIN_WORDS(v0, v1, k), &k.fin));
        if (npu__plain_unsure__v128(NPU__PLAIN_DOUBT(v0, v1, k), &k)) break;
        if (cols != 8) npu__some8__v128(out, tmp, cols); /* else it is the last one */
    }
    return rows;
}
#undef NPU__PLAIN4
NPU__V128 NPU__FN NPU__NOINLINE int32_t npu__plain8__v128(const uint8_t *sums, int32_t rows, const int32_t *head, const npu__i8_out *o,
                                                          int32_t cols, uint8_t *out, size_t stride) {
    return npu__plain8_by__v128(sums, rows, head, o, cols, out, stride, 0);
}
NPU__V128 NPU__FN NPU__NOINLINE int32_t npu__plain8_up__v128(const uint8_t *sums, int32_t rows, const int32_t *head, const npu__i8_out *o,
                                                             int32_t cols, uint8_t *out, size_t stride) {
    return npu__plain8_by__v128(sums, rows, head, o, cols, out, stride, 1);
}

NPU__V128 NPU__FN void npu__finish8__v128(const uint8_t *sums, int32_t rows, const int32_t *head, int plain, const npu__i8_out *o,
                                          int32_t cols, uint8_t *out, size_t stride) {
    for (int32_t left = rows; left > 0; left--) {
        uint8_t tmp[8];
        size_t  at = (size_t)(rows - left);
        if (plain) left = (npu__plain_up(o) ? npu__plain8_up__v128 : npu__plain8__v128)(sums + at * 32, left, head, o, cols, out + at * stride, stride);
        if (left == 0) return;
        at = (size_t)(rows - left);
        npu__any8__v128(sums + at * 32, head, plain, o, tmp);
        memcpy(out + at * stride, tmp, (size_t)cols);
    }
}

/* The real stage: one rounding, and sums that may be far beyond what is cut off anyway: it is, where floats still know all whole numbers. */
NPU__V128 NPU__INLINE npu__v128 npu__real4__v128(npu__v128 x, npu__v128 factor, const npu__floats__v128 *k, npu__v128 *worst) {
    const npu__v128 v = NPU__V_MULF(NPU__V_TO_F32(x), factor);
    return npu__whole4__v128(NPU__V_CLAMPF(v, NPU__V_SETF(-1048576.0f), NPU__V_SETF(1048576.0f)), k, worst);
}
NPU__V128 NPU__INLINE npu__v128 npu__real_factors__v128(const double *scale, int32_t step) {
    float f[4];
    for (int32_t i = 0; i < 4; i++) f[i] = (float)-scale[i * step];
    return NPU__V_LOAD(f);
}
NPU__V128 NPU__FN void npu__finish_real__v128(const int32_t *sums, int32_t n, const double *scale, int32_t step, const npu__i8_out *o,
                                              uint8_t *out) {
    const npu__fin__v128    f = npu__fin_of__v128(o);
    const npu__floats__v128 k = npu__floats_of__v128(o);
    npu__v128               factor0 = NPU__V_SETF((float)-*scale), factor1 = factor0;
    int32_t                 i = 0;
    for (; i + 8 <= n; i += 8, scale += 8 * step) {
        npu__v128 v, worst = NPU__V_SET32(0);
        if (step) {
            factor0 = npu__real_factors__v128(scale, step);
            factor1 = npu__real_factors__v128(scale + 4, step);
        }
        v = npu__real4__v128(NPU__V_LOAD(sums + i), factor0, &k, &worst);
        v = NPU__V_PACK32(v, npu__real4__v128(NPU__V_LOAD(sums + i + 4), factor1, &k, &worst));
        NPU__V_STORE8(out + i, npu__bytes8__v128(v, &f));
        if (NPU__V_SIGNS32(NPU__V_SUB32(k.sure, worst))) npu__finish_real(sums + i, 8, scale, step, o, out + i);
    }
    npu__finish_real(sums + i, n - i, scale, step, o, out + i);
}

NPU__V128 NPU__FN void npu__gemm_by_sums__v128(npu__gemm_sums_code *code, const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                               uint8_t *out) {
    const int32_t   *head = (const int32_t *)(const void *)panel;
    const int        plain = npu__is_plain__v128(panel);
    npu__gemm_i8_job part = *job;
    npu__v128        sums[NPU__SUMS * 2];
    if (job->out.raw) {
        code(job, panel, out);
        return;
    }
    part.out_stride = 32;
    for (int32_t left = job->m; left > 0; left -= part.m, out += (size_t)part.m * job->out_stride) {
        part.m = NPU__MIN(left, NPU__SUMS);
        code(&part, panel, (uint8_t *)(void *)sums);
        npu__finish8__v128((const uint8_t *)(const void *)sums, part.m, head, plain, &job->out, cols, out, job->out_stride);
        if (part.a.rows) part.a.rows += part.m;
        else part.a.a += (size_t)part.m * part.a.stride;
        part.row_add += part.m;
    }
}
#endif
NPU__SPEED_END
