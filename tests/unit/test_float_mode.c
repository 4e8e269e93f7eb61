/* Subnormal results while a model runs: zero on x86 in every thread, kept elsewhere. Roundings: to nearest. The
 * caller's mode is restored. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_THREADS
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include "descs.h"
#include "test.h"

enum { N = 200000 }; /* more than one thread's share */

static float made(float a, float b) {
    volatile float x = a, y = b;
    return x * y;
}

static npu_model *product(void) {
    const int32_t   dims[1] = {N}, in[2] = {0, 1}, out = 2;
    npu_tensor_desc t = tensor_desc(NPU_FLOAT32, 1, dims, NULL, 0);
    npu_op_desc     o = op_desc("MUL", in, 2, &out, 1);
    npu_graph      *g = NULL;
    npu_model      *m = NULL;
    CHECK_INT(npu_graph_create(&g, NULL, NULL), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "main", NULL, NULL), NPU_OK);
    for (int i = 0; i < 3; i++) {
        t.name = i == 0 ? "a" : i == 1 ? "b" : "y";
        CHECK_INT(npu_graph_tensor(g, 0, &t, NULL, NULL), NPU_OK);
    }
    CHECK_INT(npu_graph_op(g, 0, &o, NULL, NULL), NPU_OK);
    CHECK_INT(npu_graph_inputs(g, 0, in, 2, NULL), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, &out, 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &m, NULL), NPU_OK);
    npu_graph_destroy(g);
    return m;
}

static void fill(npu_session *s, int32_t i, float value) {
    npu_tensor t;
    CHECK_INT(npu_session_input(s, i, &t), NPU_OK);
    for (int k = 0; k < N; k++) ((float *)t.data)[k] = value;
}

/* How many products of a and b, both normal, are not `want`. */
static int wrong(npu_session *s, float a, float b, float want) {
    npu_tensor t;
    int        n = 0;
    fill(s, 0, a);
    fill(s, 1, b);
    CHECK_INT(npu_session_invoke(s, NULL), NPU_OK);
    CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
    for (int k = 0; k < N; k++) n += ((const float *)t.data)[k] != want;
    return n;
}

static void run(const npu_model *m, int32_t threads) {
    npu_plan_desc pd;
    npu_plan     *plan = NULL;
    npu_session  *s = NULL;
    const float   small = made(1e-20f, 1e-20f);
    memset(&pd, 0, sizeof pd);
    CHECK(small != 0); /* here, outside of an invoke */
    pd.threads = threads;
    CHECK_INT(npu_plan_create(&plan, m, &pd, NULL), NPU_OK);
    CHECK_INT(npu_session_create(&s, plan, NULL, NULL), NPU_OK);
    CHECK_INT(wrong(s, 1e-20f, 1e-20f, NPU__HAS_FLUSH ? 0.0f : small), 0);
    CHECK(made(1e-20f, 1e-20f) == small);
    CHECK_INT(wrong(s, small, 1e20f, made(small, 1e20f)), 0); /* what is given counts */
    CHECK_INT(wrong(s, 1e-18f, 1e-18f, 1e-18f * 1e-18f), 0);  /* the least normal floats stay */
#if NPU__HAS_FLUSH
    _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON); /* a caller that had it on finds it on */
    CHECK_INT(wrong(s, 1e-20f, 1e-20f, 0.0f), 0);
    CHECK(made(1e-20f, 1e-20f) == 0);
    _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_FLUSH_ZERO_MASK);
#endif
    npu_session_destroy(s);
    npu_plan_destroy(plan);
}

static void flushed_for_an_invoke(void) {
    npu_model *m = product();
    run(m, 1);
    run(m, 3);
    npu_model_close(m);
}

/* Halves and thirds, as they are to nearest, though the caller rounds upwards. */
static void rounded_to_nearest(void) {
#if defined(NPU__FLOAT_MODE)
    const float want = made(1.1f, 1.3f);
    npu_model  *m = product();
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        npu_plan_desc pd;
        npu_plan     *plan = NULL;
        npu_session  *s = NULL;
        memset(&pd, 0, sizeof pd);
        pd.threads = threads;
        CHECK_INT(npu_plan_create(&plan, m, &pd, NULL), NPU_OK);
        CHECK_INT(npu_session_create(&s, plan, NULL, NULL), NPU_OK);
        for (int mode = 0; mode < 4; mode++) {
            _mm_setcsr((_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK) | (unsigned)mode << 13);
            CHECK_INT(wrong(s, 1.1f, 1.3f, want), 0);
            CHECK_INT((int64_t)(_mm_getcsr() & (unsigned)_MM_ROUND_MASK), mode << 13); /* the caller's, once more */
        }
        _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK);
        npu_session_destroy(s);
        npu_plan_destroy(plan);
    }
    npu_model_close(m);
#endif
}

int main(void) {
    RUN(rounded_to_nearest);
    RUN(flushed_for_an_invoke);
    return REPORT();
}
