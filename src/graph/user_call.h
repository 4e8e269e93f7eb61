/* An operator of the caller's own at work: what its callbacks see as npu_call. */
#ifndef NPU__GRAPH_USER_CALL_H
#define NPU__GRAPH_USER_CALL_H

#include "user_op.h"

/* What only a sentence holds: builds without strings keep that there is something to say. */
#if NPU__HAS_STRINGS
#  define NPU__USER_WORDS(text) text
#else
#  define NPU__USER_WORDS(text) ""
#endif

enum { NPU__CALL_INFER, NPU__CALL_PREPARE, NPU__CALL_EVAL, NPU__CALL_WORK };

struct npu_call {
    npu__ctx  *c;
    int32_t    phase;
    npu_status failed; /* the first of its calls that did; the callback has failed then, whatever it returns */
};

/* In front of what npu_call_data gives. Of the same size on every machine. */
typedef struct npu__user_data {
    union {
        const char *kernel; /* first: NPU__OP_NAMES_KERNEL */
        uint64_t    room;
    } name;
    int32_t n_slots, more;
} npu__user_data;

#endif
