/* The LSTM cell in integers, tflite-micro's way: int8 data without intermediates, or int16 data (both
 * with int8 weights and an int16 cell state). No variants. Each product is scaled and saturated on its own; logistic
 * and tanh come from the int16 table. */
#include "../base/fixed16.h"
#include "../kernels/gates.h"
#include "lstm.h"
#include "../base/sigmoid_table.h"
NPU__SPEED_BEGIN

typedef struct npu__lstm_micro_run {
    npu__ctx        *c;
    const npu__lstm *d;
    int16_t         *gate[4];
    int32_t          cell_multiplier, cell_shift; /* table steps of the cell state */
    int              wide;                        /* int16 data, then ... */
    const int16_t   *v;                           /* ... the vector stays as it is */
    npu__matvec      mv;
    const npu__gates *fast;
} npu__lstm_micro_run;

NPU__FN npu_status npu__lstm_micro_prepare(npu__ctx *c, npu__lstm *d) {
    const npu__val *x = npu__lstm_in(c, d, NPU__LSTM_X), *h = npu__lstm_in(c, d, NPU__LSTM_H);
    double          q15 = 1.0 / 32768.0, cell_scale, clip;
    if (d->cifg || d->peephole || d->projection || d->layer_norm || d->activation != NPU__ACT_TANH) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.variant",
                         "int16 data, or int8 data without 5 intermediate tensors, allow no CIFG, peephole, "
                         "projection or layer norm, and TANH only");
    }
    NPU__TRY(npu__need_quant(c, x, "input"));
    NPU__TRY(npu__need_quant(c, h, "output state"));
    for (int i = NPU__LSTM_W; i < NPU__LSTM_PEEP_IN; i++) NPU__TRY(npu__lstm_need_weight_quant(c, d, i));
    NPU__TRY(npu__lstm_cell_scale(c, d, -24, 0));
    for (int g = 0; g < 4; g++) {
        /* The product of the scales in float, then to Q3.12, as tflite-micro prepares them. */
        d->w_mul[g] = npu__qmul_of((double)(npu__scale(x) * npu__scale(npu__lstm_in(c, d, NPU__LSTM_W + g))) * 4096.0);
        d->r_mul[g] = npu__qmul_of((double)(npu__scale(h) * npu__scale(npu__lstm_in(c, d, NPU__LSTM_R + g))) * 4096.0);
    }
    cell_scale = (double)npu__scale(npu__lstm_in(c, d, NPU__LSTM_C));
    d->forget_mul = npu__qmul_of(q15 * cell_scale / cell_scale);
    d->update_mul = npu__qmul_of(q15 * q15 / cell_scale);
    d->hidden_mul = npu__qmul_of(q15 * q15 / (double)npu__scale(h));
    d->x_zp = npu__zero_point(x);
    d->h_zp = npu__zero_point(h);
    clip = (double)d->cell_clip / cell_scale;
    /* Truncated, not rounded, and never beyond int16. */
    d->q_cell_clip = clip < 32767.0 ? (int32_t)clip : 32767;
    d->kernel = npu__matvec_name(c, 1);
    return npu__lstm_scratch(c, d, sizeof(int16_t));
}

#define NPU__MICRO_ROWS 64
#define NPU__MICRO_DEPTH 496 /* products of int16 and int8 whose sum fits 32 bits */

/* sums[r] += w[r] . (v - zp), int16 data: in pieces that fit 32 bits. */
NPU__FN void npu__lstm_micro_wide(npu__lstm_micro_run *run, const int8_t *w, int32_t rows, uint64_t *sums) {
    const int32_t    n = run->mv.n;
    int32_t          part[NPU__MICRO_ROWS];
    npu__gemv_i8_job job;
    if (!run->mv.i8 || run->mv.zp != 0) {
        for (int32_t r = 0; r < rows; r++) {
            for (int32_t k = 0; k < n; k++) sums[r] += (uint64_t)(int64_t)(*w++ * (run->v[k] - run->mv.zp));
        }
        return;
    }
    memset(&job, 0, sizeof job);
    job.w_stride = (size_t)n;
    job.w_signed = 1;
    for (int32_t at = 0; at < n; at += NPU__MICRO_DEPTH) {
        job.a = run->v + at;
        job.w = (const uint8_t *)w + at;
        job.k = NPU__MIN(n - at, (int32_t)NPU__MICRO_DEPTH);
        run->mv.i8->run(&job, 0, rows, part);
        for (int32_t r = 0; r < rows; r++) sums[r] += (uint64_t)(int64_t)part[r];
    }
}

/* gate[i] = sat16(gate[i] + sat16(scaled(w[i] . (v - zp) + bias[i]))); v has run->n values */
NPU__FN void npu__lstm_micro_add(npu__lstm_micro_run *run, int32_t w_input, int32_t bias_input, npu__qmul mul,
                                 int16_t *gate) {
    const int8_t  *w = (const int8_t *)npu__lstm_data(run->c, run->d, w_input);
    const void    *bias = npu__lstm_data(run->c, run->d, bias_input);
    const int32_t *sums = run->wide ? NULL : npu__matvec_i8(&run->mv, w, (const int32_t *)bias, run->d->n_cell);
    if (sums) {
        run->fast->add(sums, mul, 1, gate, run->d->n_cell);
        return;
    }
    for (int32_t at = 0; at < run->d->n_cell; at += NPU__MICRO_ROWS) {
        const int32_t rows = NPU__MIN(run->d->n_cell - at, (int32_t)NPU__MICRO_ROWS);
        uint64_t      wide[NPU__MICRO_ROWS];
        /* Unsigned: hostile sizes may overflow 64 bits, which then wraps instead of being undefined. */
        for (int32_t i = 0; i < rows; i++) wide[i] = bias ? (uint64_t)((const int64_t *)bias)[at + i] : 0u;
        npu__lstm_micro_wide(run, w + (size_t)at * (size_t)run->mv.n, rows, wide);
        for (int32_t i = 0; i < rows; i++) {
            gate[at + i] = npu__sat16(npu__sat16(npu__qmul_apply64((int64_t)wide[i], mul)) + gate[at + i]);
        }
    }
}

/* The vector of the products that follow. */
NPU__FN void npu__lstm_micro_row(npu__lstm_micro_run *run, const void *v, int32_t row, int32_t n, int32_t zp) {
    if (!run->wide) {
        npu__matvec_stage(&run->mv, (const int8_t *)v + (int64_t)row * n, n, zp);
        return;
    }
    run->v = (const int16_t *)v + (int64_t)row * n;
    run->mv.n = n;
    run->mv.zp = zp;
}

/* All gates of one batch entry. */
NPU__FN void npu__lstm_micro_gates(npu__lstm_micro_run *run, const void *x, const void *h, int32_t row) {
    const npu__lstm *d = run->d;
    int64_t          at = (int64_t)row * d->n_cell;
    npu__lstm_micro_row(run, x, row, d->n_x, d->x_zp);
    for (int g = 0; g < 4; g++) {
        memset(run->gate[g] + at, 0, (size_t)d->n_cell * sizeof(int16_t));
        npu__lstm_micro_add(run, NPU__LSTM_W + g, NPU__LSTM_BIAS + g, d->w_mul[g], run->gate[g] + at);
    }
    npu__lstm_micro_row(run, h, row, d->n_h, d->h_zp);
    for (int g = 0; g < 4; g++) {
        int16_t *gate = run->gate[g] + at;
        npu__lstm_micro_add(run, NPU__LSTM_R + g, -1, d->r_mul[g], gate);
        for (int32_t i = 0; i < d->n_cell; i++) {
            gate[i] = g == NPU__GATE_CELL ? npu__tanh_one16(gate[i], 3, 0) : npu__logistic_one16(gate[i], 3, 0);
        }
    }
}

NPU__FN void npu__lstm_micro_cell(npu__lstm_micro_run *run, int16_t *cell, int64_t n) {
    const npu__lstm *d = run->d;
    for (int64_t i = 0; i < n; i++) {
        int32_t kept = (int32_t)run->gate[NPU__GATE_FORGET][i] * cell[i];
        int32_t added = (int32_t)run->gate[NPU__GATE_IN][i] * run->gate[NPU__GATE_CELL][i];
        int32_t sum = npu__sat16(npu__qmul_apply(kept, d->forget_mul));
        sum = npu__sat16(sum + npu__sat16(npu__qmul_apply(added, d->update_mul)));
        cell[i] = (int16_t)(d->cell_clip > 0.0f ? npu__clamp32(sum, -d->q_cell_clip, d->q_cell_clip) : sum);
    }
}

NPU__FN void npu__lstm_micro_step(void *arg, const void *x, const void *aux, void *h, void *cell, int32_t rows) {
    npu__lstm_micro_run *run = (npu__lstm_micro_run *)arg;
    const npu__lstm     *d = run->d;
    int16_t             *state = (int16_t *)cell;
    int64_t              n = (int64_t)rows * d->n_cell;
    (void)aux;
    for (int32_t b = 0; b < rows; b++) npu__lstm_micro_gates(run, x, h, b);
    npu__lstm_micro_cell(run, state, n);
    for (int64_t i = 0; i < n; i++) {
        int32_t y = npu__tanh_one16(state[i], run->cell_multiplier, run->cell_shift) * run->gate[NPU__GATE_OUT][i];
        y = (int32_t)((uint32_t)npu__qmul_apply(y, d->hidden_mul) + (uint32_t)d->h_zp);
        if (run->wide) ((int16_t *)h)[i] = npu__sat16(y);
        else ((int8_t *)h)[i] = (int8_t)npu__clamp32(y, -128, 127);
    }
}

NPU__FN npu_status npu__lstm_micro_eval(npu__ctx *c, const npu__lstm *d) {
    npu__lstm_micro_run run;
    /* The table wants 1 / (3 * 4096): a cell scale of 2^-12 is a factor of 3, coarser ones are shifted up, finer ones down. */
    int                 left = 12 + d->cell_log2;
    run.c = c;
    run.d = d;
    run.fast = npu__gates_select(npu__ctx_isa(c));
    run.wide = npu__lstm_in(c, d, NPU__LSTM_X)->type == NPU_INT16;
    run.cell_multiplier = left > 0 ? 3 * (1 << left) : 3;
    run.cell_shift = left > 0 ? 0 : -left;
    for (int g = 0; g < 4; g++) {
        run.gate[g] = (int16_t *)npu__slot(c, d->gates) + (int64_t)g * npu__lstm_rows(d) * d->n_cell;
    }
    npu__matvec_init(&run.mv, c, d->staged, d->sums);
    return npu__lstm_walk(c, d, npu__lstm_micro_step, &run);
}
NPU__SPEED_END
