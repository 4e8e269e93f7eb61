/* The TFLite schema v3 as lists: every table, field, union, enum and builtin operator that a file may hold.
 *
 * One row each, pasted where it is needed: the slot numbers the getters of fb.h take, the descriptors that drive the
 * verifier, and the names that dumps and diagnostics print all come from the same rows:
 *
 *     T(Table)                                  a table; its fields follow
 *     F(Table, slot, field, kind, sub, default) `slot` is the position in the vtable; deprecated fields have no row
 *
 * kind is one of NPU__KIND_LIST. sub says what the value means: T_x a table, U_x a union, E_x an enum, NONE nothing.
 * The lists feed dumps too, so the names are those of the public schema. */
#ifndef NPU__TFLITE_SCHEMA_H
#define NPU__TFLITE_SCHEMA_H

#include "../vendor/vendors.h"
#include "fb.h"
#include "schema_builtins.h"
#include "schema_circle.h"
#include "schema_core.h"
#include "schema_options.h"
#include "schema_options_2.h"

#define NPU__SCHEMA(T, F) \
    NPU__SCHEMA_CORE(T, F) NPU__SCHEMA_UNIONS(T, F) NPU__SCHEMA_OPTIONS(T, F) NPU__SCHEMA_OPTIONS_2(T, F) \
    NPU__SCHEMA_CIRCLE(T, F)

/* X(kind, bytes of the value, or of one element where the kind starts with V (a vector) or is STR).
 * TAB and STR are offsets; UTYPE is the type byte of the UNION in the next slot. */
#define NPU__KIND_LIST(X) \
    X(BOOL, 1) X(I8, 1) X(I32, 4) X(U32, 4) X(I64, 8) X(U64, 8) X(F32, 4) X(UTYPE, 1) \
    X(UNION, 4) X(TAB, 4) X(STR, 1) X(VTAB, 4) \
    X(VBOOL, 1) X(VU8, 1) X(VU16, 2) X(VI32, 4) X(VU32, 4) X(VI64, 8) X(VF32, 4)

/* X(union, first member table, number of members). Type byte 1 is the first member; members stand in order. */
#define NPU__UNION_LIST(X) \
    X(QuantizationDetails, CustomQuantization, 3) \
    X(SparseIndexVector, Int32Vector, 3) \
    X(BuiltinOptions, Conv2DOptions, 126) \
    X(BuiltinOptions2, StablehloConcatenateOptions, 23)

/* X(enum, names of the values 0, 1, 2, ...). TensorType and BuiltinOperator have lists of their own. */
#define NPU__ENUM_LIST(X) \
    X(TensorType, "") \
    X(BuiltinOperator, "") \
    X(DimensionType, "DENSE|SPARSE_CSR") \
    X(StablehloPrecisionConfig, "DEFAULT|HIGH|HIGHEST") \
    X(StablehloComparisonDirection, "EQ|NE|GE|GT|LE|LT") \
    X(StablehloComparisonType, "NOTYPE|FLOAT|FLOAT_TOTAL_ORDER|SIGNED|UNSIGNED") \
    X(RngAlgorithm, "DEFAULT|PHILOX|THREEFRY") \
    X(Padding, "SAME|VALID") \
    X(ActivationFunctionType, "NONE|RELU|RELU_N1_TO_1|RELU6|TANH|SIGN_BIT") \
    X(LSHProjectionType, "UNKNOWN|SPARSE|DENSE") \
    X(FullyConnectedOptionsWeightsFormat, "DEFAULT|SHUFFLED4x16INT8") \
    X(LSTMKernelType, "FULL|BASIC") \
    X(CombinerType, "SUM|MEAN|SQRTN") \
    X(MirrorPadMode, "REFLECT|SYMMETRIC") \
    X(RoPEMode, "GPT_NEOX|GPT_J") \
    X(ReduceWindowFunction, "UNSUPPORTED|ADD|MUL|MINIMUM|MAXIMUM|ALL|ANY") \
    X(CustomOptionsFormat, "FLEXBUFFERS")

/* NPU__S_<Table>_<field>: the slot to give to the getters of fb.h. */
enum {
#define NPU__X_T(table)
#define NPU__X_F(table, slot, field, kind, sub, dflt) NPU__S_##table##_##field = slot,
    NPU__SCHEMA(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
    NPU__S_END = 0
};

/* NPU__T_<Table>, NPU__U_<Union>, NPU__E_<Enum>, NPU__K_<kind>, NPU__BUILTIN_<NAME>. 0 of the first three: none. */
enum {
    NPU__T_NONE,
    NPU__NONE = NPU__T_NONE,
#define NPU__X_T(table) NPU__T_##table,
#define NPU__X_F(table, slot, field, kind, sub, dflt)
    NPU__SCHEMA(NPU__X_T, NPU__X_F)
#undef NPU__X_T
#undef NPU__X_F
    NPU__T_COUNT
};
enum {
    NPU__U_NONE,
#define NPU__X(name, first, n) NPU__U_##name,
    NPU__UNION_LIST(NPU__X)
#undef NPU__X
    NPU__U_COUNT
};
enum {
    NPU__E_NONE,
#define NPU__X(name, values) NPU__E_##name,
    NPU__ENUM_LIST(NPU__X)
#undef NPU__X
    NPU__E_COUNT
};
enum {
#define NPU__X(name, bytes) NPU__K_##name,
    NPU__KIND_LIST(NPU__X)
#undef NPU__X
    NPU__K_COUNT
};
enum {
#define NPU__X(name, code, options) NPU__BUILTIN_##name = code,
    NPU__BUILTIN_LIST(NPU__X)
#undef NPU__X
    NPU__BUILTIN_COUNT,
    NPU__BUILTIN_CIRCLE = 512, /* Circle's own operators have codes above it in graphs: NPU__BUILTIN_CIRCLE less that in the file */
#define NPU__X(name, code, options) NPU__BUILTIN_##name = NPU__BUILTIN_CIRCLE - (code),
    NPU__CIRCLE_BUILTIN_LIST(NPU__X)
#undef NPU__X
    NPU__BUILTIN_END
};

/* Builds with neither strings nor reports nor npu_graph_*, and without custom operators whose options have the names of fields,
 * have no names of fields, tables and unions: "". */
#define NPU__HAS_SCHEMA_NAMES (NPU__HAS_STRINGS || NPU__HAS_REPORTS || NPU__HAS_GRAPH || NPU__HAS_CUSTOM_OPTIONS)

typedef struct npu__schema_field {
#if NPU__HAS_SCHEMA_NAMES
    const char *name;
#endif
    uint8_t     slot, kind; /* kind: NPU__K_* */
    uint8_t     sub;  /* TAB, VTAB: NPU__T_*; UTYPE, UNION: NPU__U_*; other kinds: NPU__E_* */
    int8_t      dflt; /* value of an absent scalar */
} npu__schema_field;

/* Fields of a table (NPU__T_*) in slot order; NULL and *n = 0 for a table that has none or does not exist. */
NPU__FN const npu__schema_field *npu__schema_fields(int32_t table, int32_t *n);
NPU__FN const char *npu__schema_field_name(const npu__schema_field *field);
NPU__FN const char *npu__schema_table_name(int32_t table);
/* Bytes of a scalar, or of one element of a vector or string (NPU__K_*). */
NPU__FN uint32_t npu__kind_bytes(int32_t kind);
/* Table for type byte `type` of a union (NPU__U_*); NPU__T_NONE for 0 and for members this schema does not name. */
NPU__FN int32_t npu__union_table(int32_t union_id, uint8_t type);
NPU__FN const char *npu__union_name(int32_t union_id);
/* Name of an enum's value; length 0 when the value (or the enum) has none. */
NPU__FN npu__str npu__enum_name(int32_t enum_id, int64_t value);

/* The same in a file of Circle (or, circle = 0, of TFLite). */
NPU__FN int32_t npu__union_table_in(int circle, int32_t union_id, uint8_t type);
/* Bytes of a scalar field of `table`, there. */
NPU__FN uint32_t npu__field_bytes_in(int circle, int32_t table, const npu__schema_field *field);
/* Name of a tensor's type that only Circle has, NULL for others; *type: which type that is here, or -1. */
NPU__FN const char *npu__circle_type(int32_t code, int32_t *type);

/* The builtin of that name, -1: none. */
NPU__FN int32_t npu__builtin_code(const char *name);
/* Its code in a file: below 0 of Circle's own operators. */
NPU__FN int32_t npu__builtin_file_code(int32_t code);
/* Spelling of a builtin code in its schema, "UNKNOWN" beyond it. */
NPU__FN const char *npu__builtin_name(int32_t code);
/* The options table (NPU__T_*) of a builtin, NPU__T_NONE when it takes none. */
NPU__FN int32_t npu__builtin_options_table(int32_t code);
/* The type byte those options have in their union, and which union that is (NPU__U_BuiltinOptions or
 * NPU__U_BuiltinOptions2; NPU__U_NONE and byte 0 for builtins without options). */
NPU__FN uint8_t npu__builtin_options_type(int32_t code, int32_t *union_id);
/* The options of an Operator table when they are of the type its builtin code asks for, NULL otherwise. */
NPU__FN npu__tab npu__operator_options(npu__tab op, int32_t code);

#endif
