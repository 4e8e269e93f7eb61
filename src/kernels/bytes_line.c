/* Tables of bytes that are one line through the zero points, with bounds: QUANTIZE, RELU. */
#include "bytes.h"

#define NPU__LINE_LO 7                    /* bits of the factor's lower part */
#define NPU__LINE_MOST ((int64_t)1 << 22) /* the factor is below: its upper part is an int16 */
#define NPU__LINE_SHIFT 22                /* at most: then sums are within an int32 */

/* The factors with which all results are right: [least, most]. */
typedef struct npu__line_range {
    int64_t least, most;
} npu__line_range;

/* Of (d * factor + c) >> shift within [lo, hi], d > 0. */
NPU__INLINE void npu__line_narrow(npu__line_range *r, int64_t d, int64_t lo, int64_t hi) {
    const int64_t up = lo > 0 ? (lo + d - 1) / d : 0; /* a factor is not negative */
    r->least = NPU__MAX(r->least, up);
    r->most = NPU__MIN(r->most, hi < 0 ? -1 : hi / d);
}

/* What the table wants of the input's byte x, as int8. */
typedef struct npu__line_want {
    const uint8_t         *table;
    const npu__bytes_line *l;
} npu__line_want;
NPU__INLINE int32_t npu__line_want_at(const npu__line_want *w, int32_t x) {
    return (int8_t)(w->table[(x ^ w->l->flip_in) & 255] ^ w->l->flip_out);
}

/* False: no factor does. Halves, and the fixed-point product that is rounded before, are rounded alike on both sides of zero: so the line
 * is that of distances from the zero points. A result that is a bound may be beyond it. */
NPU__FN int npu__line_factor(const npu__line_want *w, npu__line_range *r) {
    const npu__bytes_line *l = w->l;
    const int64_t          one = (int64_t)1 << l->shift, far = (int64_t)1 << 40;
    r->least = 0;
    r->most = NPU__LINE_MOST - 1;
    for (int32_t x = -128; x < 128 && r->least <= r->most; x++) {
        const int32_t d = x - l->in_zp, v = npu__line_want_at(w, x), y = d < 0 ? l->out_zp - v : v - l->out_zp;
        const int     over = v == (d < 0 ? l->least : l->most), under = v == (d < 0 ? l->most : l->least);
        if (d) npu__line_narrow(r, d < 0 ? -d : d, under ? 0 : y * one - l->c, over ? far : (y + 1) * one - 1 - l->c);
    }
    return r->least <= r->most;
}

NPU__FN int npu__bytes_line_of(const uint8_t *table, int in_signed, int out_signed, int32_t zero_point, npu__bytes_line *l) {
    npu__line_want  w;
    npu__line_range r;
    int32_t         farthest = 0, rise = 0;
    w.table = table;
    w.l = l;
    memset(l, 0, sizeof *l);
    l->flip_in = in_signed ? 0 : 0x80;
    l->flip_out = out_signed ? 0 : 0x80;
    l->in_zp = zero_point - (in_signed ? 0 : 128);
    if (l->in_zp < -128 || l->in_zp > 127) return 0;
    l->out_zp = npu__line_want_at(&w, l->in_zp);
    l->least = l->most = l->out_zp;
    for (int32_t x = -128; x < 128; x++) {
        l->least = NPU__MIN(l->least, npu__line_want_at(&w, x));
        l->most = NPU__MAX(l->most, npu__line_want_at(&w, x));
    }
    for (int32_t x = -128; x < 128; x++) { /* the slope: by the result farthest away that is no bound */
        const int32_t d = x < l->in_zp ? l->in_zp - x : x - l->in_zp, v = npu__line_want_at(&w, x);
        if (v == l->least || v == l->most || d <= farthest) continue;
        farthest = d;
        rise = v < l->out_zp ? l->out_zp - v : v - l->out_zp;
    }
    for (l->shift = NPU__LINE_SHIFT; l->shift > 8 && ((int64_t)(rise + 1) << l->shift) > NPU__LINE_MOST * NPU__MAX(farthest, 1);) l->shift--;
    /* Halves up; what the reference has rounded before, to 2^-right of the output's unit, has crossed them a little earlier. */
    for (int32_t right = 0; right < 10; right++) {
        const int32_t one = (int32_t)1 << l->shift;
        uint32_t      factor;
        l->c = one / 2 + (right ? one >> (right + 1) : 0);
        if (!npu__line_factor(&w, &r)) continue;
        /* The middle, or next to the only bound. */
        factor = (uint32_t)(r.most == NPU__LINE_MOST - 1 ? r.least : (r.least + r.most) / 2);
        l->pair = (int32_t)((factor & ((1u << NPU__LINE_LO) - 1)) << 16 | factor >> NPU__LINE_LO);
        return 1;
    }
    return 0;
}

NPU__FN void npu__bytes_map_make(const npu__bytes *kern, int in_signed, int out_signed, int32_t zero_point, npu__bytes_map *map) {
    npu__bytes_line line;
    map->is_line = kern->line && npu__bytes_line_of(map->as.table, in_signed, out_signed, zero_point, &line);
    if (map->is_line) map->as.line = line;
}
