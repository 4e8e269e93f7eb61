/* What operators share that give integers another quantization. */
#ifndef NPU__OPS_QUANTIZE_H
#define NPU__OPS_QUANTIZE_H

#include "q2_rows.h"
#include "quant_axis.h"

typedef struct npu__quantize {
    npu__ew         ew;
    npu__quant_axis axis;
    npu__ew_row     plain; /* of floats: the loops, for what the fast row does not do */
    float           scale, most; /* most: where values are cut, a million; compilers branch where they know it */
    npu__q1         q;   /* of floats: the output's side of it */
    npu__bytes_map  map; /* bytes to bytes */
} npu__quantize;

/* From any of int8, uint8, int16 and int32 to any. */
NPU__FN void npu__quantize_integers(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step);
/* Fills the npu__quantize at ctx->data for one of these rows, or one of the caller's. */
NPU__FN npu_status npu__quantize_prepare_row(npu__ctx *c, npu__ew_row row);
NPU__FN npu_status npu__quantize_eval(npu__ctx *c);

#endif
