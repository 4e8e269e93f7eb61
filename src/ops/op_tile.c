/* TILE, BROADCAST_TO: a tensor repeated along its dimensions. */
#include "move_util.h"
#include "string_util.h"

/* Each dimension of TILE is two: steps of 0 go over the copies, the others over the input. */
typedef struct npu__tile {
    npu__box     box;
    npu__box_dim dim[2 * NPU_MAX_RANK];
} npu__tile;

/* ---- TILE ---- */

NPU__FN npu_status npu__tile_infer(npu__ctx *c) {
    const npu__val *times = c->in[1];
    npu__shape      s = c->in[0]->shape;
    NPU__TRY(npu__need_index_type(c, times, "the multiples"));
    if (npu__elems(times) != s.rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "tile.multiples", "there are %l multiples for %d dimensions",
                         npu__elems(times), s.rank);
    }
    if (!npu__values_known(times)) return NPU__DYNAMIC;
    for (int32_t i = 0; i < s.rank; i++) {
        int32_t n;
        NPU__TRY(npu__dim_value(c, times, npu__int_at(times, i), &n));
        NPU__TRY(npu__dim_value(c, times, (int64_t)n * s.dims[i], &s.dims[i]));
    }
    return npu__set_shape(c, 0, &s);
}

/* From the shapes alone. */
NPU__FN npu_status npu__tile_prepare(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    int64_t           stride[NPU_MAX_RANK];
    npu__tile        *t = (npu__tile *)c->data;
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    npu__dense_strides(in, stride);
    for (int32_t i = 0; i < in->rank; i++) {
        npu__box_add(&t->box, t->dim, in->dims[i] ? out->dims[i] / in->dims[i] : 0, 0, 0);
        npu__box_add(&t->box, t->dim, in->dims[i], stride[i], 0);
    }
    npu__box_dense(&t->box, t->dim);
    npu__box_done(&t->box, t->dim, c->in[0]->type);
    return NPU_OK;
}

NPU__FN npu_status npu__tile_eval(npu__ctx *c) {
    const npu__tile *t = (const npu__tile *)c->data;
    npu__box_run(c, &t->box, t->dim, c->in[0], c->out[0]);
    return NPU_OK;
}

NPU__FN npu_status npu__tile_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__tile_prepare) : npu__tile_prepare(c);
}

NPU__FN npu_status npu__tile_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__tile_eval) : npu__tile_eval(c);
}

NPU__OPDEF(npu__op_tile) = {2, 2, 1, 1, 0, NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__tile), npu__tile_infer,
                            npu__tile_prepare_any, NULL, npu__tile_eval_any, NULL};

/* ---- BROADCAST_TO ---- */

NPU__FN npu_status npu__broadcast_to_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    const npu__val   *to = c->in[1];
    npu__shape        s;
    NPU__TRY(npu__need_index_type(c, to, "the new shape"));
    NPU__TRY(npu__need_dims_vector(c, to, "the new shape"));
    if (!npu__values_known(to)) return NPU__DYNAMIC;
    memset(&s, 0, sizeof s);
    s.rank = to->shape.dims[0];
    for (int32_t i = 0; i < s.rank; i++) NPU__TRY(npu__dim_value(c, to, npu__int_at(to, i), &s.dims[i]));
    for (int32_t i = 1; i <= in->rank; i++) {
        int32_t have = in->dims[in->rank - i];
        if (i > s.rank || (have != 1 && have != s.dims[s.rank - i])) {
            return NPU__FAIL(c, npu__value_fault(to), "broadcast_to.shape",
                             "dimension %d from the end is %d: it cannot become %d", i, have,
                             i > s.rank ? 0 : s.dims[s.rank - i]);
        }
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__broadcast_to_layout(npu__ctx *c, npu__move *m) {
    const npu__shape *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    int64_t           stride[NPU_MAX_RANK];
    npu__dense_strides(in, stride);
    for (int32_t i = 0; i < out->rank; i++) {
        int32_t from = i - (out->rank - in->rank);
        npu__box_add(&m->box, m->dim, out->dims[i], from < 0 || in->dims[from] == 1 ? 0 : stride[from], 0);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__broadcast_to_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    return npu__move_prepare(c, npu__broadcast_to_layout, 1); /* from the shapes alone */
}

NPU__FN npu_status npu__broadcast_to_eval(npu__ctx *c) { return npu__move_eval(c, npu__broadcast_to_layout); }

NPU__OPDEF(npu__op_broadcast_to) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__broadcast_to_infer,
                                    npu__broadcast_to_prepare, NULL, npu__broadcast_to_eval, NULL};
