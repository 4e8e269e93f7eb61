/* RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN: fully connected layers that see their own last output, one
 * or, in both directions of time, two. Float, and hybrid: int8 weights, rows quantized as they come (UINT8 weights hold int8 as well). */
#include "matvec.h"
#include "scratch.h"

/* What a cell's inputs are for. The auxiliary input only the bidirectional operator has. */
enum {
    NPU__RNN_X = 0, NPU__RNN_W = 1, NPU__RNN_R = 2, NPU__RNN_BIAS = 3, NPU__RNN_H = 4, NPU__RNN_AUX = 5, NPU__RNN_AUX_W = 6,
    NPU__RNN_ROLES = 7
};

typedef struct npu__rnn {
    const char *kernel;         /* for profiles */
    int32_t at[NPU__RNN_ROLES]; /* which input of the operator; -1: none */
    int32_t n_batch, n_time, n_x, n_aux, n_unit; /* n_aux 0: no auxiliary input */
    int32_t time_major, backward, activation, asymmetric, hybrid;
    int32_t out, out_at, out_step; /* output, first element of a row, elements from row to row */
    int32_t staged, sums, quantized; /* slots: npu__matvec's two, one int8 row */
} npu__rnn;

NPU__INLINE npu__val *npu__rnn_in(const npu__ctx *c, const npu__rnn *d, int role) {
    return d->at[role] >= 0 ? npu__opt_in(c, d->at[role]) : NULL;
}

/* ---- prepare ---- */

NPU__FN npu_status npu__rnn_set_output(npu__ctx *c, int32_t i, int64_t n) {
    npu__shape s = c->in[0]->shape;
    if (n > INT32_MAX) return NPU__FAIL(c, NPU_LIMIT, "rnn.output_size", "the output is too large");
    s.dims[s.rank - 1] = (int32_t)n;
    return npu__set_shape(c, i, &s);
}

NPU__FN npu_status npu__rnn_need(npu__ctx *c, const npu__rnn *d, int role, int32_t type, int32_t d0, int32_t d1) {
    const npu__val *v = npu__rnn_in(c, d, role);
    const int       rank = d1 < 0 ? 1 : 2;
    if (!v) return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.inputs", "input %d is missing", d->at[role]);
    if (v->type != type) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "rnn.type", "input %d must be %s: got %s", d->at[role], npu_type_name((npu_type)type),
                         npu_type_name((npu_type)v->type));
    }
    if (v->shape.rank != rank || npu__dim(v, 0) != d0 || (rank == 2 && npu__dim(v, 1) != d1)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.shape",
                         "input %d must have the shape [%d, %d] (-1: none): got rank %d, [%d, %d]", d->at[role], d0, d1,
                         v->shape.rank, npu__dim(v, 0), npu__dim(v, 1));
    }
    return v->type == NPU_FLOAT32 ? NPU_OK : npu__need_quant(c, v, "a weight tensor");
}

/* The fields of *d before `hybrid` are there, but n_unit; then everything else. */
NPU__FN npu_status npu__rnn_prepare_cell(npu__ctx *c, npu__rnn *d) {
    const npu__val *w = npu__rnn_in(c, d, NPU__RNN_W), *h = npu__rnn_in(c, d, NPU__RNN_H);
    int32_t         longest;
    if (!w || !h) return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.inputs", "weights and hidden state must be there");
    if (c->in[0]->type != NPU_FLOAT32 || c->out[d->out]->type != NPU_FLOAT32 ||
        (w->type != NPU_FLOAT32 && w->type != NPU_INT8 && w->type != NPU_UINT8)) {
        return npu__fail_types(c);
    }
    d->hybrid = w->type != NPU_FLOAT32;
    d->kernel = npu__matvec_name(c, d->hybrid);
    d->n_unit = npu__dim(w, 0);
    NPU__TRY(npu__rnn_need(c, d, NPU__RNN_W, w->type, d->n_unit, d->n_x));
    NPU__TRY(npu__rnn_need(c, d, NPU__RNN_R, w->type, d->n_unit, d->n_unit));
    NPU__TRY(npu__rnn_need(c, d, NPU__RNN_BIAS, NPU_FLOAT32, d->n_unit, -1));
    NPU__TRY(npu__rnn_need(c, d, NPU__RNN_H, NPU_FLOAT32, d->n_batch, d->n_unit));
    if (d->n_aux > 0) NPU__TRY(npu__rnn_need(c, d, NPU__RNN_AUX_W, w->type, d->n_unit, d->n_aux));
    if (!h->t->is_variable) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.state", "the hidden state must be a variable tensor");
    }
    if (d->n_x < 1 || d->n_unit < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.empty", "inputs and units must be at least 1: got %d and %d", d->n_x,
                         d->n_unit);
    }
    if (d->activation < NPU__ACT_NONE || d->activation > NPU__ACT_TANH) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "rnn.activation", "activation code %d is not supported", d->activation);
    }
    longest = NPU__MAX(d->n_x, NPU__MAX(d->n_aux, d->n_unit));
    NPU__TRY(npu__matvec_want(c, longest, longest, &d->staged, &d->sums));
    return npu__want_array(c, 0, longest, 1, 1, &d->quantized);
}

/* ---- eval ---- */

/* out[r] += weights[r] . v */
NPU__FN void npu__rnn_add(const npu__ctx *c, const npu__rnn *d, npu__matvec *m, int role, const float *v, int32_t n, float *out) {
    const npu__val *w = npu__rnn_in(c, d, role);
    if (d->hybrid) {
        npu__matvec_hybrid(m, w, npu__matvec_quantize(m, v, n, d->asymmetric, (int8_t *)npu__slot(c, d->quantized)), out, out, d->n_unit);
    } else {
        npu__matvec_f32(m, (const float *)w->data, v, n, out, out, d->n_unit);
    }
}

/* One time step of one batch entry: `out` takes the sums, then the new state. */
NPU__FN void npu__rnn_step(const npu__ctx *c, const npu__rnn *d, npu__matvec *m, const float *x, const float *aux, float *h,
                          float *out) {
    memcpy(out, npu__rnn_in(c, d, NPU__RNN_BIAS)->data, (size_t)d->n_unit * sizeof(float));
    npu__rnn_add(c, d, m, NPU__RNN_W, x, d->n_x, out);
    if (aux) npu__rnn_add(c, d, m, NPU__RNN_AUX_W, aux, d->n_aux, out);
    npu__rnn_add(c, d, m, NPU__RNN_R, h, d->n_unit, out);
    npu__matvec_activate(m->pw, out, d->n_unit, d->activation);
    memcpy(h, out, (size_t)d->n_unit * sizeof(float));
}

NPU__FN int64_t npu__rnn_step_macs(const npu__rnn *d) { return npu__sat_mul(d->n_unit, (int64_t)d->n_x + d->n_aux + d->n_unit); }

NPU__FN npu_status npu__rnn_eval_cell(npu__ctx *c, const npu__rnn *d) {
    const float  *x = (const float *)npu__rnn_in(c, d, NPU__RNN_X)->data;
    const float  *aux = d->n_aux > 0 ? (const float *)npu__rnn_in(c, d, NPU__RNN_AUX)->data : NULL;
    float        *h = (float *)npu__rnn_in(c, d, NPU__RNN_H)->data, *out;
    const int64_t steps = npu__rnn_step_macs(d);
    int64_t       done = 0;
    npu__matvec   m;
    if (c->out[d->out]->bytes == 0) return NPU_OK; /* no batches, or no time */
    out = (float *)c->out[d->out]->data + d->out_at;
    npu__matvec_init(&m, c, d->staged, d->sums);
    if (d->hybrid) m.pw = NULL; /* matvec.h */
    for (int32_t b = 0; b < d->n_batch; b++, h += d->n_unit) {
        for (int32_t t = 0; t < d->n_time; t++) {
            const int64_t when = d->backward ? d->n_time - 1 - t : t;
            const int64_t row = d->time_major ? when * d->n_batch + b : (int64_t)b * d->n_time + when;
            npu__rnn_step(c, d, &m, x + row * d->n_x, aux ? aux + row * d->n_aux : NULL, h, out + row * d->out_step);
            NPU__POLL_PASS(c, done, steps);
        }
    }
    return NPU_OK;
}

NPU__FN void npu__rnn_add_work(const npu__rnn *d, npu__work *w) {
    const int64_t rows = (int64_t)d->n_batch * d->n_time, macs = npu__sat_mul(rows, npu__rnn_step_macs(d));
    w->macs = npu__sat_add(w->macs, macs);
    w->steps = npu__sat_add(w->steps, macs);
    w->steps = npu__sat_add(w->steps, npu__sat_mul(rows, 16 * (int64_t)d->n_unit)); /* of the activation, as npu__work_exp */
}

/* ---- RNN, UNIDIRECTIONAL_SEQUENCE_RNN ---- */

NPU__FN npu_status npu__rnn_infer(npu__ctx *c) {
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[1], "weights", 2, 2));
    return npu__rnn_set_output(c, 0, npu__dim(c->in[1], 0));
}

NPU__FN npu_status npu__sequence_rnn_infer(npu__ctx *c) {
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 3, 3));
    NPU__TRY(npu__need_rank(c, c->in[1], "weights", 2, 2));
    return npu__rnn_set_output(c, 0, npu__dim(c->in[1], 0));
}

NPU__FN npu_status npu__rnn_prepare_one(npu__ctx *c, npu__rnn *d) {
    for (int role = 0; role < NPU__RNN_ROLES; role++) d->at[role] = role < NPU__RNN_AUX ? role : -1;
    d->n_x = npu__dim(c->in[0], -1);
    d->activation = npu__fused_activation(c->node);
    d->out_step = npu__dim(c->out[0], -1);
    return npu__rnn_prepare_cell(c, d);
}

NPU__FN npu_status npu__rnn_prepare(npu__ctx *c) {
    npu__rnn *d = (npu__rnn *)c->data;
    d->asymmetric = NPU__OPTIONS(c->node, RNNOptions)->asymmetric_quantize_inputs;
    d->n_batch = npu__dim(c->in[0], 0);
    d->n_time = 1;
    return npu__rnn_prepare_one(c, d);
}

NPU__FN npu_status npu__sequence_rnn_prepare(npu__ctx *c) {
    npu__rnn                            *d = (npu__rnn *)c->data;
    const npu__opts_SequenceRNNOptions *o = NPU__OPTIONS(c->node, SequenceRNNOptions);
    d->time_major = o->time_major;
    d->asymmetric = o->asymmetric_quantize_inputs;
    d->n_batch = npu__dim(c->in[0], d->time_major ? 1 : 0);
    d->n_time = npu__dim(c->in[0], d->time_major ? 0 : 1);
    return npu__rnn_prepare_one(c, d);
}

NPU__FN npu_status npu__rnn_eval(npu__ctx *c) { return npu__rnn_eval_cell(c, (const npu__rnn *)c->data); }

NPU__FN npu__work npu__rnn_count(const npu__ctx *c) {
    npu__work w = npu__work_elements(c);
    npu__rnn_add_work((const npu__rnn *)c->data, &w);
    return w;
}

NPU__OPDEF(npu__op_rnn) = {5, 5, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__rnn), npu__rnn_infer, npu__rnn_prepare, NULL,
                           npu__rnn_eval, npu__rnn_count};
NPU__OPDEF(npu__op_unidirectional_sequence_rnn) = {5, 5, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__rnn), npu__sequence_rnn_infer,
                                                   npu__sequence_rnn_prepare, NULL, npu__rnn_eval, npu__rnn_count};

/* ---- BIDIRECTIONAL_SEQUENCE_RNN ---- */

/* Inputs: the forward cell's where a single one has them, four of the backward cell, then all that is left. */
enum { NPU__BIDI_RNN_BACK = 4, NPU__BIDI_RNN_AUX = 9 };

typedef struct npu__bidi_rnn {
    npu__rnn cell[2]; /* forward, backward */
} npu__bidi_rnn;

NPU__FN npu_status npu__bidi_rnn_infer(npu__ctx *c) {
    const int       merge = NPU__OPTIONS(c->node, BidirectionalSequenceRNNOptions)->merge_outputs;
    const npu__val *forth = c->in[NPU__RNN_W], *back = c->in[NPU__BIDI_RNN_BACK + NPU__RNN_W];
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 3, 3));
    NPU__TRY(npu__need_rank(c, forth, "forward weights", 2, 2));
    NPU__TRY(npu__need_rank(c, back, "backward weights", 2, 2));
    if (c->n_out != (merge ? 1 : 2)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.outputs", "there must be %d outputs: got %d", merge ? 1 : 2, c->n_out);
    }
    if (merge) return npu__rnn_set_output(c, 0, (int64_t)npu__dim(forth, 0) + npu__dim(back, 0));
    NPU__TRY(npu__rnn_set_output(c, 0, npu__dim(forth, 0)));
    return npu__rnn_set_output(c, 1, npu__dim(back, 0));
}

/* Where a cell's inputs are. */
NPU__FN npu_status npu__bidi_rnn_inputs(npu__ctx *c, npu__rnn *d) {
    const npu__val *x = c->in[0], *aux = c->in[NPU__BIDI_RNN_AUX];
    const int       back = d->backward;
    const int       weights = (c->in[NPU__BIDI_RNN_AUX + 1] != NULL) + (c->in[NPU__BIDI_RNN_AUX + 2] != NULL);
    for (int role = 0; role < NPU__RNN_AUX; role++) d->at[role] = role + (role && back ? NPU__BIDI_RNN_BACK : 0);
    d->at[NPU__RNN_AUX] = d->at[NPU__RNN_AUX_W] = -1;
    d->n_x = x->shape.dims[2];
    if (weights == 1 || (weights && !aux)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.aux",
                         "the auxiliary input and both of its weights must be there, or no weights");
    }
    if (!aux) return NPU_OK;
    NPU__TRY(npu__need_type(c, aux, "auxiliary input", x->type));
    NPU__TRY(npu__need_rank(c, aux, "auxiliary input", 3, 3));
    if (aux->shape.dims[0] != x->shape.dims[0] || aux->shape.dims[1] != x->shape.dims[1] || aux->shape.dims[2] < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rnn.aux_shape", "the auxiliary input must have the input's batches and times");
    }
    if (weights) {
        d->n_aux = aux->shape.dims[2];
        d->at[NPU__RNN_AUX] = NPU__BIDI_RNN_AUX;
        d->at[NPU__RNN_AUX_W] = NPU__BIDI_RNN_AUX + 1 + back;
    } else if (back) { /* stacked layers that were not merged: the layer before gives each direction its own input */
        d->at[NPU__RNN_X] = NPU__BIDI_RNN_AUX;
        d->n_x = aux->shape.dims[2];
    }
    return NPU_OK;
}

NPU__FN npu_status npu__bidi_rnn_prepare(npu__ctx *c) {
    npu__bidi_rnn                                    *b = (npu__bidi_rnn *)c->data;
    const npu__opts_BidirectionalSequenceRNNOptions *o = NPU__OPTIONS(c->node, BidirectionalSequenceRNNOptions);
    for (int back = 0; back < 2; back++) {
        npu__rnn *d = &b->cell[back];
        d->backward = back;
        d->time_major = o->time_major;
        d->asymmetric = o->asymmetric_quantize_inputs;
        d->activation = npu__fused_activation(c->node);
        d->n_batch = npu__dim(c->in[0], d->time_major ? 1 : 0);
        d->n_time = npu__dim(c->in[0], d->time_major ? 0 : 1);
        d->out = o->merge_outputs ? 0 : back;
        d->out_at = o->merge_outputs && back ? b->cell[0].n_unit : 0;
        d->out_step = npu__dim(c->out[d->out], -1);
        NPU__TRY(npu__bidi_rnn_inputs(c, d));
        NPU__TRY(npu__rnn_prepare_cell(c, d));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__bidi_rnn_eval(npu__ctx *c) {
    const npu__bidi_rnn *b = (const npu__bidi_rnn *)c->data;
    NPU__TRY(npu__rnn_eval_cell(c, &b->cell[0]));
    return npu__rnn_eval_cell(c, &b->cell[1]);
}

NPU__FN npu__work npu__bidi_rnn_count(const npu__ctx *c) {
    const npu__bidi_rnn *b = (const npu__bidi_rnn *)c->data;
    npu__work            w = npu__work_elements(c);
    npu__rnn_add_work(&b->cell[0], &w);
    npu__rnn_add_work(&b->cell[1], &w);
    return w;
}

NPU__OPDEF(npu__op_bidirectional_sequence_rnn) = {12, 12, 1, 2, 7u << NPU__BIDI_RNN_AUX, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__bidi_rnn),
                                                  npu__bidi_rnn_infer, npu__bidi_rnn_prepare, NULL, npu__bidi_rnn_eval,
                                                  npu__bidi_rnn_count};
