/* Which backends this build has: the only place that looks at NPU_RT_BACKEND_*. */
#ifndef NPU__BACKEND_SELECT_H
#define NPU__BACKEND_SELECT_H

#include "backend.h"

#if defined(NPU_RT_BACKEND_ALL)
#  define NPU__HAS_ETHOSU 1
#elif defined(NPU_RT_BACKEND_ETHOSU)
#  ifdef NPU_RT_BACKEND_NONE
#    error "npu_rt: define one of NPU_RT_BACKEND_NONE, NPU_RT_BACKEND_ETHOSU and NPU_RT_BACKEND_ALL"
#  endif
#  define NPU__HAS_ETHOSU 1
#else
#  define NPU__HAS_ETHOSU 0
#endif

#if NPU__HAS_REPORTS

/* The build's NPUs first, then "none", which every build has. NULL past the end. */
NPU__FN const npu__backend *npu__backend_at(int32_t i);
/* By name; NULL and INVALID_ARGUMENT "backend.name" when this build has no such backend. */
NPU__FN const npu__backend *npu__backend_find(const char *name, npu_diag *diag);

#endif
#endif
