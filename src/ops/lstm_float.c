/* The LSTM cell in float32, and the float parts that the hybrid kind shares. */
#include "lstm.h"
NPU__SPEED_BEGIN

typedef struct npu__lstm_float_run {
    npu__ctx        *c;
    const npu__lstm *d;
    float           *gate[4];
    npu__matvec      mv;
} npu__lstm_float_run;

/* out[row] += diagonal * v[row] */
NPU__FN void npu__lstm_diagonal(const float *diagonal, const float *v, float *out, int32_t n, int32_t rows) {
    for (int32_t b = 0; b < rows; b++) {
        for (int32_t i = 0; i < n; i++) *out++ += diagonal[i] * *v++;
    }
}

/* To mean 0 and deviation 1, times coefficient, plus bias. */
NPU__FN void npu__lstm_normalize(float *row, const float *coefficient, const float *bias, int32_t n) {
    float mean = 0.0f, square = 0.0f, scale;
    for (int32_t i = 0; i < n; i++) mean += row[i];
    mean /= (float)n;
    for (int32_t i = 0; i < n; i++) square += (row[i] - mean) * (row[i] - mean);
    /* 1e-8: the constant of TFLite's PortableMeanStddevNormalization. */
    scale = 1.0f / sqrtf(square / (float)n + 1e-8f);
    for (int32_t i = 0; i < n; i++) row[i] = (row[i] - mean) * scale * coefficient[i] + bias[i];
}

/* From the sum of products to the gate: layer norm, then the activation. */
NPU__FN void npu__lstm_finish_gate(const npu__matvec *m, const npu__lstm *d, float *gate, int g, int32_t rows) {
    const npu__ctx *c = m->c;
    const int64_t   n = (int64_t)rows * d->n_cell;
    if (d->layer_norm) {
        for (int32_t b = 0; b < rows; b++) {
            npu__lstm_normalize(gate + (int64_t)b * d->n_cell, (const float *)npu__lstm_data(c, d, NPU__LSTM_NORM + g),
                                (const float *)npu__lstm_data(c, d, NPU__LSTM_BIAS + g), d->n_cell);
        }
    }
    if (g == NPU__GATE_CELL) npu__matvec_activate(m->pw, gate, n, d->activation);
    else npu__matvec_logistic(m->pw, gate, n);
}

NPU__FN void npu__lstm_clip(float *v, int64_t n, float clip) {
    if (!(clip > 0.0f)) return;
    for (int64_t i = 0; i < n; i++) v[i] = v[i] > clip ? clip : v[i] < -clip ? -clip : v[i];
}

/* cell = clip(forget * cell + in * candidate); `in` NULL (CIFG) means 1 - forget. */
NPU__FN void npu__lstm_update_cell(const npu__lstm *d, float *cell, const float *in, const float *forget,
                                   const float *candidate, int32_t rows) {
    int64_t n = (int64_t)rows * d->n_cell;
    for (int64_t i = 0; i < n; i++) {
        cell[i] = forget[i] * cell[i] + (in ? in[i] : 1.0f - forget[i]) * candidate[i];
    }
    npu__lstm_clip(cell, n, d->cell_clip);
}

/* What the cells let out: out_gate * activation(cell). */
NPU__FN void npu__lstm_hidden(const npu__matvec *m, const npu__lstm *d, const float *cell, const float *out_gate, float *hidden,
                              int64_t n) {
    memcpy(hidden, cell, (size_t)n * sizeof(float));
    npu__matvec_activate(m->pw, hidden, n, d->activation);
    for (int64_t i = 0; i < n; i++) hidden[i] *= out_gate[i];
}

/* Sums of gate g: weights times input and output state. */
NPU__FN void npu__lstm_float_sums(npu__lstm_float_run *run, int g, const float *x, const float *aux, const float *h,
                                  int32_t rows) {
    const npu__ctx  *c = run->c;
    const npu__lstm *d = run->d;
    const float     *w = (const float *)npu__lstm_data(c, d, NPU__LSTM_W + g);
    const float     *r = (const float *)npu__lstm_data(c, d, NPU__LSTM_R + g);
    const float     *w_aux = (const float *)npu__lstm_data(c, d, NPU__LSTM_AUX_W + g);
    const float     *bias = d->layer_norm ? NULL : (const float *)npu__lstm_data(c, d, NPU__LSTM_BIAS + g);
    for (int32_t b = 0; b < rows; b++) {
        float *gate = run->gate[g] + (int64_t)b * d->n_cell;
        /* Bias, input, auxiliary input, state: sums of floats depend on their order. */
        npu__matvec_f32(&run->mv, w, x + (int64_t)b * d->n_x, d->n_x, bias, gate, d->n_cell);
        if (aux) npu__matvec_f32(&run->mv, w_aux, aux + (int64_t)b * d->n_aux, d->n_aux, gate, gate, d->n_cell);
        if (npu__lstm_in(c, d, NPU__LSTM_R + g)->shape.rank == 1) {
            npu__lstm_diagonal(r, h + (int64_t)b * d->n_h, gate, d->n_cell, 1);
        } else {
            npu__matvec_f32(&run->mv, r, h + (int64_t)b * d->n_h, d->n_h, gate, gate, d->n_cell);
        }
    }
}

NPU__FN void npu__lstm_float_gate(npu__lstm_float_run *run, int g, const float *cell, int32_t rows) {
    const float *peep = (const float *)npu__lstm_data(run->c, run->d, npu__lstm_peep_input(g));
    if (peep) npu__lstm_diagonal(peep, cell, run->gate[g], run->d->n_cell, rows);
    npu__lstm_finish_gate(&run->mv, run->d, run->gate[g], g, rows);
}

NPU__FN void npu__lstm_float_step(void *arg, const void *x, const void *aux, void *h, void *cell, int32_t rows) {
    npu__lstm_float_run *run = (npu__lstm_float_run *)arg;
    const npu__lstm     *d = run->d;
    /* The candidate is used up when the cell is new: its memory takes what the cells let out. */
    float               *state = (float *)h, *hidden = run->gate[NPU__GATE_CELL], *c_state = (float *)cell;
    int64_t              n = (int64_t)rows * d->n_cell;
    for (int g = d->cifg ? 1 : 0; g < 4; g++) {
        npu__lstm_float_sums(run, g, (const float *)x, (const float *)aux, state, rows);
    }
    for (int g = d->cifg ? 1 : 0; g < NPU__GATE_OUT; g++) npu__lstm_float_gate(run, g, c_state, rows);
    npu__lstm_update_cell(d, c_state, d->cifg ? NULL : run->gate[NPU__GATE_IN], run->gate[NPU__GATE_FORGET],
                          run->gate[NPU__GATE_CELL], rows);
    /* Behind the cell: its peephole looks at the new one. */
    npu__lstm_float_gate(run, NPU__GATE_OUT, c_state, rows);
    npu__lstm_hidden(&run->mv, d, c_state, run->gate[NPU__GATE_OUT], hidden, n);
    for (int32_t b = 0; d->projection && b < rows; b++) {
        npu__matvec_f32(&run->mv, (const float *)npu__lstm_data(run->c, run->d, NPU__LSTM_PROJ_W),
                        hidden + (int64_t)b * d->n_cell, d->n_cell,
                        (const float *)npu__lstm_data(run->c, run->d, NPU__LSTM_PROJ_BIAS), state + (int64_t)b * d->n_h,
                        d->n_h);
    }
    if (d->projection) npu__lstm_clip(state, (int64_t)rows * d->n_h, d->proj_clip);
    else memcpy(state, hidden, (size_t)n * sizeof(float));
}

/* Float and hybrid: LiteRT leaves NONE half done (the gate keeps a partial sum), so nothing can rely on it. */
NPU__FN npu_status npu__lstm_check_activation(npu__ctx *c, const npu__lstm *d) {
    if (d->activation >= NPU__ACT_RELU && d->activation <= NPU__ACT_TANH) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.activation",
                     "the activation must be TANH, RELU, RELU_N1_TO_1 or RELU6: got code %d", d->activation);
}

NPU__FN npu_status npu__lstm_float_prepare(npu__ctx *c, npu__lstm *d) {
    NPU__TRY(npu__lstm_check_activation(c, d));
    d->kernel = npu__matvec_name(c, 0);
    return npu__lstm_scratch(c, d, sizeof(float));
}

NPU__FN npu_status npu__lstm_float_eval(npu__ctx *c, const npu__lstm *d) {
    npu__lstm_float_run run;
    run.c = c;
    run.d = d;
    for (int g = 0; g < 4; g++) {
        run.gate[g] = (float *)npu__slot(c, d->gates) + (int64_t)g * npu__lstm_rows(d) * d->n_cell;
    }
    npu__matvec_init(&run.mv, c, d->staged, d->sums);
    return npu__lstm_walk(c, d, npu__lstm_float_step, &run);
}
NPU__SPEED_END
