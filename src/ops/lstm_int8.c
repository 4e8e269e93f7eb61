/* The LSTM cell in integers, LiteRT's way (int8 data and weights, int16 gates and cell state): bit for
 * bit its reference kernel. Gates are sums in Q3.12 (layer norm: in the intermediates' scales) that saturate after
 * every term; logistic and tanh are gemmlowp's. */
#include "../base/fixed16.h"
#include "../base/fixed32.h"
#include "../kernels/gates.h"
#include "elementwise.h"
#include "lstm.h"
NPU__SPEED_BEGIN

typedef struct npu__lstm_int8_run {
    npu__ctx        *c;
    const npu__lstm *d;
    int16_t         *gate[4];
    int8_t          *hidden; /* the cells before the projection */
    npu__matvec      mv;
    const npu__gates *fast;
} npu__lstm_int8_run;

/* ---- prepare ---- */

NPU__FN npu_status npu__lstm_cell_scale(npu__ctx *c, npu__lstm *d, int32_t lo, int32_t hi) {
    const npu__val *cell = npu__lstm_in(c, d, NPU__LSTM_C);
    NPU__TRY(npu__need_quant(c, cell, "cell state"));
    /* Multiplying by the scale is then a shift, which is how LiteRT's kernel does it. */
    if (!npu__checked_log2(npu__scale(cell), &d->cell_log2) || d->cell_log2 < lo || d->cell_log2 > hi) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.cell_scale",
                         "the scale of the cell state must be a power of two from 2^%d to 2^%d: got %g", lo, hi,
                         (double)npu__scale(cell));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_need_weight_quant(npu__ctx *c, const npu__lstm *d, int role) {
    const npu__val *v = npu__lstm_in(c, d, role);
    if (!v) return NPU_OK;
    NPU__TRY(npu__need_quant(c, v, "a weight tensor"));
    if (v->t->quant.count == 1 && npu__zero_point(v) == 0) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.weight_quant",
                     "weights (input %d) must have one scale and zero point 0", d->at[role]);
}

/* Scale of intermediate i; its zero point only matters for the hidden one. */
NPU__FN npu_status npu__lstm_mid_scale(npu__ctx *c, int32_t i, float *scale) {
    const npu__val *v = c->mid[i];
    if (!v || v->t->quant.count < 1 || !(v->t->quant.scale[0] > 0.0f) || v->t->quant.scale[0] > 3.0e38f) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.intermediate",
                         "intermediate tensor %d needs a positive, finite scale", i);
    }
    *scale = v->t->quant.scale[0];
    return NPU_OK;
}

/* Scales are float products and quotients in this order: the result is part of the contract. */
NPU__FN npu_status npu__lstm_gate_scales(npu__ctx *c, npu__lstm *d, int g) {
    /* Q3.12: a gate's sum covers [-8, 8), beyond which logistic and tanh are flat. */
    float  sum_scale = 1.0f / 4096.0f, x = npu__scale(npu__lstm_in(c, d, NPU__LSTM_X)), h = npu__scale(npu__lstm_in(c, d, NPU__LSTM_H));
    int    peep = npu__lstm_peep_input(g);
    double cell = ldexp(1.0, d->cell_log2);
    if (d->layer_norm) {
        float norm;
        NPU__TRY(npu__lstm_mid_scale(c, g, &sum_scale));
        NPU__TRY(npu__lstm_need_weight_quant(c, d, NPU__LSTM_NORM + g));
        norm = npu__scale(npu__lstm_in(c, d, NPU__LSTM_NORM + g));
        d->norm_mul[g] = npu__qmul_of((double)norm);
        /* LiteRT's guard against a variance of 0, in the unit of the coefficients; its factor is 10000. */
        d->variance_guard[g] = NPU__MAX(1, npu__f32_to_i32(10000.0f * norm));
        /* 12 bits more follow: a shift beyond 30 is undefined there, and refused here. */
        if (d->norm_mul[g].shift > 18) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.norm_scale",
                             "the scale of layer norm coefficients must be below 2^18: got %g", (double)norm);
        }
        d->norm_mul[g].shift += 12;
    }
    d->w_mul[g] = npu__qmul_of((double)(npu__scale(npu__lstm_in(c, d, NPU__LSTM_W + g)) * x / sum_scale));
    d->r_mul[g] = npu__qmul_of((double)(npu__scale(npu__lstm_in(c, d, NPU__LSTM_R + g)) * h / sum_scale));
    if (d->peephole && peep >= 0) {
        float effective = (float)(cell * (double)npu__scale(npu__lstm_in(c, d, peep)) / (double)sum_scale);
        d->peep_mul[g] = npu__qmul_of((double)effective);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_output_scales(npu__ctx *c, npu__lstm *d) {
    float  hidden, h = npu__scale(npu__lstm_in(c, d, NPU__LSTM_H)), out = npu__scale(c->out[d->out]);
    double q15 = 1.0 / 32768.0;
    NPU__TRY(npu__lstm_mid_scale(c, 4, &hidden));
    d->hidden_zp = c->mid[4]->t->quant.zero_point[0];
    if (d->hidden_zp < -128 || d->hidden_zp > 127) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.intermediate",
                         "the zero point of intermediate tensor 4 must be in [-128, 127]: got %d", d->hidden_zp);
    }
    /* Gate and tanh are both Q0.15; LiteRT keeps the quotient as float. */
    d->hidden_mul = npu__qmul_of((double)(float)(q15 / (double)hidden * q15));
    if (d->projection) {
        d->proj_mul = npu__qmul_of((double)(npu__scale(npu__lstm_in(c, d, NPU__LSTM_PROJ_W)) * hidden / h));
        if (d->proj_clip > 0.0f) {
            d->q_proj_clip = npu__clamp32(npu__f32_to_i32(d->proj_clip / out), -128, 127);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_int8_prepare(npu__ctx *c, npu__lstm *d) {
    NPU__TRY(npu__need_quant(c, npu__lstm_in(c, d, NPU__LSTM_X), "input"));
    NPU__TRY(npu__need_quant(c, npu__lstm_in(c, d, NPU__LSTM_H), "output state"));
    NPU__TRY(npu__need_quant(c, c->out[d->out], "output"));
    for (int i = NPU__LSTM_W; i < NPU__LSTM_BIAS; i++) NPU__TRY(npu__lstm_need_weight_quant(c, d, i));
    NPU__TRY(npu__lstm_need_weight_quant(c, d, NPU__LSTM_PROJ_W));
    NPU__TRY(npu__lstm_cell_scale(c, d, -15, -9));
    if (d->peephole && d->n_h > d->n_cell) { /* LiteRT's kernel strides the cell state by n_h here */
        return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.peephole_projection",
                         "with a peephole the output must not be larger than the cell (%d): got %d", d->n_cell,
                         d->n_h);
    }
    d->x_zp = npu__zero_point(npu__lstm_in(c, d, NPU__LSTM_X));
    d->h_zp = npu__zero_point(npu__lstm_in(c, d, NPU__LSTM_H));
    for (int g = d->cifg ? 1 : 0; g < 4; g++) NPU__TRY(npu__lstm_gate_scales(c, d, g));
    NPU__TRY(npu__lstm_output_scales(c, d));
    if (d->cell_clip > 0.0f) {
        d->q_cell_clip = npu__clamp32(npu__f32_to_i32(d->cell_clip / npu__scale(npu__lstm_in(c, d, NPU__LSTM_C))), -32768, 32767);
    }
    d->kernel = npu__matvec_name(c, 1);
    NPU__TRY(npu__lstm_scratch(c, d, sizeof(int16_t)));
    return npu__want_array(c, 0, d->n_cell, npu__lstm_rows(d), 1, &d->quantized);
}

/* ---- eval ---- */

NPU__INLINE int32_t npu__lstm_sum(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/* gate[r] = sat16(gate[r] + scaled(w[r] . v + bias[r])) with the staged v */
NPU__FN void npu__lstm_int8_add(npu__lstm_int8_run *run, int32_t w_input, int32_t bias_input, npu__qmul mul,
                                int16_t *gate) {
    const int32_t *sums = npu__matvec_i8(&run->mv, (const int8_t *)npu__lstm_data(run->c, run->d, w_input),
                                         (const int32_t *)npu__lstm_data(run->c, run->d, bias_input), run->d->n_cell);
    run->fast->add(sums, mul, 0, gate, run->d->n_cell);
}

/* Sums of all gates for one batch entry. With layer norm the bias comes after it. */
NPU__FN void npu__lstm_int8_sums(npu__lstm_int8_run *run, const int8_t *x, const int8_t *h, int32_t row) {
    const npu__lstm *d = run->d;
    int64_t          at = (int64_t)row * d->n_cell;
    int              first = d->cifg ? 1 : 0;
    npu__matvec_stage(&run->mv, x, d->n_x, d->x_zp);
    for (int g = first; g < 4; g++) {
        int32_t bias = d->layer_norm ? -1 : NPU__LSTM_BIAS + g;
        memset(run->gate[g] + at, 0, (size_t)d->n_cell * sizeof(int16_t));
        npu__lstm_int8_add(run, NPU__LSTM_W + g, bias, d->w_mul[g], run->gate[g] + at);
    }
    /* Input first, output state second: the order decides where a sum saturates. */
    npu__matvec_stage(&run->mv, h, d->n_h, d->h_zp);
    for (int g = first; g < 4; g++) npu__lstm_int8_add(run, NPU__LSTM_R + g, -1, d->r_mul[g], run->gate[g] + at);
}

NPU__FN void npu__lstm_int8_normalize(int16_t *row, const int16_t *coefficient, const int32_t *bias, npu__qmul mul,
                                      int32_t guard, int32_t n) {
    int64_t   sum = 0, squares = 0, variance;
    int32_t   mean, v;
    npu__qmul inverse;
    for (int32_t i = 0; i < n; i++) {
        sum += row[i];
        squares += (int32_t)row[i] * row[i];
    }
    /* Mean in Q.10, variance in Q.20, quotients towards zero: PortableApplyLayerNorm of TFLite, term by term. */
    mean = (int32_t)(sum * 1024 / n);
    variance = squares * ((1 << 20) / n) - (int64_t)mean * mean;
    v = (int32_t)(variance / (1 << 20));
    inverse = npu__fx_inv_sqrt(v < 1 ? guard : v);
    for (int32_t i = 0; i < n; i++) {
        int32_t scaled = npu__qmul_apply(1024 * row[i] - mean, inverse);
        int32_t sum32 = (int32_t)((uint32_t)scaled * (uint32_t)(int32_t)coefficient[i] + (uint32_t)bias[i]);
        int64_t wide = sum32;
        /* Back by 10 bits, half away from zero, then by the coefficients' scale. */
        row[i] = npu__sat16(npu__qmul_apply((int32_t)((wide > 0 ? wide + 512 : wide - 512) / 1024), mul));
    }
}

NPU__FN void npu__lstm_int8_gate(npu__lstm_int8_run *run, int g, const int16_t *cell, int32_t rows) {
    const npu__ctx  *c = run->c;
    const npu__lstm *d = run->d;
    const int16_t   *peep = (const int16_t *)npu__lstm_data(c, d, npu__lstm_peep_input(g));
    int16_t         *gate = run->gate[g];
    int64_t          n = (int64_t)rows * d->n_cell;
    if (peep) { /* n_h, not n_cell, is LiteRT's row length here */
        for (int64_t i = 0; i < (int64_t)rows * d->n_h; i++) {
            int32_t product = npu__qmul_apply((int32_t)peep[i % d->n_h] * cell[i], d->peep_mul[g]);
            gate[i] = npu__sat16(npu__lstm_sum(product, gate[i]));
        }
    }
    if (d->layer_norm) {
        for (int32_t b = 0; b < rows; b++) {
            npu__lstm_int8_normalize(gate + (int64_t)b * d->n_cell,
                                     (const int16_t *)npu__lstm_data(c, d, NPU__LSTM_NORM + g),
                                     (const int32_t *)npu__lstm_data(c, d, NPU__LSTM_BIAS + g), d->norm_mul[g],
                                     d->variance_guard[g], d->n_cell);
        }
    }
    /* 3 integer bits in, Q0.15 out. */
    if (g == NPU__GATE_CELL) run->fast->tanh(gate, gate, n, 3);
    else run->fast->logistic(gate, gate, n);
}

NPU__FN void npu__lstm_int8_cell(npu__lstm_int8_run *run, int16_t *cell, int32_t rows) {
    const npu__lstm *d = run->d;
    const int16_t   *in = run->gate[NPU__GATE_IN], *forget = run->gate[NPU__GATE_FORGET];
    const int16_t   *candidate = run->gate[NPU__GATE_CELL];
    int64_t          n = (int64_t)rows * d->n_cell;
    for (int64_t i = 0; i < n; i++) {
        int32_t input = d->cifg ? 32767 - forget[i] : in[i];
        /* forget is Q0.15, so 15 bits go; input times candidate is Q0.30, in the scale of the cell 2^cell_log2. Both wrap,
         * only the sum saturates: LiteRT's CwiseMul and CwiseAdd. */
        int16_t kept = npu__wrap16(npu__rdbpot((int32_t)forget[i] * cell[i], 15));
        int16_t added = npu__wrap16(npu__rdbpot(input * candidate[i], 30 + d->cell_log2));
        int32_t sum = npu__sat16(kept + added);
        cell[i] = (int16_t)(d->q_cell_clip > 0 ? npu__clamp32(sum, -d->q_cell_clip, d->q_cell_clip) : sum);
    }
}

NPU__FN void npu__lstm_int8_project(npu__lstm_int8_run *run, int8_t *h, int32_t rows) {
    const npu__lstm *d = run->d;
    const int8_t    *w = (const int8_t *)npu__lstm_data(run->c, run->d, NPU__LSTM_PROJ_W);
    const int32_t   *bias = (const int32_t *)npu__lstm_data(run->c, run->d, NPU__LSTM_PROJ_BIAS);
    for (int32_t b = 0; b < rows; b++) {
        const int32_t *sums;
        npu__matvec_stage(&run->mv, run->hidden + (int64_t)b * d->n_cell, d->n_cell, -d->hidden_zp);
        sums = npu__matvec_i8(&run->mv, w, bias, d->n_h);
        for (int32_t r = 0; r < d->n_h; r++) {
            int32_t y = npu__clamp32(npu__lstm_sum(npu__qmul_apply(sums[r], d->proj_mul), d->h_zp), -128, 127);
            *h++ = (int8_t)(d->q_proj_clip > 0 ? npu__clamp32(y, -d->q_proj_clip, d->q_proj_clip) : y);
        }
    }
}

NPU__FN void npu__lstm_int8_step(void *arg, const void *x, const void *aux, void *h, void *cell, int32_t rows) {
    npu__lstm_int8_run *run = (npu__lstm_int8_run *)arg;
    const npu__lstm    *d = run->d;
    int16_t            *state = (int16_t *)cell, *open = run->gate[NPU__GATE_OUT];
    int16_t            *squashed = run->gate[NPU__GATE_CELL]; /* the candidate is used up when the cell is new */
    int8_t             *hidden = d->projection ? run->hidden : (int8_t *)h;
    int32_t             zp = d->projection ? -d->hidden_zp : d->hidden_zp; /* LiteRT's sign before a projection */
    (void)aux;
    for (int32_t b = 0; b < rows; b++) {
        npu__lstm_int8_sums(run, (const int8_t *)x + (int64_t)b * d->n_x, (const int8_t *)h + (int64_t)b * d->n_h, b);
    }
    for (int g = d->cifg ? 1 : 0; g < NPU__GATE_OUT; g++) npu__lstm_int8_gate(run, g, state, rows);
    npu__lstm_int8_cell(run, state, rows);
    /* The output gate's peephole looks at the cell as it is now, the others' at the one before. */
    npu__lstm_int8_gate(run, NPU__GATE_OUT, state, rows);
    run->fast->tanh(state, squashed, (int64_t)rows * d->n_cell, 15 + d->cell_log2);
    for (int64_t i = 0; i < (int64_t)rows * d->n_cell; i++) {
        int32_t y = (int32_t)open[i] * squashed[i];
        hidden[i] = (int8_t)npu__clamp32(npu__lstm_sum(npu__qmul_apply(y, d->hidden_mul), zp), -128, 127);
    }
    if (d->projection) npu__lstm_int8_project(run, (int8_t *)h, rows);
}

NPU__FN npu_status npu__lstm_int8_eval(npu__ctx *c, const npu__lstm *d) {
    npu__lstm_int8_run run;
    run.c = c;
    run.d = d;
    for (int g = 0; g < 4; g++) {
        run.gate[g] = (int16_t *)npu__slot(c, d->gates) + (int64_t)g * npu__lstm_rows(d) * d->n_cell;
    }
    run.fast = npu__gates_select(npu__ctx_isa(c));
    run.hidden = (int8_t *)npu__slot(c, d->quantized);
    npu__matvec_init(&run.mv, c, d->staged, d->sums);
    return npu__lstm_walk(c, d, npu__lstm_int8_step, &run);
}
NPU__SPEED_END
