/* Constant tables made from the schema's lists, and the few look-ups into them. */
#include "schema.h"

/* The first member of a row, and what it says. */
#if NPU__HAS_SCHEMA_NAMES
#  define NPU__NAME(x) #x,
#  define NPU__NAME_OF(row) (row).name
#else
#  define NPU__NAME(x)
#  define NPU__NAME_OF(row) ""
#endif

/* Index of each table's first row: the "back" enumerator makes a table take no index for itself. */
enum {
#define NPU__X_T(table) NPU__FIRST_##table, NPU__BACK_##table = NPU__FIRST_##table - 1,
#define NPU__X_F(table, slot, field, kind, sub, dflt) NPU__ROW_##table##_##field,
    NPU__SCHEMA(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
    NPU__ROW_COUNT
};

static const npu__schema_field npu__schema_rows[] = {
#define NPU__X_T(table)
#define NPU__X_F(table, slot, field, kind, sub, dflt) {NPU__NAME(field) slot, NPU__K_##kind, NPU__##sub, dflt},
    NPU__SCHEMA(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
};

static const struct npu__schema_table {
#if NPU__HAS_SCHEMA_NAMES
    const char *name;
#endif
    uint16_t first; /* row; the next table's first row ends it */
} npu__schema_tables[] = {
    {NPU__NAME() 0},
#define NPU__X_T(table) {NPU__NAME(table) NPU__FIRST_##table},
#define NPU__X_F(table, slot, field, kind, sub, dflt)
    NPU__SCHEMA(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
    {NPU__NAME() NPU__ROW_COUNT},
};

static const struct npu__schema_union {
#if NPU__HAS_SCHEMA_NAMES
    const char *name;
#endif
    uint8_t first, n;
} npu__schema_unions[] = {
    {NPU__NAME() 0, 0},
#define NPU__X(name, first, n) {NPU__NAME(name) NPU__T_##first, n},
    NPU__UNION_LIST(NPU__X)
#undef NPU__X
};

static const struct npu__schema_builtin {
    const char *name;
    uint8_t     options;
} npu__schema_builtins[] = {
#define NPU__X(name, code, options) {#name, NPU__T_##options},
    NPU__BUILTIN_LIST(NPU__X)
#undef NPU__X
};

static const struct npu__schema_builtin npu__circle_builtins[] = {
#define NPU__X(name, code, options) {#name, NPU__T_##options},
    NPU__CIRCLE_BUILTIN_LIST(NPU__X)
#undef NPU__X
};

static const struct npu__circle_member {
    uint8_t union_id, type, table;
} npu__circle_members[] = {
#define NPU__X(name, type, table) {NPU__U_##name, type, NPU__T_##table},
    NPU__CIRCLE_UNION_LIST(NPU__X)
#undef NPU__X
};

NPU__FN const npu__schema_field *npu__schema_fields(int32_t table, int32_t *n) {
    *n = 0;
    if (table <= NPU__T_NONE || table >= NPU__T_COUNT) return NULL;
    *n = npu__schema_tables[table + 1].first - npu__schema_tables[table].first;
    return *n > 0 ? npu__schema_rows + npu__schema_tables[table].first : NULL;
}

NPU__FN const char *npu__schema_field_name(const npu__schema_field *field) {
    (void)field;
    return NPU__NAME_OF(*field);
}

NPU__FN const char *npu__schema_table_name(int32_t table) {
    return table > NPU__T_NONE && table < NPU__T_COUNT ? NPU__NAME_OF(npu__schema_tables[table]) : "";
}

NPU__FN uint32_t npu__kind_bytes(int32_t kind) {
    static const uint8_t bytes[] = {
#define NPU__X(name, n) n,
        NPU__KIND_LIST(NPU__X)
#undef NPU__X
    };
    return kind >= 0 && kind < NPU__K_COUNT ? bytes[kind] : 0u;
}

NPU__FN int32_t npu__union_table(int32_t union_id, uint8_t type) {
    if (union_id <= NPU__U_NONE || union_id >= NPU__U_COUNT) return NPU__T_NONE;
    if (type == 0 || type > npu__schema_unions[union_id].n) return NPU__T_NONE;
    return npu__schema_unions[union_id].first + type - 1;
}

NPU__FN const char *npu__union_name(int32_t union_id) {
    return union_id > NPU__U_NONE && union_id < NPU__U_COUNT ? NPU__NAME_OF(npu__schema_unions[union_id]) : "";
}
#undef NPU__NAME
#undef NPU__NAME_OF

NPU__FN npu__str npu__enum_name(int32_t enum_id, int64_t value) {
    static const char *const names[] = {
        "",
#define NPU__X(name, values) values,
        NPU__ENUM_LIST(NPU__X)
#undef NPU__X
    };
    npu__str s = npu__str_of("");
    if (value < 0 || value > 255 || enum_id <= NPU__E_NONE || enum_id >= NPU__E_COUNT) return s;
    if (enum_id == NPU__E_TensorType) {
        return value < NPU_TYPE_COUNT ? npu__str_of(npu_type_name((npu_type)value)) : s;
    }
    if (enum_id == NPU__E_BuiltinOperator) {
        return value < NPU__BUILTIN_COUNT ? npu__str_of(npu__builtin_name((int32_t)value)) : s;
    }
    s.p = names[enum_id];
    for (;; s.p += s.n + 1) {
        for (s.n = 0; s.p[s.n] != '\0' && s.p[s.n] != '|'; s.n++) {}
        if (value-- == 0) return s;
        if (s.p[s.n] == '\0') break;
    }
    s.n = 0;
    return s;
}

NPU__FN int32_t npu__union_table_in(int circle, int32_t union_id, uint8_t type) {
    for (int32_t i = 0; circle && i < NPU__COUNT(npu__circle_members); i++) {
        if (npu__circle_members[i].union_id == union_id && npu__circle_members[i].type == type) return npu__circle_members[i].table;
    }
    return npu__union_table(union_id, type);
}

NPU__FN uint32_t npu__field_bytes_in(int circle, int32_t table, const npu__schema_field *field) {
#define NPU__X(t, theirs, ours) if (circle && table == NPU__T_##t && field->slot == NPU__S_##t##_##theirs) return 1u;
    NPU__CIRCLE_BYTE_LIST(NPU__X)
#undef NPU__X
    return npu__kind_bytes(field->kind);
}

NPU__FN const char *npu__circle_type(int32_t code, int32_t *type) {
    static const struct {
        const char *name;
        int32_t     code, type;
    } types[] = {
#define NPU__X(name, code, type) {#name, code, type},
        NPU__CIRCLE_TYPE_LIST(NPU__X)
#undef NPU__X
    };
    for (int32_t i = 0; i < NPU__COUNT(types); i++) {
        if (types[i].code != code) continue;
        *type = types[i].type;
        return types[i].name;
    }
    return NULL;
}

/* NULL: beyond both schemas. */
NPU__FN const struct npu__schema_builtin *npu__builtin_row(int32_t code) {
    const int32_t first = NPU__BUILTIN_INSTANCE_NORM;
    if (code >= 0 && code < NPU__BUILTIN_COUNT) return &npu__schema_builtins[code];
    return code >= first && code < NPU__BUILTIN_END ? &npu__circle_builtins[code - first] : NULL;
}

NPU__FN const char *npu__builtin_name(int32_t code) {
    const struct npu__schema_builtin *row = npu__builtin_row(code);
    return row ? row->name : "UNKNOWN";
}

NPU__FN int32_t npu__builtin_code(const char *name) {
    for (int32_t code = 0; code < NPU__BUILTIN_END; code++) {
        const struct npu__schema_builtin *row = npu__builtin_row(code);
        if (row && npu__str_is(npu__str_of(name), row->name)) return code;
    }
    return -1;
}

NPU__FN int32_t npu__builtin_file_code(int32_t code) {
    return code > NPU__BUILTIN_CIRCLE && code < NPU__BUILTIN_END ? NPU__BUILTIN_CIRCLE - code : code;
}

NPU__FN int32_t npu__builtin_options_table(int32_t code) {
    const struct npu__schema_builtin *row = npu__builtin_row(code);
    return row ? (int32_t)row->options : (int32_t)NPU__T_NONE;
}

NPU__FN uint8_t npu__builtin_options_type(int32_t code, int32_t *union_id) {
    int32_t table = npu__builtin_options_table(code);
    for (int32_t u = NPU__U_BuiltinOptions; u <= NPU__U_BuiltinOptions2; u++) {
        int32_t first = npu__schema_unions[u].first;
        if (table >= first && table < first + npu__schema_unions[u].n) {
            *union_id = u;
            return (uint8_t)(table - first + 1);
        }
    }
    for (int32_t i = 0; i < NPU__COUNT(npu__circle_members); i++) {
        if (npu__circle_members[i].table != table || npu__circle_members[i].union_id != NPU__U_BuiltinOptions) continue;
        *union_id = NPU__U_BuiltinOptions;
        return npu__circle_members[i].type;
    }
    *union_id = NPU__U_NONE;
    return 0;
}

NPU__FN npu__tab npu__operator_options(npu__tab op, int32_t code) {
    int32_t union_id;
    uint8_t want = npu__builtin_options_type(code, &union_id);
    int     slot = union_id == NPU__U_BuiltinOptions2 ? NPU__S_Operator_builtin_options_2
                                                      : NPU__S_Operator_builtin_options;
    if (want == 0 || npu__tab_u8(op, slot - 1, 0) != want) return NULL;
    return npu__tab_tab(op, slot);
}
