/* What to tell of operators that are taken: when each hint of the guide applies. */
#include "look.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

/* ---- tensors ---- */

NPU__FN int npu__mdla_w_version(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__mdla_op *op = npu__mdla_op_of(c->node);
    const int32_t       v = c->node->version;
    (void)r;
    if (!op || !op->versions || (v >= 0 && v < 32 && (op->versions >> v & 1))) return 0;
    return npu__got_f(got, "version %d", v);
}

/* Does tensor `t` come from the network's caller, or go there? */
NPU__FN int npu__mdla_at_border(const npu__node *node, int32_t t, npu__got *got) {
    const npu__subgraph *g = node->graph;
    if (t < 0) return 0;
    if (got->scene->links[node->subgraph].writer[t] == NPU__CALLER) return 1;
    if (npu__got_too_much(got, g->n_out)) return 0;
    for (int32_t i = 0; i < g->n_out; i++) if (g->out[i] == t) return 1;
    return 0;
}

/* Inputs and outputs of the network that have one type. */
NPU__FN int npu__mdla_w_of_type(const npu__ctx *c, int32_t type, npu__got *got) {
    int found = 0;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        const int32_t   t = i < c->n_in ? c->node->in[i] : c->node->out[i - c->n_in];
        if (!v || v->data || npu__mdla_type_of(v, got) != type || !npu__mdla_at_border(c->node, t, got)) continue;
        npu__mdla_say(got, c, i, npu__mdla_type_name(type));
        found = 1;
    }
    return found;
}

NPU__FN int npu__mdla_w_asym_int8(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__mdla_w_of_type(c, NPU__MDLA_T_ASYM_I8, got);
}

NPU__FN int npu__mdla_w_fp32(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__mdla_w_of_type(c, NPU__MDLA_T_FP32, got);
}

NPU__FN int npu__mdla_w_channels(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int found = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__val *v = c->in[i];
        int32_t         n;
        if (!v || v->data || v->shape.rank < 2) continue;
        n = npu__mdla_image_of(&v->shape).c;
        if (n == 4 || npu__mdla_channels_16c(n, npu__mdla_bits_of(v)) == n) continue;
        npu__got_add(got, "input %d: %d", i, n);
        found = 1;
    }
    return found;
}

NPU__FN int npu__mdla_w_only_16c(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__mdla_data(c);
    const int32_t   n = v ? npu__mdla_image_of(&v->shape).c : 5;
    (void)r;
    return n <= 4 ? npu__got_f(got, n == 1 ? "%d channel" : "%d channels", n) : 0;
}

NPU__FN int npu__mdla_w_dynamic(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int found = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        int             open = v && !v->known;
        for (int32_t k = 0; v && k < v->t->signature.rank; k++) open |= v->t->signature.dims[k] < 0;
        if (!open) continue;
        npu__mdla_say(got, c, i, "not fixed");
        found = 1;
    }
    return found;
}

NPU__FN int npu__mdla_w_hybrid(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (!npu__mdla_is_hybrid(c)) return 0;
    return npu__got_f(got, "%s data, %s weights", npu_type_name((npu_type)npu__mdla_data(c)->type),
                      npu_type_name((npu_type)npu__mdla_weights(c)->type));
}

NPU__FN int npu__mdla_w_by_channel(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *data = npu__mdla_data(c), *w = npu__mdla_weights(c);
    (void)r;
    if (!data || !w || w->t->quant.count < 2 || npu__mdla_type_of(data, got) != NPU__MDLA_T_ASYM_I8) return 0;
    return npu__got_f(got, "ASYM INT8 data");
}

/* ---- element-wise operations ---- */

NPU__FN int npu__mdla_w_spread(const npu__ctx *c, int32_t how, npu__got *got) {
    int32_t smaller = 0;
    char    shape[96];
    if (npu__mdla_broadcast(c, npu__mdla_version(got->target), &smaller) != how) return 0;
    return npu__got_f(got, "input %d: %s", smaller, npu__shape_text(shape, sizeof shape, &c->in[smaller]->shape));
}

NPU__FN int npu__mdla_w_enlarged(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__mdla_w_spread(c, NPU__MDLA_B_ENLARGED, got);
}

NPU__FN int npu__mdla_w_broadcast(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return npu__mdla_w_spread(c, NPU__MDLA_B_DMA, got);
}

/* ---- scales ---- */

NPU__FN int npu__mdla_w_pool_requant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (!npu__mdla_pool_requant(c)) return 0;
    return npu__got_f(got, "scale %g, zero point %d; output %g, %d", (double)c->in[0]->t->quant.scale[0],
                      c->in[0]->t->quant.zero_point[0],
                      (double)c->out[0]->t->quant.scale[0], c->out[0]->t->quant.zero_point[0]);
}

NPU__FN int npu__mdla_w_conv_requant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (!npu__mdla_conv_requant(c, got)) return 0;
    return npu__got_f(got, "input scale %g, output scale %g", (double)npu__mdla_data(c)->t->quant.scale[0],
                      (double)c->out[0]->t->quant.scale[0]);
}

NPU__FN int npu__mdla_w_mapped(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const char *step = npu__mdla_mapped(c, got);
    (void)r;
    if (!step || strcmp(step, "requantize.1") == 0 || strcmp(step, "requantize.2") == 0 || strcmp(step, "quantize.1") == 0 ||
        strcmp(step, "dequantize.1") == 0) return 0;
    return npu__got_f(got, "%s", step);
}

/* ---- rates ---- */

NPU__FN int npu__mdla_w_outputs(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t n = npu__mdla_outputs(c);
    (void)r;
    if (n < 1 || n == NPU__MDLA_OC_SMALL || n % NPU__MDLA_OC_STEP == 0) return 0;
    return npu__got_f(got, "%d: at most %g %%", n, (double)npu__mdla_outputs_bound(n) / 10.0);
}

NPU__FN int npu__mdla_w_small(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int       depthwise = c->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D;
    const int64_t   n = npu__mdla_filter(c, depthwise);
    const npu__val *out = c->n_out > 0 ? c->out[0] : NULL;
    int32_t         most;
    (void)r;
    if (!out || n < 1) return 0;
    most = npu__mdla_small(depthwise, npu__mdla_bits_of(out), npu__mdla_version(got->target));
    return n <= most ? npu__got_f(got, "%l weights, %d or less are few", n, most) : 0;
}

NPU__FN int64_t npu__mdla_batch_of(const npu__ctx *c) {
    int64_t       all;
    const int32_t n = npu__mdla_outputs(c);
    return n > 0 && npu__shape_elems(&c->out[0]->shape, &all) ? all / n : 0;
}

NPU__FN int npu__mdla_w_batch(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int64_t n = npu__mdla_batch_of(c);
    const int32_t rate = npu__mdla_fc_rate(n, npu__mdla_version(got->target));
    (void)r;
    if (rate == 1000 || n < 1) return 0;
    return rate ? npu__got_f(got, "batch %l: %g %%", n, (double)rate / 10.0) : npu__got_f(got, "batch %l: not stated", n);
}

NPU__FN int npu__mdla_w_batch_converted(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int64_t n = npu__mdla_batch_of(c);
    (void)r;
    return n == 1 || n == 2 || n == 4 || n == 8 ? 0 : npu__got_f(got, "batch %l", n);
}

NPU__FN int npu__mdla_w_transposed(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__window w = npu__window_of(c);
    (void)r;
    if (w.stride_h < 1 || w.stride_w < 1) return npu__got_f(got, "its stride is not known");
    return npu__got_f(got, "stride %d x %d: %g %%", w.stride_h, w.stride_w,
                      100.0 / ((double)w.stride_h * (double)w.stride_w));
}

NPU__FN int npu__mdla_w_resize(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__mdla_data(c), *out = c->n_out > 0 ? c->out[0] : NULL;
    (void)r;
    if (!in || !out || in->shape.rank != 4 || out->shape.rank != 4) return 0;
    if (out->shape.dims[1] >= in->shape.dims[1] && out->shape.dims[2] >= in->shape.dims[2]) return 0;
    return npu__got_f(got, "%d x %d to %d x %d", in->shape.dims[1], in->shape.dims[2], out->shape.dims[1],
                      out->shape.dims[2]);
}

NPU__FN int npu__mdla_w_l2_pool(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__mdla_data(c);
    (void)r;
    if (!v || (v->type != NPU_FLOAT32 && v->type != NPU_FLOAT16)) return 0;
    return npu__got_f(got, "%s", npu_type_name((npu_type)v->type));
}

NPU__FN int npu__mdla_w_always(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__str name = npu__node_name(c->node);
    (void)r;
    return npu__got_f(got, "%S", &name);
}

/* ---- weights that are computed ---- */

NPU__FN int npu__mdla_w_dynamic_weights(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__mdla_constant_weights(r, c, got);
}

/* DEPTHWISE_CONV_2D and TRANSPOSE_CONV have rows that speak of them. */
NPU__FN int npu__mdla_w_dynamic_unsaid(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t code = c->node->code;
    if (code == NPU__BUILTIN_DEPTHWISE_CONV_2D || code == NPU__BUILTIN_TRANSPOSE_CONV ||
        code == NPU__BUILTIN_CUSTOM) return 0;
    return npu__mdla_constant_weights(r, c, got);
}

/* ---- moves ---- */

NPU__FN int npu__mdla_w_concatenation(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t reader;
    int     found = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        const int64_t n = c->in[i] && !c->in[i]->data ? npu__mdla_readers(c->node, c->node->in[i], got, &reader) : 1;
        if (n <= 1) continue;
        npu__got_add(got, "input %d: %l users", i, n);
        found = 1;
    }
    return found;
}

NPU__FN int npu__mdla_w_cut(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__mdla_data(c);
    int             few, bits;
    (void)r;
    if (!v || c->n_out < 1) return 0;
    bits = npu__mdla_bits_of(v);
    few = npu__mdla_image_of(&v->shape).c <= 4;
    if (few && npu__mdla_cuts_unaligned(c, NPU__MDLA_4C, bits)) return npu__got_f(got, "4C, height");
    return !few && npu__mdla_cuts_unaligned(c, NPU__MDLA_16C, bits) ? npu__got_f(got, "16C, channels") : 0;
}

NPU__FN int npu__mdla_w_strided(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__mdla_data(c), *strides = c->n_in > 3 ? c->in[3] : NULL;
    (void)r;
    if (!v || v->shape.rank != 4 || v->shape.dims[3] > 4) return 0;
    if (!strides || !strides->data || strides->type != NPU_INT32) return npu__got_f(got, "strides that are not known");
    for (int32_t i = 0; i < 4 && (size_t)i < strides->bytes / 4; i++) {
        const int32_t by = ((const int32_t *)strides->data)[i];
        if (i != 2 && by != 1) return npu__got_f(got, "dimension %d by %d", i, by);
    }
    return 0;
}

NPU__FN int npu__mdla_w_pad(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int64_t most;
    int32_t reader = -1;
    int     other;
    (void)r;
    if (c->n_out < 1) return 0;
    if (!npu__mdla_pads(c, &most, &other)) return npu__got_f(got, "paddings that are not known, or no 4 dimensions");
    if (most > NPU__MDLA_PAD_MOST) return npu__got_f(got, "by %l", most);
    if (other) return npu__got_f(got, "other dimensions than height and width");
    if (npu__mdla_readers(c->node, c->node->out[0], got, &reader) != 1) return npu__got_f(got, "several readers");
    if (reader >= 0 && npu__mdla_takes_pad(&c->node->graph->nodes[reader])) return 0;
    return npu__got_f(got, "no convolution or pool follows");
}

#endif
