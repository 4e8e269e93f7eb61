/* npu_tensor_compare: units in the last place, steps, NaNs, scales, refusals. */
#ifndef TESTS_UNIT_WATCH_COMPARE_H
#define TESTS_UNIT_WATCH_COMPARE_H

static npu_tensor line(npu_type type, int32_t n, const void *data) {
    npu_tensor t;
    memset(&t, 0, sizeof t);
    t.type = type;
    t.rank = 1;
    t.dims[0] = n;
    t.bytes = ((size_t)n * (size_t)npu_type_bits(type) + 7) / 8;
    t.data = (void *)(uintptr_t)data;
    return t;
}

static npu_difference compared(npu_type type, int32_t n, const void *a, const void *b) {
    npu_tensor     x = line(type, n, a), y = line(type, n, b);
    npu_difference d;
    npu_diag       diag;
    memset(&d, 0, sizeof d);
    if (!CHECK_INT(npu_tensor_compare(&x, &y, &d, &diag), NPU_OK)) printf("    %s\n", diag.text);
    CHECK_INT(d.elements, n);
    CHECK_INT(d.differing, d.elements - d.histogram[0]);
    return d;
}

TEST(floats_by_units_in_the_last_place) {
    uint32_t       b[10];
    const uint32_t a[10] = {0x3F800000u, 0x3F800000u, 0x3F800000u, 0x3F800000u, 0x3F800000u, 0x00000000u, 0x80000001u, 0x7F800000u, 0xFF7FFFFFu, 0u};
    npu_difference d;
    memcpy(b, a, sizeof b);
    b[1] += 1;
    b[2] += 2;
    b[3] += 4;
    b[4] -= 5;
    b[5] = 0x80000000u; /* -0 */
    b[6] = 0x00000001u; /* the smallest numbers beside 0: two units apart */
    d = compared(NPU_FLOAT32, 10, a, b);
    CHECK(d.ulps && d.nans == 0);
    CHECK(d.histogram[0] == 5 && d.histogram[1] == 1 && d.histogram[2] == 2 && d.histogram[3] == 1 && d.histogram[4] == 1);
    CHECK_INT(d.max_index, 3);
    CHECK(d.max_abs == 4 * 0x1p-23);
    b[9] = 0xFF800000u;
    d = compared(NPU_FLOAT32, 10, a, b);
    CHECK(isinf(d.max_abs) && d.max_index == 9 && d.histogram[NPU_DIFFERENCE_BINS - 1] == 1);
}

TEST(nans_equal_nans_only) {
    const uint32_t a[4] = {0x7FC00000u, 0x7FC00000u, 0x3F800000u, 0x7F800000u}, b[4] = {0xFFC00123u, 0x3F800000u, 0x7F800001u, 0x7F800000u};
    npu_difference d = compared(NPU_FLOAT32, 4, a, b);
    CHECK_INT(d.nans, 2);
    CHECK_INT(d.differing, 2);
    CHECK_INT(d.max_index, 1);
    CHECK(isinf(d.max_abs));
    CHECK_INT(d.histogram[NPU_DIFFERENCE_BINS - 1], 2);
}

TEST(every_kind_of_float) {
    const uint16_t h[2] = {0x3C00, 0xBC00}, i[2] = {0x3C01, 0xBC02}, k[2] = {0x3F80, 0x0000}, l[2] = {0x3F81, 0x8000};
    const uint8_t  e[3] = {0x38, 0x7F, 0x00}, f[3] = {0x39, 0xFF, 0x81};
    const double   x[2] = {1.0, -2.0}, y[2] = {1.0, -2.0 - 0x1p-51};
    const float    c[4] = {1, 2, 3, 4}, g[4] = {1, 2, 3, 5};
    npu_difference d = compared(NPU_FLOAT16, 2, h, i);
    npu_tensor     p = line(NPU_COMPLEX64, 2, c), q = line(NPU_COMPLEX64, 2, g);
    CHECK(d.histogram[1] == 1 && d.histogram[2] == 1 && d.max_abs == 2 * 0x1p-10);
    d = compared(NPU_BFLOAT16, 2, k, l);
    CHECK(d.histogram[0] == 1 && d.histogram[1] == 1 && d.max_abs == 0x1p-7);
    d = compared(NPU_FLOAT8_E4M3FN, 3, e, f); /* 0x7F and 0xFF are its NaNs */
    CHECK(d.histogram[0] == 1 && d.histogram[1] == 2 && d.nans == 0);
    d = compared(NPU_FLOAT8_E5M2, 1, e, f);
    CHECK(d.histogram[1] == 1 && d.max_abs > 0);
    d = compared(NPU_FLOAT64, 2, x, y);
    CHECK(d.histogram[0] == 1 && d.histogram[1] == 1 && d.max_abs == 0x1p-51 && d.max_index == 1);
    CHECK_INT(npu_tensor_compare(&p, &q, &d, NULL), NPU_OK);
    CHECK(d.elements == 4 && d.differing == 1 && d.max_index == 3 && d.max_abs == 1.0);
    p = line(NPU_COMPLEX128, 1, x);
    q = line(NPU_COMPLEX128, 1, y);
    CHECK_INT(npu_tensor_compare(&p, &q, &d, NULL), NPU_OK);
    CHECK(d.elements == 2 && d.differing == 1);
}

TEST(integers_by_steps) {
    const int8_t   a[5] = {-128, 0, 3, 4, 5}, b[5] = {127, 0, 4, 4, 2};
    const uint8_t  nibbles[2] = {0x78, 0x01}, others[2] = {0x88, 0x02}, yes[3] = {0, 1, 2}, no[3] = {1, 0, 1};
    const int64_t  wide[2] = {INT64_MIN, -5}, far[2] = {INT64_MAX, -3};
    const uint64_t top[1] = {UINT64_MAX}, bottom[1] = {0};
    npu_difference d = compared(NPU_INT8, 5, a, b);
    CHECK(!d.ulps && d.histogram[0] == 2 && d.histogram[1] == 1 && d.histogram[3] == 1 && d.histogram[9] == 1 && d.max_abs == 255.0);
    d = compared(NPU_INT4, 3, nibbles, others); /* -8, 7, 1 against -8, -8, 2 */
    CHECK(d.histogram[0] == 1 && d.histogram[5] == 1 && d.histogram[1] == 1 && d.max_abs == 15.0 && d.max_index == 1);
    d = compared(NPU_UINT4, 3, nibbles, others);
    CHECK(d.histogram[0] == 1 && d.histogram[1] == 2);
    d = compared(NPU_BOOL, 3, yes, no);
    CHECK(d.differing == 2 && d.max_abs == 1.0);
    d = compared(NPU_INT64, 2, wide, far);
    CHECK(d.histogram[2] == 1 && d.histogram[NPU_DIFFERENCE_BINS - 1] == 1 && d.max_abs == 18446744073709551615.0);
    d = compared(NPU_UINT64, 1, top, bottom);
    CHECK(d.max_abs == 18446744073709551615.0);
    d = compared(NPU_INT8, 0, NULL, NULL);
    CHECK(d.differing == 0 && d.max_abs == 0.0);
}

TEST(scales_of_each_channel) {
    const int8_t  a[6] = {0, 0, 0, 10, 10, 10}, b[6] = {1, 1, 1, 10, 10, 12};
    const float   scale[3] = {0.5f, 0.25f, 2.0f}, other[1] = {1.0f};
    const int32_t zero[3] = {0, 1, 2};
    npu_tensor     x = line(NPU_INT8, 6, a), y = line(NPU_INT8, 6, b);
    npu_difference d;
    x.rank = y.rank = 2;
    x.dims[0] = y.dims[0] = 2;
    x.dims[1] = y.dims[1] = 3;
    x.quant.count = 3;
    x.quant.axis = 1;
    x.quant.scale = scale;
    x.quant.zero_point = zero;
    y.quant = x.quant;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 4.0 && d.max_index == 5 && d.differing == 4);
    y.quant.count = 1; /* 10 of channel 2 is 16 in x; 12 is 12 in y */
    y.quant.scale = other;
    y.quant.zero_point = NULL;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 7.75 && d.max_index == 4);
    x.quant.count = 1; /* zero points alone */
    y.quant.scale = scale;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 1.0);
    x.quant.zero_point = zero + 2;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 2.0 && d.max_index == 5);
    CHECK_INT(npu_tensor_compare(&y, &x, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 2.0);
    x.quant.zero_point = zero;
    x.quant.count = 3;
    y.quant = x.quant;
    x.quant.axis = y.quant.axis = 7; /* outside of the rank, as files may say */
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 2.0);
    x.quant.axis = y.quant.axis = 0; /* of another length */
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 2.0);
    x.quant.axis = y.quant.axis = -1;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 2.0);
    x.quant.axis = y.quant.axis = 0;
    x.dims[0] = y.dims[0] = 3;
    x.dims[1] = y.dims[1] = 2;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 4.0 && d.max_index == 5);
    x.quant.count = y.quant.count = 1; /* then it means nothing */
    x.quant.axis = y.quant.axis = INT32_MAX;
    CHECK_INT(npu_tensor_compare(&x, &y, &d, NULL), NPU_OK);
    CHECK(d.max_abs == 1.0);
}

TEST(what_cannot_be_compared) {
    const float    a[4] = {0};
    npu_tensor     x = line(NPU_FLOAT32, 4, a), y = x, bad;
    npu_difference d;
    npu_diag       diag;
    CHECK_INT(npu_tensor_compare(NULL, &y, &d, &diag), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_compare(&x, NULL, &d, &diag), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_tensor_compare(&x, &y, NULL, NULL), NPU_INVALID_ARGUMENT);
    bad = line(NPU_INT32, 4, a);
    CHECK_INT(npu_tensor_compare(&x, &bad, &d, &diag), NPU_BAD_INPUT);
    CHECK_STR(diag.rule, "compare.type");
    CHECK_HAS(diag.text, "INT32");
    bad = line(NPU_FLOAT32, 3, a);
    CHECK_INT(npu_tensor_compare(&x, &bad, &d, &diag), NPU_BAD_INPUT);
    CHECK_STR(diag.rule, "compare.shape");
    bad = y;
    bad.rank = 2;
    bad.dims[1] = 1;
    CHECK_INT(npu_tensor_compare(&x, &bad, &d, &diag), NPU_BAD_INPUT);
    bad = y;
    bad.bytes = 12;
    CHECK_INT(npu_tensor_compare(&x, &bad, &d, &diag), NPU_BAD_INPUT);
    CHECK_INT(npu_tensor_compare(&bad, &x, &d, &diag), NPU_INVALID_ARGUMENT);
    CHECK_STR(diag.rule, "compare.bytes");
    for (int k = 0; k < 4; k++) {
        bad = y;
        if (k == 0) bad.data = NULL;
        if (k == 1) bad.rank = 9;
        if (k == 2) bad.rank = -1;
        if (k == 3) bad.dims[0] = -4;
        CHECK_INT(npu_tensor_compare(&bad, &y, &d, &diag), NPU_INVALID_ARGUMENT);
    }
    bad = y; /* scales of floats are not looked at */
    bad.quant.count = 1;
    bad.quant.scale = a;
    CHECK_INT(npu_tensor_compare(&x, &bad, &d, &diag), NPU_OK);
    CHECK(d.differing == 0);
    bad = y;
    bad.data = NULL;
    CHECK_INT(npu_tensor_compare(&x, &bad, &d, &diag), NPU_INVALID_ARGUMENT);
    x = y = line(NPU_STRING, 0, a);
    CHECK_INT(npu_tensor_compare(&x, &y, &d, &diag), NPU_UNSUPPORTED);
    CHECK_STR(diag.rule, "compare.type");
}

static void run_compare_tests(void) {
    RUN(floats_by_units_in_the_last_place);
    RUN(nans_equal_nans_only);
    RUN(every_kind_of_float);
    RUN(integers_by_steps);
    RUN(scales_of_each_channel);
    RUN(what_cannot_be_compared);
}

#endif
