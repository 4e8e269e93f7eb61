/* Ethos-U predicates that the converter asks of the model itself, before any limit of the hardware: scalars, number of
 * dimensions, quantization, types that must agree. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- every input and output ---- */

/* The i-th tensor of inputs and outputs; NULL for an input left out. */
NPU__FN const npu__val *npu__ethosu_io(const npu__ctx *c, int32_t i, int32_t *input) {
    *input = i < c->n_in ? i : -1;
    return i < c->n_in ? c->in[i] : c->out[i - c->n_in];
}

NPU__FN void npu__ethosu_add_io(npu__got *got, const npu__ctx *c, int32_t i, const char *what) {
    if (i < c->n_in) npu__got_add(got, "input %d: %s", i, what);
    else npu__got_add(got, "output %d: %s", i - c->n_in, what);
}

NPU__FN int npu__ethosu_no_dynamic(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_io(c, i, &input);
        if (!v || v->shape.rank > 0 || npu__is_const(v)) continue;
        npu__ethosu_add_io(got, c, i, "no shape, no value");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_output_scalar(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return c->n_out > 0 && c->out[0]->shape.rank == 0 && npu__got_f(got, "[]");
}

NPU__FN int npu__ethosu_input_scalar(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        if (!c->in[i] || c->in[i]->shape.rank > 0) continue;
        npu__ethosu_add_io(got, c, i, "[]");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_io(c, i, &input);
        char            rank[16];
        if (!v || !npu__ethosu_outside(r, v->shape.rank)) continue;
        npu__format(rank, sizeof rank, "%d", v->shape.rank);
        npu__ethosu_add_io(got, c, i, rank);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_input_count(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, c->n_in, got);
}

NPU__FN int npu__ethosu_input_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL);
    return v && npu__ethosu_number(r, v->shape.rank, got);
}

NPU__FN int npu__ethosu_output_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    for (int32_t i = 0; i < c->n_out; i++) {
        if (npu__ethosu_number(r, c->out[i]->shape.rank, got)) return 1;
    }
    return 0;
}

/* ---- quantization ---- */

NPU__FN int npu__ethosu_quantization_missing(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t role = 0; role < NPU__ETHOSU_N_CHECKED; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        if (!v || npu__has_quant(v)) continue;
        npu__ethosu_add_role(got, input, "none");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_is_infinite(float v) { return v > 3.402823466e38f || v < -3.402823466e38f; }

NPU__FN int npu__ethosu_scale_finite(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t role = 0; role < NPU__ETHOSU_N_CHECKED; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        if (v && npu__got_too_much(got, v->t->quant.count)) return 1;
        for (int32_t i = 0; v && i < v->t->quant.count; i++) {
            if (!npu__ethosu_is_infinite(v->t->quant.scale[i])) continue;
            npu__ethosu_add_role(got, input, "infinite");
            bad = 1;
            break;
        }
    }
    return bad;
}

NPU__FN int npu__ethosu_scale_range(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    const npu_quant *p, *q;
    (void)r;
    if (!out || !npu__has_quant(out)) return 0;
    q = &out->t->quant;
    if (npu__got_too_much(got, q->count)) return 1;
    for (int32_t i = 0; i < q->count; i++) {
        if (q->scale[i] < 1.17549435e-38f) return npu__got_f(got, "output scale %g", (double)q->scale[i]);
    }
    if (!in || !npu__has_quant(in)) return 0;
    p = &in->t->quant;
    if (npu__got_too_much(got, NPU__MAX(p->count, q->count))) return 1;
    for (int32_t i = 0; i < NPU__MAX(p->count, q->count); i++) {
        float a = p->scale[NPU__MIN(i, p->count - 1)], b = q->scale[NPU__MIN(i, q->count - 1)];
        if (npu__ethosu_is_infinite(a / b)) return npu__got_f(got, "scales %g to %g", (double)a, (double)b);
    }
    return 0;
}

NPU__FN void npu__ethosu_quant_text(const npu__val *v, char *out, size_t cap) {
    const npu_quant *q = &v->t->quant;
    if (q->count == 0) npu__format(out, cap, "not quantized");
    else if (q->count > 1) npu__format(out, cap, "%d scales", q->count);
    else npu__format(out, cap, "scale %g zero point %d", (double)q->scale[0], q->zero_point[0]);
}

NPU__FN int npu__ethosu_in_out_quantization(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    char            a[48], b[48];
    (void)r;
    if (!in || !out) return 0;
    if (npu__got_too_much(got, out->t->quant.count)) return 1;
    if (npu__quant_same(&in->t->quant, &out->t->quant)) return 0;
    npu__ethosu_quant_text(in, a, sizeof a);
    npu__ethosu_quant_text(out, b, sizeof b);
    return npu__got_f(got, "%s to %s", a, b);
}

/* Like the one above, with both inputs of MINIMUM and MAXIMUM. */
NPU__FN int npu__ethosu_all_quantization(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    int             bad = 0;
    (void)r;
    for (int32_t role = NPU__ETHOSU_IFM; out && role <= NPU__ETHOSU_IFM2; role++) {
        int32_t         input;
        const npu__val *v = npu__ethosu_role(c, role, &input);
        char            text[48];
        if (!v) continue;
        if (npu__got_too_much(got, v->t->quant.count)) return 1;
        if (npu__quant_same(&v->t->quant, &out->t->quant)) continue;
        npu__ethosu_quant_text(v, text, sizeof text);
        npu__ethosu_add_role(got, input, text);
        bad = 1;
    }
    return bad;
}

/* ---- types ---- */

NPU__FN int npu__ethosu_in_out_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    (void)r;
    return in && out && in->type != out->type && npu__ethosu_got_types(got, in, out);
}

NPU__FN int npu__ethosu_input_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *a = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *b = npu__ethosu_role(c, NPU__ETHOSU_IFM2, NULL);
    char            ta[24], tb[24];
    (void)r;
    if (!a || !b || a->type == b->type) return 0;
    npu__ethosu_type_name(a->type, ta);
    npu__ethosu_type_name(b->type, tb);
    return npu__got_f(got, "%s and %s", ta, tb);
}

NPU__FN int npu__ethosu_signed_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    (void)r;
    if (!in || !out || !npu__ethosu_is_signed(in->type) || npu__ethosu_is_signed(out->type)) return 0;
    return npu__ethosu_got_types(got, in, out);
}

NPU__FN int npu__ethosu_unsigned_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    (void)r;
    if (!in || !out || !npu__ethosu_is_unsigned(in->type)) return 0;
    return in->type != out->type && out->type != NPU_INT32 && npu__ethosu_got_types(got, in, out);
}

NPU__FN int npu__ethosu_input_8bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL);
    char            name[24];
    (void)r;
    if (!v || v->type == NPU_INT8 || v->type == NPU_UINT8) return 0;
    npu__ethosu_type_name(v->type, name);
    return npu__got_f(got, "%s", name);
}

/* ---- options ---- */

NPU__FN int npu__ethosu_beta(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    float beta = NPU__OPTIONS(c->node, SoftmaxOptions)->beta;
    (void)r;
    return !(beta >= 0) && npu__got_f(got, "%g", (double)beta);
}

NPU__FN int npu__ethosu_alpha(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    float alpha = NPU__OPTIONS(c->node, LeakyReluOptions)->alpha;
    (void)r;
    return !(alpha >= 0) && npu__got_f(got, "%g", (double)alpha);
}

#endif
