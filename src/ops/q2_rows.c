/* Rows of quantized integers, in blocks. */
#include "q2_rows.h"

NPU__FN void npu__q2_load(const npu__q_loops *loops, int32_t type, const void *in, int32_t step, int32_t m, int32_t offset, int32_t *x) {
    loops->widen[npu__q_type(type)](in, step, m, offset, 0, x);
}
NPU__FN void npu__q2_store(const npu__q_loops *loops, int32_t type, const int32_t *x, int32_t m, int32_t offset, int32_t lo, int32_t hi,
                           void *out) {
    loops->narrow[npu__q_type(type)](x, m, offset, lo, hi, out);
}

NPU__FN void npu__q1_row(const npu__ew *w, const npu__q1 *q, const void *in, void *out, int64_t n) {
    const npu__q_loops *loops = npu__ew_q_loops(w);
    const uint8_t       *a = (const uint8_t *)in;
    uint8_t             *o = (uint8_t *)out;
    int32_t              x[NPU__Q_BLOCK];
    memset(x, 0, sizeof x);
    for (; n > 0; n -= NPU__Q_BLOCK) {
        const int32_t m = (int32_t)NPU__MIN(n, (int64_t)NPU__Q_BLOCK);
        npu__q2_load(loops, q->in_type, a, 1, m, (int32_t)-(uint32_t)q->in_zp, x);
        loops->scale(q->mul, x);
        npu__q2_store(loops, q->out_type, x, m, q->out_zp, q->lo, q->hi, o);
        a += (size_t)NPU__Q_BLOCK * (size_t)w->in_bytes[0];
        o += (size_t)NPU__Q_BLOCK * (size_t)w->out_bytes;
    }
}

/* Both inputs from one row on, a block at a time. */
typedef struct npu__q2_walk {
    const npu__q_loops *loops;
    const uint8_t       *at[2];
    int32_t              x[2][NPU__Q_BLOCK];
} npu__q2_walk;

NPU__FN void npu__q2_next(npu__q2_walk *k, const npu__ew *w, const npu__q2 *q, int32_t m, const int32_t *step, int first) {
    for (int32_t i = 0; i < 2; i++) {
        if (!first && !step[i]) continue; /* one element, which fills the block */
        k->loops->widen[npu__q_type(q->type[i])](k->at[i], step[i], m, q->offset[i], q->left_shift, k->x[i]);
        if (q->mul[i].multiplier != 1 << 30 || q->mul[i].shift != 1) k->loops->scale(q->mul[i], k->x[i]);
        k->at[i] += (size_t)step[i] * NPU__Q_BLOCK * (size_t)w->in_bytes[i];
    }
}
NPU__FN void npu__q2_begin(npu__q2_walk *k, const npu__ew *w, const void *const *in) {
    k->loops = npu__ew_q_loops(w);
    memset(k->x, 0, sizeof k->x);
    for (int32_t i = 0; i < 2; i++) k->at[i] = (const uint8_t *)in[i];
}

NPU__FN void npu__q2_row(const npu__ew *w, const npu__q2 *q, int32_t kind, const void *const *in, void *out, int64_t n,
                         const int32_t *step) {
    npu__q2_walk k;
    uint8_t     *o = (uint8_t *)out;
    int32_t      y[NPU__Q_BLOCK];
    npu__q2_begin(&k, w, in);
    for (int64_t i = 0; i < n; i += NPU__Q_BLOCK, o += (size_t)NPU__Q_BLOCK * (size_t)w->out_bytes) {
        const int32_t m = (int32_t)NPU__MIN(n - i, (int64_t)NPU__Q_BLOCK);
        npu__q2_next(&k, w, q, m, step, i == 0);
        k.loops->combine[kind](k.x[0], k.x[1], y);
        k.loops->scale(q->out_mul, y);
        k.loops->narrow[npu__q_type(q->out_type)](y, m, q->out_offset, q->lo, q->hi, o);
    }
}

NPU__FN void npu__q2_compare_row(const npu__ew *w, const npu__q2 *q, npu__ew_row plain, const void *const *in, void *out, int64_t n,
                                 const int32_t *step) {
    static const int32_t both[NPU__EW_MAX_IN] = {1, 1, 1};
    npu__q2_walk         k;
    const void          *x[2];
    uint8_t             *o = (uint8_t *)out;
    npu__q2_begin(&k, w, in);
    x[0] = k.x[0];
    x[1] = k.x[1];
    for (int64_t i = 0; i < n; i += NPU__Q_BLOCK, o += NPU__Q_BLOCK) {
        const int32_t m = (int32_t)NPU__MIN(n - i, (int64_t)NPU__Q_BLOCK);
        npu__q2_next(&k, w, q, m, step, i == 0);
        plain(w, x, o, m, both);
    }
}
