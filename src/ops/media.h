/* What the operators of MediaPipe's networks share. They are custom operators: options are either a packed struct (TFLite's own, of
 * its builtin's parameters) or a flexbuffer, and some have two versions: the operator's, in the file. */
#ifndef NPU__OPS_MEDIA_H
#define NPU__OPS_MEDIA_H

#include "../tflite/flexbuf.h"
#include "util.h"

/* Number `i` of a packed struct of int32, in the file's byte order. */
NPU__INLINE int32_t npu__media_word(const npu__ctx *c, size_t i) { return npu__rd_i32(c->node->custom + 4 * i); }

NPU__HEADER_FN npu_status npu__media_need_words(npu__ctx *c, size_t n) {
    if (c->node->custom_bytes / 4 >= n) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "media.options", "the custom options must have %z numbers: got %z bytes", n,
                     c->node->custom_bytes);
}

/* TfLitePadding's codes: 1 SAME, 2 VALID. */
NPU__HEADER_FN npu_status npu__media_padding(npu__ctx *c, int32_t code, int32_t *padding) {
    *padding = code == 1 ? NPU__PAD_SAME : NPU__PAD_VALID;
    if (code == 1 || code == 2) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "media.padding", "padding must be 1 (SAME) or 2 (VALID): got %d", code);
}

NPU__INLINE npu__flex npu__media_option(const npu__ctx *c, const char *key) {
    return npu__flex_get(npu__flex_root(c->node->custom, c->node->custom_bytes), key);
}

/* The second version: by the operator's, or by its name. */
NPU__HEADER_FN int npu__media_is_v2(const npu__ctx *c) {
    const npu__str name = c->node->custom_name;
    return c->node->version >= 2 || (name.n > 2 && name.p[name.n - 2] == 'V' && name.p[name.n - 1] == '2');
}

NPU__HEADER_FN npu_status npu__media_need_f32(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_in; i++) NPU__TRY(npu__need_type(c, c->in[i], "an input", NPU_FLOAT32));
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__need_type(c, c->out[i], "an output", NPU_FLOAT32));
    return NPU_OK;
}

#endif
