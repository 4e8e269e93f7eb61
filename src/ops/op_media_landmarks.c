/* MediaPipe's operators on landmarks: Landmarks2TransformMatrix makes the matrix that crops a part of a face or a hand out of an
 * image, TransformLandmarks applies such a matrix to points. Float only. */
#include "media.h"

/* ---- Landmarks2TransformMatrix ---- */

typedef struct npu__landmarks {
    int32_t v2, left, right; /* landmarks whose connection is to become horizontal */
    float   in_h, in_w, out_h, out_w, range, multiplier; /* the first version's */
    float   rotation, scale_x, scale_y;                  /* the second's */
} npu__landmarks;

NPU__FN npu__flex npu__landmarks_subset(const npu__ctx *c) {
    return npu__media_option(c, npu__media_is_v2(c) ? "subset_idxs" : "subset");
}

NPU__FN npu_status npu__landmarks_infer(npu__ctx *c) {
    const npu__shape s = npu__shape_make(3, 1, 4, 4, 0);
    NPU__TRY(npu__need_rank(c, c->in[0], "landmarks", 3, 4));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__landmarks_pair(npu__ctx *c, const char *key, float *h, float *w) {
    const npu__flex v = npu__media_option(c, key);
    *h = (float)npu__flex_i32(npu__flex_at(v, 0), 0);
    *w = (float)npu__flex_i32(npu__flex_at(v, 1), 0);
    if (*h > 0.0f && *w > 0.0f) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "landmarks_2_transform_matrix.option", "the option %s must be two positive numbers",
                     key);
}

NPU__FN npu_status npu__landmarks_positive(npu__ctx *c, const char *key, float *out) {
    *out = (float)npu__flex_f64(npu__media_option(c, key), 0.0);
    if (*out > 0.0f && *out < 3.0e38f) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "landmarks_2_transform_matrix.option", "the option %s must be positive: got %g", key,
                     (double)*out);
}

/* An index that is an option: there must be such a landmark. */
NPU__FN npu_status npu__landmarks_index(npu__ctx *c, npu__flex v, const char *key, int32_t *out) {
    const int64_t n = npu__elems(c->in[0]) / 3;
    *out = npu__flex_i32(v, -1);
    if (*out >= 0 && *out < n) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "landmarks_2_transform_matrix.index", "%s: there is no landmark %d among %l", key,
                     *out, n);
}

NPU__FN npu_status npu__landmarks_prepare(npu__ctx *c) {
    npu__landmarks *d = (npu__landmarks *)c->data;
    const npu__flex subset = npu__landmarks_subset(c);
    int32_t         unused;
    d->v2 = npu__media_is_v2(c);
    NPU__TRY(npu__media_need_f32(c));
    if (npu__elems(c->in[0]) % 3 != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "landmarks_2_transform_matrix.size", "landmarks must have 3 coordinates each");
    }
    NPU__TRY(npu__landmarks_index(c, npu__media_option(c, "left_rotation_idx"), "left_rotation_idx", &d->left));
    NPU__TRY(npu__landmarks_index(c, npu__media_option(c, "right_rotation_idx"), "right_rotation_idx", &d->right));
    if (npu__flex_count(subset) == 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "landmarks_2_transform_matrix.subset", "the list of landmarks to enclose is empty");
    }
    for (uint32_t i = 0; i < npu__flex_count(subset); i++) {
        NPU__TRY(npu__landmarks_index(c, npu__flex_at(subset, i), "subset", &unused));
    }
    if (d->v2) {
        d->rotation = (float)npu__flex_f64(npu__media_option(c, "target_rotation_radians"), 0.0);
        NPU__TRY(npu__landmarks_positive(c, "output_height", &d->out_h));
        NPU__TRY(npu__landmarks_positive(c, "output_width", &d->out_w));
        NPU__TRY(npu__landmarks_positive(c, "scale_x", &d->scale_x));
        return npu__landmarks_positive(c, "scale_y", &d->scale_y);
    }
    if (npu__flex_i32(npu__media_option(c, "dimensions"), 0) != 3) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "landmarks_2_transform_matrix.dimensions", "the option dimensions must be 3");
    }
    NPU__TRY(npu__landmarks_pair(c, "input_hw", &d->in_h, &d->in_w));
    NPU__TRY(npu__landmarks_pair(c, "output_hw", &d->out_h, &d->out_w));
    NPU__TRY(npu__landmarks_positive(c, "landmarks_range", &d->range));
    d->multiplier = (float)npu__flex_f64(npu__media_option(c, "bbox_size_multiplier"), 0.0);
    return NPU_OK;
}

/* The box of the subset's landmarks after a rotation by `angle`: its middle, turned back, and its size. */
typedef struct npu__landmarks_box {
    float x, y, w, h;
} npu__landmarks_box;

NPU__FN npu__landmarks_box npu__landmarks_enclose(const npu__ctx *c, float angle) {
    const npu__flex    subset = npu__landmarks_subset(c);
    const float       *v = (const float *)c->in[0]->data, co = cosf(angle), si = sinf(angle);
    float              lo_x = 0.0f, lo_y = 0.0f, hi_x = 0.0f, hi_y = 0.0f, mid_x, mid_y;
    npu__landmarks_box box;
    for (uint32_t i = 0; i < npu__flex_count(subset); i++) {
        const float *p = v + 3 * (int64_t)npu__flex_i32(npu__flex_at(subset, i), 0);
        const float  x = p[0] * co - p[1] * si, y = p[0] * si + p[1] * co;
        if (i == 0 || x < lo_x) lo_x = x;
        if (i == 0 || y < lo_y) lo_y = y;
        if (i == 0 || x > hi_x) hi_x = x;
        if (i == 0 || y > hi_y) hi_y = y;
    }
    mid_x = (hi_x + lo_x) / 2.0f;
    mid_y = (hi_y + lo_y) / 2.0f;
    box.x = mid_x * co + mid_y * si;
    box.y = mid_y * co - mid_x * si;
    box.w = hi_x - lo_x;
    box.h = hi_y - lo_y;
    return box;
}

/* Rows 0 and 1 as (2 x 2 matrix, shift), rows 2 and 3 those of an identity. */
NPU__FN void npu__landmarks_write(float *out, float a, float b, float x, float p, float q, float y) {
    memset(out, 0, 16 * sizeof(float));
    out[0] = a;
    out[1] = b;
    out[3] = x;
    out[4] = p;
    out[5] = q;
    out[7] = y;
    out[10] = out[15] = 1.0f;
}

NPU__FN npu_status npu__landmarks_eval(npu__ctx *c) {
    const npu__landmarks *d = (const npu__landmarks *)c->data;
    const float          *v = (const float *)c->in[0]->data, *l = v + 3 * (int64_t)d->left, *r = v + 3 * (int64_t)d->right;
    const float           dx = r[0] - l[0], dy = r[1] - l[1];
    const float           angle = d->v2 ? d->rotation - atan2f(dy, dx) : -atanf(dy / dx);
    const npu__landmarks_box box = npu__landmarks_enclose(c, angle);
    const float           co = cosf(angle), si = sinf(angle);
    float                *out = (float *)c->out[0]->data;
    if (d->v2) { /* from the middle of the output, scaled, turned back, to the box */
        const float sx = d->scale_x * box.w / d->out_w, sy = d->scale_y * box.h / d->out_h;
        const float cx = -d->out_w / 2.0f, cy = -d->out_h / 2.0f;
        npu__landmarks_write(out, co * sx, si * sy, co * sx * cx + si * sy * cy + box.x, -si * sx, co * sy,
                             -si * sx * cx + co * sy * cy + box.y);
    } else { /* the same, but pixels' centres are the corners of the unit square [-1, 1]: n pixels are n - 1 steps */
        const float sx = box.w * d->multiplier / d->range, sy = box.h * d->multiplier / d->range;
        const float tx = box.x / d->range * 2.0f - 1.0f, ty = box.y / d->range * 2.0f - 1.0f;
        const float ux = 2.0f / (d->out_w - 1.0f), uy = 2.0f / (d->out_h - 1.0f);
        const float ax = (d->in_w - 1.0f) / 2.0f, ay = (d->in_h - 1.0f) / 2.0f;
        npu__landmarks_write(out, ax * co * sx * ux, ax * si * sy * uy, ax * (tx - co * sx - si * sy + 1.0f), -ay * si * sx * ux,
                             ay * co * sy * uy, ay * (ty + si * sx - co * sy + 1.0f));
    }
    return NPU_OK;
}

NPU__FN npu__work npu__landmarks_count(const npu__ctx *c) {
    return npu__work_steps(c, 8 * (int64_t)npu__flex_count(npu__landmarks_subset(c)) + 64);
}

NPU__OPDEF(npu__op_landmarks_to_matrix) = {1, 1, 1, 1, 0, 0, NPU__DATA(npu__landmarks), npu__landmarks_infer,
                                           npu__landmarks_prepare, NULL, npu__landmarks_eval, npu__landmarks_count};

/* ---- TransformLandmarks: points, a matrix [4, 4] ---- */

typedef struct npu__transform_points {
    int32_t dimensions; /* of a point: 2 or 3, the third stays */
    float   scale;      /* of the shift */
} npu__transform_points;

NPU__FN npu_status npu__transform_points_prepare(npu__ctx *c) {
    npu__transform_points *d = (npu__transform_points *)c->data;
    NPU__TRY(npu__media_need_f32(c));
    NPU__TRY(npu__need_rank(c, c->in[0], "landmarks", 3, 4));
    d->dimensions = npu__dim(c->in[0], -1);
    d->scale = 1.0f;
    if (!npu__media_is_v2(c)) {
        d->dimensions = npu__flex_i32(npu__media_option(c, "dimensions"), 3);
        d->scale = (float)npu__flex_f64(npu__media_option(c, "scale"), 1.0);
    }
    if ((d->dimensions != 2 && d->dimensions != 3) || npu__dim(c->in[0], -1) % d->dimensions != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "transform_landmarks.dimensions",
                         "points must have 2 or 3 coordinates, and the last dimension whole points: got %d and %d", d->dimensions,
                         npu__dim(c->in[0], -1));
    }
    if (npu__elems(c->in[1]) == 16) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "transform_landmarks.matrix", "the matrix must have 16 elements: got %l",
                     npu__elems(c->in[1]));
}

NPU__FN npu_status npu__transform_points_eval(npu__ctx *c) {
    const npu__transform_points *d = (const npu__transform_points *)c->data;
    const float                 *v = (const float *)c->in[0]->data, *m = (const float *)c->in[1]->data;
    float                       *out = (float *)c->out[0]->data;
    const int64_t                n = npu__elems(c->in[0]) / d->dimensions;
    int64_t                      done = 0;
    for (int64_t i = 0; i < n; i++, v += d->dimensions, out += d->dimensions) {
        const float x = v[0], y = v[1];
        out[0] = m[0] * x + m[1] * y + m[3] * d->scale;
        out[1] = m[4] * x + m[5] * y + m[7] * d->scale;
        if (d->dimensions == 3) out[2] = v[2];
        NPU__POLL_PASS(c, done, 4);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_transform_landmarks) = {2, 2, 1, 1, 0, 0, NPU__DATA(npu__transform_points), npu__infer_same_as_in0,
                                           npu__transform_points_prepare, NULL, npu__transform_points_eval, NULL};
