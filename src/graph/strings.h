/* String tensors. Their contents, in the file and at run time: int32 count, count + 1 int32 offsets from the first byte, then the
 * strings' bytes, without gaps. No contents (NULL): as many empty strings as the shape has elements. All is read byte-wise, so it
 * may lie at any address. */
#ifndef NPU__GRAPH_STRINGS_H
#define NPU__GRAPH_STRINGS_H

#include "../tflite/fb.h"

/* Offsets are int32: nothing longer can be a string tensor. */
#define NPU__STRINGS_MAX ((size_t)INT32_MAX)

/* Bytes before those of the first of n strings: 4 * (n + 2). n is at most NPU__STRINGS_MAX / 4 - 2. */
NPU__INLINE size_t npu__strings_head(int64_t n) { return 4 * ((size_t)n + 2); } /* bounded: npu__strings_fit */
/* Can a tensor have so many strings at all? */
NPU__INLINE int npu__strings_fit(int64_t n) { return n <= (int64_t)(NPU__STRINGS_MAX / 4) - 2; }

/* Are these n strings? Looks at every offset, and is the only look at them: all other code trusts contents that passed. */
NPU__FN int npu__strings_valid(const uint8_t *p, size_t bytes, int64_t n);
/* String i of contents that are valid, or NULL. */
NPU__FN npu__span npu__strings_at(const void *contents, int64_t i);

/* Writing: the head for n strings, then each string. `to` has room for all of it. */
typedef struct npu__strings_writer {
    uint8_t *to;
    size_t   next; /* offset in the head */
    size_t   at;   /* where the next string goes */
} npu__strings_writer;
NPU__FN void npu__strings_start(npu__strings_writer *w, void *to, int64_t n);
NPU__FN void npu__strings_put(npu__strings_writer *w, const void *bytes, size_t n);
/* The same in pieces: some of its bytes, and its end. */
NPU__FN void npu__strings_add(npu__strings_writer *w, const void *bytes, size_t n);
NPU__FN void npu__strings_close(npu__strings_writer *w);

#endif
