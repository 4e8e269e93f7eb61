/* Planes of elements from steps to steps, and transposed in blocks. */
#include "avx2.h"
#include "move.h"
#include "simd.h"
NPU__SPEED_BEGIN

#define NPU__PLANE_FEW 8     /* fewer columns than that: loops along the rows, */
#define NPU__PLANE_BLOCK 256 /* this many at a time, so that what the columns share stays in the cache */

/* Loops along the longer side: columns become rows. */
NPU__INLINE void npu__plane_turn(const npu__plane *p, npu__plane_code *run, uint8_t *dst, const uint8_t *src, int64_t rows,
                                 int64_t cols) {
    npu__plane t;
    t.unit = p->unit;
    for (int32_t k = 0; k < 2; k++) {
        t.from[k] = p->from[1 - k];
        t.to[k] = p->to[1 - k];
    }
    for (int64_t r = 0; r < rows; r += NPU__PLANE_BLOCK) {
        run(&t, dst + r * p->to[0], src + r * p->from[0], cols, NPU__MIN(rows - r, NPU__PLANE_BLOCK));
    }
}

/* Elements of a size that compilers know. */
#define NPU__PLANE(bytes)                                                                                                        \
    NPU__FN void npu__plane_##bytes(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {         \
        const int64_t from = p->from[1], to = p->to[1];                                                                          \
        if (cols < NPU__PLANE_FEW && rows >= NPU__PLANE_FEW) {                                                                   \
            npu__plane_turn(p, npu__plane_##bytes, dst, src, rows, cols);                                                        \
            return;                                                                                                              \
        }                                                                                                                        \
        for (int64_t r = 0; r < rows; r++) {                                                                                     \
            const uint8_t *a = src + r * p->from[0];                                                                             \
            uint8_t       *o = dst + r * p->to[0];                                                                               \
            if (from == 0 && to == bytes) {                                                                                      \
                uint8_t value[bytes];                                                                                            \
                memcpy(value, a, bytes);                                                                                         \
                for (int64_t i = 0; i < cols; i++) memcpy(o + i * bytes, value, bytes);                                          \
            } else {                                                                                                             \
                for (int64_t i = 0; i < cols; i++) memcpy(o + i * to, a + i * from, bytes);                                      \
            }                                                                                                                    \
        }                                                                                                                        \
    }
NPU__PLANE(1)
NPU__PLANE(2)
NPU__PLANE(4)
NPU__PLANE(8)
NPU__PLANE(16)
#undef NPU__PLANE

NPU__FN void npu__plane_runs(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; r++) {
        uint8_t       *to = dst + r * p->to[0];
        const uint8_t *from = src + r * p->from[0];
        for (int64_t i = 0; i < cols; i++, to += p->to[1], from += p->from[1]) npu__copy_run(to, from, (size_t)p->unit);
    }
}

/* Tiles of 16 by 16: what shares lines of the cache comes together. */
NPU__FN void npu__transpose_runs(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {
    const npu__plane_fn run = npu__plane_pick(p->unit, 0);
    for (int64_t r = 0; r < rows; r += 16) {
        for (int64_t i = 0; i < cols; i += 16) {
            run(p, dst + r * p->to[0] + i * p->to[1], src + r * p->from[0] + i * p->from[1], NPU__MIN(rows - r, 16),
                NPU__MIN(cols - i, 16));
        }
    }
}

/* ---- transposed in registers ---- */

#if NPU__HAS_X86 && (defined(__SSE2__) || defined(_M_X64))
#  define NPU__TURNS 1
typedef __m128i npu__v16;
#  define NPU__V16_LOAD(p) NPU__LOAD16(p)
#  define NPU__V16_STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#  define NPU__ZIP_LO_1(a, b) _mm_unpacklo_epi8(a, b)
#  define NPU__ZIP_HI_1(a, b) _mm_unpackhi_epi8(a, b)
#  define NPU__ZIP_LO_2(a, b) _mm_unpacklo_epi16(a, b)
#  define NPU__ZIP_HI_2(a, b) _mm_unpackhi_epi16(a, b)
#  define NPU__ZIP_LO_4(a, b) _mm_unpacklo_epi32(a, b)
#  define NPU__ZIP_HI_4(a, b) _mm_unpackhi_epi32(a, b)
#  define NPU__ZIP_LO_8(a, b) _mm_unpacklo_epi64(a, b)
#  define NPU__ZIP_HI_8(a, b) _mm_unpackhi_epi64(a, b)
#elif NPU__HAS_NEON64
#  define NPU__TURNS 1
typedef uint8x16_t npu__v16;
#  define NPU__V16_LOAD(p) vld1q_u8(p)
#  define NPU__V16_STORE(p, v) vst1q_u8(p, v)
#  define NPU__ZIP_AS(zip, w, a, b) vreinterpretq_u8_u##w(zip##_u##w(vreinterpretq_u##w##_u8(a), vreinterpretq_u##w##_u8(b)))
#  define NPU__ZIP_LO_1(a, b) vzip1q_u8(a, b)
#  define NPU__ZIP_HI_1(a, b) vzip2q_u8(a, b)
#  define NPU__ZIP_LO_2(a, b) NPU__ZIP_AS(vzip1q, 16, a, b)
#  define NPU__ZIP_HI_2(a, b) NPU__ZIP_AS(vzip2q, 16, a, b)
#  define NPU__ZIP_LO_4(a, b) NPU__ZIP_AS(vzip1q, 32, a, b)
#  define NPU__ZIP_HI_4(a, b) NPU__ZIP_AS(vzip2q, 32, a, b)
#  define NPU__ZIP_LO_8(a, b) NPU__ZIP_AS(vzip1q, 64, a, b)
#  define NPU__ZIP_HI_8(a, b) NPU__ZIP_AS(vzip2q, 64, a, b)
#elif NPU__HAS_WASM_SIMD
#  define NPU__TURNS 1
typedef v128_t npu__v16;
#  define NPU__V16_LOAD(p) wasm_v128_load(p)
#  define NPU__V16_STORE(p, v) wasm_v128_store(p, v)
#  define NPU__ZIP_LO_1(a, b) wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#  define NPU__ZIP_HI_1(a, b) wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#  define NPU__ZIP_LO_2(a, b) wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#  define NPU__ZIP_HI_2(a, b) wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#  define NPU__ZIP_LO_4(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#  define NPU__ZIP_HI_4(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#  define NPU__ZIP_LO_8(a, b) wasm_i64x2_shuffle(a, b, 0, 2)
#  define NPU__ZIP_HI_8(a, b) wasm_i64x2_shuffle(a, b, 1, 3)
#else
#  define NPU__TURNS 0
#endif

#if NPU__TURNS
/* K vectors of 16 bytes, seen as one row of elements whose numbers have log2(K) bits for the vector and the others for the place in
 * it. Zipping vector i with vector i + K / 2 turns these numbers by a bit: after log2(K) steps the first element of each vector
 * comes first, then the second of each; and after as many as an element's place has bits, the reverse is done. */
#define NPU__ZIP(bytes, to, from, r)                               \
    to[2 * r] = NPU__ZIP_LO_##bytes(from[r], from[r + half]);     \
    to[2 * r + 1] = NPU__ZIP_HI_##bytes(from[r], from[r + half]);
#define NPU__ZIP1(r) NPU__ZIP(1, t, v, r)
#define NPU__ZIP2(r) NPU__ZIP(2, t, v, r)
#define NPU__ZIP4(r) NPU__ZIP(4, t, v, r)
#define NPU__ZIP8(r) NPU__ZIP(8, t, v, r)
#define NPU__ZIP_BACK1(r) NPU__ZIP(1, v, t, r)
#define NPU__ZIP_BACK2(r) NPU__ZIP(2, v, t, r)
#define NPU__ZIP_BACK4(r) NPU__ZIP(4, v, t, r)
#define NPU__ZIP_BACK8(r) NPU__ZIP(8, v, t, r)
#define NPU__ZIP_COPY(r) \
    v[2 * r] = t[2 * r]; \
    v[2 * r + 1] = t[2 * r + 1];
#define NPU__ZIP_TWICE(bytes, H)       \
    NPU__ROWS_##H(NPU__ZIP##bytes)     \
    NPU__ROWS_##H(NPU__ZIP_BACK##bytes)
#define NPU__ZIPS(bytes, K, H)                                             \
    NPU__INLINE void npu__zips_##bytes##_##K(npu__v16 *v, int32_t steps) { \
        enum { half = H };                                                 \
        npu__v16 t[K];                                                     \
        if (steps >= 2) {                                                  \
            NPU__ZIP_TWICE(bytes, H)                                       \
        }                                                                  \
        if (steps >= 4) {                                                  \
            NPU__ZIP_TWICE(bytes, H)                                       \
        }                                                                  \
        if (steps & 1) {                                                   \
            NPU__ROWS_##H(NPU__ZIP##bytes)                                 \
            NPU__ROWS_##H(NPU__ZIP_COPY)                                   \
        }                                                                  \
    }

/* A block of n by n, n elements in a vector. Steps are no part of the plane here: for all that compilers know, stores change it. */
#define NPU__TURN_LOAD(k)                           \
    v[2 * k] = NPU__V16_LOAD(src + 2 * k * from);   \
    v[2 * k + 1] = NPU__V16_LOAD(src + (2 * k + 1) * from);
#define NPU__TURN_STORE(k)                          \
    NPU__V16_STORE(dst + 2 * k * to, v[2 * k]);     \
    NPU__V16_STORE(dst + (2 * k + 1) * to, v[2 * k + 1]);
#define NPU__TURN_BLOCK(bytes, n, H, steps)                                                                             \
    NPU__ZIPS(bytes, n, H)                                                                                              \
    NPU__INLINE void npu__turn_block_##bytes(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from) {              \
        npu__v16 v[n];                                                                                                  \
        NPU__ROWS_##H(NPU__TURN_LOAD)                                                                                   \
        npu__zips_##bytes##_##n(v, steps);                                                                              \
        NPU__ROWS_##H(NPU__TURN_STORE)                                                                                  \
    }                                                                                                                   \
    /* Tiles of whole lines of the cache, or rows as long as they are where they share sets of it (move_avx2.c). The last block of a  \
     * side lies over the one before it. */                                                                             \
    NPU__FN void npu__turn_##bytes(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) { \
        const int64_t from = p->from[1], to = p->to[0], tile = to % 4096 ? 64 / bytes : cols;                                              \
        for (int64_t i = 0; i < cols; i += tile) {                                                                      \
            for (int64_t r0 = 0; r0 < rows; r0 += n) {                                                                  \
                const int64_t  r = NPU__MIN(r0, rows - n);                                                              \
                const uint8_t *a = src + r * bytes + i * from;                                                          \
                uint8_t       *o = dst + r * to + i * bytes;                                                            \
                int64_t        left = NPU__MIN(cols - i, tile);                                                         \
                /* Small blocks pay for a loop of their own. */                                                         \
                for (; bytes > 2 && left >= n; left -= n, a += n * from, o += 16) {                                     \
                    npu__turn_block_##bytes(o, to, a, from);                                                            \
                }                                                                                                       \
                for (; left > 0; left -= n, a += n * from, o += 16) {                                                   \
                    if (left < n) {                                                                                     \
                        a -= (n - left) * from;                                                                         \
                        o -= (n - left) * bytes;                                                                        \
                    }                                                                                                   \
                    npu__turn_block_##bytes(o, to, a, from);                                                            \
                }                                                                                                       \
            }                                                                                                           \
        }                                                                                                               \
    }
NPU__TURN_BLOCK(1, 16, 8, 4)
NPU__TURN_BLOCK(2, 8, 4, 3)
NPU__TURN_BLOCK(4, 4, 2, 2)
NPU__TURN_BLOCK(8, 2, 1, 1)

/* Three columns or rows that lie dense on the other side (colours) are four of which one is nothing: written, the next ones overwrite it;
 * read, nobody looks at it. What is left at the end, at least one so that nothing goes beyond, is done one by one. */
NPU__FN void npu__threes_rest(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols, int64_t done) {
    if (cols == 3) npu__plane_pick(p->unit, 0)(p, dst + done * p->to[0], src + done * p->from[0], rows - done, 3);
    else npu__plane_pick(p->unit, 0)(p, dst + done * p->to[1], src + done * p->from[1], 3, cols - done);
}
NPU__FN void npu__threes_4(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {
    const int     mix = cols == 3;
    const int64_t many = mix ? rows : cols, from = mix ? p->from[1] : 12, to = mix ? 12 : p->to[0], a = mix ? 4 : 12, o = mix ? 12 : 4;
    int64_t       i = 0;
    for (; i + 4 < many; i += 4) {
        npu__v16 v[4];
        v[0] = NPU__V16_LOAD(src + i * a);
        v[1] = NPU__V16_LOAD(src + i * a + from);
        v[2] = NPU__V16_LOAD(src + i * a + 2 * from);
        v[3] = mix ? v[2] : NPU__V16_LOAD(src + i * a + 3 * from);
        npu__zips_4_4(v, 2);
        NPU__V16_STORE(dst + i * o, v[0]);
        NPU__V16_STORE(dst + i * o + to, v[1]);
        NPU__V16_STORE(dst + i * o + 2 * to, v[2]);
        if (mix) NPU__V16_STORE(dst + i * o + 3 * to, v[3]);
    }
    npu__threes_rest(p, dst, src, rows, cols, i);
}
NPU__ZIPS(1, 4, 2)
NPU__FN void npu__threes_1(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {
    const int     mix = cols == 3;
    const int64_t many = mix ? rows : cols;
    int64_t       i = 0;
    for (; i + 16 < many; i += 16) {
        uint8_t  lines[64];
        npu__v16 v[4];
        for (int32_t k = 0; k < 16 && !mix; k++) memcpy(lines + 4 * k, src + 3 * (i + k), 4);
        for (int32_t k = 0; k < 4; k++) v[k] = NPU__V16_LOAD(mix ? src + i + NPU__MIN(k, 2) * p->from[1] : lines + 16 * k);
        npu__zips_1_4(v, mix ? 2 : 4);
        for (int32_t k = 0; k < 4; k++) NPU__V16_STORE(lines + 16 * k, v[k]);
        for (int32_t k = 0; k < 16 && mix; k++) memcpy(dst + 3 * (i + k), lines + 4 * k, 4);
        for (int32_t k = 0; k < 3 && !mix; k++) memcpy(dst + k * p->to[0] + i, lines + 16 * k, 16);
    }
    npu__threes_rest(p, dst, src, rows, cols, i);
}

/* Bytes, one side shorter than a vector: K of it at a time, 16 of the other, through `lines`. */
#define NPU__THIN_LOAD(r)                         \
    v[2 * r] = NPU__V16_LOAD(lines + 32 * r);     \
    v[2 * r + 1] = NPU__V16_LOAD(lines + 32 * r + 16);
#define NPU__THIN_STORE(r)                    \
    NPU__V16_STORE(lines + 32 * r, t[2 * r]); \
    NPU__V16_STORE(lines + 32 * r + 16, t[2 * r + 1]);
#define NPU__THIN(K, H, steps)                                                                                                  \
    NPU__INLINE void npu__thin_block_##K(const npu__plane *p, uint8_t *dst, const uint8_t *src, int wide) {                     \
        enum { half = H };                                                                                                      \
        npu__v16 v[K], t[K];                                                                                                    \
        uint8_t  lines[16 * K];                                                                                                 \
        for (int32_t i = 0; wide && i < 16; i++) memcpy(lines + i * K, src + i * p->from[1], K);                                \
        for (int32_t i = 0; !wide && i < K; i++) memcpy(lines + i * 16, src + i * p->from[1], 16);                              \
        for (int32_t s = wide ? 4 : steps; s > 0; s--) {                                                                        \
            NPU__ROWS_##H(NPU__THIN_LOAD)                                                                                       \
            NPU__ROWS_##H(NPU__ZIP1)                                                                                            \
            NPU__ROWS_##H(NPU__THIN_STORE)                                                                                      \
        }                                                                                                                       \
        for (int32_t i = 0; wide && i < K; i++) memcpy(dst + i * p->to[0], lines + i * 16, 16);                                 \
        for (int32_t i = 0; !wide && i < 16; i++) memcpy(dst + i * p->to[0], lines + i * K, K);                                 \
    }                                                                                                                           \
    NPU__FN void npu__thin_##K(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {             \
        const int     wide = rows < cols;                                                                                       \
        const int64_t r_step = wide ? K : 16, i_step = wide ? 16 : K;                                                           \
        for (int64_t r0 = 0; r0 < rows; r0 += r_step) {                                                                         \
            const int64_t r = NPU__MIN(r0, rows - r_step);                                                                      \
            for (int64_t i0 = 0; i0 < cols; i0 += i_step) {                                                                     \
                const int64_t i = NPU__MIN(i0, cols - i_step);                                                                  \
                npu__thin_block_##K(p, dst + r * p->to[0] + i, src + r + i * p->from[1], wide);                                 \
            }                                                                                                                   \
        }                                                                                                                       \
    }
NPU__THIN(4, 2, 2)
NPU__THIN(8, 4, 3)

/* Two columns or rows that lie dense on the other side (real and imaginary parts, halves of channels that are shuffled): pairs of vectors,
 * zipped once to mix them and, as they have n places, log2(n) times to part them. */
#define NPU__PAIRS(bytes, n, steps)                                                                                      \
    NPU__ZIPS(bytes, 2, 1)                                                                                               \
    NPU__FN void npu__pairs_##bytes(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) { \
        const int     mix = cols == 2;                                                                                   \
        const int64_t many = mix ? rows : cols, from = mix ? p->from[1] : 16, to = mix ? 16 : p->to[0];                  \
        const int64_t a = mix ? bytes : 2 * bytes, o = mix ? 2 * bytes : bytes;                                          \
        for (int64_t i0 = 0; i0 < many; i0 += n) {                                                                       \
            const int64_t i = NPU__MIN(i0, many - n); /* the last one lies over the one before it */                     \
            npu__v16      v[2];                                                                                          \
            v[0] = NPU__V16_LOAD(src + i * a);                                                                           \
            v[1] = NPU__V16_LOAD(src + i * a + from);                                                                    \
            npu__zips_##bytes##_2(v, mix ? 1 : steps);                                                                   \
            NPU__V16_STORE(dst + i * o, v[0]);                                                                           \
            NPU__V16_STORE(dst + i * o + to, v[1]);                                                                      \
        }                                                                                                                \
    }
NPU__PAIRS(1, 16, 4)
NPU__PAIRS(2, 8, 3)
NPU__PAIRS(4, 4, 2)

NPU__FN npu__plane_fn npu__few_pick(int64_t unit, int64_t few, int64_t many) {
    if (many * unit < 16) return NULL;
    if (few == 2) return unit == 1 ? npu__pairs_1 : unit == 2 ? npu__pairs_2 : unit == 4 ? npu__pairs_4 : NULL;
    if (few == 3) return unit == 1 ? npu__threes_1 : unit == 4 ? npu__threes_4 : NULL;
    return NULL;
}

/* By the shorter side and the longer one. */
NPU__FN npu__plane_fn npu__turn_pick(int64_t unit, int64_t few, int64_t many) {
    if (unit > 8 || many * unit < 16) return NULL;
    switch (few * unit < 16 ? unit : 16 * unit) {
    case 16: return npu__turn_1;
    case 32: return npu__turn_2;
    case 64: return npu__turn_4;
    case 128: return npu__turn_8;
    case 1: return few >= 8 ? npu__thin_8 : few >= 4 ? npu__thin_4 : NULL;
    default: return NULL;
    }
}
#else
NPU__FN npu__plane_fn npu__few_pick(int64_t unit, int64_t few, int64_t many) {
    (void)unit;
    (void)few;
    (void)many;
    return NULL;
}
NPU__FN npu__plane_fn npu__turn_pick(int64_t unit, int64_t few, int64_t many) {
    (void)unit;
    (void)few;
    (void)many;
    return NULL;
}
#endif

/* In blocks, where the rows that a thread was given still make one. */
NPU__FN void npu__transpose(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {
    const int64_t few = NPU__MIN(rows, cols), many = NPU__MAX(rows, cols);
    npu__plane_fn turn = npu__turn_pick(p->unit, few, many);
    if (!turn && (cols == few ? p->to[0] : p->from[1]) == few * p->unit) turn = npu__few_pick(p->unit, few, many);
    (turn ? turn : npu__transpose_runs)(p, dst, src, rows, cols);
}

NPU__FN npu__plane_fn npu__plane_pick(int64_t unit, int turned) {
    if (turned) return npu__transpose;
    switch (unit) {
    case 1: return npu__plane_1;
    case 2: return npu__plane_2;
    case 4: return npu__plane_4;
    case 8: return npu__plane_8;
    case 16: return npu__plane_16;
    default: return npu__plane_runs;
    }
}

NPU__FN npu__plane_fn npu__plane_for(npu_isa isa, npu__plane_fn run, int64_t unit) {
#if NPU__HAS_X86
    if (run == npu__transpose && unit == 4 && npu__isa_includes(isa, NPU_ISA_AVX2)) return npu__transpose_4__avx2;
#endif
    (void)isa;
    (void)unit;
    return run;
}

NPU__FN int npu__turn_pays(int64_t unit, int64_t rows, int64_t cols) {
    const int64_t few = NPU__MIN(rows, cols), many = NPU__MAX(rows, cols);
    return few >= 4 || npu__turn_pick(unit, few, many) != NULL || npu__few_pick(unit, few, many) != NULL;
}

NPU__SPEED_END
