/* Pools of few cells, all channels of an output pixel at once, as one table for each instruction set that the loops are compiled for. */
#ifndef NPU__KERNELS_POOL_H
#define NPU__KERNELS_POOL_H

#include "ref_quant.h"
#include "rows.h"
#include "vec_loop.h"

#define NPU__POOL_FEW 4        /* cells */
#define NPU__POOL_SOME 9       /* the most */
#define NPU__POOL_CHANNELS 256 /* of a pass at most */
#define NPU__POOL_LANES 16     /* fewer channels than these are slow, unless loose */

/* Neighbouring output pixels, whose cells lie alike. Cells that are missing are zeros, of which there are NPU__POOL_CHANNELS, or for a
 * maximum another cell again. */
typedef struct npu__pool_pass {
    const void *cells[NPU__POOL_SOME];
    void       *out;
    size_t      steps[NPU__POOL_SOME]; /* elements from a cell to that of the next pixel */
    int32_t     pixels;
    int32_t     n;     /* channels */
    int32_t     loose; /* fewer than NPU__POOL_LANES channels: elements up to those may be read, and written */
    float       inverse, lo, hi; /* floats: 1 / how many cells count */
    int32_t     q_inverse, half; /* bytes: npu__pool_inverse */
    /* Bytes are int8 after `flip`: 0x80 for uint8, which are 128 less then. q_first: what results begin with, for a sum as much more as
     * its cells are less, for a maximum -128. Bounds of a maximum are less, too. */
    int32_t     flip, q_first, q_lo, q_hi;
} npu__pool_pass;

typedef void npu__pool_code(const npu__pool_pass *p);
typedef npu__pool_code *npu__pool_fn;

/* Sums of up to nine bytes are less than 2300: (|sum| + half) * inverse >> 16 is exact, half away from zero. One cell counts as two. */
NPU__INLINE void npu__pool_inverse(npu__pool_pass *p, int32_t cells) {
    p->half = cells / 2;
    p->q_inverse = (65536 + cells - 1) / cells;
}

/* X(name, ...): the kinds of passes, each for few cells and for some. */
#define NPU__POOL_KINDS(X)                                                              \
    X(average_f32, float, float, 0, NPU__POOL_ADD, NPU__POOL_MEAN_F32)                  \
    X(average_8, uint8_t, int16_t, p->q_first, NPU__POOL_ADD_8, NPU__POOL_MEAN_Q)       \
    X(max_f32, float, float, -3.402823466e+38f, NPU__POOL_MAX, NPU__POOL_CLAMP_F32)     \
    X(max_8, uint8_t, int8_t, p->q_first, NPU__POOL_MAX_8, NPU__POOL_CLAMP_Q)

#define NPU_X(name, type, lane, first, CELL, LAST) NPU__POOL_##name,
enum { NPU__POOL_KINDS(NPU_X) NPU__POOL_KINDS_COUNT };
#undef NPU_X

typedef struct npu__pool_loops {
    const char  *name;
    npu_isa      isa;
    npu__pool_fn few[NPU__POOL_KINDS_COUNT], some[NPU__POOL_KINDS_COUNT];
} npu__pool_loops;

NPU__FN const npu__pool_loops *npu__pool_select(npu_isa isa); /* never NULL */

#endif
