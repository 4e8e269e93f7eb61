/* Integer GEMM for NEON with the dot product instructions: four bytes at a time, exact in int32. */
#include "neon.h"
#if NPU__HAS_NEON_DOT

/* A header of four times 8 columns (bias, multiplier, shifts), then four of k for every column at a time. */
#define NPU__TILE_INIT(r)                                                                 \
    const int8_t *a##r = (const int8_t *)(const void *)npu__gemm_row(&job->a, row + r);   \
    int32x4_t     lo##r = vaddq_s32(vld1q_s32(head), vdupq_n_s32(job->row_add[row + r])), \
                  hi##r = vaddq_s32(vld1q_s32(head + 4), vdupq_n_s32(job->row_add[row + r]));
#define NPU__TILE_STEP(r)                                           \
    v = vreinterpretq_s8_s32(vdupq_n_s32(npu__load_i32(a##r + i))); \
    lo##r = vdotq_s32(lo##r, b0, v);                                \
    hi##r = vdotq_s32(hi##r, b1, v);
#define NPU__TILE_LOAD16(r) const int8x16_t v##r = vld1q_s8(a##r + i);
#define NPU__TILE_LANE(r, lane)                     \
    lo##r = vdotq_laneq_s32(lo##r, b0, v##r, lane); \
    hi##r = vdotq_laneq_s32(hi##r, b1, v##r, lane);
#define NPU__TILE_LANE0(r) NPU__TILE_LANE(r, 0)
#define NPU__TILE_LANE1(r) NPU__TILE_LANE(r, 1)
#define NPU__TILE_LANE2(r) NPU__TILE_LANE(r, 2)
#define NPU__TILE_LANE3(r) NPU__TILE_LANE(r, 3)
#define NPU__TILE_DONE(r)                                                                                \
    lo##r = npu__requant__neon(lo##r, vld1q_s32(head + 8), vld1q_s32(head + 16), vld1q_s32(head + 24));  \
    hi##r = npu__requant__neon(hi##r, vld1q_s32(head + 12), vld1q_s32(head + 20), vld1q_s32(head + 28)); \
    npu__store8__neon(out + (size_t)r * job->out_stride, npu__finish8__neon(lo##r, hi##r, &job->out), cols);
#define NPU__TILE_RAW(r) npu__raw8__neon(out + (size_t)r * job->out_stride, lo##r, hi##r);

#define NPU__TILE(R)                                                                                             \
    NPU__NEON_DOT NPU__INLINE void npu__i8_tile_##R##x8__dot(const npu__gemm_i8_job *job, int32_t row,           \
                                                             const uint8_t *panel, int32_t cols, uint8_t *out) { \
        const int32_t *head = (const int32_t *)(const void *)panel;                                              \
        const int8_t  *w = (const int8_t *)(const void *)(head + 32);                                            \
        int8x16_t      b0, b1, v;                                                                                \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                            \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                          \
            size_t       i = job->a.offsets[s];                                                                  \
            const size_t end = i + (size_t)job->a.run;                                                           \
            for (; i + 16 <= end; i += 16, w += 128) {                                                           \
                NPU__ROWS_##R(NPU__TILE_LOAD16)                                                                  \
                b0 = vld1q_s8(w); b1 = vld1q_s8(w + 16);                                                         \
                NPU__ROWS_##R(NPU__TILE_LANE0)                                                                   \
                b0 = vld1q_s8(w + 32); b1 = vld1q_s8(w + 48);                                                    \
                NPU__ROWS_##R(NPU__TILE_LANE1)                                                                   \
                b0 = vld1q_s8(w + 64); b1 = vld1q_s8(w + 80);                                                    \
                NPU__ROWS_##R(NPU__TILE_LANE2)                                                                   \
                b0 = vld1q_s8(w + 96); b1 = vld1q_s8(w + 112);                                                   \
                NPU__ROWS_##R(NPU__TILE_LANE3)                                                                   \
            }                                                                                                    \
            for (; i < end; i += 4, w += 32) {                                                                   \
                b0 = vld1q_s8(w); b1 = vld1q_s8(w + 16);                                                         \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                    \
            }                                                                                                    \
        }                                                                                                        \
        if (job->out.raw) {                                                                                      \
            NPU__ROWS_##R(NPU__TILE_RAW)                                                                         \
        } else {                                                                                                 \
            NPU__ROWS_##R(NPU__TILE_DONE)                                                                        \
        }                                                                                                        \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(8)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_LOAD16
#undef NPU__TILE_LANE
#undef NPU__TILE_LANE0
#undef NPU__TILE_LANE1
#undef NPU__TILE_LANE2
#undef NPU__TILE_LANE3
#undef NPU__TILE_DONE
#undef NPU__TILE_RAW

#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__dot(job, row, panel, cols, out)
NPU__NEON_DOT NPU__FN void npu__i8_gemm_8x8__dot(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                                 uint8_t *out) {
    NPU__TILES(8, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL
#endif
