/* Looking things up in the tables of the guide. */
#include "facts.h"

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

static const npu__mdla_op npu__mdla_op_rows[] = {
#define NPU__X(code, name, guide, versions, from, layouts, group, work, rate, kinds, remark) \
    {NPU__BUILTIN_##code, name, guide, versions, layouts, group, work, rate},
    NPU__MDLA_OPS_TFLITE(NPU__X, NPU__MDLA_L_, NPU__MDLA_G_, NPU__MDLA_W_, NPU__MDLA_R_, NPU__MDLA_K_)
    NPU__MDLA_OPS_CUSTOM(NPU__X, NPU__MDLA_L_, NPU__MDLA_G_, NPU__MDLA_W_, NPU__MDLA_R_, NPU__MDLA_K_)
#undef NPU__X
};

NPU__FN const npu__mdla_op *npu__mdla_op_of(const npu__node *node) {
    for (int32_t i = 0; i < NPU__COUNT(npu__mdla_op_rows); i++) {
        const npu__mdla_op *op = &npu__mdla_op_rows[i];
        if (op->code != node->code) continue;
        if (op->code != NPU__BUILTIN_CUSTOM || npu__str_is(node->custom_name, op->name)) return op;
    }
    return NULL;
}

NPU__FN const char *npu__mdla_type_name(int32_t type) {
    switch (type) {
#define NPU__X(name, guide, bits, rate, v15, v20, v30) case NPU__MDLA_T_##name: return guide;
        NPU__MDLA_TYPES(NPU__X)
#undef NPU__X
        default: return "no type of the matrix";
    }
}

/* That of three that belongs to the version. */
NPU__FN int32_t npu__mdla_of(int32_t version, int32_t v15, int32_t v20, int32_t v30) {
    return version == 15 ? v15 : version == 20 ? v20 : v30;
}

NPU__FN int32_t npu__mdla_type_by(int32_t type, int32_t version) {
    switch (type) {
#define NPU__X(name, guide, bits, rate, v15, v20, v30) \
        case NPU__MDLA_T_##name: return npu__mdla_of(version, NPU__MDLA_##v15, NPU__MDLA_##v20, NPU__MDLA_##v30);
        NPU__MDLA_TYPES(NPU__X)
#undef NPU__X
        default: return NPU__MDLA_S;
    }
}

NPU__FN int32_t npu__mdla_type_bits(int32_t type) {
    switch (type) {
#define NPU__X(name, guide, bits, rate, v15, v20, v30) case NPU__MDLA_T_##name: return bits;
        NPU__MDLA_TYPES(NPU__X)
#undef NPU__X
        default: return 0;
    }
}

NPU__FN int32_t npu__mdla_type_rate(int32_t type) {
    switch (type) {
#define NPU__X(name, guide, bits, rate, v15, v20, v30) case NPU__MDLA_T_##name: return NPU__MDLA_##rate;
        NPU__MDLA_TYPES(NPU__X)
#undef NPU__X
        default: return NPU__MDLA_N_RATES;
    }
}

NPU__FN int32_t npu__mdla_by_channel(int32_t weights, int32_t data, int32_t version) {
#define NPU__X(w, d, v15, v20, v30) \
    if (weights == NPU__MDLA_T_##w && data == NPU__MDLA_T_##d) return npu__mdla_of(version, v15, v20, v30);
    NPU__MDLA_CHANNEL(NPU__X)
#undef NPU__X
    return -1;
}

NPU__FN int32_t npu__mdla_macs(int32_t type, int32_t version) {
    const int32_t rate = npu__mdla_type_rate(type);
    if (rate == NPU__MDLA_N_RATES) return 0;
#define NPU__X(v, int8, int16, fp16) \
    if (version == v) return rate == NPU__MDLA_FP16 ? fp16 : rate == NPU__MDLA_SYM16 ? int16 : int8;
    NPU__MDLA_MACS(NPU__X)
#undef NPU__X
    return 0;
}

NPU__FN int32_t npu__mdla_conv_rate(int32_t rate, int32_t version) {
#define NPU__X(name, guide, v15, v20, v30) if (rate == NPU__MDLA_U_##name) return npu__mdla_of(version, v15, v20, v30);
    NPU__MDLA_CONV_RATES(NPU__X)
#undef NPU__X
    return 0;
}

NPU__FN int32_t npu__mdla_fc_rate(int64_t batch, int32_t version) {
    switch (batch) {
    case 1: return npu__mdla_conv_rate(NPU__MDLA_U_FC1, version);
    case 2: return npu__mdla_conv_rate(NPU__MDLA_U_FC2, version);
    case 4: return npu__mdla_conv_rate(NPU__MDLA_U_FC4, version);
    case 8: return npu__mdla_conv_rate(NPU__MDLA_U_FC8, version);
    default: return 0;
    }
}

NPU__FN int32_t npu__mdla_outputs_bound(int32_t n) {
    const int64_t steps = ((int64_t)n + NPU__MDLA_OC_STEP - 1) / NPU__MDLA_OC_STEP;
    const int64_t of = n <= NPU__MDLA_OC_SMALL ? NPU__MDLA_OC_SMALL : steps * NPU__MDLA_OC_STEP; /* bounded: n + 15 */
    return (int32_t)((int64_t)n * 1000 / of);
}

NPU__FN int32_t npu__mdla_small(int32_t depthwise, int32_t bits, int32_t version) {
#define NPU__X(of, what, before_8, before_16, v30_8, v30_16) \
    if ((NPU__MDLA_U_##of == NPU__MDLA_U_DEPTHWISE) == (depthwise != 0)) { \
        return version == 30 ? (bits == 8 ? v30_8 : v30_16) : bits == 8 ? before_8 : before_16; \
    }
    NPU__MDLA_SMALL(NPU__X)
#undef NPU__X
    return 0;
}

NPU__FN int32_t npu__mdla_math_rate(int32_t rate, int32_t type, int32_t version) {
    static const int16_t rows[][2 + NPU__MDLA_N_RATES] = {
#define NPU__X(row, guide, from, sym8, asym8, sym16, fp16) {NPU__MDLA_R_##row, from, sym8, asym8, sym16, fp16},
        NPU__MDLA_MATH(NPU__X)
#undef NPU__X
    };
    const int32_t column = npu__mdla_type_rate(type);
    int32_t       found = 0;
    for (int32_t i = 0; i < NPU__COUNT(rows) && column < NPU__MDLA_N_RATES; i++) {
        if (rows[i][0] == rate && rows[i][1] <= version) found = rows[i][2 + column];
    }
    return found;
}

NPU__FN int32_t npu__mdla_pool_factor(int32_t rate, int32_t type) {
    static const int8_t rows[][1 + NPU__MDLA_N_RATES] = {
#define NPU__X(row, guide, sym8, asym8, sym16, fp16) {NPU__MDLA_R_##row, sym8, asym8, sym16, fp16},
        NPU__MDLA_POOLS(NPU__X)
#undef NPU__X
    };
    const int32_t column = npu__mdla_type_rate(type);
    for (int32_t i = 0; i < NPU__COUNT(rows) && column < NPU__MDLA_N_RATES; i++) {
        if (rows[i][0] == rate) return rows[i][1 + column];
    }
    return 0;
}

#endif
