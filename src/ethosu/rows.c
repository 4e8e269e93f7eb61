/* Rows of a convolution's input. */
#include "exec.h"

#if NPU__HAS_EU_DEVICE

NPU__FN npu_status npu__eu_rows_open(npu__eu_dev *d, npu__eu_rows *r, const npu__eu_op *op) {
    uint64_t width = (uint64_t)op->up_w + (uint64_t)op->pad_left + (uint64_t)op->pad_right;
    uint64_t pitch = width * (uint64_t)op->ifm.c + 16;
    r->op = op;
    r->n = (op->kh - 1) * op->dilation_y + 1;
    r->pitch = (size_t)pitch;
    r->blank = (int16_t *)npu__eu_take(d, pitch, sizeof *r->blank);
    r->rows = (int16_t *)npu__eu_take(d, pitch * (uint64_t)r->n, sizeof *r->rows);
    r->temp = (int16_t *)npu__eu_take(d, op->upscale ? pitch : 0, sizeof *r->temp);
    NPU__EU_TRY(npu__eu_taken(d));
    if (!d->run) return NPU_OK;
    memset(r->blank, 0, (size_t)pitch * sizeof *r->blank);
    memset(r->rows, 0, (size_t)pitch * (size_t)r->n * sizeof *r->rows); /* padding columns stay like this */
    for (int32_t i = 0; i < r->n; i++) r->held[i] = -1;
    return NPU_OK;
}

NPU__FN const int16_t *npu__eu_row(npu__eu_rows *r, int32_t y) {
    const npu__eu_op *op = r->op;
    int32_t           slot, c = op->ifm.c;
    int16_t          *row, *first;
    if (y < 0 || y >= op->up_h || (op->upscale == NPU__EU_UPSCALE_ZEROS && y % 2)) return r->blank;
    slot = y % r->n;
    row = r->rows + (size_t)slot * r->pitch;
    if (r->held[slot] == y) return row;
    r->held[slot] = y;
    first = row + (size_t)op->pad_left * (size_t)c;
    if (!op->upscale) {
        npu__eu_fm_load16(&op->ifm, y, 0, op->up_w, op->ifm.zero, first);
        return row;
    }
    npu__eu_fm_load16(&op->ifm, y / 2, 0, op->ifm.w, op->ifm.zero, r->temp);
    for (int32_t x = 0; x < op->up_w; x++) {
        if (op->upscale == NPU__EU_UPSCALE_ZEROS && x % 2) continue; /* blank since the start */
        memcpy(first + (size_t)x * (size_t)c, r->temp + (size_t)(x / 2) * (size_t)c, (size_t)c * sizeof *row);
    }
    return row;
}

#endif
