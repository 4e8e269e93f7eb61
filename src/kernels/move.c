/* Planes of elements from steps to steps, and transposed in blocks. */
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

/* Blocks that are as many words of 64 bits as a word has elements: halves change places, then quarters, and so on. The targets
 * are little-endian. */
#define NPU__SWAP(i, k, shift, mask)                          \
    do {                                                      \
        const uint64_t t = ((w[i] >> (shift)) ^ w[k]) & mask; \
        w[k] ^= t;                                            \
        w[i] ^= t << (shift);                                 \
    } while (0)
#define NPU__HALVES(i, k) NPU__SWAP(i, k, 32, 0x00000000FFFFFFFFull)
#define NPU__QUARTERS(i, k) NPU__SWAP(i, k, 16, 0x0000FFFF0000FFFFull)
#define NPU__BYTES(i, k) NPU__SWAP(i, k, 8, 0x00FF00FF00FF00FFull)

NPU__INLINE void npu__turn_4(uint64_t *w) { NPU__HALVES(0, 1); }
NPU__INLINE void npu__turn_2(uint64_t *w) {
    NPU__HALVES(0, 2);
    NPU__HALVES(1, 3);
    NPU__QUARTERS(0, 1);
    NPU__QUARTERS(2, 3);
}
NPU__INLINE void npu__turn_1(uint64_t *w) {
    NPU__HALVES(0, 4);
    NPU__HALVES(1, 5);
    NPU__HALVES(2, 6);
    NPU__HALVES(3, 7);
    NPU__QUARTERS(0, 2);
    NPU__QUARTERS(1, 3);
    NPU__QUARTERS(4, 6);
    NPU__QUARTERS(5, 7);
    NPU__BYTES(0, 1);
    NPU__BYTES(2, 3);
    NPU__BYTES(4, 5);
    NPU__BYTES(6, 7);
}

#define NPU__TURN_LOAD(k) memcpy(&w[k], from + k * p->from[1], 8);
#define NPU__TURN_STORE(k) memcpy(to + k * p->to[0], &w[k], 8);
/* One tile; rows and columns are multiples of a word's elements. */
#define NPU__TRANSPOSE(bytes, words)                                                                                             \
    NPU__INLINE void npu__turn_tile_##bytes(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) { \
        for (int64_t i = 0; i < cols; i += words) {                                                                              \
            for (int64_t r = 0; r < rows; r += words) {                                                                          \
                uint64_t       w[words];                                                                                         \
                const uint8_t *from = src + i * p->from[1] + r * bytes;                                                          \
                uint8_t       *to = dst + r * p->to[0] + i * bytes;                                                              \
                NPU__ROWS_##words(NPU__TURN_LOAD)                                                                                \
                npu__turn_##bytes(w);                                                                                            \
                NPU__ROWS_##words(NPU__TURN_STORE)                                                                               \
            }                                                                                                                    \
        }                                                                                                                        \
    }                                                                                                                            \
    NPU__FN void npu__transpose_##bytes(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {     \
        const int64_t tile = 64 / bytes, r1 = rows - rows % words, i1 = cols - cols % words;                                     \
        for (int64_t r = 0; r < r1; r += tile) {                                                                                 \
            for (int64_t i = 0; i < i1; i += tile) {                                                                             \
                npu__turn_tile_##bytes(p, dst + r * p->to[0] + i * bytes, src + r * bytes + i * p->from[1],                      \
                                       NPU__MIN(r1 - r, tile), NPU__MIN(i1 - i, tile));                                          \
            }                                                                                                                    \
        }                                                                                                                        \
        npu__plane_##bytes(p, dst + i1 * bytes, src + i1 * p->from[1], r1, cols - i1);                                           \
        npu__plane_##bytes(p, dst + r1 * p->to[0], src + r1 * bytes, rows - r1, cols);                                           \
    }
NPU__TRANSPOSE(1, 8)
NPU__TRANSPOSE(2, 4)
NPU__TRANSPOSE(4, 2)
#undef NPU__TRANSPOSE
#undef NPU__TURN_STORE
#undef NPU__TURN_LOAD
#undef NPU__BYTES
#undef NPU__QUARTERS
#undef NPU__HALVES
#undef NPU__SWAP

NPU__FN npu__plane_fn npu__plane_pick(int64_t unit, int turned) {
    switch (unit) {
    case 1: return turned ? npu__transpose_1 : npu__plane_1;
    case 2: return turned ? npu__transpose_2 : npu__plane_2;
    case 4: return turned ? npu__transpose_4 : npu__plane_4;
    case 8: return turned ? npu__transpose_runs : npu__plane_8;
    case 16: return turned ? npu__transpose_runs : npu__plane_16;
    default: return turned ? npu__transpose_runs : npu__plane_runs;
    }
}

NPU__SPEED_END
