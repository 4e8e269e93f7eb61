/* MATRIX_DIAG, MATRIX_SET_DIAG: matrices with a given diagonal, of zeros or of another matrix elsewhere. */
#include "move_util.h"

/* The output has all but its diagonals: these are written over it, matrix after matrix. */
NPU__FN npu_status npu__diag_write(npu__ctx *c, const npu__val *diag) {
    const npu__val *out = c->out[0];
    const int64_t   rows = npu__dim(out, -2), columns = npu__dim(out, -1), n = NPU__MIN(rows, columns);
    const int64_t   matrices = npu__dims_product(&out->shape, 0, out->shape.rank - 2);
    const size_t    elem = npu__elem_bytes(out->type);
    int64_t         done = 0;
    for (int64_t i = 0; i < matrices * n; i++) {
        const int64_t to = i / n * rows * columns + i % n * (columns + 1);
        memcpy((uint8_t *)out->data + (size_t)to * elem, (const uint8_t *)diag->data + (size_t)i * elem, elem);
        NPU__POLL_PASS(c, done, 4);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__diag_types(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_in; i++) {
        if (c->in[i]->type != c->out[0]->type || npu__elem_bytes(c->in[i]->type) == 0) return npu__fail_types(c);
    }
    return NPU_OK;
}

/* ---- MATRIX_DIAG ---- */

NPU__FN npu_status npu__matrix_diag_infer(npu__ctx *c) {
    npu__shape s = c->in[0]->shape;
    NPU__TRY(npu__need_rank(c, c->in[0], "the diagonal", 1, NPU_MAX_RANK - 1));
    s.dims[s.rank] = s.dims[s.rank - 1];
    s.rank++;
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__matrix_diag_eval(npu__ctx *c) {
    const uint8_t zero = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__fill_all(c, c->out[0]->data, &zero, (int64_t)c->out[0]->bytes, 1);
    return npu__diag_write(c, c->in[0]);
}

NPU__OPDEF(npu__op_matrix_diag) = {1, 1, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__matrix_diag_infer,
                                   npu__diag_types, NULL, npu__matrix_diag_eval, NULL};

/* ---- MATRIX_SET_DIAG ---- */

NPU__FN npu_status npu__matrix_set_diag_infer(npu__ctx *c) {
    NPU__TRY(npu__need_rank(c, c->in[0], "the matrix", 2, NPU_MAX_RANK));
    return npu__set_shape_type(c, 0, &c->in[0]->shape, c->in[0]->type);
}

NPU__FN npu_status npu__matrix_set_diag_prepare(npu__ctx *c) {
    const npu__val *in = c->in[0];
    const int64_t   n = NPU__MIN(npu__dim(in, -2), npu__dim(in, -1));
    const int64_t   need = n * npu__dims_product(&in->shape, 0, in->shape.rank - 2);
    NPU__TRY(npu__diag_types(c));
    if (npu__elems(c->in[1]) >= need) return NPU_OK; /* LiteRT takes them in order, whatever their shape */
    return NPU__FAIL(c, NPU_INVALID_MODEL, "matrix_set_diag.size", "the diagonals have %l elements: got %l", need,
                     npu__elems(c->in[1]));
}

NPU__FN npu_status npu__matrix_set_diag_eval(npu__ctx *c) {
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__copy_bytes(c, c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
    return npu__diag_write(c, c->in[1]);
}

NPU__OPDEF(npu__op_matrix_set_diag) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA,
                                       npu__matrix_set_diag_infer, npu__matrix_set_diag_prepare, NULL,
                                       npu__matrix_set_diag_eval, NULL};
