/* Whatever a library for MediaTek's NPUs lacks or fails at: a session says so, and keeps nothing, or computes what it should. Networks of
 * one operator each, so that every function has to do with some of them. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_GRAPH
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "neuron_mock.h"
#include "neuron_nets.h"

#define ROWS(list) ((int)(sizeof(list) / sizeof *(list)))

static const net_row nets[] = { /* want: "refused", with all functions there */
    {"CONV_2D", "c1x5x5x2@.5:1 c3x3x3x2@0*3=% i3@0*3=7,8,9", "c1x5x5x3@2.:3", "padding=SAME stride_w=1 stride_h=1", ""},
    {"RESHAPE", "c2x3@1*3+ i2=3,2", "c3x2@1*2+", "", "refused"},
    {"UNPACK", "f2x3", "f3 f3", "num=2", ""},
    {"PRELU", "f2x3 f3=.5,.5,.5", "f2x3", "", ""},
    {"RESHAPE", "n2x3@.5 i2=3,2", "n3x2@.5", "", ""},
    {"ADD", "f?2x3 f?2x3", "f?2x3", "", ""},
    {"STABLEHLO_COMPOSITE", "c2x3@.5 c3@.25=%", "c2x3@.25", "name=odml.rms_norm", ""}};

static void without(npu_neuron_driver *d, int fn) {
    switch (fn) {
#define ROW(type, name, parameters, arguments) case FN_##name: d->name = NULL; break;
        NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
        default: break;
    }
}

/* One session: what it must not do is leak, or give other numbers without a word. */
static npu_status one(const net *k, const npu_plan *plan, const npu_neuron_driver *d, const uint8_t *want, const char *what, int fn) {
    static uint8_t      got[256];
    counter             count;
    const npu_allocator a = counted(&count, 0);
    npu_diag            diag;
    npu_status          s;
    memset(got, 0, sizeof got);
    s = net_run(k, plan, d, &a, got, sizeof got, &diag);
    CHECK_INT(count.live, 0);
    if (s == NPU_OK ? !CHECK(memcmp(got, want, sizeof got) == 0) : !CHECK(diag.rule[0] && diag.text[0])) {
        printf("    %s without or failing: %s\n", what, fn < 0 ? "nothing" : names[fn]);
    }
    return s;
}

/* By versions, some of which ask more functions than others. */
static void every_function(const net *k, const npu_plan *plan, const net_row *row, const char *runtime) {
    static uint8_t    want[256];
    npu_neuron_driver d = counting;
    npu_diag          diag;
    int               refused = 0;
    d.runtime = runtime;
    all_well();
    memset(want, 0, sizeof want);
    if (!CHECK_INT(net_run(k, plan, &d, NULL, want, sizeof want, &diag) != NPU_OK, row->want[0] != 0)) {
        printf("    %s: %s\n", row->op, diag.text);
    }
    for (int fn = 0; fn < N_FUNCTIONS; fn++) {
        const int asked = lib.calls[fn];
        d = counting;
        d.runtime = runtime;
        without(&d, fn);
        all_well();
        refused += one(k, plan, &d, want, row->op, fn) != NPU_OK;
        for (int at = 1; at <= asked && at < 8; at++) {
            d = counting;
            d.runtime = runtime;
            all_well();
            lib.fail = fn;
            lib.at = at;
            lib.code = at % 2 ? NPU__NEURON_OP_FAILED : NPU__NEURON_OUT_OF_MEMORY;
            (void)one(k, plan, &d, want, row->op, fn);
        }
        all_well();
        d = counting;
        d.runtime = runtime;
        (void)net_run(k, plan, &d, NULL, want, sizeof want, &diag); /* counts again */
    }
    CHECK(refused > 10);
}

TEST(lacking_or_failing) {
    static const char *const versions[] = {NULL, "8.1.0", "8.2.24", "9.0.0"};
    for (int i = 0; i < ROWS(nets); i++) {
        npu_plan *plan = NULL;
        npu_diag  diag;
        net       k;
        if (!net_make(&k, &nets[i], NULL)) continue;
        if (CHECK_INT(net_plan(k.model, "neuron", NULL, &plan, &diag), NPU_OK)) {
            for (int v = 0; v < ROWS(versions); v++) every_function(&k, plan, &nets[i], versions[v]);
        } else {
            printf("    %s: %s\n", nets[i].op, diag.text);
        }
        npu_plan_destroy(plan);
        npu_model_close(k.model);
    }
}

/* Sizes and dimensions that no buffer has: said, whatever the tensor. */
static uint32_t lie_dims[4];
static size_t   lie_size;
static int      dims_of(void *c, int32_t i, uint32_t *d) { (void)c, (void)i; memcpy(d, lie_dims, sizeof lie_dims); return 0; }
static int      size_of(void *c, int32_t i, size_t *n) { (void)c, (void)i; *n = lie_size; return 0; }

TEST(padding_of_no_buffer) {
    static const struct {
        uint32_t dims[4];
        size_t   size;
    } rows[] = {{{1, 5, 5, 0xffffffffu}, 100},         {{0xffffffffu, 5, 5, 2}, 100}, {{1, 0x40000000, 0x40000000, 0x40000000}, 100},
                {{1, 5, 5, 2}, SIZE_MAX},              {{0, 0, 0, 0}, 0},             {{1, 4, 5, 2}, 200},
                {{1, 0x7fffffff, 0x7fffffff, 2}, 100}, {{1, 6, 6, 2}, 71}};
    npu_plan *plan = NULL;
    npu_diag  diag;
    net       k;
    if (!CHECK(net_make(&k, &nets[0], NULL) != NULL)) return;
    CHECK_INT(net_plan(k.model, "neuron", NULL, &plan, &diag), NPU_OK);
    for (int i = 0; i < ROWS(rows); i++) {
        npu_neuron_driver d = counting;
        uint8_t           got[256];
        memcpy(lie_dims, rows[i].dims, sizeof lie_dims);
        lie_size = rows[i].size;
        d.NeuronCompilation_getInputPaddedDimensions = dims_of;
        d.NeuronCompilation_getInputPaddedSize = size_of;
        all_well();
        if (net_run(&k, plan, &d, NULL, got, sizeof got, &diag) != NPU_OK) CHECK(diag.rule[0] && diag.text[0]);
        d = counting;
        d.NeuronCompilation_getOutputPaddedDimensions = dims_of;
        d.NeuronCompilation_getOutputPaddedSize = size_of;
        if (net_run(&k, plan, &d, NULL, got, sizeof got, &diag) != NPU_OK) CHECK(diag.rule[0] && diag.text[0]);
    }
    npu_plan_destroy(plan);
    npu_model_close(k.model);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    (void)net_lower;
    (void)net_check;
    (void)net_says;
    RUN(lacking_or_failing);
    RUN(padding_of_no_buffer);
    return REPORT();
}
