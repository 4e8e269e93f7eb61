/* ARG_MIN, ARG_MAX: where along an axis the smallest or largest element stands; the first of equals. */
#include "move_util.h"

NPU__FN npu_status npu__arg_infer(npu__ctx *c) {
    int32_t    type = c->node->code == NPU__BUILTIN_ARG_MIN ? NPU__OPTIONS(c->node, ArgMinOptions)->output_type
                                                            : NPU__OPTIONS(c->node, ArgMaxOptions)->output_type;
    int32_t    axis;
    npu__shape s;
    if (type != NPU_INT32 && type != NPU_INT64) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "arg_min_max.output_type",
                         "output_type must be INT32 or INT64: got %s", npu_type_name((npu_type)type));
    }
    NPU__TRY(npu__need_index_type(c, c->in[1], "the axis"));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__axis_value(c, c->in[1], c->in[0]->shape.rank, &axis));
    if (c->in[0]->shape.dims[axis] == 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "arg_min_max.empty", "there is nothing along axis %d", axis);
    }
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < c->in[0]->shape.rank; i++) if (i != axis) s.dims[s.rank++] = c->in[0]->shape.dims[i];
    return npu__set_shape_type(c, 0, &s, type);
}

typedef struct npu__arg_data {
    int32_t axis;
} npu__arg_data;

NPU__FN npu_status npu__arg_prepare(npu__ctx *c) {
    int32_t t = c->in[0]->type;
    if (t != NPU_FLOAT32 && t != NPU_INT32 && t != NPU_INT8 && t != NPU_UINT8 && t != NPU_BOOL) {
        return npu__fail_types(c);
    }
    return npu__axis_value(c, c->in[1], c->in[0]->shape.rank, &((npu__arg_data *)c->data)->axis);
}

/* BETTER(x, best) decides; `step` elements lie between neighbours along the axis. */
#define NPU__ARG_SCAN(name, type, BETTER)                                     \
    NPU__FN int32_t name(const void *data, int64_t at, int32_t n, int64_t step) { \
        const type *p = (const type *)data + at;                              \
        type        best = *p;                                                \
        int32_t     where = 0;                                                \
        for (int32_t i = 1; i < n; i++) {                                     \
            type x = p[i * step];                                             \
            if (BETTER(x, best)) {                                            \
                best = x;                                                     \
                where = i;                                                    \
            }                                                                 \
        }                                                                     \
        return where;                                                         \
    }
#define NPU__ARG_GT(x, best) ((x) > (best))
#define NPU__ARG_LT(x, best) ((x) < (best))
/* A number beats NaN, NaN beats nothing. */
#define NPU__ARG_GT_F32(x, best) ((x) > (best) || ((best) != (best) && (x) == (x)))
#define NPU__ARG_LT_F32(x, best) ((x) < (best) || ((best) != (best) && (x) == (x)))
NPU__ARG_SCAN(npu__arg_max_f32, float, NPU__ARG_GT_F32)
NPU__ARG_SCAN(npu__arg_min_f32, float, NPU__ARG_LT_F32)
NPU__ARG_SCAN(npu__arg_max_i32, int32_t, NPU__ARG_GT)
NPU__ARG_SCAN(npu__arg_min_i32, int32_t, NPU__ARG_LT)
NPU__ARG_SCAN(npu__arg_max_i8, int8_t, NPU__ARG_GT)
NPU__ARG_SCAN(npu__arg_min_i8, int8_t, NPU__ARG_LT)
NPU__ARG_SCAN(npu__arg_max_u8, uint8_t, NPU__ARG_GT)
NPU__ARG_SCAN(npu__arg_min_u8, uint8_t, NPU__ARG_LT)
#undef NPU__ARG_SCAN
#undef NPU__ARG_GT
#undef NPU__ARG_LT
#undef NPU__ARG_GT_F32
#undef NPU__ARG_LT_F32

NPU__FN npu_status npu__arg_run(npu__ctx *c, int is_max) {
    const npu__val *in = c->in[0], *out = c->out[0];
    int32_t         axis = ((const npu__arg_data *)c->data)->axis, n = in->shape.dims[axis], t = in->type;
    int64_t         inner = npu__dims_product(&in->shape, axis + 1, in->shape.rank), done = 0;
    int32_t (*scan)(const void *, int64_t, int32_t, int64_t) =
        t == NPU_FLOAT32 ? (is_max ? npu__arg_max_f32 : npu__arg_min_f32)
        : t == NPU_INT32 ? (is_max ? npu__arg_max_i32 : npu__arg_min_i32)
        : t == NPU_INT8  ? (is_max ? npu__arg_max_i8 : npu__arg_min_i8)
                         : (is_max ? npu__arg_max_u8 : npu__arg_min_u8);
    for (int64_t i = 0; i < npu__elems(out); i++) {
        /* Element i of the output: its place before the axis, and behind it. */
        int32_t where = scan(in->data, i / inner * n * inner + i % inner, n, inner);
        if (out->type == NPU_INT64) ((int64_t *)out->data)[i] = where;
        else ((int32_t *)out->data)[i] = where;
        NPU__POLL_PASS(c, done, n);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__arg_max_eval(npu__ctx *c) { return npu__arg_run(c, 1); }
NPU__FN npu_status npu__arg_min_eval(npu__ctx *c) { return npu__arg_run(c, 0); }

NPU__OPDEF(npu__op_arg_max) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__arg_data),
                                           npu__arg_infer, npu__arg_prepare, NULL, npu__arg_max_eval, NULL};
NPU__OPDEF(npu__op_arg_min) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__arg_data),
                                           npu__arg_infer, npu__arg_prepare, NULL, npu__arg_min_eval, NULL};
