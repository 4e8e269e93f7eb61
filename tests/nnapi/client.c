/* An NNAPI client in C: every function, in order and out of order, with the result that NNAPI's documentation says. Built as C
 * and as C++, under sanitizers. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_NNAPI
#include "npu_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int passed, failed;

#define CHECK(what)                                                          \
    do {                                                                     \
        if (what) passed++;                                                  \
        else failed++, printf("FAIL line %d: %s\n", __LINE__, #what);        \
    } while (0)
#define OK(call) CHECK((call) == ANEURALNETWORKS_NO_ERROR)
#define GIVES(result, call) CHECK((call) == ANEURALNETWORKS_##result)

typedef ANeuralNetworksModel       model_t;
typedef ANeuralNetworksCompilation compilation_t;
typedef ANeuralNetworksExecution   execution_t;

static uint32_t count; /* operands of the model in the making */

static model_t *created(void) {
    model_t *m;
    OK(ANeuralNetworksModel_create(&m));
    count = 0;
    return m;
}

static uint32_t operand(model_t *m, int32_t type, uint32_t n, uint32_t d0, uint32_t d1) {
    uint32_t                   dims[2];
    ANeuralNetworksOperandType t;
    memset(&t, 0, sizeof t);
    dims[0] = d0;
    dims[1] = d1;
    t.type = type;
    t.dimensionCount = n;
    t.dimensions = dims;
    OK(ANeuralNetworksModel_addOperand(m, &t));
    return count++;
}

static uint32_t number(model_t *m, int32_t v) {
    const uint32_t i = operand(m, ANEURALNETWORKS_INT32, 0, 0, 0);
    OK(ANeuralNetworksModel_setOperandValue(m, (int32_t)i, &v, sizeof v));
    return i;
}

static void operation(model_t *m, int32_t code, const uint32_t *in, uint32_t n_in, uint32_t out) {
    OK(ANeuralNetworksModel_addOperation(m, code, n_in, in, 1, &out));
}

static void finish(model_t *m, const uint32_t *in, uint32_t n_in, uint32_t out) {
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(m, n_in, in, 1, &out));
    OK(ANeuralNetworksModel_finish(m));
}

/* x op y, of float32 [2, open]. */
static model_t *binary(int32_t code, uint32_t columns) {
    model_t *m;
    uint32_t in[3], out;
    m = created();
    in[0] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, columns);
    in[1] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, columns);
    in[2] = number(m, ANEURALNETWORKS_FUSED_NONE);
    out = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, columns);
    operation(m, code, in, 3, out);
    finish(m, in, 2, out);
    return m;
}

static void devices(void) {
    ANeuralNetworksDevice *d, *none;
    const char            *text;
    uint32_t               n = 0;
    int32_t                type;
    int64_t                level;
    GIVES(UNEXPECTED_NULL, ANeuralNetworks_getDeviceCount(NULL));
    OK(ANeuralNetworks_getDeviceCount(&n));
    CHECK(n == 1);
    GIVES(UNEXPECTED_NULL, ANeuralNetworks_getDevice(0, NULL));
    GIVES(BAD_DATA, ANeuralNetworks_getDevice(1, &none));
    OK(ANeuralNetworks_getDevice(0, &d));
    OK(ANeuralNetworksDevice_getName(d, &text));
    CHECK(strcmp(text, "npu_rt") == 0);
    OK(ANeuralNetworksDevice_getVersion(d, &text));
    OK(ANeuralNetworksDevice_getType(d, &type));
    CHECK(type == ANEURALNETWORKS_DEVICE_CPU);
    OK(ANeuralNetworksDevice_getFeatureLevel(d, &level));
    CHECK(level == 30 && ANeuralNetworks_getRuntimeFeatureLevel() == 30);
    OK(ANeuralNetworksDevice_wait(d));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksDevice_getName(NULL, &text));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksDevice_getVersion(d, NULL));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksDevice_getType(d, NULL));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksDevice_getFeatureLevel(NULL, &level));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksDevice_wait(NULL));
    CHECK(ANeuralNetworks_getDefaultLoopTimeout() <= ANeuralNetworks_getMaximumLoopTimeout());
}

/* What is wrong is said by the call that says it, and nothing is added. */
static void models(void) {
    model_t                                 *m;
    ANeuralNetworksOperandType               t;
    ANeuralNetworksSymmPerChannelQuantParams q;
    uint32_t                                 dims[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1}, in[3] = {0, 1, 2}, out = 3, huge[2] = {1u << 20, 1u << 20};
    float                                    value[6] = {0}, scales[2] = {0.5f, -1.0f};
    bool                                     flags[1];
    compilation_t                           *c;
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_create(NULL));
    m = created();
    memset(&t, 0, sizeof t);
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_addOperand(m, NULL));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_addOperand(NULL, &t));
    t.type = 99;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.type = ANEURALNETWORKS_TENSOR_FLOAT32;
    t.dimensions = dims;
    t.dimensionCount = 9;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.dimensionCount = 2;
    t.dimensions = huge;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.dimensions = NULL;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.dimensions = dims;
    t.scale = 0.5f;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    t.zeroPoint = 256;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.zeroPoint = 0;
    t.scale = 0.0f;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    t.scale = (float)(0.0 * 1e308 * 1e308);
    t.type = ANEURALNETWORKS_FLOAT32;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperand(m, &t));
    operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    number(m, 0);
    operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    operand(m, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 2, 2, 3);
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValue(m, 9, value, sizeof value));
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValue(m, -1, value, sizeof value));
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValue(m, 1, value, 4));
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValue(m, 1, NULL, 4));
    OK(ANeuralNetworksModel_setOperandValue(m, 1, NULL, 0));
    OK(ANeuralNetworksModel_setOperandValue(m, 1, value, sizeof value));
    memset(&q, 0, sizeof q);
    q.scaleCount = 2;
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m, 4, NULL));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m, 4, &q));
    q.scales = scales;
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m, 4, &q));
    scales[1] = 0.25f;
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m, 0, &q));
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m, 7, &q));
    OK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(m, 4, &q));
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperation(m, 1000, 3, in, 1, &out));
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperation(m, -1, 3, in, 1, &out));
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_ADD, 2, in, 1, &out));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_ADD, 3, NULL, 1, &out));
    in[0] = 77;
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_ADD, 3, in, 1, &out));
    in[0] = 0;
    GIVES(BAD_STATE, ANeuralNetworksModel_finish(m));
    GIVES(BAD_STATE, ANeuralNetworksCompilation_create(m, &c));
    OK(ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_ADD, 3, in, 1, &out));
    GIVES(BAD_DATA, ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_ADD, 3, in, 1, &out)); /* written twice */
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValue(m, 3, value, sizeof value));
    GIVES(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(m, 2, in, 1, &out)); /* one is a constant */
    GIVES(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(m, 1, in, 1, in));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(m, 1, in, 1, &out));
    GIVES(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(m, 1, in, 1, &out));
    OK(ANeuralNetworksModel_relaxComputationFloat32toFloat16(m, true));
    OK(ANeuralNetworksModel_finish(m));
    GIVES(BAD_STATE, ANeuralNetworksModel_finish(m));
    GIVES(BAD_STATE, ANeuralNetworksModel_addOperand(m, &t));
    GIVES(BAD_STATE, ANeuralNetworksModel_relaxComputationFloat32toFloat16(m, true));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksModel_getSupportedOperationsForDevices(m, NULL, 1, flags));
    ANeuralNetworksModel_free(m);
    ANeuralNetworksModel_free(NULL);
    m = created(); /* an operation that reads its own output: no order in which they can run */
    in[0] = in[1] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    in[2] = number(m, 0);
    operation(m, ANEURALNETWORKS_ADD, in, 3, in[0]);
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(m, 0, NULL, 1, in));
    GIVES(BAD_DATA, ANeuralNetworksModel_finish(m));
    ANeuralNetworksModel_free(m);
}

/* Operations may be added behind those that read their results. */
static void any_order(void) {
    model_t       *m;
    compilation_t *c;
    execution_t   *e;
    uint32_t       a, b, out, in[3];
    float          x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    m = created();
    a = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    b = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    out = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 2, 2, 3);
    in[0] = b;
    in[1] = a;
    in[2] = number(m, 0);
    operation(m, ANEURALNETWORKS_MUL, in, 3, out);
    in[0] = a;
    operation(m, ANEURALNETWORKS_ADD, in, 3, b);
    finish(m, &a, 1, out);
    OK(ANeuralNetworksCompilation_create(m, &c));
    OK(ANeuralNetworksCompilation_finish(c));
    OK(ANeuralNetworksExecution_create(c, &e));
    OK(ANeuralNetworksExecution_setInput(e, 0, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, y, sizeof y));
    OK(ANeuralNetworksExecution_compute(e));
    for (int i = 0; i < 6; i++) CHECK(y[i] == 2 * x[i] * x[i]);
    ANeuralNetworksExecution_free(e);
    ANeuralNetworksCompilation_free(c);
    ANeuralNetworksModel_free(m);
}

static void compilations(void) {
    model_t                     *m = binary(ANEURALNETWORKS_MUL, 3), *odd;
    compilation_t               *c;
    ANeuralNetworksDevice       *d;
    const ANeuralNetworksDevice *list[2];
    uint8_t                      token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {0};
    bool                         flags[2];
    uint32_t                     in[5], out;
    OK(ANeuralNetworks_getDevice(0, &d));
    list[0] = list[1] = d;
    GIVES(UNEXPECTED_NULL, ANeuralNetworksCompilation_create(NULL, &c));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksCompilation_create(m, NULL));
    GIVES(BAD_DATA, ANeuralNetworksCompilation_createForDevices(m, list, 2, &c));
    GIVES(BAD_DATA, ANeuralNetworksCompilation_createForDevices(m, list, 0, &c));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksCompilation_createForDevices(m, NULL, 1, &c));
    OK(ANeuralNetworksCompilation_create(m, &c));
    GIVES(BAD_DATA, ANeuralNetworksCompilation_setTimeout(c, 1)); /* not of one device */
    ANeuralNetworksCompilation_free(c);
    OK(ANeuralNetworksCompilation_createForDevices(m, list, 1, &c));
    OK(ANeuralNetworksCompilation_setTimeout(c, 1000));
    OK(ANeuralNetworksCompilation_setPreference(c, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
    GIVES(BAD_DATA, ANeuralNetworksCompilation_setPreference(c, 7));
    OK(ANeuralNetworksCompilation_setPriority(c, ANEURALNETWORKS_PRIORITY_HIGH));
    GIVES(BAD_DATA, ANeuralNetworksCompilation_setPriority(c, 1));
    OK(ANeuralNetworksCompilation_setCaching(c, "cache", token));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksCompilation_setCaching(c, NULL, token));
    OK(ANeuralNetworksCompilation_finish(c));
    GIVES(BAD_STATE, ANeuralNetworksCompilation_finish(c));
    GIVES(BAD_STATE, ANeuralNetworksCompilation_setPreference(c, 0));
    CHECK(npu_nnapi_why(c)[0] == 0 && npu_nnapi_why(NULL)[0] == 0);
    ANeuralNetworksCompilation_free(c);
    ANeuralNetworksCompilation_free(NULL);
    OK(ANeuralNetworksModel_getSupportedOperationsForDevices(m, list, 1, flags));
    CHECK(flags[0]);
    ANeuralNetworksModel_free(m);
    odd = created(); /* an operation of a type that the device does not run it with, behind one that it runs */
    in[0] = operand(odd, ANEURALNETWORKS_TENSOR_FLOAT16, 2, 2, 3);
    in[1] = operand(odd, ANEURALNETWORKS_TENSOR_FLOAT16, 2, 2, 3);
    in[2] = in[1];
    in[3] = operand(odd, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 2, 0);
    OK(ANeuralNetworksModel_setOperandValue(odd, (int32_t)in[3], NULL, 0));
    in[4] = number(odd, 2);
    out = operand(odd, ANEURALNETWORKS_TENSOR_INT32, 1, 6, 0);
    operation(odd, ANEURALNETWORKS_RELU, in, 1, in[1]);
    operation(odd, ANEURALNETWORKS_LSH_PROJECTION, &in[1], 4, out);
    finish(odd, in, 1, out);
    OK(ANeuralNetworksModel_getSupportedOperationsForDevices(odd, list, 1, flags));
    CHECK(flags[0] && !flags[1]);
    OK(ANeuralNetworksCompilation_create(odd, &c));
    GIVES(OP_FAILED, ANeuralNetworksCompilation_finish(c));
    CHECK(strstr(npu_nnapi_why(c), "operation 1 (LSH_PROJECTION)"));
    ANeuralNetworksCompilation_free(c);
    ANeuralNetworksModel_free(odd);
}

static compilation_t *compiled(model_t *m, int one_device) {
    ANeuralNetworksDevice       *d;
    const ANeuralNetworksDevice *list[1];
    compilation_t               *c;
    OK(ANeuralNetworks_getDevice(0, &d));
    list[0] = d;
    if (one_device) OK(ANeuralNetworksCompilation_createForDevices(m, list, 1, &c));
    else OK(ANeuralNetworksCompilation_create(m, &c));
    OK(ANeuralNetworksCompilation_finish(c));
    return c;
}

static void executions(void) {
    model_t                   *m = binary(ANEURALNETWORKS_MUL, 0);
    compilation_t             *c = compiled(m, 1), *other = compiled(m, 0);
    execution_t               *e;
    ANeuralNetworksBurst      *burst, *of_other;
    ANeuralNetworksEvent      *event, *after;
    ANeuralNetworksOperandType t;
    uint32_t                   dims[2] = {2, 3}, got[2], rank;
    uint64_t                   ns;
    float                      x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    int                        fd;
    memset(&t, 0, sizeof t);
    t.type = ANEURALNETWORKS_TENSOR_FLOAT32;
    t.dimensionCount = 2;
    t.dimensions = dims;
    GIVES(UNEXPECTED_NULL, ANeuralNetworksExecution_create(NULL, &e));
    for (int way = 0; way < 5; way++) {
        OK(ANeuralNetworksExecution_create(c, &e));
        GIVES(BAD_DATA, ANeuralNetworksExecution_compute(e)); /* nothing is set */
        GIVES(BAD_DATA, ANeuralNetworksExecution_setInput(e, 0, NULL, x, sizeof x)); /* of which shape? */
        GIVES(BAD_DATA, ANeuralNetworksExecution_setInput(e, 0, &t, x, 4));
        GIVES(BAD_DATA, ANeuralNetworksExecution_setInput(e, 2, &t, x, sizeof x));
        GIVES(BAD_DATA, ANeuralNetworksExecution_setInput(e, -1, &t, x, sizeof x));
        GIVES(UNEXPECTED_NULL, ANeuralNetworksExecution_setInput(e, 0, &t, NULL, sizeof x));
        dims[0] = 5;
        GIVES(BAD_DATA, ANeuralNetworksExecution_setInput(e, 0, &t, x, sizeof x));
        dims[0] = 2;
        OK(ANeuralNetworksExecution_setInput(e, 0, &t, x, sizeof x));
        OK(ANeuralNetworksExecution_setInput(e, 1, &t, x, sizeof x));
        GIVES(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank));
        OK(ANeuralNetworksExecution_setMeasureTiming(e, true));
        GIVES(BAD_STATE, ANeuralNetworksExecution_getDuration(e, 0, &ns));
        OK(ANeuralNetworksExecution_setTimeout(e, (uint64_t)60 * 1000000000u));
        OK(ANeuralNetworksExecution_setLoopTimeout(e, 1000));
        OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, y, way == 4 ? 8 : sizeof y));
        memset(y, 0, sizeof y);
        event = NULL;
        OK(ANeuralNetworksBurst_create(c, &burst));
        OK(ANeuralNetworksBurst_create(other, &of_other));
        switch (way) {
        case 0: OK(ANeuralNetworksExecution_compute(e)); break;
        case 1:
            GIVES(BAD_DATA, ANeuralNetworksExecution_burstCompute(e, of_other));
            OK(ANeuralNetworksExecution_burstCompute(e, burst));
            break;
        case 2: OK(ANeuralNetworksExecution_startCompute(e, &event)); break;
        case 3: OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, &event)); break;
        default: GIVES(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(e)); break;
        }
        if (event) {
            OK(ANeuralNetworksEvent_wait(event));
            GIVES(BAD_DATA, ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
        }
        CHECK(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank) == (way == 4 ? ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE : 0));
        CHECK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, got) == (way == 4 ? ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE : 0));
        CHECK(rank == 2 && got[0] == 2 && got[1] == 3);
        for (int i = 0; i < 6; i++) CHECK(y[i] == (way == 4 ? 0.0f : x[i] * x[i])); /* whole or not at all */
        GIVES(BAD_DATA, ANeuralNetworksExecution_getDuration(e, 9, &ns));
        if (way != 4) {
            OK(ANeuralNetworksExecution_getDuration(e, ANEURALNETWORKS_DURATION_ON_HARDWARE, &ns));
            CHECK(ns != UINT64_MAX);
        }
        GIVES(BAD_STATE, ANeuralNetworksExecution_compute(e)); /* once only */
        GIVES(BAD_STATE, ANeuralNetworksExecution_setInput(e, 0, &t, x, sizeof x));
        GIVES(BAD_STATE, ANeuralNetworksExecution_startCompute(e, &after));
        ANeuralNetworksBurst_free(burst);
        ANeuralNetworksBurst_free(of_other);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(e);
    }
    OK(ANeuralNetworksExecution_create(other, &e));
    GIVES(BAD_DATA, ANeuralNetworksExecution_setMeasureTiming(e, true));
    GIVES(BAD_DATA, ANeuralNetworksExecution_setTimeout(e, 1));
    ANeuralNetworksExecution_free(e);
    ANeuralNetworksExecution_free(NULL);
    ANeuralNetworksEvent_free(NULL);
    ANeuralNetworksBurst_free(NULL);
    GIVES(BAD_DATA, ANeuralNetworksEvent_createFromSyncFenceFd(1, &event));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksEvent_wait(NULL));
    ANeuralNetworksCompilation_free(other);
    ANeuralNetworksCompilation_free(c);
    ANeuralNetworksModel_free(m);
}

/* Inputs and outputs in a mapped file, at an odd offset, and in memory of NNAPI's own. */
static void memories(void) {
    model_t                   *m = binary(ANEURALNETWORKS_ADD, 3);
    compilation_t             *c = compiled(m, 0);
    execution_t               *e;
    ANeuralNetworksMemoryDesc *desc;
    ANeuralNetworksMemory     *file, *own, *none, *readable;
    const float                x[6] = {1, 2, 3, 4, 5, 6};
    float                      y[6];
    uint32_t                   dims[2] = {2, 3};
    FILE                      *f = tmpfile();
    const int                  fd = fileno(f);
    CHECK(ftruncate(fd, 70000) == 0 && pwrite(fd, x, sizeof x, 68000) == (ssize_t)sizeof x);
    GIVES(BAD_DATA, ANeuralNetworksMemory_createFromFd(0, PROT_READ, fd, 0, &none));
    GIVES(BAD_DATA, ANeuralNetworksMemory_createFromFd(8, PROT_READ, -1, 0, &none));
    GIVES(UNMAPPABLE, ANeuralNetworksMemory_createFromFd(8, PROT_READ, fd, 69999, &none)); /* behind the end */
    GIVES(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromFd(8, PROT_READ, fd, 0, NULL));
    GIVES(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, &none));
    OK(ANeuralNetworksMemory_createFromFd(1000, PROT_READ | PROT_WRITE, fd, 67990, &file));
    OK(ANeuralNetworksMemory_createFromFd(1000, PROT_READ, fd, 67990, &readable));
    OK(ANeuralNetworksMemoryDesc_create(&desc));
    GIVES(BAD_DATA, ANeuralNetworksMemoryDesc_finish(desc));
    OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 0, 1.0f));
    GIVES(BAD_DATA, ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 0, 1.0f));
    GIVES(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, c, 5, 1.0f));
    GIVES(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1.5f));
    OK(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 0.5f));
    OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 2, dims));
    dims[1] = 4;
    GIVES(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 2, dims));
    GIVES(BAD_STATE, ANeuralNetworksMemory_createFromDesc(desc, &own));
    OK(ANeuralNetworksMemoryDesc_finish(desc));
    GIVES(BAD_STATE, ANeuralNetworksMemoryDesc_finish(desc));
    OK(ANeuralNetworksMemory_createFromDesc(desc, &own));
    ANeuralNetworksMemoryDesc_free(desc);
    GIVES(BAD_DATA, ANeuralNetworksMemory_copy(own, file)); /* nothing was written, and the sizes differ */
    OK(ANeuralNetworksExecution_create(c, &e));
    GIVES(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, own, 0, 0)); /* nothing was written */
    GIVES(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, file, 990, sizeof x));
    GIVES(BAD_DATA, ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, readable, 10, sizeof x));
    OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, file, 10, sizeof x));
    OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, readable, 10, sizeof x));
    OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, own, 0, 0));
    OK(ANeuralNetworksExecution_compute(e));
    ANeuralNetworksExecution_free(e);
    OK(ANeuralNetworksExecution_create(c, &e)); /* its result, to which the file's numbers are added */
    OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, own, 0, 0));
    GIVES(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, own, 0, 0)); /* it has no such role */
    OK(ANeuralNetworksExecution_setInput(e, 1, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, file, 110, sizeof x));
    OK(ANeuralNetworksExecution_compute(e));
    CHECK(pread(fd, y, sizeof y, 68100) == (ssize_t)sizeof y);
    for (int i = 0; i < 6; i++) CHECK(y[i] == 3 * x[i]);
    ANeuralNetworksExecution_free(e);
    ANeuralNetworksMemory_free(own);
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(readable);
    ANeuralNetworksMemory_free(NULL);
    ANeuralNetworksCompilation_free(c);
    ANeuralNetworksModel_free(m);
    fclose(f);
}

/* x < limit */
static model_t *below(float limit) {
    model_t *m;
    uint32_t in[3], out;
    m = created();
    in[0] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    in[2] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0); /* the step, which it does not look at */
    in[1] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    OK(ANeuralNetworksModel_setOperandValue(m, (int32_t)in[1], &limit, sizeof limit));
    out = operand(m, ANEURALNETWORKS_TENSOR_BOOL8, 1, 1, 0);
    operation(m, ANEURALNETWORKS_LESS, in, 2, out);
    in[1] = in[2];
    finish(m, in, 2, out);
    return m;
}

static model_t *sum(int32_t code) {
    model_t *m;
    uint32_t in[3], out;
    m = created();
    in[0] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    in[1] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    in[2] = number(m, 0);
    out = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    operation(m, code, in, 3, out);
    finish(m, in, 2, out);
    return m;
}

static float run_two(model_t *m, const void *a, size_t a_bytes, float x, float y) {
    compilation_t *c = compiled(m, 0);
    execution_t   *e;
    float          out = -1.0f;
    int32_t        i = 0;
    OK(ANeuralNetworksExecution_create(c, &e));
    if (a) OK(ANeuralNetworksExecution_setInput(e, i++, NULL, a, a_bytes));
    OK(ANeuralNetworksExecution_setInput(e, i++, NULL, &x, sizeof x));
    OK(ANeuralNetworksExecution_setInput(e, i, NULL, &y, sizeof y));
    OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, &out, sizeof out));
    OK(ANeuralNetworksExecution_compute(e));
    ANeuralNetworksExecution_free(e);
    ANeuralNetworksCompilation_free(c);
    return out;
}

/* Models in models: x is added to until it is 10, by a step that the body never changes; a sum or a product. */
static void control_flow(void) {
    model_t *m, *cond = below(10.0f), *body = sum(ANEURALNETWORKS_ADD), *other = sum(ANEURALNETWORKS_MUL);
    uint32_t in[5], out;
    uint8_t  yes = 1, no = 0;
    m = created();
    in[0] = operand(m, ANEURALNETWORKS_MODEL, 0, 0, 0);
    in[1] = operand(m, ANEURALNETWORKS_MODEL, 0, 0, 0);
    in[2] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    in[3] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    out = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[2], cond));
    GIVES(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[0], m)); /* not finished: never in itself */
    OK(ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[0], cond));
    OK(ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[1], body));
    operation(m, ANEURALNETWORKS_WHILE, in, 4, out);
    finish(m, &in[2], 2, out);
    CHECK(run_two(m, NULL, 0, 1.0f, 4.0f) == 13.0f);
    CHECK(run_two(m, NULL, 0, 12.0f, 4.0f) == 12.0f);
    ANeuralNetworksModel_free(m);
    m = created();
    in[0] = operand(m, ANEURALNETWORKS_TENSOR_BOOL8, 1, 1, 0);
    in[1] = operand(m, ANEURALNETWORKS_MODEL, 0, 0, 0);
    in[2] = operand(m, ANEURALNETWORKS_MODEL, 0, 0, 0);
    in[3] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    in[4] = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    out = operand(m, ANEURALNETWORKS_TENSOR_FLOAT32, 1, 1, 0);
    OK(ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[1], body));
    OK(ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[2], other));
    operation(m, ANEURALNETWORKS_IF, in, 5, out);
    in[1] = in[3];
    in[2] = in[4];
    finish(m, in, 3, out);
    CHECK(run_two(m, &yes, 1, 3.0f, 4.0f) == 7.0f);
    CHECK(run_two(m, &no, 1, 3.0f, 4.0f) == 12.0f);
    ANeuralNetworksModel_free(m);
    ANeuralNetworksModel_free(cond);
    ANeuralNetworksModel_free(body);
    ANeuralNetworksModel_free(other);
}

int main(void) {
    devices();
    models();
    any_order();
    compilations();
    executions();
    memories();
    control_flow();
    printf("nnapi client: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
