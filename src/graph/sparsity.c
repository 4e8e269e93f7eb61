/* How a sparse constant is stored, out of the file's tables. */
#include "build.h"

/* One of the vectors of a level. It stays empty where the file has none, or one of a kind unknown to the verifier, which then
 * vouches for nothing in it. */
NPU__FN void npu__sparse_vector(npu__tab level, int type_slot, int slot, npu__vec *v, int32_t *bytes) {
    const int32_t table = npu__union_table(NPU__U_SparseIndexVector, npu__tab_u8(level, type_slot, 0));
    int32_t       n;
    if (table == NPU__T_NONE) return;
    *v = npu__tab_vec(npu__tab_tab(level, slot), NPU__S_Int32Vector_values); /* the same slot in all of them */
    if (v->p) *bytes = (int32_t)npu__kind_bytes(npu__schema_fields(table, &n)->kind);
}

NPU__FN npu__sparsity *npu__sparsity_new(npu__pool *pool, npu__tab raw) {
    const npu__vec     levels = npu__tab_vec(raw, NPU__S_SparsityParameters_dim_metadata);
    const uint32_t     n = NPU__MIN(levels.n, (uint32_t)NPU__SPARSE_LEVELS);
    npu__sparsity     *s = (npu__sparsity *)npu__pool_new(pool, 1, NPU__SIZE(npu__sparsity));
    npu__sparse_level *l = (npu__sparse_level *)npu__pool_new(pool, n, NPU__SIZE(npu__sparse_level));
    if (!s || !l) return NULL;
    s->order = npu__tab_vec(raw, NPU__S_SparsityParameters_traversal_order);
    s->block_map = npu__tab_vec(raw, NPU__S_SparsityParameters_block_map);
    s->n_levels = levels.n;
    s->levels = l;
    for (uint32_t i = 0; i < n; i++) {
        npu__tab t = npu__vec_tab(levels, i);
        l[i].dense = npu__tab_i8(t, NPU__S_DimensionMetadata_format, 0) == 0;
        l[i].dense_size = npu__tab_i32(t, NPU__S_DimensionMetadata_dense_size, 0);
        npu__sparse_vector(t, NPU__S_DimensionMetadata_array_segments_type, NPU__S_DimensionMetadata_array_segments,
                           &l[i].segments, &l[i].segment_bytes);
        npu__sparse_vector(t, NPU__S_DimensionMetadata_array_indices_type, NPU__S_DimensionMetadata_array_indices,
                           &l[i].indices, &l[i].index_bytes);
    }
    return s;
}
