/* What to warn of: operators that the plugin takes, and turns into something else than their model says. They have passed the
 * rules: no input that they need is missing. */
#include "../../../graph/ask.h"
#include "look.h"

#if NPU__HAS_NEURON && NPU__HAS_REPORTS

NPU__FN int npu__neuron_w_activation(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t code = npu__fused_activation(c->node);
    (void)r;
    return code == NPU__ACT_NONE ? 0 : npu__neuron_got_activation(got, code);
}

NPU__FN int npu__neuron_w_masks(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__opts_StridedSliceOptions *o = NPU__OPTIONS(c->node, StridedSliceOptions);
    (void)r;
    if (o->ellipsis_mask == 0 && o->new_axis_mask == 0) return 0;
    return npu__got_f(got, "ellipsis_mask %d, new_axis_mask %d", o->ellipsis_mask, o->new_axis_mask);
}

NPU__FN int npu__neuron_w_offset(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return NPU__OPTIONS(c->node, StridedSliceOptions)->offset ? npu__got_f(got, "true") : 0;
}

NPU__FN int npu__neuron_w_gelu(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return NPU__OPTIONS(c->node, GeluOptions)->approximate ? 0 : npu__got_f(got, "exact");
}

NPU__FN int npu__neuron_w_epsilon(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    double epsilon;
    (void)r;
    if (npu__neuron_composite(c->node) != NPU__NEURON_RMS_NORM) return 0;
    epsilon = npu__flex_f64(npu__flex_get(npu__neuron_attributes(c->node), "epsilon"), 0.0);
    return epsilon >= FLT_EPSILON && epsilon <= FLT_EPSILON ? 0 : npu__got_f(got, "%g", epsilon);
}

NPU__FN int npu__neuron_w_beta(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__neuron_composite(c->node) == NPU__NEURON_RMS_NORM && c->n_in > 2 ? npu__got_f(got, "%d inputs", c->n_in) : 0;
}

NPU__FN int npu__neuron_w_l2_attributes(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__flex map = npu__neuron_attributes(c->node);
    const uint32_t  n = NPU__MIN(npu__flex_count(map), 8u);
    (void)r;
    if (npu__neuron_composite(c->node) != NPU__NEURON_L2_NORM) return 0;
    for (uint32_t i = 0; i < n; i++) {
        const npu__str key = npu__flex_key_at(map, i);
        npu__got_add(got, "%S", &key);
    }
    return n != 0;
}

NPU__FN int npu__neuron_w_no_epsilon(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (npu__neuron_composite(c->node) != NPU__NEURON_GROUP_NORM) return 0;
    if (npu__flex_kind_of(npu__flex_get(npu__neuron_attributes(c->node), "epsilon")) != NPU__FLEX_NULL) return 0;
    return npu__got_f(got, "none");
}

NPU__FN int npu__neuron_w_group(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t axis;
    (void)r;
    if (npu__neuron_composite(c->node) != NPU__NEURON_GROUP_NORM) return 0;
    axis = npu__axis_in(npu__flex_i64(npu__flex_get(npu__neuron_attributes(c->node), "channel_axis"), -1),
                        c->in[0]->shape.rank);
    for (int32_t i = 1; i < c->in[0]->shape.rank; i++) {
        if (i == axis || c->in[0]->shape.dims[i] == 1) continue;
        return npu__got_f(got, "dimension %d of %d", i, c->in[0]->shape.dims[i]);
    }
    return 0;
}

NPU__FN int npu__neuron_w_keep_dims(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int mean = c->node->code == NPU__BUILTIN_MEAN, keep = NPU__OPTIONS(c->node, ReducerOptions)->keep_dims;
    (void)r;
    return npu__got_f(got, "%s as %s", keep ? "true" : "false", mean ? "int32" : "bool");
}

NPU__FN int npu__neuron_w_resize(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__shape *s = &c->out[0]->shape; /* of four dimensions: a rule */
    (void)r;
    return s->dims[1] == s->dims[2] ? 0 : npu__got_f(got, "height %d, width %d", s->dims[1], s->dims[2]);
}

NPU__FN int npu__neuron_w_fc_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return c->out[0]->shape.rank > 2 ? npu__got_f(got, "%d dimensions", c->out[0]->shape.rank) : 0;
}

NPU__FN int npu__neuron_w_zero_bias(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t bias = c->node->code == NPU__BUILTIN_TRANSPOSE_CONV ? 3 : 2, data = bias == 3 ? 2 : 0;
    (void)r;
    if (c->n_in > bias && c->in[bias]) return 0;
    return c->in[data]->type == NPU_FLOAT16 ? npu__got_f(got, "float16, no bias") : 0;
}

NPU__FN int npu__neuron_w_no_bias(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return c->n_in > 2 && c->in[2] ? 0 : npu__got_f(got, "no bias");
}

/* Bias of int32 is left out: its scales follow from the others. */
NPU__FN int npu__neuron_w_scales(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int found = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__neuron_value(c, i);
        if (!v || v->t->quant.count < 2) continue;
        if (v->type != NPU_INT2 && v->type != NPU_INT4 &&
            (v->data || (v->type != NPU_INT8 && v->type != NPU_UINT8))) continue;
        npu__neuron_say(got, c, i, npu_type_name((npu_type)v->type));
        found = 1;
    }
    return found;
}

NPU__FN int npu__neuron_w_scalar(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__got_f(got, c->node->code == NPU__BUILTIN_SPLIT ? "the axis" : "the value");
}

NPU__FN int npu__neuron_w_alpha(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->in[0]->type == NPU_FLOAT32) return 0;
    return npu__got_f(got, "data of %s", npu_type_name((npu_type)c->in[0]->type));
}

/* Data is float, and is quantized for each run because the weights are integers. */
NPU__FN int npu__neuron_w_asymmetric(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int weights = c->in[1]->type == NPU_INT8 || c->in[1]->type == NPU_UINT8 || c->in[1]->type == NPU_INT4 ||
                        c->in[1]->type == NPU_INT2;
    const int asymmetric = c->node->code == NPU__BUILTIN_FULLY_CONNECTED
                               ? NPU__OPTIONS(c->node, FullyConnectedOptions)->asymmetric_quantize_inputs
                               : NPU__OPTIONS(c->node, BatchMatMulOptions)->asymmetric_quantize_inputs;
    (void)r;
    if (!asymmetric || !weights || c->in[0]->type != NPU_FLOAT32) return 0;
    return npu__got_f(got, "true, weights of %s", npu_type_name((npu_type)c->in[1]->type));
}

NPU__FN int npu__neuron_w_reshape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return c->n_in > 1 && c->in[1] ? 0 : npu__got_f(got, "one input");
}

#endif
