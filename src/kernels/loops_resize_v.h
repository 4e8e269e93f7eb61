/* Template: bilinear resizing, rows first and columns then (no include guard; see vec_loop.h). NPU__VBYTES: columns of uint8 are made
 * elsewhere. */

/* One operation a statement, unfused: uint8 results depend on every rounding. */
#define NPU__RESIZE_BLEND_F32(name, type)                                                                             \
    NPU__VFN NPU__NO_FUSE NPU__FN void NPU__V(name)(const void *upper, const void *lower, const npu__tap *y, void *t, \
                                                    int32_t n, int32_t plane) {                                       \
        const type *p0 = (const type *)upper, *p1 = (const type *)lower;                                              \
        float      *u = (float *)t, *v = u + plane, y1 = y->frac, y0 = 1 - y1;                                        \
        int32_t     i = 0;                                                                                            \
        for (; i + 16 <= n; i += 16, p0 += 16, p1 += 16, u += 16, v += 16) {                                          \
            NPU__VEC_FOR(k, 16) u[k] = (float)p0[k] * y0;                                                             \
            NPU__VEC_FOR(k, 16) v[k] = (float)p1[k] * y1;                                                             \
        }                                                                                                             \
        n -= i;                                                                                                       \
        for (i = 0; i < n; i++) {                                                                                     \
            u[i] = (float)p0[i] * y0;                                                                                 \
            v[i] = (float)p1[i] * y1;                                                                                 \
        }                                                                                                             \
    }
NPU__RESIZE_BLEND_F32(npu__resize_blend_u8, uint8_t)
#undef NPU__RESIZE_BLEND_F32

/* Floats need no such care: the two shares are summed at once. */
NPU__VFN NPU__FN void NPU__V(npu__resize_blend_f32)(const void *upper, const void *lower, const npu__tap *y, void *t, int32_t n,
                                                    int32_t plane) {
    const float *p0 = (const float *)upper, *p1 = (const float *)lower, y1 = y->frac, y0 = 1 - y1;
    float       *u = (float *)t;
    int32_t      i = 0;
    (void)plane;
    for (; i + 16 <= n; i += 16, p0 += 16, p1 += 16, u += 16) NPU__VEC_FOR(k, 16) u[k] = p0[k] * y0 + p1[k] * y1;
    n -= i;
    for (i = 0; i < n; i++) u[i] = p0[i] * y0 + p1[i] * y1;
}

#define NPU__RESIZE_BLEND_INT(name, type)                                                                             \
    NPU__VFN NPU__FN void NPU__V(name)(const void *upper, const void *lower, const npu__tap *y, void *t, int32_t n,   \
                                       int32_t plane) {                                                               \
        const type   *p0 = (const type *)upper, *p1 = (const type *)lower;                                            \
        const int32_t y1 = y->frac_q;                                                                                 \
        int32_t      *u = (int32_t *)t, i = 0;                                                                        \
        (void)plane;                                                                                                  \
        for (; i + 16 <= n; i += 16, p0 += 16, p1 += 16, u += 16)                                                     \
            NPU__VEC_FOR(k, 16) u[k] = p0[k] * 1024 + (p1[k] - p0[k]) * y1;                                           \
        n -= i;                                                                                                       \
        for (i = 0; i < n; i++) u[i] = p0[i] * 1024 + (p1[i] - p0[i]) * y1;                                           \
    }
NPU__RESIZE_BLEND_INT(npu__resize_blend_i8, int8_t)
NPU__RESIZE_BLEND_INT(npu__resize_blend_i16, int16_t)
#undef NPU__RESIZE_BLEND_INT

/* LOCALS: the weights of column tap `x`; SUM(p0, p1, i): `sum`, of element i of blended pixels p0 (left) and p1 (right), which TO_OUT
 * narrows. Sixteen channels at a time: the last ones again where 16 does not divide them, and of fewer what the next columns write over. */
#define NPU__RESIZE_COLUMNS(name, type, blended, LOCALS, SUM, TO_OUT)                                                 \
    NPU__VFN NPU__NO_FUSE NPU__FN void NPU__V(name)(const npu__resize_span *s, const void *t, int32_t plane, void *out) {\
        const int32_t c = s->channels;                                                                                \
        int64_t       left = (int64_t)s->columns * s->out_step;                                                       \
        type         *o = (type *)out;                                                                                \
        (void)plane;                                                                                                  \
        for (int32_t k = 0; k < s->columns; k++, o += s->out_step, left -= s->out_step) {                             \
            const npu__tap *x = s->taps + k;                                                                          \
            const blended  *a = (const blended *)t + (s->dense ? x->lo - s->first : 2 * k) * c;                       \
            const blended  *b = (const blended *)t + (s->dense ? x->hi - s->first : 2 * k + 1) * c;                   \
            LOCALS;                                                                                                   \
            if (c >= 16 || (c > 2 && left >= 16 && c == s->out_step)) {                                               \
                for (int32_t done = 0; done < c; done += 16) {                                                        \
                    const int32_t  at = NPU__MAX(NPU__MIN(done, c - 16), 0);                                          \
                    const blended *p0 = a + at, *p1 = b + at;                                                         \
                    type          *to = o + at;                                                                       \
                    blended        sums[16];                                                                          \
                    NPU__VEC_FOR(i, 16) { SUM(p0, p1, i) sums[i] = (blended)sum; }                                    \
                    NPU__VEC_FOR(i, 16) to[i] = (type)TO_OUT(sums[i]);                                                \
                }                                                                                                     \
            } else {                                                                                                  \
                for (int32_t i = 0; i < c; i++) { SUM(a, b, i) o[i] = (type)TO_OUT(sum); }                            \
            }                                                                                                         \
        }                                                                                                             \
    }

#define NPU__RESIZE_WEIGHTS_F32 const float x1 = x->frac, x0 = 1 - x1
#define NPU__RESIZE_SUM_F32(p0, p1, i) const float sum = p0[i] * x0 + p1[i] * x1;
#define NPU__RESIZE_SUM_U8(p0, p1, i)                                                                                 \
        float sum = p0[i] * x0, p = p0[plane + (i)] * x0, q;                                                          \
        sum += p;                                                                                                     \
        q = p1[i] * x1;                                                                                               \
        sum += q;                                                                                                     \
        q = p1[plane + (i)] * x1;                                                                                     \
        sum += q;                                                                                                     \
        sum += 0.5f;                                                                                                  \
        sum = sum > 0.0f ? sum : 0.0f;                                                                                \
        sum = sum < 255.0f ? sum : 255.0f; /* out of range is only what the padding holds */
NPU__RESIZE_COLUMNS(npu__resize_columns_f32, float, float, NPU__RESIZE_WEIGHTS_F32, NPU__RESIZE_SUM_F32, )
#ifndef NPU__VBYTES
NPU__RESIZE_COLUMNS(npu__resize_columns_u8, uint8_t, float, NPU__RESIZE_WEIGHTS_F32, NPU__RESIZE_SUM_U8, (int32_t))
#endif
#undef NPU__RESIZE_WEIGHTS_F32
#undef NPU__RESIZE_SUM_F32
#undef NPU__RESIZE_SUM_U8

/* Two weights of 10 bits each: back by 20, half away from zero. */
#define NPU__RESIZE_WEIGHT_INT const int32_t x1 = x->frac_q
#define NPU__RESIZE_SUM_I8(p0, p1, i)                                                                                         \
        int32_t sum = p0[i] * 1024 + (p1[i] - p0[i]) * x1;                                                               \
        sum = (sum + (1 << 19) + (sum >> 31)) >> 20;
#define NPU__RESIZE_SUM_I16(p0, p1, i)                                                                                        \
        int64_t sum = (int64_t)p0[i] * 1024 + (int64_t)(p1[i] - p0[i]) * x1;                                             \
        sum = (sum + (1 << 19) + (sum >> 63)) >> 20;
NPU__RESIZE_COLUMNS(npu__resize_columns_i8, int8_t, int32_t, NPU__RESIZE_WEIGHT_INT, NPU__RESIZE_SUM_I8, )
NPU__RESIZE_COLUMNS(npu__resize_columns_i16, int16_t, int32_t, NPU__RESIZE_WEIGHT_INT, NPU__RESIZE_SUM_I16, )
#undef NPU__RESIZE_WEIGHT_INT
#undef NPU__RESIZE_SUM_I8
#undef NPU__RESIZE_SUM_I16
#undef NPU__RESIZE_COLUMNS
