/* Operators that work element by element, that only move data, and those made of many steps. */
#include "../../../ops/util.h"
#include "../hardware.h"
#include "cost_lower.h"
#include "../rules/look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- element by element ---- */

NPU__FN void npu__cost_binary(npu__cost_node *n, int32_t unit) {
    npu__cost_map out = npu__cost_out_map(n, 0), a = npu__cost_in_map(n, 0), b = npu__cost_in_map(n, 1);
    npu__cost_op  op = npu__cost_op_make(NPU__COST_ELEMENTWISE, a.constant ? b : a, out);
    op.in[1] = a.constant ? a : b;
    op.unit = unit;
    op.activation = npu__cost_activation(n);
    npu__cost_emit(n, &op);
}

/* Through a lookup table, a rescaling or a clamp: a pass of the pooling unit with a 1x1 window. */
NPU__FN void npu__cost_unary(npu__cost_node *n, int32_t activation, int32_t table_bytes) {
    npu__cost_op op = npu__cost_op_make(NPU__COST_POOL, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
    op.activation = activation;
    op.table_bytes = table_bytes;
    npu__cost_emit(n, &op);
}

NPU__FN int npu__cost_lower_elementwise(npu__cost_node *n) {
    int32_t table = n->ctx->in[0] && n->ctx->in[0]->type == NPU_INT16 ? 2048 : 256;
    switch (n->ctx->node->code) {
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_SUB: npu__cost_binary(n, NPU__COST_ADD); return 1;
    case NPU__BUILTIN_MUL: npu__cost_binary(n, NPU__COST_MUL); return 1;
    case NPU__BUILTIN_MINIMUM: case NPU__BUILTIN_MAXIMUM: npu__cost_binary(n, NPU__COST_OTHER); return 1;
    case NPU__BUILTIN_SQUARED_DIFFERENCE:
        npu__cost_binary(n, NPU__COST_ADD);
        npu__cost_binary(n, NPU__COST_MUL);
        return 1;
    case NPU__BUILTIN_RELU: case NPU__BUILTIN_RELU6: case NPU__BUILTIN_RELU_N1_TO_1: case NPU__BUILTIN_RELU_0_TO_1:
    case NPU__BUILTIN_QUANTIZE:
        npu__cost_unary(n, NPU__COST_ACT_NONE, 0);
        return 1;
    case NPU__BUILTIN_LOGISTIC: case NPU__BUILTIN_TANH: case NPU__BUILTIN_HARD_SWISH: case NPU__BUILTIN_LEAKY_RELU:
    case NPU__BUILTIN_ELU: case NPU__BUILTIN_EXP: case NPU__BUILTIN_LOG: case NPU__BUILTIN_GELU:
    case NPU__BUILTIN_RSQRT:
        npu__cost_unary(n, NPU__COST_ACT_NONE, table);
        return 1;
    case NPU__BUILTIN_ABS: case NPU__BUILTIN_NEG: {
        npu__cost_op op = npu__cost_op_make(NPU__COST_ELEMENTWISE, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
        op.activation = n->activation;
        npu__cost_emit(n, &op);
        return 1;
    }
    default: return 0;
    }
}

/* ---- moving data ---- */

NPU__FN void npu__cost_copy_part(npu__cost_node *n, npu__cost_map from, npu__cost_map to) {
    npu__cost_op op = npu__cost_op_make(NPU__COST_POOL, from, to);
    op.copies = 1;
    npu__cost_emit(n, &op);
}

/* The bytes of `whole` in the shape of `part`. */
NPU__FN npu__cost_map npu__cost_part_of(npu__cost_map part, const npu__cost_map *whole) {
    part.linear = whole->linear;
    part.where = whole->where;
    part.range = whole->range;
    return part;
}

/* Parts that the operators before could not write in place. */
NPU__FN void npu__cost_join_parts(npu__cost_node *n) {
    npu__cost_map whole = npu__cost_out_map(n, 0);
    for (int32_t i = 0; i < n->ctx->n_in; i++) {
        npu__cost_map part = npu__cost_in_map(n, i);
        int32_t       t = n->ctx->node->in[i];
        if (t >= 0 && (n->tensors[t] & NPU__COST_T_JOIN)) npu__cost_copy_part(n, part, npu__cost_part_of(part, &whole));
    }
}

/* Parts that the operators behind cannot read in place; another shape of the same bytes likewise. */
NPU__FN void npu__cost_split_parts(npu__cost_node *n) {
    npu__cost_map whole = npu__cost_in_map(n, n->ctx->node->code == NPU__BUILTIN_SPLIT);
    for (int32_t i = 0; i < n->ctx->n_out; i++) {
        npu__cost_map part = npu__cost_out_map(n, i);
        int32_t       t = n->ctx->node->out[i];
        if (t >= 0 && (n->tensors[t] & NPU__COST_T_COPY)) npu__cost_copy_part(n, npu__cost_part_of(part, &whole), part);
    }
}

/* ---- many steps ---- */

NPU__FN void npu__cost_small(npu__cost_node *n, int32_t unit, npu__cost_map a, npu__cost_map out, int two,
                            int32_t repeat) {
    npu__cost_op op = npu__cost_op_make(NPU__COST_ELEMENTWISE, a, out);
    op.unit = unit;
    op.repeat = repeat;
    if (two) op.in[1] = a;
    npu__cost_emit(n, &op);
}

/* Largest value, difference through a table of exponentials, sum, a reciprocal by Newton's method on a value a row (21
 * small steps), product. */
NPU__FN void npu__cost_softmax(npu__cost_node *n) {
    npu__cost_map in = npu__cost_in_map(n, 0), out = npu__cost_out_map(n, 0), wide, shifted, product, rows, one, sum;
    npu__cost_op  op;
    int64_t       n_rows;
    if (in.h < 1 || out.h < 1) return;
    n_rows = NPU__MIN((int64_t)in.h * in.w, 1 << 20);
    wide = npu__cost_between(n, in, 32);
    shifted = npu__cost_between(n, in, 32);
    product = npu__cost_between(n, in, 32);
    rows = in;
    rows.h = (int32_t)n_rows;
    rows.w = in.c;
    rows.c = 1;
    one = rows;
    one.w = 1;
    one = npu__cost_between(n, one, in.bits);
    op = npu__cost_op_make(NPU__COST_POOL, rows, one);
    op.unit = NPU__COST_MAX;
    op.kernel_w = in.c;
    if (n->system->machine.product == NPU__ETHOSU_U85 && in.w > 1) { /* rows become channels first */
        npu__cost_op turn = npu__cost_op_make(NPU__COST_POOL, in, npu__cost_between(n, in, in.bits));
        turn.whole = 1;
        turn.run = NPU__MIN(in.h, in.w);
        npu__cost_emit(n, &turn);
        op.in[0] = turn.out;
        op.in[0].h = op.kernel_h = in.c;
        op.in[0].w = in.h;
        op.in[0].c = in.w;
        op.out = one;
        op.out.h = op.kernel_w = 1;
        op.out.w = in.h;
        op.out.c = in.w;
    }
    op.whole = 1;
    npu__cost_emit(n, &op);
    op = npu__cost_op_make(NPU__COST_ELEMENTWISE, in, wide);
    op.unit = NPU__COST_ADD;
    op.in[1] = one;
    op.activation = NPU__COST_ACT_LOOKUP;
    op.table_bytes = in.bits == 16 ? 2048 : 1024;
    npu__cost_emit(n, &op);
    npu__cost_small(n, NPU__COST_OTHER, wide, shifted, 0, 1);
    sum = npu__cost_between(n, one, 32);
    op = npu__cost_op_make(NPU__COST_REDUCE, shifted, sum);
    npu__cost_emit(n, &op);
    one = npu__cost_between(n, one, 32);
    npu__cost_small(n, NPU__COST_OTHER, sum, one, 1, n->system->machine.product == NPU__ETHOSU_U85 ? 12 : 21);
    op = npu__cost_op_make(NPU__COST_ELEMENTWISE, wide, product);
    op.unit = NPU__COST_MUL;
    op.in[1] = one;
    npu__cost_emit(n, &op);
    npu__cost_small(n, NPU__COST_OTHER, product, out, 0, 1);
    if (n->system->machine.product != NPU__ETHOSU_U85) n->zeros = 4 * n_rows * in.c;
}

/* One operation of the cell, as often as there are steps of time. */
NPU__FN void npu__cost_gate(npu__cost_node *n, int32_t kind, npu__cost_map in, npu__cost_map out, int32_t repeat) {
    npu__cost_op op = npu__cost_op_make(kind, in, out);
    op.repeat = repeat;
    npu__cost_emit(n, &op);
}

/* Steps of time, images, and the step's values as the cell sees them. */
typedef struct npu__cost_cell {
    int32_t       steps;
    npu__cost_map x, state, memory, gate;
} npu__cost_cell;

NPU__FN npu__cost_map npu__cost_step_of(npu__cost_map m, int32_t batch) {
    m.h = batch;
    m.w = 1;
    return m;
}

/* Two maps made one. */
NPU__FN npu__cost_map npu__cost_join_gates(npu__cost_node *n, const npu__cost_cell *cell, npu__cost_map a,
                                           npu__cost_map b, int32_t unit) {
    npu__cost_op op = npu__cost_op_make(NPU__COST_ELEMENTWISE, a, npu__cost_between(n, cell->gate, 16));
    op.in[1] = b;
    op.unit = unit;
    op.repeat = cell->steps;
    npu__cost_emit(n, &op);
    return op.out;
}

/* The products with the state and the input, added: one gate. What is new of the cell is not clamped. */
NPU__FN npu__cost_map npu__cost_lstm_gate(npu__cost_node *n, const npu__cost_cell *cell, int32_t g) {
    npu__cost_map product[2], sum, out;
    product[0] = product[1] = cell->gate;
    for (int32_t k = 1; k >= 0; k--) {
        const npu__val *weights = npu__opt_in(n->ctx, 1 + g + 4 * k);
        npu__cost_op    op;
        if (!weights) continue;
        op = npu__cost_op_make(NPU__COST_CONV, k ? cell->state : cell->x, npu__cost_between(n, cell->gate, 16));
        op.out.c = npu__dim(weights, 0);
        op.in[0].c = NPU__MAX(npu__dim(weights, -1), 1);
        op.repeat = cell->steps;
        op.product = op.whole = op.apart = 1;
        npu__cost_add_weights(n, &op, weights, 0);
        npu__cost_emit(n, &op);
        product[k] = op.out;
    }
    sum = npu__cost_join_gates(n, cell, product[0], product[1], NPU__COST_ADD);
    if (g == 2) return sum;
    out = npu__cost_between(n, cell->gate, 16);
    npu__cost_gate(n, NPU__COST_POOL, sum, out, cell->steps);
    return out;
}

/* Four gates a step of time, each from the input (a copy of its step) and the state; then the new cell and output. */
NPU__FN void npu__cost_lstm(npu__cost_node *n) {
    npu__cost_cell  cell;
    npu__cost_map   x = npu__cost_in_map(n, 0), out = npu__cost_out_map(n, 0), open, fresh, kept;
    npu__cost_op    tanh;
    const npu__val *in = n->ctx->in[0];
    const npu__opts_UnidirectionalSequenceLSTMOptions *o = NPU__OPTIONS(n->ctx->node, UnidirectionalSequenceLSTMOptions);
    int32_t         time_major = o->time_major, batch;
    if (x.h < 1 || out.h < 1) return;
    cell.steps = (int32_t)NPU__MIN(NPU__MAX(npu__dim(in, time_major ? 0 : 1), 1), 1 << 20);
    batch = NPU__MAX(npu__dim(in, time_major ? 1 : 0), 1);
    cell.x = npu__cost_step_of(x, batch);
    cell.state = npu__cost_in_map(n, 18);
    cell.memory = npu__cost_in_map(n, 19);
    if (cell.state.h < 1) cell.state = out;
    if (cell.memory.h < 1) cell.memory = out;
    cell.state = npu__cost_step_of(cell.state, batch);
    cell.memory = npu__cost_step_of(cell.memory, batch);
    cell.gate = npu__cost_between(n, npu__cost_step_of(out, batch), 16);
    npu__cost_gate(n, NPU__COST_POOL, cell.state, npu__cost_step_of(out, batch), cell.steps);
    open = npu__cost_lstm_gate(n, &cell, 3);
    fresh = npu__cost_lstm_gate(n, &cell, 0);
    fresh = npu__cost_join_gates(n, &cell, npu__cost_lstm_gate(n, &cell, 2), fresh, NPU__COST_MUL);
    kept = npu__cost_lstm_gate(n, &cell, 1);
    kept = npu__cost_join_gates(n, &cell, kept, cell.memory, NPU__COST_MUL);
    npu__cost_gate(n, NPU__COST_POOL, npu__cost_join_gates(n, &cell, kept, fresh, NPU__COST_ADD), cell.memory,
                   cell.steps);
    tanh = npu__cost_op_make(NPU__COST_POOL, cell.memory, npu__cost_between(n, cell.gate, 16));
    tanh.repeat = cell.steps;
    if (n->system->machine.product == NPU__ETHOSU_U85) tanh.table_bytes = 2048; /* loaded each time */
    npu__cost_emit(n, &tanh);
    open = npu__cost_join_gates(n, &cell, tanh.out, open, NPU__COST_MUL);
    npu__cost_gate(n, NPU__COST_POOL, open, cell.state, cell.steps);
}

/* Along rows of the pooling unit, 65536 of them at a time. */
NPU__FN void npu__cost_arg_max_rows(npu__cost_node *n, npu__cost_map in, npu__cost_map out, int64_t rows) {
    npu__cost_op op = npu__cost_op_make(NPU__COST_POOL, in, out);
    op.kernel_w = op.in[0].w = in.c;
    op.in[0].c = op.out.c = op.out.w = 1;
    op.in[0].h = op.out.h = 65536;
    op.whole = 1;
    op.repeat = (int32_t)NPU__MIN(rows / 65536, 1 << 20);
    if (op.repeat > 0) npu__cost_emit(n, &op);
    op.repeat = 1;
    op.in[0].h = op.out.h = (int32_t)(rows % 65536);
    npu__cost_emit(n, &op);
}

/* Index of the largest channel. Ethos-U85 has an operation for it. Others pack values and indices into 16 bits, then
 * reduce them like a softmax's maximum; long columns run four rows at a time. */
NPU__FN void npu__cost_arg_max(npu__cost_node *n) {
    npu__cost_map in = npu__cost_in_map(n, 0), out = npu__cost_out_map(n, 0), wide, rows, one;
    npu__cost_op  op;
    int64_t       n_rows = (int64_t)in.h * in.w;
    if (in.h < 1 || out.h < 1) return;
    if (n->system->machine.product == NPU__ETHOSU_U85) {
        npu__cost_arg_max_rows(n, in, out, n_rows);
        return;
    }
    wide = npu__cost_between(n, in, 16);
    wide.linear = 1;
    op = npu__cost_op_make(NPU__COST_DEPTHWISE, in, wide);
    op.has_weights = 1;
    npu__cost_emit(n, &op);
    rows = wide;
    rows.linear = 1;
    rows.h = n_rows > 65536 ? 4 : (int32_t)n_rows;
    rows.w = in.c;
    rows.c = 1;
    one = rows;
    one.w = 1;
    op = npu__cost_op_make(NPU__COST_POOL, rows, one);
    op.unit = NPU__COST_MAX;
    op.kernel_w = in.c;
    op.repeat = (int32_t)NPU__MIN(NPU__MAX(n_rows / rows.h, 1), 1 << 20);
    npu__cost_emit(n, &op);
    one.h = in.h;
    one.w = in.w;
    op = npu__cost_op_make(NPU__COST_POOL, one, one);
    npu__cost_emit(n, &op);
    one.bits = 32;
    npu__cost_small(n, NPU__COST_ADD, one, one, 1, 2);
}

/* A product and a sum for every column of the second operand. */
NPU__FN void npu__cost_batch_matmul(npu__cost_node *n) {
    npu__cost_map a = npu__cost_in_map(n, 0), b = npu__cost_in_map(n, 1), out = npu__cost_out_map(n, 0), wide, sum;
    const npu__opts_BatchMatMulOptions *o = NPU__OPTIONS(n->ctx->node, BatchMatMulOptions);
    npu__cost_op  op;
    if (a.h < 1 || b.h < 1 || out.h < 1) return;
    if (!o->adj_y) { /* columns must lie like rows */
        npu__cost_map turned = npu__cost_between(n, b, b.bits);
        npu__cost_op  turn = npu__cost_op_make(NPU__COST_POOL, b, turned);
        turn.whole = 1;
        npu__cost_emit(n, &turn);
        b = turned;
    }
    if (n->system->machine.product == NPU__ETHOSU_U85) { /* a product for each matrix of the batch */
        op = npu__cost_op_make(NPU__COST_CONV, a, out);
        op.product = 2;
        op.whole = 1;
        op.repeat = out.h;
        op.in[0].h = op.out.h = 1;
        op.in[1] = b;
        op.in[1].h = 1;
        npu__cost_emit(n, &op);
        return;
    }
    wide = npu__cost_between(n, a, 32);
    sum = out;
    sum.c = 1;
    op = npu__cost_op_make(NPU__COST_ELEMENTWISE, a, wide);
    op.unit = NPU__COST_MUL;
    op.repeat = out.c;
    op.thin_out = op.scratch = 1;
    npu__cost_emit(n, &op);
    op = npu__cost_op_make(NPU__COST_REDUCE, wide, sum);
    op.repeat = out.c;
    op.thin_in = 1;
    npu__cost_emit(n, &op);
}

enum { NPU__COST_TURNED = 16 }; /* elements written side by side when channels become another dimension */

/* Element by element, in an order that makes every one a burst of its own. */
NPU__FN void npu__cost_transpose(npu__cost_node *n) {
    npu__cost_op    op = npu__cost_op_make(NPU__COST_POOL, npu__cost_out_map(n, 0), npu__cost_out_map(n, 0));
    const npu__val *order = npu__opt_in(n->ctx, 1);
    int64_t         last = order && npu__is_const(order) && order->data ? npu__elems(order) - 1 : -1;
    op.in[0].linear = 0;
    if (n->system->machine.product == NPU__ETHOSU_U85) { /* channels that stay channels do not help */
        int stay = last >= 0 && npu__int_at(order, last) == last;
        op.run = stay ? NPU__MAX(NPU__MIN(op.out.h, op.out.w), 1) : NPU__COST_TURNED;
    }
    npu__cost_emit(n, &op);
}

NPU__FN int npu__cost_lower_composite(npu__cost_node *n) {
    switch (n->ctx->node->code) {
    case NPU__BUILTIN_SOFTMAX: npu__cost_softmax(n); return 1;
    case NPU__BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM: npu__cost_lstm(n); return 1;
    case NPU__BUILTIN_ARG_MAX: npu__cost_arg_max(n); return 1;
    case NPU__BUILTIN_BATCH_MATMUL: npu__cost_batch_matmul(n); return 1;
    case NPU__BUILTIN_TRANSPOSE: npu__cost_transpose(n); return 1;
    case NPU__BUILTIN_CONCATENATION: case NPU__BUILTIN_PACK: npu__cost_join_parts(n); return 1;
    case NPU__BUILTIN_SPLIT: case NPU__BUILTIN_SPLIT_V: case NPU__BUILTIN_UNPACK: case NPU__BUILTIN_SLICE:
    case NPU__BUILTIN_STRIDED_SLICE: case NPU__BUILTIN_RESHAPE: case NPU__BUILTIN_SQUEEZE:
    case NPU__BUILTIN_EXPAND_DIMS:
        npu__cost_split_parts(n);
        return 1;
    default: return 0;
    }
}

#endif
