/* The pool: workers sleep on a condition variable between loops; each loop is split into equal contiguous parts. */
#include "../base/float_mode.h"
#include "threads.h"

#if NPU__HAS_THREADS

typedef struct npu__worker {
    npu__threads *pool;
    pthread_t     thread;
    int32_t       index; /* 1 .. n - 1; the caller is 0 */
} npu__worker;

NPU__FN void npu__threads_part(npu__threads *t, int32_t index) {
    /* bounded: elements or rows of a tensor times at most 256 */
    int64_t begin = t->count * index / t->parts, end = t->count * (index + 1) / t->parts;
    if (index < t->parts && begin < end) t->fn(t->arg, begin, end, index);
}

NPU__FN void *npu__worker_main(void *arg) {
    npu__worker  *w = (npu__worker *)arg;
    npu__threads *t = w->pool;
    uint64_t      seen = 0;
    (void)npu__flush_begin(); /* the thread works for invokes alone */
    pthread_mutex_lock(&t->lock);
    for (;;) {
        /* Rounds are counted, so that a worker that wakes late neither misses one nor takes it twice. */
        while (t->round == seen && !t->stop) pthread_cond_wait(&t->start, &t->lock);
        if (t->stop) break;
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        npu__threads_part(t, w->index);
        pthread_mutex_lock(&t->lock);
        /* Every worker reports in each round, also those without a part: only then may the next begin. */
        if (--t->busy == 0) pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

NPU__FN size_t npu__threads_worker_bytes(int32_t n) {
    return n > 1 ? (size_t)(n - 1) * sizeof(npu__worker) : 0; /* bounded: n is at most 256 */
}

NPU__FN void npu__threads_start(npu__threads *t, int32_t n, void *workers) {
    memset(t, 0, sizeof *t);
    t->n = 1;
    if (n < 2) return;
    t->workers = (npu__worker *)workers;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->start, NULL);
    pthread_cond_init(&t->done, NULL);
    for (int32_t i = 0; i < n - 1; i++) {
        t->workers[i].pool = t;
        t->workers[i].index = i + 1;
        /* Fewer workers than asked for is slower, not wrong: parts are cut by t->n. */
        if (pthread_create(&t->workers[i].thread, NULL, npu__worker_main, &t->workers[i]) != 0) break;
        t->n++;
    }
}

NPU__FN void npu__threads_stop(npu__threads *t) {
    if (!t->workers) return;
    pthread_mutex_lock(&t->lock);
    t->stop = 1;
    pthread_cond_broadcast(&t->start);
    pthread_mutex_unlock(&t->lock);
    for (int32_t i = 0; i < t->n - 1; i++) pthread_join(t->workers[i].thread, NULL);
    pthread_cond_destroy(&t->done);
    pthread_cond_destroy(&t->start);
    pthread_mutex_destroy(&t->lock);
    t->workers = NULL;
    t->n = 1;
}

NPU__FN void npu__threads_run(npu__threads *t, int64_t count, int64_t grain, npu__range_fn fn, void *arg) {
    int64_t most = grain > 0 ? count / grain : count;
    if (count <= 0) return;
    /* Parts below the grain cost more to hand out than to do. */
    if (t->n < 2 || most < 2) { fn(arg, 0, count, 0); return; }
    pthread_mutex_lock(&t->lock);
    t->fn = fn;
    t->arg = arg;
    t->count = count;
    t->parts = (int32_t)NPU__MIN((int64_t)t->n, most);
    t->busy = t->n - 1;
    t->round++;
    pthread_cond_broadcast(&t->start);
    pthread_mutex_unlock(&t->lock);
    npu__threads_part(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->busy) pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

#else

NPU__FN size_t npu__threads_worker_bytes(int32_t n) { (void)n; return 0; }
NPU__FN void npu__threads_start(npu__threads *t, int32_t n, void *workers) {
    (void)n;
    (void)workers;
    t->n = 1;
}
NPU__FN void npu__threads_stop(npu__threads *t) { (void)t; }
NPU__FN void npu__threads_run(npu__threads *t, int64_t count, int64_t grain, npu__range_fn fn, void *arg) {
    (void)t;
    (void)grain;
    if (count > 0) fn(arg, 0, count, 0);
}

#endif
