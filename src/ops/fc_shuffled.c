/* Weights in blocks become weights in plain order once; the kernels of plain weights do the rest.
 *
 * 16 x 1: [units / 16][depth][16 units], float32.
 * 4 x 16: [units / 4][depth / 16][4 units][16], bytes whose top bit is flipped: read as int8 they are uint8 values less a zero point
 *         of 128. Input uint8 of zero point 128, output int16. Its kernel rounds by the fixed-point multiplier, which plain uint8
 *         layers do not, and leaves the input behind in output 1, flipped likewise: [depth / 16][rows][16]. */
#include "fc_shuffled.h"

NPU__FN npu_status npu__fc_shuffled_infer(npu__ctx *c) {
    const int32_t format = NPU__OPTIONS(c->node, FullyConnectedOptions)->weights_format;
    if (c->n_out == 1) return NPU_OK;
    if (format != NPU__FC_4X16) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "fully_connected.outputs", "only layers with weights of format SHUFFLED4x16INT8 have a "
                         "second output");
    }
    return npu__set_shape(c, 1, &c->in[0]->shape);
}

NPU__FN npu_status npu__fc_shuffled_prepare(npu__ctx *c, npu__fc_data *d) {
    const int32_t   format = NPU__OPTIONS(c->node, FullyConnectedOptions)->weights_format;
    const npu__val *w = c->in[1];
    const int       bytes = format == NPU__FC_4X16 && d->kind == NPU__FC_U8_I16 && d->g.units % 4 == 0 && d->g.depth % 16 == 0;
    const int       floats = format == NPU__FC_16X1 && d->kind == NPU__FC_F32 && d->g.units % 16 == 0;
    if (format == NPU__FC_PLAIN) return NPU_OK;
    if (!bytes && !floats) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "fully_connected.weights_format", "the weights' format %d is not supported for these "
                         "types and weights [%d,%d]: convert the model with the default format", format, d->g.units, d->g.depth);
    }
    if (bytes) {
        if (c->n_out > 1 && c->out[1]->type != NPU_UINT8) return npu__fail_types(c);
        NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
        NPU__TRY(npu__need_quant(c, w, "the weights"));
        if (npu__zero_point(c->in[0]) != 128 || npu__zero_point(w) != 128 || npu__zero_point(c->out[0]) != 0) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "fully_connected.zero_point_shuffled", "weights in blocks of 4 x 16 imply zero points "
                             "of 128 (input and weights) and 0 (output): got %d, %d and %d", npu__zero_point(c->in[0]),
                             npu__zero_point(w), npu__zero_point(c->out[0]));
        }
    }
    d->shuffled = 1;
    d->q.fixed = bytes;
    d->w.packed = npu__can_pack(c, 1);
    d->w.slot = d->w.packed ? npu__want_packed(c, w->bytes) : npu__want_scratch(c, w->bytes);
    return d->w.slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN void npu__fc_shuffled_fill(npu__ctx *c, const npu__fc_data *d) {
    const int64_t units = d->g.units, depth = d->g.depth;
    const void   *from = c->in[1]->data;
    void         *to = npu__slot(c, d->w.slot);
    for (int64_t u = 0; u < units; u++) {
        for (int64_t k = 0; k < depth; k++) {
            if (d->kind == NPU__FC_F32) {
                ((float *)to)[u * depth + k] = ((const float *)from)[u / 16 * 16 * depth + k * 16 + u % 16];
            } else {
                const int64_t at = u / 4 * 4 * depth + k / 16 * 64 + u % 4 * 16 + k % 16;
                ((uint8_t *)to)[u * depth + k] = (uint8_t)(((const uint8_t *)from)[at] ^ 0x80);
            }
        }
    }
}

NPU__FN void npu__fc_shuffled_input(npu__ctx *c, const npu__fc_data *d) {
    const uint8_t *from = (const uint8_t *)c->in[0]->data;
    const int64_t  rows = d->g.rows, depth = d->g.depth;
    if (c->n_out < 2) return;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t k = 0; k < depth; k++) {
            ((uint8_t *)c->out[1]->data)[k / 16 * 16 * rows + r * 16 + k % 16] = (uint8_t)(from[r * depth + k] ^ 0x80);
        }
    }
}
