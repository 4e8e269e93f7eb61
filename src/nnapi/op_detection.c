/* nnapi.detection: DETECTION_POSTPROCESSING. TFLite_Detection_PostProcess takes one image, counts classes otherwise and keeps boxes
 * that overlap by just the threshold. */
#include "kernel.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

enum { NPU__NN_DETECT_BOXES = 0, NPU__NN_DETECT_SCORES = 1, NPU__NN_DETECT_LIST = 2, NPU__NN_DETECT_RANKED = 3 };

typedef struct npu__nn_detect {
    int64_t n_batch, anchors, classes, stride, room; /* stride: of box encodings; room: detections of an image */
    int32_t regular, most, most_classes, per_class, first_class;
    float   least, overlap;
} npu__nn_detect;

NPU__FN void npu__nn_detect_sizes(const npu_call *call, npu__nn_detect *d) {
    d->n_batch = npu__nn_k_dim(call, 0, 0);
    d->anchors = npu__nn_k_dim(call, 0, 1);
    d->classes = npu__nn_k_dim(call, 0, 2);
    d->stride = npu__nn_k_dim(call, 1, 2);
    d->regular = npu__nn_k_int(call, "regular") != 0;
    d->most = (int32_t)npu__nn_k_int(call, "max_detections");
    d->most_classes = (int32_t)npu__nn_k_int(call, "max_classes");
    d->per_class = (int32_t)npu__nn_k_int(call, "per_class");
    d->first_class = npu__nn_k_int(call, "background") ? 0 : 1; /* the number that is counted as 0 */
    d->least = npu__nn_k_real(call, "score_threshold");
    d->overlap = npu__nn_k_real(call, "iou_threshold");
    d->room = d->regular ? d->most : (int64_t)d->most * d->most_classes;
}

NPU__FN npu_status npu__nn_detection_infer(void *user, npu_call *call) {
    npu__nn_detect d;
    (void)user;
    NPU__TRY(npu__nn_k_need(call, 0, 3, -1, -1));
    npu__nn_detect_sizes(call, &d);
    if (d.most < 1 || (d.regular ? d.per_class < 1 : d.most_classes < 1)) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.detections", "the most detections, and of each class or classes, must be positive");
    }
    NPU__TRY(npu__nn_k_shape(call, 0, 2, d.n_batch, d.room, 0, 0));
    NPU__TRY(npu__nn_k_shape(call, 1, 3, d.n_batch, d.room, 4, 0));
    NPU__TRY(npu__nn_k_shape(call, 2, 2, d.n_batch, d.room, 0, 0));
    return npu__nn_k_shape(call, 3, 1, d.n_batch, 0, 0, 0);
}

NPU__FN npu_status npu__nn_detection_prepare(void *user, npu_call *call) {
    static const char *const scales[4] = {"scale_y", "scale_x", "scale_h", "scale_w"};
    npu__nn_detect           d;
    (void)user;
    npu__nn_detect_sizes(call, &d);
    for (int i = 0; i < 4; i++) {
        if (!(npu__nn_k_real(call, scales[i]) > 0.0f)) return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.detection_scale", "scales must be positive");
    }
    if (d.classes < 2 || d.stride < 4 || !(d.least >= 0.0f) || !(d.overlap >= 0.0f)) {
        return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.detection", "it must have two classes, four numbers for each box, and thresholds");
    }
    NPU__TRY(npu__nn_k_need(call, 1, 3, (int32_t)d.n_batch, (int32_t)d.anchors));
    NPU__TRY(npu__nn_k_need(call, 2, 2, (int32_t)d.anchors, 4));
    NPU__TRY(npu__nn_k_prepare(call, 0));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_DETECT_BOXES, npu__sat_mul(d.anchors, 4)));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_DETECT_SCORES, npu__sat_mul(d.anchors, d.classes)));
    NPU__TRY(npu__nn_k_memory(call, NPU__NN_DETECT_LIST, npu__sat_mul(d.anchors, d.regular ? d.classes : 1)));
    /* Detections of all classes, or the classes of one box. */
    return npu__nn_k_memory(call, NPU__NN_DETECT_RANKED, npu__sat_mul(npu__sat_mul(d.anchors + 1, d.classes), 2));
}

/* Where an image's detections go, and how many there are. */
typedef struct npu__nn_found {
    float   *score, *box;
    int32_t *cls;
    int64_t  n;
} npu__nn_found;

NPU__FN void npu__nn_detect_add(const npu__nn_detect *d, npu__nn_found *f, const float *box, float score, int64_t cls) {
    for (int k = 0; k < 4; k++) f->box[f->n * 4 + k] = box[k];
    f->score[f->n] = score;
    f->cls[f->n++] = (int32_t)cls - d->first_class;
}

/* Corners of all boxes: (y1, x1, y2, x2). */
NPU__FN void npu__nn_detect_decode(npu_call *call, const npu__nn_detect *d, const float *code, const float *anchor, float *box) {
    const float y = npu__nn_k_real(call, "scale_y"), x = npu__nn_k_real(call, "scale_x");
    const float h = npu__nn_k_real(call, "scale_h"), w = npu__nn_k_real(call, "scale_w");
    for (int64_t i = 0; i < d->anchors; i++, code += d->stride, anchor += 4, box += 4) {
        const float cy = anchor[0] + anchor[2] * code[0] / y, cx = anchor[1] + anchor[3] * code[1] / x;
        const float half_h = anchor[2] * expf(code[2] / h) * 0.5f, half_w = anchor[3] * expf(code[3] / w) * 0.5f;
        box[0] = cy - half_h;
        box[1] = cx - half_w;
        box[2] = cy + half_h;
        box[3] = cx + half_w;
    }
}

/* Each class by itself, the best of all. False: stopped. */
NPU__FN int npu__nn_detect_regular(const npu__nn_detect *d, npu__nn_nms *nms, int32_t *list, npu__nn_ranked *ranked, npu__nn_found *f) {
    float  *scores = nms->scores;
    int32_t total = 0;
    for (int32_t c = 1; c < d->classes; c++) {
        int32_t n = 0;
        nms->scores = scores + c;
        for (int32_t i = 0; i < d->anchors; i++) if (nms->scores[i * d->classes] > d->least) list[total + n++] = i;
        n = npu__nn_nms_run(nms, list + total, n);
        if (n < 0) return 0;
        for (int32_t i = total; i < total + n; i++) {
            ranked[i].score = nms->scores[list[i] * d->classes];
            ranked[i].at = i;
            list[i] = (int32_t)(list[i] * d->classes + c); /* bounded: elements of the scores */
        }
        total += n;
    }
    npu__nn_rank(ranked, total);
    for (int32_t i = 0; i < total && i < d->most; i++) {
        const int64_t which = list[ranked[i].at];
        npu__nn_detect_add(d, f, nms->boxes + which / d->classes * 4, ranked[i].score, which % d->classes);
    }
    return 1;
}

/* All classes at once, by the best score of each box; then the best classes of those that stay. `best`: memory for these scores. */
NPU__FN int npu__nn_detect_fast(const npu__nn_detect *d, npu__nn_nms *nms, const float *given, int32_t *list, npu__nn_ranked *ranked,
                                npu__nn_found *f) {
    const int32_t classes = (int32_t)NPU__MIN(d->classes - 1, (int64_t)d->most_classes);
    int32_t       n = 0;
    for (int32_t i = 0; i < d->anchors; i++) {
        const float *row = given + i * d->classes;
        nms->scores[i] = row[1];
        for (int64_t c = 2; c < d->classes; c++) if (row[c] > nms->scores[i]) nms->scores[i] = row[c];
        if (nms->scores[i] > d->least) list[n++] = i;
    }
    n = npu__nn_nms_run(nms, list, n);
    if (n < 0) return 0;
    for (int32_t i = 0; i < n; i++) {
        const float *row = given + list[i] * d->classes;
        for (int32_t c = 1; c < d->classes; c++) {
            ranked[c - 1].score = row[c] == row[c] ? row[c] : -INFINITY; /* NaN: the least of all */
            ranked[c - 1].at = c;
        }
        npu__nn_rank(ranked, (int32_t)d->classes - 1);
        for (int32_t c = 0; c < classes; c++) {
            npu__nn_detect_add(d, f, nms->boxes + (int64_t)list[i] * 4, row[ranked[c].at], ranked[c].at);
        }
        if (!npu__nn_k_poll(nms->call, &nms->done, d->classes * 8)) return 0;
    }
    return 1;
}

NPU__FN npu_status npu__nn_detection_eval(void *user, npu_call *call) {
    float          *boxes = (float *)npu__nn_k_work(call, NPU__NN_DETECT_BOXES), *scores = (float *)npu__nn_k_work(call, NPU__NN_DETECT_SCORES);
    float          *score = npu__nn_k_out(call, 0), *box = npu__nn_k_out(call, 1);
    int32_t        *list = (int32_t *)npu__nn_k_work(call, NPU__NN_DETECT_LIST);
    npu__nn_ranked *ranked = (npu__nn_ranked *)npu__nn_k_work(call, NPU__NN_DETECT_RANKED);
    const float    *in[3];
    npu__nn_detect  d;
    npu_tensor      classes, counts;
    int64_t         done = 0;
    (void)user;
    for (int32_t i = 0; i < 3; i++) NPU__TRY(npu__nn_k_in(call, i, 0.0f, &in[i]));
    npu__nn_detect_sizes(call, &d);
    npu_call_output(call, 2, &classes);
    npu_call_output(call, 3, &counts);
    for (int64_t b = 0; b < d.n_batch; b++) {
        const float  *given = in[0] + b * d.anchors * d.classes;
        npu__nn_nms   nms;
        npu__nn_found f;
        int           ok;
        f.score = score + b * d.room;
        f.box = box + b * d.room * 4;
        f.cls = (int32_t *)classes.data + b * d.room;
        f.n = 0;
        for (int64_t i = 0; i < d.room * 4; i++) f.box[i] = 0.0f; /* what is not found is all zeros */
        for (int64_t i = 0; i < d.room; i++) f.score[i] = 0.0f;
        for (int64_t i = 0; i < d.room; i++) f.cls[i] = 0;
        npu__nn_detect_decode(call, &d, in[1] + b * d.anchors * d.stride, in[2], boxes);
        memset(&nms, 0, sizeof nms);
        nms.call = call;
        nms.boxes = boxes;
        nms.scores = scores;
        nms.box_step = 4;
        nms.score_step = d.regular ? d.classes : 1;
        nms.most = d.regular ? d.per_class : d.most;
        nms.overlap = d.overlap;
        nms.done = done;
        for (int64_t i = 0; d.regular && i < d.anchors * d.classes; i++) scores[i] = given[i];
        ok = d.regular ? npu__nn_detect_regular(&d, &nms, list, ranked, &f) : npu__nn_detect_fast(&d, &nms, given, list, ranked, &f);
        done = nms.done;
        if (!ok || !npu__nn_k_poll(call, &done, d.anchors * (64 + d.classes))) return NPU_CANCELLED;
        ((int32_t *)counts.data)[b] = (int32_t)f.n;
    }
    return npu__nn_k_end(call);
}

NPU__FN int64_t npu__nn_detection_work(void *user, const npu_call *call) {
    npu__nn_detect d;
    (void)user;
    npu__nn_detect_sizes(call, &d);
    return npu__sat_mul(npu__sat_mul(d.n_batch, d.anchors), npu__sat_add(npu__sat_mul(d.classes, 16), 64));
}

#endif
