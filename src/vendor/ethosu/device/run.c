/* The loop over commands. Checking and running are one walk: a check stops each operation where its work begins. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

/* ---- memory and limits ---- */

NPU__FN void *npu__eu_take(npu__eu_dev *d, uint64_t n, size_t elem_bytes) {
    uint64_t at = d->used, left = NPU__EU_MAX_WORK - at;
    if (n > left / elem_bytes || n * elem_bytes + 16 > left) { /* bounded: just checked */
        d->short_of_work = 2;
        return NULL;
    }
    d->used = (at + n * elem_bytes + 15) / 16 * 16; /* bounded: just checked */
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
                            "up to here the stream asks for more than %l multiplications and other steps",
                            (int64_t)NPU__EU_MAX_STEPS);
    }
    d->steps += a * b * c; /* bounded: just checked */
    return NPU_OK;
}

NPU__FN int npu__eu_ask(npu__eu_poll *poll) {
    int64_t steps = poll->since;
    if (steps >= INT64_MAX / 2) return 1; /* it said so before */
    poll->since = poll->fn && poll->fn(poll->user, steps) ? INT64_MAX / 2 : 0;
    return poll->since != 0;
}

NPU__FN npu_status npu__eu_blank(npu__eu_dev *d, int16_t *p, size_t n) {
    for (size_t done = 0, piece; done < n; done += piece) {
        piece = NPU__MIN(n - done, (size_t)1 << 18);
        memset(p + done, 0, piece * sizeof *p); /* bounded: a piece */
        NPU__EU_POLL(d, piece / 4);
    }
    return NPU_OK;
}

/* Without its sign. */
NPU__INLINE uint64_t npu__eu_size(int64_t v) { return v < 0 ? 0u - (uint64_t)v : (uint64_t)v; }

NPU__FN npu_status npu__eu_reach(npu__eu_dev *d, int32_t region, const npu__eu_span *span, int write, const char *what,
                                 uint8_t **mem) {
    char hex_first[20], hex_end[20];
    if (region < 0 || region > 7) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.region", "%s is in region %d; there are 0 to 7", what,
                            region);
    }
    if (span->wrapped) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.address", "%s reaches further than addresses do", what);
    }
    if (span->first < 0 || (uint64_t)span->end > d->regions[region].bytes) { /* first <= end, however it was made */
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.address",
                            "%s reaches from byte %s%s to %s%s of region %d, which has %z", what,
                            span->first < 0 ? "-" : "", npu__eu_hex(hex_first, npu__eu_size(span->first)),
                            span->end < 0 ? "-" : "", npu__eu_hex(hex_end, npu__eu_size(span->end)), region,
                            (size_t)d->regions[region].bytes);
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

/* What a command costs beside its loops, in steps: reading it, and what each operation opens. */
enum { NPU__EU_COMMAND_STEPS = 16, NPU__EU_OPERATION_STEPS = 512 };

NPU__FN npu_status npu__eu_step(npu__eu_dev *d, const npu__eu_command *c) {
    int     sets = c->code >= NPU__EU_SET_IFM_PAD_TOP;
    int64_t steps = sets ? NPU__EU_COMMAND_STEPS : NPU__EU_OPERATION_STEPS;
    d->used = NPU__EU_LUT_BYTES;
    d->short_of_work = 0;
    NPU__EU_TRY(npu__eu_spend(d, (uint64_t)steps, 1, 1));
    NPU__EU_POLL(d, steps);
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

NPU__FN npu_status npu__eu_check(const npu__eu_payload *p, const npu__eu_region regions[8], npu__eu_need *need,
                                 npu__eu_error *err) {
    return npu__eu_check_for(sizeof(void *), p, regions, need, err);
}

NPU__FN npu_status npu__eu_check_for(size_t word, const npu__eu_payload *p, const npu__eu_region regions[8],
                                     npu__eu_need *need, npu__eu_error *err) {
    npu__eu_dev d;
    memset(&d, 0, sizeof d);
    d.pointer_bytes = word;
    d.p = p;
    d.regions = regions;
    d.err = err;
    d.most = NPU__EU_LUT_BYTES;
    NPU__EU_TRY(npu__eu_walk(&d));
    need->work_bytes = (size_t)d.most + 15; /* to align it */
    need->steps = (int64_t)d.steps;
    need->macs = (int64_t)d.macs;
    return NPU_OK;
}

/* Is the memory to work in apart from all that a stream can write? */
NPU__FN int npu__eu_apart(const npu__eu_region regions[8], const void *work, size_t work_bytes) {
    uintptr_t at = (uintptr_t)work;
    for (int i = 0; i < 8; i++) {
        uintptr_t base = (uintptr_t)regions[i].base;
        if (!regions[i].writable || !regions[i].base) continue;
        if (at < base ? work_bytes > base - at : regions[i].bytes > at - base) return 0;
    }
    return 1;
}

NPU__FN npu_status npu__eu_run(const npu__eu_payload *p, const npu__eu_region regions[8], void *work, size_t work_bytes,
                               npu__eu_poll *poll, npu__eu_error *err) {
    npu__eu_dev d;
    size_t      skip = (size_t)(0u - (uintptr_t)work) & 15u;
    memset(&d, 0, sizeof d);
    d.p = p;
    d.regions = regions;
    d.err = err;
    d.run = 1;
    if (poll) d.poll = *poll;
    if (!work || work_bytes < NPU__EU_LUT_BYTES + 15 || !npu__eu_apart(regions, work, work_bytes)) {
        d.word = -1;
        npu__eu_error_clear(err);
        return NPU__EU_FAIL(&d, NPU_INVALID_ARGUMENT, "ethos_u.work",
                            "%z bytes of working memory are not enough, or a region contains them", work_bytes);
    }
    d.work = (uint8_t *)work + skip;
    d.work_bytes = work_bytes - skip;
    d.pointer_bytes = sizeof(void *);
    d.lut = d.work;
    memset(d.lut, 0, NPU__EU_LUT_BYTES);
    return npu__eu_walk(&d);
}

#undef NPU__EU_FAIL
#undef NPU__EU_POLL
#undef NPU__EU_TRY

#endif
