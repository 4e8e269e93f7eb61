/* Recurrent operations: states are operands that go in and come out, so that all of them are operators private to this front end.
 * Also operations that are such an operator and nothing else, and the few others that TFLite has nearly. */
#include "kernel.h"
#include "../ops/util.h"

#if NPU__HAS_NNAPI

/* A tensor of any shape that an operator writes: output `i` of the operation, or (i < 0) one that nobody reads. */
NPU__FN npu_status npu__nn_to(npu__nn_maker *k, int32_t i, int32_t rank, int32_t *out) {
    npu__nn_shape open;
    if (i >= 0) return npu__nn_write(k, (uint32_t)i, out);
    memset(&open, 0, sizeof open);
    open.rank = rank;
    for (int32_t d = 0; d < rank; d++) open.dims[d] = -1;
    return npu__nn_like(k, &k->m->operands[k->op->out[0]], &open, out);
}

/* The operands as they stand in the row, and its scalars. */
NPU__FN npu_status npu__nn_make_private(npu__nn_maker *k, const npu__nn_op *op) {
    npu__nn_scalars s;
    int32_t        *in = npu__nn_list(k, op->n_in), *out = npu__nn_list(k, op->n_out), n_in;
    if (!in || !out) return NPU_OUT_OF_MEMORY;
    NPU__TRY(npu__nn_scalars_of(k, op, &s));
    if (op->code == NPU__NN_OP_ROI_ALIGN) npu__nn_scalar_int(&s, "align", 1);
    NPU__TRY(npu__nn_inputs(k, op, in, &n_in));
    for (uint32_t i = 0; i < op->n_out; i++) NPU__TRY(npu__nn_write(k, i, &out[i]));
    return npu__nn_add_private(k, op->row->name, in, n_in, out, (int32_t)op->n_out, &s);
}

/* Likewise of operators whose last outputs are how many rows the others have ([n] and [n, 4]): those are cut. */
NPU__FN npu_status npu__nn_make_counted(npu__nn_maker *k, const npu__nn_op *op) {
    static const int32_t zeros[2] = {0, 0};
    npu__nn_scalars      s;
    int32_t             *in = npu__nn_list(k, op->n_in), n_in, out[6], begin[2], n = (int32_t)op->n_out;
    if (!in) return NPU_OUT_OF_MEMORY;
    if (op->n_out != (op->code == NPU__NN_OP_GENERATE_PROPOSALS ? 3u : 4u)) return npu__nn_refuse(k, "it has not as many outputs as it must have");
    NPU__TRY(npu__nn_scalars_of(k, op, &s));
    NPU__TRY(npu__nn_inputs(k, op, in, &n_in));
    for (int32_t i = 0; i < 2; i++) {
        const npu__nn_shape pair = {1, {1 + i, 0, 0, 0, 0, 0, 0, 0}};
        NPU__TRY(npu__nn_ints(k, zeros, 1 + i, &begin[i]));
        NPU__TRY(npu__nn_constant(k, NPU_INT32, &pair, NULL, 0, &out[n + i]));
    }
    for (int32_t i = 0; i < n; i++) {
        npu__nn_shape open = {1, {-1, 4, 0, 0, 0, 0, 0, 0}};
        open.rank = i == 1 ? 2 : 1; /* boxes */
        NPU__TRY(npu__nn_like(k, &k->m->operands[op->out[i]], &open, &out[i]));
    }
    NPU__TRY(npu__nn_add_private(k, op->row->name, in, n_in, out, n + 2, &s));
    for (int32_t i = 0; i < n; i++) {
        const int boxes = i == 1;
        int32_t   part[3], to;
        part[0] = out[i];
        part[1] = begin[boxes];
        part[2] = out[n + boxes];
        NPU__TRY(npu__nn_write(k, (uint32_t)i, &to));
        NPU__TRY(npu__nn_add(k, "SLICE", part, 3, &to, 1, NULL));
    }
    return NPU_OK;
}

/* ---- LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, QUANTIZED_LSTM ---- */

/* Where layer norm weights stand; 0: there are none. And how many operands there are. */
NPU__FN int npu__nn_lstm_operands(const npu__nn_op *op, uint32_t *norm) {
    const uint32_t scalars = op->code == NPU__NN_OP_LSTM ? 23 : op->code == NPU__NN_OP_UNIDIRECTIONAL_SEQUENCE_LSTM ? 24 : 12;
    *norm = op->code == NPU__NN_OP_QUANTIZED_LSTM ? 20 : op->n_in == scalars ? 0 : scalars;
    if (op->code == NPU__NN_OP_QUANTIZED_LSTM) return op->n_in == 32;
    return op->n_in == scalars || op->n_in == scalars + 4;
}

NPU__FN npu_status npu__nn_make_lstm(npu__nn_maker *k, const npu__nn_op *op) {
    /* Operands that are the kernel's sequence, output state, cell state, scratch. */
    static const int32_t places[3][4] = {{3, 1, 2, 0}, {0, 1, 2, -1}, {2, 0, 1, -1}};
    const int            which = op->code == NPU__NN_OP_LSTM ? 0 : op->code == NPU__NN_OP_QUANTIZED_LSTM ? 2 : 1;
    const uint32_t       most = which == 0 ? 4 : 3;
    npu__nn_scalars      s;
    int32_t              in[24], out[4];
    uint32_t             norm;
    if (!npu__nn_lstm_operands(op, &norm) || (op->n_out != most && !(which == 1 && op->n_out == 1))) {
        return npu__nn_refuse(k, "it has not as many operands as it must have");
    }
    NPU__TRY(npu__nn_scalars_of(k, op, &s));
    if (which == 2) npu__nn_scalar_int(&s, "activation", 4);
    for (uint32_t i = 0; i < 20; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    for (uint32_t i = 0; i < 4; i++) {
        in[20 + i] = -1;
        if (norm != 0) NPU__TRY(npu__nn_read(k, norm + i, &in[20 + i]));
    }
    for (uint32_t i = 0; i < op->n_out; i++) NPU__TRY(npu__nn_write(k, (uint32_t)places[which][i], &out[i]));
    return npu__nn_add_private(k, "nnapi.lstm", in, 24, out, (int32_t)op->n_out, &s);
}

/* ---- both directions ---- */

/* Two sequences as one, side by side. */
NPU__FN npu_status npu__nn_merge(npu__nn_maker *k, const int32_t *parts) {
    int32_t out, to;
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_step(k, "CONCATENATION", parts[0], parts[1], out, &to));
    return npu__nn_option(k, to, "axis", 2);
}

/* Whether it gives states, of `n` each direction; refused: other numbers of outputs. */
NPU__FN npu_status npu__nn_both(npu__nn_maker *k, const npu__nn_op *op, uint32_t merge_at, uint32_t n, int64_t *merge, int *states) {
    uint32_t sequences;
    NPU__TRY(npu__nn_int_arg(k, merge_at, merge));
    sequences = *merge ? 1 : 2;
    *states = op->n_out == sequences + 2 * n;
    if (op->n_out == sequences || *states) return NPU_OK;
    return npu__nn_refuse(k, "it has not as many outputs as it must have");
}

/* One direction: its sequence (merged: a tensor on the way), and its states where there are any. */
NPU__FN npu_status npu__nn_way(npu__nn_maker *k, const char *name, int backward, int64_t merge, int32_t n_states, int states,
                               const int32_t *in, int32_t n_in, int32_t *sequence, npu__nn_scalars *s) {
    const int32_t first = merge ? 1 : 2;
    int32_t       out[3];
    NPU__TRY(npu__nn_to(k, merge ? -1 : backward, 3, &out[0]));
    for (int32_t i = 0; states && i < n_states; i++) NPU__TRY(npu__nn_to(k, first + backward * n_states + i, 2, &out[1 + i]));
    *sequence = out[0];
    if (backward) npu__nn_scalar_int(s, "backward", 1);
    return npu__nn_add_private(k, name, in, n_in, out, states ? 1 + n_states : 1, s);
}

NPU__FN npu_status npu__nn_make_both_lstm(npu__nn_maker *k, const npu__nn_op *op) {
    npu__nn_scalars s;
    int32_t         sequence[2];
    int64_t         merge;
    int             states;
    if (op->n_in != 61) return npu__nn_refuse(k, "it has not as many operands as it must have");
    NPU__TRY(npu__nn_both(k, op, 51, 2, &merge, &states));
    NPU__TRY(npu__nn_scalars_of(k, op, &s));
    for (uint32_t w = 0; w < 2; w++) {
        /* An auxiliary input without weights is the input of the way back. */
        const int     crossed = npu__nn_has(k, 41), other = npu__nn_has(k, 39) && !crossed && w == 1;
        int32_t       in[29];
        NPU__TRY(npu__nn_read(k, other ? 39 : 0, &in[0]));
        for (uint32_t i = 0; i < 17; i++) NPU__TRY(npu__nn_read(k, 1 + 17 * w + i, &in[1 + i]));
        for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_read(k, 35 + 2 * w + i, &in[18 + i]));
        for (uint32_t i = 0; i < 4; i++) NPU__TRY(npu__nn_read(k, 53 + 4 * w + i, &in[20 + i]));
        in[24] = -1;
        if (crossed) NPU__TRY(npu__nn_read(k, 39, &in[24]));
        for (uint32_t i = 0; i < 4; i++) NPU__TRY(npu__nn_read(k, 40 + 4 * w + i, &in[25 + i]));
        NPU__TRY(npu__nn_way(k, "nnapi.lstm", (int)w, merge, 2, states, in, 29, &sequence[w], &s));
    }
    return merge ? npu__nn_merge(k, sequence) : NPU_OK;
}

NPU__FN npu_status npu__nn_make_both_rnn(npu__nn_maker *k, const npu__nn_op *op) {
    npu__nn_scalars s;
    int32_t         sequence[2];
    int64_t         merge;
    int             states;
    if (op->n_in != 15) return npu__nn_refuse(k, "it has not as many operands as it must have");
    NPU__TRY(npu__nn_both(k, op, 14, 1, &merge, &states));
    NPU__TRY(npu__nn_scalars_of(k, op, &s));
    for (uint32_t w = 0; w < 2; w++) {
        const int crossed = npu__nn_has(k, 10), other = npu__nn_has(k, 9) && !crossed && w == 1;
        int32_t   in[7];
        NPU__TRY(npu__nn_read(k, other ? 9 : 0, &in[0]));
        for (uint32_t i = 0; i < 4; i++) NPU__TRY(npu__nn_read(k, 1 + 4 * w + i, &in[1 + i]));
        in[5] = -1;
        if (crossed) NPU__TRY(npu__nn_read(k, 9, &in[5]));
        NPU__TRY(npu__nn_read(k, 10 + w, &in[6]));
        NPU__TRY(npu__nn_way(k, "nnapi.rnn", (int)w, merge, 1, states, in, 7, &sequence[w], &s));
    }
    return merge ? npu__nn_merge(k, sequence) : NPU_OK;
}

/* ---- QUANTIZED_16BIT_LSTM: TFLite's LSTM with one matrix for all gates. Android's tests have it that recurrent weights are the
 * matrix's first columns, whereas what it is multiplied by begins with the input: the names of the operands say less than that. ---- */

/* Operands of the four gates as one tensor, in the order input, cell, forget, output. */
NPU__FN npu_status npu__nn_gates(npu__nn_maker *k, uint32_t first, const npu__nn_shape *shape, int32_t *out) {
    static const uint32_t order[4] = {0, 2, 1, 3};
    int32_t               in[4], to;
    for (uint32_t i = 0; i < 4; i++) NPU__TRY(npu__nn_read(k, first + order[i], &in[i]));
    NPU__TRY(npu__nn_like(k, npu__nn_arg(k, first), shape, out));
    NPU__TRY(npu__nn_add(k, "CONCATENATION", in, 4, out, 1, &to));
    return npu__nn_option(k, to, "axis", 0);
}

NPU__FN npu_status npu__nn_make_lstm_16(npu__nn_maker *k, const npu__nn_op *op) {
    npu__nn_shape matrix = {2, {-1, -1, 0, 0, 0, 0, 0, 0}}, vector = {1, {-1, 0, 0, 0, 0, 0, 0, 0}};
    int32_t       in[5], out[4], part[2], to;
    if (op->n_out != 2) return npu__nn_refuse(k, "it has two outputs");
    NPU__TRY(npu__nn_gates(k, 5, &matrix, &part[0]));
    NPU__TRY(npu__nn_gates(k, 1, &matrix, &part[1]));
    NPU__TRY(npu__nn_read(k, 0, &in[0]));
    NPU__TRY(npu__nn_read(k, 14, &in[1]));
    NPU__TRY(npu__nn_like(k, npu__nn_arg(k, 1), &matrix, &in[2]));
    NPU__TRY(npu__nn_step(k, "CONCATENATION", part[0], part[1], in[2], &to));
    NPU__TRY(npu__nn_option(k, to, "axis", 1));
    NPU__TRY(npu__nn_gates(k, 9, &vector, &in[3]));
    NPU__TRY(npu__nn_read(k, 13, &in[4]));
    NPU__TRY(npu__nn_write(k, 1, &out[0]));
    NPU__TRY(npu__nn_write(k, 0, &out[1]));
    NPU__TRY(npu__nn_like(k, npu__nn_arg(k, 0), &matrix, &out[2]));
    NPU__TRY(npu__nn_like(k, npu__nn_arg(k, 13), &matrix, &out[3]));
    NPU__TRY(npu__nn_add(k, "LSTM", in, 5, out, 4, &to));
    NPU__TRY(npu__nn_option(k, to, "kernel_type", 1)); /* BASIC */
    return npu__nn_option(k, to, "fused_activation_function", 4); /* TANH */
}

/* ---- LSH_PROJECTION, RANDOM_MULTINOMIAL ---- */

/* The old sparse projection (1) lacks what the new one adds to the numbers of each hash. */
NPU__FN npu_status npu__nn_lsh_apart(npu__nn_maker *k, int32_t from, int32_t to) {
    const npu__nn_operand *hash = npu__nn_arg(k, 0);
    const int64_t          n = hash->n_dims == 2 ? (int64_t)hash->dims[0] : 0, bits = n > 0 ? (int64_t)hash->dims[1] : 0;
    int32_t               *added = npu__nn_list(k, (size_t)n), by;
    if (!added) return NPU_OUT_OF_MEMORY;
    if (n < 1 || bits < 1 || bits > 30 || n > INT32_MAX >> bits) return npu__nn_refuse(k, "the old sparse projection needs known hashes, of few bits");
    for (int64_t i = 0; i < n; i++) added[i] = (int32_t)(i << bits);
    NPU__TRY(npu__nn_ints(k, added, (int32_t)n, &by));
    return npu__nn_step(k, "SUB", from, by, to, NULL);
}

/* Types: 3 sparse, which is TFLite's 1; 2 dense; 1 sparse as it once was. */
NPU__FN npu_status npu__nn_make_lsh(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_shape open = {1, {-1, 0, 0, 0, 0, 0, 0, 0}};
    int32_t             in[3], out, result, to;
    int64_t             type;
    NPU__TRY(npu__nn_int_arg(k, 3, &type));
    if (type < 1 || type > 3) return npu__nn_refuse(k, "its type must be 1 or 3 (sparse) or 2 (dense)");
    for (uint32_t i = 0; i < 2; i++) { /* the hash is of the bytes that the caller gives */
        if (npu__nn_arg(k, i)->type->element == NPU_FLOAT16) return npu__nn_refuse(k, "it does not take float16");
    }
    for (uint32_t i = 0; i < 3; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    NPU__TRY(npu__nn_write(k, 0, &out));
    result = out;
    if (type == 1) NPU__TRY(npu__nn_like(k, &k->m->operands[op->out[0]], &open, &result));
    NPU__TRY(npu__nn_add(k, op->row->name, in, 3, &result, 1, &to));
    NPU__TRY(npu__nn_option(k, to, "type", type == 2 ? 2 : 1));
    return type == 1 ? npu__nn_lsh_apart(k, result, out) : NPU_OK;
}

NPU__FN npu_status npu__nn_make_multinomial(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *seeds = npu__nn_arg(k, 2);
    int32_t                in[2], seed[2], out, to, samples;
    int64_t                n;
    const npu__nn_shape    scalar = {0, {0, 0, 0, 0, 0, 0, 0, 0}};
    NPU__TRY(npu__nn_int_arg(k, 1, &n));
    if (n < 1 || n > INT32_MAX) return npu__nn_refuse(k, "it must take at least one sample");
    if (seeds->has != NPU__NN_VALUE || seeds->bytes != sizeof seed) return npu__nn_refuse(k, "its two seeds must be known");
    memcpy(seed, seeds->value, sizeof seed);
    samples = (int32_t)n;
    NPU__TRY(npu__nn_read(k, 0, &in[0]));
    NPU__TRY(npu__nn_constant(k, NPU_INT32, &scalar, &samples, sizeof samples, &in[1]));
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_step(k, op->row->name, in[0], in[1], out, &to));
    NPU__TRY(npu__nn_option(k, to, "seed", seed[0]));
    return npu__nn_option(k, to, "seed2", seed[1]);
}

#endif
