/* The two 8-bit floats as bit patterns: portable C, round to nearest even. E4M3FN has no infinity: what is beyond 448 rounds to
 * NaN. E5M2 is a half float with two bits of fraction. */
#ifndef NPU__BASE_FP8_H
#define NPU__BASE_FP8_H

#include "fp16.h"

typedef struct npu__fp8 {
    int32_t  fraction, bias; /* bits of fraction; exponent of 1.0 */
    uint32_t largest, beyond, nan; /* codes: largest finite value, what larger ones become, NaN */
} npu__fp8;

static const npu__fp8 npu__fp8_e4m3fn = {3, 7, 0x7Eu, 0x7Fu, 0x7Fu};
static const npu__fp8 npu__fp8_e5m2 = {2, 15, 0x7Bu, 0x7Cu, 0x7Eu};

NPU__INLINE float npu__fp8_to_f32(uint8_t code, const npu__fp8 *format) {
    const uint32_t a = code & 0x7Fu, exponent = a >> format->fraction;
    uint32_t       man = a & ((1u << format->fraction) - 1u);
    float          f;
    if (a > format->largest) {
        f = npu__f32_from_bits(format->beyond != format->nan && a == format->beyond ? 0x7F800000u : 0x7FC00000u);
    } else {
        if (exponent) man |= 1u << format->fraction;
        f = ldexpf((float)man, (int)NPU__MAX(exponent, 1u) - format->bias - format->fraction);
    }
    return code & 0x80u ? -f : f;
}

NPU__INLINE uint8_t npu__fp8_from_f32(float f, const npu__fp8 *format) {
    const uint32_t u = npu__f32_bits(f), sign = u >> 24 & 0x80u, a = u & 0x7FFFFFFFu;
    const int32_t  smallest = 1 - format->bias; /* exponent of the smallest normal value, and of those below it */
    int32_t        e = NPU__MAX((int32_t)(a >> 23) - 127, smallest);
    float          scaled;
    uint32_t       n;
    if (a > 0x7F800000u) return (uint8_t)(sign | format->nan);
    if (e > 127 || e > (int32_t)(format->largest >> format->fraction) - format->bias) return (uint8_t)(sign | format->beyond);
    scaled = ldexpf(npu__f32_from_bits(a), format->fraction - e); /* exact, or so small that it rounds to 0; below 16 */
    n = (uint32_t)scaled;
    if (scaled - (float)n > 0.5f || (scaled - (float)n == 0.5f && (n & 1u))) n++;
    n += (uint32_t)(e - smallest) << format->fraction; /* a normal value's own leading bit makes the exponent 1 more */
    return (uint8_t)(sign | (n > format->largest ? format->beyond : n));
}

#endif
