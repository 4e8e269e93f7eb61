/* Blocks of an arena: what arena.c collects and lays out. */
#ifndef NPU__PLAN_ARENA_H
#define NPU__PLAN_ARENA_H

#include "plan.h"

typedef struct npu__block {
    size_t  bytes, offset; /* bytes: a multiple of 64 */
    int32_t first, last;   /* node indices, both inclusive; -1 = before the first */
    int32_t tensor;        /* root tensor, or -1 - n: slot `slot` of node n */
    int32_t slot;
} npu__block;

/* Up to so many blocks the quadratic search, which packs best, takes a few milliseconds. */
#define NPU__ARENA_MAX_BLOCKS 4096

/* Sets the offset of every block, *top to the end of the last; sorts them by time. Errors: LIMIT, OUT_OF_MEMORY (of `temp`). */
NPU__FN npu_status npu__arena_assign_large(npu__pool *temp, npu__block *blocks, int32_t n, uint64_t limit, size_t *top);

#endif
