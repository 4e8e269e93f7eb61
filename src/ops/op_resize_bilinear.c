/* RESIZE_BILINEAR: images scaled with linear interpolation, in float or in fixed point with 10 bits. */
#include "../kernels/loops.h"
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

typedef struct npu__resize_bilinear_data {
    const char       *kernel; /* for profiles */
    const npu__loops *loops;
    int32_t           type; /* NPU__LOOPS_... */
    int32_t           align_corners, half_pixel_centers;
    int32_t           columns;        /* scratch: npu__tap[out_w] */
    int32_t           blended, plane; /* scratch: for each thread a plane of blended pixels (of uint8, two); elements of a plane */
    int32_t           dense, channels; /* see npu__resize_span; how many channels are blended at a time */
} npu__resize_bilinear_data;

NPU__FN size_t npu__resize_blended_bytes(const npu__resize_bilinear_data *d) {
    return (size_t)d->plane * (d->type == NPU__LOOPS_U8 ? 2 * sizeof(float) : sizeof(int32_t));
}

/* How a row is cut, so that what is blended of it fits into a plane. */
NPU__FN npu_status npu__resize_bilinear_layout(npu__ctx *c) {
    npu__resize_bilinear_data *d = (npu__resize_bilinear_data *)c->data;
    const npu__shape          *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    const int64_t              pixels = NPU__MIN(in->dims[2], 2 * (int64_t)out->dims[2]);
    size_t                     bytes;
    /* Where the image shrinks much, most of its columns are not asked for. */
    d->dense = in->dims[2] <= 2 * (int64_t)out->dims[2];
    d->channels = NPU__MIN(in->dims[3], NPU__RESIZE_PLANE / 2);
    d->plane = (int32_t)NPU__MIN(npu__sat_mul(pixels, d->channels), NPU__RESIZE_PLANE) + NPU__RESIZE_PAD;
    d->columns = npu__want_scratch(c, (size_t)out->dims[2] * sizeof(npu__tap));
    if (!npu__mul_size(npu__resize_blended_bytes(d), (size_t)npu__ctx_threads(c), &bytes)) return NPU_LIMIT;
    d->blended = npu__want_scratch(c, bytes);
    return d->columns < 0 || d->blended < 0 ? NPU_LIMIT : NPU_OK;
}

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
    d->type = t == NPU_FLOAT32 ? NPU__LOOPS_F32 : t == NPU_UINT8 ? NPU__LOOPS_U8 : t == NPU_INT8 ? NPU__LOOPS_I8 : NPU__LOOPS_I16;
    d->loops = npu__loops_select(npu__ctx_isa(c));
    d->kernel = d->loops->name;
    return npu__resize_bilinear_layout(c);
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
    /* 0 where both neighbours are the same, as they are beyond the image: the sum of the weights is all that counts there. */
    t.frac_q = t.lo == t.hi ? 0 : (int32_t)(at - (int64_t)t.lo * 1024);
    return t;
}

typedef struct npu__resize_job {
    const npu__resize_bilinear_data *d;
    const npu__val *in, *out;
    const npu__tap *columns;
    uint8_t        *blended;
    size_t          blended_bytes; /* of a thread */
} npu__resize_job;

NPU__FN npu__tap npu__resize_tap(const npu__resize_bilinear_data *d, int32_t i, int32_t in, int32_t out) {
    return d->type == NPU__LOOPS_F32 || d->type == NPU__LOOPS_U8 ? npu__tap_f32(d, i, in, out) : npu__tap_int(d, i, in, out);
}

/* Two rows of the image, from channel `channel` on, and how they weigh. */
typedef struct npu__resize_rows {
    const uint8_t *upper, *lower;
    npu__tap       y;
    size_t         elem;
    int32_t        depth; /* channels of the image */
    void          *t;
} npu__resize_rows;

/* Blends what the columns of a span are made of. */
NPU__FN void npu__resize_blend(const npu__resize_bilinear_data *d, const npu__resize_rows *rows, const npu__resize_span *s) {
    const int32_t last = s->columns - 1, n = s->channels, all = s->dense ? s->taps[last].hi - s->first + 1 : 2 * s->columns;
    const size_t  plane_bytes = (size_t)d->plane * sizeof(float), at = (size_t)all * (size_t)n * sizeof(float);
    uint8_t      *t = (uint8_t *)rows->t;
    memset(t + at, 0, NPU__RESIZE_PAD * sizeof(float));
    if (npu__resize_blended_bytes(d) > plane_bytes) memset(t + plane_bytes + at, 0, NPU__RESIZE_PAD * sizeof(float));
    if (s->dense && n == rows->depth) { /* neighbouring pixels lie in one piece */
        const size_t from = (size_t)s->first * (size_t)n * rows->elem;
        d->loops->blend[d->type](rows->upper + from, rows->lower + from, &rows->y, t, all * n, d->plane);
        return;
    }
    for (int32_t i = 0; i < all; i++) {
        const int32_t pixel = s->dense ? s->first + i : i & 1 ? s->taps[i / 2].hi : s->taps[i / 2].lo;
        const size_t  from = (size_t)pixel * (size_t)rows->depth * rows->elem;
        d->loops->blend[d->type](rows->upper + from, rows->lower + from, &rows->y, t + (size_t)i * (size_t)n * sizeof(float), n,
                                 d->plane);
    }
}

/* Some channels of an output row, as many columns at a time as a plane has room for. */
NPU__FN void npu__resize_row(const npu__resize_job *j, const npu__resize_rows *rows, int32_t channels, uint8_t *out) {
    const npu__resize_bilinear_data *d = j->d;
    const int32_t                    out_w = j->out->shape.dims[2], room = (d->plane - NPU__RESIZE_PAD) / channels;
    npu__resize_span                 s;
    s.dense = d->dense;
    s.channels = channels;
    s.out_step = rows->depth;
    for (int32_t k = 0, end; k < out_w; k = end) {
        s.taps = j->columns + k;
        s.first = s.taps->lo;
        if (d->dense) {
            for (end = k + 1; end < out_w && j->columns[end].hi - s.first < room; end++) {}
        } else {
            end = NPU__MIN(k + room / 2, out_w);
        }
        s.columns = end - k;
        npu__resize_blend(d, rows, &s);
        d->loops->columns[d->type](&s, rows->t, d->plane, out + (size_t)k * (size_t)rows->depth * rows->elem);
    }
}

/* Rows [begin, end) of batch * out_h. */
NPU__FN void npu__resize_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__resize_job           *j = (const npu__resize_job *)arg;
    const npu__resize_bilinear_data *d = j->d;
    const int32_t h = j->in->shape.dims[1], out_h = j->out->shape.dims[1], depth = j->in->shape.dims[3];
    npu__resize_rows rows;
    size_t           in_row, out_row;
    rows.depth = depth;
    rows.elem = npu__elem_bytes(j->in->type);
    rows.t = j->blended + (size_t)thread * j->blended_bytes;
    in_row = (size_t)j->in->shape.dims[2] * (size_t)depth * rows.elem;
    out_row = (size_t)j->out->shape.dims[2] * (size_t)depth * rows.elem;
    for (int64_t r = begin; r < end; r++) {
        const uint8_t *image = (const uint8_t *)j->in->data + (size_t)(r / out_h) * (size_t)h * in_row;
        uint8_t       *out = (uint8_t *)j->out->data + (size_t)r * out_row;
        rows.y = npu__resize_tap(d, (int32_t)(r % out_h), h, out_h);
        for (int32_t c = 0; c < depth; c += d->channels) {
            const size_t from = (size_t)c * rows.elem;
            rows.upper = image + (size_t)rows.y.lo * in_row + from;
            rows.lower = image + (size_t)rows.y.hi * in_row + from;
            npu__resize_row(j, &rows, NPU__MIN(d->channels, depth - c), out + from);
        }
    }
}

NPU__FN npu_status npu__resize_bilinear_eval(npu__ctx *c) {
    const npu__resize_bilinear_data *d = (const npu__resize_bilinear_data *)c->data;
    const npu__shape *out = &c->out[0]->shape;
    npu__tap         *columns = (npu__tap *)npu__slot(c, d->columns);
    npu__resize_job   job;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int32_t i = 0; i < out->dims[2]; i++) columns[i] = npu__resize_tap(d, i, c->in[0]->shape.dims[2], out->dims[2]);
    job.d = d;
    job.in = c->in[0];
    job.out = c->out[0];
    job.columns = columns;
    job.blended = (uint8_t *)npu__slot(c, d->blended);
    job.blended_bytes = npu__resize_blended_bytes(d);
    npu__parallel(c, (int64_t)out->dims[0] * out->dims[1], 16384 / ((int64_t)out->dims[2] * out->dims[3]) + 1,
                  npu__resize_range, &job);
    return NPU_OK;
}

/* Four neighbours, weighted twice. */
NPU__FN npu__work npu__resize_bilinear_work(const npu__ctx *c) { return npu__work_each(c, 8); }

NPU__OPDEF(npu__op_resize_bilinear) = {
    2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__resize_bilinear_data), npu__resize_infer,
    npu__resize_bilinear_prepare, NULL, npu__resize_bilinear_eval, npu__resize_bilinear_work};
