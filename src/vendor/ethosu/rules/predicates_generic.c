/* Ethos-U predicates about tensors of any operator: types, dimensions, fused activations, broadcasting.
 *
 * Where the published document is silent, what a line inspects follows the converter that prints it (Vela 3.2, public
 * source): type and dimension lines look at feature maps (inputs that carry data, and the output) and weights. Biases,
 * shapes, sizes and paddings are int32 by design and have lines of their own, or none. All inputs of CONCATENATION and
 * PACK are feature maps. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

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

/* ---- what the converter's own checks look at: input, second input, weights and output ---- */

NPU__FN int npu__ethosu_is_feature_map_type(int32_t type) {
    return type == NPU_INT8 || type == NPU_UINT8 || type == NPU_INT16 || type == NPU_INT32;
}

NPU__FN int npu__ethosu_feature_map_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t role = 0; role < NPU__ETHOSU_N_CHECKED; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        char            name[24];
        if (!v || npu__ethosu_is_feature_map_type(v->type)) continue;
        npu__ethosu_type_name(v->type, name);
        npu__ethosu_add_role(got, input, name);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_no_int32(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t role = 0; role < NPU__ETHOSU_N_CHECKED; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        if (!v || v->type != NPU_INT32) continue;
        npu__ethosu_add_role(got, input, "int32");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_feature_map_dims(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    for (int32_t role = 0; role < NPU__ETHOSU_N_CHECKED; role++) {
        int32_t         input, fits = 1;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        char            dims[48];
        for (int32_t k = 0; v && k < v->shape.rank; k++) fits = fits && !npu__ethosu_outside(r, v->shape.dims[k]);
        if (!v || fits) continue;
        npu__ethosu_shape_text(v, dims, sizeof dims);
        npu__ethosu_add_role(got, input, dims);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_per_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t role = 0; role < NPU__ETHOSU_N_CHECKED; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        char            scales[32];
        if (!v || v->t->quant.count <= 1) continue;
        npu__format(scales, sizeof scales, "%d scales", v->t->quant.count);
        npu__ethosu_add_role(got, input, scales);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_fused_output_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    char    name[24];
    int32_t type = c->n_out > 0 ? c->out[0]->type : NPU_INT8;
    (void)r;
    if (npu__ethosu_fused_code(c) == NPU__ACT_NONE) return 0;
    if (npu__ethosu_is_feature_map_type(type) && type != NPU_INT32) return 0;
    npu__ethosu_type_name(type, name);
    return npu__got_f(got, "%s", name);
}

/* ---- elementwise ---- */

NPU__FN int npu__ethosu_shapes_equal(const npu__val *a, const npu__val *b) {
    return npu__shape_eq(&a->shape, &b->shape);
}

NPU__FN int npu__ethosu_same_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    (void)r;
    return in && out && !npu__ethosu_shapes_equal(in, out) && npu__ethosu_got_shapes(got, in, out);
}

NPU__FN int npu__ethosu_either_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *a = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *b = npu__ethosu_role(c, NPU__ETHOSU_IFM2, NULL);
    const npu__val *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    char            ta[48], tb[48], to[48];
    (void)r;
    if (!a || !out || npu__ethosu_shapes_equal(a, out) || (b && npu__ethosu_shapes_equal(b, out))) return 0;
    if (!b) return npu__ethosu_got_shapes(got, a, out);
    npu__ethosu_shape_text(a, ta, sizeof ta);
    npu__ethosu_shape_text(b, tb, sizeof tb);
    npu__ethosu_shape_text(out, to, sizeof to);
    return npu__got_f(got, "%s and %s to %s", ta, tb, to);
}

NPU__FN int npu__ethosu_elementwise_batch(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    for (int32_t role = NPU__ETHOSU_IFM; role <= NPU__ETHOSU_IFM2; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        char            batch[16];
        if (!v || v->shape.rank <= 2 || !npu__ethosu_outside(r, v->shape.dims[0])) continue;
        npu__format(batch, sizeof batch, "%d", v->shape.dims[0]);
        npu__ethosu_add_role(got, input, batch);
        bad = 1;
    }
    return bad;
}

#endif
