/* An allocator that counts what is out and fails at one of its calls. Include after npu_rt.h. */
#ifndef TESTS_HOSTILE_COUNTED_H
#define TESTS_HOSTILE_COUNTED_H

#include <stdlib.h>
#include <string.h>

typedef struct counter {
    long   calls, fail_at; /* 0: never */
    size_t live, peak;
} counter;

static void *counter_alloc(void *user, size_t bytes, size_t align) {
    counter *c = (counter *)user;
    void    *p = NULL;
    if (++c->calls == c->fail_at) return NULL;
    if (posix_memalign(&p, align < sizeof(void *) ? sizeof(void *) : align, bytes ? bytes : 1) != 0) return NULL;
    c->live += bytes;
    if (c->live > c->peak) c->peak = c->live;
    return p;
}

static void counter_free(void *user, void *ptr, size_t bytes) {
    counter *c = (counter *)user;
    if (!ptr) return;
    c->live -= bytes;
    free(ptr);
}

static npu_allocator counted(counter *c, long fail_at) {
    npu_allocator a;
    memset(c, 0, sizeof *c);
    c->fail_at = fail_at;
    a.user = c;
    a.alloc = counter_alloc;
    a.free = counter_free;
    return a;
}

#endif
