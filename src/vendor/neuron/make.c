/* Adding operands and operations to a Neuron model. */
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

NPU__FN void npu__neuron_refuse(npu__neuron_make *m, const npu__ctx *c, const char *rule, const char *what) {
    if (m->status != NPU_OK) return;
    m->seg->ctx.node = c->node; /* what the failure is about */
    m->status = NPU__FAIL(&m->seg->ctx, NPU_UNSUPPORTED, rule, "%s", what);
}

NPU__FN void *npu__neuron_memory(npu__neuron_make *m, size_t bytes) {
    void *p = NULL;
    if (!m->filling || m->status != NPU_OK) return NULL;
    m->status = npu__seg_alloc(m->seg, bytes, NPU__SIZE(npu__neuron_byte), &p);
    return m->status == NPU_OK ? p : NULL;
}

/* ---- operands ---- */

NPU__FN uint32_t npu__neuron_add(npu__neuron_make *m, const npu__neuron_operand *o) {
    const uint32_t n = m->model->n_operands++;
    if (m->filling && m->status == NPU_OK) m->model->operands[n] = *o;
    return n;
}

NPU__FN uint32_t npu__neuron_extra(npu__neuron_make *m, int32_t type, uint32_t rank, const uint32_t *dims, const void *data, size_t bytes) {
    npu__neuron_operand o;
    memset(&o, 0, sizeof o);
    o.type = type;
    o.n_dims = rank;
    if (rank) memcpy(o.dims, dims, rank * sizeof *dims); /* bounded: NPU_MAX_RANK */
    o.data = data;
    o.bytes = bytes;
    return npu__neuron_add(m, &o);
}

NPU__FN uint32_t npu__neuron_scalar(npu__neuron_make *m, int32_t type, const void *value, size_t bytes) {
    const uint32_t n = npu__neuron_extra(m, type, 0, NULL, NULL, bytes);
    if (m->filling && m->status == NPU_OK) {
        npu__neuron_operand *o = &m->model->operands[n];
        memcpy(o->scalar, value, bytes);
        o->data = o->scalar;
    }
    return n;
}

NPU__FN uint32_t npu__neuron_one(npu__neuron_make *m, int32_t type, const void *value) {
    const uint32_t n = npu__neuron_scalar(m, type, value, 4);
    if (m->filling && m->status == NPU_OK) {
        m->model->operands[n].n_dims = 1;
        m->model->operands[n].dims[0] = 1;
    }
    return n;
}

NPU__FN uint32_t npu__neuron_zeros(npu__neuron_make *m, int32_t type, int32_t count, float scale) {
    const uint32_t length = count > 0 ? (uint32_t)count : 0;
    size_t         bytes;
    uint32_t       n;
    if (!npu__mul_size(length, 4, &bytes)) bytes = SIZE_MAX;
    if (!m->filling) m->most_zeros = NPU__MAX(m->most_zeros, bytes);
    else if (!m->zeros) m->zeros = (uint8_t *)(m->twin ? m->twin->zeros : npu__neuron_memory(m, m->most_zeros));
    n = npu__neuron_extra(m, type, 1, &length, m->zeros, bytes);
    if (m->filling && m->status == NPU_OK) m->model->operands[n].scale = scale;
    return n;
}

/* ---- operands that stand for tensors ---- */

NPU__FN npu__neuron_seen *npu__neuron_find(const npu__neuron_make *m, const npu__val *v) {
    const int32_t tensor = (int32_t)(v->t - m->seg->nodes[0]->node->graph->tensors);
    size_t        lo = 0, hi = m->n_seen;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->seen[mid].tensor < tensor) lo = mid + 1;
        else hi = mid;
    }
    return &m->seen[lo]; /* every value of the segment is there */
}

NPU__FN uint32_t npu__neuron_dims(const npu__val *v, uint32_t *dims) {
    const npu__shape *s = &v->shape;
    dims[0] = 1;
    for (int32_t i = 0; i < s->rank; i++) dims[i] = npu__neuron_dim_open(v, i) ? NPU__NEURON_OPEN : (uint32_t)s->dims[i];
    return s->rank ? (uint32_t)s->rank : 1;
}

NPU__FN int32_t npu__neuron_int_at(const npu__val *v, int64_t i) {
    const int      bits = npu_type_bits((npu_type)v->type);
    const uint8_t *p = (const uint8_t *)v->data;
    int32_t        x, lo = 0, hi = 0;
    /* bounded, here and below: element i is in memory */
    if (bits == 32) return ((const int32_t *)v->data)[i];
    if (bits == 16) x = (int32_t)((uint32_t)p[2 * i] | (uint32_t)p[2 * i + 1] << 8);
    else x = (p[i * bits / 8] >> (i * bits % 8)) & ((1 << bits) - 1);
    return npu__type_range(v->type, &lo, &hi) && x > hi ? x - (1 << bits) : x;
}

/* Elements of fewer than 8 bits, each as a byte. */
NPU__FN const void *npu__neuron_unpack(npu__neuron_make *m, const npu__val *v, size_t *bytes) {
    int8_t *to;
    int64_t n = 0;
    (void)npu__shape_elems(&v->shape, &n); /* the tensor was checked */
    *bytes = (size_t)n;
    to = (int8_t *)npu__neuron_memory(m, *bytes);
    for (int64_t i = 0; to && i < n; i++) to[i] = (int8_t)npu__neuron_int_at(v, i);
    return to;
}

NPU__FN const void *npu__neuron_narrow(npu__neuron_make *m, const npu__val *v, size_t *bytes) {
    const int64_t *from = (const int64_t *)v->data;
    int32_t       *to;
    int64_t        n = 0;
    (void)npu__shape_elems(&v->shape, &n); /* the tensor was checked */
    *bytes = (size_t)n * sizeof *to; /* bounded: less than the tensor has */
    to = (int32_t *)npu__neuron_memory(m, *bytes);
    for (int64_t i = 0; to && i < n; i++) {
        if (from[i] < INT32_MIN || from[i] > INT32_MAX) {
            m->status = NPU__FAIL(&m->seg->ctx, NPU_UNSUPPORTED, "neuron.int64_range", "constant %S holds %l, which int32 cannot",
                                  &v->t->name, from[i]);
            return NULL;
        }
        to[i] = (int32_t)from[i];
    }
    return to;
}

NPU__FN void npu__neuron_contents(npu__neuron_make *m, npu__neuron_operand *o, const npu__val *v) {
    const int bits = npu_type_bits((npu_type)v->type);
    if (v->bytes == 0) return; /* nothing to give */
    o->data = v->data;
    o->bytes = v->data ? v->bytes : 0;
    if (!v->data || (bits >= 8 && v->type != NPU_INT64)) return;
    if (m->twin) {
        const npu__neuron_operand *same = &m->twin->model->operands[npu__neuron_find(m->twin, v)->operand];
        o->data = same->data;
        o->bytes = same->bytes;
        return;
    }
    if (m->filling && npu__poll(&m->seg->ctx, (int64_t)NPU__MIN(v->bytes, (size_t)INT64_MAX))) m->status = NPU_LIMIT;
    o->data = bits < 8 ? npu__neuron_unpack(m, v, &o->bytes) : npu__neuron_narrow(m, v, &o->bytes);
}

NPU__FN void npu__neuron_describe(npu__neuron_make *m, npu__neuron_operand *o, const npu__val *v) {
    const npu_quant            *q = &v->t->quant;
    const uint32_t              kind = npu__neuron_kind(v->t);
    const npu__neuron_type_row *row = v->t->blockwise ? NULL : npu__neuron_type_of(v, kind, m->profile);
    const int                   old = m->version < NPU__NEURON_SINCE_8_2_28;
    if (!row) {
        if (m->status == NPU_OK) {
            m->status = NPU__FAIL(&m->seg->ctx, NPU_UNSUPPORTED, "neuron.type", "tensor %S has no operand type", &v->t->name);
        }
        return;
    }
    o->n_dims = npu__neuron_dims(v, o->dims);
    o->type = old ? row->before : row->code;
    m->differs[NPU__NEURON_SINCE_8_2_28] |= row->before != row->code;
    if (kind & NPU__NEURON_Q_T) {
        o->scale = q->scale[0];
        o->zero_point = q->zero_point[0];
    }
    if ((kind & NPU__NEURON_Q_C) && (row->flags & NPU__NEURON_SCALES) && v->data && o->type == row->code) {
        o->channel_dim = (uint32_t)q->axis;
        o->n_channels = (uint32_t)q->count;
        o->scales = q->scale;
        if (kind == NPU__NEURON_Q_CZ || (row->flags & NPU__NEURON_GENERAL)) o->zero_points = q->zero_point;
    }
    if (m->filling && npu__poll(&m->seg->ctx, q->count)) m->status = NPU_LIMIT;
    npu__neuron_contents(m, o, v);
}

NPU__FN uint32_t npu__neuron_tensor(npu__neuron_make *m, const npu__val *v) {
    npu__neuron_seen   *seen = npu__neuron_find(m, v);
    npu__neuron_operand o;
    if (seen->operand != NPU__NEURON_NOT_YET || m->status != NPU_OK) return seen->operand;
    memset(&o, 0, sizeof o);
    o.val = v;
    if (m->filling) npu__neuron_describe(m, &o, v);
    seen->operand = npu__neuron_add(m, &o);
    return seen->operand;
}

NPU__FN uint32_t npu__neuron_like(npu__neuron_make *m, const npu__val *v, uint32_t rank, const uint32_t *dims) {
    npu__neuron_operand o;
    memset(&o, 0, sizeof o);
    if (m->filling) npu__neuron_describe(m, &o, v);
    o.n_dims = rank;
    memcpy(o.dims, dims, rank * sizeof *dims); /* bounded: NPU_MAX_RANK */
    return npu__neuron_add(m, &o);
}

/* ---- operations ---- */

NPU__FN void npu__neuron_begin(npu__neuron_make *m) { m->first = m->n_refs; }

NPU__FN void npu__neuron_push(npu__neuron_make *m, uint32_t operand) {
    if (m->filling && m->status == NPU_OK) m->refs[m->n_refs] = operand;
    m->n_refs++;
}

NPU__FN void npu__neuron_push_value(npu__neuron_make *m, const npu__val *v) { npu__neuron_push(m, npu__neuron_tensor(m, v)); }

NPU__FN void npu__neuron_push_inputs(npu__neuron_make *m, const npu__ctx *c) {
    for (int32_t i = 0; i < c->n_in; i++) if (c->in[i]) npu__neuron_push_value(m, c->in[i]);
}

NPU__FN void npu__neuron_push_i32(npu__neuron_make *m, int32_t v) {
    npu__neuron_push(m, npu__neuron_scalar(m, NPU__NEURON_TYPE_INT32, &v, sizeof v));
}

NPU__FN void npu__neuron_push_u32(npu__neuron_make *m, uint32_t v) {
    npu__neuron_push(m, npu__neuron_scalar(m, NPU__NEURON_TYPE_UINT32, &v, sizeof v));
}

NPU__FN void npu__neuron_push_f32(npu__neuron_make *m, float v) {
    npu__neuron_push(m, npu__neuron_scalar(m, NPU__NEURON_TYPE_FLOAT32, &v, sizeof v));
}

NPU__FN void npu__neuron_push_bool(npu__neuron_make *m, int v) {
    const uint8_t b = v != 0;
    npu__neuron_push(m, npu__neuron_scalar(m, NPU__NEURON_TYPE_BOOL, &b, sizeof b));
}

NPU__FN const char *npu__neuron_oem_name(int32_t number) {
    static const char *const names[] = {
#define NPU__X(name, text) text,
        NPU__NEURON_OEM_OPS(NPU__X)
#undef NPU__X
    };
    return names[number];
}

NPU__FN void npu__neuron_push_name(npu__neuron_make *m, const char *name) {
    const uint32_t length = (uint32_t)strlen(name), bytes = length + NPU__NEURON_OEM_BESIDE; /* bounded: NPU__NEURON_OEM_OPS */
    uint8_t       *p = (uint8_t *)npu__neuron_memory(m, bytes);
    if (p) {
        memcpy(p, NPU__NEURON_OEM_HEAD, NPU__NEURON_OEM_HEAD_BYTES);
        for (int32_t i = 0; i < 4; i++) p[NPU__NEURON_OEM_HEAD_BYTES + i] = (uint8_t)(length >> (8 * i)); /* bounded: i is below 4 */
        memcpy(p + NPU__NEURON_OEM_HEAD_BYTES + 4, name, length);
    }
    npu__neuron_push(m, npu__neuron_extra(m, NPU__NEURON_EXT_STRING, 1, &bytes, p, bytes));
}

/* All inputs are there: outputs follow. */
NPU__FN void npu__neuron_turn(npu__neuron_make *m) { m->n_in = m->n_refs - m->first; }

NPU__FN void npu__neuron_close(npu__neuron_make *m, const npu__ctx *c, int32_t code, const char *name) {
    const uint32_t n = m->model->n_operations++;
    if (m->filling && m->status == NPU_OK) {
        npu__neuron_operation *op = &m->model->operations[n];
        op->code = name ? NPU__NEURON_EXT_OPERATION : code;
        op->in = m->refs + m->first;
        op->out = op->in + m->n_in;
        op->n_in = m->n_in;
        op->n_out = m->n_refs - m->first - m->n_in;
        op->node = c;
        op->name = name;
    }
    if (m->filling && m->status == NPU_OK && npu__poll(&m->seg->ctx, 64)) m->status = NPU_LIMIT;
}

NPU__FN void npu__neuron_end_with(npu__neuron_make *m, const npu__ctx *c, int32_t code, const char *name) {
    npu__neuron_turn(m);
    for (int32_t i = 0; i < c->n_out; i++) npu__neuron_push_value(m, c->out[i]);
    npu__neuron_close(m, c, code, name);
}

NPU__FN void npu__neuron_end(npu__neuron_make *m, const npu__ctx *c, int32_t code) { npu__neuron_end_with(m, c, code, NULL); }

NPU__FN void npu__neuron_end_named(npu__neuron_make *m, const npu__ctx *c, const char *name) {
    npu__neuron_end_with(m, c, NPU__NEURON_OP_OEM_OPERATION, name);
}

NPU__FN void npu__neuron_end_in(npu__neuron_make *m, const npu__ctx *c, int32_t code, const char *name, uint32_t output) {
    npu__neuron_turn(m);
    npu__neuron_push(m, output);
    npu__neuron_close(m, c, code, name);
}

#endif
