/* What a planner knows beside verdicts, as the end of the supported-ops report. */
#ifndef NPU__LEGAL_REPORT_FACTS_H
#define NPU__LEGAL_REPORT_FACTS_H

#include "../base/text.h"
#include "../vendor/planner.h"

#if NPU__HAS_REPORTS

/* TEXT, JSON (a member of the object) or MARKDOWN; nothing for a vendor without planner. */
NPU__FN void npu__report_facts(npu__text *t, const npu__backend *b, npu_format format);

#endif
#endif
