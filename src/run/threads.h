/* A small thread pool that belongs to one session. Absent (and serial) unless NPU_RT_THREADS is defined. */
#ifndef NPU__RUN_THREADS_H
#define NPU__RUN_THREADS_H

#include "../graph/op.h"

#if NPU__HAS_THREADS
#include <pthread.h>
#endif

#define NPU__MAX_WORKERS 255

typedef struct npu__threads {
    int32_t n; /* threads that work, the caller included */
#if NPU__HAS_THREADS
    struct npu__worker *workers; /* n - 1 */
    pthread_mutex_t     lock;
    pthread_cond_t      start, done;
    uint32_t            round; /* one more for every parallel loop */
    uint32_t            busy;  /* workers that have not reported yet */
    int32_t             stop, spins;
    npu__range_fn       fn;
    void               *arg;
    int64_t             count;
    int32_t             parts;
#endif
} npu__threads;

/* Starts n - 1 workers; fewer when the system refuses (the loop then has fewer parts). `workers` is memory for them. */
NPU__FN void npu__threads_start(npu__threads *t, int32_t n, void *workers);
NPU__FN void npu__threads_stop(npu__threads *t);
NPU__FN size_t npu__threads_worker_bytes(int32_t n);
NPU__FN void npu__threads_run(npu__threads *t, int64_t count, int64_t grain, npu__range_fn fn, void *arg);

#endif
