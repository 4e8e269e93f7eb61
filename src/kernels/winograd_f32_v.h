/* Template: the loops of winograd_f32.h (no include guard; see vec_loop.h). NPU__WINO channels at a time, the last ones again where they
 * fill none. */

/* A row of four numbers to Winograd's four, B' d; and four sums to two pixels, A' m. */
#define NPU__WINO_B(to, a, b, c, d) \
    to[i] = (a) - (c);              \
    to[i + by] = (b) + (c);         \
    to[i + 2 * by] = (c) - (b);     \
    to[i + 3 * by] = (b) - (d);
#define NPU__WINO_CLAMP(x) \
    x = x < lo ? lo : x;   \
    x = x > hi ? hi : x;

NPU__VFN NPU__FN void NPU__V(npu__wino_in)(const float *const *pixels, int32_t c, float *out, size_t step) {
    const intptr_t by = (intptr_t)step;
    for (int32_t done = 0; done < c; done += NPU__WINO) {
        const int32_t at = NPU__MIN(done, c - NPU__WINO);
        const float  *p0 = pixels[0] + at, *p1 = pixels[1] + at, *p2 = pixels[2] + at, *p3 = pixels[3] + at;
        const float  *q0 = pixels[4] + at, *q1 = pixels[5] + at, *q2 = pixels[6] + at, *q3 = pixels[7] + at;
        const float  *r0 = pixels[8] + at, *r1 = pixels[9] + at, *r2 = pixels[10] + at, *r3 = pixels[11] + at;
        const float  *s0 = pixels[12] + at, *s1 = pixels[13] + at, *s2 = pixels[14] + at, *s3 = pixels[15] + at;
        float        *o0 = out + at, *o1 = o0 + 4 * step, *o2 = o1 + 4 * step, *o3 = o2 + 4 * step;
        NPU__VEC_FOR(i, NPU__WINO) {
            const float a0 = p0[i] - r0[i], a1 = p1[i] - r1[i], a2 = p2[i] - r2[i], a3 = p3[i] - r3[i];
            const float b0 = q0[i] + r0[i], b1 = q1[i] + r1[i], b2 = q2[i] + r2[i], b3 = q3[i] + r3[i];
            const float c0 = r0[i] - q0[i], c1 = r1[i] - q1[i], c2 = r2[i] - q2[i], c3 = r3[i] - q3[i];
            const float d0 = q0[i] - s0[i], d1 = q1[i] - s1[i], d2 = q2[i] - s2[i], d3 = q3[i] - s3[i];
            NPU__WINO_B(o0, a0, a1, a2, a3)
            NPU__WINO_B(o1, b0, b1, b2, b3)
            NPU__WINO_B(o2, c0, c1, c2, c3)
            NPU__WINO_B(o3, d0, d1, d2, d3)
        }
    }
}

NPU__VFN NPU__FN void NPU__V(npu__wino_out)(const float *sums, size_t step, int32_t n, float lo, float hi, float *const *pixels) {
    const intptr_t by = (intptr_t)step;
    for (int32_t done = 0; done < n; done += NPU__WINO) {
        const int32_t at = NPU__MIN(done, n - NPU__WINO);
        const float  *m0 = sums + at, *m1 = m0 + 4 * step, *m2 = m1 + 4 * step, *m3 = m2 + 4 * step;
        float        *p0 = pixels[0] + at, *p1 = pixels[1] + at, *q0 = pixels[2] + at, *q1 = pixels[3] + at;
        NPU__VEC_FOR(i, NPU__WINO) {
            const float x0 = m0[i] + m1[i] + m2[i], y0 = m1[i] - m2[i] - m3[i];
            const float x1 = m0[i + by] + m1[i + by] + m2[i + by], y1 = m1[i + by] - m2[i + by] - m3[i + by];
            const float x2 = m0[i + 2 * by] + m1[i + 2 * by] + m2[i + 2 * by];
            const float y2 = m1[i + 2 * by] - m2[i + 2 * by] - m3[i + 2 * by];
            const float x3 = m0[i + 3 * by] + m1[i + 3 * by] + m2[i + 3 * by];
            const float y3 = m1[i + 3 * by] - m2[i + 3 * by] - m3[i + 3 * by];
            float       a = x0 + x1 + x2, b = x1 - x2 - x3, c = y0 + y1 + y2, d = y1 - y2 - y3;
            NPU__WINO_CLAMP(a)
            NPU__WINO_CLAMP(b)
            NPU__WINO_CLAMP(c)
            NPU__WINO_CLAMP(d)
            p0[i] = a;
            p1[i] = b;
            q0[i] = c;
            q1[i] = d;
        }
    }
}

#undef NPU__WINO_B
#undef NPU__WINO_CLAMP
