/* EMBEDDING_LOOKUP, EMBEDDING_LOOKUP_SPARSE: rows of a table by number, as they are, as real numbers, or combined. */
#include "move_util.h"

/* Row `index` of a table. */
NPU__FN npu_status npu__embedding_index(npu__ctx *c, const npu__val *ids, int64_t i, const npu__val *table, int64_t *index) {
    *index = npu__int_at(ids, i);
    if (*index >= 0 && *index < npu__dim(table, 0)) return NPU_OK;
    return NPU__FAIL(c, npu__value_fault(ids), "embedding_lookup.index", "a row must be in [0, %d]: got %l",
                     npu__dim(table, 0) - 1, *index);
}

/* ---- EMBEDDING_LOOKUP ---- */

NPU__FN npu_status npu__embedding_infer(npu__ctx *c) {
    npu__shape s = c->in[1]->shape;
    NPU__TRY(npu__need_type(c, c->in[0], "the rows' numbers", NPU_INT32));
    NPU__TRY(npu__need_rank(c, c->in[0], "the rows' numbers", 1, 1));
    NPU__TRY(npu__need_rank(c, c->in[1], "the table", 2, NPU_MAX_RANK));
    s.dims[0] = npu__dim(c->in[0], 0);
    return npu__set_shape(c, 0, &s);
}

typedef struct npu__embedding {
    const char     *kernel;
    int64_t         block;  /* elements that share a scale */
    const uint16_t *scales; /* of blocks, in the model; NULL: those of the table */
} npu__embedding;

NPU__FN int npu__embedding_small(int32_t type) {
    return type == NPU_INT8 || type == NPU_UINT8 || type == NPU_INT4 || type == NPU_INT2;
}

NPU__FN npu_status npu__embedding_prepare(npu__ctx *c) {
    const npu__val  *table = c->in[1], *out = c->out[0];
    const npu_quant *q = &table->t->quant;
    npu__embedding  *d = (npu__embedding *)c->data;
    d->block = npu__dims_product(&table->shape, 1, table->shape.rank);
    d->scales = NULL;
    d->kernel = NPU__LOOPS_ANY;
    if (table->type == out->type && npu__elem_bytes(out->type) > 0) return NPU_OK;
    if (!npu__embedding_small(table->type) || (out->type != NPU_FLOAT32 && out->type != NPU_FLOAT16)) return npu__fail_types(c);
    if (table->t->blockwise) {
        const int32_t depth = npu__dim(table, table->shape.rank - 1);
        int32_t       block;
        NPU__TRY(npu__need_block_scales(c, table, npu__dims_product(&table->shape, 0, table->shape.rank - 1), depth, &block, &d->scales));
        d->block = block;
        return NPU_OK;
    }
    NPU__TRY(npu__need_channel_quant(c, table, "the table", npu__dim(table, 0)));
    if (q->count > 1 && q->axis != 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "embedding_lookup.axis", "tables with several scales must have one a row, axis 0: "
                         "got axis %d", q->axis);
    }
    /* Kernels never subtract them: LiteRT refuses the first one where the output is FLOAT32. */
    if (out->type == NPU_FLOAT32 && q->zero_point[0] != 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "embedding_lookup.zero_point", "the table's zero point must be 0: got %d",
                         q->zero_point[0]);
    }
    return NPU_OK;
}

/* Element i as a whole number. Those of UINT8 tables are taken for INT8, as in LiteRT: early converters wrote them so. */
NPU__INLINE int32_t npu__embedding_at(const npu__val *table, int64_t i) {
    const uint8_t *p = (const uint8_t *)table->data;
    if (table->type == NPU_INT4) return (int32_t)(npu__nibble(p, i) ^ 8) - 8;
    if (table->type == NPU_INT2) return (int32_t)(((p[i >> 2] >> ((i & 3) * 2)) & 3) ^ 2) - 2;
    return (int32_t)(p[i] ^ 128) - 128;
}

enum { NPU__EMBEDDING_SOME = 32 };

/* SOME elements of 8 or 4 bits, from a whole byte on. */
NPU__INLINE void npu__embedding_bytes(const uint8_t *p, float scale, float *to) {
    NPU__VEC_FOR(i, NPU__EMBEDDING_SOME) to[i] = (float)(int8_t)p[i] * scale;
}
NPU__INLINE void npu__embedding_nibbles(const uint8_t *p, float scale, float *to) {
    NPU__VEC_FOR(i, NPU__EMBEDDING_SOME / 2) {
        to[2 * i] = (float)(int8_t)((uint32_t)p[i] << 4) * (scale / 16.0f); /* by a power of two: the same product */
        to[2 * i + 1] = (float)(int8_t)(p[i] & 0xF0) * (scale / 16.0f);
    }
}

/* n elements from `at` on that share a scale. */
NPU__FN void npu__embedding_part(const npu__ctx *c, int64_t at, int64_t n, float scale, uint8_t *to) {
    const npu__val *table = c->in[1];
    const uint8_t  *p = (const uint8_t *)table->data;
    const int       narrow = table->type == NPU_INT4;
    int64_t         i = 0;
    if (c->out[0]->type == NPU_FLOAT32 && table->type != NPU_INT2 && (!narrow || (at % 2 == 0 && scale > 1e-30f))) {
        float *reals = (float *)(void *)to;
        for (; i + NPU__EMBEDDING_SOME <= n; i += NPU__EMBEDDING_SOME) {
            if (narrow) npu__embedding_nibbles(p + (at + i) / 2, scale, reals + i);
            else npu__embedding_bytes(p + at + i, scale, reals + i);
        }
    }
    for (; i < n; i++) {
        const float x = (float)npu__embedding_at(table, at + i) * scale;
        if (c->out[0]->type == NPU_FLOAT32) ((float *)(void *)to)[i] = x;
        else ((uint16_t *)(void *)to)[i] = npu__f16_from_f32(x);
    }
}

/* `run` elements of row `index` as real numbers. */
NPU__FN void npu__embedding_real(const npu__ctx *c, int64_t index, int64_t run, uint8_t *to) {
    const npu_quant      *q = &c->in[1]->t->quant;
    const npu__embedding *d = (const npu__embedding *)c->data;
    const size_t          elem = npu__elem_bytes(c->out[0]->type);
    for (int64_t j = 0, n; j < run; j += n) {
        const int64_t at = index * run + j;
        n = NPU__MIN(d->block, run - j);
        npu__embedding_part(c, at, n, d->scales ? npu__f16_to_f32(d->scales[at / d->block]) : q->scale[q->count > 1 ? index : 0],
                            to + (size_t)j * elem);
    }
}

NPU__FN npu_status npu__embedding_eval(npu__ctx *c) {
    const npu__val *ids = c->in[0], *table = c->in[1], *out = c->out[0];
    const int64_t   run = npu__dims_product(&table->shape, 1, table->shape.rank), n = npu__elems(ids);
    const size_t    elem = npu__elem_bytes(out->type);
    int64_t         index, done = 0;
    for (int64_t i = 0; i < n; i++) {
        NPU__TRY(npu__embedding_index(c, ids, i, table, &index));
        NPU__POLL_PASS(c, done, 1);
    }
    for (int64_t i = 0; i < n && run > 0; i++) {
        uint8_t *to = (uint8_t *)out->data + (size_t)(i * run) * elem;
        NPU__TRY(npu__embedding_index(c, ids, i, table, &index));
        NPU__POLL_PASS(c, done, run);
        if (table->type == out->type) npu__copy_some(c, to, (const uint8_t *)table->data + (size_t)(index * run) * elem, (size_t)run * elem);
        else npu__embedding_real(c, index, run, to);
    }
    return NPU_OK;
}

NPU__FN npu__work npu__embedding_work(const npu__ctx *c) { return npu__work_steps(c, 0); }

NPU__OPDEF(npu__op_embedding_lookup) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__embedding), npu__embedding_infer, npu__embedding_prepare, NULL,
                                        npu__embedding_eval, npu__embedding_work};

/* ---- EMBEDDING_LOOKUP_SPARSE: weighted rows that share an output row are combined ---- */

enum { NPU__EMBEDDING_SUM = 0, NPU__EMBEDDING_MEAN = 1, NPU__EMBEDDING_SQRTN = 2 };

NPU__FN npu_status npu__embedding_sparse_infer(npu__ctx *c) {
    const npu__val *dims = c->in[2], *table = c->in[4];
    npu__shape      s;
    for (int32_t i = 0; i < 3; i++) NPU__TRY(npu__need_type(c, c->in[i], "numbers, places and dimensions", NPU_INT32));
    NPU__TRY(npu__need_rank(c, table, "the table", 2, NPU_MAX_RANK));
    NPU__TRY(npu__need_dims_vector(c, dims, "the list of dimensions"));
    NPU__TRY(npu__need_max_rank(c, (int64_t)dims->shape.dims[0] - 1 + table->shape.rank - 1));
    if (!npu__values_known(dims)) return NPU__DYNAMIC;
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < dims->shape.dims[0] - 1; i++) {
        NPU__TRY(npu__dim_value(c, dims, npu__int_at(dims, i), &s.dims[s.rank++]));
    }
    for (int32_t i = 1; i < table->shape.rank; i++) s.dims[s.rank++] = table->shape.dims[i];
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__embedding_sparse_prepare(npu__ctx *c) {
    const int32_t n = npu__dim(c->in[0], 0);
    NPU__TRY(npu__need_rank(c, c->in[0], "the rows' numbers", 1, 1));
    NPU__TRY(npu__need_rank(c, c->in[1], "the places", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[3], "the weights", 1, 1));
    NPU__TRY(npu__need_type(c, c->in[3], "the weights", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->in[4], "the table", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", NPU_FLOAT32));
    if (npu__dim(c->in[1], 0) == n && npu__dim(c->in[3], 0) == n && npu__dim(c->in[1], 1) == npu__dim(c->in[2], 0) &&
        npu__dim(c->in[1], 1) > 0) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "embedding_lookup_sparse.shape", "for %d rows there must be as many weights and "
                     "places, and places must have as many numbers as there are dimensions, at least 1", n);
}

/* The place of look-up i among the rows of the output: the last number of a place does not count. */
NPU__FN npu_status npu__embedding_bucket(npu__ctx *c, int64_t i, int64_t *bucket) {
    const npu__val *at = c->in[1];
    const int32_t   depth = npu__dim(at, 1);
    *bucket = 0;
    for (int32_t d = 0; d + 1 < depth; d++) {
        const int64_t index = npu__int_at(at, i * depth + d);
        if (index < 0 || index >= npu__dim(c->out[0], d)) {
            return NPU__FAIL(c, npu__value_fault(at), "embedding_lookup_sparse.index", "an index must be in [0, %d]: got %l",
                             npu__dim(c->out[0], d) - 1, index);
        }
        *bucket = *bucket * npu__dim(c->out[0], d) + index;
    }
    return NPU_OK;
}

/* Neighbouring look-ups of one output row: their total weight, and that of the squares. */
typedef struct npu__embedding_group {
    int64_t bucket, n;
    float   weight, squares;
} npu__embedding_group;

NPU__FN void npu__embedding_finish(npu__ctx *c, npu__embedding_group *g, int64_t run) {
    const int32_t combiner = NPU__OPTIONS(c->node, EmbeddingLookupSparseOptions)->combiner;
    float        *to = (float *)c->out[0]->data + g->bucket * run;
    const float   by = combiner == NPU__EMBEDDING_MEAN ? g->weight : sqrtf(g->squares);
    if (g->n > 0 && (combiner == NPU__EMBEDDING_MEAN || combiner == NPU__EMBEDDING_SQRTN)) {
        for (int64_t j = 0; j < run; j++) to[j] /= by;
    }
    g->n = 0;
    g->weight = g->squares = 0.0f;
}

NPU__FN npu_status npu__embedding_sparse_eval(npu__ctx *c) {
    const npu__val      *table = c->in[4], *out = c->out[0];
    const int64_t        run = npu__dims_product(&table->shape, 1, table->shape.rank), n = npu__elems(c->in[0]);
    const uint8_t        zero = 0;
    int64_t              index, bucket, done = 0;
    npu__embedding_group g;
    for (int64_t i = 0; i < n; i++) {
        NPU__TRY(npu__embedding_index(c, c->in[0], i, table, &index));
        NPU__TRY(npu__embedding_bucket(c, i, &bucket));
        NPU__POLL_PASS(c, done, 4);
    }
    if (out->bytes == 0) return NPU_OK;
    npu__fill_all(c, out->data, &zero, (int64_t)out->bytes, 1);
    memset(&g, 0, sizeof g);
    for (int64_t i = 0; i < n; i++) {
        const float w = ((const float *)c->in[3]->data)[i];
        const float *from;
        float       *to;
        NPU__TRY(npu__embedding_index(c, c->in[0], i, table, &index));
        NPU__TRY(npu__embedding_bucket(c, i, &bucket));
        if (bucket != g.bucket) npu__embedding_finish(c, &g, run);
        g.bucket = bucket;
        g.n++;
        g.weight += w;
        g.squares += w * w;
        from = (const float *)table->data + index * run;
        to = (float *)out->data + bucket * run;
        for (int64_t j = 0; j < run; j++) to[j] += from[j] * w;
        NPU__POLL_PASS(c, done, 2 * run + 4);
    }
    npu__embedding_finish(c, &g, run);
    return NPU_OK;
}

NPU__FN npu__work npu__embedding_sparse_work(const npu__ctx *c) {
    const npu__shape *s = &c->in[4]->shape;
    return npu__work_macs(c, npu__sat_mul(npu__elems(c->in[0]), npu__dims_product(s, 1, s->rank)));
}

NPU__OPDEF(npu__op_embedding_lookup_sparse) = {5, 5, 1, 1, 0, 0, NPU__NO_DATA, npu__embedding_sparse_infer,
                                               npu__embedding_sparse_prepare, NULL, npu__embedding_sparse_eval,
                                               npu__embedding_sparse_work};
