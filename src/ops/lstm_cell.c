/* The LSTM cell of all LSTM operators: checks common to all number formats, the choice of the format's file, the walk over time. */
#include "lstm.h"

/* The input for `role` (present) must have this type and these dims; d1 < 0: one dimension. */
NPU__FN npu_status npu__lstm_need(npu__ctx *c, const npu__lstm *d, int role, int32_t type, int32_t d0, int32_t d1) {
    const npu__val *v = npu__lstm_in(c, d, role);
    int32_t         i = d->at[role];
    int             rank = d1 < 0 ? 1 : 2;
    if (v->type != type) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.type", "input %d must be %s: got %s", i,
                         npu_type_name((npu_type)type), npu_type_name((npu_type)v->type));
    }
    if (v->shape.rank != rank || npu__dim(v, 0) != d0 || (rank == 2 && npu__dim(v, 1) != d1)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.shape",
                         "input %d must have the shape [%d, %d] (-1: none): got rank %d, [%d, %d]", i, d0, d1,
                         v->shape.rank, npu__dim(v, 0), npu__dim(v, 1));
    }
    return NPU_OK;
}

/* Which optional inputs are there, and do they go together? */
NPU__FN npu_status npu__lstm_structure(npu__ctx *c, npu__lstm *d) {
    int has_peep[3], ok = npu__lstm_in(c, d, NPU__LSTM_H) && npu__lstm_in(c, d, NPU__LSTM_C);
    for (int i = 0; i < 3; i++) has_peep[i] = npu__lstm_in(c, d, NPU__LSTM_PEEP_IN + i) != NULL;
    /* CIFG, the coupled gate: without tensors of its own the input gate is 1 - forget. The last peephole stands for all,
     * since CIFG leaves the first one out. */
    d->cifg = npu__lstm_in(c, d, NPU__LSTM_W) == NULL;
    d->peephole = has_peep[2];
    d->projection = npu__lstm_in(c, d, NPU__LSTM_PROJ_W) != NULL;
    d->layer_norm = npu__lstm_in(c, d, NPU__LSTM_NORM + NPU__GATE_FORGET) != NULL;
    ok = ok && (npu__lstm_in(c, d, NPU__LSTM_R) == NULL) == d->cifg;
    ok = ok && (npu__lstm_in(c, d, NPU__LSTM_BIAS) == NULL) == d->cifg;
    ok = ok && has_peep[1] == d->peephole && (has_peep[0] == d->peephole || (d->cifg && !has_peep[0]));
    ok = ok && (d->projection || npu__lstm_in(c, d, NPU__LSTM_PROJ_BIAS) == NULL);
    for (int g = 0; g < 4; g++) {
        int has = npu__lstm_in(c, d, NPU__LSTM_NORM + g) != NULL;
        if (d->layer_norm || g > 0) ok = ok && has == (d->layer_norm && !(g == NPU__GATE_IN && d->cifg));
    }
    for (int g = 1; g < 4; g++) { /* a tensor that CIFG leaves out is not optional for the other gates */
        ok = ok && npu__lstm_in(c, d, NPU__LSTM_W + g) && npu__lstm_in(c, d, NPU__LSTM_R + g);
        ok = ok && npu__lstm_in(c, d, NPU__LSTM_BIAS + g);
    }
    for (int g = d->cifg ? 1 : 0; g < 4; g++) ok = ok && (d->n_aux == 0 || npu__lstm_in(c, d, NPU__LSTM_AUX_W + g));
    if (ok) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.optional_inputs",
                     "the input gate's tensors, the peephole, projection and layer norm tensors must each be "
                     "complete or absent");
}

NPU__FN npu_status npu__lstm_choose(npu__ctx *c, npu__lstm *d, int kinds) {
    int32_t x = npu__lstm_in(c, d, NPU__LSTM_X)->type, w = npu__lstm_in(c, d, NPU__LSTM_W + NPU__GATE_OUT)->type;
    if (x == NPU_FLOAT32 && w == NPU_FLOAT32) d->kind = NPU__LSTM_FLOAT;
    else if (x == NPU_FLOAT32 && (w == NPU_INT8 || w == NPU_UINT8)) d->kind = NPU__LSTM_HYBRID;
    else if (x == NPU_INT8 && w == NPU_INT8) d->kind = c->n_mid == 5 ? NPU__LSTM_INT8 : NPU__LSTM_MICRO;
    else if (x == NPU_INT16 && w == NPU_INT8) d->kind = NPU__LSTM_MICRO;
    else return npu__fail_types(c);
    if (kinds & (1 << d->kind)) return NPU_OK;
    if (d->kind != NPU__LSTM_MICRO || x != NPU_INT8 || c->node->code != NPU__BUILTIN_LSTM) return npu__fail_types(c);
    /* LiteRT has a kernel for 12, which reads a scale that nothing sets: there is no right answer. */
    return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.intermediates", "an int8 LSTM must have 5 intermediate tensors: got %d", c->n_mid);
}

/* Weights, biases and the other constants. */
NPU__FN npu_status npu__lstm_check_constants(npu__ctx *c, const npu__lstm *d) {
    int32_t x = npu__lstm_in(c, d, NPU__LSTM_X)->type, w = npu__lstm_in(c, d, NPU__LSTM_W + NPU__GATE_OUT)->type;
    int     integer = d->kind >= NPU__LSTM_INT8, diagonals = d->diagonals && !integer;
    int32_t bias = !integer ? NPU_FLOAT32 : x == NPU_INT16 ? NPU_INT64 : NPU_INT32;
    for (int g = d->cifg ? 1 : 0; g < 4; g++) {
        int peep = npu__lstm_peep_input(g);
        NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_W + g, w, d->n_cell, d->n_x));
        if (diagonals && npu__lstm_in(c, d, NPU__LSTM_R + g)->shape.rank == 1) { /* a diagonal matrix */
            NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_R + g, NPU_FLOAT32, d->n_cell, -1));
            /* A diagonal is square: otherwise the full matrix is what was meant. */
            if (d->n_cell != d->n_h) return npu__lstm_need(c, d, NPU__LSTM_R + g, NPU_FLOAT32, d->n_cell, d->n_h);
        } else {
            NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_R + g, w, d->n_cell, d->n_h));
        }
        if (d->n_aux > 0) NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_AUX_W + g, w, d->n_cell, d->n_aux));
        NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_BIAS + g, bias, d->n_cell, -1));
        if (d->peephole && peep >= 0) NPU__TRY(npu__lstm_need(c, d, peep, integer ? NPU_INT16 : w, d->n_cell, -1));
        if (d->layer_norm) {
            NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_NORM + g, integer ? NPU_INT16 : NPU_FLOAT32, d->n_cell, -1));
        }
    }
    if (d->projection) NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_PROJ_W, w, d->n_h, d->n_cell));
    if (npu__lstm_in(c, d, NPU__LSTM_PROJ_BIAS)) NPU__TRY(npu__lstm_need(c, d, NPU__LSTM_PROJ_BIAS, bias, d->n_h, -1));
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_check_state(npu__ctx *c, const npu__lstm *d) {
    const npu__val *h = npu__lstm_in(c, d, NPU__LSTM_H), *cell = npu__lstm_in(c, d, NPU__LSTM_C);
    int32_t         x = npu__lstm_in(c, d, NPU__LSTM_X)->type, cell_type = d->kind >= NPU__LSTM_INT8 ? NPU_INT16 : NPU_FLOAT32;
    NPU__TRY(npu__need_type(c, h, "output state", x));
    NPU__TRY(npu__need_type(c, cell, "cell state", cell_type));
    NPU__TRY(npu__need_type(c, c->out[d->out], "output", x));
    if (!h->t->is_variable || !cell->t->is_variable) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.state",
                         "output state and cell state must be variable tensors");
    }
    if (npu__elems(h) != (int64_t)d->n_batch * d->n_h || npu__elems(cell) != (int64_t)d->n_batch * d->n_cell) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.state_size",
                         "the states must have %d * %d and %d * %d elements", d->n_batch, d->n_h, d->n_batch,
                         d->n_cell);
    }
    if (!d->projection && d->n_h != d->n_cell) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.output_size",
                         "without a projection the output has one element per cell (%d): got %d", d->n_cell, d->n_h);
    }
    if (d->n_x < 1 || d->n_cell < 1 || d->n_h < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.empty",
                         "input, cell and output sizes must be at least 1: got %d, %d, %d", d->n_x, d->n_cell,
                         d->n_h);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_prepare_cell(npu__ctx *c, npu__lstm *d, int kinds) {
    const npu__val *w_out = npu__lstm_in(c, d, NPU__LSTM_W + NPU__GATE_OUT);
    const npu__val *r_out = npu__lstm_in(c, d, NPU__LSTM_R + NPU__GATE_OUT);
    if (!w_out || !r_out) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.weights", "the output gate's weights are missing");
    }
    /* Written so that NaN fails. 0 means no clipping. */
    if (!(d->cell_clip >= 0.0f) || !(d->proj_clip >= 0.0f)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.clip",
                         "cell_clip and proj_clip must not be negative: got %g and %g", (double)d->cell_clip,
                         (double)d->proj_clip);
    }
    NPU__TRY(npu__need_rank(c, w_out, "input_to_output_weights", 2, 2));
    d->n_cell = w_out->shape.dims[0];
    d->n_h = npu__dim(r_out, -1);
    NPU__TRY(npu__lstm_choose(c, d, kinds));
    NPU__TRY(npu__lstm_structure(c, d));
    NPU__TRY(npu__lstm_check_constants(c, d));
    NPU__TRY(npu__lstm_check_state(c, d));
    switch (d->kind) {
    case NPU__LSTM_FLOAT: return npu__lstm_float_prepare(c, d);
    case NPU__LSTM_HYBRID: return npu__lstm_hybrid_prepare(c, d);
    case NPU__LSTM_INT8: return npu__lstm_int8_prepare(c, d);
    default: return npu__lstm_micro_prepare(c, d);
    }
}

NPU__FN npu_status npu__lstm_scratch(npu__ctx *c, npu__lstm *d, size_t elem_bytes) {
    int32_t longest = NPU__MAX(NPU__MAX(d->n_x, d->n_aux), NPU__MAX(d->n_h, d->n_cell));
    NPU__TRY(npu__want_array(c, 0, 4 * (int64_t)d->n_cell, npu__lstm_rows(d), elem_bytes, &d->gates));
    return npu__matvec_want(c, longest, longest, &d->staged, &d->sums);
}

NPU__FN int64_t npu__lstm_step_macs(const npu__lstm *d) {
    int64_t macs = npu__sat_mul((d->cifg ? 3 : 4) * (int64_t)d->n_cell, (int64_t)d->n_x + d->n_aux + d->n_h);
    return d->projection ? npu__sat_add(macs, (int64_t)d->n_cell * d->n_h) : macs;
}

/* Rows of the state to where the output has them. */
NPU__FN void npu__lstm_emit(const npu__lstm *d, const uint8_t *h, uint8_t *out, int32_t rows, size_t elem) {
    const size_t row = (size_t)d->n_h * elem, step = (size_t)d->out_step * elem;
    for (int32_t b = 0; b < rows; b++) memcpy(out + (size_t)b * step, h + (size_t)b * row, row);
}

NPU__FN npu_status npu__lstm_walk(npu__ctx *c, const npu__lstm *d, npu__lstm_step step, void *run) {
    const size_t   elem = d->kind < NPU__LSTM_INT8 ? 4 : npu__lstm_in(c, d, NPU__LSTM_X)->type == NPU_INT16 ? 2 : 1;
    const size_t   cell_elem = d->kind < NPU__LSTM_INT8 ? 4 : 2;
    const int32_t  rows = npu__lstm_rows(d), sequences = d->time_major ? 1 : d->n_batch;
    const int64_t  steps = npu__sat_mul(npu__lstm_step_macs(d), rows);
    const uint8_t *x = (const uint8_t *)npu__lstm_data(c, d, NPU__LSTM_X);
    const uint8_t *aux = d->n_aux > 0 ? (const uint8_t *)npu__lstm_data(c, d, NPU__LSTM_AUX) : NULL;
    uint8_t       *h = (uint8_t *)npu__lstm_in(c, d, NPU__LSTM_H)->data, *out;
    uint8_t       *cell = (uint8_t *)npu__lstm_in(c, d, NPU__LSTM_C)->data;
    if (c->out[d->out]->bytes == 0) return NPU_OK; /* no batches, or no time */
    out = (uint8_t *)c->out[d->out]->data + (size_t)d->out_at * elem;
    for (int32_t s = 0; s < sequences; s++) {
        for (int32_t t = 0; t < d->n_time; t++) {
            const int64_t at = d->backward ? d->n_time - 1 - t : t;
            const size_t  row = (size_t)((int64_t)s * d->n_time + at) * (size_t)rows;
            step(run, x + row * (size_t)d->n_x * elem, aux ? aux + row * (size_t)d->n_aux * elem : NULL, h, cell, rows);
            npu__lstm_emit(d, h, out + row * (size_t)d->out_step * elem, rows, elem);
            NPU__POLL(c, steps);
        }
        /* The next sequence has its own rows of the states. */
        h += (size_t)rows * (size_t)d->n_h * elem;
        cell += (size_t)rows * (size_t)d->n_cell * cell_elem;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_eval_cell(npu__ctx *c, const npu__lstm *d) {
    switch (d->kind) {
    case NPU__LSTM_FLOAT: return npu__lstm_float_eval(c, d);
    case NPU__LSTM_HYBRID: return npu__lstm_hybrid_eval(c, d);
    case NPU__LSTM_INT8: return npu__lstm_int8_eval(c, d);
    default: return npu__lstm_micro_eval(c, d);
    }
}

NPU__FN void npu__lstm_add_work(const npu__lstm *d, npu__work *w) {
    const int64_t rows = (int64_t)d->n_batch * d->n_time, macs = npu__sat_mul(rows, npu__lstm_step_macs(d));
    w->macs = npu__sat_add(w->macs, macs);
    w->steps = npu__sat_add(w->steps, macs);
    /* 16 steps for each call of libm, as npu__work_exp. */
    w->steps = npu__sat_add(w->steps, npu__sat_mul(rows, 5 * 16 * (int64_t)d->n_cell)); /* four gates, and the cell */
}
