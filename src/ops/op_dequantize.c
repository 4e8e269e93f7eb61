/* DEQUANTIZE: 2, 4, 8 and 16 bits (per tensor or per channel) and float16 to float. */
#include "quant_axis.h"

typedef struct npu__dequantize {
    npu__ew         ew;
    npu__quant_axis axis;
    double          scale;
    int32_t         zp, is_signed;
} npu__dequantize;

/* TFLite multiplies in double for one scale, in float per channel: the difference fits a float, so the rounded product is the same. */
#define NPU__DEQUANTIZE_LOCALS                                              \
    const float   scale = (float)((const npu__dequantize *)op)->scale;      \
    const int32_t zp = ((const npu__dequantize *)op)->zp
#define NPU__DEQUANTIZE(name, T) \
    NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW1, name, NPU__DEQUANTIZE_LOCALS, T, float, scale * (float)(x - zp))
NPU__DEQUANTIZE(npu__dequantize_i8, int8_t)
NPU__DEQUANTIZE(npu__dequantize_u8, uint8_t)
NPU__DEQUANTIZE(npu__dequantize_i16, int16_t)
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW1, npu__dequantize_f16, NPU__EW_NO_LOCALS, uint16_t, float, npu__f16_to_f32(x))
#undef NPU__DEQUANTIZE
#undef NPU__DEQUANTIZE_LOCALS

NPU__FN void npu__dequantize_8_fast(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__dequantize *d = (const npu__dequantize *)op;
    (void)step;
    d->ew.bytes->real((const uint8_t *)in[0], (float *)out, n, d->is_signed, (float)d->scale, d->zp);
}

NPU__FN npu_status npu__dequantize_prepare(npu__ctx *c) {
    npu__dequantize *d = (npu__dequantize *)c->data;
    const npu__val  *in = c->in[0];
    npu__ew_row      row = NULL;
    if (c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    if (in->t->blockwise) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "dequantize.blockwise", "blockwise quantization is not supported here");
    }
    switch (in->type) {
    case NPU_FLOAT16: return npu__ew_prepare_loops(c, npu__dequantize_f16, 1);
    case NPU_INT8: row = npu__dequantize_i8; break;
    case NPU_UINT8: row = npu__dequantize_u8; break;
    case NPU_INT16: row = npu__dequantize_i16; break;
    case NPU_INT2:
    case NPU_INT4:
    case NPU_UINT4: break;
    default: return npu__fail_types(c);
    }
    if (in->t->quant.count > 1) {
        if (in->type == NPU_INT16) return npu__fail_types(c);
        d->ew.kernel = "reference";
        return npu__quant_axis_prepare(c, in, &d->axis);
    }
    NPU__TRY(npu__need_quant(c, in, "the input"));
    d->scale = (double)npu__scale(in);
    d->zp = npu__zero_point(in);
    if (in->type == NPU_INT16 && d->zp != 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "op.int16_zero_point",
                         "an int16 input must have zero point 0: got %d", d->zp);
    }
    d->ew.kernel = "reference";
    if (!row) return NPU_OK;
    NPU__TRY(npu__ew_prepare_loops(c, row, 1));
    if (in->type == NPU_INT16 || !d->ew.bytes->real) return NPU_OK;
    d->is_signed = in->type == NPU_INT8;
    d->ew.row = npu__dequantize_8_fast;
    d->ew.kernel = d->ew.bytes->name;
    return NPU_OK;
}

/* Element i of a 2-, 4- or 8-bit tensor. */
NPU__INLINE int32_t npu__dequantize_at(const uint8_t *in, int32_t type, int64_t i) {
    int32_t v;
    switch (type) {
    case NPU_INT2: v = (in[i >> 2] >> ((i & 3) * 2)) & 3; return v >= 2 ? v - 4 : v;
    case NPU_INT4: v = (in[i >> 1] >> ((i & 1) * 4)) & 15; return v >= 8 ? v - 16 : v;
    case NPU_UINT4: return (in[i >> 1] >> ((i & 1) * 4)) & 15;
    case NPU_INT8: return in[i] >= 128 ? in[i] - 256 : in[i];
    default: return in[i];
    }
}

typedef struct npu__dequantize_job {
    const npu__dequantize *d;
    const npu__val        *in;
    float                 *out;
} npu__dequantize_job;

NPU__FN void npu__dequantize_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__dequantize_job *job = (const npu__dequantize_job *)arg;
    const npu__dequantize     *d = job->d;
    const npu_quant           *q = &job->in->t->quant;
    const uint8_t             *in = (const uint8_t *)job->in->data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int32_t v = npu__dequantize_at(in, job->in->type, i);
        if (d->axis.channels) {
            int64_t ch = i / d->axis.inner % d->axis.channels;
            job->out[i] = q->scale[ch] * (float)((int64_t)v - q->zero_point[ch]);
        } else {
            job->out[i] = (float)(d->scale * (double)(v - d->zp));
        }
    }
}

NPU__FN npu_status npu__dequantize_eval(npu__ctx *c) {
    npu__dequantize_job job;
    job.d = (const npu__dequantize *)c->data;
    if (job.d->ew.row) return npu__ew_eval(c);
    job.in = c->in[0];
    job.out = (float *)c->out[0]->data;
    npu__parallel(c, npu__elems(c->in[0]), 16384, npu__dequantize_part, &job);
    return NPU_OK;
}

NPU__OPDEF(npu__op_dequantize) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__dequantize), npu__infer_same_as_in0,
                                              npu__dequantize_prepare, NULL, npu__dequantize_eval, NULL};
