/* SVDF: a fully connected layer as `rank` filters, each with a memory of its last outputs. Float, hybrid (int8
 * weights) and int8 with an int16 state as LiteRT has them; int8 with an int8 state, which LiteRT reads out of
 * bounds, as tflite-micro defines it. */
#include "../kernels/gates.h"
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
    int32_t   time; /* slot: weights_time as floats (hybrid); -1: read as they lie */
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
    d->time = -1;
    if (d->kind == NPU__SVDF_HYBRID && npu__can_pack(c, 2)) {
        NPU__TRY(npu__want_array(c, 1, d->n_filter, d->n_memory, sizeof(float), &d->time));
    }
    NPU__TRY(npu__want_array(c, 0, d->n_filter, 1, 4, &d->filters));
    NPU__TRY(npu__matvec_want(c, d->n_in, d->n_filter, &d->staged, &d->sums));
    return npu__want_array(c, 0, d->n_in, 1, 1, &d->quantized);
}

NPU__FN npu_status npu__svdf_pack(npu__ctx *c) {
    const npu__svdf *d = (const npu__svdf *)c->data;
    const int8_t    *from = (const int8_t *)c->in[2]->data; /* UINT8 weights hold int8 as well */
    float           *to = d->time < 0 ? NULL : (float *)npu__slot(c, d->time);
    for (int64_t i = 0; to && i < npu__elems(c->in[2]); i++) to[i] = (float)from[i] * npu__scale(c->in[2]);
    return NPU_OK;
}

/* Every memory drops its oldest value. Shifting the whole tensor at once also moves values across filters, but only
 * into the newest places, which are written next. */
NPU__FN void npu__svdf_shift(npu__ctx *c) {
    npu__val *state = c->in[4];
    size_t    elem = state->type == NPU_FLOAT32 ? 4 : state->type == NPU_INT16 ? 2 : 1;
    if (state->bytes > elem) memmove(state->data, (uint8_t *)state->data + elem, state->bytes - elem);
}

NPU__FN void npu__svdf_matvec(npu__ctx *c, const npu__svdf *d, npu__matvec *m) {
    npu__matvec_init(m, c, d->staged, d->sums);
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
    const int8_t *time_q = (const int8_t *)c->in[2]->data;
    const float *time_f = d->kind == NPU__SVDF_FLOAT ? (const float *)c->in[2]->data
                          : d->time >= 0             ? (const float *)npu__slot(c, d->time)
                                                     : NULL;
    float       *out = (float *)c->out[0]->data, *state = (float *)c->in[4]->data;
    float       *filter = (float *)npu__slot(c, d->filters);
    npu__matvec  mv;
    float        time_scale = d->kind == NPU__SVDF_HYBRID ? npu__scale(c->in[2]) : 1.0f;
    npu__svdf_matvec(c, d, &mv);
    for (int32_t b = 0; b < d->n_batch; b++) {
        npu__svdf_features(c, d, &mv, x + (int64_t)b * d->n_in, filter);
        for (int32_t f = 0; f < d->n_filter; f++) {
            const size_t at = (size_t)f * (size_t)d->n_memory;
            float        sum = 0.0f;
            /* The newest value stands last; npu__svdf_shift has made its place free. */
            state[d->n_memory - 1] = filter[f];
            if (time_f && mv.f32) npu__matvec_f32(&mv, time_f + at, state, d->n_memory, NULL, filter + f, 1);
            else if (time_f) filter[f] = npu__ref_dot_f32(time_f + at, state, d->n_memory);
            for (int32_t m = 0; !time_f && m < d->n_memory; m++) sum += (float)time_q[at + (size_t)m] * time_scale * state[m];
            if (!time_f) filter[f] = sum;
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

/* What every filter's memory amounts to, to `out`, after `sums` (products with the input) have entered it. */
NPU__FN void npu__svdf_memories(npu__ctx *c, const npu__svdf *d, const npu__gates *fast, int32_t batch, const int32_t *sums, int32_t *out) {
    const int     wide = d->kind == NPU__SVDF_STATE16;
    const int32_t n = d->n_memory;
    const size_t  base = (size_t)batch * (size_t)d->n_filter * (size_t)n; /* bounded: of a tensor */
    int16_t      *newest = (int16_t *)(void *)out;
    int16_t      *state16 = wide ? (int16_t *)c->in[4]->data + base : NULL;
    int8_t       *state8 = wide ? NULL : (int8_t *)c->in[4]->data + base;
    memset(newest, 0, (size_t)d->n_filter * sizeof *newest);
    fast->add(sums, d->feature_mul, 1, newest, d->n_filter);
    for (int32_t f = 0; wide && f < d->n_filter; f++) state16[(size_t)f * (size_t)n + (size_t)n - 1] = newest[f];
    for (int32_t f = 0; !wide && f < d->n_filter; f++) {
        /* tflite-micro clamps before it adds the zero point, then wraps. */
        const int32_t v = npu__clamp32(newest[f], -128, 127) + d->state_zp;
        state8[(size_t)f * (size_t)n + (size_t)n - 1] = (int8_t)(uint8_t)((uint32_t)v & 255u);
    }
    fast->dots(wide ? (const void *)state16 : (const void *)state8, c->in[2]->data, wide, d->state_zp, n, d->n_filter, out);
}

NPU__FN npu_status npu__svdf_eval_int(npu__ctx *c, const npu__svdf *d) {
    const int8_t  *x = (const int8_t *)c->in[0]->data;
    const int32_t *bias = c->in[3] ? (const int32_t *)c->in[3]->data : NULL;
    const npu__gates *fast = npu__gates_select(npu__ctx_isa(c));
    const npu__i8_out stage = npu__i8_out_of(1, d->out_zp, -128, 127);
    uint8_t       *out = (uint8_t *)c->out[0]->data;
    const int32_t *sums;
    int32_t       *filter = (int32_t *)npu__slot(c, d->filters);
    npu__matvec    mv;
    npu__svdf_matvec(c, d, &mv);
    for (int32_t b = 0; b < d->n_batch; b++) {
        npu__matvec_stage(&mv, x + (int64_t)b * d->n_in, d->n_in, d->in_zp);
        sums = npu__matvec_i8(&mv, (const int8_t *)c->in[1]->data, NULL, d->n_filter);
        npu__svdf_memories(c, d, fast, b, sums, filter);
        for (int32_t u = 0; u < d->n_unit; u++) { /* in place: a unit reads its filters before it takes the place of earlier ones */
            uint32_t sum = bias ? (uint32_t)bias[u] : 0u;
            for (int32_t r = 0; r < d->rank; r++) sum += (uint32_t)filter[u * d->rank + r];
            filter[u] = (int32_t)sum;
        }
        if (mv.i8) mv.i8->finish_fixed(filter, d->n_unit, &d->out_mul, 0, &stage, out);
        else npu__finish_fixed(filter, d->n_unit, &d->out_mul, 0, &stage, out);
        out += d->n_unit;
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
                                        npu__svdf_prepare, npu__svdf_pack, npu__svdf_eval, npu__svdf_count};
