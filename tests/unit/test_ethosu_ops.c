/* Operations of the software device against plain loops, over whole streams. */
#include "ethosu_unit.h"

static stream  s; /* too large for a stack */

static int64_t scaled(int64_t v, uint32_t m, int shift, int rounding) {
    int64_t p = v * m, half = shift ? (int64_t)1 << (shift - 1) : 0;
    if (rounding == NPU__EU_ROUNDING_NATURAL) return (p + half) >> shift;
    if (rounding == NPU__EU_ROUNDING_TRUNCATE) return p / ((int64_t)1 << shift);
    if (shift <= 31) return (p + half) >> shift;
    p = (p + (1 << 30)) >> 31; /* twice: then half away from zero */
    half = (int64_t)1 << (shift - 32);
    return p < 0 ? -((-p + half) >> (shift - 31)) : (p + half) >> (shift - 31);
}

static int32_t clamped(int64_t v, const map *m) {
    int64_t lo = m->bytes == 4 ? INT32_MIN : m->is_signed ? (m->bytes == 1 ? -128 : -32768) : 0;
    int64_t hi = m->bytes == 4 ? INT32_MAX : (m->bytes == 1 ? 255 : 65535) + lo;
    return (int32_t)(v < lo ? lo : v > hi ? hi : v);
}

static map random_map(int region, int64_t at, int h, int w, int c, int bytes) {
    map m = {region, h, w, c, bytes, 1, 0, 0, 0};
    m.at = at;
    m.blocked = (int)(rnd() % 2);
    if (bytes == 1) m.is_signed = (int)(rnd() % 2);
    if (bytes == 1) m.zero = m.is_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
    return m;
}

static void random_bytes(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)rnd();
}

/* ---- windows ---- */

/* A random window whose output of h x w needs an input of *in_h x *in_w (after upscaling). False: try again. */
static int random_window(window *w, int h, int wide, int largest, int dilate, int *in_h, int *in_w) {
    int span_h, span_w;
    w->kh = rnd_in(1, largest);
    w->kw = rnd_in(1, largest);
    w->dilation_y = dilate ? rnd_in(1, 2) : 1;
    w->dilation_x = dilate ? rnd_in(1, 2) : 1;
    w->stride_y = rnd_in(1, 3);
    w->stride_x = rnd_in(1, 3);
    span_h = (w->kh - 1) * w->dilation_y + 1;
    span_w = (w->kw - 1) * w->dilation_x + 1;
    w->pad[0] = rnd_in(0, span_h - 1);
    w->pad[1] = rnd_in(0, span_w - 1);
    w->pad[2] = rnd_in(0, span_h - 1);
    w->pad[3] = rnd_in(0, span_w - 1);
    if (rnd() % 2) memset(w->pad, 0, sizeof w->pad);
    *in_h = (h - 1) * w->stride_y + span_h - w->pad[0] - w->pad[2];
    *in_w = (wide - 1) * w->stride_x + span_w - w->pad[1] - w->pad[3];
    return *in_h > 0 && *in_w > 0;
}

/* Element of the upscaled input less its zero point; *there is false for padding. */
static int32_t input_at(const map *m, const window *w, int in_h, int in_w, int y, int x, int c, int *there) {
    *there = y >= 0 && x >= 0 && y < in_h && x < in_w;
    if (!*there || (w->up == 2 && (y % 2 || x % 2))) return 0;
    return map_get(&s, m, w->up ? y / 2 : y, w->up ? x / 2 : x, c) - m->zero;
}

/* ---- convolutions ---- */

static int64_t sum_at(const map *in, const window *w, const shape *p, int in_h, int in_w, int y, int x, int c) {
    int64_t sum = 0;
    int     there;
    for (int ky = 0; ky < w->kh; ky++)
    for (int kx = 0; kx < w->kw; kx++)
    for (int i = 0; i < (p->depthwise ? 1 : p->ic); i++) {
        int iy = y * w->stride_y - w->pad[0] + ky * w->dilation_y;
        int ix = x * w->stride_x - w->pad[1] + kx * w->dilation_x;
        sum += (int64_t)input_at(in, w, in_h, in_w, iy, ix, p->depthwise ? c : i, &there) *
               weight_at(p, all_weights, c, ky, kx, i);
    }
    return sum;
}

/* One random convolution; false when it would be too large. */
static int random_convolution(int depthwise) {
    static const int blocks[] = {8, 16, 32, 64};
    window w;
    scales k;
    shape  p;
    map    in, out;
    int    in_h, in_w, bits16 = rnd() % 3 == 0, cores = 1 + (int)(rnd() % 2), small = cores == 1 && rnd() % 2, same = 1;
    int    rounding = (int)(rnd() % 3), h = rnd_in(1, 9), wide = rnd_in(1, 40), n;
    if (!random_window(&w, h, wide, rnd() % 4 ? 3 : 11, 1, &in_h, &in_w)) return 0;
    w.up = rnd() % 3 ? 0 : rnd_in(1, 2);
    memset(&p, 0, sizeof p);
    p.oc = rnd_in(1, 70);
    p.ic = depthwise ? p.oc : rnd_in(1, 40);
    p.kh = w.kh;
    p.kw = w.kw;
    p.block = blocks[rnd() % 4];
    p.ublock = small ? 4 : 8;
    p.bits16 = bits16;
    p.part_kernel = !depthwise && rnd() % 2;
    p.depthwise = depthwise;
    p.sub = rnd() % 4 ? 8 : 4;
    p.cores = cores;
    p.dilation = w.dilation_y; /* the order tells them apart by y and x; here both are alike or kernels are small */
    if (w.dilation_x != w.dilation_y && (w.kh > p.sub / 2 || w.kw > p.sub / 2)) return 0;
    n = p.oc * p.kh * p.kw * (depthwise ? 1 : p.ic);
    if (n > 1 << 14 || n * h * wide > 1 << 20) return 0;
    in = random_map(1, 0, w.up ? (in_h + 1) / 2 : in_h, w.up ? (in_w + 1) / 2 : in_w, p.ic, bits16 ? 2 : 1);
    out = random_map(1, (map_bytes(&in) + 15) / 16 * 16, h, wide, p.oc, rnd() % 4 == 0 ? 4 : 1 + (int)(rnd() % 2));
    if (out.at + map_bytes(&out) > (int64_t)sizeof s.sram) return 0;
    for (int i = 0; i < n; i++) all_weights[i] = (int16_t)rnd_in(-255, 255);
    for (int c = 0; c < p.oc; c++) {
        k.bias[c] = rnd_in(-100000, 100000);
        k.m[c] = bits16 ? (uint32_t)rnd_in(16384, 32767) : 0x40000000u + (rnd() << 5);
        k.shift[c] = (bits16 ? 14 : 30) + rnd_in(4, 12);
    }
    begin_for(&s, small ? 0x1005 : cores == 2 ? 0x10006009 : 0x3008);
    random_bytes(s.sram, sizeof s.sram);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set(&s, NPU__EU_SET_OFM_PRECISION,
        (uint32_t)(out.is_signed | (out.bytes == 4 ? 2 : out.bytes - 1) << 1 | out.blocked << 6 | rounding << 14));
    set_open_clamp(&s, &out);
    set_window(&s, &w, p.part_kernel, p.sub == 4);
    set_weights(&s, &p, &k, 0);
    set(&s, NPU__EU_SET_ACC_FORMAT, (uint32_t)bits16);
    set(&s, depthwise ? NPU__EU_OP_DEPTHWISE : NPU__EU_OP_CONV, 0);
    if (!CHECK_STR(end_and_run(&s), "")) printf("    %s\n", s.err.text);
    for (int y = 0; y < h; y++)
    for (int x = 0; x < wide; x++)
    for (int c = 0; c < p.oc; c++) {
        int64_t v = scaled(sum_at(&in, &w, &p, in_h, in_w, y, x, c) + k.bias[c], k.m[c], k.shift[c], rounding);
        same &= map_get(&s, &out, y, x, c) == clamped(v + (out.bytes == 4 ? 0 : out.zero), &out);
    }
    if (!CHECK(same)) {
        printf("    %dx%dx%d (%d bits) kernel %dx%d stride %d %d dilation %d %d up %d part %d cores %d block %d\n",
               in.h, in.w, in.c, in.bytes * 8, w.kh, w.kw, w.stride_y, w.stride_x, w.dilation_y, w.dilation_x, w.up,
               p.part_kernel, cores, p.block);
    }
    return 1;
}

TEST(convolutions) {
    for (int done = 0; done < 120;) done += random_convolution(0);
}
TEST(depthwise_convolutions) {
    for (int done = 0; done < 120;) done += random_convolution(1);
}

/* Sums beyond 32 bits: 16-bit extremes over many channels, and more products of 8 bits than a narrow sum may have. */
TEST(wide_sums) {
    for (int bits16 = 0; bits16 < 2; bits16++) {
        window w = {1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
        scales k;
        shape  p = {bits16 ? 2 : 1, 1, 1, bits16 ? 2000 : 33000, 8, 8, bits16, 0, 0, 8, 1, 1, 0};
        map    in = {1, 1, 1, p.ic, bits16 + 1, 1, 0, 0, 0}, out = {1, 1, 1, p.oc, 4, 1, 0, 0, 0x1F000};
        for (int i = 0; i < p.oc * p.ic; i++) all_weights[i] = (int16_t)(i < p.ic ? 255 : -255);
        if (bits16) for (int i = 0; i < p.ic; i++) memcpy(s.sram + 2 * i, "\x00\x80", 2);
        else memset(s.sram, 0x80, (size_t)p.ic);
        in.zero = bits16 ? 0 : 127;
        k.bias[0] = k.bias[1] = bits16 ? -((int64_t)1 << 35) : 5;
        k.m[0] = k.m[1] = bits16 ? 32767 : 1u << 30;
        k.shift[0] = k.shift[1] = bits16 ? 24 : 31;
        begin(&s);
        set_map(&s, 0, &in);
        set_map(&s, 0x10, &out);
        set(&s, NPU__EU_SET_OFM_PRECISION, (uint32_t)(1 | 2 << 1 | NPU__EU_ROUNDING_NATURAL << 14));
        set_window(&s, &w, 0, 0);
        set_weights(&s, &p, &k, (int16_t)(bits16 ? 0 : 255));
        set(&s, NPU__EU_OP_CONV, 0);
        if (!CHECK_STR(end_and_run(&s), "")) printf("    %s\n", s.err.text);
        for (int c = 0; c < p.oc; c++) {
            int64_t sum = (int64_t)(bits16 ? -32768 : -255) * p.ic * (c ? -255 : 255) + k.bias[c];
            sum = scaled(sum, k.m[c], k.shift[c], NPU__EU_ROUNDING_NATURAL);
            CHECK_INT(map_get(&s, &out, 0, 0, c), clamped(sum, &out));
        }
    }
}

/* ---- pooling ---- */

static int random_pool(int mode) {
    window   w;
    int      in_h, in_w, same = 1, padded, shift = rnd_in(30, 40), rounding = rnd() % 2 ? NPU__EU_ROUNDING_NATURAL : 0;
    int      h = rnd_in(1, 8), wide = rnd_in(1, 12), depth = rnd_in(1, 150), bytes = 1 + (int)(rnd() % 2);
    uint32_t m = 0x40000000u + (rnd() << 6);
    int      is_global = mode == NPU__EU_POOL_AVERAGE && rnd() % 2;
    map      in, out;
    if (!random_window(&w, h, wide, 4, 0, &in_h, &in_w)) return 0;
    w.up = rnd() % 3 == 0;
    padded = w.pad[0] + w.pad[1] + w.pad[2] + w.pad[3] > 0;
    in = random_map(1, 0, w.up ? (in_h + 1) / 2 : in_h, w.up ? (in_w + 1) / 2 : in_w, depth, bytes);
    out = random_map(1, (map_bytes(&in) + 15) / 16 * 16, h, wide, depth, bytes);
    if (out.at + map_bytes(&out) > (int64_t)sizeof s.sram) return 0;
    begin(&s);
    random_bytes(s.sram, sizeof s.sram);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set(&s, NPU__EU_SET_OFM_PRECISION,
        (uint32_t)(out.is_signed | (out.bytes - 1) << 1 | out.blocked << 6 | is_global << 8 | rounding << 14));
    set_open_clamp(&s, &out);
    set_window(&s, &w, 0, 0);
    set_scale(&s, NPU__EU_SET_OFM_SCALE, m, (uint32_t)shift);
    set(&s, NPU__EU_OP_POOL, (uint32_t)mode);
    if (!CHECK_STR(end_and_run(&s), "")) printf("    %s\n", s.err.text);
    for (int y = 0; y < h; y++)
    for (int x = 0; x < wide; x++)
    for (int c = 0; c < depth; c++) {
        int64_t sum = 0, top = INT32_MIN;
        int     count = 0, there;
        for (int ky = 0; ky < w.kh; ky++)
        for (int kx = 0; kx < w.kw; kx++) {
            int     iy = y * w.stride_y - w.pad[0] + ky, ix = x * w.stride_x - w.pad[1] + kx;
            int32_t v = input_at(&in, &w, in_h, in_w, iy, ix, c, &there);
            if (!there) continue;
            count++;
            sum += v;
            top = v > top ? v : top;
        }
        if (mode == NPU__EU_POOL_MAX) sum = count ? top : 0;
        else if (is_global && !padded) sum = scaled(sum, m, shift, rounding);
        else if (count) sum = sum < 0 ? -((-sum * 2 + count) / (2 * count)) : (sum * 2 + count) / (2 * count);
        same &= map_get(&s, &out, y, x, c) == clamped(sum + out.zero, &out);
    }
    CHECK(same);
    return 1;
}

TEST(pooling) {
    for (int done = 0; done < 150;) done += random_pool(NPU__EU_POOL_MAX);
    for (int done = 0; done < 200;) done += random_pool(NPU__EU_POOL_AVERAGE);
}

TEST(sums_of_channels) {
    for (int i = 0; i < 60; i++) {
        static const int sizes[] = {1, 2, 4};
        window w = {1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
        int    depth = i % 10 == 0 ? 1100 : rnd_in(1, 60);
        map    in = random_map(1, 0, rnd_in(1, 4), rnd_in(1, 6), depth, sizes[rnd() % 3]), out;
        int    shift = rnd_in(28, 36), same = 1;
        out = random_map(1, (map_bytes(&in) + 15) / 16 * 16, in.h, in.w, 1, 4);
        if (out.at + map_bytes(&out) > (int64_t)sizeof s.sram) continue;
        begin(&s);
        random_bytes(s.sram, sizeof s.sram);
        for (int k = 0; in.bytes == 4 && k < map_bytes(&in); k += 4) s.sram[k + 3] = s.sram[k + 2] & 128 ? 255 : 0;
        set_map(&s, 0, &in);
        set_map(&s, 0x10, &out);
        set(&s, NPU__EU_SET_OFM_PRECISION, (uint32_t)(1 | 2 << 1 | out.blocked << 6 | 1 << 8));
        set_window(&s, &w, 0, 0);
        set_scale(&s, NPU__EU_SET_OFM_SCALE, 1u << 30, (uint32_t)shift);
        set(&s, NPU__EU_SET_ACC_FORMAT, 1);
        set(&s, NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM);
        CHECK_STR(end_and_run(&s), "");
        for (int y = 0; y < in.h; y++)
        for (int x = 0; x < in.w; x++) {
            int64_t sum = 0;
            for (int c = 0; c < in.c; c++) sum += map_get(&s, &in, y, x, c) - in.zero;
            same &= map_get(&s, &out, y, x, 0) == clamped(scaled(sum, 1u << 30, shift, 0), &out);
        }
        CHECK(same);
    }
}

/* ---- elementwise ---- */

static int64_t combined(int mode, int64_t a, int64_t b, int rounding) {
    int n = 0;
    switch (mode) {
    case NPU__EU_ELEMENT_MUL: return a * b;
    case NPU__EU_ELEMENT_ADD: return a + b;
    case NPU__EU_ELEMENT_SUB: return a - b;
    case NPU__EU_ELEMENT_MIN: return a < b ? a : b;
    case NPU__EU_ELEMENT_MAX: return a > b ? a : b;
    case NPU__EU_ELEMENT_ABS: return a < 0 ? -a : a;
    case NPU__EU_ELEMENT_LRELU: return a; /* the caller scales */
    case NPU__EU_ELEMENT_CLZ: for (; n < 32 && !((uint32_t)a >> (31 - n) & 1u); n++) {} return n;
    case NPU__EU_ELEMENT_SHR: return scaled(a, 1, (int)b, rounding);
    default: return (int32_t)((uint32_t)a << b);
    }
}

static void element_case(int mode, int bytes) {
    map in = random_map(1, 0, rnd_in(1, 6), rnd_in(1, 20), rnd() % 9 ? rnd_in(1, 50) : 1500, bytes), in2 = in, out = in;
    int rounding = (int)(rnd() % 3), is_global = mode <= NPU__EU_ELEMENT_SUB || mode == NPU__EU_ELEMENT_ABS;
    int broadcast = (int)(rnd() % 8), swap = (int)(rnd() % 2), scalar = bytes < 4 && rnd() % 4 == 0;
    int scalar_value, shift, same = 1;
    if (map_bytes(&in) > 30000) in.h = in2.h = out.h = in.w = in2.w = out.w = 1;
    if (map_bytes(&in) > 30000) return;
    out.at = in2.at = 0x8000;
    out.at = rnd() % 2 ? 0 : 0x10000; /* in place, or not */
    if (out.at) out.blocked ^= 1;
    if (out.at && map_bytes(&out) > 0x10000) return;
    in2.blocked = (int)(rnd() % 2);
    if (bytes == 1) in2.zero = rnd_in(0, 127);
    if (broadcast & 1) in2.h = 1;
    if (broadcast & 2) in2.w = 1;
    if (broadcast & 4) in2.c = 1;
    if (bytes == 4) out.zero = 0;
    scalar_value = bytes == 1 ? rnd_in(0, 127) : rnd_in(-32768, 32767);
    shift = bytes == 4 ? 0 : mode == NPU__EU_ELEMENT_MUL ? rnd_in(32, 45) : rnd_in(30, 33);
    begin(&s);
    random_bytes(s.sram, sizeof s.sram);
    if (mode >= NPU__EU_ELEMENT_SHR) { /* shifts are small */
        scalar = swap = 0;
        in2.bytes = 4;
        in2.is_signed = 1;
        in2.zero = 0;
        if (map_bytes(&in2) > 0x8000) return;
        memset(s.sram + 0x8000, 0, 0x8000);
        for (int i = 0; i < 0x8000; i += 4) s.sram[0x8000 + i] = (uint8_t)(rnd() % 31);
    }
    set_map(&s, 0, &in);
    set_map(&s, 0x80, &in2);
    set_map(&s, 0x10, &out);
    set(&s, NPU__EU_SET_OFM_PRECISION, (uint32_t)(out.is_signed | (bytes == 4 ? 2 : bytes - 1) << 1 | out.blocked << 6 |
                                                  is_global << 8 | rounding << 14));
    set_open_clamp(&s, &out);
    set(&s, NPU__EU_SET_IFM2_BROADCAST, (uint32_t)(broadcast | swap << 6 | scalar << 7));
    set(&s, NPU__EU_SET_IFM2_SCALAR, (uint32_t)scalar_value & 0xFFFFu);
    set_scale(&s, NPU__EU_SET_OPA_SCALE, 1, 0);
    set_scale(&s, NPU__EU_SET_OPB_SCALE, 1, 0);
    set_scale(&s, NPU__EU_SET_OFM_SCALE, bytes == 4 ? 1 : 1u << 30, (uint32_t)shift);
    {
        static uint8_t before[sizeof s.sram];
        memcpy(before, s.sram, sizeof before);
        set(&s, NPU__EU_OP_ELEMENTWISE, (uint32_t)mode);
        set(&s, NPU__EU_OP_STOP, 0xFFFF);
        s.w[7] |= (uint32_t)(s.n - 8) << 16;
        {
            npu__eu_payload p;
            CHECK(npu__eu_payload_parse(&p, s.w, s.n * 4, &s.err) == NPU_OK);
            CHECK(npu__eu_run(&p, s.regions, s.work, sizeof s.work, NULL, &s.err) == NPU_OK);
        }
        for (int y = 0; y < out.h; y++)
        for (int x = 0; x < out.w; x++)
        for (int c = 0; c < out.c; c++) {
            int64_t a, b, v;
            int32_t got = map_get(&s, &out, y, x, c);
            s.regions[1].base = before;
            a = map_get(&s, &in, y, x, c) - in.zero;
            b = map_get(&s, &in2, broadcast & 1 ? 0 : y, broadcast & 2 ? 0 : x, broadcast & 4 ? 0 : c);
            b = (scalar ? scalar_value : b) - in2.zero;
            s.regions[1].base = s.sram;
            v = swap ? combined(mode, b, a, rounding) : combined(mode, a, b, rounding);
            if (mode == NPU__EU_ELEMENT_ABS || mode == NPU__EU_ELEMENT_CLZ) v = combined(mode, a, 0, rounding);
            if (mode == NPU__EU_ELEMENT_LRELU) v = a < 0 ? scaled(a, bytes == 4 ? 1 : 1u << 30, shift, rounding) : a;
            else if (is_global && bytes < 4) v = scaled(v, 1u << 30, shift, rounding);
            if (is_global && bytes == 4) v = v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
            same &= bytes == 4 ? got == (int32_t)(uint32_t)(uint64_t)v : got == clamped(v + out.zero, &out);
        }
    }
    if (!CHECK(same)) printf("    mode %d bytes %d rounding %d\n", mode, bytes, rounding);
}

TEST(elementwise) {
    for (int mode = 0; mode <= NPU__EU_ELEMENT_SHL; mode++) {
        for (int i = 0; i < 60; i++) {
            int bytes = i % 3 == 2 ? 4 : i % 3 + 1;
            if (mode >= NPU__EU_ELEMENT_CLZ) bytes = 4;
            element_case(mode, bytes);
        }
    }
}

/* The additions of TFLite: one operand scaled to the other's scale, both shifted left before. */
TEST(scaled_operands) {
    for (int i = 0; i < 100; i++) {
        int       bytes = 1 + i % 2, left = bytes == 1 ? 20 : 15, second = (int)(rnd() % 2), same = 1;
        map       a = {1, 1, 8, 30, bytes, 1, 0, 0, 0}, b = a, out = a;
        npu__qmul q, qo;
        if (bytes == 1) a.zero = rnd_in(-128, 127), b.zero = rnd_in(-128, 127);
        b.at = 0x1000;
        out.at = 0x2000;
        q = npu__qmul_of((double)rnd_in(1, 1000) / 1001 / 2);
        qo = npu__qmul_of((double)rnd_in(500, 4000) / 1000 / (1 << (left - 1)));
        begin(&s);
        random_bytes(s.sram, sizeof s.sram);
        set_map(&s, 0, &a);
        set_map(&s, 0x80, &b);
        set_map(&s, 0x10, &out);
        set(&s, NPU__EU_SET_IFM_PRECISION, (uint32_t)(1 | (bytes - 1) << 2 | (second + 1) << 8));
        set(&s, NPU__EU_SET_OFM_PRECISION, (uint32_t)(1 | (bytes - 1) << 1 | 1 << 8));
        set_open_clamp(&s, &out);
        set_scale(&s, NPU__EU_SET_OPA_SCALE, (uint32_t)q.multiplier, (uint32_t)(31 - left - q.shift));
        set_scale(&s, NPU__EU_SET_OFM_SCALE, (uint32_t)qo.multiplier, (uint32_t)(31 - qo.shift));
        if (31 - left - q.shift < 0) continue;
        set(&s, NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_SUB);
        CHECK_STR(end_and_run(&s), "");
        for (int x = 0; x < 8; x++)
        for (int c = 0; c < 30; c++) {
            int32_t va = (map_get(&s, &a, 0, x, c) - a.zero) * (1 << left);
            int32_t vb = (map_get(&s, &b, 0, x, c) - b.zero) * (1 << left);
            va = second ? va / 2 : npu__qmul_apply(va, q);
            vb = second ? npu__qmul_apply(vb, q) : vb / 2;
            same &= map_get(&s, &out, 0, x, c) == clamped(npu__qmul_apply(va - vb, qo) + out.zero, &out);
        }
        CHECK(same);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(convolutions);
    RUN(depthwise_convolutions);
    RUN(wide_sums);
    RUN(pooling);
    RUN(sums_of_channels);
    RUN(elementwise);
    RUN(scaled_operands);
    return REPORT();
}
