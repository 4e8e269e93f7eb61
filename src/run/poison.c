/* Under AddressSanitizer (and NPU_RT_DEBUG) a session's memory is poisoned but for what the running operator may touch: its own
 * tensors, to the byte, and its own slots. All other tensors lie beside them in one block, where the sanitizer sees nothing. */
#include "session.h"

#if NPU__HAS_POISON
#include <sanitizer/asan_interface.h>

NPU__FN void npu__poison_regions(const npu_session *s, int poison) {
    const npu_plan *p = s->plan;
    const uint8_t  *region[3];
    size_t          bytes[3];
    region[0] = s->state;
    region[1] = s->packed;
    region[2] = s->arena;
    bytes[0] = p->state_bytes;
    bytes[1] = p->packed_bytes;
    bytes[2] = p->arena_bytes;
    for (int i = 0; i < 3; i++) {
        if (poison) ASAN_POISON_MEMORY_REGION(region[i], bytes[i]);
        else ASAN_UNPOISON_MEMORY_REGION(region[i], bytes[i]);
    }
}

NPU__FN void npu__poison_all_but(const npu_session *s, const npu__ctx *c) {
    const npu__step *step = &s->plan->subs[c->node->subgraph].steps[c->node->index];
    /* Constants and heap tensors lie outside of the regions: opening them again changes nothing. */
    npu__poison_regions(s, 1);
    for (int32_t i = 0; i < c->n_in; i++) if (c->in[i] && c->in[i]->data) ASAN_UNPOISON_MEMORY_REGION(c->in[i]->data, c->in[i]->bytes);
    for (int32_t i = 0; i < c->n_out; i++) ASAN_UNPOISON_MEMORY_REGION(c->out[i]->data, c->out[i]->bytes);
    for (int32_t i = 0; step->kind != NPU__STEP_DYNAMIC && i < step->n_slots; i++) {
        if (step->slots[i].kind == NPU__SLOT_NONE) continue;
        ASAN_UNPOISON_MEMORY_REGION(npu__slot(c, i), step->slots[i].bytes);
    }
}

/* Operators that call subgraphs copy from and to their tensors; resources lie in the state. They see all. */
NPU__FN void npu__poison_for(npu_session *s, npu__ctx *c) {
    if (c->node->def->flags & NPU__OP_STATEFUL) npu__poison_regions(s, 0);
    else npu__poison_all_but(s, c);
}
NPU__FN void npu__poison_segment(npu_session *s, npu__seg *seg) {
    const npu__subplan *sub = &s->plan->subs[seg->ctx.node->subgraph];
    npu__poison_all_but(s, &seg->ctx);
    for (int32_t k = 0; k < seg->n_nodes; k++) {
        const npu__ctx *c = seg->nodes[k];
        if (!npu__step_ready(sub, c->node->index)) continue;
        for (int32_t i = 0; i < c->n_in; i++) if (c->in[i] && c->in[i]->data) ASAN_UNPOISON_MEMORY_REGION(c->in[i]->data, c->in[i]->bytes);
        for (int32_t i = 0; i < c->n_out; i++) ASAN_UNPOISON_MEMORY_REGION(c->out[i]->data, c->out[i]->bytes);
    }
}
NPU__FN void npu__poison_none(npu_session *s) { npu__poison_regions(s, 0); }

#else
NPU__FN void npu__poison_for(npu_session *s, npu__ctx *c) { (void)s; (void)c; }
NPU__FN void npu__poison_segment(npu_session *s, npu__seg *seg) { (void)s; (void)seg; }
NPU__FN void npu__poison_none(npu_session *s) { (void)s; }
#endif
