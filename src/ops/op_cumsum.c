/* CUMSUM: running sums along an axis. */
#include "move_util.h"

/* INT8 is tflite-micro's: sums in units of the input scale times 2^-20 times two. */
typedef struct npu__cumsum_data {
    int32_t   exclusive, reverse;
    npu__qmul in, out;
} npu__cumsum_data;

NPU__FN npu_status npu__cumsum_prepare(npu__ctx *c) {
    npu__cumsum_data *d = (npu__cumsum_data *)c->data;
    int32_t           t = c->in[0]->type;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    NPU__TRY(npu__need_type(c, c->in[1], "the axis", NPU_INT32));
    if (npu__elems(c->in[1]) != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.axis_size", "the axis must be one number: got %l",
                         npu__elems(c->in[1]));
    }
    d->exclusive = NPU__OPTIONS(c->node, CumsumOptions)->exclusive;
    d->reverse = NPU__OPTIONS(c->node, CumsumOptions)->reverse;
    if (t != c->out[0]->type) return npu__fail_types(c);
    if (t == NPU_INT8) {
        NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
        NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
        /* The steps of ADD (twice the larger scale, 20 bits up), with the input as both operands. */
        d->in = npu__qmul_of(0.5);
        d->out = npu__qmul_of(2.0 * (double)npu__scale(c->in[0]) / (1048576.0 * (double)npu__scale(c->out[0])));
        if (d->out.shift > 0) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "cumsum.scales",
                             "the output scale is too small for the input scale");
        }
        return NPU_OK;
    }
    return t == NPU_FLOAT32 || t == NPU_INT32 || t == NPU_INT64 ? NPU_OK : npu__fail_types(c);
}

/* One pass of `n` elements `step` apart, starting at `p` and `o`; *last: the sum before them, and with them. */
#define NPU__CUMSUM_LINE(name, type, ADD)                                                       \
    NPU__FN void name(const type *p, type *o, int64_t n, int64_t step, int exclusive, type *last) { \
        type sum = *last;                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                       \
            type next = ADD(sum, p[i * step]);                                                  \
            o[i * step] = exclusive ? sum : next;                                               \
            sum = next;                                                                         \
        }                                                                                       \
        *last = sum;                                                                            \
    }
#define NPU__CUMSUM_ADD(a, b) ((a) + (b))
#define NPU__CUMSUM_ADD32(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define NPU__CUMSUM_ADD64(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
NPU__CUMSUM_LINE(npu__cumsum_line_f32, float, NPU__CUMSUM_ADD)
NPU__CUMSUM_LINE(npu__cumsum_line_i32, int32_t, NPU__CUMSUM_ADD32)
NPU__CUMSUM_LINE(npu__cumsum_line_i64, int64_t, NPU__CUMSUM_ADD64)
#undef NPU__CUMSUM_LINE
#undef NPU__CUMSUM_ADD
#undef NPU__CUMSUM_ADD32
#undef NPU__CUMSUM_ADD64

NPU__FN void npu__cumsum_line_i8(const npu__ctx *c, int64_t at, int64_t n, int64_t step, int32_t *last) {
    const npu__cumsum_data *d = (const npu__cumsum_data *)c->data;
    int32_t  zero = npu__zero_point(c->in[0]);
    uint32_t sum = (uint32_t)*last;
    for (int64_t i = 0; i < n; i++) {
        int32_t  x = ((const int8_t *)c->in[0]->data)[at + i * step] - zero;
        int64_t  v;
        uint32_t next = sum + (uint32_t)npu__qmul_apply(npu__shl32(x, 20), d->in);
        v = (int64_t)npu__qmul_apply((int32_t)(d->exclusive ? sum : next), d->out) + npu__zero_point(c->out[0]);
        ((int8_t *)c->out[0]->data)[at + i * step] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
        sum = next;
    }
    *last = (int32_t)sum;
}

/* What a line has summed up so far. */
typedef union npu__cumsum_sum {
    float   f32;
    int32_t i32;
    int64_t i64;
} npu__cumsum_sum;

/* Elements at, at + step, ...: a part of a line. */
NPU__FN void npu__cumsum_some(const npu__ctx *c, int64_t at, int64_t n, int64_t step, npu__cumsum_sum *sum) {
    const int   exclusive = ((const npu__cumsum_data *)c->data)->exclusive;
    const void *in = c->in[0]->data;
    void       *out = c->out[0]->data;
    switch (c->in[0]->type) {
    case NPU_FLOAT32:
        npu__cumsum_line_f32((const float *)in + at, (float *)out + at, n, step, exclusive, &sum->f32);
        break;
    case NPU_INT32:
        npu__cumsum_line_i32((const int32_t *)in + at, (int32_t *)out + at, n, step, exclusive, &sum->i32);
        break;
    case NPU_INT64:
        npu__cumsum_line_i64((const int64_t *)in + at, (int64_t *)out + at, n, step, exclusive, &sum->i64);
        break;
    default: npu__cumsum_line_i8(c, at, n, step, &sum->i32); break;
    }
}

/* INT8 starts from minus the zero point, not from 0: that is what tflite-micro computes. */
NPU__FN void npu__cumsum_start(const npu__ctx *c, npu__cumsum_sum *sum) {
    memset(sum, 0, sizeof *sum);
    if (c->in[0]->type != NPU_INT8) return;
    sum->i32 = npu__qmul_apply(npu__shl32(-npu__zero_point(c->in[0]), 20), ((const npu__cumsum_data *)c->data)->in);
}

NPU__FN npu_status npu__cumsum_eval(npu__ctx *c) {
    const npu__cumsum_data *d = (const npu__cumsum_data *)c->data;
    const npu__val         *in = c->in[0];
    int32_t                 axis;
    int64_t                 inner, n, lines, done = 0;
    NPU__TRY(npu__axis_value(c, c->in[1], in->shape.rank, &axis));
    if (in->bytes == 0) return NPU_OK;
    n = in->shape.dims[axis];
    inner = npu__dims_product(&in->shape, axis + 1, in->shape.rank);
    lines = npu__elems(in) / n;
    for (int64_t i = 0; i < lines; i++) {
        int64_t         at = i / inner * n * inner + i % inner, step = inner;
        npu__cumsum_sum sum;
        /* The same walk from the other end: a negative step. */
        if (d->reverse) {
            at += (n - 1) * inner;
            step = -inner;
        }
        npu__cumsum_start(c, &sum);
        for (int64_t k = 0; k < n; k += NPU__POLL_STEPS) {
            int64_t some = NPU__MIN(n - k, (int64_t)NPU__POLL_STEPS);
            npu__cumsum_some(c, at + k * step, some, step, &sum);
            NPU__POLL_PASS(c, done, some);
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_cumsum) = {2, 2, 1, 1, 0, 0, NPU__DATA(npu__cumsum_data), npu__infer_same_as_in0,
                                          npu__cumsum_prepare, NULL, npu__cumsum_eval, NULL};
