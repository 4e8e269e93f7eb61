/* Floats to integers at and around halves, and bytes to floats: rows of pointwise.h and bytes.h against what defines them. */
#ifndef CONVERT_UNIT_H
#define CONVERT_UNIT_H

static int32_t quantized(float x, float scale, int32_t zp, int32_t lo, int32_t hi) {
    const float   q = x / scale;
    const int32_t v = !(q > -1e6f) ? -1000000 : q > 1e6f ? 1000000 : (int32_t)roundf(q); /* NaN: the least */
    return v + zp < lo ? lo : v + zp > hi ? hi : v + zp;
}

/* nr % 3: int8, uint8 or int16. */
static void quantize_case(const npu__pointwise *kern, int nr) {
    enum { most = 300 };
    static const float special[] = {0.0f, -0.0f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN, 1e-30f};
    const int          wide = nr % 3 == 2, is_signed = nr % 3 != 1, n = nr % most + 1;
    const int32_t      lo = wide ? INT16_MIN : is_signed ? -128 : 0, hi = wide ? INT16_MAX : is_signed ? 127 : 255;
    const int32_t      zp = wide ? 0 : rnd_in(lo, hi);
    npu__i8_out        stage = npu__i8_out_of(is_signed, zp, lo, hi);
    /* Some of few bits, of which the quotients are halves. */
    const float scale = ldexpf(1.0f + (float)(rnd() % 3 ? rnd() & 0x7FFFFFu : rnd() & 7u) / (float)(1 << 23), rnd_in(-20, 20));
    float       x[most];
    uint8_t     out[2 * most + 1];
    int         same = 1;
    stage.raw = wide;
    for (int i = 0; i < n; i++) {
        const float at = ((float)rnd_in(lo - zp - 3, hi - zp + 3) + (rnd() & 1 ? 0.5f : 0.0f)) * scale;
        const float near = nextafterf(at, rnd() & 1 ? INFINITY : -INFINITY);
        x[i] = rnd() % 16 == 0 ? special[rnd() % 8] : rnd() & 1 ? at : near;
    }
    out[(wide ? 2 : 1) * n] = 99;
    kern->quantize8(x, out, n, scale, &stage);
    for (int i = 0; i < n; i++) {
        const int32_t want = quantized(x[i], scale, zp, lo, hi);
        int16_t       got = (int16_t)(is_signed ? (int8_t)out[i] : out[i]);
        if (wide) memcpy(&got, out + 2 * i, sizeof got);
        same &= got == want;
    }
    expect(same, "quantized values differ", kern->name, 1, n, nr);
    expect(out[(wide ? 2 : 1) * n] == 99, "writes behind its end", kern->name, 1, n, nr);
}

static void real8_case(const npu__bytes *kern, int n) {
    enum { most = 300 };
    const int     is_signed = n & 1;
    const int32_t zp = is_signed ? rnd_in(-128, 127) : rnd_in(0, 255);
    const float   scale = ldexpf(1.0f + (float)(rnd() & 0x7FFFFFu) / (float)(1 << 23), rnd_in(-20, 5));
    uint8_t       x[most];
    float         out[most + 1];
    int           same = 1;
    for (int i = 0; i < n; i++) x[i] = (uint8_t)rnd();
    out[n] = 99.0f;
    kern->real(x, out, n, is_signed, scale, zp);
    for (int i = 0; i < n; i++) same &= out[i] == scale * (float)((is_signed ? (int8_t)x[i] : x[i]) - zp);
    expect(same, "floats of bytes differ", kern->name, 1, n, n);
    expect(out[n] == 99.0f, "writes behind its end", kern->name, 1, n, n);
}

#endif
