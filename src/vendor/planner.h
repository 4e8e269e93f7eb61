/* A planner: a vendor whose compiler's decisions are known well enough to say how it would execute a placed graph, without
 * making the program. Its row stands in a list of its own (NPU__PLANNERS, vendors.h), as most vendors have none. */
#ifndef NPU__VENDOR_PLANNER_H
#define NPU__VENDOR_PLANNER_H

#include "vendor.h"

#if NPU__HAS_REPORTS

/* Takes facts that decide nothing by themselves, table by table, in order: numbers and statements of the vendor's document.
 * */
typedef struct npu__facts {
    void *user;
    void (*add)(void *user, const char *table, const char *id, const char *section, const char *value);
} npu__facts;

typedef struct npu__planner {
    const char *vendor; /* the name of its row (vendor.h) */
    /* All facts for the target and profile of `b`. */
    void (*facts)(const npu__backend *b, const npu__facts *out);
    /* Plans a placed graph. `desc`: what the caller knows. `writer`, `summary` may be NULL. Memory comes from `pool`. */
    npu_status (*plan)(const npu_plan_report_desc *desc, const npu__placement *p, const npu__nodes *nodes, npu__pool *pool,
                       npu_format format, const npu_writer *writer, npu_plan_report_summary *summary, npu_diag *diag);
    /* How input or output `i` of a subgraph lies in the device's memory. UNSUPPORTED: others than the device have it, too. */
    npu_status (*raw)(const npu_plan_report_desc *desc, const npu__placement *p, const npu__nodes *nodes, npu__pool *pool,
                      int32_t subgraph, int output, int32_t i, npu_raw *out, npu_diag *diag);
} npu__planner;

/* That of a vendor; NULL: it has none. */
NPU__FN const npu__planner *npu__planner_of(const npu__vendor *vendor);

#endif
#endif
