/* SignalWindow, SignalFftAutoScale and SignalEnergy: what surrounds the FFT of an audio front end. */
#include "../kernels/signal.h"
#include "signal_util.h"

/* ---- SignalWindow ---- */

typedef struct npu__signal_window_data { const char *kernel; int32_t shift; } npu__signal_window_data;

NPU__FN npu_status npu__signal_window_prepare(npu__ctx *c) {
    npu__signal_window_data *d = (npu__signal_window_data *)c->data;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_opt(c, "shift", 0, 31, &d->shift));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_INT16, 1, NPU_MAX_RANK));
    NPU__TRY(npu__signal_io(c, c->in[1], "the window", NPU_INT16, 1, 1));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", NPU_INT16));
    if (npu__elems(c->in[0]) > 0 && (npu__elems(c->in[1]) == 0 || npu__elems(c->in[0]) % npu__elems(c->in[1]) != 0)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_window.length",
                         "the input must be whole windows: got %l samples for a window of %l", npu__elems(c->in[0]),
                         npu__elems(c->in[1]));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__signal_window_eval(npu__ctx *c) {
    const npu__signal_window_data *d = (const npu__signal_window_data *)c->data;
    npu__signal_window((const int16_t *)c->in[0]->data, (const int16_t *)c->in[1]->data, npu__elems(c->in[0]),
                       npu__elems(c->in[1]), d->shift, (int16_t *)c->out[0]->data);
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_window) = {
    2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_window_data),
    npu__infer_same_as_in0, npu__signal_window_prepare, NULL, npu__signal_window_eval, NULL};

/* ---- SignalFftAutoScale ---- */

NPU__FN npu_status npu__signal_auto_scale_infer(npu__ctx *c) {
    npu__shape scalar = npu__shape_make(0, 0, 0, 0, 0);
    NPU__TRY(npu__set_shape(c, 0, &c->in[0]->shape));
    return npu__set_shape(c, 1, &scalar);
}

NPU__FN npu_status npu__signal_auto_scale_prepare(npu__ctx *c) {
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_INT16, 1, 1));
    NPU__TRY(npu__need_type(c, c->out[0], "output 0", NPU_INT16));
    return npu__need_type(c, c->out[1], "output 1", NPU_INT32);
}

NPU__FN npu_status npu__signal_auto_scale_eval(npu__ctx *c) {
    *(int32_t *)c->out[1]->data = npu__signal_auto_scale((const int16_t *)c->in[0]->data, npu__elems(c->in[0]),
                                                         (int16_t *)c->out[0]->data);
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_fft_auto_scale) = {
    1, 1, 2, 2, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_plain),
    npu__signal_auto_scale_infer, npu__signal_auto_scale_prepare, NULL, npu__signal_auto_scale_eval, NULL};

/* ---- SignalEnergy ---- */

typedef struct npu__signal_energy_data { const char *kernel; int32_t begin, end; } npu__signal_energy_data;

NPU__FN npu_status npu__signal_energy_infer(npu__ctx *c) {
    /* Pairs of real and imaginary parts. */
    npu__shape s = npu__shape_make(1, npu__dim(c->in[0], 0) / 2, 0, 0, 0);
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, 1));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__signal_energy_prepare(npu__ctx *c) {
    npu__signal_energy_data *d = (npu__signal_energy_data *)c->data;
    NPU__TRY(npu__signal_named(c));
    int32_t                  n = npu__dim(c->out[0], 0);
    NPU__TRY(npu__signal_opt(c, "start_index", 0, n, &d->begin));
    NPU__TRY(npu__signal_opt(c, "end_index", 0, n, &d->end));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_INT16, 1, 1));
    return npu__need_type(c, c->out[0], "the output", NPU_UINT32);
}

NPU__FN npu_status npu__signal_energy_eval(npu__ctx *c) {
    const npu__signal_energy_data *d = (const npu__signal_energy_data *)c->data;
    npu__signal_energy((const int16_t *)c->in[0]->data, d->begin, d->end, npu__elems(c->out[0]),
                       (uint32_t *)c->out[0]->data);
    return NPU_OK;
}

NPU__OPDEF(npu__op_signal_energy) = {
    1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_energy_data),
    npu__signal_energy_infer, npu__signal_energy_prepare, NULL, npu__signal_energy_eval, NULL};
