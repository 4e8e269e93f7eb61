/* CONCATENATION: inputs side by side along one axis. */
#include "../kernels/bytes.h"
#include "move_util.h"

typedef struct npu__concatenation_data {
    const char *kernel;
    int32_t     axis;
    int32_t     requantize; /* UINT8 inputs whose quantization differs from the output's are converted */
    const npu__bytes *bytes;
} npu__concatenation_data;

/* Constants without dimensions are joined into a vector, as LiteRT does. */
NPU__FN npu_status npu__concatenation_scalars(npu__ctx *c) {
    npu__shape s = npu__shape_make(1, c->n_in, 0, 0, 0);
    for (int32_t i = 0; i < c->n_in; i++) {
        if (c->in[i]->shape.rank != 0 || !npu__values_known(c->in[i])) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "concatenation.scalar",
                             "inputs without dimensions can be joined only when all are such constants: input %d", i);
        }
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__concatenation_infer(npu__ctx *c) {
    const npu__shape *first = &c->in[0]->shape;
    int32_t           option = NPU__OPTIONS(c->node, ConcatenationOptions)->axis, axis;
    int64_t           sum = 0;
    npu__shape        s = *first;
    if (first->rank == 0) {
        if (option != 0) return npu__bad_axis(c, NPU_INVALID_MODEL, option, 1);
        return npu__concatenation_scalars(c);
    }
    NPU__TRY(npu__resolve_axis(c, NPU_INVALID_MODEL, option, first->rank, &axis));
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__shape *in = &c->in[i]->shape;
        NPU__TRY(npu__need_rank(c, c->in[i], "every input", first->rank, first->rank));
        for (int32_t d = 0; d < first->rank; d++) {
            if (d != axis && in->dims[d] != first->dims[d]) {
                return NPU__FAIL(c, NPU_INVALID_MODEL, "concatenation.dims",
                                 "inputs may differ along the axis only: dimension %d of input %d is %d, not %d",
                                 d, i, in->dims[d], first->dims[d]);
            }
        }
        /* At most as many inputs as there are indices in a file: the sum stays far below 2^63. */
        sum += in->dims[axis];
    }
    if (sum > INT32_MAX) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "concatenation.size", "the axis grows to %l: too large", sum);
    }
    s.dims[axis] = (int32_t)sum;
    return npu__set_shape(c, 0, &s);
}

/* LiteRT converts UINT8 inputs of another scale; INT8 ones must agree; INT16 has no zero point. */
NPU__FN npu_status npu__concatenation_check_quant(npu__ctx *c, const npu__val *in, int32_t *requantize) {
    const npu__val *out = c->out[0];
    if (in->type == NPU_INT8) return npu__need_same_quant(c, in, out);
    if (in->type == NPU_INT16 && (npu__params_zero(in) != 0 || npu__params_zero(out) != 0)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.zero_point_int16", "INT16 tensors must have a zero point of 0");
    }
    if (in->type == NPU_UINT8 && !npu__same_quant(in, out)) {
        NPU__TRY(npu__need_quant(c, in, "an input that differs from the output in scale or zero point"));
        NPU__TRY(npu__need_quant(c, out, "the output"));
        *requantize = 1;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__concatenation_prepare(npu__ctx *c) {
    npu__concatenation_data *d = (npu__concatenation_data *)c->data;
    int32_t act = npu__fused_activation(c->node);
    if (act != NPU__ACT_NONE) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "op.fused_activation",
                         "fused activation %d is not supported here: use NONE", act);
    }
    d->kernel = "copy_rows";
    d->bytes = npu__bytes_select(npu__ctx_isa(c));
    d->axis = npu__axis_in(NPU__OPTIONS(c->node, ConcatenationOptions)->axis, c->out[0]->shape.rank);
    for (int32_t i = 0; i < c->n_in; i++) {
        NPU__TRY(npu__need_moved_type(c, c->in[i], c->out[0]));
        NPU__TRY(npu__concatenation_check_quant(c, c->in[i], &d->requantize));
    }
    return NPU_OK;
}

/* Output byte for each input byte, in float with the rounding steps of the reference kernel. */
NPU__NO_FUSE NPU__FN void npu__concatenation_table(const npu__val *in, const npu__val *out, uint8_t *table) {
    float inverse = 1.0f / npu__scale(out);
    float scale = npu__scale(in) * inverse;
    float bias = (float)-npu__zero_point(in) * scale;
    /* One table for each input, not for each element: 256 roundings in place of one a byte. */
    for (int32_t q = 0; q < 256; q++) {
        float   product = (float)q * scale;
        float   real = product + bias;
        int64_t v = (int64_t)npu__f32_to_i32(npu__roundf(real)) + npu__zero_point(out);
        table[q] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

NPU__FN npu_status npu__concatenation_nibbles(npu__ctx *c, int64_t outer, int32_t axis) {
    uint8_t *out = (uint8_t *)c->out[0]->data;
    int64_t  inner = npu__dims_product(&c->out[0]->shape, axis + 1, c->out[0]->shape.rank), to = 0, done = 0;
    /* Elements of 4 bits share bytes: with an odd number before them, those of an input begin in the middle of one. */
    memset(out, 0, c->out[0]->bytes);
    for (int64_t k = 0; k < outer; k++) {
        for (int32_t i = 0; i < c->n_in; i++) {
            int64_t n = npu__dim(c->in[i], axis) * inner;
            NPU__POLL_PASS(c, done, n + 1);
            for (int64_t j = 0; j < n; j++) {
                npu__set_nibble(out, to++, npu__nibble((const uint8_t *)c->in[i]->data, k * n + j));
            }
        }
    }
    return NPU_OK;
}

/* One input's rows of n bytes, to rows of the output; table: NULL where they stay what they are. */
typedef struct npu__concatenation_job {
    npu__bytes_table_code *convert;
    const uint8_t         *from, *table;
    uint8_t               *to;
    int64_t                n, row;
} npu__concatenation_job;

#define NPU__CONCATENATION_GRAIN 16384 /* bytes */
#define NPU__CONCATENATION_LONG 32     /* bytes in a row, from which on vectors pay */

NPU__FN void npu__concatenation_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__concatenation_job *job = (const npu__concatenation_job *)arg;
    int64_t                       at = begin % job->n; /* parts begin and end anywhere in a row */
    uint8_t                      *row = job->to + begin / job->n * job->row;
    (void)thread;
    for (int64_t some; begin < end; begin += some, row += job->row, at = 0) {
        const uint8_t *from = job->from + begin;
        uint8_t       *to = row + at;
        some = NPU__MIN(job->n - at, end - begin);
        if (!job->table) {
            if (to != from) memcpy(to, from, (size_t)some);
        } else {
            (some >= NPU__CONCATENATION_LONG ? job->convert : npu__bytes_table)(job->table, from, to, some);
        }
    }
}

NPU__FN npu_status npu__concatenation_eval(npu__ctx *c) {
    const npu__concatenation_data *d = (const npu__concatenation_data *)c->data;
    const npu__val                *out = c->out[0];
    npu__concatenation_job         job = {d->bytes->table, NULL, NULL, NULL, 0, 0};
    uint8_t                        table[256];
    int64_t outer = npu__dims_product(&out->shape, 0, d->axis), column = 0;
    size_t  elem = npu__elem_bytes(out->type);
    if (npu__elems(out) == 0) return NPU_OK;
    if (elem == 0) {
        return npu__concatenation_nibbles(c, outer, d->axis);
    }
    if (!d->requantize) return npu__parts_move(c, out, c->in, c->n_in, outer, 0);
    /* An output with elements has outer >= 1. */
    job.row = (int64_t)out->bytes / outer;
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__val *in = c->in[i];
        job.from = (const uint8_t *)in->data;
        job.to = (uint8_t *)out->data + column;
        job.n = (int64_t)in->bytes / outer;
        job.table = npu__same_quant(in, out) ? NULL : table;
        if (job.table) npu__concatenation_table(in, out, table);
        npu__parallel(c, (int64_t)in->bytes, NPU__CONCATENATION_GRAIN, npu__concatenation_part, &job);
        column += job.n;
    }
    return NPU_OK;
}

/* Every input goes over the outer dimensions on its own. */
NPU__FN npu__work npu__concatenation_work(const npu__ctx *c) {
    const npu__concatenation_data *d = (const npu__concatenation_data *)c->data;
    int64_t outer = npu__elems(c->out[0]) > 0 ? npu__dims_product(&c->out[0]->shape, 0, d->axis) : 0;
    return npu__work_steps(c, npu__sat_mul(outer, c->n_in));
}

NPU__OPDEF(npu__op_concatenation) = {1, -1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__concatenation_data),
                                     npu__concatenation_infer, npu__concatenation_prepare, NULL, npu__concatenation_eval,
                                     npu__concatenation_work};
