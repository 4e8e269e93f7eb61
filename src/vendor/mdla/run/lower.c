/* A segment becomes its operators, the constants that FP16 changes, and weights of hybrid operators as floats. */
#include "../../../base/fp16.h"
#include "../../../ops/util.h"
#include "device.h"

#if NPU__HAS_MDLA_DEVICE

NPU__FN int npu__mdla_rounds(const npu__val *v) { return v && v->type == NPU_FLOAT32 && v->bytes > 0; }

typedef struct npu__mdla_ref {
    const npu__val *val;
    int32_t         node, in;
} npu__mdla_ref;

NPU__FN int npu__mdla_ref_before(const void *a, const void *b) {
    return ((const npu__mdla_ref *)a)->val < ((const npu__mdla_ref *)b)->val;
}

/* Does rounding change one of the numbers? (A NaN stays one.) */
NPU__FN int npu__mdla_changes(const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const float r = npu__f16_to_f32(npu__f16_from_f32(x[i]));
        if (r < x[i] || r > x[i]) return 1;
    }
    return 0;
}

NPU__FN npu_status npu__mdla_round_constant(npu__seg *seg, const npu__mdla_ref *ref, npu__mdla_program *p) {
    const float        *x = (const float *)ref->val->data;
    const int64_t       n = npu__elems(ref->val);
    npu__mdla_constant *out = &p->constants[p->n_constants];
    void               *memory;
    NPU__POLL(&seg->ctx, n);
    if (!npu__mdla_changes(x, n)) return NPU_OK;
    NPU__TRY(npu__seg_alloc(seg, (size_t)n, NPU__SIZE(npu__mdla_float), &memory));
    out->node = ref->node;
    out->in = ref->in;
    out->data = (float *)memory;
    for (int64_t i = 0; i < n; i++) out->data[i] = npu__f16_to_f32(npu__f16_from_f32(x[i]));
    p->n_constants++;
    return NPU_OK;
}

/* Constants that several operators read stand in the list once. */
NPU__FN npu_status npu__mdla_constants(npu__seg *seg, npu__mdla_program *p) {
    npu__mdla_ref *refs;
    void          *memory;
    int64_t        n = 0;
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        for (int32_t k = 0; k < seg->nodes[i]->n_in; k++) n += npu__mdla_rounds(seg->nodes[i]->in[k]) && seg->nodes[i]->in[k]->data;
    }
    if (n == 0) return NPU_OK;
    NPU__TRY(npu__seg_alloc(seg, (size_t)n, NPU__SIZE(npu__mdla_constant), &memory));
    p->constants = (npu__mdla_constant *)memory;
    NPU__TRY(npu__seg_alloc(seg, (size_t)n, NPU__SIZE(npu__mdla_ref), &memory));
    refs = (npu__mdla_ref *)memory;
    n = 0;
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        for (int32_t k = 0; k < seg->nodes[i]->n_in; k++) {
            const npu__val *v = seg->nodes[i]->in[k];
            if (!npu__mdla_rounds(v) || !v->data) continue;
            refs[n].val = v;
            refs[n].node = i;
            refs[n++].in = k;
        }
    }
    npu__sort(refs, (size_t)n, sizeof *refs, npu__mdla_ref_before);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || refs[i].val != refs[i - 1].val) NPU__TRY(npu__mdla_round_constant(seg, &refs[i], p));
    }
    return NPU_OK;
}

/* ---- hybrid operators ---- */

/* Those that the CPU would run by quantizing the data: constant weights of 8 bits. */
NPU__FN int npu__mdla_runs_hybrid(const npu__ctx *c) {
    const npu__val *w = npu__mdla_weights(c);
    if (!npu__mdla_is_hybrid(c) || !w->data || npu__mdla_data(c)->type != NPU_FLOAT32) return 0;
    if ((w->type != NPU_INT8 && w->type != NPU_UINT8) || w->t->quant.count < 1) return 0;
    switch (c->node->code) {
    case NPU__BUILTIN_CONV_2D: case NPU__BUILTIN_DEPTHWISE_CONV_2D: case NPU__BUILTIN_TRANSPOSE_CONV:
    case NPU__BUILTIN_FULLY_CONNECTED: return 1;
    default: return 0;
    }
}

NPU__FN void npu__mdla_dequantize(const npu__val *w, int32_t axis, float *out) {
    const npu_quant *q = &w->t->quant;
    const int64_t    n = npu__elems(w), inner = npu__dims_product(&w->shape, axis + 1, w->shape.rank);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = q->count > 1 ? i / inner % q->count : 0;
        const float   x = q->scale[k] * (float)(npu__int_at(w, i) - q->zero_point[k]);
        out[i] = npu__f16_to_f32(npu__f16_from_f32(x));
    }
}

NPU__FN npu_status npu__mdla_hybrids(npu__seg *seg, npu__mdla_program *p) {
    void *memory;
    for (int32_t i = 0; i < seg->n_nodes; i++) p->n_hybrids += npu__mdla_runs_hybrid(seg->nodes[i]);
    if (p->n_hybrids == 0) return NPU_OK;
    NPU__TRY(npu__seg_alloc(seg, (size_t)p->n_hybrids, NPU__SIZE(npu__mdla_hybrid), &memory));
    p->hybrids = (npu__mdla_hybrid *)memory;
    for (int32_t i = 0, n = 0; i < seg->n_nodes; i++) {
        const npu__val *w;
        if (!npu__mdla_runs_hybrid(seg->nodes[i])) continue;
        w = npu__mdla_weights(seg->nodes[i]);
        NPU__TRY(npu__seg_alloc(seg, (size_t)npu__elems(w), NPU__SIZE(npu__mdla_float), &memory));
        NPU__POLL(&seg->ctx, npu__elems(w));
        npu__mdla_dequantize(w, seg->nodes[i]->node->code == NPU__BUILTIN_DEPTHWISE_CONV_2D ? 3 : 0, (float *)memory);
        p->hybrids[n].node = i;
        p->hybrids[n++].weights = (float *)memory;
    }
    return NPU_OK;
}

/* ---- memory of a session ---- */

NPU__FN npu_status npu__mdla_want(npu__seg *seg, npu__mdla_program *p) {
    const size_t word = npu__ctx_word(&seg->ctx);
    size_t       bytes = 0, saved = 0;
    int          ok = npu__mul_size((size_t)seg->ctx.n_in + (size_t)p->n_constants, word, &saved); /* bounded: two of 31 bits */
    for (int32_t i = 0; i < seg->ctx.n_in; i++) {
        if (npu__mdla_rounds(seg->ctx.in[i])) ok = ok && npu__add_size(bytes, npu__align_up(seg->ctx.in[i]->bytes, 64), &bytes);
    }
    p->saved = ok ? npu__want_scratch(&seg->ctx, NPU__MAX(saved, (size_t)1)) : -1;
    p->rounded = ok ? npu__want_scratch(&seg->ctx, NPU__MAX(bytes, (size_t)1)) : -1;
    if (p->saved >= 0 && p->rounded >= 0) return NPU_OK;
    return NPU__FAIL(&seg->ctx, NPU_LIMIT, "mdla.memory", "the inputs of a segment need more memory than there can be");
}

NPU__FN npu_status npu__mdla_lower(npu__seg *seg) {
    npu__mdla_program *p;
    void              *memory;
    NPU__TRY(npu__seg_alloc(seg, 1, NPU__SIZE(npu__mdla_program), &memory));
    p = (npu__mdla_program *)memory;
    for (int32_t i = 0; i < seg->n_nodes; i++) npu__seg_keep(seg, i);
    NPU__TRY(npu__mdla_constants(seg, p));
    NPU__TRY(npu__mdla_hybrids(seg, p));
    NPU__TRY(npu__mdla_want(seg, p));
    seg->ctx.data = p;
    return NPU_OK;
}

#endif
