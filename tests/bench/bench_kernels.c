/* GFLOP/s and GOP/s of every kernel row on shapes from real networks: median of repeated runs, one thread. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>
#include "../unit/kernels_unit.h"

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct bench {
    const char *name;
    int32_t     m, n, k; /* depthwise: pixels, channels, taps */
    void       *a, *w, *packed, *out, *staged;
    int32_t    *row_add;
    npu__qmul   qmul;
    const uint8_t **taps;
} bench;

/* 64-aligned, like the runtime's memory; never freed: the process is short. */
static void *buffer(size_t bytes) {
    uint8_t *p = (uint8_t *)malloc(bytes + 128);
    p += 64 - ((uintptr_t)p & 63);
    for (size_t i = 0; i < bytes; i++) p[i] = (uint8_t)(i * 7u % 31u);
    return p;
}

/* Runs `fn` in batches of at least 2 ms; prints the median over 21 batches. */
static void measure(const bench *b, void (*fn)(const bench *, const void *), const void *kern, const char *unit) {
    double rate[21], ops = 2.0 * b->m * b->n * b->k, t;
    int    reps = 1;
    for (;;) {
        t = now_s();
        for (int i = 0; i < reps; i++) fn(b, kern);
        t = now_s() - t;
        if (t > 2e-3) break;
        reps *= 2;
    }
    for (int r = 0; r < 21; r++) {
        t = now_s();
        for (int i = 0; i < reps; i++) fn(b, kern);
        rate[r] = ops * reps / (now_s() - t) * 1e-9;
    }
    qsort(rate, 21, sizeof *rate, by_value);
    printf("%-22s m %5d  n %4d  k %4d  %7.1f %s  (best %.1f)\n", b->name, b->m, b->n, b->k, rate[10], unit, rate[20]);
}

/* ---- one run of each kind ---- */

static void run_gemm_i8(const bench *b, const void *p) {
    const npu__gemm_i8_kernel *kern = (const npu__gemm_i8_kernel *)p;
    const int32_t    run = npu__gemm_i8_run_of(kern, b->k);
    const size_t     row = (size_t)run * npu__gemm_i8_elem_bytes(kern);
    npu__gemm_i8_job job;
    int32_t          block = NPU__MAX(kern->mr, (int32_t)(49152u / row) / 8 * 8);
    job.row_add = b->row_add; job.out_stride = (size_t)b->n; job.out = npu__i8_out_of(1, 3, -128, 127);
    for (int32_t i = 0; i < b->m; i += block) {
        job.m = NPU__MIN(block, b->m - i);
        npu__gemm_i8_stage(kern, (const uint8_t *)b->a + (size_t)i * (size_t)b->k, job.m, b->k, run, 1, b->staged);
        job.a = npu__gemm_rows_of(b->staged, row, run);
        npu__gemm_i8_row_adds(kern, &job.a, job.m, b->k, 0, b->row_add);
        npu__gemm_i8_run(kern, &job, (const uint8_t *)b->packed, b->n, (uint8_t *)b->out + (size_t)i * (size_t)b->n);
    }
}
static void run_gemv_i8(const bench *b, const void *p) {
    const npu__gemv_i8_kernel *kern = (const npu__gemv_i8_kernel *)p;
    const double      scale = 0.0037;
    const npu__i8_out out = npu__i8_out_of(1, 3, -128, 127);
    npu__gemv_i8_job  job;
    kern->stage((const uint8_t *)b->a, b->staged, b->k, 1, 5);
    job.a = (const int16_t *)b->staged; job.w = (const uint8_t *)b->w; job.w_stride = (size_t)b->k; job.k = b->k;
    job.w_signed = 1; job.add = 0; job.bias = NULL;
    kern->run(&job, 0, b->n, (int32_t *)b->packed);
    kern->finish_real((const int32_t *)b->packed, b->n, &scale, 0, &out, (uint8_t *)b->out);
}
static void run_gemm_f32(const bench *b, const void *p) {
    npu__gemm_f32_job job;
    job.a = npu__gemm_rows_of(b->a, (size_t)b->k * sizeof(float), b->k);
    job.out_stride = (size_t)b->n; job.m = b->m; job.lo = 0.0f; job.hi = 6.0f;
    npu__gemm_f32_run((const npu__gemm_f32_kernel *)p, &job, (const float *)b->packed, b->n, (float *)b->out);
}
static npu__conv_geom wino_geom(const bench *b) {
    npu__conv_geom g;
    memset(&g, 0, sizeof g);
    while (g.in_h * g.in_h < b->m) g.in_h++;
    g.in_w = g.out_h = g.out_w = g.in_h;
    g.in_c = g.k_c = b->k / 9;
    g.out_c = b->n;
    g.k_h = g.k_w = 3;
    g.batches = g.stride_h = g.stride_w = g.dil_h = g.dil_w = g.pad_h = g.pad_w = 1;
    return g;
}
/* With three of ten weights; the rate is that of all, as of the dense product that it stands for. */
static void run_sparse_f32(const bench *b, const void *p) {
    npu__gemm_f32_job job;
    job.a = npu__gemm_rows_of(b->a, (size_t)b->k * sizeof(float), b->k);
    job.out_stride = (size_t)b->n; job.m = b->m; job.lo = 0.0f; job.hi = 6.0f;
    ((const npu__sparse_f32_kernel *)p)->run(&job, (const uint8_t *)b->packed, b->n, (float *)b->staged, (float *)b->out);
}
/* k: 9 times the channels. The rate is that of the products it stands for. */
static void run_wino_f32(const bench *b, const void *p) {
    const npu__wino_f32_kernel *kern = (const npu__wino_f32_kernel *)p;
    npu__conv_geom              g = wino_geom(b);
    npu__wino_f32_job           job;
    job.kern = kern; job.gemm = npu__gemm_f32_select(kern->isa); job.g = &g;
    job.in = (const float *)b->a; job.packed = (const float *)b->packed; job.out = (float *)b->out; job.lo = 0.0f; job.hi = 6.0f;
    npu__wino_f32_packed_bytes(job.gemm, g.out_c, g.in_c, &job.each);
    for (int64_t t = 0, tiles = npu__wino_f32_tiles(&g); t < tiles; t += 24) {
        npu__wino_f32_run(&job, t, (int32_t)NPU__MIN((int64_t)24, tiles - t), (float *)b->staged);
    }
}
static void run_gemv_f32(const bench *b, const void *p) {
    npu__gemv_f32_job job;
    job.a = (const float *)b->a; job.w = (const float *)b->w; job.bias = NULL; job.k = b->k;
    job.lo = 0.0f; job.hi = 6.0f;
    ((const npu__gemv_f32_kernel *)p)->run(&job, 0, b->n, (float *)b->out);
}
/* Row by row, as the op does: the window's pointers move on together. */
static void run_dw(const bench *b, const void *p) {
    const size_t elem = strncmp(b->name, "dw_i8", 5) == 0 ? 1u : 4u;
    const int32_t side = (int32_t)sqrt((double)b->m);
    npu__dw_job  job;
    memset(&job, 0, sizeof job);
    job.n_taps = b->k; job.taps_step = 0; job.in_step = (size_t)b->n * elem; job.pixels = side; job.channels = b->n;
    job.is_signed = 1; job.out = npu__i8_out_of(1, 3, -128, 127); job.lo = 0.0f; job.hi = 6.0f;
    job.out_stride = (size_t)b->n * elem;
    job.lines = job.cols = job.k_w = b->k == 25 ? 5 : 3; job.col_step = job.in_step;
    job.line_step = (size_t)(side + 6) * job.in_step;
    for (int32_t y = 0; y < side; y++) {
        job.taps = b->taps + y * ((b->k + 1) & ~1);
        job.in = job.taps[0];
        ((const npu__dw_kernel *)p)->run(&job, (const uint8_t *)b->packed,
                                         (uint8_t *)b->out + (size_t)(y * side) * job.out_stride);
    }
}

static const int32_t gemm_shapes[][3] = {{12544, 32, 27}, {3136, 128, 64}, {784, 256, 256}, {196, 512, 512},
                                         {49, 1024, 1024}, {144, 64, 64}, {576, 16, 8}, {49, 512, 4608}};
static const int32_t wino_shapes[][3] = {{1024, 16, 144}, {3136, 64, 576}, {784, 128, 1152}, {196, 256, 2304}};
static const int32_t gemv_shapes[][3] = {{1, 128, 640}, {1, 128, 128}, {1, 8, 128}, {1, 1001, 1024}};
static const int32_t dw_shapes[][3] = {{2304, 8, 9}, {3136, 64, 9}, {784, 256, 9}, {49, 1024, 9}, {784, 96, 25}};

#define EACH(rows, type, shapes, body)                                                                      \
    for (const type *kern = rows; kern->name; kern++) {                                                     \
        if (!NPU_TEST_CAN_RUN(kern->isa) || !strstr(kern->name, only)) continue;                            \
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {                                     \
            size_t bytes = 0, mk, nk, mn;                                                                   \
            b.name = kern->name; b.m = shapes[s][0]; b.n = shapes[s][1]; b.k = shapes[s][2];                \
            mk = (size_t)b.m * (size_t)b.k; nk = (size_t)b.n * (size_t)b.k; mn = (size_t)b.m * (size_t)b.n; \
            (void)mk; (void)nk; (void)bytes;                                                                \
            b.out = buffer(4 * mn);                                                                         \
            body                                                                                            \
        }                                                                                                   \
    }

static void pack_gemm_i8(bench *b, const npu__gemm_i8_kernel *kern) {
    npu__gemm_i8_weights w;
    size_t               bytes = 0;
    memset(&w, 0, sizeof w);
    w.w = (const uint8_t *)buffer((size_t)b->n * (size_t)b->k);
    w.stride_n = (size_t)b->k; w.stride_k = 1; w.segments = 1; w.run = b->k; w.w_signed = w.a_signed = 1;
    w.qmul = &b->qmul;
    npu__gemm_i8_packed_bytes(kern, b->n, 1, b->k, &bytes);
    b->packed = buffer(bytes);
    npu__gemm_i8_pack(kern, b->n, &w, (uint8_t *)b->packed);
}

static void pack_sparse(bench *b) {
    const size_t nk = (size_t)b->n * (size_t)b->k;
    float       *w = (float *)memset(buffer(4 * nk), 0, 4 * nk);
    uint32_t     seed = 1;
    int64_t      entries = 0;
    size_t       bytes = 0, work = 0;
    for (size_t i = 0; i < nk; i++) {
        seed = seed * 1664525u + 1013904223u;
        if ((seed >> 8) % 10 < 3) w[i] = 0.5f;
    }
    for (int32_t j = 0; j < b->n; j++) entries += npu__sparse_f32_entries(w + (size_t)j * (size_t)b->k, b->k);
    npu__sparse_f32_packed_bytes(b->n, entries, &bytes);
    npu__sparse_f32_work(b->k, &work);
    b->packed = buffer(bytes);
    b->staged = buffer(work);
    npu__sparse_f32_pack(b->n, b->k, w, NULL, (uint8_t *)b->packed);
}

static void pack_wino(bench *b, const npu__gemm_f32_kernel *gemm) {
    const npu__conv_geom g = wino_geom(b);
    size_t               bytes = 0, work = 0;
    npu__wino_f32_packed_bytes(gemm, g.out_c, g.in_c, &bytes);
    npu__wino_f32_work(gemm, &g, 24, &work);
    b->packed = memset(buffer(bytes * NPU__WINO), 0, bytes * NPU__WINO);
    b->staged = buffer(work);
}

static void pack_dw_i8(bench *b, const npu__dw_kernel *kern) {
    npu__dw_i8_weights w;
    size_t             bytes = 0;
    memset(&w, 0, sizeof w);
    w.w = (const uint8_t *)buffer((size_t)b->n * (size_t)b->k);
    w.step_c = 1; w.step_t = (size_t)b->n;
    w.w_signed = 1; w.qmul = &b->qmul;
    npu__dw_i8_packed_bytes(kern, b->n, b->k, &bytes);
    b->packed = buffer(bytes);
    npu__dw_i8_pack(kern, b->n, b->k, &w, (uint8_t *)b->packed);
}

static void bench_dw_row(bench *b, const npu__dw_kernel *kern, int f32) {
    size_t  elem = f32 ? 4 : 1, bytes = 0, side = 1;
    int32_t stride = (b->k + 1) & ~1, width = b->k == 25 ? 5 : 3;
    if (b->n < kern->unit) return;
    while (side * side < (size_t)b->m) side++;
    b->a = buffer((side + 6) * (side + 6) * (size_t)b->n * elem);
    if (f32) memset(b->a, 0, (side + 6) * (side + 6) * (size_t)b->n * elem);
    b->taps = (const uint8_t **)malloc(sizeof(*b->taps) * side * (size_t)stride);
    for (size_t y = 0; y < side; y++)
        for (int32_t t = 0; t < stride; t++) {
            size_t tt = (size_t)NPU__MIN(t, b->k - 1), row = y + tt / (size_t)width, x = tt % (size_t)width;
            b->taps[y * (size_t)stride + (size_t)t] =
                (const uint8_t *)b->a + (row * (side + 6) + x) * (size_t)b->n * elem;
        }
    if (f32) {
        npu__dw_f32_packed_bytes(b->n, b->k, &bytes);
        b->packed = memset(buffer(bytes), 0, bytes);
    } else {
        pack_dw_i8(b, kern);
    }
    measure(b, run_dw, kern, f32 ? "GFLOP/s" : "GOP/s");
}

/* An argument chooses the kernels whose names hold it. */
int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "";
    bench       b;
    memset(&b, 0, sizeof b);
    b.qmul = npu__qmul_of(0.0037);
    EACH(npu__gemm_i8_rows, npu__gemm_i8_kernel, gemm_shapes,
         pack_gemm_i8(&b, kern);
         b.a = buffer(mk); b.staged = buffer(4 * mk + 65536); b.row_add = (int32_t *)buffer(4 * mk + 65536);
         measure(&b, run_gemm_i8, kern, "GOP/s");)
    EACH(npu__gemv_i8_rows, npu__gemv_i8_kernel, gemv_shapes,
         b.a = buffer(mk); b.w = buffer(nk); b.staged = buffer(2 * mk); b.packed = buffer(4 * mn);
         measure(&b, run_gemv_i8, kern, "GOP/s");)
    EACH(npu__gemm_f32_rows, npu__gemm_f32_kernel, gemm_shapes,
         npu__gemm_f32_packed_bytes(kern, b.n, b.k, &bytes);
         b.packed = memset(buffer(bytes), 0, bytes); b.a = memset(buffer(mk * 4), 0, mk * 4);
         measure(&b, run_gemm_f32, kern, "GFLOP/s");)
    EACH(npu__sparse_f32_rows, npu__sparse_f32_kernel, gemm_shapes,
         pack_sparse(&b);
         b.a = memset(buffer(mk * 4), 0, mk * 4);
         measure(&b, run_sparse_f32, kern, "GFLOP/s");)
    EACH(npu__wino_f32_rows, npu__wino_f32_kernel, wino_shapes,
         pack_wino(&b, npu__gemm_f32_select(kern->isa));
         b.a = memset(buffer(mk * 4), 0, mk * 4);
         measure(&b, run_wino_f32, kern, "GFLOP/s");)
    EACH(npu__gemv_f32_rows, npu__gemv_f32_kernel, gemv_shapes,
         b.a = memset(buffer(mk * 4), 0, mk * 4); b.w = memset(buffer(nk * 4), 0, nk * 4);
         measure(&b, run_gemv_f32, kern, "GFLOP/s");)
    EACH(npu__dw_i8_rows, npu__dw_kernel, dw_shapes, bench_dw_row(&b, kern, 0);)
    EACH(npu__dw_f32_rows, npu__dw_kernel, dw_shapes, bench_dw_row(&b, kern, 1);)
    return 0;
}
