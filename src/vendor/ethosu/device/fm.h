/* Feature maps in a region: four tiles, NHWC or NHCWB16, elements of 8, 16 or 32 bits. */
#ifndef NPU__VENDOR_ETHOSU_FM_H
#define NPU__VENDOR_ETHOSU_FM_H

#include "device.h"

#if NPU__HAS_EU_DEVICE

/* ---- extents ---- */

/* Bytes [first, end) of a region that a command touches. Only npu__eu_span_add makes one that is not empty, and it takes
 * steps and counts as they are: a sum that wrapped around cannot get in. */
typedef struct npu__eu_span {
    int64_t first, end;
    int32_t n, wrapped; /* pieces that were joined; one of them had no address */
} npu__eu_span;

typedef struct npu__eu_stride {
    int64_t step, count; /* count >= 1 */
} npu__eu_stride;

/* Joins `bytes` bytes at `at`, and all that lies up to count - 1 times step further, for each of `n` strides. */
NPU__FN void npu__eu_span_add(npu__eu_span *s, int64_t at, int64_t bytes, const npu__eu_stride *strides, int32_t n);

/* ---- maps ---- */

/* Tile 0 holds columns below w0 and rows below h0, tile 1 the columns from w0 on and rows below h1, tiles 2 and 3 what
 * is under them. A tile's base is the address of its own first element. */
typedef struct npu__eu_fm {
    uint8_t *mem; /* base of the region; NULL in a check */
    int64_t  base[4], step_x, step_y, step_c; /* bytes; steps may be negative */
    int32_t  h, w, c, h0, h1, w0;
    int32_t  bytes, is_signed; /* of an element: 1, 2 or 4 */
    int32_t  blocked;          /* NHCWB16: channels in groups of 16, step_c apart, and step_x is that of the group */
    int32_t  zero;
} npu__eu_fm;

/* The bytes that elements of the map occupy. */
NPU__FN npu__eu_span npu__eu_fm_span(const npu__eu_fm *f);

/* Elements as they are (no zero point), `n_c` channels from `c` of `n_x` pixels from (y, x): out[n_x][n_c]. */
NPU__FN void npu__eu_fm_load(const npu__eu_fm *f, int32_t y, int32_t x, int32_t n_x, int32_t c, int32_t n_c,
                             int32_t *out);
/* Elements less `zero`, all channels: out[n_x][f->c]. Elements of 8 bits, or int16 when `zero` is 0. */
NPU__FN void npu__eu_fm_load16(const npu__eu_fm *f, int32_t y, int32_t x, int32_t n_x, int32_t zero, int16_t *out);
/* The opposite of npu__eu_fm_load: keeps the low bits of each value. */
NPU__FN void npu__eu_fm_store(const npu__eu_fm *f, int32_t y, int32_t x, int32_t n_x, int32_t c, int32_t n_c,
                              const int32_t *in);

#endif
#endif
