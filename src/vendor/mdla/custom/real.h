/* Elements as real numbers, whatever their type: for operators that compute in floating point. */
#ifndef NPU__VENDOR_MDLA_CUSTOM_REAL_H
#define NPU__VENDOR_MDLA_CUSTOM_REAL_H

#include "../../../graph/custom.h"
#include "../../../ops/util.h"
#include "../sizes.h"

#if NPU__HAS_MDLA

/* Must be float32, or int8, uint8, int16 (`wide`: also int32) with one scale. */
NPU__HEADER_FN npu_status npu__mtk_need_real(npu__ctx *c, const npu__val *v, const char *what, int wide) {
    switch (v->type) {
    case NPU_FLOAT32: return NPU_OK;
    case NPU_INT32: if (!wide) return npu__fail_types(c); break;
    case NPU_INT8: case NPU_UINT8: case NPU_INT16: break;
    default: return npu__fail_types(c);
    }
    return npu__need_quant(c, v, what);
}

NPU__INLINE double npu__mtk_real(const npu__val *v, int64_t i) {
    if (v->type == NPU_FLOAT32) return (double)((const float *)v->data)[i];
    return (double)npu__scale(v) * (double)(npu__int_at(v, i) - npu__zero_point(v));
}

/* Integers: rounded half away from zero, cut to the type. */
NPU__INLINE void npu__mtk_put(const npu__val *v, int64_t i, double x) {
    int32_t lo, hi;
    double  q;
    if (v->type == NPU_FLOAT32) {
        ((float *)v->data)[i] = (float)x;
        return;
    }
    npu__type_range(v->type, &lo, &hi);
    q = x / (double)npu__scale(v) + (double)npu__zero_point(v);
    q = q > (double)lo ? q < (double)hi ? round(q) : (double)hi : (double)lo; /* NaN: the smallest */
    if (v->type == NPU_INT8) ((int8_t *)v->data)[i] = (int8_t)q;
    else if (v->type == NPU_UINT8) ((uint8_t *)v->data)[i] = (uint8_t)q;
    else ((int16_t *)v->data)[i] = (int16_t)q;
}

/* A number among the options, `dflt` where it is missing; one that is not finite or no number is refused. */
NPU__HEADER_FN npu_status npu__mtk_number(npu__ctx *c, const char *key, double dflt, double *out) {
    const npu__flex      v = npu__custom_option(c->node, key);
    const npu__flex_kind kind = npu__flex_kind_of(v);
    *out = npu__flex_f64(v, dflt);
    if ((kind == NPU__FLEX_NULL || kind == NPU__FLEX_INT || kind == NPU__FLEX_FLOAT) && *out - *out >= 0.0 &&
        *out <= 3.4e38 && *out >= -3.4e38) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.option_value", "option \"%s\" must be a finite number", key);
}

#endif
#endif
