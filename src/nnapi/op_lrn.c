/* nnapi.lrn: LOCAL_RESPONSE_NORMALIZATION along any axis. The window is as wide before an element as behind it; that of TFLite's
 * operator is not. */
#include "kernel.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

/* Elements along the axis, and how far apart they are. */
NPU__FN void npu__nn_lrn_sizes(const npu_call *call, int32_t *axis, int64_t *n, int64_t *step) {
    int64_t    at = -1;
    npu_tensor t;
    npu_call_input(call, 0, &t);
    npu_call_option_int(call, "axis", &at);
    if (at < 0) at += t.rank;
    *axis = at >= 0 && at < t.rank ? (int32_t)at : -1;
    *n = *step = 1;
    if (*axis < 0) return;
    *n = t.dims[*axis];
    for (int32_t i = *axis + 1; i < t.rank; i++) *step *= t.dims[i]; /* bounded: elements of a tensor */
}

NPU__FN npu_status npu__nn_lrn_infer(void *user, npu_call *call) {
    npu_tensor t;
    (void)user;
    npu_call_input(call, 0, &t);
    return npu_call_set_shape(call, 0, t.rank, t.dims);
}

NPU__FN npu_status npu__nn_lrn_prepare(void *user, npu_call *call) {
    int32_t axis;
    int64_t n, step;
    (void)user;
    npu__nn_lrn_sizes(call, &axis, &n, &step);
    if (axis < 0 || npu__nn_k_int(call, "radius") < 0) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.lrn", "its data must have the axis, and the radius must not be negative");
    }
    return npu__nn_k_prepare(call, 0);
}

NPU__FN npu_status npu__nn_lrn_eval(void *user, npu_call *call) {
    const float bias = npu__nn_k_real(call, "bias"), alpha = npu__nn_k_real(call, "alpha"), beta = npu__nn_k_real(call, "beta");
    const float *in;
    float       *out = npu__nn_k_out(call, 0);
    npu_tensor   t;
    int32_t      axis;
    int64_t      n, step, radius = npu__nn_k_int(call, "radius"), done = 0, all;
    (void)user;
    npu__nn_lrn_sizes(call, &axis, &n, &step);
    npu_call_input(call, 0, &t);
    all = npu__nn_k_count(&t);
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &in));
    if (radius > n) radius = n;
    for (int64_t i = 0; i < all; i++) {
        const int64_t at = i / step % n, first = NPU__MAX(at - radius, 0), last = NPU__MIN(at + radius, n - 1);
        float         sum = 0.0f;
        for (int64_t k = first; k <= last; k++) sum += in[i + (k - at) * step] * in[i + (k - at) * step];
        out[i] = in[i] * powf(bias + alpha * sum, -beta);
        if (!npu__nn_k_poll(call, &done, last - first + 17)) return NPU_CANCELLED;
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_lrn_work(void *user, const npu_call *call) {
    const int64_t radius = npu__nn_k_int(call, "radius");
    npu_tensor    t;
    int32_t       axis;
    int64_t       n, step;
    (void)user;
    npu__nn_lrn_sizes(call, &axis, &n, &step);
    npu_call_input(call, 0, &t);
    return npu__sat_mul(npu__nn_k_count(&t), 17 + 2 * NPU__MIN(radius, n));
}

#endif
