/* What the reports of this layer share. */
#ifndef NPU__API_CHECK_H
#define NPU__API_CHECK_H

#include "../vendor/vendor.h"

#if NPU__HAS_REPORTS

/* May results go there, in that format? */
NPU__FN int npu__check_writer_ok(const npu_writer *writer, npu_format format, npu_format last);
/* cost.c: the figures of an estimate. */
NPU__FN void npu__cost_summarize(npu_cost_summary *out, const npu__cost_plan *plan, const npu__placement *p, const npu__nodes *nodes);

#endif
#endif
