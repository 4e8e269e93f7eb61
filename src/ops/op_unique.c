/* UNIQUE: the different values of a vector, in the order in which they come, and which of them each element is. */
#include "move_util.h"
#include "scratch.h"

#define NPU__UNIQUE_WINDOW 512 /* values that are counted in one pass */

typedef struct npu__unique_data {
    int32_t table, bits; /* slot: 2^bits entries, 0 or 1 more than the number of a different value */
} npu__unique_data;

NPU__INLINE int npu__unique_nan(const npu__val *v, int64_t i) {
    return v->type == NPU_FLOAT32 && ((const float *)v->data)[i] != ((const float *)v->data)[i];
}

/* A number that is ordered and equal as the elements are; not of NaN. */
NPU__INLINE int64_t npu__unique_key(const npu__val *v, int64_t i) {
    int64_t bits;
    if (v->type != NPU_FLOAT32) return npu__int_at(v, i);
    bits = npu__f32_bits(((const float *)v->data)[i]);
    return bits >> 31 ? ((int64_t)1 << 31) - bits : bits; /* both zeros are 0 */
}

/* The next values above `last`, at most a window full, in order. */
NPU__FN npu_status npu__unique_next(npu__ctx *c, int first, int64_t last, int64_t *window, int32_t *n, int64_t *done) {
    const npu__val *in = c->in[0];
    *n = 0;
    for (int64_t i = 0; i < npu__elems(in); i++) {
        int64_t key;
        int32_t lo = 0, hi = *n;
        NPU__POLL_PASS(c, *done, 1);
        if (npu__unique_nan(in, i)) continue;
        key = npu__unique_key(in, i);
        if ((!first && key <= last) || (*n == NPU__UNIQUE_WINDOW && key >= window[*n - 1])) continue;
        while (lo < hi) {
            const int32_t mid = (lo + hi) / 2;
            if (window[mid] < key) lo = mid + 1;
            else hi = mid;
        }
        if (lo < *n && window[lo] == key) continue;
        if (*n < NPU__UNIQUE_WINDOW) ++*n;
        memmove(window + lo + 1, window + lo, (size_t)(*n - lo - 1) * sizeof *window);
        window[lo] = key;
        *done += 32;
    }
    return NPU_OK;
}

/* How many there are. Without memory but a window's, as infer has none: a pass over the elements for each window full. */
NPU__FN npu_status npu__unique_count(npu__ctx *c, int64_t *count) {
    int64_t window[NPU__UNIQUE_WINDOW], done = 0;
    int32_t n = NPU__UNIQUE_WINDOW;
    *count = 0;
    if (npu__elems(c->in[0]) == 0) return NPU_OK;
    /* NaN compares with nothing, so in the map that LiteRT keeps it equals the smallest value (see eval); as the first it
     * is the only one, as all that follow equal it. */
    if (npu__unique_nan(c->in[0], 0)) {
        *count = 1;
        return NPU_OK;
    }
    window[n - 1] = 0;
    while (n == NPU__UNIQUE_WINDOW) {
        NPU__TRY(npu__unique_next(c, *count == 0, window[NPU__UNIQUE_WINDOW - 1], window, &n, &done));
        *count += n;
    }
    NPU__POLL(c, done);
    return NPU_OK;
}

NPU__FN npu_status npu__unique_infer(npu__ctx *c) {
    const npu__val *in = c->in[0];
    int64_t         n;
    npu__shape      s;
    switch (in->type) {
    case NPU_FLOAT32: case NPU_INT8: case NPU_UINT8: case NPU_INT16: case NPU_INT32: case NPU_INT64: break;
    default: return npu__fail_types(c);
    }
    NPU__TRY(npu__need_rank(c, in, "the input", 1, 1));
    if (!npu__values_known(in)) return NPU__DYNAMIC;
    NPU__TRY(npu__unique_count(c, &n));
    s = npu__shape_make(1, (int32_t)n, 0, 0, 0);
    NPU__TRY(npu__set_shape_type(c, 0, &s, in->type));
    return npu__set_shape(c, 1, &in->shape);
}

NPU__FN npu_status npu__unique_prepare(npu__ctx *c) {
    npu__unique_data *d = (npu__unique_data *)c->data;
    const int32_t     type = c->out[1]->type;
    if (type != NPU__OPTIONS(c->node, UniqueOptions)->idx_out_type || (type != NPU_INT32 && type != NPU_INT64)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "unique.index_type", "indices must be INT32 or INT64, as the options say: got %s",
                         npu_type_name((npu_type)type));
    }
    d->bits = 4;
    while (d->bits < 32 && (int64_t)1 << d->bits < npu__elems(c->out[0]) * 2) d->bits++;
    return npu__want_array(c, 0, (int64_t)1 << d->bits, 1, sizeof(int32_t), &d->table);
}

/* Looks at the table: since the last question to the caller, and beyond what the operator's work allows for (below zero: what it
 * still does), which is charged. Who knows the hash makes them many. */
typedef struct npu__unique_looks {
    int64_t unasked, beyond;
} npu__unique_looks;

/* Which of the `n` values found so far element `i` is; n where it is a new one. */
NPU__FN npu_status npu__unique_find(npu__ctx *c, int64_t i, int32_t n, int32_t *found, npu__unique_looks *looks) {
    const npu__unique_data *d = (const npu__unique_data *)c->data;
    const int64_t           key = npu__unique_key(c->in[0], i);
    int32_t                *table = (int32_t *)npu__slot(c, d->table);
    uint32_t                at = (uint32_t)(((uint64_t)key * 0x9E3779B97F4A7C15u) >> (64 - d->bits));
    for (;; at = (at + 1) & (uint32_t)(((uint64_t)1 << d->bits) - 1)) {
        NPU__POLL_PASS(c, looks->unasked, 1);
        if (table[at] == 0) {
            table[at] = n + 1;
            *found = n;
            return NPU_OK;
        }
        if (npu__unique_key(c->out[0], table[at] - 1) == key) break;
        if (++looks->beyond < NPU__POLL_STEPS) continue;
        NPU__TRY(npu__charge(c, looks->beyond));
        looks->beyond = 0;
    }
    *found = table[at] - 1;
    return NPU_OK;
}

NPU__FN npu_status npu__unique_eval(npu__ctx *c) {
    const npu__unique_data *d = (const npu__unique_data *)c->data;
    const npu__val         *in = c->in[0], *out = c->out[0], *index = c->out[1];
    const size_t            elem = npu__elem_bytes(in->type);
    const int32_t           none = 0;
    int32_t                 n = 0, at = 0, smallest = 0;
    npu__unique_looks       looks = {0, 0};
    if (in->bytes == 0) return NPU_OK;
    looks.beyond = -npu__elems(in);
    npu__fill_all(c, npu__slot(c, d->table), &none, (int64_t)1 << d->bits, sizeof none);
    NPU__POLL(c, 0); /* stopped, it may not be empty */
    for (int64_t i = 0; i < npu__elems(in); i++) {
        const int nan = npu__unique_nan(in, i);
        if (nan || (n == 1 && npu__unique_nan(out, 0))) at = n ? smallest : 0;
        else NPU__TRY(npu__unique_find(c, i, n, &at, &looks));
        if (at == n && n < npu__dim(out, 0)) { /* infer has counted them */
            memcpy((uint8_t *)out->data + (size_t)n * elem, (const uint8_t *)in->data + (size_t)i * elem, elem);
            if (!nan && npu__unique_key(out, n) < npu__unique_key(out, smallest)) smallest = n;
            n++;
        }
        if (index->type == NPU_INT32) ((int32_t *)index->data)[i] = at;
        else ((int64_t *)index->data)[i] = at;
        NPU__POLL_PASS(c, looks.unasked, 2);
    }
    return NPU_OK;
}

/* Counting and finding. */
NPU__FN npu__work npu__unique_work(const npu__ctx *c) {
    const int64_t passes = npu__elems(c->out[0]) / NPU__UNIQUE_WINDOW + 4;
    return npu__work_steps(c, npu__sat_mul(npu__elems(c->in[0]), passes));
}

NPU__OPDEF(npu__op_unique) = {1, 1, 2, 2, 0, NPU__OP_FLEX_ANY_TYPE, NPU__DATA(npu__unique_data), npu__unique_infer,
                              npu__unique_prepare, NULL, npu__unique_eval, npu__unique_work};
