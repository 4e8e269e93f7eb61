/* A session: one block of memory cut into tables, state, packed weights and arena. */
#ifndef NPU__RUN_SESSION_H
#define NPU__RUN_SESSION_H

#include "../plan/plan.h"
#include "threads.h"

/* A tensor whose shape depends on data keeps its own allocation, grown when needed. */
typedef struct npu__heap_val {
    void  *data;
    size_t capacity;
} npu__heap_val;

typedef struct npu__op_time {
    uint64_t runs, total_ns;
} npu__op_time;

typedef struct npu__subrun {
    npu__val      *vals;   /* one per tensor, data bound */
    npu__ctx      *ctxs;   /* one per node */
    npu__heap_val *heap;   /* one per tensor; NULL where no shape depends on data */
    uint8_t       *asked;  /* one per node: npu__first_time; the last: npu__first_call */
    npu__op_time  *times;  /* one per node */
} npu__subrun;

struct npu_session {
    const npu_plan *plan;
    npu_allocator   allocator;
    void           *owned;      /* the block, when the allocator gave it */
    npu__subrun    *subs;
    size_t         *assigned;   /* bytes last assigned, one per resource variable */
    uint8_t        *state, *packed, *arena;
    npu__env        env;
    npu__threads    threads;
    int32_t         profile;
    uint64_t      (*clock_ns)(void *user);
    void           *clock_user;
    int64_t         max_loop_runs;
    const npu_ethosu_driver *ethosu;
};

/* invoke.c */
NPU__FN npu_status npu__run_subgraph(npu_session *s, int32_t index);

#endif
