/* GRU of Circle, float only, by the arithmetic of ONE's interpreter:
 *
 *     a = state * hidden_input' + its bias, b = x * hidden_hidden' + its bias, each in three parts of `units`
 *     z = logistic(a0 + b0), r = logistic(a1 + b1), state = z * state + (1 - z) * tanh(r * a2 + b2)
 *
 * So the tensor that the format calls hidden_input is multiplied by the state, and hidden_hidden by the input. The state that it
 * begins with is an input, nothing is kept between runs. */
#include "matvec.h"

typedef struct npu__gru {
    const char *kernel; /* for profiles */
    int64_t batch;
    int32_t time, depth, units, all; /* all: return_sequences */
    int32_t slot;                    /* a and b, of one batch */
} npu__gru;

enum { NPU__GRU_IN, NPU__GRU_W_IN, NPU__GRU_B_IN, NPU__GRU_W_STATE, NPU__GRU_B_STATE, NPU__GRU_STATE };

NPU__FN npu_status npu__gru_infer(npu__ctx *c) {
    const npu__opts_GRUOptions *o = NPU__OPTIONS(c->node, GRUOptions);
    const npu__shape           *in = &c->in[NPU__GRU_IN]->shape, *state = &c->in[NPU__GRU_STATE]->shape;
    npu__shape                  s = *state;
    NPU__TRY(npu__need_rank(c, c->in[NPU__GRU_IN], "the input", 3, 3));
    NPU__TRY(npu__need_rank(c, c->in[NPU__GRU_STATE], "the state", 1, NPU_MAX_RANK));
    if (o->return_sequences) s = npu__shape_make(3, in->dims[0], in->dims[1], state->dims[state->rank - 1], 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__gru_weights(npu__ctx *c, int32_t i, int32_t units, int32_t depth) {
    const npu__val *w = c->in[i], *bias = c->in[i + 1];
    NPU__TRY(npu__need_type(c, w, "the weights", NPU_FLOAT32));
    NPU__TRY(npu__need_rank(c, w, "the weights", 2, 2));
    if (units > INT32_MAX / 3 || w->shape.dims[0] != 3 * units || w->shape.dims[1] != depth) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "gru.weights", "input %d must be [%l,%d]: got [%d,%d]", i, 3 * (int64_t)units, depth,
                         w->shape.dims[0], w->shape.dims[1]);
    }
    if (!bias) return NPU_OK;
    NPU__TRY(npu__need_type(c, bias, "the bias", NPU_FLOAT32));
    if (npu__elems(bias) == w->shape.dims[0]) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "gru.bias", "input %d must have %d elements: got %l", i + 1, w->shape.dims[0],
                     npu__elems(bias));
}

NPU__FN npu_status npu__gru_prepare(npu__ctx *c) {
    const npu__opts_GRUOptions *o = NPU__OPTIONS(c->node, GRUOptions);
    const npu__val             *in = c->in[NPU__GRU_IN], *state = c->in[NPU__GRU_STATE];
    npu__gru                   *d = (npu__gru *)c->data;
    const int32_t               act = o->fused_activation_function;
    if (in->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32 || state->type != NPU_FLOAT32) return npu__fail_types(c);
    if (act != NPU__ACT_NONE && act != NPU__ACT_TANH) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "gru.fused_activation", "the activation of a GRU is TANH (or none said): got %d", act);
    }
    d->kernel = npu__matvec_name(c, 0);
    d->time = in->shape.dims[0];
    d->batch = in->shape.dims[1];
    d->depth = in->shape.dims[2];
    d->units = npu__dim(state, -1);
    d->all = o->return_sequences;
    /* ONE's converter leaves time_major out though time comes first; it makes batches of 1 only, of which there is no doubt. */
    if (!o->time_major && d->batch != 1) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "gru.time_major", "several batches (%l) need the time first and time_major set", d->batch);
    }
    if (npu__elems(state) != d->batch * d->units) { /* bounded: two dimensions */
        return NPU__FAIL(c, NPU_INVALID_MODEL, "gru.state", "the state must have %d elements for each of %l batches: got %l",
                         d->units, d->batch, npu__elems(state));
    }
    NPU__TRY(npu__gru_weights(c, NPU__GRU_W_IN, d->units, d->depth));
    NPU__TRY(npu__gru_weights(c, NPU__GRU_W_STATE, d->units, d->units));
    d->slot = npu__want_scratch(c, 7 * sizeof(float) * (size_t)d->units); /* bounded: 3 of them are a dimension of 32 bits */
    return d->slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN void npu__gru_sums(npu__ctx *c, const npu__matvec *m, int32_t i, const float *x, int32_t n, int32_t units, float *out) {
    const npu__val *bias = c->in[i + 1];
    npu__matvec_f32(m, (const float *)c->in[i]->data, x, n, bias ? (const float *)bias->data : NULL, out, 3 * units);
}

NPU__FN npu_status npu__gru_eval(npu__ctx *c) {
    const npu__gru *d = (const npu__gru *)c->data;
    const int64_t   n = d->units;
    float          *a = (float *)npu__slot(c, d->slot), *b = a + 3 * n, *h = b + 3 * n;
    npu__matvec     m;
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__matvec_init(&m, c, -1, -1); /* floats need no work space */
    for (int64_t batch = 0; batch < d->batch; batch++) {
        memcpy(h, (const float *)c->in[NPU__GRU_STATE]->data + batch * n, (size_t)n * sizeof(float)); /* bounded: of a tensor */
        for (int32_t t = 0; t < d->time; t++) {
            const int64_t at = t * d->batch + batch;
            const float  *x = (const float *)c->in[NPU__GRU_IN]->data + at * d->depth;
            npu__gru_sums(c, &m, NPU__GRU_W_STATE, h, d->units, d->units, a);
            npu__gru_sums(c, &m, NPU__GRU_W_IN, x, d->depth, d->units, b);
            for (int64_t i = 0; i < 2 * n; i++) b[i] += a[i];
            npu__matvec_logistic(m.pw, b, 2 * n);
            for (int64_t i = 0; i < n; i++) b[2 * n + i] += b[n + i] * a[2 * n + i];
            npu__matvec_activate(m.pw, b + 2 * n, n, NPU__ACT_TANH);
            for (int64_t i = 0; i < n; i++) h[i] = b[i] * h[i] + (1.0f - b[i]) * b[2 * n + i];
            NPU__POLL(c, 3 * n * (d->depth + n));
            if (d->all) memcpy((float *)c->out[0]->data + at * n, h, (size_t)n * sizeof(float)); /* bounded: of a tensor */
        }
        if (!d->all) memcpy((float *)c->out[0]->data + batch * n, h, (size_t)n * sizeof(float)); /* bounded: of a tensor */
    }
    return NPU_OK;
}

NPU__FN npu__work npu__gru_work(const npu__ctx *c) {
    const npu__gru *d = (const npu__gru *)c->data;
    return npu__work_macs(c, npu__sat_mul(npu__sat_mul(d->batch, d->time), npu__sat_mul(3 * (int64_t)d->units, d->depth + (int64_t)d->units)));
}

NPU__OPDEF(npu__op_gru) = {6, 6, 1, 1, 1u << 2 | 1u << 4, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__gru), npu__gru_infer, npu__gru_prepare, NULL,
                           npu__gru_eval, npu__gru_work};
