/* The software device: settings that the random streams of test_ethosu_ops.c do not reach, refusals that need extreme ones,
 * and stopping at every place where a run asks whether to go on. */
#define NPU__EU_POLL_STEPS ((int64_t)1)
#include "ethosu_unit.h"

static stream s; /* too large for a stack */

/* ---- small pieces ---- */

static void maps(const map *in, const map *out) {
    begin(&s);
    for (size_t i = 0; i < sizeof s.sram; i++) s.sram[i] = (uint8_t)rnd();
    set_map(&s, 0, in);
    set_map(&s, 0x10, out);
    set_open_clamp(&s, out);
    if (out->bytes == 4) set(&s, NPU__EU_SET_OFM_PRECISION, (uint32_t)(out->is_signed | 2 << 1 | NPU__EU_ROUNDING_NATURAL << 14));
}

static void expect_rule(int line, int op, uint32_t param, const char *rule) {
    const char *got;
    set(&s, op, param);
    got = end_and_run(&s);
    if (strcmp(got, rule) == 0) return;
    printf("%s:%d: \"%s\" (%s), want \"%s\"\n", __FILE__, line, got, s.err.text, rule);
    CHECK_STR(got, rule);
}
#define RULE(op, param, rule) expect_rule(__LINE__, op, param, rule)

typedef struct stopper {
    long asked, stop_at;
} stopper;

static int stops(void *user, int64_t steps) {
    stopper *x = (stopper *)user;
    CHECK(steps > 0);
    return ++x->asked == x->stop_at;
}

/* Runs the stream again and again, stopped at the first question, at the second, and so on. */
static void stop_everywhere(void) {
    npu__eu_payload p;
    npu__eu_need    need;
    npu_status      status;
    long            n = 0;
    CHECK_INT(npu__eu_payload_parse(&p, s.w, s.n * 4, &s.err), NPU_OK);
    CHECK_INT(npu__eu_check(&p, s.regions, &need, &s.err), NPU_OK);
    do {
        stopper      x = {0, 0};
        npu__eu_poll poll;
        memset(&poll, 0, sizeof poll);
        poll.fn = stops;
        poll.user = &x;
        x.stop_at = ++n;
        status = npu__eu_run(&p, s.regions, s.work, sizeof s.work, &poll, &s.err);
        CHECK(status == NPU_OK || (status == NPU_CANCELLED && x.asked == n && s.err.rule == NULL));
    } while (status != NPU_OK && n < 5000);
    CHECK(n > 2 && n < 5000);
}

/* ---- convolutions ---- */

/* 3 x 3 over 208 channels to 160, all weights 1: more weights than are decoded at once. */
TEST(weights_in_groups) {
    static int16_t ones[1 << 19];
    static const window w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 0};
    shape  p = {160, 3, 3, 208, 32, 8, 0, 0, 0, 8, 1, 1, 0};
    map    in = {1, 2, 2, 208, 1, 1, 0, 3, 0}, out = {1, 2, 2, 160, 4, 1, 0, 0, 0x4000};
    int    n = order_weights(&p, NULL, NULL);
    size_t at;
    CHECK(n < 1 << 19);
    for (int i = 0; i < n; i++) ones[i] = 1;
    maps(&in, &out);
    set_window(&s, &w, 0, 0);
    packed.n = 0;
    put_raw(&packed, ones, n, 1);
    at = packed.n / 8;
    memcpy(s.flash, packed.p, at);
    set_wide(&s, NPU__EU_SET_WEIGHT_BASE, 0);
    set_wide(&s, NPU__EU_SET_WEIGHT_LENGTH, at);
    set_wide(&s, NPU__EU_SET_SCALE_BASE, at);
    set_wide(&s, NPU__EU_SET_SCALE_LENGTH, 1600);
    for (int c = 0; c < 160; c++) memcpy(s.flash + at + 10 * (size_t)c, "\0\0\0\0\0\0\0\0\100\36", 10); /* 2^30 >> 30 */
    set(&s, NPU__EU_SET_OFM_BLK_DEPTH_M1, 31);
    RULE(NPU__EU_OP_CONV, 0, "");
    for (int y = 0; y < 2; y++)
    for (int x = 0; x < 2; x++) {
        int64_t sum = 0; /* every window sees all four pixels */
        for (int i = 0; i < 2 * 2 * 208; i++) sum += (int8_t)s.sram[i] - 3;
        for (int c = 0; c < 160; c++) CHECK_INT(map_get(&s, &out, y, x, c), sum);
    }
}

/* 16 bits, a kernel of 17 x 17: sums that need 64 bits. And with one scale for all channels. */
TEST(wide_depthwise) {
    window w = {17, 17, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
    scales k;
    shape  p = {8, 17, 17, 8, 8, 8, 1, 0, 1, 8, 1, 1, 0};
    map    in = {1, 18, 18, 8, 2, 1, 0, 0, 0}, out = {1, 2, 2, 8, 4, 1, 0, 0, 0x4000};
    for (int is_global = 0; is_global < 2; is_global++) {
        for (int i = 0; i < 8 * 17 * 17; i++) all_weights[i] = (int16_t)rnd_in(-127, 127);
        for (int c = 0; c < 8; c++) {
            k.bias[c] = c * 1000;
            k.m[c] = is_global ? 77 : 16384;
            k.shift[c] = is_global ? 3 : 14;
        }
        maps(&in, &out);
        set_window(&s, &w, 0, 0);
        set_weights(&s, &p, &k, 0);
        if (is_global) {
            set(&s, NPU__EU_SET_OFM_PRECISION, (uint32_t)(1 | 2 << 1 | 1 << 8 | NPU__EU_ROUNDING_NATURAL << 14));
            set_scale(&s, NPU__EU_SET_OFM_SCALE, 16384, 14);
        }
        RULE(NPU__EU_OP_DEPTHWISE, 0, "");
        for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
        for (int c = 0; c < 8; c++) {
            int64_t sum = k.bias[c];
            for (int i = 0; i < 17 * 17; i++) sum += map_get(&s, &in, y + i / 17, x + i % 17, c) * all_weights[c * 289 + i];
            CHECK_INT(map_get(&s, &out, y, x, c), sum);
        }
    }
}

/* A small convolution, for settings and for stopping. */
static void small_conv(int depthwise, int cores, int channels) {
    static scales k;
    window w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 0};
    shape  p = {channels, 3, 3, depthwise ? channels : 8, 8, 8, 0, 0, depthwise, 8, 1, cores, 0};
    map    in = {1, 3, 3, p.ic, 1, 1, 0, 3, 0}, out = {1, 3, 3, channels, 1, 1, 0, 5, 0x1000};
    for (int i = 0; i < channels * 9 * p.ic; i++) all_weights[i] = (int16_t)(i % 100 - 50);
    for (int c = 0; c < channels; c++) k.m[c] = 1u << 30, k.shift[c] = 38;
    maps(&in, &out);
    if (cores == 2) {
        begin_for(&s, 0x10006009u); /* U65-512 */
        set_map(&s, 0, &in);
        set_map(&s, 0x10, &out);
        set_open_clamp(&s, &out);
    }
    memset(s.flash, 255, sizeof s.flash);
    set_window(&s, &w, 0, 0);
    set_weights(&s, &p, &k, 0);
}

TEST(settings_of_convolutions) {
    for (int depthwise = 0; depthwise < 2; depthwise++) {
        int op = depthwise ? NPU__EU_OP_DEPTHWISE : NPU__EU_OP_CONV;
        small_conv(depthwise, 1, 8);
        RULE(op, 0, "");
        stop_everywhere();
        small_conv(depthwise, 1, 8);
        set_wide(&s, NPU__EU_SET_WEIGHT_LENGTH, 32);
        RULE(op, 0, "ethos_u.weights");
        small_conv(depthwise, 1, 8);
        set(&s, NPU__EU_SET_PARALLEL_MODE, 2);
        RULE(op, 0, "ethos_u.parallel");
        small_conv(depthwise, 1, 8);
        set(&s, NPU__EU_SET_IFM_PRECISION, 4); /* uint16 */
        set_wide(&s, NPU__EU_SET_IFM_STRIDE_X, 16);
        RULE(op, 0, "ethos_u.precision");
        small_conv(depthwise, 1, 8);
        set(&s, NPU__EU_SET_IFM_PRECISION, 8); /* uint32 */
        RULE(op, 0, "ethos_u.precision");
        small_conv(depthwise, 1, 8);
        set(&s, NPU__EU_SET_IFM_UPSCALE, 1);
        RULE(op, 0, "");
        stop_everywhere();
        small_conv(depthwise, 1, 8);
        set(&s, NPU__EU_SET_KERNEL_WIDTH_M1, 3);
        set(&s, NPU__EU_SET_KERNEL_STRIDE, 1 << 3); /* dilation 2 does not divide 3 */
        RULE(op, 0, "ethos_u.kernel");
        small_conv(depthwise, 1, 8);
        set(&s, NPU__EU_SET_KERNEL_WIDTH_M1, 5000);
        set(&s, NPU__EU_SET_IFM_WIDTH0_M1, 5000);
        set_wide(&s, NPU__EU_SET_IFM_STRIDE_X, 0);
        RULE(op, 0, "ethos_u.kernel");
    }
    small_conv(0, 2, 1); /* the second core has no channel */
    RULE(NPU__EU_OP_CONV, 0, "");
    stop_everywhere();
}

/* ---- limits: sizes that only a check can be given ---- */

static const char *check_huge(int op, uint32_t param) {
    npu__eu_payload p;
    npu__eu_need    need;
    set(&s, op, param);
    set(&s, NPU__EU_OP_STOP, 0);
    s.w[7] |= (uint32_t)(s.n - 8) << 16;
    for (int i = 0; i < 8; i++) {
        s.regions[i].base = NULL;
        s.regions[i].bytes = (uint64_t)1 << 50;
        s.regions[i].writable = 1;
    }
    CHECK_INT(npu__eu_payload_parse(&p, s.w, s.n * 4, &s.err), NPU_OK);
    return npu__eu_check(&p, s.regions, &need, &s.err) == NPU_OK ? "" : s.err.rule;
}

static void huge_maps(int h, int w, int c, int kh, int kw) {
    map    in = {1, h, w, c, 1, 1, 0, 0, 0}, out = in;
    window k = {1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
    out.at = (int64_t)1 << 39;
    k.kh = kh;
    k.kw = kw;
    k.pad[0] = kh / 2;
    k.pad[1] = kw / 2;
    k.pad[2] = kh - 1 - kh / 2;
    k.pad[3] = kw - 1 - kw / 2;
    begin(&s);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set_map(&s, 0x80, &in);
    set_wide(&s, NPU__EU_SET_IFM_STRIDE_Y, (uint64_t)w * (uint64_t)c);
    set_wide(&s, NPU__EU_SET_IFM2_STRIDE_Y, (uint64_t)w * (uint64_t)c);
    set_wide(&s, NPU__EU_SET_OFM_STRIDE_Y, (uint64_t)w * (uint64_t)c);
    set_open_clamp(&s, &out);
    set_window(&s, &k, 0, 0);
    set(&s, NPU__EU_SET_OFM_BLK_DEPTH_M1, 7);
    set_wide(&s, NPU__EU_SET_SCALE_LENGTH, 10 * 65536);
}

TEST(limits_of_operations) {
    static const struct {
        int         op;
        uint32_t    param;
        int         h, w, c, kh, kw;
        const char *rule;
    } cases[] = {
        {NPU__EU_OP_CONV, 0, 64, 64, 64, 3, 3, ""},
        {NPU__EU_OP_CONV, 0, 20000, 64, 2048, 3, 3, "ethos_u.limit"},   /* multiplications */
        {NPU__EU_OP_CONV, 0, 8, 60000, 30000, 3, 3, "ethos_u.limit"},   /* rows */
        {NPU__EU_OP_CONV, 0, 1, 1, 65536, 60, 60, "ethos_u.limit"},     /* weights */
        {NPU__EU_OP_DEPTHWISE, 0, 64, 64, 64, 3, 3, ""},
        {NPU__EU_OP_DEPTHWISE, 0, 60000, 2000, 2000, 3, 3, "ethos_u.limit"},
        {NPU__EU_OP_DEPTHWISE, 0, 8, 60000, 30000, 3, 3, "ethos_u.limit"},
        {NPU__EU_OP_POOL, NPU__EU_POOL_MAX, 60000, 60000, 100, 3, 3, "ethos_u.limit"},
        {NPU__EU_OP_POOL, NPU__EU_POOL_AVERAGE, 1, 32768, 32768, 1, 1, ""},
        {NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_ADD, 60000, 60000, 100, 1, 1, "ethos_u.limit"},
        {NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_ADD, 600, 600, 100, 1, 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        huge_maps(cases[i].h, cases[i].w, cases[i].c, cases[i].kh, cases[i].kw);
        if (!CHECK_STR(check_huge(cases[i].op, cases[i].param), cases[i].rule)) printf("    case %d: %s\n", (int)i, s.err.text);
    }
    huge_maps(60000, 60000, 100, 1, 1);
    set(&s, NPU__EU_SET_OFM_DEPTH_M1, 0);
    CHECK_STR(check_huge(NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM), "ethos_u.limit");
}

/* ---- pooling ---- */

TEST(settings_of_pooling) {
    window w = {1, 1, 1, 1, 1, 1, {1, 1, 0, 0}, 0};
    map    in = {1, 3, 3, 8, 1, 1, 0, 3, 0}, out = {1, 4, 4, 8, 1, 1, 0, 5, 0x1000};
    map    sum = {1, 3, 3, 1, 4, 1, 0, 0, 0x1000}, wide = {1, 3, 3, 8, 4, 1, 0, 0, 0};
    for (int mode = NPU__EU_POOL_MAX; mode <= NPU__EU_POOL_AVERAGE; mode++) { /* windows that see padding only */
        maps(&in, &out);
        set_window(&s, &w, 0, 0);
        RULE(NPU__EU_OP_POOL, (uint32_t)mode, "");
        for (int c = 0; c < 8; c++) {
            CHECK_INT(map_get(&s, &out, 0, 2, c), 5);
            CHECK_INT(map_get(&s, &out, 2, 0, c), 5);
            CHECK_INT(map_get(&s, &out, 1, 1, c), npu__clamp32(map_get(&s, &in, 0, 0, c) + 2, -128, 127));
        }
        stop_everywhere();
    }
    w.pad[0] = w.pad[1] = 0;
    maps(&wide, &out);
    set_window(&s, &w, 0, 0);
    RULE(NPU__EU_OP_POOL, NPU__EU_POOL_MAX, "ethos_u.pool"); /* 32 bits */
    maps(&in, &out);
    set_window(&s, &w, 0, 0);
    set(&s, NPU__EU_SET_IFM_UPSCALE, NPU__EU_UPSCALE_ZEROS);
    RULE(NPU__EU_OP_POOL, NPU__EU_POOL_MAX, "ethos_u.pool");
    for (int side = 0; side < 6; side++) {
        window p = {1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
        if (side < 4) p.pad[side] = 1;
        if (side == 4) p.up = 1;
        if (side == 5) p.kw = 2;
        maps(&in, &sum);
        set_window(&s, &p, 0, 0);
        RULE(NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM, "ethos_u.pool");
    }
    w.kh = 1;
    maps(&in, &sum);
    set_window(&s, &w, 0, 0);
    RULE(NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM, "");
    stop_everywhere();
}

/* ---- elementwise ---- */

TEST(settings_of_elementwise) {
    map in = {1, 2, 5, 4, 4, 1, 0, 0, 0}, in2 = {1, 2, 5, 1, 4, 1, 0, 0, 0x800}, out = {1, 2, 5, 4, 4, 1, 0, 0, 0x1000};
    for (int left = 0; left < 2; left++) {
        for (int swap = 0; swap < 2; swap++) { /* depth is broadcast, width is not */
            maps(&in, &out);
            for (size_t i = 0; i < 0x1000; i += 4) memset(s.sram + i + 1, 0, 3), s.sram[i] &= 15;
            set_map(&s, 0x80, &in2);
            set(&s, NPU__EU_SET_IFM_PRECISION, 1 | 2 << 2);
            set(&s, NPU__EU_SET_IFM2_PRECISION, 1 | 2 << 2);
            set(&s, NPU__EU_SET_IFM2_BROADCAST, (uint32_t)(4 | swap << 6));
            set_scale(&s, NPU__EU_SET_OFM_SCALE, 1, 0);
            RULE(NPU__EU_OP_ELEMENTWISE, left ? NPU__EU_ELEMENT_SHL : NPU__EU_ELEMENT_SHR, "");
            for (int i = 0; i < 2 * 5 * 4; i++) {
                int32_t a = map_get(&s, &in, i / 20, i / 4 % 5, i % 4), b = map_get(&s, &in2, i / 20, i / 4 % 5, 0), t = a;
                if (swap) a = b, b = t;
                CHECK_INT(map_get(&s, &out, i / 20, i / 4 % 5, i % 4), left ? a << b : b ? (a + (1 << (b - 1))) >> b : a);
            }
        }
    }
    stop_everywhere();
    maps(&in, &out);
    set_map(&s, 0x80, &in);
    set(&s, NPU__EU_SET_IFM_PRECISION, 1 | 2 << 2 | 3 << 14);
    RULE(NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_ADD, "ethos_u.precision"); /* rounding 3 */
}

/* ---- the output stage: ranges and tables ---- */

TEST(ranges_and_tables) {
    static const struct {
        int         bytes, is_signed;
        uint32_t    function, clip;
        const char *rule;
    } cases[] = {
        {1, 1, 0, NPU__EU_CLIP_UINT8, ""},
        {1, 0, 0, NPU__EU_CLIP_INT8, ""},
        {1, 1, 0, NPU__EU_CLIP_INT16, ""},
        {2, 1, 0, NPU__EU_CLIP_INT16, ""},
        {2, 0, 0, NPU__EU_CLIP_UINT8, ""},
        {1, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_OFM, ""},
        {1, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_INT8, ""},
        {1, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_UINT8, "ethos_u.activation"},
        {1, 0, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_INT16, "ethos_u.activation"},
        {1, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_INT16, "ethos_u.activation"},
        {2, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_OFM, ""},
        {2, 1, NPU__EU_ACTIVATION_LUT0 + 1, NPU__EU_CLIP_OFM, "ethos_u.activation"}, /* past the end of SHRAM */
        {2, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_INT8, "ethos_u.activation"},
        {2, 0, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_OFM, "ethos_u.activation"},
        {2, 0, NPU__EU_ACTIVATION_TANH, NPU__EU_CLIP_OFM, "ethos_u.activation"},
        {4, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_INT8, ""},
        {4, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_UINT8, ""},
        {4, 1, NPU__EU_ACTIVATION_LUT0, NPU__EU_CLIP_OFM, "ethos_u.activation"},
        {4, 1, NPU__EU_ACTIVATION_LUT7, NPU__EU_CLIP_INT8, "ethos_u.activation"},
        {4, 0, NPU__EU_ACTIVATION_SIGMOID, NPU__EU_CLIP_OFM, "ethos_u.activation"},
        {1, 1, 2, NPU__EU_CLIP_OFM, "ethos_u.activation"},
        {1, 1, 0, 1, "ethos_u.activation"},
    };
    window w = {1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        map in = {1, 2, 2, 8, 1, 1, 0, 0, 0}, out = {1, 2, 2, 8, 1, 1, 0, 0, 0x1000};
        out.bytes = cases[i].bytes;
        out.is_signed = cases[i].is_signed;
        maps(&in, &out);
        set_window(&s, &w, 0, 0);
        set(&s, NPU__EU_SET_ACTIVATION, cases[i].function | cases[i].clip << 12);
        set(&s, NPU__EU_SET_ACTIVATION_MIN, 100);
        set(&s, NPU__EU_SET_ACTIVATION_MAX, 110);
        set(&s, NPU__EU_OP_POOL, NPU__EU_POOL_MAX);
        if (!CHECK_STR(end_and_run(&s), cases[i].rule)) printf("    case %d: %s\n", (int)i, s.err.text);
        for (int c = 0; c < 8 && !cases[i].rule[0] && !cases[i].function; c++) { /* both ranges hold */
            int32_t v = map_get(&s, &in, 0, 0, c);
            CHECK_INT(map_get(&s, &out, 0, 0, c), v < 100 ? 100 : v > 110 ? 110 : v);
        }
    }
}

/* ---- copies of rows and planes ---- */

TEST(copies_of_planes) {
    static const struct {
        int64_t     src, skip0, skip1;
        uint32_t    size0, size1, from;
        const char *rule;
    } cases[] = {
        {0, 3, 5, 4, 2, 0x400, ""},
        {200, -20, 0, 4, 1, 0x200, ""},                 /* rows go back */
        {100, 0, -70, 4, 3, 0x400, ""},                 /* planes go back */
        {10, -20, 0, 4, 1, 0x200, "ethos_u.address"},
        {10, 0, -70, 4, 3, 0x400, "ethos_u.address"},
        {0, 0, 0, 0, 1, 0x200, ""},
        {0, 0, 0, 4, 0, 0x400, ""},
        {0, 0, 0, 4, 3, 0x600, "ethos_u.dma"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rows = (int)cases[i].size0, planes = cases[i].from == 0x400 ? (int)cases[i].size1 : 1;
        begin_for(&s, 0x10006009u); /* only U65 copies more than bytes in a row */
        for (size_t k = 0; k < 1024; k++) s.flash[k] = (uint8_t)rnd(), s.sram[k] = 0;
        set_wide(&s, NPU__EU_SET_DMA0_SRC, (uint64_t)cases[i].src);
        set_wide(&s, NPU__EU_SET_DMA0_DST, 0);
        set_wide(&s, NPU__EU_SET_DMA0_LEN, 10);
        set_wide(&s, NPU__EU_SET_DMA0_SKIP0, (uint64_t)cases[i].skip0 & 0xFFFFFFFFFFu);
        set_wide(&s, NPU__EU_SET_DMA0_SKIP1, (uint64_t)cases[i].skip1 & 0xFFFFFFFFFFu);
        set(&s, NPU__EU_SET_DMA0_SIZE0, cases[i].size0);
        set(&s, NPU__EU_SET_DMA0_SIZE1, cases[i].size1);
        set(&s, NPU__EU_SET_DMA0_SRC_REGION, cases[i].from);
        set(&s, NPU__EU_SET_DMA0_DST_REGION, 1); /* one after the other would need the same shape: rows land on each other */
        RULE(NPU__EU_OP_DMA_START, 0, cases[i].rule);
        if (cases[i].rule[0] || !rows || !planes) continue;
        {
            int64_t row = 10 + cases[i].skip0, plane = row * rows + (planes > 1 ? cases[i].skip1 : 0);
            int64_t last = cases[i].src + (planes - 1) * plane + (rows - 1) * row;
            CHECK(memcmp(s.sram + 10 * (rows - 1) + (planes - 1) * 10 * rows, s.flash + last, 10) == 0);
        }
        stop_everywhere();
    }
}

/* ---- payloads, memory, listing ---- */

TEST(payloads) {
    static const struct {
        uint32_t    w[8];
        size_t      bytes;
        npu_status  status;
        const char *rule;
    } cases[] = {
        {{0x32504F43u, 1, 0x1807, 0}, 16, NPU_UNSUPPORTED, "ethos_u.payload"}, /* COP2 */
        {{0x12345678u, 1, 0x1807, 0}, 16, NPU_INVALID_MODEL, "ethos_u.payload"},
        {{0x31504F43u, 1, 0x20001807u, 0}, 16, NPU_UNSUPPORTED, "ethos_u.product"}, /* U85 */
        {{0x31504F43u, 1, 0x30001807u, 0}, 16, NPU_UNSUPPORTED, "ethos_u.product"},
        {{0x31504F43u, 1, 0x10001801u, 0}, 16, NPU_INVALID_MODEL, "ethos_u.config"},
        {{0x31504F43u, 1, 0x00001801u, 0}, 16, NPU_INVALID_MODEL, "ethos_u.config"},
        {{0x31504F43u, 1, 0x1807, 0, 2u | 1u << 16, 0xFFFF0000u}, 24, NPU_INVALID_MODEL, "ethos_u.payload"}, /* not aligned */
        {{0x31504F43u, 1, 0x1807, 0}, 15, NPU_INVALID_MODEL, "ethos_u.payload"},
        {{0x31504F43u, 1, 0x1807, 0}, 16, NPU_INVALID_MODEL, "ethos_u.payload"}, /* no stream */
        {{0x31504F43u, 9, 0, 0}, 16, NPU_INVALID_MODEL, "ethos_u.payload"},
    };
    npu__eu_payload p;
    npu__eu_error   err;
    npu__eu_config  odd;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_INT(npu__eu_payload_parse(&p, cases[i].w, cases[i].bytes, &err), cases[i].status);
        CHECK_STR(err.rule, cases[i].rule);
        CHECK_INT(npu__eu_payload_parse(&p, cases[i].w, cases[i].bytes, NULL), cases[i].status);
    }
    CHECK_INT(npu__eu_payload_parse(&p, NULL, 16, &err), NPU_INVALID_MODEL);
    begin(&s);
    set(&s, NPU__EU_OP_STOP, 0);
    s.w[7] |= 1u << 16;
    CHECK_INT(npu__eu_payload_parse(&p, s.w, s.n * 4, &err), NPU_OK);
    CHECK_STR(npu__eu_config_name(&p.config), "ethos-u55-128");
    for (int i = 0; i < 3; i++) {
        odd = p.config;
        if (i == 0) odd.product = 7;
        if (i == 1) odd.macs = 7;
        if (i == 2) odd.cores = 7;
        CHECK_STR(npu__eu_config_name(&odd), "unknown");
    }
}

TEST(memory_given) {
    npu__eu_payload p;
    small_conv(0, 1, 8);
    RULE(NPU__EU_OP_CONV, 0, "");
    CHECK_INT(npu__eu_payload_parse(&p, s.w, s.n * 4, &s.err), NPU_OK);
    CHECK_INT(npu__eu_run(&p, s.regions, NULL, 1 << 20, NULL, &s.err), NPU_INVALID_ARGUMENT);
    CHECK_STR(s.err.rule, "ethos_u.work");
    CHECK_INT(npu__eu_run(&p, s.regions, s.work, 100, NULL, &s.err), NPU_INVALID_ARGUMENT);
    CHECK_STR(s.err.rule, "ethos_u.work");
    s.regions[1].base = NULL;
    CHECK_INT(npu__eu_run(&p, s.regions, s.work, sizeof s.work, NULL, &s.err), NPU_INVALID_ARGUMENT);
    CHECK_STR(s.err.rule, "ethos_u.region");
}

/* Every value of every list has a text, and a number past its end has none. */
TEST(texts_of_values) {
    for (int32_t reading = NPU__EU_READ_FLAG + 1; reading < NPU__EU_READ_COUNT; reading++) {
        int found = 0;
        for (uint32_t value = 0; value < 256; value++) {
            const char *text = npu__eu_value_text(reading, value);
            found += text && text[0];
        }
        CHECK(found >= 2);
        CHECK(npu__eu_value_text(reading, 255) == NULL);
    }
}

static long writes_left;
static int write_some(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
    return writes_left-- <= 0;
}

/* Addresses before their region is known, and a writer that stops in the middle. */
TEST(listings) {
    npu_writer      w = {NULL, write_some};
    npu__eu_payload p;
    npu__text       t;
    begin(&s);
    set_wide(&s, NPU__EU_SET_DMA0_SRC, 64);
    set_wide(&s, NPU__EU_SET_IFM_BASE0, 64);
    set_wide(&s, NPU__EU_SET_WEIGHT_BASE, 64);
    set(&s, NPU__EU_SET_DMA0_SRC_REGION, 1);
    set_wide(&s, NPU__EU_SET_DMA0_SRC, 64);
    set(&s, NPU__EU_OP_DMA_START, 0);
    RULE(NPU__EU_OP_IRQ, 0, "");
    CHECK_INT(npu__eu_payload_parse(&p, s.w, s.n * 4, &s.err), NPU_OK);
    for (int json = 0; json < 2; json++) {
        int ended = 0;
        for (long most = 0; most < 400 && !ended; most++) {
            writes_left = most;
            npu__text_init(&t, &w);
            CHECK_INT(npu__eu_disasm(&t, json, &p, &s.err), NPU_OK);
            ended = !t.failed;
            CHECK_INT(t.depth, 0);
        }
        CHECK(ended);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(weights_in_groups);
    RUN(wide_depthwise);
    RUN(settings_of_convolutions);
    RUN(limits_of_operations);
    RUN(settings_of_pooling);
    RUN(settings_of_elementwise);
    RUN(ranges_and_tables);
    RUN(copies_of_planes);
    RUN(payloads);
    RUN(memory_given);
    RUN(texts_of_values);
    RUN(listings);
    return REPORT();
}
