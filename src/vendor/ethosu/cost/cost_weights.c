/* Size of a coded weight stream, estimated from the values.
 *
 * The stream holds Golomb-Rice codes of table indices: frequent values come first in a table of up to 32, others follow
 * by magnitude; zeros may be coded apart, as run lengths. The estimate counts values and adds up the lengths of their
 * codes under the best parameters, one choice for every few output channels as the stream may change them; it does not
 * search for better places to change, and headers and what is left at the ends of pieces of a stream count as a share of codes of
 * different lengths. Positions
 * that the block traversal pads are zeros. */
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum { NPU__COST_VALUES = 512, NPU__COST_TABLE = 32, NPU__COST_GROUP = 16 };

#define NPU__COST_WASTE 1.065 /* bits taken for each that codes of very different lengths need */

/* 0, -1, 1, -2, 2 ...: the order of indices outside of the table. */
NPU__FN int64_t npu__cost_fold(int64_t v) { return v > 0 ? 2 * v : v < 0 ? -2 * v - 1 : 0; }

/* rank[folded value] = index in the stream: the `most` most frequent values first, the others by magnitude. */
NPU__FN void npu__cost_rank(const int64_t *count, int32_t with_zero, int32_t most, int32_t *rank) {
    int32_t n = 0, lowest = NPU__COST_VALUES, place[NPU__COST_VALUES];
    memset(place, 0, sizeof place);
    for (; n < most; n++) {
        int32_t best = -1;
        for (int32_t v = !with_zero; v < NPU__COST_VALUES; v++) {
            if (!place[v] && count[v] > 0 && (best < 0 || count[v] > count[best])) best = v;
        }
        if (best < 0) break;
        place[best] = n + 1;
    }
    for (int32_t v = NPU__COST_VALUES; v-- > !with_zero;) {
        if (count[v] > 0 && !place[v]) lowest = v;
    }
    for (int32_t v = 0; v < NPU__COST_VALUES; v++) {
        rank[v] = place[v] ? place[v] - 1 : n + NPU__MAX(v - lowest, 0);
    }
}

/* Bits of `count` values under the best of the code's parameters. */
NPU__FN double npu__cost_code(const int64_t *count, const int32_t *rank, int32_t with_zero) {
    double  best = HUGE_VAL, plain;
    int64_t n = 0;
    int32_t top = 0, width = 0;
    for (int32_t v = !with_zero; v < NPU__COST_VALUES; v++) {
        n += count[v];
        if (count[v] > 0) top = NPU__MAX(top, rank[v]);
    }
    while ((1 << width) <= top) width++;
    plain = (double)n * NPU__MAX(width, 2);
    for (int32_t k = 0; k < 6; k++) {
        double bits = (double)n * (k + 1);
        for (int32_t v = !with_zero; v < NPU__COST_VALUES; v++) {
            int32_t q = rank[v] >> k;
            bits += (double)count[v] * (top >> k <= 2 ? NPU__MIN(q, 1) : q); /* short quotients need no end mark */
        }
        best = NPU__MIN(best, top >> k <= 2 ? bits : bits * NPU__COST_WASTE);
    }
    return NPU__MIN(best, plain);
}

/* Bits of the runs between `values`, when `zeros` of them lie anywhere and `padding` in blocks of eight or more. */
NPU__FN double npu__cost_runs(double values, double zeros, double padding) {
    double q = values + zeros > 0 ? zeros / (values + zeros) : 0, best = HUGE_VAL;
    for (int32_t k = 0; k < 4; k++) {
        double tail = pow(q, (double)(1 << k));
        double bits = values * (1 + k) + (tail < 1 ? values * tail / (1 - tail) : 0) + padding / (1 << k);
        best = NPU__MIN(best, bits);
    }
    return best;
}

/* Weights of a stream whose dimensions are rounded up as the traversal asks. */
NPU__FN int64_t npu__cost_padded(const npu__cost_weights *w) {
    int64_t outputs = ((int64_t)w->outputs + w->block_d - 1) / w->block_d * w->block_d;
    int64_t channels = ((int64_t)w->channels + w->channel_step - 1) / w->channel_step * w->channel_step;
    return outputs * channels * w->steps * (w->kernel_step + w->between);
}

/* Counts the values of output channels [from, to). */
NPU__FN void npu__cost_count(const npu__cost_weights *w, int32_t from, int32_t to, int64_t *count) {
    int64_t inner = (int64_t)w->kernel * w->channels;
    memset(count, 0, NPU__COST_VALUES * sizeof *count);
    for (int64_t i = 0; i < inner * (to - from); i++) {
        int64_t at = w->last ? i / (to - from) * w->outputs + from + i % (to - from) : from * inner + i;
        int32_t v = w->is_signed ? (int32_t)(int8_t)w->data[at] : (int32_t)w->data[at];
        int64_t f = npu__cost_fold((int64_t)v - w->zero_point);
        count[NPU__MIN(f, (int64_t)NPU__COST_VALUES - 1)]++;
    }
}

/* Bits of all weights, zeros among them or as runs, with a table of up to `most` values. */
NPU__FN double npu__cost_stream(const npu__cost_weights *w, const int64_t *all, double padding, int32_t with_zero,
                                int32_t most) {
    int64_t count[NPU__COST_VALUES], zeros = all[0], n = 0;
    int32_t rank[NPU__COST_VALUES], group = NPU__MAX(NPU__COST_GROUP, w->outputs / 64);
    double  bits = 0;
    npu__cost_rank(all, with_zero, most, rank);
    for (int32_t v = 0; v < NPU__COST_VALUES; v++) n += all[v];
    for (int32_t from = 0; from < w->outputs; from += group) {
        int32_t to = NPU__MIN(w->outputs - from, group) + from;
        npu__cost_count(w, from, to, count);
        count[0] += (int64_t)(padding * (to - from) / w->outputs);
        bits += npu__cost_code(count, rank, with_zero);
    }
    return with_zero ? bits : bits + NPU__COST_WASTE * npu__cost_runs((double)(n - zeros), (double)zeros, padding);
}

NPU__FN int npu__cost_weights_sparse(const npu__cost_weights *w) {
    int64_t rows = (int64_t)w->outputs * w->kernel;
    if (w->last && w->channels > 1) return 0;
    for (int64_t r = 0; r < rows && w->channels > 2; r++) {
        int32_t used = 0;
        for (int32_t c = 0; c < w->channels; c++) {
            int64_t at = r * w->channels + c;
            int64_t v = (w->is_signed ? (int64_t)(int8_t)w->data[at] : (int64_t)w->data[at]) - w->zero_point; /* any number */
            if (c % 4 == 0) used = 0;
            if ((used += v != 0) > 2 || v < -127 || v > 127) return 0;
        }
    }
    return 1;
}

NPU__FN int64_t npu__cost_weight_bytes(npu__cost_weights *w) {
    int64_t all[NPU__COST_VALUES], n = 0;
    double  best = HUGE_VAL, padding;
    npu__cost_count(w, 0, w->outputs, all);
    w->distinct = 0;
    for (int32_t v = 0; v < NPU__COST_VALUES; v++) {
        n += all[v];
        w->distinct += all[v] > 0;
    }
    w->padded = npu__cost_padded(w);
    w->zeros = all[0] + w->padded - n;
    w->distinct += all[0] == 0 && w->zeros > 0;
    padding = (double)(w->padded - n);
    for (int32_t way = 0; way < 4; way++) {
        double bits = npu__cost_stream(w, all, padding, way & 1, way & 2 ? NPU__COST_TABLE : 0);
        best = NPU__MIN(best, bits);
    }
    return (int64_t)(best / 8) + 32;
}

#undef NPU__COST_WASTE

NPU__FN int64_t npu__cost_stored_weights(const npu__cost_system *s, const npu__cost_weights *w, int64_t coded) {
    int32_t where = s->model_in_sram ? NPU__COST_SRAM : NPU__COST_STORE;
    int64_t bytes = 32 + w->padded / (w->distinct > 16 ? 1 : w->distinct > 4 ? 2 : 4);
    double  zeros = NPU__MIN(NPU__MAX((double)w->zeros / (double)NPU__MAX(w->padded, 1), 0.5), 0.9), slow, fast;
    if (s->machine.n_shapes < 1 || w->depthwise) return coded;
    /* many zeros are decoded faster; what is not coded comes 32 weights at a time, or 64 from a table of 16 */
    slow = (double)w->padded / (double)((int32_t)(8 + (zeros - 0.5) * 60) * s->machine.decoders);
    slow = NPU__MAX(slow, npu__cost_read_cycles(s, where, NPU__COST_WEIGHTS, (double)coded));
    fast = (double)w->padded / (w->distinct < 16 ? 64 : 32);
    fast = NPU__MAX(fast, npu__cost_read_cycles(s, where, NPU__COST_FAST_WEIGHTS, (double)bytes));
    return floor(fast) < floor(slow) ? bytes : coded;
}

#endif
