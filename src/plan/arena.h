/* Blocks of an arena: what arena.c collects and lays out. */
#ifndef NPU__PLAN_ARENA_H
#define NPU__PLAN_ARENA_H

#include "plan.h"

typedef struct npu__block {
    size_t  bytes, offset; /* bytes: a multiple of 64; of work memory, the least of it */
    size_t  most;          /* as many are of use: not less than bytes */
    int32_t first, last;   /* node indices, both inclusive; -1 = before the first */
    int32_t tensor;        /* root tensor, or -1 - n: slot `slot` of node n */
    int32_t slot;
} npu__block;

/* Up to so many blocks the quadratic search, which packs best, takes a few milliseconds. */
#define NPU__ARENA_MAX_BLOCKS 4096

/* Set the offset of every block, its bytes to what it gets, *top to the end of the last; sort them. Errors: LIMIT, OUT_OF_MEMORY (of
 * `temp`). Few blocks (n <= NPU__ARENA_MAX_BLOCKS) get the least arena, and what lies free in it; many each all that is of use. */
NPU__FN npu_status npu__arena_assign_small(npu__pool *temp, npu__block *blocks, int32_t n, uint64_t limit, size_t *top);
NPU__FN npu_status npu__arena_assign_large(npu__pool *temp, npu__block *blocks, int32_t n, uint64_t limit, size_t *top);

#endif
