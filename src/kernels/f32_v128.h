/* Template: float kernels over four lanes, stamped once for each instruction set that has them (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), the type NPU__V4, NPU__V4_FN (what functions need) and
 * NPU__V4_{LOAD, STORE, SET1, SPLAT, MADD, LANE, ADD, CLAMP, SUM4}; SPLAT(p) is SET1(*p); LANE(a, i, b, c) is MADD with lane i of a;
 * SUM4(a, b, c, d) adds up each argument's lanes, always in the same order; and NPU__V4_{LO32, HI32, LO64, HI64} of sparse_f32_v.h.
 * NPU__V4_LANES: tiles load a row's floats one by one (1), two at a time (2, with LOAD2, into the first lanes) or four (4).
 * NPU__V4_MOST: rows of the largest tile, 4 to 6. NPU__V4_SHARE is NPU__DW_SHARE of dw_f32.h. They are undefined at the end. */

/* ---- GEMM: a tile is R rows of 8 columns ---- */

/* A panel: 8 biases, from which the sums start, then 8 weights for each of k. 6 rows of 2 vectors are what 16 registers
 * hold, with weights and one broadcast; 5, where products go through one too and V8 keeps one for itself. Four of k at a time
 * (NPU__V4_LANES): one load of a row instead of four broadcasts from memory, which some compilers make of several instructions. Two
 * at a time with 4 rows: for Cranelift, which loads all weights of a pass before the first product, and computes one sum after the other. */
#define NPU__TILE_INIT(r)                                                             \
    const float *a##r = (const float *)(const void *)npu__gemm_row(&job->a, row + r); \
    NPU__V4      lo##r = NPU__V4_LOAD(panel->first), hi##r = NPU__V4_LOAD(panel->first + 4);
#define NPU__TILE_STEP(r)               \
    v = NPU__V4_SPLAT(a##r + i);        \
    lo##r = NPU__V4_MADD(v, b0, lo##r); \
    hi##r = NPU__V4_MADD(v, b1, hi##r);
#define NPU__TILE_LANE(r, i)                  \
    lo##r = NPU__V4_LANE(x##r, i, b0, lo##r); \
    hi##r = NPU__V4_LANE(x##r, i, b1, hi##r);
#define NPU__TILE_LANE0(r) NPU__TILE_LANE(r, 0)
#define NPU__TILE_LANE1(r) NPU__TILE_LANE(r, 1)
#define NPU__TILE_LANE2(r) NPU__TILE_LANE(r, 2)
#define NPU__TILE_LANE3(r) NPU__TILE_LANE(r, 3)
#define NPU__TILE_TWO(r)                                                              \
    lo##r = NPU__V4_LANE(x##r, 1, b2, NPU__V4_LANE(x##r, 0, b0, lo##r));              \
    hi##r = NPU__V4_LANE(x##r, 1, b3, NPU__V4_LANE(x##r, 0, b1, hi##r));
/* Number n of four of k. */
#define NPU__TILE_K(R, n)                                   \
    b0 = NPU__V4_LOAD(w), b1 = NPU__V4_LOAD(w + 4), w += step; \
    NPU__ROWS_##R(NPU__TILE_LANE##n)
/* Some of k at a time. */
#if NPU__V4_LANES == 4
#  define NPU__TILE_LOAD(r) const NPU__V4 x##r = NPU__V4_LOAD(a##r + i);
#  define NPU__TILE_SOME(R)         \
      NPU__ROWS_##R(NPU__TILE_LOAD) \
      NPU__TILE_K(R, 0) NPU__TILE_K(R, 1) NPU__TILE_K(R, 2) NPU__TILE_K(R, 3)
#elif NPU__V4_LANES == 2
#  define NPU__TILE_LOAD(r) const NPU__V4 x##r = NPU__V4_LOAD2(a##r + i);
#  define NPU__TILE_SOME(R)                                                       \
      const NPU__V4 b2 = NPU__V4_LOAD(w + step), b3 = NPU__V4_LOAD(w + step + 4); \
      NPU__ROWS_##R(NPU__TILE_LOAD)                                               \
      b0 = NPU__V4_LOAD(w), b1 = NPU__V4_LOAD(w + 4), w += 2 * step;              \
      NPU__ROWS_##R(NPU__TILE_TWO)
#else
#  define NPU__TILE_SOME(R)
#endif
#define NPU__TILE_DONE(r)                                   \
    NPU__V4_STORE(tmp, NPU__V4_CLAMP(lo##r, vlo, vhi));     \
    NPU__V4_STORE(tmp + 4, NPU__V4_CLAMP(hi##r, vlo, vhi)); \
    memcpy(out + (size_t)r * job->out_stride, tmp, (size_t)cols * sizeof *out);
#define NPU__TILE_DONE8(r)                                                            \
    NPU__V4_STORE(out + (size_t)r * job->out_stride, NPU__V4_CLAMP(lo##r, vlo, vhi)); \
    NPU__V4_STORE(out + (size_t)r * job->out_stride + 4, NPU__V4_CLAMP(hi##r, vlo, vhi));

#define NPU__TILE(R)                                                                                                        \
    NPU__V4_FN NPU__INLINE void NPU__V(npu__f32_tile_##R##x8)(const npu__gemm_f32_job *job, int32_t row,                    \
                                                              const npu__gemm_f32_panel *panel, int32_t cols, float *out) { \
        const NPU__V4 vlo = NPU__V4_SET1(job->lo), vhi = NPU__V4_SET1(job->hi);                                             \
        const size_t step = panel->step;                                                                                    \
        const float  *w = panel->w;                                                                                         \
        float         tmp[8];                                                                                               \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                                       \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                     \
            size_t       i = job->a.offsets[s];                                                                             \
            const size_t end = i + (size_t)job->a.run;                                                                      \
            NPU__V4      b0, b1, v;                                                                                         \
            for (; NPU__V4_LANES > 1 && i + NPU__V4_LANES <= end; i += NPU__V4_LANES) {                                     \
                NPU__TILE_SOME(R)                                                                                           \
            }                                                                                                               \
            for (; i < end; i++, w += step) {                                                                               \
                b0 = NPU__V4_LOAD(w), b1 = NPU__V4_LOAD(w + 4);                                                             \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                               \
            }                                                                                                               \
        }                                                                                                                   \
        if (cols == 8) {                                                                                                    \
            NPU__ROWS_##R(NPU__TILE_DONE8)                                                                                  \
        } else {                                                                                                            \
            NPU__ROWS_##R(NPU__TILE_DONE)                                                                                   \
        }                                                                                                                   \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(5)
NPU__TILE(6)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_LANE
#undef NPU__TILE_LANE0
#undef NPU__TILE_LANE1
#undef NPU__TILE_LANE2
#undef NPU__TILE_LANE3
#undef NPU__TILE_TWO
#undef NPU__TILE_K
#undef NPU__TILE_LOAD
#undef NPU__TILE_SOME
#undef NPU__TILE_DONE
#undef NPU__TILE_DONE8

#define NPU__TILE_CALL(R) NPU__V(npu__f32_tile_##R##x8)(job, row, panel, cols, out)
#define NPU__TILES_OF(MOST) NPU__TILES(MOST, NPU__TILE_CALL)
NPU__V4_FN NPU__FN void NPU__V(npu__f32_gemm_x8)(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, int32_t cols, float *out) {
    NPU__TILES_OF(NPU__V4_MOST);
}
#undef NPU__TILE_CALL
#undef NPU__TILES_OF

/* ---- GEMV: each row is summed in 8 lanes and a rest, the same way whether alone or with three others ---- */

#define NPU__DOT_INIT(r)                                 \
    NPU__V4      s##r = NPU__V4_SET1(0.0f), t##r = s##r; \
    const float *w##r = w + (size_t)r * (size_t)job->k;  \
    float        rest##r = 0.0f;
#define NPU__DOT_STEP(r)                                   \
    s##r = NPU__V4_MADD(v0, NPU__V4_LOAD(w##r + i), s##r); \
    t##r = NPU__V4_MADD(v1, NPU__V4_LOAD(w##r + i + 4), t##r);
#define NPU__DOT_REST(r) rest##r += job->a[i] * w##r[i];
#define NPU__DOT_DONE(r) s##r = NPU__V4_ADD(s##r, t##r);
#define NPU__DOT_OUT(r)                                              \
    sum = sums[r] + rest##r + (job->bias ? job->bias[n + r] : 0.0f); \
    out[n + r] = sum < job->lo ? job->lo : sum > job->hi ? job->hi : sum;

/* Outputs n .. n + R - 1; w points to the first one's weights. */
#define NPU__DOT(R, S0, S1, S2, S3)                                                                              \
    NPU__V4_FN NPU__INLINE void NPU__V(npu__f32_dot##R)(const npu__gemv_f32_job *job, const float *w, int32_t n, \
                                                        float *out) {                                            \
        float   sums[4], sum;                                                                                    \
        int32_t i = 0;                                                                                           \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                             \
        for (; i + 8 <= job->k; i += 8) {                                                                        \
            const NPU__V4 v0 = NPU__V4_LOAD(job->a + i), v1 = NPU__V4_LOAD(job->a + i + 4);                      \
            NPU__ROWS_##R(NPU__DOT_STEP)                                                                         \
        }                                                                                                        \
        for (; i < job->k; i++) { NPU__ROWS_##R(NPU__DOT_REST) }                                                 \
        NPU__ROWS_##R(NPU__DOT_DONE)                                                                             \
        NPU__V4_STORE(sums, NPU__V4_SUM4(S0, S1, S2, S3));                                                       \
        NPU__ROWS_##R(NPU__DOT_OUT)                                                                              \
    }
NPU__DOT(1, s0, s0, s0, s0)
NPU__DOT(4, s0, s1, s2, s3)
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP
#undef NPU__DOT_REST
#undef NPU__DOT_DONE
#undef NPU__DOT_OUT

NPU__V4_FN NPU__FN void NPU__V(npu__f32_gemv)(const npu__gemv_f32_job *job, int32_t n0, int32_t n1, float *out) {
    const float *w = job->w + (size_t)n0 * (size_t)job->k;
    for (; job->k < NPU__GEMV_LONG_ROW && n0 + 4 <= n1; n0 += 4, w += 4 * (size_t)job->k) NPU__V(npu__f32_dot4)(job, w, n0, out);
    for (; n0 < n1; n0++, w += job->k) NPU__V(npu__f32_dot1)(job, w, n0, out);
}

/* ---- sparse ---- */

#define NPU__SP_V NPU__V4
#define NPU__SP_LANES 4
#define NPU__SP_FN NPU__V4_FN
#define NPU__SP_EACH NPU__ROWS_8
#define NPU__SP_CHAINS 1
#define NPU__SP_LOAD NPU__V4_LOAD
#define NPU__SP_STORE NPU__V4_STORE
#define NPU__SP_SET1 NPU__V4_SET1
#define NPU__SP_SPLAT NPU__V4_SPLAT
#define NPU__SP_MADD NPU__V4_MADD
#define NPU__SP_ADD NPU__V4_ADD
#define NPU__SP_CLAMP NPU__V4_CLAMP
#define NPU__SP_LO32 NPU__V4_LO32
#define NPU__SP_HI32 NPU__V4_HI32
#define NPU__SP_LO64 NPU__V4_LO64
#define NPU__SP_HI64 NPU__V4_HI64
#define NPU__SP_GET(rows, at) NPU__V4_LOAD((rows)[0] + (at))
#define NPU__SP_PUT(to, step, v) NPU__V4_STORE(to, v)
#include "sparse_f32_v.h"

/* ---- depthwise ---- */

#define NPU__DW_V NPU__V4
#define NPU__DW_LANES 4
#define NPU__DW_SHARE NPU__V4_SHARE
#define NPU__DW_KEEP(v)
#define NPU__DW_FN NPU__V4_FN
#define NPU__DW_ONE(TILE) NPU__V(TILE##2)
#define NPU__DW_LOAD NPU__V4_LOAD
#define NPU__DW_STORE NPU__V4_STORE
#define NPU__DW_SET1 NPU__V4_SET1
#define NPU__DW_MADD NPU__V4_MADD
#define NPU__DW_CLAMP NPU__V4_CLAMP
#define NPU__DW_W(w, r) NPU__V4_LOAD((w) + r * 4)
#include "dw_f32.h"

#undef NPU__V4
#undef NPU__V4_FN
#undef NPU__V4_LOAD
#undef NPU__V4_STORE
#undef NPU__V4_SET1
#undef NPU__V4_SPLAT
#undef NPU__V4_LANES
#undef NPU__V4_LOAD2
#undef NPU__V4_MOST
#undef NPU__V4_MADD
#undef NPU__V4_LANE
#undef NPU__V4_ADD
#undef NPU__V4_CLAMP
#undef NPU__V4_SUM4
#undef NPU__V4_SHARE
#undef NPU__V4_LO32
#undef NPU__V4_HI32
#undef NPU__V4_LO64
#undef NPU__V4_HI64
