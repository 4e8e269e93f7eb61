/* The row of the vendor, its rules, and the four ways of a segment. */
#include "loopback.h"

/* ---- rules: one profile takes all four operators, the older one two of them ---- */

enum { LOOP_OLD = 1, LOOP_NEW = 2 };

static int loop_rank(const npu__rule *rule, const npu__ctx *c, npu__got *got) {
    for (int32_t i = 0; i < c->n_in; i++) {
        if (c->in[i] && c->in[i]->shape.rank > rule->hi) return npu__got_f(got, "input %d has rank %d", i, c->in[i]->shape.rank);
    }
    return 0;
}

static int loop_is_string(const npu__rule *rule, const npu__ctx *c, npu__got *got) {
    NPU__GOT_CLEAR(got);
    (void)rule;
    for (int32_t i = 0; i < c->n_in; i++) if (c->in[i] && c->in[i]->type == NPU_STRING) npu__got_add(got, "input %d", i);
    for (int32_t i = 0; i < c->n_in; i++) if (c->in[i] && c->in[i]->type == NPU_STRING) return 1;
    return 0;
}

static const npu__target     loop_targets[] = {{"loopback", NULL, 1u, 1}};
static const npu__profile    loop_profiles[] = {
    {"old", NPU__PROSE("Loopback 1"), NPU__PROSE("Takes two operators."), LOOP_OLD, 1u, 0, 0, NULL, NULL, NULL},
    {"new", NPU__PROSE("Loopback 2"), NPU__PROSE("Takes four operators."), LOOP_NEW, 1u, 0, 0, NULL, NULL, NULL}};
static const npu__backend_op loop_ops[] = {{"ADD", NPU__BUILTIN_ADD, 0u, LOOP_OLD | LOOP_NEW, NULL},
                                           {"RELU", NPU__BUILTIN_RELU, 0u, LOOP_OLD | LOOP_NEW, NULL},
                                           {"FULLY_CONNECTED", NPU__BUILTIN_FULLY_CONNECTED, 0u, LOOP_NEW, NULL},
                                           {"SVDF", NPU__BUILTIN_SVDF, 0u, LOOP_NEW, NULL}};
static const npu__rule       loop_rules[] = {
    {"loopback.rank", NPU__PROSE("tensors must have 4 dimensions at most"), NPU__PROSE("4"), NPU__PROSE("Reshape them."),
     NPU__PROSE("shapes"), NPU__PROSE("rank"), 0, NPU__EVERY_OP, 0u, 0u, LOOP_OLD | LOOP_NEW, INT64_MIN, 4, loop_rank},
    {"loopback.string", NPU__PROSE("data must be numbers"), NPU__PROSE("numbers"), NPU__PROSE("Leave it out."), NPU__PROSE("types"),
     NPU__PROSE("types"), 0, NPU__EVERY_OP, 0u, 0u, LOOP_OLD | LOOP_NEW, 1, 0, loop_is_string}};
static int loop_pair(const npu__rule *rule, const npu__ctx *c, npu__got *got) {
    (void)rule;
    return npu__got_f(got, "%d inputs", c->n_in);
}

static const npu__rule       loop_warnings[] = {
    {"loopback.add.twice", NPU__PROSE("two passes are made"), NPU__PROSE("NONE"), NPU__PROSE("It takes longer."), NPU__PROSE("adds"),
     NPU__PROSE("adds"), 0, NPU__BUILTIN_ADD, 0u, 0u, LOOP_OLD | LOOP_NEW, 1, 0, loop_pair}};
static const npu__rule       loop_not_listed = {
    "loopback.not_listed", NPU__PROSE("the operator must be in the list"), NPU__PROSE("ADD"), NPU__PROSE("Leave it to the CPU."),
    NPU__PROSE("list"), NPU__PROSE("list"), 0, NPU__ANY_OP, 0u, 0u, LOOP_OLD | LOOP_NEW, 1, 0, NULL};

static const npu__ruleset *loop_ruleset(void) {
    static const npu__ruleset set = {1, 2, 4, 2, loop_targets, loop_profiles, loop_ops, loop_rules, &loop_not_listed, NULL, 1,
                                     loop_warnings};
    return &set;
}

/* ---- the program: entry 0 is the whole, then one an operator ---- */

enum { LOOP_ON_CPU, LOOP_RELU, LOOP_ADD, LOOP_FC };

typedef struct loop_op {
    int32_t how;
    int32_t at;     /* native: its result in the scratch memory, where the plan gives it none */
    int32_t packed; /* entry 0: slots */
    int32_t state, scratch;
} loop_op;

#if NPU__HAS_REPORTS
#define LOOP_SIZES(X) X(loop_op, 20, 20, 20)
enum { LOOP_SIZES(NPU__SIZE_ROW) LOOP_ON_END };
#endif

static const uint8_t loop_magic[4] = {'l', 'o', 'o', 'p'};

/* Fails if it is to fail now, which is call number `now` of this kind. */
static npu_status loop_fails(npu__seg *seg, loop_phase phase, int now, const char *what) {
    if (loop.fail != phase || now != loop.at_segment) return NPU_OK;
    if (loop.silent) return (npu_status)loop.status;
    return NPU__FAIL(&seg->ctx, (npu_status)loop.status, "loopback.fails", "it cannot %s this", what);
}

static int32_t loop_how(const npu__ctx *c) {
    if (c->out[0]->type != NPU_FLOAT32 || c->out[0]->bytes != c->in[0]->bytes) return LOOP_ON_CPU;
    if (c->node->code == NPU__BUILTIN_RELU) return LOOP_RELU;
    if (c->node->code == NPU__BUILTIN_FULLY_CONNECTED && loop.own_fc) return LOOP_FC;
    if (c->node->code != NPU__BUILTIN_ADD || c->in[1]->bytes != c->in[0]->bytes) return LOOP_ON_CPU;
    return NPU__OPTIONS(c->node, AddOptions)->fused_activation_function ? LOOP_ON_CPU : LOOP_ADD;
}

static npu_status loop_lower(npu__seg *seg) {
    loop_op *ops;
    void    *memory;
    size_t   scratch = 0;
    loop.largest = NPU__MAX(loop.largest, seg->n_nodes);
    NPU__TRY(loop_fails(seg, LOOP_LOWER, loop.lowered++, "compile"));
    do NPU__POLL(&seg->ctx, 1 << 20); while (loop.endless == 1);
    NPU__TRY(npu__seg_alloc(seg, (size_t)seg->n_nodes + 1, NPU__SIZE(loop_op), &memory));
    ops = (loop_op *)memory;
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        const npu__ctx *c = seg->nodes[i];
        loop_op        *op = &ops[i + 1];
        op->how = loop_how(c);
        if (op->how == LOOP_ON_CPU) {
            npu__seg_keep(seg, i);
            continue;
        }
        op->at = (int32_t)scratch;
        if (!npu__add_size(scratch, npu__align_up(c->out[0]->bytes, 64), &scratch)) return NPU_LIMIT;
        loop.native++;
    }
    if (loop.much_memory && npu__want_scratch(&seg->ctx, SIZE_MAX / 2) < 0) return NPU_LIMIT;
    for (int i = 0; loop.many_slots && i < 100; i++) if (npu__want_scratch(&seg->ctx, 1) < 0) return NPU_LIMIT;
    ops[0].scratch = npu__want_scratch(&seg->ctx, scratch);
    ops[0].packed = npu__want_packed(&seg->ctx, sizeof loop_magic);
    ops[0].state = npu__want_state(&seg->ctx, sizeof(int32_t));
    if (ops[0].scratch < 0 || ops[0].packed < 0 || ops[0].state < 0) return NPU_LIMIT;
    loop.operators += seg->n_nodes;
    seg->ctx.data = ops;
    return NPU_OK;
}

static npu_status loop_prepare(npu__seg *seg) {
    const loop_op *ops = (const loop_op *)seg->ctx.data;
    NPU__TRY(loop_fails(seg, LOOP_PREPARE, loop.prepared++, "prepare"));
    memcpy(npu__slot(&seg->ctx, ops[0].packed), loop_magic, sizeof loop_magic);
    return NPU_OK;
}

static void loop_release(npu__seg *seg) {
    const loop_op *ops = (const loop_op *)seg->ctx.data;
    NPU__ASSERT(memcmp(npu__slot(&seg->ctx, ops[0].packed), loop_magic, sizeof loop_magic) == 0);
    (void)ops;
    loop.released++;
}

/* Where a value lies: in the plan's memory, or in that of the segment. */
static float *loop_value(npu__seg *seg, const npu__val *v) {
    const loop_op *ops = (const loop_op *)seg->ctx.data;
    if (v->data) return (float *)v->data;
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        uint8_t *scratch = (uint8_t *)npu__slot(&seg->ctx, ops[0].scratch);
        if (seg->nodes[i]->out[0] == v) return (float *)(void *)(scratch + ops[i + 1].at);
    }
    return NULL;
}

static void loop_fc(npu__seg *seg, const npu__ctx *c) {
    const float *a = loop_value(seg, c->in[0]), *w = (const float *)c->in[1]->data, *bias = (const float *)c->in[2]->data;
    float       *out = loop_value(seg, c->out[0]);
    const int    n = c->in[1]->shape.dims[1], m = c->in[1]->shape.dims[0];
    for (int row = 0; row < c->in[0]->shape.dims[0]; row++, a += n, out += m) {
        for (int i = 0; i < m; i++) {
            out[i] = bias[i];
            for (int k = 0; k < n; k++) out[i] += a[k] * w[i * n + k];
        }
    }
}

static void loop_native(npu__seg *seg, const npu__ctx *c, int32_t how) {
    const float *a = loop_value(seg, c->in[0]), *b = how == LOOP_ADD ? loop_value(seg, c->in[1]) : NULL;
    float       *out = loop_value(seg, c->out[0]);
    for (size_t i = 0; i < c->out[0]->bytes / sizeof *out; i++) out[i] = b ? a[i] + b[i] : a[i] < 0 ? 0 : a[i]; /* RELU(-0) is -0 */
}

static npu_status loop_invoke(npu__seg *seg) {
    const loop_op     *ops = (const loop_op *)seg->ctx.data;
    const loop_driver *driver = (const loop_driver *)npu__driver(&seg->ctx, NPU__VENDOR_NR_loopback);
    int32_t           *runs = (int32_t *)npu__slot(&seg->ctx, ops[0].state);
    if (memcmp(npu__slot(&seg->ctx, ops[0].packed), loop_magic, sizeof loop_magic) != 0) return NPU_RUNTIME;
    if (driver && driver->run(driver->user, seg->n_nodes)) return NPU__FAIL(&seg->ctx, NPU_RUNTIME, "loopback.device", "it fails");
    (*runs)++;
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        if (i == seg->n_nodes / 2) NPU__TRY(loop_fails(seg, LOOP_INVOKE, loop.invoked, "run")); /* in the middle */
        do NPU__POLL(&seg->ctx, 1000); while (loop.endless == 2);
        if (ops[i + 1].how == LOOP_ON_CPU) NPU__TRY(npu__seg_eval(seg, i));
        else if (ops[i + 1].how == LOOP_FC) loop_fc(seg, seg->nodes[i]);
        else loop_native(seg, seg->nodes[i], ops[i + 1].how);
    }
    loop.invoked++;
    return NPU_OK;
}

/* ---- reports ---- */

#if NPU__HAS_REPORTS
static const char *loop_memory_mode(int32_t i) { return i == 0 ? "all" : NULL; }

static int loop_cost_of(npu__cost_plan *out, const npu__target *target, const char *mode) {
    if (mode && strcmp(mode, "all") != 0) return 0;
    out->accelerator = target->name;
    out->memory_mode = "all";
    out->store_name = "flash";
    out->clock_hz = 1e6;
    out->macs_per_cycle = 1;
    return 1;
}

static void loop_program(npu__text *t, npu__seg *seg, const npu__program_ask *ask) {
    const loop_op *ops = (const loop_op *)seg->ctx.data;
    if (ask->format == NPU_FORMAT_JSON) npu__json_open(t, "entries", '[');
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        if (ask->format == NPU_FORMAT_JSON) npu__json_int(t, NULL, ops[i + 1].how);
        else npu__text_f(t, ask->format == NPU_FORMAT_DOT ? "  s%d_%d;\n" : "  %d: entry %d\n", ask->number, i);
    }
    if (ask->format == NPU_FORMAT_JSON) npu__json_close(t, ']');
}

/* A cycle for each operator. */
static npu_status loop_cost(npu__cost_plan *out, npu__pool *pool, const npu__placement *p, const npu__nodes *nodes, npu_diag *diag) {
    const int32_t n = nodes->model->n_subgraphs;
    out->rows = (npu__cost_row **)npu__pool_alloc(pool, (size_t)n, sizeof *out->rows);
    for (int32_t s = 0; out->rows && s < n; s++) {
        const int32_t n_nodes = nodes->model->subgraphs[s].n_nodes;
        out->rows[s] = (npu__cost_row *)npu__pool_alloc(pool, (size_t)n_nodes + 1, sizeof **out->rows);
        if (!out->rows[s]) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "cost.memory", "no memory for the estimate");
        for (int32_t i = 0; i < n_nodes; i++) {
            if (!p->placed[s][i]) continue;
            out->rows[s][i].how = NPU__COST_ON_NPU;
            out->rows[s][i].cycles = 1;
            out->total.cycles++;
        }
    }
    return out->rows ? NPU_OK : npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "cost.memory", "no memory for the estimate");
}
#endif

NPU__FN const npu__vendor *npu__vendor_loopback(void) {
    static const npu__vendor vendor = {
        "loopback", NPU__VENDOR_NR_loopback, NULL, NULL, NULL, NULL, loop_lower, loop_prepare, loop_invoke, loop_release,
        loop_ruleset,
#if NPU__HAS_REPORTS
        NULL, NULL, NULL, NULL, loop_program, "loopback", loop_memory_mode, loop_cost_of, loop_cost
#endif
    };
    return &vendor;
}
