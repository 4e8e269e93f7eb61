/* What operators share that give integers another quantization. */
#ifndef NPU__OPS_QUANTIZE_H
#define NPU__OPS_QUANTIZE_H

#include "q2_rows.h"
#include "quant_axis.h"

typedef struct npu__quantize {
    npu__ew         ew;
    npu__quant_axis axis;
    npu__qmul       mul;
    npu__ew_row     plain; /* of floats: the loops, for what the fast row does not do */
    float           scale, most; /* most: where values are cut, a million; compilers branch where they know it */
    int32_t         in_zp, out_zp, lo, hi;
    npu__q1         integers;
    npu__bytes_map  map; /* bytes to bytes */
} npu__quantize;

NPU__INLINE int32_t npu__requantize_one(int32_t x, npu__qmul mul, int32_t in_zp, int32_t out_zp, int32_t lo,
                                        int32_t hi) {
    return npu__clamp32(npu__wadd32(npu__qmul_apply(npu__wsub32(x, in_zp), mul), out_zp), lo, hi);
}

/* The row for a pair of types; NULL: none. */
NPU__FN npu__ew_row npu__quantize_find_row(int32_t in, int32_t out);
/* Fills the npu__quantize at ctx->data for one of these rows, or one of the caller's. */
NPU__FN npu_status npu__quantize_prepare_row(npu__ctx *c, npu__ew_row row);
NPU__FN npu_status npu__quantize_eval(npu__ctx *c);

#endif
