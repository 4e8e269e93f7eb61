/* Integers' output stage of i8_v128.c. */
#ifndef NPU__KERNELS_I8_STAGE_V128_H
#define NPU__KERNELS_I8_STAGE_V128_H

#include "kernels.h"
#include "v128.h"

#if NPU__HAS_V128
/* The sums of four vectors. */
NPU__V128 NPU__INLINE npu__v128 npu__sum4_i32__v128(npu__v128 a, npu__v128 b, npu__v128 c, npu__v128 d) {
    npu__v128 ab = NPU__V_ADD32(NPU__V_ZIP_LO32(a, b), NPU__V_ZIP_HI32(a, b));
    npu__v128 cd = NPU__V_ADD32(NPU__V_ZIP_LO32(c, d), NPU__V_ZIP_HI32(c, d));
    return NPU__V_ADD32(NPU__V_ZIP_LO64(ab, cd), NPU__V_ZIP_HI64(ab, cd));
}

/* Sums wait for their output stage in blocks of so many rows of eight: its constants do not fit into the registers beside those of what
 * comes before. */
#define NPU__SUMS 64

/* The constants of the last steps. */
typedef struct npu__fin__v128 {
    npu__v128 lo, hi, flip;
} npu__fin__v128;

/* To a float of less than 2^22 this adds so much that only whole numbers are left: rounded, and readable in its lower bits. */
#define NPU__WHOLE_BITS 0x4B400000 /* of 3 * 2^22 */

NPU__V128 NPU__INLINE npu__fin__v128 npu__fin_of__v128(const npu__i8_out *o) {
    npu__fin__v128 f;
    f.lo = NPU__V_SET8((int8_t)o->lo);
    f.hi = NPU__V_SET8((int8_t)o->hi);
    f.flip = NPU__V_SET8((int8_t)o->flip);
    return f;
}

/* Twice eight int16 to bytes. */
NPU__V128 NPU__INLINE npu__v128 npu__bytes16__v128(npu__v128 v, npu__v128 w, const npu__fin__v128 *f) {
    return NPU__V_XOR(NPU__V_MIN8(NPU__V_MAX8(NPU__V_PACK16(v, w), f->lo), f->hi), f->flip);
}
NPU__V128 NPU__INLINE npu__v128 npu__bytes8__v128(npu__v128 v, const npu__fin__v128 *f) { return npu__bytes16__v128(v, v, f); }

/* Folded headers (pack.h). With r = x * multiplier * 2^(shift - 31) the reference gives r + 2^-(right shift + 1) to the nearest
 * (r negative: - instead of +): it rounds twice, first to fractions of a shift to the right. This is -r in 2^14ths, counted by a float's bits from
 * NPU__WHOLE_BITS: a result that is a byte stays below 2^22, is rounded five times, each time by half a unit at most and mostly less, 1.75
 * together, and is sure unless it comes closer than 2 to where the result changes: `doubt` is less than 4 then, by the 2 that `at` has
 * more. What is larger has bits that are larger, in its sign too once they are shifted, and is cut off. One direction is enough (`up`)
 * where negative results are. */
#define NPU__PLAIN_BITS 14
typedef struct npu__plain__v128 {
    npu__v128 factor, nudge, at; /* factor: negative */
} npu__plain__v128;
NPU__V128 NPU__INLINE npu__plain__v128 npu__plain_of__v128(const int32_t *head, int up) {
    const npu__v128  unit = NPU__V_SETF((float)(1 << NPU__PLAIN_BITS)), middle = NPU__V_SETF(12582912.0f + 8194.0f);
    npu__plain__v128 p;
    p.factor = NPU__V_MULF(NPU__V_LOAD(head + 16), unit);
    p.nudge = NPU__V_LOAD(head + 24); /* without a right shift there is one rounding alone */
    p.nudge = NPU__V_MULF(NPU__V_ANDNOT(p.nudge, NPU__V_SAR32(p.nudge, 31)), unit);
    p.at = up ? NPU__V_SUBF(middle, p.nudge) : middle;
    p.nudge = NPU__V_OR(p.nudge, NPU__V_SET32(INT32_MIN));
    return p;
}
NPU__V128 NPU__INLINE npu__v128 npu__plain4__v128(npu__v128 x, const npu__plain__v128 *p, npu__v128 sign, int up) {
    if (up) return NPU__V_MADDF(NPU__V_TO_F32(x), p->factor, p->at);
    return NPU__V_ADDF(NPU__V_MADDF(NPU__V_TO_F32(x), p->factor, NPU__V_XOR(NPU__V_AND(x, sign), p->nudge)), p->at);
}

/* What bytes are made with by floats, of panels whose headers are folded. o->raw is 0 here: of constants that compilers see engines make
 * instructions, for each use. */
typedef struct npu__plain_all__v128 {
    npu__fin__v128   fin;
    npu__plain__v128 p0, p1; /* of the lower and the upper four columns */
    npu__v128        from, sign, part, four;
} npu__plain_all__v128;
NPU__V128 NPU__INLINE npu__plain_all__v128 npu__plain_all_of__v128(const int32_t *head, const npu__i8_out *o, int up) {
    npu__plain_all__v128 k;
    k.fin = npu__fin_of__v128(o);
    k.p0 = npu__plain_of__v128(head, up);
    k.p1 = npu__plain_of__v128(head + 4, up);
    k.from = NPU__V_SET32((NPU__WHOLE_BITS >> NPU__PLAIN_BITS) + o->zero_point);
    k.sign = NPU__V_SET32(INT32_MIN + o->raw);
    k.part = NPU__V_SET32((1 << NPU__PLAIN_BITS) - 1 + o->raw);
    k.four = NPU__V_SET32(4 + o->raw);
    return k;
}
/* Eight results as int16, of what npu__plain4__v128 gives of two times four. */
#define NPU__PLAIN_WORDS(v, w, k) \
    NPU__V_PACK32(NPU__V_SUB32((k).from, NPU__V_SAR32(v, NPU__PLAIN_BITS)), NPU__V_SUB32((k).from, NPU__V_SAR32(w, NPU__PLAIN_BITS)))
/* Their doubts, of which the least counts. */
#define NPU__PLAIN_DOUBT(v, w, k) NPU__V_MINU32(NPU__V_AND(v, (k).part), NPU__V_AND(w, (k).part))
NPU__V128 NPU__INLINE int npu__plain_unsure__v128(npu__v128 doubt, const npu__plain_all__v128 *k) {
    return NPU__V_SIGNS32(NPU__V_SUB32(doubt, k->four)) != 0;
}
NPU__INLINE int npu__plain_up(const npu__i8_out *o) { return o->lo >= o->zero_point; }
NPU__V128 NPU__INLINE int npu__is_plain__v128(const uint8_t *panel) { return NPU__V_SIGNS32(NPU__V_LOAD(panel + 64)) != 0; }

/* Eight sums, step by step as the reference. */
NPU__V128 NPU__FN void npu__any8__v128(const uint8_t *sums, const int32_t *head, int plain, const npu__i8_out *o, uint8_t *out);

/* Rows of eight sums (int32) to `cols` bytes each, `stride` apart. `head`: what the panel begins with, `plain` where it is folded (pack.h). */
NPU__V128 NPU__FN void npu__finish8__v128(const uint8_t *sums, int32_t rows, const int32_t *head, int plain, const npu__i8_out *o,
                                          int32_t cols, uint8_t *out, size_t stride);

/* Rows of a job against a panel of eight columns: all of them by `code`, which stores raw sums, in blocks for the output stage. */
typedef void npu__gemm_sums_code(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out);
NPU__V128 NPU__FN void npu__gemm_by_sums__v128(npu__gemm_sums_code *code, const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                               uint8_t *out);

/* Depthwise sums of eight channels from `at` on, of pixels of job->out_stride. */
typedef void npu__dw_sums_code(const npu__dw_job *job, size_t at, const uint8_t *unit, uint8_t *out);
typedef struct npu__dw_sums__v128 {
    int32_t            together;
    const uint8_t     *nine;          /* in which order `any` takes nine taps (ten pointers); NULL: in theirs */
    npu__dw_sums_code *any;           /* any window; 3 x 3 ones that share columns: */
    npu__dw_sums_code *columns[2][2]; /* [one apart, two][unsigned, signed] */
} npu__dw_sums__v128;
NPU__V128 NPU__FN void npu__dw_by_sums__v128(const npu__dw_sums__v128 *code, const npu__dw_job *job, const uint8_t *packed, uint8_t *out);
#endif

#endif
