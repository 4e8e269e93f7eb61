/* Which units of packed depthwise weights a kernel takes at once, and whether their headers are folded (pack.h). */
#ifndef NPU__KERNELS_DW_GROUPS_H
#define NPU__KERNELS_DW_GROUPS_H

#include "kernels.h"

/* Units from u on whose channels stand in one order, and whose headers are folded together or not at all: as many as full groups have,
 * or 1 behind them. */
NPU__INLINE int32_t npu__dw_group(int32_t unit, int32_t order, int32_t taps, int32_t u, int32_t channels) {
    const int32_t n = order == NPU__DW_HALVES ? 2 : order == NPU__DW_QUARTERS && taps == 9 ? 4 : 1;
    return (u / n + 1) * n <= channels / unit ? n : 1;
}

/* Are the headers of n units folded? One channel decides: zeros in the third line may be either's. */
NPU__INLINE int npu__dw_folded(const uint8_t *packed, int32_t unit, int32_t n, size_t unit_bytes) {
    for (; n > 0; n--, packed += unit_bytes) {
        const int32_t *third = (const int32_t *)(const void *)packed + 2 * unit;
        for (int32_t p = 0; p < unit; p++) if (third[p]) return third[p] < 0;
    }
    return 0;
}

/* Units from channel `begin` on up to channel `end`, in groups of `group`, all folded or none. */
typedef struct npu__dw_span {
    int32_t end, group, folded;
} npu__dw_span;
NPU__INLINE npu__dw_span npu__dw_span_at(int32_t unit, int32_t order, const npu__dw_job *job, const uint8_t *packed, size_t unit_bytes,
                                         int32_t begin) {
    const int32_t units = job->channels / unit + (job->channels % unit != 0);
    int32_t       u = begin / unit;
    npu__dw_span  s;
    s.group = npu__dw_group(unit, order, job->n_taps, u, job->channels);
    s.folded = npu__dw_folded(packed, unit, s.group, unit_bytes);
    do {
        u += s.group;
        packed += (size_t)s.group * unit_bytes;
    } while (u < units && npu__dw_group(unit, order, job->n_taps, u, job->channels) == s.group &&
             npu__dw_folded(packed, unit, s.group, unit_bytes) == s.folded);
    s.end = u < units ? u * unit : job->channels;
    return s;
}

#endif
