/* Reading and writing .npy. Its header is a Python dictionary in text; only the format's three keys are known. */
#include <stdio.h>
#include <string.h>

#include "npy.h"

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

int npy_is(const uint8_t *bytes, size_t n) { return n >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0; }

typedef struct cursor {
    const char *p, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r')) c->p++;
}

static int take(cursor *c, char expected) {
    skip_space(c);
    if (c->p >= c->end || *c->p != expected) return 0;
    c->p++;
    return 1;
}

static int take_word(cursor *c, const char *word) {
    size_t n = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return 0;
    c->p += n;
    return 1;
}

/* A quoted string without escapes; false when it does not fit `cap`. */
static int take_string(cursor *c, char *out, size_t cap) {
    char   quote;
    size_t n = 0;
    skip_space(c);
    if (c->p >= c->end || (*c->p != '\'' && *c->p != '"')) return 0;
    quote = *c->p++;
    while (c->p < c->end && *c->p != quote && *c->p != '\\' && n + 1 < cap) out[n++] = *c->p++;
    if (c->p >= c->end || *c->p != quote) return 0;
    c->p++;
    out[n] = '\0';
    return 1;
}

static const char *take_shape(cursor *c, npy_array *a) {
    static const char *const bad = "the shape in its header is malformed";
    if (!take(c, '(')) return bad;
    a->rank = 0;
    while (!take(c, ')')) {
        int64_t v = 0;
        skip_space(c);
        if (c->p >= c->end || *c->p < '0' || *c->p > '9') return bad;
        while (c->p < c->end && *c->p >= '0' && *c->p <= '9') {
            v = v * 10 + (*c->p++ - '0');
            if (v > INT32_MAX) return "a dimension in its header is above 2147483647";
        }
        take(c, 'L'); /* Python 2 wrote long integers that way */
        if (a->rank == NPY_MAX_RANK) return "it has more than 8 dimensions";
        a->dims[a->rank++] = (int32_t)v;
        if (!take(c, ',')) {
            if (!take(c, ')')) return bad;
            break;
        }
    }
    return NULL;
}

static const char *read_dtype(const char *descr, npy_array *a) {
    static const char *const known[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1",
                                        "u2", "u4", "u8", "b1", "c8", "c16", "V1", "V2"};
    static const int bytes[] = {2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 8, 16, 1, 2};
    const char      *order = strchr("<>|=", descr[0]) && descr[0] ? descr : "=";
    const char      *kind = order == descr ? descr + 1 : descr;
    size_t           i;
    if (kind[0] == 'O') return "it holds Python objects: save it with a numeric dtype";
    if (kind[0] == 'S' || kind[0] == 'U') {
        const char *p = kind + 1;
        int         unit = kind[0] == 'U' ? 4 : 1, n = 0;
        while (*p >= '0' && *p <= '9' && n < 1 << 24) n = n * 10 + (*p++ - '0');
        if (*p || p == kind + 1 || n < 1) return "its strings have no length this program can read";
        a->item_bytes = n * unit;
        a->swap = order[0] == '>' && unit == 4 ? 4 : 0;
        snprintf(a->dtype, sizeof a->dtype, "%c%c", unit == 1 ? '|' : '<', kind[0]);
        return NULL;
    }
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(kind, known[i]) != 0) continue;
        a->item_bytes = bytes[i];
        a->swap = order[0] == '>' && bytes[i] > 1 ? (kind[0] == 'c' ? bytes[i] / 2 : bytes[i]) : 0;
        snprintf(a->dtype, sizeof a->dtype, "%c%s", bytes[i] == 1 ? '|' : '<', known[i]);
        return NULL;
    }
    return "its dtype is not a number type this program knows";
}

static const char *parse_header(cursor c, npy_array *a) {
    static const char *const bad = "its header is malformed";
    char                     key[24], descr[24];
    int                      seen = 0;
    const char              *why;
    if (!take(&c, '{')) return bad;
    while (!take(&c, '}')) {
        if (!take_string(&c, key, sizeof key) || !take(&c, ':')) return bad;
        if (strcmp(key, "descr") == 0) {
            if (take(&c, '[')) return "it is a record array: save one field";
            if (!take_string(&c, descr, sizeof descr)) return bad;
            if ((why = read_dtype(descr, a)) != NULL) return why;
            seen |= 1;
        } else if (strcmp(key, "fortran_order") == 0) {
            a->fortran = take_word(&c, "True");
            if (!a->fortran && !take_word(&c, "False")) return bad;
            seen |= 2;
        } else if (strcmp(key, "shape") == 0) {
            if ((why = take_shape(&c, a)) != NULL) return why;
            seen |= 4;
        } else {
            return "its header has a key that .npy does not know";
        }
        if (!take(&c, ',') && !(c.p < c.end && *c.p == '}')) return bad;
    }
    skip_space(&c);
    if (c.p != c.end) return bad;
    return seen == 7 ? NULL : "its header lacks descr, fortran_order or shape";
}

const char *npy_parse(const uint8_t *bytes, size_t n, npy_array *out) {
    size_t      header, start, i;
    cursor      c;
    const char *why;
    memset(out, 0, sizeof *out);
    if (!npy_is(bytes, n) || n < 10) return "it is no .npy file or is cut short";
    if (bytes[6] == 1) {
        start = 10;
        header = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    } else if (bytes[6] == 2 || bytes[6] == 3) {
        if (n < 12) return "it is cut short";
        start = 12;
        header = (size_t)bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    } else {
        return "its .npy version is not 1, 2 or 3";
    }
    if (header > n - start) return "it is cut short inside its header";
    c.p = (const char *)bytes + start;
    c.end = c.p + header;
    if ((why = parse_header(c, out)) != NULL) return why;
    out->data = bytes + start + header;
    out->elems = 1;
    for (i = 0; i < (size_t)out->rank; i++) /* a dimension of 0 makes the array empty, whatever the others are */
        if (out->dims[i] == 0) out->elems = 0;
    for (i = 0; i < (size_t)out->rank && out->elems; i++) {
        if (out->elems > SIZE_MAX / 16 / (size_t)out->dims[i]) return "its shape is larger than memory";
        out->elems *= (size_t)out->dims[i];
    }
    if (out->elems > SIZE_MAX / 2 / (size_t)out->item_bytes) return "its shape is larger than memory"; /* of strings, which are long */
    out->file_bytes = start + header + out->elems * (size_t)out->item_bytes; /* at most SIZE_MAX / 2, and a header */
    n -= start + header;
    if (n < out->elems * (size_t)out->item_bytes) return "it is cut short: it has fewer bytes than its shape says";
    if (n > out->elems * (size_t)out->item_bytes) return "it has more bytes than its shape says";
    return NULL;
}

static void copy_item(const npy_array *a, size_t from, uint8_t *to) {
    const uint8_t *p = a->data + from * (size_t)a->item_bytes;
    int            i, j;
    if (!a->swap) {
        memcpy(to, p, (size_t)a->item_bytes);
        return;
    }
    for (i = 0; i < a->item_bytes; i += a->swap)
        for (j = 0; j < a->swap; j++) to[i + j] = p[i + a->swap - 1 - j];
}

void npy_copy(const npy_array *a, uint8_t *out) {
    size_t  stride[NPY_MAX_RANK + 1], from = 0, i;
    int32_t at[NPY_MAX_RANK] = {0};
    int     d;
    if (a->elems == 0) return;
    if (!a->fortran || a->rank < 2) {
        for (i = 0; i < a->elems; i++) copy_item(a, i, out + i * (size_t)a->item_bytes);
        return;
    }
    stride[0] = 1;
    for (d = 0; d < a->rank; d++) stride[d + 1] = stride[d] * (size_t)a->dims[d];
    for (i = 0; i < a->elems; i++) {
        copy_item(a, from, out + i * (size_t)a->item_bytes);
        for (d = a->rank - 1; d >= 0; d--) { /* the next element in C order: last dimension fastest */
            from += stride[d];
            if (++at[d] < a->dims[d]) break;
            from -= stride[d] * (size_t)a->dims[d];
            at[d] = 0;
        }
    }
}

size_t npy_header(char *out, size_t cap, const char *dtype, int rank, const int32_t *dims) {
    size_t n, padded;
    int    i;
    memcpy(out, MAGIC, sizeof MAGIC);
    out[6] = 1;
    out[7] = 0;
    n = 10 + (size_t)snprintf(out + 10, cap - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (", dtype);
    for (i = 0; i < rank; i++)
        n += (size_t)snprintf(out + n, cap - n, rank == 1 ? "%d," : i ? ", %d" : "%d", (int)dims[i]);
    n += (size_t)snprintf(out + n, cap - n, "), }");
    padded = (n + 1 + 63) / 64 * 64;
    while (n + 1 < padded) out[n++] = ' ';
    out[n++] = '\n';
    out[8] = (char)((n - 10) & 0xFF);
    out[9] = (char)((n - 10) >> 8);
    return n;
}
