/* REDUCE_WINDOW, STABLEHLO_REDUCE_WINDOW: a window moves over a tensor; what it sees becomes one element. */
#include "combine.h"
#include "move_util.h"

/* Along each dimension. The tensor is first spread (base) and padded (low, high); neither is ever in memory. */
typedef struct npu__window_walk {
    int32_t rank;
    int64_t size[NPU_MAX_RANK], stride[NPU_MAX_RANK], dilation[NPU_MAX_RANK]; /* of the window */
    int64_t base[NPU_MAX_RANK], low[NPU_MAX_RANK], high[NPU_MAX_RANK];
} npu__window_walk;

/* ---- shapes ---- */

/* How many places there are for the window along dimension d; false where a number is too large or too small. */
NPU__FN int npu__walk_places(const npu__window_walk *w, int32_t d, int32_t dim, int32_t *out) {
    int64_t have = 0, need = 0, n;
    if (w->size[d] < 1 || w->stride[d] < 1 || w->dilation[d] < 1 || w->base[d] < 1) return 0;
    if (w->size[d] > INT32_MAX || w->base[d] > INT32_MAX || w->dilation[d] > INT32_MAX) return 0;
    if (w->low[d] > INT32_MAX || w->low[d] < -INT32_MAX || w->high[d] > INT32_MAX || w->high[d] < -INT32_MAX) return 0;
    need = (w->size[d] - 1) * w->dilation[d] + 1; /* bounded: two of 31 bits */
    if (dim > 0) have = ((int64_t)dim - 1) * w->base[d] + 1;
    have += w->low[d] + w->high[d];
    n = have < need ? 0 : (have - need) / w->stride[d] + 1;
    if (have > INT32_MAX || need > INT32_MAX) return 0;
    *out = (int32_t)n;
    return 1;
}

NPU__FN npu_status npu__walk_shape(npu__ctx *c, const npu__window_walk *w) {
    npu__shape s = c->in[0]->shape;
    for (int32_t d = 0; d < w->rank; d++) {
        if (npu__walk_places(w, d, s.dims[d], &s.dims[d])) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "reduce_window.window", "window, strides and dilations must be at least 1, and "
                         "the padded input and the window at most 2147483647 long: not so in dimension %d", d);
    }
    return npu__set_shape(c, 0, &s);
}

/* The loop for a function of the schema's ReduceWindowFunction; NULL where there is none. */
NPU__FN npu__combine_fn npu__walk_function(int32_t function, int32_t type) {
    static const int32_t ops[7] = {-1, NPU__COMBINE_ADD, NPU__COMBINE_MUL, NPU__COMBINE_MIN_LE, NPU__COMBINE_MAX_GE,
                                   NPU__COMBINE_ALL, NPU__COMBINE_ANY};
    if (function < 1 || function > 6) return NULL;
    return npu__combine_pick(ops[function], type);
}

NPU__FN npu_status npu__walk_check(npu__ctx *c, int32_t function) {
    const int32_t type = c->in[0]->type;
    if (c->in[1]->type != type || c->out[0]->type != type || !npu__combine_pick(NPU__COMBINE_ADD, type)) {
        return npu__fail_types(c);
    }
    if (npu__elems(c->in[1]) != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "reduce_window.init", "the first value must be one number: got %l",
                         npu__elems(c->in[1]));
    }
    if (npu__walk_function(function, type)) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "reduce_window.function", "windows can be summed, multiplied, and reduced by MINIMUM, "
                     "MAXIMUM, AND and OR");
}

/* ---- one window ---- */

typedef struct npu__walk_run {
    const npu__window_walk *w;
    npu__combine_fn         fn;
    const uint8_t          *in;
    const void             *pad;
    size_t                  elem;
    int64_t                 stride[NPU_MAX_RANK]; /* of the input */
    int64_t                 done;
} npu__walk_run;

/* n elements, `step` apart (0: padding), join *acc. */
NPU__FN npu_status npu__walk_fold(npu__ctx *c, npu__walk_run *r, void *acc, const uint8_t *from, int64_t n, int64_t step) {
    for (int64_t i = 0, some; i < n; i += some) {
        some = NPU__MIN(n - i, (int64_t)NPU__POLL_STEPS);
        r->fn(acc, from + i * step * (int64_t)r->elem, some, 0, step);
        NPU__POLL_PASS(c, r->done, some);
    }
    return NPU_OK;
}

/* Where position `at` of the padded input lies in dimension d of the input; -1: it is padding. */
NPU__INLINE int64_t npu__walk_at(const npu__window_walk *w, int32_t d, int32_t dim, int64_t at) {
    at -= w->low[d];
    if (at < 0 || at % w->base[d] != 0 || at / w->base[d] >= dim) return -1;
    return at / w->base[d];
}

/* The window's part in the last dimension, from position `at`; `from`: where the other dimensions begin, -1 in padding. */
NPU__FN npu_status npu__walk_row(npu__ctx *c, npu__walk_run *r, void *acc, int64_t from, int64_t at) {
    const npu__window_walk *w = r->w;
    const int32_t           last = w->rank - 1, dim = c->in[0]->shape.dims[last];
    const int64_t           n = w->size[last], step = w->dilation[last];
    const uint8_t          *pad = (const uint8_t *)r->pad;
    if (from < 0) return npu__walk_fold(c, r, acc, pad, n, 0);
    if (w->base[last] > 1) {
        for (int64_t k = 0; k < n; k++) {
            const int64_t i = npu__walk_at(w, last, dim, at + k * step);
            NPU__TRY(npu__walk_fold(c, r, acc, i < 0 ? pad : r->in + (size_t)(from + i) * r->elem, 1, 0));
        }
        return NPU_OK;
    }
    {
        /* [first, end) of the window is inside. */
        const int64_t begin = at - w->low[last];
        int64_t       first = begin >= 0 ? 0 : (-begin - 1) / step + 1, end = begin >= dim ? 0 : (dim - begin - 1) / step + 1;
        first = NPU__MIN(first, n);
        end = NPU__MAX(NPU__MIN(end, n), first);
        NPU__TRY(npu__walk_fold(c, r, acc, pad, first, 0));
        if (end > first) {
            NPU__TRY(npu__walk_fold(c, r, acc, r->in + (size_t)(from + begin + first * step) * r->elem, end - first, step));
        }
        return npu__walk_fold(c, r, acc, pad, n - end, 0);
    }
}

/* The window at output position o[]. */
NPU__FN npu_status npu__walk_window(npu__ctx *c, npu__walk_run *r, const int64_t *o, void *acc) {
    const npu__window_walk *w = r->w;
    const int32_t           last = w->rank - 1;
    int64_t                 k[NPU_MAX_RANK];
    int32_t                 d;
    memset(k, 0, sizeof k);
    do {
        int64_t from = 0;
        for (d = 0; d < last && from >= 0; d++) {
            const int64_t i = npu__walk_at(w, d, c->in[0]->shape.dims[d], o[d] * w->stride[d] + k[d] * w->dilation[d]);
            from = i < 0 ? -1 : from + i * r->stride[d];
        }
        NPU__TRY(npu__walk_row(c, r, acc, from, o[last] * w->stride[last]));
        NPU__POLL_PASS(c, r->done, w->rank);
        for (d = last - 1; d >= 0; d--) {
            if (++k[d] < w->size[d]) break;
            k[d] = 0;
        }
    } while (d >= 0);
    return NPU_OK;
}

NPU__FN npu_status npu__walk_eval(npu__ctx *c, const npu__window_walk *w, int32_t function) {
    const npu__val *out = c->out[0];
    int64_t         o[NPU_MAX_RANK];
    npu__walk_run   r;
    if (out->bytes == 0) return NPU_OK;
    memset(o, 0, sizeof o);
    memset(&r, 0, sizeof r);
    r.w = w;
    r.fn = npu__walk_function(function, out->type);
    r.in = (const uint8_t *)c->in[0]->data;
    r.pad = c->in[1]->data;
    r.elem = npu__elem_bytes(out->type);
    npu__dense_strides(&c->in[0]->shape, r.stride);
    for (int64_t i = 0; i < npu__elems(out); i++) {
        uint8_t *to = (uint8_t *)out->data + (size_t)i * r.elem;
        memcpy(to, r.pad, r.elem);
        NPU__TRY(npu__walk_window(c, &r, o, to));
        for (int32_t d = w->rank - 1; d >= 0; d--) {
            if (++o[d] < out->shape.dims[d]) break;
            o[d] = 0;
        }
    }
    return NPU_OK;
}

NPU__FN npu__work npu__walk_work(const npu__ctx *c, const npu__window_walk *w) {
    int64_t n = 1;
    for (int32_t d = 0; d < w->rank; d++) n = npu__sat_mul(n, w->size[d]);
    return npu__work_steps(c, npu__sat_mul(npu__elems(c->out[0]), n));
}

/* ---- REDUCE_WINDOW ---- */

NPU__FN void npu__reduce_window_read(const npu__ctx *c, npu__window_walk *w) {
    memset(w, 0, sizeof *w);
    w->rank = c->in[0]->shape.rank;
    for (int32_t d = 0; d < w->rank; d++) {
        w->size[d] = npu__int_at(c->in[2], d);
        w->stride[d] = npu__int_at(c->in[3], d);
        w->dilation[d] = npu__int_at(c->in[4], d);
        w->base[d] = 1;
    }
}

NPU__FN npu_status npu__reduce_window_infer(npu__ctx *c) {
    npu__window_walk w;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    for (int32_t i = 2; i < 5; i++) {
        NPU__TRY(npu__need_type(c, c->in[i], "the window", NPU_INT64));
        if (npu__elems(c->in[i]) != c->in[0]->shape.rank) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "reduce_window.size", "window, strides and dilations must have %d numbers",
                             c->in[0]->shape.rank);
        }
    }
    for (int32_t i = 2; i < 5; i++) if (!npu__values_known(c->in[i])) return NPU__DYNAMIC;
    npu__reduce_window_read(c, &w);
    return npu__walk_shape(c, &w);
}

NPU__FN npu_status npu__reduce_window_prepare(npu__ctx *c) {
    return npu__walk_check(c, NPU__OPTIONS(c->node, ReduceWindowOptions)->reduce_function);
}

NPU__FN npu_status npu__reduce_window_eval(npu__ctx *c) {
    npu__window_walk w;
    npu__reduce_window_read(c, &w);
    return npu__walk_eval(c, &w, NPU__OPTIONS(c->node, ReduceWindowOptions)->reduce_function);
}

/* The window may be an input: then as many steps as if it saw everything. */
NPU__FN npu__work npu__reduce_window_work(const npu__ctx *c) {
    npu__window_walk w;
    if (!c->in[2]->data) return npu__work_steps(c, npu__sat_mul(npu__elems(c->out[0]), npu__elems(c->in[0])));
    npu__reduce_window_read(c, &w);
    return npu__walk_work(c, &w);
}

NPU__OPDEF(npu__op_reduce_window) = {5, 5, 1, 1, 0, 0, NPU__NO_DATA, npu__reduce_window_infer, npu__reduce_window_prepare,
                                     NULL, npu__reduce_window_eval, npu__reduce_window_work};

/* ---- STABLEHLO_REDUCE_WINDOW: the function is a subgraph of one operator ---- */

NPU__FN npu_status npu__stablehlo_window_read(npu__ctx *c, npu__window_walk *w) {
    const npu__opts_StablehloReduceWindowOptions *o = NPU__OPTIONS(c->node, StablehloReduceWindowOptions);
    const int64_t                                 rank = c->in[0]->shape.rank;
    memset(w, 0, sizeof *w);
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    /* Left out, all but the window's size have their defaults. */
    if ((int64_t)o->window_dimensions.n != rank || (o->window_strides.n && (int64_t)o->window_strides.n != rank) ||
        (o->base_dilations.n && (int64_t)o->base_dilations.n != rank) ||
        (o->window_dilations.n && (int64_t)o->window_dilations.n != rank) ||
        (o->padding.n && (int64_t)o->padding.n != 2 * rank)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "reduce_window.options", "windows, strides and dilations must have %l numbers, "
                         "paddings twice as many", rank);
    }
    w->rank = (int32_t)rank;
    for (uint32_t d = 0; d < (uint32_t)rank; d++) {
        w->size[d] = npu__vec_i64(o->window_dimensions, d);
        w->stride[d] = o->window_strides.n ? npu__vec_i64(o->window_strides, d) : 1;
        w->base[d] = o->base_dilations.n ? npu__vec_i64(o->base_dilations, d) : 1;
        w->dilation[d] = o->window_dilations.n ? npu__vec_i64(o->window_dilations, d) : 1;
        w->low[d] = o->padding.n ? npu__vec_i64(o->padding, 2 * d) : 0;
        w->high[d] = o->padding.n ? npu__vec_i64(o->padding, 2 * d + 1) : 0;
    }
    return NPU_OK;
}

/* As a number of the schema's ReduceWindowFunction; 0: none of these. */
NPU__FN int32_t npu__stablehlo_window_function(const npu__ctx *c) {
    const npu__subgraph *body =
        npu__ctx_subgraph(c, NPU__OPTIONS(c->node, StablehloReduceWindowOptions)->body_subgraph_index);
    if (!body || body->n_nodes != 1) return 0;
    switch (body->nodes[0].code) {
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_STABLEHLO_ADD: return 1;
    case NPU__BUILTIN_MUL: case NPU__BUILTIN_STABLEHLO_MULTIPLY: return 2;
    case NPU__BUILTIN_MINIMUM: case NPU__BUILTIN_STABLEHLO_MINIMUM: return 3;
    case NPU__BUILTIN_MAXIMUM: case NPU__BUILTIN_STABLEHLO_MAXIMUM: return 4;
    case NPU__BUILTIN_LOGICAL_AND: case NPU__BUILTIN_STABLEHLO_AND: return 5;
    case NPU__BUILTIN_LOGICAL_OR: case NPU__BUILTIN_STABLEHLO_OR: return 6;
    default: return 0;
    }
}

NPU__FN npu_status npu__stablehlo_window_infer(npu__ctx *c) {
    npu__window_walk w;
    NPU__TRY(npu__stablehlo_window_read(c, &w));
    return npu__walk_shape(c, &w);
}

NPU__FN npu_status npu__stablehlo_window_prepare(npu__ctx *c) {
    return npu__walk_check(c, npu__stablehlo_window_function(c));
}

NPU__FN npu_status npu__stablehlo_window_eval(npu__ctx *c) {
    npu__window_walk w;
    NPU__TRY(npu__stablehlo_window_read(c, &w));
    return npu__walk_eval(c, &w, npu__stablehlo_window_function(c));
}

NPU__FN npu__work npu__stablehlo_window_work(const npu__ctx *c) {
    const npu__vec   size = NPU__OPTIONS(c->node, StablehloReduceWindowOptions)->window_dimensions;
    npu__window_walk w;
    memset(&w, 0, sizeof w);
    w.rank = c->in[0]->shape.rank;
    for (uint32_t d = 0; d < (uint32_t)w.rank; d++) w.size[d] = npu__vec_i64(size, d);
    return npu__walk_work(c, &w);
}

NPU__OPDEF(npu__op_stablehlo_reduce_window) = {2, 2, 1, 1, 0, 0, NPU__NO_DATA, npu__stablehlo_window_infer,
                                               npu__stablehlo_window_prepare, NULL, npu__stablehlo_window_eval,
                                               npu__stablehlo_window_work};
