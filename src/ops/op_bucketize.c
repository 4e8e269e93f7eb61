/* BUCKETIZE: how many of the options' boundaries are not above each element. */
#include "move_util.h"

NPU__FN npu_status npu__bucketize_infer(npu__ctx *c) {
    return npu__set_shape_type(c, 0, &c->in[0]->shape, NPU_INT32);
}

NPU__FN npu_status npu__bucketize_prepare(npu__ctx *c) {
    const npu__vec b = NPU__OPTIONS(c->node, BucketizeOptions)->boundaries;
    int64_t        done = 0;
    switch (c->in[0]->type) {
    case NPU_FLOAT32: case NPU_FLOAT64: case NPU_INT32: case NPU_INT64: break;
    default: return npu__fail_types(c);
    }
    for (uint32_t i = 1; i < b.n; i++) {
        NPU__POLL_PASS(c, done, 1);
        if (!(npu__vec_f32(b, i) < npu__vec_f32(b, i - 1))) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "bucketize.order", "boundaries must ascend: number %d is below the one before",
                         (int)i);
    }
    NPU__POLL(c, done); /* a file may share one list among many operators: all count */
    return NPU_OK;
}

/* std::upper_bound, step by step: so NaN, among elements or boundaries, ends where it does in LiteRT. */
#define NPU__BUCKET_OF(name, T, BELOW)                                 \
    NPU__FN int32_t name(T x, npu__vec b) {                            \
        uint32_t first = 0, n = (uint32_t)b.n;                         \
        while (n > 0) {                                                \
            const uint32_t half = n / 2;                               \
            const float    y = npu__vec_f32(b, first + half);          \
            if (BELOW) {                                               \
                n = half;                                              \
            } else {                                                   \
                first += half + 1;                                     \
                n -= half + 1;                                         \
            }                                                          \
        }                                                              \
        return (int32_t)first;                                         \
    }
NPU__BUCKET_OF(npu__bucket_f32, float, x < y)
NPU__BUCKET_OF(npu__bucket_f64, double, x < (double)y)
#undef NPU__BUCKET_OF

NPU__FN npu_status npu__bucketize_eval(npu__ctx *c) {
    const npu__vec  b = NPU__OPTIONS(c->node, BucketizeOptions)->boundaries;
    const npu__val *in = c->in[0];
    int32_t        *out = (int32_t *)c->out[0]->data;
    int64_t         done = 0;
    for (int64_t i = 0; i < npu__elems(in); i++) {
        /* Integers are compared as float, as C does. */
        if (in->type == NPU_FLOAT32) out[i] = npu__bucket_f32(((const float *)in->data)[i], b);
        else if (in->type == NPU_FLOAT64) out[i] = npu__bucket_f64(((const double *)in->data)[i], b);
        else out[i] = npu__bucket_f32((float)npu__int_at(in, i), b);
        NPU__POLL_PASS(c, done, 16);
    }
    return NPU_OK;
}

NPU__FN npu__work npu__bucketize_work(const npu__ctx *c) { return npu__work_each(c, 16); }

NPU__OPDEF(npu__op_bucketize) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__bucketize_infer,
                                 npu__bucketize_prepare, NULL, npu__bucketize_eval, npu__bucketize_work};
