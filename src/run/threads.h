/* A small thread pool that belongs to one session. Absent (and serial) unless NPU_RT_THREADS is defined.
 *
 * NPU__CREW, where a program defines it, is an expression for the one npu__threads whose workers all sessions share. That program brings
 * the workers: each runs npu__worker_loop, and is counted in `n`. So does the page's module, whose threads are JavaScript's. */
#ifndef NPU__RUN_THREADS_H
#define NPU__RUN_THREADS_H

#include "../graph/op.h"

#if NPU__HAS_THREADS && !defined(NPU__CREW)
#include <pthread.h>
#endif

#define NPU__MAX_WORKERS 255

#if NPU__HAS_THREADS
/* A word that threads watch for a change, and then sleep until it is rung. */
typedef struct npu__bell {
    uint32_t word, sleepers;
#  ifndef NPU__CREW
    pthread_cond_t rung;
#  endif
} npu__bell;
#endif

typedef struct npu__threads {
    int32_t n; /* threads that work, the caller included; of a session that shares a crew, that it may use */
#if NPU__HAS_THREADS
    int32_t       spins; /* looks at a bell before sleeping */
    int32_t       awake; /* the caller must not sleep: a page's own thread */
    int32_t       lost;  /* a worker could not do its part */
    int64_t       missed; /* grains of loops for which nobody was woken */
    int64_t       alone;  /* ... to which nobody came */
    int64_t       patience; /* ... of those, before the caller makes room for a worker that may be waiting for its core */
    npu__range_fn fn;
    void         *arg;
    int64_t       count;
    int64_t       tile;      /* pieces begin at multiples, of their part */
    int32_t       pieces;    /* of each part */
    npu__bell     ticket;    /* of the loop: NPU__TICKET */
    uint32_t      core;      /* 1 + that of the caller, while nobody comes; else 0 */
    uint8_t       apart[64]; /* what workers write last is not in the cache line that they watch */
    uint32_t      cut[NPU__MAX_WORKERS + 1]; /* by part, where there are more pieces than one: those taken from its front, 2^16 times those from its end */
    npu__bell     done;      /* one more for every part that a worker has done */
#  ifndef NPU__CREW
    struct npu__worker *workers; /* n - 1 */
    pthread_mutex_t     lock;    /* of the bells */
#  endif
#endif
} npu__threads;

/* Starts n - 1 workers; fewer when the system refuses (the loop then has fewer parts). `workers` is memory for them. */
NPU__FN void npu__threads_start(npu__threads *t, int32_t n, void *workers);
NPU__FN void npu__threads_stop(npu__threads *t);
NPU__FN size_t npu__threads_worker_bytes(int32_t n);
/* `thread`, of fn, is the number of a part that nobody else works on; who does it is whoever comes first. `tile`: as in npu__parallel_tiles. */
NPU__FN void npu__threads_run(npu__threads *t, int64_t count, int64_t grain, int64_t tile, npu__range_fn fn, void *arg);

#if NPU__HAS_THREADS
/* A worker's life: takes parts of loops until the pool stops. */
NPU__FN void npu__worker_loop(npu__threads *t);
/* One part is done. */
NPU__FN void npu__worker_report(npu__threads *t);
#endif

#endif
