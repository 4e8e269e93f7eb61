/* Matrix times vector with int4 weights whose blocks of the depth have scales of their own, from panels of 32 units. */
#ifndef NPU__KERNELS_BLOCKS_I4_H
#define NPU__KERNELS_BLOCKS_I4_H

#include "rows.h"
#include "../base/base.h"

#define NPU__BLOCKS_I4_UNITS 32
#define NPU__BLOCKS_I4_MOST 4088 /* of a block: its sum fits int16, and 16 times its products int32 */

/* A panel: for each block float scale[32] and int16 sum[32], then for eight neighbours of the depth 128 bytes: four a unit, each with one of
 * the first four weights in its lower half, 8 more than it is, and one of the last four in the upper one. There a weight is 16 times
 * itself: so scales are a 16th. */
#define NPU__BLOCKS_I4_HEAD (NPU__BLOCKS_I4_UNITS * 6)

NPU__INLINE size_t npu__blocks_i4_block_bytes(int32_t block) { return NPU__BLOCKS_I4_HEAD + NPU__BLOCKS_I4_UNITS * ((size_t)block / 2); }

/* A row of activations times panels. Unit u of a panel: the sum over blocks of dot(a - a_zero, w) * scale, exact but for the sum. */
typedef struct npu__blocks_i4_job {
    const uint8_t *a; /* depth bytes: int8 with 128 added */
    const int32_t *a_sums; /* a block's: npu__blocks_i4_sums */
    int32_t        depth, block, a_zero; /* that of int8 */
    const uint8_t *packed;
} npu__blocks_i4_job;
typedef void npu__blocks_i4_code(const npu__blocks_i4_job *job, int32_t panel, float *out); /* 32 floats */
typedef npu__blocks_i4_code *npu__blocks_i4_fn;

/* ROWS of them, depth bytes apart, whose a_sums and a_zero do not count, with what makes outputs of those sums: sum * scale + bias. */
#define NPU__BLOCKS_I4_ROWS 4
typedef struct npu__blocks_i4_group {
    int32_t      zero[NPU__BLOCKS_I4_ROWS];
    float        scale[NPU__BLOCKS_I4_ROWS];
    const float *bias; /* of the panel's units, or NULL */
    size_t       out_stride;
} npu__blocks_i4_group;
typedef void npu__blocks_i4_rows_code(const npu__blocks_i4_job *job, const npu__blocks_i4_group *rows, int32_t panel, int32_t units, float *out);
typedef npu__blocks_i4_rows_code *npu__blocks_i4_rows_fn;

typedef struct npu__blocks_i4_kernel {
    const char            *name;
    npu_isa                isa;
    npu__blocks_i4_fn      run;
    npu__blocks_i4_rows_fn run_rows;
} npu__blocks_i4_kernel;
NPU__FN const npu__blocks_i4_kernel *npu__blocks_i4_select(npu_isa isa); /* NULL: none */

/* Blocks are a multiple of 8 and at most MOST, the depth is one of them. */
NPU__FN int npu__blocks_i4_bytes(int32_t units, int32_t depth, int32_t block, size_t *bytes);
/* w: rows of depth nibbles, the lower one first; scale: units rows of float16, one a block. */
NPU__FN void npu__blocks_i4_pack(const uint8_t *w, const uint16_t *scale, int32_t units, int32_t depth, int32_t block, uint8_t *packed);

/* For each block what its weights of lower halves, which are read as 8 more than they are, have too much: 128 times the sum of their a. */
NPU__FN void npu__blocks_i4_sums(const uint8_t *a, int32_t depth, int32_t block, int32_t *sums);

#define NPU__BLOCKS_I4_KERNELS(X)                                                                             \
    NPU__X86_ROW(X, "blocks_i4.vnni", AVX512VNNI, npu__blocks_i4__vnni, npu__blocks_i4_rows__vnni)            \
    NPU__X86_ROW(X, "blocks_i4.avx2", AVX2, npu__blocks_i4__avx2, npu__blocks_i4_rows__avx2)

#endif
