/* What tests of the software device are made of: an encoder of weight streams, written from the format and not from the
 * decoder; the order of weights; a writer of command streams. */
#ifndef TESTS_UNIT_ETHOSU_UNIT_H
#define TESTS_UNIT_ETHOSU_UNIT_H

#define NPU_RT_BACKEND_ALL
#define NPU__LAYERS (1 + 8) /* base, vendors' streams and devices */
#include "../../src/npu_rt.c"

#include "test.h"

static uint32_t seed = 1;
static uint32_t rnd(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
NPU__UNUSED static int32_t rnd_in(int32_t lo, int32_t hi) { return lo + (int32_t)(rnd() % (uint32_t)(hi - lo + 1)); }

/* ---- weight streams ---- */

typedef struct bits {
    uint8_t p[1 << 17];
    size_t  n;
} bits;

static void put(bits *b, uint32_t v, int n) {
    for (int i = 0; i < n; i++, b->n++) {
        if (b->n / 8 >= sizeof b->p) return; /* the test will notice */
        if (b->n % 8 == 0) b->p[b->n / 8] = 0;
        b->p[b->n / 8] = (uint8_t)(b->p[b->n / 8] | (v >> i & 1u) << b->n % 8);
    }
}
static void put_end(bits *b) {
    put(b, 7, 3);
    while (b->n % 8) put(b, 1, 1);
}

/* How a slice is coded. zdiv 6: no runs; wdiv 7: raw. */
typedef struct coding {
    int            zdiv, wdiv, trunc, new_palette, direct_offset, palette_bits, palette_size;
    const int16_t *palette; /* weights */
} coding;

static int code_of(int weight) { return weight < 0 ? -weight * 2 + 1 : weight * 2; }

/* Symbols of one sequence: unary parts, and where a code ends. */
typedef struct symbols {
    uint8_t v[1 << 17], ends[1 << 17];
    size_t  n, at;
} symbols;

static void symbol(symbols *s, int v, int ends) {
    s->v[s->n] = (uint8_t)v;
    s->ends[s->n++] = (uint8_t)ends;
}

/* Takes `n` symbols, zeros past the end; returns how many codes they end. Past the end each symbol ends one. */
static int take(symbols *s, int n, uint8_t *out) {
    int ended = 0;
    for (int i = 0; i < n; i++, s->at++) {
        int there = s->at < s->n;
        out[i] = there ? s->v[s->at] : 0;
        ended += there ? s->ends[s->at] : 1;
    }
    return ended;
}

/* A slice of `n` weights (codes are those of the coding) and n_z runs of zeros. */
static void put_slice(bits *b, const coding *c, const int *codes, int n, const int *runs, int n_z) {
    static symbols w, z;
    int raw_bits = c->palette_bits, wshift = c->wdiv;
    int w_pos = 0, z_pos = 0, w_rest = 0, z_rest = 0, w_last = 0, z_last = 0;
    if (c->palette_size) for (raw_bits = 0; 1 << raw_bits < c->palette_size; raw_bits++) {}
    if (c->wdiv == 7) wshift = raw_bits;
    put(b, (uint32_t)c->zdiv, 3);
    put(b, (uint32_t)n - 1, 15);
    put(b, (uint32_t)c->wdiv, 3);
    put(b, (uint32_t)c->trunc, 1);
    put(b, (uint32_t)c->new_palette, 1);
    if (c->new_palette) {
        put(b, (uint32_t)c->direct_offset, 5);
        put(b, (uint32_t)(c->palette_size ? c->palette_size - 1 : 0), 5);
        put(b, (uint32_t)c->palette_bits - 2, 3);
        for (int i = 0; i < c->palette_size; i++) put(b, (uint32_t)code_of(c->palette[i]), c->palette_bits);
    }
    w.n = w.at = z.n = z.at = 0;
    for (int i = 0; i < n; i++) {
        int q = c->wdiv == 7 ? 0 : codes[i] >> wshift;
        for (; q >= 2 && !c->trunc; q -= 2) symbol(&w, 2, 0);
        symbol(&w, q, 1);
    }
    for (int i = 0; i < n_z; i++) {
        for (int q = runs[i] >> c->zdiv; q > 0; q--) symbol(&z, 1, 0);
        symbol(&z, 0, 1);
    }
    for (;;) {
        int     ahead = c->zdiv == 6 ? 0 : w_pos - z_pos, w_new = 0, z_new = 0;
        int     size = c->wdiv == 7 && wshift > 5 ? 8 : 12, z_size = c->zdiv < 3 ? 12 : 8;
        int     has_w = ahead < 8 && w_pos < n, has_z = c->zdiv != 6 && ahead >= 0 && z_pos < n_z;
        uint8_t ws[12], zs[12];
        if (!has_w && !has_z && !w_last && !z_last) break;
        if (has_w) w_new = take(&w, size, ws);
        for (int i = 0; has_w && c->wdiv != 7 && i < 12; i++) put(b, ws[i] > 0, 1);
        if (has_z) z_new = take(&z, z_size, zs);
        for (int i = 0; has_z && i < z_size; i++) put(b, zs[i], 1);
        for (int i = 0; has_w && i < size; i++) if (ws[i]) put(b, ws[i] == 2, 1);
        for (; w_last > 0 && w_rest < n; w_last--, w_rest++) put(b, (uint32_t)codes[w_rest], wshift);
        for (; z_last > 0 && z_rest < n_z; z_last--, z_rest++) put(b, (uint32_t)runs[z_rest], c->zdiv);
        if (w_new > n - w_pos) w_new = n - w_pos;
        w_last = w_new;
        z_last = z_new;
        w_pos += w_new;
        z_pos += z_new;
    }
}

/* Weights as raw codes of 9 bits, in one slice or more; of 1 bit where each is 0 or `only`. */
static void put_raw(bits *b, const int16_t *w, int n, int16_t only) {
    static int codes[1 << 15];
    int16_t    two[2];
    coding     c = {6, 7, 0, 1, 0, 9, 0, NULL};
    two[0] = 0;
    two[1] = only;
    if (only) {
        c.palette = two;
        c.palette_size = 2;
    }
    for (int from = 0; from < n; from += 1 << 15) {
        int count = n - from < 1 << 15 ? n - from : 1 << 15;
        for (int i = 0; i < count; i++) codes[i] = only ? w[from + i] != 0 : code_of(w[from + i]);
        put_slice(b, &c, codes, count, NULL, 0);
    }
    put_end(b);
    while (b->n % 128) put(b, 255, 8);
}

/* ---- the order of weights ---- */

typedef struct shape {
    int oc, kh, kw, ic, block, ublock, bits16, part_kernel, depthwise, sub, dilation, cores, core;
} shape;

static int16_t weight_at(const shape *s, const int16_t *w, int oc, int ky, int kx, int ic) {
    return w[((oc * s->kh + ky) * s->kw + kx) * (s->depthwise ? 1 : s->ic) + ic];
}

static int least(int a, int b) { return a < b ? a : b; }

/* Weights [oc][ky][kx][ic] (depthwise: ic is 1) in the order in which the hardware of one core wants them; returns how
 * many. `out` NULL: only counts. */
static int order_weights(const shape *s, const int16_t *w, int16_t *out) {
    int n = 0, mine = (s->oc + s->cores - 1 - s->core) / s->cores;
    int block = (s->block + s->cores - 1 - s->core) / s->cores;
    int ic_block = s->part_kernel || s->bits16 ? 16 : 32, depth = s->depthwise ? 1 : s->ic, sub = s->sub / s->dilation;
    int round = s->depthwise ? 4 : s->part_kernel ? (s->bits16 ? 2 : 4) : 1;
    for (int bo = 0; bo < mine; bo += block)
    for (int bi = 0; bi < depth; bi += ic_block)
    for (int sy = 0; sy < s->kh; sy += sub)
    for (int sx = 0; sx < s->kw; sx += sub) {
        int h = least(sub, s->kh - sy), wide = least(sub, s->kw - sx), size = (h * wide + round - 1) / round * round;
        int outer = s->part_kernel ? least(ic_block, depth - bi) : 1;
        int inner = s->part_kernel || s->depthwise ? 1 : ic_block;
        for (int uo = 0; uo < outer; uo += 8)
        for (int bz = 0; bz < least(block, mine - bo); bz += s->ublock)
        for (int k = 0; k < size; k++)
        for (int ui = 0; ui < inner; ui += 8)
        for (int z = 0; z < s->ublock; z++)
        for (int i = 0; i < (s->depthwise ? 1 : 8); i++) {
            int o = bo + bz + z, ic = bi + uo + ui + i, there = o < mine && ic < depth && k < h * wide;
            if (out) {
                out[n] = there ? weight_at(s, w, o * s->cores + s->core, sy + k / wide, sx + k % wide, ic) : (int16_t)0;
            }
            n++;
        }
    }
    return n;
}

/* ---- command streams ---- */

typedef struct stream {
    uint32_t        w[4096];
    size_t          n;
    npu__eu_region  regions[8];
    npu__eu_error   err;
    uint8_t         flash[1 << 16], sram[1 << 17], work[1 << 21];
} stream;

/* An empty stream for U55-128, or for another config word; region 0 can be read and 1 written. */
static void begin_for(stream *s, uint32_t config) {
    s->n = 0;
    s->w[s->n++] = 0x31504F43u;
    s->w[s->n++] = 1;
    s->w[s->n++] = config;
    s->w[s->n++] = 0;
    while (s->n % 4 != 3) s->w[s->n++] = 5;
    s->w[s->n++] = 2;
    memset(s->regions, 0, sizeof s->regions);
    s->regions[0].base = s->flash;
    s->regions[0].bytes = sizeof s->flash;
    s->regions[1].base = s->sram;
    s->regions[1].bytes = sizeof s->sram;
    s->regions[1].writable = 1;
}
static void begin(stream *s) { begin_for(s, 0x1807); }

static void set(stream *s, int code, uint32_t v) { s->w[s->n++] = (uint32_t)code | v << 16; }
static void set_wide(stream *s, int code, uint64_t v) {
    s->w[s->n++] = (uint32_t)code | (uint32_t)(v >> 32 & 255u) << 16;
    s->w[s->n++] = (uint32_t)v;
}
NPU__UNUSED static void set_scale(stream *s, int code, uint32_t scale, uint32_t shift) {
    s->w[s->n++] = (uint32_t)code | shift << 16;
    s->w[s->n++] = scale;
}

/* A map of whole rows without gaps. NHCWB16 where `blocked`. which: 0 input, 0x80 second input, 0x10 output. */
typedef struct map {
    int region, h, w, c, bytes, is_signed, blocked, zero;
    int64_t at;
} map;

NPU__UNUSED static int64_t map_bytes(const map *m) {
    return (int64_t)m->h * m->w * (m->blocked ? (m->c + 15) / 16 * 16 : m->c) * m->bytes;
}

static void set_map(stream *s, int which, const map *m) {
    int     log2 = m->bytes == 4 ? 2 : m->bytes - 1, row = m->w * m->c * m->bytes, brick = 16 * m->bytes * m->w;
    int64_t y = m->blocked ? brick * ((m->c + 15) / 16) : row;
    int     bases = NPU__EU_SET_IFM_BASE0 + which, ofm = which == 0x10;
    set(s, NPU__EU_SET_IFM_REGION + which, (uint32_t)m->region);
    set(s, ofm ? NPU__EU_SET_OFM_PRECISION : NPU__EU_SET_IFM_PRECISION + which,
        (uint32_t)(m->is_signed | log2 << (ofm ? 1 : 2) | m->blocked << 6));
    set(s, ofm ? NPU__EU_SET_OFM_ZERO_POINT : NPU__EU_SET_IFM_ZERO_POINT + which, (uint32_t)m->zero & 0xFFFFu);
    set(s, NPU__EU_SET_IFM_WIDTH0_M1 + which, (uint32_t)m->w - 1);
    set(s, NPU__EU_SET_IFM_HEIGHT0_M1 + which, (uint32_t)m->h - 1);
    set(s, NPU__EU_SET_IFM_HEIGHT1_M1 + which, (uint32_t)m->h - 1);
    set_wide(s, bases, (uint64_t)m->at);
    for (int i = 1; i < 4; i++) set_wide(s, bases + i, 0);
    set_wide(s, bases + 4, (uint64_t)(m->blocked ? 16 * m->bytes : m->c * m->bytes));
    set_wide(s, bases + 5, (uint64_t)y);
    set_wide(s, bases + 6, (uint64_t)brick);
    if (which == 0) set(s, NPU__EU_SET_IFM_DEPTH_M1, (uint32_t)m->c - 1);
    if (!ofm) return;
    set(s, NPU__EU_SET_OFM_HEIGHT_M1, (uint32_t)m->h - 1);
    set(s, NPU__EU_SET_OFM_WIDTH_M1, (uint32_t)m->w - 1);
    set(s, NPU__EU_SET_OFM_DEPTH_M1, (uint32_t)m->c - 1);
}

typedef struct window {
    int kh, kw, stride_y, stride_x, dilation_y, dilation_x, pad[4], up; /* top, left, bottom, right */
} window;

NPU__UNUSED static void set_window(stream *s, const window *w, int part_kernel, int sub4) {
    set(s, NPU__EU_SET_KERNEL_HEIGHT_M1, (uint32_t)((w->kh - 1) * w->dilation_y));
    set(s, NPU__EU_SET_KERNEL_WIDTH_M1, (uint32_t)((w->kw - 1) * w->dilation_x));
    set(s, NPU__EU_SET_KERNEL_STRIDE,
        (uint32_t)(((w->stride_x - 1) & 1) | ((w->stride_y - 1) & 1) << 1 | part_kernel << 2 |
                   (w->dilation_x - 1) << 3 | (w->dilation_y - 1) << 4 | sub4 << 5 | (w->stride_x - 1) >> 1 << 6 |
                   (w->stride_y - 1) >> 1 << 9));
    set(s, NPU__EU_SET_IFM_PAD_TOP, (uint32_t)w->pad[0]);
    set(s, NPU__EU_SET_IFM_PAD_LEFT, (uint32_t)w->pad[1]);
    set(s, NPU__EU_SET_IFM_PAD_BOTTOM, (uint32_t)w->pad[2]);
    set(s, NPU__EU_SET_IFM_PAD_RIGHT, (uint32_t)w->pad[3]);
    set(s, NPU__EU_SET_IFM_UPSCALE, (uint32_t)w->up);
}

/* ---- convolutions ---- */

static bits    packed;
static int16_t all_weights[1 << 16], ordered[1 << 19];

typedef struct scales {
    int64_t  bias[200];
    uint32_t m[200];
    int      shift[200];
} scales;

/* Writes weight streams and scales of each core into region 0 and sets their registers. */
NPU__UNUSED static void set_weights(stream *s, const shape *p, const scales *k, int16_t only) {
    static const int base[2] = {NPU__EU_SET_WEIGHT_BASE, NPU__EU_SET_WEIGHT1_BASE};
    static const int scale_base[2] = {NPU__EU_SET_SCALE_BASE, NPU__EU_SET_SCALE1_BASE};
    size_t           at = 16;
    shape            mine = *p;
    for (mine.core = 0; mine.core < p->cores; mine.core++) {
        int n = order_weights(&mine, all_weights, ordered), count = 0;
        packed.n = 0;
        put_raw(&packed, ordered, n, only);
        memcpy(s->flash + at, packed.p, packed.n / 8);
        set_wide(s, base[mine.core], at);
        set_wide(s, base[mine.core] + 1, packed.n / 8);
        at += packed.n / 8;
        set_wide(s, scale_base[mine.core], at);
        for (int c = mine.core; c < p->oc; c += p->cores, count++) {
            uint64_t bias = (uint64_t)k->bias[c];
            uint32_t m = k->m[c];
            for (int i = 0; i < 5; i++, bias >>= 8) s->flash[at + (size_t)i] = (uint8_t)bias;
            for (int i = 5; i < 9; i++, m >>= 8) s->flash[at + (size_t)i] = (uint8_t)m;
            s->flash[at + 9] = (uint8_t)k->shift[c];
            at += 10;
        }
        set_wide(s, scale_base[mine.core] + 1, (uint64_t)count * 10);
        at = (at + 15) / 16 * 16;
    }
    set(s, NPU__EU_SET_WEIGHT_REGION, 0);
    set(s, NPU__EU_SET_SCALE_REGION, 0);
    set(s, NPU__EU_SET_PARALLEL_MODE, (uint32_t)p->cores - 1);
    set(s, NPU__EU_SET_OFM_BLK_DEPTH_M1, (uint32_t)p->block - 1);
}

/* Bounds of the output: all of its type. */
static void set_open_clamp(stream *s, const map *m) {
    int32_t lo = !m->is_signed ? 0 : m->bytes == 1 ? -128 : -32768, hi = m->bytes == 1 ? 127 : 32767;
    if (!m->is_signed) hi = hi * 2 + 1;
    set(s, NPU__EU_SET_ACTIVATION, 0);
    set(s, NPU__EU_SET_ACTIVATION_MIN, (uint32_t)lo & 0xFFFFu);
    set(s, NPU__EU_SET_ACTIVATION_MAX, (uint32_t)hi & 0xFFFFu);
}

/* Element of a map in memory. */
static uint8_t *map_at(stream *s, const map *m, int y, int x, int c) {
    int64_t brick = 16 * m->bytes * m->w, at = m->at;
    if (m->blocked) at += (c / 16) * brick + y * brick * ((m->c + 15) / 16) + x * 16 * m->bytes + c % 16 * m->bytes;
    else at += ((y * m->w + x) * m->c + c) * m->bytes;
    return s->regions[m->region].base + at;
}
NPU__UNUSED static int32_t map_get(stream *s, const map *m, int y, int x, int c) {
    const uint8_t *p = map_at(s, m, y, x, c);
    int32_t        v = 0;
    memcpy(&v, p, (size_t)m->bytes);
    if (m->bytes == 1) return m->is_signed ? (int8_t)v : (uint8_t)v;
    if (m->bytes == 2) return m->is_signed ? (int16_t)v : (uint16_t)v;
    return v;
}

/* Ends the stream and runs it: the rule that refused it, or "". A check must say the same, unless weights are bad. */
NPU__UNUSED static const char *end_and_run(stream *s) {
    npu__eu_payload p;
    npu__eu_need    need;
    npu_status      checked, ran;
    set(s, NPU__EU_OP_STOP, 0xFFFF);
    s->w[7] |= (uint32_t)(s->n - 8) << 16;
    if (npu__eu_payload_parse(&p, s->w, s->n * 4, &s->err) != NPU_OK) return s->err.rule;
    for (int i = 0; i < 8; i++) s->regions[i].base = NULL;
    checked = npu__eu_check(&p, s->regions, &need, &s->err);
    s->regions[0].base = s->flash;
    s->regions[1].base = s->sram;
    s->regions[2].base = s->sram + sizeof s->sram / 2;
    if (checked != NPU_OK) {
        const char *rule = s->err.rule;
        ran = npu__eu_run(&p, s->regions, s->work, sizeof s->work, NULL, &s->err);
        if (checked == NPU_LIMIT && strcmp(s->err.rule, "ethos_u.work") == 0) return rule; /* that comes first */
        return ran == checked && strcmp(rule, s->err.rule) == 0 ? rule : "check and run differ";
    }
    if (need.work_bytes > sizeof s->work) return "too much work";
    if (need.work_bytes > NPU__EU_LUT_BYTES + 31) { /* one byte less than what is needed, not counting what aligns it */
        if (npu__eu_run(&p, s->regions, s->work + (16 - (uintptr_t)s->work % 16) % 16, need.work_bytes - 16, NULL,
                        &s->err) == NPU_OK) {
            return "runs with less memory than it asks for";
        }
    }
    for (int i = 0; i < 2; i++) { /* at any alignment */
        if (npu__eu_run(&p, s->regions, s->work + i, need.work_bytes, NULL, &s->err) != NPU_OK) return s->err.rule;
    }
    return "";
}

#endif
