/* String tensors in operators: writing, copying, moving. */
#include "string_util.h"

NPU__FN npu_status npu__strings_begin(npu__ctx *c, int32_t subgraph, npu__val *v, int64_t length, npu__strings_writer *w) {
    const int64_t n = npu__elems(v);
    const size_t  head = npu__strings_head(n);
    if (length > (int64_t)(NPU__STRINGS_MAX - head)) {
        return NPU__FAIL(c, NPU_LIMIT, "op.string_bytes", "%l strings of %l bytes are more than a string tensor holds: %l bytes", n,
                         length, (int64_t)NPU__STRINGS_MAX);
    }
    NPU__TRY(npu__value_room(c, subgraph, v, head + (size_t)length));
    npu__strings_start(w, v->data, n);
    return NPU_OK;
}

NPU__FN npu_status npu__strings_end(npu__ctx *c, npu__val *v, int64_t steps) {
    if (!npu__poll(c, steps)) return NPU_OK;
    v->data = NULL;
    v->bytes = 0;
    return NPU_CANCELLED;
}

NPU__FN npu_status npu__strings_copy(npu__ctx *c, int32_t subgraph, npu__val *to, const npu__val *from) {
    NPU__TRY(npu__value_room(c, subgraph, to, from->data ? from->bytes : 0));
    if (to->bytes) npu__copy_bytes(c, to->data, from->data, to->bytes);
    return npu__strings_end(c, to, 0);
}

/* ---- moving ---- */

enum { NPU__STRINGS_INPUTS = 4 }; /* the most that an operator which moves strings has */

/* The operator as it looks to its own functions. */
typedef struct npu__strings_view {
    npu__ctx  ctx;
    npu__val  moved, result;
    npu__val *in[NPU__STRINGS_INPUTS], *out[1];
} npu__strings_view;

NPU__FN void npu__strings_number(npu__val *to, const npu__val *from) {
    *to = *from;
    to->type = NPU_INT32;
    to->bytes = 4 * (size_t)npu__elems(from); /* bounded: npu__strings_fit */
    to->data = NULL;
}

NPU__FN void npu__strings_look(npu__strings_view *v, const npu__ctx *c, int32_t which) {
    v->ctx = *c;
    for (int32_t i = 0; i < c->n_in; i++) v->in[i] = c->in[i];
    npu__strings_number(&v->moved, c->in[which]);
    npu__strings_number(&v->result, c->out[0]);
    v->in[which] = &v->moved;
    v->out[0] = &v->result;
    v->ctx.in = v->in;
    v->ctx.out = v->out;
}

NPU__FN npu_status npu__strings_prepare(npu__ctx *c, int32_t which, npu_status (*prepare)(npu__ctx *)) {
    npu__strings_view v;
    size_t            bytes = SIZE_MAX;
    NPU__ASSERT(c->n_in <= NPU__STRINGS_INPUTS);
    if (!npu__is_string(c->out[0])) return npu__fail_types(c);
    for (int32_t i = 0; i < c->n_in; i++) if (npu__is_string(c->in[i]) != (i == which)) return npu__fail_types(c);
    npu__strings_look(&v, c, which);
    npu__add_size(npu__align_up(v.moved.bytes, 64), v.result.bytes, &bytes);
    if (npu__want_scratch(c, bytes) < 0) return NPU_LIMIT;
    return prepare(&v.ctx);
}

NPU__FN npu_status npu__strings_move(npu__ctx *c, int32_t which, npu_status (*eval)(npu__ctx *)) {
    const npu__val     *in = c->in[which];
    const int64_t       n = npu__elems(in), n_out = npu__elems(c->out[0]);
    uint8_t            *scratch = (uint8_t *)npu__slot(c, 0);
    int64_t             length = 0, done = 0;
    int32_t            *from;
    npu__strings_view   v;
    npu__strings_writer w;
    npu__strings_look(&v, c, which);
    v.moved.data = scratch;
    v.result.data = scratch + npu__align_up(v.moved.bytes, 64);
    for (int64_t i = 0; i < n; i++) {
        ((int32_t *)(void *)scratch)[i] = (int32_t)i;
        NPU__POLL_PASS(c, done, 1);
    }
    NPU__TRY(eval(&v.ctx));
    NPU__POLL(c, 0); /* a loop that was stopped leaves numbers out */
    from = (int32_t *)v.result.data;
    for (int64_t i = 0; i < n_out; i++) {
        NPU__ASSERT(from[i] >= 0 && from[i] < n);
        length += (int64_t)npu__strings_at(in->data, from[i]).n; /* bounded: 2^29 strings of 2^31 bytes */
        NPU__POLL_PASS(c, done, 1);
    }
    NPU__TRY(npu__strings_begin(c, -1, c->out[0], length, &w));
    for (int64_t i = 0; i < n_out; i++) {
        const npu__span s = npu__strings_at(in->data, from[i]);
        npu__strings_put(&w, s.p, s.n);
        if ((i + 1) % 4096 == 0) NPU__TRY(npu__strings_end(c, c->out[0], 4096));
    }
    return npu__strings_end(c, c->out[0], 0);
}
