/* Writes small, valid Ethos-U command streams with the data they need: convolutions with compressed weights in every
 * coding, pooling, every elementwise operation, tables, DMA, upscaling, tiles, two cores. Include it after the
 * implementation of npu_rt.h: it uses the library's names of commands. */
#ifndef STREAM_MAKER_H
#define STREAM_MAKER_H

#include <stdlib.h>

#define MAKER_WORDS 4096
#define MAKER_FLASH 24576   /* region 0 */
#define MAKER_SCRATCH 20480 /* region 1 */
#define MAKER_FAST 2048     /* region 2 */

typedef struct maker {
    uint32_t words[MAKER_WORDS];
    size_t   n_words;
    uint8_t  flash[MAKER_FLASH];
    size_t   n_flash, n_bits; /* bits: of the weight stream under way, which starts at n_flash */
    uint64_t rng;
    uint8_t  payload[32 + 4 * MAKER_WORDS];
    size_t   n_payload;
} maker;

static uint32_t maker_random(maker *m, uint32_t limit) {
    uint64_t z = m->rng += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) % limit);
}

/* ---- commands ---- */

static void maker_word(maker *m, uint32_t word) {
    if (m->n_words == MAKER_WORDS) abort();
    m->words[m->n_words++] = word;
}

static void set(maker *m, int code, int32_t param) { maker_word(m, (uint32_t)param << 16 | (uint32_t)code); }

static void set_wide(maker *m, int code, uint64_t value) {
    maker_word(m, (uint32_t)(value >> 32) << 16 | (uint32_t)code);
    maker_word(m, (uint32_t)value);
}

static void set_scale(maker *m, int code, uint32_t scale, int32_t shift) {
    maker_word(m, (uint32_t)shift << 16 | (uint32_t)code);
    maker_word(m, scale);
}

/* A feature map, at `at` of region 1. `split`: rows from there on are in tile 2, right behind the others. */
typedef struct map {
    uint32_t at;
    int32_t  h, w, c, bytes, is_signed, blocked, zero, split, mode; /* mode: scaling, and rounding, of the precision */
} map;

static map make_map(uint32_t at, int32_t h, int32_t w, int32_t c, int32_t bytes, int32_t blocked, int32_t zero) {
    map f;
    memset(&f, 0, sizeof f);
    f.at = at;
    f.h = h;
    f.w = w;
    f.c = c;
    f.bytes = bytes;
    f.is_signed = 1;
    f.blocked = blocked;
    f.zero = zero;
    return f;
}

/* Codes of the registers of one map: those of the input, and what the other two add to them. */
static void set_map(maker *m, const map *f, int narrow, int wide) {
    uint64_t step_x = (uint64_t)(f->blocked ? 16 : f->c) * (uint64_t)f->bytes, step_y = step_x * (uint64_t)f->w, step_c;
    int32_t  rows = f->split ? f->split : f->h;
    step_c = f->blocked ? step_y : (uint64_t)f->bytes;
    if (f->blocked) step_y *= (uint64_t)((f->c + 15) / 16);
    set(m, NPU__EU_SET_IFM_REGION + narrow, 1);
    for (int i = 0; i < 4; i++) {
        set_wide(m, NPU__EU_SET_IFM_BASE0 + wide + i, f->at + (i == 2 ? (uint64_t)rows * step_y : 0));
    }
    set(m, NPU__EU_SET_IFM_WIDTH0_M1 + narrow, f->w - 1);
    set(m, NPU__EU_SET_IFM_HEIGHT0_M1 + narrow, rows - 1);
    set(m, NPU__EU_SET_IFM_HEIGHT1_M1 + narrow, f->h - 1);
    set_wide(m, NPU__EU_SET_IFM_STRIDE_X + wide, step_x);
    set_wide(m, NPU__EU_SET_IFM_STRIDE_Y + wide, step_y);
    set_wide(m, NPU__EU_SET_IFM_STRIDE_C + wide, step_c);
}

static int32_t log2_bytes(const map *f) { return f->bytes == 4 ? 2 : f->bytes - 1; }

static void set_ifm(maker *m, const map *f) {
    set_map(m, f, 0, 0);
    set(m, NPU__EU_SET_IFM_DEPTH_M1, f->c - 1);
    set(m, NPU__EU_SET_IFM_ZERO_POINT, f->zero);
    set(m, NPU__EU_SET_IFM_PRECISION, f->is_signed | log2_bytes(f) << 2 | f->blocked << 6 | f->mode << 8);
    set(m, NPU__EU_SET_IFM_UPSCALE, 0);
}

static void set_ifm2(maker *m, const map *f, int32_t broadcast) {
    set_map(m, f, NPU__EU_SET_IFM2_REGION - NPU__EU_SET_IFM_REGION, NPU__EU_SET_IFM2_BASE0 - NPU__EU_SET_IFM_BASE0);
    set(m, NPU__EU_SET_IFM2_ZERO_POINT, f->zero);
    set(m, NPU__EU_SET_IFM2_PRECISION, f->is_signed | log2_bytes(f) << 2 | f->blocked << 6);
    set(m, NPU__EU_SET_IFM2_BROADCAST, broadcast);
}

/* `mode`: bit 8 scales by OFM_SCALE, bits 14 and 15 are the rounding. Clamps to all of the type. */
static void set_ofm(maker *m, const map *f, int32_t block_depth) {
    int32_t top = f->bytes == 1 ? 127 : 32767;
    set_map(m, f, NPU__EU_SET_OFM_REGION - NPU__EU_SET_IFM_REGION, NPU__EU_SET_OFM_BASE0 - NPU__EU_SET_IFM_BASE0);
    set(m, NPU__EU_SET_OFM_HEIGHT_M1, f->h - 1);
    set(m, NPU__EU_SET_OFM_WIDTH_M1, f->w - 1);
    set(m, NPU__EU_SET_OFM_DEPTH_M1, f->c - 1);
    set(m, NPU__EU_SET_OFM_ZERO_POINT, f->zero);
    set(m, NPU__EU_SET_OFM_PRECISION, f->is_signed | log2_bytes(f) << 1 | f->blocked << 6 | f->mode);
    set(m, NPU__EU_SET_OFM_BLK_HEIGHT_M1, 3);
    set(m, NPU__EU_SET_OFM_BLK_WIDTH_M1, 3);
    set(m, NPU__EU_SET_OFM_BLK_DEPTH_M1, block_depth - 1);
    set(m, NPU__EU_SET_ACTIVATION, 0);
    set(m, NPU__EU_SET_ACTIVATION_MIN, -top - 1);
    set(m, NPU__EU_SET_ACTIVATION_MAX, top);
    set(m, NPU__EU_SET_IFM_IB_END, 8);
    set(m, NPU__EU_SET_AB_START, 8);
    set(m, NPU__EU_SET_BLOCKDEP, 0);
}

static void set_kernel(maker *m, int32_t h, int32_t w, int32_t stride, int32_t dilation, int32_t part_kernel,
                       int32_t pad) {
    set(m, NPU__EU_SET_KERNEL_HEIGHT_M1, (h - 1) * dilation);
    set(m, NPU__EU_SET_KERNEL_WIDTH_M1, (w - 1) * dilation);
    set(m, NPU__EU_SET_KERNEL_STRIDE, (stride - 1) * 3 | part_kernel << 2 | (dilation - 1) * 24);
    for (int i = 0; i < 4; i++) set(m, NPU__EU_SET_IFM_PAD_TOP + i, pad);
    set(m, NPU__EU_SET_ACC_FORMAT, 0);
    set(m, NPU__EU_SET_PARALLEL_MODE, 0);
}

static void dma(maker *m, uint32_t from, uint32_t region, uint64_t to, uint64_t bytes) {
    set(m, NPU__EU_SET_DMA0_SRC_REGION, 0);
    set_wide(m, NPU__EU_SET_DMA0_SRC, from);
    set(m, NPU__EU_SET_DMA0_DST_REGION, (int32_t)region);
    set_wide(m, NPU__EU_SET_DMA0_DST, to);
    set_wide(m, NPU__EU_SET_DMA0_LEN, bytes);
    set(m, NPU__EU_OP_DMA_START, 0);
    set(m, NPU__EU_OP_DMA_WAIT, 0);
}

/* ---- read-only data ---- */

static void flash_align(maker *m) {
    while (m->n_flash % 16) m->flash[m->n_flash++] = 0;
}

static uint32_t flash_random(maker *m, size_t bytes) {
    size_t at = m->n_flash;
    if (bytes > MAKER_FLASH - at) abort();
    for (size_t i = 0; i < bytes; i++) m->flash[m->n_flash++] = (uint8_t)maker_random(m, 256);
    flash_align(m);
    return (uint32_t)at;
}

/* Bias (40 bits), scale and shift of each channel. */
static uint32_t flash_scales(maker *m, int32_t channels) {
    size_t at = m->n_flash;
    if ((size_t)channels * 10 + 16 > MAKER_FLASH - at) abort();
    for (int32_t c = 0; c < channels; c++) {
        uint64_t bias = (uint64_t)((int64_t)maker_random(m, 20000) - 10000);
        uint32_t scale = 0x40000000u + maker_random(m, 0x3FFFFFFFu);
        for (int i = 0; i < 5; i++) m->flash[m->n_flash++] = (uint8_t)(bias >> 8 * i);
        for (int i = 0; i < 4; i++) m->flash[m->n_flash++] = (uint8_t)(scale >> 8 * i);
        m->flash[m->n_flash++] = (uint8_t)(36 + maker_random(m, 4));
    }
    flash_align(m);
    return (uint32_t)at;
}

/* ---- weight streams ---- */

enum { CODE_RAW, CODE_RAW_PALETTE, CODE_GOLOMB, CODE_ZERO_RUNS, CODE_COUNT };

static void put_bits(maker *m, uint32_t value, uint32_t bits) {
    for (uint32_t i = 0; i < bits; i++, m->n_bits++) {
        size_t at = m->n_flash + m->n_bits / 8;
        if (at >= MAKER_FLASH) abort();
        if (m->n_bits % 8 == 0) m->flash[at] = 0;
        m->flash[at] |= (uint8_t)((value >> i & 1u) << (m->n_bits % 8));
    }
}

/* Two sequences of codes on their way into chunks: what is left of the quotient under way, codes done and finished. */
typedef struct coder {
    const uint16_t *codes;
    int32_t         n, at, seen, left, pending[24], n_pending, n_last, last[24];
    uint32_t        div;
} coder;

static void coder_start(coder *c, const uint16_t *codes, int32_t n, uint32_t div) {
    memset(c, 0, sizeof *c);
    c->codes = codes;
    c->n = n;
    c->div = div;
    c->left = n ? codes[0] >> div : 0;
}

static void coder_done(coder *c) {
    c->pending[c->n_pending++] = c->codes[c->at++];
    if (c->at < c->n) c->left = c->codes[c->at] >> c->div;
}

static void coder_remainders(maker *m, coder *c) {
    for (int32_t i = 0; i < c->n_last; i++) put_bits(m, (uint32_t)c->last[i] & ((1u << c->div) - 1u), c->div);
    memcpy(c->last, c->pending, sizeof c->last);
    c->n_last = c->n_pending;
    c->n_pending = 0;
}

/* One slice: quotients of each sequence in chunks of 12 steps, remainders one chunk later. A weight's step adds 0, 1 or
 * 2 to its quotient, and 2 goes on; a run's step is a bit, and 1 goes on. */
static void put_slice(maker *m, coder *w, coder *z, int raw, int runs) {
    do {
        int32_t  ahead = runs ? w->at - z->seen : 0;
        int32_t  has_w = ahead < 8 && w->at < w->n, has_z = runs && ahead >= 0 && z->seen < z->n;
        uint32_t first = 0, second = 0, n_second = 0, bits = 0;
        if (has_w && raw) {
            for (int32_t i = 0; i < (w->div > 5 ? 8 : 12) && w->at < w->n; i++) coder_done(w);
        } else if (has_w) {
            for (uint32_t i = 0; i < 12 && w->at < w->n; i++) {
                int32_t step = w->left < 2 ? w->left : 2;
                if (step) first |= 1u << i;
                if (step) second |= (uint32_t)(step - 1) << n_second++;
                w->left -= step;
                if (step < 2) coder_done(w);
            }
            put_bits(m, first, 12);
        }
        if (has_z) {
            for (uint32_t i = 0; i < 12; i++) { /* what is past the end reads as empty runs */
                if (z->at < z->n && z->left-- > 0) { bits |= 1u << i; continue; }
                if (z->at < z->n) coder_done(z);
                z->seen++;
            }
            put_bits(m, bits, 12);
        }
        put_bits(m, second, n_second);
        coder_remainders(m, w);
        coder_remainders(m, z);
    } while (w->at < w->n || (runs && z->at < z->n) || w->n_last || z->n_last);
}

/* A stream of `n` small weights in the coding asked for; their values go to `out` if it is not NULL. */
static uint32_t flash_weights(maker *m, int32_t n, int coding, uint32_t *bytes, int16_t *out) {
    uint16_t codes[512], runs[513];
    size_t   at = m->n_flash;
    int32_t  is_runs = coding == CODE_ZERO_RUNS, is_raw = coding == CODE_RAW || coding == CODE_RAW_PALETTE;
    m->n_bits = 0;
    for (int32_t done = 0; done < n;) {
        int32_t some = n - done < 512 ? n - done : 512, n_runs = 0;
        coder   w, z;
        for (int32_t i = 0; i < some; i++) codes[i] = (uint16_t)maker_random(m, coding == CODE_GOLOMB ? 24 : 4);
        for (int32_t i = 0; is_runs && i <= some; i++) {
            runs[n_runs++] = (uint16_t)(maker_random(m, 3) ? 0 : maker_random(m, 9));
        }
        put_bits(m, is_runs ? 1 : 6, 3);
        put_bits(m, (uint32_t)some - 1, 15);
        put_bits(m, is_raw ? 7 : is_runs ? 0 : 1, 3);
        put_bits(m, 0, 1); /* quotients are not cut at 2 */
        put_bits(m, 1, 1); /* a new palette: */
        put_bits(m, is_runs ? 2 : 0, 5);
        put_bits(m, coding == CODE_RAW_PALETTE ? 3 : 0, 5);
        put_bits(m, coding == CODE_RAW_PALETTE ? 3 : 0, 3);
        for (uint32_t i = 0; coding == CODE_RAW_PALETTE && i < 4; i++) put_bits(m, 7 * i + 2, 5);
        coder_start(&w, codes, some, is_raw ? 2 : is_runs ? 0 : 1);
        coder_start(&z, runs, n_runs, 1);
        put_slice(m, &w, &z, is_raw, is_runs);
        for (int32_t i = is_runs ? -1 : 0; i < some; i++) {
            if (i >= 0) {
                int32_t v = coding == CODE_RAW_PALETTE ? 7 * codes[i] + 2 : codes[i] + (is_runs ? 2 : 0);
                if (out && done < n) out[done] = (int16_t)(v & 1 ? -(v >> 1) : v >> 1);
                done++;
            }
            for (int32_t k = 0; is_runs && k < runs[i + 1]; k++, done++) {
                if (out && done < n) out[done] = 0;
            }
        }
    }
    put_bits(m, 7, 3);
    while (m->n_bits % 128) put_bits(m, 1, 1);
    m->n_flash += m->n_bits / 8;
    *bytes = (uint32_t)(m->n_flash - at);
    return (uint32_t)at;
}

/* Weights and scales of a convolution; `core` 1 for the second core's. `n`: weights, at least as many as it takes. */
static void set_weights(maker *m, int32_t core, int32_t channels, int32_t n, int coding) {
    int      more = core ? NPU__EU_SET_WEIGHT1_BASE - NPU__EU_SET_WEIGHT_BASE : 0;
    uint32_t bytes, weights = flash_weights(m, n, coding, &bytes, NULL), scales = flash_scales(m, channels);
    set(m, NPU__EU_SET_WEIGHT_REGION, 0);
    set(m, NPU__EU_SET_SCALE_REGION, 0);
    set_wide(m, NPU__EU_SET_WEIGHT_BASE + more, weights);
    set_wide(m, NPU__EU_SET_WEIGHT_LENGTH + more, bytes);
    set_wide(m, NPU__EU_SET_SCALE_BASE + more, scales);
    set_wide(m, NPU__EU_SET_SCALE_LENGTH + more, ((uint32_t)channels * 10 + 15) / 16 * 16);
}

/* ---- the streams ---- */

static void make_conv(maker *m) {
    map in = make_map(0, 8, 8, 16, 1, 0, -3), out = make_map(4096, 8, 8, 24, 1, 1, 5);
    in.split = 5;
    set_ifm(m, &in);
    set_ofm(m, &out, 16);
    set_kernel(m, 3, 3, 1, 1, 0, 1);
    set_weights(m, 0, 24, 24 * 32 * 9, CODE_RAW);
    set(m, NPU__EU_OP_CONV, 0);
    in = out; /* 24 channels in blocks, dilated, two steps at a time, parts of the kernel first */
    out = make_map(0, 4, 4, 9, 1, 0, -128);
    out.mode = NPU__EU_ROUNDING_NATURAL << 14;
    set_ifm(m, &in);
    set_ofm(m, &out, 16);
    set_kernel(m, 3, 3, 2, 2, 1, 2);
    set(m, NPU__EU_SET_IFM_PAD_RIGHT, 1);
    set(m, NPU__EU_SET_IFM_PAD_BOTTOM, 1);
    set_weights(m, 0, 9, 16 * 32 * 16, CODE_GOLOMB);
    set(m, NPU__EU_OP_CONV, 0);
}

static void make_depthwise(maker *m) {
    map in = make_map(0, 9, 9, 20, 1, 1, 7), out = make_map(4096, 4, 4, 20, 1, 1, 0);
    set_ifm(m, &in);
    set_ofm(m, &out, 32);
    set_kernel(m, 3, 3, 2, 1, 0, 0);
    set_weights(m, 0, 20, 24 * 12, CODE_ZERO_RUNS);
    set(m, NPU__EU_OP_DEPTHWISE, 0);
    in = make_map(0, 5, 6, 8, 2, 0, 0); /* int16, accumulators of 40 bits */
    out = make_map(4096, 5, 6, 10, 2, 1, 0);
    set_ifm(m, &in);
    set_ofm(m, &out, 16);
    set_kernel(m, 1, 1, 1, 1, 0, 0);
    set(m, NPU__EU_SET_ACC_FORMAT, NPU__EU_ACC_FORMAT_INT40);
    set_weights(m, 0, 10, 16 * 32, CODE_RAW_PALETTE);
    set(m, NPU__EU_OP_CONV, 0);
}

static void make_upscaled(maker *m) {
    map in = make_map(0, 4, 4, 8, 1, 0, 2), out = make_map(4096, 8, 8, 8, 1, 1, 0);
    for (int32_t i = NPU__EU_UPSCALE_NEAREST; i <= NPU__EU_UPSCALE_ZEROS; i++) {
        set_ifm(m, &in);
        set(m, NPU__EU_SET_IFM_UPSCALE, i);
        set_ofm(m, &out, 8);
        set_kernel(m, 3, 3, 1, 1, 1, 1);
        set_weights(m, 0, 8, 8 * 32 * 12, CODE_RAW);
        set(m, NPU__EU_OP_CONV, 0);
    }
}

static void make_pool(maker *m) {
    map in = make_map(0, 8, 8, 18, 1, 1, 4), out = make_map(8192, 4, 4, 18, 1, 0, 4);
    map sum = make_map(8192, 8, 8, 1, 4, 0, 0);
    set_ifm(m, &in);
    set_ofm(m, &out, 16);
    set_kernel(m, 2, 2, 2, 1, 0, 0);
    set(m, NPU__EU_OP_POOL, NPU__EU_POOL_MAX);
    out.mode = 1 << 8 | NPU__EU_ROUNDING_NATURAL << 14;
    set_ofm(m, &out, 16);
    set_kernel(m, 3, 3, 2, 1, 0, 1);
    set(m, NPU__EU_SET_IFM_PAD_RIGHT, 0);
    set(m, NPU__EU_SET_IFM_PAD_BOTTOM, 0);
    set_scale(m, NPU__EU_SET_OFM_SCALE, 0x71C71C72u, 34);
    set(m, NPU__EU_OP_POOL, NPU__EU_POOL_AVERAGE);
    sum.mode = 1 << 8 | NPU__EU_ROUNDING_NATURAL << 14;
    set_ofm(m, &sum, 8);
    set_kernel(m, 1, 1, 1, 1, 0, 0);
    set_scale(m, NPU__EU_SET_OFM_SCALE, 1, 0);
    set(m, NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM);
}

static void make_elementwise(maker *m) {
    static const int32_t broadcasts[] = {0, 1, 2, 4, 7, 0x40, 0x80, 0x47};
    for (int32_t op = NPU__EU_ELEMENT_MUL; op <= NPU__EU_ELEMENT_SHL; op++) {
        int32_t wide = op >= NPU__EU_ELEMENT_CLZ, b = broadcasts[op & 7];
        int32_t is_unary = op == NPU__EU_ELEMENT_LRELU || op == NPU__EU_ELEMENT_ABS || op == NPU__EU_ELEMENT_CLZ;
        int32_t bytes = wide ? 4 : op == NPU__EU_ELEMENT_MUL ? 2 : 1;
        map     a = make_map(0, 5, 3, 17, bytes, 0, wide ? 0 : 3), out = make_map(8192, 5, 3, 17, bytes, bytes < 4, 0);
        map     c = make_map(4096, b & 1 ? 1 : 5, b & 2 ? 1 : 3, b & 4 ? 1 : 17, bytes, 0, wide ? 0 : -2);
        a.mode = op == NPU__EU_ELEMENT_ADD ? 1 : op == NPU__EU_ELEMENT_SUB ? 2 : 0;
        out.mode = wide ? NPU__EU_ROUNDING_NATURAL << 14 : 1 << 8;
        set_ifm(m, &a);
        if (!is_unary) set_ifm2(m, &c, b);
        if (b & 0x80) set(m, NPU__EU_SET_IFM2_SCALAR, 11);
        set_ofm(m, &out, 16);
        set_scale(m, NPU__EU_SET_OPA_SCALE, 0x5A827999u, 19);
        set_scale(m, NPU__EU_SET_OPB_SCALE, 0x40000000u, 19);
        set_scale(m, NPU__EU_SET_OFM_SCALE, op == NPU__EU_ELEMENT_MUL ? 0x40000000u : 0x66666666u, 30 + op);
        if (op == NPU__EU_ELEMENT_MIN || op == NPU__EU_ELEMENT_MAX) set_scale(m, NPU__EU_SET_OFM_SCALE, 1, 0);
        set(m, NPU__EU_OP_ELEMENTWISE, op);
    }
}

/* Tables of 8, 16 and 32 bits, the two built-in functions, and copies in two and three dimensions. */
static void make_tables(maker *m, uint64_t lut) {
    uint32_t table = flash_random(m, 2048);
    map      in = make_map(0, 4, 4, 8, 1, 0, 0), out = make_map(4096, 4, 4, 8, 1, 0, 0);
    static const int32_t functions[] = {NPU__EU_ACTIVATION_LUT2, NPU__EU_ACTIVATION_LUT0, NPU__EU_ACTIVATION_LUT0,
                                        NPU__EU_ACTIVATION_TANH, NPU__EU_ACTIVATION_SIGMOID};
    dma(m, table, 0x103, lut, 2048);
    for (int i = 0; i < 5; i++) {
        in.bytes = i == 1 || i > 2 ? 2 : 1;
        out.bytes = i == 1 || i > 2 ? 2 : i == 2 ? 4 : 1;
        set_ifm(m, &in);
        set_ofm(m, &out, 8);
        set_kernel(m, 1, 1, 1, 1, 0, 0);
        set(m, NPU__EU_SET_ACTIVATION, functions[i] | (i == 0 || i == 2 ? NPU__EU_CLIP_INT8 << 12 : 0));
        set(m, NPU__EU_OP_POOL, NPU__EU_POOL_MAX);
    }
    set(m, NPU__EU_SET_DMA0_SIZE0, 3);
    set(m, NPU__EU_SET_DMA0_SIZE1, 2);
    set_wide(m, NPU__EU_SET_DMA0_SKIP0, 16);
    set_wide(m, NPU__EU_SET_DMA0_SKIP1, 64);
    for (uint32_t shape = 0; shape < 3; shape++) dma(m, table, 2 | shape << 9, 128, 48);
    set(m, NPU__EU_OP_KERNEL_WAIT, 0);
    set(m, NPU__EU_OP_IRQ, 1);
    set(m, NPU__EU_OP_PMU_MASK, 0);
}

static void make_two_cores(maker *m) {
    map in = make_map(0, 4, 4, 16, 1, 1, 0), out = make_map(4096, 4, 4, 33, 1, 1, 0);
    set_ifm(m, &in);
    set_ofm(m, &out, 16);
    set_kernel(m, 1, 1, 1, 1, 0, 0);
    set(m, NPU__EU_SET_PARALLEL_MODE, 1);
    set_weights(m, 0, 17, 24 * 32, CODE_GOLOMB);
    set_weights(m, 1, 16, 16 * 32, CODE_RAW);
    set(m, NPU__EU_OP_CONV, 0);
}

static void maker_payload(maker *m, uint32_t config) {
    uint32_t head[8] = {0x31504F43u, 0x00100001u, config, 0x10060000u, 5, 5, 5, 0};
    uint8_t *p = m->payload;
    set(m, NPU__EU_OP_STOP, 0xFFFF);
    head[7] = (uint32_t)m->n_words << 16 | 2;
    for (size_t i = 0; i < 8 + m->n_words; i++) {
        uint32_t w = i < 8 ? head[i] : m->words[i - 8];
        for (int b = 0; b < 4; b++) *p++ = (uint8_t)(w >> 8 * b);
    }
    m->n_payload = (size_t)(p - m->payload);
}

#define MAKER_KINDS 7

/* Stream `kind`; the same seed gives the same stream. */
static void maker_make(maker *m, int kind, uint64_t seed) {
    static const uint32_t configs[MAKER_KINDS] = {0x1807, 0x3008, 0x1006, 0x1005, 0x10003008, 0x1807, 0x10006009};
    memset(m, 0, sizeof *m);
    m->rng = seed;
    switch (kind) {
    case 0: make_conv(m); break;
    case 1: make_depthwise(m); break;
    case 2: make_upscaled(m); break;
    case 3: make_pool(m); break;
    case 4: make_elementwise(m); break;
    case 5: make_tables(m, 0x5800); break;
    default: make_two_cores(m); break;
    }
    maker_payload(m, configs[kind]);
}

#endif
