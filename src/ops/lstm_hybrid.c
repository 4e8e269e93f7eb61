/* The LSTM cell with float data and int8 weights: input, output state and the row before the
 * projection are quantized as they come, products are integers, everything else is float. UINT8 weights hold int8 as
 * well (files of old converters). */
#include "lstm.h"
NPU__SPEED_BEGIN

typedef struct npu__lstm_hybrid_run {
    npu__ctx        *c;
    const npu__lstm *d;
    float           *gate[4];
    int8_t          *q; /* the longest row that is quantized */
    float            scale; /* of that row */
    npu__matvec      mv;
} npu__lstm_hybrid_run;

/* The row that the following products are with. */
NPU__FN void npu__lstm_hybrid_row(npu__lstm_hybrid_run *run, const float *v, int32_t n) {
    run->scale = npu__matvec_quantize(&run->mv, v, n, run->d->asymmetric, run->q);
}

/* out[r] = start[r] + weights[r] . row; start may be NULL, or `out` itself */
NPU__FN void npu__lstm_hybrid_add(npu__lstm_hybrid_run *run, int role, const float *start, float *out, int32_t n_out) {
    npu__matvec_hybrid(&run->mv, npu__lstm_in(run->c, run->d, role), run->scale, start, out, n_out);
}

/* Sums of all gates for one batch entry: weights times input and output state. */
NPU__FN void npu__lstm_hybrid_sums(npu__lstm_hybrid_run *run, const float *x, const float *aux, const float *h,
                                   int32_t row) {
    const npu__ctx  *c = run->c;
    const npu__lstm *d = run->d;
    int              first = d->cifg ? 1 : 0;
    float           *gate[4];
    /* Quantized once for all gates, each batch entry by its own range. */
    npu__lstm_hybrid_row(run, x, d->n_x);
    for (int g = first; g < 4; g++) {
        const float *bias = d->layer_norm ? NULL : (const float *)npu__lstm_data(c, d, NPU__LSTM_BIAS + g);
        gate[g] = run->gate[g] + (int64_t)row * d->n_cell;
        npu__lstm_hybrid_add(run, NPU__LSTM_W + g, bias, gate[g], d->n_cell);
    }
    if (aux) {
        npu__lstm_hybrid_row(run, aux, d->n_aux);
        for (int g = first; g < 4; g++) npu__lstm_hybrid_add(run, NPU__LSTM_AUX_W + g, gate[g], gate[g], d->n_cell);
    }
    npu__lstm_hybrid_row(run, h, d->n_h);
    for (int g = first; g < 4; g++) {
        const npu__val *r = npu__lstm_in(c, d, NPU__LSTM_R + g);
        if (r->shape.rank == 1) npu__lstm_diagonal((const float *)r->data, h, gate[g], d->n_cell, 1);
        else npu__lstm_hybrid_add(run, NPU__LSTM_R + g, gate[g], gate[g], d->n_cell);
    }
}

NPU__FN void npu__lstm_hybrid_gate(npu__lstm_hybrid_run *run, int g, const float *cell, int32_t rows) {
    int           input = npu__lstm_peep_input(g);
    const int8_t *peep = (const int8_t *)npu__lstm_data(run->c, run->d, input);
    int32_t       n = run->d->n_cell;
    float        *gate = run->gate[g];
    if (peep) {
        float scale = npu__scale(npu__lstm_in(run->c, run->d, input));
        /* Peepholes are not quantized with the state: a float product, with the weight as scale times integer. */
        for (int64_t i = 0; i < (int64_t)rows * n; i++) gate[i] += scale * (float)peep[i % n] * cell[i];
    }
    npu__lstm_finish_gate(&run->mv, run->d, gate, g, rows);
}

NPU__FN void npu__lstm_hybrid_step(void *arg, const void *x, const void *aux, void *h, void *cell, int32_t rows) {
    npu__lstm_hybrid_run *run = (npu__lstm_hybrid_run *)arg;
    const npu__lstm      *d = run->d;
    float                *state = (float *)h, *hidden = run->gate[NPU__GATE_CELL], *c_state = (float *)cell;
    int64_t               n = (int64_t)rows * d->n_cell;
    for (int32_t b = 0; b < rows; b++) {
        npu__lstm_hybrid_sums(run, (const float *)x + (int64_t)b * d->n_x,
                              aux ? (const float *)aux + (int64_t)b * d->n_aux : NULL, state + (int64_t)b * d->n_h, b);
    }
    for (int g = d->cifg ? 1 : 0; g < NPU__GATE_OUT; g++) npu__lstm_hybrid_gate(run, g, c_state, rows);
    npu__lstm_update_cell(d, c_state, d->cifg ? NULL : run->gate[NPU__GATE_IN], run->gate[NPU__GATE_FORGET],
                          run->gate[NPU__GATE_CELL], rows);
    npu__lstm_hybrid_gate(run, NPU__GATE_OUT, c_state, rows);
    npu__lstm_hidden(&run->mv, d, c_state, run->gate[NPU__GATE_OUT], hidden, n);
    for (int32_t b = 0; d->projection && b < rows; b++) {
        float *to = state + (int64_t)b * d->n_h;
        npu__lstm_hybrid_row(run, hidden + (int64_t)b * d->n_cell, d->n_cell);
        npu__lstm_hybrid_add(run, NPU__LSTM_PROJ_W, (const float *)npu__lstm_data(run->c, run->d, NPU__LSTM_PROJ_BIAS), to, d->n_h);
    }
    if (d->projection) npu__lstm_clip(state, (int64_t)rows * d->n_h, d->proj_clip);
    else memcpy(state, hidden, (size_t)n * sizeof(float));
}

NPU__FN npu_status npu__lstm_hybrid_prepare(npu__ctx *c, npu__lstm *d) {
    int32_t longest = NPU__MAX(NPU__MAX(d->n_x, d->n_aux), NPU__MAX(d->n_h, d->n_cell));
    NPU__TRY(npu__lstm_check_activation(c, d));
    for (int role = 0; role < NPU__LSTM_ROLES; role++) {
        npu__val *v = npu__lstm_in(c, d, role);
        if (v && (v->type == NPU_INT8 || v->type == NPU_UINT8)) NPU__TRY(npu__need_quant(c, v, "a weight tensor"));
    }
    d->kernel = npu__matvec_name(c, 1);
    NPU__TRY(npu__lstm_scratch(c, d, sizeof(float)));
    return npu__want_array(c, 0, longest, 1, 1, &d->quantized);
}

NPU__FN npu_status npu__lstm_hybrid_eval(npu__ctx *c, const npu__lstm *d) {
    npu__lstm_hybrid_run run;
    run.c = c;
    run.d = d;
    for (int g = 0; g < 4; g++) {
        run.gate[g] = (float *)npu__slot(c, d->gates) + (int64_t)g * npu__lstm_rows(d) * d->n_cell;
    }
    run.q = (int8_t *)npu__slot(c, d->quantized);
    npu__matvec_init(&run.mv, c, d->staged, d->sums);
    run.mv.pw = NULL; /* matvec.h */
    return npu__lstm_walk(c, d, npu__lstm_hybrid_step, &run);
}
NPU__SPEED_END
