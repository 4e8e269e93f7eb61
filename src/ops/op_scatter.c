/* SCATTER_ND, SPARSE_TO_DENSE: tensors made from values and where they belong. */
#include "combine.h"
#include "move_util.h"

/* The dimensions of the output are the numbers of `v`. */
NPU__FN npu_status npu__scatter_shape(npu__ctx *c, const npu__val *v, npu__shape *s) {
    memset(s, 0, sizeof *s);
    NPU__TRY(npu__need_dims_vector(c, v, "the list of dimensions"));
    s->rank = v->shape.dims[0];
    for (int32_t i = 0; i < s->rank; i++) NPU__TRY(npu__dim_value(c, v, npu__int_at(v, i), &s->dims[i]));
    return NPU_OK;
}

/* Where coordinates [first, first + n) of `at` lie in the output: their `depth` numbers are those of the first dimensions. */
NPU__FN npu_status npu__scatter_places(npu__ctx *c, const npu__val *at, int64_t first, int64_t n, int32_t depth, int64_t *place) {
    int64_t bad = 0;
    int32_t dim = 0;
    if (npu__places(at, depth, &c->out[0]->shape, first, n, place, &bad, &dim)) return NPU_OK;
    return NPU__FAIL(c, NPU_BAD_INPUT, "scatter.index", "an index must be in [0, %d]: got %l", dim - 1, bad);
}

/* All indices before the first write: an output is whole or not touched. */
NPU__FN npu_status npu__scatter_check(npu__ctx *c, const npu__val *at, int64_t picks, int32_t depth) {
    int64_t place[NPU__INDEX_BLOCK], done = 0;
    for (int64_t first = 0; first < picks; first += NPU__INDEX_BLOCK) {
        const int64_t n = NPU__MIN(picks - first, (int64_t)NPU__INDEX_BLOCK);
        NPU__TRY(npu__scatter_places(c, at, first, n, depth, place));
        NPU__POLL_PASS(c, done, n * (depth + 1));
    }
    return NPU_OK;
}

/* ---- SCATTER_ND: updates that meet are added ---- */

NPU__FN npu_status npu__scatter_nd_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__need_type(c, c->in[2], "the list of dimensions", NPU_INT32));
    if (!npu__values_known(c->in[2])) return NPU__DYNAMIC;
    NPU__TRY(npu__scatter_shape(c, c->in[2], &s));
    return npu__set_shape_type(c, 0, &s, c->in[1]->type);
}

NPU__FN npu_status npu__scatter_nd_prepare(npu__ctx *c) {
    const npu__shape *at = &c->in[0]->shape, *update = &c->in[1]->shape, *out = &c->out[0]->shape;
    int32_t           depth;
    int               fits;
    ((npu__named *)c->data)->kernel = "scatter";
    NPU__TRY(npu__need_type(c, c->in[0], "the indices", NPU_INT32));
    switch (c->in[1]->type) {
    case NPU_BOOL: case NPU_FLOAT32: case NPU_INT8: case NPU_UINT8: case NPU_INT32: case NPU_INT64: break;
    default: return npu__fail_types(c);
    }
    if (c->out[0]->type != c->in[1]->type) return npu__fail_types(c);
    NPU__TRY(npu__need_rank(c, c->in[0], "the indices", 1, NPU_MAX_RANK));
    NPU__TRY(npu__need_rank(c, c->in[1], "the updates", 1, NPU_MAX_RANK));
    depth = at->dims[at->rank - 1];
    fits = depth <= out->rank && update->rank - (at->rank - 1) == out->rank - depth;
    for (int32_t i = 0; fits && i < update->rank; i++) {
        fits = update->dims[i] == (i < at->rank - 1 ? at->dims[i] : out->dims[depth + i - (at->rank - 1)]);
    }
    if (fits) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "scatter_nd.shape", "updates must have the indices' dimensions without the last, "
                     "then those of the output that the indices leave out");
}

NPU__FN npu_status npu__scatter_nd_eval(npu__ctx *c) {
    const npu__val       *at = c->in[0], *update = c->in[1], *out = c->out[0];
    const int32_t         depth = at->shape.dims[at->shape.rank - 1];
    const int64_t         picks = npu__dims_product(&at->shape, 0, at->shape.rank - 1);
    const int64_t         run = npu__dims_product(&out->shape, depth, out->shape.rank);
    const size_t          elem = npu__elem_bytes(out->type);
    const npu__combine_fn add = npu__combine_pick(NPU__COMBINE_ADD, out->type);
    const uint8_t         zero = 0;
    int64_t               place[NPU__INDEX_BLOCK], done = 0;
    if (run > 0) NPU__TRY(npu__scatter_check(c, at, picks, depth));
    if (out->bytes == 0) return NPU_OK;
    npu__fill_all(c, out->data, &zero, (int64_t)out->bytes, 1);
    for (int64_t i = 0; i < picks; i++) {
        const int64_t k = i % NPU__INDEX_BLOCK;
        if (k == 0) NPU__TRY(npu__scatter_places(c, at, i, NPU__MIN(picks - i, (int64_t)NPU__INDEX_BLOCK), depth, place));
        for (int64_t j = 0; j < run;) {
            const int64_t n = NPU__MIN(run - j, (int64_t)NPU__POLL_STEPS);
            add((uint8_t *)out->data + (size_t)(place[k] * run + j) * elem,
                (const uint8_t *)update->data + (size_t)(i * run + j) * elem, n, 1, 1);
            j += n;
            NPU__POLL_PASS(c, done, n + depth);
        }
    }
    return NPU_OK;
}

NPU__FN npu__work npu__scatter_nd_work(const npu__ctx *c) { return npu__work_steps(c, npu__elems(c->in[0])); }

NPU__OPDEF(npu__op_scatter_nd) = {3, 3, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named),
                                  npu__scatter_nd_infer, npu__scatter_nd_prepare, NULL, npu__scatter_nd_eval,
                                  npu__scatter_nd_work};

/* ---- SPARSE_TO_DENSE: the last of those that meet stays ---- */

NPU__FN npu_status npu__sparse_to_dense_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__need_index_type(c, c->in[1], "the list of dimensions"));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__scatter_shape(c, c->in[1], &s));
    return npu__set_shape_type(c, 0, &s, c->in[2]->type);
}

NPU__FN npu_status npu__sparse_to_dense_prepare(npu__ctx *c) {
    const npu__val *at = c->in[0], *value = c->in[2], *out = c->out[0];
    const int64_t   depth = at->shape.rank == 2 ? at->shape.dims[1] : 1;
    const int64_t   picks = at->shape.rank > 0 ? at->shape.dims[0] : 1;
    ((npu__named *)c->data)->kernel = "scatter";
    NPU__TRY(npu__need_index_type(c, at, "the indices"));
    switch (value->type) {
    case NPU_FLOAT32: case NPU_INT8: case NPU_UINT8: case NPU_INT32: case NPU_INT64: break;
    default: return npu__fail_types(c);
    }
    if (c->in[3]->type != value->type || out->type != value->type) return npu__fail_types(c);
    NPU__TRY(npu__need_rank(c, at, "the indices", 0, 2));
    NPU__TRY(npu__need_rank(c, value, "the values", 0, 1));
    if (npu__elems(c->in[3]) != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "sparse_to_dense.default", "the default must be one number: got %l",
                         npu__elems(c->in[3]));
    }
    if (depth != out->shape.rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "sparse_to_dense.depth", "indices have %l numbers for %d dimensions", depth,
                         out->shape.rank);
    }
    if (value->shape.rank == 1 && value->shape.dims[0] != picks) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "sparse_to_dense.values", "there are %d values for %l indices",
                         value->shape.dims[0], picks);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__sparse_to_dense_eval(npu__ctx *c) {
    const npu__val *at = c->in[0], *value = c->in[2], *out = c->out[0];
    const int32_t   depth = out->shape.rank;
    const int64_t   picks = at->shape.rank > 0 ? at->shape.dims[0] : 1, step = value->shape.rank;
    const size_t    elem = npu__elem_bytes(out->type);
    int64_t         place[NPU__INDEX_BLOCK], done = 0;
    NPU__TRY(npu__scatter_check(c, at, picks, depth));
    if (out->bytes == 0) return NPU_OK;
    npu__fill_all(c, out->data, c->in[3]->data, npu__elems(out), elem);
    for (int64_t i = 0; i < picks; i++) {
        const int64_t k = i % NPU__INDEX_BLOCK;
        if (k == 0) NPU__TRY(npu__scatter_places(c, at, i, NPU__MIN(picks - i, (int64_t)NPU__INDEX_BLOCK), depth, place));
        memcpy((uint8_t *)out->data + (size_t)place[k] * elem, (const uint8_t *)value->data + (size_t)(i * step) * elem, elem);
        NPU__POLL_PASS(c, done, depth + 1);
    }
    return NPU_OK;
}

NPU__FN npu__work npu__sparse_to_dense_work(const npu__ctx *c) { return npu__work_steps(c, npu__elems(c->in[0])); }

NPU__OPDEF(npu__op_sparse_to_dense) = {4, 4, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named),
                                       npu__sparse_to_dense_infer, npu__sparse_to_dense_prepare, NULL, npu__sparse_to_dense_eval,
                                       npu__sparse_to_dense_work};
