/* Packing of weights of which most are 0, and choosing a kernel for them. */
#include "sparse_f32.h"

#define NPU__SPARSE_ENTRY 8         /* bytes of an entry, and of a column before its entries */
#define NPU__SPARSE_DEPTH (1 << 24) /* whose inputs' places in bytes are numbers of 32 bits */
#define NPU__SPARSE_NEAR 320        /* inputs of turned rows that the nearest cache holds */

NPU__INLINE double npu__f32_time(const npu__f32_cost *c, double products, double k, double n) {
    return products * c->product + k * c->input + n * c->output;
}

NPU__FN int npu__sparse_f32_pays(const npu__sparse_f32_kernel *kern, int64_t m, int32_t n, int32_t k, int64_t weights) {
    const int    narrow = npu__gemm_f32_narrow(kern->isa, n, k) != NULL;
    const double columns = (double)npu__align_up((size_t)n, narrow ? 4 : 8); /* whole vectors of the dense kernels */
    const double rows = (double)((m + NPU__SPARSE_ROWS - 1) / NPU__SPARSE_ROWS * NPU__SPARSE_ROWS);
    const double dense = (double)m * npu__f32_time(narrow ? &kern->narrow : &kern->dense, columns * k, k, columns);
    const double unsure = k > NPU__SPARSE_NEAR ? 1.35 : 1.1;
    if (weights > (int64_t)n * k / 2) return 0; /* entries would take more memory than all weights do */
    return unsure * rows * npu__f32_time(&kern->cost, (double)weights, k, n) < dense;
}

NPU__FN int npu__sparse_f32_packed_bytes(int32_t n, int64_t entries, size_t *bytes) {
    const int64_t columns = ((int64_t)n + 3) / 4 * 4;
    return (uint64_t)entries <= SIZE_MAX && npu__mul_size((size_t)(columns + entries), NPU__SPARSE_ENTRY, bytes);
}
NPU__FN int npu__sparse_f32_work(int32_t k, size_t *bytes) {
    return k <= NPU__SPARSE_DEPTH && npu__mul_size((size_t)k + 1u, NPU__SPARSE_ROWS * sizeof(float), bytes);
}

NPU__FN int32_t npu__sparse_f32_entries(const float *w, int32_t k) {
    int32_t n = 0;
    for (int32_t i = 0; i < k; i++) n += w[i] != 0.0f; /* NaN is not */
    return (n + 1) / 2 * 2;
}

NPU__INLINE uint8_t *npu__sparse_entry(uint8_t *p, uint32_t at, float value) {
    memcpy(p, &at, 4);
    memcpy(p + 4, &value, 4);
    return p + NPU__SPARSE_ENTRY;
}

NPU__FN void npu__sparse_f32_pack(int32_t n, int32_t k, const float *w, const float *bias, uint8_t *packed) {
    const uint32_t step = NPU__SPARSE_ROWS * sizeof(float);
    int32_t        j = 0;
    for (; j < n; j++, w += k) {
        const int32_t entries = npu__sparse_f32_entries(w, k);
        int32_t       left = entries;
        packed = npu__sparse_entry(packed, (uint32_t)entries, bias ? bias[j] : 0.0f);
        for (int32_t i = 0; i < k; i++) {
            if (w[i] == 0.0f) continue;
            packed = npu__sparse_entry(packed, (uint32_t)i * step, w[i]);
            left--;
        }
        if (left) packed = npu__sparse_entry(packed, (uint32_t)k * step, 0.0f);
    }
    for (; j % 4; j++) packed = npu__sparse_entry(packed, 0, 0.0f);
}
