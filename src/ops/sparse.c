/* Counts zeros among weights while a layer is planned. */
#include "sparse.h"

#define NPU__SPARSE_LOOKS 1024 /* at weights here and there, before all are counted */

/* Of so many rows, for how many weights it would be worth it, of those it looks at. */
NPU__FN int npu__sparse_maybe(const npu__sparse_f32_kernel *kern, const float *w, int64_t m, int32_t n, int32_t k) {
    const int64_t all = (int64_t)n * k, step = all / NPU__SPARSE_LOOKS | 1; /* odd: not one column's only */
    int64_t       some = 0, looks = 0;
    for (int64_t i = 0; i < all; i += step, looks++) some += w[i] != 0.0f;
    /* An eighth more may be 0 than these say. */
    return npu__sparse_f32_pays(kern, m, n, k, (int64_t)((double)(some * 7 / 8) / (double)looks * (double)all));
}

NPU__FN npu_status npu__sparse_choose(npu__ctx *c, int64_t m, int32_t n, int32_t k, npu__sparse *s) {
    const npu__sparse_f32_kernel *kern = npu__sparse_f32_select(npu__ctx_isa(c));
    const float                  *w = (const float *)c->in[1]->data;
    int64_t                       entries = 0, done = 0;
    s->kern = NULL;
    if (!kern || !npu__sparse_maybe(kern, w, m, n, k) || !npu__may_sum(c, c->in[1]->bytes)) return NPU_OK;
    for (int32_t j = 0; j < n; j++, w += k) {
        entries += npu__sparse_f32_entries(w, k);
        NPU__POLL_PASS(c, done, k);
    }
    if (!npu__sparse_f32_pays(kern, m, n, k, entries) || !npu__sparse_f32_packed_bytes(n, entries, &s->packed) ||
        !npu__sparse_f32_work(k, &s->work)) return NPU_OK;
    s->work = npu__align_up(s->work, 64);
    s->kern = kern;
    return NPU_OK;
}
