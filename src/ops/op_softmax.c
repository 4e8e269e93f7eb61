/* SOFTMAX over the last dimension: floats, 8 bits (to 8 or 16 bits) and int16. */
#include "softmax.h"

typedef struct npu__softmax {
    npu__softmax_base base;
    const npu__pointwise *fast; /* may be NULL */
    float             beta;
    npu__qmul         mul; /* int16: differences to 10 / 65535 */
    union {
        npu__softmax_exp exp8;
        struct {
            int16_t exp[NPU__LUT16_ENTRIES];        /* of [-10, 0] */
            int16_t reciprocal[NPU__LUT16_ENTRIES]; /* 1 / (1 + x), x in [0, 1] */
        } lut;
    } t;
} npu__softmax;

/* ---- rows of the last dimension ---- */

NPU__FN npu_status npu__softmax_base_prepare(npu__ctx *c, npu__softmax_row row) {
    npu__softmax_base *d = (npu__softmax_base *)c->data;
    const npu__shape  *s = &c->in[0]->shape;
    d->kernel = "reference";
    d->row = row;
    d->depth = s->dims[s->rank - 1];
    d->rows = npu__dims_product(s, 0, s->rank - 1);
    d->in_bytes = npu_type_bits((npu_type)c->in[0]->type) / 8;
    d->out_bytes = npu_type_bits((npu_type)c->out[0]->type) / 8;
    return NPU_OK;
}

typedef struct npu__softmax_job {
    const npu__softmax_base *d;
    const uint8_t           *in;
    uint8_t                 *out;
} npu__softmax_job;

NPU__FN void npu__softmax_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__softmax_job *job = (const npu__softmax_job *)arg;
    const npu__softmax_base *d = job->d;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        d->row(d, job->in + i * d->depth * d->in_bytes, job->out + i * d->depth * d->out_bytes, d->depth);
    }
}

NPU__FN npu_status npu__softmax_eval(npu__ctx *c) {
    npu__softmax_job job;
    job.d = (const npu__softmax_base *)c->data;
    if (job.d->depth == 0 || job.d->rows == 0) return NPU_OK;
    job.in = (const uint8_t *)c->in[0]->data;
    job.out = (uint8_t *)c->out[0]->data;
    npu__parallel(c, job.d->rows, 1 + 4096 / job.d->depth, npu__softmax_part, &job);
    return NPU_OK;
}

NPU__FN npu_status npu__softmax_exp_prepare(npu__ctx *c, npu__softmax_exp *e, float beta, float scale) {
    double real = (double)beta * (double)scale * 67108864.0; /* 2^26: one in q5 */
    if (!(real > 0.0)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "softmax.scale", "beta times the input's scale must be above 0: got %g", real / 67108864.0);
    }
    /* PreprocessSoftmaxScaling of TFLite with kScaledDiffIntegerBits = 5: differences become Q5.26, at most 2^31 - 1.
     * qmul_of wants less than 2^31: halved, then shifted back. Where a difference of 1 is less than one of Q5.26, as in networks
     * that were never trained, TFLite's reference gives up; its other kernels do not, and nor does this arithmetic. */
    e->mul = npu__qmul_of(NPU__MIN(real, 2147483647.0) * 0.5);
    e->mul.shift = e->mul.multiplier ? e->mul.shift + 1 : 0;
    /* CalculateInputRadius: below it the difference does not fit into Q5.26, and its exp counts as 0. */
    e->diff_min = -(int32_t)NPU__MIN(floor(ldexp(31.0 * 67108864.0, -e->mul.shift)), 2147483647.0);
    for (int32_t i = 0; i < 256; i++) {
        e->value[i] = -i >= e->diff_min ? npu__fx_exp_negative_q5(npu__qmul_apply(-i, e->mul)) : 0;
        e->term[i] = npu__rdbpot(e->value[i], 12);
    }
    return NPU_OK;
}

/* An exp for each element where they are real; three walks over a row in any case. */
NPU__FN npu__work npu__softmax_work(const npu__ctx *c) {
    const int32_t t = c->in[0]->type;
    return npu__work_each(c, t == NPU_FLOAT32 || t == NPU_FLOAT16 ? 18 : 2);
}

/* ---- kernels ---- */

NPU__FN void npu__softmax_f32(const void *op, const void *in, void *out, int32_t depth) {
    const float  beta = ((const npu__softmax *)op)->beta;
    const float *x = (const float *)in;
    float       *y = (float *)out, max = -3.402823466e+38f, sum = 0.0f;
    /* The largest is subtracted first, so that exp never overflows and the sum is at least 1. */
    for (int32_t i = 0; i < depth; i++) max = x[i] > max ? x[i] : max;
    for (int32_t i = 0; i < depth; i++) {
        y[i] = expf((x[i] - max) * beta);
        sum += y[i];
    }
    for (int32_t i = 0; i < depth; i++) y[i] /= sum;
}

NPU__FN void npu__softmax_f32_fast(const void *op, const void *in, void *out, int32_t depth) {
    const npu__softmax *d = (const npu__softmax *)op;
    d->fast->softmax((const float *)in, (float *)out, depth, d->beta);
}

NPU__FN void npu__softmax_f16(const void *op, const void *in, void *out, int32_t depth) {
    const float     beta = ((const npu__softmax *)op)->beta;
    const uint16_t *x = (const uint16_t *)in;
    uint16_t       *y = (uint16_t *)out;
    float           max = -65504.0f, sum = 0.0f;
    for (int32_t i = 0; i < depth; i++) max = NPU__MAX(npu__f16_to_f32(x[i]), max);
    for (int32_t i = 0; i < depth; i++) {
        float e = expf((npu__f16_to_f32(x[i]) - max) * beta);
        y[i] = npu__f16_from_f32(e);
        sum += e;
    }
    for (int32_t i = 0; i < depth; i++) y[i] = npu__f16_from_f32(npu__f16_to_f32(y[i]) / sum);
}

/* Of rows at least this long, results come from a table of what each difference gives. */
#define NPU__SOFTMAX_LONG 256 /* no less than there are differences */

/* v[i] = exp / sum: of n, a multiple of 16. */
#define NPU__SOFTMAX_SCALE(name)                                                                             \
    NPU__FN void name(int32_t *v, int32_t n, int32_t scale, int32_t exponent, int32_t lo, int32_t hi) {      \
        for (; n >= 16; n -= 16, v += 16) {                                                                  \
            NPU__VEC_FOR(i, 16)                                                                        \
                v[i] = npu__clamp32(npu__rdbpot(npu__srdhm_by(v[i], scale), exponent) + lo, lo, hi);         \
        }                                                                                                    \
    }
#if NPU__HAS_X86
NPU__AVX2_ONLY NPU__SOFTMAX_SCALE(npu__softmax_scale__avx2)
#endif
NPU__SOFTMAX_SCALE(npu__softmax_scale__any)
#undef NPU__SOFTMAX_SCALE

NPU__FN void npu__softmax_scale(const npu__softmax *d, int32_t *v, int32_t n, int32_t scale, int32_t exponent, int32_t lo,
                                int32_t hi) {
    n = (n + 15) / 16 * 16;
#if NPU__HAS_X86
    if (d->fast) {
        npu__softmax_scale__avx2(v, n, scale, exponent, lo, hi);
        return;
    }
#endif
    (void)d;
    npu__softmax_scale__any(v, n, scale, exponent, lo, hi);
}

/* The sum is kept in q12; results are exp / sum with as many bits as the output has, counted from its minimum. */
#define NPU__SOFTMAX_Q8(name, TI, TO, lowest, lo, hi, bits)                                                  \
    NPU__FN void name(const void *op, const void *in, void *out, int32_t depth) {                            \
        const npu__softmax *d = (const npu__softmax *)op;                                                    \
        const int32_t *e = d->t.exp8.value, *term = d->t.exp8.term;                                          \
        const TI      *x = (const TI *)in;                                                                   \
        TO            *y = (TO *)out;                                                                        \
        const int      table = depth >= NPU__SOFTMAX_LONG;                                                   \
        int32_t        max = lowest, sum = 0, scale, over, exponent, whole = depth - depth % 16;             \
        int32_t        v[NPU__SOFTMAX_LONG];                                                                 \
        TO             by[NPU__SOFTMAX_LONG];                                                                \
        TI             most[16];                                                                             \
        for (int32_t i = 0; i < 16; i++) most[i] = lowest;                                                   \
        for (int32_t k = 0; k < whole; k += 16) {                                                            \
            NPU__VEC_FOR(i, 16) most[i] = NPU__MAX(most[i], x[k + i]);                                       \
        }                                                                                                    \
        for (int32_t i = 0; whole && i < 16; i++) max = NPU__MAX(max, most[i]);                              \
        for (int32_t i = whole; i < depth; i++) max = NPU__MAX(max, x[i]);                                   \
        for (int32_t i = 0; table && i < depth; i++) sum = npu__fx_add(sum, term[max - x[i]]);               \
        for (int32_t i = 0; !table && i < depth; i++) {                                                      \
            const int32_t k = max - x[i];                                                                    \
            sum = npu__fx_add(sum, term[k]);                                                                 \
            v[i] = e[k];                                                                                     \
        }                                                                                                    \
        if (table) memcpy(v, e, sizeof v);                                                                   \
        else for (int32_t i = depth; i % 16; i++) v[i] = 0;                                                  \
        scale = npu__fx_reciprocal(sum, 12, &over);                                                          \
        exponent = NPU__MAX(over, 0) + 31 - (bits);                                                          \
        if (exponent > 31) { scale = 0; exponent = 31; } /* so many alike that all round to 0 */             \
        npu__softmax_scale(d, v, table ? NPU__SOFTMAX_LONG : depth, scale, exponent, lo, hi);                \
        if (table) whole = NPU__SOFTMAX_LONG;                                                                \
        for (int32_t k = 0; k < whole; k += 16) {                                                            \
            TO *to = table ? by + k : y + k;                                                                 \
            NPU__VEC_FOR(i, 16) to[i] = (TO)v[k + i];                                                        \
        }                                                                                                    \
        for (int32_t i = whole; !table && i < depth; i++) y[i] = (TO)v[i];                                   \
        for (int32_t i = 0; table && i < depth; i++) y[i] = by[max - x[i]];                                  \
    }
NPU__SOFTMAX_Q8(npu__softmax_q8_q8, int8_t, int8_t, -128, -128, 127, 8)
NPU__SOFTMAX_Q8(npu__softmax_q8_q16, int8_t, int16_t, -128, -32768, 32767, 16)
NPU__SOFTMAX_Q8(npu__softmax_qu8_qu8, uint8_t, uint8_t, 0, 0, 255, 8)
NPU__SOFTMAX_Q8(npu__softmax_qu8_q16, uint8_t, int16_t, 0, -32768, 32767, 16)
#undef NPU__SOFTMAX_Q8
#undef NPU__SOFTMAX_LONG

NPU__FN void npu__softmax_q16(const void *op, const void *in, void *out, int32_t depth) {
    const npu__softmax *d = (const npu__softmax *)op;
    const int16_t      *x = (const int16_t *)in;
    int16_t            *y = (int16_t *)out;
    int32_t             max = -32768, sum = 0, shift;
    int64_t             scale;
    for (int32_t i = 0; i < depth; i++) max = NPU__MAX(max, x[i]);
    for (int32_t i = 0; i < depth; i++) {
        /* Differences in [-10, 0], spread over all of int16: TFLite's SoftmaxInt16 and its two tables. */
        int32_t diff = npu__wadd32(npu__qmul_apply(x[i] - max, d->mul), 32767);
        y[i] = npu__lut16_at(d->t.lut.exp, npu__clamp32(diff, -32768, 32767));
        sum = npu__fx_add(sum, y[i]);
    }
    sum = NPU__MAX(sum, 1 << 14); /* smaller only after an overflow */
    shift = 31 - npu__clz32((uint32_t)sum);
    scale = ((((int64_t)sum << (30 - shift)) + (1 << 13)) >> 14) - 98304; /* sum in [1, 2) as [0, 1), centred */
    scale = npu__lut16_at(d->t.lut.reciprocal, (int32_t)npu__clamp64(scale, -32768, 32767));
    for (int32_t i = 0; i < depth; i++) {
        y[i] = (int16_t)npu__clamp64((y[i] * scale + ((int64_t)1 << (shift - 1))) >> shift, 0, 32767);
    }
}

/* ---- prepare ---- */

NPU__FN double npu__softmax_exp_f64(double x) { return exp(x); }
NPU__FN double npu__softmax_reciprocal_f64(double x) { return 1.0 / (1.0 + x); }

NPU__FN npu_status npu__softmax_output(npu__ctx *c, float scale, int32_t zero_point) {
    const npu__val *out = c->out[0];
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    /* TFLite's own tolerance: the kernel writes this scale whatever the file says. */
    if (npu__zero_point(out) == zero_point && fabsf(npu__scale(out) - scale) <= 0.001f * scale) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "softmax.output_quant",
                     "the output must have scale %g and zero point %d: got %g, %d", (double)scale, zero_point,
                     (double)npu__scale(out), npu__zero_point(out));
}

NPU__FN npu_status npu__softmax_prepare16(npu__ctx *c) {
    npu__softmax *d = (npu__softmax *)c->data;
    NPU__TRY(npu__softmax_output(c, 1.0f / 32768.0f, 0));
    NPU__TRY(npu__need_symmetric_unary(c));
    d->mul = npu__qmul_of((double)(npu__scale(c->in[0]) * d->beta) / (10.0 / 65535.0));
    npu__lut16_fill_f64(d->t.lut.exp, 10.0 / 65535.0, 32767, 2.0 / 65535.0, npu__softmax_exp_f64);
    npu__lut16_fill_f64(d->t.lut.reciprocal, 1.0 / 65535.0, -32768, 2.0 / 65535.0, npu__softmax_reciprocal_f64);
    return npu__softmax_base_prepare(c, npu__softmax_q16);
}

NPU__FN npu_status npu__softmax_prepare(npu__ctx *c) {
    npu__softmax    *d = (npu__softmax *)c->data;
    int32_t          in = c->in[0]->type, out = c->out[0]->type;
    npu__softmax_row row = NULL;
    d->beta = NPU__OPTIONS(c->node, SoftmaxOptions)->beta;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    d->fast = npu__pointwise_select(npu__ctx_isa(c));
    if (in == NPU_FLOAT32 && out == in) {
        if (!(d->beta >= 0.0f)) d->fast = NULL; /* there, exponents are not above 0 */
        NPU__TRY(npu__softmax_base_prepare(c, d->fast ? npu__softmax_f32_fast : npu__softmax_f32));
        if (d->fast) d->base.kernel = d->fast->name;
        return NPU_OK;
    }
    if (!npu__isa_includes(npu__ctx_isa(c), NPU_ISA_AVX2)) d->fast = NULL; /* of integers: npu__softmax_scale */
    if (in == NPU_FLOAT16 && out == in) return npu__softmax_base_prepare(c, npu__softmax_f16);
    if (in == NPU_INT16 && out == in) return npu__softmax_prepare16(c);
    if (in == NPU_INT8 && out == NPU_INT8) row = npu__softmax_q8_q8;
    if (in == NPU_INT8 && out == NPU_INT16) row = npu__softmax_q8_q16;
    if (in == NPU_UINT8 && out == NPU_UINT8) row = npu__softmax_qu8_qu8;
    if (in == NPU_UINT8 && out == NPU_INT16) row = npu__softmax_qu8_q16;
    if (!row) return npu__fail_types(c);
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    if (in == NPU_INT8 && out == NPU_INT8) NPU__TRY(npu__softmax_output(c, 1.0f / 256.0f, -128));
    NPU__TRY(npu__softmax_exp_prepare(c, &d->t.exp8, d->beta, npu__scale(c->in[0])));
    NPU__TRY(npu__softmax_base_prepare(c, row));
    d->base.kernel = "table";
    return NPU_OK;
}

NPU__OPDEF(npu__op_softmax) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL,
                                           NPU__DATA(npu__softmax),
                                           npu__infer_same_as_in0, npu__softmax_prepare, NULL,
                                           npu__softmax_eval, npu__softmax_work};
