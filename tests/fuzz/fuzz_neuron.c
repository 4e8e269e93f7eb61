/* libFuzzer targets: bytes that the software adapter of MediaTek's NPUs is given.
 *
 *     FUZZ_NETWORK   a compiled network: restored, run twice, written again and run
 *     FUZZ_CALLS     a program of calls of libneuron_adapter.so, with handles, lists and sizes as it says: neuron_calls.h
 *     FUZZ_PRODUCTION  no limit of memory beside the adapter's own; a run's work has one always
 *
 * neuron_seeds.c writes seeds for both; mutate.c mends checksums, so that mutants get past them. */
#ifdef FUZZ_CALLS
#  define NPU_RT_DEBUG
#  include "../../neuron/libneuron_adapter.c"
#else
#  define NPU_RT_IMPLEMENTATION
#  define NPU_RT_BACKEND_NEURON
#  define NPU_RT_DEBUG
#  include "npu_rt.h"
#endif

#include <string.h>

#include "watch.h"

#define MAX_STEPS ((int64_t)1 << 22) /* of a run */
#ifdef FUZZ_PRODUCTION
#  define MAX_BYTES ((size_t)1 << 30)
#else
#  define MAX_BYTES ((size_t)1 << 24)
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#ifdef FUZZ_CALLS
#  include "neuron_calls.h"
#else

/* ---- compiled networks ---- */

static uint64_t seed_of;

static uint8_t next_byte(void) {
    seed_of = seed_of * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(seed_of >> 56);
}

static npu__nsw_bounds bounds_of(void) {
    npu__nsw_bounds b;
    memset(&b, 0, sizeof b);
    b.max_work = MAX_STEPS;
    return b;
}

/* A buffer as long as input or output `i` must be at least; where that is open, any length. */
static uint8_t *buffer_of(void *c, int32_t i, int output, size_t *bytes) {
    uint8_t  *p;
    const int code = output ? npu__nsw_NeuronCompilation_getOutputPaddedSize(c, i, bytes)
                            : npu__nsw_NeuronCompilation_getInputPaddedSize(c, i, bytes);
    if (code != NPU__NEURON_NO_ERROR) *bytes = (size_t)next_byte() * 4;
    promise(*bytes <= (size_t)INT32_MAX, "an input or output beyond all sizes");
    if (*bytes > (size_t)1 << 24) return NULL;
    p = (uint8_t *)malloc(*bytes ? *bytes : 1);
    if (!p) abort();
    for (size_t k = 0; k < *bytes; k++) p[k] = k < 4096 ? next_byte() : p[k - 4096];
    return p;
}

/* One execution, and a hash of all that it gives. -1: not to be run. */
static int run(npu__nsw_compilation *c, uint64_t seed, uint64_t *hash) {
    const uint32_t        n_in = c->network->model->n_in, n_out = c->network->model->n_out;
    const npu__nsw_bounds bounds = bounds_of();
    uint8_t             **blocks = (uint8_t **)calloc((size_t)n_in + n_out + 1, sizeof *blocks);
    size_t               *sizes = (size_t *)calloc((size_t)n_in + n_out + 1, sizeof *sizes);
    void                 *e = NULL;
    int                   r = npu__nsw_execution_new(c, &bounds, &e), any = 1;
    seed_of = seed;
    *hash = 0;
    for (uint32_t i = 0; r == 0 && any && i < n_in + n_out; i++) {
        const int     output = i >= n_in;
        const int32_t index = (int32_t)(output ? i - n_in : i);
        blocks[i] = buffer_of(c, index, output, &sizes[i]);
        any = blocks[i] != NULL;
        if (any && !output) r = npu__nsw_NeuronExecution_setInput(e, index, NULL, blocks[i], sizes[i]);
        if (any && output) r = npu__nsw_NeuronExecution_setOutput(e, index, NULL, blocks[i], sizes[i]);
        promise(r == 0 || !any, "a buffer of the size that it must have is refused");
    }
    if (r == 0 && any) r = npu__nsw_NeuronExecution_compute(e);
    for (uint32_t i = 0; r == 0 && any && i < n_out; i++) {
        uint32_t rank = 0, dims[NPU_MAX_RANK];
        promise(npu__nsw_NeuronExecution_getOutputOperandRank(e, (int32_t)i, &rank) == 0 && rank <= NPU_MAX_RANK, "no rank behind a run");
        promise(npu__nsw_NeuronExecution_getOutputOperandDimensions(e, (int32_t)i, dims) == 0, "no dimensions behind a run");
        *hash = hash_bytes(*hash, dims, rank * sizeof *dims);
        *hash = hash_bytes(*hash, blocks[n_in + i], sizes[n_in + i]);
    }
    npu__nsw_NeuronExecution_free(e);
    for (uint32_t i = 0; i < n_in + n_out; i++) free(blocks[i]);
    free(blocks);
    free(sizes);
    return any ? r : -1;
}

/* What was restored, written and restored again, computes the same: but for relaxed networks, whose values the writer rounds. */
static void again(const npu__nsw_compilation *c, uint64_t seed, uint64_t hash) {
    uint8_t *bytes = NULL;
    size_t   n;
    void    *m = NULL, *copy = NULL;
    uint64_t other;
    meter    mem;
    npu_allocator a = metered(&mem, 0x11);
    if (npu__nsw_network_write(c->network->model, &bytes, &n) != NPU__NEURON_NO_ERROR) return;
    if (npu__nsw_restore(&m, &copy, bytes, n, &a) == NPU__NEURON_NO_ERROR) {
        const int r = run((npu__nsw_compilation *)copy, seed, &other);
        promise(r != 0 || hash == other || c->network->model->relaxed, "a network that was written again computes something else");
        npu__nsw_NeuronCompilation_free(copy);
        npu__nsw_NeuronModel_free(m);
    } else {
        promise(0, "what the adapter writes it does not restore");
    }
    promise(mem.live == 0, "a network keeps memory");
    c->allocator.free(c->allocator.user, bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    void          *m = NULL, *c = NULL;
    const uint64_t seed = hash_bytes(0xCBF29CE484222325u, bytes, n);
    uint64_t       a, b;
    meter          mem;
    npu_allocator  allocator = metered(&mem, 0x77);
    int            r;
    mem.most = MAX_BYTES;
    r = npu__nsw_restore(&m, &c, bytes, n, &allocator);
    promise(r == 0 || r == NPU__NEURON_BAD_DATA || r == NPU__NEURON_OUT_OF_MEMORY, "a code that restoring has not");
    if (r == 0) {
        r = run((npu__nsw_compilation *)c, seed, &a);
        mem.pattern = 0x5A; /* what the first run was given held other bytes */
        if (r == 0 && run((npu__nsw_compilation *)c, seed, &b) == 0) promise(a == b, "results depend on what memory held before");
        if (r == 0) again((const npu__nsw_compilation *)c, seed, a);
        npu__nsw_NeuronCompilation_free(c);
        npu__nsw_NeuronModel_free(m);
    }
    promise(mem.live == 0, "a network keeps memory");
    promise(seed == hash_bytes(0xCBF29CE484222325u, bytes, n), "the network's bytes have changed");
    return 0;
}
#endif
