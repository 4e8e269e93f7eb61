/* RESIZE_BILINEAR: images scaled with linear interpolation, in float or in fixed point with 10 bits. */
#include "move_util.h"

/* Shared with RESIZE_NEAREST_NEIGHBOR: [N, H, W, C] and a size vector of height and width. */
NPU__FN npu_status npu__resize_infer(npu__ctx *c) {
    npu__shape s = c->in[0]->shape;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 4, 4));
    NPU__TRY(npu__need_rank(c, c->in[1], "the size", 1, 1));
    NPU__TRY(npu__need_type(c, c->in[1], "the size", NPU_INT32));
    if (c->in[1]->shape.dims[0] != 2) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "resize.size", "the size must be height and width: got %d numbers",
                         c->in[1]->shape.dims[0]);
    }
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    for (int32_t i = 0; i < 2; i++) {
        if (npu__int_at(c->in[1], i) <= 0) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "resize.positive",
                             "height and width must be positive: got %l", npu__int_at(c->in[1], i));
        }
        s.dims[1 + i] = (int32_t)npu__int_at(c->in[1], i);
    }
    if ((s.dims[1] > 0 && c->in[0]->shape.dims[1] == 0) || (s.dims[2] > 0 && c->in[0]->shape.dims[2] == 0)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "resize.empty", "an image without pixels cannot be resized");
    }
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

/* The two neighbours of an output row or column, and how far it lies past the lower one. */
typedef struct npu__tap {
    int32_t lo, hi;
    float   frac;
    int32_t frac_q; /* in 1/1024 */
} npu__tap;

typedef struct npu__resize_bilinear_data {
    int32_t align_corners, half_pixel_centers;
    int32_t columns; /* scratch: npu__tap[out_w] */
} npu__resize_bilinear_data;

NPU__FN npu_status npu__resize_bilinear_prepare(npu__ctx *c) {
    npu__resize_bilinear_data *d = (npu__resize_bilinear_data *)c->data;
    int32_t                    t = c->in[0]->type;
    if (t != NPU_FLOAT32 && t != NPU_UINT8 && t != NPU_INT8 && t != NPU_INT16) return npu__fail_types(c);
    d->align_corners = NPU__OPTIONS(c->node, ResizeBilinearOptions)->align_corners;
    d->half_pixel_centers = NPU__OPTIONS(c->node, ResizeBilinearOptions)->half_pixel_centers;
    if (d->align_corners && d->half_pixel_centers) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "resize.modes",
                         "align_corners and half_pixel_centers exclude each other");
    }
    d->columns = npu__want_scratch(c, (size_t)c->out[0]->shape.dims[2] * sizeof(npu__tap));
    return d->columns < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__NO_FUSE NPU__FN npu__tap npu__tap_f32(const npu__resize_bilinear_data *d, int32_t i, int32_t in, int32_t out) {
    float    scale = (float)in / (float)out, at;
    npu__tap t;
    if (d->align_corners && out > 1) scale = (float)(in - 1) / (float)(out - 1);
    /* One operation a statement, unfused: ComputeInterpolationValues of TFLite, whose roundings decide the fraction. */
    at = (float)i;
    if (d->half_pixel_centers) at += 0.5f;
    at *= scale;
    if (d->half_pixel_centers) at -= 0.5f;
    t.lo = npu__clamp32(npu__f32_to_i32(floorf(at)), 0, in - 1);
    t.hi = npu__clamp32(npu__f32_to_i32(ceilf(at)), 0, in - 1);
    /* From the clamped neighbour: left of the first pixel the fraction is negative, and both neighbours are the same. */
    t.frac = at - (float)t.lo;
    t.frac_q = 0;
    return t;
}

NPU__FN npu__tap npu__tap_int(const npu__resize_bilinear_data *d, int32_t i, int32_t in, int32_t out) {
    /* 10 bits of fraction, as TFLite's integer kernel: ComputeInterpolationValuesInteger. */
    int64_t  scale = ((int64_t)in * 1024 + out / 2) / out, at;
    npu__tap t;
    if (d->align_corners && out > 1) scale = ((int64_t)(in - 1) * 1024 + (out - 1) / 2) / (out - 1);
    at = i * scale;
    if (d->half_pixel_centers) at += scale / 2 - 512;
    t.lo = (int32_t)NPU__MIN(NPU__MAX(at / 1024, 0), in - 1);
    t.hi = (int32_t)NPU__MIN(NPU__MAX((at + 1023) / 1024, 0), in - 1);
    t.frac = 0;
    t.frac_q = (int32_t)(at - (int64_t)t.lo * 1024);
    return t;
}

typedef struct npu__resize_job {
    const npu__resize_bilinear_data *d;
    const npu__val *in, *out;
    const npu__tap *columns;
} npu__resize_job;

/* Rows [begin, end) of batch * out_h. One statement an operation: the order of roundings is part of the result. */
#define NPU__RESIZE_ROWS_F32(name, type, to_out)                                                                     \
    NPU__NO_FUSE NPU__FN void name(void *arg, int64_t begin, int64_t end, int32_t thread) {                          \
        const npu__resize_job *j = (const npu__resize_job *)arg;                                                     \
        int32_t h = j->in->shape.dims[1], w = j->in->shape.dims[2], depth = j->in->shape.dims[3];                    \
        int32_t out_h = j->out->shape.dims[1], out_w = j->out->shape.dims[2];                                        \
        (void)thread;                                                                                                \
        for (int64_t r = begin; r < end; r++) {                                                                      \
            npu__tap    y = npu__tap_f32(j->d, (int32_t)(r % out_h), h, out_h);                                      \
            const type *image = (const type *)j->in->data + r / out_h * h * w * depth;                               \
            const type *row0 = image + (int64_t)y.lo * w * depth, *row1 = image + (int64_t)y.hi * w * depth;         \
            type       *to = (type *)j->out->data + r * out_w * depth;                                               \
            float       y1 = y.frac, y0 = 1 - y1;                                                                    \
            for (int32_t k = 0; k < out_w; k++, to += depth) {                                                       \
                npu__tap    x = j->columns[k];                                                                       \
                float       x1 = x.frac, x0 = 1 - x1;                                                                \
                const type *p00 = row0 + (int64_t)x.lo * depth, *p10 = row1 + (int64_t)x.lo * depth;                 \
                const type *p01 = row0 + (int64_t)x.hi * depth, *p11 = row1 + (int64_t)x.hi * depth;                 \
                for (int32_t i = 0; i < depth; i++) {                                                                \
                    float a = (float)p00[i] * y0, b = (float)p10[i] * y1, e = (float)p01[i] * y0, sum;               \
                    float f = (float)p11[i] * y1;                                                                    \
                    a *= x0;                                                                                         \
                    b *= x0;                                                                                         \
                    e *= x1;                                                                                         \
                    f *= x1;                                                                                         \
                    sum = a + b;                                                                                     \
                    sum += e;                                                                                        \
                    sum += f;                                                                                        \
                    to[i] = to_out;                                                                                  \
                }                                                                                                    \
            }                                                                                                        \
        }                                                                                                            \
    }
NPU__RESIZE_ROWS_F32(npu__resize_rows_f32, float, sum)
NPU__RESIZE_ROWS_F32(npu__resize_rows_u8, uint8_t, (uint8_t)npu__f32_to_i32(sum + 0.5f))
#undef NPU__RESIZE_ROWS_F32

/* Two weights of 10 bits each: back by 20, half away from zero. */
#define NPU__RESIZE_ROWS_INT(name, type)                                                                             \
    NPU__FN void name(void *arg, int64_t begin, int64_t end, int32_t thread) {                                       \
        const npu__resize_job *j = (const npu__resize_job *)arg;                                                     \
        int32_t h = j->in->shape.dims[1], w = j->in->shape.dims[2], depth = j->in->shape.dims[3];                    \
        int32_t out_h = j->out->shape.dims[1], out_w = j->out->shape.dims[2];                                        \
        (void)thread;                                                                                                \
        for (int64_t r = begin; r < end; r++) {                                                                      \
            npu__tap    y = npu__tap_int(j->d, (int32_t)(r % out_h), h, out_h);                                      \
            const type *image = (const type *)j->in->data + r / out_h * h * w * depth;                               \
            const type *row0 = image + (int64_t)y.lo * w * depth, *row1 = image + (int64_t)y.hi * w * depth;         \
            type       *to = (type *)j->out->data + r * out_w * depth;                                               \
            int64_t     y1 = y.frac_q, y0 = 1024 - y1;                                                               \
            for (int32_t k = 0; k < out_w; k++, to += depth) {                                                       \
                npu__tap    x = j->columns[k];                                                                       \
                int64_t     x1 = x.frac_q, x0 = 1024 - x1;                                                           \
                int64_t     w00 = y0 * x0, w10 = y1 * x0, w01 = y0 * x1, w11 = y1 * x1;                              \
                const type *p00 = row0 + (int64_t)x.lo * depth, *p10 = row1 + (int64_t)x.lo * depth;                 \
                const type *p01 = row0 + (int64_t)x.hi * depth, *p11 = row1 + (int64_t)x.hi * depth;                 \
                for (int32_t i = 0; i < depth; i++) {                                                                \
                    int64_t sum = p00[i] * w00 + p10[i] * w10 + p01[i] * w01 + p11[i] * w11;                         \
                    to[i] = (type)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));                            \
                }                                                                                                    \
            }                                                                                                        \
        }                                                                                                            \
    }
NPU__RESIZE_ROWS_INT(npu__resize_rows_i8, int8_t)
NPU__RESIZE_ROWS_INT(npu__resize_rows_i16, int16_t)
#undef NPU__RESIZE_ROWS_INT

NPU__FN npu_status npu__resize_bilinear_eval(npu__ctx *c) {
    const npu__resize_bilinear_data *d = (const npu__resize_bilinear_data *)c->data;
    const npu__shape *out = &c->out[0]->shape;
    npu__tap         *columns = (npu__tap *)npu__slot(c, d->columns);
    int32_t           t = c->in[0]->type, in_w = c->in[0]->shape.dims[2];
    npu__range_fn     fn = t == NPU_FLOAT32 ? npu__resize_rows_f32 : t == NPU_UINT8 ? npu__resize_rows_u8
                         : t == NPU_INT8 ? npu__resize_rows_i8 : npu__resize_rows_i16;
    npu__resize_job   job;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int32_t i = 0; i < out->dims[2]; i++) {
        columns[i] = t == NPU_FLOAT32 || t == NPU_UINT8 ? npu__tap_f32(d, i, in_w, out->dims[2])
                                                        : npu__tap_int(d, i, in_w, out->dims[2]);
    }
    job.d = d;
    job.in = c->in[0];
    job.out = c->out[0];
    job.columns = columns;
    npu__parallel(c, (int64_t)out->dims[0] * out->dims[1], 16384 / ((int64_t)out->dims[2] * out->dims[3]) + 1, fn,
                  &job);
    return NPU_OK;
}

/* Four neighbours, weighted twice. */
NPU__FN npu__work npu__resize_bilinear_work(const npu__ctx *c) { return npu__work_each(c, 8); }

NPU__OPDEF(npu__op_resize_bilinear) = {
    2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__resize_bilinear_data), npu__resize_infer,
    npu__resize_bilinear_prepare, NULL, npu__resize_bilinear_eval, npu__resize_bilinear_work};
