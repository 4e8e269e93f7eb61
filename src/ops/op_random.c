/* RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL and MULTINOMIAL: streams of Philox that the seeds name, as LiteRT's. A session's streams
 * go on from invoke to invoke, and begin again when it is reset. Two seeds of 0 ask LiteRT for other numbers in every
 * process; here they name a stream by the place of the node, so that a model gives the same numbers everywhere. */
#include "move_util.h"
#include "philox.h"

typedef struct npu__random {
    int32_t  id;  /* the variable that counts blocks */
    int32_t  cdf; /* MULTINOMIAL: scratch */
    uint32_t key[2], high[2];
} npu__random;

/* What a stream has used up is a variable of the session, named by the node's place: shapes may depend on data, and state that an
 * operator asks for would have to wait for them. No VAR_HANDLE has a name by accident that begins with such a container. */
NPU__FN int32_t npu__random_id(npu__ctx *c) {
    static const char container[] = "random\001stream";
    npu__str          place, name;
    name.p = (const char *)(const void *)&c->node->subgraph;
    name.n = 2 * sizeof(int32_t); /* subgraph and index */
    place.p = container;
    place.n = sizeof container - 1;
    return npu__resource_id(c, place, name);
}

NPU__FN npu_status npu__random_declare(npu__ctx *c) {
    const int32_t id = npu__random_id(c);
    if (id < 0) return NPU__FAIL(c, NPU_OUT_OF_MEMORY, "random.memory", "no memory for a variable");
    return npu__resource_declare(c, id, sizeof(uint64_t));
}

/* LiteRT keeps 32 of a seed's bits, and widens them as a signed number. */
NPU__INLINE uint64_t npu__random_seed(int64_t seed) {
    const uint64_t low = (uint64_t)seed & 0xFFFFFFFFu;
    return low & 0x80000000u ? low | 0xFFFFFFFF00000000u : low;
}

NPU__FN npu_status npu__random_prepare(npu__ctx *c) {
    npu__random *d = (npu__random *)c->data;
    uint64_t     seed = npu__random_seed(NPU__OPTIONS(c->node, RandomOptions)->seed);
    uint64_t     seed2 = npu__random_seed(NPU__OPTIONS(c->node, RandomOptions)->seed2);
    if (seed == 0 && seed2 == 0) {
        seed = (uint64_t)c->node->index + 1;
        seed2 = (uint64_t)c->node->subgraph + 1;
    }
    d->key[0] = (uint32_t)seed;
    d->key[1] = (uint32_t)(seed >> 32);
    d->high[0] = (uint32_t)seed2;
    d->high[1] = (uint32_t)(seed2 >> 32);
    d->id = npu__random_id(c);
    return NPU_OK;
}

/* The first block that nobody has used; `blocks` of them are used up. */
NPU__FN npu_status npu__random_take(npu__ctx *c, uint64_t blocks, uint64_t *first) {
    size_t capacity = 0;
    void  *used = npu__resource_ptr(c, ((const npu__random *)c->data)->id, NULL, &capacity);
    *first = 0;
    if (!used || capacity < sizeof *first) return NPU__FAIL(c, NPU_RUNTIME, "random.state", "the stream has no state");
    memcpy(first, used, sizeof *first);
    blocks += *first;
    memcpy(used, &blocks, sizeof blocks);
    return NPU_OK;
}

NPU__INLINE void npu__random_block(const npu__random *d, uint64_t block, uint32_t out[4]) {
    uint32_t counter[4];
    counter[0] = (uint32_t)block;
    counter[1] = (uint32_t)(block >> 32);
    counter[2] = d->high[0];
    counter[3] = d->high[1];
    npu__philox(d->key, counter, out);
}

/* In [0, 1): the last 23 bits. */
NPU__INLINE float npu__random_f32(uint32_t x) { return npu__f32_from_bits(0x3F800000u | (x & 0x7FFFFFu)) - 1.0f; }

/* ---- RANDOM_UNIFORM and RANDOM_STANDARD_NORMAL: shape ---- */

NPU__FN npu_status npu__random_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__need_type(c, c->in[0], "the shape", NPU_INT32));
    NPU__TRY(npu__need_dims_vector(c, c->in[0], "the shape"));
    NPU__TRY(npu__random_declare(c));
    if (!npu__values_known(c->in[0])) return NPU__DYNAMIC;
    memset(&s, 0, sizeof s);
    s.rank = c->in[0]->shape.dims[0];
    for (int32_t i = 0; i < s.rank; i++) NPU__TRY(npu__dim_value(c, c->in[0], npu__int_at(c->in[0], i), &s.dims[i]));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__random_prepare_float(npu__ctx *c) {
    return c->out[0]->type == NPU_FLOAT32 ? npu__random_prepare(c) : npu__fail_types(c);
}

typedef struct npu__random_job {
    const npu__random *d;
    uint64_t           first;
    float             *out;
    int64_t            n;
    int                normal;
} npu__random_job;

/* Box and Muller's two normal numbers of two uniform ones. */
NPU__INLINE void npu__random_normal(uint32_t x, uint32_t y, float *out) {
    const float u = npu__random_f32(x), angle = (float)(6.283185307179586 * (double)npu__random_f32(y));
    const float radius = sqrtf(-2.0f * logf(u < 1.0e-7f ? 1.0e-7f : u));
    out[0] = sinf(angle) * radius;
    out[1] = cosf(angle) * radius;
}

NPU__FN void npu__random_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__random_job *job = (const npu__random_job *)arg;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        const int64_t n = NPU__MIN(job->n - 4 * b, 4);
        uint32_t      x[4];
        float         v[4];
        npu__random_block(job->d, job->first + (uint64_t)b, x);
        if (job->normal) {
            npu__random_normal(x[0], x[1], v);
            npu__random_normal(x[2], x[3], v + 2);
        } else {
            for (int32_t i = 0; i < 4; i++) v[i] = npu__random_f32(x[i]);
        }
        memcpy(job->out + 4 * b, v, (size_t)n * sizeof *v); /* bounded: n <= 4 */
    }
}

NPU__FN npu_status npu__random_eval(npu__ctx *c) {
    npu__random_job job;
    int64_t         blocks;
    job.d = (const npu__random *)c->data;
    job.out = (float *)c->out[0]->data;
    job.n = npu__elems(c->out[0]);
    job.normal = c->node->code == NPU__BUILTIN_RANDOM_STANDARD_NORMAL;
    blocks = job.n / 4 + (job.n % 4 != 0);
    NPU__TRY(npu__random_take(c, (uint64_t)blocks, &job.first));
    npu__parallel(c, blocks, 1024, npu__random_part, &job);
    return NPU_OK;
}

NPU__FN npu__work npu__random_work(const npu__ctx *c) { return npu__work_each(c, 16); }

NPU__OPDEF(npu__op_random_uniform) = {1, 1, 1, 1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__random), npu__random_infer,
                                      npu__random_prepare_float, NULL, npu__random_eval, npu__random_work};
NPU__OPDEF(npu__op_random_standard_normal) = {1, 1, 1, 1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__random), npu__random_infer,
                                              npu__random_prepare_float, NULL, npu__random_eval, npu__random_work};

/* ---- MULTINOMIAL: logits [batches, classes], number of samples ---- */

NPU__FN npu_status npu__multinomial_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__need_type(c, c->in[1], "the number of samples", NPU_INT32));
    NPU__TRY(npu__need_rank(c, c->in[0], "the logits", 2, 2));
    NPU__TRY(npu__need_rank(c, c->in[1], "the number of samples", 0, 0));
    NPU__TRY(npu__random_declare(c));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    memset(&s, 0, sizeof s);
    s.rank = 2;
    s.dims[0] = c->in[0]->shape.dims[0];
    NPU__TRY(npu__dim_value(c, c->in[1], npu__int_at(c->in[1], 0), &s.dims[1]));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__multinomial_prepare(npu__ctx *c) {
    npu__random *d = (npu__random *)c->data;
    if (c->in[0]->type != NPU_FLOAT32 || (c->out[0]->type != NPU_INT32 && c->out[0]->type != NPU_INT64)) return npu__fail_types(c);
    if (c->in[0]->shape.dims[1] < 1) return NPU__FAIL(c, NPU_INVALID_MODEL, "multinomial.classes", "there must be a class");
    d->cdf = npu__want_scratch(c, (size_t)c->in[0]->shape.dims[1] * sizeof(double)); /* bounded: the logits are that many floats */
    return d->cdf < 0 ? NPU_LIMIT : npu__random_prepare(c);
}

NPU__INLINE int npu__random_finite(float x) { return x - x <= 0.0f; }

/* Sums of exp(logit - the largest); infinite logits and NaN count for nothing. */
NPU__FN double npu__multinomial_cdf(const float *logits, int64_t n, double *cdf) {
    float  max = -3.402823466e+38f;
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) if (npu__random_finite(logits[i]) && logits[i] > max) max = logits[i];
    for (int64_t i = 0; i < n; i++) {
        if (npu__random_finite(logits[i])) sum += exp((double)logits[i] - (double)max);
        cdf[i] = sum;
    }
    return sum;
}

/* The first class whose sum is above x; n (which is no class) where none is: only if no logit was finite. */
NPU__FN int64_t npu__multinomial_find(const double *cdf, int64_t n, double x) {
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (cdf[mid] > x) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

/* In [0, 1): 52 bits. */
NPU__INLINE double npu__random_f64(uint32_t x, uint32_t y) {
    const uint64_t bits = (uint64_t)1023 << 52 | (uint64_t)(x & 0xFFFFFu) << 32 | y;
    double         v;
    memcpy(&v, &bits, sizeof v);
    return v - 1.0;
}

/* A sample takes half a block. An invoke takes far more than it needs, as LiteRT does. */
NPU__FN npu_status npu__multinomial_eval(npu__ctx *c) {
    const npu__random *d = (const npu__random *)c->data;
    const int64_t      batches = c->in[0]->shape.dims[0], n = c->in[0]->shape.dims[1], samples = npu__dim(c->out[0], 1);
    const uint64_t     rounded = ((uint64_t)samples + 3) / 4 * 4;
    double            *cdf = (double *)npu__slot(c, d->cdf);
    uint64_t           block, half = 0;
    int64_t            done = 0;
    uint32_t           x[4] = {0, 0, 0, 0};
    NPU__TRY(npu__random_take(c, (uint64_t)batches * rounded * 512, &block)); /* wraps at worst: a counter */
    for (int64_t b = 0; b < batches; b++) {
        const double total = npu__multinomial_cdf((const float *)c->in[0]->data + b * n, n, cdf);
        NPU__POLL_PASS(c, done, n * 16);
        for (int64_t i = 0; i < samples; i++, half ^= 2) {
            int64_t chosen;
            if (half == 0) npu__random_block(d, block++, x);
            chosen = npu__multinomial_find(cdf, n, npu__random_f64(x[half], x[half + 1]) * total);
            if (c->out[0]->type == NPU_INT64) ((int64_t *)c->out[0]->data)[b * samples + i] = chosen;
            else ((int32_t *)c->out[0]->data)[b * samples + i] = (int32_t)chosen;
            NPU__POLL_PASS(c, done, 32);
        }
    }
    return NPU_OK;
}

NPU__FN npu__work npu__multinomial_work(const npu__ctx *c) {
    return npu__work_steps(c, npu__sat_add(npu__sat_mul(npu__elems(c->in[0]), 16), npu__sat_mul(npu__elems(c->out[0]), 48)));
}

NPU__OPDEF(npu__op_multinomial) = {2, 2, 1, 1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__random), npu__multinomial_infer,
                                   npu__multinomial_prepare, NULL, npu__multinomial_eval, npu__multinomial_work};

/* ---- STABLEHLO_RNG_BIT_GENERATOR: state -> next state, random bits. It keeps nothing. ---- */

enum { NPU__RNG_DEFAULT = 0, NPU__RNG_PHILOX = 1, NPU__RNG_THREEFRY = 2 };

NPU__FN npu_status npu__rng_infer(npu__ctx *c) {
    NPU__TRY(npu__set_shape(c, 0, &c->in[0]->shape));
    return npu__set_shape(c, 1, &c->out[1]->t->shape);
}

NPU__FN npu_status npu__rng_prepare(npu__ctx *c) {
    const int32_t algorithm = NPU__OPTIONS(c->node, StablehloRngBitGeneratorOptions)->algorithm, type = c->out[1]->type;
    int32_t       words;
    NPU__TRY(npu__need_type(c, c->in[0], "the state", NPU_UINT64));
    NPU__TRY(npu__need_type(c, c->out[0], "the next state", NPU_UINT64));
    NPU__TRY(npu__need_rank(c, c->in[0], "the state", 1, 1));
    if (type != NPU_INT32 && type != NPU_INT64 && type != NPU_UINT32 && type != NPU_UINT64) return npu__fail_types(c);
    words = c->in[0]->shape.dims[0];
    if (algorithm < NPU__RNG_DEFAULT || algorithm > NPU__RNG_THREEFRY || words < 2 ||
        words > (algorithm == NPU__RNG_THREEFRY ? 2 : 3)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "rng_bit_generator.state", "algorithm %d does not go with a state of %d numbers: PHILOX "
                         "takes 2 or 3, THREEFRY 2", algorithm, words);
    }
    return NPU_OK;
}

typedef struct npu__rng_job {
    uint32_t key[2], counter[4];
    int32_t  threefry;
    uint8_t *out;
    int64_t  words;
} npu__rng_job;

/* Blocks of 4 words (2 of Threefry): the counter's first two words are a number of 64 bits. */
NPU__FN void npu__rng_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__rng_job *job = (const npu__rng_job *)arg;
    const int64_t       size = job->threefry ? 2 : 4;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        const uint64_t at = ((uint64_t)job->counter[1] << 32 | job->counter[0]) + (uint64_t)b;
        uint32_t       counter[4], x[4];
        memcpy(counter, job->counter, sizeof counter);
        counter[0] = (uint32_t)at;
        counter[1] = (uint32_t)(at >> 32);
        if (job->threefry) npu__threefry(job->key, counter, x);
        else npu__philox(job->key, counter, x);
        memcpy(job->out + b * size * 4, x, (size_t)NPU__MIN(job->words - b * size, size) * 4); /* bounded: 16 bytes */
    }
}

NPU__FN npu_status npu__rng_eval(npu__ctx *c) {
    uint64_t     state[3] = {0, 0, 0};
    npu__rng_job job;
    int64_t      blocks;
    memcpy(state, c->in[0]->data, c->in[0]->bytes); /* bounded: 2 or 3 numbers */
    job.key[0] = (uint32_t)state[0];
    job.key[1] = (uint32_t)(state[0] >> 32);
    job.counter[0] = (uint32_t)state[1];
    job.counter[1] = (uint32_t)(state[1] >> 32);
    /* Without a third number the first, the key, stands for it. */
    job.counter[2] = (uint32_t)(c->in[0]->shape.dims[0] == 3 ? state[2] : state[0]);
    job.counter[3] = (uint32_t)((c->in[0]->shape.dims[0] == 3 ? state[2] : state[0]) >> 32);
    job.threefry = NPU__OPTIONS(c->node, StablehloRngBitGeneratorOptions)->algorithm == NPU__RNG_THREEFRY;
    job.out = (uint8_t *)c->out[1]->data;
    job.words = (int64_t)(c->out[1]->bytes / 4);
    blocks = job.threefry ? job.words / 2 + job.words % 2 : job.words / 4 + (job.words % 4 != 0);
    npu__parallel(c, blocks, 1024, npu__rng_part, &job);
    state[1] += (uint64_t)blocks;
    memcpy(c->out[0]->data, state, c->out[0]->bytes); /* bounded: the input's size */
    return NPU_OK;
}

NPU__FN npu__work npu__rng_work(const npu__ctx *c) { return npu__work_steps(c, npu__sat_mul(npu__elems(c->out[1]), 16)); }

NPU__OPDEF(npu__op_stablehlo_rng_bit_generator) = {1, 1, 2, 2, 0, 0, NPU__NO_DATA, npu__rng_infer, npu__rng_prepare, NULL,
                                                   npu__rng_eval, npu__rng_work};
