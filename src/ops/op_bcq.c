/* BCQ_FULLY_CONNECTED and BCQ_GATHER of Circle: float weights as sums of scaled signs. Weight [row, h] is, over the row's bits b,
 *
 *     sum of scale[b] where bit h of word row is set, of -scale[b] where it is not
 *
 * Clusters [n, 2] say for how many rows how many bits stand: {bits, rows}. Rows follow each other, the bits of a row as well, in
 * the scales one number each and in the binary the words of ONE's own packer (bit h % 32 of word h / 32). */
#include "move_util.h"

typedef struct npu__bcq {
    int64_t rows, words, hidden;
    int64_t n;       /* FULLY_CONNECTED: columns of the input */
    int32_t axis;    /* GATHER */
    int32_t slot;    /* a row of weights */
    float   lo, hi;
} npu__bcq;

typedef struct npu__bcq_io {
    int32_t scales, binary, clusters;
} npu__bcq_io;

/* Rows of all clusters; *codes: rows times bits. NPU__DYNAMIC: the clusters are not known yet. */
NPU__FN npu_status npu__bcq_rows(npu__ctx *c, int32_t clusters, int64_t *rows, int64_t *codes) {
    const npu__val *v = c->in[clusters];
    *rows = *codes = 0;
    NPU__TRY(npu__need_type(c, v, "the clusters", NPU_INT32));
    if (v->shape.rank != 2 || v->shape.dims[1] != 2) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "bcq.clusters", "clusters must be [n,2]");
    }
    if (!v->data && v->bytes) return NPU__DYNAMIC;
    for (int64_t i = 0; i < v->shape.dims[0]; i++) {
        const int64_t bits = npu__int_at(v, 2 * i), n = npu__int_at(v, 2 * i + 1);
        if (bits < 1 || bits > 32 || n < 0 || *rows + n > INT32_MAX) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "bcq.cluster", "cluster %l has %l bits and %l rows", i, bits, n);
        }
        *rows += n;
        *codes += bits * n; /* bounded: 32 times a number of 31 bits, once a cluster of the file at most */
        if (*codes > ((int64_t)1 << 40)) return NPU__FAIL(c, NPU_LIMIT, "bcq.codes", "the clusters have too many rows");
    }
    return NPU_OK;
}

NPU__FN npu_status npu__bcq_prepare(npu__ctx *c, npu__bcq_io io, int32_t hidden, npu__bcq *d) {
    int64_t codes;
    NPU__TRY(npu__bcq_rows(c, io.clusters, &d->rows, &codes));
    NPU__TRY(npu__need_type(c, c->in[io.scales], "the scales", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->in[io.binary], "the binary", NPU_INT32));
    d->hidden = hidden;
    d->words = ((int64_t)hidden + 31) / 32;
    if (npu__elems(c->in[io.scales]) != codes || npu__elems(c->in[io.binary]) != npu__sat_mul(codes, d->words)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "bcq.size", "the clusters speak of %l scales and %l words for each: there are %l and "
                         "%l in all", codes, d->words, npu__elems(c->in[io.scales]), npu__elems(c->in[io.binary]));
    }
    d->slot = npu__want_scratch(c, sizeof(float) * (size_t)hidden); /* bounded: 4 times 31 bits, on 32-bit machines a limit */
    return d->slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* Where a row's codes begin, and how many there are. Rows may be asked for in any order. */
NPU__FN int64_t npu__bcq_find(const npu__val *clusters, int64_t row, int32_t *bits) {
    int64_t at = 0;
    *bits = 0;
    for (int64_t i = 0; i < clusters->shape.dims[0]; i++) {
        const int64_t n = npu__int_at(clusters, 2 * i + 1);
        *bits = (int32_t)npu__int_at(clusters, 2 * i);
        if (row < n) return at + row * *bits;
        row -= n;
        at += n * *bits;
    }
    *bits = 0;
    return 0;
}

/* Element `h` of the weights that begin at code `at`. */
NPU__FN float npu__bcq_weight(const float *scales, const uint32_t *words, int64_t n_words, int64_t at, int32_t bits, int64_t h) {
    float sum = 0.0f;
    for (int32_t b = 0; b < bits; b++) {
        const int set = (words[(at + b) * n_words + h / 32] >> (h % 32)) & 1u;
        sum += set ? scales[at + b] : -scales[at + b];
    }
    return sum;
}

NPU__FN void npu__bcq_row(npu__ctx *c, npu__bcq_io io, const npu__bcq *d, int64_t row, float *out) {
    int32_t       bits;
    const int64_t at = npu__bcq_find(c->in[io.clusters], row, &bits);
    for (int64_t h = 0; h < d->hidden; h++) {
        out[h] = npu__bcq_weight((const float *)c->in[io.scales]->data, (const uint32_t *)c->in[io.binary]->data, d->words, at, bits, h);
    }
}

/* ---- BCQ_FULLY_CONNECTED: weights [rows, hidden] times the input [hidden, n], bias for each row ---- */

static const npu__bcq_io npu__bcq_fc_io = {1, 2, 4};

NPU__FN npu_status npu__bcq_fc_infer(npu__ctx *c) {
    int64_t    rows, codes;
    npu__shape s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 2, 2));
    NPU__TRY(npu__bcq_rows(c, npu__bcq_fc_io.clusters, &rows, &codes));
    s = npu__shape_make(2, (int32_t)rows, c->in[0]->shape.dims[1], 0, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__bcq_fc_prepare(npu__ctx *c) {
    npu__bcq       *d = (npu__bcq *)c->data;
    const npu__val *in = c->in[0], *bias = npu__opt_in(c, 3);
    const int32_t   hidden = NPU__OPTIONS(c->node, BCQFullyConnectedOptions)->weights_hidden_size;
    if (in->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    if (hidden != in->shape.dims[0]) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "bcq.hidden_size", "weights_hidden_size is %d, the input [%d,%d]", hidden,
                         in->shape.dims[0], in->shape.dims[1]);
    }
    NPU__TRY(npu__bcq_prepare(c, npu__bcq_fc_io, hidden, d));
    d->n = in->shape.dims[1];
    if (bias) {
        NPU__TRY(npu__need_type(c, bias, "the bias", NPU_FLOAT32));
        if (npu__elems(bias) != d->rows) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "bcq.bias", "the bias must have %l elements: got %l", d->rows, npu__elems(bias));
        }
    }
    return npu__act_range_f32(c, npu__fused_activation(c->node), &d->lo, &d->hi);
}

NPU__FN npu_status npu__bcq_fc_eval(npu__ctx *c) {
    const npu__bcq *d = (const npu__bcq *)c->data;
    const npu__val *bias = npu__opt_in(c, 3);
    const float    *x = (const float *)c->in[0]->data;
    float          *w = (float *)npu__slot(c, d->slot), *y = (float *)c->out[0]->data;
    int64_t         done = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int64_t row = 0; row < d->rows; row++, y += d->n) {
        const float b = bias ? ((const float *)bias->data)[row] : 0.0f;
        NPU__POLL_PASS(c, done, d->hidden * (d->n + 8) + c->in[4]->shape.dims[0]);
        npu__bcq_row(c, npu__bcq_fc_io, d, row, w);
        for (int64_t k = 0; k < d->n; k++) y[k] = b;
        for (int64_t h = 0; h < d->hidden; h++) {
            for (int64_t k = 0; k < d->n; k++) y[k] += w[h] * x[h * d->n + k];
        }
        for (int64_t k = 0; k < d->n; k++) y[k] = y[k] < d->lo ? d->lo : y[k] > d->hi ? d->hi : y[k];
    }
    return NPU_OK;
}

NPU__FN npu__work npu__bcq_fc_work(const npu__ctx *c) {
    return npu__work_macs(c, npu__sat_mul(npu__elems(c->out[0]), npu__dim(c->in[0], 0)));
}

/* ---- BCQ_GATHER: rows (axis 0) or columns (axis 1) of the weights [rows, hidden] ---- */

static const npu__bcq_io npu__bcq_gather_io = {0, 1, 3};

NPU__FN npu_status npu__bcq_gather_infer(npu__ctx *c) {
    const npu__opts_BCQGatherOptions *o = NPU__OPTIONS(c->node, BCQGatherOptions);
    const npu__shape                 *at = &c->in[2]->shape;
    int64_t                           rows, codes;
    npu__shape                        s;
    NPU__TRY(npu__bcq_rows(c, npu__bcq_gather_io.clusters, &rows, &codes));
    if (o->input_hidden_size < 1 || (o->axis != 0 && o->axis != 1)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "bcq.gather", "input_hidden_size %d, axis %d: the one must be positive, the other 0 or "
                         "1", o->input_hidden_size, o->axis);
    }
    NPU__TRY(npu__need_max_rank(c, at->rank + 1));
    memset(&s, 0, sizeof s);
    if (o->axis == 1) s.dims[s.rank++] = (int32_t)rows;
    for (int32_t i = 0; i < at->rank; i++) s.dims[s.rank++] = at->dims[i];
    if (o->axis == 0) s.dims[s.rank++] = o->input_hidden_size;
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__bcq_gather_prepare(npu__ctx *c) {
    npu__bcq                         *d = (npu__bcq *)c->data;
    const npu__opts_BCQGatherOptions *o = NPU__OPTIONS(c->node, BCQGatherOptions);
    const int32_t                     type = c->in[2]->type;
    if ((type != NPU_INT32 && type != NPU_INT64) || c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    d->axis = o->axis;
    return npu__bcq_prepare(c, npu__bcq_gather_io, o->input_hidden_size, d);
}

NPU__FN npu_status npu__bcq_gather_eval(npu__ctx *c) {
    const npu__bcq *d = (const npu__bcq *)c->data;
    const npu__val *at = c->in[2];
    const int64_t   picks = npu__elems(at), limit = d->axis == 0 ? d->rows : d->hidden;
    float          *w = (float *)npu__slot(c, d->slot), *y = (float *)c->out[0]->data;
    int64_t         done = 0;
    for (int64_t i = 0; i < picks; i++) {
        const int64_t pick = npu__int_at(at, i);
        if (pick >= 0 && pick < limit) continue;
        return NPU__FAIL(c, NPU_BAD_INPUT, "bcq.index", "index %l at position %l is outside of [0, %l)", pick, i, limit);
    }
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int64_t i = 0; i < (d->axis == 0 ? picks : d->rows); i++) {
        NPU__POLL_PASS(c, done, 8 * d->hidden + picks + c->in[3]->shape.dims[0]);
        if (d->axis == 0) {
            npu__bcq_row(c, npu__bcq_gather_io, d, npu__int_at(at, i), y);
            y += d->hidden;
            continue;
        }
        npu__bcq_row(c, npu__bcq_gather_io, d, i, w);
        for (int64_t k = 0; k < picks; k++) *y++ = w[npu__int_at(at, k)];
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_bcq_fully_connected) = {5, 5, 1, 1, 1u << 3, 0, NPU__DATA(npu__bcq), npu__bcq_fc_infer, npu__bcq_fc_prepare,
                                           NULL, npu__bcq_fc_eval, npu__bcq_fc_work};
NPU__OPDEF(npu__op_bcq_gather) = {4, 4, 1, 1, 0, 0, NPU__DATA(npu__bcq), npu__bcq_gather_infer, npu__bcq_gather_prepare, NULL,
                                  npu__bcq_gather_eval, NULL};
