/* Ethos-U predicates about windows: strides, dilations, filters, batches.
 *
 * AVERAGE_POOL_2D's [1, 8] is about SAME padding: VALID has the two wider limits that follow it in the document. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int npu__ethosu_batch(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *v = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL);
    return v && npu__ethosu_number(r, npu__dim(v, 0), got);
}

NPU__FN int npu__ethosu_stride(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    return npu__ethosu_pair(r, w.stride_w, w.stride_h, got);
}

NPU__FN int npu__ethosu_dilation(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    return npu__ethosu_pair(r, w.dil_w, w.dil_h, got);
}

NPU__FN int64_t npu__ethosu_dilated(int32_t filter, int32_t dilation) { return ((int64_t)filter - 1) * dilation + 1; }

NPU__FN int npu__ethosu_dilated_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    return npu__ethosu_number(r, npu__ethosu_dilated(w.k_h, w.dil_h), got);
}

NPU__FN int npu__ethosu_dilated_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    return npu__ethosu_number(r, npu__ethosu_product(npu__ethosu_dilated(w.k_w, w.dil_w),
                                                     npu__ethosu_dilated(w.k_h, w.dil_h)), got);
}

NPU__FN int npu__ethosu_same_filter(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    return w.padding != NPU__PAD_VALID && npu__ethosu_pair(r, w.k_w, w.k_h, got);
}

NPU__FN int npu__ethosu_filter_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, npu__window_of(c).k_h, got);
}

NPU__FN int npu__ethosu_filter_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    return npu__ethosu_number(r, npu__ethosu_product(w.k_w, w.k_h), got);
}

NPU__FN int npu__ethosu_valid_filter_height(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__window_of(c).padding == NPU__PAD_VALID && npu__ethosu_filter_height(r, c, got);
}

NPU__FN int npu__ethosu_valid_filter_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__window_of(c).padding == NPU__PAD_VALID && npu__ethosu_filter_product(r, c, got);
}

/* ---- TRANSPOSE_CONV ---- */

NPU__FN int npu__ethosu_transpose_out(const npu__ctx *c, const npu__window *w, int64_t more_w, int64_t more_h,
                                      npu__got *got) {
    const npu__val *in = npu__ethosu_role(c, NPU__ETHOSU_IFM, NULL), *out = npu__ethosu_role(c, NPU__ETHOSU_OFM, NULL);
    int64_t         want_w, want_h;
    if (!in || !out) return 0;
    want_h = (int64_t)npu__dim(in, 1) * w->stride_h + more_h;
    want_w = (int64_t)npu__dim(in, 2) * w->stride_w + more_w;
    if (npu__dim(out, 1) == want_h && npu__dim(out, 2) == want_w) return 0;
    return npu__got_f(got, "%dx%d to %dx%d instead of %lx%l", npu__dim(in, 2), npu__dim(in, 1), npu__dim(out, 2),
                      npu__dim(out, 1), want_w, want_h);
}

NPU__FN int npu__ethosu_transpose_same(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    (void)r;
    return w.padding != NPU__PAD_VALID && npu__ethosu_transpose_out(c, &w, 0, 0, got);
}

NPU__FN int npu__ethosu_transpose_valid(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    npu__window w = npu__window_of(c);
    int64_t     more_w = (int64_t)w.k_w - w.stride_w, more_h = (int64_t)w.k_h - w.stride_h;
    (void)r;
    return w.padding == NPU__PAD_VALID && npu__ethosu_transpose_out(c, &w, NPU__MAX(more_w, 0), NPU__MAX(more_h, 0), got);
}

#endif
