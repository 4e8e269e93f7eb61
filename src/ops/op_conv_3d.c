/* CONV_3D and CONV_3D_TRANSPOSE, float: input [batches, depth, height, width, channels], filter [depth, height, width, ...]. */
#include "conv_3d.h"
#include "elementwise.h"
#include "move_util.h"

/* Strides and dilations of an axis as the options name them, 0: depth. */
NPU__FN void npu__conv_3d_steps(const npu__ctx *c, int32_t i, npu__axis3 *a) {
    const npu__opts_Conv3DOptions *o = NPU__OPTIONS(c->node, Conv3DOptions);
    a->stride = i == 0 ? o->stride_d : i == 1 ? o->stride_h : o->stride_w;
    a->dil = i == 0 ? o->dilation_d_factor : i == 1 ? o->dilation_h_factor : o->dilation_w_factor;
}

/* Windows of `filter` over the volume `of`. */
NPU__FN npu_status npu__conv_3d_axes(npu__ctx *c, const npu__shape *of, const npu__shape *filter, npu__conv_3d *d) {
    const int32_t padding = NPU__OPTIONS(c->node, Conv3DOptions)->padding;
    for (int32_t i = 0; i < 3; i++) {
        npu__axis3 *a = &d->axis[i];
        npu__conv_3d_steps(c, i, a);
        a->in = of->dims[i + 1];
        a->k = filter->dims[i];
        if (a->stride < 1 || a->dil < 1 || a->k < 1 || (padding != NPU__PAD_SAME && padding != NPU__PAD_VALID)) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "conv_3d.window", "strides, dilations and the filter's dimensions must be "
                             "positive, padding SAME or VALID");
        }
        a->out = npu__window_out(padding, a->in, a->k, a->stride, a->dil);
        if (a->in < 1 || a->out < 1) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "conv_3d.size", "a filter of %d, dilated by %d, does not fit into %d", a->k,
                             a->dil, a->in);
        }
        a->pad = npu__window_pad(a->in, a->k, a->stride, a->dil, a->out, NULL);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__conv_3d_types(npu__ctx *c, int32_t in, int32_t bias, int32_t channels_at) {
    npu__conv_3d *d = (npu__conv_3d *)c->data;
    if (c->in[in]->type != NPU_FLOAT32 || c->in[1]->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32) {
        return npu__fail_types(c);
    }
    NPU__TRY(npu__need_dense(c, c->in[1]));
    NPU__TRY(npu__need_bias(c, npu__opt_in(c, bias), NPU_FLOAT32, c->in[1]->shape.dims[channels_at]));
    d->batches = c->out[0]->shape.dims[0];
    d->in_c = c->in[in]->shape.dims[4];
    d->out_c = c->out[0]->shape.dims[4];
    if (c->in[1]->shape.dims[7 - channels_at] != d->in_c || d->in_c < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv_3d.channels", "the filter must have the %d channels of the input: got %d",
                         c->in[in]->shape.dims[4], c->in[1]->shape.dims[7 - channels_at]);
    }
    return npu__act_range_f32(c, NPU__OPTIONS(c->node, Conv3DOptions)->fused_activation_function, &d->lo, &d->hi);
}

/* What the threads share. */
typedef struct npu__conv_3d_job {
    const npu__conv_3d *d;
    const float        *in, *w, *bias;
    float              *out;
    int64_t             dims[3]; /* of the output */
} npu__conv_3d_job;

/* Batch and place of a cell of the output. */
NPU__INLINE int64_t npu__conv_3d_place(const npu__conv_3d_job *job, int64_t i, int64_t *at) {
    for (int32_t k = 2; k >= 0; k--) {
        at[k] = i % job->dims[k];
        i /= job->dims[k];
    }
    return i;
}
NPU__INLINE void npu__conv_3d_begin(const npu__conv_3d_job *job, float *out) {
    for (int64_t o = 0; o < job->d->out_c; o++) out[o] = job->bias ? job->bias[o] : 0.0f;
}
NPU__INLINE void npu__conv_3d_end(const npu__conv_3d_job *job, float *out) {
    for (int64_t o = 0; o < job->d->out_c; o++) out[o] = npu__clamp_f32(out[o], job->d->lo, job->d->hi);
}

NPU__FN void npu__conv_3d_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_3d_job *job = (const npu__conv_3d_job *)arg;
    const npu__conv_3d     *d = job->d;
    const npu__axis3       *x = d->axis;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t      at[3], batch = npu__conv_3d_place(job, i, at);
        float       *out = job->out + i * d->out_c;
        const float *w = job->w;
        npu__conv_3d_begin(job, out);
        for (int32_t kd = 0; kd < x[0].k; kd++) for (int32_t kh = 0; kh < x[1].k; kh++) for (int32_t kw = 0; kw < x[2].k; kw++) {
            const int64_t z = npu__conv_3d_at(&x[0], 0, at[0], kd), y = npu__conv_3d_at(&x[1], 0, at[1], kh),
                          h = npu__conv_3d_at(&x[2], 0, at[2], kw);
            if (z >= 0 && y >= 0 && h >= 0) {
                const float *in = job->in + (((batch * x[0].in + z) * x[1].in + y) * x[2].in + h) * d->in_c;
                for (int64_t ch = 0; ch < d->in_c; ch++) {
                    const float  v = in[ch];
                    const float *row = w + ch * d->out_c;
                    for (int64_t o = 0; o < d->out_c; o++) out[o] += v * row[o];
                }
            }
            w += d->in_c * d->out_c;
        }
        npu__conv_3d_end(job, out);
    }
}

NPU__FN void npu__conv_3d_transpose_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_3d_job *job = (const npu__conv_3d_job *)arg;
    const npu__conv_3d     *d = job->d;
    const npu__axis3       *x = d->axis;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t      at[3], batch = npu__conv_3d_place(job, i, at);
        float       *out = job->out + i * d->out_c;
        const float *w = job->w;
        npu__conv_3d_begin(job, out);
        for (int32_t kd = 0; kd < x[0].k; kd++) for (int32_t kh = 0; kh < x[1].k; kh++) for (int32_t kw = 0; kw < x[2].k; kw++) {
            const int64_t z = npu__conv_3d_at(&x[0], 1, at[0], kd), y = npu__conv_3d_at(&x[1], 1, at[1], kh),
                          h = npu__conv_3d_at(&x[2], 1, at[2], kw);
            if (z >= 0 && y >= 0 && h >= 0) {
                const float *in = job->in + (((batch * x[0].out + z) * x[1].out + y) * x[2].out + h) * d->in_c;
                for (int64_t o = 0; o < d->out_c; o++) {
                    float sum = 0.0f;
                    for (int64_t ch = 0; ch < d->in_c; ch++) sum += in[ch] * w[o * d->in_c + ch];
                    out[o] += sum;
                }
            }
            w += d->in_c * d->out_c;
        }
        npu__conv_3d_end(job, out);
    }
}

NPU__FN npu_status npu__conv_3d_run(npu__ctx *c, int32_t in, int32_t bias, npu__range_fn fn) {
    const npu__conv_3d *d = (const npu__conv_3d *)c->data;
    const int64_t       cells = npu__dims_product(&c->in[1]->shape, 0, 5), most = 1 << 20;
    const npu__val     *b = npu__opt_in(c, bias);
    npu__conv_3d_job    job;
    if (npu__elems(c->out[0]) == 0) return NPU_OK;
    if (d->gemm) {
        npu__conv_3d_fast_eval(c, d, in);
        return NPU_OK;
    }
    job.d = d;
    job.in = (const float *)c->in[in]->data;
    job.w = (const float *)c->in[1]->data;
    job.bias = b ? (const float *)b->data : NULL;
    job.out = (float *)c->out[0]->data;
    for (int32_t k = 0; k < 3; k++) job.dims[k] = c->out[0]->shape.dims[k + 1];
    npu__parallel(c, npu__dims_product(&c->out[0]->shape, 0, 4), 65536 / NPU__MIN(cells + 1, most) + 1, fn, &job);
    return NPU_OK;
}

/* ---- CONV_3D: input, filter [.., in_c, out_c], optional bias ---- */

NPU__FN npu_status npu__conv_3d_infer(npu__ctx *c) {
    npu__conv_3d d;
    npu__shape   s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 5, 5));
    NPU__TRY(npu__need_rank(c, c->in[1], "the filter", 5, 5));
    NPU__TRY(npu__conv_3d_axes(c, &c->in[0]->shape, &c->in[1]->shape, &d));
    s = c->in[0]->shape;
    for (int32_t i = 0; i < 3; i++) s.dims[i + 1] = d.axis[i].out;
    s.dims[4] = c->in[1]->shape.dims[4];
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__conv_3d_prepare(npu__ctx *c) {
    npu__conv_3d *d = (npu__conv_3d *)c->data;
    NPU__TRY(npu__conv_3d_axes(c, &c->in[0]->shape, &c->in[1]->shape, d));
    NPU__TRY(npu__conv_3d_types(c, 0, 2, 4));
    return npu__conv_3d_fast_prepare(c, d, 2);
}

NPU__FN npu_status npu__conv_3d_pack(npu__ctx *c) {
    npu__conv_3d_fast_pack(c, (const npu__conv_3d *)c->data, 2);
    return NPU_OK;
}

NPU__FN npu_status npu__conv_3d_eval(npu__ctx *c) { return npu__conv_3d_run(c, 0, 2, npu__conv_3d_part); }

NPU__FN npu__work npu__conv_3d_count(const npu__ctx *c) {
    return npu__work_macs(c, npu__sat_mul(npu__elems(c->out[0]), npu__dims_product(&c->in[1]->shape, 0, 4)));
}

NPU__OPDEF(npu__op_conv_3d) = {2, 3, 1, 1, 4, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__conv_3d), npu__conv_3d_infer, npu__conv_3d_prepare,
                               npu__conv_3d_pack, npu__conv_3d_eval, npu__conv_3d_count};

/* ---- CONV_3D_TRANSPOSE: output shape, filter [.., out_c, in_c], input, optional bias ---- */

NPU__FN npu_status npu__conv_3d_transpose_infer(npu__ctx *c) {
    const npu__val *shape = c->in[0], *in = c->in[2], *w = c->in[1];
    npu__shape      s;
    NPU__TRY(npu__need_rank(c, in, "the input", 5, 5));
    NPU__TRY(npu__need_rank(c, w, "the filter", 5, 5));
    NPU__TRY(npu__need_type(c, shape, "the output shape", NPU_INT32));
    if (shape->shape.rank != 1 || shape->shape.dims[0] != 5) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv_3d_transpose.shape_size", "the output shape must be a vector of 5 numbers");
    }
    if (!npu__values_known(shape)) return NPU__DYNAMIC;
    memset(&s, 0, sizeof s);
    s.rank = 5;
    for (int32_t i = 0; i < 5; i++) NPU__TRY(npu__dim_value(c, shape, npu__int_at(shape, i), &s.dims[i]));
    if (s.dims[0] != in->shape.dims[0] || s.dims[4] != w->shape.dims[3]) {
        return NPU__FAIL(c, npu__value_fault(shape), "conv_3d_transpose.shape", "the output shape must be [%d, d, h, w, %d]: got %d "
                         "batches and %d channels", in->shape.dims[0], w->shape.dims[3], s.dims[0], s.dims[4]);
    }
    return npu__set_shape(c, 0, &s);
}

/* Sizes and padding are those of the convolution that leads from the output back to the input. */
NPU__FN npu_status npu__conv_3d_transpose_prepare(npu__ctx *c) {
    npu__conv_3d *d = (npu__conv_3d *)c->data;
    NPU__TRY(npu__conv_3d_axes(c, &c->out[0]->shape, &c->in[1]->shape, d));
    for (int32_t i = 0; i < 3; i++) {
        if (d->axis[i].out == c->in[2]->shape.dims[i + 1]) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv_3d_transpose.size", "an output of %d along axis %d needs an input of %d: got %d",
                         d->axis[i].in, i + 1, d->axis[i].out, c->in[2]->shape.dims[i + 1]);
    }
    NPU__TRY(npu__conv_3d_types(c, 2, 3, 3));
    d->transposed = 1;
    return npu__conv_3d_fast_prepare(c, d, 3);
}

NPU__FN npu_status npu__conv_3d_transpose_pack(npu__ctx *c) {
    npu__conv_3d_fast_pack(c, (const npu__conv_3d *)c->data, 3);
    return NPU_OK;
}

NPU__FN npu_status npu__conv_3d_transpose_eval(npu__ctx *c) { return npu__conv_3d_run(c, 2, 3, npu__conv_3d_transpose_part); }

/* Every input element meets every filter cell of its channel, and every output looks at every cell. */
NPU__FN npu__work npu__conv_3d_transpose_count(const npu__ctx *c) {
    npu__work w = npu__work_macs(c, npu__sat_mul(npu__elems(c->in[2]), npu__dims_product(&c->in[1]->shape, 0, 4)));
    w.steps = npu__sat_add(w.steps, npu__sat_mul(npu__elems(c->out[0]), npu__dims_product(&c->in[1]->shape, 0, 3)));
    return w;
}

NPU__OPDEF(npu__op_conv_3d_transpose) = {3, 4, 1, 1, 8, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__conv_3d), npu__conv_3d_transpose_infer,
                                         npu__conv_3d_transpose_prepare, npu__conv_3d_transpose_pack, npu__conv_3d_transpose_eval,
                                         npu__conv_3d_transpose_count};
