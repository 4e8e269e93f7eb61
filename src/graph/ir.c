/* Shape arithmetic and names. */
#include "op.h"
#include "strings.h"

/* A tensor without elements may still make an operator walk its other dims: their product is bounded. */
#define NPU__EMPTY_MAX ((int64_t)1 << 28)

NPU__FN int npu__shape_elems(const npu__shape *s, int64_t *elems) {
    int64_t n = 1;
    if (s->rank < 0 || s->rank > NPU_MAX_RANK) return 0;
    for (int32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] < 0) return 0;
        /* A zero hides an overflow of the other dims: products of a part of the dims must be safe as well. */
        if (s->dims[i] > 0 && n > (int64_t)(INT64_MAX / 2) / s->dims[i]) return 0;
        if (s->dims[i] > 0) n *= s->dims[i]; /* bounded: by the line above */
    }
    for (int32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] != 0) continue;
        if (n > NPU__EMPTY_MAX) return 0;
        n = 0;
        break;
    }
    *elems = n;
    return 1;
}

NPU__FN int npu__shape_bytes(const npu__shape *s, int32_t type, size_t *bytes) {
    int64_t n;
    int     bits = npu_type_bits((npu_type)type);
    if (bits == 0 || !npu__shape_elems(s, &n) || n > INT64_MAX / 256) return 0;
    n = (n * bits + 7) / 8; /* bounded: by the line above; no type has more than 128 bits */
    if ((uint64_t)n > SIZE_MAX / 4) return 0;
    *bytes = (size_t)n;
    return 1;
}

NPU__FN int npu__value_bytes(const npu__shape *s, int32_t type, size_t *bytes) {
    int64_t n;
    if (type != NPU_STRING) return npu__shape_bytes(s, type, bytes);
    *bytes = 0;
    return npu__shape_elems(s, &n) && npu__strings_fit(n);
}

NPU__FN const char *npu__shape_text(char *out, size_t cap, const npu__shape *s) {
    size_t n = npu__format(out, cap, "[");
    for (int32_t i = 0; i < s->rank && n < cap; i++) n += npu__format(out + n, cap - n, i ? ",%d" : "%d", s->dims[i]);
    if (n < cap) npu__format(out + n, cap - n, "]");
    return out;
}

NPU__FN int npu__shape_eq(const npu__shape *a, const npu__shape *b) {
    if (a->rank != b->rank) return 0;
    for (int32_t i = 0; i < a->rank; i++) if (a->dims[i] != b->dims[i]) return 0;
    return 1;
}

NPU__FN int npu__type_range(int32_t type, int32_t *lo, int32_t *hi) {
    switch (type) {
    case NPU_INT2: *lo = -2; *hi = 1; return 1;
    case NPU_INT4: *lo = -8; *hi = 7; return 1;
    case NPU_UINT4: *lo = 0; *hi = 15; return 1;
    case NPU_INT8: *lo = -128; *hi = 127; return 1;
    case NPU_UINT8: *lo = 0; *hi = 255; return 1;
    case NPU_INT16: *lo = -32768; *hi = 32767; return 1;
    case NPU_UINT16: *lo = 0; *hi = 65535; return 1;
    case NPU_INT32: *lo = INT32_MIN; *hi = INT32_MAX; return 1;
    default: return 0;
    }
}

NPU__FN size_t npu__type_align(int32_t type) {
    const size_t bytes = (size_t)npu_type_bits((npu_type)type) / 8;
    return bytes == 0 ? 1 : NPU__MIN(bytes, (size_t)8);
}

NPU__FN npu__shape npu__shape_make(int32_t rank, int32_t d0, int32_t d1, int32_t d2, int32_t d3) {
    npu__shape s;
    memset(&s, 0, sizeof s);
    s.rank = rank;
    s.dims[0] = d0;
    s.dims[1] = d1;
    s.dims[2] = d2;
    s.dims[3] = d3;
    return s;
}

NPU__FN npu__str npu__node_name(const npu__node *node) {
    return node->code == 32 ? node->custom_name : npu__str_of(npu__builtin_name(node->code));
}

NPU__FN void npu__diag_about(npu_diag *diag, const npu__node *node) {
    const npu__str name = npu__node_name(node);
    const size_t   n = NPU__MIN(name.n, sizeof diag->op_name - 1);
    if (!diag || diag->status != NPU_OK) return;
    diag->subgraph = node->subgraph;
    diag->op = node->index;
    if (n) memcpy(diag->op_name, name.p, n);
    diag->op_name[n] = 0;
}

NPU__FN int npu__node_compiled(const npu__node *node) { return node->def && (node->def->flags & NPU__OP_COMPILED); }

NPU__FN int npu__node_works(const npu__node *node) { return npu__node_compiled(node) && node->def->flags >= NPU__OP_WORKS_IN(0); }

NPU__FN int npu__node_works_in(const npu__node *node, int32_t i) {
    return npu__node_compiled(node) && i < 16 && (node->def->flags & NPU__OP_WORKS_IN(i)); /* bounded: shifts by 16 to 31 */
}
