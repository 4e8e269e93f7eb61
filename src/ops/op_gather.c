/* GATHER, GATHER_ND: elements or slices picked by index. */
#include "move_util.h"
#include "string_util.h"

typedef struct npu__gather_data {
    const char *kernel;
    int32_t     axis, batch_dims;
} npu__gather_data;

/* Runs from here and there to neighbouring places. */
typedef struct npu__gather_job {
    const uint8_t *src;
    uint8_t       *dst;
    const npu__val *at;
    int64_t        run;                        /* bytes, or nibbles */
    int64_t        dim, outer, picks;          /* GATHER: item = batch, outer, block of picks */
    int64_t        blocks;
    int            nibbles;
} npu__gather_job;

NPU__FN npu_status npu__gather_index_type(npu__ctx *c) {
    int32_t t = c->in[1]->type;
    if (t == NPU_INT32 || t == NPU_INT64 || t == NPU_INT16) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.type", "indices must be INT16, INT32 or INT64: got %s",
                     npu_type_name((npu_type)t));
}

NPU__FN npu_status npu__gather_bad_index(npu__ctx *c, int64_t index, int32_t dim) {
    return NPU__FAIL(c, NPU_BAD_INPUT, "gather.index", "an index must be in [0, %d]: got %l", dim - 1, index);
}

/* ---- GATHER ---- */

NPU__FN npu_status npu__gather_options(npu__ctx *c, int32_t *axis, int32_t *batch_dims) {
    const npu__shape *in = &c->in[0]->shape, *at = &c->in[1]->shape;
    int32_t           batch = NPU__OPTIONS(c->node, GatherOptions)->batch_dims;
    /* Counted from the end of the indices, as TFLite does. */
    if (batch < 0 && batch >= -NPU_MAX_RANK) batch += at->rank;
    *batch_dims = batch;
    NPU__TRY(npu__resolve_axis(c, NPU_INVALID_MODEL, NPU__OPTIONS(c->node, GatherOptions)->axis,
                               in->rank, axis));
    if (batch < 0 || batch > *axis || batch > at->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "gather.batch_dims",
                         "batch_dims must not exceed the axis or the indices' dimensions: got %d", batch);
    }
    for (int32_t i = 0; i < batch; i++) {
        if (in->dims[i] != at->dims[i]) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "gather.batch_shape",
                             "batch dimension %d is %d in the input and %d in the indices", i, in->dims[i],
                             at->dims[i]);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape, *at = &c->in[1]->shape;
    int32_t           axis, batch;
    npu__shape        s;
    NPU__TRY(npu__gather_options(c, &axis, &batch));
    NPU__TRY(npu__need_max_rank(c, in->rank + at->rank - 1 - batch));
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < axis; i++) s.dims[s.rank++] = in->dims[i];
    for (int32_t i = batch; i < at->rank; i++) s.dims[s.rank++] = at->dims[i];
    for (int32_t i = axis + 1; i < in->rank; i++) s.dims[s.rank++] = in->dims[i];
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__gather_prepare(npu__ctx *c) {
    npu__gather_data *d = (npu__gather_data *)c->data;
    NPU__TRY(npu__gather_options(c, &d->axis, &d->batch_dims));
    d->kernel = "copy_rows";
    NPU__TRY(npu__gather_index_type(c));
    return npu__need_moved_type(c, c->in[0], c->out[0]);
}

/* Picks of `n` runs of a size that is known here, one after the other. */
#define NPU__GATHER_RUNS(bytes) \
    case bytes: \
        for (int64_t i = 0; i < n; i++) memcpy(dst + i * bytes, src + at[i] * bytes, bytes); \
        break;
NPU__FN void npu__gather_runs(uint8_t *dst, const uint8_t *src, const int64_t *at, int64_t n, int64_t run) {
    switch (run) {
    NPU__GATHER_RUNS(1)
    NPU__GATHER_RUNS(2)
    NPU__GATHER_RUNS(4)
    NPU__GATHER_RUNS(8)
    NPU__GATHER_RUNS(16)
    NPU__GATHER_RUNS(64)
    default:
        for (int64_t i = 0; i < n; i++) npu__copy_run(dst + i * run, src + at[i] * run, (size_t)run);
    }
}
#undef NPU__GATHER_RUNS

/* Items: for each row before the axis, the blocks of its picks. */
NPU__FN void npu__gather_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__gather_job *job = (const npu__gather_job *)arg;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t row = item / job->blocks, first = item % job->blocks * NPU__INDEX_BLOCK;
        const int64_t n = NPU__MIN(job->picks - first, (int64_t)NPU__INDEX_BLOCK);
        const int64_t to = (row * job->picks + first) * job->run;
        int64_t       at[NPU__INDEX_BLOCK];
        npu__indices(job->at, row / job->outer * job->picks + first, n, at);
        if (!job->nibbles) {
            npu__gather_runs(job->dst + to, job->src + row * job->dim * job->run, at, n, job->run);
            continue;
        }
        /* Types of 4 bits have no address an element: nibble by nibble. */
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = (row * job->dim + at[i]) * job->run;
            for (int64_t j = 0; j < job->run; j++) {
                npu__set_nibble(job->dst, to + i * job->run + j, npu__nibble(job->src, from + j));
            }
        }
    }
}

/* All indices before the first copy: an output is whole or not touched. */
NPU__FN npu_status npu__gather_check(npu__ctx *c, int64_t limit, int32_t dim) {
    const npu__val *v = c->in[1];
    const int64_t   total = npu__elems(v);
    int64_t         at[NPU__INDEX_BLOCK], done = 0;
    for (int64_t first = 0; first < total; first += NPU__INDEX_BLOCK) {
        const int64_t n = NPU__MIN(total - first, (int64_t)NPU__INDEX_BLOCK);
        uint64_t      most = 0; /* negative ones are the largest of all */
        npu__indices(v, first, n, at);
        for (int64_t i = 0; i < n; i++) most = NPU__MAX(most, (uint64_t)at[i]);
        for (int64_t i = 0; i < n && most >= (uint64_t)limit; i++) {
            if ((uint64_t)at[i] >= (uint64_t)limit) return npu__gather_bad_index(c, at[i], dim);
        }
        NPU__POLL_PASS(c, done, n);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_eval(npu__ctx *c) {
    const npu__gather_data *d = (const npu__gather_data *)c->data;
    const npu__val         *in = c->in[0], *at = c->in[1], *out = c->out[0];
    const int64_t batches = npu__dims_product(&in->shape, 0, d->batch_dims);
    const int64_t elem = (int64_t)npu__elem_bytes(in->type);
    npu__gather_job job;
    job.outer = npu__dims_product(&in->shape, d->batch_dims, d->axis);
    job.picks = npu__dims_product(&at->shape, d->batch_dims, at->shape.rank);
    job.run = npu__dims_product(&in->shape, d->axis + 1, in->shape.rank) * (elem ? elem : 1);
    job.dim = in->shape.dims[d->axis];
    job.blocks = (job.picks + NPU__INDEX_BLOCK - 1) / NPU__INDEX_BLOCK;
    job.nibbles = elem == 0;
    job.at = at;
    job.src = (const uint8_t *)in->data;
    job.dst = (uint8_t *)out->data;
    /* Without anything to copy, TFLite lets large ones pass. */
    NPU__TRY(npu__gather_check(c, batches * job.outer > 0 ? job.dim : INT64_MAX, in->shape.dims[d->axis]));
    if (out->bytes == 0) return NPU_OK;
    if (batches * job.outer == 1 && job.blocks == 1 && !job.nibbles && job.run <= 4096) { /* small: nothing to divide */
        int64_t place[NPU__INDEX_BLOCK];
        npu__indices(at, 0, job.picks, place);
        npu__gather_runs(job.dst, job.src, place, job.picks, job.run);
        return NPU_OK;
    }
    if (job.run > 1 << 18 && !job.nibbles) { /* few and large */
        for (int64_t r = 0; r < batches * job.outer * job.picks; r++) {
            const int64_t row = r / job.picks, pick = npu__int_at(at, row / job.outer * job.picks + r % job.picks);
            npu__copy_bytes(c, job.dst + r * job.run, job.src + (row * job.dim + pick) * job.run, (size_t)job.run);
        }
        return NPU_OK;
    }
    if (!job.nibbles) {
        const int64_t item = NPU__MIN(job.picks, (int64_t)NPU__INDEX_BLOCK) * job.run;
        npu__parallel(c, batches * job.outer * job.blocks, 65536 / item + 1, npu__gather_part, &job);
        return NPU_OK;
    }
    memset(job.dst, 0, out->bytes);
    for (int64_t i = 0; i < batches * job.outer * job.blocks; i++) { /* two share a byte: one thread */
        npu__gather_part(&job, i, i + 1, 0);
        NPU__POLL(c, NPU__INDEX_BLOCK * job.run);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__gather_prepare) : npu__gather_prepare(c);
}

NPU__FN npu_status npu__gather_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__gather_eval) : npu__gather_eval(c);
}

NPU__OPDEF(npu__op_gather) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL,
                              NPU__DATA(npu__gather_data), npu__gather_infer, npu__gather_prepare_any, NULL, npu__gather_eval_any, NULL};

/* ---- GATHER_ND: the last dimension of the indices is a coordinate ---- */

NPU__FN npu_status npu__gather_nd_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape, *at = &c->in[1]->shape;
    int32_t           depth;
    npu__shape        s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    NPU__TRY(npu__need_rank(c, c->in[1], "the indices", 1, NPU_MAX_RANK));
    depth = at->dims[at->rank - 1];
    if (depth > in->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "gather_nd.depth",
                         "coordinates have %d numbers, the input has %d dimensions", depth, in->rank);
    }
    NPU__TRY(npu__need_max_rank(c, at->rank - 1 + in->rank - depth));
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < at->rank - 1; i++) s.dims[s.rank++] = at->dims[i];
    for (int32_t i = depth; i < in->rank; i++) s.dims[s.rank++] = in->dims[i];
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__gather_nd_prepare(npu__ctx *c) {
    ((npu__named *)c->data)->kernel = "copy_rows";
    NPU__TRY(npu__gather_index_type(c));
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    return npu__elem_bytes(c->in[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

NPU__FN npu_status npu__gather_nd_eval(npu__ctx *c) {
    const npu__val *in = c->in[0], *at = c->in[1], *out = c->out[0];
    const int32_t   depth = at->shape.dims[at->shape.rank - 1];
    const int64_t   picks = npu__dims_product(&at->shape, 0, at->shape.rank - 1);
    const int64_t   run = npu__dims_product(&in->shape, depth, in->shape.rank) * (int64_t)npu__elem_bytes(in->type);
    const uint8_t  *src = (const uint8_t *)in->data;
    uint8_t        *dst = (uint8_t *)out->data;
    int64_t         place[NPU__INDEX_BLOCK], bad = 0, done = 0;
    int32_t         dim = 0;
    if (out->bytes == 0 && at->bytes == 0) return NPU_OK;
    for (int64_t first = 0; first < picks; first += NPU__INDEX_BLOCK) {
        const int64_t n = NPU__MIN(picks - first, (int64_t)NPU__INDEX_BLOCK);
        if (!npu__places(at, depth, &in->shape, first, n, place, &bad, &dim)) return npu__gather_bad_index(c, bad, dim);
        NPU__POLL_PASS(c, done, n * (run / 4 + depth));
        if (!run) continue;
        if (run <= 1 << 18) {
            npu__gather_runs(dst + first * run, src, place, n, run);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            npu__copy_bytes(c, dst + (first + i) * run, src + place[i] * run, (size_t)run);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_nd_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__gather_nd_prepare) : npu__gather_nd_prepare(c);
}

NPU__FN npu_status npu__gather_nd_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__gather_nd_eval) : npu__gather_nd_eval(c);
}

NPU__OPDEF(npu__op_gather_nd) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL,
                                 NPU__DATA(npu__named), npu__gather_nd_infer, npu__gather_nd_prepare_any, NULL, npu__gather_nd_eval_any, NULL};
