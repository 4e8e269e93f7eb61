/* Operators that slide a window, or multiply by weights. */
#include "../../../ops/util.h"
#include "../hardware.h"
#include "cost_block.h"
#include "cost_lower.h"
#include "../rules/look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum { NPU__COST_GROUPS = 256 }; /* of a convolution that count one by one; more are estimated as one, repeated */

/* The activation on the way out: the operator's own, or that of the one behind. */
NPU__FN int32_t npu__cost_activation(const npu__cost_node *n) {
    int32_t code = npu__ethosu_fused_code(n->ctx);
    if (n->activation != NPU__COST_ACT_NONE) return n->activation;
    if (code == NPU__ACT_NONE) return NPU__COST_ACT_NONE;
    return code == NPU__ACT_TANH ? NPU__COST_ACT_LOOKUP : NPU__COST_ACT_CLAMP;
}

NPU__FN int npu__cost_merges_images(const npu__ctx *c) {
    npu__window w;
    if (c->node->code != NPU__BUILTIN_CONV_2D || c->n_in < 2 || !c->in[0] || !c->in[1] || c->n_out < 1) return 0;
    if (c->in[0]->shape.rank != 4 || npu__dim(c->in[0], 0) < 2) return 0;
    w = npu__window_of(c);
    return w.k_h == 1 && w.k_w == 1 && w.stride_h == 1 && w.stride_w == 1;
}

/* Several images: one after the other, but as one where every pixel is computed alone. */
NPU__FN void npu__cost_split_batch(npu__cost_node *n, npu__cost_op *op) {
    const npu__val *in = n->ctx->in[0], *out = n->ctx->out[0];
    if (!in || in->shape.rank != 4 || out->shape.rank != 4 || npu__dim(in, 0) != npu__dim(out, 0)) return;
    if (npu__cost_merges_images(n->ctx)) return;
    op->repeat = NPU__MAX(npu__dim(in, 0), 1);
    op->in[0].h = npu__dim(in, 1);
    op->out.h = npu__dim(out, 1);
}

/* A convolution in groups, each of `channels` of the input, is one after the other. */
NPU__FN void npu__cost_emit_groups(npu__cost_node *n, npu__cost_op *op, int32_t channels) {
    int32_t groups = channels > 0 ? op->in[0].c / channels : 1, separate;
    if (groups > 1) {
        separate = groups <= NPU__COST_GROUPS ? groups : 1;
        op->in[0].c = channels;
        op->out.c = NPU__MAX(op->out.c / groups, 1);
        op->weight_bytes = (int64_t)npu__align_up((size_t)(op->weight_bytes / groups), 16) * (groups / separate);
        op->scale_parts = groups / separate;
        if (separate == 1) op->repeat = (int32_t)NPU__MIN((int64_t)op->repeat * groups, 1 << 20);
        for (int32_t g = 1; g < separate; g++) {
            npu__cost_op part = *op;
            npu__cost_emit(n, &part);
        }
    }
    npu__cost_emit(n, op);
}

NPU__FN void npu__cost_conv(npu__cost_node *n) {
    npu__window     w = npu__window_of(n->ctx);
    npu__cost_op    op = npu__cost_op_make(NPU__COST_CONV, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
    int             depthwise = n->ctx->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D;
    const npu__val *weights = npu__opt_in(n->ctx, 1);
    if (!weights) return;
    if (depthwise && !(op.in[0].c == 1 && op.out.c > 1)) op.kind = NPU__COST_DEPTHWISE;
    op.kernel_h = w.k_h;
    op.kernel_w = w.k_w;
    op.stride_h = w.stride_h;
    op.stride_w = w.stride_w;
    op.dilation_h = w.dil_h;
    op.dilation_w = w.dil_w;
    op.activation = npu__cost_activation(n);
    npu__cost_split_batch(n, &op);
    npu__cost_add_weights(n, &op, weights, depthwise);
    if (npu__dim(n->ctx->in[0], 0) > 1 && n->ctx->in[0]->shape.rank == 4 && op.activation != NPU__COST_ACT_NONE) {
        /* the activation takes all images at once */
        npu__cost_op after = npu__cost_op_make(NPU__COST_POOL, npu__cost_out_map(n, 0), npu__cost_out_map(n, 0));
        after.in[0] = npu__cost_between(n, after.in[0], after.in[0].bits);
        after.in[0].linear = npu__cost_merges_images(n->ctx);
        op.out.range = after.in[0].range;
        op.out.linear = after.in[0].linear;
        op.activation = NPU__COST_ACT_NONE;
        npu__cost_emit(n, &op);
        npu__cost_emit(n, &after);
        return;
    }
    npu__cost_emit_groups(n, &op, depthwise ? 0 : npu__dim(weights, -1));
}

/* Rows of a matrix product are laid out over height and width, as near to a square as divides them. */
NPU__FN void npu__cost_matrix_rows(npu__cost_map *m, int64_t rows, int32_t channels) {
    int64_t w = NPU__MAX(rows / 16, 1), least;
    while (w * w < rows) w++;
    for (least = w; rows % w != 0 && w < least + 65536;) w++;
    if (rows % w != 0) w = least; /* beyond any real matrix */
    m->w = (int32_t)NPU__MIN(w, 1 << 20);
    m->h = (int32_t)NPU__MIN(rows / w, 1 << 20);
    m->c = channels;
}

NPU__FN void npu__cost_fully_connected(npu__cost_node *n) {
    const npu__val *weights = npu__opt_in(n->ctx, 1);
    npu__cost_op    op = npu__cost_op_make(NPU__COST_CONV, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
    int64_t         rows;
    int32_t         channels, outputs;
    if (!weights || op.in[0].h < 1 || op.out.h < 1) return;
    channels = NPU__MAX(npu__dim(weights, -1), 1);
    outputs = NPU__MAX(npu__dim(weights, 0), 1);
    rows = NPU__MAX(npu__elems(n->ctx->in[0]) / channels, 1);
    npu__cost_matrix_rows(&op.in[0], rows, channels);
    npu__cost_matrix_rows(&op.out, rows, outputs);
    op.whole = op.product = 1;
    op.activation = npu__cost_activation(n);
    npu__cost_add_weights(n, &op, weights, 0);
    npu__cost_emit(n, &op);
}

NPU__FN void npu__cost_transpose_conv(npu__cost_node *n) {
    npu__window     w = npu__window_of(n->ctx);
    const npu__val *weights = npu__opt_in(n->ctx, 1);
    npu__cost_op    op = npu__cost_op_make(NPU__COST_CONV, npu__cost_in_map(n, 2), npu__cost_out_map(n, 0));
    if (!weights) return;
    op.kernel_h = w.k_h;
    op.kernel_w = w.k_w;
    op.upscale = w.stride_h > 1 ? 2 : 1;
    op.activation = npu__cost_activation(n);
    npu__cost_add_weights(n, &op, weights, 0);
    if (!npu__cost_bound(&op)) return;
    if (op.upscale == 1 || n->system->machine.product != NPU__ETHOSU_U85) {
        npu__cost_emit(n, &op);
        return;
    }
    for (int32_t i = 0; i < 4; i++) { /* a convolution for each pixel of a 2x2 square */
        npu__cost_op part = op;
        part.kernel_h = NPU__MAX((op.kernel_h + 1 - i / 2) / 2, 1);
        part.kernel_w = NPU__MAX((op.kernel_w + 1 - i % 2) / 2, 1);
        part.upscale = 1;
        part.whole = 1;
        part.in[0].h = op.out.h;
        part.in[0].w = op.out.w;
        part.weight_bytes = op.weight_bytes / 4;
        npu__cost_emit(n, &part);
    }
}

NPU__FN void npu__cost_pool(npu__cost_node *n) {
    npu__window  w = npu__window_of(n->ctx);
    npu__cost_op op = npu__cost_op_make(NPU__COST_POOL, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
    if (n->ctx->node->code == NPU__BUILTIN_MAX_POOL_2D) op.unit = NPU__COST_MAX;
    op.kernel_h = w.k_h;
    op.kernel_w = w.k_w;
    op.stride_h = w.stride_h;
    op.stride_w = w.stride_w;
    op.activation = npu__cost_activation(n);
    npu__cost_split_batch(n, &op);
    npu__cost_emit(n, &op);
}

/* A depthwise convolution with ones as weights, as high and wide as what is averaged, then a multiplication. */
NPU__FN void npu__cost_mean(npu__cost_node *n) {
    npu__cost_map in = npu__cost_in_map(n, 0), out = npu__cost_out_map(n, 0), sum;
    npu__cost_op  op;
    int64_t       window = 1;
    if (in.h < 1 || out.h < 1) return;
    window = NPU__MAX(npu__elems(n->ctx->in[0]) / NPU__MAX(npu__elems(n->ctx->out[0]), 1), 1);
    sum = npu__cost_between(n, out, 32);
    op = npu__cost_op_make(NPU__COST_DEPTHWISE, in, sum);
    op.kernel_h = (int32_t)NPU__MIN(in.h, window);
    op.kernel_w = (int32_t)NPU__MIN(NPU__MAX(window / op.kernel_h, 1), 1 << 16);
    op.has_weights = 1; /* ones take a bit each */
    op.weight_bytes = (window + 3) / 4 * 4 * npu__cost_round(out.c, 8) / 8 / 16 * 16 + 16;
    npu__cost_emit(n, &op);
    op = npu__cost_op_make(NPU__COST_ELEMENTWISE, sum, out);
    op.unit = NPU__COST_MUL;
    op.in[1] = sum;
    op.in[1].constant = 1;
    op.activation = n->activation;
    npu__cost_emit(n, &op);
}

/* Sums over channels: as a reduction where the rules let it be one. */
NPU__FN void npu__cost_sum(npu__cost_node *n) {
    npu__cost_op op = npu__cost_op_make(NPU__COST_REDUCE, npu__cost_in_map(n, 0), npu__cost_out_map(n, 0));
    op.activation = n->activation;
    npu__cost_emit(n, &op);
}

/* Doublings, each a pass with upscaled input; half-pixel centers take four interleaved depthwise 2x2 windows over a
 * copy with a border. */
NPU__FN void npu__cost_resize(npu__cost_node *n) {
    npu__cost_map in = npu__cost_in_map(n, 0), out = npu__cost_out_map(n, 0), step;
    int           bilinear = n->ctx->node->code == NPU__BUILTIN_RESIZE_BILINEAR;
    int           half_pixel = bilinear && NPU__OPTIONS(n->ctx->node, ResizeBilinearOptions)->half_pixel_centers;
    npu__cost_op  op;
    if (in.h < 1 || out.h < 1) return;
    if (n->system->machine.product == NPU__ETHOSU_U85) {
        op = npu__cost_op_make(NPU__COST_ELEMENTWISE, in, out);
        op.resize = op.whole = 1;
        npu__cost_emit(n, &op);
        return;
    }
    if (half_pixel && in.h > 1) {
        op = npu__cost_op_make(NPU__COST_POOL, in, in);
        npu__cost_emit(n, &op);
        op = npu__cost_op_make(NPU__COST_DEPTHWISE, in, in);
        op.out.linear = 1;
        op.kernel_h = op.kernel_w = 2;
        op.repeat = 4;
        op.has_weights = 1;
        npu__cost_emit(n, &op);
        return;
    }
    if (in.h == 1 && in.w == 1) { /* one pixel everywhere */
        op = npu__cost_op_make(NPU__COST_ELEMENTWISE, out, out);
        op.unit = NPU__COST_ADD;
        op.in[1] = in;
        n->zeros = (int64_t)out.h * out.w * out.c; /* to which it is added */
        npu__cost_emit(n, &op);
        return;
    }
    for (int32_t i = 0; i < 8 && (in.h < out.h || in.w < out.w); i++, in = step) {
        int last = (int64_t)in.h * 2 >= out.h && (int64_t)in.w * 2 >= out.w;
        step = in;
        step.h = (int32_t)NPU__MIN((int64_t)in.h * 2, out.h);
        step.w = (int32_t)NPU__MIN((int64_t)in.w * 2, out.w);
        if (!last) step = npu__cost_between(n, step, in.bits);
        op = npu__cost_op_make(NPU__COST_POOL, in, last ? out : step);
        op.upscale = 2;
        if (bilinear && last) op.kernel_h = op.kernel_w = 2;
        npu__cost_emit(n, &op);
    }
}

NPU__FN int npu__cost_lower_window(npu__cost_node *n) {
    switch (n->ctx->node->code) {
    case NPU__BUILTIN_CONV_2D: case NPU__BUILTIN_DEPTHWISE_CONV_2D: npu__cost_conv(n); return 1;
    case NPU__BUILTIN_FULLY_CONNECTED: npu__cost_fully_connected(n); return 1;
    case NPU__BUILTIN_TRANSPOSE_CONV: npu__cost_transpose_conv(n); return 1;
    case NPU__BUILTIN_AVERAGE_POOL_2D: case NPU__BUILTIN_MAX_POOL_2D: npu__cost_pool(n); return 1;
    case NPU__BUILTIN_MEAN: npu__cost_mean(n); return 1;
    case NPU__BUILTIN_SUM: npu__cost_sum(n); return 1;
    case NPU__BUILTIN_RESIZE_BILINEAR: case NPU__BUILTIN_RESIZE_NEAREST_NEIGHBOR: npu__cost_resize(n); return 1;
    default: return 0;
    }
}

#endif
