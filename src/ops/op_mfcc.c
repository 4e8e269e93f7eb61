/* AudioSpectrogram and Mfcc, custom operators that TFLite has for speech commands: energies of the Fourier transform of each
 * window, and cepstral coefficients of such energies. In double, as TFLite computes them; outputs are float. */
#include "../tflite/flexbuf.h"
#include "../kernels/fft64.h"
#include "scratch.h"

NPU__FN int64_t npu__mfcc_option(const npu__ctx *c, const char *key) {
    return npu__flex_i64(npu__flex_get(npu__flex_root(c->node->custom, c->node->custom_bytes), key), 0);
}

/* ---- AudioSpectrogram: samples [n, channels] to [channels, windows, fft / 2 + 1] ---- */

#define NPU__SPECTROGRAM_MAX (1 << 24) /* samples of a window */

typedef struct npu__spectrogram {
    int32_t window, stride, fft, n_windows, squared;
    int32_t hann, roots, line; /* slots: the window's weights, those of the transform, one transform */
} npu__spectrogram;

NPU__FN npu_status npu__spectrogram_sizes(npu__ctx *c, npu__spectrogram *d) {
    const int64_t window = npu__mfcc_option(c, "window_size"), stride = npu__mfcc_option(c, "stride");
    int64_t       rest;
    NPU__TRY(npu__need_rank(c, c->in[0], "input", 2, 2));
    if (window < 2 || window > NPU__SPECTROGRAM_MAX || stride < 1 || stride > INT32_MAX) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "audio_spectrogram.window",
                         "window_size must be in [2, %d] and stride positive: got %l and %l", NPU__SPECTROGRAM_MAX, window, stride);
    }
    memset(d, 0, sizeof *d);
    d->window = (int32_t)window;
    d->stride = (int32_t)stride;
    d->squared = npu__flex_bool(npu__flex_get(npu__flex_root(c->node->custom, c->node->custom_bytes), "magnitude_squared"), 0);
    for (d->fft = 2; d->fft < d->window;) d->fft *= 2;
    rest = (int64_t)c->in[0]->shape.dims[0] - window;
    d->n_windows = rest < 0 ? 0 : (int32_t)(1 + rest / stride);
    return NPU_OK;
}

NPU__FN npu_status npu__spectrogram_infer(npu__ctx *c) {
    npu__spectrogram d;
    npu__shape       s;
    NPU__TRY(npu__spectrogram_sizes(c, &d));
    s = npu__shape_make(3, c->in[0]->shape.dims[1], d.n_windows, 1 + d.fft / 2, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__spectrogram_prepare(npu__ctx *c) {
    npu__spectrogram *d = (npu__spectrogram *)c->data;
    NPU__TRY(npu__need_type(c, c->in[0], "input", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->out[0], "output", NPU_FLOAT32));
    NPU__TRY(npu__spectrogram_sizes(c, d));
    NPU__TRY(npu__want_array(c, 0, d->window, 1, sizeof(double), &d->hann));
    NPU__TRY(npu__want_array(c, 0, d->fft / 2, 1, sizeof(npu__complex), &d->roots));
    return npu__want_array(c, 0, d->fft, 1, sizeof(npu__complex), &d->line);
}

/* hann: one period of a raised cosine; roots[k] = exp(-2 pi i k / fft). */
NPU__FN npu_status npu__spectrogram_tables(npu__ctx *c, const npu__spectrogram *d, double *hann, npu__complex *roots) {
    const double turn = 6.283185307179586476925;
    int64_t      done = 0;
    for (int32_t i = 0; i < d->window; i++) {
        hann[i] = 0.5 - 0.5 * cos(turn * (double)i / (double)d->window);
        NPU__POLL_PASS(c, done, 16);
    }
    for (int32_t k = 0; k < d->fft / 2; k++) {
        roots[k].re = cos(turn * (double)k / (double)d->fft);
        roots[k].im = -sin(turn * (double)k / (double)d->fft);
        NPU__POLL_PASS(c, done, 32);
    }
    return NPU_OK;
}

/* Steps of one transform. */
NPU__FN int64_t npu__spectrogram_steps(const npu__spectrogram *d) {
    int64_t levels = 1;
    for (int32_t n = 1; n < d->fft; n *= 2) levels++;
    return npu__sat_mul(d->fft, levels);
}

NPU__FN npu_status npu__spectrogram_eval(npu__ctx *c) {
    const npu__spectrogram *d = (const npu__spectrogram *)c->data;
    double                 *hann = (double *)npu__slot(c, d->hann);
    npu__complex           *roots = (npu__complex *)npu__slot(c, d->roots), *line = (npu__complex *)npu__slot(c, d->line);
    const int32_t           channels = c->in[0]->shape.dims[1];
    const int64_t           steps = npu__spectrogram_steps(d);
    float                  *out = (float *)c->out[0]->data;
    int64_t                 done = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    NPU__TRY(npu__spectrogram_tables(c, d, hann, roots));
    for (int32_t channel = 0; channel < channels; channel++) {
        for (int32_t w = 0; w < d->n_windows; w++) {
            const float *x = (const float *)c->in[0]->data + (int64_t)w * d->stride * channels + channel;
            for (int32_t i = 0; i < d->fft; i++) {
                line[i].re = i < d->window ? (double)x[(int64_t)i * channels] * hann[i] : 0.0;
                line[i].im = 0.0;
            }
            npu__fft64(npu__fft64_select(npu__ctx_isa(c)), line, d->fft, roots, d->fft);
            for (int32_t k = 0; k <= d->fft / 2; k++) {
                const float energy = (float)(line[k].re * line[k].re + line[k].im * line[k].im);
                *out++ = d->squared ? energy : sqrtf(energy);
            }
            NPU__POLL_PASS(c, done, steps);
        }
    }
    return NPU_OK;
}

NPU__FN npu__work npu__spectrogram_count(const npu__ctx *c) {
    const npu__spectrogram *d = (const npu__spectrogram *)c->data;
    const int64_t           windows = npu__sat_mul(npu__dim(c->in[0], 1), d->n_windows);
    return npu__work_steps(c, npu__sat_add(npu__sat_mul(windows, npu__spectrogram_steps(d)), 32 * (int64_t)d->fft));
}

NPU__OPDEF(npu__op_audio_spectrogram) = {1, 1, 1, 1, 0, 0, NPU__DATA(npu__spectrogram), npu__spectrogram_infer,
                                         npu__spectrogram_prepare, NULL, npu__spectrogram_eval, npu__spectrogram_count};

/* ---- Mfcc: energies [channels, windows, n], the rate of the samples; to [channels, windows, coefficients] ---- */

typedef struct npu__mfcc {
    int32_t n, channels, coefficients;
    int32_t centers, weights, bands, energies, cosines; /* slots */
    float   low, high; /* Hz */
} npu__mfcc;

NPU__FN npu_status npu__mfcc_infer(npu__ctx *c) {
    const int64_t n = npu__mfcc_option(c, "dct_coefficient_count");
    npu__shape    s;
    NPU__TRY(npu__need_rank(c, c->in[0], "spectrogram", 3, 3));
    if (n < 1 || n > INT32_MAX) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "mfcc.coefficients", "dct_coefficient_count must be positive: got %l", n);
    }
    s = c->in[0]->shape;
    s.dims[2] = (int32_t)n;
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__mfcc_prepare(npu__ctx *c) {
    npu__mfcc    *d = (npu__mfcc *)c->data;
    const int64_t low = npu__mfcc_option(c, "lower_frequency_limit"), high = npu__mfcc_option(c, "upper_frequency_limit");
    const int64_t channels = npu__mfcc_option(c, "filterbank_channel_count");
    NPU__TRY(npu__need_type(c, c->in[0], "spectrogram", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->in[1], "sample rate", NPU_INT32));
    NPU__TRY(npu__need_type(c, c->out[0], "output", NPU_FLOAT32));
    d->n = c->in[0]->shape.dims[2];
    d->coefficients = c->out[0]->shape.dims[2];
    if (npu__elems(c->in[1]) != 1 || d->n < 2) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "mfcc.shape", "there must be one sample rate and two frequencies: got %l and %d",
                         npu__elems(c->in[1]), d->n);
    }
    if (channels < d->coefficients || channels >= INT32_MAX || low < 0 || high <= low) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "mfcc.options",
                         "the filter bank must have a channel for each of %d coefficients, and end (%l Hz) behind its beginning "
                         "(%l Hz): got %l", d->coefficients, high, low, channels);
    }
    d->channels = (int32_t)channels;
    d->low = (float)low;
    d->high = (float)high;
    NPU__TRY(npu__want_array(c, 0, channels + 1, 1, sizeof(double), &d->centers));
    NPU__TRY(npu__want_array(c, 0, d->n, 1, sizeof(double), &d->weights));
    NPU__TRY(npu__want_array(c, 0, d->n, 1, sizeof(int32_t), &d->bands));
    NPU__TRY(npu__want_array(c, 0, channels, 1, sizeof(double), &d->energies));
    return npu__want_array(c, 0, d->coefficients, channels, sizeof(double), &d->cosines);
}

NPU__INLINE double npu__mfcc_mel(double hz) { return 1127.0 * log1p(hz / 700.0); }

/* Frequencies that count, [first, last]; bands[i]: the channel whose centre is the last one below (-1: the first is above);
 * weights[i]: its part, of which the next channel has the rest. */
typedef struct npu__mfcc_bank {
    double  *centers, *weights, *energies, *cosines;
    int32_t *bands;
    int32_t  first, last;
} npu__mfcc_bank;

/* Not beyond n, and cut as TFLite cuts it. */
NPU__INLINE int32_t npu__mfcc_bin(double x, int32_t n) { return x < (double)n ? (int32_t)x : n; }

NPU__FN npu_status npu__mfcc_fill(npu__ctx *c, const npu__mfcc *d, int32_t rate, npu__mfcc_bank *b) {
    const double low = npu__mfcc_mel((double)d->low), span = npu__mfcc_mel((double)d->high) - low;
    const double hz = 0.5 * (double)rate / (double)(d->n - 1), norm = sqrt(2.0 / (double)d->channels);
    const double arc = 3.141592653589793238463 / (double)d->channels;
    int32_t      channel = 0;
    int64_t      done = 0;
    for (int32_t i = 0; i <= d->channels; i++) b->centers[i] = low + span / ((double)d->channels + 1.0) * (double)(i + 1);
    b->first = npu__mfcc_bin(1.5 + (double)d->low / hz, d->n);
    b->last = npu__mfcc_bin((double)d->high / hz, d->n);
    for (int32_t i = b->first; i <= NPU__MIN(b->last, d->n - 1); i++) {
        const double mel = npu__mfcc_mel((double)i * hz);
        double       below;
        while (channel < d->channels && b->centers[channel] < mel) channel++;
        below = channel > 0 ? b->centers[channel - 1] : low;
        b->bands[i] = channel - 1;
        b->weights[i] = (b->centers[channel] - mel) / (b->centers[channel] - below);
        NPU__POLL_PASS(c, done, 32);
    }
    for (int32_t i = 0; i < d->coefficients; i++) {
        for (int32_t k = 0; k < d->channels; k++) {
            b->cosines[(int64_t)i * d->channels + k] = norm * cos((double)i * arc * ((double)k + 0.5));
            NPU__POLL_PASS(c, done, 16);
        }
    }
    return NPU_OK;
}

/* One window's coefficients. */
NPU__FN void npu__mfcc_window(const npu__mfcc *d, const npu__mfcc_bank *b, const float *in, float *out) {
    for (int32_t k = 0; k < d->channels; k++) b->energies[k] = 0.0;
    for (int32_t i = b->first; i <= b->last; i++) {
        const double  v = sqrt((double)in[i]), part = v * b->weights[i];
        const int32_t k = b->bands[i];
        if (k >= 0) b->energies[k] += part;
        if (k + 1 < d->channels) b->energies[k + 1] += v - part;
    }
    for (int32_t k = 0; k < d->channels; k++) b->energies[k] = log(b->energies[k] < 1e-12 ? 1e-12 : b->energies[k]);
    for (int32_t i = 0; i < d->coefficients; i++) {
        double sum = 0.0;
        for (int32_t k = 0; k < d->channels; k++) sum += b->cosines[(int64_t)i * d->channels + k] * b->energies[k];
        out[i] = (float)sum;
    }
}

/* Steps of one window. */
NPU__FN int64_t npu__mfcc_steps(const npu__mfcc *d) {
    return npu__sat_add(npu__sat_mul(d->coefficients, d->channels), 16 * ((int64_t)d->n + d->channels));
}

NPU__FN npu_status npu__mfcc_eval(npu__ctx *c) {
    const npu__mfcc *d = (const npu__mfcc *)c->data;
    const int64_t    rows = npu__dims_product(&c->in[0]->shape, 0, 2), steps = npu__mfcc_steps(d);
    const float     *in = (const float *)c->in[0]->data;
    float           *out = (float *)c->out[0]->data;
    npu__mfcc_bank   bank;
    int32_t          rate;
    memcpy(&rate, c->in[1]->data, sizeof rate);
    if (rate < 1) return NPU__FAIL(c, NPU_BAD_INPUT, "mfcc.rate", "the sample rate must be positive: got %d", rate);
    bank.centers = (double *)npu__slot(c, d->centers);
    bank.weights = (double *)npu__slot(c, d->weights);
    bank.bands = (int32_t *)npu__slot(c, d->bands);
    bank.energies = (double *)npu__slot(c, d->energies);
    bank.cosines = (double *)npu__slot(c, d->cosines);
    NPU__TRY(npu__mfcc_fill(c, d, rate, &bank));
    for (int64_t row = 0; row < rows; row++, in += d->n, out += d->coefficients) {
        /* Where the spectrogram ends before the filter bank, TFLite gives zeros. */
        if (bank.last >= d->n) memset(out, 0, (size_t)d->coefficients * sizeof(float));
        else npu__mfcc_window(d, &bank, in, out);
        NPU__POLL(c, steps);
    }
    return NPU_OK;
}

NPU__FN npu__work npu__mfcc_count(const npu__ctx *c) {
    const npu__mfcc *d = (const npu__mfcc *)c->data;
    const int64_t    rows = npu__dims_product(&c->in[0]->shape, 0, 2), fill = npu__sat_mul(d->coefficients, d->channels);
    return npu__work_steps(c, npu__sat_add(npu__sat_mul(rows, npu__mfcc_steps(d)), npu__sat_mul(16, fill)));
}

NPU__OPDEF(npu__op_mfcc) = {2, 2, 1, 1, 0, 0, NPU__DATA(npu__mfcc), npu__mfcc_infer, npu__mfcc_prepare, NULL, npu__mfcc_eval,
                            npu__mfcc_count};
