/* Writing reports: buffered text, and JSON that is valid whatever bytes a hostile name holds. */
#ifndef NPU__BASE_TEXT_H
#define NPU__BASE_TEXT_H

#include "base.h"

#if NPU__HAS_REPORTS

typedef struct npu__text {
    const npu_writer *writer;
    int               failed;   /* the writer asked to stop: all later output is dropped */
    int32_t           depth;    /* open JSON objects and arrays, at most 32 */
    uint32_t          has_item; /* bit d: the object or array at depth d has an item already */
    size_t            n;
    char              buf[1024];
} npu__text;

NPU__FN void npu__text_init(npu__text *t, const npu_writer *writer);
NPU__FN void npu__text_put(npu__text *t, const char *p, size_t n);
NPU__FN void npu__text_f(npu__text *t, const char *fmt, ...); /* see npu__format; a piece may be of any length */
/* Longest name that a report writes whole. An index of four bytes may name a megabyte: without a limit a report of a
 * small file would have no end. */
#define NPU__TEXT_NAME 1024
/* The name, cut between characters where it is longer; *cut: it was, and "..." should follow. */
NPU__FN npu__str npu__text_short(npu__str s, int *cut);
/* A name inside a text report: control characters and broken UTF-8 become '?'. Long ones are cut and end in "...". */
NPU__FN void npu__text_name(npu__text *t, npu__str s);
/* Pads with spaces until `from` characters plus the padding make `width`; at least one space. */
NPU__FN void npu__text_pad(npu__text *t, size_t from, size_t width);
/* Flushes. RUNTIME "report.write" when the writer stopped. */
NPU__FN npu_status npu__text_end(npu__text *t, npu_diag *diag);

/* JSON. `key` NULL inside arrays. open is '{' or '['. */
NPU__FN void npu__json_open(npu__text *t, const char *key, char open);
NPU__FN void npu__json_close(npu__text *t, char close);
NPU__FN void npu__json_int(npu__text *t, const char *key, int64_t v);
NPU__FN void npu__json_bool(npu__text *t, const char *key, int v);
NPU__FN void npu__json_num(npu__text *t, const char *key, double v); /* null when not finite */
NPU__FN void npu__json_str(npu__text *t, const char *key, npu__str s); /* a name: cut like npu__text_name's */
NPU__FN void npu__json_z(npu__text *t, const char *key, const char *z);
/* The pieces of the above: a comma where one is due and the key; a quoted string. */
NPU__FN void npu__json_key(npu__text *t, const char *key);
NPU__FN void npu__json_quoted(npu__text *t, npu__str s);

#endif
#endif
