/* Options of operators as plain structs: one for each options table, made from the schema's rows.
 *
 *     typedef struct npu__opts_Pool2DOptions {
 *         npu__opts is;                   which table, and whether the file gave one
 *         int32_t   padding, stride_w, stride_h, filter_width, filter_height, fused_activation_function;
 *     } npu__opts_Pool2DOptions;
 *
 * A node's options are filled once, by whoever makes the graph: every field has the file's value, or the schema's default. So
 * operators, rules and cost read structs, and know nothing of files. Vectors and strings are views: they lie where the
 * maker found them (a file may share one vector among any number of operators, so that copies would not be bounded by
 * its size), at any address, in little-endian order: npu__vec_i32 and its sisters read them. */
#ifndef NPU__GRAPH_OPTIONS_H
#define NPU__GRAPH_OPTIONS_H

#include "../tflite/schema.h"

/* What every options struct begins with. */
typedef struct npu__opts {
    uint8_t table; /* NPU__T_*; NPU__T_NONE: an operator without options, or with options without fields */
    uint8_t given; /* 0: the model has none (or not of the operator's type): these are the defaults */
} npu__opts;

/* The tables that have a struct: those of operators and the details of quantization. */
#define NPU__OPTS_TABLES(T, F) NPU__SCHEMA_UNIONS(T, F) NPU__SCHEMA_OPTIONS(T, F) NPU__SCHEMA_OPTIONS_2(T, F) \
    NPU__SCHEMA_CIRCLE(T, F)

/* The C type of each kind of field, and its default. A BOOL is 0 or 1. Kinds without a line stand in no options table: a row
 * with one does not compile until somebody says what operators shall see of it. */
#define NPU__OPTS_TYPE_BOOL int32_t
#define NPU__OPTS_TYPE_I8 int32_t
#define NPU__OPTS_TYPE_I32 int32_t
#define NPU__OPTS_TYPE_U32 uint32_t
#define NPU__OPTS_TYPE_I64 int64_t
#define NPU__OPTS_TYPE_F32 float
#define NPU__OPTS_TYPE_STR npu__str
#define NPU__OPTS_TYPE_VBOOL npu__vec
#define NPU__OPTS_TYPE_VU8 npu__vec
#define NPU__OPTS_TYPE_VU16 npu__vec
#define NPU__OPTS_TYPE_VI32 npu__vec
#define NPU__OPTS_TYPE_VU32 npu__vec
#define NPU__OPTS_TYPE_VI64 npu__vec
#define NPU__OPTS_TYPE_VF32 npu__vec

#define NPU__OPTS_INIT_BOOL(value) value
#define NPU__OPTS_INIT_I8(value) value
#define NPU__OPTS_INIT_I32(value) value
#define NPU__OPTS_INIT_U32(value) value
#define NPU__OPTS_INIT_I64(value) value
#define NPU__OPTS_INIT_F32(value) value
#define NPU__OPTS_INIT_STR(value) {"", value}
#define NPU__OPTS_INIT_VBOOL(value) {NULL, value}
#define NPU__OPTS_INIT_VU8(value) {NULL, value}
#define NPU__OPTS_INIT_VU16(value) {NULL, value}
#define NPU__OPTS_INIT_VI32(value) {NULL, value}
#define NPU__OPTS_INIT_VU32(value) {NULL, value}
#define NPU__OPTS_INIT_VI64(value) {NULL, value}
#define NPU__OPTS_INIT_VF32(value) {NULL, value}

/* npu__opts_<Table>. Each table's row ends the struct before it. */
struct npu__opts_none {
    npu__opts is;
#define NPU__X_T(table) }; typedef struct npu__opts_##table npu__opts_##table; struct npu__opts_##table { npu__opts is;
#define NPU__X_F(table, slot, field, kind, sub, dflt) NPU__OPTS_TYPE_##kind field;
    NPU__OPTS_TABLES(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
};

/* npu__opts_default_<Table>(): the defaults. A build keeps those that it asks for. */
NPU__INLINE const struct npu__opts_none *npu__opts_default_none(void) {
    static const struct npu__opts_none d = {{NPU__T_NONE, 0}
#define NPU__X_T(table) \
    }; \
    return &d; \
    } \
    NPU__INLINE const npu__opts_##table *npu__opts_default_##table(void) { \
    static const npu__opts_##table d = {{NPU__T_##table, 0}
#define NPU__X_F(table, slot, field, kind, sub, dflt) , NPU__OPTS_INIT_##kind(dflt)
    NPU__OPTS_TABLES(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
    };
    return &d;
}

/* The struct of `table` that a node has: `const npu__opts_<table> *`, never NULL. Of a node whose operator has other
 * options (a bug: builds with NPU_RT_DEBUG stop) it is the defaults. */
#define NPU__OPTIONS(node, table) \
    ((const npu__opts_##table *)(const void *)npu__opts_check((node)->opts, NPU__T_##table, \
                                                                     &npu__opts_default_##table()->is))
NPU__FN const npu__opts *npu__opts_check(const npu__opts *opts, int32_t table, const npu__opts *otherwise);

/* A struct for `table` (NPU__T_*) filled with defaults, in the pool. NULL: no memory. */
NPU__FN npu__opts *npu__opts_new(npu__pool *pool, int32_t table);
/* Takes over what a table of a verified file says (NULL: nothing but defaults). */
NPU__FN void npu__opts_read(npu__opts *opts, npu__tab raw);
/* Both in one. What has no fields takes no memory: it is one of two constants with the table NPU__T_NONE. */
NPU__FN const npu__opts *npu__opts_from(npu__pool *pool, int32_t table, npu__tab raw);
/* Where field `i` (a row of npu__schema_fields) lies in the struct of `table`, in bytes. `i` may be the number of rows: the
 * bytes that the fields need. `machine`: an npu_machine. */
NPU__FN size_t npu__opts_offset(int32_t table, int32_t i, int32_t machine);

#endif
