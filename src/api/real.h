/* Elements of tensors as bits, and what these mean. */
#ifndef NPU__API_REAL_H
#define NPU__API_REAL_H

#include "../graph/ir.h"

/* What the bits of an element mean. */
enum {
    NPU__REAL_NONE,
    NPU__REAL_SIGNED,
    NPU__REAL_UNSIGNED,
    NPU__REAL_BOOL,
    NPU__REAL_F16,
    NPU__REAL_BF16,
    NPU__REAL_E4M3FN,
    NPU__REAL_E5M2,
    NPU__REAL_F32,
    NPU__REAL_F64
};

/* NPU__REAL_NONE for types whose elements stand for no real number. */
NPU__FN int32_t npu__real_kind(npu_type type);

NPU__INLINE uint64_t npu__real_load(const uint8_t *p, int32_t bits, int64_t i) {
    uint64_t v = 0;
    /* bounded, here and below: element i lies in memory, and the types below a byte have 2 and 4 bits */
    if (bits < 8) return (uint64_t)p[i * bits >> 3] >> (i * bits & 7) & ((1u << bits) - 1u);
    memcpy(&v, p + i * (bits >> 3), (size_t)(bits >> 3)); /* little-endian: base/config.h */
    return v;
}

#endif
