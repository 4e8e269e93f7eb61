/* Ethos-U predicates of Vela 5.2 about the model, continued: checks of single operators. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- convolutions ---- */

NPU__FN int npu__v52_groups(const npu__ctx *c, int64_t *depth, int64_t *kernel, int64_t *filters) {
    npu__v52_tensor in, w;
    npu__shape      a, b;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || !npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w)) return 0;
    a = npu__v52_file_shape(in.t);
    b = npu__v52_file_shape(w.t);
    *depth = npu__v52_axis(&a, 1);
    *kernel = npu__v52_axis(&b, 1);
    *filters = b.dims[0];
    return 1;
}

NPU__FN int npu__ethosu_v52_conv_groups(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int64_t depth, kernel, filters;
    (void)r;
    if (!npu__v52_groups(c, &depth, &kernel, &filters) || (kernel > 0 && depth % kernel == 0)) return 0;
    return npu__got_f(got, "%l input channels, %l in the kernel", depth, kernel);
}

NPU__FN int npu__ethosu_v52_conv_filters(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int64_t depth, kernel, filters;
    (void)r;
    if (!npu__v52_groups(c, &depth, &kernel, &filters) || kernel < 1) return 0;
    if (depth >= kernel && filters % (depth / kernel) == 0) return 0;
    return npu__got_f(got, "%l filters for %l groups", filters, depth / kernel);
}

NPU__FN int npu__ethosu_v52_depthwise_depth(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t         m = NPU__OPTIONS(c->node, DepthwiseConv2DOptions)->depth_multiplier;
    npu__v52_tensor in, out;
    (void)r;
    if (!npu__v52_stored_pair(c, &in, &out)) return 0;
    if (npu__v52_axis(&in.shape, 1) * m == npu__v52_axis(&out.shape, 1)) return 0;
    return npu__got_f(got, "%l times %d, %l output channels", npu__v52_axis(&in.shape, 1), m,
                      npu__v52_axis(&out.shape, 1));
}

/* ---- SPLIT, SPLIT_V ---- */

/* The converter takes an axis one past the end for a good one and minus the rank for a bad one. */
NPU__FN int npu__ethosu_v52_split_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, p;
    int64_t         axis;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &p)) return 0;
    if (!npu__v52_stored(p.t)) return npu__got_f(got, "computed while running");
    axis = npu__v52_int(p.t, 0);
    if (axis > -in.t->shape.rank && axis <= in.t->shape.rank) return 0;
    return npu__got_f(got, "axis %l of %d dimensions", axis, in.t->shape.rank);
}

NPU__FN int npu__ethosu_v52_split_even(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t         n = NPU__OPTIONS(c->node, SplitOptions)->num_splits;
    npu__v52_tensor in, p;
    int64_t         axis;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &p)) return 0;
    if (!npu__v52_stored(p.t)) return 0;
    axis = npu__v52_int(p.t, 0);
    if (axis < 0) axis += in.t->shape.rank;
    if (axis < 0 || axis >= in.t->shape.rank) return npu__got_f(got, "axis %l", axis);
    if (n >= 0 && in.t->shape.dims[axis] > 0 && (n == 0 || in.t->shape.dims[axis] % n == 0)) return 0;
    return npu__got_f(got, "%d splits of %d", n, in.t->shape.dims[axis]);
}

NPU__FN int npu__ethosu_v52_splitv_sizes(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor p;
    int64_t         left_open = 0;
    if (!npu__v52_find(c, NPU__V52_PARAMS, 0, &p)) return 0;
    if (!npu__v52_stored(p.t)) return npu__got_f(got, "computed while running");
    if (npu__got_too_much(got, npu__v52_stored_elems(p.t))) return 1;
    for (int64_t i = 0; i < npu__v52_stored_elems(p.t); i++) left_open += npu__v52_int(p.t, i) == -1;
    return npu__ethosu_number(r, left_open, got);
}

/* ---- CONCATENATION ---- */

NPU__FN int npu__ethosu_v52_concat_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t         axis = NPU__OPTIONS(c->node, ConcatenationOptions)->axis;
    npu__v52_tensor out;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_OFM, 0, &out)) return 0;
    if (axis >= -out.t->shape.rank && axis <= out.t->shape.rank) return 0;
    return npu__got_f(got, "axis %d of %d dimensions", axis, out.t->shape.rank);
}

NPU__FN int npu__ethosu_v52_concat_ranks(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v, out;
    int             bad = 0;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_OFM, 0, &out)) return 0;
    for (int32_t i = 0; i < c->n_in; i++) {
        if (!npu__v52_at(c, i, &v) || v.t->shape.rank == out.t->shape.rank) continue;
        v.shape = v.t->shape;
        npu__v52_add_shape(got, &v);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_concat_dims(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t   asked = NPU__OPTIONS(c->node, ConcatenationOptions)->axis;
    int32_t         axis;
    int64_t         sum = 0;
    npu__v52_tensor v, out;
    npu__shape      o;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_OFM, 0, &out)) return 0;
    o = npu__v52_file_shape(out.t);
    axis = npu__axis_in(asked, o.rank);
    if (axis < 0) return npu__got_f(got, "axis %d", asked);
    for (int32_t i = 0; i < c->n_in; i++) {
        if (!npu__v52_at(c, i, &v)) continue;
        v.shape = npu__v52_file_shape(v.t);
        if (v.shape.rank != o.rank) return 0; /* the row before */
        for (int32_t k = 0; k < o.rank; k++) {
            if (k == axis || v.shape.dims[k] == o.dims[k]) continue;
            npu__v52_add_shape(got, &v);
            return 1;
        }
        sum += v.shape.dims[axis];
    }
    if (sum == o.dims[axis] || (out.t->signature.rank > axis && out.t->signature.dims[axis] == -1)) return 0;
    return npu__got_f(got, "sum %l, output %d", sum, o.dims[axis]);
}

/* ---- PAD ---- */

NPU__FN int npu__ethosu_v52_pad_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out, p;
    (void)r;
    if (!npu__v52_stored_pair(c, &in, &out) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &p)) return 0;
    if (npu__v52_resizable(out.t)) return 0;
    if (!npu__v52_stored(p.t)) return npu__got_f(got, "paddings computed while running");
    if (in.shape.rank != out.shape.rank) return npu__v52_got_shapes(got, &in, &out);
    for (int32_t i = 0; i < in.shape.rank; i++) {
        int64_t before = npu__v52_int(p.t, 2 * i), after = npu__v52_int(p.t, 2 * i + 1);
        int64_t limit = INT32_MAX;
        if (before >= -limit && before <= limit && after >= -limit && after <= limit &&
            in.shape.dims[i] + before + after == out.shape.dims[i]) continue;
        return npu__got_f(got, "dimension %d: %d + %l + %l, output %d", i, in.shape.dims[i], before, after,
                          out.shape.dims[i]);
    }
    return 0;
}

/* ---- BATCH_MATMUL ---- */

NPU__FN int npu__v52_matmul_of(const npu__ctx *c, npu__v52_tensor *a, npu__v52_tensor *b, npu__v52_tensor *o) {
    return npu__v52_stored_pair(c, a, o) && npu__v52_stored_second(c, b);
}

NPU__FN int npu__v52_matmul_ranks_fit(const npu__v52_tensor *a, const npu__v52_tensor *b, const npu__v52_tensor *o) {
    return a->shape.rank >= 2 && b->shape.rank >= 2 && o->shape.rank == NPU__MAX(a->shape.rank, b->shape.rank);
}

NPU__FN int npu__v52_got_matmul(npu__got *got, const npu__v52_tensor *a, const npu__v52_tensor *b,
                                const npu__v52_tensor *o) {
    npu__v52_add_shape(got, a);
    npu__v52_add_shape(got, b);
    npu__v52_add_shape(got, o);
    return 1;
}

NPU__FN int npu__ethosu_v52_matmul_ranks(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor a, b, o;
    (void)r;
    if (!npu__v52_matmul_of(c, &a, &b, &o) || npu__v52_matmul_ranks_fit(&a, &b, &o)) return 0;
    return npu__v52_got_matmul(got, &a, &b, &o);
}

NPU__FN int npu__ethosu_v52_matmul_broadcast(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor a, b, o;
    (void)r;
    if (!npu__v52_matmul_of(c, &a, &b, &o) || !npu__v52_matmul_ranks_fit(&a, &b, &o)) return 0;
    for (int32_t i = 3; i <= o.shape.rank; i++) { /* from the end */
        int64_t x = npu__v52_axis(&a.shape, i), y = npu__v52_axis(&b.shape, i);
        if ((x != y && x != 1 && y != 1) || npu__v52_axis(&o.shape, i) != NPU__MAX(x, y)) {
            return npu__v52_got_matmul(got, &a, &b, &o);
        }
    }
    return 0;
}

#endif
