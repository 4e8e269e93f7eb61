/* From registers to a checked operation. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

/* ---- feature maps ---- */

/* Registers of a map. The first of three tile registers and of four base and three stride registers are named. */
typedef struct npu__eu_fm_regs {
    int         precision, bytes_field, layout_field, zero, tiles, region, bases, steps;
    const char *name;
} npu__eu_fm_regs;

enum { NPU__EU_IFM, NPU__EU_IFM2, NPU__EU_OFM };

NPU__FN const npu__eu_fm_regs *npu__eu_fm_regs_of(int which) {
    static const npu__eu_fm_regs regs[3] = {
#define NPU__X(fm, name)                                                                                          \
    {NPU__EU_SET_##fm##_PRECISION, NPU__EU_F_SET_##fm##_PRECISION_LOG2_BYTES,                                     \
     NPU__EU_F_SET_##fm##_PRECISION_LAYOUT, NPU__EU_SET_##fm##_ZERO_POINT, NPU__EU_SET_##fm##_WIDTH0_M1,          \
     NPU__EU_SET_##fm##_REGION, NPU__EU_SET_##fm##_BASE0, NPU__EU_SET_##fm##_STRIDE_X, name}
        NPU__X(IFM, "the input"), NPU__X(IFM2, "the second input"), NPU__X(OFM, "the output")
#undef NPU__X
    };
    return &regs[which];
}

/* Fills a map of size h * w * c and checks that its elements lie in their region. */
NPU__FN npu_status npu__eu_fm_fill(npu__eu_dev *d, npu__eu_fm *f, int which, int32_t h, int32_t w, int32_t c) {
    const npu__eu_fm_regs *r = npu__eu_fm_regs_of(which);
    uint32_t precision = (uint32_t)npu__eu_reg(d, r->precision), layout = npu__eu_field(precision, r->layout_field);
    uint32_t log2_bytes = npu__eu_field(precision, r->bytes_field);
    npu__eu_span span;
    if (log2_bytes > 2 || layout > NPU__EU_LAYOUT_NHCWB16) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.precision", "%s has elements of 2^%u bytes in layout %u",
                            r->name, log2_bytes, layout);
    }
    f->h = h;
    f->w = w;
    f->c = c;
    f->bytes = 1 << log2_bytes; /* bounded: just checked */
    f->is_signed = (int32_t)(precision & 1u);
    f->blocked = layout == NPU__EU_LAYOUT_NHCWB16;
    f->zero = f->is_signed ? npu__eu_reg_signed(d, r->zero) : npu__eu_reg(d, r->zero);
    f->w0 = npu__eu_reg(d, r->tiles) + 1;
    f->h0 = npu__eu_reg(d, r->tiles + 1) + 1;
    f->h1 = npu__eu_reg(d, r->tiles + 2) + 1;
    for (int i = 0; i < 4; i++) f->base[i] = (int64_t)npu__eu_reg_wide(d, r->bases + i);
    f->step_x = f->blocked ? 16 * f->bytes : npu__eu_reg_step(d, r->steps); /* bounded: 4 bytes */
    f->step_y = npu__eu_reg_step(d, r->steps + 1);
    f->step_c = npu__eu_reg_step(d, r->steps + 2);
    span = npu__eu_fm_span(f);
    return npu__eu_reach(d, npu__eu_reg(d, r->region), &span, which == NPU__EU_OFM, r->name, &f->mem);
}

NPU__FN npu_status npu__eu_op_ifm(npu__eu_dev *d, npu__eu_op *op, int32_t h, int32_t w, int32_t c) {
    return npu__eu_fm_fill(d, &op->ifm, NPU__EU_IFM, h, w, c);
}
NPU__FN npu_status npu__eu_op_ifm2(npu__eu_dev *d, npu__eu_op *op, int32_t h, int32_t w, int32_t c) {
    return npu__eu_fm_fill(d, &op->ifm2, NPU__EU_IFM2, h, w, c);
}

/* ---- the output stage ---- */

/* Bounds of the output's type, or of the one that the activation forces. */
NPU__FN void npu__eu_op_clip(npu__eu_dev *d, npu__eu_op *op, uint32_t clip) {
    static const int32_t bounds[6][2] = {{0, 255}, {-128, 127}, {0, 65535}, {-32768, 32767}, {INT32_MIN, INT32_MAX},
                                         {INT32_MIN, INT32_MAX}};
    npu__eu_out *o = &op->out;
    int          type = (op->ofm.bytes == 4 ? 4 : op->ofm.bytes == 2 ? 2 : 0) + op->ofm.is_signed, lo, hi;
    if (clip == NPU__EU_CLIP_UINT8) type = 0;
    if (clip == NPU__EU_CLIP_INT8) type = 1;
    if (clip == NPU__EU_CLIP_INT16) type = 3;
    o->lo = bounds[type][0];
    o->hi = bounds[type][1];
    if (type >= 4) return; /* the registers cannot express bounds for 32 bits */
    lo = type & 1 ? npu__eu_reg_signed(d, NPU__EU_SET_ACTIVATION_MIN) : npu__eu_reg(d, NPU__EU_SET_ACTIVATION_MIN);
    hi = type & 1 ? npu__eu_reg_signed(d, NPU__EU_SET_ACTIVATION_MAX) : npu__eu_reg(d, NPU__EU_SET_ACTIVATION_MAX);
    o->lo = NPU__MAX(o->lo, lo);
    o->hi = NPU__MIN(o->hi, hi);
    if (clip != NPU__EU_CLIP_OFM && op->ofm.bytes == 1) { /* and still in the output's own type */
        o->lo = NPU__MAX(o->lo, bounds[op->ofm.is_signed][0]);
        o->hi = NPU__MIN(o->hi, bounds[op->ofm.is_signed][1]);
    }
}

/* Which table, if any; 0 for one that cannot be. */
NPU__FN int npu__eu_op_table(npu__eu_op *op, uint32_t function, uint32_t clip) {
    npu__eu_out *o = &op->out;
    int          bits8 = clip == NPU__EU_CLIP_INT8 || clip == NPU__EU_CLIP_UINT8, size;
    o->table = NPU__EU_TABLE_NONE;
    if (function < NPU__EU_ACTIVATION_LUT0) return 1;
    o->table_at = (int32_t)(function - NPU__EU_ACTIVATION_LUT0) * NPU__EU_SLOT_BYTES; /* bounded: a field of 12 bits */
    o->table_signed = clip == NPU__EU_CLIP_OFM ? op->ofm.is_signed : clip != NPU__EU_CLIP_UINT8;
    if (op->ofm.bytes == 1 && o->table_signed == op->ofm.is_signed && clip != NPU__EU_CLIP_INT16) {
        o->table = NPU__EU_TABLE_8;
        size = 256;
    } else if (op->ofm.bytes == 2 && op->ofm.is_signed && !bits8) {
        o->table = NPU__EU_TABLE_16;
        size = 2048;
    } else if (op->ofm.bytes == 4 && bits8) {
        o->table = NPU__EU_TABLE_8_TO_32;
        size = 1024;
    } else {
        return 0;
    }
    return o->table_at + size <= NPU__EU_LUT_BYTES;
}

NPU__FN npu_status npu__eu_op_out(npu__eu_dev *d, npu__eu_op *op) {
    uint32_t precision = (uint32_t)npu__eu_reg(d, NPU__EU_SET_OFM_PRECISION);
    uint32_t activation = (uint32_t)npu__eu_reg(d, NPU__EU_SET_ACTIVATION);
    uint32_t function = npu__eu_field(activation, NPU__EU_F_SET_ACTIVATION_FUNCTION);
    uint32_t clip = npu__eu_field(activation, NPU__EU_F_SET_ACTIVATION_CLIP);
    int      curve = function == NPU__EU_ACTIVATION_TANH || function == NPU__EU_ACTIVATION_SIGMOID;
    int      lut = function >= NPU__EU_ACTIVATION_LUT0 && function <= NPU__EU_ACTIVATION_LUT7;
    int      known_clip = clip == NPU__EU_CLIP_OFM || clip == NPU__EU_CLIP_UINT8 || clip == NPU__EU_CLIP_INT8 ||
                          clip == NPU__EU_CLIP_INT16;
    npu__eu_out *o = &op->out;
    if ((function != NPU__EU_ACTIVATION_CLAMP && !curve && !lut) || !known_clip) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.activation", "activation %u with range %u does not exist",
                            function, clip);
    }
    npu__eu_op_clip(d, op, clip);
    if (!npu__eu_op_table(op, function, clip) || (curve && (op->ofm.bytes != 2 || !op->ofm.is_signed))) {
        /* bounded: 4 bytes */
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.activation",
                            "activation %u with range %u does not fit %s output of %d bits", function, clip,
                            op->ofm.is_signed ? "a signed" : "an unsigned", op->ofm.bytes * 8);
    }
    o->rounding = (int32_t)npu__eu_field(precision, NPU__EU_F_SET_OFM_PRECISION_ROUNDING);
    if (o->rounding > NPU__EU_ROUNDING_NATURAL) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.precision", "rounding %d does not exist", o->rounding);
    }
    o->function = (int32_t)function;
    o->scaled = (int32_t)npu__eu_field(precision, NPU__EU_F_SET_OFM_PRECISION_GLOBAL_SCALE);
    o->scale = npu__eu_reg_scale(d, NPU__EU_SET_OFM_SCALE, &o->shift);
    /* the register may be left over from another operation where the output has 32 bits */
    o->zero = op->ofm.bytes == 4 && o->table == NPU__EU_TABLE_NONE ? 0 : op->ofm.zero;
    o->lut = d->lut;
    return NPU_OK;
}

NPU__FN npu_status npu__eu_op_ofm(npu__eu_dev *d, npu__eu_op *op) {
    uint64_t elements;
    memset(op, 0, sizeof *op);
    NPU__EU_TRY(npu__eu_fm_fill(d, &op->ofm, NPU__EU_OFM, npu__eu_reg(d, NPU__EU_SET_OFM_HEIGHT_M1) + 1,
                                npu__eu_reg(d, NPU__EU_SET_OFM_WIDTH_M1) + 1,
                                npu__eu_reg(d, NPU__EU_SET_OFM_DEPTH_M1) + 1));
    elements = (uint64_t)op->ofm.h * (uint64_t)op->ofm.w * (uint64_t)op->ofm.c; /* bounded: 2^16 each */
    if (elements > d->regions[npu__eu_reg(d, NPU__EU_SET_OFM_REGION)].bytes / (uint64_t)op->ofm.bytes) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.address",
                            "an output of %d x %d x %d does not fit its region: elements share their places",
                            op->ofm.h, op->ofm.w, op->ofm.c);
    }
    NPU__EU_TRY(npu__eu_spend(d, elements, 4, 1)); /* the output stage */
    return npu__eu_op_out(d, op);
}

/* ---- the window ---- */

/* Elements of the kernel that spans `span`; 0 when the dilation does not divide it. */
NPU__INLINE int32_t npu__eu_kernel_size(int32_t span, int32_t dilation) {
    return (span - 1) % dilation == 0 ? (span - 1) / dilation + 1 : 0;
}

NPU__FN npu_status npu__eu_op_window(npu__eu_dev *d, npu__eu_op *op) {
    uint32_t k = (uint32_t)npu__eu_reg(d, NPU__EU_SET_KERNEL_STRIDE);
    int32_t  span_h = npu__eu_reg(d, NPU__EU_SET_KERNEL_HEIGHT_M1) + 1;
    int32_t  span_w = npu__eu_reg(d, NPU__EU_SET_KERNEL_WIDTH_M1) + 1;
    int      up = npu__eu_reg(d, NPU__EU_SET_IFM_UPSCALE);
    /* bounded, here and below: fields of 3 bits; sizes of 16 bits times strides of 4 */
    op->stride_x = (int32_t)(1 + npu__eu_field(k, NPU__EU_F_SET_KERNEL_STRIDE_X_LOW) +
                             2 * npu__eu_field(k, NPU__EU_F_SET_KERNEL_STRIDE_X_HIGH));
    op->stride_y = (int32_t)(1 + npu__eu_field(k, NPU__EU_F_SET_KERNEL_STRIDE_Y_LOW) +
                             2 * npu__eu_field(k, NPU__EU_F_SET_KERNEL_STRIDE_Y_HIGH));
    op->dilation_x = (int32_t)npu__eu_field(k, NPU__EU_F_SET_KERNEL_STRIDE_DILATION_X) + 1;
    op->dilation_y = (int32_t)npu__eu_field(k, NPU__EU_F_SET_KERNEL_STRIDE_DILATION_Y) + 1;
    op->kh = npu__eu_kernel_size(span_h, op->dilation_y);
    op->kw = npu__eu_kernel_size(span_w, op->dilation_x);
    op->pad_top = npu__eu_reg(d, NPU__EU_SET_IFM_PAD_TOP);
    op->pad_left = npu__eu_reg(d, NPU__EU_SET_IFM_PAD_LEFT);
    op->pad_bottom = npu__eu_reg(d, NPU__EU_SET_IFM_PAD_BOTTOM);
    op->pad_right = npu__eu_reg(d, NPU__EU_SET_IFM_PAD_RIGHT);
    op->upscale = up;
    op->up_h = (op->ofm.h - 1) * op->stride_y + span_h - op->pad_top - op->pad_bottom;
    op->up_w = (op->ofm.w - 1) * op->stride_x + span_w - op->pad_left - op->pad_right;
    if (op->kh == 0 || op->kw == 0 || (uint64_t)span_h * (uint64_t)span_w > 65536) { /* bounded: 2^16 each */
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.kernel",
                            "a kernel spanning %d x %d with dilation %d x %d is not possible", span_h, span_w,
                            op->dilation_y, op->dilation_x);
    }
    if (op->pad_top > 255 || op->pad_left > 255 || op->pad_bottom > 255 || op->pad_right > 255 || op->up_h < 1 ||
        op->up_w < 1 || up > NPU__EU_UPSCALE_ZEROS) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.window",
                            "padding %d, %d, %d, %d (top, left, bottom, right) and upscaling %d leave an input of %d x "
                            "%d", op->pad_top, op->pad_left, op->pad_bottom, op->pad_right, up, op->up_h, op->up_w);
    }
    return npu__eu_op_ifm(d, op, up ? (op->up_h + 1) / 2 : op->up_h, up ? (op->up_w + 1) / 2 : op->up_w,
                          npu__eu_reg(d, NPU__EU_SET_IFM_DEPTH_M1) + 1);
}

#endif
