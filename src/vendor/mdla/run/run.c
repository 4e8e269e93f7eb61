/* Running a segment: the CPU's kernels see rounded inputs and constants in the places of the real ones, and what they write is
 * rounded after each. */
#include "../../../base/fp16.h"
#include "../../../ops/conv_util.h"
#include "device.h"

#if NPU__HAS_MDLA_DEVICE

typedef struct npu__mdla_round {
    const float *from;
    float       *to;
} npu__mdla_round;

NPU__FN void npu__mdla_round_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__mdla_round *r = (const npu__mdla_round *)arg;
    (void)thread;
    for (int64_t i = begin; i < end; i++) r->to[i] = npu__f16_to_f32(npu__f16_from_f32(r->from[i]));
}

NPU__FN void npu__mdla_round_to(npu__seg *seg, const void *from, void *to, size_t bytes) {
    npu__mdla_round r;
    r.from = (const float *)from;
    r.to = (float *)to;
    npu__parallel(&seg->ctx, (int64_t)(bytes / sizeof(float)), 1 << 14, npu__mdla_round_part, &r);
}

/* Exchanges the pointers of values with those in `saved`: twice, and all is as before. */
NPU__FN void npu__mdla_exchange(npu__seg *seg, void **saved, int inputs) {
    const npu__mdla_program *p = (const npu__mdla_program *)seg->ctx.data;
    for (int32_t i = 0; i < p->n_constants + (inputs ? seg->ctx.n_in : 0); i++) {
        npu__val *v = i < p->n_constants ? seg->nodes[p->constants[i].node]->in[p->constants[i].in] : seg->ctx.in[i - p->n_constants];
        void     *was = v->data;
        v->data = saved[i];
        saved[i] = was;
    }
}

/* Kernels packed the constants as they are in the model: they pack what runs instead. */
NPU__FN npu_status npu__mdla_prepare(npu__seg *seg) {
    const npu__mdla_program *p = (const npu__mdla_program *)seg->ctx.data;
    void                   **saved = (void **)npu__slot(&seg->ctx, p->saved);
    npu_status               s = NPU_OK;
    for (int32_t i = 0; i < p->n_constants; i++) saved[i] = p->constants[i].data;
    npu__mdla_exchange(seg, saved, 0);
    for (int32_t i = 0; s == NPU_OK && p->n_constants && i < seg->n_nodes; i++) {
        if (seg->nodes[i]->node->def->pack) s = seg->nodes[i]->node->def->pack(seg->nodes[i]);
    }
    npu__mdla_exchange(seg, saved, 0);
    return s;
}

NPU__FN void npu__mdla_release(npu__seg *seg) { (void)seg; }

/* ---- hybrid operators, with weights as floats ---- */

typedef struct npu__mdla_conv {
    const npu__conv_data *d;
    npu__acc_f32          acc;
    const float          *in, *w, *bias;
    float                *out;
} npu__mdla_conv;

NPU__FN void npu__mdla_conv_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__mdla_conv *k = (const npu__mdla_conv *)arg;
    (void)thread;
    npu__ref_conv_f32(&k->d->g, k->acc, k->in, k->w, k->bias, k->d->lo, k->d->hi, k->out, begin, end);
}

NPU__FN void npu__mdla_conv_run(npu__seg *seg, const npu__ctx *c, const float *weights) {
    const int32_t        code = c->node->code, at = code == NPU__BUILTIN_TRANSPOSE_CONV ? 2 : 0;
    const npu__val      *bias = npu__opt_in(c, at ? 3 : 2);
    const npu__conv_accs *accs = at ? npu__ref_transpose_conv_accs() : npu__ref_conv_2d_accs();
    npu__mdla_conv       k;
    if (code == NPU__BUILTIN_DEPTHWISE_CONV_2D) accs = npu__ref_depthwise_accs();
    k.d = (const npu__conv_data *)c->data;
    k.acc = accs->f32;
    k.in = (const float *)c->in[at]->data;
    k.w = weights;
    k.bias = bias ? (const float *)bias->data : NULL;
    k.out = (float *)c->out[0]->data;
    /* bounded: pixels of a tensor */
    npu__parallel(&seg->ctx, (int64_t)k.d->g.batches * k.d->g.out_h * k.d->g.out_w, 16, npu__mdla_conv_part, &k);
}

typedef struct npu__mdla_fc {
    const npu__ctx *c;
    const float    *w;
    float           lo, hi;
    int32_t         tanh_after;
} npu__mdla_fc;

NPU__FN void npu__mdla_fc_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__mdla_fc *r = (const npu__mdla_fc *)arg;
    const npu__val       *bias = npu__opt_in(r->c, 2);
    const int32_t         n = r->c->in[1]->shape.dims[0], depth = r->c->in[1]->shape.dims[1];
    (void)thread;
    /* bounded, here and below: offsets of elements */
    for (int64_t row = begin; row < end; row++) {
        const float *x = (const float *)r->c->in[0]->data + row * depth;
        float       *out = (float *)r->c->out[0]->data + row * n;
        for (int32_t i = 0; i < n; i++) {
            const float *w = r->w + (int64_t)i * depth;
            float        sum = bias ? ((const float *)bias->data)[i] : 0.0f;
            for (int32_t k = 0; k < depth; k++) sum += x[k] * w[k];
            out[i] = r->tanh_after ? tanhf(sum) : sum < r->lo ? r->lo : sum > r->hi ? r->hi : sum;
        }
    }
}

NPU__FN npu_status npu__mdla_hybrid_run(npu__seg *seg, const npu__mdla_hybrid *h) {
    npu__ctx      *c = seg->nodes[h->node];
    npu__mdla_fc r;
    if (c->out[0]->bytes == 0) return NPU_OK;
    if (c->node->code != NPU__BUILTIN_FULLY_CONNECTED) {
        npu__mdla_conv_run(seg, c, h->weights);
        return NPU_OK;
    }
    r.c = c;
    r.w = h->weights;
    r.lo = r.hi = 0.0f;
    r.tanh_after = npu__fused_activation(c->node) == NPU__ACT_TANH;
    if (!r.tanh_after) NPU__TRY(npu__act_range_f32(c, npu__fused_activation(c->node), &r.lo, &r.hi));
    npu__parallel(&seg->ctx, npu__elems(c->out[0]) / c->in[1]->shape.dims[0], 1, npu__mdla_fc_rows, &r);
    return NPU_OK;
}

/* ---- a run ---- */

NPU__FN npu_status npu__mdla_operators(npu__seg *seg) {
    const npu__mdla_program *p = (const npu__mdla_program *)seg->ctx.data;
    for (int32_t i = 0, h = 0; i < seg->n_nodes; i++) {
        const npu__ctx *c = seg->nodes[i];
        if (h < p->n_hybrids && p->hybrids[h].node == i) NPU__TRY(npu__mdla_hybrid_run(seg, &p->hybrids[h++]));
        else NPU__TRY(npu__seg_eval(seg, i));
        for (int32_t k = 0; k < c->n_out; k++) {
            if (npu__mdla_rounds(c->out[k])) npu__mdla_round_to(seg, c->out[k]->data, c->out[k]->data, c->out[k]->bytes);
        }
        NPU__POLL(&seg->ctx, 1);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__mdla_invoke(npu__seg *seg) {
    const npu__mdla_program *p = (const npu__mdla_program *)seg->ctx.data;
    void                   **saved = (void **)npu__slot(&seg->ctx, p->saved);
    uint8_t                 *rounded = (uint8_t *)npu__slot(&seg->ctx, p->rounded);
    npu_status               s;
    for (int32_t i = 0; i < p->n_constants; i++) saved[i] = p->constants[i].data;
    for (int32_t i = 0; i < seg->ctx.n_in; i++) {
        const npu__val *v = seg->ctx.in[i];
        saved[p->n_constants + i] = v->data;
        if (!npu__mdla_rounds(v)) continue;
        npu__mdla_round_to(seg, v->data, rounded, v->bytes);
        saved[p->n_constants + i] = rounded;
        rounded += npu__align_up(v->bytes, 64);
    }
    npu__mdla_exchange(seg, saved, 1);
    s = npu__mdla_operators(seg);
    npu__mdla_exchange(seg, saved, 1);
    return s;
}

#endif
