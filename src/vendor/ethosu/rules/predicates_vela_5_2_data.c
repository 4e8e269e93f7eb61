/* Ethos-U predicates of Vela 5.2 about operators that move, pick or reduce data. */
#include "look_vela_5_2.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- parameters ---- */

NPU__FN int npu__ethosu_v52_params_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        if (!npu__v52_at(c, i, &v) || v.role != NPU__V52_PARAMS || npu__v52_stored(v.t)) continue;
        npu__v52_add(got, &v, "computed while running");
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_v52_paddings_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_PARAMS, 0, &v) || v.t->type == NPU_INT32 || v.t->type == NPU_INT64) return 0;
    npu__v52_add_type(got, &v);
    return 1;
}

/* ---- equal shapes and types ---- */

NPU__FN int npu__ethosu_v52_same_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    if (!npu__v52_in_out(c, &in, &out) || npu__shape_eq(&in.shape, &out.shape)) return 0;
    npu__v52_add_shape(got, &in);
    npu__v52_add_shape(got, &out);
    return 1;
}

/* ELU: int8; GELU: int8 and uint8; LOG, RSQRT: int8 and int16; MEAN: all three. */
NPU__FN int npu__v52_table_type(int32_t code, int32_t type) {
    if (type == NPU_UINT8) return code == NPU__BUILTIN_GELU || code == NPU__BUILTIN_MEAN;
    if (type == NPU_INT16) return code == NPU__BUILTIN_LOG || code == NPU__BUILTIN_RSQRT || code == NPU__BUILTIN_MEAN;
    return type == NPU_INT8;
}

NPU__FN int npu__ethosu_v52_input_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || npu__v52_table_type(c->node->code, in.t->type)) return 0;
    npu__v52_add_type(got, &in);
    return 1;
}

NPU__FN int npu__ethosu_v52_table_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, out;
    (void)r;
    if (!npu__v52_in_out(c, &in, &out)) return 0;
    if (npu__v52_table_type(c->node->code, in.t->type) && in.t->type == out.t->type) return 0;
    npu__v52_add_type(got, &in);
    npu__v52_add_type(got, &out);
    return 1;
}

NPU__FN int npu__ethosu_v52_softmax_area(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    return npu__ethosu_number(r, npu__ethosu_product(npu__v52_axis(&in.shape, 2), npu__v52_axis(&in.shape, 3)), got);
}

/* ---- reductions ---- */

typedef struct npu__v52_mean {
    npu__v52_tensor in;
    int32_t         rank;                     /* at least 4: missing axes in front are 1 and not reduced */
    int64_t         dims[NPU_MAX_RANK + 4];
    uint8_t         reduced[NPU_MAX_RANK + 4];
} npu__v52_mean;

/* False when the axes are not known, or are none. */
NPU__FN int npu__v52_mean_of(const npu__ctx *c, npu__v52_mean *m) {
    npu__v52_tensor axes;
    int32_t         front;
    memset(m, 0, sizeof *m);
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &m->in) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &axes)) return 0;
    if (!npu__v52_stored(axes.t)) return 0;
    m->rank = NPU__MAX(m->in.shape.rank, 4);
    front = m->rank - m->in.shape.rank;
    for (int32_t i = 0; i < m->rank; i++) m->dims[i] = i < front ? 1 : m->in.shape.dims[i - front];
    for (int64_t i = 0; i < NPU__MIN(npu__v52_stored_elems(axes.t), (int64_t)64); i++) {
        const int32_t axis = npu__axis_in(npu__v52_int(axes.t, i), m->in.shape.rank);
        if (axis >= 0) m->reduced[axis + front] = 1;
    }
    return 1;
}

NPU__FN int npu__ethosu_v52_mean_batch(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&in.shape, 4), got);
}

NPU__FN int npu__ethosu_v52_mean_depth(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_mean m;
    (void)r;
    if (!npu__v52_mean_of(c, &m) || !m.reduced[m.rank - 1]) return 0;
    for (int32_t i = 1; i < 4; i++) {
        if (m.dims[i] == 1) return 0;
    }
    npu__v52_add_shape(got, &m.in);
    return 1;
}

NPU__FN int npu__ethosu_v52_mean_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_mean m;
    int64_t       largest = 0;
    if (!npu__v52_mean_of(c, &m)) return 0;
    for (int32_t i = m.rank - 4; i < m.rank; i++) {
        if (m.reduced[i]) largest = NPU__MAX(largest, m.dims[i]);
    }
    return npu__ethosu_number(r, largest, got);
}

NPU__FN int npu__v52_mean_elems(const npu__rule *r, const npu__ctx *c, int32_t type, npu__got *got) {
    npu__v52_mean m;
    int64_t       n = 1;
    if (!npu__v52_mean_of(c, &m) || m.in.t->type != type) return 0;
    for (int32_t i = 0; i < m.rank; i++) n = m.reduced[i] ? npu__ethosu_product(n, m.dims[i]) : n;
    return npu__ethosu_number(r, n, got);
}

NPU__FN int npu__ethosu_v52_mean_int8(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_mean_elems(r, c, NPU_INT8, got);
}

NPU__FN int npu__ethosu_v52_mean_uint8(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_mean_elems(r, c, NPU_UINT8, got);
}

NPU__FN int npu__ethosu_v52_mean_int16(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__v52_mean_elems(r, c, NPU_INT16, got);
}

NPU__FN int npu__ethosu_v52_argmax_depth(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&in.shape, 1), got);
}

NPU__FN int npu__ethosu_v52_argmax_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor in, axis;
    int64_t         a;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in) || !npu__v52_find(c, NPU__V52_PARAMS, 0, &axis)) return 0;
    if (!npu__v52_stored(axis.t)) return npu__got_f(got, "computed while running");
    a = npu__v52_int(axis.t, 0);
    if (a == -1 || a == in.shape.rank - 1) return 0;
    return npu__got_f(got, "axis %l of %d dimensions", a, in.shape.rank);
}

NPU__FN int npu__ethosu_v52_reverse(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor axes;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_PARAMS, 0, &axes)) return 0;
    if (npu__v52_elems(&axes.t->shape) == 0) return 0; /* the model row speaks of those */
    if (!npu__v52_stored(axes.t)) return npu__got_f(got, "computed while running");
    return npu__got_f(got, "axis %l", npu__v52_int(axes.t, 0));
}

/* ---- slices ---- */

typedef struct npu__v52_slice {
    int32_t rank;
    int64_t stride[NPU_MAX_RANK], size[NPU_MAX_RANK];
} npu__v52_slice;

/* Bit i of a mask of the options; masks have 32 bits. */
NPU__FN int npu__v52_mask(int32_t mask, int32_t i) {
    return i < 32 && (((uint32_t)mask >> i) & 1u) != 0;
}

/* One entry of the begin, end and stride tensors, applied to axis k. */
NPU__FN void npu__v52_slice_axis(const npu__ctx *c, const npu__v52_tensor p[3], int64_t dim, int32_t i, int32_t k,
                                 npu__v52_slice *s) {
    int     shrink = npu__v52_mask(NPU__OPTIONS(c->node, StridedSliceOptions)->shrink_axis_mask, i);
    int64_t begin = 0;
    if (!npu__v52_mask(NPU__OPTIONS(c->node, StridedSliceOptions)->begin_mask, i) || shrink) {
        begin = npu__v52_int(p[0].t, i);
        if (begin < 0) begin += dim;
        begin = NPU__MAX(NPU__MIN(begin, dim - 1), (int64_t)0);
        s->size[k] = shrink ? 1 : dim - begin;
    }
    if (!npu__v52_mask(NPU__OPTIONS(c->node, StridedSliceOptions)->end_mask, i) && !shrink) {
        int64_t end = npu__v52_int(p[1].t, i);
        if (end < 0) end += dim;
        s->size[k] = NPU__MAX(NPU__MIN(end, dim), (int64_t)1) - begin;
    }
    s->stride[k] = npu__v52_int(p[2].t, i);
}

/* As the converter reads it, new axes included (it takes them for axes of the input). False: not known. */
NPU__FN int npu__v52_slice_of(const npu__ctx *c, npu__v52_slice *s) {
    npu__v52_tensor in, p[3];
    int64_t         n = INT32_MAX;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    for (int32_t i = 0; i < 3; i++) {
        if (!npu__v52_find(c, NPU__V52_PARAMS, i, &p[i]) || !npu__v52_stored(p[i].t)) return 0;
        n = NPU__MIN(n, npu__v52_stored_elems(p[i].t));
    }
    n = NPU__MIN(n, (int64_t)32);
    s->rank = in.shape.rank;
    for (int32_t k = 0; k < s->rank; k++) {
        s->stride[k] = 1;
        s->size[k] = in.shape.dims[k];
    }
    for (int32_t i = 0, k = 0; i < n; i++) {
        if (npu__v52_mask(NPU__OPTIONS(c->node, StridedSliceOptions)->ellipsis_mask, i)) {
            k = s->rank - ((int32_t)n - i - 1);
            if (k < 0) return 0;
        } else {
            if (k < s->rank) npu__v52_slice_axis(c, p, in.shape.dims[k], i, k, s);
            k++;
        }
    }
    return 1;
}

NPU__FN int npu__v52_got_list(npu__got *got, const int64_t *v, int32_t n) {
    for (int32_t i = 0; i < n; i++) npu__got_add(got, "%l", v[i]);
    return 1;
}

NPU__FN int npu__ethosu_v52_slice_axes(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_slice s;
    int64_t        product = 1;
    (void)r;
    if (!npu__v52_slice_of(c, &s)) return 0;
    for (int32_t k = 0; k < s.rank; k++) { /* height and width: third and second from the end */
        if (k != s.rank - 2 && k != s.rank - 3 && s.stride[k] != 1) product = s.stride[k] == -1 ? -product : 0;
    }
    return product == 1 ? 0 : npu__v52_got_list(got, s.stride, s.rank);
}

NPU__FN int npu__ethosu_v52_slice_forward(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_slice s;
    (void)r;
    if (!npu__v52_slice_of(c, &s)) return 0;
    for (int32_t k = 0; k < s.rank; k++) {
        if (s.stride[k] < 0) return npu__v52_got_list(got, s.stride, s.rank);
    }
    return 0;
}

NPU__FN int npu__ethosu_v52_slice_volume(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_slice s;
    (void)r;
    if (!npu__v52_slice_of(c, &s)) return 0;
    for (int32_t k = 0; k < s.rank; k++) {
        if (s.size[k] > 0) return 0;
    }
    return s.rank ? npu__v52_got_list(got, s.size, s.rank) : npu__got_f(got, "none");
}

NPU__FN int npu__ethosu_v52_splits(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int     even = c->node->code == NPU__BUILTIN_SPLIT;
    int32_t n = even ? NPU__OPTIONS(c->node, SplitOptions)->num_splits : NPU__OPTIONS(c->node, SplitVOptions)->num_splits;
    (void)r;
    return n == c->n_out ? 0 : npu__got_f(got, "%d for %d outputs", n, c->n_out);
}

/* ---- gather and scatter ---- */

NPU__FN int npu__ethosu_v52_gather_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t         axis = NPU__OPTIONS(c->node, GatherOptions)->axis;
    int32_t         batch = NPU__OPTIONS(c->node, GatherOptions)->batch_dims;
    npu__v52_tensor in;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &in)) return 0;
    if (axis < 0 && axis >= -NPU_MAX_RANK) axis += in.shape.rank;
    return axis == batch ? 0 : npu__got_f(got, "axis %d, batch_dims %d", axis, batch);
}

NPU__FN int npu__ethosu_v52_scatter_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_PARAMS, 0, &v)) return npu__got_f(got, "no shape");
    return npu__v52_stored(v.t) ? 0 : npu__got_f(got, "computed while running");
}

NPU__FN int npu__ethosu_v52_scatter_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &v)) return 0;
    return npu__v52_stored(v.t) ? 0 : npu__got_f(got, "computed while running");
}

NPU__FN int npu__ethosu_v52_scatter_depth(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &v)) return 0;
    return npu__ethosu_number(r, npu__v52_axis(&v.shape, 1), got);
}

/* Looks at values in windows of this many, with a bit for each; nothing can be allocated here. */
enum { NPU__V52_WINDOW = 1 << 15 };

/* The first value found twice among those in [low, low + window); *next: the lowest one above, INT64_MAX for none. */
NPU__FN int npu__v52_twice(const npu__tensor *t, int64_t n, int64_t low, int64_t *value, int64_t *next) {
    uint32_t seen[NPU__V52_WINDOW / 32];
    memset(seen, 0, sizeof seen);
    *next = INT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        int64_t  v = npu__v52_int(t, i) - low;
        uint32_t bit;
        if (v >= NPU__V52_WINDOW) *next = NPU__MIN(*next, v + low);
        if (v < 0 || v >= NPU__V52_WINDOW) continue;
        bit = 1u << (v & 31);
        if (seen[v >> 5] & bit) {
            *value = v + low;
            return 1;
        }
        seen[v >> 5] |= bit;
    }
    return 0;
}

NPU__FN int npu__ethosu_v52_scatter_unique(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__v52_tensor v;
    int64_t         n, at = INT64_MAX, next, twice = 0;
    (void)r;
    if (!npu__v52_find(c, NPU__V52_IFM, 0, &v) || !npu__v52_stored(v.t) || v.t->type != NPU_INT32) return 0;
    n = npu__v52_stored_elems(v.t);
    if (npu__got_too_much(got, n)) return 1;
    for (int64_t i = 0; i < n; i++) at = NPU__MIN(at, npu__v52_int(v.t, i));
    for (; at < INT64_MAX; at = next) { /* windows without any value are skipped */
        if (npu__got_too_much(got, n + NPU__V52_WINDOW / 128)) return 1;
        if (npu__v52_twice(v.t, n, at, &twice, &next)) return npu__got_f(got, "%l twice", twice);
    }
    return 0;
}

#endif
