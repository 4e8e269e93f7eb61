/* RESHAPE, SQUEEZE, EXPAND_DIMS: another shape for the same bytes. */
#include "move_util.h"
#include "string_util.h"

NPU__FN npu_status npu__reshape_prepare(npu__ctx *c) {
    ((npu__named *)c->data)->kernel = "copy";
    int has_size = npu_type_bits((npu_type)c->in[0]->type) != 0;
    if (npu__is_string(c->in[0]) && npu__is_string(c->out[0])) return NPU_OK; /* infer has compared the elements */
    return has_size && c->in[0]->bytes == c->out[0]->bytes ? NPU_OK : npu__fail_types(c);
}

NPU__FN npu_status npu__reshape_eval(npu__ctx *c) {
    if (npu__is_string(c->in[0])) return npu__strings_copy(c, -1, c->out[0], c->in[0]);
    npu__copy_bytes(c, c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
    return NPU_OK;
}

/* ---- RESHAPE ---- */

/* The shape asked for, -1 included: from input 1 when it is an INT32 vector, else from the options. */
NPU__FN npu_status npu__reshape_wanted(npu__ctx *c, npu__shape *out, npu_status *fault) {
    const npu__val *v = npu__opt_in(c, 1);
    memset(out, 0, sizeof *out);
    *fault = NPU_INVALID_MODEL;
    if (v && v->type == NPU_INT32 && v->shape.rank == 1) {
        NPU__TRY(npu__need_dims_vector(c, v, "the new shape"));
        if (!npu__values_known(v)) return NPU__DYNAMIC;
        *fault = npu__value_fault(v);
        out->rank = v->shape.dims[0];
        for (int32_t i = 0; i < out->rank; i++) out->dims[i] = (int32_t)npu__int_at(v, i);
    } else {
        npu__vec shape = NPU__OPTIONS(c->node, ReshapeOptions)->new_shape;
        NPU__TRY(npu__need_max_rank(c, (int64_t)shape.n));
        out->rank = (int32_t)shape.n;
        for (uint32_t i = 0; i < shape.n; i++) out->dims[i] = npu__vec_i32(shape, i);
        if (out->rank == 1 && out->dims[0] == 0) out->rank = 0; /* how old files say "scalar" */
    }
    return NPU_OK;
}

NPU__FN npu_status npu__reshape_mismatch(npu__ctx *c, npu_status fault) {
    return NPU__FAIL(c, fault, "reshape.elements", "the new shape must hold the input's %l elements exactly",
                     npu__elems(c->in[0]));
}

/* Zeros complicate -1: with an empty input it becomes 0 where that alone makes the output empty, and otherwise the
 * quotient of the products of the dims that are not 0. */
NPU__FN npu_status npu__reshape_infer(npu__ctx *c) {
    npu__shape s;
    npu_status fault;
    int64_t    in_nonzero = 1, out_nonzero = 1, elems;
    int32_t    stretch = -1, zeros = 0;
    NPU__TRY(npu__reshape_wanted(c, &s, &fault));
    for (int32_t i = 0; i < c->in[0]->shape.rank; i++) {
        if (c->in[0]->shape.dims[i] != 0) in_nonzero *= c->in[0]->shape.dims[i];
    }
    for (int32_t i = 0; i < s.rank; i++) {
        /* Products are kept below 2^62, and those of the dimensions that are not 0 apart from the zeros. */
        if (s.dims[i] == -1 && stretch < 0) stretch = i;
        else if (s.dims[i] < 0) {
            return NPU__FAIL(c, fault, "reshape.shape", "one dimension may be -1, the others must not be negative");
        } else if (s.dims[i] == 0) zeros++;
        else if (out_nonzero > INT64_MAX / 2 / s.dims[i]) return npu__reshape_mismatch(c, fault);
        else out_nonzero *= s.dims[i];
    }
    elems = npu__elems(c->in[0]);
    if (stretch >= 0) {
        /* out_nonzero is at least 1. A quotient with a rest fails the comparison below. */
        int64_t dim = elems == 0 && zeros == 0 ? 0 : in_nonzero / out_nonzero;
        if (dim > INT32_MAX) return npu__reshape_mismatch(c, fault);
        s.dims[stretch] = (int32_t)dim;
        if (dim == 0) zeros++;
        else if (out_nonzero > INT64_MAX / 2 / dim) return npu__reshape_mismatch(c, fault);
        else out_nonzero *= dim;
    }
    if ((zeros ? 0 : out_nonzero) != elems) return npu__reshape_mismatch(c, fault);
    return npu__set_shape(c, 0, &s);
}

NPU__OPDEF(npu__op_reshape) = {1, 2, 1, 1, 2, NPU__OP_ALIAS | NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named),
                               npu__reshape_infer, npu__reshape_prepare, NULL, npu__reshape_eval, NULL};

/* ---- SQUEEZE ---- */

NPU__FN npu_status npu__squeeze_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    npu__vec          list = NPU__OPTIONS(c->node, SqueezeOptions)->squeeze_dims;
    uint32_t          drop = 0;
    npu__shape        s;
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < list.n; i++) {
        int32_t d;
        NPU__TRY(npu__resolve_axis(c, NPU_INVALID_MODEL, npu__vec_i32(list, i), in->rank, &d));
        if (in->dims[d] != 1) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "squeeze.dim", "only dimensions of 1 can go: dimension %d is %d",
                             d, in->dims[d]);
        }
        drop |= 1u << d;
    }
    for (int32_t d = 0; d < in->rank; d++) {
        /* Without a list every dimension of 1 goes. */
        if (list.n == 0 ? in->dims[d] != 1 : !(drop >> d & 1u)) s.dims[s.rank++] = in->dims[d];
    }
    return npu__set_shape(c, 0, &s);
}

NPU__OPDEF(npu__op_squeeze) = {1, 1, 1, 1, 0, NPU__OP_ALIAS | NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named),
                               npu__squeeze_infer, npu__reshape_prepare, NULL, npu__reshape_eval, NULL};

/* ---- EXPAND_DIMS ---- */

NPU__FN npu_status npu__expand_dims_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    npu__shape        s;
    int32_t           axis;
    NPU__TRY(npu__need_index_type(c, c->in[1], "the axis"));
    NPU__TRY(npu__need_max_rank(c, in->rank + 1));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__axis_value(c, c->in[1], in->rank + 1, &axis));
    memset(&s, 0, sizeof s);
    s.rank = in->rank + 1;
    for (int32_t i = 0; i < s.rank; i++) s.dims[i] = i < axis ? in->dims[i] : i == axis ? 1 : in->dims[i - 1];
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__expand_dims_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_same_quant(c, c->in[0], c->out[0]));
    return npu__reshape_prepare(c);
}

NPU__OPDEF(npu__op_expand_dims) = {2, 2, 1, 1, 0, NPU__OP_ALIAS | NPU__OP_FLEX_ANY_TYPE | NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL,
                                   NPU__DATA(npu__named), npu__expand_dims_infer, npu__expand_dims_prepare, NULL,
                                   npu__reshape_eval, NULL};
