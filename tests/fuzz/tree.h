/* A .tflite file as a tree that can be edited and written again. The lists of src/tflite/schema*.h drive both ways, so
 * that every table of the schema is there: those of operators nobody thought of too.
 *
 * Everything lives in the tree's memory until tree_free. Contents of vectors point into the file that was read: ask
 * tree_own before writing to them. */
#ifndef FUZZ_TREE_H
#define FUZZ_TREE_H

typedef struct node node;

typedef struct value {
    int            there;
    uint64_t       bits; /* a scalar, in the low bytes */
    const uint8_t *p;    /* elements of a vector or string */
    uint32_t       n;    /* how many; of tables too */
    node          *tab;  /* a table or a union's member */
    node         **tabs; /* a vector of tables */
} value;

struct node {
    int32_t        table;   /* NPU__T_* */
    int32_t        n_slots;
    value         *slots;   /* by slot */
    const uint8_t *outside; /* Buffer, Operator: bytes to be stored behind the flatbuffer; NULL: none */
    size_t         n_outside;
};

typedef struct tree {
    node    *root;
    uint64_t rng;
    void    *chunks; /* newest first */
    size_t   left;   /* bytes of the newest chunk */
    uint8_t *next;
    size_t   taken; /* bytes of all */
} tree;

/* A small file may name one table thousands of times, and that table others as often: trees do not share. */
#define TREE_MOST ((size_t)64 << 20)
static int tree_is_full(const tree *t) { return t->taken > TREE_MOST; }

/* Zeroed memory of the tree's. */
static void *tree_take(tree *t, size_t bytes) {
    uint8_t *p;
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > t->left) {
        size_t   size = bytes > 65536 ? bytes : 65536;
        uint8_t *chunk = (uint8_t *)calloc(1, size + 16);
        if (!chunk) abort();
        t->taken += size;
        memcpy(chunk, &t->chunks, sizeof t->chunks);
        t->chunks = chunk;
        t->next = chunk + 16;
        t->left = size;
    }
    p = t->next;
    t->next += bytes;
    t->left -= bytes;
    return p;
}

static void tree_free(tree *t) {
    while (t->chunks) {
        void *next;
        memcpy(&next, t->chunks, sizeof next);
        free(t->chunks);
        t->chunks = next;
    }
}

/* A copy of the elements that may be written to, `n` of them, new ones 0. */
static uint8_t *tree_own(tree *t, value *v, uint32_t n, uint32_t elem_bytes) {
    uint8_t *p = (uint8_t *)tree_take(t, (size_t)n * elem_bytes + 1);
    if (v->p) memcpy(p, v->p, (size_t)(v->n < n ? v->n : n) * elem_bytes);
    v->p = p;
    v->n = n;
    v->there = 1;
    return p;
}

static const npu__schema_field *tree_field(int32_t table, int slot) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    for (int32_t i = 0; i < n; i++) {
        if (f[i].slot == slot) return &f[i];
    }
    return NULL;
}

static node *tree_node(tree *t, int32_t table) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    node                    *d = (node *)tree_take(t, sizeof *d);
    d->table = table;
    d->n_slots = n ? f[n - 1].slot + 1 : 0;
    d->slots = (value *)tree_take(t, (size_t)d->n_slots * sizeof(value) + 1);
    return d;
}

/* The value in a slot; for a slot that the table does not have, one that nobody reads. */
static value *tree_at(tree *t, node *d, int slot) {
    return d && slot < d->n_slots ? &d->slots[slot] : (value *)tree_take(t, sizeof(value));
}

static uint64_t tree_get(tree *t, node *d, int slot) {
    value                   *v = tree_at(t, d, slot);
    const npu__schema_field *f = d ? tree_field(d->table, slot) : NULL;
    return v->there || !f ? v->bits : (uint64_t)(int64_t)f->dflt;
}

static void tree_set(tree *t, node *d, int slot, uint64_t bits) {
    value *v = tree_at(t, d, slot);
    v->there = 1;
    v->bits = bits;
}

static void tree_set_tab(tree *t, node *d, int slot, node *to) {
    value *v = tree_at(t, d, slot);
    v->there = 1;
    v->tab = to;
}

static void tree_set_str(tree *t, node *d, int slot, const char *s) {
    value *v = tree_at(t, d, slot);
    v->n = 0;
    memcpy(tree_own(t, v, (uint32_t)strlen(s), 1), s, strlen(s));
}

/* Appends to a vector of tables; returns the index. */
static uint32_t tree_append(tree *t, node *d, int slot, node *what) {
    value *v = tree_at(t, d, slot);
    node **p = (node **)tree_take(t, (v->n + 1) * sizeof(node *));
    if (v->n) memcpy(p, v->tabs, v->n * sizeof(node *));
    p[v->n] = what;
    v->tabs = p;
    v->there = 1;
    return v->n++;
}

static int32_t tree_i32(const value *v, uint32_t i) { return npu__rd_i32(v->p + 4 * (size_t)i); }

/* Overwrites the vector with these numbers. */
static void tree_set_i32s(tree *t, value *v, const int32_t *from, uint32_t n) {
    v->p = NULL;
    v->n = 0;
    if (n) memcpy(tree_own(t, v, n, 4), from, 4 * (size_t)n);
    else tree_own(t, v, 0, 4);
}

static void tree_push_i32(tree *t, value *v, int32_t x) {
    uint32_t n = v->n;
    memcpy(tree_own(t, v, n + 1, 4) + 4 * (size_t)n, &x, 4);
}

#endif
