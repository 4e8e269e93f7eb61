/* Matrix times vector for recurrent ops: int8 weights as they lie in the file, the vector staged once for several
 * matrices. Runs on the fast kernels where the instruction set has them; integer results are the same either way. */
#ifndef NPU__OPS_MATVEC_H
#define NPU__OPS_MATVEC_H

#include "../kernels/kernels.h"
#include "../kernels/ref_quant.h"
#include "util.h"
NPU__SPEED_BEGIN

typedef struct npu__matvec {
    const npu__gemv_i8_kernel  *i8;  /* NULL: portable loops */
    const npu__gemv_f32_kernel *f32;
    const int8_t               *v;
    int16_t                    *staged; /* as long as the longest vector */
    int32_t                    *sums;   /* as long as the longest result */
    int32_t                     n, zp;
} npu__matvec;

NPU__INLINE void npu__matvec_init(npu__matvec *m, const npu__ctx *c, int16_t *staged, int32_t *sums) {
    m->i8 = npu__gemv_i8_select(npu__ctx_isa(c));
    m->f32 = npu__gemv_f32_select(npu__ctx_isa(c));
    m->staged = staged;
    m->sums = sums;
}

/* The vector of the products that follow: n values v[i] - zp. */
NPU__HEADER_FN void npu__matvec_stage(npu__matvec *m, const int8_t *v, int32_t n, int32_t zp) {
    m->v = v;
    m->n = n;
    m->zp = zp;
    if (m->i8) m->i8->stage((const uint8_t *)v, m->staged, n, 1, zp);
}

/* sums[r] = w[r] . v + bias[r], modulo 2^32; bias may be NULL. */
NPU__HEADER_FN const int32_t *npu__matvec_i8(npu__matvec *m, const int8_t *w, const int32_t *bias, int32_t n_rows) {
    if (m->i8) {
        npu__gemv_i8_job job;
        memset(&job, 0, sizeof job);
        job.a = m->staged;
        job.w = (const uint8_t *)w;
        job.w_stride = (size_t)m->n;
        job.k = m->n;
        job.w_signed = 1;
        job.bias = bias;
        m->i8->run(&job, 0, n_rows, m->sums);
        return m->sums;
    }
    for (int32_t r = 0; r < n_rows; r++) {
        uint32_t start = bias ? (uint32_t)bias[r] : 0u;
        m->sums[r] = (int32_t)(start + (uint32_t)npu__ref_dot_i8(m->v, w + (int64_t)r * m->n, m->n, m->zp));
    }
    return m->sums;
}

/* out[r] = w[r] . v + bias[r]; bias may be NULL, or `out` itself. */
NPU__HEADER_FN void npu__matvec_f32(const npu__matvec *m, const float *w, const float *v, int32_t n, const float *bias,
                             float *out, int32_t n_rows) {
    for (int32_t r = 0; !m->f32 && r < n_rows; r++) {
        out[r] = npu__ref_dot_f32(v, w, n) + (bias ? bias[r] : 0.0f);
        w += n;
    }
    if (m->f32) {
        npu__gemv_f32_job job;
        memset(&job, 0, sizeof job);
        job.a = v;
        job.w = w;
        job.bias = bias;
        job.k = n;
        job.lo = -INFINITY;
        job.hi = INFINITY;
        m->f32->run(&job, 0, n_rows, out);
    }
}

NPU__SPEED_END

#endif
