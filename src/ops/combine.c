/* The loops of combine.h. */
#include "combine.h"

#define NPU__COMBINE_LOOP(name, T, EXPR)                                                                        \
    NPU__FN void npu__combine_##name(void *acc, const void *in, int64_t n, int64_t acc_step, int64_t in_step) { \
        T       *to = (T *)acc;                                                                                 \
        const T *from = (const T *)in;                                                                          \
        for (int64_t i = 0; i < n; i++, to += acc_step, from += in_step) {                                      \
            const T a = *to, b = *from;                                                                         \
            (void)a;                                                                                            \
            *to = (T)(EXPR);                                                                                    \
        }                                                                                                       \
    }
/* Order, truth and copies of every type; sums and products of those that have their own. */
#define NPU__COMBINE_ORDER(name, T)                        \
    NPU__COMBINE_LOOP(max_##name, T, a < b ? b : a)        \
    NPU__COMBINE_LOOP(min_##name, T, b < a ? b : a)        \
    NPU__COMBINE_LOOP(all_##name, T, a != 0 && b != 0)     \
    NPU__COMBINE_LOOP(any_##name, T, a != 0 || b != 0)
#define NPU__COMBINE_REAL(name, T)                         \
    NPU__COMBINE_ORDER(name, T)                            \
    NPU__COMBINE_LOOP(add_##name, T, a + b)                \
    NPU__COMBINE_LOOP(mul_##name, T, a * b)                \
    NPU__COMBINE_LOOP(max_ge_##name, T, a >= b ? a : b)    \
    NPU__COMBINE_LOOP(min_le_##name, T, a <= b ? a : b)
/* Unsigned, where wrapping is defined: the same bits as signed ones. 64 bits, as shorter types would become int. */
#define NPU__COMBINE_WRAP(name, T)                                     \
    NPU__COMBINE_LOOP(add_##name, T, (uint64_t)a + (uint64_t)b)        \
    NPU__COMBINE_LOOP(mul_##name, T, (uint64_t)a * (uint64_t)b)        \
    NPU__COMBINE_LOOP(set_##name, T, b)

NPU__COMBINE_REAL(f32, float)
NPU__COMBINE_REAL(f64, double)
NPU__COMBINE_ORDER(i8, int8_t)
NPU__COMBINE_ORDER(u8, uint8_t)
NPU__COMBINE_ORDER(i16, int16_t)
NPU__COMBINE_ORDER(u16, uint16_t)
NPU__COMBINE_ORDER(i32, int32_t)
NPU__COMBINE_ORDER(u32, uint32_t)
NPU__COMBINE_ORDER(i64, int64_t)
NPU__COMBINE_ORDER(u64, uint64_t)
NPU__COMBINE_WRAP(u8, uint8_t)
NPU__COMBINE_WRAP(u16, uint16_t)
NPU__COMBINE_WRAP(u32, uint32_t)
NPU__COMBINE_WRAP(u64, uint64_t)
#undef NPU__COMBINE_LOOP
#undef NPU__COMBINE_ORDER
#undef NPU__COMBINE_REAL
#undef NPU__COMBINE_WRAP

NPU__FN npu__combine_fn npu__combine_pick(int32_t op, int32_t type) {
    /* As the enumeration in combine.h. */
#define NPU__COMBINE_ROW(name, bits)                                                                            \
    {npu__combine_add_##bits, npu__combine_mul_##bits, npu__combine_max_##name, npu__combine_min_##name,        \
     npu__combine_max_##name, npu__combine_min_##name, npu__combine_all_##name, npu__combine_any_##name,        \
     npu__combine_set_##bits}
#define NPU__COMBINE_REAL_ROW(name, bits)                                                                       \
    {npu__combine_add_##name, npu__combine_mul_##name, npu__combine_max_##name, npu__combine_min_##name,        \
     npu__combine_max_ge_##name, npu__combine_min_le_##name, npu__combine_all_##name, npu__combine_any_##name,  \
     npu__combine_set_##bits}
    static const npu__combine_fn table[11][NPU__COMBINE_COUNT] = {
        NPU__COMBINE_REAL_ROW(f32, u32), NPU__COMBINE_REAL_ROW(f64, u64), NPU__COMBINE_ROW(i8, u8),
        NPU__COMBINE_ROW(u8, u8), NPU__COMBINE_ROW(i16, u16), NPU__COMBINE_ROW(u16, u16), NPU__COMBINE_ROW(i32, u32),
        NPU__COMBINE_ROW(u32, u32), NPU__COMBINE_ROW(i64, u64), NPU__COMBINE_ROW(u64, u64),
        {npu__combine_any_u8, npu__combine_all_u8, npu__combine_max_u8, npu__combine_min_u8, npu__combine_max_u8,
         npu__combine_min_u8, npu__combine_all_u8, npu__combine_any_u8, npu__combine_set_u8}};
#undef NPU__COMBINE_ROW
#undef NPU__COMBINE_REAL_ROW
    static const int32_t types[11] = {NPU_FLOAT32, NPU_FLOAT64, NPU_INT8, NPU_UINT8, NPU_INT16, NPU_UINT16,
                                      NPU_INT32, NPU_UINT32, NPU_INT64, NPU_UINT64, NPU_BOOL};
    for (int32_t i = 0; i < 11; i++) {
        if (types[i] == type && op >= 0 && op < NPU__COMBINE_COUNT) return table[i][op];
    }
    return NULL;
}
