/* SVDF: a fully connected layer as `rank` filters, each with a memory of its last outputs. Float, hybrid (int8
 * weights) and int8 with an int16 state as LiteRT has them; int8 with an int8 state, which LiteRT reads out of
 * bounds, as tflite-micro defines it. */
#include "matvec.h"
#include "scratch.h"

enum { NPU__SVDF_FLOAT = 0, NPU__SVDF_HYBRID = 1, NPU__SVDF_STATE16 = 2, NPU__SVDF_STATE8 = 3 };

typedef struct npu__svdf {
    const char *kernel; /* for profiles */
    int32_t   kind;
    int32_t   n_batch, n_in, n_filter, n_unit, n_memory, rank;
    int32_t   activation, asymmetric;
    int32_t   filters, sums, staged, quantized; /* slots: the filters' results, npu__matvec's two, one int8 row */
    npu__qmul feature_mul, out_mul;
    int32_t   in_zp, out_zp, state_zp;
} npu__svdf;

NPU__FN npu_status npu__svdf_infer(npu__ctx *c) {
    int32_t    rank = NPU__OPTIONS(c->node, SVDFOptions)->rank;
    int32_t    filters;
    npu__shape s;
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[1], "weights_feature", 2, 2));
    filters = c->in[1]->shape.dims[0];
    if (rank < 1 || filters % rank != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "svdf.rank", "rank must be positive and divide the %d filters: got %d",
                         filters, rank);
    }
    s = npu__shape_make(2, c->in[0]->shape.dims[0], filters / rank, 0, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__svdf_check_shapes(npu__ctx *c, npu__svdf *d) {
    const npu__val *feature = c->in[1], *time = c->in[2], *bias = c->in[3], *state = c->in[4];
    NPU__TRY(npu__need_rank(c, time, "weights_time", 2, 2));
    NPU__TRY(npu__need_rank(c, state, "state", 2, 2));
    if (bias) NPU__TRY(npu__need_rank(c, bias, "bias", 1, 1));
    d->rank = NPU__OPTIONS(c->node, SVDFOptions)->rank;
    d->n_batch = c->in[0]->shape.dims[0];
    d->n_in = c->in[0]->shape.dims[1];
    d->n_filter = feature->shape.dims[0];
    d->n_unit = d->n_filter / d->rank;
    d->n_memory = time->shape.dims[1];
    if (feature->shape.dims[1] != d->n_in || time->shape.dims[0] != d->n_filter ||
        (bias && bias->shape.dims[0] != d->n_unit) || state->shape.dims[0] != d->n_batch ||
        state->shape.dims[1] != (int64_t)d->n_memory * d->n_filter) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "svdf.shape",
                         "weights, bias and state must fit %d inputs, %d filters, %d units and a memory of %d",
                         d->n_in, d->n_filter, d->n_unit, d->n_memory);
    }
    if (d->n_memory < 1 || d->n_filter < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "svdf.empty", "filters and memory must not be empty: got %d and %d",
                         d->n_filter, d->n_memory);
    }
    if (!state->t->is_variable) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "svdf.state", "the state must be a variable tensor");
    }
    return NPU_OK;
}

NPU__FN npu_status npu__svdf_check_types(npu__ctx *c, npu__svdf *d) {
    int32_t x = c->in[0]->type, feature = c->in[1]->type, time = c->in[2]->type, state = c->in[4]->type;
    int32_t bias;
    int     hybrid = feature == NPU_INT8 || feature == NPU_UINT8;
    if (x == NPU_FLOAT32 && feature == NPU_FLOAT32 && time == NPU_FLOAT32) d->kind = NPU__SVDF_FLOAT;
    else if (x == NPU_FLOAT32 && hybrid && time == feature) d->kind = NPU__SVDF_HYBRID;
    else if (x == NPU_INT8 && feature == NPU_INT8 && time == NPU_INT16) d->kind = NPU__SVDF_STATE16;
    else if (x == NPU_INT8 && feature == NPU_INT8 && time == NPU_INT8) d->kind = NPU__SVDF_STATE8;
    else return npu__fail_types(c);
    bias = x == NPU_FLOAT32 ? NPU_FLOAT32 : NPU_INT32;
    if (state != (x == NPU_FLOAT32 ? NPU_FLOAT32 : time)) return npu__fail_types(c);
    if ((c->in[3] && c->in[3]->type != bias) || c->out[0]->type != x) return npu__fail_types(c);
    return NPU_OK;
}

NPU__FN npu_status npu__svdf_quant(npu__ctx *c, npu__svdf *d) {
    const npu__val *x = c->in[0], *feature = c->in[1], *time = c->in[2], *state = c->in[4], *out = c->out[0];
    NPU__TRY(npu__need_quant(c, feature, "weights_feature"));
    NPU__TRY(npu__need_quant(c, time, "weights_time"));
    if (d->kind == NPU__SVDF_HYBRID) return NPU_OK;
    NPU__TRY(npu__need_quant(c, x, "input"));
    NPU__TRY(npu__need_quant(c, state, "state"));
    NPU__TRY(npu__need_quant(c, out, "output"));
    /* Float products and quotients in this order, as LiteRT and tflite-micro prepare them. */
    d->feature_mul = npu__qmul_of((double)(npu__scale(x) * npu__scale(feature) / npu__scale(state)));
    d->out_mul = npu__qmul_of((double)(npu__scale(state) * npu__scale(time) / npu__scale(out)));
    d->in_zp = npu__zero_point(x);
    d->out_zp = npu__zero_point(out);
    d->state_zp = d->kind == NPU__SVDF_STATE8 ? npu__zero_point(state) : 0;
    return NPU_OK;
}

NPU__FN npu_status npu__svdf_prepare(npu__ctx *c) {
    npu__svdf *d = (npu__svdf *)c->data;
    NPU__TRY(npu__svdf_check_shapes(c, d));
    NPU__TRY(npu__svdf_check_types(c, d));
    d->kernel = npu__matvec_name(c, d->kind != NPU__SVDF_FLOAT);
    d->activation = npu__fused_activation(c->node);
    d->asymmetric = NPU__OPTIONS(c->node, SVDFOptions)->asymmetric_quantize_inputs;
    if (d->kind <= NPU__SVDF_HYBRID && (d->activation < NPU__ACT_NONE || d->activation > NPU__ACT_TANH)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "svdf.activation", "activation code %d is not supported", d->activation);
    }
    if (d->kind != NPU__SVDF_FLOAT) NPU__TRY(npu__svdf_quant(c, d));
    NPU__TRY(npu__want_array(c, 0, d->n_filter, 1, 4, &d->filters));
    NPU__TRY(npu__want_array(c, 0, d->n_filter, 1, sizeof(int32_t), &d->sums));
    NPU__TRY(npu__want_array(c, 0, d->n_in, 1, sizeof(int16_t), &d->staged));
    return npu__want_array(c, 0, d->n_in, 1, 1, &d->quantized);
}

/* Every memory drops its oldest value. Shifting the whole tensor at once also moves values across filters, but only
 * into the newest places, which are written next. */
NPU__FN void npu__svdf_shift(npu__ctx *c) {
    npu__val *state = c->in[4];
    size_t    elem = state->type == NPU_FLOAT32 ? 4 : state->type == NPU_INT16 ? 2 : 1;
    if (state->bytes > elem) memmove(state->data, (uint8_t *)state->data + elem, state->bytes - elem);
}

NPU__FN void npu__svdf_matvec(npu__ctx *c, const npu__svdf *d, npu__matvec *m) {
    npu__matvec_init(m, c, (int16_t *)npu__slot(c, d->staged), (int32_t *)npu__slot(c, d->sums));
}

/* Output of every filter for one input row, float. */
NPU__FN void npu__svdf_features(npu__ctx *c, const npu__svdf *d, npu__matvec *m, const float *x, float *to) {
    if (d->kind == NPU__SVDF_FLOAT) {
        npu__matvec_f32(m, (const float *)c->in[1]->data, x, d->n_in, NULL, to, d->n_filter);
    } else {
        const float scale = npu__matvec_quantize(m, x, d->n_in, d->asymmetric, (int8_t *)npu__slot(c, d->quantized));
        npu__matvec_hybrid(m, c->in[1], scale, NULL, to, d->n_filter);
    }
}

/* Steps of one row of the input. */
NPU__FN int64_t npu__svdf_row_steps(const npu__svdf *d) {
    return npu__sat_mul(d->n_filter, (int64_t)d->n_in + d->n_memory);
}

NPU__FN npu_status npu__svdf_eval_float(npu__ctx *c, const npu__svdf *d) {
    const float *x = (const float *)c->in[0]->data, *bias = c->in[3] ? (const float *)c->in[3]->data : NULL;
    const float *time_f = (const float *)c->in[2]->data;
    const int8_t *time_q = (const int8_t *)c->in[2]->data;
    float       *out = (float *)c->out[0]->data, *state = (float *)c->in[4]->data;
    float       *filter = (float *)npu__slot(c, d->filters);
    npu__matvec  mv;
    float        time_scale = d->kind == NPU__SVDF_HYBRID ? npu__scale(c->in[2]) : 1.0f;
    npu__svdf_matvec(c, d, &mv);
    for (int32_t b = 0; b < d->n_batch; b++) {
        npu__svdf_features(c, d, &mv, x + (int64_t)b * d->n_in, filter);
        for (int32_t f = 0; f < d->n_filter; f++) {
            int64_t at = (int64_t)f * d->n_memory;
            float   sum = 0.0f;
            /* The newest value stands last; npu__svdf_shift has made its place free. */
            state[d->n_memory - 1] = filter[f];
            for (int32_t m = 0; m < d->n_memory; m++) {
                float w = d->kind == NPU__SVDF_HYBRID ? (float)time_q[at + m] * time_scale : time_f[at + m];
                sum += w * state[m];
            }
            filter[f] = sum;
            state += d->n_memory;
        }
        for (int32_t u = 0; u < d->n_unit; u++) {
            float sum = bias ? bias[u] : 0.0f;
            for (int32_t r = 0; r < d->rank; r++) sum += filter[u * d->rank + r];
            out[u] = sum;
        }
        npu__matvec_activate(mv.pw, out, d->n_unit, d->activation);
        out += d->n_unit;
        NPU__POLL(c, npu__svdf_row_steps(d));
    }
    return NPU_OK;
}

/* time . state, modulo 2^32; int16 states have zero point 0 */
NPU__INLINE int32_t npu__svdf_dot16(const int16_t *time, const int16_t *state, int32_t n) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (uint32_t)((int32_t)time[i] * state[i]);
    return (int32_t)sum;
}

/* The newest state of a filter, in the state's units without its zero point. */
NPU__INLINE int32_t npu__svdf_newest(const npu__svdf *d, int32_t sum) {
    int32_t limit = d->kind == NPU__SVDF_STATE16 ? 32767 : 127;
    return npu__clamp32(npu__qmul_apply(sum, d->feature_mul), -limit - 1, limit);
}

/* What every filter's memory amounts to, after `sums` (products with the input) have entered it. */
NPU__FN void npu__svdf_memories(npu__ctx *c, const npu__svdf *d, int32_t batch, const int32_t *sums, int32_t *out) {
    const void *time = c->in[2]->data;
    int32_t     n = d->n_memory;
    for (int32_t f = 0; f < d->n_filter; f++) {
        int64_t at = (int64_t)f * n, base = (int64_t)batch * d->n_filter * n + at;
        int32_t newest = npu__svdf_newest(d, sums[f]);
        if (d->kind == NPU__SVDF_STATE16) {
            int16_t *state = (int16_t *)c->in[4]->data + base;
            state[n - 1] = (int16_t)newest;
            out[f] = npu__svdf_dot16((const int16_t *)time + at, state, n);
        } else {
            int8_t *state = (int8_t *)c->in[4]->data + base;
            state[n - 1] = (int8_t)(uint8_t)((uint32_t)(newest + d->state_zp) & 255u); /* tflite-micro wraps here */
            out[f] = npu__ref_dot_i8(state, (const int8_t *)time + at, n, d->state_zp);
        }
    }
}

NPU__FN npu_status npu__svdf_eval_int(npu__ctx *c, const npu__svdf *d) {
    const int8_t  *x = (const int8_t *)c->in[0]->data;
    const int32_t *bias = c->in[3] ? (const int32_t *)c->in[3]->data : NULL;
    int8_t        *out = (int8_t *)c->out[0]->data;
    int32_t       *filter = (int32_t *)npu__slot(c, d->filters);
    npu__matvec    mv;
    npu__svdf_matvec(c, d, &mv);
    for (int32_t b = 0; b < d->n_batch; b++) {
        npu__matvec_stage(&mv, x + (int64_t)b * d->n_in, d->n_in, d->in_zp);
        npu__svdf_memories(c, d, b, npu__matvec_i8(&mv, (const int8_t *)c->in[1]->data, NULL, d->n_filter), filter);
        for (int32_t u = 0; u < d->n_unit; u++) {
            uint32_t sum = bias ? (uint32_t)bias[u] : 0u;
            int32_t  y;
            for (int32_t r = 0; r < d->rank; r++) sum += (uint32_t)filter[u * d->rank + r];
            y = npu__qmul_apply((int32_t)sum, d->out_mul);
            *out++ = (int8_t)npu__clamp32((int32_t)((uint32_t)y + (uint32_t)d->out_zp), -128, 127);
        }
        NPU__POLL(c, npu__svdf_row_steps(d));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__svdf_eval(npu__ctx *c) {
    const npu__svdf *d = (const npu__svdf *)c->data;
    npu__svdf_shift(c);
    return d->kind <= NPU__SVDF_HYBRID ? npu__svdf_eval_float(c, d) : npu__svdf_eval_int(c, d);
}

NPU__FN npu__work npu__svdf_count(const npu__ctx *c) {
    const npu__svdf *d = (const npu__svdf *)c->data;
    return npu__work_macs(c, npu__sat_mul(d->n_batch, npu__svdf_row_steps(d)));
}

NPU__OPDEF(npu__op_svdf) = {5, 5, 1, 1, 1u << 3, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__svdf), npu__svdf_infer,
                                        npu__svdf_prepare, NULL, npu__svdf_eval, npu__svdf_count};
