/* The software adapter of MediaTek's NPUs, operation by operation: what it refuses and says, what it computes where an
 * operation has something special about it. Built alone: it uses what the adapter keeps to itself. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "neuron_ops.h"

#define ROWS(list) ((int)(sizeof(list) / sizeof *(list)))
#define OP(name) NPU__NEURON_OP_##name
enum { OK = NPU__NEURON_NO_ERROR, NULLS = NPU__NEURON_UNEXPECTED_NULL, DATA = NPU__NEURON_BAD_DATA,
       STATE = NPU__NEURON_BAD_STATE,
       FAILED = NPU__NEURON_OP_FAILED };

static void check_rows(const op_row *rows, int n) {
    for (int i = 0; i < n; i++) op_row_check(&rows[i]);
}

/* Operands of the wrong kind, or too few, or too many. */
TEST(operands_that_do_not_fit) {
    static const op_row rows[] = {
        {OP(ADD), "F4 F4", "F4", DATA, 0, 0, ""},
        {OP(ADD), "F4 F4 i=0 i=0", "F4", DATA, 0, 0, ""},
        {OP(ADD), "F4 F4 f=0", "F4", DATA, 0, 0, ""},
        {OP(ADD), "F4 F4 I1=0", "F4", DATA, 0, 0, ""},
        {OP(ADD), "F4 $name i=0", "F4", DATA, 0, 0, ""},
        {OP(ADD), "F4 F4 $name", "F4", DATA, 0, 0, ""},
        {OP(ADD), "F4 F4 i=0", "", DATA, 0, 0, ""},
        {OP(ADD), "F4 F4 i", "F4", OK, DATA, 0, ""}, /* a scalar that nobody gave a value */
        {OP(ADD), "F4 F4 u=0", "F4", OK, OK, OK, "2 4 6 8 "},
        {OP(ADD), "F4 F4 b=1", "F4", OK, OK, OK, "2 4 6 8 "},
        {OP(ADD), "", "F4", DATA, 0, 0, ""},
        {OP(SOFTMAX), "F1x2 i=1", "F1x2", DATA, 0, 0, ""},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=1 i=1 i=1 i=1 i=1 i=0 i=0", "F1x2x2x1", DATA, 0, 0, ""}, /* NHWC is a bool */
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=1 i=1 i=1 i=1 i=1", "F1x2x2x1", DATA, 0, 0, ""},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=1 i=1 i=1 i=1 i=1 i=0", "F1x2x2x1", OK, OK, OK, "1 2 3 4 "},
        {OP(CONCATENATION), "i=0", "F4", DATA, 0, 0, ""},
        {OP(SIN), "F4", "F4", OK, OK, FAILED, "operation 0 (SIN): the software adapter does not run it"},
        {OP(UNKNOWN), "F4 i", "F4", OK, OK, FAILED, "operation 0 (UNKNOWN): the software adapter does not run it"},
        {4 << 16, "F4", "F4", OK, OK, FAILED, "operation 0 (of an extension)"},
        {OEM, "F4 F4 i=0", "F4", DATA, 0, 0, ""},
        {OEM, "", "F4", DATA, 0, 0, ""},
        {OEM, "F4 F4 $MTKEXT_SQUARED_DIFFERENCE", "F4", OK, OK, OK, "0 0 0 0 "},
        {OEM, "F4 $MTKEXT_SQUARED_DIFFERENCE", "F4", OK, OK, FAILED, "does not run it"},
        {OEM, "F4 F4 $MTKEXT_NOTHING", "F4", OK, OK, FAILED,
         "operation 0 (of an extension): the software adapter does not run it"}};
    check_rows(rows, ROWS(rows));
}

/* Scalars whose value no operation has. */
TEST(values_that_do_not_fit) {
    static const op_row rows[] = {
        {OP(ADD), "F4 F4 i=4", "F4", OK, OK, FAILED,
         "a fused activation must be 0 (none), 1 (RELU), 2 (RELU1) or 3 (RELU6)"},
        {OP(ADD), "F4 F4 i=-1", "F4", OK, OK, FAILED, "a fused activation must be"},
        {OP(ADD), "F4 F4 i=2", "F4", OK, OK, OK, "1 1 1 1 "},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=0 i=1 i=1 i=1 i=1 i=0", "F1x2x2x1", OK, OK, FAILED,
         "padding must be 1 (SAME) or 2 (VALID)"},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=3 i=1 i=1 i=1 i=1 i=0", "F1x2x2x1", OK, OK, FAILED, "padding must be"},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=2 i=1 i=1 i=2 i=2 i=0 b=0", "F1x1x1x1", OK, OK, OK, "2.5 "},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=1 i=1 i=1 i=1 i=1 i=0 b=1", "F1x2x2x1", OK, OK, FAILED, "data must be NHWC"},
        {OP(AVERAGE_POOL_2D), "F1x2x2x1 i=1 i=1 i=1 i=1 i=1 i=0 b~", "F1x2x2x1", OK, OK, OK, "1 2 3 4 "},
        {OP(SOFTMAX), "F1x1 f=1. i=0", "F1x1", OK, OK, FAILED, "the axis must be the last one"},
        {OP(SOFTMAX), "F1x1 f=1. i=1", "F1x1", OK, OK, OK, "1 "},
        {OP(SOFTMAX), "H1x1 h=1. i=-1", "H1x1", OK, OK, OK, "1 "},
        {OP(L2_NORMALIZATION), "F1x1 i=-2", "F1x1", OK, OK, FAILED, "the axis must be the last one"},
        {OP(CONCATENATION), "F1x2 F1x2 u=1", "F1x4", OK, OK, OK, "1 2 1 2 "},
        {OP(GELU_V2), "F1 u=1", "F1", OK, OK, OK, "0.8412 "},
        {OP(FLOOR), "C4@.5", "C4@.5", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(LOGICAL_NOT), "F4", "F4", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(LOGICAL_NOT), "H4", "H4", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(FLOOR), "S4@.5", "S4@.5", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(FLOOR), "W4@.5", "W4@.5", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(FLOOR), "U4@.5", "U4@.5", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(FLOOR), "I4", "I4", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(ABS), "B4", "B4", OK, OK, FAILED, "its data cannot be of this type"},
        {OP(RELU), "P4", "C4@.5", OK, OK, FAILED, "scales by channel were not set"},
        {OP(RELU), "C4@.5", "Q4", OK, OK, FAILED, "scales by channel were not set"}};
    check_rows(rows, ROWS(rows));
}

/* Results of fewer than 8 bits would be computed in 8. What only moves them is fine. */
TEST(narrow_results) {
    for (int i = 0; i < ROWS(npu__nsw_types); i++) {
        static const int32_t      none[1] = {0};
        static const uint32_t     one[1] = {1}, in[1] = {0}, out[1] = {1};
        static const float        scale[1] = {0.5f};
        const npu__nsw_type      *t = &npu__nsw_types[i];
        const int                 narrow = strstr(t->name, "QUANT4") != NULL || strstr(t->name, "QUANT2") != NULL;
        const int                 whole = t->quant == NPU__NEURON_ASYMM || t->quant == NPU__NEURON_SYMM;
        npu_neuron_channels       all = {0, 1, scale, 1, none};
        npu_neuron_channels_symm  symm = {0, 1, scale};
        int                       code;
        void                     *m, *c;
        if (t->scalar || !narrow) continue;
        CHECK_INT(sw->NeuronModel_create(&m), OK);
        CHECK_INT(add_operand(m, NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM_SIGNED, 1, one, 0.5f, 0), OK);
        CHECK_INT(add_operand(m, t->code, 1, one, whole ? 0.5f : 0, 0), OK);
        if (t->quant == NPU__NEURON_SYMM_CHANNELS)
            CHECK_INT(sw->NeuronModel_setOperandSymmPerChannelQuantParams(m, 1, &symm), OK);
        if (t->quant == NPU__NEURON_ASYMM_CHANNELS)
            CHECK_INT(sw->NeuronModel_setOperandPerChannelQuantParams(m, 1, &all), OK);
        CHECK_INT(sw->NeuronModel_identifyInputsAndOutputs(m, 1, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_addOperation(m, OP(RELU), 1, in, 1, out), OK);
        CHECK_INT(sw->NeuronModel_finish(m), OK);
        CHECK_INT(sw->NeuronCompilation_create(m, &c), OK);
        code = sw->NeuronCompilation_finish(c);
        if (!CHECK_INT(code, FAILED)) printf("    %s\n", t->name);
        CHECK_HAS(((npu__nsw_compilation *)c)->diag.text, "results of 4 or 2 bits are not computed");
        sw->NeuronCompilation_free(c);
        sw->NeuronModel_free(m);
    }
}

/* The size of an image is said twice: as that of the output, and as two scalars in either order. */
TEST(sizes) {
    static const op_row rows[] = {
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 i=2", "F1x1x2x1", OK, OK, OK, "1 1 "},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=2 i=1", "F1x1x2x1", OK, OK, OK, "1 1 "},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 i=3", "F1x1x2x1", OK, OK, FAILED, "the size must be that of the output"},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=3 i=1", "F1x1x2x1", OK, OK, FAILED, "the size must be that of the output"},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=3 i=3", "F1x1x2x1", OK, OK, FAILED, "the size must be that of the output"},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 f=1. f=2.", "F1x1x2x1", OK, OK, OK, "1 1 "}, /* factors */
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 f=2.", "F1x1x2x1", OK, OK, OK, "1 1 "},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 i~", "F1x1x2x1", OK, OK, OK, "1 1 "},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 u=1 u=2", "F1x1x2x1", OK, OK, OK, "1 1 "},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 i=2", "F1x?x2x1", OK, OK, FAILED,
         "the output's height and width must be known"},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 i=2", "F1x1x?x1", OK, OK, FAILED,
         "the output's height and width must be known"},
        {OP(RESIZE_NEAREST_NEIGHBOR), "F1x1x1x1 i=1 i=2", "F1x2x1", OK, OK, FAILED,
         "the output's height and width must be known"},
        {OP(RESHAPE), "F2x3", "F3x2", OK, OK, OK, "1 2 3 4 5 6 "},
        {OP(RESHAPE), "F2x3", "F?x2", OK, OK, OK, "1 2 3 4 5 6 "},
        {OP(RESHAPE), "F2x3 I2=9,9", "F3x2", OK, OK, OK, "1 2 3 4 5 6 "}, /* that of the output counts */
        {OP(RESHAPE), "F?x3 I2=3,-1", "F3x?", OK, OK, OK, "1 2 3 4 5 6 "},
        {OP(TRANSPOSE), "F2x2 I2=1,0", "F2x2", OK, OK, OK, "1 3 2 4 "},
        {OP(TRANSPOSE), "F1 I0", "F1", OK, OK, FAILED, "TRANSPOSE"},
        {OEM, "F2x2 i=0 $unpackmtk", "F2 F2", OK, OK, OK, "1 2 "}};
    check_rows(rows, ROWS(rows));
}

/* Biases say no scale; PRELU with one alpha; fully connected layers of any rank. */
TEST(specials) {
    static const op_row rows[] = {
        {OP(FULLY_CONNECTED), "C1x2@.5 Y1x2@.5=1,1 I1=4 i=0", "C1x1@.25", OK, OK, OK, "7 "},
        {OP(FULLY_CONNECTED), "C1x2@.5 Y1x2@.5=1,1 I1@.25=4 i=0", "C1x1@.25", OK, OK, OK, "7 "},
        /* computed: without a scale it has none */
        {OP(FULLY_CONNECTED), "C1x2@.5 Y1x2@.5=1,1 I1 i=0", "C1x1@.25", OK, OK, FAILED, ""},
        {OP(FULLY_CONNECTED), "C1x2@.5 Y1x2@.5=1,1 I1~ i=0", "C1x1@.25", OK, OK, OK, "3 "},
        {OP(FULLY_CONNECTED), "C1x2 Y1x2@.5=1,1 I1=4 i=0", "C1x1@.25", OK, OK, FAILED, ""},
        {OP(FULLY_CONNECTED), "C1x2@.5 Y1x2=1,1 I1=4 i=0", "C1x1@.25", OK, OK, FAILED, ""},
        {OP(FULLY_CONNECTED), "S1x2@.5 Y1x2@.5=1,1 I1=4 i=0", "S1x1@.25", OK, OK, OK, "7 "},
        {OP(FULLY_CONNECTED), "F1x2 F1x2=1,1 F1=4 i=0", "F1x1", OK, OK, OK, "7 "},
        {OP(FULLY_CONNECTED), "F1x2x2 F1x2=1,1 F1=4 i=0", "F1x2x1", OK, OK, OK, "7 11 "},
        {OP(FULLY_CONNECTED), "F1x2x2 F1x2=1,1 F1=4 i=0", "F2x1", OK, OK, OK, "7 11 "},
        {OP(CONV_2D), "C1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 I2=4,2 i=2 i=1 i=1 i=0", "C1x1x1x2@1.", OK, OK, OK, "7 6 "},
        {OP(CONV_2D), "C1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 V2@0*2=4,2 i=2 i=1 i=1 i=0", "C1x1x1x2@1.", OK, OK, OK, "7 6 "},
        {OP(CONV_2D), "C1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 I1x2=4,2 i=2 i=1 i=1 i=0", "C1x1x1x2@1.", OK, OK, OK, "7 6 "},
        {OP(CONV_2D), "C1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 I3=4,2,1 i=2 i=1 i=1 i=0", "C1x1x1x2@1.", OK, OK, FAILED, ""},
        {OP(CONV_2D), "S1x1x1x2@1. P2x1x1x2@0*2=1,1,1,0 I2=4,2 i=2 i=1 i=1 i=0", "S1x1x1x2@1.", OK, OK, OK, "7 6 "},
        {OP(CONV_2D), "H1x1x1x2 H1x1x1x2=1,1 i=2 i=1 i=1 i=0 b=0 i=1 i=1", "H1x1x1x1", OK, OK, OK, "3 "},
        {OP(PRELU), "F1x2 F1=.5", "F1x2", OK, OK, OK, "1 2 "},
        {OP(PRELU), "H1x2 H1=.5", "H1x2", OK, OK, OK, "1 2 "},
        {OP(PRELU), "F1x2 F2=.5,.25", "F1x2", OK, OK, OK, "1 2 "},
        {OP(PRELU), "F1x2 F2", "F1x2", OK, OK, OK, "1 2 "},
        {OP(PRELU), "C1x2@.5 C1@.5=1", "C1x2@.5", OK, OK, OK, "1 2 "},
        {OP(PRELU), "C1x2@.5 F1=.5", "C1x2@.5", OK, OK, OK, "1 2 "},
        {OP(CAST), "H2", "F2", OK, OK, OK, "1 2 "},
        {OP(QUANTIZE), "H2", "C2@.5", OK, OK, OK, "2 4 "},
        {OP(DEQUANTIZE), "H2", "F2", OK, OK, OK, "1 2 "},
        {OP(ABS), "H2", "H2", OK, OK, OK, "1 2 "}};
    check_rows(rows, ROWS(rows));
}

/* (x - mean) / sqrt(mean of squares + epsilon) * gamma + beta, in reals. Of 1, 2, 3, 4 the mean is 2.5, the mean of
 * squares 7.5 (and less the mean 1.25). */
TEST(norms) {
    static const op_row rows[] = {
        {OEM, "F1x4 I1=1 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_RMS_NORMALIZATION", "F1x4", OK, OK, OK,
         "0.7303 1.461 2.191 3.921 "},
        {OEM, "F1x4 I1=1 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_LAYER_NORMALIZATION", "F1x4", OK, OK, OK,
         "-2.683 -0.8944 0.8944 3.683 "},
        {OEM, "H1x4 I1=1 H4=2,2,2,2 H4=0,0,0,1 h=0 $MTKEXT_RMS_NORMALIZATION", "H1x4", OK, OK, OK,
         "0.7305 1.461 2.191 3.922 "},
        {OEM, "C1x4@1. I1=1 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_RMS_NORMALIZATION", "C1x4@.5", OK, OK, OK, "1 3 4 8 "},
        {OEM, "C1x4@1. I1=1 C4@1.=2,2,2,2 C4@1.=0,0,0,1 f=0 $MTKEXT_LAYER_NORMALIZATION", "C1x4@.5", OK, OK, OK,
         "-5 -2 2 7 "},
        {OEM, "C1x4@1. I1=1 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_RMS_NORMALIZATION", "F1x4", OK, OK, OK,
         "0.7303 1.461 2.191 3.921 "},
        {OEM, "F1x4 I1=1 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_RMS_NORMALIZATION", "C1x4@.5", OK, OK, OK, "1 3 4 8 "},
        {OEM, "F1x4 I1=1 F4=2,2,2,2 F4=0,0,0,1 f~ $MTKEXT_RMS_NORMALIZATION", "F1x4", OK, OK, FAILED,
         "epsilon must be a float with a value"},
        {OEM, "F1x4 I1=1 F4=2,2,2,2 F4=0,0,0,1 i=0 $MTKEXT_RMS_NORMALIZATION", "F1x4", OK, OK, FAILED,
         "epsilon must be a float with a value"},
        {OEM, "F1x4 I1=7 F4=2,2,2,2 F4=0,0,0,1 f=0 $MTKEXT_RMS_NORMALIZATION", "F1x4", OK, OK, FAILED, ""}};
    check_rows(rows, ROWS(rows));
}

static const char *operation_name(int32_t code) {
    npu__neuron_operation op;
    memset(&op, 0, sizeof op);
    op.code = code;
    op.name = "its name";
    return npu__neuron_op_name(&op);
}

/* Names of operations and types that are in messages: each its own. */
TEST(names) {
#define X(name, number) CHECK_STR(npu__nsw_op_name(number), #name);
    NPU__NEURON_OPS(X)
#undef X
    CHECK_STR(npu__nsw_op_name(108), "of an extension");
    CHECK_STR(npu__nsw_op_name(-1), "of an extension");
#define X(name, number) CHECK_STR(npu__neuron_result_name(number), #name);
    NPU__NEURON_RESULTS(X)
#undef X
    CHECK_STR(npu__neuron_result_name(-1), "a code that is not documented");
#define X(name, number, scalar, element, bits, quant, lo, hi) CHECK_STR(npu__neuron_type_name(number), #name);
    NPU__NEURON_TYPES(X)
#undef X
    CHECK_STR(npu__neuron_type_name(NPU__NEURON_EXT_STRING), "ARGSTRING");
#define X(name, number) CHECK_STR(operation_name(number), #name);
    NPU__NEURON_OPS(X)
#undef X
    CHECK_STR(operation_name(NPU__NEURON_EXT_OPERATION), "its name");
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    sw = npu_neuron_software();
    (void)add_model;
    (void)compiled;
    (void)run_two;
    RUN(operands_that_do_not_fit);
    RUN(values_that_do_not_fit);
    RUN(narrow_results);
    RUN(sizes);
    RUN(specials);
    RUN(norms);
    RUN(names);
    return REPORT();
}
