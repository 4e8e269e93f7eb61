/* The pool: each loop is split into equal contiguous parts. Between loops workers look out for the next one for a while, as waking up
 * takes longer than many a loop does, and then sleep on a condition variable; so does the caller who waits for them. */
#include "../base/float_mode.h"
#include "threads.h"

#if NPU__HAS_THREADS
#include <unistd.h>

#define NPU__SPINS 32768 /* looks, some tenths of a millisecond altogether */

/* `round` and `busy` are read without the lock where the compiler has atomics; round changes only under it, so that nobody sleeps
 * through that. */
#if defined(__GNUC__) || defined(__clang__)
#  define NPU__SPIN_ON 1
NPU__INLINE uint32_t npu__shared_get(npu__threads *t, const uint32_t *p) { (void)t; return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
NPU__INLINE void npu__shared_set(uint32_t *p, uint32_t v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
NPU__INLINE uint32_t npu__shared_less(npu__threads *t, uint32_t *p) { (void)t; return __atomic_sub_fetch(p, 1u, __ATOMIC_ACQ_REL); }
NPU__INLINE int npu__is_busy(const npu__threads *t) { return __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE) != 0; } /* under the lock */
#else
#  define NPU__SPIN_ON 0
NPU__INLINE int npu__is_busy(const npu__threads *t) { return t->busy != 0; }
NPU__INLINE uint32_t npu__shared_get(npu__threads *t, const uint32_t *p) {
    uint32_t v;
    pthread_mutex_lock(&t->lock);
    v = *p;
    pthread_mutex_unlock(&t->lock);
    return v;
}
NPU__INLINE void npu__shared_set(uint32_t *p, uint32_t v) { *p = v; }
NPU__INLINE uint32_t npu__shared_less(npu__threads *t, uint32_t *p) {
    uint32_t v;
    pthread_mutex_lock(&t->lock);
    v = --*p;
    pthread_mutex_unlock(&t->lock);
    return v;
}
#endif

NPU__INLINE void npu__spin_pause(void) {
#if NPU__SPIN_ON && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif NPU__SPIN_ON && (defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7))
    __asm__ __volatile__("yield");
#endif
}

/* Looks until *p is `value`, or no longer is (`is` 0), but not for ever. Was it? */
NPU__FN int npu__spin(npu__threads *t, const uint32_t *p, uint32_t value, int is) {
    for (int32_t i = 0; i <= t->spins; i++) {
        if ((npu__shared_get(t, p) == value) == is) return 1;
        npu__spin_pause();
    }
    return 0;
}

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
    uint32_t      seen = 0;
    (void)npu__flush_begin(); /* the thread works for invokes alone */
    for (;;) {
        /* Rounds are counted, so that a worker that wakes late neither misses one nor takes it twice. */
        if (!npu__spin(t, &t->round, seen, 0)) {
            int stop;
            pthread_mutex_lock(&t->lock);
            while (t->round == seen && !t->stop) pthread_cond_wait(&t->start, &t->lock);
            stop = t->round == seen;
            pthread_mutex_unlock(&t->lock);
            if (stop) return NULL;
        }
        seen++;
        npu__threads_part(t, w->index);
        /* Every worker reports in each round, also those without a part: only then may the next begin. */
        if (npu__shared_less(t, &t->busy) > 0) continue;
        pthread_mutex_lock(&t->lock); /* so that the caller is not between looking and sleeping */
        pthread_cond_signal(&t->done);
        pthread_mutex_unlock(&t->lock);
    }
}

NPU__FN size_t npu__threads_worker_bytes(int32_t n) {
    return n > 1 ? (size_t)(n - 1) * sizeof(npu__worker) : 0; /* bounded: n is at most 256 */
}

NPU__FN void npu__threads_start(npu__threads *t, int32_t n, void *workers) {
    memset(t, 0, sizeof *t);
    t->n = 1;
    if (n < 2) return;
    t->workers = (npu__worker *)workers;
#if NPU__SPIN_ON && defined(_SC_NPROCESSORS_ONLN)
    if (n <= sysconf(_SC_NPROCESSORS_ONLN)) t->spins = NPU__SPINS; /* more would keep each other from working */
#endif
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
    npu__shared_set(&t->busy, (uint32_t)t->n - 1u);
    npu__shared_set(&t->round, t->round + 1u);
    pthread_cond_broadcast(&t->start);
    pthread_mutex_unlock(&t->lock);
    npu__threads_part(t, 0);
    if (npu__spin(t, &t->busy, 0, 1)) return;
    pthread_mutex_lock(&t->lock);
    while (npu__is_busy(t)) pthread_cond_wait(&t->done, &t->lock);
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
