/* Operators private to this front end: reals in and out, options, registration. */
#include "kernel.h"
#include "../base/checked.h"
#include "../ops/util.h"

#include <math.h>

#if NPU__HAS_NNAPI

/* ---- prepare ---- */

/* Memory for the reals of a tensor, where it has none itself. */
NPU__FN npu_status npu__nn_k_room(npu_call *call, const npu_tensor *t, int integers, int32_t *slot) {
    size_t bytes;
    *slot = -1;
    if (t->type == NPU_FLOAT32 || (t->type == NPU_INT32 && !integers && t->quant.count == 0)) return NPU_OK;
    if ((t->type != NPU_UINT8 && t->type != NPU_INT8 && t->type != NPU_INT16 && t->type != NPU_UINT16 && t->type != NPU_INT32) ||
        t->quant.count > 1 || (t->quant.count == 0 && t->type != NPU_INT32)) {
        return npu_call_fail(call, NPU_UNSUPPORTED, "nnapi.type", "its tensors must be of floats, or have one scale");
    }
    if (!npu__mul_size((size_t)npu__nn_k_count(t), sizeof(float), &bytes)) return npu_call_fail(call, NPU_LIMIT, "nnapi.size", "too large");
    *slot = npu_call_want_scratch(call, bytes);
    return *slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__nn_k_prepare(npu_call *call, int integers) {
    npu__nn_kernel *d = (npu__nn_kernel *)npu_call_data(call);
    npu_tensor      t;
    for (int32_t i = 0; i < NPU__NN_K_INPUTS; i++) {
        d->in[i] = -1;
        if (npu_call_input(call, i, &t)) NPU__TRY(npu__nn_k_room(call, &t, integers, &d->in[i]));
    }
    for (int32_t i = 0; i < NPU__NN_K_OUTPUTS; i++) {
        d->out[i] = -1;
        if (npu_call_output(call, i, &t)) NPU__TRY(npu__nn_k_room(call, &t, 0, &d->out[i]));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__nn_k_memory(npu_call *call, int32_t which, int64_t n) {
    npu__nn_kernel *d = (npu__nn_kernel *)npu_call_data(call);
    size_t          bytes;
    if (n < 0 || n > INT32_MAX || !npu__mul_size((size_t)n, 4, &bytes)) return npu_call_fail(call, NPU_LIMIT, "nnapi.size", "too large");
    d->memory[which] = npu_call_want_scratch(call, bytes);
    return d->memory[which] < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__nn_k_need(npu_call *call, int32_t i, int32_t rank, int32_t d0, int32_t d1) {
    npu_tensor t;
    if (!npu_call_input(call, i, &t)) return NPU_OK;
    if (t.rank == rank && (d0 < 0 || t.dims[0] == d0) && (rank < 2 || d1 < 0 || t.dims[1] == d1)) return NPU_OK;
    return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.shape", "the shapes of its operands do not fit together");
}

NPU__FN npu_status npu__nn_k_indices(npu_call *call, int32_t i) {
    npu_tensor t;
    if (npu_call_input(call, i, &t) && t.type == NPU_INT32 && t.quant.count == 0) return NPU_OK;
    return npu_call_fail(call, NPU_INVALID_MODEL, "nnapi.type", "indices of batches must be int32");
}

/* ---- every phase ---- */

NPU__FN int64_t npu__nn_k_int(const npu_call *call, const char *name) {
    int64_t v = 0;
    npu_call_option_int(call, name, &v);
    return v;
}

NPU__FN float npu__nn_k_real(const npu_call *call, const char *name) {
    double v = 0.0;
    npu_call_option_float(call, name, &v);
    return (float)v; /* it was a float, or half a one */
}

NPU__FN int32_t npu__nn_k_dim(const npu_call *call, int32_t i, int32_t axis) {
    npu_tensor t;
    return npu_call_input(call, i, &t) && axis < t.rank ? t.dims[axis] : 0;
}

NPU__FN int64_t npu__nn_k_count(const npu_tensor *t) {
    int64_t n = 1;
    for (int32_t i = 0; i < t->rank; i++) n *= t->dims[i]; /* bounded: elements of a tensor */
    return n;
}

NPU__FN npu_status npu__nn_k_shape(npu_call *call, int32_t i, int32_t rank, int64_t d0, int64_t d1, int64_t d2, int64_t d3) {
    int64_t wide[4];
    int32_t dims[4];
    wide[0] = d0;
    wide[1] = d1;
    wide[2] = d2;
    wide[3] = d3;
    for (int32_t k = 0; k < rank; k++) {
        if (wide[k] < 0 || wide[k] > INT32_MAX) return npu_call_fail(call, NPU_LIMIT, "nnapi.size", "an output is too large");
        dims[k] = (int32_t)wide[k];
    }
    return npu_call_set_shape(call, i, rank, dims);
}

NPU__FN npu__nn_maps npu__nn_k_maps_of(int64_t n, int64_t h, int64_t w, int64_t channels, int nchw) {
    npu__nn_maps m;
    m.n = n;
    m.h = h;
    m.w = w;
    m.channels = channels;
    m.nchw = nchw;
    /* Saturating: what infer makes of options may be too large for a tensor. */
    m.map = npu__sat_mul(npu__sat_mul(h, w), channels);
    m.row = nchw ? w : npu__sat_mul(w, channels);
    m.column = nchw ? 1 : channels;
    m.channel = nchw ? npu__sat_mul(h, w) : 1;
    return m;
}

NPU__FN npu__nn_maps npu__nn_k_maps(const npu_call *call) {
    const int nchw = npu__nn_k_int(call, "nchw") != 0;
    return npu__nn_k_maps_of(npu__nn_k_dim(call, 0, 0), npu__nn_k_dim(call, 0, nchw ? 2 : 1), npu__nn_k_dim(call, 0, nchw ? 3 : 2),
                             npu__nn_k_dim(call, 0, nchw ? 1 : 3), nchw);
}

NPU__FN npu_status npu__nn_k_maps_shape(npu_call *call, const npu__nn_maps *m) {
    if (m->nchw) return npu__nn_k_shape(call, 0, 4, m->n, m->channels, m->h, m->w);
    return npu__nn_k_shape(call, 0, 4, m->n, m->h, m->w, m->channels);
}

/* ---- eval ---- */

NPU__FN npu_status npu__nn_k_in(npu_call *call, int32_t i, float scale, const float **out) {
    static const int32_t zero = 0;
    const npu__nn_kernel *d = (const npu__nn_kernel *)npu_call_data(call);
    npu_tensor            t;
    float                *real;
    *out = NULL;
    if (!npu_call_input(call, i, &t)) return NPU_OK;
    *out = (const float *)t.data;
    if (d->in[i] < 0) return NPU_OK;
    real = (float *)npu_call_memory(call, d->in[i]);
    *out = real;
    if (scale > 0.0f) { /* a bias: whatever scale it says, it is this one */
        t.quant.count = 1;
        t.quant.axis = 0;
        t.quant.scale = &scale;
        t.quant.zero_point = &zero;
    }
    return npu_tensor_dequantize(&t, real, (size_t)npu__nn_k_count(&t), NULL) == NPU_OK
               ? NPU_OK : npu_call_fail(call, NPU_RUNTIME, "nnapi.dequantize", "an operand cannot be dequantized");
}

NPU__FN float *npu__nn_k_out(npu_call *call, int32_t i) {
    const npu__nn_kernel *d = (const npu__nn_kernel *)npu_call_data(call);
    npu_tensor            t;
    if (!npu_call_output(call, i, &t)) return NULL;
    return (float *)(d->out[i] < 0 ? t.data : npu_call_memory(call, d->out[i]));
}

NPU__FN npu_status npu__nn_k_end(npu_call *call) {
    const npu__nn_kernel *d = (const npu__nn_kernel *)npu_call_data(call);
    npu_tensor            t;
    for (int32_t i = 0; i < NPU__NN_K_OUTPUTS; i++) {
        float  *real;
        int64_t n;
        if (d->out[i] < 0 || !npu_call_output(call, i, &t)) continue;
        real = (float *)npu_call_memory(call, d->out[i]);
        n = npu__nn_k_count(&t);
        for (int64_t k = 0; k < n; k++) if (real[k] != real[k]) real[k] = 0.0f; /* a NaN has no integer */
        if (npu_tensor_quantize(&t, real, (size_t)n, NULL) != NPU_OK) {
            return npu_call_fail(call, NPU_RUNTIME, "nnapi.quantize", "a result cannot be quantized");
        }
    }
    return NPU_OK;
}

NPU__FN void *npu__nn_k_work(npu_call *call, int32_t which) {
    return npu_call_memory(call, ((const npu__nn_kernel *)npu_call_data(call))->memory[which]);
}

NPU__FN int npu__nn_k_poll(npu_call *call, int64_t *done, int64_t steps) {
    *done += steps; /* bounded: one pass */
    if (*done < 1000000) return 1;
    if (npu_call_poll(call, *done)) return 0;
    *done = 0;
    return 1;
}

NPU__FN int npu__nn_k_act_known(int64_t code) { return (code >= 0 && code <= 4) || code == 6; }

NPU__FN float npu__nn_k_act(int32_t code, float v) {
    switch (code) {
    case 1: return v > 0.0f ? v : 0.0f;
    case 2: return v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    case 3: return v < 0.0f ? 0.0f : v > 6.0f ? 6.0f : v;
    case 4: return tanhf(v);
    case 6: return 1.0f / (1.0f + expf(-v));
    default: return v;
    }
}

/* Eight sums side by side, which compilers keep in vectors. */
NPU__FN float npu__nn_k_dot(const float *a, const float *b, int32_t n) {
    float   part[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, sum = 0.0f;
    int32_t i = 0;
    for (; i + 8 <= n; i += 8) for (int k = 0; k < 8; k++) part[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum += a[i] * b[i];
    for (int k = 0; k < 8; k++) sum += part[k];
    return sum;
}

/* ---- options ---- */

NPU__FN int32_t npu__nn_scalar_room(npu__nn_scalars *s, npu__str key) {
    int32_t at = s->n++;
    NPU__ASSERT(at < NPU__NN_K_SCALARS);
    /* Keys of a map are sorted. */
    for (; at > 0; at--) {
        const npu__str *last = &s->key[at - 1];
        const int       order = memcmp(last->p, key.p, NPU__MIN(last->n, key.n));
        if (order < 0 || (order == 0 && last->n < key.n)) break;
        s->key[at] = s->key[at - 1];
        s->is_real[at] = s->is_real[at - 1];
        s->i[at] = s->i[at - 1];
        s->f[at] = s->f[at - 1];
    }
    s->key[at] = key;
    return at;
}

NPU__FN void npu__nn_scalar_int(npu__nn_scalars *s, const char *key, int64_t value) {
    const int32_t at = npu__nn_scalar_room(s, npu__str_of(key));
    s->is_real[at] = 0;
    s->i[at] = value;
}

NPU__FN void npu__nn_scalar_real(npu__nn_scalars *s, const char *key, double value) {
    const int32_t at = npu__nn_scalar_room(s, npu__str_of(key));
    s->is_real[at] = 1;
    s->f[at] = value;
}

NPU__FN npu_status npu__nn_scalars_of(npu__nn_maker *k, const npu__nn_op *op, npu__nn_scalars *s) {
    npu__operand_words words = npu__words_of(op->row->operands);
    npu__operand_word  word;
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < op->n_in; i++) {
        int64_t v = 0;
        double  f = 0.0;
        int32_t at;
        npu__words_next(&words, op->n_in - i, &word);
        if (word.kind == 't' || word.name.n == 0 || npu__nn_arg(k, i)->has == NPU__NN_OMITTED) continue;
        if (word.kind == 'f') NPU__TRY(npu__nn_float_arg(k, i, &f));
        else NPU__TRY(npu__nn_int_arg(k, i, &v));
        at = npu__nn_scalar_room(s, word.name);
        s->is_real[at] = word.kind == 'f';
        s->i[at] = v;
        s->f[at] = f;
    }
    return NPU_OK;
}

/* A flexbuffer as it grows; everything in it is 8 bytes wide. */
typedef struct npu__nn_flex {
    uint8_t bytes[NPU__NN_K_SCALARS * 57 + 64];
    size_t  n;
} npu__nn_flex;

NPU__FN void npu__nn_flex_u64(npu__nn_flex *b, uint64_t v) {
    for (int i = 0; i < 8; i++) b->bytes[b->n++] = (uint8_t)(v >> 8 * i & 255u);
}

/* Keys, their offsets, the map: where its keys are and how wide, how many values, these and their types; and the root. */
NPU__FN void npu__nn_flex_map(npu__nn_flex *b, const npu__nn_scalars *s) {
    enum { WIDE = 3, INT = 1, FLOAT = 3, MAP = 9 };
    size_t at[NPU__NN_K_SCALARS], keys, map;
    b->n = 0;
    for (int32_t i = 0; i < s->n; i++) {
        at[i] = b->n;
        NPU__ASSERT(s->key[i].n < 32);
        memcpy(b->bytes + b->n, s->key[i].p, s->key[i].n);
        b->n += s->key[i].n;
        b->bytes[b->n++] = 0;
    }
    while (b->n % 8 != 0) b->bytes[b->n++] = 0;
    npu__nn_flex_u64(b, (uint64_t)s->n);
    keys = b->n;
    for (int32_t i = 0; i < s->n; i++) npu__nn_flex_u64(b, b->n - at[i]);
    npu__nn_flex_u64(b, b->n - keys);
    npu__nn_flex_u64(b, 8);
    npu__nn_flex_u64(b, (uint64_t)s->n);
    map = b->n;
    for (int32_t i = 0; i < s->n; i++) {
        uint64_t bits = (uint64_t)s->i[i];
        if (s->is_real[i]) memcpy(&bits, &s->f[i], sizeof bits);
        npu__nn_flex_u64(b, bits);
    }
    for (int32_t i = 0; i < s->n; i++) b->bytes[b->n++] = (uint8_t)((s->is_real[i] ? FLOAT : INT) << 2 | WIDE);
    while (b->n % 8 != 0) b->bytes[b->n++] = 0;
    npu__nn_flex_u64(b, b->n - map);
    b->bytes[b->n++] = MAP << 2 | WIDE;
    b->bytes[b->n++] = 8;
}

NPU__FN npu_status npu__nn_add_private(npu__nn_maker *k, const char *name, const int32_t *in, int32_t n_in, const int32_t *out,
                                       int32_t n_out, const npu__nn_scalars *s) {
    npu__nn_flex b;
    npu_op_desc  d;
    npu__nn_flex_map(&b, s);
    memset(&d, 0, sizeof d);
    d.name = name;
    d.custom = 1;
    d.inputs = in;
    d.n_inputs = n_in;
    d.outputs = out;
    d.n_outputs = n_out;
    d.custom_options = b.bytes;
    d.custom_options_bytes = b.n;
    return npu_graph_op(k->g, k->subgraph, &d, NULL, k->diag);
}

/* ---- registration ---- */

NPU__FN void npu__nn_kernels(npu_model_desc *d, npu_user_op *list) {
    npu_user_op *op = list;
    memset(list, 0, NPU__NN_KERNEL_COUNT * sizeof *list);
#define NPU__X(title, fn, least_in, most_in, optional, least_out, most_out, file) \
    op->name = title;                                                             \
    op->min_inputs = least_in;                                                    \
    op->max_inputs = most_in;                                                     \
    op->optional_inputs = optional;                                               \
    op->min_outputs = least_out;                                                  \
    op->max_outputs = most_out;                                                   \
    op->flags = NPU_USER_OP_PURE;                                                 \
    op->data_bytes = sizeof(npu__nn_kernel);                                      \
    op->infer = npu__nn_##fn##_infer;                                             \
    op->prepare = npu__nn_##fn##_prepare;                                         \
    op->eval = npu__nn_##fn##_eval;                                               \
    op->work = npu__nn_##fn##_work;                                               \
    op++;
    NPU__NN_KERNELS(NPU__X)
#undef NPU__X
    d->operators = list;
    d->n_operators = (int32_t)(op - list);
}

#endif
