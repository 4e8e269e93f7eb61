/* String tensors and hash tables: hostile contents, the public calls, limits, cancelling, memory that runs out at every place, reset.
 * What the operators compute is compared with LiteRT in tests/conformance/ops_string.py. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "descs.h"
#include "model_maker.h"
#include "test.h"

/* ---- models ---- */

typedef struct net {
    npu_graph   *g;
    npu_model   *model;
    npu_plan    *plan;
    npu_session *session;
    npu_status   s; /* the first failure */
    npu_diag     d;
    int32_t      sub;
} net;

static void net_begin(net *n, const npu_allocator *a) {
    npu_model_desc desc;
    memset(n, 0, sizeof *n);
    memset(&desc, 0, sizeof desc);
    if (a) desc.allocator = *a;
    n->s = npu_graph_create(&n->g, &desc, &n->d);
    if (n->s == NPU_OK) n->s = npu_graph_subgraph(n->g, "main", &n->sub, &n->d);
}

/* A tensor of up to two dimensions (-1: none). */
static int32_t net_tensor(net *n, npu_type type, int32_t a, int32_t b, const void *data, size_t bytes) {
    const int32_t   dims[2] = {a, b};
    npu_tensor_desc t = tensor_desc(type, a < 0 ? 0 : b < 0 ? 1 : 2, dims, data, bytes);
    int32_t         i = -1;
    if (n->s == NPU_OK) n->s = npu_graph_tensor(n->g, n->sub, &t, &i, &n->d);
    return i;
}

static int32_t net_strings(net *n, int32_t a, const char *const *items, size_t count) {
    static uint8_t room[65536];
    const size_t   bytes = npu_strings_pack(room, sizeof room, items, NULL, count);
    return net_tensor(n, NPU_STRING, a, -1, room, bytes);
}

static int32_t net_ints(net *n, const int32_t *p, int32_t count) { return net_tensor(n, NPU_INT32, count, -1, p, 4 * (size_t)count); }

/* Inputs up to -1. */
static void net_op(net *n, const char *name, int32_t a, int32_t b, int32_t c, int32_t out) {
    const int32_t in[3] = {a, b, c};
    npu_op_desc   o = op_desc(name, in, c >= 0 ? 3 : b >= 0 ? 2 : a >= 0 ? 1 : 0, &out, out >= 0);
    if (n->s == NPU_OK) n->s = npu_graph_op(n->g, n->sub, &o, NULL, &n->d);
}
static void net_option(net *n, int32_t op, const char *name, int64_t value) {
    if (n->s == NPU_OK) n->s = npu_graph_option_int(n->g, n->sub, op, name, value, &n->d);
}

static void net_io(net *n, int32_t in, int32_t out) {
    if (n->s == NPU_OK) n->s = npu_graph_inputs(n->g, n->sub, &in, in >= 0, &n->d);
    if (n->s == NPU_OK) n->s = npu_graph_outputs(n->g, n->sub, &out, 1, &n->d);
}

static void net_start(net *n, const npu_plan_desc *pd, const npu_session_desc *sd) {
    if (n->s == NPU_OK) n->s = npu_graph_finish(n->g, &n->model, &n->d);
    if (n->s == NPU_OK) n->s = npu_plan_create(&n->plan, n->model, pd, &n->d);
    if (n->s == NPU_OK) n->s = npu_session_create(&n->session, n->plan, sd, &n->d);
}

static void net_end(net *n) {
    npu_session_destroy(n->session);
    npu_plan_destroy(n->plan);
    npu_model_close(n->model);
    npu_graph_destroy(n->g);
}

/* String k of output 0, zero-terminated. */
static const char *net_out(net *n, int64_t k) {
    static char text[4][256];
    static int  next;
    npu_tensor  t;
    const char *p;
    size_t      len;
    char       *to = text[next++ & 3];
    CHECK_INT(npu_session_output(n->session, 0, &t), NPU_OK);
    if (npu_tensor_string(&t, k, &p, &len) != NPU_OK) return NULL;
    CHECK(len < sizeof text[0]);
    memcpy(to, p, len);
    to[len] = 0;
    return to;
}

static npu_status net_feed(net *n, const char *a, const char *b) {
    const char *const items[2] = {a, b};
    npu_status        s = npu_session_set_strings(n->session, 0, items, NULL, 2, &n->d);
    return s == NPU_OK ? npu_session_invoke(n->session, &n->d) : s;
}

/* y = an operator on two strings x; -1 where there is no constant. */
static void make_mover(net *n, const char *op, const int32_t *p, int32_t count, int32_t out, const npu_allocator *a) {
    int32_t x, k = -1, y;
    net_begin(n, a);
    x = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    if (p) k = net_ints(n, p, count);
    y = net_tensor(n, NPU_STRING, out, -1, NULL, 0);
    net_op(n, op, x, k, -1, y);
    net_io(n, x, y);
}

static void make_tile(net *n, int32_t times, const npu_allocator *a) { make_mover(n, "TILE", &times, 1, 2 * times, a); }

/* ---- contents ---- */

static int32_t word_bytes(uint8_t *to, const int32_t *words, int32_t n) {
    memcpy(to, words, 4 * (size_t)n);
    return 4 * n;
}

TEST(hostile_contents) {
    static const struct {
        int32_t words[6], n, bytes; /* bytes: 0: all */
        int     good;
    } list[] = {
        {{2, 16, 17, 20, 0x61626364}, 5, 0, 1},
        {{2, 16, 16, 16}, 4, 0, 1},
        {{2, 16, 17, 18, 0x61626364}, 5, 0, 1}, /* bytes that nobody has */
        {{2, 16, 17, 20, 0x61626364}, 5, 19, 0},
        {{2, 16, 17, 21, 0x61626364}, 5, 0, 0},
        {{2, 16, 17, 20}, 4, 0, 0},
        {{2, 16, 16}, 3, 0, 0},
        {{2, 16, 16}, 3, 3, 0},
        {{-1, 16, 16, 16}, 4, 0, 0},
        {{INT32_MAX, 16, 16, 16}, 4, 0, 0},
        {{1, 16, 16, 16}, 4, 0, 0},
        {{3, 20, 20, 20, 20}, 5, 0, 0},
        {{2, 12, 16, 16}, 4, 0, 0},
        {{2, -4, 16, 16}, 4, 0, 0},
        {{2, 16, 15, 16}, 4, 0, 0},
        {{2, 16, 20, 18, 0}, 5, 0, 0},
        {{2, 16, INT32_MAX, 16}, 4, 0, 0},
        {{2, 16, 16, INT32_MIN}, 4, 0, 0},
        {{2, INT32_MAX, INT32_MAX, INT32_MAX}, 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        for (int shift = 0; shift < 4; shift++) { /* at any address */
            uint8_t      room[64];
            const size_t all = (size_t)word_bytes(room + shift, list[i].words, list[i].n);
            net          n;
            net_begin(&n, NULL);
            net_tensor(&n, NPU_STRING, 2, -1, room + shift, list[i].bytes ? (size_t)list[i].bytes : all);
            CHECK_INT(n.s, list[i].good ? NPU_OK : NPU_INVALID_MODEL);
            if (!list[i].good) CHECK_STR(n.d.rule, "tflite.strings");
            net_end(&n);
        }
    }
}

/* So many, or so long, that nothing of them is looked at. */
TEST(contents_too_large) {
    const int32_t words[4] = {2, 16, 16, 16};
    net           n;
    for (int many = 0; many < 2; many++) {
        net_begin(&n, NULL);
        net_tensor(&n, NPU_STRING, many ? 1 << 30 : 2, -1, words, many || sizeof(size_t) < 8 ? sizeof words : (size_t)3 << 29 << 1);
        CHECK_INT(n.s, many || sizeof(size_t) >= 8 ? NPU_INVALID_MODEL : NPU_OK);
        if (n.s != NPU_OK) CHECK_STR(n.d.rule, "tflite.strings");
        net_end(&n);
    }
}

TEST(strings_of_a_file) {
    static mk      m;
    static uint8_t many[800000];
    const int32_t  count = (int32_t)(sizeof many / 4) - 2;
    npu_model     *model;
    npu_diag       d;
    const uint8_t *bytes;
    size_t         n;
    for (size_t i = 0; i < sizeof many / 4; i++) {
        const int32_t v = i == 0 ? count : (int32_t)sizeof many;
        memcpy(many + 4 * i, &v, 4);
    }
    for (int tensors = 1; tensors < 36; tensors += 34) { /* that share them */
        mk_init(&m);
        mk_const(&m, 0, NPU_STRING, count, -1, many, sizeof many);
        for (int i = 1; i < tensors; i++) m.g[0].t[mk_t(&m, 0, NPU_STRING, count, -1, -1, -1)].buffer = m.g[0].t[0].buffer;
        mk_out(&m, 0, 0);
        bytes = mk_file(&m, &n);
        CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), tensors == 1 ? NPU_OK : NPU_LIMIT);
        if (tensors > 1) CHECK_STR(d.rule, "tflite.shared_strings");
        npu_model_close(model);
    }
    mk_init(&m);
    mk_const(&m, 0, NPU_STRING, count + 1, -1, many, sizeof many);
    mk_out(&m, 0, 0);
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "tflite.strings");
    CHECK_HAS(d.text, "199999 strings");
}

TEST(packing) {
    const char *const items[3] = {"a", NULL, "ccc"};
    const size_t      lengths[3] = {1, 0, 2}, wrong[3] = {1, 1, 0}, huge[2] = {SIZE_MAX / 2, SIZE_MAX / 2};
    uint8_t           room[64];
    int32_t           words[5];
    CHECK_INT(npu_strings_pack(NULL, 0, items, NULL, 3), 24);
    CHECK_INT(npu_strings_pack(room, 23, items, NULL, 3), 24);
    CHECK_INT(npu_strings_pack(room, 24, items, NULL, 3), 24);
    CHECK_INT(npu_strings_pack(room, sizeof room, items, lengths, 3), 23);
    memcpy(words, room, sizeof words);
    CHECK(words[0] == 3 && words[1] == 20 && words[2] == 21 && words[3] == 21 && words[4] == 23);
    CHECK(memcmp(room + 20, "acc", 3) == 0);
    CHECK_INT(npu_strings_pack(NULL, 0, NULL, NULL, 0), 8);
    CHECK_INT(npu_strings_pack(room, sizeof room, NULL, NULL, 1), 0);
    CHECK_INT(npu_strings_pack(room, sizeof room, items, wrong, 3), 0);
    CHECK_INT(npu_strings_pack(room, sizeof room, items, huge, 1), 0);
    CHECK_INT(npu_strings_pack(room, sizeof room, items, NULL, SIZE_MAX), 0);
}

TEST(reading) {
    static const int32_t bad[][4] = {{2, 16, -1, 18}, {2, 17, 16, 18}, {2, 16, 40, 18}, {2, -5, -5, 18}};
    const char *const    items[2] = {"ab", "c"};
    uint8_t              room[64];
    npu_tensor           t;
    const char          *p = "?";
    size_t               len = 9;
    memset(&t, 0, sizeof t);
    t.type = NPU_STRING;
    t.rank = 1;
    t.dims[0] = 2;
    CHECK_INT(npu_tensor_string(&t, 1, &p, &len), NPU_OK);
    CHECK(len == 0 && p[0] == 0);
    t.data = room;
    t.bytes = npu_strings_pack(room, sizeof room, items, NULL, 2);
    CHECK_INT(npu_tensor_string(&t, 0, &p, &len), NPU_OK);
    CHECK(len == 2 && memcmp(p, "ab", 2) == 0);
    CHECK_INT(npu_tensor_string(&t, 2, &p, &len), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_string(&t, -1, &p, &len), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_string(NULL, 0, &p, &len), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_string(&t, 0, NULL, &len), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_string(&t, 0, &p, NULL), NPU_INVALID_ARGUMENT);
    for (size_t i = 0; i < 4; i++) {
        memcpy(room, bad[i], sizeof bad[i]);
        CHECK_INT(npu_tensor_string(&t, 0, &p, &len), NPU_INVALID_ARGUMENT);
    }
    t.bytes = 15;
    CHECK_INT(npu_tensor_string(&t, 0, &p, &len), NPU_INVALID_ARGUMENT);
    t.dims[0] = INT32_MAX;
    CHECK_INT(npu_tensor_string(&t, 0, &p, &len), NPU_INVALID_ARGUMENT);
    t.dims[0] = -1;
    CHECK_INT(npu_tensor_string(&t, 0, &p, &len), NPU_INVALID_ARGUMENT);
    t.type = NPU_INT8;
    t.dims[0] = 2;
    CHECK_INT(npu_tensor_string(&t, 0, &p, &len), NPU_INVALID_ARGUMENT);
}

/* ---- sessions ---- */

TEST(sizes_from_run_to_run) {
    net               n;
    npu_tensor        t;
    npu_session_usage u;
    make_tile(&n, 2, NULL);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(npu_session_invoke(n.session, &n.d), NPU_OK); /* nothing was set: empty strings */
    CHECK_STR(net_out(&n, 3), "");
    CHECK_INT(net_feed(&n, "one", "a longer one"), NPU_OK);
    CHECK_STR(net_out(&n, 2), "one");
    CHECK_STR(net_out(&n, 3), "a longer one");
    CHECK(net_out(&n, 4) == NULL);
    CHECK_INT(net_feed(&n, "", "x"), NPU_OK);
    CHECK_STR(net_out(&n, 0), "");
    CHECK_STR(net_out(&n, 3), "x");
    npu_session_memory(n.session, &u);
    CHECK(u.dynamic_bytes > 0 && u.peak_bytes >= u.dynamic_bytes);
    CHECK_INT(npu_session_input(n.session, 0, &t), NPU_OK);
    CHECK(t.type == NPU_STRING && t.data == NULL && t.bytes == 0);
    npu_session_reset(n.session);
    CHECK_INT(npu_session_invoke(n.session, &n.d), NPU_OK); /* inputs stay */
    CHECK_STR(net_out(&n, 3), "x");
    net_end(&n);
}

/* What is given may be the input's own strings. */
TEST(fed_back) {
    const char *items[2];
    size_t      lengths[2];
    npu_tensor  t;
    net         n;
    int32_t     x;
    net_begin(&n, NULL);
    x = net_tensor(&n, NPU_STRING, 2, -1, NULL, 0);
    net_io(&n, x, x);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(net_feed(&n, "first", "second"), NPU_OK);
    CHECK_INT(npu_session_output(n.session, 0, &t), NPU_OK);
    for (int i = 0; i < 2; i++) CHECK_INT(npu_tensor_string(&t, 1 - i, &items[i], &lengths[i]), NPU_OK);
    CHECK_INT(npu_session_set_strings(n.session, 0, items, lengths, 2, NULL), NPU_OK);
    CHECK_STR(net_out(&n, 0), "second");
    CHECK_STR(net_out(&n, 1), "first");
    net_end(&n);
}

TEST(inputs_refused) {
    const char *const items[2] = {"a", NULL};
    const size_t      lengths[2] = {1, 1};
    net               n;
    make_tile(&n, 2, NULL);
    net_start(&n, NULL, NULL);
    CHECK_INT(npu_session_set_strings(NULL, 0, items, NULL, 2, &n.d), NPU_INVALID_ARGUMENT);
    CHECK_STR(n.d.rule, "api.input");
    CHECK_INT(npu_session_set_strings(n.session, -1, items, NULL, 2, &n.d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_set_strings(n.session, 1, items, NULL, 2, &n.d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_set_strings_of(n.session, -1, 0, items, NULL, 2, &n.d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_set_strings_of(n.session, 1, 0, items, NULL, 2, &n.d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_set_strings(n.session, 0, items, NULL, 1, &n.d), NPU_BAD_INPUT);
    CHECK_STR(n.d.rule, "api.strings");
    CHECK_INT(npu_session_set_strings(n.session, 0, items, lengths, 2, &n.d), NPU_INVALID_ARGUMENT);
    CHECK_STR(n.d.rule, "api.strings");
    net_end(&n);
    net_begin(&n, NULL);
    n.sub = net_tensor(&n, NPU_FLOAT32, 2, -1, NULL, 0);
    net_io(&n, 0, 0);
    net_start(&n, NULL, NULL);
    CHECK_INT(npu_session_set_strings(n.session, 0, items, NULL, 2, &n.d), NPU_BAD_INPUT);
    net_end(&n);
}

/* ---- limits ---- */

TEST(memory_is_limited) {
    static char      text[20000];
    npu_plan_desc    pd;
    npu_session_desc sd;
    net              n;
    memset(text, 'x', sizeof text - 1);
    memset(&pd, 0, sizeof pd);
    pd.max_memory_bytes = 300000;
    make_tile(&n, 20, NULL);
    net_start(&n, &pd, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(net_feed(&n, text, ""), NPU_LIMIT);
    CHECK_STR(n.d.rule, "session.memory_limit");
    CHECK_STR(net_out(&n, 0), "");
    CHECK_INT(net_feed(&n, "small", "enough"), NPU_OK);
    CHECK_STR(net_out(&n, 38), "small");
    net_end(&n);
    pd.max_memory_bytes = 30000;
    make_tile(&n, 1, NULL);
    net_start(&n, &pd, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(net_feed(&n, text, text), NPU_LIMIT);
    CHECK_STR(n.d.rule, "session.memory_limit");
    net_end(&n);
    memset(&sd, 0, sizeof sd);
    sd.max_work = 20000;
    make_tile(&n, 20, NULL);
    net_start(&n, NULL, &sd);
    CHECK_INT(net_feed(&n, text, ""), NPU_LIMIT);
    CHECK_STR(n.d.rule, "session.work");
    CHECK_INT(net_feed(&n, "", "y"), NPU_OK);
    net_end(&n);
}

/* Shapes alone: too many strings for offsets of 32 bits. */
TEST(shapes_are_limited) {
    npu_input_shape shape;
    npu_plan_desc   pd;
    net             n;
    int32_t         x;
    memset(&pd, 0, sizeof pd);
    memset(&shape, 0, sizeof shape);
    shape.rank = 1;
    pd.input_shapes = &shape;
    pd.n_input_shapes = 1;
    pd.resize_fixed = 1;
    for (int i = 0; i < 2; i++) {
        shape.dims[0] = i ? INT32_MAX : 3;
        net_begin(&n, NULL);
        x = net_tensor(&n, NPU_STRING, 2, -1, NULL, 0);
        net_io(&n, x, x);
        net_start(&n, &pd, NULL);
        CHECK_INT(n.s, i ? NPU_BAD_INPUT : NPU_OK);
        if (i) CHECK_STR(n.d.rule, "plan.input_shape");
        net_end(&n);
    }
    make_tile(&n, 1 << 29, NULL);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_LIMIT);
    CHECK_STR(n.d.rule, "op.output_size");
    net_end(&n);
}

static int stop_after;
static int stop(void *user) {
    (void)user;
    return stop_after-- <= 0;
}

static npu_status no_memory_at(long fail_at, void (*make)(net *, const npu_allocator *), int *calls_left) {
    counter          c;
    npu_allocator    a = counted(&c, fail_at);
    npu_plan_desc    pd;
    npu_session_desc sd;
    npu_status       s;
    net              n;
    memset(&pd, 0, sizeof pd);
    memset(&sd, 0, sizeof sd);
    pd.allocator = sd.allocator = a;
    make(&n, &a);
    net_start(&n, &pd, &sd);
    s = n.s;
    for (int i = 0; s == NPU_OK && i < 2; i++) s = net_feed(&n, i ? "longer than before" : "a b", "b");
    net_end(&n);
    CHECK(c.live == 0);
    *calls_left = c.calls >= fail_at;
    return s;
}

/* ---- hash tables ---- */

/* y = what the table has for two strings x; `how`: 1: nothing is imported, 2, 3: the handle is a number of nobody's. */
static void make_table_how(net *n, const npu_allocator *a, int how) {
    static const char *const words[3] = {"one", "two", "three"};
    static const int64_t     numbers[3] = {1, 2, 3}, none = -1;
    const int32_t            nobody = how == 2 ? 99 : -1;
    int32_t                  h, x, y;
    net_begin(n, a);
    h = net_tensor(n, NPU_RESOURCE, 1, -1, how >= 2 ? &nobody : NULL, how >= 2 ? 4 : 0);
    x = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    y = net_tensor(n, NPU_INT64, 2, -1, NULL, 0);
    if (how < 2) {
        net_op(n, "HASHTABLE", -1, -1, -1, h);
        net_option(n, 0, "table_id", 3);
        net_option(n, 0, "key_dtype", NPU_STRING);
        net_option(n, 0, "value_dtype", NPU_INT64);
    }
    if (how != 1) net_op(n, "HASHTABLE_IMPORT", h, net_strings(n, 3, words, 3), net_tensor(n, NPU_INT64, 3, -1, numbers, 24), -1);
    net_op(n, "HASHTABLE_FIND", h, x, net_tensor(n, NPU_INT64, 1, -1, &none, 8), y);
    net_io(n, x, y);
}
static void make_table(net *n, const npu_allocator *a) { make_table_how(n, a, 0); }

static int64_t found(net *n, int k) {
    npu_tensor t;
    int64_t    v[2];
    CHECK_INT(npu_session_output(n->session, 0, &t), NPU_OK);
    memcpy(v, t.data, sizeof v);
    return v[k];
}

TEST(tables) {
    npu_session_usage before, full, after;
    net               n;
    make_table(&n, NULL);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    npu_session_memory(n.session, &before);
    CHECK_INT(net_feed(&n, "two", "four"), NPU_OK);
    CHECK_INT(found(&n, 0), 2);
    CHECK_INT(found(&n, 1), -1);
    npu_session_memory(n.session, &full);
    CHECK(full.dynamic_bytes > before.dynamic_bytes + 100);
    CHECK_INT(net_feed(&n, "six", "five"), NPU_OK);
    npu_session_memory(n.session, &after);
    CHECK_INT(after.dynamic_bytes, full.dynamic_bytes); /* imported once */
    npu_session_reset(n.session);
    npu_session_memory(n.session, &after);
    CHECK(after.dynamic_bytes < full.dynamic_bytes);
    CHECK_INT(net_feed(&n, "three", "one"), NPU_OK);
    CHECK_INT(found(&n, 0), 3);
    net_end(&n);
}

TEST(tables_refused) {
    net n;
    make_table_how(&n, NULL, 1);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(net_feed(&n, "two", "four"), NPU_RUNTIME);
    CHECK_STR(n.d.rule, "hashtable_find.empty");
    net_end(&n);
    for (int how = 2; how < 4; how++) {
        make_table_how(&n, NULL, how);
        net_start(&n, NULL, NULL);
        CHECK_INT(n.s, NPU_OK);
        CHECK_INT(net_feed(&n, "two", "four"), NPU_INVALID_MODEL);
        CHECK_STR(n.d.rule, "resource.id");
        net_end(&n);
    }
    make_table(&n, NULL);
    net_option(&n, 0, "key_dtype", NPU_INT64); /* to int64 */
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_UNSUPPORTED);
    CHECK_STR(n.d.rule, "hashtable.types");
    net_end(&n);
}

/* ---- everything, again and again ---- */

static void make_reshape(net *n, const npu_allocator *a) {
    const int32_t to = 2;
    make_mover(n, "RESHAPE", &to, 1, 2, a);
}
static void make_gather(net *n, const npu_allocator *a) {
    static const int32_t picks[3] = {1, 1, 0};
    make_mover(n, "GATHER", picks, 3, 3, a);
}
static void make_tile3(net *n, const npu_allocator *a) { make_tile(n, 3, a); }
static void make_grams(net *n, const npu_allocator *a) {
    make_mover(n, "SKIP_GRAM", NULL, 0, 1, a);
    net_option(n, 0, "ngram_size", 1);
}
static void make_lookup(net *n, const npu_allocator *a) {
    static const int32_t keys[2] = {1, 5}, asked[3] = {5, 2, 5};
    int32_t              in[3], out[2];
    npu_op_desc          o;
    net_begin(n, a);
    in[0] = net_ints(n, asked, 3);
    in[1] = net_ints(n, keys, 2);
    in[2] = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    out[0] = net_tensor(n, NPU_STRING, 3, -1, NULL, 0);
    out[1] = net_tensor(n, NPU_UINT8, 3, -1, NULL, 0);
    o = op_desc("HASHTABLE_LOOKUP", in, 3, out, 2);
    if (n->s == NPU_OK) n->s = npu_graph_op(n->g, n->sub, &o, NULL, &n->d);
    net_io(n, in[2], out[0]);
}
static void make_equal(net *n, const npu_allocator *a) {
    static const char *const word = "b";
    int32_t                  x, y;
    net_begin(n, a);
    x = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    y = net_tensor(n, NPU_BOOL, 2, -1, NULL, 0);
    net_op(n, "EQUAL", x, net_strings(n, 1, &word, 1), -1, y);
    net_io(n, x, y);
}

/* A table whose strings come with the run: as keys, or as values. */
static void make_live(net *n, const npu_allocator *a, int values) {
    static const int64_t     numbers[2] = {1, 2};
    static const char *const none = "none";
    int32_t                  h, x, k, y, d;
    net_begin(n, a);
    h = net_tensor(n, NPU_RESOURCE, 1, -1, NULL, 0);
    x = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    k = net_tensor(n, NPU_INT64, 2, -1, numbers, 16);
    y = net_tensor(n, values ? NPU_STRING : NPU_INT64, 2, -1, NULL, 0);
    d = values ? net_strings(n, 1, &none, 1) : net_tensor(n, NPU_INT64, 1, -1, numbers, 8);
    net_op(n, "HASHTABLE", -1, -1, -1, h);
    net_option(n, 0, "key_dtype", values ? NPU_INT64 : NPU_STRING);
    net_option(n, 0, "value_dtype", values ? NPU_STRING : NPU_INT64);
    net_op(n, "HASHTABLE_IMPORT", h, values ? k : x, values ? x : k, -1);
    net_op(n, "HASHTABLE_FIND", h, values ? k : x, d, y);
    net_io(n, x, y);
}
static void make_live_keys(net *n, const npu_allocator *a) { make_live(n, a, 0); }
static void make_live_values(net *n, const npu_allocator *a) { make_live(n, a, 1); }

/* Keys of one type are looked for in a table of the other. */
static void make_mixed(net *n) {
    static const int64_t     numbers[2] = {1, 2};
    static const char *const none = "none";
    int32_t                  h, x, k, y;
    net_begin(n, NULL);
    h = net_tensor(n, NPU_RESOURCE, 1, -1, NULL, 0);
    x = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    k = net_tensor(n, NPU_INT64, 2, -1, numbers, 16);
    y = net_tensor(n, NPU_STRING, 2, -1, NULL, 0);
    net_op(n, "HASHTABLE", -1, -1, -1, h);
    net_option(n, 0, "key_dtype", NPU_STRING);
    net_option(n, 0, "value_dtype", NPU_INT64);
    net_op(n, "HASHTABLE_IMPORT", h, x, k, -1);
    net_op(n, "HASHTABLE_FIND", h, k, net_strings(n, 1, &none, 1), y);
    net_io(n, x, y);
}

static void (*const MAKE[])(net *, const npu_allocator *) = {make_reshape, make_gather, make_tile3, make_grams,
                                                             make_lookup, make_equal, make_table, make_live_keys, make_live_values};
enum { MADE = sizeof MAKE / sizeof *MAKE };

TEST(memory_runs_out_anywhere) {
    for (int k = 0; k < MADE; k++) {
        int left = 1;
        for (long at = 1; left && at < 500; at++) {
            const npu_status s = no_memory_at(at, MAKE[k], &left);
            CHECK(s == NPU_OUT_OF_MEMORY || (s == NPU_OK && !left));
        }
        CHECK(!left);
    }
}

/* Stopped at every question, an invoke leaves nothing half done: the next one is as ever. */
TEST(stopped_anywhere) {
    static char      text[600000];
    npu_session_desc sd;
    net              n;
    for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = i & 1 ? ' ' : 'w';
    memset(&sd, 0, sizeof sd);
    sd.cancel = stop;
    for (int k = 0; k < MADE; k++) {
        npu_status s = NPU_CANCELLED;
        MAKE[k](&n, NULL);
        net_start(&n, NULL, &sd);
        for (int after = 0; s == NPU_CANCELLED && after < 200; after++) {
            stop_after = after;
            s = net_feed(&n, text, text);
            CHECK(s == NPU_CANCELLED || s == NPU_OK);
        }
        CHECK_INT(s, NPU_OK);
        stop_after = 1 << 30;
        CHECK_INT(net_feed(&n, "a", "b"), NPU_OK);
        net_end(&n);
    }
}

TEST(work_is_limited) {
    static char      text[600000];
    npu_session_desc sd;
    net              n;
    for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = i & 1 ? ' ' : 'w';
    memset(&sd, 0, sizeof sd);
    for (int k = 0; k < MADE; k++) {
        npu_status s = NPU_LIMIT;
        for (sd.max_work = 1; s == NPU_LIMIT && sd.max_work < (int64_t)1 << 40; sd.max_work *= 2) {
            MAKE[k](&n, NULL);
            net_start(&n, NULL, &sd);
            s = net_feed(&n, text, text);
            if (s != NPU_OK) CHECK_STR(n.d.rule, "session.work");
            net_end(&n);
        }
        CHECK_INT(s, NPU_OK);
    }
}

#include "strings_more.h"

int main(int argc, char **argv) {
    ONLY(argc, argv);
    (void)mk_in, (void)mk_quant, (void)mk_node, (void)mk_options; /* the kit has more than is needed here */
    RUN(hostile_contents);
    RUN(contents_too_large);
    RUN(strings_of_a_file);
    RUN(packing);
    RUN(reading);
    RUN(sizes_from_run_to_run);
    RUN(fed_back);
    RUN(inputs_refused);
    RUN(memory_is_limited);
    RUN(shapes_are_limited);
    RUN(tables);
    RUN(tables_refused);
    RUN(memory_runs_out_anywhere);
    RUN(stopped_anywhere);
    RUN(work_is_limited);
    RUN(operators_refused);
    RUN(large_outputs);
    RUN(declared_as_numbers);
    RUN(tables_mixed);
    RUN(unset_inputs);
    RUN(projections_stopped);
    return REPORT();
}
