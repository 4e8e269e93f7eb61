/* Lookup tables of real functions for quantized tensors: 256 entries for 8 bits, 513 interpolated ones for int16. */
#ifndef NPU__OPS_LUT_H
#define NPU__OPS_LUT_H

#include "elementwise.h"

#define NPU__LUT16_ENTRIES 513

typedef float (*npu__real_fn)(float x, const void *arg);

/* Data of an elementwise op that may look its results up. */
typedef struct npu__lut_op {
    npu__ew ew;
    union {
        npu__bytes_map map; /* of bytes */
        int16_t        q16[NPU__LUT16_ENTRIES];
    } lut;
} npu__lut_op;

/* Prepares a node whose ctx->data is an npu__lut_op: input and output of one type out of INT8, UINT8 and INT16, with
 * quantization. */
NPU__FN npu_status npu__lut_prepare(npu__ctx *c, npu__real_fn fn, const void *arg);
/* The rows that look up, for ops that fill the table themselves. */
NPU__FN void npu__lut8_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step);
NPU__FN void npu__lut16_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step);

/* Prepares an npu__lut_op whose map's table is filled. */
NPU__FN npu_status npu__lut8_prepare(npu__ctx *c);

/* Quantized value of a table index: the byte as INT8 or as UINT8. */
NPU__INLINE int32_t npu__lut8_value(int32_t type, int32_t byte) {
    return type == NPU_INT8 && byte > 127 ? byte - 256 : byte;
}
/* int16 lookup: 512 intervals, linear in between. */
NPU__INLINE int16_t npu__lut16_at(const int16_t *lut, int32_t x) {
    int32_t i = 256 + (x >> 7), base = lut[i], slope = (int16_t)(uint16_t)(lut[i + 1] - base);
    return (int16_t)(uint16_t)(base + ((slope * (x & 127) + 64) >> 7));
}

/* Fills a table in double precision, as TFLite's int16 SOFTMAX does. */
NPU__FN void npu__lut16_fill_f64(int16_t *lut, double in_scale, int32_t in_zp, double out_scale,
                                 double (*fn)(double));

/* int16 needs symmetric quantization here: input 0 and output 0 have zero point 0. */
NPU__FN npu_status npu__need_symmetric_unary(npu__ctx *c);

#endif
