/* MTK_CROP_AND_RESIZE. Assumed: TensorFlow's CropAndResize, for which the guide says it stands. Inputs: image [b, h, w, c], boxes
 * [n, 4] float32 (y1, x1, y2, x2; 0 and 1 are the centres of the first and last pixel), the image of each box [n] int32, and the size
 * of the crops [2] int32. Options: "method" ("bilinear", the default, or "nearest") and "extrapolation_value" (default 0), which is
 * what lies outside of the image. Output: [n, crop height, crop width, c]. Integers are taken by their scales, computed in double
 * precision and rounded half away from zero. */
#include "real.h"

#if NPU__HAS_MDLA

typedef struct npu__mtk_crop {
    double  outside;
    int32_t nearest;
} npu__mtk_crop;

NPU__FN npu_status npu__mtk_crop_infer(npu__ctx *c) {
    const npu__val *boxes = c->in[1], *size = c->in[3];
    npu__shape      s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the image", 4, 4));
    NPU__TRY(npu__need_rank(c, boxes, "the boxes", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[2], "the images of the boxes", 1, 1));
    NPU__TRY(npu__need_rank(c, size, "the size of the crops", 1, 1));
    NPU__TRY(npu__need_type(c, size, "the size of the crops", NPU_INT32));
    if (boxes->shape.dims[1] != 4 || c->in[2]->shape.dims[0] != boxes->shape.dims[0] || size->shape.dims[0] != 2) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "crop_and_resize.shapes", "boxes must be [n, 4], their images [n], the size [2]");
    }
    if (!size->data) return NPU__DYNAMIC;
    s = npu__shape_make(4, boxes->shape.dims[0], (int32_t)npu__int_at(size, 0), (int32_t)npu__int_at(size, 1),
                        c->in[0]->shape.dims[3]);
    if (s.dims[1] >= 1 && s.dims[2] >= 1) return npu__set_shape(c, 0, &s);
    return NPU__FAIL(c, npu__is_const(size) ? NPU_INVALID_MODEL : NPU_BAD_INPUT, "crop_and_resize.size",
                     "the size of the crops must be positive: got %d x %d", s.dims[1], s.dims[2]);
}

NPU__FN npu_status npu__mtk_crop_prepare(npu__ctx *c) {
    static const char *const keys[] = {"method", "extrapolation_value"};
    npu__mtk_crop           *d = (npu__mtk_crop *)c->data;
    const npu__flex          method = npu__custom_option(c->node, keys[0]);
    const npu__str           name = npu__flex_str(method);
    NPU__TRY(npu__custom_keys(c, keys, NPU__COUNT(keys)));
    NPU__TRY(npu__mtk_number(c, keys[1], 0.0, &d->outside));
    d->nearest = npu__str_is(name, "nearest");
    if (npu__flex_kind_of(method) != NPU__FLEX_NULL && !d->nearest && !npu__str_is(name, "bilinear")) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.option_value", "option \"method\" must be \"bilinear\" or \"nearest\"");
    }
    NPU__TRY(npu__need_type(c, c->in[1], "the boxes", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->in[2], "the images of the boxes", NPU_INT32));
    if (c->in[0]->type != c->out[0]->type) return npu__fail_types(c);
    NPU__TRY(npu__mtk_need_real(c, c->in[0], "the image", 0));
    return npu__mtk_need_real(c, c->out[0], "the output", 0);
}

/* Where pixel i of n lies in an image of `size` pixels, between the box's ends. */
NPU__INLINE float npu__mtk_crop_at(float from, float to, int32_t i, int32_t n, int32_t size) {
    const float last = (float)(size - 1);
    if (n == 1) return 0.5f * (from + to) * last;
    return from * last + (float)i * ((to - from) * last / (float)(n - 1));
}

/* One pixel of a crop: `image` is the first element of the box's image. */
NPU__FN void npu__mtk_crop_pixel(const npu__ctx *c, int64_t image, float y, float x, int64_t out) {
    const npu__mtk_crop *d = (const npu__mtk_crop *)c->data;
    const npu__val      *in = c->in[0];
    const int32_t        h = in->shape.dims[1], w = in->shape.dims[2], channels = in->shape.dims[3];
    const int            inside = y >= 0.0f && y <= (float)(h - 1) && x >= 0.0f && x <= (float)(w - 1);
    const int32_t        y0 = !inside ? 0 : (int32_t)(d->nearest ? npu__roundf(y) : floorf(y));
    const int32_t        x0 = !inside ? 0 : (int32_t)(d->nearest ? npu__roundf(x) : floorf(x));
    const int32_t        y1 = inside && !d->nearest && y > (float)y0 ? y0 + 1 : y0;
    const int32_t        x1 = inside && !d->nearest && x > (float)x0 ? x0 + 1 : x0;
    const double         dy = d->nearest ? 0.0 : (double)y - (double)y0, dx = d->nearest ? 0.0 : (double)x - (double)x0;
    /* bounded, here and below: offsets of elements */
    for (int32_t k = 0; k < channels; k++) {
        const int64_t at = image + k;
        double        top, bottom;
        if (!inside) {
            npu__mtk_put(c->out[0], out + k, d->outside);
            continue;
        }
#define NPU__MTK_CELL(row, column) npu__mtk_real(in, at + ((int64_t)(row) * w + (column)) * channels)
        top = NPU__MTK_CELL(y0, x0);
        if (x1 > x0) top += (NPU__MTK_CELL(y0, x1) - top) * dx;
        bottom = y1 > y0 ? NPU__MTK_CELL(y1, x0) : top;
        if (y1 > y0 && x1 > x0) bottom += (NPU__MTK_CELL(y1, x1) - bottom) * dx;
#undef NPU__MTK_CELL
        npu__mtk_put(c->out[0], out + k, top + (bottom - top) * dy);
    }
}

/* Rows of crops. */
NPU__FN void npu__mtk_crop_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx         *c = (npu__ctx *)arg;
    const npu__shape *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    /* bounded, here and below: offsets of elements */
    const int64_t     image = (int64_t)in->dims[1] * in->dims[2] * in->dims[3];
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const int64_t n = row / out->dims[1];
        const float  *box = (const float *)c->in[1]->data + 4 * n;
        const float   y = npu__mtk_crop_at(box[0], box[2], (int32_t)(row % out->dims[1]), out->dims[1], in->dims[1]);
        for (int32_t i = 0; i < out->dims[2]; i++) {
            npu__mtk_crop_pixel(c, ((const int32_t *)c->in[2]->data)[n] * image, y,
                                npu__mtk_crop_at(box[1], box[3], i, out->dims[2], in->dims[2]),
                                (row * out->dims[2] + i) * out->dims[3]);
        }
    }
}

NPU__FN npu_status npu__mtk_crop_eval(npu__ctx *c) {
    const npu__shape *out = &c->out[0]->shape;
    for (int32_t i = 0; i < out->dims[0]; i++) {
        const int64_t image = npu__int_at(c->in[2], i);
        if (image >= 0 && image < c->in[0]->shape.dims[0]) continue;
        return NPU__FAIL(c, npu__is_const(c->in[2]) ? NPU_INVALID_MODEL : NPU_BAD_INPUT, "crop_and_resize.image",
                         "box %d is of image %l, of %d", i, image, c->in[0]->shape.dims[0]);
    }
    /* bounded: rows of a tensor */
    npu__parallel(c, (int64_t)out->dims[0] * out->dims[1], 16, npu__mtk_crop_rows, c);
    return NPU_OK;
}

NPU__FN npu__work npu__mtk_crop_work(const npu__ctx *c) { return npu__work_each(c, 16); }

NPU__OPDEF(npu__op_mtk_crop_and_resize) = {4, 4, 1, 1, 0, 0, NPU__DATA(npu__mtk_crop), npu__mtk_crop_infer,
                                                       npu__mtk_crop_prepare, NULL, npu__mtk_crop_eval, npu__mtk_crop_work};

#endif
