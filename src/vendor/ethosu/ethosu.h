/* Arm Ethos-U: what its converter places on the NPU. */
#ifndef NPU__BACKEND_ETHOSU_ETHOSU_H
#define NPU__BACKEND_ETHOSU_ETHOSU_H

#include "../select.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN const npu__ruleset *npu__backend_ethosu(void);

#endif
#endif
