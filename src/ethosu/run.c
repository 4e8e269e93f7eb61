/* The loop over commands. Checking and running are one walk: a check stops each operation where its work begins. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

/* ---- memory and limits ---- */

NPU__FN void *npu__eu_take(npu__eu_dev *d, uint64_t n, size_t elem_bytes) {
    uint64_t at = d->used, left = NPU__EU_MAX_WORK - at;
    if (n > left / elem_bytes || n * elem_bytes + 16 > left) {
        d->short_of_work = 2;
        return NULL;
    }
    d->used = (at + n * elem_bytes + 15) / 16 * 16;
    if (d->used > d->most) d->most = d->used;
    if (!d->run) return NULL;
    if (d->used > d->work_bytes) {
        if (!d->short_of_work) d->short_of_work = 1;
        return NULL;
    }
    return d->work + at;
}

NPU__FN npu_status npu__eu_taken(npu__eu_dev *d) {
    if (d->short_of_work == 2) {
        return NPU__EU_FAIL(d, NPU_LIMIT, "ethos_u.limit", "the operation needs more than %d MiB of working memory",
                            (int)(NPU__EU_MAX_WORK >> 20));
    }
    if (d->short_of_work) {
        return NPU__EU_FAIL(d, NPU_INVALID_ARGUMENT, "ethos_u.work", "%z bytes of working memory are not enough",
                            (size_t)d->work_bytes);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__eu_spend(npu__eu_dev *d, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t left = NPU__EU_MAX_STEPS - d->steps;
    if (a && b && c && (a > left || b > left / a || c > left / a / b)) {
        return NPU__EU_FAIL(d, NPU_LIMIT, "ethos_u.limit",
                            "up to here the stream asks for more than %l multiplications", (int64_t)NPU__EU_MAX_STEPS);
    }
    d->steps += a * b * c;
    return NPU_OK;
}

NPU__FN npu_status npu__eu_reach(npu__eu_dev *d, int32_t region, int64_t first, int64_t end, int write,
                                 const char *what, uint8_t **mem) {
    char hex_first[20], hex_end[20];
    if (region < 0 || region > 7) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.region", "%s is in region %d; there are 0 to 7", what,
                            region);
    }
    if (first < 0 || (uint64_t)end > d->regions[region].bytes) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.address",
                            "%s reaches from byte %s%s to %s of region %d, which has %z", what, first < 0 ? "-" : "",
                            npu__eu_hex(hex_first, first < 0 ? 0u - (uint64_t)first : (uint64_t)first),
                            npu__eu_hex(hex_end, (uint64_t)end), region, (size_t)d->regions[region].bytes);
    }
    if (write && !d->regions[region].writable) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.read_only", "%s is in region %d, which cannot be written",
                            what, region);
    }
    *mem = d->run ? d->regions[region].base : NULL;
    if (d->run && !*mem) {
        return NPU__EU_FAIL(d, NPU_INVALID_ARGUMENT, "ethos_u.region", "region %d has no memory", region);
    }
    return NPU_OK;
}

/* ---- commands ---- */

NPU__FN npu_status npu__eu_set(npu__eu_dev *d, const npu__eu_command *c) {
    if (c->code & NPU__EU_FORM_1) {
        d->regs.wide[c->code & ~NPU__EU_FORM_1] = (uint64_t)c->param << 32 | c->payload;
        return NPU_OK;
    }
    if (c->param & npu__eu_reserved_bits(c->code)) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.register", "%s sets bits that mean nothing", c->name);
    }
    d->regs.narrow[c->code - 0x100] = (uint16_t)c->param;
    return NPU_OK;
}

NPU__FN npu_status npu__eu_step(npu__eu_dev *d, const npu__eu_command *c) {
    d->used = NPU__EU_LUT_BYTES;
    d->short_of_work = 0;
    switch (c->code) {
    case NPU__EU_OP_CONV: return npu__eu_do_conv(d);
    case NPU__EU_OP_DEPTHWISE: return npu__eu_do_depthwise(d);
    case NPU__EU_OP_POOL: return npu__eu_do_pool(d, c->param);
    case NPU__EU_OP_ELEMENTWISE: return npu__eu_do_elementwise(d, c->param);
    case NPU__EU_OP_DMA_START: return npu__eu_do_dma(d);
    case NPU__EU_OP_STOP: case NPU__EU_OP_IRQ: case NPU__EU_OP_DMA_WAIT: case NPU__EU_OP_KERNEL_WAIT:
    case NPU__EU_OP_PMU_MASK: return NPU_OK; /* everything is done in order */
    default: return npu__eu_set(d, c);
    }
}

NPU__FN npu_status npu__eu_walk(npu__eu_dev *d) {
    size_t          at = 0;
    npu__eu_command c;
    do {
        NPU__EU_TRY(npu__eu_next(d->p, &at, &c, d->err));
        d->word = (int64_t)c.word;
        NPU__EU_TRY(npu__eu_step(d, &c));
    } while (c.code != NPU__EU_OP_STOP);
    return NPU_OK;
}

NPU__FN npu_status npu__eu_check(const npu__eu_payload *p, const npu__eu_region regions[8], size_t *work_bytes,
                                 npu__eu_error *err) {
    npu__eu_dev d;
    memset(&d, 0, sizeof d);
    d.p = p;
    d.regions = regions;
    d.err = err;
    d.most = NPU__EU_LUT_BYTES;
    NPU__EU_TRY(npu__eu_walk(&d));
    *work_bytes = (size_t)d.most + 15; /* to align it */
    return NPU_OK;
}

NPU__FN npu_status npu__eu_run(const npu__eu_payload *p, const npu__eu_region regions[8], void *work, size_t work_bytes,
                               npu__eu_error *err) {
    npu__eu_dev d;
    size_t      skip = (size_t)(0u - (uintptr_t)work) & 15u;
    memset(&d, 0, sizeof d);
    d.p = p;
    d.regions = regions;
    d.err = err;
    d.run = 1;
    if (!work || work_bytes < NPU__EU_LUT_BYTES + 15) {
        d.word = -1;
        npu__eu_error_clear(err);
        return NPU__EU_FAIL(&d, NPU_INVALID_ARGUMENT, "ethos_u.work", "%z bytes of working memory are not enough",
                            work_bytes);
    }
    d.work = (uint8_t *)work + skip;
    d.work_bytes = work_bytes - skip;
    d.lut = d.work;
    memset(d.lut, 0, NPU__EU_LUT_BYTES);
    return npu__eu_walk(&d);
}

#undef NPU__EU_FAIL
#undef NPU__EU_TRY

#endif
