/* Ethos-U predicates of Vela 5.2 about windows, weights, biases and resizing.
 *
 * SAME padding that adds no cell counts as VALID. Weights are summed per output channel, of DEPTHWISE_CONV_2D too. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- windows ---- */

NPU__FN int npu__ethosu_v52_stride(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_kernel k = npu__v52_kernel_of(c);
    return npu__ethosu_pair(r, (int32_t)k.stride_w, (int32_t)k.stride_h, got);
}

/* Larger steps are taken apart into smaller ones, where that is possible; an output of 1 takes no step. */
NPU__FN int npu__ethosu_v52_stride_or_unrolled(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_kernel k = npu__v52_kernel_of(c);
    npu__v52_tensor o;
    int64_t         w = 0, h = 0;
    int             zero = k.stride_w < r->lo || k.stride_h < r->lo;
    if (npu__v52_find(c, NPU__V52_OFM, 0, &o)) {
        w = npu__v52_axis(&o.shape, 2);
        h = npu__v52_axis(&o.shape, 3);
    }
    if (!zero && (k.stride_w <= r->hi || w == 1) && (k.stride_h <= r->hi || h == 1)) return 0;
    if (!zero && !k.padded && k.dilation_w == 1 && k.dilation_h == 1) return 0;
    return npu__got_f(got, "%lx%l, %s, dilation %lx%l", k.stride_w, k.stride_h, k.padded ? "padded" : "not padded",
                      k.dilation_w, k.dilation_h);
}

NPU__FN int npu__ethosu_v52_filter_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, npu__v52_kernel_of(c).h, got);
}

NPU__FN int npu__ethosu_v52_filter_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_kernel k = npu__v52_kernel_of(c);
    return npu__ethosu_number(r, npu__ethosu_product(k.w, k.h), got);
}

NPU__FN int npu__ethosu_v52_bare_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return !npu__v52_kernel_of(c).padded && npu__ethosu_v52_filter_height(r, c, got);
}

NPU__FN int npu__ethosu_v52_bare_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return !npu__v52_kernel_of(c).padded && npu__ethosu_v52_filter_product(r, c, got);
}

NPU__FN int npu__ethosu_v52_padded_filter(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_kernel k = npu__v52_kernel_of(c);
    return k.padded && npu__ethosu_pair(r, (int32_t)k.w, (int32_t)k.h, got);
}

NPU__FN int npu__ethosu_v52_transpose_conv_stride(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_kernel k = npu__v52_kernel_of(c);
    npu__v52_tensor in;
    int             ok;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    ok = k.stride_w >= 1 && k.stride_w <= 2 && k.stride_h >= 1 && k.stride_h <= 2;
    if (k.stride_w < k.stride_h) ok = ok && npu__v52_axis(&in.shape, 2) == 1 && k.w == 1;
    if (k.stride_w > k.stride_h) ok = ok && npu__v52_axis(&in.shape, 3) == 1 && k.h == 1;
    if (ok) return 0;
    return npu__got_f(got, "%lx%l, input %lx%l, kernel %lx%l", k.stride_w, k.stride_h, npu__v52_axis(&in.shape, 2),
                      npu__v52_axis(&in.shape, 3), k.w, k.h);
}

/* Output size that a size and its window make, as the converter wants it. */
NPU__FN int64_t npu__v52_upscaled(int64_t in, int64_t stride, int64_t filter, int valid) {
    int64_t more = valid ? NPU__MAX(filter - stride, (int64_t)0) : 0;
    return in * stride + more;
}

NPU__FN int npu__ethosu_v52_transpose_conv_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_kernel k = npu__v52_kernel_of(c);
    npu__v52_tensor in, out;
    int64_t         w, h, ow, oh;
    (void)r;
    if (!npu__v52_in_out(c, &in, &out)) return 0;
    w = npu__v52_upscaled(npu__v52_axis(&in.shape, 2), k.stride_w, k.w, k.valid);
    h = npu__v52_upscaled(npu__v52_axis(&in.shape, 3), k.stride_h, k.h, k.valid);
    ow = npu__v52_axis(&out.shape, 2);
    oh = npu__v52_axis(&out.shape, 3);
    return w == ow && h == oh ? 0 : npu__got_f(got, "%lx%l instead of %lx%l", ow, oh, w, h);
}

/* ---- weights and biases ---- */

NPU__FN int npu__ethosu_v52_weights_8bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor w;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w)) return npu__got_f(got, "no weights");
    return npu__v52_bits(w.t->type) == 8 ? 0 : npu__got_f(got, "%d-bit", npu__v52_bits(w.t->type));
}

/* O, 1, ..., 1, I */
NPU__FN int npu__ethosu_v52_weights_matrix(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor w;
    char            text[48];
    (void)r;
    if (!npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w)) return 0;
    if (w.shape.rank >= 2 && npu__v52_elems(&w.shape) ==
        npu__ethosu_product(w.shape.dims[0], w.shape.dims[w.shape.rank - 1])) return 0;
    npu__v52_shape_text(&w.shape, text, sizeof text);
    return npu__got_f(got, "%s", text);
}

/* The largest sum of |weight - zero point| over an output channel, -1 when there is none to take; false (and stated)
 * when that is too much to count. */
NPU__FN int npu__v52_weights_sum(const npu__ctx *c, const npu__tensor *t, const npu__shape *shape, int64_t limit,
                                 int64_t *out, npu__got *got) {
    int     depthwise = c->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D;
    int64_t n = npu__v52_elems(shape), outer, inner, largest = -1;
    *out = -1;
    if (shape->rank < 2 || n <= 0 || npu__v52_bits(t->type) != 8 || npu__v52_stored_elems(t) != n) return 1;
    outer = depthwise ? shape->dims[shape->rank - 1] : shape->dims[0];
    inner = n / outer;
    if (npu__ethosu_product(255, inner) < limit) return 1; /* cannot be too large: not counted */
    if (npu__got_too_much(got, n)) return 0;
    for (int64_t o = 0; o < outer; o++) {
        int32_t zero = 0;
        int64_t sum = 0;
        if (t->quant.count == 1) zero = t->quant.zero_point[0];
        else if (o < t->quant.count) zero = t->quant.zero_point[o];
        for (int64_t i = 0; i < inner; i++) {
            int64_t w = npu__v52_int(t, depthwise ? i * outer + o : o * inner + i) - zero;
            sum += w < 0 ? -w : w;
        }
        largest = NPU__MAX(largest, sum);
    }
    *out = largest;
    return 1;
}

NPU__FN int npu__v52_sum_outside(const npu__rule *r, const npu__ctx *c, int eight_bit, npu__got *got) {
    npu__v52_tensor in, w;
    int64_t         sum;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || !npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w)) return 0;
    if ((npu__v52_bits(in.t->type) == 8) != eight_bit) return 0;
    return !npu__v52_weights_sum(c, w.t, &w.shape, r->hi, &sum, got) || npu__ethosu_number(r, sum, got);
}

NPU__FN int npu__ethosu_v52_weights_sum_8bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_sum_outside(r, c, 1, got);
}

NPU__FN int npu__ethosu_v52_weights_sum_16bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_sum_outside(r, c, 0, got);
}

NPU__FN int npu__ethosu_v52_bias_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor b;
    char            text[48];
    (void)r;
    if (!npu__v52_find(c, NPU__V52_BIAS, 0, &b) || b.shape.rank == 0) return 0;
    if (npu__v52_elems(&b.shape) <= npu__v52_axis(&b.shape, 1)) return 0;
    npu__v52_shape_text(&b.shape, text, sizeof text);
    return npu__got_f(got, "%s", text);
}

NPU__FN int npu__ethosu_v52_bias_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor b;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_BIAS, 0, &b) || npu__v52_stored(b.t)) return 0;
    return npu__got_f(got, "computed while running");
}

NPU__FN int npu__ethosu_v52_bias_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor b;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_BIAS, 0, &b) || b.t->type == NPU_INT32 || b.t->type == NPU_INT64) return 0;
    npu__v52_add_type(got, &b);
    return 1;
}

NPU__FN int npu__ethosu_v52_bias_range(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor b;
    if (!npu__v52_find(c, NPU__V52_BIAS, 0, &b) || b.t->type != NPU_INT64) return 0;
    if (npu__got_too_much(got, npu__v52_stored_elems(b.t))) return 1;
    for (int64_t i = 0; i < npu__v52_stored_elems(b.t); i++) {
        if (npu__ethosu_number(r, npu__v52_int(b.t, i), got)) return 1;
    }
    return 0;
}

/* ---- resizing ---- */

typedef struct npu__v52_resize {
    int32_t bilinear, align, half; /* half: as the file says */
    int64_t w, h, ow, oh;
} npu__v52_resize;

NPU__FN int npu__v52_resize_of(const npu__ctx *c, npu__v52_resize *s) {
    npu__v52_tensor in, out;
    memset(s, 0, sizeof *s);
    if (!npu__v52_in_out(c, &in, &out)) return 0;
    s->bilinear = c->node->code == NPU__BUILTIN_RESIZE_BILINEAR;
    if (s->bilinear) {
        s->align = NPU__OPTIONS(c->node, ResizeBilinearOptions)->align_corners;
        s->half = NPU__OPTIONS(c->node, ResizeBilinearOptions)->half_pixel_centers;
    } else {
        s->align = NPU__OPTIONS(c->node, ResizeNearestNeighborOptions)->align_corners;
        s->half = NPU__OPTIONS(c->node, ResizeNearestNeighborOptions)->half_pixel_centers;
    }
    s->w = npu__v52_axis(&in.shape, 2);
    s->h = npu__v52_axis(&in.shape, 3);
    s->ow = npu__v52_axis(&out.shape, 2);
    s->oh = npu__v52_axis(&out.shape, 3);
    return 1;
}

NPU__FN int npu__v52_got_resize(npu__got *got, const npu__v52_resize *s) {
    npu__got_add(got, "%lx%l to %lx%l%s%s", s->w, s->h, s->ow, s->oh, s->align ? ", align_corners" : "",
                 s->half ? ", half_pixel_centers" : "");
    return 1;
}

/* A factor as the converter computes it; 0 for none. */
NPU__FN float npu__v52_factor(int64_t in, int64_t out, int align) {
    if (align && out == 1) return 1.0f;
    in -= align;
    out -= align;
    return in > 0 && out > 0 ? (float)out / (float)in : 0.0f;
}

NPU__FN int npu__ethosu_v52_resize_u55(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_resize s;
    float           h, w, up, top;
    int             half, fits = 0;
    (void)r;
    if (!npu__v52_resize_of(c, &s)) return 0;
    half = s.bilinear && s.half;
    if (s.h == 1 && s.w == 1) return 0;
    if (s.h == s.oh && s.w == s.ow) return half ? npu__v52_got_resize(got, &s) : 0;
    h = npu__v52_factor(s.h, s.oh, s.align);
    w = npu__v52_factor(s.w, s.ow, s.align);
    if (h < w || h > w) {
        int flat = (s.oh == 1 && !(h < 1.0f || h > 1.0f)) || (s.ow == 1 && !(w < 1.0f || w > 1.0f));
        if (!flat || half) return npu__v52_got_resize(got, &s);
    }
    up = NPU__MAX(h, w);
    top = half ? 2.0f : 8.0f;
    for (float f = 2.0f; f <= top; f *= 2.0f) fits |= !(up < f || up > f);
    return fits ? 0 : npu__v52_got_resize(got, &s);
}

/* Nearest neighbours are taken from the centers of pixels unless corners are aligned, whatever the option says. */
NPU__FN int npu__v52_resize_half(const npu__v52_resize *s) { return s->half || (!s->bilinear && !s->align); }

NPU__FN int npu__ethosu_v52_resize_corners(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_resize s;
    (void)r;
    if (!npu__v52_resize_of(c, &s) || !s.align || !npu__v52_resize_half(&s)) return 0;
    return npu__v52_got_resize(got, &s);
}

/* Numerator and denominator of both factors. */
NPU__FN void npu__v52_resize_aligned(npu__v52_resize *s) {
    if (s->align && s->w > 1) {
        s->w--;
        s->ow--;
    }
    if (s->align && s->h > 1) {
        s->h--;
        s->oh--;
    }
}

NPU__FN int npu__v52_factor_outside(const npu__rule *r, const npu__ctx *c, int half, npu__got *got) {
    npu__v52_resize s, whole;
    if (!npu__v52_resize_of(c, &whole) || npu__v52_resize_half(&whole) != half) return 0;
    s = whole;
    npu__v52_resize_aligned(&s);
    if (s.w > 0 && s.h > 0 && s.ow > 0 && s.oh > 0 && !npu__ethosu_outside(r, s.ow / s.w) &&
        !npu__ethosu_outside(r, s.oh / s.h)) return 0;
    npu__got_add(got, "factors %l and %l", s.w > 0 ? s.ow / s.w : 0, s.h > 0 ? s.oh / s.h : 0);
    return npu__v52_got_resize(got, &whole);
}

NPU__FN int npu__ethosu_v52_resize_factor_half(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_factor_outside(r, c, 1, got);
}

NPU__FN int npu__ethosu_v52_resize_factor(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_factor_outside(r, c, 0, got);
}

NPU__FN int npu__v52_power_of_two(int64_t n, int64_t d) {
    return n > 0 && d > 0 && n % d == 0 && (n / d & (n / d - 1)) == 0;
}

NPU__FN int npu__ethosu_v52_resize_power(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_resize s, whole;
    (void)r;
    if (!npu__v52_resize_of(c, &whole) || (whole.w == 1 && whole.h == 1)) return 0;
    s = whole;
    npu__v52_resize_aligned(&s);
    if (npu__v52_power_of_two(s.ow, s.w) && npu__v52_power_of_two(s.oh, s.h)) return 0;
    return npu__v52_got_resize(got, &whole);
}

#endif
