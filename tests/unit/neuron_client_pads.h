/* An adapter that pads: its buffers are larger, and hold the values apart. */
#ifndef NEURON_CLIENT_PADS_H
#define NEURON_CLIENT_PADS_H

#include "neuron_client_kit.h"

static struct {
    uint32_t dims[2][4];  /* of the input, of the output */
    size_t   size[2];
    int      refuse;      /* operation that it does not take, 1 more; 0: none */
    uint8_t *in, *out;
    size_t   in_bytes, out_bytes;
    uint8_t  plain_in[5 * 7 * 3], plain_out[BYTES];
} pad;

static int pad_dims_in(void *c, int32_t i, uint32_t *d) { (void)c, (void)i; memcpy(d, pad.dims[0], 16); return 0; }
static int pad_dims_out(void *c, int32_t i, uint32_t *d) { (void)c, (void)i; memcpy(d, pad.dims[1], 16); return 0; }
static int pad_size_in(void *c, int32_t i, size_t *n) { (void)c, (void)i; *n = pad.size[0]; return 0; }
static int pad_size_out(void *c, int32_t i, size_t *n) { (void)c, (void)i; *n = pad.size[1]; return 0; }
static int pad_in(void *e, int32_t i, const npu_neuron_operand *t, const void *p, size_t n) {
    pad.in = (uint8_t *)(uintptr_t)p;
    pad.in_bytes = n;
    return npu__nsw_NeuronExecution_setInput(e, i, t, pad.plain_in, sizeof pad.plain_in);
}
static int pad_out(void *e, int32_t i, const npu_neuron_operand *t, void *p, size_t n) {
    pad.out = (uint8_t *)p;
    pad.out_bytes = n;
    return npu__nsw_NeuronExecution_setOutput(e, i, t, pad.plain_out, sizeof pad.plain_out);
}
static void pad_copy(uint8_t *plain, uint8_t *padded, const uint32_t *d, uint32_t channels, int out) {
    for (uint32_t y = 0; y < 5; y++) {
        for (uint32_t x = 0; x < 7; x++) {
            uint8_t *p = plain + (y * 7 + x) * channels, *q = padded + (y * d[2] + x) * d[3];
            if (out) memcpy(q, p, channels);
            else memcpy(p, q, channels);
        }
    }
}
static int pad_compute(void *e) {
    int r;
    pad_copy(pad.plain_in, pad.in, pad.dims[0], 3, 0);
    r = npu__nsw_NeuronExecution_compute(e);
    pad_copy(pad.plain_out, pad.out, pad.dims[1], 4, 1);
    return r;
}
static int pad_supported(void *c, uint32_t n, uint8_t *supported) {
    const int r = npu__nsw_NeuronCompilation_getSupportedOperations(c, n, supported);
    if (pad.refuse > 0) supported[pad.refuse - 1] = 0;
    return r;
}

static npu_neuron_driver padding(uint32_t h, uint32_t w, uint32_t c) {
    npu_neuron_driver d = counting;
    memset(&pad, 0, sizeof pad);
    for (int i = 0; i < 2; i++) {
        pad.dims[i][0] = 1;
        pad.dims[i][1] = h;
        pad.dims[i][2] = w;
        pad.dims[i][3] = c;
        pad.size[i] = (size_t)h * w * c;
    }
    d.NeuronCompilation_getInputPaddedDimensions = pad_dims_in;
    d.NeuronCompilation_getOutputPaddedDimensions = pad_dims_out;
    d.NeuronCompilation_getInputPaddedSize = pad_size_in;
    d.NeuronCompilation_getOutputPaddedSize = pad_size_out;
    d.NeuronExecution_setInput = pad_in;
    d.NeuronExecution_setOutput = pad_out;
    d.NeuronExecution_compute = pad_compute;
    d.NeuronCompilation_getSupportedOperations = pad_supported;
    return d;
}

#endif
