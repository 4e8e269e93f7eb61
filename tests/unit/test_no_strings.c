/* NPU_RT_NO_STRINGS: a diagnostic has rule, place and the operator's name, and no prose. NPU_RT_ONLY_OPS: builtin and custom
 * operators stay by name, and what is not named is missing. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_NO_STRINGS
#define NPU_RT_NO_REPORTS
#define NPU_RT_ONLY_OPS(X) X(RELU) X(SignalEnergy) X(TFLite_Detection_PostProcess)
#include "npu_rt.h"

#include "model_maker.h"
#include "test.h"

static mk     model;
static size_t n_bytes;

static const char *name_of(int code, const char *custom) { return custom ? custom : code == MK_RELU ? "RELU" : "NEG"; }

/* Opens and plans a model of one operator, input and output being int8 [1, 4]. */
static npu_status plan_of(int code, const char *custom, npu_diag *diag, const char **keep) {
    const uint8_t *file;
    npu_model     *m = NULL;
    npu_plan      *plan = NULL;
    npu_status     s;
    npu_op         op;
    int            in, out;
    mk_init(&model);
    in = mk_t(&model, 0, NPU_INT8, 1, 4, -1, -1);
    out = mk_t(&model, 0, NPU_INT8, 1, 4, -1, -1);
    mk_in(&model, 0, in);
    mk_out(&model, 0, out);
    mk_node(&model, 0, code, in, -9, -9, out)->custom = custom;
    file = mk_file(&model, &n_bytes);
    s = npu_model_open(&m, file, n_bytes, NULL, diag);
    if (s == NPU_OK) {
        CHECK_INT(npu_model_op_count(m, 0), 1);
        CHECK_INT(npu_model_op(m, 0, 0, &op), NPU_OK);
        CHECK_INT(op.code, code);
        CHECK_INT(op.name_len, strlen(name_of(code, custom)));
        CHECK(memcmp(op.name, name_of(code, custom), op.name_len) == 0);
        *keep = op.keep;
        s = npu_plan_create(&plan, m, NULL, diag);
    }
    npu_plan_destroy(plan);
    npu_model_close(m);
    return s;
}

static void fails(int code, const char *custom, npu_status want, const char *rule, const char *name, const char *keep) {
    npu_diag    diag;
    const char *kept = "?";
    CHECK_INT(plan_of(code, custom, &diag, &kept), want);
    CHECK_INT(diag.status, want);
    CHECK_STR(diag.rule, rule);
    CHECK_STR(diag.op_name, name);
    CHECK_STR(diag.text, "");
    CHECK_INT(diag.subgraph, 0);
    CHECK_INT(diag.op, 0);
    if (keep) CHECK_STR(kept, keep);
    else CHECK(kept == NULL);
}

TEST(diagnostics_name_the_operator) {
    fails(MK_RELU, NULL, NPU_INVALID_MODEL, "op.quant_missing", "RELU", "RELU");
    fails(MK_NEG, NULL, NPU_UNSUPPORTED, "op.unknown", "NEG", NULL);
    fails(MK_CUSTOM, "SignalEnergy", NPU_INVALID_MODEL, "op.rank", "SignalEnergy", "SignalEnergy");
    fails(MK_CUSTOM, "SignalRfft", NPU_UNSUPPORTED, "op.unknown", "SignalRfft", NULL);
    fails(MK_CUSTOM, "SignalEnergy2", NPU_UNSUPPORTED, "op.unknown", "SignalEnergy2", NULL);
    fails(MK_CUSTOM, "", NPU_UNSUPPORTED, "op.unknown", "", NULL);
    fails(MK_CUSTOM, "TFLite_Detection_PostProcess", NPU_INVALID_MODEL, "op.input_count", "TFLite_Detection_PostProcess",
          "TFLite_Detection_PostProcess");
    fails(MK_CUSTOM, "an operator whose name is longer than there is room", NPU_UNSUPPORTED, "op.unknown",
          "an operator whose name is longer than t", NULL);
    fails(MK_CUSTOM, "ethos-u", NPU_INVALID_MODEL, "op.input_count", "ethos-u", "");
}

TEST(operators_one_by_one) {
    const uint8_t *file;
    npu_model     *m = NULL;
    npu_op         op;
    mk_init(&model);
    mk_in(&model, 0, mk_t(&model, 0, NPU_INT8, 1, 4, -1, -1));
    file = mk_file(&model, &n_bytes);
    CHECK_INT(npu_model_open(&m, file, n_bytes, NULL, NULL), NPU_OK);
    CHECK_INT(npu_model_op_count(m, 0), 0);
    CHECK_INT(npu_model_op_count(m, 1), -1);
    CHECK_INT(npu_model_op_count(m, -1), -1);
    CHECK_INT(npu_model_op(m, 0, 0, &op), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_op(m, 0, -1, &op), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_op(m, 5, 0, &op), NPU_INVALID_ARGUMENT);
    npu_model_close(m);
}

/* Vendors that lower nothing have no names without reports: where another one lowers, they are unknown, else all are. */
TEST(backends) {
    const uint8_t *file;
    npu_model     *m = NULL;
    npu_plan      *plan = NULL;
    npu_plan_desc  pd;
    npu_diag       diag;
    int            in;
    memset(&pd, 0, sizeof pd);
    mk_init(&model);
    in = mk_t(&model, 0, NPU_INT8, 1, 4, -1, -1);
    mk_in(&model, 0, in);
    mk_out(&model, 0, in);
    file = mk_file(&model, &n_bytes);
    CHECK_INT(npu_model_open(&m, file, n_bytes, NULL, &diag), NPU_OK);
    pd.backend = "ethos-u55-128";
    CHECK_INT(npu_plan_create(&plan, m, &pd, &diag), NPU__HAS_LOWERING ? NPU_INVALID_ARGUMENT : NPU_UNSUPPORTED);
    CHECK_STR(diag.rule, NPU__HAS_LOWERING ? "backend.name" : "plan.analysis_only");
    pd.backend = "none";
    CHECK_INT(npu_plan_create(&plan, m, &pd, &diag), NPU_OK);
    npu_plan_destroy(plan);
    npu_model_close(m);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    (void)mk_options; /* what model_maker.h offers and this file does not need */
    (void)mk_quant;
    (void)mk_const;
    RUN(diagnostics_name_the_operator);
    RUN(operators_one_by_one);
    RUN(backends);
    return REPORT();
}
