/* TransformTensorBilinear (and its first version, TransformTensor), of MediaPipe: an image seen through a matrix [4, 4], of which
 * the first two rows say where in the input each output pixel is. Cells outside are 0. Float only. */
#include "media.h"

typedef struct npu__transform_image {
    int32_t v2; /* pixels are squares whose centres lie at a half */
} npu__transform_image;

NPU__FN npu_status npu__transform_image_infer(npu__ctx *c) {
    const npu__flex size = npu__media_option(c, "output_size");
    const int       v2 = npu__media_is_v2(c);
    npu__shape      s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 4, 4));
    s = c->in[0]->shape;
    s.dims[1] = npu__flex_i32(v2 ? npu__media_option(c, "output_height") : npu__flex_at(size, 0), 0);
    s.dims[2] = npu__flex_i32(v2 ? npu__media_option(c, "output_width") : npu__flex_at(size, 1), 0);
    if (s.dims[1] > 0 && s.dims[2] > 0) return npu__set_shape(c, 0, &s);
    return NPU__FAIL(c, NPU_INVALID_MODEL, "transform_tensor_bilinear.size", "the options must say an output size: got %d x %d",
                     s.dims[1], s.dims[2]);
}

NPU__FN npu_status npu__transform_image_prepare(npu__ctx *c) {
    npu__transform_image *d = (npu__transform_image *)c->data;
    const npu__flex       mode = npu__media_option(c, "mode");
    d->v2 = npu__media_is_v2(c);
    NPU__TRY(npu__media_need_f32(c));
    if (c->in[0]->shape.dims[0] != 1 || npu__elems(c->in[1]) != 16) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "transform_tensor_bilinear.shape",
                         "there must be one image and a matrix of 16 elements: got %d and %l", c->in[0]->shape.dims[0],
                         npu__elems(c->in[1]));
    }
    if (!d->v2 && npu__flex_kind_of(mode) != NPU__FLEX_NULL && !npu__str_is(npu__flex_str(mode), "bilinear")) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "transform_tensor_bilinear.mode", "the option mode must be bilinear");
    }
    return NPU_OK;
}

/* One output pixel, at (x, y) of the input; (x, y) lie inside. */
NPU__FN void npu__transform_image_pixel(const npu__ctx *c, float x, float y, float *out) {
    const int32_t h = npu__dim(c->in[0], 1), w = npu__dim(c->in[0], 2), n = npu__dim(c->in[0], 3);
    const int32_t x0 = (int32_t)x, y0 = (int32_t)y;
    const float   fx = x - (float)x0, fy = y - (float)y0;
    const float  *q = (const float *)c->in[0]->data + ((int64_t)y0 * w + x0) * n;
    const int     right = x0 + 1 < w, below = y0 + 1 < h;
    for (int32_t k = 0; k < n; k++) {
        const float q11 = q[k], q21 = right ? q[n + k] : 0.0f, q12 = below ? q[(int64_t)w * n + k] : 0.0f;
        const float q22 = right && below ? q[((int64_t)w + 1) * n + k] : 0.0f;
        const float upper = (1.0f - fx) * q11 + fx * q21, lower = (1.0f - fx) * q12 + fx * q22;
        out[k] = fy * lower + (1.0f - fy) * upper;
    }
}

NPU__FN void npu__transform_image_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx     *c = (npu__ctx *)arg;
    const int     v2 = ((const npu__transform_image *)c->data)->v2;
    const float  *m = (const float *)c->in[1]->data;
    const int32_t w = npu__dim(c->out[0], 2), n = npu__dim(c->out[0], 3);
    const float   last_x = (float)(npu__dim(c->in[0], 2) - 1), last_y = (float)(npu__dim(c->in[0], 1) - 1);
    float         shift_x = m[3], shift_y = m[7];
    (void)thread;
    if (v2) { /* centres: half a pixel into the input's plane, and half a pixel back */
        shift_x += m[0] * 0.5f + m[1] * 0.5f - 0.5f;
        shift_y += m[4] * 0.5f + m[5] * 0.5f - 0.5f;
    }
    for (int64_t row = begin; row < end; row++) {
        float *out = (float *)c->out[0]->data + row * w * n;
        for (int32_t col = 0; col < w; col++, out += n) {
            const float x = m[0] * (float)col + m[1] * (float)row + shift_x, y = m[4] * (float)col + m[5] * (float)row + shift_y;
            /* Written so that NaN is outside. Below 2^31, as sides are: the last pixel of sides beyond 2^24 is rounded up. */
            if (x >= 0.0f && x <= last_x && y >= 0.0f && y <= last_y && last_x < 16777216.0f && last_y < 16777216.0f) {
                npu__transform_image_pixel(c, x, y, out);
            } else {
                for (int32_t k = 0; k < n; k++) out[k] = 0.0f;
            }
        }
    }
}

NPU__FN npu_status npu__transform_image_eval(npu__ctx *c) {
    const int64_t pixel = 8 * (int64_t)npu__dim(c->out[0], 3), row = npu__sat_mul(npu__dim(c->out[0], 2), pixel);
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__parallel(c, npu__dim(c->out[0], 1), 65536 / NPU__MAX(row, (int64_t)1) + 1, npu__transform_image_rows, c);
    return NPU_OK;
}

NPU__FN npu__work npu__transform_image_count(const npu__ctx *c) { return npu__work_each(c, 8); }

NPU__OPDEF(npu__op_transform_image) = {2, 2, 1, 1, 0, 0, NPU__DATA(npu__transform_image), npu__transform_image_infer,
                                       npu__transform_image_prepare, NULL, npu__transform_image_eval, npu__transform_image_count};
