/* Flexbuffers: every type, JSON, cycles, prefixes, changed bytes and noise. */
#include "tflite_sources.h"

#include "test.h"

/* {a_int: -5, b_big: 3000000000, c_float: 0.5, d_double: 0.1, e_bool: true, f_str: "hi \"there\"",
 * g_ints: [1, -2, 300], h_floats: [1.5, 2.5], i_mixed: [1, 2.5, "x", null], j_map: {k: 7}, k_fixed: [1, 2, 3],
 * l_blob: 3 bytes,
 * m_indirect: 2.25, n_iind: -70000, o_u: 200} */
static const uint8_t flex_all[] = {
    97, 95, 105, 110, 116, 0, 98, 95, 98, 105, 103, 0, 99, 95, 102, 108, 111, 97, 116, 0, 100, 95, 100, 111,
    117, 98, 108, 101, 0, 101, 95, 98, 111, 111, 108, 0, 102, 95, 115, 116, 114, 0, 10, 104, 105, 32, 34, 116,
    104, 101, 114, 101, 34, 0, 103, 95, 105, 110, 116, 115, 0, 0, 3, 0, 1, 0, 254, 255, 44, 1, 104, 95,
    102, 108, 111, 97, 116, 115, 0, 0, 2, 0, 0, 0, 0, 0, 192, 63, 0, 0, 32, 64, 105, 95, 109, 105,
    120, 101, 100, 0, 1, 120, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 32, 64, 15, 0, 0, 0,
    0, 0, 0, 0, 6, 14, 20, 2, 106, 95, 109, 97, 112, 0, 107, 0, 1, 3, 1, 1, 1, 7, 8, 107,
    95, 102, 105, 120, 101, 100, 0, 1, 2, 3, 108, 95, 98, 108, 111, 98, 0, 3, 1, 2, 3, 109, 95, 105,
    110, 100, 105, 114, 101, 99, 116, 0, 0, 0, 16, 64, 110, 95, 105, 105, 110, 100, 0, 0, 144, 238, 254, 255,
    111, 95, 117, 0, 15, 197, 192, 187, 180, 172, 166, 149, 134, 113, 78, 64, 54, 44, 30, 19, 0, 0, 0, 0,
    19, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0,
    251, 255, 255, 255, 255, 255, 255, 255, 0, 94, 208, 178, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 224, 63,
    154, 153, 153, 153, 153, 153, 185, 63, 1, 0, 0, 0, 0, 0, 0, 0, 237, 0, 0, 0, 0, 0, 0, 0,
    224, 0, 0, 0, 0, 0, 0, 0, 212, 0, 0, 0, 0, 0, 0, 0, 196, 0, 0, 0, 0, 0, 0, 0,
    171, 0, 0, 0, 0, 0, 0, 0, 169, 0, 0, 0, 0, 0, 0, 0, 166, 0, 0, 0, 0, 0, 0, 0,
    160, 0, 0, 0, 0, 0, 0, 0, 156, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0,
    7, 7, 15, 15, 107, 20, 45, 54, 42, 36, 76, 100, 34, 26, 11, 135, 39, 1};

typedef struct text_buf {
    char   p[8192];
    size_t n;
    int    limit, calls; /* the writer stops at that call, 0: never */
} text_buf;

static int text_write(void *user, const char *text, size_t n) {
    text_buf *t = (text_buf *)user;
    if (++t->calls == t->limit) return 7;
    if (t->n + n < sizeof t->p) {
        memcpy(t->p + t->n, text, n);
        t->n += n;
        t->p[t->n] = 0;
    }
    return 0;
}

/* Prints as JSON; returns what the text layer says about the writer. */
static npu_status flex_print(npu__flex v, text_buf *t) {
    npu_writer w;
    npu__text  text;
    w.user = t;
    w.write = text_write;
    t->n = 0;
    t->calls = 0;
    npu__text_init(&text, &w);
    npu__flex_print(&text, v);
    return npu__text_end(&text, NULL);
}

/* Prints and looks everything up; only the sanitizers judge. */
static void flex_exercise(const uint8_t *p, size_t n) {
    static const char *const keys[] = {"a_int", "c_float", "g_ints", "j_map", "nope", ""};
    uint8_t   *copy = (uint8_t *)malloc(n ? n : 1);
    npu__flex  root;
    text_buf   t;
    t.limit = 0;
    if (n) memcpy(copy, p, n);
    root = npu__flex_root(copy, n);
    flex_print(root, &t);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        npu__flex v = npu__flex_get(root, keys[i]);
        npu__str  s = npu__flex_str(v);
        double    sum = npu__flex_f64(v, 1) + (double)npu__flex_i64(v, 1) + npu__flex_bool(v, 1);
        for (size_t k = 0; k < s.n; k++) sum += s.p[k];
        CHECK(sum != 1.25e99);
        for (uint32_t k = 0; k < npu__flex_count(v) && k < 100; k++) npu__flex_i32(npu__flex_at(v, k), 0);
    }
    for (uint32_t k = 0; k <= npu__flex_count(root) && k < 1000; k++) {
        npu__str s = npu__flex_key_at(root, k);
        for (size_t j = 0; j < s.n; j++) CHECK(s.p[j] != 0);
    }
    free(copy);
}

TEST(flex_reads_all_types) {
    npu__flex m = npu__flex_root(flex_all, sizeof flex_all), v;
    CHECK_INT(npu__flex_kind_of(m), NPU__FLEX_MAP);
    CHECK_INT(npu__flex_count(m), 15);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "a_int"), 0), -5);
    CHECK(npu__flex_f64(npu__flex_get(m, "a_int"), 0) == -5.0);
    CHECK_INT(npu__flex_i64(npu__flex_get(m, "b_big"), 0), 3000000000LL);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "b_big"), 0), INT32_MAX);
    CHECK(npu__flex_f64(npu__flex_get(m, "c_float"), 0) == 0.5);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "c_float"), 9), 0);
    CHECK(fabs(npu__flex_f64(npu__flex_get(m, "d_double"), 0) - 0.1) < 1e-15);
    CHECK_INT(npu__flex_bool(npu__flex_get(m, "e_bool"), 0), 1);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "e_bool"), 0), 1);
    CHECK_INT(npu__flex_bool(npu__flex_get(m, "c_float"), 0), 1);
    CHECK(npu__str_is(npu__flex_str(npu__flex_get(m, "f_str")), "hi \"there\""));
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "f_str"), 42), 42);
    v = npu__flex_get(m, "g_ints");
    CHECK_INT(npu__flex_kind_of(v), NPU__FLEX_VEC);
    CHECK_INT(npu__flex_count(v), 3);
    CHECK_INT(npu__flex_i32(npu__flex_at(v, 1), 0), -2);
    CHECK_INT(npu__flex_i32(npu__flex_at(v, 2), 0), 300);
    CHECK_INT(npu__flex_i32(npu__flex_at(v, 3), -1), -1);
    CHECK(npu__flex_f64(npu__flex_at(npu__flex_get(m, "h_floats"), 1), 0) == 2.5);
    v = npu__flex_get(m, "i_mixed");
    CHECK_INT(npu__flex_count(v), 4);
    CHECK(npu__str_is(npu__flex_str(npu__flex_at(v, 2)), "x"));
    CHECK_INT(npu__flex_kind_of(npu__flex_at(v, 3)), NPU__FLEX_NULL);
    CHECK_INT(npu__flex_i32(npu__flex_get(npu__flex_get(m, "j_map"), "k"), 0), 7);
    CHECK_INT(npu__flex_i32(npu__flex_at(npu__flex_get(m, "k_fixed"), 2), 0), 3);
    CHECK_INT(npu__flex_count(npu__flex_get(m, "k_fixed")), 3);
    CHECK_INT(npu__flex_str(npu__flex_get(m, "l_blob")).n, 3);
    CHECK(npu__flex_f64(npu__flex_get(m, "m_indirect"), 0) == 2.25);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "n_iind"), 0), -70000);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "o_u"), 0), 200);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "missing"), 11), 11);
    CHECK_INT(npu__flex_i32(npu__flex_get(m, "a_in"), 11), 11);
    CHECK(npu__str_is(npu__flex_key_at(m, 14), "o_u"));
    CHECK_INT(npu__flex_key_at(m, 15).n, 0);
    CHECK_INT(npu__flex_kind_of(npu__flex_get(v, "k")), NPU__FLEX_NULL);
}

TEST(flex_prints_json) {
    text_buf t;
    t.limit = 0;
    CHECK_INT(flex_print(npu__flex_root(flex_all, sizeof flex_all), &t), NPU_OK);
    CHECK_STR(t.p, "{\"a_int\": -5, \"b_big\": 3000000000, \"c_float\": 0.5, \"d_double\": 0.1, \"e_bool\": true, "
                   "\"f_str\": \"hi \\\"there\\\"\", \"g_ints\": [1, -2, 300], \"h_floats\": [1.5, 2.5], "
                   "\"i_mixed\": [1, 2.5, \"x\", null], \"j_map\": {\"k\": 7}, \"k_fixed\": [1, 2, 3], "
                   "\"l_blob\": \"(3 bytes)\", \"m_indirect\": 2.25, \"n_iind\": -70000, \"o_u\": 200}");
    t.limit = 1;
    CHECK_INT(flex_print(npu__flex_root(flex_all, sizeof flex_all), &t), NPU_RUNTIME);
}

/* A vector of 200 elements that are all that same vector: 200^8 values if it were followed. */
TEST(flex_cycles_are_bounded) {
    uint8_t  b[1 + 200 + 200 + 3];
    text_buf t;
    t.limit = 0;
    b[0] = 200;
    for (int i = 0; i < 200; i++) {
        b[1 + i] = (uint8_t)i;    /* back to element 0 */
        b[201 + i] = 10 << 2;     /* an untyped vector of byte-wide elements */
    }
    b[401] = 200; /* root: 401 - 200 lies inside the elements */
    b[402] = 10 << 2;
    b[403] = 1;
    flex_print(npu__flex_root(b, sizeof b), &t);
    CHECK(t.calls < 20);
    b[1] = 0;
    flex_exercise(b, sizeof b);
    flex_exercise(b, 401);
}

/* 60 values that are all the same string: what is written is bounded by the bytes there are. */
TEST(flex_shared_strings_are_bounded) {
    uint8_t  b[2 + 100 + 1 + 60 + 60 + 3];
    text_buf t;
    t.limit = 0;
    memset(b, 's', sizeof b);
    b[0] = 100;
    b[101] = 0;
    b[102] = 60;
    for (int i = 0; i < 60; i++) {
        b[103 + i] = (uint8_t)(103 + i - 1); /* back to the string at 1 */
        b[163 + i] = 5 << 2;
    }
    b[223] = 120; /* back to element 0 */
    b[224] = 10 << 2;
    b[225] = 1;
    flex_print(npu__flex_root(b, sizeof b), &t);
    CHECK(t.n > 226 * 16 && t.n < 226 * 16 + 60 * 4 + 10);
}

/* Names in reports: whole up to 1024 bytes, then cut between characters. */
TEST(long_names_are_cut) {
    char       name[1100];
    text_buf   t;
    npu_writer w;
    npu__text  text;
    npu__str   s;
    memset(name, 'n', sizeof name);
    memcpy(name + 1022, "\xE2\x82\xAC", 3); /* a character of three bytes across the border */
    s.p = name;
    w.user = &t;
    w.write = text_write;
    for (int json = 0; json < 2; json++) {
        for (s.n = 1024; s.n <= 1100; s.n += 76) {
            size_t want = s.n == 1024 ? 1022 + (json ? 6 : 2) : 1022 + 3; /* at 1024 the character is broken: 2 * U+FFFD */
            t.n = 0;
            t.calls = t.limit = 0;
            npu__text_init(&text, &w);
            if (json) npu__json_str(&text, NULL, s);
            else npu__text_f(&text, "%S", &s);
            CHECK_INT(npu__text_end(&text, NULL), NPU_OK);
            CHECK_INT(t.n, want + (json ? 2 : 0));
            if (s.n > 1024) CHECK(memcmp(t.p + 1022 + json, "...", 3) == 0);
        }
    }
}

TEST(flex_garbage) {
    uint8_t  b[sizeof flex_all];
    uint32_t r = 12345;
    for (size_t n = 0; n <= sizeof flex_all; n++) {
        flex_exercise(flex_all, n);
        flex_exercise(flex_all + n, sizeof flex_all - n);
    }
    for (size_t i = 0; i < sizeof flex_all; i++) {
        static const uint8_t values[] = {0, 1, 2, 8, 0x28, 0x7F, 0x80, 0xFF};
        memcpy(b, flex_all, sizeof b);
        for (size_t k = 0; k < sizeof values; k++) {
            b[i] = values[k];
            flex_exercise(b, sizeof b);
        }
    }
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < 40; i++) {
            r = r * 1664525u + 1013904223u;
            b[i] = (uint8_t)(r >> 24);
        }
        b[39] = (uint8_t)(1 << (round & 3));
        b[38] = (uint8_t)((round % 40) << 2 | (round >> 6 & 3));
        flex_exercise(b, 40);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(flex_reads_all_types);
    RUN(flex_prints_json);
    RUN(flex_cycles_are_bounded);
    RUN(flex_shared_strings_are_bounded);
    RUN(long_names_are_cut);
    RUN(flex_garbage);
    return REPORT();
}
