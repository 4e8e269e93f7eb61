/* SQUARED_DIFFERENCE: float, int32 and int8, with broadcasting. */
#include "q2_rows.h"

typedef struct npu__sqdiff {
    npu__ew ew;
    npu__q2 q;
} npu__sqdiff;

NPU__EW_ROW2(npu__sqdiff_f32, NPU__EW_NO_LOCALS, float, float, float, (x - y) * (x - y))
NPU__EW_VEC_ROW2(npu__sqdiff_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t,
             npu__wmul32(npu__wsub32(x, y), npu__wsub32(x, y)))
NPU__FN void npu__sqdiff_q8(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    npu__q2_row((const npu__ew *)op, &((const npu__sqdiff *)op)->q, NPU__Q_SQUARED_DIFFERENCE, in, out, n, step);
}
NPU__FN void npu__sqdiff_f32_fast(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    ((const npu__ew *)op)->fast->sqdiff((const float *)in[0], (const float *)in[1], (float *)out, n, step[0], step[1], 0.0f, 0.0f);
}

NPU__FN npu_status npu__squared_difference_prepare(npu__ctx *c) {
    npu__sqdiff *d = (npu__sqdiff *)c->data;
    double       twice_max;
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32: return npu__ew_prepare_fast(c, npu__sqdiff_f32, npu__sqdiff_f32_fast, 2);
    case NPU_INT32: return npu__ew_prepare_loops(c, npu__sqdiff_i32, 2);
    case NPU_INT8:
        NPU__TRY(npu__q2_prepare(c, &d->q, 7));
        twice_max = (double)(2.0f * NPU__MAX(npu__scale(c->in[0]), npu__scale(c->in[1])));
        /* The shift of 7 and the doubled scale come twice, once for each factor: 2^14. */
        d->q.out_mul = npu__qmul_of(twice_max * twice_max / (double)(16384.0f * npu__scale(c->out[0])));
        d->q.lo = -128;
        d->q.hi = 127;
        NPU__TRY(npu__ew_prepare_loops(c, npu__sqdiff_q8, 2));
        d->ew.by_table = 1;
        return NPU_OK;
    default: return npu__fail_types(c);
    }
}

NPU__OPDEF(npu__op_squared_difference) = {
    2, 2, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_INPLACE1 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__sqdiff), npu__infer_broadcast2,
    npu__squared_difference_prepare, NULL, npu__ew_eval, NULL};
