/* Weights, biases and scales of a convolution: where they are, and what is in them. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

#define NPU__EU_SCALE_BYTES 10 /* 40 bits of bias, 32 of scale, 6 of shift */

/* Order of the weights of one core. */
NPU__FN void npu__eu_kernel_order(npu__eu_dev *d, npu__eu_kernel *k, const npu__eu_op *op, int depthwise,
                                  int32_t core) {
    uint32_t        stride = (uint32_t)npu__eu_reg(d, NPU__EU_SET_KERNEL_STRIDE);
    int             part = !depthwise && npu__eu_field(stride, NPU__EU_F_SET_KERNEL_STRIDE_TRAVERSAL);
    int32_t         sub = npu__eu_field(stride, NPU__EU_F_SET_KERNEL_STRIDE_SUB_4X4) ? 4 : 8;
    npu__eu_worder *o = &k->order[core];
    o->ofm_depth = (op->ofm.c + k->cores - 1 - core) / k->cores;
    o->ifm_depth = op->ifm.c;
    o->kh = op->kh;
    o->kw = op->kw;
    o->ofm_block = k->block / k->cores;
    o->ofm_ublock = d->p->config.macs == 32 ? 4 : 8;
    o->ifm_block = part || op->ifm.bytes == 2 ? 16 : 32;
    o->sub_h = sub / op->dilation_y;
    o->sub_w = sub / op->dilation_x;
    o->part_kernel = part;
    o->depthwise = depthwise;
    o->round = depthwise ? 4 : !part ? 1 : op->ifm.bytes == 2 ? 2 : 4;
}

/* What the hardware multiplies: 8 bits less a zero point of their own range, or int16. Sums are whole numbers: no
 * compiler asks for the 16-bit floats. */
NPU__FN npu_status npu__eu_kernel_input(npu__eu_dev *d, const npu__eu_fm *f) {
    int32_t lo = f->is_signed ? -128 : 0, acc = npu__eu_reg(d, NPU__EU_SET_ACC_FORMAT);
    if (acc > NPU__EU_ACC_FORMAT_INT40) {
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.accumulator", "accumulators of format %d are not known", acc);
    }
    if (f->bytes > 2 || (f->bytes == 2 && !f->is_signed)) {
        /* bounded: 4 bytes */
        return NPU__EU_FAIL(d, NPU_UNSUPPORTED, "ethos_u.precision", "a convolution cannot read %s input of %d bits",
                            f->is_signed ? "a signed" : "an unsigned", f->bytes * 8);
    }
    if (f->bytes == 2 ? f->zero != 0 : f->zero < lo || f->zero > lo + 255) {
        /* bounded: 4 bytes */
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.zero_point",
                            "zero point %d does not suit an input of %d bits", f->zero, f->bytes * 8);
    }
    return NPU_OK;
}

/* Ranges of one core in their regions. */
NPU__FN npu_status npu__eu_kernel_reach(npu__eu_dev *d, npu__eu_kernel *k, int32_t core) {
    int      base = core ? NPU__EU_SET_WEIGHT1_BASE : NPU__EU_SET_WEIGHT_BASE;
    int      scale_base = core ? NPU__EU_SET_SCALE1_BASE : NPU__EU_SET_SCALE_BASE;
    int64_t  at = (int64_t)npu__eu_reg_wide(d, base), bytes = (int64_t)npu__eu_reg_wide(d, base + 1);
    int64_t  scale_at = (int64_t)npu__eu_reg_wide(d, scale_base);
    int64_t  scale_bytes = (int64_t)npu__eu_reg_wide(d, scale_base + 1);
    int64_t  need = (int64_t)k->order[core].ofm_depth * NPU__EU_SCALE_BYTES;
    uint8_t *weights, *scales;
    npu__eu_span of_weights, of_scales;
    memset(&of_weights, 0, sizeof of_weights);
    memset(&of_scales, 0, sizeof of_scales);
    if (need == 0) return NPU_OK; /* fewer channels than cores */
    bytes &= (int64_t)UINT32_MAX;
    scale_bytes &= (int64_t)UINT32_MAX;
    npu__eu_span_add(&of_weights, at, bytes, NULL, 0);
    NPU__EU_TRY(npu__eu_reach(d, npu__eu_reg(d, NPU__EU_SET_WEIGHT_REGION), &of_weights, 0, "the weights", &weights));
    if (scale_bytes < need) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.scales",
                            "%l bytes of biases and scales are not enough for %d channels", scale_bytes,
                            k->order[core].ofm_depth);
    }
    npu__eu_span_add(&of_scales, scale_at, need, NULL, 0);
    NPU__EU_TRY(npu__eu_reach(d, npu__eu_reg(d, NPU__EU_SET_SCALE_REGION), &of_scales, 0, "biases and scales",
                              &scales));
    /* what is decoded, what is read for it, and what padding in the stream takes */
    NPU__EU_TRY(npu__eu_spend(d, npu__eu_weights_count(&k->order[core]), 2, 1));
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)bytes, 4, 1));
    if (!d->run) return NPU_OK;
    k->scales[core] = scales + scale_at;
    npu__eu_wstream_open(&k->stream[core], weights + at, (size_t)bytes, &d->poll);
    return NPU_OK;
}

NPU__FN void npu__eu_kernel_scales(const npu__eu_kernel *k, npu__eu_op *op) {
    npu__eu_out *o = &op->out;
    for (int32_t c = 0; c < op->ofm.c; c++) {
        /* bounded: inside of the span */
        const uint8_t *p = k->scales[c % k->cores] + (size_t)(c / k->cores) * NPU__EU_SCALE_BYTES;
        uint64_t       bias = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
        o->bias[c] = (int64_t)bias + (int64_t)(int8_t)p[4] * ((int64_t)1 << 32);
        o->channel_scale[c] = (uint32_t)p[5] | (uint32_t)p[6] << 8 | (uint32_t)p[7] << 16 | (uint32_t)p[8] << 24;
        o->channel_shift[c] = p[9] & 63;
        if (!o->scaled) continue;
        o->channel_scale[c] = o->scale;
        o->channel_shift[c] = (uint8_t)o->shift;
    }
}

NPU__FN npu_status npu__eu_kernel_open(npu__eu_dev *d, npu__eu_kernel *k, npu__eu_op *op, int depthwise) {
    npu__eu_out *o = &op->out;
    int          parallel = npu__eu_reg(d, NPU__EU_SET_PARALLEL_MODE);
    uint64_t     n = (uint64_t)op->ofm.c;
    memset(k, 0, sizeof *k);
    k->cores = parallel ? 2 : 1;
    k->block = npu__eu_reg(d, NPU__EU_SET_OFM_BLK_DEPTH_M1) + 1;
    if (parallel > NPU__EU_PARALLEL_DEPTH || k->cores > d->p->config.cores) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.parallel", "parallel mode %d on a processor of %d core(s)",
                            parallel, d->p->config.cores);
    }
    if (k->block % (d->p->config.macs == 32 ? 4 : 8) || k->block > 128) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.block", "an output block cannot have %d channels", k->block);
    }
    /* bounded: the kernel spans 65536 elements */
    if ((op->kh - 1) * op->dilation_y >= NPU__EU_MAX_CONV_ROWS || op->kh * op->kw > 4096) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.kernel", "a convolution cannot have a kernel of %d x %d",
                            op->kh, op->kw);
    }
    NPU__EU_TRY(npu__eu_kernel_input(d, &op->ifm));
    for (int32_t core = 0; core < k->cores; core++) {
        npu__eu_kernel_order(d, k, op, depthwise, core);
        NPU__EU_TRY(npu__eu_kernel_reach(d, k, core));
    }
    o->bias = (int64_t *)npu__eu_take(d, n, sizeof *o->bias);
    o->channel_scale = (uint32_t *)npu__eu_take(d, n, sizeof *o->channel_scale);
    o->channel_shift = (uint8_t *)npu__eu_take(d, n, sizeof *o->channel_shift);
    NPU__EU_TRY(npu__eu_taken(d));
    if (d->run) npu__eu_kernel_scales(k, op);
    return NPU_OK;
}

NPU__FN npu_status npu__eu_kernel_decode(npu__eu_dev *d, npu__eu_kernel *k, int32_t c, int32_t n, int16_t *dst,
                                         size_t step_c, size_t step_y, size_t step_x) {
    npu__eu_wplace to;
    to.dst = dst;
    to.step_c = step_c;
    to.step_y = step_y;
    to.step_x = step_x;
    to.stride = k->cores;
    for (int32_t block = 0; block < n; block += k->block) {
        for (int32_t core = 0; core < k->cores; core++) {
            int32_t z = (c + block) / k->cores;
            to.first = block + core;
            if (z >= k->order[core].ofm_depth) continue;
            if (npu__eu_weights_block(&k->stream[core], &k->order[core], z, &to)) continue;
            NPU__EU_POLL(d, 0);
            return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.weights",
                                "the weight stream of core %d is malformed or ends early", core);
        }
    }
    return NPU_OK;
}

#undef NPU__EU_SCALE_BYTES

#endif
