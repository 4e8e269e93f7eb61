/* FILL, ZEROS_LIKE, RANGE: tensors made from a few numbers. */
#include "move_util.h"
#include "string_util.h"

/* ---- FILL ---- */

NPU__FN npu_status npu__fill_infer(npu__ctx *c) {
    const npu__val *dims = c->in[0];
    npu__shape      s;
    NPU__TRY(npu__need_index_type(c, dims, "the dimensions"));
    NPU__TRY(npu__need_dims_vector(c, dims, "the list of dimensions"));
    NPU__TRY(npu__need_rank(c, c->in[1], "the value", 0, 0));
    if (!npu__values_known(dims)) return NPU__DYNAMIC;
    memset(&s, 0, sizeof s);
    s.rank = dims->shape.dims[0];
    for (int32_t i = 0; i < s.rank; i++) NPU__TRY(npu__dim_value(c, dims, npu__int_at(dims, i), &s.dims[i]));
    return npu__set_shape_type(c, 0, &s, c->in[1]->type);
}

NPU__FN npu_status npu__fill_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[1], c->out[0]));
    if (npu__elem_bytes(c->out[0]->type) == 0) return npu__fail_types(c);
    return npu__need_same_quant(c, c->in[1], c->out[0]);
}

NPU__FN npu_status npu__fill_eval(npu__ctx *c) {
    const npu__val *out = c->out[0];
    npu__fill_all(c, out->data, c->in[1]->data, npu__elems(out), npu__elem_bytes(out->type));
    return NPU_OK;
}

NPU__FN npu_status npu__fill_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[1]) ? npu__strings_prepare(c, 1, npu__fill_prepare) : npu__fill_prepare(c);
}

NPU__FN npu_status npu__fill_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[1]) ? npu__strings_move(c, 1, npu__fill_eval) : npu__fill_eval(c);
}

NPU__OPDEF(npu__op_fill) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_STRINGS, NPU__NO_DATA, npu__fill_infer, npu__fill_prepare_any,
                                        NULL, npu__fill_eval_any, NULL};

/* ---- ZEROS_LIKE ---- */

NPU__FN npu_status npu__zeros_like_infer(npu__ctx *c) {
    return npu__set_shape_type(c, 0, &c->in[0]->shape, c->in[0]->type);
}

/* INT8 as in tflite-micro: the number 0, whatever the zero point. */
NPU__FN npu_status npu__zeros_like_prepare(npu__ctx *c) {
    int32_t t = c->in[0]->type;
    return t == NPU_FLOAT32 || t == NPU_INT32 || t == NPU_INT64 || t == NPU_INT8 ? NPU_OK : npu__fail_types(c);
}

NPU__FN npu_status npu__zeros_like_eval(npu__ctx *c) {
    const uint8_t zero = 0;
    npu__fill_all(c, c->out[0]->data, &zero, (int64_t)c->out[0]->bytes, 1);
    return NPU_OK;
}

NPU__OPDEF(npu__op_zeros_like) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__zeros_like_infer,
                                              npu__zeros_like_prepare, NULL, npu__zeros_like_eval, NULL};

/* ---- RANGE ---- */

NPU__FN npu_status npu__range_bad(npu__ctx *c) {
    npu_status fault = NPU_INVALID_MODEL;
    for (int32_t i = 0; i < 3; i++) if (!npu__is_const(c->in[i])) fault = NPU_BAD_INPUT;
    return NPU__FAIL(c, fault, "range.values", "delta must not be 0 and must lead from start to limit");
}

NPU__FN npu_status npu__range_count_int(npu__ctx *c, int64_t *n) {
    int64_t  start = npu__int_at(c->in[0], 0), limit = npu__int_at(c->in[1], 0), delta = npu__int_at(c->in[2], 0);
    uint64_t span, step;
    if (delta == 0 || (delta > 0 ? start > limit : start < limit)) return npu__range_bad(c);
    /* Unsigned: the distance between two int64 may need all 64 bits. */
    span = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    span = span / step + (span % step != 0);
    if (span > INT32_MAX) return npu__range_bad(c);
    *n = (int64_t)span;
    return NPU_OK;
}

NPU__FN npu_status npu__range_count_f32(npu__ctx *c, int64_t *n) {
    float start = *(const float *)c->in[0]->data, limit = *(const float *)c->in[1]->data;
    float delta = *(const float *)c->in[2]->data, count;
    if (!((start >= limit && delta < 0) || (start <= limit && delta > 0))) return npu__range_bad(c);
    /* In float, as LiteRT's GetSize; NaN and infinity fail the test below. */
    count = ceilf(fabsf((limit - start) / delta));
    if (!(count < 2147483648.0f)) return npu__range_bad(c);
    *n = (int64_t)count;
    return NPU_OK;
}

NPU__FN npu_status npu__range_infer(npu__ctx *c) {
    int32_t type = c->in[0]->type;
    int64_t n = 0;
    if (type != NPU_FLOAT32 && type != NPU_INT32 && type != NPU_INT64) return npu__fail_types(c);
    for (int32_t i = 0; i < 3; i++) {
        NPU__TRY(npu__need_rank(c, c->in[i], "start, limit and delta", 0, 0));
        NPU__TRY(npu__need_type(c, c->in[i], "start, limit and delta", type));
    }
    for (int32_t i = 0; i < 3; i++) if (!npu__values_known(c->in[i])) return NPU__DYNAMIC;
    NPU__TRY(type == NPU_FLOAT32 ? npu__range_count_f32(c, &n) : npu__range_count_int(c, &n));
    {
        npu__shape s = npu__shape_make(1, (int32_t)n, 0, 0, 0);
        return npu__set_shape_type(c, 0, &s, type);
    }
}

NPU__FN npu_status npu__range_prepare(npu__ctx *c) {
    (void)c;
    return NPU_OK;
}

/* Every value is the one before plus delta: in float the rounding errors add up as they do in LiteRT. */
NPU__FN npu_status npu__range_eval(npu__ctx *c) {
    int64_t n = npu__elems(c->out[0]), done = 0;
    if (n == 0) return NPU_OK;
    if (c->out[0]->type == NPU_FLOAT32) {
        float value = *(const float *)c->in[0]->data, delta = *(const float *)c->in[2]->data;
        float *out = (float *)c->out[0]->data;
        for (int64_t i = 0; i < n; i++, value += delta) {
            out[i] = value;
            NPU__POLL_PASS(c, done, 1);
        }
    } else {
        uint64_t value = (uint64_t)npu__int_at(c->in[0], 0), delta = (uint64_t)npu__int_at(c->in[2], 0);
        for (int64_t i = 0; i < n; i++, value += delta) {
            if (c->out[0]->type == NPU_INT64) ((int64_t *)c->out[0]->data)[i] = (int64_t)value;
            else ((int32_t *)c->out[0]->data)[i] = (int32_t)(uint32_t)value;
            NPU__POLL_PASS(c, done, 1);
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_range) = {3, 3, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__range_infer,
                                         npu__range_prepare, NULL, npu__range_eval, NULL};
