/* Template: float products with weights of which most are 0, stamped once for each instruction set that has them (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), the vector type NPU__SP_V of NPU__SP_LANES floats, NPU__SP_FN (what functions
 * need) and NPU__SP_{LOAD, STORE, SET1, SPLAT, MADD, ADD, CLAMP}, SPLAT(p) being SET1(*p); NPU__SP_{LO32, HI32, LO64, HI64}(a, b), which
 * interleave the lower or upper halves of each 128 bits; NPU__SP_GET(rows, at), 128 bits of each fourth row, and NPU__SP_PUT(to, step, v),
 * which stores them to each fourth; NPU__SP_EACH(X), X of each vector of a tile; NPU__SP_CHAINS, sums that a column is added up in, 1
 * or 2: a column's products depend on each other, and of two vectors they would wait. All but NPU__V are undefined at the end. */

/* Four rows of 4 floats, in each 128 bits, to four columns or back. */
NPU__SP_FN NPU__INLINE void NPU__V(npu__sparse_turn)(NPU__SP_V *a, NPU__SP_V *b, NPU__SP_V *c, NPU__SP_V *d) {
    const NPU__SP_V ab = NPU__SP_LO32(*a, *b), AB = NPU__SP_HI32(*a, *b), cd = NPU__SP_LO32(*c, *d), CD = NPU__SP_HI32(*c, *d);
    *a = NPU__SP_LO64(ab, cd);
    *b = NPU__SP_HI64(ab, cd);
    *c = NPU__SP_LO64(AB, CD);
    *d = NPU__SP_HI64(AB, CD);
}

/* A tile's rows, n of each in a piece from `at` on, to columns. */
NPU__SP_FN NPU__INLINE void NPU__V(npu__sparse_columns)(const float *const *rows, size_t at, int32_t n, float *x) {
    for (; n >= 4; n -= 4, at += 4, x += 4 * NPU__SPARSE_ROWS) {
        for (int32_t r = 0; r < NPU__SPARSE_ROWS; r += NPU__SP_LANES) {
            NPU__SP_V a = NPU__SP_GET(rows + r, at), b = NPU__SP_GET(rows + r + 1, at);
            NPU__SP_V c = NPU__SP_GET(rows + r + 2, at), d = NPU__SP_GET(rows + r + 3, at);
            NPU__V(npu__sparse_turn)(&a, &b, &c, &d);
            NPU__SP_STORE(x + r, a);
            NPU__SP_STORE(x + NPU__SPARSE_ROWS + r, b);
            NPU__SP_STORE(x + 2 * NPU__SPARSE_ROWS + r, c);
            NPU__SP_STORE(x + 3 * NPU__SPARSE_ROWS + r, d);
        }
    }
    for (; n > 0; n--, at++, x += NPU__SPARSE_ROWS) {
        for (int32_t r = 0; r < NPU__SPARSE_ROWS; r++) x[r] = rows[r][at];
    }
}

#define NPU__SP_INIT(r) NPU__SP_V s##r = bias;
#define NPU__SP_INIT_NEXT(r) NPU__SP_V t##r = NPU__SP_SET1(0.0f);
#define NPU__SP_STEP(r) s##r = NPU__SP_MADD(w, NPU__SP_LOAD(at + r * NPU__SP_LANES), s##r);
#define NPU__SP_STEP_NEXT(r) t##r = NPU__SP_MADD(w, NPU__SP_LOAD(at + r * NPU__SP_LANES), t##r);
#define NPU__SP_SUM(r) s##r = NPU__SP_ADD(s##r, t##r);
#define NPU__SP_DONE(r) NPU__SP_STORE(out + r * NPU__SP_LANES, NPU__SP_CLAMP(s##r, lo, hi));
#define NPU__SP_WEIGHT(entry, STEP)                                                         \
    at = (const float *)(const void *)((const uint8_t *)x + npu__sparse_at(entry));         \
    w = NPU__SP_SPLAT((const float *)(const void *)((entry) + 4)); \
    NPU__SP_EACH(STEP)

/* One column of outputs, of a tile's inputs x; returns where the next column's weights are. */
NPU__SP_FN NPU__INLINE const uint8_t *NPU__V(npu__sparse_column)(const uint8_t *packed, const float *x, NPU__SP_V lo, NPU__SP_V hi,
                                                                  float *out) {
    const NPU__SP_V bias = NPU__SP_SPLAT((const float *)(const void *)(packed + 4));
    const uint8_t  *end = packed + 8 + (size_t)npu__sparse_at(packed) * 8;
    const float    *at;
    NPU__SP_V       w;
    NPU__SP_EACH(NPU__SP_INIT)
#if NPU__SP_CHAINS == 2
    NPU__SP_EACH(NPU__SP_INIT_NEXT)
#endif
    for (packed += 8; packed != end; packed += 16) {
        NPU__SP_WEIGHT(packed, NPU__SP_STEP)
#if NPU__SP_CHAINS == 2
        NPU__SP_WEIGHT(packed + 8, NPU__SP_STEP_NEXT)
#else
        NPU__SP_WEIGHT(packed + 8, NPU__SP_STEP)
#endif
    }
#if NPU__SP_CHAINS == 2
    NPU__SP_EACH(NPU__SP_SUM)
#endif
    NPU__SP_EACH(NPU__SP_DONE)
    return end;
}

/* Four columns to `rows` rows of `cols` floats. */
NPU__SP_FN NPU__INLINE void NPU__V(npu__sparse_store)(const float *columns, int32_t rows, int32_t cols, float *out, size_t step) {
    const int   whole = rows == NPU__SPARSE_ROWS && cols == 4;
    float       some[NPU__SPARSE_ROWS * 4], *to = whole ? out : some;
    const size_t to_step = whole ? step : 4;
    for (int32_t r = 0; r < NPU__SPARSE_ROWS; r += NPU__SP_LANES, to += NPU__SP_LANES * to_step) {
        const float *p = columns + r;
        NPU__SP_V a = NPU__SP_LOAD(p), b = NPU__SP_LOAD(p + NPU__SPARSE_ROWS), c = NPU__SP_LOAD(p + 2 * NPU__SPARSE_ROWS);
        NPU__SP_V d = NPU__SP_LOAD(p + 3 * NPU__SPARSE_ROWS);
        NPU__V(npu__sparse_turn)(&a, &b, &c, &d);
        NPU__SP_PUT(to, to_step, a);
        NPU__SP_PUT(to + to_step, to_step, b);
        NPU__SP_PUT(to + 2 * to_step, to_step, c);
        NPU__SP_PUT(to + 3 * to_step, to_step, d);
    }
    for (int32_t r = 0; !whole && r < rows; r++) memcpy(out + (size_t)r * step, some + r * 4, (size_t)cols * sizeof *out);
}

NPU__SP_FN NPU__FN void NPU__V(npu__f32_sparse)(const npu__gemm_f32_job *job, const uint8_t *packed, int32_t n, float *x, float *out) {
    const NPU__SP_V lo = NPU__SP_SET1(job->lo), hi = NPU__SP_SET1(job->hi);
    const float    *rows[NPU__SPARSE_ROWS];
    float           columns[4 * NPU__SPARSE_ROWS];
    memset(x + (size_t)job->a.run * (size_t)job->a.segments * NPU__SPARSE_ROWS, 0, NPU__SPARSE_ROWS * sizeof *x);
    for (int32_t row = 0; row < job->m; row += NPU__SPARSE_ROWS) {
        const int32_t  some = NPU__MIN(job->m - row, NPU__SPARSE_ROWS);
        const uint8_t *w = packed;
        float         *to = out + (size_t)row * job->out_stride;
        for (int32_t r = 0; r < NPU__SPARSE_ROWS; r++) { /* the last one again where there are fewer */
            rows[r] = (const float *)(const void *)npu__gemm_row(&job->a, row + NPU__MIN(r, some - 1));
        }
        for (int32_t s = 0; s < job->a.segments; s++) {
            NPU__V(npu__sparse_columns)(rows, job->a.offsets[s], job->a.run, x + (size_t)s * (size_t)job->a.run * NPU__SPARSE_ROWS);
        }
        for (int32_t j = 0; j < n; j += 4) {
            for (int32_t i = 0; i < 4; i++) w = NPU__V(npu__sparse_column)(w, x, lo, hi, columns + i * NPU__SPARSE_ROWS);
            NPU__V(npu__sparse_store)(columns, some, NPU__MIN(n - j, 4), to + j, job->out_stride);
        }
    }
}

#undef NPU__SP_ADD
#undef NPU__SP_CHAINS
#undef NPU__SP_CLAMP
#undef NPU__SP_DONE
#undef NPU__SP_EACH
#undef NPU__SP_FN
#undef NPU__SP_GET
#undef NPU__SP_HI32
#undef NPU__SP_HI64
#undef NPU__SP_INIT
#undef NPU__SP_INIT_NEXT
#undef NPU__SP_LANES
#undef NPU__SP_LO32
#undef NPU__SP_LO64
#undef NPU__SP_LOAD
#undef NPU__SP_MADD
#undef NPU__SP_PUT
#undef NPU__SP_SET1
#undef NPU__SP_SPLAT
#undef NPU__SP_STEP
#undef NPU__SP_STEP_NEXT
#undef NPU__SP_STORE
#undef NPU__SP_SUM
#undef NPU__SP_V
#undef NPU__SP_WEIGHT
