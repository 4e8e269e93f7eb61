/* Lists of dimensions, and index vectors, as STABLEHLO_GATHER and STABLEHLO_SCATTER have them in common. */
#ifndef NPU__OPS_STABLEHLO_INDEX_H
#define NPU__OPS_STABLEHLO_INDEX_H

#include "move_util.h"

/* Bit d: the list has dimension d. Each is in [0, rank) and there once; `ascending`: in order. */
NPU__HEADER_FN npu_status npu__dims_mask(npu__ctx *c, npu__vec list, int32_t rank, int ascending, const char *what,
                                         uint32_t *mask) {
    *mask = 0;
    for (uint32_t i = 0; i < (uint32_t)list.n; i++) {
        const int64_t d = npu__vec_i64(list, i);
        if (d < 0 || d >= rank || (*mask >> d & 1u) || (ascending && *mask >> d)) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo.dims", "%s must name dimensions in [0, %d], each once%s: got %l",
                             what, rank - 1, ascending ? " and in order" : "", d);
        }
        *mask |= 1u << d;
    }
    return NPU_OK;
}

/* Where index vectors lie in the tensor of indices (input 1). */
typedef struct npu__index_vectors {
    int32_t  rank; /* of the batch: all dimensions but `dim` */
    int32_t  dims[NPU_MAX_RANK];
    int64_t  stride[NPU_MAX_RANK];
    int32_t  n; /* numbers in a vector */
    int64_t  step;
    npu__vec map; /* number i counts along this dimension of the operand */
} npu__index_vectors;

NPU__HEADER_FN npu_status npu__index_vectors_of(npu__ctx *c, int64_t dim, npu__vec map, npu__index_vectors *v) {
    const npu__shape *s = &c->in[1]->shape;
    int64_t           stride[NPU_MAX_RANK];
    uint32_t          mask;
    NPU__TRY(npu__need_index_type(c, c->in[1], "the indices"));
    NPU__TRY(npu__dims_mask(c, map, c->in[0]->shape.rank, 0, "the index map", &mask));
    if (dim < 0 || dim > s->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo.index_vector_dim", "index_vector_dim must be in [0, %d]: got %l",
                         s->rank, dim);
    }
    npu__dense_strides(s, stride);
    memset(v, 0, sizeof *v);
    v->map = map;
    v->n = dim < s->rank ? s->dims[dim] : 1;
    v->step = dim < s->rank ? stride[dim] : 0;
    for (int32_t d = 0; d < s->rank; d++) {
        if (d == dim) continue;
        v->dims[v->rank] = s->dims[d];
        v->stride[v->rank++] = stride[d];
    }
    if ((int64_t)map.n == v->n) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo.index_map", "index vectors have %d numbers: the map has %d", v->n,
                     (int)map.n);
}

/* The start that the vector at batch position at[] gives, along every dimension of the operand. */
NPU__HEADER_FN void npu__index_vector_read(const npu__ctx *c, const npu__index_vectors *v, const int64_t *at, int64_t *start) {
    int64_t from = 0;
    memset(start, 0, NPU_MAX_RANK * sizeof *start);
    for (int32_t d = 0; d < v->rank; d++) from += at[d] * v->stride[d];
    for (int32_t i = 0; i < v->n; i++) start[npu__vec_i64(v->map, (uint32_t)i)] = npu__int_at(c->in[1], from + i * v->step);
}

#endif
