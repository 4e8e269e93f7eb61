/* Reading and writing feature maps: pixels are found tile by tile, then runs of elements that lie together convert. */
#include "fm.h"

#if NPU__HAS_EU_DEVICE

/* ---- addresses ---- */

/* The tile that holds (y, x), and (y, x) relative to it. */
NPU__INLINE int npu__eu_fm_tile(const npu__eu_fm *f, int32_t *y, int32_t *x) {
    int right = *x >= f->w0, bottom = *y >= (right ? f->h1 : f->h0);
    if (bottom) *y -= right ? f->h1 : f->h0;
    if (right) *x -= f->w0;
    return right | bottom << 1;
}

/* Channel 0 of a pixel, as an offset in the region. */
NPU__INLINE int64_t npu__eu_fm_at(const npu__eu_fm *f, int32_t y, int32_t x) {
    int tile = npu__eu_fm_tile(f, &y, &x);
    return f->base[tile] + y * f->step_y + x * f->step_x;
}

/* Grows [first, end) by what `n` steps cover. */
NPU__INLINE void npu__eu_span_add(int64_t *first, int64_t *end, int64_t step, int64_t n) {
    if (step < 0) *first += step * n;
    else *end += step * n;
}

NPU__FN void npu__eu_fm_span(const npu__eu_fm *f, int64_t *first, int64_t *end) {
    int32_t low_w = NPU__MIN(f->w, f->w0), rows[4], columns[4];
    rows[0] = NPU__MIN(f->h, f->h0);
    rows[1] = NPU__MIN(f->h, f->h1);
    rows[2] = f->h - rows[0];
    rows[3] = f->h - rows[1];
    columns[0] = columns[2] = low_w;
    columns[1] = columns[3] = f->w - low_w;
    *first = INT64_MAX;
    *end = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t a = f->base[i], b = a;
        if (rows[i] < 1 || columns[i] < 1) continue;
        npu__eu_span_add(&a, &b, f->step_y, rows[i] - 1);
        npu__eu_span_add(&a, &b, f->step_x, columns[i] - 1);
        if (f->blocked && f->c % 16) { /* the last group, which is smaller */
            *first = NPU__MIN(*first, a + f->c / 16 * f->step_c);
            *end = NPU__MAX(*end, b + f->c / 16 * f->step_c + f->c % 16 * f->bytes);
        }
        if (f->blocked && f->c < 16) continue;
        if (f->blocked) npu__eu_span_add(&a, &b, f->step_c, f->c / 16 - 1);
        *first = NPU__MIN(*first, a);
        *end = NPU__MAX(*end, b + (int64_t)f->bytes * (f->blocked ? 16 : f->c));
    }
}

/* ---- runs of elements ---- */

#define NPU__EU_LOAD_LOOP(type)                                                         \
    for (int64_t i = 0; i < n; i++) {                                                   \
        type v;                                                                         \
        memcpy(&v, p + (size_t)i * sizeof v, sizeof v);                                 \
        out[i] = (int32_t)v;                                                            \
    }
NPU__FN void npu__eu_load_run(const uint8_t *p, int32_t bytes, int32_t is_signed, int64_t n, int32_t *out) {
    if (bytes == 4) memcpy(out, p, (size_t)n * 4);
    else if (bytes == 2 && is_signed) { NPU__EU_LOAD_LOOP(int16_t) }
    else if (bytes == 2) { NPU__EU_LOAD_LOOP(uint16_t) }
    else if (is_signed) { NPU__EU_LOAD_LOOP(int8_t) }
    else { NPU__EU_LOAD_LOOP(uint8_t) }
}
#undef NPU__EU_LOAD_LOOP

NPU__FN void npu__eu_load16_run(const uint8_t *p, const npu__eu_fm *f, int64_t n, int32_t zero, int16_t *out) {
    int16_t z = (int16_t)zero;
    if (f->bytes == 2) memcpy(out, p, (size_t)n * 2);
    else if (f->is_signed) for (int64_t i = 0; i < n; i++) out[i] = (int16_t)((int8_t)p[i] - z);
    else for (int64_t i = 0; i < n; i++) out[i] = (int16_t)(p[i] - z);
}

NPU__FN void npu__eu_store_run(uint8_t *p, int32_t bytes, int64_t n, const int32_t *in) {
    if (bytes == 4) {
        memcpy(p, in, (size_t)n * 4);
    } else if (bytes == 2) {
        for (int64_t i = 0; i < n; i++) {
            uint16_t v = (uint16_t)(uint32_t)in[i];
            memcpy(p + 2 * (size_t)i, &v, 2);
        }
    } else {
        for (int64_t i = 0; i < n; i++) p[i] = (uint8_t)(uint32_t)in[i];
    }
}

/* ---- boxes ---- */

/* A run of one pixel: channels from `c` that lie together. Returns how many of `n_c`; *at is their offset. */
NPU__INLINE int32_t npu__eu_fm_run(const npu__eu_fm *f, int64_t pixel, int32_t c, int32_t n_c, int64_t *at) {
    if (!f->blocked) {
        *at = pixel + (int64_t)c * f->bytes;
        return n_c;
    }
    *at = pixel + (c >> 4) * f->step_c + (int64_t)(c & 15) * f->bytes;
    return NPU__MIN(n_c, 16 - (c & 15));
}

/* Do pixels of whole depth follow each other without gaps? */
NPU__INLINE int npu__eu_fm_dense(const npu__eu_fm *f, int32_t n_c) {
    return !f->blocked && n_c == f->c && f->step_x == (int64_t)f->c * f->bytes;
}

/* How many of `n_x` pixels from `x` lie in one tile. */
NPU__INLINE int32_t npu__eu_fm_in_tile(const npu__eu_fm *f, int32_t x, int32_t n_x) {
    return x < f->w0 ? NPU__MIN(n_x, f->w0 - x) : n_x;
}

/* For each run in a box: RUN(offset, elements, where it starts in the box); of whole pixels, WIDE_RUN. */
#define NPU__EU_FM_WALK(WIDE_RUN, RUN)                                                             \
    int32_t done = 0;                                                                              \
    while (done < n_x) {                                                                           \
        int32_t n = npu__eu_fm_in_tile(f, x + done, n_x - done);                                   \
        int64_t pixel = npu__eu_fm_at(f, y, x + done), at;                                         \
        if (npu__eu_fm_dense(f, n_c)) {                                                            \
            WIDE_RUN(pixel, (int64_t)n * n_c, (int64_t)done * n_c);                                \
            done += n;                                                                             \
            continue;                                                                              \
        }                                                                                          \
        for (int32_t i = 0; i < n; i++, done++, pixel += f->step_x) {                              \
            for (int32_t k = 0, run; k < n_c; k += run) {                                          \
                run = npu__eu_fm_run(f, pixel, c + k, n_c - k, &at);                               \
                RUN(at, run, (int64_t)done * n_c + k);                                             \
            }                                                                                      \
        }                                                                                          \
    }

#define NPU__EU_LOAD(at, n, i) npu__eu_load_run(f->mem + (at), f->bytes, f->is_signed, n, out + (i))
NPU__FN void npu__eu_fm_load(const npu__eu_fm *f, int32_t y, int32_t x, int32_t n_x, int32_t c, int32_t n_c,
                             int32_t *out) {
    NPU__EU_FM_WALK(NPU__EU_LOAD, NPU__EU_LOAD)
}
#undef NPU__EU_LOAD

#define NPU__EU_LOAD(at, n, i) npu__eu_load16_run(f->mem + (at), f, n, zero, out + (i))
NPU__FN void npu__eu_fm_load16(const npu__eu_fm *f, int32_t y, int32_t x, int32_t n_x, int32_t zero, int16_t *out) {
    const int32_t c = 0, n_c = f->c;
    NPU__EU_FM_WALK(NPU__EU_LOAD, NPU__EU_LOAD)
}
#undef NPU__EU_LOAD

#define NPU__EU_STORE(at, n, i) npu__eu_store_run(f->mem + (at), f->bytes, n, in + (i))
NPU__FN void npu__eu_fm_store(const npu__eu_fm *f, int32_t y, int32_t x, int32_t n_x, int32_t c, int32_t n_c,
                              const int32_t *in) {
    NPU__EU_FM_WALK(NPU__EU_STORE, NPU__EU_STORE)
}
#undef NPU__EU_STORE
#undef NPU__EU_FM_WALK

#endif
