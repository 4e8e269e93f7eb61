/* ARG_MIN, ARG_MAX: where along an axis the smallest or largest element stands; the first of equals. */
#include "../kernels/reduce.h"
#include "move_util.h"

NPU__FN npu_status npu__arg_infer(npu__ctx *c) {
    int32_t    type = c->node->code == NPU__BUILTIN_ARG_MIN ? NPU__OPTIONS(c->node, ArgMinOptions)->output_type
                                                            : NPU__OPTIONS(c->node, ArgMaxOptions)->output_type;
    int32_t    axis;
    npu__shape s;
    if (type != NPU_INT32 && type != NPU_INT64) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "arg_min_max.output_type",
                         "output_type must be INT32 or INT64: got %s", npu_type_name((npu_type)type));
    }
    NPU__TRY(npu__need_index_type(c, c->in[1], "the axis"));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__axis_value(c, c->in[1], c->in[0]->shape.rank, &axis));
    if (c->in[0]->shape.dims[axis] == 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "arg_min_max.empty", "there is nothing along axis %d", axis);
    }
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < c->in[0]->shape.rank; i++) if (i != axis) s.dims[s.rank++] = c->in[0]->shape.dims[i];
    return npu__set_shape_type(c, 0, &s, type);
}

typedef struct npu__arg_data {
    const char *kernel; /* for profiles */
    const npu__reduce_loops *loops;
    int32_t     axis;
} npu__arg_data;

NPU__FN npu_status npu__arg_prepare(npu__ctx *c) {
    npu__arg_data *d = (npu__arg_data *)c->data;
    int32_t        t = c->in[0]->type;
    if (t != NPU_FLOAT32 && t != NPU_INT32 && t != NPU_INT8 && t != NPU_UINT8 && t != NPU_BOOL) {
        return npu__fail_types(c);
    }
    d->loops = npu__reduce_select(npu__ctx_isa(c));
    d->kernel = d->loops->name;
    return npu__axis_value(c, c->in[1], c->in[0]->shape.rank, &d->axis);
}

#define NPU__ARG_GT(x, best) ((x) > (best))
#define NPU__ARG_LT(x, best) ((x) < (best))
NPU__SPEED_BEGIN
/* ---- another axis: rows of `inner` neighbours, each of which has its own winner ---- */

/* where[k], k < m <= 16: of element k of n rows. */
#define NPU__ARG_ROWS(name, type, wide, BETTER)                                                            \
    NPU__FN void name(const void *data, int32_t n, int64_t inner, int32_t m, int32_t *where) {             \
        const type *p = (const type *)data;                                                                \
        wide        best[16];                                                                              \
        memset(where, 0, 16 * sizeof *where);                                                              \
        for (int32_t k = 0; k < m; k++) best[k] = p[k];                                                    \
        for (int32_t i = 1; i < n && m == 16; i++) {                                                       \
            p += inner;                                                                                    \
            NPU__VEC_FOR(k, 16) {                                                                          \
                const wide x = p[k];                                                                       \
                where[k] = BETTER(x, best[k]) ? i : where[k];                                              \
                best[k] = BETTER(x, best[k]) ? x : best[k];                                                \
            }                                                                                              \
        }                                                                                                  \
        for (int32_t i = 1; i < n && m < 16; i++) {                                                        \
            p += inner;                                                                                    \
            for (int32_t k = 0; k < m; k++) {                                                              \
                const wide x = p[k];                                                                       \
                where[k] = BETTER(x, best[k]) ? i : where[k];                                              \
                best[k] = BETTER(x, best[k]) ? x : best[k];                                                \
            }                                                                                              \
        }                                                                                                  \
    }
/* A number beats NaN, NaN beats nothing. */
#define NPU__ARG_GT_F32(x, best) (((x) > (best)) | (((best) != (best)) & ((x) == (x))))
#define NPU__ARG_LT_F32(x, best) (((x) < (best)) | (((best) != (best)) & ((x) == (x))))
NPU__ARG_ROWS(npu__arg_rows_max_f32, float, float, NPU__ARG_GT_F32)
NPU__ARG_ROWS(npu__arg_rows_min_f32, float, float, NPU__ARG_LT_F32)
NPU__ARG_ROWS(npu__arg_rows_max_i32, int32_t, int32_t, NPU__ARG_GT)
NPU__ARG_ROWS(npu__arg_rows_min_i32, int32_t, int32_t, NPU__ARG_LT)
NPU__ARG_ROWS(npu__arg_rows_max_i8, int8_t, int32_t, NPU__ARG_GT)
NPU__ARG_ROWS(npu__arg_rows_min_i8, int8_t, int32_t, NPU__ARG_LT)
NPU__ARG_ROWS(npu__arg_rows_max_u8, uint8_t, int32_t, NPU__ARG_GT)
NPU__ARG_ROWS(npu__arg_rows_min_u8, uint8_t, int32_t, NPU__ARG_LT)
#undef NPU__ARG_ROWS
#undef NPU__ARG_GT
#undef NPU__ARG_LT
#undef NPU__ARG_GT_F32
#undef NPU__ARG_LT_F32

NPU__SPEED_END

typedef struct npu__arg_job {
    const uint8_t *in;
    void          *out;
    size_t         elem;
    int32_t        n, wide;  /* wide: the output is INT64 */
    int64_t        inner, blocks; /* of 16 columns, in a row */
    uint32_t       flip;
    npu__arg_fn    last; /* NULL: bytes, by ... */
    npu__arg_bytes_fn bytes;
    void         (*rows)(const void *data, int32_t n, int64_t inner, int32_t m, int32_t *where);
} npu__arg_job;

NPU__INLINE void npu__arg_store(const npu__arg_job *j, int64_t i, int32_t where) {
    if (j->wide) ((int64_t *)j->out)[i] = where;
    else ((int32_t *)j->out)[i] = where;
}

NPU__FN void npu__arg_last_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__arg_job *j = (const npu__arg_job *)arg;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const uint8_t *p = j->in + (size_t)i * (size_t)j->n * j->elem;
        npu__arg_store(j, i, j->last ? j->last(p, j->n) : j->bytes(p, j->n, j->flip));
    }
}

NPU__FN void npu__arg_rows_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__arg_job *j = (const npu__arg_job *)arg;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t outer = i / j->blocks, from = i % j->blocks * 16;
        /* The last block begins earlier where it can, to be a full one. */
        const int64_t at = NPU__MAX(NPU__MIN(from, j->inner - 16), (int64_t)0);
        const int32_t m = (int32_t)NPU__MIN(j->inner - at, (int64_t)16);
        int32_t       where[16];
        j->rows(j->in + ((size_t)outer * (size_t)j->n * (size_t)j->inner + (size_t)at) * j->elem, j->n, j->inner, m, where);
        for (int64_t k = from - at; k < m; k++) npu__arg_store(j, outer * j->inner + at + k, where[k]);
    }
}

NPU__FN npu_status npu__arg_run(npu__ctx *c, int is_max) {
    const npu__val *in = c->in[0], *out = c->out[0];
    const npu__arg_data *d = (const npu__arg_data *)c->data;
    const int32_t   axis = d->axis, t = in->type;
    npu__arg_job    j;
    j.in = (const uint8_t *)in->data;
    j.out = out->data;
    j.elem = npu__elem_bytes(t);
    j.n = in->shape.dims[axis];
    j.wide = out->type == NPU_INT64;
    j.inner = npu__dims_product(&in->shape, axis + 1, in->shape.rank);
    j.blocks = (j.inner + 15) / 16;
    j.flip = (t == NPU_INT8 ? 0u : 0x80u) ^ (is_max ? 0u : 0xFFu);
    j.bytes = d->loops->arg_bytes;
    j.last = t == NPU_FLOAT32 ? d->loops->arg[is_max ? NPU__ARG_max_f32 : NPU__ARG_min_f32]
           : t == NPU_INT32   ? d->loops->arg[is_max ? NPU__ARG_max_i32 : NPU__ARG_min_i32] : NULL;
    j.rows = t == NPU_FLOAT32 ? (is_max ? npu__arg_rows_max_f32 : npu__arg_rows_min_f32)
           : t == NPU_INT32   ? (is_max ? npu__arg_rows_max_i32 : npu__arg_rows_min_i32)
           : t == NPU_INT8    ? (is_max ? npu__arg_rows_max_i8 : npu__arg_rows_min_i8)
                              : (is_max ? npu__arg_rows_max_u8 : npu__arg_rows_min_u8);
    if (out->bytes == 0) return NPU_OK;
    if (j.inner == 1) {
        npu__parallel(c, npu__elems(out), 65536 / j.n + 1, npu__arg_last_part, &j);
    } else {
        npu__parallel(c, npu__elems(out) / j.inner * j.blocks, 4096 / j.n + 1, npu__arg_rows_part, &j);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__arg_max_eval(npu__ctx *c) { return npu__arg_run(c, 1); }
NPU__FN npu_status npu__arg_min_eval(npu__ctx *c) { return npu__arg_run(c, 0); }

NPU__OPDEF(npu__op_arg_max) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__arg_data),
                               npu__arg_infer, npu__arg_prepare, NULL, npu__arg_max_eval, NULL};
NPU__OPDEF(npu__op_arg_min) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__arg_data),
                               npu__arg_infer, npu__arg_prepare, NULL, npu__arg_min_eval, NULL};
