/* Operators that this build has no kernel for: all of them are named at once. */
#ifndef TESTS_UNIT_RUNTIME_MISSING_H
#define TESTS_UNIT_RUNTIME_MISSING_H

#include "runtime_api.h"

/* Node of a builtin code, or of a custom operator's name, that reads input 0 and writes a tensor of its own. */
static void add_missing(mk *m, int graph, int code, const char *custom) {
    mk_op *op = mk_node(m, graph, custom ? MK_CUSTOM : code, 0, -9, -9, mk_t(m, graph, NPU_FLOAT32, 2, 3, -1, -1));
    op->custom = custom;
}

static npu_diag plan_missing(const mk *m, npu_missing_op *out, int32_t cap, int32_t *count) {
    size_t         n;
    const uint8_t *bytes = mk_file(m, &n);
    npu_model     *model = NULL;
    npu_plan      *plan;
    npu_diag       d;
    CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), NPU_OK);
    *count = npu_model_missing(model, out, cap);
    CHECK_INT(npu_model_missing(model, NULL, 5), *count);
    CHECK_INT(npu_plan_create(&plan, model, NULL, NULL), *count ? NPU_UNSUPPORTED : NPU_OK);
    npu_plan_destroy(plan);
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), *count ? NPU_UNSUPPORTED : NPU_OK);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return d;
}

TEST(missing_operators) {
    static mk      m;
    npu_missing_op list[3];
    npu_diag       d;
    int32_t        n;
    make_add(&m);
    plan_missing(&m, list, 3, &n);
    CHECK_INT(n, 0);
    add_missing(&m, 0, 0, "Mine");
    d = plan_missing(&m, list, 3, &n);
    CHECK_INT(n, 1);
    CHECK_STR(d.text, "Mine (subgraph 0, operator 1): this build has no kernel for custom operator \"Mine\"; register your own: "
              "npu_model_desc.operators");
    add_missing(&m, 0, 29, NULL); /* CONCAT_EMBEDDINGS */
    add_missing(&m, 0, 0, "Mine");
    add_missing(&m, 0, 0, "mine");
    d = plan_missing(&m, list, 3, &n);
    CHECK_INT(n, 3);
    CHECK_STR(d.rule, "op.unknown");
    CHECK_STR(d.op_name, "Mine");
    CHECK_INT(d.subgraph, 0);
    CHECK_INT(d.op, 1);
    CHECK(strstr(d.text, "for 3 operators: custom operator \"Mine\" x2, ") != NULL);
    CHECK(strstr(d.text, ", custom operator \"mine\"") != NULL);
    CHECK(list[0].custom && list[0].count == 2 && list[0].op == 1 && list[0].name_len == 4);
    CHECK(!list[1].custom && list[1].count == 1 && list[1].op == 2);
    CHECK(list[2].custom && list[2].subgraph == 0 && list[2].op == 4);
}

TEST(many_missing_operators) {
    static mk   m;
    static char name[44][2][1100];
    npu_diag    d;
    int32_t     n;
    npu_missing_op list[70];
    make_add(&m);
    m.n_graphs = 44;
    for (int g = 1; g < 44; g++) {
        m.g[g] = m.g[0];
        for (int k = 0; k < 2; k++) {
            snprintf(name[g][k], sizeof name[g][k], "Operator%d", 2 * g + k);
            add_missing(&m, g, 0, name[g][k]);
        }
    }
    d = plan_missing(&m, list, 70, &n);
    CHECK_INT(n, 64); /* of 86 */
    CHECK(strstr(d.text, "for 64 operators: custom operator \"Operator2\", ") != NULL);
    CHECK(strstr(d.text, " more") != NULL);
    CHECK(list[63].name_len == 8 && memcmp(list[63].name, "(others)", 8) == 0);
    CHECK_INT(list[63].count, 23);
    CHECK_INT(list[62].count, 1);
    m.n_graphs = 3; /* long names: told apart by their first 1024 bytes */
    for (int i = 0; i < 4; i++) memset(name[1 + i / 2][i % 2], 'a', 1099);
    name[1][1][1050] = 'b';
    name[2][0][1000] = 'b';
    name[2][1][1090] = 0;
    d = plan_missing(&m, list, 70, &n);
    CHECK_INT(n, 2);
    CHECK_INT(list[0].count, 3);
    CHECK(strlen(d.text) < sizeof d.text - 1);
}

#endif
