/* Matrix times vector for recurrent ops: weights as they lie in the file, the vector staged once for several matrices. Runs on
 * the fast kernels where the instruction set has them, large products on all threads; integer results are the same either way. */
#ifndef NPU__OPS_MATVEC_H
#define NPU__OPS_MATVEC_H

#include "../kernels/kernels.h"
#include "../kernels/pointwise.h"
#include "../kernels/ref_quant.h"
#include "util.h"

#define NPU__MATVEC_FEW 512

typedef struct npu__matvec {
    npu__ctx                   *c;
    const npu__gemv_i8_kernel  *i8;  /* NULL: portable loops */
    const npu__gemv_f32_kernel *f32; /* likewise */
    /* Likewise. Cells that quantize their state again at each step set it to NULL: a last bit would decide to which of two steps a
     * value goes, and the difference comes back. The C library's functions are the reference's. */
    const npu__pointwise       *pw;
    const int8_t               *v;
    int16_t                    *staged; /* as long as the longest vector */
    int32_t                    *sums;   /* as long as the longest result */
    int32_t                     n, zp;
    int16_t                     few_staged[NPU__MATVEC_FEW]; /* where these are not in the arena: the struct lies on the stack */
    int32_t                     few_sums[NPU__MATVEC_FEW];
} npu__matvec;

/* prepare: slots for vectors of up to `longest` values and results of up to `most_rows`, or -1 where few are. */
NPU__FN npu_status npu__matvec_want(npu__ctx *c, int32_t longest, int32_t most_rows, int32_t *staged, int32_t *sums);
/* eval, with these slots; floats have none (-1). The struct must stay where it is. */
NPU__FN void npu__matvec_init(npu__matvec *m, npu__ctx *c, int32_t staged, int32_t sums);
/* prepare: the name of what computes products of int8, or of floats. */
NPU__FN const char *npu__matvec_name(const npu__ctx *c, int i8);

/* The vector of the products that follow: n values v[i] - zp. */
NPU__FN void npu__matvec_stage(npu__matvec *m, const int8_t *v, int32_t n, int32_t zp);
/* Likewise n floats, quantized by their range to `q`. Returns their scale. */
NPU__FN float npu__matvec_quantize(npu__matvec *m, const float *v, int32_t n, int32_t asymmetric, int8_t *q);
/* sums[r] = w[r] . v + bias[r], modulo 2^32; bias may be NULL. */
NPU__FN const int32_t *npu__matvec_i8(npu__matvec *m, const int8_t *w, const int32_t *bias, int32_t n_rows);
/* out[r] = sums of w * (scale * scale of w) + bias[r]; bias may be NULL, or `out` itself. */
NPU__FN void npu__matvec_hybrid(npu__matvec *m, const npu__val *w, float scale, const float *bias, float *out, int32_t n_rows);

/* out[r] = w[r] . v + bias[r]; bias may be NULL, or `out` itself. */
NPU__FN void npu__matvec_f32(const npu__matvec *m, const float *w, const float *v, int32_t n, const float *bias, float *out,
                             int32_t n_rows);

/* In place. pw may be NULL. */
NPU__FN void npu__matvec_logistic(const npu__pointwise *pw, float *v, int64_t n);
NPU__FN void npu__matvec_activate(const npu__pointwise *pw, float *v, int64_t n, int32_t activation);

#endif
