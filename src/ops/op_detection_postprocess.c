/* TFLite_Detection_PostProcess: decodes the boxes of an SSD detector and keeps the best that do not overlap. Order
 * and ties are LiteRT's: stable sort by score, and for the classes of one box the partial sort of libstdc++. */
#include "../kernels/reduce.h"
#include "../tflite/flexbuf.h"
#include "scratch.h"

#define NPU__DETECT_DECODE_STEPS 64 /* of a box */
#define NPU__DETECT_IOU_STEPS 8     /* of two boxes */
#define NPU__DETECT_GRAIN 4096      /* steps worth a thread of their own */

typedef struct npu__detect {
    const char *kernel; /* for profiles */
    const npu__reduce_loops *loops;
    int32_t max_detections, max_classes, per_class, regular;
    float   score_threshold, iou_threshold;
    float   scale[4]; /* y, x, h, w */
    int32_t n_boxes, box_stride, n_classes, n_columns; /* columns: classes, and the background where there is one */
    int32_t keep; /* classes reported for a box */
    int32_t boxes, areas, scores, live, classes, row, index, selected, codes, info; /* slots */
} npu__detect;

typedef struct npu__detect_info {
    float   score;
    int32_t box, cls;
} npu__detect_info;

/* ---- infer and prepare ---- */

NPU__FN int32_t npu__detect_option(const npu__ctx *c, const char *name, int32_t dflt) {
    return npu__flex_i32(npu__flex_get(npu__flex_root(c->node->custom, c->node->custom_bytes), name), dflt);
}
NPU__FN float npu__detect_real(const npu__ctx *c, const char *name) {
    return (float)npu__flex_f64(npu__flex_get(npu__flex_root(c->node->custom, c->node->custom_bytes), name), 0.0);
}

NPU__FN npu_status npu__detect_infer(npu__ctx *c) {
    int32_t    detections = npu__detect_option(c, "max_detections", 0);
    int32_t    classes = npu__detect_option(c, "max_classes_per_detection", 0);
    int64_t    n = (int64_t)detections * classes;
    npu__shape s;
    if (detections < 1 || classes < 1 || n > INT32_MAX / 4) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "detection_postprocess.max_detections",
                         "max_detections and max_classes_per_detection must be positive: got %d and %d", detections,
                         classes);
    }
    s = npu__shape_make(3, 1, (int32_t)n, 4, 0);
    NPU__TRY(npu__set_shape(c, 0, &s));
    s = npu__shape_make(2, 1, (int32_t)n, 0, 0);
    NPU__TRY(npu__set_shape(c, 1, &s));
    NPU__TRY(npu__set_shape(c, 2, &s));
    s = npu__shape_make(1, 1, 0, 0, 0);
    return npu__set_shape(c, 3, &s);
}

NPU__FN npu_status npu__detect_options(npu__ctx *c, npu__detect *d) {
    static const char *const scales[4] = {"y_scale", "x_scale", "h_scale", "w_scale"};
    npu__flex                map = npu__flex_root(c->node->custom, c->node->custom_bytes);
    d->max_detections = npu__detect_option(c, "max_detections", 0);
    d->max_classes = npu__detect_option(c, "max_classes_per_detection", 0);
    d->per_class = NPU__MIN(npu__detect_option(c, "detections_per_class", 100), d->max_detections);
    d->regular = npu__flex_bool(npu__flex_get(map, "use_regular_nms"), 0);
    d->n_classes = npu__detect_option(c, "num_classes", 0);
    d->score_threshold = npu__detect_real(c, "nms_score_threshold");
    d->iou_threshold = npu__detect_real(c, "nms_iou_threshold");
    for (int i = 0; i < 4; i++) {
        d->scale[i] = npu__detect_real(c, scales[i]);
        if (d->scale[i] == 0.0f) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "detection_postprocess.scale", "the option %s is missing or zero",
                             scales[i]);
        }
    }
    if (!(d->iou_threshold > 0.0f && d->iou_threshold <= 1.0f)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "detection_postprocess.iou_threshold",
                         "nms_iou_threshold must be in (0, 1]: got %g", (double)d->iou_threshold);
    }
    if (d->regular && d->per_class < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "detection_postprocess.per_class",
                         "detections_per_class must be positive: got %d", d->per_class);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__detect_check(npu__ctx *c, npu__detect *d) {
    npu__val *boxes = c->in[0], *scores = c->in[1], *anchors = c->in[2];
    NPU__TRY(npu__need_rank(c, boxes, "box encodings", 3, 3));
    NPU__TRY(npu__need_rank(c, scores, "class predictions", 3, 3));
    NPU__TRY(npu__need_rank(c, anchors, "anchors", 2, 2));
    if ((boxes->type != NPU_FLOAT32 && boxes->type != NPU_UINT8) || anchors->type != boxes->type ||
        (scores->type != NPU_FLOAT32 && scores->type != NPU_UINT8)) {
        return npu__fail_types(c);
    }
    for (int i = 0; i < 3; i++) {
        if (c->in[i]->type == NPU_UINT8) NPU__TRY(npu__need_quant(c, c->in[i], "an input"));
    }
    for (int i = 0; i < 4; i++) NPU__TRY(npu__need_type(c, c->out[i], "an output", NPU_FLOAT32));
    d->n_boxes = boxes->shape.dims[1];
    d->box_stride = boxes->shape.dims[2];
    d->n_columns = scores->shape.dims[2];
    d->keep = NPU__MIN(d->max_classes, d->n_classes);
    if (boxes->shape.dims[0] != 1 || scores->shape.dims[0] != 1 || scores->shape.dims[1] != d->n_boxes ||
        d->box_stride < 4 || npu__elems(anchors) < 4 * (int64_t)d->n_boxes) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "detection_postprocess.shape",
                         "boxes [1, n, 4 or more], scores [1, n, classes] and anchors [n, 4] must fit together");
    }
    if (d->n_classes < 1 || d->n_columns - d->n_classes > 1 || d->n_columns < d->n_classes) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "detection_postprocess.num_classes",
                         "num_classes is %d but there are %d columns of scores: one more is allowed (background)",
                         d->n_classes, d->n_columns);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__detect_prepare(npu__ctx *c) {
    npu__detect *d = (npu__detect *)c->data;
    int32_t      n;
    NPU__TRY(npu__detect_options(c, d));
    NPU__TRY(npu__detect_check(c, d));
    d->loops = npu__reduce_select(npu__ctx_isa(c));
    d->kernel = d->loops->name;
    n = d->n_boxes;
    NPU__TRY(npu__want_array(c, 0, n, 4, sizeof(float), &d->boxes));
    NPU__TRY(npu__want_array(c, 0, n, 1, sizeof(float), &d->areas));
    NPU__TRY(npu__want_array(c, 0, n, 1, sizeof(float), &d->scores));
    NPU__TRY(npu__want_array(c, 0, n, 1, sizeof(float), &d->live));
    NPU__TRY(npu__want_array(c, 0, n, 1, sizeof(int32_t), &d->index));
    NPU__TRY(npu__want_array(c, 0, n, 1, sizeof(int32_t), &d->selected));
    d->codes = -1;
    if (c->in[0]->type == NPU_UINT8) NPU__TRY(npu__want_array(c, 0, 4, 256, sizeof(double), &d->codes));
    if (d->regular) {
        int64_t info = (int64_t)d->max_detections + d->per_class;
        return npu__want_array(c, 0, 2, info, sizeof(npu__detect_info), &d->info);
    }
    NPU__TRY(npu__want_array(c, 0, n, d->keep, sizeof(int32_t), &d->classes));
    /* For each thread a row of scores, and of classes in their order. */
    return npu__want_array(c, 0, 2 * (int64_t)npu__ctx_threads(c), d->n_classes, 4, &d->row);
}

/* ---- eval: boxes and scores ---- */

NPU__INLINE float npu__detect_value(const npu__val *v, int64_t i) {
    if (v->type == NPU_FLOAT32) return ((const float *)v->data)[i];
    return (float)((int32_t)((const uint8_t *)v->data)[i] - npu__zero_point(v)) * npu__scale(v);
}

/* An encoded number in units of the anchor: k = y, x, h, w. */
NPU__INLINE double npu__detect_code(const npu__detect *d, float value, int k) {
    const double v = (double)value / (double)d->scale[k];
    return k < 2 ? v : exp(v);
}

/* Corners (ymin, xmin, ymax, xmax) of boxes. */
NPU__FN void npu__detect_decode_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__ctx    *c = (const npu__ctx *)arg;
    const npu__detect *d = (const npu__detect *)c->data;
    const double      *codes = d->codes < 0 ? NULL : (const double *)npu__slot(c, d->codes);
    float             *out = (float *)npu__slot(c, d->boxes) + 4 * begin, *area = (float *)npu__slot(c, d->areas);
    (void)thread;
    for (int64_t i = begin; i < end; i++, out += 4) {
        double v[4], a[4]; /* y, x, h, w of the encoding and of the anchor */
        float  y, x, half_h, half_w;
        for (int k = 0; k < 4; k++) {
            const int64_t at = i * d->box_stride + k;
            v[k] = codes ? codes[256 * k + ((const uint8_t *)c->in[0]->data)[at]]
                         : npu__detect_code(d, ((const float *)c->in[0]->data)[at], k);
            a[k] = (double)npu__detect_value(c->in[2], i * 4 + k);
        }
        /* The centre-size coding of SSD: offsets in units of the anchor, sizes as logarithms. In double and back, where
         * LiteRT does so. */
        y = (float)(v[0] * a[2] + a[0]);
        x = (float)(v[1] * a[3] + a[1]);
        half_h = (float)(0.5 * v[2] * a[2]);
        half_w = (float)(0.5 * v[3] * a[3]);
        out[0] = y - half_h;
        out[1] = x - half_w;
        out[2] = y + half_h;
        out[3] = x + half_w;
        area[i] = (out[2] - out[0]) * (out[3] - out[1]);
    }
}

/* None of the boxes may be inside out. */
NPU__FN npu_status npu__detect_decode(npu__ctx *c, const npu__detect *d) {
    const float *box = (const float *)npu__slot(c, d->boxes);
    for (int k = 0; k < 4 && d->codes >= 0; k++) { /* once for each byte: exponentials are dear */
        double *codes = (double *)npu__slot(c, d->codes) + 256 * k;
        for (int32_t q = 0; q < 256; q++) {
            codes[q] = npu__detect_code(d, (float)(q - npu__zero_point(c->in[0])) * npu__scale(c->in[0]), k);
        }
    }
    npu__parallel(c, d->n_boxes, NPU__DETECT_GRAIN / NPU__DETECT_DECODE_STEPS, npu__detect_decode_part, c);
    NPU__POLL(c, d->n_boxes); /* after a stop there are no boxes */
    for (int32_t i = 0; i < d->n_boxes; i++, box += 4) {
        if (box[0] > box[2] || box[1] > box[3]) {
            return NPU__FAIL(c, NPU_RUNTIME, "detection_postprocess.box",
                             "a decoded box ends before it starts: the anchors or scales are negative");
        }
    }
    return NPU_OK;
}

NPU__INLINE float npu__detect_score(const npu__ctx *c, const npu__detect *d, int64_t box, int32_t cls) {
    return npu__detect_value(c->in[1], box * d->n_columns + (d->n_columns - d->n_classes) + cls);
}

/* Intersection over union. A box without area overlaps nothing, as in LiteRT; NaN falls through every comparison. */
NPU__INLINE float npu__detect_iou(const float *a, float area_a, const float *b, float area_b) {
    const float h = (b[2] < a[2] ? b[2] : a[2]) - (a[0] < b[0] ? b[0] : a[0]);
    const float w = (b[3] < a[3] ? b[3] : a[3]) - (a[1] < b[1] ? b[1] : a[1]);
    /* Most boxes lie apart: no quotient for them. */
    if (area_a <= 0.0f || area_b <= 0.0f || h <= 0.0f || w <= 0.0f) return 0.0f;
    return h * w / (area_a + area_b - h * w);
}

/* ---- eval: the best classes ---- */

/* The heap of libstdc++'s partial_sort: sinks `value` from `hole` in a heap of n whose top is the worst. */
NPU__FN void npu__detect_sink(const float *score, int32_t *heap, int32_t hole, int32_t n, int32_t value) {
    int32_t top = hole, child = hole;
    /* Down to a leaf along the worse children, then up again to where `value` belongs: libstdc++'s __adjust_heap, for the
     * same order of ties. */
    while (child < (n - 1) / 2) {
        child = 2 * (child + 1);
        if (score[heap[child]] > score[heap[child - 1]]) child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (n % 2 == 0 && child == (n - 2) / 2) {
        child = 2 * child + 1;
        heap[hole] = heap[child];
        hole = child;
    }
    while (hole > top && score[heap[(hole - 1) / 2]] > score[value]) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

/* Where the first of the largest numbers stands; the first one where that is no number. */
NPU__INLINE int32_t npu__detect_first(const npu__detect *d, const float *score, int32_t n) {
    return score[0] != score[0] ? 0 : d->loops->arg[NPU__ARG_max_f32](score, n);
}

/* Brings the k best of n classes to the front of `order`, best first. */
NPU__FN void npu__detect_best(const npu__detect *d, const float *score, int32_t *order, int32_t n, int32_t k) {
    if (k == 1) {
        order[0] = npu__detect_first(d, score, n);
        return;
    }
    for (int32_t i = 0; i < n; i++) order[i] = i;
    for (int32_t i = (k - 2) / 2; i >= 0; i--) npu__detect_sink(score, order, i, k, order[i]);
    for (int32_t i = k; i < n; i++) {
        int32_t v = order[i];
        /* Better than the worst of the k best so far: takes its place. */
        if (!(score[v] > score[order[0]])) continue;
        order[i] = order[0];
        npu__detect_sink(score, order, 0, k, v);
    }
    for (int32_t i = k - 1; i > 0; i--) {
        int32_t v = order[i];
        order[i] = order[0];
        npu__detect_sink(score, order, 0, i, v);
    }
}

/* Boxes' best classes, and the score of the best of all. */
NPU__FN void npu__detect_classes_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__ctx    *c = (const npu__ctx *)arg;
    const npu__detect *d = (const npu__detect *)c->data;
    const npu__val    *in = c->in[1];
    float             *best = (float *)npu__slot(c, d->scores);
    float             *row = (float *)npu__slot(c, d->row) + 2 * (int64_t)thread * d->n_classes;
    int32_t           *order = (int32_t *)(row + d->n_classes), *classes = (int32_t *)npu__slot(c, d->classes);
    /* Bytes are in the order of what they stand for, unless that is too small to differ. */
    const int by_bytes = d->keep == 1 && in->type == NPU_UINT8 && npu__scale(in) > 1e-30f;
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = i * d->n_columns + (d->n_columns - d->n_classes);
        const float  *scores = row;
        if (by_bytes) {
            const int32_t cls = d->loops->arg_bytes((const uint8_t *)in->data + at, d->n_classes, 0x80u);
            classes[i] = cls;
            best[i] = npu__detect_score(c, d, i, cls);
            continue;
        }
        if (in->type == NPU_FLOAT32) scores = (const float *)in->data + at;
        else for (int32_t k = 0; k < d->n_classes; k++) row[k] = npu__detect_score(c, d, i, k);
        npu__detect_best(d, scores, order, d->n_classes, d->keep);
        memcpy(classes + i * d->keep, order, (size_t)d->keep * sizeof(int32_t));
        best[i] = scores[order[0]];
    }
}

/* ---- eval: non-maximum suppression ---- */

/* Boxes with enough score, best first and the first of equals, without those that overlap a better one; at most `limit`. *found: how
 * many. Each pass takes the best one from the list of those that are left, and what overlaps it. */
NPU__FN npu_status npu__detect_suppress(npu__ctx *c, const npu__detect *d, int32_t limit, int32_t *found) {
    const float *score = (const float *)npu__slot(c, d->scores), *boxes = (const float *)npu__slot(c, d->boxes);
    const float *area = (const float *)npu__slot(c, d->areas);
    float       *live = (float *)npu__slot(c, d->live); /* scores of the list */
    int32_t     *index = (int32_t *)npu__slot(c, d->index), *selected = (int32_t *)npu__slot(c, d->selected);
    int32_t      left = 0, n = 0;
    int64_t      done = 0;
    for (int32_t i = 0; i < d->n_boxes; i++) {
        if (!(score[i] >= d->score_threshold)) continue;
        live[left] = score[i];
        index[left++] = i;
    }
    while (left > 0 && n < limit) {
        const int32_t first = d->loops->arg[NPU__ARG_max_f32](live, left), box = index[first], before = left;
        const float  *a = boxes + 4 * (int64_t)box;
        left = 0;
        for (int32_t j = 0; j < before; j++) {
            const int32_t other = index[j];
            const int     gone = j == first || npu__detect_iou(a, area[box], boxes + 4 * (int64_t)other, area[other]) > d->iou_threshold;
            live[left] = live[j];
            index[left] = other;
            left += !gone;
        }
        selected[n++] = box;
        NPU__POLL_PASS(c, done, NPU__DETECT_IOU_STEPS * (int64_t)before);
    }
    *found = n;
    return NPU_OK;
}

NPU__FN void npu__detect_report(npu__ctx *c, const npu__detect *d, int64_t at, int32_t box, int32_t cls,
                                float score) {
    const float *corners = (const float *)npu__slot(c, d->boxes) + 4 * (int64_t)box;
    memcpy((float *)c->out[0]->data + 4 * at, corners, 4 * sizeof(float));
    ((float *)c->out[1]->data)[at] = (float)cls;
    ((float *)c->out[2]->data)[at] = score;
}

/* Boxes compete by their best class; each one kept is reported with its best classes. */
NPU__FN npu_status npu__detect_fast(npu__ctx *c, const npu__detect *d, int32_t *found) {
    const int32_t *classes = (const int32_t *)npu__slot(c, d->classes), *selected = (const int32_t *)npu__slot(c, d->selected);
    npu__parallel(c, d->n_boxes, NPU__DETECT_GRAIN / d->n_classes + 1, npu__detect_classes_part, c);
    NPU__POLL(c, 2 * (int64_t)d->n_classes); /* after a stop there are no classes */
    NPU__TRY(npu__detect_suppress(c, d, d->max_detections, found));
    for (int32_t i = 0; i < *found; i++) {
        for (int32_t k = 0; k < d->keep; k++) {
            int32_t cls = classes[(int64_t)selected[i] * d->keep + k];
            npu__detect_report(c, d, (int64_t)i * d->max_classes + k, selected[i], cls,
                               npu__detect_score(c, d, selected[i], cls));
        }
    }
    return NPU_OK;
}

/* Every class on its own; the best over all classes stay. At equal scores the earlier class comes first. */
NPU__FN npu_status npu__detect_regular(npu__ctx *c, const npu__detect *d, int32_t *found_all) {
    float            *score = (float *)npu__slot(c, d->scores);
    int32_t          *selected = (int32_t *)npu__slot(c, d->selected), n = 0;
    npu__detect_info *list = (npu__detect_info *)npu__slot(c, d->info);
    npu__detect_info *spare = list + d->max_detections + d->per_class;
    int64_t           done = 0;
    for (int32_t cls = 0; cls < d->n_classes; cls++) {
        int32_t           found = 0, a = 0, b = 0, total;
        npu__detect_info *t = list;
        for (int32_t i = 0; i < d->n_boxes; i++) score[i] = npu__detect_score(c, d, i, cls);
        NPU__TRY(npu__detect_suppress(c, d, d->per_class, &found));
        NPU__POLL_PASS(c, done, 2 * (int64_t)d->n_boxes + d->max_detections);
        total = NPU__MIN(n + found, d->max_detections);
        for (int32_t k = 0; k < total; k++) {
            if (a < n && (b == found || !(score[selected[b]] > list[a].score))) {
                spare[k] = list[a++];
            } else {
                spare[k].score = score[selected[b]];
                spare[k].box = selected[b++];
                spare[k].cls = cls;
            }
        }
        list = spare;
        spare = t;
        n = total;
    }
    for (int32_t i = 0; i < n; i++) npu__detect_report(c, d, i, list[i].box, list[i].cls, list[i].score);
    *found_all = n;
    return NPU_OK;
}

NPU__FN npu_status npu__detect_eval(npu__ctx *c) {
    const npu__detect *d = (const npu__detect *)c->data;
    int32_t            found = 0;
    /* What nobody is found for stays 0. */
    for (int i = 0; i < 4; i++) memset(c->out[i]->data, 0, c->out[i]->bytes);
    NPU__TRY(npu__detect_decode(c, d));
    NPU__TRY(d->regular ? npu__detect_regular(c, d, &found) : npu__detect_fast(c, d, &found));
    *(float *)c->out[3]->data = (float)found;
    return NPU_OK;
}

/* Decoding, choosing classes (those to keep in a heap), and comparing each box that is kept with all others; regular suppression
 * compares for every class. */
NPU__FN npu__work npu__detect_work(const npu__ctx *c) {
    const npu__detect *d = (const npu__detect *)c->data;
    const int64_t      n = d->n_boxes, limit = d->regular ? d->per_class : d->max_detections;
    int64_t            pass = npu__sat_mul(n, 2 + NPU__DETECT_IOU_STEPS * NPU__MIN(n, limit)), sorted = 2;
    while (d->keep >> (sorted - 1)) sorted++;
    if (d->regular) pass = npu__sat_mul(npu__sat_add(pass, d->max_detections), d->n_classes);
    else pass = npu__sat_add(pass, npu__sat_mul(npu__sat_mul(n, d->n_classes), sorted));
    return npu__work_steps(c, npu__sat_add(pass, n * NPU__DETECT_DECODE_STEPS));
}

NPU__OPDEF(npu__op_detection_postprocess) = {3, 3, 4, 4, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__detect), npu__detect_infer,
                                                         npu__detect_prepare, NULL, npu__detect_eval,
                                                         npu__detect_work};
