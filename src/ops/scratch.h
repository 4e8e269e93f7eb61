/* Asking for work memory whose size is a product of hostile numbers. */
#ifndef NPU__OPS_SCRATCH_H
#define NPU__OPS_SCRATCH_H

#include "util.h"

/* Slot of a * b elements of elem_bytes, packed or scratch. LIMIT when the size overflows or is refused. */
NPU__HEADER_FN npu_status npu__want_array(npu__ctx *c, int packed, int64_t a, int64_t b, size_t elem_bytes, int32_t *slot) {
    size_t bytes;
    if (a >= 0 && b >= 0 && (uint64_t)a <= SIZE_MAX && (uint64_t)b <= SIZE_MAX &&
        npu__mul_size((size_t)a, (size_t)b, &bytes) && npu__mul_size(bytes, elem_bytes, &bytes)) {
        *slot = packed ? npu__want_packed(c, bytes) : npu__want_scratch(c, bytes);
        if (*slot >= 0) return NPU_OK;
    }
    return NPU__FAIL(c, NPU_LIMIT, "op.scratch", "the operator needs too much work memory");
}

#endif
