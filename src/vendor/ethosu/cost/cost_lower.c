/* Maps, weights and emission for the files that lower operators. */
#include "../../../ops/util.h"
#include "cost_lower.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int32_t npu__cost_clamp(int64_t v, int32_t most) { return (int32_t)NPU__MAX(1, NPU__MIN(v, most)); }

/* Its elements have a width too: estimates divide by it, whatever they find out later. */
NPU__FN npu__cost_map npu__cost_no_map(void) {
    npu__cost_map m;
    memset(&m, 0, sizeof m);
    m.bits = 8;
    m.range = -1;
    return m;
}

NPU__FN npu__cost_map npu__cost_map_of(const npu__cost_node *n, const npu__val *v, int32_t tensor) {
    npu__cost_map m = npu__cost_no_map();
    int32_t       bits = npu_type_bits((npu_type)v->type);
    if (npu__elems(v) <= 0) return m;
    m.c = npu__dim(v, -1);
    m.w = v->shape.rank > 1 ? npu__dim(v, -2) : 1;
    m.h = npu__cost_clamp(npu__dims_product(&v->shape, 0, NPU__MAX(v->shape.rank - 2, 0)), 1 << 30);
    m.bits = bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
    m.linear = tensor < 0 || (n->tensors[tensor] & NPU__COST_T_LINEAR) || m.c < NPU__COST_BRICKS_FROM;
    m.range = npu__is_const(v) ? -1 : tensor;
    m.where = NPU__COST_SRAM;
    if (npu__is_const(v)) {
        m.linear = 1;
        m.where = n->system->model_in_sram ? NPU__COST_SRAM : NPU__COST_STORE;
        m.constant = npu__elems(v) == 1;
    }
    return m;
}

NPU__FN npu__cost_map npu__cost_in_map(const npu__cost_node *n, int32_t i) {
    const npu__val *v = npu__opt_in(n->ctx, i);
    return v ? npu__cost_map_of(n, v, n->ctx->node->in[i]) : npu__cost_no_map();
}

NPU__FN npu__cost_map npu__cost_out_map(const npu__cost_node *n, int32_t i) {
    return i < n->ctx->n_out ? npu__cost_map_of(n, n->ctx->out[i], n->ctx->node->out[i]) : npu__cost_no_map();
}

NPU__FN npu__cost_op npu__cost_op_make(int32_t kind, npu__cost_map in, npu__cost_map out) {
    npu__cost_op op;
    memset(&op, 0, sizeof op);
    op.kind = kind;
    op.in[1] = op.also[0] = op.also[1] = npu__cost_no_map();
    op.unit = NPU__COST_OTHER;
    op.in[0] = in;
    op.out = out;
    op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = op.upscale = op.repeat = 1;
    return op;
}

NPU__FN npu__cost_map npu__cost_between(npu__cost_node *n, npu__cost_map like, int32_t bits) {
    like.bits = bits;
    like.constant = 0;
    like.linear = like.c < NPU__COST_BRICKS_FROM;
    like.where = NPU__COST_SRAM;
    like.range = n->n_tensors + n->between++;
    return like;
}

NPU__FN void npu__cost_clamp_map(npu__cost_map *m) {
    m->h = npu__cost_clamp(m->h, 1 << 20);
    m->w = npu__cost_clamp(m->w, 1 << 20);
    m->c = npu__cost_clamp(m->c, 1 << 20);
}

/* Output channels that are computed at once. */
NPU__FN int32_t npu__cost_depth_at_once(const npu__cost_machine *m, const npu__cost_op *op) {
    npu__cost c;
    if (m->n_shapes < 1) return m->block_d;
    memset(&c, 0, sizeof c);
    npu__cost_choose_block(&c, m, op, op->out.h);
    return c.smallest[2];
}

NPU__FN int64_t npu__cost_scale_bytes(const npu__cost_machine *m, const npu__cost_op *op) {
    int64_t unit = m->n_shapes > 0 ? NPU__MAX(npu__cost_depth_at_once(m, op), 16) : 1;
    return (int64_t)npu__align_up((size_t)((op->out.c + unit - 1) / unit * unit * 10), 16);
}

NPU__FN int npu__cost_bound(npu__cost_op *op) {
    if (op->in[0].h < 1 || op->out.h < 1) return 0;
    npu__cost_clamp_map(&op->in[0]);
    npu__cost_clamp_map(&op->out);
    if (op->in[1].h > 0) npu__cost_clamp_map(&op->in[1]);
    op->kernel_h = npu__cost_clamp(op->kernel_h, 1 << 16);
    op->kernel_w = npu__cost_clamp(op->kernel_w, 1 << 16);
    op->stride_h = npu__cost_clamp(op->stride_h, 1 << 16);
    op->stride_w = npu__cost_clamp(op->stride_w, 1 << 16);
    op->dilation_h = npu__cost_clamp(op->dilation_h, 1 << 16);
    op->dilation_w = npu__cost_clamp(op->dilation_w, 1 << 16);
    op->repeat = npu__cost_clamp(op->repeat, 1 << 20);
    return 1;
}

NPU__FN void npu__cost_emit(npu__cost_node *n, npu__cost_op *op) {
    if (!npu__cost_bound(op)) return;
    if (op->has_weights) op->scale_bytes = npu__cost_scale_bytes(&n->system->machine, op) * NPU__MAX(op->scale_parts, 1);
    n->stored += op->weight_bytes + op->scale_bytes + op->table_bytes;
    n->emit(n->user, op);
}

/* Steps through a window, which is taken apart into pieces of 8 x 8 at most, gaps of a dilated one counted. */
NPU__FN int64_t npu__cost_kernel_steps(const npu__cost_op *op, int64_t kernel, int32_t step) {
    int64_t h = op->kernel_h, w = op->kernel_w, most_h = NPU__MAX(8 / NPU__MAX(op->dilation_h, 1), 1);
    int64_t most_w = NPU__MAX(8 / NPU__MAX(op->dilation_w, 1), 1), ny, nx, ry, rx;
    if (h * w != kernel) return (kernel + step - 1) / step;
    ny = h / most_h;
    nx = w / most_w;
    ry = h % most_h;
    rx = w % most_w;
    return ny * nx * ((most_h * most_w + step - 1) / step) + ny * ((most_h * rx + step - 1) / step) +
           nx * ((ry * most_w + step - 1) / step) + (ry * rx + step - 1) / step;
}

/* How the order that weights are read in pads them. */
NPU__FN void npu__cost_weight_steps(const npu__cost_machine *m, const npu__cost_op *op, npu__cost_weights *w) {
    int       part_kernel = npu__cost_part_kernel(m, op), wide = op->in[0].bits == 16;
    npu__cost c;
    memset(&c, 0, sizeof c);
    if (m->n_shapes > 0) npu__cost_choose_block(&c, m, op, op->out.h);
    w->block_d = NPU__MAX(m->n_shapes > 0 ? c.smallest[2] : m->block_d, 8);
    w->channel_step = w->kernel_step = 1;
    if (m->n_shapes < 1) {
        if (w->depthwise) w->kernel_step = 4;
        else if (part_kernel) w->kernel_step = wide ? 2 : 4;
        if (!w->depthwise) w->channel_step = part_kernel ? 8 : wide ? 16 : 32;
    } else if (w->depthwise) {
        w->kernel_step = 10;
        w->between = !wide && m->macs <= 256 ? 0 : m->macs <= 512 ? 2 : 6;
    } else {
        w->channel_step = part_kernel ? (wide ? 8 : 16) : NPU__MAX(c.in_block[2], 1);
        if (part_kernel) w->kernel_step = wide ? 10 : 5;
    }
    w->steps = npu__cost_kernel_steps(op, w->kernel, w->kernel_step);
}

NPU__FN void npu__cost_add_weights(npu__cost_node *n, npu__cost_op *op, const npu__val *v, int depthwise) {
    npu__cost_weights w;
    int64_t           elems = npu__elems(v), outputs = depthwise ? npu__dim(v, -1) : npu__dim(v, 0);
    op->has_weights = 1;
    op->weight_bytes = elems;
    if (!npu__cost_bound(op)) return;
    if (!npu__is_const(v) || !v->data || (v->type != NPU_INT8 && v->type != NPU_UINT8)) return;
    if (v->t->data_bytes != (size_t)elems || outputs < 1 || elems < 1 || elems > *n->left) return;
    *n->left -= elems;
    memset(&w, 0, sizeof w);
    w.data = (const uint8_t *)v->data;
    w.is_signed = v->type == NPU_INT8;
    w.zero_point = w.is_signed || v->t->quant.count < 1 ? 0 : v->t->quant.zero_point[0];
    w.outputs = (int32_t)outputs;
    w.channels = depthwise ? 1 : v->shape.rank > 1 ? npu__dim(v, -1) : 1;
    w.kernel = (int32_t)(elems / outputs / w.channels);
    w.depthwise = op->kind == NPU__COST_DEPTHWISE;
    op->sparse = n->system->machine.n_shapes > 0 && !w.depthwise && npu__cost_weights_sparse(&w);
    w.last = depthwise;
    npu__cost_weight_steps(&n->system->machine, op, &w);
    op->weight_bytes = npu__cost_weight_bytes(&w);
    if (!op->sparse) op->weight_bytes = npu__cost_stored_weights(n->system, &w, op->weight_bytes);
    op->weight_bytes = (int64_t)npu__align_up((size_t)op->weight_bytes, 16);
}

/* A copy to where the variable is. */
NPU__FN int npu__cost_lower_assign(npu__cost_node *n) {
    npu__cost_op op;
    if (n->ctx->node->code != NPU__BUILTIN_ASSIGN_VARIABLE || n->ctx->n_in < 2) return 0;
    op = npu__cost_op_make(NPU__COST_POOL, npu__cost_in_map(n, 1), npu__cost_in_map(n, 1));
    op.out.range = n->ctx->node->in[0];
    op.out.linear = 1;
    op.out.where = NPU__COST_SRAM;
    op.out.constant = 0;
    op.copies = 1;
    npu__cost_emit(n, &op);
    return 1;
}

NPU__FN void npu__cost_lower(npu__cost_node *n) {
    npu__cost_op op;
    n->stored = n->zeros = 0;
    if (npu__cost_lower_assign(n) || n->ctx->n_in < 1 || n->ctx->n_out < 1) return;
    if (npu__cost_lower_window(n) || npu__cost_lower_elementwise(n) || npu__cost_lower_composite(n)) return;
    /* Whatever else it is moves every element of its output at least once. */
    op = npu__cost_op_make(NPU__COST_POOL, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
    if (op.in[0].h != op.out.h || op.in[0].w != op.out.w || op.in[0].c != op.out.c) op.in[0] = op.out;
    op.activation = n->activation;
    op.copies = 1;
    npu__cost_emit(n, &op);
}

#endif
