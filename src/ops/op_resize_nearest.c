/* RESIZE_NEAREST_NEIGHBOR: images scaled by repeating and dropping pixels. */
#include "move_util.h"

/* Infers with npu__resize_infer of op_resize_bilinear.c. */

typedef struct npu__resize_nearest_data {
    int32_t align_corners, half_pixel_centers;
    int32_t columns; /* scratch: int32[out_w] */
} npu__resize_nearest_data;

NPU__FN npu_status npu__resize_nearest_prepare(npu__ctx *c) {
    npu__resize_nearest_data *d = (npu__resize_nearest_data *)c->data;
    const npu__opts_ResizeNearestNeighborOptions *o = NPU__OPTIONS(c->node, ResizeNearestNeighborOptions);
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    d->align_corners = o->align_corners;
    d->half_pixel_centers = o->half_pixel_centers;
    d->columns = npu__want_scratch(c, (size_t)c->out[0]->shape.dims[2] * sizeof(int32_t));
    return d->columns < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__NO_FUSE NPU__FN int32_t npu__resize_nearest_source(const npu__resize_nearest_data *d, int32_t i, int32_t in,
                                                        int32_t out) {
    float scale = d->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
    float at = (float)i;
    if (d->half_pixel_centers) at += 0.5f;
    at *= scale;
    /* TFLite's GetNearestNeighbor: aligned corners round, everything else takes the floor. */
    return npu__clamp32(npu__f32_to_i32(d->align_corners ? npu__roundf(at) : floorf(at)), 0, in - 1);
}

NPU__FN npu_status npu__resize_nearest_eval(npu__ctx *c) {
    const npu__resize_nearest_data *d = (const npu__resize_nearest_data *)c->data;
    const npu__shape *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    int32_t          *columns = (int32_t *)npu__slot(c, d->columns);
    uint8_t          *to = (uint8_t *)c->out[0]->data;
    size_t            pixel = (size_t)in->dims[3] * npu__elem_bytes(c->in[0]->type);
    size_t            row = (size_t)in->dims[2] * pixel;
    int64_t           done = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int32_t x = 0; x < out->dims[2]; x++) {
        columns[x] = npu__resize_nearest_source(d, x, in->dims[2], out->dims[2]);
    }
    for (int64_t b = 0; b < out->dims[0]; b++) {
        const uint8_t *image = (const uint8_t *)c->in[0]->data + (size_t)b * (size_t)in->dims[1] * row;
        for (int32_t y = 0; y < out->dims[1]; y++) {
            const uint8_t *from = image + (size_t)npu__resize_nearest_source(d, y, in->dims[1], out->dims[1]) * row;
            for (int32_t x = 0; x < out->dims[2]; x++, to += pixel) {
                NPU__POLL_PASS(c, done, in->dims[3]);
                npu__copy_some(c, to, from + (size_t)columns[x] * pixel, pixel);
            }
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_resize_nearest_neighbor) = {
    2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__resize_nearest_data), npu__resize_infer,
    npu__resize_nearest_prepare, NULL, npu__resize_nearest_eval, NULL};
