/* The WebAssembly module behind npu_rt.mjs: plain exported functions over npu_rt.h, one instance for each open model.
 *
 * Results wider than a number are left in one record of 32-bit words (npuw_record) that JavaScript reads right after
 * the call; the layouts stand beside the functions here and once more in npu_rt.mjs. The only import is the clock. */
#define NPU_RT_STATIC
#define NPU_RT_BACKEND_ALL
#define NPU_RT_ASSERT(x) ((x) ? (void)0 : __builtin_trap())
#include "heap.h"
#define NPU_RT_MALLOC(n) heap_alloc(n)
#define NPU_RT_FREE(p) heap_free(p)
#define NPU_RT_IMPLEMENTATION
/* Small, except where hot.awk says otherwise: visitors download all of it but wait for the kernels only. */
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#include "npu_rt.h"

#include <time.h>

#include "../wasi/seed.h"

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

static union {
    uint32_t w[64];
    double   d[32];
} record;
static npu_diag diag;

uint32_t *NPUW_EXPORT(npuw_record)(void) { return record.w; }
void     *NPUW_EXPORT(npuw_alloc)(size_t bytes) { return heap_alloc(bytes); }
void      NPUW_EXPORT(npuw_free)(void *p) { heap_free(p); }

const char *NPUW_EXPORT(npuw_version)(void) { return NPU_RT_VERSION; }
const char *NPUW_EXPORT(npuw_isa_name)(npu_isa isa) { return npu_isa_name(isa); }
const char *NPUW_EXPORT(npuw_type_name)(npu_type type) { return npu_type_name(type); }
const char *NPUW_EXPORT(npuw_backend_name)(int32_t i) { return npu_backend_name(i); }
const char *NPUW_EXPORT(npuw_backend_profile)(const char *name, int32_t i) { return npu_backend_profile(name, i); }
const char *NPUW_EXPORT(npuw_memory_mode)(int32_t i) { return npu_cost_memory_mode(i); }

/* w[0..7]: status, exit code, pointers to rule, text, operator name, status name; subgraph, operator. d[4]: byte. */
static void put_diag(npu_status status) {
    if (diag.status == NPU_OK) diag.status = status;
    record.w[0] = (uint32_t)diag.status;
    record.w[1] = (uint32_t)npu_status_exit_code(diag.status);
    record.w[2] = (uint32_t)(uintptr_t)diag.rule;
    record.w[3] = (uint32_t)(uintptr_t)(diag.text[0] ? diag.text : npu_status_text(diag.status));
    record.w[4] = (uint32_t)(uintptr_t)diag.op_name;
    record.w[5] = (uint32_t)(uintptr_t)npu_status_name(diag.status);
    record.w[6] = (uint32_t)diag.subgraph;
    record.w[7] = (uint32_t)diag.op;
    record.d[4] = (double)diag.file_offset;
}

/* w[0..9]: name, its length, type, rank, channels, axis, scales, zero points, data, bytes; w[10..17] dimensions;
 * w[18..25] declared dimensions; w[26]: bits of an element. */
static void put_tensor(const npu_tensor *t) {
    uint32_t *w = record.w;
    w[0] = (uint32_t)(uintptr_t)t->name;
    w[1] = (uint32_t)t->name_len;
    w[2] = (uint32_t)t->type;
    w[3] = (uint32_t)t->rank;
    w[4] = (uint32_t)t->quant.count;
    w[5] = (uint32_t)t->quant.axis;
    w[6] = (uint32_t)(uintptr_t)t->quant.scale;
    w[7] = (uint32_t)(uintptr_t)t->quant.zero_point;
    w[8] = (uint32_t)(uintptr_t)t->data;
    w[9] = (uint32_t)t->bytes;
    for (int i = 0; i < NPU_MAX_RANK; i++) {
        w[10 + i] = (uint32_t)t->dims[i];
        w[18 + i] = (uint32_t)t->dims_signature[i];
    }
    w[26] = (uint32_t)npu_type_bits(t->type);
}

/* Functions that make something return 0 after a failure; the record then holds the diagnostic. */
npu_model *NPUW_EXPORT(npuw_model_open)(const void *bytes, size_t n) {
    npu_model *model;
    npu_status s = npu_model_open(&model, bytes, n, NULL, &diag);
    if (s != NPU_OK) put_diag(s);
    return model;
}

void NPUW_EXPORT(npuw_model_close)(npu_model *model) { npu_model_close(model); }

int32_t NPUW_EXPORT(npuw_io_count)(const npu_model *model, int32_t subgraph, int output) {
    return output ? npu_model_output_count(model, subgraph) : npu_model_input_count(model, subgraph);
}

int NPUW_EXPORT(npuw_model_io)(const npu_model *model, int32_t subgraph, int output, int32_t i) {
    npu_tensor t;
    npu_status s = output ? npu_model_output(model, subgraph, i, &t) : npu_model_input(model, subgraph, i, &t);
    if (s == NPU_OK) put_tensor(&t);
    return s == NPU_OK;
}

/* `shapes`: as npu_input_shape lies in memory: subgraph, input, rank, 8 dimensions. */
npu_plan *NPUW_EXPORT(npuw_plan_create)(const npu_model *model, const npu_input_shape *shapes, int32_t n, npu_isa isa,
                                        double max_memory_bytes, int32_t resize_fixed) {
    npu_plan      *plan;
    npu_plan_desc  desc;
    npu_status     s;
    memset(&desc, 0, sizeof desc);
    desc.input_shapes = shapes;
    desc.n_input_shapes = n;
    desc.isa = isa;
    desc.max_memory_bytes = (uint64_t)max_memory_bytes;
    desc.resize_fixed = resize_fixed;
    s = npu_plan_create(&plan, model, &desc, &diag);
    if (s != NPU_OK) put_diag(s);
    return plan;
}

void NPUW_EXPORT(npuw_plan_destroy)(npu_plan *plan) { npu_plan_destroy(plan); }
npu_isa NPUW_EXPORT(npuw_plan_isa)(const npu_plan *plan) { return npu_plan_isa(plan); }

/* w[0..6] in the order of npu_memory; d[4]: its limit. */
void NPUW_EXPORT(npuw_plan_memory)(const npu_plan *plan) {
    npu_memory m;
    npu_plan_memory(plan, &m);
    record.w[0] = (uint32_t)m.session_bytes;
    record.w[1] = (uint32_t)m.arena_bytes;
    record.w[2] = (uint32_t)m.packed_bytes;
    record.w[3] = (uint32_t)m.variable_bytes;
    record.w[4] = (uint32_t)m.plan_bytes;
    record.w[5] = (uint32_t)m.folded_bytes;
    record.w[6] = (uint32_t)m.model_bytes;
    record.d[4] = (double)m.limit_bytes;
}

static double deadline; /* of the run under way, in the clock's milliseconds; 0: none */

static int time_is_up(void *user) {
    (void)user;
    return deadline > 0 && npuw_now_ms() >= deadline;
}

npu_session *NPUW_EXPORT(npuw_session_create)(const npu_plan *plan, int profile, double max_work) {
    npu_session     *session;
    npu_session_desc desc;
    npu_status       s;
    memset(&desc, 0, sizeof desc);
    desc.profile = profile;
    desc.max_work = (int64_t)max_work;
    desc.cancel = time_is_up;
    s = npu_session_create(&session, plan, &desc, &diag);
    if (s != NPU_OK) put_diag(s);
    return session;
}

void NPUW_EXPORT(npuw_session_destroy)(npu_session *session) { npu_session_destroy(session); }

/* w[0..1]: bytes of data-dependent tensors now, and with their work memory at the peak. */
void NPUW_EXPORT(npuw_session_memory)(const npu_session *session) {
    npu_session_usage u;
    npu_session_memory(session, &u);
    record.w[0] = (uint32_t)u.dynamic_bytes;
    record.w[1] = (uint32_t)u.peak_bytes;
}

void NPUW_EXPORT(npuw_session_reset)(npu_session *session) { npu_session_reset(session); }

int NPUW_EXPORT(npuw_session_io)(npu_session *session, int32_t subgraph, int output, int32_t i) {
    npu_tensor t;
    npu_status s = output ? npu_session_output_of(session, subgraph, i, &t)
                          : npu_session_input_of(session, subgraph, i, &t);
    if (s == NPU_OK) put_tensor(&t);
    return s == NPU_OK;
}

int NPUW_EXPORT(npuw_invoke)(npu_session *session, int32_t subgraph, double time_limit_ms) {
    npu_status s;
    deadline = time_limit_ms > 0 ? npuw_now_ms() + time_limit_ms : 0;
    s = npu_session_invoke_subgraph(session, subgraph, &diag);
    if (s != NPU_OK) put_diag(s);
    return s == NPU_OK;
}

/* w[0..3]: name, its length, operator, kernel; d[2..4]: runs, nanoseconds, MACs. */
int NPUW_EXPORT(npuw_op_profile)(const npu_session *session, int32_t subgraph, int32_t i) {
    npu_op_profile p;
    if (npu_session_op_profile(session, subgraph, i, &p) != NPU_OK) return 0;
    record.w[0] = (uint32_t)(uintptr_t)p.name;
    record.w[1] = (uint32_t)p.name_len;
    record.w[2] = (uint32_t)p.op;
    record.w[3] = (uint32_t)(uintptr_t)p.kernel;
    record.d[2] = (double)p.runs;
    record.d[3] = (double)p.total_ns;
    record.d[4] = (double)p.macs;
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

/* What a report is about, as npu_rt.mjs lays it out: pointers may be NULL, the clock may be 0. */
typedef struct question {
    const npu_model *model;
    const npu_plan  *plan;
    const char      *backend, *profile, *memory_mode;
    npu_format       format;
    double           clock_hz;
} question;

static npu_status cost(const question *q, const npu_writer *w) {
    npu_cost_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = q->backend;
    desc.profile = q->profile;
    desc.memory_mode = q->memory_mode;
    desc.clock_hz = q->clock_hz;
    return npu_cost(q->model, &desc, q->format, w, NULL, &diag);
}

static npu_status report(int kind, const question *q, const npu_writer *w) {
    switch (kind) {
    case 0: return npu_model_info(q->model, q->plan, q->format, w, &diag);
    case 1: return npu_model_dump(q->model, q->format, w, &diag);
    case 2: return npu_check(q->model, q->backend, q->profile, q->format, w, NULL, &diag);
    case 3: return npu_backend_ops(q->backend, q->profile, q->format, w, &diag);
    case 4: return cost(q, w);
    default: return npu_model_stream(q->model, q->format, w, &diag);
    }
}

/* `kind`: 0 info, 1 dump, 2 check, 3 the ops of a backend, 4 cost, 5 stream. w[10]: the text, for npuw_free; w[11]: its
 * length. After a failure, what had been written until then. */
int NPUW_EXPORT(npuw_report)(int kind, const question *q) {
    text       t = {NULL, 0, 0};
    npu_writer w;
    npu_status s;
    w.user = &t;
    w.write = grow_text;
    s = report(kind, q, &w);
    if (s != NPU_OK) put_diag(s);
    record.w[10] = (uint32_t)(uintptr_t)t.p;
    record.w[11] = (uint32_t)t.n;
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

#pragma clang attribute pop
