/* npu_tensor_quantize and npu_tensor_dequantize: reals to a tensor's elements and back. */
#include "../base/fp8.h"
#include "real.h"

NPU__FN int32_t npu__real_kind(npu_type type) {
    switch (type) {
    case NPU_INT2: case NPU_INT4: case NPU_INT8: case NPU_INT16: case NPU_INT32: case NPU_INT64: return NPU__REAL_SIGNED;
    case NPU_UINT4: case NPU_UINT8: case NPU_UINT16: case NPU_UINT32: case NPU_UINT64: return NPU__REAL_UNSIGNED;
    case NPU_BOOL: return NPU__REAL_BOOL;
    case NPU_FLOAT16: return NPU__REAL_F16;
    case NPU_BFLOAT16: return NPU__REAL_BF16;
    case NPU_FLOAT8_E4M3FN: return NPU__REAL_E4M3FN;
    case NPU_FLOAT8_E5M2: return NPU__REAL_E5M2;
    case NPU_FLOAT32: return NPU__REAL_F32;
    case NPU_FLOAT64: return NPU__REAL_F64;
    default: return NPU__REAL_NONE;
    }
}

/* A tensor whose elements are to be converted, checked. */
typedef struct npu__real {
    int32_t   kind, bits;
    int64_t   n, inner;   /* elements; neighbours that share a channel */
    int32_t   channels;   /* 0: not quantized: scale 1, zero point 0 */
    npu_quant quant;
} npu__real;

NPU__FN npu_status npu__real_quant(npu__real *r, const npu_tensor *t, npu_diag *diag) {
    r->quant = t->quant;
    r->inner = r->n;
    if (t->quant.count <= 0 || !t->quant.scale || (r->kind != NPU__REAL_SIGNED && r->kind != NPU__REAL_UNSIGNED)) return NPU_OK;
    r->channels = t->quant.count;
    if (r->channels > 1) {
        /* A file's axis may lie outside of the rank (graph/ir.h), and a caller's descriptor may hold anything. */
        const int32_t axis = t->quant.axis;
        if (axis < 0 || axis >= t->rank || t->dims[axis] != r->channels) {
            return npu__diag_fail(diag, NPU_BAD_INPUT, "real.axis", "%d scales lie along dimension %d, which the tensor "
                                  "does not have in that length", r->channels, axis);
        }
        r->inner = 1;
        for (int32_t i = axis + 1; i < t->rank; i++) r->inner *= NPU__MAX(t->dims[i], 1); /* bounded: as in npu__shape_elems */
    }
    for (int32_t c = 0; c < r->channels; c++) {
        if (t->quant.scale[c] > 0.0f && t->quant.scale[c] <= 3.402823466e+38f) continue;
        return npu__diag_fail(diag, NPU_BAD_INPUT, "real.scale", "the scale of channel %d is %g: it must be a positive "
                              "number", c, (double)t->quant.scale[c]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__real_check(npu__real *r, const npu_tensor *t, const void *real, size_t n, npu_diag *diag) {
    npu__shape shape;
    size_t     bytes;
    npu__diag_clear(diag);
    memset(r, 0, sizeof *r);
    if (!t || (n && (!real || !t->data))) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.null", "the tensor, its data and the reals must not be NULL");
    }
    r->kind = npu__real_kind(t->type);
    r->bits = npu_type_bits(t->type);
    if (r->kind == NPU__REAL_NONE) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "real.type", "elements of type %s stand for no real number",
                              npu_type_name(t->type));
    }
    memset(&shape, 0, sizeof shape);
    shape.rank = t->rank;
    memcpy(shape.dims, t->dims, sizeof shape.dims);
    if (!npu__shape_elems(&shape, &r->n) || !npu__shape_bytes(&shape, (int32_t)t->type, &bytes) || bytes != t->bytes) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "real.bytes", "the tensor's bytes (%z) are not those of its type "
                              "and dimensions", t->bytes);
    }
    if ((uint64_t)r->n != n) {
        return npu__diag_fail(diag, NPU_BAD_INPUT, "real.count", "the tensor has %l elements: got %z reals", r->n, n);
    }
    return npu__real_quant(r, t, diag);
}

/* Elements come in order: the first one in a byte clears the rest of it. */
NPU__INLINE void npu__real_store(uint8_t *p, int32_t bits, int64_t i, uint64_t v) {
    /* bounded, here and below: as in npu__real_load */
    if (bits < 8) {
        const int shift = (int)(i * bits & 7);
        uint8_t  *at = p + (i * bits >> 3);
        *at = (uint8_t)((shift ? *at : 0u) | (unsigned)(v & ((1u << bits) - 1u)) << shift);
        return;
    }
    memcpy(p + i * (bits >> 3), &v, (size_t)(bits >> 3));
}

/* The quotient in float and half away from zero, as TFLite's QUANTIZE; the zero point is added in double, and what lies beyond
 * the type becomes its end. */
NPU__FN uint64_t npu__real_to_int(const npu__real *r, float x, float scale, int32_t zero_point) {
    const int            is_signed = r->kind == NPU__REAL_SIGNED;
    const volatile float quotient = x / scale; /* x87 registers would keep more of it */
    const double         v = (double)roundf(quotient) + (double)zero_point;
    const double         end = ldexp(1.0, r->bits - is_signed); /* the first integer beyond, exact */
    const uint64_t       top = UINT64_MAX >> (64 - r->bits + is_signed);
    if (v >= end) return top;
    if (!is_signed) return v <= 0.0 ? 0 : (uint64_t)v;
    return v <= -end ? (uint64_t)(-(int64_t)top - 1) : (uint64_t)(int64_t)v;
}

NPU__FN uint64_t npu__real_encode(const npu__real *r, float x, float scale, int32_t zero_point) {
    double   wide = (double)x;
    uint64_t v = 0;
    switch (r->kind) {
    case NPU__REAL_BOOL: return x != 0.0f;
    case NPU__REAL_F16: return npu__f16_from_f32(x);
    case NPU__REAL_BF16: return npu__bf16_from_f32(x);
    case NPU__REAL_E4M3FN: return npu__fp8_from_f32(x, &npu__fp8_e4m3fn);
    case NPU__REAL_E5M2: return npu__fp8_from_f32(x, &npu__fp8_e5m2);
    case NPU__REAL_F32: return npu__f32_bits(x);
    case NPU__REAL_F64: memcpy(&v, &wide, 8); return v;
    default: return npu__real_to_int(r, x, scale, zero_point);
    }
}

NPU__FN float npu__real_decode(const npu__real *r, uint64_t v, float scale, int32_t zero_point) {
    double wide;
    switch (r->kind) {
    case NPU__REAL_BOOL: return v ? 1.0f : 0.0f;
    case NPU__REAL_F16: return npu__f16_to_f32((uint16_t)v);
    case NPU__REAL_BF16: return npu__bf16_to_f32((uint16_t)v);
    case NPU__REAL_E4M3FN: return npu__fp8_to_f32((uint8_t)v, &npu__fp8_e4m3fn);
    case NPU__REAL_E5M2: return npu__fp8_to_f32((uint8_t)v, &npu__fp8_e5m2);
    case NPU__REAL_F32: return npu__f32_from_bits((uint32_t)v);
    case NPU__REAL_F64: memcpy(&wide, &v, 8); return (float)wide;
    default: break;
    }
    wide = (double)v;
    if (r->kind == NPU__REAL_SIGNED) {
        /* bounded: 2 to 64 bits. wraps: of 64 bits, half << 1 is 0, and 0 - v what is meant */
        const uint64_t half = (uint64_t)1 << (r->bits - 1);
        wide = v & half ? -(double)((half << 1) - v) : wide; /* wraps: see above */
    }
    return r->channels ? (float)((double)scale * (wide - (double)zero_point)) : (float)wide;
}

/* In C order `inner` neighbours share a channel, and after all channels it begins again. */
NPU__INLINE float npu__real_scale(const npu__real *r, int64_t i, int32_t *zero_point) {
    const int64_t c = r->channels > 1 ? i / r->inner % r->channels : 0;
    *zero_point = r->channels && r->quant.zero_point ? r->quant.zero_point[c] : 0;
    return r->channels ? r->quant.scale[c] : 1.0f;
}

NPU_API npu_status npu_tensor_quantize(const npu_tensor *tensor, const float *real, size_t n, npu_diag *diag) {
    npu__real  r;
    npu_status s = npu__real_check(&r, tensor, real, n, diag);
    if (s != NPU_OK) return s;
    /* All are looked at before the first is written: a refused call leaves the tensor as it was. (real != real: NaN.) */
    for (int64_t i = 0; r.kind <= NPU__REAL_BOOL && i < r.n; i++) {
        if (real[i] == real[i]) continue;
        return npu__diag_fail(diag, NPU_BAD_INPUT, "real.nan", "value %l is not a number, and %s has nothing like it", i,
                              npu_type_name(tensor->type));
    }
    for (int64_t i = 0; i < r.n; i++) {
        int32_t     zero_point;
        const float scale = npu__real_scale(&r, i, &zero_point);
        npu__real_store((uint8_t *)tensor->data, r.bits, i, npu__real_encode(&r, real[i], scale, zero_point));
    }
    return NPU_OK;
}

NPU_API npu_status npu_tensor_dequantize(const npu_tensor *tensor, float *real, size_t n, npu_diag *diag) {
    npu__real  r;
    npu_status s = npu__real_check(&r, tensor, real, n, diag);
    for (int64_t i = 0; s == NPU_OK && i < r.n; i++) {
        int32_t     zero_point;
        const float scale = npu__real_scale(&r, i, &zero_point);
        real[i] = npu__real_decode(&r, npu__real_load((const uint8_t *)tensor->data, r.bits, i), scale, zero_point);
    }
    return s;
}
