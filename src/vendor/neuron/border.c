/* Inputs and outputs of a segment where the adapter reads and writes them. It may want each dimension padded, and has
 * each element in bytes of its own: rows are copied then. Answers of an adapter are checked, as memory is cut by them. */
#include "client.h"
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

#define NPU__NEURON_MOST_PADDED ((size_t)INT32_MAX)

NPU__FN const npu__val *npu__neuron_border_val(const npu__ctx *c, int32_t i) {
    return i < c->n_in ? c->in[i] : c->out[i - c->n_in];
}

/* Does it lie packed, several elements to a byte? The adapter has each in a byte of its own. */
NPU__FN int npu__neuron_is_packed(const npu__val *v) { return npu_type_bits((npu_type)v->type) < 8; }
/* Bytes of an element, as the adapter has it. */
NPU__FN size_t npu__neuron_elem(const npu__val *v) {
    return npu__neuron_is_packed(v) ? 1 : (size_t)npu_type_bits((npu_type)v->type) / 8;
}

NPU__FN npu_status npu__neuron_ask_padded(npu__neuron_call *k, int32_t i, uint32_t *dims, size_t *size, int *known) {
    const npu_neuron_driver *f = k->f;
    const int                output = i >= k->c->n_in;
    const int32_t            index = output ? i - k->c->n_in : i;
    int (*ask_dims)(void *, int32_t, uint32_t *) =
        output ? f->NeuronCompilation_getOutputPaddedDimensions : f->NeuronCompilation_getInputPaddedDimensions;
    int (*ask_size)(void *, int32_t, size_t *) =
        output ? f->NeuronCompilation_getOutputPaddedSize : f->NeuronCompilation_getInputPaddedSize;
    int code;
    *known = ask_dims != NULL && ask_size != NULL;
    if (!*known) return NPU_OK; /* older ones pad nothing that they would show */
    code = ask_dims(k->run->compilation, index, dims);
    for (int32_t n = npu__neuron_border_val(k->c, i)->shape.rank; code == NPU__NEURON_NO_ERROR && n-- > 0;) {
        if (dims[n] == 0 || dims[n] > INT32_MAX) *known = 0; /* open until the run: nobody pads that */
    }
    if (code == NPU__NEURON_NO_ERROR && !*known) return NPU_OK;
    if (code == NPU__NEURON_NO_ERROR) code = ask_size(k->run->compilation, index, size);
    if (code == NPU__NEURON_NO_ERROR) return NPU_OK;
    return npu__neuron_failed(k->c,
                              output ? "NeuronCompilation_getOutputPadded..." : "NeuronCompilation_getInputPadded...", code, index);
}

/* Can a tensor of `v` lie in memory of these dimensions, and that in `size` bytes? *padded: is any larger? */
NPU__FN int npu__neuron_padded_ok(const npu__val *v, const uint32_t *dims, size_t size, int *padded) {
    size_t n = npu__neuron_elem(v);
    *padded = 0;
    for (int32_t i = 0; i < v->shape.rank; i++) {
        if (dims[i] < (uint32_t)v->shape.dims[i] || !npu__mul_size(n, dims[i], &n) || n > NPU__NEURON_MOST_PADDED) return 0;
        *padded = *padded || dims[i] != (uint32_t)v->shape.dims[i];
    }
    *padded = *padded || size > n;
    return size >= n && size <= NPU__NEURON_MOST_PADDED;
}

NPU__FN npu_status npu__neuron_border_prepare(npu__neuron_call *k, int32_t i) {
    npu__neuron_border *b = &k->run->borders[i];
    const npu__val     *v = npu__neuron_border_val(k->c, i);
    npu_allocator       a = npu__ctx_allocator(k->c);
    size_t              size = 0;
    int                 known, padded;
    NPU__TRY(npu__neuron_ask_padded(k, i, b->dims, &size, &known));
    if ((!known && !npu__neuron_is_packed(v)) || v->bytes == 0) return NPU_OK;
    if (!known) {
        size = 1;
        for (int32_t k = 0; k < v->shape.rank; k++) {
            b->dims[k] = (uint32_t)v->shape.dims[k];
            size *= b->dims[k]; /* bounded: the tensor was checked */
        }
    }
    if (!npu__neuron_padded_ok(v, b->dims, size, &padded)) {
        return NPU__FAIL(k->c, NPU_RUNTIME, "neuron.padded_size",
                         "the adapter pads %s %d to %z bytes and dimensions that do not "
                         "go together, or with its shape", i < k->c->n_in ? "input" : "output",
                         i < k->c->n_in ? i : i - k->c->n_in, size);
    }
    if (!padded && !npu__neuron_is_packed(v)) return NPU_OK;
    b->staging = (uint8_t *)a.alloc(a.user, size, 64);
    if (!b->staging) return NPU__FAIL(k->c, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for %z padded bytes", size);
    memset(b->staging, 0, size);
    b->bytes = size;
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_borders_prepare(npu__neuron_call *k) {
    npu_allocator a = npu__ctx_allocator(k->c);
    const int32_t n = k->c->n_in + k->c->n_out;
    const size_t  bytes = (size_t)n * sizeof *k->run->borders;
    k->run->borders = (npu__neuron_border *)a.alloc(a.user, bytes, 64);
    if (!k->run->borders) return NPU__FAIL(k->c, NPU_OUT_OF_MEMORY, "neuron.memory",
                                           "no memory for %d inputs and outputs", n);
    memset(k->run->borders, 0, bytes);
    for (int32_t i = 0; i < n; i++) NPU__TRY(npu__neuron_border_prepare(k, i));
    return NPU_OK;
}

NPU__FN void npu__neuron_borders_release(npu__neuron_run *run, npu__ctx *c) {
    npu_allocator a = npu__ctx_allocator(c);
    const int32_t n = c->n_in + c->n_out;
    if (!run->borders) return;
    for (int32_t i = 0; i < n; i++) if (run->borders[i].staging) a.free(a.user, run->borders[i].staging,
                                                                        run->borders[i].bytes);
    a.free(a.user, run->borders, (size_t)n * sizeof *run->borders);
    run->borders = NULL;
}

/* Element i of what lies packed, from (or to) a byte of its own, n times. */
NPU__FN void npu__neuron_copy_packed(const npu__val *v, size_t i, size_t n, uint8_t *bytes, int out_of_staging) {
    const size_t bits = (size_t)npu_type_bits((npu_type)v->type);
    const int    mask = (1 << bits) - 1;
    uint8_t     *p = (uint8_t *)v->data;
    for (size_t end = i + n; i < end; i++, bytes++) {
        uint8_t  *at = p + i * bits / 8;
        const int shift = (int)(i * bits % 8);
        if (out_of_staging) *at = (uint8_t)((*at & ~(mask << shift)) | (*bytes & mask) << shift);
        else *bytes = (uint8_t)npu__neuron_int_at(v, (int64_t)i);
    }
}

/* Rows of a tensor to (or from) memory that is padded. */
NPU__FN void npu__neuron_copy_rows(const npu__val *v, const npu__neuron_border *b, int out_of_staging) {
    const size_t  elem = npu__neuron_elem(v);
    const int32_t rank = v->shape.rank;
    const size_t  row = rank ? (size_t)v->shape.dims[rank - 1] : 1; /* in elements */
    int32_t       at[NPU_MAX_RANK] = {0};
    uint8_t      *value = (uint8_t *)v->data;
    int64_t       n = 0;
    (void)npu__shape_elems(&v->shape, &n); /* the tensor was checked */
    for (size_t done = 0; done < (size_t)n; done += row) {
        size_t offset = 0;
        for (int32_t i = 0; i < rank; i++) offset = offset * b->dims[i] + (size_t)at[i];
        if (npu__neuron_is_packed(v)) npu__neuron_copy_packed(v, done, row, b->staging + offset, out_of_staging);
        /* bounded: the tensor's */
        else if (out_of_staging) memcpy(value + done * elem, b->staging + offset * elem, row * elem);
        else memcpy(b->staging + offset * elem, value + done * elem, row * elem); /* bounded: likewise */
        for (int32_t i = rank - 2; i >= 0 && ++at[i] == v->shape.dims[i]; i--) at[i] = 0;
    }
}

NPU__FN npu_status npu__neuron_borders_bind(npu__neuron_call *k) {
    const int32_t n_in = k->c->n_in, n = n_in + k->c->n_out;
    for (int32_t i = 0; i < n; i++) {
        const npu__neuron_border *b = &k->run->borders[i];
        const npu__val           *v = npu__neuron_border_val(k->c, i);
        uint8_t                  *p = b->staging ? b->staging : (uint8_t *)v->data;
        const size_t              bytes = b->staging ? b->bytes : v->bytes;
        if (b->staging && i < n_in) npu__neuron_copy_rows(v, b, 0);
        if (i < n_in) NPU__NEURON_CALL(k, i, NeuronExecution_setInput, (k->run->execution, i, NULL, p, bytes));
        else NPU__NEURON_CALL(k, i - n_in, NeuronExecution_setOutput, (k->run->execution, i - n_in, NULL, p, bytes));
    }
    return NPU_OK;
}

NPU__FN void npu__neuron_borders_read(npu__neuron_call *k) {
    const int32_t n_in = k->c->n_in, n = n_in + k->c->n_out;
    for (int32_t i = n_in; i < n; i++) {
        if (k->run->borders[i].staging) npu__neuron_copy_rows(npu__neuron_border_val(k->c, i), &k->run->borders[i], 1);
    }
}

#endif
