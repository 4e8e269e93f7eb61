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
/* The rules of `b` under which FP32 may run as FP16, by their name; `b`'s own, if they are such. NULL: there are none. */
#define NPU__RELAXED "-relax-fp32"
NPU__FN const npu__profile *npu__backend_relaxed(const npu__backend *b);
/* The version of a vendor's library, "8.2.28" as 8 * 65536 + 2 * 256 + 28. False: it is none, which NPU__RUNTIME_FORM says of it. */
NPU__FN int npu__runtime_version(const char *text, uint32_t *out);
#define NPU__RUNTIME_FORM "a version is three numbers up to 255, as in 8.2.28: got \"%s\""

#endif
#endif
