/* nnapi.pool: AVERAGE_POOL_2D and L2_POOL_2D with padding in numbers that is not what SAME gives: padding does not count. */
#include "kernel.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

typedef struct npu__nn_pool {
    npu__nn_maps in, out;
    int64_t      filter_h, filter_w, stride_h, stride_w, left, top;
} npu__nn_pool;

NPU__FN void npu__nn_pool_sizes(const npu_call *call, npu__nn_pool *d) {
    int64_t h, w;
    d->in = npu__nn_k_maps(call);
    d->filter_h = npu__nn_k_int(call, "filter_height");
    d->filter_w = npu__nn_k_int(call, "filter_width");
    d->stride_h = npu__nn_k_int(call, "stride_h");
    d->stride_w = npu__nn_k_int(call, "stride_w");
    d->left = npu__nn_k_int(call, "left");
    d->top = npu__nn_k_int(call, "top");
    /* The maker saw that padding is at most 2^20, the rest from 1 to INT32_MAX. */
    h = d->in.h + d->top + npu__nn_k_int(call, "bottom") - d->filter_h;
    w = d->in.w + d->left + npu__nn_k_int(call, "right") - d->filter_w;
    d->out = npu__nn_k_maps_of(d->in.n, h < 0 ? 0 : h / d->stride_h + 1, w < 0 ? 0 : w / d->stride_w + 1, d->in.channels, d->in.nchw);
}

NPU__FN npu_status npu__nn_pool_infer(void *user, npu_call *call) {
    npu__nn_pool d;
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 4, -1, -1));
    npu__nn_pool_sizes(call, &d);
    return npu__nn_k_maps_shape(call, &d.out);
}

NPU__FN npu_status npu__nn_pool_prepare(void *user, npu_call *call) {
    (void)user;
    return npu__nn_k_prepare(call, 0);
}

/* One cell: the mean of its values, or the root of the mean of their squares; 0 where all of it is padding. */
NPU__FN float npu__nn_pool_cell(const npu__nn_pool *d, const float *map, int64_t y, int64_t x, int squares) {
    const int64_t top = NPU__MAX(y, 0), bottom = NPU__MIN(y + d->filter_h, d->in.h);
    const int64_t left = NPU__MAX(x, 0), right = NPU__MIN(x + d->filter_w, d->in.w);
    float         sum = 0.0f;
    if (top >= bottom || left >= right) return 0.0f;
    for (int64_t i = top; i < bottom; i++) {
        for (int64_t k = left; k < right; k++) {
            const float v = map[i * d->in.row + k * d->in.column]; /* bounded: the map, here and below */
            sum += squares ? v * v : v;
        }
    }
    sum /= (float)((bottom - top) * (right - left));
    return squares ? sqrtf(sum) : sum;
}

NPU__FN npu_status npu__nn_pool_eval(void *user, npu_call *call) {
    const int32_t act = (int32_t)npu__nn_k_int(call, "fused_activation_function");
    const int     squares = npu__nn_k_int(call, "squares") != 0;
    const float  *in;
    float        *out = npu__nn_k_out(call, 0);
    npu__nn_pool  d;
    int64_t       done = 0, steps, cells, all;
    (void)user;
    npu__nn_pool_sizes(call, &d);
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &in));
    steps = NPU__MIN(d.filter_h, d.in.h) * NPU__MIN(d.filter_w, d.in.w) + 8; /* bounded: elements of tensors, here and below */
    cells = d.out.h * d.out.w;
    all = d.out.n * d.out.map;
    for (int64_t i = 0; i < all; i++) { /* map after map, cell after cell, its channels */
        const int64_t n = i / d.out.map, c = i % d.out.channels, cell = i / d.out.channels % cells, y = cell / d.out.w, x = cell % d.out.w;
        const float  *map = in + n * d.in.map + c * d.in.channel;
        const float   v = npu__nn_pool_cell(&d, map, y * d.stride_h - d.top, x * d.stride_w - d.left, squares);
        out[n * d.out.map + y * d.out.row + x * d.out.column + c * d.out.channel] = npu__nn_k_act(act, v);
        if (!npu__nn_k_poll(call, &done, steps)) return NPU_CANCELLED;
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_pool_work(void *user, const npu_call *call) {
    npu__nn_pool d;
    (void)user;
    npu__nn_pool_sizes(call, &d);
    return npu__sat_mul(npu__sat_mul(d.out.n, d.out.map), npu__sat_mul(NPU__MIN(d.filter_h, d.in.h), NPU__MIN(d.filter_w, d.in.w)) + 8);
}

#endif
