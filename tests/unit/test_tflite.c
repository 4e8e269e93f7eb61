/* The tflite layer: schema tables, identifier, verifier on hand-made and broken files. */
#include "tflite_sources.h"

#include "fb_writer.h"
#include "test.h"
#include "walk_model.h"

/* ---- a small model, and where its parts lie ---- */

typedef struct parts {
    fbw    w;
    size_t model, subgraphs, subgraph, tensors, name, op, options, custom, buffer[2];
} parts;

static void parts_free(parts *m) { free(m->w.buf); }

/* Position of a field in the table at `table`. */
static size_t at(const parts *m, size_t table, int slot) { return fbw_field(&m->w, table, slot); }

static void make_sparsity(parts *m, size_t tensor) {
    fbw   *w = &m->w;
    size_t sparsity = fbw_table(w, at(m, tensor, NPU__S_Tensor_sparsity), "444"), dims, dim, vec;
    fbw_vec(w, at(m, sparsity, NPU__S_SparsityParameters_traversal_order), 1, 4);
    fbw_vec(w, at(m, sparsity, NPU__S_SparsityParameters_block_map), 0, 4);
    dims = fbw_vec(w, at(m, sparsity, NPU__S_SparsityParameters_dim_metadata), 1, 4);
    dim = fbw_table(w, dims, "141414");
    fbw_set(w, dim, NPU__S_DimensionMetadata_array_segments_type, 2, 1);
    fbw_set(w, dim, NPU__S_DimensionMetadata_array_indices_type, 3, 1);
    vec = fbw_table(w, at(m, dim, NPU__S_DimensionMetadata_array_segments), "4");
    fbw_vec(w, at(m, vec, NPU__S_Uint16Vector_values), 3, 2);
    vec = fbw_table(w, at(m, dim, NPU__S_DimensionMetadata_array_indices), "4");
    fbw_vec(w, at(m, vec, NPU__S_Uint8Vector_values), 5, 1);
}

static void make_tensors(parts *m) {
    fbw   *w = &m->w;
    size_t in, out, quant, block;
    m->tensors = fbw_vec(w, at(m, m->subgraph, NPU__S_SubGraph_tensors), 2, 4);
    in = fbw_table(w, m->tensors, "4144");
    fbw_str(w, at(m, in, NPU__S_Tensor_name), "in");
    fbw_vec(w, at(m, in, NPU__S_Tensor_shape), 2, 4);
    out = fbw_table(w, m->tensors + 4, "41444.4");
    m->name = fbw_str(w, at(m, out, NPU__S_Tensor_name), "output");
    fbw_vec(w, at(m, out, NPU__S_Tensor_shape), 2, 4);
    quant = fbw_table(w, at(m, out, NPU__S_Tensor_quantization), "..44144");
    fbw_vec(w, at(m, quant, NPU__S_QuantizationParameters_scale), 1, 4);
    fbw_vec(w, at(m, quant, NPU__S_QuantizationParameters_zero_point), 1, 8);
    fbw_set(w, quant, NPU__S_QuantizationParameters_details_type, 2, 1);
    block = fbw_table(w, at(m, quant, NPU__S_QuantizationParameters_details), "4444");
    fbw_vec(w, at(m, block, NPU__S_BlockwiseQuantization_block_shape), 2, 4);
    make_sparsity(m, out);
}

static void make_subgraph(parts *m) {
    fbw   *w = &m->w;
    size_t ops;
    m->subgraphs = fbw_vec(w, at(m, m->model, NPU__S_Model_subgraphs), 1, 4);
    m->subgraph = fbw_table(w, m->subgraphs, "444444");
    make_tensors(m);
    fbw_vec(w, at(m, m->subgraph, NPU__S_SubGraph_inputs), 1, 4);
    fbw_put(w, fbw_vec(w, at(m, m->subgraph, NPU__S_SubGraph_outputs), 1, 4), 1, 4);
    fbw_str(w, at(m, m->subgraph, NPU__S_SubGraph_name), "main");
    ops = fbw_vec(w, at(m, m->subgraph, NPU__S_SubGraph_operators), 1, 4);
    m->op = fbw_table(w, ops, "4441441.4881");
    fbw_vec(w, at(m, m->op, NPU__S_Operator_inputs), 1, 4);
    fbw_vec(w, at(m, m->op, NPU__S_Operator_outputs), 1, 4);
    fbw_vec(w, at(m, m->op, NPU__S_Operator_intermediates), 0, 4);
    m->custom = fbw_vec(w, at(m, m->op, NPU__S_Operator_custom_options), 3, 1);
    fbw_set(w, m->op, NPU__S_Operator_builtin_options_type, 9, 1);
    m->options = fbw_table(w, at(m, m->op, NPU__S_Operator_builtin_options), "4");
    fbw_set(w, m->options, NPU__S_SoftmaxOptions_beta, 0x3F800000, 4);
}

static parts make_model(void) {
    parts  m;
    fbw   *w = &m.w;
    size_t vec, table;
    memset(&m, 0, sizeof m);
    w->cap = 1 << 16;
    w->buf = (uint8_t *)calloc(1, w->cap);
    fbw_add(w, 0, 4);
    memcpy(w->buf + fbw_add(w, 0, 4), "TFL3", 4);
    m.model = fbw_table(w, 0, "4444444444");
    fbw_put(w, 0, m.model, 4);
    fbw_set(w, m.model, NPU__S_Model_version, 3, 4);
    vec = fbw_vec(w, at(&m, m.model, NPU__S_Model_operator_codes), 1, 4);
    table = fbw_table(w, vec, "1444");
    fbw_set(w, table, NPU__S_OperatorCode_builtin_code, NPU__BUILTIN_SOFTMAX, 4);
    fbw_str(w, at(&m, table, NPU__S_OperatorCode_custom_code), "");
    make_subgraph(&m);
    vec = fbw_vec(w, at(&m, m.model, NPU__S_Model_buffers), 2, 4);
    m.buffer[0] = fbw_table(w, vec, "");
    m.buffer[1] = fbw_table(w, vec + 4, "488");
    fbw_vec(w, at(&m, m.buffer[1], NPU__S_Buffer_data), 4, 1);
    fbw_vec(w, at(&m, m.model, NPU__S_Model_metadata_buffer), 1, 4);
    vec = fbw_vec(w, at(&m, m.model, NPU__S_Model_metadata), 1, 4);
    table = fbw_table(w, vec, "44");
    fbw_str(w, at(&m, table, NPU__S_Metadata_name), "meta");
    vec = fbw_vec(w, at(&m, m.model, NPU__S_Model_signature_defs), 1, 4);
    table = fbw_table(w, vec, "444.4");
    fbw_str(w, at(&m, table, NPU__S_SignatureDef_signature_key), "serve");
    fbw_vec(w, at(&m, table, NPU__S_SignatureDef_outputs), 0, 4);
    vec = fbw_vec(w, at(&m, table, NPU__S_SignatureDef_inputs), 1, 4);
    table = fbw_table(w, vec, "44");
    fbw_str(w, at(&m, table, NPU__S_TensorMap_name), "x");
    fbw_vec(w, at(&m, m.model, NPU__S_Model_external_buffer_groups), 0, 4);
    fbw_vec(w, at(&m, m.model, NPU__S_Model_external_buffers), 0, 4);
    fbw_str(w, at(&m, m.model, NPU__S_Model_description), "a test"); /* last: every byte of the file is needed */
    return m;
}

/* Verifies a copy of exactly n bytes (so that the sanitizers see the end) and, if it passes, reads everything. */
static npu_status verify_copy(const uint8_t *p, size_t n, size_t misalign, npu_diag *diag) {
    uint8_t   *block = (uint8_t *)malloc(n + misalign + 1), *copy = block + misalign + 1;
    npu__tab   model;
    npu_status s;
    if (n) memcpy(copy, p, n);
    npu__diag_clear(diag);
    s = npu__verify_model(copy, n, &model, diag);
    if (s == NPU_OK) {
        walk_sum sum;
        sum.hash = sum.bytes = 0;
        walk_table(&sum, copy, model, NPU__T_Model);
        CHECK(sum.bytes <= 16 * (uint64_t)n + 131072);
    } else {
        CHECK(model == NULL);
        CHECK_INT(s, NPU_INVALID_MODEL);
        CHECK(diag->rule[0] != 0 && diag->text[0] != 0);
        CHECK(diag->file_offset >= 0 && (diag->file_offset == 0 || diag->file_offset < (int64_t)n));
    }
    free(block);
    return s;
}

static npu_diag verify_parts(parts *m) {
    npu_diag diag;
    verify_copy(m->w.buf, m->w.n, 0, &diag);
    return diag;
}

/* ---- schema ---- */

TEST(schema_rows_are_consistent) {
    for (int32_t t = 1; t < NPU__T_COUNT; t++) {
        int32_t                  n;
        const npu__schema_field *f = npu__schema_fields(t, &n);
        CHECK(npu__schema_table_name(t)[0] != 0);
        for (int32_t i = 0; i < n; i++) {
            CHECK(f[i].name[0] != 0 && f[i].kind < NPU__K_COUNT);
            if (i) CHECK(f[i].slot > f[i - 1].slot);
            if (f[i].kind == NPU__K_TAB || f[i].kind == NPU__K_VTAB) CHECK(f[i].sub > 0 && f[i].sub < NPU__T_COUNT);
            if (f[i].kind == NPU__K_UNION) {
                CHECK(i > 0 && f[i - 1].kind == NPU__K_UTYPE && f[i - 1].slot == f[i].slot - 1);
                CHECK(f[i].sub == f[i - 1].sub && f[i].sub < NPU__U_COUNT);
            }
        }
    }
    CHECK_INT(NPU__S_Conv2DOptions_dilation_h_factor, 5);
    CHECK_INT(NPU__S_Operator_builtin_options_2, 12);
    CHECK_INT(NPU__S_ResizeBilinearOptions_align_corners, 2);
    CHECK_INT(NPU__S_SignatureDef_subgraph_index, 4);
}

TEST(schema_lookups) {
    int32_t  u, n;
    npu__str s;
    CHECK(npu__schema_fields(0, &n) == NULL && n == 0);
    CHECK(npu__schema_fields(NPU__T_COUNT, &n) == NULL && n == 0);
    CHECK(npu__schema_fields(NPU__T_PadOptions, &n) == NULL && n == 0);
    CHECK(npu__schema_fields(NPU__T_StablehloCaseOptions, &n) != NULL && n == 1);
    CHECK_STR(npu__builtin_name(3), "CONV_2D");
    CHECK_STR(npu__builtin_name(32), "CUSTOM");
    CHECK_STR(npu__builtin_name(209), "STABLEHLO_CASE");
    CHECK_STR(npu__builtin_name(210), "UNKNOWN");
    CHECK_STR(npu__builtin_name(-1), "UNKNOWN");
    CHECK_INT(npu__builtin_options_type(NPU__BUILTIN_CONV_2D, &u), 1);
    CHECK_INT(u, NPU__U_BuiltinOptions);
    CHECK_INT(npu__builtin_options_type(NPU__BUILTIN_SOFTMAX, &u), 9);
    CHECK_INT(npu__builtin_options_type(NPU__BUILTIN_RIGHT_SHIFT, &u), 126);
    CHECK_INT(npu__builtin_options_type(NPU__BUILTIN_DILATE, &u), 18);
    CHECK_INT(u, NPU__U_BuiltinOptions2);
    CHECK_INT(npu__builtin_options_type(NPU__BUILTIN_STABLEHLO_CASE, &u), 23);
    CHECK_INT(npu__builtin_options_type(NPU__BUILTIN_LOGISTIC, &u), 0);
    CHECK_INT(u, NPU__U_NONE);
    CHECK_INT(npu__builtin_options_type(-5, &u), 0);
    CHECK_INT(npu__union_table(NPU__U_SparseIndexVector, 3), NPU__T_Uint8Vector);
    CHECK_INT(npu__union_table(NPU__U_SparseIndexVector, 4), NPU__T_NONE);
    CHECK_INT(npu__union_table(NPU__U_BuiltinOptions, 0), NPU__T_NONE);
    CHECK_STR(npu__union_name(NPU__U_BuiltinOptions2), "BuiltinOptions2");
    s = npu__enum_name(NPU__E_Padding, 1);
    CHECK(npu__str_is(s, "VALID"));
    CHECK(npu__str_is(npu__enum_name(NPU__E_Padding, 0), "SAME"));
    CHECK(npu__str_is(npu__enum_name(NPU__E_ActivationFunctionType, 3), "RELU6"));
    CHECK(npu__str_is(npu__enum_name(NPU__E_CustomOptionsFormat, 0), "FLEXBUFFERS"));
    CHECK(npu__str_is(npu__enum_name(NPU__E_TensorType, 9), "INT8"));
    CHECK(npu__str_is(npu__enum_name(NPU__E_BuiltinOperator, 9), "FULLY_CONNECTED"));
    CHECK_INT(npu__enum_name(NPU__E_Padding, 2).n, 0);
    CHECK_INT(npu__enum_name(NPU__E_Padding, -1).n, 0);
    CHECK_INT(npu__enum_name(NPU__E_TensorType, 99).n, 0);
    CHECK_INT(npu__enum_name(NPU__E_NONE, 0).n, 0);
}

/* ---- identifier ---- */

static void check_identifier(const char *bytes, size_t n, const char *rule, const char *text) {
    npu_diag diag;
    CHECK_INT(verify_copy((const uint8_t *)bytes, n, 0, &diag), NPU_INVALID_MODEL);
    CHECK_STR(diag.rule, rule);
    CHECK_HAS(diag.text, text);
}

TEST(other_files_are_named) {
    npu_diag diag;
    npu__tab model;
    npu__diag_clear(&diag);
    CHECK_INT(npu__verify_model(NULL, 0, &model, &diag), NPU_INVALID_MODEL);
    CHECK_STR(diag.rule, "tflite.empty");
    CHECK_INT(npu__verify_model(NULL, 0, &model, NULL), NPU_INVALID_MODEL);
    check_identifier("", 0, "tflite.empty", "empty");
    check_identifier("abc", 3, "tflite.identifier", "3 bytes");
    check_identifier("PK\003\004..........", 14, "tflite.identifier", "ZIP");
    check_identifier("\037\213\010\0\0\0\0\0\0\0", 10, "tflite.identifier", "gzip");
    check_identifier("<!DOCTYPE html>", 15, "tflite.identifier", "web page");
    check_identifier("{\"a\": 1}", 8, "tflite.identifier", "JSON");
    check_identifier("{}", 2, "tflite.identifier", "JSON");
    check_identifier("version https://git-lfs.github.com/spec/v1", 42, "tflite.identifier", "LFS");
    check_identifier("\004\0\0\0CIR0", 8, "fb.vtable_range", "Model");
    check_identifier("\014\0\0\0ARMN\0\0\0\0\0\0\0\0\0\0\0\0", 20, "tflite.identifier", "\"ARMN\"");
    check_identifier("\014\0\0\0\020\0\0\0TFL3\0\0\0\0\0\0\0\0", 20, "tflite.identifier", "size prefix");
    check_identifier("\377\377\377\377\001\002\003\004\0\0\0\0", 12, "tflite.identifier", "1 2 3 4");
    check_identifier("\0\0\0\0TFL3", 8, "fb.offset_range", "Model");
    check_identifier("\004\0\0\0TFL3", 8, "fb.vtable_range", "Model");
    check_identifier("\010\0\0\0TFL3", 8, "fb.offset_range", "8 bytes");
}

/* ---- verifier ---- */

TEST(good_model_passes_at_any_address) {
    parts    m = make_model();
    npu_diag diag;
    for (size_t misalign = 0; misalign < 8; misalign++) {
        CHECK_INT(verify_copy(m.w.buf, m.w.n, misalign, &diag), NPU_OK);
        CHECK_STR(diag.text, "");
    }
    {
        npu__tab model, op;
        npu__diag_clear(&diag);
        CHECK_INT(npu__verify_model(m.w.buf, m.w.n, &model, &diag), NPU_OK);
        CHECK(model == m.w.buf + m.model);
        CHECK_INT(npu__tab_u32(model, NPU__S_Model_version, 0), 3);
        op = m.w.buf + m.op;
        CHECK(npu__operator_options(op, NPU__BUILTIN_SOFTMAX) == m.w.buf + m.options);
        CHECK(npu__operator_options(op, NPU__BUILTIN_CONV_2D) == NULL);
        CHECK(npu__operator_options(op, NPU__BUILTIN_LOGISTIC) == NULL);
        CHECK(npu__operator_options(op, NPU__BUILTIN_DILATE) == NULL);
        CHECK(npu__tab_f32(npu__operator_options(op, NPU__BUILTIN_SOFTMAX), NPU__S_SoftmaxOptions_beta, 0) == 1.0f);
        CHECK(npu__custom_options_span(m.w.buf, op).p == m.w.buf + m.custom);
        CHECK_INT(npu__custom_options_span(m.w.buf, op).n, 3);
        CHECK_INT(npu__buffer_span(m.w.buf, m.w.buf + m.buffer[1]).n, 4);
        CHECK(npu__buffer_span(m.w.buf, m.w.buf + m.buffer[0]).p == NULL);
    }
    parts_free(&m);
}

TEST(every_prefix_is_refused) {
    parts    m = make_model();
    npu_diag diag;
    for (size_t n = 0; n < m.w.n; n++) CHECK_INT(verify_copy(m.w.buf, n, n % 4, &diag), NPU_INVALID_MODEL);
    parts_free(&m);
}

/* Cut short, the file says by how much; one that is as long as it was is only damaged. */
TEST(truncated_files_say_so) {
    parts    m = make_model();
    npu_diag diag;
    size_t   named = 0, cuts = 0;
    for (size_t n = 12; n < m.w.n; n++, cuts++) {
        verify_copy(m.w.buf, n, 0, &diag);
        if (strcmp(diag.rule, "fb.truncated") != 0) continue;
        named++;
        CHECK_HAS(diag.text, "truncated: ");
        CHECK(strtoll(strstr(diag.text, "speaks of ") + 10, NULL, 10) <= (long long)m.w.n);
        CHECK_INT(strtoll(diag.text + 11, NULL, 10), (int64_t)n);
    }
    if (2 * named <= cuts) printf("    %d of %d named\n", (int)named, (int)cuts);
    CHECK(2 * named > cuts); /* in a file of tiny things; of real networks, 99 % are named */
    fbw_put(&m.w, m.tensors + 4, 0x7FFFFFF0, 4);
    CHECK_STR(verify_parts(&m).rule, "fb.offset_range"); /* one thing behind the end, and the rest whole */
    fbw_put(&m.w, m.tensors + 4, 0xFFFFFFF0, 4);
    CHECK_STR(verify_parts(&m).rule, "fb.offset_range"); /* no file is that long */
    parts_free(&m);
}

TEST(every_changed_byte_is_survived) {
    static const uint8_t values[] = {0x00, 0x01, 0x04, 0x7F, 0x80, 0xFC, 0xFF};
    parts                m = make_model();
    npu_diag             diag;
    for (size_t i = 0; i < m.w.n; i++) {
        uint8_t old = m.w.buf[i];
        for (size_t k = 0; k < sizeof values; k++) {
            m.w.buf[i] = values[k];
            verify_copy(m.w.buf, m.w.n, 0, &diag);
        }
        m.w.buf[i] = old;
    }
    parts_free(&m);
}

TEST(strings) {
    parts    m = make_model();
    npu_diag diag;
    fbw_put(&m.w, m.name - 4, 1 << 20, 4);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.string_range");
    CHECK_HAS(diag.text, "Tensor.name of Model.subgraphs[0].tensors[1]: string of 1048576 bytes at offset ");
    CHECK_INT(diag.file_offset, m.name - 4);
    CHECK_INT(diag.subgraph, 0);
    CHECK_INT(diag.op, -1);
    fbw_put(&m.w, m.name - 4, 0xFFFFFFFF, 4);
    CHECK_STR(verify_parts(&m).rule, "fb.string_range");
    fbw_put(&m.w, m.name - 4, 6, 4);
    m.w.buf[m.name + 6] = 'x';
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.string_end");
    CHECK_INT(diag.file_offset, m.name + 6);
    parts_free(&m);
}

TEST(vectors_and_offsets) {
    parts    m = make_model();
    npu_diag diag;
    fbw_put(&m.w, m.tensors - 4, 0x40000000, 4);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.vector_range");
    CHECK_HAS(diag.text, "SubGraph.tensors of Model.subgraphs[0]: vector of 1073741824 elements of 4 bytes");
    fbw_put(&m.w, m.tensors - 4, 2, 4);
    fbw_put(&m.w, m.tensors + 4, 0, 4);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.offset_range");
    CHECK_HAS(diag.text, "SubGraph.tensors[1] of Model.subgraphs[0]: the offset stored at");
    CHECK_INT(diag.file_offset, m.tensors + 4);
    fbw_put(&m.w, m.tensors + 4, 0x7FFFFFF0, 4);
    CHECK_STR(verify_parts(&m).rule, "fb.offset_range");
    fbw_put(&m.w, m.tensors + 4, m.w.n - 3 - (m.tensors + 4), 4);
    CHECK_STR(verify_parts(&m).rule, "fb.offset_range");
    parts_free(&m);
}

TEST(tables_and_vtables) {
    parts    m = make_model();
    npu_diag diag;
    uint8_t *vt = m.w.buf + m.op - npu__rd_i32(m.w.buf + m.op);
    size_t   vt_pos = (size_t)(vt - m.w.buf), back = m.op - vt_pos;
    fbw_put(&m.w, m.op, (uint64_t)-(int64_t)m.w.n, 4);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.vtable_range");
    CHECK_HAS(diag.text, "SubGraph.operators[0] of Model.subgraphs[0]: table at offset");
    CHECK_INT(diag.op, 0);
    fbw_put(&m.w, m.op, 0x7FFFFFFF, 4);
    CHECK_STR(verify_parts(&m).rule, "fb.vtable_range");
    fbw_put(&m.w, m.op, back, 4);
    fbw_put(&m.w, vt_pos, 5, 2);
    CHECK_STR(verify_parts(&m).rule, "fb.vtable_size");
    fbw_put(&m.w, vt_pos, 2, 2);
    CHECK_STR(verify_parts(&m).rule, "fb.vtable_size");
    fbw_put(&m.w, vt_pos, 0xFFFE, 2);
    CHECK_STR(verify_parts(&m).rule, "fb.vtable_size");
    fbw_put(&m.w, vt_pos, 4 + 2 * 12, 2);
    fbw_put(&m.w, vt_pos + 2, 0xFFFF, 2);
    CHECK_STR(verify_parts(&m).rule, "fb.table_size");
    fbw_put(&m.w, vt_pos + 2, 3, 2);
    CHECK_STR(verify_parts(&m).rule, "fb.table_size");
    fbw_put(&m.w, vt_pos + 2, 8, 2);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.field_range");
    CHECK_HAS(diag.text, "Operator.inputs of Model.subgraphs[0].operators[0]: field of 4 bytes at 8 in a table of 8");
    fbw_put(&m.w, vt_pos + 4, 2, 2);
    CHECK_STR(verify_parts(&m).rule, "fb.field_range");
    parts_free(&m);
}

TEST(unions) {
    parts    m = make_model();
    npu_diag diag;
    size_t   ref = at(&m, m.op, NPU__S_Operator_builtin_options);
    fbw_set(&m.w, m.op, NPU__S_Operator_builtin_options_type, 200, 1); /* unknown: not looked into */
    fbw_put(&m.w, m.options, 0x7FFFFFFF, 4);
    CHECK_STR(verify_parts(&m).text, "");
    CHECK(npu__operator_options(m.w.buf + m.op, NPU__BUILTIN_SOFTMAX) == NULL);
    fbw_put(&m.w, ref, 0x7FFFFFFF, 4); /* but it must lie inside */
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "fb.offset_range");
    CHECK_HAS(diag.text, "Operator.builtin_options of Model.subgraphs[0].operators[0]");
    fbw_put(&m.w, ref, m.options - ref, 4);
    fbw_set(&m.w, m.op, NPU__S_Operator_builtin_options_type, 9, 1);
    CHECK_STR(verify_parts(&m).rule, "fb.vtable_range");
    parts_free(&m);
}

TEST(bytes_stored_by_offset) {
    parts     m = make_model();
    npu_diag  diag;
    npu__span s;
    fbw_set(&m.w, m.buffer[1], NPU__S_Buffer_offset, 1, 8);
    fbw_set(&m.w, m.buffer[1], NPU__S_Buffer_size, ~(uint64_t)0, 8);
    CHECK_STR(verify_parts(&m).text, "");
    fbw_set(&m.w, m.buffer[1], NPU__S_Buffer_offset, 2, 8);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "tflite.buffer_range");
    CHECK_HAS(diag.text, "Buffer of Model.buffers[1]");
    fbw_set(&m.w, m.buffer[1], NPU__S_Buffer_offset, ~(uint64_t)0, 8);
    fbw_set(&m.w, m.buffer[1], NPU__S_Buffer_size, 2, 8);
    CHECK_STR(verify_parts(&m).rule, "tflite.buffer_range");
    fbw_set(&m.w, m.buffer[1], NPU__S_Buffer_offset, m.w.n - 2, 8);
    CHECK_STR(verify_parts(&m).text, "");
    CHECK_INT(npu__buffer_span(m.w.buf, m.w.buf + m.buffer[1]).n, 4); /* the vector wins */
    fbw_put(&m.w, m.buffer[1] - (size_t)npu__rd_i32(m.w.buf + m.buffer[1]) + 4, 0, 2); /* now the vector is absent */
    CHECK_STR(verify_parts(&m).text, "");
    s = npu__buffer_span(m.w.buf, m.w.buf + m.buffer[1]);
    CHECK(s.p == m.w.buf + m.w.n - 2 && s.n == 2);
    fbw_set(&m.w, m.op, NPU__S_Operator_large_custom_options_offset, 8, 8);
    fbw_set(&m.w, m.op, NPU__S_Operator_large_custom_options_size, m.w.n - 7, 8);
    diag = verify_parts(&m);
    CHECK_STR(diag.rule, "tflite.custom_range");
    CHECK_INT(diag.op, 0);
    parts_free(&m);
}

/* n subgraphs that are all the same one, of n tensors that are all the same one. */
TEST(sharing_is_bounded) {
    enum { N = 20000 };
    npu_diag diag;
    fbw      w;
    size_t   model, subgraphs, subgraph, tensors, tensor;
    w.n = 0;
    w.cap = 1 << 20;
    w.buf = (uint8_t *)calloc(1, w.cap);
    fbw_add(&w, 0, 4);
    memcpy(w.buf + fbw_add(&w, 0, 4), "TFL3", 4);
    model = fbw_table(&w, 0, "444");
    fbw_put(&w, 0, model, 4);
    fbw_vec(&w, fbw_field(&w, model, NPU__S_Model_operator_codes), 0, 4);
    subgraphs = fbw_vec(&w, fbw_field(&w, model, NPU__S_Model_subgraphs), N, 4);
    subgraph = fbw_table(&w, subgraphs, "4");
    tensors = fbw_vec(&w, fbw_field(&w, subgraph, NPU__S_SubGraph_tensors), N, 4);
    tensor = fbw_table(&w, tensors, "4");
    fbw_vec(&w, fbw_field(&w, tensor, NPU__S_Tensor_shape), 4, 4);
    for (size_t i = 0; i < N; i++) {
        fbw_put(&w, subgraphs + 4 * i, subgraph - (subgraphs + 4 * i), 4);
        fbw_put(&w, tensors + 4 * i, tensor - (tensors + 4 * i), 4);
    }
    CHECK_INT(verify_copy(w.buf, w.n, 0, &diag), NPU_INVALID_MODEL);
    CHECK_STR(diag.rule, "fb.too_complex");
    fbw_put(&w, subgraphs - 4, 1, 4); /* one subgraph whose tensors share one table is fine */
    CHECK_INT(verify_copy(w.buf, w.n, 0, &diag), NPU_OK);
    free(w.buf);
}

TEST(first_failure_wins) {
    npu_diag diag;
    npu__tab model;
    npu__diag_clear(&diag);
    npu__diag_fail(&diag, NPU_LIMIT, "earlier", "x");
    npu__verify_model((const uint8_t *)"\0\0\0\0TFL3", 8, &model, &diag);
    CHECK_STR(diag.rule, "earlier");
    CHECK_INT(diag.file_offset, -1);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(schema_rows_are_consistent);
    RUN(schema_lookups);
    RUN(other_files_are_named);
    RUN(good_model_passes_at_any_address);
    RUN(every_prefix_is_refused);
    RUN(truncated_files_say_so);
    RUN(every_changed_byte_is_survived);
    RUN(strings);
    RUN(vectors_and_offsets);
    RUN(tables_and_vtables);
    RUN(unions);
    RUN(bytes_stored_by_offset);
    RUN(sharing_is_bounded);
    RUN(first_failure_wins);
    return REPORT();
}
