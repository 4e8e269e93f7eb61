/* Regions of feature maps: nnapi.roi (ROI_ALIGN and ROI_POOLING), nnapi.heatmap (HEATMAP_MAX_KEYPOINT), both layouts. */
#include "kernel.h"
#include "../ops/util.h"

#include <float.h>
#include <math.h>

#if NPU__HAS_NNAPI

/* ---- nnapi.roi: maps, regions [n, 4], batches [n] -> [n, height, width, channels] ---- */

typedef struct npu__nn_roi {
    npu__nn_maps in, out;
    int32_t      align, samples_h, samples_w; /* samples 0: as many as a cell is high or wide */
} npu__nn_roi;

NPU__FN void npu__nn_roi_sizes(const npu_call *call, npu__nn_roi *d) {
    d->in = npu__nn_k_maps(call);
    d->out = npu__nn_k_maps_of(npu__nn_k_dim(call, 1, 0), (int32_t)npu__nn_k_int(call, "height"), (int32_t)npu__nn_k_int(call, "width"),
                               d->in.channels, d->in.nchw);
    d->align = npu__nn_k_int(call, "align") != 0;
    d->samples_h = (int32_t)npu__nn_k_int(call, "samples_h");
    d->samples_w = (int32_t)npu__nn_k_int(call, "samples_w");
}

NPU__FN npu_status npu__nn_roi_infer(void *user, npu_call *call) {
    npu__nn_roi d;
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 4, -1, -1));
    npu__nn_roi_sizes(call, &d);
    return npu__nn_k_maps_shape(call, &d.out);
}

NPU__FN npu_status npu__nn_roi_prepare(void *user, npu_call *call) {
    const float stride_h = npu__nn_k_real(call, "stride_h"), stride_w = npu__nn_k_real(call, "stride_w");
    npu__nn_roi d;
    (void)user;
    npu__nn_roi_sizes(call, &d);
    NPU__TRY(npu__nn_k_need(call, 1, 2, (int32_t)d.out.n, 4));
    NPU__TRY(npu__nn_k_need(call, 2, 1, (int32_t)d.out.n, -1));
    NPU__TRY(npu__nn_k_indices(call, 2));
    if (d.out.h < 1 || d.out.w < 1 || d.in.h < 1 || d.in.w < 1 || d.samples_h < 0 || d.samples_w < 0 || !(stride_h > 0.0f && stride_w > 0.0f) ||
        d.samples_h > 65536 || d.samples_w > 65536) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.roi", "sizes and strides must be positive, sampling ratios from 0 to 65536");
    }
    return npu__nn_k_prepare(call, 0);
}

/* The greatest of a cell, of which `from` and `to` are the ends (rows, then columns); 0 where it is outside of the map. */
NPU__FN void npu__nn_roi_greatest(const npu__nn_roi *d, const float *map, const int32_t *from, const int32_t *to, float *out) {
    for (int32_t c = 0; c < d->in.channels; c++) {
        float most = 0.0f;
        int   first = 1;
        for (int64_t y = from[0]; y < to[0]; y++) {
            for (int64_t x = from[1]; x < to[1]; x++) {
                const float v = map[y * d->in.row + x * d->in.column + c * d->in.channel];
                if (first || v > most) most = v;
                first = 0;
            }
        }
        out[c * d->out.channel] = most;
    }
}

/* Adds the value between four places of the map. */
NPU__FN void npu__nn_roi_sample(const npu__nn_roi *d, const float *map, float y, float x, float *out) {
    /* bounded: y and x are in the map, or one behind it */
    int64_t y0 = (int64_t)y, x0 = (int64_t)x, y1 = y0 + 1, x1 = x0 + 1;
    float   dy = y - (float)y0, dx = x - (float)x0;
    if (y0 >= d->in.h - 1) {
        y0 = y1 = d->in.h - 1;
        dy = 0.0f;
    }
    if (x0 >= d->in.w - 1) {
        x0 = x1 = d->in.w - 1;
        dx = 0.0f;
    }
    for (int32_t c = 0; c < d->in.channels; c++) {
        const float *at = map + c * d->in.channel;
        out[c * d->out.channel] += (1.0f - dy) * ((1.0f - dx) * at[y0 * d->in.row + x0 * d->in.column] + dx * at[y0 * d->in.row + x1 * d->in.column]) +
                                  dy * ((1.0f - dx) * at[y1 * d->in.row + x0 * d->in.column] + dx * at[y1 * d->in.row + x1 * d->in.column]);
    }
}

/* Samples in a cell of that size. */
NPU__FN int32_t npu__nn_roi_samples(int32_t said, float size) { return said > 0 ? said : (int32_t)ceilf(size); /* bounded: the map */ }

NPU__FN npu_status npu__nn_roi_align(npu_call *call, const npu__nn_roi *d, const float *map, const float *at, float *out, int64_t *done) {
    const float   high = (at[3] - at[1] > 1.0f ? at[3] - at[1] : 1.0f) / (float)d->out.h;
    const float   wide = (at[2] - at[0] > 1.0f ? at[2] - at[0] : 1.0f) / (float)d->out.w;
    const int32_t n_h = npu__nn_roi_samples(d->samples_h, high), n_w = npu__nn_roi_samples(d->samples_w, wide);
    const float   count = (float)n_h * (float)n_w;
    for (int32_t i = 0; i < d->out.h; i++) {
        for (int32_t j = 0; j < d->out.w; j++) {
            float *to = out + i * d->out.row + j * d->out.column;
            for (int32_t c = 0; c < d->in.channels; c++) to[c * d->out.channel] = 0.0f;
            for (int32_t a = 0; a < n_h; a++) {
                const float y = at[1] + high * ((float)i + ((float)a + 0.5f) / (float)n_h);
                for (int32_t b = 0; b < n_w; b++) {
                    npu__nn_roi_sample(d, map, y, at[0] + wide * ((float)j + ((float)b + 0.5f) / (float)n_w), to);
                }
                if (!npu__nn_k_poll(call, done, npu__sat_mul(n_w, d->in.channels * 8 + 8))) return NPU_CANCELLED;
            }
            for (int32_t c = 0; c < d->in.channels; c++) to[c * d->out.channel] /= count;
        }
    }
    return NPU_OK;
}

NPU__INLINE int32_t npu__nn_roi_edge(float v, int64_t most) { return v >= (float)most ? (int32_t)most : v > 0.0f ? (int32_t)v : 0; }

NPU__FN npu_status npu__nn_roi_pool(npu_call *call, const npu__nn_roi *d, const float *map, const float *at, float *out, int64_t *done) {
    const float top = roundf(at[1]), left = roundf(at[0]);
    const float high = (roundf(at[3]) - top + 1.0f) / (float)d->out.h, wide = (roundf(at[2]) - left + 1.0f) / (float)d->out.w;
    for (int32_t i = 0; i < d->out.h; i++) {
        for (int32_t j = 0; j < d->out.w; j++) {
            int32_t from[2], to[2];
            from[0] = npu__nn_roi_edge(floorf(high * (float)i + top), d->in.h);
            from[1] = npu__nn_roi_edge(floorf(wide * (float)j + left), d->in.w);
            to[0] = npu__nn_roi_edge(ceilf(high * (float)(i + 1) + top), d->in.h);
            to[1] = npu__nn_roi_edge(ceilf(wide * (float)(j + 1) + left), d->in.w);
            npu__nn_roi_greatest(d, map, from, to, out + i * d->out.row + j * d->out.column);
            if (!npu__nn_k_poll(call, done, d->in.channels * (to[0] - from[0] + 1) * (to[1] - from[1] + 1))) return NPU_CANCELLED;
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__nn_roi_eval(void *user, npu_call *call) {
    const float    stride_h = npu__nn_k_real(call, "stride_h"), stride_w = npu__nn_k_real(call, "stride_w");
    const float   *regions, *in;
    float         *out = npu__nn_k_out(call, 0);
    const int32_t *batch;
    npu__nn_roi    d;
    npu_tensor     t;
    int64_t        done = 0;
    (void)user;
    npu__nn_roi_sizes(call, &d);
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &in));
    NPU__TRY(npu__nn_k_in(call, 1, 0.0f, &regions));
    npu_call_input(call, 2, &t);
    batch = (const int32_t *)t.data;
    for (int64_t i = 0; i < d.out.n; i++) {
        float at[4]; /* in the map's units */
        int   inside = 1;
        for (int k = 0; k < 4; k++) {
            at[k] = regions[i * 4 + k] * (1.0f / (k % 2 ? stride_h : stride_w));
            inside = inside && at[k] >= 0.0f && at[k] <= (float)(k % 2 ? d.in.h : d.in.w);
        }
        if (!inside || !npu__nn_box_ok(at) || batch[i] < 0 || batch[i] >= d.in.n) {
            return npu_call_fail(call, NPU_BAD_INPUT, "nnapi.region", "a region is outside of its map, inside out, or of a map that is not there");
        }
        /* bounded: elements of tensors */
        NPU__TRY((d.align ? npu__nn_roi_align : npu__nn_roi_pool)(call, &d, in + batch[i] * d.in.map, at, out + i * d.out.map, &done));
    }
    return npu__nn_k_end(call);
}

/* Of samples that the regions decide: as if all had the whole map. */
NPU__FN int64_t npu__nn_roi_work(void *user, const npu_call *call) {
    npu__nn_roi d;
    int64_t     rows, columns;
    (void)user;
    npu__nn_roi_sizes(call, &d);
    rows = d.align && d.samples_h > 0 ? d.out.h * d.samples_h : d.in.h + 2 * d.out.h;
    columns = d.align && d.samples_w > 0 ? d.out.w * d.samples_w : d.in.w + 2 * d.out.w;
    return npu__sat_mul(npu__sat_mul(rows, columns), npu__sat_mul(npu__sat_mul(d.out.n, d.in.channels), d.align ? 8 : 1));
}

/* ---- nnapi.heatmap: heat maps [n, size, size, keypoints], boxes [n, 4] -> scores [n, keypoints], places [n, keypoints, 2] ---- */

NPU__FN npu_status npu__nn_heatmap_infer(void *user, npu_call *call) {
    const npu__nn_maps in = npu__nn_k_maps(call);
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 4, -1, -1));
    NPU__TRY(npu__nn_k_shape(call, 0, 2, in.n, in.channels, 0, 0));
    return npu__nn_k_shape(call, 1, 3, in.n, in.channels, 2, 0);
}

NPU__FN npu_status npu__nn_heatmap_prepare(void *user, npu_call *call) {
    const npu__nn_maps in = npu__nn_k_maps(call);
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 1, 2, (int32_t)in.n, 4));
    if (in.h != in.w || in.h < 2) return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.heatmap", "a heat map must be a square, of 2 or more");
    return npu__nn_k_prepare(call, 0);
}

/* The greatest value of a parabola in two dimensions through what is around the greatest place (3 rows of 3): where it is beside
 * that place, and the value. */
NPU__FN void npu__nn_heatmap_peak(const float *v, float *dx, float *dy, float *score) {
    const float gx = (v[5] - v[3]) / 2.0f, gy = (v[7] - v[1]) / 2.0f; /* first derivatives, then second */
    const float xx = v[3] - 2.0f * v[4] + v[5], yy = v[1] - 2.0f * v[4] + v[7], xy = (v[8] - v[6] - v[2] + v[0]) / 4.0f;
    const float det = xx * yy - xy * xy;
    float       far;
    *dx = *dy = 0.0f;
    *score = v[4];
    if (!(fabsf(det) >= 1e-5f + 1e-5f * xx * yy)) return; /* flat */
    *dx = (xy * gy - yy * gx) / det;
    *dy = (xy * gx - xx * gy) / det;
    far = fabsf(*dx) > fabsf(*dy) ? fabsf(*dx) : fabsf(*dy);
    if (far > 1.5f) {
        *dx *= 1.5f / far;
        *dy *= 1.5f / far;
    }
    *score = v[4] + gx * *dx + gy * *dy + (xx * *dx * *dx + 2.0f * xy * *dx * *dy + yy * *dy * *dy) / 2.0f;
}

/* One map of size x size, its places `step` floats apart. */
NPU__FN void npu__nn_heatmap_one(const float *map, int64_t step, int32_t size, const float *box, float *score, float *place) {
    float   most = -FLT_MAX, around[9], dx, dy;
    int64_t best = 0;
    int32_t x, y;
    for (int64_t i = 0; i < (int64_t)size * size; i++) {
        if (!(map[i * step] > most)) continue;
        most = map[i * step];
        best = i;
    }
    x = (int32_t)(best % size);
    y = (int32_t)(best / size);
    for (int32_t i = 0; i < 9; i++) { /* mirrored beyond the edges */
        int64_t h = y + i / 3 - 1, w = x + i % 3 - 1;
        h = h < 0 ? 1 : h >= size ? size - 2 : h;
        w = w < 0 ? 1 : w >= size ? size - 2 : w;
        around[i] = map[(h * size + w) * step];
    }
    npu__nn_heatmap_peak(around, &dx, &dy, score);
    place[0] = box[0] + ((float)x + dx + 0.5f) / (float)size * (box[2] - box[0]);
    place[1] = box[1] + ((float)y + dy + 0.5f) / (float)size * (box[3] - box[1]);
}

NPU__FN npu_status npu__nn_heatmap_eval(void *user, npu_call *call) {
    const npu__nn_maps in = npu__nn_k_maps(call);
    const int64_t points = in.channels;
    const float  *map, *boxes;
    float        *score = npu__nn_k_out(call, 0), *place = npu__nn_k_out(call, 1);
    int64_t       done = 0;
    (void)user;
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &map));
    NPU__TRY(npu__nn_k_in(call, 1, 0.0f, &boxes));
    for (int64_t i = 0; i < in.n * points; i++) { /* bounded: elements of tensors */
        const int64_t b = i / points, p = i % points;
        if (!npu__nn_box_ok(boxes + b * 4)) return npu_call_fail(call, NPU_BAD_INPUT, "nnapi.box", "a box is inside out");
        npu__nn_heatmap_one(map + b * in.map + p * in.channel, in.column, (int32_t)in.h, boxes + b * 4, score + i, place + 2 * i);
        if (!npu__nn_k_poll(call, &done, in.h * in.w + 32)) return NPU_CANCELLED;
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_heatmap_work(void *user, const npu_call *call) {
    int64_t steps = 2;
    (void)user;
    for (int32_t i = 0; i < 4; i++) steps = npu__sat_mul(steps, npu__nn_k_dim(call, 0, i));
    return steps;
}

#endif
