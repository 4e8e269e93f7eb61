/* Input values made from a seed, for the command line and the WebAssembly module alike (wasi/README.md has the formula). */
#ifndef NPU_RT_SEED_H
#define NPU_RT_SEED_H

#include "npu_rt.h"

#include <string.h>

static uint64_t seed_next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* k / 1024 for k in [-1024, 1024), as float16 bits: exact. */
static uint16_t seed_half(int k) {
    uint32_t m = (uint32_t)(k < 0 ? -k : k), sign = k < 0 ? 0x8000u : 0u;
    int      exponent = 15;
    if (m == 0) return 0;
    for (; m < 1024u; m <<= 1) exponent--;
    return (uint16_t)(sign | (uint32_t)exponent << 10 | (m & 1023u));
}

/* Writes one element of at least 8 bits; false for types that have no numbers. */
static int seed_element(npu_type type, uint64_t *state, uint8_t *to) {
    uint64_t r = seed_next(state), small = r >> 61;
    float    f = (float)(r >> 40) / 8388608.0f - 1.0f;
    double   d = (double)(r >> 11) / 4503599627370496.0 - 1.0;
    uint16_t half = (uint16_t)(r >> 48);
    uint32_t bits;
    switch (type) {
    case NPU_FLOAT32: case NPU_COMPLEX64: memcpy(to, &f, 4); break;
    case NPU_FLOAT64: case NPU_COMPLEX128: memcpy(to, &d, 8); break;
    case NPU_FLOAT16: half = seed_half((int)(r >> 53) - 1024); memcpy(to, &half, 2); break;
    case NPU_BFLOAT16:
        f = (float)(r >> 56) / 128.0f - 1.0f;
        memcpy(&bits, &f, 4);
        half = (uint16_t)(bits >> 16);
        memcpy(to, &half, 2);
        break;
    case NPU_INT16: case NPU_UINT16: memcpy(to, &half, 2); break;
    case NPU_INT8: case NPU_UINT8: to[0] = (uint8_t)(r >> 56); break;
    case NPU_INT32: case NPU_UINT32: bits = (uint32_t)small; memcpy(to, &bits, 4); break;
    case NPU_INT64: case NPU_UINT64: memcpy(to, &small, 8); break;
    case NPU_BOOL: to[0] = (uint8_t)(r >> 63); break;
    default: return 0;
    }
    if (type == NPU_COMPLEX64) seed_element(NPU_FLOAT32, state, to + 4);
    if (type == NPU_COMPLEX128) seed_element(NPU_FLOAT64, state, to + 8);
    return 1;
}

/* Where the stream of an input begins; `position` among the inputs of its subgraph. */
static uint64_t seed_start(uint64_t seed, int32_t position) { return seed + ((uint64_t)(uint32_t)position << 32); }

/* Fills whole elements and leaves `state` for the ones after them, so that pieces give what one call would. False for types that
 * have no numbers. */
static int seed_fill(npu_type type, uint64_t *state, uint8_t *data, size_t bytes) {
    size_t bits = (size_t)npu_type_bits(type), step = bits / 8, i, k;
    if (bits == 0) return 0;
    if (step == 0) { /* several elements share a byte, low ones first */
        for (i = 0; i < bytes; i++) {
            data[i] = 0;
            for (k = 0; k < 8; k += bits) data[i] = (uint8_t)(data[i] | (seed_next(state) >> (64 - bits)) << k);
        }
        return 1;
    }
    for (i = 0; i + step <= bytes; i += step) {
        if (!seed_element(type, state, data + i)) return 0;
    }
    return 1;
}

#endif
