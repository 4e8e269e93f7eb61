/* ROPE of Circle: rotary position embedding of [.., depth] in float. The tables of sines and cosines broadcast to the input, so one
 * row serves all positions (all that onert's kernel takes) and one for each position is what the arithmetic asks for. */
#include "util.h"

enum { NPU__ROPE_NEOX, NPU__ROPE_GPT_J };

NPU__FN npu_status npu__rope_table(npu__ctx *c, int32_t i, const char *what) {
    const npu__val *in = c->in[0], *t = c->in[i];
    NPU__TRY(npu__need_type(c, t, what, NPU_FLOAT32));
    for (int32_t k = 1; k <= NPU_MAX_RANK; k++) {
        const int32_t d = npu__dim(t, -k);
        if (d == npu__dim(in, -k) || (k > 1 && d == 1)) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rope.table", "%s must fit the input: dimension %d from the end is %d, that of the "
                         "input %d", what, k, d, npu__dim(in, -k));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__rope_prepare(npu__ctx *c) {
    const npu__val *in = c->in[0];
    const int32_t   mode = NPU__OPTIONS(c->node, RoPEOptions)->mode;
    NPU__TRY(npu__need_rank(c, in, "the input", 1, NPU_MAX_RANK));
    if (in->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    if (npu__dim(in, -1) % 2 != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rope.depth", "the last dimension must be even: got %d", npu__dim(in, -1));
    }
    if (mode != NPU__ROPE_NEOX && mode != NPU__ROPE_GPT_J) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rope.mode", "mode %d does not exist", mode);
    }
    NPU__TRY(npu__rope_table(c, 1, "the table of sines"));
    return npu__rope_table(c, 2, "the table of cosines");
}

/* Where the table's row for the input's row `row` begins. */
NPU__FN int64_t npu__rope_row(const npu__val *in, const npu__val *t, int64_t row) {
    int64_t at = 0, step = npu__dim(t, -1);
    for (int32_t k = 2; k <= in->shape.rank; k++) {
        const int32_t n = npu__dim(in, -k), d = npu__dim(t, -k);
        if (d > 1) at += row % n * step;
        step *= d;
        row /= n;
    }
    return at;
}

NPU__FN npu_status npu__rope_eval(npu__ctx *c) {
    const npu__val *in = c->in[0];
    const int32_t   depth = npu__dim(in, -1), half = depth / 2;
    const int       pairs = NPU__OPTIONS(c->node, RoPEOptions)->mode == NPU__ROPE_GPT_J;
    const float    *x = (const float *)in->data;
    float          *y = (float *)c->out[0]->data;
    int64_t         done = 0, rows;
    if (c->out[0]->bytes == 0) return NPU_OK;
    rows = npu__elems(in) / depth;
    for (int64_t row = 0; row < rows; row++, x += depth, y += depth) {
        const float *s = (const float *)c->in[1]->data + npu__rope_row(in, c->in[1], row);
        const float *k = (const float *)c->in[2]->data + npu__rope_row(in, c->in[2], row);
        NPU__POLL_PASS(c, done, depth);
        /* NEOX turns (x[i], x[i + half]), GPT-J neighbours. */
        for (int32_t i = 0; i < half; i++) {
            const int32_t a = pairs ? 2 * i : i, b = pairs ? 2 * i + 1 : i + half;
            const float   u = x[a], v = x[b];
            y[a] = u * k[a] - v * s[a];
            y[b] = u * s[b] + v * k[b];
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_rope) = {3, 3, 1, 1, 0, 0, NPU__NO_DATA, npu__infer_same_as_in0, npu__rope_prepare, NULL, npu__rope_eval, NULL};
