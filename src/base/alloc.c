/* Default allocator, fixed-buffer allocator and pools. */
#include "base.h"

#if NPU__HAS_MALLOC
#ifdef MADV_HUGEPAGE
/* Fresh memory costs a fault for each page, and zeros: by pages of 4 KB, more than what a small network computes in its first run.
 * Blocks of several megabytes begin at a large page and ask for such, as many as they fill: no memory is taken beyond theirs. */
#define NPU__HUGE_PAGE ((size_t)1 << 21)
NPU__FN size_t npu__block_align(size_t bytes, size_t align) { return bytes >= NPU__HUGE_PAGE ? NPU__HUGE_PAGE : align; }
NPU__FN void npu__block_hint(uint8_t *p, size_t bytes) {
    /* Only a hint: what it answers changes nothing. */
    if (bytes >= NPU__HUGE_PAGE) (void)madvise(p, bytes & ~(NPU__HUGE_PAGE - 1), MADV_HUGEPAGE);
}
#else
#  define npu__block_align(bytes, align) (align)
#  define npu__block_hint(p, bytes) ((void)(p), (void)(bytes))
#endif

/* Pages that come from the system are zeros already, and calloc knows: it writes none (on Linux). */
#ifdef NPU__HAS_CALLOC
#  define NPU__CALLOC(bytes) calloc((bytes), 1)
#  define npu__block_zeroes(bytes) ((bytes) >= (size_t)1 << 20)
#else
#  define NPU__CALLOC(bytes) NPU_RT_MALLOC(bytes)
#  define npu__block_zeroes(bytes) ((void)(bytes), 0)
#endif

/* malloc promises less than 64-byte alignment: the distance back to the block stands just before the pointer. */
NPU__FN void *npu__malloc_aligned(void *user, size_t bytes, size_t align) {
    uint8_t *raw, *p;
    size_t   total;
    (void)user;
    align = npu__block_align(bytes, align);
    if (!npu__add_size(bytes, align + sizeof(void *), &total)) return NULL;
    raw = (uint8_t *)(npu__block_zeroes(bytes) ? NPU__CALLOC(total) : NPU_RT_MALLOC(total));
    if (!raw) return NULL;
    p = raw + sizeof(void *);
    p += (align - ((uintptr_t)p & (align - 1))) & (align - 1);
    memcpy(p - sizeof raw, &raw, sizeof raw);
    npu__block_hint(p, bytes);
    return p;
}

NPU__FN void npu__free_aligned(void *user, void *ptr, size_t bytes) {
    uint8_t *raw;
    (void)user;
    (void)bytes;
    if (!ptr) return;
    memcpy(&raw, (uint8_t *)ptr - sizeof raw, sizeof raw);
    NPU_RT_FREE(raw);
}
#endif

NPU__FN int npu__allocator_resolve(npu_allocator *out, const npu_allocator *asked) {
    if (asked && asked->alloc && asked->free) { *out = *asked; return 1; }
#if NPU__HAS_MALLOC
    out->user = NULL;
    out->alloc = npu__malloc_aligned;
    out->free = npu__free_aligned;
    return 1;
#else
    return 0;
#endif
}

NPU__FN int npu__allocator_zeroes(const npu_allocator *a, size_t bytes) {
#if NPU__HAS_MALLOC
    return a->alloc == npu__malloc_aligned && npu__block_zeroes(bytes);
#else
    (void)a;
    (void)bytes;
    return 0;
#endif
}

/* Behind each piece of a fixed buffer stands a note: where the piece began, and whether it was given back. A piece that is
 * given back while later ones are in use is only marked; it goes when they are gone. So any order leaves it empty. */
typedef struct npu__fixed_note {
    size_t before; /* `used` before the piece was taken */
    size_t free;
} npu__fixed_note;

NPU__FN void *npu__fixed_alloc(void *user, size_t bytes, size_t align) {
    npu_fixed_buffer *f = (npu_fixed_buffer *)user;
    npu__fixed_note   note;
    uintptr_t         at = (uintptr_t)(f->base + f->used);
    size_t            pad = (align - (at & (align - 1))) & (align - 1), need;
    if (!npu__add_size(bytes, pad, &need) || !npu__add_size(need, sizeof note, &need) || need > f->bytes - f->used) {
        return NULL;
    }
    note.before = f->used;
    note.free = 0;
    f->used += need;
    f->peak = NPU__MAX(f->peak, f->used);
    memcpy(f->base + f->used - sizeof note, &note, sizeof note);
    return f->base + f->used - sizeof note - bytes;
}

NPU__FN void npu__fixed_free(void *user, void *ptr, size_t bytes) {
    npu_fixed_buffer *f = (npu_fixed_buffer *)user;
    npu__fixed_note   note;
    if (!ptr) return;
    memcpy(&note, (uint8_t *)ptr + bytes, sizeof note);
    note.free = 1;
    memcpy((uint8_t *)ptr + bytes, &note, sizeof note);
    while (f->used > 0) {
        memcpy(&note, f->base + f->used - sizeof note, sizeof note);
        if (!note.free) return;
        f->used = note.before;
    }
}

NPU_API npu_allocator npu_fixed_allocator(npu_fixed_buffer *state, void *buffer, size_t bytes) {
    npu_allocator a;
    state->base = (uint8_t *)buffer;
    state->bytes = bytes;
    state->used = state->peak = 0;
    a.user = state;
    a.alloc = npu__fixed_alloc;
    a.free = npu__fixed_free;
    return a;
}

struct npu__pool_block {
    npu__pool_block *next;
    size_t           bytes; /* header included */
};

#define NPU__POOL_HEADER 64 /* keeps the first allocation of a block 64-aligned */
#ifndef NPU__POOL_FIRST_BLOCK /* tests make it tiny, so that each piece asks the allocator. 0: each has a block of its own */
#  define NPU__POOL_FIRST_BLOCK 4096
#endif
#if NPU__POOL_FIRST_BLOCK != 0 && NPU__POOL_FIRST_BLOCK < 2 * NPU__POOL_HEADER
#  error "a block has no room behind its header"
#endif
#define NPU__POOL_MAX_BLOCK 65536

NPU__FN void npu__pool_init(npu__pool *pool, const npu_allocator *allocator, uint64_t limit) {
    memset(pool, 0, sizeof *pool);
    pool->allocator = *allocator;
    pool->block_bytes = NPU__POOL_FIRST_BLOCK;
    pool->limit = limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

NPU__FN void npu__pool_init_within(npu__pool *pool, const npu__pool *parent) {
    npu__pool_init(pool, &parent->allocator, parent->limit - parent->total_bytes);
}

NPU__FN npu__pool_block *npu__pool_new_block(npu__pool *pool, size_t bytes) {
    npu__pool_block *b;
    if (bytes > pool->limit - pool->total_bytes) {
        pool->over_limit = 1;
        return NULL;
    }
    b = (npu__pool_block *)pool->allocator.alloc(pool->allocator.user, bytes, 64);
    if (!b) return NULL;
    b->bytes = bytes;
    b->next = pool->newest;
    pool->newest = b;
    pool->total_bytes += bytes;
    return b;
}

NPU__FN void *npu__pool_alloc_own_block(npu__pool *pool, size_t bytes) {
    npu__pool_block *b;
    size_t           total;
    if (!npu__add_size(bytes, NPU__POOL_HEADER, &total)) return NULL;
    b = npu__pool_new_block(pool, total);
    return b ? (uint8_t *)b + NPU__POOL_HEADER : NULL;
}

/* The block that a piece of `bytes` (small enough to add to) needs, 0: it goes into the one being filled. A large piece gets one of
 * its own. */
NPU__FN size_t npu__pool_place(size_t bytes, size_t *room, size_t *block_bytes) {
    size_t block = *block_bytes;
    if (bytes > block / 4) return bytes + NPU__POOL_HEADER;
    if (bytes <= *room) {
        *room -= bytes;
        return 0;
    }
    *room = block - NPU__POOL_HEADER - bytes;
    *block_bytes = NPU__MIN(block * 2, (size_t)NPU__POOL_MAX_BLOCK);
    return block;
}

/* What npu__pool_alloc does, without memory. Sums stay at the end of size_t. */
NPU__FN void npu__pool_alloc_elsewhere(npu__pool_elsewhere *e, size_t count, size_t elem_bytes) {
    size_t bytes = 0, block;
    if (!npu__mul_size(count, elem_bytes, &bytes) || bytes > SIZE_MAX / 2) bytes = SIZE_MAX / 2;
    block = npu__pool_place(npu__align_up(NPU__MAX(bytes, (size_t)1), 16), &e->room, &e->block_bytes);
    if (!npu__add_size(e->total_bytes, block, &e->total_bytes)) e->total_bytes = SIZE_MAX;
}

NPU__FN void *npu__pool_alloc_here(npu__pool *pool, size_t count, size_t elem_bytes) {
    size_t           bytes, block, room = pool->room, next = pool->block_bytes;
    npu__pool_block *b;
    uint8_t         *p;
    if (!npu__mul_size(count, elem_bytes, &bytes) || bytes > SIZE_MAX / 2) return NULL;
    bytes = npu__align_up(NPU__MAX(bytes, (size_t)1), 16);
    block = npu__pool_place(bytes, &room, &next);
    b = block ? npu__pool_new_block(pool, block) : pool->filling;
    if (!b) return NULL;
    if (bytes > pool->block_bytes / 4) {
        p = (uint8_t *)b + NPU__POOL_HEADER;
    } else {
        p = (uint8_t *)b + (b->bytes - room - bytes);
        pool->filling = b;
        pool->room = room;
        pool->block_bytes = next;
    }
    memset(p, 0, bytes);
    return p;
}

NPU__FN void *npu__pool_alloc(npu__pool *pool, size_t count, size_t elem_bytes) {
    if (pool->elsewhere) npu__pool_alloc_elsewhere(pool->elsewhere, count, elem_bytes);
    return npu__pool_alloc_here(pool, count, elem_bytes);
}

NPU__FN void *npu__pool_new(npu__pool *pool, size_t count, npu__size elem) {
    if (pool->elsewhere) npu__pool_alloc_elsewhere(pool->elsewhere, count, npu__size_on(&elem, pool->elsewhere->machine));
    return npu__pool_alloc_here(pool, count, elem.here);
}

NPU__FN void *npu__pool_alloc_aligned64(npu__pool *pool, size_t bytes) {
    npu__pool_elsewhere *e = pool->elsewhere;
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = npu__align_up(NPU__MAX(bytes, (size_t)1), 64);
    if (e && !npu__add_size(e->total_bytes, bytes + NPU__POOL_HEADER, &e->total_bytes)) e->total_bytes = SIZE_MAX;
    return npu__pool_alloc_own_block(pool, bytes);
}

NPU__FN void npu__pool_count_elsewhere(npu__pool *pool, npu__pool_elsewhere *elsewhere, int32_t machine) {
    memset(elsewhere, 0, sizeof *elsewhere);
    elsewhere->machine = machine;
    elsewhere->block_bytes = pool->block_bytes;
    pool->elsewhere = elsewhere;
}

/* Newest first, so that a fixed buffer gets everything back. */
NPU__FN void npu__pool_free(npu__pool *pool) {
    npu__pool_block *b = pool->newest;
    while (b) {
        npu__pool_block *next = b->next;
        pool->allocator.free(pool->allocator.user, b, b->bytes);
        b = next;
    }
    pool->newest = pool->filling = NULL;
    pool->total_bytes = pool->room = 0;
}
