/* Looking operand types up. */
#include "types.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

static const npu__neuron_type_row npu__neuron_type_rows[] = {
#define NPU__X(type, profiles, kinds, code, before, flags) \
    {NPU_##type, profiles, NPU__NEURON_Q_##kinds, NPU__NEURON_TYPE_##code, NPU__NEURON_TYPE_##before, flags},
    NPU__NEURON_TYPE_ROWS(NPU__X, NPU__NEURON_P_)
#undef NPU__X
};

NPU__FN int npu__neuron_dim_open(const npu__val *v, int32_t i) {
    const npu__shape *signature = &v->t->signature;
    return v->t->has_rank && signature->rank == v->shape.rank && signature->dims[i] < 0;
}

NPU__FN uint32_t npu__neuron_kind(const npu__tensor *t) {
    int32_t i = 0;
    if (t->quant.count == 0) return NPU__NEURON_Q_NONE;
    while (i < t->quant.count && t->quant.zero_point[i] == 0) i++;
    if (t->quant.count == 1) return i == 1 ? NPU__NEURON_Q_T0 : NPU__NEURON_Q_TZ;
    return i == t->quant.count ? NPU__NEURON_Q_C0 : NPU__NEURON_Q_CZ;
}

NPU__FN const npu__neuron_type_row *npu__neuron_type_of(const npu__val *v, uint32_t kind, uint32_t profile) {
    for (int32_t i = 0; i < NPU__COUNT(npu__neuron_type_rows); i++) {
        const npu__neuron_type_row *r = &npu__neuron_type_rows[i];
        if (r->type != v->type || !(r->profiles & profile) || !(r->kinds & kind)) continue;
        return (r->flags & NPU__NEURON_CONSTANT) && !v->data ? NULL : r;
    }
    return NULL;
}

NPU__FN int npu__neuron_type_known(int32_t type, uint32_t profile) {
    for (int32_t i = 0; i < NPU__COUNT(npu__neuron_type_rows); i++) {
        if (npu__neuron_type_rows[i].type == type && (npu__neuron_type_rows[i].profiles & profile)) return 1;
    }
    return 0;
}

#endif
