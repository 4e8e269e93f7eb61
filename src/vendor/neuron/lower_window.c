/* Windows, matrices and images. */
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

/* Of the file, where SAME is 0 and VALID 1. */
NPU__FN void npu__neuron_push_padding(npu__neuron_make *m, int32_t padding) {
    npu__neuron_push_i32(m, padding + 1); /* bounded: 8 bits */
}

NPU__FN void npu__neuron_lower_pool(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__opts_Pool2DOptions *o = NPU__OPTIONS(c->node, Pool2DOptions);
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_padding(m, o->padding);
    npu__neuron_push_i32(m, o->stride_w);
    npu__neuron_push_i32(m, o->stride_h);
    npu__neuron_push_i32(m, o->filter_width);
    npu__neuron_push_i32(m, o->filter_height);
    npu__neuron_push_i32(m, o->fused_activation_function);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_conv(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__window w = npu__window_of(c);
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_padding(m, w.padding);
    npu__neuron_push_i32(m, w.stride_w);
    npu__neuron_push_i32(m, w.stride_h);
    if (code == NPU__NEURON_OP_DEPTHWISE_CONV_2D) {
        npu__neuron_push_i32(m, NPU__OPTIONS(c->node, DepthwiseConv2DOptions)->depth_multiplier);
    }
    npu__neuron_push_i32(m, npu__fused_activation(c->node));
    npu__neuron_push_bool(m, 0); /* channels last */
    npu__neuron_push_i32(m, w.dil_w);
    npu__neuron_push_i32(m, w.dil_h);
    npu__neuron_end(m, c, code);
}

/* The bias at `input`, or one of zeros: float32 where the data is, else int32 with the scale that a bias of these has. */
NPU__FN void npu__neuron_push_bias(npu__neuron_make *m, const npu__ctx *c, int32_t input, const npu__val *data,
                                   const npu__val *weights, int32_t count) {
    float scale = 0.0f;
    if (c->n_in > input && c->in[input]) {
        npu__neuron_push_value(m, c->in[input]);
        return;
    }
    if (data->type == NPU_FLOAT32) {
        npu__neuron_push(m, npu__neuron_zeros(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, count, scale));
        return;
    }
    if (data->t->quant.count == 1 && weights->t->quant.count == 1) {
        scale = data->t->quant.scale[0] * weights->t->quant.scale[0];
    }
    npu__neuron_push(m, npu__neuron_zeros(m, NPU__NEURON_TYPE_TENSOR_INT32, count, scale));
}

/* Before 8.2.24: into rows, and from there into the output's shape. */
NPU__FN void npu__neuron_fc_in_rows(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    uint32_t  dims[NPU_MAX_RANK], rows[2] = {1, 1}, rank = npu__neuron_dims(c->out[0], dims), flat;
    int32_t  *shape = (int32_t *)npu__neuron_memory(m, rank * sizeof *shape); /* bounded: NPU_MAX_RANK */
    for (uint32_t i = 0; i + 1 < rank; i++) {
        const uint64_t product = (uint64_t)rows[0] * dims[i]; /* bounded: below 2^64 */
        const int      open = rows[0] == NPU__NEURON_OPEN || dims[i] == NPU__NEURON_OPEN;
        if (!open && product >= NPU__NEURON_OPEN) {
            npu__neuron_refuse(m, c, "neuron.too_large", "the output has too many rows");
        }
        rows[0] = open ? NPU__NEURON_OPEN : (uint32_t)product;
    }
    rows[1] = dims[rank - 1];
    flat = npu__neuron_like(m, c->out[0], 2, rows);
    npu__neuron_end_in(m, c, code, NULL, flat);
    for (uint32_t i = 0; shape && i < rank; i++) shape[i] = dims[i] == NPU__NEURON_OPEN ? -1 : (int32_t)dims[i];
    npu__neuron_begin(m);
    npu__neuron_push(m, flat);
    /* bounded: likewise */
    npu__neuron_push(m, npu__neuron_extra(m, NPU__NEURON_TYPE_TENSOR_INT32, 1, &rank, shape, rank * sizeof *shape));
    npu__neuron_end(m, c, NPU__NEURON_OP_RESHAPE);
}

NPU__FN void npu__neuron_lower_fully_connected(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__val *weights = c->in[1];
    const int       many = c->out[0]->shape.rank > 2;
    npu__neuron_begin(m);
    npu__neuron_push_value(m, c->in[0]);
    npu__neuron_push_value(m, weights);
    npu__neuron_push_bias(m, c, 2, c->in[0], weights, weights->shape.dims[0]);
    npu__neuron_push_i32(m, NPU__OPTIONS(c->node, FullyConnectedOptions)->fused_activation_function);
    m->differs[NPU__NEURON_SINCE_8_2_24] |= many;
    if (many && m->version < NPU__NEURON_SINCE_8_2_24) npu__neuron_fc_in_rows(m, c, code);
    else npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_transpose_conv(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__opts_TransposeConvOptions *o = NPU__OPTIONS(c->node, TransposeConvOptions);
    const int32_t                        *shape = c->n_in > 3 && c->in[3] ? NULL : (const int32_t *)c->in[0]->data;
    npu__neuron_begin(m);
    npu__neuron_push_value(m, c->in[2]);
    npu__neuron_push_value(m, c->in[1]);
    npu__neuron_push_bias(m, c, 3, c->in[2], c->in[1], shape ? shape[3] : 0); /* no shape: a bias, by the rule */
    npu__neuron_push_value(m, c->in[0]);
    npu__neuron_push_padding(m, o->padding);
    npu__neuron_push_i32(m, o->stride_w);
    npu__neuron_push_i32(m, o->stride_h);
    npu__neuron_push_i32(m, NPU__NEURON_FUSED_NONE); /* whatever the model says */
    npu__neuron_push_bool(m, 0); /* channels last */
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_resize_bilinear(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__opts_ResizeBilinearOptions *o = NPU__OPTIONS(c->node, ResizeBilinearOptions);
    uint32_t                               dims[NPU_MAX_RANK];
    npu__neuron_dims(c->out[0], dims);
    npu__neuron_begin(m);
    npu__neuron_push_value(m, c->in[0]);
    npu__neuron_push_i32(m, (int32_t)dims[1]); /* in this order; open ones are -1 */
    npu__neuron_push_i32(m, (int32_t)dims[2]);
    npu__neuron_push_bool(m, 0);
    npu__neuron_push_bool(m, o->align_corners);
    npu__neuron_push_bool(m, o->half_pixel_centers);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_resize_nearest(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__opts_ResizeNearestNeighborOptions *o = NPU__OPTIONS(c->node, ResizeNearestNeighborOptions);
    const int32_t                                *size = (const int32_t *)c->in[1]->data;
    npu__neuron_begin(m);
    npu__neuron_push_value(m, c->in[0]);
    npu__neuron_push_i32(m, size[1]);
    npu__neuron_push_i32(m, size[0]);
    npu__neuron_push_bool(m, 0);
    if (o->align_corners || o->half_pixel_centers) {
        npu__neuron_push_bool(m, o->align_corners);
        npu__neuron_push_bool(m, o->half_pixel_centers);
    }
    npu__neuron_end(m, c, code);
}

#endif
