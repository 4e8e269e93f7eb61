/* DEPTH_TO_SPACE, SPACE_TO_DEPTH, SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND: blocks of pixels to another dimension. */
#include "move_util.h"

/* ---- DEPTH_TO_SPACE and SPACE_TO_DEPTH ---- */

NPU__FN npu_status npu__space_block(npu__ctx *c, int32_t *block) {
    *block = c->node->code == NPU__BUILTIN_SPACE_TO_DEPTH ? NPU__OPTIONS(c->node, SpaceToDepthOptions)->block_size
                                                          : NPU__OPTIONS(c->node, DepthToSpaceOptions)->block_size;
    if (*block >= 1 && *block <= 32767) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "space.block_size", "block_size must be in [1, 32767]: got %d", *block);
}

NPU__FN npu_status npu__space_indivisible(npu__ctx *c, int32_t dim, int32_t by) {
    return NPU__FAIL(c, NPU_INVALID_MODEL, "space.divisible", "dimension %d must be divisible by %d: it is %d", dim,
                     by, c->in[0]->shape.dims[dim]);
}

NPU__FN npu_status npu__space_set(npu__ctx *c, int64_t h, int64_t w, int64_t depth) {
    npu__shape s = c->in[0]->shape;
    NPU__TRY(npu__dim_value(c, c->in[0], h, &s.dims[1]));
    NPU__TRY(npu__dim_value(c, c->in[0], w, &s.dims[2]));
    NPU__TRY(npu__dim_value(c, c->in[0], depth, &s.dims[3]));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__depth_to_space_infer(npu__ctx *c) {
    int32_t block;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 4, 4));
    NPU__TRY(npu__space_block(c, &block));
    if (c->in[0]->shape.dims[3] % (block * block) != 0) return npu__space_indivisible(c, 3, block * block);
    return npu__space_set(c, (int64_t)npu__dim(c->in[0], 1) * block, (int64_t)npu__dim(c->in[0], 2) * block,
                          npu__dim(c->in[0], 3) / (block * block));
}

NPU__FN npu_status npu__space_to_depth_infer(npu__ctx *c) {
    int32_t block;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 4, 4));
    NPU__TRY(npu__space_block(c, &block));
    if (c->in[0]->shape.dims[1] % block != 0) return npu__space_indivisible(c, 1, block);
    if (c->in[0]->shape.dims[2] % block != 0) return npu__space_indivisible(c, 2, block);
    return npu__space_set(c, npu__dim(c->in[0], 1) / block, npu__dim(c->in[0], 2) / block,
                          (int64_t)npu__dim(c->in[0], 3) * block * block);
}

NPU__FN npu_status npu__space_types(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    return npu__elem_bytes(c->in[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

/* out[b, h*block + i, w*block + j, k] = in[b, h, w, (i*block + j)*depth + k] */
NPU__FN npu_status npu__depth_to_space_layout(npu__ctx *c, npu__move *m) {
    int64_t h = npu__dim(c->in[0], 1), w = npu__dim(c->in[0], 2), channels = npu__dim(c->in[0], 3);
    int64_t depth = npu__dim(c->out[0], 3);
    int32_t block;
    NPU__TRY(npu__space_block(c, &block));
    npu__box_add(&m->box, m->dim, npu__dim(c->in[0], 0), h * w * channels, 0);
    npu__box_add(&m->box, m->dim, h, w * channels, 0);
    npu__box_add(&m->box, m->dim, block, block * depth, 0);
    npu__box_add(&m->box, m->dim, w, channels, 0);
    npu__box_add(&m->box, m->dim, block, depth, 0);
    npu__box_add(&m->box, m->dim, depth, 1, 0);
    return NPU_OK;
}

/* out[b, h, w, (i*block + j)*depth + k] = in[b, h*block + i, w*block + j, k] */
NPU__FN npu_status npu__space_to_depth_layout(npu__ctx *c, npu__move *m) {
    int64_t h = npu__dim(c->in[0], 1), w = npu__dim(c->in[0], 2), depth = npu__dim(c->in[0], 3);
    int32_t block;
    NPU__TRY(npu__space_block(c, &block));
    npu__box_add(&m->box, m->dim, npu__dim(c->in[0], 0), h * w * depth, 0);
    npu__box_add(&m->box, m->dim, h / block, block * w * depth, 0);
    npu__box_add(&m->box, m->dim, w / block, block * depth, 0);
    npu__box_add(&m->box, m->dim, block, w * depth, 0);
    npu__box_add(&m->box, m->dim, block, depth, 0);
    npu__box_add(&m->box, m->dim, depth, 1, 0);
    return NPU_OK;
}

NPU__FN npu_status npu__depth_to_space_prepare(npu__ctx *c) {
    NPU__TRY(npu__space_types(c));
    return npu__move_prepare(c, npu__depth_to_space_layout, 1);
}

NPU__FN npu_status npu__space_to_depth_prepare(npu__ctx *c) {
    NPU__TRY(npu__space_types(c));
    return npu__move_prepare(c, npu__space_to_depth_layout, 1);
}

NPU__FN npu_status npu__depth_to_space_eval(npu__ctx *c) { return npu__move_eval(c, npu__depth_to_space_layout); }
NPU__FN npu_status npu__space_to_depth_eval(npu__ctx *c) { return npu__move_eval(c, npu__space_to_depth_layout); }

NPU__OPDEF(npu__op_depth_to_space) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__depth_to_space_infer,
                                      npu__depth_to_space_prepare, NULL, npu__depth_to_space_eval, NULL};
NPU__OPDEF(npu__op_space_to_depth) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move), npu__space_to_depth_infer,
                                      npu__space_to_depth_prepare, NULL, npu__space_to_depth_eval, NULL};

/* ---- SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: [N, H, C] or [N, H, W, C] ---- */

typedef struct npu__space_nd {
    int64_t block[2], before[2], after[2]; /* height, width; the last two are paddings or crops */
} npu__space_nd;

NPU__FN npu_status npu__space_nd_check(npu__ctx *c) {
    int32_t spatial = c->in[0]->shape.rank - 2;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 3, 4));
    NPU__TRY(npu__need_type(c, c->in[1], "the block shape", NPU_INT32));
    NPU__TRY(npu__need_type(c, c->in[2], "paddings and crops", NPU_INT32));
    NPU__TRY(npu__need_rank(c, c->in[1], "the block shape", 1, 1));
    NPU__TRY(npu__need_rank(c, c->in[2], "paddings and crops", 2, 2));
    if (c->in[1]->shape.dims[0] == spatial && c->in[2]->shape.dims[0] == spatial && c->in[2]->shape.dims[1] == 2) {
        return NPU_OK;
    }
    return NPU__FAIL(c, NPU_INVALID_MODEL, "space_nd.spatial",
                     "the block shape must have %d numbers, paddings and crops [%d, 2]", spatial, spatial);
}

NPU__FN npu_status npu__space_nd_read(npu__ctx *c, npu__space_nd *p) {
    p->block[1] = 1;
    p->before[1] = p->after[1] = 0;
    for (int32_t i = 0; i < c->in[0]->shape.rank - 2; i++) {
        p->block[i] = npu__int_at(c->in[1], i);
        p->before[i] = npu__int_at(c->in[2], 2 * i);
        p->after[i] = npu__int_at(c->in[2], 2 * i + 1);
        if (p->block[i] < 1) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "space_nd.block", "block sizes must be positive: got %l",
                             p->block[i]);
        }
        if (p->before[i] < 0 || p->after[i] < 0) {
            return NPU__FAIL(c, npu__value_fault(c->in[2]), "space_nd.border",
                             "paddings and crops must not be negative: got %l and %l", p->before[i], p->after[i]);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__space_to_batch_nd_infer(npu__ctx *c) {
    npu__shape    s = c->in[0]->shape;
    npu__space_nd p;
    NPU__TRY(npu__space_nd_check(c));
    if (!npu__values_known(c->in[1]) || !npu__values_known(c->in[2])) return NPU__DYNAMIC;
    NPU__TRY(npu__space_nd_read(c, &p));
    for (int32_t i = 0; i < s.rank - 2; i++) {
        int64_t padded = s.dims[1 + i] + p.before[i] + p.after[i];
        if (padded % p.block[i] != 0) {
            return NPU__FAIL(c, npu__value_fault(c->in[2]), "space_nd.divisible",
                             "dimension %d, %l with its padding, must be divisible by the block's %l", 1 + i, padded,
                             p.block[i]);
        }
        NPU__TRY(npu__dim_value(c, c->in[2], padded / p.block[i], &s.dims[1 + i]));
        NPU__TRY(npu__dim_value(c, c->in[1], s.dims[0] * p.block[i], &s.dims[0]));
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__batch_to_space_nd_infer(npu__ctx *c) {
    npu__shape    s = c->in[0]->shape;
    npu__space_nd p;
    NPU__TRY(npu__space_nd_check(c));
    if (!npu__values_known(c->in[1]) || !npu__values_known(c->in[2])) return NPU__DYNAMIC;
    NPU__TRY(npu__space_nd_read(c, &p));
    for (int32_t i = 0; i < s.rank - 2; i++) {
        if (s.dims[0] % p.block[i] != 0) {
            return NPU__FAIL(c, npu__value_fault(c->in[1]), "space_nd.divisible",
                             "the batch of %d must be divisible by the block's %l", s.dims[0], p.block[i]);
        }
        s.dims[0] = (int32_t)(s.dims[0] / p.block[i]);
        /* block is a positive int32: the product fits into 64 bits, and dim_value refuses what 31 do not hold. */
        NPU__TRY(npu__dim_value(c, c->in[2], s.dims[1 + i] * p.block[i] - p.before[i] - p.after[i], &s.dims[1 + i]));
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__space_nd_prepare(npu__ctx *c) {
    int32_t t = c->in[0]->type;
    ((npu__named *)c->data)->kernel = "copy_rows";
    NPU__TRY(npu__space_types(c));
    if (t == NPU_INT16 && npu__params_zero(c->in[0]) != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.zero_point_int16", "INT16 tensors must have a zero point of 0");
    }
    return t == NPU_INT8 || t == NPU_UINT8 || t == NPU_INT16 ? npu__need_same_quant(c, c->in[0], c->out[0]) : NPU_OK;
}

/* Sizes as [N, H, W, C], W being 1 for three dimensions. */
NPU__FN void npu__space_nd_dims(const npu__val *v, int64_t *n, int64_t *h, int64_t *w, int64_t *depth) {
    *n = v->shape.dims[0];
    *h = v->shape.dims[1];
    *w = v->shape.rank == 4 ? v->shape.dims[2] : 1;
    *depth = v->shape.dims[v->shape.rank - 1];
}

/* Positions [*first, *first + *n) of `deep` whose place in the wide side, position * block + at, is inside of `wide`. */
NPU__FN void npu__space_nd_inside(int64_t deep, int64_t wide, int64_t block, int64_t at, int64_t *first, int64_t *n) {
    const int64_t end = wide > at ? NPU__MIN(deep, (wide - at + block - 1) / block) : 0;
    *first = at >= 0 ? 0 : (block - 1 - at) / block;
    *n = NPU__MAX(end - *first, (int64_t)0);
}

/* The batch of the deep side counts (row in block, column in block, image). Each of its pixels has one place in the
 * wide side, the one with the small batch, or none where that falls on the border: a box for each place in a block. */
NPU__FN npu_status npu__space_nd_run(npu__ctx *c, int to_batch) {
    const npu__val *wide = to_batch ? c->in[0] : c->out[0], *deep = to_batch ? c->out[0] : c->in[0];
    int64_t         n, h, w, depth, deep_n, deep_h, deep_w;
    npu__space_nd   p;
    NPU__TRY(npu__space_nd_read(c, &p));
    npu__space_nd_dims(wide, &n, &h, &w, &depth);
    npu__space_nd_dims(deep, &deep_n, &deep_h, &deep_w, &depth);
    if (c->out[0]->bytes == 0) return NPU_OK;
    if (to_batch && (p.before[0] || p.before[1] || p.after[0] || p.after[1])) {
        /* The border is a real zero; wider types have zero point 0 (prepare). */
        const uint8_t zero = (uint8_t)(npu__elem_bytes(deep->type) == 1 ? npu__params_zero(c->out[0]) & 255 : 0);
        npu__fill_all(c, c->out[0]->data, &zero, (int64_t)c->out[0]->bytes, 1);
    }
    for (int64_t b = 0; b < (n > 0 ? deep_n / n : 0); b++) {
        const int64_t y = b / p.block[1] - p.before[0], x = b % p.block[1] - p.before[1];
        int64_t       i, rows, j, cols, at_wide, at_deep;
        npu__move     m;
        memset(&m, 0, sizeof m);
        npu__space_nd_inside(deep_h, h, p.block[0], y, &i, &rows);
        npu__space_nd_inside(deep_w, w, p.block[1], x, &j, &cols);
        NPU__POLL(c, 16);
        if (rows == 0 || cols == 0) continue;
        at_wide = ((i * p.block[0] + y) * w + j * p.block[1] + x) * depth;
        at_deep = ((b * n * deep_h + i) * deep_w + j) * depth;
        m.box.from = to_batch ? at_wide : at_deep;
        m.box.to = to_batch ? at_deep : at_wide;
#define NPU__SPACE_ADD(count, in_wide, in_deep) \
    npu__box_add(&m.box, m.dim, count, to_batch ? (in_wide) : (in_deep), to_batch ? (in_deep) : (in_wide))
        NPU__SPACE_ADD(n, h * w * depth, deep_h * deep_w * depth);
        NPU__SPACE_ADD(rows, p.block[0] * w * depth, deep_w * depth);
        NPU__SPACE_ADD(cols, p.block[1] * depth, depth);
        NPU__SPACE_ADD(depth, 1, 1);
#undef NPU__SPACE_ADD
        npu__box_done(&m.box, m.dim, c->in[0]->type);
        npu__box_run(c, &m.box, m.dim, c->in[0], c->out[0]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__space_to_batch_nd_eval(npu__ctx *c) { return npu__space_nd_run(c, 1); }
NPU__FN npu_status npu__batch_to_space_nd_eval(npu__ctx *c) { return npu__space_nd_run(c, 0); }

NPU__OPDEF(npu__op_space_to_batch_nd) = {3, 3, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named), npu__space_to_batch_nd_infer,
                                         npu__space_nd_prepare, NULL, npu__space_to_batch_nd_eval, NULL};
NPU__OPDEF(npu__op_batch_to_space_nd) = {3, 3, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named), npu__batch_to_space_nd_infer,
                                         npu__space_nd_prepare, NULL, npu__batch_to_space_nd_eval, NULL};
