/* nnapi.lstm: one LSTM over time, its states inputs and outputs. Inputs stand where TFLite's LSTM has them, auxiliary ones behind
 * them. Outputs: the sequence, the two states after it, and a scratch buffer that is all zeros; but for the first they may be
 * missing. Quantized models (those that say the hidden state's scale) compute in float, but keep of what passes from one step to the
 * next no more than their integers would. */
#include "kernel.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

/* Gates in the order of the inputs, and where each group of these begins. */
enum { NPU__NN_IN = 0, NPU__NN_FORGET = 1, NPU__NN_CELL = 2, NPU__NN_OUT = 3 };
enum {
    NPU__NN_L_W = 1, NPU__NN_L_R = 5, NPU__NN_L_PEEP = 9, NPU__NN_L_BIAS = 12, NPU__NN_L_PROJ = 16, NPU__NN_L_PROJ_BIAS = 17,
    NPU__NN_L_H = 18, NPU__NN_L_C = 19, NPU__NN_L_NORM = 20, NPU__NN_L_AUX = 24, NPU__NN_L_AUX_W = 25, NPU__NN_L_COUNT = 29
};

typedef struct npu__nn_lstm {
    const float *in[NPU__NN_L_COUNT];
    float       *gate[4], *hidden, *h, *cell;
    int32_t      n_batch, n_time, n_x, n_aux, n_cell, n_h, time_major, activation;
    float        cell_clip, proj_clip;
    float        hidden_scale, hidden_zero; /* of a quantized one; otherwise 0 */
    float        gate_scale[4], cell_scale; /* of one with layer norm, before that; of the cell state */
} npu__nn_lstm;

/* The peephole of a gate; -1: it has none. */
NPU__FN int npu__nn_lstm_peep(int gate) {
    return gate == NPU__NN_CELL ? -1 : gate == NPU__NN_OUT ? NPU__NN_L_PEEP + 2 : NPU__NN_L_PEEP + gate;
}

NPU__FN void npu__nn_lstm_sizes(const npu_call *call, npu__nn_lstm *d) {
    npu_tensor x;
    memset(d, 0, sizeof *d);
    npu_call_input(call, 0, &x);
    d->time_major = npu__nn_k_int(call, "time_major") != 0;
    d->n_batch = x.rank == 3 && d->time_major ? x.dims[1] : x.dims[0];
    d->n_time = x.rank == 2 ? 1 : d->time_major ? x.dims[0] : x.dims[1];
    d->n_x = x.dims[x.rank == 3 ? 2 : 1];
    d->n_aux = npu__nn_k_dim(call, NPU__NN_L_AUX, 2);
    d->n_cell = npu__nn_k_dim(call, NPU__NN_L_W + NPU__NN_OUT, 0);
    d->n_h = npu__nn_k_dim(call, NPU__NN_L_R + NPU__NN_OUT, 1);
}

NPU__FN int npu__nn_lstm_has(const npu_call *call, int32_t i) {
    npu_tensor t;
    return npu_call_input(call, i, &t);
}

NPU__FN npu_status npu__nn_lstm_infer(void *user, npu_call *call) {
    npu__nn_lstm d;
    npu_tensor   x;
    (void)user;
    npu_call_input(call, 0, &x);
    if (x.rank != 2 && x.rank != 3) return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.rank", "its input must have 2 or 3 dimensions");
    npu__nn_lstm_sizes(call, &d);
    NPU__TRY(npu__nn_k_shape(call, 0, x.rank, x.dims[0], x.rank == 2 ? d.n_h : x.dims[1], d.n_h, 0));
    if (npu_call_output_count(call) > 1) NPU__TRY(npu__nn_k_shape(call, 1, 2, d.n_batch, d.n_h, 0, 0));
    if (npu_call_output_count(call) > 2) NPU__TRY(npu__nn_k_shape(call, 2, 2, d.n_batch, d.n_cell, 0, 0));
    if (npu_call_output_count(call) < 4) return NPU_OK;
    return npu__nn_k_shape(call, 3, 2, d.n_batch, (int64_t)d.n_cell * (npu__nn_lstm_has(call, NPU__NN_L_W) ? 4 : 3), 0, 0);
}

/* Are gates' inputs there for all gates, or for none? Those of the input gate only as it is. */
NPU__FN npu_status npu__nn_lstm_group(npu_call *call, int32_t first, int cifg, int must, int32_t rank, int32_t d0, int32_t d1) {
    int there = 0, wanted = 0;
    for (int gate = 0; gate < 4; gate++) {
        const int32_t i = first == NPU__NN_L_PEEP ? npu__nn_lstm_peep(gate) : first + gate;
        if (i < 0) continue;
        NPU__TRY(npu__nn_k_need(call, i, rank, d0, d1));
        there += npu__nn_lstm_has(call, i) && !(cifg && gate == NPU__NN_IN); /* layer norm of a gate that is none: not read */
        wanted += !(cifg && gate == NPU__NN_IN);
    }
    if (there == wanted || (there == 0 && !must)) return NPU_OK;
    return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.lstm_gates", "all gates must have weights, or none of them");
}

NPU__FN npu_status npu__nn_lstm_prepare(void *user, npu_call *call) {
    npu__nn_lstm d;
    int          cifg;
    (void)user;
    npu__nn_lstm_sizes(call, &d);
    cifg = !npu__nn_lstm_has(call, NPU__NN_L_W);
    if (d.n_x < 1 || d.n_cell < 1 || d.n_h < 1 || !npu__nn_k_act_known(npu__nn_k_int(call, "activation"))) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.lstm", "it must have inputs, cells and outputs, and an activation that is known");
    }
    NPU__TRY(npu__nn_lstm_group(call, NPU__NN_L_W, cifg, 1, 2, d.n_cell, d.n_x));
    NPU__TRY(npu__nn_lstm_group(call, NPU__NN_L_R, cifg, 1, 2, d.n_cell, d.n_h));
    NPU__TRY(npu__nn_lstm_group(call, NPU__NN_L_PEEP, cifg, 0, 1, d.n_cell, -1));
    NPU__TRY(npu__nn_lstm_group(call, NPU__NN_L_BIAS, cifg, 1, 1, d.n_cell, -1));
    NPU__TRY(npu__nn_lstm_group(call, NPU__NN_L_NORM, cifg, 0, 1, d.n_cell, -1));
    if (d.n_aux > 0) {
        NPU__TRY(npu__nn_k_need(call, NPU__NN_L_AUX, 3, npu__nn_k_dim(call, 0, 0), npu__nn_k_dim(call, 0, 1)));
        NPU__TRY(npu__nn_lstm_group(call, NPU__NN_L_AUX_W, cifg, 1, 2, d.n_cell, d.n_aux));
    }
    NPU__TRY(npu__nn_k_need(call, NPU__NN_L_PROJ, 2, d.n_h, d.n_cell));
    NPU__TRY(npu__nn_k_need(call, NPU__NN_L_PROJ_BIAS, 1, d.n_h, -1));
    NPU__TRY(npu__nn_k_need(call, NPU__NN_L_H, 2, d.n_batch, d.n_h));
    NPU__TRY(npu__nn_k_need(call, NPU__NN_L_C, 2, d.n_batch, d.n_cell));
    if (!npu__nn_lstm_has(call, NPU__NN_L_PROJ) && d.n_h != d.n_cell) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.lstm_projection", "without a projection it has as many outputs as cells");
    }
    NPU__TRY(npu__nn_k_prepare(call, 1));
    NPU__TRY(npu__nn_k_memory(call, 0, (int64_t)d.n_cell * 5)); /* four gates, and what a projection reads */
    NPU__TRY(npu__nn_k_memory(call, 1, (int64_t)d.n_batch * d.n_h));
    return npu__nn_k_memory(call, 2, (int64_t)d.n_batch * d.n_cell);
}

/* ---- eval ---- */

/* What an integer of 16 (or 8) bits would keep of a value. A NaN is its least. */
NPU__FN float npu__nn_lstm_keep(float v, float scale, float least, float most) {
    const float steps = v / scale;
    return (steps < most ? steps > least ? roundf(steps) : least : steps >= most ? most : least) * scale;
}
NPU__FN float npu__nn_lstm_keep16(const npu__nn_lstm *d, float v, float scale) {
    return d->hidden_scale > 0.0f && scale > 0.0f ? npu__nn_lstm_keep(v, scale, -32768.0f, 32767.0f) : v;
}

/* To mean 0 and variance 1; then a factor and a bias for each. */
NPU__FN void npu__nn_lstm_normalize(float *v, int32_t n, const float *factor, const float *bias) {
    float mean = 0.0f, variance = 0.0f, by;
    for (int32_t i = 0; i < n; i++) mean += v[i];
    mean /= (float)n;
    for (int32_t i = 0; i < n; i++) variance += (v[i] - mean) * (v[i] - mean);
    by = 1.0f / sqrtf(variance / (float)n + 1e-8f);
    for (int32_t i = 0; i < n; i++) v[i] = (v[i] - mean) * by * factor[i] + bias[i];
}

NPU__FN void npu__nn_lstm_gate(const npu__nn_lstm *d, int gate, const float *x, const float *aux, const float *h, const float *cell) {
    const int    peep = npu__nn_lstm_peep(gate);
    const float *w = d->in[NPU__NN_L_W + gate], *r = d->in[NPU__NN_L_R + gate], *aux_w = d->in[NPU__NN_L_AUX_W + gate];
    const float *bias = d->in[NPU__NN_L_BIAS + gate], *norm = d->in[NPU__NN_L_NORM + gate];
    float       *out = d->gate[gate];
    for (int32_t u = 0; u < d->n_cell; u++) {
        float sum = norm ? 0.0f : bias[u];
        sum += npu__nn_k_dot(w, x, d->n_x) + npu__nn_k_dot(r, h, d->n_h);
        w += d->n_x;
        r += d->n_h;
        if (aux) {
            sum += npu__nn_k_dot(aux_w, aux, d->n_aux);
            aux_w += d->n_aux;
        }
        if (peep >= 0 && d->in[peep]) sum += d->in[peep][u] * cell[u];
        out[u] = norm ? npu__nn_lstm_keep16(d, sum, d->gate_scale[gate]) : sum;
    }
    if (norm) npu__nn_lstm_normalize(out, d->n_cell, norm, bias);
    for (int32_t u = 0; u < d->n_cell; u++) {
        const float v = npu__nn_lstm_keep16(d, out[u], 1.0f / 4096.0f);
        out[u] = npu__nn_lstm_keep16(d, npu__nn_k_act(gate == NPU__NN_CELL ? d->activation : 6, v), 1.0f / 32768.0f);
    }
}

NPU__INLINE float npu__nn_lstm_clip(float v, float most) {
    return most > 0.0f ? (v > most ? most : v < -most ? -most : v) : v;
}

/* One time step of one batch entry: h and cell become the new ones. */
NPU__FN void npu__nn_lstm_step(const npu__nn_lstm *d, const float *x, const float *aux, float *h, float *cell) {
    const float *proj = d->in[NPU__NN_L_PROJ], *proj_bias = d->in[NPU__NN_L_PROJ_BIAS];
    const int    cifg = !d->in[NPU__NN_L_W];
    for (int gate = cifg ? 1 : 0; gate < 3; gate++) npu__nn_lstm_gate(d, gate, x, aux, h, cell);
    for (int32_t u = 0; u < d->n_cell; u++) {
        const float forget = d->gate[NPU__NN_FORGET][u], take = cifg ? 1.0f - forget : d->gate[NPU__NN_IN][u];
        cell[u] = npu__nn_lstm_keep16(d, forget * cell[u] + take * d->gate[NPU__NN_CELL][u], d->cell_scale);
        cell[u] = npu__nn_lstm_clip(cell[u], d->cell_clip);
    }
    npu__nn_lstm_gate(d, NPU__NN_OUT, x, aux, h, cell);
    for (int32_t u = 0; u < d->n_cell; u++) {
        const float zero = d->hidden_zero;
        d->hidden[u] = d->gate[NPU__NN_OUT][u] * npu__nn_lstm_keep16(d, npu__nn_k_act(d->activation, cell[u]), 1.0f / 32768.0f);
        if (d->hidden_scale > 0.0f) d->hidden[u] = npu__nn_lstm_keep(d->hidden[u], d->hidden_scale, -128.0f - zero, 127.0f - zero);
    }
    for (int32_t u = 0; u < d->n_h; u++) {
        if (!proj) {
            h[u] = d->hidden[u];
            continue;
        }
        h[u] = npu__nn_k_dot(proj, d->hidden, d->n_cell) + (proj_bias ? proj_bias[u] : 0.0f);
        h[u] = npu__nn_lstm_clip(h[u], d->proj_clip);
        proj += d->n_cell;
    }
}

NPU__FN float npu__nn_lstm_scale(const npu_call *call, int32_t i) {
    npu_tensor t;
    return npu_call_input(call, i, &t) && t.quant.count == 1 ? t.quant.scale[0] : 0.0f;
}

/* The scale of a bias that is quantized: that of what it is added to, which models need not say. */
NPU__FN float npu__nn_lstm_bias_scale(const npu_call *call, int32_t i) {
    if (i == NPU__NN_L_PROJ_BIAS) return npu__nn_lstm_scale(call, NPU__NN_L_PROJ) * npu__nn_k_real(call, "hidden_scale");
    if (i < NPU__NN_L_BIAS || i >= NPU__NN_L_BIAS + 4) return 0.0f;
    i -= NPU__NN_L_BIAS;
    if (npu__nn_lstm_has(call, NPU__NN_L_NORM + i)) return npu__nn_lstm_scale(call, NPU__NN_L_NORM + i) / 1024.0f;
    return npu__nn_lstm_scale(call, 0) * npu__nn_lstm_scale(call, NPU__NN_L_W + i);
}

NPU__FN npu_status npu__nn_lstm_open(npu_call *call, npu__nn_lstm *d) {
    static const char *const gates[4] = {"gate_in", "gate_forget", "gate_cell", "gate_out"};
    float                   *work;
    npu__nn_lstm_sizes(call, d);
    for (int32_t i = 0; i < NPU__NN_L_COUNT; i++) NPU__TRY(npu__nn_k_in(call, i, npu__nn_lstm_bias_scale(call, i), &d->in[i]));
    d->activation = (int32_t)npu__nn_k_int(call, "activation");
    d->cell_clip = npu__nn_k_real(call, "cell_clip");
    d->proj_clip = npu__nn_k_real(call, "proj_clip");
    d->hidden_scale = npu__nn_k_real(call, "hidden_scale");
    d->hidden_zero = (float)npu__nn_k_int(call, "hidden_zero_point");
    for (int gate = 0; gate < 4; gate++) d->gate_scale[gate] = npu__nn_k_real(call, gates[gate]);
    d->cell_scale = npu__nn_lstm_scale(call, NPU__NN_L_C);
    work = (float *)npu__nn_k_work(call, 0);
    for (int gate = 0; gate < 4; gate++) d->gate[gate] = work + (size_t)gate * (size_t)d->n_cell; /* bounded: that memory */
    d->hidden = work + (size_t)4 * (size_t)d->n_cell; /* bounded: that memory */
    d->h = (float *)npu__nn_k_work(call, 1);
    d->cell = (float *)npu__nn_k_work(call, 2);
    return NPU_OK;
}

/* Without a projection a quantized LSTM gives its hidden state as it is, with that one's scale and zero point, whatever its outputs
 * say: the reals of which they come out so. */
NPU__FN void npu__nn_lstm_rescale(const npu_call *call, int32_t output, float *real) {
    const float scale = npu__nn_k_real(call, "hidden_scale"), zero = (float)npu__nn_k_int(call, "hidden_zero_point");
    npu_tensor  t;
    int64_t     n;
    npu_call_output(call, output, &t);
    if (t.quant.count != 1 || !(scale > 0.0f) || npu__nn_lstm_has(call, NPU__NN_L_PROJ)) return;
    n = npu__nn_k_count(&t);
    for (int64_t i = 0; i < n; i++) real[i] = (real[i] / scale + zero - (float)t.quant.zero_point[0]) * t.quant.scale[0];
}

NPU__FN npu_status npu__nn_lstm_eval(void *user, npu_call *call) {
    npu__nn_lstm  d;
    const int     backward = npu__nn_k_int(call, "backward") != 0;
    float        *out = npu__nn_k_out(call, 0);
    int64_t       steps, done = 0;
    (void)user;
    NPU__TRY(npu__nn_lstm_open(call, &d));
    steps = (int64_t)d.n_cell * ((int64_t)d.n_x + d.n_h + d.n_aux) * 4 + (int64_t)d.n_cell * d.n_h; /* bounded: elements of weights */
    for (int64_t i = 0; i < (int64_t)d.n_batch * d.n_h; i++) d.h[i] = d.in[NPU__NN_L_H][i];
    for (int64_t i = 0; i < (int64_t)d.n_batch * d.n_cell; i++) d.cell[i] = d.in[NPU__NN_L_C][i];
    for (int64_t b = 0; b < d.n_batch; b++) {
        float *h = d.h + b * d.n_h;
        for (int64_t step = 0; step < d.n_time; step++) {
            const int64_t t = backward ? d.n_time - 1 - step : step;
            const int64_t row = d.time_major ? t * d.n_batch + b : b * d.n_time + t;
            npu__nn_lstm_step(&d, d.in[0] + row * d.n_x, d.n_aux > 0 ? d.in[NPU__NN_L_AUX] + row * d.n_aux : NULL, h, d.cell + b * d.n_cell);
            for (int32_t u = 0; u < d.n_h; u++) out[row * d.n_h + u] = h[u];
            if (!npu__nn_k_poll(call, &done, steps)) return NPU_CANCELLED;
        }
    }
    for (int32_t i = 1; i < npu_call_output_count(call); i++) {
        float        *to = npu__nn_k_out(call, i);
        const float  *from = i == 1 ? d.h : i == 2 ? d.cell : NULL;
        const int64_t n = (int64_t)d.n_batch * (i == 1 ? d.n_h : i == 2 ? d.n_cell : d.in[NPU__NN_L_W] ? d.n_cell * 4 : d.n_cell * 3);
        for (int64_t k = 0; k < n; k++) to[k] = from ? from[k] : 0.0f;
        if (i == 1) npu__nn_lstm_rescale(call, i, to);
    }
    npu__nn_lstm_rescale(call, 0, out);
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_lstm_work(void *user, const npu_call *call) {
    npu__nn_lstm d;
    int64_t      steps;
    (void)user;
    npu__nn_lstm_sizes(call, &d);
    steps = npu__sat_add(npu__sat_mul((int64_t)d.n_cell * 4, (int64_t)d.n_x + d.n_h + d.n_aux + 32), npu__sat_mul(d.n_cell, d.n_h));
    return npu__sat_mul(npu__sat_mul(d.n_batch, d.n_time), steps);
}

#endif
