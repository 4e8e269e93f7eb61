/* See base/sizes.h: structs that a plan allocates for custom operators and segments. */
#ifndef NPU__VENDOR_MDLA_SIZES_H
#define NPU__VENDOR_MDLA_SIZES_H

#include "../../base/sizes.h"

typedef float npu__mdla_float;

#define NPU__MDLA_SIZES(X) \
    X(npu__mdla_float, 4, 4, 4) \
    X(npu__mdla_ref, 16, 12, 12) \
    X(npu__mdla_constant, 16, 12, 12) \
    X(npu__mdla_hybrid, 16, 8, 8) \
    X(npu__mdla_program, 32, 24, 24) \
    X(npu__mtk_abs, 1400, 1368, 1364) \
    X(npu__mtk_min_pool, 128, 112, 112) \
    X(npu__mtk_crop, 16, 16, 12) \
    X(npu__mtk_norm, 24, 24, 24)

#if NPU__HAS_REPORTS
enum { NPU__MDLA_SIZES(NPU__SIZE_ROW) NPU__MDLA_ON_END_OF_SIZES };
#endif

#endif
