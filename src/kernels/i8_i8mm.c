/* Integer GEMM for NEON with the matrix instructions of i8mm: two rows times two columns, eight of k at a time, exact in int32. */
#include "neon.h"
#if NPU__HAS_I8MM

/* A header of four times 8 columns (bias, multiplier, shifts), then eight of k for every column at a time. Sums of rows p and q (the
 * same one in a tile of one row) and columns 2n, 2n + 1 are s##p##n: row p's two, then row q's. */
#define NPU__MM_PAIRS_1(X) X(0, 0, 0)
#define NPU__MM_PAIRS_2(X) X(0, 0, 1)
#define NPU__MM_PAIRS_4(X) NPU__MM_PAIRS_2(X) X(2, 2, 3)
#define NPU__MM_PAIRS_8(X) NPU__MM_PAIRS_4(X) X(4, 4, 5) X(6, 6, 7)
#define NPU__MM_INIT(p, n)                                                                              \
    int32x4_t s##p##n = vaddq_s32(vcombine_s32(vld1_s32(head + 2 * n), vld1_s32(head + 2 * n)), add##p);
#define NPU__MM_BEGIN(p, first, second)                                                                                  \
    const int8_t   *a##p = (const int8_t *)(const void *)npu__gemm_row(&job->a, row + first);                            \
    const int8_t   *c##p = (const int8_t *)(const void *)npu__gemm_row(&job->a, row + second);                           \
    const int32x4_t add##p = vcombine_s32(vdup_n_s32(job->row_add[row + first]), vdup_n_s32(job->row_add[row + second])); \
    NPU__MM_INIT(p, 0) NPU__MM_INIT(p, 1) NPU__MM_INIT(p, 2) NPU__MM_INIT(p, 3)
#define NPU__MM_STEP(p, first, second)                      \
    v = vcombine_s8(vld1_s8(a##p + i), vld1_s8(c##p + i));  \
    s##p##0 = vmmlaq_s32(s##p##0, v, b0);                   \
    s##p##1 = vmmlaq_s32(s##p##1, v, b1);                   \
    s##p##2 = vmmlaq_s32(s##p##2, v, b2);                   \
    s##p##3 = vmmlaq_s32(s##p##3, v, b3);
/* Quads of columns of one row: its two of one vector and of the next. */
#define NPU__MM_LOW(x, y) vcombine_s32(vget_low_s32(x), vget_low_s32(y))
#define NPU__MM_HIGH(x, y) vcombine_s32(vget_high_s32(x), vget_high_s32(y))
#define NPU__MM_DONE(p, first, second)                                                                               \
    npu__mm_row__i8mm(job, head, NPU__MM_LOW(s##p##0, s##p##1), NPU__MM_LOW(s##p##2, s##p##3), cols,                 \
                      out + (size_t)first * job->out_stride);                                                        \
    if (first != second)                                                                                             \
        npu__mm_row__i8mm(job, head, NPU__MM_HIGH(s##p##0, s##p##1), NPU__MM_HIGH(s##p##2, s##p##3), cols,           \
                          out + (size_t)second * job->out_stride);

NPU__NEON_I8MM NPU__INLINE void npu__mm_row__i8mm(const npu__gemm_i8_job *job, const int32_t *head, int32x4_t lo, int32x4_t hi,
                                                  int32_t cols, uint8_t *out) {
    if (job->out.raw) {
        npu__raw8__neon(out, lo, hi);
        return;
    }
    lo = npu__requant__neon(lo, vld1q_s32(head + 8), vld1q_s32(head + 16), vld1q_s32(head + 24));
    hi = npu__requant__neon(hi, vld1q_s32(head + 12), vld1q_s32(head + 20), vld1q_s32(head + 28));
    npu__store8__neon(out, npu__finish8__neon(lo, hi, &job->out), cols);
}

#define NPU__TILE(R)                                                                                               \
    NPU__NEON_I8MM NPU__INLINE void npu__i8_tile_##R##x8__i8mm(const npu__gemm_i8_job *job, int32_t row,           \
                                                               const uint8_t *panel, int32_t cols, uint8_t *out) { \
        const int32_t *head = (const int32_t *)(const void *)panel;                                                \
        const int8_t  *w = (const int8_t *)(const void *)(head + 32);                                              \
        NPU__MM_PAIRS_##R(NPU__MM_BEGIN)                                                                           \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                            \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                             \
            for (size_t i = job->a.offsets[s]; i < end; i += 8, w += 64) {                                         \
                const int8x16_t b0 = vld1q_s8(w), b1 = vld1q_s8(w + 16), b2 = vld1q_s8(w + 32), b3 = vld1q_s8(w + 48); \
                int8x16_t       v;                                                                                 \
                NPU__MM_PAIRS_##R(NPU__MM_STEP)                                                                    \
            }                                                                                                      \
        }                                                                                                          \
        NPU__MM_PAIRS_##R(NPU__MM_DONE)                                                                            \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(8)
#undef NPU__TILE
#undef NPU__MM_PAIRS_1
#undef NPU__MM_PAIRS_2
#undef NPU__MM_PAIRS_4
#undef NPU__MM_PAIRS_8
#undef NPU__MM_INIT
#undef NPU__MM_BEGIN
#undef NPU__MM_STEP
#undef NPU__MM_LOW
#undef NPU__MM_HIGH
#undef NPU__MM_DONE

#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__i8mm(job, row, panel, cols, out)
NPU__NEON_I8MM NPU__FN void npu__i8_gemm_8x8__i8mm(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    NPU__TILES(8, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL
#endif
