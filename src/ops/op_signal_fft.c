/* SignalRfft and SignalIrfft: real FFTs of int16, int32 and float32, bit-equal to tflite-micro. */
#include "../kernels/signal.h"
#include "signal_util.h"

typedef struct npu__signal_fft_data {
    const char   *kernel; /* for profiles */
    npu__fft_plan plan;
    npu__fft_type type;
    int32_t       cpx_bytes; /* one complex value */
    int32_t       n_in, n_out; /* elements of one transform */
    int32_t       twiddles, tmp; /* slots */
} npu__signal_fft_data;

NPU__FN npu_status npu__signal_fft_infer(npu__ctx *c, int inverse) {
    int32_t    length;
    npu__shape s = c->in[0]->shape;
    NPU__TRY(npu__signal_opt(c, "fft_length", 4, NPU__FFT_MAX_LENGTH, &length));
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    s.dims[s.rank - 1] = inverse ? length : length + 2;
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__signal_fft_prepare(npu__ctx *c, int inverse) {
    npu__signal_fft_data *d = (npu__signal_fft_data *)c->data;
    int32_t               length, type;
    size_t                n;
    NPU__TRY(npu__signal_opt(c, "fft_length", 4, NPU__FFT_MAX_LENGTH, &length));
    NPU__TRY(npu__signal_opt(c, "T", 0, 127, &type));
    if (type != NPU_INT16 && type != NPU_INT32 && type != NPU_FLOAT32) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "signal_fft.type", "T must be INT16, INT32 or FLOAT32: got %s",
                         npu_type_name((npu_type)type));
    }
    NPU__TRY(npu__need_type(c, c->in[0], "the input", type));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", type));
    d->type = type == NPU_INT16 ? NPU__FFT_I16 : type == NPU_INT32 ? NPU__FFT_I32 : NPU__FFT_F32;
    d->cpx_bytes = type == NPU_INT16 ? 4 : 8;
    d->n_in = npu__dim(c->in[0], -1);
    d->n_out = npu__dim(c->out[0], -1);
    if (!npu__fft_plan_init(&d->plan, npu__ctx_isa(c), length, inverse)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "signal_fft.length",
                         "fft_length must be even with no prime factor above 5: got %d", length);
    }
    d->kernel = d->type == NPU__FFT_I16 && d->plan.fast ? d->plan.fast->name : "plain";
    if (inverse ? d->n_in != length + 2 : d->n_in > length) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_fft.input_length",
                         inverse ? "rows of the input must be fft_length / 2 + 1 pairs: got %d numbers for length %d"
                                 : "rows of the input must not be longer than fft_length: got %d for length %d",
                         d->n_in, length);
    }
    n = (size_t)d->plan.n;
    d->twiddles = npu__want_state(c, (n + n / 2) * (size_t)d->cpx_bytes);
    d->tmp = npu__want_scratch(c, n * (size_t)d->cpx_bytes);
    return d->twiddles < 0 || d->tmp < 0 ? NPU_LIMIT : NPU_OK;
}

/* About as much as one transform takes. */
NPU__FN int64_t npu__signal_fft_steps(const npu__signal_fft_data *d) {
    return (int64_t)d->plan.n * (8 * (int64_t)d->plan.n_stages + 8);
}

/* The rows, and the twiddles of the first run. */
NPU__FN npu__work npu__signal_fft_work(const npu__ctx *c) {
    const npu__signal_fft_data *d = (const npu__signal_fft_data *)c->data;
    const int64_t               rows = npu__dims_product(&c->in[0]->shape, 0, c->in[0]->shape.rank - 1);
    return npu__work_steps(c, npu__sat_add(npu__sat_mul(rows, npu__signal_fft_steps(d)), 48 * (int64_t)d->plan.n));
}

NPU__FN npu_status npu__signal_fft_eval(npu__ctx *c) {
    const npu__signal_fft_data *d = (const npu__signal_fft_data *)c->data;
    void                       *twiddles = npu__slot(c, d->twiddles), *tmp = npu__slot(c, d->tmp);
    size_t                      elem = (size_t)d->cpx_bytes / 2;
    const uint8_t              *in = (const uint8_t *)c->in[0]->data;
    uint8_t                    *out = (uint8_t *)c->out[0]->data;
    int64_t                     rows = npu__dims_product(&c->in[0]->shape, 0, c->in[0]->shape.rank - 1), done = 0;
    /* Twiddles are computed at the first run: they come from no input, so there is nothing to pack them from. */
    if (npu__first_time(c)) npu__fft_twiddles(&d->plan, d->type, twiddles);
    for (int64_t r = 0; r < rows; r++) {
        if (d->plan.inverse) npu__fft_real_inverse(&d->plan, d->type, twiddles, in, out, tmp);
        else npu__fft_real(&d->plan, d->type, twiddles, in, d->n_in, out, tmp);
        in += (size_t)d->n_in * elem;
        out += (size_t)d->n_out * elem;
        NPU__POLL_PASS(c, done, npu__signal_fft_steps(d));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__signal_rfft_infer(npu__ctx *c) { return npu__signal_fft_infer(c, 0); }
NPU__FN npu_status npu__signal_rfft_prepare(npu__ctx *c) { return npu__signal_fft_prepare(c, 0); }
NPU__FN npu_status npu__signal_irfft_infer(npu__ctx *c) { return npu__signal_fft_infer(c, 1); }
NPU__FN npu_status npu__signal_irfft_prepare(npu__ctx *c) { return npu__signal_fft_prepare(c, 1); }

NPU__OPDEF(npu__op_signal_rfft) = {
    1, 1, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_fft_data),
    npu__signal_rfft_infer, npu__signal_rfft_prepare, NULL, npu__signal_fft_eval, npu__signal_fft_work};
NPU__OPDEF(npu__op_signal_irfft) = {
    1, 1, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_fft_data),
    npu__signal_irfft_infer, npu__signal_irfft_prepare, NULL, npu__signal_fft_eval, npu__signal_fft_work};
