/* Elementwise operations: a stretch of elements at a time, so that the output may lie where an input does. */
#include "exec.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_STRETCH = 1024 };

typedef struct npu__eu_element {
    npu__eu_op op;
    uint32_t   mode;
    int32_t    binary, scalar, scalar_value, swap; /* swap: the second input is operand A */
    int32_t    small;                              /* inputs below 32 bits */
    int32_t    scale_mode, rounding, op_shift;     /* how operands are scaled */
    uint32_t   opa, opb;
    int32_t   *a, *b, *out;
    int64_t   *wide;
} npu__eu_element;

/* ---- arithmetic ---- */

/* The operand that TFLite's kernels scale down before an addition: shifted left by `left` bits, then scaled. */
NPU__INLINE int64_t npu__eu_operand(const npu__eu_element *v, int64_t x, int scaled, int32_t left) {
    if (!scaled) return (int64_t)((uint64_t)x << (left - 1)); /* wraps: 33 + 19 bits with their sign */
    return npu__eu_rescale_ahead(x, v->opa, v->op_shift, v->rounding, left);
}

NPU__FN void npu__eu_add(npu__eu_element *v, int32_t n) {
    int64_t  za = v->op.ifm.zero, zb = v->op.ifm2.zero, sign = v->mode == NPU__EU_ELEMENT_SUB ? -1 : 1;
    int32_t *a = v->a, *b = v->b, left = v->op.ifm.bytes == 1 ? 20 : 15;
    if (v->swap) {
        a = v->b;
        b = v->a;
        za = v->op.ifm2.zero;
        zb = v->op.ifm.zero;
    }
    if (v->scale_mode == NPU__EU_SCALE_MODE_BOTH) {
        int64_t opa = v->opa & 0xFFFFu, opb = (int64_t)(v->opb & 0xFFFFu) * sign; /* bounded: 16 bits */
        for (int32_t i = 0; i < n; i++) v->wide[i] = (a[i] - za) * opa + (b[i] - zb) * opb; /* bounded: 33 + 16 bits */
        return;
    }
    for (int32_t i = 0; i < n; i++) { /* 32-bit operands that are scaled up wrap around */
        uint64_t x = (uint64_t)npu__eu_operand(v, a[i] - za, v->scale_mode == NPU__EU_SCALE_MODE_OPA, left);
        uint64_t y = (uint64_t)npu__eu_operand(v, b[i] - zb, v->scale_mode == NPU__EU_SCALE_MODE_OPB, left);
        v->wide[i] = (int64_t)(sign < 0 ? x - y : x + y);
    }
}

/* Rounds as the output does. */
NPU__INLINE int64_t npu__eu_shift_right(const npu__eu_element *v, int64_t a, int64_t by) {
    return npu__eu_rescale(a, 1, by < 0 ? 0 : by > 62 ? 62 : (int32_t)by, v->op.out.rounding);
}
NPU__INLINE int64_t npu__eu_shift_left(int64_t a, int64_t by) {
    return by < 0 ? a : by > 31 ? 0 : (int64_t)npu__shl32((int32_t)(uint32_t)(uint64_t)a, (int)by);
}

#define NPU__EU_EACH(expression)                                                                       \
    for (int32_t i = 0; i < n; i++) {                                                                  \
        int64_t a = (int64_t)v->a[i] - za, b = (int64_t)v->b[i] - zb;                                  \
        v->wide[i] = (expression);                                                                     \
    }                                                                                                  \
    break
NPU__FN void npu__eu_binary(npu__eu_element *v, int32_t n) {
    const int64_t za = v->op.ifm.zero, zb = v->op.ifm2.zero;
    switch (v->mode) {
    case NPU__EU_ELEMENT_MUL: NPU__EU_EACH((int64_t)((uint64_t)a * (uint64_t)b)); /* wraps: so do products of 32 bits */
    case NPU__EU_ELEMENT_MIN: NPU__EU_EACH(NPU__MIN(a, b));
    case NPU__EU_ELEMENT_MAX: NPU__EU_EACH(NPU__MAX(a, b));
    case NPU__EU_ELEMENT_SHR: NPU__EU_EACH(v->swap ? npu__eu_shift_right(v, b, a) : npu__eu_shift_right(v, a, b));
    case NPU__EU_ELEMENT_SHL: NPU__EU_EACH(v->swap ? npu__eu_shift_left(b, a) : npu__eu_shift_left(a, b));
    default: npu__eu_add(v, n);
    }
}
#undef NPU__EU_EACH

NPU__FN void npu__eu_unary(npu__eu_element *v, int32_t n) {
    const npu__eu_out *o = &v->op.out;
    for (int32_t i = 0; i < n; i++) {
        int64_t a = (int64_t)v->a[i] - v->op.ifm.zero;
        if (v->mode == NPU__EU_ELEMENT_CLZ) a = npu__clz32((uint32_t)(uint64_t)a);
        else if (v->mode == NPU__EU_ELEMENT_ABS) a = a < 0 ? -a : a;
        else if (a < 0) a = npu__eu_rescale(a, o->scale, o->shift, o->rounding); /* leaky: only these are scaled */
        v->wide[i] = a;
    }
}

/* ---- stretches ---- */

/* The second input for pixels [x, x + n_x) of row y, channels [c, c + n_c), broadcast. */
NPU__FN void npu__eu_load_second(npu__eu_element *v, int32_t y, int32_t x, int32_t n_x, int32_t c, int32_t n_c) {
    const npu__eu_fm *f = &v->op.ifm2;
    int32_t           wide = f->w > 1 || v->op.ofm.w == 1, deep = f->c > 1 || v->op.ofm.c == 1;
    if (f->h == 1) y = 0;
    if (wide && deep) {
        npu__eu_fm_load(f, y, x, n_x, c, n_c, v->b);
        return;
    }
    for (int32_t i = 0; i < n_x; i++) {
        int32_t *to = v->b + (size_t)i * (size_t)n_c; /* bounded: NPU__EU_STRETCH */
        if (i > 0 && !wide) {
            memcpy(to, v->b, (size_t)n_c * sizeof *to); /* bounded: NPU__EU_STRETCH */
        } else if (deep) {
            npu__eu_fm_load(f, y, wide ? x + i : 0, 1, c, n_c, to);
        } else {
            npu__eu_fm_load(f, y, wide ? x + i : 0, 1, 0, 1, to);
            for (int32_t k = 1; k < n_c; k++) to[k] = to[0];
        }
    }
}

NPU__FN void npu__eu_stretch(npu__eu_element *v, int32_t y, int32_t x, int32_t n_x, int32_t c, int32_t n_c) {
    int32_t n = n_x * n_c; /* bounded: NPU__EU_STRETCH */
    npu__eu_fm_load(&v->op.ifm, y, x, n_x, c, n_c, v->a);
    if (v->binary) {
        if (!v->scalar) npu__eu_load_second(v, y, x, n_x, c, n_c);
        npu__eu_binary(v, n);
    } else {
        npu__eu_unary(v, n);
    }
    npu__eu_out_plain(&v->op.out, n, v->wide, v->out);
    npu__eu_fm_store(&v->op.ofm, y, x, n_x, c, n_c, v->out);
}

/* ---- the operation ---- */

NPU__FN npu_status npu__eu_element_second(npu__eu_dev *d, npu__eu_element *v) {
    uint32_t    b = (uint32_t)npu__eu_reg(d, NPU__EU_SET_IFM2_BROADCAST);
    uint32_t    precision = (uint32_t)npu__eu_reg(d, NPU__EU_SET_IFM2_PRECISION);
    npu__eu_fm *f = &v->op.ofm;
    v->swap = (int32_t)npu__eu_field(b, NPU__EU_F_SET_IFM2_BROADCAST_SWAP);
    v->scalar = (int32_t)npu__eu_field(b, NPU__EU_F_SET_IFM2_BROADCAST_SCALAR);
    if (v->scalar) {
        int is_signed = (int)npu__eu_field(precision, NPU__EU_F_SET_IFM2_PRECISION_SIGNED);
        v->scalar_value = is_signed ? npu__eu_reg_signed(d, NPU__EU_SET_IFM2_SCALAR)
                                    : npu__eu_reg(d, NPU__EU_SET_IFM2_SCALAR);
        v->op.ifm2.zero = is_signed ? npu__eu_reg_signed(d, NPU__EU_SET_IFM2_ZERO_POINT)
                                    : npu__eu_reg(d, NPU__EU_SET_IFM2_ZERO_POINT);
        /* bounded: a field of 2 bits */
        v->op.ifm2.bytes = 1 << npu__eu_field(precision, NPU__EU_F_SET_IFM2_PRECISION_LOG2_BYTES);
        return NPU_OK;
    }
    return npu__eu_op_ifm2(d, &v->op, npu__eu_field(b, NPU__EU_F_SET_IFM2_BROADCAST_HEIGHT) ? 1 : f->h,
                           npu__eu_field(b, NPU__EU_F_SET_IFM2_BROADCAST_WIDTH) ? 1 : f->w,
                           npu__eu_field(b, NPU__EU_F_SET_IFM2_BROADCAST_DEPTH) ? 1 : f->c);
}

NPU__FN npu_status npu__eu_element_scaling(npu__eu_dev *d, npu__eu_element *v) {
    uint32_t precision = (uint32_t)npu__eu_reg(d, NPU__EU_SET_IFM_PRECISION);
    int32_t  unused;
    v->scale_mode = (int32_t)npu__eu_field(precision, NPU__EU_F_SET_IFM_PRECISION_SCALE_MODE);
    v->rounding = (int32_t)npu__eu_field(precision, NPU__EU_F_SET_IFM_PRECISION_ROUNDING);
    v->opa = npu__eu_reg_scale(d, NPU__EU_SET_OPA_SCALE, &v->op_shift);
    v->opb = npu__eu_reg_scale(d, NPU__EU_SET_OPB_SCALE, &unused);
    if (v->scale_mode > NPU__EU_SCALE_MODE_OPB || v->rounding > NPU__EU_ROUNDING_NATURAL) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.precision",
                            "operands cannot be scaled in mode %d with rounding %d", v->scale_mode, v->rounding);
    }
    if (v->mode == NPU__EU_ELEMENT_MUL && v->op.ifm.bytes == 4) v->op.out.scale = 1; /* only the shift counts */
    if (v->mode == NPU__EU_ELEMENT_LRELU) v->op.out.scaled = 0;
    return NPU_OK;
}

NPU__FN npu_status npu__eu_element_open(npu__eu_dev *d, npu__eu_element *v) {
    npu__eu_op *op = &v->op;
    NPU__EU_TRY(npu__eu_op_ofm(d, op));
    if (v->mode > NPU__EU_ELEMENT_SHL || npu__eu_reg(d, NPU__EU_SET_IFM_UPSCALE) != NPU__EU_UPSCALE_OFF) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.command",
                            "there is no elementwise operation %u with upscaling %d", v->mode,
                            npu__eu_reg(d, NPU__EU_SET_IFM_UPSCALE));
    }
    v->binary = v->mode != NPU__EU_ELEMENT_LRELU && v->mode != NPU__EU_ELEMENT_ABS && v->mode != NPU__EU_ELEMENT_CLZ;
    v->scalar = v->swap = 0;
    NPU__EU_TRY(npu__eu_op_ifm(d, op, op->ofm.h, op->ofm.w, op->ofm.c));
    if (v->binary) NPU__EU_TRY(npu__eu_element_second(d, v));
    NPU__EU_TRY(npu__eu_element_scaling(d, v));
    /* bounded: 16 bits each */
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)op->ofm.h * (uint64_t)op->ofm.w, (uint64_t)op->ofm.c, 4));
    v->a = (int32_t *)npu__eu_take(d, NPU__EU_STRETCH, sizeof *v->a);
    v->b = (int32_t *)npu__eu_take(d, NPU__EU_STRETCH, sizeof *v->b);
    v->out = (int32_t *)npu__eu_take(d, NPU__EU_STRETCH, sizeof *v->out);
    v->wide = (int64_t *)npu__eu_take(d, NPU__EU_STRETCH, sizeof *v->wide);
    return npu__eu_taken(d);
}

NPU__FN npu_status npu__eu_do_elementwise(npu__eu_dev *d, uint32_t mode) {
    npu__eu_element v;
    int32_t         n_c, n_x;
    v.mode = mode;
    NPU__EU_TRY(npu__eu_element_open(d, &v));
    if (!d->run) return NPU_OK;
    for (int32_t i = 0; v.scalar && i < NPU__EU_STRETCH; i++) v.b[i] = v.scalar_value;
    n_c = NPU__MIN(v.op.ofm.c, NPU__EU_STRETCH);
    n_x = NPU__EU_STRETCH / n_c;
    for (int32_t y = 0; y < v.op.ofm.h; y++) {
        for (int32_t x = 0; x < v.op.ofm.w; x += n_x) {
            for (int32_t c = 0; c < v.op.ofm.c; c += n_c) {
                int32_t wide = NPU__MIN(n_x, v.op.ofm.w - x), deep = NPU__MIN(n_c, v.op.ofm.c - c);
                npu__eu_stretch(&v, y, x, wide, c, deep);
                NPU__EU_POLL(d, wide * deep * 8); /* bounded: NPU__EU_STRETCH */
            }
        }
    }
    return NPU_OK;
}

#endif
NPU__SPEED_END
