/* The normalisations that travel as composites. */
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

/* With scales, whatever its type: even floats may have some. */
NPU__FN int npu__neuron_is_quantized(const npu__val *v) { return v->t->quant.count > 0 && !v->t->blockwise; }

/* Constants that the plugin can turn into float32. One that it cannot leaves the whole operator as it is. */
NPU__FN int npu__neuron_has_floats(const npu__val *v) {
    int32_t lo, hi;
    return npu_type_bits((npu_type)v->type) >= 8 && npu__type_range(v->type, &lo, &hi);
}

NPU__FN int npu__neuron_in_floats(const npu__ctx *c) {
    for (int32_t i = 0; i < c->n_in; i++) {
        if (c->in[i] && c->in[i]->data && npu__neuron_is_quantized(c->in[i]) && !npu__neuron_has_floats(c->in[i])) return 0;
    }
    return 1;
}

/* A quantized constant as float32. */
NPU__FN uint32_t npu__neuron_floats(npu__neuron_make *m, const npu__val *v) {
    const npu_quant *q = &v->t->quant;
    const int32_t    axis = q->count > 1 ? npu__axis_in(q->axis, v->shape.rank) : -1;
    uint32_t         dims[NPU_MAX_RANK];
    const uint32_t   rank = npu__neuron_dims(v, dims);
    int64_t          n = 0, inner = 1;
    size_t           bytes = 0;
    float           *to;
    if (q->count > 1 && (axis < 0 || v->shape.dims[axis] != q->count)) {
        npu__neuron_refuse(m, m->seg->nodes[0], "neuron.gamma", "gamma has scales by channel, but not one for each");
        return 0;
    }
    (void)npu__shape_elems(&v->shape, &n); /* the tensor was checked */
    if (!npu__mul_size((size_t)n, sizeof *to, &bytes)) bytes = SIZE_MAX;
    for (int32_t i = axis + 1; axis >= 0 && i < v->shape.rank; i++) inner *= v->shape.dims[i]; /* bounded: less than n */
    to = (float *)npu__neuron_memory(m, bytes);
    if (to && npu__poll(&m->seg->ctx, n)) m->status = NPU_LIMIT;
    for (int64_t i = 0; to && i < n; i++) {
        const int64_t k = axis >= 0 ? i / inner % q->count : 0;
        to[i] = (float)((int64_t)npu__neuron_int_at(v, i) - q->zero_point[k]) * q->scale[k]; /* any zero point */
    }
    return npu__neuron_extra(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, rank, dims, to, to ? bytes : 0);
}

/* A tensor of float32 with the dimensions of a value. */
NPU__FN uint32_t npu__neuron_float_like(npu__neuron_make *m, const npu__val *v) {
    uint32_t       dims[NPU_MAX_RANK];
    const uint32_t rank = npu__neuron_dims(v, dims);
    return npu__neuron_extra(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, rank, dims, NULL, 0);
}

NPU__FN uint32_t npu__neuron_dequantized(npu__neuron_make *m, const npu__ctx *c, const npu__val *v) {
    uint32_t to;
    npu__neuron_begin(m);
    npu__neuron_push_value(m, v);
    to = npu__neuron_float_like(m, v);
    npu__neuron_end_in(m, c, NPU__NEURON_OP_DEQUANTIZE, NULL, to);
    return to;
}

/* Quantized data is normalised as float32: DEQUANTIZE before, QUANTIZE behind, constants computed now. */
NPU__FN void npu__neuron_lower_rms_norm(npu__neuron_make *m, const npu__ctx *c) {
    const char   *name = npu__neuron_oem_name(NPU__NEURON_NAME_RMS_NORMALIZATION);
    const int32_t axis = c->in[0]->shape.rank - 1;
    const int     in_floats = npu__neuron_in_floats(c);
    uint32_t      in[2] = {NPU__NEURON_NOT_YET, NPU__NEURON_NOT_YET}, result;
    for (int32_t i = 0; in_floats && i < c->n_in; i++) { /* inputs behind gamma too, although nobody reads them */
        if (!c->in[i] || c->in[i]->data || !npu__neuron_is_quantized(c->in[i])) continue;
        result = npu__neuron_dequantized(m, c, c->in[i]);
        if (i < 2) in[i] = result;
    }
    npu__neuron_begin(m);
    for (int32_t i = 0; i < 2; i++) {
        if (in[i] != NPU__NEURON_NOT_YET) npu__neuron_push(m, in[i]);
        else if (in_floats && npu__neuron_is_quantized(c->in[i])) npu__neuron_push(m, npu__neuron_floats(m, c->in[i]));
        else npu__neuron_push_value(m, c->in[i]);
        if (i == 0) npu__neuron_push(m, npu__neuron_one(m, NPU__NEURON_TYPE_TENSOR_INT32, &axis));
    }
    npu__neuron_push(m, npu__neuron_zeros(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, c->in[1]->shape.dims[0], 0.0f));
    npu__neuron_push_f32(m, FLT_EPSILON);
    npu__neuron_push_name(m, name);
    if (!in_floats || !npu__neuron_is_quantized(c->out[0])) {
        npu__neuron_end_named(m, c, name);
        return;
    }
    result = npu__neuron_float_like(m, c->out[0]);
    npu__neuron_end_in(m, c, 0, name, result);
    npu__neuron_begin(m);
    npu__neuron_push(m, result);
    npu__neuron_end(m, c, NPU__NEURON_OP_QUANTIZE);
}

NPU__FN void npu__neuron_lower_group_norm(npu__neuron_make *m, const npu__ctx *c) {
    const npu__flex map = npu__neuron_attributes(c->node), channels = npu__flex_get(map, "channel_axis");
    const char     *name = npu__neuron_oem_name(NPU__NEURON_NAME_LAYER_NORMALIZATION);
    const int32_t   rank = c->in[0]->shape.rank, given = (int32_t)npu__flex_i64(channels, 0);
    const int32_t   axis = npu__flex_kind_of(channels) == NPU__FLEX_NULL ? rank - 1 : given < 0 ? rank + given : given;
    npu__neuron_begin(m);
    npu__neuron_push_value(m, c->in[0]);
    npu__neuron_push(m, npu__neuron_one(m, NPU__NEURON_TYPE_TENSOR_INT32, &axis));
    npu__neuron_push_value(m, c->in[1]);
    if (c->n_in > 2 && c->in[2]) npu__neuron_push_value(m, c->in[2]);
    else npu__neuron_push(m, npu__neuron_zeros(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, c->in[1]->shape.dims[0], 0.0f));
    npu__neuron_push_f32(m, (float)npu__flex_f64(npu__flex_get(map, "epsilon"), 0.0));
    npu__neuron_push_name(m, name);
    npu__neuron_end_named(m, c, name);
}

NPU__FN void npu__neuron_lower_composite(npu__neuron_make *m, const npu__ctx *c, int32_t code) {
    (void)code;
    switch (npu__neuron_composite(c->node)) {
        case NPU__NEURON_RMS_NORM: npu__neuron_lower_rms_norm(m, c); return;
        case NPU__NEURON_GROUP_NORM: npu__neuron_lower_group_norm(m, c); return;
        case NPU__NEURON_L2_NORM: npu__neuron_lower_plain(m, c, NPU__NEURON_OP_L2_NORMALIZATION); return;
        default: npu__neuron_refuse(m, c, "neuron.composite", "there is no Neuron operation for this composite");
    }
}

#endif
