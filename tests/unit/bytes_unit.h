/* The rows of kernels/bytes.h: sums and products of every pair of bytes by the forms that were found, against the reference's steps;
 * tables; all lengths around a vector's, steps of 0 and in place. */
#ifndef BYTES_UNIT_H
#define BYTES_UNIT_H

static float bytes_scale(float lo, float hi) { return lo + (hi - lo) * (float)(rnd() & 0xFFFFFFu) / 16777216.0f; }

static npu__sum8_job bytes_job(float a, float b, float out, int product, int nr) {
    const double  twice = (double)(2.0f * NPU__MAX(a, b));
    const int     is_signed = nr & 1, lo = is_signed ? -128 : 0;
    npu__sum8_job q;
    q.is_signed = is_signed;
    q.negate_b = nr >> 1 & 1;
    q.left_shift = 20;
    for (int k = 0; k < 2; k++) {
        q.offset[k] = -rnd_in(lo, lo + 255);
        q.mul[k] = npu__qmul_of((double)(k ? b : a) / twice);
    }
    q.out_mul = npu__qmul_of(product ? (double)(a * b / out) : twice / (double)(1048576.0f * out));
    q.out = npu__i8_out_of(is_signed, rnd_in(lo, lo + 255), nr & 4 ? rnd_in(lo, lo + 100) : lo, lo + 255);
    return q;
}

static uint8_t bytes_want(const npu__sum8_job *q, int product, uint8_t a, uint8_t b) {
    const int32_t x = byte_at(&a, 0, q->is_signed) + q->offset[0], y = byte_at(&b, 0, q->is_signed) + q->offset[1];
    int32_t       v = x * y;
    if (!product) {
        const int32_t p = npu__qmul_apply(x * (1 << 20), q->mul[0]), r = npu__qmul_apply(y * (1 << 20), q->mul[1]);
        v = q->negate_b ? p - r : p + r;
    }
    return npu__i8_finish((uint32_t)v, q->out_mul, &q->out);
}

static int bytes_by_floats; /* how many products were */

/* Returns whether there is a fast form. */
static int bytes_pairs(const npu__bytes *kern, float sa, float sb, float so, int product, int nr) {
    const npu__sum8_job q = bytes_job(sa, sb, so, product, nr);
    const npu__bytes_fn run = product ? kern->product : kern->sum;
    npu__bytes_job      job;
    uint8_t             a[256], b[256], out[256];
    int                 same = 1;
    if (!(product ? npu__bytes_product_of(&q, &job) : npu__bytes_sum_of(&q, &job))) return 0;
    bytes_by_floats += product && job.by_floats;
    for (int32_t y = 0; y < 512; y++) {
        const int32_t n = 256 - y % 67, sides = y % 3;
        if (y == 256 && !job.by_floats) break;
        if (y == 256) job.by_floats = 0; /* once more by integers, which there are always */
        for (int32_t i = 0; i < 256; i++) { a[i] = (uint8_t)i; b[i] = (uint8_t)(y & 255); }
        if (sides == 2) { /* the first one stays, and the other is the output */
            memcpy(out, a, sizeof out);
            run(&job, b, out, out, n, 0, 1);
        } else {
            memcpy(out, a, sizeof out);
            run(&job, out, b, out, n, 1, sides);
        }
        for (int32_t i = 0; i < n; i++) {
            same &= out[i] == (sides == 2 ? bytes_want(&q, product, b[i], a[i]) : bytes_want(&q, product, a[i], b[i]));
        }
        for (int32_t i = n; i < 256; i++) same &= out[i] == a[i];
    }
    expect(same, product ? "products of bytes" : "sums of bytes", kern->name, nr, 0, 0);
    return 1;
}

static void bytes_tables(const npu__bytes *kern, int32_t n) {
    uint8_t *table = bytes_of(256, 0), *in = bytes_of((size_t)n, 0), *out = bytes_of((size_t)n, 0);
    int      same = 1;
    kern->table(table, in, out, n);
    for (int32_t i = 0; i < n; i++) same &= out[i] == table[in[i]];
    kern->table(table, in, in, n);
    expect(same && memcmp(in, out, (size_t)n) == 0, "table", kern->name, 1, n, 0);
    free(table); free(in); free(out);
}

/* Tables that are lines: QUANTIZE, RELU6, LEAKY_RELU and ABS by the reference's steps. Returns whether one was found. */
static int bytes_lines(const npu__bytes *kern, int nr) {
    static const double slopes[4] = {1.0, 0.0, 0.1, -1.0}; /* below the knee, times that above */
    const int           in_signed = nr & 1, out_signed = nr >> 1 & 1, kind = nr >> 2 & 3;
    const int32_t       in_zp = in_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
    const int32_t       out_zp = kind & 1 ? (out_signed ? -128 : 0) : out_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
    const double        slope = (double)bytes_scale(0.05f, 3.0f);
    const npu__qmul     above = npu__qmul_of(slope), below = npu__qmul_of(slope * fabs(slopes[kind]));
    const int32_t       lo = out_signed ? -128 : 0, hi = kind == 1 ? rnd_in(lo + 1, lo + 255) : lo + 255;
    npu__bytes_map      map;
    uint8_t             table[256], in[300], out[300];
    int                 same = 1;
    for (int32_t i = 0; i < 256; i++) {
        const uint8_t byte = (uint8_t)i;
        const int32_t d = byte_at(&byte, 0, in_signed) - in_zp, down = npu__qmul_apply(d, below);
        const int32_t v = (d >= 0 ? npu__qmul_apply(d, above) : slopes[kind] < 0 ? -down : down) + out_zp;
        table[i] = (uint8_t)(v < lo ? lo : v > hi ? hi : v);
    }
    memcpy(map.as.table, table, sizeof table);
    npu__bytes_map_make(kern, in_signed, out_signed, in_zp, &map);
    for (int32_t n = 0; n < 300; n += n < 70 || n > 250 ? 1 : 17) {
        for (int32_t i = 0; i < 300; i++) { in[i] = (uint8_t)(i * 7 + n); out[i] = 0x5A; }
        npu__bytes_map_run(kern, &map, in, out, n);
        for (int32_t i = 0; i < 300; i++) same &= out[i] == (i < n ? table[in[i]] : 0x5A);
        npu__bytes_map_run(kern, &map, in, in, n);
        same &= memcmp(in, out, (size_t)n) == 0;
    }
    expect(same, map.is_line ? "a line of bytes" : "a table instead of a line", kern->name, nr, kind, 0);
    return map.is_line;
}

/* No table but a line is taken for one. */
static void bytes_no_lines(const npu__bytes *kern) {
    npu__bytes_map map;
    int            none = 1;
    for (int nr = 0; nr < 64 && kern->line; nr++) {
        for (int32_t i = 0; i < 256; i++) map.as.table[i] = (uint8_t)(nr & 1 ? i * i >> 8 : i / 2);
        map.as.table[rnd_in(20, 200)] ^= (uint8_t)(1 << rnd_in(2, 5));
        npu__bytes_map_make(kern, 0, 0, rnd_in(0, 255), &map);
        none &= !map.is_line;
    }
    expect(none, "a line that is none", kern->name, 0, 0, 0);
}

static void bytes_case(const npu__bytes *kern) {
    static const float scales[][3] = {{0.05f, 0.05f, 0.05f}, {0.05f, 0.05f, 0.1f}, {0.02f, 0.06f, 0.08f}, {0.05f, 0.00390625f, 0.05f},
                                      {0.5f, 0.5f, 0.5f}, {1.0f, 1.0f, 1.0f}, {0.4f, 0.3f, 0.0625f}, {0.0007f, 0.09f, 0.07f}};
    int found[2] = {0, 0}, lines = 0;
    bytes_by_floats = 0;
    for (int32_t n = 0; n < 300; n++) bytes_tables(kern, n);
    for (int i = 0; i < 8 && kern->sum; i++) {
        for (int k = 0; k < 8; k++) bytes_pairs(kern, scales[i][0], scales[i][1], scales[i][2], k & 1, i + k);
    }
    for (int i = 0; i < 200 && kern->sum; i++) {
        const float a = bytes_scale(0.02f, 0.09f), b = a * bytes_scale(0.3f, 2.0f);
        found[i & 1] += bytes_pairs(kern, a, b, a * bytes_scale(0.5f, 2.0f) * (i & 1 ? 9e-2f : 1.0f), i & 1, i >> 1);
    }
    for (int i = 0; i < 320; i++) lines += bytes_lines(kern, i);
    expect(!kern->line || lines >= 310, "how many lines were found", kern->name, lines, 0, 0);
    bytes_no_lines(kern);
    expect(!kern->sum || (found[0] >= 95 && found[1] >= 99), "how many forms were found", kern->name, found[0], found[1], 0);
    expect(!kern->sum || bytes_by_floats >= 80, "how many products may be made by floats", kern->name, bytes_by_floats, 0, 0);
}

#endif
