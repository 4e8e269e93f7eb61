/* Reference kernels of FULLY_CONNECTED: out[r][u] = sum over d of in[r][d] * w[u][d] + bias[u]. */
#ifndef NPU__KERNELS_REF_FULLY_CONNECTED_H
#define NPU__KERNELS_REF_FULLY_CONNECTED_H

#include "../base/fp16.h"
#include "ref_quant.h"

typedef struct npu__fc_geom {
    int64_t rows;
    int32_t depth, units;
} npu__fc_geom;

/* Activation and weight types (-> output type, where it differs). int4 and int2 weights arrive as int8. */
enum { NPU__FC_F32, NPU__FC_U8, NPU__FC_U8_I16, NPU__FC_I8, NPU__FC_I16, NPU__FC_I16_I16, NPU__FC_HYBRID,
       NPU__FC_BLOCKWISE };

NPU__FN void npu__ref_fc_f32(const npu__fc_geom *g, const float *in, const float *w, const float *bias, float lo,
                             float hi, float *out, int64_t begin, int64_t end);

/* The reference output stage of this op is not fixed point: out = round(acc * (in_scale * w_scale / out_scale)), in
 * double. Only int16 weights and uint8 ones in blocks of 4 x 16 use the fixed-point multiplier. */
typedef struct npu__fc_q {
    int32_t      kind;
    int32_t      in_zp, w_zp, out_zp, lo, hi;
    float        in_scale, out_scale;
    const float *w_scale; /* per unit (w_step 1) or one (w_step 0) */
    int32_t      w_step;
    int32_t      acc64;   /* 64-bit accumulator; else 32-bit, wrapping */
    int32_t      bias64;  /* int64 bias; else int32 */
    int32_t      fixed;   /* U8_I16 with the fixed-point multiplier */
} npu__fc_q;

/* bias may be NULL. */
NPU__FN void npu__ref_fc_int(const npu__fc_geom *g, const npu__fc_q *q, const void *in, const void *w,
                             const void *bias, void *out, int64_t begin, int64_t end);

/* Rows of int8 with their scale and zero point, int8 weights, float output without activation. */
NPU__FN void npu__ref_fc_hybrid(const npu__fc_geom *g, const int8_t *in, const float *row_scale,
                                const int32_t *row_zp, const int8_t *w, const float *w_scale, int32_t w_step,
                                const float *bias, float *out, int64_t begin, int64_t end);
/* LiteRT runs these weights through XNNPACK, which keeps their scales as bfloat16. */
NPU__INLINE float npu__ref_fc_block_scale(uint16_t half) {
    return npu__bf16_to_f32(npu__bf16_from_f32(npu__f16_to_f32(half)));
}

/* Likewise with one weight scale for each `block` neighbours of a row: scales[units][depth / block], half floats. */
NPU__FN void npu__ref_fc_blockwise(const npu__fc_geom *g, const int8_t *in, const float *row_scale,
                                   const int32_t *row_zp, const int8_t *w, const uint16_t *scales, int32_t block,
                                   const float *bias, float *out, int64_t begin, int64_t end);

#endif
