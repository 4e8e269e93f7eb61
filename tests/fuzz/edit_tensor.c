/* Edits of tensors: type, shape, quantization, sparsity, contents, and who writes them. */

/* Likewise for all tensors of the subgraph that had the same shape, or type, so that operators still agree with them. */
static void same_elsewhere(tree *t, node *g, node *tensor, int slot, const value *old) {
    value *all = tree_at(t, g, NPU__S_SubGraph_tensors);
    for (uint32_t i = 0; i < all->n; i++) {
        value *v = tree_at(t, all->tabs[i], slot);
        if (all->tabs[i] == tensor || v->there != old->there || v->bits != old->bits || v->n != old->n) continue;
        if (v->n && memcmp(v->p, old->p, 4 * (size_t)v->n) != 0) continue;
        *v = *tree_at(t, tensor, slot);
        fit_buffer(t, all->tabs[i]);
    }
}

static void edit_type(tree *t) {
    static const uint8_t common[] = {0, 2, 3, 4, 6, 7, 9, 1, 17, 8, 12, 15, 13};
    node   *g = any_subgraph(t);
    int32_t i;
    node   *tensor = any_tensor(t, g, &i);
    value   old = *tree_at(t, tensor, NPU__S_Tensor_type);
    uint64_t type = common[pick(t, sizeof common)];
    if (once_in(t, 6)) type = once_in(t, 8) ? pick(t, 256) : pick(t, NPU_TYPE_COUNT);
    tree_set(t, tensor, NPU__S_Tensor_type, type);
    if (once_in(t, 3)) same_elsewhere(t, g, tensor, NPU__S_Tensor_type, &old);
    if (tensor && !once_in(t, 4)) fit_buffer(t, tensor);
}

static void edit_shape(tree *t) {
    node    *g = any_subgraph(t);
    int32_t  index, dims[9];
    node    *tensor = any_tensor(t, g, &index), *other = any_tensor(t, g, &index);
    value   *v = tree_at(t, tensor, NPU__S_Tensor_shape), old = *v;
    uint32_t rank = pick(t, 10);
    int32_t  x;
    switch (pick(t, 6)) {
    case 0: edit_vector(t, v, NPU__K_VI32, NPU__E_NONE); break;
    case 1: if (other) *v = *tree_at(t, other, NPU__S_Tensor_shape); break;
    case 2:
        for (uint32_t i = 0; i < rank && i < 9; i++) dims[i] = once_in(t, 5) ? (int32_t)odd_int(t) : (int32_t)pick(t, 5);
        tree_set_i32s(t, v, dims, rank < 9 ? rank : 9);
        break;
    default:
        if (!v->n) return;
        x = once_in(t, 3) ? (int32_t)odd_int(t) : (int32_t)pick(t, 70);
        memcpy(tree_own(t, v, v->n, 4) + 4 * (size_t)pick(t, v->n), &x, 4);
    }
    if (once_in(t, 2)) same_elsewhere(t, g, tensor, NPU__S_Tensor_shape, &old);
    if (tensor && !once_in(t, 3)) fit_buffer(t, tensor);
}

static void edit_signature_shape(tree *t) {
    int32_t i, x = -1;
    node   *tensor = any_tensor(t, any_subgraph(t), &i);
    value  *v = tree_at(t, tensor, NPU__S_Tensor_shape_signature);
    if (!tensor) return;
    *v = *tree_at(t, tensor, NPU__S_Tensor_shape);
    if (v->n) memcpy(tree_own(t, v, v->n, 4) + 4 * (size_t)pick(t, v->n), &x, 4);
    if (once_in(t, 4)) edit_vector(t, v, NPU__K_VI32, NPU__E_NONE);
    if (once_in(t, 4)) *tree_at(t, tensor, NPU__S_Tensor_shape) = *v;
}

/* ---- quantization ---- */

static void set_floats(tree *t, value *v, uint32_t n, float f) {
    uint8_t *p = tree_own(t, v, n, 4);
    for (uint32_t i = 0; i < n; i++) memcpy(p + 4 * (size_t)i, &f, 4);
}

/* Scales and zero points along an axis, all alike. */
static void plain_quant(tree *t, node *tensor, node *q) {
    value   *shape = tree_at(t, tensor, NPU__S_Tensor_shape), *zero = tree_at(t, q, NPU__S_QuantizationParameters_zero_point);
    uint32_t axis = pick(t, shape->n), n = 1;
    if (shape->n && !once_in(t, 3)) n = (uint32_t)tree_i32(shape, axis);
    n = n > 64 || n == 0 ? 1 : n;
    set_floats(t, tree_at(t, q, NPU__S_QuantizationParameters_scale), n, once_in(t, 2) ? 0.5f : 0.0078125f);
    zero->n = 0;
    tree_own(t, zero, n, 8);
    tree_set(t, q, NPU__S_QuantizationParameters_quantized_dimension, axis);
}

static void blockwise_quant(tree *t, node *g, node *q) {
    node *d = tree_node(t, NPU__T_BlockwiseQuantization);
    value *all = tree_at(t, g, NPU__S_SubGraph_tensors);
    tree_set(t, d, NPU__S_BlockwiseQuantization_scales, once_in(t, 5) ? (uint64_t)odd_int(t) : pick(t, all->n));
    tree_set(t, d, NPU__S_BlockwiseQuantization_zero_points, once_in(t, 2) ? (uint64_t)-1 : pick(t, all->n));
    tree_set(t, d, NPU__S_BlockwiseQuantization_block_size, once_in(t, 2) ? (uint64_t)odd_int(t) : 32);
    tree_set(t, q, NPU__S_QuantizationParameters_details_type, 2);
    tree_set_tab(t, q, NPU__S_QuantizationParameters_details, d);
}

static void edit_quant(tree *t) {
    node    *g = any_subgraph(t), *q;
    int32_t  index;
    node    *tensor = any_tensor(t, g, &index);
    value   *slot = tree_at(t, tensor, NPU__S_Tensor_quantization), *v;
    uint64_t x;
    if (!tensor) return;
    if (!slot->there) {
        tree_set_tab(t, tensor, NPU__S_Tensor_quantization, tree_node(t, NPU__T_QuantizationParameters));
        plain_quant(t, tensor, slot->tab);
    }
    q = slot->tab;
    switch (pick(t, 9)) {
    case 0: case 1:
        v = tree_at(t, q, NPU__S_QuantizationParameters_scale);
        x = float_bits(odd_float(t));
        if (v->n) memcpy(tree_own(t, v, v->n, 4) + 4 * (size_t)pick(t, v->n), &x, 4);
        return;
    case 2: case 3:
        if (once_in(t, 2)) plain_quant(t, tensor, q);
        v = tree_at(t, q, NPU__S_QuantizationParameters_zero_point);
        x = once_in(t, 2) ? (uint64_t)odd_int(t) : once_in(t, 2) ? (uint64_t)INT32_MAX : (uint64_t)INT32_MIN;
        if (v->n) memcpy(tree_own(t, v, v->n, 8) + 8 * (size_t)pick(t, v->n), &x, 8);
        return;
    case 4: plain_quant(t, tensor, q); return;
    case 5: blockwise_quant(t, g, q); return;
    case 6: edit_vector(t, tree_at(t, q, NPU__S_QuantizationParameters_scale), NPU__K_VF32, NPU__E_NONE); return;
    case 7:
        if (once_in(t, 2)) memset(slot, 0, sizeof *slot);
        else edit_vector(t, tree_at(t, q, NPU__S_QuantizationParameters_zero_point), NPU__K_VI64, NPU__E_NONE);
        return;
    default: edit_any(t, q);
    }
}

/* ---- sparsity ---- */

/* A vector of segments or indices in one of its three widths. */
static void set_sparse_vector(tree *t, node *dim, int type_slot, const int32_t *from, uint32_t n) {
    uint32_t type = 1 + pick(t, 3), elem = type == 1 ? 4 : type == 2 ? 2 : 1;
    node    *d = tree_node(t, npu__union_table(NPU__U_SparseIndexVector, (uint8_t)type));
    uint8_t *p = tree_own(t, tree_at(t, d, 0), n, elem);
    for (uint32_t i = 0; i < n; i++) memcpy(p + (size_t)i * elem, &from[i], elem);
    tree_set(t, dim, type_slot, type);
    tree_set_tab(t, dim, type_slot + 1, d);
}

/* Level `size` wide under `rows` parents; each keeps `each` of its entries. Returns the number of entries. */
static uint32_t sparse_level(tree *t, node *dim, int32_t size, uint32_t rows, uint32_t each) {
    int32_t  segments[65], indices[256];
    uint32_t n = 0;
    rows = rows > 64 ? 64 : rows;
    each = (int64_t)each > size ? (uint32_t)(size > 0 ? size : 0) : each;
    segments[0] = 0;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < each && n < 256; i++) indices[n++] = (int32_t)i;
        segments[r + 1] = (int32_t)n;
    }
    tree_set(t, dim, NPU__S_DimensionMetadata_format, 1);
    set_sparse_vector(t, dim, NPU__S_DimensionMetadata_array_segments_type, segments, rows + 1);
    set_sparse_vector(t, dim, NPU__S_DimensionMetadata_array_indices_type, indices, n);
    return n;
}

/* Sound parameters for the tensor's shape, and as many values in its buffer as they speak of, most of the time. */
static void plain_sparsity(tree *t, node *tensor) {
    value   *shape = tree_at(t, tensor, NPU__S_Tensor_shape);
    node    *s = tree_node(t, NPU__T_SparsityParameters);
    uint32_t rows = 1, blocks = once_in(t, 3) && shape->n ? 1 : 0, n = shape->n, sparse = pick(t, n + blocks);
    for (uint32_t i = 0; i < n + blocks; i++) {
        node   *dim = tree_node(t, NPU__T_DimensionMetadata);
        int32_t size = i < n ? tree_i32(shape, i) : 2;
        tree_push_i32(t, tree_at(t, s, NPU__S_SparsityParameters_traversal_order), (int32_t)i);
        if (i >= n) tree_push_i32(t, tree_at(t, s, NPU__S_SparsityParameters_block_map), (int32_t)(n - 1));
        if (blocks && i == n - 1) size /= 2;
        if (i == sparse || once_in(t, 4)) {
            rows = sparse_level(t, dim, size, rows, 1 + pick(t, 3));
        } else {
            tree_set(t, dim, NPU__S_DimensionMetadata_dense_size, (uint64_t)(uint32_t)size);
            rows = size > 0 && rows < 4096 && size < 4096 ? rows * (uint32_t)size : 4096;
        }
        tree_append(t, s, NPU__S_SparsityParameters_dim_metadata, dim);
    }
    tree_set_tab(t, tensor, NPU__S_Tensor_sparsity, s);
    if (once_in(t, 3) && rows <= 4096) {
        uint32_t bytes = rows * (uint32_t)npu_type_bits((npu_type)tree_get(t, tensor, NPU__S_Tensor_type)) / 8;
        give_buffer(t, tensor, (const uint8_t *)tree_take(t, bytes + 1), bytes);
    }
}

static void edit_sparsity(tree *t) {
    int32_t i;
    node   *tensor = any_tensor(t, any_subgraph(t), &i);
    value  *v = tree_at(t, tensor, NPU__S_Tensor_sparsity);
    if (!tensor) return;
    if (!v->there || once_in(t, 3)) plain_sparsity(t, tensor);
    if (once_in(t, 8)) memset(v, 0, sizeof *v);
    if (once_in(t, 8)) tree_set_tab(t, tensor, NPU__S_Tensor_sparsity, tree_node(t, NPU__T_SparsityParameters));
    for (uint32_t n = pick(t, 4); v->there && n; n--) edit_any(t, v->tab);
}

/* ---- contents ---- */

static void small_numbers(tree *t, node *tensor) {
    value   *v = tree_at(t, buffer_of(t, tensor), NPU__S_Buffer_data);
    uint64_t type = tree_get(t, tensor, NPU__S_Tensor_type);
    uint32_t elem = (uint32_t)npu_type_bits((npu_type)type) / 8, n;
    uint8_t *p;
    if (elem == 0 || elem > 8 || v->n < elem) return;
    n = v->n / elem;
    p = tree_own(t, v, v->n, 1);
    for (uint32_t k = once_in(t, 2) ? 1 : n; k; k--) {
        uint64_t x = type == NPU_FLOAT32 ? float_bits(odd_float(t)) : (uint64_t)odd_int(t);
        if (!once_in(t, 4) && type != NPU_FLOAT32) x = (uint64_t)((int64_t)pick(t, 8) - 3);
        memcpy(p + (size_t)pick(t, n) * elem, &x, elem);
    }
}

static void edit_contents(tree *t) {
    int32_t i;
    node   *g = any_subgraph(t), *tensor = any_tensor(t, g, &i), *other = any_tensor(t, g, &i), *b;
    value  *v;
    if (!tensor) return;
    for (int k = 0; k < 4 && !is_constant(t, tensor); k++) tensor = any_tensor(t, g, &i);
    b = buffer_of(t, tensor);
    v = tree_at(t, b, NPU__S_Buffer_data);
    switch (pick(t, 10)) {
    case 0: case 1: case 2: case 3: small_numbers(t, tensor); return;
    case 4: edit_vector(t, v, NPU__K_VU8, NPU__E_NONE); return;
    case 5: if (v->n) tree_own(t, v, pick(t, 2 * (uint64_t)v->n), 1); return;
    case 6: /* shared */
        tree_set(t, tensor, NPU__S_Tensor_buffer, once_in(t, 4) ? (uint64_t)odd_int(t) : tree_get(t, other, NPU__S_Tensor_buffer));
        if (once_in(t, 2) && other) *tree_at(t, tensor, NPU__S_Tensor_shape) = *tree_at(t, other, NPU__S_Tensor_shape);
        return;
    case 7: fit_buffer(t, tensor); return;
    case 8: /* behind the flatbuffer */
        if (!b || !v->n) return;
        b->outside = v->p;
        b->n_outside = v->n;
        memset(v, 0, sizeof *v);
        return;
    default:
        if (!b) return;
        tree_set(t, b, NPU__S_Buffer_offset, once_in(t, 2) ? pick(t, 4096) : (uint64_t)odd_int(t));
        tree_set(t, b, NPU__S_Buffer_size, once_in(t, 2) ? pick(t, 256) : (uint64_t)odd_int(t));
        if (once_in(t, 2)) memset(v, 0, sizeof *v);
    }
}

static void edit_variable(tree *t) {
    int32_t i;
    node   *tensor = any_tensor(t, any_subgraph(t), &i);
    if (!tensor) return;
    tree_set(t, tensor, NPU__S_Tensor_is_variable, !tree_get(t, tensor, NPU__S_Tensor_is_variable));
    if (once_in(t, 2)) tree_set(t, tensor, NPU__S_Tensor_buffer, 0);
}

/* Takes `index` out of a list of indices. */
static void drop_index(tree *t, value *v, int32_t index) {
    uint32_t n = 0;
    uint8_t *p = v->n ? tree_own(t, v, v->n, 4) : NULL;
    for (uint32_t i = 0; i < v->n; i++) {
        int32_t x = tree_i32(v, i);
        if (x == index) continue;
        memcpy(p + 4 * (size_t)n++, &x, 4);
    }
    v->n = n;
}

/* An input becomes constant, so that planning computes with it; or a constant an input, so that shapes depend on data. */
static void edit_constness(tree *t) {
    node    *g = any_subgraph(t), *tensor;
    value   *inputs = tree_at(t, g, NPU__S_SubGraph_inputs);
    int32_t  i;
    uint32_t n;
    if (inputs->n && once_in(t, 2)) {
        i = tree_i32(inputs, pick(t, inputs->n));
        tensor = nth_of(t, g, NPU__S_SubGraph_tensors, i);
        if (!tensor) return;
        n = (uint32_t)tensor_bytes(t, tensor, 8192);
        give_buffer(t, tensor, (const uint8_t *)tree_take(t, n + 1), n);
        small_numbers(t, tensor);
        drop_index(t, inputs, i);
        return;
    }
    tensor = any_tensor(t, g, &i);
    if (!is_constant(t, tensor)) return;
    tree_set(t, tensor, NPU__S_Tensor_buffer, 0);
    tree_push_i32(t, inputs, i);
}
