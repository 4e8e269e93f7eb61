/* What operators become for MediaTek's NPUs, by family: the text of the lowered program, its other forms, what runs of
 * it on the software adapter, and what the rules say against or about operators. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_GRAPH
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "neuron_nets.h"

#define ROWS(list) ((int)(sizeof(list) / sizeof *(list)))

static net_text said;

/* Networks that the software adapter computes to the bit as the CPU does. */
static const net_row runs[] = {
    {"ABS", "f2x3", "f2x3", "", "0 ABS(#0) -> #1|#0 TENSOR_FLOAT32[2,3]"},
    {"ADD", "f2x3 f3=%", "f2x3", "fused_activation_function=RELU6", "ADD(#0, #2, #3) -> #1|#3 INT32 3"},
    {"ADD", "c4@.5:1 c4@.25:-3", "c4@.5:2", "", "#1 TENSOR_QUANT8_ASYMM_SIGNED[4], scale 0.25, zero point -3"},
    {"ADD", "s4@.5 s4@.25", "s4@.5", "", "TENSOR_QUANT16_SYMM[4], scale 0.25"},
    {"ADD", "i4 i4", "i4", "", "TENSOR_INT32[4]"},
    {"MUL", "h4 h4=%", "h4", "", "TENSOR_FLOAT16[4]|MUL("},
    {"SUB", "u4@.5:3 u4@.5:7", "u4@.5:9", "", "TENSOR_QUANT8_ASYMM[4], scale 0.5, zero point 7"},
    {"AVERAGE_POOL_2D", "f1x5x6x2", "f1x3x3x2", "padding=SAME stride_w=2 stride_h=2 filter_width=2 filter_height=3",
     "AVERAGE_POOL_2D(#0, #2, #3, #4, #5, #6, #7) -> #1|#2 INT32 1|#6 INT32 3|#7 INT32 0"},
    {"MAX_POOL_2D", "c1x5x6x2@.5:1", "c1x4x4x2@.5:1",
     "padding=VALID stride_w=1 stride_h=1 filter_width=3 filter_height=2", "#2 INT32 2"},
    {"BATCH_MATMUL", "f2x3x4 f2x5x4", "f2x3x5", "adj_y=1", "BATCH_MATMUL(#0, #1, #3, #4) -> #2|#3 BOOL false|#4 BOOL true"},
    {"CAST", "f4", "i4", "", "CAST(#0) -> #1|#1 TENSOR_INT32[4]"},
    {"CAST", "h4", "f4", "", "#0 TENSOR_FLOAT16[4]"},
    {"CONCATENATION", "f2x3 f2x3 f2x1=%", "f2x7", "axis=1", "CONCATENATION(#0, #1, #3, #4) -> #2|#4 INT32 1"},
    {"CONV_2D", "f1x5x5x2 f3x3x3x2=% f3=1,2,3", "f1x5x5x3",
     "padding=SAME stride_w=1 stride_h=1 fused_activation_function=RELU",
     "CONV_2D(#0, #2, #3, #4, #5, #6, #7, #8, #9, #10) -> #1|#8 BOOL false"},
    {"CONV_2D", "f1x5x5x2 f3x3x3x2=%", "f1x3x3x3", "padding=VALID stride_w=1 stride_h=1",
     "CONV_2D(#0, #2, #3, #4, #5, #6, #7, #8, #9) -> #1"},
    {"CONV_2D", "c1x5x5x2@.5:1 c3x3x3x2@0*3=% i3@0*3=7,8,9", "c1x5x5x3@2.:3", "padding=SAME stride_w=1 stride_h=1",
     "TENSOR_QUANT8_SYMM_PER_CHANNEL[3,3,3,2], 3 scales along 0|#3 EXT_TENSOR_INT32_SYMM_PER_CHANNEL[3], 3 scales along 0"},
    {"CONV_2D", "s1x5x5x2@.5 c3x3x3x2@0*3=% i3=7,8,9", "s1x5x5x3@2.", "padding=SAME stride_w=1 stride_h=1",
     "TENSOR_QUANT16_SYMM"},
    {"DEPTHWISE_CONV_2D", "f1x5x5x2 f1x3x3x4=% f4=%", "f1x5x5x4", "padding=SAME stride_w=1 stride_h=1 depth_multiplier=2",
     "DEPTHWISE_CONV_2D(|#7 INT32 2"},
    {"DEQUANTIZE", "c4@.5:1", "f4", "", "DEQUANTIZE(#0) -> #1"},
    {"DEQUANTIZE", "h4", "f4", "", "DEQUANTIZE(#0) -> #1"},
    {"QUANTIZE", "f4", "c4@.5:1", "", "QUANTIZE(#0) -> #1"},
    {"DIV", "f4 f4=1,2,4,8", "f4", "", "DIV(#0, #2, #3)"},
    {"FULLY_CONNECTED", "f2x4 f3x4=% f3=%", "f2x3", "", "FULLY_CONNECTED(#0, #2, #3, #4) -> #1"},
    {"FULLY_CONNECTED", "f2x4 f3x4=%", "f2x3", "", "#3 TENSOR_FLOAT32[3], 12 bytes"},
    {"FULLY_CONNECTED", "c2x4@.5:1 c3x4@.25=%", "c2x3@2.:3", "", "#3 TENSOR_INT32[3], scale 0.125, zero point 0, 12 bytes"},
    {"FULLY_CONNECTED", "c2x2x4@.5:1 c3x4@.25=% i3@.125=1,2,3", "c2x2x3@2.:3", "keep_num_dims=1", "-> #1  operator 0"},
    {"GELU", "f4", "f4", "approximate=1", "GELU_V2(#0, #2) -> #1|#2 UINT32 1"},
    {"MAXIMUM", "f4 f4", "f4", "", "MAXIMUM(#0, #1) -> #2"},
    {"MINIMUM", "c4@.5 c4@.5", "c4@.5", "", "MINIMUM(#0, #1) -> #2"},
    {"RELU", "s4@.5", "s4@.5", "", "RELU(#0) -> #1"},
    {"RSQRT", "f4", "f4", "", "RSQRT(#0) -> #1"},
    {"SQRT", "f4", "f4", "", "SQRT(#0) -> #1"},
    {"TANH", "c4@.5", "c4@.0078125", "", "TANH(#0) -> #1"},
    {"GREATER", "f4 f4", "b4", "", "GREATER(#0, #1) -> #2|TENSOR_BOOL8[4]"},
    {"LESS", "i4 i4", "b4", "", "LESS(#0, #1) -> #2"},
    {"HARD_SWISH", "f4", "f4", "", "HARD_SWISH(#0)"},
    {"LOGISTIC", "c4@.5:1", "c4@.00390625:-128", "", "LOGISTIC(#0)"},
    {"MEAN", "f2x3x4 i1=-1", "f2x3x1", "keep_dims=1", "MEAN(#0, #2, #3) -> #1|#3 INT32 1"},
    {"SUM", "f2x3x4 i2=0,1", "f4", "", "REDUCE_SUM(#0, #2, #3) -> #1|#3 BOOL false"},
    {"REDUCE_MAX", "c2x3@.5:1 i1=1", "c2@.5:1", "", "REDUCE_MAX("},
    {"PAD", "f2x2 i2x2=1,0,0,1", "f3x3", "", "PAD(#0, #2) -> #1"},
    {"PADV2", "f2x2 i2x2=1,0,0,1 f=3.", "f3x3", "", "PAD_V2(#0, #2, #3) -> #1|#3 TENSOR_FLOAT32[1]"},
    {"PRELU", "f2x3 f3=.5,.25,2.", "f2x3", "", "PRELU(#0, #2)"},
    {"LEAKY_RELU", "f2x3", "f2x3", "alpha=.5", "PRELU(#0, #2) -> #1|#2 TENSOR_FLOAT32[1]"},
    {"RESHAPE", "f2x3 i2=3,-1", "f3x2", "", "RESHAPE(#0, #2) -> #1"},
    {"TILE", "f2x2 l2=1,2", "f2x4", "", "#2 TENSOR_INT32[2], 8 bytes"},
    {"RESIZE_BILINEAR", "f1x2x2x1 i2=4,4", "f1x4x4x1", "align_corners=1",
     "RESIZE_BILINEAR(#0, #2, #3, #4, #5, #6)|#5 BOOL true"},
    {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1 i2=4,6", "f1x4x6x1", "", "RESIZE_NEAREST_NEIGHBOR(#0, #2, #3, #4)|#2 INT32 6"},
    {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1 i2=4,6", "f1x4x6x1", "half_pixel_centers=1",
     "(#0, #2, #3, #4, #5, #6)|#6 BOOL true"},
    {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1 i2=4,6", "f1x4x6x1", "align_corners=1", "#5 BOOL true"},
    {"SLICE", "f3x3 i2=1,0 i2=2,-1", "f2x3", "", "SLICE(#0, #2, #3)"},
    {"SOFTMAX", "f2x3", "f2x3", "beta=.5", "SOFTMAX(#0, #2) -> #1|#2 FLOAT32 0.5"},
    {"SPLIT", "i=1 f2x4", "f2x2 f2x2", "num_splits=2", "SPLIT(#0, #3, #4) -> #1, #2|#3 TENSOR_INT32[1]"},
    {"SQUARED_DIFFERENCE", "f4 f4=%", "f4", "", "MTKEXT_SQUARED_DIFFERENCE(#0, #2, #3) -> #1|#3 ARGSTRING[47], 47 bytes"},
    {"STRIDED_SLICE", "f3x4 i2=1,0 i2=3,4 i2=1,2", "f2x2", "", "STRIDED_SLICE(#0, #2, #3, #4, #5, #6, #7)"},
    {"STRIDED_SLICE", "f3x4 i2=1,0 i2=2,4 i2=1,2", "f2", "shrink_axis_mask=1", "#7 INT32 1"},
    {"TILE", "f2x2 i2=1,2", "f2x4", "", "TILE(#0, #2)"},
    {"TRANSPOSE", "u2x3@.5:3 i2=1,0", "u3x2@.5:3", "", "TRANSPOSE(#0, #2)"},
    {"UNPACK", "f2x3", "f3 f3", "num=2 axis=0", "unpackmtk(#0, #3, #4) -> #1, #2|#4 ARGSTRING[31]"},
    {"TRANSPOSE_CONV", "i4=1,4,4,2 f2x3x3x1=% f1x2x2x1", "f1x4x4x2", "padding=SAME stride_w=2 stride_h=2",
     "TRANSPOSE_CONV_2D(#0, #2, #3, #4, #5, #6, #7, #8, #9) -> #1|#3 TENSOR_FLOAT32[2], 8 bytes"},
    {"TRANSPOSE_CONV", "i4=1,4,4,2 f2x3x3x1=% f1x2x2x1 f2=1,2", "f1x4x4x2", "padding=SAME stride_w=2 stride_h=2",
     "#2 TENSOR_FLOAT32[2,3,3,1]"},
    {"L2_NORMALIZATION", "f2x3", "f2x3", "", "L2_NORMALIZATION(#0) -> #1"},
};

static void say(const npu_model *m, const char *profile, const char *runtime, npu_format format, npu_status want) {
    npu_diag diag;
    memset(&diag, 0, sizeof diag);
    if (!CHECK_INT(net_lower(m, profile, runtime, format, &said, &diag), want)) printf("    %s\n", diag.text);
}

TEST(lowers) {
    for (int i = 0; i < ROWS(runs); i++) {
        net k;
        if (!net_make(&k, &runs[i], NULL)) continue;
        say(k.model, NULL, NULL, NPU_FORMAT_TEXT, NPU_OK);
        net_says(said.text, runs[i].want, &runs[i]);
        npu_model_close(k.model);
    }
}

TEST(runs_as_the_cpu) {
    for (int i = 0; i < ROWS(runs); i++) {
        static uint8_t cpu[4096], npu[4096];
        npu_plan      *plan;
        npu_diag       diag;
        net            k;
        memset(&diag, 0, sizeof diag);
        if (!net_make(&k, &runs[i], NULL)) continue;
        memset(cpu, 0x55, sizeof cpu);
        memset(npu, 0x55, sizeof npu);
        for (int on_npu = 0; on_npu < 2; on_npu++) {
            npu_status s = net_plan(k.model, on_npu ? "neuron" : NULL, NULL, &plan, &diag);
            if (s == NPU_OK) s = net_run(&k, plan, NULL, NULL, on_npu ? npu : cpu, sizeof cpu, &diag);
            if (!CHECK_INT(s, NPU_OK)) printf("    %s %s: %s\n", runs[i].op, runs[i].in, diag.text);
            npu_plan_destroy(plan);
        }
        if (!CHECK(memcmp(cpu, npu, sizeof cpu) == 0)) printf("    %s %s\n", runs[i].op, runs[i].in);
        npu_model_close(k.model);
    }
}

/* ---- the other forms ---- */

TEST(forms) {
    static const struct {
        net_row     row;
        const char *json, *dot;
    } rows[] = {
        {{"CONV_2D", "u1x5x5x2@.5:1 u3x3x3x2@0*3+=% i3@0*3=7,8,9", "u1x5x5x3@2.:3",
          "padding=SAME stride_w=1 stride_h=1", NULL},
         "\"type\":\"EXT_TENSOR_QUANT8_ASYMM_PER_CHANNEL\",\"code\":9002,\"dims\":[3,3,3,2]|"
         "\"channels\":{\"axis\":0,\"count\":3,\"scales_fnv1a\":|\"zero_points_fnv1a\":|"
         "\"operation\":\"CONV_2D\",\"code\":3|\"inputs\":[0]",
         "s0_v0 [shape=ellipse, label=\"#0 TENSOR_QUANT8_ASYMM[1,5,5,2]\"|s0_v0 -> s0_o0;|s0_o0 -> s0_v1;|!s0_v2 ->"},
        {{"ADD", "f?2x3 f?2x3", "f?2x3", "", NULL}, "\"dims\":[-1,3]|\"scale\":0|\"operator\":0", "TENSOR_FLOAT32[?,3]"},
        {{"TRANSPOSE", "f2x?3 i2=1,0", "f?3x2", "", NULL}, "\"dims\":[2,-1]", "TENSOR_FLOAT32[2,?]"},
        {{"UNPACK", "f2x3", "f3 f3", "num=2", NULL},
          "\"operation\":\"unpackmtk\",\"extension\":\"com.mediatek.general_operation\"|\"ARGSTRING\"",
         "s0_o0 [label=\"0 unpackmtk\"];"}};
    for (int i = 0; i < ROWS(rows); i++) {
        net k;
        if (!net_make(&k, &rows[i].row, NULL)) continue;
        say(k.model, NULL, NULL, NPU_FORMAT_JSON, NPU_OK);
        net_says(said.text, rows[i].json, &rows[i].row);
        say(k.model, NULL, NULL, NPU_FORMAT_DOT, NPU_OK);
        net_says(said.text, rows[i].dot, &rows[i].row);
        npu_model_close(k.model);
    }
}

/* Networks that are lowered as they stand here; what computes them may be another matter. */
TEST(odd_operands) {
    static const struct {
        const char *profile, *runtime;
        net_row     row;
    } rows[] = {
        {NULL, NULL, {"CONV_2D", "u1x5x5x2@.5:1 u3x3x3x2@0*3+=% i3@0*3=7,8,9", "u1x5x5x3@2.:3", "stride_w=1 stride_h=1",
         "3 scales and zero points along 0"}},
        {NULL, NULL, {"CONV_2D", "c1x5x5x2@.5:1 c3x3x3x2@0*3+=% i3=7,8,9", "c1x5x5x3@2.:3", "stride_w=1 stride_h=1",
         "EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL[3,3,3,2], 3 scales and zero points along 0"}},
        {NULL, NULL, {"CONV_2D", "c1x5x5x2@.5:1 n3x3x3x2@0*3=% i3@0*3=7,8,9", "c1x5x5x3@2.:3", "stride_w=1 stride_h=1",
         "EXT_TENSOR_QUANT4_SYMM_PER_CHANNEL[3,3,3,2], 3 scales along 0, 54 bytes"}},
        {NULL, "8.2.24", {"CONV_2D", "c1x5x5x2@.5:1 n3x3x3x2@0*3=% i3@0*3=7,8,9", "c1x5x5x3@2.:3", "stride_w=1 stride_h=1",
         "EXT_TENSOR_QUANT4_SYMM[3,3,3,2], 54 bytes|#3 TENSOR_INT32[3], 12 bytes"}},
        {NULL, "8.1.0", {"FULLY_CONNECTED", "c2x2x4@.5:1 n3x4@.25=%", "c2x2x3@2.:3", "keep_num_dims=1",
         "-> #5  operator 0|RESHAPE(#5, #6) -> #1|#5 TENSOR_QUANT8_ASYMM_SIGNED[4,3]"}},
        {NULL, "8.1.0", {"FULLY_CONNECTED", "f2x?2x4 f3x4=%", "f2x?2x3", "keep_num_dims=1", "TENSOR_FLOAT32[?,3]"}},
        {NULL, "8.2.28", {"FULLY_CONNECTED", "f2x4 f3x4=% -", "f2x3", "", "#3 TENSOR_FLOAT32[3], 12 bytes"}},
        {NULL, NULL, {"CONV_2D", "f1x5x5x2 f3x3x3x2=% -", "f1x5x5x3", "stride_w=1 stride_h=1",
         "CONV_2D(#0, #2, #3, #4, #5, #6, #7, #8, #9) -> #1"}},
        {NULL, NULL, {"TRANSPOSE_CONV", "i4=1,4,4,2 f2x3x3x1=% f1x2x2x1 -", "f1x4x4x2", "stride_w=2 stride_h=2",
         "#3 TENSOR_FLOAT32[2], 8 bytes"}},
        {NULL, NULL, {"FULLY_CONNECTED", "f2x4 c3x4@0*3=%", "f2x3", "", "#3 TENSOR_FLOAT32[3], 12 bytes"}},
        {NULL, NULL, {"FULLY_CONNECTED", "c2x4@.5:1 c3x4@0*3=%", "c2x3@2.:3", "", "#3 TENSOR_INT32[3], 12 bytes"}},
        {NULL, NULL, {"FULLY_CONNECTED", "i2x4 i3x4=%", "i2x3", "", "#3 TENSOR_INT32[3], 12 bytes"}},
        {NULL, NULL, {"RESHAPE", "n2x3@.5 i2=3,2", "n3x2@.5", "", "EXT_TENSOR_QUANT4_SYMM[2,3], scale 0.5"}},
        {NULL, NULL, {"RESHAPE", "n2x3@.5:1 i2=3,2", "n3x2@.5:1", "",
         "EXT_TENSOR_QUANT4_ASYMM_SIGNED[2,3], scale 0.5, zero point 1"}},
        {NULL, NULL, {"ADD", "n3@.5 n3@.5=1,-2,3", "n3@.5", "",
         "#2 EXT_TENSOR_QUANT4_SYMM[3], scale 0.5, zero point 0, 3 bytes"}},
        {NULL, NULL, {"ADD", "t3@.5 t3@.5=1,-2,1", "t3@.5", "",
         "#2 EXT_TENSOR_QUANT2_SYMM[3], scale 0.5, zero point 0, 3 bytes"}},
        {NULL, NULL, {"ADD", "t2x2@0*2 t2x2@0*2=1,-2,1,0", "t2x2@.5:1", "",
         "EXT_TENSOR_QUANT2_SYMM_PER_CHANNEL|#1 EXT_TENSOR_QUANT2_ASYMM_SIGNED[2,2]|!scales along"}},
        {NULL, NULL, {"ADD", "w3@.5 w3@.5:4", "w3@.5", "", "TENSOR_QUANT16_ASYMM[3], scale 0.5, zero point 4"}},
        {NULL, NULL, {"ADD", "s3@.5 s3@.5:4", "s3@.5", "", "EXT_TENSOR_QUANT16_ASYMM_SIGNED[3], scale 0.5, zero point 4"}},
        {NULL, NULL, {"ADD", "l2=5,6 i2", "i2", "", "#2 TENSOR_INT32[2], 8 bytes"}},
        {NULL, NULL, {"RESHAPE", "f0x3 i2=3,0", "f3x0", "", "#0 TENSOR_FLOAT32[0,3]"}},
        {"published", NULL, {"ADD", "s3@.5 s3@.25", "s3@.5", "fused_activation_function=RELU_N1_TO_1", "#3 INT32 2"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.rms_norm ~epsilon=1.1920928955078125e-07",
         "MTKEXT_RMS_NORMALIZATION(#0, #2, #3, #4, #5, #6) -> #1|#2 TENSOR_INT32[1], 4 bytes|#5 FLOAT32 1.19209e-07"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "c2x3@.5:1 c3@0*3=%", "c2x3@.25", "name=odml.rms_norm",
         "DEQUANTIZE(#0) -> #2|QUANTIZE(|#4 TENSOR_FLOAT32[3], 12 bytes"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "s2x3@.5 s3@.5:2=% f3", "f2x3", "name=odml.rms_norm",
         "DEQUANTIZE(#0) ->|!QUANTIZE(#7"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "c2x3@.5 c3@.5 c3@.5", "c2x3@.5", "name=odml.rms_norm",
         "DEQUANTIZE(#1) ->|DEQUANTIZE(#2) ->"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "c2x3@.5 n3@.5=%", "c2x3@.5", "name=odml.rms_norm", "!DEQUANTIZE|!QUANTIZE("}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "f2x3", "f2x3", "name=odml.l2_norm", "L2_NORMALIZATION(#0) -> #1"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=% f3=%", "f2x3", "name=odml.group_norm ~epsilon=0.5 ~num_groups=1",
         "MTKEXT_LAYER_NORMALIZATION(#0, #2, #3, #4, #5, #6) -> #1|#5 FLOAT32 0.5"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm ~channel_axis=-1 ~num_groups=1",
         "#4 TENSOR_FLOAT32[3], 12 bytes|#5 FLOAT32 0"}},
        {NULL, NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm ~channel_axis=1 ~num_groups=1",
         "#5 FLOAT32 0"}}};
    for (int i = 0; i < ROWS(rows); i++) {
        net k;
        if (!net_make(&k, &rows[i].row, NULL)) continue;
        say(k.model, rows[i].profile, rows[i].runtime, NPU_FORMAT_TEXT, NPU_OK);
        net_says(said.text, rows[i].row.want, &rows[i].row);
        npu_model_close(k.model);
    }
}

/* ---- the rules ---- */

typedef struct {
    const char *profile;
    net_row     row; /* want: rules that speak, or (!) that do not */
} verdict_row;

/* Operands: types, quantization, which of them there are. */
static const verdict_row tensor_verdicts[] = {
    {NULL, {"ABS", "d3", "d3", "", "\"neuron.type\"|input 0: FLOAT64"}},
    {"published", {"ABS", "w3@.5", "w3@.5", "", "\"neuron.type\""}},
    {"published", {"ABS", "s3@.5:1", "s3@.5:1", "", "\"neuron.int16\"|output 0: a zero point"}},
    {NULL, {"ABS", "s2x3@1*3", "s2x3@.5", "", "\"neuron.int16\"|input 0: scales by channel"}},
    {"published", {"ABS", "u2x3@1*3+", "u2x3@.5", "", "\"neuron.uint8\"|zero points by channel"}},
    {NULL, {"ABS", "c3", "c3@.5", "", "\"neuron.int8\"|input 0: not quantized"}},
    {NULL, {"ABS", "n3", "n3@.5", "", "\"neuron.int4\"|input 0: not quantized"}},
    {NULL, {"ABS", "t3", "t3@.5", "", "\"neuron.int2\"|input 0: not quantized"}},
    {NULL, {"ABS", "w3", "w3@.5", "", "\"neuron.uint16\""}},
    {NULL, {"ABS", "l3", "l3", "", "\"neuron.int64\"|input 0: computed, output 0: computed"}},
    {NULL, {"RESHAPE", "f3 l1=3000000000", "f3", "", "\"neuron.int64_range\"|input 1: 3000000000"}},
    {NULL, {"RESHAPE", "f3 l1=-3000000000", "f3", "", "\"neuron.int64_range\""}},
    {NULL, {"FULLY_CONNECTED", "f2x4 c3x4@#=%", "f2x3", "", "\"neuron.blockwise\"|input 1: by blocks"}},
    {NULL, {"ADD", "f3 -", "f3", "", "\"neuron.operands\"|no input 1"}},
    {NULL, {"ADD", "f3", "f3", "", "\"neuron.operands\"|1 inputs"}},
    {NULL, {"ADD", "f3 f3", "", "", "\"neuron.operands\"|no output"}},
    {NULL, {"RESIZE_BILINEAR", "f1x2x2x1 i2=2,2", "", "", "\"neuron.operands\"|!neuron.resize_bilinear.rank\""}},
    {NULL, {"FULLY_CONNECTED", "f2x4 f3x4=%", "", "", "\"neuron.operands\"|!neuron.fully_connected.reshape"}},
    {NULL, {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1 -", "f1x2x2x1", "",
     "\"neuron.operands\"|!neuron.resize_nearest_neighbor.size"}},
    {NULL, {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1", "f1x2x2x1", "", "\"neuron.operands\""}},
    {NULL, {"TRANSPOSE_CONV", "- f2x3x3x1=%", "f1x4x4x2", "", "\"neuron.operands\""}},
    {NULL, {"TRANSPOSE_CONV", "", "f1x4x4x2", "", "\"neuron.operands\"|0 inputs"}},
    {NULL, {"FULLY_CONNECTED", "- h3x4=%", "h2x3", "", "\"neuron.operands\"|no input 0"}},
    {NULL, {"CONV_2D", "c1x5x5x2@3*2 n3x3x3x2@0*3=% i3@0*3=7,8,9", "c1x5x5x3@.5", "",
     "\"neuron.scales\"|input 0: INT8, input 1: INT4"}},
    {NULL, {"ABS", "u2x3@1*3", "t2x3@1*3", "", "\"neuron.scales\"|input 0: UINT8, output 0: INT2"}},
    {NULL, {"SPLIT", "i=1 f2x4", "f2x2 f2x2", "num_splits=2", "\"neuron.scalar_tensor\"|the axis"}},
    {NULL, {"PADV2", "f2x2 i2x2=1,0,0,1 f=3.", "f3x3", "", "\"neuron.scalar_tensor\"|the value"}}};

/* Operators: options, shapes and values. */
static const verdict_row operator_verdicts[] = {
    {NULL, {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1 l2=1,2", "f1x2x2x1", "",
     "\"neuron.resize_nearest_neighbor.size\"|other than two int32"}},
    {NULL, {"RESIZE_NEAREST_NEIGHBOR", "f1x2x2x1 i2", "f1x2x2x1", "",
     "\"neuron.resize_nearest_neighbor.size\"|computed"}},
    {NULL, {"RESIZE_BILINEAR", "f1x2x2x1 i2=2,2", "f2x2", "", "\"neuron.resize_bilinear.rank\"|2 dimensions"}},
    {NULL, {"RESIZE_BILINEAR", "f1x2x2x1 i2=2,3", "f1x2x3x1", "", "\"neuron.resize_bilinear.order\"|height 2, width 3"}},
    {NULL, {"RESIZE_BILINEAR", "f1x2x2x1 i2=3,3", "f1x3x3x1", "", "!neuron.resize_bilinear.order"}},
    {NULL, {"ADD", "f3 f3", "f3", "fused_activation_function=TANH", "\"neuron.fused_activation\"|\"TANH\""}},
    {NULL, {"ADD", "f3 f3", "f3", "fused_activation_function=-7", "\"neuron.fused_activation\"|number -7"}},
    {NULL, {"CONCATENATION", "f3 f3", "f6", "fused_activation_function=RELU",
     "\"neuron.concatenation.activation\"|\"RELU\""}},
    {NULL, {"CONCATENATION", "f3 f3", "f6", "fused_activation_function=77",
     "\"neuron.concatenation.activation\"|number 77"}},
    {NULL, {"CONCATENATION", "f3 f3", "f6", "fused_activation_function=-7", "number -7"}},
    {NULL, {"TRANSPOSE_CONV", "i4=1,4,4,2 f2x3x3x1=% f1x2x2x1", "f1x4x4x2", "fused_activation_function=RELU",
     "\"neuron.transpose_conv.activation\"|!neuron.zero_bias"}},
    {NULL, {"TRANSPOSE_CONV", "i4 f2x3x3x1=% f1x2x2x1", "f1x4x4x2", "",
     "\"neuron.transpose_conv.output_shape\"|computed"}},
    {NULL, {"TRANSPOSE_CONV", "i3=4,4,2 f2x3x3x1=% f1x2x2x1", "f1x4x4x2", "",
     "\"neuron.transpose_conv.output_shape\"|other than four int32"}},
    {NULL, {"TRANSPOSE_CONV", "i4=1,4,4,-2 f2x3x3x1=% f1x2x2x1", "f1x4x4x2", "",
     "\"neuron.transpose_conv.output_shape\"|-2 channels"}},
    {NULL, {"TRANSPOSE_CONV", "i4 f2x3x3x1=% f1x2x2x1 f2=%", "f1x4x4x2", "", "!neuron.transpose_conv.output_shape"}},
    {NULL, {"TRANSPOSE_CONV", "i4=1,4,4,2 f2x3x3x1=% h1x2x2x1 -", "h1x4x4x2", "",
     "\"neuron.zero_bias\"|float16, no bias"}},
    {NULL, {"FULLY_CONNECTED", "h2x4 h3x4=% h3=%", "h2x3", "", "!neuron.zero_bias"}},
    {NULL, {"FULLY_CONNECTED", "h2x4 h3x4=% -", "h2x3", "", "\"neuron.zero_bias\""}},
    {NULL, {"FULLY_CONNECTED", "h2x4 h=%", "h2x3", "", "\"neuron.weights_rank\"|no dimension"}},
    {NULL, {"FULLY_CONNECTED", "h2x4 -", "h2x3", "", "!neuron.weights_rank"}},
    {NULL, {"FULLY_CONNECTED", "h2x4", "h2x3", "", "!neuron.weights_rank"}},
    {NULL, {"FULLY_CONNECTED", "f2x2x4 f3x4=% f3=%", "f2x2x3", "keep_num_dims=1",
     "\"neuron.fully_connected.reshape\"|3 dimensions"}},
    {NULL, {"STRIDED_SLICE", "f3x4 i2=1,0 i2=3,4 i2=1,2", "f2x2", "ellipsis_mask=1",
     "\"neuron.strided_slice.masks\"|ellipsis_mask 1, new_axis_mask 0"}},
    {NULL, {"STRIDED_SLICE", "f3x4 i2=1,0 i2=3,4 i2=1,2", "f2x2", "new_axis_mask=2 offset=1",
     "new_axis_mask 2|\"neuron.strided_slice.offset\""}},
    {NULL, {"STRIDED_SLICE", "f3x4 i2=1,0 i2=3,4 i2=1,2", "f2x2", "", "!neuron.strided_slice"}},
    {NULL, {"GELU", "f3", "f3", "approximate=0", "\"neuron.gelu.tanh\"|exact"}},
    {NULL, {"GELU", "f3", "f3", "approximate=1", "!neuron.gelu.tanh"}},
    {NULL, {"MEAN", "f2x3 i1=1", "f2x1", "keep_dims=1", "\"neuron.keep_dims\"|true as int32"}},
    {NULL, {"SUM", "f2x3 i1=1", "f2", "", "\"neuron.keep_dims\"|false as bool"}},
    {NULL, {"CONV_2D", "f1x5x5x2 f3x3x3x2=% -", "f1x5x5x3", "", "\"neuron.conv.bias\"|no bias"}},
    {NULL, {"CONV_2D", "f1x5x5x2 f3x3x3x2=% f3=%", "f1x5x5x3", "", "!neuron.conv.bias"}},
    {NULL, {"CONV_2D", "f1x5x5x2 c3x3x3x2@0*3=% f3@0*3", "f1x5x5x3", "", "!neuron.scales"}},
    {NULL, {"LEAKY_RELU", "c3@.5", "c3@.5", "alpha=.5", "\"neuron.leaky_relu.alpha\"|data of INT8"}},
    {NULL, {"LEAKY_RELU", "f3", "f3", "alpha=.5", "!neuron.leaky_relu.alpha"}},
    {NULL, {"LEAKY_RELU", "-", "f3", "", "!neuron.leaky_relu.alpha"}},
    {NULL, {"LEAKY_RELU", "", "f3", "", "!neuron.leaky_relu.alpha"}},
    {NULL, {"RESHAPE", "f2x3 -", "f6", "", "\"neuron.reshape.shape\"|one input"}},
    {NULL, {"RESHAPE", "f2x3", "f6", "", "\"neuron.reshape.shape\"|one input"}},
    {NULL, {"CONV_2D", "f1x5x5x2 f3x3x3x2=%", "f1x5x5x3", "", "\"neuron.conv.bias\"|no bias"}},
    {NULL, {"RESHAPE", "f2x3 i1=6", "f6", "", "!neuron.reshape.shape"}},
    {NULL, {"L2_NORMALIZATION", "f2x3", "f2x3", "fused_activation_function=RELU",
     "\"neuron.l2_normalization.activation\""}},
    {NULL, {"COS", "f3", "f3", "", "\"neuron.operator_not_listed\""}},
    {"published", {"LESS", "f3 f3", "b3", "", "\"neuron.operator_not_listed\""}}};

/* Composites: names, attributes, gamma and beta. */
static const verdict_row composite_verdicts[] = {
    {NULL, {"STABLEHLO_COMPOSITE", "f2x1x4 f4=%", "f2x1x4", "name=odml.group_norm ~num_groups=1 ~epsilon=0.5",
     "!neuron.group_norm.axis"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3", "f2x3", "name=odml.other", "\"neuron.composite\"|odml.other"}},
    {"published", {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm ~num_groups=1",
     "\"neuron.composite\"|odml.group_norm"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm",
     "\"neuron.composite\"|odml.group_norm without num_groups"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm ~num_groups=2",
     "odml.group_norm of 2 groups"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.group_norm ~num_groups=1",
     "\"neuron.group_norm.epsilon\"|!neuron.group_norm.axis"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3x1x4 f4=%", "f2x3x1x4", "name=odml.group_norm ~num_groups=1 ~epsilon=0.5",
     "!neuron.group_norm.epsilon|\"neuron.group_norm.axis\"|dimension 1 of 3"}},
    {NULL, {"STABLEHLO_COMPOSITE", "-", "f2x3", "name=odml.group_norm ~num_groups=1",
     "\"neuron.gamma\"|!neuron.group_norm.axis"}},
    {NULL, {"STABLEHLO_COMPOSITE", "", "f2x3", "name=odml.group_norm ~num_groups=1",
     "\"neuron.gamma\"|!neuron.group_norm.axis"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 -", "f2x3", "name=odml.rms_norm", "\"neuron.gamma\"|no gamma"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f f", "f", "name=odml.rms_norm", "\"neuron.gamma\"|data of no dimension"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f", "f2x3", "name=odml.rms_norm", "\"neuron.gamma\"|gamma of no dimension"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f?3", "f2x3", "name=odml.rms_norm", "\"neuron.gamma\"|gamma of open length"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f?3 f?3", "f2x3", "name=odml.group_norm ~num_groups=1", "!neuron.gamma"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=% f3=%", "f2x3", "name=odml.rms_norm ~epsilon=0.5",
     "\"neuron.rms_norm.epsilon\"|\"neuron.rms_norm.beta\"|3 inputs"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3 f3=%", "f2x3", "name=odml.rms_norm ~epsilon=1.1920928955078125e-07",
     "!neuron.rms_norm.epsilon|!neuron.rms_norm.beta|!neuron.l2_norm"}},
    {NULL, {"STABLEHLO_COMPOSITE", "f2x3", "f2x3", "name=odml.l2_norm ~epsilon=0.5 ~axis=1",
     "\"neuron.l2_norm.attributes\"|!neuron.gamma|!neuron.group_norm|!neuron.rms_norm"}}};

static void verdicts_of(const verdict_row *rows, int n) {
    for (int i = 0; i < n; i++) {
        net k;
        if (!net_make(&k, &rows[i].row, NULL)) continue;
        CHECK_INT(net_check(k.model, rows[i].profile, NPU_FORMAT_JSON, &said), NPU_OK);
        net_says(said.text, rows[i].row.want, &rows[i].row);
        npu_model_close(k.model);
    }
}

TEST(verdicts) {
    verdicts_of(tensor_verdicts, ROWS(tensor_verdicts));
    verdicts_of(operator_verdicts, ROWS(operator_verdicts));
    verdicts_of(composite_verdicts, ROWS(composite_verdicts));
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(lowers);
    RUN(runs_as_the_cpu);
    RUN(forms);
    RUN(odd_operands);
    RUN(verdicts);
    return REPORT();
}
