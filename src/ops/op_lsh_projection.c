/* LSH_PROJECTION: each hash seed and row of the input make a number by FarmHash's 64-bit fingerprint; the sign of the weighted sum
 * over all rows is one bit. */
#include "move_util.h"

/* ---- the fingerprint: the published function farmhashna::Hash64 ---- */

#define NPU__FARM_0 0xc3a5c85c97cb3127u
#define NPU__FARM_1 0xb492b66fbe98f273u
#define NPU__FARM_2 0x9ae16a3b2f90404fu

typedef struct npu__farm_pair {
    uint64_t a, b;
} npu__farm_pair;

NPU__INLINE uint64_t npu__farm_turn(uint64_t v, int by) { return v >> by | v << (64 - by); } /* bounded: by in [1, 63] */
NPU__INLINE uint64_t npu__farm_fold(uint64_t v) { return v ^ v >> 47; }

NPU__FN uint64_t npu__farm_mix(uint64_t u, uint64_t v, uint64_t mul) {
    const uint64_t a = npu__farm_fold((u ^ v) * mul);
    return npu__farm_fold((v ^ a) * mul) * mul;
}

/* 4 to 16 bytes: there is a seed in each. */
NPU__FN uint64_t npu__farm_short(const uint8_t *s, size_t n) {
    const uint64_t mul = NPU__FARM_2 + 2 * (uint64_t)n;
    if (n >= 8) {
        const uint64_t a = npu__rd_u64(s) + NPU__FARM_2, b = npu__rd_u64(s + n - 8);
        return npu__farm_mix(npu__farm_turn(b, 37) * mul + a, (npu__farm_turn(a, 25) + b) * mul, mul);
    }
    return npu__farm_mix((uint64_t)n + ((uint64_t)npu__rd_u32(s) << 3), npu__rd_u32(s + n - 4), mul);
}

/* 17 to 64 bytes. */
NPU__FN uint64_t npu__farm_middle(const uint8_t *s, size_t n) {
    const uint64_t mul = NPU__FARM_2 + 2 * (uint64_t)n, first = n > 32 ? NPU__FARM_2 : NPU__FARM_1;
    const uint64_t a = npu__rd_u64(s) * first, b = npu__rd_u64(s + 8);
    const uint64_t c = npu__rd_u64(s + n - 8) * mul, d = npu__rd_u64(s + n - 16) * NPU__FARM_2;
    const uint64_t y = npu__farm_turn(a + b, 43) + npu__farm_turn(c, 30) + d;
    const uint64_t z = npu__farm_mix(y, a + npu__farm_turn(b + NPU__FARM_2, 18) + c, mul);
    uint64_t       e, f, g, h;
    if (n <= 32) return z;
    e = npu__rd_u64(s + 16) * mul;
    f = npu__rd_u64(s + 24);
    g = (y + npu__rd_u64(s + n - 32)) * mul;
    h = (z + npu__rd_u64(s + n - 24)) * mul;
    return npu__farm_mix(npu__farm_turn(e + f, 43) + npu__farm_turn(g, 30) + h, e + npu__farm_turn(f + a, 18) + g, mul);
}

NPU__FN npu__farm_pair npu__farm_weak(const uint8_t *s, uint64_t a, uint64_t b) {
    const uint64_t w = npu__rd_u64(s), x = npu__rd_u64(s + 8), y = npu__rd_u64(s + 16), z = npu__rd_u64(s + 24);
    npu__farm_pair p;
    a += w;
    b = npu__farm_turn(b + a + z, 21);
    p.a = a + x + y + z;
    p.b = b + npu__farm_turn(a + x + y, 44) + a;
    return p;
}

/* The state over long inputs, and one round of 64 bytes; `f` is 1, or 9 in the last round. */
typedef struct npu__farm {
    uint64_t       x, y, z;
    npu__farm_pair v, w;
} npu__farm;

NPU__FN void npu__farm_round(npu__farm *h, const uint8_t *s, uint64_t mul, uint64_t f) {
    uint64_t t;
    h->x = npu__farm_turn(h->x + h->y + h->v.a + npu__rd_u64(s + 8), 37) * mul;
    h->y = npu__farm_turn(h->y + h->v.b + npu__rd_u64(s + 48), 42) * mul;
    h->x ^= h->w.b * f;
    h->y += h->v.a * f + npu__rd_u64(s + 40);
    h->z = npu__farm_turn(h->z + h->w.a, 33) * mul;
    h->v = npu__farm_weak(s, h->v.b * mul, h->x + h->w.a);
    h->w = npu__farm_weak(s + 32, h->z + h->w.b, h->y + npu__rd_u64(s + 16));
    t = h->z;
    h->z = h->x;
    h->x = t;
}

NPU__FN uint64_t npu__farm_hash(const uint8_t *s, size_t n) {
    const uint8_t *last;
    npu__farm      h;
    uint64_t       mul;
    size_t         rounds;
    if (n <= 16) return npu__farm_short(s, n);
    if (n <= 64) return npu__farm_middle(s, n);
    memset(&h, 0, sizeof h);
    h.y = 81 * NPU__FARM_1 + 113;
    h.z = npu__farm_fold(h.y * NPU__FARM_2 + 113) * NPU__FARM_2;
    h.x = 81 * NPU__FARM_2 + npu__rd_u64(s);
    last = s + n - 64;
    rounds = (n - 1) / 64;
    for (size_t i = 0; i < rounds; i++) npu__farm_round(&h, s + 64 * i, NPU__FARM_1, 1); /* bounded: inside the input */
    mul = NPU__FARM_1 + ((h.z & 255) << 1);
    h.w.a += (n - 1) & 63;
    h.v.a += h.w.a;
    h.w.a += h.v.a;
    npu__farm_round(&h, last, mul, 9);
    return npu__farm_mix(npu__farm_mix(h.v.a, h.w.a, mul) + npu__farm_fold(h.y) * NPU__FARM_0 + h.z,
                         npu__farm_mix(h.v.b, h.w.b, mul) + h.x, mul);
}

/* ---- the operator ---- */

enum { NPU__LSH_SPARSE = 1, NPU__LSH_DENSE = 2 };

typedef struct npu__lsh {
    int32_t key; /* scratch: a seed, and a row behind it */
} npu__lsh;

NPU__FN npu_status npu__lsh_projection_infer(npu__ctx *c) {
    const npu__val *hash = c->in[0], *in = c->in[1], *weight = npu__opt_in(c, 2);
    const int32_t   type = NPU__OPTIONS(c->node, LSHProjectionOptions)->type;
    npu__shape      s;
    NPU__TRY(npu__need_rank(c, hash, "the seeds", 2, 2));
    NPU__TRY(npu__need_rank(c, in, "the input", 1, NPU_MAX_RANK));
    if (hash->shape.dims[1] > 32) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lsh_projection.bits", "a hash has at most 32 bits: got %d", hash->shape.dims[1]);
    }
    if (in->shape.dims[0] < 1) return NPU__FAIL(c, NPU_INVALID_MODEL, "lsh_projection.rows", "the input has no rows");
    if (weight && (weight->shape.rank != 1 || weight->shape.dims[0] != in->shape.dims[0])) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lsh_projection.weight", "there must be one weight for each of %d rows",
                         in->shape.dims[0]);
    }
    if (type != NPU__LSH_SPARSE && type != NPU__LSH_DENSE) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "lsh_projection.type", "type must be 1 (SPARSE) or 2 (DENSE): got %d", type);
    }
    /* bounded: part of a tensor */
    s = npu__shape_make(1, hash->shape.dims[0] * (type == NPU__LSH_DENSE ? hash->shape.dims[1] : 1), 0, 0, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__lsh_projection_prepare(npu__ctx *c) {
    npu__lsh       *d = (npu__lsh *)c->data;
    const npu__val *weight = npu__opt_in(c, 2);
    if (c->in[0]->type != NPU_FLOAT32 || c->out[0]->type != NPU_INT32 || npu__elem_bytes(c->in[1]->type) == 0 ||
        (weight && weight->type != NPU_FLOAT32)) return npu__fail_types(c);
    /* bounded: max_tensor_bytes */
    d->key = npu__want_scratch(c, 4 + c->in[1]->bytes / (size_t)c->in[1]->shape.dims[0]);
    return d->key < 0 ? NPU_LIMIT : NPU_OK;
}

/* One bit: is the sum over all rows positive? In double, each row as LiteRT adds it. -1: stopped. */
NPU__NO_FUSE NPU__FN int npu__lsh_bit(npu__ctx *c, uint8_t *key, float seed, int64_t *done) {
    const npu__val *in = c->in[1], *weight = npu__opt_in(c, 2);
    const int32_t   rows = in->shape.dims[0];
    const size_t    bytes = in->bytes / (size_t)rows;
    double          score = 0.0;
    memcpy(key, &seed, sizeof seed);
    for (int32_t i = 0; i < rows; i++) {
        uint64_t bits;
        int64_t  number;
        double   part;
        if (bytes) memcpy(key + 4, (const uint8_t *)in->data + (size_t)i * bytes, bytes); /* bounded: a row of the input */
        bits = npu__farm_hash(key, 4 + bytes);
        memcpy(&number, &bits, sizeof number);
        part = (double)number;
        if (weight) part = (double)((const float *)weight->data)[i] * part;
        score = score + part;
        *done += 8 + (int64_t)(bytes >> 3);
        if (*done >= NPU__POLL_STEPS) {
            if (npu__poll(c, *done)) return -1;
            *done = 0;
        }
    }
    return score > 0;
}

NPU__FN npu_status npu__lsh_projection_eval(npu__ctx *c) {
    const int     dense = NPU__OPTIONS(c->node, LSHProjectionOptions)->type == NPU__LSH_DENSE;
    const int32_t hashes = c->in[0]->shape.dims[0], bits = c->in[0]->shape.dims[1];
    const float  *seed = (const float *)c->in[0]->data;
    uint8_t      *key = (uint8_t *)npu__slot(c, ((const npu__lsh *)c->data)->key);
    int32_t      *out = (int32_t *)c->out[0]->data;
    int64_t       done = 0;
    for (int32_t i = 0; i < hashes; i++) {
        /* Each hash of a sparse projection has numbers of its own. LiteRT leaves a shift by 32 to the machine: on x86 it is none. */
        uint32_t number = 0, first = (uint32_t)i << (bits & 31);
        for (int32_t k = 0; k < bits; k++) {
            const int bit = npu__lsh_bit(c, key, *seed++, &done);
            if (bit < 0) return NPU_CANCELLED;
            if (dense) *out++ = bit;
            number = number << 1 | (uint32_t)bit; /* bounded: 32 bits */
        }
        number += first;
        if (!dense) memcpy(out++, &number, sizeof number);
    }
    return NPU_OK;
}

/* Every bit goes through the whole input. */
NPU__FN npu__work npu__lsh_projection_work(const npu__ctx *c) {
    const int64_t rows = c->in[1]->shape.dims[0], row = 8 + (int64_t)(c->in[1]->bytes / (size_t)rows / 8);
    return npu__work_steps(c, npu__sat_mul(npu__elems(c->in[0]), npu__sat_mul(rows, row)));
}

NPU__OPDEF(npu__op_lsh_projection) = {2, 3, 1, 1, 4, 0, NPU__DATA(npu__lsh), npu__lsh_projection_infer, npu__lsh_projection_prepare,
                                      NULL, npu__lsh_projection_eval, npu__lsh_projection_work};
