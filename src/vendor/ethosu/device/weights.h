/* Weights of convolutions: the compressed stream, and the order of its elements. */
#ifndef NPU__VENDOR_ETHOSU_WEIGHTS_H
#define NPU__VENDOR_ETHOSU_WEIGHTS_H

#include "device.h"

#if NPU__HAS_EU_DEVICE

/* A compressed stream under way. It is a sequence of slices; each interleaves two sequences of Golomb-Rice codes:
 * weights (indices into a palette, then plain values; the lowest bit is the sign) and, between them, lengths of runs
 * of zeros. */
typedef struct npu__eu_wstream {
    const uint8_t *p, *end;
    npu__eu_poll  *poll; /* may be NULL */
    uint64_t       bits; /* the next n_bits bits, lowest first */
    int32_t        n_bits;
    int32_t        failed;

    /* the slice: how it is coded */
    int32_t w_shift, w_raw, w_trunc;         /* bits of a weight's remainder; no quotients; quotients end at 2 */
    int32_t z_shift, z_runs;                 /* bits of a run's remainder; there are runs of zeros */
    int32_t w_pos, w_count, z_pos, z_count;  /* codes whose quotient was read, and how many the slice has */
    int32_t w_done, z_done, w_taken, z_taken; /* codes that are complete, and those that were handed on */

    /* codes whose quotient came in this chunk (`odd` tells which half) and whose remainder comes in the next one */
    int32_t  odd, w_pending[2], z_pending[2];
    uint32_t w_quotient[2][13], z_quotient[2][12], w_part, z_part; /* parts: of a quotient that goes on */

    /* with runs of zeros: complete codes, in rings, and what is left of a run */
    int32_t  want_zeros;
    uint32_t zeros, z_ring[64];
    int16_t  w_ring[64];

    int32_t palette_size, palette_bits, direct_offset;
    int16_t palette[32];

    int32_t out_at, out_n;
    int16_t out[128]; /* weights [out_at, out_n) are decoded and not taken */
} npu__eu_wstream;

NPU__FN void npu__eu_wstream_open(npu__eu_wstream *s, const uint8_t *p, size_t bytes, npu__eu_poll *poll);
/* The next `n` weights, at most 64; good until the next call. NULL when the stream is malformed or ends early, or when
 * `poll` says stop. */
NPU__FN const int16_t *npu__eu_wstream_take(npu__eu_wstream *s, int32_t n);

/* What decides the order: shape of the weights of one core, and how the hardware walks them. */
typedef struct npu__eu_worder {
    int32_t ofm_depth, ifm_depth, kh, kw;
    int32_t ofm_block, ofm_ublock, ifm_block; /* channels of a block, and of a step of the hardware in it */
    int32_t sub_h, sub_w;                     /* kernel elements that are done together */
    int32_t part_kernel, depthwise, round;    /* a part's elements are filled up to a multiple of `round` */
} npu__eu_worder;

/* Where decoded weights go. A convolution: dst[channel * step_c + ky * step_y + kx * step_x + input channel];
 * depthwise: pairs of kernel elements side by side, dst[(k / 2 * step_c + channel) * 2 + k % 2]. */
typedef struct npu__eu_wplace {
    int16_t *dst;
    size_t   step_c, step_y, step_x;
    int32_t  first, stride; /* channel of the core's first one in the block, and what the next one adds */
} npu__eu_wplace;

/* Decodes the block of output channels that starts at `z` (of the core's). False for a bad stream. */
NPU__FN int npu__eu_weights_block(npu__eu_wstream *s, const npu__eu_worder *o, int32_t z, const npu__eu_wplace *to);
/* Elements of the stream that npu__eu_weights_block takes for all blocks together. */
NPU__FN uint64_t npu__eu_weights_count(const npu__eu_worder *o);

#endif
#endif
