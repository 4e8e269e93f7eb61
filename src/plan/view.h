/* A plan's nodes as rules and estimates see them. */
#ifndef NPU__PLAN_VIEW_H
#define NPU__PLAN_VIEW_H

#include "../vendor/select.h"
#include "plan.h"

#if NPU__HAS_PLACEMENT

/* The nodes of a plan or an analysis. Two views: as planned (inferred shapes, folded constants), or as the file declares
 * them, which is what a converter sees; the latter lives in one scratch node. */
typedef struct npu__plan_view {
    const npu_plan *plan;
#if NPU__HAS_REPORTS
    npu__ctx        declared;
    npu__val       *vals;
    npu__val      **refs;
    npu__shape    **shapes; /* by subgraph and tensor, as declared and completed (npu__profile.complete); NULL: declared */
#endif
} npu__plan_view;

/* As planned: `nodes` looks through `view`. */
NPU__FN void npu__view_planned(npu__nodes *nodes, npu__plan_view *view, const npu_plan *plan);
#if NPU__HAS_REPORTS
/* As the profile asks. False: no memory. */
NPU__FN int npu__view_for(npu__nodes *nodes, npu__plan_view *view, const npu_plan *plan, const npu__profile *profile, npu__pool *pool);
/* A value as the file declares its tensor. */
NPU__FN void npu__view_declare_one(npu__val *v, const npu__tensor *t);
#if NPU__HAS_LOWERING
/* segments_report.c: the segments of a subgraph (out->segs) as they would be lowered, in the memory of env->plan, an analysis. */
NPU__FN npu_status npu__segments_of(npu__subplan *out, npu__env *env, const npu__placement *p, int32_t subgraph);
#endif
#endif

#endif
#endif
