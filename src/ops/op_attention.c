/* ATTENTION of Circle, float only: one layer of a decoder with its caches, as onert computes it, batches of 1.
 *
 *     q, k, v = x * wq', x * wk', x * wv'; q and k turned by ROPE (NEOX); row `pos` and following of the caches become k and v
 *     out = softmax(q * k_cache' / sqrt(head) + mask) * v_cache, heads side by side, * wo'
 *
 * Caches that are variables keep the new rows; others (an input of the graph) are only read, with the new rows in their place. */
#include "util.h"

typedef struct npu__attention {
    int32_t tokens, model, heads, head, cache;
    int32_t context;      /* columns that are looked at: of the mask, at most of the cache */
    int32_t slot;         /* q, k, v, heads' outputs: tokens x model each */
    int32_t score_slot;   /* context */
} npu__attention;

enum { NPU__ATT_X, NPU__ATT_WQ, NPU__ATT_WK, NPU__ATT_WV, NPU__ATT_WO, NPU__ATT_COS, NPU__ATT_SIN, NPU__ATT_MASK, NPU__ATT_K,
       NPU__ATT_V, NPU__ATT_POS };

NPU__FN npu_status npu__attention_caches(npu__ctx *c, npu__attention *d) {
    for (int32_t i = NPU__ATT_K; i <= NPU__ATT_V; i++) {
        const npu__val *v = c->in[i];
        NPU__TRY(npu__need_type(c, v, "the cache", NPU_FLOAT32));
        NPU__TRY(npu__need_rank(c, v, "the cache", 4, 4));
        if (i == NPU__ATT_K) {
            d->cache = v->shape.dims[1];
            d->heads = v->shape.dims[2];
            d->head = v->shape.dims[3];
        }
        if (v->shape.dims[0] != 1 || v->shape.dims[1] != d->cache || v->shape.dims[2] != d->heads || v->shape.dims[3] != d->head ||
            d->heads < 1 || d->head < 1 || d->head % 2 != 0 || (int64_t)d->heads * d->head != d->model) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "attention.cache", "both caches must be [1,size,heads,head], head even and heads x "
                             "head %d: got [%d,%d,%d,%d]", d->model, v->shape.dims[0], v->shape.dims[1], v->shape.dims[2],
                             v->shape.dims[3]);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__attention_tables(npu__ctx *c, npu__attention *d) {
    const npu__val *mask = c->in[NPU__ATT_MASK], *pos = c->in[NPU__ATT_POS];
    for (int32_t i = NPU__ATT_COS; i <= NPU__ATT_SIN; i++) {
        NPU__TRY(npu__need_type(c, c->in[i], "a table of positions", NPU_FLOAT32));
        if (npu__elems(c->in[i]) != (int64_t)d->tokens * d->head) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "attention.table", "cos and sin must have %d x %d elements: got %l", d->tokens,
                             d->head, npu__elems(c->in[i]));
        }
    }
    d->context = d->cache;
    if (mask) {
        NPU__TRY(npu__need_type(c, mask, "the mask", NPU_FLOAT32));
        if (npu__elems(mask) != (int64_t)d->tokens * npu__dim(mask, -1)) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "attention.mask", "the mask must have one row for each of %d tokens, the same for "
                             "all heads", d->tokens);
        }
        d->context = NPU__MIN(d->cache, npu__dim(mask, -1));
    }
    if (npu__elems(pos) < 1 || (pos->type != NPU_INT64 && pos->type != NPU_INT32)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "attention.position", "the position must be an INT32 or INT64 number");
    }
    return NPU_OK;
}

NPU__FN npu_status npu__attention_prepare(npu__ctx *c) {
    npu__attention *d = (npu__attention *)c->data;
    const npu__val *x = c->in[NPU__ATT_X];
    size_t          bytes;
    NPU__TRY(npu__need_rank(c, x, "the input", 3, 3));
    if (x->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    if (x->shape.dims[0] != 1) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "attention.batch", "only batches of 1 are supported: got %d", x->shape.dims[0]);
    }
    d->tokens = x->shape.dims[1];
    d->model = x->shape.dims[2];
    for (int32_t i = NPU__ATT_WQ; i <= NPU__ATT_WO; i++) {
        NPU__TRY(npu__need_type(c, c->in[i], "the weights", NPU_FLOAT32));
        NPU__TRY(npu__need_rank(c, c->in[i], "the weights", 2, 2));
        if (c->in[i]->shape.dims[0] == d->model && c->in[i]->shape.dims[1] == d->model) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "attention.weights", "weights must be [%d,%d]: got [%d,%d]", d->model, d->model,
                         c->in[i]->shape.dims[0], c->in[i]->shape.dims[1]);
    }
    NPU__TRY(npu__attention_caches(c, d));
    NPU__TRY(npu__attention_tables(c, d));
    bytes = x->bytes;
    if (bytes > SIZE_MAX / 4) return NPU_LIMIT;
    d->slot = npu__want_scratch(c, 4 * bytes);
    d->score_slot = npu__want_scratch(c, sizeof(float) * (size_t)d->context); /* bounded: a dimension of a float tensor */
    return d->slot < 0 || d->score_slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* y[tokens, model] = x * w' */
NPU__FN npu_status npu__attention_project(npu__ctx *c, const npu__attention *d, const float *x, int32_t weights, float *y) {
    int64_t done = 0;
    for (int32_t t = 0; t < d->tokens; t++, x += d->model) {
        const float *w = (const float *)c->in[weights]->data;
        for (int32_t k = 0; k < d->model; k++, w += d->model) {
            float sum = 0.0f;
            NPU__POLL_PASS(c, done, d->model);
            for (int32_t j = 0; j < d->model; j++) sum += x[j] * w[j];
            *y++ = sum;
        }
    }
    NPU__POLL(c, done);
    return NPU_OK;
}

NPU__FN void npu__attention_turn(const npu__ctx *c, const npu__attention *d, float *x) {
    const int32_t half = d->head / 2;
    for (int32_t t = 0; t < d->tokens; t++) {
        const float *k = (const float *)c->in[NPU__ATT_COS]->data + (int64_t)t * d->head;
        const float *s = (const float *)c->in[NPU__ATT_SIN]->data + (int64_t)t * d->head;
        for (int32_t h = 0; h < d->heads; h++, x += d->head) {
            for (int32_t i = 0; i < half; i++) {
                const float u = x[i], v = x[i + half];
                x[i] = u * k[i] - v * s[i];
                x[i + half] = u * s[i + half] + v * k[i + half];
            }
        }
    }
}

/* The vector of head `h` in row `row` of a cache, or of the new rows. */
NPU__FN const float *npu__attention_row(const npu__attention *d, const npu__val *cache, const float *fresh, int64_t pos, int64_t row,
                                        int32_t h) {
    const float *from = row >= pos && row < pos + d->tokens ? fresh + (row - pos) * d->model
                                                            : (const float *)cache->data + row * d->model;
    return from + (int64_t)h * d->head;
}

/* One head of one token. */
NPU__FN void npu__attention_head(npu__ctx *c, const npu__attention *d, const float *q, int64_t pos, int32_t t, int32_t h, float *out) {
    const npu__val *mask = c->in[NPU__ATT_MASK];
    const float    *m = mask ? (const float *)mask->data + (int64_t)t * npu__dim(mask, -1) : NULL;
    const int64_t   size = (int64_t)d->tokens * d->model;
    const float    *fresh_k = (const float *)npu__slot(c, d->slot) + size, *fresh_v = fresh_k + size;
    float          *score = (float *)npu__slot(c, d->score_slot), top = -INFINITY, sum = 0.0f;
    const float     scale = 1.0f / sqrtf((float)d->head);
    const int32_t   n = m ? d->context : (int32_t)NPU__MIN((int64_t)d->context, pos + t + 1); /* without one: what came before */
    for (int32_t i = 0; i < n; i++) {
        const float *k = npu__attention_row(d, c->in[NPU__ATT_K], fresh_k, pos, i, h);
        float        dot = 0.0f;
        for (int32_t j = 0; j < d->head; j++) dot += q[j] * k[j];
        score[i] = dot * scale + (m ? m[i] : 0.0f);
        if (score[i] > top) top = score[i];
    }
    for (int32_t i = 0; i < n; i++) sum += score[i] = expf(score[i] - top);
    for (int32_t j = 0; j < d->head; j++) out[j] = 0.0f;
    for (int32_t i = 0; i < n; i++) {
        const float *v = npu__attention_row(d, c->in[NPU__ATT_V], fresh_v, pos, i, h);
        if (score[i] > 0.0f || isnan(score[i])) { /* rows that the mask hides may hold anything */
            for (int32_t j = 0; j < d->head; j++) out[j] += score[i] / sum * v[j];
        }
    }
}

NPU__FN npu_status npu__attention_eval(npu__ctx *c) {
    const npu__attention *d = (const npu__attention *)c->data;
    const int64_t         size = (int64_t)d->tokens * d->model, pos = npu__int_at(c->in[NPU__ATT_POS], 0);
    float                *q = (float *)npu__slot(c, d->slot), *out = q + 3 * size;
    if (c->out[0]->bytes == 0) return NPU_OK;
    if (pos < 0 || pos > d->cache - d->tokens) {
        return NPU__FAIL(c, NPU_BAD_INPUT, "attention.position", "position %l: the cache has room for %d rows, %d are new", pos,
                         d->cache, d->tokens);
    }
    for (int32_t i = 0; i < 3; i++) {
        NPU__TRY(npu__attention_project(c, d, (const float *)c->in[NPU__ATT_X]->data, NPU__ATT_WQ + i, q + i * size));
    }
    npu__attention_turn(c, d, q);
    npu__attention_turn(c, d, q + size);
    for (int32_t i = 0; i < 2; i++) {
        const npu__val *cache = c->in[NPU__ATT_K + i];
        if (cache->t->is_variable) {
            memcpy((float *)cache->data + pos * d->model, q + (1 + i) * size, (size_t)size * sizeof(float)); /* bounded: of a tensor */
        }
    }
    for (int32_t t = 0; t < d->tokens; t++) {
        for (int32_t h = 0; h < d->heads; h++) {
            const int64_t at = (int64_t)t * d->model + (int64_t)h * d->head;
            NPU__POLL(c, 2 * (int64_t)d->context * d->head);
            npu__attention_head(c, d, q + at, pos, t, h, out + at);
        }
    }
    return npu__attention_project(c, d, out, NPU__ATT_WO, (float *)c->out[0]->data);
}

NPU__FN npu__work npu__attention_work(const npu__ctx *c) {
    const npu__attention *d = (const npu__attention *)c->data;
    return npu__work_macs(c, npu__sat_mul((int64_t)d->tokens * d->model, 4 * (int64_t)d->model + 2 * (int64_t)d->context));
}

NPU__OPDEF(npu__op_attention) = {11, 11, 1, 1, 1u << NPU__ATT_MASK, NPU__OP_STATEFUL, NPU__DATA(npu__attention),
                                 npu__infer_same_as_in0, npu__attention_prepare, NULL, npu__attention_eval, npu__attention_work};
