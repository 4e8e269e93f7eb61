/* Loops in plain C, which compilers turn into vectors, as one table for each instruction set that they are compiled for: resizing
 * and what else goes over neighbouring elements. Integers are those of the plainest loop, bit for bit. */
#ifndef NPU__KERNELS_LOOPS_H
#define NPU__KERNELS_LOOPS_H

#include "rows.h"
#include "vec_loop.h"
NPU__SPEED_BEGIN

/* ---- resizing ---- */

/* The two neighbours of an output row or column, and how far it lies past the lower one. */
typedef struct npu__tap {
    int32_t lo, hi;
    float   frac;
    int32_t frac_q; /* in 1/1024 */
} npu__tap;

/* Output columns that are made of a row of blended pixels: of uint8 two planes of floats (the upper row's share, the lower
 * row's), of floats their sum, of other integers one plane of int32 in 1/1024. */
typedef struct npu__resize_span {
    const npu__tap *taps;
    int32_t         columns, channels;
    int32_t         dense;    /* blended pixel 0 is column `first` of the image; else each output column has two of its own */
    int32_t         first;
    int32_t         out_step; /* elements from column to column */
} npu__resize_span;

#define NPU__RESIZE_PLANE 4096 /* elements of a plane at most */
#define NPU__RESIZE_PAD 16     /* elements behind it that may be read */

/* t[i], of uint8 also t[plane + i]: the shares of neighbouring elements of two rows. */
typedef void npu__resize_blend_code(const void *upper, const void *lower, const npu__tap *y, void *t, int32_t n, int32_t plane);
typedef void npu__resize_columns_code(const npu__resize_span *s, const void *t, int32_t plane, void *out);
typedef npu__resize_blend_code   *npu__resize_blend_fn;
typedef npu__resize_columns_code *npu__resize_columns_fn;

/* Element types, as tables of loops have them. */
enum { NPU__LOOPS_F32, NPU__LOOPS_U8, NPU__LOOPS_I8, NPU__LOOPS_I16, NPU__LOOPS_TYPES };

typedef struct npu__loops {
    const char            *name;
    npu_isa                isa;
    npu__resize_blend_fn   blend[NPU__LOOPS_TYPES];
    npu__resize_columns_fn columns[NPU__LOOPS_TYPES];
} npu__loops;

NPU__FN const npu__loops *npu__loops_select(npu_isa isa); /* never NULL */

/* ---- resize_u8.c: where they are not loops ---- */

#if NPU__HAS_X86
NPU__AVX512 NPU__NO_FUSE NPU__FN npu__resize_columns_code npu__resize_columns_u8__avx512;
NPU__AVX2_ONLY NPU__NO_FUSE NPU__FN npu__resize_columns_code npu__resize_columns_u8__avx2;
#elif NPU__HAS_WASM_SIMD
NPU__FN npu__resize_columns_code npu__resize_columns_u8__any;
#endif

NPU__SPEED_END

#endif
