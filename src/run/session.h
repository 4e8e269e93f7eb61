/* A session: one block of memory cut into tables, state, packed weights and arena. */
#ifndef NPU__RUN_SESSION_H
#define NPU__RUN_SESSION_H

#include "../plan/plan.h"
#include "../vendor/vendors.h"
#include "threads.h"

/* A tensor whose shape or bytes depend on data keeps its own allocation, grown when needed. */
typedef struct npu__heap_val {
    void  *data;
    size_t capacity;
} npu__heap_val;

typedef struct npu__op_time {
    uint64_t  runs, total_ns;
    npu__work work; /* of the last run, where shapes depend on data */
} npu__op_time;

/* An invoke asks its cancel function when it has taken so many steps: a few milliseconds in the slowest kernels. */
#define NPU__ASK_STEPS ((int64_t)1 << 18)
/* Parallel loops, whose kernels are the fast ones, go on for so many steps a thread between two questions. */
#define NPU__ROUND_STEPS ((int64_t)1 << 21)
/* What it costs to run an operator at all, so that a budget also ends loops over operators that do nothing. */
#define NPU__STEP_OVERHEAD 32

typedef struct npu__subrun {
    npu__val      *vals;   /* one per tensor, data bound */
    npu__ctx      *ctxs;   /* one per node */
    npu__heap_val *heap;   /* one per tensor; NULL where no shape depends on data */
    uint8_t       *asked;  /* one per node: npu__first_time; the last: npu__first_call */
    npu__op_time  *times;  /* one per node */
    npu__seg      *segs;   /* as the subplan's, data bound */
    int32_t        running; /* a subgraph's memory belongs to one run at a time */
} npu__subrun;

/* What an operator has to release (npu__at_end). */
typedef struct npu__ending npu__ending;
struct npu__ending {
    npu__ending *next;
    npu__ctx    *ctx;
    void       (*release)(npu__ctx *);
};

struct npu_session {
    const npu_plan *plan;
    npu_allocator   allocator;
    void           *owned;      /* the block, when the allocator gave it */
    npu__subrun    *subs;
    npu__heap_val  *held;       /* npu__resource_room, one per resource variable */
    size_t         *assigned;   /* bytes last assigned, one per resource variable */
    uint8_t        *state, *packed, *arena;
    npu__env        env;
    npu__threads    threads;
    int32_t         profile;
    uint64_t      (*clock_ns)(void *user);
    void           *clock_user;
    int64_t         max_loop_runs, max_work;
    int           (*cancel)(void *user);
    void           *cancel_user;
    void          (*observe)(void *user, const npu_observed *seen);
    void           *observe_user;
    size_t          heap_bytes, heap_peak, heap_limit; /* taken from the allocator beside the block */
    npu__ending    *at_end;
    const void     *drivers[NPU__N_VENDORS]; /* by NPU__VENDOR_NR_...; NULL: none */
};

/* session.c: bytes of a session of this plan, its tables added to the regions that the plan laid out. LIMIT: plan and session
 * are too large for the plan's limit. */
NPU__FN npu_status npu__session_measure(npu_plan *plan, npu_diag *diag);
/* Memory beside the session's block, counted against the plan's limit. NULL: too much, or none left. */
NPU__FN void *npu__session_alloc(npu_session *s, size_t bytes);
NPU__FN void npu__session_free(npu_session *s, void *p, size_t bytes);
/* poison.c: only what this operator may touch is accessible; everything is. */
NPU__FN void npu__poison_for(npu_session *s, npu__ctx *c);
NPU__FN void npu__poison_segment(npu_session *s, npu__seg *seg); /* and what its kept operators may touch */
NPU__FN void npu__poison_none(npu_session *s);
/* invoke.c: npu__session_alloc had none, for `what`. */
NPU__FN npu_status npu__run_no_memory(npu_session *s, npu__ctx *c, size_t bytes, const char *what);
/* invoke.c: takes the steps of a node from the invoke's budget before it runs. */
NPU__FN npu_status npu__run_charge(npu_session *s, npu__ctx *c, int64_t steps);
/* Explains that a node would take more steps than the run has left: LIMIT. */
NPU__FN npu_status npu__run_no_work(npu_session *s, npu__ctx *c, int64_t steps);
NPU__FN npu_status npu__run_subgraph(npu_session *s, int32_t index);
NPU__FN npu_status npu__run_step(npu_session *s, const npu__step *step, npu__ctx *c);
/* watch.c: the loop over the steps of a subgraph where time is taken or somebody looks on. */
NPU__FN npu_status npu__run_watched(npu_session *s, const npu__subplan *sub, npu__subrun *run);
/* session.c: what callers see of a value. */
NPU__FN void npu__session_view(const npu__val *v, npu_tensor *out);

#if NPU__HAS_LOWERING
/* segments.c: packs what vendors keep, and lets them prepare; and the other way round. */
NPU__FN npu_status npu__session_prepare_segments(npu_session *s);
NPU__FN npu_status npu__segment_run(npu_session *s, npu__seg *seg);
NPU__FN void npu__session_release_segments(npu_session *s);
#endif

#if NPU__HAS_PROFILE
/* Nanoseconds of a clock that goes on; 0 where there is none. */
NPU__FN uint64_t npu__clock_default(void *user);
#endif

#endif
