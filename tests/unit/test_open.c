/* Loops whose values change their shapes (plan/open.c, run/open.c): what they compute, what is refused, limits, memory that runs out
 * at every place. What LiteRT makes of such loops is compared in tests/conformance. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_THREADS
#include "npu_rt.h"

#include "runtime_rules.h"

static const int32_t one_i32 = 1, five_i32 = 5, all_i32 = -1;
static const float   more_f32[2] = {1.5f, 2.5f};

/* A condition on subgraph g's first input: below 5. It takes as many floats [n] beside. */
static void make_condition(mk *m, int g, int floats, int n) {
    int limit, out;
    mk_in(m, g, mk_t(m, g, NPU_INT32, 1, -1, -1, -1));
    for (int i = 0; i < floats; i++) mk_in(m, g, mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1));
    limit = mk_const(m, g, NPU_INT32, 1, -1, &five_i32, 4);
    out = mk_t(m, g, NPU_BOOL, 1, -1, -1, -1);
    mk_out(m, g, out);
    mk_node(m, g, MK_LESS, 0, limit, -9, out);
}

/* Of subgraph g, a body: i + 1. */
static void make_count(mk *m, int g) {
    int one, out;
    mk_in(m, g, mk_t(m, g, NPU_INT32, 1, -1, -1, -1));
    one = mk_const(m, g, NPU_INT32, 1, -1, &one_i32, 4);
    out = mk_t(m, g, NPU_INT32, 1, -1, -1, -1);
    mk_out(m, g, out);
    mk_options(mk_node(m, g, MK_ADD, 0, one, -9, out), MK_O_ADD, "1", 0, 0);
}

/* One more value of a body: x [n] and a number behind it. */
static void make_appended(mk *m, int g, int n) {
    int x = mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1), k = mk_const(m, g, NPU_FLOAT32, 1, -1, more_f32, 4);
    int y = mk_t(m, g, NPU_FLOAT32, n + 1, -1, -1, -1);
    mk_in(m, g, x);
    mk_out(m, g, y);
    mk_options(mk_node(m, g, MK_CONCAT, x, k, -9, y), MK_O_CONCAT, "41", 0, 0);
}

/* One more value of a body: x [n] without its first. */
static void make_cut(mk *m, int g, int n) {
    int x = mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1), from = mk_const(m, g, NPU_INT32, 1, -1, &one_i32, 4);
    int all = mk_const(m, g, NPU_INT32, 1, -1, &all_i32, 4), y = mk_t(m, g, NPU_FLOAT32, n - 1, -1, -1, -1);
    mk_in(m, g, x);
    mk_out(m, g, y);
    mk_node(m, g, MK_SLICE, x, from, all, y);
}

/* One more value of a body that stays: of two dimensions (-1: of one). */
static void make_kept(mk *m, int g, int type, int a, int b) {
    int x = mk_t(m, g, type, a, b, -1, -1);
    mk_in(m, g, x);
    mk_out(m, g, x);
}

/* A loop in subgraph g over its inputs, the first of which counts; its outputs are those of the subgraph, the count behind them. */
static mk_op *make_loop(mk *m, int g, int floats, int n, int cond, int body) {
    mk_op *o;
    int    count = mk_t(m, g, NPU_INT32, 1, -1, -1, -1);
    mk_in(m, g, count);
    o = mk_options(mk_node(m, g, MK_WHILE, count, -9, -9, -9), MK_O_WHILE, "44", cond, body);
    for (int i = 0; i < floats; i++) {
        o->in[o->n_in++] = mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1);
        mk_in(m, g, o->in[i + 1]);
    }
    for (int i = 0; i <= floats; i++) o->out[o->n_out++] = mk_t(m, g, i ? NPU_FLOAT32 : NPU_INT32, i ? n : 1, -1, -1, -1);
    for (int i = 1; i <= floats; i++) mk_out(m, g, o->out[i]);
    mk_out(m, g, o->out[0]);
    return o;
}

/* 0: y = WHILE(i, x[n]); 1: i < 5; 2: i + 1 and x with a number behind it. */
static void make_grow_of(mk *m, int n) {
    mk_init(m);
    m->n_graphs = 3;
    make_loop(m, 0, 1, n, 1, 2);
    make_condition(m, 1, 1, n);
    make_count(m, 2);
    make_appended(m, 2, n);
}
static void make_grow(mk *m) { make_grow_of(m, 1); }
static void make_grow_from_nothing(mk *m) { make_grow_of(m, 0); }
static void make_shrink(mk *m) {
    mk_init(m);
    m->n_graphs = 3;
    make_loop(m, 0, 1, 6, 1, 2);
    make_condition(m, 1, 1, 6);
    make_count(m, 2);
    make_cut(m, 2, 6);
}

static void gives(const char *name, const mk *m, const life *l, const float *want, size_t n) {
    float got[16];
    expect(name, m, l, NPU_OK, "");
    CHECK_INT(life_output_bytes, n * sizeof *want);
    memcpy(got, life_output, sizeof got);
    for (size_t i = 0; i < n; i++) CHECK(got[i] == want[i]);
}

TEST(values_that_change) {
    static const float   x[6] = {1, 2, 3, 4, 5, 6}, grown[6] = {1, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f};
    static const int32_t four = 4;
    static mk            m;
    life                 l;
    memset(&l, 0, sizeof l);
    l.input[1] = x;
    for (l.runs = 1; l.runs < 4; l.runs += 2) {
        make_grow(&m);
        gives("a value that grows", &m, &l, grown, 6);
        make_grow_from_nothing(&m);
        gives("a value that grows from nothing", &m, &l, grown + 1, 5);
        make_shrink(&m);
        gives("a value that shrinks", &m, &l, x + 5, 1);
    }
    l.input[0] = &four;
    gives("one round", &m, &l, x + 1, 5);
    l.input[0] = &five_i32;
    gives("no round", &m, &l, x, 6);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    (void)make_kept, (void)nothing;
    RUN(values_that_change);
    return REPORT();
}
