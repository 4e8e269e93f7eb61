/* Ethos-U predicates about operators that move data: PAD, RESHAPE, RESIZE_BILINEAR.
 *
 * The published line about RESIZE_BILINEAR is taken at its word: one doubling. The converter itself also accepts
 * repeated ones, which is another row. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int npu__ethosu_pad_shape(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    char            dims[48];
    (void)r;
    if (!v) return npu__got_f(got, "no paddings");
    if (v->shape.rank == 2 && (v->shape.dims[0] == 3 || v->shape.dims[0] == 4) && v->shape.dims[1] == 2) return 0;
    npu__ethosu_shape_text(v, dims, sizeof dims);
    return npu__got_f(got, "%s", dims);
}

/* Rows are batch, height, width, channels; with three of them there is no batch. */
NPU__FN int npu__ethosu_pad_width_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    int64_t         batch = 0, channels, rows;
    (void)r;
    if (!v || v->shape.rank != 2 || v->shape.dims[1] != 2 || v->shape.dims[0] < 1) return 0; /* the line before */
    if (v->type != NPU_INT32 && v->type != NPU_INT64) return 0;                               /* the line after */
    if (!npu__is_const(v) || !v->data) return npu__got_f(got, "computed while running");
    rows = v->shape.dims[0];
    channels = npu__ethosu_int(v, 2 * rows - 2) | npu__ethosu_int(v, 2 * rows - 1);
    if (rows > 3) batch = npu__ethosu_int(v, 0) | npu__ethosu_int(v, 1);
    if (!batch && !channels) return 0;
    if (rows > 3) npu__got_add(got, "batch %l+%l", npu__ethosu_int(v, 0), npu__ethosu_int(v, 1));
    npu__got_add(got, "channels %l+%l", npu__ethosu_int(v, 2 * rows - 2), npu__ethosu_int(v, 2 * rows - 1));
    return 1;
}

NPU__FN int npu__ethosu_pad_type(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    char            name[24];
    (void)r;
    if (!v || v->type == NPU_INT32) return 0;
    npu__ethosu_type_name(v->type, name);
    return npu__got_f(got, "%s", name);
}

/* Without a second input the shape is an option, constant by nature; so is the shape of no numbers (a scalar's). */
NPU__FN int npu__ethosu_reshape_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    (void)r;
    if (!v || npu__is_const(v) || npu__ethosu_elems(v) == 0) return 0;
    return npu__got_f(got, "computed while running");
}

NPU__FN int npu__ethosu_resize(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *out = c->n_out > 0 ? c->out[0] : NULL;
    int             align = NPU__OPTIONS(c->node, ResizeBilinearOptions)->align_corners;
    int64_t         h, w, oh, ow;
    (void)r;
    if (!in || !out || in->shape.rank != 4 || out->shape.rank != 4) return npu__got_f(got, "not 4 dimensions");
    h = in->shape.dims[1];
    w = in->shape.dims[2];
    oh = out->shape.dims[1];
    ow = out->shape.dims[2];
    if ((h == 1 && w == 1) || (h == oh && w == ow)) return 0;
    if (oh == 2 * h - align && ow == 2 * w - align) return 0;
    return npu__got_f(got, "%lx%l to %lx%l, align_corners %s", w, h, ow, oh, align ? "true" : "false");
}

NPU__FN int npu__ethosu_half_pixel(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (!NPU__OPTIONS(c->node, ResizeBilinearOptions)->half_pixel_centers) return 0;
    return npu__got_f(got, "true");
}

NPU__FN int npu__ethosu_pad_types(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    return v && v->type != NPU_INT64 && npu__ethosu_pad_type(r, c, got);
}

NPU__FN int npu__ethosu_pad_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_in(c, 1);
    (void)r;
    return v && !npu__is_const(v) && npu__got_f(got, "computed while running");
}

NPU__FN int npu__ethosu_resize_doublings(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *out = c->n_out > 0 ? c->out[0] : NULL;
    int             align = NPU__OPTIONS(c->node, ResizeBilinearOptions)->align_corners;
    int64_t         h, w, oh, ow;
    (void)r;
    if (!in || !out || in->shape.rank != 4 || out->shape.rank != 4) return npu__got_f(got, "not 4 dimensions");
    h = in->shape.dims[1];
    w = in->shape.dims[2];
    oh = out->shape.dims[1];
    ow = out->shape.dims[2];
    if ((h == 1 && w == 1) || npu__shape_eq(&in->shape, &out->shape)) return 0;
    for (int i = 0; i < 32 && h < oh && w < ow; i++) {
        h = 2 * h - align;
        w = 2 * w - align;
        if (h == oh && w == ow) return 0;
    }
    return npu__got_f(got, "%dx%d to %lx%l, align_corners %s", in->shape.dims[2], in->shape.dims[1], ow, oh,
                      align ? "true" : "false");
}

#endif
