/* Fast loops over quantized bytes: sums, products and tables. One row per instruction set.
 *
 * The reference rescales and rounds several times. But there are only 256 x 256 pairs of bytes, and one multiplication of enough
 * bits gives the same results for all of them, or nearly always so: npu__bytes_sum_of and npu__bytes_product_of find its factors
 * and prove it, or say that they cannot. */
#ifndef NPU__KERNELS_BYTES_H
#define NPU__KERNELS_BYTES_H

#include "pointwise.h"
NPU__SPEED_BEGIN

/* How a sum or a product is computed. Bytes are read as int8: those of uint8 flipped by 0x80 first, and the results back again.
 *
 * Sums: hi = a * hi[0] + b * hi[1] + c_hi, lo = the same of the lower bits, 16 bits further down: together a number of more than 32.
 * `away`: halves are rounded away from zero, then lo is one less where hi is negative, and `round` is added to hi at last.
 * Products: of e = (a + offset[0]) * (b + offset[1]), hi = e * hi[0] + c_hi + (e < 0 ? round : 0), lo = e * lo[0] + c_lo, 15 bits
 * further down. The result is the sum, shifted to the right. `by_floats`: it is e * scale + (e < 0 ? below : above), rounded to the
 * nearest integer (once before, as a multiply-add does it), as well; for instruction sets to which this is less work. */
typedef struct npu__bytes_job {
    int32_t hi[2], lo[2], c_hi, c_lo;
    int32_t away, round, offset[2];
    int32_t shift; /* of products; that of sums is NPU__BYTES_SHIFT */
    int32_t by_floats;
    float   scale, above, below;
    int32_t flip, zero_point, least, most; /* as in npu__i8_out; of sums the zero point is in c_hi or round */
} npu__bytes_job;

#define NPU__BYTES_SHIFT 12    /* of sums: below their unit, in hi */
#define NPU__BYTES_SUM_LO 16   /* from lo to hi */
#define NPU__BYTES_MUL_LO 15

/* Do the factors exist for which all results are those of npu__sum8_job? */
NPU__FN int npu__bytes_sum_of(const npu__sum8_job *exact, npu__bytes_job *job);
NPU__FN int npu__bytes_product_of(const npu__sum8_job *exact, npu__bytes_job *job);

/* Steps are 1 or 0; `out` may be an input of step 1. */
typedef void npu__bytes_code(const npu__bytes_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t n, int32_t step_a,
                             int32_t step_b);
typedef npu__bytes_code *npu__bytes_fn;
typedef void npu__bytes_table_code(const uint8_t *table, const uint8_t *in, uint8_t *out, int64_t n); /* out[i] = table[in[i]] */
/* out[i] = scale * (in[i] - zero_point) */
typedef void npu__bytes_real_code(const uint8_t *in, float *out, int64_t n, int32_t is_signed, float scale, int32_t zero_point);
NPU__FN npu__bytes_table_code npu__bytes_table; /* in plain C */
#if NPU__HAS_X86 /* bytes_avx512.c */
NPU__FN npu__bytes_code       npu__bytes_sum__avx512, npu__bytes_product__avx512;
NPU__FN npu__bytes_table_code npu__bytes_table__avx512, npu__bytes_table__vbmi;
NPU__FN npu__bytes_real_code  npu__bytes_real__avx512;
#endif

/* A line, or one below the knee and another from there on. Of x, the input's byte as int8, it is
 * mul(mul(256 * x + low, factor) + add, last), where mul(a, b) is a * b / 2^15 rounded, halves up, and sums end at an int16's bounds. */
typedef struct npu__bytes_side {
    int32_t low;               /* 0 to 255 */
    int32_t factor, add, last; /* int16 */
} npu__bytes_side;
typedef struct npu__bytes_line {
    npu__bytes_side side[2]; /* below and above; only the first where nothing is bent */
    int32_t         is_bent, knee;
    int32_t         flip_in, flip_out, least, most;
} npu__bytes_line;
typedef void npu__bytes_line_code(const npu__bytes_line *job, const uint8_t *in, uint8_t *out, int64_t n);
/* Is the table that? The knee, if there is one, is at zero_point, the input's. */
NPU__FN int npu__bytes_line_of(const uint8_t *table, int in_signed, int out_signed, int32_t zero_point, npu__bytes_line *l);

typedef struct npu__bytes {
    const char   *name;
    npu_isa       isa;
    npu__bytes_fn sum, product;
    npu__bytes_table_code *table;
    npu__bytes_real_code  *real; /* NULL: none */
    npu__bytes_line_code *line; /* NULL: tables are as fast */
} npu__bytes;

/* A function of a byte: its table, by the input's byte, or where that is faster the line that it is. */
typedef struct npu__bytes_map {
    union {
        uint8_t         table[256];
        npu__bytes_line line;
    } as;
    int32_t is_line;
} npu__bytes_map;
/* For a table that is filled. */
NPU__FN void npu__bytes_map_make(const npu__bytes *kern, int in_signed, int out_signed, int32_t zero_point, npu__bytes_map *map);
NPU__INLINE void npu__bytes_map_run(const npu__bytes *kern, const npu__bytes_map *map, const uint8_t *in, uint8_t *out, int64_t n) {
    if (map->is_line) kern->line(&map->as.line, in, out, n);
    else kern->table(map->as.table, in, out, n);
}

NPU__FN const npu__bytes *npu__bytes_select(npu_isa isa); /* always one: without sum and product where nothing is fast */

/* X(name, isa, sum, product, table, real, line) */
#define NPU__BYTES_KERNELS(X)                                                                                                                \
    NPU__X86_ROW(X, "bytes.vbmi", AVX512VBMI, npu__bytes_sum__avx512, npu__bytes_product__avx512, npu__bytes_table__vbmi,                    \
                 npu__bytes_real__avx512, NULL)                                                                                              \
    NPU__X86_ROW(X, "bytes.avx512", AVX512, npu__bytes_sum__avx512, npu__bytes_product__avx512, npu__bytes_table__avx512,                    \
                 npu__bytes_real__avx512, npu__bytes_line__avx2)                                                                                              \
    NPU__X86_ROW(X, "bytes.avx2", AVX2, npu__bytes_sum__avx2, npu__bytes_product__avx2, npu__bytes_table__avx2,                              \
                 npu__bytes_real__avx2, npu__bytes_line__avx2)                                                                                                \
    NPU__X86_ROW(X, "bytes.sse4.1", SSE41, NULL, NULL, npu__bytes_table, NULL, npu__bytes_line__v128)                                        \
    NPU__NEON64_ROW(X, "bytes.neon", NEON, npu__bytes_sum__neon, npu__bytes_product__neon, npu__bytes_table__neon, NULL, NULL)               \
    NPU__WASM_ROW(X, "bytes.wasm", WASM_SIMD, npu__bytes_sum__wasm, npu__bytes_product__wasm, npu__bytes_table, NULL, npu__bytes_line__v128) \
    X("table", SCALAR, NULL, NULL, npu__bytes_table, NULL, NULL)

NPU__SPEED_END

#endif
