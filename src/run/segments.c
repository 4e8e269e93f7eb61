/* Segments in a session: a vendor in the place of its operators' kernels. */
#include "../vendor/vendor.h"
#include "session.h"

#if NPU__HAS_LOWERING

/* The kernels of a segment's kept operators pack their weights as all others do. */
NPU__FN npu_status npu__session_pack_kept(const npu_session *s, npu__seg *seg) {
    const npu__subplan *sub = &s->plan->subs[seg->ctx.node->subgraph];
    npu_status          status = NPU_OK;
    for (int32_t i = 0; status == NPU_OK && i < seg->n_nodes; i++) {
        const npu__node *node = seg->nodes[i]->node;
        if (npu__step_ready(sub, node->index) && node->def->pack) status = node->def->pack(seg->nodes[i]);
    }
    return status;
}

NPU__FN npu_status npu__session_prepare_segments(npu_session *s) {
    const npu_plan *p = s->plan;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        for (int32_t k = 0; k < p->subs[i].n_segs; k++) {
            npu__seg  *seg = &s->subs[i].segs[k];
            npu_status status;
            if (seg->n_nodes == 0) continue;
            NPU__TRY(npu__session_pack_kept(s, seg));
            status = seg->vendor->prepare(seg);
            if (status != NPU_OK) {
                return NPU__FAIL(&seg->ctx, status, "segment.prepare", "%s cannot prepare the %d operators from here on",
                                 seg->vendor->name, seg->n_nodes);
            }
            seg->prepared = 1;
        }
    }
    return NPU_OK;
}

NPU__FN void npu__session_release_segments(npu_session *s) {
    const npu_plan *p = s->plan;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        for (int32_t k = 0; k < p->subs[i].n_segs; k++) {
            npu__seg *seg = &s->subs[i].segs[k];
            if (seg->prepared) seg->vendor->release(seg);
        }
    }
}

#endif
