/* Which operations are said to be supported: those that a row of the rules for LiteRT 2.3.0 becomes (../rules/operators.h), with
 * operands of the types that it gives them (../types.h), as far as the CPU's kernels run them.
 *
 * Where the rows and the kernels differ:
 *   kernels without a row     what the adapter runs and no row becomes (FLOOR, ARGMAX, LOGICAL_AND, ...): no, as nothing is known of
 *                             the hardware there. A model that has it compiles and runs all the same: nobody who asks has it.
 *   rows without a kernel     the plugin takes every operator with every type that has an operand type; kernels are for the types
 *                             that TFLite computes with: no where there is no kernel (SQRT of int32, LOGISTIC of bool, uint16,
 *                             2 bits, most operators of 8 bits without a scale), which leaves the operator to the CPU's verdict.
 *   operands that do not do   scales by channel that the plugin does not hand on, a perm of no dimensions for a scalar: the row
 *                             takes them, with a warning (../rules/rules.h); nothing can be computed from them: no. */
#include "../make.h"
#include "../rules/operators.h"
#include "../types.h"
#include "operations.h"

#if NPU__HAS_NEURON_SOFTWARE

/* Is the operation's code, or its name as one of the extension's, that of a row? */
NPU__FN int npu__nsw_listed_code(const npu__nsw_model *m, const npu__nsw_op *op) {
    static const struct row {
        int32_t  code;
        uint32_t profiles;
    } rows[] = {
#define NPU__X(name, needs, lower, operation, groups, profiles, note) {NPU__NEURON_OP_##operation, profiles},
        NPU__NEURON_ROWS(NPU__X, NPU__NEURON_G_, NPU__NEURON_P_)
#undef NPU__X
    };
    static const char *const named[] = {
#define NPU__X(id, name) name,
        NPU__NEURON_OEM_OPS(NPU__X)
#undef NPU__X
    };
    if (npu__nsw_is_general(op)) {
        const npu__str name = npu__nsw_oem_name(&m->operands[op->in[op->n_in - 1]]);
        for (size_t i = 0; i < sizeof named / sizeof *named; i++) if (npu__str_is(name, named[i])) return 1;
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code == op->code && (rows[i].profiles & NPU__NEURON_P_L23)) return 1;
    }
    return 0;
}

/* Is the operand's type one that a row of the types gives a tensor? Scalars and an extension's bytes are the operation's own. */
NPU__FN int npu__nsw_listed_type(const npu__nsw_operand *o) {
    static const struct row {
        int32_t  code, before;
        uint32_t profiles;
    } rows[] = {
#define NPU__X(type, profiles, kinds, code, before, flags) {NPU__NEURON_TYPE_##code, NPU__NEURON_TYPE_##before, profiles},
        NPU__NEURON_TYPE_ROWS(NPU__X, NPU__NEURON_P_)
#undef NPU__X
    };
    if (!o->type || o->type->scalar) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(rows[i].profiles & NPU__NEURON_P_L23)) continue;
        if (rows[i].code == o->type->code || rows[i].before == o->type->code) return 1;
    }
    return 0;
}

NPU__FN int npu__nsw_listed(const npu__nsw_model *m, const npu__nsw_op *op) {
    if (!npu__nsw_listed_code(m, op)) return 0;
    for (uint32_t i = 0; i < op->n_in; i++) if (!npu__nsw_listed_type(&m->operands[op->in[i]])) return 0;
    for (uint32_t i = 0; i < op->n_out; i++) if (!npu__nsw_listed_type(&m->operands[op->out[i]])) return 0;
    return 1;
}

NPU__FN npu_status npu__nsw_can_plan(npu__nsw_maker *k, int32_t only) {
    npu_model    *model;
    npu_plan     *plan;
    npu_plan_desc d;
    npu_status    s = npu__nsw_make(k, only, &model);
    if (s != NPU_OK) return s;
    memset(&d, 0, sizeof d);
    d.allocator = k->m->allocator;
    s = npu_plan_create(&plan, model, &d, NULL);
    if (s == NPU_OK) npu_plan_destroy(plan);
    npu_model_close(model);
    return s;
}

NPU__FN int npu__nsw_supported(const npu__nsw_model *model, uint8_t *supported) {
    npu__nsw_maker k;
    npu__pool      pool;
    npu_status     s = NPU_OUT_OF_MEMORY;
    if (npu__nsw_maker_init(&k, model, &pool, NULL)) s = npu__nsw_can_plan(&k, -1);
    memset(supported, s == NPU_OK, (size_t)model->n_ops);
    /* As a whole it is not, so they are asked one by one. */
    if (s != NPU_OK && s != NPU_OUT_OF_MEMORY) {
        for (int32_t i = 0; i < model->n_operands; i++) k.tensor[i] = -1;
        for (int32_t i = 0; i < model->n_ops && s != NPU_OUT_OF_MEMORY; i++) {
            s = npu__nsw_can_plan(&k, i);
            supported[i] = s == NPU_OK;
        }
    }
    for (int32_t i = 0; i < model->n_ops; i++) supported[i] = supported[i] && npu__nsw_listed(model, &model->ops[i]);
    npu__pool_free(&pool);
    return s == NPU_OUT_OF_MEMORY ? NPU__NEURON_OUT_OF_MEMORY : NPU__NEURON_NO_ERROR;
}

#endif
