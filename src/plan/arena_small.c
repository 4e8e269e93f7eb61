/* The layout of few blocks: largest first, first fit, quadratic, which packs best; then work memory grows into what is free. */
#include "arena.h"

/* Larger blocks first; equal ones in order of birth. */
NPU__FN int npu__block_before(const void *x, const void *y) {
    const npu__block *a = (const npu__block *)x, *b = (const npu__block *)y;
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    if (a->first != b->first) return a->first < b->first;
    if (a->tensor != b->tensor) return a->tensor < b->tensor;
    return a->slot < b->slot;
}

/* First fit into the gaps between the placed blocks alive at the same time. `order` holds the placed ones by offset. */
NPU__FN size_t npu__arena_place(npu__block *blocks, int32_t *order, int32_t n_placed, int32_t index) {
    npu__block *b = &blocks[index];
    size_t      at = 0;
    int32_t     pos;
    for (int32_t k = 0; k < n_placed; k++) {
        const npu__block *o = &blocks[order[k]];
        if (o->last < b->first || o->first > b->last) continue;
        if (o->offset >= at && o->offset - at >= b->bytes) break;
        at = NPU__MAX(at, o->offset + o->bytes);
    }
    b->offset = at;
    for (pos = n_placed; pos > 0 && blocks[order[pos - 1]].offset > at; pos--) order[pos] = order[pos - 1];
    order[pos] = index;
    return at + b->bytes;
}

/* Moves block `index`, placed like all others, into the largest room that is free at its time below `top`, where that is larger
 * than what it has, and lets it grow there. */
NPU__FN void npu__arena_grow(npu__block *blocks, int32_t *order, int32_t n, int32_t index, size_t top) {
    npu__block *b = &blocks[index];
    size_t      at = 0, room = 0, from = 0;
    int32_t     pos = 0;
    for (int32_t k = 0; k <= n; k++) {
        const npu__block *o = k < n ? &blocks[order[k]] : NULL;
        const size_t      end = o ? o->offset : top;
        if (o == b || (o && (o->last < b->first || o->first > b->last))) continue;
        if (end > at && end - at > room) {
            room = end - at;
            from = at;
        }
        if (o) at = NPU__MAX(at, o->offset + o->bytes);
    }
    if (room <= b->bytes) return;
    while (order[pos] != index) pos++;
    for (; pos > 0 && blocks[order[pos - 1]].offset > from; pos--) order[pos] = order[pos - 1];
    for (; pos + 1 < n && blocks[order[pos + 1]].offset < from; pos++) order[pos] = order[pos + 1];
    order[pos] = index;
    b->offset = from;
    b->bytes = NPU__MIN(room, b->most);
}

NPU__FN npu_status npu__arena_assign_small(npu__pool *temp, npu__block *blocks, int32_t n, uint64_t limit, size_t *top) {
    int32_t *order = (int32_t *)npu__pool_alloc(temp, (size_t)n, sizeof *order);
    if (!order) return NPU_OUT_OF_MEMORY;
    *top = 0;
    npu__sort(blocks, (size_t)n, sizeof *blocks, npu__block_before);
    for (int32_t i = 0; i < n; i++) {
        const size_t end = npu__arena_place(blocks, order, i, i);
        if (end < blocks[i].bytes || end > limit) return NPU_LIMIT;
        *top = NPU__MAX(*top, end);
    }
    for (int32_t i = 0; i < n; i++) if (blocks[i].most > blocks[i].bytes) npu__arena_grow(blocks, order, n, i, *top);
    return NPU_OK;
}
