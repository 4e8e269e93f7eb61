/* LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM: shapes, and which inputs a cell has (lstm_cell.c). */
#include "lstm.h"

/* ---- one cell ---- */

/* The shape of output `i`: the input's, with `n` in the last dimension. */
NPU__FN npu_status npu__lstm_set_output(npu__ctx *c, int32_t i, int64_t n) {
    npu__shape s = c->in[NPU__LSTM_X]->shape;
    if (n > INT32_MAX) return NPU__FAIL(c, NPU_LIMIT, "lstm.output_size", "the output is too large");
    s.dims[s.rank - 1] = (int32_t)n;
    return npu__set_shape(c, i, &s);
}

NPU__FN npu_status npu__lstm_infer_one(npu__ctx *c, int32_t rank) {
    const npu__val *r_out;
    if ((c->n_in != 20 && c->n_in != 24) || c->n_out != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.inputs",
                         "the op must have 20 or 24 inputs and 1 output: got %d and %d", c->n_in, c->n_out);
    }
    r_out = c->in[NPU__LSTM_R + NPU__GATE_OUT];
    if (!r_out) return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.weights", "recurrent_to_output_weights are missing");
    NPU__TRY(npu__need_rank(c, c->in[NPU__LSTM_X], "input", rank, rank));
    NPU__TRY(npu__need_rank(c, r_out, "recurrent_to_output_weights", 1, 2));
    return npu__lstm_set_output(c, 0, npu__dim(r_out, -1));
}

/* Every role has the input of its number. */
NPU__FN void npu__lstm_one_cell(npu__ctx *c, npu__lstm *d) {
    for (int role = 0; role < NPU__LSTM_ROLES; role++) d->at[role] = (int8_t)(role < NPU__LSTM_AUX ? role : -1);
    d->activation = npu__fused_activation(c->node);
    d->n_x = npu__dim(c->in[NPU__LSTM_X], -1);
    d->out_step = npu__dim(c->out[0], -1);
}

NPU__FN npu__work npu__lstm_count(const npu__ctx *c) {
    npu__work w = npu__work_elements(c);
    npu__lstm_add_work((const npu__lstm *)c->data, &w);
    return w;
}

NPU__FN npu_status npu__lstm_eval(npu__ctx *c) { return npu__lstm_eval_cell(c, (const npu__lstm *)c->data); }

/* ---- UNIDIRECTIONAL_SEQUENCE_LSTM ---- */

NPU__FN npu_status npu__uni_lstm_infer(npu__ctx *c) { return npu__lstm_infer_one(c, 3); }

NPU__FN npu_status npu__uni_lstm_prepare(npu__ctx *c) {
    npu__lstm                                         *d = (npu__lstm *)c->data;
    const npu__opts_UnidirectionalSequenceLSTMOptions *o = NPU__OPTIONS(c->node, UnidirectionalSequenceLSTMOptions);
    const npu__shape                                  *x = &c->in[NPU__LSTM_X]->shape;
    npu__lstm_one_cell(c, d);
    d->cell_clip = o->cell_clip;
    d->proj_clip = o->proj_clip;
    d->time_major = o->time_major;
    d->asymmetric = o->asymmetric_quantize_inputs;
    d->diagonals = 1;
    d->n_batch = x->dims[d->time_major ? 1 : 0];
    d->n_time = x->dims[d->time_major ? 0 : 1];
    return npu__lstm_prepare_cell(c, d, NPU__LSTM_ALL_KINDS);
}

NPU__OPDEF(npu__op_unidirectional_sequence_lstm) = {
    20, 24, 1, 1, NPU__LSTM_OPTIONAL, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__lstm), npu__uni_lstm_infer, npu__uni_lstm_prepare, NULL,
    npu__lstm_eval, npu__lstm_count};

/* ---- LSTM: one time step ---- */

NPU__FN int npu__lstm_is_basic(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, LSTMOptions)->kernel_type == NPU__LSTM_KERNEL_BASIC;
}

NPU__FN npu_status npu__step_lstm_infer(npu__ctx *c) {
    return npu__lstm_is_basic(c) ? npu__lstm_basic_infer(c) : npu__lstm_infer_one(c, 2);
}

NPU__FN npu_status npu__step_lstm_prepare(npu__ctx *c) {
    npu__lstm                    *d = (npu__lstm *)c->data;
    const npu__opts_LSTMOptions *o = NPU__OPTIONS(c->node, LSTMOptions);
    if (npu__lstm_is_basic(c)) return npu__lstm_basic_prepare(c, d);
    npu__lstm_one_cell(c, d);
    d->cell_clip = o->cell_clip;
    d->proj_clip = o->proj_clip;
    d->asymmetric = o->asymmetric_quantize_inputs;
    d->time_major = 1;
    d->n_batch = c->in[NPU__LSTM_X]->shape.dims[0];
    d->n_time = 1;
    return npu__lstm_prepare_cell(c, d, NPU__LSTM_LITERT_KINDS);
}

NPU__FN npu_status npu__step_lstm_eval(npu__ctx *c) {
    return npu__lstm_is_basic(c) ? npu__lstm_basic_eval(c, (const npu__lstm *)c->data) : npu__lstm_eval(c);
}

NPU__OPDEF(npu__op_lstm) = {
    5, 24, 1, 4, NPU__LSTM_OPTIONAL, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__lstm), npu__step_lstm_infer, npu__step_lstm_prepare, NULL,
    npu__step_lstm_eval, npu__lstm_count};

/* ---- BIDIRECTIONAL_SEQUENCE_LSTM ---- */

/* Inputs: those of the forward cell where a single cell has them, then as many of the backward one, then all that is left. */
enum { NPU__BIDI_BACK = 17, NPU__BIDI_STATE = 35, NPU__BIDI_AUX = 39, NPU__BIDI_INPUTS = 48 };

typedef struct npu__bidi_lstm {
    npu__lstm cell[2]; /* forward, backward */
} npu__bidi_lstm;

NPU__FN npu_status npu__bidi_lstm_infer(npu__ctx *c) {
    const int       merge = NPU__OPTIONS(c->node, BidirectionalSequenceLSTMOptions)->merge_outputs;
    const npu__val *forth = c->in[NPU__LSTM_R + NPU__GATE_OUT], *back = c->in[NPU__BIDI_BACK + NPU__LSTM_R + NPU__GATE_OUT];
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 3, 3));
    NPU__TRY(npu__need_rank(c, forth, "recurrent_to_output_weights", 2, 2));
    NPU__TRY(npu__need_rank(c, back, "recurrent_to_output_weights", 2, 2));
    if (c->n_out != (merge ? 1 : 2)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.outputs", "there must be %d outputs: got %d", merge ? 1 : 2, c->n_out);
    }
    if (merge) return npu__lstm_set_output(c, 0, (int64_t)npu__dim(forth, 1) + npu__dim(back, 1));
    NPU__TRY(npu__lstm_set_output(c, 0, npu__dim(forth, 1)));
    return npu__lstm_set_output(c, 1, npu__dim(back, 1));
}

/* Where a cell's inputs are. */
NPU__FN npu_status npu__bidi_lstm_inputs(npu__ctx *c, npu__lstm *d) {
    const npu__val *x = c->in[0], *aux = c->in[NPU__BIDI_AUX];
    const int       has_weights = c->in[NPU__BIDI_AUX + 2] != NULL, back = d->backward;
    for (int role = 0; role < NPU__LSTM_ROLES; role++) d->at[role] = -1;
    d->at[NPU__LSTM_X] = 0;
    for (int role = NPU__LSTM_W; role < NPU__LSTM_H; role++) d->at[role] = (int8_t)(role + (back ? NPU__BIDI_BACK : 0));
    d->at[NPU__LSTM_H] = (int8_t)(NPU__BIDI_STATE + 2 * back);
    d->at[NPU__LSTM_C] = (int8_t)(NPU__BIDI_STATE + 2 * back + 1);
    d->n_x = x->shape.dims[2];
    if (!aux) return NPU_OK;
    NPU__TRY(npu__need_type(c, aux, "auxiliary input", x->type));
    NPU__TRY(npu__need_rank(c, aux, "auxiliary input", 3, 3));
    if (aux->shape.dims[0] != x->shape.dims[0] || aux->shape.dims[1] != x->shape.dims[1] || aux->shape.dims[2] < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.aux_shape", "the auxiliary input must have the input's batches and times");
    }
    if (has_weights) {
        d->n_aux = aux->shape.dims[2];
        d->at[NPU__LSTM_AUX] = NPU__BIDI_AUX;
        for (int g = 0; g < 4; g++) d->at[NPU__LSTM_AUX_W + g] = (int8_t)(NPU__BIDI_AUX + 1 + 4 * back + g);
    } else if (back) { /* stacked layers that were not merged: the layer before gives each direction its own input */
        d->at[NPU__LSTM_X] = NPU__BIDI_AUX;
        d->n_x = aux->shape.dims[2];
    }
    return NPU_OK;
}

NPU__FN npu_status npu__bidi_lstm_prepare(npu__ctx *c) {
    npu__bidi_lstm                                   *b = (npu__bidi_lstm *)c->data;
    const npu__opts_BidirectionalSequenceLSTMOptions *o = NPU__OPTIONS(c->node, BidirectionalSequenceLSTMOptions);
    const npu__shape                                 *x = &c->in[0]->shape;
    for (int back = 0; back < 2; back++) {
        npu__lstm *d = &b->cell[back];
        d->backward = back;
        d->activation = npu__fused_activation(c->node);
        d->cell_clip = o->cell_clip;
        d->proj_clip = o->proj_clip;
        d->time_major = o->time_major;
        d->asymmetric = o->asymmetric_quantize_inputs;
        d->n_batch = x->dims[d->time_major ? 1 : 0];
        d->n_time = x->dims[d->time_major ? 0 : 1];
        d->out = o->merge_outputs ? 0 : back;
        d->out_at = o->merge_outputs && back ? b->cell[0].n_h : 0;
        d->out_step = npu__dim(c->out[d->out], -1);
        NPU__TRY(npu__bidi_lstm_inputs(c, d));
        NPU__TRY(npu__lstm_prepare_cell(c, d, 1 << NPU__LSTM_FLOAT | 1 << NPU__LSTM_HYBRID));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__bidi_lstm_eval(npu__ctx *c) {
    const npu__bidi_lstm *b = (const npu__bidi_lstm *)c->data;
    NPU__TRY(npu__lstm_eval_cell(c, &b->cell[0]));
    return npu__lstm_eval_cell(c, &b->cell[1]);
}

NPU__FN npu__work npu__bidi_lstm_count(const npu__ctx *c) {
    const npu__bidi_lstm *b = (const npu__bidi_lstm *)c->data;
    npu__work             w = npu__work_elements(c);
    npu__lstm_add_work(&b->cell[0], &w);
    npu__lstm_add_work(&b->cell[1], &w);
    return w;
}

/* The last bit makes states optional as well, as there is none for each later input: npu__lstm_structure asks for them. */
NPU__OPDEF(npu__op_bidirectional_sequence_lstm) = {
    NPU__BIDI_INPUTS, NPU__BIDI_INPUTS, 1, 2,
    1u << 1 | 1u << 5 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 16 | 1u << 17 | 1u << 18 | 1u << 22 | 1u << 26 | 1u << 27 |
        1u << 28 | 1u << 29 | 1u << 31,
    NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__bidi_lstm), npu__bidi_lstm_infer, npu__bidi_lstm_prepare, NULL, npu__bidi_lstm_eval,
    npu__bidi_lstm_count};
