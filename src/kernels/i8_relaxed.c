/* Integer products of matrices by WebAssembly's relaxed dot product. Unsigned or signed: rows are staged so, the code is one. */
#include "relaxed.h"
NPU__SPEED_BEGIN

#if NPU__HAS_DOT8

/* ---- sums of rows: products with ones. Rows are padded to four bytes ---- */

NPU__V128 NPU__INLINE int32_t npu__sum_row__relaxed(const uint8_t *p, int32_t n) {
    static const uint8_t ones[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t last[4][16] = {{1, 1, 1, 1}, {1}, {1, 1}, {1, 1, 1}};
    npu__v128            sum = NPU__V_SET32(0);
    int32_t              i = 0;
    for (; i + 16 <= n; i += 16) sum = NPU__V_DOT8(sum, NPU__V_LOAD(ones), NPU__V_LOAD(p + i));
    for (; i < n; i += 4) sum = NPU__V_DOT8(sum, NPU__V_LOAD(last[n - i < 4 ? n - i : 0]), NPU__V_SPREAD4(p + i));
    return (int32_t)((uint32_t)NPU__V_LANE32(sum, 0) + (uint32_t)NPU__V_LANE32(sum, 1) + (uint32_t)NPU__V_LANE32(sum, 2) +
                     (uint32_t)NPU__V_LANE32(sum, 3));
}
NPU__V128 NPU__FN void npu__row_sums__relaxed(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums) {
    for (int32_t r = 0; r < m; r++) {
        const uint8_t *row = npu__gemm_row(a, r);
        uint32_t       sum = 0;
        for (int32_t s = 0; s < a->segments; s++) sum += (uint32_t)npu__sum_row__relaxed(row + a->offsets[s], run);
        sums[r] = (int32_t)sum;
    }
}

/* ---- GEMM: a tile is R rows of 8 columns ---- */

/* A header of four times 8 columns (bias, multiplier, powers; or folded), then four of k for every column at a time. */
#define NPU__TILE_INIT(r)                                                                                     \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r);                                                    \
    npu__v128      hi##r = NPU__V_SPREAD4(job->row_add + row + r), lo##r = NPU__V_ADD32(NPU__V_LOAD(head), hi##r); \
    hi##r = NPU__V_ADD32(NPU__V_LOAD(head + 4), hi##r);
#define NPU__TILE_STEP(r)                 \
    v = NPU__V_SPREAD4(a##r + i);         \
    lo##r = NPU__V_DOT8(lo##r, b0, v);    \
    hi##r = NPU__V_DOT8(hi##r, b1, v);
#define NPU__TILE_DONE(r)                          \
    NPU__V_STORE(out + (size_t)r * stride, lo##r); \
    NPU__V_STORE(out + (size_t)r * stride + 16, hi##r);
#define NPU__TILE(R)                                                                                                         \
    NPU__V128 NPU__INLINE void npu__i8_tile_##R##x8__relaxed(const npu__gemm_i8_job *job, int32_t row, const uint8_t *panel, \
                                                             uint8_t *out) {                                                 \
        const int32_t *head = (const int32_t *)(const void *)panel;                                                          \
        const uint8_t *w = panel + 128;                                                                                      \
        const size_t   stride = job->out_stride;                                                                             \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                                        \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                      \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                       \
            npu__v128    v, b0, b1;                                                                                          \
            for (size_t i = job->a.offsets[s]; i < end; i += 4, w += 32) {                                                   \
                b0 = NPU__V_LOAD(w);                                                                                         \
                b1 = NPU__V_LOAD(w + 16);                                                                                    \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                                \
            }                                                                                                                \
        }                                                                                                                    \
        NPU__ROWS_##R(NPU__TILE_DONE)                                                                                        \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(6)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_DONE

/* All sums of a panel. */
#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__relaxed(job, row, panel, out)
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_sums_6x8__relaxed(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out) {
    NPU__TILES(6, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

NPU__V128 NPU__FN void npu__i8_gemm_6x8__relaxed(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    npu__gemm_by_sums__v128(npu__i8_sums_6x8__relaxed, job, panel, cols, out);
}
#endif
NPU__SPEED_END
