/* Elementwise ops: one walker that merges dimensions, broadcasts and splits the work; an op only supplies a row. */
#ifndef NPU__OPS_ELEMENTWISE_H
#define NPU__OPS_ELEMENTWISE_H

#include "../kernels/bytes.h"
#include "../kernels/vec_loop.h"
#include "util.h"

#define NPU__EW_MAX_IN 3

/* The flags of an operator of two inputs whose elements are as large as the output's. */
#define NPU__EW_FLAGS2 (NPU__OP_INPLACE0 | NPU__OP_INPLACE1 | NPU__OP_NAMES_KERNEL)

/* Computes n neighbouring output elements. step[k] is 1, or 0 where input k stays on one element. `op` is ctx->data.
 * `out` may be one of the inputs when that input has step 1 and elements of the same size. */
typedef void (*npu__ew_row)(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step);

/* First member of the data of every elementwise op. */
typedef struct npu__ew {
    const char *kernel;                             /* for profiles */
    const npu__pointwise *fast;                     /* loops for rows that have a fast form; may be NULL */
    const npu__bytes     *bytes;                    /* the same for bytes; never NULL */
    npu__unary_f32_fn unary;                        /* npu__ew_prepare_unary */
    npu__ew_row row;
    const struct npu__ew *gate[2];                  /* npu__ew_gate: what makes operands out of inputs, or NULL; ... */
    npu__ew_row gated;                              /* ... and the row that takes them, called by `row` */
    int32_t     n_in, rank;
    int32_t     wide;     /* whether x86 has AVX2: NPU__EW_WIDE_ROW */
    int32_t     by_table; /* bytes to bytes: with one operand a single value, eval may tabulate the row */
    int32_t     in_bytes[NPU__EW_MAX_IN], out_bytes; /* of one element */
    int64_t     total;
    int64_t     dims[NPU_MAX_RANK];                 /* outermost first; neighbours merged where possible; rank >= 1 */
    int64_t     step[NPU__EW_MAX_IN][NPU_MAX_RANK]; /* in elements, 0 where the input is broadcast */
} npu__ew;

/* Fills the npu__ew at the start of ctx->data: the first n_in inputs, broadcast to output 0 (infer has checked that
 * they do). Types must have whole-byte elements. */
NPU__FN npu_status npu__ew_prepare(npu__ctx *c, npu__ew_row row, int32_t n_in);
/* With a row that profiles call NPU__LOOPS_ANY. */
NPU__FN npu_status npu__ew_prepare_loops(npu__ctx *c, npu__ew_row row, int32_t n_in);
/* With another row for where npu__ew.fast is not NULL. */
NPU__FN npu_status npu__ew_prepare_fast(npu__ctx *c, npu__ew_row row, npu__ew_row fast_row, int32_t n_in);
/* One float input: function NPU__PW_... of npu__ew.fast, or `row`. */
NPU__FN npu_status npu__ew_prepare_unary(npu__ctx *c, npu__ew_row row, int32_t function);
/* The same for inputs that are read as if they had other shapes (of as many elements). */
NPU__FN npu_status npu__ew_prepare_shapes(npu__ctx *c, npu__ew_row row, int32_t n_in,
                                          const npu__shape *const *shapes);
/* The eval of every elementwise op, and the same with the npu__ew (and what follows it) somewhere else. */
NPU__FN npu_status npu__ew_eval(npu__ctx *c);
NPU__FN npu_status npu__ew_run(npu__ctx *c, const npu__ew *w);
/* Operand k of c, which is prepared, is what f makes of its only input: c does that on the way, from now on with f's input as its own.
 * Both are elementwise, of two inputs and one. False: nothing has changed. */
NPU__FN int npu__ew_gate(npu__ctx *c, int32_t k, const npu__ctx *f);
/* Inputs [0, n_in) and output 0 all have the type of input 0. */
NPU__FN int npu__ew_same_types(const npu__ctx *c, int32_t n_in);
/* log2 of a scale, rounded; true when the scale is (almost) a power of two. */
NPU__FN int npu__checked_log2(float x, int32_t *log2);
/* A row like NPU__EW_ROW1's below, in blocks that compilers turn into vectors: EXPR does not branch, and calls nothing but small
 * functions. Prepared by npu__ew_prepare_loops. */
#define NPU__EW_VEC_ROW1(name, LOCALS, TI, TO, EXPR)                                                             \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        const TI *a = (const TI *)in[0];                                                                         \
        TO       *o = (TO *)out;                                                                                 \
        LOCALS;                                                                                                  \
        (void)op;                                                                                                \
        (void)step;                                                                                              \
        for (; n >= 16; n -= 16, a += 16, o += 16) {                                                             \
            NPU__VEC_FOR(i, 16) { const TI x = a[i]; o[i] = (TO)(EXPR); }                                        \
        }                                                                                                        \
        for (int64_t i = 0; i < n; i++) { const TI x = a[i]; o[i] = (TO)(EXPR); }                                \
    }

/* The same of two inputs: an element that is broadcast fills a block of its own, so that there is one loop for all. */
#define NPU__EW_VEC_ROW2(name, LOCALS, TA, TB, TO, EXPR)                                                         \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        const TA     *a = (const TA *)in[0];                                                                     \
        const TB     *b = (const TB *)in[1];                                                                     \
        TO           *o = (TO *)out;                                                                             \
        const int32_t sa = step[0], sb = step[1];                                                                \
        TA            one_a[NPU__EW_BLOCK];                                                                      \
        TB            one_b[NPU__EW_BLOCK];                                                                      \
        LOCALS;                                                                                                  \
        (void)op;                                                                                                \
        if (n >= NPU__EW_BLOCK) {                                                                                \
            if (!sa) { NPU__VEC_FOR(i, NPU__EW_BLOCK) one_a[i] = a[0]; a = one_a; }                              \
            if (!sb) { NPU__VEC_FOR(i, NPU__EW_BLOCK) one_b[i] = b[0]; b = one_b; }                              \
        }                                                                                                        \
        for (; n >= NPU__EW_BLOCK; n -= NPU__EW_BLOCK, o += NPU__EW_BLOCK) {                                     \
            NPU__VEC_FOR(i, NPU__EW_BLOCK) { const TA x = a[i]; const TB y = b[i]; o[i] = (TO)(EXPR); }          \
            a += sa * NPU__EW_BLOCK;                                                                             \
            b += sb * NPU__EW_BLOCK;                                                                             \
        }                                                                                                        \
        for (int64_t i = 0; i < n; i++) { const TA x = a[i * sa]; const TB y = b[i * sb]; o[i] = (TO)(EXPR); }   \
    }
#define NPU__EW_BLOCK 32

/* Either of them in two forms where x86 has AVX2, as what they compute is little without it: products of 64 bits, conversions. */
#if NPU__HAS_X86
#  define NPU__EW_WIDE_ROW(ROW, name, ...)                                                                       \
    NPU__AVX2_ONLY NPU__EXPAND(ROW(name##__avx2, __VA_ARGS__))                                                   \
    NPU__EXPAND(ROW(name##__any, __VA_ARGS__))                                                                   \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        if (((const npu__ew *)op)->wide) name##__avx2(op, in, out, n, step);                                     \
        else name##__any(op, in, out, n, step);                                                                  \
    }
#else
#  define NPU__EW_WIDE_ROW(ROW, ...) NPU__EXPAND(ROW(__VA_ARGS__))
#endif

/* Wrapping 32-bit arithmetic. */
NPU__INLINE int32_t npu__wadd32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
NPU__INLINE int32_t npu__wsub32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
NPU__INLINE int32_t npu__wmul32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }

/* Rows read element i before they write element i and nothing else depends on order, also when out is an input. */
#if defined(__GNUC__) && !defined(__clang__)
#  define NPU__EW_FOR(i, n) _Pragma("GCC ivdep") for (int64_t i = 0; i < (n); i++)
#else
#  define NPU__EW_FOR(i, n) for (int64_t i = 0; i < (n); i++)
#endif

/* Stamps a row of one input: EXPR of x (an element). LOCALS declares copies of the op's parameters: were they read
 * through the pointer, every store to `out` would make the compiler read them again. */
#define NPU__EW_ROW1(name, LOCALS, TI, TO, EXPR)                                                                 \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        const TI *a = (const TI *)in[0];                                                                         \
        TO       *o = (TO *)out;                                                                                 \
        LOCALS;                                                                                                  \
        (void)op;                                                                                                \
        (void)step;                                                                                              \
        NPU__EW_FOR(i, n) { const TI x = a[i]; o[i] = (TO)(EXPR); }                                              \
    }

/* Stamps a row of two inputs: EXPR of x and y. */
#define NPU__EW_ROW2(name, LOCALS, TA, TB, TO, EXPR)                                                             \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {        \
        const TA *a = (const TA *)in[0];                                                                         \
        const TB *b = (const TB *)in[1];                                                                         \
        TO       *o = (TO *)out;                                                                                 \
        LOCALS;                                                                                                  \
        (void)op;                                                                                                \
        if (step[0] && step[1]) {                                                                                \
            NPU__EW_FOR(i, n) { const TA x = a[i]; const TB y = b[i]; o[i] = (TO)(EXPR); }                       \
        } else if (step[0]) {                                                                                    \
            const TB y = b[0];                                                                                   \
            NPU__EW_FOR(i, n) { const TA x = a[i]; o[i] = (TO)(EXPR); }                                          \
        } else {                                                                                                 \
            const TA x = a[0];                                                                                   \
            NPU__EW_FOR(i, n) { const TB y = b[i]; o[i] = (TO)(EXPR); }                                          \
        }                                                                                                        \
    }
#define NPU__EW_NO_LOCALS (void)0

/* std::min(std::max(x, lo), hi): NaN stays. */
NPU__INLINE float npu__clamp_f32(float x, float lo, float hi) {
    x = x < lo ? lo : x;
    return hi < x ? hi : x;
}
NPU__INLINE int64_t npu__clamp64(int64_t x, int64_t lo, int64_t hi) { return x < lo ? lo : x > hi ? hi : x; }

/* Two quantized inputs brought to one scale, combined by the op, and scaled to the output (ADD, SUB, ...). */
typedef struct npu__q2 {
    npu__qmul mul[2], out_mul;
    int32_t   offset[2], out_offset, left_shift, lo, hi;
    int32_t   type[2], out_type;
} npu__q2;

/* Scales of ADD, SUB and SQUARED_DIFFERENCE: inputs relative to twice the larger scale, after a left shift. */
NPU__FN npu_status npu__q2_prepare(npu__ctx *c, npu__q2 *q, int32_t left_shift);

NPU__INLINE int32_t npu__q2_in(const npu__q2 *q, int k, int32_t v) {
    return npu__qmul_apply((v + q->offset[k]) * (1 << q->left_shift), q->mul[k]);
}
NPU__INLINE int32_t npu__q2_out(const npu__q2 *q, int32_t v) {
    return npu__clamp32(npu__wadd32(npu__qmul_apply(v, q->out_mul), q->out_offset), q->lo, q->hi);
}

#endif
