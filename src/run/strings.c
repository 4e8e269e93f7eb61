/* Strings that go into a session. */
#include "../graph/strings.h"
#include "session.h"

NPU__FN npu_status npu__session_no_room(const npu_session *s, size_t bytes, npu_diag *diag) {
    if (bytes > s->heap_limit - s->heap_bytes) {
        return npu__diag_fail(diag, NPU_LIMIT, "session.memory_limit", "%z bytes of strings are too many: %z of the %z that "
                              "npu_plan_desc.max_memory_bytes leaves are taken", bytes, s->heap_bytes, s->heap_limit);
    }
    return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "session.memory", "no memory for %z bytes of strings: give the session an "
                          "allocator", bytes);
}

NPU_API npu_status npu_session_set_strings_of(npu_session *session, int32_t subgraph, int32_t i, const char *const *items,
                                              const size_t *lengths, size_t count, npu_diag *diag) {
    const npu__subgraph *g;
    npu__heap_val       *h;
    npu__val            *v;
    void                *data;
    size_t               bytes;
    npu__diag_clear(diag);
    if (!session || subgraph < 0 || subgraph >= session->plan->model->n_subgraphs || i < 0 ||
        i >= session->plan->subs[subgraph].g->n_in) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.input", "npu_session_set_strings: there is no input %d of subgraph "
                              "%d", i, subgraph);
    }
    g = session->plan->subs[subgraph].g;
    v = &session->subs[subgraph].vals[g->in[i]];
    if (v->type != NPU_STRING || (uint64_t)npu__elems(v) != count) {
        return npu__diag_fail(diag, NPU_BAD_INPUT, "api.strings", "npu_session_set_strings: input %d is of type %s and takes %l "
                              "elements, not %z strings", i, npu_type_name((npu_type)v->type), npu__elems(v), count);
    }
    bytes = npu_strings_pack(NULL, 0, items, lengths, count);
    if (bytes == 0) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.strings", "npu_session_set_strings: a string is NULL, or all of them "
                              "are longer than 2^31 bytes");
    }
    /* Copied before the old ones go: those may be what is given. */
    data = npu__session_alloc(session, bytes);
    if (!data) return npu__session_no_room(session, bytes, diag);
    npu_strings_pack(data, bytes, items, lengths, count);
    h = &session->subs[subgraph].heap[g->in[i]];
    npu__session_free(session, h->data, h->capacity);
    h->data = data;
    h->capacity = bytes;
    v->data = data;
    v->bytes = bytes;
    return NPU_OK;
}

NPU_API npu_status npu_session_set_strings(npu_session *session, int32_t i, const char *const *items, const size_t *lengths,
                                           size_t count, npu_diag *diag) {
    return npu_session_set_strings_of(session, 0, i, items, lengths, count, diag);
}
