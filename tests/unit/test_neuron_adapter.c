/* The software adapter of MediaTek's NPUs by its own calls: what each refuses, the order of calls, what a model
 * computes. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "neuron_kit.h"

enum { OK = NPU__NEURON_NO_ERROR, NULLS = NPU__NEURON_UNEXPECTED_NULL, DATA = NPU__NEURON_BAD_DATA,
      STATE = NPU__NEURON_BAD_STATE };

static const uint32_t D4[1] = {4}, D22[2] = {2, 2};

/* Handles that are missing, for every function; frees take them. */
TEST(nulls) {
    npu_neuron_version v;
    void              *p = NULL;
    size_t             n;
    uint32_t           u;
    uint8_t            b;
    int32_t            i;
    CHECK_INT(sw->Neuron_getVersion(NULL), NULLS);
    CHECK_INT(sw->Neuron_getVersion(&v), OK);
    CHECK_INT(sw->Neuron_getL1MemorySizeKb(NULL), NULLS);
    CHECK_INT(sw->Neuron_getL1MemorySizeKb(&u), OK);
    CHECK_INT(sw->NeuronModel_create(NULL), NULLS);
    CHECK_INT(sw->NeuronModel_setName(NULL, "x"), NULLS);
    CHECK_INT(sw->NeuronModel_addOperand(NULL, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_setOperandValue(NULL, 0, &i, 4), NULLS);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(NULL, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(NULL, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_addOperation(NULL, 0, 0, NULL, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_getExtensionOperandType(NULL, "x", 0, &i), NULLS);
    CHECK_INT(sw->NeuronModel_getExtensionOperationType(NULL, "x", 0, &i), NULLS);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(NULL, 0, NULL, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_relaxComputationFloat32toFloat16(NULL, 1), NULLS);
    CHECK_INT(sw->NeuronModel_finish(NULL), NULLS);
    CHECK_INT(sw->NeuronModel_getSupportedOperations(NULL, &b, 1), NULLS);
    CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&p, NULL, &b, 1), NULLS);
    CHECK_INT(sw->NeuronCompilation_create(NULL, &p), NULLS);
    CHECK_INT(sw->NeuronCompilation_createWithOptions(NULL, &p, ""), NULLS);
    CHECK_INT(sw->NeuronCompilation_setPreference(NULL, 0), NULLS);
    CHECK_INT(sw->NeuronCompilation_setPriority(NULL, 90), NULLS);
    CHECK_INT(sw->NeuronCompilation_setOptimizationString(NULL, ""), NULLS);
    CHECK_INT(sw->NeuronCompilation_setOptimizationHint(NULL, 0), NULLS);
    CHECK_INT(sw->NeuronCompilation_setL1MemorySizeKb(NULL, 0), NULLS);
    CHECK_INT(sw->NeuronCompilation_getSupportedOperations(NULL, 1, &b), NULLS);
    CHECK_INT(sw->NeuronCompilation_finish(NULL), NULLS);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedDimensions(NULL, 0, &u), NULLS);
    CHECK_INT(sw->NeuronCompilation_getOutputPaddedSize(NULL, 0, &n), NULLS);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(NULL, &n), NULLS);
    CHECK_INT(sw->NeuronCompilation_storeCompiledNetwork(NULL, &b, 1), NULLS);
    CHECK_INT(sw->NeuronMemory_createFromFd(1, 0, 0, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronMemory_createFromFd(1, 0, 0, 0, &p), NPU__NEURON_UNMAPPABLE);
    CHECK_INT(sw->NeuronMemory_createFromAHardwareBuffer(NULL, &p), STATE);
    CHECK_INT(sw->NeuronExecution_create(NULL, &p), NULLS);
    CHECK_INT(sw->NeuronExecution_setBoostHint(NULL, 1), NULLS);
    CHECK_INT(sw->NeuronExecution_setInput(NULL, 0, NULL, &b, 1), NULLS);
    CHECK_INT(sw->NeuronExecution_setOutputFromMemory(NULL, 0, NULL, &b, 0, 1), NULLS);
    CHECK_INT(sw->NeuronExecution_compute(NULL), NULLS);
    CHECK_INT(sw->NeuronExecution_getOutputOperandRank(NULL, 0, &u), NULLS);
    CHECK_INT(sw->NeuronExecution_getOutputOperandDimensions(NULL, 0, &u), NULLS);
    sw->NeuronModel_free(NULL);
    sw->NeuronCompilation_free(NULL);
    sw->NeuronExecution_free(NULL);
    sw->NeuronMemory_free(NULL);
}

/* Each row: type, dimensions, scale, zero point, and what the adapter says. */
TEST(operands) {
    static const uint32_t D0[2] = {2, 0}, MANY[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, HUGE_[3] = {65536, 65536, 2};
    static const struct row {
        int32_t         type;
        uint32_t        n;
        const uint32_t *dims;
        float           scale;
        int32_t         zero_point, want;
    } rows[] = {{NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, D22, 0, 0, OK},
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, D0, 0, 0, OK}, /* open */
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, D22, 1, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, 0, NULL, 0, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, NULL, 0, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, 9, MANY, 0, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, 3, HUGE_, 0, 0, DATA},
                {NPU__NEURON_TYPE_INT32, 0, NULL, 0, 0, OK},
                {NPU__NEURON_TYPE_INT32, 1, D4, 0, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, 0.5f, 255, OK},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, 0.5f, 256, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, -0.5f, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, INFINITY, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, NAN, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, 0, 3, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM_SIGNED, 1, D4, 0.5f, -128, OK},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM, 1, D4, 0.5f, 1, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT16_SYMM, 1, D4, 0.5f, 0, OK},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, D4, 0.5f, 0, DATA},
                {NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, D4, 0, 0, OK},
                {1 << 16 | NPU__NEURON_OEM_OPERAND, 1, D4, 0, 0, OK},
                {9 << 16, 1, D4, 0, 0, DATA},
                {77, 1, D4, 0, 0, DATA},
                {-1, 1, D4, 0, 0, DATA}};
    void *m;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    CHECK_INT(sw->NeuronModel_addOperand(m, NULL), NULLS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (CHECK_INT(add_operand(m, rows[i].type, rows[i].n, rows[i].dims, rows[i].scale, rows[i].zero_point),
                      rows[i].want)) continue;
        printf("    row %d\n", (int)i);
    }
    sw->NeuronModel_free(m);
}

TEST(values_and_channels) {
    static const float    scales[4] = {1, 2, 3, 4}, bad[4] = {1, 2, 0, 4};
    static const int32_t  zeros[4] = {0, 1, -1, 2}, far[4] = {0, 0, 0, 200};
    static const float    values[4] = {1, 2, 3, 4};
    npu_neuron_channels   c = {0, 4, scales, 4, zeros};
    npu_neuron_channels_symm s = {0, 4, scales};
    void                 *m;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 1, values, 16), DATA);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, -1, values, 16), DATA);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 0, values, 17), DATA);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 0, NULL, 16), NULLS);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 0, values, 16), OK);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 0, &s), DATA); /* not such a type */
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, D4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 1, &s), OK);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 1, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 1, &c), DATA); /* zero points must be 0 */
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL, 1, D4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 2, &c), OK);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 2, &s), DATA);
    c.zero_points = far;
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 2, &c), DATA);
    c.zero_points = zeros;
    c.n_zero_points = 3;
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 2, &c), DATA);
    c.zero_points = NULL;
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 2, &c), NULLS);
    s.n_scales = 3;
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 1, &s), DATA);
    s.n_scales = 4;
    s.axis = 1;
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 1, &s), DATA);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_EXT_TENSOR_INT32_SYMM_PER_CHANNEL, 1, D4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 3, &s), OK); /* a bias has the axis of its weights */
    s.axis = 0;
    s.scales = bad;
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 1, &s), DATA);
    sw->NeuronModel_free(m);
}

TEST(operations) {
    static const uint32_t in[3] = {0, 1, 3}, out[1] = {2}, short_[2] = {0, 1}, kinds[3] = {0, 1, 0}, beyond[3] = {0, 1, 9};
    static const uint32_t twice[2] = {2, 2};
    void                 *m;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    for (int i = 0; i < 3; i++) CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), OK);
    CHECK_INT(add_int(m, 3, 0), OK);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 2, short_, 1, out), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, kinds, 1, out), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, beyond, 1, out), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, NULL, 1, out), NULLS);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 0, NULL), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 2, twice), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 1, in), OK); /* operand 0 may be a result */
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 1, in), DATA); /* but once */
    CHECK_INT(sw->NeuronModel_addOperation(m, 108, 3, in, 1, out), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, -5, 3, in, 1, out), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_SIN, 3, in, 1, out), OK); /* known, though it cannot be run */
    CHECK_INT(sw->NeuronModel_finish(m), STATE); /* inputs and outputs are not identified */
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, beyond + 2, 1, out), DATA);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in + 1, 1, in + 1), DATA); /* both */
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in + 1, 2, twice), DATA);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in + 1, 1, out), OK);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in + 1, 1, out), DATA); /* twice */
    CHECK_INT(sw->NeuronModel_finish(m), DATA); /* operand 0 is read before it is written */
    sw->NeuronModel_free(m);
}

/* Finished models and compilations take no more; what needs them finished waits. */
TEST(order_of_calls) {
    void    *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), *c = NULL, *e = NULL;
    size_t   n = 0;
    uint8_t  supported[2];
    uint8_t  byte = 0;
    uint32_t dims[4];
    CHECK_INT(sw->NeuronCompilation_create(m, &c), STATE);
    CHECK_INT(sw->NeuronModel_getSupportedOperations(m, supported, 1), STATE);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    CHECK_INT(sw->NeuronModel_finish(m), STATE);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), STATE);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 3, &n, 4), STATE);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 0, NULL, 0, NULL), STATE);
    CHECK_INT(sw->NeuronModel_setName(m, "late"), STATE);
    CHECK_INT(sw->NeuronModel_relaxComputationFloat32toFloat16(m, 0), OK); /* the plugin says it here */
    CHECK_INT(sw->NeuronModel_getSupportedOperations(m, supported, 2), DATA);
    CHECK_INT(sw->NeuronModel_getSupportedOperations(m, supported, 1), OK);
    CHECK_INT(sw->NeuronCompilation_createWithOptions(m, &c, NULL), NULLS);
    CHECK_INT(sw->NeuronCompilation_createWithOptions(m, &c, "--opt 3"), OK);
    CHECK_INT(sw->NeuronCompilation_setPreference(c, 4), DATA);
    CHECK_INT(sw->NeuronCompilation_setPreference(c, NPU__NEURON_PREFER_TURBO_BOOST), OK);
    CHECK_INT(sw->NeuronCompilation_setPriority(c, 91), DATA);
    CHECK_INT(sw->NeuronCompilation_setPriority(c, NPU__NEURON_PRIORITY_HIGH), OK);
    CHECK_INT(sw->NeuronCompilation_setOptimizationHint(c, 8), DATA);
    CHECK_INT(sw->NeuronCompilation_setOptimizationHint(c, 7), OK);
    CHECK_INT(sw->NeuronCompilation_setOptimizationString(c, NULL), NULLS);
    CHECK_INT(sw->NeuronCompilation_setOptimizationString(c, "--opt 3"), OK);
    CHECK_INT(sw->NeuronCompilation_setL1MemorySizeKb(c, 1 << 20), DATA);
    CHECK_INT(sw->NeuronCompilation_setL1MemorySizeKb(c, 64), OK);
    CHECK_INT(sw->NeuronCompilation_getSupportedOperations(c, 2, supported), DATA);
    CHECK_INT(sw->NeuronCompilation_getSupportedOperations(c, 1, supported), OK);
    CHECK_INT(supported[0], 1);
    CHECK_INT(sw->NeuronExecution_create(c, &e), STATE);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, &n), STATE);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedDimensions(c, 0, dims), STATE);
    CHECK_INT(sw->NeuronCompilation_finish(c), OK);
    CHECK_INT(sw->NeuronCompilation_finish(c), STATE);
    CHECK_INT(sw->NeuronCompilation_setPriority(c, NPU__NEURON_PRIORITY_HIGH), STATE);
    CHECK_INT(sw->NeuronCompilation_getSupportedOperations(c, 1, supported), STATE);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedDimensions(c, 2, dims), DATA);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedDimensions(c, 1, dims), OK);
    CHECK_INT(dims[0], 4);
    CHECK_INT(sw->NeuronCompilation_getOutputPaddedSize(c, 0, &n), OK);
    CHECK_INT(n, 16);
    CHECK_INT(sw->NeuronCompilation_storeCompiledNetwork(c, &byte, 1), DATA);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, &n), STATE); /* only before executions */
    CHECK_INT(sw->NeuronExecution_setBoostHint(e, 101), DATA);
    CHECK_INT(sw->NeuronExecution_setBoostHint(e, 100), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), STATE); /* nothing to read */
    CHECK_INT(sw->NeuronExecution_getOutputOperandRank(e, 0, dims), STATE);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, dims, 15), DATA);
    CHECK_INT(sw->NeuronExecution_setInput(e, 2, NULL, dims, 16), DATA);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, (const npu_neuron_operand *)(const void *)dims, dims, 16), DATA);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, NULL, 16), NULLS);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

TEST(computes) {
    static const float a[4] = {1, 2.0001f, -3, 70000}, b[4] = {0.5f, 0.25f, 0.125f, 1};
    static const int8_t qa[4] = {1, 100, -100, -128}, qb[4] = {1, 100, -100, 127};
    float              out[4];
    int8_t             q[4];
    uint32_t           rank, dims[2];
    void              *m, *c, *e, *memory;
    int                code;
    m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, D22, 0, 0);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(run_two(c, a, b, out, sizeof out), OK);
    for (int i = 0; i < 4; i++) CHECK(out[i] == a[i] + b[i]);
    sw->NeuronCompilation_free(c);
    /* Relaxed: all tensors are half floats, so what these cannot hold is infinite. */
    CHECK_INT(sw->NeuronModel_relaxComputationFloat32toFloat16(m, 1), OK);
    c = compiled(m, &code);
    CHECK_INT(run_two(c, a, b, out, sizeof out), OK);
    CHECK(out[0] == 1.5f && out[1] == 2.25f && out[2] == -2.875f && out[3] == INFINITY);
    /* Memory objects, of which a part is read; what the last run gave. */
    CHECK_INT(npu__nsw_memory_of(out, sizeof out, 1, &memory), OK);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, a, 16), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 1, NULL, b, 16), OK);
    CHECK_INT(sw->NeuronExecution_setOutputFromMemory(e, 0, NULL, memory, 4, 16), DATA);
    CHECK_INT(sw->NeuronExecution_setOutputFromMemory(e, 0, NULL, memory, 0, 16), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), OK);
    CHECK_INT(sw->NeuronExecution_getOutputOperandRank(e, 0, &rank), OK);
    CHECK_INT(sw->NeuronExecution_getOutputOperandDimensions(e, 0, dims), OK);
    CHECK(rank == 2 && dims[0] == 2 && dims[1] == 2);
    sw->NeuronExecution_free(e);
    sw->NeuronMemory_free(memory);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
    m = add_model(NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM_SIGNED, 1, D4, 0.5f, 1);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(run_two(c, qa, qb, q, sizeof q), OK);
    CHECK(q[0] == 1 && q[1] == 127 && q[2] == -128 && q[3] == -2);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

/* A dimension that the model leaves open is what the buffer's length makes it. */
TEST(open_dimensions) {
    static const uint32_t open[2] = {UINT32_MAX, 2};
    static const float    a[6] = {1, 2, 3, 4, 5, 6};
    float                 out[6];
    size_t                n;
    uint32_t              dims[2];
    void                 *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, open, 0, 0), *c, *e;
    int                   code;
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(code, OK);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedSize(c, 0, &n), DATA);
    CHECK_INT(run_two(c, a, a, out, 24), OK);
    for (int i = 0; i < 6; i++) CHECK(out[i] == 2 * a[i]);
    CHECK_INT(run_two(c, a, a, out, 20), DATA); /* not whole rows */
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, a, 24), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 1, NULL, a, 24), OK);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, out, 16), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), NPU__NEURON_OUTPUT_INSUFFICIENT_SIZE);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, out, 24), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), OK);
    CHECK_INT(sw->NeuronExecution_getOutputOperandDimensions(e, 0, dims), OK);
    CHECK(dims[0] == 3 && dims[1] == 2);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

/* Operations that the adapter does not know may stand in a model that is asked about; nobody compiles it. */
TEST(supported) {
    static const uint32_t none[1] = {4}, in[3] = {0, 1, 3};
    uint8_t               supported[2] = {9, 9};
    void                 *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0);
    int                   code;
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM_SIGNED, 1, D4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_UNKNOWN, 3, in, 1, none), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    CHECK_INT(sw->NeuronModel_getSupportedOperations(m, supported, 2), OK);
    CHECK(supported[0] == 1 && supported[1] == 0);
    CHECK(!compiled(m, &code));
    CHECK_INT(code, NPU__NEURON_OP_FAILED);
    sw->NeuronModel_free(m);
}

/* FLOOR compiles and runs, but no row of the rules becomes it: whoever asks is told no. So it is with types. */
TEST(supported_by_rows) {
    static const struct row {
        int32_t type, code, supported;
    } rows[] = {{NPU__NEURON_TYPE_TENSOR_FLOAT32, NPU__NEURON_OP_ABS, 1},
                {NPU__NEURON_TYPE_TENSOR_FLOAT32, NPU__NEURON_OP_FLOOR, 0},
                {NPU__NEURON_TYPE_TENSOR_FLOAT16, NPU__NEURON_OP_SQRT, 1},
                {NPU__NEURON_TYPE_TENSOR_INT32, NPU__NEURON_OP_ABS, 1},
                {NPU__NEURON_TYPE_EXT_TENSOR_UINT32, NPU__NEURON_OP_RESHAPE, 0},
                {NPU__NEURON_TYPE_TENSOR_INT32, NPU__NEURON_OP_RESHAPE, 1}};
    static const uint32_t in[1] = {0}, out[1] = {1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void   *m, *c;
        int     code;
        uint8_t supported = 9;
        CHECK_INT(sw->NeuronModel_create(&m), OK);
        for (int k = 0; k < 2; k++) CHECK_INT(add_operand(m, rows[i].type, 1, D4, 0, 0), OK);
        CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_addOperation(m, rows[i].code, 1, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_finish(m), OK);
        CHECK_INT(sw->NeuronModel_getSupportedOperations(m, &supported, 1), OK);
        CHECK_INT(supported, rows[i].supported);
        c = compiled(m, &code);
        CHECK_INT(code, OK);
        sw->NeuronCompilation_free(c);
        sw->NeuronModel_free(m);
    }
}

/* An operation by its name: SQUARED_DIFFERENCE, and names that are none. */
TEST(oem_operations) {
    static const float a[4] = {1, 2, 3, 4}, b[4] = {2, 0, 3, -1};
    const char         name[] = "MTKEXT_SQUARED_DIFFERENCE";
    uint32_t           in[3] = {0, 1, 3}, out[1] = {2}, length[1];
    uint8_t            bytes[128];
    float              got[4];
    for (int damage = -1; damage < 40; damage++) {
        uint8_t supported = 9;
        void   *m, *c;
        int32_t operand_type, operation_type;
        int     code;
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, NPU__NEURON_OEM_HEAD, NPU__NEURON_OEM_HEAD_BYTES);
        bytes[NPU__NEURON_OEM_HEAD_BYTES] = sizeof name - 1;
        memcpy(bytes + NPU__NEURON_OEM_HEAD_BYTES + 4, name, sizeof name - 1);
        length[0] = sizeof name - 1 + NPU__NEURON_OEM_BESIDE;
        if (damage >= 0) bytes[damage] ^= 0x41;
        CHECK_INT(sw->NeuronModel_create(&m), OK);
        CHECK_INT(sw->NeuronModel_getExtensionOperandType(m, "com.example", 0, &operand_type), DATA);
        CHECK_INT(sw->NeuronModel_getExtensionOperandType(m, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERAND,
                                                          &operand_type), OK);
        CHECK_INT(sw->NeuronModel_getExtensionOperationType(m, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERATION,
                                                            &operation_type), OK);
        for (int i = 0; i < 3; i++) CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), OK);
        CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 2, in, 1, out), OK);
        CHECK_INT(add_operand(m, operand_type, 1, length, 0, 0), OK);
        CHECK_INT(sw->NeuronModel_setOperandValue(m, 3, bytes, length[0]), OK);
        CHECK_INT(sw->NeuronModel_addOperation(m, operation_type, 3, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_finish(m), OK);
        CHECK_INT(sw->NeuronModel_getSupportedOperations(m, &supported, 1), OK);
        /* The zeros behind the name are nobody's. */
        CHECK_INT(supported, damage < 0 || damage >= (int)(NPU__NEURON_OEM_HEAD_BYTES + 4 + sizeof name - 1));
        c = compiled(m, &code);
        CHECK_INT(code, supported ? OK : NPU__NEURON_OP_FAILED);
        if (c) {
            CHECK_INT(run_two(c, a, b, got, sizeof got), OK);
            for (int i = 0; i < 4; i++) CHECK(got[i] == (a[i] - b[i]) * (a[i] - b[i]));
        }
        sw->NeuronCompilation_free(c);
        sw->NeuronModel_free(m);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    sw = npu_neuron_software();
    RUN(nulls);
    RUN(operands);
    RUN(values_and_channels);
    RUN(operations);
    RUN(order_of_calls);
    RUN(computes);
    RUN(open_dimensions);
    RUN(supported);
    RUN(supported_by_rows);
    RUN(oem_operations);
    return REPORT();
}
