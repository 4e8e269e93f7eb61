/* What predicates and the planner look at. Nodes may be malformed: nothing has been prepared. */
#include "look.h"

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

/* ---- tensors ---- */

NPU__FN int32_t npu__mdla_type_of(const npu__val *v, npu__got *got) {
    const npu_quant *q = &v->t->quant;
    switch (v->type) {
    case NPU_FLOAT32: return NPU__MDLA_T_FP32;
    case NPU_FLOAT16: return NPU__MDLA_T_FP16;
    case NPU_UINT8: return NPU__MDLA_T_ASYM_U8;
    case NPU_INT16: return NPU__MDLA_T_SYM_I16;
    case NPU_INT8: break;
    default: return NPU__MDLA_T_OTHER;
    }
    if (npu__got_too_much(got, q->count)) return NPU__MDLA_T_OTHER;
    for (int32_t i = 0; i < q->count; i++) if (q->zero_point[i]) return NPU__MDLA_T_ASYM_I8;
    return NPU__MDLA_T_SYM_I8;
}

NPU__FN int npu__mdla_is_data(const npu__val *v) {
    return v && !(v->data && (v->type == NPU_INT32 || v->type == NPU_INT64));
}

/* Of the custom one it is assumed that it has the builtin's inputs. */
NPU__FN int npu__mdla_transposed(const npu__node *node) { return node->opts->table == NPU__T_TransposeConvOptions; }

NPU__FN const npu__val *npu__mdla_data(const npu__ctx *c) {
    const int32_t i = npu__mdla_transposed(c->node) ? 2 : c->node->code == NPU__BUILTIN_SPLIT ? 1 : 0;
    return i < c->n_in ? c->in[i] : NULL;
}

NPU__FN const npu__val *npu__mdla_weights(const npu__ctx *c) { return c->n_in > 1 ? c->in[1] : NULL; }

NPU__FN npu__mdla_image npu__mdla_image_of(const npu__shape *s) {
    npu__mdla_image m;
    m.rows = 1;
    m.c = s->rank > 0 ? s->dims[s->rank - 1] : 1;
    m.w = s->rank > 1 ? s->dims[s->rank - 2] : 1;
    m.h = s->rank > 2 ? s->dims[s->rank - 3] : 1;
    for (int32_t i = 0; i < s->rank - 2; i++) m.rows = npu__sat_mul(m.rows, s->dims[i]);
    return m;
}

/* n rounded up to a multiple of a small `step`; n is no more than a dimension. */
NPU__FN int64_t npu__mdla_up(int64_t n, int32_t step) { return (n + step - 1) / step * step; /* bounded: n + step */ }

NPU__FN int64_t npu__mdla_channels_16c(int32_t channels, int32_t bits) { return npu__mdla_up(channels, bits == 8 ? 16 : 8); }

NPU__FN int64_t npu__mdla_layout_bytes(const npu__shape *s, int32_t bits, int32_t layout) {
    const npu__mdla_image m = npu__mdla_image_of(s);
    int64_t               w = m.w, c = m.c;
#define NPU__X(name, most, channels_8, channels_16, width_8, width_16) \
    if (layout == NPU__MDLA_##name) { \
        c = npu__mdla_up(c, bits == 8 ? channels_8 : channels_16); \
        w = npu__mdla_up(w, bits == 8 ? width_8 : width_16); \
    }
    NPU__MDLA_LAYOUTS(NPU__X)
#undef NPU__X
    return npu__sat_mul(npu__sat_mul(npu__sat_mul(m.rows, w), c), bits / 8);
}

/* FP32 runs as FP16. */
NPU__FN int32_t npu__mdla_bits_of(const npu__val *v) {
    return v->type == NPU_FLOAT32 || v->type == NPU_FLOAT16 || v->type == NPU_INT16 ? 16 : 8;
}

NPU__FN int npu__mdla_is_hybrid(const npu__ctx *c) {
    const npu__val *data = npu__mdla_data(c), *w = npu__mdla_weights(c);
    return data && w && (data->type == NPU_FLOAT32 || data->type == NPU_FLOAT16) && npu__mdla_integers(w);
}

/* ---- element-wise operations ---- */

/* What an input that is smaller than the output spans: 0 a value, 1 channels, 2 height and width, 3 anything else. */
NPU__FN int32_t npu__mdla_span(const npu__shape *in, const npu__shape *out) {
    int along[3] = {0, 0, 0}; /* channels; width and height; others */
    for (int32_t i = 0; i < in->rank; i++) {
        const int32_t from_end = in->rank - 1 - i;
        if (in->dims[i] == 1) continue;
        along[from_end == 0 ? 0 : from_end <= 2 ? 1 : 2] = 1;
    }
    if (along[2] || (along[0] && along[1])) return 3;
    if (!along[1]) return along[0];
    if (in->rank < 3 || out->rank < 3) return 3; /* h and w: both as large as the output's */
    return in->dims[in->rank - 2] == out->dims[out->rank - 2] && in->dims[in->rank - 3] == out->dims[out->rank - 3] ? 2 : 3;
}

NPU__FN int32_t npu__mdla_broadcast(const npu__ctx *c, int32_t version, int32_t *smaller) {
    const int additive = c->node->code == NPU__BUILTIN_ADD || c->node->code == NPU__BUILTIN_MUL;
    int64_t   n[2], out;
    int32_t   span;
    int       constant;
    if (c->n_in < 2 || c->n_out < 1 || !c->in[0] || !c->in[1]) return NPU__MDLA_B_NONE;
    if (!npu__shape_elems(&c->in[0]->shape, &n[0]) || !npu__shape_elems(&c->in[1]->shape, &n[1]) ||
        !npu__shape_elems(&c->out[0]->shape, &out)) return NPU__MDLA_B_NONE;
    *smaller = n[1] <= n[0];
    if (n[*smaller] == out) return NPU__MDLA_B_NONE;
    if (n[!*smaller] != out) return NPU__MDLA_B_DMA; /* both are: no row speaks of it */
    constant = c->in[*smaller]->data != NULL;
    span = npu__mdla_span(&c->in[*smaller]->shape, &c->out[0]->shape);
    if (version == 30 && span == 2) return NPU__MDLA_B_HARDWARE;
    if (additive) { /* rows for 1.5 and 3.0 */
        if (!constant) return NPU__MDLA_B_DMA;
        return span <= 1 ? NPU__MDLA_B_HARDWARE : NPU__MDLA_B_ENLARGED;
    }
    if (version >= 20) return span <= 1 ? NPU__MDLA_B_HARDWARE : NPU__MDLA_B_DMA;
    if (c->node->code == NPU__BUILTIN_SUB) return constant ? NPU__MDLA_B_ENLARGED : NPU__MDLA_B_DMA;
    return constant ? NPU__MDLA_B_HARDWARE : NPU__MDLA_B_DMA;
}

/* ---- scales ---- */

NPU__FN int npu__mdla_integers(const npu__val *v) {
    return v->type == NPU_INT8 || v->type == NPU_UINT8 || v->type == NPU_INT16;
}

NPU__FN int npu__mdla_pool_requant(const npu__ctx *c) {
    const npu_quant *in, *out;
    if (c->n_in < 1 || !c->in[0] || c->n_out < 1 || !npu__mdla_integers(c->in[0])) return 0;
    in = &c->in[0]->t->quant;
    out = &c->out[0]->t->quant;
    return in->count == 1 && out->count == 1 && !npu__quant_same(in, out);
}

NPU__FN int npu__mdla_conv_requant(const npu__ctx *c, npu__got *got) {
    const npu__val  *data = npu__mdla_data(c), *weights = npu__mdla_weights(c);
    const npu_quant *q;
    if (!data || !weights || c->n_out < 1 || !npu__mdla_integers(data)) return 0;
    q = &weights->t->quant;
    if (data->t->quant.count != 1 || c->out[0]->t->quant.count != 1 || npu__got_too_much(got, q->count)) return 0;
    for (int32_t i = 0; i < q->count; i++) {
        const double product = (double)data->t->quant.scale[0] * (double)q->scale[i];
        if (product >= (double)c->out[0]->t->quant.scale[0]) return 1;
    }
    return 0;
}

/* ---- windows ---- */

NPU__FN int64_t npu__mdla_filter(const npu__ctx *c, int depthwise) {
    const npu__val   *weights = npu__mdla_weights(c);
    const npu__shape *s = weights ? &weights->shape : NULL;
    int64_t           n = 1;
    if (!s || s->rank < 4) return 0;
    if (c->node->code == NPU__BUILTIN_CONV_3D) { /* [d, h, w, in, out] */
        for (int32_t i = 0; i < s->rank - 1; i++) n = npu__sat_mul(n, s->dims[i]);
        return n;
    }
    n = npu__sat_mul(s->dims[1], s->dims[2]);
    return depthwise ? n : npu__sat_mul(n, s->dims[3]);
}

NPU__FN int32_t npu__mdla_outputs(const npu__ctx *c) {
    const npu__shape *s = c->n_out > 0 ? &c->out[0]->shape : NULL;
    return s && s->rank > 0 ? s->dims[s->rank - 1] : 0;
}

/* Where the parts of an axis begin and end, from constants: SLICE begins and ends, SPLIT every so many. */
NPU__FN int npu__mdla_cut(const npu__ctx *c, int32_t axis_from_end, int32_t step) {
    const npu__val *data = npu__mdla_data(c);
    const int32_t   axis = data ? data->shape.rank - 1 - axis_from_end : -1;
    if (axis < 0) return 0;
    if (c->node->code == NPU__BUILTIN_SPLIT) {
        int64_t at;
        if (c->n_in < 2 || !c->in[0] || !c->in[0]->data || c->in[0]->type != NPU_INT32 || c->in[0]->bytes < 4 ||
            c->n_out < 2) return 0;
        at = *(const int32_t *)c->in[0]->data;
        return npu__axis_in(at, data->shape.rank) == axis && c->out[0]->shape.rank > axis &&
            c->out[0]->shape.dims[axis] % step != 0;
    }
    if (c->n_in < 3 || c->n_out < 1 || !c->in[1] || !c->in[1]->data || c->in[1]->type != NPU_INT32) return 0;
    if (c->in[1]->bytes / 4 != (size_t)data->shape.rank || c->out[0]->shape.rank != data->shape.rank) return 0;
    {
        const int64_t begin = ((const int32_t *)c->in[1]->data)[axis], n = c->out[0]->shape.dims[axis];
        const int64_t all = data->shape.dims[axis];
        return begin % step != 0 || (begin + n != all && n % step != 0);
    }
}

NPU__FN int npu__mdla_cuts_unaligned(const npu__ctx *c, int32_t layout, int32_t bits) {
    if (layout == NPU__MDLA_4C) return npu__mdla_cut(c, 2, bits == 8 ? 4 : 2);
    return npu__mdla_cut(c, 0, bits == 8 ? 16 : 8);
}

/* ---- neighbours ---- */

NPU__FN int64_t npu__mdla_readers(const npu__node *node, int32_t tensor, npu__got *got, int32_t *reader) {
    const npu__links    *links = &got->scene->links[node->subgraph];
    const npu__subgraph *g = node->graph;
    int64_t              n = (int64_t)(links->first[tensor + 1] - links->first[tensor]);
    *reader = -1;
    if (npu__got_too_much(got, g->n_out)) return n + 1;
    for (int32_t i = 0; i < g->n_out; i++) n += g->out[i] == tensor;
    if (n == 1 && links->first[tensor + 1] > links->first[tensor]) *reader = links->reader[links->first[tensor]];
    return n;
}

NPU__FN const npu__node *npu__mdla_writer(const npu__node *node, int32_t i, const npu__got *got) {
    const int32_t t = i < node->n_in ? node->in[i] : -1, w = t < 0 ? -1 : got->scene->links[node->subgraph].writer[t];
    return w < 0 ? NULL : &node->graph->nodes[w];
}

NPU__FN int npu__mdla_pads(const npu__ctx *c, int64_t *most, int *other) {
    const npu__val *data = npu__mdla_data(c), *pads = npu__mdla_weights(c);
    const int32_t   rank = data ? data->shape.rank : 0;
    *most = 0;
    *other = 0;
    /* bounded: rank <= 8 */
    if (!pads || !pads->data || pads->type != NPU_INT32 || pads->bytes != (size_t)rank * 8) return 0;
    for (int32_t i = 0; i < 2 * rank; i++) { /* bounded: rank <= 8 */
        const int32_t by = ((const int32_t *)pads->data)[i];
        if (rank == 4 && (i / 2 == 1 || i / 2 == 2)) *most = NPU__MAX(*most, by);
        else *other |= by != 0;
    }
    return 1;
}

NPU__FN int npu__mdla_takes_pad(const npu__node *node) {
    const npu__mdla_op *op = npu__mdla_op_of(node);
    switch (node->code) {
    case NPU__BUILTIN_CONV_2D: case NPU__BUILTIN_DEPTHWISE_CONV_2D: case NPU__BUILTIN_TRANSPOSE_CONV:
    case NPU__BUILTIN_MAX_POOL_2D: case NPU__BUILTIN_AVERAGE_POOL_2D: case NPU__BUILTIN_L2_POOL_2D: return 1;
    default: return op && op->rate == NPU__MDLA_R_MIN_POOL;
    }
}

NPU__FN const char *npu__mdla_mapped(const npu__ctx *c, npu__got *got) {
    const npu__node *before = npu__mdla_writer(c->node, 0, got);
    const npu__val  *in = npu__mdla_data(c), *out = c->n_out > 0 ? c->out[0] : NULL;
    const int        de = c->node->code == NPU__BUILTIN_DEQUANTIZE;
    const int        re = !de && in && npu__mdla_integers(in);
    int32_t          code = -1, reader;
    if (!in || !out) return NULL;
    if (before && npu__mdla_readers(c->node, c->node->in[0], got, &reader) == 1) code = before->code;
    if (code == NPU__BUILTIN_CONV_2D || code == NPU__BUILTIN_FULLY_CONNECTED) {
        return re ? "requantize.1" : de ? "dequantize.1" : "quantize.1";
    }
    if (!re) return de ? "dequantize.2" : "quantize.2";
    if (code == NPU__BUILTIN_ABS || code == NPU__BUILTIN_NEG || code == NPU__BUILTIN_MINIMUM ||
        code == NPU__BUILTIN_MAXIMUM) {
        return "requantize.2";
    }
    return npu_type_bits((npu_type)in->type) == npu_type_bits((npu_type)out->type) ? "requantize.3.1" : "requantize.3.2";
}

#endif
