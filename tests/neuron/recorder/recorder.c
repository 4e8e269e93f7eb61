/* A libneuron_adapter.so that accepts everything and writes down what it was told: what LiteRT's MediaTek plugin makes of a
 * model. It shares nothing with npu_rt's own adapter, so that a mistake there cannot hide itself in the comparison.
 *
 *   NPU_NEURON_TRACE    the file that lines are appended to (default: standard error)
 *   NPU_NEURON_VERSION  the version it reports (default 8.1.0); from 8.2.24 the plugin asks which operations are supported
 *
 * Types are those of the published adapter, version 8; only what crosses the C ABI matters here. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ERROR = 0, UNEXPECTED_NULL = 3, UNKNOWN_OPERATION = 10001, MOST_OPERATIONS = 1 << 16 };
enum { EXTENSION_OPERAND = 0x10000, EXTENSION_OPERATION = 0x20000 };

typedef struct {
    int32_t type;
    uint32_t rank;
    const uint32_t *dims;
    float scale;
    int32_t zero_point;
} operand_type;

typedef struct {
    uint32_t axis, n_scales;
    const float *scales;
} symm_channels;

typedef struct {
    uint32_t axis, n_scales;
    const float *scales;
    uint32_t n_zero_points;
    const int32_t *zero_points;
} channels;

typedef struct {
    uint8_t major, minor, patch;
} version;

typedef struct {
    uint32_t operands, operations;
    int32_t types[MOST_OPERATIONS];
} model;

typedef struct {
    model *of;
} compilation;

static FILE *log_file(void) {
    static FILE *file;
    if (!file) {
        const char *name = getenv("NPU_NEURON_TRACE");
        file = name ? fopen(name, "a") : NULL;
        if (!file) file = stderr;
        setvbuf(file, NULL, _IOLBF, 1 << 16); /* the plugin loads and unloads us several times: lines keep their order */
    }
    return file;
}

#define LOG(...) fprintf(log_file(), __VA_ARGS__)

static void log_list(const char *open, const uint32_t *list, uint32_t n) {
    LOG("%s[", open);
    for (uint32_t i = 0; i < n; i++) LOG(i ? ",%u" : "%u", list[i]);
    LOG("]");
}

/* FNV-1a, 64 bits: of whole constants, of which the log shows only the beginning. */
static uint64_t hash_of(const void *data, size_t length) {
    const uint8_t *p = (const uint8_t *)data;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

int Neuron_getVersion(version *v) {
    const char *text = getenv("NPU_NEURON_VERSION");
    unsigned a = 8, b = 1, c = 0;
    if (text) sscanf(text, "%u.%u.%u", &a, &b, &c);
    v->major = (uint8_t)a, v->minor = (uint8_t)b, v->patch = (uint8_t)c;
    LOG("getVersion -> %u.%u.%u\n", a, b, c);
    return NO_ERROR;
}

int Neuron_getL1MemorySizeKb(uint32_t *size) {
    *size = 7168;
    LOG("getL1MemorySizeKb -> %u\n", *size);
    return NO_ERROR;
}

/* ---- the model ----------------------------------------------------------------------------------------------------- */

int NeuronModel_create(model **m) {
    LOG("NeuronModel_create\n");
    *m = (model *)calloc(1, sizeof **m);
    return *m ? NO_ERROR : UNEXPECTED_NULL;
}

void NeuronModel_free(model *m) {
    free(m);
    fflush(log_file());
}

int NeuronModel_setName(model *m, const char *name) {
    (void)m;
    LOG("setName %s\n", name);
    return NO_ERROR;
}

int NeuronModel_addOperand(model *m, const operand_type *t) {
    LOG("operand #%u type=%d", m->operands++, t->type);
    log_list(" dims=", t->dims, t->rank);
    LOG(" scale=%.9g zp=%d\n", (double)t->scale, t->zero_point);
    return NO_ERROR;
}

int NeuronModel_setOperandValue(model *m, int32_t index, const void *data, size_t length) {
    const uint8_t *p = (const uint8_t *)data;
    (void)m;
    LOG("value #%d len=%zu", index, length);
    for (size_t i = 0; p && i < length && i < 40; i++) LOG(i % 4 ? "%02x" : " %02x", p[i]);
    if (p) LOG(" fnv=%016llx\n", (unsigned long long)hash_of(p, length));
    else LOG(" null\n");
    return NO_ERROR;
}

int NeuronModel_setOperandSymmPerChannelQuantParams(model *m, int32_t index, const symm_channels *c) {
    (void)m;
    LOG("symmPC #%d dim=%u n=%u s0=%g scales=", index, c->axis, c->n_scales, c->n_scales ? (double)c->scales[0] : 0.0);
    for (uint32_t i = 0; i < c->n_scales; i++) LOG("%s%.9g", i ? "," : "", (double)c->scales[i]);
    LOG("\n");
    return NO_ERROR;
}

int NeuronModel_setOperandPerChannelQuantParams(model *m, int32_t index, const channels *c) {
    (void)m;
    LOG("PC #%d dim=%u n=%u s0=%g scales=", index, c->axis, c->n_scales, c->n_scales ? (double)c->scales[0] : 0.0);
    for (uint32_t i = 0; i < c->n_scales; i++) LOG("%s%.9g", i ? "," : "", (double)c->scales[i]);
    LOG(" zps=");
    for (uint32_t i = 0; i < c->n_zero_points; i++) LOG("%s%d", i ? "," : "", c->zero_points[i]);
    LOG("\n");
    return NO_ERROR;
}

int NeuronModel_addOperation(model *m, int32_t type, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out) {
    LOG("OP %u type=%d", m->operations, type);
    log_list(" in=", in, n_in);
    log_list(" out=", out, n_out);
    LOG("\n");
    if (m->operations < MOST_OPERATIONS) m->types[m->operations] = type;
    m->operations++;
    return NO_ERROR;
}

int NeuronModel_identifyInputsAndOutputs(model *m, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out) {
    (void)m;
    LOG("io in=%u out=%u", n_in, n_out);
    log_list(" inputs=", in, n_in);
    log_list(" outputs=", out, n_out);
    LOG("\n");
    return NO_ERROR;
}

/* An extension's types are numbers that the adapter chooses: these are easy to tell in a log. */
int NeuronModel_getExtensionOperandType(model *m, const char *extension, uint16_t code, int32_t *type) {
    (void)m;
    *type = EXTENSION_OPERAND + code;
    LOG("extOperand %s 0x%x\n", extension, code);
    return NO_ERROR;
}

int NeuronModel_getExtensionOperationType(model *m, const char *extension, uint16_t code, int32_t *type) {
    (void)m;
    *type = EXTENSION_OPERATION + code;
    LOG("extOperation %s %u\n", extension, code);
    return NO_ERROR;
}

int NeuronModel_relaxComputationFloat32toFloat16(model *m, bool allow) {
    (void)m;
    LOG("relaxFp32ToFp16 %d\n", allow);
    return NO_ERROR;
}

int NeuronModel_finish(model *m) {
    LOG("finish ops=%u operands=%u\n", m->operations, m->operands);
    return NO_ERROR;
}

int NeuronModel_restoreFromCompiledNetwork(model **m, compilation **c, const void *data, size_t size) {
    (void)data;
    LOG("restoreFromCompiledNetwork %zu\n", size);
    *m = NULL, *c = NULL;
    return UNEXPECTED_NULL;
}

/* ---- its compilation ------------------------------------------------------------------------------------------------- */

int NeuronCompilation_create(model *m, compilation **c) {
    LOG("Compilation_create\n");
    *c = (compilation *)calloc(1, sizeof **c);
    if (*c) (*c)->of = m;
    return *c ? NO_ERROR : UNEXPECTED_NULL;
}

int NeuronCompilation_createWithOptions(model *m, compilation **c, const char *options) {
    LOG("Compilation_createWithOptions \"%s\"\n", options ? options : "");
    *c = (compilation *)calloc(1, sizeof **c);
    if (*c) (*c)->of = m;
    return *c ? NO_ERROR : UNEXPECTED_NULL;
}

void NeuronCompilation_free(compilation *c) {
    free(c);
    fflush(log_file());
}

int NeuronCompilation_getSupportedOperations(compilation *c, uint32_t n, bool *supported) {
    LOG("getSupportedOperations %u of %u ->", n, c->of->operations);
    for (uint32_t i = 0; i < n; i++) {
        supported[i] = i < c->of->operations && i < MOST_OPERATIONS && c->of->types[i] != UNKNOWN_OPERATION;
        LOG(i ? "%d" : " %d", supported[i]);
    }
    LOG("\n");
    return NO_ERROR;
}

int NeuronCompilation_finish(compilation *c) {
    (void)c;
    LOG("Compilation_finish\n");
    return NO_ERROR;
}

int NeuronCompilation_setPriority(compilation *c, int priority) {
    (void)c;
    LOG("setPriority %d\n", priority);
    return NO_ERROR;
}

int NeuronCompilation_setPreference(compilation *c, int32_t preference) {
    (void)c;
    LOG("setPreference %d\n", preference);
    return NO_ERROR;
}

int NeuronCompilation_setOptimizationHint(compilation *c, uint32_t hint) {
    (void)c;
    LOG("setOptimizationHint %u\n", hint);
    return NO_ERROR;
}

int NeuronCompilation_setOptimizationString(compilation *c, const char *text) {
    (void)c;
    LOG("setOptimizationString \"%s\"\n", text);
    return NO_ERROR;
}

int NeuronCompilation_setL1MemorySizeKb(compilation *c, uint32_t size) {
    (void)c;
    LOG("setL1MemorySizeKb %u\n", size);
    return NO_ERROR;
}

int NeuronCompilation_getCompiledNetworkSize(compilation *c, size_t *size) {
    (void)c;
    *size = 64;
    return NO_ERROR;
}

int NeuronCompilation_storeCompiledNetwork(compilation *c, void *buffer, size_t size) {
    (void)c;
    memset(buffer, 0x5a, size);
    LOG("storeCompiledNetwork %zu\n", size);
    return NO_ERROR;
}

/* ---- what the plugin looks up and a compiler never calls --------------------------------------------------------------- */

#define NEVER(name)                         \
    int name(void) {                        \
        LOG("unexpected: %s\n", #name);     \
        fflush(log_file());                 \
        return UNEXPECTED_NULL;             \
    }

NEVER(NeuronCompilation_getInputPaddedDimensions)
NEVER(NeuronCompilation_getInputPaddedSize)
NEVER(NeuronCompilation_getOutputPaddedDimensions)
NEVER(NeuronCompilation_getOutputPaddedSize)
NEVER(NeuronExecution_compute)
NEVER(NeuronExecution_create)
NEVER(NeuronExecution_free)
NEVER(NeuronExecution_setBoostHint)
NEVER(NeuronExecution_setConfig)
NEVER(NeuronExecution_setInputFromMemory)
NEVER(NeuronExecution_setOutputFromMemory)
NEVER(NeuronMemory_createFromAHardwareBuffer)
NEVER(NeuronMemory_createFromFd)
NEVER(NeuronMemory_free)
