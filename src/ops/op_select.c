/* SELECT and SELECT_V2: a conditional copy, so only the size of an element matters. */
#include "elementwise.h"

/* Inputs: condition, x, y. Without a branch, so that compilers make vectors of it; what is broadcast fills a block. */
#define NPU__SELECT_FILL(from, block, step)                                  \
    if (!(step)) {                                                           \
        NPU__VEC_FOR(i, NPU__EW_BLOCK) block[i] = from[0];                   \
        from = block;                                                        \
    }
#define NPU__SELECT_ROW(name, T)                                                                                  \
    NPU__FN void name(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {         \
        const uint8_t *cond = (const uint8_t *)in[0];                                                             \
        const T       *x = (const T *)in[1], *y = (const T *)in[2];                                               \
        T             *o = (T *)out, one_x[NPU__EW_BLOCK], one_y[NPU__EW_BLOCK];                                  \
        uint8_t        one_cond[NPU__EW_BLOCK];                                                                   \
        const int64_t  sc = step[0], sx = step[1], sy = step[2];                                                  \
        (void)op;                                                                                                 \
        if (n >= NPU__EW_BLOCK) {                                                                                 \
            NPU__SELECT_FILL(cond, one_cond, sc)                                                                  \
            NPU__SELECT_FILL(x, one_x, sx)                                                                        \
            NPU__SELECT_FILL(y, one_y, sy)                                                                        \
        }                                                                                                         \
        for (; n >= NPU__EW_BLOCK; n -= NPU__EW_BLOCK, o += NPU__EW_BLOCK) {                                      \
            NPU__VEC_FOR(i, NPU__EW_BLOCK) {                                                                      \
                const T mask = (T)((T)(cond[i] == 0) - (T)1);                                                     \
                o[i] = (T)((x[i] & mask) | (y[i] & (T)~mask));                                                    \
            }                                                                                                     \
            cond += sc * NPU__EW_BLOCK;                                                                           \
            x += sx * NPU__EW_BLOCK;                                                                              \
            y += sy * NPU__EW_BLOCK;                                                                              \
        }                                                                                                         \
        for (int64_t i = 0; i < n; i++) o[i] = cond[i * sc] ? x[i * sx] : y[i * sy];                              \
    }
/* By size alone: floats are moved as integers, so NaN and -0 arrive as they are. */
NPU__SELECT_ROW(npu__select_8, uint8_t)
NPU__SELECT_ROW(npu__select_16, uint16_t)
NPU__SELECT_ROW(npu__select_32, uint32_t)
NPU__SELECT_ROW(npu__select_64, uint64_t)
#undef NPU__SELECT_ROW
#undef NPU__SELECT_FILL

/* One element everywhere: the output keeps its declared shape (scalars and [1] mix). */
NPU__FN int npu__select_is_single(const npu__ctx *c) {
    const npu__shape *declared = &c->out[0]->t->shape;
    return npu__elems(c->in[0]) == 1 && npu__elems(c->in[1]) == 1 && npu__elems(c->in[2]) == 1 &&
           npu__dims_product(declared, 0, declared->rank) == 1;
}

/* The condition has x's shape, or is a scalar, or has one entry per index of x's first dimension. */
NPU__FN npu_status npu__select_infer(npu__ctx *c) {
    const npu__shape *cond = &c->in[0]->shape, *x = &c->in[1]->shape, *y = &c->in[2]->shape;
    if (npu__select_is_single(c)) return npu__set_shape(c, 0, &c->out[0]->t->shape);
    if (!npu__shape_eq(x, y)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "select.shapes", "inputs 1 and 2 must have the same shape");
    }
    if (!npu__shape_eq(cond, x) && cond->rank != 0 &&
        !(cond->rank == 1 && x->rank >= 1 && cond->dims[0] == x->dims[0])) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "select.condition_shape",
                         "the condition must be a scalar, have the shape of input 1 or match its first dimension");
    }
    return npu__set_shape(c, 0, x);
}

NPU__FN npu_status npu__select_v2_infer(npu__ctx *c) {
    npu__shape s;
    if (npu__select_is_single(c)) return npu__set_shape(c, 0, &c->out[0]->t->shape);
    NPU__TRY(npu__broadcast_shape(c, &c->in[0]->shape, &c->in[1]->shape, &s));
    NPU__TRY(npu__broadcast_shape(c, &s, &c->in[2]->shape, &s));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__select_prepare_as(npu__ctx *c, const npu__shape *cond) {
    const npu__shape *shapes[3];
    npu__ew_row       row = NULL;
    if (c->in[0]->type != NPU_BOOL || c->in[1]->type != c->in[2]->type || c->in[1]->type != c->out[0]->type) {
        return npu__fail_types(c);
    }
    switch (npu_type_bits((npu_type)c->out[0]->type)) {
    case 8: row = npu__select_8; break;
    case 16: row = npu__select_16; break;
    case 32: row = npu__select_32; break;
    case 64: row = npu__select_64; break;
    default: return npu__fail_types(c);
    }
    shapes[0] = cond;
    shapes[1] = &c->in[1]->shape;
    shapes[2] = &c->in[2]->shape;
    NPU__TRY(npu__ew_prepare_shapes(c, row, 3, shapes));
    ((npu__ew *)c->data)->kernel = "select";
    return NPU_OK;
}

NPU__FN npu_status npu__select_prepare(npu__ctx *c) {
    npu__shape cond = c->in[0]->shape;
    if (cond.rank == 1 && c->in[1]->shape.rank > 1) { /* along the first dimension, not the last */
        cond.rank = c->in[1]->shape.rank;
        for (int32_t i = 1; i < cond.rank; i++) cond.dims[i] = 1;
    }
    return npu__select_prepare_as(c, &cond);
}

NPU__FN npu_status npu__select_v2_prepare(npu__ctx *c) { return npu__select_prepare_as(c, &c->in[0]->shape); }

NPU__OPDEF(npu__op_select) = {3, 3, 1, 1, 0, NPU__OP_INPLACE1 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew), npu__select_infer,
                              npu__select_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_select_v2) = {3, 3, 1, 1, 0, NPU__OP_INPLACE1 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew),
                                 npu__select_v2_infer, npu__select_v2_prepare, NULL, npu__ew_eval, NULL};
