/* The thread pool alone: every item once, in contiguous parts; threads that cannot be made; loops without items. */
#if defined(__GNUC__)
#  pragma GCC diagnostic ignored "-Wunused-function" /* most of what base.h declares is not here */
#endif
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_THREADS
#include "../../src/npu.h"
#include "../../src/base/base.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

static int threads_allowed = 1000;
static int create_some(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
    return threads_allowed-- > 0 ? pthread_create(thread, attr, run, arg) : 11;
}
#define pthread_create create_some
#include "../../src/run/core.c"
#include "../../src/run/threads.c"
#undef pthread_create

#include "test.h"

enum { ITEMS = 1000, MOST = 8 };

typedef struct work {
    int seen[ITEMS], starts[ITEMS], calls[MOST];
} work;

static void visit(void *arg, int64_t begin, int64_t end, int32_t thread) {
    work *w = (work *)arg;
    CHECK(begin < end && thread >= 0 && thread < MOST);
    w->calls[thread]++; /* like scratch: nobody else's meanwhile */
    w->starts[begin]++;
    for (int64_t i = begin; i < end; i++) w->seen[i]++;
}

static void loop(npu__threads *t, int64_t n, int64_t grain, int64_t tile, int parts) {
    static work   w;
    const int64_t grains = grain > 0 ? n / grain : n;
    const int     most = grains < 2 * NPU__PIECE_GRAINS * parts ? 1 : NPU__PIECES * parts; /* calls of a part; short ones are not cut */
    int           calls = 0;
    memset(&w, 0, sizeof w);
    npu__threads_run(t, n, grain, tile, visit, &w);
    for (int i = 0; i < ITEMS; i++) CHECK_INT(w.seen[i], i < n);
    for (int i = 0, part = 0; i < n; i++) {
        while (part + 1 < parts && i >= n * (part + 1) / parts) part++;
        CHECK(!w.starts[i] || (i - n * part / parts) % tile == 0);
        calls += w.starts[i];
    }
    for (int i = 0; i < MOST; i++) {
        CHECK(w.calls[i] <= most);
        calls -= w.calls[i];
        CHECK(i < parts || w.calls[i] == 0);
    }
    CHECK_INT(calls, 0);
}

static void loops(npu__threads *t, int n) {
    CHECK_INT(t->n, n);
    for (int round = 0; round < 50; round++) {
        loop(t, ITEMS, 1, 1, n);
        loop(t, ITEMS, 0, 1, n);
        for (int tile = 2; tile < 2 * ITEMS; tile = 3 * tile + 1) loop(t, ITEMS, 1, tile, n);
        loop(t, ITEMS, 400, 1, n < 2 ? n : 2); /* two grains: two parts */
        loop(t, ITEMS, 2000, 1, 1);
        loop(t, 3, 1, 1, n < 3 ? n : 3);
        loop(t, 1, 1, 1, 1);
        loop(t, 0, 1, 1, 0);
        loop(t, -5, 1, 1, 0);
    }
}

TEST(pools) {
    for (int n = 1; n <= MOST; n++) {
        for (int allowed = 0; allowed <= n; allowed++) {
            static npu__worker workers[MOST];
            npu__threads       t;
            CHECK(npu__threads_worker_bytes(n) <= sizeof workers);
            threads_allowed = allowed;
            npu__threads_start(&t, n, workers);
            loops(&t, allowed < n ? allowed + 1 : n);
            npu__threads_stop(&t);
            CHECK_INT(t.n, 1);
            npu__threads_stop(&t); /* once more is fine */
            loop(&t, ITEMS, 1, 1, 1);
        }
    }
}

/* One thread is held up in the first piece of a part until all else is done: the others do what it does not get to. A worker may come
 * late, on a busy machine by seconds, so the caller waits for it in its own first piece. */
typedef struct held {
    pthread_t caller;
    int       worker; /* is it a worker who is held up, or the caller? */
    int       done, came, late;
} held;

static void hold_until(held *h, const int *word, int least) {
    const time_t until = time(NULL) + 100;
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < least) {
        if (time(NULL) > until) {
            __atomic_store_n(&h->late, 1, __ATOMIC_SEQ_CST);
            break;
        }
        sched_yield();
    }
}

static void hold(void *arg, int64_t begin, int64_t end, int32_t thread) {
    held     *h = (held *)arg;
    const int worker = !pthread_equal(pthread_self(), h->caller);
    (void)thread;
    CHECK(end - begin < ITEMS / 2);
    if (worker) __atomic_store_n(&h->came, 1, __ATOMIC_SEQ_CST);
    else if (begin == 0) hold_until(h, &h->came, 1);
    if (worker == h->worker && begin == (worker ? ITEMS / 2 : 0)) hold_until(h, &h->done, ITEMS - (int)(end - begin));
    __atomic_add_fetch(&h->done, (int)(end - begin), __ATOMIC_SEQ_CST);
}

TEST(help) {
    static npu__worker workers[1];
    npu__threads       t;
    threads_allowed = 1;
    npu__threads_start(&t, 2, workers);
    for (int i = 0; i < 20; i++) {
        held h;
        memset(&h, 0, sizeof h);
        h.caller = pthread_self();
        h.worker = i % 2;
        npu__threads_run(&t, ITEMS, 1, 1, hold, &h);
        CHECK_INT(h.done, ITEMS);
        CHECK(h.came && !h.late);
        if (h.late) break;
    }
    npu__threads_stop(&t);
}

#if NPU__HAS_CORES
enum { WORDS = 64 };
static int allowed_cores(uint64_t *mask) {
    const long bytes = npu__linux(NPU__SYS_GETAFFINITY, 0, WORDS * (long)sizeof *mask, mask);
    int        n = 0;
    CHECK(bytes > 0);
    for (long i = 0; i < 8 * bytes; i++) n += (int)(mask[i / 64] >> i % 64 & 1u);
    return n;
}

/* Whoever leaves a core may come back: what it may use is as before. */
TEST(cores) {
    static uint64_t before[WORDS], after[WORDS];
    const int       n = allowed_cores(before);
    int             left = 0;
    npu__threads    t;
    memset(&t, 0, sizeof t);
    CHECK(n >= 1 && npu__core() >= 0);
    npu__core_leave(-1);
    npu__core_leave(INT32_MAX);
    for (int i = 0; i < 100; i++) {
        const int32_t core = npu__core();
        t.core = (uint32_t)core + 1u;
        npu__worker_settle(&t);
        left += npu__core() != core;
    }
    CHECK(n == 1 || left > 0);
    CHECK_INT(allowed_cores(after), n);
    CHECK(memcmp(before, after, sizeof before) == 0);
}
#else
TEST(cores) {
    npu__core_leave(0);
    CHECK_INT(npu__core(), -1);
}
#endif

/* Nobody comes: room is made after as many grains, then half as often; until somebody does. */
TEST(patience) {
    npu__threads t;
    memset(&t, 0, sizeof t);
    npu__threads_company(&t, 1, 1);
    for (int64_t now = NPU__WAKE_GRAINS; now < (int64_t)1 << 26; now *= 2) {
        CHECK(t.patience == NPU__MIN(now, (int64_t)1 << 24));
        t.core = 0;
        npu__threads_company(&t, 0, t.patience - 1);
        CHECK_INT((int)t.core, 0);
        npu__threads_company(&t, 0, 1);
        CHECK_INT(t.core != 0, NPU__HAS_CORES);
        CHECK(t.alone == 0);
    }
    npu__threads_company(&t, 1, 1);
    CHECK(t.core == 0 && t.patience == NPU__WAKE_GRAINS);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(pools);
    RUN(help);
    RUN(cores);
    RUN(patience);
    return REPORT();
}
