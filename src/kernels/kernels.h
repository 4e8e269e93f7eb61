/* Fast kernels: pure functions over pointers. One row per kernel and instruction set; selection, the unit test and
 * the benchmark all read the rows (NPU__..._KERNELS below).
 *
 * GEMM   out[m][n] = a[m][k] * w[n][k] + bias[n]. Weights are packed once into panels of `nr` columns; a panel holds
 *        what its columns' output stage needs, then the weights, `kr` consecutive k of each column together. A row's
 *        `run` computes all rows of `a` against one panel; npu__gemm_*_run walks the panels.
 * GEMV   the same for m = 1, from weights as they lie in the file (n rows of k).
 * DW     depthwise convolution: for each output pixel a list of pointers to the input pixels under the window.
 *
 * Integers: accumulation is exact modulo 2^32, then scaled as base/fixed.h says, so every row gives the same bytes.
 * Floats: |error| <= (k + 2) * 2^-24 * (sum |a * w| + |bias|); an output does not depend on how m and n are split. */
#ifndef NPU__KERNELS_KERNELS_H
#define NPU__KERNELS_KERNELS_H

#include "blocks_i4.h"
#include "ref_quant.h"
#include "rows.h"
NPU__SPEED_BEGIN

/* A kernel's type stands twice: npu__x_code is the function, of which select.c makes declarations, npu__x_fn points to one. */

/* ---- what integer outputs have in common ---- */

/* Float outputs of inputs quantized on the fly, row by row or image by image: x = sum - zero_point * (sum of the weights), then
 * x * (w_scale * scale), or x * w_scale * scale where the input's scale comes `last`, then + bias and the bounds: the orders of
 * ref_fully_connected.c and ref_conv.c, whose bits these are. */
typedef struct npu__i8_floats {
    const int32_t *zero_point; /* both of row r at [r * step] */
    const float   *scale;
    int32_t        step, last;
    float          lo, hi;
} npu__i8_floats;

/* Zero point and bounds are those of the output as int8: uint8 outputs are shifted by 128 and flipped back by `flip`
 * (0x80) when stored. See npu__i8_out_of. */
typedef struct npu__i8_out {
    int32_t zero_point, lo, hi, flip;
    int32_t raw; /* GEMM and DW: no output stage, the sums themselves are stored, as int32. GEMM stores whole panels */
    const npu__i8_floats *floats; /* GEMM, of panels with npu__pack_floats: outputs are these; or NULL */
} npu__i8_out;

NPU__INLINE npu__i8_out npu__i8_out_of(int is_signed, int32_t zero_point, int32_t lo, int32_t hi) {
    npu__i8_out o;
    int32_t     shift = is_signed ? 0 : 128;
    o.zero_point = zero_point - shift;
    o.lo = lo - shift;
    o.hi = hi - shift;
    o.flip = is_signed ? 0 : 0x80;
    o.raw = 0;
    o.floats = NULL;
    return o;
}

/* One accumulator to an output byte: what every integer kernel does, here for the columns that fill no vector. */
NPU__INLINE uint8_t npu__i8_finish(uint32_t acc, npu__qmul q, const npu__i8_out *o) {
    int64_t v = (int64_t)npu__qmul_apply((int32_t)acc, q) + o->zero_point;
    v = v < o->lo ? o->lo : v > o->hi ? o->hi : v;
    return (uint8_t)((uint32_t)v ^ (uint32_t)o->flip);
}

NPU__INLINE uint8_t npu__i8_finish_real(int32_t sum, double scale, const npu__i8_out *o) {
    double  v = (double)sum * scale, rest;
    int32_t whole;
    v = v < -1e9 ? -1e9 : v > 1e9 ? 1e9 : v;
    whole = (int32_t)v;
    rest = v - (double)whole;
    whole += (rest >= 0.5) - (rest <= -0.5); /* no choice between floats: V8 jumps there */
    return (uint8_t)((uint32_t)npu__clamp32(whole + o->zero_point, o->lo, o->hi) ^ (uint32_t)o->flip);
}

/* ---- staging: input in the form an integer kernel reads ---- */

/* NPU__A_I16: the values widened, minus `subtract`. NPU__A_U8, NPU__A_S8: bytes of that signedness, by adding or
 * subtracting 128 where the input has the other one (subtract is 0). */
enum { NPU__A_I16 = 0, NPU__A_U8 = 1, NPU__A_S8 = 2 };
typedef void npu__stage_code(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract);
typedef npu__stage_code *npu__stage_fn;
/* Sum of n staged values. */
typedef int32_t npu__sum_code(const void *staged, int32_t n);
typedef npu__sum_code *npu__sum_fn;
/* pack.c: n bytes, each as v ^ 0x80 where `flip` says so; src and dst may be the same. */
NPU__FN void npu__stage_bytes(const uint8_t *src, uint8_t *dst, int32_t n, int flip);
/* The sum of int8 v ^ flip, modulo 2^32. */
NPU__FN uint32_t npu__sum_bytes(const uint8_t *p, int32_t n, uint8_t flip);
NPU__FN uint32_t npu__sum_signed(const uint8_t *p, int32_t n, uint8_t flip);

/* ---- left matrices ---- */

/* Row r starts at rows[r] or, where rows is NULL, at a + r * stride. Its elements lie in `segments` runs of `run`;
 * run s starts offsets[s] elements further. So a window over an image is a row without being copied into one. */
typedef struct npu__gemm_rows {
    const uint8_t        *a;
    size_t                stride;  /* bytes */
    const uint8_t *const *rows;
    const size_t         *offsets; /* elements */
    int32_t               segments, run;
} npu__gemm_rows;

NPU__INLINE const uint8_t *npu__gemm_row(const npu__gemm_rows *a, int32_t r) {
    return a->rows ? a->rows[r] : a->a + (size_t)r * a->stride;
}
/* Rows that lie in one piece. */
NPU__FN npu__gemm_rows npu__gemm_rows_of(const void *a, size_t stride_bytes, int32_t k);

/* ---- int8 GEMM ---- */

/* How packed weights hold the two shifts of the output stage: as they are, or as 1 << left and 1 << (31 - right). FOLD_...: the
 * same, but where all channels of a panel, or of a group of depthwise units (dw_groups.h), have shifts for it, headers are folded (pack.h):
 * the output stage is simpler. Two lines of FOLD_PAIRS are in the order 0, 2, 1, 3. */
enum { NPU__SHIFT_COUNTS = 0, NPU__SHIFT_POWERS = 1, NPU__SHIFT_FOLD_COUNTS = 2, NPU__SHIFT_FOLD_POWERS = 3, NPU__SHIFT_FOLD_PAIRS = 6 };
/* The order of a panel's columns: theirs; quads 1 and 2 of sixteen exchanged, in panels of more than 8; eights 1 and 2 of 32, in
 * panels of more than 16 that have no floats in their headers; the same, and panels of up to 8 hold eight of k for each of eight columns
 * at a time. */
enum { NPU__COLS_IN_ORDER = 0, NPU__COLS_HALVES = 1, NPU__COLS_EIGHTS = 2, NPU__COLS_EIGHTS_FEW = 3, NPU__COLS_FEW = 8 };

typedef struct npu__gemm_i8_job {
    npu__gemm_rows a;          /* staged; run is a multiple of kr */
    int32_t        m;
    const int32_t *row_add;    /* m entries, added to every accumulator of the row */
    size_t         out_stride; /* bytes */
    npu__i8_out    out;
} npu__gemm_i8_job;
typedef void npu__gemm_i8_code(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out);
typedef npu__gemm_i8_code *npu__gemm_i8_fn;

/* npu__i8_floats of up to eight columns and rows [row, row + rows). Strides in bytes; `out` may be where the sums are. */
typedef struct npu__hybrid_cols {
    int32_t w_sum[8];
    float   scale[8], bias[8];
} npu__hybrid_cols;
typedef void npu__finish_hybrid_code(const npu__hybrid_cols *k, const npu__i8_floats *f, int32_t cols, int32_t row, int32_t rows,
                                     const uint8_t *sums, size_t sums_stride, uint8_t *out, size_t out_stride);
typedef npu__finish_hybrid_code *npu__finish_hybrid_fn;

/* sums[r] = the sum of row r's segments, the first `run` elements of each. */
typedef void npu__row_sums_code(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums);
typedef npu__row_sums_code *npu__row_sums_fn;

typedef struct npu__gemm_i8_kernel {
    const char     *name;
    npu_isa         isa;
    int32_t         mr, nr, kr;
    int32_t         a_kind;     /* NPU__A_... */
    int32_t         order;      /* NPU__COLS_... */
    int32_t         shifts;     /* NPU__SHIFT_... */
    npu__stage_fn   stage;
    npu__sum_fn     sum;
    npu__row_sums_fn row_sums;  /* NULL: sum for each segment */
    npu__finish_hybrid_fn floats; /* makes float outputs of sums, for kernels that have no such output stage; NULL: this one has */
    npu__gemm_i8_fn run;
} npu__gemm_i8_kernel;
/* i8_floats.c: float outputs by way of sums. */
NPU__FN void npu__gemm_i8_floats_by(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                    uint8_t *out);

/* Weights to pack: int8 or uint8 at w[n * stride_n + k * stride_k]; k runs over `segments` times `run`, and each run
 * is padded to a multiple of kr. */
typedef struct npu__gemm_i8_weights {
    const uint8_t   *w;
    size_t           stride_n, stride_k;
    int32_t          segments, run;
    int32_t          w_signed, w_zero_point;
    int32_t          a_signed, a_zero_point;
    const int32_t   *bias;      /* n entries or NULL */
    const npu__qmul *qmul;
    int32_t          qmul_step; /* 1: one for each column, 0: one for all */
} npu__gemm_i8_weights;

NPU__FN const npu__gemm_i8_kernel *npu__gemm_i8_select(npu_isa isa); /* NULL: none for this one */
NPU__INLINE int32_t npu__gemm_i8_run_of(const npu__gemm_i8_kernel *kern, int32_t run) { /* padded */
    return (run + kern->kr - 1) / kern->kr * kern->kr;
}
NPU__INLINE size_t npu__gemm_i8_elem_bytes(const npu__gemm_i8_kernel *kern) {
    return kern->a_kind == NPU__A_I16 ? 2 : 1;
}
/* The staged value that stands for a real 0: what fills elements outside an image. */
NPU__FN int32_t npu__gemm_i8_staged_zero(const npu__gemm_i8_kernel *kern, int32_t a_signed, int32_t a_zero_point);
NPU__FN int  npu__gemm_i8_packed_bytes(const npu__gemm_i8_kernel *kern, int32_t n, int32_t segments, int32_t run,
                                       size_t *bytes);
NPU__FN void npu__gemm_i8_pack(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                               uint8_t *packed);
/* Weights that are no matrix in memory: `at` finds the `piece` neighbours from (segment, number * piece) on, NULL stands
 * for zeros; w, stride_n and stride_k are not used. Biases and multipliers repeat after `channels` columns. */
typedef struct npu__pack_by {
    const uint8_t *(*at)(const void *arg, int32_t column, int32_t segment, int32_t number);
    const void      *arg;
    int32_t          piece, channels;
} npu__pack_by;
/* What panels of float outputs have in their headers instead of multipliers and shifts: biases, scales, and the sums of the weights,
 * each of column j at [j * step], repeated as above. Scales, which are above 0, stand where others have the sign of folding. */
typedef struct npu__pack_floats {
    const float *scale, *bias; /* bias: step is 1, or NULL */
    int32_t      step;
} npu__pack_floats;
NPU__FN void npu__gemm_i8_pack_by(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                                  const npu__pack_by *by, const npu__pack_floats *floats, uint8_t *packed);
NPU__FN void npu__gemm_i8_pack_floats(const npu__gemm_i8_kernel *kern, int32_t n, const npu__gemm_i8_weights *w,
                                      const npu__pack_floats *floats, uint8_t *packed);
/* Packed weights are bytes around 0; the rest of w - zero_point, this, is made up for by rows: row_add is it times
 * the sum of the row. */
NPU__FN int32_t npu__gemm_i8_delta(int32_t w_signed, int32_t w_zero_point);
NPU__FN void npu__gemm_i8_row_adds(const npu__gemm_i8_kernel *kern, const npu__gemm_rows *a, int32_t m, int32_t run,
                                   int32_t delta, int32_t *row_add); /* run: not padded */
/* Stages `rows` rows of k bytes that follow each other in `src`, each padded to `run` elements. */
NPU__FN void npu__gemm_i8_stage(const npu__gemm_i8_kernel *kern, const uint8_t *src, int32_t rows, int32_t k,
                                int32_t run, int32_t is_signed, void *dst);
NPU__FN void npu__gemm_i8_run(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_job *job, const uint8_t *packed,
                              int32_t n, uint8_t *out);

/* ---- int8 GEMV: sums, and the output stages that follow them ---- */

/* What run_bytes multiplies weights with: bytes with their upper bit flipped, of the other signedness so; or as they are, of signed ones;
 * likewise, and no weight is -128. */
enum { NPU__BYTES_NONE = 0, NPU__BYTES_FLIPPED = 1, NPU__BYTES_SIGNED = 2, NPU__BYTES_NARROW = 3 };

typedef struct npu__gemv_i8_job {
    const int16_t *a;        /* staged, NPU__A_I16, zero point subtracted */
    const uint8_t *bytes;    /* run_bytes reads these instead, NPU__BYTES_... of a, ... */
    int32_t        a_zero;   /* ... with this zero point, ... */
    const int32_t *w_sums;   /* ... which takes a_zero * w_sums[0..n) off, the sums of the rows of weights; or NULL: nothing */
    const uint8_t *w;        /* n rows of k bytes */
    size_t         w_stride; /* bytes from row to row */
    int32_t        k, w_signed;
    int32_t        add;      /* -w_zero_point * sum(a) */
    const int32_t *bias;     /* n entries or NULL */
} npu__gemv_i8_job;
/* Rows of so many weights are taken one after the other: what comes from far away comes fastest as one stream. Shorter ones share the
 * loads of a. */
#define NPU__GEMV_LONG_ROW 1024
/* What unit n's products of bytes come to. */
NPU__INLINE int32_t npu__gemv_i8_sum_of(const npu__gemv_i8_job *job, int32_t n, uint32_t acc) {
    acc += (uint32_t)job->add;
    if (job->w_sums) acc -= (uint32_t)job->a_zero * (uint32_t)job->w_sums[n];
    return (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n] : 0u));
}
/* A row that is shorter than a vector. */
NPU__INLINE uint32_t npu__gemv_i8_short(const npu__gemv_i8_job *job, const uint8_t *w) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < job->k; i++) sum += (uint32_t)(job->a[i] * (job->w_signed ? (int32_t)(int8_t)w[i] : (int32_t)w[i]));
    return sum;
}
/* sums[n0..n1) */
typedef void npu__gemv_i8_code(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums);
typedef npu__gemv_i8_code *npu__gemv_i8_fn;

/* Fixed-point stage, as in npu__i8_finish. step 1: one multiplier for each sum, 0: one for all. */
typedef void npu__finish_fixed_code(const int32_t *sums, int32_t n, const npu__qmul *q, int32_t step,
                                    const npu__i8_out *out_stage, uint8_t *out);
typedef npu__finish_fixed_code *npu__finish_fixed_fn;
/* Real stage: round(sum * scale), half away from zero, in double. */
typedef void npu__finish_real_code(const int32_t *sums, int32_t n, const double *scale, int32_t step,
                                   const npu__i8_out *out_stage, uint8_t *out);
typedef npu__finish_real_code *npu__finish_real_fn;

/* Float outputs of inputs quantized on the fly: bias + sum * (row_scale * scale). bias may be NULL. */
typedef void npu__finish_float_code(const int32_t *sums, int32_t n, float row_scale, const float *scale,
                                    int32_t step, const float *bias, float *out);
typedef npu__finish_float_code *npu__finish_float_fn;

/* Weights with a scale for each `block` neighbours: out[u] = sum over blocks b of dot(u, b) * scale[b * n + u], for `some` of n units.
 * The job's k is the whole depth, its bias and add are not used. */
typedef void npu__gemv_blocks_code(const npu__gemv_i8_job *job, int32_t block, const float *scale, int32_t n, int32_t some, float *out);
typedef npu__gemv_blocks_code *npu__gemv_blocks_fn;

typedef struct npu__gemv_i8_kernel {
    const char          *name;
    npu_isa              isa;
    npu__stage_fn        stage;
    npu__sum_fn          sum;
    npu__gemv_i8_fn      run;
    npu__finish_fixed_fn finish_fixed;
    npu__finish_real_fn  finish_real;
    npu__finish_float_fn finish_float;
    npu__finish_hybrid_fn finish_hybrid;
    npu__gemv_blocks_fn  blocks; /* NULL: a product for each block */
    int32_t              bytes;  /* NPU__BYTES_...: are there the next two? Faster, for who knows the sums of the weights' rows */
    npu__stage_fn        stage_bytes;
    npu__gemv_i8_fn      run_bytes;
    npu__minmax_fn       minmax;   /* the loops of npu__quantize_rows_by */
    npu__quantize_fn     quantize;
} npu__gemv_i8_kernel;
NPU__FN const npu__gemv_i8_kernel *npu__gemv_i8_select(npu_isa isa);
/* Of weights of that signedness? NPU__BYTES_NARROW depends on what they are as well. */
NPU__INLINE int npu__gemv_i8_takes_bytes(const npu__gemv_i8_kernel *kern, int is_signed) {
    return kern->bytes == NPU__BYTES_FLIPPED || (kern->bytes != NPU__BYTES_NONE && is_signed);
}

/* ---- f32 GEMM and GEMV ---- */

typedef struct npu__gemm_f32_job {
    npu__gemm_rows a;
    size_t         out_stride; /* elements */
    int32_t        m;
    float          lo, hi;
} npu__gemm_f32_job;
/* Of a panel: what sums start from, and the weights of the first k; those of the next are `step` elements further. */
typedef struct npu__gemm_f32_panel {
    const float *first, *w;
    size_t       step;
    const float *next; /* the panel that is taken next, where asking for it early pays; NULL: it does not */
} npu__gemm_f32_panel;
typedef void npu__gemm_f32_code(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, int32_t cols, float *out);
typedef npu__gemm_f32_code *npu__gemm_f32_fn;

typedef struct npu__gemm_f32_kernel {
    const char      *name;
    npu_isa          isa;
    int32_t          mr, nr, unit;
    npu__gemm_f32_fn run;
    int32_t          by_column; /* a panel's weights lie column after column, the k of each together */
} npu__gemm_f32_kernel;
NPU__FN const npu__gemm_f32_kernel *npu__gemm_f32_select(npu_isa isa);
/* For so few columns that they would leave most of such a panel empty, and runs of that length: dot products. NULL: nothing better. */
NPU__FN const npu__gemm_f32_kernel *npu__gemm_f32_narrow(npu_isa isa, int32_t n, int32_t run);
/* Columns of the next panel, of `left`: a multiple of `unit`, at most nr; what is left for two panels is halved. */
NPU__FN int32_t npu__gemm_f32_width(const npu__gemm_f32_kernel *kern, int32_t left);
NPU__FN int  npu__gemm_f32_packed_bytes(const npu__gemm_f32_kernel *kern, int32_t n, int32_t k, size_t *bytes);
NPU__FN void npu__gemm_f32_pack(const npu__gemm_f32_kernel *kern, int32_t n, int32_t k, const float *w,
                                size_t stride_n, size_t stride_k, const float *bias, float *packed);
NPU__FN void npu__gemm_f32_run(const npu__gemm_f32_kernel *kern, const npu__gemm_f32_job *job, const float *packed,
                               int32_t n, float *out);
/* Weights as they lie, w[k * step + n], where rows are too few to pack them for: only the columns that fill no panel are packed. */
NPU__FN void npu__gemm_f32_run_flat(const npu__gemm_f32_kernel *kern, const npu__gemm_f32_job *job, const float *w, size_t step,
                                    const float *packed, int32_t n, float *out);

typedef struct npu__gemv_f32_job {
    const float *a, *w, *bias; /* w: n rows of k; bias may be NULL */
    int32_t      k;
    float        lo, hi;
} npu__gemv_f32_job;
typedef void npu__gemv_f32_code(const npu__gemv_f32_job *job, int32_t n0, int32_t n1, float *out); /* out[n0..n1) */
typedef npu__gemv_f32_code *npu__gemv_f32_fn;

typedef struct npu__gemv_f32_kernel {
    const char      *name;
    npu_isa          isa;
    npu__gemv_f32_fn run;
} npu__gemv_f32_kernel;
NPU__FN const npu__gemv_f32_kernel *npu__gemv_f32_select(npu_isa isa);

/* ---- depthwise ---- */

#define NPU__DW_UNIT 8 /* channels packed together, where a row does not say more; fewer channels are not for these kernels */

/* Unit u covers `unit` channels from here; the last one overlaps its neighbour where their number is no multiple of it. */
NPU__INLINE int32_t npu__dw_unit_start(int32_t unit, int32_t u, int32_t channels) {
    return NPU__MIN(u * unit, channels - unit);
}

typedef struct npu__dw_job {
    const uint8_t *const *taps; /* i8: of pixel 0: pointers to channel 0 of an input pixel, or to a pixel of padding.
                                 * Their number is rounded up to even, the extra one valid too */
    int32_t               n_taps;
    int32_t               taps_step;  /* i8: pointers from pixel to pixel: 0 where all move on together ... */
    size_t                in_step;    /* ... by this many bytes */
    const uint8_t        *in;         /* f32: pixel 0's first tap; all pixels use the same rectangle of the window ... */
    size_t                line_step, col_step; /* ... bytes between its taps' input pixels ... */
    int32_t               lines, cols, first, k_w; /* ... its size, or 0, and first tap's number; taps of a whole line */
    int32_t               width, before; /* f32: not 0, and there are lines: `in` is column 0 of so many, where pixel 0's window begins
                                          * `before` it, and cols is k_w */
    int32_t               lead, trail;   /* ... columns of a tile that lie outside: a kernel's own */
    int32_t               pixels, channels;
    size_t                out_stride; /* bytes from pixel to pixel */
    int32_t               is_signed;  /* i8: the input's bytes */
    int32_t               w_rest;     /* four taps together: npu__dw_i8_rest */
    npu__i8_out           out;
    float                 lo, hi;
} npu__dw_job;
/* Do neighbouring pixels share columns of a window of side x side? 1 or 2: how many columns lie between them. 0: no. */
NPU__INLINE int npu__dw_columns(const npu__dw_job *job, int32_t side) {
    int one = 1, two = 1;
    if (job->n_taps != side * side || job->taps_step || job->pixels < 2) return 0;
    for (int32_t t = 0; t < side * side; t++) {
        const int32_t         col = t % side;
        const uint8_t *const *tap = job->taps + t;
        if (col >= 1) one &= tap[0] == tap[-1] + job->in_step;
        if (col >= 2) two &= tap[0] == tap[-2] + job->in_step;
    }
    return one ? 1 : two ? 2 : 0;
}
/* May a job of floats be a whole row, with a width? Windows of `k` columns `stride` apart reach `before` over the left end of the line,
 * and at most half of them over either. */
NPU__INLINE int npu__dw_f32_takes_rows(int32_t k, int32_t stride, int32_t before, int32_t width, int32_t pixels) {
    if (pixels < 4 || before > k / 2 || (pixels - 1) * (int64_t)stride + k - before - width > k / 2) return 0;
    return k == 3 ? stride == 1 || stride == 2 : k == 5 && stride == 1;
}
/* Of a job of floats, what a tile of whole lines needs: copied, as stores might change the job. first: floats behind the bias. */
typedef struct npu__dw_lines {
    size_t  in_step, col_step, line_step, out_stride, first;
    int32_t lines, lead, trail;
    float   lo, hi;
} npu__dw_lines;
NPU__INLINE npu__dw_lines npu__dw_lines_of(const npu__dw_job *job) {
    npu__dw_lines at;
    at.in_step = job->in_step;
    at.col_step = job->col_step;
    at.line_step = job->line_step;
    at.out_stride = job->out_stride;
    at.first = NPU__DW_UNIT * ((size_t)job->first + 1);
    at.lines = job->lines;
    at.lead = job->lead;
    at.trail = job->trail;
    at.lo = job->lo;
    at.hi = job->hi;
    return at;
}
typedef void npu__dw_code(const npu__dw_job *job, const uint8_t *packed, uint8_t *out);
typedef npu__dw_code *npu__dw_fn;

/* The order of channels: theirs; in full sixteens, channels 4..7 and 8..11 exchanged; of nine taps in full 64, first each sixteen's
 * channels 0..3, then 4..7, ... */
enum { NPU__DW_IN_ORDER = 0, NPU__DW_HALVES = 1, NPU__DW_QUARTERS = 2 };

typedef struct npu__dw_kernel {
    const char *name;
    npu_isa     isa;
    int32_t     unit;       /* channels packed together */
    int32_t     together;   /* i8: taps whose weights lie interleaved, as int16; four: as int8 */
    int32_t     order;      /* i8: NPU__DW_... */
    int32_t     shifts;     /* i8: NPU__SHIFT_... */
    int32_t     a_kind;     /* i8: NPU__A_..., what taps are made where they are loaded: bytes where four are together */
    npu__dw_fn  run;
} npu__dw_kernel;

/* Weights to pack. */
typedef struct npu__dw_i8_weights {
    const uint8_t   *w; /* of channel c and tap t: at [c * step_c + t * step_t] */
    size_t           step_c, step_t;
    int32_t          w_signed, w_zero_point, a_signed, a_zero_point;
    const int32_t   *bias;
    const npu__qmul *qmul;
    int32_t          qmul_step;
} npu__dw_i8_weights;

/* What weights of `together` 4 have too little when packed: those of uint8 are packed as if their zero point were 128. That must be int8,
 * so 0 is no zero point for such kernels. */
NPU__INLINE int32_t npu__dw_i8_rest(int w_signed, int32_t w_zero_point) { return w_signed ? 0 : 128 - w_zero_point; }
/* `bytes`: npu__dw_i8_rest is int8. */
NPU__FN const npu__dw_kernel *npu__dw_i8_select(npu_isa isa, int32_t channels, int bytes);
NPU__FN const npu__dw_kernel *npu__dw_f32_select(npu_isa isa);
/* Groups of four taps. Those of nine are columns of a 3 x 3 window; of 25 the upper four rows of columns, then the last row. */
NPU__INLINE int32_t npu__dw_fours(int32_t taps) { return taps == 9 ? 3 : (taps + 3) / 4; }
/* Bytes of one packed unit. */
NPU__INLINE size_t npu__dw_i8_unit_bytes(int32_t unit, int32_t together, int32_t taps) {
    return (size_t)unit * (16u + (together == 4 ? 4u * (size_t)npu__dw_fours(taps) : 2u * (((size_t)taps + 1u) & ~(size_t)1)));
}
NPU__INLINE size_t npu__dw_f32_unit_bytes(int32_t taps) { return (size_t)NPU__DW_UNIT * 4u * ((size_t)taps + 1u); }
NPU__FN int  npu__dw_i8_packed_bytes(const npu__dw_kernel *kern, int32_t channels, int32_t taps, size_t *bytes);
NPU__FN int  npu__dw_f32_packed_bytes(int32_t channels, int32_t taps, size_t *bytes);
NPU__FN void npu__dw_i8_pack(const npu__dw_kernel *kern, int32_t channels, int32_t taps, const npu__dw_i8_weights *w,
                             uint8_t *packed);
NPU__FN void npu__dw_f32_pack(int32_t channels, int32_t taps, const float *w, size_t step_c, size_t step_t, const float *bias,
                              uint8_t *packed); /* steps as above */

/* ---- pack.c: output stages without SIMD, for rows and for the columns that fill no vector ---- */

NPU__FN npu__finish_fixed_code npu__finish_fixed;
NPU__FN npu__finish_real_code  npu__finish_real;
NPU__FN npu__finish_float_code npu__finish_float;
NPU__FN npu__finish_hybrid_code npu__finish_hybrid;

#include "kernel_rows.h"
NPU__SPEED_END

#endif
