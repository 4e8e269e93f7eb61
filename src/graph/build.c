/* The rules of tensors and operators: resolves every index, copies small arrays to aligned memory. What an op needs of its
 * inputs is the op's own business (infer, prepare). */
#include "build.h"
#include "strings.h"
#include "user_op.h"

#define NPU__MAX_SCALE 3.0e38f /* so that the reciprocal of one over it stays finite */

NPU__FN npu_status npu__build_oom(npu__builder *b) {
    if (b->m->pool.over_limit) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "model.memory_limit", "the graph of this model needs more memory than the limit "
                               "of %l bytes (npu_model_desc.max_memory_bytes)", (int64_t)b->m->desc.max_memory_bytes);
    }
    return NPU__BUILD_FAIL(b, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the graph of this model");
}

NPU__FN npu_status npu__build_count_subgraphs(npu__builder *b, uint32_t n) {
    if (n == 0) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.no_subgraph", "the model has no subgraph");
    }
    if (n > b->m->desc.max_subgraphs) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "model.limit", "%u subgraphs, the limit is %u", n, b->m->desc.max_subgraphs);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__build_count(npu__builder *b, uint32_t tensors, uint32_t ops) {
    b->n_tensors += tensors;
    b->n_ops += ops;
    if (b->n_tensors > b->m->desc.max_tensors || b->n_ops > b->m->desc.max_ops) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "model.limit", "the model has more tensors or operators than the limits "
                               "of %u and %u", b->m->desc.max_tensors, b->m->desc.max_ops);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__build_indices(npu__builder *b, npu__vec v, int32_t lo, int32_t limit, const char *what,
                                      const int32_t **out, int32_t *n) {
    int32_t *p;
    if (v.n > INT32_MAX / 8) return npu__build_oom(b);
    p = (int32_t *)npu__pool_alloc(&b->m->pool, v.n, sizeof(int32_t));
    if (!p) return npu__build_oom(b);
    for (uint32_t i = 0; i < v.n; i++) {
        p[i] = npu__vec_i32(v, i);
        if (p[i] < lo || p[i] >= limit) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.tensor_index",
                                   "subgraph %d: %s %d names tensor %d, but there are %d tensors", b->subgraph, what,
                                   (int)i, p[i], limit);
        }
    }
    *out = p;
    *n = (int32_t)v.n;
    return NPU_OK;
}

NPU__FN npu_status npu__build_shape(npu__builder *b, int32_t index, npu__vec dims, npu__vec sig, npu__tensor *t) {
    if (dims.n > NPU_MAX_RANK) {
        return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "tflite.rank", "tensor %d (%S) has %d dimensions: at most %d are "
                               "supported", index, &t->name, (int)dims.n, NPU_MAX_RANK);
    }
    t->shape.rank = (int32_t)dims.n;
    for (uint32_t i = 0; i < dims.n; i++) {
        int32_t d = npu__vec_i32(dims, i), s = sig.n == dims.n ? npu__vec_i32(sig, i) : d;
        if (d < -1) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.dimension", "tensor %d (%S): dimension %d is %d",
                                   index, &t->name, (int)i, d);
        }
        t->shape.dims[i] = d == -1 ? 1 : d; /* -1: any size; LiteRT starts from 1 as well */
        t->signature.dims[i] = d == -1 || s == -1 ? -1 : d;
        t->has_rank |= d == -1;
    }
    t->signature.rank = t->shape.rank;
    return NPU_OK;
}

/* Is this channel by the invariant in ir.h? */
NPU__FN int npu__build_channel_fits(int32_t type, float scale, int32_t zero_point) {
    int32_t lo, hi;
    if (!npu__type_range(type, &lo, &hi)) return 1; /* no kernel looks at them */
    return scale >= 0.0f && scale <= NPU__MAX_SCALE && zero_point >= lo && zero_point <= hi;
}

NPU__FN npu_status npu__build_quant(npu__builder *b, int32_t index, const npu__tensor_spec *spec, npu__tensor *t) {
    const npu__vec scale = spec->scales, zero = spec->zeros;
    float   *s;
    int32_t *z;
    if (scale.n == 0) return NPU_OK;
    if (zero.n != 0 && zero.n != scale.n) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.quantization", "tensor %d (%S) has %d scales but %d zero "
                               "points", index, &t->name, (int)scale.n, (int)zero.n);
    }
    s = (float *)npu__pool_alloc(&b->m->pool, scale.n, sizeof(float));
    z = (int32_t *)npu__pool_alloc(&b->m->pool, scale.n, sizeof(int32_t));
    if (!s || !z || scale.n > INT32_MAX / 8) return npu__build_oom(b);
    for (uint32_t i = 0; i < scale.n; i++) {
        int64_t v = zero.n == 0 ? 0 : spec->zero_bytes == 4 ? npu__vec_i32(zero, i) : npu__vec_i64(zero, i);
        if (v < INT32_MIN || v > INT32_MAX) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.zero_point", "tensor %d (%S): zero point %l does not "
                                   "fit in 32 bits", index, &t->name, v);
        }
        s[i] = npu__vec_f32(scale, i);
        z[i] = (int32_t)v;
        if (!t->bad_channel && !npu__build_channel_fits(t->type, s[i], z[i])) t->bad_channel = (int32_t)i + 1;
    }
    t->quant.count = (int32_t)scale.n;
    t->quant.scale = s;
    t->quant.zero_point = z;
    return NPU_OK;
}

NPU__FN npu_status npu__build_tensor(npu__builder *b, int32_t index, const npu__tensor_spec *spec, npu__tensor *t) {
    size_t     bytes = 0;
    int64_t    elems;
    npu_status s;
    if (t->type < 0 || t->type >= NPU_TYPE_COUNT) {
        return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "tflite.type", "tensor %d (%S) has the unknown type code %d", index,
                               &t->name, t->type);
    }
    s = npu__build_shape(b, index, spec->dims, spec->signature, t);
    if (s != NPU_OK) return s;
    if (!npu__shape_elems(&t->shape, &elems) ||
        (npu_type_bits((npu_type)t->type) != 0 &&
         (!npu__shape_bytes(&t->shape, t->type, &bytes) || bytes > b->m->desc.max_tensor_bytes))) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "tflite.tensor_size", "tensor %d (%S) is larger than the limit of %l "
                               "bytes", index, &t->name, (int64_t)b->m->desc.max_tensor_bytes);
    }
    t->quant.axis = spec->axis;
    return npu__build_quant(b, index, spec, t);
}

/* Tensors may share strings, but not so that opening a file walks through them again and again. */
#define NPU__STRINGS_FREE ((uint64_t)1 << 22)

NPU__FN npu_status npu__build_strings(npu__builder *b, int32_t index, npu__span data, const npu__tensor *t) {
    int64_t n = 0;
    npu__shape_elems(&t->shape, &n);
    b->n_strings += data.n / 4;
    if (b->m->bytes && b->n_strings > b->m->n_bytes + NPU__STRINGS_FREE) { /* calls give each tensor its own */
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "tflite.shared_strings", "tensor %d (%S): so many tensors share their strings that "
                               "checking them would take too long", index, &t->name);
    }
    if (npu__strings_valid(data.p, data.n, n)) return NPU_OK;
    return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.strings", "tensor %d (%S): its %z bytes are no %l strings: a count, "
                           "ascending offsets and as many bytes as they say", index, &t->name, data.n, n);
}

NPU__FN npu_status npu__build_data(npu__builder *b, int32_t index, npu__span data, npu__sparsity *sparsity, npu__tensor *t) {
    size_t want = 0;
    if (sparsity && (data.n == 0 || t->is_variable)) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.sparse", "tensor %d (%S) has a sparsity table: it must be a "
                               "constant, and no variable", index, &t->name);
    }
    if (data.n == 0) return NPU_OK;
    if (t->is_variable) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.variable_data", "tensor %d (%S) is a variable: it cannot have "
                               "constant data", index, &t->name);
    }
    if (sparsity) {
        sparsity->values = data;
        return NPU_OK;
    }
    if (t->type == NPU_STRING) {
        npu_status s = npu__build_strings(b, index, data, t);
        if (s != NPU_OK) return s;
    } else if (!npu__shape_bytes(&t->shape, t->type, &want) || want != data.n) {
        if (!b->m->bytes) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.buffer_size", "tensor %d (%S) needs %z bytes of constant "
                                   "data, but is given %z", index, &t->name, want, data.n);
        }
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.buffer_size", "tensor %d (%S) needs %z bytes of "
                               "constant data, but buffer %d holds %z", index, &t->name, want, t->buffer, data.n);
    }
    t->data = data.p;
    t->data_bytes = data.n;
    return NPU_OK;
}

NPU__FN int npu__build_misaligned(const npu__tensor *t) {
    return ((uintptr_t)t->data & (npu__type_align(t->type) - 1)) != 0;
}

NPU__FN npu_status npu__build_node(npu__builder *b, int32_t index, const npu__node_spec *spec, int32_t n_tensors,
                                   npu__node *node) {
    npu_status s;
    node->subgraph = b->subgraph;
    node->index = index;
    node->def = b->m->find_op(node->code, node->custom_name);
    if (!node->def) node->def = npu__user_op_find(b->m, node->code, node->custom_name);
    s = npu__build_indices(b, spec->in, -1, n_tensors, "an operator's input", &node->in, &node->n_in);
    if (s == NPU_OK) s = npu__build_indices(b, spec->out, 0, n_tensors, "an operator's output", &node->out, &node->n_out);
    if (s != NPU_OK) return s;
    return npu__build_indices(b, spec->mid, -1, n_tensors, "an operator's intermediate", &node->mid, &node->n_mid);
}
