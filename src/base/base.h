/* Small things everyone uses: strings by length, diagnostics, pool memory, checked size arithmetic. */
#ifndef NPU__BASE_BASE_H
#define NPU__BASE_BASE_H

#include "checked.h"
#include "sizes.h"

typedef struct npu__str {
    const char *p; /* not zero-terminated */
    size_t      n;
} npu__str;

NPU__INLINE npu__str npu__str_of(const char *z) {
    npu__str s;
    s.p = z;
    s.n = strlen(z);
    return s;
}

NPU__INLINE int npu__str_eq(npu__str a, npu__str b) { return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0); }
NPU__INLINE int npu__str_is(npu__str a, const char *z) { return npu__str_eq(a, npu__str_of(z)); }

/* ---- formatting (format.c): libc's printf family stays out of the header ---- */

/* Writes a zero-terminated, truncated text; returns the length it wanted. Knows %d int, %u unsigned, %l int64_t,
 * %z size_t, %g double (6 significant digits), %s char*, %S npu__str by pointer, %c int, %%; in reports, for people: %k int64_t as
 * 1,234,567, %b int64_t bytes as 1.18 MiB. */
NPU__FN size_t npu__format(char *out, size_t cap, const char *fmt, ...);
NPU__FN size_t npu__vformat(char *out, size_t cap, const char *fmt, va_list args);

/* ---- diagnostics (diag.c) ---- */

NPU__FN void npu__diag_clear(npu_diag *diag); /* NULL is fine, here and below */
/* Records a failure unless one is recorded already (the first cause wins), and returns `status`. */
NPU__FN npu_status npu__diag_fail(npu_diag *diag, npu_status status, const char *rule, const char *fmt, ...);
NPU__FN npu_status npu__diag_vfail(npu_diag *diag, npu_status status, const char *rule, const char *fmt, va_list args);

/* ---- allocation (alloc.c) ---- */

/* The caller's allocator, or the default one for a zero-initialised or NULL descriptor.
 * False when there is none (NPU_RT_NO_MALLOC). */
NPU__FN int npu__allocator_resolve(npu_allocator *out, const npu_allocator *asked);
/* Does a block of `bytes` come as zeros? */
NPU__FN int npu__allocator_zeroes(const npu_allocator *a, size_t bytes);

/* A pool: many small allocations freed as one. Every size is checked; NULL on failure, also beyond the pool's limit. */
typedef struct npu__pool_block npu__pool_block;
typedef struct npu__pool {
    npu_allocator    allocator;
    npu__pool_block *newest, *filling; /* every block, newest first; the one that small pieces go to */
    size_t           room, block_bytes, total_bytes; /* left in that one; of the next one; of all */
    size_t           limit;      /* total_bytes never exceeds it */
    int32_t          over_limit; /* an allocation failed because of the limit, not because the allocator said no */
    struct npu__pool_elsewhere *elsewhere; /* NULL, or the same pool on another machine */
} npu__pool;

/* A pool that counts alone: how the same pieces would lie in memory of `machine` (an npu_machine). */
typedef struct npu__pool_elsewhere {
    int32_t machine;
    size_t  room, block_bytes, total_bytes;
} npu__pool_elsewhere;

NPU__FN void  npu__pool_init(npu__pool *pool, const npu_allocator *allocator, uint64_t limit);
/* A pool for work that is freed before `parent` grows again: what `parent` has left is its limit. */
NPU__FN void  npu__pool_init_within(npu__pool *pool, const npu__pool *parent);
NPU__FN void *npu__pool_alloc(npu__pool *pool, size_t count, size_t elem_bytes); /* zeroed, aligned to 16 */
NPU__FN void *npu__pool_new(npu__pool *pool, size_t count, npu__size elem);      /* likewise, for NPU__SIZE(type) */
/* Before the first allocation: counts on another machine, too. */
NPU__FN void  npu__pool_count_elsewhere(npu__pool *pool, npu__pool_elsewhere *elsewhere, int32_t machine);
NPU__FN void *npu__pool_alloc_aligned64(npu__pool *pool, size_t bytes);          /* not zeroed; for tensor data */
NPU__FN void  npu__pool_free(npu__pool *pool);

/* ---- sorting (sort.c) ---- */

/* Must a stand before b? For a result that does not depend on the sort, no two elements may be equal. */
typedef int (*npu__before_fn)(const void *a, const void *b);
#define NPU__SORT_MAX_BYTES 64
/* Sorts n elements of `bytes` (at most NPU__SORT_MAX_BYTES) each, in n log n steps. */
NPU__FN void npu__sort(void *base, size_t n, size_t bytes, npu__before_fn before);

/* ---- instruction sets (cpu.c) ---- */

/* May code written for `part` run where `whole` was chosen? Within a family each value includes the weaker ones. */
NPU__FN int npu__isa_includes(npu_isa whole, npu_isa part);
/* Does this build have its code, whatever this machine is? */
NPU__FN int npu__isa_built(npu_isa isa);

#endif
