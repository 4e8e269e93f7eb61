/* Template: sums and products of bytes.h over vectors, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VFN (what functions need), NPU__BN (bytes in a vector),
 * NPU__B8, NPU__BW and NPU__BI (vectors of bytes, of int16 and of int32), NPU__BP (pairs of int16) and NPU__B_{SET8, WIDE, SET16, SET32,
 * ADD16, ADD32, AND, MUL32, SAR, SAR_BY, DOT, PAIRS, PRODUCTS, PACK, ADDS16, STORE}; where multiply-adds of floats are less work NPU__BF, a
 * vector of them, and NPU__B_{SETF, FLOATS(e, c)}. All are undefined at the end. Elements are in two vectors of int32 in any order that PACK undoes. */

/* Constants, loaded once a call: stores may alias the job. */
typedef struct NPU__V(npu__bytes_c) {
    NPU__BI f_hi, f_lo, c_hi, c_lo, round;
    NPU__BW offset_a, offset_b, zero_point;
    int32_t shift;
#ifdef NPU__BF
    NPU__BF scale, above, below;
#endif
} NPU__V(npu__bytes_c);

/* Four or eight elements to their results. The zero point of sums is in c_hi, or in round. */
NPU__VFN NPU__INLINE NPU__BI NPU__V(npu__bytes_sum_end)(NPU__BP e, int away, const NPU__V(npu__bytes_c) *c) {
    NPU__BI hi = NPU__B_ADD32(NPU__B_DOT(e, c->f_hi), c->c_hi), lo = NPU__B_ADD32(NPU__B_DOT(e, c->f_lo), c->c_lo);
    if (away) lo = NPU__B_ADD32(lo, NPU__B_SAR(hi, 31));
    hi = NPU__B_ADD32(hi, NPU__B_SAR(lo, NPU__BYTES_SUM_LO));
    if (away) hi = NPU__B_ADD32(hi, c->round);
    return NPU__B_SAR(hi, NPU__BYTES_SHIFT);
}
NPU__VFN NPU__INLINE NPU__BI NPU__V(npu__bytes_product_end)(NPU__BI e, const NPU__V(npu__bytes_c) *c) {
    NPU__BI hi = NPU__B_MUL32(e, c->f_hi), lo = NPU__B_ADD32(NPU__B_MUL32(e, c->f_lo), c->c_lo);
    hi = NPU__B_ADD32(NPU__B_ADD32(hi, c->c_hi), NPU__B_AND(NPU__B_SAR(e, 31), c->round));
    return NPU__B_SAR_BY(NPU__B_ADD32(hi, NPU__B_SAR(lo, NPU__BYTES_MUL_LO)), c->shift);
}

#ifdef NPU__BF
NPU__VFN NPU__INLINE NPU__BW NPU__V(npu__bytes_floats1)(NPU__BW x, NPU__BW y, const NPU__V(npu__bytes_c) *c) {
    NPU__BI e0, e1;
    NPU__B_PRODUCTS(NPU__B_ADD16(x, c->offset_a), NPU__B_ADD16(y, c->offset_b), e0, e1);
    return NPU__B_ADDS16(NPU__B_PACK(NPU__B_FLOATS(e0, c), NPU__B_FLOATS(e1, c)), c->zero_point);
}
#  define NPU__BYTES_SET_FLOATS                                                                                                 \
      c.scale = NPU__B_SETF(job->scale);                                                                                         \
      c.above = NPU__B_SETF(job->above);                                                                                         \
      c.below = NPU__B_SETF(job->below);
#else
#  define NPU__BYTES_SET_FLOATS
#endif

/* A vector of int16 out of one of inputs. */
NPU__VFN NPU__INLINE NPU__BW NPU__V(npu__bytes_sum1)(NPU__BW x, NPU__BW y, int away, const NPU__V(npu__bytes_c) *c) {
    NPU__BP e0, e1;
    NPU__B_PAIRS(x, y, e0, e1);
    return NPU__B_PACK(NPU__V(npu__bytes_sum_end)(e0, away, c), NPU__V(npu__bytes_sum_end)(e1, away, c));
}
NPU__VFN NPU__INLINE NPU__BW NPU__V(npu__bytes_product1)(NPU__BW x, NPU__BW y, const NPU__V(npu__bytes_c) *c) {
    NPU__BI e0, e1;
    NPU__B_PRODUCTS(NPU__B_ADD16(x, c->offset_a), NPU__B_ADD16(y, c->offset_b), e0, e1);
    return NPU__B_ADDS16(NPU__B_PACK(NPU__V(npu__bytes_product_end)(e0, c), NPU__V(npu__bytes_product_end)(e1, c)), c->zero_point);
}

/* The walk, a vector of bytes at a time. An element that is broadcast fills a block, the end goes through padded blocks. */
#define NPU__BYTES_WALK(FACTOR, ONE)                                                                               \
    const NPU__B8        flip = NPU__B_SET8(job->flip), least = NPU__B_SET8(job->least), most = NPU__B_SET8(job->most); \
    NPU__V(npu__bytes_c) c;                                                                                        \
    NPU__BW              x0, x1, y0, y1;                                                                           \
    uint8_t              pa[NPU__BN], pb[NPU__BN], po[NPU__BN], *to = out;                                         \
    const int32_t        go_a = step_a * NPU__BN, go_b = step_b * NPU__BN;                                         \
    c.f_hi = FACTOR(job->hi);                                                                                      \
    c.f_lo = FACTOR(job->lo);                                                                                      \
    c.c_hi = NPU__B_SET32(job->c_hi);                                                                              \
    c.c_lo = NPU__B_SET32(job->c_lo);                                                                              \
    c.round = NPU__B_SET32(job->round);                                                                            \
    c.offset_a = NPU__B_SET16(job->offset[0]);                                                                     \
    c.offset_b = NPU__B_SET16(job->offset[1]);                                                                     \
    c.zero_point = NPU__B_SET16(job->zero_point);                                                                  \
    c.shift = job->shift;                                                                                          \
    NPU__BYTES_SET_FLOATS                                                                                          \
    memset(pa, a[0], sizeof pa);                                                                                   \
    memset(pb, b[0], sizeof pb);                                                                                   \
    if (!step_a) a = pa;                                                                                           \
    if (!step_b) b = pb;                                                                                           \
    for (; n > 0; n -= NPU__BN, a += go_a, b += go_b, out += NPU__BN) {                                            \
        if (n < NPU__BN) {                                                                                         \
            a = step_a ? (const uint8_t *)memcpy(pa, a, (size_t)n) : pa;                                           \
            b = step_b ? (const uint8_t *)memcpy(pb, b, (size_t)n) : pb;                                           \
            to = po;                                                                                               \
        }                                                                                                          \
        NPU__B_WIDE(a, flip, x0, x1);                                                                              \
        NPU__B_WIDE(b, flip, y0, y1);                                                                              \
        NPU__B_STORE(to, ONE(x0, y0), ONE(x1, y1), least, most, flip);                                             \
        if (to == po) { memcpy(out, po, (size_t)n); break; }                                                       \
        to += NPU__BN;                                                                                             \
    }
#define NPU__BYTES_SUM(x, y) NPU__V(npu__bytes_sum1)(x, y, away, &c)
#define NPU__BYTES_PRODUCT(x, y) NPU__V(npu__bytes_product1)(x, y, &c)
#define NPU__BYTES_FLOATS(x, y) NPU__V(npu__bytes_floats1)(x, y, &c)
#define NPU__BYTES_ONE(f) NPU__B_SET32((f)[0])
#define NPU__BYTES_TWO(f) NPU__B_SET32((int32_t)((uint32_t)(f)[1] << 16 | ((uint32_t)(f)[0] & 0xFFFFu)))

/* With `away` a constant. */
NPU__VFN NPU__INLINE void NPU__V(npu__bytes_sum_by)(const npu__bytes_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out,
                                                    int64_t n, int32_t step_a, int32_t step_b, int away) {
    NPU__BYTES_WALK(NPU__BYTES_TWO, NPU__BYTES_SUM)
}
NPU__VFN NPU__FN void NPU__V(npu__bytes_sum)(const npu__bytes_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t n,
                                             int32_t step_a, int32_t step_b) {
    if (job->away) NPU__V(npu__bytes_sum_by)(job, a, b, out, n, step_a, step_b, 1);
    else NPU__V(npu__bytes_sum_by)(job, a, b, out, n, step_a, step_b, 0);
}
NPU__VFN NPU__FN void NPU__V(npu__bytes_product)(const npu__bytes_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t n,
                                                 int32_t step_a, int32_t step_b) {
#ifdef NPU__BF
    if (job->by_floats) {
        NPU__BYTES_WALK(NPU__BYTES_ONE, NPU__BYTES_FLOATS)
        return;
    }
#endif
    {
        NPU__BYTES_WALK(NPU__BYTES_ONE, NPU__BYTES_PRODUCT)
    }
}

#undef NPU__BYTES_SUM
#undef NPU__BYTES_PRODUCT
#undef NPU__BYTES_FLOATS
#undef NPU__BYTES_SET_FLOATS
#undef NPU__BF
#undef NPU__B_SETF
#undef NPU__B_FLOATS
#undef NPU__BYTES_WALK
#undef NPU__BYTES_ONE
#undef NPU__BYTES_TWO
#undef NPU__V
#undef NPU__VFN
#undef NPU__BN
#undef NPU__B8
#undef NPU__BW
#undef NPU__BI
#undef NPU__BP
#undef NPU__B_SET8
#undef NPU__B_WIDE
#undef NPU__B_SET16
#undef NPU__B_SET32
#undef NPU__B_ADD16
#undef NPU__B_ADD32
#undef NPU__B_AND
#undef NPU__B_MUL32
#undef NPU__B_SAR
#undef NPU__B_SAR_BY
#undef NPU__B_DOT
#undef NPU__B_PAIRS
#undef NPU__B_PRODUCTS
#undef NPU__B_PACK
#undef NPU__B_ADDS16
#undef NPU__B_STORE
