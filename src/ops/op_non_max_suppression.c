/* NON_MAX_SUPPRESSION_V4, NON_MAX_SUPPRESSION_V5: the best boxes of those that overlap. V5 can lower scores instead of
 * dropping boxes (sigma). The outputs have room for all that may be chosen, filled up with 0; the last one says how many
 * there are. Boxes with equal scores come in the order of the heap of libstdc++, as in LiteRT. */
#include "move_util.h"
#include "scratch.h"

#define NPU__NMS_IOU_STEPS 8 /* of two boxes */

typedef struct npu__nms_box {
    float   score;
    int32_t index, seen; /* seen: chosen boxes that it was compared with */
} npu__nms_box;

typedef struct npu__nms_data {
    int32_t heap; /* slot */
} npu__nms_data;

NPU__FN npu_status npu__nms_infer(npu__ctx *c) {
    const npu__val *most = c->in[2];
    int32_t         n;
    npu__shape      s;
    NPU__TRY(npu__need_type(c, most, "the number of outputs", NPU_INT32));
    NPU__TRY(npu__need_rank(c, most, "the number of outputs", 0, 0));
    if (!npu__values_known(most)) return NPU__DYNAMIC;
    NPU__TRY(npu__dim_value(c, most, npu__int_at(most, 0), &n));
    s = npu__shape_make(1, n, 0, 0, 0);
    NPU__TRY(npu__set_shape_type(c, 0, &s, NPU_INT32));
    if (c->n_out == 3) NPU__TRY(npu__set_shape_type(c, 1, &s, NPU_FLOAT32));
    s = npu__shape_make(0, 0, 0, 0, 0);
    return npu__set_shape_type(c, c->n_out - 1, &s, NPU_INT32);
}

NPU__FN npu_status npu__nms_prepare(npu__ctx *c) {
    npu__nms_data *d = (npu__nms_data *)c->data;
    const int32_t  n = npu__dim(c->in[0], 0);
    for (int32_t i = 0; i < c->n_in; i++) {
        if (i == 2) continue;
        NPU__TRY(npu__need_type(c, c->in[i], "boxes, scores and thresholds", NPU_FLOAT32));
        if (i > 2) NPU__TRY(npu__need_rank(c, c->in[i], "thresholds", 0, 0));
    }
    NPU__TRY(npu__need_rank(c, c->in[0], "boxes", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[1], "scores", 1, 1));
    if (npu__dim(c->in[0], 1) != 4 || npu__dim(c->in[1], 0) != n) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "non_max_suppression.shape", "boxes must be [n, 4] and scores [n]: got [%d, %d] "
                         "and [%d]", n, npu__dim(c->in[0], 1), npu__dim(c->in[1], 0));
    }
    return npu__want_array(c, 0, n, 1, sizeof(npu__nms_box), &d->heap);
}

/* Up from `at` in a heap whose first has the best score. */
NPU__FN void npu__nms_raise(npu__nms_box *heap, int32_t at, npu__nms_box box) {
    for (int32_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!(heap[parent].score < box.score)) break;
        heap[at] = heap[parent];
    }
    heap[at] = box;
}

/* Takes the best of n: the hole goes down to the end, the last one comes up from there. */
NPU__FN npu__nms_box npu__nms_take(npu__nms_box *heap, int32_t n) {
    const npu__nms_box best = heap[0], last = heap[n - 1];
    int32_t            at = 0, child;
    n--;
    for (; (child = 2 * at + 2) < n; at = child) {
        if (heap[child].score < heap[child - 1].score) child--;
        heap[at] = heap[child];
    }
    if (child == n) {
        heap[at] = heap[child - 1];
        at = child - 1;
    }
    if (n > 0) npu__nms_raise(heap, at, last);
    return best;
}

/* Intersection over union of boxes given by any two opposite corners; 0 where one is empty. */
NPU__NO_FUSE NPU__FN float npu__nms_iou(const float *a, const float *b) {
    float lo_a[2], hi_a[2], lo_b[2], hi_b[2], side[2], area_a, area_b, both, all;
    for (int i = 0; i < 2; i++) {
        lo_a[i] = a[i + 2] < a[i] ? a[i + 2] : a[i];
        hi_a[i] = a[i] < a[i + 2] ? a[i + 2] : a[i];
        lo_b[i] = b[i + 2] < b[i] ? b[i + 2] : b[i];
        hi_b[i] = b[i] < b[i + 2] ? b[i + 2] : b[i];
    }
    area_a = (hi_a[0] - lo_a[0]) * (hi_a[1] - lo_a[1]);
    area_b = (hi_b[0] - lo_b[0]) * (hi_b[1] - lo_b[1]);
    if (area_a <= 0.0f || area_b <= 0.0f) return 0.0f;
    for (int i = 0; i < 2; i++) {
        const float lo = lo_a[i] < lo_b[i] ? lo_b[i] : lo_a[i], hi = hi_b[i] < hi_a[i] ? hi_b[i] : hi_a[i];
        side[i] = hi - lo;
        if (side[i] < 0.0f) side[i] = 0.0f;
    }
    both = side[0] * side[1];
    all = area_a + area_b;
    all = all - both;
    return all == 0.0f ? 0.0f : both / all;
}

typedef struct npu__nms_run {
    const float *boxes;
    int32_t     *chosen;
    float        iou, least, sigma;
    int32_t      n; /* chosen */
} npu__nms_run;

/* Compares a box with those chosen since it was seen last; its score may fall. True: it overlaps with one too much. */
NPU__FN npu_status npu__nms_compare(npu__ctx *c, const npu__nms_run *run, npu__nms_box *box, int *drop, int64_t *done) {
    const float scale = run->sigma > 0.0f ? -0.5f / run->sigma : 0.0f;
    *drop = 0;
    for (int32_t j = run->n - 1; j >= box->seen; j--) {
        const float iou = npu__nms_iou(run->boxes + (size_t)box->index * 4, run->boxes + (size_t)run->chosen[j] * 4);
        NPU__POLL_PASS(c, *done, NPU__NMS_IOU_STEPS);
        if (iou >= run->iou) {
            *drop = 1;
            break;
        }
        if (run->sigma > 0.0f) box->score = box->score * expf(scale * iou * iou);
        if (box->score <= run->least) break;
    }
    box->seen = run->n;
    return NPU_OK;
}

NPU__FN npu_status npu__nms_choose(npu__ctx *c, npu__nms_run *run, npu__nms_box *heap, int32_t most, float *scores) {
    int32_t n = 0, wanted;
    int64_t done = 0;
    for (int32_t i = 0; i < npu__dim(c->in[1], 0); i++) {
        npu__nms_box box;
        box.score = ((const float *)c->in[1]->data)[i];
        box.index = i;
        box.seen = 0;
        NPU__POLL_PASS(c, done, 4);
        if (box.score > run->least) npu__nms_raise(heap, n++, box);
    }
    wanted = NPU__MIN(n, most);
    while (run->n < wanted && n > 0) {
        npu__nms_box box = npu__nms_take(heap, n--);
        const float  before = box.score;
        int          drop;
        NPU__TRY(npu__nms_compare(c, run, &box, &drop, &done));
        NPU__POLL_PASS(c, done, 32);
        if (drop) continue;
        if (box.score == before) {
            if (scores) scores[run->n] = box.score;
            run->chosen[run->n++] = box.index;
        }
        /* A chosen one goes back too: it is dropped for overlapping with itself, unless it is empty. So does LiteRT. */
        if (box.score > run->least) npu__nms_raise(heap, n++, box);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__nms_eval(npu__ctx *c) {
    const npu__nms_data *d = (const npu__nms_data *)c->data;
    float               *scores = c->n_out == 3 ? (float *)c->out[1]->data : NULL;
    const int32_t        most = npu__dim(c->out[0], 0), zero = 0;
    npu__nms_run         run;
    run.boxes = (const float *)c->in[0]->data;
    run.chosen = (int32_t *)c->out[0]->data;
    run.iou = *(const float *)c->in[3]->data;
    run.least = *(const float *)c->in[4]->data;
    run.sigma = c->n_in > 5 ? *(const float *)c->in[5]->data : 0.0f;
    run.n = 0;
    if (run.sigma < 0.0f) {
        return NPU__FAIL(c, npu__value_fault(c->in[5]), "non_max_suppression.sigma", "sigma must not be negative: got %g",
                         (double)run.sigma);
    }
    if (most > 0) {
        npu__fill_all(c, c->out[0]->data, &zero, most, sizeof(int32_t));
        if (scores) npu__fill_all(c, scores, &zero, most, sizeof(float)); /* 0.0 has the same bits */
        NPU__TRY(npu__nms_choose(c, &run, (npu__nms_box *)npu__slot(c, d->heap), most, scores));
    }
    *(int32_t *)c->out[c->n_out - 1]->data = run.n;
    return NPU_OK;
}

/* At most: every box with every chosen one. */
NPU__FN npu__work npu__nms_work(const npu__ctx *c) {
    const int64_t n = npu__dim(c->in[1], 0);
    return npu__work_steps(c, npu__sat_mul(npu__sat_mul(n, NPU__MIN(n, (int64_t)npu__dim(c->out[0], 0))), NPU__NMS_IOU_STEPS));
}

NPU__OPDEF(npu__op_non_max_suppression_v4) = {5, 5, 2, 2, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__nms_data), npu__nms_infer,
                                              npu__nms_prepare, NULL, npu__nms_eval, npu__nms_work};
NPU__OPDEF(npu__op_non_max_suppression_v5) = {6, 6, 3, 3, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__nms_data), npu__nms_infer,
                                              npu__nms_prepare, NULL, npu__nms_eval, npu__nms_work};
