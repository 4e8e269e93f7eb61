/* Philox 4x32 with 10 rounds, and Threefry 2x32 with 20: random numbers from a counter (Salmon and others, 2011). */
#ifndef NPU__OPS_PHILOX_H
#define NPU__OPS_PHILOX_H

#include "../base/base.h"

/* Block `counter` of the stream that `key` names. */
NPU__INLINE void npu__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
    uint32_t k0 = key[0], k1 = key[1], a = counter[0], b = counter[1], x = counter[2], y = counter[3];
    for (int32_t i = 0; i < 10; i++) {
        const uint64_t p = (uint64_t)0xD2511F53u * a, q = (uint64_t)0xCD9E8D57u * x;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        b = (uint32_t)q;
        x = (uint32_t)(p >> 32) ^ y ^ k1;
        y = (uint32_t)p;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = a;
    out[1] = b;
    out[2] = x;
    out[3] = y;
}

NPU__INLINE void npu__threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2]) {
    static const uint8_t turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t       keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
    uint32_t             a = counter[0] + key[0], b = counter[1] + key[1];
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t turn = turns[i & 7u], next = i / 4 + 1;
        a += b;
        b = (b << turn | b >> (32u - turn)) ^ a;
        if ((i & 3u) != 3u) continue;
        /* After every four rounds the key goes in, its words in turn. */
        a += keys[next % 3];
        b += keys[(next + 1) % 3] + next;
    }
    out[0] = a;
    out[1] = b;
}

#endif
