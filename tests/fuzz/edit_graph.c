/* Edits of operators and what ties them together: options, indices, codes, order, subgraphs, signatures, metadata. */

static void edit_options(tree *t) {
    node   *op = any_of(t, any_subgraph(t), NPU__S_SubGraph_operators);
    int32_t which, code = code_of(t, op);
    value  *v;
    if (!op) return;
    npu__builtin_options_type(code, &which);
    v = tree_at(t, op, which == NPU__U_BuiltinOptions2 ? NPU__S_Operator_builtin_options_2 : NPU__S_Operator_builtin_options);
    if (!v->there || !v->tab) give_options(t, op, code);
    if (v->tab) {
        for (uint32_t n = 1 + pick(t, 3); n; n--) edit_any(t, v->tab);
    }
    if (once_in(t, 12)) edit_union(t, op, tree_field(NPU__T_Operator, NPU__S_Operator_builtin_options));
}

static int32_t odd_index(tree *t, node *g) {
    value *all = tree_at(t, g, NPU__S_SubGraph_tensors), *io;
    switch (pick(t, 8)) {
    case 0: return -1;
    case 1: return once_in(t, 4) ? (int32_t)odd_int(t) : (int32_t)all->n;
    case 2: case 3:
        io = tree_at(t, g, once_in(t, 2) ? NPU__S_SubGraph_inputs : NPU__S_SubGraph_outputs);
        return io->n ? tree_i32(io, pick(t, io->n)) : 0;
    default: return (int32_t)pick(t, all->n);
    }
}

static void set_index(tree *t, node *g, value *v) {
    int32_t x = odd_index(t, g);
    if (v->n && !once_in(t, 4)) memcpy(tree_own(t, v, v->n, 4) + 4 * (size_t)pick(t, v->n), &x, 4);
    else if (once_in(t, 3)) edit_vector(t, v, NPU__K_VI32, NPU__E_NONE);
    else tree_push_i32(t, v, x);
}

static void edit_indices(tree *t) {
    static const int slots[] = {NPU__S_Operator_inputs, NPU__S_Operator_inputs, NPU__S_Operator_outputs,
                                NPU__S_Operator_intermediates};
    node  *g = any_subgraph(t), *op = any_of(t, g, NPU__S_SubGraph_operators);
    value *in = tree_at(t, op, NPU__S_Operator_inputs);
    if (!op) return;
    if (once_in(t, 6) && in->n) { /* an output that is an input too */
        tree_push_i32(t, tree_at(t, op, NPU__S_Operator_outputs), tree_i32(in, pick(t, in->n)));
        return;
    }
    set_index(t, g, tree_at(t, op, slots[pick(t, 4)]));
}

static void edit_borders(tree *t) {
    node *g = any_subgraph(t);
    if (g) set_index(t, g, tree_at(t, g, once_in(t, 2) ? NPU__S_SubGraph_inputs : NPU__S_SubGraph_outputs));
}

static void edit_code(tree *t) {
    node          *op = any_of(t, any_subgraph(t), NPU__S_SubGraph_operators);
    uint32_t       n;
    const int32_t *codes = supported_codes(&n);
    int32_t        code = once_in(t, 10) ? (int32_t)odd_int(t) : codes[pick(t, n)];
    if (!op) return;
    if (once_in(t, 5)) {
        tree_set(t, op, NPU__S_Operator_opcode_index, give_code(t, NPU__BUILTIN_CUSTOM, custom_name(t)));
        return;
    }
    tree_set(t, op, NPU__S_Operator_opcode_index, give_code(t, code, NULL));
    if (!once_in(t, 4)) give_options(t, op, code);
}

static void edit_order(tree *t) {
    node    *g = any_subgraph(t);
    value   *ops = tree_at(t, g, NPU__S_SubGraph_operators);
    uint32_t i = pick(t, ops->n), k = pick(t, ops->n);
    node    *keep;
    if (ops->n == 0) return;
    switch (pick(t, 3)) {
    case 0: insert_op(t, g, i, tree_copy(t, ops->tabs[k])); return;
    case 1:
        for (ops->n--; i < ops->n; i++) ops->tabs[i] = ops->tabs[i + 1];
        return;
    default:
        keep = ops->tabs[i];
        ops->tabs[i] = ops->tabs[k];
        ops->tabs[k] = keep;
    }
}

/* An operator that reads tensors there are and writes a new one of the first one's shape. */
static void edit_new_op(tree *t) {
    node          *g = any_subgraph(t), *op = tree_node(t, NPU__T_Operator), *from, *out;
    uint32_t       n;
    const int32_t *codes = supported_codes(&n);
    int32_t        code = codes[pick(t, n)], in, index;
    if (!g) return;
    from = any_tensor(t, g, &in);
    if (!from) return;
    tree_set(t, op, NPU__S_Operator_opcode_index, give_code(t, code, NULL));
    give_options(t, op, code);
    tree_push_i32(t, tree_at(t, op, NPU__S_Operator_inputs), in);
    for (uint32_t k = pick(t, 3); k; k--) {
        any_tensor(t, g, &index);
        tree_push_i32(t, tree_at(t, op, NPU__S_Operator_inputs), index);
    }
    out = tree_copy(t, from);
    tree_set(t, out, NPU__S_Tensor_buffer, 0);
    tree_set(t, out, NPU__S_Tensor_is_variable, 0);
    index = (int32_t)tree_append(t, g, NPU__S_SubGraph_tensors, out);
    tree_push_i32(t, tree_at(t, op, NPU__S_Operator_outputs), index);
    insert_op(t, g, pick(t, (uint64_t)tree_at(t, g, NPU__S_SubGraph_operators)->n + 1), op);
    tree_push_i32(t, tree_at(t, g, NPU__S_SubGraph_outputs), index);
}

/* A constant of `n` small int32, as a new tensor. */
static int32_t new_i32s(tree *t, node *g, const int32_t *x, int32_t n) {
    int32_t  index;
    node    *c = new_tensor(t, g, NPU_INT32, &n, 1, &index);
    uint8_t *p = (uint8_t *)tree_take(t, 4 * (size_t)n + 1);
    memcpy(p, x, 4 * (size_t)n);
    give_buffer(t, c, p, 4 * (uint32_t)n);
    return index;
}

/* What reads the tensor gets windows, strides or counts that are as large. */
static void widen_readers(tree *t, node *g, int32_t index) {
    value *ops = tree_at(t, g, NPU__S_SubGraph_operators);
    for (uint32_t i = 0; i < ops->n; i++) {
        value *in = tree_at(t, ops->tabs[i], NPU__S_Operator_inputs);
        node  *o = tree_at(t, ops->tabs[i], NPU__S_Operator_builtin_options)->tab;
        for (int32_t k = 0; o && in->n && tree_i32(in, 0) == index && k < o->n_slots; k++) {
            const npu__schema_field *f = tree_field(o->table, k);
            if (f && f->kind == NPU__K_I32 && once_in(t, 2)) tree_set(t, o, k, 1 + pick(t, 1 << 11));
        }
    }
}

/* An input of an operator comes from FILL, with dimensions of any size: large tensors in small files. Constant dimensions
 * are computed with while planning; those that come in (`dynamic`) only when the model runs. */
static void edit_fill(tree *t) {
    node    *g = any_subgraph(t), *op = tree_node(t, NPU__T_Operator), *from, *value_tensor;
    int32_t  index, dims[9], sizes, value_index, rank;
    value   *shape;
    uint32_t bytes;
    int      large = once_in(t, 2);
    if (!g || !(from = any_tensor(t, g, &index))) return;
    shape = tree_at(t, from, NPU__S_Tensor_shape);
    rank = shape->n < 9 ? (int32_t)shape->n : 8;
    if (rank == 0) return;
    for (int32_t i = 0; i < rank; i++) {
        dims[i] = tree_i32(shape, (uint32_t)i);
        if (large && i > 0 && i < rank - 1) dims[i] = 256 + (int32_t)pick(t, 1 << 11);
        else if (once_in(t, 4)) dims[i] = once_in(t, 2) ? (int32_t)pick(t, 1 << 11) : (int32_t)odd_int(t);
    }
    if (large) widen_readers(t, g, index);
    sizes = new_i32s(t, g, dims, rank);
    if (once_in(t, 3)) { /* dynamic */
        tree_set(t, nth_of(t, g, NPU__S_SubGraph_tensors, sizes), NPU__S_Tensor_buffer, 0);
        tree_push_i32(t, tree_at(t, g, NPU__S_SubGraph_inputs), sizes);
    } else {
        tree_set_i32s(t, shape, dims, (uint32_t)rank);
    }
    value_tensor = new_tensor(t, g, (int32_t)tree_get(t, from, NPU__S_Tensor_type), NULL, 0, &value_index);
    bytes = (uint32_t)tensor_bytes(t, value_tensor, 16);
    give_buffer(t, value_tensor, (const uint8_t *)tree_take(t, bytes + 1), bytes);
    tree_set(t, op, NPU__S_Operator_opcode_index, give_code(t, NPU__BUILTIN_FILL, NULL));
    tree_push_i32(t, tree_at(t, op, NPU__S_Operator_inputs), sizes);
    tree_push_i32(t, tree_at(t, op, NPU__S_Operator_inputs), value_index);
    tree_push_i32(t, tree_at(t, op, NPU__S_Operator_outputs), index);
    tree_set(t, from, NPU__S_Tensor_buffer, 0);
    drop_index(t, tree_at(t, g, NPU__S_SubGraph_inputs), index);
    insert_op(t, g, 0, op);
}

/* ---- subgraphs, signatures, metadata ---- */

/* IF, WHILE or CALL_ONCE of some subgraph, which may be a copy of this one. */
static void edit_call(tree *t) {
    static const int32_t codes[] = {NPU__BUILTIN_IF, NPU__BUILTIN_WHILE, NPU__BUILTIN_CALL_ONCE};
    node    *g = any_subgraph(t), *op = tree_node(t, NPU__T_Operator), *o;
    int32_t  code = codes[pick(t, 3)], which, i;
    uint32_t n;
    value   *v;
    if (!g) return;
    if (once_in(t, 2)) tree_append(t, t->root, NPU__S_Model_subgraphs, tree_copy(t, g));
    n = tree_at(t, t->root, NPU__S_Model_subgraphs)->n;
    tree_set(t, op, NPU__S_Operator_opcode_index, give_code(t, code, NULL));
    o = tree_node(t, npu__builtin_options_table(code));
    tree_set(t, op, NPU__S_Operator_builtin_options_type, npu__builtin_options_type(code, &which));
    tree_set_tab(t, op, NPU__S_Operator_builtin_options, o);
    for (i = 0; i < 2 && i < o->n_slots; i++) tree_set(t, o, i, once_in(t, 6) ? (uint64_t)odd_int(t) : pick(t, n));
    v = tree_at(t, op, NPU__S_Operator_inputs);
    if (code == NPU__BUILTIN_IF) tree_push_i32(t, v, odd_index(t, g));
    *tree_at(t, op, NPU__S_Operator_outputs) = *tree_at(t, g, NPU__S_SubGraph_outputs);
    if (code == NPU__BUILTIN_CALL_ONCE) memset(tree_at(t, op, NPU__S_Operator_outputs), 0, sizeof(value));
    for (i = 0; code != NPU__BUILTIN_CALL_ONCE && i < (int32_t)tree_at(t, g, NPU__S_SubGraph_inputs)->n; i++) {
        tree_push_i32(t, v, tree_i32(tree_at(t, g, NPU__S_SubGraph_inputs), (uint32_t)i));
    }
    insert_op(t, g, pick(t, (uint64_t)tree_at(t, g, NPU__S_SubGraph_operators)->n + 1), op);
}

static void edit_signatures(tree *t) {
    node *s = any_of(t, t->root, NPU__S_Model_signature_defs);
    if (!s || once_in(t, 4)) {
        node  *g = any_subgraph(t);
        value *in = tree_at(t, g, NPU__S_SubGraph_inputs);
        s = tree_node(t, NPU__T_SignatureDef);
        tree_set_str(t, s, NPU__S_SignatureDef_signature_key, "serving");
        for (uint32_t i = 0; i < in->n && i < 8; i++) {
            node *m = tree_node(t, NPU__T_TensorMap);
            tree_set_str(t, m, NPU__S_TensorMap_name, "x");
            tree_set(t, m, NPU__S_TensorMap_tensor_index, (uint64_t)tree_i32(in, i));
            tree_append(t, s, NPU__S_SignatureDef_inputs, m);
        }
        tree_append(t, t->root, NPU__S_Model_signature_defs, s);
    }
    if (once_in(t, 2)) edit_any(t, s);
}

/* Variables by name: the names decide which are one. */
static void edit_resource(tree *t) {
    node   *g = any_subgraph(t);
    value  *ops = tree_at(t, g, NPU__S_SubGraph_operators);
    char    name[8] = "r0";
    for (uint32_t i = 0; i < ops->n; i++) {
        node  *op = ops->tabs[i];
        value *o = tree_at(t, op, NPU__S_Operator_builtin_options);
        if (code_of(t, op) != NPU__BUILTIN_VAR_HANDLE || once_in(t, 3)) continue;
        if (!o->there || !o->tab) give_options(t, op, NPU__BUILTIN_VAR_HANDLE);
        name[1] = (char)('0' + pick(t, 4));
        if (o->tab) tree_set_str(t, o->tab, NPU__S_VarHandleOptions_shared_name, name);
    }
}

static void edit_metadata(tree *t) {
    static const char *const names[] = {"OfflineMemoryAllocation", "TFLITE_METADATA", "min_runtime_version", "x"};
    node    *m = any_of(t, t->root, NPU__S_Model_metadata), *b;
    value   *v, *all = tree_at(t, any_subgraph(t), NPU__S_SubGraph_tensors);
    uint32_t n = 3 + (all->n < 256 ? all->n : 256);
    if (m && !once_in(t, 4)) { /* numbers of the one there is */
        b = nth_of(t, t->root, NPU__S_Model_buffers, (int64_t)tree_get(t, m, NPU__S_Metadata_buffer));
        v = tree_at(t, b, NPU__S_Buffer_data);
        if (v->n >= 4 && !once_in(t, 6)) {
            int32_t x = once_in(t, 2) ? (int32_t)(16 * pick(t, 300)) : (int32_t)odd_int(t);
            memcpy(tree_own(t, v, v->n, 1) + 4 * (size_t)pick(t, v->n / 4), &x, 4);
        } else {
            edit_any(t, once_in(t, 2) && b ? b : m);
        }
        return;
    }
    m = tree_node(t, NPU__T_Metadata);
    tree_set_str(t, m, NPU__S_Metadata_name, names[pick(t, 4)]);
    b = tree_node(t, NPU__T_Buffer);
    tree_own(t, tree_at(t, b, NPU__S_Buffer_data), 4 * n, 1);
    memcpy((uint8_t *)tree_own(t, tree_at(t, b, NPU__S_Buffer_data), 4 * n, 1) + 8, &all->n, 4);
    tree_set(t, m, NPU__S_Metadata_buffer, tree_append(t, t->root, NPU__S_Model_buffers, b));
    tree_append(t, t->root, NPU__S_Model_metadata, m);
}

/* Custom options are flexbuffers: their bytes, and where they lie. */
static void edit_custom(tree *t) {
    node  *op = any_of(t, any_subgraph(t), NPU__S_SubGraph_operators);
    value *v = tree_at(t, op, NPU__S_Operator_custom_options);
    if (!op) return;
    if (v->n && once_in(t, 8)) {
        op->outside = v->p;
        op->n_outside = v->n;
        memset(v, 0, sizeof *v);
        return;
    }
    for (uint32_t n = 1 + pick(t, 4); v->n && n; n--) edit_vector(t, v, NPU__K_VU8, NPU__E_NONE);
}

/* The same element again and again: files that are large in one respect. */
static void edit_repeat(tree *t) {
    static const int model_slots[] = {NPU__S_Model_operator_codes, NPU__S_Model_subgraphs, NPU__S_Model_buffers,
                                      NPU__S_Model_metadata, NPU__S_Model_signature_defs};
    static const int graph_slots[] = {NPU__S_SubGraph_tensors, NPU__S_SubGraph_operators};
    int      top = once_in(t, 2), slot = top ? model_slots[pick(t, 5)] : graph_slots[pick(t, 2)];
    node    *d = top ? t->root : any_subgraph(t), *what = any_of(t, d, slot);
    for (uint32_t n = what ? pick(t, once_in(t, 4) ? 400 : 8) : 0; n; n--) tree_append(t, d, slot, what);
}

static void edit_anything(tree *t) { edit_any(t, t->root); }

/* ---- operators of another model ---- */

/* Copies tensor `from_index` of `from` with its buffer; unless it is constant it is an input here, or one there is. */
static int32_t splice_tensor(tree *t, node *g, node *from_model, node *from, int32_t from_index, int output) {
    node   *old = nth_of(t, from, NPU__S_SubGraph_tensors, from_index), *copy, *b;
    int64_t buffer;
    int32_t index;
    if (!old) return -1;
    copy = tree_copy(t, old);
    buffer = (int64_t)tree_get(t, copy, NPU__S_Tensor_buffer);
    b = buffer > 0 ? nth_of(t, from_model, NPU__S_Model_buffers, buffer) : NULL;
    tree_set(t, copy, NPU__S_Tensor_buffer, 0);
    if (b && !output) tree_set(t, copy, NPU__S_Tensor_buffer, tree_append(t, t->root, NPU__S_Model_buffers, tree_copy(t, b)));
    else if (!output && once_in(t, 2) && any_tensor(t, g, &index)) return index;
    index = (int32_t)tree_append(t, g, NPU__S_SubGraph_tensors, copy);
    if (output) tree_push_i32(t, tree_at(t, g, NPU__S_SubGraph_outputs), index);
    else if (!b && !tree_get(t, copy, NPU__S_Tensor_is_variable)) tree_push_i32(t, tree_at(t, g, NPU__S_SubGraph_inputs), index);
    return index;
}

/* An operator of the model `from_model` comes into this one. */
static void splice_op(tree *t, node *from_model) {
    static const int slots[] = {NPU__S_Operator_inputs, NPU__S_Operator_outputs, NPU__S_Operator_intermediates};
    node *g = any_subgraph(t), *from = any_of(t, from_model, NPU__S_Model_subgraphs), *op, *code;
    op = any_of(t, from, NPU__S_SubGraph_operators);
    if (!g || !op) return;
    code = nth_of(t, from_model, NPU__S_Model_operator_codes, (int64_t)tree_get(t, op, NPU__S_Operator_opcode_index));
    op = tree_copy(t, op);
    if (code) tree_set(t, op, NPU__S_Operator_opcode_index, tree_append(t, t->root, NPU__S_Model_operator_codes, tree_copy(t, code)));
    for (int k = 0; k < 3; k++) {
        value *v = tree_at(t, op, slots[k]);
        for (uint32_t i = 0; i < v->n && i < 64; i++) {
            int32_t x = splice_tensor(t, g, from_model, from, tree_i32(v, i), k == 1);
            memcpy(tree_own(t, v, v->n, 4) + 4 * (size_t)i, &x, 4);
        }
    }
    insert_op(t, g, pick(t, (uint64_t)tree_at(t, g, NPU__S_SubGraph_operators)->n + 1), op);
}
