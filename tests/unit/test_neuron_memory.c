/* Memory that is missing for each piece of what MediaTek's NPUs need: lowering, compiling, running, by the software
 * adapter's own calls and from a network. Every piece of a pool has a block of its own here, so that each of them can
 * be the one that is missing. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_GRAPH
#define NPU_RT_DEBUG
#define NPU__POOL_FIRST_BLOCK 0
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "neuron_nets.h"
#include "neuron_ops.h"

#define ROWS(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- the adapter's calls, with memory of the test ---- */

static counter memory;

/* What is created has the memory of its model: that of the test instead of the usual one. */
static int create_here(void **model) {
    const npu_allocator a = {&memory, counter_alloc, counter_free};
    npu__nsw_model     *m;
    const int           r = npu__nsw_model_new(&m, &a);
    *model = m;
    return r;
}

/* The model made, finished, asked about, compiled, stored, restored and run, up to the first refusal. */
static int whole_life(const op_row *row, int relaxed, char *got, size_t room) {
    const npu_allocator a = {&memory, counter_alloc, counter_free};
    static uint8_t bytes[1 << 14];
    op_model k;
    uint8_t  supported = 9;
    size_t   n = 0;
    void    *c = NULL, *m2 = NULL, *c2 = NULL;
    int      r;
    op_make(&k, row);
    r = k.code;
    if (r == 0) r = sw->NeuronModel_finish(k.m);
    if (r == 0) r = sw->NeuronModel_relaxComputationFloat32toFloat16(k.m, (uint8_t)relaxed);
    if (r == 0) r = sw->NeuronModel_getSupportedOperations(k.m, &supported, 1);
    if (r == 0) r = sw->NeuronCompilation_create(k.m, &c);
    if (r == 0) r = sw->NeuronCompilation_finish(c);
    if (r == 0) r = sw->NeuronCompilation_getCompiledNetworkSize(c, &n);
    if (r == 0) CHECK(n <= sizeof bytes);
    if (r == 0) r = sw->NeuronCompilation_storeCompiledNetwork(c, bytes, n);
    if (r == 0) r = npu__nsw_restore(&m2, &c2, bytes, n, &a);
    if (r == 0) r = op_run(&k, c2, got, room);
    sw->NeuronCompilation_free(c2);
    sw->NeuronModel_free(m2);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(k.m);
    return r;
}

TEST(calls) {
    static const struct {
        op_row row;
        int    relaxed;
    } rows[] = {
        {{NPU__NEURON_OP_ADD, "F2x2 F2x2=1,2,3,4 i=1", "F2x2", 0, 0, 0, "2 4 6 8 "}, 1},
        {{NPU__NEURON_OP_ADD, "F?x2 F?x2 i=0", "F?x2", 0, 0, 0, "2 4 6 8 "}, 0},
        {{NPU__NEURON_OP_ADD, "H2 H2 i=0", "H2", 0, 0, 0, "2 4 "}, 0},
        {{NPU__NEURON_OP_CONV_2D, "S1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 I2=4,2 i=2 i=1 i=1 i=0", "C1x1x1x2@1.", 0, 0, 0, ""}, 0},
        {{NPU__NEURON_OP_CONV_2D, "S1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 I2=4,2 i=2 i=1 i=1 i=0", "S1x1x1x2@1.", 0, 0, 0,
          "7 6 "}, 0},
        {{NPU__NEURON_OP_FULLY_CONNECTED, "F1x2x2 F1x2=1,1 F1=4 i=0", "F1x2x1", 0, 0, 0, "7 11 "}, 0},
        {{NPU__NEURON_OP_RELU, "Q2@0*2+", "Q2@0*2+", 0, 0, 0, "1 2 "}, 0},
        {{NPU__NEURON_OP_PRELU, "F1x2 F1=.5", "F1x2", 0, 0, 0, "1 2 "}, 0},
        {{NPU__NEURON_OP_PRELU, "C1x2@.5 F1=.3", "C1x2@.5", 0, 0, 0, "1 2 "}, 1},
        {{NPU__NEURON_OP_RESHAPE, "F2x3", "F3x2", 0, 0, 0, "1 2 3 4 5 6 "}, 0},
        {{NPU__NEURON_OP_RESIZE_NEAREST_NEIGHBOR, "F1x1x1x1 i=1 i=2", "F1x1x2x1", 0, 0, 0, "1 1 "}, 0},
        {{NPU__NEURON_OP_SLICE, "F4 I1=0 I1", "F1", 0, 0, 0, "1 "}, 0},
        {{NPU__NEURON_OP_SIN, "F4", "F4", 0, 0, 0, ""}, 0},
        {{OEM, "F2x2 i=0 $unpackmtk", "F2 F2", 0, 0, 0, "1 2 "}, 0},
        {{OEM, "F1x4 I1=1 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_RMS_NORMALIZATION", "F1x4", 0, 0, 0,
          "0.7303 1.461 2.191 3.921 "}, 0},
        {{OEM, "C1x4@1. I1=1 C4@1.=2,2,2,2 C4@1.=0,0,0,1 f=0 $MTKEXT_LAYER_NORMALIZATION", "C1x4@.5", 0, 0, 0,
          "-5 -2 2 7 "}, 0}};
    static npu_neuron_driver here;
    here = *sw;
    here.NeuronModel_create = create_here;
    sw = &here;
    for (int i = 0; i < ROWS(rows); i++) {
        char got[512] = "";
        long at = 0;
        int  r = NPU__NEURON_OUT_OF_MEMORY;
        op_tolerant = 1;
        while (r == NPU__NEURON_OUT_OF_MEMORY && at < 3000) {
            (void)counted(&memory, ++at);
            r = whole_life(&rows[i].row, rows[i].relaxed, got, sizeof got);
            CHECK_INT(memory.live, 0);
        }
        CHECK(at > 20 && at < 3000);
        if (!CHECK_STR(got, rows[i].row.said)) {
            printf("    operation %d %s: %d, after %ld\n", rows[i].row.code, rows[i].row.in, r, at);
        }
    }
    sw = npu_neuron_software();
}

/* ---- from a network ---- */

static const net_row nets[] = {
    {"CONV_2D", "c1x5x5x2@.5:1 c3x3x3x2@0*3=% i3@0*3=7,8,9", "c1x5x5x3@2.:3", "padding=SAME stride_w=1 stride_h=1", ""},
    {"TILE", "f2x2 l2=1,2", "f2x4", "", ""},
    {"FULLY_CONNECTED", "f2x2x4 f3x4=%", "f2x2x3", "keep_num_dims=1", ""},
    {"FULLY_CONNECTED", "c2x2x4@.5:1 c3x4@.25=%", "c2x2x3@2.:3", "keep_num_dims=1", ""},
    {"SQUARED_DIFFERENCE", "f4 f4=%", "f4", "", ""},
    {"STABLEHLO_COMPOSITE", "c2x3@.5 c3@.25=%", "c2x3@.25", "name=odml.rms_norm", ""},
    {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm ~epsilon=0.5 ~num_groups=1", ""},
    {"LEAKY_RELU", "f2x3", "f2x3", "alpha=.5", ""},
    {"RESHAPE", "n2x3@.5 i2=3,2", "n3x2@.5", "", ""}};

TEST(plans_and_sessions) {
    static uint8_t out[256];
    for (int i = 0; i < ROWS(nets); i++) {
        npu_status s = NPU_OUT_OF_MEMORY;
        npu_diag   diag;
        long       at = 0;
        net        k;
        if (!net_make(&k, &nets[i], NULL)) continue;
        while (s == NPU_OUT_OF_MEMORY && at < 3000) {
            counter             count;
            const npu_allocator a = counted(&count, ++at);
            npu_plan           *plan = NULL;
            s = net_plan(k.model, "neuron", &a, &plan, &diag);
            if (s == NPU_OK) s = net_run(&k, plan, NULL, &a, out, sizeof out, &diag);
            npu_plan_destroy(plan);
            CHECK_INT(count.live, 0);
        }
        CHECK(at > 20);
        if (!CHECK_INT(s, NPU_OK)) printf("    %s %s: %s, after %ld\n", nets[i].op, nets[i].in, diag.text, at);
        npu_model_close(k.model);
    }
}

/* Lowering uses the memory of the model. */
TEST(reports) {
    static net_text said;
    for (int i = 0; i < ROWS(nets); i++) {
        npu_status s = NPU_OUT_OF_MEMORY;
        long       at = 0;
        npu_diag   diag;
        while (s == NPU_OUT_OF_MEMORY && at < 3000) {
            counter             count;
            const npu_allocator a = counted(&count, ++at);
            net                 k;
            if (net_make(&k, &nets[i], &a)) s = net_lower(k.model, NULL, "8.1.0", NPU_FORMAT_TEXT, &said, &diag);
            npu_model_close(k.model);
            CHECK_INT(count.live, 0);
        }
        CHECK_INT(s, NPU_OK);
        CHECK_HAS(said.text, "-> #1  operator 0");
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    sw = npu_neuron_software();
    (void)add_model;
    (void)compiled;
    (void)run_two;
    (void)op_row_check;
    (void)net_check;
    (void)net_says;
    RUN(calls);
    RUN(plans_and_sessions);
    RUN(reports);
    return REPORT();
}
