/* Compiled networks of the software adapter of MediaTek's NPUs: stored, restored, from hostile hands, without memory,
 * and kept within the bounds of whom they run for. Built alone: it uses what adapter/network.c keeps to itself. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "neuron_ops.h"

enum { OK = NPU__NEURON_NO_ERROR, DATA = NPU__NEURON_BAD_DATA, STATE = NPU__NEURON_BAD_STATE };

static const uint32_t D4[1] = {4};

static uint8_t *stored(size_t *n) {
    void    *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, D4, 0, 0), *c;
    uint8_t *bytes;
    int      code;
    CHECK_INT(sw->NeuronModel_relaxComputationFloat32toFloat16(m, 1), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, n), OK);
    bytes = (uint8_t *)malloc(*n);
    CHECK_INT(sw->NeuronCompilation_storeCompiledNetwork(c, bytes, *n), OK);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
    return bytes;
}

TEST(store_and_restore) {
    static const float a[4] = {1, 2.0001f, -3, 4}, b[4] = {0.5f, 0.25f, 0.125f, 1};
    float              out[4];
    size_t             n, again;
    uint8_t           *bytes = stored(&n);
    void              *m, *c, *other;
    CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, bytes, n), OK);
    CHECK_INT(run_two(c, a, b, out, sizeof out), OK);
    CHECK(out[1] == 2.25f); /* relaxed still */
    CHECK_INT(sw->NeuronCompilation_create(m, &other), STATE); /* not to be compiled again */
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, &again), STATE);
    CHECK_INT(sw->NeuronModel_relaxComputationFloat32toFloat16(m, 0), STATE);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
    free(bytes);
}

/* A run ends at the limit of work of whom it runs for; memory that cannot be written takes no outputs. */
TEST(bounds_of_a_run) {
    float           out[4];
    size_t          n;
    uint8_t        *bytes = stored(&n);
    npu__nsw_bounds bounds;
    void           *m, *c, *e, *memory;
    CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, bytes, n), OK);
    memset(&bounds, 0, sizeof bounds);
    bounds.max_work = 1;
    CHECK_INT(npu__nsw_execution_new((npu__nsw_compilation *)c, &bounds, &e), OK);
    for (int k = 0; k < 2; k++) CHECK_INT(sw->NeuronExecution_setInput(e, k, NULL, out, sizeof out), OK);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, out, sizeof out), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), NPU__NEURON_RESOURCE_EXHAUSTED_PERSISTENT);
    sw->NeuronExecution_free(e);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(npu__nsw_memory_of(out, sizeof out, 0, &memory), OK);
    CHECK_INT(sw->NeuronExecution_setInputFromMemory(e, 0, NULL, memory, 0, sizeof out), OK);
    CHECK_INT(sw->NeuronExecution_setOutputFromMemory(e, 0, NULL, memory, 0, sizeof out), DATA); /* it cannot be written */
    sw->NeuronMemory_free(memory);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
    free(bytes);
}

static int stop_at_once(void *user) { return ++*(int *)user > 0; }

/* Stops at the first question, which comes after some hundred thousand steps. */
static void stopped(void *c, float *value, size_t bytes) {
    int             asked = 0;
    npu__nsw_bounds bounds;
    void           *e;
    memset(&bounds, 0, sizeof bounds);
    bounds.cancel = stop_at_once;
    bounds.cancel_user = &asked;
    CHECK_INT(npu__nsw_execution_new((npu__nsw_compilation *)c, &bounds, &e), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, value, bytes), OK);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, value, bytes), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), NPU__NEURON_MISSED_DEADLINE_TRANSIENT);
    CHECK_INT(asked, 1);
    sw->NeuronExecution_free(e);
}

/* Operands that have the same memory as value share it in a compiled network, unless one of them is rounded. */
TEST(shared_values) {
    enum { MANY = 100, LONG = 1 << 16 };
    static const uint32_t wide[1] = {LONG};
    static float          value[LONG];
    size_t                n;
    uint32_t              in[3], out[1];
    int                   code, at = 0;
    void                 *m, *c;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, wide, 0, 0), OK);
    CHECK_INT(add_int(m, 1, NPU__NEURON_FUSED_NONE), OK);
    in[0] = 0;
    for (int i = 0; i < MANY; i++) {
        at = 2 + 2 * i;
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, wide, 0, 0), OK);
        CHECK_INT(sw->NeuronModel_setOperandValue(m, at, value, sizeof value), OK);
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, wide, 0, 0), OK);
        in[1] = (uint32_t)at;
        in[2] = 1;
        out[0] = (uint32_t)at + 1;
        CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 1, out), OK);
        in[0] = out[0];
    }
    in[0] = 0;
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(code, OK);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, &n), OK);
    CHECK(n < 5 * sizeof value);
    stopped(c, value, sizeof value);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

/* Damage is found; damage whose checksum was mended is a network that is refused, or one that runs. */
TEST(hostile_networks) {
    static const float a[4] = {1, 2, 3, 4};
    size_t             n;
    uint8_t           *bytes = stored(&n), *copy = (uint8_t *)malloc(n);
    long               opened = 0, refused = 0;
    void              *m, *c;
    for (size_t i = 0; i < n; i++) {
        CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, bytes, i), DATA);
        CHECK(!m && !c);
        for (int how = 0; how < 6; how++) {
            static const uint8_t what[6] = {1, 0x80, 0xff, 0x40, 2, 0x7f};
            memcpy(copy, bytes, n);
            copy[i] ^= what[how];
            CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, copy, n), DATA);
            if (i >= 24 && i < 32) continue; /* the checksum */
            npu__nsw_put(copy + 24, npu__nsw_checksum(copy, n), 8);
            if (sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, copy, n) != OK) {
                refused++;
                continue;
            }
            opened++;
            {
                float out[16] = {0};
                (void)run_two(c, a, a, out, 16); /* whatever it says: nothing outside is touched */
            }
            sw->NeuronCompilation_free(c);
            sw->NeuronModel_free(m);
        }
    }
    CHECK(opened > 20 && refused > 200);
    free(copy);
    free(bytes);
}

/* A convolution with scales by channel and a value left out, or zero points by channel: stored. */
static uint8_t *stored_channels(int which, size_t *n) {
    static const op_row rows[2] = {
        {NPU__NEURON_OP_CONV_2D, "C1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 V2@0*2=4,2 i=2 i=1 i=1 i=0 b~ i=1 i=1",
         "C1x1x1x2@1.", 0, 0, 0, ""},
        {NPU__NEURON_OP_RELU, "Q2@0*2+", "Q2@0*2+", 0, 0, 0, ""}};
    op_model k;
    uint8_t *bytes;
    int      code;
    void    *c;
    op_make(&k, &rows[which]);
    CHECK_INT(k.code, OK);
    CHECK_INT(sw->NeuronModel_finish(k.m), OK);
    c = compiled(k.m, &code);
    CHECK_INT(code, OK);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, n), OK);
    bytes = (uint8_t *)malloc(*n);
    CHECK_INT(sw->NeuronCompilation_storeCompiledNetwork(c, bytes, *n), OK);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(k.m);
    return bytes;
}

/* Lists that end too early, at every word, and ones that say more than there is: with checksums that are right. */
static void words_missing(int which) {
    size_t         n;
    uint8_t       *bytes = stored_channels(which, &n), *copy = (uint8_t *)malloc(n);
    const uint32_t n_words = npu__nsw_u32(bytes + 48);
    void          *m, *c;
    CHECK(!npu__nsw_network_is(bytes, 7));
    CHECK(npu__nsw_network_is(bytes, 8));
    for (uint32_t words = 0; words <= n_words; words++) {
        memcpy(copy, bytes, n);
        npu__nsw_put(copy + 48, words, 4);
        npu__nsw_put(copy + 24, npu__nsw_checksum(copy, n), 8);
        CHECK_INT(sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, copy, n), words == n_words ? OK : DATA);
    }
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
    for (uint32_t word = 0; word < n_words; word++) { /* where it is a length, it is too long */
        memcpy(copy, bytes, n);
        npu__nsw_put(copy + 64 + 4 * word, 0x7fffffff, 4);
        npu__nsw_put(copy + 24, npu__nsw_checksum(copy, n), 8);
        if (sw->NeuronModel_restoreFromCompiledNetwork(&m, &c, copy, n) != OK) continue;
        sw->NeuronCompilation_free(c);
        sw->NeuronModel_free(m);
    }
    free(copy);
    free(bytes);
}

TEST(words_that_are_missing) {
    words_missing(0);
    words_missing(1);
}

/* Values far apart whose addresses look alike, one address with two lengths, and constants that are rounded beside ones
 * that are not: all come out as they went in. */
TEST(values_that_look_alike) {
    enum { MANY = 20, APART = 1 << 20, LENGTH = 64 };
    static const uint32_t one[1] = {LENGTH};
    uint8_t              *memory = (uint8_t *)calloc(MANY, APART);
    float                 x[LENGTH], y[LENGTH];
    uint32_t              in[3] = {0, 0, 1}, out[1];
    void                 *m, *c, *e;
    int                   code;
    CHECK_INT(sw->NeuronModel_create(&m), OK);
    CHECK_INT(sw->NeuronModel_relaxComputationFloat32toFloat16(m, 1), OK);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, one, 0, 0), OK);
    CHECK_INT(add_int(m, 1, NPU__NEURON_FUSED_NONE), OK);
    for (int i = 0; i < LENGTH; i++) x[i] = 0;
    for (int i = 0; i < MANY; i++) {
        float *value = (float *)(void *)(memory + (size_t)i * APART);
        for (int k = 0; k < LENGTH; k++) value[k] = (float)(1 << i % 10);
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, one, 0, 0), OK);
        CHECK_INT(sw->NeuronModel_setOperandValue(m, 2 + 2 * i, value, LENGTH * sizeof(float)), OK);
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, one, 0, 0), OK);
        in[1] = (uint32_t)(2 + 2 * i);
        out[0] = in[1] + 1;
        CHECK_INT(sw->NeuronModel_addOperation(m, NPU__NEURON_OP_ADD, 3, in, 1, out), OK);
        in[0] = out[0];
    }
    in[0] = 0;
    CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
    /* Nobody reads these: as integers, and a part of it. */
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_INT32, 1, one, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 2 + 2 * MANY, memory, LENGTH * 4), OK);
    CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, one, 0, 0), OK);
    CHECK_INT(sw->NeuronModel_setOperandValue(m, 3 + 2 * MANY, memory, LENGTH * 4 - 4), OK);
    CHECK_INT(sw->NeuronModel_finish(m), OK);
    c = compiled(m, &code);
    CHECK_INT(code, OK);
    CHECK_INT(sw->NeuronExecution_create(c, &e), OK);
    CHECK_INT(sw->NeuronExecution_setInput(e, 0, NULL, x, sizeof x), OK);
    CHECK_INT(sw->NeuronExecution_setOutput(e, 0, NULL, y, sizeof y), OK);
    CHECK_INT(sw->NeuronExecution_compute(e), OK);
    CHECK(y[0] == 2046.0f && y[LENGTH - 1] == 2046.0f);
    sw->NeuronExecution_free(e);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
    free(memory);
}

/* Every allocation may fail, in the memory that the session would give. */
TEST(memory_runs_out) {
    size_t   n;
    uint8_t *bytes = stored(&n);
    int      code = NPU__NEURON_OUT_OF_MEMORY;
    long     at = 0;
    while (code == NPU__NEURON_OUT_OF_MEMORY && at < 1000) {
        counter       count;
        npu_allocator allocator = counted(&count, ++at);
        void         *m = NULL, *c = NULL;
        code = npu__nsw_restore(&m, &c, bytes, n, &allocator);
        if (code == OK) {
            void *e;
            code = sw->NeuronExecution_create(c, &e);
            sw->NeuronExecution_free(e);
            sw->NeuronCompilation_free(c);
            sw->NeuronModel_free(m);
        }
        CHECK_INT(count.live, 0);
    }
    CHECK_INT(code, OK);
    CHECK(at > 10);
    free(bytes);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    sw = npu_neuron_software();
    (void)op_row_check;
    RUN(store_and_restore);
    RUN(bounds_of_a_run);
    RUN(shared_values);
    RUN(hostile_networks);
    RUN(words_that_are_missing);
    RUN(values_that_look_alike);
    RUN(memory_runs_out);
    return REPORT();
}
