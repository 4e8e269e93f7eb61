/* Writes seeds of the Neuron targets: what npu_rt's own lowering makes of models, as compiled networks and as programs of calls.
 *
 *     neuron_seeds FOLDER MODEL...     FOLDER/networks/NAME, FOLDER/calls/NAME
 *
 * Of the models, those that bring an operation, an operand type or a version that none before had. For each network it prints a line:
 * name, inputs and outputs as TYPE:DIM,DIM. It is the software adapter behind functions that write down what they are told, in the
 * words of neuron_calls.h. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#include "npu_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4096, NUMBER_RAW = 224, NUMBER_LESS = 16, EXPLICIT = 160 };
enum {
#define X(type, name, parameters, arguments) FN_##name,
    NPU_NEURON_FUNCTIONS(X)
#undef X
    N_FUNCTIONS
};

static struct {
    uint8_t  bytes[1 << 16], network[1 << 16];
    size_t   n, n_network;
    uint8_t  versions;           /* turns */
    uint8_t  news;               /* this model has something that none before had */
    uint8_t  ops[3][16384], types[3][16384];
} pen;

/* ---- words of a program ---- */

static void put(uint8_t b) {
    if (pen.n < sizeof pen.bytes) pen.bytes[pen.n++] = b;
}
static void put_bits(uint32_t v) {
    for (int i = 0; i < 4; i++) put((uint8_t)(v >> 8 * i));
}
static void put_float(float f) {
    uint32_t v;
    memcpy(&v, &f, 4);
    put_bits(v);
}
static void put_number(int64_t v) {
    if (v >= -NUMBER_LESS && v < NUMBER_RAW - NUMBER_LESS) {
        put((uint8_t)(v + NUMBER_LESS));
        return;
    }
    put(NUMBER_RAW);
    put_bits((uint32_t)v);
}
static void put_list(const uint32_t *list, uint32_t n) {
    put((uint8_t)n);
    for (uint32_t i = 0; i < n; i++) put_number((int32_t)list[i]);
}
static void put_step(int function) {
    put((uint8_t)function);
    put(0); /* the only handle */
}

static void seen(uint8_t *list, int32_t number) {
    uint8_t *at = &list[(uint32_t)number % 16384];
    if (!*at) *at = pen.news = 1;
}

/* ---- the functions that are written down ---- */

static npu_neuron_driver        driver;   /* with them */
static const npu_neuron_driver *software;

static int told_version(npu_neuron_version *v) {
    static const npu_neuron_version versions[] = {{8, 1, 0}, {8, 2, 26}, {8, 2, 28}};
    *v = versions[pen.versions % 3];
    return 0;
}
static int told_create(void **model) {
    put_step(FN_NeuronModel_create);
    return software->NeuronModel_create(model);
}
static int told_operand(void *model, const npu_neuron_operand *o) {
    put_step(FN_NeuronModel_addOperand);
    put_number(o->type);
    put_list(o->dims, o->n_dims);
    put_float(o->scale);
    put_number(o->zero_point);
    seen(pen.types[pen.versions % 3], o->type);
    return software->NeuronModel_addOperand(model, o);
}
static int told_value(void *model, int32_t index, const void *buffer, size_t length) {
    const int all = length <= EXPLICIT;
    put_step(FN_NeuronModel_setOperandValue);
    put_number(index);
    put_number((int64_t)length);
    put(!all);
    for (size_t i = 0; all && i < length; i++) put(((const uint8_t *)buffer)[i]);
    return software->NeuronModel_setOperandValue(model, index, buffer, length);
}
static void told_channels(int function, int32_t index, uint32_t axis, uint32_t n) {
    put_step(function);
    put_number(index);
    put_number(axis);
    put((uint8_t)n);
    put(1);
}
static int told_symm(void *model, int32_t index, const npu_neuron_channels_symm *q) {
    told_channels(FN_NeuronModel_setOperandSymmPerChannelQuantParams, index, q->axis, q->n_scales);
    return software->NeuronModel_setOperandSymmPerChannelQuantParams(model, index, q);
}
static int told_all_channels(void *model, int32_t index, const npu_neuron_channels *q) {
    told_channels(FN_NeuronModel_setOperandPerChannelQuantParams, index, q->axis, q->n_scales);
    put_list((const uint32_t *)q->zero_points, q->n_zero_points);
    return software->NeuronModel_setOperandPerChannelQuantParams(model, index, q);
}
static int told_operation(void *model, int32_t type, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out) {
    put_step(FN_NeuronModel_addOperation);
    put_number(type);
    put_list(in, n_in);
    put_list(out, n_out);
    seen(pen.ops[pen.versions % 3], type);
    return software->NeuronModel_addOperation(model, type, n_in, in, n_out, out);
}
static int told_io(void *model, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out) {
    put_step(FN_NeuronModel_identifyInputsAndOutputs);
    put_list(in, n_in);
    put_list(out, n_out);
    return software->NeuronModel_identifyInputsAndOutputs(model, n_in, in, n_out, out);
}
static int told_finish(void *model) {
    put_step(FN_NeuronModel_finish);
    return software->NeuronModel_finish(model);
}
static int told_relax(void *model, uint8_t allow) {
    put_step(FN_NeuronModel_relaxComputationFloat32toFloat16);
    put(allow);
    return software->NeuronModel_relaxComputationFloat32toFloat16(model, allow);
}
static int told_compile(void *model, void **compilation) {
    put_step(FN_NeuronCompilation_create);
    put(0);
    return software->NeuronCompilation_create(model, compilation);
}
static int told_ask(void *compilation, uint32_t n, uint8_t *supported) {
    put_step(FN_NeuronCompilation_getSupportedOperations);
    put_number(0);
    return software->NeuronCompilation_getSupportedOperations(compilation, n, supported);
}
static int told_compiled(void *compilation) {
    put_step(FN_NeuronCompilation_finish);
    put_step(FN_NeuronCompilation_storeCompiledNetwork);
    put_number(0);
    return software->NeuronCompilation_finish(compilation);
}
static int told_execution(void *compilation, void **execution) {
    put_step(FN_NeuronExecution_create);
    put(0);
    return software->NeuronExecution_create(compilation, execution);
}
static int told_input(void *execution, int32_t index, const npu_neuron_operand *type, const void *buffer, size_t length) {
    put_step(FN_NeuronExecution_setInput);
    put_number(index);
    put_number((int64_t)length);
    put(0);
    return software->NeuronExecution_setInput(execution, index, type, buffer, length);
}
static int told_output(void *execution, int32_t index, const npu_neuron_operand *type, void *buffer, size_t length) {
    put_step(FN_NeuronExecution_setOutput);
    put_number(index);
    put_number((int64_t)length);
    return software->NeuronExecution_setOutput(execution, index, type, buffer, length);
}
static int told_compute(void *execution) {
    put_step(FN_NeuronExecution_compute);
    return software->NeuronExecution_compute(execution);
}

static void make_driver(void) {
    software = npu_neuron_software();
    driver = *software;
    driver.Neuron_getVersion = told_version;
    driver.NeuronModel_create = told_create;
    driver.NeuronModel_addOperand = told_operand;
    driver.NeuronModel_setOperandValue = told_value;
    driver.NeuronModel_setOperandSymmPerChannelQuantParams = told_symm;
    driver.NeuronModel_setOperandPerChannelQuantParams = told_all_channels;
    driver.NeuronModel_addOperation = told_operation;
    driver.NeuronModel_identifyInputsAndOutputs = told_io;
    driver.NeuronModel_finish = told_finish;
    driver.NeuronModel_relaxComputationFloat32toFloat16 = told_relax;
    driver.NeuronCompilation_create = told_compile;
    driver.NeuronCompilation_getSupportedOperations = told_ask;
    driver.NeuronCompilation_finish = told_compiled;
    driver.NeuronExecution_create = told_execution;
    driver.NeuronExecution_setInput = told_input;
    driver.NeuronExecution_setOutput = told_output;
    driver.NeuronExecution_compute = told_compute;
}

static void keep_network(void *user, uint64_t key, const void *network, size_t bytes) {
    (void)user;
    (void)key;
    if (bytes > sizeof pen.network || pen.n_network) return; /* the first segment's */
    memcpy(pen.network, network, bytes);
    pen.n_network = bytes;
}

/* ---- a model ---- */

static uint8_t *read_all(const char *path, size_t *n) {
    FILE    *f = fopen(path, "rb");
    uint8_t *p = (uint8_t *)malloc(1 << 20);
    *n = f && p ? fread(p, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return p;
}

static int write_all(const char *folder, const char *kind, const char *name, const uint8_t *p, size_t n) {
    char  path[1024];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s/%s", folder, kind, name);
    f = fopen(path, "wb");
    return f && fwrite(p, 1, n, f) == n && fclose(f) == 0;
}

static void say_border(const npu__nsw_model *m, const uint32_t *list, uint32_t n) {
    printf("\t");
    for (uint32_t i = 0; i < n; i++) {
        const npu__nsw_operand *o = &m->operands[list[i]];
        printf("%s%s:", i ? ";" : "", o->type ? npu_type_name((npu_type)o->type->element) : "uint8");
        for (uint32_t k = 0; k < o->n_dims; k++) printf(k ? ",%u" : "%u", o->dims[k]);
    }
}

static void say_network(const char *name) {
    npu__nsw_network *network;
    npu_allocator     a;
    if (!npu__allocator_resolve(&a, NULL)) return;
    if (npu__nsw_network_open(&network, &a, pen.network, pen.n_network, NULL) != NPU__NEURON_NO_ERROR) return;
    printf("%s", name);
    say_border(network->model, network->model->in, network->model->n_in);
    say_border(network->model, network->model->out, network->model->n_out);
    printf("\n");
    npu__nsw_network_close(network);
}

static void run(const npu_model *model, const npu_neuron_options *options) {
    npu_plan        *plan = NULL;
    npu_session     *session = NULL;
    npu_plan_desc    pd;
    npu_session_desc sd;
    npu_driver       list;
    memset(&pd, 0, sizeof pd);
    memset(&sd, 0, sizeof sd);
    pd.backend = "neuron";
    pd.fallback = 1;
    driver.options = options;
    list.vendor = "neuron";
    list.functions = &driver;
    sd.drivers = &list;
    sd.n_drivers = 1;
    sd.max_work = 1 << 22;
    if (npu_plan_create(&plan, model, &pd, NULL) == NPU_OK && npu_session_create(&session, plan, &sd, NULL) == NPU_OK) {
        (void)npu_session_invoke(session, NULL);
    }
    npu_session_destroy(session);
    npu_plan_destroy(plan);
}

static int seeds_of(const char *folder, const char *path, int number) {
    const char        *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    npu_neuron_options options;
    npu_model         *model = NULL;
    size_t             n;
    uint8_t           *bytes = read_all(path, &n);
    int                ok = 1;
    memset(&options, 0, sizeof options);
    options.preference = 1;
    options.priority = 100;
    options.exact_float32 = number & 1;
    options.store = keep_network;
    pen.n = pen.n_network = pen.news = 0;
    pen.versions = (uint8_t)(number % 3);
    if (npu_model_open(&model, bytes, n, NULL, NULL) == NPU_OK) run(model, &options);
    if (pen.news && pen.n_network > 0 && pen.n_network <= MOST_BYTES) {
        say_network(name);
        ok = write_all(folder, "networks", name, pen.network, pen.n_network);
        if (pen.n <= MOST_BYTES) ok = ok && write_all(folder, "calls", name, pen.bytes, pen.n);
    }
    npu_model_close(model);
    free(bytes);
    return ok;
}

int main(int argc, char **argv) {
    make_driver();
    for (int i = 2; i < argc; i++) if (!seeds_of(argv[1], argv[i], i)) return 1;
    return 0;
}
