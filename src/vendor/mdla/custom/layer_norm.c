/* MTK_LAYER_NORMALIZATION. Assumed: (x - mean) / sqrt(variance + epsilon) * gamma + beta, mean and variance over the axes of the
 * option "axis" (a number or a list; negative ones count from the end; default -1), which must be the last dimensions; "epsilon"
 * (default 0.001). Inputs: x, gamma and beta, the latter two with as many elements as these dimensions, or left out. Integers are
 * taken by their scales; sums are of double precision, in the order of memory. */
#include "real.h"

#if NPU__HAS_MDLA

typedef struct npu__mtk_norm {
    int64_t rows, n; /* elements over which a mean goes */
    double  epsilon;
} npu__mtk_norm;

NPU__FN npu_status npu__mtk_norm_bad_axis(npu__ctx *c) {
    return NPU__FAIL(c, NPU_INVALID_MODEL, "layer_normalization.axis", "option \"axis\" must be the last dimensions of the %d, each "
                     "once", c->in[0]->shape.rank);
}

/* The first of the dimensions that are normalized. */
NPU__FN npu_status npu__mtk_norm_axes(npu__ctx *c, int32_t *first) {
    const npu__flex v = npu__custom_option(c->node, "axis");
    const int       list = npu__flex_kind_of(v) == NPU__FLEX_VEC;
    const uint32_t  n = list ? npu__flex_count(v) : 1;
    const int32_t   rank = c->in[0]->shape.rank;
    uint32_t        mask = 0;
    if (n < 1 || n > NPU_MAX_RANK) return npu__mtk_norm_bad_axis(c);
    for (uint32_t i = 0; i < n; i++) {
        const npu__flex one = list ? npu__flex_at(v, i) : v;
        int32_t         axis;
        if (npu__flex_kind_of(one) != NPU__FLEX_INT && (list || npu__flex_kind_of(v) != NPU__FLEX_NULL)) return npu__mtk_norm_bad_axis(c);
        axis = npu__axis_in(npu__flex_i64(one, -1), rank);
        if (axis < 0 || (mask >> axis & 1u)) return npu__mtk_norm_bad_axis(c);
        mask |= 1u << axis; /* bounded: rank <= 8 */
    }
    *first = rank - (int32_t)n;
    /* bounded: n <= NPU_MAX_RANK */
    return mask >> *first == (1u << n) - 1u ? NPU_OK : npu__mtk_norm_bad_axis(c);
}

NPU__FN npu_status npu__mtk_norm_param(npu__ctx *c, int32_t i, const char *what) {
    const npu__mtk_norm *d = (const npu__mtk_norm *)c->data;
    const npu__val      *v = npu__opt_in(c, i);
    if (!v) return NPU_OK;
    NPU__TRY(npu__mtk_need_real(c, v, what, 1));
    if (npu__elems(v) == d->n) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "layer_normalization.size", "%s must have %l elements: got %l", what, d->n, npu__elems(v));
}

NPU__FN npu_status npu__mtk_norm_prepare(npu__ctx *c) {
    static const char *const keys[] = {"axis", "epsilon"};
    npu__mtk_norm           *d = (npu__mtk_norm *)c->data;
    int32_t                  first = 0;
    NPU__TRY(npu__custom_keys(c, keys, NPU__COUNT(keys)));
    NPU__TRY(npu__mtk_number(c, keys[1], 0.001, &d->epsilon));
    if (d->epsilon < 0.0) return NPU__FAIL(c, NPU_INVALID_MODEL, "op.option_value", "option \"epsilon\" must not be negative");
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    NPU__TRY(npu__mtk_norm_axes(c, &first));
    d->rows = npu__dims_product(&c->in[0]->shape, 0, first);
    d->n = npu__dims_product(&c->in[0]->shape, first, c->in[0]->shape.rank);
    if (c->in[0]->type != c->out[0]->type) return npu__fail_types(c);
    NPU__TRY(npu__mtk_need_real(c, c->in[0], "the input", 0));
    NPU__TRY(npu__mtk_need_real(c, c->out[0], "the output", 0));
    NPU__TRY(npu__mtk_norm_param(c, 1, "gamma"));
    return npu__mtk_norm_param(c, 2, "beta");
}

NPU__FN void npu__mtk_norm_row(npu__ctx *c, int64_t at) {
    const npu__mtk_norm *d = (const npu__mtk_norm *)c->data;
    const npu__val      *in = c->in[0], *gamma = npu__opt_in(c, 1), *beta = npu__opt_in(c, 2);
    double               mean = 0.0, variance = 0.0, factor;
    for (int64_t i = 0; i < d->n; i++) mean += npu__mtk_real(in, at + i);
    mean /= (double)d->n;
    for (int64_t i = 0; i < d->n; i++) {
        const double off = npu__mtk_real(in, at + i) - mean;
        variance += off * off;
    }
    factor = 1.0 / sqrt(variance / (double)d->n + d->epsilon);
    for (int64_t i = 0; i < d->n; i++) {
        double y = (npu__mtk_real(in, at + i) - mean) * factor;
        if (gamma) y *= npu__mtk_real(gamma, i);
        if (beta) y += npu__mtk_real(beta, i);
        npu__mtk_put(c->out[0], at + i, y);
    }
}

NPU__FN void npu__mtk_norm_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx *c = (npu__ctx *)arg;
    (void)thread;
    /* bounded: offsets of elements */
    for (int64_t i = begin; i < end; i++) npu__mtk_norm_row(c, i * ((const npu__mtk_norm *)c->data)->n);
}

NPU__FN npu_status npu__mtk_norm_eval(npu__ctx *c) {
    const npu__mtk_norm *d = (const npu__mtk_norm *)c->data;
    npu__parallel(c, d->rows, 4096 / NPU__MAX(d->n, (int64_t)1) + 1, npu__mtk_norm_rows, c);
    return NPU_OK;
}

NPU__FN npu__work npu__mtk_norm_work(const npu__ctx *c) { return npu__work_each(c, 8); }

NPU__OPDEF(npu__op_mtk_layer_normalization) = {1, 3, 1, 1, 6, NPU__OP_INPLACE0, NPU__DATA(npu__mtk_norm),
                                                           npu__infer_same_as_in0, npu__mtk_norm_prepare, NULL,
                                                           npu__mtk_norm_eval, npu__mtk_norm_work};

#endif
