/* The arena of a graph with very many tensors: blocks are given room when they are born and give it back when they die, in
 * n log n steps. Free room is kept in lists by size, two to each power of two, and joins free room beside it. */
#include "arena.h"

typedef struct npu__room {
    size_t  at, bytes;
    int32_t left, right;         /* neighbours by address, -1 at the ends */
    int32_t next_free, last_free; /* in its list of free rooms */
    int32_t free;
} npu__room;

#define NPU__ROOM_LISTS 128
#define NPU__ROOM_TRIES 8

typedef struct npu__rooms {
    npu__room *room;
    int32_t    n, rightmost;
    int32_t    list[NPU__ROOM_LISTS];
} npu__rooms;

/* The list that holds rooms of this size: those between two limits, so the list after it holds only larger ones. */
NPU__FN int32_t npu__room_list(size_t bytes) {
    int32_t log = 0;
    for (size_t b = bytes; b > 1; b >>= 1) log++;
    return 2 * log + (log > 0 && (bytes >> (log - 1) & 1)); /* bounded: log < 64 */
}

NPU__FN void npu__room_unlist(npu__rooms *r, int32_t i) {
    npu__room *x = &r->room[i];
    if (x->last_free >= 0) r->room[x->last_free].next_free = x->next_free;
    else r->list[npu__room_list(x->bytes)] = x->next_free;
    if (x->next_free >= 0) r->room[x->next_free].last_free = x->last_free;
    x->free = 0;
}

NPU__FN void npu__room_enlist(npu__rooms *r, int32_t i) {
    npu__room *x = &r->room[i];
    int32_t   *head = &r->list[npu__room_list(x->bytes)];
    x->free = 1;
    x->last_free = -1;
    x->next_free = *head;
    if (*head >= 0) r->room[*head].last_free = i;
    *head = i;
}

/* A free room that is large enough, -1 if none is found soon. */
NPU__FN int32_t npu__room_find(const npu__rooms *r, size_t bytes) {
    int32_t list = npu__room_list(bytes), tries = NPU__ROOM_TRIES;
    for (int32_t i = r->list[list]; i >= 0 && tries-- > 0; i = r->room[i].next_free) {
        if (r->room[i].bytes >= bytes) return i;
    }
    while (++list < NPU__ROOM_LISTS) if (r->list[list] >= 0) return r->list[list];
    return -1;
}

NPU__FN int32_t npu__room_insert_after(npu__rooms *r, int32_t left, size_t at, size_t bytes) {
    const int32_t i = r->n++;
    npu__room    *x = &r->room[i];
    x->at = at;
    x->bytes = bytes;
    x->left = left;
    x->right = left >= 0 ? r->room[left].right : -1;
    if (left >= 0) r->room[left].right = i;
    if (x->right >= 0) r->room[x->right].left = i;
    else r->rightmost = i;
    return i;
}

/* The room for a block; what is left of a larger one becomes a room of its own. */
NPU__FN int32_t npu__room_take(npu__rooms *r, size_t bytes) {
    int32_t i = npu__room_find(r, bytes);
    if (i < 0 && r->rightmost >= 0 && r->room[r->rightmost].free) { /* the last one can grow */
        i = r->rightmost;
        npu__room_unlist(r, i);
        r->room[i].bytes = bytes;
        return i;
    }
    if (i < 0) {
        const npu__room *last = r->rightmost >= 0 ? &r->room[r->rightmost] : NULL;
        return npu__room_insert_after(r, r->rightmost, last ? last->at + last->bytes : 0, bytes);
    }
    npu__room_unlist(r, i);
    if (r->room[i].bytes > bytes) {
        const size_t rest = r->room[i].bytes - bytes;
        r->room[i].bytes = bytes;
        npu__room_enlist(r, npu__room_insert_after(r, i, r->room[i].at + bytes, rest));
    }
    return i;
}

/* Rooms that were joined to their left neighbour are forgotten: at most one is made for each block that is taken. */
NPU__FN void npu__room_absorb_right(npu__rooms *r, int32_t i) {
    npu__room *x = &r->room[i], *y = &r->room[x->right];
    npu__room_unlist(r, x->right);
    x->bytes += y->bytes;
    x->right = y->right;
    if (y->right >= 0) r->room[y->right].left = i;
    else r->rightmost = i;
}

NPU__FN void npu__room_give(npu__rooms *r, int32_t i) {
    if (r->room[i].right >= 0 && r->room[r->room[i].right].free) npu__room_absorb_right(r, i);
    npu__room_enlist(r, i);
    if (r->room[i].left >= 0 && r->room[r->room[i].left].free) {
        const int32_t left = r->room[i].left;
        npu__room_unlist(r, left);
        npu__room_absorb_right(r, left);
        npu__room_enlist(r, left);
    }
}

NPU__FN int npu__block_born_before(const void *x, const void *y) {
    const npu__block *a = (const npu__block *)x, *b = (const npu__block *)y;
    if (a->first != b->first) return a->first < b->first;
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    if (a->tensor != b->tensor) return a->tensor < b->tensor;
    return a->slot < b->slot;
}

typedef struct npu__death {
    int32_t last, block;
} npu__death;

NPU__FN int npu__dies_before(const void *x, const void *y) {
    const npu__death *a = (const npu__death *)x, *b = (const npu__death *)y;
    return a->last != b->last ? a->last < b->last : a->block < b->block;
}

NPU__FN npu_status npu__arena_assign_large(npu__pool *temp, npu__block *blocks, int32_t n, uint64_t limit, size_t *top) {
    npu__rooms  r;
    npu__death *deaths = (npu__death *)npu__pool_alloc(temp, (size_t)n, sizeof *deaths);
    int32_t    *room_of = (int32_t *)npu__pool_alloc(temp, (size_t)n, sizeof *room_of);
    int32_t     dead = 0;
    memset(&r, 0, sizeof r);
    r.rightmost = -1;
    for (int32_t i = 0; i < NPU__ROOM_LISTS; i++) r.list[i] = -1;
    r.room = (npu__room *)npu__pool_alloc(temp, 2 * (size_t)n, sizeof *r.room); /* bounded: n blocks were allocated */
    if (!deaths || !room_of || !r.room) return NPU_OUT_OF_MEMORY;
    for (int32_t i = 0; i < n; i++) blocks[i].bytes = blocks[i].most; /* nobody will look for what lies free */
    npu__sort(blocks, (size_t)n, sizeof *blocks, npu__block_born_before);
    for (int32_t i = 0; i < n; i++) {
        deaths[i].last = blocks[i].last;
        deaths[i].block = i;
    }
    npu__sort(deaths, (size_t)n, sizeof *deaths, npu__dies_before);
    *top = 0;
    for (int32_t i = 0; i < n; i++) {
        for (; dead < n && deaths[dead].last < blocks[i].first; dead++) npu__room_give(&r, room_of[deaths[dead].block]);
        room_of[i] = npu__room_take(&r, blocks[i].bytes);
        blocks[i].offset = r.room[room_of[i]].at;
        if (blocks[i].bytes > limit || blocks[i].offset > limit - blocks[i].bytes) return NPU_LIMIT;
        *top = NPU__MAX(*top, blocks[i].offset + blocks[i].bytes);
    }
    return NPU_OK;
}
