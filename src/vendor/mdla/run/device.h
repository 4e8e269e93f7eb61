/* The software device: what an MDLA would compute of a segment, by the CPU's kernels with the accelerator's types.
 *
 *   FP16      float32 runs as FP16 (--relax-fp32 made the rules take it): each input, each constant and each operator's result is
 *             rounded to the nearest float16, ties to even; too large becomes infinite. Inside an operator sums are float32
 *             (assumed: the guide says nothing of accumulators), in the order of the CPU's kernel.
 *   hybrid    float data with integer weights: weights are dequantized and rounded to float16, as the guide says of MDLA 1.5; of
 *             later versions it says nothing, and the same is assumed.
 *   integers  as on the CPU, to the bit. That MDLA 1.5 has int8 as uint8 changes no result: both value and zero point go up by 128. */
#ifndef NPU__VENDOR_MDLA_RUN_DEVICE_H
#define NPU__VENDOR_MDLA_RUN_DEVICE_H

#include "../mdla.h"
#include "../sizes.h"

#define NPU__HAS_MDLA_DEVICE (NPU__HAS_MDLA && NPU__HAS_SOFTWARE_DEVICE)

/* A constant that rounding changes: input `in` of operator `node` of the segment, and of others that read the same. */
typedef struct npu__mdla_constant {
    int32_t node, in;
    float  *data;
} npu__mdla_constant;

/* An operator with float data and integer weights: they, as floats. */
typedef struct npu__mdla_hybrid {
    int32_t node;
    float  *weights;
} npu__mdla_hybrid;

typedef struct npu__mdla_program {
    npu__mdla_constant *constants;
    npu__mdla_hybrid   *hybrids; /* in the order of operators */
    int32_t             n_constants, n_hybrids;
    int32_t             saved, rounded; /* slots: where values lie that stand aside during a run; rounded inputs */
} npu__mdla_program;

#if NPU__HAS_MDLA_DEVICE

/* lower.c, run.c: the four calls of segment.h. */
NPU__FN npu_status npu__mdla_lower(npu__seg *seg);
NPU__FN npu_status npu__mdla_prepare(npu__seg *seg);
NPU__FN npu_status npu__mdla_invoke(npu__seg *seg);
NPU__FN void npu__mdla_release(npu__seg *seg);
/* Is this input of the segment one that is rounded? */
NPU__FN int npu__mdla_rounds(const npu__val *v);
#if NPU__HAS_REPORTS
/* report.c: what lower made of a segment. */
NPU__FN void npu__mdla_program_report(npu__text *t, npu__seg *seg, const npu__program_ask *ask);
#endif

#endif
#endif
