/* Products of a row and a matrix as it lies, and bytes of a matrix turned. */
#include "matmul_rows.h"
#include "move.h"
NPU__SPEED_BEGIN

#define NPU__ROW_TILE 16 /* columns whose sums are kept while a row is walked; a constant, for compilers */

NPU__FN void npu__turn_bytes(const uint8_t *from, int32_t k, int32_t n, int32_t n0, int32_t n1, uint8_t *to) {
    npu__plane p;
    p.unit = p.from[0] = p.to[1] = 1;
    p.from[1] = n;
    p.to[0] = k;
    npu__plane_pick(1, 1)(&p, to + (size_t)n0 * (size_t)k, from + n0, n1 - n0, k);
}

/* Sums of `cols` columns from `b` on, whose rows are `step` apart. */
#define NPU__ROW_COLUMNS(b_t, sum_t, PRODUCT, cols)                               \
    {                                                                             \
        sum_t sum[NPU__ROW_TILE] = {0};                                           \
        for (int32_t i = 0; i < k; i++) {                                         \
            const b_t *p = b + (size_t)i * (size_t)step + (size_t)c;              \
            for (int32_t j = 0; j < cols; j++) sum[j] += PRODUCT(a[i], p[j]);     \
        }                                                                         \
        memcpy(out + c, sum, (size_t)(cols) * sizeof *sum);                       \
    }
#define NPU__ROW_ALL(b_t, sum_t, PRODUCT)                                                                   \
    for (; c + NPU__ROW_TILE <= n1; c += NPU__ROW_TILE) NPU__ROW_COLUMNS(b_t, sum_t, PRODUCT, NPU__ROW_TILE) \
    if (c < n1) NPU__ROW_COLUMNS(b_t, sum_t, PRODUCT, n1 - c)
#define NPU__PRODUCT_F32(x, y) ((x) * (y))
#define NPU__PRODUCT_I16(x, y) ((int32_t)(x) * (y))

NPU__FN void npu__matmul_row_f32(const float *a, const float *b, int32_t k, int32_t n, int32_t n0, int32_t n1, float *out) {
    const int32_t step = n;
    int32_t       c = n0;
    NPU__ROW_ALL(float, float, NPU__PRODUCT_F32)
}

NPU__FN void npu__matmul_row_i16(const int16_t *a, const int16_t *b, int32_t k, int64_t b_k, int64_t b_n, int32_t n0,
                                 int32_t n1, int64_t *out) {
    const int64_t step = b_k;
    int32_t       c = n0;
    if (b_n == 1) {
        NPU__ROW_ALL(int16_t, int64_t, NPU__PRODUCT_I16)
        return;
    }
    for (; c < n1; c++) {
        const int16_t *p = b + (size_t)c * (size_t)b_n;
        int32_t        low[8] = {0}, high[8] = {0}, i = 0;
        int64_t        sum = 0;
        /* Halves of products in 32 bits each: vectors have twice the lanes of 64-bit sums. */
        for (; i + 8 <= NPU__MIN(k, 1 << 17); i += 8) {
            for (int32_t j = 0; j < 8; j++) {
                const int32_t v = (int32_t)a[i + j] * p[i + j];
                low[j] += v & 0xFFFF;
                high[j] += v >> 16;
            }
        }
        for (int32_t j = 0; j < 8; j++) sum += low[j] + (int64_t)high[j] * 65536;
        for (; i < k; i++) sum += (int32_t)a[i] * p[i];
        out[c] = sum;
    }
}
#undef NPU__ROW_COLUMNS
#undef NPU__ROW_ALL
#undef NPU__PRODUCT_F32
#undef NPU__PRODUCT_I16
NPU__SPEED_END
