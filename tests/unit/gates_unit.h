/* The rows of kernels/gates.h against the functions of base/fixed16.h: every int16, every number of integer bits, rests. */
#ifndef GATES_UNIT_H
#define GATES_UNIT_H

static void gates_values(const npu__gates *kern, int16_t *x, int16_t *out) {
    for (int32_t i = 0; i < 65536; i++) x[i] = (int16_t)(i - 32768);
    for (int bits = -1; bits <= 6; bits++) { /* -1: the logistic function */
        int same = 1;
        if (bits < 0) kern->logistic(x, out, 65536);
        else kern->tanh(x, out, 65536, bits);
        for (int32_t i = 0; i < 65536; i++) same &= out[i] == (bits < 0 ? npu__logistic16(x[i]) : npu__tanh16(x[i], bits));
        expect(same, bits < 0 ? "logistic" : "tanh", kern->name, bits, 0, 0);
    }
}

static void gates_sums(const npu__gates *kern, int32_t n, int shift, int twice) {
    int32_t   sums[80] = {0}; /* n may be 0 */
    int16_t   gate[80], want[80];
    npu__qmul mul;
    int       same = 1;
    mul.multiplier = rnd_in(1 << 30, INT32_MAX);
    mul.shift = shift;
    for (int32_t i = 0; i < n; i++) {
        int32_t v;
        sums[i] = (int32_t)(rnd() << 8 ^ rnd()) >> rnd_in(0, 24);
        gate[i] = (int16_t)rnd_in(-32768, 32767);
        v = npu__qmul_apply(sums[i], mul);
        want[i] = npu__sat16((int32_t)((uint32_t)(twice ? npu__sat16(v) : v) + (uint32_t)(int32_t)gate[i]));
    }
    kern->add(sums, mul, twice, gate, n);
    for (int32_t i = 0; i < n; i++) same &= gate[i] == want[i];
    expect(same, "add", kern->name, n, shift, twice);
}

static void gates_dots(const npu__gates *kern, int32_t n, int32_t rows, int wide, int extreme) {
    const size_t elems = (size_t)n * (size_t)rows, bytes = elems * (wide ? 2 : 1);
    const int32_t zp = wide ? 0 : rnd_in(-128, 127);
    uint8_t *a = bytes_of(bytes, extreme), *b = bytes_of(bytes, extreme);
    int32_t *out = (int32_t *)malloc((size_t)rows * sizeof *out);
    int      same = 1;
    if (wide && extreme == 1) for (size_t i = 0; i < elems; i++) { int16_t least = INT16_MIN; memcpy(a + 2 * i, &least, 2); memcpy(b + 2 * i, &least, 2); }
    kern->dots(a, b, wide, zp, n, rows, out);
    for (int32_t r = 0; r < rows; r++) {
        uint32_t want = 0;
        for (size_t i = (size_t)r * (size_t)n; i < (size_t)(r + 1) * (size_t)n; i++) {
            int16_t x = 0, y = 0;
            if (wide) { memcpy(&x, a + 2 * i, 2); memcpy(&y, b + 2 * i, 2); }
            else { x = (int8_t)a[i]; y = (int8_t)b[i]; }
            want += (uint32_t)((x - zp) * y);
        }
        same &= out[r] == (int32_t)want;
    }
    expect(same, "dots", kern->name, rows, n, wide);
    free(a);
    free(b);
    free(out);
}

static void gates_case(const npu__gates *kern) {
    int16_t *x = (int16_t *)malloc(65536 * sizeof *x), *out = (int16_t *)malloc(65536 * sizeof *out);
    gates_values(kern, x, out);
    for (int32_t n = 0; n < 40; n++) { /* rests, in place */
        int same = 1;
        for (int32_t i = 0; i < 40; i++) x[i] = (int16_t)rnd_in(-32768, 32767);
        memcpy(out, x, 40 * sizeof *x);
        kern->tanh(out, out, n, 3);
        for (int32_t i = 0; i < 40; i++) same &= out[i] == (i < n ? npu__tanh16(x[i], 3) : x[i]);
        expect(same, "rest", kern->name, n, 0, 0);
    }
    for (int32_t n = 0; n < 70; n++) for (int shift = -31; shift <= 30; shift++) gates_sums(kern, n, shift, n & 1);
    for (int32_t n = 1; n < 40; n++) for (int i = 0; i < 12; i++) gates_dots(kern, n, i / 6 * 8 + 1, i & 1, i % 3);
    free(x);
    free(out);
}

#endif
