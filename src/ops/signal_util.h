/* What the Signal* ops share: options by name from the flexbuffer, and checks of one tensor. */
#ifndef NPU__OPS_SIGNAL_UTIL_H
#define NPU__OPS_SIGNAL_UTIL_H

#include "../tflite/flexbuf.h"
#include "util.h"

/* For profiles: loops in C, written for speed. */
#define NPU__SIGNAL_KERNEL "plain"
/* Data of ops that have nothing else to keep. */
typedef struct npu__signal_plain { const char *kernel; } npu__signal_plain;
NPU__HEADER_FN npu_status npu__signal_named(npu__ctx *c) {
    ((npu__signal_plain *)c->data)->kernel = NPU__SIGNAL_KERNEL;
    return NPU_OK;
}

NPU__HEADER_FN npu_status npu__signal_opt64(npu__ctx *c, const char *key, int64_t lo, int64_t hi, int64_t *out) {
    npu__flex      v = npu__flex_get(npu__flex_root(c->node->custom, c->node->custom_bytes), key);
    npu__flex_kind kind = npu__flex_kind_of(v);
    if (kind != NPU__FLEX_INT && kind != NPU__FLEX_BOOL) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal.option_missing", "the op needs an integer option \"%s\"", key);
    }
    *out = npu__flex_i64(v, 0);
    if (*out < lo || *out > hi) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal.option_range", "option \"%s\" must be in [%l, %l]: got %l",
                         key, lo, hi, *out);
    }
    return NPU_OK;
}

NPU__HEADER_FN npu_status npu__signal_opt(npu__ctx *c, const char *key, int64_t lo, int64_t hi, int32_t *out) {
    int64_t v = 0;
    NPU__TRY(npu__signal_opt64(c, key, lo, hi, &v));
    *out = (int32_t)v;
    return NPU_OK;
}

/* Coefficients are unsigned words that may be written as negative ones. */
NPU__HEADER_FN npu_status npu__signal_opt_u32(npu__ctx *c, const char *key, uint32_t *out) {
    int64_t v = 0;
    NPU__TRY(npu__signal_opt64(c, key, INT32_MIN, UINT32_MAX, &v));
    *out = (uint32_t)v;
    return NPU_OK;
}

NPU__HEADER_FN npu_status npu__signal_io(npu__ctx *c, const npu__val *v, const char *what, int32_t type, int32_t min_rank,
                                  int32_t max_rank) {
    NPU__TRY(npu__need_type(c, v, what, type));
    return npu__need_rank(c, v, what, min_rank, max_rank);
}

/* 32 steps for each element: bit by bit. */
NPU__HEADER_FN npu__work npu__signal_bitwise_work(const npu__ctx *c) { return npu__work_each(c, 32); }

/* Independent rows: all dimensions but the last. */
NPU__INLINE int64_t npu__signal_rows(const npu__val *v) {
    return npu__dims_product(&v->shape, 0, v->shape.rank - 1);
}

#endif
