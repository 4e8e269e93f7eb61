/* PACK, UNPACK: a new dimension out of equal tensors, and back. */
#include "move_util.h"

typedef struct npu__pack_data {
    const char *kernel;
    int32_t     axis;
} npu__pack_data;

/* ---- PACK ---- */

NPU__FN npu_status npu__pack_axis(npu__ctx *c, int32_t *axis) {
    int32_t option = NPU__OPTIONS(c->node, PackOptions)->axis;
    /* Among the output's dimensions, one more than an input has. */
    return npu__resolve_axis(c, NPU_INVALID_MODEL, option, c->in[0]->shape.rank + 1, axis);
}

NPU__FN npu_status npu__pack_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    int32_t           count = NPU__OPTIONS(c->node, PackOptions)->values_count, axis;
    npu__shape        s;
    if (count != c->n_in) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "pack.values_count", "values_count is %d but there are %d inputs",
                         count, c->n_in);
    }
    NPU__TRY(npu__need_max_rank(c, in->rank + 1));
    NPU__TRY(npu__pack_axis(c, &axis));
    for (int32_t i = 1; i < c->n_in; i++) {
        if (!npu__shape_eq(in, &c->in[i]->shape)) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "pack.shape", "all inputs must have one shape: input %d differs",
                             i);
        }
    }
    memset(&s, 0, sizeof s);
    s.rank = in->rank + 1;
    for (int32_t i = 0; i < s.rank; i++) s.dims[i] = i < axis ? in->dims[i] : i == axis ? count : in->dims[i - 1];
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__pack_prepare(npu__ctx *c) {
    npu__pack_data *d = (npu__pack_data *)c->data;
    d->kernel = "copy_rows";
    NPU__TRY(npu__pack_axis(c, &d->axis));
    for (int32_t i = 0; i < c->n_in; i++) {
        NPU__TRY(npu__need_moved_type(c, c->in[i], c->out[0]));
        NPU__TRY(npu__need_same_quant(c, c->in[i], c->out[0]));
    }
    return npu__elem_bytes(c->out[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

NPU__FN npu_status npu__pack_eval(npu__ctx *c) {
    const npu__pack_data *d = (const npu__pack_data *)c->data;
    return npu__parts_move(c, c->out[0], c->in, c->n_in, npu__dims_product(&c->out[0]->shape, 0, d->axis), 0);
}

NPU__OPDEF(npu__op_pack) = {1, -1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pack_data), npu__pack_infer, npu__pack_prepare,
                            NULL, npu__pack_eval, NULL};

/* ---- UNPACK ---- */

NPU__FN npu_status npu__unpack_axis(npu__ctx *c, int32_t *axis) {
    int32_t option = NPU__OPTIONS(c->node, UnpackOptions)->axis;
    return npu__resolve_axis(c, NPU_INVALID_MODEL, option, c->in[0]->shape.rank, axis);
}

NPU__FN npu_status npu__unpack_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    int32_t           num = NPU__OPTIONS(c->node, UnpackOptions)->num, axis;
    npu__shape        s;
    NPU__TRY(npu__unpack_axis(c, &axis));
    if (num != c->n_out || num != in->dims[axis]) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "unpack.num",
                         "num, outputs and the dimension taken apart must agree: got %d, %d and %d", num, c->n_out,
                         in->dims[axis]);
    }
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < in->rank; i++) if (i != axis) s.dims[s.rank++] = in->dims[i];
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__set_shape(c, i, &s));
    return NPU_OK;
}

NPU__FN npu_status npu__unpack_prepare(npu__ctx *c) {
    npu__pack_data *d = (npu__pack_data *)c->data;
    d->kernel = "copy_rows";
    NPU__TRY(npu__unpack_axis(c, &d->axis));
    for (int32_t i = 0; i < c->n_out; i++) {
        NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[i]));
        NPU__TRY(npu__need_same_quant(c, c->in[0], c->out[i]));
    }
    return npu__elem_bytes(c->in[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

NPU__FN npu_status npu__unpack_eval(npu__ctx *c) {
    const npu__pack_data *d = (const npu__pack_data *)c->data;
    return npu__parts_move(c, c->in[0], c->out, c->n_out, npu__dims_product(&c->in[0]->shape, 0, d->axis), 1);
}

NPU__OPDEF(npu__op_unpack) = {1, 1, 1, -1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pack_data), npu__unpack_infer,
                              npu__unpack_prepare, NULL, npu__unpack_eval, NULL};
