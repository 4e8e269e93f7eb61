/* See base/sizes.h: structs that a session allocates for compiled operators. */
#ifndef NPU__VENDOR_ETHOSU_SIZES_H
#define NPU__VENDOR_ETHOSU_SIZES_H

#include "../../base/sizes.h"

#define NPU__ETHOSU_SIZES(X) \
    X(npu__ethos_u_data, 88, 64, 60)

#if NPU__HAS_REPORTS
enum { NPU__ETHOSU_SIZES(NPU__SIZE_ROW) NPU__ETHOSU_ON_END_OF_SIZES };
#endif

#endif
