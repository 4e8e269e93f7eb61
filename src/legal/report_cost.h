/* The cost estimate as a report. */
#ifndef NPU__LEGAL_REPORT_COST_H
#define NPU__LEGAL_REPORT_COST_H

#include "../base/text.h"
#include "../vendor/vendor.h"

#if NPU__HAS_REPORTS

/* TEXT or JSON. */
NPU__FN npu_status npu__report_cost(const npu__cost_plan *plan, const npu__placement *p, const npu__nodes *nodes,
                                    npu_format format, const npu_writer *writer, npu_diag *diag);
/* MACs done as a share of those that the MAC units could do in that time; 0 for 0 cycles. */
NPU__FN double npu__cost_utilisation(const npu__cost_plan *plan, int64_t macs, int64_t cycles);
/* MACs of the operators that run on the NPU. */
NPU__FN int64_t npu__cost_macs_placed(const npu__cost_plan *plan, const npu__nodes *nodes);
/* What the slow and the fast memory must hold: what the model becomes, and feature maps where they live there. */
NPU__FN int64_t npu__cost_slow_bytes(const npu__cost_plan *plan);

NPU__FN int64_t npu__cost_fast_bytes(const npu__cost_plan *plan);

#endif
#endif
