/* Reading a verified file into a tree, copying parts of it, writing it. */

static value tree_read_value(tree *t, const uint8_t *file, npu__tab tab, const npu__schema_field *f);

static node *tree_read_table(tree *t, const uint8_t *file, npu__tab tab, int32_t table) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    node                    *d = tree_node(t, table);
    npu__span                span;
    for (int32_t i = 0; i < n && !tree_is_full(t); i++) {
        if (npu__tab_field(tab, f[i].slot)) d->slots[f[i].slot] = tree_read_value(t, file, tab, &f[i]);
    }
    span.p = NULL;
    span.n = 0;
    if (table == NPU__T_Buffer && !tree_at(t, d, NPU__S_Buffer_data)->there) span = npu__buffer_span(file, tab);
    if (table == NPU__T_Operator && !tree_at(t, d, NPU__S_Operator_custom_options)->there) {
        span = npu__custom_options_span(file, tab);
    }
    d->outside = span.p;
    d->n_outside = span.n;
    return d;
}

static value tree_read_value(tree *t, const uint8_t *file, npu__tab tab, const npu__schema_field *f) {
    value v;
    memset(&v, 0, sizeof v);
    v.there = 1;
    if (f->kind < NPU__K_UNION) {
        memcpy(&v.bits, npu__tab_field(tab, f->slot), npu__kind_bytes(f->kind));
    } else if (f->kind == NPU__K_TAB) {
        v.tab = tree_read_table(t, file, npu__tab_tab(tab, f->slot), f->sub);
    } else if (f->kind == NPU__K_UNION) {
        v.tab = tree_read_table(t, file, npu__tab_tab(tab, f->slot),
                                npu__union_table(f->sub, npu__tab_u8(tab, f->slot - 1, 0)));
    } else {
        npu__vec vec = npu__tab_vec(tab, f->slot);
        v.p = vec.p;
        v.n = vec.n;
        if (f->kind != NPU__K_VTAB) return v;
        v.tabs = (node **)tree_take(t, ((size_t)vec.n + 1) * sizeof(node *));
        for (uint32_t i = 0; i < vec.n; i++) v.tabs[i] = tree_read_table(t, file, npu__vec_tab(vec, i), f->sub);
    }
    return v;
}

/* False when the bytes are no valid file, or one that does not fit into a tree. `t` must be zeroed, or hold another tree: memory is shared then. */
static int tree_read(tree *t, const uint8_t *bytes, size_t n) {
    npu__tab root;
    if (npu__verify_model(bytes, n, &root, NULL) != NPU_OK) return 0;
    t->root = tree_read_table(t, bytes, root, NPU__T_Model);
    return !tree_is_full(t);
}

/* A deep copy; contents of vectors are shared, as nobody writes to them in place. In a full tree a part of one. */
static node *tree_copy(tree *t, const node *from) {
    node *d = tree_node(t, from->table);
    for (int32_t i = 0; i < d->n_slots && !tree_is_full(t); i++) {
        value *v = &d->slots[i];
        *v = from->slots[i];
        if (v->tab) v->tab = tree_copy(t, v->tab);
        if (!v->tabs) continue;
        v->tabs = (node **)tree_take(t, ((size_t)v->n + 1) * sizeof(node *));
        for (uint32_t k = 0; k < v->n; k++) v->tabs[k] = tree_copy(t, from->slots[i].tabs[k]);
    }
    d->outside = from->outside;
    d->n_outside = from->n_outside;
    return d;
}

/* ---- writing: front to back, as every offset points forward ---- */

enum { WRITER_TABLES = 64, WRITER_SHARED = 256 };

typedef struct writer {
    tree    *t;
    uint8_t *out;
    size_t   n, cap;
    int      full;
    size_t   vtables[WRITER_TABLES]; /* where the last ones lie */
    uint32_t n_vtables;
    const uint8_t *shared[WRITER_SHARED]; /* contents of buffers, and where they lie: equal pointers stay shared */
    size_t         shared_at[WRITER_SHARED];
    uint32_t       shared_n[WRITER_SHARED], n_shared;
    struct writer_late { node *d; size_t offset_at, size_at; struct writer_late *next; } *late;
} writer;

static size_t writer_add(writer *w, const void *p, size_t n) {
    size_t at = w->n;
    if (w->full || n > w->cap - w->n) {
        w->full = 1;
        return 0;
    }
    if (p) memcpy(w->out + at, p, n);
    else memset(w->out + at, 0, n);
    w->n += n;
    return at;
}

/* Pads so that what follows `head` more bytes is aligned. */
static void writer_align(writer *w, size_t head, size_t align) {
    while ((w->n + head) % align && !w->full) writer_add(w, NULL, 1);
}

static void writer_put(writer *w, size_t at, uint64_t v, size_t bytes) {
    if (!w->full) memcpy(w->out + at, &v, bytes);
}

static size_t writer_field_bytes(const npu__schema_field *f) {
    return f->kind < NPU__K_UNION ? npu__kind_bytes(f->kind) : 4;
}

/* Places the fields that are there, the widest first; returns the vtable's bytes. */
static size_t writer_layout(const node *d, uint16_t vt[130]) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(d->table, &n);
    size_t                   at = 4;
    int32_t                  slots = 0;
    memset(vt, 0, 130 * sizeof *vt);
    for (size_t size = 8; size; size /= 2) {
        for (int32_t i = 0; i < n; i++) {
            if (!d->slots[f[i].slot].there || writer_field_bytes(&f[i]) != size) continue;
            at = (at + size - 1) / size * size;
            vt[2 + f[i].slot] = (uint16_t)at;
            at += size;
            if (f[i].slot + 1 > slots) slots = f[i].slot + 1;
        }
    }
    vt[0] = (uint16_t)(4 + 2 * slots);
    vt[1] = (uint16_t)at;
    return vt[0];
}

/* Where this vtable lies, written now unless a late one is equal. */
static size_t writer_vtable(writer *w, const uint16_t *vt, size_t bytes) {
    size_t at;
    for (uint32_t i = 0; i < w->n_vtables && i < WRITER_TABLES; i++) {
        if (bytes <= w->cap - w->vtables[i] && memcmp(w->out + w->vtables[i], vt, bytes) == 0) return w->vtables[i];
    }
    writer_align(w, 0, 2);
    at = writer_add(w, vt, bytes);
    if (w->full) return 0;
    w->vtables[w->n_vtables++ % WRITER_TABLES] = at;
    return at;
}

static size_t writer_table(writer *w, const node *d);

static size_t writer_vector(writer *w, const node *d, const npu__schema_field *f, const value *v) {
    size_t   elem = f->kind == NPU__K_VTAB ? 4 : npu__kind_bytes(f->kind), at, elems;
    int      contents = d->table == NPU__T_Buffer && f->kind == NPU__K_VU8;
    uint32_t i;
    for (i = 0; contents && v->n && i < w->n_shared; i++) {
        if (w->shared[i] == v->p && w->shared_n[i] == v->n) return w->shared_at[i];
    }
    writer_align(w, 4, contents ? 16 : elem < 4 ? 4 : elem);
    at = writer_add(w, &v->n, 4);
    elems = writer_add(w, f->kind == NPU__K_VTAB ? NULL : v->p, (size_t)v->n * elem);
    if (f->kind == NPU__K_STR) writer_add(w, NULL, 1);
    for (i = 0; f->kind == NPU__K_VTAB && i < v->n && !w->full; i++) {
        size_t child = writer_table(w, v->tabs[i]);
        writer_put(w, elems + 4 * (size_t)i, child - (elems + 4 * (size_t)i), 4);
    }
    if (contents && w->n_shared < WRITER_SHARED && !w->full) {
        w->shared[w->n_shared] = v->p;
        w->shared_n[w->n_shared] = v->n;
        w->shared_at[w->n_shared++] = at;
    }
    return at;
}

static void writer_outside(writer *w, node *d, size_t table, const uint16_t *vt) {
    int                 buffer = d->table == NPU__T_Buffer;
    struct writer_late *late;
    if (!d->outside) return;
    late = (struct writer_late *)tree_take(w->t, sizeof *late);
    late->d = d;
    late->offset_at = table + vt[2 + (buffer ? NPU__S_Buffer_offset : NPU__S_Operator_large_custom_options_offset)];
    late->size_at = table + vt[2 + (buffer ? NPU__S_Buffer_size : NPU__S_Operator_large_custom_options_size)];
    late->next = w->late;
    w->late = late;
}

static size_t writer_table(writer *w, const node *from) {
    uint16_t                 vt[130];
    int32_t                  n;
    node                    *d = (node *)from;
    const npu__schema_field *f = npu__schema_fields(d->table, &n);
    size_t                   vtable, at, bytes;
    if (d->outside) {
        tree_set(w->t, d, d->table == NPU__T_Buffer ? NPU__S_Buffer_offset : NPU__S_Operator_large_custom_options_offset, 0);
        tree_set(w->t, d, d->table == NPU__T_Buffer ? NPU__S_Buffer_size : NPU__S_Operator_large_custom_options_size, 0);
    }
    bytes = writer_layout(d, vt);
    vtable = writer_vtable(w, vt, bytes);
    writer_align(w, 0, 8);
    at = writer_add(w, NULL, vt[1]);
    writer_put(w, at, at - vtable, 4);
    writer_outside(w, d, at, vt);
    for (int32_t i = 0; i < n && !w->full; i++) {
        value *v = &d->slots[f[i].slot];
        size_t field = at + vt[2 + f[i].slot], child;
        if (!v->there) continue;
        if (f[i].kind < NPU__K_UNION) {
            writer_put(w, field, v->bits, npu__kind_bytes(f[i].kind));
            continue;
        }
        if (f[i].kind == NPU__K_TAB || f[i].kind == NPU__K_UNION) {
            if (!v->tab) v->tab = tree_node(w->t, f[i].kind == NPU__K_TAB ? f[i].sub : NPU__T_NONE);
            child = writer_table(w, v->tab);
        } else {
            child = writer_vector(w, d, &f[i], v);
        }
        writer_put(w, field, child - field, 4);
    }
    return at;
}

/* Bytes written, 0 when they do not fit `cap`. */
static size_t tree_write(tree *t, uint8_t *out, size_t cap) {
    writer *w = (writer *)tree_take(t, sizeof *w);
    size_t  root;
    w->t = t;
    w->out = out;
    w->cap = cap;
    writer_add(w, "\0\0\0\0TFL3", 8);
    root = writer_table(w, t->root);
    writer_put(w, 0, root, 4);
    for (struct writer_late *late = w->late; late && !w->full; late = late->next) {
        size_t at;
        writer_align(w, 0, 16);
        at = writer_add(w, late->d->outside, late->d->n_outside);
        writer_put(w, late->offset_at, at, 8);
        writer_put(w, late->size_at, late->d->n_outside, 8);
    }
    return w->full ? 0 : w->n;
}
