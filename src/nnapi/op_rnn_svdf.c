/* nnapi.rnn and nnapi.svdf: states are inputs and outputs. */
#include "kernel.h"
#include "../ops/util.h"

#if NPU__HAS_NNAPI

/* ---- nnapi.rnn: input, weights, recurrent weights, bias, state, auxiliary input, its weights -> sequence, state ---- */

typedef struct npu__nn_rnn {
    int32_t n_batch, n_time, n_x, n_aux, n_unit, time_major;
} npu__nn_rnn;

NPU__FN void npu__nn_rnn_sizes(const npu_call *call, npu__nn_rnn *d) {
    d->time_major = npu__nn_k_int(call, "time_major") != 0;
    d->n_batch = npu__nn_k_dim(call, 0, d->time_major ? 1 : 0);
    d->n_time = npu__nn_k_dim(call, 0, d->time_major ? 0 : 1);
    d->n_x = npu__nn_k_dim(call, 0, 2);
    d->n_aux = npu__nn_k_dim(call, 5, 2);
    d->n_unit = npu__nn_k_dim(call, 1, 0);
}

NPU__FN npu_status npu__nn_rnn_infer(void *user, npu_call *call) {
    npu__nn_rnn d;
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 3, -1, -1));
    npu__nn_rnn_sizes(call, &d);
    NPU__TRY(npu__nn_k_shape(call, 0, 3, npu__nn_k_dim(call, 0, 0), npu__nn_k_dim(call, 0, 1), d.n_unit, 0));
    return npu_call_output_count(call) > 1 ? npu__nn_k_shape(call, 1, 2, d.n_batch, d.n_unit, 0, 0) : NPU_OK;
}

NPU__FN npu_status npu__nn_rnn_prepare(void *user, npu_call *call) {
    npu__nn_rnn d;
    npu_tensor  t;
    (void)user;
    npu__nn_rnn_sizes(call, &d);
    if (!npu__nn_k_act_known(npu__nn_k_int(call, "activation"))) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.activation", "its activation is not known");
    }
    NPU__TRY(npu__nn_k_need(call, 1, 2, d.n_unit, d.n_x));
    NPU__TRY(npu__nn_k_need(call, 2, 2, d.n_unit, d.n_unit));
    NPU__TRY(npu__nn_k_need(call, 3, 1, d.n_unit, -1));
    NPU__TRY(npu__nn_k_need(call, 4, 2, d.n_batch, d.n_unit));
    NPU__TRY(npu__nn_k_need(call, 5, 3, npu__nn_k_dim(call, 0, 0), npu__nn_k_dim(call, 0, 1)));
    NPU__TRY(npu__nn_k_need(call, 6, 2, d.n_unit, d.n_aux));
    if (npu_call_input(call, 5, &t) != npu_call_input(call, 6, &t)) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.rnn", "an auxiliary input must have weights");
    }
    NPU__TRY(npu__nn_k_prepare(call, 0));
    return npu__nn_k_memory(call, 0, (int64_t)d.n_batch * d.n_unit * 2);
}

NPU__FN npu_status npu__nn_rnn_eval(void *user, npu_call *call) {
    const int32_t act = (int32_t)npu__nn_k_int(call, "activation");
    const int     backward = npu__nn_k_int(call, "backward") != 0;
    const float  *in[7];
    float        *out = npu__nn_k_out(call, 0), *state = npu__nn_k_out(call, 1), *last;
    npu__nn_rnn   d;
    int64_t       done = 0;
    (void)user;
    npu__nn_rnn_sizes(call, &d);
    for (int32_t i = 0; i < 7; i++) NPU__TRY(npu__nn_k_in(call, i, 0.0f, &in[i]));
    last = (float *)npu__nn_k_work(call, 0); /* the last state, and behind it the one before */
    for (int64_t b = 0; b < d.n_batch; b++) {
        float *now = last + b * 2 * d.n_unit, *before = now + d.n_unit;
        for (int32_t u = 0; u < d.n_unit; u++) now[u] = in[4][b * d.n_unit + u];
        for (int64_t step = 0; step < d.n_time; step++) {
            const int64_t t = backward ? d.n_time - 1 - step : step, row = d.time_major ? t * d.n_batch + b : b * d.n_time + t;
            for (int32_t u = 0; u < d.n_unit; u++) before[u] = now[u];
            for (int64_t u = 0; u < d.n_unit; u++) {
                float sum = in[3][u] + npu__nn_k_dot(in[1] + u * d.n_x, in[0] + row * d.n_x, d.n_x);
                sum += npu__nn_k_dot(in[2] + u * d.n_unit, before, d.n_unit);
                if (d.n_aux > 0) sum += npu__nn_k_dot(in[6] + u * d.n_aux, in[5] + row * d.n_aux, d.n_aux);
                now[u] = npu__nn_k_act(act, sum);
                out[row * d.n_unit + u] = now[u];
                if (!npu__nn_k_poll(call, &done, (int64_t)d.n_x + d.n_unit + d.n_aux)) return NPU_CANCELLED;
            }
        }
        for (int32_t u = 0; state && u < d.n_unit; u++) state[b * d.n_unit + u] = now[u];
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_rnn_work(void *user, const npu_call *call) {
    npu__nn_rnn d;
    (void)user;
    npu__nn_rnn_sizes(call, &d);
    return npu__sat_mul(npu__sat_mul(d.n_batch, d.n_time), npu__sat_mul(d.n_unit, (int64_t)d.n_x + d.n_unit + d.n_aux + 16));
}

/* ---- nnapi.svdf: input, feature weights, time weights, bias, state -> state, output ---- */

NPU__FN npu_status npu__nn_svdf_infer(void *user, npu_call *call) {
    const int64_t rank = npu__nn_k_int(call, "rank"), filters = npu__nn_k_dim(call, 1, 0);
    (void)user;
    if (rank < 1 || filters % rank != 0) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.svdf_rank", "its filters must be a multiple of the rank, at least 1");
    }
    NPU__TRY(npu__nn_k_shape(call, 0, 2, npu__nn_k_dim(call, 0, 0), npu__sat_mul(filters, npu__nn_k_dim(call, 2, 1)), 0, 0));
    return npu__nn_k_shape(call, 1, 2, npu__nn_k_dim(call, 0, 0), filters / rank, 0, 0);
}

NPU__FN npu_status npu__nn_svdf_prepare(void *user, npu_call *call) {
    const int64_t rank = npu__nn_k_int(call, "rank"); /* infer saw that it divides the filters, so it is no more than them or 0 */
    const int32_t batch = npu__nn_k_dim(call, 0, 0), filters = npu__nn_k_dim(call, 1, 0), memory = npu__nn_k_dim(call, 2, 1);
    (void)user;
    if (memory < 1 || filters < 1 || !npu__nn_k_act_known(npu__nn_k_int(call, "activation"))) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.svdf", "it must have filters, a memory, and an activation that is known");
    }
    NPU__TRY(npu__nn_k_need(call, 0, 2, batch, -1));
    NPU__TRY(npu__nn_k_need(call, 1, 2, filters, npu__nn_k_dim(call, 0, 1)));
    NPU__TRY(npu__nn_k_need(call, 2, 2, filters, memory));
    NPU__TRY(npu__nn_k_need(call, 3, 1, (int32_t)(filters / rank), -1));
    NPU__TRY(npu__nn_k_need(call, 4, 2, batch, memory * filters)); /* bounded: infer made it a dimension */
    return npu__nn_k_prepare(call, 0);
}

NPU__FN npu_status npu__nn_svdf_eval(void *user, npu_call *call) {
    const int64_t rank = npu__nn_k_int(call, "rank");
    const int32_t act = (int32_t)npu__nn_k_int(call, "activation"), batch = npu__nn_k_dim(call, 0, 0), n_x = npu__nn_k_dim(call, 0, 1);
    const int32_t filters = npu__nn_k_dim(call, 1, 0), memory = npu__nn_k_dim(call, 2, 1);
    const float  *in[5];
    float        *state = npu__nn_k_out(call, 0), *out = npu__nn_k_out(call, 1);
    int64_t       done = 0;
    (void)user;
    for (int32_t i = 0; i < 5; i++) NPU__TRY(npu__nn_k_in(call, i, 0.0f, &in[i]));
    for (int64_t b = 0; b < batch; b++) {
        float sum = 0.0f;
        for (int64_t f = 0; f < filters; f++) {
            const int64_t at = (b * filters + f) * memory; /* bounded: elements of the state */
            const float  *before = in[4] + at, *time = in[2] + f * memory;
            const float   newest = npu__nn_k_dot(in[1] + f * n_x, in[0] + b * n_x, n_x);
            if (f % rank == 0) sum = in[3] ? in[3][f / rank] : 0.0f;
            /* The last place of the state that comes in is free for the newest; what goes out has moved up by one. */
            sum += npu__nn_k_dot(time, before, memory - 1) + time[memory - 1] * newest;
            for (int32_t m = 1; m < memory; m++) state[at + m - 1] = m < memory - 1 ? before[m] : newest;
            state[at + memory - 1] = 0.0f;
            if (f % rank == rank - 1) out[b * (filters / rank) + f / rank] = npu__nn_k_act(act, sum);
            if (!npu__nn_k_poll(call, &done, (int64_t)n_x + memory)) return NPU_CANCELLED;
        }
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_svdf_work(void *user, const npu_call *call) {
    const int64_t cells = npu__sat_mul(npu__nn_k_dim(call, 0, 0), npu__nn_k_dim(call, 1, 0));
    (void)user;
    return npu__sat_mul(cells, (int64_t)npu__nn_k_dim(call, 0, 1) + 2 * (int64_t)npu__nn_k_dim(call, 2, 1) + 16);
}

#endif
