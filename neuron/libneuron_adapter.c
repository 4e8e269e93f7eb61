/* libneuron_adapter.so: the software adapter of npu_rt by the names of MediaTek's library, so that whatever compiles or runs Neuron
 * networks (LiteRT's compiler plugin, say) does so on a laptop or in CI. `make neuron-adapter` builds it.
 *
 *   NPU_NEURON_VERSION  the version it reports (default 8.2.26): from 8.2.24 on the plugin asks which operations are supported
 *   NPU_NEURON_TRACE    a file to which each call is appended: models operand by operand, with the FNV-1a of constants
 *
 * What has no place in a header without globals is here: the environment, the trace, memory from file descriptors. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_STATIC
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_NO_REPORTS
#define NPU_RT_NO_PROFILE
#include "npu_rt.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- the trace ------------------------------------------------------------------------------------------------------ */

/* Opened once a process: several threads may find it open. NULL: no trace. */
static FILE *trace_file(void) {
    static FILE *volatile file;
    static volatile int asked;
    if (!asked) {
        const char *name = getenv("NPU_NEURON_TRACE");
        FILE       *f = name && name[0] ? fopen(name, "a") : NULL;
        if (f) setvbuf(f, NULL, _IOLBF, 1 << 16); /* the plugin is loaded and unloaded several times: lines keep their order */
        file = f;
        asked = 1;
    }
    return file;
}

/* The plugin closes the library when it is done, more than once. */
__attribute__((destructor)) static void trace_close(void) {
    if (trace_file()) fclose(trace_file());
}

#define SAY(...)                                                  \
    do {                                                          \
        if (trace_file()) fprintf(trace_file(), __VA_ARGS__);     \
    } while (0)

static void say_list(const char *what, const uint32_t *list, uint32_t n) {
    SAY("%s[", what);
    for (uint32_t i = 0; list && i < n; i++) SAY(i ? ",%u" : "%u", list[i]); /* what a caller got wrong is said, too */
    SAY("]");
}

static void say_io(const char *what, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out) {
    SAY("%s", what);
    say_list(" in=", in, n_in);
    say_list(" out=", out, n_out);
    SAY("\n");
}

static void say_value(int32_t index, const uint8_t *p, size_t length) {
    SAY("value #%d len=%zu", index, length);
    for (size_t i = 0; p && i < length && i < 40; i++) SAY(i % 4 ? "%02x" : " %02x", p[i]);
    if (p) SAY(" fnv=%016llx\n", (unsigned long long)npu__nsw_sum(NPU__NSW_SUM_EMPTY, p, length));
    else SAY(" null\n");
}

static void say_scales(const char *what, int32_t index, uint32_t axis, const float *scales, uint32_t n) {
    SAY("%s #%d dim=%u n=%u s0=%g scales=", what, index, axis, n, n && scales ? (double)scales[0] : 0.0);
    for (uint32_t i = 0; scales && i < n; i++) SAY("%s%.9g", i ? "," : "", (double)scales[i]);
}

/* What is said of each call, by its name. A line with name and code stands before that of a call that failed. */
#define SAY_NeuronModel_create(model) SAY("NeuronModel_create\n")
#define SAY_NeuronModel_setName(model, name) SAY("setName %s\n", name)
#define SAY_NeuronModel_addOperand(model, o)                                                             \
    do {                                                                                                 \
        SAY("operand #%d type=%d", ((const npu__nsw_model *)model)->n_operands - 1, (o)->type);          \
        say_list(" dims=", (o)->dims, (o)->n_dims);                                                      \
        SAY(" scale=%.9g zp=%d\n", (double)(o)->scale, (o)->zero_point);                                 \
    } while (0)
#define SAY_NeuronModel_setOperandValue(model, index, buffer, length) say_value(index, (const uint8_t *)buffer, length)
#define SAY_NeuronModel_setOperandSymmPerChannelQuantParams(model, index, q)                             \
    do {                                                                                                 \
        say_scales("symmPC", index, (q)->axis, (q)->scales, (q)->n_scales);                              \
        SAY("\n");                                                                                       \
    } while (0)
#define SAY_NeuronModel_setOperandPerChannelQuantParams(model, index, q)                                 \
    do {                                                                                                 \
        say_scales("PC", index, (q)->axis, (q)->scales, (q)->n_scales);                                  \
        SAY(" zps=");                                                                                    \
        for (uint32_t i = 0; (q)->zero_points && i < (q)->n_zero_points; i++) SAY("%s%d", i ? "," : "", (q)->zero_points[i]); \
        SAY("\n");                                                                                       \
    } while (0)
#define SAY_NeuronModel_addOperation(model, type, n_in, in, n_out, out)                                  \
    do {                                                                                                 \
        SAY("OP %d type=%d", ((const npu__nsw_model *)model)->n_ops - 1, type);                          \
        say_io("", n_in, in, n_out, out);                                                                \
    } while (0)
#define SAY_NeuronModel_identifyInputsAndOutputs(model, n_in, in, n_out, out)                            \
    do {                                                                                                 \
        SAY("io in=%u out=%u", n_in, n_out);                                                             \
        say_list(" inputs=", in, n_in);                                                                  \
        say_list(" outputs=", out, n_out);                                                               \
        SAY("\n");                                                                                       \
    } while (0)
#define SAY_NeuronModel_getExtensionOperandType(model, extension, code, type) SAY("extOperand %s 0x%x\n", extension, code)
#define SAY_NeuronModel_getExtensionOperationType(model, extension, code, type) SAY("extOperation %s %u\n", extension, code)
#define SAY_NeuronModel_relaxComputationFloat32toFloat16(model, allow) SAY("relaxFp32ToFp16 %d\n", allow)
#define SAY_NeuronModel_finish(model)                                                                    \
    SAY("finish ops=%d operands=%d\n", ((const npu__nsw_model *)model)->n_ops, ((const npu__nsw_model *)model)->n_operands)
#define SAY_NeuronModel_restoreFromCompiledNetwork(model, compilation, buffer, size) SAY("restoreFromCompiledNetwork %zu\n", size)
#define SAY_NeuronCompilation_create(model, compilation) SAY("Compilation_create\n")
#define SAY_NeuronCompilation_createWithOptions(model, compilation, options) SAY("Compilation_createWithOptions \"%s\"\n", options)
#define SAY_NeuronCompilation_getSupportedOperations(compilation, n, supported)                          \
    do {                                                                                                 \
        const npu__nsw_compilation *said = (const npu__nsw_compilation *)compilation;                    \
        /* finished: the caller may have freed the model */                                              \
        SAY("getSupportedOperations %u of %d ->", n, (said->network ? said->network->model : said->model)->n_ops); \
        for (uint32_t i = 0; i < n; i++) SAY(i ? "%d" : " %d", supported[i]);                            \
        SAY("\n");                                                                                       \
    } while (0)
#define SAY_NeuronCompilation_finish(compilation)                                                        \
    do {                                                                                                 \
        const npu_diag *said = &((const npu__nsw_compilation *)compilation)->diag;                       \
        SAY("Compilation_finish\n");                                                                     \
        if (said->rule) SAY("%s: %s\n", said->rule, said->text);                                         \
    } while (0)
#define SAY_NeuronCompilation_setPriority(compilation, priority) SAY("setPriority %d\n", priority)
#define SAY_NeuronCompilation_setPreference(compilation, preference) SAY("setPreference %d\n", preference)
#define SAY_NeuronCompilation_setOptimizationHint(compilation, hint) SAY("setOptimizationHint %u\n", hint)
#define SAY_NeuronCompilation_setOptimizationString(compilation, text) SAY("setOptimizationString \"%s\"\n", text)
#define SAY_NeuronCompilation_setL1MemorySizeKb(compilation, size) SAY("setL1MemorySizeKb %u\n", size)
#define SAY_NeuronCompilation_storeCompiledNetwork(compilation, buffer, size) SAY("storeCompiledNetwork %zu\n", size)
#define SAY_Neuron_getVersion(version) SAY("getVersion -> %u.%u.%u\n", (version)->major, (version)->minor, (version)->patch)
#define SAY_Neuron_getL1MemorySizeKb(size) SAY("getL1MemorySizeKb -> %u\n", *size)
#define SAY_NeuronExecution_compute(execution) SAY("Execution_compute\n")

#define SAY_NeuronModel_getSupportedOperations(model, supported, n) (void)0
#define SAY_NeuronCompilation_getInputPaddedDimensions(compilation, index, dimensions) (void)0
#define SAY_NeuronCompilation_getOutputPaddedDimensions(compilation, index, dimensions) (void)0
#define SAY_NeuronCompilation_getInputPaddedSize(compilation, index, size) (void)0
#define SAY_NeuronCompilation_getOutputPaddedSize(compilation, index, size) (void)0
#define SAY_NeuronCompilation_getCompiledNetworkSize(compilation, size) (void)0
#define SAY_NeuronMemory_createFromFd(size, protect, fd, offset, memory) (void)0
#define SAY_NeuronMemory_createFromAHardwareBuffer(buffer, memory) (void)0
#define SAY_NeuronExecution_create(compilation, execution) (void)0
#define SAY_NeuronExecution_setBoostHint(execution, boost) (void)0
#define SAY_NeuronExecution_setInput(execution, index, type, buffer, length) (void)0
#define SAY_NeuronExecution_setOutput(execution, index, type, buffer, length) (void)0
#define SAY_NeuronExecution_setInputFromMemory(execution, index, type, memory, offset, length) (void)0
#define SAY_NeuronExecution_setOutputFromMemory(execution, index, type, memory, offset, length) (void)0
#define SAY_NeuronExecution_getOutputOperandRank(execution, index, rank) (void)0
#define SAY_NeuronExecution_getOutputOperandDimensions(execution, index, dimensions) (void)0

/* ---- what differs from the software adapter -------------------------------------------------------------------------- */

static int own_Neuron_getVersion(npu_neuron_version *version) {
    const char *text = getenv("NPU_NEURON_VERSION");
    unsigned    a, b, c;
    const int   r = npu__nsw_Neuron_getVersion(version);
    if (r != NPU__NEURON_NO_ERROR || !text || sscanf(text, "%u.%u.%u", &a, &b, &c) != 3) return r;
    version->major = (uint8_t)a;
    version->minor = (uint8_t)b;
    version->patch = (uint8_t)c;
    return r;
}

/* Does a file hold all that is to be mapped? What lies behind its end would end the process when it is touched. Of devices (dma-buf)
 * nobody knows. */
static int holds(int fd, size_t size, size_t offset) {
    struct stat s;
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) return 1;
    return s.st_size >= 0 && offset <= (size_t)s.st_size && size <= (size_t)s.st_size - offset;
}

/* The mapping goes with the memory. It must be one that can be read: outputs that cannot be written are refused by themselves. */
static int own_NeuronMemory_createFromFd(size_t size, int protect, int fd, size_t offset, void **memory) {
    void *base;
    int   r;
    if (!memory) return NPU__NEURON_UNEXPECTED_NULL;
    *memory = NULL;
    if (size == 0 || !(protect & PROT_READ)) return NPU__NEURON_BAD_DATA;
    if (!holds(fd, size, offset)) return NPU__NEURON_UNMAPPABLE;
    base = mmap(NULL, size, protect, MAP_SHARED, fd, (off_t)offset);
    if (base == MAP_FAILED) return NPU__NEURON_UNMAPPABLE;
    r = npu__nsw_memory_of(base, size, (protect & PROT_WRITE) != 0, memory);
    if (r != NPU__NEURON_NO_ERROR) munmap(base, size);
    return r;
}

static void own_NeuronMemory_free(void *memory) {
    npu__nsw_memory *m = (npu__nsw_memory *)memory;
    if (m) munmap(m->base, m->bytes);
    npu__nsw_NeuronMemory_free(memory);
}

#define npu__nsw_Neuron_getVersion own_Neuron_getVersion
#define npu__nsw_NeuronMemory_createFromFd own_NeuronMemory_createFromFd
#define npu__nsw_NeuronMemory_free own_NeuronMemory_free

/* ---- the exported functions ------------------------------------------------------------------------------------------- */

#define EXPORT_int(name, parameters, arguments)                         \
    EXPORT int name parameters;                                         \
    EXPORT int name parameters {                                        \
        const int r = npu__nsw_##name arguments;                        \
        if (r != NPU__NEURON_NO_ERROR) SAY("%s failed: %d\n", #name, r); \
        if (r != NPU__NEURON_UNEXPECTED_NULL) SAY_##name arguments;     \
        return r;                                                       \
    }
#define EXPORT_void(name, parameters, arguments) \
    EXPORT void name parameters;                 \
    EXPORT void name parameters { npu__nsw_##name arguments; }
#define EXPORT_ROW(type, name, parameters, arguments) EXPORT_##type(name, parameters, arguments)
NPU_NEURON_FUNCTIONS(EXPORT_ROW)

/* The plugin of LiteRT 2.3.0 looks it up. Its parameters are not published: it does nothing, and says so. */
EXPORT int NeuronExecution_setConfig(void *execution);
EXPORT int NeuronExecution_setConfig(void *execution) {
    SAY("NeuronExecution_setConfig\n");
    return execution ? NPU__NEURON_BAD_STATE : NPU__NEURON_UNEXPECTED_NULL;
}
