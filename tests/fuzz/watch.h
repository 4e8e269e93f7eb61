/* What a fuzz target watches beside crashes: memory that is taken, bytes that must not change. Include it after npu_rt.h. */
#ifndef FUZZ_WATCH_H
#define FUZZ_WATCH_H

#include <stdio.h>
#include <stdlib.h>

/* A broken promise ends the program: fuzzers keep the input. Those named in FUZZ_KNOWN, a part of the sentence, are passed
 * over: to look for others while one waits to be mended. */
static void promise(int kept, const char *what) {
    const char *known = kept ? NULL : getenv("FUZZ_KNOWN");
    if (kept || (known && known[0] && strstr(what, known))) return;
    fprintf(stderr, "==fuzz== broken promise: %s\n", what);
    abort();
}

static uint64_t hash_bytes(uint64_t h, const void *p, size_t n) {
    const uint8_t *b = (const uint8_t *)p;
    for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * 0x100000001B3u;
    return h;
}

/* An allocator that counts what is out, and fills it: what is read before it is written shows in the results. */
typedef struct meter {
    size_t  live, peak, most; /* most: what it gives altogether; 0: no limit */
    uint8_t pattern;
} meter;

static void *meter_alloc(void *user, size_t bytes, size_t align) {
    meter *m = (meter *)user;
    void  *p = NULL;
    if (m->most && (bytes > m->most || m->live > m->most - bytes)) return NULL;
    if (posix_memalign(&p, align < sizeof(void *) ? sizeof(void *) : align, bytes ? bytes : 1) != 0) return NULL;
    memset(p, m->pattern, bytes < ((size_t)1 << 22) ? bytes : (size_t)1 << 22);
    m->live += bytes;
    if (m->live > m->peak) m->peak = m->live;
    return p;
}

static void meter_free(void *user, void *ptr, size_t bytes) {
    if (!ptr) return;
    ((meter *)user)->live -= bytes;
    free(ptr);
}

static npu_allocator meter_of(meter *m) {
    npu_allocator a;
    a.user = m;
    a.alloc = meter_alloc;
    a.free = meter_free;
    return a;
}

static npu_allocator metered(meter *m, uint8_t pattern) {
    memset(m, 0, sizeof *m);
    m->pattern = pattern;
    return meter_of(m);
}

#ifndef NPU_RT_NO_REPORTS
/* Text that goes nowhere. */
static int drop(void *user, const char *text, size_t n) {
    *(size_t *)user += n;
    (void)text;
    return 0;
}

static npu_writer dropped(size_t *total) {
    npu_writer w;
    *total = 0;
    w.user = total;
    w.write = drop;
    return w;
}
#endif

#endif
