/* A transposed convolution as ordinary ones. With a stride of s, output cell o = r * s + c (period r, cell c) is reached by
 * the input cells around r alone, through every s-th tap of the filter: which ones depends on c. So the cells c of a
 * period are convolutions of stride 1 with parts of the filter, and nothing is multiplied by inserted zeros. Cells
 * that read the same inputs are columns of one matrix product. */
#ifndef NPU__KERNELS_PHASES_H
#define NPU__KERNELS_PHASES_H

#include "kernels.h"
#include "ref_conv.h"
NPU__SPEED_BEGIN

/* Along an axis: neighbouring cells of a period, and the input cells [from, from + taps) that they read, counted from
 * the input cell of the period's number. */
typedef struct npu__phase {
    int32_t first, count, from, taps;
} npu__phase;

#define NPU__PHASES_MOST 4 /* along an axis */
/* How the cells of a period are put together. EQUAL: those that read the same inputs. ALL: all, where taps that a cell
 * does not have are zeros. EACH: none. */
enum { NPU__PHASES_EQUAL, NPU__PHASES_ALL, NPU__PHASES_EACH };

/* The phases of an axis of `out` cells; 0: more than NPU__PHASES_MOST. */
NPU__FN int32_t npu__phases_of(int32_t mode, int32_t filter, int32_t stride, int32_t pad, int32_t out, npu__phase *phases);

/* What packing one part takes: the cells y times x. Column ((cy * x->count) + cx) * out_c + oc of the product. */
typedef struct npu__phase_part {
    const npu__conv_geom *g; /* the transposed convolution's */
    const npu__phase     *y, *x;
    const uint8_t        *w; /* [out_c, k_h, k_w, in_c] */
    size_t                elem_bytes;
} npu__phase_part;

NPU__INLINE int32_t npu__phase_columns(const npu__phase_part *p) { return p->y->count * p->x->count * p->g->out_c; }
/* The in_c weights that column `column` has for tap (segment, piece) of its window; NULL: zeros. */
NPU__FN const uint8_t *npu__phase_tap(const void *part, int32_t column, int32_t segment, int32_t piece);
NPU__FN void npu__phase_pack_f32(const npu__gemm_f32_kernel *kern, const npu__phase_part *p, const float *bias,
                                 float *packed);
/* int8 as rows of k, for products of a row. */
NPU__FN void npu__phase_pack_rows(const npu__phase_part *p, int8_t *rows);

NPU__SPEED_END

#endif
