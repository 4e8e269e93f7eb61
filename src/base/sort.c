/* Heap sort: no recursion, no worst case, no memory. */
#include "base.h"

NPU__FN void npu__sort_swap(uint8_t *a, uint8_t *b, size_t bytes) {
    uint8_t tmp[NPU__SORT_MAX_BYTES];
    memcpy(tmp, a, bytes);
    memcpy(a, b, bytes);
    memcpy(b, tmp, bytes);
}

NPU__FN void npu__sort_sift(uint8_t *p, size_t i, size_t n, size_t bytes, npu__before_fn before) {
    for (;;) {
        size_t k = 2 * i + 1;
        if (k >= n) return;
        if (k + 1 < n && before(p + k * bytes, p + (k + 1) * bytes)) k++;
        if (!before(p + i * bytes, p + k * bytes)) return;
        npu__sort_swap(p + i * bytes, p + k * bytes, bytes);
        i = k;
    }
}

NPU__FN void npu__sort(void *base, size_t n, size_t bytes, npu__before_fn before) {
    uint8_t *p = (uint8_t *)base;
    NPU__ASSERT(bytes <= NPU__SORT_MAX_BYTES);
    for (size_t i = n / 2; i-- > 0;) npu__sort_sift(p, i, n, bytes, before);
    for (size_t end = n; end-- > 1;) {
        npu__sort_swap(p, p + end * bytes, bytes);
        npu__sort_sift(p, 0, end, bytes, before);
    }
}
