/* Reading and writing feature maps: pixels are found tile by tile, then runs of elements that lie together convert. */
#include "fm.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

/* ---- addresses ---- */

/* The tile that holds (y, x), and (y, x) relative to it. */
NPU__INLINE int npu__eu_fm_tile(const npu__eu_fm *f, int32_t *y, int32_t *x) {
    int right = *x >= f->w0, bottom = *y >= (right ? f->h1 : f->h0);
    if (bottom) *y -= right ? f->h1 : f->h0;
    if (right) *x -= f->w0;
    return right | bottom << 1; /* bounded: 0 or 1 */
}

/* Channel 0 of a pixel, as an offset in the region. */
NPU__INLINE int64_t npu__eu_fm_at(const npu__eu_fm *f, int32_t y, int32_t x) {
    int tile = npu__eu_fm_tile(f, &y, &x);
    return f->base[tile] + y * f->step_y + x * f->step_x; /* bounded: inside of the span */
}

NPU__FN void npu__eu_span_add(npu__eu_span *s, int64_t at, int64_t bytes, const npu__eu_stride *strides, int32_t n) {
    int64_t first = at, end = 0;
    int     fits = bytes >= 0 && npu__try_add(at, bytes, &end);
    for (int32_t i = 0; fits && i < n; i++) {
        int64_t *grows = strides[i].step < 0 ? &first : &end;
        fits = npu__try_mad(strides[i].step, strides[i].count - 1, *grows, grows);
    }
    s->wrapped |= !fits;
    s->first = s->n ? NPU__MIN(s->first, first) : first;
    s->end = s->n ? NPU__MAX(s->end, end) : end;
    s->n++;
}

NPU__FN npu__eu_span npu__eu_fm_span(const npu__eu_fm *f) {
    int32_t        low_w = NPU__MIN(f->w, f->w0), groups = f->blocked ? f->c / 16 : 1, rest = f->blocked ? f->c % 16 : 0;
    npu__eu_stride s[3];
    npu__eu_span   span;
    memset(&span, 0, sizeof span);
    for (int i = 0; i < 4; i++) {
        int32_t top = NPU__MIN(f->h, i & 1 ? f->h1 : f->h0); /* rows of the upper tile */
        s[0].step = f->step_y;
        s[0].count = i < 2 ? top : f->h - top;
        s[1].step = f->step_x;
        s[1].count = i & 1 ? f->w - low_w : low_w;
        s[2].step = f->step_c;
        s[2].count = groups;
        if (s[0].count < 1 || s[1].count < 1) continue;
        if (groups) {
            npu__eu_span_add(&span, f->base[i], (int64_t)f->bytes * (f->blocked ? 16 : f->c), s, f->blocked ? 3 : 2);
        }
        if (rest) { /* the last group, which is smaller */
            int64_t at;
            if (!npu__try_mad(f->step_c, groups, f->base[i], &at)) span.wrapped = 1;
            else npu__eu_span_add(&span, at, (int64_t)rest * f->bytes, s, 2);
        }
    }
    return span;
}

/* ---- runs of elements ---- */

#define NPU__EU_LOAD_LOOP(type)                                                         \
    for (int64_t i = 0; i < n; i++) {                                                   \
        type v;                                                                         \
        memcpy(&v, p + (size_t)i * sizeof v, sizeof v);                                 \
        out[i] = (int32_t)v;                                                            \
    }
NPU__FN void npu__eu_load_run(const uint8_t *p, int32_t bytes, int32_t is_signed, int64_t n, int32_t *out) {
    /* bounded, here and below: bytes that lie inside of the span */
    if (bytes == 4) memcpy(out, p, (size_t)n * 4);
    else if (bytes == 2 && is_signed) { NPU__EU_LOAD_LOOP(int16_t) }
    else if (bytes == 2) { NPU__EU_LOAD_LOOP(uint16_t) }
    else if (is_signed) { NPU__EU_LOAD_LOOP(int8_t) }
    else { NPU__EU_LOAD_LOOP(uint8_t) }
}
#undef NPU__EU_LOAD_LOOP

NPU__FN void npu__eu_load16_run(const uint8_t *p, const npu__eu_fm *f, int64_t n, int32_t zero, int16_t *out) {
    int16_t z = (int16_t)zero;
    if (f->bytes == 2) memcpy(out, p, (size_t)n * 2); /* bounded: bytes inside of the span */
    else if (f->is_signed) for (int64_t i = 0; i < n; i++) out[i] = (int16_t)((int8_t)p[i] - z);
    else for (int64_t i = 0; i < n; i++) out[i] = (int16_t)(p[i] - z);
}

NPU__FN void npu__eu_store_run(uint8_t *p, int32_t bytes, int64_t n, const int32_t *in) {
    if (bytes == 4) {
        /* bounded, here and below: bytes that lie inside of the span */
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
        *at = pixel + (int64_t)c * f->bytes; /* bounded: inside of the span */
        return n_c;
    }
    *at = pixel + (c >> 4) * f->step_c + (int64_t)(c & 15) * f->bytes; /* bounded: likewise */
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
NPU__SPEED_END
