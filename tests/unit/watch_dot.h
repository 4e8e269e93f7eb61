/* npu_model_dump in Graphviz's language: subgraphs, calls, constants, hostile names, and writers and allocators that fail. */
#ifndef TESTS_UNIT_WATCH_DOT_H
#define TESTS_UNIT_WATCH_DOT_H

static char   drawn[1 << 16];
static size_t drawn_bytes, drawn_most;

static int draw(void *user, const char *text, size_t n) {
    (void)user;
    if (drawn_bytes + n > drawn_most) return 1;
    memcpy(drawn + drawn_bytes, text, n);
    drawn_bytes += n;
    drawn[drawn_bytes] = 0;
    return 0;
}

static npu_status dot_of(const mk *m, size_t most, npu_diag *diag) {
    npu_writer     w;
    npu_model     *model;
    size_t         n;
    const uint8_t *bytes = mk_file(m, &n);
    npu_status     s = npu_model_open(&model, bytes, n, NULL, diag);
    w.user = NULL;
    w.write = draw;
    drawn_bytes = 0;
    drawn[0] = 0;
    drawn_most = most;
    TRY(npu_model_dump(model, NPU_FORMAT_DOT, &w, diag));
    npu_model_close(model);
    return s;
}

TEST(dot_has_subgraphs_and_calls) {
    static mk m;
    npu_diag  d;
    make_loop(&m);
    CHECK_INT(dot_of(&m, sizeof drawn - 1, &d), NPU_OK);
    CHECK_HAS(drawn, "digraph model {\n");
    CHECK_HAS(drawn, "  subgraph cluster_2 {\n");
    CHECK_HAS(drawn, "  s0n0 -> s1 [style=dashed, lhead=cluster_1, label=\"cond\"];\n");
    CHECK_HAS(drawn, "  s0n0 -> s2 [style=dashed, lhead=cluster_2, label=\"body\"];\n");
    CHECK_HAS(drawn, "    s2n0 [label=\"0 ADD\\nINT32[1] t\"];\n");
    CHECK_HAS(drawn, "  s2i0 -> s2n0 [label=\"INT32[1]\", tooltip=\"t0 t\"];\n");
    CHECK_HAS(drawn, "  s0n0 -> s0o0 [label=\"INT32[1]\", tooltip=\"t1 t\"];\n");
    CHECK(strcmp(drawn + drawn_bytes - 2, "}\n") == 0);
    m.g[0].op[0].value[0] = -1; /* subgraphs that do not exist are called by nobody */
    m.g[0].op[0].value[1] = 3;
    CHECK_INT(dot_of(&m, sizeof drawn - 1, &d), NPU_OK);
    CHECK(strstr(drawn, "dashed") == NULL);
    make_loop(&m);
    CHECK_INT(dot_of(&m, 10, &d), NPU_RUNTIME);
    CHECK_STR(d.rule, "report.write");
}

TEST(dot_escapes_names) {
    static mk   m;
    static char long_name[1500];
    npu_diag    d;
    const char *p;
    int         quotes = 0;
    make_chain(&m);
    memset(long_name, 'x', sizeof long_name - 1);
    m.g[0].t[0].name = "a\"];\nevil -> \\\" \x01\xFF\xC3\xA4";
    m.g[0].t[6].name = "\\";
    m.g[0].t[4].name = long_name;
    mk_node(&m, 0, MK_CUSTOM, 0, -9, -9, 7)->custom = "my\"op";
    CHECK_INT(dot_of(&m, sizeof drawn - 1, &d), NPU_OK);
    CHECK_HAS(drawn, "a\\\"];?evil -> \\\\\\\" ??\xC3\xA4");
    CHECK_HAS(drawn, "    s0n5 [label=\"5 my\\\"op\", color=red];\n");
    CHECK_HAS(drawn, "FLOAT32[4] \\\\\"];\n");
    CHECK_HAS(drawn, "xxx...\\nFLOAT32[4]\"];\n");
    /* On each line the quotes that are not escaped come in pairs. */
    for (p = drawn; *p; p++) {
        if (*p == '\\') p++;
        else if (*p == '"') quotes++;
        else if (*p == '\n') CHECK(quotes % 2 == 0);
    }
}

/* Ten constants of a CONCATENATION, of which eight are listed; an optional input that is left out; a variable. */
TEST(dot_lists_constants) {
    static mk m;
    npu_diag  d;
    mk_op    *o;
    mk_init(&m);
    mk_in(&m, 0, mk_t(&m, 0, NPU_FLOAT32, 4, -1, -1, -1));
    mk_out(&m, 0, mk_t(&m, 0, NPU_FLOAT32, 40, -1, -1, -1));
    o = mk_node(&m, 0, MK_CONCAT, 0, -9, -9, 1);
    for (int i = 0; i < 10; i++) o->in[o->n_in++] = mk_const(&m, 0, NPU_FLOAT32, 4, -1, weights, sizeof weights);
    o->in[o->n_in++] = -1;
    m.g[0].t[mk_t(&m, 0, NPU_FLOAT32, 4, -1, -1, -1)].variable = 1;
    mk_node(&m, 0, MK_NEG, 12, -9, -9, mk_t(&m, 0, NPU_FLOAT32, 4, -1, -1, -1));
    if (!CHECK_INT(dot_of(&m, sizeof drawn - 1, &d), NPU_OK)) printf("    %s\n", d.text);
    CHECK_HAS(drawn, "\\nand 2 more\"];\n");
    CHECK_HAS(drawn, "1 NEG\\nvariable FLOAT32[4] t\"];\n");
}

TEST(dot_without_memory) {
    static mk      m;
    counter        c;
    npu_model_desc md;
    npu_model     *model = NULL;
    npu_writer     w;
    npu_diag       d;
    size_t         n;
    const uint8_t *bytes;
    make_loop(&m);
    bytes = mk_file(&m, &n);
    memset(&md, 0, sizeof md);
    md.allocator = counted(&c, 0);
    CHECK_INT(npu_model_open(&model, bytes, n, &md, &d), NPU_OK);
    c.fail_at = c.calls + 1;
    w.user = NULL;
    w.write = draw;
    drawn_bytes = 0;
    drawn_most = sizeof drawn - 1;
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_DOT, &w, &d), NPU_OUT_OF_MEMORY);
    CHECK_STR(d.rule, "api.memory");
    npu_model_close(model);
    CHECK(c.live == 0);
}

static void run_dot_tests(void) {
    RUN(dot_has_subgraphs_and_calls);
    RUN(dot_escapes_names);
    RUN(dot_lists_constants);
    RUN(dot_without_memory);
}

#endif
