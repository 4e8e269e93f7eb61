/* String tensors: checking, reading and writing their contents. */
#include "ir.h"
#include "strings.h"

NPU__FN int npu__strings_valid(const uint8_t *p, size_t bytes, int64_t n) {
    int32_t last;
    size_t  head;
    if (!npu__strings_fit(n)) return 0;
    head = npu__strings_head(n);
    if (bytes < head || bytes > NPU__STRINGS_MAX || npu__rd_i32(p) != n) return 0;
    last = (int32_t)head; /* bounded, like all offsets: NPU__STRINGS_MAX */
    for (int64_t i = 0; i <= n; i++) {
        const int32_t at = npu__rd_i32(p + 4 * (i + 1)); /* bounded: inside the head */
        if (at < last) return 0;
        last = at;
    }
    return (size_t)last <= bytes;
}

NPU__FN npu__span npu__strings_at(const void *contents, int64_t i) {
    const uint8_t *p = (const uint8_t *)contents;
    npu__span      s;
    s.p = NULL;
    s.n = 0;
    if (p) {
        const int32_t begin = npu__rd_i32(p + 4 * (i + 1)), end = npu__rd_i32(p + 4 * (i + 2)); /* bounded: inside the head */
        s.p = p + begin;
        s.n = (size_t)(end - begin);
    }
    return s;
}

NPU__FN void npu__strings_start(npu__strings_writer *w, void *to, int64_t n) {
    const int32_t count = (int32_t)n, first = (int32_t)npu__strings_head(n);
    w->to = (uint8_t *)to;
    w->next = 8;
    w->at = (size_t)first;
    memcpy(w->to, &count, 4);
    memcpy(w->to + 4, &first, 4);
}

NPU__FN void npu__strings_add(npu__strings_writer *w, const void *bytes, size_t n) {
    if (n) memcpy(w->to + w->at, bytes, n);
    w->at += n; /* bounded: the caller has room for all of them */
}

NPU__FN void npu__strings_close(npu__strings_writer *w) {
    const int32_t end = (int32_t)w->at;
    memcpy(w->to + w->next, &end, 4);
    w->next += 4;
}

NPU__FN void npu__strings_put(npu__strings_writer *w, const void *bytes, size_t n) {
    npu__strings_add(w, bytes, n);
    npu__strings_close(w);
}

NPU_API size_t npu_strings_pack(void *out, size_t bytes, const char *const *items, const size_t *lengths, size_t count) {
    npu__strings_writer w;
    size_t              total;
    if ((!items && count) || count > NPU__STRINGS_MAX / 4 - 2) return 0;
    total = npu__strings_head((int64_t)count);
    for (size_t i = 0; i < count; i++) {
        const size_t n = lengths ? lengths[i] : items[i] ? strlen(items[i]) : 0;
        if ((n && !items[i]) || n > NPU__STRINGS_MAX - total) return 0;
        total += n; /* bounded: by the line above */
    }
    if (!out || bytes < total) return total;
    npu__strings_start(&w, out, (int64_t)count);
    for (size_t i = 0; i < count; i++) npu__strings_put(&w, items[i], lengths ? lengths[i] : items[i] ? strlen(items[i]) : 0);
    return total;
}

/* Looks at what it is given alone, which need not be valid. */
NPU_API npu_status npu_tensor_string(const npu_tensor *tensor, int64_t k, const char **bytes, size_t *length) {
    const uint8_t *p;
    npu__shape     shape;
    int64_t        n = 0, begin, end;
    if (!tensor || !bytes || !length || tensor->type != NPU_STRING) return NPU_INVALID_ARGUMENT;
    shape.rank = tensor->rank;
    memcpy(shape.dims, tensor->dims, sizeof shape.dims);
    if (!npu__shape_elems(&shape, &n) || k < 0 || k >= n) return NPU_INVALID_ARGUMENT;
    *bytes = "";
    *length = 0;
    p = (const uint8_t *)tensor->data;
    if (!p) return NPU_OK;
    if (!npu__strings_fit(n) || tensor->bytes < npu__strings_head(n)) return NPU_INVALID_ARGUMENT;
    begin = npu__rd_i32(p + 4 * (k + 1)); /* bounded: inside the head */
    end = npu__rd_i32(p + 4 * (k + 2));   /* bounded: likewise */
    if (begin < 0 || end < begin || (uint64_t)end > tensor->bytes) return NPU_INVALID_ARGUMENT;
    *bytes = (const char *)p + begin;
    *length = (size_t)(end - begin);
    return NPU_OK;
}
