/* Where a convolution runs on the kernels of kernels.h: chosen once in prepare. Without one, the reference runs. */
#ifndef NPU__OPS_CONV_FAST_H
#define NPU__OPS_CONV_FAST_H

#include "../kernels/band.h"
#include "../kernels/im2col.h"
#include "util.h"

enum { NPU__FAST_NONE, NPU__FAST_GEMM_F32, NPU__FAST_GEMM_I8, NPU__FAST_GEMV_F32, NPU__FAST_GEMV_I8, NPU__FAST_DW_F32,
       NPU__FAST_DW_I8 };

/* How the rows of the product are found. DIRECT: pixels as they lie. INPLACE: windows in the image itself (floats, no
 * padding). BAND: windows in copied rows. GATHER: copied windows (im2col). */
enum { NPU__ROWS_DIRECT, NPU__ROWS_INPLACE, NPU__ROWS_BAND, NPU__ROWS_GATHER };

typedef struct npu__conv_fast {
    int32_t                     kind; /* NPU__FAST_... */
    const npu__gemm_f32_kernel *gemm_f32;
    const npu__gemm_i8_kernel  *gemm_i8;
    const npu__gemv_f32_kernel *gemv_f32;
    const npu__gemv_i8_kernel  *gemv_i8;
    const npu__dw_kernel       *dw;
    int32_t                     depthwise;    /* weights lie [k][n] */
    int32_t                     groups, n, k; /* columns and depth of the product of one group */
    int32_t                     rows;         /* NPU__ROWS_... */
    int32_t                     segments, run;
    int32_t                     block;        /* worked on at a time: output rows (BAND, INPLACE) or pixels */
    int32_t                     width;        /* BAND, INPLACE: pixels of a row */
    int32_t                     packed_slot, scratch_slot;
    size_t                      packed_each;  /* bytes of one group */
    size_t                      at_windows, at_adds, at_staged, at_col; /* parts of a thread's scratch */
    size_t                      scratch_each;
} npu__conv_fast;

struct npu__conv_data;

/* Decides; asks for memory. The data's geometry, kind and output stage must be there. */
NPU__FN npu_status npu__conv_fast_prepare(npu__ctx *c, struct npu__conv_data *d, int depthwise);
/* After the reference's own pack: multipliers and unpacked weights are there. */
NPU__FN void npu__conv_fast_pack(npu__ctx *c, const struct npu__conv_data *d);
NPU__FN void npu__conv_fast_eval(npu__ctx *c, const struct npu__conv_data *d);

/* conv_rows.c: memory for the rows, and the rows themselves */
typedef struct npu__conv_rows {
    const struct npu__conv_data *d;
    const uint8_t               *in;
    uint8_t                     *scratch; /* this thread's */
    npu__gemm_rows               a;       /* made by npu__conv_rows_at */
    int32_t                      m;
} npu__conv_rows;
/* `word`: bytes of a pointer where it will run. False: too large. */
NPU__FN int npu__conv_rows_plan(const struct npu__conv_data *d, npu__conv_fast *f, size_t word);
NPU__FN int64_t npu__conv_rows_count(const struct npu__conv_data *d); /* units of `block`: output rows or pixels */
NPU__FN void npu__conv_rows_start(npu__conv_rows *r);
/* Rows of units [at, at + n), n <= block, of one group. Returns how many units it took: fewer where an image ends. */
NPU__FN int32_t npu__conv_rows_at(npu__conv_rows *r, int64_t at, int32_t n, int32_t group);

/* dw_fast.c */
NPU__FN npu_status npu__dw_fast_prepare(npu__ctx *c, struct npu__conv_data *d);
NPU__FN void npu__dw_fast_pack(npu__ctx *c, const struct npu__conv_data *d, const void *w, const void *bias);
NPU__FN void npu__dw_fast_eval(npu__ctx *c, const struct npu__conv_data *d);

/* conv_fast.c, for dw_fast.c */
NPU__FN npu_status npu__conv_fast_slots(npu__ctx *c, npu__conv_fast *f, size_t packed_bytes, size_t scratch_bytes);
NPU__FN const npu__qmul *npu__conv_qmuls(const npu__ctx *c, const struct npu__conv_data *d);
NPU__FN npu__i8_out npu__conv_i8_out(const struct npu__conv_data *d);

/* conv_rows.c: are the rows of the product the input as it lies? */
NPU__FN int npu__conv_is_direct(const npu__conv_geom *g);

/* ---- gemv_fast.c: one row times weights as they lie ---- */

#define NPU__GEMV_GRAIN_MACS 100000 /* a thread's least share */
NPU__FN void npu__gemv_f32_all(npu__ctx *c, const npu__gemv_f32_kernel *kern, const float *a, const float *w,
                               const float *bias, int32_t n, int32_t k, float lo, float hi, float *out);

typedef struct npu__gemv_i8 {
    const npu__gemv_i8_kernel *kern;
    const uint8_t             *in;
    int32_t                    is_signed; /* input and weights */
    int32_t                    in_zp, w_zp;
    npu__gemv_i8_job           job;       /* w, w_stride, k and bias from the caller; the rest is filled in */
} npu__gemv_i8;
/* sums[n]; `staged` holds k int16. */
NPU__FN void npu__gemv_i8_sums(npu__ctx *c, npu__gemv_i8 *g, int32_t n, int16_t *staged, int32_t *sums);

#endif
