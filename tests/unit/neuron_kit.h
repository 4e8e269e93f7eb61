/* Neuron models for the tests of the adapter, by its own calls: ADD and CONV_2D, small, with everything said as
 * LiteRT's plugin says it. */
#ifndef TESTS_UNIT_NEURON_KIT_H
#define TESTS_UNIT_NEURON_KIT_H

#include "../hostile/counted.h"
#include "test.h"

static const npu_neuron_driver *sw; /* the software adapter */

static npu_neuron_operand operand(int32_t type, uint32_t n_dims, const uint32_t *dims, float scale, int32_t zero_point) {
    npu_neuron_operand o;
    o.type = type;
    o.n_dims = n_dims;
    o.dims = dims;
    o.scale = scale;
    o.zero_point = zero_point;
    return o;
}

static int add_operand(void *m, int32_t type, uint32_t n_dims, const uint32_t *dims, float scale, int32_t zero_point) {
    const npu_neuron_operand o = operand(type, n_dims, dims, scale, zero_point);
    return sw->NeuronModel_addOperand(m, &o);
}

static int add_int(void *m, int32_t index, int32_t value) {
    const int r = add_operand(m, NPU__NEURON_TYPE_INT32, 0, NULL, 0, 0);
    return r ? r : sw->NeuronModel_setOperandValue(m, index, &value, sizeof value);
}

/* ADD of two tensors of `type`: operands 0 and 1 in, 2 out, 3 the activation. Not finished. */
static void *add_model(int32_t type, uint32_t n_dims, const uint32_t *dims, float scale, int32_t zero_point) {
    static const uint32_t in[3] = {0, 1, 3}, out[1] = {2};
    void                 *m;
    CHECK_INT(sw->NeuronModel_create(&m), 0);
    for (int i = 0; i < 3; i++) CHECK_INT(add_operand(m, type, n_dims, dims, scale, zero_point), 0);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 2, in, 1, out), 0);
    CHECK_INT(add_int(m, 3, NPU__NEURON_FUSED_NONE), 0);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 1, out), 0);
    return m;
}

/* A finished model compiled; NULL: what the adapter said is in *code. */
static void *compiled(void *m, int *code) {
    void *c = NULL;
    *code = sw->NeuronCompilation_create(m, &c);
    if (*code == 0) *code = sw->NeuronCompilation_finish(c);
    if (*code == 0) return c;
    sw->NeuronCompilation_free(c);
    return NULL;
}

/* One run of what has two inputs and an output of `bytes` each. */
static int run_two(void *c, const void *a, const void *b, void *out, size_t bytes) {
    void *e;
    int   r = sw->NeuronExecution_create(c, &e);
    if (r == 0) r = sw->NeuronExecution_setInput(e, 0, NULL, a, bytes);
    if (r == 0) r = sw->NeuronExecution_setInput(e, 1, NULL, b, bytes);
    if (r == 0) r = sw->NeuronExecution_setOutput(e, 0, NULL, out, bytes);
    if (r == 0) r = sw->NeuronExecution_compute(e);
    sw->NeuronExecution_free(e);
    return r;
}

#endif
