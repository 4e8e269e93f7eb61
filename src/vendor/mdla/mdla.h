/* MediaTek's MDLA: the parts of its rows in the lists of vendors and planners. */
#ifndef NPU__VENDOR_MDLA_MDLA_H
#define NPU__VENDOR_MDLA_MDLA_H

#include "rules/look.h"
#if NPU__HAS_REPORTS
#include "../planner.h"
#endif

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

/* rules/rules.c: what the compiler takes. */
NPU__FN const npu__ruleset *npu__mdla_rules(void);
#if NPU__HAS_REPORTS
/* NPU__MDLA_GAIN_* of a row of its warnings. */
NPU__FN int32_t npu__mdla_gain_of(const npu__rule *warning);
/* facts_report.c: the other tables of the guide. */
NPU__FN void npu__mdla_facts(const npu__backend *b, const npu__facts *out);
#endif

#endif
#endif
