/* A tiny flatbuffer writer for tests: front to back, so that every offset can be found and broken on purpose. */
#ifndef TESTS_UNIT_FB_WRITER_H
#define TESTS_UNIT_FB_WRITER_H

#include <stdint.h>
#include <string.h>

typedef struct fbw {
    uint8_t *buf;
    size_t   n, cap;
} fbw;

static void fbw_put(fbw *w, size_t pos, uint64_t v, size_t bytes) { memcpy(w->buf + pos, &v, bytes); }

static size_t fbw_add(fbw *w, uint64_t v, size_t bytes) {
    size_t pos = w->n;
    if (w->n + bytes > w->cap) return 0; /* tests give enough room */
    fbw_put(w, pos, v, bytes);
    w->n += bytes;
    return pos;
}

static void fbw_align(fbw *w, size_t align) {
    while (w->n % align) fbw_add(w, 0, 1);
}

/* Stores at `ref` the offset to what is written next. */
static void fbw_ref(fbw *w, size_t ref) {
    fbw_align(w, 4);
    fbw_put(w, ref, w->n - ref, 4);
}

/* A table with a vtable in front; `fields` has one character per slot: the field's bytes 1, 2, 4, 8, or '.' for
 * absent. Field contents are 0. Returns the table's position; `ref` (if not 0) is made to point at it. */
static size_t fbw_table(fbw *w, size_t ref, const char *fields) {
    size_t slots = strlen(fields), at = 4, vt, table;
    fbw_align(w, 4);
    vt = fbw_add(w, 4 + 2 * slots, 2);
    fbw_add(w, 0, 2);
    for (size_t i = 0; i < slots; i++) {
        size_t bytes = fields[i] == '.' ? 0 : (size_t)(fields[i] - '0');
        at = bytes ? (at + bytes - 1) / bytes * bytes : at;
        fbw_add(w, bytes ? at : 0, 2);
        at += bytes;
    }
    fbw_put(w, vt + 2, at, 2);
    fbw_align(w, 4);
    table = w->n;
    if (ref) fbw_put(w, ref, table - ref, 4);
    fbw_add(w, table - vt, 4);
    for (size_t i = 4; i < at; i++) fbw_add(w, 0, 1);
    return table;
}

/* Position of a field in the file. */
static size_t fbw_field(const fbw *w, size_t table, int slot) {
    int32_t  back;
    uint16_t off;
    memcpy(&back, w->buf + table, 4);
    memcpy(&off, w->buf + table - (size_t)back + 4 + 2 * (size_t)slot, 2);
    return table + off;
}

static void fbw_set(fbw *w, size_t table, int slot, uint64_t v, size_t bytes) {
    fbw_put(w, fbw_field(w, table, slot), v, bytes);
}

/* A vector of n zero elements for a field; returns the position of element 0. */
static size_t fbw_vec(fbw *w, size_t ref, size_t n, size_t elem_bytes) {
    size_t first;
    fbw_ref(w, ref);
    fbw_add(w, n, 4);
    first = w->n;
    for (size_t i = 0; i < n * elem_bytes; i++) fbw_add(w, 0, 1);
    return first;
}

static size_t fbw_str(fbw *w, size_t ref, const char *s) {
    size_t first = fbw_vec(w, ref, strlen(s), 1);
    memcpy(w->buf + first, s, strlen(s));
    fbw_add(w, 0, 1);
    return first;
}

#endif
