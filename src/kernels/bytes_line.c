/* Tables of bytes that are one line or two, with bounds: QUANTIZE, RELU and its kin, ABS, sums with and products by one value.
 *
 * What bytes.h computes is floor((256 * x * factor + offset) / one), with one = 2^(15 + shift), exactly: roundings of sums with integers
 * within each other are one. So it is a question of a slope and an offset that are right for all x, and as one result is either
 * too low or too high for an offset, there is a range of offsets for each factor, [least, most]: largest, as a function of the factor,
 * where a step in either direction makes it smaller. */
#include "bytes.h"

#define NPU__LINE_BITS 15

typedef struct npu__line_fit {
    const npu__bytes_line *l;
    int16_t                want[256]; /* by x + 128: the results as int8 */
    int32_t                from, to;  /* of x */
} npu__line_fit;

/* The offsets that a factor leaves, and at which x they end. */
typedef struct npu__line_range {
    int64_t least, most;
    int32_t x_least, x_most;
} npu__line_range;

/* A result that is a bound may be beyond it. */
NPU__INLINE void npu__line_offsets(const npu__line_fit *f, int64_t factor, int64_t one, npu__line_range *r) {
    const int32_t lo = f->l->least, hi = f->l->most;
    r->least = -((int64_t)1 << 40);
    r->most = (int64_t)1 << 40;
    r->x_least = r->x_most = 0;
    for (int32_t x = f->from; x < f->to; x++) {
        const int64_t y = f->want[x + 128], at = 256 * x * factor;
        if (y > lo && y * one - at > r->least) { r->least = y * one - at; r->x_least = x; }
        if (y < hi && (y + 1) * one - 1 - at < r->most) { r->most = (y + 1) * one - 1 - at; r->x_most = x; }
    }
}

/* What the kernels make of x. */
NPU__INLINE int32_t npu__line_product(int32_t a, int32_t b) { return (a * b + (1 << (NPU__LINE_BITS - 1))) >> NPU__LINE_BITS; }
NPU__INLINE int32_t npu__line_at(const npu__bytes_line *l, const npu__bytes_side *s, int32_t x) {
    const int32_t sum = npu__clamp32(npu__line_product(x * 256 + s->low, s->factor) + s->add, INT16_MIN, INT16_MAX);
    return npu__clamp32(npu__line_product(sum, s->last), l->least, l->most);
}
NPU__INLINE int npu__line_holds(const npu__line_fit *f, const npu__bytes_side *s) {
    for (int32_t x = f->from; x < f->to; x++) {
        if (npu__line_at(f->l, s, x) != f->want[x + 128]) return 0;
    }
    return 1;
}

/* Bytes below the input's and a summand that give one of the offsets. */
NPU__INLINE int npu__line_summands(const npu__line_fit *f, const npu__line_range *r, int32_t shift, npu__bytes_side *s) {
    for (s->low = 0; s->low < 256; s->low++) {
        const int64_t known = s->low * (int64_t)s->factor + (1 << (NPU__LINE_BITS - 1)) + ((int64_t)1 << (NPU__LINE_BITS + shift - 1));
        const int64_t add = (r->least - known + ((1 << NPU__LINE_BITS) - 1)) >> NPU__LINE_BITS;
        if (add < INT16_MIN || add > INT16_MAX || add * (1 << NPU__LINE_BITS) + known > r->most) continue;
        s->add = (int32_t)add;
        return npu__line_holds(f, s); /* but for a sum beyond an int16 */
    }
    return 0;
}

/* Of `len` steps that rise by `rise`. */
typedef struct npu__line_slope {
    int32_t rise, len;
} npu__line_slope;

/* With results of `shift` more bits. False: no factor does, or none that is an int16. */
NPU__FN int npu__line_side_at(const npu__line_fit *f, npu__line_slope slope, int32_t shift, npu__bytes_side *s) {
    const int64_t   one = (int64_t)1 << (NPU__LINE_BITS + shift);
    const int32_t   per = 1 << (shift + 7), most = INT16_MAX;
    npu__line_range r;
    int32_t         lo = NPU__MAX((slope.rise - 2) * per / slope.len - 1, -most), hi = NPU__MIN((slope.rise + 2) * per / slope.len + 1, most);
    s->last = 1 << (NPU__LINE_BITS - shift);
    while (lo <= hi) {
        s->factor = lo + (hi - lo) / 2;
        npu__line_offsets(f, s->factor, one, &r);
        if (r.least <= r.most) return npu__line_summands(f, &r, shift, s);
        if (r.x_least > r.x_most) lo = s->factor + 1;
        else if (r.x_least < r.x_most) hi = s->factor - 1;
        else return 0;
    }
    return 0;
}

/* Bent too far for a line: a result between both ends is more than two from where it would be. Most tables that are none end here. */
NPU__INLINE int npu__line_is_bent(const npu__line_fit *f, int32_t first, npu__line_slope slope) {
    const int16_t *want = f->want + 128 + first;
    for (int32_t part = 1; part < 8; part++) {
        const int32_t x = slope.len * part / 8, off = (want[x] - want[0]) * slope.len - slope.rise * x;
        if (off > 2 * slope.len || off < -2 * slope.len) return 1;
    }
    return 0;
}

/* Between the ends of what lies within the bounds, with the largest shift whose factors reach its slope, or, where sums do not reach, the one
 * below. No byte is on an empty side. */
NPU__FN int npu__line_side(const npu__line_fit *f, npu__bytes_side *s) {
    const int16_t  *want = f->want + 128;
    const int32_t   lo = f->l->least, hi = f->l->most;
    int32_t         first = f->from, last = f->to - 1, shift = 8;
    npu__line_slope slope;
    if (first > last) return 1;
    while (first < last && (want[first] == lo || want[first] == hi)) first++;
    while (first < last && (want[last] == lo || want[last] == hi)) last--;
    slope.rise = want[last] - want[first];
    slope.len = NPU__MAX(last - first, 1);
    if (npu__line_is_bent(f, first, slope)) return 0;
    while (shift > 1 && (slope.rise < 0 ? -slope.rise : slope.rise) * (1 << (shift + 7)) >= (slope.len + 1) * (1 << NPU__LINE_BITS)) shift--;
    return npu__line_side_at(f, slope, shift, s) || (shift > 1 && npu__line_side_at(f, slope, shift - 1, s));
}

NPU__FN int npu__bytes_line_of(const uint8_t *table, int in_signed, int out_signed, int32_t zero_point, npu__bytes_line *l) {
    npu__line_fit f;
    memset(l, 0, sizeof *l);
    l->flip_in = in_signed ? 0 : 0x80;
    l->flip_out = out_signed ? 0 : 0x80;
    l->knee = npu__clamp32(zero_point - (in_signed ? 0 : 128), -128, 127);
    l->least = INT8_MAX;
    l->most = INT8_MIN;
    f.l = l;
    for (int32_t x = -128; x < 128; x++) {
        f.want[x + 128] = (int8_t)(table[(x ^ l->flip_in) & 255] ^ l->flip_out);
        l->least = NPU__MIN(l->least, f.want[x + 128]);
        l->most = NPU__MAX(l->most, f.want[x + 128]);
    }
    f.from = -128;
    f.to = 128;
    if (npu__line_side(&f, &l->side[0])) return 1;
    l->is_bent = 1;
    f.to = l->knee;
    if (!npu__line_side(&f, &l->side[0])) return 0;
    f.from = l->knee;
    f.to = 128;
    return npu__line_side(&f, &l->side[1]);
}

NPU__FN void npu__bytes_map_make(const npu__bytes *kern, int in_signed, int out_signed, int32_t zero_point, npu__bytes_map *map) {
    npu__bytes_line line;
    map->is_line = kern->line && npu__bytes_line_of(map->as.table, in_signed, out_signed, zero_point, &line);
    if (map->is_line) map->as.line = line;
}
