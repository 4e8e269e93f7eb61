/* Ethos-U predicates of Vela 5.2 about the model: what it checks ("semantics") before it reads a network at all.
 *
 * These look at shapes as stored, where no dimensions are one of length 1. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN npu__shape npu__v52_file_shape(const npu__tensor *t) {
    npu__shape s = t->shape;
    if (s.rank > 0) return s;
    s.rank = 1;
    s.dims[0] = 1;
    return s;
}

/* First and second input and output, with shapes as stored; false when one of those asked for is missing. */
NPU__FN int npu__v52_stored_pair(const npu__ctx *c, npu__v52_tensor *in, npu__v52_tensor *out) {
    if (!npu__v52_in_out(c, in, out)) return 0;
    in->shape = npu__v52_file_shape(in->t);
    out->shape = npu__v52_file_shape(out->t);
    return 1;
}

NPU__FN int npu__v52_stored_second(const npu__ctx *c, npu__v52_tensor *b) {
    if (!npu__v52_find(c, NPU__V52_IFM, 1, b)) return 0;
    b->shape = npu__v52_file_shape(b->t);
    return 1;
}

NPU__FN int npu__v52_got_shapes(npu__got *got, const npu__v52_tensor *a, const npu__v52_tensor *b) {
    npu__v52_add_shape(got, a);
    npu__v52_add_shape(got, b);
    return 1;
}

NPU__FN int npu__v52_got_types(npu__got *got, const npu__v52_tensor *a, const npu__v52_tensor *b) {
    npu__v52_add_type(got, a);
    npu__v52_add_type(got, b);
    return 1;
}

/* ---- quantization ---- */

NPU__FN int npu__v52_finite(float v) { return v - v <= 0.0f && v - v >= 0.0f; }

NPU__FN int npu__ethosu_v52_scale_finite(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < npu__v52_count(c); i++) {
        if (!npu__v52_at(c, i, &v)) continue;
        if (npu__got_too_much(got, v.t->quant.count)) return 1;
        for (int32_t k = 0; k < v.t->quant.count; k++) {
            if (npu__v52_finite(v.t->quant.scale[k])) continue;
            npu__v52_add(got, &v, "not finite");
            bad = 1;
            break;
        }
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_scale_ratio(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    float           a, b;
    (void)r;
    if (!npu__v52_in_out(c, &in, &out) || in.t->quant.count < 1 || out.t->quant.count < 1) return 0;
    a = in.t->quant.scale[0];
    b = out.t->quant.scale[0];
    if ((b < 0.0f || b > 0.0f) && npu__v52_finite(a / b)) return 0;
    return npu__got_f(got, "%g / %g", (double)a, (double)b);
}

NPU__FN int npu__ethosu_v52_same_scale(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    float           a, b;
    (void)r;
    if (!npu__v52_in_out(c, &in, &out) || in.t->quant.count < 1 || out.t->quant.count < 1) return 0;
    a = in.t->quant.scale[0];
    b = out.t->quant.scale[0];
    return a < b || a > b ? npu__got_f(got, "%g and %g", (double)a, (double)b) : 0;
}

/* ---- types ---- */

NPU__FN int npu__ethosu_v52_same_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    return npu__v52_in_out(c, &in, &out) && in.t->type != out.t->type && npu__v52_got_types(got, &in, &out);
}

NPU__FN int npu__ethosu_v52_softmax_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    if (!npu__v52_in_out(c, &in, &out) || in.t->type == out.t->type) return 0;
    return !(in.t->type == NPU_INT8 && out.t->type == NPU_INT16) && npu__v52_got_types(got, &in, &out);
}

NPU__FN int npu__ethosu_v52_inputs_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out, b;
    (void)r;
    return npu__v52_in_out(c, &in, &out) && npu__v52_find(c, NPU__V52_IFM, 1, &b) && in.t->type != b.t->type &&
           npu__v52_got_types(got, &in, &b);
}

NPU__FN int npu__v52_is_signed(int32_t type) { return type == NPU_INT4 || npu__ethosu_is_signed(type); }

NPU__FN int npu__ethosu_v52_signed(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    return npu__v52_in_out(c, &in, &out) && npu__v52_is_signed(in.t->type) && !npu__v52_is_signed(out.t->type) &&
           npu__v52_got_types(got, &in, &out);
}

NPU__FN int npu__ethosu_v52_unsigned(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    return npu__v52_in_out(c, &in, &out) && npu__ethosu_is_unsigned(in.t->type) && out.t->type != in.t->type &&
           out.t->type != NPU_INT32 && npu__v52_got_types(got, &in, &out);
}

/* Is the type one of these, each 0 .. 31? */
NPU__FN int npu__v52_type_in(const npu__v52_tensor *v, uint32_t types, npu__got *got) {
    if (v->t->type >= 0 && v->t->type < 32 && ((types >> v->t->type) & 1u)) return 0;
    npu__v52_add_type(got, v);
    return 1;
}

NPU__FN int npu__ethosu_v52_input_8bit(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    (void)r;
    return npu__v52_find(c, NPU__V52_IFM, 0, &in) && npu__v52_type_in(&in, 1u << NPU_INT8 | 1u << NPU_UINT8, got);
}

NPU__FN int npu__ethosu_v52_input_signed(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    (void)r;
    return npu__v52_find(c, NPU__V52_IFM, 0, &in) && npu__v52_type_in(&in, 1u << NPU_INT8 | 1u << NPU_INT16, got);
}

NPU__FN int npu__ethosu_v52_argmax_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor out;
    (void)r;
    return npu__v52_find(c, NPU__V52_OFM, 0, &out) && npu__v52_type_in(&out, 1u << NPU_INT32 | 1u << NPU_INT64, got);
}

NPU__FN int npu__ethosu_v52_gather_index(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor b;
    (void)r;
    return npu__v52_find(c, NPU__V52_IFM, 1, &b) &&
           npu__v52_type_in(&b, 1u << NPU_INT16 | 1u << NPU_INT32 | 1u << NPU_INT64, got);
}

NPU__FN int npu__ethosu_v52_permutation_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor p;
    (void)r;
    return npu__v52_find(c, NPU__V52_PARAMS, 0, &p) && npu__v52_type_in(&p, 1u << NPU_INT32 | 1u << NPU_UINT32, got);
}

/* ---- shapes ---- */

NPU__FN int npu__ethosu_v52_stored_shapes(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    return npu__v52_stored_pair(c, &in, &out) && !npu__shape_eq(&in.shape, &out.shape) &&
           npu__v52_got_shapes(got, &in, &out);
}

NPU__FN npu__shape npu__v52_padded(const npu__shape *s, int32_t rank) {
    npu__shape p = *s;
    if (s->rank >= rank) return p;
    p.rank = rank;
    for (int32_t i = 0; i < rank; i++) p.dims[i] = i < rank - s->rank ? 1 : s->dims[i - (rank - s->rank)];
    return p;
}

NPU__FN int npu__ethosu_v52_either_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out, second;
    npu__shape      a, b, o, both;
    int             two, fits = 1;
    (void)r;
    if (!npu__v52_stored_pair(c, &in, &out)) return 0;
    two = npu__v52_stored_second(c, &second);
    a = npu__v52_padded(&in.shape, 4);
    o = npu__v52_padded(&out.shape, 4);
    if (npu__shape_eq(&a, &o)) return 0;
    if (two) {
        b = npu__v52_padded(&second.shape, 4);
        both = npu__v52_union(&a, &b);
        for (int32_t i = 0; i < NPU__MIN(a.rank, b.rank); i++) {
            fits = fits && (a.dims[i] == b.dims[i] || a.dims[i] == 1 || b.dims[i] == 1);
        }
        if (npu__shape_eq(&b, &o) || (fits && npu__shape_eq(&both, &o))) return 0;
    }
    npu__v52_add_shape(got, &in);
    if (two) npu__v52_add_shape(got, &second);
    npu__v52_add_shape(got, &out);
    return 1;
}

/* Sizes that may change are not compared, the first dimension's apart. */
NPU__FN int npu__v52_resizable(const npu__tensor *t) {
    for (int32_t i = t->signature.rank > 1 ? 1 : 0; i < t->signature.rank; i++) {
        if (t->signature.dims[i] < 0) return 1;
    }
    return 0;
}

NPU__FN int npu__ethosu_v52_same_elements(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    if (!npu__v52_stored_pair(c, &in, &out) || npu__v52_resizable(in.t) || npu__v52_resizable(out.t)) return 0;
    return npu__v52_elems(&in.shape) != npu__v52_elems(&out.shape) && npu__v52_got_shapes(got, &in, &out);
}

NPU__FN int npu__ethosu_v52_same_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    if (!NPU__OPTIONS(c->node, FullyConnectedOptions)->keep_num_dims) return 0;
    return npu__v52_stored_pair(c, &in, &out) && in.shape.rank != out.shape.rank && npu__v52_got_shapes(got, &in, &out);
}

NPU__FN int npu__ethosu_v52_rank_3(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    return npu__v52_stored_pair(c, &in, &out) && !(in.shape.rank == 3 && out.shape.rank == 3) &&
           npu__v52_got_shapes(got, &in, &out);
}

NPU__FN int npu__ethosu_v52_permutation_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, p;
    npu__shape      s, n;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &p)) return 0;
    s = npu__v52_file_shape(in.t);
    n = npu__v52_file_shape(p.t);
    if (npu__v52_axis(&n, 1) == s.rank) return 0;
    return npu__got_f(got, "%l for %d dimensions", npu__v52_axis(&n, 1), s.rank);
}

/* ---- how many ---- */

NPU__FN int npu__ethosu_v52_input_count(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, c->n_in, got);
}

NPU__FN int npu__ethosu_v52_mid_count(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, c->n_mid, got);
}

NPU__FN int npu__ethosu_v52_beta(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    float beta = NPU__OPTIONS(c->node, SoftmaxOptions)->beta;
    (void)r;
    return beta < 0.0f ? npu__got_f(got, "%g", (double)beta) : 0;
}

#endif
