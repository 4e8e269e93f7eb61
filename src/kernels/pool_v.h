/* Template: the loops of pool.h (no include guard; see vec_loop.h). A vector of channels at a time, the last ones again where
 * they fill none. */
#define NPU__POOL_BODY(cells, type, lane, first, CELL, LAST)  \
    lane s = (lane)(first);                                   \
    NPU__POOL_##cells(CELL, lane)                             \
    LAST                                                      \
    out[i] = (type)s;
#define NPU__POOL_PASS(name, cells, type, lane, first, CELL, LAST)                                                            \
    NPU__VFN NPU__FN void NPU__V(npu__pool_##name##_##cells)(const npu__pool_pass *p) {                                       \
        const int32_t n = p->n, q_inverse = p->q_inverse, half = p->half, flip = p->flip, vector = n >= NPU__POOL_BLOCK_##type || p->loose;   \
        const lane    lo = (lane)NPU__POOL_BOUND_##type(lo), hi = (lane)NPU__POOL_BOUND_##type(hi);                           \
        const float   inverse = p->inverse;                                                                                   \
        type         *out = (type *)p->out;                                                                                   \
        NPU__POOL_##cells(NPU__POOL_FROM, type)                                                                               \
        (void)q_inverse;                                                                                                      \
        (void)half;                                                                                                           \
        (void)flip;                                                                                                           \
        (void)inverse;                                                                                                        \
        for (int32_t pixel = 0; pixel < p->pixels; pixel++, out += n) {                                                       \
            for (int32_t done = 0; done < n && vector; done += NPU__POOL_BLOCK_##type) {                                      \
                const int32_t at = NPU__MAX(NPU__MIN(done, n - NPU__POOL_BLOCK_##type), 0);                                   \
                NPU__VEC_FOR(k, NPU__POOL_BLOCK_##type) {                                                                     \
                    const int32_t i = at + k;                                                                                 \
                    NPU__POOL_BODY(cells, type, lane, first, CELL, LAST)                                                      \
                }                                                                                                             \
            }                                                                                                                 \
            for (int32_t i = 0; i < n && !vector; i++) {                                                                      \
                NPU__POOL_BODY(cells, type, lane, first, CELL, LAST)                                                          \
            }                                                                                                                 \
            NPU__POOL_##cells(NPU__POOL_ON, type)                                                                             \
        }                                                                                                                     \
    }
#define NPU__POOL_BOTH(name, type, lane, first, CELL, LAST)      \
    NPU__POOL_PASS(name, few, type, lane, first, CELL, LAST)     \
    NPU__POOL_PASS(name, some, type, lane, first, CELL, LAST)
NPU__POOL_KINDS(NPU__POOL_BOTH)
#undef NPU__POOL_BODY
#undef NPU__POOL_PASS
#undef NPU__POOL_BOTH
