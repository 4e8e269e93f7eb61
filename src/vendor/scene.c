/* What verdicts share: who reads and writes each tensor, made once for all nodes. */
#include "../graph/build.h"
#include "rules.h"

#if NPU__HAS_PLACEMENT

#define NPU__SCENE_VALUES ((int64_t)1 << 22) /* a small file may examine a constant in an expensive way */
#define NPU__SCENE_VALUES_A_BYTE 16

NPU__FN int npu__unneeded(uint8_t *gone, npu__pool *pool, const npu__subgraph *g, const npu__profile *profile,
                          const uint8_t *placed) {
    uint8_t *wanted = (uint8_t *)npu__pool_alloc(pool, (size_t)g->n_tensors, 1);
    if (!wanted) return 0;
    for (int32_t k = 0; k < g->n_out; k++) wanted[g->out[k]] = 1;
    for (int32_t i = g->n_nodes; i-- > 0;) {
        const npu__node *node = &g->nodes[i];
        int              needed = node->n_out == 0;
        for (int32_t k = 0; k < node->n_out; k++) needed |= wanted[node->out[k]];
        gone[i] = (uint8_t)!needed;
        for (int32_t k = 0; needed && k < node->n_in; k++) {
            if (node->in[k] < 0 || (placed && placed[i] && profile->unread(node, k))) continue;
            wanted[node->in[k]] = 1;
        }
    }
    return 1;
}

NPU__FN int npu__links_make(npu__links *out, npu__pool *pool, const npu__subgraph *g) {
    const size_t n = (size_t)g->n_tensors;
    size_t      *first = (size_t *)npu__pool_alloc(pool, n + 1, sizeof *first), all = 0;
    int32_t     *writer = (int32_t *)npu__pool_alloc(pool, n, sizeof *writer), *reader;
    uint8_t     *dead = (uint8_t *)npu__pool_alloc(pool, (size_t)g->n_nodes, 1);
    if (!first || !writer || !dead || !npu__unneeded(dead, pool, g, NULL, NULL)) return 0;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        for (int32_t k = 0; !dead[i] && k < g->nodes[i].n_in; k++) {
            if (g->nodes[i].in[k] >= 0) first[g->nodes[i].in[k]]++;
        }
    }
    for (size_t t = 0; t < n; t++) { /* where the readers of a tensor end; filling in from the back makes it the start */
        all += first[t];
        first[t] = all;
        writer[t] = NPU__NOBODY;
    }
    first[n] = all;
    reader = (int32_t *)npu__pool_alloc(pool, all, sizeof *reader);
    if (!reader) return 0;
    for (int32_t i = g->n_nodes; i-- > 0;) {
        for (int32_t k = 0; !dead[i] && k < g->nodes[i].n_in; k++) {
            if (g->nodes[i].in[k] >= 0) reader[--first[g->nodes[i].in[k]]] = i;
        }
        for (int32_t k = 0; k < g->nodes[i].n_out; k++) writer[g->nodes[i].out[k]] = i;
    }
    for (int32_t k = 0; k < g->n_in; k++) writer[g->in[k]] = NPU__CALLER;
    out->first = first;
    out->reader = reader;
    out->writer = writer;
    out->dead = dead;
    return 1;
}

NPU__FN int npu__scene_make(npu__scene *out, npu__pool *pool, const npu_model *model) {
    npu__links *links = (npu__links *)npu__pool_alloc(pool, (size_t)model->n_subgraphs, sizeof *links);
    if (!links) return 0;
    out->links = links;
    out->file.p = model->bytes;
    out->file.n = model->n_bytes;
    out->left = npu__sat_add(NPU__SCENE_VALUES, npu__sat_mul((int64_t)NPU__MIN(model->n_bytes, (size_t)INT64_MAX), NPU__SCENE_VALUES_A_BYTE));
    for (int32_t s = 0; s < model->n_subgraphs; s++) {
        if (!npu__links_make(&links[s], pool, &model->subgraphs[s])) return 0;
    }
    return 1;
}

#undef NPU__SCENE_VALUES
#undef NPU__SCENE_VALUES_A_BYTE
#endif
