/* Template: the loops of pool.h (no include guard; see vec_loop.h). Sixteen channels at a time, the last ones again where 16 does not
 * divide them. */
#define NPU__POOL_BODY(cells, type, lane, first, CELL, LAST)  \
    lane s = (lane)(first);                                   \
    NPU__POOL_##cells(CELL, lane)                             \
    LAST                                                      \
    out[i] = (type)s;
#define NPU__POOL_PASS(name, cells, type, lane, first, CELL, LAST)                                        \
    NPU__VFN NPU__FN void NPU__V(npu__pool_##name##_##cells)(const npu__pool_pass *p) {                   \
        const int32_t n = p->n, q_inverse = p->q_inverse, half = p->half;                                 \
        const lane    lo = (lane)NPU__POOL_BOUND_##type(lo), hi = (lane)NPU__POOL_BOUND_##type(hi);       \
        const float   inverse = p->inverse;                                                               \
        type         *out = (type *)p->out;                                                               \
        NPU__POOL_##cells(NPU__POOL_FROM, type)                                                           \
        (void)q_inverse;                                                                                  \
        (void)half;                                                                                       \
        (void)inverse;                                                                                    \
        for (int32_t done = 0; done < n && (n >= NPU__POOL_LANES || p->loose); done += NPU__POOL_LANES) { \
            const int32_t at = NPU__MAX(NPU__MIN(done, n - NPU__POOL_LANES), 0);                          \
            NPU__VEC_FOR(k, NPU__POOL_LANES) {                                                            \
                const int32_t i = at + k;                                                                 \
                NPU__POOL_BODY(cells, type, lane, first, CELL, LAST)                                      \
            }                                                                                             \
        }                                                                                                 \
        for (int32_t i = 0; i < n && n < NPU__POOL_LANES && !p->loose; i++) {                             \
            NPU__POOL_BODY(cells, type, lane, first, CELL, LAST)                                          \
        }                                                                                                 \
    }
#define NPU__POOL_BOTH(name, type, lane, first, CELL, LAST)      \
    NPU__POOL_PASS(name, few, type, lane, first, CELL, LAST)     \
    NPU__POOL_PASS(name, some, type, lane, first, CELL, LAST)
NPU__POOL_KINDS(NPU__POOL_BOTH)
#undef NPU__POOL_BODY
#undef NPU__POOL_PASS
#undef NPU__POOL_BOTH
