/* Streams that the software device refuses: with the same rule when checked and when run. */
#include "ethosu_unit.h"

static stream s; /* too large for a stack */

/* A convolution that runs; each refusal changes one thing before it. */
static void good_convolution(void) {
    static const window w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 0};
    static scales k;
    shape p = {8, 3, 3, 16, 16, 8, 0, 0, 0, 8, 1, 1, 0};
    map   in = {1, 6, 7, 16, 1, 1, 0, 3, 0}, out = {1, 6, 7, 8, 1, 1, 0, 5, 0x1000};
    for (int i = 0; i < 8 * 9 * 16; i++) all_weights[i] = (int16_t)(i % 200 - 100);
    for (int c = 0; c < 8; c++) k.m[c] = 1u << 30, k.shift[c] = 40;
    begin(&s);
    memset(s.flash, 255, sizeof s.flash); /* weight streams that end at once */
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set_window(&s, &w, 0, 0);
    set_weights(&s, &p, &k, 0);
}

#define REFUSED(op, rule)                                             \
    do {                                                              \
        set(&s, op, 0);                                               \
        CHECK_STR(end_and_run(&s), rule);                             \
        CHECK_INT(s.err.word, rule[0] ? (int64_t)s.n - 2 : s.err.word); \
    } while (0)
#define CONV_REFUSED(change, rule) \
    do {                           \
        good_convolution();        \
        change;                    \
        REFUSED(NPU__EU_OP_CONV, rule); \
    } while (0)

TEST(refused_convolutions) {
    CONV_REFUSED((void)0, "");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_IFM_BASE0, sizeof s.sram - 100), "ethos_u.address");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_OFM_BASE0, sizeof s.sram - 6 * 7 * 8 + 1), "ethos_u.address");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_OFM_BASE0, sizeof s.sram - 6 * 7 * 8), "");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_OFM_STRIDE_Y, ((uint64_t)1 << 40) - 8000), "ethos_u.address");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_IFM_STRIDE_Y, (uint64_t)1 << 38), "ethos_u.address");
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_HEIGHT0_M1, 2), ""); /* the rest is in tile 2, at 0 */
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_HEIGHT0_M1, 2); set_wide(&s, NPU__EU_SET_IFM_BASE2, sizeof s.sram),
                 "ethos_u.address");
    CONV_REFUSED(set(&s, NPU__EU_SET_OFM_REGION, 0), "ethos_u.read_only");
    CONV_REFUSED(set(&s, NPU__EU_SET_OFM_REGION, 5), "ethos_u.address");
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_REGION, 8), "ethos_u.region");
    CONV_REFUSED(set(&s, NPU__EU_SET_OFM_WIDTH_M1, 60000); set_wide(&s, NPU__EU_SET_OFM_STRIDE_X, 0),
                 "ethos_u.address");
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_PRECISION, 0xC), "ethos_u.precision"); /* 8 bytes */
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_PRECISION, 0x80), "ethos_u.precision"); /* layout 2 */
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_PRECISION, 0x9), "ethos_u.precision"); /* int32 */
    CONV_REFUSED(set(&s, NPU__EU_SET_OFM_PRECISION, 0xC001), "ethos_u.precision"); /* rounding 3 */
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_ZERO_POINT, 300), "ethos_u.zero_point");
    CONV_REFUSED(set(&s, NPU__EU_SET_ACC_FORMAT, 2), "ethos_u.accumulator");
    CONV_REFUSED(set(&s, NPU__EU_SET_ACTIVATION, 5), "ethos_u.activation");
    CONV_REFUSED(set(&s, NPU__EU_SET_ACTIVATION, 0x1000), "ethos_u.activation");
    CONV_REFUSED(set(&s, NPU__EU_SET_ACTIVATION, NPU__EU_ACTIVATION_TANH), "ethos_u.activation");
    CONV_REFUSED(set(&s, NPU__EU_SET_ACTIVATION, NPU__EU_ACTIVATION_LUT7), "");
    CONV_REFUSED(set(&s, NPU__EU_SET_KERNEL_HEIGHT_M1, 64), "ethos_u.kernel");
    CONV_REFUSED(set(&s, NPU__EU_SET_KERNEL_STRIDE, 1 << 4), "");
    CONV_REFUSED(set(&s, NPU__EU_SET_KERNEL_STRIDE, 1 << 4); set(&s, NPU__EU_SET_KERNEL_HEIGHT_M1, 3),
                 "ethos_u.kernel");
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_PAD_TOP, 40), "ethos_u.window");
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_UPSCALE, 3), "ethos_u.window");
    CONV_REFUSED(set(&s, NPU__EU_SET_OFM_BLK_DEPTH_M1, 6), "ethos_u.block");
    CONV_REFUSED(set(&s, NPU__EU_SET_OFM_BLK_DEPTH_M1, 135), "ethos_u.block");
    CONV_REFUSED(set(&s, NPU__EU_SET_PARALLEL_MODE, 1), "ethos_u.parallel");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_SCALE_LENGTH, 79), "ethos_u.scales");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_SCALE_BASE, sizeof s.flash - 79), "ethos_u.address");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_WEIGHT_LENGTH, sizeof s.flash), "ethos_u.address");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_WEIGHT_LENGTH, 32), "ethos_u.weights");
    CONV_REFUSED(set_wide(&s, NPU__EU_SET_WEIGHT_BASE, 40000), "ethos_u.weights"); /* where there are none */
    CONV_REFUSED(set(&s, NPU__EU_SET_IFM_DEPTH_M1, 65535); set_wide(&s, NPU__EU_SET_IFM_STRIDE_X, 0);
                 set_wide(&s, NPU__EU_SET_IFM_STRIDE_Y, 0); set(&s, NPU__EU_SET_KERNEL_WIDTH_M1, 40);
                 set(&s, NPU__EU_SET_KERNEL_HEIGHT_M1, 40), "ethos_u.limit");
    good_convolution();
    set(&s, NPU__EU_SET_KERNEL_STRIDE, 0x8000);
    CHECK_STR(end_and_run(&s), "ethos_u.register");
    CHECK_INT(s.err.word, s.n - 2);
    good_convolution();
    REFUSED(NPU__EU_OP_DEPTHWISE, "ethos_u.depth");
}

TEST(refused_others) {
    good_convolution();
    set(&s, 7, 0);
    CHECK_STR(end_and_run(&s), "ethos_u.command");
    good_convolution();
    set(&s, NPU__EU_SET_IFM_DEPTH_M1, 7);
    set(&s, NPU__EU_OP_POOL, 3);
    CHECK_STR(end_and_run(&s), "ethos_u.command");
    good_convolution();
    REFUSED(NPU__EU_OP_POOL, "ethos_u.pool"); /* 16 channels to 8 */
    good_convolution();
    set(&s, NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM);
    CHECK_STR(end_and_run(&s), "ethos_u.pool");
    good_convolution();
    set(&s, NPU__EU_OP_ELEMENTWISE, 10);
    CHECK_STR(end_and_run(&s), "ethos_u.command");
    good_convolution();
    set(&s, NPU__EU_SET_IFM_UPSCALE, 1);
    REFUSED(NPU__EU_OP_ELEMENTWISE, "ethos_u.command");
    good_convolution();
    set(&s, NPU__EU_SET_IFM_PRECISION, 0x301);
    REFUSED(NPU__EU_OP_ELEMENTWISE, "ethos_u.precision");
    good_convolution();
    set(&s, NPU__EU_SET_IFM2_PRECISION, 1);
    set_wide(&s, NPU__EU_SET_IFM2_BASE0, sizeof s.sram);
    REFUSED(NPU__EU_OP_ELEMENTWISE, "ethos_u.address");
}

TEST(refused_copies) {
    static const struct {
        uint64_t    src, dst, length;
        uint32_t    from, to;
        const char *rule;
    } cases[] = {
        {0, 0, 1 << 16, 0, 1, ""},
        {1, 0, 1 << 16, 0, 1, "ethos_u.address"},
        {0, 70000, 1 << 16, 0, 1, "ethos_u.address"},
        {0, 0, 0, 0, 1, ""},
        {0, 0, (uint64_t)1 << 35, 0, 1, "ethos_u.limit"},
        {0, 0, 16, 0, 0, "ethos_u.read_only"},
        {0, 0, 16, 9, 1, "ethos_u.region"},
        {0, 0, 16, 0, 0x103, "ethos_u.address"},
        {0, 0x5800, 2048, 0, 0x103, ""},
        {0, 0x5800, 2049, 0, 0x103, "ethos_u.address"},
        {0x5800, 0, 16, 0x103, 1, "ethos_u.address"},
        {0, 0, 16, 0x600, 1, "ethos_u.dma"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(&s);
        set_wide(&s, NPU__EU_SET_DMA0_SRC, cases[i].src);
        set_wide(&s, NPU__EU_SET_DMA0_DST, cases[i].dst);
        set_wide(&s, NPU__EU_SET_DMA0_LEN, cases[i].length);
        set(&s, NPU__EU_SET_DMA0_SRC_REGION, cases[i].from);
        set(&s, NPU__EU_SET_DMA0_DST_REGION, cases[i].to);
        REFUSED(NPU__EU_OP_DMA_START, cases[i].rule);
    }
}

/* A stream may not keep a program busy: every operation counts, however cheap its command is. */
TEST(limits) {
    map    in = {1, 200, 10, 60, 1, 1, 0, 0, 0}, out = in;
    window w = {1, 1, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
    int    n = 0;
    begin(&s);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set_window(&s, &w, 0, 0);
    w.kh = w.kw = 181;
    w.pad[0] = w.pad[1] = w.pad[2] = w.pad[3] = 90;
    set_window(&s, &w, 0, 0);
    for (; n < 3000; n++) set(&s, NPU__EU_OP_POOL, NPU__EU_POOL_MAX);
    set(&s, NPU__EU_OP_STOP, 0);
    s.w[7] |= (uint32_t)(s.n - 8) << 16;
    {
        npu__eu_payload p;
        npu__eu_need    need;
        CHECK(npu__eu_payload_parse(&p, s.w, s.n * 4, &s.err) == NPU_OK);
        CHECK(npu__eu_check(&p, s.regions, &need, &s.err) == NPU_LIMIT);
        CHECK_STR(s.err.rule, "ethos_u.limit");
    }
}

/* Whom a payload is for, also where its stream cannot be read. */
static const char *processor_of(uint32_t mark, uint32_t config, int with_stream, npu__eu_error *err) {
    static char    u85[24];
    const uint32_t words[] = {mark, 1, config, 0, 5, 5, 5, 1u << 16 | 2, 0};
    return npu__eu_payload_processor(u85, words, with_stream ? sizeof words : 16, err);
}

TEST(processors) {
    static const struct {
        uint32_t    config;
        const char *name; /* NULL: none */
    } cases[] = {
        {0u << 28 | 24u << 8 | 7, "ethos-u55-128"}, {1u << 28 | 48u << 8 | 8, "ethos-u65-256"}, {2u << 28 | 7, "ethos-u85-128"},
        {2u << 28 | 11, "ethos-u85-2048"}, {2u << 28 | 6, NULL}, {2u << 28 | 12, NULL}, {3u << 28 | 8, NULL},
        {0u << 28 | 9u << 8 | 7, NULL},
    };
    npu__eu_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = processor_of(0x31504F43u, cases[i].config, 1, &err);
        CHECK(!name == !cases[i].name);
        if (name && cases[i].name) CHECK_STR(name, cases[i].name);
        CHECK(name || err.text[0]);
    }
    CHECK(processor_of(0x31504F43u, 24u << 8 | 7, 0, &err) == NULL);
    CHECK(processor_of(0, 24u << 8 | 7, 1, &err) == NULL);
    CHECK(npu__eu_payload_processor(NULL, NULL, 0, &err) == NULL);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(processors);
    RUN(refused_convolutions);
    RUN(refused_others);
    RUN(refused_copies);
    RUN(limits);
    return REPORT();
}
