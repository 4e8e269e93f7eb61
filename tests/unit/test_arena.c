/* The layout of few and of very many blocks: nothing that lives at the same time overlaps, whatever the sizes; limits; no memory. */
#define NPU__LAYERS 1 /* base */
#include "../../src/npu_rt.c"
#define NPU__PLAN_PLAN_H /* blocks need nothing of plans */
#include "../../src/plan/arena_small.c"
#include "../../src/plan/arena_large.c"

#include "test.h"

enum { BLOCKS = 600, NODES = 200 };

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* kind 0: lives of any length and size; 1: short lives, one size; 2: all at once; 3: each alone. */
static void make_blocks(npu__block *b, int kind) {
    memset(b, 0, BLOCKS * sizeof *b);
    for (int32_t i = 0; i < BLOCKS; i++) {
        b[i].bytes = 64 * (size_t)(kind == 1 ? 4 : 1 + rnd(kind == 0 ? 3000 : 5));
        b[i].first = kind == 2 ? 0 : kind == 3 ? i : (int32_t)rnd(NODES);
        b[i].last = kind == 2 ? NODES : kind == 3 ? i : b[i].first + (int32_t)rnd(kind ? 3 : NODES);
        b[i].tensor = i % 7 ? i : -1;
        b[i].slot = i;
        b[i].most = b[i].bytes;
        if (b[i].tensor >= 0 || i % 2) continue;
        b[i].last = b[i].first; /* work memory, which may grow, and may have nothing as its least */
        b[i].most = 64 * (size_t)(1 + rnd(4000));
        b[i].bytes = rnd(2) ? 0 : NPU__MIN(b[i].bytes, b[i].most);
    }
}

static size_t most_alive(const npu__block *b) {
    size_t most = 0;
    for (int32_t at = 0; at <= 2 * NODES + BLOCKS; at++) {
        size_t sum = 0;
        for (int32_t i = 0; i < BLOCKS; i++) if (b[i].first <= at && at <= b[i].last) sum += b[i].bytes;
        if (sum > most) most = sum;
    }
    return most;
}

static void check_apart(const npu__block *b, size_t top) {
    size_t end = 0;
    for (int32_t i = 0; i < BLOCKS; i++) {
        if (b[i].offset + b[i].bytes > end) end = b[i].offset + b[i].bytes;
        CHECK(b[i].bytes <= b[i].most && b[i].bytes % 64 == 0);
        for (int32_t k = 0; k < i; k++) {
            if (b[k].last < b[i].first || b[i].last < b[k].first || !b[i].bytes || !b[k].bytes) continue;
            CHECK(b[k].offset + b[k].bytes <= b[i].offset || b[i].offset + b[i].bytes <= b[k].offset);
        }
    }
    CHECK_INT(top, end);
}

TEST(nothing_overlaps) {
    static npu__block b[BLOCKS];
    npu_allocator     a;
    npu__pool         pool;
    size_t            top;
    CHECK(npu__allocator_resolve(&a, NULL));
    for (int kind = 0; kind < 4; kind++) {
        for (int round = 0; round < 20; round++) {
            size_t least;
            make_blocks(b, kind);
            for (int32_t i = 0; i < BLOCKS; i++) b[i].bytes = b[i].most;
            least = most_alive(b);
            npu__pool_init(&pool, &a, UINT64_MAX);
            CHECK_INT(npu__arena_assign_large(&pool, b, BLOCKS, UINT64_MAX, &top), NPU_OK);
            npu__pool_free(&pool);
            check_apart(b, top);
            CHECK(top >= least && top <= 2 * least);
        }
    }
}

/* What grows takes nothing from others, makes the arena no larger, and finds the room that there is. */
TEST(work_memory_grows) {
    static npu__block b[BLOCKS], fixed[BLOCKS];
    npu_allocator     a;
    npu__pool         pool;
    size_t            top, without;
    int               grown = 0;
    CHECK(npu__allocator_resolve(&a, NULL));
    for (int kind = 0; kind < 4; kind++) {
        for (int round = 0; round < 20; round++) {
            make_blocks(b, kind);
            memcpy(fixed, b, sizeof b);
            for (int32_t i = 0; i < BLOCKS; i++) fixed[i].most = fixed[i].bytes;
            npu__pool_init(&pool, &a, UINT64_MAX);
            CHECK_INT(npu__arena_assign_small(&pool, fixed, BLOCKS, UINT64_MAX, &without), NPU_OK);
            CHECK_INT(npu__arena_assign_small(&pool, b, BLOCKS, UINT64_MAX, &top), NPU_OK);
            npu__pool_free(&pool);
            CHECK_INT(top, without);
            check_apart(b, top);
            CHECK_INT(most_alive(b) <= top, 1);
            for (int32_t i = 0; i < BLOCKS; i++) {
                size_t taken = 0;
                grown += b[i].most > 0 && b[i].tensor < 0 && b[i].bytes == b[i].most;
                for (int32_t k = 0; k < BLOCKS; k++) taken += b[k].first <= b[i].first && b[k].last >= b[i].first ? b[k].bytes : 0;
                /* Alone with few, it has all of the room between them, or as much as it wants. */
                if (kind == 3 && b[i].bytes < b[i].most) CHECK_INT(taken, top);
            }
        }
    }
    CHECK(grown > 100);
}

TEST(limits) {
    static npu__block b[BLOCKS];
    npu_allocator     a;
    npu__pool         pool;
    size_t            top, all = 0;
    CHECK(npu__allocator_resolve(&a, NULL));
    npu__pool_init(&pool, &a, UINT64_MAX);
    make_blocks(b, 2);
    for (int32_t i = 0; i < BLOCKS; i++) {
        b[i].bytes = b[i].most;
        b[i].first = 0;
        b[i].last = NODES;
        all += b[i].bytes;
    }
    for (int large = 0; large < 2; large++) {
        npu_status (*assign)(npu__pool *, npu__block *, int32_t, uint64_t, size_t *) = large ? npu__arena_assign_large
                                                                                          : npu__arena_assign_small;
        CHECK_INT(assign(&pool, b, BLOCKS, all, &top), NPU_OK);
        CHECK_INT(top, all);
        CHECK_INT(assign(&pool, b, BLOCKS, all - 1, &top), NPU_LIMIT);
        CHECK_INT(assign(&pool, b, BLOCKS, 10, &top), NPU_LIMIT);
    }
    npu__pool_free(&pool);
}

/* Sizes that only a plan without limits can have: the end of the second block wraps around. */
TEST(ends_wrap) {
    npu_allocator a;
    npu__pool     pool;
    size_t        top;
    for (int large = 0; large < 2; large++) {
        npu__block b[2];
        memset(b, 0, sizeof b);
        b[0].bytes = b[0].most = b[1].bytes = b[1].most = SIZE_MAX / 2 + 1;
        b[0].tensor = b[1].tensor = -1;
        b[1].slot = 1;
        CHECK(npu__allocator_resolve(&a, NULL));
        npu__pool_init(&pool, &a, UINT64_MAX);
        CHECK_INT((large ? npu__arena_assign_large : npu__arena_assign_small)(&pool, b, 2, UINT64_MAX, &top), NPU_LIMIT);
        npu__pool_free(&pool);
    }
}

/* Lists of rooms hold sizes between one limit and the next: n and n + n/2 of each power of two. */
TEST(lists_of_rooms) {
    CHECK_INT(npu__room_list(0), 0);
    CHECK_INT(npu__room_list(1), 0);
    CHECK_INT(npu__room_list(2), 2);
    CHECK_INT(npu__room_list(3), 3);
    CHECK_INT(npu__room_list(64), 12);
    CHECK_INT(npu__room_list(95), 12);
    CHECK_INT(npu__room_list(96), 13);
    CHECK(npu__room_list(SIZE_MAX) < NPU__ROOM_LISTS);
}

static void *failing_alloc(void *user, size_t bytes, size_t align) {
    int *left = (int *)user;
    return (*left)-- > 0 ? npu__malloc_aligned(NULL, bytes, align) : NULL;
}

TEST(no_memory) {
    static npu__block b[BLOCKS];
    npu_allocator     a;
    npu__pool         pool;
    size_t            top;
    for (int allowed = 0; allowed < 4; allowed++) {
        int left = allowed;
        a.user = &left;
        a.alloc = failing_alloc;
        a.free = npu__free_aligned;
        make_blocks(b, 0);
        npu__pool_init(&pool, &a, UINT64_MAX);
        if (!allowed) CHECK_INT(npu__arena_assign_small(&pool, b, BLOCKS, UINT64_MAX, &top), NPU_OUT_OF_MEMORY);
        left = allowed;
        CHECK_INT(npu__arena_assign_large(&pool, b, BLOCKS, UINT64_MAX, &top), allowed < 3 ? NPU_OUT_OF_MEMORY : NPU_OK);
        npu__pool_free(&pool);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(nothing_overlaps);
    RUN(work_memory_grows);
    RUN(limits);
    RUN(ends_wrap);
    RUN(lists_of_rooms);
    RUN(no_memory);
    return REPORT();
}
