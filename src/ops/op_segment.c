/* SEGMENT_SUM, UNSORTED_SEGMENT_MAX, _MIN, _PROD, _SUM: rows of one segment become one row. */
#include "combine.h"
#include "move_util.h"

/* Output: `n` segments, then what the ids leave of the data's dimensions. */
NPU__FN npu_status npu__fold_shape(npu__ctx *c, int32_t n) {
    const npu__shape *in = &c->in[0]->shape, *ids = &c->in[1]->shape;
    npu__shape        s;
    memset(&s, 0, sizeof s);
    s.dims[s.rank++] = n;
    for (int32_t i = ids->rank; i < in->rank; i++) s.dims[s.rank++] = in->dims[i];
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__fold_check(npu__ctx *c, int32_t max_rank) {
    const npu__val *in = c->in[0], *ids = c->in[1];
    if (in->type != NPU_FLOAT32 && in->type != NPU_INT32) return npu__fail_types(c);
    NPU__TRY(npu__need_type(c, ids, "the segments", NPU_INT32));
    NPU__TRY(npu__need_rank(c, ids, "the segments", 1, NPU__MIN(max_rank, in->shape.rank)));
    for (int32_t i = 0; i < ids->shape.rank; i++) {
        if (ids->shape.dims[i] == in->shape.dims[i]) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "segment.shape", "dimension %d is %d in the data and %d in the segments", i,
                         in->shape.dims[i], ids->shape.dims[i]);
    }
    return NPU_OK;
}

/* What is in the output where a segment has no rows, or only what changes nothing. */
NPU__FN npu_status npu__fold_segments(npu__ctx *c, int32_t op, float first_f32, int32_t first_i32) {
    const npu__val       *in = c->in[0], *ids = c->in[1], *out = c->out[0];
    const npu__combine_fn combine = npu__combine_pick(op, in->type);
    const int64_t         run = npu__dims_product(&in->shape, ids->shape.rank, in->shape.rank);
    const int32_t         n = npu__dim(out, 0);
    const size_t          bytes = (size_t)run * 4;
    int64_t               done = 0;
    for (int64_t i = 0; i < npu__elems(ids); i++) {
        NPU__POLL_PASS(c, done, 1);
        if (npu__int_at(ids, i) < n) continue;
        return NPU__FAIL(c, npu__value_fault(ids), "segment.index", "a segment must be below %d: got %l", n,
                         npu__int_at(ids, i));
    }
    if (out->bytes == 0) return NPU_OK;
    npu__fill_all(c, out->data, in->type == NPU_FLOAT32 ? (const void *)&first_f32 : (const void *)&first_i32,
                  npu__elems(out), 4);
    for (int64_t i = 0; i < npu__elems(ids); i++) {
        const int64_t at = npu__int_at(ids, i);
        for (int64_t j = 0; at >= 0 && j < run;) { /* negative ones are left out */
            const int64_t some = NPU__MIN(run - j, (int64_t)NPU__POLL_STEPS);
            combine((uint8_t *)out->data + (size_t)at * bytes + (size_t)j * 4,
                    (const uint8_t *)in->data + (size_t)i * bytes + (size_t)j * 4, some, 1, 1);
            j += some;
            NPU__POLL_PASS(c, done, some);
        }
        NPU__POLL_PASS(c, done, 2);
    }
    return NPU_OK;
}

/* ---- SEGMENT_SUM: segments come in order, from 0 ---- */

NPU__FN npu_status npu__segment_sum_infer(npu__ctx *c) {
    const npu__val *ids = c->in[1];
    int64_t         n = 0, done = 0;
    NPU__TRY(npu__fold_check(c, 1));
    if (!npu__values_known(ids)) return NPU__DYNAMIC;
    for (int64_t i = 0; i < npu__elems(ids); i++) {
        const int64_t id = npu__int_at(ids, i);
        if (id != n && (i == 0 || id != n - 1)) {
            return NPU__FAIL(c, npu__value_fault(ids), "segment_sum.order", "segments must begin with 0, each the one before or "
                             "1 more: got %l after %l", id, n - 1);
        }
        n = id + 1;
        NPU__POLL_PASS(c, done, 1);
    }
    NPU__POLL(c, done);
    return npu__fold_shape(c, (int32_t)n);
}

NPU__FN npu_status npu__fold_prepare(npu__ctx *c) {
    return c->in[0]->type == c->out[0]->type ? NPU_OK : npu__fail_types(c);
}

NPU__FN npu_status npu__segment_sum_eval(npu__ctx *c) { return npu__fold_segments(c, NPU__COMBINE_ADD, 0.0f, 0); }

NPU__OPDEF(npu__op_segment_sum) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__segment_sum_infer,
                                   npu__fold_prepare, NULL, npu__segment_sum_eval, NULL};

/* ---- UNSORTED_SEGMENT_*: how many segments there are is an input ---- */

NPU__FN npu_status npu__unsorted_segment_infer(npu__ctx *c) {
    const npu__val *count = c->in[2];
    int32_t         n;
    NPU__TRY(npu__fold_check(c, NPU_MAX_RANK));
    NPU__TRY(npu__need_type(c, count, "the number of segments", NPU_INT32));
    NPU__TRY(npu__need_rank(c, count, "the number of segments", 0, 1));
    if (npu__elems(count) != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "segment.count", "the number of segments must be one number: got %l",
                         npu__elems(count));
    }
    if (!npu__values_known(count)) return NPU__DYNAMIC;
    NPU__TRY(npu__dim_value(c, count, npu__int_at(count, 0), &n));
    return npu__fold_shape(c, n);
}

#define NPU__SEGMENT_OP(name, op, f32, i32)                                                                     \
    NPU__FN npu_status npu__##name##_eval(npu__ctx *c) { return npu__fold_segments(c, op, f32, i32); }            \
    NPU__OPDEF(npu__op_##name) = {3, 3, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA,                           \
                                  npu__unsorted_segment_infer, npu__fold_prepare, NULL, npu__##name##_eval, NULL};
NPU__SEGMENT_OP(unsorted_segment_max, NPU__COMBINE_MAX, -3.402823466e+38f, INT32_MIN)
NPU__SEGMENT_OP(unsorted_segment_min, NPU__COMBINE_MIN, 3.402823466e+38f, INT32_MAX)
NPU__SEGMENT_OP(unsorted_segment_prod, NPU__COMBINE_MUL, 1.0f, 1)
NPU__SEGMENT_OP(unsorted_segment_sum, NPU__COMBINE_ADD, 0.0f, 0)
#undef NPU__SEGMENT_OP
