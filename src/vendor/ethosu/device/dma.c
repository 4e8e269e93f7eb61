/* Copies: between regions, and into the part of SHRAM that holds tables. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_DMA_PIECE = 1 << 20 }; /* bytes that are copied between two polls */

/* One side of a copy: rows of `n` bytes, row_step apart, in planes plane_step apart. */
typedef struct npu__eu_side {
    uint8_t *mem;
    int64_t  at, row_step, plane_step;
} npu__eu_side;

/* The source or, to be written, the target. `reg` is the register of its region. n is below 2^32. */
NPU__FN npu_status npu__eu_dma_side(npu__eu_dev *d, npu__eu_side *s, uint32_t reg, int64_t n, int64_t rows,
                                    int64_t planes, int write) {
    uint32_t       shape = npu__eu_field(reg, NPU__EU_F_SET_DMA0_SRC_REGION_SHAPE);
    int32_t        region = (int32_t)npu__eu_field(reg, NPU__EU_F_SET_DMA0_SRC_REGION_REGION);
    int64_t        lut = d->p->config.shram_bytes - NPU__EU_LUT_BYTES;
    npu__eu_stride strides[2];
    npu__eu_span   span;
    memset(&span, 0, sizeof span);
    s->at = (int64_t)npu__eu_reg_wide(d, write ? NPU__EU_SET_DMA0_DST : NPU__EU_SET_DMA0_SRC);
    s->row_step = n + (shape >= NPU__EU_DMA_2D ? npu__eu_reg_step(d, NPU__EU_SET_DMA0_SKIP0) : 0);
    /* bounded: a step of a row is below 2^40, and rows are counted by 16 bits */
    s->plane_step = s->row_step * rows + (shape >= NPU__EU_DMA_3D ? npu__eu_reg_step(d, NPU__EU_SET_DMA0_SKIP1) : 0);
    strides[0].step = s->row_step;
    strides[0].count = rows;
    strides[1].step = s->plane_step;
    strides[1].count = planes;
    npu__eu_span_add(&span, s->at, n, strides, 2);
    if (!npu__eu_field(reg, NPU__EU_F_SET_DMA0_SRC_REGION_SHRAM)) {
        return npu__eu_reach(d, region, &span, write, write ? "the copy's target" : "the copy's source", &s->mem);
    }
    if (span.wrapped || span.first < lut || span.end > lut + NPU__EU_LUT_BYTES || !write) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.address",
                            "a copy %s bytes %l to %l of SHRAM, which holds tables from %l to %l",
                            write ? "to" : "from", span.first, span.end, lut, lut + NPU__EU_LUT_BYTES);
    }
    s->mem = d->lut;
    s->at -= lut;
    return NPU_OK;
}

/* memmove in pieces: where both ranges overlap, from the end that is not overwritten before it is read. */
NPU__FN npu_status npu__eu_move(npu__eu_dev *d, uint8_t *to, const uint8_t *from, int64_t n) {
    int backwards = (uintptr_t)to > (uintptr_t)from;
    for (int64_t done = 0, piece; done < n; done += piece) {
        size_t at;
        piece = NPU__MIN(n - done, (int64_t)NPU__EU_DMA_PIECE);
        at = (size_t)(backwards ? n - done - piece : done);
        memmove(to + at, from + at, (size_t)piece);
        NPU__EU_POLL(d, piece / 8 + 16);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__eu_do_dma(npu__eu_dev *d) {
    uint32_t     from = (uint32_t)npu__eu_reg(d, NPU__EU_SET_DMA0_SRC_REGION);
    uint32_t     to = (uint32_t)npu__eu_reg(d, NPU__EU_SET_DMA0_DST_REGION), shape;
    int64_t      n = (int64_t)npu__eu_reg_wide(d, NPU__EU_SET_DMA0_LEN), rows = 1, planes = 1;
    npu__eu_side source, target;
    shape = NPU__MAX(npu__eu_field(from, NPU__EU_F_SET_DMA0_SRC_REGION_SHAPE),
                     npu__eu_field(to, NPU__EU_F_SET_DMA0_DST_REGION_SHAPE));
    if (shape > NPU__EU_DMA_3D) {
        return NPU__EU_FAIL(d, NPU_INVALID_MODEL, "ethos_u.dma", "a copy cannot have shape %u", shape);
    }
    if (shape >= NPU__EU_DMA_2D) rows = npu__eu_reg(d, NPU__EU_SET_DMA0_SIZE0);
    if (shape >= NPU__EU_DMA_3D) planes = npu__eu_reg(d, NPU__EU_SET_DMA0_SIZE1);
    if (n == 0 || rows == 0 || planes == 0) return NPU_OK;
    if (n >= (int64_t)1 << 32 || npu__eu_spend(d, (uint64_t)n + 16, (uint64_t)rows, (uint64_t)planes) != NPU_OK) {
        return NPU__EU_FAIL(d, NPU_LIMIT, "ethos_u.limit", "a copy of %l x %l x %l bytes is too large", planes, rows,
                            n);
    }
    NPU__EU_TRY(npu__eu_dma_side(d, &source, from, n, rows, planes, 0));
    NPU__EU_TRY(npu__eu_dma_side(d, &target, to, n, rows, planes, 1));
    for (int64_t plane = 0; d->run && plane < planes; plane++) {
        uint8_t       *t = target.mem + target.at + plane * target.plane_step; /* bounded: inside of the spans */
        const uint8_t *s = source.mem + source.at + plane * source.plane_step; /* bounded: likewise */
        for (int64_t row = 0; row < rows; row++) {
            /* bounded: inside of the spans */
            NPU__EU_TRY(npu__eu_move(d, t + row * target.row_step, s + row * source.row_step, n));
        }
    }
    return NPU_OK;
}

#endif
