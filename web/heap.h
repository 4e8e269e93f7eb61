/* The module's heap: first fit over an address-ordered free list. libc's would be a fortieth of the whole module. */
#ifndef NPU_RT_WEB_HEAP_H
#define NPU_RT_WEB_HEAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct heap_block {
    size_t             bytes; /* header included, a multiple of 16 */
    struct heap_block *next;  /* by address; only while the block is free */
    uint64_t           unused; /* keeps what follows the header aligned to 16 */
} heap_block;

#define HEAP_PAGE 65536u

extern unsigned char __heap_base; /* the linker's: end of data and stack */

static heap_block *heap_free_list;
static uintptr_t   heap_end; /* 0: nothing taken yet */

static void heap_give(heap_block *b) {
    heap_block **at = &heap_free_list, *before = NULL;
    while (*at && *at < b) {
        before = *at;
        at = &before->next;
    }
    b->next = *at;
    *at = b;
    if (b->next && (uintptr_t)b + b->bytes == (uintptr_t)b->next) {
        b->bytes += b->next->bytes;
        b->next = b->next->next;
    }
    if (before && (uintptr_t)before + before->bytes == (uintptr_t)b) {
        before->bytes += b->bytes;
        before->next = b->next;
    }
}

/* Takes at least `bytes` more from the engine; false when there is no more. */
static int heap_grow(size_t bytes) {
    size_t      pages = bytes / HEAP_PAGE + 1;
    heap_block *b;
    if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return 0;
    if (!heap_end) heap_end = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15; /* with what the module began with */
    b = (heap_block *)heap_end;
    heap_end = (uintptr_t)__builtin_wasm_memory_size(0) * HEAP_PAGE;
    b->bytes = heap_end - (uintptr_t)b;
    heap_give(b);
    return 1;
}

static void *heap_alloc(size_t bytes) {
    size_t need = (bytes + sizeof(heap_block) + 15) & ~(size_t)15;
    if (bytes > SIZE_MAX / 2) return NULL;
    for (;;) {
        for (heap_block **at = &heap_free_list; *at; at = &(*at)->next) {
            heap_block *b = *at;
            if (b->bytes < need) continue;
            if (b->bytes - need < 2 * sizeof *b) {
                *at = b->next;
            } else { /* the front part stays free: the list keeps its order */
                b->bytes -= need;
                b = (heap_block *)((uintptr_t)b + b->bytes);
                b->bytes = need;
            }
            return b + 1;
        }
        if (!heap_grow(need)) return NULL;
    }
}

static void heap_free(void *p) {
    if (p) heap_give((heap_block *)p - 1);
}

#endif
