/* libFuzzer target: any bytes through the library, as far as FUZZ_STAGE says.
 *
 *     FUZZ_STAGE 0 open and dump, 1 plan and info, 2 the reports, 3 run
 *     FUZZ_PRODUCTION      the limits that callers get who set none, but for the work of a run; otherwise small ones
 *     FUZZ_THREADS n       run on n threads too: same bytes out
 *     FUZZ_BACKEND name    plan for this backend, profile and fallback by the file's hash, and run what it lowers; its program as text
 *     FUZZ_OLD_API         for headers of before sessions had work limits
 *
 * Beside crashes it sees: results that depend on what memory held before, on the run or on threads; writing to the
 * model's bytes; memory beyond the limits; memory that a fixed buffer does not get back. The library is linked: library.c. */
#include "npu_rt.h"

#include <string.h>

#include "watch.h"

#ifndef FUZZ_STAGE
#define FUZZ_STAGE 3
#endif
#ifndef FUZZ_THREADS
#define FUZZ_THREADS 1
#endif
#define MAX_STEPS ((int64_t)1 << 22) /* of an invoke */

static npu_model_desc model_limits(void) {
    npu_model_desc d;
    memset(&d, 0, sizeof d);
#ifndef FUZZ_PRODUCTION
    /* Pooling windows that span all of a large input are slow by right. */
    d.max_tensor_bytes = FUZZ_STAGE > 1 ? 1 << 15 : 1 << 20;
#  ifndef FUZZ_OLD_API
    d.max_memory_bytes = (uint64_t)1 << 20;
#  endif
#endif
    return d;
}

#ifdef FUZZ_BACKEND
/* Any version of the backend's rules. */
static const char *rules_of(uint64_t hash) {
    int32_t n = 0;
    while (npu_backend_profile(FUZZ_BACKEND, n)) n++;
    return n ? npu_backend_profile(FUZZ_BACKEND, (int32_t)((hash >> 40) % (uint64_t)n)) : NULL;
}
#endif

static npu_plan_desc plan_limits(uint64_t hash) {
    npu_plan_desc d;
    memset(&d, 0, sizeof d);
    d.threads = FUZZ_THREADS;
#ifdef FUZZ_BACKEND
    d.backend = FUZZ_BACKEND;
    d.profile = rules_of(hash);
    d.fallback = (hash >> 17 & 3) != 0;
#endif
#ifndef FUZZ_OLD_API
    d.keep_values = (int32_t)(hash >> 47 & 1);
#endif
#ifndef FUZZ_PRODUCTION
    d.max_memory_bytes = (uint64_t)1 << (18 + hash % 7);
#else
    (void)hash;
#endif
    return d;
}

#if FUZZ_STAGE == 3

#ifndef FUZZ_OLD_API
/* Stops after some questions, if at all. */
static int cancel(void *user) {
    int *left = (int *)user;
    return *left > 0 && --*left == 0;
}
#endif

static npu_session_desc session_limits(int *questions) {
    npu_session_desc d;
    memset(&d, 0, sizeof d);
    d.max_loop_runs = 100;
#ifndef FUZZ_OLD_API
    d.max_work = MAX_STEPS;
    d.cancel = cancel;
    d.cancel_user = questions;
#else
    (void)questions;
#endif
    return d;
}

/* Old headers only know multiplications: models with many are left alone. */
static int is_short(const npu_model *model, npu_session *s) {
#ifdef FUZZ_OLD_API
    int64_t macs = 0;
    for (int32_t g = 0; g < npu_model_subgraph_count(model); g++) {
        for (int32_t i = 0; i < npu_session_op_count(s, g); i++) {
            npu_op_profile p;
            if (npu_session_op_profile(s, g, i, &p) == NPU_OK && p.macs > 0) macs += p.macs < MAX_STEPS ? p.macs : MAX_STEPS;
        }
    }
    return macs < MAX_STEPS;
#else
    (void)model;
    (void)s;
    return 1;
#endif
}

/* Inputs from the file's hash: zeros, small numbers (indices, axes), larger ones (shapes), or any bytes. */
static void fill(npu_tensor *t, uint64_t seed) {
    size_t elem = (size_t)npu_type_bits(t->type) / 8, step = elem ? elem : 1;
    int    kind = (int)(seed % 4);
    for (size_t i = 0; i < t->bytes; i++) {
        if (i == 65536) { /* the rest of a large one repeats it */
            for (; i + 65536 <= t->bytes; i += 65536) memcpy((uint8_t *)t->data + i, t->data, 65536);
            memset((uint8_t *)t->data + i, 1, t->bytes - i);
            return;
        }
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ((uint8_t *)t->data)[i] = kind == 0 ? 0 : kind == 3 ? (uint8_t)(seed >> 56) : i % step ? 0 : (uint8_t)(seed >> (kind == 1 ? 61 : 57));
    }
}

#ifndef FUZZ_OLD_API
static int64_t elements(const npu_tensor *t) {
    int64_t n = 1;
    for (int32_t d = 0; d < t->rank && n <= 4096; d++) n *= t->dims[d];
    return n;
}

/* Words of several lengths for an input of strings that has few. */
static void fill_strings(npu_session *s, int32_t g, int32_t i, const npu_tensor *t, uint64_t seed) {
    static const char *const words[4] = {"", "a", "a few words", "99"};
    const char              *items[4096];
    const int64_t            n = elements(t);
    if (n > 4096) return;
    for (int64_t k = 0; k < n; k++) items[k] = words[(seed >> (k & 31)) & 3];
    promise(npu_session_set_strings_of(s, g, i, items, NULL, (size_t)n, NULL) != NPU_BAD_INPUT, "strings are refused");
}

/* Every string of an output can be read. */
static void read_strings(const npu_tensor *t) {
    const int64_t n = elements(t);
    const char   *p;
    size_t        length;
    for (int64_t k = 0; n <= 4096 && k < n; k++) {
        promise(npu_tensor_string(t, k, &p, &length) == NPU_OK, "a string that cannot be read");
        (void)hash_bytes(0, p, length);
    }
}
#endif

/* One invoke of one subgraph; hashes of the shapes of what it is given, and of all that comes out. */
static npu_status invoke(const npu_model *model, npu_session *s, int32_t g, uint64_t seed, uint64_t *given, uint64_t *out) {
    npu_tensor t;
    npu_diag   diag;
    npu_status status;
    npu_session_reset(s);
    *given = 1;
    for (int32_t i = 0; i < npu_model_input_count(model, g); i++) {
        if (npu_session_input_of(s, g, i, &t) != NPU_OK) continue;
        *given = hash_bytes(*given, t.dims, (size_t)t.rank * sizeof *t.dims);
        if (t.bytes) fill(&t, seed + (uint64_t)i);
#ifndef FUZZ_OLD_API
        if (npu_session_input_of(s, g, i, &t) == NPU_OK && t.type == NPU_STRING) fill_strings(s, g, i, &t, seed + (uint64_t)i);
#endif
    }
    status = npu_session_invoke_subgraph(s, g, &diag);
    promise(status == NPU_OK || (diag.status == status && diag.rule && diag.rule[0] && diag.text[0]),
            "a failure without a rule or a sentence");
    *out = (uint64_t)status;
    for (int32_t i = 0; status == NPU_OK && i < npu_model_output_count(model, g); i++) {
        if (npu_session_output_of(s, g, i, &t) != NPU_OK || !t.bytes) continue;
        promise(t.data != NULL, "an output that has bytes but no data");
#ifndef FUZZ_OLD_API
        if (t.type == NPU_STRING) read_strings(&t);
#endif
        *out = hash_bytes(*out, t.data, t.bytes < ((size_t)1 << 20) ? t.bytes : (size_t)1 << 20);
    }
    return status;
}

#define MOST_SUBGRAPHS 8

#ifndef FUZZ_OLD_API
/* Both ends of a value, and that it is equal to itself. */
static uint64_t touch(const npu_tensor *t, uint64_t sum) {
    const size_t   few = t->bytes < 4096 ? t->bytes : 4096;
    npu_difference d;
    if (!t->data) return sum;
    if (t->bytes < 65536 && npu_tensor_compare(t, t, &d, NULL) == NPU_OK) {
        promise(d.differing == 0 && !(d.max_abs > 0) && d.nans == 0, "a tensor differs from itself");
    }
    return hash_bytes(hash_bytes(sum, t->data, few), (const uint8_t *)t->data + t->bytes - few, few);
}

/* An observer that looks at all it may. */
static void look_on(void *user, const npu_observed *seen) {
    npu_tensor t;
    for (int32_t i = 0; i < seen->n_tensors && i < 64; i++) {
        if (npu_observed_tensor(seen, i, &t, NULL) == NPU_OK) *(uint64_t *)user = touch(&t, *(uint64_t *)user);
    }
}

/* All that can still be seen of a run. */
static void look_back(const npu_model *model, const npu_session *s, uint64_t *sum) {
    npu_tensor t;
    for (int32_t g = 0; g < npu_model_subgraph_count(model) && g < MOST_SUBGRAPHS; g++) {
        for (int32_t i = 0; i < npu_model_tensor_count(model, g) && i < 256; i++) {
            if (npu_session_tensor(s, g, i, &t, NULL) == NPU_OK) *sum = touch(&t, *sum);
        }
    }
}
#endif

/* What a session gives for each subgraph: status, and the hashes of the shapes of what goes in and of all that comes out. */
typedef struct results {
    npu_status status[MOST_SUBGRAPHS];
    uint64_t   given[MOST_SUBGRAPHS];
    uint64_t   hash[MOST_SUBGRAPHS];
} results;

/* Runs every subgraph once in a session of its own (and, with `twice`, again); false: no session, or too much work. */
static int run_all(const npu_model *model, const npu_plan *plan, const npu_session_desc *sd, uint64_t hash, int twice,
                   results *r) {
    npu_session *s = NULL;
    int          n = npu_model_subgraph_count(model), ok;
    if (npu_session_create(&s, plan, sd, NULL) != NPU_OK) return 0;
    ok = is_short(model, s);
    for (int32_t g = 0; ok && g < n && g < MOST_SUBGRAPHS; g++) {
        uint64_t given, again;
        r->status[g] = invoke(model, s, g, hash + (uint64_t)g, &r->given[g], &r->hash[g]);
#ifndef FUZZ_OLD_API
        if (sd->observe) look_back(model, s, (uint64_t *)sd->observe_user);
#endif
        if (!twice || r->status[g] != NPU_OK || invoke(model, s, g, hash + (uint64_t)g, &given, &again) != NPU_OK) continue;
        promise(r->hash[g] == again, "a second run gives other results");
    }
    npu_session_destroy(s);
    return ok;
}

/* Sessions whose memory held different bytes before, one after the other, and a second run of the first: all give the same.
 * The first one's memory counts with the plan's, in `m`. */
static void run(const npu_model *model, const npu_plan *plan, uint64_t hash, int compiled, meter *m,
                const npu_allocator *fixed) {
    results          a, b;
    meter            m_b;
    size_t           before = m->live;
    int              questions = hash >> 8 & 7 ? 0 : (int)(hash >> 11 & 31) + 1, go_on;
    npu_session_desc sd = session_limits(&questions);
#ifndef FUZZ_OLD_API
    uint64_t         seen = 0;
#endif
    sd.threads = FUZZ_THREADS;
    m->pattern = 0x5A;
    sd.allocator = fixed ? *fixed : meter_of(m);
#ifndef FUZZ_OLD_API
    if (hash >> 46 & 1) { /* which changes nothing: the other session has no observer */
        sd.observe = look_on;
        sd.observe_user = &seen;
    }
#endif
    go_on = run_all(model, plan, &sd, hash, !compiled, &a);
#ifndef FUZZ_OLD_API
    sd.observe = NULL;
#endif
    promise(m->live == before, "a session keeps memory");
    sd.threads = 1;
    sd.allocator = fixed ? *fixed : metered(&m_b, 0xA5);
    if (!go_on || !run_all(model, plan, &sd, hash, 0, &b)) return;
    for (int32_t g = 0; g < npu_model_subgraph_count(model) && g < MOST_SUBGRAPHS; g++) {
        if (a.status[g] != NPU_OK || b.status[g] != NPU_OK) continue;
        /* A loop that ends at a limit, which is not the same for both, leaves other shapes in what it calls. */
        if (a.given[g] != b.given[g]) continue;
        promise(a.hash[g] == b.hash[g], "results depend on what memory held before, or on threads");
    }
}

#endif

/* A stream may read what its last run left in its scratch memory, which nobody clears: a second run says nothing then. */
static int is_compiled(const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i + 7 <= n; i++) if (memcmp(bytes + i, "ethos-u", 7) == 0) return 1;
    return 0;
}

static void plan(const npu_model *model, uint64_t hash, int compiled, const npu_allocator *fixed) {
    npu_plan     *p = NULL;
    npu_plan_desc pd = plan_limits(hash);
    npu_diag      diag;
    meter         m;
    size_t        text;
    npu_writer    w = dropped(&text);
    uint64_t      most = pd.max_memory_bytes ? pd.max_memory_bytes : (uint64_t)1 << 30;
    npu_status    s;
    pd.allocator = metered(&m, 0x33);
    if (fixed) pd.allocator = *fixed;
    s = npu_plan_create(&p, model, &pd, &diag);
    promise(s == NPU_OK || (diag.status == s && diag.rule && diag.rule[0] && diag.text[0]), "a failure without a rule or a sentence");
    if (s == NPU_OK && FUZZ_STAGE == 1) {
        npu_model_info(model, p, hash & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, &w, &diag);
    }
#if FUZZ_STAGE == 3
    if (s == NPU_OK) run(model, p, hash, compiled, &m, fixed);
#else
    (void)compiled;
#endif
    npu_plan_destroy(p);
    promise(m.live == 0, "a plan keeps memory");
    promise(m.peak <= most, "plan and session take more than the limit");
}

#ifdef FUZZ_BACKEND
/* What the backend would be told, in some format, for an adapter of some version. */
static void lower(const npu_model *model, uint64_t hash) {
    static const npu_format  formats[] = {NPU_FORMAT_TEXT, NPU_FORMAT_JSON, NPU_FORMAT_DOT};
    static const char *const versions[] = {NULL, "8.1.0", "8.2.26", "8.2.28"};
    npu_lower_desc           d = {FUZZ_BACKEND, rules_of(hash), versions[hash >> 20 & 3]};
    npu_diag                 diag;
    size_t                   text;
    npu_writer               w = dropped(&text);
    npu_status               s = npu_model_lower(model, &d, formats[(hash >> 22) % 3], &w, &diag);
    promise(s == NPU_OK || (diag.status == s && diag.rule && diag.rule[0] && diag.text[0]), "a failure without a rule or a sentence");
}
#endif

#ifndef FUZZ_OLD_API
/* Two NPUs side by side, or (seldom: it takes as long as all other reports) all of them. */
static void side_by_side(const npu_model *model, uint64_t hash, const char *backend) {
    static const npu_format formats[] = {NPU_FORMAT_TEXT, NPU_FORMAT_JSON, NPU_FORMAT_MARKDOWN, NPU_FORMAT_HTML};
    const char             *two[2];
    npu_compare_desc        d;
    npu_fit                 fits[3];
    npu_diag                diag;
    size_t                  text;
    npu_writer              w = dropped(&text);
    two[0] = backend;
    two[1] = "neuron";
    memset(&d, 0, sizeof d);
    d.backends = hash >> 36 & 7 ? two : NULL;
    d.n_backends = 2;
    d.sram_bytes = (int64_t)(hash >> 39 & 1) << 14;
    d.clock_hz = hash >> 40 & 1 ? 8e8 : 0;
    d.title = hash >> 41 & 1 ? "<a title>" : NULL;
    npu_compare(model, &d, fits, 3, NULL, formats[(hash >> 42) % 4], &w, &diag);
}
#endif

/* One backend by the hash, all its profiles; its cost; what was compiled for it; all that is known of the model. */
static void reports(const npu_model *model, uint64_t hash) {
    const char   *backend, *profile;
    npu_diag      diag;
    int32_t       n_backends = 0, n_modes = 0;
    npu_cost_desc cost;
    size_t        text;
    npu_writer    w = dropped(&text);
    npu_format    format = hash & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT;
    while (npu_backend_name(n_backends)) n_backends++;
    while (npu_cost_memory_mode(n_modes)) n_modes++;
    backend = npu_backend_name((int32_t)((hash >> 8) % (uint64_t)n_backends));
    for (int32_t i = 0; (profile = npu_backend_profile(backend, i)) != NULL; i++) {
        npu_check(model, backend, profile, format, &w, NULL, &diag);
#ifndef FUZZ_OLD_API
        {
            static const npu_format formats[] = {NPU_FORMAT_TEXT, NPU_FORMAT_JSON, NPU_FORMAT_DOT};
            npu_lower_desc          lower = {backend, profile, hash >> 28 & 1 ? "8.1.0" : hash >> 29 & 1 ? "8.2.26" : NULL};
            npu_model_lower(model, &lower, formats[(hash >> 30) % 3], &w, &diag);
        }
        {
            static const char    orders[] = "A: CONV MATH1 MATH2 ACT1|ACT2 RESIZE POOL\nB: MATH1|MATH2 ACT1 POOL\nD: CONV MATH2 ACT2\n";
            npu_plan_report_desc plan;
            memset(&plan, 0, sizeof plan);
            plan.backend = backend;
            plan.profile = profile;
            plan.fusion_rules = hash >> 31 & 1 ? orders : NULL;
            plan.mvpu = hash >> 32 & 1 ? "SOFTMAX,RESHAPE," : NULL;
            plan.weight_bytes = (int64_t)(hash >> 33 & 1) << 16;
            plan.suppress_input_conversion = (int32_t)(hash >> 34 & 1);
            plan.suppress_output_conversion = (int32_t)(hash >> 35 & 1);
            npu_model_plan_report(model, &plan, format, &w, NULL, &diag);
        }
#endif
        if (hash % 64 == 0) npu_backend_ops(backend, profile, (npu_format)(hash >> 16 & 1), &w, &diag);
    }
    memset(&cost, 0, sizeof cost);
    cost.backend = backend;
    cost.memory_mode = hash >> 20 & 1 ? npu_cost_memory_mode((int32_t)((hash >> 24) % (uint64_t)n_modes)) : NULL;
    npu_cost(model, &cost, format, &w, NULL, &diag);
#ifndef FUZZ_OLD_API
    side_by_side(model, hash, backend);
#endif
    npu_model_stream(model, format, &w, &diag);
    npu_model_info(model, NULL, format, &w, &diag);
    npu_model_dump(model, hash >> 45 & 1 ? NPU_FORMAT_DOT : format, &w, &diag);
}

/* All memory from one buffer, which must be empty in the end: every second time for inputs of some hashes. */
static npu_allocator fixed_allocator(npu_fixed_buffer *state) {
    static uint8_t *block;
    size_t          bytes = (size_t)1 << 25;
    if (!block) block = (uint8_t *)malloc(bytes);
    if (!block) abort();
    return npu_fixed_allocator(state, block, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    npu_model       *model = NULL;
    npu_model_desc   md = model_limits();
    npu_diag         diag;
    npu_fixed_buffer state;
    npu_allocator    fixed;
    meter            m;
    uint64_t         hash = hash_bytes(0xCBF29CE484222325u, bytes, n);
    int              is_fixed = FUZZ_STAGE == 3 && (hash >> 40) % 4 == 0;
    size_t           text;
    npu_writer       w = dropped(&text);
    npu_status       s;
    if (is_fixed) fixed = fixed_allocator(&state);
    md.allocator = is_fixed ? fixed : metered(&m, 0x77);
    s = npu_model_open(&model, bytes, n, &md, &diag);
    promise(s == NPU_OK || (diag.status == s && diag.rule && diag.rule[0] && diag.text[0]), "a failure without a rule or a sentence");
#ifndef FUZZ_OLD_API
    promise(is_fixed || m.peak <= (md.max_memory_bytes ? md.max_memory_bytes : ((uint64_t)64 << 20) + 4 * n),
            "a model takes more than the limit");
#endif
    if (s == NPU_OK) {
        if (FUZZ_STAGE == 0) npu_model_dump(model, hash & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, &w, &diag);
        if (FUZZ_STAGE == 2) reports(model, hash);
#ifdef FUZZ_BACKEND
        lower(model, hash);
#endif
        if (FUZZ_STAGE == 1 || FUZZ_STAGE == 3) plan(model, hash, is_compiled(bytes, n), is_fixed ? &fixed : NULL);
    }
    npu_model_close(model);
    if (is_fixed) promise(state.used == 0, "a fixed buffer is not empty in the end");
    else promise(m.live == 0, "a model keeps memory");
    promise(hash == hash_bytes(0xCBF29CE484222325u, bytes, n), "the model's bytes have changed");
    return 0;
}
