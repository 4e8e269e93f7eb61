/* Convolutions of int16 activations on the kernels for int8: an activation is 256 * high + low + 128 with bytes high and low, each
 * plane of bytes is summed on its own, exactly, and the output stage puts the sums together in 64 bits. */
#include "conv_fast.h"
#include "conv_util.h"

#define NPU__I16_DEPTH 65536 /* sums of that many products of bytes fit into 32 bits */
#define NPU__I16_GRAIN 65536
#define NPU__I16_ROWS 32 /* of sums that wait for their output stage, on the stack */
#define NPU__I16_COLS 32 /* of the widest panel */

NPU__FN int npu__conv_i16_fits(const npu__conv_data *d) {
    return d->fast.k <= NPU__I16_DEPTH && (!d->fast.gemm_i8 || d->fast.gemm_i8->nr <= NPU__I16_COLS);
}

NPU__FN npu_status npu__conv_i16_prepare(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    d->in_slot = npu__want_scratch(c, c->in[0]->bytes);
    f->sums_slot = npu__want_packed(c, (size_t)d->g.out_c * sizeof(int64_t));
    return d->in_slot < 0 || f->sums_slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* What is added to each output's sums: its bias, and 128 times the sum of its weights. */
NPU__FN void npu__conv_i16_pack(npu__ctx *c, const npu__conv_data *d, const int8_t *w, const void *bias) {
    const size_t outs = (size_t)d->g.out_c;
    int64_t     *base = (int64_t *)npu__slot(c, d->fast.sums_slot);
    for (size_t n = 0; n < outs; n++) {
        const int64_t b = !bias ? 0 : d->acc64 ? ((const int64_t *)bias)[n] : ((const int32_t *)bias)[n];
        base[n] = npu__wrap_add64((int64_t)npu__conv_weight_sum(d, w, n) * 128, b);
    }
}

NPU__SPEED_BEGIN

/* High bytes, then low ones. */
NPU__FN void npu__conv_i16_split(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_split *s = (const npu__conv_split *)arg;
    uint8_t               *high = s->planes, *low = s->planes + s->n;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const uint32_t v = (uint32_t)s->in[i];
        high[i] = (uint8_t)(v >> 8);
        low[i] = (uint8_t)(v ^ 0x80u); /* less 128 */
    }
}

/* Eight columns' constants, so that the loop over rows has no branch: npu__qmul_apply64, taken apart. */
typedef struct npu__i16_cols {
    int64_t base[8], round[8];
    int32_t mul[8], shift[8];
} npu__i16_cols;

/* False where a scale is so absurd that it takes one of the other ways of npu__qmul_apply64. */
NPU__FN int npu__i16_cols_of(npu__i16_cols *k, const int64_t *base, const npu__qmul *mul, int32_t step) {
    for (int32_t i = 0; i < 8; i++, mul += step) {
        const int32_t total = 15 - mul->shift;
        if (total < 1 || total > 62) return 0;
        k->base[i] = base[i];
        k->round[i] = (int64_t)1 << (total - 1);
        k->mul[i] = mul->multiplier < 0x7FFF0000 ? (mul->multiplier + (1 << 15)) >> 16 : 0x7FFF;
        k->shift[i] = total;
    }
    return 1;
}

NPU__INLINE int64_t npu__i16_sum(int32_t high, int32_t low, int64_t base) {
    return npu__wrap_add64((int64_t)high * 256 + low, base);
}

NPU__FN void npu__i16_store(const npu__ctx *c, const npu__conv_data *d, int32_t first, int32_t cols, int32_t rows,
                            const int32_t *high, const int32_t *low, size_t sums_stride, int16_t *out, size_t out_stride) {
    const int64_t *base = (const int64_t *)npu__slot(c, d->fast.sums_slot) + first;
    const int32_t  lo = d->q_lo, hi = d->q_hi;
    int32_t        n;
    npu__ref_out   q;
    npu__i16_cols  k;
    q.mul = npu__conv_qmuls(c, d);
    q.mul_step = d->mul_slot >= 0;
    q.zp = 0; /* as prepare demands */
    q.lo = lo;
    q.hi = hi;
    for (int32_t at = 0; at < cols; at += n, base += n) {
        const int32_t channel = first + at;
        const int     eight = d->acc64 && cols - at >= 8 && npu__i16_cols_of(&k, base, q.mul + (q.mul_step ? channel : 0), q.mul_step);
        n = NPU__MIN(cols - at, 8);
        for (int32_t r = 0; r < rows; r++) {
            const int32_t *h = high + (size_t)r * sums_stride + at, *l = low + (size_t)r * sums_stride + at;
            int16_t       *to = out + (size_t)r * out_stride + at;
            if (eight) {
                for (int32_t i = 0; i < 8; i++) {
                    const uint64_t x = (uint64_t)npu__i16_sum(h[i], l[i], k.base[i]) * (uint64_t)(int64_t)k.mul[i];
                    const int32_t  v = (int32_t)((int64_t)(x + (uint64_t)k.round[i]) >> k.shift[i]);
                    to[i] = (int16_t)npu__clamp32(v, lo, hi);
                }
                continue;
            }
            for (int32_t i = 0; i < n; i++) {
                const int64_t v = npu__i16_sum(h[i], l[i], base[i]);
                to[i] = (int16_t)(d->acc64 ? npu__ref_out64(&q, channel + i, v) : npu__ref_out32(&q, channel + i, (int32_t)v));
            }
        }
    }
}

NPU__SPEED_END

NPU__FN void npu__conv_i16_block(const npu__ctx *c, const npu__conv_data *d, const npu__conv_rows *rows, const uint8_t *packed,
                                 int32_t group, size_t pixel) {
    const npu__conv_fast      *f = &d->fast;
    const npu__gemm_i8_kernel *kern = f->gemm_i8;
    const size_t               outs = (size_t)d->g.out_c, nr = (size_t)kern->nr;
    size_t                     panel = 0;
    int32_t                    sums[2][NPU__I16_ROWS * NPU__I16_COLS], adds[NPU__I16_ROWS];
    npu__gemm_i8_job           job;
    (void)npu__gemm_i8_packed_bytes(kern, 1, f->segments, f->run, &panel);
    memset(adds, 0, sizeof adds);
    job.row_add = adds;
    job.out = npu__i8_out_of(1, 0, -128, 127);
    job.out.raw = 1;
    job.out_stride = nr * sizeof(int32_t);
    for (int32_t j = 0; j < f->n; j += kern->nr, packed += panel) {
        const int32_t cols = NPU__MIN(f->n - j, kern->nr), first = group * f->n + j;
        for (int32_t r = 0; r < rows->m; r += job.m) {
            job.m = NPU__MIN(rows->m - r, NPU__I16_ROWS);
            for (int32_t p = 0; p < 2; p++) {
                job.a = rows[p].a;
                if (job.a.rows) job.a.rows += r;
                else job.a.a += (size_t)r * job.a.stride;
                kern->run(&job, packed, cols, (uint8_t *)(void *)sums[p]);
            }
            npu__i16_store(c, d, first, cols, job.m, sums[0], sums[1], nr,
                           (int16_t *)c->out[0]->data + (pixel + (size_t)r) * outs + (size_t)first, outs);
        }
    }
}

NPU__FN void npu__conv_i16_start(npu__ctx *c, const npu__conv_data *d) {
    npu__conv_split s;
    s.in = (const int16_t *)c->in[0]->data;
    s.planes = (uint8_t *)npu__slot(c, d->in_slot);
    s.n = npu__elems(c->in[0]);
    npu__parallel(c, s.n, NPU__I16_GRAIN, npu__conv_i16_split, &s);
}
