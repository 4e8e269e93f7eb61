/* The invariant of graph/ir.h where it meets values: one place, before every prepare and (NPU_RT_DEBUG) every eval. */
#include "plan.h"

/* May `v` be larger than its shape? Scratch of compiled operators has room for feature maps beyond it. */
NPU__FN int npu__check_may_exceed(const npu__ctx *c, const npu__val *v) {
    return (c->node->def->flags & NPU__OP_COMPILED) && c->n_in > 3 && (v == c->in[2] || v == c->in[3]);
}

NPU__FN npu_status npu__check_value(npu__ctx *c, const npu__val *v, const char *what, int32_t i) {
    size_t bytes = 0;
    if (npu_type_bits((npu_type)v->type) == 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "op.unsized", "%s %d is %s: no operator computes on that type", what, i,
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
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__val *v = c->in[i];
        NPU__ASSERT(!v || v->bytes == 0 || v->data || v->t->sparsity);
        NPU__ASSERT(!v || ((uintptr_t)v->data & (npu__type_align(v->type) - 1)) == 0);
    }
    for (int32_t i = 0; i < c->n_out; i++) {
        const npu__val *v = c->out[i];
        NPU__ASSERT(v->bytes == 0 || v->data);
        NPU__ASSERT(v->bytes == 0 || !npu__check_within(m->bytes, m->n_bytes, v->data, 1));
        NPU__ASSERT(((uintptr_t)v->data & (npu__type_align(v->type) - 1)) == 0);
    }
    (void)m;
}
#endif
