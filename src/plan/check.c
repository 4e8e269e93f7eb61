/* The invariant of graph/ir.h where it meets values: one place, before every prepare and (NPU_RT_DEBUG) every eval. */
#include "../graph/strings.h"
#include "plan.h"

/* May `v` be larger than its shape? Scratch of compiled operators has room for feature maps beyond it. */
NPU__FN int npu__check_may_exceed(const npu__ctx *c, const npu__val *v) {
    for (int32_t i = 0; npu__node_works(c->node) && i < NPU__MIN(c->n_in, 16); i++) {
        if (v == c->in[i] && npu__node_works_in(c->node, i)) return 1;
    }
    return 0;
}

/* All channels were looked at when the graph was built. */
NPU__FN npu_status npu__check_quant(npu__ctx *c, const npu__tensor *t, const char *what, int32_t i) {
    const int32_t channel = t->bad_channel - 1;
    int32_t       lo = INT32_MIN, hi = INT32_MAX;
    if (channel < 0) return NPU_OK;
    npu__type_range(t->type, &lo, &hi);
    if (t->quant.zero_point[channel] < lo || t->quant.zero_point[channel] > hi) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.zero_point", "%s %d: the zero point of channel %d is %d: for %s it must be "
                         "in [%d, %d]", what, i, channel, t->quant.zero_point[channel],
                         npu_type_name((npu_type)t->type), lo, hi);
    }
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.scale", "%s %d: the scale of channel %d is %g: it must be finite and not "
                     "negative", what, i, channel, (double)t->quant.scale[channel]);
}

NPU__FN npu_status npu__check_value(npu__ctx *c, const npu__val *v, const char *what, int32_t i) {
    size_t bytes = 0;
    NPU__TRY(npu__check_quant(c, v->t, what, i));
    if (v->type == NPU_STRING && (c->node->def->flags & NPU__OP_STRINGS)) return NPU_OK;
    if (npu_type_bits((npu_type)v->type) == 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "op.unsized", "%s %d is %s: this operator does not compute on that type", what, i,
                         npu_type_name((npu_type)v->type));
    }
    if (!npu__shape_bytes(&v->shape, v->type, &bytes)) {
        return NPU__FAIL(c, NPU_LIMIT, "op.size", "%s %d has a negative dimension or too many elements", what, i);
    }
    if (bytes == v->bytes || (v->bytes > bytes && npu__check_may_exceed(c, v))) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.bytes", "%s %d has %z bytes, but its shape says %z", what, i, v->bytes,
                     bytes);
}

NPU__FN npu_status npu__check_inputs(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__val *v = c->in[i];
        if (!v) continue;
        if (v->t->sparsity && (c->node->code != NPU__BUILTIN_DENSIFY || i != 0)) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "op.sparse", "input %d is sparse: only DENSIFY takes sparse tensors", i);
        }
        NPU__TRY(npu__check_value(c, v, "input", i));
    }
    for (int32_t i = 0; i < c->n_mid; i++) if (c->mid[i]) NPU__TRY(npu__check_quant(c, c->mid[i]->t, "intermediate", i));
    return NPU_OK;
}

NPU__FN npu_status npu__check_outputs(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_out; i++) {
        if (c->out[i]->t->data || c->out[i]->t->sparsity) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "graph.written_twice", "output %d is a constant", i);
        }
        NPU__TRY(npu__check_value(c, c->out[i], "output", i));
    }
    return NPU_OK;
}

/* Entries of the file that prepare goes through: the command stream of a compiled operator, the indices of a sparse tensor.
 * (And the channels of every tensor: below.) */
NPU__FN uint64_t npu__check_walked(const npu__ctx *c) {
    const npu__sparsity *s;
    uint64_t             n = 0;
    if (c->n_in < 1 || !c->in[0]) return 0;
    if (npu__node_works(c->node)) return c->in[0]->t->data_bytes;
    s = c->in[0]->t->sparsity;
    for (uint32_t i = 0; s && i < s->n_levels && i < NPU__SPARSE_LEVELS; i++) {
        n += (uint64_t)s->levels[i].segments.n + s->levels[i].indices.n;
    }
    return n;
}

NPU__FN npu_status npu__check_walk(npu__ctx *c) {
    npu_plan *p = c->env->plan;
    p->walked += npu__check_walked(c);
    for (int32_t i = 0; i < c->n_in; i++) if (c->in[i]) p->walked += (uint64_t)c->in[i]->t->quant.count;
    for (int32_t i = 0; i < c->n_out; i++) p->walked += (uint64_t)c->out[i]->t->quant.count;
    if (p->walked <= NPU__SHARED_MOST(p->model)) return NPU_OK;
    return NPU__FAIL(c, NPU_LIMIT, "plan.shared", "so many operators share sparse tensors or command streams that planning "
                     "would take too long");
}

#if NPU__HAS_DEBUG
NPU__FN int npu__check_within(const void *base, size_t n, const void *p, size_t bytes) {
    const uintptr_t b = (uintptr_t)base, at = (uintptr_t)p;
    return bytes <= n && at >= b && at - b <= n - bytes;
}

/* Rule 8 of the invariant, and 6 and 7 again: shapes may have changed since prepare only by a bug. */
NPU__FN void npu__check_at_eval(npu__ctx *c) {
    const npu_model *m = c->env->plan->model;
    NPU__ASSERT(npu__check_inputs(c) == NPU_OK);
    NPU__ASSERT(npu__check_outputs(c) == NPU_OK);
    for (int32_t i = 0; i < c->n_in && !(c->node->def->flags & NPU__OP_SHAPES_ONLY); i++) {
        const npu__val *v = c->in[i];
        NPU__ASSERT(!v || v->bytes == 0 || v->data || v->t->sparsity);
        NPU__ASSERT(!v || v->type != NPU_STRING || !v->data || npu__strings_valid((const uint8_t *)v->data, v->bytes, npu__elems(v)));
        NPU__ASSERT(!v || ((uintptr_t)v->data & (npu__type_align(v->type) - 1)) == 0);
    }
    for (int32_t i = 0; i < c->n_out; i++) {
        const npu__val *v = c->out[i];
        NPU__ASSERT(v->bytes == 0 || v->data);
        NPU__ASSERT(v->bytes == 0 || !m->bytes || !npu__check_within(m->bytes, m->n_bytes, v->data, 1));
        NPU__ASSERT(((uintptr_t)v->data & (npu__type_align(v->type) - 1)) == 0);
    }
    (void)m;
}
#endif
