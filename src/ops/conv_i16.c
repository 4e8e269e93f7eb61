/* Convolutions of int16 activations on the kernels for int8: an activation is 256 * high + low + 128 with bytes high and low, each
 * plane of bytes is summed on its own, exactly, and the output stage puts the sums together in 64 bits. */
#include "conv_fast.h"
#include "conv_util.h"

#define NPU__I16_DEPTH 65536 /* sums of that many products of bytes fit into 32 bits */
#define NPU__I16_GRAIN 65536

NPU__FN int npu__conv_i16_fits(const npu__conv_data *d) { return d->fast.k <= NPU__I16_DEPTH; }

NPU__FN npu_status npu__conv_i16_prepare(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    d->in_slot = npu__want_scratch(c, c->in[0]->bytes);
    f->sums_slot = npu__want_packed(c, (size_t)d->g.out_c * sizeof(int64_t));
    f->less_slot = -1;
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

NPU__FN void npu__i16_store(const npu__ctx *c, const npu__conv_data *d, int32_t first, int32_t cols, int32_t rows,
                            const int32_t *high, const int32_t *low, size_t sums_stride, int16_t *out, size_t out_stride) {
    const int64_t *base = (const int64_t *)npu__slot(c, d->fast.sums_slot) + first;
    npu__ref_out   q;
    q.mul = npu__conv_qmuls(c, d);
    q.mul_step = d->mul_slot >= 0;
    q.zp = d->out_zp;
    q.lo = d->q_lo;
    q.hi = d->q_hi;
    for (int32_t r = 0; r < rows; r++, high += sums_stride, low += sums_stride, out += out_stride) {
        for (int32_t i = 0; i < cols; i++) {
            const int64_t v = npu__wrap_add64((int64_t)high[i] * 256 + low[i], base[i]);
            out[i] = (int16_t)(d->acc64 ? npu__ref_out64(&q, first + i, v) : npu__ref_out32(&q, first + i, (int32_t)v));
        }
    }
}

NPU__SPEED_END

NPU__FN void npu__conv_i16_start(npu__ctx *c, const npu__conv_data *d) {
    npu__conv_split s;
    s.in = (const int16_t *)c->in[0]->data;
    s.planes = (uint8_t *)npu__slot(c, d->in_slot);
    s.n = npu__elems(c->in[0]);
    npu__parallel(c, s.n, NPU__I16_GRAIN, npu__conv_i16_split, &s);
}
