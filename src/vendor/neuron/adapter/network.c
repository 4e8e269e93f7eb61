/* Compiled networks of the software adapter, as bytes. All numbers are little-endian:
 *
 *   head     8 bytes "npu_rtNN"; u32 version, flags (1: relaxed); u64 bytes of all; u64 FNV-1a of all but this number;
 *            u32 operands,
 *            operations, inputs, outputs, words; 12 zeros
 *   words    u32: operands, operations, lists of inputs and outputs (npu__nsw_put_model)
 *   values   each at a multiple of 64
 *
 * Whoever reads them trusts nothing: a network goes through the same calls as a model that somebody builds, in time
 * linear in its bytes. The checksum finds damage, not malice. */
#include "../../../base/fp16.h"
#include "adapter.h"

#if NPU__HAS_NEURON_SOFTWARE

#define NPU__NSW_MAGIC "npu_rtNN"
#define NPU__NSW_SUM_EMPTY 0xcbf29ce484222325u /* FNV-1a of nothing, 64 bits */
enum { NPU__NSW_VERSION = 1, NPU__NSW_HEAD = 64, NPU__NSW_SUM_AT = 24 };

NPU__FN uint64_t npu__nsw_sum(uint64_t h, const uint8_t *p, size_t n) {
    /* wraps: a hash */
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}
NPU__FN uint64_t npu__nsw_checksum(const uint8_t *p, size_t n) {
    return npu__nsw_sum(npu__nsw_sum(NPU__NSW_SUM_EMPTY, p, NPU__NSW_SUM_AT), p + NPU__NSW_SUM_AT + 8,
                        n - NPU__NSW_SUM_AT - 8);
}

NPU__INLINE void npu__nsw_put(uint8_t *p, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> 8 * i); /* bounded: 8 bytes */
}
NPU__INLINE uint64_t npu__nsw_u64(const uint8_t *p) { return npu__nsw_u32(p) | (uint64_t)npu__nsw_u32(p + 4) << 32; }

/* ---- writing ---- */

/* Words go where there is room; without (`words` NULL) they are counted. */
typedef struct npu__nsw_pen {
    uint8_t *words;
    size_t   n_words;
    uint8_t *values; /* from the network's first byte */
    size_t  *places; /* of values, by operand, from there too; NULL: not known yet */
    size_t   end;    /* of the values that are written; from there too */
} npu__nsw_pen;

NPU__FN void npu__nsw_word(npu__nsw_pen *pen, uint32_t v) {
    if (pen->words) npu__nsw_put(pen->words + 4 * pen->n_words, v, 4); /* bounded: there is room for those counted */
    pen->n_words++;
}

NPU__FN void npu__nsw_list(npu__nsw_pen *pen, const uint32_t *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) npu__nsw_word(pen, list[i]);
}

/* Is a value rounded when it is written? Floats of a relaxed model are those that it computes with. */
NPU__FN int npu__nsw_rounds(const npu__nsw_model *m, const npu__nsw_operand *o) {
    return m->relaxed && o->type && !o->type->scalar && o->type->element == NPU_FLOAT32 && !o->exact;
}

/* The operand before `i` whose value will do for it, or `i`: many may have the same memory, as tensors of a file share buffers.
 * `slots`: a table of operands by address, -1 where there is none; n_slots is a power of two. Looks at a few slots only, so that
 * nobody's choice of addresses makes it slow. */
NPU__FN int32_t npu__nsw_shared(const npu__nsw_model *m, int32_t i, int32_t *slots, size_t n_slots) {
    const npu__nsw_operand *o = &m->operands[i];
    const size_t            hash = (size_t)((uintptr_t)o->value >> 4 ^ (uintptr_t)o->value >> 12);
    for (size_t k = 0; k < 16; k++) {
        int32_t *slot = &slots[(hash + k) & (n_slots - 1)];
        if (*slot < 0) return *slot = i;
        if (m->operands[*slot].value == o->value && m->operands[*slot].bytes == o->bytes &&
            npu__nsw_rounds(m, &m->operands[*slot]) == npu__nsw_rounds(m, o)) return *slot;
    }
    return i;
}

/* The place of each value, from *end on; *end is behind the last. */
NPU__FN int npu__nsw_set_places(npu__pool *temp, const npu__nsw_model *m, size_t **places, size_t *end) {
    size_t   n_slots = 16;
    int32_t *slots;
    while (n_slots < (size_t)m->n_operands) n_slots *= 2; /* bounded: NPU__NSW_MAX_LIST operands */
    slots = (int32_t *)npu__pool_alloc(temp, n_slots, sizeof *slots);
    *places = (size_t *)npu__pool_alloc(temp, (size_t)m->n_operands, sizeof **places);
    if (!slots || !*places) return NPU__NEURON_OUT_OF_MEMORY;
    for (size_t i = 0; i < n_slots; i++) slots[i] = -1;
    for (int32_t i = 0; i < m->n_operands; i++) {
        int32_t same;
        if (m->operands[i].has != NPU__NSW_VALUE) continue;
        same = npu__nsw_shared(m, i, slots, n_slots);
        if (same != i) {
            (*places)[i] = (*places)[same];
            continue;
        }
        (*places)[i] = npu__align_up(*end, 64);
        if ((*places)[i] < *end || !npu__add_size((*places)[i], m->operands[i].bytes, end)) return NPU__NEURON_OUT_OF_MEMORY;
    }
    return NPU__NEURON_NO_ERROR;
}

/* A value, and where it is. It is written once, by the first operand that has it: the places of first ones only rise. */
NPU__FN void npu__nsw_value(npu__nsw_pen *pen, const npu__nsw_model *m, const npu__nsw_operand *o) {
    const size_t at = pen->places ? pen->places[o - m->operands] : 0;
    npu__nsw_word(pen, (uint32_t)at);
    npu__nsw_word(pen, (uint32_t)((uint64_t)at >> 32));
    npu__nsw_word(pen, (uint32_t)o->bytes);
    if (!pen->values || at < pen->end) return;
    memcpy(pen->values + at, o->value, o->bytes);
    pen->end = at + o->bytes; /* bounded: npu__nsw_set_places added them */
    if (!npu__nsw_rounds(m, o)) return;
    for (size_t i = 0; i + 4 <= o->bytes; i += 4) {
        uint8_t *p = pen->values + at + i;
        npu__nsw_put(p, npu__f32_bits(npu__f16_to_f32(npu__f16_from_f32(npu__f32_from_bits(npu__nsw_u32(p))))), 4);
    }
}

NPU__FN void npu__nsw_put_operand(npu__nsw_pen *pen, const npu__nsw_model *m, const npu__nsw_operand *o) {
    npu__nsw_word(pen, (uint32_t)o->code);
    npu__nsw_word(pen, o->n_dims);
    npu__nsw_list(pen, o->dims, o->n_dims);
    npu__nsw_word(pen, npu__f32_bits(o->scale));
    npu__nsw_word(pen, (uint32_t)o->zero_point);
    npu__nsw_word(pen, o->has);
    if (o->has == NPU__NSW_VALUE) npu__nsw_value(pen, m, o);
    npu__nsw_word(pen, o->n_channels);
    if (o->n_channels == 0) return;
    npu__nsw_word(pen, o->axis);
    npu__nsw_word(pen, o->zero_points != NULL);
    for (uint32_t i = 0; i < o->n_channels; i++) npu__nsw_word(pen, npu__f32_bits(o->scales[i]));
    for (uint32_t i = 0; o->zero_points && i < o->n_channels; i++) npu__nsw_word(pen, (uint32_t)o->zero_points[i]);
}

NPU__FN void npu__nsw_put_model(npu__nsw_pen *pen, const npu__nsw_model *m) {
    for (int32_t i = 0; i < m->n_operands; i++) npu__nsw_put_operand(pen, m, &m->operands[i]);
    npu__nsw_list(pen, m->in, m->n_in);
    npu__nsw_list(pen, m->out, m->n_out);
    for (int32_t i = 0; i < m->n_ops; i++) {
        npu__nsw_word(pen, (uint32_t)m->ops[i].code);
        npu__nsw_word(pen, m->ops[i].n_in);
        npu__nsw_word(pen, m->ops[i].n_out);
        npu__nsw_list(pen, m->ops[i].in, m->ops[i].n_in);
        npu__nsw_list(pen, m->ops[i].out, m->ops[i].n_out);
    }
}

NPU__FN void npu__nsw_put_head(uint8_t *p, const npu__nsw_model *m, size_t n_words, size_t n_bytes) {
    memcpy(p, NPU__NSW_MAGIC, 8);
    npu__nsw_put(p + 8, NPU__NSW_VERSION, 4);
    npu__nsw_put(p + 12, m->relaxed, 4);
    npu__nsw_put(p + 16, n_bytes, 8);
    npu__nsw_put(p + 32, (uint64_t)m->n_operands, 4);
    npu__nsw_put(p + 36, (uint64_t)m->n_ops, 4);
    npu__nsw_put(p + 40, m->n_in, 4);
    npu__nsw_put(p + 44, m->n_out, 4);
    npu__nsw_put(p + 48, n_words, 4);
    npu__nsw_put(p + NPU__NSW_SUM_AT, npu__nsw_checksum(p, n_bytes), 8);
}

NPU__FN int npu__nsw_network_write_in(npu__pool *temp, const npu__nsw_model *m, uint8_t **bytes, size_t *n_bytes) {
    npu__nsw_pen pen;
    uint8_t     *p;
    size_t       n_words;
    memset(&pen, 0, sizeof pen);
    npu__nsw_put_model(&pen, m);
    n_words = pen.n_words;
    memset(&pen, 0, sizeof pen);
    *n_bytes = NPU__NSW_HEAD + 4 * n_words; /* bounded: lists that memory holds */
    NPU__NSW_TRY(npu__nsw_set_places(temp, m, &pen.places, n_bytes));
    *bytes = p = (uint8_t *)m->allocator.alloc(m->allocator.user, *n_bytes, 64);
    if (!p) return NPU__NEURON_OUT_OF_MEMORY;
    memset(p, 0, *n_bytes);
    pen.words = p + NPU__NSW_HEAD;
    pen.values = p;
    npu__nsw_put_model(&pen, m);
    npu__nsw_put_head(p, m, n_words, *n_bytes);
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_network_write(const npu__nsw_model *m, uint8_t **bytes, size_t *n_bytes) {
    npu__pool temp;
    int       r;
    npu__pool_init(&temp, &m->allocator, UINT64_MAX);
    r = npu__nsw_network_write_in(&temp, m, bytes, n_bytes);
    npu__pool_free(&temp);
    return r;
}

/* ---- reading ---- */

typedef struct npu__nsw_reader {
    const uint8_t  *bytes;
    size_t          n_bytes, word, n_words;
    npu__nsw_model *m;
} npu__nsw_reader;

NPU__FN int npu__nsw_get(npu__nsw_reader *r, uint32_t *out) {
    if (r->word >= r->n_words) return NPU__NEURON_BAD_DATA;
    *out = npu__nsw_u32(r->bytes + NPU__NSW_HEAD + 4 * r->word++); /* bounded: n_words of them are in memory */
    return NPU__NEURON_NO_ERROR;
}

/* The next n words, where they lie: the bytes are aligned, and the machine is little-endian. */
NPU__FN int npu__nsw_get_list(npu__nsw_reader *r, uint32_t n, const void **out) {
    if (n > r->n_words - r->word) return NPU__NEURON_BAD_DATA;
    *out = r->bytes + NPU__NSW_HEAD + 4 * r->word; /* bounded: likewise */
    r->word += n;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_get_value(npu__nsw_reader *r, int32_t index) {
    uint32_t low, high, n;
    uint64_t at;
    NPU__NSW_TRY(npu__nsw_get(r, &low));
    NPU__NSW_TRY(npu__nsw_get(r, &high));
    NPU__NSW_TRY(npu__nsw_get(r, &n));
    at = low | (uint64_t)high << 32;
    if (at % 64 != 0 || at > r->n_bytes || n > r->n_bytes - at) return NPU__NEURON_BAD_DATA;
    return npu__nsw_NeuronModel_setOperandValue(r->m, index, r->bytes + at, n);
}

NPU__FN int npu__nsw_get_channels(npu__nsw_reader *r, int32_t index) {
    npu_neuron_channels_symm symm;
    npu_neuron_channels      all;
    uint32_t                 n, axis, zero_points;
    const void              *list;
    NPU__NSW_TRY(npu__nsw_get(r, &n));
    if (n == 0) return NPU__NEURON_NO_ERROR;
    NPU__NSW_TRY(npu__nsw_get(r, &axis));
    NPU__NSW_TRY(npu__nsw_get(r, &zero_points));
    NPU__NSW_TRY(npu__nsw_get_list(r, n, &list));
    symm.axis = all.axis = axis;
    symm.n_scales = all.n_scales = n;
    symm.scales = all.scales = (const float *)list;
    if (!zero_points) return npu__nsw_NeuronModel_setOperandSymmPerChannelQuantParams(r->m, index, &symm);
    NPU__NSW_TRY(npu__nsw_get_list(r, n, &list));
    all.n_zero_points = n;
    all.zero_points = (const int32_t *)list;
    return npu__nsw_NeuronModel_setOperandPerChannelQuantParams(r->m, index, &all);
}

NPU__FN int npu__nsw_get_operand(npu__nsw_reader *r, int32_t index) {
    npu_neuron_operand o;
    const void        *dims;
    uint32_t           code, n_dims, scale, zero_point, has;
    NPU__NSW_TRY(npu__nsw_get(r, &code));
    NPU__NSW_TRY(npu__nsw_get(r, &n_dims));
    NPU__NSW_TRY(npu__nsw_get_list(r, n_dims, &dims));
    NPU__NSW_TRY(npu__nsw_get(r, &scale));
    NPU__NSW_TRY(npu__nsw_get(r, &zero_point));
    NPU__NSW_TRY(npu__nsw_get(r, &has));
    o.type = (int32_t)code;
    o.n_dims = n_dims;
    o.dims = (const uint32_t *)dims;
    o.scale = npu__f32_from_bits(scale);
    o.zero_point = (int32_t)zero_point;
    NPU__NSW_TRY(npu__nsw_NeuronModel_addOperand(r->m, &o));
    if (has == NPU__NSW_VALUE) NPU__NSW_TRY(npu__nsw_get_value(r, index));
    else if (has == NPU__NSW_OMITTED) NPU__NSW_TRY(npu__nsw_NeuronModel_setOperandValue(r->m, index, NULL, 0));
    else if (has != NPU__NSW_UNSET) return NPU__NEURON_BAD_DATA;
    return npu__nsw_get_channels(r, index);
}

NPU__FN int npu__nsw_get_operation(npu__nsw_reader *r) {
    uint32_t    code, n_in, n_out;
    const void *in, *out;
    NPU__NSW_TRY(npu__nsw_get(r, &code));
    NPU__NSW_TRY(npu__nsw_get(r, &n_in));
    NPU__NSW_TRY(npu__nsw_get(r, &n_out));
    NPU__NSW_TRY(npu__nsw_get_list(r, n_in, &in));
    NPU__NSW_TRY(npu__nsw_get_list(r, n_out, &out));
    return npu__nsw_NeuronModel_addOperation(r->m, (int32_t)code, n_in, (const uint32_t *)in, n_out, (const uint32_t *)out);
}

NPU__FN int npu__nsw_get_model(npu__nsw_reader *r) {
    const uint8_t *p = r->bytes;
    const uint32_t n_operands = npu__nsw_u32(p + 32), n_ops = npu__nsw_u32(p + 36);
    const uint32_t n_in = npu__nsw_u32(p + 40), n_out = npu__nsw_u32(p + 44);
    const void    *in, *out;
    for (uint32_t i = 0; i < n_operands; i++) NPU__NSW_TRY(npu__nsw_get_operand(r, (int32_t)i));
    NPU__NSW_TRY(npu__nsw_get_list(r, n_in, &in));
    NPU__NSW_TRY(npu__nsw_get_list(r, n_out, &out));
    NPU__NSW_TRY(npu__nsw_NeuronModel_identifyInputsAndOutputs(r->m, n_in, (const uint32_t *)in, n_out,
                                                               (const uint32_t *)out));
    for (uint32_t i = 0; i < n_ops; i++) NPU__NSW_TRY(npu__nsw_get_operation(r));
    if (r->word != r->n_words) return NPU__NEURON_BAD_DATA;
    return npu__nsw_NeuronModel_finish(r->m);
}

NPU__FN int npu__nsw_network_is(const void *bytes, size_t n_bytes) {
    return n_bytes >= 8 && memcmp(bytes, NPU__NSW_MAGIC, 8) == 0;
}

/* Is it whole, and of this version? It has a head. */
NPU__FN int npu__nsw_head_ok(const uint8_t *p, size_t n) {
    if (!npu__nsw_network_is(p, n)) return 0;
    if (npu__nsw_u32(p + 8) != NPU__NSW_VERSION || npu__nsw_u32(p + 12) > 1 || npu__nsw_u64(p + 16) != n) return 0;
    if (npu__nsw_u32(p + 48) > (n - NPU__NSW_HEAD) / 4) return 0;
    return npu__nsw_u64(p + NPU__NSW_SUM_AT) == npu__nsw_checksum(p, n);
}

NPU__FN int npu__nsw_network_read(npu__nsw_network *network) {
    npu__nsw_reader r;
    memset(&r, 0, sizeof r);
    if (!npu__nsw_head_ok(network->bytes, network->n_bytes)) return NPU__NEURON_BAD_DATA;
    NPU__NSW_TRY(npu__nsw_model_new(&network->model, &network->allocator));
    network->model->keeps_values = 1;
    network->model->relaxed = network->bytes[12] != 0;
    r.bytes = network->bytes;
    r.n_bytes = network->n_bytes;
    r.n_words = npu__nsw_u32(network->bytes + 48);
    r.m = network->model;
    NPU__NSW_TRY(npu__nsw_get_model(&r));
    network->model->restored = 1;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_network_plan(npu__nsw_network *network, npu_diag *diag) {
    npu_plan_desc d;
    NPU__NSW_TRY(npu__nsw_graph(&network->graph, network->model, diag));
    memset(&d, 0, sizeof d);
    d.allocator = network->allocator;
    return npu__nsw_result(npu_plan_create(&network->plan, network->graph, &d, diag));
}

NPU__FN int npu__nsw_network_adopt(npu__nsw_network **out, const npu_allocator *allocator, uint8_t *bytes, size_t n_bytes,
                                   npu_diag *diag) {
    npu__nsw_network *network = (npu__nsw_network *)allocator->alloc(allocator->user, sizeof *network, 64);
    int               r;
    *out = NULL;
    npu__diag_clear(diag);
    if (!network) {
        allocator->free(allocator->user, bytes, n_bytes);
        return NPU__NEURON_OUT_OF_MEMORY;
    }
    memset(network, 0, sizeof *network);
    network->allocator = *allocator;
    network->bytes = bytes;
    network->n_bytes = n_bytes;
    r = npu__nsw_network_read(network);
    if (r == NPU__NEURON_NO_ERROR) r = npu__nsw_network_plan(network, diag);
    if (r == NPU__NEURON_NO_ERROR) *out = network;
    else npu__nsw_network_close(network);
    return r;
}

NPU__FN int npu__nsw_network_open(npu__nsw_network **out, const npu_allocator *allocator, const void *bytes, size_t n_bytes,
                                  npu_diag *diag) {
    uint8_t *copy;
    *out = NULL;
    if (n_bytes < NPU__NSW_HEAD) return NPU__NEURON_BAD_DATA;
    copy = (uint8_t *)allocator->alloc(allocator->user, n_bytes, 64);
    if (!copy) return NPU__NEURON_OUT_OF_MEMORY;
    memcpy(copy, bytes, n_bytes);
    return npu__nsw_network_adopt(out, allocator, copy, n_bytes, diag);
}

NPU__FN void npu__nsw_network_close(npu__nsw_network *network) {
    npu_allocator a;
    if (!network) return;
    a = network->allocator;
    npu_plan_destroy(network->plan);
    npu_model_close(network->graph);
    npu__nsw_NeuronModel_free(network->model);
    a.free(a.user, network->bytes, network->n_bytes);
    a.free(a.user, network, sizeof *network);
}

#endif
