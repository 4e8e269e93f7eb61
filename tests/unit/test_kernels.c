/* Every kernel row against plain loops: integers byte for byte, floats within the bound kernels.h states. */
#include "kernels_unit.h"

static uint32_t seed = 1;
static uint32_t rnd(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static int32_t rnd_in(int32_t lo, int32_t hi) { return lo + (int32_t)(rnd() % (uint32_t)(hi - lo + 1)); }
static float rnd_f32(void) { return (float)rnd_in(-1000, 1000) / 512.0f; }

static int failures, cases;
static void expect(int ok, const char *what, const char *name, int m, int n, int k) {
    cases++;
    if (ok) return;
    if (failures++ < 20) printf("FAIL %s: %s at m=%d n=%d k=%d\n", name, what, m, n, k);
}

/* A block of exactly `bytes`, filled at random or with extremes: reading past it is for the sanitizers to catch. */
static uint8_t *bytes_of(size_t bytes, int extreme) {
    uint8_t *p = (uint8_t *)malloc(bytes ? bytes : 1);
    for (size_t i = 0; i < bytes; i++) {
        uint32_t v = rnd();
        p[i] = (uint8_t)(extreme == 1 ? 0x80u : extreme == 2 ? (v & 1 ? 0x80u : 0x7Fu) : v);
    }
    return p;
}
static float *floats_of(size_t n) {
    float *p = (float *)malloc((n ? n : 1) * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = rnd_f32();
    return p;
}

static int32_t byte_at(const uint8_t *p, size_t i, int is_signed) {
    return is_signed ? (int32_t)(int8_t)p[i] : (int32_t)p[i];
}

static int close_enough(float got, double want, double magnitude, int32_t k, float lo, float hi) {
    double bound = (k + 2) * magnitude / 16777216.0;
    want = want < lo ? lo : want > hi ? hi : want;
    return got >= want - bound && got <= want + bound;
}

/* Parameters of one integer case. */
typedef struct quant {
    int       a_signed, w_signed, out_signed, per_column;
    int32_t   a_zero, w_zero;
    int32_t  *bias;
    npu__qmul *qmul;
    npu__i8_out out;
} quant;

static quant quant_make(int32_t n, int extreme) {
    quant   q;
    int32_t lo, hi, zero;
    int     large; /* a few columns need other output stages than their neighbours */
    q.a_signed = (int)(rnd() & 1);
    q.w_signed = (int)(rnd() & 1);
    q.out_signed = (int)(rnd() & 1);
    q.per_column = (int)(rnd() & 1);
    q.a_zero = q.a_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
    q.w_zero = rnd() & 1 ? (q.w_signed ? 0 : 128) : q.w_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
    q.bias = (int32_t *)malloc((size_t)n * sizeof *q.bias);
    q.qmul = (npu__qmul *)malloc((size_t)n * sizeof *q.qmul);
    large = (int)(rnd() & 1);
    for (int32_t i = 0; i < n; i++) {
        q.bias[i] = extreme ? (int32_t)(rnd() << 16 ^ rnd()) : rnd_in(-5000, 5000);
        if (extreme == 1) {
            q.qmul[i].multiplier = rnd() & 1 ? INT32_MAX : 1 << 30;
            q.qmul[i].shift = rnd_in(-31, 30);
        } else {
            q.qmul[i] = npu__qmul_of((double)rnd_in(1, 100000) / (large && rnd() % 24 == 0 ? 4e4 : 2e7));
        }
    }
    lo = q.out_signed ? -128 : 0;
    hi = lo + 255;
    zero = rnd_in(lo, hi);
    if (rnd() & 1) lo = zero;
    if (rnd() & 1) hi = rnd_in(lo, hi);
    q.out = npu__i8_out_of(q.out_signed, zero, lo, hi);
    return q;
}
static void quant_free(quant *q) { free(q->bias); free(q->qmul); }

static const char *const stride_text = "wrote outside its columns";

/* A left matrix of rows found through pointers and runs with gaps, or plain; element (r, t) is at of[r * k + t]. */
typedef struct left {
    npu__gemm_rows rows;
    size_t         offsets[4];
    const uint8_t *start[128];
    size_t        *of;
    size_t         elems;
} left;

/* k elements a row: in 1 to 3 runs when `segments` divides k. A run is padded to a multiple of kr. */
static void left_make(left *l, int32_t m, int32_t k, int32_t segments, int32_t kr) {
    int32_t run = k / segments, padded = (run + kr - 1) / kr * kr, gap = segments > 1 ? rnd_in(0, 5) : 0;
    size_t  row = (size_t)(segments * (padded + gap)) + (size_t)(segments > 1 ? rnd_in(0, 3) : 0);
    l->elems = row * (size_t)m;
    l->of = (size_t *)malloc((size_t)m * (size_t)k * sizeof *l->of + 1);
    for (int32_t s = 0; s < segments; s++) l->offsets[s] = (size_t)s * (size_t)(padded + gap);
    for (int32_t r = 0; r < m; r++)
        for (int32_t t = 0; t < k; t++) l->of[r * k + t] = (size_t)r * row + l->offsets[t / run] + (size_t)(t % run);
    l->rows = npu__gemm_rows_of(NULL, row, padded);
    if (segments == 1) return;
    l->rows.offsets = l->offsets;
    l->rows.segments = segments;
}
static void left_bind(left *l, const void *data, int32_t m, size_t elem) {
    l->rows.a = (const uint8_t *)data;
    l->rows.stride *= elem;
    if (l->rows.segments == 1) return;
    for (int32_t r = 0; r < m; r++) l->start[r] = l->rows.a + (size_t)r * l->rows.stride;
    l->rows.rows = l->start;
}

/* Raw sums, panel by panel, finished here: the bytes that the kernel's own output stage gave. */
static int gemm_i8_raw_same(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_job *done, const uint8_t *packed, int32_t n,
                            const quant *q, const uint8_t *out) {
    npu__gemm_i8_job job = *done;
    const int32_t    nr = kern->nr;
    int32_t         *sums = (int32_t *)malloc((size_t)done->m * (size_t)nr * sizeof *sums);
    const size_t     panel = (size_t)nr * (16u + (size_t)job.a.run * (size_t)job.a.segments);
    int              same = 1;
    job.out.raw = 1;
    job.out_stride = (size_t)nr * sizeof *sums;
    for (int32_t j = 0; j < n; j += nr, packed += panel) {
        const int32_t cols = n - j < nr ? n - j : nr;
        kern->run(&job, packed, cols, (uint8_t *)sums);
        for (int32_t i = 0; i < done->m; i++)
            for (int32_t c = 0; c < cols; c++)
                same &= out[(size_t)i * done->out_stride + (size_t)(j + c)] ==
                        npu__i8_finish((uint32_t)sums[i * nr + c], q->qmul[q->per_column * (j + c)], &q->out);
    }
    free(sums);
    return same;
}

/* Float outputs of signed bytes, exactly: of rows with zero points of their own, or of one image. */
static void gemm_i8_floats_case(const npu__gemm_i8_kernel *kern, int32_t m, int32_t n, int32_t k, int last) {
    uint8_t *a = bytes_of((size_t)m * (size_t)k, 0), *w = bytes_of((size_t)n * (size_t)k, 0), *staged, *packed;
    float   *scale = floats_of((size_t)n), *bias = floats_of((size_t)n), *rows = floats_of((size_t)m), *out;
    int32_t *zero = (int32_t *)malloc((size_t)m * sizeof *zero), *adds = (int32_t *)calloc((size_t)m, sizeof *adds);
    const int32_t run = npu__gemm_i8_run_of(kern, k), step = (int32_t)(rnd() & 1), with_bias = (int32_t)(rnd() & 1);
    const size_t  pitch = (size_t)n + (size_t)rnd_in(0, 5), row = (size_t)run * npu__gemm_i8_elem_bytes(kern);
    const npu__qmul      none = {0, -1};
    npu__gemm_i8_weights gw;
    npu__pack_floats     pf;
    npu__i8_floats       f;
    npu__gemm_i8_job     job;
    size_t               bytes = 0;
    int                  same = 1, kept = 1;
    for (int32_t i = 0; i < m; i++) zero[i] = rnd_in(-128, 127);
    for (int32_t j = 0; j < n; j++) scale[j] = fabsf(scale[j]); /* of a graph they are never negative */
    gw.w = w; gw.stride_n = (size_t)k; gw.stride_k = 1; gw.segments = 1; gw.run = k;
    gw.w_signed = gw.a_signed = 1; gw.w_zero_point = gw.a_zero_point = 0; gw.bias = NULL; gw.qmul = &none; gw.qmul_step = 0;
    pf.scale = scale; pf.step = step; pf.bias = with_bias ? bias : NULL;
    f.zero_point = zero; f.scale = rows; f.step = !last; f.last = last; f.lo = -1000.0f; f.hi = 1000.0f;
    expect(npu__gemm_i8_packed_bytes(kern, n, 1, k, &bytes), "packed size", kern->name, m, n, k);
    packed = (uint8_t *)malloc(bytes);
    staged = (uint8_t *)malloc((size_t)m * row);
    out = (float *)malloc((size_t)m * pitch * sizeof *out);
    for (size_t i = 0; i < (size_t)m * pitch; i++) out[i] = 12345.0f;
    npu__gemm_i8_pack_floats(kern, n, &gw, &pf, packed);
    npu__gemm_i8_stage(kern, a, m, k, run, 1, staged);
    job.a = npu__gemm_rows_of(staged, row, run); job.m = m; job.row_add = adds; job.out_stride = pitch * sizeof *out;
    job.out = npu__i8_out_of(1, 0, -128, 127);
    job.out.floats = &f;
    npu__gemm_i8_run(kern, &job, packed, n, (uint8_t *)out);
    for (int32_t i = 0; i < m; i++) {
        const int32_t r = last ? 0 : i;
        for (int32_t j = 0; j < n; j++) {
            volatile float x, s; /* each step rounded */
            int32_t        acc = 0;
            for (int32_t t = 0; t < k; t++) acc += ((int8_t)a[i * k + t] - zero[r]) * (int8_t)w[j * k + t];
            s = last ? scale[step * j] : rows[r] * scale[step * j];
            x = (float)acc * s;
            if (last) x = x * rows[r];
            x = x + (with_bias ? bias[j] : 0.0f);
            x = x < f.lo ? f.lo : x > f.hi ? f.hi : x;
            same &= out[(size_t)i * pitch + (size_t)j] == x;
        }
        for (size_t j = (size_t)n; j < pitch; j++) kept &= out[(size_t)i * pitch + j] == 12345.0f;
    }
    expect(same, "floats differ from scalar", kern->name, m, n, k);
    expect(kept, stride_text, kern->name, m, n, k);
    free(a); free(w); free(scale); free(bias); free(rows); free(zero); free(adds); free(packed); free(staged); free(out);
}

static void gemm_i8_case(const npu__gemm_i8_kernel *kern, int32_t m, int32_t n, int32_t k, int extreme) {
    quant    q = quant_make(n, extreme);
    uint8_t *a, *w = bytes_of((size_t)n * (size_t)k, extreme), *staged;
    int      transposed = (int)(rnd() & 1), segments = k % 3 == 0 ? 3 : k % 2 == 0 && (rnd() & 1) ? 2 : 1;
    size_t   bytes = 0, pitch = (size_t)n + (size_t)rnd_in(0, 5), elem = npu__gemm_i8_elem_bytes(kern);
    uint8_t *out = (uint8_t *)malloc((size_t)m * pitch), *packed;
    npu__gemm_i8_weights gw;
    npu__gemm_i8_job     job;
    left                 l;
    int32_t             *adds = (int32_t *)malloc((size_t)m * sizeof(int32_t));
    int                  same = 1, kept = 1;
    memset(out, 0x5A, (size_t)m * pitch);
    gw.w = w; gw.stride_n = transposed ? 1 : (size_t)k; gw.stride_k = transposed ? (size_t)n : 1;
    gw.segments = segments; gw.run = k / segments;
    gw.w_signed = q.w_signed; gw.w_zero_point = q.w_zero; gw.a_signed = q.a_signed; gw.a_zero_point = q.a_zero;
    gw.bias = q.bias; gw.qmul = q.qmul; gw.qmul_step = q.per_column;
    expect(npu__gemm_i8_packed_bytes(kern, n, segments, k / segments, &bytes), "packed size", kern->name, m, n, k);
    packed = (uint8_t *)malloc(bytes);
    npu__gemm_i8_pack(kern, n, &gw, packed);
    left_make(&l, m, k, segments, kern->kr);
    a = bytes_of(l.elems, extreme);
    staged = (uint8_t *)malloc(l.elems * elem + 1);
    kern->stage(a, staged, (int32_t)l.elems, q.a_signed, 0);
    left_bind(&l, staged, m, elem);
    npu__gemm_i8_row_adds(kern, &l.rows, m, k / segments, npu__gemm_i8_delta(q.w_signed, q.w_zero), adds);
    job.a = l.rows; job.m = m; job.row_add = adds; job.out_stride = pitch; job.out = q.out;
    npu__gemm_i8_run(kern, &job, packed, n, out);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < n; j++) {
            uint32_t acc = (uint32_t)q.bias[j];
            for (int32_t t = 0; t < k; t++) {
                size_t at = transposed ? (size_t)t * (size_t)n + (size_t)j : (size_t)j * (size_t)k + (size_t)t;
                acc += (uint32_t)((byte_at(a, l.of[i * k + t], q.a_signed) - q.a_zero) *
                                  (byte_at(w, at, q.w_signed) - q.w_zero));
            }
            same &= out[(size_t)i * pitch + (size_t)j] == npu__i8_finish(acc, q.qmul[q.per_column * j], &q.out);
        }
        for (size_t j = (size_t)n; j < pitch; j++) kept &= out[(size_t)i * pitch + j] == 0x5A;
    }
    expect(same, "differs from scalar", kern->name, m, n, k);
    expect(kept, stride_text, kern->name, m, n, k);
    expect(gemm_i8_raw_same(kern, &job, packed, n, &q, out), "raw sums", kern->name, m, n, k);
    free(staged); free(adds); free(packed); free(out); free(a); free(w); free(l.of);
    quant_free(&q);
}

/* What NPU__BYTES_NARROW is promised. */
static void narrow_weights(uint8_t *w, size_t n) {
    for (size_t i = 0; i < n; i++) w[i] = w[i] == 0x80 ? 0x81 : w[i];
}

static void gemv_i8_case(const npu__gemv_i8_kernel *kern, int32_t n, int32_t k, int extreme) {
    quant    q = quant_make(n, extreme);
    uint8_t *a = bytes_of((size_t)k, extreme), *w = bytes_of((size_t)n * (size_t)k, extreme);
    uint8_t *out = (uint8_t *)malloc((size_t)n), *real = (uint8_t *)malloc((size_t)n);
    int32_t *sums = (int32_t *)malloc((size_t)n * sizeof *sums);
    double  *scale = (double *)malloc((size_t)n * sizeof *scale);
    int32_t  add = 0, cut = rnd_in(0, n);
    int      same = 1, same_fixed = 1, same_real = 1;
    int16_t         *staged = (int16_t *)malloc((size_t)k * sizeof *staged);
    npu__gemv_i8_job job;
    kern->stage(a, staged, k, q.a_signed, q.a_zero);
    add = (int32_t)((uint32_t)kern->sum(staged, k) * (uint32_t)-q.w_zero);
    job.a = staged; job.w = w; job.w_stride = (size_t)k; job.k = k; job.w_signed = q.w_signed;
    job.add = add; job.bias = q.bias;
    kern->run(&job, 0, cut, sums);
    kern->run(&job, cut, n, sums);
    for (int32_t j = 0; j < n; j++) {
        uint32_t acc = (uint32_t)q.bias[j];
        for (int32_t t = 0; t < k; t++)
            acc += (uint32_t)((byte_at(a, (size_t)t, q.a_signed) - q.a_zero) *
                              (byte_at(w, (size_t)j * (size_t)k + (size_t)t, q.w_signed) - q.w_zero));
        same &= (uint32_t)sums[j] == acc;
        scale[j] = extreme == 2 ? 0.5 : (double)rnd_in(1, 1000) / (extreme ? 7.0 : 1e5);
    }
    if (npu__gemv_i8_takes_bytes(kern, q.a_signed && q.w_signed)) {
        if (kern->bytes == NPU__BYTES_NARROW) narrow_weights(w, (size_t)n * (size_t)k);
        /* Weights as they lie, activations flipped or not, sums of rows given; the weights' zero point is the caller's. */
        const int flipped = kern->bytes == NPU__BYTES_FLIPPED;
        uint8_t *bytes = (uint8_t *)malloc((size_t)k);
        int32_t *of_w = (int32_t *)malloc((size_t)n * sizeof *of_w), *plain = (int32_t *)malloc((size_t)n * sizeof *plain);
        int      right = 1;
        kern->stage_bytes(a, bytes, k, flipped, 0);
        for (int32_t j = 0; j < n; j++) {
            of_w[j] = 0;
            for (int32_t t = 0; t < k; t++) of_w[j] += byte_at(w, (size_t)j * (size_t)k + (size_t)t, q.w_signed);
        }
        job.bytes = bytes; job.add = 7; job.w_sums = of_w;
        job.a_zero = q.a_zero + (!flipped ? 0 : q.a_signed ? 128 : -128) + (q.w_signed == q.a_signed ? 0 : q.a_signed ? -128 : 128);
        if (q.w_signed != q.a_signed) { /* kernels know weights and activations of one signedness alone */
            for (int32_t t = 0; t < k; t++) bytes[t] = a[t];
        }
        kern->run_bytes(&job, 0, cut, plain);
        kern->run_bytes(&job, cut, n, plain);
        for (int32_t j = 0; j < n; j++) {
            uint32_t acc = (uint32_t)q.bias[j] + 7u;
            for (int32_t t = 0; t < k; t++)
                acc += (uint32_t)((byte_at(a, (size_t)t, q.a_signed) - q.a_zero) * byte_at(w, (size_t)j * (size_t)k + (size_t)t, q.w_signed));
            right &= (uint32_t)plain[j] == acc;
        }
        expect(right, "sums of bytes differ from scalar", kern->name, 1, n, k);
        free(bytes); free(of_w); free(plain);
    }
    kern->finish_fixed(sums, n, q.qmul, q.per_column, &q.out, out);
    kern->finish_real(sums, n, scale, q.per_column, &q.out, real);
    for (int32_t j = 0; j < n; j++) {
        double v = round((double)sums[j] * scale[q.per_column * j]) + q.out.zero_point;
        v = v < q.out.lo ? q.out.lo : v > q.out.hi ? q.out.hi : v;
        same_fixed &= out[j] == npu__i8_finish((uint32_t)sums[j], q.qmul[q.per_column * j], &q.out);
        same_real &= real[j] == (uint8_t)((uint32_t)(int32_t)v ^ (uint32_t)q.out.flip);
    }
    expect(same, "sums differ from scalar", kern->name, 1, n, k);
    expect(same_fixed, "fixed-point outputs differ from scalar", kern->name, 1, n, k);
    expect(same_real, "real outputs differ from scalar", kern->name, 1, n, k);
    free(staged); free(out); free(real); free(sums); free(scale); free(a); free(w);
    quant_free(&q);
}

/* The float ends of a hybrid product, bit for bit. */
static void hybrid_case(const npu__gemv_i8_kernel *kern, int32_t n) {
    float       *x = floats_of((size_t)n), *bias = floats_of((size_t)n), *scale = floats_of((size_t)n);
    float       *out = floats_of((size_t)n), *want = floats_of((size_t)n);
    int32_t     *sums = (int32_t *)malloc((size_t)n * sizeof *sums);
    int32_t      with_bias = (int32_t)(rnd() & 1), step = (int32_t)(rnd() & 1);
    int8_t      *q = (int8_t *)malloc((size_t)n), *q_want = (int8_t *)malloc((size_t)n);
    npu__minmax  m, m_want;
    for (int32_t i = 0; i < n; i++) {
        sums[i] = (int32_t)(rnd() << 8 ^ rnd());
        if (rnd() % 8 == 0) x[i] = (float)rnd_in(-300, 300) / 2.0f;                  /* halves */
        if (rnd() % 64 == 0) x[i] = rnd() & 1 ? NAN : rnd() & 1 ? INFINITY : -1e30f;
        if (rnd() % 64 == 0) x[i] = rnd() & 1 ? 0.49999997f : -0.49999997f;
    }
    m = kern->minmax(x, n);
    m_want = npu__minmax_f32(x, n);
    expect(memcmp(&m, &m_want, sizeof m) == 0, "minimum or maximum differ", kern->name, 1, n, 0);
    for (int pass = 0; pass < 2; pass++) {
        float inverse = pass ? 1.0f : 0.37f;
        kern->quantize(x, n, inverse, (float)(n % 3 - 1), -127 - (n & 1), q);
        npu__quantize_f32(x, n, inverse, (float)(n % 3 - 1), -127 - (n & 1), q_want);
        expect(memcmp(q, q_want, (size_t)n) == 0, "quantized values differ", kern->name, 1, n, pass);
    }
    kern->finish_float(sums, n, 0.0123f, scale, step, with_bias ? bias : NULL, out);
    npu__finish_float(sums, n, 0.0123f, scale, step, with_bias ? bias : NULL, want);
    expect(memcmp(out, want, (size_t)n * sizeof *out) == 0, "float outputs differ", kern->name, 1, n, 0);
    free(x); free(bias); free(scale); free(out); free(want); free(sums); free(q); free(q_want);
}

static void blocks_case(const npu__gemv_i8_kernel *kern, int32_t n, int32_t block, int32_t blocks) {
    const int32_t k = block * blocks;
    int32_t       cut;
    uint8_t      *w = bytes_of((size_t)n * (size_t)k, 0), *bytes = bytes_of((size_t)k * 2, 0);
    int16_t      *a = (int16_t *)malloc((size_t)k * sizeof *a);
    float        *scale = floats_of((size_t)n * (size_t)blocks), *out = floats_of((size_t)n);
    int           same = 1;
    npu__gemv_i8_job job;
    if (!kern->blocks) { free(w); free(bytes); free(a); free(scale); free(out); return; }
    for (int32_t i = 0; i < k; i++) a[i] = (int16_t)((int8_t)bytes[i] - (int8_t)bytes[k + i]);
    memset(&job, 0, sizeof job);
    job.a = a; job.w = w; job.w_stride = (size_t)k; job.k = k; job.w_signed = 1;
    cut = rnd_in(0, n / 8) * 8;
    kern->blocks(&job, block, scale, n, cut, out);
    job.w += (size_t)cut * job.w_stride;
    kern->blocks(&job, block, scale + cut, n, n - cut, out + cut);
    for (int32_t u = 0; u < n; u++) {
        double sum = 0, mag = 0;
        for (int32_t b = 0; b < blocks; b++) {
            double dot = 0, abs_dot = 0;
            for (int32_t i = b * block; i < (b + 1) * block; i++) {
                dot += a[i] * (int8_t)w[u * k + i];
                abs_dot += abs(a[i] * (int8_t)w[u * k + i]);
            }
            sum += dot * scale[b * n + u];
            mag += abs_dot * fabs(scale[b * n + u]);
        }
        same &= close_enough(out[u], sum, mag, k, -INFINITY, INFINITY);
    }
    expect(same, "blockwise sums beyond the error bound", kern->name, 1, n, k);
    free(w); free(bytes); free(a); free(scale); free(out);
}

static void blocks_i4_case(const npu__blocks_i4_kernel *kern, int32_t units, int32_t block, int32_t blocks, int extreme) {
    const int32_t      depth = block * blocks;
    const size_t       nibbles = (size_t)units * (size_t)depth;
    uint8_t           *w = bytes_of(nibbles / 2, extreme), *a = bytes_of((size_t)depth, extreme), *packed;
    uint16_t          *scale = (uint16_t *)malloc((size_t)units * (size_t)blocks * sizeof *scale);
    size_t             bytes = 0;
    int                same = 1;
    int32_t           *a_sums = (int32_t *)malloc((size_t)blocks * sizeof *a_sums);
    npu__blocks_i4_job job;
    for (int32_t i = 0; i < units * blocks; i++) scale[i] = (uint16_t)rnd_in(0x1000, 0x3000); /* 0.0005 to 0.125 */
    expect(npu__blocks_i4_bytes(units, depth, block, &bytes), "packed size", kern->name, 1, units, depth);
    packed = (uint8_t *)malloc(bytes);
    npu__blocks_i4_pack(w, scale, units, depth, block, packed);
    npu__blocks_i4_sums(a, depth, block, a_sums);
    job.a = a; job.a_sums = a_sums; job.depth = depth; job.block = block; job.packed = packed;
    job.a_zero = rnd_in(-128, 127);
    for (int32_t p = 0; p * NPU__BLOCKS_I4_UNITS < units; p++) {
        float out[NPU__BLOCKS_I4_UNITS];
        kern->run(&job, p, out);
        for (int32_t i = 0, u = p * NPU__BLOCKS_I4_UNITS; i < NPU__BLOCKS_I4_UNITS && u < units; i++, u++) {
            double sum = 0, mag = 0;
            for (int32_t k = 0; k < depth; k++) {
                const size_t at = (size_t)u * (size_t)depth + (size_t)k;
                const int    nibble = at & 1 ? w[at / 2] >> 4 : w[at / 2] & 15;
                const double one = (double)((a[k] - 128 - job.a_zero) * ((nibble ^ 8) - 8)) *
                                   (double)npu__ref_fc_block_scale(scale[u * blocks + k / block]);
                sum += one;
                mag += fabs(one);
            }
            same &= close_enough(out[i], sum, mag, depth, -INFINITY, INFINITY);
        }
    }
    expect(same, "sums of int4 blocks beyond the error bound", kern->name, 1, units, depth);
    free(w); free(a); free(packed); free(scale); free(a_sums);
}

static int dw_i8_raw_same(const npu__dw_kernel *kern, const npu__dw_job *done, const uint8_t *packed, const quant *q,
                          const uint8_t *out) {
    const int32_t channels = done->channels;
    npu__dw_job   job = *done;
    int32_t      *sums = (int32_t *)malloc((size_t)channels * (size_t)job.pixels * sizeof *sums);
    int           same = 1;
    job.out.raw = 1;
    job.out_stride = (size_t)channels * sizeof *sums;
    kern->run(&job, packed, (uint8_t *)sums);
    for (int32_t i = 0; i < channels * job.pixels; i++)
        same &= out[(size_t)(i / channels) * done->out_stride + (size_t)(i % channels)] ==
                npu__i8_finish((uint32_t)sums[i], q->qmul[q->per_column * (i % channels)], &q->out);
    free(sums);
    return same;
}

/* Where the taps of an integer case lie: anywhere (`stride` pointers from pixel to pixel), or a window over an image of k_h x k_w
 * taps, `step` pixels on from pixel to pixel and with `dilation`. */
typedef struct dw_taps {
    int32_t k_h, k_w, step, dilation, pixels;
} dw_taps;

static void dw_i8_taps_case(const npu__dw_kernel *kern, int32_t channels, int32_t taps, const dw_taps *at, int extreme) {
    quant          q = quant_make(channels, extreme);
    const int32_t  pixels = at->pixels, stride = (taps + 1) & ~1;
    const int32_t  width = (pixels - 1) * at->step + (at->k_w - 1) * at->dilation + 1, height = (at->k_h - 1) * at->dilation + 1;
    uint8_t       *w = bytes_of((size_t)channels * (size_t)taps, extreme), *packed;
    const int32_t  input = at->k_h ? width * height : 7;
    uint8_t       *a = bytes_of((size_t)channels * (size_t)input, extreme), *out;
    const uint8_t **tap = (const uint8_t **)malloc(sizeof(*tap) * (size_t)(pixels * stride));
    size_t         bytes = 0, pitch = (size_t)channels + (size_t)rnd_in(0, 3);
    int            same = 1, kept = 1;
    npu__dw_i8_weights dw;
    npu__dw_job        job;
    const int moves = at->k_h || (rnd() & 1); /* pixels share their pointers and move on together */
    if (kern->together == 4) q.w_zero = q.w_signed ? 0 : NPU__MAX(q.w_zero, 1); /* what such rows take */
    for (int32_t i = 0; i < pixels * stride; i++) {
        const uint8_t *any = a + (size_t)channels * (size_t)rnd_in(0, moves ? NPU__MAX(7 - pixels, 0) : 6);
        const int32_t  t = NPU__MIN(i, taps - 1);
        if (at->k_h) any = a + (size_t)channels * (size_t)(((t / at->k_w) * width + t % at->k_w) * at->dilation);
        tap[i] = moves && i >= stride ? tap[i - stride] + channels * at->step : any;
    }
    dw.w = w; dw.step_c = 1; dw.step_t = (size_t)channels; dw.w_signed = q.w_signed; dw.w_zero_point = q.w_zero; dw.a_signed = q.a_signed; dw.a_zero_point = q.a_zero;
    dw.bias = q.bias; dw.qmul = q.qmul; dw.qmul_step = q.per_column;
    expect(npu__dw_i8_packed_bytes(kern, channels, taps, &bytes), "packed size", kern->name, pixels, channels, taps);
    packed = (uint8_t *)malloc(bytes);
    npu__dw_i8_pack(kern, channels, taps, &dw, packed);
    out = (uint8_t *)malloc(pitch * (size_t)pixels);
    memset(out, 0x5A, pitch * (size_t)pixels);
    memset(&job, 0, sizeof job);
    job.taps = tap; job.n_taps = taps; job.taps_step = moves ? 0 : stride;
    job.in_step = moves ? (size_t)(channels * at->step) : 0;
    job.pixels = pixels; job.channels = channels;
    job.out_stride = pitch; job.is_signed = q.a_signed; job.out = q.out;
    job.w_rest = kern->together == 4 ? npu__dw_i8_rest(q.w_signed, q.w_zero) : 0;
    kern->run(&job, packed, out);
    for (int32_t p = 0; p < pixels; p++) {
        for (int32_t c = 0; c < channels; c++) {
            uint32_t acc = (uint32_t)q.bias[c];
            for (int32_t t = 0; t < taps; t++)
                acc += (uint32_t)((byte_at(tap[p * stride + t], (size_t)c, q.a_signed) - q.a_zero) *
                                  (byte_at(w, (size_t)t * (size_t)channels + (size_t)c, q.w_signed) - q.w_zero));
            same &= out[(size_t)p * pitch + (size_t)c] == npu__i8_finish(acc, q.qmul[q.per_column * c], &q.out);
        }
        for (size_t c = (size_t)channels; c < pitch; c++) kept &= out[(size_t)p * pitch + c] == 0x5A;
    }
    expect(same, "differs from scalar", kern->name, pixels, channels, taps);
    expect(kept, stride_text, kern->name, pixels, channels, taps);
    expect(dw_i8_raw_same(kern, &job, packed, &q, out), "raw sums", kern->name, pixels, channels, taps);
    free(packed); free(out); free(a); free(w); free((void *)tap);
    quant_free(&q);
}

static void dw_i8_case(const npu__dw_kernel *kern, int32_t channels, int32_t taps, int extreme) {
    dw_taps at = {0, 0, 1, 1, 0};
    at.pixels = rnd_in(1, 4);
    dw_i8_taps_case(kern, channels, taps, &at, extreme);
}

/* Windows over an image: what kernels may share between neighbouring pixels. */
static void dw_i8_windows(const npu__dw_kernel *kern) {
    static const int32_t channels[] = {8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 64, 72, 144}, windows[][2] = {{3, 3}, {5, 5}, {1, 1}, {2, 7}, {1, 9}, {7, 7}, {1, 25}};
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++)
        for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
            for (int32_t i = 0; i < 4 * 9; i++) {
                dw_taps at;
                at.k_h = windows[k][0];
                at.k_w = windows[k][1];
                at.step = (i & 1) + 1;
                at.dilation = i & 2 ? 2 : 1;
                at.pixels = i / 4 + 1;
                for (int32_t n = 0; n < (k ? 1 : 3) && channels[c] >= kern->unit; n++) dw_i8_taps_case(kern, channels[c], at.k_h * at.k_w, &at, (int)(rnd() % 3));
            }
}

/* ---- floats ---- */

static void gemm_f32_case(const npu__gemm_f32_kernel *kern, int32_t m, int32_t n, int32_t k) {
    int    transposed = (int)(rnd() & 1), clamp = (int)(rnd() & 1), same = 1, kept = 1, split = 1;
    int    segments = k % 3 == 0 ? 3 : k % 2 == 0 && (rnd() & 1) ? 2 : 1;
    size_t pitch = (size_t)n + (size_t)rnd_in(0, 3), bytes = 0;
    float *a, *w = floats_of((size_t)n * (size_t)k), *bias = floats_of((size_t)n);
    float *out = floats_of((size_t)m * pitch), *again = floats_of((size_t)m * pitch), *packed;
    const int32_t cut = rnd_in(0, m);
    left   l;
    npu__gemm_f32_job job;
    for (size_t i = 0; i < (size_t)m * pitch; i++) out[i] = again[i] = 123.0f;
    left_make(&l, m, k, segments, 1);
    a = floats_of(l.elems);
    left_bind(&l, a, m, sizeof *a);
    expect(npu__gemm_f32_packed_bytes(kern, n, k, &bytes), "packed size", kern->name, m, n, k);
    packed = (float *)malloc(bytes);
    npu__gemm_f32_pack(kern, n, k, w, transposed ? 1 : (size_t)k, transposed ? (size_t)n : 1, bias, packed);
    job.a = l.rows; job.out_stride = pitch; job.m = m;
    job.lo = clamp ? 0.0f : -3.4e38f; job.hi = clamp ? 6.0f : 3.4e38f;
    npu__gemm_f32_run(kern, &job, packed, n, out);
    job.m = cut;
    npu__gemm_f32_run(kern, &job, packed, n, again);
    job.m = m - cut;
    job.a.a += (size_t)cut * job.a.stride;
    if (job.a.rows) job.a.rows += cut;
    npu__gemm_f32_run(kern, &job, packed, n, again + (size_t)cut * pitch);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < n; j++) {
            double acc = bias[j], mag = fabs(bias[j]);
            for (int32_t t = 0; t < k; t++) {
                double p = (double)a[l.of[i * k + t]] *
                           w[transposed ? (size_t)t * (size_t)n + (size_t)j : (size_t)j * (size_t)k + (size_t)t];
                acc += p;
                mag += fabs(p);
            }
            same &= close_enough(out[(size_t)i * pitch + (size_t)j], acc, mag, k, job.lo, job.hi);
            split &= out[(size_t)i * pitch + (size_t)j] == again[(size_t)i * pitch + (size_t)j];
        }
        for (size_t j = (size_t)n; j < pitch; j++) kept &= out[(size_t)i * pitch + j] == 123.0f;
    }
    expect(same, "beyond the error bound", kern->name, m, n, k);
    expect(split, "depends on the split", kern->name, m, n, k);
    expect(kept, stride_text, kern->name, m, n, k);
    free(packed); free(a); free(w); free(bias); free(out); free(again); free(l.of);
}

static void gemv_f32_case(const npu__gemv_f32_kernel *kern, int32_t n, int32_t k) {
    float *a = floats_of((size_t)k), *w = floats_of((size_t)n * (size_t)k), *bias = floats_of((size_t)n);
    float *out = floats_of((size_t)n), *again = floats_of((size_t)n);
    const int32_t cut = rnd_in(0, n);
    int    same = 1, split = 1;
    npu__gemv_f32_job job;
    job.a = a; job.w = w; job.bias = bias; job.k = k; job.lo = -2.0f; job.hi = 50.0f;
    kern->run(&job, 0, n, out);
    kern->run(&job, 0, cut, again);
    kern->run(&job, cut, n, again);
    for (int32_t j = 0; j < n; j++) {
        double acc = bias[j], mag = fabs(bias[j]);
        for (int32_t t = 0; t < k; t++) {
            double p = (double)a[t] * w[(size_t)j * (size_t)k + (size_t)t];
            acc += p;
            mag += fabs(p);
        }
        same &= close_enough(out[j], acc, mag, k, job.lo, job.hi);
        split &= out[j] == again[j];
    }
    expect(same, "beyond the error bound", kern->name, 1, n, k);
    expect(split, "depends on the split", kern->name, 1, n, k);
    free(a); free(w); free(bias); free(out); free(again);
}

/* Pixels side by side, of whose window only the rectangle from (y0, x0) on lies inside the image. */
static void dw_f32_case(const npu__dw_kernel *kern, int32_t channels, int32_t k_h, int32_t k_w) {
    const int32_t pixels = rnd_in(1, 17), stride = rnd_in(1, 2), dil = rnd_in(1, 3), taps = k_h * k_w;
    const int32_t y0 = rnd() & 1 ? 0 : rnd_in(0, k_h), x0 = rnd() & 1 ? 0 : rnd_in(0, k_w);
    const int32_t width = (pixels - 1) * stride + (k_w - 1) * dil + 1;
    const size_t  pixel = (size_t)channels + (size_t)rnd_in(0, 3), line = (size_t)width * pixel;
    size_t        bytes = 0, pitch = (size_t)channels + (size_t)rnd_in(0, 3);
    float        *w = floats_of((size_t)channels * (size_t)taps), *bias = floats_of((size_t)channels);
    float        *a = floats_of((size_t)k_h * line), *out = floats_of(pitch * (size_t)pixels);
    uint8_t      *packed;
    int           same = 1, kept = 1;
    npu__dw_job   job;
    if (rnd() % 4 == 0) a[rnd() % ((size_t)k_h * line)] = NAN;
    for (size_t i = 0; i < pitch * (size_t)pixels; i++) out[i] = 123.0f;
    expect(npu__dw_f32_packed_bytes(channels, taps, &bytes), "packed size", kern->name, pixels, channels, taps);
    packed = (uint8_t *)malloc(bytes);
    npu__dw_f32_pack(channels, taps, w, 1, (size_t)channels, bias, packed);
    memset(&job, 0, sizeof job);
    job.in = (const uint8_t *)a;
    job.n_taps = taps; job.k_w = k_w; job.first = y0 * k_w + x0;
    job.lines = rnd() & 1 ? k_h - y0 : rnd_in(0, k_h - y0); job.cols = rnd() & 1 ? k_w - x0 : rnd_in(0, k_w - x0);
    job.in_step = (size_t)stride * pixel * sizeof *a; job.col_step = (size_t)dil * pixel * sizeof *a;
    job.line_step = line * sizeof *a;
    job.pixels = pixels; job.channels = channels;
    job.out_stride = pitch * sizeof(float); job.lo = -1.0f; job.hi = 6.0f;
    kern->run(&job, packed, (uint8_t *)(void *)out);
    for (int32_t p = 0; p < pixels; p++) {
        for (int32_t c = 0; c < channels; c++) {
            const float got = out[(size_t)p * pitch + (size_t)c];
            double      acc = bias[c], mag = fabs(bias[c]);
            for (int32_t t = 0; t < job.lines * job.cols; t++) {
                const int32_t y = t / job.cols, x = t % job.cols;
                double v = (double)a[(size_t)y * line + (size_t)(p * stride + x * dil) * pixel + (size_t)c] *
                           w[(size_t)((y0 + y) * k_w + x0 + x) * (size_t)channels + (size_t)c];
                acc += v;
                mag += fabs(v);
            }
            same &= isnan(acc) ? isnan(got) : close_enough(got, acc, mag, taps, job.lo, job.hi);
        }
        for (size_t c = (size_t)channels; c < pitch; c++) kept &= out[(size_t)p * pitch + c] == 123.0f;
    }
    expect(same, "beyond the error bound", kern->name, pixels, channels, taps);
    expect(kept, stride_text, kern->name, pixels, channels, taps);
    free(packed); free(out); free(a); free(w); free(bias);
}

/* ---- elementwise loops ---- */

static float clamped(float x, float lo, float hi) {
    x = x < lo ? lo : x;
    return hi < x ? hi : x;
}
static int same_value(float a, float b) { return a == b || (a != a && b != b); }

static void pointwise_case(const npu__pointwise *kern, int32_t n) {
    const npu__binary_f32_fn fns[5] = {kern->add, kern->sub, kern->mul, kern->prelu, kern->sqdiff};
    float *a = floats_of((size_t)n), *b = floats_of((size_t)n), *out = floats_of((size_t)n);
    int same = 1;
    if (n > 3) { a[n / 2] = NAN; b[n / 3] = INFINITY; }
    for (int k = 0; k < 15; k++) {
        const int32_t sa = k / 5 != 1, sb = k / 5 != 2;
        fns[k % 5](a, b, out, n, sa, sb, -1.5f, 2.0f);
        for (int32_t i = 0; i < n; i++) {
            const float x = a[i * sa], y = b[i * sb];
            const float w = k % 5 == 0 ? clamped(x + y, -1.5f, 2.0f) : k % 5 == 1 ? clamped(x - y, -1.5f, 2.0f)
                          : k % 5 == 2 ? clamped(x * y, -1.5f, 2.0f) : k % 5 == 4 ? (x - y) * (x - y) : x >= 0.0f ? x : x * y;
            same &= same_value(out[i], w);
        }
    }
    kern->clamp(a, out, n, 0.0f, 1.0f);
    for (int32_t i = 0; i < n; i++) same &= same_value(out[i], clamped(a[i], 0.0f, 1.0f));
    expect(same, "elementwise results differ", kern->name, 1, n, 0);
    free(a); free(b); free(out);
}

/* exp, logistic and tanh over their whole range, in odd lengths. */
static void exponential_case(const npu__pointwise *kern) {
    enum { N = 10007 };
    float *x = floats_of(N), *out = floats_of(N);
    double worst[3] = {0, 0, 0}, sum = 0, largest = 0;
    for (int i = 0; i < N; i++) x[i] = ((float)i - N / 2) * (i % 2 ? 0.018f : 1e-4f);
    x[5] = NAN; x[6] = INFINITY; x[7] = -INFINITY; x[8] = -0.0f; x[9] = 1e-30f;
    kern->unary[NPU__PW_logistic](x, out, N);
    for (int i = 0; i < N; i++) {
        const double want = 1.0 / (1.0 + exp(-(double)x[i])), e = fabs(out[i] - want) / want;
        if (i == 5) expect(out[i] != out[i], "logistic of NaN", kern->name, 1, 1, 0);
        else if (want > 1e-37 && !(e <= worst[0])) worst[0] = e;
    }
    expect(out[6] == 1.0f && out[7] >= 0.0f && out[7] < 1e-37f, "logistic of infinity", kern->name, 1, 1, 0);
    kern->unary[NPU__PW_tanh](x, out, N);
    for (int i = 0; i < N; i++) {
        const double want = tanh((double)x[i]), e = want != 0 ? fabs(out[i] - want) / fabs(want) : fabs(out[i]);
        if (i == 5) expect(out[i] != out[i], "tanh of NaN", kern->name, 1, 1, 0);
        else if (!(e <= worst[1])) worst[1] = e;
    }
    x[5] = 0; x[6] = 3; x[7] = -3;
    for (int i = 0; i < N; i++) sum += exp(0.25 * ((double)x[i] - (double)x[N - 2]));
    kern->softmax(x, out, N, 0.25f);
    for (int i = 0; i < N; i++) {
        const double want = exp(0.25 * ((double)x[i] - (double)x[N - 2])) / sum;
        largest = want > largest ? want : largest;
        worst[2] = fabs(out[i] - want) > worst[2] ? fabs(out[i] - want) : worst[2];
    }
    printf("%-24s worst relative error: logistic %.1e, tanh %.1e, softmax %.1e\n", kern->name, worst[0], worst[1],
           worst[2] / largest);
    expect(worst[0] < 3e-7 && worst[1] < 6e-7 && worst[2] < 1e-6 * largest, "beyond the error bound", kern->name, 1, N, 0);
    free(x); free(out);
}

/* Weights as they lie give the bits of packed ones. */
static void gemm_f32_flat(const npu__gemm_f32_kernel *kern, int32_t m, int32_t n, int32_t k) {
    const size_t step = (size_t)n + (size_t)rnd_in(0, 3), outs = (size_t)m * (size_t)n;
    size_t bytes = 0, rest = 0;
    float *a = floats_of((size_t)m * (size_t)k), *w = floats_of((size_t)k * step), *out = floats_of(outs), *again = floats_of(outs);
    float *packed, *packed_rest;
    npu__gemm_f32_job job;
    expect(npu__gemm_f32_packed_bytes(kern, n, k, &bytes) && npu__gemm_f32_packed_bytes(kern, n % kern->unit, k, &rest), "packed size",
           kern->name, m, n, k);
    packed = (float *)malloc(bytes);
    packed_rest = (float *)malloc(rest + 1);
    npu__gemm_f32_pack(kern, n, k, w, 1, step, NULL, packed);
    npu__gemm_f32_pack(kern, n % kern->unit, k, w + (n - n % kern->unit), 1, step, NULL, packed_rest);
    job.a = npu__gemm_rows_of(a, (size_t)k * sizeof *a, k); job.out_stride = (size_t)n; job.m = m;
    job.lo = -3.4e38f; job.hi = 3.4e38f;
    npu__gemm_f32_run(kern, &job, packed, n, out);
    npu__gemm_f32_run_flat(kern, &job, w, step, packed_rest, n, again);
    expect(memcmp(out, again, outs * sizeof *out) == 0, "not packed", kern->name, m, n, k);
    free(a); free(w); free(out); free(again); free(packed); free(packed_rest);
}

/* ---- every row this machine can run ---- */

/* Of bytes, the first of the best ones, which are many. */
static void arg_bytes_case(npu__arg_bytes_fn run, const char *name, int32_t n, int spread) {
    uint8_t *p = (uint8_t *)malloc((size_t)n);
    int      right = 1;
    for (uint32_t way = 0; way < 4; way++) {
        const uint32_t flip = (way & 1 ? 0x80u : 0u) ^ (way & 2 ? 0xFFu : 0u);
        int32_t        want = 0;
        for (int32_t i = 0; i < n; i++) p[i] = (uint8_t)((uint32_t)rnd_in(0, spread) * (spread < 8 ? 37u : 1u) ^ flip);
        for (int32_t i = 1; i < n; i++) if ((int8_t)(uint8_t)(p[i] ^ flip) > (int8_t)(uint8_t)(p[want] ^ flip)) want = i;
        right &= run(p, n, flip) == want;
    }
    expect(right, "place of the best byte", name, n, spread, 0);
    free(p);
}

static const int32_t sizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100};
#include "fft_unit.h"
#include "bytes_unit.h"
#include "gates_unit.h"
#include "gemv_unit.h"
#include "convert_unit.h"
#include "sparse_unit.h"
#include "stage_unit.h"
#include "winograd_unit.h"

#define N_SIZES ((int)(sizeof sizes / sizeof sizes[0]))
#define ROWS(type, rows, call)                                                                                  \
    for (const type *kern = rows; kern->name; kern++) {                                                         \
        if (!strstr(kern->name, only)) continue;                                                                \
        if (!NPU_TEST_CAN_RUN(kern->isa)) {                                                                     \
            printf("%-24s skipped: %s\n", kern->name, npu_isa_name(kern->isa));                                 \
            continue;                                                                                           \
        }                                                                                                       \
        { int before = failures, n_before = cases; call;                                                        \
          printf("%-24s %d checks %s\n", kern->name, cases - n_before, failures == before ? "ok" : "FAILED"); } \
    }

/* An argument chooses the kernels whose names hold it. */
int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "";
    ROWS(npu__gemm_i8_kernel, npu__gemm_i8_rows,
         for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++)
             gemm_i8_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES],
                          i % 3);
         for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++)
             gemm_i8_floats_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES], i & 1);
         stage_cases(kern))
    ROWS(npu__gemv_i8_kernel, npu__gemv_i8_rows,
         for (int i = 0; i < 6 * N_SIZES * N_SIZES; i++)
             gemv_i8_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], i % 3);
         for (int i = 0; i < 4000; i++) real_case(kern, i);
         for (int i = 1; i < 200; i++) hybrid_case(kern, i);
         for (int i = 1; i < 100; i++)
             blocks_case(kern, i % 11 + 1, i % 4 ? 16 * (i % 3 + 1) : i % 23 + 1, i % 7 + 1))
    ROWS(npu__gemm_f32_kernel, npu__gemm_f32_rows,
         for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++)
             gemm_f32_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES]))
    ROWS(npu__gemm_f32_kernel, npu__gemm_f32_rows,
         for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++)
             gemm_f32_flat(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES]))
    ROWS(npu__gemm_f32_kernel, npu__dots_f32_rows,
         for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++)
             gemm_f32_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES]))
    ROWS(npu__sparse_f32_kernel, npu__sparse_f32_rows,
         for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES; i++)
             sparse_f32_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES % N_SIZES], sizes[i / N_SIZES / N_SIZES]);
         sparse_pays_case(kern))
    ROWS(npu__wino_f32_kernel, npu__wino_f32_rows, for (int i = 0; i < 100; i++) wino_f32_case(kern, i); wino_takes_case(kern))
    ROWS(npu__gemv_f32_kernel, npu__gemv_f32_rows,
         for (int i = 0; i < N_SIZES * N_SIZES; i++) gemv_f32_case(kern, sizes[i % N_SIZES], sizes[i / N_SIZES]))
    ROWS(npu__pointwise, npu__pointwise_rows,
         for (int i = 1; i < 300; i++) pointwise_case(kern, i);
         exponential_case(kern);
         for (int i = 0; i < 3000 && kern->quantize8; i++) quantize_case(kern, i))
    ROWS(npu__bytes, npu__bytes_rows,
         bytes_case(kern);
         for (int i = 1; i < 300 && kern->real; i++) real8_case(kern, i))
    for (int32_t n = 1; n < 700 && !*only; n += n < 100 ? 1 : 13) {
        for (int spread = 1; spread < 256; spread = spread * 4 + 3) {
            arg_bytes_case(npu__arg_bytes__any, "loops", n, spread);
#if NPU__HAS_X86
            if (NPU_TEST_CAN_RUN(NPU_ISA_AVX2)) arg_bytes_case(npu__arg_bytes__avx2, "loops.avx2", n, spread);
#endif
        }
    }
    ROWS(npu__gates, npu__gates_rows, gates_case(kern))
    ROWS(npu__fft_kernel, npu__fft_rows, fft_case(kern))
    ROWS(npu__fft64_kernel, npu__fft64_rows, fft64_case(kern))
    ROWS(npu__blocks_i4_kernel, npu__blocks_i4_rows,
         for (int i = 0; i < 200; i++) blocks_i4_case(kern, i % 37 + 1, 8 * (i % 9 + 1), i % 5 + 1, i % 3))
    ROWS(npu__gemv_panels_i8_kernel, npu__gemv_panels_i8_rows,
         for (int i = 0; i < 6 * N_SIZES * N_SIZES; i++)
             panels_i8_case(kern, sizes[i % N_SIZES] + i % 3 * 64, sizes[i / N_SIZES % N_SIZES], i % 3))
    ROWS(npu__gemv_panels_f32_kernel, npu__gemv_panels_f32_rows,
         for (int i = 0; i < 3 * N_SIZES * N_SIZES; i++)
             panels_f32_case(kern, sizes[i % N_SIZES] + i % 3 * 64, sizes[i / N_SIZES % N_SIZES]))
    ROWS(npu__dw_kernel, npu__dw_i8_rows,
         for (int c = kern->unit; c < 140; c += c < 70 ? 1 : 9)
             for (int t = 1; t < 27; t++) dw_i8_case(kern, c, t, (c + t) % 3);
         dw_i8_windows(kern))
    ROWS(npu__dw_kernel, npu__dw_f32_rows,
         for (int c = 8; c < 70; c++) for (int k = 0; k < 27; k++)
             dw_f32_case(kern, c, k < 9 ? 3 : k < 18 ? 1 + k % 5 : k % 9 + 1, k < 9 ? 3 : k < 18 ? 9 - k % 9 : k % 5 + 1))
    printf("best isa %s\n%d passed, %d failed\n", npu_isa_name(npu_isa_best()), cases - failures, failures);
    return failures != 0;
}
