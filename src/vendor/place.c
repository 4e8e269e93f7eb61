/* Placement: a verdict per node, then maximal runs of placed nodes. */
#include "place.h"

#if NPU__HAS_PLACEMENT

NPU__FN int npu__refused(const npu__placement *p, int32_t s, int32_t i) { return !p->placed[s][i] && !p->dropped[s][i]; }

/* Verdicts of a subgraph's nodes; then what is left without a reader goes, placed or not. */
NPU__FN int npu__placement_verdicts(npu__placement *p, npu__pool *pool, const npu__nodes *nodes, npu__scene *scene,
                                    int32_t s) {
    const npu__profile  *profile = p->backend.profile;
    const npu__subgraph *g = &nodes->model->subgraphs[s];
    uint8_t             *placed = (uint8_t *)npu__pool_alloc(pool, (size_t)NPU__MAX(g->n_nodes, 1), 1);
    uint8_t             *dropped = (uint8_t *)npu__pool_alloc(pool, (size_t)NPU__MAX(g->n_nodes, 1), 1);
    if (!placed || !dropped) return 0;
    p->placed[s] = placed;
    p->dropped[s] = dropped;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        placed[i] = npu__backend_verdict(&p->backend, scene, nodes->at(nodes->user, s, i), NULL) == 0;
    }
    if (!profile->unread) return 1;
    if (!npu__unneeded(dropped, pool, g, profile, placed)) return 0;
    for (int32_t i = 0; i < g->n_nodes; i++) placed[i] = placed[i] && !dropped[i];
    return 1;
}

#if NPU__HAS_REPORTS
NPU__FN void npu__placement_count(npu__placement *p, const npu__nodes *nodes, int32_t s) {
    int before = -1; /* the neighbour before: placed or not; -1: none */
    for (int32_t i = 0; i < nodes->model->subgraphs[s].n_nodes; i++) {
        int     placed = p->placed[s][i];
        int64_t macs;
        p->summary.ops++;
        p->summary.ops_dropped += p->dropped[s][i];
        if (p->dropped[s][i]) continue;
        macs = nodes->macs(nodes->user, s, i);
        p->summary.macs = npu__sat_add(p->summary.macs, macs);
        p->summary.switches += before >= 0 && placed != before;
        if (placed) {
            p->summary.ops_placed++;
            p->summary.macs_placed = npu__sat_add(p->summary.macs_placed, macs);
        }
        before = placed;
    }
}
#endif

/* Lists the segments of a subgraph from out[0] on (NULL: nowhere); returns how many. */
NPU__FN int32_t npu__placement_segments(const npu__placement *p, int32_t s, int32_t n_nodes, npu__segment *out) {
    int32_t at = -1;
    int     before = 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        int placed = p->placed[s][i];
        if (p->dropped[s][i]) continue;
        at += placed && !before;
        if (out && placed) {
            if (!before) {
                out[at].subgraph = s;
                out[at].first = i;
            }
            out[at].count = i + 1 - out[at].first;
        }
        before = placed;
    }
    return at + 1;
}

NPU__FN npu_status npu__placement_make(npu__placement *out, npu__pool *pool, const npu__backend *backend,
                                       const npu__nodes *nodes, npu_diag *diag) {
    int32_t    n_subgraphs = nodes->model->n_subgraphs, at = 0;
    npu__scene scene;
    int        ok;
    memset(out, 0, sizeof *out);
    out->backend = *backend;
    if (npu__scene_make(&out->scene, pool, nodes->model)) {
        out->placed = (uint8_t **)npu__pool_alloc(pool, (size_t)n_subgraphs, sizeof *out->placed);
        out->dropped = (uint8_t **)npu__pool_alloc(pool, (size_t)n_subgraphs, sizeof *out->dropped);
    }
    ok = out->placed && out->dropped;
    scene = out->scene;
    for (int32_t s = 0; ok && s < n_subgraphs; s++) {
        ok = npu__placement_verdicts(out, pool, nodes, &scene, s);
        if (!ok) break;
        out->n_segments += npu__placement_segments(out, s, nodes->model->subgraphs[s].n_nodes, NULL);
#if NPU__HAS_REPORTS
        npu__placement_count(out, nodes, s);
#endif
    }
    if (ok) {
        size_t n = (size_t)NPU__MAX(out->n_segments, 1);
        out->segments = (npu__segment *)npu__pool_alloc(pool, n, sizeof *out->segments);
    }
    if (!out->segments) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for the placement");
    for (int32_t s = 0; s < n_subgraphs; s++) {
        at += npu__placement_segments(out, s, nodes->model->subgraphs[s].n_nodes, &out->segments[at]);
    }
#if NPU__HAS_REPORTS
    out->summary.partitions = out->n_segments;
#endif
    return NPU_OK;
}

#endif
