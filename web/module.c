/* The WebAssembly module behind npu_rt.mjs: plain exported functions over npu_rt.h, one instance for each open model.
 *
 * Results wider than a number are left in one record (npuw_record) that JavaScript reads right after the call; border.h
 * lists what is in it. Imported are the clock and one function for operators of the caller's own. */
#define NPU_RT_STATIC
#define NPU_RT_BACKEND_ALL
#define NPU_RT_ASSERT(x) ((x) ? (void)0 : __builtin_trap())
#include "heap.h"
#define NPU_RT_MALLOC(n) heap_alloc(n)
#define NPU_RT_FREE(p) heap_free(p)
#define NPU_RT_IMPLEMENTATION
/* Built with -matomics, the module runs on shared memory: other instances of it, in workers of JavaScript's, are the crew of this one. */
#ifdef __wasm_atomics__
#define NPU_RT_THREADS
static struct npu__threads *crew(void);
#define NPU__CREW crew()
#endif
/* Small, except where the sources say otherwise: visitors download all of it but wait for the kernels only. */
#define NPU__SPEED_BEGIN _Pragma("clang attribute pop")
#define NPU__SPEED_END _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
NPU__SPEED_END
#include "npu_rt.h"

#include <stddef.h>
#include <time.h>

#include "../wasi/seed.h"
#include "border.h"

#define NPUW_EXPORT(name) __attribute__((export_name(#name))) name

__attribute__((import_module("env"), import_name("now_ms"))) double npuw_now_ms(void);

/* Instead of libc's, which would import WASI's clock. */
int clock_gettime(clockid_t clock, struct timespec *out) {
    double ms = npuw_now_ms(), s = ms / 1000;
    (void)clock;
    out->tv_sec = (time_t)s;
    out->tv_nsec = (long)((ms - (double)out->tv_sec * 1000) * 1e6);
    return 0;
}

/* ---- border.h as C ---- */

typedef uint32_t    border_word;
typedef int32_t     border_whole;
typedef double      border_real;
typedef const void *border_address;
typedef int32_t     border_dims[BORDER_MAX_RANK];

#define FIELD(type, name) border_##type name;
#define RECORD(name, fields) typedef struct border_##name { fields(FIELD) } border_##name;
BORDER_RECORDS(RECORD)

#define REPORT(name) REPORT_##name,
enum report { BORDER_REPORTS(REPORT) };

/* Fields lie as records.mjs counts: each where the one before it ends, at the next multiple of its number's size. */
_Static_assert(sizeof(border_word) == 4 && sizeof(border_address) == 4 && sizeof(border_real) == 8, "sizes");
_Static_assert(_Alignof(border_word) == 4 && _Alignof(border_address) == 4 && _Alignof(border_real) == 8, "alignment");
#define UP(n, to) (((n) + (to) - 1) / (to) * (to))
#define PLACE(type, name) \
    from_##name, at_##name = UP(from_##name, _Alignof(border_##type)), last_##name = at_##name + sizeof(border_##type) - 1,
#define LIES(type, name) _Static_assert(offsetof(record, name) == at_##name, #name);
#define PROVE(name, fields)                                                              \
    NPU__UNUSED static void prove_##name(void) {                                         \
        typedef border_##name record;                                                    \
        enum { fields(PLACE) end };                                                      \
        fields(LIES) _Static_assert(sizeof(record) == UP(end, _Alignof(record)), #name); \
    }
BORDER_RECORDS(PROVE)

#define SAME(type, name) _Static_assert(offsetof(npu_input_shape, name) == offsetof(border_shape, name), #name);
BORDER_SHAPE(SAME)
_Static_assert(sizeof(npu_input_shape) == sizeof(border_shape) && BORDER_MAX_RANK == NPU_MAX_RANK, "shapes");

#define RESULT(name, fields) border_##name name;
static union {
    BORDER_RESULTS(RESULT)
} record;
static npu_diag diag;

void     *NPUW_EXPORT(npuw_record)(void) { return &record; }
void     *NPUW_EXPORT(npuw_alloc)(size_t bytes) { return heap_alloc(bytes); }
void      NPUW_EXPORT(npuw_free)(void *p) { heap_free(p); }

const char *NPUW_EXPORT(npuw_version)(void) { return NPU_RT_VERSION; }
const char *NPUW_EXPORT(npuw_isa_name)(npu_isa isa) { return npu_isa_name(isa); }
const char *NPUW_EXPORT(npuw_type_name)(npu_type type) { return npu_type_name(type); }
const char *NPUW_EXPORT(npuw_backend_name)(int32_t i) { return npu_backend_name(i); }
const char *NPUW_EXPORT(npuw_backend_profile)(const char *name, int32_t i) { return npu_backend_profile(name, i); }
const char *NPUW_EXPORT(npuw_backend_relaxed)(const char *name, const char *profile) { return npu_backend_relaxed(name, profile); }
int         NPUW_EXPORT(npuw_backend_plans)(const char *name) { return npu_backend_plans(name); }
int         NPUW_EXPORT(npuw_backend_compiles)(const char *name) { return npu_backend_compiles(name); }
const char *NPUW_EXPORT(npuw_compare_backend)(int32_t i) { return npu_compare_backend(i); }
const char *NPUW_EXPORT(npuw_memory_mode)(int32_t i) { return npu_cost_memory_mode(i); }

static void put_diag(npu_status status) {
    border_diag *r = &record.diag;
    if (diag.status == NPU_OK) diag.status = status;
    r->exit_code = (uint32_t)npu_status_exit_code(diag.status);
    r->status = npu_status_name(diag.status);
    r->rule = diag.rule;
    r->text = diag.text[0] ? diag.text : npu_status_text(diag.status);
    r->op_name = diag.op_name;
    r->subgraph = diag.subgraph;
    r->op = diag.op;
    r->file_offset = (double)diag.file_offset;
}

static void put_tensor(const npu_tensor *t) {
    border_tensor *r = &record.tensor;
    r->name = t->name;
    r->name_len = (uint32_t)t->name_len;
    r->type = (uint32_t)t->type;
    r->channels = (uint32_t)t->quant.count;
    r->axis = t->quant.axis;
    r->scales = t->quant.scale;
    r->zero_points = t->quant.zero_point;
    r->data = t->data;
    r->bytes = (uint32_t)t->bytes;
    r->rank = (uint32_t)t->rank;
    memcpy(r->dims, t->dims, sizeof r->dims);
    memcpy(r->declared_dims, t->dims_signature, sizeof r->declared_dims);
}

#include "user_ops.h"

/* Functions that make something return 0 after a failure; the record then holds the diagnostic. */
npu_model *NPUW_EXPORT(npuw_model_open)(const void *bytes, size_t n, const border_operator *operators, int32_t n_operators) {
    npu_model     *model = NULL;
    npu_model_desc desc;
    npu_user_op   *ops = user_ops_of(operators, n_operators);
    npu_status     s = n_operators && !ops ? npu__diag_fail(&diag, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the model") : NPU_OK;
    memset(&desc, 0, sizeof desc);
    desc.operators = ops;
    desc.n_operators = n_operators;
    if (s == NPU_OK) s = npu_model_open(&model, bytes, n, &desc, &diag);
    heap_free(ops);
    if (s != NPU_OK) put_diag(s);
    return model;
}

int32_t NPUW_EXPORT(npuw_io_count)(const npu_model *model, int32_t subgraph, int output) {
    return output ? npu_model_output_count(model, subgraph) : npu_model_input_count(model, subgraph);
}

/* Any tensor as the model declares it; 0 past the end. */
int NPUW_EXPORT(npuw_model_tensor)(const npu_model *model, int32_t subgraph, int32_t i) {
    npu_tensor t;
    npu_status s = npu_model_tensor(model, subgraph, i, &t);
    if (s == NPU_OK) put_tensor(&t);
    return s == NPU_OK;
}

int NPUW_EXPORT(npuw_model_io)(const npu_model *model, int32_t subgraph, int output, int32_t i) {
    npu_tensor t;
    npu_status s = output ? npu_model_output(model, subgraph, i, &t) : npu_model_input(model, subgraph, i, &t);
    if (s == NPU_OK) put_tensor(&t);
    return s == NPU_OK;
}

npu_plan *NPUW_EXPORT(npuw_plan_create)(const npu_model *model, const npu_input_shape *shapes, int32_t n, npu_isa isa,
                                        double max_memory_bytes, int32_t resize_fixed, const char *backend,
                                        const char *profile, int32_t fallback, int32_t keep_values, int32_t threads) {
    npu_plan      *plan;
    npu_plan_desc  desc;
    npu_status     s;
    memset(&desc, 0, sizeof desc);
    desc.input_shapes = shapes;
    desc.n_input_shapes = n;
    desc.isa = isa;
    desc.max_memory_bytes = (uint64_t)max_memory_bytes;
    desc.resize_fixed = resize_fixed;
    desc.backend = backend;
    desc.profile = profile;
    desc.fallback = fallback;
    desc.keep_values = keep_values;
    desc.threads = threads;
    s = npu_plan_create(&plan, model, &desc, &diag);
    if (s != NPU_OK) put_diag(s);
    return plan;
}

void NPUW_EXPORT(npuw_plan_destroy)(npu_plan *plan) { npu_plan_destroy(plan); }
npu_isa NPUW_EXPORT(npuw_plan_isa)(const npu_plan *plan) { return npu_plan_isa(plan); }

void NPUW_EXPORT(npuw_plan_memory)(const npu_plan *plan) {
    border_memory *r = &record.memory;
    npu_memory     m;
    npu_plan_memory(plan, &m);
    r->session_bytes = (uint32_t)m.session_bytes;
    r->arena_bytes = (uint32_t)m.arena_bytes;
    r->packed_bytes = (uint32_t)m.packed_bytes;
    r->variable_bytes = (uint32_t)m.variable_bytes;
    r->plan_bytes = (uint32_t)m.plan_bytes;
    r->folded_bytes = (uint32_t)m.folded_bytes;
    r->model_bytes = (uint32_t)m.model_bytes;
    r->limit_bytes = (double)m.limit_bytes;
}

static double deadline; /* of the run under way, in the clock's milliseconds; 0: none */

static int time_is_up(void *user) {
    (void)user;
    return deadline > 0 && npuw_now_ms() >= deadline;
}

/* The last run of a traced session. */
enum { MOST_EVENTS = 1 << 16 };
static struct {
    const npu_session *session;
    border_event      *events;
    uint32_t           n, cap;
    uint64_t           origin_ns;
} trace;

static int more_events(void) {
    const uint32_t cap = trace.cap ? trace.cap * 2 : 256;
    border_event  *more = cap > MOST_EVENTS ? NULL : (border_event *)heap_alloc(cap * sizeof *more);
    if (!more) return 0;
    if (trace.n) memcpy(more, trace.events, trace.n * sizeof *more);
    heap_free(trace.events);
    trace.events = more;
    trace.cap = cap;
    return 1;
}

static void see(void *user, const npu_observed *seen) {
    npu_op_profile p;
    border_event  *e;
    (void)user;
    if (seen->moment == NPU_MOMENT_BEGIN && seen->depth == 0) {
        trace.session = seen->session;
        trace.n = 0;
        trace.origin_ns = seen->start_ns;
    }
    if (seen->moment == NPU_MOMENT_BEGIN || (trace.n == trace.cap && !more_events())) return;
    e = &trace.events[trace.n++];
    memset(e, 0, sizeof *e);
    e->name = seen->name;
    e->name_len = (uint32_t)seen->name_len;
    e->subgraph = seen->subgraph;
    e->op = seen->op;
    e->depth = seen->depth;
    e->start_ns = (double)(seen->start_ns - trace.origin_ns);
    e->ns = (double)seen->duration_ns;
    if (seen->op < 0 || npu_session_op_profile(seen->session, seen->subgraph, seen->row, &p) != NPU_OK) return;
    e->kernel = p.kernel;
    e->macs = (double)p.macs;
}

/* Event i of its last run, unless another session ran since; 0 past the end. */
int NPUW_EXPORT(npuw_trace_event)(const npu_session *session, uint32_t i) {
    if (session != trace.session || i >= trace.n) return 0;
    record.event = trace.events[i];
    return 1;
}

/* `runtime`: the version of Neuron's library that is compiled for; NULL: that of the software adapter, which runs it in any case.
 * `exact`: which does not compute float32 as float16. */
npu_session *NPUW_EXPORT(npuw_session_create)(const npu_plan *plan, int profile, double max_work, const char *runtime, int exact, int traced) {
    static npu_neuron_options options; /* sessions keep both by pointer: they are read while these are made */
    static npu_neuron_driver  neuron;
    static const npu_driver   driver = {"neuron", &neuron};
    npu_session             *session;
    npu_session_desc         desc;
    npu_status               s;
    memset(&desc, 0, sizeof desc);
    options = npu_neuron_usual_options();
    options.exact_float32 = exact;
    neuron.options = &options;
    neuron.runtime = runtime;
    desc.drivers = &driver;
    desc.n_drivers = 1;
    desc.profile = profile || traced;
    desc.observe = traced ? see : NULL;
    desc.max_work = (int64_t)max_work;
    desc.cancel = time_is_up;
    s = npu_session_create(&session, plan, &desc, &diag);
    neuron.runtime = NULL;
    if (s != NPU_OK) put_diag(s);
    return session;
}

void NPUW_EXPORT(npuw_session_destroy)(npu_session *session) {
    if (session == trace.session) trace.session = NULL;
    npu_session_destroy(session);
}

void NPUW_EXPORT(npuw_session_memory)(const npu_session *session) {
    npu_session_usage u;
    npu_session_memory(session, &u);
    record.usage.dynamic_bytes = (uint32_t)u.dynamic_bytes;
    record.usage.peak_dynamic_bytes = (uint32_t)u.peak_bytes;
}

void NPUW_EXPORT(npuw_session_reset)(npu_session *session) { npu_session_reset(session); }

int NPUW_EXPORT(npuw_session_io)(npu_session *session, int32_t subgraph, int output, int32_t i) {
    npu_tensor t;
    npu_status s = output ? npu_session_output_of(session, subgraph, i, &t)
                          : npu_session_input_of(session, subgraph, i, &t);
    if (s == NPU_OK) put_tensor(&t);
    return s == NPU_OK;
}

/* Strings of an input: addresses and lengths, `count` of each. 0 after a failure. */
int NPUW_EXPORT(npuw_set_strings)(npu_session *session, int32_t subgraph, int32_t i, const char *const *items, const size_t *lengths,
                                  uint32_t count) {
    npu_status s = npu_session_set_strings_of(session, subgraph, i, items, lengths, count, &diag);
    if (s != NPU_OK) put_diag(s);
    return s == NPU_OK;
}

/* What a tensor holds; 0 after a failure. */
int NPUW_EXPORT(npuw_session_tensor)(const npu_session *session, int32_t subgraph, int32_t i) {
    npu_tensor t;
    npu_status s = npu_session_tensor(session, subgraph, i, &t, &diag);
    if (s == NPU_OK) put_tensor(&t);
    else put_diag(s);
    return s == NPU_OK;
}

int NPUW_EXPORT(npuw_invoke)(npu_session *session, int32_t subgraph, double time_limit_ms) {
    npu_status s;
    deadline = time_limit_ms > 0 ? npuw_now_ms() + time_limit_ms : 0;
    s = npu_session_invoke_subgraph(session, subgraph, &diag);
    if (s != NPU_OK) put_diag(s);
    return s == NPU_OK;
}

int NPUW_EXPORT(npuw_op_profile)(const npu_session *session, int32_t subgraph, int32_t i) {
    border_op_profile *r = &record.op_profile;
    npu_op_profile     p;
    if (npu_session_op_profile(session, subgraph, i, &p) != NPU_OK) return 0;
    r->name = p.name;
    r->name_len = (uint32_t)p.name_len;
    r->op = (uint32_t)p.op;
    r->kernel = p.kernel;
    r->vendor = p.vendor;
    r->segment = p.segment;
    r->runs = (double)p.runs;
    r->ns = (double)p.total_ns;
    r->macs = (double)p.macs;
    return 1;
}

void NPUW_EXPORT(npuw_profile_clear)(npu_session *session) { npu_session_profile_clear(session); }

typedef struct text {
    char  *p;
    size_t n, cap;
} text;

static int grow_text(void *user, const char *piece, size_t n) {
    text *t = (text *)user;
    if (n > t->cap - t->n) {
        size_t cap = (t->n + n) * 2 + 4096;
        char  *more = (char *)heap_alloc(cap);
        if (!more) return 1;
        if (t->n) memcpy(more, t->p, t->n);
        heap_free(t->p);
        t->p = more;
        t->cap = cap;
    }
    memcpy(t->p + t->n, piece, n);
    t->n += n;
    return 0;
}

static npu_status cost(const border_question *q, npu_format format, const npu_writer *w) {
    npu_cost_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = (const char *)q->backend;
    desc.profile = (const char *)q->profile;
    desc.memory_mode = (const char *)q->memory_mode;
    desc.clock_hz = q->clock_hz;
    return npu_cost((const npu_model *)q->model, &desc, format, w, NULL, &diag);
}

static npu_status lower(const border_question *q, npu_format format, const npu_writer *w) {
    npu_lower_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = (const char *)q->backend;
    desc.profile = (const char *)q->profile;
    desc.runtime = (const char *)q->runtime;
    return npu_model_lower((const npu_model *)q->model, &desc, format, w, &diag);
}

static npu_status plan_report(const border_question *q, npu_format format, const npu_writer *w) {
    npu_plan_report_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = (const char *)q->backend;
    desc.profile = (const char *)q->profile;
    desc.fusion_rules = (const char *)q->fusion_rules;
    desc.mvpu = (const char *)q->mvpu;
    desc.clock_hz = q->clock_hz;
    desc.weight_bytes = (int64_t)q->weight_bytes;
    desc.suppress_input_conversion = (int32_t)q->suppress_input_conversion;
    desc.suppress_output_conversion = (int32_t)q->suppress_output_conversion;
    desc.software_transpose_conv = (int32_t)q->software_transpose_conv;
    return npu_model_plan_report((const npu_model *)q->model, &desc, format, w, NULL, &diag);
}

static npu_status compare(const border_question *q, npu_format format, const npu_writer *w) {
    npu_compare_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backends = (const char *const *)q->backends;
    desc.n_backends = (int32_t)q->n_backends;
    desc.sram_bytes = (int64_t)q->sram_bytes;
    desc.title = (const char *)q->title;
    desc.clock_hz = q->clock_hz;
    desc.relax_fp32 = (int32_t)q->relax_fp32;
    desc.verdicts_only = (int32_t)q->verdicts_only;
    return npu_compare((const npu_model *)q->model, &desc, NULL, 0, NULL, format, w, &diag);
}

#define FORMAT(name, value) value,
static const npu_format formats[] = {BORDER_FORMATS(FORMAT)};

static npu_status report(const border_question *q, const npu_writer *w) {
    const npu_model *model = (const npu_model *)q->model;
    const char      *backend = (const char *)q->backend, *profile = (const char *)q->profile;
    npu_format       format = formats[q->format];
    switch ((enum report)q->report) {
    case REPORT_info: return npu_model_info(model, (const npu_plan *)q->plan, format, w, &diag);
    case REPORT_dump: return npu_model_dump(model, format, w, &diag);
    case REPORT_check: return npu_check(model, backend, profile, format, w, NULL, &diag);
    case REPORT_ops: return npu_backend_ops(backend, profile, format, w, &diag);
    case REPORT_cost: return cost(q, format, w);
    case REPORT_stream: return npu_model_stream(model, format, w, &diag);
    case REPORT_lower: return lower(q, format, w);
    case REPORT_planReport: return plan_report(q, format, w);
    case REPORT_compare: return compare(q, format, w);
    }
    return NPU_INVALID_ARGUMENT;
}

/* Writes the text, for npuw_free, and its length into the question: after a failure, what had been written until then. */
int NPUW_EXPORT(npuw_report)(border_question *q) {
    text       t = {NULL, 0, 0};
    npu_writer w;
    npu_status s;
    w.user = &t;
    w.write = grow_text;
    s = report(q, &w);
    if (s != NPU_OK) put_diag(s);
    q->text = t.p;
    q->text_bytes = (uint32_t)t.n;
    return s == NPU_OK;
}

/* Fills an input as `npu_rt run --seed` does. 0 for types that have no numbers. */
int NPUW_EXPORT(npuw_fill)(uint8_t *data, size_t bytes, npu_type type, uint32_t seed_low, uint32_t seed_high,
                           uint32_t position) {
    uint64_t state = seed_start((uint64_t)seed_high << 32 | seed_low, (int32_t)position);
    return seed_fill(type, &state, data, bytes);
}

#ifdef __wasm_relaxed_simd__
#include <wasm_simd128.h>

/* Engines have shipped wrong relaxed instructions. Those the kernels use must agree with the scalar result. */
int NPUW_EXPORT(npuw_probe)(uint32_t seed) {
    int8_t  a[16], b[16];
    float   x[4], y[4], fused[4];
    int32_t dot[4];
    for (int round = 0; round < 64; round++) {
        for (int i = 0; i < 16; i++) {
            seed = seed * 1664525u + 1013904223u;
            a[i] = (int8_t)(seed >> 24);
            b[i] = (int8_t)(seed >> 16 & 127); /* the range for which the result is specified */
            x[i & 3] = (float)a[i];
            y[i & 3] = (float)b[i];
        }
        wasm_v128_store(dot, wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_v128_load(a), wasm_v128_load(b),
                                                                   wasm_i32x4_splat(round)));
        wasm_v128_store(fused, wasm_f32x4_relaxed_madd(wasm_v128_load(x), wasm_v128_load(y), wasm_f32x4_splat(0.5f)));
        for (int i = 0; i < 4; i++) {
            int32_t want = round;
            for (int k = 4 * i; k < 4 * i + 4; k++) want += a[k] * b[k];
            if (dot[i] != want || fused[i] != x[i] * y[i] + 0.5f) return 0;
        }
    }
    return 1;
}
#endif

#ifdef __wasm_atomics__
static npu__threads the_crew = {.n = 1};
static npu__threads *crew(void) { return &the_crew; }

/* `spin`: the machine has a processor for each. `awake`: the thread that runs models may not sleep, as a page's own. */
void NPUW_EXPORT(npuw_crew)(int spin, int awake) {
    the_crew.spins = spin ? NPU__SPINS : 0;
    the_crew.awake = awake;
}

/* Between runs: one worker more. */
void NPUW_EXPORT(npuw_join)(void) { the_crew.n++; }

/* A worker's life; it has a stack of its own (the exported __stack_pointer), and calls nothing else. */
void NPUW_EXPORT(npuw_work)(void) { npu__worker_loop(&the_crew); }

/* A worker trapped in its part: whoever waits for that traps as well. */
void NPUW_EXPORT(npuw_lost)(void) {
    the_crew.lost = 1;
    npu__worker_report(&the_crew);
}
#endif

#pragma clang attribute pop
