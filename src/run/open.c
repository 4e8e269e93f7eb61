/* Values for called subgraphs whose shapes change from call to call. */
#include "session.h"

/* Memory and shape of an input that is open (plan/open.c). */
NPU__FN npu_status npu__open_shape(npu__ctx *c, int32_t subgraph, npu__val *to, const npu__val *from) {
    npu_session   *s = c->env->session;
    npu__heap_val *h = &s->subs[subgraph].heap[to - s->subs[subgraph].vals];
    if (from->bytes > h->capacity || !h->data) {
        npu__session_free(s, h->data, h->capacity);
        to->data = NULL;
        to->bytes = 0;
        to->known = 0;
        h->capacity = NPU__MAX(from->bytes, (size_t)1);
        h->data = npu__session_alloc(s, h->capacity);
        if (!h->data) {
            const int over = h->capacity > s->heap_limit - s->heap_bytes;
            h->capacity = 0;
            return NPU__FAIL(c, over ? NPU_LIMIT : NPU_OUT_OF_MEMORY, over ? "session.memory_limit" : "session.memory",
                             "no memory for %z bytes of a value that changes its shape in a loop: %z of the %z that "
                             "npu_plan_desc.max_memory_bytes leaves are taken", from->bytes, s->heap_bytes, s->heap_limit);
        }
    }
    to->data = h->data;
    to->shape = from->shape;
    to->bytes = from->bytes;
    to->known = 1;
    return NPU_OK;
}

NPU__FN npu_status npu__call_give(npu__ctx *ctx, int32_t subgraph, int32_t i, const npu__val *from) {
    npu__val *to;
    NPU__TRY(npu__call_input(ctx, subgraph, i, &to));
    if (from->type == to->type && npu_type_bits((npu_type)to->type) && npu__call_is_open(ctx, subgraph, i)) {
        NPU__TRY(npu__open_shape(ctx, subgraph, to, from));
    } else if (from->type != to->type || from->bytes != to->bytes || !npu__shape_eq(&from->shape, &to->shape) ||
               npu_type_bits((npu_type)to->type) == 0) {
        return NPU__FAIL(ctx, NPU_UNSUPPORTED, "graph.open", "a value of %z bytes (rank %d) meets input %d of subgraph %d, which "
                         "has %z bytes (rank %d) at every call", from->bytes, from->shape.rank, i, subgraph, to->bytes,
                         to->shape.rank);
    }
    npu__copy_bytes(ctx, to->data, from->data, from->bytes);
    return NPU_OK;
}
