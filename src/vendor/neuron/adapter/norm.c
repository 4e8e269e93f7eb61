/* Normalisations of the extension, as the operators that they are made of: in reals, whatever the data is. */
#include "../../../ops/util.h"
#include "operations.h"

#if NPU__HAS_NEURON_SOFTWARE

NPU__FN int npu__nsw_is_quantized(const npu__nsw_operand *o) {
    return o->type && o->type->element != NPU_INT32 && o->type->quant != NPU__NEURON_PLAIN;
}

/* A tensor as reals: itself, or dequantized. */
NPU__FN npu_status npu__nsw_real(npu__nsw_maker *k, uint32_t operand, int32_t tensor, int32_t *out) {
    const npu__nsw_operand *o = &k->m->operands[operand];
    *out = tensor;
    if (!npu__nsw_is_quantized(o)) return NPU_OK;
    NPU__TRY(npu__nsw_fresh(k, o, NPU_FLOAT32, out));
    return npu__nsw_add(k, "DEQUANTIZE", &tensor, 1, out, 1, NULL);
}

/* An operator of one or (b >= 0) two inputs. */
NPU__FN npu_status npu__nsw_step(npu__nsw_maker *k, const char *name, int32_t a, int32_t b, int32_t to) {
    int32_t in[2];
    in[0] = a;
    in[1] = b;
    return npu__nsw_add(k, name, in, b < 0 ? 1 : 2, &to, 1, NULL);
}

NPU__FN npu_status npu__nsw_mean(npu__nsw_maker *k, int32_t a, int32_t axis, int32_t to) {
    int32_t in[2], op;
    in[0] = a;
    in[1] = axis;
    NPU__TRY(npu__nsw_add(k, "MEAN", in, 2, &to, 1, &op));
    return npu_graph_option_int(k->g, 0, op, "keep_dims", 1, k->diag);
}

/* x less its mean (LAYER_NORM), over the root of the mean of squares and epsilon, times gamma, plus beta. */
NPU__FN npu_status npu__nsw_norm_of_reals(npu__nsw_maker *k, const npu__nsw_op *op, const int32_t *in, int32_t out) {
    const npu__nsw_operand *x = &k->m->operands[op->in[0]];
    npu__nsw_operand        mean = *x;
    uint32_t                dims[NPU_MAX_RANK];
    int32_t                 t[8], eps_tensor;
    double                  eps;
    float                   epsilon;
    if (!npu__nsw_float(&k->m->operands[op->in[4]], &eps)) return NPU__NSW_FAIL(k, "epsilon must be a float with a value");
    epsilon = (float)eps;
    for (uint32_t i = 0; i < x->n_dims; i++) dims[i] = UINT32_MAX; /* shapes follow from the axes */
    mean.dims = dims;
    for (int i = 0; i < 8; i++) {
        NPU__TRY(npu__nsw_fresh(k, i == 1 || i == 3 || i == 6 || i == 7 ? &mean : x, NPU_FLOAT32, &t[i]));
    }
    NPU__TRY(npu__nsw_constant(k, NPU_FLOAT32, 0, &epsilon, sizeof epsilon, &eps_tensor));
    t[0] = in[0];
    if (op->row->special == NPU__NSW_LAYER_NORM) {
        int32_t centered;
        NPU__TRY(npu__nsw_fresh(k, x, NPU_FLOAT32, &centered));
        NPU__TRY(npu__nsw_mean(k, in[0], in[1], t[1]));
        NPU__TRY(npu__nsw_step(k, "SUB", in[0], t[1], centered));
        t[0] = centered;
    }
    NPU__TRY(npu__nsw_step(k, "MUL", t[0], t[0], t[2]));
    NPU__TRY(npu__nsw_mean(k, t[2], in[1], t[3]));
    NPU__TRY(npu__nsw_step(k, "ADD", t[3], eps_tensor, t[6]));
    NPU__TRY(npu__nsw_step(k, "RSQRT", t[6], -1, t[7]));
    NPU__TRY(npu__nsw_step(k, "MUL", t[0], t[7], t[4]));
    NPU__TRY(npu__nsw_step(k, "MUL", t[4], in[2], t[5]));
    return npu__nsw_step(k, "ADD", t[5], in[3], out);
}

/* A normalisation of anything: reals in, reals out. */
NPU__FN npu_status npu__nsw_norm(npu__nsw_maker *k, const npu__nsw_op *op, const int32_t *in, int32_t out) {
    const npu__nsw_operand *o = &k->m->operands[op->out[0]];
    int32_t                 real[4], result = out;
    real[1] = in[1]; /* the axis */
    for (int i = 0; i < 4; i++) if (i != 1) NPU__TRY(npu__nsw_real(k, op->in[i], in[i], &real[i]));
    if (!npu__nsw_is_quantized(o)) return npu__nsw_norm_of_reals(k, op, real, out);
    NPU__TRY(npu__nsw_fresh(k, o, NPU_FLOAT32, &result));
    NPU__TRY(npu__nsw_norm_of_reals(k, op, real, result));
    return npu__nsw_add(k, "QUANTIZE", &result, 1, &out, 1, NULL);
}

#endif
