/* DENSIFY: a sparse constant written out. */
#include "move_util.h"

/* The layout is a tree of levels, in traversal order: first the dimensions, then the blocks they are cut into. A
 * level is dense (every index) or lists its indices in segments (CSR). */
typedef struct npu__densify_level {
    const uint8_t *segments, *indices; /* NULL: dense */
    uint32_t       n_segments, n_indices;
    int32_t        segment_bytes, index_bytes; /* of one entry */
    int32_t        size;                       /* indices are in [0, size), and size is not 0 where eval comes */
    int64_t        stride;                     /* of one index, in elements of the dense tensor */
} npu__densify_level;

typedef struct npu__densify_data {
    int32_t            n;
    npu__densify_level level[NPU__SPARSE_LEVELS];
} npu__densify_data;

NPU__FN npu_status npu__densify_bad(npu__ctx *c, const char *what) {
    return NPU__FAIL(c, NPU_INVALID_MODEL, "densify.sparsity", "the sparsity of the input is broken: %s", what);
}

NPU__FN int64_t npu__densify_entry(const uint8_t *p, uint32_t i, int32_t bytes) {
    if (bytes == 4) return npu__rd_i32(p + 4 * (size_t)i);
    return bytes == 2 ? npu__rd_u16(p + 2 * (size_t)i) : p[i];
}

/* What the vectors hold is checked where eval reads it: preparing takes no time that grows with them. */
NPU__FN npu_status npu__densify_read_level(npu__ctx *c, const npu__sparse_level *from, npu__densify_level *l) {
    if (from->dense) {
        if (from->dense_size != l->size) return npu__densify_bad(c, "a dense level has another size than its dimension");
        return NPU_OK;
    }
    if (!from->segments.p || !from->indices.p) return npu__densify_bad(c, "a sparse level lacks segments or indices");
    l->segments = from->segments.p;
    l->n_segments = from->segments.n;
    l->segment_bytes = from->segment_bytes;
    l->indices = from->indices.p;
    l->n_indices = from->indices.n;
    l->index_bytes = from->index_bytes;
    return NPU_OK;
}

/* size[i] and stride[i] of dimension or block i (blocks follow the dimensions), from the shape, the block map and the
 * sizes of the blocks' levels. */
NPU__FN npu_status npu__densify_sizes(npu__ctx *c, int32_t *size, int64_t *stride) {
    const npu__shape    *s = &c->in[0]->shape;
    const npu__sparsity *from = c->in[0]->t->sparsity;
    int32_t              seen = -1;
    npu__dense_strides(s, stride);
    for (int32_t i = 0; i < s->rank; i++) size[i] = s->dims[i];
    for (uint32_t b = 0; b < from->block_map.n; b++) {
        int32_t dim = npu__vec_i32(from->block_map, b), level = 0, block;
        if (dim <= seen || dim >= s->rank) return npu__densify_bad(c, "the block map must name dimensions in order");
        seen = dim;
        while (npu__vec_i32(from->order, (uint32_t)level) != s->rank + (int32_t)b) level++; /* it is a permutation */
        block = from->levels[level].dense_size;
        if (block < 1 || size[dim] % block != 0) return npu__densify_bad(c, "a block does not divide its dimension");
        size[s->rank + (int32_t)b] = block;
        stride[s->rank + (int32_t)b] = stride[dim];
        /* Dimension and block share the old dimension: outer steps of a block, inner ones of an element. */
        size[dim] /= block;
        stride[dim] *= block;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__densify_prepare(npu__ctx *c) {
    npu__densify_data   *d = (npu__densify_data *)c->data;
    const npu__sparsity *from = c->in[0]->t->sparsity;
    int32_t              rank = c->in[0]->shape.rank, t = c->in[0]->type, size[NPU__SPARSE_LEVELS];
    int64_t              stride[NPU__SPARSE_LEVELS];
    uint32_t             seen = 0;
    if (t != NPU_FLOAT32 && t != NPU_FLOAT16 && t != NPU_INT8) return npu__fail_types(c);
    if (!from || !from->values.p) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "densify.input", "the input must be a sparse constant");
    }
    if (from->block_map.n > (uint32_t)rank || from->order.n != (uint32_t)rank + from->block_map.n ||
        from->n_levels != from->order.n) {
        return npu__densify_bad(c, "traversal order, block map and levels do not fit together");
    }
    for (uint32_t i = 0; i < from->order.n; i++) {
        int32_t o = npu__vec_i32(from->order, i);
        if (o < 0 || o >= (int32_t)from->order.n || (seen >> o & 1u) || (o < rank) != (i < (uint32_t)rank)) {
            return npu__densify_bad(c, "the traversal order must name every dimension once, then every block");
        }
        seen |= 1u << o;
    }
    NPU__TRY(npu__densify_sizes(c, size, stride));
    d->n = (int32_t)from->order.n;
    for (int32_t i = 0; i < d->n; i++) {
        d->level[i].size = size[npu__vec_i32(from->order, (uint32_t)i)];
        d->level[i].stride = stride[npu__vec_i32(from->order, (uint32_t)i)];
        NPU__TRY(npu__densify_read_level(c, &from->levels[i], &d->level[i]));
    }
    return NPU_OK;
}

/* Entries of level `l` below entry `parent` of the level before: [*from, *to). *to is where the ones before ended:
 * entries of a level are visited in order, each once at most, which bounds the work. */
NPU__FN npu_status npu__densify_open(npu__ctx *c, const npu__densify_level *l, int64_t parent, int64_t *from,
                                     int64_t *to) {
    int64_t before = *to;
    if (!l->segments) {
        if (!npu__try_mul(parent, l->size, from) || !npu__try_add(*from, l->size, to)) {
            return npu__densify_bad(c, "there are too many entries");
        }
        return NPU_OK;
    }
    if (parent >= (int64_t)l->n_segments - 1) return npu__densify_bad(c, "too few segments");
    *from = npu__densify_entry(l->segments, (uint32_t)parent, l->segment_bytes);
    *to = npu__densify_entry(l->segments, (uint32_t)parent + 1, l->segment_bytes);
    if (*from >= before && *to >= *from && *to <= l->n_indices) return NPU_OK;
    return npu__densify_bad(c, "segments must grow and stay within the indices");
}

/* Index along its dimension of entry `at` of level `l`. */
NPU__FN npu_status npu__densify_index(npu__ctx *c, const npu__densify_level *l, int64_t at, int64_t *index) {
    *index = at % l->size;
    if (!l->segments) return NPU_OK;
    /* `at` is below n_indices: npu__densify_open has seen to it. */
    *index = npu__densify_entry(l->indices, (uint32_t)at, l->index_bytes);
    return *index >= 0 && *index < l->size ? NPU_OK : npu__densify_bad(c, "an index lies outside its dimension");
}

/* At most as many entries of a level as it lists, or as its size times those of the level before. */
NPU__FN npu__work npu__densify_work(const npu__ctx *c) {
    const npu__densify_data *d = (const npu__densify_data *)c->data;
    int64_t                  entries = 1, steps = 0;
    for (int32_t i = 0; i < d->n; i++) {
        const npu__densify_level *l = &d->level[i];
        entries = l->segments ? NPU__MIN((int64_t)l->n_indices, npu__sat_mul(entries, l->n_indices))
                              : npu__sat_mul(entries, l->size);
        steps = npu__sat_add(steps, entries);
    }
    return npu__work_steps(c, steps);
}

/* Depth-first over the levels with an explicit stack. */
NPU__FN npu_status npu__densify_eval(npu__ctx *c) {
    const npu__densify_data *d = (const npu__densify_data *)c->data;
    size_t         elem = npu__elem_bytes(c->in[0]->type);
    npu__span      values = c->in[0]->t->sparsity->values;
    const uint8_t *from = values.p, *end = from + values.n / elem * elem;
    uint8_t       *out = (uint8_t *)c->out[0]->data;
    int64_t        at[NPU__SPARSE_LEVELS + 1], to[NPU__SPARSE_LEVELS + 1], base[NPU__SPARSE_LEVELS + 1];
    int64_t        done = 0;
    int32_t        k = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    memset(out, 0, c->out[0]->bytes);
    memset(to, 0, sizeof to);
    base[0] = 0;
    if (d->n > 0) NPU__TRY(npu__densify_open(c, &d->level[0], 0, &at[0], &to[0]));
    while (k >= 0) {
        const npu__densify_level *l = &d->level[k];
        NPU__POLL_PASS(c, done, 1);
        if (d->n > 0 && at[k] >= to[k]) {
            if (--k >= 0) at[k]++;
            continue;
        }
        if (d->n > 0) {
            int64_t index;
            NPU__TRY(npu__densify_index(c, l, at[k], &index));
            base[k + 1] = base[k] + index * l->stride;
        }
        if (k + 1 < d->n) {
            NPU__TRY(npu__densify_open(c, &d->level[k + 1], at[k], &at[k + 1], &to[k + 1]));
            k++;
            continue;
        }
        if (from == end) return npu__densify_bad(c, "there are fewer values than the levels list");
        memcpy(out + (size_t)base[d->n > 0 ? k + 1 : 0] * elem, from, elem);
        from += elem;
        if (d->n == 0) break;
        at[k]++;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__densify_infer(npu__ctx *c) {
    return npu__set_shape_type(c, 0, &c->in[0]->shape, c->in[0]->type);
}

NPU__OPDEF(npu__op_densify) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__densify_data),
                                           npu__densify_infer, npu__densify_prepare, NULL, npu__densify_eval,
                                           npu__densify_work};
