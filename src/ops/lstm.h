/* One LSTM cell, which LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and (twice) BIDIRECTIONAL_SEQUENCE_LSTM have: what its inputs are,
 * parameters, the walk over time. */
#ifndef NPU__OPS_LSTM_H
#define NPU__OPS_LSTM_H

#include "matvec.h"
#include "scratch.h"
NPU__SPEED_BEGIN

/* Gates, in the order of the inputs. */
enum { NPU__GATE_IN = 0, NPU__GATE_FORGET = 1, NPU__GATE_CELL = 2, NPU__GATE_OUT = 3 };

/* What inputs are for; where a group has one per gate, add the gate. The cell gate has no peephole. These are the positions of
 * LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM, up to the auxiliary input, which only the bidirectional operator has. */
enum {
    NPU__LSTM_X = 0, NPU__LSTM_W = 1, NPU__LSTM_R = 5, NPU__LSTM_PEEP_IN = 9, NPU__LSTM_PEEP_FORGET = 10,
    NPU__LSTM_PEEP_OUT = 11, NPU__LSTM_BIAS = 12, NPU__LSTM_PROJ_W = 16, NPU__LSTM_PROJ_BIAS = 17, NPU__LSTM_H = 18,
    NPU__LSTM_C = 19, NPU__LSTM_NORM = 20, NPU__LSTM_AUX = 24, NPU__LSTM_AUX_W = 25, NPU__LSTM_ROLES = 29
};

/* How the numbers are represented; decides which file computes. */
enum {
    NPU__LSTM_FLOAT = 0,  /* float32 throughout */
    NPU__LSTM_HYBRID = 1, /* float32 data, int8 weights: activations are quantized row by row while running */
    NPU__LSTM_INT8 = 2,   /* int8 data, int16 cell state, with LiteRT's five intermediates */
    NPU__LSTM_MICRO = 3   /* int8 without intermediates, int16 data: what LiteRT refuses, as tflite-micro does it */
};
#define NPU__LSTM_LITERT_KINDS (1 << NPU__LSTM_FLOAT | 1 << NPU__LSTM_HYBRID | 1 << NPU__LSTM_INT8)
#define NPU__LSTM_ALL_KINDS (NPU__LSTM_LITERT_KINDS | 1 << NPU__LSTM_MICRO)
/* Inputs that may be left out: what CIFG does not have, peepholes, projection, layer norm. */
#define NPU__LSTM_OPTIONAL (1u << 1 | 1u << 5 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 16 | 1u << 17 | 15u << 20)

typedef struct npu__lstm {
    const char *kernel;             /* for profiles */
    int8_t   at[NPU__LSTM_ROLES]; /* which input of the operator; -1: none */
    int32_t  diagonals;           /* recurrent weights of one dimension are diagonal matrices */
    int32_t  backward;            /* from the last time step to the first */
    int32_t  out, out_at, out_step; /* output, first element of a row, elements from row to row */
    int32_t  kind;
    int32_t  n_batch, n_time, n_x, n_cell, n_h; /* n_h differs from n_cell only with a projection */
    int32_t  n_aux;                             /* 0: no auxiliary input */
    int32_t  time_major, cifg, peephole, projection, layer_norm, asymmetric;
    int32_t  activation; /* of the cell gate and the cell state; integer kinds always use tanh */
    float    cell_clip, proj_clip;
    int32_t  gates, staged, sums; /* slots: four gates of a step; work space of npu__matvec */
    int32_t  quantized;           /* slot: a row of int8 (hybrid), the cells before the projection (int8) */

    /* integer kinds */
    npu__qmul w_mul[4], r_mul[4], peep_mul[4], norm_mul[4], hidden_mul, proj_mul;
    npu__qmul forget_mul, update_mul; /* MICRO: into the cell state */
    int32_t   variance_guard[4];
    int32_t   x_zp, h_zp, hidden_zp;
    int32_t   cell_log2; /* the cell state's scale is 2^cell_log2 */
    int32_t   q_cell_clip, q_proj_clip; /* 0: none */
} npu__lstm;

NPU__INLINE int npu__lstm_peep_input(int gate) {
    return gate == NPU__GATE_OUT ? NPU__LSTM_PEEP_OUT : gate == NPU__GATE_CELL ? -1 : NPU__LSTM_PEEP_IN + gate;
}
/* The input that is for `role`, NULL when it is left out (a role of -1 always is). */
NPU__INLINE npu__val *npu__lstm_in(const npu__ctx *c, const npu__lstm *d, int role) {
    return role >= 0 && d->at[role] >= 0 ? npu__opt_in(c, d->at[role]) : NULL;
}
/* Its data. */
NPU__INLINE const void *npu__lstm_data(const npu__ctx *c, const npu__lstm *d, int role) {
    const npu__val *v = npu__lstm_in(c, d, role);
    return v ? v->data : NULL;
}

/* One time step of `rows` independent batch entries; x, aux (NULL: none), h and cell point to their first one. The output is the
 * new h. */
typedef void (*npu__lstm_step)(void *run, const void *x, const void *aux, void *h, void *cell, int32_t rows);

/* Calls `step` for every time step, in order. Batch-major models go through the whole sequence of one batch entry
 * before the next; time-major ones take all entries at once. */
NPU__FN npu_status npu__lstm_walk(npu__ctx *c, const npu__lstm *d, npu__lstm_step step, void *run);
NPU__INLINE int32_t npu__lstm_rows(const npu__lstm *d) { return d->time_major ? d->n_batch : 1; }

/* Multiply-accumulates of one time step of one batch entry. */
NPU__FN int64_t npu__lstm_step_macs(const npu__lstm *d);

/* Operators: the fields of *d up to `asymmetric` filled (but n_cell and n_h), then everything else. `kinds`: a bit for each one
 * that the operator has. */
NPU__FN npu_status npu__lstm_prepare_cell(npu__ctx *c, npu__lstm *d, int kinds);
NPU__FN npu_status npu__lstm_eval_cell(npu__ctx *c, const npu__lstm *d);
NPU__FN void       npu__lstm_add_work(const npu__lstm *d, npu__work *w);

/* op_lstm_basic.c: the five inputs of the schema's kernel type BASIC. */
#define NPU__LSTM_KERNEL_BASIC 1
NPU__FN npu_status npu__lstm_basic_infer(npu__ctx *c);
NPU__FN npu_status npu__lstm_basic_prepare(npu__ctx *c, npu__lstm *d);
NPU__FN npu_status npu__lstm_basic_eval(npu__ctx *c, const npu__lstm *d);

/* One per kind: the checks and parameters that go beyond shapes, and running it. */
NPU__FN npu_status npu__lstm_float_prepare(npu__ctx *c, npu__lstm *d);
NPU__FN npu_status npu__lstm_float_eval(npu__ctx *c, const npu__lstm *d);
NPU__FN npu_status npu__lstm_hybrid_prepare(npu__ctx *c, npu__lstm *d);
NPU__FN npu_status npu__lstm_hybrid_eval(npu__ctx *c, const npu__lstm *d);
NPU__FN npu_status npu__lstm_int8_prepare(npu__ctx *c, npu__lstm *d);
NPU__FN npu_status npu__lstm_int8_eval(npu__ctx *c, const npu__lstm *d);
NPU__FN npu_status npu__lstm_micro_prepare(npu__ctx *c, npu__lstm *d);
NPU__FN npu_status npu__lstm_micro_eval(npu__ctx *c, const npu__lstm *d);

/* Asks for the slots; `elem_bytes` of a gate's element. */
NPU__FN npu_status npu__lstm_scratch(npu__ctx *c, npu__lstm *d, size_t elem_bytes);

/* lstm_float.c: pieces that hybrid cells share. */
NPU__FN npu_status npu__lstm_check_activation(npu__ctx *c, const npu__lstm *d);
NPU__FN void npu__lstm_diagonal(const float *diagonal, const float *v, float *out, int32_t n, int32_t rows);
NPU__FN void npu__lstm_finish_gate(const npu__matvec *m, const npu__lstm *d, float *gate, int g, int32_t rows);
NPU__FN void npu__lstm_clip(float *v, int64_t n, float clip);
NPU__FN void npu__lstm_update_cell(const npu__lstm *d, float *cell, const float *in, const float *forget,
                                   const float *candidate, int32_t rows);
NPU__FN void npu__lstm_hidden(const npu__matvec *m, const npu__lstm *d, const float *cell, const float *out_gate, float *hidden,
                              int64_t n);
/* lstm_int8.c: pieces that tflite-micro's cells share. */
NPU__FN npu_status npu__lstm_cell_scale(npu__ctx *c, npu__lstm *d, int32_t lo, int32_t hi);
NPU__FN npu_status npu__lstm_need_weight_quant(npu__ctx *c, const npu__lstm *d, int role);
NPU__SPEED_END

#endif
