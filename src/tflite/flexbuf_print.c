/* Flexbuffers as JSON on one line, for dumps: bounded in depth and length whatever the bytes say. */
#include "../base/text.h"
#include "flexbuf.h"

#if NPU__HAS_REPORTS

enum { NPU__FLEX_PRINT_DEPTH = 8, NPU__FLEX_PRINT_VALUES = 1000, NPU__FLEX_PRINT_STRING = 4096 };

NPU__FN void npu__flex_print_str(npu__text *t, npu__str s) {
    s.n = NPU__MIN(s.n, (size_t)NPU__FLEX_PRINT_STRING);
    npu__json_quoted(t, s);
}

NPU__FN void npu__flex_print_scalar(npu__text *t, npu__flex v) {
    double d;
    switch (npu__flex_kind_of(v)) {
    case NPU__FLEX_INT: npu__text_f(t, "%l", npu__flex_i64(v, 0)); break;
    case NPU__FLEX_FLOAT:
        d = npu__flex_f64(v, 0);
        npu__text_f(t, d - d == 0.0 ? "%g" : "\"%g\"", d); /* JSON has no word for infinity */
        break;
    case NPU__FLEX_BOOL: npu__text_f(t, "%s", npu__flex_bool(v, 0) ? "true" : "false"); break;
    case NPU__FLEX_STR: npu__flex_print_str(t, npu__flex_str(v)); break;
    case NPU__FLEX_BLOB: npu__text_f(t, "\"(%u bytes)\"", (unsigned)v.n); break;
    default: npu__text_f(t, "null"); break;
    }
}

/* `left`: values that may still be written. Calls itself at most NPU__FLEX_PRINT_DEPTH deep. */
NPU__FN void npu__flex_print_at(npu__text *t, npu__flex v, int depth, int *left) {
    npu__flex_kind k = npu__flex_kind_of(v);
    int            map = k == NPU__FLEX_MAP;
    --*left;
    if (!map && k != NPU__FLEX_VEC) {
        npu__flex_print_scalar(t, v);
        return;
    }
    if (depth == NPU__FLEX_PRINT_DEPTH) {
        npu__text_f(t, "\"...\"");
        return;
    }
    npu__text_f(t, map ? "{" : "[");
    for (uint32_t i = 0; i < v.n && !t->failed; i++) {
        if (i) npu__text_f(t, ", ");
        if (*left <= 0) {
            npu__text_f(t, map ? "\"...\": null" : "\"...\"");
            break;
        }
        if (map) {
            npu__flex_print_str(t, npu__flex_key_at(v, i));
            npu__text_f(t, ": ");
        }
        npu__flex_print_at(t, npu__flex_at(v, i), depth + 1, left);
    }
    npu__text_f(t, map ? "}" : "]");
}

NPU__FN void npu__flex_print(npu__text *t, npu__flex v) {
    int left = NPU__FLEX_PRINT_VALUES;
    npu__flex_print_at(t, v, 0, &left);
}

#endif
