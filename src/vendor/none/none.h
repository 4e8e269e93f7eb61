/* No NPU: the ops this runtime executes itself. */
#ifndef NPU__BACKEND_NONE_NONE_H
#define NPU__BACKEND_NONE_NONE_H

#include "../rules.h"

#if NPU__HAS_REPORTS

NPU__FN const npu__ruleset *npu__backend_none(void);

#endif
#endif
