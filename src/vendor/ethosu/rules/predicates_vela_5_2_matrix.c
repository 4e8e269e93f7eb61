/* Ethos-U predicates of Vela 5.2 about transposition, matrix products and recurrent layers. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- TRANSPOSE ---- */

/* Permutations of the last three axes, as digits: where an axis comes from, counted from the end. */
enum {
    NPU__V52_NHWC = 0x210, NPU__V52_NWHC = 0x120, NPU__V52_NHCW = 0x201, NPU__V52_NWCH = 0x102, NPU__V52_NCHW = 0x021,
    NPU__V52_NCWH = 0x012, NPU__V52_OTHER = -1
};

typedef struct npu__v52_permutation {
    npu__v52_tensor in;
    int32_t         kind, rank; /* rank: of the permutation */
} npu__v52_permutation;

NPU__FN int npu__v52_permutation_of(const npu__ctx *c, npu__v52_permutation *p) {
    npu__v52_tensor perm;
    int32_t         from[3] = {0, 1, 2};
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &p->in) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &perm)) return 0;
    if (!npu__v52_stored(perm.t) || npu__v52_stored_elems(perm.t) > 8) return 0;
    p->rank = (int32_t)npu__v52_stored_elems(perm.t);
    p->kind = NPU__V52_OTHER;
    for (int32_t i = 0; i < p->rank; i++) { /* i: from the end */
        int64_t v = npu__v52_int(perm.t, p->rank - 1 - i);
        int64_t end = v < 0 ? -v - 1 : p->rank - 1 - v;
        if (i >= 3 && end != i) return 1;
        if (i < 3 && (end < 0 || end > 2)) return 1;
        if (i < 3) from[i] = (int32_t)end;
    }
    p->kind = from[2] << 8 | from[1] << 4 | from[0];
    return 1;
}

NPU__FN int npu__ethosu_v52_permutation_size(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor perm;
    if (!npu__v52_find(c, NPU__V52_PARAMS, 0, &perm)) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&perm.shape, 1), got);
}

/* int32 data of at most 4 dimensions. */
NPU__FN int npu__v52_transposes_int32(const npu__ctx *c, npu__v52_permutation *p) {
    return npu__v52_permutation_of(c, p) && p->in.t->type == NPU_INT32 && p->in.shape.rank <= 4;
}

NPU__FN int npu__ethosu_v52_transpose32_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || in.t->type != NPU_INT32) return 0;
    return npu__ethosu_number(r, in.shape.rank, got);
}

NPU__FN int npu__ethosu_v52_transpose32_kind(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_permutation p;
    npu__v52_tensor      perm;
    (void)r;
    if (!npu__v52_transposes_int32(c, &p)) return 0;
    if (p.kind == NPU__V52_NHWC || p.kind == NPU__V52_NWHC || p.kind == NPU__V52_NHCW) return 0;
    if (!npu__v52_find(c, NPU__V52_PARAMS, 0, &perm)) return 0;
    for (int32_t i = 0; i < p.rank; i++) npu__got_add(got, "%l", npu__v52_int(perm.t, i));
    return 1;
}

NPU__FN int npu__ethosu_v52_transpose32_depth(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_permutation p;
    if (!npu__v52_transposes_int32(c, &p) || p.kind != NPU__V52_NHWC) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&p.in.shape, 1), got);
}

NPU__FN int npu__ethosu_v52_transpose32_nwhc(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_permutation p;
    const npu__shape    *s = &p.in.shape;
    (void)r;
    if (!npu__v52_transposes_int32(c, &p) || p.kind != NPU__V52_NWHC) return 0;
    if (npu__v52_axis(s, 4) <= 1 && npu__v52_axis(s, 3) <= 65536 && npu__v52_axis(s, 2) <= 65536 &&
        npu__v52_axis(s, 1) <= 16384) return 0;
    npu__v52_add_shape(got, &p.in);
    return 1;
}

NPU__FN int npu__ethosu_v52_transpose32_nhcw(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_permutation p;
    const npu__shape    *s = &p.in.shape;
    (void)r;
    if (!npu__v52_transposes_int32(c, &p) || p.kind != NPU__V52_NHCW) return 0;
    if (npu__ethosu_product(npu__v52_axis(s, 4), npu__v52_axis(s, 3)) <= 65536 && npu__v52_axis(s, 2) <= 65536 &&
        npu__v52_axis(s, 1) <= 65536) return 0;
    npu__v52_add_shape(got, &p.in);
    return 1;
}

/* 8- and 16-bit data: 1: three axes change places among themselves, 2: more do, 0: none of both. */
NPU__FN int npu__v52_transposes_narrow(const npu__ctx *c, npu__v52_permutation *p) {
    int64_t outer = 1;
    if (!npu__v52_permutation_of(c, p) || npu__v52_bits(p->in.t->type) > 16 || p->kind == NPU__V52_NHWC) return 0;
    for (int32_t i = 0; i < p->in.shape.rank - 3; i++) outer = npu__ethosu_product(outer, p->in.shape.dims[i]);
    switch (p->kind) {
    case NPU__V52_NWHC: case NPU__V52_NHCW: case NPU__V52_NCWH: case NPU__V52_NWCH: case NPU__V52_NCHW:
        return outer == 1 ? 1 : 2;
    default: return 2;
    }
}

NPU__FN int npu__ethosu_v52_transpose_hwc(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_permutation p;
    if (npu__v52_transposes_narrow(c, &p) != 1) return 0;
    for (int32_t i = 1; i <= 3; i++) {
        if (npu__ethosu_number(r, npu__v52_axis(&p.in.shape, i), got)) return 1;
    }
    return 0;
}

/* Every product of all axes but two. */
NPU__FN int npu__ethosu_v52_transpose_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_permutation p;
    int64_t              n;
    if (npu__v52_transposes_narrow(c, &p) != 2) return 0;
    n = npu__v52_elems(&p.in.shape);
    for (int32_t i = 0; n > 0 && i < p.in.shape.rank; i++) {
        for (int32_t k = i + 1; k < p.in.shape.rank; k++) {
            int64_t two = npu__ethosu_product(p.in.shape.dims[i], p.in.shape.dims[k]);
            if (npu__ethosu_number(r, n / two, got)) return 1;
        }
    }
    return 0;
}

/* ---- matrix products: BATCH_MATMUL, and FULLY_CONNECTED with computed weights ---- */

NPU__FN int npu__v52_is_matmul(const npu__ctx *c) {
    npu__v52_tensor w;
    if (c->node->code != NPU__BUILTIN_FULLY_CONNECTED) return 1;
    return npu__v52_find(c, NPU__V52_WEIGHTS, 0, &w) && !npu__v52_stored(w.t);
}

NPU__FN int npu__ethosu_v52_matmul_depth(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int adj_x = c->node->code == NPU__BUILTIN_BATCH_MATMUL &&
                NPU__OPTIONS(c->node, BatchMatMulOptions)->adj_x;
    npu__v52_tensor in;
    if (!npu__v52_is_matmul(c) || !npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&in.shape, adj_x ? 2 : 1), got);
}

NPU__FN int npu__ethosu_v52_matmul_output(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor out;
    if (!npu__v52_is_matmul(c) || !npu__v52_find(c, NPU__V52_OFM, 0, &out)) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&out.shape, 1), got);
}

NPU__FN int npu__ethosu_v52_matmul_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    (void)r;
    if (!npu__v52_is_matmul(c) || !npu__v52_find(c, NPU__V52_IFM, 0, &in) || in.t->type == NPU_INT8) return 0;
    npu__v52_add_type(got, &in);
    return 1;
}

/* ---- UNIDIRECTIONAL_SEQUENCE_LSTM: inputs by position ---- */

/* Inputs [first, last] that are there, or (missing) that are not. */
NPU__FN int npu__v52_lstm_inputs(const npu__ctx *c, int32_t first, int32_t last, int missing, npu__got *got) {
    int bad = 0;
    for (int32_t i = first; i <= last; i++) {
        if ((npu__ethosu_in(c, i) == NULL) != missing) continue;
        npu__got_add(got, missing ? "no input %d" : "input %d", i);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_lstm_gates(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__v52_lstm_inputs(c, 1, 8, 1, got);
}

NPU__FN int npu__ethosu_v52_lstm_peephole(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__v52_lstm_inputs(c, 9, 11, 0, got);
}

NPU__FN int npu__ethosu_v52_lstm_projection(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__v52_lstm_inputs(c, 16, 17, 0, got);
}

NPU__FN int npu__ethosu_v52_lstm_norm(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__v52_lstm_inputs(c, 20, 23, 0, got);
}

#endif
