/* CAST between all numeric types. Integers wrap, floats saturate (NaN becomes the largest integer), anything but zero
 * is true, complex numbers give their real part. Packed 2- and 4-bit integers convert to and from float32 only. */
#include "elementwise.h"

#define NPU__CAST_BLOCK 128

typedef struct npu__cast {
    npu__ew ew;
    int32_t in_type, out_type;
} npu__cast;

/* A block of elements in the widest form of their kind, which loses nothing of any type. */
enum { NPU__CAST_INT, NPU__CAST_UINT, NPU__CAST_REAL };
typedef struct npu__cast_block {
    int32_t  kind;
    int64_t  i[NPU__CAST_BLOCK];
    uint64_t u[NPU__CAST_BLOCK];
    double   r[NPU__CAST_BLOCK];
} npu__cast_block;

/* X(type, C type, wide member): reading an element. */
#define NPU__CAST_LOAD(type, T, member, KIND, EXPR)                              \
    case type: {                                                                 \
        const T *p = (const T *)in;                                              \
        b->kind = KIND;                                                          \
        for (int32_t k = 0; k < n; k++) { const T x = p[k]; b->member[k] = EXPR; } \
        break;                                                                   \
    }

NPU__FN void npu__cast_load(npu__cast_block *b, int32_t type, const void *in, int32_t n) {
    switch (type) {
    /* Any byte but 0 is true, though the file may hold others than 1. */
    NPU__CAST_LOAD(NPU_BOOL, uint8_t, i, NPU__CAST_INT, x != 0)
    NPU__CAST_LOAD(NPU_INT8, int8_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_UINT8, uint8_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_INT16, int16_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_UINT16, uint16_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_INT32, int32_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_UINT32, uint32_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_INT64, int64_t, i, NPU__CAST_INT, x)
    NPU__CAST_LOAD(NPU_UINT64, uint64_t, u, NPU__CAST_UINT, x)
    NPU__CAST_LOAD(NPU_FLOAT16, uint16_t, r, NPU__CAST_REAL, (double)npu__f16_to_f32(x))
    NPU__CAST_LOAD(NPU_BFLOAT16, uint16_t, r, NPU__CAST_REAL, (double)npu__bf16_to_f32(x))
    NPU__CAST_LOAD(NPU_FLOAT32, float, r, NPU__CAST_REAL, (double)x)
    NPU__CAST_LOAD(NPU_FLOAT64, double, r, NPU__CAST_REAL, x)
    case NPU_COMPLEX64:
        b->kind = NPU__CAST_REAL;
        for (int32_t k = 0; k < n; k++) b->r[k] = (double)((const float *)in)[2 * k];
        break;
    default: memset(b, 0, sizeof *b); break; /* prepare lets no other type through */
    }
}
#undef NPU__CAST_LOAD

/* `below` and `above` are the first integers outside the type, exact as doubles. */
NPU__INLINE int64_t npu__cast_to_int(double x, double below, double above, int64_t lo, int64_t hi) {
    if (!(x < above)) return hi; /* NaN too */
    return x > below ? (int64_t)x : lo;
}
NPU__INLINE uint64_t npu__cast_to_u64(double x) {
    if (!(x < 18446744073709551616.0)) return UINT64_MAX;
    return x > 0.0 ? (uint64_t)x : 0;
}

/* Writing an element; w is the wide value. */
#define NPU__CAST_STORE(type, T, FROM_INT, FROM_REAL)                                                           \
    case type: {                                                                                                \
        T *p = (T *)out;                                                                                        \
        if (b->kind == NPU__CAST_INT) {                                                                         \
            for (int32_t k = 0; k < n; k++) { const int64_t w = b->i[k]; p[k] = (T)(FROM_INT); }                \
        } else if (b->kind == NPU__CAST_UINT) {                                                                 \
            for (int32_t k = 0; k < n; k++) { const uint64_t w = b->u[k]; p[k] = (T)(FROM_INT); }               \
        } else {                                                                                                \
            for (int32_t k = 0; k < n; k++) { const double w = b->r[k]; p[k] = (T)(FROM_REAL); }                \
        }                                                                                                       \
        break;                                                                                                  \
    }
#define NPU__CAST_STORE_INT(type, T, below, above, lo, hi) \
    NPU__CAST_STORE(type, T, w, npu__cast_to_int(w, below, above, lo, hi))

NPU__FN void npu__cast_store(const npu__cast_block *b, int32_t type, void *out, int32_t n) {
    switch (type) {
    NPU__CAST_STORE(NPU_BOOL, uint8_t, w != 0, !(w >= 0.0 && w <= 0.0))
    NPU__CAST_STORE_INT(NPU_INT8, int8_t, -129.0, 128.0, INT8_MIN, INT8_MAX)
    NPU__CAST_STORE_INT(NPU_UINT8, uint8_t, -1.0, 256.0, 0, UINT8_MAX)
    NPU__CAST_STORE_INT(NPU_INT16, int16_t, -32769.0, 32768.0, INT16_MIN, INT16_MAX)
    NPU__CAST_STORE_INT(NPU_UINT16, uint16_t, -1.0, 65536.0, 0, UINT16_MAX)
    NPU__CAST_STORE_INT(NPU_INT32, int32_t, -2147483649.0, 2147483648.0, INT32_MIN, INT32_MAX)
    NPU__CAST_STORE_INT(NPU_UINT32, uint32_t, -1.0, 4294967296.0, 0, UINT32_MAX)
    /* -2^63 itself is in range and gives the same as anything below */
    NPU__CAST_STORE_INT(NPU_INT64, int64_t, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX)
    NPU__CAST_STORE(NPU_UINT64, uint64_t, w, npu__cast_to_u64(w))
    NPU__CAST_STORE(NPU_FLOAT16, uint16_t, npu__f16_from_f32((float)w), npu__f16_from_f32((float)w))
    NPU__CAST_STORE(NPU_BFLOAT16, uint16_t, npu__bf16_from_f32((float)w), npu__bf16_from_f32((float)w))
    NPU__CAST_STORE(NPU_FLOAT32, float, w, w)
    NPU__CAST_STORE(NPU_FLOAT64, double, w, w)
    case NPU_COMPLEX64:
        for (int32_t k = 0; k < n; k++) {
            ((float *)out)[2 * k] = b->kind == NPU__CAST_INT ? (float)b->i[k]
                                  : b->kind == NPU__CAST_UINT ? (float)b->u[k] : (float)b->r[k];
            ((float *)out)[2 * k + 1] = 0.0f;
        }
        break;
    default: break;
    }
}
#undef NPU__CAST_STORE
#undef NPU__CAST_STORE_INT

NPU__FN void npu__cast_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__cast *d = (const npu__cast *)op;
    npu__cast_block  b;
    (void)step;
    for (int64_t i = 0; i < n; i += NPU__CAST_BLOCK) {
        int32_t m = (int32_t)NPU__MIN(n - i, NPU__CAST_BLOCK);
        npu__cast_load(&b, d->in_type, (const uint8_t *)in[0] + i * d->ew.in_bytes[0], m);
        npu__cast_store(&b, d->out_type, (uint8_t *)out + i * d->ew.out_bytes, m);
    }
}

/* Same type: a copy, which also keeps imaginary parts. */
NPU__FN void npu__cast_copy_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    (void)step;
    if (in[0] != out) memcpy(out, in[0], (size_t)n * (size_t)((const npu__ew *)op)->out_bytes);
}

/* The pairs that networks use most, in loops that vectorize. X(in, out, C type in, C type out, EXPR): integers as they lie, whatever
 * the output's sign; reals are cut to the type's ends, and NaN becomes the upper one. */
#define NPU__CAST_CUT(lo, hi) ((x < hi ? x : hi) > lo ? (x < hi ? x : hi) : lo)
#define NPU__CAST_CUT32 (x < 2147483648.0f ? (int32_t)NPU__CAST_CUT(-2147483648.0f, 2147483520.0f) : INT32_MAX)
#define NPU__CAST_PAIRS(X)                                                    \
    X(INT8, INT16, int8_t, int16_t, x) X(UINT8, INT16, uint8_t, int16_t, x)   \
    X(INT8, INT32, int8_t, int32_t, x) X(UINT8, INT32, uint8_t, int32_t, x)   \
    X(INT16, INT32, int16_t, int32_t, x) X(UINT16, INT32, uint16_t, int32_t, x) \
    X(INT32, INT64, int32_t, int64_t, x) X(UINT32, INT64, uint32_t, int64_t, x) \
    X(INT16, INT8, int16_t, int8_t, x) X(INT32, INT8, int32_t, int8_t, x)     \
    X(INT32, INT16, int32_t, int16_t, x) X(INT64, INT32, int64_t, int32_t, x) \
    X(INT8, FLOAT32, int8_t, float, x) X(UINT8, FLOAT32, uint8_t, float, x)   \
    X(INT16, FLOAT32, int16_t, float, x) X(INT32, FLOAT32, int32_t, float, x) \
    X(BOOL, FLOAT32, uint8_t, float, x != 0) X(BOOL, INT32, uint8_t, int32_t, x != 0) \
    X(FLOAT32, INT8, float, int8_t, (int32_t)NPU__CAST_CUT(-128.0f, 127.0f))  \
    X(FLOAT32, UINT8, float, uint8_t, (int32_t)NPU__CAST_CUT(0.0f, 255.0f))   \
    X(FLOAT32, INT16, float, int16_t, (int32_t)NPU__CAST_CUT(-32768.0f, 32767.0f)) \
    X(FLOAT32, INT32, float, int32_t, NPU__CAST_CUT32)                        \
    X(FLOAT32, BOOL, float, uint8_t, !((x >= 0.0f) & (x <= 0.0f))) X(INT32, BOOL, int32_t, uint8_t, x != 0) \
    X(FLOAT32, FLOAT16, float, uint16_t, npu__f16_from_f32(x)) X(FLOAT16, FLOAT32, uint16_t, float, npu__f16_to_f32(x))

#define NPU_X(in, out, TI, TO, EXPR) NPU__EW_VEC_ROW1(npu__cast_##in##_##out, NPU__EW_NO_LOCALS, TI, TO, EXPR)
NPU__CAST_PAIRS(NPU_X)
#undef NPU_X

/* Integers that have an output's bytes differ from it by their sign alone. */
NPU__FN int32_t npu__cast_bits(int32_t type) {
    switch (type) {
    case NPU_UINT8: return NPU_INT8;
    case NPU_UINT16: return NPU_INT16;
    case NPU_UINT32: return NPU_INT32;
    case NPU_UINT64: return NPU_INT64;
    default: return type;
    }
}

NPU__FN npu__ew_row npu__cast_find_row(int32_t in, int32_t out) {
    const int from_real = in == NPU_FLOAT32, bits = from_real ? out : npu__cast_bits(out);
    if (in == out || npu__cast_bits(in) == bits) return npu__cast_copy_row;
#define NPU_X(i, o, TI, TO, EXPR) if (in == NPU_##i && bits == NPU_##o) return npu__cast_##i##_##o;
    NPU__CAST_PAIRS(NPU_X)
#undef NPU_X
    /* What is cut off does not depend on the sign of the input. */
    if (!from_real && npu_type_bits((npu_type)in) > npu_type_bits((npu_type)out) && npu__cast_bits(in) != in && bits != NPU_FLOAT32) {
        return npu__cast_find_row(npu__cast_bits(in), out);
    }
    return npu__cast_row;
}
#undef NPU__CAST_PAIRS
#undef NPU__CAST_CUT
#undef NPU__CAST_CUT32

NPU__FN int npu__cast_knows(int32_t type) {
    switch (type) {
    case NPU_BOOL: case NPU_INT8: case NPU_UINT8: case NPU_INT16: case NPU_UINT16: case NPU_INT32: case NPU_UINT32:
    case NPU_INT64: case NPU_UINT64: case NPU_FLOAT16: case NPU_BFLOAT16: case NPU_FLOAT32: case NPU_FLOAT64:
    case NPU_COMPLEX64: return 1;
    default: return 0;
    }
}
NPU__FN int npu__cast_packed(int32_t type) { return type == NPU_INT4 || type == NPU_INT2 || type == NPU_UINT4; }

NPU__FN npu_status npu__cast_prepare(npu__ctx *c) {
    npu__cast *d = (npu__cast *)c->data;
    d->ew.kernel = "reference";
    d->in_type = c->in[0]->type;
    d->out_type = c->out[0]->type;
    if ((npu__cast_packed(d->in_type) && d->out_type == NPU_FLOAT32) ||
        (npu__cast_packed(d->out_type) && d->in_type == NPU_FLOAT32)) return NPU_OK;
    if (!npu__cast_knows(d->in_type) || !npu__cast_knows(d->out_type)) return npu__fail_types(c);
    NPU__TRY(npu__ew_prepare_loops(c, npu__cast_find_row(d->in_type, d->out_type), 1));
    if (d->ew.row == npu__cast_row) d->ew.kernel = "reference";
    return NPU_OK;
}

/* Packed integers, first element in the low bits. */
NPU__FN npu_status npu__cast_eval(npu__ctx *c) {
    const npu__cast *d = (const npu__cast *)c->data;
    const int        unpack = npu__cast_packed(d->in_type), packed = unpack ? d->in_type : d->out_type;
    const int32_t    bits = packed == NPU_INT2 ? 2 : 4, per_byte = 8 / bits, mask = (1 << bits) - 1;
    const int64_t    n = npu__elems(c->in[0]);
    int32_t          lo = 0, hi = 0;
    int64_t          done = 0;
    if (d->ew.row) return npu__ew_eval(c);
    npu__type_range(packed, &lo, &hi);
    for (int64_t i = 0; i < n; i++) {
        const int32_t shift = (int32_t)(i % per_byte) * bits;
        NPU__POLL_PASS(c, done, 1);
        if (unpack) {
            int32_t v = (((const uint8_t *)c->in[0]->data)[i / per_byte] >> shift) & mask;
            ((float *)c->out[0]->data)[i] = (float)(v > hi ? v - mask - 1 : v);
        } else {
            uint8_t *o = (uint8_t *)c->out[0]->data + i / per_byte;
            float    x = ((const float *)c->in[0]->data)[i];
            /* Truncated between the ends; NaN is not below hi, and so becomes it. */
            int32_t  v = x < (float)hi ? x > (float)lo ? (int32_t)x : lo : hi;
            *o = (uint8_t)((shift ? *o : 0) | (v & mask) << shift);
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_cast) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__cast), npu__infer_same_as_in0,
                                        npu__cast_prepare, NULL, npu__cast_eval, NULL};
