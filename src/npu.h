/* npu_rt.h - one header that parses, checks, plans and runs TFLite models. MIT-0 or public domain.
 *
 * DO THIS in exactly one C or C++ file:
 *
 *     #define NPU_RT_IMPLEMENTATION
 *     #include "npu_rt.h"
 *
 * Other files include it without the define. No other file is needed: libc (string.h, stdlib.h, math.h) is all it uses, and
 * pthreads only where NPU_RT_THREADS is defined. Where the functions of math.h are a library of their own, link it: -lm on
 * Linux, BSD and with arm-none-eabi-gcc; not needed on macOS, Windows, for WebAssembly, or by CMake users of npu_rt::npu_rt.
 *
 * TEN LINES
 *
 *     npu_diag diag;
 *     npu_model *model; npu_plan *plan; npu_session *session;
 *     if (npu_model_open(&model, bytes, n_bytes, NULL, &diag) != NPU_OK) { puts(diag.text); return 1; }
 *     if (npu_plan_create(&plan, model, NULL, &diag) != NPU_OK)          { puts(diag.text); return 1; }
 *     if (npu_session_create(&session, plan, NULL, &diag) != NPU_OK)     { puts(diag.text); return 1; }
 *     npu_tensor in, out;
 *     npu_session_input(session, 0, &in);   memcpy(in.data, my_input, in.bytes);
 *     if (npu_session_invoke(session, &diag) != NPU_OK)                  { puts(diag.text); return 1; }
 *     npu_session_output(session, 0, &out); memcpy(my_output, out.data, out.bytes);
 *
 * FOUR VALUES, ONE DIRECTION
 *
 *     bytes -> npu_model -> npu_plan -> npu_session          (or, without a file: npu_graph -> npu_model)
 *
 *     npu_model    the verified file as a graph. Keeps pointing into your bytes: keep them until npu_model_close.
 *     npu_plan     shapes, op parameters, kernel choice and memory offsets. Another input shape is another plan.
 *     npu_session  memory for one run at a time: inputs, outputs, arena, packed weights, variables.
 *
 *     Model and plan are immutable: any number of threads may use them. A session belongs to one thread at a time.
 *
 * SWITCHES (define before including the implementation)
 *
 *     NPU_RT_STATIC          every public function is static: two files may hold private copies
 *     NPU_RT_MALLOC(n), NPU_RT_FREE(p)     replace malloc and free as the default allocator (define both or none)
 *     NPU_RT_ASSERT(x)       replaces assert
 *     NPU_RT_NO_MALLOC       no default allocator: every descriptor must bring one
 *     NPU_RT_NO_SIMD         scalar kernels only
 *     NPU_RT_KEEP_DENORMALS  results below 2^-126 are kept while a model runs: exact, and slow on many x86 cores. Else x86 rounds them
 *                            to zero for the time of an invoke, and restores the caller's mode
 *     NPU_RT_NO_WINOGRAD     float convolutions of 3 x 3 sum up each window's own products: slower (by Winograd's tiles they are 1.2 to 2 times
 *                            as fast), but rounding errors, infinities and NaN of neighbouring pixels do not reach an output
 *     NPU_RT_WASM_LANES      WebAssembly for Wasmtime: matrix products are 1.1 to 1.4 times as fast there, and slower in V8
 *     NPU_RT_NO_STRINGS      diagnostics carry ids, operator names and numbers but no prose
 *     NPU_RT_NO_PROFILE      no timing hooks
 *     NPU_RT_NO_REPORTS      no dump and no report writers
 *     NPU_RT_THREADS         build the thread pool (pthreads)
 *     NPU_RT_GRAPH           build npu_graph_*: models made by calls instead of files. Define it wherever these are called
 *     NPU_RT_NNAPI           build ANeuralNetworks*: the functions of Android's NNAPI. Define it wherever these are called
 *     NPU_RT_DEBUG           before each operator, assert what it relies on; with AddressSanitizer, catch it touching memory
 *                            of other operators
 *     NPU_RT_ONLY_OPS(X)     X(CONV_2D) X(SignalRfft) ...: the operators to keep, builtin and custom, for small programs;
 *                            `npu_rt info --ops-define MODEL...` prints this line for your models
 *     NPU_RT_NO_SOFTWARE_DEVICE  compiled models (Ethos-U) need a driver: the software that stands in is left out
 *     NPU_RT_BACKEND_ETHOSU, NPU_RT_BACKEND_NEURON, NPU_RT_BACKEND_MDLA, NPU_RT_BACKEND_ALL    the NPUs this build knows; default:
 *                            NPU_RT_BACKEND_NONE
 *
 * LIMITS (a descriptor's field, its default; a file that needs more gives NPU_LIMIT and says which)
 *
 *     npu_model_desc    max_tensors, max_ops 1 << 20; max_subgraphs 1 << 12; max_tensor_bytes 2 GiB;
 *                       max_memory_bytes 64 MiB + 4 times the file: all that the model allocates
 *     npu_plan_desc     max_memory_bytes 1 GiB: all that the plan, one session of it and its data-dependent tensors allocate
 *     npu_session_desc  max_work 1 << 40 steps and max_loop_runs 1 << 22 subgraph calls in one invoke; cancel stops it sooner
 *
 *     Opening and planning take time linear in the file's length (constants are folded while that takes less than 1 << 30
 *     steps in all). So any bytes end in an error or in a run whose memory and work are bounded before it starts.
 *
 * DOES NOT: read files, start threads unless asked, keep global state, print, or allocate during invoke (models whose
 * shapes depend on data are the exception: their tensors come from the session's allocator).
 */
#ifndef NPU_RT_H
#define NPU_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPU_RT_VERSION_MAJOR 0
#define NPU_RT_VERSION_MINOR 1
#define NPU_RT_VERSION_PATCH 0
#define NPU_RT_VERSION "0.1.0"

#ifndef NPU_API
#  ifdef NPU_RT_STATIC
#    if defined(__GNUC__) || defined(__clang__)
#      define NPU_API static __attribute__((unused))
#    else
#      define NPU_API static
#    endif
#  else
#    define NPU_API extern
#  endif
#endif

#define NPU_MAX_RANK 8 /* most dimensions of a tensor */

/* ---- status ----------------------------------------------------------------------------------------------------- */

/* X(name, value, exit code of the CLI, what it means). The name says whose fault it is. */
#define NPU_STATUS_LIST(X)                                                                    \
    X(OK,               0, 0, "success")                                                      \
    X(INVALID_ARGUMENT, 1, 2, "the caller passed an argument outside the documented range")   \
    X(OUT_OF_MEMORY,    2, 1, "the allocator returned NULL or the memory given is too small") \
    X(INVALID_MODEL,    3, 3, "the model breaks the file format or an operator's rules")      \
    X(UNSUPPORTED,      4, 4, "the model is valid but needs an op or type this build lacks")  \
    X(BAD_INPUT,        5, 5, "input data has the wrong type, size or values")                \
    X(RUNTIME,          6, 1, "an op failed while running")                                   \
    X(LIMIT,            7, 3, "the model exceeds a limit set in the descriptor")              \
    X(CANCELLED,        8, 1, "the caller's cancel function stopped the run")

typedef enum npu_status {
#define NPU_X(name, value, exit_code, text) NPU_##name = value,
    NPU_STATUS_LIST(NPU_X)
#undef NPU_X
    NPU_STATUS_COUNT
} npu_status;

/* The name of a status, e.g. "INVALID_MODEL". Threads: any. Owns: nothing, the string is constant. */
NPU_API const char *npu_status_name(npu_status status);
/* One sentence about a status. Threads: any. Owns: nothing. */
NPU_API const char *npu_status_text(npu_status status);
/* The process exit code the CLI uses for a status. Threads: any. */
NPU_API int npu_status_exit_code(npu_status status);

/* What went wrong, where, and which rule says so. Filled only when a call fails, and, with the status OK, where a plan or a session
 * went on without its backend (npu_plan_desc.fallback): then it says why, the last time. Programs should test `rule`. */
typedef struct npu_diag {
    npu_status  status;
    const char *rule;        /* stable id such as "fb.offset_range" or "conv_2d.filter_rank"; never NULL after a failure */
    int64_t     file_offset; /* byte in the model, -1 when not about a byte */
    int32_t     subgraph;    /* -1 when not about a subgraph */
    int32_t     op;          /* index of the operator in its subgraph, -1 when not about an op */
    char        op_name[40]; /* TFLite spelling (custom: as in the file, cut to fit), also under NPU_RT_NO_STRINGS; "" when
                              * not about an op, or about one in a file that is too damaged to have names */
    char        text[256];   /* a sentence that says what to do next; "" under NPU_RT_NO_STRINGS */
} npu_diag;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Where memory comes from. `alloc` returns at least `bytes` bytes aligned to `align` (a power of two, at most 64), or
 * NULL. Zero-initialised means malloc/free (NPU_RT_MALLOC/NPU_RT_FREE). */
typedef struct npu_allocator {
    void *user;
    void *(*alloc)(void *user, size_t bytes, size_t align);
    void (*free)(void *user, void *ptr, size_t bytes);
} npu_allocator;

/* A bump allocator over one buffer, for programs without malloc: 16 bytes (8 on 32-bit machines) a piece beside what is
 * asked for. What is given back can be taken again once everything taken later is given back too; after the last object
 * is destroyed, in whatever order, `used` is 0. */
typedef struct npu_fixed_buffer {
    uint8_t *base;
    size_t   bytes, used, peak;
} npu_fixed_buffer;

/* An allocator that takes everything from `buffer` (`bytes` long). `state` must outlive every object made with it.
 * Threads: one at a time per state. Owns: nothing. */
NPU_API npu_allocator npu_fixed_allocator(npu_fixed_buffer *state, void *buffer, size_t bytes);

/* ---- types and tensors ------------------------------------------------------------------------------------------- */

/* X(name, code in the file, bits of one element, numpy dtype; "" where numpy has none) */
#define NPU_TYPE_LIST(X)               \
    X(FLOAT32,     0,  32, "<f4")      \
    X(FLOAT16,     1,  16, "<f2")      \
    X(INT32,       2,  32, "<i4")      \
    X(UINT8,       3,   8, "|u1")      \
    X(INT64,       4,  64, "<i8")      \
    X(STRING,      5,   0, "")         \
    X(BOOL,        6,   8, "|b1")      \
    X(INT16,       7,  16, "<i2")      \
    X(COMPLEX64,   8,  64, "<c8")      \
    X(INT8,        9,   8, "|i1")      \
    X(FLOAT64,     10, 64, "<f8")      \
    X(COMPLEX128,  11, 128, "<c16")    \
    X(UINT64,      12, 64, "<u8")      \
    X(RESOURCE,    13, 32, "<i4")      \
    X(VARIANT,     14, 0, "")          \
    X(UINT32,      15, 32, "<u4")      \
    X(UINT16,      16, 16, "<u2")      \
    X(INT4,        17,  4, "|i1")      \
    X(BFLOAT16,    18, 16, "")         \
    X(INT2,        19,  2, "|i1")      \
    X(UINT4,       20,  4, "|u1")      \
    X(FLOAT8_E4M3FN, 21, 8, "")        \
    X(FLOAT8_E5M2, 22,  8, "")

typedef enum npu_type {
#define NPU_X(name, value, bits, dtype) NPU_##name = value,
    NPU_TYPE_LIST(NPU_X)
#undef NPU_X
    NPU_TYPE_COUNT
} npu_type;

/* "FLOAT32", "INT8", ...; "UNKNOWN" for a code that is not in the list. Threads: any. Owns: nothing. */
NPU_API const char *npu_type_name(npu_type type);
/* Bits of one element, 0 for STRING, VARIANT and unknown codes. Threads: any. */
NPU_API int npu_type_bits(npu_type type);
/* numpy's dtype string, "" where there is none. Threads: any. Owns: nothing. */
NPU_API const char *npu_type_dtype(npu_type type);

/* Affine quantization: real = scale[c] * (q - zero_point[c]), c along `axis`. count 0: not quantized; 1: per tensor. */
typedef struct npu_quant {
    int32_t        count;
    int32_t        axis;
    const float   *scale;      /* count entries, owned by the model */
    const int32_t *zero_point; /* count entries, owned by the model */
} npu_quant;

/* A look at one tensor. `data` stays valid until the session is destroyed, or (data-dependent shapes) the next invoke. */
typedef struct npu_tensor {
    const char *name;     /* not zero-terminated: name_len bytes, owned by the model */
    size_t      name_len;
    npu_type    type;
    int32_t     rank;
    int32_t     dims[NPU_MAX_RANK];
    int32_t     dims_signature[NPU_MAX_RANK]; /* as declared by the model: -1 where a dimension may be resized */
    npu_quant   quant;
    void       *data;     /* NULL where no session holds memory for it; of STRING: npu_tensor_string reads it, nobody writes it */
    size_t      bytes;    /* of data; sub-byte types are packed, low nibble first */
} npu_tensor;

/* Strings of a STRING tensor. Element k in C order: its bytes (not zero-terminated, no encoding implied) and how many; constant
 * time. `tensor` comes from npu_session_output (an input does not show its strings) or has contents of your own, which are checked.
 * Valid as long as tensor->data. Errors: INVALID_ARGUMENT (no such element, another type, NULL, contents that are no strings).
 * Threads: any. Owns: nothing. */
NPU_API npu_status npu_tensor_string(const npu_tensor *tensor, int64_t k, const char **bytes, size_t *length);
/* The contents of a STRING tensor as the file has them (int32 count, count + 1 offsets, bytes): for constants of npu_graph_tensor.
 * `lengths` NULL: zero-terminated. Returns how many bytes they take, and writes them to `out` if `bytes` is as much; 0: a string is
 * NULL, or they exceed 2^31 bytes. Threads: any. */
NPU_API size_t npu_strings_pack(void *out, size_t bytes, const char *const *items, const size_t *lengths, size_t count);

/* Reals to elements and back, without allocating. Element i is the i-th in C order. With quantization (integers; `quant` of a float
 * or bool is not looked at) real = scale * (element - zero_point), the scale of the element's index along quant.axis where there
 * are several; integers without it have scale 1 and zero point 0.
 *   quantize    element = round(real / scale) + zero_point, the quotient in float and half away from zero, cut to the type's ends
 *               (infinities too): the formula and the bits of TFLite's QUANTIZE, for INT2 .. INT64 and UINT4 .. UINT64. A NaN is
 *               refused. BOOL: anything but 0 is 1. FLOAT16, BFLOAT16 and the 8-bit floats: to nearest even, what is too large to
 *               infinity (NaN for FLOAT8_E4M3FN, which has none); FLOAT32 and FLOAT64 as they are, NaN included.
 *   dequantize  scale * (element - zero_point), in double and then to float: the bits of TFLite's DEQUANTIZE. FLOAT64 and wide
 *               integers go to the nearest float.
 * `tensor` comes from npu_session_input or _output, or is described by npu_model_input with `data` set to memory of your own
 * (tensor->bytes long, any alignment; reals and data must not overlap). `n` is the number of its elements. On failure nothing is
 * written. `diag` may be NULL.
 * Errors: BAD_INPUT (another `n`, a NaN, a scale that is no positive number, scales that do not fit the shape), UNSUPPORTED (STRING,
 * RESOURCE, VARIANT and complex types), INVALID_ARGUMENT (NULL; `bytes` not those of type and dims).
 * Threads: any, one at a time per tensor written. Owns: nothing. */
NPU_API npu_status npu_tensor_quantize(const npu_tensor *tensor, const float *real, size_t n, npu_diag *diag);
NPU_API npu_status npu_tensor_dequantize(const npu_tensor *tensor, float *real, size_t n, npu_diag *diag);

/* ---- operators of the caller's own ------------------------------------------------------------------------------- */

/* An operator that this build lacks, custom or builtin, as functions of the caller's: npu_model_desc.operators. The model then has it
 * as it has ours: shapes and memory are planned, constants folded, budgets, profiles and reports count it, subgraphs may hold it.
 * NPU_RT_ONLY_OPS does not leave it out, and no backend of a plan runs it. A name that this build has is refused: one with a prefix of
 * yours will never be.
 *
 *     infer    sets the shape of every output (npu_call_set_shape) from the inputs' shapes and, where it needs them, contents: `data`
 *              is NULL where they are not known before a run. It may then return NPU_LATER, and is asked again in each run. Must
 *              give the same shapes for the same inputs, and comes before prepare: it must not read data of a type or size that it
 *              did not look at. NULL: outputs have the shapes that the model declares.
 *     prepare  checks the rest (types, ranks, quantization, options: files may say anything), asks for memory. NULL: nothing to do.
 *     eval     computes the outputs. It writes nothing else, inputs above all, and allocates nothing.
 *     work     steps that one eval takes, about a nanosecond each, for npu_session_desc.max_work and for folding. NULL: one for
 *              each element. May read inputs, outputs (shapes) and npu_call_data, and must not call anything else.
 *
 * Before infer is called, the number of inputs and outputs is checked, and that no input is left out but optional ones; before prepare
 * that shapes and bytes agree; types with no size (STRING) are refused. What a callback sets is checked too. A callback fails by
 * `return npu_call_fail(...)`; any other failure gets the rule "user_op.failed", and one whose own call failed (npu_call_set_shape
 * for example) has failed whatever it returns. A node with an output that has no shape after infer fails with "op.output_shape".
 * Callbacks run on the thread that plans or runs, and must not plan, run or close the model they belong to. */
typedef struct npu_call npu_call; /* one operator at work: valid in the callback that it is given to */

enum {
    NPU_USER_OP_PURE     = 1, /* outputs depend on inputs and options alone: computed once where these are constant, and left out
                               * where the outputs are empty */
    NPU_USER_OP_IN_PLACE = 2  /* output 0 may lie on input 0, where both have the same bytes and nobody reads that one again */
};

typedef struct npu_user_op {
    const char *name; /* a custom operator's, or the TFLite spelling of a builtin that npu_model_missing would list */
    void       *user; /* given to every callback */
    int32_t     min_inputs, max_inputs, min_outputs, max_outputs; /* left-out ones counted; max -1: any number */
    uint32_t    optional_inputs; /* bit i: input i may be left out; bit 31: that and every later one */
    uint32_t    flags;           /* NPU_USER_OP_... */
    size_t      data_bytes;      /* of npu_call_data, at most 32768 */
    npu_status (*infer)(void *user, npu_call *call);
    npu_status (*prepare)(void *user, npu_call *call);
    npu_status (*eval)(void *user, npu_call *call);
    int64_t    (*work)(void *user, const npu_call *call);
} npu_user_op;

/* What infer, and it alone, may return beside a status. */
#define NPU_LATER NPU_STATUS_COUNT

/* All of these: in a callback only, and from its own thread. Owns: nothing.
 * How many inputs and outputs the operator has. */
NPU_API int32_t npu_call_input_count(const npu_call *call);
NPU_API int32_t npu_call_output_count(const npu_call *call);
/* Input or output `i` as it is now; `data` is NULL where its contents are not known, or it has no bytes. Returns 0, and fills *out with
 * zeros, for an input that is left out and for an `i` that does not exist. */
NPU_API int npu_call_input(const npu_call *call, int32_t i, npu_tensor *out);
NPU_API int npu_call_output(const npu_call *call, int32_t i, npu_tensor *out);
/* Where it stands in the model: npu_model_op(model, *subgraph, *op) has its name. */
NPU_API void npu_call_place(const npu_call *call, int32_t *subgraph, int32_t *op);
/* Bytes of a custom operator's options, by convention a flexbuffer, at any alignment; NULL: it has none. */
NPU_API const void *npu_call_options(const npu_call *call, size_t *bytes);
/* Option `name`: of the map in such a flexbuffer, or a field of a builtin's options by its name in the schema (not in builds with both
 * NPU_RT_NO_STRINGS and NPU_RT_NO_REPORTS). Nonzero: there it is; 0: it has none of that kind, and *value keeps what it was. Ints are
 * bools and enums too; float takes ints. *value of str is not zero-terminated. */
NPU_API int npu_call_option_int(const npu_call *call, const char *name, int64_t *value);
NPU_API int npu_call_option_float(const npu_call *call, const char *name, double *value);
NPU_API int npu_call_option_str(const npu_call *call, const char *name, const char **value, size_t *bytes);
/* infer: gives output `i` its shape. Errors: UNSUPPORTED "op.output_rank", LIMIT "op.output_size" (a negative dimension, too large),
 * INVALID_ARGUMENT "user_op.call" (no such output, not in infer). */
NPU_API npu_status npu_call_set_shape(npu_call *call, int32_t i, int32_t rank, const int32_t *dims);
/* Ends a callback: `return npu_call_fail(call, NPU_INVALID_MODEL, "mine.rank", "input 0 must have 4 dimensions")`. `rule` is kept by
 * pointer (a literal), `text` is copied as far as it fits; the operator's name and place come before it. Returns `status`, or RUNTIME
 * where that is no failure. */
NPU_API npu_status npu_call_fail(npu_call *call, npu_status status, const char *rule, const char *text);
/* prepare: asks for memory, aligned to 64 bytes: scratch has any contents at each eval, state is zeroed when the session is made and
 * reset and kept between runs (an operator with state needs shapes that are known while planning: "op.dynamic_state"). The pieces of
 * an operator are numbered from 0 in the order of these calls; returns that number, -1 when it is too much. */
NPU_API int32_t npu_call_want_scratch(npu_call *call, size_t bytes);
NPU_API int32_t npu_call_want_state(npu_call *call, size_t bytes);
/* eval: memory number `i`. NULL: prepare did not ask for it. */
NPU_API void *npu_call_memory(npu_call *call, int32_t i);
/* data_bytes of the operator's own, zeroed, which prepare fills and everything after it reads; aligned to 8 bytes. NULL in infer. */
NPU_API void *npu_call_data(const npu_call *call);
/* eval: calls fn(arg, begin, end, thread) over [0, n) split into contiguous pieces, on the session's threads (npu_plan_desc.threads);
 * on this one alone where n < 2 * grain. thread < npu_call_threads: several calls may have the same one, but never at the same time. The
 * result must not depend on the split. After the session's cancel function said stop, the rest of [0, n) is left out. */
typedef void (*npu_range_fn)(void *arg, int64_t begin, int64_t end, int32_t thread);
NPU_API void npu_call_parallel(npu_call *call, int64_t n, int64_t grain, npu_range_fn fn, void *arg);
NPU_API int32_t npu_call_threads(const npu_call *call);
/* For loops that take more than a few milliseconds: says how many steps the last pass took. Nonzero: return NPU_CANCELLED. */
NPU_API int npu_call_poll(npu_call *call, int64_t steps);

/* How far two tensors are apart. The histogram counts elements by the distance of what is stored: of floats in units in the last
 * place (numbers of the type that lie between, +0 and -0 being one), of integers in quantized steps. [0] are those without any,
 * [1] those 1 apart, [2] 2, [3] 3 to 4, [4] 5 to 8, [k] up to 2^(k-1), the last one all beyond that and all where one is a NaN. */
enum { NPU_DIFFERENCE_BINS = 20 };
typedef struct npu_difference {
    size_t  elements;   /* of each; of complex numbers, both parts count */
    size_t  differing;  /* elements that are not in histogram[0]. Two NaNs are equal, whatever their bits */
    size_t  nans;       /* elements where one tensor has a NaN and the other has none */
    double  max_abs;    /* largest absolute difference of reals (quantized integers by their scales); infinite where one has a NaN or an
                         * infinity that the other does not have */
    size_t  max_index;  /* the first element that is so far off, in C order; 0 where all are equal */
    int32_t ulps;       /* nonzero: the histogram is of units in the last place; 0: of steps */
    size_t  histogram[NPU_DIFFERENCE_BINS];
} npu_difference;

/* Compares two tensors of one type and shape, from sessions or described by the caller as for npu_tensor_quantize. Each is read by its
 * own quantization. `diag` may be NULL.
 * Errors: BAD_INPUT "compare.type", "compare.shape" (they differ in it), UNSUPPORTED (STRING, RESOURCE, VARIANT), INVALID_ARGUMENT (NULL; a
 * tensor without data; `bytes` not those of type and dims). Threads: any. Owns: nothing. */
NPU_API npu_status npu_tensor_compare(const npu_tensor *a, const npu_tensor *b, npu_difference *out, npu_diag *diag);

/* ---- model ------------------------------------------------------------------------------------------------------- */

typedef struct npu_model npu_model;

/* Limits that turn a hostile file into a clean error. Zero means the default in the comment. */
typedef struct npu_model_desc {
    npu_allocator allocator;
    uint32_t      max_tensors; /* 1 << 20, over all subgraphs */
    uint32_t      max_ops;     /* 1 << 20, over all subgraphs */
    uint32_t      max_subgraphs; /* 1 << 12 */
    uint64_t      max_tensor_bytes; /* 1 << 31, one tensor */
    uint64_t      max_memory_bytes; /* what the model itself may allocate: 64 MiB + 4 * n_bytes */
    const npu_user_op *operators; /* the caller's own, n_operators of them; may be NULL. Copied, names included: what callbacks use
                                   * (`user`) must live until npu_model_close */
    int32_t       n_operators;
} npu_model_desc;

/* Verifies `bytes` (TFLite, schema v3; any alignment) and builds the graph. The bytes must stay unchanged until
 * npu_model_close. `desc` and `diag` may be NULL. On failure *out is NULL and nothing is kept.
 * Errors: INVALID_MODEL, LIMIT, OUT_OF_MEMORY, INVALID_ARGUMENT ("api.operators": a registration that cannot be, such as a name that
 * this build has itself). Unknown ops are not an error here.
 * Threads: any. Owns: *out belongs to the caller; the bytes stay the caller's. */
NPU_API npu_status npu_model_open(npu_model **out, const void *bytes, size_t n_bytes, const npu_model_desc *desc,
                                  npu_diag *diag);
/* What a file is by its first bytes ("an ONNX model", "a PNG image", "a TFLite model"), and in *next (may be NULL) what to
 * do with it; for the dozens of kinds that people open by mistake. NULL (and "") for any other, and under
 * NPU_RT_NO_STRINGS. A guess for messages: nothing is verified. Threads: any. Owns: nothing. */
NPU_API const char *npu_file_kind(const void *bytes, size_t n_bytes, const char **next);
/* Frees the model; NULL is fine. No plan of it may be in use. Threads: one. */
NPU_API void npu_model_close(npu_model *model);

/* An entry point: a signature of the file, or subgraph 0 when it has none. */
typedef struct npu_signature {
    const char *key; /* "" for the unnamed one; key_len bytes */
    size_t      key_len;
    int32_t     subgraph;
    int32_t     n_inputs, n_outputs;
} npu_signature;

/* Number of signatures, 0 when the file has none. Threads: any. */
NPU_API int32_t npu_model_signature_count(const npu_model *model);
/* Signature `index`. Errors: INVALID_ARGUMENT. Threads: any. Owns: nothing. */
NPU_API npu_status npu_model_signature(const npu_model *model, int32_t index, npu_signature *out);
/* Subgraph of the signature `key` (zero-terminated), -1 if there is none. Threads: any. */
NPU_API int32_t npu_model_find_signature(const npu_model *model, const char *key);
/* The signature's own name for an input (output != 0: an output) and the position of that tensor among the subgraph's
 * inputs (outputs). `i` counts the signature's entries. Errors: INVALID_ARGUMENT. Threads: any. Owns: nothing. */
NPU_API npu_status npu_model_signature_entry(const npu_model *model, int32_t index, int output, int32_t i,
                                             const char **name, size_t *name_len, int32_t *position);
/* Number of subgraphs, and of a subgraph's inputs and outputs (-1 for a subgraph that does not exist). Threads: any. */
NPU_API int32_t npu_model_subgraph_count(const npu_model *model);
NPU_API int32_t npu_model_input_count(const npu_model *model, int32_t subgraph);
NPU_API int32_t npu_model_output_count(const npu_model *model, int32_t subgraph);
/* Declared input or output (shape as in the file; data NULL). Errors: INVALID_ARGUMENT. Threads: any. Owns: nothing. */
NPU_API npu_status npu_model_input(const npu_model *model, int32_t subgraph, int32_t i, npu_tensor *out);
NPU_API npu_status npu_model_output(const npu_model *model, int32_t subgraph, int32_t i, npu_tensor *out);
/* Number of tensors of a subgraph (-1: there is no such subgraph), and one of them as declared: shape as in the file; data of
 * constants only. Errors: INVALID_ARGUMENT. Threads: any. Owns: nothing. */
NPU_API int32_t npu_model_tensor_count(const npu_model *model, int32_t subgraph);
NPU_API npu_status npu_model_tensor(const npu_model *model, int32_t subgraph, int32_t i, npu_tensor *out);
/* Metadata entry `i`: its name and bytes inside the file. Returns the entry count when `name` is NULL.
 * Errors: -1 for an index that does not exist. Threads: any. Owns: nothing. */
NPU_API int32_t npu_model_metadata(const npu_model *model, int32_t i, const char **name, size_t *name_len,
                                   const void **data, size_t *bytes);

/* An operator as the file names it. */
typedef struct npu_op {
    const char *name;     /* TFLite spelling; custom ops by their own name. name_len bytes, owned by the model */
    size_t      name_len;
    int32_t     code;     /* BuiltinOperator in the schema; 32: custom */
    int32_t     version;
    const char *keep;     /* its name in NPU_RT_ONLY_OPS; "" for "ethos-u", which NPU_RT_BACKEND_ETHOSU keeps, and for the caller's
                           * own; NULL: this build does not have it */
    const int32_t *inputs, *outputs; /* tensors of the subgraph by index, -1: an optional one left out; owned by the model */
    int32_t     n_inputs, n_outputs;
} npu_op;

/* Number of operators of a subgraph (-1: there is no such subgraph), and one of them.
 * Errors: INVALID_ARGUMENT. Threads: any. Owns: nothing. */
NPU_API int32_t npu_model_op_count(const npu_model *model, int32_t subgraph);
NPU_API npu_status npu_model_op(const npu_model *model, int32_t subgraph, int32_t i, npu_op *out);

/* An operator that this build has no kernel for: once for each name, however often the model has it. */
typedef struct npu_missing_op {
    const char *name;         /* TFLite spelling, of custom operators their own. name_len bytes, constant or the model's */
    size_t      name_len;
    int32_t     custom;       /* nonzero: a custom operator */
    int32_t     subgraph, op; /* the first place */
    int64_t     count;        /* in all subgraphs */
} npu_missing_op;

/* What keeps npu_plan_create from succeeding with UNSUPPORTED "op.unknown": fills at most `cap` entries of `out` (may be
 * NULL) in the order of first places, and returns how many there are: 0 when every operator has a kernel, at most 64 (names
 * beyond that are counted with the last one, "(others)"). Threads: any. Owns: nothing. */
NPU_API int32_t npu_model_missing(const npu_model *model, npu_missing_op *out, int32_t cap);

/* The software adapter of Neuron makes its models by these calls. */
#if (((defined(NPU_RT_BACKEND_ALL) || defined(NPU_RT_BACKEND_NEURON)) && !defined(NPU_RT_NO_SOFTWARE_DEVICE)) || \
     defined(NPU_RT_NNAPI)) && !defined(NPU_RT_GRAPH)
#  define NPU_RT_GRAPH
#endif

/* ---- graph: a model without a file (needs NPU_RT_GRAPH) ----------------------------------------------------------- */
#ifdef NPU_RT_GRAPH

/* A model in the making: tensors and operators are added one by one, then npu_graph_finish makes an npu_model that differs in
 * nothing from one of a file. The same rules hold, with the same ids ("tflite.dimension", "graph.written_twice", ...): those about
 * one tensor or operator at the call that adds it, those about a whole subgraph or signature in npu_graph_finish.
 *
 *     npu_graph_create, then for each subgraph npu_graph_subgraph, npu_graph_tensor, npu_graph_op, npu_graph_option_*,
 *     npu_graph_inputs, npu_graph_outputs; perhaps npu_graph_signature, npu_graph_metadata; npu_graph_finish; npu_graph_destroy
 *
 * Of all these functions: everything that a call is given is copied, but for constants that are lent (npu_tensor_desc.lend). A call
 * that fails adds nothing, and the graph is as it was. Subgraphs, tensors and operators are named by their index, counted from 0.
 * `diag` may be NULL. Errors: INVALID_ARGUMENT ("api.graph": NULL, a subgraph or operator that does not exist, any call but
 * npu_graph_destroy after npu_graph_finish, successful or not), OUT_OF_MEMORY, LIMIT, and those named below.
 * Threads: one at a time per graph. Owns: nothing beside what is said here. */
typedef struct npu_graph npu_graph;

/* An empty graph. `desc` (may be NULL) has the allocator and the limits of graph and model; max_memory_bytes holds for both
 * together, and its default is that of a file: 64 MiB + 4 times what the calls give.
 * Owns: *out belongs to the caller (npu_graph_destroy). */
NPU_API npu_status npu_graph_create(npu_graph **out, const npu_model_desc *desc, npu_diag *diag);
/* Frees the graph, not the model that it was finished to; NULL is fine. */
NPU_API void npu_graph_destroy(npu_graph *graph);

/* Adds a subgraph (`name` may be NULL: "") and gives its index: the first one, 0, is what npu_session_invoke runs. `index` may be
 * NULL, here and below. */
NPU_API npu_status npu_graph_subgraph(npu_graph *graph, const char *name, int32_t *index, npu_diag *diag);

/* How weights quantized by blocks say so: tensors of the same subgraph hold scales and zero points (-1: none), one for each
 * `block_size` elements of a row. */
typedef struct npu_blockwise {
    int32_t scales, zero_points, block_size;
} npu_blockwise;

/* A level of a sparse constant: every index of its dimension (`csr` 0), or those listed. As SparsityParameters in the schema. */
typedef struct npu_sparse_level {
    int32_t     csr, dense_size;
    const void *segments, *indices;           /* little-endian numbers of these bytes each: 4 (int32), 2 or 1 (unsigned) */
    int32_t     n_segments, n_indices;
    int32_t     segment_bytes, index_bytes;
} npu_sparse_level;

typedef struct npu_sparsity {
    const int32_t          *traversal_order, *block_map;
    int32_t                 n_traversal_order, n_block_map, n_levels;
    const npu_sparse_level *levels;
} npu_sparsity;

/* Zero-initialised, it is a float scalar that some operator computes. */
typedef struct npu_tensor_desc {
    const char          *name;            /* zero-terminated; NULL: "" */
    npu_type             type;
    int32_t              rank;
    int32_t              dims[NPU_MAX_RANK]; /* -1: any size, 1 unless npu_plan_desc.input_shapes says otherwise */
    const int32_t       *dims_signature;  /* rank entries, -1 where the dimension may be resized; NULL: as in dims */
    npu_quant            quant;           /* zero_point NULL: zeros. Zero-initialised: none */
    const npu_blockwise *blockwise;       /* NULL: none */
    const npu_sparsity  *sparsity;        /* of a constant whose `data` is sparse; NULL: dense */
    const void          *data;            /* a constant's contents in C order, sub-byte types packed, low nibble first, STRING as
                                           * npu_strings_pack writes it; NULL: none */
    size_t               bytes;
    int32_t              lend;            /* nonzero: data stays the caller's, unchanged until npu_model_close, and is copied only
                                           * where it is not aligned for its type. 0: copied */
    int32_t              is_variable;     /* nonzero: keeps its value from one invoke to the next */
} npu_tensor_desc;

/* Adds a tensor to a subgraph. Errors: those of a file (INVALID_MODEL, UNSUPPORTED, LIMIT). */
NPU_API npu_status npu_graph_tensor(npu_graph *graph, int32_t subgraph, const npu_tensor_desc *desc, int32_t *index,
                                    npu_diag *diag);

typedef struct npu_op_desc {
    const char    *name;           /* TFLite spelling ("CONV_2D"); any other name is that of a custom operator */
    int32_t        custom;         /* nonzero: a custom operator, whatever its name */
    int32_t        version;        /* 0 = 1 */
    const int32_t *inputs;         /* tensors that were added before; -1: an optional one left out */
    const int32_t *outputs;
    const int32_t *intermediates;  /* -1: left out */
    int32_t        n_inputs, n_outputs, n_intermediates;
    const void    *custom_options; /* bytes, by convention a flexbuffer; NULL: none */
    size_t         custom_options_bytes;
} npu_op_desc;

/* Adds an operator behind those that the subgraph has: they run in this order. Options follow. That the operator has a kernel and
 * that its inputs suit it is seen when the model is planned, as with a file. Errors: INVALID_MODEL. */
NPU_API npu_status npu_graph_op(npu_graph *graph, int32_t subgraph, const npu_op_desc *desc, int32_t *index, npu_diag *diag);

/* Sets an option of a builtin operator by its name in the schema: "stride_w", "fused_activation_function". What is not set has the
 * schema's default. int: numbers, bools (0, 1) and enums. float: floats. str: strings, and enums by name ("SAME", "RELU6").
 * ints, floats: lists. Errors: INVALID_ARGUMENT "graph.option_name" (the text lists those there are), "graph.option_kind",
 * "graph.option_range" (the value does not fit the field). */
NPU_API npu_status npu_graph_option_int(npu_graph *graph, int32_t subgraph, int32_t op, const char *name, int64_t value,
                                        npu_diag *diag);
NPU_API npu_status npu_graph_option_float(npu_graph *graph, int32_t subgraph, int32_t op, const char *name, double value,
                                          npu_diag *diag);
NPU_API npu_status npu_graph_option_str(npu_graph *graph, int32_t subgraph, int32_t op, const char *name, const char *value,
                                        npu_diag *diag);
NPU_API npu_status npu_graph_option_ints(npu_graph *graph, int32_t subgraph, int32_t op, const char *name,
                                         const int64_t *values, int32_t n, npu_diag *diag);
NPU_API npu_status npu_graph_option_floats(npu_graph *graph, int32_t subgraph, int32_t op, const char *name,
                                           const float *values, int32_t n, npu_diag *diag);

/* Which tensors the caller of a subgraph writes, and reads. A later call replaces the list. Errors: INVALID_MODEL. */
NPU_API npu_status npu_graph_inputs(npu_graph *graph, int32_t subgraph, const int32_t *tensors, int32_t n, npu_diag *diag);
NPU_API npu_status npu_graph_outputs(npu_graph *graph, int32_t subgraph, const int32_t *tensors, int32_t n, npu_diag *diag);

/* A name that a signature gives to an input or output of its subgraph. */
typedef struct npu_graph_entry {
    const char *name;
    int32_t     tensor;
} npu_graph_entry;

/* Adds a signature. npu_graph_finish checks it: the subgraph may come later. */
NPU_API npu_status npu_graph_signature(npu_graph *graph, const char *key, int32_t subgraph, const npu_graph_entry *inputs,
                                       int32_t n_inputs, const npu_graph_entry *outputs, int32_t n_outputs, npu_diag *diag);
/* Adds a metadata entry. */
NPU_API npu_status npu_graph_metadata(npu_graph *graph, const char *name, const void *data, size_t bytes, npu_diag *diag);
/* What reports show as the model's description. A later call replaces it. */
NPU_API npu_status npu_graph_description(npu_graph *graph, const char *text, npu_diag *diag);

/* Makes the model. On failure *out is NULL. Either way the graph is at its end: destroy it.
 * Errors: INVALID_MODEL, LIMIT, UNSUPPORTED: those of a file.
 * Owns: *out belongs to the caller (npu_model_close); lent constants stay the caller's. */
NPU_API npu_status npu_graph_finish(npu_graph *graph, npu_model **out, npu_diag *diag);

#endif /* NPU_RT_GRAPH */

/* ---- plan -------------------------------------------------------------------------------------------------------- */

/* Instruction sets, weakest first within an architecture: X(name, value, CLI spelling). A build has all those of its architecture that
 * its compiler knows, without -m flags (clang for Armv7: with -mfpu=neon), and asks the machine when it runs. SSE41: with SSSE3. AVX2:
 * with FMA. AVXVNNI: AVX2 and VNNI without AVX-512. AVX512: F, BW, DQ and VL. AVX512VBMI: with VNNI. AMX_INT8: on Linux, which is
 * asked to let the process have tiles. NEON: of AArch64 or Armv7; NEON_DOT, NEON_I8MM: AArch64. WASM_SDOT, WASM_USDOT: relaxed SIMD, where
 * a try shows that its product of bytes is exact for signed bytes, or for signed and unsigned ones. */
#define NPU_ISA_LIST(X)                  \
    X(AUTO,          0, "auto")          \
    X(SCALAR,        1, "scalar")        \
    X(SSE41,         2, "sse4.1")        \
    X(AVX2,          3, "avx2")          \
    X(AVXVNNI,       4, "avxvnni")       \
    X(AVX512,        5, "avx512")        \
    X(AVX512VNNI,    6, "avx512vnni")    \
    X(AVX512VBMI,    7, "avx512vbmi")    \
    X(AMX_INT8,      8, "amx-int8")      \
    X(NEON,          9, "neon")          \
    X(NEON_DOT,     10, "neon-dot")      \
    X(NEON_I8MM,    11, "neon-i8mm")     \
    X(WASM_SIMD,    12, "wasm-simd128")  \
    X(WASM_RELAXED, 13, "wasm-relaxed")  \
    X(WASM_SDOT,    14, "wasm-sdot")     \
    X(WASM_USDOT,   15, "wasm-usdot")

typedef enum npu_isa {
#define NPU_X(name, value, text) NPU_ISA_##name = value,
    NPU_ISA_LIST(NPU_X)
#undef NPU_X
    NPU_ISA_COUNT
} npu_isa;

/* "avx2", ...; NULL for a value that is not in the list. Threads: any. Owns: nothing. */
NPU_API const char *npu_isa_name(npu_isa isa);
/* Can this build on this machine use it? AUTO is always available. Threads: any. */
NPU_API int npu_isa_available(npu_isa isa);
/* The best available one. Threads: any. */
NPU_API npu_isa npu_isa_best(void);

typedef struct npu_input_shape {
    int32_t subgraph, input; /* position among that subgraph's inputs */
    int32_t rank;
    int32_t dims[NPU_MAX_RANK];
} npu_input_shape;

typedef struct npu_plan npu_plan;

typedef struct npu_plan_desc {
    npu_allocator          allocator;
    const npu_input_shape *input_shapes; /* inputs to resize; may be NULL. Read during the call only */
    int32_t                n_input_shapes; /* a shape may differ from the declared one where npu_tensor.dims_signature is -1 */
    npu_isa                isa;          /* AUTO: best available */
    int32_t                threads;      /* most threads a session may use; 0 = 1 */
    uint64_t               max_memory_bytes; /* for the plan (folded constants included), one session of it, and what that
                                              * session allocates for data-dependent shapes, all together; 0 = 1 GiB */
    int32_t                resize_fixed; /* nonzero: input_shapes may change what the model declares fixed, rank included */
    const char            *backend;  /* who runs what it takes, by a name of npu_backend_name; NULL or "none": the CPU runs all */
    const char            *profile;  /* version of its rules (npu_backend_profile); NULL: its default */
    int32_t                fallback; /* nonzero: what the backend takes by its rules, but its device refuses or fails at (compiling,
                                      * making a session, or in the middle of a run), goes to the CPU, whose kernels and memory stay
                                      * ready for it. npu_diag says why, with the status OK, and npu_op_profile.fallback. Not
                                      * in the middle of a run where one of the operators keeps state. 0: these fail */
    int32_t                keep_values; /* nonzero: whatever operators compute stays in memory until the next run, what a backend
                                         * computes inside of its segments, too: npu_session_compare reads it. Takes as much memory
                                         * as all tensors together */
} npu_plan_desc;

/* Machines that memory can be told for: X(name, value, CLI spelling). 64-bit ones, 32-bit ones (Arm, RISC-V, Xtensa, WebAssembly),
 * and x86 with 32 bits, which packs int64_t tighter. */
#define NPU_MACHINE_LIST(X)       \
    X(THIS,   0, "this")          \
    X(64BIT,  1, "64bit")         \
    X(32BIT,  2, "32bit")         \
    X(X86_32, 3, "32bit-x86")

typedef enum npu_machine {
#define NPU_X(name, value, text) NPU_MACHINE_##name = value,
    NPU_MACHINE_LIST(NPU_X)
#undef NPU_X
    NPU_MACHINE_COUNT
} npu_machine;

/* Exact sizes, in bytes, of what a session of this plan holds, and of what opening and planning took before it. */
typedef struct npu_memory {
    size_t session_bytes;  /* everything: the buffer npu_session_create needs */
    size_t arena_bytes;    /* activations and scratch, shared over time */
    size_t packed_bytes;   /* weights rearranged for the chosen kernels */
    size_t variable_bytes; /* variable tensors, resources and op state */
    size_t plan_bytes;     /* held by the plan itself, folded constants included. While it is made, and while a model is opened,
                            * some work memory comes on top: npu_fixed_buffer.peak has it */
    size_t folded_bytes;   /* constants computed once while planning */
    size_t model_bytes;    /* held by the model beside the file's own bytes */
    uint64_t limit_bytes;  /* npu_plan_desc.max_memory_bytes, its default filled in */
    npu_machine machine;   /* where, and with which instruction set: npu_memory_on */
    npu_isa     isa;
} npu_memory;

/* Infers all shapes, prepares every op, chooses kernels and lays out memory. `desc` and `diag` may be NULL.
 * With a backend, neighbours that it takes by their real shapes (as npu_check says it) make segments, which it compiles and runs;
 * all else runs on the CPU between them, in the same memory: operators whose shapes depend on data, those that another compiler
 * made, and those that must be a kernel's of the CPU because the backend refuses them. npu_op_profile.vendor tells who runs what.
 * Errors then, too: INVALID_ARGUMENT "backend.name", "backend.profile" (no such name), UNSUPPORTED "plan.analysis_only" (a backend
 * that this build has rules of, but that compiles nothing: Ethos-U, for which Vela compiles), and what the backend says of a
 * segment.
 * Errors: UNSUPPORTED (an op or type), INVALID_MODEL (an op's rules broken), BAD_INPUT (a shape that the model does not
 * take: "plan.input_fixed", or the rule that it breaks further on while the declared shapes would do), LIMIT, OUT_OF_MEMORY,
 * INVALID_ARGUMENT.
 * Threads: any. Owns: *out belongs to the caller and points to the model, which must outlive it. */
NPU_API npu_status npu_plan_create(npu_plan **out, const npu_model *model, const npu_plan_desc *desc, npu_diag *diag);
/* Frees the plan; NULL is fine. No session of it may be in use. Threads: one. */
NPU_API void npu_plan_destroy(npu_plan *plan);
/* Sizes of a session before it exists. Threads: any. */
NPU_API void npu_plan_memory(const npu_plan *plan, npu_memory *out);
/* The instruction set chosen. Threads: any. */
NPU_API npu_isa npu_plan_isa(const npu_plan *plan);

/* ---- session ----------------------------------------------------------------------------------------------------- */

typedef struct npu_session npu_session;

/* An Arm Ethos-U, for the parts of a model that Vela compiled (operators named "ethos-u"). */
typedef struct npu_ethosu_driver {
    void *user;
    /* Runs one command stream to its end; 0 means success. Shaped after the invoke function of Arm's core driver:
     * `stream` is the driver payload as it lies in the model, base_addr[i] and base_bytes[i] memory region i (0 read-only
     * data, 1 scratch with all feature maps inside, 2 fast scratch). Caches are the function's business. */
    int (*invoke)(void *user, const void *stream, size_t stream_bytes, const uint64_t *base_addr,
                  const size_t *base_bytes, int n_bases);
} npu_ethosu_driver;

/* The functions of MediaTek's Neuron adapter (libneuron_adapter.so and its other names): X(return type, name, parameters, arguments).
 * Handles (NeuronModel *, ...) are void *, bool is uint8_t: called like those of the library's own header. */
#define NPU_NEURON_FUNCTIONS(X)                                                                                                   \
    X(int, Neuron_getVersion, (npu_neuron_version *version), (version))                                                           \
    X(int, Neuron_getL1MemorySizeKb, (uint32_t *size_kb), (size_kb))                                                              \
    X(int, NeuronModel_create, (void **model), (model))                                                                           \
    X(void, NeuronModel_free, (void *model), (model))                                                                             \
    X(int, NeuronModel_setName, (void *model, const char *name), (model, name))                                                   \
    X(int, NeuronModel_addOperand, (void *model, const npu_neuron_operand *type), (model, type))                                  \
    X(int, NeuronModel_setOperandValue, (void *model, int32_t index, const void *buffer, size_t length),                          \
      (model, index, buffer, length))                                                                                             \
    X(int, NeuronModel_setOperandSymmPerChannelQuantParams,                                                                       \
      (void *model, int32_t index, const npu_neuron_channels_symm *quant), (model, index, quant))                                 \
    X(int, NeuronModel_setOperandPerChannelQuantParams, (void *model, int32_t index, const npu_neuron_channels *quant),           \
      (model, index, quant))                                                                                                      \
    X(int, NeuronModel_addOperation,                                                                                              \
      (void *model, int32_t type, uint32_t n_inputs, const uint32_t *inputs, uint32_t n_outputs, const uint32_t *outputs),        \
      (model, type, n_inputs, inputs, n_outputs, outputs))                                                                        \
    X(int, NeuronModel_getExtensionOperandType, (void *model, const char *extension, uint16_t code, int32_t *type),               \
      (model, extension, code, type))                                                                                             \
    X(int, NeuronModel_getExtensionOperationType, (void *model, const char *extension, uint16_t code, int32_t *type),             \
      (model, extension, code, type))                                                                                             \
    X(int, NeuronModel_identifyInputsAndOutputs,                                                                                  \
      (void *model, uint32_t n_inputs, const uint32_t *inputs, uint32_t n_outputs, const uint32_t *outputs),                      \
      (model, n_inputs, inputs, n_outputs, outputs))                                                                              \
    X(int, NeuronModel_relaxComputationFloat32toFloat16, (void *model, uint8_t allow), (model, allow))                            \
    X(int, NeuronModel_finish, (void *model), (model))                                                                            \
    X(int, NeuronModel_getSupportedOperations, (void *model, uint8_t *supported, uint32_t n), (model, supported, n))              \
    X(int, NeuronModel_restoreFromCompiledNetwork, (void **model, void **compilation, const void *buffer, size_t size),           \
      (model, compilation, buffer, size))                                                                                         \
    X(int, NeuronCompilation_create, (void *model, void **compilation), (model, compilation))                                     \
    X(int, NeuronCompilation_createWithOptions, (void *model, void **compilation, const char *options),                           \
      (model, compilation, options))                                                                                              \
    X(void, NeuronCompilation_free, (void *compilation), (compilation))                                                           \
    X(int, NeuronCompilation_setPreference, (void *compilation, int32_t preference), (compilation, preference))                   \
    X(int, NeuronCompilation_setPriority, (void *compilation, int32_t priority), (compilation, priority))                         \
    X(int, NeuronCompilation_setOptimizationString, (void *compilation, const char *text), (compilation, text))                   \
    X(int, NeuronCompilation_setOptimizationHint, (void *compilation, uint32_t hint), (compilation, hint))                        \
    X(int, NeuronCompilation_setL1MemorySizeKb, (void *compilation, uint32_t size_kb), (compilation, size_kb))                    \
    X(int, NeuronCompilation_getSupportedOperations, (void *compilation, uint32_t n, uint8_t *supported),                         \
      (compilation, n, supported))                                                                                                \
    X(int, NeuronCompilation_finish, (void *compilation), (compilation))                                                          \
    X(int, NeuronCompilation_getInputPaddedDimensions, (void *compilation, int32_t index, uint32_t *dimensions),                  \
      (compilation, index, dimensions))                                                                                           \
    X(int, NeuronCompilation_getOutputPaddedDimensions, (void *compilation, int32_t index, uint32_t *dimensions),                 \
      (compilation, index, dimensions))                                                                                           \
    X(int, NeuronCompilation_getInputPaddedSize, (void *compilation, int32_t index, size_t *size), (compilation, index, size))    \
    X(int, NeuronCompilation_getOutputPaddedSize, (void *compilation, int32_t index, size_t *size), (compilation, index, size))   \
    X(int, NeuronCompilation_getCompiledNetworkSize, (void *compilation, size_t *size), (compilation, size))                      \
    X(int, NeuronCompilation_storeCompiledNetwork, (void *compilation, void *buffer, size_t size), (compilation, buffer, size))   \
    X(int, NeuronMemory_createFromFd, (size_t size, int protect, int fd, size_t offset, void **memory),                           \
      (size, protect, fd, offset, memory))                                                                                        \
    X(int, NeuronMemory_createFromAHardwareBuffer, (const void *hardware_buffer, void **memory), (hardware_buffer, memory))       \
    X(void, NeuronMemory_free, (void *memory), (memory))                                                                          \
    X(int, NeuronExecution_create, (void *compilation, void **execution), (compilation, execution))                               \
    X(void, NeuronExecution_free, (void *execution), (execution))                                                                 \
    X(int, NeuronExecution_setBoostHint, (void *execution, uint8_t boost), (execution, boost))                                    \
    X(int, NeuronExecution_setInput,                                                                                              \
      (void *execution, int32_t index, const npu_neuron_operand *type, const void *buffer, size_t length),                        \
      (execution, index, type, buffer, length))                                                                                   \
    X(int, NeuronExecution_setOutput,                                                                                             \
      (void *execution, int32_t index, const npu_neuron_operand *type, void *buffer, size_t length),                              \
      (execution, index, type, buffer, length))                                                                                   \
    X(int, NeuronExecution_setInputFromMemory,                                                                                    \
      (void *execution, uint32_t index, const npu_neuron_operand *type, const void *memory, size_t offset, size_t length),        \
      (execution, index, type, memory, offset, length))                                                                           \
    X(int, NeuronExecution_setOutputFromMemory,                                                                                   \
      (void *execution, uint32_t index, const npu_neuron_operand *type, const void *memory, size_t offset, size_t length),        \
      (execution, index, type, memory, offset, length))                                                                           \
    X(int, NeuronExecution_compute, (void *execution), (execution))                                                               \
    X(int, NeuronExecution_getOutputOperandRank, (void *execution, int32_t index, uint32_t *rank), (execution, index, rank))      \
    X(int, NeuronExecution_getOutputOperandDimensions, (void *execution, int32_t index, uint32_t *dimensions),                    \
      (execution, index, dimensions))

/* As the adapter lays them out. */
typedef struct npu_neuron_version { /* NeuronRuntimeVersion */
    uint8_t major, minor, patch;
} npu_neuron_version;
typedef struct npu_neuron_operand { /* NeuronOperandType */
    int32_t         type;
    uint32_t        n_dims;     /* 0: a scalar */
    const uint32_t *dims;
    float           scale;      /* 0 where the type has none, and where it has one per channel */
    int32_t         zero_point;
} npu_neuron_operand;
typedef struct npu_neuron_channels_symm { /* NeuronSymmPerChannelQuantParams */
    uint32_t     axis, n_scales;
    const float *scales;
} npu_neuron_channels_symm;
typedef struct npu_neuron_channels { /* NeuronPerChannelQuantParams */
    uint32_t       axis, n_scales;
    const float   *scales;
    uint32_t       n_zero_points;
    const int32_t *zero_points;
} npu_neuron_channels;

/* How networks are compiled and run. */
typedef struct npu_neuron_options {
    const char *text;          /* for the compiler: "--opt-accuracy --opt 3". NULL: NeuronCompilation_create, without any */
    int32_t     preference;    /* 0 low power, 1 fast single answer, 2 sustained speed, 3 turbo boost */
    int32_t     priority;      /* 90, 100, 110 */
    uint32_t    hint;          /* bits: 1 low latency, 2 deep fusion, 4 batch processing */
    uint32_t    l1_kb;         /* 0: the compiler's choice */
    int32_t     boost;         /* 0 .. 100, of the clock */
    int32_t     exact_float32; /* nonzero: float32 is not computed as float16 */
    /* Compiled networks kept by the caller, by a key that another network, version, or other options change; NULL: none are. `load`
     * gives the bytes of the network (they stay the caller's until the session exists), or NULL; one that the adapter refuses
     * is compiled anew. `store` is given what was compiled. */
    void       *cache_user;
    const void *(*load)(void *cache_user, uint64_t key, size_t *bytes);
    void      (*store)(void *cache_user, uint64_t key, const void *network, size_t bytes);
} npu_neuron_options;

/* A MediaTek NPU: functions of the adapter by their names, as dlsym gives them. Those that the library has not are NULL: an error
 * names the missing one only where it is needed.
 *
 *     #define LOAD(type, name, parameters, arguments) *(void **)&driver.name = dlsym(library, #name);
 *     NPU_NEURON_FUNCTIONS(LOAD) */
typedef struct npu_neuron_driver {
#define NPU_X(type, name, parameters, arguments) type(*name) parameters;
    NPU_NEURON_FUNCTIONS(NPU_X)
#undef NPU_X
    const npu_neuron_options *options; /* NULL: those of LiteRT's plugin */
    const char               *runtime; /* models are made for this version of the adapter, "8.2.24"; NULL: that which it reports */
} npu_neuron_driver;

/* The software adapter: all functions as software, by the kernels of the CPU; what a session uses that has no driver for "neuron", or
 * one without functions. Float32 is rounded to float16 after each operation where the model relaxes it. NULL: not in this build.
 * Memory of what NeuronModel_create gives comes from malloc, of a session's own use of it from the session.
 * Threads: any, one at a time for each object. Owns: nothing. */
NPU_API const npu_neuron_driver *npu_neuron_software(void);
/* The options of LiteRT's plugin, which hold where a driver has none: to change some of them. Threads: any. */
NPU_API npu_neuron_options npu_neuron_usual_options(void);

#ifdef NPU_RT_NEURON_DLOPEN
/* Loads the adapter of this machine by dlopen, in the order of LiteRT: of libneuronusdk_adapter.mtk.so, .10.mtk.so and .9.mtk.so,
 * libneuronusdk_adapter.so (these where NeuroPilot is 8 or newer), libneuron_adapter_mgvi.so and libneuron_adapter.so the last one that
 * is there. Fills `driver`; functions that the library lacks are NULL. `library` is dlopen's handle: dlclose it when no session uses it.
 * Errors: UNSUPPORTED "neuron.library" (there is none), INVALID_ARGUMENT. Threads: any. Owns: *library is the caller's. */
NPU_API npu_status npu_neuron_load(npu_neuron_driver *driver, void **library, npu_diag *diag);
#endif

/* Hardware for what a vendor's compiler made, or what this library lowers. */
typedef struct npu_driver {
    const char *vendor;    /* "ethos-u", "neuron" */
    const void *functions; /* that vendor's struct: npu_ethosu_driver, npu_neuron_driver. Kept by pointer */
} npu_driver;

/* When an observer is called: a subgraph begins, an operator has run, a subgraph has run. */
typedef enum npu_moment { NPU_MOMENT_BEGIN = 0, NPU_MOMENT_OP = 1, NPU_MOMENT_END = 2 } npu_moment;

/* What an observer is told (npu_session_desc.observe). Operators that were folded do not run; of a failing one, and of the
 * subgraphs around it, nobody is told. Valid during the call only. */
typedef struct npu_observed {
    npu_session *session;
    npu_moment   moment;
    int32_t      subgraph;
    int32_t      op;        /* index of the operator in the subgraph; -1 where the subgraph begins or ends */
    int32_t      row;       /* its number for npu_session_op_profile; -1 likewise */
    int32_t      depth;     /* calls around it (IF, WHILE, CALL_ONCE); 0: in the subgraph that was invoked */
    const char  *name;      /* of the operator, as in npu_op_profile, or of the subgraph. name_len bytes */
    size_t       name_len;
    int32_t      n_tensors; /* for npu_observed_tensor */
    uint64_t     start_ns, duration_ns; /* where npu_session_desc.profile is set, by its clock; else 0. What is called counts, and observing it */
} npu_observed;

/* Tensor `i` of those that are new at this moment, and in *index (may be NULL) its number in the subgraph: inputs of a subgraph that
 * begins, outputs of an operator or of a subgraph that has run. `data` is NULL where the value is not in memory: inside of a backend's
 * segment, or between two operators that run as one, unless npu_plan_desc.keep_values is set. Errors: INVALID_ARGUMENT. Threads: the session's. Owns: nothing. */
NPU_API npu_status npu_observed_tensor(const npu_observed *seen, int32_t i, npu_tensor *out, int32_t *index);

typedef struct npu_session_desc {
    npu_allocator allocator;    /* for the session's memory when `memory` is NULL, and for data-dependent tensors */
    void         *memory;       /* at least npu_memory.session_bytes, aligned to 64; NULL: from the allocator */
    size_t        memory_bytes;
    int32_t       threads;      /* 0: as planned. More than planned is an error. Those beside the caller's look out for work for some tenths
                                 * of a millisecond before they sleep, unless there are more threads than processors */
    int32_t       profile;      /* nonzero: npu_session_op_profile counts time */
    uint64_t    (*clock_ns)(void *user); /* for the profile; NULL: the platform's monotonic clock */
    void         *clock_user;
    const npu_ethosu_driver *ethosu; /* before `drivers` was there: the same as one for "ethos-u", which goes first. Will go
                                      * away in the next version */
    int64_t       max_loop_runs; /* subgraph calls (IF, passes of WHILE) in one invoke before it fails; 0 = 1 << 22 */
    int64_t       max_work;     /* steps (npu_op_profile.steps) one invoke may take before it fails with LIMIT; 0 = 1 << 40 */
    int         (*cancel)(void *user); /* nonzero stops the invoke with CANCELLED. Asked on the invoking thread, after
                                        * every few million steps, also inside long operators; NULL: never */
    void         *cancel_user;
    const npu_driver *drivers;  /* hardware, at most one driver a vendor; vendors without one use their software device */
    int32_t       n_drivers;
    void        (*observe)(void *user, const npu_observed *seen); /* told of each operator as it has run; NULL: nobody is. It is called
                                 * on the invoking thread, and may read the session's tensors, but not invoke or destroy it */
    void         *observe_user;
} npu_session_desc;

/* Binds memory, packs weights, resets variables. `desc` and `diag` may be NULL.
 * Errors: OUT_OF_MEMORY (also a buffer that is too small: the text says how much it takes), INVALID_ARGUMENT (also a driver for
 * a vendor that this build lacks), RUNTIME, UNSUPPORTED (compiled operators, and neither driver nor software device).
 * Threads: any. Owns: *out belongs to the caller and points to the plan, which must outlive it. */
NPU_API npu_status npu_session_create(npu_session **out, const npu_plan *plan, const npu_session_desc *desc,
                                      npu_diag *diag);
/* Frees what the session allocated; NULL is fine. Threads: one. */
NPU_API void npu_session_destroy(npu_session *session);

/* Input or output `i` of subgraph 0 or (the _of forms) of `subgraph`. Write inputs through `data` before each invoke:
 * the arena may reuse their memory. Errors: INVALID_ARGUMENT. Threads: the session's. Owns: nothing. */
NPU_API npu_status npu_session_input(npu_session *session, int32_t i, npu_tensor *out);
NPU_API npu_status npu_session_output(npu_session *session, int32_t i, npu_tensor *out);
NPU_API npu_status npu_session_input_of(npu_session *session, int32_t subgraph, int32_t i, npu_tensor *out);
NPU_API npu_status npu_session_output_of(npu_session *session, int32_t subgraph, int32_t i, npu_tensor *out);

/* Input `i` of type STRING: `count` strings, as many as it has elements, in C order. They are copied, and stay until they are set
 * again; before that, all are empty. `lengths` NULL: zero-terminated. `diag` may be NULL.
 * Errors: BAD_INPUT (another type or count), LIMIT (max_memory_bytes), OUT_OF_MEMORY, INVALID_ARGUMENT; the input then keeps what it
 * had. Threads: the session's. */
NPU_API npu_status npu_session_set_strings(npu_session *session, int32_t i, const char *const *items, const size_t *lengths,
                                           size_t count, npu_diag *diag);
NPU_API npu_status npu_session_set_strings_of(npu_session *session, int32_t subgraph, int32_t i, const char *const *items,
                                              const size_t *lengths, size_t count, npu_diag *diag);

/* Any tensor of a subgraph, by its index as in npu_model_tensor: after an invoke, the value that it got last (in a loop: in the last
 * pass). Constants, folded ones too, variables, outputs of subgraphs and tensors whose shapes depend on data are there always,
 * others where the plan kept them (npu_plan_desc.keep_values).
 * Errors: INVALID_ARGUMENT "session.not_kept" (plan with keep_values), "api.tensor" (no such tensor); RUNTIME "session.no_value" (nothing
 * computes it, or has yet). Threads: the session's. Owns: nothing. */
NPU_API npu_status npu_session_tensor(const npu_session *session, int32_t subgraph, int32_t tensor, npu_tensor *out, npu_diag *diag);

/* Runs subgraph 0, or `subgraph`. On failure the outputs hold no meaningful data, and the session may be invoked again.
 * Errors: RUNTIME, BAD_INPUT (an index tensor out of range), LIMIT (max_work), CANCELLED; for ops whose shapes depend on data
 * also OUT_OF_MEMORY and whatever npu_plan_create would say about them.
 * Floats: on x86, results below 2^-126 become zero meanwhile, callbacks included (NPU_RT_KEEP_DENORMALS keeps them).
 * Threads: the session's; uses up to the planned number of threads itself. */
NPU_API npu_status npu_session_invoke(npu_session *session, npu_diag *diag);
NPU_API npu_status npu_session_invoke_subgraph(npu_session *session, int32_t subgraph, npu_diag *diag);
/* Puts variable tensors, resource variables, hash tables and op state back to their initial values. Threads: the session's. */
NPU_API void npu_session_reset(npu_session *session);

/* What a session has allocated beside npu_memory.session_bytes: only models whose shapes depend on data do, and
 * those with strings and hash tables. */
typedef struct npu_session_usage {
    size_t   dynamic_bytes; /* tensors whose sizes depend on data, and hash tables, as they are now */
    size_t   peak_bytes;    /* the most at any time, work memory of their operators included */
    uint64_t limit_bytes;   /* what npu_plan_desc.max_memory_bytes leaves beside plan and session */
} npu_session_usage;

/* Threads: the session's. Owns: nothing. */
NPU_API void npu_session_memory(const npu_session *session, npu_session_usage *out);

/* ---- profile ----------------------------------------------------------------------------------------------------- */

typedef struct npu_op_profile {
    const char *name;      /* TFLite spelling; custom ops by their own name. name_len bytes */
    size_t      name_len;
    int32_t     subgraph, op;
    uint64_t    runs;
    uint64_t    total_ns;  /* over all runs since create or npu_session_profile_clear */
    int64_t     macs;      /* multiply-accumulates of one run (of the last one, where shapes depend on data) */
    int64_t     steps;     /* all its work: passes of the innermost loop, about a nanosecond each in a plain kernel */
    const char *kernel;    /* which kernel runs it: "gemm_i8.avx2", "reference", ...; in a segment, its vendor */
    const char *vendor;    /* who runs it, where npu_plan_desc.backend put it into a segment; NULL: the CPU, also where a
                            * segment fell back on it */
    int32_t     segment;   /* its segment, by the first operator of it, whose row has the time of all; -1: none */
    const char *fallback;  /* the rule by which the CPU runs a segment after all ("neuron.missing"); NULL: it does not */
} npu_op_profile;

/* Operators of a subgraph that run on invoke (folded ones do not), and the figures of one. Needs
 * npu_session_desc.profile. Errors: INVALID_ARGUMENT. Threads: the session's. Owns: nothing. */
NPU_API int32_t npu_session_op_count(const npu_session *session, int32_t subgraph);
NPU_API npu_status npu_session_op_profile(const npu_session *session, int32_t subgraph, int32_t i, npu_op_profile *out);
NPU_API void npu_session_profile_clear(npu_session *session);

/* ---- backends and reports (absent under NPU_RT_NO_REPORTS) -------------------------------------------------------- */
#ifndef NPU_RT_NO_REPORTS

/* Where a report goes, piece by piece. Return 0 to go on, anything else to stop. */
typedef struct npu_writer {
    void *user;
    int (*write)(void *user, const char *text, size_t n);
} npu_writer;

typedef enum npu_format { NPU_FORMAT_TEXT = 0, NPU_FORMAT_JSON = 1, NPU_FORMAT_MARKDOWN = 2, NPU_FORMAT_DOT = 3, NPU_FORMAT_HTML = 4 } npu_format;

/* The graph, every tensor and operator with its options (TEXT or JSON), or as Graphviz draws it (DOT): a cluster for each subgraph,
 * operators with their constants, edges with types and shapes.
 * Errors: INVALID_ARGUMENT, RUNTIME (the writer stopped). Threads: any. */
NPU_API npu_status npu_model_dump(const npu_model *model, npu_format format, const npu_writer *writer, npu_diag *diag);
/* Inputs, outputs, signatures, metadata, op counts, parameters, MACs and, when `plan` is not NULL, memory (TEXT, JSON).
 * Errors: INVALID_ARGUMENT, RUNTIME. Threads: any. */
NPU_API npu_status npu_model_info(const npu_model *model, const npu_plan *plan, npu_format format,
                                  const npu_writer *writer, npu_diag *diag);
/* What model, plan and session take on another machine, to the byte; nothing stays allocated. desc->isa may be any of the list, also
 * one that this build lacks; AUTO is the best here for NPU_MACHINE_THIS, else SCALAR. Otherwise the figures are those of a build
 * with this one's switches but without NPU_RT_THREADS (NPU_MACHINE_THIS: with), the file lying as it does here (constants off
 * their alignment are copied). `desc` and `diag` may be NULL.
 * Errors: as npu_model_open and npu_plan_create, and INVALID_ARGUMENT for more than one thread on another machine.
 * Threads: any. Owns: nothing. */
NPU_API npu_status npu_memory_on(const npu_model *model, const npu_plan_desc *desc, npu_machine machine, npu_memory *out,
                                 npu_diag *diag);
/* "32bit", ...; NULL for a value that is not in the list. Threads: any. Owns: nothing. */
NPU_API const char *npu_machine_name(npu_machine machine);
/* As npu_model_info, with memory from npu_memory_on (NULL: none). */
NPU_API npu_status npu_model_info_with(const npu_model *model, const npu_memory *memory, npu_format format,
                                       const npu_writer *writer, npu_diag *diag);
/* The command stream of every operator `ethos-u` (a network that Vela compiled): processor, memory regions and a line a
 * command with its fields decoded (TEXT or JSON). What could be read is written even where a stream is damaged.
 * Errors: INVALID_ARGUMENT (also a model without such an operator), INVALID_MODEL (a damaged stream: the text has the
 * word's offset), UNSUPPORTED (Ethos-U85, or a build without Ethos-U), RUNTIME. Threads: any. */
NPU_API npu_status npu_model_stream(const npu_model *model, npu_format format, const npu_writer *writer,
                                    npu_diag *diag);
typedef struct npu_lower_desc {
    const char *backend; /* a vendor's that npu_rt compiles for: "neuron" */
    const char *profile; /* NULL: the default */
    const char *runtime; /* version of the vendor's library that it is for, "8.2.28"; NULL: the newest that is known to differ */
} npu_lower_desc;

/* The programs that npu_rt makes of the operators which the backend takes, segment by segment: operands with types, shapes, scales and
 * hashes of constants, a line an operation (TEXT, JSON, or DOT for Graphviz). They are made of the model as it is declared: a
 * plan's may have constants that it computed.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED (a vendor that npu_rt does not compile for), LIMIT, OUT_OF_MEMORY, RUNTIME. Threads: any. */
NPU_API npu_status npu_model_lower(const npu_model *model, const npu_lower_desc *desc, npu_format format, const npu_writer *writer,
                                   npu_diag *diag);
/* What a planner may be told. Zero-initialised but for `backend`. */
typedef struct npu_plan_report_desc {
    const char *backend;      /* one that plans: "mdla3.0" */
    const char *profile;      /* rules that place the ops; NULL: the backend's default */
    const char *fusion_rules; /* orders of the fusion rules that the vendor's document leaves open, a line each, zero-terminated:
                               * "A: CONV MATH1 ACT1|ACT2 POOL" (# begins a comment); NULL: no more than it proves */
    const char *mvpu;         /* names of operators that another accelerator takes, with commas between them; NULL: none is known */
    double      clock_hz;     /* 0: not known, no times */
    int64_t     weight_bytes; /* the accelerator's own storage for weights; 0: not known, it bounds nothing */
    int32_t     suppress_input_conversion, suppress_output_conversion; /* nonzero: types and layouts there are the caller's */
    int32_t     software_transpose_conv; /* nonzero: where there is a choice, not by hardware */
} npu_plan_report_desc;

typedef struct npu_plan_report_summary {
    int32_t ops, ops_placed;
    int32_t ops_compiled;       /* on no device: computed when the network is compiled, or dropped */
    int32_t phases;             /* runs of operators on one device */
    int32_t switches;           /* places where one device hands over to another */
    int32_t groups, chains;     /* of operators that run as one; of groups whose links stay inside */
    int32_t ops_unknown;        /* placed ops that no cycles are known for */
    int32_t hints;
    int64_t macs, macs_placed;
    int64_t cycles;             /* of placed ops: a lower bound */
    double  seconds;            /* at the clock; 0 without one */
    int64_t convert_bytes;      /* read and written where types change on the way in or out */
    int64_t relayout_bytes;     /* likewise where layouts change, at run time */
    int64_t relayout_constant_bytes; /* of constants, when it is compiled */
    int64_t extra_bytes;        /* read and written by transfers beside the operators: broadcasts, padding, copies */
    int64_t dummy_bytes;        /* read without need */
    int64_t external_bytes, external_bytes_chained; /* that groups read and write in all; with chains */
} npu_plan_report_summary;

/* How the vendor's compiler would execute the model, as far as its documents tell (TEXT, JSON): conversions and layouts, fused
 * operators, devices, cycles from stated rates, bytes, and hints with what they would gain. What is not known is said to be so: cycles
 * are lower bounds, assumptions are listed. `writer` may be NULL (summary only), `summary` likewise.
 * Errors: INVALID_ARGUMENT (no such backend or profile, fusion rules that cannot be read), UNSUPPORTED (a backend that does not plan),
 * and what npu_check gives. Threads: any. */
NPU_API npu_status npu_model_plan_report(const npu_model *model, const npu_plan_report_desc *desc, npu_format format,
                                         const npu_writer *writer, npu_plan_report_summary *summary, npu_diag *diag);
/* The i-th backend of this build, NULL past the end. Threads: any. Owns: nothing. */
NPU_API const char *npu_backend_name(int32_t i);
/* The i-th profile (version of the rules) of a backend, its default first; NULL past the end, or when this build has no
 * such backend. Threads: any. Owns: nothing. */
NPU_API const char *npu_backend_profile(const char *backend, int32_t i);
/* The version of these rules (NULL: the default ones) under which FP32 may run as FP16; NULL where the backend's know no such thing.
 * Threads: any. Owns: nothing. */
NPU_API const char *npu_backend_relaxed(const char *backend, const char *profile);
/* Does this build compile for it and run what it takes (npu_plan_desc.backend, npu_model_lower)? 0: it only judges, or there is no such
 * backend. Threads: any. */
NPU_API int npu_backend_compiles(const char *backend);
/* Does npu_model_plan_report know how its compiler would execute a model? Threads: any. */
NPU_API int npu_backend_plans(const char *backend);
/* The i-th memory mode that costs can be estimated for; NULL past the end, and for a backend without estimates. Threads: any.
 * Owns: nothing. */
NPU_API const char *npu_backend_memory_mode(const char *backend, int32_t i);
/* The clock that estimates take unless npu_cost_desc names one; 0 for a backend without estimates. Threads: any. */
NPU_API double npu_backend_clock_hz(const char *backend);

typedef struct npu_check_summary {
    int32_t ops, ops_placed;
    int32_t ops_dropped; /* on neither side: nothing in the compiled network needs what they compute */
    int32_t partitions;  /* runs of placed operators, neighbours in execution order; dropped ones do not count */
    int32_t switches;    /* places in execution order where a placed operator has an unplaced neighbour: NPU <-> CPU */
    int64_t macs, macs_placed; /* of operators that are not dropped */
} npu_check_summary;

/* Which ops `backend` takes and, for every other one, each rule that refuses it with the measured value, the limit and
 * what to change (TEXT or JSON): a summary, the rules that refuse ops with how many they refuse, then a row an op. A refused
 * op is a verdict, not an error. What Vela compiled is taken by the accelerator it was compiled for; the report says what is
 * inside. `profile` NULL is the backend's default.
 * `writer` may be NULL (summary only), `summary` likewise.
 * Errors: INVALID_ARGUMENT (no such backend or profile: the text lists those there are), UNSUPPORTED or INVALID_MODEL where shapes cannot be inferred.
 * Threads: any. */
NPU_API npu_status npu_check(const npu_model *model, const char *backend, const char *profile, npu_format format,
                             const npu_writer *writer, npu_check_summary *summary, npu_diag *diag);
/* npu_check with more to choose. Zero-initialised but for `backend`. */
typedef struct npu_check_desc {
    const char *backend;
    const char *profile;      /* NULL: the backend's default */
    int32_t     only_refused; /* nonzero: lists refused ops only; summary and rules are those of all */
} npu_check_desc;
NPU_API npu_status npu_check_with(const npu_model *model, const npu_check_desc *desc, npu_format format,
                                  const npu_writer *writer, npu_check_summary *summary, npu_diag *diag);
/* The supported-ops report of a backend, made from its rule rows; "none": the ops this runtime executes itself.
 * `profile` NULL is the backend's default. Errors: INVALID_ARGUMENT. Threads: any. */
NPU_API npu_status npu_backend_ops(const char *backend, const char *profile, npu_format format,
                                   const npu_writer *writer, npu_diag *diag);

/* What to estimate. Zero-initialised but for `backend`. */
typedef struct npu_cost_desc {
    const char *backend;     /* one accelerator: "ethos-u55-128" */
    const char *profile;     /* rules that place the ops; NULL: the backend's default */
    const char *memory_mode; /* see npu_backend_memory_mode; NULL: the accelerator's usual one */
    double      clock_hz;    /* 0: the clock of the system that the memory's speeds are taken from */
} npu_cost_desc;

typedef struct npu_cost_summary {
    int32_t ops, ops_placed;
    int64_t macs, macs_placed;
    int64_t cycles;      /* of the accelerator, for placed ops; the CPU's are not estimated */
    double  seconds;     /* cycles at the clock */
    double  utilisation; /* macs_placed as a share of what the MAC units could do in that time */
    int64_t sram_bytes;  /* fast memory at the peak: feature maps, and copies of weights */
    int64_t store_bytes; /* slow memory (flash or DRAM): coded weights, scales, tables; feature maps that lie there */
} npu_cost_summary;

/* An estimate, not a measurement: cycles, utilisation and memory of every op that `desc->backend` takes, and in all
 * (TEXT or JSON). Formulas over shapes and weight values, after the public cost model of Vela 5.2: output blocks that
 * fit the internal memory, MAC, output and transfer cycles of each, and for every op the slowest of computing, SRAM and
 * the slow memory; weights at their estimated coded size. Memory speeds are those of Vela's default systems.
 * `writer` may be NULL (summary only), `summary` likewise.
 * Errors: INVALID_ARGUMENT (no such backend, profile or memory mode; a family instead of one accelerator), UNSUPPORTED
 * (no NPU in this build), and what npu_check gives. Threads: any. */
NPU_API npu_status npu_cost(const npu_model *model, const npu_cost_desc *desc, npu_format format,
                            const npu_writer *writer, npu_cost_summary *summary, npu_diag *diag);
/* ---- every NPU side by side ---------------------------------------------------------------------------------------- */

enum { NPU_FIT_REASONS = 3 };

/* A rule that refuses ops. Strings are constant. */
typedef struct npu_fit_reason {
    const char *rule, *text, *limit, *hint;
    int64_t     ops; /* that it refuses */
} npu_fit_reason;

/* What one NPU would make of a model. */
typedef struct npu_fit {
    const char       *backend, *profile;
    npu_check_summary check;
    npu_fit_reason    reasons[NPU_FIT_REASONS]; /* those that refuse the most ops */
    int32_t           n_reasons;   /* rules that refuse ops, all of them: may be more than there is room for above */
    int32_t           n_warnings;  /* rules that warn about ops that are taken */
    int32_t           estimated;   /* nonzero: cost and what follows are known; an estimate, not a measurement. 0: nothing is taken,
                                    * it is compiled already, or there are no figures for this NPU */
    npu_cost_summary  cost;
    double            clock_hz;    /* of the estimate, or of `bound`; 0: not known */
    const char       *memory_mode, *store; /* as in npu_cost; the slow memory: "flash" or "dram" */
    const char       *accuracy;    /* how far off estimates like this one were, and of what; NULL: nobody held them against anything */
    int64_t           sram_limit;  /* fast memory that there is; 0: neither the caller nor the memory mode says */
    int32_t           fits;        /* 1: cost.sram_bytes is within the limit, 0: it is not, -1: one of the two is unknown */
    int32_t           bounded;     /* nonzero: `bound` is known: npu_rt has a planner for this NPU, and it takes something */
    npu_plan_report_summary bound; /* as npu_model_plan_report gives it, nothing told but the clock. Not an estimate: cycles,
                                    * seconds and external_bytes_chained are lower bounds, and nobody held them against anything */
    const char       *relaxed_profile; /* rules under which FP32 may run as FP16, where those take more ops; NULL: they do not, there
                                        * are none, or `profile` is of that kind */
    npu_check_summary relaxed;     /* by them */
} npu_fit;

typedef struct npu_compare_desc {
    const char *const *backends;   /* names, default rules for each; NULL: those that stand for their families in this build */
    int32_t            n_backends;
    int64_t            sram_bytes; /* fast memory of the device; 0: that of each estimate's memory mode, where it says */
    const char        *title;      /* of the report, the name of the file for example; NULL: none */
    double             clock_hz;   /* of NPUs that npu_rt knows no clock of; 0: no times for them */
    int32_t            relax_fp32; /* nonzero: by the rules under which FP32 may run as FP16, where a backend has such */
    int32_t            verdicts_only; /* nonzero: neither estimates nor bounds, which take most of the time */
} npu_compare_desc;

/* One model on every NPU: ops and MACs taken, partitions, estimates or lower bounds where there are any, memory, and what refuses most
 * (TEXT, JSON, MARKDOWN; HTML is a page of its own with every op on every NPU and all reasons, and needs no script). `fits` takes the
 * first `cap` rows; returns in *n how many there are. `desc`, `fits`, `n`, `writer` may be NULL.
 * Errors: as npu_check; RUNTIME when the writer stopped. Threads: any. Owns: nothing. */
NPU_API npu_status npu_compare(const npu_model *model, const npu_compare_desc *desc, npu_fit *fits, int32_t cap, int32_t *n,
                               npu_format format, const npu_writer *writer, npu_diag *diag);
/* The i-th backend that stands for its family; NULL past the end. Threads: any. Owns: nothing. */
NPU_API const char *npu_compare_backend(int32_t i);

/* The i-th memory mode of the first backend that has estimates, NULL past the end. Use npu_backend_memory_mode: this one will go
 * away in the next version. Threads: any. Owns: nothing. */
NPU_API const char *npu_cost_memory_mode(int32_t i);

/* An input or output as an NPU has it where conversions are suppressed: `rows` (batch times height) of `padded_width` pixels of
 * `padded_channels` elements of `device_type`, of which `width` and `channels` are the tensor's; the rest is 0. Of 4C, 16C and NHWC the
 * last has no padding. FLOAT32 is FLOAT16 there; int8 that is UINT8 there has values and zero point that are larger by 128. */
typedef struct npu_raw {
    const char *layout;
    npu_type    type, device_type; /* in the model, on the device */
    int64_t     rows;
    int32_t     width, channels, padded_width, padded_channels;
    size_t      bytes;             /* of all of it */
} npu_raw;

/* How input or (`output` nonzero) output `i` lies by the plan of npu_model_plan_report. UNSUPPORTED "plan.raw": not the device alone
 * reads or writes it; "plan.backend": the backend has no planner. Threads: any. Owns: nothing. */
NPU_API npu_status npu_model_raw(const npu_model *model, const npu_plan_report_desc *desc, int32_t subgraph, int32_t output, int32_t i,
                                 npu_raw *out, npu_diag *diag);
/* From the data of a tensor to raw bytes, and back. Sizes must be those of the tensor and npu_raw.bytes: else INVALID_ARGUMENT.
 * Threads: any. */
NPU_API npu_status npu_raw_pack(const npu_raw *raw, const void *data, size_t data_bytes, void *out, size_t bytes);
NPU_API npu_status npu_raw_unpack(const npu_raw *raw, const void *bytes, size_t n, void *data, size_t data_bytes);

/* What two sessions of the same model hold after they ran the same inputs, one through a backend for example, the other (`reference`)
 * on the CPU: of each output the largest and the mean difference, and of each operator how much larger the error of what it computed
 * is than that of its inputs (the growth), the largest growth first. Errors are absolute, of real values (quantized ones by their
 * scales); `relative` ones are parts of the largest magnitude that the reference holds. Both plans need keep_values.
 * TEXT: all outputs and the first rows of operators; JSON: all. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, RUNTIME.
 * Threads: those of both sessions. */
NPU_API npu_status npu_session_compare(const npu_session *session, const npu_session *reference, int32_t subgraph,
                                       npu_format format, const npu_writer *writer, npu_diag *diag);

#endif /* NPU_RT_NO_REPORTS */

/* ---- NNAPI (needs NPU_RT_NNAPI) ----------------------------------------------------------------------------------
 *
 * The C functions of Android's Neural Networks API (feature level 4, that of NNAPI 1.3, and four operations that came behind
 * it), over npu_graph_*: a client of NNAPI links against this header, on any machine. One device, "npu_rt", is the CPU engine of
 * this build. Integers are those of TFLite's reference kernels; what may be computed in float16 is computed in float32.
 *
 * As in NNAPI's own documentation: values of up to 128 bytes are copied, longer ones stay the caller's until the model and all
 * that came of it are freed; a compilation needs its model, an execution its compilation. What does nothing, and says so here:
 * a burst runs like any execution, a compilation cache is checked and not used, preferences and priorities are checked,
 * startCompute runs at once and its event is done when it returns, a duration is that of the whole run. Memory from a
 * descriptor is mapped on Linux, Android, macOS and the BSDs (elsewhere ANEURALNETWORKS_UNMAPPABLE), hardware buffers are
 * BAD_STATE as on other systems than Android, sync fences BAD_DATA. getSupportedOperationsForDevices tells what the device runs;
 * of the rest a compilation fails with OP_FAILED, and npu_nnapi_why says which operation, and why.
 *
 * Threads: one at a time for each object; a finished model and a finished compilation may be shared.
 * A client that has the platform's NeuralNetworks.h includes it before this header, which then leaves out the declarations. */
#ifdef NPU_RT_NNAPI

/* Operand types: X(name, number) */
#define NPU_NNAPI_TYPES(X) \
    X(FLOAT32, 0)  X(INT32, 1)  X(UINT32, 2)  X(TENSOR_FLOAT32, 3)  X(TENSOR_INT32, 4)  X(TENSOR_QUANT8_ASYMM, 5) \
    X(BOOL, 6)  X(TENSOR_QUANT16_SYMM, 7)  X(TENSOR_FLOAT16, 8)  X(TENSOR_BOOL8, 9)  X(FLOAT16, 10) \
    X(TENSOR_QUANT8_SYMM_PER_CHANNEL, 11)  X(TENSOR_QUANT16_ASYMM, 12)  X(TENSOR_QUANT8_SYMM, 13) \
    X(TENSOR_QUANT8_ASYMM_SIGNED, 14)  X(MODEL, 15)

/* Operations, numbered from 0 on: X(name) */
#define NPU_NNAPI_OPERATIONS(X) \
    X(ADD) X(AVERAGE_POOL_2D) X(CONCATENATION) X(CONV_2D) X(DEPTHWISE_CONV_2D) X(DEPTH_TO_SPACE) X(DEQUANTIZE) \
    X(EMBEDDING_LOOKUP) X(FLOOR) X(FULLY_CONNECTED) X(HASHTABLE_LOOKUP) X(L2_NORMALIZATION) X(L2_POOL_2D) \
    X(LOCAL_RESPONSE_NORMALIZATION) X(LOGISTIC) X(LSH_PROJECTION) X(LSTM) X(MAX_POOL_2D) X(MUL) X(RELU) X(RELU1) X(RELU6) \
    X(RESHAPE) X(RESIZE_BILINEAR) X(RNN) X(SOFTMAX) X(SPACE_TO_DEPTH) X(SVDF) X(TANH) X(BATCH_TO_SPACE_ND) X(DIV) X(MEAN) \
    X(PAD) X(SPACE_TO_BATCH_ND) X(SQUEEZE) X(STRIDED_SLICE) X(SUB) X(TRANSPOSE) X(ABS) X(ARGMAX) X(ARGMIN) \
    X(AXIS_ALIGNED_BBOX_TRANSFORM) X(BIDIRECTIONAL_SEQUENCE_LSTM) X(BIDIRECTIONAL_SEQUENCE_RNN) X(BOX_WITH_NMS_LIMIT) X(CAST) \
    X(CHANNEL_SHUFFLE) X(DETECTION_POSTPROCESSING) X(EQUAL) X(EXP) X(EXPAND_DIMS) X(GATHER) X(GENERATE_PROPOSALS) X(GREATER) \
    X(GREATER_EQUAL) X(GROUPED_CONV_2D) X(HEATMAP_MAX_KEYPOINT) X(INSTANCE_NORMALIZATION) X(LESS) X(LESS_EQUAL) X(LOG) \
    X(LOGICAL_AND) X(LOGICAL_NOT) X(LOGICAL_OR) X(LOG_SOFTMAX) X(MAXIMUM) X(MINIMUM) X(NEG) X(NOT_EQUAL) X(PAD_V2) X(POW) \
    X(PRELU) X(QUANTIZE) X(QUANTIZED_16BIT_LSTM) X(RANDOM_MULTINOMIAL) X(REDUCE_ALL) X(REDUCE_ANY) X(REDUCE_MAX) X(REDUCE_MIN) \
    X(REDUCE_PROD) X(REDUCE_SUM) X(ROI_ALIGN) X(ROI_POOLING) X(RSQRT) X(SELECT) X(SIN) X(SLICE) X(SPLIT) X(SQRT) X(TILE) \
    X(TOPK_V2) X(TRANSPOSE_CONV_2D) X(UNIDIRECTIONAL_SEQUENCE_LSTM) X(UNIDIRECTIONAL_SEQUENCE_RNN) \
    X(RESIZE_NEAREST_NEIGHBOR) X(QUANTIZED_LSTM) X(IF) X(WHILE) X(ELU) X(HARD_SWISH) X(FILL) X(RANK) X(BATCH_MATMUL) X(PACK) \
    X(MIRROR_PAD) X(REVERSE)

/* Results, numbered from 0 on: X(name) */
#define NPU_NNAPI_RESULTS(X) \
    X(NO_ERROR) X(OUT_OF_MEMORY) X(INCOMPLETE) X(UNEXPECTED_NULL) X(BAD_DATA) X(OP_FAILED) X(BAD_STATE) X(UNMAPPABLE) \
    X(OUTPUT_INSUFFICIENT_SIZE) X(UNAVAILABLE_DEVICE) X(MISSED_DEADLINE_TRANSIENT) X(MISSED_DEADLINE_PERSISTENT) \
    X(RESOURCE_EXHAUSTED_TRANSIENT) X(RESOURCE_EXHAUSTED_PERSISTENT) X(DEAD_OBJECT)

#if !defined(ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_H) && !defined(ANDROID_FRAMEWORKS_ML_NN_RUNTIME_NEURAL_NETWORKS_H) && \
    !defined(ANDROID_PACKAGES_MODULES_NEURALNETWORKS_RUNTIME_NEURAL_NETWORKS_H)

#include <stdbool.h>

enum {
#define NPU_X(name, number) ANEURALNETWORKS_##name = number,
    NPU_NNAPI_TYPES(NPU_X)
#undef NPU_X
    ANEURALNETWORKS_PADDING_SAME = 1, ANEURALNETWORKS_PADDING_VALID = 2,
    ANEURALNETWORKS_FUSED_NONE = 0, ANEURALNETWORKS_FUSED_RELU = 1, ANEURALNETWORKS_FUSED_RELU1 = 2,
    ANEURALNETWORKS_FUSED_RELU6 = 3,
    ANEURALNETWORKS_PREFER_LOW_POWER = 0, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER = 1,
    ANEURALNETWORKS_PREFER_SUSTAINED_SPEED = 2,
    ANEURALNETWORKS_PRIORITY_LOW = 90, ANEURALNETWORKS_PRIORITY_MEDIUM = 100, ANEURALNETWORKS_PRIORITY_HIGH = 110,
    ANEURALNETWORKS_PRIORITY_DEFAULT = 100,
    ANEURALNETWORKS_DEVICE_UNKNOWN = 0, ANEURALNETWORKS_DEVICE_OTHER = 1, ANEURALNETWORKS_DEVICE_CPU = 2,
    ANEURALNETWORKS_DEVICE_GPU = 3, ANEURALNETWORKS_DEVICE_ACCELERATOR = 4,
    ANEURALNETWORKS_DURATION_ON_HARDWARE = 0, ANEURALNETWORKS_DURATION_IN_DRIVER = 1,
    ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE = 2, ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER = 3,
    ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES = 128, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN = 32
};
enum { /* operations */
#define NPU_X(name) ANEURALNETWORKS_##name,
    NPU_NNAPI_OPERATIONS(NPU_X)
#undef NPU_X
    NPU_NNAPI_OPERATION_COUNT
};
enum { /* results */
#define NPU_X(name) ANEURALNETWORKS_##name,
    NPU_NNAPI_RESULTS(NPU_X)
#undef NPU_X
    NPU_NNAPI_RESULT_COUNT
};

typedef struct ANeuralNetworksModel       ANeuralNetworksModel;
typedef struct ANeuralNetworksCompilation ANeuralNetworksCompilation;
typedef struct ANeuralNetworksExecution   ANeuralNetworksExecution;
typedef struct ANeuralNetworksMemory      ANeuralNetworksMemory;
typedef struct ANeuralNetworksMemoryDesc  ANeuralNetworksMemoryDesc;
typedef struct ANeuralNetworksEvent       ANeuralNetworksEvent;
typedef struct ANeuralNetworksBurst       ANeuralNetworksBurst;
typedef struct ANeuralNetworksDevice      ANeuralNetworksDevice;
typedef struct AHardwareBuffer            AHardwareBuffer;
typedef int32_t ANeuralNetworksOperationType;
typedef struct ANeuralNetworksOperandType {
    int32_t         type;
    uint32_t        dimensionCount; /* 0: a scalar, or a tensor of unknown rank */
    const uint32_t *dimensions;     /* 0: not known yet */
    float           scale;
    int32_t         zeroPoint;
} ANeuralNetworksOperandType;
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
    uint32_t     channelDim, scaleCount;
    const float *scales;
} ANeuralNetworksSymmPerChannelQuantParams;

/* X(return type, name behind "ANeuralNetworks", parameters) */
#define NPU_NNAPI_FUNCTIONS(X) \
    X(int, _getDeviceCount, (uint32_t *numDevices)) \
    X(int, _getDevice, (uint32_t devIndex, ANeuralNetworksDevice **device)) \
    X(int, Device_getName, (const ANeuralNetworksDevice *device, const char **name)) \
    X(int, Device_getType, (const ANeuralNetworksDevice *device, int32_t *type)) \
    X(int, Device_getVersion, (const ANeuralNetworksDevice *device, const char **version)) \
    X(int, Device_getFeatureLevel, (const ANeuralNetworksDevice *device, int64_t *featureLevel)) \
    X(int, Device_wait, (const ANeuralNetworksDevice *device)) \
    X(int64_t, _getRuntimeFeatureLevel, (void)) \
    X(uint64_t, _getDefaultLoopTimeout, (void)) \
    X(uint64_t, _getMaximumLoopTimeout, (void)) \
    X(int, Model_create, (ANeuralNetworksModel **model)) \
    X(void, Model_free, (ANeuralNetworksModel *model)) \
    X(int, Model_finish, (ANeuralNetworksModel *model)) \
    X(int, Model_addOperand, (ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type)) \
    X(int, Model_setOperandValue, (ANeuralNetworksModel *model, int32_t index, const void *buffer, size_t length)) \
    X(int, Model_setOperandSymmPerChannelQuantParams, \
      (ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams *channelQuant)) \
    X(int, Model_setOperandValueFromMemory, \
      (ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksMemory *memory, size_t offset, size_t length)) \
    X(int, Model_setOperandValueFromModel, (ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksModel *value)) \
    X(int, Model_addOperation, \
      (ANeuralNetworksModel *model, ANeuralNetworksOperationType type, uint32_t inputCount, const uint32_t *inputs, \
       uint32_t outputCount, const uint32_t *outputs)) \
    X(int, Model_identifyInputsAndOutputs, \
      (ANeuralNetworksModel *model, uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount, \
       const uint32_t *outputs)) \
    X(int, Model_relaxComputationFloat32toFloat16, (ANeuralNetworksModel *model, bool allow)) \
    X(int, Model_getSupportedOperationsForDevices, \
      (const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices, uint32_t numDevices, \
       bool *supportedOps)) \
    X(int, Compilation_create, (ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation)) \
    X(int, Compilation_createForDevices, \
      (ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices, uint32_t numDevices, \
       ANeuralNetworksCompilation **compilation)) \
    X(void, Compilation_free, (ANeuralNetworksCompilation *compilation)) \
    X(int, Compilation_setPreference, (ANeuralNetworksCompilation *compilation, int32_t preference)) \
    X(int, Compilation_setCaching, (ANeuralNetworksCompilation *compilation, const char *cacheDir, const uint8_t *token)) \
    X(int, Compilation_setPriority, (ANeuralNetworksCompilation *compilation, int priority)) \
    X(int, Compilation_setTimeout, (ANeuralNetworksCompilation *compilation, uint64_t duration)) \
    X(int, Compilation_finish, (ANeuralNetworksCompilation *compilation)) \
    X(int, Memory_createFromFd, (size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory **memory)) \
    X(int, Memory_createFromAHardwareBuffer, (const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory)) \
    X(int, Memory_createFromDesc, (const ANeuralNetworksMemoryDesc *desc, ANeuralNetworksMemory **memory)) \
    X(int, Memory_copy, (const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst)) \
    X(void, Memory_free, (ANeuralNetworksMemory *memory)) \
    X(int, MemoryDesc_create, (ANeuralNetworksMemoryDesc **desc)) \
    X(void, MemoryDesc_free, (ANeuralNetworksMemoryDesc *desc)) \
    X(int, MemoryDesc_addInputRole, \
      (ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation, uint32_t index, float frequency)) \
    X(int, MemoryDesc_addOutputRole, \
      (ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation, uint32_t index, float frequency)) \
    X(int, MemoryDesc_setDimensions, (ANeuralNetworksMemoryDesc *desc, uint32_t rank, const uint32_t *dimensions)) \
    X(int, MemoryDesc_finish, (ANeuralNetworksMemoryDesc *desc)) \
    X(int, Execution_create, (ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution **execution)) \
    X(void, Execution_free, (ANeuralNetworksExecution *execution)) \
    X(int, Execution_setInput, \
      (ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, const void *buffer, \
       size_t length)) \
    X(int, Execution_setInputFromMemory, \
      (ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, \
       const ANeuralNetworksMemory *memory, size_t offset, size_t length)) \
    X(int, Execution_setOutput, \
      (ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, void *buffer, \
       size_t length)) \
    X(int, Execution_setOutputFromMemory, \
      (ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, \
       const ANeuralNetworksMemory *memory, size_t offset, size_t length)) \
    X(int, Execution_setMeasureTiming, (ANeuralNetworksExecution *execution, bool measure)) \
    X(int, Execution_getDuration, (const ANeuralNetworksExecution *execution, int32_t durationCode, uint64_t *duration)) \
    X(int, Execution_setTimeout, (ANeuralNetworksExecution *execution, uint64_t duration)) \
    X(int, Execution_setLoopTimeout, (ANeuralNetworksExecution *execution, uint64_t duration)) \
    X(int, Execution_compute, (ANeuralNetworksExecution *execution)) \
    X(int, Execution_burstCompute, (ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)) \
    X(int, Execution_startCompute, (ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event)) \
    X(int, Execution_startComputeWithDependencies, \
      (ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies, uint32_t num_dependencies, \
       uint64_t duration, ANeuralNetworksEvent **event)) \
    X(int, Execution_getOutputOperandRank, (ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank)) \
    X(int, Execution_getOutputOperandDimensions, \
      (ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions)) \
    X(int, Burst_create, (ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst **burst)) \
    X(void, Burst_free, (ANeuralNetworksBurst *burst)) \
    X(int, Event_wait, (ANeuralNetworksEvent *event)) \
    X(void, Event_free, (ANeuralNetworksEvent *event)) \
    X(int, Event_createFromSyncFenceFd, (int sync_fence_fd, ANeuralNetworksEvent **event)) \
    X(int, Event_getSyncFenceFd, (const ANeuralNetworksEvent *event, int *sync_fence_fd))

#define NPU_X(type, name, parameters) NPU_API type ANeuralNetworks##name parameters;
NPU_NNAPI_FUNCTIONS(NPU_X)
#undef NPU_X

#endif

/* Why the compilation failed last, or an operation of its model is not supported: a sentence with the operation's number and
 * name; "" where nothing failed. Threads: the compilation's. Owns: nothing; the text lasts as long as the compilation. */
NPU_API const char *npu_nnapi_why(const ANeuralNetworksCompilation *compilation);

#endif /* NPU_RT_NNAPI */

#ifdef __cplusplus
}
#endif
#endif /* NPU_RT_H */
