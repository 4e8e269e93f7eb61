/* Options of custom operators, by the names of a builtin's fields. */
#include "custom.h"
#include "user_op.h"

#if NPU__HAS_CUSTOM_OPTIONS

/* More keys than any operator has are refused before they are compared: a map of a hostile file may have millions. */
enum { NPU__CUSTOM_MOST_KEYS = 32 };

/* NPU__T_*; -1: its options are its own business. */
NPU__FN int32_t npu__custom_table(const npu__node *node) {
    if (node->code != NPU__BUILTIN_CUSTOM) return -1;
#define NPU__X(name, table) if (npu__str_is(node->custom_name, name)) return NPU__T_##table;
    NPU__CUSTOM_OPTIONS(NPU__X)
#undef NPU__X
    return -1;
}

NPU__FN npu__flex npu__custom_map(const npu__node *node) { return npu__flex_root(node->custom, node->custom_bytes); }

NPU__FN npu__flex npu__custom_option(const npu__node *node, const char *key) {
    const npu__flex map = npu__custom_map(node);
    npu__flex       none;
    memset(&none, 0, sizeof none);
    return npu__flex_count(map) > NPU__CUSTOM_MOST_KEYS ? none : npu__flex_get(map, key);
}

/* Does the field's struct member take this value as it is? Fields of other kinds are in none of the tables that the list names. */
NPU__FN int npu__custom_fits(const npu__schema_field *f, npu__flex v) {
    const npu__flex_kind kind = npu__flex_kind_of(v);
    const int64_t        n = npu__flex_i64(v, 0);
    if (kind != NPU__FLEX_INT && kind != NPU__FLEX_BOOL) return 0;
    if (f->kind == NPU__K_BOOL) return n == 0 || n == 1;
    if (f->kind == NPU__K_I8) return n >= INT8_MIN && n <= INT8_MAX;
    return f->kind == NPU__K_I32 && n >= INT32_MIN && n <= INT32_MAX;
}

NPU__FN const npu__opts *npu__custom_opts(npu__pool *pool, const npu__node *node, const npu__opts *dflt) {
    const int32_t            table = npu__custom_table(node);
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    npu__opts               *opts;
    if (table < 0 || n == 0) return dflt;
    opts = npu__opts_new(pool, table); /* `given` stays 0: the file has no such table */
    for (int32_t i = 0; opts && i < n; i++) {
        const npu__flex v = npu__custom_option(node, npu__schema_field_name(&f[i]));
        if (!npu__custom_fits(&f[i], v)) continue;
        *(int32_t *)(void *)((uint8_t *)opts + npu__opts_offset(table, i, NPU_MACHINE_THIS)) = npu__flex_i32(v, f[i].dflt);
    }
    return opts;
}

/* The map's keys that are `key`. */
NPU__FN int32_t npu__custom_count(npu__flex map, const char *key) {
    int32_t n = 0;
    for (uint32_t i = 0; i < npu__flex_count(map); i++) n += npu__str_is(npu__flex_key_at(map, i), key);
    return n;
}

/* A map, and not one of a file that wants to keep us busy. */
NPU__FN npu_status npu__custom_is_map(npu__ctx *c, npu__flex map) {
    if (c->node->custom_bytes == 0 || npu__flex_kind_of(map) == NPU__FLEX_MAP) {
        if (npu__flex_count(map) <= NPU__CUSTOM_MOST_KEYS) return NPU_OK;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.option_count", "%u options are more than any operator has",
                         (unsigned)npu__flex_count(map));
    }
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.options", "the options must be a flexbuffer with a map: these %z bytes are none",
                     c->node->custom_bytes);
}

NPU__FN npu_status npu__custom_unknown(npu__ctx *c, npu__str key) {
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.option_unknown", "option \"%S\" is not known: what it asks for cannot be done", &key);
}

NPU__FN npu_status npu__custom_twice(npu__ctx *c, const char *key) {
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.option_twice", "option \"%s\" is given twice", key);
}

NPU__FN npu_status npu__custom_keys(npu__ctx *c, const char *const *keys, int32_t n) {
    const npu__flex map = npu__custom_map(c->node);
    npu_status      s = npu__custom_is_map(c, map);
    for (uint32_t i = 0; s == NPU_OK && i < npu__flex_count(map); i++) {
        const npu__str key = npu__flex_key_at(map, i);
        int32_t        k = 0;
        while (k < n && !npu__str_is(key, keys[k])) k++;
        if (k == n) s = npu__custom_unknown(c, key);
        else if (npu__custom_count(map, keys[k]) > 1) s = npu__custom_twice(c, keys[k]);
    }
    return s;
}

NPU__FN npu_status npu__custom_check(npu__ctx *c) {
    const int32_t            table = npu__custom_table(c->node);
    const npu__flex          map = npu__custom_map(c->node);
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    npu_status               s;
    if (table < 0 || npu__node_is_user(c->node)) return NPU_OK;
    s = npu__custom_is_map(c, map);
    for (uint32_t i = 0; s == NPU_OK && i < npu__flex_count(map); i++) {
        const npu__str key = npu__flex_key_at(map, i);
        int32_t        k = 0;
        while (k < n && !npu__str_is(key, npu__schema_field_name(&f[k]))) k++;
        if (k == n) s = npu__custom_unknown(c, key);
        else if (npu__custom_count(map, npu__schema_field_name(&f[k])) > 1) s = npu__custom_twice(c, npu__schema_field_name(&f[k]));
        else if (!npu__custom_fits(&f[k], npu__flex_at(map, i))) {
            s = NPU__FAIL(c, NPU_INVALID_MODEL, "op.option_value", "option \"%S\" must be a number that its type holds", &key);
        }
    }
    return s;
}

#else

NPU__FN const npu__opts *npu__custom_opts(npu__pool *pool, const npu__node *node, const npu__opts *dflt) {
    (void)pool;
    (void)node;
    return dflt;
}
NPU__FN npu_status npu__custom_check(npu__ctx *c) {
    (void)c;
    return NPU_OK;
}

#endif
