/* A model in the making (npu_graph): lists that grow, in memory that goes when the model is finished. */
#ifndef NPU__GRAPH_GRAPH_H
#define NPU__GRAPH_GRAPH_H

#include "copy.h"

#if NPU__HAS_GRAPH

struct npu_graph {
    npu_model   *model; /* what it becomes. So far it holds copied constants; NULL once it is the caller's */
    npu_model    draft; /* the lists, in a pool of their own. nodes[].graph is not set, signatures are as they were given */
    npu__builder b;     /* of the draft */
    uint64_t     given; /* bytes that a file of all this would have, roughly */
    uint64_t     most;  /* for both pools; 0: in proportion to what is given */
    int32_t      n_constants;
    int32_t      finished;
};

#define NPU__GRAPH_FAIL(g, ...) NPU__BUILD_FAIL(&(g)->b, NPU_INVALID_ARGUMENT, "api.graph", __VA_ARGS__)

/* npu_graph_create, with the operators that `find_op` finds. */
NPU__FN npu_status npu__graph_new(npu_graph **out, const npu_model_desc *desc, npu__op_finder find_op, npu_diag *diag);
/* Every public function begins so: is there a graph that takes calls? `sub` becomes the subgraph (NULL: not about one). */
NPU__FN npu_status npu__graph_enter(npu_graph *g, const char *what, int32_t subgraph, npu__subgraph **sub, npu_diag *diag);
/* `n` more bytes are given: the limits of both pools follow. */
NPU__FN void npu__graph_give(npu_graph *g, uint64_t n);
NPU__FN npu_status npu__graph_oom(npu_graph *g);

/* The list with room for one element behind its n; the list itself where it has that already. NULL: no memory. Lists have room for
 * 4, 8, 16, ... elements, so that copying them takes linear time and memory. */
NPU__FN void *npu__graph_grow(npu__pool *pool, const void *list, int32_t n, size_t elem_bytes);
/* A view of a list that a caller gave; is it one that cannot be? */
NPU__FN npu__vec npu__graph_vec(const void *p, int32_t n);
NPU__FN int npu__graph_vec_bad(const void *p, int32_t n);
/* A copy in the draft of a zero-terminated string (NULL: ""). False: no memory. */
NPU__FN int npu__graph_str(npu_graph *g, const char *z, npu__str *out);

#endif
#endif
