/* Decoding weight streams. The stream is hostile: every step either uses up bits or hands out elements, and the caller
 * asks for a bounded number of these. */
#include "weights.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

#define NPU__EU_Z_NONE 6u /* ZDIV of a slice without runs of zeros */
#define NPU__EU_Z_END 7u  /* no slice: the stream goes on, or ends, at the next byte */
#define NPU__EU_W_RAW 7u  /* WDIV of a slice without quotients */

/* ---- bits ---- */

NPU__FN void npu__eu_bits_fill(npu__eu_wstream *s) {
    if (s->end - s->p >= 8) {
        uint64_t next;
        int32_t  bytes = (63 - s->n_bits) >> 3;
        memcpy(&next, s->p, 8);
        s->bits |= next << s->n_bits; /* wraps: the bits that do not fit stay for the next time */
        s->p += bytes;
        s->n_bits += bytes * 8; /* bounded: 64 */
        s->bits &= ((uint64_t)1 << s->n_bits) - 1u; /* bounded: 64 */
    } else {
        while (s->n_bits <= 55 && s->p < s->end) {
            s->bits |= (uint64_t)*s->p++ << s->n_bits; /* bounded: 55 */
            s->n_bits += 8;
        }
    }
}

/* `n` bits, at most 32. Past the end there are zeros, and the stream has failed. */
NPU__INLINE uint32_t npu__eu_bits(npu__eu_wstream *s, int32_t n) {
    uint32_t v;
    if (s->n_bits < n) npu__eu_bits_fill(s);
    v = (uint32_t)(s->bits & (((uint64_t)1 << n) - 1u)); /* bounded: 32 */
    if (s->n_bits < n) {
        s->failed = 1;
        s->bits = 0;
        s->n_bits = 0;
        return v;
    }
    s->bits >>= n;
    s->n_bits -= n;
    return v;
}

NPU__FN void npu__eu_wstream_open(npu__eu_wstream *s, const uint8_t *p, size_t bytes, npu__eu_poll *poll) {
    memset(s, 0, sizeof *s);
    s->poll = poll;
    s->p = p;
    s->end = p + bytes;
}

/* ---- a slice ---- */

NPU__FN void npu__eu_wslice_palette(npu__eu_wstream *s) {
    s->direct_offset = (int32_t)npu__eu_bits(s, 5);
    s->palette_size = (int32_t)npu__eu_bits(s, 5);
    if (s->palette_size > 0) s->palette_size++;
    s->palette_bits = (int32_t)npu__eu_bits(s, 3) + 2;
    for (int32_t i = 0; i < s->palette_size; i++) s->palette[i] = (int16_t)npu__eu_bits(s, s->palette_bits);
}

/* Starts the next slice, or goes on to the next byte, where one may start. False at the end of the stream. */
NPU__FN int npu__eu_wslice_open(npu__eu_wstream *s) {
    uint32_t z = npu__eu_bits(s, 3), w, new_palette;
    if (z == NPU__EU_Z_END) {
        npu__eu_bits(s, s->n_bits & 7);
        return !s->failed;
    }
    s->w_count = (int32_t)npu__eu_bits(s, 15) + 1;
    w = npu__eu_bits(s, 3);
    s->w_trunc = (int32_t)npu__eu_bits(s, 1);
    new_palette = npu__eu_bits(s, 1);
    if (new_palette) npu__eu_wslice_palette(s);
    if (s->failed || (z > 3 && z != NPU__EU_Z_NONE) || (w > 5 && w != NPU__EU_W_RAW)) return 0;
    s->z_runs = z != NPU__EU_Z_NONE;
    s->z_shift = s->z_runs ? (int32_t)z : 0;
    s->w_raw = w == NPU__EU_W_RAW;
    s->w_shift = (int32_t)w;
    if (s->w_raw && s->palette_size > 0) {
        s->w_shift = 0;
        while (1 << s->w_shift < s->palette_size) s->w_shift++; /* bounded: a palette has 32 */
    } else if (s->w_raw) {
        s->w_shift = s->palette_bits;
    }
    s->z_count = s->z_runs ? s->w_count + (int32_t)new_palette : 0;
    s->want_zeros = s->z_runs && new_palette; /* the run in front of the first weight */
    s->w_pos = s->z_pos = s->w_done = s->z_done = s->w_taken = s->z_taken = 0;
    s->w_pending[s->odd] = s->z_pending[s->odd] = 0;
    s->w_part = s->z_part = 0;
    return 1;
}

/* Code to weight, which has 9 bits. Quotients may be anything. */
NPU__INLINE int16_t npu__eu_wvalue(npu__eu_wstream *s, uint32_t code) {
    int32_t v, sign;
    if (code < (uint32_t)s->palette_size) v = s->palette[code];
    else v = (int32_t)(code & 0xFFFFFFu) - s->palette_size + s->direct_offset;
    s->failed |= v > 511;
    sign = -(v & 1);
    return (int16_t)((v >> 1 ^ sign) - sign);
}

/* ---- chunks ---- */

/* Quotients of runs: unary, ones and then a zero. */
NPU__INLINE void npu__eu_wchunk_zeros(npu__eu_wstream *s) {
    int32_t  n = 0, length = s->z_shift < 3 ? 12 : 8;
    uint32_t unary = npu__eu_bits(s, length);
    for (int32_t i = 0; i < length; i++, unary >>= 1) {
        if (unary & 1u) {
            s->z_part += s->z_part < 1u << 26; /* nobody asks for that many elements */
        } else {
            s->z_quotient[s->odd][n++] = s->z_part;
            s->z_part = 0;
        }
    }
    s->z_pos += n;
    s->z_pending[s->odd] = n;
}

/* Quotients of weights: bits of `first` say 0, or at least 1, in which case the next bit of `second` tells 1 from 2. A
 * 2 is the first part of a longer one, unless quotients are truncated. No branches: these bits are noise. */
NPU__INLINE void npu__eu_wchunk_weights(npu__eu_wstream *s, uint32_t first) {
    int32_t   n = 0, symbols = s->w_raw && s->w_shift > 5 ? 8 : 12;
    uint32_t  ones = first, second, part = s->w_part, ends = s->w_trunc ? 3 : 2;
    uint32_t *quotient = s->w_quotient[s->odd];
    ones = (ones & 0x555u) + (ones >> 1 & 0x555u);
    ones = (ones & 0x333u) + (ones >> 2 & 0x333u);
    ones = (ones & 15u) + (ones >> 4 & 15u) + (ones >> 8);
    second = npu__eu_bits(s, (int32_t)ones);
    for (int32_t i = 0; i < symbols; i++) {
        uint32_t one = first >> i & 1u, code = one + (one & second), end = code < ends;
        second >>= one;
        part += code;
        quotient[n] = part;
        n += (int32_t)end;
        part &= end - 1u;
    }
    s->w_part = part < 1u << 20 ? part : 1u << 20; /* too large for a weight already */
    if (n > s->w_count - s->w_pos) n = s->w_count - s->w_pos;
    s->w_pos += n;
    s->w_pending[s->odd] = n;
}

/* Remainders for the quotients of the last chunk. */
NPU__INLINE void npu__eu_wchunk_finish(npu__eu_wstream *s, int32_t last) {
    int32_t w = NPU__MIN(s->w_pending[last], s->w_count - s->w_done);
    int32_t z = NPU__MIN(s->z_pending[last], s->z_count - s->z_done);
    for (int32_t i = 0; i < w; i++) {
        /* bounded: 2^21 * 2^9 */
        uint32_t code = (s->w_quotient[last][i] << s->w_shift) + npu__eu_bits(s, s->w_shift);
        int16_t  value = npu__eu_wvalue(s, code);
        if (s->z_runs) s->w_ring[(s->w_done + i) & 63] = value;
        else s->out[s->out_n + i] = value;
    }
    s->w_done += w;
    if (!s->z_runs) {
        s->out_n += w;
        s->w_taken = s->w_done;
    }
    for (int32_t i = 0; i < z; i++) {
        /* bounded: 2^26 * 2^3 */
        s->z_ring[s->z_done++ & 63] = (s->z_quotient[last][i] << s->z_shift) + npu__eu_bits(s, s->z_shift);
    }
}

/* Reads one chunk. Neither sequence gets far ahead of the other: the rings cannot overflow. */
NPU__FN void npu__eu_wchunk(npu__eu_wstream *s) {
    int32_t  ahead = s->z_runs ? s->w_pos - s->z_pos : 0, last = s->odd;
    int32_t  has_w = ahead < 8 && s->w_pos < s->w_count, has_z = s->z_runs && ahead >= 0 && s->z_pos < s->z_count;
    uint32_t first = has_w && !s->w_raw ? npu__eu_bits(s, 12) : 0;
    if (!has_w && !has_z && !s->w_pending[last] && !s->z_pending[last]) {
        s->failed = 1;
        return;
    }
    s->odd = last ^ 1;
    s->w_pending[s->odd] = s->z_pending[s->odd] = 0;
    if (has_z) npu__eu_wchunk_zeros(s);
    if (has_w) npu__eu_wchunk_weights(s, first);
    npu__eu_wchunk_finish(s, last);
}

/* ---- weights ---- */

/* Merges weights and runs until `n` are there, or more codes are needed. */
NPU__FN void npu__eu_wstream_merge(npu__eu_wstream *s, int32_t n) {
    while (s->out_n < n) {
        if (s->zeros) {
            uint32_t run = NPU__MIN(s->zeros, (uint32_t)(n - s->out_n));
            memset(s->out + s->out_n, 0, (size_t)run * sizeof *s->out); /* bounded: 64 */
            s->zeros -= run;
            s->out_n += (int32_t)run;
        } else if (s->want_zeros && s->z_taken < s->z_done) {
            s->zeros = s->z_ring[s->z_taken++ & 63];
            s->want_zeros = 0;
        } else if (!s->want_zeros && s->w_taken < s->w_done) {
            s->out[s->out_n++] = s->w_ring[s->w_taken++ & 63];
            s->want_zeros = 1;
        } else {
            return;
        }
    }
}

enum { NPU__EU_W_TURNS = 1024 }; /* of the loop below that use up bits and give no weights: hostile streams only */

NPU__FN const int16_t *npu__eu_wstream_take(npu__eu_wstream *s, int32_t n) {
    int32_t left = s->out_n - s->out_at, turns = 0;
    if (left < n) {
        memmove(s->out, s->out + s->out_at, (size_t)left * sizeof *s->out); /* bounded: 128 */
        s->out_at = 0;
        s->out_n = left;
    }
    while (s->out_n - s->out_at < n && !s->failed) { /* a chunk adds 12 at most: out[] has room */
        if (s->z_runs) npu__eu_wstream_merge(s, n);
        if (s->out_n >= n) break;
        if (s->w_taken < s->w_count || s->want_zeros) npu__eu_wchunk(s);
        else if (!npu__eu_wslice_open(s)) s->failed = 1;
        if (++turns < NPU__EU_W_TURNS || !s->poll) continue;
        turns = 0;
        s->failed |= npu__eu_polled(s->poll, NPU__EU_W_TURNS * 4);
    }
    s->out_at += n;
    return s->failed ? NULL : s->out + s->out_at - n;
}

/* ---- the order ---- */

/* One step of the hardware: `n` output channels from `oc` times up to 8 input channels from `ic` of kernel element
 * (ky, kx). Elements past the shape fill the step up. */
NPU__INLINE void npu__eu_weights_put(const npu__eu_worder *o, const npu__eu_wplace *to, const int16_t *w,
                                     int32_t channels, int32_t oc, int32_t ic, int32_t ky, int32_t kx) {
    int32_t n = NPU__MIN(o->ofm_ublock, channels - oc), depth = NPU__MIN(8, o->ifm_depth - ic);
    if (depth < 1) return;
    if (o->depthwise) {
        size_t k = (size_t)ky * (size_t)o->kw + (size_t)kx; /* bounded: below kh * kw <= 4096 */
        for (int32_t i = 0; i < n; i++) {
            size_t c = (size_t)(to->first + (oc + i) * to->stride); /* bounded: a channel of the output */
            to->dst[((k >> 1) * to->step_c + c) * 2 + (k & 1)] = w[i]; /* bounded: an element of the array taken */
        }
        return;
    }
    for (int32_t i = 0; i < n; i++, w += 8) {
        /* bounded: an element of the array taken, whose size was checked */
        int16_t *dst = to->dst + (size_t)(to->first + (oc + i) * to->stride) * to->step_c + (size_t)ky * to->step_y +
                       (size_t)kx * to->step_x + (size_t)ic;
        if (depth == 8) memcpy(dst, w, 8 * sizeof *w);
        else for (int32_t k = 0; k < depth; k++) dst[k] = w[k];
    }
}

/* Elements of a part of the kernel, filled up. */
NPU__INLINE int32_t npu__eu_weights_round(const npu__eu_worder *o, int32_t n) {
    return (n + o->round - 1) / o->round * o->round; /* bounded: n <= 64, rounded up */
}

/* A part of the kernel from (y, x), for input channels [ic, ic + ic_outer): steps of input channels are inside those of
 * kernel elements (ic_inner of them), or around them. */
NPU__FN int npu__eu_weights_part(npu__eu_wstream *s, const npu__eu_worder *o, int32_t channels, int32_t ic,
                                 int32_t ic_inner, int32_t y, int32_t x, const npu__eu_wplace *to) {
    /* bounded: 8 * 8 kernel elements, and 8 * 8 channels, at most */
    int32_t h = NPU__MIN(o->sub_h, o->kh - y), wide = NPU__MIN(o->sub_w, o->kw - x), size = h * wide;
    /* bounded: 8 * 8 */
    int32_t rounded = npu__eu_weights_round(o, size), step = o->ofm_ublock * (o->depthwise ? 1 : 8);
    for (int32_t oc = 0; oc < channels; oc += o->ofm_ublock) {
        for (int32_t k = 0; k < rounded; k++) {
            for (int32_t i = 0; i < ic_inner; i += 8) {
                const int16_t *w = npu__eu_wstream_take(s, step);
                if (!w) return 0;
                if (k < size) npu__eu_weights_put(o, to, w, channels, oc, ic + i, y + k / wide, x + k % wide);
            }
        }
        /* bounded: 64 elements of 8 * 32 weights */
        if (s->poll && npu__eu_polled(s->poll, rounded * step * ((ic_inner + 7) / 8))) return 0;
    }
    return 1;
}

NPU__FN int npu__eu_weights_block(npu__eu_wstream *s, const npu__eu_worder *o, int32_t z, const npu__eu_wplace *to) {
    int32_t channels = NPU__MIN(o->ofm_block, o->ofm_depth - z), depth = o->depthwise ? 1 : o->ifm_depth;
    for (int32_t ic = 0; ic < depth; ic += o->ifm_block) {
        int32_t outer = o->part_kernel ? NPU__MIN(o->ifm_block, depth - ic) : 1;
        int32_t inner = o->part_kernel || o->depthwise ? 1 : o->ifm_block;
        for (int32_t y = 0; y < o->kh; y += o->sub_h) {
            for (int32_t x = 0; x < o->kw; x += o->sub_w) {
                for (int32_t i = 0; i < outer; i += 8) {
                    if (!npu__eu_weights_part(s, o, channels, ic + i, inner, y, x, to)) return 0;
                }
            }
        }
    }
    return 1;
}

/* Elements of all parts of the kernel, filled up; those at its edges are smaller. */
NPU__FN int32_t npu__eu_weights_kernel(const npu__eu_worder *o) {
    int32_t ny = o->kh / o->sub_h, nx = o->kw / o->sub_w, y = o->kh % o->sub_h, x = o->kw % o->sub_w;
    /* bounded: kh * kw <= 4096, and the parts are filled up by less than 4 elements each */
    return ny * nx * npu__eu_weights_round(o, o->sub_h * o->sub_w) + ny * npu__eu_weights_round(o, o->sub_h * x) +
           nx * npu__eu_weights_round(o, y * o->sub_w) + npu__eu_weights_round(o, y * x); /* bounded: likewise */
}

NPU__FN uint64_t npu__eu_weights_count(const npu__eu_worder *o) {
    int32_t  unit = o->depthwise ? 1 : o->part_kernel ? 8 : o->ifm_block, depth = o->depthwise ? 1 : o->ifm_depth;
    int32_t  blocks = o->ofm_depth / o->ofm_block, rest = o->ofm_depth % o->ofm_block, u = o->ofm_ublock;
    uint64_t channels;
    /* bounded: channels <= 2 * 65536 + 128, depth <= 65536 + 31, the kernel <= 4 * 4096 */
    channels = (uint64_t)blocks * (uint64_t)((o->ofm_block + u - 1) / u * u) + (uint64_t)((rest + u - 1) / u * u);
    /* bounded: likewise */
    return channels * (uint64_t)((depth + unit - 1) / unit * unit) * (uint64_t)npu__eu_weights_kernel(o);
}

#undef NPU__EU_Z_NONE
#undef NPU__EU_Z_END
#undef NPU__EU_W_RAW

#endif
NPU__SPEED_END
