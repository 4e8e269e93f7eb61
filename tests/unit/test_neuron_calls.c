/* The software adapter of MediaTek's NPUs, call by call: each argument that may be wrong, each limit, and runs whose
 * buffers or shapes are not what the model says. Built alone: it uses what the adapter keeps to itself. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "neuron_ops.h"

enum { OK = NPU__NEURON_NO_ERROR, NULLS = NPU__NEURON_UNEXPECTED_NULL, DATA = NPU__NEURON_BAD_DATA,
       STATE = NPU__NEURON_BAD_STATE,
       FAILED = NPU__NEURON_OP_FAILED };
#define OP(name) NPU__NEURON_OP_##name

static const uint32_t D4[1] = {4};

/* A pointer where there should be none, or the other way round, with everything else right. */
TEST(one_null) {
    void    *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), *c, *e = &m, *p = &m;
    uint8_t  byte = 0;
    int32_t  type;
    size_t   n;
    int      code;
    CHECK_INT(sw->NeuronModel_getExtensionOperandType(m, NULL, 0, &type), NULLS);
    CHECK_INT(sw->NeuronModel_getExtensionOperandType(m, NPU__NEURON_OEM_EXTENSION, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    CHECK_INT(sw->NeuronModel_getSupportedOperations(m, NULL, 1), NULLS);
    CHECK_INT(sw->NeuronCompilation_create(m, NULL), NULLS);
    CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(NULL, &p, &byte, 1), NULLS);
    CHECK(p == NULL);
    p = &m;
    CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&p, &e, NULL, 1), NULLS);
    CHECK(p == NULL && e == NULL);
    CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&p, &e, &byte, 1), DATA);
    c = compiled(m, &code);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedSize(c, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronCompilation_getInputPaddedSize(c, -1, &n), DATA);
    CHECK_INT(sw->NeuronCompilation_getOutputPaddedSize(c, 1, &n), DATA);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, NULL), NULLS);
    CHECK_INT(sw->NeuronCompilation_storeCompiledNetwork(c, NULL, 1), NULLS);
    CHECK_INT(sw->NeuronExecution_create(c, NULL), NULLS);
    CHECK_INT(sw->NeuronCompilation_setL1MemorySizeKb(c, 1), STATE);
    sw->NeuronCompilation_free(c);
    CHECK_INT(sw->NeuronCompilation_create(m, &c), OK);
    CHECK_INT(sw->NeuronCompilation_setPreference(c, -1), DATA);
    CHECK_INT(sw->NeuronCompilation_setPriority(c, NPU__NEURON_PRIORITY_MEDIUM), OK);
    CHECK_INT(sw->NeuronCompilation_setPriority(c, NPU__NEURON_PRIORITY_LOW), OK);
    CHECK_INT(((npu__nsw_compilation *)c)->priority, NPU__NEURON_PRIORITY_LOW);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

TEST(memories) {
    uint8_t bytes[8] = {0};
    void   *memory = bytes, *m = add_model(NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, D4, 0.5f, 0), *c, *e;
    int     code;
    CHECK_INT(npu__nsw_memory_of(bytes, 8, 1, NULL), NULLS);
    CHECK_INT(npu__nsw_memory_of(NULL, 8, 1, &memory), NULLS);
    CHECK(memory == NULL);
    CHECK_INT(sw->NeuronMemory_createFromAHardwareBuffer(bytes, NULL), STATE);
    CHECK_INT(npu__nsw_memory_of(bytes, 8, 1, &memory), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(e, 0, NULL, NULL, 0, 4), NULLS);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(NULL, 0, NULL, memory, 0, 4), NULLS);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(e, UINT32_MAX, NULL, memory, 0, 4), DATA);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(e, 0, NULL, memory, 9, 0), DATA);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(e, 0, NULL, memory, 5, 4), DATA);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(e, 0, NULL, memory, 4, 4), OK);
    sw->NeuronExecution_free(e);
    sw->NeuronMemory_free(memory);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

/* What a run gave is there behind it, and only then. */
TEST(results_of_a_run) {
    float    x[4] = {1, 2, 3, 4}, y[4];
    uint32_t rank = 9;
    void    *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), *c, *e;
    int      code;
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronExecution_getOutputOperandRank(e, 0, NULL), NULLS);
    CHECK_INT(sw->NeuronExecution_getOutputOperandDimensions(e, 1, &rank), DATA);
    CHECK_INT(sw->NeuronExecution_getOutputOperandDimensions(e, 0, &rank), STATE);
    for (int i = 0; i < 2; i++) CHECK_INT(sw->NeuronExecution_setInput(e, i, NULL, x, sizeof x), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), STATE); /* nowhere to write */
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, y, sizeof y), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), OK);
    CHECK_INT(sw->NeuronExecution_getOutputOperandRank(e, 0, &rank), OK);
    CHECK(rank == 1 && y[3] == 8.0f);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

/* Limits of lists, names, values and channels. */
TEST(limits) {
    static const float   scales[4] = {1, 2, 3, 4}, no_number[4] = {1, 2, NAN, 4}, infinite[4] = {1, INFINITY, 3, 4};
    static const int32_t low[4] = {0, 0, -200, 0};
    npu_neuron_channels  q = {0, 4, scales, 4, low};
    npu_neuron_channels_symm s = {0, 0, scales};
    char                 name[100];
    static const uint32_t zero[1] = {0};
    uint32_t             one = 0, d4[1] = {4};
    void                *m;
    npu__nsw_model      *inside;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    inside = (npu__nsw_model *)m;
    CHECK_INT(sw->NeuronModel_setName(m, name), OK);
    CHECK_INT(strlen(inside->name), 63);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM, 1, d4, 0.5f, -1), DATA);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL, 1, d4, 0, 0), OK);
    CHECK_INT(add_operand(m, 1 << 16 | NPU__NEURON_OEM_OPERAND, 1, d4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 0, &q), DATA); /* a zero point too low */
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 1, &q), DATA); /* bytes */
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 7, &q), DATA);
    q.scales = no_number;
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 0, &q), DATA);
    q.scales = infinite;
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 0, &q), DATA);
    q.scales = NULL;
    CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 0, &q), NULLS);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, d4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 2, &s), DATA); /* no scales */
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(ADD), NPU__NSW_MAX_LIST + 1, &one, 1, &one), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(SIN), 1, &one, NPU__NSW_MAX_LIST + 1, &one), DATA);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 0, NULL, 1, NULL), NULLS);
    CHECK_INT(add_int(m, 3, 7), OK);
    one = 3;
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(SIN), 1, zero, 1, &one), DATA); /* no result is a scalar */
    inside->n_operands += NPU__NSW_MAX_LIST - 4;
    CHECK_INT(add_int(m, 4, 7), DATA);
    inside->n_operands -= NPU__NSW_MAX_LIST - 4;
    inside->n_ops = NPU__NSW_MAX_LIST;
    one = 0;
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(SIN), 1, &one, 0, NULL), DATA);
    inside->n_ops = 0;
    sw->NeuronModel_free(m);
}

/* Models that say too little: no operation, outputs that nobody writes, inputs that have a value. */
TEST(unfinished) {
    uint32_t      in[1] = {0}, out[1] = {1}, third[1] = {2};
    const float   x[4] = {1, 2, 3, 4};
    void         *m;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    for (int i = 0; i < 3; i++) CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 0, x, sizeof x), DATA);
    CHECK_INT(sw->NeuronModel_finish(m), STATE);
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(FLOOR), 1, in, 1, third), OK);
    CHECK_INT(sw->NeuronModel_finish(m), DATA);
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(FLOOR), 1, third, 1, out), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    sw->NeuronModel_free(m);
}

/* Names of the extension's operations that cannot be read: no value, too short, longer than it is, than any is. */
TEST(unreadable_names) {
    static const struct {
        uint32_t    bytes;
        const char *value; /* behind the head: a length's first byte */
        size_t      n;
    } rows[] = {{10, NULL, 0}, {10, "\4nam", 10}, {40, "\35", 40}, {200, "\145", 200}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t  bytes[256] = NPU__NEURON_OEM_HEAD, supported = 9;
        uint32_t in[2] = {0, 1}, out[1] = {2};
        int32_t  operand, operation;
        void    *m;
        CHECK_INT(sw->NeuronModel_create(&m), OK);
        CHECK_INT(sw->NeuronModel_getExtensionOperandType(m, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERAND,
            &operand), OK);
        CHECK_INT(sw->NeuronModel_getExtensionOperationType(m, NPU__NEURON_OEM_EXTENSION, 0, &operation), OK);
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), OK);
        CHECK_INT(add_operand(m, operand, 1, &rows[i].bytes, 0, 0), OK);
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), OK);
        if (rows[i].value) memcpy(bytes + NPU__NEURON_OEM_HEAD_BYTES, rows[i].value, strlen(rows[i].value));
        if (rows[i].value) CHECK_INT(sw->NeuronModel_setOperandValue(m, 1, bytes, rows[i].n), OK);
        CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_addOperation(m, operation, 2, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_finish(m), OK); /* nobody knows the operation, so what it reads is not looked at */
        CHECK_INT(sw->NeuronModel_getSupportedOperations(m, &supported, 1), OK);
        CHECK_INT(supported, 0);
        sw->NeuronModel_free(m);
    }
}

/* Results of a type that the rules have no row for are not supported, though they are computed. */
TEST(unlisted_results) {
    static const op_row row = {OP(CAST), "F4", "Z4", OK, OK, OK, ""};
    uint8_t  supported = 9;
    op_model k;
    void    *c;
    int      code;
    op_make(&k, &row);
    CHECK_INT(k.code, OK);
    CHECK_INT(sw->NeuronModel_finish(k.m), OK);
    CHECK_INT(sw->NeuronModel_getSupportedOperations(k.m, &supported, 1), OK);
    CHECK_INT(supported, 0);
    c = compiled(k.m, &code);
    CHECK_INT(code, OK);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(k.m);
}

/* ---- runs ---- */

/* Two runs with inputs of `bytes` each, whose numbers are 1; what each step says. */
typedef struct run_row {
    op_row row;
    size_t bytes[3];
    int    create, compute;
} run_row;

static void run_check(const run_row *r) {
    static const float   x[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t ones[4] = {1, 1, 1, 1};
    static uint8_t     y[256];
    op_model k;
    void    *c, *e = NULL;
    int      code = 0, ok;
    op_make(&k, &r->row);
    CHECK_INT(k.code, OK);
    CHECK_INT(sw->NeuronModel_finish(k.m), OK);
    c = compiled(k.m, &code);
    ok = CHECK_INT(code, OK);
    if (c) ok &= CHECK_INT(code = sw->NeuronExecution_create(c, &e), r->create);
    for (uint32_t i = 0; e && i < k.n_given; i++) {
        const int   whole = ((npu__nsw_model *)k.m)->operands[k.given[i]].code == NPU__NEURON_TYPE_TENSOR_INT32;
        CHECK_INT(sw->NeuronExecution_setInput(e, (int32_t)i, NULL, whole ? (const void *)ones : (const void *)x,
            r->bytes[i]), OK);
    }
    if (e) CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, y, sizeof y), OK);
    for (int pass = 0; e && pass < 2; pass++) ok &= CHECK_INT(sw->NeuronExecution_compute(e), r->compute);
    if (!ok) printf("    operation %d %s -> %s\n", r->row.code, r->row.in, r->row.out);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(k.m);
}

TEST(shapes_of_a_run) {
    static const run_row rows[] = {
        {{OP(FLOOR), "F?x?", "F?x?", 0, 0, 0, ""}, {4, 0, 0}, OK, OK},   /* two open: both are 1 */
        {{OP(FLOOR), "F?x?", "F?x?", 0, 0, 0, ""}, {8, 0, 0}, OK, DATA},
        {{OP(FLOOR), "F?x2", "F?x2", 0, 0, 0, ""}, {0, 0, 0}, OK, DATA}, /* -1 is no 0 */
        {{OP(FLOOR), "F?x2", "F?x2", 0, 0, 0, ""}, {12, 0, 0}, OK, DATA},
        {{OP(FLOOR), "F?x2", "F?x2", 0, 0, 0, ""}, {(size_t)1 << 40, 0, 0}, OK, DATA},
        {{OP(ADD), "F?x2 F?x2 i=0", "F?x2", 0, 0, 0, ""}, {16, 24, 0}, OK, DATA},
        {{OP(ADD), "F?x2 F?x2 i=0", "F?x2", 0, 0, 0, ""}, {16, 16, 0}, OK, OK},
        {{OP(ADD), "F?x2 F?x2 i=0", "F3x2", 0, 0, 0, ""}, {16, 16, 0}, FAILED, 0}, /* as it stands it would be 1x2 */
        {{OP(TILE), "F2 I1", "F4", 0, 0, 0, ""}, {8, 4, 0}, OK, FAILED}, /* once is not what the model says */
        {{OP(STRIDED_SLICE), "F3x4 I2=0,0 I2=3,4 I2=1,1 i=0 i=0 i=1", "F4", 0, 0, 0, ""}, {48, 0, 0}, OK, OK},
        {{OP(STRIDED_SLICE), "F3x4 I2=0,0 I2=3,4 I2=1,1 i=0 i=0 i=1", "F3x4", 0, 0, 0, ""}, {48, 0, 0}, FAILED, 0},
        {{OP(STRIDED_SLICE), "F3x4 I2=0,0 I2=3,4 I2=1,1 i=0 i=0 i=3", "F1", 0, 0, 0, ""}, {48, 0, 0}, OK, OK}, /* a number */
        {{OP(STRIDED_SLICE), "F3x4 I2=0,0 I2=3,4 I2=1,1 i=0 i=0 i=3", "F2", 0, 0, 0, ""}, {48, 0, 0}, FAILED, 0},
        {{OP(STRIDED_SLICE), "F3x4 I2=0,0 I2=3,4 I2=1,1 i=0 i=0 i=3", "F1x1", 0, 0, 0, ""}, {48, 0, 0}, FAILED, 0},
        {{OP(SLICE), "F4 I1=0 I1", "F1", 0, 0, 0, ""}, {16, 4, 0}, OK, OK},
        {{OP(SLICE), "F4 I1=4 I1", "F1", 0, 0, 0, ""}, {16, 4, 0}, OK, STATE}}; /* there are no such elements */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) run_check(&rows[i]);
}

/* Dimensions of 0 that nobody fills: empty inputs run, and give nothing. */
TEST(empty_inputs) {
    static const uint32_t empty[2] = {0, 2}, in[1] = {0}, out[1] = {1};
    float    x[2] = {1.5f, -1.5f}, y[2] = {9, 9};
    uint32_t dims[2];
    void    *m, *c, *e;
    int      code;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    for (int i = 0; i < 2; i++) CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 2, empty, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
    CHECK_INT(sw->NeuronModel_addOperation(m, OP(FLOOR), 1, in, 1, out), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(code, OK);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, x, 0), OK);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, y, 0), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), OK);
    CHECK_INT(sw->NeuronExecution_getOutputOperandDimensions(e, 0, dims), OK);
    CHECK(dims[0] == 0 && dims[1] == 2 && y[0] == 9.0f);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, x, 8), OK);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, y, 8), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), OK);
    CHECK(y[0] == 1.0f && y[1] == -2.0f);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    sw = npu_neuron_software();
    (void)run_two;
    (void)op_row_check;
    RUN(one_null);
    RUN(memories);
    RUN(results_of_a_run);
    RUN(limits);
    RUN(unfinished);
    RUN(unreadable_names);
    RUN(unlisted_results);
    RUN(shapes_of_a_run);
    RUN(empty_inputs);
    return REPORT();
}
