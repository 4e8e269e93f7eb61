/* Cycles and bytes of operators, from the rates and formulas of the guide. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

/* a / b, rounded up; INT64_MAX stays. */
NPU__FN int64_t npu__mdla_over(int64_t a, int64_t b) {
    if (b <= 0 || a == INT64_MAX) return INT64_MAX;
    return a / b + (a % b != 0);
}

/* Cycles of a MAC count at so many per cycle and a rate in permille, output channels rounded up to what the units take. */
NPU__FN int64_t npu__mdla_mac_cycles(int64_t macs, int32_t outputs, int32_t per_cycle, int32_t permille) {
    int64_t of = 0;
    if (outputs > 0) {
        of = outputs <= NPU__MDLA_OC_SMALL ? NPU__MDLA_OC_SMALL : npu__mdla_up(outputs, NPU__MDLA_OC_STEP);
        macs = npu__sat_mul(npu__mdla_over(macs, outputs), of);
    }
    return npu__mdla_over(npu__sat_mul(macs, 1000), (int64_t)per_cycle * permille);
}

/* MACs by the shapes alone: of types, too, that npu_rt itself has no kernel for. 0: none, or not known. */
NPU__FN int64_t npu__mdla_macs_of(const npu__ctx *c, const npu__mdla_op *op) {
    const npu__val *data = npu__mdla_data(c), *w = npu__mdla_weights(c);
    int64_t         in, out;
    if (!op || !data || !w || c->n_out < 1 || !data->known || !c->out[0]->known) return 0;
    if (!npu__shape_elems(&data->shape, &in) || !npu__shape_elems(&c->out[0]->shape, &out)) return 0;
    switch (op->work) {
    case NPU__MDLA_W_CONV: return npu__sat_mul(out, npu__mdla_filter(c, 0));
    case NPU__MDLA_W_DEPTHWISE: return npu__sat_mul(out, npu__mdla_filter(c, 1));
    case NPU__MDLA_W_FC: return w->shape.rank > 0 ? npu__sat_mul(out, w->shape.dims[w->shape.rank - 1]) : 0;
    case NPU__MDLA_W_TRANSPOSED: return npu__sat_mul(npu__sat_mul(in, npu__mdla_filter(c, 1)), npu__mdla_outputs(c));
    default: return 0;
    }
}

NPU__FN int64_t npu__mdla_by_rate(int64_t elements, int32_t rate, int32_t type, int32_t version) {
    const int32_t pixels = npu__mdla_math_rate(rate, type, version);
    return pixels ? npu__mdla_over(elements, pixels) : 0;
}

/* TC of the guide with one tile: the whole output of an image, channels as in 16C. 0: the tile is lower than the window,
 * for which the formula gives less than a row. */
NPU__FN int64_t npu__mdla_pool_cycles(const npu__shape *out, int32_t bits, const npu__window *w, int32_t factor) {
    const npu__mdla_image m = npu__mdla_image_of(out);
    const int64_t         rows = (int64_t)m.h - w->k_h + w->stride_h; /* times 1 / s_h */
    int64_t               tc, images;
    if (m.h < w->k_h || w->k_h < 1 || w->k_w < 1 || w->stride_h < 1 || w->stride_w < 1 || m.w < 1 || m.h < 1) return 0;
    images = m.rows / m.h;
    tc = npu__sat_add(npu__sat_mul(w->k_w, w->k_h), npu__sat_mul(npu__sat_mul(m.w - 1, w->k_h), w->stride_w));
    tc = npu__sat_mul(npu__sat_mul(tc, rows), npu__mdla_channels_16c(m.c, bits));
    tc = npu__sat_mul(npu__sat_mul(tc, images), factor);
    return npu__mdla_over(tc, 16 * (int64_t)w->stride_h);
}

/* ---- operators ---- */

typedef struct npu__mdla_ask {
    npu__mdla_plan     *plan;
    npu__mdla_graph    *g;
    const npu__ctx     *c;
    const npu__mdla_op *op;
    npu__mdla_step     *s;
    int32_t             type, per_cycle, bits; /* of the data, as the device has it */
    int64_t             out;                   /* elements of output 0 */
} npu__mdla_ask;

NPU__FN void npu__mdla_set(npu__mdla_ask *a, int32_t known, int64_t cycles) {
    a->s->known = (uint8_t)known;
    a->s->cycles = cycles;
}

NPU__FN void npu__mdla_cycles_conv(npu__mdla_ask *a) {
    const int     depthwise = a->op->work == NPU__MDLA_W_DEPTHWISE;
    const int32_t rate = npu__mdla_conv_rate(depthwise ? NPU__MDLA_U_DEPTHWISE : NPU__MDLA_U_CONV, a->plan->version);
    const int64_t filter = npu__mdla_filter(a->c, depthwise);
    const int     small = filter <= npu__mdla_small(depthwise, npu__mdla_bits_of(a->c->out[0]), a->plan->version);
    npu__mdla_set(a, small ? NPU__MDLA_C_LOWER : NPU__MDLA_C_RATE,
                  npu__mdla_mac_cycles(a->s->macs, depthwise ? 0 : npu__mdla_outputs(a->c), a->per_cycle, rate));
}

NPU__FN void npu__mdla_cycles_fc(npu__mdla_ask *a) {
    const int32_t rate = npu__mdla_fc_rate(npu__mdla_batch_of(a->c), a->plan->version);
    npu__mdla_set(a, rate ? NPU__MDLA_C_RATE : NPU__MDLA_C_LOWER,
                  npu__mdla_mac_cycles(a->s->macs, 0, a->per_cycle, rate ? rate : 1000));
}

NPU__FN void npu__mdla_cycles_transposed(npu__mdla_ask *a) {
    const npu__window w = npu__window_of(a->c);
    const int         software = a->plan->version == 30 || a->plan->desc->software_transpose_conv;
    int64_t           macs = a->s->macs;
    if (!software) macs = npu__sat_mul(macs, npu__sat_mul(NPU__MAX(w.stride_h, 1), NPU__MAX(w.stride_w, 1)));
    npu__mdla_set(a, NPU__MDLA_C_LOWER, npu__mdla_mac_cycles(macs, 0, a->per_cycle, 1000));
}

NPU__FN void npu__mdla_cycles_resize(npu__mdla_ask *a) {
    const npu__shape *in = &npu__mdla_data(a->c)->shape, *out = &a->c->out[0]->shape;
    if (in->rank != 4 || out->rank != 4 || out->dims[1] < in->dims[1] || out->dims[2] < in->dims[2]) return;
    npu__mdla_set(a, NPU__MDLA_C_RATE,
                  npu__mdla_over(a->out, a->bits == 8 ? NPU__MDLA_RESIZE_UP_8 : NPU__MDLA_RESIZE_UP_16));
}

/* What is fused into the operation before it costs nothing of its own; a CONV_2D <c, 1, 1, c> does c MACs an element. */
NPU__FN void npu__mdla_cycles_mapped(npu__mdla_ask *a) {
    const char   *m = a->s->mapped;
    const int32_t c = npu__mdla_outputs(a->c);
    const int     re = m && strncmp(m, "requantize", 10) == 0;
    if (!m) return;
    if (strcmp(m, "requantize.3.1") == 0) {
        npu__mdla_set(a, NPU__MDLA_C_RATE, npu__mdla_by_rate(a->out, NPU__MDLA_R_BN_ADD, a->type, a->plan->version));
    } else if (strcmp(m, "requantize.3.2") == 0 || (!re && strstr(m, ".2"))) {
        npu__mdla_set(a, NPU__MDLA_C_LOWER, npu__mdla_mac_cycles(npu__sat_mul(a->out, c), c, a->per_cycle, 1000));
    } else {
        npu__mdla_set(a, NPU__MDLA_C_RATE, 0);
    }
}

NPU__FN void npu__mdla_cycles_math(npu__mdla_ask *a) {
    const int32_t version = a->plan->version;
    int64_t       n;
    if (a->op->work == NPU__MDLA_W_DIFFERENCE) {
        n = npu__sat_add(npu__mdla_by_rate(a->out, NPU__MDLA_R_SUB, a->type, version),
                         npu__mdla_by_rate(a->out, NPU__MDLA_R_MUL, a->type, version));
    } else {
        n = npu__mdla_by_rate(a->out, a->op->rate, a->type, version);
    }
    if (npu__mdla_math_rate(a->op->work == NPU__MDLA_W_DIFFERENCE ? NPU__MDLA_R_SUB : a->op->rate, a->type, version)) {
        npu__mdla_set(a, NPU__MDLA_C_RATE, n);
    }
}

NPU__FN void npu__mdla_cycles_pool(npu__mdla_ask *a) {
    const npu__window w = npu__window_of(a->c);
    const int32_t     factor = npu__mdla_pool_factor(a->op->rate, a->type);
    const int64_t     n = npu__mdla_pool_cycles(&a->c->out[0]->shape, a->bits, &w, factor);
    if (n > 0) npu__mdla_set(a, NPU__MDLA_C_RATE, n);
}

/* The fused activation's own cycles. */
NPU__FN void npu__mdla_cycles_activation(npu__mdla_ask *a) {
    static const int32_t rates[] = {NPU__MDLA_R_NONE, NPU__MDLA_R_RELU, NPU__MDLA_R_RELU_N1_TO_1, NPU__MDLA_R_RELU6,
                                    NPU__MDLA_R_TANH};
    const int32_t        code = npu__fused_activation(a->c->node);
    if (code > NPU__ACT_NONE && code < NPU__COUNT(rates)) {
        a->s->activation = npu__mdla_by_rate(a->out, rates[code], a->type, a->plan->version);
    }
}

/* ---- bytes ---- */

/* What moves beside the operator itself. */
NPU__FN void npu__mdla_bytes_of(npu__mdla_ask *a, npu__got *got) {
    const npu__node        *node = a->c->node;
    const npu__mdla_tensor *out = &a->g->tensors[node->out[0]];
    int32_t                 smaller = 0;
    const npu__rule        *none = NULL;
    if (a->op->group == NPU__MDLA_G_MATH2) {
        a->s->broadcast = (uint8_t)npu__mdla_broadcast(a->c, a->plan->version, &smaller);
        if (a->s->broadcast == NPU__MDLA_B_ENLARGED) a->s->enlarged = out->laid;
        if (a->s->broadcast == NPU__MDLA_B_DMA) a->s->dma = npu__sat_add(a->g->tensors[node->in[smaller]].laid, out->laid);
    }
    if (a->op->group == NPU__MDLA_G_POOL) a->s->requant_in = (uint8_t)npu__mdla_pool_requant(a->c);
    if (a->plan->version == 15 && a->op->group == NPU__MDLA_G_CONV && a->op->work != NPU__MDLA_W_TRANSPOSED) {
        a->s->requant_out = (uint8_t)npu__mdla_conv_requant(a->c, got);
    }
    if (node->code == NPU__BUILTIN_PAD) {
        a->s->pad_fused = (uint8_t)!npu__mdla_w_pad(none, a->c, got);
        if (!a->s->pad_fused) a->s->dma = npu__sat_add(a->g->tensors[node->in[0]].laid, out->laid);
    }
    if (node->code == NPU__BUILTIN_CONCATENATION) {
        a->s->eliminated = (uint8_t)!npu__mdla_w_concatenation(none, a->c, got);
        if (a->s->eliminated) npu__mdla_set(a, NPU__MDLA_C_RATE, 0);
        else if (a->plan->version < 30) a->s->dma = npu__sat_mul(out->laid, 2);
    }
}

/* Cutting off aligned positions reads whole blocks of channels (16C) or of rows (4C): no more than one more of them at
 * each end. */
NPU__FN void npu__mdla_dummy_of(npu__mdla_ask *a) {
    const npu__val   *data = npu__mdla_data(a->c);
    const int32_t     code = a->c->node->code;
    const int32_t     layout = npu__mdla_image_of(&data->shape).c <= 4 ? NPU__MDLA_4C : NPU__MDLA_16C;
    const npu__shape *s = &data->shape;
    int64_t           read;
    if (code != NPU__BUILTIN_SLICE && code != NPU__BUILTIN_SPLIT) return;
    if (!npu__mdla_cuts_unaligned(a->c, layout, a->bits)) return;
    if (layout == NPU__MDLA_16C) {
        read = npu__sat_mul(a->out / NPU__MAX(npu__mdla_outputs(a->c), 1), 16); /* a block of 16 bytes for each pixel */
    } else {
        read = s->rank < 3 ? 0 : npu__mdla_layout_bytes(s, a->bits, NPU__MDLA_4C) / NPU__MAX(s->dims[s->rank - 3], 1);
        read = npu__sat_mul(read, a->bits == 8 ? 4 : 2); /* rows of a block */
    }
    a->s->dummy = read;
}

NPU__FN void npu__mdla_cycles_of(npu__mdla_ask *a, npu__got *got) {
    if (a->c->n_out < 1 || !npu__mdla_data(a->c)) return;
    if (!npu__mdla_data(a->c)->known || !a->c->out[0]->known) return; /* shapes that only running tells */
    a->type = npu__mdla_type_of(npu__mdla_data(a->c), got);
    a->s->type = (uint8_t)a->type;
    a->bits = npu__mdla_bits_of(npu__mdla_data(a->c));
    a->per_cycle = npu__mdla_macs(a->type, a->plan->version);
    a->out = a->g->tensors[a->c->node->out[0]].elements;
    a->s->hybrid = (uint8_t)(a->op->group == NPU__MDLA_G_CONV && npu__mdla_is_hybrid(a->c));
    npu__mdla_bytes_of(a, got);
    npu__mdla_dummy_of(a);
    npu__mdla_cycles_activation(a);
    if (a->op->work == NPU__MDLA_W_QUANTIZE) a->s->mapped = npu__mdla_mapped(a->c, got);
    if (a->s->pad_fused) npu__mdla_set(a, NPU__MDLA_C_RATE, 0);
    if (a->s->hybrid && a->plan->version > 15) return; /* the guide speaks of MDLA 1.5 alone: as FP16 */
    switch (a->per_cycle ? a->op->work : NPU__MDLA_W_UNKNOWN) {
    case NPU__MDLA_W_CONV: case NPU__MDLA_W_DEPTHWISE: if (a->s->macs) npu__mdla_cycles_conv(a); break;
    case NPU__MDLA_W_FC: if (a->s->macs) npu__mdla_cycles_fc(a); break;
    case NPU__MDLA_W_TRANSPOSED: if (a->s->macs) npu__mdla_cycles_transposed(a); break;
    case NPU__MDLA_W_MATH: case NPU__MDLA_W_DIFFERENCE: npu__mdla_cycles_math(a); break;
    case NPU__MDLA_W_POOL: npu__mdla_cycles_pool(a); break;
    case NPU__MDLA_W_RESIZE: npu__mdla_cycles_resize(a); break;
    case NPU__MDLA_W_QUANTIZE: npu__mdla_cycles_mapped(a); break;
    default: break;
    }
}

NPU__FN void npu__mdla_cycles_make(npu__mdla_plan *plan, npu__mdla_graph *g) {
    npu__got got;
    memset(&got, 0, sizeof got);
    got.scene = &plan->scene;
    got.target = plan->p->backend.target;
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        npu__mdla_ask a;
        memset(&a, 0, sizeof a);
        a.plan = plan;
        a.g = g;
        a.s = &g->steps[i];
        a.c = npu__mdla_ctx(plan, g, i);
        a.op = npu__mdla_op_of(a.c->node);
        if (a.s->device == NPU__MDLA_ON_MDLA) a.s->macs = npu__mdla_macs_of(a.c, a.op);
        if (a.s->device != NPU__MDLA_ON_NOTHING && !a.s->macs) {
            a.s->macs = plan->nodes->macs(plan->nodes->user, g->g->nodes[i].subgraph, i);
        }
        NPU__GOT_CLEAR(&got);
        if (a.s->device == NPU__MDLA_ON_MDLA && a.op) npu__mdla_cycles_of(&a, &got);
    }
}

#endif
