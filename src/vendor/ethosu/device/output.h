/* From accumulators to elements of the output: scaling, rounding, zero point, clamping, activations and tables. */
#ifndef NPU__VENDOR_ETHOSU_OUTPUT_H
#define NPU__VENDOR_ETHOSU_OUTPUT_H

#include "device.h"
#include "../../../base/fixed32.h"

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_TABLE_NONE, NPU__EU_TABLE_8, NPU__EU_TABLE_16, NPU__EU_TABLE_8_TO_32 };
#define NPU__EU_LUT_BYTES 2048 /* the end of SHRAM, where tables are */
#define NPU__EU_SLOT_BYTES 256

typedef struct npu__eu_out {
    int32_t  scaled, rounding; /* by `scale` and `shift`; the rounding also applies to scales of channels */
    uint32_t scale;
    int32_t  shift;
    int32_t  zero, lo, hi;     /* lo and hi lie in the output's type */
    int32_t  function;         /* NPU__EU_ACTIVATION_..., tables as NPU__EU_ACTIVATION_LUT0 */
    int32_t  table, table_signed, table_at; /* NPU__EU_TABLE_...; index and 8-bit entries have a sign; offset */
    const uint8_t *lut;        /* NPU__EU_LUT_BYTES */
    /* of channels, for convolutions */
    int64_t  *bias;
    uint32_t *channel_scale;
    uint8_t  *channel_shift;
} npu__eu_out;

/* v * scale / 2^shift, shift in [0, 63]. NPU__EU_ROUNDING_TFL is the double rounding of TFLite's reference kernels:
 * first at 2^31, then half away from zero; NATURAL rounds half up, TRUNCATE towards zero. `ahead` bits of v are a
 * factor that the double rounding would see and the others would not: v stands for v * 2^ahead, scaled 2^ahead further
 * down. */
NPU__INLINE int64_t npu__eu_rescale_ahead(int64_t v, uint32_t scale, int32_t shift, int32_t rounding, int32_t ahead) {
    /* wraps: a number of 40 bits and more times one of 32, as the hardware's does */
    uint64_t product = (uint64_t)v * scale, half = shift ? (uint64_t)1 << (shift - 1) : 0;
    if (rounding == NPU__EU_ROUNDING_TRUNCATE) {
        /* bounded, here and below: shifts are below 64 */
        half = v < 0 ? ((uint64_t)1 << shift) - 1u : 0;
    } else if (rounding == NPU__EU_ROUNDING_TFL && shift > 31 - ahead) {
        uint64_t early = (uint64_t)1 << (30 - ahead);
        half += v < 0 ? 0u - early : early;
    }
    return (int64_t)(product + half) >> shift;
}
NPU__INLINE int64_t npu__eu_rescale(int64_t v, uint32_t scale, int32_t shift, int32_t rounding) {
    return npu__eu_rescale_ahead(v, scale, shift, rounding, 0);
}

NPU__INLINE int32_t npu__eu_sat32(int64_t v) {
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

/* What comes after scaling, for `n` values in place. */
NPU__FN void npu__eu_activate(const npu__eu_out *o, int32_t n, int32_t *v);
/* Scaled values by `o->scale`, or as they are; then activated. */
NPU__FN void npu__eu_out_plain(const npu__eu_out *o, int32_t n, const int64_t *v, int32_t *out);
/* Accumulators of channels from `c`: bias and scale of each one; then activated. */
NPU__FN void npu__eu_out_channels(const npu__eu_out *o, int32_t c, int32_t n, const int32_t *acc, int32_t *out);
NPU__FN void npu__eu_out_channels64(const npu__eu_out *o, int32_t c, int32_t n, const int64_t *acc, int32_t *out);

#endif
#endif
