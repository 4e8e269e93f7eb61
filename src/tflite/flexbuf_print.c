/* Flexbuffers as JSON on one line, for dumps: bounded in depth and length whatever the bytes say.
 *
 * Values may be shared, so that a few bytes are a tree without end. A tree without sharing has no more values than
 * bytes: that many are written, and of strings sixteen times as many bytes, for keys are shared for good reasons. */
#include "../base/text.h"
#include "flexbuf.h"

#if NPU__HAS_REPORTS

enum { NPU__FLEX_PRINT_DEPTH = 8, NPU__FLEX_PRINT_VALUES = 1000, NPU__FLEX_PRINT_STRING = 4096 };

/* What may still be written. */
typedef struct npu__flex_left {
    size_t values, string_bytes;
} npu__flex_left;

NPU__FN void npu__flex_print_str(npu__text *t, npu__str s, npu__flex_left *left) {
    s.n = NPU__MIN(s.n, NPU__MIN((size_t)NPU__FLEX_PRINT_STRING, left->string_bytes));
    left->string_bytes -= s.n;
    npu__json_quoted(t, s);
}

NPU__FN void npu__flex_print_scalar(npu__text *t, npu__flex v, npu__flex_left *left) {
    double d;
    switch (npu__flex_kind_of(v)) {
    case NPU__FLEX_INT: npu__text_f(t, "%l", npu__flex_i64(v, 0)); break;
    case NPU__FLEX_FLOAT:
        d = npu__flex_f64(v, 0);
        npu__text_f(t, d - d == 0.0 ? "%g" : "\"%g\"", d); /* JSON has no word for infinity */
        break;
    case NPU__FLEX_BOOL: npu__text_f(t, "%s", npu__flex_bool(v, 0) ? "true" : "false"); break;
    case NPU__FLEX_STR: npu__flex_print_str(t, npu__flex_str(v), left); break;
    case NPU__FLEX_BLOB: npu__text_f(t, "\"(%u bytes)\"", (unsigned)v.n); break;
    default: npu__text_f(t, "null"); break;
    }
}

/* Calls itself at most NPU__FLEX_PRINT_DEPTH deep. */
NPU__FN void npu__flex_print_at(npu__text *t, npu__flex v, int depth, npu__flex_left *left) {
    npu__flex_kind k = npu__flex_kind_of(v);
    int            map = k == NPU__FLEX_MAP;
    if (left->values) left->values--;
    if (!map && k != NPU__FLEX_VEC) {
        npu__flex_print_scalar(t, v, left);
        return;
    }
    if (depth == NPU__FLEX_PRINT_DEPTH) {
        npu__text_f(t, "\"...\"");
        return;
    }
    npu__text_f(t, map ? "{" : "[");
    for (uint32_t i = 0; i < v.n && !t->failed; i++) {
        if (i) npu__text_f(t, ", ");
        if (left->values == 0) {
            npu__text_f(t, map ? "\"...\": null" : "\"...\"");
            break;
        }
        if (map) {
            npu__flex_print_str(t, npu__flex_key_at(v, i), left);
            npu__text_f(t, ": ");
        }
        npu__flex_print_at(t, npu__flex_at(v, i), depth + 1, left);
    }
    npu__text_f(t, map ? "}" : "]");
}

NPU__FN void npu__flex_print(npu__text *t, npu__flex v) {
    npu__flex_left left;
    left.values = NPU__MIN((size_t)NPU__FLEX_PRINT_VALUES, v.bytes);
    if (!npu__mul_size(v.bytes, 16, &left.string_bytes)) left.string_bytes = SIZE_MAX;
    npu__flex_print_at(t, v, 0, &left);
}

#endif
