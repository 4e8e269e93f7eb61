/* TOPK_V2: the largest k of each row, largest first, and where they were. */
#include "move_util.h"
#include "scratch.h"

/* Does element a of a row come before element b? Equal ones stay in order, NaN comes last. */
typedef int (*npu__topk_before)(const void *row, int32_t a, int32_t b);

#define NPU__TOPK_BEFORE(name, T)                                     \
    NPU__FN int name(const void *row, int32_t a, int32_t b) {         \
        const T x = ((const T *)row)[a], y = ((const T *)row)[b];     \
        return x > y || (x == y && a < b);                            \
    }
NPU__TOPK_BEFORE(npu__topk_i8, int8_t)
NPU__TOPK_BEFORE(npu__topk_u8, uint8_t)
NPU__TOPK_BEFORE(npu__topk_i16, int16_t)
NPU__TOPK_BEFORE(npu__topk_i32, int32_t)
NPU__TOPK_BEFORE(npu__topk_i64, int64_t)
#undef NPU__TOPK_BEFORE

NPU__FN int npu__topk_f32(const void *row, int32_t a, int32_t b) {
    const float x = ((const float *)row)[a], y = ((const float *)row)[b];
    if (x != x || y != y) return x != x ? y != y && a < b : 1;
    return x > y || (x == y && a < b);
}

typedef struct npu__topk_data {
    npu__topk_before before;
    int32_t          heap; /* slot: indices of the best k so far */
} npu__topk_data;

NPU__FN npu_status npu__topk_infer(npu__ctx *c) {
    const npu__val *in = c->in[0], *k = c->in[1];
    const int32_t   index_type = c->out[1]->t->type == NPU_INT16 ? NPU_INT16 : NPU_INT32;
    npu__shape      s = in->shape;
    int64_t         n;
    NPU__TRY(npu__need_rank(c, in, "the input", 1, NPU_MAX_RANK));
    if (k->type != NPU_INT32 && k->type != NPU_INT16) return npu__need_type(c, k, "k", NPU_INT32);
    if (npu__elems(k) != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "topk_v2.k_size", "k must be one number: got %l", npu__elems(k));
    }
    if (!npu__values_known(k)) return NPU__DYNAMIC;
    n = npu__int_at(k, 0);
    if (n > s.dims[s.rank - 1]) {
        return NPU__FAIL(c, npu__value_fault(k), "topk_v2.k", "k must not exceed the last dimension, %d: got %l",
                         s.dims[s.rank - 1], n);
    }
    s.dims[s.rank - 1] = (int32_t)NPU__MAX(n, (int64_t)0); /* LiteRT takes negative numbers for 0 */
    NPU__TRY(npu__set_shape_type(c, 0, &s, in->type));
    return npu__set_shape_type(c, 1, &s, index_type);
}

NPU__FN npu_status npu__topk_prepare(npu__ctx *c) {
    npu__topk_data *d = (npu__topk_data *)c->data;
    switch (c->in[0]->type) {
    case NPU_FLOAT32: d->before = npu__topk_f32; break;
    case NPU_INT8: d->before = npu__topk_i8; break;
    case NPU_UINT8: d->before = npu__topk_u8; break;
    case NPU_INT16: d->before = npu__topk_i16; break;
    case NPU_INT32: d->before = npu__topk_i32; break;
    case NPU_INT64: d->before = npu__topk_i64; break;
    default: return npu__fail_types(c);
    }
    if (c->out[1]->type == NPU_INT16 && npu__dim(c->in[0], -1) > 32768) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "topk_v2.index_type", "INT16 cannot index rows of %d",
                         npu__dim(c->in[0], -1));
    }
    return npu__want_array(c, 0, npu__dim(c->out[0], -1), 1, sizeof(int32_t), &d->heap);
}

/* Puts `value` where it belongs below `at` in a heap of n whose first is the last in order. */
NPU__FN void npu__topk_sink(npu__topk_before before, const void *row, int32_t *heap, int32_t n, int32_t at,
                            int32_t value) {
    for (int64_t child; (child = 2 * (int64_t)at + 1) < n; at = (int32_t)child) {
        if (child + 1 < n && before(row, heap[child], heap[child + 1])) child++;
        if (!before(row, value, heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

/* The best k of a row of n, in order, in `heap`; 1 <= k <= n. */
NPU__FN npu_status npu__topk_row(npu__ctx *c, const void *row, int32_t n, int32_t k, int32_t *heap, int64_t *done) {
    const npu__topk_before before = ((const npu__topk_data *)c->data)->before;
    for (int32_t i = 0; i < k; i++) heap[i] = i;
    for (int32_t i = k / 2 - 1; i >= 0; i--) {
        npu__topk_sink(before, row, heap, k, i, heap[i]);
        NPU__POLL_PASS(c, *done, 8);
    }
    for (int32_t i = k; i < n; i++) {
        if (before(row, i, heap[0])) npu__topk_sink(before, row, heap, k, 0, i);
        NPU__POLL_PASS(c, *done, 2);
    }
    for (int32_t m = k - 1; m > 0; m--) {
        const int32_t last = heap[m];
        heap[m] = heap[0];
        npu__topk_sink(before, row, heap, m, 0, last);
        NPU__POLL_PASS(c, *done, 16);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__topk_eval(npu__ctx *c) {
    const npu__topk_data *d = (const npu__topk_data *)c->data;
    const npu__val       *in = c->in[0], *out = c->out[0], *index = c->out[1];
    const int32_t         n = npu__dim(in, -1), k = npu__dim(out, -1);
    const int64_t         rows = npu__dims_product(&in->shape, 0, in->shape.rank - 1);
    const size_t          elem = npu__elem_bytes(in->type);
    int32_t              *heap = (int32_t *)npu__slot(c, d->heap);
    int64_t               done = 0, to = 0;
    if (out->bytes == 0) return NPU_OK;
    for (int64_t r = 0; r < rows; r++) {
        const uint8_t *row = (const uint8_t *)in->data + (size_t)(r * n) * elem;
        NPU__TRY(npu__topk_row(c, row, n, k, heap, &done));
        for (int32_t i = 0; i < k; i++, to++) {
            memcpy((uint8_t *)out->data + (size_t)to * elem, row + (size_t)heap[i] * elem, elem);
            if (index->type == NPU_INT16) ((int16_t *)index->data)[to] = (int16_t)heap[i];
            else ((int32_t *)index->data)[to] = heap[i];
        }
    }
    return NPU_OK;
}

/* Two steps an element, and a way through the heap for each that is kept. */
NPU__FN npu__work npu__topk_work(const npu__ctx *c) {
    return npu__work_steps(c, npu__sat_add(npu__sat_mul(npu__elems(c->in[0]), 2), npu__sat_mul(npu__elems(c->out[0]), 24)));
}

NPU__OPDEF(npu__op_topk_v2) = {2, 2, 2, 2, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__topk_data), npu__topk_infer,
                                           npu__topk_prepare, NULL, npu__topk_eval, npu__topk_work};
