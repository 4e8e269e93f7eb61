/* Mel filter bank and what follows it: square root, noise subtraction, gain control, logarithm. */
#include "signal.h"

NPU__FN int npu__filter_bank_ok(const npu__filter_bank *bank) {
    for (int32_t c = 0; c <= bank->channels; c++) {
        if (bank->width[c] <= 0) continue; /* an empty band reads nothing */
        if (bank->freq_start[c] < 0 || bank->freq_start[c] + bank->width[c] > bank->n_in) return 0;
        if (bank->weight_start[c] < 0 || bank->weight_start[c] + bank->width[c] > bank->n_weights) return 0;
    }
    return 1;
}

/* Bands are triangles that overlap by half: each bin gives `weight` to one channel and `unweight` to the next. The
 * first sum of all only feeds that "next", so it has no output. */
NPU__FN void npu__filter_bank_run(const npu__filter_bank *bank, const uint32_t *in, uint64_t *out) {
    uint64_t carried = 0;
    for (int32_t c = 0; c <= bank->channels; c++) {
        uint64_t sum = carried, next = 0;
        for (int32_t j = 0; j < bank->width[c]; j++) {
            uint64_t x = in[bank->freq_start[c] + j];
            sum += (uint64_t)(int64_t)bank->weights[bank->weight_start[c] + j] * x;
            next += (uint64_t)(int64_t)bank->unweights[bank->weight_start[c] + j] * x;
        }
        if (c > 0) out[c - 1] = sum;
        carried = next;
    }
}

/* Rounded to nearest, but never beyond the widest half-size word: 16 bits for arguments below 2^32, else 32. */
NPU__FN uint32_t npu__signal_sqrt(uint64_t x) {
    const uint64_t most = 0xFFFFFFFFu, top = x >> 32 ? most : 0xFFFFu;
    const double   guess = sqrt((double)x); /* off by one at most: its argument has 53 bits */
    uint64_t       root = guess < 4294967295.0 ? (uint64_t)guess : most, rest;
    while (root * root > x) root--;
    while (root < most && (root + 1) * (root + 1) <= x) root++;
    rest = x - root * root;
    if (rest > root && root != top) root++;
    return (uint32_t)root;
}

NPU__FN void npu__spectral_subtraction_run(const npu__spectral_subtraction *s, const uint32_t *in, int64_t n,
                                           uint32_t *estimate, uint32_t *out) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t signal = in[i] << s->smoothing_bits, noise, least, left;
        /* Odd and even channels have their own smoothing (the options that begin with "alternate"). */
        noise = (uint32_t)(((uint64_t)signal * s->smoothing[i & 1] +
                            (uint64_t)estimate[i] * s->one_minus_smoothing[i & 1]) >> s->bits);
        estimate[i] = noise;
        if (noise > signal) {
            noise = signal;
            if (s->clamping) estimate[i] = noise;
        }
        least = (uint32_t)(((uint64_t)in[i] * s->min_remaining) >> s->bits);
        left = (signal - noise) >> s->smoothing_bits;
        out[i] = NPU__MAX(left, least);
    }
}

/* Gain for a noise level: a parabola per octave, three coefficients each, 10 bits of position inside the octave. */
NPU__FN int16_t npu__pcan_gain(uint32_t x, const int16_t *lut) {
    const int32_t octave = npu__signal_msb(x);
    int32_t       at, v;
    if (x <= 2) return lut[x];
    at = (int32_t)((octave < 11 ? x << (11 - octave) : x >> (octave - 11)) & 0x3FF);
    lut += 4 * octave - 6;
    v = (int32_t)lut[2] * at >> 5;
    v += (int32_t)lut[1] * 32;
    v = (v * at + (1 << 14)) >> 15;
    return (int16_t)(v + lut[0]);
}

/* The ratio has 12 fractional bits, the result 6: x^2 / 4 below 2, x - 1 above. */
NPU__FN uint32_t npu__pcan(uint32_t x, uint32_t noise, const int16_t *lut, int32_t snr_shift) {
    uint32_t gain = (uint32_t)(int32_t)npu__pcan_gain(noise, lut);
    uint32_t snr = (uint32_t)(((uint64_t)x * gain) >> snr_shift);
    return snr < 2u << 12 ? (snr * snr) >> 20 : (snr >> 6) - (1u << 6);
}

/* log2(1 + i/128) - i/128 in 1/65536, i = 0..128, and a neighbour for the last. */
static const uint16_t npu__signal_log_bow[130] = {
    0, 224, 442, 654, 861, 1063, 1259, 1450, 1636, 1817, 1992, 2163, 2329, 2490, 2646, 2797,
    2944, 3087, 3224, 3358, 3487, 3611, 3732, 3848, 3960, 4068, 4172, 4272, 4368, 4460, 4549, 4633,
    4714, 4791, 4864, 4934, 5001, 5063, 5123, 5178, 5231, 5280, 5326, 5368, 5408, 5444, 5477, 5507,
    5533, 5557, 5578, 5595, 5610, 5622, 5631, 5637, 5640, 5641, 5638, 5633, 5626, 5615, 5602, 5586,
    5568, 5547, 5524, 5498, 5470, 5439, 5406, 5370, 5332, 5291, 5249, 5203, 5156, 5106, 5054, 5000,
    4944, 4885, 4825, 4762, 4697, 4630, 4561, 4490, 4416, 4341, 4264, 4184, 4103, 4020, 3935, 3848,
    3759, 3668, 3575, 3481, 3384, 3286, 3186, 3084, 2981, 2875, 2768, 2659, 2549, 2437, 2323, 2207,
    2090, 1971, 1851, 1729, 1605, 1480, 1353, 1224, 1094, 963, 830, 695, 559, 421, 282, 142,
    0, 0
};

NPU__FN uint32_t npu__signal_log(uint32_t x, uint32_t scale) {
    int32_t  whole = npu__signal_msb(x) - 1, part, segment, c0, c1;
    uint32_t log2_x, log_x;
    part = (int32_t)(x - (1u << whole)); /* below 2^31: the top bit is gone */
    /* The fraction of the logarithm's argument in Q.16: log2(1 + f) is f plus the bow, interpolated between 128 entries. */
    part = whole < 16 ? part << (16 - whole) : part >> (whole - 16);
    segment = part >> 9;
    c0 = npu__signal_log_bow[segment];
    c1 = npu__signal_log_bow[segment + 1];
    part += c0 + (((c1 - c0) * (part - segment * 512)) >> 16);
    log2_x = ((uint32_t)whole << 16) + (uint32_t)part;
    log_x = (uint32_t)(((uint64_t)45426 * log2_x + 32768) >> 16); /* ln 2 in 1/65536 */
    return (scale * log_x + 32768) >> 16;
}
