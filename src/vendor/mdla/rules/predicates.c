/* Why operators are refused. The nodes may be malformed: nothing has been prepared. */
#include "look.h"
#include "rules.h"

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

/* ---- tensors ---- */

/* Inputs, then outputs; NULL: an input left out. */
NPU__FN const npu__val *npu__mdla_value(const npu__ctx *c, int32_t i) { return i < c->n_in ? c->in[i] :
                                                                       c->out[i - c->n_in]; }

NPU__FN void npu__mdla_say(npu__got *got, const npu__ctx *c, int32_t i, const char *what) {
    npu__got_add(got, i < c->n_in ? "input %d: %s" : "output %d: %s", i < c->n_in ? i : i - c->n_in, what);
}

NPU__FN int npu__mdla_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int relaxed = (r->profiles & NPU__MDLA_P_RELAXED) != 0;
    int       broken = 0;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || !npu__mdla_is_data(v)) continue;
        switch (v->type) {
        case NPU_FLOAT16: case NPU_UINT8: case NPU_INT8: case NPU_INT16: continue;
        case NPU_FLOAT32: if (relaxed) continue; break;
        default: break;
        }
        npu__mdla_say(got, c, i, npu_type_name((npu_type)v->type));
        broken = 1;
    }
    return broken;
}

NPU__FN int npu__mdla_quantized(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || !npu__mdla_integers(v) || v->t->quant.count > 0 || v->t->blockwise) continue;
        npu__mdla_say(got, c, i, npu_type_name((npu_type)v->type));
        broken = 1;
    }
    return broken;
}

NPU__FN int npu__mdla_symmetric_int16(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || v->type != NPU_INT16) continue;
        if (npu__got_too_much(got, v->t->quant.count)) return 1;
        for (int32_t k = 0; k < v->t->quant.count; k++) {
            if (v->t->quant.zero_point[k] == 0) continue;
            npu__mdla_say(got, c, i, "a zero point");
            broken = 1;
            break;
        }
    }
    return broken;
}

NPU__FN int npu__mdla_by_channel_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *data = npu__mdla_data(c), *weights = npu__mdla_weights(c);
    int32_t         d, w;
    (void)r;
    if (!data || !weights || weights->t->quant.count < 2) return 0;
    d = npu__mdla_type_of(data, got);
    w = npu__mdla_type_of(weights, got);
    if (npu__mdla_by_channel(w, d, npu__mdla_version(got->target)) != 0) return 0;
    return npu__got_f(got, "%s data, %s weights", npu__mdla_type_name(d), npu__mdla_type_name(w));
}

NPU__FN int npu__mdla_by_blocks(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || !v->t->blockwise) continue;
        npu__mdla_say(got, c, i, "by blocks");
        broken = 1;
    }
    return broken;
}

/* ---- operators ---- */

NPU__FN int npu__mdla_operands(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__mdla_op *op = npu__mdla_op_of(c->node);
    const int           weights = op && op->work >= NPU__MDLA_W_CONV && op->work <= NPU__MDLA_W_TRANSPOSED;
    (void)r;
    if (c->n_out < 1) return npu__got_f(got, "no output");
    if (!npu__mdla_data(c)) return npu__got_f(got, "no data");
    return weights && !npu__mdla_weights(c) ? npu__got_f(got, "no weights") : 0;
}

NPU__FN int npu__mdla_fused(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t code = npu__fused_activation(c->node);
    (void)r;
    if (code >= NPU__ACT_NONE && code <= NPU__ACT_TANH) return 0;
    return npu__got_f(got, code == NPU__ACT_SIGN_BIT ? "SIGN_BIT" : "number %d", code);
}

NPU__FN int npu__mdla_weights_format(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t format = NPU__OPTIONS(c->node, FullyConnectedOptions)->weights_format;
    (void)r;
    return format ? npu__got_f(got, "number %d", format) : 0;
}

NPU__FN int npu__mdla_lstm(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->n_in != 5) return npu__got_f(got, "%d inputs", c->n_in);
    return c->in[0] && c->in[0]->type == NPU_UINT8 ? 0 : npu__got_f(got, "data that is not uint8");
}

NPU__FN int npu__mdla_constant_weights(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *w = npu__mdla_weights(c);
    (void)r;
    return w && !w->data && w->bytes ? npu__got_f(got, "computed") : 0;
}

NPU__FN int npu__mdla_control_flow(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->node->code == NPU__BUILTIN_IF) return npu__got_f(got, "IF");
    return c->node->code == NPU__BUILTIN_WHILE ? npu__got_f(got, "WHILE") : 0;
}

/* ---- the guidelines ---- */

NPU__FN int npu__mdla_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int64_t most = c->node->code == NPU__BUILTIN_CONV_3D ? r->hi + 1 : r->hi;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (v && v->shape.rank > most) return npu__got_f(got, "%d dimensions", v->shape.rank);
    }
    return 0;
}

NPU__FN int npu__mdla_batch(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || !npu__mdla_is_data(v) || v->data || v->shape.rank != 4) continue;
        if (v->shape.dims[0] < r->lo || v->shape.dims[0] > r->hi) return npu__got_f(got, "%d", v->shape.dims[0]);
    }
    return 0;
}

NPU__FN int npu__mdla_size(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || !npu__mdla_is_data(v) || v->data || v->shape.rank != 4) continue;
        for (int32_t k = 1; k < 4; k++) {
            if (v->shape.dims[k] < r->lo || v->shape.dims[k] > r->hi) return npu__got_f(got, "%d", v->shape.dims[k]);
        }
    }
    return 0;
}

NPU__FN int npu__mdla_by_channel_op(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__mdla_value(c, i);
        if (!v || !npu__mdla_integers(v) || v->t->quant.count < 2) continue;
        npu__mdla_say(got, c, i, "by channel");
        broken = 1;
    }
    return broken;
}

NPU__FN int npu__mdla_mirror_pad(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *data = npu__mdla_data(c), *pads = npu__mdla_weights(c);
    int             along[4] = {0, 0, 0, 0};
    (void)r;
    if (!data || !pads) return 0;
    if (data->shape.rank != 4) return npu__got_f(got, "%d dimensions", data->shape.rank);
    if (!pads->data || pads->type != NPU_INT32 || pads->bytes != 32) return npu__got_f(got, "paddings that are not known");
    for (int32_t i = 0; i < 8; i++) along[i / 2] |= ((const int32_t *)pads->data)[i] != 0;
    return along[0] || along[3] ? npu__got_f(got, along[0] ? "the batch" : "channels") : 0;
}

NPU__FN int npu__mdla_pack(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t rank = c->n_out > 0 ? c->out[0]->shape.rank : 0, axis = NPU__OPTIONS(c->node, PackOptions)->axis;
    (void)r;
    return npu__axis_in(axis, rank) == rank - 1 ? npu__got_f(got, "the last") : 0;
}

#endif
