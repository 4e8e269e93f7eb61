/* STABLEHLO_SCATTER: updates join elements of a tensor that index vectors name, in the order of the updates; those that
 * would lie outside are left out. */
#include "combine.h"
#include "stablehlo_index.h"

typedef struct npu__scatter_plan {
    npu__index_vectors v;
    uint32_t           window;               /* dimensions of the updates that count inside of a window */
    int32_t            to_dim[NPU_MAX_RANK]; /* of the updates' dimensions: the operand's, or the batch's */
} npu__scatter_plan;

NPU__FN npu_status npu__scatter_plan_of(npu__ctx *c, npu__scatter_plan *p) {
    const npu__opts_StablehloScatterOptions *o = NPU__OPTIONS(c->node, StablehloScatterOptions);
    const npu__shape                        *in = &c->in[0]->shape, *update = &c->in[2]->shape;
    uint32_t                                 inserted;
    int32_t                                  dim = 0, batch = 0;
    NPU__TRY(npu__index_vectors_of(c, o->index_vector_dim, o->scatter_dims_to_operand_dims, &p->v));
    NPU__TRY(npu__dims_mask(c, o->inserted_window_dims, in->rank, 1, "inserted_window_dims", &inserted));
    NPU__TRY(npu__dims_mask(c, o->update_window_dims, update->rank, 1, "update_window_dims", &p->window));
    if ((int64_t)o->inserted_window_dims.n + (int64_t)o->update_window_dims.n != in->rank ||
        (int64_t)p->v.rank + (int64_t)o->update_window_dims.n != update->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo_scatter.dims", "windows and inserted dimensions must make %d, windows "
                         "and indices the %d of the updates", in->rank, update->rank);
    }
    for (int32_t d = 0; d < update->rank; d++) {
        if (p->window >> d & 1u) {
            while (inserted >> dim & 1u) dim++;
            p->to_dim[d] = dim++;
        } else {
            if (update->dims[d] != p->v.dims[batch]) {
                return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo_scatter.shape", "dimension %d of the updates has %d elements, "
                                 "that of the indices %d", d, update->dims[d], p->v.dims[batch]);
            }
            p->to_dim[d] = batch++;
        }
    }
    return NPU_OK;
}

/* The body's function; -1: none that is supported. */
NPU__FN int32_t npu__scatter_function(const npu__ctx *c) {
    const npu__subgraph *body =
        npu__ctx_subgraph(c, NPU__OPTIONS(c->node, StablehloScatterOptions)->update_computation_subgraph_index);
    if (!body || body->n_nodes > 1) return -1;
    if (body->n_nodes == 0) return NPU__COMBINE_SET;
    switch (body->nodes[0].code) {
    case NPU__BUILTIN_STABLEHLO_ADD: return NPU__COMBINE_ADD;
    case NPU__BUILTIN_STABLEHLO_MULTIPLY: return NPU__COMBINE_MUL;
    case NPU__BUILTIN_STABLEHLO_MAXIMUM: return NPU__COMBINE_MAX;
    case NPU__BUILTIN_STABLEHLO_MINIMUM: return NPU__COMBINE_MIN;
    default: return -1;
    }
}

NPU__FN npu_status npu__stablehlo_scatter_infer(npu__ctx *c) {
    return npu__set_shape_type(c, 0, &c->in[0]->shape, c->in[0]->type);
}

NPU__FN npu_status npu__stablehlo_scatter_prepare(npu__ctx *c) {
    const int32_t     function = npu__scatter_function(c);
    npu__scatter_plan p;
    NPU__TRY(npu__scatter_plan_of(c, &p));
    if (function < 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "stablehlo_scatter.function", "the update must be a subgraph without operators, or "
                         "with one of STABLEHLO_ADD, MULTIPLY, MAXIMUM and MINIMUM");
    }
    if (c->in[2]->type != c->in[0]->type || c->out[0]->type != c->in[0]->type ||
        !npu__combine_pick(function, c->in[0]->type)) return npu__fail_types(c);
    return NPU_OK;
}

/* A row of updates, along their last dimension, from element `from` on; at[]: where it begins. */
NPU__FN void npu__scatter_row(npu__ctx *c, const npu__scatter_plan *p, npu__combine_fn fn, const int64_t *at, int64_t from) {
    const npu__shape *in = &c->in[0]->shape, *update = &c->in[2]->shape;
    const int32_t     last = update->rank - 1;
    const int         along = update->rank > 0 && p->window >> last & 1u; /* else the row is one element */
    const int64_t     elem = (int64_t)npu__elem_bytes(c->in[0]->type);
    int64_t           start[NPU_MAX_RANK], batch[NPU_MAX_RANK], stride[NPU_MAX_RANK], to = 0, first = 0, end = 1, step = 1;
    for (int32_t d = 0; d < update->rank; d++) if (!(p->window >> d & 1u)) batch[p->to_dim[d]] = at[d];
    npu__index_vector_read(c, &p->v, batch, start);
    npu__dense_strides(in, stride);
    for (int32_t d = 0; d < in->rank; d++) if (start[d] < -INT32_MAX || start[d] > INT32_MAX) return;
    for (int32_t d = 0; d < update->rank; d++) if (p->window >> d & 1u && d < last) start[p->to_dim[d]] += at[d];
    if (along) {
        const int32_t d = p->to_dim[last];
        first = NPU__MAX(-start[d], (int64_t)0);
        end = NPU__MIN((int64_t)update->dims[last], in->dims[d] - start[d]);
        start[d] += first;
        step = stride[d];
        if (end <= first) return;
    }
    for (int32_t d = 0; d < in->rank; d++) {
        if (start[d] < 0 || start[d] >= in->dims[d]) return;
        to += start[d] * stride[d];
    }
    fn((uint8_t *)c->out[0]->data + to * elem, (const uint8_t *)c->in[2]->data + (from + first) * elem, end - first, step, 1);
}

NPU__FN npu_status npu__stablehlo_scatter_eval(npu__ctx *c) {
    const npu__shape     *update = &c->in[2]->shape;
    const npu__combine_fn fn = npu__combine_pick(npu__scatter_function(c), c->in[0]->type);
    const int64_t         n = npu__elems(c->in[2]);
    int64_t               at[NPU_MAX_RANK], done = 0, run;
    int32_t               inner = update->rank - 1;
    npu__scatter_plan     p;
    NPU__TRY(npu__scatter_plan_of(c, &p));
    npu__copy_bytes(c, c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
    if (n == 0 || c->out[0]->bytes == 0) return NPU_OK;
    if (inner >= 0 && !(p.window >> inner & 1u)) inner++; /* elements, not rows */
    run = inner >= 0 && inner < update->rank ? update->dims[inner] : 1;
    memset(at, 0, sizeof at);
    for (int64_t i = 0; i < n; i += run) {
        npu__scatter_row(c, &p, fn, at, i);
        NPU__POLL_PASS(c, done, run + 4 * NPU_MAX_RANK);
        for (int32_t d = inner - 1; d >= 0; d--) {
            if (++at[d] < update->dims[d]) break;
            at[d] = 0;
        }
    }
    return NPU_OK;
}

/* Index vectors are read again for each row of updates. */
NPU__FN npu__work npu__stablehlo_scatter_work(const npu__ctx *c) {
    return npu__work_steps(c, npu__sat_mul(npu__elems(c->in[2]), 8));
}

NPU__OPDEF(npu__op_stablehlo_scatter) = {3, 3, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__stablehlo_scatter_infer,
                                         npu__stablehlo_scatter_prepare, NULL, npu__stablehlo_scatter_eval,
                                         npu__stablehlo_scatter_work};
