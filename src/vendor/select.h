/* The backends of this build (vendors.h reads NPU_RT_BACKEND_*), by the names users choose them by. */
#ifndef NPU__VENDOR_SELECT_H
#define NPU__VENDOR_SELECT_H

#include "vendor.h"

#if NPU__HAS_PLACEMENT

/* Names of the build's NPUs first, then "none", which every build has. NULL past the end. */
NPU__FN const npu__target *npu__backend_at(int32_t i);
/* The i-th profile of a backend, its default first; NULL past the end, or when there is no such backend. */
NPU__FN const npu__profile *npu__backend_profile_at(const char *name, int32_t i);
/* By name; `profile` NULL chooses the default. Errors: INVALID_ARGUMENT "backend.name" or "backend.profile": this
 * build, or this backend, has none of that name; the text lists those there are. */
NPU__FN npu_status npu__backend_find(npu__backend *out, const char *name, const char *profile, npu_diag *diag);

#endif
#endif
