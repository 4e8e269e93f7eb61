/* HASHTABLE, HASHTABLE_IMPORT, HASHTABLE_FIND, HASHTABLE_SIZE: int64 to string and string to int64, filled once. The table is
 * memory of a resource variable, and no hash: keys are sorted, so that none can be chosen to make it slow. */
#include "string_util.h"

typedef struct npu__table_entry {
    int64_t        number; /* an int64 key */
    const uint8_t *p;      /* a string key: bytes in `keys` */
    size_t         n;
    int64_t        at;     /* which key it was: its value has that number */
} npu__table_entry;

typedef struct npu__table {
    int32_t           filled, key_type;
    int64_t           n;
    npu__table_entry *entries; /* sorted, no two equal */
    uint8_t          *keys, *values; /* copies of the inputs' contents; NULL: empty strings */
} npu__table;

/* ---- HASHTABLE ---- */

typedef struct npu__hashtable {
    int32_t id;
} npu__hashtable;

NPU__FN npu_status npu__hashtable_infer(npu__ctx *c) {
    npu__shape s = npu__shape_make(1, 1, 0, 0, 0);
    return npu__set_shape(c, 0, &s);
}

/* As LiteRT: from int64 to string, or the other way round. */
NPU__FN int npu__table_pair(int32_t key, int32_t value) {
    return (key == NPU_INT64 && value == NPU_STRING) || (key == NPU_STRING && value == NPU_INT64);
}

NPU__FN npu_status npu__hashtable_prepare(npu__ctx *c) {
    const npu__opts_HashtableOptions *o = NPU__OPTIONS(c->node, HashtableOptions);
    npu__hashtable                   *d = (npu__hashtable *)c->data;
    npu__str                          name;
    if (c->out[0]->type != NPU_RESOURCE) return npu__fail_types(c);
    if (!npu__table_pair(o->key_dtype, o->value_dtype)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "hashtable.types", "a table is from INT64 to STRING or from STRING to INT64: this one is "
                         "from %s to %s", npu_type_name((npu_type)o->key_dtype), npu_type_name((npu_type)o->value_dtype));
    }
    /* The option lives as long as the model: its bytes are the name. */
    name.p = (const char *)(const void *)&o->table_id;
    name.n = sizeof o->table_id;
    d->id = npu__resource_id(c, npu__str_of("HASHTABLE"), name);
    if (d->id >= 0) return NPU_OK;
    return NPU__FAIL(c, NPU_OUT_OF_MEMORY, "hashtable.memory", "no memory for another table");
}

NPU__FN npu_status npu__hashtable_eval(npu__ctx *c) {
    memcpy(c->out[0]->data, &((const npu__hashtable *)c->data)->id, sizeof(int32_t));
    return NPU_OK;
}

NPU__OPDEF(npu__op_hashtable) = {0, 0, 1, 1, 0, 0, NPU__DATA(npu__hashtable), npu__hashtable_infer, npu__hashtable_prepare, NULL,
                                 npu__hashtable_eval, NULL};

/* ---- the table ---- */

NPU__FN npu_status npu__table_check(npu__ctx *c) {
    const npu__val *v = c->in[0];
    if (v->type == NPU_RESOURCE && npu__elems(v) == 1) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "hashtable.handle", "input 0 must be one resource handle");
}

NPU__FN int32_t npu__table_id(const npu__ctx *c) {
    int32_t id = -1;
    memcpy(&id, c->in[0]->data, sizeof id);
    return id;
}

/* NULL: nothing was imported. */
NPU__FN const npu__table *npu__table_of(npu__ctx *c) {
    const npu__table *t = (const npu__table *)npu__resource_held(c, npu__table_id(c));
    return t && t->filled ? t : NULL;
}

/* Negative, 0 or positive: x before, equal to or after y. */
NPU__FN int npu__table_order(const npu__table_entry *x, const npu__table_entry *y) {
    const size_t n = NPU__MIN(x->n, y->n);
    const int    c = n ? memcmp(x->p, y->p, n) : 0;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

NPU__FN int npu__table_before(const void *a, const void *b) {
    const npu__table_entry *x = (const npu__table_entry *)a, *y = (const npu__table_entry *)b;
    const int               order = npu__table_order(x, y);
    return order ? order < 0 : x->at < y->at;
}

NPU__FN npu__table_entry npu__table_key(const npu__val *keys, const void *contents, int64_t i) {
    npu__table_entry e;
    memset(&e, 0, sizeof e);
    e.at = i;
    if (keys->type == NPU_INT64) {
        memcpy(&e.number, (const uint8_t *)contents + 8 * i, 8); /* bounded: a tensor's element */
    } else {
        const npu__span s = npu__strings_at(contents, i);
        e.p = s.p;
        e.n = s.n;
    }
    return e;
}

/* Steps to sort, or to look for, keys of so many bytes together among `n`. */
NPU__FN int64_t npu__table_steps(int64_t count, size_t bytes, int64_t n) {
    int64_t levels = 1;
    for (; n > 1; n >>= 1) levels++;
    return npu__sat_mul(levels, count + (int64_t)(bytes >> 3)); /* bounded: a size */
}

/* ---- HASHTABLE_IMPORT ---- */

NPU__FN npu_status npu__hashtable_import_infer(npu__ctx *c) {
    (void)c;
    return NPU_OK;
}

NPU__FN npu_status npu__hashtable_import_prepare(npu__ctx *c) {
    NPU__TRY(npu__table_check(c));
    if (!npu__table_pair(c->in[1]->type, c->in[2]->type)) return npu__fail_types(c);
    if (npu__elems(c->in[1]) == npu__elems(c->in[2])) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "hashtable_import.count", "there are %l keys for %l values", npu__elems(c->in[1]),
                     npu__elems(c->in[2]));
}

/* Memory for everything, in one piece: the table, its entries, copies of keys and values. */
NPU__FN npu_status npu__table_make(npu__ctx *c, npu__table **out) {
    const npu__val *keys = c->in[1], *values = c->in[2];
    const int64_t   n = npu__elems(keys);
    size_t          entries = 0, total = npu__align_up(sizeof(npu__table), 64), keys_at, values_at;
    void           *room;
    npu__table     *t;
    if (!npu__mul_size((size_t)n, sizeof(npu__table_entry), &entries) || !npu__add_size(total, entries, &keys_at) ||
        !npu__add_size(keys_at, npu__align_up(keys->bytes, 8), &values_at) || !npu__add_size(values_at, values->bytes, &total)) {
        return NPU__FAIL(c, NPU_LIMIT, "hashtable_import.size", "%l entries are more than memory can hold", n);
    }
    NPU__TRY(npu__resource_room(c, npu__table_id(c), total, &room));
    *out = t = (npu__table *)room;
    t->key_type = keys->type;
    t->n = n;
    t->entries = (npu__table_entry *)(void *)((uint8_t *)room + npu__align_up(sizeof(npu__table), 64));
    t->keys = keys->data ? (uint8_t *)room + keys_at : NULL;
    t->values = values->data ? (uint8_t *)room + values_at : NULL;
    if (t->keys) npu__copy_bytes(c, t->keys, keys->data, keys->bytes);
    if (t->values) npu__copy_bytes(c, t->values, values->data, values->bytes);
    return npu__poll(c, 0) ? NPU_CANCELLED : NPU_OK;
}

NPU__FN npu_status npu__hashtable_import_eval(npu__ctx *c) {
    const int64_t n = npu__elems(c->in[1]);
    npu__table   *t = NULL;
    int64_t       kept = 0, done = 0;
    if (npu__table_of(c)) return NPU_OK; /* what comes later is not looked at */
    NPU__TRY(npu__charge(c, npu__sat_mul(4, npu__table_steps(n, c->in[1]->bytes, n)))); /* a heap is sifted with two compares, twice */
    NPU__TRY(npu__table_make(c, &t));
    for (int64_t i = 0; i < n; i++) {
        t->entries[i] = npu__table_key(c->in[1], t->keys, i);
        NPU__POLL_PASS(c, done, 1);
    }
    npu__sort(t->entries, (size_t)n, sizeof *t->entries, npu__table_before);
    for (int64_t i = 0; i < n; i++) { /* of equal keys the first one counts */
        if (kept && npu__table_order(&t->entries[kept - 1], &t->entries[i]) == 0) continue;
        t->entries[kept++] = t->entries[i];
        NPU__POLL_PASS(c, done, 1);
    }
    t->n = kept;
    t->filled = 1;
    return NPU_OK;
}

NPU__OPDEF(npu__op_hashtable_import) = {3, 3, 0, 0, 0, NPU__OP_STATEFUL | NPU__OP_STRINGS, NPU__NO_DATA, npu__hashtable_import_infer,
                                        npu__hashtable_import_prepare, NULL, npu__hashtable_import_eval, NULL};

/* ---- HASHTABLE_FIND ---- */

typedef struct npu__hashtable_find {
    int32_t found; /* scratch: where the value of each key is, -1: nowhere */
} npu__hashtable_find;

NPU__FN npu_status npu__hashtable_find_infer(npu__ctx *c) { return npu__set_shape(c, 0, &c->in[1]->shape); }

NPU__FN npu_status npu__hashtable_find_prepare(npu__ctx *c) {
    npu__hashtable_find *d = (npu__hashtable_find *)c->data;
    size_t               bytes = SIZE_MAX;
    NPU__TRY(npu__table_check(c));
    if (!npu__table_pair(c->in[1]->type, c->in[2]->type) || c->in[2]->type != c->out[0]->type) return npu__fail_types(c);
    if (npu__elems(c->in[2]) < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "hashtable_find.default", "the default value has no elements");
    }
    npu__mul_size((size_t)npu__elems(c->in[1]), 8, &bytes);
    d->found = npu__want_scratch(c, bytes);
    return d->found < 0 ? NPU_LIMIT : NPU_OK;
}

/* Number of the key's value, -1: it is not in the table. */
NPU__FN int64_t npu__table_seek(const npu__table *t, const npu__table_entry *key) {
    int64_t lo = 0, hi = t->n;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        const int     order = npu__table_order(key, &t->entries[mid]);
        if (order == 0) return t->entries[mid].at;
        if (order < 0) hi = mid;
        else lo = mid + 1;
    }
    return -1;
}

NPU__FN npu_status npu__hashtable_find_strings(npu__ctx *c, const npu__table *t, const int64_t *found, int64_t n) {
    const npu__span     none = npu__strings_at(c->in[2]->data, 0);
    npu__strings_writer w;
    int64_t             length = 0, done = 0;
    for (int64_t i = 0; i < n; i++) {
        const npu__span s = found[i] < 0 ? none : npu__strings_at(t->values, found[i]);
        length += (int64_t)s.n; /* bounded: 2^28 strings of 2^31 bytes */
        NPU__POLL_PASS(c, done, 1);
    }
    NPU__TRY(npu__strings_begin(c, -1, c->out[0], length, &w));
    for (int64_t i = 0; i < n; i++) {
        const npu__span s = found[i] < 0 ? none : npu__strings_at(t->values, found[i]);
        npu__strings_put(&w, s.p, s.n);
        if ((i + 1) % 4096 == 0) NPU__TRY(npu__strings_end(c, c->out[0], 4096));
    }
    return npu__strings_end(c, c->out[0], 0);
}

NPU__FN npu_status npu__hashtable_find_eval(npu__ctx *c) {
    const npu__table *t = npu__table_of(c);
    const npu__val   *keys = c->in[1];
    const int64_t     n = npu__elems(keys);
    int64_t          *found = (int64_t *)npu__slot(c, ((const npu__hashtable_find *)c->data)->found), done = 0;
    if (!t) return NPU__FAIL(c, NPU_RUNTIME, "hashtable_find.empty", "nothing was imported into the table before it is asked");
    if (t->key_type != keys->type) {
        return NPU__FAIL(c, NPU_RUNTIME, "hashtable_find.types", "the table's keys are %s, those looked for %s",
                         npu_type_name((npu_type)t->key_type), npu_type_name((npu_type)keys->type));
    }
    NPU__TRY(npu__charge(c, npu__table_steps(n, keys->bytes, t->n)));
    for (int64_t i = 0; i < n; i++) {
        const npu__table_entry key = npu__table_key(keys, keys->data, i);
        found[i] = npu__table_seek(t, &key);
        NPU__POLL_PASS(c, done, 16);
    }
    if (npu__is_string(c->out[0])) return npu__hashtable_find_strings(c, t, found, n);
    for (int64_t i = 0; i < n; i++) {
        const void *from = found[i] < 0 ? (const uint8_t *)c->in[2]->data : t->values + 8 * found[i]; /* bounded: of `n` values */
        memcpy((uint8_t *)c->out[0]->data + 8 * i, from, 8);
        NPU__POLL_PASS(c, done, 1);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_hashtable_find) = {3, 3, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_STRINGS, NPU__DATA(npu__hashtable_find),
                                      npu__hashtable_find_infer, npu__hashtable_find_prepare, NULL, npu__hashtable_find_eval, NULL};

/* ---- HASHTABLE_SIZE ---- */

NPU__FN npu_status npu__hashtable_size_prepare(npu__ctx *c) {
    NPU__TRY(npu__table_check(c));
    return c->out[0]->type == NPU_INT64 ? NPU_OK : npu__fail_types(c);
}

NPU__FN npu_status npu__hashtable_size_eval(npu__ctx *c) {
    const npu__table *t = npu__table_of(c);
    const int64_t     n = t ? t->n : 0;
    memcpy(c->out[0]->data, &n, sizeof n);
    return NPU_OK;
}

NPU__OPDEF(npu__op_hashtable_size) = {1, 1, 1, 1, 0, NPU__OP_STATEFUL, NPU__NO_DATA, npu__hashtable_infer, npu__hashtable_size_prepare,
                                      NULL, npu__hashtable_size_eval, NULL};
