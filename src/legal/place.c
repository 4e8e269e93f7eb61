/* Placement: a verdict per node, then maximal runs of placed nodes. */
#include "place.h"

#if NPU__HAS_REPORTS

NPU__FN npu_status npu__placement_subgraph(npu__placement *p, npu__pool *pool, const npu__nodes *nodes,
                                           npu__scene *scene, int32_t s) {
    int32_t  n = nodes->model->subgraphs[s].n_nodes;
    uint8_t *placed = (uint8_t *)npu__pool_alloc(pool, (size_t)NPU__MAX(n, 1), 1);
    if (!placed) return NPU_OUT_OF_MEMORY;
    p->placed[s] = placed;
    for (int32_t i = 0; i < n; i++) {
        const npu__ctx *c = nodes->at(nodes->user, s, i);
        int64_t         macs = nodes->macs(nodes->user, s, i);
        placed[i] = npu__backend_verdict(&p->backend, scene, c, NULL) == 0;
        p->summary.ops++;
        p->summary.macs = npu__sat_add(p->summary.macs, macs);
        if (i > 0 && placed[i] != placed[i - 1]) p->summary.switches++;
        if (!placed[i]) continue;
        p->summary.ops_placed++;
        p->summary.macs_placed = npu__sat_add(p->summary.macs_placed, macs);
        if (i == 0 || !placed[i - 1]) p->n_segments++;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__placement_make(npu__placement *out, npu__pool *pool, const npu__backend *backend,
                                       const npu__nodes *nodes, npu_diag *diag) {
    int32_t    n_subgraphs = nodes->model->n_subgraphs, at = 0;
    npu__scene scene;
    memset(out, 0, sizeof *out);
    out->backend = *backend;
    if (npu__scene_make(&out->scene, pool, nodes->model)) {
        out->placed = (uint8_t **)npu__pool_alloc(pool, (size_t)n_subgraphs, sizeof *out->placed);
    }
    scene = out->scene;
    for (int32_t s = 0; out->placed && s < n_subgraphs; s++) {
        if (npu__placement_subgraph(out, pool, nodes, &scene, s) != NPU_OK) out->placed = NULL;
    }
    if (out->placed) {
        size_t n = (size_t)NPU__MAX(out->n_segments, 1);
        out->segments = (npu__segment *)npu__pool_alloc(pool, n, sizeof *out->segments);
    }
    if (!out->segments) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for the placement");
    for (int32_t s = 0; s < n_subgraphs; s++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[s].n_nodes; i++) {
            if (!out->placed[s][i]) continue;
            if (i == 0 || !out->placed[s][i - 1]) {
                out->segments[at].subgraph = s;
                out->segments[at++].first = i;
            }
            out->segments[at - 1].count++;
        }
    }
    out->summary.partitions = out->n_segments;
    return NPU_OK;
}

#endif
