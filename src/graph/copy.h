/* Copies of parts of a graph, and of a whole one, into a pool. */
#ifndef NPU__GRAPH_COPY_H
#define NPU__GRAPH_COPY_H

#include "build.h"

#if NPU__HAS_GRAPH

/* NULL: no memory. Of nothing, some address. */
NPU__FN void *npu__dup_bytes(npu__pool *pool, const void *p, size_t count, size_t elem_bytes);
NPU__FN int npu__dup_str(npu__pool *pool, npu__str *s); /* false: no memory; here and below */
NPU__FN int npu__dup_vec(npu__pool *pool, npu__vec *v, size_t elem_bytes);
NPU__FN const npu__opts *npu__dup_opts(npu__pool *pool, const npu__opts *from);

NPU__FN const npu__sparsity *npu__dup_sparsity(npu__pool *pool, const npu__sparsity *from);

/* Subgraphs, signatures (their entries as they are) and metadata of `from`, without contents of constants, always in the same
 * order: so that what a model takes in memory depends on nothing else. */
NPU__FN int npu__dup_model(npu_model *to, const npu_model *from);

#endif
#endif
