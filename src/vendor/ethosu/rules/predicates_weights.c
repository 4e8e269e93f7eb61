/* Ethos-U predicates about weights and biases.
 *
 * "The sum of the weights" is the sum of |weight - zero_point|: CONV_2D's largest one over output channels,
 * DEPTHWISE_CONV_2D's over the whole tensor, for there the converter's output-channel axis has length 1. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int npu__ethosu_weights_8bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    (void)r;
    if (!v) return npu__got_f(got, "no weights");
    if (npu_type_bits((npu_type)v->type) == 8) return 0;
    return npu__got_f(got, "%d-bit", npu_type_bits((npu_type)v->type));
}

NPU__FN int npu__ethosu_weights_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    (void)r;
    if (!v) return npu__got_f(got, "no weights");
    return npu__is_const(v) ? 0 : npu__got_f(got, "computed while running");
}

/* Only stored, dense 8-bit weights have a sum; the lines before this one report all others. */
NPU__FN int npu__ethosu_weights_sum(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    int             depthwise = c->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D;
    int64_t         n, outer, inner, largest = 0, whole = 0;
    if (!v || !npu__is_const(v) || !v->data || v->shape.rank != 4) return 0;
    if (v->type != NPU_INT8 && v->type != NPU_UINT8) return 0;
    n = npu__ethosu_elems(v);
    if (npu__ethosu_stored(v) != n) return 0;
    if (npu__got_too_much(got, n)) return 1;
    outer = depthwise ? npu__dim(v, 3) : npu__dim(v, 0);
    inner = outer ? n / outer : 0;
    for (int64_t o = 0; o < outer; o++) { /* channels: last axis of 1HWC, first of OHWI */
        int32_t zero_point = 0;
        int64_t sum = 0;
        if (v->t->quant.count == 1) zero_point = v->t->quant.zero_point[0];
        else if (v->t->quant.count == outer) zero_point = v->t->quant.zero_point[o];
        for (int64_t i = 0; i < inner; i++) {
            int64_t w = npu__int_at(v, depthwise ? i * outer + o : o * inner + i) - zero_point;
            sum += w < 0 ? -w : w;
        }
        largest = NPU__MAX(largest, sum);
        whole += sum;
    }
    return npu__ethosu_number(r, depthwise ? whole : largest, got);
}

NPU__FN int npu__ethosu_bias(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 2);
    char            name[24];
    (void)r;
    if (!v || v->type == NPU_INT32) return 0;
    npu__ethosu_type_name(v->type, name);
    return npu__got_f(got, "%s", name);
}

/* A multiplier of 0 means that it follows from the shapes. */
NPU__FN int npu__ethosu_depth_multiplier(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *weights = npu__ethosu_in(c, 1);
    int32_t         m = NPU__OPTIONS(c->node, DepthwiseConv2DOptions)->depth_multiplier;
    int32_t         channels, outputs;
    (void)r;
    if (!in || !weights || c->n_out < 1) return 0;
    channels = npu__dim(in, -1);
    outputs = npu__dim(c->out[0], -1);
    if (m == 0 && channels > 0) m = npu__dim(weights, -1) / channels;
    if (m <= 1 || (channels == 1 && outputs == m)) return 0;
    return npu__got_f(got, "multiplier %d, %d input channels, %d output channels", m, channels, outputs);
}

NPU__FN int npu__ethosu_bias_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_role(c, NPU__ETHOSU_BIAS, NULL);
    char            name[24];
    (void)r;
    if (!v || v->type == NPU_INT32 || v->type == NPU_INT64) return 0;
    npu__ethosu_type_name(v->type, name);
    return npu__got_f(got, "%s", name);
}

/* Bits of the magnitude, and one more for a sign: the converter counts the characters of a binary number. */
NPU__FN int npu__ethosu_bias_bits(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_role(c, NPU__ETHOSU_BIAS, NULL);
    int64_t         most = 0;
    if (!v || v->type != NPU_INT64) return 0;
    if (npu__got_too_much(got, npu__ethosu_stored(v))) return 1;
    for (int64_t i = 0; i < npu__ethosu_stored(v); i++) {
        int64_t  bias = npu__ethosu_int(v, i), bits = bias < 0;
        uint64_t magnitude = bias < 0 ? 0u - (uint64_t)bias : (uint64_t)bias;
        for (; magnitude; magnitude >>= 1) bits++;
        most = NPU__MAX(most, bits);
    }
    return npu__ethosu_number(r, most, got);
}

NPU__FN int npu__ethosu_keep_num_dims(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *out = c->n_out > 0 ? c->out[0] : NULL;
    (void)r;
    if (!NPU__OPTIONS(c->node, FullyConnectedOptions)->keep_num_dims) return 0;
    return in && out && in->shape.rank != out->shape.rank && npu__ethosu_got_shapes(got, in, out);
}

#endif
