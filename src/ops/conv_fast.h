/* Where a convolution runs on the kernels of kernels.h: chosen once in prepare. Without one, the reference runs. */
#ifndef NPU__OPS_CONV_FAST_H
#define NPU__OPS_CONV_FAST_H

#include "../kernels/band.h"
#include "../kernels/gemv_panels.h"
#include "../kernels/im2col.h"
#include "../kernels/winograd_f32.h"
#include "sparse.h"

enum { NPU__FAST_NONE, NPU__FAST_GEMM_F32, NPU__FAST_GEMM_I8, NPU__FAST_GEMV_F32, NPU__FAST_GEMV_I8, NPU__FAST_DW_F32,
       NPU__FAST_DW_I8, NPU__FAST_WINO_F32 };

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
    const npu__wino_f32_kernel *wino;         /* WINO_F32; `groups` is NPU__WINO then, block counts tiles */
    npu__sparse                 sparse;       /* GEMM_F32: by it, where it has a kernel */
    int32_t                     depthwise;    /* the operator's weights lie [k][n], not [n][k] */
    int32_t                     channels;     /* DW: of the kernel's job */
    int32_t                     groups, n, k; /* columns and depth of the product of one group */
    int32_t                     rows;         /* NPU__ROWS_... */
    int32_t                     segments, run; /* DW: run channels at a time; of integers 0: as they lie */
    int32_t                     block;        /* worked on at a time: output rows (BAND, INPLACE) or pixels; DW: 0 or those of a copy */
    int32_t                     width;        /* BAND, INPLACE: pixels of a row; DW: of a copy's */
    int32_t                     packed_slot, scratch_slot;
    int32_t                     sums_slot;    /* HYBRID, depthwise: sums of weights, or -1. I16: what is added to sums */
    size_t                      packed_each;  /* bytes of one group */
    size_t                      at_windows, at_adds, at_staged, at_col, at_turned; /* parts of a thread's scratch */
    size_t                      scratch_each, plane_each; /* I16: plane after plane */
    size_t                      scratch_least; /* GEMM: 0 where the stack will do */
} npu__conv_fast;
NPU__INLINE int32_t npu__conv_mr(const npu__conv_fast *f, int f32) {
    if (!f32) return f->gemm_i8->mr;
    return f->sparse.kern ? NPU__SPARSE_ROWS : f->gemm_f32->mr;
}

struct npu__conv_data;

/* Decides; asks for memory. The data's geometry, kind and output stage must be there. */
NPU__FN npu_status npu__conv_fast_prepare(npu__ctx *c, struct npu__conv_data *d, int depthwise);
/* After the reference's own pack: multipliers and unpacked weights are there. */
NPU__FN void npu__conv_fast_pack(npu__ctx *c, const struct npu__conv_data *d);
NPU__FN npu_status npu__conv_fast_eval(npu__ctx *c, const struct npu__conv_data *d);

/* Work memory of a thread that may lie on its stack instead of in the arena. */
#define NPU__LOCAL_BYTES 8192
typedef struct npu__local {
    double memory[NPU__LOCAL_BYTES / sizeof(double)];
} npu__local;

/* conv_rows.c: memory for the rows, and the rows themselves */
typedef struct npu__conv_rows {
    const struct npu__conv_data *d;
    const uint8_t               *in;
    int32_t                      in_zp;
    uint8_t                     *scratch; /* this thread's */
    npu__gemm_rows               a;       /* made by npu__conv_rows_at */
    int32_t                      m;
} npu__conv_rows;
/* `word`: bytes of a pointer where it will run. False: too large. */
NPU__FN int npu__conv_rows_plan(const struct npu__conv_data *d, npu__conv_fast *f, size_t word);
/* The same with another block: 0 for the smallest there is. */
NPU__FN void npu__conv_rows_layout(const struct npu__conv_data *d, npu__conv_fast *f, int32_t block, size_t word);
/* eval: with the largest block up to the planned one whose rows fit into `bytes` of a thread. */
NPU__FN void npu__conv_rows_fit(const struct npu__conv_data *d, npu__conv_fast *f, size_t bytes);
NPU__FN int64_t npu__conv_rows_count(const struct npu__conv_data *d); /* units of `block`: output rows or pixels */
NPU__FN void npu__conv_rows_start(npu__conv_rows *r);
/* Rows of units [at, at + n), n <= block, of one group. Returns how many units it took: fewer where an image ends. */
NPU__FN int32_t npu__conv_rows_at(npu__conv_rows *r, int64_t at, int32_t n, int32_t group);

/* conv_hybrid.c: what stands around the sums of one image, where it is not the product's own output stage */
typedef struct npu__hybrid_out {
    const int32_t        *w_sums; /* of each output's weights; NULL: the zero point is not in the sums */
    npu__pack_floats      cols;
    npu__i8_floats        floats;
    npu__finish_hybrid_fn finish;
} npu__hybrid_out;
NPU__FN npu_status npu__conv_hybrid_prepare(npu__ctx *c, struct npu__conv_data *d);
NPU__FN void npu__conv_hybrid_pack(npu__ctx *c, const struct npu__conv_data *d, const int8_t *w);
NPU__FN npu_status npu__conv_hybrid_start(npu__ctx *c, const struct npu__conv_data *d);
NPU__FN npu__hybrid_out npu__conv_hybrid_out(const npu__ctx *c, const struct npu__conv_data *d, int32_t image);
/* The output stage of a product of an image's rows; of columns from `first` on, by which inputs weights and bias are. */
NPU__FN npu__i8_floats npu__conv_hybrid_floats(const npu__ctx *c, const struct npu__conv_data *d, int32_t image);
NPU__FN npu__pack_floats npu__conv_hybrid_columns(const npu__ctx *c, int32_t w, int32_t bias, int32_t first);
NPU__FN int32_t npu__conv_hybrid_zp(const npu__ctx *c, const struct npu__conv_data *d, int32_t image);
/* Sums (int32) of outputs [first, first + cols) to floats; strides in bytes. Both may be the same memory. */
NPU__FN void npu__hybrid_store(const npu__hybrid_out *o, int32_t first, int32_t cols, int32_t rows, const uint8_t *sums,
                               size_t sums_stride, uint8_t *out, size_t out_stride);
/* Sum of the weights of output n, modulo 2^32. */
NPU__FN int32_t npu__conv_weight_sum(const struct npu__conv_data *d, const int8_t *w, size_t n);
NPU__FN void npu__conv_hybrid_gemv(npu__ctx *c, const struct npu__conv_data *d);

/* conv_winograd.c. prepare: for floats without groups; sets `kind` where it is faster. */
NPU__FN npu_status npu__conv_wino_prepare(npu__ctx *c, struct npu__conv_data *d);
NPU__FN void npu__conv_wino_pack(npu__ctx *c, const struct npu__conv_data *d, const float *w, const float *bias);
NPU__FN void npu__conv_wino_eval(npu__ctx *c, const struct npu__conv_data *d);

/* dw_fast.c */
NPU__FN npu_status npu__dw_fast_prepare(npu__ctx *c, struct npu__conv_data *d);
NPU__FN void npu__dw_fast_pack(npu__ctx *c, const struct npu__conv_data *d, const void *w, const void *bias);
NPU__FN void npu__dw_fast_eval(npu__ctx *c, const struct npu__conv_data *d);

/* conv_i16.c */
typedef struct npu__conv_split {
    const int16_t *in;
    uint8_t       *planes;
    int64_t        n;
} npu__conv_split;
#define NPU__I16_LOW_ZERO 0x80 /* the low byte of 0 */
/* Rows of both planes against the weights of a group; `pixel` is the first's. */
NPU__FN void npu__conv_i16_block(const npu__ctx *c, const struct npu__conv_data *d, const npu__conv_rows *rows,
                                 const uint8_t *packed, int32_t group, size_t pixel);
NPU__FN int npu__conv_i16_fits(const struct npu__conv_data *d);
NPU__FN npu_status npu__conv_i16_prepare(npu__ctx *c, struct npu__conv_data *d);
NPU__FN void npu__conv_i16_pack(npu__ctx *c, const struct npu__conv_data *d, const int8_t *w, const void *bias);
NPU__FN void npu__conv_i16_start(npu__ctx *c, const struct npu__conv_data *d);
/* Sums of both planes, of outputs [first, first + cols), to outputs; strides in elements. */
NPU__FN void npu__i16_store(const npu__ctx *c, const struct npu__conv_data *d, int32_t first, int32_t cols, int32_t rows,
                            const int32_t *high, const int32_t *low, size_t sums_stride, int16_t *out, size_t out_stride);

/* dw_frame.c: channels to do at a time, or 0 where images are read as they lie; output rows [begin, end). */
NPU__FN int32_t npu__dw_frame_plan(const npu__conv_geom *g);
NPU__FN void npu__dw_frame_range(const struct npu__conv_data *d, const npu__dw_job *all, const uint8_t *in, int pad, const uint8_t *packed,
                                 const uint8_t **taps, int64_t begin, int64_t end, uint8_t *out);

/* dw_spread.c */
typedef struct npu__dw_spread {
    const struct npu__conv_data *d;
    const uint8_t               *in;
    size_t                       elem, out_elem, pixel; /* bytes: elements, and a pixel that the kernel reads */
    int32_t                      pad;  /* byte outside of the image */
    const uint8_t              **taps;
    uint8_t                     *copy;
    uint8_t                     *wide; /* `block` output pixels of more channels than there are */
} npu__dw_spread;
/* Chooses block and width; the channels must be there. False: too large. */
NPU__FN int npu__dw_spread_plan(const struct npu__conv_data *d, npu__conv_fast *f);
NPU__FN size_t npu__dw_spread_bytes(const struct npu__conv_data *d); /* of the copy */
/* Weights of `channels` channels, [k][channels], those that are not there of bytes `fill`. Steps of `w` as in npu__dw_i8_weights. */
NPU__FN void npu__dw_spread_weights(const struct npu__conv_data *d, const void *w, size_t step_c, size_t step_t, int32_t fill, size_t elem,
                                    uint8_t *to);
NPU__FN void npu__dw_spread_start(const npu__dw_spread *s, npu__dw_job *job); /* where the copy's taps lie */
NPU__FN void npu__dw_spread_row(const npu__dw_spread *s, npu__dw_job *job, const uint8_t *packed, int64_t row, uint8_t *out);

/* conv_fast.c, for dw_fast.c */
NPU__FN int npu__conv_is_raw(const struct npu__conv_data *d);
NPU__FN npu_status npu__conv_fast_slots(npu__ctx *c, npu__conv_fast *f, size_t packed_bytes, size_t least_bytes,
                                        size_t scratch_bytes);
NPU__FN const npu__qmul *npu__conv_qmuls(const npu__ctx *c, const struct npu__conv_data *d);
NPU__FN npu__i8_out npu__conv_i8_out(const struct npu__conv_data *d);

/* conv_rows.c: are the rows of the product the input as it lies? */
NPU__FN int npu__conv_is_direct(const npu__conv_geom *g);

/* ---- gemv_fast.c: one row times weights as they lie ---- */

#define NPU__GEMV_GRAIN_F32 20000 /* a thread's least share, MACs */
#define NPU__GEMV_GRAIN_I8 50000
NPU__FN void npu__gemv_f32_all(npu__ctx *c, const npu__gemv_f32_kernel *kern, const float *a, const float *w,
                               const float *bias, int32_t n, int32_t k, float lo, float hi, float *out);
/* By a kernel whose units stay together `each` at a time. */
NPU__FN void npu__gemv_f32_by(npu__ctx *c, npu__gemv_f32_fn run, int32_t each, const float *a, const float *w, const float *bias, int32_t n,
                              int32_t k, float lo, float hi, float *out);

typedef struct npu__gemv_i8 {
    const npu__gemv_i8_kernel *kern;
    const uint8_t             *in;
    int32_t                    is_signed; /* input and weights */
    int32_t                    in_zp, w_zp;
    const int32_t             *w_sums;    /* by npu__gemv_i8_sum_rows, or NULL */
    const npu__gemv_panels_i8_kernel *panels;  /* with w_sums and k of at most NPU__GEMV_DEPTH: job.w are its; or NULL */
    npu__gemv_i8_job           job;       /* w, w_stride, k and bias from the caller; the rest is filled in */
} npu__gemv_i8;
/* Whether the kernel's run_bytes may multiply input 1, which are constant weights: looks at each of them where that depends on them. Counts
 * as summing them up (npu__may_sum). */
NPU__FN int  npu__gemv_i8_by_bytes(npu__ctx *c, const npu__gemv_i8_kernel *kern, int32_t is_signed);
/* Of n rows of k constant weights, once, for a kernel that takes bytes. */
NPU__FN void npu__gemv_i8_sum_rows(const npu__gemv_i8_kernel *kern, const uint8_t *w, int32_t is_signed, int32_t n, int32_t k,
                                   int32_t *sums);
/* Called with the sums of units [first, first + n), some at a time. */
typedef void npu__gemv_done(const void *arg, int32_t first, int32_t n, const int32_t *sums);
#define NPU__GEMV_UNITS 256  /* at most at a time */
#define NPU__GEMV_DEPTH 1536 /* of a row, staged at a time: on the stack, so that no arena grows for it */
/* All n units over the threads; or units [n0, n1) on this one. */
NPU__FN void npu__gemv_i8_all(npu__ctx *c, const npu__gemv_i8 *g, int32_t n, npu__gemv_done *done, const void *arg);
NPU__FN void npu__gemv_i8_units(const npu__gemv_i8 *g, int32_t n0, int32_t n1, npu__gemv_done *done, const void *arg);

#endif
