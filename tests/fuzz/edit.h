/* What all edits use: random numbers, odd numbers, picking parts of the model, changing values by their kind. */
#ifndef FUZZ_EDIT_H
#define FUZZ_EDIT_H

static uint32_t pick(tree *t, uint64_t limit) {
    uint64_t z = t->rng += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return limit ? (uint32_t)(z % limit) : 0;
}

/* True once in n times. */
static int once_in(tree *t, uint32_t n) { return pick(t, n) == 0; }

static uint64_t random_bits(tree *t) { return (uint64_t)pick(t, 1ull << 32) << 32 | pick(t, 1ull << 32); }

/* Numbers that decide things: small ones most of the time, then the edges of every width. */
static int64_t odd_int(tree *t) {
    static const int64_t edges[] = {
        -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, 65535, 65536, 46341, 1 << 20, 1 << 24, 1 << 28,
        1 << 30, INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1, UINT32_MAX, (int64_t)1 << 32, (int64_t)1 << 40,
        INT64_MAX, INT64_MIN, INT64_MAX / 2};
    switch (pick(t, 8)) {
    case 0: case 1: case 2: case 3: return (int64_t)pick(t, 9) - 2;
    case 4: return (int64_t)pick(t, 300);
    case 5: return ((int64_t)1 << pick(t, 40)) + (int64_t)pick(t, 3) - 1;
    case 6: return edges[pick(t, NPU__COUNT(edges))];
    default: return once_in(t, 4) ? (int64_t)random_bits(t) : -(int64_t)pick(t, 1 << 16);
    }
}

static float odd_float(tree *t) {
    static const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 0.0078125f, 1e-38f, 1e-42f, 1e38f, 3.4e38f, -0.25f, 127.0f};
    uint32_t bits = (uint32_t)random_bits(t);
    float    f;
    if (once_in(t, 8)) bits = once_in(t, 2) ? 0x7F800000u : 0xFF800000u;
    else if (once_in(t, 8)) bits = 0x7FC00000u;
    else if (!once_in(t, 4)) return edges[pick(t, NPU__COUNT(edges))];
    memcpy(&f, &bits, 4);
    return f;
}

static uint64_t float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

/* ---- values, by the kind the schema gives them ---- */

static uint64_t odd_of_kind(tree *t, int32_t kind, int32_t sub, uint64_t old) {
    switch (kind) {
    case NPU__K_BOOL: case NPU__K_VBOOL: return once_in(t, 16) ? pick(t, 256) : !old;
    case NPU__K_I8: case NPU__K_UTYPE:
        if (sub == NPU__E_TensorType && !once_in(t, 8)) return pick(t, NPU_TYPE_COUNT);
        return once_in(t, 4) ? pick(t, 256) : pick(t, 6);
    case NPU__K_F32: case NPU__K_VF32: return float_bits(odd_float(t));
    case NPU__K_VU8: case NPU__K_STR: return pick(t, 256);
    default: break;
    }
    if (once_in(t, 4)) return old + pick(t, 3) - 1;
    return (uint64_t)odd_int(t);
}

static void edit_scalar(tree *t, value *v, const npu__schema_field *f) {
    if (v->there && once_in(t, 8)) {
        memset(v, 0, sizeof *v);
        return;
    }
    v->bits = odd_of_kind(t, f->kind, f->sub, v->bits);
    v->there = 1;
}

/* Changes, adds or takes away elements. `elem`: bytes of one. */
static void edit_vector(tree *t, value *v, int32_t kind, int32_t sub) {
    uint32_t elem = npu__kind_bytes(kind), n = v->n, i, k;
    uint64_t x = 0;
    uint8_t *p;
    switch (n ? pick(t, 8) : 3) {
    case 0: /* one element less */
        p = tree_own(t, v, n, elem);
        i = pick(t, n);
        memmove(p + (size_t)i * elem, p + (size_t)(i + 1) * elem, (size_t)(n - i - 1) * elem);
        v->n = n - 1;
        return;
    case 1: /* cut */
        v->n = pick(t, n);
        return;
    case 2: /* two elements change places */
        p = tree_own(t, v, n, elem);
        i = pick(t, n);
        k = pick(t, n);
        memcpy(&x, p + (size_t)i * elem, elem);
        memmove(p + (size_t)i * elem, p + (size_t)k * elem, elem);
        memcpy(p + (size_t)k * elem, &x, elem);
        return;
    case 3: /* one more, or some */
        k = n + (once_in(t, 8) ? 1 + pick(t, 40) : 1);
        p = tree_own(t, v, k, elem);
        for (i = n; i < k; i++) {
            x = odd_of_kind(t, kind, sub, 0);
            memcpy(p + (size_t)i * elem, &x, elem);
        }
        return;
    case 4:
        if (once_in(t, 3)) memset(v, 0, sizeof *v);
        return;
    default:
        p = tree_own(t, v, n, elem);
        i = pick(t, n);
        memcpy(&x, p + (size_t)i * elem, elem);
        x = odd_of_kind(t, kind, sub, x);
        memcpy(p + (size_t)i * elem, &x, elem);
    }
}

static void edit_tables(tree *t, value *v, int32_t table) {
    uint32_t n = v->n, i = pick(t, n), k = pick(t, n);
    node    *keep;
    node   **p;
    if (n == 0 || once_in(t, 3)) {
        p = (node **)tree_take(t, ((size_t)n + 1) * sizeof(node *));
        if (n) memcpy(p, v->tabs, n * sizeof(node *));
        p[n] = n ? tree_copy(t, v->tabs[i]) : tree_node(t, table);
        v->tabs = p;
        v->n = n + 1;
        v->there = 1;
        return;
    }
    p = v->tabs;
    if (once_in(t, 2)) { /* the last one takes the place of another */
        p[i] = p[n - 1];
        v->n = n - 1;
        return;
    }
    keep = p[i];
    p[i] = p[k];
    p[k] = keep;
}

/* Another member of a union, empty, or none. */
static void edit_union(tree *t, node *d, const npu__schema_field *f) {
    value  *v = &d->slots[f->slot];
    uint8_t type = (uint8_t)(once_in(t, 8) ? pick(t, 256) : 1 + pick(t, f->sub == NPU__U_BuiltinOptions ? 126 : 3));
    if (v->there && once_in(t, 3)) {
        memset(v, 0, sizeof *v);
        type = 0;
    } else {
        v->there = 1;
        v->tab = tree_node(t, npu__union_table(f->sub, type));
    }
    tree_set(t, d, f->slot - 1, type);
}

/* Changes one field of this table, or of one inside it. */
static void edit_any(tree *t, node *d) {
    for (int depth = 0; d && depth < 12; depth++) {
        int32_t                  n;
        const npu__schema_field *fields = npu__schema_fields(d->table, &n), *f;
        value                   *v;
        if (n == 0) return;
        f = &fields[pick(t, (uint64_t)n)];
        v = &d->slots[f->slot];
        if (!v->there && !once_in(t, 3)) continue; /* rather one that is there */
        if (f->kind < NPU__K_UTYPE) {
            edit_scalar(t, v, f);
        } else if (f->kind == NPU__K_UTYPE) {
            continue; /* its union decides */
        } else if (f->kind == NPU__K_UNION) {
            if (v->there && v->tab && !once_in(t, 6)) {
                d = v->tab;
                continue;
            }
            edit_union(t, d, f);
        } else if (f->kind == NPU__K_TAB) {
            if (!v->there) tree_set_tab(t, d, f->slot, tree_node(t, f->sub));
            else if (once_in(t, 12)) memset(v, 0, sizeof *v);
            if (v->there) {
                d = v->tab;
                continue;
            }
        } else if (f->kind == NPU__K_VTAB) {
            if (v->n && !once_in(t, 6)) {
                d = v->tabs[pick(t, v->n)];
                continue;
            }
            edit_tables(t, v, f->sub);
        } else {
            edit_vector(t, v, f->kind, f->sub);
        }
        return;
    }
}

/* ---- parts of the model ---- */

static node *any_of(tree *t, node *d, int slot) {
    value *v = tree_at(t, d, slot);
    return v->n ? v->tabs[pick(t, v->n)] : NULL;
}

static node *nth_of(tree *t, node *d, int slot, int64_t i) {
    value *v = tree_at(t, d, slot);
    return i >= 0 && i < (int64_t)v->n ? v->tabs[i] : NULL;
}

static node *any_subgraph(tree *t) { return any_of(t, t->root, NPU__S_Model_subgraphs); }

/* A tensor of a subgraph: one that an operator uses, most of the time. Its index in *index. */
static node *any_tensor(tree *t, node *g, int32_t *index) {
    node  *op = any_of(t, g, NPU__S_SubGraph_operators);
    value *v = tree_at(t, op, pick(t, 3) ? NPU__S_Operator_inputs : NPU__S_Operator_outputs);
    value *all = tree_at(t, g, NPU__S_SubGraph_tensors);
    *index = all->n ? (int32_t)pick(t, all->n) : -1;
    if (op && v->n && !once_in(t, 4)) *index = tree_i32(v, pick(t, v->n));
    return nth_of(t, g, NPU__S_SubGraph_tensors, *index);
}

static node *buffer_of(tree *t, node *tensor) {
    int64_t i = tensor ? (int64_t)tree_get(t, tensor, NPU__S_Tensor_buffer) : 0;
    return i > 0 ? nth_of(t, t->root, NPU__S_Model_buffers, i) : NULL;
}

static int is_constant(tree *t, node *tensor) {
    node *b = buffer_of(t, tensor);
    return b && (tree_at(t, b, NPU__S_Buffer_data)->n > 0 || b->n_outside > 0);
}

/* Bytes that type and shape ask for; at most `most`. */
static size_t tensor_bytes(tree *t, node *tensor, size_t most) {
    value   *shape = tree_at(t, tensor, NPU__S_Tensor_shape);
    uint64_t bits = (uint64_t)npu_type_bits((npu_type)tree_get(t, tensor, NPU__S_Tensor_type));
    for (uint32_t i = 0; i < shape->n && bits <= (uint64_t)most * 8; i++) {
        int32_t d = tree_i32(shape, i);
        bits = d < 0 ? bits : bits * (uint64_t)d;
    }
    return (bits + 7) / 8 < most ? (size_t)((bits + 7) / 8) : most;
}

/* A fresh buffer of the tensor's own with these bytes. */
static void give_buffer(tree *t, node *tensor, const uint8_t *p, uint32_t n) {
    node  *b = tree_node(t, NPU__T_Buffer);
    value *v = tree_at(t, b, NPU__S_Buffer_data);
    if (tree_at(t, t->root, NPU__S_Model_buffers)->n == 0) {
        tree_append(t, t->root, NPU__S_Model_buffers, tree_node(t, NPU__T_Buffer));
    }
    v->p = p;
    v->n = n;
    v->there = 1;
    tree_set(t, tensor, NPU__S_Tensor_buffer, tree_append(t, t->root, NPU__S_Model_buffers, b));
}

/* Contents of the tensor's buffer to be written to, as long as the shape says; what is new repeats the old. */
static void fit_buffer(tree *t, node *tensor) {
    node    *b = buffer_of(t, tensor);
    value   *v = tree_at(t, b, NPU__S_Buffer_data);
    uint32_t n = (uint32_t)tensor_bytes(t, tensor, 8192), old = v->n;
    uint8_t *p;
    if (!b || old == 0 || old == n) return;
    p = (uint8_t *)tree_take(t, n + 1);
    for (uint32_t i = 0; i < n; i++) p[i] = v->p[i % old];
    give_buffer(t, tensor, p, n);
}

static node *new_tensor(tree *t, node *g, int32_t type, const int32_t *dims, uint32_t rank, int32_t *index) {
    node *d = tree_node(t, NPU__T_Tensor);
    tree_set(t, d, NPU__S_Tensor_type, (uint64_t)type);
    tree_set_i32s(t, tree_at(t, d, NPU__S_Tensor_shape), dims, rank);
    tree_set_str(t, d, NPU__S_Tensor_name, "n");
    *index = (int32_t)tree_append(t, g, NPU__S_SubGraph_tensors, d);
    return d;
}

/* ---- operators ---- */

static int32_t code_of(tree *t, node *op) {
    node   *c = nth_of(t, t->root, NPU__S_Model_operator_codes, (int64_t)tree_get(t, op, NPU__S_Operator_opcode_index));
    int32_t a = (int8_t)tree_get(t, c, NPU__S_OperatorCode_deprecated_builtin_code);
    int32_t b = (int32_t)tree_get(t, c, NPU__S_OperatorCode_builtin_code);
    return !c ? -1 : a > b ? a : b;
}

/* Index of an operator code that says so, appended if there is none. */
static uint32_t give_code(tree *t, int32_t builtin, const char *custom) {
    value *codes = tree_at(t, t->root, NPU__S_Model_operator_codes);
    node  *c = tree_node(t, NPU__T_OperatorCode);
    for (uint32_t i = 0; !custom && i < codes->n; i++) {
        if ((int32_t)tree_get(t, codes->tabs[i], NPU__S_OperatorCode_builtin_code) == builtin) return i;
    }
    tree_set(t, c, NPU__S_OperatorCode_builtin_code, (uint64_t)builtin);
    tree_set(t, c, NPU__S_OperatorCode_deprecated_builtin_code, (uint64_t)(builtin < 127 ? builtin : 127));
    if (custom) tree_set_str(t, c, NPU__S_OperatorCode_custom_code, custom);
    return tree_append(t, t->root, NPU__S_Model_operator_codes, c);
}

/* Gives the operator options of the kind its code asks for, with odd values in some fields. */
static void give_options(tree *t, node *op, int32_t code) {
    int32_t which, table = npu__builtin_options_table(code);
    uint8_t type = npu__builtin_options_type(code, &which);
    node   *o;
    memset(tree_at(t, op, NPU__S_Operator_builtin_options), 0, sizeof(value));
    memset(tree_at(t, op, NPU__S_Operator_builtin_options_2), 0, sizeof(value));
    tree_set(t, op, NPU__S_Operator_builtin_options_type, which == NPU__U_BuiltinOptions ? type : 0);
    tree_set(t, op, NPU__S_Operator_builtin_options_2_type, which == NPU__U_BuiltinOptions2 ? type : 0);
    if (table == NPU__T_NONE) return;
    o = tree_node(t, table);
    for (int32_t i = 0; i < o->n_slots; i++) {
        const npu__schema_field *f = tree_field(table, i);
        if (f && f->kind == NPU__K_I32 && !once_in(t, 4)) tree_set(t, o, i, pick(t, 3));
    }
    tree_set_tab(t, op, which == NPU__U_BuiltinOptions ? NPU__S_Operator_builtin_options
                                                       : NPU__S_Operator_builtin_options_2, o);
}

static const int32_t *supported_codes(uint32_t *n) {
    static const int32_t codes[] = {
#define NPU_X(name, code, def) code,
        NPU__OPS(NPU_X)
#undef NPU_X
    };
    *n = NPU__COUNT(codes);
    return codes;
}

static const char *custom_name(tree *t) {
    static const char *const names[] = {
#define NPU_X(id, name, def) name,
        NPU__CUSTOM_OPS(NPU_X)
#undef NPU_X
        "Unknown"};
    return names[pick(t, NPU__COUNT(names))];
}

/* Inserts an operator at a place of the subgraph. */
static void insert_op(tree *t, node *g, uint32_t place, node *op) {
    value   *v = tree_at(t, g, NPU__S_SubGraph_operators);
    uint32_t i = tree_append(t, g, NPU__S_SubGraph_operators, op);
    for (; i > place; i--) v->tabs[i] = v->tabs[i - 1];
    v->tabs[place < v->n ? place : v->n - 1] = op;
}

#endif
