/* ADD, SUB and MUL: float, plain integers and quantized, with broadcasting and fused activations. */
#include "q2_rows.h"

typedef struct npu__arith {
    npu__ew ew;
    npu__q2 q;
    float   f_lo, f_hi;
    int64_t i_lo, i_hi;
    int32_t right_shift[2]; /* of the power-of-two int16 form */
    int32_t has_job;        /* bytes, on a kernel: */
    union {
        npu__bytes_job fit;
        npu__sum8_job  exact;
    } job;
} npu__arith;

/* Without commas: they go through two macros. */
#define NPU__ARITH_F const float lo = ((const npu__arith *)op)->f_lo; const float hi = ((const npu__arith *)op)->f_hi
#define NPU__ARITH_I                                            \
    const int32_t lo = (int32_t)((const npu__arith *)op)->i_lo; \
    const int32_t hi = (int32_t)((const npu__arith *)op)->i_hi
#define NPU__ARITH_L const int64_t lo = ((const npu__arith *)op)->i_lo; const int64_t hi = ((const npu__arith *)op)->i_hi
#define NPU__ARITH_Q const npu__q2 q = ((const npu__arith *)op)->q
#define NPU__ARITH_POT                                           \
    const int32_t s0 = ((const npu__arith *)op)->right_shift[0]; \
    const int32_t s1 = ((const npu__arith *)op)->right_shift[1]; \
    NPU__ARITH_Q

NPU__INLINE float npu__arith_h(uint16_t h) { return npu__f16_to_f32(h); }
NPU__EW_VEC_ROW2(npu__add_f32, NPU__ARITH_F, float, float, float, npu__clamp_f32(x + y, lo, hi))
NPU__EW_VEC_ROW2(npu__sub_f32, NPU__ARITH_F, float, float, float, npu__clamp_f32(x - y, lo, hi))
NPU__EW_VEC_ROW2(npu__mul_f32, NPU__ARITH_F, float, float, float, npu__clamp_f32(x * y, lo, hi))
#define NPU__ARITH_FAST(name, member)                                                                              \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {          \
        const npu__arith *d = (const npu__arith *)op;                                                              \
        d->ew.fast->member((const float *)in[0], (const float *)in[1], (float *)out, n, step[0], step[1], d->f_lo, \
                           d->f_hi);                                                                               \
    }
NPU__ARITH_FAST(npu__add_f32_fast, add)
NPU__ARITH_FAST(npu__sub_f32_fast, sub)
NPU__ARITH_FAST(npu__mul_f32_fast, mul)
#undef NPU__ARITH_FAST
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__add_f16, NPU__ARITH_F, uint16_t, uint16_t, uint16_t,
             npu__f16_from_f32(npu__clamp_f32(npu__arith_h(x) + npu__arith_h(y), lo, hi)))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__mul_f16, NPU__ARITH_F, uint16_t, uint16_t, uint16_t,
             npu__f16_from_f32(npu__clamp_f32(npu__arith_h(x) * npu__arith_h(y), lo, hi)))
/* Integers without quantization wrap, then the activation clamps. */
NPU__EW_VEC_ROW2(npu__add_i32, NPU__ARITH_I, int32_t, int32_t, int32_t, npu__clamp32(npu__wadd32(x, y), lo, hi))
NPU__EW_VEC_ROW2(npu__sub_i32, NPU__ARITH_I, int32_t, int32_t, int32_t, npu__clamp32(npu__wsub32(x, y), lo, hi))
NPU__EW_VEC_ROW2(npu__mul_i32, NPU__ARITH_I, int32_t, int32_t, int32_t, npu__clamp32(npu__wmul32(x, y), lo, hi))
NPU__EW_VEC_ROW2(npu__mul_u32, NPU__ARITH_L, uint32_t, uint32_t, uint32_t,
             npu__clamp64((int64_t)(uint32_t)(x * y), lo, hi))
/* Complex numbers: pairs of floats. */
NPU__FN void npu__mul_c64(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const float *a = (const float *)in[0], *b = (const float *)in[1];
    float       *o = (float *)out;
    (void)op;
    for (int64_t i = 0; i < n; i++, a += 2 * step[0], b += 2 * step[1], o += 2) {
        const float re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
        o[0] = re;
        o[1] = im;
    }
}
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__add_i64, NPU__ARITH_L, int64_t, int64_t, int64_t,
             npu__clamp64((int64_t)((uint64_t)x + (uint64_t)y), lo, hi))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__sub_i64, NPU__ARITH_L, int64_t, int64_t, int64_t,
             npu__clamp64((int64_t)((uint64_t)x - (uint64_t)y), lo, hi))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__mul_i64, NPU__ARITH_L, int64_t, int64_t, int64_t,
             npu__clamp64((int64_t)((uint64_t)x * (uint64_t)y), lo, hi))
NPU__EW_VEC_ROW2(npu__add_i16, NPU__ARITH_I, int16_t, int16_t, int16_t, npu__clamp32((int16_t)(x + y), lo, hi))
NPU__EW_VEC_ROW2(npu__mul_i16, NPU__ARITH_I, int16_t, int16_t, int16_t, npu__clamp32((int16_t)(x * y), lo, hi))
/* TFLite's quantized sums: both inputs in units of twice the larger scale, shifted left for precision (npu__q2_prepare),
 * rescaled once. Products only have their zero points taken off. */
#define NPU__ARITH_QUANT(name, kind)                                                                                             \
    NPU__FN void npu__##name##_q(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        npu__q2_row((const npu__ew *)op, &((const npu__arith *)op)->q, kind, in, out, n, step);             \
    }
NPU__ARITH_QUANT(add, NPU__Q_ADD)
NPU__ARITH_QUANT(sub, NPU__Q_SUB)
NPU__ARITH_QUANT(mul, NPU__Q_MUL)
#undef NPU__ARITH_QUANT
/* Power-of-two scales: one shift in place of three multiplications, with its own rounding. */
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__add_pot16, NPU__ARITH_POT, int16_t, int16_t, int16_t,
             npu__clamp32(npu__rdbpot(x, s0) + npu__rdbpot(y, s1), q.lo, q.hi))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__sub_pot16, NPU__ARITH_POT, int16_t, int16_t, int16_t,
             npu__clamp32(npu__rdbpot(x, s0) - npu__rdbpot(y, s1), q.lo, q.hi))

/* Clamp bounds for types that carry no quantization. */
NPU__FN npu_status npu__arith_bounds(npu__ctx *c, int32_t act, float f_max, int64_t i_min, int64_t i_max) {
    npu__arith *d = (npu__arith *)c->data;
    NPU__TRY(npu__act_range_f32(c, act, &d->f_lo, &d->f_hi));
    /* The type's own ends where the activation leaves them open: 65504 for half floats. */
    if (act == NPU__ACT_NONE) d->f_lo = -f_max;
    if (act == NPU__ACT_NONE || act == NPU__ACT_RELU) d->f_hi = f_max;
    d->i_lo = act == NPU__ACT_NONE ? i_min : act == NPU__ACT_RELU_N1_TO_1 ? NPU__MAX(-1, i_min) : 0;
    d->i_hi = act == NPU__ACT_RELU6 ? 6 : act == NPU__ACT_RELU_N1_TO_1 ? 1 : i_max;
    return NPU_OK;
}

/* int16 with power-of-two scales: at most one input is shifted, only to the right. *pot says whether that applies. */
NPU__FN npu_status npu__arith_prepare_pot(npu__ctx *c, int32_t flag, int *pot) {
    npu__arith *d = (npu__arith *)c->data;
    int32_t     in0, in1, out;
    *pot = flag && npu__checked_log2(npu__scale(c->in[0]), &in0) && npu__checked_log2(npu__scale(c->in[1]), &in1) &&
           npu__checked_log2(npu__scale(c->out[0]), &out);
    if (!*pot) return NPU_OK;
    d->right_shift[0] = out - in0;
    d->right_shift[1] = out - in1;
    if ((d->right_shift[0] != 0 && d->right_shift[1] != 0) || d->right_shift[0] < 0 || d->right_shift[1] < 0 ||
        d->right_shift[0] > 15 || d->right_shift[1] > 15) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "arithmetic.pot_scale",
                         "with pot_scale_int16 one input must have the output's scale and the other one at most it: "
                         "log2 of the scales are %d, %d -> %d", in0, in1, out);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__need_symmetric(npu__ctx *c, const npu__val *v, const char *what) {
    if (npu__zero_point(v) == 0) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.int16_zero_point", "an int16 %s must have zero point 0: got %d", what,
                     npu__zero_point(v));
}

NPU__FN npu_status npu__arith_symmetric(npu__ctx *c) {
    if (c->out[0]->type != NPU_INT16) return NPU_OK;
    NPU__TRY(npu__need_symmetric(c, c->in[0], "input 0"));
    NPU__TRY(npu__need_symmetric(c, c->in[1], "input 1"));
    return npu__need_symmetric(c, c->out[0], "output");
}

typedef struct npu__arith_rows {
    npu__ew_row f32, f32_fast;
    npu__ew_row f16, i32, u32, i64, i16, q, pot16; /* NULL: not supported */
} npu__arith_rows;

NPU__FN void npu__arith_sum8_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__arith *d = (const npu__arith *)op;
    d->ew.fast->sum8(&d->job.exact, (const uint8_t *)in[0], (const uint8_t *)in[1], (uint8_t *)out, n, step[0], step[1]);
}
NPU__FN void npu__arith_mul8_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__arith *d = (const npu__arith *)op;
    d->ew.fast->mul8(&d->job.exact, (const uint8_t *)in[0], (const uint8_t *)in[1], (uint8_t *)out, n, step[0], step[1]);
}

NPU__FN void npu__arith_sum_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__arith *d = (const npu__arith *)op;
    d->ew.bytes->sum(&d->job.fit, (const uint8_t *)in[0], (const uint8_t *)in[1], (uint8_t *)out, n, step[0], step[1]);
}
NPU__FN void npu__arith_product_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__arith *d = (const npu__arith *)op;
    d->ew.bytes->product(&d->job.fit, (const uint8_t *)in[0], (const uint8_t *)in[1], (uint8_t *)out, n, step[0], step[1]);
}

/* Finding the fast form takes about a tenth of a millisecond: elements from which on it pays, once and at every run. */
#define NPU__ARITH_FIT_ONCE 1024
#define NPU__ARITH_FIT_AGAIN 262144

NPU__FN int npu__arith_fits(const npu__ctx *c, const npu__sum8_job *exact, int product) {
    npu__arith *d = (npu__arith *)c->data;
    if (!d->ew.bytes->sum || d->ew.total < (npu__running(c) ? NPU__ARITH_FIT_AGAIN : NPU__ARITH_FIT_ONCE)) return 0;
    return product ? npu__bytes_product_of(exact, &d->job.fit) : npu__bytes_sum_of(exact, &d->job.fit);
}

/* Bytes on a kernel, where there is one; after npu__ew_prepare. */
NPU__FN void npu__arith_use_kernel(npu__ctx *c) {
    npu__arith   *d = (npu__arith *)c->data;
    const int     product = c->node->code == NPU__BUILTIN_MUL;
    npu__sum8_job exact;
    d->ew.by_table = 1;
    for (int32_t k = 0; k < 2; k++) {
        exact.offset[k] = d->q.offset[k];
        exact.mul[k] = d->q.mul[k];
    }
    exact.left_shift = d->q.left_shift;
    exact.is_signed = c->out[0]->type == NPU_INT8;
    exact.negate_b = c->node->code == NPU__BUILTIN_SUB;
    exact.out_mul = d->q.out_mul;
    exact.out = npu__i8_out_of(exact.is_signed, d->q.out_offset, d->q.lo, d->q.hi);
    if (npu__arith_fits(c, &exact, product)) {
        d->ew.row = product ? npu__arith_product_row : npu__arith_sum_row;
        d->ew.kernel = d->ew.bytes->name;
    } else {
        if (!d->ew.fast || !(product ? d->ew.fast->mul8 : d->ew.fast->sum8)) return;
        d->job.exact = exact;
        d->ew.row = product ? npu__arith_mul8_row : npu__arith_sum8_row;
        d->ew.kernel = d->ew.fast->name;
    }
    d->has_job = 1;
}

/* ADD and SUB on quantized types. */
NPU__FN npu_status npu__arith_prepare_sum(npu__ctx *c, const npu__arith_rows *rows, int32_t act, int32_t pot_flag,
                                          npu__ew_row *row) {
    npu__arith *d = (npu__arith *)c->data;
    int         pot = 0;
    /* TFLite shifts by 20 for bytes and by 15 for int16: with the doubling what fits into 32 bits. */
    NPU__TRY(npu__q2_prepare(c, &d->q, c->out[0]->type == NPU_INT16 ? 15 : 20));
    NPU__TRY(npu__act_range_q(c, act, c->out[0], &d->q.lo, &d->q.hi));
    NPU__TRY(npu__arith_symmetric(c));
    if (c->out[0]->type == NPU_INT16) NPU__TRY(npu__arith_prepare_pot(c, pot_flag, &pot));
    *row = pot ? rows->pot16 : rows->q;
    return NPU_OK;
}

NPU__FN npu_status npu__arith_prepare_product(npu__ctx *c, const npu__arith_rows *rows, int32_t act,
                                              npu__ew_row *row) {
    npu__arith *d = (npu__arith *)c->data;
    NPU__TRY(npu__q2_prepare(c, &d->q, 0)); /* for its checks and offsets */
    d->q.mul[0] = d->q.mul[1] = npu__q2_one();
    NPU__TRY(npu__act_range_q(c, act, c->out[0], &d->q.lo, &d->q.hi));
    NPU__TRY(npu__arith_symmetric(c));
    /* In float, as TFLite computes it, then widened. */
    d->q.out_mul = npu__qmul_of((double)(npu__scale(c->in[0]) * npu__scale(c->in[1]) / npu__scale(c->out[0])));
    *row = rows->q;
    return NPU_OK;
}

NPU__FN npu_status npu__arith_prepare(npu__ctx *c, const npu__arith_rows *rows, int32_t pot_flag) {
    const int32_t act = npu__fused_activation(c->node);
    const float f32_max = 3.402823466e+38f;
    npu__ew_row row = NULL;
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32: row = rows->f32; NPU__TRY(npu__arith_bounds(c, act, f32_max, 0, 0)); break;
    case NPU_FLOAT16: row = rows->f16; NPU__TRY(npu__arith_bounds(c, act, 65504.0f, 0, 0)); break;
    case NPU_INT32: row = rows->i32; NPU__TRY(npu__arith_bounds(c, act, 0, INT32_MIN, INT32_MAX)); break;
    case NPU_UINT32: row = rows->u32; NPU__TRY(npu__arith_bounds(c, act, 0, 0, UINT32_MAX)); break;
    case NPU_INT64: row = rows->i64; NPU__TRY(npu__arith_bounds(c, act, 0, INT64_MIN, INT64_MAX)); break;
    case NPU_INT16:
        if (!npu__has_quant(c->out[0]) && rows->i16) {
            row = rows->i16;
            NPU__TRY(npu__arith_bounds(c, act, 0, INT16_MIN, INT16_MAX));
            break;
        }
        /* fall through */
    case NPU_INT8:
    case NPU_UINT8:
        if (rows->pot16) NPU__TRY(npu__arith_prepare_sum(c, rows, act, pot_flag, &row));
        else NPU__TRY(npu__arith_prepare_product(c, rows, act, &row));
        break;
    default: break;
    }
    if (!row) return npu__fail_types(c);
    if (c->out[0]->type == NPU_FLOAT32) return npu__ew_prepare_fast(c, row, rows->f32_fast, 2);
    NPU__TRY(npu__ew_prepare_loops(c, row, 2));
    if (c->out[0]->type == NPU_INT8 || c->out[0]->type == NPU_UINT8) npu__arith_use_kernel(c);
    return NPU_OK;
}

/* 8 bits: two of the three multiplications depend on one input alone, so they come from tables. */
typedef struct npu__sum8 {
    npu__ew ew;
    npu__q2 q;
    int32_t scaled[2][256]; /* by the byte; input 1 negated for SUB */
} npu__sum8;

#define NPU__SUM8_LOCALS                                    \
    const int32_t *t0 = ((const npu__sum8 *)op)->scaled[0]; \
    const int32_t *t1 = ((const npu__sum8 *)op)->scaled[1]; \
    const npu__q2  q = ((const npu__sum8 *)op)->q
NPU__EW_VEC_ROW2(npu__sum8_row, NPU__SUM8_LOCALS, uint8_t, uint8_t, uint8_t, npu__q2_out(&q, t0[x] + t1[y]))
#undef NPU__SUM8_LOCALS

NPU__FN npu_status npu__add_sub_eval(npu__ctx *c) {
    const npu__arith *d = (const npu__arith *)c->data;
    const int32_t     type = c->out[0]->type, sign = c->node->code == NPU__BUILTIN_SUB ? -1 : 1;
    npu__sum8         sum;
    if (type != NPU_INT8 && type != NPU_UINT8) return npu__ew_eval(c);
    /* Filling the tables costs 512 multiplications: for less than that it does not pay. */
    if (d->has_job || d->ew.total < 1024) return npu__ew_eval(c);
    sum.ew = d->ew;
    sum.ew.row = npu__sum8_row;
    sum.q = d->q;
    for (int32_t i = 0; i < 256; i++) {
        int32_t v = type == NPU_INT8 && i > 127 ? i - 256 : i;
        sum.scaled[0][i] = npu__q2_in(&d->q, 0, v);
        sum.scaled[1][i] = sign * npu__q2_in(&d->q, 1, v);
    }
    return npu__ew_run(c, &sum.ew);
}

NPU__FN npu_status npu__add_prepare(npu__ctx *c) {
    static const npu__arith_rows rows = {npu__add_f32, npu__add_f32_fast, npu__add_f16, npu__add_i32, NULL,
                                         npu__add_i64, npu__add_i16, npu__add_q,
                                         npu__add_pot16};
    return npu__arith_prepare(c, &rows, NPU__OPTIONS(c->node, AddOptions)->pot_scale_int16);
}

NPU__FN npu_status npu__sub_prepare(npu__ctx *c) {
    static const npu__arith_rows rows = {npu__sub_f32, npu__sub_f32_fast, NULL, npu__sub_i32, NULL, npu__sub_i64,
                                         NULL, npu__sub_q, npu__sub_pot16};
    return npu__arith_prepare(c, &rows, NPU__OPTIONS(c->node, SubOptions)->pot_scale_int16);
}

NPU__FN npu_status npu__mul_prepare_c64(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    if (npu__fused_activation(c->node) == NPU__ACT_NONE) return npu__ew_prepare(c, npu__mul_c64, 2);
    return NPU__FAIL(c, NPU_UNSUPPORTED, "mul.complex_activation", "complex numbers have no fused activation: use NONE");
}

NPU__FN npu_status npu__mul_prepare(npu__ctx *c) {
    static const npu__arith_rows rows = {npu__mul_f32, npu__mul_f32_fast, npu__mul_f16, npu__mul_i32, npu__mul_u32,
                                         npu__mul_i64, npu__mul_i16, npu__mul_q, NULL};
    if (c->in[0]->type == NPU_COMPLEX64) return npu__mul_prepare_c64(c);
    return npu__arith_prepare(c, &rows, 0);
}

#undef NPU__ARITH_F
#undef NPU__ARITH_I
#undef NPU__ARITH_L
#undef NPU__ARITH_Q
#undef NPU__ARITH_POT

#define NPU__ARITH_FLAGS (NPU__OP_INPLACE0 | NPU__OP_INPLACE1 | NPU__OP_NAMES_KERNEL)
NPU__OPDEF(npu__op_add) = {2, 2, 1, 1, 0, NPU__ARITH_FLAGS, NPU__DATA(npu__arith),
                                       npu__infer_broadcast2, npu__add_prepare, NULL, npu__add_sub_eval, NULL};
NPU__OPDEF(npu__op_sub) = {2, 2, 1, 1, 0, NPU__ARITH_FLAGS, NPU__DATA(npu__arith),
                                       npu__infer_broadcast2, npu__sub_prepare, NULL, npu__add_sub_eval, NULL};
NPU__OPDEF(npu__op_mul) = {2, 2, 1, 1, 0, NPU__ARITH_FLAGS, NPU__DATA(npu__arith),
                                       npu__infer_broadcast2, npu__mul_prepare, NULL, npu__ew_eval, NULL};
#undef NPU__ARITH_FLAGS
