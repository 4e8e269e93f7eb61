/* Shapes that do not come from the file: those a caller asks for, and those a calling operator passes. */
#include "plan.h"

/* As declared, or different where the model leaves a dimension open. */
NPU__FN int npu__plan_takes(const npu__tensor *t, const npu__shape *shape) {
    if (shape->rank != t->shape.rank) return 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != t->shape.dims[i] && t->signature.dims[i] != -1) return 0;
    }
    return 1;
}

NPU__FN npu_status npu__plan_wrong_shape(npu_diag *diag, int32_t input, const npu__tensor *t, const npu__shape *shape) {
    char        want[112], got[112];
    const char *open = "every dimension is fixed";
    npu__str    name = t->name;
    for (int32_t i = 0; i < t->shape.rank; i++) if (t->signature.dims[i] == -1) open = "-1: any size";
    name.n = NPU__MIN(name.n, (size_t)40);
    return npu__diag_fail(diag, NPU_BAD_INPUT, "plan.input_fixed", "input %d \"%S\" takes the shape %s (%s), not %s", input,
                          &name, npu__shape_text(want, sizeof want, &t->signature), open,
                          npu__shape_text(got, sizeof got, shape));
}

NPU__FN npu_status npu__plan_resize_inputs(npu__env *env, npu__subplan *sub, int32_t index, const npu_plan_desc *desc) {
    for (int32_t i = 0; desc && i < desc->n_input_shapes; i++) {
        const npu_input_shape *s = &desc->input_shapes[i];
        npu__val              *v;
        npu__shape             shape;
        size_t                 bytes;
        if (s->subgraph != index) continue;
        if (s->input < 0 || s->input >= sub->g->n_in || s->rank < 0 || s->rank > NPU_MAX_RANK) {
            return npu__diag_fail(env->diag, NPU_INVALID_ARGUMENT, "plan.input_shape", "input shape %d names input %d "
                                  "with %d dimensions: subgraph %d has %d inputs, and at most %d dimensions are allowed",
                                  i, s->input, s->rank, index, sub->g->n_in, NPU_MAX_RANK);
        }
        v = &sub->vals[sub->g->in[s->input]];
        memset(&shape, 0, sizeof shape);
        shape.rank = s->rank;
        memcpy(shape.dims, s->dims, (size_t)s->rank * sizeof(int32_t)); /* bounded: NPU_MAX_RANK */
        if (!desc->resize_fixed && !npu__plan_takes(v->t, &shape)) {
            return npu__plan_wrong_shape(env->diag, s->input, v->t, &shape);
        }
        if (!npu__value_bytes(&shape, v->type, &bytes) || bytes > env->plan->model->desc.max_tensor_bytes) {
            return npu__diag_fail(env->diag, NPU_BAD_INPUT, "plan.input_shape", "input %d: the shape asked for is "
                                  "negative or too large", s->input);
        }
        v->shape = shape;
        v->bytes = bytes;
    }
    return NPU_OK;
}

/* A called subgraph runs with the shapes that the calling node has. */
NPU__FN void npu__plan_passed_inputs(npu__subplan *sub, const npu__ctx *caller, int32_t first_in) {
    for (int32_t i = 0; caller && first_in >= 0 && i < sub->g->n_in && first_in + i < caller->n_in; i++) {
        const npu__val *from = caller->in[first_in + i];
        npu__val       *v = &sub->vals[sub->g->in[i]];
        if (!from || !from->known || from->type != v->type) continue;
        v->shape = from->shape;
        npu__value_bytes(&v->shape, v->type, &v->bytes); /* never fails: the caller's value has that shape */
    }
}
