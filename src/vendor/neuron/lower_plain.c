/* Operators whose operands are their inputs, with a few numbers behind them. */
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

NPU__FN void npu__neuron_lower_plain(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_fused(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_i32(m, npu__fused_activation(c->node)); /* numbers are the same */
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_concatenation(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_i32(m, NPU__OPTIONS(c->node, ConcatenationOptions)->axis);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_softmax(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_f32(m, NPU__OPTIONS(c->node, SoftmaxOptions)->beta);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_mean(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_i32(m, NPU__OPTIONS(c->node, ReducerOptions)->keep_dims);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_reduce(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_bool(m, NPU__OPTIONS(c->node, ReducerOptions)->keep_dims);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_batch_matmul(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_bool(m, NPU__OPTIONS(c->node, BatchMatMulOptions)->adj_x);
    npu__neuron_push_bool(m, NPU__OPTIONS(c->node, BatchMatMulOptions)->adj_y);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_gelu(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_u32(m, 1); /* the approximation by tanh */
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_leaky_relu(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const float alpha = NPU__OPTIONS(c->node, LeakyReluOptions)->alpha;
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push(m, npu__neuron_one(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, &alpha));
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_split(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    npu__neuron_begin(m);
    npu__neuron_push_value(m, c->in[1]); /* the data before its axis */
    npu__neuron_push_value(m, c->in[0]);
    npu__neuron_push_i32(m, NPU__OPTIONS(c->node, SplitOptions)->num_splits);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_strided_slice(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const npu__opts_StridedSliceOptions *o = NPU__OPTIONS(c->node, StridedSliceOptions);
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_i32(m, o->begin_mask);
    npu__neuron_push_i32(m, o->end_mask);
    npu__neuron_push_i32(m, o->shrink_axis_mask);
    npu__neuron_end(m, c, code);
}

NPU__FN void npu__neuron_lower_unpack(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const char *name = npu__neuron_oem_name(NPU__NEURON_NAME_UNPACK);
    (void)code;
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_i32(m, NPU__OPTIONS(c->node, UnpackOptions)->axis);
    npu__neuron_push_name(m, name);
    npu__neuron_end_named(m, c, name);
}

NPU__FN void npu__neuron_lower_squared_difference(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    const char *name = npu__neuron_oem_name(NPU__NEURON_NAME_SQUARED_DIFFERENCE);
    (void)code;
    npu__neuron_begin(m);
    npu__neuron_push_inputs(m, c);
    npu__neuron_push_name(m, name);
    npu__neuron_end_named(m, c, name);
}

#endif
