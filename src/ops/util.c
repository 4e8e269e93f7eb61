/* Shared checks and small computations of operators. */
#include "util.h"
#include "../kernels/vec_loop.h"

NPU__FN npu_status npu__fail_types(npu__ctx *c) {
    char   list[160];
    size_t n = 0;
    list[0] = 0;
    for (int32_t i = 0; i < c->n_in && n + 24 < sizeof list; i++) {
        const char *name = c->in[i] ? npu_type_name((npu_type)c->in[i]->type) : "-";
        n += npu__format(list + n, sizeof list - n, "%s%s", i ? ", " : "", name);
    }
    if (c->n_out > 0 && n + 24 < sizeof list) {
        npu__format(list + n, sizeof list - n, " -> %s", npu_type_name((npu_type)c->out[0]->type));
    }
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.types", "this combination of types is not supported: %s", list);
}

NPU__FN npu_status npu__need_rank(npu__ctx *c, const npu__val *v, const char *what, int32_t lo, int32_t hi) {
    if (v->shape.rank >= lo && v->shape.rank <= hi) return NPU_OK;
    if (lo == hi) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.rank", "%s must have %d dimensions: got %d", what, lo,
                         v->shape.rank);
    }
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.rank", "%s must have %d to %d dimensions: got %d", what, lo, hi,
                     v->shape.rank);
}

NPU__FN npu_status npu__need_type(npu__ctx *c, const npu__val *v, const char *what, int32_t type) {
    if (v->type == type) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.type", "%s must be %s: got %s", what, npu_type_name((npu_type)type),
                     npu_type_name((npu_type)v->type));
}

NPU__FN npu_status npu__need_quant(npu__ctx *c, const npu__val *v, const char *what) {
    int32_t lo, hi;
    float   s;
    if (v->t->quant.count < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.quant_missing", "%s needs quantization parameters: it has none",
                         what);
    }
    s = v->t->quant.scale[0];
    if (!(s > 0.0f) || s > 3.0e38f) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.quant_scale", "%s needs a positive, finite scale: got %g", what,
                         (double)s);
    }
    if (!npu__type_range(v->type, &lo, &hi)) return npu__fail_types(c);
    if (v->t->quant.zero_point[0] < lo || v->t->quant.zero_point[0] > hi) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.quant_zero_point", "zero point of %s must be in [%d, %d]: got %d",
                         what, lo, hi, v->t->quant.zero_point[0]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__need_block_scales(npu__ctx *c, const npu__val *w, int64_t rows, int32_t depth, int32_t *block,
                                          const uint16_t **scales) {
    const npu__blockwise *b = w->t->blockwise;
    const npu__tensor    *s = npu__ctx_tensor(c, b->scales);
    int64_t               n = 0;
    *block = b->block_size;
    *scales = NULL;
    if (*block < 1 || depth % *block != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.block_size", "weights of depth %d cannot have blocks of %d", depth, *block);
    }
    if (!s || !s->data || s->type != NPU_FLOAT16 || s->sparsity || !npu__shape_elems(&s->shape, &n) || n != rows * (depth / *block)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.block_scales", "blockwise weights need a constant FLOAT16 tensor with "
                         "%l x %d scales", rows, depth / *block);
    }
    *scales = (const uint16_t *)(const void *)s->data;
    return NPU_OK;
}

NPU__FN npu_status npu__need_channel_quant(npu__ctx *c, const npu__val *v, const char *what, int64_t n) {
    const npu_quant *q = &v->t->quant;
    if (q->count == 1 || (q->count > 1 && q->count == n)) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.quant_count", "%s must have one scale or one for each of %l "
                     "channels: got %d", what, n, q->count);
}

/* Float and integer kinds share the refusal: TANH and SIGN_BIT are fused by some operators only. */
NPU__FN npu_status npu__act_refused(npu__ctx *c, int32_t act) {
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.fused_activation",
                     "fused activation %d is not supported here: use NONE, RELU, RELU_N1_TO_1 or RELU6", act);
}

NPU__FN npu_status npu__act_range_f32(npu__ctx *c, int32_t act, float *lo, float *hi) {
    const float max = 3.402823466e+38f;
    switch (act) {
    case NPU__ACT_NONE: *lo = -max; *hi = max; return NPU_OK;
    case NPU__ACT_RELU: *lo = 0.0f; *hi = max; return NPU_OK;
    case NPU__ACT_RELU_N1_TO_1: *lo = -1.0f; *hi = 1.0f; return NPU_OK;
    case NPU__ACT_RELU6: *lo = 0.0f; *hi = 6.0f; return NPU_OK;
    default: return npu__act_refused(c, act);
    }
}

/* Source: CalculateActivationRangeQuantized of TFLite: bounds are zero_point + round(real / scale), computed in float. */
NPU__FN npu_status npu__act_range_q(npu__ctx *c, int32_t act, const npu__val *out, int32_t *lo, int32_t *hi) {
    int32_t qmin, qmax;
    int64_t q_lo, q_hi, zp;
    float   real_lo = 0.0f, real_hi = 0.0f, scale;
    if (!npu__type_range(out->type, &qmin, &qmax)) return npu__fail_types(c);
    *lo = qmin;
    *hi = qmax;
    if (act == NPU__ACT_NONE) return NPU_OK;
    NPU__TRY(npu__act_range_f32(c, act, &real_lo, &real_hi));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    scale = npu__scale(out);
    zp = npu__zero_point(out);
    q_lo = npu__f32_to_i32(npu__roundf(real_lo / scale)) + zp;
    *lo = (int32_t)NPU__MIN(NPU__MAX((int64_t)qmin, q_lo), (int64_t)qmax);
    if (act == NPU__ACT_RELU) return NPU_OK;
    q_hi = npu__f32_to_i32(npu__roundf(real_hi / scale)) + zp;
    *hi = (int32_t)NPU__MAX(NPU__MIN((int64_t)qmax, q_hi), (int64_t)qmin);
    return NPU_OK;
}

NPU__FN npu_status npu__broadcast_shape(npu__ctx *c, const npu__shape *a, const npu__shape *b, npu__shape *out) {
    npu__shape s;
    memset(&s, 0, sizeof s);
    s.rank = NPU__MAX(a->rank, b->rank);
    /* From the last dimension; what a shape lacks in front counts as 1. A dimension of 0 stays 0. */
    for (int32_t i = 1; i <= s.rank; i++) {
        int32_t da = i <= a->rank ? a->dims[a->rank - i] : 1, db = i <= b->rank ? b->dims[b->rank - i] : 1;
        if (da != db && da != 1 && db != 1) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "op.broadcast",
                             "inputs do not broadcast: dimension %d from the end is %d and %d", i, da, db);
        }
        s.dims[s.rank - i] = da == 1 ? db : da;
    }
    *out = s;
    return NPU_OK;
}

NPU__FN int64_t npu__int_at(const npu__val *v, int64_t i) {
    switch (v->type) {
    case NPU_INT32: return ((const int32_t *)v->data)[i];
    case NPU_INT64: return ((const int64_t *)v->data)[i];
    case NPU_INT16: return ((const int16_t *)v->data)[i];
    case NPU_INT8: return ((const int8_t *)v->data)[i];
    case NPU_UINT8: return ((const uint8_t *)v->data)[i];
    case NPU_UINT16: return ((const uint16_t *)v->data)[i];
    case NPU_UINT32: return ((const uint32_t *)v->data)[i];
    default: return 0;
    }
}

/* Blocks without it go by vectors. */
#define NPU__FIND_BLOCKS(T)                                                               \
    for (; end - i >= 64; i += 64) {                                                      \
        const T *p = (const T *)v->data + i, wanted = (T)value;                           \
        int32_t  found = 0;                                                               \
        NPU__VEC_FOR(k, 64) found |= p[k] == wanted;                                      \
        if (found) break;                                                                 \
    }
NPU__FN int64_t npu__find_int(const npu__val *v, int64_t value, int64_t i, int64_t end) {
    switch (npu_type_bits((npu_type)v->type)) {
    case 8: NPU__FIND_BLOCKS(uint8_t) break;
    case 16: NPU__FIND_BLOCKS(uint16_t) break;
    case 32: NPU__FIND_BLOCKS(uint32_t) break;
    default: break;
    }
    for (; i < end; i++) {
        if (npu__int_at(v, i) == value) return i;
    }
    return -1;
}
#undef NPU__FIND_BLOCKS

NPU__FN void npu__unpack_int4(const uint8_t *in, int64_t n, int8_t *out) {
    for (int64_t i = 0; i < n; i++) {
        int v = (in[i >> 1] >> ((i & 1) * 4)) & 15;
        out[i] = (int8_t)(v >= 8 ? v - 16 : v);
    }
}

typedef struct npu__copy_job {
    uint8_t       *to;
    const uint8_t *from;
} npu__copy_job;

NPU__FN void npu__copy_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    /* Bytes, not elements: memcpy does not care where a thread's part begins. */
    const npu__copy_job *job = (const npu__copy_job *)arg;
    (void)thread;
    memcpy(job->to + begin, job->from + begin, (size_t)(end - begin));
}

NPU__FN void npu__copy_bytes(npu__ctx *c, void *to, const void *from, size_t bytes) {
    npu__copy_job job;
    job.to = (uint8_t *)to;
    job.from = (const uint8_t *)from;
    if (bytes > 0 && to != from) npu__parallel(c, (int64_t)bytes, 1 << 18, npu__copy_part, &job);
}

NPU__FN npu__work npu__work_each(const npu__ctx *c, int64_t steps) {
    return npu__work_steps(c, npu__sat_mul(npu__elems(c->out[0]), steps));
}

NPU__FN npu__work npu__work_exp(const npu__ctx *c) {
    const int32_t t = c->in[0]->type;
    /* 16 steps for a call of libm, about what it takes; integers look their results up. */
    const int     real = t == NPU_FLOAT32 || t == NPU_FLOAT16 || t == NPU_BFLOAT16 || t == NPU_FLOAT64 ||
                     t == NPU_COMPLEX64 || t == NPU_COMPLEX128;
    return real ? npu__work_each(c, 16) : npu__work_elements(c);
}

NPU__FN npu_status npu__infer_same_as_in0(npu__ctx *c) { return npu__set_shape(c, 0, &c->in[0]->shape); }

NPU__FN npu_status npu__infer_broadcast2(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__broadcast_shape(c, &c->in[0]->shape, &c->in[1]->shape, &s));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__infer_same_shapes(npu__ctx *c) {
    if (npu__shape_eq(&c->in[0]->shape, &c->in[1]->shape)) return npu__set_shape(c, 0, &c->in[0]->shape);
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.same_shape", "inputs must have the same shape: broadcast before");
}
