/* HASHTABLE_LOOKUP: rows picked by a key, from a sorted list of keys; a key that is not there gives zeros (or "") and no hit. */
#include "move_util.h"
#include "string_util.h"

typedef struct npu__hash_lookup {
    int32_t found; /* scratch: the row of each key, -1: none */
} npu__hash_lookup;

NPU__FN npu_status npu__hashtable_lookup_infer(npu__ctx *c) {
    const npu__val *keys = c->in[1], *values = c->in[2];
    npu__shape      s = values->shape, hits;
    NPU__TRY(npu__need_rank(c, c->in[0], "the lookups", 1, 1));
    NPU__TRY(npu__need_rank(c, keys, "the keys", 1, 1));
    NPU__TRY(npu__need_rank(c, values, "the values", 1, NPU_MAX_RANK));
    if (keys->shape.dims[0] != s.dims[0]) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "hashtable_lookup.count", "there are %d keys for %d values", keys->shape.dims[0],
                         s.dims[0]);
    }
    s.dims[0] = c->in[0]->shape.dims[0];
    hits = npu__shape_make(1, s.dims[0], 0, 0, 0);
    NPU__TRY(npu__set_shape(c, 1, &hits));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__hashtable_lookup_prepare(npu__ctx *c) {
    npu__hash_lookup *d = (npu__hash_lookup *)c->data;
    const int32_t     type = c->in[2]->type;
    if (c->in[0]->type != NPU_INT32 || c->in[1]->type != NPU_INT32 || c->out[1]->type != NPU_UINT8 || c->out[0]->type != type ||
        (type != NPU_STRING && npu__elem_bytes(type) == 0)) return npu__fail_types(c);
    d->found = npu__want_scratch(c, c->in[0]->bytes);
    return d->found < 0 ? NPU_LIMIT : NPU_OK;
}

/* The halving of libc's bsearch: what it finds among keys that are equal, or not sorted at all, is what LiteRT finds. */
NPU__FN int32_t npu__hash_row(const int32_t *keys, int32_t n, int32_t key) {
    int32_t lo = 0, hi = n;
    while (lo < hi) {
        const int32_t mid = lo + (hi - lo) / 2;
        if (key == keys[mid]) return mid;
        if (key < keys[mid]) hi = mid;
        else lo = mid + 1;
    }
    return -1;
}

/* Rows of `row` strings each. */
NPU__FN npu_status npu__hash_strings(npu__ctx *c, const int32_t *found, int32_t n, int64_t row) {
    npu__strings_writer w;
    int64_t             length = 0, done = 0;
    for (int pass = 0; pass < 2; pass++) { /* lengths, then bytes */
        if (pass) NPU__TRY(npu__strings_begin(c, -1, c->out[0], length, &w));
        for (int64_t i = 0; i < n; i++) {
            for (int64_t k = 0; k < row; k++) {
                const npu__span s = npu__strings_at(found[i] < 0 ? NULL : c->in[2]->data, found[i] * row + k);
                if (pass) npu__strings_put(&w, s.p, s.n);
                else length += (int64_t)s.n; /* bounded: 2^29 strings of 2^31 bytes */
                if (++done % 4096 == 0) NPU__TRY(npu__strings_end(c, c->out[0], 4096));
            }
        }
    }
    return npu__strings_end(c, c->out[0], 0);
}

NPU__FN npu_status npu__hashtable_lookup_eval(npu__ctx *c) {
    const int32_t *keys = (const int32_t *)c->in[1]->data, *lookups = (const int32_t *)c->in[0]->data;
    const int32_t  n = c->in[0]->shape.dims[0], n_keys = c->in[1]->shape.dims[0];
    const int64_t  row = npu__dims_product(&c->in[2]->shape, 1, c->in[2]->shape.rank);
    const size_t   bytes = (size_t)row * npu__elem_bytes(c->in[2]->type); /* bounded: part of a tensor */
    int32_t       *found = (int32_t *)npu__slot(c, ((const npu__hash_lookup *)c->data)->found);
    uint8_t       *hits = (uint8_t *)c->out[1]->data, *to = (uint8_t *)c->out[0]->data;
    int64_t        done = 0;
    for (int32_t i = 0; i < n; i++) {
        found[i] = npu__hash_row(keys, n_keys, lookups[i]);
        hits[i] = found[i] >= 0;
        NPU__POLL_PASS(c, done, 16);
    }
    if (npu__is_string(c->in[2])) return npu__hash_strings(c, found, n, row);
    for (int32_t i = 0; bytes && i < n; i++) {
        if (found[i] < 0) memset(to + (size_t)i * bytes, 0, bytes);
        else npu__copy_some(c, to + (size_t)i * bytes, (const uint8_t *)c->in[2]->data + (size_t)found[i] * bytes, bytes);
        NPU__POLL_PASS(c, done, 1 + row);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_hashtable_lookup) = {3, 3, 2, 2, 0, NPU__OP_STRINGS, NPU__DATA(npu__hash_lookup), npu__hashtable_lookup_infer,
                                        npu__hashtable_lookup_prepare, NULL, npu__hashtable_lookup_eval, NULL};
