/* The far ends of the file format: numbers that no table has, buffers cut off anywhere, bytes of every value. */
#include "tflite_sources.h"
#include "tflite_kinds.h"

#include "fb_writer.h"
#include "test.h"

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* ---- the schema's look-ups ---- */

TEST(numbers_of_no_table) {
    static const int32_t bad[] = {-5, -1, 0, 100000};
    int32_t              n, u;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int32_t b = bad[i] == 0 ? NPU__T_NONE : bad[i];
        CHECK(npu__schema_fields(b, &n) == NULL && n == 0);
        CHECK_STR(npu__schema_table_name(b), "");
        CHECK_INT(npu__kind_bytes(b < 0 ? b : NPU__K_COUNT + b), 0);
        CHECK_INT(npu__union_table(bad[i] == 0 ? NPU__U_NONE : b, 1), NPU__T_NONE);
        CHECK_STR(npu__union_name(bad[i] == 0 ? NPU__U_NONE : b), "");
        CHECK_INT(npu__enum_name(bad[i] == 0 ? NPU__E_NONE : b, 0).n, 0);
        CHECK_STR(npu__builtin_name(b < 0 ? b : 100000), "UNKNOWN");
        CHECK_INT(npu__builtin_options_type(b < 0 ? b : 100000, &u), 0);
    }
    for (int32_t e = 0; e < NPU__E_COUNT; e++) {
        CHECK_INT(npu__enum_name(e, -1).n, 0);
        CHECK_INT(npu__enum_name(e, 255).n, 0);
        CHECK_INT(npu__enum_name(e, 256).n, 0);
    }
    CHECK_INT(npu__union_table(NPU__U_BuiltinOptions, 0), NPU__T_NONE);
    CHECK_INT(npu__union_table(NPU__U_BuiltinOptions, 255), NPU__T_NONE);
}

/* ---- what is no TFLite file ---- */

TEST(other_identifiers) {
    static const struct {
        const char *bytes;
        size_t      n;
        const char *text;
    } cases[] = {
        {"\20\0\0\0ABCD", 8, "bytes 4 to 7"},                       /* no room for a table */
        {"\20\0\0\0ABCD1234", 12, "bytes 4 to 7"},                  /* the root lies behind the end */
        {"\7\0\0\0ABCD1234", 12, "bytes 4 to 7"},                   /* the root lies in the header */
        {"\10\0\0\0ABz91234", 12, "its identifier is \"ABz9\""},
        {"\10\0\0\0AB/91234", 12, "bytes 4 to 7"},
        {"\10\0\0\0AB:91234", 12, "bytes 4 to 7"},
        {"\10\0\0\0AB[91234", 12, "bytes 4 to 7"},
        {"\10\0\0\0AB`91234", 12, "bytes 4 to 7"},
        {"\10\0\0\0AB{91234", 12, "bytes 4 to 7"},
        {"1234567", 7, "too short"},
        {"\0\0\0\0\0\0\0\0TFL3", 12, "size prefix"},
    };
    npu_diag d;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        npu__diag_clear(&d);
        CHECK_INT(npu__verify_identifier((const uint8_t *)cases[i].bytes, cases[i].n, &d), NPU_INVALID_MODEL);
        CHECK_STR(d.rule, "tflite.identifier");
        CHECK_HAS(d.text, cases[i].text);
        CHECK_INT(npu__verify_identifier((const uint8_t *)cases[i].bytes, cases[i].n, &d), NPU_INVALID_MODEL); /* filled */
        CHECK_HAS(d.text, cases[i].text);
        CHECK_INT(npu__verify_identifier((const uint8_t *)cases[i].bytes, cases[i].n, NULL), NPU_INVALID_MODEL);
    }
}

/* ---- the verifier ---- */

/* The same subgraph, which names the same tensor, again and again. */
TEST(shared_tables) {
    static uint8_t space[1 << 14];
    fbw            w;
    npu_diag       d;
    npu__tab       model;
    size_t         root, graphs, graph, tensors, tensor;
    w.buf = space;
    w.n = 0;
    w.cap = sizeof space;
    fbw_add(&w, 0, 4);
    memcpy(space + fbw_add(&w, 0, 4), "TFL3", 4);
    root = fbw_table(&w, 0, "4.4");
    fbw_put(&w, 0, root, 4);
    graphs = fbw_vec(&w, fbw_field(&w, root, 2), 200, 4);
    graph = fbw_table(&w, 0, "4");
    for (size_t i = 0; i < 200; i++) fbw_put(&w, graphs + 4 * i, graph - (graphs + 4 * i), 4);
    tensors = fbw_vec(&w, fbw_field(&w, graph, 0), 200, 4);
    tensor = fbw_table(&w, 0, ".1");
    for (size_t i = 0; i < 200; i++) fbw_put(&w, tensors + 4 * i, tensor - (tensors + 4 * i), 4);
    npu__diag_clear(&d);
    CHECK_INT(npu__verify_model(space, w.n, &model, &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "fb.too_complex");
    CHECK(d.subgraph > 10 && model == NULL);
    CHECK_INT(npu__verify_model(space, w.n, &model, NULL), NPU_INVALID_MODEL);
    CHECK_INT(npu__verify_model(space, w.n, &model, &d), NPU_INVALID_MODEL); /* a record that is filled stays */
    CHECK_STR(d.rule, "fb.too_complex");
}

/* ---- flexbuffers ---- */

static int inside(npu__flex v, npu__str s) {
    return s.n == 0 || ((const uint8_t *)s.p >= v.base && s.n <= v.bytes &&
                        (size_t)((const uint8_t *)s.p - v.base) <= v.bytes - s.n);
}

static int count_writes(void *user, const char *text, size_t n) {
    size_t *total = (size_t *)user;
    (void)text;
    *total += n;
    return 0;
}

/* Everything that can be asked of any bytes; what comes back lies inside of them. */
static void ask_all(npu__flex v, int depth) {
    uint32_t n = npu__flex_count(v);
    CHECK(n <= v.bytes);
    (void)npu__flex_i64(v, 1);
    (void)npu__flex_f64(v, 1);
    (void)npu__flex_bool(v, 1);
    CHECK(npu__flex_i32(v, 1) == npu__flex_i64(v, 1) || npu__flex_i64(v, 1) != (int32_t)npu__flex_i64(v, 1));
    CHECK(inside(v, npu__flex_str(v)));
    CHECK(inside(v, npu__flex_key_at(v, 0)));
    CHECK_INT(npu__flex_key_at(v, n).n, 0);
    CHECK_INT(npu__flex_kind_of(npu__flex_at(v, n)), NPU__FLEX_NULL);
    (void)npu__flex_get(v, "a");
    for (uint32_t i = 0; i < n && i < 4 && depth < 3; i++) {
        CHECK(inside(v, npu__flex_key_at(v, i)));
        ask_all(npu__flex_at(v, i), depth + 1);
    }
}

TEST(any_bytes_are_flexbuffers) {
    static const uint8_t likely[] = {0, 1, 1, 2, 3, 4, 8, 'a', 5, 0x24, 0x25, 0x27, 0x28, 0x29, 0x2C, 0x3C, 0x40, 0x58, 0x60,
                                     0x64, 0x68, 0x90, 0x0C, 0x0D, 0x0F, 0x10, 0x14, 0x18, 0x20, 0x94, 255, 127, 128};
    for (long round = 0; round < 200000; round++) {
        size_t     n = 3 + rnd(22), total = 0;
        uint8_t   *p = (uint8_t *)malloc(n);
        npu_writer w;
        npu__text  t;
        npu__flex  root;
        for (size_t i = 0; i < n; i++) p[i] = rnd(5) ? likely[rnd(sizeof likely)] : (uint8_t)rnd(256);
        if (rnd(4)) p[n - 1] = (uint8_t)(1u << rnd(4));
        root = npu__flex_root(p, n);
        ask_all(root, 0);
        w.user = &total;
        w.write = count_writes;
        npu__text_init(&t, &w);
        npu__flex_print(&t, root);
        CHECK_INT(npu__text_end(&t, NULL), NPU_OK);
        CHECK(total > 0 && total < 1 << 20);
        free(p);
    }
}

TEST(flexbuffer_numbers) {
    static const struct {
        const char *bytes;
        size_t      n;
        int64_t     i64;
        int32_t     i32;
    } cases[] = {
        {"\377\377\377\377\377\377\377\377\13\10", 10, INT64_MAX, INT32_MAX},  /* uint64 */
        {"\0\0\0\0\0\0\0\200\7\10", 10, INT64_MIN, INT32_MIN},                 /* int64 */
        {"\377\377\377\377\6\4", 6, -1, -1},
        {"\0\0\200\177\16\4", 6, INT64_MAX, INT32_MAX},                        /* infinity */
        {"\0\0\200\377\16\4", 6, INT64_MIN, INT32_MIN},
        {"\0\0\300\177\16\4", 6, 0, 0},                                        /* not a number */
        {"\0\100\15\2", 4, 2, 2},                                              /* float16 */
        {"\1\150\1", 3, 1, 1},                                                 /* bool */
        {"\1\14\1", 3, 0, 0},                                                  /* no float has 8 bits */
        {"\1\4\3", 3, 7, 7},                                                   /* no width is 3: null */
        {"\1\4\10", 3, 7, 7},                                                  /* wider than the buffer */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        npu__flex v = npu__flex_root((const uint8_t *)cases[i].bytes, cases[i].n);
        if (!CHECK_INT(npu__flex_i64(v, 7), cases[i].i64)) printf("    case %d\n", (int)i);
        CHECK_INT(npu__flex_i32(v, 7), cases[i].i32);
    }
}

static int writes_left;
static int write_some(void *user, const char *text, size_t n) {
    size_t *total = (size_t *)user;
    (void)text;
    *total += n;
    return writes_left-- <= 0;
}

static size_t printed(const uint8_t *p, size_t n, int writes) {
    size_t     total = 0;
    npu_writer w;
    npu__text  t;
    w.user = &total;
    w.write = write_some;
    writes_left = writes;
    npu__text_init(&t, &w);
    npu__flex_print(&t, npu__flex_root(p, n));
    (void)npu__text_end(&t, NULL);
    return total;
}

/* Vectors of vectors of themselves: bounded in depth and in values, and a writer may stop. Strings are cut. */
TEST(flexbuffer_prints_are_bounded) {
    static uint8_t p[8000];
    size_t         whole, n = 0;
    p[n++] = 100; /* a vector of 100 elements, each of which leads back to it */
    for (int i = 0; i < 100; i++, n++) p[n] = (uint8_t)(n - 1);
    for (int i = 0; i < 100; i++) p[n++] = 10 << 2;
    p[n] = (uint8_t)(n - 1);
    n++;
    p[n++] = 10 << 2;
    p[n++] = 1;
    whole = printed(p, n, 1 << 20);
    if (!CHECK(whole > 500 && whole < 20000)) printf("    %d\n", (int)whole);
    for (int writes = 0; writes < 6; writes++) CHECK(printed(p, n, writes) <= whole);
    n = 3; /* the same as a map, whose keys lie nowhere */
    p[0] = 0;
    p[1] = 1;
    p[2] = 100;
    for (int i = 0; i < 100; i++, n++) p[n] = (uint8_t)(n - 3);
    for (int i = 0; i < 100; i++) p[n++] = 9 << 2;
    p[n] = (uint8_t)(n - 3);
    n++;
    p[n++] = 9 << 2;
    p[n++] = 1;
    whole = printed(p, n, 1 << 20);
    if (!CHECK(whole > 500 && whole < 20000)) printf("    %d\n", (int)whole);
    n = 0;
    p[n++] = 0x70; /* a string of 6000 bytes */
    p[n++] = 0x17;
    for (int i = 0; i < 6000; i++) p[n++] = 'x';
    p[n] = 6000 & 255;
    p[n + 1] = 6000 >> 8;
    p[n + 2] = 5 << 2 | 1;
    p[n + 3] = 2;
    whole = printed(p, n + 4, 1 << 20);
    CHECK_INT(whole, 4096 + 2);
}

/* Keys of 8 bytes each, many more than the buffer holds. */
TEST(flexbuffer_keys_past_the_end) {
    uint8_t p[62];
    memset(p, 0, sizeof p);
    p[0] = 255; /* so many keys, from byte 8 on */
    p[16] = 8;
    p[17] = 8;
    p[18] = 20; /* a map of 20 numbers */
    memset(p + 39, 4, 20);
    p[59] = 40;
    p[60] = 9 << 2;
    p[61] = 1;
    CHECK_INT(npu__flex_kind_of(npu__flex_root(p, sizeof p)), NPU__FLEX_MAP);
    CHECK_INT(npu__flex_count(npu__flex_root(p, sizeof p)), 20);
    for (uint32_t i = 0; i < 20; i++) CHECK(npu__flex_key_at(npu__flex_root(p, sizeof p), i).n <= sizeof p);
    CHECK_INT(npu__flex_kind_of(npu__flex_get(npu__flex_root(p, sizeof p), "a key that is longer than all that is there, and "
                                              "so lies nowhere inside of it")), NPU__FLEX_NULL);
}

/* A map whose keys are damaged one byte at a time: a look-up finds the value or nothing. */
TEST(flexbuffer_keys_anywhere) {
    static const uint8_t good[] = {'a', 0, 'b', 0, 2, 5, 4, 2, 1, 2, 7, 9, 4, 4, 4, 0x24, 1};
    uint8_t              p[sizeof good];
    CHECK_INT(npu__flex_i64(npu__flex_get(npu__flex_root(good, sizeof good), "a"), 0), 7);
    CHECK_INT(npu__flex_i64(npu__flex_get(npu__flex_root(good, sizeof good), "b"), 0), 9);
    for (size_t at = 0; at < sizeof good; at++) {
        for (int value = 0; value < 256; value++) {
            memcpy(p, good, sizeof good);
            p[at] = (uint8_t)value;
            ask_all(npu__flex_root(p, sizeof p), 0);
            for (size_t cut = 3; cut < sizeof p; cut += 3) ask_all(npu__flex_root(p, cut), 0);
        }
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(numbers_of_no_table);
    RUN(other_identifiers);
    RUN(kinds_of_files);
    RUN(every_kind_is_reached);
    RUN(shared_tables);
    RUN(any_bytes_are_flexbuffers);
    RUN(flexbuffer_numbers);
    RUN(flexbuffer_prints_are_bounded);
    RUN(flexbuffer_keys_past_the_end);
    RUN(flexbuffer_keys_anywhere);
    (void)fbw_set;
    (void)fbw_str;
    return REPORT();
}
