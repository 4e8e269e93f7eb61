/* Ethos-U: what predicates look at, and how they say what they saw. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* Leading inputs that are feature maps or weights. */
NPU__FN int32_t npu__ethosu_n_data(const npu__ctx *c) {
    int32_t n = 1;
    switch (c->node->code) {
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_SUB: case NPU__BUILTIN_MUL: case NPU__BUILTIN_CONV_2D:
    case NPU__BUILTIN_DEPTHWISE_CONV_2D: case NPU__BUILTIN_FULLY_CONNECTED: n = 2; break;
    case NPU__BUILTIN_CONCATENATION: case NPU__BUILTIN_PACK: n = c->n_in; break;
    default: break;
    }
    return NPU__MIN(n, c->n_in);
}

/* The i-th of them, outputs last; NULL for an input left out. */
NPU__FN const npu__val *npu__ethosu_data(const npu__ctx *c, int32_t i, int32_t *is_out) {
    int32_t n = npu__ethosu_n_data(c);
    *is_out = i >= n;
    return i < n ? c->in[i] : c->out[i - n];
}

NPU__FN const npu__val *npu__ethosu_in(const npu__ctx *c, int32_t i) { return npu__opt_in(c, i); }

/* Inputs that are IFM, IFM2, weights and bias, -1 for none, as the reader of Vela 3.2 assigns them. That CONCATENATION
 * counts from its second input is a fact of that reader: its first input goes unchecked. */
#define NPU__ETHOSU_ROLES(X) \
    X(ABS, 0, -1, -1, -1) X(AVERAGE_POOL_2D, 0, -1, -1, -1) X(DEQUANTIZE, 0, -1, -1, -1) X(EXPAND_DIMS, 0, -1, -1, -1) \
    X(HARD_SWISH, 0, -1, -1, -1) X(LEAKY_RELU, 0, -1, -1, -1) X(LOGISTIC, 0, -1, -1, -1) X(MAX_POOL_2D, 0, -1, -1, -1) \
    X(MEAN, 0, -1, -1, -1) X(PACK, 0, -1, -1, -1) X(PAD, 0, -1, -1, -1) X(QUANTIZE, 0, -1, -1, -1) \
    X(RELU, 0, -1, -1, -1) X(RELU6, 0, -1, -1, -1) X(RELU_N1_TO_1, 0, -1, -1, -1) X(RESHAPE, 0, -1, -1, -1) \
    X(RESIZE_BILINEAR, 0, -1, -1, -1) X(SLICE, 0, -1, -1, -1) X(SOFTMAX, 0, -1, -1, -1) X(SPLIT_V, 0, -1, -1, -1) \
    X(SQUEEZE, 0, -1, -1, -1) X(STRIDED_SLICE, 0, -1, -1, -1) X(TANH, 0, -1, -1, -1) X(UNPACK, 0, -1, -1, -1) \
    X(SPLIT, 1, -1, -1, -1) X(CONCATENATION, 1, 2, -1, -1) X(ADD, 0, 1, -1, -1) X(MAXIMUM, 0, 1, -1, -1) \
    X(MINIMUM, 0, 1, -1, -1) X(MUL, 0, 1, -1, -1) X(SUB, 0, 1, -1, -1) X(TRANSPOSE, 0, 1, -1, -1) \
    X(BIDIRECTIONAL_SEQUENCE_LSTM, 0, -1, 1, -1) X(BIDIRECTIONAL_SEQUENCE_RNN, 0, -1, 1, -1) X(LSTM, 0, -1, 1, -1) \
    X(RNN, 0, -1, 1, -1) X(UNIDIRECTIONAL_SEQUENCE_LSTM, 0, -1, 1, -1) X(UNIDIRECTIONAL_SEQUENCE_RNN, 0, -1, 1, -1) \
    X(CONV_2D, 0, -1, 1, 2) X(DEPTHWISE_CONV_2D, 0, -1, 1, 2) X(FULLY_CONNECTED, 0, -1, 1, 2) \
    X(TRANSPOSE_CONV, 2, -1, 1, 3)

NPU__FN const npu__val *npu__ethosu_role(const npu__ctx *c, int32_t role, int32_t *input) {
    static const struct {
        int16_t code;
        int8_t  ifm, ifm2, weights, bias;
    } roles[] = {
#define NPU__X(name, ifm, ifm2, weights, bias) {NPU__BUILTIN_##name, ifm, ifm2, weights, bias},
        NPU__ETHOSU_ROLES(NPU__X)
#undef NPU__X
    };
    int32_t at = -1;
    if (input) *input = -1;
    if (role == NPU__ETHOSU_OFM) return c->n_out > 0 ? c->out[0] : NULL;
    for (int32_t i = 0; i < NPU__COUNT(roles); i++) {
        if (roles[i].code != c->node->code) continue;
        if (role == NPU__ETHOSU_IFM) at = roles[i].ifm;
        else if (role == NPU__ETHOSU_IFM2) at = roles[i].ifm2;
        else at = role == NPU__ETHOSU_WEIGHTS ? roles[i].weights : roles[i].bias;
    }
    if (input) *input = at;
    return at < 0 ? NULL : npu__opt_in(c, at);
}
#undef NPU__ETHOSU_ROLES

NPU__FN void npu__ethosu_add_role(npu__got *got, int32_t input, const char *what) {
    if (input < 0) npu__got_add(got, "output 0: %s", what);
    else npu__got_add(got, "input %d: %s", input, what);
}

NPU__FN int64_t npu__ethosu_stored(const npu__val *v) {
    int bits = npu_type_bits((npu_type)v->type);
    return v->data && npu__is_const(v) && bits >= 8 ? (int64_t)(v->t->data_bytes / ((size_t)bits / 8)) : 0;
}

NPU__FN int64_t npu__ethosu_int(const npu__val *v, int64_t i) {
    return i >= 0 && i < npu__ethosu_stored(v) ? npu__int_at(v, i) : 0;
}

NPU__FN int64_t npu__ethosu_elems(const npu__val *v) {
    int64_t n = 1;
    for (int32_t i = 0; i < v->shape.rank; i++) n = npu__ethosu_product(n, v->shape.dims[i]);
    return n;
}

NPU__FN int npu__ethosu_is_signed(int32_t type) {
    return type == NPU_INT8 || type == NPU_INT16 || type == NPU_INT32 || type == NPU_INT64 || type == NPU_INT4 ||
           type == NPU_INT2;
}

NPU__FN int npu__ethosu_is_unsigned(int32_t type) {
    return type == NPU_UINT8 || type == NPU_UINT16 || type == NPU_UINT32 || type == NPU_UINT64 || type == NPU_UINT4;
}

/* "int8" for INT8. */
NPU__FN void npu__ethosu_type_name(int32_t type, char out[24]) {
    const char *name = npu_type_name((npu_type)type);
    size_t      n = 0;
    for (; name[n] && n < 23; n++) out[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    out[n] = 0;
}

NPU__FN int npu__ethosu_outside(const npu__rule *r, int64_t v) { return v < r->lo || v > r->hi; }

NPU__FN void npu__ethosu_shape_text(const npu__val *v, char *out, size_t cap) {
    size_t n = npu__format(out, cap, "[");
    for (int32_t i = 0; i < v->shape.rank && n < cap; i++) {
        n += npu__format(out + n, cap - n, i ? ", %d" : "%d", v->shape.dims[i]);
    }
    if (n < cap) npu__format(out + n, cap - n, "]");
}

NPU__FN int npu__ethosu_got_shapes(npu__got *got, const npu__val *a, const npu__val *b) {
    char ta[48], tb[48];
    npu__ethosu_shape_text(a, ta, sizeof ta);
    npu__ethosu_shape_text(b, tb, sizeof tb);
    return npu__got_f(got, "%s to %s", ta, tb);
}

NPU__FN int npu__ethosu_got_types(npu__got *got, const npu__val *a, const npu__val *b) {
    char ta[24], tb[24];
    npu__ethosu_type_name(a->type, ta);
    npu__ethosu_type_name(b->type, tb);
    return npu__got_f(got, "%s to %s", ta, tb);
}

/* Products of hostile numbers saturate. */
NPU__FN int64_t npu__ethosu_product(int64_t a, int64_t b) {
    if (a > 0 && b > INT64_MAX / a) return INT64_MAX;
    if (a < 0 || b < 0) return -1;
    return a * b;
}

/* Of the operators that the reader of Vela 3.2 fuses. */
NPU__FN int32_t npu__ethosu_fused_code(const npu__ctx *c) {
    switch (c->node->code) {
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_SUB: case NPU__BUILTIN_MUL: case NPU__BUILTIN_CONV_2D:
    case NPU__BUILTIN_DEPTHWISE_CONV_2D: case NPU__BUILTIN_FULLY_CONNECTED: case NPU__BUILTIN_CONCATENATION:
    case NPU__BUILTIN_AVERAGE_POOL_2D: case NPU__BUILTIN_MAX_POOL_2D: return npu__fused_activation(c->node);
    default: return NPU__ACT_NONE;
    }
}

NPU__FN int npu__ethosu_pair(const npu__rule *r, int32_t w, int32_t h, npu__got *got) {
    if (!npu__ethosu_outside(r, w) && !npu__ethosu_outside(r, h)) return 0;
    return npu__got_f(got, "%dx%d", w, h);
}
NPU__FN int npu__ethosu_number(const npu__rule *r, int64_t v, npu__got *got) {
    return npu__ethosu_outside(r, v) ? npu__got_f(got, "%l", v) : 0;
}

#endif
