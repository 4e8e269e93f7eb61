/* A plan's nodes as rules and estimates see them. */
#ifndef NPU__API_CHECK_H
#define NPU__API_CHECK_H

#include "../vendor/select.h"
#include "../plan/plan.h"

#if NPU__HAS_REPORTS

/* The nodes of an analyzed plan. Two views: as planned (inferred shapes, folded constants), or as the file declares
 * them, which is what a converter sees; the latter lives in one scratch node. */
typedef struct npu__check_nodes {
    const npu_plan *plan;
    npu__ctx        declared;
    npu__val       *vals;
    npu__val      **refs;
    npu__shape    **shapes; /* by subgraph and tensor, as declared and completed (npu__profile.complete); NULL: declared */
} npu__check_nodes;

/* False: no memory. */
NPU__FN int npu__check_nodes_init(npu__check_nodes *nodes, const npu_plan *plan, const npu__profile *profile,
                                  npu__pool *pool);
/* npu__nodes over npu__check_nodes (`user`). */
NPU__FN const npu__ctx *npu__check_node(const void *user, int32_t subgraph, int32_t node);
NPU__FN const npu__ctx *npu__check_declared(const void *user, int32_t subgraph, int32_t node);
NPU__FN int64_t npu__check_macs(const void *user, int32_t subgraph, int32_t node);
NPU__FN int npu__check_once(const void *user, int32_t subgraph, int32_t node);

/* May results go there, in that format? */
NPU__FN int npu__check_writer_ok(const npu_writer *writer, npu_format format, npu_format last);

#endif
#endif
