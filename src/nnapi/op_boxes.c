/* Boxes of detectors: deltas, overlap, ranking, non-maximum suppression; and nnapi.bbox_transform. */
#include "kernel.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

NPU__INLINE float npu__nn_cut_to(float v, float most) { return v > most ? most : v > 0.0f ? v : 0.0f; }

NPU__FN void npu__nn_box_move(const float *box, const float *delta, const float *image, float *out) {
    const float w = box[2] - box[0], h = box[3] - box[1];
    const float x = (box[0] + box[2]) / 2.0f + delta[0] * w, y = (box[1] + box[3]) / 2.0f + delta[1] * h;
    const float half_w = expf(delta[2]) * w / 2.0f, half_h = expf(delta[3]) * h / 2.0f;
    out[0] = npu__nn_cut_to(x - half_w, image[1]);
    out[1] = npu__nn_cut_to(y - half_h, image[0]);
    out[2] = npu__nn_cut_to(x + half_w, image[1]);
    out[3] = npu__nn_cut_to(y + half_h, image[0]);
}

NPU__FN int npu__nn_box_ok(const float *box) { return box[0] <= box[2] && box[1] <= box[3]; }

NPU__FN float npu__nn_box_overlap(const float *a, const float *b) {
    const float left = a[0] > b[0] ? a[0] : b[0], right = a[2] < b[2] ? a[2] : b[2];
    const float top = a[1] > b[1] ? a[1] : b[1], bottom = a[3] < b[3] ? a[3] : b[3];
    const float w = right > left ? right - left : 0.0f, h = bottom > top ? bottom - top : 0.0f, both = w * h;
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both); /* of two empty ones: NaN, no overlap */
}

/* ---- ranking ---- */

NPU__FN int npu__nn_rank_before(const void *a, const void *b) {
    const npu__nn_ranked *x = (const npu__nn_ranked *)a, *y = (const npu__nn_ranked *)b;
    if (x->score > y->score) return 1;
    if (x->score < y->score) return 0;
    return x->at < y->at;
}

/* No NaN comes here: scores passed a threshold, or (proposals) were made the least of all. */
NPU__FN void npu__nn_rank(npu__nn_ranked *list, int32_t n) { npu__sort(list, (size_t)n, sizeof *list, npu__nn_rank_before); }

/* ---- non-maximum suppression ---- */

NPU__FN float npu__nn_nms_factor(const npu__nn_nms *d, float overlap) {
    if (d->kernel == 2) return expf(-1.0f * overlap * overlap / d->sigma);
    return !(overlap >= d->overlap) ? 1.0f : d->kernel == 1 ? 1.0f - overlap : 0.0f;
}

/* Those behind `best` that may stay: scores fall as they overlap it, and the last of the list takes the place of one that goes. */
NPU__FN int32_t npu__nn_nms_drop(npu__nn_nms *d, int32_t *list, int32_t from, int32_t n) {
    const float *best = d->boxes + list[from - 1] * d->box_step;
    int32_t      i = from;
    while (i < n) {
        float *score = d->scores + list[i] * d->score_step;
        float  factor = npu__nn_nms_factor(d, npu__nn_box_overlap(d->boxes + list[i] * d->box_step, best));
        int    goes = factor == 0.0f && d->kernel == 0;
        if (d->kernel != 0 && factor == factor) {
            *score *= factor;
            goes = *score < d->least;
        }
        if (goes) list[i] = list[--n];
        else i++;
    }
    return n;
}

NPU__FN int32_t npu__nn_nms_run(npu__nn_nms *d, int32_t *list, int32_t n) {
    int32_t kept = 0;
    while (kept < n && (d->most < 0 || kept < d->most)) {
        int32_t best = kept, first;
        for (int32_t i = kept + 1; i < n; i++) {
            const float a = d->scores[list[i] * d->score_step], b = d->scores[list[best] * d->score_step];
            if (a > b || (a == b && list[i] < list[best])) best = i;
        }
        first = list[kept];
        list[kept] = list[best];
        list[best] = first;
        n = npu__nn_nms_drop(d, list, ++kept, n);
        if (!npu__nn_k_poll(d->call, &d->done, ((int64_t)n - kept) * 16 + 8)) return -1;
    }
    return kept;
}

/* ---- nnapi.bbox_transform: boxes [n, 4], deltas [n, 4 classes], batches [n], images [batches, 2] -> boxes [n, 4 classes] ---- */

NPU__FN npu_status npu__nn_bbox_infer(void *user, npu_call *call) {
    (void)user;
    return npu__nn_k_shape(call, 0, 2, npu__nn_k_dim(call, 1, 0), npu__nn_k_dim(call, 1, 1), 0, 0);
}

NPU__FN npu_status npu__nn_bbox_prepare(void *user, npu_call *call) {
    const int32_t n = npu__nn_k_dim(call, 0, 0), columns = npu__nn_k_dim(call, 1, 1);
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 2, n, 4));
    NPU__TRY(npu__nn_k_need(call, 1, 2, n, columns));
    NPU__TRY(npu__nn_k_need(call, 2, 1, n, -1));
    NPU__TRY(npu__nn_k_need(call, 3, 2, -1, 2));
    NPU__TRY(npu__nn_k_indices(call, 2));
    if (columns % 4 != 0) return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.bbox_columns", "each class must have four deltas");
    return npu__nn_k_prepare(call, 0);
}

NPU__FN npu_status npu__nn_bbox_eval(void *user, npu_call *call) {
    const int64_t  n = npu__nn_k_dim(call, 0, 0), columns = npu__nn_k_dim(call, 1, 1), images = npu__nn_k_dim(call, 3, 0);
    const float   *boxes, *deltas, *image;
    const int32_t *batch;
    npu_tensor     t;
    float         *out = npu__nn_k_out(call, 0);
    int64_t        done = 0;
    (void)user;
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &boxes));
    NPU__TRY(npu__nn_k_in(call, 1, 0.0f, &deltas));
    NPU__TRY(npu__nn_k_in(call, 3, 0.0f, &image));
    npu_call_input(call, 2, &t);
    batch = (const int32_t *)t.data;
    for (int64_t i = 0; i < n; i++) {
        if (batch[i] < 0 || batch[i] >= images || !npu__nn_box_ok(boxes + i * 4)) {
            return npu_call_fail(call, NPU_BAD_INPUT, "nnapi.box", "a box is inside out, or of an image that is not there");
        }
        for (int64_t k = 0; k < columns; k += 4) {
            npu__nn_box_move(boxes + i * 4, deltas + i * columns + k, image + 2 * batch[i], out + i * columns + k);
        }
        if (!npu__nn_k_poll(call, &done, columns * 16)) return NPU_CANCELLED;
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_bbox_work(void *user, const npu_call *call) {
    (void)user;
    return npu__sat_mul(npu__sat_mul(npu__nn_k_dim(call, 0, 0), npu__nn_k_dim(call, 1, 1)), 16);
}

#endif
