/* Integer products of matrices by WebAssembly's relaxed dot product. Unsigned or signed: rows are staged so, the code is one. */
#include "relaxed.h"
#include "vec_loop.h"
NPU__SPEED_BEGIN

#if NPU__HAS_DOT8

/* ---- sums of rows: products with ones. Rows are padded to four bytes ---- */

NPU__V128 NPU__FN void npu__row_sums__relaxed(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums) {
    static const uint8_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t last[4][16] = {{1, 1, 1, 1}, {1}, {1, 1}, {1, 1, 1}};
    for (int32_t r = 0; r < m; r++) {
        npu__v128 sum = NPU__V_SET32(0);
        for (int32_t s = 0; s < a->segments; s++) {
            const uint8_t *p = npu__gemm_row(a, r) + a->offsets[s];
            int32_t        i = 0;
            for (; i + 16 <= run; i += 16) sum = NPU__V_DOT8(sum, NPU__V_LOAD(ones), NPU__V_LOAD(p + i));
            for (; i < run; i += 4) sum = NPU__V_DOT8(sum, NPU__V_LOAD(last[run - i < 4 ? run - i : 0]), NPU__V_SPREAD4(p + i));
        }
        sums[r] = NPU__V_LANE32(npu__sum4_i32__v128(sum, sum, sum, sum), 0);
    }
}

/* ---- GEMM: a tile is R rows of 8 columns ---- */

/* A header of four times 8 columns (bias, multiplier, powers; or folded), then four of k for every column at a time. */
#define NPU__TILE_INIT(r)                                                                                          \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r);                                                         \
    npu__v128      hi##r = NPU__V_SPREAD4(job->row_add + row + r), lo##r = NPU__V_ADD32(NPU__V_LOAD(head), hi##r); \
    hi##r = NPU__V_ADD32(NPU__V_LOAD(head + 4), hi##r);
#define NPU__TILE_STEP(r)              \
    v = NPU__V_SPREAD4(a##r + i);      \
    lo##r = NPU__V_DOT8(lo##r, b0, v); \
    hi##r = NPU__V_DOT8(hi##r, b1, v);
#define NPU__TILE_SUM(r, to, stride)                  \
    NPU__V_STORE((to) + (size_t)r * (stride), lo##r); \
    NPU__V_STORE((to) + (size_t)r * (stride) + 16, hi##r);
#define NPU__TILE_RAW(r) NPU__TILE_SUM(r, out, job->out_stride)
#define NPU__TILE_KEEP(r) NPU__TILE_SUM(r, sums, (size_t)32)
/* By floats (npu__plain4__v128), two rows at a time. */
#define NPU__TILE_FLOAT(r)                                     \
    v = npu__plain4__v128(lo##r, &k->p0, k->sign, up);         \
    b0 = npu__plain4__v128(hi##r, &k->p1, k->sign, up);        \
    doubt = NPU__V_MINU32(doubt, NPU__PLAIN_DOUBT(v, b0, *k)); \
    words##r = NPU__PLAIN_WORDS(v, b0, *k);
#define NPU__TILE_PAIR(r, s)                             \
    v = npu__bytes16__v128(words##r, words##s, &k->fin); \
    NPU__V_STORE8(out + (size_t)r * job->out_stride, v); \
    NPU__V_STORE8_UP(out + (size_t)s * job->out_stride, v);
#define NPU__TILE_PAIRS_1                            \
    v = npu__bytes16__v128(words0, words0, &k->fin); \
    NPU__V_STORE8(out, v);
#define NPU__TILE_PAIRS_2 NPU__TILE_PAIR(0, 1)
#define NPU__TILE_PAIRS_4 NPU__TILE_PAIRS_2 NPU__TILE_PAIR(2, 3)
#define NPU__TILE_PAIRS_6 NPU__TILE_PAIRS_4 NPU__TILE_PAIR(4, 5)
#define NPU__TILE_WORDS(r) npu__v128 words##r;

/* k: NULL: sums. */
#define NPU__TILE(R)                                                                                                                        \
    NPU__V128 NPU__INLINE NPU__LOOP_BODY void npu__i8_tile_##R##x8__relaxed(const npu__gemm_i8_job *job, int32_t row, const uint8_t *panel, \
                                                             const npu__plain_all__v128 *k, int up, uint8_t *out) {                         \
        const int32_t *head = (const int32_t *)(const void *)panel;                                                                         \
        const uint8_t *w = panel + 128;                                                                                                     \
        npu__v128      v, b0, b1;                                                                                                           \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                                                       \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                                     \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                                      \
            for (size_t i = job->a.offsets[s]; i < end; i += 4, w += 32) {                                                                  \
                b0 = NPU__V_LOAD(w);                                                                                                        \
                b1 = NPU__V_LOAD(w + 16);                                                                                                   \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                                               \
            }                                                                                                                               \
        }                                                                                                                                   \
        if (k) {                                                                                                                            \
            npu__v128 doubt = k->part;                                                                                                      \
            NPU__ROWS_##R(NPU__TILE_WORDS)                                                                                                  \
            NPU__ROWS_##R(NPU__TILE_FLOAT)                                                                                                  \
            NPU__TILE_PAIRS_##R                                                                                                             \
            if (npu__plain_unsure__v128(doubt, k)) {                                                                                        \
                uint8_t sums[32 * R];                                                                                                       \
                NPU__ROWS_##R(NPU__TILE_KEEP)                                                                                               \
                for (int32_t r = 0; r < R; r++) npu__any8__v128(sums + 32 * r, head, 1, &job->out, out + (size_t)r * job->out_stride);      \
            }                                                                                                                               \
        } else {                                                                                                                            \
            NPU__ROWS_##R(NPU__TILE_RAW)                                                                                                    \
        }                                                                                                                                   \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(6)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_SUM
#undef NPU__TILE_RAW
#undef NPU__TILE_FLOAT
#undef NPU__TILE_PAIR
#undef NPU__TILE_PAIRS_1
#undef NPU__TILE_PAIRS_2
#undef NPU__TILE_PAIRS_4
#undef NPU__TILE_PAIRS_6
#undef NPU__TILE_WORDS
#undef NPU__TILE_KEEP

/* All rows of a panel: sums, and whole panels' bytes, of which negative ones are cut off (up) or not. */
#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__relaxed(job, row, panel, NULL, 0, out)
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_sums_6x8__relaxed(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out) {
    NPU__TILES(6, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL
#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__relaxed(job, row, panel, &k, 0, out)
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_bytes_6x8__relaxed(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out) {
    const npu__plain_all__v128 k = npu__plain_all_of__v128((const int32_t *)(const void *)panel, &job->out, 0);
    NPU__TILES(6, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL
#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__relaxed(job, row, panel, &k, 1, out)
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_bytes_up_6x8__relaxed(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out) {
    const npu__plain_all__v128 k = npu__plain_all_of__v128((const int32_t *)(const void *)panel, &job->out, 1);
    NPU__TILES(6, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

NPU__V128 NPU__FN void npu__i8_gemm_6x8__relaxed(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    if (job->out.raw || cols < 8 || !npu__is_plain__v128(panel)) npu__gemm_by_sums__v128(npu__i8_sums_6x8__relaxed, job, panel, cols, out);
    else (npu__plain_up(&job->out) ? npu__i8_bytes_up_6x8__relaxed : npu__i8_bytes_6x8__relaxed)(job, panel, out);
}

/* ---- GEMV: bytes as they lie, four rows of weights at a time ---- */

/* S, U: signed and unsigned weights, times bytes of the other signedness (WASM_SDOT: signed times signed). */
#define NPU__DOT_S(s, v, w) NPU__V_DOT8(s, w, v)
#define NPU__DOT_U(s, v, w) NPU__V_DOT8(s, v, w)
#define NPU__DOT_INIT(r)                   \
    npu__v128      s##r = NPU__V_SET32(0); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__DOT_STEP_S(r) s##r = NPU__DOT_S(s##r, v, NPU__V_LOAD(w##r + i));
#define NPU__DOT_STEP_U(r) s##r = NPU__DOT_U(s##r, v, NPU__V_LOAD(w##r + i));
/* `tail` holds the last k % 16 bytes of a behind zeros: the last chunk overlaps the one before it, or the row before where k < 16. */
#define NPU__DOT(R, S, S1, S2, S3)                                                                                                \
    NPU__V128 NPU__INLINE npu__v128 npu__i8_dot##R##S##__relaxed(const npu__gemv_i8_job *job, const uint8_t *w, npu__v128 tail) { \
        int32_t   i = 0;                                                                                                          \
        npu__v128 v;                                                                                                              \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                                              \
        for (; i + 16 <= job->k; i += 16) {                                                                                       \
            v = NPU__V_LOAD(job->bytes + i);                                                                                      \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                                      \
        }                                                                                                                         \
        if (i < job->k) {                                                                                                         \
            i = job->k - 16;                                                                                                      \
            v = tail;                                                                                                             \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                                      \
        }                                                                                                                         \
        return npu__sum4_i32__v128(s0, S1, S2, S3);                                                                               \
    }
NPU__DOT(1, S, s0, s0, s0)
NPU__DOT(1, U, s0, s0, s0)
NPU__DOT(4, S, s1, s2, s3)
NPU__DOT(4, U, s1, s2, s3)
#undef NPU__DOT
#undef NPU__DOT_S
#undef NPU__DOT_U
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP_S
#undef NPU__DOT_STEP_U

NPU__V128 NPU__FN uint32_t npu__i8_dot_one__relaxed(const npu__gemv_i8_job *job, const uint8_t *w, npu__v128 tail) {
    return (uint32_t)NPU__V_LANE32(job->w_signed ? npu__i8_dot1S__relaxed(job, w, tail) : npu__i8_dot1U__relaxed(job, w, tail), 0);
}

NPU__V128 NPU__FN void npu__i8_gemv_bytes__relaxed(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    enum { FIRST = 64 };
    uint8_t       last[16], front[16 + FIRST]; /* of short rows: the first ones, and zeros before them */
    const int32_t rest = job->k & 15;
    npu__v128     tail;
    memset(last, 0, sizeof last);
    if (rest) memcpy(last + 16 - rest, job->bytes + job->k - rest, (size_t)rest);
    tail = NPU__V_LOAD(last);
    if (job->k < 16) {
        /* bounded: the weights lie in memory. */
        const size_t bytes = (size_t)(n1 - 1) * job->w_stride + (size_t)job->k;
        memset(front, 0, 16);
        memcpy(front + 16, job->w, NPU__MIN(bytes, (size_t)FIRST));
    }
    while (n0 < n1) {
        /* bounded: the weights lie in memory. */
        const size_t   at = (size_t)n0 * job->w_stride, end = at + (size_t)job->k, end4 = end + 3 * job->w_stride;
        const uint8_t *w = end < 16 ? front + 16 + at : job->w + at;
        npu__v128      acc;
        if (job->k >= NPU__GEMV_LONG_ROW || n0 + 4 > n1 || (end < 16 && end4 > FIRST)) {
            uint32_t sum = npu__i8_dot_one__relaxed(job, w, tail) + (uint32_t)job->add;
            if (job->w_sums) sum -= (uint32_t)job->a_zero * (uint32_t)job->w_sums[n0];
            sums[n0] = (int32_t)(sum + (job->bias ? (uint32_t)job->bias[n0] : 0u));
            n0++;
            continue;
        }
        acc = job->w_signed ? npu__i8_dot4S__relaxed(job, w, tail) : npu__i8_dot4U__relaxed(job, w, tail);
        acc = NPU__V_ADD32(acc, NPU__V_SET32(job->add));
        if (job->w_sums) acc = NPU__V_SUB32(acc, NPU__V_MUL32(NPU__V_SET32(job->a_zero), NPU__V_LOAD(job->w_sums + n0)));
        if (job->bias) acc = NPU__V_ADD32(acc, NPU__V_LOAD(job->bias + n0));
        NPU__V_STORE(sums + n0, acc);
        n0 += 4;
    }
}
#endif
NPU__SPEED_END
