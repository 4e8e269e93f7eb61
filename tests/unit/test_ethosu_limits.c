/* Limits of the software device: addresses at the ends of what registers can hold, against arithmetic in 128 bits; work,
 * which a check tells and a run does not exceed; stops, at every place that asks. */
#define NPU__EU_POLL_STEPS ((int64_t)64)
#include "ethosu_unit.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide;
#else
#  error "these tests need a compiler with integers of 128 bits"
#endif

static stream s; /* too large for a stack */

#define PICK(pool) (pool)[rnd() % (sizeof(pool) / sizeof *(pool))]
#define BITS(n) ((int64_t)1 << (n))

/* ---- spans ---- */

TEST(spans) {
    static const struct {
        int64_t at, bytes, step0, count0, step1, count1, first, end;
        int     wrapped;
    } cases[] = {
        {0, 0, 0, 1, 0, 1, 0, 0, 0},
        {10, 4, 100, 3, -20, 2, -10, 214, 0},
        {10, 4, -100, 3, -20, 2, -210, 14, 0},
        {INT64_MAX, 0, 0, 1, 0, 1, INT64_MAX, INT64_MAX, 0},
        {INT64_MAX, 1, 0, 1, 0, 1, 0, 0, 1},
        {0, INT64_MAX, 0, 5, 0, 5, 0, INT64_MAX, 0},
        {0, INT64_MAX, 1, 2, 0, 1, 0, 0, 1},
        {0, 1, BITS(56), 129, 0, 1, 0, 0, 1},
        {0, 1, -BITS(56), 128, 0, 1, -BITS(56) * 127, 1, 0},
        {0, 1, -BITS(56), 129, 0, 1, INT64_MIN, 1, 0},
        {0, 1, -BITS(56), 130, 0, 1, 0, 0, 1},
        {0, 1, INT64_MIN, 2, 0, 1, INT64_MIN, 1, 0},
        {0, 1, INT64_MIN, 3, 0, 1, 0, 0, 1},
        {-1, 1, INT64_MIN, 2, 0, 1, 0, 0, 1},
        {0, 1, BITS(62), 2, BITS(62), 2, 0, 0, 1},
        {0, 1, BITS(62), 2, -BITS(62), 2, -BITS(62), BITS(62) + 1, 0},
        {5, -1, 0, 1, 0, 1, 0, 0, 1},
        {0, 1, BITS(40), BITS(40), 0, 1, 0, 0, 1}, /* the product is 0 in 64 bits */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        npu__eu_span   span;
        npu__eu_stride strides[2];
        memset(&span, 0, sizeof span);
        strides[0].step = cases[i].step0;
        strides[0].count = cases[i].count0;
        strides[1].step = cases[i].step1;
        strides[1].count = cases[i].count1;
        npu__eu_span_add(&span, cases[i].at, cases[i].bytes, strides, 2);
        CHECK_INT(span.wrapped, cases[i].wrapped);
        if (span.wrapped) continue;
        CHECK_INT(span.first, cases[i].first);
        CHECK_INT(span.end, cases[i].end);
    }
}

/* ---- streams at their limits ---- */

static int64_t polled, stop_after;
static long    asked;

static int count_steps(void *user, int64_t steps) {
    (void)user;
    asked++;
    polled += steps;
    return polled >= stop_after;
}

static npu_status finish(npu__eu_payload *p, npu__eu_need *need) {
    set(&s, NPU__EU_OP_STOP, 0xFFFF);
    s.w[7] |= (uint32_t)(s.n - 8) << 16;
    memset(need, 0, sizeof *need);
    if (npu__eu_payload_parse(p, s.w, s.n * 4, &s.err) != NPU_OK) abort();
    return npu__eu_check(p, s.regions, need, &s.err);
}

static npu_status run_for(const npu__eu_payload *p, int64_t steps) {
    npu__eu_poll poll;
    poll.fn = count_steps;
    poll.user = NULL;
    poll.since = 0;
    polled = 0;
    asked = 0;
    stop_after = steps;
    return npu__eu_run(p, s.regions, s.work, sizeof s.work, &poll, &s.err);
}

/* The rule that refuses the stream, or "". Where regions are real, it also runs, as far as it gets. */
static const char *refusal(int real) {
    npu__eu_payload p;
    npu__eu_need    need;
    npu_status      st = finish(&p, &need);
    if (st == NPU_OK && real && need.work_bytes <= sizeof s.work) {
        st = run_for(&p, BITS(20));
        CHECK(st == NPU_OK || st == NPU_CANCELLED);
        CHECK(polled <= need.steps);
        return "";
    }
    return st == NPU_OK ? "" : s.err.rule;
}

static const uint64_t room[] = {1, 4096, 1 << 17, (uint64_t)1 << 32, (uint64_t)1 << 40, (uint64_t)1 << 57, INT64_MAX};

static void pretend_regions(int real) {
    if (real) return;
    for (int i = 0; i < 8; i++) {
        s.regions[i].base = NULL;
        s.regions[i].bytes = PICK(room);
        s.regions[i].writable = 1;
    }
}

/* Bytes [lo, hi) of a copy's side, exactly. */
static int side_inside(wide at, wide n, wide rows, wide planes, wide row_step, wide plane_step, uint64_t bytes) {
    wide lo = at, hi = at + n;
    if (row_step < 0) lo += row_step * (rows - 1);
    else hi += row_step * (rows - 1);
    if (plane_step < 0) lo += plane_step * (planes - 1);
    else hi += plane_step * (planes - 1);
    return lo >= 0 && hi <= (wide)bytes;
}

TEST(copies_anywhere) {
    static const int64_t  at[] = {0, 0, 0, 1, 100, 4000, 65536, BITS(31), BITS(38), BITS(40) - 1};
    static const int64_t  lengths[] = {1, 1, 2, 16, 255, 4096, BITS(16), BITS(31), BITS(32) - 1, BITS(32), BITS(40) - 1, 0};
    static const uint32_t counts[] = {0, 1, 1, 2, 3, 17, 255, 65534, 65535};
    static const int64_t  skips[] = {0, 0, 0, 1, -1, 16, -16, -17, 4096, -4096, BITS(31), -BITS(31), -BITS(32),
                                     BITS(38), -BITS(38), BITS(39) - 1, -BITS(39)};
    long accepted = 0, wraps = 0;
    for (int i = 0; i < 200000; i++) {
        int      real = i % 2, shapes[2], deepest;
        int64_t  src = PICK(at), dst = PICK(at), n = PICK(lengths), skip[2], rows, planes;
        uint32_t count[2];
        wide     row[2], plane[2];
        const char *want = "";
        for (int k = 0; k < 2; k++) {
            shapes[k] = (int)(rnd() % 3);
            skip[k] = rnd() % 4 == 0 ? -n : PICK(skips);
            if (skip[k] < -BITS(39)) skip[k] = 0;
            count[k] = PICK(counts);
        }
        deepest = shapes[0] > shapes[1] ? shapes[0] : shapes[1];
        rows = deepest >= 1 ? count[0] : 1;
        planes = deepest >= 2 ? count[1] : 1;
        begin(&s);
        pretend_regions(real);
        set_wide(&s, NPU__EU_SET_DMA0_SRC, (uint64_t)src);
        set_wide(&s, NPU__EU_SET_DMA0_DST, (uint64_t)dst);
        set_wide(&s, NPU__EU_SET_DMA0_LEN, (uint64_t)n);
        set_wide(&s, NPU__EU_SET_DMA0_SKIP0, (uint64_t)skip[0]);
        set_wide(&s, NPU__EU_SET_DMA0_SKIP1, (uint64_t)skip[1]);
        set(&s, NPU__EU_SET_DMA0_SIZE0, count[0]);
        set(&s, NPU__EU_SET_DMA0_SIZE1, count[1]);
        set(&s, NPU__EU_SET_DMA0_SRC_REGION, (uint32_t)(0 | shapes[0] << 9));
        set(&s, NPU__EU_SET_DMA0_DST_REGION, (uint32_t)(1 | shapes[1] << 9));
        set(&s, NPU__EU_OP_DMA_START, 0);
        for (int k = 0; k < 2; k++) {
            row[k] = (wide)n + (shapes[k] >= 1 ? skip[0] : 0);
            plane[k] = row[k] * rows + (shapes[k] >= 2 ? skip[1] : 0);
        }
        if (n && rows && planes) {
            if (n >= BITS(32) || (wide)(n + 16) * rows * planes > BITS(38) - 4096) want = "ethos_u.limit";
            else if (!side_inside(src, n, rows, planes, row[0], plane[0], s.regions[0].bytes) ||
                     !side_inside(dst, n, rows, planes, row[1], plane[1], s.regions[1].bytes)) want = "ethos_u.address";
            wraps += !real && plane[0] * (planes - 1) > INT64_MAX;
        }
        accepted += !*want;
        CHECK_STR(refusal(real), want);
    }
    CHECK(accepted > 10000 && wraps > 100);
}

/* ---- maps ---- */

static const int32_t sizes[] = {1, 1, 1, 2, 3, 15, 16, 17, 255, 4096, 65535, 65536};
static const int64_t steps[] = {0, 0, 1, 16, 64, 1024, -1, -16, -1024, BITS(31), BITS(32), BITS(38), -BITS(38),
                                BITS(39) - 1, -BITS(39)};
static const int64_t bases[] = {0, 0, 1, 1000, 4096, 65536, BITS(31), BITS(39), BITS(40) - 1};

typedef struct wild {
    int64_t base[4], step[3]; /* x, y, c */
    int32_t w0, h0, h1, log2, blocked;
} wild;

static wild wild_map(void) {
    wild m;
    int  tame = rnd() % 2;
    for (int i = 0; i < 4; i++) m.base[i] = tame ? 4000 * (i + 1) : PICK(bases);
    for (int i = 0; i < 3; i++) m.step[i] = tame ? rnd_in(-40, 40) : PICK(steps);
    m.w0 = PICK(sizes);
    m.h0 = PICK(sizes);
    m.h1 = PICK(sizes);
    m.log2 = rnd_in(0, 2);
    m.blocked = rnd_in(0, 1);
    return m;
}

static void set_wild(const wild *m, int which) {
    int ofm = which == 0x10, b = NPU__EU_SET_IFM_BASE0 + which;
    set(&s, NPU__EU_SET_IFM_REGION + which, 1);
    set(&s, ofm ? NPU__EU_SET_OFM_PRECISION : NPU__EU_SET_IFM_PRECISION + which,
        (uint32_t)(1 | m->log2 << (ofm ? 1 : 2) | m->blocked << 6));
    set(&s, NPU__EU_SET_IFM_WIDTH0_M1 + which, (uint32_t)m->w0 - 1);
    set(&s, NPU__EU_SET_IFM_HEIGHT0_M1 + which, (uint32_t)m->h0 - 1);
    set(&s, NPU__EU_SET_IFM_HEIGHT1_M1 + which, (uint32_t)m->h1 - 1);
    for (int i = 0; i < 4; i++) set_wide(&s, b + i, (uint64_t)m->base[i]);
    for (int i = 0; i < 3; i++) set_wide(&s, b + 4 + i, (uint64_t)m->step[i]);
}

/* Do all elements lie in the region? Asked of the corners of every tile, one element at a time. */
static int wild_inside(const wild *m, int32_t h, int32_t w, int32_t c, uint64_t bytes) {
    wide elem = 1 << m->log2, step_x = m->blocked ? 16 * elem : m->step[0];
    for (int tile = 0; tile < 4; tile++) {
        int32_t x0 = tile & 1 ? m->w0 : 0, x1 = tile & 1 ? w : w < m->w0 ? w : m->w0, split = tile & 1 ? m->h1 : m->h0;
        int32_t y0 = tile & 2 ? split : 0, y1 = tile & 2 ? h : h < split ? h : split;
        int32_t channels[5];
        if (x0 >= x1 || y0 >= y1) continue;
        channels[0] = 0;
        channels[1] = c - 1;
        channels[2] = c < 16 ? 0 : 15;
        channels[3] = c < 16 ? 0 : c / 16 * 16 - 1;
        channels[4] = (c - 1) / 16 * 16;
        for (int i = 0; i < 20; i++) {
            wide    y = i & 1 ? y1 - 1 - y0 : 0, x = i & 2 ? x1 - 1 - x0 : 0;
            int32_t k = channels[i / 4];
            wide    at = m->base[tile] + y * m->step[1] + x * step_x;
            at += m->blocked ? k / 16 * (wide)m->step[2] + k % 16 * elem : k * elem;
            if (at < 0 || at + elem > (wide)bytes) return 0;
        }
    }
    return 1;
}

TEST(maps_anywhere) {
    long accepted = 0;
    for (int i = 0; i < 200000; i++) {
        int      real = i % 4 != 0;
        int32_t  h = real ? rnd_in(1, 20) : PICK(sizes), w = real ? rnd_in(1, 20) : PICK(sizes);
        int32_t  c = real ? rnd_in(1, 40) : PICK(sizes);
        wild     in = wild_map(), out = wild_map();
        wide     elements = (wide)h * w * c;
        const char *want = "";
        begin(&s);
        pretend_regions(real);
        set_wild(&in, 0);
        set_wild(&out, 0x10);
        set(&s, NPU__EU_SET_OFM_HEIGHT_M1, (uint32_t)h - 1);
        set(&s, NPU__EU_SET_OFM_WIDTH_M1, (uint32_t)w - 1);
        set(&s, NPU__EU_SET_OFM_DEPTH_M1, (uint32_t)c - 1);
        set(&s, NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_ABS);
        if (!wild_inside(&out, h, w, c, s.regions[1].bytes)) want = "ethos_u.address";
        else if (elements * (1 << out.log2) > (wide)s.regions[1].bytes) want = "ethos_u.address";
        else if (elements * 4 > BITS(38) - 4096) want = "ethos_u.limit";
        else if (!wild_inside(&in, h, w, c, s.regions[1].bytes)) want = "ethos_u.address";
        else if (elements * 8 > BITS(38) - 4096) want = "ethos_u.limit";
        accepted += !*want;
        CHECK_STR(refusal(real), want);
    }
    CHECK(accepted > 5000);
}

/* ---- operations ---- */

/* A convolution that runs, its input and output in memory that overlaps nothing else. */
static void convolution(int depthwise, int up, int bytes, int ic) {
    static const window w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 0};
    static scales k;
    window mine = w;
    shape  p = {depthwise ? ic : 8, 3, 3, ic, 16, 8, bytes == 2, 0, depthwise, 8, 1, 1, 0};
    map    in = {1, 6, 8, ic, bytes, 1, 0, bytes == 1 ? 3 : 0, 0}, out = {1, up ? 12 : 6, up ? 16 : 8, p.oc, 1, 1, 0, 5, 0x8000};
    for (int i = 0; i < p.oc * 9 * (depthwise ? 1 : ic); i++) all_weights[i] = (int16_t)(i % 200 - 100);
    for (int c = 0; c < p.oc; c++) k.m[c] = 1u << 30, k.shift[c] = 40;
    mine.up = up;
    begin(&s);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set_window(&s, &mine, 0, 0);
    set_weights(&s, &p, &k, 0);
    set(&s, depthwise ? NPU__EU_OP_DEPTHWISE : NPU__EU_OP_CONV, 0);
}

static void pooling(int mode, int channels, int bytes) {
    static const window w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 0}, one = {1, 1, 2, 2, 1, 1, {0, 0, 0, 0}, 0};
    int sum = mode == NPU__EU_POOL_REDUCE_SUM;
    map in = {1, 9, 9, channels, bytes, 1, 0, 3, 0}, out = {1, sum ? 5 : 9, sum ? 5 : 9, sum ? 1 : channels, bytes, 1, 0, 3, 0x8000};
    begin(&s);
    set_map(&s, 0, &in);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set_window(&s, sum ? &one : &w, 0, 0);
    set(&s, NPU__EU_OP_POOL, (uint32_t)mode);
}

static void addition(void) {
    map a = {1, 7, 9, 30, 1, 1, 0, 3, 0}, b = {1, 7, 1, 1, 1, 1, 0, -2, 0x2000}, out = {1, 7, 9, 30, 1, 1, 0, 0, 0x8000};
    begin(&s);
    set_map(&s, 0, &a);
    set_map(&s, 0x80, &b);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set(&s, NPU__EU_SET_IFM2_BROADCAST, 6);
    set_scale(&s, NPU__EU_SET_OPA_SCALE, 1, 0);
    set_scale(&s, NPU__EU_SET_OPB_SCALE, 1, 0);
    set(&s, NPU__EU_OP_ELEMENTWISE, NPU__EU_ELEMENT_ADD);
}

static void copy(void) {
    begin(&s);
    set_wide(&s, NPU__EU_SET_DMA0_LEN, 100);
    set_wide(&s, NPU__EU_SET_DMA0_SKIP0, ((uint64_t)1 << 40) - 100); /* every row over the first one */
    set(&s, NPU__EU_SET_DMA0_SIZE0, 40);
    set(&s, NPU__EU_SET_DMA0_SRC_REGION, 0x200);
    set(&s, NPU__EU_SET_DMA0_DST_REGION, 0x201);
    set(&s, NPU__EU_OP_DMA_START, 0);
}

enum { OPERATIONS = 13 };

static void operation(int i) {
    switch (i) {
    case 0: convolution(0, 0, 1, 16); break;
    case 1: convolution(0, 1, 1, 16); break;
    case 2: convolution(0, 2, 1, 3); break;
    case 3: convolution(0, 0, 2, 16); break;
    case 4: convolution(1, 0, 1, 24); break;
    case 5: convolution(1, 1, 2, 9); break;
    case 6: pooling(NPU__EU_POOL_MAX, 20, 1); break;
    case 7: pooling(NPU__EU_POOL_AVERAGE, 70, 2); break;
    case 8: pooling(NPU__EU_POOL_AVERAGE, 1, 1); break;
    case 9: pooling(NPU__EU_POOL_REDUCE_SUM, 30, 1); break;
    case 10: addition(); break;
    case 11: copy(); break;
    default: pooling(NPU__EU_POOL_MAX, 1, 1); break;
    }
}

/* A run can be stopped wherever it asks, and asks no more then; it never does more than the check has announced. */
TEST(stops) {
    for (int i = 0; i < OPERATIONS; i++) {
        npu__eu_payload p;
        npu__eu_need    need;
        long            all;
        int64_t         in_all;
        operation(i);
        CHECK(finish(&p, &need) == NPU_OK);
        CHECK(need.work_bytes <= sizeof s.work);
        CHECK(run_for(&p, INT64_MAX) == NPU_OK);
        all = asked;
        in_all = polled;
        CHECK(in_all <= need.steps);
        CHECK(in_all > need.steps / 8); /* nor much less */
        CHECK(all > 10);
        for (int64_t at = 0; at < in_all; at += 1 + in_all / 300) {
            CHECK(run_for(&p, at) == NPU_CANCELLED);
            CHECK(asked <= all && polled <= in_all && s.err.rule == NULL);
            CHECK(polled - at < 1 << 15);
        }
    }
}

/* Multiplications that are counted on their own, and steps that grow with every output channel. */
TEST(work) {
    npu__eu_payload p;
    npu__eu_need    need, twice;
    operation(0);
    CHECK(finish(&p, &need) == NPU_OK);
    CHECK_INT(need.macs, 6 * 8 * 8 * 9 * 16);
    operation(4);
    CHECK(finish(&p, &need) == NPU_OK);
    CHECK_INT(need.macs, 6 * 8 * 24 * 9);
    operation(10);
    CHECK(finish(&p, &need) == NPU_OK);
    CHECK_INT(need.macs, 0);
    for (int k = 0; k < 2; k++) { /* more channels than are done at a time */
        map    in = {1, 8, 8, 4096, 1, 1, 0, 0, 0}, out = {1, 8, 8, 2048, 1, 1, 0, 0, 0};
        window w = {3, 3, 1, 1, 1, 1, {1, 1, 1, 1}, 0};
        begin(&s);
        for (int i = 0; i < 2; i++) {
            s.regions[i].base = NULL;
            s.regions[i].bytes = (uint64_t)1 << 32;
        }
        out.c <<= k;
        set_map(&s, 0, &in);
        set_map(&s, 0x10, &out);
        set_open_clamp(&s, &out);
        set_window(&s, &w, 0, 0);
        set(&s, NPU__EU_SET_OFM_BLK_DEPTH_M1, 15);
        set_wide(&s, NPU__EU_SET_SCALE_LENGTH, 1 << 20);
        set(&s, NPU__EU_OP_CONV, 0);
        CHECK(finish(&p, k ? &twice : &need) == NPU_OK);
    }
    CHECK_INT(need.macs, (int64_t)8 * 8 * 2048 * 9 * 4096);
    CHECK(need.steps >= need.macs && need.steps < need.macs * 2);
    CHECK(twice.steps > need.steps * 2 - need.steps / 50);
}

/* Bytes of padding in a weight stream are work too, and so is every operation of no size. */
TEST(weights_work) {
    npu__eu_payload p;
    npu__eu_need    need, more;
    operation(0);
    CHECK(finish(&p, &need) == NPU_OK);
    operation(0);
    s.regions[0].bytes = (uint64_t)1 << 32;
    s.regions[0].base = NULL;
    set_wide(&s, NPU__EU_SET_WEIGHT_LENGTH, (uint64_t)1 << 30);
    set(&s, NPU__EU_OP_CONV, 0);
    CHECK(finish(&p, &more) == NPU_OK);
    CHECK(more.steps > BITS(32));
    begin(&s);
    for (int i = 0; i < 1000; i++) set(&s, NPU__EU_OP_DMA_START, 0);
    CHECK(finish(&p, &need) == NPU_OK);
    CHECK(need.steps > 100 * 1000);
    operation(0); /* a stream that never gives a weight: only marks of the end */
    memset(s.flash, 0xFF, sizeof s.flash);
    set_wide(&s, NPU__EU_SET_WEIGHT_BASE, 0);
    set_wide(&s, NPU__EU_SET_WEIGHT_LENGTH, sizeof s.flash);
    set(&s, NPU__EU_OP_CONV, 0);
    s.w[s.n - 6] = NPU__EU_OP_KERNEL_WAIT; /* instead of the first convolution, whose weights are gone */
    CHECK(finish(&p, &need) == NPU_OK);
    CHECK(run_for(&p, INT64_MAX) == NPU_INVALID_MODEL);
    CHECK_STR(s.err.rule, "ethos_u.weights");
    CHECK(asked > 10);
    CHECK(run_for(&p, 3000) == NPU_CANCELLED);
}

/* ---- what only sanitizers see ---- */

TEST(no_overflow) {
    npu__eu_payload p;
    npu__eu_need    need;
    map             in = {1, 1, 1, 1, 2, 0, 0, 0, 0}, out = {1, 1, 1, 1, 2, 0, 0, 0, 0x100};
    window          w = {256, 256, 1, 1, 1, 1, {0, 0, 0, 0}, 0};
    begin(&s); /* 65536 times the largest element */
    memset(s.sram, 0xFF, 16);
    set_map(&s, 0, &in);
    set_wide(&s, NPU__EU_SET_IFM_STRIDE_X, 0);
    set_wide(&s, NPU__EU_SET_IFM_STRIDE_Y, 0);
    set(&s, NPU__EU_SET_IFM_WIDTH0_M1, 255);
    set(&s, NPU__EU_SET_IFM_HEIGHT0_M1, 255);
    set_map(&s, 0x10, &out);
    set_open_clamp(&s, &out);
    set_window(&s, &w, 0, 0);
    set(&s, NPU__EU_OP_POOL, NPU__EU_POOL_AVERAGE);
    CHECK(finish(&p, &need) == NPU_OK);
    CHECK(run_for(&p, INT64_MAX) == NPU_OK);
    in.bytes = out.bytes = 4; /* operands of 32 bits, scaled up by 2^32 */
    for (int swap = 0; swap < 2; swap++) {
        for (int sub = 0; sub < 2; sub++) {
            int32_t far = sub ? INT32_MIN : INT32_MAX;
            begin(&s);
            in.is_signed = out.is_signed = 1;
            memcpy(s.sram, &far, 4);
            set_map(&s, 0, &in);
            set_map(&s, 0x80, &in);
            set_map(&s, 0x10, &out);
            set(&s, NPU__EU_SET_IFM_PRECISION, 0x109);
            set(&s, NPU__EU_SET_IFM2_BROADCAST, (uint32_t)swap << 6);
            set_scale(&s, NPU__EU_SET_OPA_SCALE, UINT32_MAX, 0);
            set_scale(&s, NPU__EU_SET_OFM_SCALE, UINT32_MAX, 63);
            set(&s, NPU__EU_OP_ELEMENTWISE, (uint32_t)(sub ? NPU__EU_ELEMENT_SUB : NPU__EU_ELEMENT_ADD));
            CHECK(finish(&p, &need) == NPU_OK);
            CHECK(run_for(&p, INT64_MAX) == NPU_OK);
        }
    }
}

/* A sum over channels reads every pixel that its stride names: padding would move some of them behind the input. */
TEST(sums_with_padding) {
    for (int side = 0; side < 4; side++) {
        npu__eu_payload p;
        npu__eu_need    need;
        pooling(NPU__EU_POOL_REDUCE_SUM, 8, 1);
        s.n--;
        set(&s, NPU__EU_SET_IFM_PAD_TOP + side, 2);
        set(&s, NPU__EU_OP_POOL, NPU__EU_POOL_REDUCE_SUM);
        CHECK(finish(&p, &need) == NPU_UNSUPPORTED);
        CHECK_STR(s.err.rule, "ethos_u.pool");
    }
}

/* Copies in pieces do what memmove does, whichever range comes first. */
TEST(moves) {
    static uint8_t got[5 << 20], want[5 << 20];
    static const size_t from[] = {0, 1, 1 << 20, 100, 3 << 19, 5}, to[] = {1, 0, 100, 1 << 20, 0, 5};
    for (int i = 0; i < 6; i++) {
        npu__eu_dev d;
        size_t      n = (3u << 20) + 7;
        memset(&d, 0, sizeof d);
        for (size_t k = 0; k < sizeof got; k++) got[k] = want[k] = (uint8_t)(k * 2654435761u >> 13);
        CHECK(npu__eu_move(&d, got + to[i], got + from[i], (int64_t)n) == NPU_OK);
        memmove(want + to[i], want + from[i], n);
        CHECK(memcmp(got, want, sizeof got) == 0);
    }
}

/* Working memory holds pointers: a stream may not be able to write there. */
TEST(work_apart) {
    npu__eu_payload p;
    npu__eu_need    need;
    operation(0);
    CHECK(finish(&p, &need) == NPU_OK);
    for (int i = 0; i < 5; i++) {
        static const int64_t base[] = {-100, 0, 4096, (1 << 21) - 1, -(1 << 17)};
        int64_t              at = base[i];
        operation(0);
        CHECK(finish(&p, &need) == NPU_OK);
        s.regions[2].base = (uint8_t *)((uintptr_t)s.work + (uintptr_t)at);
        s.regions[2].bytes = 1 << 17;
        CHECK(run_for(&p, INT64_MAX) == NPU_OK); /* read-only */
        s.regions[2].writable = 1;
        CHECK(run_for(&p, INT64_MAX) == (at == -(1 << 17) ? NPU_OK : NPU_INVALID_ARGUMENT));
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(spans);
    RUN(copies_anywhere);
    RUN(maps_anywhere);
    RUN(stops);
    RUN(work);
    RUN(weights_work);
    RUN(no_overflow);
    RUN(sums_with_padding);
    RUN(moves);
    RUN(work_apart);
    return REPORT();
}
