/* npu_tensor_quantize and npu_tensor_dequantize: types, awkward values, refusals. Bits against LiteRT and numpy:
 * tests/conformance/test_real.py. */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

#include <float.h>

#include "test.h"

static uint8_t memory[256];

/* A tensor of one dimension over `memory`; scale 0: not quantized. */
static npu_tensor line(npu_type type, int32_t n, const float *scale, const int32_t *zero_point) {
    npu_tensor t;
    memset(&t, 0, sizeof t);
    memset(memory, 0xA5, sizeof memory);
    t.type = type;
    t.rank = 1;
    t.dims[0] = n;
    t.bytes = ((size_t)n * (size_t)npu_type_bits(type) + 7) / 8;
    t.data = memory;
    t.quant.count = scale ? 1 : 0;
    t.quant.scale = scale;
    t.quant.zero_point = zero_point;
    return t;
}

TEST(rounds_half_away_from_zero) {
    const float   scale = 0.5f, in[8] = {0.25f, -0.25f, 0.75f, -0.75f, 0.2499f, 63.0f, -80.0f, 1e30f};
    const int32_t zero = 3;
    const int     want[8] = {4, 2, 5, 1, 3, 127, -128, 127};
    npu_tensor    t = line(NPU_INT8, 8, &scale, &zero);
    float         back[8];
    CHECK_INT(npu_tensor_quantize(&t, in, 8, NULL), NPU_OK);
    for (int i = 0; i < 8; i++) CHECK_INT((int8_t)memory[i], want[i]);
    CHECK_INT(memory[8], 0xA5);
    CHECK_INT(npu_tensor_dequantize(&t, back, 8, NULL), NPU_OK);
    for (int i = 0; i < 8; i++) CHECK(back[i] == 0.5f * (float)(want[i] - 3));
}

TEST(cuts_to_every_integer_type) {
    static const struct {
        npu_type type;
        double   lo, hi;
    } types[] = {{NPU_INT2, -2, 1}, {NPU_INT4, -8, 7}, {NPU_UINT4, 0, 15}, {NPU_INT8, -128, 127}, {NPU_UINT8, 0, 255},
                 {NPU_INT16, -32768, 32767}, {NPU_UINT16, 0, 65535}, {NPU_INT32, -2147483648.0, 2147483647.0},
                 {NPU_UINT32, 0, 4294967295.0}, {NPU_INT64, -9223372036854775808.0, 9223372036854775807.0},
                 {NPU_UINT64, 0, 18446744073709551615.0}};
    const float in[7] = {-INFINITY, -FLT_MAX, INFINITY, FLT_MAX, 1.0f, -0.0f, 0.4999f};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        npu_tensor t = line(types[k].type, 7, NULL, NULL);
        float      back[7];
        CHECK_INT(npu_tensor_quantize(&t, in, 7, NULL), NPU_OK);
        CHECK_INT(npu_tensor_dequantize(&t, back, 7, NULL), NPU_OK);
        CHECK(back[0] == (float)types[k].lo && back[1] == (float)types[k].lo);
        CHECK(back[2] == (float)types[k].hi && back[3] == (float)types[k].hi);
        CHECK(back[4] == 1.0f && back[5] == 0.0f && back[6] == 0.0f);
        CHECK_INT(memory[t.bytes], 0xA5);
    }
}

TEST(zero_points_at_the_ends) {
    const float   scale = 1e-30f, in[3] = {1e30f, -1e30f, 0.0f}, wide = 3.0f, far[2] = {FLT_MAX, -FLT_MAX};
    const int32_t top = INT32_MAX, bottom = INT32_MIN;
    float         back[3];
    npu_tensor    t = line(NPU_INT32, 3, &scale, &top);
    CHECK_INT(npu_tensor_quantize(&t, in, 3, NULL), NPU_OK);
    CHECK(((int32_t *)(void *)memory)[0] == INT32_MAX && ((int32_t *)(void *)memory)[1] == INT32_MIN);
    CHECK_INT(((int32_t *)(void *)memory)[2], INT32_MAX);
    t = line(NPU_INT32, 2, &wide, &bottom);
    CHECK_INT(npu_tensor_quantize(&t, far, 2, NULL), NPU_OK);
    CHECK_INT(npu_tensor_dequantize(&t, back, 2, NULL), NPU_OK);
    CHECK(back[0] == (float)(3.0 * 4294967295.0) && back[1] == 0.0f);
}

TEST(packs_low_bits_first) {
    const float in[5] = {1.0f, -2.0f, 7.0f, -8.0f, 3.0f}, two[5] = {1.0f, -2.0f, -1.0f, 0.0f, 1.0f};
    npu_tensor  t = line(NPU_INT4, 5, NULL, NULL);
    CHECK_INT(npu_tensor_quantize(&t, in, 5, NULL), NPU_OK);
    CHECK(memory[0] == 0xE1 && memory[1] == 0x87 && memory[2] == 0x03 && memory[3] == 0xA5);
    t = line(NPU_INT2, 5, NULL, NULL);
    CHECK_INT(npu_tensor_quantize(&t, two, 5, NULL), NPU_OK);
    CHECK(memory[0] == 0x39 && memory[1] == 0x01 && memory[2] == 0xA5);
}

TEST(channels_along_any_dimension) {
    const float   scale[3] = {1.0f, 0.5f, 0.25f};
    const int32_t zero[3] = {0, 10, -10};
    float         in[18], back[18];
    for (int32_t axis = 0; axis < 3; axis++) {
        npu_tensor t = line(NPU_INT8, 18, scale, zero);
        int32_t    inner = axis == 2 ? 1 : axis == 1 ? 2 : 6;
        t.rank = 3;
        t.dims[0] = axis == 0 ? 3 : 2;
        t.dims[1] = 3;
        t.dims[2] = axis == 2 ? 3 : axis == 0 ? 2 : 2;
        if (axis == 1) t.dims[0] = 3;
        if (axis == 2) t.dims[1] = 3;
        t.quant.count = 3;
        t.quant.axis = axis;
        t.bytes = (size_t)(t.dims[0] * t.dims[1] * t.dims[2]);
        for (size_t i = 0; i < t.bytes; i++) in[i] = (float)(int)i - 7.0f;
        CHECK_INT(npu_tensor_quantize(&t, in, t.bytes, NULL), NPU_OK);
        for (int32_t i = 0; i < (int32_t)t.bytes; i++) {
            int32_t c = i / inner % 3;
            CHECK_INT((int8_t)memory[i], (int)(in[i] / scale[c]) + zero[c]);
        }
        CHECK_INT(npu_tensor_dequantize(&t, back, t.bytes, NULL), NPU_OK);
        for (size_t i = 0; i < t.bytes; i++) CHECK(back[i] == in[i]);
    }
}

TEST(floats_and_truth_values) {
    static const npu_type types[] = {NPU_FLOAT16, NPU_BFLOAT16, NPU_FLOAT8_E4M3FN, NPU_FLOAT8_E5M2, NPU_FLOAT32, NPU_FLOAT64};
    const float in[6] = {1.5f, -0.25f, -0.0f, NAN, 1e38f, INFINITY}, scale = 9.0f; /* which a float does not look at */
    float       back[6];
    npu_tensor  t;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        t = line(types[k], 6, &scale, NULL);
        CHECK_INT(npu_tensor_quantize(&t, in, 6, NULL), NPU_OK);
        CHECK_INT(npu_tensor_dequantize(&t, back, 6, NULL), NPU_OK);
        CHECK(back[0] == 1.5f && back[1] == -0.25f && back[2] == 0.0f && 1.0f / back[2] < 0.0f && isnan(back[3]));
        if (types[k] == NPU_FLOAT8_E4M3FN) CHECK(isnan(back[4]) && isnan(back[5]));
        else CHECK(back[4] > 9e37f && isinf(back[5]));
    }
    t = line(NPU_BOOL, 3, NULL, NULL);
    CHECK_INT(npu_tensor_quantize(&t, in, 3, NULL), NPU_OK);
    CHECK(memory[0] == 1 && memory[1] == 1 && memory[2] == 0 && memory[3] == 0xA5);
    memory[1] = 7; /* anything but 0 is true */
    CHECK_INT(npu_tensor_dequantize(&t, back, 3, NULL), NPU_OK);
    CHECK(back[0] == 1.0f && back[1] == 1.0f && back[2] == 0.0f);
}

/* Both directions refuse, and write nothing. */
static void refused(const npu_tensor *t, const float *in, size_t n, npu_status status, const char *rule, const char *says) {
    npu_diag diag;
    float    back[64];
    CHECK_INT(npu_tensor_quantize(t, in, n, &diag), status);
    CHECK_STR(diag.rule, rule);
    CHECK_HAS(diag.text, says);
    for (size_t i = 0; i < sizeof memory; i++) CHECK_INT(memory[i], 0xA5);
    if (strcmp(rule, "real.nan") == 0) return;
    back[0] = 42.0f;
    CHECK_INT(npu_tensor_dequantize(t, back, n, NULL), status);
    CHECK(back[0] == 42.0f);
}

TEST(refusals) {
    const float   in[8] = {1, 2, 3, 4, 5, 6, 7, NAN}, scale[4] = {1, 2, 3, 4};
    const float   bad[4] = {0.0f, -1.0f, NAN, INFINITY};
    const int32_t zero[4] = {0, 0, 0, 0};
    npu_tensor    t = line(NPU_INT8, 8, scale, zero);
    refused(&t, in, 8, NPU_BAD_INPUT, "real.nan", "value 7");
    refused(&t, in, 7, NPU_BAD_INPUT, "real.count", "8 elements: got 7");
    refused(&t, in, 9, NPU_BAD_INPUT, "real.count", "8 elements: got 9");
    t.bytes = 7;
    refused(&t, in, 8, NPU_INVALID_ARGUMENT, "real.bytes", "7");
    t = line(NPU_BOOL, 8, NULL, NULL);
    refused(&t, in, 8, NPU_BAD_INPUT, "real.nan", "BOOL");
    t.dims[0] = -8;
    refused(&t, in, 8, NPU_INVALID_ARGUMENT, "real.bytes", "");
    t.rank = 9;
    refused(&t, in, 8, NPU_INVALID_ARGUMENT, "real.bytes", "");
    for (int i = 0; i < 4; i++) {
        t = line(NPU_INT8, 4, &bad[i], zero);
        refused(&t, in, 4, NPU_BAD_INPUT, "real.scale", "channel 0");
    }
    t = line(NPU_UINT8, 4, bad, zero);
    t.quant.count = 4;
    refused(&t, in, 4, NPU_BAD_INPUT, "real.scale", "channel 0");
    t = line(NPU_UINT8, 5, scale, zero);
    t.quant.count = 4;
    refused(&t, in, 5, NPU_BAD_INPUT, "real.axis", "4 scales");
    for (int32_t axis = -1; axis < 3; axis += 2) {
        t = line(NPU_UINT8, 4, scale, zero);
        t.quant.count = 4;
        t.quant.axis = axis;
        refused(&t, in, 4, NPU_BAD_INPUT, "real.axis", "dimension");
    }
    t = line(NPU_INT8, 8, scale, zero);
    t.data = NULL;
    refused(&t, in, 8, NPU_INVALID_ARGUMENT, "api.null", "NULL");
    CHECK_INT(npu_tensor_quantize(&t, NULL, 8, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_dequantize(NULL, NULL, 0, NULL), NPU_INVALID_ARGUMENT);
    static const npu_type none[] = {NPU_STRING, NPU_RESOURCE, NPU_VARIANT, NPU_COMPLEX64, NPU_COMPLEX128, NPU_TYPE_COUNT};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        t = line(none[k], 4, NULL, NULL);
        refused(&t, in, 4, NPU_UNSUPPORTED, "real.type", npu_type_name(none[k]));
    }
}

TEST(nothing_and_scalars) {
    const float in = 3.4f;
    npu_tensor  t = line(NPU_INT8, 0, NULL, NULL);
    t.data = NULL;
    CHECK_INT(npu_tensor_quantize(&t, NULL, 0, NULL), NPU_OK);
    CHECK_INT(npu_tensor_dequantize(&t, NULL, 0, NULL), NPU_OK);
    t = line(NPU_INT8, 1, NULL, NULL);
    t.rank = 0;
    CHECK_INT(npu_tensor_quantize(&t, &in, 1, NULL), NPU_OK);
    CHECK_INT(memory[0], 3);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(rounds_half_away_from_zero);
    RUN(cuts_to_every_integer_type);
    RUN(zero_points_at_the_ends);
    RUN(packs_low_bits_first);
    RUN(channels_along_any_dimension);
    RUN(floats_and_truth_values);
    RUN(refusals);
    RUN(nothing_and_scalars);
    return REPORT();
}
