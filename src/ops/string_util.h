/* What operators on string tensors share. */
#ifndef NPU__OPS_STRING_UTIL_H
#define NPU__OPS_STRING_UTIL_H

#include "../graph/strings.h"
#include "util.h"

NPU__INLINE int npu__is_string(const npu__val *v) { return v->type == NPU_STRING; }

/* Makes room for all strings of `v` (`length` bytes together) and writes the head: then npu__strings_put for each.
 * `subgraph` as in npu__value_room. */
NPU__FN npu_status npu__strings_begin(npu__ctx *c, int32_t subgraph, npu__val *v, int64_t length, npu__strings_writer *w);
/* While writing and at the end: asks whether to stop. Strings that are not whole are none. */
NPU__FN npu_status npu__strings_end(npu__ctx *c, npu__val *v, int64_t steps);
/* `to` becomes a copy of `from`, which has as many elements. */
NPU__FN npu_status npu__strings_copy(npu__ctx *c, int32_t subgraph, npu__val *to, const npu__val *from);

/* Operators that move elements move strings by number: input `which` is replaced by int32 numbers 0, 1, ..., the operator's own
 * function runs on them, and what comes out says which string goes where.
 * prepare: checks the types, asks for slot 0 (so it comes before all other requests), and calls `prepare` with INT32 values. */
NPU__FN npu_status npu__strings_prepare(npu__ctx *c, int32_t which, npu_status (*prepare)(npu__ctx *));
/* eval: likewise. */
NPU__FN npu_status npu__strings_move(npu__ctx *c, int32_t which, npu_status (*eval)(npu__ctx *));

#endif
