/* graph/ask.h on padding, against what the operators compute for themselves and against every cell that a window reaches. */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

#include "model_maker.h"
#include "test.h"

enum { AVERAGE_POOL = 1, CONV = 3, DEPTHWISE = 4, L2_POOL = 12, MAX_POOL = 17, TRANSPOSE_CONV = 67 };

static uint32_t seed = 7;
static int rnd(int lo, int hi) {
    seed = seed * 1664525u + 1013904223u;
    return lo + (int)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

/* One window along each axis: y is axis 0. */
typedef struct window {
    int op, valid, in[2], k[2], stride[2], dil[2];
} window;

static int is_pool(int op) { return op == AVERAGE_POOL || op == MAX_POOL || op == L2_POOL; }

static mk_op *options(mk_op *o, const window *w) {
    static const struct {
        int         op, table;
        const char *fields;
    } kinds[] = {{CONV, 1, "144144"}, {DEPTHWISE, 2, "1444144"}, {TRANSPOSE_CONV, 49, "144"}, {0, 5, "14444"}};
    int k = 0;
    while (kinds[k].op && kinds[k].op != w->op) k++;
    mk_options(o, kinds[k].table, kinds[k].fields, w->valid, w->stride[1]);
    o->value[2] = w->stride[0];
    if (is_pool(w->op)) {
        o->value[3] = w->k[1];
        o->value[4] = w->k[0];
    } else if (w->op != TRANSPOSE_CONV) {
        const int at = w->op == CONV ? 4 : 5;
        o->value[3] = w->op == DEPTHWISE;
        if (w->op == CONV) o->value[3] = 0;
        o->value[at] = w->dil[1];
        o->value[at + 1] = w->dil[0];
    }
    return o;
}

/* Its image is w->in; of TRANSPOSE_CONV, whose windows lie in the output, that is the output's size. */
static void make(mk *m, const window *w, int32_t sizes[4]) {
    static const float zeros[256];
    int                in, weights, to, shape;
    mk_init(m);
    if (w->op == TRANSPOSE_CONV) {
        int rows[2];
        for (int i = 0; i < 2; i++) {
            rows[i] = w->valid ? (w->in[i] - w->k[i]) / w->stride[i] + 1 : (w->in[i] + w->stride[i] - 1) / w->stride[i];
        }
        in = mk_t(m, 0, NPU_FLOAT32, 1, rows[0], rows[1], 1);
        sizes[0] = sizes[3] = 1;
        sizes[1] = w->in[0];
        sizes[2] = w->in[1];
        shape = mk_const(m, 0, NPU_INT32, 4, -1, sizes, 16);
    } else {
        in = mk_t(m, 0, NPU_FLOAT32, 1, w->in[0], w->in[1], 1);
        shape = -9;
    }
    weights = is_pool(w->op) ? -9 : mk_t(m, 0, NPU_FLOAT32, 1, w->k[0], w->k[1], 1);
    if (weights >= 0) m->g[0].t[weights].buffer = mk_buffer(m, zeros, 4 * (size_t)(w->k[0] * w->k[1]));
    to = mk_t(m, 0, NPU_FLOAT32, 1, 1, 1, 1);
    if (w->op == TRANSPOSE_CONV) options(mk_node(m, 0, w->op, shape, weights, in, to), w);
    else options(mk_node(m, 0, w->op, in, weights, -9, to), w);
    if (is_pool(w->op) && w->op != L2_POOL && w->valid) { /* bytes, for a change */
        m->g[0].t[in].type = m->g[0].t[to].type = NPU_INT8;
        mk_quant(m, 0, in, 0.5f, 3);
        mk_quant(m, 0, to, 0.5f, 3);
    }
    mk_in(m, 0, in);
    mk_out(m, 0, to);
}

/* What the windows of one axis reach beyond the image, counted. */
static void reach(const window *w, int axis, int windows, int first, int *before, int *after) {
    *before = *after = 0;
    for (int i = 0; i < windows; i++) {
        for (int k = 0; k < w->k[axis]; k++) {
            const int at = i * w->stride[axis] - first + k * w->dil[axis];
            if (-at > *before) *before = -at;
            if (at - w->in[axis] + 1 > *after) *after = at - w->in[axis] + 1;
        }
    }
}

static void check_window(const window *w) {
    static mk       m;
    int32_t         sizes[4];
    size_t          n;
    const uint8_t  *bytes;
    npu_model      *model = NULL;
    npu_plan       *plan = NULL;
    npu_diag        d;
    const npu__ctx *c;
    npu__padding    p;
    int             pad_h, pad_w, before, after;
    make(&m, w, sizes);
    bytes = mk_file(&m, &n);
    if (!CHECK(npu_model_open(&model, bytes, n, NULL, &d) == NPU_OK && npu_plan_create(&plan, model, NULL, &d) == NPU_OK)) {
        printf("    op %d: %s\n", w->op, d.text);
        npu_model_close(model);
        return;
    }
    c = &plan->subs[0].steps[0].ctx;
    p = npu__padding_of(c);
    pad_h = is_pool(w->op) ? ((const npu__pool_data *)c->data)->g.pad_h : ((const npu__conv_data *)c->data)->g.pad_h;
    pad_w = is_pool(w->op) ? ((const npu__pool_data *)c->data)->g.pad_w : ((const npu__conv_data *)c->data)->g.pad_w;
    CHECK_INT(p.top, pad_h);
    CHECK_INT(p.left, pad_w);
    {
        const npu__shape *windows = w->op == TRANSPOSE_CONV ? &c->in[2]->shape : &c->out[0]->shape;
        reach(w, 0, windows->dims[1], p.top, &before, &after);
        CHECK(before == p.top && after == p.bottom);
        reach(w, 1, windows->dims[2], p.left, &before, &after);
        CHECK(before == p.left && after == p.right);
    }
    CHECK(p.bottom == p.top || p.bottom == p.top + 1); /* as TFLite: an odd cell lies behind */
    CHECK(p.right == p.left || p.right == p.left + 1);
    if (w->valid) CHECK(p.top == 0 && p.bottom == 0 && p.left == 0 && p.right == 0);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

TEST(padding_is_what_operators_compute) {
    static const int ops[] = {AVERAGE_POOL, CONV, DEPTHWISE, L2_POOL, MAX_POOL, TRANSPOSE_CONV};
    int              n = 0;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (int k = 0; k < 600; k++) {
            window w;
            int    fits = 1;
            w.op = ops[i];
            w.valid = rnd(0, 1);
            for (int axis = 0; axis < 2; axis++) {
                w.in[axis] = rnd(1, 20);
                w.k[axis] = rnd(1, 7);
                w.stride[axis] = rnd(1, 5);
                w.dil[axis] = is_pool(w.op) || w.op == TRANSPOSE_CONV ? 1 : rnd(1, 3);
                if ((w.k[axis] - 1) * w.dil[axis] + 1 > w.in[axis]) fits = 0;
            }
            if (w.valid && !fits) continue;
            check_window(&w);
            n++;
        }
    }
    CHECK(n > 2000);
}

/* Numbers that a file may hold and no operator accepts: what does not fit gives -1, and has no padding. */
TEST(windows_that_cannot_be) {
    static const int32_t bad[][5] = {/* in, filter, stride, dilation, out */
        {8, 3, 0, 1, 4}, {8, 3, -1, 1, 4}, {8, 3, 1, 0, 4}, {8, 3, 1, INT32_MIN, 4}, {8, 0, 1, 1, 4}, {8, -3, 1, 1, 4},
        {-1, 3, 1, 1, 4}, {8, 3, 1, 1, -1}, {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int32_t *b = bad[i];
        int32_t        after = 7;
        CHECK_INT(npu__window_pad(b[0], b[1], b[2], b[3], b[4], &after), 0);
        CHECK_INT(after, 0);
        if (i != 7) CHECK_INT(npu__window_out(NPU__PAD_SAME, b[0], b[1], b[2], b[3]), -1);
    }
    CHECK_INT(npu__window_out(NPU__PAD_VALID, 8, 12, 2, 1), -1);
    CHECK_INT(npu__window_out(NPU__PAD_VALID, 8, 2, 1, 9), -1);
    CHECK_INT(npu__window_out(NPU__PAD_VALID, 8, 9, 1, 1), 0);
    CHECK_INT(npu__window_out(NPU__PAD_SAME, 8, 9, 1, 1), 8);
    CHECK_INT(npu__window_pad(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, NULL), INT32_MAX / 2);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(windows_that_cannot_be);
    RUN(padding_is_what_operators_compute);
    return REPORT();
}
