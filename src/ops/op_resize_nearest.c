/* RESIZE_NEAREST_NEIGHBOR: images scaled by repeating and dropping pixels. */
#include "move_util.h"

/* Infers with npu__resize_infer of op_resize_bilinear.c. */

typedef struct npu__resize_nearest_data {
    const char *kernel; /* for profiles */
    int32_t align_corners, half_pixel_centers;
    int32_t columns; /* scratch: int32[out_w] */
} npu__resize_nearest_data;

NPU__FN npu_status npu__resize_nearest_prepare(npu__ctx *c) {
    npu__resize_nearest_data *d = (npu__resize_nearest_data *)c->data;
    const npu__opts_ResizeNearestNeighborOptions *o = NPU__OPTIONS(c->node, ResizeNearestNeighborOptions);
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    d->kernel = NPU__LOOPS_ANY;
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

typedef struct npu__resize_nearest_job {
    const npu__resize_nearest_data *d;
    const npu__val *in, *out;
    const int32_t  *columns;
    size_t          pixel; /* bytes */
} npu__resize_nearest_job;

NPU__SPEED_BEGIN

/* The pixels of a row. Small ones are copied with some bytes of their neighbours, which the next ones write over, as long as there
 * are such: `room` bytes follow src. */
NPU__FN void npu__resize_nearest_row(const int32_t *columns, int32_t n, size_t pixel, const uint8_t *src, size_t room, uint8_t *dst) {
    int32_t x = 0;
    if (pixel < 16) {
        for (; (size_t)(n - x) * pixel >= 16; x++, dst += pixel) {
            const size_t at = (size_t)columns[x] * pixel;
            if (room - at < 16) break;
            memcpy(dst, src + at, 16);
        }
    }
    for (; x < n; x++, dst += pixel) npu__copy_run(dst, src + (size_t)columns[x] * pixel, pixel);
}

NPU__SPEED_END

/* Rows [begin, end) of batches * height; one that is made of the same row as the last is copied from there. */
NPU__FN void npu__resize_nearest_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__resize_nearest_job *j = (const npu__resize_nearest_job *)arg;
    const int32_t  in_h = j->in->shape.dims[1], out_h = j->out->shape.dims[1], out_w = j->out->shape.dims[2];
    const size_t   in_row = (size_t)j->in->shape.dims[2] * j->pixel, out_row = (size_t)out_w * j->pixel;
    const uint8_t *in = (const uint8_t *)j->in->data, *last = NULL;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        const int64_t  y = r / out_h * in_h + npu__resize_nearest_source(j->d, (int32_t)(r % out_h), in_h, out_h);
        const uint8_t *from = in + (size_t)y * in_row;
        uint8_t       *to = (uint8_t *)j->out->data + (size_t)r * out_row;
        if (from == last) memcpy(to, to - out_row, out_row);
        else npu__resize_nearest_row(j->columns, out_w, j->pixel, from, j->in->bytes - (size_t)y * in_row, to);
        last = from;
    }
}

NPU__FN npu_status npu__resize_nearest_eval(npu__ctx *c) {
    const npu__resize_nearest_data *d = (const npu__resize_nearest_data *)c->data;
    const npu__shape       *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    int32_t                *columns = (int32_t *)npu__slot(c, d->columns);
    npu__resize_nearest_job job;
    int64_t                 row;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int32_t x = 0; x < out->dims[2]; x++) {
        columns[x] = npu__resize_nearest_source(d, x, in->dims[2], out->dims[2]);
    }
    job.d = d;
    job.in = c->in[0];
    job.out = c->out[0];
    job.columns = columns;
    job.pixel = (size_t)in->dims[3] * npu__elem_bytes(c->in[0]->type);
    row = (int64_t)((size_t)out->dims[2] * job.pixel);
    npu__parallel(c, (int64_t)out->dims[0] * out->dims[1], 65536 / row + 1, npu__resize_nearest_rows, &job);
    return NPU_OK;
}

NPU__OPDEF(npu__op_resize_nearest_neighbor) = {
    2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__resize_nearest_data), npu__resize_infer,
    npu__resize_nearest_prepare, NULL, npu__resize_nearest_eval, NULL};
