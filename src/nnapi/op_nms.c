/* nnapi.nms_limit (BOX_WITH_NMS_LIMIT) and nnapi.proposals (GENERATE_PROPOSALS). How many boxes stay depends on the data: outputs
 * have room for all, and the last two say what to cut from them, [n] and [n, 4]. */
#include "kernel.h"
#include "../ops/util.h"

#include <float.h>

#if NPU__HAS_NNAPI

/* Shapes of the counts, which follow `first` outputs. */
NPU__FN npu_status npu__nn_count_shapes(npu_call *call, int32_t first) {
    NPU__TRY(npu__nn_k_shape(call, first, 1, 1, 0, 0, 0));
    return npu__nn_k_shape(call, first + 1, 1, 2, 0, 0, 0);
}

NPU__FN int32_t *npu__nn_k_ints(npu_call *call, int32_t i) {
    npu_tensor t;
    npu_call_output(call, i, &t);
    return (int32_t *)t.data;
}

NPU__FN npu_status npu__nn_count_end(npu_call *call, int32_t first, int64_t n) {
    int32_t *one = npu__nn_k_ints(call, first), *two = npu__nn_k_ints(call, first + 1);
    one[0] = two[0] = (int32_t)n; /* bounded: a dimension */
    two[1] = 4;
    return npu__nn_k_end(call);
}

NPU__FN void npu__nn_k_zero(float *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = 0.0f;
}

NPU__FN int npu__nn_rank_place(const void *a, const void *b) {
    return ((const npu__nn_ranked *)a)->at < ((const npu__nn_ranked *)b)->at;
}

/* ---- nnapi.nms_limit: scores [n, classes], boxes [n, 4 classes], batches [n] -> scores, boxes, classes, batches, counts ---- */

enum { NPU__NN_LIMIT_SCORES = 0, NPU__NN_LIMIT_LIST = 1, NPU__NN_LIMIT_RANKED = 2 };

NPU__FN int64_t npu__nn_limit_most(const npu_call *call) { /* the first class is the background's */
    return npu__sat_mul(npu__nn_k_dim(call, 0, 0), NPU__MAX(npu__nn_k_dim(call, 0, 1) - 1, 0));
}

NPU__FN npu_status npu__nn_nms_limit_infer(void *user, npu_call *call) {
    const int64_t most = npu__nn_limit_most(call);
    (void)user;
    for (int32_t i = 0; i < 4; i++) NPU__TRY(npu__nn_k_shape(call, i, i == 1 ? 2 : 1, most, 4, 0, 0));
    return npu__nn_count_shapes(call, 4);
}

NPU__FN npu_status npu__nn_nms_limit_prepare(void *user, npu_call *call) {
    const int32_t n = npu__nn_k_dim(call, 0, 0), classes = npu__nn_k_dim(call, 0, 1);
    const int64_t kernel = npu__nn_k_int(call, "kernel");
    (void)user;
    if (classes < 2 || classes > INT32_MAX / 4 || kernel < 0 || kernel > 2 || (kernel == 2 && !(npu__nn_k_real(call, "sigma") > 0.0f))) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.nms_limit",
                             "it must have two classes or more, a kernel of 0, 1 or 2, and a positive sigma for 2");
    }
    NPU__TRY(npu__nn_k_need(call, 0, 2, n, classes));
    NPU__TRY(npu__nn_k_need(call, 1, 2, n, classes * 4));
    NPU__TRY(npu__nn_k_need(call, 2, 1, n, -1));
    NPU__TRY(npu__nn_k_indices(call, 2));
    NPU__TRY(npu__nn_k_prepare(call, 0));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_LIMIT_SCORES, npu__sat_mul(n, classes)));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_LIMIT_LIST, npu__nn_limit_most(call)));
    return npu__nn_k_memory(call, NPU__NN_LIMIT_RANKED, npu__sat_mul(npu__nn_limit_most(call), 2));
}

/* Boxes of one image, `n` of them from `first` on: what stays goes to `ranked`, class by class, the best first; its numbers (of the
 * box times the classes, and the class) to `list`. -1: stopped. */
NPU__FN int32_t npu__nn_limit_image(npu_call *call, npu__nn_nms *d, const float *boxes, float *scores, int64_t n, int32_t *list,
                                    npu__nn_ranked *ranked) {
    const int32_t classes = npu__nn_k_dim(call, 0, 1), most = d->most;
    const float   least = npu__nn_k_real(call, "score_threshold");
    int32_t       total = 0;
    for (int32_t c = 1; c < classes; c++) {
        int32_t found = 0;
        d->boxes = boxes + (int64_t)c * 4;
        d->scores = scores + c;
        for (int32_t i = 0; i < n; i++) if (d->scores[(int64_t)i * classes] > least) list[total + found++] = i;
        found = npu__nn_nms_run(d, list + total, found);
        if (found < 0 || !npu__nn_k_poll(call, &d->done, n)) return -1;
        for (int32_t i = total; i < total + found; i++) {
            ranked[i].score = d->scores[(int64_t)list[i] * classes];
            ranked[i].at = i;
            list[i] = list[i] * classes + c; /* bounded: elements of the scores */
        }
        total += found;
    }
    if (most < 0 || total <= most) return total;
    npu__nn_rank(ranked, total);
    npu__sort(ranked, (size_t)most, sizeof *ranked, npu__nn_rank_place);
    return most;
}

NPU__FN void npu__nn_limit_options(npu_call *call, npu__nn_nms *d) {
    memset(d, 0, sizeof *d);
    d->call = call;
    d->kernel = (int32_t)npu__nn_k_int(call, "kernel");
    d->most = (int32_t)npu__nn_k_int(call, "max_detections");
    d->overlap = npu__nn_k_real(call, "iou_threshold");
    d->sigma = npu__nn_k_real(call, "sigma");
    d->least = npu__nn_k_real(call, "nms_score_threshold");
    d->score_step = npu__nn_k_dim(call, 0, 1);
    d->box_step = d->score_step * 4;
}

NPU__FN npu_status npu__nn_nms_limit_eval(void *user, npu_call *call) {
    const int64_t   n = npu__nn_k_dim(call, 0, 0), classes = npu__nn_k_dim(call, 0, 1), most = npu__nn_limit_most(call);
    const float    *given, *boxes;
    float          *scores = (float *)npu__nn_k_work(call, NPU__NN_LIMIT_SCORES);
    float          *out_score = npu__nn_k_out(call, 0), *out_box = npu__nn_k_out(call, 1);
    int32_t        *list = (int32_t *)npu__nn_k_work(call, NPU__NN_LIMIT_LIST);
    int32_t        *out_class = npu__nn_k_ints(call, 2), *out_batch = npu__nn_k_ints(call, 3);
    npu__nn_ranked *ranked = (npu__nn_ranked *)npu__nn_k_work(call, NPU__NN_LIMIT_RANKED);
    const int32_t  *batch;
    npu__nn_nms     d;
    npu_tensor      t;
    int64_t         at = 0, end;
    (void)user;
    NPU__TRY(npu__nn_k_in(call, 0, 0.0f, &given));
    NPU__TRY(npu__nn_k_in(call, 1, 0.0f, &boxes));
    npu_call_input(call, 2, &t);
    batch = (const int32_t *)t.data;
    npu__nn_limit_options(call, &d);
    npu__nn_k_zero(out_score, most);
    npu__nn_k_zero(out_box, most * 4);
    for (int64_t i = 0; i < most; i++) out_class[i] = out_batch[i] = 0;
    for (int64_t i = 0; i < n * classes; i++) scores[i] = given[i];
    for (int64_t first = 0; first < n; first = end) { /* boxes of an image stand together */
        int32_t stay;
        for (end = first; end < n && batch[end] == batch[first]; end++) {}
        stay = npu__nn_limit_image(call, &d, boxes + first * classes * 4, scores + first * classes, end - first, list, ranked);
        if (stay < 0) return NPU_CANCELLED;
        for (int32_t i = 0; i < stay; i++, at++) {
            const int64_t which = first * classes + list[ranked[i].at];
            for (int k = 0; k < 4; k++) out_box[at * 4 + k] = boxes[which * 4 + k];
            if (!npu__nn_box_ok(boxes + which * 4)) return npu_call_fail(call, NPU_BAD_INPUT, "nnapi.box", "a box is inside out");
            out_score[at] = scores[which];
            out_class[at] = (int32_t)(which % classes);
            out_batch[at] = batch[first];
        }
    }
    return npu__nn_count_end(call, 4, at);
}

NPU__FN int64_t npu__nn_nms_limit_work(void *user, const npu_call *call) {
    (void)user; /* what overlaps is said by the data: eval says it as it goes */
    return npu__sat_mul(npu__nn_limit_most(call), 64);
}

/* ---- nnapi.proposals: scores [batches, h, w, anchors], deltas [batches, h, w, 4 anchors], anchors [anchors, 4],
 * images [batches, 2] -> scores, boxes, batches, counts ---- */

enum { NPU__NN_PROPOSE_BOXES = 0, NPU__NN_PROPOSE_SCORES = 1, NPU__NN_PROPOSE_LIST = 2, NPU__NN_PROPOSE_RANKED = 3 };

typedef struct npu__nn_propose {
    npu__nn_maps in; /* of scores; a channel is an anchor */
    int64_t      n, before, after; /* n: boxes of an image. before, after: the most there may be; n: all */
} npu__nn_propose;

NPU__FN void npu__nn_propose_sizes(const npu_call *call, npu__nn_propose *d) {
    d->in = npu__nn_k_maps(call);
    d->n = d->in.map;
    d->before = npu__nn_k_int(call, "pre_nms");
    d->after = npu__nn_k_int(call, "post_nms");
    if (d->before <= 0 || d->before > d->n) d->before = d->n;
    if (d->after <= 0 || d->after > d->before) d->after = d->before;
}

NPU__FN npu_status npu__nn_proposals_infer(void *user, npu_call *call) {
    npu__nn_propose d;
    int64_t         most;
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 4, -1, -1));
    npu__nn_propose_sizes(call, &d);
    most = npu__sat_mul(d.in.n, d.after);
    for (int32_t i = 0; i < 3; i++) NPU__TRY(npu__nn_k_shape(call, i, i == 1 ? 2 : 1, most, 4, 0, 0));
    return npu__nn_count_shapes(call, 3);
}

NPU__FN npu_status npu__nn_proposals_prepare(void *user, npu_call *call) {
    npu__nn_propose d;
    (void)user;
    npu__nn_propose_sizes(call, &d);
    for (int32_t i = 0; i < 4; i++) {
        const int32_t same = npu__nn_k_dim(call, 0, i), other = npu__nn_k_dim(call, 1, i);
        const int     channels = i == (d.in.nchw ? 1 : 3);
        if (channels ? (int64_t)same * 4 == other : same == other) continue;
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.shape", "there must be four deltas for each score");
    }
    NPU__TRY(npu__nn_k_need(call, 1, 4, -1, -1));
    NPU__TRY(npu__nn_k_need(call, 2, 2, (int32_t)d.in.channels, 4));
    NPU__TRY(npu__nn_k_need(call, 3, 2, (int32_t)d.in.n, 2));
    NPU__TRY(npu__nn_k_prepare(call, 0));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_PROPOSE_BOXES, npu__sat_mul(d.n, 4)));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_PROPOSE_SCORES, d.n));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_PROPOSE_LIST, d.n));
    return npu__nn_k_memory(call, NPU__NN_PROPOSE_RANKED, npu__sat_mul(d.n, 2));
}

/* Boxes and scores of an image, with place, then anchor, counting fastest. False: an anchor is inside out. */
NPU__FN int npu__nn_propose_image(npu_call *call, const npu__nn_propose *d, const float *const *in, int64_t b, float *boxes, float *scores) {
    const float   stride_h = npu__nn_k_real(call, "stride_h"), stride_w = npu__nn_k_real(call, "stride_w");
    const int64_t cells = d->in.h * d->in.w;
    for (int64_t i = 0; i < d->n; i++) {
        const int64_t cell = i / d->in.channels, a = i % d->in.channels;
        const float   left = (float)(cell % d->in.w) * stride_w, top = (float)(cell / d->in.w) * stride_h, *anchor = in[2] + a * 4;
        const float  *given = in[1] + b * d->n * 4;
        float         box[4], delta[4];
        box[0] = anchor[0] + left;
        box[1] = anchor[1] + top;
        box[2] = anchor[2] + left;
        box[3] = anchor[3] + top;
        for (int64_t k = 0; k < 4; k++) delta[k] = d->in.nchw ? given[(a * 4 + k) * cells + cell] : given[i * 4 + k];
        if (!npu__nn_box_ok(box)) return 0;
        npu__nn_box_move(box, delta, in[3] + b * 2, boxes + i * 4);
        scores[i] = in[0][b * d->n + (d->in.nchw ? a * cells + cell : i)];
        if (scores[i] != scores[i]) scores[i] = -FLT_MAX; /* NaN: the least of all */
    }
    return 1;
}

/* The best of them that are large enough, with their centers in the image. */
NPU__FN int32_t npu__nn_propose_filter(npu_call *call, const npu__nn_propose *d, const float *boxes, const float *scores, const float *image,
                                       npu__nn_ranked *ranked, int32_t *list) {
    const float least = npu__nn_k_real(call, "min_size");
    int32_t     n = 0;
    for (int32_t i = 0; i < d->n; i++) {
        ranked[i].at = i;
        ranked[i].score = scores[i];
    }
    if (d->before < d->n) npu__nn_rank(ranked, (int32_t)d->n);
    for (int32_t i = 0; i < d->before; i++) {
        const float *box = boxes + (int64_t)ranked[i].at * 4;
        const float  w = box[2] - box[0], h = box[3] - box[1];
        if (w > least && h > least && box[0] + w / 2.0f < image[1] && box[1] + h / 2.0f < image[0]) list[n++] = ranked[i].at;
    }
    return n;
}

NPU__FN npu_status npu__nn_proposals_eval(void *user, npu_call *call) {
    float          *out_score = npu__nn_k_out(call, 0), *out_box = npu__nn_k_out(call, 1);
    float          *boxes = (float *)npu__nn_k_work(call, NPU__NN_PROPOSE_BOXES), *scores = (float *)npu__nn_k_work(call, NPU__NN_PROPOSE_SCORES);
    int32_t        *out_batch = npu__nn_k_ints(call, 2), *list = (int32_t *)npu__nn_k_work(call, NPU__NN_PROPOSE_LIST);
    npu__nn_ranked *ranked = (npu__nn_ranked *)npu__nn_k_work(call, NPU__NN_PROPOSE_RANKED);
    const float    *in[4];
    npu__nn_propose d;
    npu__nn_nms     nms;
    int64_t         at = 0;
    (void)user;
    for (int32_t i = 0; i < 4; i++) NPU__TRY(npu__nn_k_in(call, i, 0.0f, &in[i]));
    npu__nn_propose_sizes(call, &d);
    npu__nn_k_zero(out_score, d.in.n * d.after); /* bounded: elements of that output */
    npu__nn_k_zero(out_box, d.in.n * d.after * 4);
    for (int64_t i = 0; i < d.in.n * d.after; i++) out_batch[i] = 0;
    memset(&nms, 0, sizeof nms);
    nms.call = call;
    nms.boxes = boxes;
    nms.scores = scores;
    nms.box_step = 4;
    nms.score_step = 1;
    nms.most = (int32_t)d.after; /* bounded: the boxes of an image */
    nms.overlap = npu__nn_k_real(call, "iou_threshold");
    for (int64_t b = 0; b < d.in.n; b++) {
        int32_t n;
        if (!npu__nn_propose_image(call, &d, in, b, boxes, scores)) {
            return npu_call_fail(call, NPU_BAD_INPUT, "nnapi.box", "an anchor is inside out");
        }
        n = npu__nn_propose_filter(call, &d, boxes, scores, in[3] + b * 2, ranked, list);
        n = npu__nn_nms_run(&nms, list, n);
        if (n < 0 || !npu__nn_k_poll(call, &nms.done, d.n * 64)) return NPU_CANCELLED;
        for (int32_t i = 0; i < n; i++, at++) {
            for (int64_t k = 0; k < 4; k++) out_box[at * 4 + k] = boxes[(int64_t)list[i] * 4 + k];
            out_score[at] = scores[list[i]];
            out_batch[at] = (int32_t)b;
        }
    }
    return npu__nn_count_end(call, 3, at);
}

NPU__FN int64_t npu__nn_proposals_work(void *user, const npu_call *call) {
    npu__nn_propose d;
    (void)user;
    npu__nn_propose_sizes(call, &d);
    return npu__sat_mul(npu__sat_mul(d.in.n, d.n), 96);
}

#endif
