/* Why operators are refused. The nodes may be malformed: nothing has been prepared. */
#include "../../../graph/ask.h"
#include "../container.h"
#include "look.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

/* ---- what is compiled ---- */

NPU__FN int npu__neuron_holds(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__neuron_dispatch d = npu__neuron_dispatch_of(c->node, got->scene->file.p, got->scene->file.n);
    npu__neuron_bytecode       b;
    int                        found;
    (void)r;
    if (npu__got_too_much(got, 1)) return 1; /* nothing is left: no look */
    found = npu__neuron_bytecode_find(&b, &d);
    if (npu__got_too_much(got, b.looked_at)) {
        got->scene->left = 0;
        return 1;
    }
    return found ? 0 : npu__got_f(got, "none for \"%S\"", &d.name);
}

/* ---- tensors ---- */

NPU__FN int npu__neuron_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__neuron_value(c, i);
        if (!v || npu__neuron_type_known(v->type, r->profiles)) continue;
        npu__neuron_say(got, c, i, npu_type_name((npu_type)v->type));
        broken = 1;
    }
    return broken;
}

/* Tensors of one type whose quantization the profile has no operand type for. */
NPU__FN int npu__neuron_quantized(const npu__rule *r, const npu__ctx *c, int32_t type, npu__got *got) {
    int broken = 0;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__neuron_value(c, i);
        uint32_t        kind;
        if (!v || v->type != type || v->t->blockwise) continue;
        if (npu__got_too_much(got, v->t->quant.count)) return 1;
        kind = npu__neuron_kind(v->t);
        if (npu__neuron_type_of(v, kind, r->profiles)) continue;
        npu__neuron_say(got, c, i, kind == NPU__NEURON_Q_NONE ? "not quantized" : kind == NPU__NEURON_Q_T0 ? "one scale" :
                        kind == NPU__NEURON_Q_TZ ? "a zero point" : kind == NPU__NEURON_Q_C0 ? "scales by channel" :
                        "zero points by channel");
        broken = 1;
    }
    return broken;
}

#define NPU__X(name, type) \
    NPU__FN int npu__neuron_##name(const npu__rule *r, const npu__ctx *c, npu__got *got) { \
        return npu__neuron_quantized(r, c, NPU_##type, got); \
    }
NPU__X(int16, INT16)
NPU__X(uint8, UINT8)
NPU__X(int8, INT8)
NPU__X(int4, INT4)
NPU__X(int2, INT2)
NPU__X(uint16, UINT16)
#undef NPU__X

NPU__FN int npu__neuron_int64(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__neuron_value(c, i);
        if (!v || v->type != NPU_INT64 || v->data) continue;
        npu__neuron_say(got, c, i, "computed");
        broken = 1;
    }
    return broken;
}

NPU__FN int npu__neuron_int64_range(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__val *v = c->in[i];
        const int64_t   n = v ? npu__neuron_ints(v, NPU_INT64) : 0;
        if (n > 0 && npu__got_too_much(got, n)) return 1;
        for (int64_t k = 0; k < n; k++) {
            const int64_t x = ((const int64_t *)v->data)[k];
            if (x < INT32_MIN || x > INT32_MAX) return npu__got_f(got, "input %d: %l", i, x);
        }
    }
    return 0;
}

NPU__FN int npu__neuron_blockwise(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = npu__neuron_value(c, i);
        if (!v || !v->t->blockwise) continue;
        npu__neuron_say(got, c, i, "by blocks");
        broken = 1;
    }
    return broken;
}

NPU__FN int npu__neuron_weights_format(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t format = NPU__OPTIONS(c->node, FullyConnectedOptions)->weights_format;
    (void)r;
    return format ? npu__got_f(got, "number %d", format) : 0;
}

NPU__FN int npu__neuron_sparse(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int broken = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in; i++) {
        if (!c->in[i] || !c->in[i]->t->sparsity) continue;
        npu__neuron_say(got, c, i, "sparse");
        broken = 1;
    }
    return broken;
}

/* ---- operators ---- */

NPU__FN int npu__neuron_operands(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t needed = npu__neuron_inputs_of(c->node->code);
    (void)r;
    if (c->n_out < 1) return npu__got_f(got, "no output");
    if (c->n_in < needed) return npu__got_f(got, "%d inputs", c->n_in);
    for (int32_t i = 0; i < needed; i++) {
        if (!c->in[i]) return npu__got_f(got, "no input %d", i);
    }
    return 0;
}

NPU__FN int npu__neuron_fused(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t code = npu__fused_activation(c->node);
    (void)r;
    return code < NPU__ACT_NONE || code > NPU__ACT_RELU6 ? npu__neuron_got_activation(got, code) : 0;
}

NPU__FN int npu__neuron_composite_named(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__opts_StableHLOCompositeOptions *o = NPU__OPTIONS(c->node, StableHLOCompositeOptions);
    const int32_t                              kind = npu__neuron_composite(c->node);
    npu__flex                                  groups;
    if (kind == NPU__NEURON_RMS_NORM || kind == NPU__NEURON_L2_NORM) return 0;
    if (kind == NPU__NEURON_OTHER || !(r->profiles & NPU__NEURON_P_L23)) return npu__got_f(got, "%S", &o->name);
    groups = npu__flex_get(npu__neuron_attributes(c->node), "num_groups");
    if (npu__flex_kind_of(groups) == NPU__FLEX_NULL) return npu__got_f(got, "%S without num_groups", &o->name);
    return npu__flex_i32(groups, 0) == 1 ? 0 : npu__got_f(got, "%S of %d groups", &o->name, npu__flex_i32(groups, 0));
}

NPU__FN int npu__neuron_gamma(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const int32_t kind = npu__neuron_composite(c->node);
    (void)r;
    if (kind != NPU__NEURON_RMS_NORM && kind != NPU__NEURON_GROUP_NORM) return 0;
    if (c->n_in < 2 || !c->in[0] || !c->in[1]) return npu__got_f(got, "no gamma");
    if (c->in[0]->shape.rank < 1) return npu__got_f(got, "data of no dimension");
    if (c->in[1]->shape.rank < 1) return npu__got_f(got, "gamma of no dimension");
    if (kind == NPU__NEURON_GROUP_NORM && c->n_in > 2 && c->in[2]) return 0; /* with beta: no zeros are made */
    return npu__neuron_dim_open(c->in[1], 0) ? npu__got_f(got, "gamma of open length") : 0;
}

NPU__FN int npu__neuron_rank_4(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->n_out < 1) return 0; /* another row's */
    return c->out[0]->shape.rank == 4 ? 0 : npu__got_f(got, "%d dimensions", c->out[0]->shape.rank);
}

NPU__FN int npu__neuron_size(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->n_in < 2 || !c->in[1]) return 0; /* another row's */
    if (npu__neuron_ints(c->in[1], NPU_INT32) >= 2) return 0;
    return npu__got_f(got, c->in[1]->data ? "other than two int32" : "computed");
}

NPU__FN int npu__neuron_output_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->n_in < 1 || !c->in[0] || (c->n_in > 3 && c->in[3])) return 0; /* another row's, or a bias is there */
    if (npu__neuron_ints(c->in[0], NPU_INT32) < 4) {
        return npu__got_f(got, c->in[0]->data ? "other than four int32" : "computed");
    }
    if (((const int32_t *)c->in[0]->data)[3] < 0) {
        return npu__got_f(got, "%d channels", ((const int32_t *)c->in[0]->data)[3]);
    }
    return 0;
}

NPU__FN int npu__neuron_weights_rank(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return c->n_in > 1 && c->in[1] && c->in[1]->shape.rank < 1 ? npu__got_f(got, "no dimension") : 0;
}

#endif
