/* Sums, maxima and minima of many neighbouring elements, as one table for each instruction set that the loops are compiled for. */
#ifndef NPU__KERNELS_REDUCE_H
#define NPU__KERNELS_REDUCE_H

#include "rows.h"
#include "vec_loop.h"

/* Rows of n neighbours, which lie one behind the other. fold: each row becomes one number, which joins acc[0], acc[acc_row], ...;
 * else all rows join acc[0..n), column by column. */
typedef struct npu__reduce_part {
    const void *in;
    void       *acc;
    int64_t     rows, n, acc_row;
    int32_t     fold, flip;
} npu__reduce_part;

typedef void npu__reduce_code(const npu__reduce_part *part);
typedef npu__reduce_code *npu__reduce_fn;

/* What networks have most. X(name, element, lane, accumulator, STEP, start, most, FROM, ACC_FROM, ACC_TO): a = STEP(a, x) for every
 * element x. Lanes are what so many elements as `most` says are summed in before they join accumulators; `start` is what a lane begins
 * with, of its accumulator `a`. Bytes are taken as int8 after `flip`: 0x80 for uint8 (each one then counts for 128 less in a sum), and
 * of the other end, for minima, its complement. Other integers have minima likewise. */
#define NPU__REDUCE_KINDS(X)                                                                                                    \
    X(sum_f32, float, float, float, NPU__STEP_ADD, 0, 4096, NPU__AS_IT_IS, NPU__AS_IT_IS, NPU__AS_IT_IS)                        \
    X(sum_8, uint8_t, int16_t, int32_t, NPU__STEP_ADD32, 0, 256, NPU__FLIPPED, NPU__AS_IT_IS, NPU__AS_IT_IS)                    \
    X(max_f32, float, float, float, NPU__STEP_MAX, a, 4096, NPU__AS_IT_IS, NPU__AS_IT_IS, NPU__AS_IT_IS)                        \
    X(max_8, uint8_t, int8_t, uint8_t, NPU__STEP_MAX, a, 4096, NPU__FLIPPED, NPU__FLIPPED, NPU__FLIPPED_BACK)
/* The others. X(name, element, accumulator, STEP, start, FROM). */
#define NPU__REDUCE_SHORT_KINDS(X)                                                        \
    X(sum_i32, int32_t, int32_t, NPU__STEP_ADD32, 0, NPU__AS_IT_IS)                       \
    X(sum_i32_i64, int32_t, int64_t, NPU__STEP_ADD64, 0, NPU__AS_IT_IS)                   \
    X(sum_i16, int16_t, int32_t, NPU__STEP_ADD32, 0, NPU__AS_IT_IS)                       \
    X(max_i32, int32_t, int32_t, NPU__STEP_MAX, a, NPU__FLIPPED_WIDE)                     \
    X(max_i16, int16_t, int16_t, NPU__STEP_MAX, a, NPU__FLIPPED_WIDE)                     \
    X(min_f32, float, float, NPU__STEP_MIN, a, NPU__AS_IT_IS)

#define NPU_X(name, ...) NPU__REDUCE_##name,
enum { NPU__REDUCE_KINDS(NPU_X) NPU__REDUCE_SHORT_KINDS(NPU_X) NPU__REDUCE_KINDS_COUNT };
#undef NPU_X

/* Where the largest or smallest of n neighbours first stands. X(name, element, what loses to every number, which is BETTER). */
#define NPU__ARG_KINDS(X)                                \
    X(max_f32, float, -(float)HUGE_VAL, NPU__ARG_GT)     \
    X(min_f32, float, (float)HUGE_VAL, NPU__ARG_LT)      \
    X(max_i32, int32_t, INT32_MIN, NPU__ARG_GT)          \
    X(min_i32, int32_t, INT32_MAX, NPU__ARG_LT)
#define NPU_X(name, type, least, BETTER) NPU__ARG_##name,
enum { NPU__ARG_KINDS(NPU_X) NPU__ARG_KINDS_COUNT };
#undef NPU_X
typedef int32_t npu__arg_code(const void *data, int32_t n);
typedef npu__arg_code *npu__arg_fn;
/* Of bytes, which `flip` makes such that the largest signed one wins. */
typedef int32_t npu__arg_bytes_code(const uint8_t *p, int32_t n, uint32_t flip);
typedef npu__arg_bytes_code *npu__arg_bytes_fn;

typedef struct npu__reduce_loops {
    const char    *name;
    npu_isa        isa;
    npu__reduce_fn by[NPU__REDUCE_KINDS_COUNT];
    npu__arg_fn    arg[NPU__ARG_KINDS_COUNT];
    npu__arg_bytes_fn arg_bytes;
} npu__reduce_loops;

NPU__FN const npu__reduce_loops *npu__reduce_select(npu_isa isa); /* never NULL */

#endif
