/* The plan: real shapes, prepared op data and a place in memory for every tensor and slot. */
#ifndef NPU__PLAN_PLAN_H
#define NPU__PLAN_PLAN_H

#include "../graph/ask.h"
#include "../graph/build.h"
#include "../ops/util.h"
#include "../vendor/segment.h"
#include "../vendor/vendors.h"

/* Where a tensor's bytes are in a session. */
enum {
    NPU__AT_NOWHERE, /* never used, or 0 bytes */
    NPU__AT_CONST,   /* in the file, or folded: the plan's npu__val.data */
    NPU__AT_ARENA,   /* offset in the arena */
    NPU__AT_STATE,   /* variable tensor: offset in the state region */
    NPU__AT_HEAP     /* shape or (STRING) bytes depend on data: allocated while running */
};

typedef struct npu__place {
    int32_t at;
    int32_t root;    /* tensor whose bytes these are (itself unless aliased or in place) */
    int32_t fused;   /* no operator writes it: its only reader does that operator's work */
    int32_t pinned;  /* inside the scratch memory of compiled operators: nothing may share these bytes */
    size_t  offset;  /* until the layout is done: from the root's first byte */
} npu__place;

/* Memory an op asked for in prepare. */
enum {
    NPU__SLOT_SCRATCH,
    NPU__SLOT_PACKED,
    NPU__SLOT_STATE,
    NPU__SLOT_NONE /* not needed after all: a vendor runs the operator */
};

typedef struct npu__slot_req {
    int32_t kind;
    size_t  bytes, offset; /* offset in the arena, packed or state region */
    size_t  most;          /* SCRATCH: as many bytes are of use */
} npu__slot_req;

#define NPU__MAX_SLOTS 32
#define NPU__MAX_CALL_DEPTH 16

enum {
    NPU__STEP_RUN,
    NPU__STEP_FOLDED, /* computed while planning: nothing to do */
    NPU__STEP_FUSED,  /* another one does its work: nothing to do */
    NPU__STEP_IDLE,   /* its outputs have no elements: nothing to do */
    NPU__STEP_DYNAMIC, /* inferred and prepared again at every run */
    NPU__STEP_SEGMENT, /* first operator of a segment: its vendor runs all of them */
    NPU__STEP_INSIDE   /* another one of a segment */
};

typedef struct npu__step {
    int32_t        kind;
    int32_t        n_slots;
    int32_t        alias;  /* output 0 is input 0's bytes, as NPU__OP_ALIAS says of all nodes of an operator */
    npu__slot_req *slots;
    npu__ctx       ctx;    /* as planned: values point into the plan */
    npu_status     status; /* analysis only: why this node cannot run here (NPU_OK: it can) */
    int32_t        seg;    /* 0, or 1 + number of the segment it is in */
    int64_t        work;   /* steps of one run, for the session's budget; of dynamic ones only running tells */
} npu__step;

/* Who writes a tensor, and how many read it. */
typedef struct npu__use {
    int32_t writer;  /* 1 + number of the node; 0: none */
    int32_t readers; /* inputs of nodes, and outputs of the subgraph */
} npu__use;

typedef struct npu__subplan {
    const npu__subgraph *g;
    int32_t              state;  /* 0 not planned, 1 being planned, 2 planned */
    npu__val            *vals;   /* one per tensor */
    npu__place          *places;
    npu__step           *steps;  /* one per node */
    size_t               arena_offset, arena_bytes;
    int32_t             *ran;    /* nodes that run, folded ones left out */
    int32_t              n_ran, n_segs;
    npu__seg            *segs;   /* in execution order */
    uint8_t             *open;   /* one per input: its shape is another one at every call (open.c); NULL: of none */
    npu__use            *uses;   /* fuse.c: one per tensor; NULL: nothing could be fused */
    int32_t              again;  /* how often it was planned again, for that */
} npu__subplan;

typedef struct npu__resource {
    npu__str container, name;
    size_t   bytes, offset; /* in the state region */
} npu__resource;

/* A fork of the tree that finds resources by name (resources.c). */
typedef struct npu__fork {
    size_t   symbol;
    uint32_t bit;
    int32_t  next[2];
} npu__fork;

/* Offsets that a compiler wrote into the model's metadata (offline.c): of the tensors of all subgraphs, one after the other. */
typedef struct npu__offline {
    const uint8_t *offsets; /* NULL: the model has none */
    int64_t        n;
    const int64_t *first;   /* by subgraph: number of its tensor 0 */
} npu__offline;

/* Nodes may share a constant, but not so that starting a network walks through the file again and again: bytes that all of them
 * together may read, and what is free as it takes a few milliseconds. */
#define NPU__SHARED_MOST(model) (4 * (uint64_t)(model)->n_bytes + NPU__SHARED_FREE)
#define NPU__SHARED_FREE ((uint64_t)1 << 24)

struct npu_plan {
    npu__pool        pool;
    const npu_model *model;
    npu_isa          isa;
    int32_t          threads;
    int32_t          machine; /* npu_machine: another one than this is for its sizes only */
    uint64_t         max_memory;
    int32_t          keep_values; /* npu_plan_desc */
    int32_t          shapes_only; /* made by npu__analyze: no memory laid out, some steps may have failed */
    npu__subplan    *subs;
    int32_t          n_resources, cap_resources, resource_root;
    npu__resource   *resources;
    npu__fork       *forks;
    npu__offline     offline;
    int64_t          fold_work;   /* steps spent on folding */
    void            *nothing;     /* where empty constants lie */
    int64_t          steps;       /* that planning polled */
    uint64_t         walked;      /* bytes that prepare went through, shared ones each time */
    uint64_t         summed;      /* bytes that pack will go through, likewise (npu__may_sum) */
    uint64_t         grown;       /* bytes that pack keeps for speed alone (npu__may_grow) */
    size_t           arena_bytes, packed_bytes, state_bytes, folded_bytes;
    size_t           session_bytes; /* the whole block, tables included */
    int32_t          has_heap; /* some value may be NPU__AT_HEAP */
};

/* What the services of graph/op.h stand on: a planner's or a session's view of one node at work. */
struct npu__env {
    npu_diag           *diag;
    npu_plan           *plan;
    struct npu_session *session; /* NULL while planning */
    npu_isa             isa;
    int32_t             threads;
    int32_t             machine;    /* npu_machine: where the nodes being prepared are to run */
    npu_isa             fold_isa;   /* for nodes that run while planning, if the plan is for another machine */
    int32_t             depth;      /* nested calls */
    int64_t             loops_left; /* subgraph calls this invoke may still make */
    int64_t             work_left;  /* steps it may still take */
    int64_t             node_work;  /* steps of the node that runs */
    int64_t             unpolled;   /* steps since the cancel function was asked */
    int32_t             stopped;    /* it said stop */
    int32_t             inferring;  /* a node's shapes are inferred at run time; 2: beyond the work that is left */
    int64_t             inferred;   /* steps that this took */
    int32_t             may_pack;
    int32_t             n_slots;    /* requests of the node being prepared */
    npu__slot_req       slots[NPU__MAX_SLOTS];
    int32_t             may_fuse;
    npu__padding        border;     /* of input 0 of the node that `bordered` is */
    const npu__ctx     *bordered;
    void              **temp_slots; /* set while a node runs outside of a session's plan (folding, dynamic) */
};

/* Infers and prepares all subgraphs without laying out memory, and goes on past ops that this build cannot run (their
 * outputs keep the declared shapes; step.status says why). For reports. `input_shapes` as in npu_plan_desc. */
NPU__FN npu_status npu__analyze(npu_plan **out, const npu_model *model, const npu_plan_desc *desc, npu_diag *diag);
/* The same, or a plan to run (shapes_only 0), but for what a session adds to it (npu__session_measure). `elsewhere`: NULL, or a
 * count of what the plan takes on elsewhere->machine, for any instruction set, that must live as long; the plan is then only
 * measured. */
NPU__FN npu_status npu__plan_new(npu_plan **out, const npu_model *model, const npu_plan_desc *desc, int shapes_only,
                                 npu__pool_elsewhere *elsewhere, npu_diag *diag);

#if NPU__HAS_VENDORS
/* offline.c: finds the metadata; false: out of memory. */
NPU__FN int npu__plan_offline_find(npu_plan *plan);
/* Makes scratch tensors of compiled operators as large as the feature maps inside need. */
NPU__FN void npu__plan_offline_sizes(const npu_plan *plan, npu__subplan *sub);
/* Pins the feature maps of compiled operators inside their scratch tensors. Work memory comes from `temp`. */
NPU__FN npu_status npu__plan_offline(npu_plan *plan, npu__subplan *sub, npu__pool *temp, npu_diag *diag);
#endif
/* segments.c: what npu_plan_desc.backend asks for: places all nodes, lowers the segments, turns their nodes into steps of that
 * kind. Nothing where it names none. */
NPU__FN npu_status npu__plan_segments(npu__env *env, const npu_plan_desc *desc);
#if NPU__HAS_LOWERING
struct npu__backend;
/* segments.c: memory for the numbered segments of a subgraph; then their operators and borders. */
NPU__FN npu_status npu__segments_alloc(npu__env *env, npu__subplan *sub, const struct npu__backend *b);
NPU__FN npu_status npu__segments_borders(npu__env *env, npu__subplan *sub);
/* When step n runs: all of a segment at its first step. */
NPU__FN int32_t npu__step_time(const npu__subplan *sub, int32_t n);
/* Does the CPU have what it needs to run node n? Not of a segment's, unless its vendor keeps it. */
NPU__FN int npu__step_ready(const npu__subplan *sub, int32_t n);
#else
#  define npu__step_time(sub, n) ((void)(sub), (n))
#  define npu__step_ready(sub, n) ((void)(sub), (void)(n), 1)
#endif
/* env.c: counts steps of planning; true when they are too many. */
NPU__FN int npu__plan_spend(npu__ctx *ctx, int64_t steps);
/* env.c: slots of a node that runs outside of an arena, where nothing lies free or not: each gets the most that is of use. */
NPU__FN void npu__slots_most(npu__env *env);
/* Nothing to compute: all outputs are empty, and the operator does nothing else. */
NPU__FN int npu__node_idle(const npu__ctx *c);
/* check.c: the values an operator gets, by the invariant of graph/ir.h. Inputs before infer, outputs before prepare. */
NPU__FN npu_status npu__check_inputs(npu__ctx *c);
NPU__FN npu_status npu__check_outputs(npu__ctx *c);
/* While planning: what preparing this node reads of the file, counted against a limit for the whole plan. */
NPU__FN npu_status npu__check_walk(npu__ctx *c);
#if NPU__HAS_DEBUG
NPU__FN void npu__check_at_eval(npu__ctx *c);
#endif
/* The failure of an allocation from `pool` (and `temp`, unless NULL): LIMIT where max_memory_bytes is why, else
 * OUT_OF_MEMORY. */
NPU__FN npu_status npu__plan_no_memory(const npu_plan *plan, const npu__pool *temp, npu_diag *diag);
/* inputs.c: takes the caller's shapes for inputs of subgraph `index`; and those of the node that calls a subgraph. */
NPU__FN npu_status npu__plan_resize_inputs(npu__env *env, npu__subplan *sub, int32_t index, const npu_plan_desc *desc);
NPU__FN void npu__plan_passed_inputs(npu__subplan *sub, const npu__ctx *caller, int32_t first_in);
/* open.c: nothing is known of inputs whose shapes change. */
NPU__FN void npu__plan_open_inputs(npu__subplan *sub);
/* arena.c: memory for one subgraph: lifetimes, in-place, offsets. */
NPU__FN npu_status npu__plan_arena(npu_plan *plan, npu__subplan *sub, npu_diag *diag);
/* fold.c: runs a node whose inputs are all constant, if that is worth its memory. */
NPU__FN npu_status npu__plan_fold(npu__env *env, npu__step *step);
/* fuse.c: what is needed to know who reads what, before the walk; then: prepares node n, with what it does of the node before it. */
NPU__FN npu_status npu__fuse_start(npu__env *env, npu__subplan *sub);
NPU__FN npu_status npu__plan_fused(npu__env *env, npu__subplan *sub, int32_t n);
/* plan.c: prepares a node whose outputs are inferred. */
NPU__FN npu_status npu__plan_prepare(npu__env *env, npu__step *step);
/* plan.c: infers a node's outputs. NPU__DYNAMIC: they cannot be known yet. */
NPU__FN npu_status npu__plan_infer(npu__ctx *c);
/* plan.c: plans a called subgraph on demand. */
NPU__FN npu_status npu__plan_subgraph(npu__env *env, int32_t index, const npu__ctx *caller, int32_t first_in);

#endif
