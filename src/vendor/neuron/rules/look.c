/* What predicates look at. */
#include "look.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

NPU__FN const npu__val *npu__neuron_value(const npu__ctx *c, int32_t i) {
    return i < c->n_in ? c->in[i] : c->out[i - c->n_in];
}

NPU__FN void npu__neuron_say(npu__got *got, const npu__ctx *c, int32_t i, const char *what) {
    (void)got;
    (void)what;
    npu__got_add(got, i < c->n_in ? "input %d: %s" : "output %d: %s", i < c->n_in ? i : i - c->n_in, what);
}

NPU__FN int64_t npu__neuron_ints(const npu__val *v, int32_t type) {
    int64_t n;
    return v->type == type && v->data && npu__shape_elems(&v->shape, &n) ? n : 0;
}

NPU__FN int32_t npu__neuron_inputs_of(int32_t code) {
    switch (code) {
#define NPU__X(name, inputs, by, operation, groups, profiles, note) case NPU__BUILTIN_##name: return inputs;
        NPU__NEURON_ROWS(NPU__X, NPU__NEURON_G_, NPU__NEURON_P_)
#undef NPU__X
        default: return 0;
    }
}

NPU__FN int npu__neuron_got_activation(npu__got *got, int32_t code) {
    static const char *const names[] = {"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
    (void)names;
    if (code >= 0 && code < NPU__COUNT(names)) return npu__got_f(got, "%s", names[code]);
    return npu__got_f(got, "number %d", code);
}

#endif
