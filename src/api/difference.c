/* npu_tensor_compare: how far two tensors of one type and shape are apart, in reals and in steps of what is stored. */
#include "../base/fp16.h"
#include "../base/fp8.h"
#include "real.h"

/* One of the two. */
typedef struct npu__diff_side {
    const npu_tensor *t;
    int64_t           inner; /* neighbours that share a channel */
    int32_t           channels;
} npu__diff_side;

typedef struct npu__diff {
    npu__diff_side a, b;
    int32_t        kind, bits;
    int64_t        n;
} npu__diff;

NPU__FN int npu__diff_is_float(int32_t kind) { return kind >= NPU__REAL_F16; }

/* Complex numbers are two floats each. */
NPU__FN npu_type npu__diff_part(npu_type type) {
    return type == NPU_COMPLEX64 ? NPU_FLOAT32 : type == NPU_COMPLEX128 ? NPU_FLOAT64 : type;
}

/* Scales along an axis that does not fit are not used: it is the stored values that are compared then. */
NPU__FN npu__diff_side npu__diff_side_of(const npu_tensor *t) {
    npu__diff_side s;
    const int32_t  axis = t->quant.axis, count = t->quant.scale ? t->quant.count : 0;
    s.t = t;
    s.inner = 1;
    s.channels = count < 1 ? 0 : count == 1 ? 1 : axis >= 0 && axis < t->rank && t->dims[axis] == count ? count : 0;
    if (s.channels <= 1) return s; /* the axis may be any number */
    for (int32_t i = axis + 1; i < t->rank; i++) s.inner *= NPU__MAX(t->dims[i], 1); /* bounded: as in npu__shape_elems */
    return s;
}

NPU__FN npu_status npu__diff_check(npu__diff *d, const npu_tensor *a, const npu_tensor *b, npu_diag *diag) {
    npu__shape shape;
    size_t     bytes;
    memset(d, 0, sizeof *d);
    if (a->type != b->type) {
        return npu__diag_fail(diag, NPU_BAD_INPUT, "compare.type", "one tensor is of type %s, the other of %s",
                              npu_type_name(a->type), npu_type_name(b->type));
    }
    d->kind = npu__real_kind(npu__diff_part(a->type));
    if (d->kind == NPU__REAL_NONE) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "compare.type", "elements of type %s are no numbers", npu_type_name(a->type));
    }
    d->bits = npu_type_bits(npu__diff_part(a->type));
    memset(&shape, 0, sizeof shape);
    shape.rank = a->rank;
    memcpy(shape.dims, a->dims, sizeof shape.dims);
    if (!npu__shape_elems(&shape, &d->n) || !npu__shape_bytes(&shape, (int32_t)a->type, &bytes) || bytes != a->bytes ||
        (bytes && (!a->data || !b->data))) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "compare.bytes", "a tensor has no data, or its bytes (%z) are not those of "
                              "its type and dimensions", a->bytes);
    }
    if (a->rank != b->rank || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) != 0 || b->bytes != bytes) { /* bounded: rank was checked */
        return npu__diag_fail(diag, NPU_BAD_INPUT, "compare.shape", "the tensors have different shapes: %z and %z bytes of ranks %d "
                              "and %d", a->bytes, b->bytes, a->rank, b->rank);
    }
    if (a->type == NPU_COMPLEX64 || a->type == NPU_COMPLEX128) d->n *= 2; /* bounded: so many floats lie in memory */
    d->a = npu__diff_side_of(a);
    d->b = npu__diff_side_of(b);
    return NPU_OK;
}

/* An integer of `bits` bits, from its pattern. */
NPU__FN int64_t npu__diff_signed(uint64_t v, int32_t bits) {
    const uint64_t sign = (uint64_t)1 << (bits - 1); /* bounded: types have 64 bits at most and 2 at least */
    v = (v ^ sign) - sign; /* wraps: two's complement is meant */
    return v >> 63 ? -(int64_t)~v - 1 : (int64_t)v;
}

NPU__FN double npu__diff_real(const npu__diff *d, uint64_t v) {
    double wide;
    switch (d->kind) {
    case NPU__REAL_BOOL: return v ? 1.0 : 0.0;
    case NPU__REAL_F16: return (double)npu__f16_to_f32((uint16_t)v);
    case NPU__REAL_BF16: return (double)npu__bf16_to_f32((uint16_t)v);
    case NPU__REAL_E4M3FN: return (double)npu__fp8_to_f32((uint8_t)v, &npu__fp8_e4m3fn);
    case NPU__REAL_E5M2: return (double)npu__fp8_to_f32((uint8_t)v, &npu__fp8_e5m2);
    case NPU__REAL_F32: return (double)npu__f32_from_bits((uint32_t)v);
    case NPU__REAL_F64: memcpy(&wide, &v, 8); return wide;
    case NPU__REAL_SIGNED: return (double)npu__diff_signed(v, d->bits);
    default: return (double)v;
    }
}

/* How many numbers of the type lie between: floats in the order of sign and magnitude, in which both zeros are one. */
NPU__FN uint64_t npu__diff_steps(const npu__diff *d, uint64_t a, uint64_t b) {
    const uint64_t sign = (uint64_t)1 << (d->bits - 1); /* bounded: 2 to 64 bits */
    int64_t        x, y;
    if (d->kind == NPU__REAL_BOOL) return (a != 0) != (b != 0);
    if (d->kind == NPU__REAL_UNSIGNED) return a > b ? a - b : b - a;
    x = d->kind == NPU__REAL_SIGNED ? npu__diff_signed(a, d->bits) : a & sign ? -(int64_t)(a & (sign - 1)) : (int64_t)a;
    y = d->kind == NPU__REAL_SIGNED ? npu__diff_signed(b, d->bits) : b & sign ? -(int64_t)(b & (sign - 1)) : (int64_t)b;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x; /* wraps: the difference of two int64_t fits */
}

NPU__FN int32_t npu__diff_bin(uint64_t steps) {
    int32_t  bin = 1;
    uint64_t top = 1;
    if (steps == 0) return 0;
    while (top < steps && bin < NPU_DIFFERENCE_BINS - 1) { top <<= 1; bin++; } /* bounded: at most 20 bins */
    return bin;
}

/* The scale and zero point of element i, where the type has such. */
NPU__FN double npu__diff_scale(const npu__diff *d, const npu__diff_side *s, int64_t i, double *zero) {
    const int64_t c = s->channels > 1 ? i / s->inner % s->channels : 0;
    *zero = 0.0;
    if (!s->channels || (d->kind != NPU__REAL_SIGNED && d->kind != NPU__REAL_UNSIGNED)) return 1.0;
    if (s->t->quant.zero_point) *zero = (double)s->t->quant.zero_point[c];
    return (double)s->t->quant.scale[c];
}

NPU__FN void npu__diff_element(const npu__diff *d, int64_t i, npu_difference *out) {
    const uint64_t a = npu__real_load((const uint8_t *)d->a.t->data, d->bits, i);
    const uint64_t b = npu__real_load((const uint8_t *)d->b.t->data, d->bits, i);
    const uint64_t steps = npu__diff_steps(d, a, b);
    const double   x = npu__diff_real(d, a), y = npu__diff_real(d, b), endless = (double)npu__f32_from_bits(0x7F800000u);
    double         off, za, zb;
    if (x != x && y != y) {
        out->histogram[0]++;
        return;
    }
    if (x != x || y != y) {
        out->nans++;
        out->histogram[NPU_DIFFERENCE_BINS - 1]++;
        off = endless;
    } else {
        const double sa = npu__diff_scale(d, &d->a, i, &za), sb = npu__diff_scale(d, &d->b, i, &zb);
        out->histogram[npu__diff_bin(steps)]++;
        /* Of one scale and zero point the steps say it exactly; equal infinities are no distance apart. */
        if (!npu__diff_is_float(d->kind) && !(sa < sb) && !(sb < sa) && !(za < zb) && !(zb < za)) off = sa * (double)steps;
        else off = steps || !npu__diff_is_float(d->kind) ? sa * (x - za) - sb * (y - zb) : 0.0;
        off = off < 0.0 ? -off : off;
    }
    if (!(off > out->max_abs)) return;
    out->max_abs = off;
    out->max_index = (size_t)i;
}

NPU_API npu_status npu_tensor_compare(const npu_tensor *a, const npu_tensor *b, npu_difference *out, npu_diag *diag) {
    npu__diff  d;
    npu_status s;
    npu__diag_clear(diag);
    if (!a || !b || !out) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.null", "npu_tensor_compare: needs two tensors and a place for the result");
    }
    s = npu__diff_check(&d, a, b, diag);
    if (s != NPU_OK) return s;
    memset(out, 0, sizeof *out);
    out->elements = (size_t)d.n;
    out->ulps = npu__diff_is_float(d.kind);
    for (int64_t i = 0; i < d.n; i++) npu__diff_element(&d, i, out);
    out->differing = out->elements - out->histogram[0];
    return NPU_OK;
}
