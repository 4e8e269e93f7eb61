/* Per-channel quantization seen as outer x channels x inner, for QUANTIZE and DEQUANTIZE. */
#ifndef NPU__OPS_QUANT_AXIS_H
#define NPU__OPS_QUANT_AXIS_H

#include "lut.h"

typedef struct npu__quant_axis {
    int64_t outer, inner;
    int32_t channels; /* 0: not per channel */
} npu__quant_axis;

/* Checks that the tensor's axis exists and has one scale per index. */
NPU__INLINE npu_status npu__quant_axis_prepare(npu__ctx *c, const npu__val *v, npu__quant_axis *a) {
    const npu_quant *q = &v->t->quant;
    if (q->axis < 0 || q->axis >= v->shape.rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.quant_axis", "the quantized dimension must be in [0, %d): got %d",
                         v->shape.rank, q->axis);
    }
    NPU__TRY(npu__need_channel_quant(c, v, "the quantized tensor", v->shape.dims[q->axis]));
    a->outer = npu__dims_product(&v->shape, 0, q->axis);
    a->inner = npu__dims_product(&v->shape, q->axis + 1, v->shape.rank);
    a->channels = q->count;
    return NPU_OK;
}

#endif
