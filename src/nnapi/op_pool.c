/* nnapi.pool: AVERAGE_POOL_2D and L2_POOL_2D with padding in numbers that is not what SAME gives: padding does not count. */
#include "kernel.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

typedef struct npu__nn_pool {
    int64_t n, h, w, channels, out_h, out_w, filter_h, filter_w, stride_h, stride_w, left, top;
    int     nchw;
} npu__nn_pool;

NPU__FN void npu__nn_pool_sizes(const npu_call *call, npu__nn_pool *d) {
    d->nchw = npu__nn_k_int(call, "nchw") != 0;
    d->n = npu__nn_k_dim(call, 0, 0);
    d->h = npu__nn_k_dim(call, 0, d->nchw ? 2 : 1);
    d->w = npu__nn_k_dim(call, 0, d->nchw ? 3 : 2);
    d->channels = npu__nn_k_dim(call, 0, d->nchw ? 1 : 3);
    d->filter_h = npu__nn_k_int(call, "filter_height");
    d->filter_w = npu__nn_k_int(call, "filter_width");
    d->stride_h = npu__nn_k_int(call, "stride_h");
    d->stride_w = npu__nn_k_int(call, "stride_w");
    d->left = npu__nn_k_int(call, "left");
    d->top = npu__nn_k_int(call, "top");
    /* The maker saw that padding is at most 2^20, the rest from 1 to INT32_MAX. */
    d->out_h = d->h + d->top + npu__nn_k_int(call, "bottom") - d->filter_h;
    d->out_w = d->w + d->left + npu__nn_k_int(call, "right") - d->filter_w;
    d->out_h = d->out_h < 0 ? 0 : d->out_h / d->stride_h + 1;
    d->out_w = d->out_w < 0 ? 0 : d->out_w / d->stride_w + 1;
}

NPU__FN npu_status npu__nn_pool_infer(void *user, npu_call *call) {
    npu__nn_pool d;
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 4, -1, -1));
    npu__nn_pool_sizes(call, &d);
    if (d.nchw) return npu__nn_k_shape(call, 0, 4, d.n, d.channels, d.out_h, d.out_w);
    return npu__nn_k_shape(call, 0, 4, d.n, d.out_h, d.out_w, d.channels);
}

NPU__FN npu_status npu__nn_pool_prepare(void *user, npu_call *call) {
    (void)user;
    return npu__nn_k_prepare(call, 0);
}

/* One cell: the mean of its values, or the root of the mean of their squares; 0 where all of it is padding. */
NPU__FN float npu__nn_pool_cell(const npu__nn_pool *d, const float *map, int64_t y, int64_t x, int squares) {
    const int64_t row = d->nchw ? d->w : d->w * d->channels, column = d->nchw ? 1 : d->channels; /* bounded: the map */
    const int64_t top = NPU__MAX(y, 0), bottom = NPU__MIN(y + d->filter_h, d->h);
    const int64_t left = NPU__MAX(x, 0), right = NPU__MIN(x + d->filter_w, d->w);
    float         sum = 0.0f;
    if (top >= bottom || left >= right) return 0.0f;
    for (int64_t i = top; i < bottom; i++) {
        for (int64_t k = left; k < right; k++) {
            const float v = map[i * row + k * column];
            sum += squares ? v * v : v;
        }
    }
    sum /= (float)((bottom - top) * (right - left)); /* bounded: the map */
    return squares ? sqrtf(sum) : sum;
}

NPU__FN npu_status npu__nn_pool_eval(void *user, npu_call *call) {
    const int32_t act = (int32_t)npu__nn_k_int(call, "fused_activation_function");
    const int     squares = npu__nn_k_int(call, "squares") != 0;
    const float  *in;
    float        *out = npu__nn_k_out(call, 0);
    npu__nn_pool  d;
    int64_t       done = 0, cells, all;
    (void)user;
    npu__nn_pool_sizes(call, &d);
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &in));
    cells = d.out_h * d.out_w; /* bounded: elements of the output */
    all = d.n * d.channels * cells;
    for (int64_t i = 0; i < all; i++) {
        const int64_t cell = d.nchw ? i % cells : i / d.channels % cells, c = d.nchw ? i / cells % d.channels : i % d.channels;
        const int64_t n = i / (cells * d.channels), y = cell / d.out_w * d.stride_h - d.top, x = cell % d.out_w * d.stride_w - d.left;
        const float  *map = in + n * d.h * d.w * d.channels + (d.nchw ? c * d.h * d.w : c);
        out[i] = npu__nn_k_act(act, npu__nn_pool_cell(&d, map, y, x, squares));
        if (!npu__nn_k_poll(call, &done, NPU__MIN(d.filter_h, d.h) * NPU__MIN(d.filter_w, d.w) + 8)) return NPU_CANCELLED;
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_pool_work(void *user, const npu_call *call) {
    npu__nn_pool d;
    (void)user;
    npu__nn_pool_sizes(call, &d);
    return npu__sat_mul(npu__sat_mul(npu__sat_mul(d.n, d.channels), npu__sat_mul(d.out_h, d.out_w)),
                        npu__sat_mul(NPU__MIN(d.filter_h, d.h), NPU__MIN(d.filter_w, d.w)) + 8);
}

#endif
