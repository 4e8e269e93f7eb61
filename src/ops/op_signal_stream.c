/* SignalDelay, SignalFramer, SignalOverlapAdd and SignalStacker: ops that remember samples between runs. */
#include "../kernels/signal.h"
#include "signal_util.h"

/* A queue of samples, stored from its front. */
typedef struct npu__signal_queue {
    int16_t *p;
    int64_t  n;
} npu__signal_queue;

NPU__FN void npu__signal_push(npu__signal_queue *q, const int16_t *in, int64_t n) {
    memcpy(q->p + q->n, in, (size_t)n * sizeof *in);
    q->n += n;
}
NPU__FN void npu__signal_drop(npu__signal_queue *q, int64_t n) {
    q->n -= n;
    memmove(q->p, q->p + n, (size_t)q->n * sizeof *q->p);
}

/* ---- SignalDelay ---- */

typedef struct npu__signal_delay_data { const char *kernel; int32_t delay, state; } npu__signal_delay_data;

NPU__FN npu_status npu__signal_delay_prepare(npu__ctx *c) {
    npu__signal_delay_data *d = (npu__signal_delay_data *)c->data;
    size_t                  bytes;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_opt(c, "delay_length", 0, 1 << 28, &d->delay));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_INT16, 1, NPU_MAX_RANK));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", NPU_INT16));
    if (!npu__mul_size((size_t)npu__signal_rows(c->in[0]), (size_t)d->delay * sizeof(int16_t), &bytes)) {
        return NPU__FAIL(c, NPU_LIMIT, "signal_delay.size", "delay_length %d is too long", d->delay);
    }
    d->state = npu__want_state(c, NPU__MAX(bytes, 2));
    return d->state < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__signal_delay_eval(npu__ctx *c) {
    const npu__signal_delay_data *d = (const npu__signal_delay_data *)c->data;
    const int16_t                *in = (const int16_t *)c->in[0]->data;
    int16_t                      *out = (int16_t *)c->out[0]->data, *state = (int16_t *)npu__slot(c, d->state);
    int64_t                       n = npu__dim(c->in[0], -1), rows = n ? npu__signal_rows(c->in[0]) : 0, done = 0;
    for (int64_t r = 0; r < rows; r++) {
        npu__delay_i16(in + r * n, n, d->delay, state + r * d->delay, out + r * n);
        NPU__POLL_PASS(c, done, n + d->delay);
    }
    return NPU_OK;
}

/* The state moves as well. */
NPU__FN npu__work npu__signal_delay_work(const npu__ctx *c) {
    const npu__signal_delay_data *d = (const npu__signal_delay_data *)c->data;
    return npu__work_steps(c, npu__sat_mul(npu__dim(c->in[0], -1) ? npu__signal_rows(c->in[0]) : 0, d->delay));
}

NPU__OPDEF(npu__op_signal_delay) = {
    1, 1, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_delay_data),
    npu__infer_same_as_in0, npu__signal_delay_prepare, NULL, npu__signal_delay_eval, npu__signal_delay_work};

/* ---- SignalFramer: [.., n * step] -> [.., n, size], all frames valid? ---- */

typedef struct npu__signal_framer_data {
    const char *kernel; /* for profiles */
    int32_t size, step, prefill;
    int32_t capacity; /* of a row's queue */
    int32_t queue, held; /* slots: samples of every row; how many each row holds */
} npu__signal_framer_data;

NPU__FN npu_status npu__signal_framer_options(npu__ctx *c, npu__signal_framer_data *d) {
    NPU__TRY(npu__signal_opt(c, "frame_size", 1, 1 << 28, &d->size));
    NPU__TRY(npu__signal_opt(c, "frame_step", 1, 1 << 28, &d->step));
    NPU__TRY(npu__signal_opt(c, "prefill", 0, 1, &d->prefill));
    if (d->prefill && d->size < d->step) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_framer.step",
                         "frame_step must not exceed frame_size: got %d and %d", d->step, d->size);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__signal_framer_infer(npu__ctx *c) {
    npu__signal_framer_data o;
    npu__shape              s = c->in[0]->shape, scalar = npu__shape_make(0, 0, 0, 0, 0);
    NPU__TRY(npu__signal_framer_options(c, &o));
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK - 1));
    if (npu__dim(c->in[0], -1) % o.step != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_framer.input_length",
                         "rows of the input must be whole steps: got %d samples for frame_step %d",
                         npu__dim(c->in[0], -1), o.step);
    }
    s.dims[s.rank - 1] /= o.step;
    s.dims[s.rank++] = o.size;
    NPU__TRY(npu__set_shape(c, 0, &s));
    return npu__set_shape(c, 1, &scalar);
}

NPU__FN npu_status npu__signal_framer_prepare(npu__ctx *c) {
    npu__signal_framer_data *d = (npu__signal_framer_data *)c->data;
    size_t                   bytes;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_framer_options(c, d));
    NPU__TRY(npu__need_type(c, c->in[0], "the input", NPU_INT16));
    NPU__TRY(npu__need_type(c, c->out[0], "output 0", NPU_INT16));
    NPU__TRY(npu__need_type(c, c->out[1], "output 1", NPU_BOOL));
    /* Whole steps: a queue that holds less than a frame takes one more step, then gives one away. */
    d->capacity = (d->size + d->step - 1) / d->step * d->step;
    if (!npu__mul_size((size_t)npu__signal_rows(c->in[0]), (size_t)d->capacity * sizeof(int16_t), &bytes)) {
        return NPU__FAIL(c, NPU_LIMIT, "signal_framer.size", "frame_size %d is too long", d->size);
    }
    d->queue = npu__want_state(c, NPU__MAX(bytes, 2));
    d->held = npu__want_state(c, sizeof(int64_t));
    return d->queue < 0 || d->held < 0 ? NPU_LIMIT : NPU_OK;
}

/* Frames that are not complete yet are zeros. */
NPU__FN npu_status npu__signal_framer_eval(npu__ctx *c) {
    const npu__signal_framer_data *d = (const npu__signal_framer_data *)c->data;
    const int16_t                 *in = (const int16_t *)c->in[0]->data;
    int16_t                       *out = (int16_t *)c->out[0]->data, *queues = (int16_t *)npu__slot(c, d->queue);
    int64_t                       *held = (int64_t *)npu__slot(c, d->held), now;
    int64_t                        frames = npu__dim(c->in[0], -1) / d->step;
    int64_t                        rows = frames ? npu__signal_rows(c->in[0]) : 0, done = 0;
    uint8_t                        valid = 1;
    /* Prefilled with the zeros that fresh state holds, so that the first step completes a frame. */
    if (npu__first_time(c)) *held = d->prefill ? d->size - d->step : 0;
    now = *held;
    for (int64_t r = 0; r < rows; r++) {
        npu__signal_queue q;
        q.p = queues + r * d->capacity;
        q.n = *held;
        for (int64_t f = 0; f < frames; f++) {
            npu__signal_push(&q, in, d->step);
            if (q.n >= d->size) {
                memcpy(out, q.p, (size_t)d->size * sizeof *out);
                npu__signal_drop(&q, d->step);
            } else {
                memset(out, 0, (size_t)d->size * sizeof *out);
                valid = 0;
            }
            in += d->step;
            out += d->size;
            NPU__POLL_PASS(c, done, (int64_t)d->size + d->capacity);
        }
        now = q.n;
    }
    *held = now;
    *(uint8_t *)c->out[1]->data = valid;
    return NPU_OK;
}

/* With each frame its row's queue moves up. */
NPU__FN npu__work npu__signal_framer_work(const npu__ctx *c) {
    const npu__signal_framer_data *d = (const npu__signal_framer_data *)c->data;
    const int64_t                  frames = npu__elems(c->in[0]) / d->step;
    return npu__work_steps(c, npu__sat_mul(frames, (int64_t)d->size + d->capacity));
}

NPU__OPDEF(npu__op_signal_framer) = {
    1, 1, 2, 2, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_framer_data),
    npu__signal_framer_infer, npu__signal_framer_prepare, NULL, npu__signal_framer_eval, npu__signal_framer_work};

/* ---- SignalOverlapAdd: [.., n, size] -> [.., n * step] ---- */

typedef struct npu__signal_overlap_data { const char *kernel; int32_t step, state; } npu__signal_overlap_data;

NPU__FN npu_status npu__signal_overlap_infer(npu__ctx *c) {
    int32_t    step;
    int64_t    n;
    npu__shape s = c->in[0]->shape;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 2, NPU_MAX_RANK));
    NPU__TRY(npu__signal_opt(c, "frame_step", 0, npu__dim(c->in[0], -1), &step));
    n = (int64_t)npu__dim(c->in[0], -2) * step;
    if (n > INT32_MAX) {
        return NPU__FAIL(c, NPU_LIMIT, "signal_overlap_add.size", "the output would have %l samples a row", n);
    }
    s.rank--;
    s.dims[s.rank - 1] = (int32_t)n;
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__signal_overlap_prepare(npu__ctx *c) {
    npu__signal_overlap_data *d = (npu__signal_overlap_data *)c->data;
    int64_t                   elems = npu__dims_product(&c->in[0]->shape, 0, c->in[0]->shape.rank - 2);
    int32_t                   type;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_opt(c, "frame_step", 0, npu__dim(c->in[0], -1), &d->step));
    NPU__TRY(npu__signal_opt(c, "T", 0, 127, &type));
    if (type != NPU_INT16 && type != NPU_FLOAT32) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "signal_overlap_add.type", "T must be INT16 or FLOAT32: got %s",
                         npu_type_name((npu_type)type));
    }
    NPU__TRY(npu__need_type(c, c->in[0], "the input", type));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", type));
    elems *= npu__dim(c->in[0], -1); /* at most the input's elements, or a zero stands elsewhere */
    d->state = npu__want_state(c, NPU__MAX((size_t)elems, 1) * sizeof(float));
    return d->state < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__signal_overlap_eval(npu__ctx *c) {
    const npu__signal_overlap_data *d = (const npu__signal_overlap_data *)c->data;
    void                           *state = npu__slot(c, d->state);
    int32_t                         frame = npu__dim(c->in[0], -1), frames = npu__dim(c->in[0], -2);
    int64_t                         rows = npu__dims_product(&c->in[0]->shape, 0, c->in[0]->shape.rank - 2), done = 0;
    if (npu__elems(c->in[0]) == 0 || d->step == 0) return NPU_OK;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t f = r * frames; f < (r + 1) * frames; f++) {
            if (c->in[0]->type == NPU_INT16) {
                npu__overlap_add_i16((const int16_t *)c->in[0]->data + f * frame, frame, d->step,
                                     (int16_t *)state + r * frame, (int16_t *)c->out[0]->data + f * d->step);
            } else {
                npu__overlap_add_f32((const float *)c->in[0]->data + f * frame, frame, d->step,
                                     (float *)state + r * frame, (float *)c->out[0]->data + f * d->step);
            }
            NPU__POLL_PASS(c, done, 2 * (int64_t)frame);
        }
    }
    return NPU_OK;
}

/* Frames are added, and what remains of the sum moves up. */
NPU__FN npu__work npu__signal_overlap_work(const npu__ctx *c) {
    return npu__work_steps(c, npu__sat_mul(npu__elems(c->in[0]), 2));
}

NPU__OPDEF(npu__op_signal_overlap_add) = {
    1, 1, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_overlap_data),
    npu__signal_overlap_infer, npu__signal_overlap_prepare, NULL, npu__signal_overlap_eval, npu__signal_overlap_work};

/* ---- SignalStacker: one frame of channels -> the frames around it, valid? ---- */

typedef struct npu__signal_stacker_data {
    const char *kernel; /* for profiles */
    int32_t channels, left, right, step;
    int32_t queue, held; /* slots */
} npu__signal_stacker_data;

NPU__FN npu_status npu__signal_stacker_options(npu__ctx *c, npu__signal_stacker_data *d) {
    NPU__TRY(npu__signal_opt(c, "num_channels", 1, 1 << 15, &d->channels));
    NPU__TRY(npu__signal_opt(c, "stacker_left_context", 0, 1 << 14, &d->left));
    NPU__TRY(npu__signal_opt(c, "stacker_right_context", 0, 1 << 14, &d->right));
    return npu__signal_opt(c, "stacker_step", 1, d->left + d->right + 1, &d->step);
}

NPU__FN npu_status npu__signal_stacker_infer(npu__ctx *c) {
    npu__signal_stacker_data o;
    npu__shape               s, scalar = npu__shape_make(0, 0, 0, 0, 0);
    NPU__TRY(npu__signal_stacker_options(c, &o));
    s = npu__shape_make(1, o.channels * (o.left + o.right + 1), 0, 0, 0);
    NPU__TRY(npu__set_shape(c, 0, &s));
    return npu__set_shape(c, 1, &scalar);
}

NPU__FN npu_status npu__signal_stacker_prepare(npu__ctx *c) {
    npu__signal_stacker_data *d = (npu__signal_stacker_data *)c->data;
    NPU__TRY(npu__signal_named(c));
    NPU__TRY(npu__signal_stacker_options(c, d));
    NPU__TRY(npu__signal_io(c, c->in[0], "the input", NPU_INT16, 1, 1));
    NPU__TRY(npu__need_type(c, c->out[0], "output 0", NPU_INT16));
    NPU__TRY(npu__need_type(c, c->out[1], "output 1", NPU_BOOL));
    if (npu__dim(c->in[0], 0) != d->channels) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "signal_stacker.channels",
                         "the input must have num_channels entries: got %d for %d channels", npu__dim(c->in[0], 0),
                         d->channels);
    }
    d->queue = npu__want_state(c, c->out[0]->bytes);
    d->held = npu__want_state(c, sizeof(int64_t));
    return d->queue < 0 || d->held < 0 ? NPU_LIMIT : NPU_OK;
}

/* The first frame also stands for the ones before it. Until there are enough, the output is zeros. */
NPU__FN npu_status npu__signal_stacker_eval(npu__ctx *c) {
    const npu__signal_stacker_data *d = (const npu__signal_stacker_data *)c->data;
    int64_t                        *held = (int64_t *)npu__slot(c, d->held), whole = npu__elems(c->out[0]);
    int32_t                         copies = npu__first_time(c) ? d->left + 1 : 1;
    npu__signal_queue               q;
    q.p = (int16_t *)npu__slot(c, d->queue);
    q.n = *held;
    for (int32_t i = 0; i < copies; i++) npu__signal_push(&q, (const int16_t *)c->in[0]->data, d->channels);
    if (q.n >= whole) {
        memcpy(c->out[0]->data, q.p, c->out[0]->bytes);
        npu__signal_drop(&q, (int64_t)d->channels * d->step);
        *(uint8_t *)c->out[1]->data = 1;
    } else {
        memset(c->out[0]->data, 0, c->out[0]->bytes);
        *(uint8_t *)c->out[1]->data = 0;
    }
    *held = q.n;
    return NPU_OK;
}

/* The queue moves up; in the first run it is filled. */
NPU__FN npu__work npu__signal_stacker_work(const npu__ctx *c) { return npu__work_each(c, 2); }

NPU__OPDEF(npu__op_signal_stacker) = {
    1, 1, 2, 2, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__signal_stacker_data),
    npu__signal_stacker_infer, npu__signal_stacker_prepare, NULL, npu__signal_stacker_eval, npu__signal_stacker_work};
