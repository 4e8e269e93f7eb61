/* LSTM with the kernel type BASIC: one matrix for all gates, over the input and the last output side by side. float32, or
 * uint8 with an int16 state. Last output and last state are replaced where they are variables. */
#include "../base/fixed16.h"
#include "../kernels/gates.h"
#include "conv_fast.h"
#include "elementwise.h"
#include "lstm.h"

/* Gates in the order of the matrix's rows. */
enum { NPU__BASIC_IN = 0, NPU__BASIC_CANDIDATE = 1, NPU__BASIC_FORGET = 2, NPU__BASIC_OUT = 3 };

NPU__FN npu_status npu__lstm_basic_infer(npu__ctx *c) {
    npu__shape s;
    int64_t    row;
    if (c->n_in != 5 || c->n_out != 4 || !c->in[1]) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.basic_inputs",
                         "the BASIC kernel must have 5 inputs, none left out, and 4 outputs: got %d and %d", c->n_in, c->n_out);
    }
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[1], "last activation", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[4], "last state", 2, 2));
    NPU__TRY(npu__set_shape(c, 0, &c->in[1]->shape));
    NPU__TRY(npu__set_shape(c, 1, &c->in[4]->shape));
    row = (int64_t)c->in[0]->shape.dims[1] + c->in[1]->shape.dims[1];
    if (row > INT32_MAX || c->in[1]->shape.dims[1] > INT32_MAX / 4) {
        return NPU__FAIL(c, NPU_LIMIT, "lstm.basic_size", "the operator's tensors are too large");
    }
    s = npu__shape_make(2, c->in[0]->shape.dims[0], (int32_t)row, 0, 0);
    NPU__TRY(npu__set_shape(c, 2, &s));
    s.dims[1] = 4 * c->in[1]->shape.dims[1];
    return npu__set_shape(c, 3, &s);
}

NPU__FN npu_status npu__lstm_basic_shapes(npu__ctx *c, npu__lstm *d) {
    const npu__val *x = c->in[0], *h = c->in[1], *w = c->in[2], *bias = c->in[3], *state = c->in[4];
    NPU__TRY(npu__need_rank(c, w, "weights", 2, 2));
    NPU__TRY(npu__need_rank(c, bias, "bias", 1, 1));
    d->n_batch = x->shape.dims[0];
    d->n_time = 1;
    d->n_x = x->shape.dims[1];
    d->n_cell = d->n_h = h->shape.dims[1];
    if (d->n_cell < 1 || h->shape.dims[0] != d->n_batch || state->shape.dims[0] != d->n_batch || state->shape.dims[1] != d->n_cell ||
        w->shape.dims[0] != 4 * d->n_cell || w->shape.dims[1] != d->n_x + d->n_h || bias->shape.dims[0] != 4 * d->n_cell) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lstm.basic_shape",
                         "weights, bias and state must fit %d inputs and %d cells (at least 1) in %d batches", d->n_x, d->n_cell, d->n_batch);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lstm_basic_prepare(npu__ctx *c, npu__lstm *d) {
    const int32_t type = c->in[0]->type, wide = type == NPU_UINT8 ? NPU_INT16 : NPU_FLOAT32;
    NPU__TRY(npu__lstm_basic_shapes(c, d));
    d->activation = npu__fused_activation(c->node);
    if ((type != NPU_FLOAT32 && type != NPU_UINT8) || c->in[1]->type != type || c->in[2]->type != type ||
        c->in[3]->type != (type == NPU_UINT8 ? NPU_INT32 : NPU_FLOAT32) || c->in[4]->type != wide || c->out[0]->type != type ||
        c->out[1]->type != wide || c->out[2]->type != type || c->out[3]->type != wide) {
        return npu__fail_types(c);
    }
    if (d->activation != NPU__ACT_TANH) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.activation", "the activation must be TANH: got code %d", d->activation);
    }
    d->kernel = type == NPU_FLOAT32 ? npu__matvec_name(c, 0) : npu__matvec_name(c, 1);
    if (type == NPU_FLOAT32) return NPU_OK;
    NPU__TRY(npu__need_quant(c, c->in[2], "weights"));
    NPU__TRY(npu__need_quant(c, c->in[3], "bias"));
    NPU__TRY(npu__need_quant(c, c->out[1], "state"));
    if (!npu__checked_log2(npu__scale(c->out[1]), &d->cell_log2) || d->cell_log2 != -11) { /* four integer bits */
        return NPU__FAIL(c, NPU_UNSUPPORTED, "lstm.cell_scale", "the scale of the state must be 2^-11: got %g",
                         (double)npu__scale(c->out[1]));
    }
    /* From the bias' scale to Q3.12. */
    d->w_mul[0] = npu__qmul_of(4096.0 * (double)npu__scale(c->in[3]));
    d->x_zp = 128; /* by definition: data are in steps of 1/128, whatever their quantization says */
    return NPU_OK;
}

/* One row of the concatenated input and output: sums of all gates, float or Q3.12. */
NPU__FN void npu__lstm_basic_sums_f32(npu__ctx *c, const npu__lstm *d, const float *row, float *gates) {
    npu__matvec m;
    npu__matvec_init(&m, c, -1, -1); /* floats need no work space */
    npu__matvec_f32(&m, (const float *)c->in[2]->data, row, d->n_x + d->n_h, (const float *)c->in[3]->data, gates, 4 * d->n_cell);
}

typedef struct npu__lstm_basic_add {
    const npu__gates *fast;
    npu__qmul         mul;
    int16_t          *gates;
} npu__lstm_basic_add;

NPU__FN void npu__lstm_basic_done(const void *arg, int32_t first, int32_t n, const int32_t *sums) {
    const npu__lstm_basic_add *add = (const npu__lstm_basic_add *)arg;
    add->fast->add(sums, add->mul, 1, add->gates + first, n);
}

NPU__FN void npu__lstm_basic_sums_u8(npu__ctx *c, const npu__lstm *d, const uint8_t *row, int16_t *gates) {
    const uint8_t *w = (const uint8_t *)c->in[2]->data;
    const int32_t *bias = (const int32_t *)c->in[3]->data;
    const int32_t  n = d->n_x + d->n_h, w_zp = npu__zero_point(c->in[2]);
    npu__gemv_i8   g;
    g.kern = npu__gemv_i8_select(npu__ctx_isa(c));
    if (g.kern) {
        npu__lstm_basic_add add;
        add.fast = npu__gates_select(npu__ctx_isa(c));
        add.mul = d->w_mul[0];
        add.gates = gates;
        g.in = row;
        g.is_signed = 0;
        g.in_zp = d->x_zp;
        g.w_zp = w_zp;
        g.w_sums = NULL;
        g.panels = NULL;
        g.job.k = n;
        g.job.w_stride = (size_t)n;
        g.job.w = w;
        g.job.bias = bias;
        memset(gates, 0, 4 * (size_t)d->n_cell * sizeof *gates);
        npu__gemv_i8_all(c, &g, 4 * d->n_cell, npu__lstm_basic_done, &add);
        return;
    }
    for (int32_t r = 0; r < 4 * d->n_cell; r++, w += n) {
        uint32_t sum = (uint32_t)bias[r]; /* unsigned: hostile sizes wrap */
        for (int32_t k = 0; k < n; k++) sum += (uint32_t)((row[k] - d->x_zp) * (w[k] - w_zp));
        gates[r] = npu__sat16(npu__qmul_apply((int32_t)sum, d->w_mul[0]));
    }
}

#define NPU__BASIC_CELLS 64 /* worked on at a time; the gates are an output, which keeps its sums */

NPU__FN void npu__lstm_basic_cells_f32(const npu__pointwise *pw, const npu__lstm *d, const float *gates, const float *last, float *state,
                                       float *out) {
    float v[4][NPU__BASIC_CELLS];
    for (int32_t at = 0; at < d->n_cell; at += NPU__BASIC_CELLS) {
        const int32_t n = NPU__MIN(d->n_cell - at, (int32_t)NPU__BASIC_CELLS);
        for (int g = 0; g < 4; g++) {
            memcpy(v[g], gates + (size_t)g * (size_t)d->n_cell + (size_t)at, (size_t)n * sizeof(float)); /* bounded: of a tensor */
            if (g == NPU__BASIC_CANDIDATE) npu__matvec_activate(pw, v[g], n, NPU__ACT_TANH);
            else npu__matvec_logistic(pw, v[g], n);
        }
        for (int32_t i = 0; i < n; i++) {
            state[at + i] = v[NPU__BASIC_IN][i] * v[NPU__BASIC_CANDIDATE][i] + v[NPU__BASIC_FORGET][i] * last[at + i];
            v[NPU__BASIC_IN][i] = state[at + i];
        }
        npu__matvec_activate(pw, v[NPU__BASIC_IN], n, NPU__ACT_TANH);
        for (int32_t i = 0; i < n; i++) out[at + i] = v[NPU__BASIC_OUT][i] * v[NPU__BASIC_IN][i];
    }
}

NPU__FN void npu__lstm_basic_cells_u8(const npu__gates *fast, const npu__lstm *d, const int16_t *gates, const int16_t *last, int16_t *state,
                                      uint8_t *out) {
    int16_t v[4][NPU__BASIC_CELLS];
    for (int32_t at = 0; at < d->n_cell; at += NPU__BASIC_CELLS) {
        const int32_t n = NPU__MIN(d->n_cell - at, (int32_t)NPU__BASIC_CELLS);
        for (int g = 0; g < 4; g++) {
            const int16_t *from = gates + (size_t)g * (size_t)d->n_cell + (size_t)at; /* bounded: of a tensor */
            if (g == NPU__BASIC_CANDIDATE) fast->tanh(from, v[g], n, 3);
            else fast->logistic(from, v[g], n);
        }
        for (int32_t i = 0; i < n; i++) {
            /* Q0.15 to the state's Q4.11 */
            const int16_t added = (int16_t)npu__rdbpot(npu__mul16(v[NPU__BASIC_IN][i], v[NPU__BASIC_CANDIDATE][i]), 4);
            state[at + i] = npu__sat16(added + npu__mul16(v[NPU__BASIC_FORGET][i], last[at + i]));
            v[NPU__BASIC_IN][i] = npu__shl16(state[at + i], 1); /* to Q3.12, saturating, for the hyperbolic tangent */
        }
        fast->tanh(v[NPU__BASIC_IN], v[NPU__BASIC_IN], n, 3);
        for (int32_t i = 0; i < n; i++) {
            const int32_t y = npu__mul16(v[NPU__BASIC_OUT][i], v[NPU__BASIC_IN][i]);
            out[at + i] = (uint8_t)(128 + npu__clamp32(npu__rdbpot(y, 8), -128, 127));
        }
    }
}

NPU__FN npu_status npu__lstm_basic_eval(npu__ctx *c, const npu__lstm *d) {
    const int     bytes = c->in[0]->type == NPU_UINT8;
    const size_t  elem = bytes ? 1 : 4, wide = bytes ? 2 : 4;
    const size_t  x_row = (size_t)d->n_x * elem, h_row = (size_t)d->n_h * elem, s_row = (size_t)d->n_cell * wide;
    const int64_t steps = npu__lstm_step_macs(d);
    for (int32_t b = 0; b < d->n_batch; b++) {
        const size_t   at = (size_t)b;
        uint8_t       *row = (uint8_t *)c->out[2]->data + at * (x_row + h_row);
        uint8_t       *gates = (uint8_t *)c->out[3]->data + at * 4 * s_row;
        const uint8_t *last = (const uint8_t *)c->in[4]->data + at * s_row;
        uint8_t       *out = (uint8_t *)c->out[0]->data + at * h_row, *state = (uint8_t *)c->out[1]->data + at * s_row;
        if (x_row > 0) memcpy(row, (const uint8_t *)c->in[0]->data + at * x_row, x_row);
        if (h_row > 0) memcpy(row + x_row, (const uint8_t *)c->in[1]->data + at * h_row, h_row);
        if (bytes) {
            npu__lstm_basic_sums_u8(c, d, row, (int16_t *)(void *)gates);
            npu__lstm_basic_cells_u8(npu__gates_select(npu__ctx_isa(c)), d, (const int16_t *)(void *)gates, (const int16_t *)(const void *)last,
                                     (int16_t *)(void *)state, out);
        } else {
            npu__lstm_basic_sums_f32(c, d, (const float *)(void *)row, (float *)(void *)gates);
            npu__lstm_basic_cells_f32(npu__pointwise_select(npu__ctx_isa(c)), d, (const float *)(void *)gates, (const float *)(const void *)last, (float *)(void *)state,
                                      (float *)(void *)out);
        }
        NPU__POLL(c, steps);
    }
    for (int k = 0; k < 2; k++) { /* what variables hold for the next invoke */
        npu__val *to = c->in[k ? 4 : 1];
        if (to->t->is_variable && to->bytes > 0) memcpy(to->data, c->out[k]->data, to->bytes);
    }
    return NPU_OK;
}
