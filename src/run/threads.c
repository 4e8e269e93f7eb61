/* The pool: each loop is split into equal contiguous parts. The caller does the first one, and then those that no worker has taken yet:
 * a worker that is late, because it slept or has no processor, delays nobody. Long parts are done piece by piece, and who has nothing left
 * to do takes pieces from the ends of others' parts: cores may be of unlike speed, or shared with somebody else. Between loops workers look out for the next one for a
 * while, as waking up takes longer than many a loop does, and then sleep. Sleeping is all that depends on the system: a condition
 * variable, or WebAssembly's wait and notify where a crew is shared. */
#include "../base/float_mode.h"
#include "core.h"
#include "threads.h"

#if NPU__HAS_THREADS

#ifdef NPU__CREW
#  define NPU__POOL(t) (NPU__CREW)
#  define NPU__SPINS (1 << 18) /* some tenths of a millisecond altogether; here without pauses */
#else
#  include <sched.h>
#  include <unistd.h>
#  define NPU__POOL(t) (t)
#  define NPU__SPINS 32768
#endif

/* Grains, of some microseconds each, that sleepers are woken for: a system call, and tens of microseconds until they are there. */
#define NPU__WAKE_GRAINS 32

/* Pieces of a part, and the least grains of one: enough of them to wait for nobody for long, and not so many that somebody notices. */
#define NPU__PIECES 8
#define NPU__PIECE_GRAINS 16
#define NPU__PIECE_BACK 0x10000u

/* Of a loop: parts, and how many of them are taken. The rounds make every loop's another one, until they begin again: then a worker that
 * looked away that long goes on sleeping, or takes a part of another loop than it thinks, both of which are fine. */
#define NPU__TICKET(round, parts, taken) ((uint32_t)(round) << 18 | (uint32_t)(parts) << 9 | (uint32_t)(taken))
#define NPU__TICKET_PARTS(v) ((int32_t)((v) >> 9 & 511u))
#define NPU__TICKET_TAKEN(v) ((int32_t)((v) & 511u))
#define NPU__TICKET_STOP 0xFFFFFFFFu

/* Bells are read without the lock where the compiler has atomics. Sequential consistency: who changes a word and then sees no sleepers may
 * go on, as whoever counts itself one after that sees the change. */
#if defined(__GNUC__) || defined(__clang__)
#  define NPU__SPIN_ON 1
#  define NPU__LOCK(t) ((void)(t))
#  define NPU__UNLOCK(t) ((void)(t))
#  define NPU__GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#  define NPU__PUT(p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#  define NPU__ADD(p, v) ((void)__atomic_add_fetch(p, v, __ATOMIC_SEQ_CST))
#  define NPU__SWAP(p, old, v) __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#else
#  define NPU__SPIN_ON 0
#  define NPU__LOCK(t) pthread_mutex_lock(&(t)->lock)
#  define NPU__UNLOCK(t) pthread_mutex_unlock(&(t)->lock)
#  define NPU__GET(p) (*(p))
#  define NPU__PUT(p, v) ((void)(*(p) = (v)))
#  define NPU__ADD(p, v) ((void)(*(p) += (v)))
#  define NPU__SWAP(p, old, v) (*(p) == *(old) ? (*(p) = (v), 1) : (*(old) = *(p), 0))
#endif

NPU__INLINE uint32_t npu__bell_get(npu__threads *t, const uint32_t *p) {
    uint32_t v;
    NPU__LOCK(t);
    v = NPU__GET(p);
    NPU__UNLOCK(t);
    return v;
}

NPU__INLINE void npu__bell_put(npu__threads *t, uint32_t *p, uint32_t v) {
    NPU__LOCK(t);
    NPU__PUT(p, v);
    NPU__UNLOCK(t);
}

/* Whether *p was *old, and is v now; else *old says what it is. */
NPU__INLINE int npu__bell_swap(npu__threads *t, uint32_t *p, uint32_t *old, uint32_t v) {
    int swapped;
    NPU__LOCK(t);
    swapped = NPU__SWAP(p, old, v);
    NPU__UNLOCK(t);
    return swapped;
}

NPU__INLINE void npu__spin_pause(void) {
#if NPU__SPIN_ON && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif NPU__SPIN_ON && (defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7))
    __asm__ __volatile__("yield");
#endif
}

/* Who looks out on the core of whom it waits for (systems wake there) would wait for itself: now and then the core is left to others. */
#define NPU__SPINS_TURN 256
NPU__INLINE void npu__spin_yield(void) {
#ifndef NPU__CREW
    (void)sched_yield();
#endif
}

#ifdef NPU__CREW

NPU__FN void npu__bell_sleep(npu__threads *t, npu__bell *b, uint32_t old) {
    (void)t;
    NPU__ADD(&b->sleepers, 1u);
    while (NPU__GET(&b->word) == old) (void)__builtin_wasm_memory_atomic_wait32((int *)&b->word, (int)old, -1);
    NPU__ADD(&b->sleepers, (uint32_t)-1);
}

NPU__FN void npu__bell_ring(npu__threads *t, npu__bell *b) {
    if (npu__bell_get(t, &b->sleepers)) (void)__builtin_wasm_memory_atomic_notify((int *)&b->word, UINT32_MAX);
}

#else

NPU__FN void npu__bell_sleep(npu__threads *t, npu__bell *b, uint32_t old) {
    pthread_mutex_lock(&t->lock);
    NPU__ADD(&b->sleepers, 1u);
    while (NPU__GET(&b->word) == old) pthread_cond_wait(&b->rung, &t->lock);
    NPU__ADD(&b->sleepers, (uint32_t)-1);
    pthread_mutex_unlock(&t->lock);
}

NPU__FN void npu__bell_ring(npu__threads *t, npu__bell *b) {
    if (!npu__bell_get(t, &b->sleepers)) return;
    pthread_mutex_lock(&t->lock); /* nobody is between looking and sleeping */
    pthread_cond_broadcast(&b->rung);
    pthread_mutex_unlock(&t->lock);
}

#endif

/* Nobody came to the last loops: is this worker on the core of their caller? */
NPU__FN void npu__worker_settle(npu__threads *t) {
    const uint32_t caller = npu__bell_get(t, &t->core);
    if (caller && caller == (uint32_t)npu__core() + 1u) npu__core_leave((int32_t)(caller - 1u));
}

/* Waits until the bell is no longer at `old`: looks for a while, then sleeps. */
NPU__FN void npu__bell_await(npu__threads *t, npu__bell *b, uint32_t old, int awake) {
    for (int32_t i = 0; awake || i <= t->spins; i += !awake) {
        if (npu__bell_get(t, &b->word) != old) return;
        npu__spin_pause();
        if (i % NPU__SPINS_TURN != NPU__SPINS_TURN - 1) continue;
        npu__spin_yield();
        if (b == &t->ticket) npu__worker_settle(t);
    }
    npu__bell_sleep(t, b, old);
}

/* Where the piece of a part of so many elements begins. */
NPU__INLINE int64_t npu__piece_at(const npu__threads *t, int64_t size, int64_t piece) {
    if (piece == 0) return 0;
    /* bounded: elements or rows of a tensor times at most 8. */
    return piece == t->pieces ? size : size * piece / t->pieces / t->tile * t->tile;
}

/* The loop stays what it is until all parts are reported. `as` is the part whose scratch memory serves. */
NPU__FN void npu__piece_do(npu__threads *t, int64_t part, int64_t parts, int64_t piece, int32_t as) {
    /* bounded: elements or rows of a tensor times at most 256. */
    const int64_t begin = t->count * part / parts, size = t->count * (part + 1) / parts - begin;
    const int64_t from = npu__piece_at(t, size, piece), to = npu__piece_at(t, size, piece + 1);
    t->fn(t->arg, begin + from, begin + to, as); /* at least a tile, or all of the part */
}

/* Takes the next piece of a part from its front or, with NPU__PIECE_BACK, from its end. -1: none is left. */
NPU__FN int32_t npu__piece_take(npu__threads *t, int64_t part, uint32_t side) {
    uint32_t *cut = &t->cut[part], v = npu__bell_get(t, cut);
    do {
        if ((v & 0xFFFFu) + (v >> 16) >= (uint32_t)t->pieces) return -1;
    } while (!npu__bell_swap(t, cut, &v, v + side));
    return side == NPU__PIECE_BACK ? t->pieces - 1 - (int32_t)(v >> 16) : (int32_t)(v & 0xFFFFu);
}

/* The first piece is taken with the part. */
NPU__FN void npu__threads_do(npu__threads *t, int64_t part, int64_t parts) {
    int32_t piece = 0;
    do npu__piece_do(t, part, parts, piece, (int32_t)part);
    while (t->pieces > 1 && (piece = npu__piece_take(t, part, 1u)) >= 0);
}

/* Takes the next part of the loop and does it, or returns -1: none is left. `v` is the ticket that says so. */
NPU__FN int32_t npu__threads_part(npu__threads *t, uint32_t *v) {
    int32_t part, parts;
    *v = npu__bell_get(t, &t->ticket.word);
    do {
        part = NPU__TICKET_TAKEN(*v);
        parts = NPU__TICKET_PARTS(*v);
        if (part >= parts) return -1;
    } while (!npu__bell_swap(t, &t->ticket.word, v, *v + 1u));
    npu__threads_do(t, part, parts);
    return part;
}

/* Whoever did this part, and has not reported it, does pieces of others' unless there is a whole one to take. */
NPU__FN void npu__threads_help(npu__threads *t, int32_t part) {
    const uint32_t v = t->pieces > 1 ? npu__bell_get(t, &t->ticket.word) : 0;
    const int32_t  parts = NPU__TICKET_PARTS(v);
    if (NPU__TICKET_TAKEN(v) < parts) return;
    for (int32_t i = 1; i < parts; i++) {
        const int32_t other = (part + i) % parts;
        int32_t       piece;
        while ((piece = npu__piece_take(t, other, NPU__PIECE_BACK)) >= 0) npu__piece_do(t, other, parts, piece, part);
    }
}

NPU__FN void npu__worker_report(npu__threads *t) {
    NPU__LOCK(t);
    NPU__ADD(&t->done.word, 1u);
    NPU__UNLOCK(t);
    npu__bell_ring(t, &t->done);
}

NPU__FN void npu__worker_loop(npu__threads *t) {
    uint32_t v;
    (void)npu__float_mode_begin(); /* the thread works for invokes alone */
    for (;;) {
        int32_t part;
        npu__worker_settle(t);
        part = npu__threads_part(t, &v);
        if (part >= 0) {
            npu__threads_help(t, part);
            npu__worker_report(t);
        } else if (v == NPU__TICKET_STOP) return;
        else npu__bell_await(t, &t->ticket, v, 0);
    }
}

/* Is a loop of so many grains worth ringing for? Many small ones are, too. */
NPU__FN int npu__threads_wake(npu__threads *t, int64_t grains) {
    t->missed = npu__sat_add(t->missed, grains);
    if (t->missed < NPU__WAKE_GRAINS) return 0;
    t->missed = 0;
    return 1;
}

/* After a loop of so many grains: has anybody come? If nobody does for long, one may wait for this core: it gets it, and leaves. Each time
 * that was in vain, it is asked half as often. */
NPU__FN void npu__threads_company(npu__threads *t, int came, int64_t grains) {
    if (came) {
        t->alone = 0;
        t->patience = NPU__WAKE_GRAINS;
        if (npu__bell_get(t, &t->core)) npu__bell_put(t, &t->core, 0);
        return;
    }
    t->alone = npu__sat_add(t->alone, grains);
    if (t->alone < t->patience) return;
    t->alone = 0;
    /* bounded: at most 2^24, twice. */
    t->patience = NPU__MIN(2 * NPU__MAX(t->patience, (int64_t)NPU__WAKE_GRAINS), (int64_t)1 << 24);
    npu__bell_put(t, &t->core, (uint32_t)npu__core() + 1u);
    npu__spin_yield();
}

/* Into how many pieces each part of a loop of so many grains is cut. */
NPU__FN void npu__threads_cut(npu__threads *t, int64_t grains, int64_t parts, int64_t tile) {
    /* bounded: at most 256 times 16. */
    int64_t pieces = NPU__MIN(grains / (parts * NPU__PIECE_GRAINS), (int64_t)NPU__PIECES);
    pieces = NPU__MIN(pieces, t->count / parts / tile);
    t->pieces = (int32_t)NPU__MAX(pieces, (int64_t)1);
    t->tile = tile;
    for (int64_t i = 0; i < parts && pieces > 1; i++) npu__bell_put(t, &t->cut[i], 1u);
}

NPU__FN void npu__threads_run(npu__threads *session, int64_t count, int64_t grain, int64_t tile, npu__range_fn fn, void *arg) {
    npu__threads  *t = NPU__POOL(session);
    const int64_t  most = grain > 0 ? count / grain : count, parts = NPU__MIN(NPU__MIN(t->n, session->n), most);
    const uint32_t helpers = (uint32_t)t->n - 1u;
    int64_t        mine = 1, grains = most;
    int32_t        part, last = 0;
    uint32_t       asleep, v, all;
    if (count <= 0) return;
    /* Parts below the grain cost more to hand out than to do. */
    asleep = parts < 2 ? 0 : npu__bell_get(t, &t->ticket.sleepers);
    if (asleep && npu__threads_wake(t, most)) {
        asleep = 0;
        grains = NPU__MAX(most, (int64_t)NPU__WAKE_GRAINS); /* as many were missed */
    }
    if (parts < 2 || asleep == helpers) { fn(arg, 0, count, 0); return; }
    t->fn = fn;
    t->arg = arg;
    t->count = count;
    npu__threads_cut(t, most, parts, tile);
    all = npu__bell_get(t, &t->done.word) + (uint32_t)parts - 1u;
    v = npu__bell_get(t, &t->ticket.word);
    npu__bell_put(t, &t->ticket.word, NPU__TICKET((v >> 18) + 1u, parts, 1)); /* wraps: rounds begin again */
    if (!asleep) npu__bell_ring(t, &t->ticket);
    npu__threads_do(t, 0, parts); /* always the caller's, so that what it wrote in the last loop is mostly in its own cache */
    for (; (part = npu__threads_part(t, &v)) >= 0; mine++, last = part) all--;
    npu__threads_help(t, last);
    npu__threads_company(t, mine < parts, grains);
    while ((v = npu__bell_get(t, &t->done.word)) != all) npu__bell_await(t, &t->done, v, t->awake);
#ifdef NPU__CREW
    if (t->lost) __builtin_trap(); /* a part is missing */
#endif
}

#else

NPU__FN void npu__threads_run(npu__threads *t, int64_t count, int64_t grain, int64_t tile, npu__range_fn fn, void *arg) {
    (void)t;
    (void)grain;
    (void)tile;
    if (count > 0) fn(arg, 0, count, 0);
}

#endif

#if NPU__HAS_THREADS && !defined(NPU__CREW)

typedef struct npu__worker {
    npu__threads *pool;
    pthread_t     thread;
} npu__worker;

NPU__FN void *npu__worker_main(void *arg) {
    npu__worker_loop(((npu__worker *)arg)->pool);
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
#if NPU__SPIN_ON && defined(_SC_NPROCESSORS_ONLN)
    if (n <= sysconf(_SC_NPROCESSORS_ONLN)) t->spins = NPU__SPINS; /* more would keep each other from working */
#endif
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->ticket.rung, NULL);
    pthread_cond_init(&t->done.rung, NULL);
    for (int32_t i = 0; i < n - 1; i++) {
        t->workers[i].pool = t;
        /* Fewer workers than asked for is slower, not wrong: parts are cut by t->n. */
        if (pthread_create(&t->workers[i].thread, NULL, npu__worker_main, &t->workers[i]) != 0) break;
        t->n++;
    }
}

NPU__FN void npu__threads_stop(npu__threads *t) {
    if (!t->workers) return;
    npu__bell_put(t, &t->ticket.word, NPU__TICKET_STOP);
    npu__bell_ring(t, &t->ticket);
    for (int32_t i = 0; i < t->n - 1; i++) pthread_join(t->workers[i].thread, NULL);
    pthread_cond_destroy(&t->done.rung);
    pthread_cond_destroy(&t->ticket.rung);
    pthread_mutex_destroy(&t->lock);
    t->workers = NULL;
    t->n = 1;
}

#else

NPU__FN size_t npu__threads_worker_bytes(int32_t n) { (void)n; return 0; }
NPU__FN void npu__threads_start(npu__threads *t, int32_t n, void *workers) {
    (void)workers;
    memset(t, 0, sizeof *t);
    t->n = NPU__HAS_THREADS ? n : 1;
}
NPU__FN void npu__threads_stop(npu__threads *t) { (void)t; }

#endif
