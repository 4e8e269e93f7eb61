/* SignalFilterBank and the ops on its channels: SquareRoot, SpectralSubtraction, Log, and SignalPCAN. */
#include "../kernels/signal.h"
#include "signal_util.h"

/* ---- SignalFilterBank: spectrum, weights, unweights, first bins, first weights, widths -> channels ---- */

typedef struct npu__signal_bank_data { const char *kernel; int32_t channels; } npu__signal_bank_data;

NPU__FN npu_status npu__signal_bank_infer(npu__ctx *c) {
    int32_t    channels;
    npu__shape s;
    NPU__TRY(npu__signal_opt(c, "num_channels", 0, 32767, &channels));
    s = npu__shape_make(1, channels, 0, 0, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu__filter_bank npu__signal_bank_of(const npu__ctx *c, int32_t channels) {
    npu__filter_bank b;
    b.weights = (const int16_t *)c->in[1]->data;
    b.unweights = (const int16_t *)c->in[2]->data;
    b.freq_start = (const int16_t *)c->in[3]->data;
    b.weight_start = (const int16_t *)c->in[4]->data;
    b.width = (const int16_t *)c->in[5]->data;
    b.n_weights = NPU__MIN(npu__elems(c->in[1]), npu__elems(c->in[2]));
    b.n_in = npu__elems(c->in[0]);
    b.channels = channels;
    return b;
}

NPU__FN npu_status npu__signal_bank_prepare(npu__ctx *c) {
    npu__signal_bank_data *d = (npu__signal_bank_data *)c->data;
    npu__filter_bank       b;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_opt(c, "num_channels", 0, 32767, &d->channels));
    NPU__TRY(npu__signal_io(c, c->in[0], "the spectrum", NPU_UINT32, 1, 1));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", NPU_UINT64));
    for (int32_t i = 1; i < 6; i++) {
        NPU__TRY(npu__signal_io(c, c->in[i], "a table of the bank", NPU_INT16, 1, 1));
        if (i >= 3 && npu__elems(c->in[i]) < d->channels + 1) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_filter_bank.table",
                             "input %d must have num_channels + 1 entries: got %l for %d channels", i,
                             npu__elems(c->in[i]), d->channels);
        }
    }
    b = npu__signal_bank_of(c, d->channels);
    /* Constant tables are refused while planning; others only show when they are there (eval). */
    if (b.freq_start && b.weight_start && b.width && !npu__filter_bank_ok(&b)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_filter_bank.band",
                         "a band of the filter bank lies outside the spectrum or its weights");
    }
    return NPU_OK;
}

/* A band is as wide as the spectrum at most, and as an int16 can say. */
NPU__FN npu__work npu__signal_bank_work(const npu__ctx *c) {
    const npu__signal_bank_data *d = (const npu__signal_bank_data *)c->data;
    return npu__work_steps(c, ((int64_t)d->channels + 1) * NPU__MIN(npu__elems(c->in[0]), (int64_t)INT16_MAX));
}

NPU__FN npu_status npu__signal_bank_eval(npu__ctx *c) {
    const npu__signal_bank_data *d = (const npu__signal_bank_data *)c->data;
    npu__filter_bank             b = npu__signal_bank_of(c, d->channels);
    if (!npu__filter_bank_ok(&b)) {
        return NPU__FAIL(c, NPU_BAD_INPUT, "signal_filter_bank.band",
                         "a band of the filter bank lies outside the spectrum or its weights");
    }
    npu__filter_bank_run(&b, (const uint32_t *)c->in[0]->data, (uint64_t *)c->out[0]->data);
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_filter_bank) = {
    6, 6, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_bank_data),
    npu__signal_bank_infer, npu__signal_bank_prepare, NULL, npu__signal_bank_eval, npu__signal_bank_work};

/* ---- SignalFilterBankSquareRoot: channels, scale bits ---- */

NPU__FN npu_status npu__signal_sqrt_prepare(npu__ctx *c) {
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_UINT64, 1, 1));
    NPU__TRY(npu__signal_io(c, c->in[1], "the scale bits", NPU_INT32, 0, 0));
    return npu__need_type(c, c->out[0], "the output", NPU_UINT32);
}

NPU__FN npu_status npu__signal_sqrt_eval(npu__ctx *c) {
    const uint64_t *in = (const uint64_t *)c->in[0]->data;
    uint32_t       *out = (uint32_t *)c->out[0]->data;
    int32_t         bits = *(const int32_t *)c->in[1]->data;
    int64_t         done = 0;
    if (bits < 0 || bits > 31) {
        return NPU__FAIL(c, NPU_BAD_INPUT, "signal_filter_bank_square_root.scale_bits",
                         "the scale bits must be in [0, 31]: got %d", bits);
    }
    for (int64_t i = 0; i < npu__elems(c->in[0]); i++) {
        out[i] = npu__signal_sqrt(in[i]) >> bits;
        NPU__POLL_PASS(c, done, 32);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_filter_bank_square_root) = {
    2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_plain),
    npu__infer_same_as_in0, npu__signal_sqrt_prepare, NULL, npu__signal_sqrt_eval, npu__signal_bitwise_work};

/* ---- SignalFilterBankSpectralSubtraction: signal -> less noise, noise estimate (kept between runs) ---- */

typedef struct npu__signal_subtract_data {
    const char *kernel; /* for profiles */
    npu__spectral_subtraction s;
    int32_t                   estimate; /* slot */
} npu__signal_subtract_data;

NPU__FN npu_status npu__signal_subtract_infer(npu__ctx *c) {
    NPU__TRY(npu__set_shape(c, 0, &c->in[0]->shape));
    return npu__set_shape(c, 1, &c->in[0]->shape);
}

NPU__FN npu_status npu__signal_subtract_options(npu__ctx *c, npu__spectral_subtraction *s) {
    NPU__TRY(npu__signal_opt_u32(c, "smoothing", &s->smoothing[0]));
    NPU__TRY(npu__signal_opt_u32(c, "one_minus_smoothing", &s->one_minus_smoothing[0]));
    NPU__TRY(npu__signal_opt_u32(c, "alternate_smoothing", &s->smoothing[1]));
    NPU__TRY(npu__signal_opt_u32(c, "alternate_one_minus_smoothing", &s->one_minus_smoothing[1]));
    NPU__TRY(npu__signal_opt_u32(c, "min_signal_remaining", &s->min_remaining));
    NPU__TRY(npu__signal_opt(c, "smoothing_bits", 0, 31, &s->smoothing_bits));
    NPU__TRY(npu__signal_opt(c, "spectral_subtraction_bits", 0, 63, &s->bits));
    return npu__signal_opt(c, "clamping", 0, 1, &s->clamping);
}

NPU__FN npu_status npu__signal_subtract_prepare(npu__ctx *c) {
    npu__signal_subtract_data *d = (npu__signal_subtract_data *)c->data;
    int32_t                    channels;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_subtract_options(c, &d->s));
    NPU__TRY(npu__signal_opt(c, "num_channels", 0, INT32_MAX, &channels));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_UINT32, 1, 1));
    NPU__TRY(npu__need_type(c, c->out[0], "output 0", NPU_UINT32));
    NPU__TRY(npu__need_type(c, c->out[1], "output 1", NPU_UINT32));
    if (npu__dim(c->in[0], 0) != channels) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_filter_bank_spectral_subtraction.channels",
                         "the input must have num_channels entries: got %d for %d channels", npu__dim(c->in[0], 0),
                         channels);
    }
    d->estimate = npu__want_state(c, NPU__MAX((size_t)channels, 1) * sizeof(uint32_t));
    return d->estimate < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__signal_subtract_eval(npu__ctx *c) {
    const npu__signal_subtract_data *d = (const npu__signal_subtract_data *)c->data;
    uint32_t                        *estimate = (uint32_t *)npu__slot(c, d->estimate);
    int64_t                          n = npu__elems(c->in[0]);
    if (n == 0) return NPU_OK;
    npu__spectral_subtraction_run(&d->s, (const uint32_t *)c->in[0]->data, n, estimate, (uint32_t *)c->out[0]->data);
    memcpy(c->out[1]->data, estimate, (size_t)n * sizeof(uint32_t));
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_filter_bank_spectral_subtraction) = {
    1, 1, 2, 2, 0, NPU__OP_STATEFUL | NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_subtract_data),
    npu__signal_subtract_infer, npu__signal_subtract_prepare, NULL, npu__signal_subtract_eval, NULL};

/* ---- SignalPCAN: channels, noise estimate, gain table ---- */

typedef struct npu__signal_pcan_data { const char *kernel; int32_t snr_shift; } npu__signal_pcan_data;

NPU__FN npu_status npu__signal_pcan_prepare(npu__ctx *c) {
    npu__signal_pcan_data *d = (npu__signal_pcan_data *)c->data;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_opt(c, "snr_shift", 0, 63, &d->snr_shift));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_UINT32, 1, 1));
    NPU__TRY(npu__signal_io(c, c->in[1], "the noise estimate", NPU_UINT32, 1, 1));
    NPU__TRY(npu__signal_io(c, c->in[2], "the gain table", NPU_INT16, 1, 1));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", NPU_UINT32));
    if (npu__dim(c->in[1], 0) != npu__dim(c->in[0], 0)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_pcan.channels",
                         "input and noise estimate must have the same length: got %d and %d", npu__dim(c->in[0], 0),
                         npu__dim(c->in[1], 0));
    }
    if (npu__dim(c->in[2], 0) < NPU__PCAN_LUT) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_pcan.gain_table", "the gain table needs %d entries: got %d",
                         NPU__PCAN_LUT, npu__dim(c->in[2], 0));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__signal_pcan_eval(npu__ctx *c) {
    const npu__signal_pcan_data *d = (const npu__signal_pcan_data *)c->data;
    const uint32_t              *in = (const uint32_t *)c->in[0]->data, *noise = (const uint32_t *)c->in[1]->data;
    const int16_t               *lut = (const int16_t *)c->in[2]->data;
    uint32_t                    *out = (uint32_t *)c->out[0]->data;
    int64_t                      done = 0;
    for (int64_t i = 0; i < npu__elems(c->in[0]); i++) {
        out[i] = npu__pcan(in[i], noise[i], lut, d->snr_shift);
        NPU__POLL_PASS(c, done, 32);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_pcan) = {
    3, 3, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_pcan_data),
    npu__infer_same_as_in0, npu__signal_pcan_prepare, NULL, npu__signal_pcan_eval, npu__signal_bitwise_work};

/* ---- SignalFilterBankLog ---- */

typedef struct npu__signal_log_data {
    const char *kernel; /* for profiles */
    int32_t  correction_bits;
    uint32_t scale;
} npu__signal_log_data;

NPU__FN npu_status npu__signal_log_prepare(npu__ctx *c) {
    npu__signal_log_data *d = (npu__signal_log_data *)c->data;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_opt(c, "input_correction_bits", 0, 31, &d->correction_bits));
    NPU__TRY(npu__signal_opt_u32(c, "output_scale", &d->scale));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_UINT32, 1, 1));
    return npu__need_type(c, c->out[0], "the output", NPU_INT16);
}

NPU__FN npu_status npu__signal_log_eval(npu__ctx *c) {
    const npu__signal_log_data *d = (const npu__signal_log_data *)c->data;
    const uint32_t             *in = (const uint32_t *)c->in[0]->data;
    int16_t                    *out = (int16_t *)c->out[0]->data;
    int64_t                     done = 0;
    for (int64_t i = 0; i < npu__elems(c->in[0]); i++) {
        /* Bits beyond 32 are lost, as in tflite-micro's library. */
        uint32_t x = in[i] << d->correction_bits, y = x > 1 ? npu__signal_log(x, d->scale) : 0;
        out[i] = (int16_t)NPU__MIN(y, 32767u);
        NPU__POLL_PASS(c, done, 32);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_filter_bank_log) = {
    1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_log_data),
    npu__infer_same_as_in0, npu__signal_log_prepare, NULL, npu__signal_log_eval, npu__signal_bitwise_work};
