/* Ethos-U predicates: what each line of the vendor's document measures. The lines themselves are in rules.h.
 *
 * Where the document is silent, what a line inspects follows the converter that prints it (Vela 3.2, public source):
 * - Type and dimension lines look at feature maps (inputs that carry data, and the output) and weights. Biases,
 *   shapes, sizes and paddings are int32 by design and have lines of their own, or none. All inputs of CONCATENATION
 *   and PACK are feature maps.
 * - AVERAGE_POOL_2D's [1, 8] is about SAME padding: VALID has the two wider limits that follow it.
 * - "The sum of the weights" is the sum of |weight - zero_point|: CONV_2D's largest one over output channels,
 *   DEPTHWISE_CONV_2D's over the whole tensor, for there the converter's output-channel axis has length 1.
 * - RESIZE_BILINEAR is taken at its word: one doubling. The converter itself also accepts repeated ones. */
#include "../../ops/util.h"
#include "ethosu.h"
#include "rules.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- what the predicates look at ---- */

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

typedef struct npu__ethosu_window {
    int32_t stride_w, stride_h, dilation_w, dilation_h, filter_w, filter_h;
    int32_t valid; /* padding */
} npu__ethosu_window;

NPU__FN npu__ethosu_window npu__ethosu_window_of(const npu__ctx *c) {
    npu__tab           o = c->node->options;
    npu__ethosu_window w;
    w.dilation_w = w.dilation_h = 1;
    if (c->node->code == NPU__BUILTIN_CONV_2D || c->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D) {
        int             depthwise = c->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D;
        const npu__val *weights = npu__ethosu_in(c, 1);
        w.filter_h = weights ? npu__dim(weights, -3) : 0; /* OHWI or 1HWC */
        w.filter_w = weights ? npu__dim(weights, -2) : 0;
#define NPU__X(field, dflt) (depthwise ? npu__tab_i32(o, NPU__S_DepthwiseConv2DOptions_##field, dflt) \
                                       : npu__tab_i32(o, NPU__S_Conv2DOptions_##field, dflt))
        w.stride_w = NPU__X(stride_w, 0);
        w.stride_h = NPU__X(stride_h, 0);
        w.dilation_w = NPU__X(dilation_w_factor, 1);
        w.dilation_h = NPU__X(dilation_h_factor, 1);
#undef NPU__X
        w.valid = 0;
        return w;
    }
    w.stride_w = npu__tab_i32(o, NPU__S_Pool2DOptions_stride_w, 0);
    w.stride_h = npu__tab_i32(o, NPU__S_Pool2DOptions_stride_h, 0);
    w.filter_w = npu__tab_i32(o, NPU__S_Pool2DOptions_filter_width, 0);
    w.filter_h = npu__tab_i32(o, NPU__S_Pool2DOptions_filter_height, 0);
    w.valid = npu__tab_i8(o, NPU__S_Pool2DOptions_padding, 0) == 1;
    return w;
}

/* Products of hostile numbers saturate. */
NPU__FN int64_t npu__ethosu_product(int64_t a, int64_t b) {
    if (a > 0 && b > INT64_MAX / a) return INT64_MAX;
    if (a < 0 || b < 0) return -1;
    return a * b;
}

/* Code of the fused activation, 0 for none and for ops that have no such option. */
NPU__FN int32_t npu__ethosu_fused_code(const npu__ctx *c) {
    npu__tab o = c->node->options;
    switch (c->node->code) {
    case NPU__BUILTIN_ADD: return npu__tab_i8(o, NPU__S_AddOptions_fused_activation_function, 0);
    case NPU__BUILTIN_SUB: return npu__tab_i8(o, NPU__S_SubOptions_fused_activation_function, 0);
    case NPU__BUILTIN_MUL: return npu__tab_i8(o, NPU__S_MulOptions_fused_activation_function, 0);
    case NPU__BUILTIN_CONV_2D: return npu__tab_i8(o, NPU__S_Conv2DOptions_fused_activation_function, 0);
    case NPU__BUILTIN_DEPTHWISE_CONV_2D:
        return npu__tab_i8(o, NPU__S_DepthwiseConv2DOptions_fused_activation_function, 0);
    case NPU__BUILTIN_FULLY_CONNECTED:
        return npu__tab_i8(o, NPU__S_FullyConnectedOptions_fused_activation_function, 0);
    case NPU__BUILTIN_CONCATENATION: return npu__tab_i8(o, NPU__S_ConcatenationOptions_fused_activation_function, 0);
    case NPU__BUILTIN_AVERAGE_POOL_2D: case NPU__BUILTIN_MAX_POOL_2D:
        return npu__tab_i8(o, NPU__S_Pool2DOptions_fused_activation_function, 0);
    default: return 0;
    }
}

/* ---- generic ---- */

NPU__FN int npu__ethosu_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t n = npu__ethosu_n_data(c), bad = 0;
    (void)r;
    for (int32_t i = 0; i < n + c->n_out; i++) {
        int32_t         is_out;
        const npu__val *v = npu__ethosu_data(c, i, &is_out);
        char            name[24];
        if (!v || v->type == NPU_INT8) continue;
        npu__ethosu_type_name(v->type, name);
        npu__got_add(got, "%s %d: %s", is_out ? "output" : "input", is_out ? i - n : i, name);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_dims(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t n = npu__ethosu_n_data(c), bad = 0;
    for (int32_t i = 0; i < n + c->n_out; i++) {
        int32_t         is_out, fits = 1;
        const npu__val *v = npu__ethosu_data(c, i, &is_out);
        char            dims[48];
        if (!v) continue;
        for (int32_t k = 0; k < v->shape.rank; k++) fits = fits && !npu__ethosu_outside(r, v->shape.dims[k]);
        if (fits && v->known) continue;
        npu__ethosu_shape_text(v, dims, sizeof dims);
        npu__got_add(got, "%s %d: %s", is_out ? "output" : "input", is_out ? i - n : i,
                     v->known ? dims : "not known");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_fused(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t code = npu__ethosu_fused_code(c);
    (void)r;
    switch (code) {
    case NPU__ACT_NONE: case NPU__ACT_RELU: case NPU__ACT_RELU_N1_TO_1: case NPU__ACT_RELU6: case NPU__ACT_TANH:
        return 0;
    case NPU__ACT_SIGN_BIT: return npu__got_f(got, "SIGN_BIT");
    default: return npu__got_f(got, "activation code %d", code);
    }
}

NPU__FN int npu__ethosu_fused_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    char name[24];
    (void)r;
    if (npu__ethosu_fused_code(c) == NPU__ACT_NONE || c->n_out < 1 || c->out[0]->type == NPU_INT8) return 0;
    npu__ethosu_type_name(c->out[0]->type, name);
    return npu__got_f(got, "%s", name);
}

/* ---- elementwise ---- */

/* Dimensions are lined up at the end; where both inputs have one, the output must have the larger. */
NPU__FN int npu__ethosu_broadcast(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *a = npu__ethosu_in(c, 0), *b = npu__ethosu_in(c, 1), *o = c->n_out > 0 ? c->out[0] : NULL;
    char            ta[48], tb[48];
    int             bad = 0;
    (void)r;
    if (!a || !b || !o) return 0;
    for (int32_t i = 1; i <= NPU__MIN(a->shape.rank, b->shape.rank); i++) {
        int32_t x = a->shape.dims[a->shape.rank - i], y = b->shape.dims[b->shape.rank - i];
        if ((x != y && x != 1 && y != 1) || npu__dim(o, -i) != NPU__MAX(x, y)) bad = 1;
    }
    if (!bad) return 0;
    npu__ethosu_shape_text(a, ta, sizeof ta);
    npu__ethosu_shape_text(b, tb, sizeof tb);
    return npu__got_f(got, "%s and %s", ta, tb);
}

/* ---- windows ---- */

NPU__FN int npu__ethosu_batch(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 0);
    (void)r;
    if (!v || npu__dim(v, 0) == 1) return 0;
    return npu__got_f(got, "%d", npu__dim(v, 0));
}

NPU__FN int npu__ethosu_pair(const npu__rule *r, int32_t w, int32_t h, npu__got *got) {
    if (!npu__ethosu_outside(r, w) && !npu__ethosu_outside(r, h)) return 0;
    return npu__got_f(got, "%dx%d", w, h);
}
NPU__FN int npu__ethosu_number(const npu__rule *r, int64_t v, npu__got *got) {
    return npu__ethosu_outside(r, v) ? npu__got_f(got, "%l", v) : 0;
}

NPU__FN int npu__ethosu_stride(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__ethosu_window w = npu__ethosu_window_of(c);
    return npu__ethosu_pair(r, w.stride_w, w.stride_h, got);
}

NPU__FN int npu__ethosu_dilation(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__ethosu_window w = npu__ethosu_window_of(c);
    return npu__ethosu_pair(r, w.dilation_w, w.dilation_h, got);
}

NPU__FN int64_t npu__ethosu_dilated(int32_t filter, int32_t dilation) { return ((int64_t)filter - 1) * dilation + 1; }

NPU__FN int npu__ethosu_dilated_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__ethosu_window w = npu__ethosu_window_of(c);
    return npu__ethosu_number(r, npu__ethosu_dilated(w.filter_h, w.dilation_h), got);
}

NPU__FN int npu__ethosu_dilated_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__ethosu_window w = npu__ethosu_window_of(c);
    return npu__ethosu_number(r, npu__ethosu_product(npu__ethosu_dilated(w.filter_w, w.dilation_w),
                                                     npu__ethosu_dilated(w.filter_h, w.dilation_h)), got);
}

NPU__FN int npu__ethosu_same_filter(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__ethosu_window w = npu__ethosu_window_of(c);
    return !w.valid && npu__ethosu_pair(r, w.filter_w, w.filter_h, got);
}

NPU__FN int npu__ethosu_filter_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, npu__ethosu_window_of(c).filter_h, got);
}

NPU__FN int npu__ethosu_filter_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__ethosu_window w = npu__ethosu_window_of(c);
    return npu__ethosu_number(r, npu__ethosu_product(w.filter_w, w.filter_h), got);
}

NPU__FN int npu__ethosu_valid_filter_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_window_of(c).valid && npu__ethosu_filter_height(r, c, got);
}

NPU__FN int npu__ethosu_valid_filter_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_window_of(c).valid && npu__ethosu_filter_product(r, c, got);
}

/* ---- weights and biases ---- */

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
    n = npu__elems(v);
    if (v->t->data_bytes != (size_t)n) return 0;
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
    int32_t         m = npu__tab_i32(c->node->options, NPU__S_DepthwiseConv2DOptions_depth_multiplier, 0);
    int32_t         channels, outputs;
    (void)r;
    if (!in || !weights || c->n_out < 1) return 0;
    channels = npu__dim(in, -1);
    outputs = npu__dim(c->out[0], -1);
    if (m == 0 && channels > 0) m = npu__dim(weights, -1) / channels;
    if (m <= 1 || (channels == 1 && outputs == m)) return 0;
    return npu__got_f(got, "multiplier %d, %d input channels, %d output channels", m, channels, outputs);
}

/* ---- PAD, RESHAPE, RESIZE_BILINEAR ---- */

NPU__FN int npu__ethosu_pad_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    char            dims[48];
    (void)r;
    if (!v) return npu__got_f(got, "no paddings");
    if (v->shape.rank == 2 && (v->shape.dims[0] == 3 || v->shape.dims[0] == 4) && v->shape.dims[1] == 2) return 0;
    npu__ethosu_shape_text(v, dims, sizeof dims);
    return npu__got_f(got, "%s", dims);
}

/* Rows are batch, height, width, channels; with three of them there is no batch. */
NPU__FN int npu__ethosu_pad_width_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    int64_t         batch = 0, channels, rows;
    (void)r;
    if (!v || v->shape.rank != 2 || v->shape.dims[1] != 2 || v->shape.dims[0] < 1) return 0; /* the line before */
    if (v->type != NPU_INT32 && v->type != NPU_INT64) return 0;                               /* the line after */
    if (!npu__is_const(v) || !v->data) return npu__got_f(got, "computed while running");
    rows = v->shape.dims[0];
    channels = npu__int_at(v, 2 * rows - 2) | npu__int_at(v, 2 * rows - 1);
    if (rows > 3) batch = npu__int_at(v, 0) | npu__int_at(v, 1);
    if (!batch && !channels) return 0;
    if (rows > 3) npu__got_add(got, "batch %l+%l", npu__int_at(v, 0), npu__int_at(v, 1));
    npu__got_add(got, "channels %l+%l", npu__int_at(v, 2 * rows - 2), npu__int_at(v, 2 * rows - 1));
    return 1;
}

NPU__FN int npu__ethosu_pad_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    char            name[24];
    (void)r;
    if (!v || v->type == NPU_INT32) return 0;
    npu__ethosu_type_name(v->type, name);
    return npu__got_f(got, "%s", name);
}

/* Without a second input the shape is an option, constant by nature; so is the shape of no numbers (a scalar's). */
NPU__FN int npu__ethosu_reshape_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    (void)r;
    if (!v || npu__is_const(v) || npu__elems(v) == 0) return 0;
    return npu__got_f(got, "computed while running");
}

NPU__FN int npu__ethosu_resize(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *out = c->n_out > 0 ? c->out[0] : NULL;
    int             align = npu__tab_u8(c->node->options, NPU__S_ResizeBilinearOptions_align_corners, 0) != 0;
    int64_t         h, w, oh, ow;
    (void)r;
    if (!in || !out || in->shape.rank != 4 || out->shape.rank != 4) return npu__got_f(got, "not 4 dimensions");
    h = in->shape.dims[1];
    w = in->shape.dims[2];
    oh = out->shape.dims[1];
    ow = out->shape.dims[2];
    if ((h == 1 && w == 1) || (h == oh && w == ow)) return 0;
    if (oh == 2 * h - align && ow == 2 * w - align) return 0;
    return npu__got_f(got, "%lx%l to %lx%l, align_corners %s", w, h, ow, oh, align ? "true" : "false");
}

NPU__FN int npu__ethosu_half_pixel(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (!npu__tab_u8(c->node->options, NPU__S_ResizeBilinearOptions_half_pixel_centers, 0)) return 0;
    return npu__got_f(got, "true");
}

/* ---- the tables ---- */

static const npu__backend_op npu__ethosu_ops[] = {
#define NPU__X(name, profiles) {#name, NPU__BUILTIN_##name, profiles},
    NPU__ETHOSU_OPS(NPU__X, NPU__ETHOSU_PUBLISHED)
#undef NPU__X
};

enum {
    NPU__ETHOSU_ON_Generic = NPU__EVERY_OP,
#define NPU__X(name, profiles) NPU__ETHOSU_ON_##name = NPU__BUILTIN_##name,
    NPU__ETHOSU_OPS(NPU__X, 0)
#undef NPU__X
    NPU__ETHOSU_ON_END
};

static const npu__rule npu__ethosu_rules[] = {
#define NPU__X_RANGE(id, on, bullet, predicate, lo, hi, what, profiles) \
    {id, what " must be in the range [" #lo ", " #hi "]", "[" #lo ", " #hi "]", "TFLite " #on " Constraints", \
     bullet, NPU__ETHOSU_ON_##on, profiles, lo, hi, npu__ethosu_##predicate},
#define NPU__X_AT_MOST(id, on, bullet, predicate, hi, what, profiles) \
    {id, what " must be at most " #hi, "at most " #hi, "TFLite " #on " Constraints", bullet, \
     NPU__ETHOSU_ON_##on, profiles, 0, hi, npu__ethosu_##predicate},
#define NPU__X_RULE(id, on, bullet, predicate, limit, text, profiles) \
    {id, text, limit, "TFLite " #on " Constraints", bullet, NPU__ETHOSU_ON_##on, profiles, 0, 0, \
     npu__ethosu_##predicate},
    NPU__ETHOSU_RULES(NPU__X_RANGE, NPU__X_AT_MOST, NPU__X_RULE, NPU__ETHOSU_PUBLISHED)
#undef NPU__X_RANGE
#undef NPU__X_AT_MOST
#undef NPU__X_RULE
};

static const npu__rule npu__ethosu_not_listed = {
    "ethosu.operator_not_listed", "the operator must be in the list of supported ones", "an operator of this report",
    "TFLite Summary Table", 0, NPU__EVERY_OP, NPU__ETHOSU_PUBLISHED, 0, 0, NULL};

NPU__FN const npu__backend *npu__backend_ethosu(void) {
    static const npu__backend backend = {
        "ethos-u", "Operators that can be placed on the Ethos-U NPU, as its converter's report (0.1) states them.",
        NPU__ETHOSU_PUBLISHED, NPU__COUNT(npu__ethosu_ops), NPU__COUNT(npu__ethosu_rules), npu__ethosu_ops,
        npu__ethosu_rules, &npu__ethosu_not_listed};
    return &backend;
}

#undef NPU__ETHOSU_OPS
#undef NPU__ETHOSU_RULES

#endif
