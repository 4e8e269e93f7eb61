/* SPLIT, SPLIT_V: one tensor cut along an axis. */
#include "move_util.h"

/* Both ops: outputs have the input's shape but for sizes[i] along the axis; found again in eval from the shapes. */
typedef struct npu__split_data {
    const char *kernel;
    int32_t     value; /* which input is cut */
    int32_t     axis;
} npu__split_data;

NPU__FN npu_status npu__split_prepare_as(npu__ctx *c, int32_t value, int32_t axis_input) {
    npu__split_data *d = (npu__split_data *)c->data;
    const npu__val  *in = c->in[value];
    d->kernel = "copy_rows";
    d->value = value;
    NPU__TRY(npu__axis_value(c, c->in[axis_input], in->shape.rank, &d->axis));
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__need_moved_type(c, in, c->out[i]));
    return npu__elem_bytes(in->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

NPU__FN npu_status npu__split_eval(npu__ctx *c) {
    const npu__split_data *d = (const npu__split_data *)c->data;
    const npu__val        *in = c->in[d->value];
    return npu__parts_move(c, in, c->out, c->n_out, npu__dims_product(&in->shape, 0, d->axis), 1);
}

/* Empty outputs take a step in every row as well. */
NPU__FN npu__work npu__split_work(const npu__ctx *c) {
    const npu__split_data *d = (const npu__split_data *)c->data;
    const npu__val        *in = c->in[d->value];
    int64_t                outer = npu__elems(in) > 0 ? npu__dims_product(&in->shape, 0, d->axis) : 0;
    return npu__work_steps(c, npu__sat_mul(outer, c->n_out));
}

/* ---- SPLIT: inputs are axis, value ---- */

NPU__FN npu_status npu__split_infer(npu__ctx *c) {
    int32_t    num = NPU__OPTIONS(c->node, SplitOptions)->num_splits, axis;
    npu__shape s = c->in[1]->shape;
    NPU__TRY(npu__need_type(c, c->in[0], "the axis", NPU_INT32));
    if (num != c->n_out || num < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "split.num_splits", "num_splits is %d but there are %d outputs", num,
                         c->n_out);
    }
    if (!npu__values_known(c->in[0])) return NPU__DYNAMIC;
    NPU__TRY(npu__axis_value(c, c->in[0], s.rank, &axis));
    if (s.dims[axis] % num != 0) {
        return NPU__FAIL(c, npu__value_fault(c->in[0]), "split.even",
                         "a dimension of %d cannot be cut into %d equal parts", s.dims[axis], num);
    }
    s.dims[axis] /= num;
    for (int32_t i = 0; i < num; i++) NPU__TRY(npu__set_shape_type(c, i, &s, c->in[1]->type));
    return NPU_OK;
}

NPU__FN npu_status npu__split_prepare(npu__ctx *c) { return npu__split_prepare_as(c, 1, 0); }

NPU__OPDEF(npu__op_split) = {2, 2, 1, -1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__split_data),
                             npu__split_infer, npu__split_prepare, NULL, npu__split_eval, npu__split_work};

/* ---- SPLIT_V: inputs are value, sizes (one may be -1: the rest), axis ---- */

NPU__FN npu_status npu__split_v_bad_sizes(npu__ctx *c) {
    return NPU__FAIL(c, npu__value_fault(c->in[1]), "split_v.sizes",
                     "sizes must add up to the dimension; one of them may be -1, the others must not be negative");
}

NPU__FN npu_status npu__split_v_infer(npu__ctx *c) {
    const npu__val *sizes = c->in[1];
    int32_t         num = NPU__OPTIONS(c->node, SplitVOptions)->num_splits, axis, rest = -1;
    npu__shape      s = c->in[0]->shape;
    int64_t         left;
    NPU__TRY(npu__need_index_type(c, sizes, "the sizes"));
    NPU__TRY(npu__need_type(c, c->in[2], "the axis", NPU_INT32));
    NPU__TRY(npu__need_rank(c, sizes, "the list of sizes", 1, 1));
    if (num != c->n_out || sizes->shape.dims[0] != num) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "split_v.num_splits",
                         "num_splits, outputs and sizes must agree: got %d, %d and %d", num, c->n_out,
                         sizes->shape.dims[0]);
    }
    if (!npu__values_known(sizes) || !npu__values_known(c->in[2])) return NPU__DYNAMIC;
    NPU__TRY(npu__axis_value(c, c->in[2], s.rank, &axis));
    left = s.dims[axis];
    for (int32_t i = 0; i < num; i++) {
        int64_t n = npu__int_at(sizes, i);
        /* A second -1 is a negative size like any other. */
        if (n == -1 && rest < 0) rest = i;
        else if (n < 0 || n > left) return npu__split_v_bad_sizes(c);
        else left -= n;
    }
    /* Nothing may be left over, unless somebody takes the rest. */
    if (rest < 0 && left != 0) return npu__split_v_bad_sizes(c);
    for (int32_t i = 0; i < num; i++) {
        s.dims[axis] = (int32_t)(i == rest ? left : npu__int_at(sizes, i));
        NPU__TRY(npu__set_shape_type(c, i, &s, c->in[0]->type));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__split_v_prepare(npu__ctx *c) { return npu__split_prepare_as(c, 0, 2); }

NPU__OPDEF(npu__op_split_v) = {3, 3, 1, -1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__split_data),
                               npu__split_v_infer, npu__split_v_prepare, NULL, npu__split_eval, npu__split_work};
