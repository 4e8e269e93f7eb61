/* The software device for Ethos-U55 and U65: every layer against plain loops, and what it refuses. */
#include "ethosu_unit.h"

static stream s; /* too large for a stack */
static bits   weights;

static const coding raw9 = {6, 7, 0, 1, 0, 9, 0, NULL};

/* ---- weight streams ---- */

static npu__eu_wstream opened(const bits *b) {
    npu__eu_wstream w;
    npu__eu_wstream_open(&w, b->p, (b->n + 7) / 8, NULL);
    return w;
}

/* Are the next `n` weights of the stream these? */
static int next_are(npu__eu_wstream *w, const int16_t *want, int n) {
    for (int at = 0; at < n;) {
        int            count = n - at < 1 + (int)(rnd() % 64) ? n - at : 1 + (int)(rnd() % 64);
        const int16_t *got;
        if (count > n - at) count = n - at;
        got = npu__eu_wstream_take(w, count);
        if (!got || memcmp(got, want + at, (size_t)count * sizeof *got)) return 0;
        at += count;
    }
    return 1;
}

/* A slice of random codes, all that the coding can express; what it decodes to. Returns how many weights. */
static int random_slice(bits *b, const coding *c, const coding *palette, int n, int16_t *want) {
    static int codes[4096], runs[4097];
    int        top = c->wdiv == 7 ? 1 << c->palette_bits : 511;
    int        largest = 511 + palette->palette_size - palette->direct_offset;
    int        n_want = 0, n_z = c->zdiv == 6 ? 0 : n + c->new_palette, z = 0;
    if (c->wdiv == 7 && palette->palette_size) top = palette->palette_size;
    if (c->trunc) top = 3 << c->wdiv < 511 ? 3 << c->wdiv : 511;
    if (top > largest) top = largest;
    if (top > 511) top = 511;
    for (int i = 0; i < n; i++) codes[i] = (int)(rnd() % (uint32_t)top) >> (int)(rnd() % 9);
    for (int i = 0; i < n_z; i++) runs[i] = rnd() % 3 ? (int)(rnd() % 4) : (int)(rnd() % 90);
    put_slice(b, c, codes, n, runs, n_z);
    for (int i = 0; i < n; i++) {
        int v = codes[i] - palette->palette_size + palette->direct_offset;
        for (int k = 0; c->zdiv != 6 && (i > 0 || c->new_palette) && k < runs[z]; k++) want[n_want++] = 0;
        z += c->zdiv != 6 && (i > 0 || c->new_palette);
        if (codes[i] < palette->palette_size) want[n_want++] = palette->palette[codes[i]];
        else want[n_want++] = (int16_t)(v & 1 ? -(v >> 1) : v >> 1);
    }
    for (int k = 0; c->zdiv != 6 && k < runs[z]; k++) want[n_want++] = 0;
    return n_want;
}

TEST(weights_of_every_coding) {
    static int16_t want[1 << 17];
    int16_t        palette[32];
    for (int i = 0; i < 32; i++) palette[i] = (int16_t)((i % 2 ? -5 : 7) * i);
    for (int zdiv = 0; zdiv <= 6; zdiv++) {
        if (zdiv > 3 && zdiv < 6) continue;
        for (int wdiv = 0; wdiv <= 7; wdiv++) {
            if (wdiv == 6) continue;
            for (int kind = 0; kind < 4; kind++) {
                coding          c = {zdiv, wdiv, kind == 1 && wdiv != 7, 1, 0, 9, 0, NULL}, again;
                npu__eu_wstream w;
                int             n = 0;
                weights.n = 0;
                if (kind >= 2) {
                    c.palette = palette;
                    c.palette_size = kind == 2 ? 32 : 5;
                    c.direct_offset = kind == 2 ? 0 : 3;
                }
                if (kind == 1 && wdiv == 7) c.palette_bits = 2 + (int)(rnd() % 7);
                n += random_slice(&weights, &c, &c, 1 + (int)(rnd() % 700), want);
                again = c;
                again.new_palette = 0; /* a slice that keeps the palette */
                n += random_slice(&weights, &again, &c, 1 + (int)(rnd() % 30), want + n);
                put_end(&weights);
                put_end(&weights); /* the stream goes on at a byte */
                n += random_slice(&weights, &raw9, &raw9, 40, want + n);
                put_end(&weights);
                w = opened(&weights);
                if (!CHECK(next_are(&w, want, n))) printf("    zdiv %d wdiv %d kind %d\n", zdiv, wdiv, kind);
                CHECK(npu__eu_wstream_take(&w, 1) == NULL); /* and there is no more */
            }
        }
    }
}

TEST(weights_cut_off) {
    static int16_t  want[4096];
    npu__eu_wstream w;
    coding          c = {1, 2, 0, 1, 0, 9, 0, NULL};
    int             n;
    weights.n = 0;
    n = random_slice(&weights, &c, &c, 200, want);
    for (size_t bytes = 0; bytes < weights.n / 8; bytes++) {
        int16_t const *got = want;
        int            left = n;
        npu__eu_wstream_open(&w, weights.p, bytes, NULL);
        for (; left >= 8 && got; left -= 8) got = npu__eu_wstream_take(&w, 8);
        CHECK(got == NULL);
    }
}

TEST(weights_malformed) {
    /* ZDIV 4, WDIV 6, a code above 511, a weight above 9 bits */
    static const int16_t far[1] = {0};
    int                  code = 505, big = 520;
    npu__eu_wstream      w;
    coding               c = {4, 0, 0, 1, 0, 9, 0, NULL};
    coding               large = {6, 5, 0, 1, 31, 9, 0, NULL}, huge = {6, 0, 0, 1, 0, 9, 0, NULL};
    weights.n = 0;
    put_slice(&weights, &c, &code, 1, NULL, 0);
    w = opened(&weights);
    CHECK(npu__eu_wstream_take(&w, 1) == NULL);
    c.zdiv = c.wdiv = 6;
    weights.n = 0;
    put_slice(&weights, &c, &code, 1, NULL, 0);
    w = opened(&weights);
    CHECK(npu__eu_wstream_take(&w, 1) == NULL);
    weights.n = 0;
    put_slice(&weights, &large, &code, 1, NULL, 0);
    w = opened(&weights);
    CHECK(npu__eu_wstream_take(&w, 1) == NULL);
    weights.n = 0;
    put_slice(&weights, &huge, &big, 1, NULL, 0);
    w = opened(&weights);
    CHECK(npu__eu_wstream_take(&w, 1) == NULL);
    /* noise ends: by an error, or when everything that was asked for is there */
    for (int i = 0; i < 3000; i++) {
        for (int k = 0; k < 200; k++) weights.p[k] = (uint8_t)rnd();
        npu__eu_wstream_open(&w, weights.p, 200, NULL);
        for (int k = 0; k < 1000 && npu__eu_wstream_take(&w, 64); k++) {}
    }
    CHECK(far[0] == 0);
}

static int16_t decoded[1 << 17];

TEST(weights_in_order) {
    for (int i = 0; i < 300; i++) {
        static const int blocks[] = {8, 16, 24, 32, 64, 128};
        int         cores = 1 + (int)(rnd() % 2), ublock = cores == 1 && rnd() % 2 ? 4 : 8, same = 1;
        shape       p = {rnd_in(1, 40), rnd_in(1, 10), rnd_in(1, 10), rnd_in(1, 40), 0, ublock, (int)(rnd() % 2), 0, 0,
                         rnd() % 4 ? 8 : 4, 1 + (int)(rnd() % 2), cores, 0};
        npu__eu_worder o;
        npu__eu_wplace to;
        int            kind = (int)(rnd() % 3), n = 0;
        p.block = blocks[rnd() % 6];
        p.part_kernel = kind == 1;
        p.depthwise = kind == 2;
        if (p.depthwise) p.ic = p.oc;
        if (p.oc * p.kh * p.kw * (p.depthwise ? 1 : p.ic) > 1 << 14) p.ic = p.depthwise ? p.ic : 3;
        n = p.oc * p.kh * p.kw * (p.depthwise ? 1 : p.ic);
        for (int k = 0; k < n; k++) all_weights[k] = (int16_t)rnd_in(-255, 255);
        memset(decoded, 0, sizeof decoded);
        for (p.core = 0; p.core < cores; p.core++) {
            npu__eu_wstream w;
            n = order_weights(&p, all_weights, NULL);
            if (n > 1 << 16) break;
            order_weights(&p, all_weights, ordered);
            weights.n = 0;
            put_raw(&weights, ordered, n, 0);
            w = opened(&weights);
            memset(&o, 0, sizeof o);
            o.ofm_depth = (p.oc + cores - 1 - p.core) / cores;
            o.ifm_depth = p.ic;
            o.kh = p.kh;
            o.kw = p.kw;
            o.ofm_block = p.block / cores;
            o.ofm_ublock = p.ublock;
            o.ifm_block = p.part_kernel || p.bits16 ? 16 : 32;
            o.sub_h = o.sub_w = p.sub / p.dilation;
            o.part_kernel = p.part_kernel;
            o.depthwise = p.depthwise;
            o.round = p.depthwise ? 4 : p.part_kernel ? (p.bits16 ? 2 : 4) : 1;
            CHECK_INT(npu__eu_weights_count(&o), n);
            for (int z = 0; z < o.ofm_depth; z += o.ofm_block) {
                to.dst = decoded;
                to.step_x = (size_t)p.ic;
                to.step_y = to.step_x * (size_t)p.kw;
                to.step_c = p.depthwise ? (size_t)p.oc : to.step_y * (size_t)p.kh;
                to.first = z * cores + p.core;
                to.stride = cores;
                CHECK(npu__eu_weights_block(&w, &o, z, &to));
            }
        }
        if (n > 1 << 16) continue;
        for (int oc = 0; oc < p.oc; oc++)
        for (int k = 0; k < p.kh * p.kw; k++)
        for (int ic = 0; ic < (p.depthwise ? 1 : p.ic); ic++) {
            int     at = p.depthwise ? (k / 2 * p.oc + oc) * 2 + k % 2 : (oc * p.kh * p.kw + k) * p.ic + ic;
            int16_t got = decoded[at];
            same &= got == weight_at(&p, all_weights, oc, k / p.kw, k % p.kw, ic);
        }
        CHECK(same);
    }
}

/* ---- rounding ---- */

TEST(roundings) {
    for (int i = 0; i < 200000; i++) {
        int32_t   v = (int32_t)(rnd() << 16 ^ rnd()) >> rnd() % 30, shift = rnd_in(8, 62), ahead = rnd() % 2 ? 20 : 15;
        uint32_t  m = 0x40000000u | (rnd() << 8 ^ rnd());
        npu__qmul q;
        int64_t   product, half, down;
        m &= 0x7FFFFFFFu;
        q.multiplier = (int32_t)m;
        q.shift = 31 - shift;
        /* TFLite's reference kernels shift left first: only where that loses nothing */
        if (q.shift >= -31 && (q.shift <= 0 || (v < 1 << (30 - q.shift) && v > -(1 << (30 - q.shift))))) {
            CHECK_INT(npu__eu_sat32(npu__eu_rescale(v, m, shift, NPU__EU_ROUNDING_TFL)), npu__qmul_apply(v, q));
        }
        product = (int64_t)v * m;
        half = (int64_t)1 << (shift - 1);
        down = product >> shift;
        down += (product & (2 * half - 1)) >= half;
        CHECK_INT(npu__eu_rescale(v, m, shift, NPU__EU_ROUNDING_NATURAL), down);
        CHECK_INT(npu__eu_rescale(v, m, shift, NPU__EU_ROUNDING_TRUNCATE), product / ((int64_t)1 << shift));
        CHECK_INT(npu__eu_rescale(v, m, 0, (int32_t)(rnd() % 3)), product);
        /* an operand of an addition: TFLite shifts it left by `ahead`, then scales */
        v = v % 512;
        if (ahead == 15) v *= 64;
        if (shift + ahead < 31 || shift + ahead > 62) continue;
        q.shift = 31 - ahead - shift;
        CHECK_INT(npu__eu_rescale_ahead(v, m, shift, NPU__EU_ROUNDING_TFL, ahead),
                  npu__rdbpot(npu__srdhm(v * (1 << ahead), (int32_t)m), shift + ahead - 31));
    }
    for (int n = 1; n <= 256 * 256; n += n < 300 ? 1 : 97) { /* averages: ties go away from zero */
        int32_t  shift;
        uint32_t scale = npu__eu_one_over(n, &shift);
        for (int i = 0; i < 40; i++) {
            int32_t v = i < 4 ? (i - 2) * n + n / 2 : rnd_in(-128, 127) * n + rnd_in(0, n), want;
            want = v < 0 ? -((-v * 2 + n) / (2 * n)) : (v * 2 + n) / (2 * n);
            CHECK_INT(npu__eu_rescale(v, scale, shift, NPU__EU_ROUNDING_NATURAL), want);
            CHECK_INT(npu__eu_rescale(v, scale, shift, NPU__EU_ROUNDING_TFL), want);
        }
    }
}

TEST(output_stage) {
    static uint8_t lut[NPU__EU_LUT_BYTES];
    npu__eu_out    o;
    int64_t        wide[5] = {-300, -1, 0, 90, 5000000000};
    int32_t        v[5], tanh[3] = {-40000, 0, 40000};
    int16_t        line[2] = {-100, 64};
    memset(&o, 0, sizeof o);
    for (int i = 0; i < 256; i++) lut[256 + i] = (uint8_t)(i ^ 0x55);
    o.lo = -128;
    o.hi = 100;
    o.zero = 20;
    wide[4] = 2000000000;
    npu__eu_out_plain(&o, 5, wide, v);
    CHECK(v[0] == -128 && v[1] == 19 && v[2] == 20 && v[3] == 100 && v[4] == 100);
    o.function = NPU__EU_ACTIVATION_LUT1;
    o.table = NPU__EU_TABLE_8;
    o.table_at = 256;
    o.table_signed = 1;
    o.lut = lut;
    npu__eu_out_plain(&o, 5, wide, v);
    CHECK(v[0] == (int8_t)0x55 && v[1] == (int8_t)(147 ^ 0x55) && v[4] == (int8_t)(228 ^ 0x55));
    o.table_signed = 0;
    o.lo = 0;
    npu__eu_out_plain(&o, 5, wide, v);
    CHECK(v[0] == 0x55 && v[1] == (19 ^ 0x55));
    o.table = NPU__EU_TABLE_8_TO_32;
    o.table_at = 0;
    memset(lut, 0xFF, 1024);
    memcpy(lut + 19 * 4, "\x01\x02\x03\x04", 4);
    npu__eu_out_plain(&o, 5, wide, v);
    CHECK(v[0] == -1 && v[1] == 0x04030201);
    o.table = NPU__EU_TABLE_16;
    o.zero = 0;
    o.lo = -32768;
    o.hi = 32767;
    memcpy(lut + (32768 / 128) * 4, line, 4);
    wide[0] = 127;
    npu__eu_out_plain(&o, 1, wide, v);
    CHECK_INT(v[0], -100 + (64 * 127 + 64) / 128);
    o.table = NPU__EU_TABLE_NONE;
    o.function = NPU__EU_ACTIVATION_TANH;
    npu__eu_activate(&o, 3, tanh);
    CHECK(tanh[0] < -32600 && tanh[1] == 0 && tanh[2] > 32600);
    tanh[1] = 0;
    o.function = NPU__EU_ACTIVATION_SIGMOID;
    npu__eu_activate(&o, 2, tanh);
    CHECK(tanh[0] < 3000 && tanh[1] == 16384);
    o.function = NPU__EU_ACTIVATION_CLAMP; /* 32 bits: no bounds, sums wrap */
    o.lo = INT32_MIN;
    o.hi = INT32_MAX;
    wide[0] = (int64_t)INT32_MAX + 1;
    npu__eu_out_plain(&o, 1, wide, v);
    CHECK_INT(v[0], INT32_MIN);
}

/* ---- feature maps ---- */

TEST(tiles_and_layouts) {
    static uint8_t memory[1 << 18];
    int32_t        in[12 * 40], out[12 * 40];
    for (int i = 0; i < 400; i++) {
        npu__eu_fm f;
        int64_t    lo = 1 << 20, hi = 0;
        npu__eu_span span;
        int        same = 1, c0, n_c, x0, n_x;
        memset(&f, 0, sizeof f);
        f.mem = memory;
        f.h = rnd_in(1, 9);
        f.w = rnd_in(1, 12);
        f.c = rnd_in(1, 40);
        f.h0 = rnd_in(1, 10);
        f.h1 = rnd_in(1, 10);
        f.w0 = rnd_in(1, 14);
        f.bytes = 1 << rnd() % 3;
        f.is_signed = (int32_t)(rnd() % 2);
        f.blocked = (int32_t)(rnd() % 2);
        f.step_x = f.blocked ? 16 * f.bytes : f.c * f.bytes + (int)(rnd() % 2) * f.bytes;
        f.step_c = f.step_x * f.w;
        f.step_y = f.blocked ? f.step_c * 3 : f.step_x * f.w;
        for (int t = 0; t < 4; t++) f.base[t] = t * 0x10000;
        if (!f.blocked && rnd() % 3 == 0) { /* upside down */
            f.step_y = -f.step_y;
            for (int t = 0; t < 4; t++) f.base[t] += 0x8000;
        }
        span = npu__eu_fm_span(&f);
        for (int y = 0; y < f.h; y++) {
            for (int x = 0; x < f.w; x++) {
                int     right = x >= f.w0, below = y >= (right ? f.h1 : f.h0);
                int64_t at = f.base[right + 2 * below] + (y - (below ? (right ? f.h1 : f.h0) : 0)) * f.step_y +
                             (x - (right ? f.w0 : 0)) * f.step_x;
                for (int c = 0; c < f.c; c++) {
                    int64_t e = at + (f.blocked ? c / 16 * f.step_c + c % 16 * f.bytes : c * f.bytes);
                    int32_t v = (int32_t)(rnd() << 16 ^ rnd());
                    memcpy(memory + e, &v, (size_t)f.bytes);
                    lo = e < lo ? e : lo;
                    hi = e + f.bytes > hi ? e + f.bytes : hi;
                    npu__eu_fm_load(&f, y, x, 1, c, 1, out);
                    if (f.bytes == 4) same &= out[0] == v;
                    if (f.bytes == 2) same &= out[0] == (f.is_signed ? (int16_t)v : (uint16_t)v);
                    if (f.bytes == 1) same &= out[0] == (f.is_signed ? (int8_t)v : (uint8_t)v);
                }
            }
        }
        CHECK(same);
        CHECK(!span.wrapped);
        CHECK_INT(span.first, lo);
        CHECK_INT(span.end, hi);
        x0 = rnd_in(0, f.w - 1);
        n_x = rnd_in(1, f.w - x0);
        c0 = rnd_in(0, f.c - 1);
        n_c = rnd_in(1, f.c - c0);
        for (int k = 0; k < n_x * n_c; k++) {
            in[k] = f.bytes > 1 ? rnd_in(0, 9999) : f.is_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
        }
        npu__eu_fm_store(&f, f.h - 1, x0, n_x, c0, n_c, in);
        npu__eu_fm_load(&f, f.h - 1, x0, n_x, c0, n_c, out);
        CHECK(memcmp(in, out, (size_t)(n_x * n_c) * sizeof *in) == 0);
        if (f.bytes == 1) {
            int16_t narrow[12 * 40];
            int32_t zero = f.is_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
            npu__eu_fm_load(&f, 0, x0, n_x, 0, f.c, out);
            npu__eu_fm_load16(&f, 0, x0, n_x, zero, narrow);
            for (int k = 0; k < n_x * f.c; k++) same &= narrow[k] == out[k] - zero;
            CHECK(same);
        }
    }
}

/* ---- DMA ---- */

TEST(copies) {
    begin(&s);
    for (size_t i = 0; i < sizeof s.flash; i++) s.flash[i] = (uint8_t)(i * 7 + i / 256);
    memset(s.sram, 0, sizeof s.sram);
    set_wide(&s, NPU__EU_SET_DMA0_SRC, 100);
    set_wide(&s, NPU__EU_SET_DMA0_DST, 1000);
    set_wide(&s, NPU__EU_SET_DMA0_LEN, 50);
    set(&s, NPU__EU_SET_DMA0_SRC_REGION, 0);
    set(&s, NPU__EU_SET_DMA0_DST_REGION, 1);
    set(&s, NPU__EU_OP_DMA_START, 0);
    set(&s, NPU__EU_SET_DMA0_SRC_REGION, 0 | NPU__EU_DMA_2D << 9); /* 4 rows with gaps of 6 become dense */
    set(&s, NPU__EU_SET_DMA0_SIZE0, 4);
    set_wide(&s, NPU__EU_SET_DMA0_SKIP0, 6);
    set_wide(&s, NPU__EU_SET_DMA0_DST, 2000);
    set(&s, NPU__EU_OP_DMA_START, 0);
    set(&s, NPU__EU_SET_DMA0_SRC_REGION, 0 | NPU__EU_DMA_3D << 9);
    set(&s, NPU__EU_SET_DMA0_DST_REGION, 1 | NPU__EU_DMA_2D << 9);
    set(&s, NPU__EU_SET_DMA0_SIZE1, 3);
    set_wide(&s, NPU__EU_SET_DMA0_SKIP1, ((uint64_t)1 << 40) - 20); /* planes overlap */
    set_wide(&s, NPU__EU_SET_DMA0_DST, 4000);
    set(&s, NPU__EU_OP_DMA_START, 0);
    CHECK_STR(end_and_run(&s), "");
    CHECK(memcmp(s.sram + 1000, s.flash + 100, 50) == 0 && s.sram[1050] == 0);
    for (int row = 0; row < 4; row++) CHECK(memcmp(s.sram + 2000 + row * 50, s.flash + 100 + row * 56, 50) == 0);
    CHECK(s.sram[2200] == 0);
    for (int plane = 0; plane < 3; plane++) {
        const uint8_t *to = s.sram + 4000 + plane * 4 * 56, *from = s.flash + 100 + plane * (4 * 56 - 20);
        for (int row = 0; row < 4; row++) CHECK(memcmp(to + row * 56, from + row * 56, 50) == 0);
    }
    CHECK(s.sram[4050] == 0);
}

/* A copy of 256 bytes into SHRAM, used as table by an addition of zero. */
TEST(tables_by_copy) {
    map in = {1, 4, 5, 6, 1, 1, 0, 0, 0x100}, out = {1, 4, 5, 6, 1, 1, 0, 0, 0x800};
    int same = 1;
    begin(&s);
    for (int i = 0; i < 4096; i++) s.flash[i] = (uint8_t)rnd();
    for (int i = 0; i < 4096; i++) s.sram[i] = (uint8_t)rnd();
    set_wide(&s, NPU__EU_SET_DMA0_SRC, 32);
    set_wide(&s, NPU__EU_SET_DMA0_DST, 24 * 1024 - 2048 + 3 * 256);
    set_wide(&s, NPU__EU_SET_DMA0_LEN, 256);
    set(&s, NPU__EU_SET_DMA0_DST_REGION, 0x103);
    set(&s, NPU__EU_OP_DMA_START, 0);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set(&s, NPU__EU_SET_ACTIVATION, NPU__EU_ACTIVATION_LUT3);
    set(&s, NPU__EU_SET_IFM2_PRECISION, 1);
    set(&s, NPU__EU_SET_IFM2_BROADCAST, 0x80);
    set_scale(&s, NPU__EU_SET_OPA_SCALE, 1, 0);
    set_scale(&s, NPU__EU_SET_OPB_SCALE, 1, 0);
    set(&s, NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_ADD);
    CHECK_STR(end_and_run(&s), "");
    for (int i = 0; i < 120; i++) same &= s.sram[0x800 + i] == s.flash[32 + (int8_t)s.sram[0x100 + i] + 128];
    CHECK(same);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(weights_of_every_coding);
    RUN(weights_cut_off);
    RUN(weights_malformed);
    RUN(weights_in_order);
    RUN(roundings);
    RUN(output_stage);
    RUN(tiles_and_layouts);
    RUN(copies);
    RUN(tables_by_copy);
    return REPORT();
}
