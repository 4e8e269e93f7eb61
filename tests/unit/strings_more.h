/* What operators on strings and tables refuse, and the largest they take. Part of test_strings.c. */
#ifndef TESTS_UNIT_STRINGS_MORE_H
#define TESTS_UNIT_STRINGS_MORE_H

/* A tensor: type and up to two dimensions, -1: none. */
typedef struct spot {
    npu_type type;
    int32_t  a, b;
} spot;

typedef struct refusal {
    const char *op;
    int32_t     n_in, n_out;
    spot        in[4], out[2];
    const char *option[3];
    int64_t     value[3];
    npu_status  want;
    const char *rule;
} refusal;

#define STRINGS(n) {NPU_STRING, n, -1}
#define INTS(n) {NPU_INT32, n, -1}
#define LONGS(n) {NPU_INT64, n, -1}
#define FLOATS(n) {NPU_FLOAT32, n, -1}
#define HANDLE {NPU_RESOURCE, 1, -1}
#define TWO_HANDLES {NPU_RESOURCE, 2, -1}
#define NO_OPTIONS {NULL, NULL, NULL}, {0, 0, 0}
#define TABLE(key, value) {"key_dtype", "value_dtype", NULL}, {key, value, 0}
#define BAD NPU_INVALID_MODEL
#define NOT_DONE NPU_UNSUPPORTED

static const refusal REFUSALS[] = {
    {"GATHER_ND", 2, 1, {STRINGS(2), {NPU_INT8, 1, 1}}, {STRINGS(1)}, NO_OPTIONS, NOT_DONE, "op.type"},
    {"GATHER", 2, 1, {STRINGS(2), STRINGS(2)}, {STRINGS(2)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"GATHER", 2, 1, {FLOATS(2), STRINGS(2)}, {FLOATS(2)}, NO_OPTIONS, NOT_DONE, "op.type"},
    {"RESHAPE", 1, 1, {STRINGS(2)}, {INTS(2)}, {"new_shape", NULL, NULL}, {2, 0, 0}, NOT_DONE, "op.types"},
    {"SQUEEZE", 1, 1, {INTS(2)}, {STRINGS(2)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"LESS", 2, 1, {STRINGS(2), STRINGS(2)}, {{NPU_BOOL, 2, -1}}, NO_OPTIONS, NOT_DONE, "op.unsized"},
    {"EQUAL", 2, 1, {STRINGS(2), INTS(2)}, {{NPU_BOOL, 2, -1}}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"EQUAL", 2, 1, {STRINGS(2), STRINGS(2)}, {STRINGS(2)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE", 0, 1, {HANDLE}, {INTS(1)}, TABLE(NPU_INT64, NPU_STRING), NOT_DONE, "op.types"},
    {"HASHTABLE", 0, 1, {HANDLE}, {HANDLE}, TABLE(NPU_STRING, NPU_STRING), NOT_DONE, "hashtable.types"},
    {"HASHTABLE_IMPORT", 3, 0, {INTS(1), LONGS(2), STRINGS(2)}, {HANDLE}, NO_OPTIONS, BAD, "hashtable.handle"},
    {"HASHTABLE_IMPORT", 3, 0, {TWO_HANDLES, LONGS(2), STRINGS(2)}, {HANDLE}, NO_OPTIONS, BAD, "hashtable.handle"},
    {"HASHTABLE_IMPORT", 3, 0, {HANDLE, LONGS(2), LONGS(2)}, {HANDLE}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_IMPORT", 3, 0, {HANDLE, LONGS(2), STRINGS(3)}, {HANDLE}, NO_OPTIONS, BAD, "hashtable_import.count"},
    {"HASHTABLE_FIND", 3, 1, {INTS(1), LONGS(2), STRINGS(1)}, {STRINGS(2)}, NO_OPTIONS, BAD, "hashtable.handle"},
    {"HASHTABLE_FIND", 3, 1, {HANDLE, LONGS(2), LONGS(1)}, {LONGS(2)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_FIND", 3, 1, {HANDLE, LONGS(2), STRINGS(1)}, {LONGS(2)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_FIND", 3, 1, {HANDLE, LONGS(2), STRINGS(0)}, {STRINGS(2)}, NO_OPTIONS, BAD, "hashtable_find.default"},
    {"HASHTABLE_FIND", 3, 1, {HANDLE, STRINGS(1 << 28), LONGS(1)}, {LONGS(1)}, NO_OPTIONS, NPU_LIMIT, "plan.memory"},
    {"HASHTABLE_FIND", 3, 1, {HANDLE, LONGS((1 << 27) + 9), STRINGS(1)}, {STRINGS(1)}, NO_OPTIONS, NPU_LIMIT, "plan.memory"},
    {"HASHTABLE_SIZE", 1, 1, {HANDLE}, {INTS(1)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_SIZE", 1, 1, {LONGS(1)}, {LONGS(1)}, NO_OPTIONS, BAD, "hashtable.handle"},
    {"HASHTABLE_LOOKUP", 3, 2, {INTS(3), INTS(2), STRINGS(3)}, {STRINGS(3), {NPU_UINT8, 3, -1}}, NO_OPTIONS, BAD,
     "hashtable_lookup.count"},
    {"HASHTABLE_LOOKUP", 3, 2, {LONGS(3), INTS(2), STRINGS(2)}, {STRINGS(3), {NPU_UINT8, 3, -1}}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_LOOKUP", 3, 2, {INTS(3), LONGS(2), STRINGS(2)}, {STRINGS(3), {NPU_UINT8, 3, -1}}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_LOOKUP", 3, 2, {INTS(3), INTS(2), STRINGS(2)}, {STRINGS(3), INTS(3)}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_LOOKUP", 3, 2, {INTS(3), INTS(2), STRINGS(2)}, {FLOATS(3), {NPU_UINT8, 3, -1}}, NO_OPTIONS, NOT_DONE, "op.types"},
    {"HASHTABLE_LOOKUP", 3, 2, {INTS(3), INTS(2), {NPU_RESOURCE, 2, -1}}, {{NPU_RESOURCE, 3, -1}, {NPU_UINT8, 3, -1}}, NO_OPTIONS,
     NOT_DONE, "op.types"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 33}, INTS(3)}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, BAD, "lsh_projection.bits"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 2}, INTS(0)}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, BAD, "lsh_projection.rows"},
    {"LSH_PROJECTION", 3, 1, {{NPU_FLOAT32, 1, 2}, INTS(3), FLOATS(2)}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, BAD,
     "lsh_projection.weight"},
    {"LSH_PROJECTION", 3, 1, {{NPU_FLOAT32, 1, 2}, INTS(3), {NPU_FLOAT32, 3, 1}}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, BAD,
     "lsh_projection.weight"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 2}, INTS(3)}, {INTS(1)}, NO_OPTIONS, BAD, "lsh_projection.type"},
    {"LSH_PROJECTION", 2, 1, {{NPU_INT32, 1, 2}, INTS(3)}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, NOT_DONE, "op.types"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 2}, INTS(3)}, {FLOATS(1)}, {"type", NULL, NULL}, {1, 0, 0}, NOT_DONE, "op.types"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 2}, STRINGS(3)}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, NOT_DONE, "op.unsized"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 2}, HANDLE}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, NOT_DONE, "op.types"},
    {"LSH_PROJECTION", 3, 1, {{NPU_FLOAT32, 1, 2}, INTS(3), INTS(3)}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, NOT_DONE, "op.types"},
    {"LSH_PROJECTION", 2, 1, {{NPU_FLOAT32, 1, 2}, {NPU_INT64, 1, (1 << 27) + 1}}, {INTS(1)}, {"type", NULL, NULL}, {1, 0, 0}, NPU_LIMIT,
     "plan.memory"},
    {"SKIP_GRAM", 1, 1, {INTS(1)}, {STRINGS(1)}, NO_OPTIONS, BAD, "skip_gram.input"},
    {"SKIP_GRAM", 1, 1, {STRINGS(0)}, {STRINGS(1)}, NO_OPTIONS, BAD, "skip_gram.input"},
};

static void refuse(const refusal *r) {
    int32_t     in[4], out[2];
    npu_op_desc o;
    net         n;
    net_begin(&n, NULL);
    for (int32_t i = 0; i < r->n_in; i++) in[i] = net_tensor(&n, r->in[i].type, r->in[i].a, r->in[i].b, NULL, 0);
    for (int32_t i = 0; i < r->n_out; i++) out[i] = net_tensor(&n, r->out[i].type, r->out[i].a, r->out[i].b, NULL, 0);
    o = op_desc(r->op, in, r->n_in, out, r->n_out);
    if (n.s == NPU_OK) n.s = npu_graph_op(n.g, n.sub, &o, NULL, &n.d);
    for (int i = 0; i < 3 && r->option[i]; i++) {
        const int64_t list = r->value[i];
        if (strcmp(r->option[i], "new_shape") != 0) net_option(&n, 0, r->option[i], r->value[i]);
        else if (n.s == NPU_OK) n.s = npu_graph_option_ints(n.g, n.sub, 0, r->option[i], &list, 1, &n.d);
    }
    if (n.s == NPU_OK) n.s = npu_graph_inputs(n.g, n.sub, in, r->n_in, &n.d);
    if (n.s == NPU_OK) n.s = npu_graph_outputs(n.g, n.sub, r->n_out ? out : in, 1, &n.d);
    net_start(&n, NULL, NULL);
    if (!CHECK_INT(n.s, r->want) || strcmp(n.d.rule, r->rule) != 0) {
        printf("    %s: %s, %s\n", r->op, n.d.rule, n.d.text);
        CHECK_STR(n.d.rule, r->rule);
    }
    net_end(&n);
}

TEST(operators_refused) {
    const int32_t two = 2;
    int32_t       x, k, y;
    net           n;
    net_begin(&n, NULL);
    x = net_tensor(&n, NPU_STRING, 2, -1, NULL, 0);
    k = net_ints(&n, &two, 1);
    y = net_tensor(&n, NPU_INT32, 4, -1, NULL, 0);
    net_op(&n, "TILE", x, k, -1, y);
    net_io(&n, x, y);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_UNSUPPORTED);
    CHECK_STR(n.d.rule, "op.types");
    net_end(&n);
    for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; i++) refuse(&REFUSALS[i]);
}

/* More bytes than offsets reach, more numbers than memory: said before anything is taken. */
TEST(large_outputs) {
    static char text[600000];
    net         n;
    memset(text, 'x', sizeof text - 1);
    make_tile(&n, 4000, NULL);
    net_start(&n, NULL, NULL);
    CHECK_INT(net_feed(&n, text, "y"), NPU_LIMIT);
    CHECK_STR(n.d.rule, "op.string_bytes");
    net_end(&n);
    make_tile(&n, 1 << 27, NULL);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_LIMIT);
    CHECK_STR(n.d.rule, "plan.memory");
    net_end(&n);
    /* Groups of very many words, of which there are as many. */
    for (size_t i = 0; i + 1 < sizeof text; i += 2) text[i] = ' ';
    make_mover(&n, "SKIP_GRAM", NULL, 0, 1, NULL);
    net_option(&n, 0, "ngram_size", 65);
    net_start(&n, NULL, NULL);
    CHECK_INT(net_feed(&n, text, ""), NPU_UNSUPPORTED);
    CHECK_STR(n.d.rule, "skip_gram.size");
    CHECK_INT(net_feed(&n, "few words", ""), NPU_OK);
    net_end(&n);
}

/* The file declares numbers where the operator gives strings: nothing else in it is a string that is written. */
TEST(declared_as_numbers) {
    static const char *const words[2] = {"a", "b"};
    const int32_t            zero = 0;
    int32_t                  k, axis, y;
    net                      n;
    net_begin(&n, NULL);
    k = net_strings(&n, 2, words, 2);
    axis = net_ints(&n, &zero, 1);
    y = net_tensor(&n, NPU_FLOAT32, 1, 2, NULL, 0);
    net_op(&n, "EXPAND_DIMS", k, axis, -1, y);
    net_io(&n, -1, y);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(npu_session_invoke(n.session, &n.d), NPU_OK);
    CHECK_STR(net_out(&n, 1), "b");
    net_end(&n);
    net_begin(&n, NULL);
    k = net_strings(&n, 2, words, 2);
    axis = net_ints(&n, &zero, 1);
    y = net_tensor(&n, NPU_FLOAT32, 1, -1, NULL, 0);
    net_op(&n, "GATHER", k, axis, -1, y);
    net_io(&n, -1, y);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(npu_session_invoke(n.session, &n.d), NPU_OK);
    CHECK_STR(net_out(&n, 0), "a");
    net_end(&n);
}

TEST(tables_mixed) {
    net n;
    make_mixed(&n);
    net_start(&n, NULL, NULL);
    CHECK_INT(n.s, NPU_OK);
    CHECK_INT(net_feed(&n, "a", "b"), NPU_RUNTIME);
    CHECK_STR(n.d.rule, "hashtable_find.types");
    net_end(&n);
}

/* Nobody gives strings: every operator takes empty ones. */
TEST(unset_inputs) {
    net n;
    for (int k = 0; k < MADE; k++) {
        MAKE[k](&n, NULL);
        net_start(&n, NULL, NULL);
        CHECK_INT(npu_session_invoke(n.session, &n.d), NPU_OK);
        net_end(&n);
    }
}

TEST(projections_stopped) {
    static float     seeds[4];
    npu_session_desc sd;
    npu_status       s = NPU_CANCELLED;
    int32_t          in[2], out;
    npu_op_desc      o;
    net              n;
    memset(&sd, 0, sizeof sd);
    sd.cancel = stop;
    net_begin(&n, NULL);
    in[0] = net_tensor(&n, NPU_FLOAT32, 2, 2, seeds, sizeof seeds);
    in[1] = net_tensor(&n, NPU_INT32, 30000, 4, NULL, 0);
    out = net_tensor(&n, NPU_INT32, 2, -1, NULL, 0);
    o = op_desc("LSH_PROJECTION", in, 2, &out, 1);
    if (n.s == NPU_OK) n.s = npu_graph_op(n.g, n.sub, &o, NULL, &n.d);
    net_option(&n, 0, "type", 1);
    net_io(&n, in[1], out);
    net_start(&n, NULL, &sd);
    CHECK_INT(n.s, NPU_OK);
    for (int after = 0; s == NPU_CANCELLED && after < 100; after++) {
        stop_after = after;
        s = npu_session_invoke(n.session, &n.d);
    }
    CHECK_INT(s, NPU_OK);
    net_end(&n);
}

#endif
