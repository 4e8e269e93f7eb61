/* Tensors of an operator as Vela 5.2 reads them from a file. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* X(operator, roles of its inputs in order). Other inputs are feature maps. */
#define NPU__V52_ROLES(X) \
    X(ARG_MAX, "ip") X(ASSIGN_VARIABLE, "pi") X(BATCH_TO_SPACE_ND, "ipp") X(CONV_2D, "iwb") \
    X(DEPTHWISE_CONV_2D, "iwb") X(FULLY_CONNECTED, "iwb") \
    X(MEAN, "ip") X(MIRROR_PAD, "ip") X(PAD, "ip") X(PADV2, "ipp") X(PRELU, "ip") X(READ_VARIABLE, "p") \
    X(REDUCE_ALL, "ip") X(REDUCE_ANY, "ip") X(REDUCE_MAX, "ip") X(REDUCE_MIN, "ip") X(RESHAPE, "ip") \
    X(RESIZE_BILINEAR, "ip") X(RESIZE_NEAREST_NEIGHBOR, "ip") X(REVERSE_V2, "ip") X(SCATTER_ND, "iip") \
    X(SLICE, "ipp") X(SPACE_TO_BATCH_ND, "ipp") \
    X(SPLIT, "pi") X(SPLIT_V, "ipp") X(STRIDED_SLICE, "ippp") X(SUM, "ip") X(TILE, "ip") X(TRANSPOSE, "ip") \
    X(TRANSPOSE_CONV, "pwib") X(UNIDIRECTIONAL_SEQUENCE_LSTM, "iwwwwwwwwwwwbbbbwbssbbbb")

NPU__FN int32_t npu__v52_role(int32_t code, int32_t input) {
    const char *roles = "";
    switch (code) {
#define NPU__X(name, text) case NPU__BUILTIN_##name: roles = text; break;
        NPU__V52_ROLES(NPU__X)
#undef NPU__X
    default: break;
    }
    return (size_t)input < strlen(roles) ? (int32_t)roles[input] : (int32_t)NPU__V52_IFM;
}

#undef NPU__V52_ROLES

NPU__FN int npu__v52_unread(const npu__node *node, int32_t input) {
    switch (node->code) {
    case NPU__BUILTIN_READ_VARIABLE: case NPU__BUILTIN_ASSIGN_VARIABLE: case NPU__BUILTIN_TRANSPOSE_CONV: return 0;
    default: break;
    }
    return npu__v52_role(node->code, input) == NPU__V52_PARAMS;
}

NPU__FN int npu__v52_bits(int32_t type) { return npu_type_bits((npu_type)type); }

NPU__FN int npu__v52_stored(const npu__tensor *t) { return t->data && t->data_bytes > 0; }

NPU__FN int64_t npu__v52_stored_elems(const npu__tensor *t) {
    int bits = npu__v52_bits(t->type);
    return t->data && bits >= 8 ? (int64_t)(t->data_bytes / ((size_t)bits / 8)) : 0;
}

NPU__FN int64_t npu__v52_int(const npu__tensor *t, int64_t i) {
    if (i < 0 || i >= npu__v52_stored_elems(t)) return 0;
    switch (t->type) {
    case NPU_INT8: return ((const int8_t *)t->data)[i];
    case NPU_UINT8: return ((const uint8_t *)t->data)[i];
    case NPU_INT16: return ((const int16_t *)t->data)[i];
    case NPU_INT32: return ((const int32_t *)t->data)[i];
    case NPU_INT64: return ((const int64_t *)t->data)[i];
    default: return 0;
    }
}

NPU__FN npu__shape npu__v52_shape_of(const npu__tensor *t, const npu__shape *given) {
    npu__shape s = t->signature;
    if (s.rank > 0 && s.dims[0] == -1) s.dims[0] = 1;
    if (s.rank == 0 && npu__v52_stored(t)) {
        s.rank = 1;
        s.dims[0] = (int32_t)NPU__MIN(npu__v52_stored_elems(t), (int64_t)INT32_MAX);
    }
    return s.rank == 0 ? *given : s;
}

NPU__FN npu__shape npu__v52_union(const npu__shape *a, const npu__shape *b) {
    npu__shape longer = a->rank >= b->rank ? *a : *b, shorter = a->rank >= b->rank ? *b : *a;
    for (int32_t i = 0; i < shorter.rank; i++) {
        int32_t *d = &longer.dims[longer.rank - 1 - i];
        *d = NPU__MAX(*d, shorter.dims[shorter.rank - 1 - i]);
    }
    return longer;
}

/* How many leading inputs an output's shape follows from; 0: it does not. */
NPU__FN int32_t npu__v52_shape_follows(int32_t code) {
    switch (code) {
    case NPU__BUILTIN_ABS: case NPU__BUILTIN_ELU: case NPU__BUILTIN_GELU: case NPU__BUILTIN_LEAKY_RELU:
    case NPU__BUILTIN_LOGICAL_NOT: case NPU__BUILTIN_NEG: case NPU__BUILTIN_QUANTIZE: return 1;
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_DIV: case NPU__BUILTIN_EQUAL: case NPU__BUILTIN_GREATER:
    case NPU__BUILTIN_GREATER_EQUAL: case NPU__BUILTIN_LOGICAL_AND: case NPU__BUILTIN_LOGICAL_OR:
    case NPU__BUILTIN_MAXIMUM: case NPU__BUILTIN_MINIMUM: case NPU__BUILTIN_MUL: case NPU__BUILTIN_NOT_EQUAL:
    case NPU__BUILTIN_SUB: return 2;
    default: return 0;
    }
}

NPU__FN void npu__v52_complete(npu__shape *shapes, const npu__node *node) {
    const npu__tensor *tensors = node->graph->tensors;
    int32_t            n = npu__v52_shape_follows(node->code);
    npu__shape         in[2], old;
    if (n == 0 || node->n_in < n || node->n_out < 1) return;
    old = npu__v52_shape_of(&tensors[node->out[0]], &shapes[node->out[0]]);
    if (old.rank > 0) return;
    for (int32_t i = 0; i < n; i++) {
        if (node->in[i] < 0) return;
        in[i] = npu__v52_shape_of(&tensors[node->in[i]], &shapes[node->in[i]]);
        if (in[i].rank == 0) return;
    }
    shapes[node->out[0]] = n == 1 ? in[0] : npu__v52_union(&in[0], &in[1]);
}

NPU__FN int32_t npu__v52_count(const npu__ctx *c) { return c->n_in + c->n_mid + c->n_out; }

NPU__FN int npu__v52_at(const npu__ctx *c, int32_t i, npu__v52_tensor *out) {
    const npu__val *v;
    memset(out, 0, sizeof *out);
    if (i < c->n_in) {
        v = c->in[i];
        out->role = npu__v52_role(c->node->code, i);
    } else if (i < c->n_in + c->n_mid) {
        v = c->mid[i -= c->n_in];
        out->role = NPU__V52_SCRATCH;
    } else {
        v = c->out[i -= c->n_in + c->n_mid];
        out->role = NPU__V52_OFM;
    }
    if (!v) return 0;
    out->t = v->t;
    out->at = i;
    out->shape = npu__v52_shape_of(v->t, &v->shape);
    return 1;
}

NPU__FN int npu__v52_find(const npu__ctx *c, int32_t role, int32_t n, npu__v52_tensor *out) {
    for (int32_t i = 0; i < c->n_in && role != NPU__V52_OFM; i++) {
        if (npu__v52_role(c->node->code, i) == role && n-- == 0) return npu__v52_at(c, i, out);
    }
    if (role == NPU__V52_OFM && n < c->n_out) return npu__v52_at(c, c->n_in + c->n_mid + n, out);
    return 0;
}

NPU__FN int npu__v52_in_out(const npu__ctx *c, npu__v52_tensor *in, npu__v52_tensor *out) {
    return npu__v52_find(c, NPU__V52_IFM, 0, in) && npu__v52_find(c, NPU__V52_OFM, 0, out);
}

NPU__FN int64_t npu__v52_axis(const npu__shape *s, int32_t i) { return i <= s->rank ? s->dims[s->rank - i] : 1; }

NPU__FN int64_t npu__v52_elems(const npu__shape *s) {
    int64_t n = 1;
    for (int32_t i = 0; i < s->rank; i++) n = npu__ethosu_product(n, s->dims[i]);
    return n;
}

/* ---- what was seen ---- */

NPU__FN void npu__v52_shape_text(const npu__shape *s, char *out, size_t cap) {
    size_t n = npu__format(out, cap, "[");
    for (int32_t i = 0; i < s->rank && n < cap; i++) n += npu__format(out + n, cap - n, i ? ", %d" : "%d", s->dims[i]);
    if (n < cap) npu__format(out + n, cap - n, "]");
}

NPU__FN void npu__v52_add(npu__got *got, const npu__v52_tensor *v, const char *what) {
    const char *which = v->role == NPU__V52_OFM ? "output" : v->role == NPU__V52_SCRATCH ? "intermediate" : "input";
    npu__got_add(got, "%s %d: %s", which, v->at, what);
}

NPU__FN void npu__v52_add_type(npu__got *got, const npu__v52_tensor *v) {
    char name[24];
    npu__ethosu_type_name(v->t->type, name);
    npu__v52_add(got, v, name);
}

NPU__FN void npu__v52_add_shape(npu__got *got, const npu__v52_tensor *v) {
    char dims[48];
    npu__v52_shape_text(&v->shape, dims, sizeof dims);
    npu__v52_add(got, v, dims);
}

/* ---- windows ---- */

/* Do cells beyond the edge belong to some window? */
NPU__FN int npu__v52_needs_padding(int64_t size, int64_t stride, int64_t filter, int64_t dilation) {
    int64_t dilated = dilation * (filter - 1) + 1;
    if (stride < 1 || size < 0) return 0;
    return ((size + stride - 1) / stride - 1) * stride + dilated > size;
}

/* Without options a kernel is 1x1 and so are its steps. */
NPU__FN npu__v52_kernel npu__v52_kernel_of(const npu__ctx *c) {
    npu__window     o = npu__window_of(c);
    npu__v52_kernel k;
    npu__v52_tensor in, w;
    int             known = npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w);
    memset(&k, 0, sizeof k);
    k.w = k.h = k.stride_w = k.stride_h = k.dilation_w = k.dilation_h = k.valid = 1;
    if (!c->node->opts->given || !o.is_window) return k;
    k.stride_w = o.stride_w;
    k.stride_h = o.stride_h;
    k.dilation_w = o.dil_w;
    k.dilation_h = o.dil_h;
    k.valid = o.padding == NPU__PAD_VALID;
    if (known) {
        k.w = npu__v52_axis(&w.shape, 2);
        k.h = npu__v52_axis(&w.shape, 3);
    } else if (c->node->opts->table == NPU__T_Pool2DOptions) {
        k.w = o.k_w;
        k.h = o.k_h;
    }
    if (c->node->code == NPU__BUILTIN_TRANSPOSE_CONV) return k;
    if (k.valid || !npu__v52_find(c, NPU__V52_IFM, 0, &in) || in.shape.rank == 0) return k;
    k.padded = npu__v52_needs_padding(npu__v52_axis(&in.shape, 2), k.stride_w, k.w, k.dilation_w) ||
               npu__v52_needs_padding(npu__v52_axis(&in.shape, 3), k.stride_h, k.h, k.dilation_h);
    return k;
}

NPU__FN int32_t npu__v52_fused_code(const npu__ctx *c) {
    if (c->node->code == NPU__BUILTIN_DIV || c->node->code == NPU__BUILTIN_TRANSPOSE_CONV) return npu__fused_activation(c->node);
    return npu__ethosu_fused_code(c);
}

#endif
