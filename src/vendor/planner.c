/* The planners of this build. */
#include "planner.h"

#if NPU__HAS_REPORTS

#define NPU__X(id) NPU__FN const npu__planner *npu__planner_##id(void);
NPU__PLANNERS(NPU__X)
#undef NPU__X

NPU__FN const npu__planner *npu__planner_of(const npu__vendor *vendor) {
    const npu__planner *p = NULL;
#define NPU__X(id) if (strcmp(npu__planner_##id()->vendor, vendor->name) == 0) p = npu__planner_##id();
    NPU__PLANNERS(NPU__X)
#undef NPU__X
    (void)vendor;
    return p;
}

#endif
