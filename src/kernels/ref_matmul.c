/* Reference matrix products of BATCH_MATMUL. */
#include "ref_matmul.h"

/* Outputs [begin, end) of one product, row after row; SUM adds a(m, k) = *pa times b(k, n) = *pb to `sum`, LAST stores. */
#define NPU__REF_MATMUL(a_t, b_t, sum_t, SUM, LAST)                       \
    for (int64_t i = begin; i < end; i++) {                               \
        const int64_t m = i / g->n, n = i % g->n;                         \
        const a_t    *pa = a + m * g->a_m;                                \
        const b_t    *pb = b + n * g->b_n;                                \
        sum_t         sum = 0;                                            \
        for (int64_t k = 0; k < g->k; k++) {                              \
            sum += SUM(pa[k * g->a_k], pb[k * g->b_k]);                   \
        }                                                                 \
        out[i] = LAST;                                                    \
    }
#define NPU__MUL_F32(x, y) ((x) * (y))
#define NPU__MUL_ZP(x, y) ((uint32_t)(((x) - a_zp) * ((y) - b_zp)))
#define NPU__MUL_I8(x, y) ((uint32_t)((x) * (y)))
#define NPU__MUL_ROW(x, y) ((uint32_t)(((x) - a_zp[m]) * (y)))
#define NPU__MUL_I16(x, y) ((uint64_t)((int64_t)(x) * (y)))

NPU__FN void npu__ref_matmul_f32(const npu__matmul_geom *g, const float *a, const float *b, float *out,
                                 int64_t begin, int64_t end) {
    NPU__REF_MATMUL(float, float, float, NPU__MUL_F32, sum)
}

NPU__FN void npu__ref_matmul_i8(const npu__matmul_geom *g, const npu__ref_out *q, const int8_t *a, int32_t a_zp,
                                const int8_t *b, int32_t b_zp, int8_t *out, int64_t begin, int64_t end) {
    NPU__REF_MATMUL(int8_t, int8_t, uint32_t, NPU__MUL_ZP, (int8_t)npu__ref_out32(q, 0, (int32_t)sum))
}

NPU__FN void npu__ref_matmul_i8_i32(const npu__matmul_geom *g, const int8_t *a, const int8_t *b, int32_t *out,
                                    int64_t begin, int64_t end) {
    NPU__REF_MATMUL(int8_t, int8_t, uint32_t, NPU__MUL_I8, (int32_t)sum)
}

NPU__FN void npu__ref_matmul_i16(const npu__matmul_geom *g, const npu__ref_out *q, const int16_t *a,
                                 const int16_t *b, int16_t *out, int64_t begin, int64_t end) {
    NPU__REF_MATMUL(int16_t, int16_t, uint64_t, NPU__MUL_I16, (int16_t)npu__ref_out64(q, 0, (int64_t)sum))
}

NPU__FN void npu__ref_matmul_i16_i8(const npu__matmul_geom *g, const npu__ref_out *q, const int16_t *a,
                                    const int8_t *b, int16_t *out, int64_t begin, int64_t end) {
    NPU__REF_MATMUL(int16_t, int8_t, uint64_t, NPU__MUL_I16, (int16_t)npu__ref_out64(q, 0, (int64_t)sum))
}

NPU__FN void npu__ref_matmul_hybrid(const npu__matmul_geom *g, const int8_t *a, const float *a_scale,
                                    const int32_t *a_zp, const int8_t *b, const float *b_scale, int32_t b_step,
                                    float *out, int64_t begin, int64_t end) {
    NPU__REF_MATMUL(int8_t, int8_t, uint32_t, NPU__MUL_ROW,
                    a_scale[m] * b_scale[n * b_step] * (float)(int32_t)sum)
}

#undef NPU__REF_MATMUL
#undef NPU__MUL_F32
#undef NPU__MUL_ZP
#undef NPU__MUL_I8
#undef NPU__MUL_ROW
#undef NPU__MUL_I16
