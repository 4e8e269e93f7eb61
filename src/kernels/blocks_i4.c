/* Panels of int4 weights, and the kernels that read them. */
#include "blocks_i4.h"
#include "avx512.h"
#include "ref_fully_connected.h"

NPU__FN int npu__blocks_i4_bytes(int32_t units, int32_t depth, int32_t block, size_t *bytes) {
    const size_t panels = ((size_t)units + NPU__BLOCKS_I4_UNITS - 1) / NPU__BLOCKS_I4_UNITS;
    size_t       each;
    return npu__mul_size(npu__blocks_i4_block_bytes(block), (size_t)(depth / block), &each) && npu__mul_size(each, panels, bytes);
}

/* Four nibbles, one in each byte. */
NPU__INLINE uint32_t npu__blocks_i4_apart(uint32_t v) {
    v = (v | v << 8) & 0x00FF00FFu;
    return (v | v << 4) & 0x0F0F0F0Fu;
}

/* Unit `p` of a panel whose block is at `to`. */
NPU__FN void npu__blocks_i4_pack_unit(const uint8_t *w, uint16_t scale, int32_t block, int32_t p, uint8_t *to) {
    const float real = npu__ref_fc_block_scale(scale) / 16.0f;
    int32_t     sum = 0;
    int16_t     sum16;
    uint8_t    *at = to + NPU__BLOCKS_I4_HEAD + p * 4;
    for (int32_t k = 0; k < block; k += 8, w += 4, at += NPU__BLOCKS_I4_UNITS * 4) { /* eight nibbles of a word, the first in the lowest bits */
        uint32_t v, some;
        memcpy(&v, w, 4);
        some = (npu__blocks_i4_apart(v & 0xFFFFu) ^ 0x08080808u) | npu__blocks_i4_apart(v >> 16) << 4;
        memcpy(at, &some, 4);
        v ^= 0x88888888u; /* each 8 more than it stands for */
        v = (v & 0x0F0F0F0Fu) + (v >> 4 & 0x0F0F0F0Fu);
        sum += (int32_t)(v * 0x01010101u >> 24) - 64; /* bounded: eight times 15 */
    }
    sum16 = (int16_t)sum;
    memcpy(to + p * 4, &real, sizeof real);
    memcpy(to + NPU__BLOCKS_I4_UNITS * 4 + p * 2, &sum16, sizeof sum16);
}

NPU__FN void npu__blocks_i4_pack(const uint8_t *w, const uint16_t *scale, int32_t units, int32_t depth, int32_t block, uint8_t *packed) {
    const int32_t blocks = depth / block;
    const size_t  each = npu__blocks_i4_block_bytes(block);
    for (int32_t u0 = 0; u0 < units; u0 += NPU__BLOCKS_I4_UNITS) {
        for (int32_t b = 0; b < blocks; b++, packed += each) {
            if (units - u0 < NPU__BLOCKS_I4_UNITS) memset(packed, 0, each);
            for (int32_t u = u0; u < NPU__MIN(u0 + NPU__BLOCKS_I4_UNITS, units); u++) {
                const size_t row = (size_t)u * (size_t)depth + (size_t)b * (size_t)block;
                npu__blocks_i4_pack_unit(w + row / 2, scale[(size_t)u * (size_t)blocks + (size_t)b], block, u - u0, packed);
            }
        }
    }
}

NPU__FN void npu__blocks_i4_sums(const uint8_t *a, int32_t depth, int32_t block, int32_t *sums) {
    for (int32_t b = 0; b < depth / block; b++) {
        int32_t sum = 0;
        for (int32_t k = 0; k < block; k += 8, a += 8) sum += a[0] + a[1] + a[2] + a[3]; /* bounded: a block has at most MOST */
        sums[b] = 128 * sum;
    }
}

#if NPU__HAS_X86
NPU__AVX512_BEGIN
/* Four of the depth by lower halves, then four by upper ones, which are summed up as 16 times what they are. */
NPU__VNNI NPU__FN void npu__blocks_i4__vnni(const npu__blocks_i4_job *job, int32_t panel, float *out) {
    const int32_t  blocks = job->depth / job->block;
    const __m512i  lower = _mm512_set1_epi8(0x0F), upper = _mm512_set1_epi8((char)0xF0), zero = _mm512_setzero_si512();
    const __m512i  less = _mm512_set1_epi32(16 * (-128 - job->a_zero) & 0xFFFF); /* an int16 and 0 */
    const uint8_t *a = job->a, *p = job->packed + (size_t)panel * (size_t)blocks * npu__blocks_i4_block_bytes(job->block);
    __m512         lo = _mm512_setzero_ps(), hi = _mm512_setzero_ps();
    for (int32_t b = 0; b < blocks; b++) {
        const __m512  scale_lo = _mm512_loadu_ps((const void *)p), scale_hi = _mm512_loadu_ps((const void *)(p + 64));
        const __m512i more = _mm512_set1_epi32(job->a_sums[b]);
        __m512i       odd_lo = _mm512_sub_epi32(_mm512_madd_epi16(less, _mm512_cvtepi16_epi32(NPU__LOAD32(p + 128))), more), even_lo = zero;
        __m512i       odd_hi = _mm512_sub_epi32(_mm512_madd_epi16(less, _mm512_cvtepi16_epi32(NPU__LOAD32(p + 160))), more), even_hi = zero;
        p += NPU__BLOCKS_I4_HEAD;
        for (int32_t k = 0; k < job->block; k += 8, a += 8, p += 128) {
            const __m512i even = _mm512_set1_epi32(npu__load_i32(a)), odd = _mm512_set1_epi32(npu__load_i32(a + 4));
            const __m512i w_lo = NPU__LOAD64(p), w_hi = NPU__LOAD64(p + 64);
            even_lo = npu__dot8__vnni(even_lo, even, _mm512_and_si512(w_lo, lower));
            even_hi = npu__dot8__vnni(even_hi, even, _mm512_and_si512(w_hi, lower));
            odd_lo = npu__dot8__vnni(odd_lo, odd, _mm512_and_si512(w_lo, upper));
            odd_hi = npu__dot8__vnni(odd_hi, odd, _mm512_and_si512(w_hi, upper));
        }
        lo = _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_slli_epi32(even_lo, 4), odd_lo)), scale_lo, lo);
        hi = _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_slli_epi32(even_hi, 4), odd_hi)), scale_hi, hi);
    }
    _mm512_storeu_ps((void *)out, lo);
    _mm512_storeu_ps((void *)(out + 16), hi);
}

/* Of several rows both halves are summed up as 16 times what they are: one shift for all rows, and no sums of theirs. */
#define NPU__I4_INIT(r)                                                                                                \
    const __m512i less##r = _mm512_set1_epi32(16 * (-128 - rows->zero[r]) & 0xFFFF); /* an int16 and 0 */              \
    __m512        lo##r = _mm512_setzero_ps(), hi##r = lo##r;
#define NPU__I4_BLOCK(r) __m512i x##r = _mm512_madd_epi16(less##r, sum_lo), y##r = _mm512_madd_epi16(less##r, sum_hi);
#define NPU__I4_STEP(r)                                                                                                \
    v = _mm512_set1_epi32(npu__load_i32(a + (r) * depth));                                                             \
    x##r = npu__dot8__vnni(x##r, v, even_lo);                                                                          \
    y##r = npu__dot8__vnni(y##r, v, even_hi);                                                                          \
    v = _mm512_set1_epi32(npu__load_i32(a + (r) * depth + 4));                                                         \
    x##r = npu__dot8__vnni(x##r, v, odd_lo);                                                                           \
    y##r = npu__dot8__vnni(y##r, v, odd_hi);
#define NPU__I4_DONE(r)                                           \
    lo##r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(x##r), scale_lo, lo##r); \
    hi##r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(y##r), scale_hi, hi##r);
#define NPU__I4_OUT(r)                                                                                                           \
    scale = _mm512_set1_ps(rows->scale[r]);                                                                                      \
    _mm512_mask_storeu_ps(out + (size_t)(r) * rows->out_stride, (__mmask16)mask, _mm512_add_ps(_mm512_mul_ps(lo##r, scale), bias_lo));       \
    _mm512_mask_storeu_ps(out + (size_t)(r) * rows->out_stride + 16, (__mmask16)(mask >> 16), _mm512_add_ps(_mm512_mul_ps(hi##r, scale), bias_hi));
/* 16 times four weights that lie in lower halves, 8 more than they are. */
#define NPU__I4_LOWER(v) _mm512_ternarylogic_epi32(_mm512_slli_epi16(v, 4), upper, flip, 0x6A)
NPU__VNNI NPU__FN void npu__blocks_i4_rows__vnni(const npu__blocks_i4_job *job, const npu__blocks_i4_group *rows, int32_t panel, int32_t units,
                                                 float *out) {
    const int32_t  blocks = job->depth / job->block;
    const size_t   depth = (size_t)job->depth;
    const uint32_t mask = ~UINT32_C(0) >> (32 - units);
    const __m512i  upper = _mm512_set1_epi8((char)0xF0), flip = _mm512_set1_epi8((char)0x80);
    const uint8_t *a = job->a, *p = job->packed + (size_t)panel * (size_t)blocks * npu__blocks_i4_block_bytes(job->block);
    __m512         bias_lo = _mm512_setzero_ps(), bias_hi = bias_lo, scale;
    NPU__ROWS_4(NPU__I4_INIT)
    for (int32_t b = 0; b < blocks; b++) {
        const __m512  scale_lo = _mm512_loadu_ps((const void *)p), scale_hi = _mm512_loadu_ps((const void *)(p + 64));
        const __m512i sum_lo = _mm512_cvtepi16_epi32(NPU__LOAD32(p + 128)), sum_hi = _mm512_cvtepi16_epi32(NPU__LOAD32(p + 160));
        NPU__ROWS_4(NPU__I4_BLOCK)
        p += NPU__BLOCKS_I4_HEAD;
        for (int32_t k = 0; k < job->block; k += 8, a += 8, p += 128) {
            const __m512i w_lo = NPU__LOAD64(p), w_hi = NPU__LOAD64(p + 64);
            const __m512i even_lo = NPU__I4_LOWER(w_lo), odd_lo = _mm512_and_si512(w_lo, upper);
            const __m512i even_hi = NPU__I4_LOWER(w_hi), odd_hi = _mm512_and_si512(w_hi, upper);
            __m512i       v;
            NPU__ROWS_4(NPU__I4_STEP)
        }
        NPU__ROWS_4(NPU__I4_DONE)
    }
    if (rows->bias) {
        bias_lo = _mm512_maskz_loadu_ps((__mmask16)mask, rows->bias);
        bias_hi = _mm512_maskz_loadu_ps((__mmask16)(mask >> 16), rows->bias + 16);
    }
    NPU__ROWS_4(NPU__I4_OUT)
}
#undef NPU__I4_INIT
#undef NPU__I4_BLOCK
#undef NPU__I4_STEP
#undef NPU__I4_DONE
#undef NPU__I4_OUT
#undef NPU__I4_LOWER
NPU__AVX512_END
#endif
