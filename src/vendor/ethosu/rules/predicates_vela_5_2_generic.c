/* Ethos-U predicates of Vela 5.2 about tensors of any operator: shapes, types, quantization, fused activations.
 *
 * Feature maps are inputs that carry data, and outputs; and all inputs past those an operator is known to have (the
 * axis of EXPAND_DIMS). */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int npu__v52_is_map(const npu__v52_tensor *v) { return v->role == NPU__V52_IFM || v->role == NPU__V52_OFM; }
NPU__FN int npu__v52_on_u85(const npu__rule *r) { return (r->profiles & NPU__ETHOSU_P_VELA_5_2_U85) != 0; }

/* ---- shapes ---- */

NPU__FN int npu__ethosu_v52_static(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        int resizable = 0;
        if (!npu__v52_at(c, i, &v)) continue;
        for (int32_t k = 0; k < v.shape.rank; k++) resizable |= v.shape.dims[k] < 0;
        if (!resizable) continue;
        npu__v52_add_shape(got, &v);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_shapeless(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        if (!npu__v52_at(c, i, &v) || v.shape.rank > 0) continue;
        npu__v52_add(got, &v, "no dimensions");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_has_input(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    (void)r;
    return npu__v52_find(c, NPU__V52_IFM, 0, &v) ? 0 : npu__got_f(got, "none");
}

NPU__FN int npu__ethosu_v52_has_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return c->n_out > 0 ? 0 : npu__got_f(got, "none");
}

/* ---- types ---- */

NPU__FN int npu__v52_type_fits(const npu__rule *r, int32_t type) {
    switch (type) {
    case NPU_UINT8: case NPU_INT8: case NPU_INT16: case NPU_INT32: case NPU_INT64: return 1;
    default: return type == NPU_BOOL && npu__v52_on_u85(r);
    }
}

NPU__FN int npu__ethosu_v52_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        if (!npu__v52_at(c, i, &v) || !npu__v52_is_map(&v) || npu__v52_type_fits(r, v.t->type)) continue;
        npu__v52_add_type(got, &v);
        bad = 1;
    }
    return bad;
}

/* Feature maps of so many bits. */
NPU__FN int npu__v52_has_bits(const npu__ctx *c, int bits, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        if (!npu__v52_at(c, i, &v) || !npu__v52_is_map(&v) || npu__v52_bits(v.t->type) != bits) continue;
        npu__v52_add_type(got, &v);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_32bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__v52_has_bits(c, 32, got);
}

NPU__FN int npu__ethosu_v52_64bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__v52_has_bits(c, 64, got);
}

/* What a resource variable holds: it has the type of what is read or assigned. */
NPU__FN int npu__ethosu_v52_variable_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             reads = c->node->code == NPU__BUILTIN_READ_VARIABLE;
    if (!npu__v52_find(c, reads ? NPU__V52_OFM : NPU__V52_IFM, 0, &v)) return npu__got_f(got, "nothing");
    if (npu__v52_type_fits(r, v.t->type)) return 0;
    npu__v52_add_type(got, &v);
    return 1;
}

/* ---- quantization ---- */

/* Asked of feature maps and of the first weights; int32, int64 and bool data may go without. */
NPU__FN int npu__ethosu_v52_quantized(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v, w;
    int             bad = 0, weighted = npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w);
    (void)r;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        int asked;
        if (!npu__v52_at(c, i, &v) || v.t->quant.count > 0) continue;
        asked = v.role == NPU__V52_WEIGHTS ? weighted && v.at == w.at : npu__v52_is_map(&v) && v.t->type != NPU_INT32;
        if (!asked || v.t->type == NPU_INT64 || v.t->type == NPU_BOOL) continue;
        npu__v52_add(got, &v, "not quantized");
        bad = 1;
    }
    return bad;
}

/* The converter keeps a scale as 31 bits and a shift to the right, and calls a shift below 0 "not positive". */
NPU__FN int npu__ethosu_v52_scale_small(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        if (!npu__v52_at(c, i, &v)) continue;
        if (npu__got_too_much(got, v.t->quant.count)) return 1;
        for (int32_t k = 0; k < v.t->quant.count; k++) {
            char text[24];
            if (v.t->quant.scale[k] < 4294967296.0f) continue;
            npu__format(text, sizeof text, "%g", (double)v.t->quant.scale[k]);
            npu__v52_add(got, &v, text);
            bad = 1;
            break;
        }
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_per_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        char text[24];
        if (!npu__v52_at(c, i, &v) || v.t->quant.count <= 1) continue;
        npu__format(text, sizeof text, "%d scales", v.t->quant.count);
        npu__v52_add(got, &v, text);
        bad = 1;
    }
    return bad;
}

/* The zero points each generation can add: U55 and U65 mind 32-bit and unsigned data only. */
NPU__FN int npu__v52_zero_point_fits(const npu__rule *r, const npu__v52_tensor *v, int32_t zero) {
    int is_signed = npu__ethosu_is_signed(v->t->type);
    if (!npu__v52_on_u85(r)) return !(npu__v52_bits(v->t->type) == 32 && zero != 0) && (is_signed || zero >= 0);
    if (v->role == NPU__V52_OFM && is_signed) return zero >= -128 && zero <= 127;
    if (v->role == NPU__V52_OFM) return (zero >= 0 && zero <= 255) || zero == 32768;
    switch (v->t->type) {
    case NPU_INT8: return zero >= -128 && zero <= 127;
    case NPU_UINT8: return zero >= 0 && zero <= 255;
    case NPU_UINT16: return zero == 0 || zero == 32768;
    default: return zero == 0;
    }
}

NPU__FN int npu__v52_zero_points(const npu__rule *r, const npu__ctx *c, int roles, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        if (!npu__v52_at(c, i, &v) || !npu__v52_is_map(&v) || (roles && v.role != roles)) continue;
        if (npu__got_too_much(got, v.t->quant.count)) return 1;
        for (int32_t k = 0; k < v.t->quant.count; k++) {
            char text[48], name[24];
            if (npu__v52_zero_point_fits(r, &v, v.t->quant.zero_point[k])) continue;
            npu__ethosu_type_name(v.t->type, name);
            npu__format(text, sizeof text, "%s with zero point %d", name, v.t->quant.zero_point[k]);
            npu__v52_add(got, &v, text);
            bad = 1;
            break;
        }
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_zero_point(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_zero_points(r, c, 0, got);
}

NPU__FN int npu__ethosu_v52_zero_point_in(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_zero_points(r, c, NPU__V52_IFM, got);
}

NPU__FN int npu__ethosu_v52_zero_point_out(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_zero_points(r, c, NPU__V52_OFM, got);
}

NPU__FN int npu__v52_same_quant(const npu_quant *a, const npu_quant *b) {
    if (a->count != b->count || (a->count > 0 && a->axis != b->axis)) return 0;
    for (int32_t i = 0; i < a->count; i++) {
        if (a->scale[i] < b->scale[i] || a->scale[i] > b->scale[i] || a->zero_point[i] != b->zero_point[i]) return 0;
    }
    return 1;
}

NPU__FN void npu__v52_add_quant(npu__got *got, const npu__v52_tensor *v) {
    const npu_quant *q = &v->t->quant;
    char             text[48];
    if (q->count < 1) npu__format(text, sizeof text, "not quantized");
    else npu__format(text, sizeof text, "scale %g zero point %d", (double)q->scale[0], q->zero_point[0]);
    npu__v52_add(got, v, text);
}

NPU__FN int npu__ethosu_v52_matching_quant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor a, b, o;
    (void)r;
    if (!npu__v52_in_out(c, &a, &o) || !npu__v52_find(c, NPU__V52_IFM, 1, &b)) return 0; /* other rows say so */
    if (npu__got_too_much(got, 2 * (int64_t)o.t->quant.count)) return 1;
    if (npu__v52_same_quant(&a.t->quant, &o.t->quant) && npu__v52_same_quant(&b.t->quant, &o.t->quant)) return 0;
    npu__v52_add_quant(got, &a);
    npu__v52_add_quant(got, &b);
    npu__v52_add_quant(got, &o);
    return 1;
}

/* A fused activation becomes an operator of its own, and may be refused where the operator before it is not: it has
 * no 32-bit form on U55 and U65, no per-axis form, and its zero points count after an AVERAGE_POOL_2D too. */
NPU__FN int npu__ethosu_v52_fused(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t         code = npu__v52_fused_code(c);
    npu__v52_tensor o;
    int             bad = 0;
    if (code == NPU__ACT_NONE) return 0;
    if (code == NPU__ACT_SIGN_BIT) return npu__got_f(got, "SIGN_BIT");
    if (code < 0 || code > NPU__ACT_TANH) return npu__got_f(got, "activation code %d", code);
    if (!npu__v52_find(c, NPU__V52_OFM, 0, &o)) return 0;
    if (!npu__v52_on_u85(r) && npu__v52_bits(o.t->type) == 32) {
        npu__v52_add_type(got, &o);
        bad = 1;
    }
    if (o.t->quant.count > 1) {
        npu__got_add(got, "%d scales", o.t->quant.count);
        bad = 1;
    }
    if (npu__got_too_much(got, o.t->quant.count)) return 1;
    for (int32_t k = 0; k < o.t->quant.count; k++) {
        npu__v52_tensor in = o; /* the activation reads and writes with the output's quantization */
        int32_t         zero = o.t->quant.zero_point[k];
        in.role = NPU__V52_IFM;
        if (npu__v52_zero_point_fits(r, &o, zero) && npu__v52_zero_point_fits(r, &in, zero)) continue;
        npu__got_add(got, "zero point %d", zero);
        return 1;
    }
    return bad;
}

#endif
