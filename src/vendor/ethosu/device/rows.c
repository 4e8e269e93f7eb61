/* Rows of a convolution's input. */
#include "exec.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

enum { NPU__EU_ROW_PIECE = 1 << 16 }; /* elements that are read between two polls, but one pixel at least */

NPU__FN npu_status npu__eu_rows_open(npu__eu_dev *d, npu__eu_rows *r, const npu__eu_op *op, uint64_t passes) {
    uint64_t width = (uint64_t)op->up_w + (uint64_t)op->pad_left + (uint64_t)op->pad_right;
    uint64_t pitch = width * (uint64_t)op->ifm.c + 16; /* bounded: 2^21 * 2^16 */
    uint64_t reads = NPU__MIN((uint64_t)op->up_h, (uint64_t)op->ofm.h * (uint64_t)op->kh); /* bounded: 2^16 * 2^16 */
    r->d = d;
    r->op = op;
    r->n = (op->kh - 1) * op->dilation_y + 1; /* bounded: NPU__EU_MAX_CONV_ROWS */
    r->pitch = (size_t)pitch;
    NPU__EU_TRY(npu__eu_spend(d, pitch, reads, op->upscale ? 2 * passes : passes)); /* bounded: 2 * 2^16 */
    NPU__EU_TRY(npu__eu_spend(d, pitch, (uint64_t)r->n + 1, 1));
    r->blank = (int16_t *)npu__eu_take(d, pitch, sizeof *r->blank);
    r->rows = (int16_t *)npu__eu_take(d, pitch * (uint64_t)r->n, sizeof *r->rows); /* bounded: 2^38 * 2^6 */
    r->temp = (int16_t *)npu__eu_take(d, op->upscale ? pitch : 0, sizeof *r->temp);
    NPU__EU_TRY(npu__eu_taken(d));
    if (!d->run) return NPU_OK;
    for (int32_t i = 0; i < r->n; i++) r->held[i] = -1;
    NPU__EU_TRY(npu__eu_blank(d, r->blank, r->pitch));
    return npu__eu_blank(d, r->rows, r->pitch * (size_t)r->n); /* padding columns stay like this; bounded: was taken */
}

/* All of row `y` as it is stored, to `out`. */
NPU__FN int npu__eu_row_read(npu__eu_rows *r, int32_t y, int16_t *out) {
    const npu__eu_fm *f = &r->op->ifm;
    int32_t           piece = NPU__MAX(1, NPU__EU_ROW_PIECE / f->c), n;
    for (int32_t x = 0; x < f->w; x += n) {
        n = NPU__MIN(piece, f->w - x);
        npu__eu_fm_load16(f, y, x, n, f->zero, out + (size_t)x * (size_t)f->c); /* bounded: less than the pitch */
        if (npu__eu_polled(&r->d->poll, n * f->c)) return 0; /* bounded: a piece, or 65536 */
    }
    return 1;
}

NPU__FN const int16_t *npu__eu_row(npu__eu_rows *r, int32_t y) {
    const npu__eu_op *op = r->op;
    int32_t           slot;
    size_t            c = (size_t)op->ifm.c;
    int16_t          *row, *first;
    if (y < 0 || y >= op->up_h || (op->upscale == NPU__EU_UPSCALE_ZEROS && y % 2)) return r->blank;
    slot = y % r->n;
    row = r->rows + (size_t)slot * r->pitch; /* bounded: was taken */
    if (r->held[slot] == y) return row;
    r->held[slot] = y;
    first = row + (size_t)op->pad_left * c; /* bounded: less than the pitch */
    if (!op->upscale) return npu__eu_row_read(r, y, first) ? row : NULL;
    if (!npu__eu_row_read(r, y / 2, r->temp)) return NULL;
    for (int32_t x = 0; x < op->up_w; x++) {
        if (op->upscale == NPU__EU_UPSCALE_ZEROS && x % 2) continue; /* blank since the start */
        /* bounded: less than the pitch */
        memcpy(first + (size_t)x * c, r->temp + (size_t)(x / 2) * c, c * sizeof *row);
        if (npu__eu_polled(&r->d->poll, op->ifm.c / 8)) return NULL;
    }
    return row;
}

#endif
NPU__SPEED_END
